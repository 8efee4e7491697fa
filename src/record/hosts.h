/* Hosts: the words of --hosts. */
#ifndef MER_RECORD_HOSTS_H
#define MER_RECORD_HOSTS_H

#include "base/arena.h"
#include "base/err.h"
#include "session/selection.h"

/* Adds to hosts, of which *n are there and room is for most, what the words name: each a host, or
 * a file with the hosts that the first words of its lines are; # begins a comment. Whether they can
 * be hosts is not looked at. */
int record_hosts_add(struct mer_arena *arena, const struct session_texts *words, const char **hosts,
	size_t *n, size_t most, struct mer_err *err);

#endif
