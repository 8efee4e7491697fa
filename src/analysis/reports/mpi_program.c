/* MPI programs as a whole: the pattern of their messages (mpi/pattern.h), and how well they used
 * their ranks:
 *
 *   load balance              mean of the ranks' time computing / that of the rank with most
 *   communication efficiency  that of the rank with most / the time elapsed
 *   parallel efficiency       both together: mean of the time computing / time elapsed
 *
 * (the multiplicative model of the POP centre of excellence). Time in which it is unknown what a
 * rank did does not count. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/analysis.h"
#include "analysis/facts/mpi.h"
#include "analysis/reports/mpi.h"
#include "mpi/pattern.h"

/* ---- patterns ---- */

static uint32_t ranks_of(const struct fold_parts *p)
{
	int64_t most = -1;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		int64_t from = fold_part_key(p, i, "from_rank"),
			to = fold_part_key(p, i, "to_rank");
		most = from > most ? from : most;
		most = to > most ? to : most;
	}
	return most < MPI_PATTERN_RANKS ? (uint32_t)(most + 1) : UINT32_MAX;
}

static int pattern_cell(const struct fold_parts *p, struct mer_cell *c)
{
	const struct analysis_run *run = fold_parts_run(p);
	uint32_t n = ranks_of(p);
	*c = MER_NONE;
	if (n == 0 || n == UINT32_MAX)
		return 0;
	uint64_t *counts = calloc((size_t)n * n, sizeof(*counts));
	struct mer_str words = { 0 };
	if (!counts)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		int64_t from = fold_part_key(p, i, "from_rank"),
			to = fold_part_key(p, i, "to_rank");
		if (from >= 0 && to >= 0)
			counts[(size_t)from * n + (size_t)to] +=
				(uint64_t)fold_part_sum(p, i, "messages");
	}
	int rc = mpi_pattern(n, counts, &words, run->err);
	if (rc == 0)
		*c = mer_text(mer_arena_strdup((struct mer_arena *)&run->arena, words.data));
	mer_str_fini(&words);
	free(counts);
	return rc;
}

static int pairs_cell(const struct fold_parts *p, struct mer_cell *c)
{
	*c = MER_INT(fold_parts_n(p));
	return 0;
}

const struct mer_column mpi_pattern_columns[] = { { "job", "program", MER_ID },
	{ "messages", "messages", MER_COUNT }, { "bytes", "size", MER_BYTES },
	{ "pairs", "pairs", MER_COUNT }, { "pattern", "pattern", MER_TEXT }, { 0 } };
const struct fold mpi_pattern_fold = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_message },
	.is_fixed = true,
	.group = "job",
	.parts = "from_rank to_rank",
	.cells = (const struct fold_cell[]){ { "messages", .op = FOLD_COUNT },
		{ "bytes", FOLD_SUM, .of = "bytes" },
		{ "pairs", FOLD_FUNCTION, .of_parts = pairs_cell },
		{ "pattern", FOLD_FUNCTION, .of_parts = pattern_cell }, { 0 } },
	.order = "job",
};

/* ---- efficiency ---- */

struct use { /* of a program */
	size_t ranks;
	int64_t elapsed;   /* of the rank that took longest */
	int64_t known;	   /* the same without what is unknown */
	int64_t sum, most; /* computing */
	int64_t waiting;
};

static struct use use_of(const struct fold_parts *p)
{
	struct use u = { .ranks = fold_parts_n(p) };
	for (size_t i = 0; i < u.ranks; i++) {
		int64_t elapsed = fold_part_sum(p, i, "elapsed_ns");
		int64_t compute = fold_part_sum(p, i, "compute_ns");
		int64_t known = elapsed - fold_part_sum(p, i, "unknown_ns");
		u.elapsed = elapsed > u.elapsed ? elapsed : u.elapsed;
		u.known = known > u.known ? known : u.known;
		u.most = compute > u.most ? compute : u.most;
		u.sum += compute;
		u.waiting += fold_part_sum(p, i, "waiting_ns");
	}
	return u;
}

static struct mer_cell ratio(double a, double b)
{
	return b > 0 ? MER_REAL_CELL(a / b) : MER_NONE;
}

static int ranks_cell(const struct fold_parts *p, struct mer_cell *c)
{
	*c = MER_INT(fold_parts_n(p));
	return 0;
}

static int longest_cell(const struct fold_parts *p, struct mer_cell *c)
{
	*c = MER_INT(use_of(p).elapsed);
	return 0;
}

static int balance_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct use u = use_of(p);
	*c = ratio((double)u.sum / (double)(u.ranks ? u.ranks : 1), (double)u.most);
	return 0;
}

static int communication_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct use u = use_of(p);
	*c = ratio((double)u.most, (double)u.known);
	return 0;
}

static int parallel_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct use u = use_of(p);
	*c = ratio((double)u.sum / (double)(u.ranks ? u.ranks : 1), (double)u.known);
	return 0;
}

const struct mer_column mpi_efficiency_columns[] = { { "job", "program", MER_ID },
	{ "ranks", "ranks", MER_COUNT }, { "longest_ns", "elapsed", MER_DURATION },
	{ "elapsed_ns", NULL, MER_DURATION }, { "compute_ns", NULL, MER_DURATION },
	{ "unknown_ns", NULL, MER_DURATION }, { "waiting_ns", "waiting", MER_DURATION },
	{ "load_balance_percent", "load balance", MER_RATIO },
	{ "communication_percent", "communication", MER_RATIO },
	{ "parallel_percent", "parallel", MER_RATIO }, { 0 } };
const struct fold mpi_efficiency_fold = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_mpi_state },
	.is_fixed = true,
	.group = "job",
	.parts = "rank",
	.cells = (const struct fold_cell[]){ { "elapsed_ns", .op = FOLD_SUM },
		{ "compute_ns", FOLD_SUM, .where = { "class", FOLD_IS, MPI_COMPUTE, 0 } },
		{ "unknown_ns", FOLD_SUM, .where = { "class", FOLD_IS, MPI_UNKNOWN, 0 } },
		{ "waiting_ns", FOLD_SUM, .where = { "wait", FOLD_KNOWN, 0, 0 } },
		{ "ranks", FOLD_FUNCTION, .of_parts = ranks_cell },
		{ "longest_ns", FOLD_FUNCTION, .of_parts = longest_cell },
		{ "load_balance_percent", FOLD_FUNCTION, .of_parts = balance_cell },
		{ "communication_percent", FOLD_FUNCTION, .of_parts = communication_cell },
		{ "parallel_percent", FOLD_FUNCTION, .of_parts = parallel_cell }, { 0 } },
	.order = "job",
};
