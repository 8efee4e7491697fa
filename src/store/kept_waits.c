#include "store/kept_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lower_bound.h"
#include "base/pool.h"
#include "store/check.h"
#include "store/pack.h"
#include "store/types.h"

enum { CHUNK_WAITS = 4096, MAX_CHUNKS = 256, SAMPLE = 16, MAX_PIECES = 1 << 24 };

struct chunk {
	struct store_block block; /* of its waits */
	int64_t until;	/* its waits end before this, and not before that of the previous chunk */
	uint32_t n_own; /* waits that end in it; by task, then time */
	uint32_t n_guests; /* waits that begin in it or before, and end later; after the others */
};

/* ---- a wait ----
 *
 * Varints; where values are similar, differences from the previous wait in the chunk. `whole` is
 * stored as the number of the task's waits from this piece to the last piece of the same wait. */

enum { MOST_NUMBERS = 13, LEAST_NUMBERS = 7 };
enum bits { /* positions; rare ones come last, because varints are then shorter */
	KIND = 0,
	CAUSE = 2,
	IS_FOR_WORK = 6,
	IS_FELT = 7,
	IS_BY_TASK = 8, /* by_task is known; by_host is the wait's own unless IS_BY_OTHER */
	STARTED = 9,
	IS_BY_OTHER = 11,
	IS_INPUT = 12,
	IS_OPEN = 13,
	HAS_DISK = 14,
	IS_PIECE = 15,
	HAS_ASKER = 16,
	N_BITS = 17
};

static uint64_t bits_of(const struct blocked_wait *w, uint32_t host)
{
	bool is_other = w->by_host != KERNEL_NONE && w->by_host != host;
	return (uint64_t)w->kind << KIND | (uint64_t)w->cause << CAUSE |
	       (uint64_t)w->is_for_work << IS_FOR_WORK | (uint64_t)w->is_felt << IS_FELT |
	       (uint64_t)(w->by_host != KERNEL_NONE) << IS_BY_TASK |
	       (uint64_t)w->started << STARTED | (uint64_t)is_other << IS_BY_OTHER |
	       (uint64_t)w->is_input << IS_INPUT | (uint64_t)w->open << IS_OPEN |
	       (uint64_t)(w->disk != KERNEL_NONE) << HAS_DISK |
	       (uint64_t)(w->whole != 0) << IS_PIECE |
	       (uint64_t)(w->asker != KERNEL_NONE) << HAS_ASKER;
}

static uint64_t difference(int64_t a, int64_t b)
{
	return store_zigzag((int64_t)((uint64_t)a - (uint64_t)b));
}

static uint8_t *put_wait(
	uint8_t *to, const struct blocked_wait *w, const struct blocked_wait *before, uint32_t host)
{
	uint64_t bits = bits_of(w, host);
	to += store_set_varint(to, bits);
	to += store_set_varint(to, difference(w->task, before->task));
	to += store_set_varint(to, difference(w->begin, before->end));
	to += store_set_varint(to, (uint64_t)w->end - (uint64_t)w->begin);
	to += store_set_varint(to, difference(w->run, w->end));
	to += store_set_varint(to, difference(w->end, w->asked));
	to += store_set_varint(to, (uint32_t)(w->call + 1));
	if (bits >> IS_BY_OTHER & 1)
		to += store_set_varint(to, w->by_host);
	if (bits >> IS_BY_TASK & 1)
		to += store_set_varint(to, (uint32_t)(w->by_task + 1));
	if (bits >> HAS_DISK & 1)
		to += store_set_varint(to, w->disk);
	if (bits >> IS_PIECE & 1)
		to += store_set_varint(to, w->whole);
	if (bits >> HAS_ASKER & 1)
		to += store_set_varint(to, w->asker);
	return to;
}

struct wait_reader {
	struct store_in in;
	const struct kernel_world *world;
	uint32_t host, n_processes; /* processes: of all hosts */
	bool bad;		    /* the data is missing, or has invalid indexes */
};

static uint64_t number_from(struct wait_reader *r)
{
	uint64_t v = 0;
	r->bad |= !store_get_varint(&r->in, &v);
	return v;
}

static uint32_t below(struct wait_reader *r, uint64_t v, uint64_t n)
{
	r->bad |= v >= n;
	return v < n ? (uint32_t)v : 0;
}

static uint32_t below_or_none(struct wait_reader *r, uint64_t v_plus_1, uint64_t n)
{
	return v_plus_1 ? below(r, v_plus_1 - 1, n) : KERNEL_NONE;
}

static int64_t further(struct wait_reader *r, int64_t from)
{
	return (int64_t)((uint64_t)from + (uint64_t)store_unzigzag(number_from(r)));
}

static void get_wait(
	struct wait_reader *r, struct blocked_wait *w, const struct blocked_wait *before)
{
	const struct kernel_world *world = r->world;
	const struct kernel_host *h = &world->hosts[r->host];
	uint64_t bits = number_from(r);
	w->kind = (uint8_t)below(r, bits >> KIND & 3, BLOCKED_N_KINDS);
	w->cause = (uint8_t)below(r, bits >> CAUSE & 15, KERNEL_N_CAUSES);
	w->started = (uint8_t)below(r, bits >> STARTED & 3, BLOCKED_CHILD + 1);
	w->is_for_work = bits >> IS_FOR_WORK & 1;
	w->is_felt = bits >> IS_FELT & 1;
	w->is_input = bits >> IS_INPUT & 1;
	w->open = bits >> IS_OPEN & 1;
	r->bad |= bits >> N_BITS != 0;
	w->task = below(r, (uint64_t)further(r, before->task), h->n_tasks);
	w->begin = further(r, before->end);
	w->end = (int64_t)((uint64_t)w->begin + number_from(r));
	w->run = further(r, w->end);
	w->asked = (int64_t)((uint64_t)w->end - (uint64_t)store_unzigzag(number_from(r)));
	w->call = below_or_none(r, number_from(r), h->n_calls);
	w->by_host = w->by_task = KERNEL_NONE;
	if (bits >> IS_BY_TASK & 1)
		w->by_host = r->host;
	if (bits >> IS_BY_OTHER & 1)
		w->by_host = below(r, number_from(r), world->n_hosts);
	if (bits >> IS_BY_TASK & 1)
		w->by_task = below_or_none(r, number_from(r), world->hosts[w->by_host].n_tasks);
	w->disk = bits >> HAS_DISK & 1 ? below(r, number_from(r), h->names.n) : KERNEL_NONE;
	w->whole = bits >> IS_PIECE & 1 ? below(r, number_from(r), MAX_PIECES) : 0;
	w->asker = bits >> HAS_ASKER & 1 ? below(r, number_from(r), r->n_processes) : KERNEL_NONE;
}

/* The chunk that contains this time. */
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

/* Chooses chunks so that about the same number of waits ends in each. */
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
		c->chunks[k].until =
			k + 1 == c->n_chunks ? INT64_MAX : ends[(k + 1) * n / c->n_chunks];
	free(ends);
	return true;
}

static uint32_t chunk_from(const struct chunk *chunks, uint32_t at, int64_t time)
{
	while (time != INT64_MAX && chunks[at].until <= time)
		at++;
	return at;
}

/* Counts the waits of each chunk; fill: puts their numbers into c->order. The waits of a task are
 * adjacent, so the search goes on from the previous one's chunk. */
static void go_through(struct cutter *c, size_t *own, size_t *guests, bool fill)
{
	const struct blocked_host *h = c->h;
	uint32_t to = 0, last = c->n_chunks - 1;
	for (size_t i = 0; i < h->n; i++) {
		const struct blocked_wait *w = &h->waits[i];
		if (i && (w->task != w[-1].task || w->begin < w[-1].end))
			to = 0;
		uint32_t from = chunk_from(c->chunks, to, w->begin);
		to = w->end == INT64_MAX ? last : chunk_from(c->chunks, from, w->end);
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

/* Splits the waits into chunks with their guests; fewer chunks if long waits would fill them. */
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

/* Sets `whole` to the number of the task's waits from this piece to the last piece of the same
 * wait. False: not known. */
static bool find_end(
	const struct blocked_host *h, const struct blocked_wait *of, struct blocked_wait *w)
{
	size_t i = (size_t)(of - h->waits), end = h->first[w->task + 1];
	if (w->whole == w->span) {
		w->whole = 0;
		return true;
	}
	MER_LOWER_BOUND(last, i, end, at, h->waits[at].span < w->whole);
	if (last == end || h->waits[last].span != w->whole || last - i >= MAX_PIECES)
		return false;
	w->whole = (uint32_t)(last - i);
	return true;
}

struct chunk_writer {
	struct store_writer *w;
	const struct cutter *cutter;
};

static int put_chunk(void *ctx, size_t k, unsigned worker, struct mer_err *err)
{
	const struct chunk_writer *x = ctx;
	const struct cutter *c = x->cutter;
	size_t n = c->first[k + 1] - c->first[k];
	uint8_t *bytes = malloc(n * MOST_NUMBERS * STORE_VARINT_BYTES + 1), *at = bytes;
	struct blocked_wait wait, before = { 0 };
	int rc = bytes ? 0 : mer_fail_nomem(err);
	(void)worker;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct blocked_wait *of = &c->h->waits[c->order[c->first[k] + i]];
		wait = *of;
		wait.disk = blocked_disk(c->b, c->host, of);
		wait.started = (uint8_t)blocked_started_of(c->b, c->host, of);
		if (!find_end(c->h, of, &wait))
			rc = mer_fail(err, MER_ERR_BUG, "pieces of a wait that has no end");
		at = put_wait(at, &wait, &before, c->host);
		before = wait;
	}
	if (rc == 0)
		store_put_block(x->w, bytes, (size_t)(at - bytes), &c->chunks[k].block);
	free(bytes);
	return rc;
}

static bool put_host(
	struct store_writer *w, const struct blocked *b, uint32_t host, unsigned n_threads)
{
	const struct blocked_host *h = &b->hosts[host];
	struct chunk chunks[MAX_CHUNKS] = { 0 };
	size_t first[MAX_CHUNKS + 1], n = h->n / CHUNK_WAITS + 1;
	struct mer_err err;
	struct cutter c = { .b = b,
		.h = h,
		.host = host,
		.n_chunks = n < MAX_CHUNKS ? (uint32_t)n : MAX_CHUNKS,
		.chunks = chunks,
		.first = first };
	struct chunk_writer x = { w, &c };
	bool ok = h->n < BLOCKED_FIRST_KEPT && cut(&c) &&
		  mer_pool_run(n_threads, c.n_chunks, put_chunk, &x, NULL, &err) == 0;
	if (ok)
		store_put_section(
			w, STORE_WAIT_CHUNKS, host, 0, chunks, c.n_chunks, sizeof(*chunks));
	free(c.order);
	return ok;
}

bool store_kept_waits_save(const char *path, const struct store_key *key, const struct blocked *b,
	unsigned n_threads, uint64_t max_bytes)
{
	struct store_writer w;
	struct mer_err err;
	uint8_t bytes[STORE_KEY_BYTES];
	memcpy(bytes, key->hash, sizeof(bytes));
	bool ok = store_writer_begin(&w, path, bytes, &err) == 0;
	for (uint32_t i = 0; ok && i < b->world->n_hosts; i++)
		ok = put_host(&w, b, i, n_threads) && w.at + w.buffer.len <= max_bytes;
	return store_writer_end(&w, ok, &err) == 0 && ok;
}

/* ---- reading ---- */

struct store_kept_waits {
	struct store_file file;
};

struct store_kept_waits *store_kept_waits_open(const char *path, const struct store_key *key)
{
	struct store_kept_waits *k = calloc(1, sizeof(*k));
	if (k && store_open_whole(&k->file, path, key))
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
	memset(waits + l->n, 0, n * sizeof(*waits));
	const uint8_t *bytes = store_block_bytes(l->file, &c->block);
	struct wait_reader r = { .in = { bytes, bytes ? bytes + c->block.bytes : NULL },
		.world = l->b->world,
		.host = l->host,
		.n_processes = l->n_processes,
		.bad = !bytes };
	struct blocked_wait before = { 0 };
	for (size_t i = 0; i < n && !r.bad; i++) {
		get_wait(&r, &waits[l->n + i], &before);
		before = waits[l->n + i];
	}
	if (r.bad || r.in.at != r.in.end)
		return false;
	l->n += guests ? n : c->n_own;
	return true;
}

/* Are the chunks consistent, with no more waits than their bytes can hold? */
static bool are_chunks(const struct chunk *chunks, uint64_t n)
{
	if (n == 0 || n > MAX_CHUNKS || chunks[n - 1].until != INT64_MAX)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if ((k && chunks[k].until < chunks[k - 1].until) ||
			(uint64_t)chunks[k].n_own + chunks[k].n_guests >
				chunks[k].block.bytes / LEAST_NUMBERS)
			return false;
	return true;
}

/* Numbers the loaded waits (`span`) and refers to the last piece of each (`whole`). Last pieces
 * that were not loaded get numbers after all others. */
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

/* Sorts by task; the waits of each task are in order already. */
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
	bool ok = l->chunks && are_chunks(l->chunks, n);
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
