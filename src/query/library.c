/* Queries through the library (meridian/session.h), also of a build without SQLite. */
#include "ask/library/api.h"

#ifdef MER_HAS_SQLITE

#include "query/answer.h"

int mer_sql(struct mer_session *session, const char *sql, struct mer_answer **answer,
	struct mer_err *err)
{
	API_ERR(err);
	*answer = NULL;
	if (!session->is_open)
		return mer_fail(err, MER_ERR_USAGE, "the session is not open");
	struct mer_answer *a = api_new_answer();
	if (!a)
		return mer_fail_nomem(err);
	session_next_question(session->session);
	int rc = query_answer(session, sql, 0, api_answer_inside(a), err);
	if (rc) {
		mer_answer_free(a);
		return rc;
	}
	api_answer_is_filled(a);
	*answer = a;
	return 0;
}

#else

int mer_sql(struct mer_session *session, const char *sql, struct mer_answer **answer,
	struct mer_err *err)
{
	API_ERR(err);
	(void)session;
	(void)sql;
	*answer = NULL;
	return mer_fail(err, MER_ERR_USAGE,
		"this libmeridian was built without SQLite 3.38 or later: install libsqlite3-dev and build it again");
}

#endif
