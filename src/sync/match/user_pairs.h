/* User pairs: pairs of events that the user declares to be the ends of messages
 * (docs/message-pairs.md).
 *
 *   # one declaration a line
 *   pair NAME  SEND-EVENT -> RECEIVE-EVENT  key FIELD[=FIELD]...  [ordered]
 *
 * The first field of a pair a=b is the send event's, the second one the receive event's. Parsed
 * once, immutable. */
#ifndef MER_SYNC_MATCH_USER_PAIRS_H
#define MER_SYNC_MATCH_USER_PAIRS_H

#include "trace/path.h"

enum { SYNC_USER_MAX_PAIRS = 1000, SYNC_USER_MAX_FIELDS = 16 };

struct sync_user_pair {
	const char *name;
	const char *event[2];	      /* names of the receive and of the send event */
	struct trace_path *fields[2]; /* n_fields of each */
	uint32_t n_fields, line;
	bool is_ordered; /* equal keys arrive in the order in which they were sent */
};

struct sync_user_pairs {
	struct mer_arena arena;
	struct sync_user_pair *pairs;
	uint32_t n;
};

/* path: for error messages, "PATH:LINE:COLUMN: ...". */
int sync_user_pairs_parse(const char *text, size_t len, const char *path,
	struct sync_user_pairs **pairs, struct mer_err *err);
int sync_user_pairs_load(const char *path, struct sync_user_pairs **pairs, struct mer_err *err);
void sync_user_pairs_free(struct sync_user_pairs *);

#endif
