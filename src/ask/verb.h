/* A verb: one const struct from which parsing, --help, manual page and completion follow.
 *
 * To add one: cmd_NAME.c with the struct and its run function, a line in verbs.c, a test in
 * tests/cli/test_NAME.sh. See CONTRIBUTING.md. */
#ifndef MER_ASK_VERB_H
#define MER_ASK_VERB_H

#include "ask/context.h"
#include "ask/words/options.h"

struct ask_verb {
	const char *name;
	const char *help;	 /* one line, lower case, no full stop */
	const char *synopsis;	 /* after "meridian NAME" */
	const char *description; /* paragraphs, separated by empty lines; is wrapped */
	const char *more;	 /* the same, for the manual page only; NULL: none */
	const char *formats;	 /* for --format, the first is the default: "table|json" */
	unsigned uses;		 /* ASK_USES_*: the common options that apply */
	bool skips_holes;	 /* without --begin: not of a few events long before all others */
	bool reads_events;	 /* of traces, even where there is a store */
	bool of_states;		 /* it needs what tasks did, and no facts */
	bool is_aside;		 /* the list of verbs has its name alone */
	bool is_program;	 /* a program of its own, meridian-NAME, and no verb of this one */
	/* -o FILE with one of these endings is a file that it writes itself: "db|sqlite"; NULL:
	 * none. */
	const char *writes;
	const struct ask_option *options; /* its own; ends with {0}; NULL: none */
	size_t values_size;		  /* of the struct that the options' values go to */
	int min_args, max_args;		  /* max_args -1: any number */
	/* For completion: "TRACE", "ANALYSIS" (then traces), "VERB" or the words "a|b|c". */
	const char *args;
	struct ask_example {
		const char *
			/* as typed; runs in a folder with the traces client/ and server/ */
			command;
		const char *what;
	} examples[2];
	/* Results go to ask->out, talk through ask_warn and its like. Returns an exit status
	 * (enum ask_status), or a negative MER_ERR_* code with ask->err filled, which main prints.
	 * values: of values_size bytes, filled by the options. */
	int (*run)(struct ask *ask, const void *values);
};

extern const struct ask_verb ask_verb_info, ask_verb_events, ask_verb_stats, ask_verb_check,
	ask_verb_sync, ask_verb_latency, ask_verb_summary, ask_verb_requests, ask_verb_path,
	ask_verb_diff, ask_verb_blocked, ask_verb_graph, ask_verb_task, ask_verb_top, ask_verb_log,
	ask_verb_freq, ask_verb_state, ask_verb_layout;
/* Writes files, so only the program has it. */
extern const struct ask_verb ask_verb_export;
/* All of them, which ask about traces; ends with NULL. */
extern const struct ask_verb *const ask_verbs[];

#endif
