#include "store/kept_account.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/sort.h"
#include "store/check.h"
#include "store/facts.h"
#include "store/types.h"

/* ---- as facts ---- */

enum { CLAIMS, USED }; /* numbers of the kinds */

/* A wait, listed under the task that ended it: since when that task had worked for it. */
struct claim {
	struct fact f; /* task: the one that ended it */
	int64_t since;
	int64_t work_before; /* how long it had worked before the request; NO_WORK */
	uint32_t host, task;
	uint32_t for_work, is_claim;
};
enum { NO_WORK = -1 };

struct used {
	struct fact f;
	int64_t amount;
	uint32_t kind, reserved;
};

static const struct fact_field claim_fields[] = {
	{ .key = "since",
		.type = MER_TIME,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct claim, since) },
	{ .key = "work_before_ns",
		.type = MER_DURATION,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct claim, work_before),
		FACT_NONE_IS(NO_WORK) },
	{ .key = "host", .type = MER_ID, .meaning = FACT_NUMBER, FACT_MEMBER(struct claim, host) },
	{ .key = "waiter",
		.type = MER_ID,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct claim, task) },
	{ .key = "for_work",
		.type = MER_COUNT,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct claim, for_work) },
	{ .key = "is_claim",
		.type = MER_COUNT,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct claim, is_claim) },
	{ 0 },
};
static const struct fact_field used_fields[] = {
	{ .key = "amount",
		.type = MER_COUNT,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct used, amount) },
	{ .key = "kind",
		.type = MER_COUNT,
		.meaning = FACT_NUMBER,
		FACT_MEMBER(struct used, kind) },
	{ 0 },
};
static const struct fact_kind claim_kind = { .id = "claim",
	.title = "Waits by who ended them",
	.rule = FACT_CUT,
	.size = sizeof(struct claim),
	.fields = claim_fields };
static const struct fact_kind used_kind = { .id = "used",
	.title = "What tasks used",
	.rule = FACT_BEGINS,
	.size = sizeof(struct used),
	.fields = used_fields };

struct numbers { /* lengths of a host's tables, to which the file's indexes refer */
	uint32_t tasks, names, has_usage;
	uint32_t seen; /* usage_sums */
};

static struct numbers numbers_of(const struct kernel_host *h)
{
	return (struct numbers){ .tasks = h->n_tasks, .names = h->names.n };
}

/* ---- writing ---- */

struct taking {
	struct store_facts *facts;
	const struct kernel_host *h;
	struct store_writer *w;
	uint64_t max_bytes;
	bool ok;
};

static struct taking begin_taking(struct store_writer *w, const struct kernel_host *h,
	uint32_t host, uint32_t number, const struct fact_kind *kind, uint64_t max_bytes)
{
	struct taking t = { .facts = store_facts_new(w, host, number, kind),
		.h = h,
		.w = w,
		.max_bytes = max_bytes };
	t.ok = t.facts != NULL;
	if (t.ok)
		store_facts_uncounted(t.facts);
	return t;
}

static void take(struct taking *t, const void *fact)
{
	struct mer_err err;
	t->ok = t->ok && store_facts_take(t->facts, t->h, fact, 1, &err) == 0 &&
		store_facts_bytes(t->facts) <= t->max_bytes;
}

static bool end_taking(struct taking *t)
{
	if (t->ok)
		store_facts_end(t->facts);
	else
		store_facts_drop(t->facts);
	return t->ok;
}

/* The order of the claims of all wakers of a host; it is also that of each waker's claims. */
static int by_order(const void *a, const void *b)
{
	const struct account_ended *const *p = a, *const *q = b;
	return account_compare_ended(*p, *q);
}

static struct claim claim_of(const struct account_index *x, uint32_t host, size_t at)
{
	const struct account_ended *e = &x->ended[at];
	size_t low = account_task_number(x->b, host, 0), from = low,
	       to = low + x->b->world->hosts[host].n_tasks;
	while (from + 1 < to) { /* the last task whose waits begin at or before it */
		size_t middle = from + (to - from) / 2;
		if (x->first[middle] <= at)
			from = middle;
		else
			to = middle;
	}
	return (struct claim){ .f = { .begin = e->begin,
				       .end = e->asked,
				       .task = (uint32_t)(from - low),
				       .cpu = KERNEL_NO_CPU },
		.since = e->since,
		.work_before = e->work_before == INT64_MIN ? NO_WORK : e->asked - e->work_before,
		.host = e->host,
		.task = e->task,
		.for_work = e->for_work,
		.is_claim = e->is_claim };
}

static bool put_claims(
	struct store_writer *w, const struct account_index *x, uint32_t host, uint64_t max_bytes)
{
	const struct kernel_host *h = &x->b->world->hosts[host];
	size_t task = account_task_number(x->b, host, 0);
	size_t from = x->first[task], n = x->first[task + h->n_tasks] - from;
	struct mer_spill *spill = x->b->world->spill;
	const struct account_ended **order =
		mer_spill_array(spill, n + 1, sizeof(const struct account_ended *));
	struct taking t = begin_taking(w, h, host, CLAIMS, &claim_kind, max_bytes);
	t.ok = t.ok && order;
	for (size_t i = 0; t.ok && i < n; i++)
		order[i] = &x->ended[from + i];
	t.ok = t.ok && mer_sort(spill, order, n, sizeof(const struct account_ended *), by_order);
	for (size_t i = 0; t.ok && i < n; i++) {
		struct claim c = claim_of(x, host, (size_t)(order[i] - x->ended));
		take(&t, &c);
	}
	mer_spill_release(order);
	return end_taking(&t);
}

static int by_begin(const void *a, const void *b)
{
	const struct used *p = a, *q = b;
	return (p->f.begin > q->f.begin) - (p->f.begin < q->f.begin);
}

static bool put_usage(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	const struct usage_sums *sums, uint64_t max_bytes)
{
	size_t n_slots = (size_t)sums->n_tasks * USAGE_N_KINDS, n = sums->first[n_slots];
	struct taking t = begin_taking(w, &world->hosts[host], host, USED, &used_kind, max_bytes);
	struct used *all = mer_spill_array(world->spill, n + 1, sizeof(*all));
	t.ok = t.ok && all;
	for (size_t slot = 0; t.ok && slot < n_slots; slot++)
		for (size_t i = sums->first[slot]; i < sums->first[slot + 1]; i++) {
			const struct usage_point *p = &sums->points[i];
			int64_t before = i > sums->first[slot] ? p[-1].sum : 0;
			all[i] = (struct used){ .f = { p->time, p->time,
							(uint32_t)(slot / USAGE_N_KINDS),
							KERNEL_NO_CPU, 0 },
				.amount = (int64_t)((uint64_t)p->sum - (uint64_t)before),
				.kind = (uint32_t)(slot % USAGE_N_KINDS) };
		}
	t.ok = t.ok && mer_sort(world->spill, all, n, sizeof(*all), by_begin);
	for (size_t i = 0; t.ok && i < n; i++)
		take(&t, &all[i]);
	mer_spill_release(all);
	return end_taking(&t);
}

static bool put_programs(struct store_writer *w, const struct kernel_host *h, uint32_t host)
{
	struct mer_err err;
	uint32_t *programs = calloc((size_t)h->n_tasks + 1, sizeof(*programs));
	bool ok = programs && account_programs(h, programs, &err) == 0;
	if (ok)
		store_put_section(
			w, STORE_KEPT_PROGRAMS, host, 0, programs, h->n_tasks, sizeof(*programs));
	free(programs);
	return ok;
}

static bool put_host(struct store_writer *w, const struct account_index *x, uint32_t host,
	const struct usage *u, uint64_t max_bytes)
{
	const struct kernel_host *h = &x->b->world->hosts[host];
	struct usage_sums sums = usage_sums(u, host);
	struct numbers n = numbers_of(h);
	n.has_usage = sums.first != NULL;
	n.seen = sums.seen;
	if (!put_claims(w, x, host, max_bytes) || !put_programs(w, h, host) ||
		(n.has_usage && !put_usage(w, x->b->world, host, &sums, max_bytes)))
		return false;
	store_put_section(w, STORE_KEPT_NUMBERS, host, 0, &n, 1, sizeof(n));
	return true;
}

bool store_kept_account_save(const char *path, const struct store_key *key,
	const struct account_index *x, const struct usage *u, uint64_t max_bytes)
{
	struct store_writer w;
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	memcpy(bytes, key->hash, sizeof(bytes));
	if (store_writer_begin(&w, path, bytes, &err))
		return false;
	bool ok = true;
	for (uint32_t i = 0; ok && i < x->b->world->n_hosts; i++)
		ok = put_host(&w, x, i, u, max_bytes);
	ok = ok && w.at + w.buffer.len <= max_bytes;
	return store_writer_end(&w, ok, &err) == 0 && ok;
}

/* ---- reading ---- */

struct store_kept_account {
	struct store_file file;
};

struct store_kept_account *store_kept_account_open(const char *path, const struct store_key *key)
{
	struct store_kept_account *k = calloc(1, sizeof(*k));
	if (k && store_open_whole(&k->file, path, key))
		return k;
	free(k);
	return NULL;
}

void store_kept_account_close(struct store_kept_account *k)
{
	if (k)
		store_file_close(&k->file);
	free(k);
}

/* NULL: not there, or of another world. */
static const struct numbers *find_numbers(
	const struct store_kept_account *k, uint32_t host, const struct kernel_host *h)
{
	uint64_t n = 0;
	const struct numbers now = numbers_of(h), *then = store_find(&k->file, STORE_KEPT_NUMBERS,
							  host, 0, sizeof(*then), &n);
	return then && n == 1 && then->tasks == now.tasks && then->names == now.names ? then : NULL;
}

static int damaged(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "what is kept of accounts is damaged");
}

/* ---- usage ---- */

struct used_list { /* of a host */
	int64_t begin, end;
	struct mer_spill *spill;
	struct used *item;
	size_t n, cap;
	size_t *first; /* by slot; while items are taken: their number, at slot + 2 */
	uint32_t n_tasks;
};

static size_t slot_of(const struct used *u)
{
	return (size_t)u->f.task * USAGE_N_KINDS + u->kind;
}

static int take_used(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct used_list *l = ctx;
	const struct used *u = facts;
	(void)h;
	for (size_t i = 0; i < n; i++) {
		if (u[i].f.task >= l->n_tasks || u[i].kind >= USAGE_N_KINDS)
			return damaged(err);
		if (u[i].f.begin < l->begin || u[i].f.begin > l->end)
			continue;
		if (!mer_spill_grow(l->spill, &l->item, l->n, &l->cap, sizeof(*l->item)))
			return mer_fail_nomem(err);
		l->item[l->n++] = u[i];
		l->first[slot_of(&u[i]) + 2]++;
	}
	return 0;
}

/* Converts the list, which is in time order, to sums by task and kind. Takes ownership of
 * `first`. */
static int restore(
	struct usage *u, uint32_t host, struct used_list *l, uint32_t seen, struct mer_err *err)
{
	size_t n_slots = (size_t)l->n_tasks * USAGE_N_KINDS;
	struct usage_point *points = mer_spill_array(l->spill, l->n + 1, sizeof(*points));
	if (!points)
		return mer_fail_nomem(err);
	size_t *next = l->first + 1; /* moves on to where the next slot begins */
	for (size_t i = 0; i < n_slots; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < l->n; i++) {
		const struct used *x = &l->item[i];
		points[next[slot_of(x)]++] = (struct usage_point){ x->f.begin, x->amount };
	}
	for (size_t slot = 0; slot < n_slots; slot++)
		for (size_t i = l->first[slot] + 1; i < l->first[slot + 1]; i++)
			points[i].sum =
				(int64_t)((uint64_t)points[i].sum + (uint64_t)points[i - 1].sum);
	usage_restore(u, host,
		&(struct usage_sums){
			.points = points, .first = l->first, .n_tasks = l->n_tasks, .seen = seen });
	l->first = NULL;
	return 0;
}

static int usage_of_host(const struct store_kept_account *k, const struct kernel_world *w,
	uint32_t host, const struct fact_range *range, struct usage *u, struct mer_err *err)
{
	const struct kernel_host *h = &w->hosts[host];
	const struct numbers *then = find_numbers(k, host, h);
	if (!then)
		return damaged(err);
	if (!then->has_usage)
		return 0;
	struct used_list l = { .begin = range->begin,
		.end = range->end,
		.spill = w->spill,
		.first = mer_spill_array(
			w->spill, (size_t)h->n_tasks * USAGE_N_KINDS + 2, sizeof(*l.first)),
		.n_tasks = h->n_tasks };
	if (!l.first)
		return mer_fail_nomem(err);
	int rc = store_facts_read(
		&k->file, host, USED, &used_kind, h, STORE_NEEDS_ALL, range, take_used, &l, err);
	if (rc == 0)
		rc = restore(u, host, &l, then->seen, err);
	mer_spill_release(l.item);
	mer_spill_release(l.first);
	return rc;
}

int store_kept_account_usage(const struct store_kept_account *k, const struct kernel_world *w,
	int64_t begin, int64_t end, struct usage **u, struct mer_err *err)
{
	const struct fact_range range = { begin, end, NULL };
	int rc = usage_new(w->n_hosts, w->spill, u, err);
	for (uint32_t i = 0; i < w->n_hosts && rc == 0; i++)
		rc = usage_of_host(k, w, i, &range, *u, err);
	return rc;
}

/* ---- waits by the task that ended them ---- */

struct claim_list { /* of all hosts */
	const struct blocked *b;
	int64_t begin, end;
	uint32_t host; /* that is read */
	struct claim *item;
	uint32_t *waker; /* account_task_number */
	size_t n, cap, cap_wakers;
	size_t *n_of;
};

static int take_claims(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct claim_list *l = ctx;
	const struct kernel_world *w = l->b->world;
	const struct claim *c = facts;
	for (size_t i = 0; i < n; i++) {
		if (c[i].f.task >= h->n_tasks || c[i].host >= w->n_hosts ||
			c[i].task >= w->hosts[c[i].host].n_tasks || c[i].work_before < NO_WORK)
			return damaged(err);
		int64_t begin = c[i].since < c[i].f.begin ? c[i].since : c[i].f.begin;
		if (begin > l->end || c[i].f.end < l->begin)
			continue;
		if (l->n >= KERNEL_NONE - 1 ||
			!mer_spill_grow(w->spill, &l->item, l->n, &l->cap, sizeof(*l->item)) ||
			!mer_spill_grow(
				w->spill, &l->waker, l->n, &l->cap_wakers, sizeof(*l->waker)))
			return mer_fail_nomem(err);
		size_t number = account_task_number(l->b, l->host, c[i].f.task);
		l->waker[l->n] = (uint32_t)number;
		l->item[l->n++] = c[i];
		l->n_of[number]++;
	}
	return 0;
}

static struct account_ended ended_of(const struct claim *c)
{
	return (struct account_ended){ .asked = c->f.end,
		.begin = c->f.begin,
		.work_before = c->work_before == NO_WORK
				       ? INT64_MIN
				       : (int64_t)((uint64_t)c->f.end - (uint64_t)c->work_before),
		.since = c->since,
		.host = c->host,
		.task = c->task,
		.for_work = c->for_work != 0,
		.is_claim = c->is_claim != 0 };
}

/* Sorts the claims by the task that ended the wait; stable. NULL: no memory. */
static struct account_ended *sort_claims(const struct claim_list *l, size_t n_tasks)
{
	size_t *next = calloc(n_tasks + 1, sizeof(*next));
	struct account_ended *ended =
		next ? mer_spill_array(l->b->world->spill, l->n + 1, sizeof(*ended)) : NULL;
	for (size_t i = 0; ended && i < n_tasks; i++)
		next[i + 1] = next[i] + l->n_of[i];
	for (size_t i = 0; ended && i < l->n; i++)
		ended[next[l->waker[i]]++] = ended_of(&l->item[i]);
	free(next);
	return ended;
}

static int read_programs(const struct store_kept_account *k, const struct kernel_world *w,
	uint32_t **programs, struct mer_err *err)
{
	for (uint32_t i = 0; i < w->n_hosts; i++) {
		const struct kernel_host *h = &w->hosts[i];
		uint64_t n = 0;
		const uint32_t *then =
			store_find(&k->file, STORE_KEPT_PROGRAMS, i, 0, sizeof(*then), &n);
		if (!find_numbers(k, i, h) || (!then && h->n_tasks) || n != h->n_tasks)
			return damaged(err);
		programs[i] = calloc((size_t)h->n_tasks + 1, sizeof(*programs[i]));
		if (!programs[i])
			return mer_fail_nomem(err);
		for (uint32_t t = 0; t < h->n_tasks; t++) {
			if (then[t] != KERNEL_NONE && then[t] >= h->names.n)
				return damaged(err);
			programs[i][t] = then[t];
		}
	}
	return 0;
}

static void free_programs(uint32_t **programs, uint32_t n_hosts)
{
	for (uint32_t i = 0; programs && i < n_hosts; i++)
		free(programs[i]);
	free(programs);
}

int store_kept_account_index(const struct store_kept_account *k, const struct blocked *b,
	const struct usage *u, int64_t begin, int64_t end, struct account_index **x,
	struct mer_err *err)
{
	const struct kernel_world *w = b->world;
	const struct fact_range range = { begin, end, NULL };
	struct claim_list l = { .b = b, .begin = begin, .end = end };
	size_t n_tasks = 0;
	*x = NULL;
	for (uint32_t i = 0; i < w->n_hosts; i++)
		n_tasks += w->hosts[i].n_tasks;
	uint32_t **programs = calloc((size_t)w->n_hosts + 1, sizeof(*programs));
	l.n_of = calloc(n_tasks + 1, sizeof(*l.n_of));
	int rc = programs && l.n_of ? read_programs(k, w, programs, err) : mer_fail_nomem(err);
	for (; rc == 0 && l.host < w->n_hosts; l.host++)
		rc = store_facts_read(&k->file, l.host, CLAIMS, &claim_kind, &w->hosts[l.host],
			STORE_NEEDS_ALL, &range, take_claims, &l, err);
	struct account_ended *ended = rc ? NULL : sort_claims(&l, n_tasks);
	if (rc == 0 && !ended)
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = account_index_of_kept(b, u, ended, l.n_of, programs, x, err);
	else
		free_programs(programs, w->n_hosts);
	mer_spill_release(l.item);
	mer_spill_release(l.waker);
	free(l.n_of);
	return rc;
}
