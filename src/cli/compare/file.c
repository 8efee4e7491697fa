/* Baselines: what was measured of recordings, without them. One JSON document: measures, and for
 * each recording its values by number of the measure. Another version of meridian may measure
 * something else under the same name, so a baseline is of one version. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_get.h"
#include "cli/compare/compare.h"
#include "meridian/session.h"

enum { BASELINE_VERSION = 1 };
static const char magic[] = "{\"meridian_baseline\":";

static const char *const units[] = {
	[COMPARE_NS] = "ns", [COMPARE_PER_S] = "per_s", [COMPARE_PRESENT] = "present"
};

bool compare_is_baseline(const char *path)
{
	struct mer_file f = { 0 };
	struct mer_err err;
	bool is = mer_file_open(&f, path, &err) == 0 && f.size >= sizeof(magic) - 1 &&
		  memcmp(f.data, magic, sizeof(magic) - 1) == 0;
	mer_file_close(&f);
	return is;
}

/* ---- Writing ---- */

static void write_measures(struct mer_json *j, const struct compare_set *s)
{
	mer_json_kv_array(j, "measures");
	for (size_t i = 0; i < s->n_measures; i++) {
		const struct compare_measure *m = &s->measures[i];
		mer_json_begin_object(j);
		mer_json_kv_text(j, "kind", m->kind);
		mer_json_kv_text(j, "subject", m->subject);
		mer_json_kv_text(j, "measure", m->name);
		mer_json_kv_text(j, "class", compare_class_names[m->class]);
		mer_json_kv_text(j, "unit", units[m->unit]);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

static void write_run(struct mer_json *j, const struct compare_run *run)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "path", run->path);
	if (run->duration_ns == MER_NO_TIME)
		mer_json_kv_null(j, "duration_ns");
	else
		mer_json_kv_int(j, "duration_ns", run->duration_ns);
	mer_json_kv_uint(j, "lost_events", run->lost);
	mer_json_kv_array(j, "of");
	for (size_t i = 0; i < run->n; i++)
		mer_json_uint(j, run->values[i].measure);
	mer_json_end_array(j);
	mer_json_kv_array(j, "values");
	for (size_t i = 0; i < run->n; i++)
		mer_json_double(j, run->values[i].v);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

int compare_write_baseline(struct ask *ask, const struct compare_set *s, const char *path)
{
	struct mer_str out = { 0 };
	struct mer_json j;
	mer_json_init(&j, &out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "meridian_baseline", BASELINE_VERSION);
	mer_json_kv_text(&j, "version", mer_version_text());
	write_measures(&j, s);
	mer_json_kv_array(&j, "runs");
	for (size_t i = 0; i < s->n_runs; i++)
		write_run(&j, &s->runs[i]);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	int rc = mer_json_finish(&j, &ask->err);
	if (rc == 0)
		rc = ask_write_file(ask, path, &out);
	mer_str_fini(&out);
	return rc;
}

/* ---- Reading ---- */

struct reading {
	struct mer_json_get g;
	struct mer_arena arena; /* of the tree */
	struct compare_set *s;
	struct compare_measure *measures;
	size_t n_measures;
};

static int word_of(struct reading *x, const struct mer_json_value *object, const char *key,
	const char *const *words, int n)
{
	const char *word = mer_json_get_text(&x->g, object, key, false, &x->arena);
	for (int i = 0; i < n && x->g.rc == 0; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	mer_json_get_fail(&x->g, object, "\"%s\": '%.40s' is not known", key, word);
	return 0;
}

static void read_measures(struct reading *x, const struct mer_json_value *root)
{
	const struct mer_json_value *all =
		mer_json_get_array_of(&x->g, root, "measures", MER_JSON_OBJECT);
	if (all->n > COMPARE_MOST_MEASURES)
		mer_json_get_fail(&x->g, all, "more than %d measures", (int)COMPARE_MOST_MEASURES);
	if (x->g.rc == 0)
		x->measures = mer_arena_zalloc(&x->arena, all->n + 1, sizeof(*x->measures));
	if (x->g.rc == 0 && !x->measures)
		mer_json_get_nomem(&x->g);
	for (uint32_t i = 0; x->g.rc == 0 && i < all->n; i++) {
		const struct mer_json_value *m = &all->u.items[i];
		x->measures[i] = (struct compare_measure){
			mer_json_get_text(&x->g, m, "kind", false, &x->arena),
			mer_json_get_text(&x->g, m, "subject", false, &x->arena),
			mer_json_get_text(&x->g, m, "measure", false, &x->arena),
			(enum compare_class)word_of(
				x, m, "class", compare_class_names, COMPARE_N_CLASSES),
			(enum compare_unit)word_of(x, m, "unit", units, 3),
		};
		x->n_measures++;
		if ((x->measures[i].unit == COMPARE_PRESENT) !=
			(x->measures[i].class == COMPARE_PRESENCE))
			mer_json_get_fail(&x->g, m, "class and unit do not agree");
	}
}

static bool number_of(const struct mer_json_value *v, double *to)
{
	int64_t whole;
	if (v->kind == MER_JSON_REAL)
		*to = v->u.real;
	else if (mer_json_int_of(v, &whole))
		*to = (double)whole;
	else
		return false;
	return isfinite(*to) && *to > 0;
}

static void read_run(
	struct reading *x, const struct mer_json_value *object, const char *file, int side)
{
	const char *path = mer_json_get_text(&x->g, object, "path", false, &x->arena);
	const struct mer_json_value *of = mer_json_get_array(&x->g, object, "of");
	const struct mer_json_value *values = mer_json_get_array(&x->g, object, "values");
	int64_t duration = mer_json_get_int_or(&x->g, object, "duration_ns", MER_NO_TIME);
	uint64_t lost = mer_json_get_uint(&x->g, object, "lost_events");
	if (of->n != values->n)
		mer_json_get_fail(&x->g, values, "it has other values than measures");
	if (x->s->n_runs == COMPARE_MOST_RUNS)
		mer_json_get_fail(&x->g, object, "more than %d recordings", (int)COMPARE_MOST_RUNS);
	if (x->g.rc)
		return;
	struct compare_run *run = compare_add_run(x->s, path, side);
	if (!run) {
		mer_json_get_nomem(&x->g);
		return;
	}
	run->baseline = file;
	run->duration_ns = duration;
	run->lost = lost;
	for (uint32_t i = 0; x->g.rc == 0 && i < of->n; i++) {
		int64_t measure;
		double v;
		if (!mer_json_int_of(&of->u.items[i], &measure) || measure < 0 ||
			(size_t)measure >= x->n_measures)
			mer_json_get_fail(&x->g, &of->u.items[i], "there is no such measure");
		else if (!number_of(&values->u.items[i], &v))
			mer_json_get_fail(
				&x->g, &values->u.items[i], "a value must be a number above 0");
		else if (!compare_add(x->s, &x->measures[measure], v))
			mer_json_get_nomem(&x->g);
	}
}

static void read_document(struct reading *x, const char *file, int side)
{
	struct mer_json_value root;
	mer_json_get_root(&x->g, &x->arena, &root);
	if (x->g.rc)
		return;
	int64_t version = mer_json_get_int(&x->g, &root, "meridian_baseline");
	const char *by = mer_json_get_text(&x->g, &root, "version", false, &x->arena);
	if (x->g.rc == 0 && (version != BASELINE_VERSION || strcmp(by, mer_version_text()) != 0))
		mer_json_get_fail(&x->g, &root,
			"this baseline is of meridian %.40s; %s may measure otherwise: make it again",
			by, mer_version_text());
	read_measures(x, &root);
	const struct mer_json_value *runs =
		mer_json_get_array_of(&x->g, &root, "runs", MER_JSON_OBJECT);
	for (uint32_t i = 0; x->g.rc == 0 && i < runs->n; i++)
		read_run(x, &runs->u.items[i], file, side);
}

int compare_read_baseline(struct compare_set *s, const char *path, int side, struct mer_err *err)
{
	struct mer_file f = { 0 };
	const char *file = mer_arena_strdup(&s->arena, path);
	int rc = file ? mer_file_open(&f, path, err) : mer_fail_nomem(err);
	if (rc)
		return rc;
	struct reading x = {
		.g = { .text = (const char *)f.data, .path = path, .len = f.size, .err = err },
		.s = s
	};
	mer_arena_init(&x.arena);
	read_document(&x, file, side);
	mer_arena_fini(&x.arena);
	mer_file_close(&f);
	return x.g.rc;
}
