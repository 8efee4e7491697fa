/* Makes the pyramid: one pass over the spans gives the records of the lowest level, each level
 * gives the next one. */
#include "store/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "store/levels.h"
#include "store/pack.h"
#include "store/types.h"

enum { RECORD_BYTES = (STORE_KINDS + 2) * STORE_VARINT_BYTES + 1 }; /* at most */

struct lane { /* its open record, and its state after it */
	struct store_level_record r;
	/* Lowest level: time up to which the record is filled; others: bin of the level below. */
	int64_t since;
	uint8_t kind;
	bool is_open;
};

struct level {
	unsigned shift;
	struct lane *cpus, *tasks;
	size_t n_cpus, cap_cpus;
	struct mer_spill *spill; /* of the following */
	/* Closed records, in the order in which they were closed: the bytes of all; for each its
	 * bin and its offset in bytes. */
	uint8_t *bytes;
	int64_t *bins;
	uint64_t *places;
	size_t n_bytes, cap_bytes;
	int64_t least, most; /* of the bins */
	size_t n, cap_bins, cap_places;
	bool failed; /* no memory */
};

struct current { /* span of a task */
	int64_t begin;
	uint32_t span, place; /* place: in the list of those on CPUs */
	uint16_t cpu;
	uint8_t kind;
	bool is_known, is_running;
};

struct saver {
	struct store_writer *w;
	const struct kernel_host *h;
	uint32_t host;
	struct current *tasks;
	uint32_t *running; /* tasks */
	uint32_t n_running, cap_running;
	uint64_t *firsts; /* by stretch, in spans */
	uint32_t *spans;
	size_t n_stretches, n_spans, cap_firsts, cap_spans;
};

/* ---- records ---- */

static void close_record(struct level *l, struct lane *lane)
{
	uint64_t kinds = 0;
	if (!lane->is_open)
		return;
	lane->is_open = false;
	bool ok = mer_spill_grow(l->spill, &l->bins, l->n, &l->cap_bins, sizeof(*l->bins)) &&
		  mer_spill_grow(l->spill, &l->places, l->n, &l->cap_places, sizeof(*l->places));
	while (ok && l->cap_bytes - l->n_bytes < RECORD_BYTES)
		ok = mer_spill_grow(l->spill, &l->bytes, l->cap_bytes, &l->cap_bytes, 1);
	if (!ok) {
		l->failed = true;
		return;
	}
	l->bins[l->n] = lane->r.bin;
	l->least = l->n && l->least < lane->r.bin ? l->least : lane->r.bin;
	l->most = l->n && l->most > lane->r.bin ? l->most : lane->r.bin;
	l->places[l->n++] = l->n_bytes;
	uint8_t *to = l->bytes + l->n_bytes;
	for (unsigned i = 0; i < STORE_KINDS; i++)
		kinds |= (uint64_t)(lane->r.times[i] != 0) << i;
	to += store_set_varint(to, lane->r.lane);
	*to++ = lane->r.last;
	to += store_set_varint(to, kinds);
	for (unsigned i = 0; i < STORE_KINDS; i++)
		if (kinds >> i & 1)
			to += store_set_varint(to, (uint64_t)lane->r.times[i]);
	l->n_bytes = (size_t)(to - l->bytes);
}

/* Without checks: the bytes are those of close_record. */
static void read_record(const struct level *l, size_t number, struct store_level_record *r)
{
	struct store_in in = { l->bytes + l->places[number], l->bytes + l->n_bytes };
	uint64_t kinds = 0;
	*r = (struct store_level_record){ .bin = l->bins[number] };
	store_get_varint(&in, &r->lane);
	r->last = *in.at++;
	store_get_varint(&in, &kinds);
	for (unsigned i = 0; i < STORE_KINDS; i++) {
		uint64_t time = 0;
		if (kinds >> i & 1)
			store_get_varint(&in, &time);
		r->times[i] = (int64_t)time;
	}
}

static void open_record(struct lane *lane, uint64_t number, int64_t bin)
{
	lane->r = (struct store_level_record){ number, bin, { 0 }, STORE_NO_KIND };
	lane->is_open = true;
}

static void add_time(struct lane *lane, int64_t ns)
{
	if (lane->kind != STORE_NO_KIND)
		lane->r.times[lane->kind] += ns;
}

/* ---- the lowest level ---- */

static struct lane *cpu_lane(struct level *l, uint16_t cpu)
{
	if (!mer_grow_at(&l->cpus, &l->cap_cpus, cpu, sizeof(*l->cpus))) {
		l->failed = true;
		return NULL;
	}
	l->n_cpus = cpu >= l->n_cpus ? cpu + 1u : l->n_cpus;
	return &l->cpus[cpu];
}

static void add_to_cpu(struct level *l, uint16_t cpu, int64_t begin, int64_t end, uint8_t kind)
{
	struct lane *lane = cpu_lane(l, cpu);
	while (lane && begin < end) {
		int64_t bin = begin >> l->shift, bin_end = store_bin_end(bin, l->shift);
		int64_t until = end < bin_end ? end : bin_end;
		if (!lane->is_open || lane->r.bin != bin) {
			close_record(l, lane);
			open_record(lane, cpu, bin);
		}
		lane->r.times[kind] += until - begin;
		begin = until;
	}
}

static void change_kind(struct level *l, uint32_t task, int64_t time, uint8_t kind)
{
	struct lane *lane = &l->tasks[task];
	int64_t bin = time >> l->shift;
	if (lane->is_open && bin > lane->r.bin) {
		int64_t end = store_bin_end(lane->r.bin, l->shift);
		add_time(lane, end - lane->since);
		lane->r.last = lane->kind;
		close_record(l, lane);
	}
	if (!lane->is_open) {
		open_record(lane, STORE_FIRST_TASK + task, bin);
		lane->since = (int64_t)((uint64_t)bin << l->shift);
	}
	if (time > lane->since) { /* a task's spans are in order */
		add_time(lane, time - lane->since);
		lane->since = time;
	}
	lane->kind = kind;
}

static void leave_cpu(struct saver *x, struct level *l, struct current *c, int64_t end)
{
	add_to_cpu(l, c->cpu, c->begin, end, c->kind);
	uint32_t other = x->running[--x->n_running];
	x->running[c->place] = other;
	x->tasks[other].place = c->place;
	c->is_running = false;
}

static bool begin_span(struct saver *x, struct level *l, uint32_t number)
{
	const struct kernel_span *s = kernel_span(x->h, number);
	struct current *c = &x->tasks[s->task];
	if (c->is_running)
		leave_cpu(x, l, c, s->begin);
	uint8_t kind = (uint8_t)store_lane_kind(s->state, s->cause);
	change_kind(l, s->task, s->begin, kind);
	bool runs = kernel_is_on_cpu((enum kernel_state)s->state) && s->cpu != KERNEL_NO_CPU;
	*c = (struct current){ s->begin, number, x->n_running, s->cpu, kind, true, runs };
	if (!runs)
		return true;
	if (!mer_grow32(&x->running, x->n_running, &x->cap_running, sizeof(*x->running)))
		return false;
	x->running[x->n_running++] = s->task;
	return true;
}

/* Records the tasks that are on CPUs at the begin of a stretch. */
static bool note_running(struct saver *x)
{
	if (!mer_grow(&x->firsts, x->n_stretches + 1, &x->cap_firsts, sizeof(*x->firsts)))
		return false;
	for (uint32_t i = 0; i < x->n_running; i++) {
		if (!mer_grow(&x->spans, x->n_spans, &x->cap_spans, sizeof(*x->spans)))
			return false;
		x->spans[x->n_spans++] = x->tasks[x->running[i]].span;
	}
	x->firsts[0] = 0;
	x->firsts[++x->n_stretches] = x->n_spans;
	return true;
}

static int lowest_level(
	struct saver *x, struct level *l, struct mer_cancel *cancel, struct mer_err *err)
{
	enum { STRETCH_SPANS = STORE_STRETCH * KERNEL_CHUNK };
	bool ok = true;
	for (uint32_t i = 0; ok && i < x->h->n_spans; i++) {
		if (i % STRETCH_SPANS == 0) {
			if (mer_cancelled(cancel))
				return mer_fail(err, MER_ERR_CANCELLED, "cancelled");
			ok = note_running(x);
		}
		ok = ok && begin_span(x, l, i);
	}
	for (uint32_t t = 0; ok && t < x->h->n_tasks; t++) {
		struct current *c = &x->tasks[t];
		int64_t end = store_lanes_end(x->h, t);
		if (c->is_running)
			leave_cpu(x, l, c, end);
		if (c->is_known)
			change_kind(l, t, end > c->begin ? end : c->begin, STORE_NO_KIND);
	}
	return ok && !l->failed ? 0 : mer_fail_nomem(err);
}

/* ---- from a level to the next ---- */

static void fill(struct lane *lane, unsigned shift_below, int64_t to)
{
	if (to > lane->since)
		add_time(lane, (int64_t)((uint64_t)(to - lane->since) << shift_below));
	lane->since = to;
}

static void close_above(struct level *l, struct lane *lane, unsigned shift_below)
{
	if (!lane->is_open)
		return;
	fill(lane, shift_below, (int64_t)((uint64_t)(lane->r.bin + 1) << (l->shift - shift_below)));
	lane->r.last = lane->kind;
	close_record(l, lane);
}

static void add_record(struct level *l, unsigned shift_below, const struct store_level_record *r)
{
	bool is_task = r->lane >= STORE_FIRST_TASK;
	struct lane *lane =
		is_task ? &l->tasks[r->lane - STORE_FIRST_TASK] : cpu_lane(l, (uint16_t)r->lane);
	unsigned step = l->shift - shift_below;
	int64_t bin = r->bin >> step;
	if (!lane)
		return;
	if (lane->is_open && lane->r.bin != bin)
		close_above(l, lane, shift_below);
	if (!lane->is_open) {
		open_record(lane, r->lane, bin);
		lane->since = (int64_t)((uint64_t)bin << step);
	}
	if (is_task)
		fill(lane, shift_below, r->bin);
	for (unsigned i = 0; i < STORE_KINDS; i++)
		lane->r.times[i] += r->times[i];
	lane->since = r->bin + 1;
	lane->kind = r->last;
}

/* ---- writing ---- */

static void close_all(struct level *l, uint32_t n_tasks, bool is_lowest)
{
	for (size_t i = 0; i < l->n_cpus; i++)
		close_record(l, &l->cpus[i]);
	for (uint32_t t = 0; t < n_tasks; t++)
		if (is_lowest) {
			l->tasks[t].r.last = STORE_NO_KIND;
			close_record(l, &l->tasks[t]);
		} else {
			close_above(l, &l->tasks[t], l->shift - STORE_LEVEL_STEP);
		}
}

/* Indexes of the records sorted by bin; stable. */
static uint32_t *by_bin(const struct level *l)
{
	size_t n_bins = l->n ? (size_t)(l->most - l->least) + 1 : 0;
	uint32_t *next = calloc(n_bins + 1, sizeof(*next));
	uint32_t *order = malloc((l->n + 1) * sizeof(*order));
	for (size_t i = 0; next && order && i < l->n; i++)
		next[l->bins[i] - l->least + 1]++;
	for (size_t i = 0; next && i < n_bins; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; next && order && i < l->n; i++)
		order[next[l->bins[i] - l->least]++] = (uint32_t)i;
	if (!next) {
		free(order);
		order = NULL;
	}
	free(next);
	return order;
}

static void put_records(struct mer_str *out, const struct store_level_record *r, size_t n)
{
	uint64_t v[STORE_LEVEL_BLOCK] = { 0 }, all = 0;
	for (size_t i = 0; i < n; i++)
		v[i] = r[i].lane;
	store_pack(out, STORE_DICT, v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = (uint64_t)r[i].bin;
	store_pack(out, STORE_DELTA, v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = r[i].last;
	store_pack(out, STORE_DICT, v, n);
	for (size_t i = 0; i < n; i++) {
		v[i] = 0;
		for (unsigned k = 0; k < STORE_KINDS; k++)
			v[i] |= (uint64_t)(r[i].times[k] != 0) << k;
		all |= v[i];
	}
	store_pack(out, STORE_DICT, v, n);
	for (unsigned k = 0; k < STORE_KINDS; k++) {
		size_t with = 0;
		for (size_t i = 0; (all >> k & 1) && i < n; i++)
			if (r[i].times[k])
				v[with++] = (uint64_t)r[i].times[k];
		if (with)
			store_pack(out, STORE_PLAIN, v, with);
	}
}

/* above NULL: this is the last level. */
static bool put_level(
	const struct saver *x, const struct level *l, uint32_t number, struct level *above)
{
	size_t n_blocks = (l->n + STORE_LEVEL_BLOCK - 1) / STORE_LEVEL_BLOCK;
	struct store_level_block *blocks = calloc(n_blocks + 1, sizeof(*blocks));
	struct store_level_record *r = malloc(STORE_LEVEL_BLOCK * sizeof(*r));
	uint32_t *order = by_bin(l);
	struct mer_str bytes = { .failed = !blocks || !r || !order };
	for (size_t b = 0; b < n_blocks && !bytes.failed; b++) {
		size_t first = b * STORE_LEVEL_BLOCK, n = l->n - first;
		n = n < STORE_LEVEL_BLOCK ? n : STORE_LEVEL_BLOCK;
		for (size_t i = 0; i < n; i++) {
			read_record(l, order[first + i], &r[i]);
			if (above)
				add_record(above, l->shift, &r[i]);
		}
		mer_str_clear(&bytes);
		put_records(&bytes, r, n);
		blocks[b] = (struct store_level_block){
			.first = r[0].bin, .last = r[n - 1].bin, .n = (uint32_t)n
		};
		if (!bytes.failed)
			store_put_block(x->w, bytes.data, bytes.len, &blocks[b].block);
	}
	bool ok = !bytes.failed && !(above && above->failed);
	if (ok)
		store_put_section(x->w, STORE_LEVEL_BLOCKS, x->host, number, blocks, n_blocks,
			sizeof(*blocks));
	mer_str_fini(&bytes);
	free(blocks);
	free(order);
	free(r);
	return ok;
}

static bool level_init(struct level *l, unsigned shift, const struct kernel_host *h)
{
	*l = (struct level){ .shift = shift, .spill = h->log.spill };
	l->tasks = calloc((size_t)h->n_tasks + 1, sizeof(*l->tasks));
	for (uint32_t t = 0; l->tasks && t < h->n_tasks; t++)
		l->tasks[t].kind = STORE_NO_KIND;
	return l->tasks != NULL;
}

static void level_fini(struct level *l)
{
	free(l->cpus);
	free(l->tasks);
	mer_spill_release(l->bins);
	mer_spill_release(l->places);
	mer_spill_release(l->bytes);
	*l = (struct level){ 0 };
}

static int put_levels(struct saver *x, struct mer_cancel *cancel, struct mer_err *err)
{
	struct store_level levels[STORE_LEVELS_MOST];
	struct level level, above;
	uint32_t n = 0;
	bool ok = level_init(&level, store_lanes_lowest_shift(x->h), x->h);
	int rc = ok ? lowest_level(x, &level, cancel, err) : mer_fail_nomem(err);
	if (rc == 0)
		close_all(&level, x->h->n_tasks, true);
	while (rc == 0) {
		bool is_last = level.shift + STORE_LEVEL_STEP > 60 || n + 1 == STORE_LEVELS_MOST ||
			       level.n == 0 || level.most - level.least < STORE_BINS_LEAST;
		ok = level_init(&above, level.shift + STORE_LEVEL_STEP, x->h);
		ok = ok && !level.failed && put_level(x, &level, n, is_last ? NULL : &above);
		if (!ok)
			rc = mer_fail_nomem(err);
		levels[n++] = (struct store_level){ .shift = level.shift };
		level_fini(&level);
		level = above;
		if (is_last)
			break;
		close_all(&level, x->h->n_tasks, false);
	}
	level_fini(&level);
	if (rc == 0)
		store_put_section(x->w, STORE_LEVELS, x->host, 0, levels, n, sizeof(*levels));
	return rc;
}

int store_lanes_save(struct store_writer *w, const struct kernel_world *world, uint32_t host,
	struct mer_cancel *cancel, struct mer_err *err)
{
	struct saver x = { .w = w, .h = &world->hosts[host], .host = host };
	x.tasks = calloc((size_t)x.h->n_tasks + 1, sizeof(*x.tasks));
	x.firsts = calloc(1, sizeof(*x.firsts));
	x.cap_firsts = x.firsts ? 1 : 0;
	int rc = x.tasks && x.firsts ? put_levels(&x, cancel, err) : mer_fail_nomem(err);
	if (rc == 0) {
		store_put_section(
			w, STORE_RUNNING, host, 0, x.firsts, x.n_stretches + 1, sizeof(*x.firsts));
		store_put_section(w, STORE_RUNNING, host, 1, x.spans, x.n_spans, sizeof(*x.spans));
	}
	free(x.tasks);
	free(x.running);
	free(x.firsts);
	free(x.spans);
	return rc;
}
