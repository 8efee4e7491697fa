/* Names of what descriptors stand for, interned in the host's names.
 *
 * Every different path is a text of its own, so texts are bounded in length, number and sum; beyond
 * that a thing has no name. */
#ifndef MER_KERNEL_FILES_OBJECT_NAME_H
#define MER_KERNEL_FILES_OBJECT_NAME_H

#include "kernel/files/fd_table.h"
#include "kernel/files/files.h"

enum { KERNEL_MAX_OBJECT_NAME = 4096, KERNEL_MAX_OBJECT_NAMES = 1 << 20 };

struct kernel_namer {
	struct kernel_host *h; /* borrowed */
	uint32_t n;	       /* texts that were new */
	uint64_t bytes;	       /* of these */
	uint32_t n_pipes, n_pairs;
};

/* All fill *what: name, kind, and family where it is a socket; flags as said, else 0. */

int kernel_name_object(struct kernel_namer *m, const char *text, size_t len,
	enum kernel_object_kind kind, struct kernel_fd *what, struct mer_err *err);
/* A path that was opened, relative to a directory whose name is known (KERNEL_NONE: it is not). */
int kernel_name_path(struct kernel_namer *m, uint32_t dir, const char *text, size_t len,
	struct kernel_fd *what, struct mer_err *err);
/* A socket without peer: "tcp socket", with KERNEL_FD_GENERIC. */
int kernel_name_socket(struct kernel_namer *m, uint64_t family, uint64_t type, uint64_t protocol,
	struct kernel_fd *what, struct mer_err *err);
/* A peer: "10.0.0.2:80", "[::1]:80"; v4, v6: slots of an array. Family 0 when no address is told;
 * then nothing else is filled. */
int kernel_name_peer(struct kernel_namer *m, uint64_t family, uint64_t port, const uint64_t *v4,
	const uint64_t *v6, struct kernel_fd *what, struct mer_err *err);
/* sync_endpoint (sync/match/end.h) of the name of an IPv4 peer; 0: it is none. */
uint32_t kernel_name_endpoint(const char *name);
/* The next "pipe#1" or "socketpair#1". */
int kernel_name_pipe(struct kernel_namer *m, struct kernel_fd *what, struct mer_err *err);
int kernel_name_pair(struct kernel_namer *m, struct kernel_fd *what, struct mer_err *err);
/* As the state dump has it: a path, "pipe:[1234]", "anon_inode:[eventfd]", ... */
int kernel_name_dumped(struct kernel_namer *m, const char *text, size_t len, struct kernel_fd *what,
	struct mer_err *err);

#endif
