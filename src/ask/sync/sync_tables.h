/* Tables of a synchronization for people: hosts, pairs of hosts, guests; at most so many rows.
 * Where there are more, those with the largest bounds. */
#ifndef MER_ASK_SYNC_SYNC_TABLES_H
#define MER_ASK_SYNC_SYNC_TABLES_H

#include "base/table.h"
#include "sync/result.h"

/* width: columns of the terminal. Names lie in the arena. */
void ask_sync_fill_hosts(const struct sync_result *r, size_t limit, size_t width,
	struct mer_table *t, struct mer_arena *arena);
void ask_sync_fill_pairs(
	const struct sync_result *r, size_t limit, struct mer_table *t, struct mer_arena *arena);
/* Adds the guests whose hypervisor was recorded too; all: all VMs, as programs get them. */
void ask_sync_add_vms(const struct sync_result *r, bool all, struct mer_table *t);
extern const struct mer_column ask_sync_vm_columns[];

#endif
