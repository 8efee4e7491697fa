/* Server: the data of a session over HTTP, for our own page and for other viewers.
 *
 * Answers are of three kinds. A *command* is a command line of the program, answered with the
 * program's output, so every number on the page can be reproduced with a command. *Lanes* are what
 * CPUs and tasks did, as compact binary data for drawing. The third are protocols of other people's
 * viewers, which are handed in: the Trace Server Protocol (tsp/endpoints.h).
 *
 * The traces are opened before the server listens. Clocks are aligned and the store is made while
 * it listens already (/api/status shows the progress). Then requests take turns, as only one thread
 * at a time may use a session. The server writes nothing but the cache and the file of marks
 * (marks.c). */
#ifndef MER_SERVER_SERVER_H
#define MER_SERVER_SERVER_H

#include "ask/words.h"
#include "base/str.h"
#include "meridian/session.h"
#include "server/http.h"

struct server;

enum server_clocks {	       /* of a question */
	SERVER_CLOCKS_ALIGNED, /* aligned as the session's options say */
	SERVER_CLOCKS_RECORDED,
	/* Opened as for aligning, which was not done: for verbs that align clocks themselves, or
	 * look at hosts one by one. Offsets that contradict each other within a host are
	 * reconciled. */
	SERVER_CLOCKS_UNALIGNED,
	SERVER_N_CLOCKS
};

/* Answers a question with a text, as ask_text: for tests, which have no traces. */
typedef int server_command(void *ctx, struct mer_session *session, bool as_recorded,
	const char *const *words, size_t n, struct mer_str *out, enum ask_format *format,
	struct mer_err *err);

/* A protocol of other people's viewers: all below a path of its own. Viewers are pages of other
 * sites, and may ask (guard.h). */
struct server_protocol {
	const char *path; /* "/tsp/api/" */
	/* Called once the traces are open, and when no request can come any more. *state is what it
	 * keeps meanwhile; also after an error it is ended, unless it is NULL. */
	int (*begin)(struct server *s, void **state, struct mer_err *err);
	void (*end)(void *state);
	void (*answer)(
		struct server *s, void *state, const struct http_request *r, struct http_answer *a);
};

struct server_options {
	const char *address; /* to listen on: "127.0.0.1" */
	uint16_t port;	     /* 0: any */
	/* If not 0 and `port` is in use, the next ports up to this one are tried, then any. */
	uint16_t last_port;
	const char *name; /* of this host, if other hosts may use the server; NULL: they may not */
	bool no_token;
	const char *page_folder;  /* folder with the files of the page; NULL: the built-in ones */
	const char *const *paths; /* of the traces, borrowed */
	size_t n_paths;
	/* Options of the sessions; size, once and progress are set by the server. Borrowed. */
	const struct mer_session_options *session;
	const struct server_protocol *protocol; /* NULL: none */
	const struct ask_asker *asker;		/* what its questions have in common */
	server_command *command;		/* instead of ask_text; NULL: none */
	void *ctx;				/* of it */
	/* Everything else that the output of commands depends on, such as the time zone: cached
	 * answers with another value are not used. NULL: nothing. */
	const char *surroundings;
};

/* Opens the traces, listens, and starts to read. Options are borrowed until server_stop.
 * MER_ERR_INPUT, MER_ERR_SYS: the traces cannot be read, or the address cannot be listened on. */
int server_start(const struct server_options *o, struct server **server, struct mer_err *err);
/* NULL is fine. */
void server_stop(struct server *s);

/* The same without listening, for callers in this process (server_ask): everything has been read
 * when it returns.
 * MER_ERR_INPUT, MER_ERR_SYS: the traces cannot be read. */
int server_open(const struct server_options *o, struct server **server, struct mer_err *err);
/* The same in two steps, so that the caller can show the progress of the second one: meanwhile any
 * thread may request "/api/status", and cancel it with server_cancel. Call server_stop in any
 * case. */
int server_prepare(const struct server_options *o, struct server **server, struct mer_err *err);
int server_read(struct server *s, struct mer_err *err);
/* Cancels all work: running and later requests end with an error. May be called from any
 * thread. */
void server_cancel(struct server *s);
/* Answers a request such as "/api/run?w=top&w=cpu". *a must be zeroed; the caller frees its
 * body. */
void server_ask(struct server *s, const char *target, struct http_answer *a);
/* The answer to a command as tables, and all tasks (tasks.c) with the whole time and the clocks:
 * answer_fini in any case. MER_ERR_*: err says why there is none. */
int server_tables(struct server *s, const char *const *words, size_t n, struct answer *answer,
	struct mer_err *err);
int server_all_tasks(struct server *s, struct answer *answer, struct mer_err *err);
/* The rows of programs (programs.h) that a picture names, the first `most` of them: rows of views,
 * and after them ranks of MPI programs. Adds "s:HOST:ROW,m:HOST:LINE,..." to list. */
int server_program_rows(struct server *s, unsigned most, struct mer_str *list, unsigned *n_views,
	unsigned *n_ranks, struct mer_err *err);
/* How much of the traces has been read. */
void server_progress(struct server *s, uint64_t *done_bytes, uint64_t *total_bytes);
/* The built-in page, uncompressed. */
const char *server_page_text(size_t *len);

/* The server's address, "http://127.0.0.1:8080/TOKEN/". */
const char *server_url(const struct server *s);
uint16_t server_port(const struct server *s);
/* Time since the last request, or since the start. */
int64_t server_idle_ns(const struct server *s);

#endif
