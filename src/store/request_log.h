/* Saves what tasks did with connections (requests/log.h), so that requests are found without
 * reading the traces. */
#ifndef MER_STORE_REQUEST_LOG_H
#define MER_STORE_REQUEST_LOG_H

#include "requests/log.h"
#include "store/sections.h"

/* Call before requests are found from the log. world: the one that was built while the log was
 * filled. */
void store_put_request_log(
	struct store_writer *w, const struct kernel_world *world, const struct requests_log *log);
/* Free the log with requests_log_free. MER_ERR_INPUT: it is damaged or missing. */
int store_get_request_log(const struct store_file *f, const struct kernel_world *w,
	struct requests_log **log, struct mer_err *err);
/* Adds to a world what requests need and a saved world lacks: packets of which only one end was
 * seen, and which clocks can be compared. Call store_drop_singles in any case. MER_ERR_INPUT as
 * above. */
int store_get_singles(const struct store_file *f, struct kernel_world *w, struct mer_err *err);
void store_drop_singles(struct kernel_world *w);

#endif
