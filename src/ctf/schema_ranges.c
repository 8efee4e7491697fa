/* Range index: finds which of many mappings or options contain a value.
 *
 * Ranges may overlap, and a value may have many labels. So all ranges are sorted by their begin and
 * taken as a balanced tree, the middle one of a part being its root, and each knows the greatest
 * end below it (an augmented interval tree, without pointers): finding k ranges of n takes about k
 * + log n steps. */
#include <stdlib.h>
#include <string.h>

#include "ctf/schema.h"

struct row { /* bounds are biased: signed ones compare as unsigned */
	uint64_t lo, hi, top;
	uint32_t item; /* mapping or option */
};

struct ctf_range_index {
	uint64_t bias;
	uint32_t n;
	struct row rows[];
};

enum { FEW_RANGES = 8 };

static int by_begin(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static uint64_t set_tops(struct row *r, uint32_t n)
{
	if (n == 0)
		return 0;
	uint32_t mid = n / 2;
	uint64_t below = set_tops(r, mid), above = set_tops(r + mid + 1, n - mid - 1);
	r[mid].top = r[mid].hi;
	if (below > r[mid].top)
		r[mid].top = below;
	if (above > r[mid].top)
		r[mid].top = above;
	return r[mid].top;
}

static struct ctf_range_index *new_index(struct mer_arena *arena, uint32_t n, bool is_signed)
{
	struct ctf_range_index *x = mer_arena_alloc(arena, sizeof(*x) + n * sizeof(x->rows[0]));
	if (x)
		*x = (struct ctf_range_index){ .bias = is_signed ? (uint64_t)1 << 63 : 0 };
	return x;
}

static void add(struct ctf_range_index *x, const struct ctf_range *r, uint32_t n, uint32_t item)
{
	for (uint32_t i = 0; i < n; i++)
		x->rows[x->n++] = (struct row){
			.lo = r[i].lo ^ x->bias, .hi = r[i].hi ^ x->bias, .item = item
		};
}

static void finish(struct ctf_range_index *x)
{
	qsort(x->rows, x->n, sizeof(x->rows[0]), by_begin);
	set_tops(x->rows, x->n);
}

bool ctf_index_labels(struct ctf_fc *fc, struct mer_arena *arena)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < fc->u.bits.n_mappings; i++)
		n += fc->u.bits.mappings[i].n_ranges;
	fc->u.bits.index = NULL;
	if (fc->kind == CTF_BIT_MAP || n <= FEW_RANGES || n > UINT32_MAX / 2)
		return true;
	struct ctf_range_index *x = new_index(arena, (uint32_t)n, fc->u.bits.is_signed);
	for (uint32_t i = 0; x && i < fc->u.bits.n_mappings; i++)
		add(x, fc->u.bits.mappings[i].ranges, fc->u.bits.mappings[i].n_ranges, i);
	if (x)
		finish(x);
	fc->u.bits.index = x;
	return x != NULL;
}

bool ctf_index_options(struct ctf_fc *fc, struct mer_arena *arena)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < fc->u.variant.n; i++)
		n += fc->u.variant.options[i].n_ranges;
	fc->u.variant.index = NULL;
	if (fc->u.variant.n <= FEW_RANGES || n > UINT32_MAX / 2)
		return true;
	struct ctf_range_index *x = new_index(arena, (uint32_t)n, fc->u.variant.ref.is_signed);
	for (uint32_t i = 0; x && i < fc->u.variant.n; i++)
		add(x, fc->u.variant.options[i].ranges, fc->u.variant.options[i].n_ranges, i);
	if (x)
		finish(x);
	fc->u.variant.index = x;
	return x != NULL;
}

struct found {
	uint64_t v;
	uint32_t *items;	 /* in any order; NULL: only the least one is wanted */
	uint32_t n, room, least; /* n > room: there are more, it was given up */
};

static void find(const struct row *r, uint32_t n, struct found *f)
{
	while (n > 0 && !(f->items && f->n > f->room)) {
		uint32_t mid = n / 2;
		if (r[mid].top < f->v)
			return;
		find(r, mid, f);
		if (r[mid].lo > f->v)
			return;
		if (r[mid].hi >= f->v) {
			if (f->items && f->n < f->room)
				f->items[f->n] = r[mid].item;
			if (r[mid].item < f->least)
				f->least = r[mid].item;
			f->n++;
		}
		r += mid + 1;
		n -= mid + 1;
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void ctf_labels_begin(struct ctf_labels *l, const struct ctf_fc *fc, uint64_t v)
{
	const struct ctf_range_index *x = fc->u.bits.index;
	l->fc = fc;
	l->value = v;
	l->next = 0;
	l->n = fc->u.bits.n_mappings;
	l->all = true;
	if (!x)
		return;
	struct found f = { .v = v ^ x->bias, .items = l->found, .room = CTF_FEW_LABELS };
	find(x->rows, x->n, &f);
	if (f.n > CTF_FEW_LABELS)
		return;
	if (f.n > 1)
		qsort(l->found, f.n, sizeof(l->found[0]), by_number);
	l->n = f.n;
	l->all = false;
}

const struct ctf_mapping *ctf_labels_next(struct ctf_labels *l)
{
	const struct ctf_mapping *m = l->fc->u.bits.mappings;
	while (l->next < l->n) {
		uint32_t i = l->next++;
		if (l->all) {
			if (ctf_mapping_has(l->fc, &m[i], l->value))
				return &m[i];
		} else if (i == 0 || l->found[i] != l->found[i - 1]) {
			return &m[l->found[i]];
		}
	}
	return NULL;
}

uint32_t ctf_indexed_option_of(const struct ctf_fc *fc, uint64_t selector)
{
	const struct ctf_range_index *x = fc->u.variant.index;
	struct found f = { .v = selector ^ x->bias, .least = fc->u.variant.n };
	find(x->rows, x->n, &f);
	return f.least;
}
