/* Answer: what a question has found, as tables; each medium makes its own text of them.
 *
 * Everything that is known is a row of a table. What is nested in the world (the parts of a
 * request, what a task did during a wait) is a table of its own: its first column names the row
 * that it belongs to, by that row's id or, where rows have none, by its number from 1. What is
 * known once is a table of one row.
 *
 * A table that is "beside" others is in JSON and in a folder of files (-o FOLDER/), but not in CSV
 * and JSON Lines, where one table is expected.
 *
 * Tables that would not fit into memory are made as they are written: answer_stream. */
#ifndef MER_ASK_ANSWER_H
#define MER_ASK_ANSWER_H

#include "base/json.h"
#include "base/table.h"
#include "session/session.h"

enum { ANSWER_TABLES = 96 };

/* Adds the next rows to t, which is empty; none: there are no more. Texts in t's arena live until
 * the next call. A negative MER_ERR_*: with err filled. */
typedef int answer_more(void *ctx, struct mer_table *t, struct mer_err *err);

struct answer {
	struct mer_arena arena; /* for texts of own tables */
	struct answer_table {
		struct mer_table *table; /* `own`, or one that was made elsewhere */
		struct mer_table own;
		bool is_beside;
		answer_more *more; /* NULL: the table has all rows */
		void *ctx;
		struct mer_arena texts; /* of `more` */
	} tables[ANSWER_TABLES];
	size_t n;
	const char *about; /* the analysis; NULL: what the verb says */
	/* The time that was looked at; MER_NO_TIME: none, or it is not of a time. */
	int64_t begin, end;
	const struct session_synced *synced; /* NULL: times are as recorded */
	const struct mer_diags *found;	     /* findings of the question itself; NULL: none */
	const struct mer_experiment *e;	     /* has those of the traces; NULL: there are none */
	struct mer_diags taken;		     /* copies of both, of answer_take */
	bool is_whole;			     /* of answer_take: all of it is here */
};

void answer_init(struct answer *a, const struct mer_experiment *e);
void answer_fini(struct answer *a);
/* Adds an empty table whose texts may be in its arena; never NULL. More than ANSWER_TABLES are a
 * mistake of the caller. */
struct mer_table *answer_add(
	struct answer *a, const char *id, const char *title, const struct mer_column *columns);
/* The same, beside the others. */
struct mer_table *answer_add_beside(
	struct answer *a, const char *id, const char *title, const struct mer_column *columns);
/* Adds a table that was made elsewhere and outlives the answer. */
void answer_add_made(struct answer *a, struct mer_table *t);
/* Adds a table whose rows come when they are written. ctx outlives the answer. */
void answer_stream(struct answer *a, const char *id, const char *title,
	const struct mer_column *columns, answer_more *more, void *ctx);
void answer_stream_beside(struct answer *a, const char *id, const char *title,
	const struct mer_column *columns, answer_more *more, void *ctx);
/* The table of this id; NULL: there is none. */
struct mer_table *answer_find(const struct answer *a, const char *id);

/* Of a table of an answer, which may be NULL: its rows; the value under this key. false, NULL:
 * unknown, not there, or of another kind. */
size_t answer_rows(const struct mer_table *t);
bool answer_int(const struct mer_table *t, size_t row, const char *key, int64_t *v);
bool answer_real(const struct mer_table *t, size_t row, const char *key, double *v);
const char *answer_text(const struct mer_table *t, size_t row, const char *key);

/* Of a table with `more`: drops its rows and makes the next ones. */
int answer_next(struct answer_table *x, struct mer_err *err);
/* Takes a copy of an answer, with all its rows, that needs nothing of what it was made of; `to` is
 * initialized. */
int answer_take(struct answer *to, struct answer *from, struct mer_err *err);
/* MER_ERR_NOMEM: the answer or one of its tables is incomplete. */
int answer_check(const struct answer *a, struct mer_err *err);

/* Members of the document besides tables: "sync", "diagnostics". */
void answer_json_about(const struct answer *a, struct mer_json *j);
/* The document {"schema_version", "begin", "end", "tables", "sync", "diagnostics"} with n tables
 * from `first` on. file: written to as it is made; NULL: all stays in out. */
int answer_json(struct answer *a, size_t first, size_t n, struct mer_str *out, FILE *file,
	struct mer_err *err);

#endif
