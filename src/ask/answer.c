#include "ask/answer.h"

#include <assert.h>
#include <string.h>

void answer_init(struct answer *a, const struct mer_experiment *e)
{
	*a = (struct answer){ .begin = MER_NO_TIME, .end = MER_NO_TIME, .e = e };
	mer_arena_init(&a->arena);
}

void answer_fini(struct answer *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct answer_table *x = &a->tables[i];
		if (x->table == &x->own)
			mer_table_fini(&x->own);
		if (x->more)
			mer_arena_fini(&x->texts);
	}
	mer_arena_fini(&a->arena);
	a->n = 0;
}

static struct answer_table *add(struct answer *a)
{
	assert(a->n < ANSWER_TABLES);
	struct answer_table *x = &a->tables[a->n++];
	*x = (struct answer_table){ .table = &x->own };
	return x;
}

struct mer_table *answer_add(
	struct answer *a, const char *id, const char *title, const struct mer_column *columns)
{
	struct answer_table *x = add(a);
	mer_table_init(&x->own, id, title, columns, &a->arena);
	return &x->own;
}

struct mer_table *answer_add_beside(
	struct answer *a, const char *id, const char *title, const struct mer_column *columns)
{
	struct mer_table *t = answer_add(a, id, title, columns);
	a->tables[a->n - 1].is_beside = true;
	return t;
}

void answer_add_made(struct answer *a, struct mer_table *t)
{
	add(a)->table = t;
}

void answer_stream(struct answer *a, const char *id, const char *title,
	const struct mer_column *columns, answer_more *more, void *ctx)
{
	struct answer_table *x = add(a);
	x->more = more;
	x->ctx = ctx;
	mer_arena_init(&x->texts);
	mer_table_init(&x->own, id, title, columns, &x->texts);
}

void answer_stream_beside(struct answer *a, const char *id, const char *title,
	const struct mer_column *columns, answer_more *more, void *ctx)
{
	answer_stream(a, id, title, columns, more, ctx);
	a->tables[a->n - 1].is_beside = true;
}

struct mer_table *answer_find(const struct answer *a, const char *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->tables[i].table->id, id) == 0)
			return a->tables[i].table;
	return NULL;
}

int answer_next(struct answer_table *x, struct mer_err *err)
{
	x->own.n_rows = 0;
	mer_arena_reset(&x->texts);
	int rc = x->more(x->ctx, &x->own, err);
	return rc == 0 && (x->own.failed || x->texts.failed) ? mer_fail_nomem(err) : rc;
}

int answer_check(const struct answer *a, struct mer_err *err)
{
	bool failed = a->arena.failed;
	for (size_t i = 0; i < a->n; i++)
		failed |= a->tables[i].table->failed;
	return failed ? mer_fail_nomem(err) : 0;
}
