/* Record: reads the traces of an experiment once, and saves all that a store keeps: the world, what
 * tasks used, and the facts of all kinds. Facts go to the file as they are made, so memory holds
 * what the model needs, and spans, which may leave it (base/spill.h). */
#ifndef MER_STORE_RECORD_H
#define MER_STORE_RECORD_H

#include "store/store.h"
#include "sync/result.h"

/* messages, r, o: as kernel_world_build has them; o's observers hear everything, too. Diagnostics
 * are e's. After a failure the file is as it was before. */
int store_record(const char *path, const uint8_t key[STORE_KEY_BYTES], const char *about,
	struct mer_experiment *e, const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *o, struct mer_err *err);

/* The world that store_record saves, without a file: for store_mend_with. What is found is left
 * out; the store has it. */
struct store_again;
int store_read_again(struct mer_experiment *e, const struct sync_messages *messages,
	const struct sync_result *r, const struct kernel_world_options *o,
	struct store_again **again, struct mer_err *err);
const struct kernel_world *store_again_world(const struct store_again *again);
void store_again_free(struct store_again *again); /* NULL is fine */

#endif
