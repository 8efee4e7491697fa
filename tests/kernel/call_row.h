/* The row of a call in the dictionary (kernel/calls.h), by its name. */
#ifndef TESTS_KERNEL_CALL_ROW_H
#define TESTS_KERNEL_CALL_ROW_H

#include "kernel/calls.h"

static inline const struct kernel_call_row *call_row(const char *name)
{
	uint16_t id = kernel_call_id(name);
	return id ? &kernel_call_rows[id - 1] : NULL;
}

#endif
