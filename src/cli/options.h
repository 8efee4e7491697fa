/* Options: described in tables, read from the command line into plain structs.
 *
 * A verb's own options go to its own struct (offset), the common ones to struct cli. A common
 * option exists for the verbs that use it and is a usage error elsewhere. */
#ifndef MER_CLI_OPTIONS_H
#define MER_CLI_OPTIONS_H

#include <stddef.h>
#include "base/str.h"
#include "cli/context.h"

enum cli_kind {
	CLI_FLAG = 1, /* bool */
	CLI_REPEAT,   /* unsigned: how often it was given */
	CLI_SET,      /* unsigned: becomes the option's value */
	CLI_TEXT,     /* const char *: the last one given */
	CLI_FILE,     /* the same, completed as a file */
	CLI_PICTURE,  /* the same; -: to standard output, in place of what the verb prints */
	CLI_TEXTS,    /* struct session_texts: repeated, or separated by commas */
	/* struct cli_request_choice: an id, a rule 'BEGIN : END', or one after the other both */
	CLI_REQUEST,
	CLI_NUMBER,   /* uint64_t */
	CLI_NTH,      /* uint64_t: a place in a list, from 1 on */
	CLI_LIMIT,    /* uint64_t: at most so many; 0, which is all, becomes UINT64_MAX */
	CLI_AMOUNT,   /* struct cli_amount: a number that may be 0 */
	CLI_DURATION, /* struct cli_amount: ns, with a unit: 1.5ms */
	CLI_SIZE,     /* struct cli_amount: bytes: 4096, 64KiB, 1M */
	CLI_RANGES,   /* struct session_ranges: "1,4-7" */
	CLI_CHOICE,   /* unsigned: the index in choices */
	CLI_FORMAT,   /* unsigned: enum cli_format, one of the verb's formats */
	CLI_MOMENT    /* struct session_moment */
};

struct cli_request_choice {
	const char *id, *rule; /* NULL: not given */
};

enum cli_uses {
	CLI_USES_FORMAT = 1 << 0, /* --format --json -o */
	CLI_USES_TIME = 1 << 1,	  /* --begin --end */
	CLI_USES_HOST = 1 << 2,
	CLI_USES_CPU = 1 << 3,
	CLI_USES_TID = 1 << 4,
	CLI_USES_COMM = 1 << 5,
	CLI_USES_SYNC = 1 << 6,
	CLI_USES_JOBS = 1 << 7,
	CLI_USES_INPUT = 1 << 8,   /* reads traces: --progress --strict */
	CLI_USES_ALWAYS = 1 << 9,  /* every verb: --color -q -v -h */
	CLI_USES_PID = 1 << 10,	   /* knows which threads a process has */
	CLI_USES_TABLES = 1 << 11, /* has several tables: -o FOLDER/ */
	CLI_USES_STORE = 1 << 12,  /* can be answered from a store */
	CLI_USES_MARKS = 1 << 13,  /* of a part of the time: --marks */
	CLI_USES_VIEWS = 1 << 14,  /* shows states of programs: --view */
	/* What verbs about tasks have in common. */
	CLI_USES_TASKS = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_HOST | CLI_USES_TID |
			 CLI_USES_PID | CLI_USES_COMM | CLI_USES_SYNC | CLI_USES_JOBS |
			 CLI_USES_INPUT | CLI_USES_STORE | CLI_USES_MARKS
};

enum cli_values { /* of an option, which depend on the analysis */
	CLI_VALUES_NONE,
	CLI_VALUES_COLUMNS, /* keys of columns */
	CLI_VALUES_TABLES   /* ids of tables */
};

struct cli_option {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	enum cli_kind kind;
	const char *arg; /* how help calls its value; NULL for those without one */
	const char *help;
	const char *help_more; /* follows help where the verb has one of more_uses; NULL: nothing */
	unsigned more_uses;    /* CLI_USES_* */
	size_t offset;
	/* CLI_CHOICE: "auto|always|never"; of others some values that it may have, for
	 * completion. */
	const char *choices;
	enum cli_values values; /* for completion: what its values are besides */
	unsigned value;		/* CLI_SET; CLI_RANGES: cli_range.is_process */
	unsigned uses;		/* common options: the CLI_USES_* bit */
	bool in_manual_only;	/* --help has a screen; completion and manual tell it */
};

/* The common options; ends with {0}; offsets into struct cli. */
extern const struct cli_option cli_common_options[];

/* The options of a verb (NULL: those before the verb), its own first: the i-th, NULL after the
 * last. common (NULL allowed) tells where its value lies. */
const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t i, bool *common);
/* The one with this name of len bytes; name NULL: with this letter. NULL: the verb has none. */
const struct cli_option *cli_option_find(
	const struct cli_verb *verb, const char *name, size_t len, char letter, bool *common);
static inline bool cli_option_is_file(const struct cli_option *o)
{
	return o->kind == CLI_FILE || o->kind == CLI_PICTURE;
}

static inline bool cli_option_has_arg(const struct cli_option *o)
{
	return o->kind != CLI_FLAG && o->kind != CLI_REPEAT && o->kind != CLI_SET;
}

/* One line on the option, as --help of this verb (or NULL) shows it. */
void cli_option_help(struct mer_str *s, const struct cli_verb *verb, const struct cli_option *o);

/* "--tid" or "--pid": which of them was given? Without the dashes. */
const char *cli_tids_option(const struct cli *cli);
/* Why cli->verb does not take this common option: MER_ERR_USAGE. */
int cli_option_refuse(struct cli *cli, const struct cli_option *o);

/* Reads options from args[*at] on. Before the verb is known (cli->verb NULL) it stops at the first
 * word that is no option; then it takes all, and words become cli->args. values: the verb's
 * struct. */
int cli_parse(struct cli *cli, int argc, char **argv, int *at, void *values);

/* A size in bytes; what: of which option or variable. Units are those that tables show, powers of
 * 1024: 64K and 64KiB are the same. */
int cli_parse_size(struct cli *cli, const char *what, const char *text, uint64_t *bytes);

/* Whether word is one of "a|b|c"; its index or -1. */
int cli_choice_index(const char *choices, const char *word, size_t len);

#endif
