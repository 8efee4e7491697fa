/* Align: groups of hosts whose shifts fit together. When two groups are joined, the smaller one is
 * moved, so that all joins together take O(n log n). */
#include "sync/match/align.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

struct span {
	int64_t begin, end;
	uint32_t host;
};

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int64_t difference(int64_t a, int64_t b)
{
	int64_t d;
	if (__builtin_sub_overflow(a, b, &d))
		return b < 0 ? INT64_MAX : INT64_MIN;
	return d;
}

static void make_groups(struct sync_align *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		a->group[i] = a->first[i] = a->last[i] = i;
		a->next[i] = NONE;
		a->size[i] = 1;
	}
}

/* Spans that overlap, directly or through others, are a cluster. The largest cluster stays where it
 * is; all others are shifted to begin with it. */
static void shift_clusters(struct sync_align *a, struct span *spans, uint32_t n)
{
	uint32_t best = 0, best_n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0, k; i < n; i = k) {
			int64_t end = spans[i].end;
			for (k = i + 1; k < n && spans[k].begin <= end; k++)
				end = spans[k].end > end ? spans[k].end : end;
			if (pass == 0 && k - i > best_n) {
				best = i;
				best_n = k - i;
			}
			int64_t shift = difference(spans[best].begin, spans[i].begin);
			for (uint32_t h = i; pass == 1 && h < k; h++)
				a->shifts[spans[h].host] = shift;
		}
}

int sync_align_init(struct sync_align *a, const struct mer_experiment *e, struct mer_err *err)
{
	size_t n = (size_t)e->n_hosts + 1;
	*a = (struct sync_align){ .n = e->n_hosts };
	a->shifts = calloc(n, sizeof(*a->shifts));
	a->begins = calloc(n, sizeof(*a->begins));
	a->group = calloc(n, sizeof(*a->group));
	a->next = calloc(n, sizeof(*a->next));
	a->first = calloc(n, sizeof(*a->first));
	a->last = calloc(n, sizeof(*a->last));
	a->size = calloc(n, sizeof(*a->size));
	struct span *spans = calloc(n, sizeof(*spans));
	if (!a->shifts || !a->begins || !a->group || !a->next || !a->first || !a->last ||
		!a->size || !spans) {
		free(spans);
		return mer_fail_nomem(err);
	}
	for (uint32_t i = 0; i < e->n_hosts; i++) {
		spans[i] = (struct span){ INT64_MAX, INT64_MIN, i };
	}
	for (uint32_t i = 0; i < e->n_traces; i++) {
		struct span *s = &spans[e->traces[i].host];
		if (e->traces[i].begin == MER_NO_TIME || e->traces[i].end == MER_NO_TIME)
			continue;
		if (e->traces[i].begin < s->begin)
			s->begin = e->traces[i].begin;
		if (e->traces[i].end > s->end)
			s->end = e->traces[i].end;
	}
	uint32_t known = 0;
	for (uint32_t i = 0; i < e->n_hosts; i++)
		a->begins[i] = spans[i].begin <= spans[i].end ? spans[i].begin : MER_NO_TIME;
	for (uint32_t i = 0; i < e->n_hosts; i++)
		if (spans[i].begin <= spans[i].end)
			spans[known++] = spans[i];
	qsort(spans, known, sizeof(*spans), by_begin);
	shift_clusters(a, spans, known);
	free(spans);
	make_groups(a);
	return 0;
}

void sync_align_again(struct sync_align *a, const bool *lost)
{
	int64_t begin = INT64_MAX;
	for (int all = 0; all < 2 && begin == INT64_MAX; all++)
		for (uint32_t i = 0; i < a->n; i++)
			if (a->begins[i] != MER_NO_TIME && (all || !lost[i]) &&
				sync_common_time(a, i, a->begins[i]) < begin)
				begin = sync_common_time(a, i, a->begins[i]);
	for (uint32_t i = 0; i < a->n; i++)
		if (lost[i] && a->begins[i] != MER_NO_TIME)
			a->shifts[i] = difference(begin, a->begins[i]);
	make_groups(a);
}

void sync_align_fini(struct sync_align *a)
{
	free(a->shifts);
	free(a->begins);
	free(a->group);
	free(a->next);
	free(a->first);
	free(a->last);
	free(a->size);
	*a = (struct sync_align){ 0 };
}

static void move(struct sync_align *a, uint32_t host, __int128 by)
{
	__int128 shift = a->shifts[host] + by;
	a->shifts[host] = shift > INT64_MAX   ? INT64_MAX
			  : shift < INT64_MIN ? INT64_MIN
					      : (int64_t)shift;
}

enum sync_shifted sync_align_by(struct sync_align *a, const struct sync_match *m)
{
	uint32_t to = a->group[m->to], from = a->group[m->from];
	/* By how much it is received before it is sent. */
	__int128 early = (__int128)m->sent + a->shifts[m->from] - m->received - a->shifts[m->to];
	if (to == from) {
		if (early <= 0 || m->from == m->to)
			return SYNC_NOT_SHIFTED;
		move(a, m->to, early - early / 2);
		move(a, m->from, -(early / 2));
		return SYNC_TWO_SHIFTED;
	}
	uint32_t into = from, moved = to;
	if (a->size[moved] > a->size[into]) {
		into = to;
		moved = from;
		early = -early;
	}
	for (uint32_t h = a->first[moved]; h != NONE; h = a->next[h]) {
		move(a, h, early);
		a->group[h] = into;
	}
	a->next[a->last[into]] = a->first[moved];
	a->last[into] = a->last[moved];
	a->size[into] += a->size[moved];
	return SYNC_MANY_SHIFTED;
}
