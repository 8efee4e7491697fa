/* HTTP: requests in, answers out. The only user of libmicrohttpd.
 *
 * One thread for each connection, as an answer may have to wait for the session; at most
 * HTTP_CONNECTIONS of them. A connection that is silent for HTTP_TIMEOUT_S is cut off; when there
 * are too many, the oldest of those that have not asked anything yet is, then of those that were
 * refused. So slow clients keep nobody out. Bodies are
 * limited, headers too (by the library). What a request may do is not decided here (guard.h). */
#ifndef MER_SERVER_HTTP_H
#define MER_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum {
	HTTP_CONNECTIONS = 128,
	HTTP_LEAVING = 64, /* more, that are cut off but not gone yet */
	HTTP_TIMEOUT_S = 30,
	HTTP_MAX_BODY = 1 << 20,
	HTTP_MAX_ARGUMENTS = 256
};

struct http_argument {
	const char *key, *value; /* decoded; value "" where there is none */
};

struct http_request { /* all borrowed, for the time of the call */
	const char *method, *path;
	const char *host, *origin, *if_none_match; /* headers; NULL: not sent */
	bool takes_gzip;
	bool takes_interim;		       /* answers before the answer: it is HTTP/1.1 */
	const struct http_argument *arguments; /* behind the "?", in order */
	size_t n_arguments;
	const char *body; /* with a NUL behind it */
	size_t body_len;
	int socket; /* of its client; -1: it is of this process */
};

struct http_answer { /* zeroed: 404 */
	unsigned status;
	const char *type;    /* of the content; must be constant */
	struct mer_str body; /* freed by the caller of the handler */
	const void *fixed;   /* instead of body: bytes that live as long as the server */
	size_t fixed_len;
	bool is_gzip;	      /* fixed, or body, is compressed */
	const char *etag;     /* of fixed; NULL: never to be kept by clients */
	const char *location; /* of a redirection; lives until the answer is sent */
	const char *policy;   /* Content-Security-Policy of a page; NULL: that of data */
	bool any_origin;      /* pages from elsewhere may read it */
	const char *allow;    /* methods, where the status is 405 or of OPTIONS */
};

/* The argument of this key, the first of several; NULL: not there. */
const char *http_argument(const struct http_request *r, const char *key);

/* Waits until done can be read (false), or until the client has closed its connection (true): it
 * waits for no answer then. One that only sends nothing more still does. While nothing was
 * answered. */
bool http_client_leaves(const struct http_request *r, int done);

struct http_server;
typedef void http_handler(void *ctx, const struct http_request *r, struct http_answer *a);

/* Listens; *port is the one that was taken, if it is 0. address: a number of IPv4 or IPv6. The
 * handler is called on many threads. MER_ERR_USAGE: no such address; MER_ERR_SYS: it is taken. */
int http_start(const char *address, uint16_t *port, http_handler *handler, void *ctx,
	struct http_server **server, struct mer_err *err);
/* Ends it when all requests are answered. NULL is fine. */
void http_stop(struct http_server *server);

#endif
