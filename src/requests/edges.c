#include "requests/edges.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/str.h"
#include "requests/of_tracer.h"

const struct mer_column requests_edges_columns[REQUESTS_EDGE_N_COLUMNS + 1] = {
	[REQUESTS_EDGE_FROM_HOST] = { "from_host", "Host", MER_TEXT },
	[REQUESTS_EDGE_FROM_TID] = { "from_tid", "TID", MER_ID },
	[REQUESTS_EDGE_FROM] = { "from", "From", MER_TEXT },
	[REQUESTS_EDGE_TO_HOST] = { "to_host", "Host", MER_TEXT },
	[REQUESTS_EDGE_TO_TID] = { "to_tid", "TID", MER_ID },
	[REQUESTS_EDGE_TO] = { "to", "To", MER_TEXT },
	[REQUESTS_EDGE_KIND] = { "kind", "Kind", MER_TEXT },
	[REQUESTS_EDGE_COUNT] = { "count", "Count", MER_COUNT },
	[REQUESTS_EDGE_RATE] = { "rate", "Per second", MER_REAL },
	[REQUESTS_EDGE_P50] = { "p50_ns", "p50", MER_DURATION },
	[REQUESTS_EDGE_P99] = { "p99_ns", "p99", MER_DURATION },
};

struct finding {
	const struct requests *r;
	const struct requests_edges_options *o;
	int64_t window_ns;
	struct requests_kinds programs; /* for the processes of tasks */
	struct requests_kinds pairs;	/* as kinds: named by their ends */
	struct requests_of_tracer tracer;
	uint32_t *which;
	uint32_t *first; /* by pair: an exchange of it */
	uint32_t n;
};

static uint32_t task_of(const struct requests *r, uint32_t i, enum requests_side side)
{
	const struct requests_exchange *x = &r->exchanges[i];
	if (side == REQUESTS_CLIENT)
		return x->client_task;
	return x->server_task == KERNEL_NONE ? x->reader : x->server_task;
}

static bool is_wanted(const struct finding *f, uint32_t i)
{
	const struct requests *r = f->r;
	const struct requests_end *ends = requests_connection_of(r, i)->ends;
	const struct requests_exchange *x = &r->exchanges[i];
	const struct analysis_options *o = f->o->wanted;
	bool fits = false;
	if (x->begin < f->o->begin || x->begin >= f->o->end ||
		(o->without_tracer && requests_of_tracer_has(&f->tracer, i)))
		return false;
	for (uint32_t side = 0; side < REQUESTS_N_SIDES; side++) {
		uint32_t task = task_of(r, i, side);
		if (ends[side].socket == KERNEL_NONE || task == KERNEL_NONE)
			return false;
		fits |= !o->wants_task ||
			o->wants_task(o->ctx, &r->w->hosts[ends[side].host], task);
	}
	return fits;
}

static const char *name_of(const struct finding *f, uint32_t i, enum requests_side side)
{
	uint32_t host = requests_connection_of(f->r, i)->ends[side].host,
		 task = task_of(f->r, i, side);
	return f->o->by_task ? kernel_comm(&f->r->w->hosts[host], task)
			     : requests_program(&f->programs, host, task);
}

static const char *kind_of(const struct requests *r, uint32_t i)
{
	const struct requests_connection *c = requests_connection_of(r, i);
	if (c->is_pipes)
		return "pipe";
	return requests_port(r, &c->ends[REQUESTS_SERVER]) ? "tcp" : "unix";
}

/* What tells its pair from others. Names have no zeros. */
static void put_pair(const struct finding *f, uint32_t i, struct mer_str *out)
{
	for (uint32_t side = 0; side < REQUESTS_N_SIDES; side++) {
		uint32_t host = requests_connection_of(f->r, i)->ends[side].host;
		mer_str_printf(out, "%" PRIu32 " %" PRIu32 " %s", host,
			f->o->by_task ? task_of(f->r, i, side) : 0, name_of(f, i, side));
		mer_str_putc(out, '\0');
	}
	mer_str_puts(out, kind_of(f->r, i));
}

/* As long as what was selected; of the whole, from the first begin to the last end. */
static void find_window(struct finding *f)
{
	int64_t begin = INT64_MAX, end = INT64_MIN;
	for (uint32_t i = 0; i < f->r->n; i++) {
		const struct requests_exchange *x = &f->r->exchanges[i];
		if (x->begin < f->o->begin || x->begin >= f->o->end)
			continue;
		begin = x->begin < begin ? x->begin : begin;
		end = x->end > end ? x->end : end;
	}
	begin = f->o->begin != INT64_MIN ? f->o->begin : begin;
	end = f->o->end != INT64_MAX ? f->o->end : end;
	f->window_ns = begin < end ? end - begin : 0;
}

static bool find_pairs(struct finding *f)
{
	const struct requests *r = f->r;
	struct mer_str pair = { 0 };
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n; i++) {
		if (!is_wanted(f, i))
			continue;
		mer_str_clear(&pair);
		put_pair(f, i, &pair);
		uint32_t before = f->pairs.names.n;
		uint32_t number = pair.failed
					  ? MER_INTERN_NONE
					  : mer_intern_add(&f->pairs.names, pair.data, pair.len);
		ok = number != MER_INTERN_NONE;
		if (!ok)
			break;
		if (f->pairs.names.n > before)
			f->first[number] = i;
		f->pairs.of[i] = number;
		f->which[f->n++] = i;
	}
	mer_str_fini(&pair);
	return ok;
}

static struct mer_cell tid_of(const struct finding *f, uint32_t i, enum requests_side side)
{
	uint32_t host = requests_connection_of(f->r, i)->ends[side].host;
	return f->o->by_task ? MER_INT(f->r->w->hosts[host].tasks[task_of(f->r, i, side)].tid)
			     : MER_NONE;
}

static void add_row(const struct finding *f, const struct requests_sums *s, struct mer_table *t)
{
	const struct requests_end *ends = requests_connection_of(f->r, f->first[s->kind])->ends;
	uint32_t i = f->first[s->kind];
	const char *from = mer_arena_strdup(t->arena, name_of(f, i, REQUESTS_CLIENT)),
		   *to = mer_arena_strdup(t->arena, name_of(f, i, REQUESTS_SERVER));
	struct mer_cell cells[REQUESTS_EDGE_N_COLUMNS] = {
		[REQUESTS_EDGE_FROM_HOST] =
			mer_text(f->r->w->e->hosts[ends[REQUESTS_CLIENT].host].name),
		[REQUESTS_EDGE_FROM_TID] = tid_of(f, i, REQUESTS_CLIENT),
		[REQUESTS_EDGE_FROM] = mer_text(from),
		[REQUESTS_EDGE_TO_HOST] =
			mer_text(f->r->w->e->hosts[ends[REQUESTS_SERVER].host].name),
		[REQUESTS_EDGE_TO_TID] = tid_of(f, i, REQUESTS_SERVER),
		[REQUESTS_EDGE_TO] = mer_text(to),
		[REQUESTS_EDGE_KIND] = mer_text(kind_of(f->r, i)),
		[REQUESTS_EDGE_COUNT] = MER_INT(s->count),
		[REQUESTS_EDGE_RATE] = requests_rate(s, f->window_ns),
		[REQUESTS_EDGE_P50] = s->max_ns >= 0 ? MER_INT(s->p50_ns) : MER_NONE,
		[REQUESTS_EDGE_P99] = s->max_ns >= 0 ? MER_INT(s->p99_ns) : MER_NONE,
	};
	mer_table_add(t, cells);
}

int requests_edges_find(const struct requests *r, const struct requests_edges_options *o,
	struct mer_arena *arena, struct mer_table *t, struct mer_err *err)
{
	struct finding f = { .r = r, .o = o };
	struct requests_sums *rows = NULL;
	uint32_t n_rows = 0;
	mer_table_init(t, "requests", "Requests", requests_edges_columns, arena);
	int rc = requests_of_tracer_find(r, &f.tracer, err);
	if (rc) {
		requests_of_tracer_fini(&f.tracer);
		return rc;
	}
	rc = requests_kinds_find(r, &f.programs, err);
	find_window(&f);
	f.pairs.r = r;
	mer_arena_init(&f.pairs.arena);
	mer_intern_init(&f.pairs.names, &f.pairs.arena);
	f.pairs.of = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*f.pairs.of));
	f.which = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*f.which));
	f.first = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*f.first));
	if (rc == 0 && !(f.pairs.of && f.which && f.first && find_pairs(&f)))
		rc = mer_fail_nomem(err);
	if (rc == 0)
		rc = requests_sum(&f.pairs, f.which, f.n, &rows, &n_rows, err);
	for (uint32_t i = 0; rc == 0 && i < n_rows; i++)
		add_row(&f, &rows[i], t);
	if (rc == 0 && t->failed)
		rc = mer_fail_nomem(err);
	free(rows);
	mer_spill_release(f.which);
	mer_spill_release(f.first);
	requests_kinds_fini(&f.pairs);
	requests_kinds_fini(&f.programs);
	requests_of_tracer_fini(&f.tracer);
	return rc;
}
