/* Pieces: which task worked for a request when, and on which CPU: more than its path, which has one
 * task at a time. Work that others did for it in parallel, and calls in which a task only waits,
 * belong to it too; what a server did instead (queued) does not. */
#ifndef MER_REQUESTS_PIECES_H
#define MER_REQUESTS_PIECES_H

#include "requests/parts.h"

struct requests_piece {
	int64_t begin, end; /* ns; within those of the request */
	uint32_t host, task;
	uint16_t cpu; /* KERNEL_NO_CPU: on none */
};

/* Of a request and all below it: malloc'ed; by host, task, begin; one after the other. */
int requests_pieces_find(struct requests_parts_finder *f, const struct requests *r,
	uint32_t exchange, struct requests_piece **pieces, size_t *n, struct mer_err *err);

#endif
