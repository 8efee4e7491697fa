/* Instant: what every CPU, task and disk of every host did at one moment, and which messages were
 * on their way.
 *
 * Rows are facts of the model as it knows them from the whole recording: of a wait also what ended
 * it later. */
#ifndef MER_SESSION_INSTANT_H
#define MER_SESSION_INSTANT_H

#include "session/tasks.h"

struct session_instant_task {
	uint32_t host, task;
	uint32_t span; /* of the host; KERNEL_NONE: nothing is known of it then */
	/* The task that ended this wait, or has the CPU; host KERNEL_NONE: none is known. */
	struct kernel_waker by;
};

struct session_instant_cpu {
	uint32_t host;
	uint16_t cpu;
	size_t task;	 /* that is on it, of tasks; SIZE_MAX: none */
	bool is_unknown; /* nothing is known yet, or events are missing */
	/* Of a guest's CPU: number of the absence (kernel/vm/guests.h) for which its hypervisor did
	 * not run it; KERNEL_NONE: it was there, or that is not known. */
	uint32_t absence;
};

struct session_instant_disk {
	uint32_t host, dev;
	uint64_t queued,
		in_service; /* requests inserted and not issued; issued and not completed */
	int64_t oldest;	    /* when the first of them was inserted or issued */
};

struct session_instant_flight { /* messages sent and not yet received */
	uint32_t from, to;
	uint64_t n;
	int64_t oldest; /* when the first of them was sent */
};

struct session_instant { /* zeroed: empty; the arrays are in the arena of session_instant_find */
	int64_t at;
	struct session_instant_task *tasks; /* by host and number; those that lived then */
	struct session_instant_cpu *cpus;   /* by host and number */
	struct session_instant_disk *disks; /* those with requests, by host and number */
	struct session_instant_flight *flights;
	size_t n_tasks, n_cpus, n_disks, n_flights;
};

/* Hosts that are not selected have no rows; selected tasks and CPUs alone have. */
int session_instant_find(const struct session_world *w, int64_t at,
	const struct session_selection *s, struct mer_arena *arena, struct session_instant *to,
	struct mer_err *err);

#endif
