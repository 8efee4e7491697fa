#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "given.h"

void scenario_open_traces(struct scenario *s, const char *path)
{
	struct mer_err err = { 0 };
	if (mer_experiment_open(&path, 1, NULL, &s->e, &err) ||
		sync_gather(s->e, &(struct sync_gather_options){ .keep_streams = true },
			&s->messages, &err))
		fail_msg("%s", err.text);
	if (s->e->n_hosts < 2)
		return;
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct sync_host_info *infos = sync_host_infos(s->e, &arena);
	assert_non_null(infos);
	struct sync_options o = { .method = SYNC_REALTIME };
	if (sync_solve(&s->messages, infos, s->e->n_hosts, &o, &s->result, &err) ||
		sync_apply(s->e, s->result, &err))
		fail_msg("%s", err.text);
	mer_arena_fini(&arena);
}

void scenario_open(struct scenario *s, const char *text)
{
	char path[200], command[1000];
	const char *ctfgen = given_environment("CTFGEN");
	*s = (struct scenario){ 0 };
	snprintf(s->dir, sizeof(s->dir), "/tmp/scenario.XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	snprintf(path, sizeof(path), "%s/case.scn", s->dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
	snprintf(command, sizeof(command), "'%s' -o %s/traces %s", ctfgen, s->dir, path);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
	snprintf(path, sizeof(path), "%s/traces", s->dir);
	scenario_open_traces(s, path);
}

void scenario_close(struct scenario *s)
{
	char command[100];
	sync_result_free(s->result);
	sync_messages_free(&s->messages);
	mer_experiment_free(s->e);
	if (!s->dir[0])
		return;
	snprintf(command, sizeof(command), "rm -rf %s", s->dir);
	assert_int_equal(system(command), 0);
}
