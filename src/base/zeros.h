/* Tests for bytes that are all zero: padding, or parts of a file never written. */
#ifndef MER_BASE_ZEROS_H
#define MER_BASE_ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool mer_is_zeros(const uint8_t *data, size_t len)
{
	return len == 0 || (data[0] == 0 && memcmp(data, data + 1, len - 1) == 0);
}

#endif
