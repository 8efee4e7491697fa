/* Excerpt: what a manifest has of one host's rounds, for its part (sync/part/part.h). Neither the
 * recording's command, nor folders, addresses and other hosts are in it. */
#ifndef MER_SYNC_ROUNDS_EXCERPT_H
#define MER_SYNC_ROUNDS_EXCERPT_H

#include "base/str.h"
#include "trace/experiment.h"

/* Appends it to out, as a manifest that sync_rounds_read understands; nothing if the manifest at
 * path has no rounds of the host, or cannot be read. */
int sync_rounds_excerpt(const struct mer_experiment *e, uint32_t host, const char *path,
	struct mer_str *out, struct mer_err *err);

#endif
