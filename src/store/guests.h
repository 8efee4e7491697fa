/* Guests: what a saved world has of a host that is the guest of a traced VM. */
#ifndef MER_STORE_GUESTS_H
#define MER_STORE_GUESTS_H

#include "kernel/vm/guests.h"
#include "store/sections.h"

struct kernel_host;

/* A failure is the writer's. */
void store_put_guest(struct store_writer *w, uint32_t host, const struct kernel_guest *g);
/* Copies, into hosts[host].guest; NULL: it is none. How many spans and requests hosts have is
 * known. */
int store_get_guest(const struct store_file *f, uint32_t host, struct kernel_host *hosts,
	uint32_t n_hosts, struct mer_err *err);

#endif
