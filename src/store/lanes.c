#include "store/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "store/levels.h"
#include "store/on_cpu.h"
#include "store/pack.h"
#include "store/types.h"

int64_t store_lanes_end(const struct kernel_host *h, uint32_t task)
{
	const struct kernel_task *t = &h->tasks[task];
	return t->end != INT64_MAX ? t->end : h->end;
}

unsigned store_lanes_shift(int64_t begin, int64_t end, uint32_t n_bins)
{
	unsigned shift = 0;
	while (shift < 62 && (uint64_t)((end >> shift) - (begin >> shift)) >= n_bins)
		shift++;
	return shift;
}

unsigned store_lanes_lowest_shift(const struct kernel_host *h)
{
	int64_t begin = INT64_MAX, end = INT64_MIN;
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		int64_t task_end = store_lanes_end(h, t);
		begin = h->tasks[t].begin < begin ? h->tasks[t].begin : begin;
		end = task_end > end ? task_end : end;
	}
	return h->n_tasks && begin < end
		       ? store_lanes_shift(begin, end, h->n_spans / STORE_SPANS_PER_BIN + 1)
		       : 0;
}

struct reader {
	struct store_spans *s;
	const struct kernel_host *h;
	uint32_t host;
	const struct store_lane *lanes;
	size_t n_lanes;
	const struct store_window *w;
	int64_t end; /* of the window */
	int64_t *times;
	uint32_t *task_lanes, *cpu_lanes; /* by task, CPU: index of its first lane + 1 */
	uint32_t *same; /* by lane: index + 1 of the next lane of the same task or CPU */
};

/* ---- adding ---- */

/* Adds the part inside the window. */
static void add(struct reader *r, uint32_t lane, unsigned kind, int64_t begin, int64_t end)
{
	if (kind >= STORE_KINDS)
		return;
	begin = begin > r->w->begin ? begin : r->w->begin;
	end = end < r->end ? end : r->end;
	int64_t *to = r->times + (size_t)lane * r->w->n_bins * STORE_KINDS + kind;
	while (begin < end) {
		uint64_t bin = (uint64_t)(begin - r->w->begin) >> r->w->shift;
		int64_t bin_end = store_bin_end(begin >> r->w->shift, r->w->shift);
		int64_t until = end < bin_end ? end : bin_end;
		to[bin * STORE_KINDS] += until - begin;
		begin = until;
	}
}

/* The kind in which a task is at the begin of the window. */
static unsigned first_kind(const struct reader *r, uint32_t task)
{
	uint32_t i = kernel_span_at(r->h, task, r->w->begin, KERNEL_NONE);
	if (i == KERNEL_NONE ||
		(i == r->h->tasks[task].last && store_lanes_end(r->h, task) <= r->w->begin))
		return STORE_NO_KIND;
	const struct kernel_span *s = kernel_span(r->h, i);
	return store_lane_kind(s->state, s->cause);
}

/* ---- from the spans ---- */

struct task_now {
	int64_t begin; /* since when it is in this kind; the lane is filled up to here */
	uint8_t kind;
	bool is_known;
};

static bool read_tasks(struct reader *r, uint32_t from, uint32_t to, struct store_brief *b)
{
	struct task_now *now = calloc(r->n_lanes + 1, sizeof(*now));
	for (uint32_t i = 0; now && i < r->n_lanes; i++)
		if (!r->lanes[i].is_cpu && r->task_lanes[r->lanes[i].number] == i + 1)
			now[i] = (struct task_now){ r->w->begin,
				(uint8_t)first_kind(r, r->lanes[i].number), true };
	for (uint32_t k = from; now && k < to; k++) {
		store_spans_read_brief(r->s, k, b);
		for (size_t i = 0; i < b->n; i++) {
			uint32_t lane = r->task_lanes[b->task[i]];
			int64_t begin = (int64_t)b->begin[i];
			if (!lane || begin <= r->w->begin)
				continue;
			add(r, lane - 1, now[lane - 1].kind, now[lane - 1].begin, begin);
			now[lane - 1].begin = begin;
			now[lane - 1].kind =
				(uint8_t)store_lane_kind((unsigned)b->state[i], b->cause[i]);
		}
	}
	for (uint32_t i = 0; now && i < r->n_lanes; i++)
		if (now[i].is_known)
			add(r, i, now[i].kind, now[i].begin,
				store_lanes_end(r->h, r->lanes[i].number));
	free(now);
	return now != NULL;
}

static int add_stretch(void *ctx, const struct fact_stretch *s)
{
	struct reader *r = ctx;
	if (r->cpu_lanes[s->cpu])
		add(r, r->cpu_lanes[s->cpu] - 1, store_lane_kind(s->state, s->cause), s->begin,
			s->end);
	return 0;
}

static int read_spans(struct reader *r, struct mer_err *err)
{
	uint32_t from, to;
	bool has_cpus = false;
	struct store_brief *b = malloc(sizeof(*b));
	if (!b)
		return mer_fail_nomem(err);
	store_spans_between(r->s, r->w->begin, r->end, &from, &to);
	for (size_t i = 0; i < r->n_lanes; i++)
		has_cpus |= r->lanes[i].is_cpu;
	int rc = read_tasks(r, from, to, b) ? 0 : mer_fail_nomem(err);
	if (rc == 0 && has_cpus)
		rc = store_on_cpu_read(
			r->s, r->h, r->host, r->w->begin, r->end, false, add_stretch, r, err);
	free(b);
	if (rc == 0 && r->s->is_damaged)
		rc = mer_fail(err, MER_ERR_INPUT, "damaged spans in the store");
	return rc;
}

/* ---- from a level ---- */

struct lane_now {
	int64_t next; /* bin of the level that is not filled yet */
	uint8_t kind;
	bool is_known; /* kind is */
};

struct records {
	uint64_t lane[STORE_LEVEL_BLOCK], bin[STORE_LEVEL_BLOCK], last[STORE_LEVEL_BLOCK];
	uint64_t kinds[STORE_LEVEL_BLOCK]; /* a bit for each kind with time */
	uint64_t times[STORE_KINDS][STORE_LEVEL_BLOCK];
	uint32_t n;
};

static bool read_records(
	const struct store_file *f, const struct store_level_block *b, struct records *x)
{
	const uint8_t *bytes = store_block_bytes(f, &b->block);
	struct store_in in = { bytes, bytes ? bytes + b->block.bytes : NULL };
	uint64_t v[STORE_LEVEL_BLOCK];
	if (!bytes || b->n > STORE_LEVEL_BLOCK)
		return false;
	x->n = b->n;
	bool ok = store_unpack(&in, x->lane, x->n) && store_unpack(&in, x->bin, x->n) &&
		  store_unpack(&in, x->last, x->n) && store_unpack(&in, x->kinds, x->n);
	for (unsigned k = 0; ok && k < STORE_KINDS; k++) {
		size_t n = 0, at = 0;
		for (uint32_t i = 0; i < x->n; i++)
			n += x->kinds[i] >> k & 1;
		ok = n == 0 || store_unpack(&in, v, n);
		for (uint32_t i = 0; ok && n && i < x->n; i++)
			x->times[k][i] = x->kinds[i] >> k & 1 ? v[at++] : 0;
	}
	return ok;
}

/* Fills a task's bins up to `to` that have no records: it was in one kind all the time. */
static void fill(struct reader *r, unsigned shift, uint32_t lane, struct lane_now *now, int64_t to)
{
	if (to <= now->next)
		return;
	if (!now->is_known)
		now->kind = (uint8_t)first_kind(r, r->lanes[lane].number);
	now->is_known = true;
	add(r, lane, now->kind, (int64_t)((uint64_t)now->next << shift),
		(int64_t)((uint64_t)to << shift));
	now->next = to;
}

static uint32_t lane_of(const struct reader *r, uint64_t number)
{
	if (number < STORE_FIRST_TASK)
		return number < KERNEL_NO_CPU ? r->cpu_lanes[number] : 0;
	number -= STORE_FIRST_TASK;
	return number < r->h->n_tasks ? r->task_lanes[number] : 0;
}

static void add_record(struct reader *r, const struct store_level *l, const struct records *x,
	uint32_t i, struct lane_now *lanes)
{
	uint32_t lane = lane_of(r, x->lane[i]);
	int64_t bin = (int64_t)x->bin[i], begin = (int64_t)(x->bin[i] << l->shift);
	if (!lane-- || begin < r->w->begin || begin >= r->end)
		return;
	struct lane_now *now = &lanes[lane];
	if (!r->lanes[lane].is_cpu)
		fill(r, l->shift, lane, now, bin);
	uint64_t to = (uint64_t)(begin - r->w->begin) >> r->w->shift;
	int64_t *times = r->times + ((size_t)lane * r->w->n_bins + to) * STORE_KINDS;
	for (unsigned k = 0; k < STORE_KINDS; k++)
		if (x->kinds[i] >> k & 1)
			times[k] += (int64_t)x->times[k][i];
	now->next = bin + 1;
	now->kind = (uint8_t)x->last[i];
	now->is_known = true;
}

static int read_level(
	struct reader *r, const struct store_level *l, uint32_t number, struct mer_err *err)
{
	uint64_t n = 0;
	const struct store_level_block *blocks =
		store_find(r->s->file, STORE_LEVEL_BLOCKS, r->host, number, sizeof(*blocks), &n);
	struct records *x = malloc(sizeof(*x));
	struct lane_now *lanes = calloc(r->n_lanes + 1, sizeof(*lanes));
	int64_t first = r->w->begin >> l->shift, end = r->end >> l->shift;
	int rc = x && lanes ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; rc == 0 && i < r->n_lanes; i++)
		lanes[i].next = first;
	bool ok = blocks != NULL;
	for (uint64_t b = 0; rc == 0 && ok && b < n; b++) {
		if (blocks[b].last < first || blocks[b].first >= end)
			continue;
		ok = read_records(r->s->file, &blocks[b], x);
		for (uint32_t i = 0; ok && i < x->n; i++)
			add_record(r, l, x, i, lanes);
	}
	for (uint32_t i = 0; rc == 0 && ok && i < r->n_lanes; i++)
		if (!r->lanes[i].is_cpu && r->task_lanes[r->lanes[i].number] == i + 1)
			fill(r, l->shift, i, &lanes[i], end);
	free(x);
	free(lanes);
	if (rc == 0 && (!ok || r->s->is_damaged))
		rc = mer_fail(err, MER_ERR_INPUT, "damaged lanes in the store");
	return rc;
}

/* ---- the whole ---- */

/* The level with the widest bins that are not wider than requested; KERNEL_NONE: all are wider. */
static uint32_t find_level(const struct reader *r, const struct store_level **levels)
{
	uint64_t n = 0;
	uint32_t found = KERNEL_NONE;
	*levels = store_find(r->s->file, STORE_LEVELS, r->host, 0, sizeof(**levels), &n);
	for (uint64_t i = 0; *levels && i < n; i++)
		if ((*levels)[i].shift <= r->w->shift)
			found = (uint32_t)i;
	return found;
}

static bool index_lanes(struct reader *r)
{
	r->task_lanes = calloc((size_t)r->h->n_tasks + 1, sizeof(*r->task_lanes));
	r->cpu_lanes = calloc((size_t)KERNEL_NO_CPU + 1, sizeof(*r->cpu_lanes));
	r->same = calloc(r->n_lanes + 1, sizeof(*r->same));
	if (!r->task_lanes || !r->cpu_lanes || !r->same)
		return false;
	for (uint32_t i = (uint32_t)r->n_lanes; i-- > 0;) {
		const struct store_lane *l = &r->lanes[i];
		uint32_t *at = l->is_cpu ? &r->cpu_lanes[l->number] : &r->task_lanes[l->number];
		r->same[i] = *at;
		*at = i + 1;
	}
	return true;
}

/* Copies the times of lanes that were requested twice. */
static void copy_same(struct reader *r)
{
	size_t n = (size_t)r->w->n_bins * STORE_KINDS;
	for (size_t i = 0; i < r->n_lanes; i++)
		if (r->same[i])
			memcpy(r->times + (r->same[i] - 1) * n, r->times + i * n,
				n * sizeof(*r->times));
}

static bool is_sound(const struct reader *r)
{
	const struct store_window *w = r->w;
	bool ok = w->shift <= 62 && w->n_bins > 0 && r->n_lanes < UINT16_MAX &&
		  (w->begin & (((int64_t)1 << w->shift) - 1)) == 0;
	for (size_t i = 0; i < r->n_lanes; i++)
		ok &= r->lanes[i].number < (r->lanes[i].is_cpu ? KERNEL_NO_CPU : r->h->n_tasks);
	return ok;
}

int store_lanes_read(struct store_spans *s, const struct kernel_host *h, uint32_t host,
	const struct store_lane *lanes, size_t n_lanes, const struct store_window *window,
	int64_t *times, struct mer_err *err)
{
	struct reader r = { .s = s,
		.h = h,
		.host = host,
		.lanes = lanes,
		.n_lanes = n_lanes,
		.w = window,
		.times = times };
	const struct store_level *levels;
	__int128 end = (__int128)window->begin + ((__int128)window->n_bins << (window->shift & 63));
	r.end = end < INT64_MAX ? (int64_t)end : INT64_MAX;
	if (!is_sound(&r))
		return mer_fail(err, MER_ERR_USAGE, "no such lanes, or no such bins");
	memset(times, 0, n_lanes * window->n_bins * STORE_KINDS * sizeof(*times));
	int rc = index_lanes(&r) ? 0 : mer_fail_nomem(err);
	uint32_t level = find_level(&r, &levels);
	if (rc == 0)
		rc = level == KERNEL_NONE ? read_spans(&r, err)
					  : read_level(&r, &levels[level], level, err);
	if (rc == 0)
		copy_same(&r);
	free(r.task_lanes);
	free(r.cpu_lanes);
	free(r.same);
	return rc;
}
