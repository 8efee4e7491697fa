/* Options: described in tables, read from the command line into plain structs.
 *
 * A verb's own options go to its own struct (offset), the common ones to struct ask. A common
 * option exists for the verbs that use it and is a usage error elsewhere. */
#ifndef MER_ASK_WORDS_OPTIONS_H
#define MER_ASK_WORDS_OPTIONS_H

#include <stddef.h>
#include "base/str.h"
#include "ask/context.h"

enum ask_kind {
	ASK_FLAG = 1, /* bool */
	ASK_REPEAT,   /* unsigned: how often it was given */
	ASK_SET,      /* unsigned: becomes the option's value */
	ASK_TEXT,     /* const char *: the last one given */
	ASK_FILE,     /* the same, completed as a file */
	ASK_PICTURE,  /* the same; -: to standard output, in place of what the verb prints */
	ASK_TEXTS,    /* struct session_texts: repeated, or separated by commas */
	/* struct ask_request_choice: an id, a rule 'BEGIN : END', or one after the other both */
	ASK_REQUEST,
	ASK_NUMBER,   /* uint64_t */
	ASK_NTH,      /* uint64_t: a place in a list, from 1 on */
	ASK_LIMIT,    /* uint64_t: at most so many; 0, which is all, becomes UINT64_MAX */
	ASK_AMOUNT,   /* struct ask_amount: a number that may be 0 */
	ASK_DURATION, /* struct ask_amount: ns, with a unit: 1.5ms */
	ASK_SIZE,     /* struct ask_amount: bytes: 4096, 64KiB, 1M */
	ASK_RANGES,   /* struct session_ranges: "1,4-7" */
	ASK_CHOICE,   /* unsigned: the index in choices */
	ASK_FORMAT,   /* unsigned: enum ask_format, one of the verb's formats */
	ASK_MOMENT    /* struct session_moment */
};

struct ask_request_choice {
	const char *id, *rule; /* NULL: not given */
};

enum ask_uses {
	ASK_USES_FORMAT = 1 << 0, /* --format --json -o */
	ASK_USES_TIME = 1 << 1,	  /* --begin --end */
	ASK_USES_HOST = 1 << 2,
	ASK_USES_CPU = 1 << 3,
	ASK_USES_TID = 1 << 4,
	ASK_USES_COMM = 1 << 5,
	ASK_USES_SYNC = 1 << 6,
	ASK_USES_JOBS = 1 << 7,
	ASK_USES_INPUT = 1 << 8,   /* reads traces: --progress --strict */
	ASK_USES_ALWAYS = 1 << 9,  /* every verb: --color -q -v -h */
	ASK_USES_PID = 1 << 10,	   /* knows which threads a process has */
	ASK_USES_TABLES = 1 << 11, /* has several tables: -o FOLDER/ */
	ASK_USES_STORE = 1 << 12,  /* can be answered from a store */
	ASK_USES_MARKS = 1 << 13,  /* of a part of the time: --marks */
	ASK_USES_VIEWS = 1 << 14,  /* shows states of programs: --view */
	ASK_USES_PARTS = 1 << 15,  /* can be made of what hosts have: --part */
	ASK_USES_KEPT = 1 << 16,   /* uses a store where there is one, and makes none */
	/* What verbs about tasks have in common. */
	ASK_USES_TASKS = ASK_USES_FORMAT | ASK_USES_TIME | ASK_USES_HOST | ASK_USES_TID |
			 ASK_USES_PID | ASK_USES_COMM | ASK_USES_SYNC | ASK_USES_JOBS |
			 ASK_USES_INPUT | ASK_USES_STORE | ASK_USES_MARKS
};

enum ask_values { /* of an option, which depend on the analysis */
	ASK_VALUES_NONE,
	ASK_VALUES_COLUMNS, /* keys of columns */
	ASK_VALUES_TABLES   /* ids of tables */
};

struct ask_option {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	enum ask_kind kind;
	const char *arg; /* how help calls its value; NULL for those without one */
	const char *help;
	const char *help_more; /* follows help where the verb has one of more_uses; NULL: nothing */
	unsigned more_uses;    /* ASK_USES_* */
	size_t offset;
	/* ASK_CHOICE: "auto|always|never"; of others some values that it may have, for
	 * completion. */
	const char *choices;
	enum ask_values values; /* for completion: what its values are besides */
	unsigned value;		/* ASK_SET; ASK_RANGES: ask_range.is_process */
	unsigned uses;		/* common options: the ASK_USES_* bit */
	bool in_manual_only;	/* --help has a screen; completion and manual tell it */
};

/* The common options; ends with {0}; offsets into struct ask. */
extern const struct ask_option ask_common_options[];

/* The options of a verb (NULL: those before the verb), its own first: the i-th, NULL after the
 * last. common (NULL allowed) tells where its value lies. */
const struct ask_option *ask_option_at(const struct ask_verb *verb, size_t i, bool *common);
/* The one with this name of len bytes; name NULL: with this letter. NULL: the verb has none. */
const struct ask_option *ask_option_find(
	const struct ask_verb *verb, const char *name, size_t len, char letter, bool *common);
static inline bool ask_option_is_file(const struct ask_option *o)
{
	return o->kind == ASK_FILE || o->kind == ASK_PICTURE;
}

static inline bool ask_option_has_arg(const struct ask_option *o)
{
	return o->kind != ASK_FLAG && o->kind != ASK_REPEAT && o->kind != ASK_SET;
}

/* One line on the option, as --help of this verb (or NULL) shows it. */
void ask_option_help(struct mer_str *s, const struct ask_verb *verb, const struct ask_option *o);

/* "--tid" or "--pid": which of them was given? Without the dashes. */
const char *ask_tids_option(const struct ask *ask);
/* Why ask->verb does not take this common option: MER_ERR_USAGE. */
int ask_option_refuse(struct ask *ask, const struct ask_option *o);

/* Reads options from args[*at] on. Before the verb is known (ask->verb NULL) it stops at the first
 * word that is no option; then it takes all, and words become ask->args. values: the verb's
 * struct. */
int ask_parse(struct ask *ask, int argc, char **argv, int *at, void *values);

/* A size in bytes; what: of which option or variable. Units are those that tables show, powers of
 * 1024: 64K and 64KiB are the same. */
int ask_parse_size(struct ask *ask, const char *what, const char *text, uint64_t *bytes);

/* Whether word is one of "a|b|c"; its index or -1. */
int ask_choice_index(const char *choices, const char *word, size_t len);

#endif
