/* Time units that may follow a number, on the command line and in expressions. */
#ifndef MER_BASE_TIME_UNIT_H
#define MER_BASE_TIME_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* "ns, us, ms, s, min, h, d": for messages. */
#define MER_TIME_UNITS "ns, us, ms, s, min, h, d"
/* Nanoseconds in the unit with this name of len bytes; 0: no such unit. Accepts µs, and m for
 * min. */
int64_t mer_time_unit(const char *name, size_t len);

#endif
