/* Record: reads the traces of an experiment once, and saves everything that a store keeps: the
 * world, what tasks used, and the facts of all kinds. Facts go to the file as they are made; memory
 * holds only what the model needs, and the spans, which may be moved to a file (base/spill.h). */
#ifndef MER_STORE_RECORD_H
#define MER_STORE_RECORD_H

#include "store/store.h"
#include "sync/result.h"

struct store_target {
	const char *path;
	const uint8_t *key; /* STORE_KEY_BYTES */
	const char *about;  /* text for people: what it is made from */
	const bool *own;    /* as in struct store_content */
	bool has_no_facts;  /* the same */
};
/* messages, r, o: as for kernel_world_build; o's observers are called as well. Diagnostics go to e.
 * matched: all findings of the reading that messages are of; NULL: messages are not saved. After a
 * failure the file is unchanged. */
int store_record(const struct store_target *to, struct mer_experiment *e,
	const struct sync_messages *messages, const struct mer_diags *matched,
	const struct sync_result *r, const struct kernel_world_options *o, struct mer_err *err);

/* Builds the world that store_record saves, without a file: for store_mend_with. Diagnostics are
 * dropped, since the store has them. */
struct store_again;
int store_read_again(struct mer_experiment *e, const struct sync_messages *messages,
	const struct sync_result *r, const struct kernel_world_options *o,
	struct store_again **again, struct mer_err *err);
const struct kernel_world *store_again_world(const struct store_again *again);
void store_again_free(struct store_again *again); /* NULL is allowed */

#endif
