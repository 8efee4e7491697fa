/* Save: writes a world and what belongs to it into a file that is being written. */
#ifndef MER_STORE_SAVE_H
#define MER_STORE_SAVE_H

#include "store/store.h"

struct store_content {
	const struct kernel_world *world; /* with all spans */
	const struct usage *usage;	  /* settled, of all kinds */
	const struct mer_diags *diags;	  /* what was found while it was made; NULL: nothing */
	const char *about;		  /* lines for people: what it was made of */
	/* What tasks did with connections, before requests were found of it. */
	const struct requests_log *log;
};

struct store_options {
	unsigned n_threads;
	struct mer_cancel *cancel; /* NULL: none */
};

int store_put(struct store_writer *w, const struct store_content *c, const struct store_options *o,
	struct mer_err *err);

#endif
