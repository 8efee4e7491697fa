/* Commands of the program, for answers that are what it prints. */
#ifndef MER_SERVER_TSP_COMMAND_H
#define MER_SERVER_TSP_COMMAND_H

#include "base/json_read.h"
#include "server/tsp/tsp.h"

/* Runs words (which end with NULL) of the window (NULL: the whole recording), with so many rows (0:
 * as many as there usually are). *text is freed by the caller in any case. */
int tsp_command(struct tsp *t, const char *const *words, const struct session_window *window,
	uint64_t limit, struct mer_str *text, struct mer_err *err);
/* One JSON value of what was printed; it lives as long as the text and the request. */
int tsp_command_json(
	struct tsp *t, const struct mer_str *text, struct mer_json_value *v, struct mer_err *err);

#endif
