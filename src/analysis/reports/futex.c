/* Futexes: who waited at which address, how long, and who ended the wait.
 *
 * A wait is a call that may block (FUTEX_WAIT, FUTEX_LOCK_PI, ...), from its entry to its exit;
 * also one that found the value changed and returned at once. The task that woke it, by a futex
 * call or by exiting, held the lock until then, or did what the waiter waited for.
 *
 * The same address in two processes may be two futexes, or one in memory that they share: the trace
 * does not say. So rows are grouped by address and process of the waiter (by thread, if the process
 * is not known), and different futexes are never merged.
 *
 * Waits that had not ended when the recording ended have a table of their own; their durations are
 * not known, so they are in no sum. That table shows which task seems to hold the futex
 * (futex_holders.h). */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/fold.h"
#include "analysis/ready.h"
#include "analysis/facts/futex_holders.h"
#include "base/grow.h"

/* ---- facts ---- */

enum futex_op { /* as in Linux, without flags */
	OP_WAIT,
	OP_WAKE,
	OP_FD,
	OP_REQUEUE,
	OP_CMP_REQUEUE,
	OP_WAKE_OP,
	OP_LOCK_PI,
	OP_UNLOCK_PI,
	OP_TRYLOCK_PI,
	OP_WAIT_BITSET,
	OP_WAKE_BITSET,
	OP_WAIT_REQUEUE_PI,
	OP_CMP_REQUEUE_PI,
	OP_LOCK_PI2,
	N_OPS
};
/* Value of a contended mutex in C libraries: a wait for a mutex expects it. Waits for a condition
 * expect other values, or use OP_WAIT_BITSET. */
enum { CONTENDED = 2 };

enum { NO_LOCK, LOCK }; /* is the wait for a lock? */
static const char *const kind_names[] = { NULL, "lock" };

/* A wait. choice: NO_LOCK or LOCK. If it had not ended when the recording ended, its end is that of
 * the recording, and of the tasks only the holder may be known. */
struct futex_wait {
	struct fact fact;
	int64_t blocked;
	int64_t preempted; /* part of the wait in which the waker was runnable */
	int64_t ret;
	uint64_t address;
	uint32_t waker; /* a task; for open waits, the holder; KERNEL_NONE: not known */
	uint32_t call;
	uint8_t op;
	uint8_t unused[7];
};

/* Operations: enum futex_op for the call futex; for other calls, the number of their name. */
enum { OP_NAMES = 1 << 8 }; /* from here on: numbers of names */

static int64_t op_of(const struct kernel_host *h, const struct fact *f)
{
	const struct futex_wait *x = (const struct futex_wait *)f;
	const struct kernel_call *call = &h->calls[x->call];
	if (kernel_call_kind_of(call->id) == KERNEL_CALL_FUTEX)
		return x->op < N_OPS ? x->op : FACT_UNKNOWN;
	return call->name == KERNEL_NONE ? FACT_UNKNOWN : OP_NAMES + (int64_t)call->name;
}

static const char *op_text(const struct kernel_host *h, int64_t op)
{
	static const char *const names[N_OPS] = { "wait", "wake", "fd", "requeue", "cmp_requeue",
		"wake_op", "lock_pi", "unlock_pi", "trylock_pi", "wait_bitset", "wake_bitset",
		"wait_requeue_pi", "cmp_requeue_pi", "lock_pi2" };
	return op < OP_NAMES ? names[op] : kernel_name_text(h, (uint32_t)(op - OP_NAMES));
}

#define COMMON_FIELDS                                                                              \
	{ "kind", "kind", MER_TEXT, FACT_WORDS(kind_names), FACT_MEMBER(struct fact, choice) },    \
		{ "address", "address", MER_TEXT, FACT_ADDRESS,                                    \
			FACT_MEMBER(struct futex_wait, address), FACT_NONE_IS(0) },                \
		{ "call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct futex_wait, call) },         \
	{                                                                                          \
		"op_number", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct futex_wait, op)         \
	}
static const struct fact_field wait_fields[] = {
	COMMON_FIELDS,
	{ "blocked_ns", "blocked", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct futex_wait, blocked) },
	{ "holder_preempted_ns", "holder off CPU", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct futex_wait, preempted) },
	{ "ret", "returned", MER_TEXT, FACT_RESULT, FACT_MEMBER(struct futex_wait, ret) },
	{ "waker", NULL, MER_ID, FACT_TASK, FACT_MEMBER(struct futex_wait, waker),
		FACT_NONE_IS(KERNEL_NONE) },
	{ 0 },
};
static const struct fact_field open_fields[] = {
	COMMON_FIELDS,
	{ "holder", NULL, MER_ID, FACT_TASK, FACT_MEMBER(struct futex_wait, waker),
		FACT_NONE_IS(KERNEL_NONE) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "op", "operation", MER_TEXT, FACT_BY_FUNCTION, .get = op_of, .meaning = FACT_TEXT,
		.text = op_text },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_futex_wait = {
	.id = "futex_wait",
	.title = "Waits on futexes",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct futex_wait),
	.fields = wait_fields,
	.views = views,
	.duration = "duration_ns",
};
const struct fact_kind fact_futex_open = {
	.id = "futex_open",
	.title = "Waits on futexes that had not ended at the end",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct futex_wait),
	.fields = open_fields,
	.views = views,
	.duration = "duration_ns",
};
enum { WAIT, OPEN };
static const struct fact_kind *const kinds[] = {
	[WAIT] = &fact_futex_wait, [OPEN] = &fact_futex_open, NULL
};

/* ---- their maker ---- */

struct waiting { /* of a task: its waits in the current call */
	int64_t blocked, preempted;
	uint32_t waker; /* of the last wait; KERNEL_NONE: not known */
	bool in_call;
};

/* A wait that had not ended. Who holds the futex is only known after the last call. */
struct open_wait {
	struct futex_wait wait;
	uint32_t holder; /* number in state.holders, plus 1; 0: none */
};

struct state {
	struct analysis_ready ready;
	struct waiting *waiting;
	size_t cap_waiting;
	struct futex_holders holders;
	struct open_wait *open;
	size_t n_open, cap_open;
};

enum call_class { NO_FUTEX, FUTEX, FUTEX_WAITS, FUTEX_OTHER };

static void free_state(void *state)
{
	struct state *s = state;
	analysis_ready_fini(&s->ready);
	free(s->waiting);
	futex_holders_fini(&s->holders);
	free(s->open);
}

static enum call_class class_of(const struct kernel_host *h, uint32_t call)
{
	switch (kernel_call_kind_of(h->calls[call].id)) {
	case KERNEL_CALL_FUTEX: return FUTEX;
	case KERNEL_CALL_FUTEX_WAIT: return FUTEX_WAITS;
	case KERNEL_CALL_FUTEX_WAKE: return FUTEX_OTHER;
	default: return NO_FUTEX;
	}
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	const struct kernel_span *x = kernel_span(h, span);
	if (x->state == KERNEL_USER && x->task < s->cap_waiting)
		s->waiting[x->task].in_call = false;
	if (x->state == KERNEL_RUNNABLE && !h->tasks[x->task].is_kernel)
		return analysis_ready_add(&s->ready, x->task, x->begin, end)
			       ? 0
			       : mer_fail_nomem(f->err);
	bool spins = kernel_is_spin(x); /* uses its CPU, and waits all the same */
	if ((x->state != KERNEL_BLOCKED && !spins) || x->call == KERNEL_NONE)
		return 0;
	enum call_class class = class_of(h, x->call);
	if (class == NO_FUTEX)
		return 0;
	struct waiting *w = mer_grow_at(&s->waiting, &s->cap_waiting, x->task, sizeof(*w));
	if (!w)
		return mer_fail_nomem(f->err);
	const struct kernel_span *by = kernel_span_kept(h, x->by);
	w->blocked = (spins ? 0 : end - x->begin) + (w->in_call ? w->blocked : 0);
	w->waker = by ? by->task : KERNEL_NONE;
	w->preempted = (w->in_call ? w->preempted : 0) +
		       (by ? analysis_ready_in(&s->ready, by->task, x->begin, end) : 0);
	w->in_call = true;
	return 0;
}

static bool may_block(enum call_class class, uint64_t op)
{
	switch (kernel_futex_op(op)) {
	case OP_WAIT:
	case OP_LOCK_PI:
	case OP_WAIT_BITSET:
	case OP_WAIT_REQUEUE_PI:
	case OP_LOCK_PI2: return class != FUTEX_OTHER;
	default: return class == FUTEX_WAITS;
	}
}

/* Is the wait for a lock, and not for a condition? In glibc and musl a contended mutex has the
 * value CONTENDED. */
static bool is_for_lock(enum call_class class, const uint64_t *args)
{
	uint64_t op = kernel_futex_op(args[KERNEL_ARG_FUTEX_OP]);
	return class == FUTEX &&
	       (op == OP_LOCK_PI || op == OP_LOCK_PI2 ||
		       (op == OP_WAIT && (uint32_t)args[KERNEL_ARG_FUTEX_VALUE] == CONTENDED));
}

/* The members that follow from the call and its arguments. */
static struct futex_wait wait_of(
	const struct fact *f, uint32_t call, enum call_class class, const uint64_t *args)
{
	uint64_t op = kernel_futex_op(args[KERNEL_ARG_FUTEX_OP]);
	struct futex_wait x = { .fact = *f,
		.address = args[KERNEL_ARG_FUTEX],
		.waker = KERNEL_NONE,
		.call = call,
		.op = op < N_OPS ? (uint8_t)op : N_OPS };
	x.fact.choice = is_for_lock(class, args) ? LOCK : NO_LOCK;
	return x;
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	enum call_class class = class_of(h, c->call);
	if (class == NO_FUTEX)
		return 0;
	struct waiting w = { .waker = KERNEL_NONE };
	if (c->task < s->cap_waiting) {
		w = s->waiting[c->task];
		s->waiting[c->task].in_call = false;
	}
	bool waits = may_block(class, c->args[KERNEL_ARG_FUTEX_OP]) || w.in_call;
	if (fact_is_used(f, OPEN) && !futex_holders_follow(&s->holders, h, c, waits))
		return mer_fail_nomem(f->err);
	if (!waits || !fact_is_used(f, WAIT))
		return 0;
	struct futex_wait x = wait_of(
		&(struct fact){ .begin = c->begin, .end = c->end, .task = c->task, .cpu = c->cpu },
		c->call, class, c->args);
	x.ret = c->ret;
	if (w.in_call) {
		x.blocked = w.blocked;
		x.preempted = w.preempted;
		x.waker = w.waker;
	}
	return fact_add(f, h, WAIT, &x);
}

/* Only calls that have blocked: others may have been about to return. */
static int on_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	enum call_class class = class_of(h, c->call);
	if (class == NO_FUTEX || !fact_is_used(f, OPEN))
		return 0;
	int32_t pid = h->tasks[c->task].pid;
	if (c->task >= s->cap_waiting || !s->waiting[c->task].in_call)
		return 0;
	struct open_wait *x = mer_grow_at(&s->open, &s->cap_open, s->n_open, sizeof(*x));
	if (!x)
		return mer_fail_nomem(f->err);
	s->n_open++;
	x->wait = wait_of(&(struct fact){ .begin = c->begin, .task = c->task, .cpu = c->cpu },
		c->call, class, c->args);
	if (c->args[KERNEL_ARG_FUTEX] && pid >= 0) {
		struct futex_holder *holder =
			futex_holder_of(&s->holders, c->args[KERNEL_ARG_FUTEX], pid);
		if (!holder)
			return mer_fail_nomem(f->err);
		if (holder->task == c->task)
			holder->task = KERNEL_NONE; /* it waits again, so it has lost it */
		x->holder = (uint32_t)(holder - s->holders.all) + 1;
	}
	return 0;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	(void)w;
	for (size_t i = 0; i < s->n_open && rc == 0; i++) {
		struct open_wait *x = &s->open[i];
		x->wait.fact.end = h->end;
		x->wait.waker = x->holder ? s->holders.all[x->holder - 1].task : KERNEL_NONE;
		rc = fact_add(f, h, OPEN, &x->wait);
	}
	return rc;
}

static const struct fact_maker maker = {
	.id = "futex",
	.kinds = kinds,
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call, .open_call = on_open_call },
	.end = end,
	.free_state = free_state,
};

/* ---- cells that are not sums ---- */

struct waker { /* a task that ended waits, and their total time */
	uint32_t host, task;
	int64_t ns;
};

static int by_waker(const void *a, const void *b)
{
	const struct waker *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->task > q->task) - (p->task < q->task);
}

/* Finds the task that ended the waits with the greatest total time. best->task KERNEL_NONE: no
 * waker is known. */
static int find_main_waker(const struct fold_parts *p, struct waker *best)
{
	size_t n = fold_parts_n(p), n_known = 0;
	struct waker *all = calloc(n + 1, sizeof(*all));
	*best = (struct waker){ .task = KERNEL_NONE };
	if (!all)
		return mer_fail_nomem(fold_parts_run(p)->err);
	for (size_t i = 0; i < n; i++) {
		int64_t task = fold_part_key(p, i, "waker");
		if (task != FACT_UNKNOWN)
			all[n_known++] = (struct waker){ fold_part_host(p, i), (uint32_t)task,
				fold_part_sum(p, i, "total_ns") };
	}
	qsort(all, n_known, sizeof(*all), by_waker);
	for (size_t i = 0, k; i < n_known; i = k) {
		struct waker sum = { all[i].host, all[i].task, 0 };
		for (k = i; k < n_known && by_waker(&all[k], &all[i]) == 0; k++)
			sum.ns += all[k].ns;
		if (best->task == KERNEL_NONE || sum.ns > best->ns)
			*best = sum;
	}
	free(all);
	return 0;
}

static int waker_cell(const struct fold_parts *p, int part, struct mer_cell *c)
{
	struct mer_cell who[ANALYSIS_TASK_CELLS];
	struct waker best;
	int rc = find_main_waker(p, &best);
	analysis_task_cells(fold_parts_run(p), best.host, best.task, who);
	*c = who[part];
	return rc;
}

static int waker_tid_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return waker_cell(p, 1, c);
}

static int waker_pid_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return waker_cell(p, 2, c);
}

static int waker_comm_cell(const struct fold_parts *p, struct mer_cell *c)
{
	return waker_cell(p, 3, c);
}

static int waker_ns_cell(const struct fold_parts *p, struct mer_cell *c)
{
	struct waker best;
	int rc = find_main_waker(p, &best);
	*c = best.task == KERNEL_NONE ? MER_NONE : MER_INT(best.ns);
	return rc;
}

/* Name of the task with the longest single wait. */
static int waiter_cell(const struct fold_parts *p, struct mer_cell *c)
{
	int64_t most = INT64_MIN;
	uint32_t host = 0, task = KERNEL_NONE;
	for (size_t i = 0; i < fold_parts_n(p); i++) {
		int64_t max = fold_part_sum(p, i, "max_ns");
		uint32_t own = (uint32_t)fold_part_key(p, i, "task");
		if (max < most || (max == most && own >= task))
			continue;
		most = max;
		host = fold_part_host(p, i);
		task = own;
	}
	*c = mer_text(analysis_comm(fold_parts_run(p), host, task));
	return 0;
}

/* ---- tables ---- */

/* In tables of futexes the most important columns come first. */
#define STATS_FIRST                                                                                \
	{ "count", "waits", MER_COUNT }, { "total_ns", "total", MER_DURATION },                    \
	{                                                                                          \
		"max_ns", "max", MER_DURATION                                                      \
	}
#define STATS_REST                                                                                 \
	{ "mean_ns", "mean", MER_DURATION }, { "min_ns", "min", MER_DURATION },                    \
		{ "stddev_ns", "stddev", MER_DURATION }, { "min_at", NULL, MER_TIME },             \
	{                                                                                          \
		"max_at", NULL, MER_TIME                                                           \
	}

#define WAKER_COLUMNS                                                                              \
	{ "waker_tid", "by tid", MER_ID }, { "waker_pid", NULL, MER_ID },                          \
	{                                                                                          \
		"waker_comm", "woken by", MER_TEXT                                                 \
	}
static const struct mer_column top_columns[] = { { "host", "host", MER_TEXT },
	{ "address", "address", MER_TEXT }, { "pid", "pid", MER_ID },
	{ "comm", "waiter", MER_TEXT }, WAKER_COLUMNS, STATS_FIRST,
	{ "waiters", "waiters", MER_COUNT }, { "wakers", "wakers", MER_COUNT },
	{ "waker_ns", "for waker", MER_DURATION }, { "blocked_ns", "blocked", MER_DURATION },
	{ "holder_preempted_ns", "holder off CPU", MER_DURATION },
	{ "failed", "failed", MER_COUNT }, STATS_REST, { "lock_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column pair_columns[] = { ANALYSIS_TASK_COLUMNS, WAKER_COLUMNS,
	{ "address", "address", MER_TEXT }, STATS_FIRST, { "blocked_ns", "blocked", MER_DURATION },
	{ "holder_preempted_ns", "holder off CPU", MER_DURATION },
	{ "failed", "failed", MER_COUNT }, STATS_REST, { 0 } };
static const struct mer_column open_columns[] = { ANALYSIS_TASK_COLUMNS,
	{ "holder_tid", "by tid", MER_ID }, { "holder_pid", NULL, MER_ID },
	{ "holder_comm", "held by", MER_TEXT }, { "address", "address", MER_TEXT },
	{ "so_far_ns", "so far", MER_DURATION }, { "kind", "kind", MER_TEXT },
	{ "op", "operation", MER_TEXT }, { "begin", "begin", MER_TIME }, { 0 } };
static const struct mer_column stats_columns[] = { { "host", "host", MER_TEXT },
	{ "failed", "failed", MER_COUNT }, { "blocked_ns", "blocked", MER_DURATION },
	ANALYSIS_STATS_COLUMNS, ANALYSIS_PERCENTILE_COLUMNS, { "lock_ns", NULL, MER_DURATION },
	{ 0 } };
static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "blocked_ns", "blocked", MER_DURATION }, ANALYSIS_TASK_COLUMNS, WAKER_COLUMNS,
	{ "address", "address", MER_TEXT }, { "op", "operation", MER_TEXT },
	{ "ret", "returned", MER_TEXT }, { 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

#define WAIT_CELLS                                                                                 \
	FOLD_STATS(NULL), { "blocked_ns", FOLD_SUM, .of = "blocked_ns" },                          \
	{                                                                                          \
		"failed", FOLD_COUNT, .where = { "ret", FOLD_FROM_TO, INT64_MIN, -1 }              \
	}
#define PREEMPTED_CELL                                                                             \
	{                                                                                          \
		"holder_preempted_ns", FOLD_SUM, .of = "holder_preempted_ns",                      \
						 .where = { "waker", FOLD_KNOWN, 0, 0 },           \
						 .empty_if_none = true                             \
	}
#define LOCK_CELL                                                                                  \
	{                                                                                          \
		"lock_ns", FOLD_SUM, .where = { "kind", FOLD_IS, LOCK, 0 }                         \
	}

static const struct fold top = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_futex_wait },
	.group = "host process address",
	.parts = "task waker",
	.cells = (const struct fold_cell[]){ WAIT_CELLS, PREEMPTED_CELL, LOCK_CELL,
		{ "comm", FOLD_FUNCTION, .is_key = true, .of_parts = waiter_cell },
		{ "waker_tid", FOLD_FUNCTION, .is_key = true, .of_parts = waker_tid_cell },
		{ "waker_pid", FOLD_FUNCTION, .is_key = true, .of_parts = waker_pid_cell },
		{ "waker_comm", FOLD_FUNCTION, .is_key = true, .of_parts = waker_comm_cell },
		{ "waker_ns", FOLD_FUNCTION, .is_key = true, .of_parts = waker_ns_cell },
		{ "waiters", FOLD_DIFFERENT, .of = "task" },
		{ "wakers", FOLD_DIFFERENT, .of = "waker" }, { 0 } },
	.order = "host address thread",
};
static const struct fold pairs = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_futex_wait },
	.group = "host thread address waker",
	.cells = (const struct fold_cell[]){ WAIT_CELLS, PREEMPTED_CELL, { 0 } },
	.order = "host address thread waker",
};
static const struct fold unfinished = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_futex_open },
	.cells = (const struct fold_cell[]){ { "so_far_ns", FOLD_VALUE, .of = "duration_ns" },
		{ 0 } },
	.value = "-duration_ns",
	.all_rows = true, /* at most one for each task; the summary counts them */
};
static const struct fold stats = {
	.shape = FOLD_GROUPS,
	.kinds = { &fact_futex_wait },
	.group = "host",
	.cells = (const struct fold_cell[]){ WAIT_CELLS, FOLD_PERCENTILES(NULL), LOCK_CELL, { 0 } },
};
static const struct fold log_fold = {
	.shape = FOLD_ROWS,
	.kinds = { &fact_futex_wait },
	.value = "begin",
};
static const struct fold freq = {
	.shape = FOLD_BUCKETS,
	.kinds = { &fact_futex_wait },
	.group = "host",
	.value = "duration_ns",
};

enum { TOP, PAIRS, UNFINISHED, STATS, LOG, FREQ };
static const struct analysis_output outputs[] = {
	[TOP] = { "top", "Waits by futex", top_columns, "total_ns", &top },
	[PAIRS] = { "top_pairs", "Who waited for whom on which futex", pair_columns, "total_ns",
		&pairs },
	[UNFINISHED] = { "top_unfinished", "Waits on futexes that had not ended at the end",
		open_columns, "so_far_ns", &unfinished },
	[STATS] = { "stats", "Waits on futexes", stats_columns, .fold = &stats },
	[LOG] = { "log", "Waits on futexes", log_columns, .fold = &log_fold },
	[FREQ] = { "freq", "Duration of waits on futexes", freq_columns, .fold = &freq },
	{ 0 },
};

const struct analysis analysis_futex = {
	.id = "futex",
	.title = "Futex contention",
	.help = "which locks tasks waited for, for how long, and who held them",
	.outputs = outputs,
	.worth = "total_ns waker_comm so_far_ns holder_comm address count max_ns p99_ns p50_ns "
		 "waker_tid mean_ns blocked_ns "
		 "holder_preempted_ns waker_ns",
};
