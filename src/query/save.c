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
	const char *path; /* as it was named */
	sqlite3 *db;
	sqlite3_stmt *insert[QUERY_TABLES]; /* NULL: the table is not wanted */
	uint64_t n_rows[QUERY_TABLES];
};

static int fail(const struct saving *x, struct mer_err *err)
{
	return mer_fail(err, MER_ERR_SYS, "write '%.300s': %s", x->path, sqlite3_errmsg(x->db));
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
	return code == SQLITE_DONE ? 0 : fail(x, err);
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

struct one { /* table that is saved */
	struct saving *x;
	size_t i;
};

static int take_table_row(void *ctx, const struct mer_cell *cells, struct mer_err *err)
{
	const struct one *one = ctx;
	return add_row(one->x, one->i, cells, err);
}

/* What has no answer (requests that are too few to be explained) is left out where all tables are
 * wanted: an empty table would say that there is nothing. */
static int save_table(struct saving *x, size_t i, bool *wanted, bool may_lack, struct mer_err *err)
{
	int rc = query_each_row(x->q, &x->q->tables[i], take_table_row, &(struct one){ x, i }, err);
	if (rc != MER_ERR_USAGE || !may_lack || x->n_rows[i])
		return rc;
	struct mer_str sql = { 0 };
	mer_str_puts(&sql, "DROP TABLE ");
	query_put_name(&sql, x->q->tables[i].name);
	sqlite3_finalize(x->insert[i]);
	x->insert[i] = NULL;
	wanted[i] = false;
	*err = (struct mer_err){ 0 };
	rc = sql.failed					       ? mer_fail_nomem(err)
	     : sqlite3_exec(x->db, sql.data, NULL, NULL, NULL) ? fail(x, err)
							       : 0;
	mer_str_fini(&sql);
	return rc;
}

static int save_rows(struct saving *x, bool *wanted, bool may_lack, struct mer_err *err)
{
	struct analysis_request requests[QUERY_TABLES];
	size_t n = 0;
	for (size_t i = 0; i < x->q->n_tables; i++) {
		if (wanted[i] && x->q->tables[i].is_facts)
			requests[n++] = x->q->tables[i].request;
	}
	int rc = query_prepare(x->q, wanted, err);
	size_t step = rc == 0 && session_store_is_likely(api_session(x->q->of.session)) ? 1 : n;
	for (size_t i = 0; i < n && rc == 0; i += step)
		rc = save_facts(x, requests + i, step, err);
	for (size_t i = 0; i < x->q->n_tables && rc == 0; i++)
		if (x->insert[i] && !x->q->tables[i].is_facts)
			rc = save_table(x, i, wanted, may_lack, err);
	query_forget_answer(x->q);
	return rc;
}

static int save(
	struct saving *x, const char *path, bool *wanted, bool may_lack, struct mer_err *err)
{
	/* What is not complete is thrown away, so nothing has to survive a crash. */
	static const char quick[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN";
	int code = sqlite3_open_v2(path, &x->db, SQLITE_OPEN_READWRITE, NULL);
	if (code == 0)
		code = sqlite3_exec(x->db, quick, NULL, NULL, NULL);
	for (size_t i = 0; i < x->q->n_tables && code == 0; i++)
		if (wanted[i])
			code = begin_table(x, i);
	int rc = code ? fail(x, err) : save_rows(x, wanted, may_lack, err);
	for (size_t i = 0; i < x->q->n_tables; i++)
		sqlite3_finalize(x->insert[i]);
	if (rc == 0 && sqlite3_exec(x->db, "COMMIT", NULL, NULL, NULL))
		rc = fail(x, err);
	if (sqlite3_close(x->db) && rc == 0)
		rc = mer_fail(err, MER_ERR_SYS, "write '%.300s': it cannot be closed", x->path);
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
			rc = query_check_table(q, t, err);
		if (rc == 0)
			wanted[t - q->tables] = true;
	}
	/* All that can be made of what the command selects. */
	for (size_t i = 0; i < q->n_tables && !n; i++)
		wanted[i] = query_check_table(q, &q->tables[i], &(struct mer_err){ 0 }) == 0;
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
		x->path = path;
		rc = save(x, beside, wanted, n == 0, err);
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
