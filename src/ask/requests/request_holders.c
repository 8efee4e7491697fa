#include "ask/requests/request_holders.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "ask/requests/requests_print.h"
#include "ask/session.h"
#include "ask/print/text.h"

struct finding {
	struct ask_request_holders *x;
	struct mer_map map; /* number of a holder, plus 1 */
	const struct requests_part *part;
};

/* Somebody else had what was waited for. */
static bool is_held_up(const struct requests_part *p, const struct requests_culprit *c)
{
	switch ((enum requests_deed)c->deed) {
	case REQUESTS_DEED_HELD:
	case REQUESTS_DEED_CONNECTION:
	case REQUESTS_DEED_SERVED: return true;
	case REQUESTS_DEED_CPU:
	case REQUESTS_DEED_DISK: return c->task != p->task || c->host != p->host;
	default: return false;
	}
}

/* Threads that the path comes back to have one row; of what they did for several requests, the one
 * that took most is named. */
static bool add(void *ctx, const struct requests_culprit *c)
{
	struct finding *f = ctx;
	struct ask_request_holders *x = f->x;
	/* Who had the connection did several things meanwhile: one row, too. */
	bool is_wait = c->deed == REQUESTS_DEED_CONNECTION || c->deed == REQUESTS_DEED_SERVED;
	uint8_t meanwhile = is_wait ? PATH_UNKNOWN : c->meanwhile;
	uint32_t key[] = { f->part->host, f->part->task, c->host, c->task, c->deed, c->object,
		c->number,
		(uint32_t)c->via << 16 | (uint32_t)meanwhile << 3 | (uint32_t)c->is_slowing << 2 |
			(uint32_t)c->is_later << 1 | c->is_write };
	if (!is_held_up(f->part, c))
		return true;
	uint32_t *at = mer_map_put(&f->map, mer_hash(key, sizeof(key)));
	if (!at || !mer_grow(&x->item, x->n, &x->cap, sizeof(*x->item)))
		return false;
	if (!*at) {
		x->item[x->n] = (struct ask_request_holder){
			.host = f->part->host, .task = f->part->task, .by = *c
		};
		x->item[x->n].by.example_ns = c->ns;
		*at = (uint32_t)++x->n;
		return true;
	}
	struct requests_culprit *sum = &x->item[*at - 1].by;
	sum->ns += c->ns;
	if (sum->meanwhile != c->meanwhile)
		sum->meanwhile = PATH_UNKNOWN;
	if (sum->at_exchange != c->at_exchange)
		sum->at_exchange = KERNEL_NONE;
	/* In a second is no sum. */
	if (!c->is_slowing)
		sum->bytes += c->bytes;
	else if (c->bytes > sum->bytes)
		sum->bytes = c->bytes;
	sum->count += c->count;
	if (c->example == sum->example) {
		sum->example_ns += c->ns;
	} else if (c->ns > sum->example_ns) {
		sum->example = c->example;
		sum->kind = c->kind;
		sum->example_ns = c->ns;
	}
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct ask_request_holder *p = a, *q = b;
	if (p->by.ns != q->by.ns)
		return p->by.ns > q->by.ns ? -1 : 1;
	if (p->by.task != q->by.task)
		return p->by.task < q->by.task ? -1 : 1;
	return (p->by.deed > q->by.deed) - (p->by.deed < q->by.deed);
}

int ask_request_holders_find(struct ask *ask, struct ask_request *q, struct ask_request_holders *x)
{
	struct finding f = { .x = x };
	struct requests_culprits *culprits = NULL;
	struct requests_parts parts = { 0 };
	*x = (struct ask_request_holders){ .q = q };
	if (requests_is_own(q->r, q->number))
		return requests_kinds_find(q->r, &x->kinds, &ask->err);
	int rc = requests_kinds_find(q->r, &x->kinds, &ask->err);
	if (rc == 0)
		rc = requests_culprits_new(&x->kinds, q->parts, &culprits, &ask->err);
	if (rc == 0)
		rc = requests_parts_find_each(q->parts, q->number, &parts, &ask->err);
	for (size_t i = 0; rc == 0 && i < parts.n; i++) {
		f.part = &parts.item[i];
		if (!requests_culprits_of(culprits, f.part, add, &f))
			rc = mer_fail_nomem(&ask->err);
	}
	if (x->n)
		qsort(x->item, x->n, sizeof(*x->item), by_time);
	requests_parts_fini(&parts);
	requests_culprits_free(culprits);
	mer_map_fini(&f.map);
	return rc;
}

void ask_request_holders_fini(struct ask_request_holders *x)
{
	if (x->kinds.r)
		requests_kinds_fini(&x->kinds);
	free(x->item);
}

static struct ask_requests words_of(struct ask *ask, const struct ask_request_holders *x)
{
	return (struct ask_requests){
		.ask = ask, .w = &x->q->w, .r = x->q->r, .kinds = &x->kinds, .parts = x->q->parts
	};
}

static void put_task(
	const struct ask_request_holders *x, uint32_t host, uint32_t task, struct mer_str *out)
{
	const struct kernel_host *h = &x->q->r->w->hosts[host];
	const char *comm = task == KERNEL_NONE ? "kernel" : kernel_comm(h, task);
	mer_str_puts(out, *comm ? comm : "?");
	if (task != KERNEL_NONE)
		mer_str_printf(out, "/%" PRId32, h->tasks[task].tid);
}

/* ", while r9.1 had the connection", if it was one. */
static void put_via(
	const struct ask_request_holders *x, const struct requests_culprit *by, struct mer_str *out)
{
	char id[REQUESTS_ID_BYTES];
	bool is_served = by->via == REQUESTS_VIA_SERVED;
	if (by->at_exchange == KERNEL_NONE || (!is_served && by->via != REQUESTS_VIA_CONNECTION)) {
		ask_requests_put_via(by, out);
		return;
	}
	requests_id_text(x->q->r, by->at_exchange, id);
	mer_str_printf(out, ", while %s %s", id, is_served ? "was served" : "had the connection");
}

/* "shop-w2/168 on web: shop-w0/166 had the connection to db:5432 postgres for r7.1" */
static void put_holder(const struct ask_requests *c, const struct ask_request_holders *x,
	const struct ask_request_holder *w, struct mer_str *out)
{
	put_task(x, w->host, w->task, out);
	mer_str_printf(out, " on %s: ", c->w->e->hosts[w->host].name);
	if (w->by.task != KERNEL_NONE) {
		put_task(x, w->by.host, w->by.task, out);
		if (w->by.host != w->host)
			mer_str_printf(out, " on %s", c->w->e->hosts[w->by.host].name);
		mer_str_putc(out, ' ');
	}
	ask_requests_put_deed(c, &w->by, out);
	ask_requests_put_whose(c, &w->by, KERNEL_NONE, out);
	put_via(x, &w->by, out);
}

void ask_request_holders_text(
	struct ask *ask, const struct ask_request_holders *x, struct mer_str *out)
{
	enum { LINES = 8 };
	struct ask_requests c = words_of(ask, x);
	const struct requests_exchange *e = &x->q->r->exchanges[x->q->number];
	int64_t least = (e->end - e->begin) / 50;
	struct mer_str line = { 0 };
	for (size_t i = 0; i < x->n && i < LINES && (!i || x->item[i].by.ns >= least); i++) {
		mer_str_puts(out, i ? "" : "\nHeld up by\n");
		mer_str_clear(&line);
		put_holder(&c, x, &x->item[i], &line);
		ask_requests_put_culprit_line(&c, x->item[i].by.ns, &line, out);
	}
	mer_str_fini(&line);
}

void ask_request_holders_table(const struct ask_request_holders *x, struct answer *a)
{
	enum { WAITER_HOST, WAITER_TID, WAITER_COMM, BY, N = BY + ASK_N_CULPRIT };
	static const struct mer_column columns[N + 1] = {
		[WAITER_HOST] = { "waiter_host", NULL, MER_TEXT },
		[WAITER_TID] = { "waiter_tid", NULL, MER_ID },
		[WAITER_COMM] = { "waiter_comm", "who waited", MER_TEXT },
		ASK_CULPRIT_COLUMNS(BY),
	};
	struct ask_requests c = words_of(NULL, x);
	struct mer_table *t = answer_add_beside(a, "held_up_by", "Held up by", columns);
	for (size_t i = 0; i < x->n; i++) {
		const struct ask_request_holder *w = &x->item[i];
		struct mer_cell row[N] = { [WAITER_HOST] = mer_text(c.w->e->hosts[w->host].name) };
		if (w->task != KERNEL_NONE) {
			const struct kernel_host *h = &c.r->w->hosts[w->host];
			const char *comm = kernel_comm(h, w->task);
			row[WAITER_TID] = MER_INT(h->tasks[w->task].tid);
			row[WAITER_COMM] = mer_text(*comm ? comm : NULL);
		}
		ask_requests_culprit_cells(&c, &w->by, t, row + BY);
		mer_table_add(t, row);
	}
}
