/* Scenario: traces from a text (docs/dev/scenario.md), opened. Everything must succeed, or the test
 * fails. */
#ifndef TESTS_SCENARIO_H
#define TESTS_SCENARIO_H

#include "sync/auto.h"

struct scenario {
	char dir[64]; /* goes away with it; "": traces that were opened where they are */
	struct mer_experiment *e;
	struct sync_messages messages;
	struct sync_result *result; /* NULL: one host */
};

void scenario_open(struct scenario *, const char *text);
/* The same of traces that are there. Their clocks are taken to be right. */
void scenario_open_traces(struct scenario *, const char *path);
void scenario_close(struct scenario *);

#endif
