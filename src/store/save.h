/* Save: writes a world and what belongs to it to a store file. */
#ifndef MER_STORE_SAVE_H
#define MER_STORE_SAVE_H

#include "store/columns.h"
#include "store/store.h"

struct store_content {
	const struct kernel_world *world; /* with all spans */
	const struct usage *usage;	  /* settled, of all kinds */
	const struct mer_diags *diags;	  /* diagnostics of the reading; NULL: none */
	const char *about;		  /* text for people: what the store was made from */
	/* What tasks did with connections; requests must not have been found from it yet. They are,
	 * and it is freed: NULL then. */
	struct requests_log **log;
	/* By host: those that a file of some of the hosts is of (parts.h), which knows of the
	 * others when they sent packets, and no more; the log is saved then, and nothing is found
	 * that needs all hosts. NULL: it is of all. */
	const bool *own;
	bool has_no_facts; /* of own: they are not kept, nor lanes */
};

struct store_options {
	unsigned n_threads;
	struct mer_cancel *cancel; /* NULL: none */
};

/* For struct usage_point. */
extern const struct store_columns store_usage_points;

int store_put(struct store_writer *w, const struct store_content *c, const struct store_options *o,
	struct mer_err *err);

#endif
