/* From options to an exit status: what both verbs that compare have in common. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

/* "5%": a part of 100. */
static int read_percent(struct ask *ask, const char *option, const char *text, double least,
	double most, double *to)
{
	char *end;
	*to = strtod(text, &end);
	if (*text >= '0' && *text <= '9' && strcmp(end, "%") == 0 && *to >= least && *to <= most)
		return 0;
	return mer_fail(&ask->err, MER_ERR_USAGE,
		"%s: '%.60s' is not a percentage from %g%% to %g%%, such as 5%%", option, text,
		least, most);
}

static int say_status(
	struct ask *ask, const struct compare_result *r, const struct compare_limit *limit)
{
	struct mer_str out = { 0 };
	size_t n = 0;
	if (!limit->is_set)
		return ASK_OK;
	for (size_t i = 0; i < r->n_findings; i++)
		if (compare_fails(&r->findings[i], limit) && n++ == 0)
			compare_sentence(&out, r, &r->findings[i]);
	if (n > 1)
		mer_str_printf(&out, ", and %zu more", n - 1);
	if (n)
		ask_warn(ask, "worse by more than %g %%: %s", limit->percent,
			out.data ? out.data : "");
	mer_str_fini(&out);
	if (n)
		return ASK_CONDITION;
	if (r->all.least_p <= r->alpha)
		return ASK_OK;
	ask_error(ask, "--fail-above: %zu and %zu recordings are too few to rule out chance",
		r->n[0], r->n[1]);
	return ASK_INPUT;
}

/* What makes values less than they seem. */
static void say_doubts(struct ask *ask, const struct compare_set *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_runs; i++)
		n += s->runs[i].lost > 0;
	if (n) {
		ask_warn(ask,
			"%zu of %zu recordings lost events: their values are of what was recorded, so losses can look like a difference (--json has them)",
			n, s->n_runs);
		ask->degraded = true;
	}
	if (s->has_left_out)
		ask_warn(ask, "only the first %d measures are compared, others are left out",
			(int)COMPARE_MOST_MEASURES);
}

int compare_conclude(struct ask *ask, const struct compare_set *s, const struct compare_values *v)
{
	struct compare_limit limit = { .is_set = v->fail_above != NULL };
	struct compare_result r = { 0 };
	double alarms = 1;
	int rc = 0;
	if (limit.is_set)
		rc = read_percent(ask, "--fail-above", v->fail_above, 0, 1e6, &limit.percent);
	if (rc == 0 && v->false_alarms)
		rc = read_percent(ask, "--false-alarms", v->false_alarms, 0.01, 50, &alarms);
	if (rc == 0 && v->junit && !limit.is_set)
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"--junit needs --fail-above, which says what fails");
	if (rc == 0)
		rc = compare_judge(s, alarms / 100, &r, &ask->err);
	if (rc == 0) {
		say_doubts(ask, s);
		rc = compare_print(ask, s, &r, &limit, v->limit);
	}
	if (rc == 0 && v->junit)
		rc = compare_write_junit(ask, v->junit, &r, &limit);
	if (rc == 0)
		rc = say_status(ask, &r, &limit);
	compare_result_fini(&r);
	return rc;
}
