#include "trace/twins.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"

bool trace_has_class(const struct mer_experiment *e, uint32_t trace, const char *name)
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t k = 0; e->parts[p].trace == trace && k < s->n_streams; k++)
			for (uint32_t c = 0; c < s->streams[k].n_events; c++)
				if (strcmp(s->streams[k].events[c].name, name) == 0)
					return true;
	}
	return false;
}

bool trace_is_in_twin(const struct mer_experiment *e, uint32_t stream, int64_t ts)
{
	MER_LOWER_BOUND(i, 0, e->n_twins, at,
		e->twins[at].stream < stream ||
			(e->twins[at].stream == stream && e->twins[at].end <= ts));
	return i < e->n_twins && e->twins[i].stream == stream && e->twins[i].begin <= ts;
}

/* Marks the event record classes of one part of a trace that the other trace has, too. */
static void mark_part(const struct mer_experiment *e, const struct trace_reading *r, uint32_t part,
	uint32_t other, bool *is_twin)
{
	const struct ctf_program *program = r->programs[part];
	const struct ctf_schema *s = e->parts[part].schema;
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
			const struct ctf_plan *plan = &program->streams[k].events[c];
			if (plan->wanted && !is_twin[plan->id])
				is_twin[plan->id] =
					trace_has_class(e, other, s->streams[k].events[c].name);
		}
}

bool *trace_twin_classes(
	const struct mer_experiment *e, const struct trace_reading *r, uint32_t host)
{
	bool *is_twin = calloc((size_t)r->n_plans + 1, sizeof(*is_twin));
	uint32_t trace_before = UINT32_MAX, other_before = UINT32_MAX;
	for (uint32_t i = 0; is_twin && i < e->n_twins; i++) {
		uint32_t trace = e->streams[e->twins[i].stream].trace;
		bool again = trace == trace_before && e->twins[i].other == other_before;
		for (uint32_t p = 0; p < e->n_parts && !again; p++)
			if (e->parts[p].trace == trace && e->traces[trace].host == host)
				mark_part(e, r, p, e->twins[i].other, is_twin);
		trace_before = trace;
		other_before = e->twins[i].other;
	}
	return is_twin;
}
