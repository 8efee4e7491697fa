/* One walk over all that an answer has, which writes or reads it, so that both agree. */
#include "ask/answer_bytes.h"

#include <string.h>

struct walk {
	struct answer *a;
	struct mer_str *out; /* written to; NULL: read from p on */
	const char *p, *end; /* in the answer's arena: its texts stay there */
	bool failed;
};

static void part(struct walk *w, void *v, size_t n)
{
	if (w->out) {
		mer_str_add(w->out, v, n);
	} else if (w->failed || (size_t)(w->end - w->p) < n) {
		w->failed = true;
		memset(v, 0, n);
	} else {
		memcpy(v, w->p, n);
		w->p += n;
	}
}

static bool flag(struct walk *w, bool v)
{
	uint8_t byte = v;
	part(w, &byte, 1);
	return byte;
}

/* How many follow, of a byte each or more. */
static size_t count(struct walk *w, size_t n)
{
	part(w, &n, sizeof(n));
	if (!w->out && n > (size_t)(w->end - w->p)) {
		w->failed = true;
		n = 0;
	}
	return n;
}

/* With the 0 at its end; of 0 bytes: NULL. */
static void text(struct walk *w, const char **t)
{
	size_t n = count(w, w->out && *t ? strlen(*t) + 1 : 0);
	if (w->out) {
		mer_str_add(w->out, n ? *t : "", n);
		return;
	}
	*t = n ? w->p : NULL;
	if (n && w->p[n - 1]) {
		w->failed = true;
		*t = NULL;
	}
	w->p += n;
}

static void row(struct walk *w, const struct mer_table *t, struct mer_cell *cells)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		cells[c].set = flag(w, cells[c].set);
		if (cells[c].set && t->columns[c].type == MER_TEXT) {
			text(w, &cells[c].v.text);
			w->failed |= !cells[c].v.text; /* one without a text is not set */
		} else if (cells[c].set) {
			part(w, &cells[c].v, sizeof(cells[c].v));
		}
	}
}

static void column(struct walk *w, struct mer_column *c)
{
	uint8_t type = (uint8_t)c->type;
	text(w, &c->key);
	text(w, &c->title);
	part(w, &type, 1);
	c->type = type;
	w->failed |= !c->key || type < MER_TEXT || type > MER_BAR || mer_column_flaw(c);
}

static void table(struct walk *w, struct answer_table *x)
{
	struct mer_table *t = x->table;
	const char *id = t ? t->id : NULL, *title = t ? t->title : NULL;
	text(w, &id);
	text(w, &title);
	bool is_beside = flag(w, x->is_beside);
	size_t n = count(w, t ? t->n_columns : 0);
	struct mer_column *columns = mer_arena_zalloc(&w->a->arena, n + 1, sizeof(*columns));
	struct mer_cell *cells = mer_arena_zalloc(&w->a->arena, n + 1, sizeof(*cells));
	w->failed |= !columns || !cells || !id;
	if (t && columns)
		memcpy(columns, t->columns, n * sizeof(*columns));
	for (size_t c = 0; c < n && !w->failed; c++)
		column(w, &columns[c]);
	if (w->failed)
		return;
	if (!t) {
		t = answer_add(w->a, id, title, columns);
		x->is_beside = is_beside;
	}
	part(w, &t->n_left_out, sizeof(t->n_left_out));
	part(w, &t->time_ns, sizeof(t->time_ns));
	part(w, &t->unknown_ns, sizeof(t->unknown_ns));
	size_t n_rows = count(w, t->n_rows);
	for (size_t r = 0; r < n_rows && n && !w->failed; r++) {
		if (w->out)
			memcpy(cells, t->cells + r * n, n * sizeof(*cells));
		row(w, t, cells);
		if (!w->out)
			mer_table_add(t, cells);
	}
	w->failed |= t->failed;
}

static void synced(struct walk *w)
{
	struct session_synced s = { .reference = NULL };
	if (!flag(w, w->a->synced != NULL))
		return;
	if (w->out)
		s = *w->a->synced;
	part(w, &s.summary, sizeof(s.summary));
	part(w, &s.method, sizeof(s.method));
	text(w, &s.reference);
	text(w, &s.one_sided);
	text(w, &s.contradictory);
	text(w, &s.file);
	struct session_synced *to = w->out ? NULL : mer_arena_zalloc(&w->a->arena, 1, sizeof(*to));
	if (to)
		*to = s;
	if (!w->out)
		w->a->synced = to;
}

static void diagnostics(struct walk *w)
{
	struct mer_diags *all = &w->a->taken;
	size_t n = count(w, all->n);
	for (size_t i = 0; i < n && !w->failed; i++) {
		struct mer_diag d = { .code = NULL };
		if (w->out)
			d = all->rows[i];
		part(w, &d.severity, sizeof(d.severity));
		text(w, &d.code);
		text(w, &d.host);
		text(w, &d.path);
		part(w, &d.stream, sizeof(d.stream));
		part(w, &d.packet, sizeof(d.packet));
		part(w, &d.offset_bits, sizeof(d.offset_bits));
		part(w, &d.count, sizeof(d.count));
		text(w, &d.message);
		part(w, &d.remedy, sizeof(d.remedy));
		w->failed |= !d.code || !d.message;
		if (!w->out && !w->failed)
			mer_diag_add(all, &d, "%s", d.message);
	}
}

static void walk(struct walk *w)
{
	struct answer *a = w->a;
	part(w, &a->begin, sizeof(a->begin));
	part(w, &a->end, sizeof(a->end));
	size_t n = count(w, a->n);
	w->failed |= n > ANSWER_TABLES;
	for (size_t i = 0; i < n && !w->failed; i++)
		table(w, &a->tables[i]);
	synced(w);
	diagnostics(w);
}

void answer_to_bytes(struct answer *a, struct mer_str *out)
{
	struct walk w = { .a = a, .out = out };
	walk(&w);
	out->failed |= w.failed;
}

bool answer_from_bytes(struct answer *a, const char *bytes, size_t len)
{
	answer_init(a, NULL);
	const char *kept = mer_arena_strndup(&a->arena, bytes, len);
	mer_diags_init(&a->taken, &a->arena);
	a->found = &a->taken;
	struct walk w = { .a = a, .p = kept, .end = kept ? kept + len : NULL, .failed = !kept };
	walk(&w);
	a->is_whole = !w.failed && w.p == w.end && !a->arena.failed;
	return a->is_whole;
}
