/* Servers: processes that accept connections; how long ready connections waited to be accepted, and
 * how evenly the work is spread over the workers.
 *
 * facts/accept.c says what a server is, and when a connection is ready. Threads of a server's
 * processes that never accept count for its switches and descriptors, because they do the work. */
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/facts/accept.h"
#include "analysis/fold.h"

/* ---- cells of workers: parts of a row ---- */

/* Did the worker call accept at all, whatever the result? This column counts all calls. */
static bool has_calls(const struct fold_parts *p, size_t i)
{
	return fold_part_count(p, i, "spurious_accepts") != 0;
}

/* Empty: there was no call at all. */
static int spurious_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	bool any = false;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		n += fold_part_sum(p, i, "spurious_accepts");
		any |= has_calls(p, i);
	}
	*c = any ? MER_INT(n) : MER_NONE;
	return 0;
}

/* The worker that accepted most; among equal ones the first. SIZE_MAX: none. */
static size_t best_of(const struct fold_parts *p)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		if (!has_calls(p, i))
			continue;
		int64_t more = best == SIZE_MAX ? 1
						: fold_part_sum(p, i, "accepts") -
							  fold_part_sum(p, best, "accepts");
		if (more == 0)
			more = (int64_t)fold_part_host(p, best) - fold_part_host(p, i);
		if (more == 0)
			more = fold_part_key(p, best, "task") - fold_part_key(p, i, "task");
		best = more > 0 ? i : best;
	}
	return best;
}

static int best_cell(const struct fold_parts *p, unsigned cell, struct mer_cell *c)
{
	struct mer_cell who[ANALYSIS_TASK_CELLS];
	size_t best = best_of(p);
	*c = MER_NONE;
	if (best == SIZE_MAX)
		return 0;
	analysis_task_cells((struct analysis_run *)fold_parts_run(p), fold_part_host(p, best),
		(uint32_t)fold_part_key(p, best, "task"), who);
	*c = who[cell];
	return 0;
}

static int tid_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return best_cell(p, 1, c);
}

static int pid_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return best_cell(p, 2, c);
}

static int comm_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return best_cell(p, 3, c);
}

static int object_cell(const struct fold_parts *p, struct mer_cell *c)
{
	size_t best = best_of(p);
	int64_t name = best == SIZE_MAX ? FACT_UNKNOWN : fold_part_key(p, best, "object");
	*c = MER_NONE;
	if (name != FACT_UNKNOWN)
		*c = mer_text(kernel_name_text(
			&fold_parts_run(p)->world->hosts[fold_part_host(p, best)], (uint32_t)name));
	return 0;
}

static int workers_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++)
		n += has_calls(p, i);
	*c = MER_INT(n);
	return 0;
}

static int wakeups_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++)
		n += has_calls(p, i) ? fold_part_count(p, i, "wakeups") : 0;
	*c = MER_INT(n);
	return 0;
}

static struct mer_cell ratio(double above, double below)
{
	return below > 0 ? MER_REAL_CELL(above / below) : MER_NONE;
}

/* Wake-ups of the worker with most of them, divided by the mean of all workers. */
static int imbalance_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t most = 0, all = 0, n = 0;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		if (!has_calls(p, i))
			continue;
		int64_t wakeups = fold_part_count(p, i, "wakeups");
		most = wakeups > most ? wakeups : most;
		all += wakeups;
		n++;
	}
	*c = ratio((double)most * (double)n, (double)all);
	return 0;
}

/* ---- processes of workers ---- */

static uint64_t process_of(const struct fold_parts *p, size_t i)
{
	const struct kernel_world *w = fold_parts_run(p)->world;
	uint32_t host = fold_part_host(p, i), task = (uint32_t)fold_part_key(p, i, "task");
	int32_t pid = w->hosts[host].tasks[task].pid;
	return (uint64_t)host << 32 | (pid >= 0 ? (uint32_t)pid : UINT32_C(1) << 31 | task);
}

static bool find_processes(const struct fold_parts *p, struct mer_map *processes)
{
	bool ok = true;
	for (size_t i = 0; i < fold_parts_n(p) && ok; i++)
		ok = !has_calls(p, i) || mer_map_put(processes, process_of(p, i));
	return ok;
}

static int no_memory(const struct fold_parts *p)
{
	return mer_fail_nomem(fold_parts_run(p)->err);
}

static int processes_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct mer_map processes = { 0 };
	bool ok = find_processes(p, &processes);
	*c = MER_INT(processes.n);
	mer_map_fini(&processes);
	return ok ? 0 : no_memory(p);
}

static int switches_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct mer_map processes = { 0 };
	bool ok = find_processes(p, &processes);
	int64_t switches = 0, accepts = 0;
	for (size_t i = 0; i < fold_parts_n(p) && ok; i++) {
		accepts += fold_part_sum(p, i, "accepts");
		if (mer_map_get(&processes, process_of(p, i)))
			switches += fold_part_count(p, i, "switches_per_accept");
	}
	mer_map_fini(&processes);
	*c = ratio((double)switches, (double)accepts);
	return ok ? 0 : no_memory(p);
}

/* ---- tables ---- */

/* Removes rows without a call of accept in the selected time. */
static int leave_others_out(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	size_t calls = mer_table_column(t, "spurious_accepts"), n = 0;
	(void)run;
	(void)n_seen;
	if (calls == SIZE_MAX)
		return 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *row = &t->cells[r * t->n_columns];
		if (row[calls].set)
			memmove(&t->cells[n++ * t->n_columns], row, t->n_columns * sizeof(*row));
	}
	t->n_rows = n;
	return 0;
}

#define READY_COLUMNS                                                                              \
	{ "accept_delay_mean_ns", "delay mean", MER_DURATION },                                    \
		{ "accept_delay_max_ns", "max", MER_DURATION },                                    \
	{                                                                                          \
		"accept_delay_known", NULL, MER_COUNT                                              \
	}
static const struct mer_column top_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "accepts", "accepts", MER_COUNT }, READY_COLUMNS,
	{ "spurious_accepts", "spurious", MER_COUNT }, { "workers", "workers", MER_COUNT },
	{ "wakeups", "wake-ups", MER_COUNT }, { "imbalance", "max/mean", MER_REAL },
	{ "switches_per_accept", "switches/accept", MER_REAL },
	{ "max_connections", "max open", MER_COUNT },
	{ "max_descriptors", "descriptors", MER_COUNT }, { "processes", NULL, MER_COUNT },
	{ "object", NULL, MER_TEXT }, { 0 } };
#define ACCEPT_CELLS                                                                               \
	{ "accepts", FOLD_COUNT, .where = { "result", FOLD_IS, ACCEPT_CONNECTION, 0 } },           \
		{ "accept_delay_mean_ns", FOLD_MEAN, .of = "accept_delay_ns" },                    \
		{ "accept_delay_max_ns", FOLD_MAX, .of = "accept_delay_ns" },                      \
		{ "accept_delay_known", FOLD_COUNT, .of = "accept_delay_ns" },                     \
	{                                                                                          \
		"spurious_accepts", FOLD_FUNCTION, .of = "is_spurious", .of_parts = spurious_cell  \
	}
#define EVENT_IS(event_) .kind = 1, .where = { "event", FOLD_IS, (event_), 0 }

static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_accept, &fact_server_turn },
	.group = "host server",
	.parts = "task object",
	.cells = (const struct fold_cell[]){ { "tid", FOLD_FUNCTION, .is_key = true,
						     .of_parts = tid_cell },
		{ "pid", FOLD_FUNCTION, .is_key = true, .of_parts = pid_cell },
		{ "comm", FOLD_FUNCTION, .is_key = true, .of_parts = comm_cell }, ACCEPT_CELLS,
		{ "workers", FOLD_FUNCTION, .of_parts = workers_cell },
		{ "wakeups", FOLD_FUNCTION, .of = "event", EVENT_IS(SERVER_WAKEUP),
			.of_parts = wakeups_cell },
		{ "imbalance", FOLD_FUNCTION, .of_parts = imbalance_cell },
		{ "switches_per_accept", FOLD_FUNCTION, .of = "event", .kind = 1,
			.where = { "event", FOLD_ONE_OF,
				1 << SERVER_SWITCH | 1 << SERVER_OTHER_SWITCH, 0 },
			.of_parts = switches_cell },
		{ "max_connections", FOLD_MAX, .of = "connections" },
		{ "max_descriptors", FOLD_MAX, .of = "descriptors", .kind = 1 },
		{ "processes", FOLD_FUNCTION, .of_parts = processes_cell },
		{ "object", FOLD_FUNCTION, .of_parts = object_cell }, { 0 } },
	.order = "host server",
	.from = "end",
	.to = "end",
	.finish = leave_others_out,
};

static const struct mer_column worker_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "accepts", "accepts", MER_COUNT }, READY_COLUMNS,
	{ "spurious_accepts", "spurious", MER_COUNT }, { "wakeups", "wake-ups", MER_COUNT },
	{ "switches", "switches", MER_COUNT }, { "object", "listens on", MER_TEXT }, { 0 } };
static const struct fold workers = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_accept, &fact_server_turn },
	.group = "host server thread", /* a thread belongs to one server */
	.parts = "object",
	.cells = (const struct fold_cell[]){ ACCEPT_CELLS,
		{ "wakeups", FOLD_COUNT, EVENT_IS(SERVER_WAKEUP) },
		{ "switches", FOLD_COUNT, EVENT_IS(SERVER_SWITCH) },
		{ "object", FOLD_FUNCTION, .of_parts = object_cell }, { 0 } },
	.order = "host server thread",
	.from = "end",
	.to = "end",
	.finish = leave_others_out,
};

enum { TOP, WORKERS };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Servers that accept connections", top_columns, "accepts", &top },
	[WORKERS] = { "top_workers", "Threads that accept connections", worker_columns, "accepts",
		&workers },
	{ 0 }
};

const struct analysis analysis_servers = {
	.id = "servers",
	.title = "Servers",
	.help = "who accepts connections, how long these waited, and how evenly workers share",
	.outputs = outputs,
	.worth = "accepts accept_delay_max_ns accept_delay_mean_ns workers max_connections "
		 "spurious_accepts object "
		 "imbalance",
};
