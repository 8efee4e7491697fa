/* Losses: when events of a host may be missing, on which CPU, and which task runs on each CPU where
 * its record begins (again).
 *
 * The next context switch on the CPU shows that task, so the switches are read in advance: until
 * each CPU has had one, or to the end if there are losses. */
#ifndef MER_KERNEL_LOSSES_H
#define MER_KERNEL_LOSSES_H

#include "trace/experiment.h"
#include "trace/reading.h"

enum { KERNEL_TID_UNKNOWN = -1 };

struct kernel_loss {
	int64_t begin, end; /* ns: something is missing in between */
	uint16_t cpu;
	int32_t next_tid; /* the task that runs there at its end, 0: idle; KERNEL_TID_UNKNOWN */
};

struct kernel_losses {
	struct kernel_loss *by_begin; /* malloc'ed */
	uint32_t *by_end;	      /* numbers of these, by end; malloc'ed */
	int64_t *reach;		      /* greatest end of those up to here, by begin; malloc'ed */
	uint32_t n;
	int32_t *first_tid; /* by CPU: the task that runs where its record begins; malloc'ed */
	uint32_t n_cpus;
	int64_t begin, end; /* of the host's recording */
};

/* The most CPUs that a host can have; events of others are not looked at. */
enum { KERNEL_MAX_CPUS = 4096 };

/* Of one host; after clock maps are applied. switches: of kernel_switch_reading_new. */
int kernel_losses_find(struct mer_experiment *e, uint32_t host,
	const struct trace_reading *switches, struct kernel_losses *l, struct mer_err *err);
/* The same without reading events: a loss that a packet counts may be anywhere since the
 * previous packet, and the running task is not known. kernel_losses_fini in any case. */
int kernel_losses_of_headers(
	struct mer_experiment *e, uint32_t host, struct kernel_losses *l, struct mer_err *err);
/* Is something missing on this CPU at this time? next: when that ends, or begins next (INT64_MAX:
 * never); NULL: not asked. */
bool kernel_lost_at(const struct kernel_losses *l, uint32_t cpu, int64_t time, int64_t *next);
void kernel_losses_fini(struct kernel_losses *l);

/* Is something missing in (begin, end)? Then from when on, and until when at the latest (cut to the
 * two). */
bool kernel_lost_between(
	const struct kernel_losses *l, int64_t begin, int64_t end, int64_t *from, int64_t *until);

#endif
