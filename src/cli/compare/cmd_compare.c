/* meridian compare: what is different between two groups of recordings. */
#include <stddef.h>

#include "ask/verb.h"
#include "cli/compare/compare.h"
#include "cli/compare/options.h"

struct values {
	struct session_texts sides[2];
	struct compare_values common;
};

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct compare_values common = v->common;
	struct compare_set s;
	size_t n_left_out;
	int rc = 0;
	common.limit = common.limit ? common.limit : COMPARE_ROWS;
	if (ask->n_args)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"'%.200s' is of no side: put patterns in quotes, as in --a 'old/*' --b 'new/*'",
			ask->args[0]);
	if (!v->sides[0].n || !v->sides[1].n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"%s is missing: the recordings of %s side, as in --a 'old/*' --b 'new/*'",
			v->sides[0].n ? "--b" : "--a", v->sides[0].n ? "the other" : "one");
	compare_set_init(&s);
	for (int side = 0; side < 2 && rc == 0; side++)
		rc = compare_read(
			ask, &s, side, v->sides[side].item, v->sides[side].n, &n_left_out);
	if (rc == 0)
		rc = compare_conclude(ask, &s, &common);
	compare_set_fini(&s);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "a",
		.kind = ASK_TEXTS,
		.arg = "PATTERN",
		.help = "recordings before: 'old/*', several, or a baseline",
		.offset = offsetof(struct values, sides[0]) },
	{ .name = "b",
		.kind = ASK_TEXTS,
		.arg = "PATTERN",
		.help = "recordings after: as --a",
		.offset = offsetof(struct values, sides[1]) },
	COMPARE_OPTIONS(struct values),
	{ 0 },
};

const struct ask_verb cli_verb_compare = {
	.name = "compare",
	.help = "what is different between recordings, and is it chance?",
	.is_aside = true,
	.synopsis = "[OPTION...] --a PATTERN --b PATTERN",
	.description =
		"Compares recordings of the same work, before and after a change: CPU time of programs, system calls, disks, network, interrupts, requests and MPI ranks; and calls, files and relations that appeared or disappeared. Each file or folder that a pattern names is one recording, of one host or several.\n\n"
		"Each recording is one sample, as what happens in one recording is not independent. A difference is shown if chance would show any such difference, in all measures together, in at most 1 % of comparisons. From five recordings each on that is possible; 20 find a few percent.",
	.more =
		"First come changes of what tasks and devices take themselves, then waits, latencies and rates, which may follow from them; the change that is certain decides the order. The order is no proof of a cause.\n\n"
		"The test is a permutation test of the largest t of all measures: recordings are dealt to both sides in all ways, or in 10,000 random ones, always the same. A and B are geometric means; From and To hold for all measures at once. A mean is of at least 20 occurrences in a recording. A program's CPU time is divided by its number of system calls, so that more work is no difference. A measure is compared if half of the recordings of each side have it.\n\n"
		"--fail-above P: exit status 1 if something takes longer by more than P, or if there are fewer requests by more than P, and this is no chance; 3 if the recordings are too few to know. --junit writes the same for build servers. Recordings that cannot be read are named and left out (exit status 4 with --strict). 'meridian baseline make' keeps what was measured.",
	.formats = "table|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_JOBS | ASK_USES_INPUT | ASK_USES_STORE | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian compare --a client/ --b server/",
			"One recording each: how large the differences are." },
		{ "meridian compare --a 'client*' --b 'client*' --json",
			"Several of each side, with all measures, as JSON." },
	},
	.run = run,
};
