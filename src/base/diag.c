#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mer_diags_init(struct mer_diags *d, struct mer_arena *arena)
{
	*d = (struct mer_diags){ .arena = arena };
}

void mer_diags_fini(struct mer_diags *d)
{
	free(d->rows);
	d->rows = NULL;
	d->n = d->cap = 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The last row of the kind of w when the kind has all the rows that it may have. */
static struct mer_diag *full_kind(struct mer_diags *d, const struct mer_diag *w)
{
	unsigned seen = 0;
	for (size_t i = d->n; i-- > 0;) {
		struct mer_diag *r = &d->rows[i];
		if (r->stream != w->stream || !same_text(r->code, w->code) ||
			!same_text(r->path, w->path))
			continue;
		if (++seen == DIAG_ROWS_PER_KIND)
			break;
	}
	if (seen < DIAG_ROWS_PER_KIND)
		return NULL;
	for (size_t i = d->n; i-- > 0;) {
		struct mer_diag *r = &d->rows[i];
		if (r->stream == w->stream && same_text(r->code, w->code) &&
			same_text(r->path, w->path))
			return r;
	}
	return NULL;
}

static bool grow(struct mer_diags *d)
{
	if (d->n < d->cap)
		return true;
	size_t cap = d->cap ? d->cap * 2 : 16;
	if (cap > DIAG_ROWS)
		return false;
	struct mer_diag *rows = realloc(d->rows, cap * sizeof(*rows));
	if (!rows)
		return false;
	d->rows = rows;
	d->cap = cap;
	return true;
}

static void add_row(struct mer_diags *d, const struct mer_diag *w, const char *message)
{
	uint64_t count = w->count ? w->count : 1;
	if (w->severity == MER_ERROR)
		d->n_errors++;
	else if (w->severity == MER_WARNING)
		d->n_warnings++;
	struct mer_diag *full = full_kind(d, w);
	if (full) {
		full->count += count;
		return;
	}
	/* An arena that failed once fails for good; try the texts first, then the row. */
	char *text = mer_arena_strdup(d->arena, message);
	char *host = w->host ? mer_arena_strdup(d->arena, w->host) : NULL;
	char *path = w->path ? mer_arena_strdup(d->arena, w->path) : NULL;
	if (!text || (w->host && !host) || (w->path && !path) || !grow(d)) {
		d->n_dropped++;
		return;
	}
	struct mer_diag *r = &d->rows[d->n++];
	*r = *w;
	r->count = count;
	r->host = host;
	r->path = path;
	r->message = text;
}

void mer_diag_add(struct mer_diags *d, const struct mer_diag *where, const char *fmt, ...)
{
	if (!d)
		return;
	char text[1200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_row(d, where, text);
}

void mer_diags_merge(struct mer_diags *into, const struct mer_diags *from)
{
	for (size_t i = 0; i < from->n; i++)
		add_row(into, &from->rows[i], from->rows[i].message);
	into->n_dropped += from->n_dropped;
}
