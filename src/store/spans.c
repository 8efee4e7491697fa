#include "store/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "store/pack.h"
#include "store/types.h"

enum {
	SLOTS = 2 * KERNEL_CHUNK /* of a hash table of the tasks in a block */
};

/* ---- a block ---- */

struct last_spans { /* of the tasks in a block */
	uint32_t tasks[SLOTS], spans[SLOTS];
};

static void last_spans_init(struct last_spans *l)
{
	memset(l->tasks, 0xff, sizeof(l->tasks)); /* KERNEL_NONE */
}

/* Where the task's last span so far is stored; KERNEL_NONE for a new task. */
static uint32_t *last_span(struct last_spans *l, uint32_t task)
{
	uint32_t slot = (task * 0x9E3779B1u) >> 22;
	while (l->tasks[slot] != task && l->tasks[slot] != KERNEL_NONE)
		slot = (slot + 1) % SLOTS;
	if (l->tasks[slot] == KERNEL_NONE) {
		l->tasks[slot] = task;
		l->spans[slot] = KERNEL_NONE;
	}
	return &l->spans[slot];
}

/* The previous span is usually the task's previous one in the block. So only that of each task's
 * first span is written; if there is an exception, those of all spans. */
static void put_befores(
	struct mer_str *out, const struct kernel_span *spans, uint32_t number, size_t n)
{
	struct last_spans last;
	uint64_t all[KERNEL_CHUNK] = { 0 }, firsts[KERNEL_CHUNK] = { 0 };
	size_t n_firsts = 0;
	bool exception = false;
	last_spans_init(&last);
	for (size_t i = 0; i < n; i++) {
		uint32_t own = number + (uint32_t)i, *l = last_span(&last, spans[i].task);
		all[i] = store_distance(own, spans[i].before);
		if (*l == KERNEL_NONE)
			firsts[n_firsts++] = all[i];
		else
			exception |= *l != spans[i].before;
		*l = own;
	}
	mer_str_putc(out, exception);
	if (exception)
		store_pack(out, STORE_PLAIN, all, n);
	else
		store_pack(out, STORE_PLAIN, firsts, n_firsts);
}

static bool get_befores(struct store_in *in, struct kernel_span *spans, uint32_t number, size_t n)
{
	struct last_spans last;
	uint64_t v[KERNEL_CHUNK];
	uint16_t firsts[KERNEL_CHUNK];
	size_t n_firsts = 0;
	if (in->at == in->end)
		return false;
	if (*in->at++) {
		bool ok = store_unpack(in, v, n);
		for (size_t i = 0; ok && i < n; i++)
			spans[i].before = store_at_distance(number + (uint32_t)i, v[i]);
		return ok;
	}
	last_spans_init(&last);
	for (size_t i = 0; i < n; i++) {
		uint32_t *l = last_span(&last, spans[i].task);
		spans[i].before = *l;
		if (*l == KERNEL_NONE)
			firsts[n_firsts++] = (uint16_t)i;
		*l = number + (uint32_t)i;
	}
	if (!store_unpack(in, v, n_firsts))
		return false;
	for (size_t i = 0; i < n_firsts; i++)
		spans[firsts[i]].before = store_at_distance(number + firsts[i], v[i]);
	return true;
}

static void put_block(
	struct mer_str *out, const struct kernel_span *spans, uint32_t number, size_t n)
{
	uint64_t v[KERNEL_CHUNK] = { 0 };
	STORE_PUT(STORE_DELTA, (uint64_t)spans[i].begin);
	STORE_PUT(STORE_DICT, spans[i].task);
	STORE_PUT(STORE_DICT, spans[i].state | (uint64_t)spans[i].cause << 8);
	STORE_PUT(STORE_PLAIN, (uint16_t)(spans[i].cpu + 1));
	put_befores(out, spans, number, n);
	STORE_PUT(STORE_DICT, (uint32_t)(spans[i].call + 1));
	STORE_PUT(STORE_PLAIN, store_distance(number + (uint32_t)i, spans[i].by));
	STORE_PUT(STORE_PLAIN, (uint32_t)(spans[i].source + 1));
}

static bool get_columns(struct store_in *in, struct kernel_span *spans, uint32_t number, size_t n)
{
	uint64_t v[KERNEL_CHUNK];
	bool ok = store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++)
		spans[i].begin = (int64_t)v[i];
	ok = ok && store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++)
		spans[i].task = (uint32_t)v[i];
	ok = ok && store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++) {
		spans[i].state = (uint8_t)v[i];
		spans[i].cause = (uint8_t)(v[i] >> 8);
	}
	ok = ok && store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++)
		spans[i].cpu = (uint16_t)(v[i] - 1);
	ok = ok && get_befores(in, spans, number, n);
	ok = ok && store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++)
		spans[i].call = (uint32_t)v[i] - 1;
	ok = ok && store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++)
		spans[i].by = store_at_distance(number + (uint32_t)i, v[i]);
	ok = ok && store_unpack(in, v, n);
	for (size_t i = 0; ok && i < n; i++)
		spans[i].source = (uint32_t)v[i] - 1;
	return ok && in->at == in->end;
}

static bool is_below(uint32_t number, uint32_t n)
{
	return number < n || number == KERNEL_NONE;
}

static bool source_fits(const struct store_spans *f, const struct kernel_span *s)
{
	if (s->cause == KERNEL_NETWORK)
		return is_below(s->source, f->n_bridges);
	if (s->cause == KERNEL_DISK)
		return is_below(s->source, f->n_requests);
	return s->cause != KERNEL_TIMER || s->state != KERNEL_BLOCKED ||
	       is_below(s->source, f->n_spans);
}

/* Do all indexes in the spans refer to something that exists? The previous span must have a lower
 * number, so that walking back ends. */
static bool all_fit(
	const struct store_spans *f, const struct kernel_span *spans, uint32_t number, size_t n)
{
	bool ok = true;
	for (size_t i = 0; i < n; i++) {
		const struct kernel_span *s = &spans[i];
		ok &= s->task < f->n_tasks && is_below(s->before, number + (uint32_t)i) &&
		      is_below(s->call, f->n_calls) && is_below(s->by, f->n_spans) &&
		      s->state < KERNEL_N_STATES && s->cause < KERNEL_N_CAUSES && source_fits(f, s);
	}
	return ok;
}

/* Makes spans without predecessor and without any reference. */
static void set_unknown(struct kernel_span *spans, size_t n, int64_t begin)
{
	for (size_t i = 0; i < n; i++)
		spans[i] = (struct kernel_span){ .begin = begin,
			.before = KERNEL_NONE,
			.call = KERNEL_NONE,
			.by = KERNEL_NONE,
			.source = KERNEL_NONE,
			.cpu = KERNEL_NO_CPU };
}

static size_t spans_of_block(uint32_t n_spans, uint32_t block)
{
	uint32_t first = block << KERNEL_CHUNK_BITS;
	return n_spans - first < KERNEL_CHUNK ? n_spans - first : KERNEL_CHUNK;
}

bool store_spans_read(struct store_spans *s, uint32_t block, struct kernel_span *spans)
{
	const struct store_span_block *b = &s->blocks[block];
	const uint8_t *bytes = store_block_bytes(s->file, &b->block);
	uint32_t number = block << KERNEL_CHUNK_BITS;
	size_t n = spans_of_block(s->n_spans, block);
	struct store_in in = { bytes, bytes ? bytes + b->block.bytes : NULL };
	if (bytes && get_columns(&in, spans, number, n) && all_fit(s, spans, number, n))
		return true;
	set_unknown(spans, n, b->first);
	s->is_damaged = true;
	return false;
}

bool store_spans_read_brief(struct store_spans *s, uint32_t block, struct store_brief *b)
{
	const struct store_block *at = &s->blocks[block].block;
	const uint8_t *bytes = store_block_bytes(s->file, at);
	struct store_in in = { bytes, bytes ? bytes + at->bytes : NULL };
	uint64_t bad = 0;
	b->n = spans_of_block(s->n_spans, block);
	bool ok = bytes && store_unpack(&in, b->begin, b->n) && store_unpack(&in, b->task, b->n) &&
		  store_unpack(&in, b->state, b->n) && store_unpack(&in, b->cpu, b->n);
	for (size_t i = 0; ok && i < b->n; i++) {
		b->cause[i] = (uint8_t)(b->state[i] >> 8);
		b->state[i] &= 0xff;
		b->cpu[i] = (uint16_t)(b->cpu[i] - 1);
		bad |= b->task[i] >= s->n_tasks || b->state[i] >= KERNEL_N_STATES ||
		       b->cause[i] >= KERNEL_N_CAUSES;
	}
	if (ok && !bad)
		return true;
	b->n = 0;
	s->is_damaged = true;
	return false;
}

/* ---- saving ---- */

struct saved { /* a stretch of blocks */
	struct mer_str bytes;
	struct store_span_block blocks[STORE_STRETCH];
	size_t n_blocks;
	uint32_t *tasks; /* that have spans in it */
	uint32_t n_tasks, cap_tasks;
	uint32_t *last; /* by task: its last span in it; KERNEL_NONE: it has none */
};

struct place { /* the last span of a task in a stretch */
	int64_t begin;
	uint32_t span, task;
};

struct saver {
	struct store_writer *w;
	const struct kernel_host *h;
	struct saved *slots;
	size_t n_slots;
	struct store_span_block *blocks;
	uint32_t n_blocks;
	struct place *places; /* stretch by stretch */
	size_t n_places, cap_places;
};

static void find_edges(const struct kernel_span *spans, size_t n, struct store_span_block *b)
{
	b->first = b->last = spans[0].begin;
	for (size_t i = 1; i < n; i++) {
		b->first = spans[i].begin < b->first ? spans[i].begin : b->first;
		b->last = spans[i].begin > b->last ? spans[i].begin : b->last;
	}
}

static bool note_tasks(struct saved *s, const struct kernel_span *spans, uint32_t number, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *last = &s->last[spans[i].task];
		if (*last == KERNEL_NONE) {
			if (!mer_grow32(&s->tasks, s->n_tasks, &s->cap_tasks, sizeof(*s->tasks)))
				return false;
			s->tasks[s->n_tasks++] = spans[i].task;
		}
		*last = number + (uint32_t)i;
	}
	return true;
}

static int encode(void *ctx, size_t item, size_t slot, unsigned worker, struct mer_err *err)
{
	struct saver *x = ctx;
	struct saved *s = &x->slots[slot];
	uint32_t first = (uint32_t)item * STORE_STRETCH;
	bool ok = true;
	(void)worker;
	mer_str_clear(&s->bytes);
	s->n_blocks = s->n_tasks = 0;
	for (uint32_t i = first; ok && i < x->n_blocks && i < first + STORE_STRETCH; i++) {
		const struct kernel_span *spans = kernel_span(x->h, i << KERNEL_CHUNK_BITS);
		size_t n = spans_of_block(x->h->n_spans, i), at = s->bytes.len;
		struct store_span_block *b = &s->blocks[s->n_blocks++];
		put_block(&s->bytes, spans, i << KERNEL_CHUNK_BITS, n);
		b->block.bytes = (uint32_t)(s->bytes.len - at);
		find_edges(spans, n, b);
		ok = note_tasks(s, spans, i << KERNEL_CHUNK_BITS, n);
	}
	return ok && !s->bytes.failed ? 0 : mer_fail_nomem(err);
}

static int write_stretch(void *ctx, size_t item, size_t slot, struct mer_err *err)
{
	struct saver *x = ctx;
	struct saved *s = &x->slots[slot];
	const char *bytes = s->bytes.data;
	for (size_t i = 0; i < s->n_blocks; i++) {
		uint32_t n = s->blocks[i].block.bytes;
		store_put_block(x->w, bytes, n, &s->blocks[i].block);
		x->blocks[item * STORE_STRETCH + i] = s->blocks[i];
		bytes += n;
	}
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		uint32_t task = s->tasks[i], span = s->last[task];
		if (!mer_grow(&x->places, x->n_places, &x->cap_places, sizeof(*x->places)))
			return mer_fail_nomem(err);
		x->places[x->n_places++] =
			(struct place){ kernel_span(x->h, span)->begin, span, task };
		s->last[task] = KERNEL_NONE;
	}
	return x->w->rc ? mer_fail(err, x->w->rc, "%s", x->w->err.text) : 0;
}

/* Blocks are only nearly in order; to allow a binary search, the edges of each are widened to hold
 * for all blocks on that side. */
static void widen_edges(struct store_span_block *b, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		b[i].last = b[i].last > b[i - 1].last ? b[i].last : b[i - 1].last;
	for (uint32_t i = n; i-- > 1;)
		b[i - 1].first = b[i - 1].first < b[i].first ? b[i - 1].first : b[i].first;
}

static int put_places(const struct saver *x, uint32_t host, struct mer_err *err)
{
	uint32_t n_tasks = x->h->n_tasks;
	uint64_t *first = calloc((size_t)n_tasks + 2, sizeof(*first));
	int64_t *begins = calloc(x->n_places + 1, sizeof(*begins));
	uint32_t *spans = calloc(x->n_places + 1, sizeof(*spans));
	int rc = first && begins && spans ? 0 : mer_fail_nomem(err);
	if (rc == 0) {
		uint64_t *next = first + 1; /* shifted by one: correct in `first` after filling */
		for (size_t i = 0; i < x->n_places; i++)
			next[x->places[i].task + 1]++;
		for (uint32_t t = 0; t < n_tasks; t++)
			next[t + 1] += next[t];
		for (size_t i = 0; i < x->n_places; i++) {
			uint64_t to = next[x->places[i].task]++;
			begins[to] = x->places[i].begin;
			spans[to] = x->places[i].span;
		}
		store_put_section(x->w, STORE_TASK_FIRSTS, host, 0, first, (size_t)n_tasks + 1,
			sizeof(*first));
		store_put_section(
			x->w, STORE_TASK_PLACES, host, 0, begins, x->n_places, sizeof(*begins));
		store_put_section(
			x->w, STORE_TASK_PLACES, host, 1, spans, x->n_places, sizeof(*spans));
	}
	free(first);
	free(begins);
	free(spans);
	return rc;
}

static int prepare(struct saver *x, unsigned n_threads, struct mer_err *err)
{
	x->n_slots = (size_t)n_threads + 2;
	x->slots = calloc(x->n_slots, sizeof(*x->slots));
	x->blocks = calloc((size_t)x->n_blocks + 1, sizeof(*x->blocks));
	if (!x->slots || !x->blocks)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < x->n_slots; i++) {
		size_t bytes = ((size_t)x->h->n_tasks + 1) * sizeof(*x->slots->last);
		x->slots[i].last = malloc(bytes);
		if (!x->slots[i].last)
			return mer_fail_nomem(err);
		memset(x->slots[i].last, 0xff, bytes);
	}
	return 0;
}

int store_spans_save(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	unsigned n_threads, struct mer_cancel *cancel, struct mer_err *err)
{
	const struct kernel_host *h = &world->hosts[host];
	struct saver x = { .w = w, .h = h };
	x.n_blocks = (uint32_t)(((uint64_t)h->n_spans + KERNEL_CHUNK - 1) >> KERNEL_CHUNK_BITS);
	int rc = prepare(&x, n_threads, err);
	if (rc == 0)
		rc = mer_pool_ordered(n_threads,
			((size_t)x.n_blocks + STORE_STRETCH - 1) / STORE_STRETCH, x.n_slots, encode,
			write_stretch, &x, cancel, err);
	if (rc == 0) {
		widen_edges(x.blocks, x.n_blocks);
		store_put_section(
			w, STORE_SPAN_BLOCKS, host, 0, x.blocks, x.n_blocks, sizeof(*x.blocks));
		rc = put_places(&x, host, err);
	}
	for (size_t i = 0; x.slots && i < x.n_slots; i++) {
		mer_str_fini(&x.slots[i].bytes);
		free(x.slots[i].tasks);
		free(x.slots[i].last);
	}
	free(x.slots);
	free(x.blocks);
	free(x.places);
	return rc;
}

/* ---- reading ---- */

int store_spans_open(
	struct store_spans *s, const struct store_file *f, uint32_t host, struct mer_err *err)
{
	uint64_t n_blocks = 0, n_places = 0, n_begins = 0, n_firsts = 0;
	s->file = f;
	s->blocks = store_find(f, STORE_SPAN_BLOCKS, host, 0, sizeof(*s->blocks), &n_blocks);
	s->place_begins =
		store_find(f, STORE_TASK_PLACES, host, 0, sizeof(*s->place_begins), &n_begins);
	s->place_spans =
		store_find(f, STORE_TASK_PLACES, host, 1, sizeof(*s->place_spans), &n_places);
	s->first_place =
		store_find(f, STORE_TASK_FIRSTS, host, 0, sizeof(*s->first_place), &n_firsts);
	bool ok = s->blocks && s->place_begins && s->place_spans && s->first_place &&
		  n_begins == n_places &&
		  n_blocks == ((uint64_t)s->n_spans + KERNEL_CHUNK - 1) >> KERNEL_CHUNK_BITS &&
		  n_firsts == (uint64_t)s->n_tasks + 1;
	for (uint32_t t = 0; ok && t < s->n_tasks; t++)
		ok = s->first_place[t] <= s->first_place[t + 1];
	if (!ok || s->first_place[s->n_tasks] > n_places)
		return mer_fail(err, MER_ERR_INPUT, "spans that do not belong together");
	s->n_blocks = (uint32_t)n_blocks;
	return 0;
}

void store_spans_between(
	const struct store_spans *s, int64_t begin, int64_t end, uint32_t *from, uint32_t *to)
{
	/* The first block with a span that does not begin earlier, and the first block whose spans
	 * all begin later. */
	MER_LOWER_BOUND(first, 0, s->n_blocks, at, s->blocks[at].last < begin);
	MER_LOWER_BOUND(behind, first, s->n_blocks, at, s->blocks[at].first <= end);
	*from = (uint32_t)first;
	*to = (uint32_t)behind;
}

uint32_t store_spans_near(const struct store_spans *s, uint32_t task, int64_t time)
{
	if (task >= s->n_tasks)
		return KERNEL_NONE;
	uint64_t end = s->first_place[task + 1];
	/* The first that begins later. */
	MER_LOWER_BOUND(low, s->first_place[task], end, at, s->place_begins[at] <= time);
	return low < end && s->place_spans[low] < s->n_spans ? s->place_spans[low] : KERNEL_NONE;
}
