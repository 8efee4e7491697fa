/* Messages between the clocks of hosts, as they were matched: of the hosts' own times, so that
 * clocks can be aligned in any way and from any part of the time without reading the traces. */
#ifndef MER_STORE_MESSAGES_H
#define MER_STORE_MESSAGES_H

#include "base/diag.h"
#include "store/sections.h"
#include "sync/messages.h"

/* found: all findings of the reading that matched them. Nothing is written where what is read
 * could not be the same in each bit. Before anything is dropped of m. */
int store_put_messages(struct store_writer *w, const struct sync_messages *m,
	const struct mer_diags *found, struct mer_err *err);
/* Adds them to m, initialized, of the hosts of the file, and to found; without streams, endpoints
 * and rounds. Of files of some hosts alone (parts.h), links that m has already are the same, and
 * each knows best what its own hosts sent and received; after the last one, sync_messages_finish.
 * MER_ERR_INPUT: damaged, or not there. */
int store_get_messages(const struct store_file *f, struct sync_messages *m, struct mer_diags *found,
	struct mer_err *err);

#endif
