/* Walk: one function that writes what a struct has as bytes, or reads it from bytes, so that both
 * agree. Whoever walks calls mer_walk_* for each member in the same order either way:
 *
 *   static void point(struct mer_walk *w, struct point *p)
 *   {
 *           MER_WALK(w, p->x);
 *           mer_walk_text(w, &p->name);
 *   }
 *
 * Bytes are those of this machine. Those that are read may be anything: what does not fit makes
 * the walk fail, and members 0. */
#ifndef MER_BASE_WALK_H
#define MER_BASE_WALK_H

#include "base/arena.h"
#include "base/str.h"
#include "base/table.h"

struct mer_walk {
	struct mer_str *out; /* written to; NULL: read from p on */
	/* To be read; texts stay there, so it lives as long as they do. */
	const char *p, *end;
	struct mer_arena *arena; /* for what is read besides */
	bool failed;
};

static inline bool mer_walk_writes(const struct mer_walk *w)
{
	return w->out != NULL;
}
void mer_walk_bytes(struct mer_walk *w, void *v, size_t n);
#define MER_WALK(w, member) mer_walk_bytes(w, &(member), sizeof(member))
/* Returns it as it is, or as it was. */
bool mer_walk_flag(struct mer_walk *w, bool v);
/* How many follow, of a byte each or more; 0 after a failure. */
size_t mer_walk_count(struct mer_walk *w, size_t n);
/* The list, or zeroed room in the arena for n that are read; NULL after a failure. */
void *mer_walk_room(struct mer_walk *w, void *list, size_t n, size_t size);
/* May be NULL. */
void mer_walk_text(struct mer_walk *w, const char **t);
/* Cells as these n columns say; one that is set has a text. */
void mer_walk_cells(
	struct mer_walk *w, const struct mer_column *columns, size_t n, struct mer_cell *cells);

#endif
