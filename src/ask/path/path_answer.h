/* A path for programs: everything that is known about it, as tables. */
#ifndef MER_ASK_PATH_PATH_ANSWER_H
#define MER_ASK_PATH_PATH_ANSWER_H

#include "ask/answer.h"
#include "ask/path/path_print.h"

enum path_segment_column { /* of its first table */
	PATH_SEGMENT_BEGIN,
	PATH_SEGMENT_END,
	PATH_SEGMENT_HOST,
	PATH_SEGMENT_TID,
	PATH_SEGMENT_COMM,
	PATH_SEGMENT_STATE,
	PATH_SEGMENT_CAUSE,
	PATH_SEGMENT_DETAIL,
	PATH_SEGMENT_DEPTH,
	PATH_SEGMENT_IN_FLIGHT,
	PATH_SEGMENT_DELIVERY,
	PATH_SEGMENT_USER_STATE,
	PATH_SEGMENT_N_COLUMNS
};
#define PATH_SEGMENT_COLUMNS                                                                       \
	[PATH_SEGMENT_BEGIN] = { "begin", "begin", MER_DATE },                                     \
	[PATH_SEGMENT_END] = { "end", "end", MER_DATE },                                           \
	[PATH_SEGMENT_HOST] = { "host", "host", MER_TEXT },                                        \
	[PATH_SEGMENT_TID] = { "tid", "tid", MER_ID },                                             \
	[PATH_SEGMENT_COMM] = { "comm", "comm", MER_TEXT },                                        \
	[PATH_SEGMENT_STATE] = { "state", "state", MER_TEXT },                                     \
	[PATH_SEGMENT_CAUSE] = { "cause", "cause", MER_TEXT },                                     \
	[PATH_SEGMENT_DETAIL] = { "detail", "detail", MER_TEXT },                                  \
	[PATH_SEGMENT_DEPTH] = { "depth", "depth", MER_ID },                                       \
	[PATH_SEGMENT_IN_FLIGHT] = { "in_flight", NULL, MER_ID },                                  \
	[PATH_SEGMENT_DELIVERY] = { "delivery", NULL, MER_ID },                                    \
	[PATH_SEGMENT_USER_STATE] = { "user_state", NULL, MER_TEXT }

/* Fills these columns of a row of t; texts are the world's, or in its arena. */
void ask_path_segment(const struct path *p, const struct path_segment *s, struct mer_table *t,
	struct mer_cell *row);

struct ask_path_answer { /* how far its tables have been written, as there may be many segments */
	const struct ask_path *c;
	size_t at, at_cpu, at_packet, at_link; /* the next of each */
};

/* Adds the tables; x, c and what it refers to live as long as a. a's time is that of the path. */
int ask_path_answer(const struct ask_path *c, struct ask_path_answer *x, struct answer *a);

#endif
