/* meridian baseline: what was measured of recordings, to compare later ones with. */
#include <stddef.h>
#include <string.h>

#include "ask/verb.h"
#include "cli/compare/compare.h"
#include "cli/compare/options.h"
#include "cli/output.h"

struct values {
	struct compare_values common;
};

static int make(struct ask *ask)
{
	struct compare_set s;
	size_t n_left_out;
	if (!cli_writes_itself(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o FILE.baseline is missing, as in 'meridian baseline make -o old.baseline TRACE...'");
	if (ask->n_args < 2)
		return mer_fail(&ask->err, MER_ERR_USAGE, "no recording was named");
	compare_set_init(&s);
	int rc = compare_read(ask, &s, 0, ask->args + 1, ask->n_args - 1, &n_left_out);
	if (rc == 0)
		rc = compare_write_baseline(ask, &s, ask->output);
	if (rc == 0)
		rc = compare_print_recordings(ask, &s);
	compare_set_fini(&s);
	return rc;
}

static int check(struct ask *ask, const struct values *v)
{
	struct compare_values common = v->common;
	struct compare_set s;
	size_t n_left_out;
	common.limit = common.limit ? common.limit : COMPARE_ROWS;
	if (cli_writes_itself(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o %.200s: what a check finds is no baseline", ask->output);
	if (ask->n_args < 3)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"a baseline and recordings are required, as in 'meridian baseline check old.baseline TRACE...'");
	if (!compare_is_baseline(ask->args[1]))
		return mer_fail(&ask->err, MER_ERR_INPUT,
			"%.500s is not a baseline ('meridian baseline make -o FILE.baseline TRACE...' writes one)",
			ask->args[1]);
	compare_set_init(&s);
	int rc = compare_read_baseline(&s, ask->args[1], 0, &ask->err);
	if (rc == 0)
		rc = compare_read(ask, &s, 1, ask->args + 2, ask->n_args - 2, &n_left_out);
	if (rc == 0)
		rc = compare_conclude(ask, &s, &common);
	compare_set_fini(&s);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	if (strcmp(ask->args[0], "make") == 0)
		return make(ask);
	if (strcmp(ask->args[0], "check") == 0)
		return check(ask, v);
	return mer_fail(&ask->err, MER_ERR_USAGE,
		"'%.200s': make or check is required, as in 'meridian baseline make -o FILE.baseline TRACE...'",
		ask->args[0]);
}

static const struct ask_option options[] = {
	COMPARE_OPTIONS(struct values),
	{ 0 },
};

const struct ask_verb cli_verb_baseline = {
	.name = "baseline",
	.help = "keep what was measured, and compare later recordings with it",
	.is_aside = true,
	.synopsis = "make|check [OPTION...] [FILE] TRACE...",
	.description =
		"'baseline make -o FILE.baseline TRACE...' writes what 'meridian compare' measures of each recording into a file of some kilobytes a recording. 'baseline check FILE TRACE...' compares recordings with it, as 'meridian compare --a FILE --b TRACE' does. Each TRACE is one recording, or a pattern in quotes.",
	.more =
		"A baseline is of one version of meridian, as another one may measure something else. It has names of hosts, programs, files and calls, and no events. Several baselines are joined by 'meridian baseline make -o all.baseline *.baseline'.",
	.formats = "table|json|jsonl|csv",
	.writes = "baseline",
	.uses = ASK_USES_FORMAT | ASK_USES_JOBS | ASK_USES_INPUT | ASK_USES_STORE | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "make|check",
	.examples = {
		{ "meridian baseline make -o old.baseline client/ server/",
			"Two recordings, kept as values." },
		{ "meridian baseline check old.baseline server/",
			"A later recording, compared with them." },
	},
	.run = run,
};
