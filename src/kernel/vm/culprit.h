/* Culprit: for pieces of stolen time, the thread that had the CPU for most of it, whatever lies
 * between the pieces.
 *
 * It is a thread of the hypervisor. If it is a vCPU, tasks of its guest change much more often
 * than the thread does: a task of the guest is named only if it ran for more than half of the
 * thread's part; otherwise it would be blamed for what others did. */
#ifndef MER_KERNEL_VM_CULPRIT_H
#define MER_KERNEL_VM_CULPRIT_H

#include "kernel/vm/guests.h"

struct kernel_theft { /* a piece */
	const struct kernel_guest *g;
	uint32_t absence; /* of g */
	int64_t ns;
	int64_t task_ns; /* of a culprit that names a task of a guest: what of ns that one had */
};

struct kernel_thefts { /* {0}: none */
	struct kernel_theft *list;
	uint32_t n, cap;
};

bool kernel_thefts_add(/* false: no memory */
	struct kernel_thefts *t, const struct kernel_guest *g, uint32_t absence, int64_t ns);
void kernel_thefts_fini(struct kernel_thefts *t);
/* The culprit: what says as much of it as is true, and the time that its thread had. absence
 * KERNEL_NONE: there is no piece. Pieces change their order. */
struct kernel_theft kernel_culprit(struct kernel_thefts *t);
/* Of a culprit: its thread alone, as an absence of its g; and the task in it, "l2burn/177", NULL:
 * none is named. */
uint32_t kernel_absence_thread(const struct kernel_theft *x);
const char *kernel_theft_task(const struct kernel_theft *x);
/* The same of [begin, end), in which that CPU of the guest was away. KERNEL_NONE: it was not, or
 * there is no memory. */
uint32_t kernel_culprit_of(const struct kernel_guest *g, uint16_t cpu, int64_t begin, int64_t end);

#endif
