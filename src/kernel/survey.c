/* Which CPUs there are, by the tasks that others woke or moved there. LTTng makes a stream for each
 * CPU, also of one that does nothing. */
#include "kernel/survey.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/events.h"
#include "kernel/layouts.h"
#include "kernel/losses.h"
#include "trace/cursor.h"
#include "trace/extent.h"
#include "trace/missing.h"

enum {
	ENOUGH = 1024, /* events that name a CPU */
	LEAST = 3,     /* that name the same one */
	READ_BYTES = 2 << 20
};

struct survey {
	struct mer_experiment *e;
	uint32_t host;
	const struct kernel_event_reading *reading;
	uint32_t *n_named; /* by trace and CPU; of all hosts */
	struct mer_err *err;
};

static bool is_by_cpu(const struct mer_experiment *e, uint32_t trace)
{
	const struct mer_trace *t = &e->traces[trace];
	bool any = false;
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++) {
		if (e->streams[i].cpu < 0)
			return false;
		any = true;
	}
	return any && strcmp(t->domain, "kernel") == 0 && strncmp(t->tracer, "lttng", 5) == 0;
}

static bool has_stream(const struct mer_experiment *e, uint32_t trace, uint32_t cpu)
{
	const struct mer_trace *t = &e->traces[trace];
	for (uint32_t i = t->first_stream; i < t->first_stream + t->n_streams; i++)
		if (e->streams[i].cpu >= 0 && (uint32_t)e->streams[i].cpu == cpu)
			return true;
	return false;
}

static int64_t named_cpu(const struct survey *s, const struct mer_event *ev)
{
	switch ((enum kernel_event)s->reading->event_of[ev->plan->tag]) {
	case KERNEL_EV_WAKING:
	case KERNEL_EV_WAKEUP:
	case KERNEL_EV_WAKEUP_NEW:
	case KERNEL_EV_MIGRATE: return (int64_t)ev->slots[WAKE_CPU];
	default: return -1;
	}
}

static int look(struct survey *s, struct trace_range range)
{
	struct mer_cursor *c;
	uint32_t n_seen = 0;
	int rc = trace_cursor_of_host_from(
		s->e, s->reading->reading, s->host, range, NULL, &c, s->err);
	if (rc)
		return rc;
	while (rc == 0 && n_seen < ENOUGH) {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, s->err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			int64_t cpu = named_cpu(s, &ev[i]);
			if (cpu < 0 || cpu >= KERNEL_MAX_CPUS)
				continue;
			size_t trace = s->e->streams[ev[i].stream].trace;
			s->n_named[trace * KERNEL_MAX_CPUS + (size_t)cpu]++;
			n_seen++;
		}
	}
	trace_cursor_drop(c);
	return rc;
}

/* What is read: so much that it has about so many bytes, at the begin and at the end. */
static int look_at_both_ends(struct survey *s)
{
	const struct mer_experiment *e = s->e;
	struct trace_extent all = trace_extent_of_host(e, s->host);
	double bytes = 1;
	for (uint32_t i = 0; i < e->n_traces; i++)
		if (e->traces[i].host == s->host)
			bytes += (double)e->traces[i].bytes;
	if (all.begin == MER_NO_TIME || all.end <= all.begin)
		return 0;
	int64_t length = mer_time_between(all.begin, all.end);
	if (bytes <= 2 * READ_BYTES)
		return look(s, (struct trace_range){ INT64_MIN, INT64_MAX });
	int64_t part = (int64_t)((double)length * (READ_BYTES / bytes)) + 1;
	int rc = look(s, (struct trace_range){ INT64_MIN, all.begin + part });
	return rc ? rc : look(s, (struct trace_range){ all.end - part, INT64_MAX });
}

static int find_absent(struct survey *s)
{
	const struct mer_experiment *e = s->e;
	int rc = look_at_both_ends(s);
	for (uint32_t t = 0; t < e->n_traces && rc == 0; t++) {
		if (e->traces[t].host != s->host || !is_by_cpu(e, t))
			continue;
		const uint32_t *n_named = &s->n_named[(size_t)t * KERNEL_MAX_CPUS];
		for (uint32_t cpu = 0; cpu < KERNEL_MAX_CPUS && rc == 0; cpu++)
			if (n_named[cpu] >= LEAST && !has_stream(e, t, cpu))
				rc = trace_add_absent(s->e, t, (int32_t)cpu, s->err);
	}
	return rc;
}

/* ---- fields ---- */

static void put_field(
	struct mer_str *s, const struct ctf_event_class *c, const char *field, const char *other)
{
	if (!kernel_has_field(c, field) && (!other || !kernel_has_field(c, other)))
		mer_str_printf(s, "%s%s", s->len ? ", " : "", field);
}

/* What context switches do not say in this trace. */
static void tell_fields(struct mer_experiment *e, uint32_t part, const struct ctf_event_class *c)
{
	const struct mer_trace *t = &e->traces[e->parts[part].trace];
	struct mer_str s = { 0 };
	put_field(&s, c, "prev_tid", "prev_pid");
	put_field(&s, c, "next_tid", "next_pid");
	bool are_tasks_known = s.len == 0;
	put_field(&s, c, "prev_state", "prev_waits");
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "fields-missing",
		.host = e->hosts[t->host].name,
		.path = t->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	if (s.len)
		mer_diag_add(&e->diags, &d, "%s has no %s: %s is unknown", c->name, s.data,
			are_tasks_known ? "what a task does after it leaves a CPU"
					: "which tasks ran");
	mer_str_fini(&s);
}

static void find_fields(struct mer_experiment *e)
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		bool is_told = false;
		for (uint32_t i = 0; i < p; i++)
			is_told |= e->parts[i].trace == e->parts[p].trace;
		for (uint32_t k = 0; k < s->n_streams && !is_told; k++)
			for (uint32_t c = 0; c < s->streams[k].n_events && !is_told; c++) {
				const struct ctf_event_class *x = &s->streams[k].events[c];
				is_told = kernel_event_is(KERNEL_EV_SWITCH, x->name);
				if (is_told)
					tell_fields(e, p, x);
			}
	}
}

int kernel_survey(struct mer_experiment *e, struct mer_err *err)
{
	static const enum kernel_event events[] = { KERNEL_EV_WAKING, KERNEL_EV_WAKEUP,
		KERNEL_EV_WAKEUP_NEW, KERNEL_EV_MIGRATE };
	struct kernel_event_reading *reading = NULL;
	if (e->has_no_events) {
		find_fields(e);
		return 0;
	}
	bool *any = calloc((size_t)e->n_hosts + 1, sizeof(*any)), any_host = false;
	int rc = any ? 0 : mer_fail_nomem(err);
	for (uint32_t t = 0; t < e->n_traces && any; t++)
		if (is_by_cpu(e, t))
			any[e->traces[t].host] = any_host = true;
	uint32_t *n_named = NULL;
	if (rc == 0 && any_host) {
		n_named = calloc((size_t)e->n_traces * KERNEL_MAX_CPUS, sizeof(*n_named));
		rc = n_named ? 0 : mer_fail_nomem(err);
	}
	if (n_named)
		rc = kernel_event_reading_new(
			e, events, sizeof(events) / sizeof(*events), &reading, err);
	for (uint32_t h = 0; h < e->n_hosts && rc == 0; h++) {
		struct survey s = { e, h, reading, n_named, err };
		if (any[h])
			rc = find_absent(&s);
	}
	kernel_event_reading_free(reading);
	free(n_named);
	free(any);
	find_fields(e);
	return rc ? rc : kernel_twins_find(e, err);
}
