/* Table hash: for tests that compare what is in tables, and keep many of them. */
#ifndef TESTS_TABLE_HASH_H
#define TESTS_TABLE_HASH_H

#include "base/table.h"

/* Of all cells; texts by their characters. */
uint64_t table_hash(const struct mer_table *t);

#endif
