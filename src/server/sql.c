/* Queries in SQL: what a statement finds, as the document that other questions have. */
#include <stdlib.h>

#include "server/sql.h"

#ifdef MER_HAS_SQLITE

#include "query/answer.h"

int server_sql(struct mer_session *session, const char *sql, uint64_t most_rows,
	struct mer_str *out, struct mer_err *err)
{
	struct answer a;
	answer_init(&a, NULL);
	int rc = query_answer(session, sql, most_rows, &a, err);
	if (rc == 0)
		rc = answer_json(&a, 0, a.n, out, NULL, err);
	answer_fini(&a);
	return rc;
}

int server_sql_tables(bool views, struct mer_str *out, struct mer_err *err)
{
	struct answer a;
	answer_init(&a, NULL);
	int rc = query_list(views, &a, err);
	if (rc == 0)
		rc = answer_json(&a, 0, a.n, out, NULL, err);
	answer_fini(&a);
	return rc;
}

#else

static int fail(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_USAGE,
		"this meridian was built without SQLite 3.38 or later: install libsqlite3-dev and build it again");
}

int server_sql(struct mer_session *session, const char *sql, uint64_t most_rows,
	struct mer_str *out, struct mer_err *err)
{
	(void)session;
	(void)sql;
	(void)most_rows;
	(void)out;
	return fail(err);
}

int server_sql_tables(bool views, struct mer_str *out, struct mer_err *err)
{
	(void)views;
	(void)out;
	return fail(err);
}

#endif

static bool number_of(
	const struct http_request *r, const char *key, uint64_t least, uint64_t most, uint64_t *v)
{
	const char *text = http_argument(r, key);
	char *end;
	if (!text)
		return true;
	if (*text < '0' || *text > '9')
		return false;
	*v = strtoull(text, &end, 10);
	return !*end && *v >= least && *v <= most;
}

bool server_sql_limits(const struct http_request *r, struct server_sql_limits *limits)
{
	enum { ROWS = 10000, SECONDS = 60, MOST_SECONDS = 3600, MOST_ROWS = 1000000 };
	*limits = (struct server_sql_limits){ ROWS, SECONDS };
	return number_of(r, "rows", 1, MOST_ROWS, &limits->rows) &&
	       number_of(r, "seconds", 1, MOST_SECONDS, &limits->seconds);
}
