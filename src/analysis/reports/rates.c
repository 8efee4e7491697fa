/* Rates: context switches and forks, in total and per second. A fork has no CPU. If forks were not
 * recorded, their number is unknown. */
#include "analysis/all.h"
#include "analysis/fold.h"
#include "analysis/recorded.h"

enum { SWITCH, FORK };
static const char *const words[] = { "switch", "fork" };
static const struct fact_field fields[] = {
	{ "name", "event", MER_TEXT, FACT_WORDS(words), FACT_MEMBER(struct fact, choice) }, { 0 }
};

static const struct fact_maker maker;
const struct fact_kind fact_rate = { .id = "rate",
	.title = "Context switches and forks",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct fact),
	.of_cpus = true,
	.fields = fields };

static int on_switched(void *ctx, const struct kernel_host *h, uint16_t cpu, int64_t time)
{
	struct fact_host *f = ctx;
	const struct fact x = { time, time, KERNEL_NONE, cpu, SWITCH };
	return fact_add(f, h, 0, &x);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	int rc = 0;
	(void)w;
	for (uint32_t i = 0; i < h->n_tasks && rc == 0; i++) {
		const struct kernel_task *t = &h->tasks[i];
		const struct fact fork = { t->begin, t->begin, i, KERNEL_NO_CPU, FORK };
		rc = t->born ? fact_add(f, h, 0, &fork) : 0;
	}
	return rc;
}

static const struct fact_kind *const kinds[] = { &fact_rate, NULL };
static const struct fact_maker maker = {
	.id = "rate", .kinds = kinds, .on = { .switched = on_switched }, .end = end
};

static const struct fold_cell cells[] = { { "switches", FOLD_COUNT,
						  .where = { "name", FOLD_IS, SWITCH, 0 } },
	{ "forks", FOLD_COUNT, .where = { "name", FOLD_IS, FORK, 0 } },
	{ "switches_per_s", FOLD_PER_SECOND, .of = "switches" },
	{ "forks_per_s", FOLD_PER_SECOND, .of = "forks" }, { 0 } };
#define RATE_COLUMNS                                                                               \
	{ "host", "host", MER_TEXT }, { "switches", "switches", MER_COUNT },                       \
		{ "switches_per_s", "switches/s", MER_REAL }, { "forks", "forks", MER_COUNT },     \
	{                                                                                          \
		"forks_per_s", "forks/s", MER_REAL                                                 \
	}
static int forget_forks(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	(void)n_seen;
	static const struct analysis_recorded forks[] = { { { KERNEL_EV_FORK, KERNEL_EV_PERF_FORK },
								  { "forks", "forks_per_s" } },
		{ { 0 }, { 0 } } };
	return analysis_forget_unrecorded(run, t, forks);
}

static const struct mer_column top_columns[] = { RATE_COLUMNS, { 0 } };
static const struct mer_column bins_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, RATE_COLUMNS, { 0 } };
static const struct fold top = { .shape = FOLD_GROUPS,
	.kinds = { &fact_rate },
	.group = "host",
	.cells = cells,
	.finish = forget_forks };
static const struct fold_scope scopes[] = { { .group = "host", .every_bin = true }, { 0 } };
static const struct fold bins = { .shape = FOLD_BINS,
	.kinds = { &fact_rate },
	.cells = cells,
	.scopes = scopes,
	.finish = forget_forks };
static const struct analysis_output outputs[] = { { "top", "Context switches and forks by host",
							  top_columns, "switches", .fold = &top },
	{ "bins", "Context switches and forks over time", bins_columns, .fold = &bins }, { 0 } };
const struct analysis analysis_rates = { .id = "rates",
	.title = "Context switches and forks",
	.help = "context switches and forks, in all and per second",
	.outputs = outputs };
