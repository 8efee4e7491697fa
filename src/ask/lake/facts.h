/* The facts of a kind and host as files of a lake: rows of a table, in the order of time, become a
 * file for each day. None has its name before all are complete. */
#ifndef MER_ASK_LAKE_FACTS_H
#define MER_ASK_LAKE_FACTS_H

#include "ask/lake/lake.h"
#include "base/table.h"
#include "parquet/parquet.h"

struct lake_facts;

/* Columns as those of a table, whose first one is when a fact begins. One that is called like a
 * folder gets the kind in front (irq_kind): readers take the folder's value otherwise. pairs: what
 * files say of themselves. All is borrowed. */
int lake_facts_new(const struct lake_place *place, const struct lake_list *old,
	const struct mer_column *columns, const struct parquet_pair *pairs, size_t n_pairs,
	struct lake_facts **f, struct mer_err *err);
int lake_facts_add(struct lake_facts *f, const struct mer_cell *cells, struct mer_err *err);
/* The file of the day of this time is there, also without rows. */
int lake_facts_begin_day(struct lake_facts *f, int64_t ns, struct mer_err *err);
/* All have been added: replaces what the recording has in the lake. l: what it has then. */
int lake_facts_commit(
	struct lake_facts *f, const char key[LAKE_KEY], struct lake_list *l, struct mer_err *err);
void lake_facts_free(struct lake_facts *f); /* NULL is fine; what was not committed is gone */

#endif
