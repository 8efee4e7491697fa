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

struct ask_path_answer { /* how far its tables have been written, as there may be many segments */
	const struct ask_path *c;
	size_t at, at_cpu, at_packet, at_link; /* the next of each */
};

/* Adds the tables; x, c and what it refers to live as long as a. a's time is that of the path. */
int ask_path_answer(const struct ask_path *c, struct ask_path_answer *x, struct answer *a);

#endif
