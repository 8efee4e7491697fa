#include "world_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/files/files.h"

enum { MAX_WORDS = 8, MAX_WAITS = 100, END_MS = 1000 };

struct words {
	char text[200];
	char *word[MAX_WORDS];
	int n;
};

static void split(struct words *w, const char *line, size_t len)
{
	assert_true(len < sizeof(w->text));
	memcpy(w->text, line, len);
	w->text[len] = '\0';
	w->n = 0;
	for (char *at = w->text, *p; (p = strsep(&at, " \t")) != NULL;)
		if (*p) {
			assert_true(w->n < MAX_WORDS);
			w->word[w->n++] = p;
		}
}

uint32_t world_text_task(const struct tasks_world *t, uint32_t host, int32_t tid)
{
	return kernel_find_task(&t->hosts[host], tid, NULL, 0);
}

/* "HOST:TID" */
static uint32_t task_of(struct tasks_world *t, const char *word, uint32_t *host, bool make)
{
	char *end;
	*host = (uint32_t)strtoul(word, &end, 10);
	assert_true(*host < t->w.n_hosts && *end == ':');
	int32_t tid = (int32_t)strtol(end + 1, NULL, 10);
	uint32_t task = world_text_task(t, *host, tid);
	if (task == KERNEL_NONE && make) {
		char name[20];
		snprintf(name, sizeof(name), "t%d", (int)tid);
		task = tw_task(t, *host, tid, name);
	}
	assert_int_not_equal(task, KERNEL_NONE);
	return task;
}

static int find_state(const char *word)
{
	for (int s = 0; s < KERNEL_N_STATES; s++)
		if (s != KERNEL_BLOCKED &&
			strcmp(word, kernel_state_name((enum kernel_state)s)) == 0)
			return s;
	return -1;
}

static enum kernel_cause find_cause(const char *word)
{
	for (int c = KERNEL_NO_CAUSE + 1; c < KERNEL_N_CAUSES; c++)
		if (strcmp(word, kernel_cause_name((enum kernel_cause)c)) == 0)
			return (enum kernel_cause)c;
	assert_string_equal(word, "-");
	return KERNEL_NO_CAUSE;
}

static uint32_t add_wait(
	struct tasks_world *t, uint32_t host, uint32_t task, int64_t at, const struct words *w)
{
	char *object = strchr(w->word[2], ':');
	if (object)
		*object++ = '\0';
	const char *call = strcmp(w->word[2], "-") == 0 ? "" : w->word[2];
	uint32_t span =
		tw_wait(t, host, task, at, call, object ? object : "", find_cause(w->word[3]));
	if (object && strncmp(object, "tty", 3) == 0) {
		struct kernel_host *h = &t->hosts[host];
		struct kernel_call tty = h->calls[kernel_span(h, span)->call];
		tty.kind = KERNEL_OBJECT_TTY;
		kernel_span(h, span)->call = kernel_add_call(h, &tty);
	}
	return span;
}

/* The last span of the task that begins at a time, or before. */
static uint32_t span_at(const struct tasks_world *t, uint32_t host, uint32_t task, int64_t time)
{
	uint32_t span = kernel_span_at(&t->hosts[host], task, time, KERNEL_NONE);
	assert_int_not_equal(span, KERNEL_NONE);
	return span;
}

static uint32_t endpoint(uint32_t host, uint32_t task, uint32_t of_host, uint32_t of_task)
{
	return 1 + ((host * 100 + task) * 1000 + of_host * 100 + of_task);
}

static void end_wait(struct tasks_world *t, uint32_t host, uint32_t span, const char *by)
{
	uint32_t task = kernel_span(&t->hosts[host], span)->task, by_host, next = KERNEL_NONE;
	uint32_t by_task = task_of(t, by, &by_host, false);
	for (uint32_t i = t->hosts[host].tasks[task].last; i != span;
		i = kernel_span(&t->hosts[host], i)->before)
		next = i;
	assert_int_not_equal(next, KERNEL_NONE);
	int64_t end = kernel_span(&t->hosts[host], next)->begin;
	if (by_host == host) {
		tw_by(t, host, span, span_at(t, host, by_task, end));
		return;
	}
	tw_by_packet(t, host, span, by_host, span_at(t, by_host, by_task, end - MS), end / MS - 1,
		end / MS);
	struct kernel_bridge *p = &t->packets[t->w.n_bridges - 1];
	p->from.endpoint = endpoint(by_host, by_task, host, task);
	p->to.endpoint = endpoint(host, task, by_host, by_task);
}

void world_text(struct tasks_world *t, const char *text)
{
	struct wait {
		uint32_t host, span;
		char by[20];
	} waits[MAX_WAITS];
	size_t n_waits = 0;
	tw_init(t, 3, END_MS);
	while (*text) {
		struct words w;
		size_t len = strcspn(text, "\n");
		split(&w, text, len);
		text += len + (text[len] == '\n');
		if (w.n == 0)
			continue;
		assert_true(w.n >= 3);
		int64_t at = strtoll(w.word[0], NULL, 10);
		uint32_t host, task = task_of(t, w.word[1], &host, true);
		if (strcmp(w.word[2], "fork") == 0) {
			int32_t tid = (int32_t)strtol(w.word[3], NULL, 10);
			char name[20];
			snprintf(name, sizeof(name), "t%d", (int)tid);
			uint32_t child = tw_fork(t, host, task, tid, name, at);
			if (w.n > 4)
				t->hosts[host].tasks[child].pid = t->hosts[host].tasks[task].pid;
		} else if (w.n == 4 && strcmp(w.word[3], "kernel") == 0) {
			t->hosts[host].tasks[task].is_kernel = true;
		} else if (strcmp(w.word[2], "dead") == 0) {
			tw_exit(t, host, task, at);
		} else if (w.n == 3) {
			int state = find_state(w.word[2]);
			assert_true(state >= 0);
			tw_span(t, host, task, at, (enum kernel_state)state);
		} else {
			assert_true(n_waits < MAX_WAITS);
			waits[n_waits].host = host;
			waits[n_waits].span = add_wait(t, host, task, at, &w);
			waits[n_waits].by[0] = '\0';
			if (w.n > 5)
				snprintf(waits[n_waits].by, sizeof(waits[n_waits].by), "%s",
					w.word[5]);
			n_waits += w.n > 5;
		}
	}
	for (size_t i = 0; i < n_waits; i++)
		end_wait(t, waits[i].host, waits[i].span, waits[i].by);
}
