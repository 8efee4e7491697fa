/* Reads a saved path (`meridian path --json`). The file may be anything: every sum is checked, so
 * that what is compared afterwards adds up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_get.h"
#include "ask/path/diff.h"

enum { IN_FLIGHT = PATH_N_CAUSES }; /* the part of PATH_NETWORK that is nobody's */

struct row { /* a task; of one host and tid */
	const char *host, *comm;
	int64_t in_flight; /* that it should have */
	int64_t ns[PATH_N_CAUSES + 1];
	uint64_t n[PATH_N_CAUSES + 1];
};

struct reader {
	struct ask *ask;
	struct ask_side *side;
	struct mer_json_get get;
	struct row *rows; /* malloc'ed */
	size_t n_rows;
	struct mer_intern keys; /* "host\ntid" -> number of the row */
};

static const char *cause_name(unsigned i)
{
	return path_cause_name((enum path_cause)i);
}

/* Number of the task of an object with "host" and "tid"; MER_INTERN_NONE: no memory. */
static uint32_t key_of(struct reader *r, const struct mer_json_value *object, const char *host)
{
	struct mer_str key = { 0 };
	mer_str_printf(&key, "%s\n%" PRId64, host, mer_json_get_int_or(&r->get, object, "tid", -1));
	uint32_t id = key.failed ? MER_INTERN_NONE : mer_intern_add(&r->keys, key.data, key.len);
	if (id == MER_INTERN_NONE)
		mer_json_get_nomem(&r->get);
	mer_str_fini(&key);
	return id;
}

static const char *text_or(struct reader *r, const struct mer_json_value *object, const char *key)
{
	const char *text = mer_json_get_text(&r->get, object, key, true, &r->ask->arena);
	return text && *text ? text : "?";
}

/* The table of this id; before schema_version 3 its rows were a member of the document. */
static const struct mer_json_value *rows_of(
	struct reader *r, const struct mer_json_value *root, const char *id)
{
	if (!mer_json_member(root, "tables"))
		return mer_json_get_array_of(&r->get, root, id, MER_JSON_OBJECT);
	const struct mer_json_value *all =
		mer_json_get_array_of(&r->get, root, "tables", MER_JSON_OBJECT);
	for (uint32_t i = 0; i < all->n; i++) {
		const struct mer_json_value *own = mer_json_find(&all->u.items[i], "id");
		if (own && own->kind == MER_JSON_STRING && mer_json_is(own, id))
			return mer_json_get_array_of(
				&r->get, &all->u.items[i], "rows", MER_JSON_OBJECT);
	}
	mer_json_get_fail(&r->get, all, "there is no table %s", id);
	return mer_json_get_array(&r->get, root, id); /* empty after the failure */
}

static const struct mer_json_value *task_of(struct reader *r, const struct mer_json_value *root)
{
	if (!mer_json_member(root, "tables"))
		return mer_json_get_object(&r->get, root, "task");
	const struct mer_json_value *rows = rows_of(r, root, "task");
	if (!r->get.rc && rows->n == 0)
		mer_json_get_fail(&r->get, rows, "it does not say which task it is of");
	return r->get.rc ? mer_json_get_object(&r->get, root, "task") : rows->u.items;
}

static void read_tasks(struct reader *r, const struct mer_json_value *root)
{
	const struct mer_json_value *all = rows_of(r, root, "by_task");
	r->rows = calloc(all->n + 1u, sizeof(*r->rows));
	if (!r->rows)
		mer_json_get_nomem(&r->get);
	for (uint32_t i = 0; i < all->n && !r->get.rc; i++) {
		const struct mer_json_value *v = &all->u.items[i];
		const char *host = text_or(r, v, "host");
		uint32_t id = key_of(r, v, host);
		int64_t flight = mer_json_get_int(&r->get, v, "in_flight_ns");
		if (r->get.rc)
			return;
		struct row *row = &r->rows[id];
		if (id == r->n_rows) {
			r->n_rows++;
			*row = (struct row){ .host = host, .comm = text_or(r, v, "comm") };
			if (mer_json_get_int_or(&r->get, v, "tid", -1) < 0)
				row->comm = PATH_NOBODY;
		}
		if (flight < 0 || __builtin_add_overflow(row->in_flight, flight, &row->in_flight))
			mer_json_get_fail(&r->get, v, "in_flight_ns makes no sense");
	}
}

static unsigned read_cause(struct reader *r, const struct mer_json_value *segment)
{
	/* As paths saved before schema_version 2 say it. */
	const struct mer_json_member *m = mer_json_member(segment, "cause");
	if (m && mer_json_is(&m->value, "wait-cpu"))
		return PATH_RUNNABLE;
	return mer_json_get_word(&r->get, segment, "cause", cause_name, PATH_N_CAUSES);
}

/* 0 and 1; before schema_version 3 true, or not there. */
static bool is_in_flight(const struct mer_json_value *segment)
{
	const struct mer_json_value *v = mer_json_find(segment, "in_flight");
	return v && (v->kind == MER_JSON_BOOL	       ? v->u.truth
			    : v->kind == MER_JSON_UINT ? v->u.number != 0
						       : false);
}

static void read_segments(struct reader *r, const struct mer_json_value *root)
{
	const struct mer_json_value *all = rows_of(r, root, "segments");
	int64_t at = r->side->begin;
	for (uint32_t i = 0; i < all->n && !r->get.rc; i++) {
		const struct mer_json_value *v = &all->u.items[i];
		uint32_t id = key_of(r, v, text_or(r, v, "host"));
		int64_t begin = mer_json_get_int(&r->get, v, "begin");
		int64_t end = mer_json_get_int(&r->get, v, "end");
		unsigned cause = read_cause(r, v);
		if (r->get.rc)
			return;
		if (begin != at || end < begin)
			mer_json_get_fail(&r->get, v, "does not begin where the one before ends");
		else if (id >= r->n_rows)
			mer_json_get_fail(&r->get, v, "its task is not in by_task");
		if (is_in_flight(v)) {
			if (cause != PATH_NETWORK)
				mer_json_get_fail(&r->get, v, "in flight, but not of the network");
			cause = IN_FLIGHT;
		}
		if (r->get.rc)
			return;
		/* No overflow: all are within begin..end of the path. */
		r->rows[id].ns[cause] += end - begin;
		r->rows[id].n[cause]++;
		at = end;
	}
	if (!r->get.rc && at != r->side->end)
		mer_json_get_fail(&r->get, all, "the segments do not reach the path's end");
}

static void add_parts(struct reader *r, const struct mer_json_value *root)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_rows && !rc; i++) {
		const struct row *row = &r->rows[i];
		if (row->in_flight != row->ns[IN_FLIGHT]) {
			mer_json_get_fail(&r->get, root,
				"in_flight_ns of by_task is not the sum of the segments");
			return;
		}
		for (unsigned c = 0; c <= PATH_N_CAUSES && !rc; c++)
			if (row->n[c])
				rc = path_profile_add(&r->side->profile, row->host, row->comm,
					c == IN_FLIGHT ? PATH_NETWORK : (enum path_cause)c,
					c == IN_FLIGHT, row->n[c], row->ns[c], &r->ask->err);
	}
	if (rc)
		r->get.rc = rc;
}

static void read_all(struct reader *r)
{
	struct mer_json_get *g = &r->get;
	struct mer_json_value root;
	mer_json_get_root(g, &r->ask->arena, &root);
	const struct mer_json_value *task = task_of(r, &root);
	r->side->host = text_or(r, task, "host");
	r->side->comm = text_or(r, task, "comm");
	r->side->tid = mer_json_get_int_or(g, task, "tid", -1);
	r->side->begin = mer_json_get_int(g, &root, "begin");
	r->side->end = mer_json_get_int(g, &root, "end");
	int64_t length;
	if (!g->rc && (r->side->end < r->side->begin ||
			      __builtin_sub_overflow(r->side->end, r->side->begin, &length)))
		mer_json_get_fail(g, &root, "it ends before it begins");
	read_tasks(r, &root);
	read_segments(r, &root);
	if (!g->rc)
		add_parts(r, &root);
}

int ask_diff_read(struct ask *ask, const char *path, struct ask_side *side)
{
	struct mer_file f;
	*side = (struct ask_side){ .file = path };
	path_profile_init(&side->profile);
	int rc = mer_file_open(&f, path, &ask->err);
	if (rc)
		return rc;
	struct reader r = { .ask = ask, .side = side };
	r.get = (struct mer_json_get){
		.text = (const char *)f.data, .path = path, .len = f.size, .err = &ask->err
	};
	mer_intern_init(&r.keys, &ask->arena);
	read_all(&r);
	mer_intern_fini(&r.keys);
	free(r.rows);
	mer_file_close(&f);
	return r.get.rc;
}
