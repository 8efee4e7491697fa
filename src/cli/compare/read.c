/* Recordings and baselines that patterns name, one after the other: a recording is closed before
 * the next one is opened. */
#include <errno.h>
#include <glob.h>
#include <string.h>

#include "ask/program.h"
#include "base/plural.h"
#include "cli/compare/compare.h"

static int read_one(
	struct ask *ask, struct compare_set *s, int side, const char *path, size_t *n_left_out)
{
	if (s->n_runs == COMPARE_MOST_RUNS)
		return mer_fail(&ask->err, MER_ERR_LIMIT, "at most %d recordings can be compared",
			(int)COMPARE_MOST_RUNS);
	int rc = compare_is_baseline(path) ? compare_read_baseline(s, path, side, &ask->err)
					   : compare_measure_recording(ask, s, path, side);
	if (rc == MER_ERR_INPUT || rc == MER_ERR_SYS) {
		ask_warn(ask, "left out: %s", ask_err_text(ask, &ask->err));
		ask->err = (struct mer_err){ 0 };
		++*n_left_out;
		ask->degraded = true;
		return 0;
	}
	return rc;
}

static int read_all(
	struct ask *ask, struct compare_set *s, int side, const glob_t *g, size_t *n_left_out)
{
	struct ask_progress progress;
	int rc = 0;
	ask_progress_count(&progress, ask, "measuring", "recordings", g->gl_pathc);
	for (size_t i = 0; i < g->gl_pathc && rc == 0; i++) {
		rc = read_one(ask, s, side, g->gl_pathv[i], n_left_out);
		ask_progress_add(&progress, 1);
	}
	ask_progress_end(&progress);
	return rc;
}

int compare_read(struct ask *ask, struct compare_set *s, int side, const char *const *patterns,
	size_t n, size_t *n_left_out)
{
	size_t before = s->n_runs;
	int rc = 0;
	*n_left_out = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		glob_t g;
		/* Without a match it is the name of a file, which may have a * in it. */
		int failed = glob(patterns[i], GLOB_NOCHECK, NULL, &g);
		if (failed)
			return failed == GLOB_NOSPACE ? mer_fail_nomem(&ask->err)
						      : mer_fail(&ask->err, MER_ERR_SYS,
								"cannot read %.500s", patterns[i]);
		rc = read_all(ask, s, side, &g, n_left_out);
		globfree(&g);
	}
	if (rc == 0 && s->n_runs == before)
		rc = mer_fail(&ask->err, MER_ERR_INPUT,
			"no recording of %s can be read: there is nothing to compare",
			side ? "--b" : "--a");
	return rc;
}
