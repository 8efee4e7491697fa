#include "analysis/recorded.h"

#include <string.h>

#include "base/map.h"
#include "kernel/layouts.h"

/* Is it a kernel trace of this host? */
static bool is_kernel_part(const struct mer_experiment *e, uint32_t part, uint32_t host)
{
	const struct mer_trace *t = &e->traces[e->parts[part].trace];
	return t->host == host && strcmp(t->domain, "ust") != 0;
}

bool analysis_records(const struct analysis_run *run, uint32_t host, enum kernel_event event)
{
	const struct mer_experiment *e = run->e;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		if (is_kernel_part(e, i, host) && kernel_event_is_in(event, e->parts[i].schema))
			return true;
	}
	return false;
}

static uint64_t key_of(const char *host)
{
	return mer_hash(host, strlen(host));
}

struct lacking {
	/* hash of the name of a host that records none of the events -> 1 */
	struct mer_map by_name;
	uint32_t n;
};

/* Does the host record any of these events? The list ends with KERNEL_EV_NONE. */
static bool records_any(
	const struct analysis_run *run, uint32_t host, const enum kernel_event *events)
{
	for (; *events != KERNEL_EV_NONE; events++)
		if (analysis_records(run, host, *events))
			return true;
	return false;
}

static bool has_states(const struct ctf_schema *s)
{
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
			const struct ctf_event_class *x = &s->streams[k].events[c];
			if (kernel_event_is(KERNEL_EV_SWITCH, x->name) &&
				(kernel_has_field(x, "prev_state") ||
					kernel_has_field(x, "prev_waits")))
				return true;
		}
	return false;
}

/* Is the whole stream of a CPU of that host missing? Then a task that seems to wait may run
 * there. */
static bool lacks_a_cpu(const struct mer_experiment *e, uint32_t host)
{
	for (uint32_t i = 0; i < e->n_absent; i++)
		if (e->traces[e->absent[i].trace].host == host)
			return true;
	return false;
}

/* Does the host's sched_switch record the state in which a task leaves the CPU, on all CPUs? True
 * also for a host without sched_switch, which lacks more than that. */
static bool records_states(
	const struct analysis_run *run, uint32_t host, const enum kernel_event *unused)
{
	bool any = false;
	(void)unused;
	if (lacks_a_cpu(run->e, host))
		return false;
	for (uint32_t i = 0; i < run->e->n_parts; i++) {
		if (!is_kernel_part(run->e, i, host))
			continue;
		if (has_states(run->e->parts[i].schema))
			return true;
		any |= kernel_event_is_in(KERNEL_EV_SWITCH, run->e->parts[i].schema);
	}
	return !any;
}

static bool find_lacking(struct lacking *x, const struct analysis_run *run,
	bool (*records)(
		const struct analysis_run *run, uint32_t host, const enum kernel_event *events),
	const enum kernel_event *events)
{
	for (uint32_t h = 0; h < run->world->n_hosts; h++) {
		if (records(run, h, events))
			continue;
		uint32_t *at = mer_map_put(&x->by_name, key_of(analysis_host_name(run, h)));
		if (!at)
			return false;
		*at = 1;
		x->n++;
	}
	return true;
}

/* Empties cells that are 0 because the host did not record the events. host: the column "host" of
 * the table; SIZE_MAX: it has none. */
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

static void forget_columns(const struct lacking *x, const struct analysis_run *run,
	const struct mer_table *t, const char *const *columns)
{
	size_t host = mer_table_column(t, "host");
	for (; x->n && *columns; columns++) {
		size_t column = mer_table_column(t, *columns);
		if (column != SIZE_MAX)
			forget(x, run->world->n_hosts, t, host, column);
	}
}

int analysis_forget_unrecorded(const struct analysis_run *run, const struct mer_table *t,
	const struct analysis_recorded *what)
{
	bool ok = true;
	for (; ok && what->events[0] != KERNEL_EV_NONE; what++) {
		struct lacking x = { 0 };
		ok = find_lacking(&x, run, records_any, what->events);
		if (ok)
			forget_columns(&x, run, t, what->columns);
		mer_map_fini(&x.by_name);
	}
	return ok ? 0 : mer_fail_nomem(run->err);
}

int analysis_forget_runnable(const struct analysis_run *run, const struct mer_table *t)
{
	static const char *const columns[] = { "runnable_ns", "runnable_tasks", "all_runnable_ns",
		NULL };
	struct lacking x = { 0 };
	bool ok = find_lacking(&x, run, records_states, NULL);
	if (ok)
		forget_columns(&x, run, t, columns);
	mer_map_fini(&x.by_name);
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
