#include "server/tsp/query.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/json_read.h"

enum { MAX_TEXT = 4096 }; /* bytes of a path or name */

static const int64_t FAR = INT64_MAX / 2; /* times are within this of 1970 */

struct reader {
	struct mer_arena *arena;
	struct mer_err *err;
	const struct mer_json_value *root, *own; /* the whole body, and its parameters */
	int rc;
};

static void fail(struct reader *r, const char *key, const char *wanted)
{
	if (r->rc == 0)
		r->rc = mer_fail(r->err, MER_ERR_USAGE, "'%s' must be %s", key, wanted);
}

/* The member; NULL if it is missing or null. */
static const struct mer_json_value *member(const struct mer_json_value *object, const char *key)
{
	const struct mer_json_member *m = object ? mer_json_member(object, key) : NULL;
	return m && m->value.kind != MER_JSON_NULL ? &m->value : NULL;
}

/* Fractions are cut off. false: not a number, or out of range. */
static bool to_int(const struct mer_json_value *v, int64_t *to)
{
	switch (v->kind) {
	case MER_JSON_UINT: *to = (int64_t)v->u.number; return v->u.number <= INT64_MAX;
	case MER_JSON_INT: memcpy(to, &v->u.number, sizeof(*to)); return true;
	case MER_JSON_REAL:
		if (!(fabs(v->u.real) < 9e18))
			return false;
		*to = (int64_t)v->u.real;
		return true;
	default: return false;
	}
}

static bool get_int(struct reader *r, const struct mer_json_value *object, const char *key,
	int64_t least, int64_t most, int64_t *to)
{
	const struct mer_json_value *v = member(object, key);
	int64_t n;
	if (!v)
		return false;
	if (!to_int(v, &n) || n < least || n > most) {
		fail(r, key, "a whole number in range");
		return false;
	}
	*to = n;
	return true;
}

static const char *to_text(struct reader *r, const char *key, const struct mer_json_value *v)
{
	bool ok = v->kind == MER_JSON_STRING && v->n <= MAX_TEXT && !memchr(v->u.text, 0, v->n);
	if (!ok) {
		fail(r, key, "a text of at most 4096 bytes");
		return NULL;
	}
	return mer_arena_strndup(r->arena, v->u.text, v->n);
}

static const char *get_text(struct reader *r, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(object, key);
	return v ? to_text(r, key, v) : NULL;
}

static const struct mer_json_value *get_list(
	struct reader *r, const struct mer_json_value *object, const char *key)
{
	const struct mer_json_value *v = member(object, key);
	if (v && (v->kind != MER_JSON_ARRAY || v->n > TSP_MAX_ITEMS)) {
		fail(r, key, "a list of at most 100000 elements");
		return NULL;
	}
	return v;
}

/* Numbers from least to most. */
static const int64_t *get_numbers(struct reader *r, const struct mer_json_value *object,
	const char *key, int64_t least, int64_t most, size_t *n)
{
	const struct mer_json_value *v = get_list(r, object, key);
	int64_t *to = v ? mer_arena_zalloc(r->arena, v->n + 1u, sizeof(*to)) : NULL;
	*n = 0;
	for (uint32_t i = 0; to && i < v->n; i++) {
		if (!to_int(&v->u.items[i], &to[i]) || to[i] < least || to[i] > most) {
			fail(r, key, "a list of whole numbers");
			*n = 0;
			return NULL;
		}
		(*n)++;
	}
	return to;
}

static const char *const *get_texts(
	struct reader *r, const struct mer_json_value *object, const char *key, size_t *n)
{
	const struct mer_json_value *v = get_list(r, object, key);
	const char **to = v ? mer_arena_zalloc(r->arena, v->n + 1u, sizeof(*to)) : NULL;
	*n = 0;
	for (uint32_t i = 0; to && i < v->n; i++) {
		to[i] = to_text(r, key, &v->u.items[i]);
		if (!to[i]) {
			*n = 0;
			return NULL;
		}
		(*n)++;
	}
	return to;
}

/* ---- Parts of a query ---- */

static void read_range(struct reader *r, struct tsp_query *q)
{
	const struct mer_json_value *v = member(r->own, "requested_timerange");
	int64_t n = 0;
	q->times = get_numbers(r, r->own, "requested_times", -FAR, FAR, &q->n_given);
	if (v && v->kind != MER_JSON_OBJECT) {
		fail(r, "requested_timerange", "an object");
	} else if (v) {
		q->has_range = get_int(r, v, "start", -FAR, FAR, &q->begin) &&
			       get_int(r, v, "end", -FAR, FAR, &q->end);
		if (!q->has_range || q->begin > q->end)
			fail(r, "requested_timerange",
				"a start and an end, ns since 1970, the end not before the start");
		if (get_int(r, v, "nbTimes", 0, INT32_MAX, &n) ||
			get_int(r, v, "nbSamples", 0, INT32_MAX, &n))
			q->n_times = n < TSP_MAX_TIMES ? (uint32_t)n : TSP_MAX_TIMES;
	} else if (q->n_given) {
		q->has_range = true;
		q->begin = q->end = q->times[0];
		for (size_t i = 1; i < q->n_given; i++) {
			q->begin = q->times[i] < q->begin ? q->times[i] : q->begin;
			q->end = q->times[i] > q->end ? q->times[i] : q->end;
		}
		q->n_times = q->n_given < TSP_MAX_TIMES ? (uint32_t)q->n_given : TSP_MAX_TIMES;
	}
}

/* {"column": "regular expression", ...} */
static void read_searches(struct reader *r, struct tsp_query *q)
{
	static const char key[] = "table_search_expressions";
	const struct mer_json_value *v = member(r->own, key);
	const char *direction = get_text(r, r->own, "table_search_direction");
	if (v && (v->kind != MER_JSON_OBJECT || v->n > TSP_MAX_SEARCHES)) {
		fail(r, key, "an object of at most 16 columns");
		return;
	}
	for (uint32_t i = 0; v && i < v->n; i++) {
		const struct mer_json_member *m = &v->u.members[i];
		uint32_t column = 0;
		bool ok = m->key_len > 0 && m->key_len < 9;
		for (uint32_t k = 0; ok && k < m->key_len; k++) {
			ok = m->key[k] >= '0' && m->key[k] <= '9';
			column = column * 10 + (uint32_t)(m->key[k] - '0');
		}
		if (!ok || m->value.kind != MER_JSON_STRING || m->value.n > TSP_MAX_PATTERN) {
			fail(r, key, "numbers of columns with a text of at most 1000 bytes");
			return;
		}
		const char *pattern = to_text(r, key, &m->value);
		if (pattern)
			q->searches[q->n_searches++] = (struct tsp_search){ column, pattern };
	}
	q->is_search = q->n_searches > 0;
	q->has_direction = direction != NULL;
	q->is_backward = direction && strcmp(direction, "PREVIOUS") == 0;
	if (direction && !q->is_backward && strcmp(direction, "NEXT") != 0)
		fail(r, "table_search_direction", "NEXT or PREVIOUS");
}

static void read_table(struct reader *r, struct tsp_query *q)
{
	int64_t n = 0;
	q->has_index = get_int(r, r->own, "requested_table_index", 0, INT64_MAX, &n);
	q->index = (uint64_t)n;
	n = 0;
	q->has_count = get_int(r, r->own, "requested_table_count", 0, INT64_MAX, &n);
	q->count = n < TSP_MAX_LINES ? (uint64_t)n : TSP_MAX_LINES;
	q->columns =
		get_numbers(r, r->own, "requested_table_column_ids", -1, INT32_MAX, &q->n_columns);
	read_searches(r, q);
}

static void read_element(struct reader *r, struct tsp_query *q)
{
	const struct mer_json_value *v = member(r->own, "requested_element");
	q->element_entry = q->element_target = -1;
	if (v && v->kind != MER_JSON_OBJECT)
		fail(r, "requested_element", "an object");
	if (!v || v->kind != MER_JSON_OBJECT)
		return;
	q->element = get_text(r, v, "elementType");
	get_int(r, v, "time", -FAR, FAR, &q->element_time);
	get_int(r, v, "duration", 0, FAR, &q->element_duration);
	get_int(r, v, "entryId", -1, INT64_MAX, &q->element_entry);
	get_int(r, v, "destinationId", -1, INT64_MAX, &q->element_target);
}

/* What is to be created: {"name", "description", "sourceTypeId", "parameters": {"host", "tid"}}. */
static void read_made(struct reader *r, struct tsp_query *q)
{
	q->uri = get_text(r, r->own, "uri");
	q->name = get_text(r, r->root, "name");
	if (!q->name)
		q->name = get_text(r, r->own, "name");
	q->type = get_text(r, r->root, "sourceTypeId");
	q->traces = get_texts(r, r->own, "traces", &q->n_traces);
	q->has_traces = q->traces != NULL;
	q->tid = -1;
	q->host = get_text(r, r->own, "host");
	get_int(r, r->own, "tid", 0, INT32_MAX, &q->tid);
}

/* {"strategy": "SAMPLED" or "DEEP", "filter_expressions_map": {"1": dimmed, "4": excluded}} */
static void read_filters(struct reader *r, struct tsp_query *q)
{
	static const char key[] = "filter_query_parameters", map[] = "filter_expressions_map";
	const struct mer_json_value *v = member(r->own, key), *of;
	if (!v)
		return;
	if (v->kind != MER_JSON_OBJECT) {
		fail(r, key, "an object");
		return;
	}
	const char *strategy = get_text(r, v, "strategy");
	q->is_deep = strategy && strcmp(strategy, "DEEP") == 0;
	if (strategy && !q->is_deep && strcmp(strategy, "SAMPLED") != 0)
		fail(r, "strategy", "SAMPLED or DEEP");
	of = member(v, map);
	if (of && of->kind != MER_JSON_OBJECT) {
		fail(r, map, "an object");
		return;
	}
	for (uint32_t i = 0; of && i < of->n; i++)
		if (of->u.members[i].key_len != 1 || !strchr("14", of->u.members[i].key[0]))
			fail(r, map,
				"lists of expressions under \"1\" (dim others) or \"4\" (leave them out)");
	q->dimmed = get_texts(r, of, "1", &q->n_dimmed);
	q->excluded = get_texts(r, of, "4", &q->n_excluded);
	if (q->n_dimmed > TSP_MAX_FILTERS || q->n_excluded > TSP_MAX_FILTERS)
		fail(r, map, "at most 16 expressions each");
}

static int read_all(struct reader *r, struct tsp_query *q)
{
	read_range(r, q);
	q->items = get_numbers(r, r->own, "requested_items", 0, INT64_MAX, &q->n_items);
	q->has_items = q->items != NULL;
	read_table(r, q);
	read_element(r, q);
	q->categories = get_texts(r, r->own, "requested_marker_categories", &q->n_categories);
	q->has_categories = q->categories != NULL;
	read_made(r, q);
	read_filters(r, q);
	q->has_start = get_int(r, r->own, "start", -FAR, FAR, &q->start_time);
	q->has_end = get_int(r, r->own, "end", -FAR, FAR, &q->end_time);
	return r->rc == 0 && r->arena->failed ? mer_fail_nomem(r->err) : r->rc;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

int tsp_query_parse(const char *body, size_t len, struct mer_arena *arena, struct tsp_query *q,
	struct mer_err *err)
{
	struct mer_json_reader json;
	struct mer_json_value root = { .kind = MER_JSON_NULL };
	*q = (struct tsp_query){ .tid = -1, .element_entry = -1, .element_target = -1 };
	if (is_blank(body, len))
		return 0;
	mer_json_reader_init(&json, body, len, arena);
	int rc = mer_json_read(&json, &root);
	if (rc == MER_ERR_NOMEM)
		rc = mer_fail_nomem(err);
	else if (rc)
		rc = mer_fail(err, MER_ERR_USAGE, "the body is not JSON: byte %zu: %s", json.err_at,
			json.err);
	else if (root.kind != MER_JSON_OBJECT || !is_blank(body + json.pos, len - json.pos))
		rc = mer_fail(err, MER_ERR_USAGE, "the body must be one JSON object");
	mer_json_reader_fini(&json);
	if (rc)
		return rc;
	const struct mer_json_value *own = member(&root, "parameters");
	if (own && own->kind != MER_JSON_OBJECT)
		return mer_fail(err, MER_ERR_USAGE, "'parameters' must be an object");
	struct reader r = { arena, err, &root, own ? own : &root, 0 };
	return read_all(&r, q);
}

bool tsp_is_asked(const struct tsp_query *q, int64_t entry)
{
	bool found = !q->has_items;
	for (size_t i = 0; !found && i < q->n_items; i++)
		found = q->items[i] == entry;
	return found;
}
