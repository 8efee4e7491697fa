/* What `check` found (session/check.h), over all hosts: which analyses are possible, what lacks. */
#ifndef MER_ASK_TRACES_CHECK_JUDGE_H
#define MER_ASK_TRACES_CHECK_JUDGE_H

#include "ask/traces/check_result.h"

struct check_judged { /* over all hosts that are wanted, and that it concerns */
	bool concerns_any;
	enum capability_possible possible;
	bool lacking[CAPABILITY_N_EVENTS];	      /* on some host */
	bool lacking_everywhere[CAPABILITY_N_EVENTS]; /* on all */
};

extern const char *const check_possible_names[]; /* by enum capability_possible */
extern const char check_clocks_name[];

struct check_judged check_judge_analysis(const struct check *c, const struct capability *a);
/* Synchronization is an analysis too; what it lacks, check_sync knows. */
struct check_judged check_judge_clocks(const struct check *c);
/* What is lacking on the hosts that were recorded so; a NULL: of all analyses and clocks. False:
 * there are none. */
bool check_lacking_with(const struct check *c, const struct capability *a, enum trace_tool tool,
	bool lacking[CAPABILITY_N_EVENTS]);
/* As what all wanted hosts were recorded; LTTng where they differ. */
enum trace_tool check_common_tool(const struct check *c);

#endif
