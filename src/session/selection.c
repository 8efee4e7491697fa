#include "session/selection.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/tracer.h"
#include "base/err.h"
#include "base/glob.h"
#include "base/str.h"
#include "trace/extent.h"
#include "trace/filter/filter.h"

bool session_ranges_contain(const struct session_ranges *r, uint64_t v)
{
	for (size_t i = 0; i < r->n; i++) {
		if (v >= r->item[i].first && v <= r->item[i].last)
			return true;
	}
	return false;
}

/* ---- Hosts and CPUs ---- */

bool session_selects_host(const struct session_selection *s, const char *host)
{
	for (size_t i = 0; i < s->hosts.n; i++)
		if (mer_glob(s->hosts.item[i], host))
			return true;
	return s->hosts.n == 0;
}

bool session_selects_trace(
	const struct session_selection *s, const struct mer_experiment *e, uint32_t trace)
{
	return session_selects_host(s, e->hosts[e->traces[trace].host].name);
}

bool session_selects_stream(
	const struct session_selection *s, const struct mer_experiment *e, uint32_t stream)
{
	return session_selects_trace(s, e, e->streams[stream].trace);
}

static int check_hosts(
	const struct session_selection *s, const struct mer_experiment *e, struct mer_err *err)
{
	for (size_t i = 0; i < s->hosts.n; i++) {
		bool found = false;
		for (uint32_t h = 0; h < e->n_hosts && !found; h++)
			found = mer_glob(s->hosts.item[i], e->hosts[h].name);
		if (found)
			continue;
		char names[512] = "";
		const char *near = trace_nearest_host(e, s->hosts.item[i]);
		size_t n = 0;
		for (uint32_t h = 0; h < e->n_hosts && n < sizeof(names) - 80; h++)
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.64s",
				h ? ", " : "", e->hosts[h].name);
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_HOSTS,
			"the traces have no host '%.100s'%s%.64s%s; they have: %s",
			s->hosts.item[i], near ? " (did you mean " : "", near ? near : "",
			near ? "?)" : "", names);
	}
	return 0;
}

/* The least CPU from first on that a stream is of; -1: there is none. */
static int64_t next_cpu(const struct mer_experiment *e, uint64_t first)
{
	int64_t least = -1;
	for (uint32_t i = 0; i < e->n_streams; i++) {
		int64_t cpu = e->streams[i].cpu;
		if (cpu >= 0 && (uint64_t)cpu >= first && (least < 0 || cpu < least))
			least = cpu;
	}
	return least;
}

/* "0-3, 8" */
static void put_cpus(struct mer_str *out, const struct mer_experiment *e)
{
	enum { RUNS = 20 };
	int64_t cpu = next_cpu(e, 0);
	for (int i = 0; cpu >= 0 && i < RUNS; i++) {
		int64_t last = cpu, next;
		while ((next = next_cpu(e, (uint64_t)last + 1)) == last + 1)
			last = next;
		mer_str_printf(out, "%s%" PRId64, i ? ", " : "", cpu);
		if (last > cpu)
			mer_str_printf(out, "-%" PRId64, last);
		cpu = next;
	}
	mer_str_puts(out, cpu >= 0 ? ", ..." : "");
}

/* One existing CPU of a range is enough. If no stream says which CPU it belongs to, nothing can
 * be checked. */
static int check_cpus(
	const struct session_selection *s, const struct mer_experiment *e, struct mer_err *err)
{
	bool known = next_cpu(e, 0) >= 0;
	for (size_t i = 0; i < s->cpus.n && known; i++) {
		const struct session_range *r = &s->cpus.item[i];
		int64_t there = next_cpu(e, r->first);
		struct mer_str cpus = { 0 };
		if (there >= 0 && (uint64_t)there <= r->last)
			continue;
		put_cpus(&cpus, e);
		int rc = mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_CPUS,
			"the traces have no CPU %" PRIu64 "; they have: %s", r->first,
			cpus.data ? cpus.data : "none");
		mer_str_fini(&cpus);
		return rc;
	}
	return 0;
}

int session_selection_check(
	const struct session_selection *s, const struct mer_experiment *e, struct mer_err *err)
{
	int rc = check_hosts(s, e, err);
	return rc ? rc : check_cpus(s, e, err);
}

/* ---- Tasks ---- */

/* Has the task a name that matches? The recorder runs sh, ls and grep on the hosts, too: these are
 * found by the recorder's names alone. */
static bool is_called(const struct kernel_host *h, uint32_t task, const char *pattern)
{
	for (uint32_t n = h->tasks[task].name; n != KERNEL_NONE; n = h->renames[n].before) {
		const char *name = kernel_name_text(h, h->renames[n].name);
		if (mer_glob(pattern, name) &&
			(analysis_recorder_name(name) || !analysis_is_recorders(h, task)))
			return true;
	}
	return false;
}

/* Is the thread one of these, or its process? A thread of an unknown process may be the only one of
 * it. */
static bool has_number(const struct session_ranges *r, int32_t tid, int32_t pid)
{
	for (size_t i = 0; i < r->n; i++) {
		int32_t v = r->item[i].is_process && pid >= 0 ? pid : tid;
		if (v >= 0 && (uint64_t)v >= r->item[i].first && (uint64_t)v <= r->item[i].last)
			return true;
	}
	return false;
}

bool session_selects_task(
	const struct session_selection *s, const struct kernel_host *h, uint32_t task)
{
	if (s->tids.n && !has_number(&s->tids, h->tasks[task].tid, h->tasks[task].pid))
		return false;
	bool called = s->comms.n == 0;
	for (size_t i = 0; !called && i < s->comms.n; i++)
		called = is_called(h, task, s->comms.item[i]);
	return called;
}

bool session_selects_thread(const struct session_selection *s, int64_t tid)
{
	return !s->comms.n && tid >= 0 && tid <= INT32_MAX &&
	       (!s->tids.n || has_number(&s->tids, (int32_t)tid, -1));
}

/* ---- Time ---- */

int session_moment_host(const struct session_moment *m, const struct mer_experiment *e,
	uint32_t *host, struct session_moment *time, struct mer_err *err)
{
	struct mer_str names = { 0 };
	for (*host = 0; *host < e->n_hosts; ++*host) {
		const char *name = e->hosts[*host].name;
		if (session_moment_on_host(m, name, time))
			break;
		mer_str_printf(&names, "%s%.64s", *host ? ", " : "", name);
	}
	int rc = 0;
	if (*host == e->n_hosts)
		rc = mer_fail(err, MER_ERR_USAGE,
			"'%.100s' names no host of the traces; they have: %.400s", m->text,
			names.data ? names.data : "none");
	mer_str_fini(&names);
	return rc;
}

/* When the host was traced, by its own clock. */
static struct sync_range own_span(
	const struct mer_experiment *e, const struct sync_result *r, uint32_t host)
{
	if (r)
		return r->hosts[host].span;
	struct trace_extent x = trace_extent_of_host(e, host);
	return (struct sync_range){ x.begin, x.end };
}

static int find_moment(const struct session_moment *m, const struct mer_experiment *e,
	const struct sync_result *r, enum mer_remedy remedy, int64_t *t, struct mer_err *err)
{
	struct session_moment time;
	uint32_t host;
	if (m->kind != SESSION_MOMENT_ON_HOST) {
		*t = session_moment_resolve(m, e->begin, e->end, *t);
		return 0;
	}
	int rc = session_moment_host(m, e, &host, &time, err);
	if (rc && err)
		err->remedy = remedy;
	if (rc)
		return rc;
	struct sync_range span = own_span(e, r, host);
	bool empty = span.begin == MER_NO_TIME;
	*t = session_moment_resolve(&time, empty ? 0 : span.begin, empty ? 0 : span.end, 0);
	if (r)
		*t = trace_map_time(&r->hosts[host].map, *t);
	return 0;
}

int session_window_find(const struct session_selection *s, const struct mer_experiment *e,
	const struct sync_result *r, struct session_window *w, struct mer_err *err)
{
	*w = (struct session_window){ INT64_MIN, INT64_MAX };
	int rc = find_moment(&s->begin, e, r, MER_REMEDY_BEGIN, &w->begin, err);
	if (rc == 0)
		rc = find_moment(&s->end, e, r, MER_REMEDY_END, &w->end, err);
	if (rc == 0 && w->begin >= w->end)
		rc = mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_WINDOW_ORDER,
			"the window does not start before its end");
	return rc;
}
