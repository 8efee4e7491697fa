#include "analysis/recorded.h"

#include <string.h>

#include "base/map.h"

bool analysis_records(const struct analysis_run *run, uint32_t host, enum kernel_event event)
{
	const struct mer_experiment *e = run->e;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct mer_trace *t = &e->traces[e->parts[i].trace];
		if (t->host == host && strcmp(t->domain, "ust") != 0 &&
			kernel_event_is_in(event, e->parts[i].schema))
			return true;
	}
	return false;
}

static bool records_any(
	const struct analysis_run *run, uint32_t host, const enum kernel_event *events)
{
	for (; *events != KERNEL_EV_NONE; events++)
		if (analysis_records(run, host, *events))
			return true;
	return false;
}

static uint64_t key_of(const char *host)
{
	return mer_hash(host, strlen(host));
}

struct lacking {
	struct mer_map by_name; /* of a host that records none of the events -> 1 */
	uint32_t n;
};

static bool find_lacking(
	struct lacking *x, const struct analysis_run *run, const enum kernel_event *events)
{
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		if (records_any(run, h, events))
			continue;
		uint32_t *at = mer_map_put(&x->by_name, key_of(analysis_host_name(run, h)));
		if (!at)
			return false;
		*at = 1;
		x->n++;
	}
	return true;
}

/* host: the table's column of hosts; SIZE_MAX: none. */
static void forget(const struct lacking *x, uint32_t n_hosts, const struct mer_table *t,
	size_t host, size_t column)
{
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *row = &t->cells[r * t->n_columns];
		bool has_host = host != SIZE_MAX && row[host].set;
		if (row[column].set && row[column].v.i != 0)
			continue;
		if (has_host ? mer_map_get(&x->by_name, key_of(row[host].v.text)) != NULL
			     : x->n == n_hosts)
			row[column] = MER_NONE;
	}
}

int analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	const struct analysis_recorded *what)
{
	size_t host = mer_table_column(t, "host");
	bool ok = true;
	for (; ok && what->events[0] != KERNEL_EV_NONE; what++) {
		struct lacking x = { 0 };
		ok = find_lacking(&x, run, what->events);
		for (const char *const *c = what->columns; ok && x.n && *c; c++) {
			size_t column = mer_table_column(t, *c);
			if (column != SIZE_MAX)
				forget(&x, run->world->n_hosts, t, host, column);
		}
		mer_map_fini(&x.by_name);
	}
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
