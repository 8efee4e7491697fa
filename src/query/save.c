/* Tables to a database file. All kinds of facts come from one reading, unless a store has them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/library/api.h"
#include "base/table_write.h"
#include "query/state.h"
#include "session/request.h"

struct saving {
	struct query *q;
	sqlite3 *db;
	sqlite3_stmt *insert[QUERY_TABLES]; /* NULL: the table is not wanted */
	uint64_t n_rows[QUERY_TABLES];
};

static int fail(const struct saving *x, const char *path, struct mer_err *err)
{
	return mer_fail(err, MER_ERR_SYS, "write '%.300s': %s", path, sqlite3_errmsg(x->db));
}

static int begin_table(struct saving *x, size_t i)
{
	struct mer_str sql = { 0 };
	const struct query_table *t = &x->q->tables[i];
	query_table_schema(t, false, &sql);
	int rc = sql.failed ? SQLITE_NOMEM : sqlite3_exec(x->db, sql.data, NULL, NULL, NULL);
	mer_str_clear(&sql);
	mer_str_puts(&sql, "INSERT INTO ");
	query_put_name(&sql, t->name);
	for (const struct mer_column *c = t->columns; c->key; c++)
		mer_str_puts(&sql, c == t->columns ? " VALUES (?" : ", ?");
	mer_str_puts(&sql, ")");
	if (rc == 0)
		rc = sql.failed ? SQLITE_NOMEM
				: sqlite3_prepare_v2(x->db, sql.data, -1, &x->insert[i], NULL);
	mer_str_fini(&sql);
	return rc;
}

static int add_row(
	struct saving *x, size_t table, const struct mer_cell *cells, struct mer_err *err)
{
	sqlite3_stmt *s = x->insert[table];
	const struct mer_column *c = x->q->tables[table].columns;
	sqlite3_reset(s);
	for (int i = 0; c[i].key; i++) {
		if (!cells[i].set)
			sqlite3_bind_null(s, i + 1);
		else if (c[i].type == MER_TEXT)
			sqlite3_bind_text(s, i + 1, cells[i].v.text, -1, SQLITE_STATIC);
		else if (mer_type_is_real(c[i].type)) /* what is no number becomes NULL */
			sqlite3_bind_double(s, i + 1, mer_table_real(c[i].type, &cells[i]));
		else
			sqlite3_bind_int64(s, i + 1, cells[i].v.i);
	}
	int code = sqlite3_step(s);
	x->n_rows[table]++;
	sqlite3_clear_bindings(s);
	return code == SQLITE_DONE ? 0 : fail(x, x->q->tables[table].name, err);
}

static int take_row(void *taker, const struct analysis_run *run, const struct mer_table *t,
	uint32_t host, const struct mer_cell *cells)
{
	struct saving *x = taker;
	size_t i = 0;
	(void)t;
	(void)host;
	while (!x->q->tables[i].is_facts || x->q->tables[i].request.analysis != run->analysis)
		i++;
	return add_row(x, i, cells, run->err);
}

static int save_facts(
	struct saving *x, const struct analysis_request *requests, size_t n, struct mer_err *err)
{
	struct session_answer a;
	const struct session_request request = { .tables = requests,
		.n = n,
		.selection = x->q->of.select,
		.options = { .max_ns = INT64_MAX, .take_row = take_row, .taker = x },
		.stage = SESSION_READING };
	int rc = session_request(api_session(x->q->of.session), &request, &a, err);
	session_answer_fini(&a);
	return rc;
}

static int save_table(struct saving *x, size_t i, struct mer_err *err)
{
	const struct analysis_request *r = &x->q->tables[i].request;
	const char *id = r->analysis->outputs[r->output].id;
	const struct mer_table_options options = { .size = sizeof(options) };
	struct mer_result *result;
	int rc = api_tables(x->q->of.session, r->analysis->id, &id, 1, &options, x->q->of.select,
		NULL, &result, err);
	if (rc)
		return rc;
	const struct mer_table *t = api_table(result);
	for (size_t k = 0; k < t->n_rows && rc == 0; k++)
		rc = add_row(x, i, &t->cells[k * t->n_columns], err);
	mer_result_free(result);
	return rc;
}

static int save_rows(struct saving *x, struct mer_err *err)
{
	struct analysis_request requests[QUERY_TABLES], all[QUERY_TABLES];
	size_t n = 0, n_all = 0;
	int rc = 0;
	for (size_t i = 0; i < x->q->n_tables; i++) {
		if (x->insert[i] && x->q->tables[i].is_facts)
			requests[n++] = x->q->tables[i].request;
		if (x->insert[i])
			all[n_all++] = x->q->tables[i].request;
	}
	if (x->q->of.prepare)
		rc = x->q->of.prepare(x->q->of.ctx, analysis_needs_messages(all, n_all), err);
	size_t step = rc == 0 && session_store_is_likely(api_session(x->q->of.session)) ? 1 : n;
	for (size_t i = 0; i < n && rc == 0; i += step)
		rc = save_facts(x, requests + i, step, err);
	for (size_t i = 0; i < x->q->n_tables && rc == 0; i++)
		if (x->insert[i] && !x->q->tables[i].is_facts)
			rc = save_table(x, i, err);
	return rc;
}

static int save(struct saving *x, const char *path, const bool *wanted, struct mer_err *err)
{
	/* What is not complete is thrown away, so nothing has to survive a crash. */
	static const char quick[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN";
	int code = sqlite3_open_v2(path, &x->db, SQLITE_OPEN_READWRITE, NULL);
	if (code == 0)
		code = sqlite3_exec(x->db, quick, NULL, NULL, NULL);
	for (size_t i = 0; i < x->q->n_tables && code == 0; i++)
		if (wanted[i])
			code = begin_table(x, i);
	int rc = code ? fail(x, path, err) : save_rows(x, err);
	for (size_t i = 0; i < x->q->n_tables; i++)
		sqlite3_finalize(x->insert[i]);
	if (rc == 0 && sqlite3_exec(x->db, "COMMIT", NULL, NULL, NULL))
		rc = fail(x, path, err);
	if (sqlite3_close(x->db) && rc == 0)
		rc = mer_fail(err, MER_ERR_SYS, "write '%.300s': it cannot be closed", path);
	return rc;
}

enum { TABLE, ROWS, N_SAVED };
const struct mer_column query_saved_columns[N_SAVED + 1] = {
	[TABLE] = { "name", "Table", MER_TEXT },
	[ROWS] = { "rows", "Rows", MER_COUNT },
};

int query_save(struct query *q, const char *path, const char *const *names, size_t n,
	struct mer_table *made, struct mer_err *err)
{
	struct saving *x = calloc(1, sizeof(*x));
	char *beside = NULL;
	bool wanted[QUERY_TABLES] = { 0 };
	struct stat st;
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct query_table *t = query_table_find(q->tables, q->n_tables, names[i]);
		if (!t)
			rc = query_no_table(q->tables, q->n_tables, names[i], err);
		else
			wanted[t - q->tables] = true;
	}
	for (size_t i = 0; i < q->n_tables && !n; i++)
		wanted[i] = true;
	if (rc == 0 && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		rc = mer_fail(err, MER_ERR_USAGE, "'%.300s' is no file that can be replaced", path);
	if (rc == 0 && (!x || asprintf(&beside, "%s.XXXXXX", path) < 0)) {
		beside = NULL;
		rc = mer_fail_nomem(err);
	}
	int fd = rc == 0 ? mkostemp(beside, O_CLOEXEC) : -1;
	if (rc == 0 && fd < 0)
		rc = mer_fail_errno(err, "write", path);
	if (fd >= 0) {
		mode_t mask = umask(0);
		umask(mask);
		fchmod(fd, 0666 & ~mask);
		close(fd);
		x->q = q;
		rc = save(x, beside, wanted, err);
		if (rc == 0 && rename(beside, path) != 0)
			rc = mer_fail_errno(err, "write", path);
		if (rc)
			unlink(beside);
	}
	for (size_t i = 0; i < q->n_tables && rc == 0; i++)
		if (wanted[i])
			mer_table_add(made, (struct mer_cell[N_SAVED]){
						    [TABLE] = mer_text(q->tables[i].name),
						    [ROWS] = MER_INT(x->n_rows[i]),
					    });
	free(beside);
	free(x);
	return rc;
}
