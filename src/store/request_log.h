/* Saves what tasks did with connections (requests/log.h), for files of some of the hosts (parts.h):
 * requests are found where those of all hosts are together. */
#ifndef MER_STORE_REQUEST_LOG_H
#define MER_STORE_REQUEST_LOG_H

#include "kernel/world.h"
#include "requests/log.h"
#include "store/sections.h"

/* Of these hosts (own: by host), and the packets of which one end was seen. Call before requests
 * are found from the log. world: the one that was built while the log was filled. */
void store_put_request_log(struct store_writer *w, const struct kernel_world *world,
	const struct requests_log *log, const bool *own);
/* Of a host that the file is of, with the file's numbers of its n_packets. r: of a new log.
 * MER_ERR_INPUT: it is damaged or missing. */
int store_get_request_log(const struct store_file *f, const struct kernel_world *w, uint32_t host,
	uint32_t n_packets, struct requests_host *r, struct mer_err *err);
/* Packets of which one end was seen, as the file's host saw them: *singles is a block of w's
 * spill. MER_ERR_INPUT as above. */
int store_get_singles(const struct store_file *f, const struct kernel_world *w,
	struct kernel_single **singles, uint32_t *n, struct mer_err *err);

#endif
