/* One walk over all that an answer has, which writes or reads it, so that both agree. */
#include "ask/answer_bytes.h"

#include <string.h>

#include "base/walk.h"

static void column(struct mer_walk *w, struct mer_column *c)
{
	uint8_t type = (uint8_t)c->type;
	mer_walk_text(w, &c->key);
	mer_walk_text(w, &c->title);
	MER_WALK(w, type);
	c->type = type;
	w->failed |= !c->key || type < MER_TEXT || type > MER_BAR || mer_column_flaw(c);
}

static void table(struct mer_walk *w, struct answer *a, struct answer_table *x)
{
	struct mer_table *t = x->table;
	const char *id = t ? t->id : NULL, *title = t ? t->title : NULL;
	mer_walk_text(w, &id);
	mer_walk_text(w, &title);
	bool is_beside = mer_walk_flag(w, x->is_beside);
	size_t n = mer_walk_count(w, t ? t->n_columns : 0);
	struct mer_column *columns = mer_arena_zalloc(&a->arena, n + 1, sizeof(*columns));
	struct mer_cell *cells = mer_arena_zalloc(&a->arena, n + 1, sizeof(*cells));
	w->failed |= !columns || !cells || !id;
	if (t && columns)
		memcpy(columns, t->columns, n * sizeof(*columns));
	for (size_t c = 0; c < n && !w->failed; c++)
		column(w, &columns[c]);
	if (w->failed)
		return;
	if (!t) {
		t = answer_add(a, id, title, columns);
		x->is_beside = is_beside;
	}
	MER_WALK(w, t->n_left_out);
	MER_WALK(w, t->time_ns);
	MER_WALK(w, t->unknown_ns);
	size_t n_rows = mer_walk_count(w, t->n_rows);
	for (size_t r = 0; r < n_rows && n && !w->failed; r++) {
		if (w->out)
			memcpy(cells, t->cells + r * n, n * sizeof(*cells));
		mer_walk_cells(w, t->columns, n, cells);
		if (!w->out)
			mer_table_add(t, cells);
	}
	w->failed |= t->failed;
}

static void synced(struct mer_walk *w, struct answer *a)
{
	struct session_synced s = { .reference = NULL };
	if (!mer_walk_flag(w, a->synced != NULL))
		return;
	if (w->out)
		s = *a->synced;
	MER_WALK(w, s.summary);
	MER_WALK(w, s.method);
	w->failed |= s.method > SYNC_VCPU;
	mer_walk_text(w, &s.reference);
	mer_walk_text(w, &s.one_sided);
	mer_walk_text(w, &s.contradictory);
	mer_walk_text(w, &s.file);
	struct session_synced *to = w->out ? NULL : mer_arena_zalloc(&a->arena, 1, sizeof(*to));
	if (to)
		*to = s;
	if (!w->out)
		a->synced = to;
}

static void diagnostics(struct mer_walk *w, struct answer *a)
{
	struct mer_diags *all = &a->taken;
	size_t n = mer_walk_count(w, all->n);
	for (size_t i = 0; i < n && !w->failed; i++) {
		struct mer_diag d = { .code = NULL };
		if (w->out)
			d = all->rows[i];
		MER_WALK(w, d.severity);
		mer_walk_text(w, &d.code);
		mer_walk_text(w, &d.host);
		mer_walk_text(w, &d.path);
		MER_WALK(w, d.stream);
		MER_WALK(w, d.packet);
		MER_WALK(w, d.offset_bits);
		MER_WALK(w, d.count);
		mer_walk_text(w, &d.message);
		MER_WALK(w, d.remedy);
		w->failed |= !d.code || !d.message || d.severity > MER_ERROR ||
			     d.remedy >= MER_N_REMEDIES;
		if (!w->out && !w->failed)
			mer_diag_add(all, &d, "%s", d.message);
	}
}

void answer_walk(struct mer_walk *w, struct answer *a)
{
	MER_WALK(w, a->begin);
	MER_WALK(w, a->end);
	size_t n = mer_walk_count(w, a->n);
	w->failed |= n > ANSWER_TABLES;
	for (size_t i = 0; i < n && !w->failed; i++)
		table(w, a, &a->tables[i]);
	synced(w, a);
	diagnostics(w, a);
}

void answer_init_read(struct answer *a)
{
	answer_init(a, NULL);
	mer_diags_init(&a->taken, &a->arena);
	a->found = &a->taken;
}

void answer_to_bytes(struct answer *a, struct mer_str *out)
{
	struct mer_walk w = { .out = out };
	answer_walk(&w, a);
	out->failed |= w.failed;
}

bool answer_from_bytes(struct answer *a, const char *bytes, size_t len)
{
	answer_init_read(a);
	/* Its texts stay there. */
	const char *kept = mer_arena_strndup(&a->arena, bytes, len);
	struct mer_walk w = { .p = kept, .end = kept ? kept + len : NULL, .failed = !kept };
	answer_walk(&w, a);
	a->is_whole = !w.failed && w.p == w.end && !a->arena.failed;
	return a->is_whole;
}
