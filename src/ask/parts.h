/* Parts: what the hosts of several files (answer_part.h) have for one question, in the order in
 * which an experiment of all their traces would have these hosts. */
#ifndef MER_ASK_PARTS_H
#define MER_ASK_PARTS_H

#include "ask/answer_part.h"
#include "ask/context.h"

struct ask_parts {
	struct answer_part *of; /* files that can be used */
	size_t n;
	struct analysis_partial_host *hosts;   /* in order; names are unique */
	const struct answer_part_host **about; /* as hosts */
	uint32_t n_hosts;
	struct mer_experiment *e; /* that has these hosts and all findings, and no traces */
	int64_t begin, end;	  /* of what was looked at; MER_NO_TIME: nothing */
};

/* Reads these files; warns of those that cannot be used, and of hosts whose part is missing.
 * MER_ERR_USAGE: they are of different questions, or a host is in two of them. ask_parts_fini in
 * any case. */
int ask_parts_read(struct ask *ask, const char *const *paths, size_t n, struct ask_parts *p);
void ask_parts_fini(struct ask_parts *p);

#endif
