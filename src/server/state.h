/* The inside of a server, for this layer alone. */
#ifndef MER_SERVER_STATE_H
#define MER_SERVER_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/json.h"
#include "base/pool.h"
#include "server/answers.h"
#include "server/guard.h"
#include "server/server.h"
#include "server/turns.h"
#include "session/session.h"

enum server_stage { SERVER_READING, SERVER_READY, SERVER_FAILED };

struct server_traces {		     /* the traces, with one kind of clocks */
	struct mer_session *session; /* NULL: not requested yet */
	/* The same session, for threads that do not have their turn: they may only cancel it. */
	_Atomic(struct mer_session *) running;
	struct turns turns;	     /* who may use the session */
	atomic_uint stage;	     /* enum server_stage */
	struct mer_err error;	     /* of SERVER_FAILED */
	_Atomic(const char *) doing; /* what is being read; NULL: nothing */
};

struct server_known { /* known once clocks are aligned */
	bool is_set, has_clocks;
	int64_t begin, end;
	struct session_synced synced; /* has_clocks; texts of the session */
};

struct server {
	struct server_options o;
	struct guard guard;
	struct http_server *http;
	uint16_t port;
	char url[256];
	struct answers answers;
	bool has_answers;
	struct server_traces traces[SERVER_N_CLOCKS]; /* by enum server_clocks */
	struct server_traces pictures; /* the aligned ones, opened a second time: pictures.c */
	bool has_store;		       /* the aligned ones have a store; set before they are
					   SERVER_READY */
	/* Published as it becomes known, for requests that do not wait for the traces. */
	pthread_mutex_t known_lock;
	struct overview *overview; /* overview.c; NULL: none */
	struct server_known known;
	pthread_t reader;
	bool has_reader;
	_Atomic int64_t last_request_ns;
	atomic_bool is_ending;	/* the server is stopping: cancelled work is not resumed */
	atomic_uint n_given_up; /* commands whose clients left before the answer */
	char page_etag[24];
	void *protocol; /* what o.protocol keeps */
};

/* Opens a session on the traces, with these options, which stays open. t->running is set before
 * anything is read. */
int server_open_session(const struct server *s, struct server_traces *t,
	struct mer_session_options *o, struct mer_err *err);
/* The traces with these clocks, for exclusive use until server_traces_done; NULL: they are still
 * being read, or reading failed; *a holds the answer that says so. */
struct server_traces *server_traces_use(
	struct server *s, enum server_clocks clocks, struct http_answer *a);
void server_traces_done(struct server_traces *t);
/* Cancels the request that is using these traces, from another thread. Until server_traces_resume,
 * which the thread that uses them calls, everything done with them is cancelled. */
void server_traces_cancel(struct server_traces *t);
/* Makes cancelled traces usable again, unless the server is stopping. */
void server_traces_resume(struct server *s, struct server_traces *t);
/* As server_traces_use, for drawing: with a store, it does not wait for tables. */
struct server_traces *server_pictures_use(
	struct server *s, enum server_clocks clocks, struct http_answer *a);
/* One of the two for who has no HTTP: *t is NULL only with an error. */
int server_traces_take(struct server *s,
	struct server_traces *(*use)(struct server *, enum server_clocks, struct http_answer *),
	enum server_clocks clocks, struct server_traces **t, struct mer_err *err);
/* If trace files were truncated while open, no data read from them can be trusted: MER_ERR_SYS. */
int server_check_cut(struct mer_err *err);
/* Called when the aligned traces have been read. */
void server_pictures_note_store(struct server *s);
/* Called before anything is drawn. */
void server_pictures_prepare(struct server *s);

/* The clocks that a request asks for: argument clocks=recorded. */
enum server_clocks server_clocks_of(const struct http_request *r);
/* What a command of this verb gets, of who asks for these clocks. */
enum server_clocks server_clocks_for(enum server_clocks asked, const char *verb);

/* Answers {"error": why} with this status. */
void server_refuse(struct http_answer *a, unsigned status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for an error code: status 400 if the request was wrong. */
void server_refuse_err(struct http_answer *a, int code, const char *text);

/* ---- Handlers ---- */

/* One of the table of endpoints; s: the server. */
typedef void server_handler(struct server *s, const struct http_request *r, struct http_answer *a);

server_handler server_status, server_overview, server_catalog, server_run, server_lanes,
	server_tasks, server_page, server_programs, server_states, server_marks, server_marks_add,
	server_marks_remove, server_metrics, server_query, server_query_tables;
/* Called before the first request. */
void server_page_prepare(struct server *s);
/* Makes the overview with the clocks as they are now: once when the traces are open, and again
 * when the clocks are aligned, just before the traces are read. */
void server_overview_prepare(struct server *s);
void server_overview_free(struct server *s);
/* Called when the clocks are aligned. */
void server_status_prepare(struct server *s);
/* Finds the endpoint that answers; path: without the token. */
void server_find(
	struct server *s, const struct http_request *r, const char *path, struct http_answer *a);
/* Checks the request (guard.h), then finds and calls its handler. */
void server_route(void *ctx, const struct http_request *r, struct http_answer *a);

/* ---- Shared by handlers ---- */

/* The arguments begin, end and bins of a picture. MER_ERR_USAGE: they are wrong. */
int server_window_of(const struct http_request *r, struct session_window *window, uint32_t *bins,
	struct mer_err *err);
/* Do these lanes have so few spans in the window that they can be sent as they are? */
struct session_lanes;
bool server_lanes_are_few(const struct session_world *w, const struct session_lanes *l,
	const struct session_window *window);
/* Reduces binned lanes to one span per bin: the one to show. */
void server_lanes_thin_out(struct session_lanes *l);
/* All marks with times of these traces. MER_ERR_USAGE: their file cannot be read. */
struct session;
typedef void server_mark_fn(void *ctx, unsigned line, const char *text, int64_t begin, int64_t end);
int server_marks_each(struct server *s, const struct session *session, server_mark_fn *fn,
	void *ctx, struct mer_err *err);
/* Adds a line in the language of the marks file, or removes the line with this number and text.
 * MER_ERR_USAGE: the line has a syntax error, or does not exist. The caller has the traces in
 * use. */
int server_marks_add_line(struct server *s, const char *line, size_t len, struct mer_err *err);
int server_marks_remove_line(
	struct server *s, unsigned long line, const char *text, struct mer_err *err);

#endif
