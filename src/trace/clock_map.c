/* Clock map: the arithmetic, and how an experiment is put on the reference clock.
 *
 * Products have at most 127 bits: a distance of two 64-bit times (65 with its sign) times a rate of
 * 64, or a distance of times shifted by 60. So nothing here overflows, whatever a damaged trace
 * says, and rounding is that of whole numbers. */
#include "trace/clock_map.h"

#include "base/lower_bound.h"
#include "trace/experiment.h"

#define RATE_ONE ((__int128)1 << TRACE_RATE_BITS)

size_t trace_find_piece(const struct trace_clock_map *m, int64_t t)
{
	size_t lo = 0, hi = m->n; /* the last that begins at or before t */
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->pieces[mid].begin <= t)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

int64_t trace_map_time(const struct trace_clock_map *m, int64_t t)
{
	return m->n ? trace_piece_time(&m->pieces[trace_find_piece(m, t)], t) : t;
}

int64_t trace_unmap_time(const struct trace_clock_map *m, int64_t time)
{
	if (!m->n || time == MER_NO_TIME || time == INT64_MAX)
		return time;
	/* The begin of the first piece that begins at or after this time is late enough. If an
	 * earlier time is, too, it is in the piece before. */
	MER_LOWER_BOUND(lo, 1, m->n, at, m->pieces[at].time < time);
	const struct trace_clock_piece *p = &m->pieces[lo - 1];
	/* floor(d * speed / 2^60) >= wanted, which is d >= wanted * 2^60 / speed. */
	__int128 wanted = (__int128)time - p->time, speed = RATE_ONE + p->rate, t;
	if (time == INT64_MIN + 1) /* nothing is before: times saturate there */
		return time;
	if (speed > 0) {
		__int128 n = wanted * RATE_ONE, d = n / speed;
		d += d * speed < n; /* division rounds towards zero: up when negative */
		t = p->begin + d;
	} else {
		t = wanted > 0 ? INT64_MAX : INT64_MIN;
	}
	if (lo > 1 && t < p->begin)
		t = p->begin;
	if (lo < m->n && t > m->pieces[lo].begin)
		t = m->pieces[lo].begin;
	return t >= INT64_MAX ? INT64_MAX : t <= INT64_MIN ? INT64_MIN + 1 : (int64_t)t;
}

int trace_check_map(const struct trace_clock_map *m, struct mer_err *err)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct trace_clock_piece *p = &m->pieces[i];
		const char *what = NULL;
		if (p->begin == MER_NO_TIME || p->time == MER_NO_TIME)
			what = "has no time";
		else if (RATE_ONE + p->rate < 0)
			what = "runs backwards";
		else if (i && p->begin <= p[-1].begin)
			what = "does not begin after the one before it";
		else if (i && trace_piece_time(p - 1, p->begin - 1) > p->time)
			what = "begins at a time that the one before it has passed already";
		if (what)
			return mer_fail(err, MER_ERR_INPUT, "clock map: piece %zu of %zu %s", i + 1,
				m->n, what);
	}
	return 0;
}

/* Maps do not change the order of a host's times, so the ends of its streams stay the ends. */
static void put(const struct trace_clock_map *m, int64_t *begin, int64_t *end)
{
	*begin = trace_map_time(m, *begin);
	*end = trace_map_time(m, *end);
}

static struct trace_clock_map *copy_maps(
	struct mer_experiment *e, const struct trace_clock_map *maps, struct mer_err *err)
{
	struct trace_clock_map *own = mer_arena_zalloc(&e->arena, e->n_hosts, sizeof(*own));
	for (uint32_t h = 0; own && h < e->n_hosts; h++) {
		if (trace_check_map(&maps[h], err)) {
			struct mer_err why = *err;
			mer_fail(err, why.code, "host %.100s: %.800s", e->hosts[h].name, why.text);
			return NULL;
		}
		struct trace_clock_piece *pieces =
			mer_arena_zalloc(&e->arena, maps[h].n + 1, sizeof(*pieces));
		if (!pieces)
			break;
		for (size_t i = 0; i < maps[h].n; i++)
			pieces[i] = maps[h].pieces[i];
		own[h] = (struct trace_clock_map){ pieces, maps[h].n };
	}
	if (e->arena.failed) {
		mer_fail_nomem(err);
		return NULL;
	}
	return own;
}

int trace_apply_clock_maps(
	struct mer_experiment *e, const struct trace_clock_map *maps, struct mer_err *err)
{
	for (uint32_t i = 0; i < e->n_parts; i++)
		for (uint32_t c = 0; c < e->parts[i].schema->n_clocks; c++)
			if (e->parts[i].clocks[c].map)
				return mer_fail(err, MER_ERR_USAGE,
					"the clocks of this experiment were synchronized before");
	const struct trace_clock_map *own = copy_maps(e, maps, err);
	if (!own)
		return err->code;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct trace_clock_map *m = &own[e->traces[e->parts[i].trace].host];
		for (uint32_t c = 0; m->n && c < e->parts[i].schema->n_clocks; c++)
			e->parts[i].clocks[c].map = m;
	}
	for (uint32_t i = 0; i < e->n_losses; i++)
		put(&own[e->traces[e->streams[e->losses[i].stream].trace].host],
			&e->losses[i].begin, &e->losses[i].end);
	for (uint32_t i = 0; i < e->n_twins; i++)
		put(&own[e->traces[e->streams[e->twins[i].stream].trace].host], &e->twins[i].begin,
			&e->twins[i].end);
	for (uint32_t i = 0; i < e->n_streams; i++)
		put(&own[e->traces[e->streams[i].trace].host], &e->streams[i].begin,
			&e->streams[i].end);
	e->begin = e->end = MER_NO_TIME;
	for (uint32_t i = 0; i < e->n_traces; i++) {
		struct mer_trace *t = &e->traces[i];
		put(&own[t->host], &t->begin, &t->end);
		trace_widen(&e->begin, &e->end, t->begin, t->end);
	}
	return 0;
}
