/* Rows: finds the row of an event by its key; the first event with a key creates the row. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/safe_text.h"
#include "views/run.h"

static int no_memory(struct run *x)
{
	return mer_fail_nomem(x->err);
}

static int append(struct run *x, const struct view_row_of *own, uint32_t *row)
{
	struct view_host *h = x->h;
	struct view_row_of *of = mer_grow_at(&h->rows, &x->cap_h_rows, h->n_rows, sizeof(*of));
	struct run_row *r = mer_grow_at(&x->rows, &x->cap_rows, h->n_rows, sizeof(*r));
	if (!of || !r)
		return no_memory(x);
	*of = *own;
	*r = (struct run_row){ .lane = VIEW_NONE };
	*row = h->n_rows++;
	return 0;
}

static int new_row(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, int32_t tid, uint32_t *row)
{
	struct view_host *h = x->h;
	const struct view *v = x->r->views[b->view];
	int rc = 0;
	if (h->n_rows == VIEW_MAX_ROWS)
		return mer_fail(x->err, MER_ERR_LIMIT,
			"view %s: more than %d rows on host %s; use fewer fields in the key of row %s, line %u",
			v->name, VIEW_MAX_ROWS, h->name, v->rows[b->rule->row].name,
			(unsigned)v->rows[b->rule->row].line);
	uint32_t label = run_word(x, c, ev, &b->label, b->view, NULL, &rc);
	uint32_t under = rc ? VIEW_NONE : run_word(x, c, ev, &b->under, b->view, NULL, &rc);
	if (rc == 0 && label == VIEW_NONE) {
		const char *name = v->rows[b->rule->row].name;
		h->doubts.n_unlabelled++;
		label = mer_intern_add(&h->words, name, strlen(name));
		rc = label == MER_INTERN_NONE ? no_memory(x) : 0;
	}
	if (rc)
		return rc;
	return append(x,
		&(struct view_row_of){ .view = b->view,
			.row = b->rule->row,
			.label = label,
			.under = under,
			.tid = tid },
		row);
}

int run_intern(struct run *x, const char *text, uint32_t *word)
{
	struct mer_str clean = { 0 };
	mer_safe_add(&clean, text, strlen(text));
	*word = clean.failed
			? MER_INTERN_NONE
			: mer_intern_add(&x->h->words, clean.data ? clean.data : "", clean.len);
	mer_str_fini(&clean);
	return *word == MER_INTERN_NONE ? no_memory(x) : 0;
}

int run_add_row(struct run *x, uint32_t view, uint32_t declared, const char *label,
	const char *under, int32_t tid, uint32_t *row)
{
	struct view_host *h = x->h;
	struct view_row_of own = { .view = view, .row = declared, .tid = tid };
	if (h->n_rows == VIEW_MAX_ROWS)
		return mer_fail(x->err, MER_ERR_LIMIT,
			"view %s: more than %d rows on host %s; use fewer fields in its paths",
			x->r->views[view]->name, VIEW_MAX_ROWS, h->name);
	int rc = run_intern(x, label, &own.label);
	if (rc == 0)
		rc = run_intern(x, under, &own.under);
	return rc ? rc : append(x, &own, row);
}

/* VIEW_NONE: the event lacks a field of the key. */
static int look_up_row(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, int32_t tid, uint32_t *row)
{
	uint32_t head[2] = { b->view, b->rule->row };
	char bytes[sizeof(head)];
	memcpy(bytes, head, sizeof(head));
	mer_str_clear(&x->key);
	mer_str_add(&x->key, bytes, sizeof(bytes));
	*row = VIEW_NONE;
	if (!b->has_key || !run_put_fields(x, c, ev, b->key, b->rule->n_key))
		return 0;
	uint32_t key =
		x->key.failed ? MER_INTERN_NONE : mer_intern_add(&x->keys, x->key.data, x->key.len);
	uint32_t *at = key == MER_INTERN_NONE
			       ? NULL
			       : mer_grow_at(&x->row_of, &x->cap_row_of, key, sizeof(*at));
	if (!at)
		return no_memory(x);
	int rc = 0;
	if (*at)
		*row = *at - 1;
	else
		rc = new_row(x, c, ev, b, tid, row);
	if (rc == 0)
		x->row_of[key] = *row + 1;
	return rc;
}

int run_find_row(struct run *x, const struct mer_cursor *c, const struct mer_event *ev,
	const struct view_bound_rule *b, int32_t tid, uint32_t *row)
{
	const uint64_t *value = run_only_key(c, ev, b);
	if (!value)
		return look_up_row(x, c, ev, b, tid, row);
	uint64_t mixed = *value * 0x9e3779b97f4a7c15u;
	struct run_row_cache *at = &x->row_caches[b->number][mixed >> 32 & (VIEW_CACHE - 1)];
	if (at->row && at->value == *value && at->plan == ev->plan->id) {
		*row = at->row - 1;
		return 0;
	}
	int rc = look_up_row(x, c, ev, b, tid, row);
	if (rc == 0 && *row != VIEW_NONE)
		*at = (struct run_row_cache){ *value, ev->plan->id, *row + 1 };
	return rc;
}
