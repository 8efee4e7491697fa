/* Kinds: requests between the same two programs, at the same place: "load2 -> web:80 nginx". */
#ifndef MER_REQUESTS_KINDS_H
#define MER_REQUESTS_KINDS_H

#include "base/table.h"
#include "requests/parts.h"
#include "requests/requests.h"

struct requests_kinds {
	const struct requests *r;
	struct mer_arena arena;
	struct mer_intern names; /* numbers of kinds */
	uint32_t *of;		 /* by exchange; a block of the world's spill */
	uint32_t **process_of;	 /* by host: see analysis_process_of */
};

int requests_kinds_find(const struct requests *r, struct requests_kinds *k, struct mer_err *err);
void requests_kinds_fini(struct requests_kinds *k);

static inline const char *requests_kind_name(const struct requests_kinds *k, uint32_t exchange)
{
	return mer_intern_text(&k->names, k->of[exchange]);
}
/* The name of the task's process; "": not known. */
const char *requests_program(const struct requests_kinds *k, uint32_t host, uint32_t task);
/* The port of an end; 0: not known. */
uint16_t requests_port(const struct requests *r, const struct requests_end *e);
/* "10.0.0.2:80"; "": not known. */
void requests_address(
	const struct requests *r, const struct requests_end *e, char text[KERNEL_ENDPOINT_BYTES]);

/* Do jobs change threads in the server of a kind, as in a scheduler of goroutines: some threads
 * both read requests that others answer, and answer requests that others read? Which request a
 * thread serves at a time is then attributed, and no event decides it. False: no memory, too. */
bool requests_change_threads(const struct requests_kinds *k, uint32_t kind);

struct requests_sums { /* of the requests of a kind */
	uint32_t kind, count;
	uint32_t first; /* one of them: the first of `which` */
	uint32_t most_parallel;
	uint32_t n_windows; /* exchanges of several messages: of these is no latency */
	uint32_t n_damaged; /* of connections with missing events: nor of these */
	uint32_t n_timed;   /* the others, which have one */
	int64_t p50_ns, p90_ns, p99_ns, p999_ns, max_ns,
		mean_ns; /* of the others; -1: there are none */
	uint64_t bytes_out, bytes_in;
	int64_t parts_ns[REQUESTS_N_PARTS]; /* of all that have a latency */
};

/* A second, in a window of that length; not set: it has none. */
static inline struct mer_cell requests_rate(const struct requests_sums *s, int64_t window_ns)
{
	return window_ns > 0 ? MER_REAL_CELL((double)s->count * 1e9 / (double)window_ns) : MER_NONE;
}

/* Of the exchanges in `which`; malloc'ed, the greatest sum of latencies first. */
int requests_sum(const struct requests_kinds *k, const uint32_t *which, uint32_t n,
	struct requests_sums **rows, uint32_t *n_rows, struct mer_err *err);

#endif
