/* The tasks and hosts that the time of a path belongs to, and the words for them. */
#include <stdlib.h>

#include "path/path.h"
#include "base/grow.h"
#include "base/map.h"

const char *path_cause_name(enum path_cause c)
{
	static const char *const names[PATH_N_CAUSES] = {
		[PATH_RUNNING] = "running",
		[PATH_INTERRUPTED] = "interrupted",
		[PATH_RUNNABLE] = "runnable",
		[PATH_STOLEN] = "stolen",
		[PATH_HYPERVISOR] = "hypervisor",
		[PATH_DISK] = "disk",
		[PATH_NETWORK] = "network",
		[PATH_TIMER] = "timer",
		[PATH_TASK] = "task",
		[PATH_FUTEX] = "futex",
		[PATH_PIPE] = "pipe",
		[PATH_INPUT] = "input",
		[PATH_IPI] = "ipi",
		[PATH_DEVICE] = "device",
		[PATH_STOPPED] = "stopped",
		[PATH_NEW] = "fork",
		[PATH_QUEUED] = "queued",
		[PATH_MPI] = "mpi",
		[PATH_BLOCKED] = "blocked",
		[PATH_UNKNOWN] = "unknown",
	};
	return c < PATH_N_CAUSES ? names[c] : "?";
}

bool path_is_unexplained(enum path_cause c)
{
	return c == PATH_BLOCKED || c == PATH_UNKNOWN;
}

const char *path_link_name(enum path_link_kind k)
{
	switch (k) {
	case PATH_LINK_WAKE: return "wake";
	case PATH_LINK_FUTEX: return "futex";
	case PATH_LINK_PIPE: return "pipe";
	case PATH_LINK_FORK: return "fork";
	case PATH_LINK_NETWORK: return "network";
	case PATH_LINK_MPI: return "mpi";
	case PATH_LINK_WAIT: return "wait";
	}
	return "?";
}

static int compare_shares(const void *a, const void *b)
{
	const struct path_share *p = a, *q = b;
	if (p->total_ns != q->total_ns)
		return p->total_ns > q->total_ns ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->task > q->task) - (p->task < q->task);
}

static int shares(const struct path *p, bool by_task, struct path_share **rows, size_t *n,
	struct mer_err *err)
{
	struct mer_map map = { 0 };
	size_t cap = 0;
	int rc = 0;
	*rows = NULL;
	*n = 0;
	for (size_t i = 0; i < p->n_segments && rc == 0; i++) {
		const struct path_segment *s = &p->segments[i];
		uint32_t task = by_task ? s->task : KERNEL_NONE;
		uint32_t *at = mer_map_put(&map, (uint64_t)s->host << 32 | task);
		if (!at || (!*at && !mer_grow(rows, *n, &cap, sizeof(**rows)))) {
			rc = mer_fail_nomem(err);
			break;
		}
		if (!*at) {
			(*rows)[*n] = (struct path_share){ .host = s->host, .task = task };
			*at = (uint32_t)++ * n;
		}
		struct path_share *r = &(*rows)[*at - 1];
		r->total_ns += s->end - s->begin;
		r->in_flight_ns += s->in_flight ? s->end - s->begin : 0;
		r->by_cause[s->cause] += s->end - s->begin;
	}
	mer_map_fini(&map);
	if (rc) {
		free(*rows);
		*rows = NULL;
		*n = 0;
		return rc;
	}
	if (*n)
		qsort(*rows, *n, sizeof(**rows), compare_shares);
	return 0;
}

int path_by_task(const struct path *p, struct path_share **rows, size_t *n, struct mer_err *err)
{
	return shares(p, true, rows, n, err);
}

int path_by_host(const struct path *p, struct path_share **rows, size_t *n, struct mer_err *err)
{
	return shares(p, false, rows, n, err);
}
