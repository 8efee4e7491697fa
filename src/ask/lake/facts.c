#include "ask/lake/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/grow.h"
#include "base/new_file.h"
#include "base/table_write.h"

#define DAY_NS (INT64_C(86400) * 1000000000)

struct day {
	struct lake_file about;
	char path[LAKE_PATH];
	struct mer_new_file file;
};

struct lake_facts {
	const struct lake_place *place;
	const struct lake_list *old;
	const struct mer_column *columns;
	const struct parquet_pair *pairs;
	size_t n_pairs, n;
	struct mer_arena names;
	struct parquet_column *schema;
	struct parquet_value *values; /* of a row */
	struct day **days;
	size_t n_days, cap_days;
	struct parquet *parquet; /* of the last day; NULL: there is none */
	int64_t next_day;	 /* when the last day ends */
};

static enum parquet_type type_of(enum mer_type type)
{
	if (type == MER_TEXT)
		return PARQUET_TEXT;
	if (type == MER_TIME || type == MER_DATE)
		return PARQUET_TIME;
	return mer_type_is_real(type) ? PARQUET_DOUBLE : PARQUET_INT64;
}

/* host is the same in both. */
static const char *name_of(struct lake_facts *f, const char *key)
{
	bool is_folder = strcmp(key, "kind") == 0 || strcmp(key, "date") == 0;
	return is_folder ? mer_arena_printf(&f->names, "%s_%s", f->place->kind, key) : key;
}

int lake_facts_new(const struct lake_place *place, const struct lake_list *old,
	const struct mer_column *columns, const struct parquet_pair *pairs, size_t n_pairs,
	struct lake_facts **out, struct mer_err *err)
{
	struct lake_facts *f = calloc(1, sizeof(*f));
	*out = f;
	if (!f)
		return mer_fail_nomem(err);
	*f = (struct lake_facts){ .place = place,
		.old = old,
		.columns = columns,
		.pairs = pairs,
		.n_pairs = n_pairs,
		.next_day = INT64_MIN };
	mer_arena_init(&f->names);
	if (columns[0].type != MER_TIME)
		return mer_fail(
			err, MER_ERR_BUG, "facts of '%s' do not begin with a time", place->kind);
	while (columns[f->n].key)
		f->n++;
	f->schema = calloc(f->n + 1, sizeof(*f->schema));
	f->values = calloc(f->n + 1, sizeof(*f->values));
	if (!f->schema || !f->values)
		return mer_fail_nomem(err);
	for (size_t c = 0; c < f->n; c++)
		f->schema[c] = (struct parquet_column){ name_of(f, columns[c].key),
			type_of(columns[c].type) };
	return f->names.failed ? mer_fail_nomem(err) : 0;
}

/* The last day has all its rows. */
static int end_day(struct lake_facts *f, struct mer_err *err)
{
	struct parquet *p = f->parquet;
	if (!p)
		return 0;
	struct day *d = f->days[f->n_days - 1];
	int rc = parquet_end(p, "meridian version " MERIDIAN_VERSION, f->pairs, f->n_pairs, err);
	d->about.bytes = parquet_bytes(p);
	d->about.rows = parquet_rows(p);
	parquet_free(p);
	f->parquet = NULL;
	return rc;
}

/* Never over the file that is there: a reader would find a part of it. */
static bool open_beside(struct day *d)
{
	char folder[LAKE_PATH];
	memcpy(folder, d->path, sizeof(folder));
	*strrchr(folder, '/') = '\0';
	return access(folder, W_OK | X_OK) == 0 && mer_new_file_open(&d->file, d->path);
}

int lake_facts_begin_day(struct lake_facts *f, int64_t ns, struct mer_err *err)
{
	if (f->n_days && ns < f->next_day - DAY_NS)
		return mer_fail(err, MER_ERR_BUG, "facts of '%s' are not in the order of time",
			f->place->kind);
	int rc = end_day(f, err);
	if (rc)
		return rc;
	struct day *d = calloc(1, sizeof(*d));
	if (!d || !mer_grow(&f->days, f->n_days, &f->cap_days, sizeof(struct day *))) {
		free(d);
		return mer_fail_nomem(err);
	}
	d->file.fd = -1;
	f->days[f->n_days++] = d;
	int64_t day = ns / DAY_NS - (ns % DAY_NS < 0);
	f->next_day = (day + 1) * DAY_NS;
	lake_date(d->about.date, ns);
	d->about.part = lake_part(f->old, f->place, d->about.date);
	lake_file_path(d->path, f->place, &d->about);
	rc = lake_make_folders(d->path, err);
	if (rc == 0 && !open_beside(d))
		rc = mer_fail_errno(err, "write", d->path);
	return rc ? rc : parquet_new(d->file.fd, d->path, f->schema, f->n, &f->parquet, err);
}

/* As programs get it of tables: in the unit of the key; what is no number is not known. */
static struct parquet_value value_of(const struct mer_column *c, const struct mer_cell *cell)
{
	struct parquet_value v = { .known = cell->set };
	if (!v.known)
		return v;
	if (c->type == MER_TEXT) {
		v.v.text = cell->v.text;
	} else if (mer_type_is_real(c->type)) {
		v.v.f = mer_table_real(c->type, cell);
		v.known = isfinite(v.v.f);
	} else {
		v.v.i = cell->v.i;
	}
	return v;
}

int lake_facts_add(struct lake_facts *f, const struct mer_cell *cells, struct mer_err *err)
{
	int64_t begin = cells[0].set ? cells[0].v.i : 0;
	bool is_new = !f->n_days || begin >= f->next_day || begin < f->next_day - DAY_NS;
	int rc = is_new ? lake_facts_begin_day(f, begin, err) : 0;
	for (size_t c = 0; c < f->n; c++)
		f->values[c] = value_of(&f->columns[c], &cells[c]);
	return rc ? rc : parquet_add(f->parquet, f->values, err);
}

int lake_facts_commit(
	struct lake_facts *f, const char key[LAKE_KEY], struct lake_list *l, struct mer_err *err)
{
	int rc = end_day(f, err);
	*l = (struct lake_list){ 0 };
	memcpy(l->key, key, LAKE_KEY);
	for (size_t i = 0; i < f->n_days && rc == 0; i++) {
		if (!mer_grow(&l->files, l->n, &l->cap, sizeof(*l->files)))
			return mer_fail_nomem(err);
		l->files[l->n++] = f->days[i]->about;
	}
	/* While they can still be found: what is named below may not get its name. */
	if (rc == 0)
		lake_list_remove_others(f->old, l, f->place);
	if (rc == 0)
		rc = lake_list_write(l, f->place, err);
	for (size_t i = 0; i < f->n_days && rc == 0; i++)
		if (!mer_new_file_commit(&f->days[i]->file))
			rc = mer_fail_errno(err, "write", f->days[i]->path);
	return rc;
}

void lake_facts_free(struct lake_facts *f)
{
	if (!f)
		return;
	parquet_free(f->parquet);
	for (size_t i = 0; i < f->n_days; i++) {
		mer_new_file_abandon(&f->days[i]->file);
		free(f->days[i]);
	}
	mer_arena_fini(&f->names);
	free(f->days);
	free(f->schema);
	free(f->values);
	free(f);
}
