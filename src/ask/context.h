/* A question that is being answered: what its words said, where the answer goes.
 *
 * A command of the program is one question; the server and the library have one for each that they
 * are asked. Everything that its words allocate is in its arena. */
#ifndef MER_ASK_CONTEXT_H
#define MER_ASK_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/str.h"
#include "session/selection.h"

enum ask_status { /* exit statuses of the program */
	ASK_OK = 0,
	ASK_CONDITION = 1, /* what the verb was asked to look for is so */
	ASK_USAGE = 2,
	ASK_INPUT = 3,	  /* input cannot be read, or has not recorded what the verb needs */
	ASK_DEGRADED = 4, /* done, but something was lost, and --strict was given */
	ASK_INTERNAL = 5, /* output cannot be written, memory is out, a mistake of ours */
	ASK_INTERRUPTED = 130
};

enum ask_format {
	ASK_FORMAT_TABLE,
	ASK_FORMAT_TEXT,
	ASK_FORMAT_JSON,
	ASK_FORMAT_JSONL,
	ASK_FORMAT_CSV,
	ASK_FORMAT_LTTV,
	ASK_FORMAT_DOT,
	ASK_FORMAT_FOLDED,
	ASK_FORMAT_SPEEDSCOPE,
	ASK_FORMAT_SVG,
	ASK_FORMAT_OTLP,
	ASK_FORMAT_PERFETTO,
	ASK_FORMAT_OPENMETRICS
};
enum ask_when { ASK_AUTO, ASK_ALWAYS, ASK_NEVER };

struct ask_amount {
	bool set; /* otherwise: not given */
	int64_t v;
};

struct answer;
struct ask_parts; /* ask/parts.h */
struct ask_progress;
struct ask_program;    /* ask/program.h */
struct mer_session;    /* meridian/session.h */
struct session_synced; /* session/session.h */

struct ask {
	struct mer_arena arena;
	struct mer_err err;
	const struct ask_verb *verb;
	const char **args; /* the words that are not options: traces, mostly */
	size_t n_args;
	bool has_dashes; /* there was a "--", behind */
	size_t n_before; /* of args; all of them without one */

	/* Common options */
	unsigned format; /* enum ask_format */
	const char *output;
	struct session_selection select;
	const char *marks;	       /* a file, or "-": that of the traces */
	const char *sync;	       /* "auto", "none" or a file; NULL: auto */
	struct session_texts vms;      /* "GUEST=HOST:PID" */
	struct session_texts views;    /* files, or names of shipped ones */
	bool store, no_store;	       /* session_options */
	uint64_t jobs;		       /* 0: not given; see ask_jobs */
	unsigned color, progress_when; /* enum ask_when */
	unsigned quiet, verbose;
	bool strict, csv_safe, want_help, want_version;
	bool part;    /* what the traces' hosts have for the answer is written, instead of it */
	bool of_many; /* then: what is selected may be on other hosts; whoever asks has checked */
	/* Options that say what is asked, rather than of what: "--bins=20", as they were given;
	 * moments as ns. */
	struct session_texts asked;
	/* The answer is made of what hosts have, instead of traces; NULL: it is not. */
	struct ask_parts *parts;
	bool ignore_uuid;
	const char *clock_wrap; /* "32", "42.9s"; NULL: not given */

	const char *folder;	   /* -o: each table goes into a file there; NULL: all to out */
	FILE *out;		   /* results; errors of writing are found by main at the end */
	struct cli_output *behind; /* of the program: where out leads; NULL: none */
	int failed_with;	   /* what the verb failed with; 0: it did not */
	bool picture_only;	   /* a picture goes to out, and nothing else */
	FILE *picture;		   /* then: the output, while out leads nowhere */
	bool ascii;		   /* the locale is not UTF-8 */
	struct mer_str notes, warnings; /* that wait for the result; notes: both, in order */
	bool out_is_terminal, bold_out, bold_err;
	int width;		       /* columns of the output; 0: not known */
	bool unreadable;	       /* part of the input could not be read; see ask_report */
	bool degraded;		       /* something was lost; counts under --strict */
	bool unanswered;	       /* the traces lack the events that the answer is made of */
	struct ask_progress *progress; /* the one that is shown now; NULL: none */
	const struct ask_program *program; /* around the question; NULL: none */
	struct mer_session *library;	   /* behind the session that is open; NULL: none is */
	/* One that is open already, for args as --sync says: whoever runs several commands owns it.
	 * NULL: each opens its own. */
	struct mer_session *shared;
	/* What it found goes here, instead of to out; NULL: nobody wants it so. */
	struct answer *taken;
	/* Rows that tables for people leave out are left out of all formats: for a page. */
	bool leaves_out;
	const struct session_synced *synced; /* times are on one clock; NULL: as recorded */
	struct session_window window; /* what --begin and --end mean, once clocks are aligned */
};

/* With -o FOLDER/: results go to the file FOLDER/ID.csv (.jsonl, .json) from now on. Otherwise they
 * go on where they went. */
int ask_output_file(struct ask *ask, const char *id);
/* Writes text to ask->out; frees it in any case. rc: an earlier failure, passed on. */
int ask_put(struct ask *ask, struct mer_str *text, int rc);
/* Text to a file of its own, which is made or replaced. */
int ask_write_file(struct ask *ask, const char *path, const struct mer_str *text);
/* The same for the path of an option ASK_PICTURE; "-": to the output. */
int ask_write_picture(struct ask *ask, const char *path, const struct mer_str *text);
/* What the verb does. With a picture on the output nothing else is printed there. */
int ask_run_verb(struct ask *ask, const void *values);

/* Columns of the output; 80, if they are not known. */
int ask_width(const struct ask *ask);
/* Threads to use. */
unsigned ask_jobs(const struct ask *ask);

/* Tells whoever asks, by way of the program. -q leaves errors only. Without a program the messages
 * are in ask->notes. */
void ask_error(struct ask *ask, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ask_warn(struct ask *ask, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ask_note(struct ask *ask, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An error with what could be done about it, in the words of the program; in ask->arena. */
const char *ask_err_text(struct ask *ask, const struct mer_err *err);
/* Findings about the input: errors and warnings, notes with -v; after some rows only how many more
 * there are, all with -v. Sets what the exit status follows from: an error makes it ASK_INPUT (all
 * that could be had was printed, part of the input could not), a warning ASK_DEGRADED under
 * --strict. A verb that returns another status than ASK_OK keeps it. */
void ask_report(struct ask *ask, const struct mer_diag *rows, size_t n);

#endif
