/* Save: writes a world and what belongs to it into a file that is being written. */
#ifndef MER_STORE_SAVE_H
#define MER_STORE_SAVE_H

#include "store/store.h"

int store_put(struct store_writer *w, const struct store_content *c, const struct store_options *o,
	struct mer_err *err);

#endif
