/* Commands of the program, for answers that are what it prints. */
#ifndef MER_SERVER_TSP_COMMAND_H
#define MER_SERVER_TSP_COMMAND_H

#include "base/json_read.h"
#include "server/tsp/tsp.h"

struct tsp_command {
	const char *const *words;	     /* ends with NULL */
	const struct session_window *window; /* NULL: the whole recording */
	uint64_t limit;			     /* rows; 0: as many as there usually are */
	bool is_kept;			     /* the answer serves the next ones, too */
	uint64_t last;			     /* the last word, a number; 0: none */
};

/* *text is freed by the caller in any case. */
int tsp_command(
	struct tsp *t, const struct tsp_command *c, struct mer_str *text, struct mer_err *err);
/* One JSON value of what was printed; it lives as long as the text and the request. */
int tsp_command_json(
	struct tsp *t, const struct mer_str *text, struct mer_json_value *v, struct mer_err *err);

/* Members of an answer: a list; NULL: there is none. A table of its "tables", by its id (NULL: the
 * first one); NULL: there is none. */
const struct mer_json_value *tsp_list_of(const struct mer_json_value *answer, const char *key);
const struct mer_json_value *tsp_table_of(const struct mer_json_value *answer, const char *id);

#endif
