/* The progress line: bytes done, rate, time left.
 *
 * On stderr, when that is a terminal, from the first second on, ten times a second at most; it is
 * gone at the end. A thread of its own draws it, so that those who work only add to a number. */
#ifndef MER_CLI_PROGRESS_H
#define MER_CLI_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "ask/context.h"

struct ask_progress {
	atomic_uint_least64_t done_bytes; /* added to by anyone */
	uint64_t total_bytes;		  /* 0: not known */
	struct mer_session *of;		  /* that knows both instead; NULL: none */
	const char *what;
	struct ask *ask;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, and of the line on the terminal */
	pthread_cond_t wake;
	int64_t read_ns; /* since when all bytes are done; 0: not yet */
	int64_t start_ns;
	int hidden; /* how many callers of cli_progress_hide are printing */
	bool running, stop, drawn;
};

/* Begins to show it (or not: --progress, -q, no terminal), until ask_progress_end. */
void ask_progress_begin(
	struct ask_progress *p, struct ask *ask, const char *what, uint64_t total_bytes);
/* The same of what a session does, until its stage ends. */
void ask_progress_follow(
	struct ask_progress *p, struct ask *ask, const char *what, struct mer_session *of);
void ask_progress_end(struct ask_progress *p);

static inline void ask_progress_add(struct ask_progress *p, uint64_t bytes)
{
	atomic_fetch_add_explicit(&p->done_bytes, bytes, memory_order_relaxed);
}

/* Takes the line away while something else is printed; p may be NULL. */
void cli_progress_hide(struct ask_progress *p);
void cli_progress_show(struct ask_progress *p);

#endif
