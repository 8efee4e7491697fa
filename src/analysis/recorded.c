#include "analysis/recorded.h"

#include <string.h>

#include "base/map.h"
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

/* Bit i: the host records an event of what[i]. */
static uint32_t records_of(
	const struct analysis_run *run, uint32_t host, const struct analysis_recorded *what)
{
	uint32_t bits = 0;
	for (unsigned i = 0; what[i].events[0] != KERNEL_EV_NONE; i++)
		for (const enum kernel_event *e = what[i].events; *e != KERNEL_EV_NONE; e++)
			if (!(bits >> i & 1) && analysis_records(run, host, *e))
				bits |= UINT32_C(1) << i;
	return bits;
}

struct hosts {
	struct mer_map by_name; /* hash of a host's name -> its bits, the lowest one set, too */
	uint32_t any;		/* bits of all hosts together */
};

static bool find_hosts(
	struct hosts *x, const struct analysis_run *run, const struct analysis_recorded *what)
{
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		const char *name = analysis_host_name(run, h);
		uint32_t *at = mer_map_put(&x->by_name, mer_hash(name, strlen(name)));
		if (!at)
			return false;
		uint32_t bits = records_of(run, h, what);
		*at = bits << 1 | 1;
		x->any |= bits;
	}
	return true;
}

static void forget(const struct mer_table *t, struct mer_cell *row,
	const struct analysis_recorded *what, uint32_t bits)
{
	for (unsigned i = 0; what[i].events[0] != KERNEL_EV_NONE; i++)
		for (const char *const *c = what[i].columns; !(bits >> i & 1) && *c; c++) {
			size_t at = mer_table_column(t, *c);
			if (at != SIZE_MAX && row[at].v.i == 0)
				row[at] = MER_NONE;
		}
}

int analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	const struct analysis_recorded *what)
{
	struct hosts hosts = { 0 };
	size_t host = mer_table_column(t, "host");
	bool ok = find_hosts(&hosts, run, what);
	for (size_t r = 0; ok && r < t->n_rows; r++) {
		struct mer_cell *row = &t->cells[r * t->n_columns];
		const char *name = host != SIZE_MAX && row[host].set ? row[host].v.text : NULL;
		const uint32_t *at =
			name ? mer_map_get(&hosts.by_name, mer_hash(name, strlen(name))) : NULL;
		forget(t, row, what, at && *at ? *at >> 1 : hosts.any);
	}
	mer_map_fini(&hosts.by_name);
	return ok ? 0 : mer_fail_nomem(run->err);
}

#define OF_DEVICES KERNEL_EV_IRQ_ENTRY, KERNEL_EV_HRTIMER_ENTRY, KERNEL_EV_LOCAL_TIMER_ENTRY

int analysis_forget_modes(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	static const struct analysis_recorded what[] = {
		{ { KERNEL_EV_SYSCALL_NUMBER, KERNEL_EV_SYSCALL_ENTRY, KERNEL_EV_SYSCALL_EXIT },
			{ "user_ns", "syscall_ns" } },
		{ { OF_DEVICES }, { "irq_ns" } },
		{ { KERNEL_EV_SOFTIRQ_ENTRY }, { "softirq_ns" } },
		{ { OF_DEVICES, KERNEL_EV_SOFTIRQ_ENTRY }, { "interrupted_ns" } },
		{ { 0 }, { 0 } },
	};
	(void)n_seen;
	return analysis_forget_unrecorded(run, t, what);
}
