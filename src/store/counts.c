#include "store/counts.h"

#include <stdlib.h>
#include <string.h>

#include "store/facts.h"
#include "store/levels.h"
#include "store/numbers.h"
#include "store/types.h"

enum {
	FIRST_SHIFT = 10,
	FACTS_PER_BIN = 64, /* minimum average in the lowest level */
	BINS_LEAST = 4096 /* bins that may be used while facts are counted, however few there are */
};

struct count_level {
	int64_t first; /* number of the first bin, which begins at first << shift */
	/* n: bins; at: the first number of the level among those of all: n counts, then bytes. */
	uint64_t n, at;
	uint32_t shift, has_bytes;
};

/* ---- making ---- */

/* Extends the bins to [first, first + n), which includes the present ones. */
static bool widen(struct store_counts *c, int64_t first, size_t n)
{
	size_t offset = c->n ? (size_t)(c->first - first) : 0;
	if (n > c->cap || offset) {
		size_t cap = n > c->cap ? n + n / 2 + 64 : c->cap;
		uint64_t *counts = calloc(cap, sizeof(*counts));
		uint64_t *bytes = calloc(c->has_bytes ? cap : 1, sizeof(*bytes));
		if (!counts || !bytes) {
			free(counts);
			free(bytes);
			return false;
		}
		if (c->n)
			memcpy(counts + offset, c->counts, c->n * sizeof(*counts));
		if (c->n && c->has_bytes)
			memcpy(bytes + offset, c->bytes, c->n * sizeof(*bytes));
		free(c->counts);
		free(c->bytes);
		c->counts = counts;
		c->bytes = bytes;
		c->cap = cap;
	}
	c->first = first;
	c->n = n;
	return true;
}

/* Doubles the width of the bins n times; bins after the last one become 0. */
static void join_bins(struct store_counts *c, unsigned n)
{
	int64_t first = c->first >> n;
	size_t kept = 0;
	for (size_t i = 0; i < c->n; i++) {
		size_t to = (size_t)(((c->first + (int64_t)i) >> n) - first);
		uint64_t count = c->counts[i];
		c->counts[i] = 0;
		c->counts[to] += count;
		kept = to + 1;
		if (!c->has_bytes)
			continue;
		uint64_t bytes = c->bytes[i];
		c->bytes[i] = 0;
		c->bytes[to] += bytes;
	}
	c->first = first;
	c->n = kept;
	c->shift += n;
}

static bool make_room(struct store_counts *c, int64_t begin)
{
	uint64_t most = BINS_LEAST + c->n_facts / FACTS_PER_BIN;
	if (!c->n)
		c->shift = FIRST_SHIFT;
	for (;;) {
		int64_t bin = begin >> c->shift;
		int64_t first = c->n && c->first < bin ? c->first : bin;
		int64_t last = c->n && c->first + (int64_t)c->n - 1 > bin
				       ? c->first + (int64_t)c->n - 1
				       : bin;
		if ((uint64_t)last - (uint64_t)first < most)
			return widen(c, first, (size_t)(last - first) + 1);
		join_bins(c, 1);
	}
}

void store_counts_add(struct store_counts *c, int64_t begin, uint64_t bytes)
{
	uint64_t bin = (uint64_t)(begin >> c->shift) - (uint64_t)c->first;
	if (bin >= c->n) {
		if (c->failed || !make_room(c, begin)) {
			c->failed = true;
			return;
		}
		bin = (uint64_t)((begin >> c->shift) - c->first);
	}
	c->n_facts++;
	c->counts[bin]++;
	if (c->has_bytes)
		c->bytes[bin] += bytes;
}

static uint64_t get_number(const void *numbers, size_t i)
{
	return ((const uint64_t *)numbers)[i];
}

/* Joining leaves less than a third of the bins, so all levels fit into twice the lowest one. */
static bool put_all(struct store_counts *c, struct store_writer *w, uint32_t host, uint32_t number)
{
	struct count_level levels[STORE_LEVELS_MOST];
	size_t n = 0, at = 0, each = c->has_bytes ? 2 : 1;
	uint64_t *numbers = calloc(2 * (c->n + STORE_LEVELS_MOST) * each, sizeof(*numbers));
	if (!numbers)
		return false;
	for (;;) {
		levels[n++] = (struct count_level){ c->first, c->n, at, c->shift, c->has_bytes };
		memcpy(numbers + at, c->counts, c->n * sizeof(*numbers));
		at += c->n;
		if (c->has_bytes)
			memcpy(numbers + at, c->bytes, c->n * sizeof(*numbers));
		at += c->has_bytes ? c->n : 0;
		if (c->n < STORE_BINS_LEAST || c->shift + STORE_LEVEL_STEP > 60 ||
			n == STORE_LEVELS_MOST)
			break;
		join_bins(c, STORE_LEVEL_STEP);
	}
	store_put_section(w, STORE_COUNT_LEVELS, host, number, levels, n, sizeof(*levels));
	store_put_numbers(w, STORE_COUNTS, host, number, STORE_PLAIN, get_number, numbers, at);
	free(numbers);
	return true;
}

void store_counts_put(
	struct store_counts *c, struct store_writer *w, uint32_t host, uint32_t number)
{
	while (c->n > c->n_facts / FACTS_PER_BIN + 1 && c->n > 1 && c->shift < 60)
		join_bins(c, 1);
	if (c->failed || (c->n && !put_all(c, w, host, number)))
		store_writer_fail(w);
}

void store_counts_fini(struct store_counts *c)
{
	free(c->counts);
	free(c->bytes);
	*c = (struct store_counts){ 0 };
}

const struct fact_field *store_counts_field(const struct fact_kind *kind)
{
	return fact_field_find(kind, kind->bytes ? kind->bytes : "bytes");
}

/* ---- reading ---- */

struct reader {
	const struct store_window *w;
	const struct fact_field *field; /* of bytes */
	size_t size;			/* of a fact */
	uint64_t *counts, *bytes;
	/* of a level: the number that comes next, and where it belongs */
	uint64_t *to;
	int64_t bin;
	unsigned shift;
};

/* The last moment of the window. */
static int64_t last_of(const struct store_window *w)
{
	__int128 end = (__int128)w->begin + ((__int128)w->n_bins << w->shift);
	return end > INT64_MAX ? INT64_MAX : (int64_t)end - 1;
}

/* The bin of the window; n_bins: none. */
static uint64_t place_of(const struct store_window *w, int64_t time)
{
	uint64_t bin =
		time >= w->begin ? ((uint64_t)time - (uint64_t)w->begin) >> w->shift : w->n_bins;
	return bin < w->n_bins ? bin : w->n_bins;
}

static int take_facts(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct reader *r = ctx;
	const char *at = facts;
	(void)h;
	(void)err;
	for (size_t i = 0; i < n; i++, at += r->size) {
		uint64_t bin = place_of(r->w, ((const struct fact *)at)->begin);
		if (bin == r->w->n_bins)
			continue;
		r->counts[bin]++;
		r->bytes[bin] += store_counts_bytes(r->field, at);
	}
	return 0;
}

static void take_numbers(void *ctx, size_t first, const uint64_t *v, size_t count)
{
	struct reader *r = ctx;
	(void)first;
	for (size_t i = 0; i < count; i++) {
		uint64_t bin = place_of(r->w, (int64_t)((uint64_t)r->bin++ << r->shift));
		if (bin < r->w->n_bins)
			r->to[bin] += v[i];
	}
}

static bool read_level(struct reader *r, const struct store_file *f, uint32_t host, uint32_t number,
	const struct count_level *l, size_t n_numbers)
{
	int64_t from = r->w->begin >> l->shift, to = (last_of(r->w) >> l->shift) + 1;
	from = from > l->first ? from : l->first;
	to = to < l->first + (int64_t)l->n ? to : l->first + (int64_t)l->n;
	bool ok = true;
	for (unsigned k = 0; ok && from < to && k < 1 + l->has_bytes; k++) {
		r->to = k ? r->bytes : r->counts;
		r->bin = from;
		r->shift = l->shift;
		ok = store_get_some_numbers(f, STORE_COUNTS, host, number, take_numbers, r,
			n_numbers, (size_t)(l->at + k * l->n + (uint64_t)(from - l->first)),
			(size_t)(to - from));
	}
	return ok;
}

/* Finds the level with the widest bins that are not wider than requested. False: the levels are
 * inconsistent. */
static bool find_level(const struct store_window *w, const struct count_level *levels, uint64_t n,
	const struct count_level **found, size_t *n_numbers)
{
	const uint64_t most = (uint64_t)1 << 40;
	*found = NULL;
	*n_numbers = 0;
	for (uint64_t i = 0; i < n; i++) {
		const struct count_level *l = &levels[i];
		if (l->shift > 62 || l->has_bytes > 1 || l->n == 0 || l->n > most ||
			l->at != *n_numbers || l->first < INT64_MIN >> l->shift ||
			l->first > INT64_MAX >> l->shift ||
			(uint64_t)(INT64_MAX >> l->shift) - (uint64_t)l->first < l->n - 1)
			return false;
		*n_numbers += l->n * (1 + l->has_bytes);
		if (l->shift <= w->shift)
			*found = l;
	}
	return true;
}

int store_counts_read(const struct store_file *f, uint32_t host, uint32_t number,
	const struct fact_kind *kind, const struct kernel_host *h, const struct store_window *w,
	uint64_t *counts, uint64_t *bytes, struct mer_err *err)
{
	uint64_t n = 0;
	size_t n_numbers;
	const struct count_level *level,
		*levels = store_find(f, STORE_COUNT_LEVELS, host, number, sizeof(*levels), &n);
	struct reader r = {
		.w = w, .field = store_counts_field(kind), .size = kind->size, counts, bytes
	};
	memset(counts, 0, w->n_bins * sizeof(*counts));
	memset(bytes, 0, w->n_bins * sizeof(*bytes));
	if (!levels)
		return 0; /* it has no facts */
	bool ok = find_level(w, levels, n, &level, &n_numbers);
	if (ok && level)
		ok = read_level(&r, f, host, number, level, n_numbers);
	if (!ok)
		return mer_fail(err, MER_ERR_INPUT, "damaged counts in the store");
	const struct fact_range range = { w->begin, last_of(w), NULL };
	uint64_t needs = r.field ? (uint64_t)1 << (r.field - kind->fields) : 0;
	return level ? 0
		     : store_facts_read(
			       f, host, number, kind, h, needs, &range, take_facts, &r, err);
}
