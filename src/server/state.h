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

struct server_traces {		     /* with one kind of clocks */
	struct mer_session *session; /* NULL: nobody asked for it yet */
	/* The same, for whose turn it is not: only to be cancelled. */
	_Atomic(struct mer_session *) running;
	struct turns turns;	     /* of who uses it */
	atomic_uint stage;	     /* enum server_stage */
	struct mer_err error;	     /* of SERVER_FAILED */
	_Atomic(const char *) doing; /* what is being read; NULL: nothing is */
};

struct server_known { /* of aligned clocks */
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
	struct server_traces traces[2]; /* by enum server_clocks */
	struct server_traces pictures;	/* the aligned ones once more: pictures.c */
	bool has_store;			/* of the aligned ones; set before they are SERVER_READY */
	/* What is known as it becomes known, for who does not wait for the traces. */
	pthread_mutex_t known_lock;
	struct overview *overview; /* overview.c; NULL: none */
	struct server_known known;
	pthread_t reader;
	bool has_reader;
	_Atomic int64_t last_request_ns;
	atomic_bool is_ending;	/* what is cancelled stays so */
	atomic_uint n_given_up; /* commands that nobody waited for any more */
	char page_etag[24];
	struct tsp_state *tsp; /* tsp/state.h */
};

/* A session over the traces that stays open, with these options; t->running from before it has read
 * anything. */
int server_open_session(const struct server *s, struct server_traces *t,
	struct mer_session_options *o, struct mer_err *err);
/* The traces with these clocks, for the caller alone until server_traces_done; NULL: they are still
 * being read, or that failed: *a says so. */
struct server_traces *server_traces_use(
	struct server *s, enum server_clocks clocks, struct http_answer *a);
void server_traces_done(struct server_traces *t);
/* Ends what runs with these traces, which are in use by somebody else; that one resumes them when
 * it has ended. */
void server_traces_cancel(struct server_traces *t);
void server_traces_resume(struct server *s, struct server_traces *t);
/* The same for what is drawn, which does not wait for tables. */
struct server_traces *server_pictures_use(
	struct server *s, enum server_clocks clocks, struct http_answer *a);
/* The aligned traces were read. */
void server_pictures_note_store(struct server *s);
/* Before anything is drawn. */
void server_pictures_prepare(struct server *s);

/* The clocks that a request wants: argument clocks=recorded. */
enum server_clocks server_clocks_of(const struct http_request *r);

/* {"error": why} with this status. */
void server_refuse(struct http_answer *a, unsigned status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a failure of what was asked: 400 where the question was wrong. */
void server_refuse_err(struct http_answer *a, int code, const char *text);

/* ---- Handlers ---- */

/* One of the table of endpoints; s: the server. */
typedef void server_handler(struct server *s, const struct http_request *r, struct http_answer *a);

server_handler server_status, server_overview, server_run, server_lanes, server_tasks, server_page,
	server_programs, server_states, server_marks, server_marks_add, server_marks_remove,
	server_tsp;
/* Before they are asked for. */
void server_page_prepare(struct server *s);
/* With clocks as they are now: once the traces are open, and again when the clocks are aligned,
 * just before they are read. */
void server_overview_prepare(struct server *s);
void server_overview_free(struct server *s);
/* Clocks are aligned. */
void server_status_prepare(struct server *s);
/* Once the traces are open; freed when nobody asks any more. */
int server_tsp_prepare(struct server *s, struct mer_err *err);
void server_tsp_free(struct server *s);
/* The one of the table that answers; path: behind the token. */
void server_find(
	struct server *s, const struct http_request *r, const char *path, struct http_answer *a);
/* Decides who may ask, and finds it. */
void server_route(void *ctx, const struct http_request *r, struct http_answer *a);

/* ---- Shared by handlers ---- */

/* The arguments begin, end and bins of a picture. MER_ERR_USAGE: they are wrong. */
int server_window_of(const struct http_request *r, struct session_window *window, uint32_t *bins,
	struct mer_err *err);
/* Are what these lanes did in the window so few spans that they can be sent as they are? */
struct session_lanes;
bool server_lanes_are_few(const struct session_world *w, const struct session_lanes *l,
	const struct session_window *window);
/* Of lanes in bins one span for each bin, the one to show. */
void server_lanes_thin_out(struct session_lanes *l);
/* All marks with times of these traces. MER_ERR_USAGE: their file cannot be read. */
struct session;
typedef void server_mark_fn(void *ctx, unsigned line, const char *text, int64_t begin, int64_t end);
int server_marks_each(struct server *s, const struct session *session, server_mark_fn *fn,
	void *ctx, struct mer_err *err);
/* Adds a line of the file's language, or removes the one of this number and text: MER_ERR_USAGE: it
 * is no such line, or there is none. The traces are in use. */
int server_marks_add_line(struct server *s, const char *line, size_t len, struct mer_err *err);
int server_marks_remove_line(
	struct server *s, unsigned long line, const char *text, struct mer_err *err);
/* What its answer is kept under. */
void server_command_key(
	struct store_key *key, enum server_clocks clocks, const char *const *words, size_t n);
/* A command, with traces that are in use. key: its answer is kept under that; NULL: it is not. */
void server_run_command(struct server *s, struct server_traces *t, enum server_clocks clocks,
	const char *const *words, size_t n, const struct store_key *key, struct server_output *out);

#endif
