#include "lives.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"

void lives_open(struct lives *l, const char *scenario)
{
	struct mer_err err = { 0 };
	struct kernel_world_options o = { .n_threads = 1 };
	*l = (struct lives){ 0 };
	scenario_open(&l->s, scenario);
	if (kernel_world_build(l->s.e, &l->s.messages, l->s.result, &o, &l->w, &err))
		fail_msg("%s", err.text);
}

void lives_close(struct lives *l)
{
	kernel_world_free(l->w);
	scenario_close(&l->s);
}

const struct kernel_host *lives_host(const struct lives *l, const char *name)
{
	for (uint32_t h = 0; h < l->s.e->n_hosts; h++)
		if (strcmp(l->s.e->hosts[h].name, name) == 0)
			return &l->w->hosts[h];
	fail_msg("no host %s", name);
	return NULL;
}

static void add_source(struct mer_str *out, const struct kernel_span *s)
{
	if (s->source == KERNEL_NONE)
		return;
	bool is_number = s->cause == KERNEL_DISK || s->cause == KERNEL_NETWORK;
	mer_str_printf(out, " %s%" PRIu32, is_number ? "#" : "", s->source);
}

static void add_span(struct mer_str *out, const struct kernel_host *h, const struct kernel_span *s)
{
	assert_int_equal(s->begin % 1000, 0);
	mer_str_printf(out, "%" PRId64 " %s", s->begin / 1000,
		kernel_state_name((enum kernel_state)s->state));
	if (s->call != KERNEL_NONE)
		mer_str_printf(out, " in %s", kernel_name_text(h, h->calls[s->call].name));
	if (s->cpu == KERNEL_NO_CPU)
		mer_str_printf(out, " @-");
	else if (s->cpu)
		mer_str_printf(out, " @%u", (unsigned)s->cpu);
	if (s->cause != KERNEL_NO_CAUSE)
		mer_str_printf(out, ": %s", kernel_cause_name((enum kernel_cause)s->cause));
	if (s->cause == KERNEL_TIMER && s->state == KERNEL_BLOCKED) {
		if (s->source != KERNEL_NONE) /* see kernel_wait_end */
			mer_str_printf(
				out, " until %" PRId64, kernel_span(h, s->source)->begin / 1000);
	} else if (s->cause != KERNEL_TIMER) {
		add_source(out, s);
	}
	if (s->by != KERNEL_NONE)
		mer_str_printf(out, " by %" PRId32, h->tasks[kernel_span(h, s->by)->task].tid);
}

/* Spans lie in the order in which they began to be written, so do those of one task. */
static void add_task(struct mer_str *out, const struct kernel_host *h, uint32_t task)
{
	bool any = false;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		if (kernel_span(h, i)->task != task)
			continue;
		if (any)
			mer_str_printf(out, ", ");
		add_span(out, h, kernel_span(h, i));
		any = true;
	}
}

static void compare(const struct kernel_host *h, int32_t tid, const char *expected)
{
	struct mer_str out = { 0 };
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		if (h->tasks[t].tid != tid)
			continue;
		if (out.len)
			mer_str_printf(&out, " | ");
		add_task(&out, h, t);
	}
	assert_false(out.failed);
	if (strcmp(out.data ? out.data : "", expected))
		printf("GOT %s\nEXP %s\n", out.data, expected);
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
}

void lives_are(const struct lives *l, int32_t tid, const char *expected)
{
	compare(&l->w->hosts[0], tid, expected);
}

void lives_of_host_are(const struct lives *l, const char *host, int32_t tid, const char *expected)
{
	compare(lives_host(l, host), tid, expected);
}

void lives_check(const char *scenario, int32_t tid, const char *expected)
{
	struct lives l;
	lives_open(&l, scenario);
	lives_are(&l, tid, expected);
	lives_close(&l);
}
