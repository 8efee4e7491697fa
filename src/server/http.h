/* HTTP: requests in, answers out. The only user of libmicrohttpd.
 *
 * One thread for each connection, as an answer may have to wait for the session; at most
 * HTTP_CONNECTIONS of them. A connection that is silent for HTTP_TIMEOUT_S is closed. When there
 * are too many, the oldest connection without a request is closed, then the oldest one whose
 * request was refused, so slow clients cannot keep others out. Bodies are limited, and so are
 * headers (by the library). What a request may do is not decided here (guard.h). */
#ifndef MER_SERVER_HTTP_H
#define MER_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum {
	HTTP_CONNECTIONS = 128,
	HTTP_LEAVING = 64, /* additional ones: closed, but not gone yet */
	HTTP_TIMEOUT_S = 30,
	HTTP_MAX_BODY = 1 << 20,
	HTTP_MAX_ARGUMENTS = 256
};

struct http_argument {
	const char *key, *value; /* decoded; value "": none */
};

struct http_request { /* all borrowed, for the time of the call */
	const char *method, *path;
	const char *host, *origin, *if_none_match; /* headers; NULL: not sent */
	bool takes_gzip;
	bool takes_interim;		       /* interim (1xx) responses may be sent: the client
						  speaks HTTP/1.1 */
	const struct http_argument *arguments; /* of the query string, in order */
	size_t n_arguments;
	const char *body; /* NUL-terminated */
	size_t body_len;
	int socket; /* of its client; -1: the request comes from this process */
};

struct http_answer { /* zeroed: 404 */
	unsigned status;
	const char *type;    /* of the content; must be constant */
	struct mer_str body; /* freed by the caller of the handler */
	const void *fixed;   /* instead of body: bytes that live as long as the server */
	size_t fixed_len;
	bool is_gzip;	      /* fixed, or body, is compressed */
	const char *etag;     /* of fixed; NULL: clients must not cache the answer */
	const char *location; /* target of a redirect; lives until the answer is sent */
	const char *policy;   /* Content-Security-Policy of a page; NULL: the one for data */
	bool any_origin;      /* pages of other origins may read it */
	const char *allow;    /* the Allow header, for status 405 and for OPTIONS */
};

/* The argument with this key, the first if there are several; NULL: none. */
const char *http_argument(const struct http_request *r, const char *key);

/* Waits until `done` is readable, or until the client has closed its connection and no longer wants
 * an answer, or ms have passed (-1: for as long as it takes). A client that has only shut down its
 * sending side still wants one. Call it before anything was answered. */
enum http_waited { HTTP_DONE, HTTP_LEFT, HTTP_LATE };
enum http_waited http_wait(const struct http_request *r, int done, int ms);

struct http_server;
typedef void http_handler(void *ctx, const struct http_request *r, struct http_answer *a);

/* Listens. If *port is 0, a free one is taken and stored there. address: numeric, IPv4 or IPv6.
 * The handler is called on many threads. MER_ERR_USAGE: no such address; MER_ERR_SYS: the port is
 * in use. */
int http_start(const char *address, uint16_t *port, http_handler *handler, void *ctx,
	struct http_server **server, struct mer_err *err);
/* Stops the server when all requests are answered. NULL is allowed. */
void http_stop(struct http_server *server);

#endif
