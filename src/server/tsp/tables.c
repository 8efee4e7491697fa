/* Tables of the program as data trees: a row each, its cells as people read them; numbers as they
 * are in the metadata, under the program's keys. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/human.h"
#include "server/tsp/command.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_COLUMNS = 40 };

struct column {
	const char *key, *title, *type; /* type: as of tables, "duration" */
	bool is_shown;
};

struct table {
	struct tsp *t;
	struct column columns[MAX_COLUMNS];
	size_t n;
	const struct mer_json_value *rows; /* objects */
};

static const struct mer_json_value *list(const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = mer_json_find(object, key);
	return v && v->kind == MER_JSON_ARRAY ? v : NULL;
}

/* ---- Columns ---- */

/* Of a table: what people see of it, the rest as metadata. */
static void read_columns(struct table *x, const struct mer_json_value *columns)
{
	for (uint32_t i = 0; columns && i < columns->n && x->n < MAX_COLUMNS; i++) {
		const struct mer_json_value *c = &columns->u.items[i];
		struct column *to = &x->columns[x->n];
		to->key = mer_json_text_of(mer_json_find(c, "key"), &x->t->arena);
		to->title = mer_json_text_of(mer_json_find(c, "title"), &x->t->arena);
		to->type = mer_json_text_of(mer_json_find(c, "type"), &x->t->arena);
		to->is_shown = to->title != NULL;
		if (to->key && to->type)
			x->n++;
	}
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_name(const char *key)
{
	return strcmp(key, "tid") == 0 || strcmp(key, "pid") == 0 || strcmp(key, "port") == 0 ||
	       strcmp(key, "cpu") == 0;
}

/* ns since 1970, which are no count. */
static bool is_moment(const char *key)
{
	return ends_with(key, "_at") || strcmp(key, "begin") == 0 || strcmp(key, "end") == 0 ||
	       strcmp(key, "time") == 0;
}

/* Of a list of objects: their members, by the units that keys end with. */
static void guess_columns(struct table *x)
{
	const struct mer_json_value *first =
		x->rows && x->rows->n && x->rows->u.items[0].kind == MER_JSON_OBJECT
			? &x->rows->u.items[0]
			: NULL;
	for (uint32_t i = 0; first && i < first->n && x->n < MAX_COLUMNS; i++) {
		const struct mer_json_member *m = &first->u.members[i];
		struct column *to = &x->columns[x->n];
		if (m->value.kind == MER_JSON_ARRAY || m->value.kind == MER_JSON_OBJECT)
			continue;
		char *key = mer_arena_strndup(&x->t->arena, m->key, m->key_len);
		char *title = mer_arena_strndup(&x->t->arena, m->key, m->key_len);
		if (!key || !title)
			return;
		to->type = ends_with(key, "_ns")	    ? "duration"
			   : strstr(key, "bytes")	    ? "bytes"
			   : ends_with(key, "percent")	    ? "ratio"
			   : is_name(key)		    ? "id"
			   : is_moment(key)		    ? "time"
			   : m->value.kind == MER_JSON_REAL ? "real"
							    : "count";
		if (ends_with(key, "_ns"))
			title[m->key_len - 3] = '\0';
		for (char *p = title; *p; p++)
			*p = *p == '_' ? ' ' : *p;
		to->key = key;
		to->title = title;
		to->is_shown = true;
		x->n++;
	}
}

static int read_table(struct table *x, const struct server_table *s, const struct mer_str *text,
	struct mer_err *err)
{
	struct mer_json_value root = { .kind = MER_JSON_NULL };
	int rc = tsp_command_json(x->t, text, &root, err);
	if (rc)
		return rc;
	if (s->list) {
		x->rows = list(&root, s->list);
		guess_columns(x);
		return 0;
	}
	const struct mer_json_value *tables = list(&root, "tables");
	const struct mer_json_value *first = tables && tables->n ? &tables->u.items[0] : NULL;
	x->rows = list(first, "rows");
	read_columns(x, list(first, "columns"));
	return 0;
}

/* ---- Cells ---- */

static double real_of(const struct mer_json_value *v)
{
	int64_t i;
	memcpy(&i, &v->u.number, sizeof(i));
	return v->kind == MER_JSON_REAL	  ? v->u.real
	       : v->kind == MER_JSON_INT  ? (double)i
	       : v->kind == MER_JSON_UINT ? (double)v->u.number
					  : 0;
}

static bool is_number(const struct mer_json_value *v)
{
	return v->kind == MER_JSON_UINT || v->kind == MER_JSON_INT || v->kind == MER_JSON_REAL;
}

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static void put_number(struct mer_str *out, const char *type, const struct mer_json_value *v)
{
	double real = real_of(v);
	bool fits = fabs(real) < 9e18;
	int64_t whole = v->kind == MER_JSON_UINT && v->u.number <= INT64_MAX ? (int64_t)v->u.number
			: fits						     ? llround(real)
									     : 0;
	if (is(type, "duration") || is(type, "mean") || is(type, "offset"))
		mer_put_duration(out, whole);
	else if (is(type, "bytes"))
		mer_put_bytes(out, whole);
	else if (is(type, "count") && v->kind != MER_JSON_REAL)
		mer_put_count(out, whole);
	else if (is(type, "time") || is(type, "date"))
		tsp_put_clock(out, whole);
	else if (is(type, "ratio"))
		mer_str_printf(out, "%.1f", real);
	else if (is(type, "rate")) {
		mer_put_bytes(out, whole);
		mer_str_puts(out, "/s");
	} else if (v->kind == MER_JSON_REAL)
		mer_str_printf(out, "%.2f", real);
	else
		mer_str_printf(out, "%" PRId64, whole);
}

/* As people read it. */
static const char *label_of(struct tsp *t, const struct column *c, const struct mer_json_value *v)
{
	struct mer_str out = { 0 };
	if (!v || v->kind == MER_JSON_NULL)
		return "";
	if (v->kind == MER_JSON_BOOL)
		return v->u.truth ? "yes" : "no";
	if (!is_number(v))
		return v->kind == MER_JSON_STRING ? mer_json_text_of(v, &t->arena) : "";
	put_number(&out, c->type, v);
	const char *text = mer_arena_strdup(&t->arena, out.data ? out.data : "");
	mer_str_fini(&out);
	return text;
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
			if (x->columns[i].is_shown)
				labels[n++] = label_of(
					t, &x->columns[i], mer_json_find(row, x->columns[i].key));
		tsp_begin_entry(&t->j, (int64_t)r + 1, -1, labels, n, 1, 0, false);
		put_metadata(x, row);
		mer_json_end_object(&t->j);
	}
}

static const struct server_table *table_of(const struct tsp *t)
{
	const struct server_table *s = t->s->o.tables;
	while (s->id && strcmp(s->id, t->m.words[1]) != 0)
		s++;
	return s;
}

int tsp_table_tree(struct tsp *t, struct mer_err *err)
{
	const struct server_table *s = table_of(t);
	struct session_window w = tsp_window(t);
	struct table *x = mer_arena_zalloc(&t->arena, 1, sizeof(*x));
	struct tsp_header headers[MAX_COLUMNS];
	struct mer_str text = { 0 };
	size_t n = 0;
	if (!x)
		return mer_fail_nomem(err);
	x->t = t;
	/* The whole recording is asked about without a window, as by the page. */
	bool is_part = w.begin > tsp_experiment_of(t)->begin || w.end <= tsp_experiment_of(t)->end;
	const struct tsp_command command = { s->words, s->has_window && is_part ? &w : NULL,
		s->limit, true };
	int rc = tsp_command(t, &command, &text, err);
	if (rc == 0)
		rc = read_table(x, s, &text, err);
	for (size_t i = 0; rc == 0 && i < x->n; i++)
		if (x->columns[i].is_shown)
			headers[n++] = (struct tsp_header){ x->columns[i].title, x->columns[i].key,
				"STRING" };
	if (rc == 0) {
		tsp_begin_tree(&t->j, headers, n, -1);
		put_rows(x);
		tsp_end_tree(&t->j);
	}
	mer_str_fini(&text);
	return rc;
}
