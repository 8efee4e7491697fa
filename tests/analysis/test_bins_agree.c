/* What is told over time adds up to what is told of the whole time: for every analysis, every kind
 * of rows and every column that is in both, for any number of bins. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "run_case.h"

/* Rows of a table over time ("of": those that say so; NULL: all) and the table of their totals. */
static const struct pair {
	const char *analysis, *bins, *of, *totals;
} pairs[] = {
	{ "cpu", "bins", "host", "hosts" },
	{ "cpu", "bins", "cpu", "cpus" },
	{ "cpu", "bins", "thread", "top" },
	{ "cpu", "bins", "process", "processes" },
	{ "faults", "bins", "host", "top" },
	{ "faults", "bins", "thread", "top" },
	{ "mem", "bins", "host", "top" },
	{ "mem", "bins", "thread", "top" },
	{ "io", "bins_tasks", NULL, "top" },
	{ "disk", "bins", NULL, "top" },
	{ "disk", "bins_tasks", NULL, "disk_tasks" },
	{ "net", "bins", NULL, "interfaces" },
	{ "net", "bins_tasks", NULL, "top" },
	{ "cpufreq", "bins", NULL, "top" },
	{ "rates", "bins", NULL, "top" },
	{ "irq", "bins", NULL, "stats" },
	{ "sched", "bins", NULL, "hosts" },
	{ "syscall", "bins", NULL, "hosts" },
	{ "view", "bins", "row", "top" }, /* with states: tests/cli/test_view.sh */
	{ "mpi", "bins", "host", "ranks" },
	{ "mpi", "bins", "rank", "ranks" },
	{ "waits", "bins", "host", "top" },
	{ "requests", "bins", NULL, "top" },
	{ "messages", "bins", NULL, "top" },
	{ "vm", "bins", "vCPU", "vcpus" },
	{ "vm", "bins_fused", "CPU", "fused" },
	{ "vm", "bins_bad", NULL, "bad" },
};
enum { N_PAIRS = sizeof(pairs) / sizeof(pairs[0]) };

/* The longest of all is not a sum, nor is a percentile; those of one bin are those of all. */
static bool adds_up(const struct mer_column *c, uint64_t n_bins)
{
	static const char *const no_sums[] = { "p50_ns", "p90_ns", "p99_ns", "mean_ns", "min_ns" };
	if (strstr(c->key, "max_"))
		return false;
	for (size_t i = 0; i < sizeof(no_sums) / sizeof(no_sums[0]); i++)
		if (strcmp(c->key, no_sums[i]) == 0)
			return n_bins == 1;
	return c->type == MER_COUNT || c->type == MER_BYTES || c->type == MER_DURATION;
}

static const struct mer_column *find(const struct mer_table *t, const char *key)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].key, key) == 0)
			return &t->columns[i];
	return NULL;
}

/* Is it told of these rows at all? */
static bool is_told(const struct mer_table *t, const struct pair *p, const char *key)
{
	for (size_t r = 0; r < t->n_rows; r++)
		if (run_case_cell(t, r, key)->set &&
			(!p->of || strcmp(run_case_text(t, r, "of"), p->of) == 0))
			return true;
	return false;
}

static size_t compare(const struct run_case *c, const struct pair *p, const char *name, uint64_t n)
{
	const struct mer_table *bins = run_case_table(c, p->bins);
	const struct mer_table *totals = run_case_table(c, p->totals);
	size_t n_compared = 0;
	for (size_t i = 0; i < bins->n_columns; i++) {
		const char *key = bins->columns[i].key;
		if (!adds_up(&bins->columns[i], n) || !find(totals, key) || !is_told(bins, p, key))
			continue;
		int64_t sum = run_case_sum(bins, key, p->of ? "of" : NULL, p->of);
		int64_t all = run_case_sum(totals, key, NULL, NULL);
		if (sum != all)
			fail_msg("%s, %s %s of %s in %" PRIu64 " bins: %" PRId64
				 ", in %s: %" PRId64,
				name, p->analysis, key, p->of ? p->of : p->bins, n, sum, p->totals,
				all);
		n_compared += all != 0;
	}
	return n_compared;
}

static void agree(const char *name, size_t least)
{
	static const uint64_t n_bins[] = { 1, 7, 100 };
	struct run_case c;
	size_t n_compared = 0;
	run_case_open_recording(&c, name);
	for (size_t i = 0; i < N_PAIRS; i++) {
		if (i && strcmp(pairs[i].analysis, pairs[i - 1].analysis) == 0)
			continue; /* done with the one before */
		for (size_t k = 0; k < sizeof(n_bins) / sizeof(n_bins[0]); k++) {
			struct analysis_options o = { .begin = INT64_MIN,
				.end = INT64_MAX,
				.max_ns = INT64_MAX,
				.n_bins = n_bins[k] };
			run_case_run(&c, pairs[i].analysis, &o);
			for (size_t p = i; p < N_PAIRS; p++)
				if (strcmp(pairs[p].analysis, pairs[i].analysis) == 0)
					n_compared += compare(&c, &pairs[p], name, n_bins[k]);
		}
	}
	run_case_close(&c);
	if (n_compared < least)
		fail_msg("%s: only %zu columns were compared", name, n_compared);
}

static void recordings_agree(void **state)
{
	(void)state;
	agree("lab/cpu-mem-io", 100);
	agree("lab/web-load", 60);
	agree("lab/swap", 60);
	agree("lab/lost-events", 30);
	agree("lab/mpi-imbalance", 30);
}

/* Who tells something over time is in the list above, with each kind of rows that tell it. */
static void all_are_compared(void **state)
{
	(void)state;
	for (size_t i = 0; analyses[i]; i++)
		for (const struct analysis_output *o = analyses[i]->outputs; o->id; o++) {
			bool is_listed = strncmp(o->id, "bins", 4) != 0;
			for (size_t p = 0; p < N_PAIRS && !is_listed; p++)
				is_listed = strcmp(pairs[p].analysis, analyses[i]->id) == 0 &&
					    strcmp(pairs[p].bins, o->id) == 0;
			if (!is_listed)
				fail_msg("%s: nothing says what its table '%s' adds up to",
					analyses[i]->id, o->id);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_agree),
		cmocka_unit_test(all_are_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
