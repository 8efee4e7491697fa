#include "base/diag.h"
#include "base/grow.h"

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
	mer_map_fini(&d->kinds);
	d->rows = NULL;
	d->n = d->cap = 0;
}

static uint64_t hash_of_text(const char *text)
{
	return text ? mer_hash(text, strlen(text)) : 0;
}

/* Rows that fold into each other have the same code, host, path and stream. */
static uint64_t kind_of(const struct mer_diag *w)
{
	uint64_t parts[4] = { hash_of_text(w->code), hash_of_text(w->host), hash_of_text(w->path),
		(uint64_t)w->stream };
	return mer_hash(parts, sizeof(parts));
}

static bool grow(struct mer_diags *d)
{
	return d->n < DIAG_ROWS && mer_grow(&d->rows, d->n, &d->cap, sizeof(*d->rows));
}

/* A row is shown with its path, so the path is removed from the begin of a message (of a failed
 * call, or of a file below it): otherwise it would be shown twice. */
static const char *without_path(const char *message, const char *path)
{
	size_t n = path ? strlen(path) : 0;
	if (!n || strncmp(message, path, n) != 0)
		return message;
	if (message[n] == '/')
		return message + n + 1;
	return message[n] == ':' && message[n + 1] == ' ' ? message + n + 2 : message;
}

static void add_row(struct mer_diags *d, const struct mer_diag *w, const char *message)
{
	uint64_t count = w->count ? w->count : 1;
	if (w->severity == MER_ERROR)
		d->n_errors++;
	else if (w->severity == MER_WARNING)
		d->n_warnings++;
	/* For each kind: the number of its rows, and the index of its last one, in one value. */
	uint32_t *kind = mer_map_put(&d->kinds, kind_of(w));
	if (!kind) {
		d->n_dropped++;
		return;
	}
	if (*kind / DIAG_ROWS == DIAG_ROWS_PER_KIND) {
		d->rows[*kind % DIAG_ROWS].count += count;
		return;
	}
	/* An arena that failed once fails for good; try the texts first, then the row. */
	char *text = mer_arena_strdup(d->arena, without_path(message, w->path));
	char *code =
		mer_arena_strdup(d->arena, w->code); /* a result read from a file has its own */
	char *host = w->host ? mer_arena_strdup(d->arena, w->host) : NULL;
	char *path = w->path ? mer_arena_strdup(d->arena, w->path) : NULL;
	if (!text || !code || (w->host && !host) || (w->path && !path) || !grow(d)) {
		d->n_dropped++;
		return;
	}
	*kind = (*kind / DIAG_ROWS + 1) * DIAG_ROWS + (uint32_t)d->n;
	struct mer_diag *r = &d->rows[d->n++];
	*r = *w;
	r->code = code;
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

void mer_diag_add_once(struct mer_diags *d, const struct mer_diag *where, const char *message)
{
	const uint32_t *kind = mer_map_get(&d->kinds, kind_of(where));
	struct mer_diag *r = kind && *kind ? &d->rows[*kind % DIAG_ROWS] : NULL;
	if (!r || strcmp(r->message, message) != 0) {
		add_row(d, where, message);
		return;
	}
	r->count = where->count > r->count ? where->count : r->count;
	if (where->severity > r->severity) {
		d->n_warnings += where->severity == MER_WARNING;
		r->severity = where->severity;
	}
}

void mer_diags_merge(struct mer_diags *into, const struct mer_diags *from)
{
	for (size_t i = 0; i < from->n; i++)
		add_row(into, &from->rows[i], from->rows[i].message);
	into->n_dropped += from->n_dropped;
}

static uint64_t hash_of(const struct mer_diag *w)
{
	uint64_t parts[4] = { kind_of(w), (uint64_t)w->packet, (uint64_t)w->offset_bits,
		mer_hash(w->message, strlen(w->message)) };
	return mer_hash(parts, sizeof(parts));
}

void mer_diags_merge_new(struct mer_diags *into, const struct mer_diags *from)
{
	struct mer_map there = { 0 };
	for (size_t i = 0; from->n && i < into->n; i++)
		mer_map_put(&there, hash_of(&into->rows[i])); /* no memory: it is reported twice */
	for (size_t i = 0; i < from->n; i++)
		if (!mer_map_get(&there, hash_of(&from->rows[i])))
			add_row(into, &from->rows[i], from->rows[i].message);
	into->n_dropped += from->n_dropped;
	mer_map_fini(&there);
}
