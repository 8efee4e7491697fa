/* Names of system calls by their numbers, for events that have only those: of x86-64, and of the
 * machines that came later (arm64, riscv64, loongarch64), which have one table. Names are those of
 * the kernel's own events (sys_enter_newfstat) and of LTTng's, not the C library's. */
#ifndef MER_BASE_CALL_NUMBERS_H
#define MER_BASE_CALL_NUMBERS_H

#include <stdint.h>

/* Which calls the numbers are of. */
enum mer_call_numbers { MER_CALLS_UNKNOWN, MER_CALLS_X86_64, MER_CALLS_GENERIC };
/* Of a machine, as uname has it ("aarch64"). */
enum mer_call_numbers mer_call_numbers_of(const char *machine);
/* Name of a call by its number; NULL: not known. */
const char *mer_call_by_number(enum mer_call_numbers numbers, uint64_t number);

#endif
