/* Server: what sessions know, for pages and for other people's viewers, over HTTP.
 *
 * Answers are of three kinds. A *command* is a command line of the program, and its answer what the
 * program prints: so every number of a page has the command that prints it. *Lanes* are what CPUs
 * and tasks did, as compact bytes for a picture. And the Trace Server Protocol (tsp/), for viewers
 * that speak it.
 *
 * The traces are opened before it listens; clocks are aligned and the store is made while it does
 * (status says how far that is). Questions then take turns: a session is used by one thread at a
 * time. Nothing is ever written but the cache. */
#ifndef MER_SERVER_SERVER_H
#define MER_SERVER_SERVER_H

#include "base/str.h"
#include "meridian/session.h"
#include "server/http.h"

struct server;

enum server_clocks {	       /* of a question */
	SERVER_CLOCKS_ALIGNED, /* as the options of the session say */
	SERVER_CLOCKS_RECORDED
};

/* What a command printed. */
struct server_output {
	const char *type;    /* of the text; constant */
	struct mer_str text; /* of the command, or why it failed */
	int status;	     /* 0: done; else a negative MER_ERR_* */
};
/* Runs a command: words[0] is the verb, without traces. The session is the caller's alone for the
 * time of the call. */
typedef void server_command(void *ctx, struct mer_session *session, enum server_clocks clocks,
	const char *const *words, size_t n, struct server_output *out);

/* The clocks that a command is to have, other than those that it is asked with. */
typedef enum server_clocks server_command_clocks(
	void *ctx, enum server_clocks clocks, const char *const *words, size_t n);

/* A command whose answer other people's viewers show as a table, if it is JSON with a list of
 * objects, as the program prints them. */
struct mer_column;
struct server_table {
	const char *id, *name, *help;
	const char *const *words; /* as of server_command; ends with NULL */
	const char *list;	  /* key of the list; NULL: rows of the first of "tables" */
	const char *table;	  /* of "tables" that one, instead */
	/* What members of the list are; ends with {0}. Of "tables" the answer says it itself. */
	const struct mer_column *columns;
	bool has_window; /* it can be of a part of the time */
	uint64_t limit;	 /* rows; 0: as many as there usually are */
};
/* How commands are told a part of the time, and how many rows; options. */
struct server_words {
	const char *begin, *end, *limit;
	const char *const *events;   /* events as CSV, with their fields; ends with NULL */
	const char *const *requests; /* as JSON, the slowest first; NULL: none are shown */
	const char *const *kinds;   /* of requests over time, as JSON; the number of bins follows */
	const char *const *summary; /* as JSON */
};

struct server_options {
	const char *address; /* to listen on: "127.0.0.1" */
	uint16_t port;	     /* 0: any */
	/* Not 0: where that is taken, the next ones up to this one, then any. */
	uint16_t last_port;
	const char *name; /* of this host, if others may use it; NULL: nobody else may */
	bool no_token;
	const char *page_folder;  /* files of the page come from there; NULL: those built in */
	const char *const *paths; /* of the traces, borrowed */
	size_t n_paths;
	/* Of the sessions; size, once and progress are set here. Borrowed. */
	const struct mer_session_options *session;
	server_command *command;
	const char *const *command_types; /* of what commands print; NULL at their end */
	server_command_clocks *command_clocks;
	void *ctx;			   /* of both */
	const struct server_table *tables; /* ends with {0}; NULL: none */
	struct server_words words;
	/* What else commands print depends on, such as the time zone: answers that were kept under
	 * other ones are not given again. NULL: nothing. */
	const char *surroundings;
};

/* Opens the traces, listens, begins to read. Options are borrowed until server_stop. MER_ERR_INPUT,
 * MER_ERR_SYS: the traces cannot be read, or the address cannot be listened on. */
int server_start(const struct server_options *o, struct server **server, struct mer_err *err);
/* NULL is fine. */
void server_stop(struct server *s);

/* The same without listening, for whoever asks in this process: everything is read when it returns.
 * MER_ERR_INPUT, MER_ERR_SYS: the traces cannot be read. */
int server_open(const struct server_options *o, struct server **server, struct mer_err *err);
/* The same in two steps, for whoever shows how far the second one is: any thread may ask for
 * "/api/status" meanwhile, and end it with server_cancel. server_stop in any case. */
int server_prepare(const struct server_options *o, struct server **server, struct mer_err *err);
int server_read(struct server *s, struct mer_err *err);
/* What is being done, and all that comes, ends with an error. From any thread. */
void server_cancel(struct server *s);
/* Answers "/api/run?w=top&w=cpu". a: zeroed before; its body is the caller's. */
void server_ask(struct server *s, const char *target, struct http_answer *a);
/* The page as it is built in, not compressed. */
const char *server_page_text(size_t *len);

/* Its address, "http://127.0.0.1:8080/TOKEN/". */
const char *server_url(const struct server *s);
uint16_t server_port(const struct server *s);
/* Since the last request, or the begin. */
int64_t server_idle_ns(const struct server *s);

#endif
