/* Time units: what may stand behind a number, on the command line and in expressions alike. */
#ifndef MER_BASE_TIME_UNIT_H
#define MER_BASE_TIME_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* "ns, us, ms, s, min, h, d": for messages. */
#define MER_TIME_UNITS "ns, us, ms, s, min, h, d"
/* ns in a unit of this name of len bytes; 0: there is none. Also µs, and m as min. */
int64_t mer_time_unit(const char *name, size_t len);

#endif
