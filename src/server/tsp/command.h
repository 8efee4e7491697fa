/* Runs commands of the program, for answers that are made of their output. */
#ifndef MER_SERVER_TSP_COMMAND_H
#define MER_SERVER_TSP_COMMAND_H

#include "base/json_read.h"
#include "server/tsp/tsp.h"

struct tsp_command {
	const char *const *words;	     /* ends with NULL */
	const struct session_window *window; /* NULL: the whole recording */
	uint64_t limit;			     /* rows; 0: the command's default */
	bool is_kept;			     /* the answer is cached for later requests */
	uint64_t last;			     /* a number to append as the last word; 0: none */
};

/* Runs the command. The caller frees *text in any case. */
int tsp_command(
	struct tsp *t, const struct tsp_command *c, struct mer_str *text, struct mer_err *err);
/* Parses the output as one JSON value, which lives as long as the text and the request. */
int tsp_command_json(
	struct tsp *t, const struct mer_str *text, struct mer_json_value *v, struct mer_err *err);

/* Members of an answer: the list with this key, or the table with this id in "tables" (id NULL:
 * the first one). They return NULL if there is none. */
const struct mer_json_value *tsp_list_of(const struct mer_json_value *answer, const char *key);
const struct mer_json_value *tsp_table_of(const struct mer_json_value *answer, const char *id);

#endif
