/* Names of system calls by number, for events that have only the number: for x86-64, and for the
 * later architectures (arm64, riscv64, loongarch64), which share one table. Names are those of the
 * kernel's own events (sys_enter_newfstat) and of LTTng's, not the C library's. */
#ifndef MER_BASE_CALL_NUMBERS_H
#define MER_BASE_CALL_NUMBERS_H

#include <stdint.h>

/* Which system call table the numbers refer to. */
enum mer_call_numbers { MER_CALLS_UNKNOWN, MER_CALLS_X86_64, MER_CALLS_GENERIC };
/* The table of a machine, named as by uname ("aarch64"). */
enum mer_call_numbers mer_call_numbers_of(const char *machine);
/* Name of a call by its number; NULL: not known. */
const char *mer_call_by_number(enum mer_call_numbers numbers, uint64_t number);

#endif
