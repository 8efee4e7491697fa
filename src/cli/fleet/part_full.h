/* A full part: what the tasks of a host did, in one file that stands for its traces in every
 * question but those about events (session/parts.h). */
#ifndef MER_CLI_FLEET_PART_FULL_H
#define MER_CLI_FLEET_PART_FULL_H

#include "ask/context.h"
#include "base/table.h"

/* Of the hosts whose traces are among ask->args; parts of all other hosts, with all ends of
 * messages, are the rest. has_facts: as session_parts_write. add: gets a row. */
int part_full_write(struct ask *ask, const char *path, bool has_facts, const char *temporary,
	void (*add)(void *ctx, const char *host, uint64_t bytes), void *ctx);

#endif
