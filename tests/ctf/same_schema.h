/* Are two schemas the same? For tests that write a schema and read it again. */
#ifndef TESTS_CTF_SAME_SCHEMA_H
#define TESTS_CTF_SAME_SCHEMA_H

#include "ctf/schema.h"

enum {
	SAME_BUT_LANGUAGE = 1, /* what one language has and the other has not is not compared */
	SAME_BUT_ORDER = 2     /* the native byte order is not compared either */
};

/* NULL, or the first difference in words (in a static buffer). Registers may have other numbers,
 * as long as each reference has the same targets. */
const char *same_schema(const struct ctf_schema *a, const struct ctf_schema *b, unsigned how);

#endif
