/* A comparison of two paths for programs, as tables. */
#ifndef MER_CLI_PATH_DIFF_ANSWER_H
#define MER_CLI_PATH_DIFF_ANSWER_H

#include "ask/answer.h"
#include "cli/path/diff.h"

static inline int64_t cli_diff_delta(const struct path_diff_row *r)
{
	return r->b_ns - r->a_ns;
}

static inline int64_t cli_diff_total(const struct cli_diff *d)
{
	return d->b.profile.total_ns - d->a.profile.total_ns;
}

/* Of the difference of the totals, which is not 0. */
static inline double cli_diff_share(const struct path_diff_row *r, int64_t total)
{
	return cli_diff_delta(r) ? (double)cli_diff_delta(r) / (double)total : 0; /* and not -0 */
}

/* Adds the tables: the parts, and what is known of both sides. d lives as long as a. */
int cli_diff_answer(const struct cli_diff *d, struct answer *a);

#endif
