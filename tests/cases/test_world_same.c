/* The same world, and so the same paths, for any number of threads, however the stream files are
 * spread over directories, and in whatever order these are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "recording.h"

#define SAME(a, b, i, is_so)                                                                       \
	do {                                                                                       \
		if (!(is_so))                                                                      \
			fail_msg("host %s, number %zu: not %s", (a)->name, (size_t)(i), #is_so);   \
	} while (0)

static void check_names(
	const struct recording *a, const struct kernel_host *p, const struct kernel_host *q)
{
	assert_int_equal(p->n_renames, q->n_renames);
	for (uint32_t i = 0; i < p->n_renames; i++) {
		SAME(a, b, i, p->renames[i].begin == q->renames[i].begin);
		SAME(a, b, i, p->renames[i].before == q->renames[i].before);
		SAME(a, b, i,
			strcmp(kernel_name_text(p, p->renames[i].name),
				kernel_name_text(q, q->renames[i].name)) == 0);
	}
	assert_int_equal(p->n_calls, q->n_calls);
	for (uint32_t i = 0; i < p->n_calls; i++) {
		const struct kernel_call *c = &p->calls[i], *d = &q->calls[i];
		SAME(a, b, i, c->fd == d->fd && c->kind == d->kind);
		SAME(a, b, i,
			strcmp(kernel_name_text(p, c->name), kernel_name_text(q, d->name)) == 0);
		SAME(a, b, i,
			strcmp(kernel_name_text(p, c->object), kernel_name_text(q, d->object)) ==
				0);
	}
}

static void check_host(
	const struct recording *a, const struct kernel_host *p, const struct kernel_host *q)
{
	assert_int_equal(p->n_events, q->n_events);
	assert_int_equal(p->n_odd, q->n_odd);
	assert_true(p->begin == q->begin && p->end == q->end);
	assert_int_equal(p->n_tasks, q->n_tasks);
	for (uint32_t i = 0; i < p->n_tasks; i++) {
		const struct kernel_task *s = &p->tasks[i], *t = &q->tasks[i];
		SAME(a, b, i, s->begin == t->begin && s->end == t->end && s->died == t->died);
		SAME(a, b, i, s->tid == t->tid && s->pid == t->pid && s->ppid == t->ppid);
		SAME(a, b, i, s->vtid == t->vtid && s->vpid == t->vpid && s->pid_ns == t->pid_ns);
		SAME(a, b, i, s->parent == t->parent && s->last == t->last && s->name == t->name);
		SAME(a, b, i, s->is_kernel == t->is_kernel && s->born == t->born);
	}
	assert_int_equal(p->n_spans, q->n_spans);
	for (uint32_t i = 0; i < p->n_spans; i++) {
		const struct kernel_span *s = kernel_span(p, i), *t = kernel_span(q, i);
		SAME(a, b, i, s->begin == t->begin && s->task == t->task && s->before == t->before);
		SAME(a, b, i, s->call == t->call && s->by == t->by && s->source == t->source);
		SAME(a, b, i, s->cpu == t->cpu && s->state == t->state && s->cause == t->cause);
	}
	assert_int_equal(p->n_requests, q->n_requests);
	for (uint32_t i = 0; i < p->n_requests; i++) {
		const struct kernel_request *s = &p->requests[i], *t = &q->requests[i];
		SAME(a, b, i, s->insert == t->insert && s->issue == t->issue);
		SAME(a, b, i, s->complete == t->complete && s->sector == t->sector);
		SAME(a, b, i, s->dev == t->dev && s->bytes == t->bytes && s->by == t->by);
		SAME(a, b, i, s->flags == t->flags && s->error == t->error);
	}
	check_names(a, p, q);
}

static void check_paths(const struct recording *a, const struct recording *b, uint32_t host)
{
	uint32_t n = a->w->hosts[host].n_tasks, step = n / 40 + 1;
	for (uint32_t t = 0; t < n; t += step) {
		struct path p, q;
		recording_find_path(a, host, t, INT64_MIN, INT64_MAX, &p);
		recording_find_path(b, host, t, INT64_MIN, INT64_MAX, &q);
		assert_int_equal(p.n_segments, q.n_segments);
		for (size_t i = 0; i < p.n_segments; i++) {
			const struct path_segment *s = &p.segments[i], *u = &q.segments[i];
			SAME(a, b, i, s->begin == u->begin && s->end == u->end);
			SAME(a, b, i, s->host == u->host && s->task == u->task);
			SAME(a, b, i, s->span == u->span && s->source == u->source);
			SAME(a, b, i, s->depth == u->depth && s->cause == u->cause);
		}
		assert_int_equal(p.n_links, q.n_links);
		path_fini(&p);
		path_fini(&q);
	}
}

static void check_same(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->w->n_hosts, b->w->n_hosts);
	assert_int_equal(a->w->n_bridges, b->w->n_bridges);
	for (uint32_t i = 0; i < a->w->n_bridges; i++) {
		const struct kernel_bridge *p = &a->w->bridges[i], *q = &b->w->bridges[i];
		SAME(a, b, i, p->from.time == q->from.time && p->to.time == q->to.time);
		SAME(a, b, i,
			p->from.host == q->from.host && p->to.host == q->to.host &&
				p->kind == q->kind);
		SAME(a, b, i, p->from.span == q->from.span && p->to.span == q->to.span);
		SAME(a, b, i, p->answers == q->answers);
	}
	for (uint32_t h = 0; h < a->w->n_hosts; h++) {
		assert_string_equal(a->e->hosts[h].name, b->e->hosts[h].name);
		check_host(a, &a->w->hosts[h], &b->w->hosts[h]);
		check_paths(a, b, h);
	}
}

static void run(const char *command)
{
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* Each stream file of a kernel trace becomes a directory of its own. */
static size_t split(const char *path, const char *dir, char (*parts)[700], size_t max)
{
	char command[3000], line[700];
	snprintf(command, sizeof(command),
		"cd '%s' && find . -name metadata -not -path '*/ust/*' | sort | while read m; do "
		"for f in $(cd $(dirname $m) && ls | grep -v -e metadata -e index); do "
		"d=%s/$(dirname $m)/$f && mkdir -p $d && cp $m $(dirname $m)/$f $d && "
		"chmod -R u+w $d && echo $d; done; done >%s/list",
		path, dir, dir);
	run(command);
	snprintf(command, sizeof(command), "%s/list", dir);
	FILE *f = fopen(command, "r");
	assert_non_null(f);
	size_t n = 0;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		assert_true(n < max);
		snprintf(parts[n++], sizeof(parts[0]), "%s", line);
	}
	fclose(f);
	return n;
}

static void however_it_is_read(void **state)
{
	enum { MAX = 40 };
	static char parts[MAX][700];
	const char *forth[MAX], *back[MAX];
	struct recording one, other;
	char path[500], dir[] = "/tmp/world_same.XXXXXX", command[100];
	recording_path(path, sizeof(path), *state);
	assert_non_null(mkdtemp(dir));
	size_t n = split(path, dir, parts, MAX);
	assert_true(n > 1);
	for (size_t i = 0; i < n; i++) {
		forth[i] = parts[i];
		back[n - 1 - i] = parts[i];
	}
	recording_open_paths(&one, (const char *const[]){ path }, 1, 1);
	recording_open_paths(&other, (const char *const[]){ path }, 1, 2);
	check_same(&one, &other);
	recording_close(&other);
	recording_open_paths(&other, forth, n, 1);
	check_same(&one, &other);
	recording_close(&other);
	recording_open_paths(&other, back, n, 2);
	check_same(&one, &other);
	recording_close(&other);
	recording_close(&one);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	run(command);
}

int main(void)
{
	static const char *const names[] = {
		"lab/clihog-srvhog-2vm",
		"lab/mpi-3vm",
		"lab/netns-containers",
		"lab/cpu-mem-io",
		"lab/lost-events",
		"lab/web-lossy",
		"public/bug446190",
		"public/django-vote",
		"public/synctraces",
	};
	enum { N = sizeof(names) / sizeof(names[0]) };
	struct CMUnitTest tests[N];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = names[i],
			.test_func = however_it_is_read,
			.initial_state = (void *)(uintptr_t)names[i] };
	return cmocka_run_group_tests_name("the same however it is read", tests, NULL, NULL);
}
