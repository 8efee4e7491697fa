/* Facts about the states that views find (views/states.h): each state; whose time it was, and what
 * the kernel did with its thread then; values over time; marks; arrows. */
#ifndef MER_ANALYSIS_FACTS_VIEW_H
#define MER_ANALYSIS_FACTS_VIEW_H

#include "analysis/fact.h"

enum view_doing { /* of a thread, as the kernel says */
	VIEW_RUNS,
	VIEW_INTERRUPTED, /* its CPU serves an interrupt */
	VIEW_STOLEN,	  /* its CPU is a guest's, and was away */
	VIEW_RUNNABLE,
	VIEW_BLOCKED,
	VIEW_STOPPED,
	VIEW_NOT_KNOWN, /* not recorded, or lost */
	VIEW_N_DOING
};

struct view_fact { /* all begin so */
	struct fact fact;
	uint32_t row;
	int32_t tid; /* as recorded; -1: not known */
};

struct view_state_fact { /* choice: which of its ends were seen */
	struct view_fact of;
	int64_t own_ns;
	uint32_t word, within; /* within: word of the state around it; KERNEL_NONE */
	uint32_t colour, depth;
	uint8_t again,
		again_in_row; /* within one of the same text: its time is part of that one's */
	uint8_t unused[6];
};

struct view_time_fact { /* choice: enum view_doing */
	struct view_fact of;
	int64_t state_ns; /* how long the state lasted, with all that was nested in it */
	uint32_t word;
	uint8_t cause; /* enum kernel_cause: of waits */
	uint8_t unused[3];
};

struct view_value_fact { /* until it changes */
	struct view_fact of;
	int64_t value;
};

struct view_mark_fact {
	struct view_fact of;
	uint32_t word;
	uint8_t unused[4];
};

struct view_arrow_fact {     /* of the host where it ends */
	struct view_fact of; /* row: it ends there */
	uint32_t from_host, from_row, link, unused;
};

#endif
