#include "ask/events/event_pieces.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/lower_bound.h"
#include "ask/events/event_select.h"

static int in_order(const void *a, const void *b)
{
	const struct event_stay *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* One after the other, so that the last one that begins before a time is the only one that may
 * hold it. */
static size_t join(struct event_stay *s, size_t n)
{
	size_t to = 0;
	if (n)
		qsort(s, n, sizeof(*s), in_order);
	for (size_t i = 0; i < n; i++) {
		if (to && s[to - 1].place == s[i].place && s[i].begin <= s[to - 1].end) {
			if (s[i].end > s[to - 1].end)
				s[to - 1].end = s[i].end;
			continue;
		}
		s[to++] = s[i];
	}
	return to;
}

static bool holds(const struct event_stay *s, size_t n, uint64_t place, int64_t time)
{
	MER_LOWER_BOUND(
		i, 0, n, k, s[k].place < place || (s[k].place == place && s[k].begin <= time));
	return i > 0 && s[i - 1].place == place && time <= s[i - 1].end;
}

static int name_task(struct event_pieces *p, struct ask *ask, uint32_t host, int32_t tid)
{
	struct mer_str text = { 0 };
	struct event_named *t = &p->tasks[p->n_tasks++];
	*t = (struct event_named){ .host = host };
	event_select_tids(&text,
		&(struct session_ranges){ .item = &(struct session_range){ .first = (uint64_t)tid,
						  .last = (uint64_t)tid },
			.n = 1 });
	int rc = text.failed ? mer_fail_nomem(&ask->err)
			     : trace_filter_parse(text.data, &t->filter, &ask->err);
	mer_str_fini(&text);
	return rc;
}

int event_pieces_init(struct event_pieces *p, struct ask *ask, const struct mer_experiment *e,
	const struct kernel_world *w, const struct requests_piece *pieces, size_t n)
{
	*p = (struct event_pieces){ .e = e, .begin = INT64_MAX, .end = INT64_MIN };
	p->on_cpus = calloc(n + 1, sizeof(*p->on_cpus));
	p->of_tasks = calloc(n + 1, sizeof(*p->of_tasks));
	p->tasks = calloc(n + 1, sizeof(*p->tasks));
	if (!p->on_cpus || !p->of_tasks || !p->tasks)
		return mer_fail_nomem(&ask->err);
	for (size_t i = 0; i < n; i++) {
		const struct requests_piece *x = &pieces[i];
		int32_t tid = w->hosts[x->host].tasks[x->task].tid;
		bool is_new = !i || x[-1].host != x->host || x[-1].task != x->task;
		p->begin = x->begin < p->begin ? x->begin : p->begin;
		p->end = x->end > p->end ? x->end : p->end;
		if (x->cpu != KERNEL_NO_CPU)
			p->on_cpus[p->n_on_cpus++] =
				(struct event_stay){ (uint64_t)x->host << 32 | x->cpu, x->begin,
					x->end };
		if (tid <= 0)
			continue; /* of idle CPUs: no event is about that task alone */
		int rc = is_new ? name_task(p, ask, x->host, tid) : 0;
		if (rc)
			return rc;
		p->of_tasks[p->n_of_tasks++] =
			(struct event_stay){ p->n_tasks - 1, x->begin, x->end };
	}
	p->n_on_cpus = join(p->on_cpus, p->n_on_cpus);
	p->n_of_tasks = join(p->of_tasks, p->n_of_tasks);
	return 0;
}

void event_pieces_fini(struct event_pieces *p)
{
	for (size_t i = 0; p->tasks && i < p->n_tasks; i++) {
		trace_filter_unbind(p->tasks[i].bound);
		trace_filter_free(p->tasks[i].filter);
	}
	free(p->on_cpus);
	free(p->of_tasks);
	free(p->tasks);
}

bool event_pieces_read(const struct event_pieces *p, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field)
{
	/* All of them look at the same fields. */
	return p->n_tasks && trace_filter_reads(p->tasks[0].filter, sc, ec, scope, field);
}

int event_pieces_bind(
	struct event_pieces *p, const struct trace_reading *reading, struct mer_err *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < p->n_tasks; i++)
		rc = trace_filter_bind(p->tasks[i].filter, p->e, reading, &p->tasks[i].bound, err);
	return rc;
}

bool event_pieces_have(
	const struct event_pieces *p, const uint64_t *context, const struct mer_event *ev)
{
	int32_t cpu = p->e->streams[ev->stream].cpu;
	uint32_t host = p->e->traces[p->e->streams[ev->stream].trace].host;
	if (cpu >= 0 &&
		holds(p->on_cpus, p->n_on_cpus, (uint64_t)host << 32 | (uint32_t)cpu, ev->ts))
		return true;
	for (size_t i = 0; i < p->n_tasks; i++)
		if (p->tasks[i].host == host && holds(p->of_tasks, p->n_of_tasks, i, ev->ts) &&
			trace_filter_match(p->tasks[i].bound, context, ev))
			return true;
	return false;
}
