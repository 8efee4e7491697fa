#include "base/now.h"
#include "server/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connected clients. A client that opens connections and sends nothing must not keep others out:
 * when there are too many, the least useful connection is closed. */
enum rank {
	RANK_SILENT,  /* has sent no whole request yet */
	RANK_REFUSED, /* all its requests were refused */
	RANK_SERVED
};

struct client {
	struct client *older, *newer;
	int fd;
	enum rank rank;
	bool is_working; /* an answer is being made for it */
	bool is_cut_off;
};

struct http_server {
	struct MHD_Daemon *daemon;
	http_handler *handler;
	void *ctx;
	pthread_mutex_t lock; /* of the clients */
	struct client *oldest, *newest;
	unsigned n_clients; /* clients that are not closed yet */
};

struct pending { /* a request whose body is still coming */
	struct mer_str body;
	bool too_long;
};

const char *http_argument(const struct http_request *r, const char *key)
{
	for (size_t i = 0; i < r->n_arguments; i++)
		if (strcmp(r->arguments[i].key, key) == 0)
			return r->arguments[i].value;
	return NULL;
}

/* ---- Clients ---- */

/* The socket is not closed before the library reports that the client left, so fd is still
 * valid. */
static void make_place(struct http_server *s)
{
	struct client *least = NULL;
	for (struct client *c = s->oldest; c; c = c->newer)
		if (!c->is_working && !c->is_cut_off && (!least || c->rank < least->rank))
			least = c;
	if (!least)
		return;
	least->is_cut_off = true;
	s->n_clients--;
	shutdown(least->fd, SHUT_RDWR);
}

static void add_client(struct http_server *s, struct MHD_Connection *connection, void **own)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *c = info ? calloc(1, sizeof(*c)) : NULL;
	*own = c;
	if (!c)
		return;
	c->fd = info->connect_fd;
	pthread_mutex_lock(&s->lock);
	if (s->n_clients >= HTTP_CONNECTIONS)
		make_place(s);
	c->older = s->newest;
	if (s->newest)
		s->newest->newer = c;
	else
		s->oldest = c;
	s->newest = c;
	s->n_clients++;
	pthread_mutex_unlock(&s->lock);
}

static void remove_client(struct http_server *s, struct client *c)
{
	pthread_mutex_lock(&s->lock);
	if (c->newer)
		c->newer->older = c->older;
	else
		s->newest = c->older;
	if (c->older)
		c->older->newer = c->newer;
	else
		s->oldest = c->newer;
	s->n_clients -= !c->is_cut_off;
	pthread_mutex_unlock(&s->lock);
	free(c);
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **own,
	enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		add_client(ctx, connection, own);
	else if (*own)
		remove_client(ctx, *own);
}

static struct client *client_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info ? info->socket_context : NULL;
}

static void set_working(struct http_server *s, struct client *c, bool is_working, unsigned status)
{
	if (!c)
		return;
	pthread_mutex_lock(&s->lock);
	c->is_working = is_working;
	if (!is_working && c->rank != RANK_SERVED)
		c->rank = status < 400 ? RANK_SERVED : RANK_REFUSED;
	pthread_mutex_unlock(&s->lock);
}

/* The end of a client's data looks the same whether it closed the connection or still waits for
 * the answer. Data sent to it causes an error in the first case; in the second one an interim
 * response is harmless. */
static void knock(const struct http_request *r)
{
	static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
	if (r->takes_interim)
		(void)!send(r->socket, interim, sizeof(interim) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

enum http_waited http_wait(const struct http_request *r, int done, int ms)
{
	int64_t until = ms < 0 ? INT64_MAX : mer_now_ns() + ms * INT64_C(1000000);
	struct pollfd p[2] = { { .fd = done, .events = POLLIN },
		{ .fd = r->socket, .events = POLLRDHUP } };
	for (;;) {
		int64_t left = ms < 0 ? -1 : (until - mer_now_ns()) / 1000000;
		if (ms >= 0 && left <= 0)
			return HTTP_LATE;
		int n = poll(p, 2, (int)left);
		if (n < 0 && errno != EINTR)
			return HTTP_DONE;
		if (n <= 0)
			continue;
		if (p[0].revents)
			return HTTP_DONE;
		if (p[1].revents & (POLLERR | POLLHUP | POLLNVAL))
			return HTTP_LEFT;
		p[1].events = 0; /* reported once */
		knock(r);
	}
}

/* ---- Requests ---- */

struct collected {
	struct http_argument item[HTTP_MAX_ARGUMENTS];
	size_t n;
	bool too_many;
};

static enum MHD_Result collect(
	void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct collected *c = ctx;
	(void)kind;
	if (c->n == HTTP_MAX_ARGUMENTS) {
		c->too_many = true;
		return MHD_NO;
	}
	c->item[c->n++] = (struct http_argument){ key, value ? value : "" };
	return MHD_YES;
}

/* Is gzip accepted? By "gzip" and "br, gzip;q=0.8, *", but not by "gzip;q=0". */
static bool takes_gzip(const char *encodings)
{
	for (const char *at = encodings; at && *at;) {
		at += strspn(at, " \t,");
		size_t n = strcspn(at, ","), name = strcspn(at, " \t;,");
		const char *q = memmem(at, n, "q=", 2);
		if (name == 4 && strncasecmp(at, "gzip", 4) == 0)
			return !q || strtod(q + 2, NULL) > 0;
		at += n;
	}
	return false;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* ---- Answers ---- */

static void put(struct MHD_Response *r, const char *name, const char *value)
{
	if (value)
		MHD_add_response_header(r, name, value);
}

static enum MHD_Result send_answer(struct MHD_Connection *c, const struct http_answer *a)
{
	bool is_fixed = a->fixed != NULL;
	const void *bytes = is_fixed ? a->fixed : a->body.data ? a->body.data : "";
	size_t n = is_fixed ? a->fixed_len : a->body.len;
	union { /* the library takes a pointer that it promises not to write to */
		const void *from;
		void *to;
	} u = { .from = bytes };
	struct MHD_Response *r = MHD_create_response_from_buffer(
		n, u.to, is_fixed ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
	if (!r)
		return MHD_NO;
	put(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
	put(r, MHD_HTTP_HEADER_CONTENT_ENCODING, a->is_gzip ? "gzip" : NULL);
	put(r, MHD_HTTP_HEADER_VARY, a->etag ? "Accept-Encoding" : NULL);
	put(r, MHD_HTTP_HEADER_ETAG, a->etag);
	put(r, MHD_HTTP_HEADER_CACHE_CONTROL, a->etag ? "no-cache" : "no-store");
	put(r, MHD_HTTP_HEADER_LOCATION, a->location);
	put(r, MHD_HTTP_HEADER_ALLOW, a->allow);
	put(r, "Content-Security-Policy",
		a->policy ? a->policy : "default-src 'none'; frame-ancestors 'none'");
	put(r, "X-Content-Type-Options", "nosniff");
	put(r, "Referrer-Policy", "no-referrer");
	put(r, "Cross-Origin-Resource-Policy", a->any_origin ? "cross-origin" : "same-origin");
	if (a->any_origin) {
		put(r, "Access-Control-Allow-Origin", "*");
		put(r, "Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
		put(r, "Access-Control-Allow-Headers",
			"origin, content-type, accept, authorization");
	}
	enum MHD_Result rc = MHD_queue_response(c, a->status, r);
	MHD_destroy_response(r);
	return rc;
}

static void refuse(struct http_answer *a, unsigned status, const char *why)
{
	a->status = status;
	a->type = "application/json";
	mer_str_printf(&a->body, "{\"error\":\"%s\"}\n", why);
}

static void handle(struct http_server *s, struct client *c, const struct http_request *r,
	struct http_answer *a)
{
	set_working(s, c, true, 0);
	s->handler(s->ctx, r, a);
	set_working(s, c, false, a->status);
}

static enum MHD_Result answer(struct http_server *s, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const struct pending *p)
{
	struct http_answer a = { .status = MHD_HTTP_NOT_FOUND };
	struct collected args = { .n = 0 };
	struct client *client = client_of(c);
	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, collect, &args);
	struct http_request r = { .method = method,
		.path = path,
		.host = header(c, MHD_HTTP_HEADER_HOST),
		.origin = header(c, MHD_HTTP_HEADER_ORIGIN),
		.if_none_match = header(c, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.takes_interim = strcmp(version, MHD_HTTP_VERSION_1_1) == 0,
		.takes_gzip = takes_gzip(header(c, MHD_HTTP_HEADER_ACCEPT_ENCODING)),
		.arguments = args.item,
		.n_arguments = args.n,
		.body = p->body.data ? p->body.data : "",
		.body_len = p->body.len,
		.socket = client ? client->fd : -1 };
	if (p->too_long || p->body.failed)
		refuse(&a, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too long");
	else if (args.too_many)
		refuse(&a, MHD_HTTP_URI_TOO_LONG, "too many arguments");
	else
		handle(s, client, &r, &a);
	if (a.body.failed) {
		mer_str_clear(&a.body);
		a.body.failed = false;
		refuse(&a, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	}
	enum MHD_Result rc = send_answer(c, &a);
	mer_str_fini(&a.body);
	return rc;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *data, size_t *n, void **own)
{
	struct pending *p = *own;
	if (!p) { /* the headers are there, no body yet */
		p = calloc(1, sizeof(*p));
		*own = p;
		return p ? MHD_YES : MHD_NO;
	}
	if (*n) {
		if (p->body.len + *n > HTTP_MAX_BODY)
			p->too_long = true;
		else
			mer_str_add(&p->body, data, *n);
		*n = 0;
		return MHD_YES;
	}
	return answer(ctx, c, path, method, version, p);
}

static void on_end(
	void *ctx, struct MHD_Connection *c, void **own, enum MHD_RequestTerminationCode why)
{
	struct pending *p = *own;
	(void)ctx;
	(void)c;
	(void)why;
	if (p)
		mer_str_fini(&p->body);
	free(p);
	*own = NULL;
}

/* ---- Start and end ---- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool parse_address(const char *text, uint16_t port, union address *a, bool *is_v6)
{
	memset(a, 0, sizeof(*a));
	*is_v6 = inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1;
	if (*is_v6) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(port);
		return true;
	}
	a->v4.sin_family = AF_INET;
	a->v4.sin_port = htons(port);
	return inet_pton(AF_INET, text, &a->v4.sin_addr) == 1;
}

/* Why the address cannot be listened on, as an errno: found by trying to bind, because the library
 * may have overwritten errno. 0: unknown. */
static int why_not(const union address *a, bool is_v6)
{
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc = fd < 0 ? -1 : bind(fd, &a->any, is_v6 ? sizeof(a->v6) : sizeof(a->v4));
	int e = rc ? errno : 0;
	if (fd >= 0)
		close(fd);
	return e;
}

int http_start(const char *address, uint16_t *port, http_handler *handler, void *ctx,
	struct http_server **server, struct mer_err *err)
{
	union address a;
	bool is_v6;
	*server = NULL;
	if (!parse_address(address, *port, &a, &is_v6))
		return mer_fail(err, MER_ERR_USAGE,
			"'%.100s' is no address such as 127.0.0.1 or ::1", address);
	struct http_server *s = calloc(1, sizeof(*s));
	if (!s)
		return mer_fail_nomem(err);
	s->handler = handler;
	s->ctx = ctx;
	pthread_mutex_init(&s->lock, NULL);
	errno = 0;
	s->daemon =
		MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
					 (is_v6 ? MHD_USE_IPv6 : MHD_NO_FLAG),
			*port, NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR, &a.any,
			MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS + HTTP_LEAVING,
			MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_TIMEOUT_S,
			MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_NOTIFY_COMPLETED,
			on_end, NULL, MHD_OPTION_END);
	if (!s->daemon) {
		int e = why_not(&a, is_v6);
		const char *why = e ? strerror(e) : "the address cannot be used";
		pthread_mutex_destroy(&s->lock);
		free(s);
		return mer_fail(err, MER_ERR_SYS, "cannot listen on %.100s, port %u: %s", address,
			(unsigned)*port, why);
	}
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
	if (info)
		*port = info->port;
	*server = s;
	return 0;
}

void http_stop(struct http_server *server)
{
	if (!server)
		return;
	MHD_stop_daemon(server->daemon);
	pthread_mutex_destroy(&server->lock);
	free(server);
}
