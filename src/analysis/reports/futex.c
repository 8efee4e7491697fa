/* Futexes: who waited at which address, how long, and who ended the wait.
 *
 * A wait is a call that may block (FUTEX_WAIT, FUTEX_LOCK_PI, ...), from its entry to its exit; also one
 * that found the value changed and returned at once. Who woke it, in a call of his own or by his exit, is
 * who held the lock until then, or did what was waited for.
 *
 * The same address in two processes may be two futexes, or one in memory that they share: the trace
 * does not say. A row is of an address in the process of those who wait (in the thread, when its process
 * is not known); so nothing is put together that is not one.
 *
 * Waits that had not ended when the recording did have a table of their own; how long they take is not
 * known, so no sum has them. Of these it is told who seems to hold the futex (futex_holders.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/cells.h"
#include "analysis/reports/futex_holders.h"
#include "analysis/ready.h"
#include "analysis/rows.h"

enum futex_op { /* without flags; of Linux */
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
enum { OP_FLAGS = 128 | 256 }; /* private, real-time clock */
/* What C libraries' mutexes hold when somebody waits: the value that a wait for one expects. Waits for a
 * condition expect other values, or use OP_WAIT_BITSET. */
enum { CONTENDED = 2 };

struct wait_row {
	struct analysis_row row;
	int64_t begin, end, blocked, ret;
	uint64_t address;
	uint32_t task, waker, call;
	uint8_t op;
};

struct open_row { /* a wait that had not ended */
	struct analysis_row row;
	int64_t begin;
	uint64_t address;
	uint32_t task, call;
	uint32_t holder; /* number in state.holders, plus 1; 0: none */
	uint8_t op;
	bool is_lock;
};

struct waiting { /* by task: the call that it is in */
	int64_t blocked, preempted;
	uint32_t waker; /* of the last time; KERNEL_NONE: not known */
	bool in_call;
};

struct pair { /* of an address, and who waited for whom there */
	uint64_t address;
	int32_t pid;
	uint32_t task, waker;
	int64_t blocked, preempted; /* preempted: while it was, the waker had no CPU */
	int64_t locks;		    /* of time: waits for a lock */
	uint64_t failed;
	struct analysis_stats time;
};

struct state {
	struct analysis_ready ready;
	struct waiting *waiting;
	size_t cap_waiting;
	struct mer_map pair_map; /* hash -> newest such pair, plus 1 */
	struct pair *pairs;
	size_t n_pairs, cap_pairs;
	struct futex_holders holders;
	struct analysis_histogram freq;
	struct analysis_rows log, open;
};

enum { TOP, PAIRS, UNFINISHED, STATS, LOG, FREQ }; /* outputs */

enum call_class { NO_FUTEX, FUTEX, FUTEX_WAITS, FUTEX_OTHER };

static void free_state(void *state)
{
	struct state *s = state;
	mer_map_fini(&s->pair_map);
	analysis_ready_fini(&s->ready);
	free(s->waiting);
	free(s->pairs);
	futex_holders_fini(&s->holders);
	analysis_rows_fini(&s->log);
	analysis_rows_fini(&s->open);
}

/* ---- while reading ---- */

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
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	const struct kernel_span *x = kernel_span(h, span);
	if (x->state == KERNEL_USER && x->task < s->cap_waiting)
		s->waiting[x->task].in_call = false;
	if (x->state == KERNEL_READY && !h->tasks[x->task].is_kernel)
		return analysis_ready_add(&s->ready, x->task, x->begin, end)
			       ? 0
			       : mer_fail_nomem(a->err);
	bool spins = kernel_is_spin(x); /* uses its CPU, and waits all the same */
	if ((x->state != KERNEL_BLOCKED && !spins) || x->call == KERNEL_NONE)
		return 0;
	enum call_class class = class_of(h, x->call);
	if (class == NO_FUTEX)
		return 0;
	struct waiting *w = mer_grow_at(&s->waiting, &s->cap_waiting, x->task, sizeof(*w));
	if (!w)
		return mer_fail_nomem(a->err);
	const struct kernel_span *by = kernel_span_kept(h, x->by);
	w->blocked = (spins ? 0 : end - x->begin) + (w->in_call ? w->blocked : 0);
	w->waker = by ? by->task : KERNEL_NONE;
	w->preempted = (w->in_call ? w->preempted : 0) +
		       (by ? analysis_ready_in(&s->ready, by->task, x->begin, end) : 0);
	w->in_call = true;
	return 0;
}

static struct pair *pair_of(struct state *s, const struct pair *key)
{
	uint64_t words[3] = { key->address, (uint32_t)key->pid,
		(uint64_t)key->task << 32 | key->waker };
	uint64_t hash = mer_hash(words, sizeof(words));
	for (;; hash++) { /* another one of the same hash: the next number */
		uint32_t *at = mer_map_put(&s->pair_map, hash);
		if (!at)
			return NULL;
		if (!*at) {
			struct pair *p =
				mer_grow_at(&s->pairs, &s->cap_pairs, s->n_pairs, sizeof(*p));
			if (!p)
				return NULL;
			*p = *key;
			*at = (uint32_t)++s->n_pairs;
			return p;
		}
		struct pair *p = &s->pairs[*at - 1];
		if (p->address == key->address && p->pid == key->pid && p->task == key->task &&
			p->waker == key->waker)
			return p;
	}
}

static bool may_block(enum call_class class, uint64_t op)
{
	switch (op & ~(uint64_t)OP_FLAGS) {
	case OP_WAIT:
	case OP_LOCK_PI:
	case OP_WAIT_BITSET:
	case OP_WAIT_REQUEUE_PI:
	case OP_LOCK_PI2: return class != FUTEX_OTHER;
	default: return class == FUTEX_WAITS;
	}
}

/* Is it made for a lock, or for whatever other threads have to say? By what glibc and musl do: a mutex that
 * somebody waits for has this value. */
static bool is_for_lock(enum call_class class, const uint64_t *args)
{
	uint64_t op = args[KERNEL_ARG_FUTEX_OP] & ~(uint64_t)OP_FLAGS;
	return class == FUTEX &&
	       (op == OP_LOCK_PI || op == OP_LOCK_PI2 ||
		       (op == OP_WAIT && (uint32_t)args[KERNEL_ARG_FUTEX_VALUE] == CONTENDED));
}

static int add_wait(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, const struct waiting *w, bool is_lock)
{
	struct state *s = a->state;
	int64_t took = c->end - c->begin;
	struct pair key = { .address = c->args[KERNEL_ARG_FUTEX],
		.pid = h->tasks[c->task].pid,
		.task = c->task,
		.waker = w->in_call ? w->waker : KERNEL_NONE };
	struct pair *p = pair_of(s, &key);
	if (!p)
		return mer_fail_nomem(a->err);
	int64_t blocked = w->in_call ? w->blocked : 0;
	analysis_stats_add(&p->time, took, c->begin);
	p->blocked += blocked;
	p->preempted += w->in_call ? w->preempted : 0;
	p->failed += c->ret < 0;
	p->locks += is_lock ? took : 0;
	s->freq.n[analysis_bucket(took)]++;
	uint64_t op = c->args[KERNEL_ARG_FUTEX_OP] & ~(uint64_t)OP_FLAGS;
	struct wait_row row = { .row.key = c->begin,
		.begin = c->begin,
		.end = c->end,
		.blocked = blocked,
		.ret = c->ret,
		.address = c->args[KERNEL_ARG_FUTEX],
		.task = c->task,
		.waker = key.waker,
		.call = c->call,
		.op = op < N_OPS ? (uint8_t)op : N_OPS };
	return !analysis_asks(a, LOG) ||
			       analysis_rows_add(&s->log, &row, sizeof(row), a->run->options->limit)
		       ? 0
		       : mer_fail_nomem(a->err);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	enum call_class class = class_of(h, c->call);
	if (class == NO_FUTEX)
		return 0;
	struct waiting w = { .waker = KERNEL_NONE };
	if (c->task < s->cap_waiting) {
		w = s->waiting[c->task];
		s->waiting[c->task].in_call = false;
	}
	if (analysis_asks(a, UNFINISHED) &&
		!futex_holders_follow(&s->holders, h, c,
			may_block(class, c->args[KERNEL_ARG_FUTEX_OP]) || w.in_call))
		return mer_fail_nomem(a->err);
	if ((!may_block(class, c->args[KERNEL_ARG_FUTEX_OP]) && !w.in_call) ||
		!analysis_counts(a, c->begin, c->end) || !analysis_wants_cpu(a, c->cpu) ||
		!analysis_wants_task(a, h, c->task))
		return 0;
	return add_wait(a, h, c, &w, is_for_lock(class, c->args));
}

/* Only what has blocked: other calls were just being made. */
static int on_open_call(void *ctx, const struct kernel_host *h, const struct kernel_open_call *c)
{
	struct analysis_host *a = ctx;
	struct state *s = a->state;
	enum call_class class = class_of(h, c->call);
	if (class == NO_FUTEX)
		return 0;
	bool blocked = c->task < s->cap_waiting && s->waiting[c->task].in_call;
	uint64_t op = c->args[KERNEL_ARG_FUTEX_OP] & ~(uint64_t)OP_FLAGS;
	int32_t pid = h->tasks[c->task].pid;
	if (!blocked || !analysis_asks(a, UNFINISHED))
		return 0;
	struct open_row row = { .row.key = c->begin,
		.begin = c->begin,
		.address = c->args[KERNEL_ARG_FUTEX],
		.task = c->task,
		.call = c->call,
		.op = op < N_OPS ? (uint8_t)op : N_OPS };
	row.is_lock = is_for_lock(class, c->args);
	if (c->args[KERNEL_ARG_FUTEX] && pid >= 0) {
		struct futex_holder *x =
			futex_holder_of(&s->holders, c->args[KERNEL_ARG_FUTEX], pid);
		if (!x)
			return mer_fail_nomem(a->err);
		if (x->task == c->task)
			x->task = KERNEL_NONE; /* it waits again, so it has lost it */
		row.holder = (uint32_t)(x - s->holders.all) + 1;
	}
	if (!analysis_counts(a, c->begin, h->end) || !analysis_wants_cpu(a, c->cpu) ||
		!analysis_wants_task(a, h, c->task))
		return 0;
	/* All: not more than there are tasks. */
	return analysis_rows_add(&s->open, &row, sizeof(row), 0) ? 0 : mer_fail_nomem(a->err);
}

/* ---- tables ---- */

static struct mer_cell address_cell(struct analysis_run *run, uint64_t address)
{
	return address ? mer_text(mer_arena_printf(&run->arena, "0x%" PRIx64, address)) : MER_NONE;
}

/* Pairs of a host, those of one address together, then by waiter. */
static int by_address(const void *a, const void *b)
{
	const struct pair *p = *(const struct pair *const *)a, *q = *(const struct pair *const *)b;
	if (p->address != q->address)
		return p->address < q->address ? -1 : 1;
	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	if (p->task != q->task)
		return p->task < q->task ? -1 : 1;
	return (p->waker > q->waker) - (p->waker < q->waker);
}

static int by_waker(const void *a, const void *b)
{
	const struct pair *p = *(const struct pair *const *)a, *q = *(const struct pair *const *)b;
	return (p->waker > q->waker) - (p->waker < q->waker);
}

/* The tasks that ended the waits of these pairs, whose order is lost: how many, and which one the
 * longest in sum. */
static uint32_t main_waker(const struct pair **pairs, size_t n, uint64_t *n_wakers, int64_t *ns)
{
	uint32_t best = KERNEL_NONE;
	*n_wakers = 0;
	*ns = 0;
	qsort(pairs, n, sizeof(*pairs), by_waker);
	for (size_t i = 0, k; i < n && pairs[i]->waker != KERNEL_NONE; i = k) {
		int64_t sum = 0;
		for (k = i; k < n && pairs[k]->waker == pairs[i]->waker; k++)
			sum += pairs[k]->time.total;
		(*n_wakers)++;
		if (best == KERNEL_NONE || sum > *ns) {
			best = pairs[i]->waker;
			*ns = sum;
		}
	}
	return best;
}

/* Of analysis_stats_cells; in tables of futexes what matters most comes first. */
enum { COUNT, MIN, MAX, AVG, STDDEV, TOTAL, MIN_AT, MAX_AT };
#define STATS_FIRST                                                                                \
	{ "count", "waits", MER_COUNT }, { "total_ns", "total", MER_DURATION },                    \
	{                                                                                          \
		"max_ns", "max", MER_DURATION                                                      \
	}
#define STATS_REST                                                                                 \
	{ "avg_ns", "avg", MER_DURATION }, { "min_ns", "min", MER_DURATION },                      \
		{ "stddev_ns", "stddev", MER_DURATION }, { "min_at", NULL, MER_TIME },             \
	{                                                                                          \
		"max_at", NULL, MER_TIME                                                           \
	}

/* These pairs are of one address; their order is lost. */
static void emit_address(struct analysis_run *run, uint32_t host, const struct pair **pairs,
	size_t n, struct mer_table *t)
{
	struct analysis_stats sum = { 0 };
	struct mer_cell s[ANALYSIS_STATS_CELLS], waker[ANALYSIS_TASK_CELLS];
	int64_t blocked = 0, preempted = 0, locks = 0, waker_ns;
	uint64_t n_waiters = 0, n_wakers, failed = 0;
	const struct pair *longest = pairs[0];
	for (size_t i = 0; i < n; i++) {
		analysis_stats_merge(&sum, &pairs[i]->time);
		blocked += pairs[i]->blocked;
		preempted += pairs[i]->preempted;
		locks += pairs[i]->locks;
		failed += pairs[i]->failed;
		n_waiters += i == 0 || pairs[i]->task != pairs[i - 1]->task;
		if (pairs[i]->time.max > longest->time.max)
			longest = pairs[i];
	}
	int32_t pid = pairs[0]->pid;
	uint64_t address = pairs[0]->address;
	uint32_t who = main_waker(pairs, n, &n_wakers, &waker_ns);
	analysis_task_cells(run, host, who, INT64_MAX, waker);
	analysis_stats_cells(&sum, s);
	struct mer_cell cells[] = { mer_text(analysis_host_name(run, host)),
		address_cell(run, address), pid >= 0 ? MER_INT(pid) : MER_NONE,
		mer_text(analysis_comm(run, host, longest->task)), waker[1], waker[2], waker[3],
		s[COUNT], s[TOTAL], s[MAX], MER_INT(n_waiters), MER_INT(n_wakers),
		who == KERNEL_NONE ? MER_NONE : MER_INT(waker_ns), MER_INT(blocked),
		who == KERNEL_NONE ? MER_NONE : MER_INT(preempted), MER_INT(failed), s[AVG], s[MIN],
		s[STDDEV], s[MIN_AT], s[MAX_AT], MER_INT(locks) };
	mer_table_add(t, cells);
}

static void emit_pair(
	struct analysis_run *run, uint32_t host, const struct pair *p, struct mer_table *t)
{
	struct mer_cell s[ANALYSIS_STATS_CELLS], who[ANALYSIS_TASK_CELLS];
	struct mer_cell waker[ANALYSIS_TASK_CELLS];
	analysis_task_cells(run, host, p->task, INT64_MAX, who);
	analysis_task_cells(run, host, p->waker, INT64_MAX, waker);
	analysis_stats_cells(&p->time, s);
	struct mer_cell cells[] = { who[0], who[1], who[2], who[3], waker[1], waker[2], waker[3],
		address_cell(run, p->address), s[COUNT], s[TOTAL], s[MAX], MER_INT(p->blocked),
		p->waker == KERNEL_NONE ? MER_NONE : MER_INT(p->preempted), MER_INT(p->failed),
		s[AVG], s[MIN], s[STDDEV], s[MIN_AT], s[MAX_AT] };
	mer_table_add(t, cells);
}

static int emit_pairs(struct analysis_run *run, uint32_t host, unsigned output, struct mer_table *t)
{
	const struct state *s = run->states[host];
	const struct pair **all = calloc(s->n_pairs + 1, sizeof(*all));
	if (!all)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < s->n_pairs; i++)
		all[i] = &s->pairs[i];
	if (s->n_pairs)
		qsort(all, s->n_pairs, sizeof(*all), by_address);
	for (size_t i = 0, k; i < s->n_pairs; i = k) {
		for (k = i; k < s->n_pairs && all[k]->address == all[i]->address &&
			    all[k]->pid == all[i]->pid &&
			    (all[k]->pid >= 0 || all[k]->task == all[i]->task);
			k++)
			if (output == PAIRS)
				emit_pair(run, host, all[k], t);
		if (output == TOP)
			emit_address(run, host, all + i, k - i, t);
	}
	free(all);
	return 0;
}

static void emit_stats(struct analysis_run *run, uint32_t host, struct mer_table *t)
{
	const struct state *s = run->states[host];
	struct analysis_stats sum = { 0 };
	struct mer_cell cells[3 + ANALYSIS_STATS_CELLS + 1] = { mer_text(
		analysis_host_name(run, host)) };
	int64_t blocked = 0, locks = 0;
	uint64_t failed = 0;
	if (!s->n_pairs)
		return;
	for (size_t i = 0; i < s->n_pairs; i++) {
		analysis_stats_merge(&sum, &s->pairs[i].time);
		blocked += s->pairs[i].blocked;
		locks += s->pairs[i].locks;
		failed += s->pairs[i].failed;
	}
	cells[1] = MER_INT(failed);
	cells[2] = MER_INT(blocked);
	analysis_stats_cells(&sum, cells + 3);
	cells[3 + ANALYSIS_STATS_CELLS] = MER_INT(locks);
	mer_table_add(t, cells);
}

static const char *op_name(const struct kernel_host *h, uint32_t call_number, uint8_t op)
{
	static const char *const names[N_OPS] = { "wait", "wake", "fd", "requeue", "cmp_requeue",
		"wake_op", "lock_pi", "unlock_pi", "trylock_pi", "wait_bitset", "wake_bitset",
		"wait_requeue_pi", "cmp_requeue_pi", "lock_pi2" };
	const struct kernel_call *call = &h->calls[call_number];
	if (kernel_call_kind_of(call->id) != KERNEL_CALL_FUTEX)
		return kernel_name_text(h, call->name);
	return op < N_OPS ? names[op] : NULL;
}

static const struct analysis_rows *log_of(const void *state)
{
	return &((const struct state *)state)->log;
}

static int emit_log(struct analysis_run *run, struct mer_table *t)
{
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join(run, log_of, sizeof(struct wait_row), &n, &t->n_left_out);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct wait_row *r = rows[i].row;
		const struct kernel_host *h = &run->world->hosts[rows[i].host];
		struct mer_cell waker[ANALYSIS_TASK_CELLS];
		struct mer_cell cells[14] = { MER_INT(r->begin), MER_INT(r->end),
			MER_INT(r->end - r->begin), MER_INT(r->blocked) };
		analysis_task_cells(run, rows[i].host, r->task, r->end, cells + 4);
		analysis_task_cells(run, rows[i].host, r->waker, r->end, waker);
		memcpy(cells + 8, waker + 1, 3 * sizeof(*cells));
		cells[11] = address_cell(run, r->address);
		cells[12] = mer_text(op_name(h, r->call, r->op));
		cells[13] = mer_text(analysis_ret_text(&run->arena, 0, r->ret));
		mer_table_add(t, cells);
	}
	free(rows);
	return 0;
}

static const struct analysis_rows *open_of(const void *state)
{
	return &((const struct state *)state)->open;
}

static int emit_open(struct analysis_run *run, struct mer_table *t)
{
	enum { WAKER = ANALYSIS_TASK_CELLS, MORE = WAKER + 3 };
	size_t n;
	struct analysis_row_of *rows =
		analysis_rows_join_all(run, open_of, sizeof(struct open_row), &n);
	if (!rows)
		return mer_fail_nomem(run->err);
	for (size_t i = 0; i < n; i++) {
		const struct open_row *r = rows[i].row;
		const struct state *s = run->states[rows[i].host];
		const struct kernel_host *h = &run->world->hosts[rows[i].host];
		uint32_t holder = r->holder ? s->holders.all[r->holder - 1].task : KERNEL_NONE;
		struct mer_cell cells[MORE + 5], who[ANALYSIS_TASK_CELLS];
		analysis_task_cells(run, rows[i].host, r->task, h->end, cells);
		analysis_task_cells(run, rows[i].host, holder, h->end, who);
		memcpy(cells + WAKER, who + 1, 3 * sizeof(*cells));
		cells[MORE] = address_cell(run, r->address);
		cells[MORE + 1] = MER_INT(h->end - r->begin);
		cells[MORE + 2] = mer_text(r->is_lock ? "lock" : NULL);
		cells[MORE + 3] = mer_text(op_name(h, r->call, r->op));
		cells[MORE + 4] = MER_INT(r->begin);
		mer_table_add(t, cells);
	}
	free(rows);
	return 0;
}

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	int rc = 0;
	if (output == LOG)
		return emit_log(run, t);
	if (output == UNFINISHED)
		return emit_open(run, t);
	for (uint32_t h = 0; h < run->e->n_hosts && rc == 0; h++) {
		const struct state *s = run->states[h];
		struct mer_cell host = mer_text(analysis_host_name(run, h));
		if (output == FREQ)
			analysis_freq_rows(t, &host, 1, &s->freq);
		else if (output == STATS)
			emit_stats(run, h, t);
		else
			rc = emit_pairs(run, h, output, t);
	}
	return rc;
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
	ANALYSIS_STATS_COLUMNS, { "lock_ns", NULL, MER_DURATION }, { 0 } };
static const struct mer_column log_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "duration_ns", "duration", MER_DURATION },
	{ "blocked_ns", "blocked", MER_DURATION }, ANALYSIS_TASK_COLUMNS, WAKER_COLUMNS,
	{ "address", "address", MER_TEXT }, { "op", "operation", MER_TEXT },
	{ "ret", "returned", MER_TEXT }, { 0 } };
static const struct mer_column freq_columns[] = { { "host", "host", MER_TEXT },
	ANALYSIS_FREQ_COLUMNS, { 0 } };

static const struct analysis_output outputs[] = { [TOP] = { "top", "Waits by futex", top_columns,
							  .sort = "total_ns" },
	[PAIRS] = { "top_pairs", "Who waited for whom on which futex", pair_columns,
		.sort = "total_ns" },
	[UNFINISHED] = { "top_unfinished", "Waits on futexes that had not ended at the end",
		open_columns, .sort = "so_far_ns" },
	[STATS] = { "stats", "Waits on futexes", stats_columns, .sort = NULL },
	[LOG] = { "log", "Waits on futexes", log_columns, .sort = NULL },
	[FREQ] = { "freq", "Duration of waits on futexes", freq_columns, .sort = NULL },
	{ 0 } };

const struct analysis analysis_futex = {
	.id = "futex",
	.title = "Futex contention",
	.help = "which locks tasks waited for, for how long, and who held them",
	.by_duration = ANALYSIS_ALL_OUTPUTS,
	.outputs = outputs,
	.worth = "total_ns waker_comm so_far_ns holder_comm address count max_ns waker_tid avg_ns "
		 "blocked_ns "
		 "holder_preempted_ns waker_ns",
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call, .open_call = on_open_call },
	.emit = emit,
	.free_state = free_state,
};
