#include "table_hash.h"

#include <string.h>

#include "base/map.h"

uint64_t table_hash(const struct mer_table *t)
{
	uint64_t hash = t->n_rows;
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
		const struct mer_cell *c = &t->cells[i];
		bool is_text = c->set && t->columns[i % t->n_columns].type == MER_TEXT;
		uint64_t parts[] = { hash, c->set,
			is_text ? mer_hash(c->v.text, strlen(c->v.text))
				: (uint64_t)(c->set ? c->v.i : 0) };
		hash = mer_hash(parts, sizeof(parts));
	}
	return hash;
}
