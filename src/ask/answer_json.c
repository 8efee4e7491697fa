/* An answer as JSON. */
#include "ask/answer.h"
#include "base/diag_json.h"
#include "base/table_write.h"
#include "sync/result.h"
#include "trace/experiment.h"

static void put_time(struct mer_json *j, const char *key, int64_t t)
{
	if (t == MER_NO_TIME)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, t);
}

static void put_bound(struct mer_json *j, const char *key, int64_t ns)
{
	if (ns == INT64_MAX)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, ns);
}

static void put_synced(struct mer_json *j, const struct session_synced *s)
{
	if (!s) {
		mer_json_kv_null(j, "sync");
		return;
	}
	mer_json_kv_object(j, "sync");
	mer_json_kv_text(j, "method", sync_method_name(s->method));
	mer_json_kv_text(j, "reference", s->reference);
	mer_json_kv_uint(j, "hosts", s->summary.n_hosts);
	mer_json_kv_uint(j, "hosts_unsynchronized", s->summary.n_unsynchronized);
	put_bound(j, "likely_p50_ns", s->summary.likely_ns);
	put_bound(j, "bound_p50_ns", s->summary.median_ns);
	put_bound(j, "bound_max_ns", s->summary.max_ns);
	mer_json_kv_text(j, "file", s->file);
	mer_json_end_object(j);
}

static void put_diagnostics(struct mer_json *j, const struct answer *a)
{
	size_t n = 0;
	const struct mer_diag *rows = a->e ? trace_findings(a->e, &n) : NULL;
	mer_json_kv_array(j, "diagnostics");
	for (size_t i = 0; a->found && i < a->found->n; i++)
		mer_diag_json(&a->found->rows[i], j);
	for (size_t i = 0; i < n; i++)
		mer_diag_json(&rows[i], j);
	mer_json_end_array(j);
}

static int put_table(struct mer_json *j, struct answer_table *x, struct mer_err *err)
{
	int rc = 0;
	mer_table_json_head(x->table, j);
	if (!x->more)
		mer_table_json_add(x->table, j);
	while (x->more && (rc = answer_next(x, err)) == 0 && x->own.n_rows)
		mer_table_json_add(&x->own, j);
	mer_table_json_end(j);
	return rc;
}

void answer_json_about(const struct answer *a, struct mer_json *j)
{
	put_synced(j, a->synced);
	put_diagnostics(j, a);
}

int answer_json(struct answer *a, size_t first, size_t n, struct mer_str *out, FILE *file,
	struct mer_err *err)
{
	struct mer_json j;
	int rc = 0;
	mer_json_init(&j, out, file, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
	put_time(&j, "begin", a->begin);
	put_time(&j, "end", a->end);
	mer_json_kv_array(&j, "tables");
	for (size_t i = first; rc == 0 && i < first + n; i++)
		rc = put_table(&j, &a->tables[i], err);
	mer_json_end_array(&j);
	answer_json_about(a, &j);
	mer_json_end_object(&j);
	return rc ? rc : mer_json_finish(&j, err);
}
