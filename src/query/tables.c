#include "query/tables.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

#include "ask/catalog.h"
#include "base/nearest.h"
#include "base/str.h"

static bool is_kind_of_facts(const struct analysis *a, unsigned output, bool views)
{
	return strcmp(a->outputs[output].id, "log") == 0 && !a->of_periods &&
	       (views || !a->of_views);
}

static bool has_column(const struct query_table *t, const char *key)
{
	for (const struct mer_column *c = t->columns; c->key; c++)
		if (strcmp(c->key, key) == 0)
			return true;
	return false;
}

static struct query_table of_facts(const struct ask_question *q, struct mer_arena *arena)
{
	const struct analysis_output *o = &q->analysis->outputs[q->output];
	struct query_table t = { .name = q->analysis->id,
		.title = o->title,
		.columns = o->columns,
		.request = { q->analysis, q->output },
		.needs = q->analysis->id,
		.is_facts = true };
	/* Of a wait it is said among those that were looked at. */
	t.is_whole = has_column(&t, "class");
	if (has_column(&t, "kind"))
		t.lake_kind = mer_arena_printf(arena, "%s_kind", t.name);
	return t;
}

/* "top", "cpu", "processes": top_cpu_processes; "top", "sched", "top_cpu": top_sched_cpu. */
static const char *name_of(const struct ask_question *q, struct mer_arena *arena)
{
	size_t len = strlen(q->verb);
	const char *table = q->table;
	if (table && strncmp(table, q->verb, len) == 0 && table[len] == '_')
		table += len + 1;
	return mer_arena_printf(
		arena, "%s_%s%s%s", q->verb, q->analysis->id, table ? "_" : "", table ? table : "");
}

static struct query_table of_verb(const struct ask_question *q, struct mer_arena *arena)
{
	const struct analysis_output *o = &q->analysis->outputs[q->output];
	return (struct query_table){ .name = name_of(q, arena),
		.title = o->title,
		.columns = o->columns,
		.request = { q->analysis, q->output },
		.needs = q->analysis->id,
		.is_whole = true };
}

static const struct mer_column *copy_columns(
	const struct mer_column *from, size_t n, struct mer_arena *arena)
{
	struct mer_column *to = mer_arena_zalloc(arena, n + 1, sizeof(*to));
	if (to)
		memcpy(to, from, n * sizeof(*to));
	return to;
}

/* The tables of one question. */
static void add_asked(const struct ask_verb_tables *of, bool views, struct mer_arena *arena,
	struct query_table *all, size_t *n)
{
	struct answer a;
	size_t verb = strcspn(of->words, " ");
	answer_init(&a, NULL);
	if (of->add)
		of->add(&a);
	else
		of->add_of_views(&a, views);
	for (size_t i = 0; i < a.n && *n < QUERY_TABLES; i++) {
		const struct mer_table *t = a.tables[i].table;
		bool is_itself = of->itself && strncmp(t->id, of->words, verb) == 0 && !t->id[verb];
		const char *title = t->title ? t->title : of->title;
		all[(*n)++] = (struct query_table){
			.name = is_itself ? of->itself
					  : mer_arena_printf(arena, "%s_%s", of->name, t->id),
			.title = mer_arena_strdup(arena, title ? title : ""),
			.columns = copy_columns(t->columns, t->n_columns, arena),
			.asked = of,
			.id = mer_arena_strdup(arena, t->id),
			.needs = of->needs,
			.is_whole = true
		};
	}
	arena->failed |= a.arena.failed;
	answer_fini(&a);
}

struct query_table *query_tables(struct mer_arena *arena, bool views, size_t *n)
{
	size_t n_questions;
	const struct ask_question *q = ask_questions(arena, &n_questions);
	struct query_table *all = mer_arena_zalloc(arena, QUERY_TABLES, sizeof(*all));
	*n = 0;
	if (!q || !all)
		return NULL;
	for (int facts = 1; facts >= 0; facts--)
		for (size_t i = 0; i < n_questions && *n < QUERY_TABLES; i++) {
			const struct analysis *a = q[i].analysis;
			if (!a || !q[i].verb || a->of_periods || (a->of_views && !views))
				continue;
			bool is = is_kind_of_facts(a, q[i].output, views);
			if (is == facts)
				all[(*n)++] = is ? of_facts(&q[i], arena) : of_verb(&q[i], arena);
		}
	for (const struct ask_verb_tables *t = ask_verb_tables; t->name; t++)
		add_asked(t, views, arena, all, n);
	if (arena->failed)
		*n = 0;
	return all;
}

const struct query_table *query_table_find(
	const struct query_table *tables, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(tables[i].name, name) == 0)
			return &tables[i];
	return NULL;
}

const char *query_table_meant(const struct query_table *tables, size_t n, const char *name)
{
	const char *names[QUERY_TABLES];
	for (size_t i = 0; i < n; i++)
		names[i] = tables[i].name;
	return mer_nearest(name, names, n);
}

int query_no_table(
	const struct query_table *tables, size_t n, const char *name, struct mer_err *err)
{
	const char *best = query_table_meant(tables, n, name);
	return mer_fail(err, MER_ERR_USAGE, "no table '%.100s'%s%s%s (.tables lists them)", name,
		best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
}

const char *query_type_of(enum mer_type type)
{
	return type == MER_TEXT ? "TEXT" : mer_type_is_real(type) ? "REAL" : "INTEGER";
}

void query_put_name(struct mer_str *out, const char *name)
{
	bool plain = *name && !isdigit((unsigned char)*name) &&
		     !sqlite3_keyword_check(name, (int)strlen(name));
	for (const char *c = name; *c; c++)
		plain &= isalnum((unsigned char)*c) || *c == '_';
	if (plain) {
		mer_str_puts(out, name);
		return;
	}
	mer_str_putc(out, '"');
	for (const char *c = name; *c; c++)
		mer_str_printf(out, *c == '"' ? "\"\"" : "%c", *c);
	mer_str_putc(out, '"');
}

void query_table_schema(const struct query_table *t, bool hidden, struct mer_str *out)
{
	mer_str_puts(out, "CREATE TABLE ");
	query_put_name(out, t->name);
	for (const struct mer_column *c = t->columns; c->key; c++) {
		mer_str_puts(out, c == t->columns ? "(\n  " : ",\n  ");
		query_put_name(out, c->key);
		mer_str_printf(out, " %s", query_type_of(c->type));
	}
	if (hidden && t->lake_kind)
		mer_str_printf(out, ",\n  %s TEXT HIDDEN", t->lake_kind);
	mer_str_puts(out, "\n)");
}
