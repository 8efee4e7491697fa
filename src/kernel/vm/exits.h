/* Exits: why a guest was left, by the names that the processors' manuals and the kernel give. */
#ifndef MER_KERNEL_VM_EXITS_H
#define MER_KERNEL_VM_EXITS_H

#include <stdbool.h>
#include <stdint.h>

/* A reason with the instruction set that it belongs to, in one number that is never KERNEL_NONE. */
enum kernel_exit_isa { KERNEL_EXIT_OTHER, KERNEL_EXIT_VMX, KERNEL_EXIT_SVM };
static inline uint32_t kernel_exit(uint64_t isa, uint64_t reason)
{
	return (uint32_t)((isa <= KERNEL_EXIT_SVM ? isa : KERNEL_EXIT_OTHER) << 16 |
			  (reason & UINT16_MAX));
}
/* "HLT", "EPT_VIOLATION", "NPF"; NULL: has no name. KERNEL_NONE: "-", entered otherwise. */
const char *kernel_exit_name(uint32_t exit);
/* The guest had nothing to do. */
bool kernel_exit_is_halt(uint32_t exit);
/* The guest spins for a lock: its vCPU was stopped so that others may run. */
bool kernel_exit_is_pause(uint32_t exit);

#endif
