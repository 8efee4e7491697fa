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
};

/* *text is freed by the caller in any case. */
int tsp_command(
	struct tsp *t, const struct tsp_command *c, struct mer_str *text, struct mer_err *err);
/* One JSON value of what was printed; it lives as long as the text and the request. */
int tsp_command_json(
	struct tsp *t, const struct mer_str *text, struct mer_json_value *v, struct mer_err *err);

#endif
