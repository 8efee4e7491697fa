/* A comparison of two paths for programs, as tables. */
#ifndef MER_ASK_PATH_DIFF_ANSWER_H
#define MER_ASK_PATH_DIFF_ANSWER_H

#include "ask/answer.h"
#include "ask/path/diff.h"

static inline int64_t ask_diff_delta(const struct path_diff_row *r)
{
	return r->b_ns - r->a_ns;
}

static inline int64_t ask_diff_total(const struct ask_diff *d)
{
	return d->b.profile.total_ns - d->a.profile.total_ns;
}

/* Of the difference of the totals, which is not 0. */
static inline double ask_diff_share(const struct path_diff_row *r, int64_t total)
{
	return ask_diff_delta(r) ? (double)ask_diff_delta(r) / (double)total : 0; /* and not -0 */
}

/* Adds the tables: the parts, and what is known of both sides. d lives as long as a. */
int ask_diff_answer(const struct ask_diff *d, struct answer *a);

#endif
