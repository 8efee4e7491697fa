#include "base/walk.h"

#include <string.h>

void mer_walk_bytes(struct mer_walk *w, void *v, size_t n)
{
	if (w->out) {
		mer_str_add(w->out, v, n);
	} else if (w->failed || (size_t)(w->end - w->p) < n) {
		w->failed = true;
		memset(v, 0, n);
	} else {
		memcpy(v, w->p, n);
		w->p += n;
	}
}

bool mer_walk_flag(struct mer_walk *w, bool v)
{
	uint8_t byte = v;
	mer_walk_bytes(w, &byte, 1);
	return byte;
}

size_t mer_walk_count(struct mer_walk *w, size_t n)
{
	mer_walk_bytes(w, &n, sizeof(n));
	if (!w->out && n > (size_t)(w->end - w->p)) {
		w->failed = true;
		n = 0;
	}
	return n;
}

void *mer_walk_room(struct mer_walk *w, void *list, size_t n, size_t size)
{
	if (mer_walk_writes(w))
		return list;
	list = w->failed ? NULL : mer_arena_zalloc(w->arena, n + 1, size);
	w->failed |= !list;
	return list;
}

/* With the 0 at its end; of 0 bytes: NULL. */
void mer_walk_text(struct mer_walk *w, const char **t)
{
	size_t n = mer_walk_count(w, w->out && *t ? strlen(*t) + 1 : 0);
	if (w->out) {
		mer_str_add(w->out, n ? *t : "", n);
		return;
	}
	*t = n ? w->p : NULL;
	if (n && memchr(w->p, 0, n) != w->p + n - 1) {
		w->failed = true;
		*t = NULL;
	}
	w->p += n;
}

void mer_walk_cells(
	struct mer_walk *w, const struct mer_column *columns, size_t n, struct mer_cell *cells)
{
	for (size_t c = 0; c < n; c++) {
		cells[c].set = mer_walk_flag(w, cells[c].set);
		if (cells[c].set && columns[c].type == MER_TEXT) {
			mer_walk_text(w, &cells[c].v.text);
			w->failed |= !cells[c].v.text;
		} else if (cells[c].set) {
			MER_WALK(w, cells[c].v);
		}
		if (w->failed)
			cells[c] = MER_NONE;
	}
}
