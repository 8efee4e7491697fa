/* Selection: which hosts, CPUs, tasks and which part of the time a question is about.
 *
 * A selection is what the user typed, and does not depend on traces; session_selection_check and
 * session_window_find apply it to an experiment. Only there do moments become times: "+1s"
 * counts from the first event of all hosts, by the clocks at that point. An empty list selects
 * everything. */
#ifndef MER_SESSION_SELECTION_H
#define MER_SESSION_SELECTION_H

#include "kernel/host.h"
#include "session/moment.h"
#include "sync/result.h"
#include "trace/experiment.h"

struct session_texts {
	const char **item;
	size_t n;
};

struct session_range {
	uint64_t first, last; /* both included */
	bool is_process;      /* for tasks: numbers of processes, which select all their threads */
};

struct session_ranges {
	struct session_range *item;
	size_t n;
};

struct session_selection {
	struct session_texts hosts; /* patterns of * and ? */
	struct session_ranges cpus;
	struct session_texts comms; /* patterns; any name that the task ever had counts */
	struct session_ranges tids;
	struct session_moment begin, end;
};

/* [begin, end) on the common time line, ns; INT64_MIN, INT64_MAX: not limited. */
struct session_window {
	int64_t begin, end;
};

/* Do the traces have the hosts and the CPUs? Those that they have not are a mistake of whoever
 * selected them, not an empty result: MER_ERR_USAGE, with what there is instead. */
int session_selection_check(
	const struct session_selection *s, const struct mer_experiment *e, struct mer_err *err);
/* The window, on the clocks that e has now. r: the synchronization that was applied to e, which a
 * moment of a host's own clock needs; NULL: none was. MER_ERR_USAGE: a moment is of a host that
 * there is not, or the begin is not before the end. */
int session_window_find(const struct session_selection *s, const struct mer_experiment *e,
	const struct sync_result *r, struct session_window *w, struct mer_err *err);
/* The host whose own clock a moment ("HOST:TIME") refers to, and the TIME. */
int session_moment_host(const struct session_moment *m, const struct mer_experiment *e,
	uint32_t *host, struct session_moment *time, struct mer_err *err);

static inline bool session_selects_tasks(const struct session_selection *s)
{
	return s->comms.n || s->tids.n;
}
static inline bool session_selects_part(const struct session_selection *s)
{
	return s->begin.kind || s->end.kind;
}
bool session_ranges_contain(const struct session_ranges *r, uint64_t v);
bool session_selects_host(const struct session_selection *s, const char *host);
/* Is the host of this trace, or stream, selected? */
bool session_selects_trace(
	const struct session_selection *s, const struct mer_experiment *e, uint32_t trace);
bool session_selects_stream(
	const struct session_selection *s, const struct mer_experiment *e, uint32_t stream);
/* Has the task one of the numbers, and at any time one of the names? Its host is not looked at. */
bool session_selects_task(
	const struct session_selection *s, const struct kernel_host *h, uint32_t task);
/* The same of a thread of which no more than its number is known: no name. */
bool session_selects_thread(const struct session_selection *s, int64_t tid);

#endif
