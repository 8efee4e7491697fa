/* Tables of a synchronization: hosts, pairs of hosts, guests. For people at most so many rows;
 * where there are more, those with the largest bounds. For programs ("exact") all. */
#ifndef MER_ASK_SYNC_SYNC_TABLES_H
#define MER_ASK_SYNC_SYNC_TABLES_H

#include "base/table.h"
#include "sync/result.h"

/* width: columns of the terminal. Names lie in the arena. */
void ask_sync_fill_hosts(const struct sync_result *r, size_t limit, size_t width,
	struct mer_table *t, struct mer_arena *arena);
void ask_sync_fill_pairs(
	const struct sync_result *r, size_t limit, struct mer_table *t, struct mer_arena *arena);
void ask_sync_fill_exact_hosts(const struct sync_result *r, struct mer_table *t);
void ask_sync_fill_exact_pairs(const struct sync_result *r, struct mer_table *t);
/* The guests whose hypervisor was recorded too; exact: all VMs. */
void ask_sync_fill_vms(const struct sync_result *r, bool exact, struct mer_table *t);

#endif
