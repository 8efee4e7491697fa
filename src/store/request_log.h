/* What tasks did with connections (requests/log.h), in a file: requests are then found without
 * reading the traces. */
#ifndef MER_STORE_REQUEST_LOG_H
#define MER_STORE_REQUEST_LOG_H

#include "requests/log.h"
#include "store/sections.h"

/* Before anything was found of it. world: it was filled while that was built. */
void store_put_request_log(
	struct store_writer *w, const struct kernel_world *world, const struct requests_log *log);
/* requests_log_free. MER_ERR_INPUT: it is damaged, or not there. */
int store_get_request_log(const struct store_file *f, const struct kernel_world *w,
	struct requests_log **log, struct mer_err *err);
/* What requests need besides of a world, and a saved one has not: packets of which one end was
 * seen, and which clocks can be compared. In any case store_drop_singles. MER_ERR_INPUT as
 * above. */
int store_get_singles(const struct store_file *f, struct kernel_world *w, struct mer_err *err);
void store_drop_singles(struct kernel_world *w);

#endif
