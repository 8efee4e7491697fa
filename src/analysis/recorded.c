#include "analysis/recorded.h"

#include <string.h>

#include "ctf/schema.h"

/* A star stands for any end of a name. */
static bool fits(enum kernel_event event, const char *name)
{
	for (int d = 0; d < KERNEL_N_DIALECTS; d++)
		for (const char *p = kernel_event_rows[event].names[d]; p && *p;
			p += strcspn(p, " "), p += strspn(p, " ")) {
			size_t len = strcspn(p, " ");
			bool any = p[len - 1] == '*';
			if (any ? strncmp(p, name, len - 1) == 0
				: strlen(name) == len && memcmp(p, name, len) == 0)
				return true;
		}
	return false;
}

static bool has_event(const struct ctf_schema *s, enum kernel_event event)
{
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t i = 0; i < s->streams[k].n_events; i++)
			if (fits(event, s->streams[k].events[i].name))
				return true;
	return false;
}

bool analysis_records(const struct analysis_run *run, uint32_t host, enum kernel_event event)
{
	const struct mer_experiment *e = run->e;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct mer_trace *t = &e->traces[e->parts[i].trace];
		if (t->host == host && strcmp(t->domain, "ust") != 0 &&
			has_event(e->parts[i].schema, event))
			return true;
	}
	return false;
}

/* name: NULL, any host. */
static bool is_recorded(const struct analysis_run *run, const char *name, enum kernel_event event)
{
	for (uint32_t h = 0; h < run->world->n_hosts; h++)
		if ((!name || strcmp(analysis_host_name(run, h), name) == 0) &&
			analysis_records(run, h, event))
			return true;
	return false;
}

void analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	enum kernel_event event, const char *const *columns)
{
	size_t host = mer_table_column(t, "host");
	const char *last = NULL;
	bool has = host == SIZE_MAX && is_recorded(run, NULL, event);
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *row = &t->cells[r * t->n_columns];
		if (host != SIZE_MAX && row[host].set &&
			(!last || strcmp(last, row[host].v.text) != 0)) {
			last = row[host].v.text;
			has = is_recorded(run, last, event);
		}
		for (const char *const *c = columns; !has && *c; c++) {
			size_t at = mer_table_column(t, *c);
			if (at != SIZE_MAX)
				row[at] = MER_NONE;
		}
	}
}
