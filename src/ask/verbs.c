/* The verbs that ask about traces. */
#include "ask/verb.h"

const struct ask_verb *const ask_verbs[] = {
	&ask_verb_info,
	&ask_verb_events,
	&ask_verb_stats,
	&ask_verb_check,
	&ask_verb_sync,
	&ask_verb_latency,
	&ask_verb_summary,
	&ask_verb_requests,
	&ask_verb_path,
	&ask_verb_diff,
	&ask_verb_blocked,
	&ask_verb_graph,
	&ask_verb_task,
	&ask_verb_top,
	&ask_verb_log,
	&ask_verb_freq,
	&ask_verb_state,
	&ask_verb_layout,
	NULL,
};
