/* Guests: saves and loads what a world knows about a host that is the guest of a traced VM. */
#ifndef MER_STORE_GUESTS_H
#define MER_STORE_GUESTS_H

#include "kernel/vm/guests.h"
#include "store/sections.h"

struct kernel_host;

/* A failure is recorded in the writer. */
void store_put_guest(struct store_writer *w, uint32_t host, const struct kernel_guest *g);
/* Copies into hosts[host].guest; NULL there if the host is no guest. The hosts' numbers of spans
 * and requests must be set before. */
int store_get_guest(const struct store_file *f, uint32_t host, struct kernel_host *hosts,
	uint32_t n_hosts, struct mer_err *err);

#endif
