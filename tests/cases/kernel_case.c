#include "kernel_case.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "given.h"

static void description_path(char *path, size_t size, const char *name, size_t len)
{
	char below[300];
	snprintf(below, sizeof(below), "cases/xml-traces/%.*s", (int)len, name);
	given_path(path, size, below);
}

static void run(const char *command)
{
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

static void make_directory(struct kernel_case *c)
{
	*c = (struct kernel_case){ 0 };
	snprintf(c->dir, sizeof(c->dir), "/tmp/kernel_case.XXXXXX");
	assert_non_null(mkdtemp(c->dir));
}

static void build(struct kernel_case *c, const char *only)
{
	struct mer_err err = { 0 };
	char path[300];
	snprintf(path, sizeof(path), "%s/traces/%s", c->dir, only ? only : "");
	if (mer_experiment_open((const char *const[]){ path }, 1, NULL, &c->e, &err) ||
		sync_gather(c->e, &(struct sync_gather_options){ .keep_streams = true },
			&c->messages, &err))
		fail_msg("%s", err.text);
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct sync_host_info *infos = sync_host_infos(c->e, &arena);
	assert_non_null(infos);
	struct sync_options believe = { .method = SYNC_REALTIME };
	struct kernel_world_options o = { .n_threads = 2 };
	if (sync_solve(&c->messages, infos, c->e->n_hosts, &believe, &c->result, &err) ||
		sync_apply(c->e, c->result, &err) ||
		kernel_world_build(c->e, &c->messages, c->result, &o, &c->w, &err))
		fail_msg("%s", err.text);
	mer_arena_fini(&arena);
}

void kernel_case_open_xml(
	struct kernel_case *c, const char *descriptions, const char *options, const char *only)
{
	enum { MAX = 4 };
	const char *src = given_environment("SRC"), *ctfgen = given_environment("CTFGEN");
	char paths[MAX][500];
	int names[MAX], n = 0; /* length of "NAME=" */
	const char *at[MAX];
	for (const char *p = descriptions; *p; p += *p == ' ', n++) {
		size_t len = strcspn(p, " "), name = strcspn(p, "=");
		assert_true(n < MAX);
		names[n] = name < len ? (int)name + 1 : 0;
		at[n] = p;
		description_path(paths[n], sizeof(paths[n]), p + names[n], len - (size_t)names[n]);
		p += len;
	}
	make_directory(c);
	struct mer_str command = { 0 };
	mer_str_printf(&command, "'%s/tools/xml_scenario' %s", src, options ? options : "");
	for (int i = 0; i < n; i++)
		mer_str_printf(&command, " '%.*s%s'", names[i], at[i], paths[i]);
	mer_str_printf(&command, " >%s/case.scn && '%s' -o %s/traces %s/case.scn", c->dir, ctfgen,
		c->dir, c->dir);
	assert_false(command.failed);
	run(command.data);
	mer_str_fini(&command);
	build(c, only);
}

void kernel_case_open(struct kernel_case *c, const char *scenario, const char *only)
{
	char command[1000];
	const char *src = given_environment("SRC"), *ctfgen = given_environment("CTFGEN");
	make_directory(c);
	snprintf(command, sizeof(command), "'%s' -o %s/traces '%s/%s'", ctfgen, c->dir, src,
		scenario);
	run(command);
	build(c, only);
}

void kernel_case_close(struct kernel_case *c)
{
	char command[100];
	kernel_world_free(c->w);
	sync_result_free(c->result);
	sync_messages_free(&c->messages);
	mer_experiment_free(c->e);
	snprintf(command, sizeof(command), "rm -rf %s", c->dir);
	run(command);
}

char *kernel_case_read(const char *name)
{
	char path[500];
	description_path(path, sizeof(path), name, strlen(name));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	enum { MAX = 1 << 16 };
	char *text = calloc(1, MAX);
	assert_non_null(text);
	assert_true(fread(text, 1, MAX - 1, f) > 0);
	fclose(f);
	return text;
}

uint32_t kernel_case_host(const struct kernel_case *c, const char *name)
{
	for (uint32_t h = 0; h < c->e->n_hosts; h++)
		if (strcmp(c->e->hosts[h].name, name) == 0)
			return h;
	fail_msg("no host %s", name);
	return 0;
}

uint32_t kernel_case_task(const struct kernel_case *c, uint32_t host, int32_t tid)
{
	const struct kernel_host *h = &c->w->hosts[host];
	uint32_t task = kernel_find_task(h, tid, NULL, 0);
	if (task == KERNEL_NONE || kernel_find_task(h, tid, NULL, task + 1) != KERNEL_NONE)
		fail_msg("not one task with tid %" PRId32, tid);
	return task;
}

int64_t kernel_case_span_end(const struct kernel_host *h, uint32_t span)
{
	uint32_t task = kernel_span(h, span)->task, next = KERNEL_NONE;
	for (uint32_t i = h->tasks[task].last; i != span; i = kernel_span(h, i)->before)
		next = i;
	return next == KERNEL_NONE ? h->tasks[task].end : kernel_span(h, next)->begin;
}
