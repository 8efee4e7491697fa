/* Queries in SQL to a server: how much of them, and their answers. */
#ifndef MER_SERVER_SQL_H
#define MER_SERVER_SQL_H

#include "server/state.h"

struct server_sql_limits {
	uint64_t rows, seconds;
};

/* Those of the arguments rows and seconds; false: they are no numbers, or too large. */
bool server_sql_limits(const struct http_request *r, struct server_sql_limits *limits);
/* Adds the answer as JSON to out. MER_ERR_USAGE: what is wrong with the statement, and where. */
int server_sql(struct mer_session *session, const char *sql, uint64_t most_rows,
	struct mer_str *out, struct mer_err *err);

/* The tables that there are. */
int server_sql_tables(bool views, struct mer_str *out, struct mer_err *err);

#endif
