/* Session scenario: a session over the traces of a scenario, for whole test programs. */
#ifndef TESTS_SESSION_SCENARIO_H
#define TESTS_SESSION_SCENARIO_H

#include "scenario.h"
#include "session/session.h"

struct session_scenario {
	struct scenario scenario;
	char path[80];
	const char *paths[1];
	struct session *session;
};

/* Opened, on one thread, not synchronized. Failures fail the test. */
void session_scenario_open(struct session_scenario *s, const char *text);
void session_scenario_close(struct session_scenario *s);

#endif
