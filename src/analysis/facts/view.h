/* Facts about the states that views find (views/states.h): each state; which thread it belonged
 * to and what the kernel did with that thread then; values over time; marks; arrows. */
#ifndef MER_ANALYSIS_FACTS_VIEW_H
#define MER_ANALYSIS_FACTS_VIEW_H

#include "analysis/fact.h"

enum view_doing { /* what a thread did, according to the kernel trace */
	VIEW_RUNS,
	VIEW_INTERRUPTED, /* its CPU serves an interrupt */
	VIEW_STOLEN,	  /* its CPU is a vCPU, and did not run */
	VIEW_RUNNABLE,
	VIEW_BLOCKED,
	VIEW_STOPPED,
	VIEW_NOT_KNOWN, /* not recorded, or lost */
	VIEW_N_DOING
};

struct view_fact { /* first member of all facts of views */
	struct fact fact;
	uint32_t row;
	int32_t tid; /* from the event; -1: not known */
};

struct view_state_fact { /* choice: which of its ends were seen */
	struct view_fact of;
	int64_t own_ns;
	uint32_t word, within; /* within: text of the enclosing state; KERNEL_NONE */
	uint32_t colour, depth;
	uint8_t again,
		/* inside a state with the same text: its time is part of that state's */
		again_in_row;
	uint8_t unused[6];
};

struct view_time_fact { /* choice: enum view_doing */
	struct view_fact of;
	int64_t state_ns; /* length of the whole state, including nested ones */
	uint32_t word;
	uint8_t cause; /* enum kernel_cause of a wait */
	uint8_t unused[3];
};

struct view_value_fact { /* a value, until it changes */
	struct view_fact of;
	int64_t value;
};

struct view_mark_fact {
	struct view_fact of;
	uint32_t word;
	uint8_t unused[4];
};

struct view_arrow_fact {     /* on the host where the arrow ends */
	struct view_fact of; /* row: where it ends */
	uint32_t from_host, from_row, link, unused;
};

#endif
