#include "session_scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

void session_scenario_open(struct session_scenario *s, const char *text)
{
	struct mer_err err;
	scenario_open(&s->scenario, text);
	snprintf(s->path, sizeof(s->path), "%s/traces", s->scenario.dir);
	s->paths[0] = s->path;
	s->session = session_new(
		&(struct session_options){ .paths = s->paths, .n_paths = 1, .n_threads = 1 });
	assert_non_null(s->session);
	assert_int_equal(session_open(s->session, &err), 0);
}

void session_scenario_close(struct session_scenario *s)
{
	session_free(s->session);
	scenario_close(&s->scenario);
}
