/* The program's state: what the command line said, where output goes.
 *
 * One struct ask lives for the run of the program, owned by main. Everything that the command line
 * allocates is in its arena. */
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

enum cli_exit {
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
	ASK_FORMAT_PERFETTO
};
enum ask_when { ASK_AUTO, ASK_ALWAYS, ASK_NEVER };

struct ask_amount {
	bool set; /* otherwise: not given */
	int64_t v;
};

struct ask_progress;
struct cli_sink;       /* cli/sink.h */
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
	bool ignore_uuid;
	const char *clock_wrap; /* "32", "42.9s"; NULL: not given */

	const char *folder;	       /* -o: each table goes into a file there; NULL: all to out */
	FILE *out;		       /* results; errors of writing are found by main at the end */
	struct cli_sink *sink;	       /* behind out; NULL: out is stdout */
	const char *out_name;	       /* of the file; NULL: standard output */
	struct mer_new_file *out_file; /* the same; NULL: none, or it is closed */
	int failed_with;	       /* what the verb failed with; 0: it did not */
	bool picture_only;	       /* a picture goes to out, and nothing else */
	FILE *picture;		       /* then: the output, while out leads nowhere */
	bool ascii;		       /* the locale is not UTF-8 */
	struct mer_str notes, warnings; /* that wait for the result; notes: both, in order */
	bool out_is_terminal, bold_out, bold_err;
	bool unreadable;	       /* part of the input could not be read; see ask_report */
	bool degraded;		       /* something was lost; counts under --strict */
	bool unanswered;	       /* the traces lack the events that the answer is made of */
	struct ask_progress *progress; /* the one that is shown now; NULL: none */
	struct mer_session *library;   /* behind the session that is open; NULL: none is */
	/* One that is open already, for args as --sync says: whoever runs several commands owns it.
	 * NULL: each opens its own. */
	struct mer_session *shared;
	/* Rows that tables for people leave out are left out of all formats: for a page. */
	bool leaves_out;
	const struct session_synced *synced; /* times are on one clock; NULL: as recorded */
	struct session_window window; /* what --begin and --end mean, once clocks are aligned */
};

/* Opens the output and decides about colors, after parsing. */
int cli_open_output(struct ask *ask);
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
/* Flushes; 0 or an error when anything that was written did not arrive. */
int cli_close_output(struct ask *ask);

/* Columns of the output: the terminal's, else $COLUMNS, else 80. */
int ask_width(const struct ask *ask);
/* Threads to use. */
unsigned ask_jobs(const struct ask *ask);

/* Where messages are wrapped; SIZE_MAX: nowhere. */
size_t cli_message_width(void);
/* Talk on stderr; a progress line is taken away before. -q leaves errors only. Notes and warnings
 * wait for cli_say_notes, which main calls after the result (or before the error that ends all). */
void ask_error(struct ask *ask, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ask_warn(struct ask *ask, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ask_note(struct ask *ask, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An error with what could be done about it, in the words of the program; in ask->arena. */
const char *ask_err_text(struct ask *ask, const struct mer_err *err);
/* What is wrong with the command line: ask->err. */
void cli_usage(struct ask *ask);
void cli_say_notes(struct ask *ask);
/* The same where there will be no result: what was only to be noted of it is dropped. */
void cli_say_warnings(struct ask *ask);
/* Findings about the input: errors and warnings, notes with -v; after some rows only how many more
 * there are, all with -v. Sets what the exit status follows from: an error makes it ASK_INPUT (all
 * that could be had was printed, part of the input could not), a warning ASK_DEGRADED under
 * --strict. A verb that returns another status than ASK_OK keeps it. */
void ask_report(struct ask *ask, const struct mer_diag *rows, size_t n);
/* The exit status for an error code. */
int cli_exit_of(int code);

#endif
