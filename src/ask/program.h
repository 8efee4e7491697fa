/* What is around a question: a program with a terminal and an environment, which lends it what is
 * here; or a library, which has nothing of it (struct ask, program NULL). */
#ifndef MER_ASK_PROGRAM_H
#define MER_ASK_PROGRAM_H

#include <stdatomic.h>
#include "ask/context.h"

enum ask_said { ASK_NOTE, ASK_WARNING, ASK_ERROR, ASK_MISUSE };

/* How far work is, for whoever waits. */
struct ask_progress {
	atomic_uint_least64_t done_bytes; /* added to by anyone */
	uint64_t total_bytes;		  /* 0: not known */
	const char *things;	/* what both count instead of bytes: "hosts"; NULL: bytes */
	struct mer_session *of; /* that knows both instead; NULL: none */
	const char *what;
	struct ask *ask;
	void *shown; /* of the program; NULL: it is not shown */
};

struct ask_program {
	/* All verbs, in the order of the help; ends with NULL. */
	const struct ask_verb *const *verbs;
	/* Says one message, which may have several lines. */
	void (*say)(struct ask *ask, enum ask_said kind, const char *text);
	/* Results go to the file of this table from now on: see ask_output_file. */
	int (*output_file)(struct ask *ask, const char *id);
	void (*progress_begin)(struct ask_progress *p);
	void (*progress_end)(struct ask_progress *p);
	/* In ask->arena; NULL: there is none. */
	const char *(*cache_folder)(struct ask *ask);
	int (*spill_options)(struct ask *ask, const struct mer_spill_options **options);
};

/* All verbs, of the program if there is one; ends with NULL. */
const struct ask_verb *const *ask_verbs_of(const struct ask *ask);
/* The one of this name; NULL: there is none. */
const struct ask_verb *ask_verb_find(const struct ask *ask, const char *name);

/* Begins to show it, or not, until ask_progress_end. */
void ask_progress_begin(
	struct ask_progress *p, struct ask *ask, const char *what, uint64_t total_bytes);
/* The same of what a session does, until its stage ends. */
void ask_progress_follow(
	struct ask_progress *p, struct ask *ask, const char *what, struct mer_session *of);
/* The same of so many things. */
void ask_progress_count(struct ask_progress *p, struct ask *ask, const char *what,
	const char *things, uint64_t total);
void ask_progress_end(struct ask_progress *p);

static inline void ask_progress_add(struct ask_progress *p, uint64_t bytes)
{
	atomic_fetch_add_explicit(&p->done_bytes, bytes, memory_order_relaxed);
}

/* $XDG_CACHE_HOME/meridian, else ~/.cache/meridian; in ask->arena. NULL: there is neither. */
const char *ask_cache_folder(struct ask *ask);
/* The file of clocks of --sync; NULL: it is "auto" or "none", or was not given. */
const char *ask_clocks_file(const struct ask *ask);
/* Where what does not fit into memory goes (base/spill.h); in ask->arena. */
int ask_spill_options(struct ask *ask, const struct mer_spill_options **options);

#endif
