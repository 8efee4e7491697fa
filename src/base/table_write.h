/* Tables for programs: all columns under their keys, with values in the unit of the key. */
#ifndef MER_BASE_TABLE_WRITE_H
#define MER_BASE_TABLE_WRITE_H

#include "base/json.h"
#include "base/table.h"

struct mer_table_part { /* rows first to end - 1 */
	size_t first, end;
	/* For several tables in one output: each row begins with a column "table" that has the
	 * table's id. */
	bool named;
	bool is_rest; /* of a table whose heading has been written */
};
static inline struct mer_table_part mer_table_whole(const struct mer_table *t)
{
	return (struct mer_table_part){ .end = t->n_rows };
}

/* With a heading line first, unless the part is the rest of a table; fields are quoted as in RFC
 * 4180, lines end with LF. */
void mer_table_csv(const struct mer_table *t, struct mer_table_part part, struct mer_str *out);
/* JSON Lines: an object for each row. */
void mer_table_jsonl(const struct mer_table *t, struct mer_table_part part, struct mer_str *out);
/* The table with id, title, columns and rows, as the next value of j, in three steps: rows as they
 * come, those of t are added. */
void mer_table_json_head(const struct mer_table *t, struct mer_json *j);
void mer_table_json_add(const struct mer_table *t, struct mer_json *j);
void mer_table_json_end(struct mer_json *j);

/* A real value in the unit of its column's key: ratios in percent. */
double mer_table_real(enum mer_type type, const struct mer_cell *cell);

#endif
