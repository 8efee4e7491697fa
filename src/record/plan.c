#include "record/plan.h"

#include <inttypes.h>
#include <string.h>
#include "record/probes.h"
#include "record/words.h"

static void put_session(const struct record_plan *p, struct mer_str *out)
{
	if (p->session)
		mer_str_printf(out, " --session %s", p->session);
}

/* For commands that take the session as a plain word. */
static void put_session_word(const struct record_plan *p, struct mer_str *out)
{
	if (p->session)
		mer_str_printf(out, " %s", p->session);
}

void record_plan_create(const struct record_plan *p, const char *folder, struct mer_str *out)
{
	mer_str_puts(out, "lttng create");
	put_session_word(p, out);
	if (p->mode == RECORD_LIVE)
		mer_str_puts(out, " --live\n");
	else
		mer_str_printf(out, " --output %s%s\n", folder,
			p->mode == RECORD_SNAPSHOT ? " --snapshot" : "");
}

static const char *domain_option(int d)
{
	return d == RECORD_KERNEL ? "--kernel" : "--userspace";
}

void record_plan_channels(const struct record_plan *p, struct mer_str *out)
{
	for (int d = 0; d < RECORD_FTRACE; d++) {
		const struct record_channel *c = &p->preset.channels[d];
		if (!c->name)
			continue;
		mer_str_puts(out, "lttng enable-channel");
		put_session(p, out);
		mer_str_printf(out, " %s --num-subbuf %" PRIu64 " --subbuf-size %" PRIu64 "K %s\n",
			domain_option(d), c->n_subbufs, c->subbuf_kib, c->name);
	}
	const char *user = p->preset.channels[RECORD_USER].name;
	if (!user || p->preset.n_contexts == 0)
		return;
	mer_str_puts(out, "lttng add-context");
	put_session(p, out);
	mer_str_printf(out, " --userspace --channel %s", user);
	for (size_t i = 0; i < p->preset.n_contexts; i++)
		mer_str_printf(out, " --type %s", p->preset.contexts[i]);
	mer_str_putc(out, '\n');
}

static bool holds(const struct record_rule *r, const struct record_facts *f)
{
	static const struct record_version none;
	return record_condition_holds(&r->condition, f ? record_version_of(f->kernel) : none,
		f ? record_version_of(f->lttng) : none);
}

/* The last event of the alternatives that begin with events[i]. */
static size_t last_alternative(const struct record_rule *r, size_t i)
{
	while (i + 1 < r->n_events && r->events[i + 1].is_alternative)
		i++;
	return i;
}

/* Our probes count as there: they are created, as far as the kernel accepts them. */
static bool has_event(const struct record_facts *f, enum record_domain d, const char *name)
{
	return d == RECORD_KERNEL
		       ? record_facts_has_event(f, name)
		       : record_probe_find(name) >= 0 || record_facts_has_trace_event(f, name);
}

void record_plan_missing(const struct record_plan *p, const struct record_facts *f,
	enum record_backend backend, struct mer_str *missing)
{
	const enum record_domain d = backend == RECORD_LTTNG ? RECORD_KERNEL : RECORD_FTRACE;
	for (size_t i = 0; i < p->preset.n_rules; i++) {
		const struct record_rule *r = &p->preset.rules[i];
		if (r->kind != RECORD_EVENTS || r->domain != d || !holds(r, f))
			continue;
		for (size_t k = 0, last; k < r->n_events; k = last + 1) {
			bool is_there = false;
			last = last_alternative(r, k);
			for (size_t a = k; a <= last; a++)
				is_there |= r->events[a].is_optional ||
					    has_event(f, d, r->events[a].name);
			if (!is_there)
				mer_str_printf(missing, "%s%s", missing->len ? ", " : "",
					r->events[k].name);
		}
	}
}

static void put_enable(const struct record_plan *p, enum record_domain d, struct mer_str *out)
{
	mer_str_puts(out, "lttng enable-event");
	put_session(p, out);
	mer_str_printf(out, " %s --channel %s ", d == RECORD_KERNEL ? "-k" : "-u",
		p->preset.channels[d].name);
}

static void put_rule(const struct record_plan *p, const struct record_rule *r,
	const struct record_facts *f, struct mer_str *out)
{
	size_t n = 0;
	for (size_t k = 0; k < r->n_events; k++) {
		const char *name = r->events[k].name;
		if (f && r->domain == RECORD_KERNEL && !record_facts_has_event(f, name))
			continue;
		if (n++ == 0)
			put_enable(p, r->domain, out);
		else
			mer_str_putc(out, ',');
		if (strchr(name, '*'))
			record_put_word(out, name);
		else
			mer_str_puts(out, name);
	}
	if (n)
		mer_str_putc(out, '\n');
}

void record_plan_events(
	const struct record_plan *p, const struct record_facts *f, bool titles, struct mer_str *out)
{
	const char *title = NULL;
	for (size_t i = 0; i < p->preset.n_rules; i++) {
		const struct record_rule *r = &p->preset.rules[i];
		if (r->kind == RECORD_TITLE) {
			title = r->title;
			continue;
		}
		if (r->kind == RECORD_EVENTS && (r->domain == RECORD_FTRACE || !holds(r, f)))
			continue;
		enum record_domain domain = r->kind == RECORD_SYSCALLS ? RECORD_KERNEL : r->domain;
		if (!p->preset.channels[domain].name)
			continue;
		if (titles && title)
			mer_str_printf(out, "# %s\n", title);
		title = NULL;
		if (r->kind == RECORD_SYSCALLS) {
			put_enable(p, RECORD_KERNEL, out);
			mer_str_puts(out, "--syscall --all\n");
		} else {
			put_rule(p, r, f, out);
		}
	}
}

void record_plan_rotation(const struct record_plan *p, struct mer_str *out)
{
	if (p->rotate_ns <= 0)
		return;
	mer_str_puts(out, "lttng enable-rotation");
	put_session(p, out);
	mer_str_printf(out, " --timer %" PRId64 "us\n", p->rotate_ns / 1000);
}

void record_plan_start(const struct record_plan *p, struct mer_str *out)
{
	mer_str_puts(out, "lttng start");
	put_session_word(p, out);
	mer_str_putc(out, '\n');
}

void record_plan_stop(const struct record_plan *p, struct mer_str *out)
{
	if (p->mode == RECORD_SNAPSHOT) {
		mer_str_puts(out, "lttng snapshot record");
		put_session(p, out);
		mer_str_putc(out, '\n');
	}
	mer_str_puts(out, "lttng stop");
	put_session_word(p, out);
	mer_str_putc(out, '\n');
}

void record_plan_destroy(const struct record_plan *p, struct mer_str *out)
{
	mer_str_puts(out, "lttng destroy");
	put_session_word(p, out);
	mer_str_putc(out, '\n');
}

const char *record_backend_name(unsigned b)
{
	static const char *const names[RECORD_N_BACKENDS] = {
		[RECORD_LTTNG] = "lttng", [RECORD_TRACEFS] = "ftrace", [RECORD_PERF] = "perf"
	};
	return b < RECORD_N_BACKENDS ? names[b] : NULL;
}

void record_plan_each_event(const struct record_plan *p, const struct record_facts *f,
	record_each_event *act, void *ctx)
{
	for (size_t i = 0; i < p->preset.n_rules; i++) {
		const struct record_rule *r = &p->preset.rules[i];
		if (r->kind != RECORD_EVENTS || r->domain != RECORD_FTRACE || !holds(r, f))
			continue;
		for (size_t k = 0; k < r->n_events; k++)
			act(ctx, r->events[k].name);
	}
}

uint64_t record_plan_buffer_kib(const struct record_plan *p)
{
	enum { USUAL_KIB = 8192 };
	const struct record_channel *c = &p->preset.channels[RECORD_KERNEL];
	return c->name ? c->n_subbufs * c->subbuf_kib : USUAL_KIB;
}

static void find_probe(void *ctx, const char *name)
{
	*(bool *)ctx |= record_probe_find(name) >= 0;
}

bool record_plan_has_probes(const struct record_plan *p)
{
	bool any = false;
	record_plan_each_event(p, NULL, find_probe, &any);
	return any;
}

struct perf_events {
	const struct record_facts *f;
	struct mer_str *out;
};

/* perf knows events by system and name, and systems by "system:*". */
static void put_perf_event(void *ctx, const char *name)
{
	const struct perf_events *e = ctx;
	const struct record_facts *f = e->f;
	if (record_probe_find(name) >= 0 || (f && !record_facts_has_trace_event(f, name)))
		return;
	if (e->out->len)
		mer_str_putc(e->out, ',');
	if (strchr(name, ':')) {
		mer_str_puts(e->out, name);
		return;
	}
	for (size_t i = 0; f && i < f->trace_events.n; i++) {
		const char *full = f->trace_events.name[i], *colon = strchr(full, ':');
		if (colon && strcmp(colon + 1, name) == 0) {
			mer_str_puts(e->out, full);
			return;
		}
	}
	mer_str_printf(e->out, "%s:*", name);
}

/* "a:b,raw_syscalls:c,d:*" as options of perf. System calls of perf itself are filtered out: each
 * would be an event that it then reads by further system calls. Its other events are recorded. */
static void put_perf_options(const char *events, struct mer_str *out)
{
	static const char apart[] = "raw_syscalls:";
	for (int pass = 0; pass < 2; pass++) {
		bool any = false;
		for (const char *p = events; *p;) {
			size_t n = strcspn(p, ",");
			if (n && (strncmp(p, apart, sizeof(apart) - 1) == 0) == (pass == 1)) {
				mer_str_puts(out, any ? "," : " -e '");
				mer_str_add(out, p, n);
				any = true;
			}
			p += n + (p[n] == ',');
		}
		if (any)
			mer_str_puts(out, pass ? "' --filter 'comm != \"perf\"'" : "'");
	}
}

void record_plan_perf(const struct record_plan *p, const struct record_facts *f, const char *folder,
	struct mer_str *out)
{
	struct mer_str events = { 0 };
	struct perf_events e = { f, &events };
	const uint64_t kib = record_plan_buffer_kib(p);
	uint64_t power = 128;
	/* perf's buffers have a power of two of pages: the largest one within the plan's size. */
	while (power * 2 <= kib)
		power *= 2;
	record_plan_each_event(p, f, put_perf_event, &e);
	mer_str_printf(out,
		"perf record -q -a -k CLOCK_MONOTONIC -m %" PRIu64 "K%s -o %s/perf.data", power,
		p->mode == RECORD_SNAPSHOT ? " --overwrite" : "", folder);
	put_perf_options(events.data ? events.data : "", out);
	mer_str_putc(out, '\n');
	out->failed |= events.failed;
	mer_str_fini(&events);
}
