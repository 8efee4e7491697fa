#include "store/waits.h"

#include <stdlib.h>
#include <string.h>

#include "store/columns.h"
#include "store/types.h"

/* What a wait is, in neighbouring bytes: one number, of which there are few different ones. */
enum { BITS_AT = offsetof(struct blocked_wait, kind) };
_Static_assert(
	offsetof(struct blocked_wait, is_one_span) + sizeof(bool) == BITS_AT + sizeof(uint64_t),
	"kind, cause and flags are eight bytes");

static const struct store_column columns[] = { STORE_COLUMN(blocked_wait, begin, DELTA),
	STORE_COLUMN_SINCE(blocked_wait, end, begin), STORE_COLUMN_SINCE(blocked_wait, run, end),
	STORE_COLUMN(blocked_wait, task, DICT), STORE_COLUMN(blocked_wait, span, DELTA),
	STORE_COLUMN_SINCE(blocked_wait, whole, span),
	STORE_COLUMN_OR_NONE(blocked_wait, call, DICT),
	/* Those that depend on packets: */
	STORE_COLUMN_SINCE(blocked_wait, asked, end),
	STORE_COLUMN_OR_NONE(blocked_wait, by_host, DICT),
	STORE_COLUMN_OR_NONE(blocked_wait, by_task, DICT),
	{ .at = BITS_AT, .bytes = sizeof(uint64_t), .packing = STORE_DICT },
	STORE_COLUMN_OR_NONE(blocked_wait, asker, DICT) };
enum { N_SHARED = 7 }; /* the others; these are stored once */
static const struct store_columns waits = STORE_COLUMNS(blocked_wait, columns);

static const struct store_column leader = { .bytes = sizeof(uint32_t), .packing = STORE_DELTA };
static const struct store_columns leaders = { sizeof(uint32_t), &leader, 1 };
enum { LEADERS = sizeof(columns) / sizeof(*columns), FIRSTS, N_NUMBERS };

static uint32_t number_of(uint32_t variant, uint32_t column)
{
	return column < N_SHARED ? 0 : variant * N_NUMBERS;
}

void store_waits_put(struct store_writer *w, uint32_t variant, const struct blocked *b)
{
	for (uint32_t i = 0; i < b->world->n_hosts; i++) {
		const struct blocked_host *h = &b->hosts[i];
		size_t n_tasks = b->world->hosts[i].n_tasks;
		for (uint32_t k = variant ? N_SHARED : 0; k < waits.n; k++)
			store_put_column(w, STORE_WAITS, i, number_of(variant, k), &waits, k,
				h->waits, h->n);
		if (variant)
			continue;
		store_put_columns(w, STORE_WAITS, i, LEADERS, &leaders, h->leaders, n_tasks);
		store_put_columns(w, STORE_WAITS, i, FIRSTS, &store_sizes, h->first, n_tasks + 1);
	}
}

/* ---- reading ---- */

static bool is_below(uint32_t number, uint32_t n)
{
	return number < n || number == KERNEL_NONE;
}

static bool bits_fit(const struct blocked_wait *w)
{
	uint8_t flags[sizeof(uint64_t)];
	bool ok = w->kind < BLOCKED_N_KINDS && w->cause < KERNEL_N_CAUSES;
	memcpy(flags, (const char *)w + BITS_AT, sizeof(flags));
	for (size_t i = offsetof(struct blocked_wait, open) - BITS_AT; i < sizeof(flags); i++)
		ok &= flags[i] <= 1;
	return ok;
}

/* n_tasks: of all hosts. */
static bool waits_fit(const struct blocked_host *b, const struct kernel_world *world,
	const struct kernel_host *h, uint32_t n_tasks)
{
	bool ok = true;
	for (size_t i = 0; ok && i < b->n; i++) {
		const struct blocked_wait *w = &b->waits[i];
		ok = w->task < h->n_tasks && w->span < h->n_spans && w->whole < h->n_spans &&
		     is_below(w->call, h->n_calls) && is_below(w->by_host, world->n_hosts) &&
		     is_below(w->by_task,
			     w->by_host == KERNEL_NONE ? 0 : world->hosts[w->by_host].n_tasks) &&
		     is_below(w->asker, n_tasks) && bits_fit(w);
	}
	return ok;
}

static bool tasks_fit(const struct blocked_host *b, const struct kernel_host *h)
{
	bool ok = b->first[0] == 0 && b->first[h->n_tasks] <= h->n_spans;
	for (uint32_t i = 0; i < h->n_tasks; i++)
		ok &= b->leaders[i] < h->n_tasks && b->first[i] <= b->first[i + 1];
	return ok;
}

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "damaged waits in the store");
}

/* The number of waits is the last element of `first`. */
static int get_host(const struct store_file *f, uint32_t variant, uint32_t i, uint32_t n_tasks,
	struct blocked *b, struct mer_err *err)
{
	const struct kernel_host *h = &b->world->hosts[i];
	struct blocked_host *to = &b->hosts[i];
	to->first = calloc((size_t)h->n_tasks + 1, sizeof(*to->first));
	to->leaders = calloc((size_t)h->n_tasks + 1, sizeof(*to->leaders));
	if (!to->first || !to->leaders)
		return mer_fail_nomem(err);
	if (!store_get_columns(f, STORE_WAITS, i, LEADERS, &leaders, to->leaders, h->n_tasks) ||
		!store_get_columns(f, STORE_WAITS, i, FIRSTS, &store_sizes, to->first,
			(size_t)h->n_tasks + 1) ||
		!tasks_fit(to, h))
		return refuse(err);
	to->n = to->first[h->n_tasks];
	to->waits = mer_spill_array(b->world->spill, to->n + 1, sizeof(*to->waits));
	if (!to->waits)
		return mer_fail_nomem(err);
	bool ok = true;
	for (size_t part = 0; ok && part < store_n_parts(to->n); part++)
		for (uint32_t k = 0; ok && k < waits.n; k++)
			ok = store_get_column(f, STORE_WAITS, i, number_of(variant, k), &waits, k,
				to->waits, to->n, part);
	return ok && waits_fit(to, b->world, h, n_tasks) ? 0 : refuse(err);
}

int store_waits_get(const struct store_file *f, uint32_t variant, const struct kernel_world *world,
	struct blocked *b, struct mer_err *err)
{
	uint32_t n_tasks = 0;
	int rc = 0;
	*b = (struct blocked){ .world = world };
	b->hosts = calloc((size_t)world->n_hosts + 1, sizeof(*b->hosts));
	if (!b->hosts)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < world->n_hosts; i++) {
		b->hosts[i].processes = n_tasks;
		n_tasks += world->hosts[i].n_tasks;
	}
	for (uint32_t i = 0; i < world->n_hosts && rc == 0; i++)
		rc = get_host(f, variant, i, n_tasks, b, err);
	return rc;
}
