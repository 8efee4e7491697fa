/* What the parts of the analysis "io" share: io_facts.c makes facts of calls and requests to block
 * devices, io.c has tables of them, disk.c those of disks, disk_order.c how far requests are apart on the
 * disk; disk_bins.c and disk_map.c tell them over time. */
#ifndef MER_ANALYSIS_REPORTS_IO_H
#define MER_ANALYSIS_REPORTS_IO_H

#include "analysis/bins.h"
#include "analysis/cells.h"
#include "analysis/fact.h"
#include "kernel/io_op.h"

/* io_facts.c */
enum io_way {
	IO_MOVES_NONE,
	IO_MOVES_IN,
	IO_MOVES_OUT
}; /* from the descriptor of a call, or to it */
enum io_place { IO_NOWHERE, IO_ON_DISK, IO_ON_NET, IO_ON_OTHER };
enum io_success { IO_DONE, IO_CALL_FAILED, IO_REQUEST_FAILED };
struct io_fact {	  /* a call, or a request to a disk */
	struct fact fact; /* choice: enum io_op; a request that has not ended has no end */
	int64_t ret, bytes;
	int64_t queue_ns, sector; /* of requests; FACT_UNKNOWN */
	uint32_t call;		  /* KERNEL_NONE: a request */
	uint32_t device;	  /* of a request; KERNEL_NONE */
	uint8_t way, read_from, written_to, failed;
	uint8_t unused[4];
};
struct io_merge {
	struct fact fact;
	int64_t bytes;
	uint32_t device, unused;
};

enum io_output {
	IO_OUT_TOP,
	IO_OUT_FILES,
	IO_OUT_DISKS,
	IO_OUT_DISK_TASKS,
	IO_OUT_LOG,
	IO_OUT_MAP,
	IO_OUT_FREQ,
	IO_OUT_STATS,
	IO_OUT_BINS,
	IO_OUT_TASK_BINS
};

/* Requests for data in the order of their issue: how far each begins from where the one before ended. */
struct io_order {
	uint64_t n, n_sequential; /* sequential: not at all */
	uint64_t next_sector;
	uint64_t *seeks; /* bytes, by request but for the first */
	size_t cap_seeks;
};

struct io_disk {
	uint32_t dev;
	uint64_t n[IO_N_OPS]; /* finished requests, by operation */
	uint64_t read, written, errors, unfinished, merged;
	struct io_order order;
	int64_t busy, busy_until; /* ns with a request in flight */
	struct analysis_stats queue, service;
};

struct io_disk_task {			   /* what a task had of a disk */
	uint32_t disk, task;		   /* task KERNEL_NONE: nobody's, or not known */
	uint64_t n, read, written, merged; /* as of a disk */
	struct io_order order;		   /* of its own requests */
	struct analysis_stats service;
};

struct io_state {
	struct io_disk *disks;
	size_t n_disks, cap_disks;
	struct mer_map disk_map; /* dev -> number, plus 1 */
	struct io_disk_task *disk_tasks;
	size_t n_disk_tasks, cap_disk_tasks;
	struct mer_map disk_task_map;  /* disk and task -> number, plus 1 */
	struct analysis_wanted wanted; /* by call, for what it is on */
	struct analysis_bins bins;
	struct analysis_series calls; /* by task + 1, 0: nobody: bytes read, written by calls */
};

/* The name of a device: "sda", or "8,16" where none is known. In arena; NULL: no memory. */
const char *io_disk_name(const struct kernel_host *h, uint32_t dev, struct mer_arena *arena);

/* Did it move as many bytes, and take as long, as was asked for? end INT64_MIN: it is not known how long
 * it took. */
static inline bool io_fits(
	const struct analysis_options *o, int64_t begin, int64_t end, uint64_t bytes)
{
	if (o->sizes.are_limited && (bytes < o->sizes.min || bytes > o->sizes.max))
		return false;
	if (end == INT64_MIN)
		return !analysis_limits_durations(o);
	return end - begin >= o->min_ns && end - begin <= o->max_ns;
}

/* disk.c */
int io_on_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m);
/* After the last event: the host's requests become disks. */
int io_end(struct analysis_host *a, const struct kernel_host *h);
void io_free_disks(struct io_state *s);
void io_emit_disks(struct analysis_run *run, struct mer_table *t);
void io_emit_disk_tasks(struct analysis_run *run, struct mer_table *t);
extern const struct mer_column io_disks_columns[], io_disk_tasks_columns[];
/* Is it about a disk, and asked for: by who made it, the disk's name, how long it took, how much it moved?
 * Then its operation, else IO_NONE. When it was is not looked at. */
enum io_op io_request_op(const struct analysis_run *run, const struct kernel_host *h,
	const struct kernel_request *r);
/* Of a request that is about a disk and not part of another one; IO_NONE. */
enum io_op io_op_of_request(const struct kernel_request *r);
/* Numbers of all requests, those that began first first; malloc'ed, NULL: no memory. */
uint32_t *io_requests_by_begin(const struct kernel_host *h);
bool io_disk_has_name(const struct kernel_host *h, uint32_t dev,
	bool (*wants)(void *ctx, const char *name), void *ctx);
/* Is a disk asked for by its name? */
bool io_wants_disk(const struct analysis_options *o, const struct kernel_host *h, uint32_t dev);
/* When it was issued, if that was seen, else inserted, else completed. */
int64_t io_request_begin(const struct kernel_request *r);
int64_t io_request_end(const struct kernel_request *r); /* INT64_MIN: not known */
/* From insertion to issue, ns; -1: not known. */
int64_t io_request_queued(const struct kernel_request *r);
bool io_request_was_in_flight(const struct kernel_request *r);

/* disk_order.c */
bool io_order_add(struct io_order *o, const struct kernel_request *r); /* false: no memory */
/* Share of sequential ones, median and mean distance: three cells. Sorts the distances. */
#define IO_ORDER_COLUMNS                                                                           \
	{ "sequential_percent", "sequential", MER_RATIO },                                         \
		{ "seek_median_bytes", "seek median", MER_BYTES },                                 \
	{                                                                                          \
		"seek_mean_bytes", "seek mean", MER_BYTES                                          \
	}
enum { IO_ORDER_CELLS = 3 };
void io_order_cells(struct io_order *o, struct mer_cell *cells);
void io_order_fini(struct io_order *o);

/* disk_bins.c */
int io_emit_bins(struct analysis_run *run, struct mer_table *t);
int io_emit_task_bins(struct analysis_run *run, struct mer_table *t);
extern const struct mer_column io_bins_columns[], io_task_bins_columns[];

/* disk_map.c */
int io_emit_map(struct analysis_run *run, struct mer_table *t);
extern const struct mer_column io_map_columns[];

#endif
