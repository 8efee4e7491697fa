/* What the parts of the analysis "io" share: io.c counts system calls, disk.c requests to block devices. */
#ifndef MER_ANALYSIS_IO_H
#define MER_ANALYSIS_IO_H

#include "analysis/bins.h"
#include "analysis/rows.h"

enum io_op {
	IO_NONE,
	IO_OPEN,
	IO_READ,
	IO_WRITE,
	IO_SYNC,
	IO_COPY, /* from one descriptor to another, of which only one is told: sendfile, splice */
	IO_N_CALL_OPS,
	IO_DISK_READ = IO_N_CALL_OPS,
	IO_DISK_WRITE,
	IO_DISK_DISCARD,
	IO_DISK_FLUSH, /* also all else that moves no data */
	IO_N_OPS
};
const char *io_op_name(enum io_op op);
/* IO_NONE: it is not about input or output. By comparing: not for each event. */
enum io_op io_op_of_call(const char *name);
/* How many bytes it moved; 0 too where it returns how many messages. */
uint64_t io_bytes_of_call(enum io_op op, const char *name, int64_t ret);

struct io_latency { /* of an operation; only what min_ns and max_ns leave */
	struct analysis_stats stats;
	struct analysis_histogram freq;
	uint64_t bytes, errors;
};

enum { IO_ON_DISK, IO_ON_NET, IO_ON_OTHER, IO_N_PLACES };

struct io_task {
	uint64_t read[IO_N_PLACES], written[IO_N_PLACES]; /* bytes, by the kind of descriptor */
	uint64_t block_read, block_written;		  /* bytes of requests that it made */
	uint64_t calls, errors;
	int64_t total_ns; /* in these calls */
};

struct io_file { /* what descriptors stood for */
	uint32_t name;
	uint8_t kind; /* enum kernel_object_kind */
	uint64_t read, written, errors, n[IO_N_CALL_OPS];
	struct analysis_stats stats;
};

struct io_disk {
	uint32_t dev;
	uint64_t n[IO_N_OPS]; /* finished requests, by operation */
	uint64_t read, written, errors, unfinished;
	uint64_t n_data,
		n_sequential; /* requests for data; that begin where the one before ended */
	uint64_t next_sector;
	int64_t busy, busy_until; /* ns with a request in flight */
	struct analysis_stats queue, service;
	struct io_latency latency[IO_N_OPS - IO_N_CALL_OPS];
};

struct io_maker {      /* of a request */
	uint32_t task; /* plus 1; 0: not told */
	uint16_t cpu;
};

struct io_row { /* of the log: a call or a request */
	struct analysis_row row;
	int64_t end, ret;
	int64_t queue_ns; /* requests; -1: not known */
	uint64_t bytes, sector;
	uint32_t task;
	uint32_t of; /* call, or device */
	uint16_t cpu;
	uint8_t op;
};

struct io_state {
	uint8_t *ops; /* by call: enum io_op plus 1, 0: not looked at yet */
	size_t cap_ops;
	struct io_task *tasks, nobody;
	size_t cap_tasks;
	struct io_file *files;
	size_t n_files, cap_files;
	struct mer_map file_map; /* name and kind -> number, plus 1 */
	struct io_latency latency[IO_N_CALL_OPS];
	struct io_maker *makers; /* by request */
	size_t cap_makers;
	struct io_disk *disks;
	size_t n_disks, cap_disks;
	struct mer_map disk_map; /* dev -> number, plus 1 */
	struct analysis_bins bins;
	struct analysis_rows log;
};

/* Of a task, KERNEL_NONE: of nobody. NULL: no memory. */
struct io_task *io_task_of(struct io_state *s, uint32_t task);
/* The name of a device: "sda", or "8,16" where none is known. In arena; NULL: no memory. */
const char *io_disk_name(const struct kernel_host *h, uint32_t dev, struct mer_arena *arena);
void io_add_latency(
	struct io_latency *l, int64_t begin, int64_t end, uint64_t bytes, bool is_error);

/* disk.c */
int io_on_request(void *ctx, const struct kernel_host *h, uint32_t request);
/* After the last event: the host's requests become disks, and rows of the log. */
int io_end(struct analysis_host *a, const struct kernel_host *h);
void io_emit_disks(struct analysis_run *run, struct analysis_table *t);
int io_emit_bins(struct analysis_run *run, struct analysis_table *t);
extern const struct analysis_column io_disks_columns[], io_bins_columns[];

#endif
