#include "analysis/tracer.h"

#include <stdlib.h>
#include <string.h>

/* Kernels cut names after 15 characters. A star stands for whatever follows. Threads of the tracer
 * in the programs that it traces are called PROGRAM-ust. */
static const char *const tools[] = { "lttng", "lttng-*", "babeltrace*", "trace-cmd", "perf",
	"meridian", "bpftrace", "stapio", "staprun", "kernelshark", "sysprof*" };
/* Shells and agents of `meridian record`: tasks that they start belong to the tracer, too. All
 * begin with "meridian-". */
static const char *const recorders[] = { "step", "state", "reader", "beacon" };

static bool fits(const char *tool, const char *comm)
{
	for (; *tool && *tool != '*'; tool++, comm++)
		if (*tool != *comm)
			return false;
	return *tool || !*comm;
}

bool analysis_recorder_name(const char *comm)
{
	static const char prefix[] = "meridian-";
	/* Asked of all names of all tasks and of all they descend from. */
	if (*comm != *prefix || strncmp(comm, prefix, sizeof(prefix) - 1) != 0)
		return false;
	for (size_t i = 0; i < sizeof(recorders) / sizeof(*recorders); i++)
		if (strcmp(recorders[i], comm + sizeof(prefix) - 1) == 0)
			return true;
	return false;
}

bool analysis_tracer_name(const char *comm)
{
	size_t len = strlen(comm);
	if (len > 4 && strcmp(comm + len - 4, "-ust") == 0)
		return true;
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (fits(tools[i], comm))
			return true;
	return analysis_recorder_name(comm);
}

/* Its last name. KERNEL_NONE: not known. */
static uint32_t name_of(const struct kernel_host *h, uint32_t task)
{
	uint32_t rename = h->tasks[task].name;
	return rename == KERNEL_NONE ? KERNEL_NONE : h->renames[rename].name;
}

/* Under any of its names: a child has the name of its parent until it executes a program. */
static bool was_recorder(const struct kernel_host *h, uint32_t task)
{
	for (uint32_t at = h->tasks[task].name; at != KERNEL_NONE; at = h->renames[at].before)
		if (analysis_recorder_name(kernel_name_text(h, h->renames[at].name)))
			return true;
	return false;
}

enum { MOST_LEVELS = 64 }; /* that are looked at of what a task descends from */

bool analysis_is_recorders(const struct kernel_host *h, uint32_t task)
{
	for (int i = 0; i < MOST_LEVELS && task != KERNEL_NONE; i++) {
		if (was_recorder(h, task))
			return true;
		task = h->tasks[task].parent;
	}
	return false;
}

/* ---- all tasks of a host ---- */

enum known { UNKNOWN, NO, YES };

struct all_tasks {
	const struct kernel_host *h;
	uint8_t *names;	    /* by name: enum known, is it a tool's */
	bool *by_name;	    /* analysis_recorder_name */
	bool has_recorders; /* one of these is */
	uint8_t *recorders; /* by task: enum known, analysis_is_recorders */
};

static bool has_tools_name(const struct all_tasks *x, uint32_t task)
{
	uint32_t name = name_of(x->h, task);
	if (name == KERNEL_NONE)
		return false;
	uint8_t *known = &x->names[name];
	if (*known == UNKNOWN)
		*known = analysis_tracer_name(kernel_name_text(x->h, name)) ? YES : NO;
	return *known == YES;
}

static void find_recorders(struct all_tasks *x)
{
	for (uint32_t i = 0; i < x->h->names.n; i++)
		x->has_recorders |= x->by_name[i] =
			analysis_recorder_name(kernel_name_text(x->h, i));
}

/* As was_recorder. Most hosts have none, and some tasks a hundred thousand names. */
static bool has_been_recorder(const struct all_tasks *x, uint32_t task)
{
	const struct kernel_host *h = x->h;
	uint32_t at = x->has_recorders ? h->tasks[task].name : KERNEL_NONE;
	while (at != KERNEL_NONE && !x->by_name[h->renames[at].name])
		at = h->renames[at].before;
	return at != KERNEL_NONE;
}

/* Of a thousand children of one shell, what this descends from is looked at once. */
static bool is_recorders(const struct all_tasks *x, uint32_t task)
{
	uint32_t way[MOST_LEVELS], at = task;
	int n = 0;
	enum known found = UNKNOWN;
	for (; n < MOST_LEVELS && at != KERNEL_NONE && found == UNKNOWN; n++) {
		way[n] = at;
		found = has_been_recorder(x, at) ? YES : x->recorders[at];
		at = x->h->tasks[at].parent;
	}
	while (n > 0)
		x->recorders[way[--n]] = found == YES ? YES : NO;
	return found == YES;
}

static bool *find_all(const struct all_tasks *x)
{
	const struct kernel_host *h = x->h;
	struct mer_map leaders = { 0 }; /* pid -> its task, plus 1 */
	bool *is = calloc((size_t)h->n_tasks + 1, sizeof(*is));
	for (uint32_t i = 0; is && i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		is[i] = has_tools_name(x, i) || is_recorders(x, i);
		if (t->pid != t->tid || t->pid < 0)
			continue;
		uint32_t *at = mer_map_put(&leaders, (uint32_t)t->pid);
		if (!at) {
			free(is);
			is = NULL;
		} else {
			*at = i + 1;
		}
	}
	/* Threads of a tool have names of their own: then the name of the process decides. */
	for (uint32_t i = 0; is && i < h->n_tasks; i++) {
		const struct kernel_task *t = &h->tasks[i];
		const uint32_t *at = t->pid >= 0 && t->pid != t->tid
					     ? mer_map_get(&leaders, (uint32_t)t->pid)
					     : NULL;
		is[i] |= at && is[*at - 1];
	}
	mer_map_fini(&leaders);
	return is;
}

bool *analysis_tracer_tasks(const struct kernel_host *h)
{
	struct all_tasks x = { .h = h,
		.names = calloc((size_t)h->names.n + 1, 1),
		.by_name = calloc((size_t)h->names.n + 1, 1),
		.recorders = calloc((size_t)h->n_tasks + 1, 1) };
	bool *is = NULL;
	if (x.names && x.by_name && x.recorders) {
		find_recorders(&x);
		is = find_all(&x);
	}
	free(x.names);
	free(x.by_name);
	free(x.recorders);
	return is;
}

const bool *analysis_tracer_of(struct analysis_run *run, uint32_t host)
{
	if (!run->tracer)
		run->tracer = calloc((size_t)run->world->n_hosts + 1, sizeof(*run->tracer));
	if (run->tracer && !run->tracer[host])
		run->tracer[host] = analysis_tracer_tasks(&run->world->hosts[host]);
	return run->tracer ? run->tracer[host] : NULL;
}

uint64_t analysis_task_key(uint32_t host, int64_t tid, const char *comm)
{
	return mer_hash(comm, strlen(comm)) ^ (uint64_t)host << 56 ^
	       (uint64_t)tid * UINT64_C(0x9E3779B97F4A7C15);
}

void analysis_tracer_free(bool **all, uint32_t n_hosts)
{
	for (uint32_t i = 0; all && i < n_hosts; i++)
		free(all[i]);
	free(all);
}
