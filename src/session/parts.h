/* Full parts of a session: what tasks did, saved where recordings lie and used together
 * (part/file.h, store/parts.h). A session of them answers from that, whatever its options say of
 * stores. */
#ifndef MER_SESSION_PARTS_H
#define MER_SESSION_PARTS_H

#include "part/file.h"
#include "session/session.h"

/* Writes what a full part has of these hosts' tasks (own: by host) to the file. The session is
 * synchronized, and has the ends of messages of all hosts. has_facts: else it is of use for what
 * is found in tasks' states alone: requests, paths, waits. */
int session_parts_write(
	struct session *s, const bool *own, bool has_facts, const char *path, struct mer_err *err);

/* ---- for this layer ---- */

/* The store of all of them. MER_ERR_INPUT: some are damaged, or they do not fit each other. */
struct store;
int session_parts_open(struct session *s, struct store **store, struct mer_err *err);
/* The messages between all hosts, from all of them, into m, initialized, and found. False: there
 * are no full parts, they were made with other hosts than these, or are damaged. */
bool session_parts_messages(
	const struct session *s, struct sync_messages *m, struct mer_diags *found);
/* The clocks by which full parts tell times; *r NULL: these are as recorded. MER_ERR_USAGE: some
 * hosts are given without a full part. */
struct sync_result;
int session_parts_clocks(const struct session *s, struct sync_result **r, struct mer_err *err);

#endif
