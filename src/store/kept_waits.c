#include "store/kept_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "store/check.h"
#include "store/pack.h"
#include "store/types.h"
#include "store/wait_columns.h"

enum { CHUNK_WAITS = STORE_PACK_MAX, MAX_CHUNKS = 256, SAMPLE = 16 };

struct chunk {
	int64_t until;	   /* its waits end before this, and not before the chunk's before it */
	uint32_t n_own;	   /* each by task, then time */
	uint32_t n_guests; /* of a task at most one; behind the others */
};

static uint32_t number_of(uint32_t chunk, unsigned column)
{
	return chunk * STORE_WAIT_COLUMNS + column;
}

/* The chunk in which this time lies. */
static uint32_t chunk_at(const struct chunk *chunks, uint32_t n, int64_t time)
{
	MER_LOWER_BOUND(found, 0, n - 1, at, chunks[at].until <= time);
	return (uint32_t)found;
}

/* ---- writing ---- */

struct cutter {
	const struct blocked *b;
	const struct blocked_host *h;
	uint32_t host, n_chunks;
	struct chunk *chunks;
	size_t *first;	 /* of each chunk in order: own, then guests; and the end */
	uint32_t *order; /* numbers of waits */
};

static int by_time(const void *a, const void *b)
{
	int64_t s = *(const int64_t *)a, t = *(const int64_t *)b;
	return (s > t) - (s < t);
}

/* Chunks with about the same number of ends. */
static bool choose_chunks(struct cutter *c)
{
	size_t n = c->h->n / SAMPLE;
	int64_t *ends = malloc((n + 1) * sizeof(*ends));
	if (!ends)
		return false;
	for (size_t i = 0; i < n; i++)
		ends[i] = c->h->waits[i * SAMPLE].end;
	qsort(ends, n, sizeof(*ends), by_time);
	for (uint32_t k = 0; k < c->n_chunks; k++)
		c->chunks[k] = (struct chunk){
			k + 1 == c->n_chunks ? INT64_MAX : ends[(k + 1) * n / c->n_chunks], 0, 0
		};
	free(ends);
	return true;
}

/* fill: into order, else they are counted. */
static void go_through(struct cutter *c, size_t *own, size_t *guests, bool fill)
{
	const struct blocked_host *h = c->h;
	for (size_t i = 0; i < h->n; i++) {
		uint32_t to = chunk_at(c->chunks, c->n_chunks, h->waits[i].end);
		uint32_t from = chunk_at(c->chunks, c->n_chunks, h->waits[i].begin);
		if (fill)
			c->order[own[to]] = (uint32_t)i;
		own[to]++;
		for (uint32_t k = from; k < to; k++) {
			if (fill)
				c->order[guests[k]] = (uint32_t)i;
			guests[k]++;
		}
	}
}

/* Each with all that it needs; fewer chunks where long waits would fill them. */
static bool cut(struct cutter *c)
{
	enum { GUESTS = 65536 };
	size_t own[MAX_CHUNKS + 1], guests[MAX_CHUNKS + 1], n_guests;
	for (;; c->n_chunks /= 2) {
		if (!choose_chunks(c))
			return false;
		memset(own, 0, sizeof(own));
		memset(guests, 0, sizeof(guests));
		go_through(c, own, guests, false);
		n_guests = 0;
		for (uint32_t k = 0; k < c->n_chunks; k++)
			n_guests += guests[k];
		if (c->n_chunks == 1 || n_guests <= c->h->n / 2 + GUESTS)
			break;
	}
	c->order = malloc((c->h->n + n_guests + 1) * sizeof(*c->order));
	if (!c->order)
		return false;
	size_t at = 0;
	for (uint32_t k = 0; k < c->n_chunks; k++) {
		c->chunks[k].n_own = (uint32_t)own[k];
		c->chunks[k].n_guests = (uint32_t)guests[k];
		c->first[k] = at;
		own[k] = at;
		at += c->chunks[k].n_own;
		guests[k] = at;
		at += c->chunks[k].n_guests;
	}
	c->first[c->n_chunks] = at;
	go_through(c, own, guests, true);
	return true;
}

/* How many waits of its task later the wait ends of which this is a piece, into whole. False: that cannot be said. */
static bool find_end(
	const struct blocked_host *h, const struct blocked_wait *of, struct blocked_wait *w)
{
	size_t i = (size_t)(of - h->waits), end = h->first[w->task + 1];
	MER_LOWER_BOUND(last, i, end, at, h->waits[at].span < w->whole);
	if (last == end || h->waits[last].span != w->whole || last - i >= STORE_WAIT_PIECES)
		return false;
	w->whole = (uint32_t)(last - i);
	return true;
}

static bool put_chunk(struct store_writer *w, const struct cutter *c, uint32_t k)
{
	size_t n = c->first[k + 1] - c->first[k];
	struct blocked_wait *waits = malloc((n + 1) * sizeof(*waits));
	bool ok = waits != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		const struct blocked_wait *of = &c->h->waits[c->order[c->first[k] + i]];
		waits[i] = *of;
		waits[i].disk = blocked_disk(c->b, c->host, of);
		waits[i].started = (uint8_t)blocked_started_of(c->b, c->host, of);
		ok = find_end(c->h, of, &waits[i]);
	}
	const struct store_waits_array a = {
		.world = c->b->world, .waits = waits, .n = n, .host = c->host, .is_kept = true
	};
	for (unsigned i = 0; ok && i < STORE_WAIT_COLUMNS; i++)
		store_put_wait_column(
			w, &a, (enum store_wait_column)i, STORE_KEPT_WAITS, number_of(k, i));
	free(waits);
	return ok;
}

static bool put_host(struct store_writer *w, const struct blocked *b, uint32_t host)
{
	const struct blocked_host *h = &b->hosts[host];
	struct chunk chunks[MAX_CHUNKS];
	size_t first[MAX_CHUNKS + 1], n = h->n / CHUNK_WAITS + 1;
	struct cutter c = { .b = b,
		.h = h,
		.host = host,
		.n_chunks = n < MAX_CHUNKS ? (uint32_t)n : MAX_CHUNKS,
		.chunks = chunks,
		.first = first };
	bool ok = h->n < BLOCKED_FIRST_KEPT && cut(&c);
	for (uint32_t k = 0; ok && k < c.n_chunks; k++)
		ok = put_chunk(w, &c, k);
	if (ok)
		store_put_section(
			w, STORE_WAIT_CHUNKS, host, 0, chunks, c.n_chunks, sizeof(*chunks));
	free(c.order);
	return ok;
}

bool store_kept_waits_save(
	const char *path, const struct store_key *key, const struct blocked *b, uint64_t max_bytes)
{
	struct store_writer w;
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	memcpy(bytes, key->hash, sizeof(bytes));
	bool ok = store_writer_begin(&w, path, bytes, &err) == 0;
	for (uint32_t i = 0; ok && i < b->world->n_hosts; i++)
		ok = put_host(&w, b, i) && w.at + w.buffer.len <= max_bytes;
	return store_writer_end(&w, ok, &err) == 0 && ok;
}

/* ---- reading ---- */

struct store_kept_waits {
	struct store_file file;
};

struct store_kept_waits *store_kept_waits_open(const char *path, const struct store_key *key)
{
	struct store_kept_waits *k = calloc(1, sizeof(*k));
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	memcpy(bytes, key->hash, sizeof(bytes));
	if (k && store_check(path, &err) == 0 && store_file_peek(&k->file, path, bytes, &err) == 0)
		return k;
	free(k);
	return NULL;
}

void store_kept_waits_close(struct store_kept_waits *k)
{
	if (k)
		store_file_close(&k->file);
	free(k);
}

struct loader {
	const struct store_file *file;
	struct blocked *b;
	uint32_t host, n_processes;
	const struct chunk *chunks;
	struct blocked_wait *waits; /* as they lie in the chunks; malloc'ed */
	size_t n;
	int64_t begin, end;
};

static bool load_chunk(struct loader *l, uint32_t k, bool guests)
{
	const struct chunk *c = &l->chunks[k];
	size_t n = (size_t)c->n_own + c->n_guests;
	struct blocked_wait *waits = reallocarray(l->waits, l->n + n + 1, sizeof(*waits));
	if (!waits)
		return false;
	l->waits = waits;
	memset(waits + l->n, 0, (n + 1) * sizeof(*waits));
	struct store_waits_array a = { .world = l->b->world,
		.waits = waits + l->n,
		.n = n,
		.host = l->host,
		.n_processes = l->n_processes,
		.is_kept = true };
	for (unsigned i = 0; i < STORE_WAIT_COLUMNS; i++)
		if (!store_get_wait_column(l->file, &a, (enum store_wait_column)i, STORE_KEPT_WAITS,
			    number_of(k, i)))
			return false;
	l->n += guests ? n : c->n_own;
	return true;
}

/* Chunks are large only if their columns are there. */
static bool are_chunks(
	const struct store_file *f, uint32_t host, const struct chunk *chunks, uint64_t n)
{
	if (n == 0 || n > MAX_CHUNKS || chunks[n - 1].until != INT64_MAX)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		uint64_t n_blocks = 0, waits = (uint64_t)chunks[k].n_own + chunks[k].n_guests;
		if ((k && chunks[k].until < chunks[k - 1].until) ||
			!store_find(f, STORE_KEPT_WAITS, host, number_of(k, 0),
				sizeof(struct store_block), &n_blocks) ||
			n_blocks != (waits + STORE_PACK_MAX - 1) / STORE_PACK_MAX)
			return false;
	}
	return true;
}

/* Waits that end later than what is there have numbers behind the others, too. */
static bool number(struct blocked_host *h, uint32_t n_tasks)
{
	uint64_t behind = BLOCKED_FIRST_KEPT + (uint64_t)h->n;
	for (uint32_t t = 0; t < n_tasks; t++) {
		size_t end = h->first[t + 1];
		uint64_t most = 0;
		for (size_t i = h->first[t]; i < end; i++) {
			struct blocked_wait *w = &h->waits[i];
			size_t last = i + w->whole;
			uint64_t more = last < end ? 0 : last - end + 1;
			if (i + 1 < end && w[1].begin < w->begin)
				return false;
			most = more > most ? more : most;
			w->span = BLOCKED_FIRST_KEPT + (uint32_t)i;
			w->whole = more ? (uint32_t)(behind + more - 1)
					: BLOCKED_FIRST_KEPT + (uint32_t)last;
		}
		behind += most;
		if (behind >= KERNEL_NONE)
			return false;
	}
	return true;
}

/* By task; of each they are in order already. */
static bool put_in_order(struct loader *l)
{
	struct blocked_host *h = &l->b->hosts[l->host];
	const struct kernel_world *w = l->b->world;
	uint32_t n_tasks = w->hosts[l->host].n_tasks;
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->waits[i].end >= l->begin && l->waits[i].begin <= l->end)
			l->waits[n++] = l->waits[i];
	h->waits = mer_spill_array(w->spill, n + 1, sizeof(*h->waits));
	if (!h->waits)
		return false;
	for (size_t i = 0; i < n; i++)
		h->first[l->waits[i].task + 1]++;
	for (uint32_t t = 0; t < n_tasks; t++)
		h->first[t + 1] += h->first[t];
	h->n = n;
	for (size_t i = 0; i < n; i++)
		h->waits[h->first[l->waits[i].task]++] = l->waits[i];
	memmove(h->first + 1, h->first, n_tasks * sizeof(*h->first));
	h->first[0] = 0;
	return number(h, n_tasks);
}

static int get_host(struct loader *l, struct mer_err *err)
{
	uint64_t n = 0;
	l->chunks = store_find(l->file, STORE_WAIT_CHUNKS, l->host, 0, sizeof(*l->chunks), &n);
	bool ok = l->chunks && are_chunks(l->file, l->host, l->chunks, n);
	if (ok) {
		uint32_t first = chunk_at(l->chunks, (uint32_t)n, l->begin);
		uint32_t last = chunk_at(l->chunks, (uint32_t)n, l->end);
		for (uint32_t k = first; ok && k <= last; k++)
			ok = load_chunk(l, k, k == last);
	}
	ok = ok && put_in_order(l);
	free(l->waits);
	l->waits = NULL;
	l->n = 0;
	return ok ? 0 : mer_fail(err, MER_ERR_INPUT, "what is kept of waits is damaged");
}

int store_kept_waits_get(const struct store_kept_waits *k, const struct kernel_world *w,
	int64_t begin, int64_t end, struct blocked *b, struct mer_err *err)
{
	struct loader l = { .file = &k->file, .b = b, .begin = begin, .end = end };
	int rc = blocked_begin(w, b, err);
	b->is_kept = true;
	for (uint32_t i = 0; i < w->n_hosts; i++)
		l.n_processes += w->hosts[i].n_tasks;
	for (; rc == 0 && l.host < w->n_hosts; l.host++)
		rc = get_host(&l, err);
	return rc;
}
