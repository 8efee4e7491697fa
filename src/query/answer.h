/* Answer: what statements find, as an answer: for the library and the server. */
#ifndef MER_QUERY_ANSWER_H
#define MER_QUERY_ANSWER_H

#include "ask/answer.h"
#include "base/err.h"

struct mer_session;

/* All statements of sql, each a table: "result", "result_2", ... They stop at most_rows (0: all of
 * them), which a diagnostic says. a: initialized; it needs nothing of the session. MER_ERR_USAGE:
 * what is wrong, and where; MER_ERR_LIMIT: too many statements. */
int query_answer(struct mer_session *session, const char *sql, uint64_t most_rows, struct answer *a,
	struct mer_err *err);

/* Tables that a statement may name: a row of each, with its columns as text "name, name, ...". */
int query_list(bool views, struct answer *a, struct mer_err *err);

#endif
