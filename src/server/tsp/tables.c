/* Tables of the program as data trees, an entry for each row. Columns have the types of the
 * program's columns. Cells that are not text have exact numbers, as the protocol's types demand: a
 * DURATION is in ns, a TIMESTAMP in ns since 1970. The metadata has the same numbers, under the
 * program's keys. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/table.h"
#include "server/tsp/command.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_COLUMNS = 40 };

struct table {
	struct tsp *t;
	struct mer_column columns[MAX_COLUMNS];
	size_t n;
	const struct mer_json_value *rows; /* objects */
};

/* ---- Columns ---- */

/* 0: no such type. */
static enum mer_type type_of(const char *name)
{
	for (int i = MER_TEXT; name && i <= MER_BAR; i++)
		if (strcmp(mer_type_name((enum mer_type)i), name) == 0)
			return (enum mer_type)i;
	return 0;
}

/* Reads the columns of a table. Those without a title are in the metadata only. */
static void read_columns(struct table *x, const struct mer_json_value *columns)
{
	struct mer_arena *arena = &x->t->arena;
	for (uint32_t i = 0; columns && i < columns->n && x->n < MAX_COLUMNS; i++) {
		const struct mer_json_value *c = &columns->u.items[i];
		const struct mer_column to = { mer_json_text_of(mer_json_find(c, "key"), arena),
			mer_json_text_of(mer_json_find(c, "title"), arena),
			type_of(mer_json_text_of(mer_json_find(c, "type"), arena)) };
		if (to.key && to.type)
			x->columns[x->n++] = to;
	}
}

static int read_table(struct table *x, const struct server_table *s, const struct mer_str *text,
	struct mer_err *err)
{
	struct mer_json_value root = { .kind = MER_JSON_NULL };
	int rc = tsp_command_json(x->t, text, &root, err);
	if (rc)
		return rc;
	const struct mer_json_value *table = tsp_table_of(&root, s->table);
	x->rows = tsp_list_of(table, "rows");
	read_columns(x, tsp_list_of(table, "columns"));
	return 0;
}

/* By column type: its name in the protocol, and a unit for the header, as some viewers show the
 * bare number. */
static const struct {
	const char *type, *unit;
} types[] = {
	[MER_TEXT] = { "STRING", NULL },
	[MER_ID] = { "NUMBER", NULL },
	[MER_COUNT] = { "NUMBER", NULL },
	[MER_BYTES] = { "BINARY_NUMBER", "bytes" },
	[MER_DURATION] = { "DURATION", "ns" },
	[MER_OFFSET] = { "DURATION", "ns" },
	[MER_TIME] = { "TIMESTAMP", NULL },
	[MER_DATE] = { "TIMESTAMP", NULL },
	[MER_HZ] = { "NUMBER", "Hz" },
	[MER_KHZ] = { "NUMBER", "kHz" },
	[MER_MEAN] = { "DURATION", "ns" },
	[MER_RATIO] = { "NUMBER", "%" },
	[MER_REAL] = { "NUMBER", NULL },
	[MER_PPM] = { "NUMBER", "ppm" },
	[MER_RATE] = { "BINARY_NUMBER", "bytes/s" },
	[MER_BAR] = { "NUMBER", NULL },
};

static struct tsp_header header_of(struct tsp *t, const struct mer_column *c)
{
	const char *unit = types[c->type].unit, *name = NULL;
	if (unit && !strstr(c->title, unit)) /* "in guest %" */
		name = mer_arena_printf(&t->arena, "%s (%s)", c->title, unit);
	return (struct tsp_header){ name ? name : c->title, c->key, types[c->type].type };
}

/* ---- Cells ---- */

static bool is_number(const struct mer_json_value *v)
{
	return v->kind == MER_JSON_UINT || v->kind == MER_JSON_INT || v->kind == MER_JSON_REAL;
}

static const char *number_of(
	struct tsp *t, const struct mer_column *c, const struct mer_json_value *v)
{
	int64_t whole;
	/* Durations are whole ns in the protocol: means, whose type is that of durations in JSON,
	 * are rounded. */
	if (mer_json_int_of(v, &whole))
		return mer_arena_printf(&t->arena, "%" PRId64, whole);
	if (v->kind == MER_JSON_UINT)
		return mer_arena_printf(&t->arena, "%" PRIu64, v->u.number);
	if ((c->type == MER_MEAN || c->type == MER_DURATION) && fabs(v->u.real) < 9e18)
		return mer_arena_printf(&t->arena, "%lld", llround(v->u.real));
	return mer_arena_printf(&t->arena, "%.10g", v->u.real);
}

static const char *label_of(
	struct tsp *t, const struct mer_column *c, const struct mer_json_value *v)
{
	if (!v || v->kind == MER_JSON_NULL)
		return "";
	if (v->kind == MER_JSON_BOOL)
		return v->u.truth ? "yes" : "no";
	if (is_number(v))
		return number_of(t, c, v);
	return v->kind == MER_JSON_STRING ? mer_json_text_of(v, &t->arena) : "";
}

static void put_metadata(struct table *x, const struct mer_json_value *row)
{
	struct mer_json *j = &x->t->j;
	mer_json_kv_object(j, "metadata");
	for (size_t i = 0; i < x->n; i++) {
		const struct mer_json_value *v = mer_json_find(row, x->columns[i].key);
		if (!v || !is_number(v))
			continue;
		mer_json_kv_array(j, x->columns[i].key);
		if (v->kind == MER_JSON_UINT)
			mer_json_uint(j, v->u.number);
		else if (v->kind == MER_JSON_INT)
			mer_json_int(j, (int64_t)v->u.number);
		else
			tsp_put_real(j, v->u.real);
		mer_json_end_array(j);
	}
	mer_json_end_object(j);
}

static void put_rows(struct table *x)
{
	struct tsp *t = x->t;
	for (uint32_t r = 0; x->rows && r < x->rows->n; r++) {
		const struct mer_json_value *row = &x->rows->u.items[r];
		const char *labels[MAX_COLUMNS];
		size_t n = 0;
		for (size_t i = 0; i < x->n; i++)
			if (x->columns[i].title)
				labels[n++] = label_of(
					t, &x->columns[i], mer_json_find(row, x->columns[i].key));
		tsp_begin_entry(&t->j, (int64_t)r + 1, -1, labels, n, 1, 0, false);
		put_metadata(x, row);
		mer_json_end_object(&t->j);
	}
}

int tsp_table_tree(struct tsp *t, struct mer_err *err)
{
	const struct server_table *s = tsp_server_table(t, t->m.words[1]);
	struct session_window w = tsp_window(t);
	struct table *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	struct tsp_header headers[MAX_COLUMNS];
	struct mer_str text = { 0 };
	size_t n = 0;
	if (!x)
		return mer_fail_nomem(err);
	x->t = t;
	/* For the whole recording the command gets no window, as from the page: answers are
	 * shared. */
	bool is_part = w.begin > tsp_experiment_of(t)->begin || w.end <= tsp_experiment_of(t)->end;
	const struct tsp_command command = { .words = s->words,
		.window = s->has_window && is_part ? &w : NULL,
		.limit = s->limit,
		.is_kept = true };
	int rc = tsp_command(t, &command, &text, err);
	if (rc == 0)
		rc = read_table(x, s, &text, err);
	for (size_t i = 0; rc == 0 && i < x->n; i++)
		if (x->columns[i].title)
			headers[n++] = header_of(t, &x->columns[i]);
	if (rc == 0) {
		tsp_begin_tree(&t->j, headers, n, -1);
		put_rows(x);
		tsp_end_tree(&t->j);
	}
	mer_str_fini(&text);
	return rc;
}
