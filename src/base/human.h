/* Numbers as people read them, with units. */
#ifndef MER_BASE_HUMAN_H
#define MER_BASE_HUMAN_H

#include <stdint.h>
#include "base/str.h"

void mer_put_count(struct mer_str *out, int64_t v);    /* 1,234,567 */
void mer_put_bytes(struct mer_str *out, int64_t v);    /* 12.3 MiB */
void mer_put_duration(struct mer_str *out, int64_t v); /* 12.3 ms */

#endif
