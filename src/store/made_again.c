#include "store/made_again.h"

#include <stdlib.h>

#include "store/on_cpu.h"

struct making {
	struct fact_host f; /* what the maker sees */
	const struct fact_kind *kind;
	const struct kernel_host *h;
	struct fact_range range; /* facts are made from stretches in it */
	fact_taker *take;
	void *taker;
	struct mer_err err;
	uint64_t n; /* facts passed to the taker */
	bool only_one;
};

static int count(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct making *m = ctx;
	m->n += n;
	return m->take(m->taker, h, facts, n, err);
}

static int take_facts(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	struct making *m = ctx;
	const struct fact_origin *o = m->kind->origin;
	int rc = 0;
	(void)err;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = o->take_fact(
			&m->f, h, (const struct fact *)((const char *)facts + i * o->kind->size));
	return rc;
}

static unsigned number_of(const struct fact_kind *kind)
{
	unsigned n = 0;
	while (kind->maker->kinds[n] != kind)
		n++;
	return n;
}

static int take_stretch(void *ctx, const struct fact_stretch *s)
{
	struct making *m = ctx;
	if (s->begin > m->range.end || s->end < m->range.begin ||
		(m->range.tasks && !m->range.tasks[s->task]))
		return 0;
	int rc = m->kind->origin->take_stretch(&m->f, m->h, s);
	return rc == 0 && m->only_one && m->f.sinks[number_of(m->kind)].n ? 1 : rc;
}

static int begin_making(struct making *m, struct mer_arena *arena)
{
	const struct fact_maker *maker = m->kind->maker;
	unsigned n = 0;
	while (maker->kinds[n])
		n++;
	m->f.state = mer_arena_zalloc(arena, 1, maker->state_size + 1);
	m->f.sinks = mer_arena_zalloc(arena, n + 1, sizeof(*m->f.sinks));
	char *batch = mer_arena_alloc(arena, (size_t)FACT_BATCH * m->kind->size);
	if (!m->f.state || !m->f.sinks || !batch) {
		m->f.state = NULL;
		return mer_fail_nomem(&m->err);
	}
	m->f.sinks[number_of(m->kind)] = (struct fact_sink){
		.batch = batch, .size = m->kind->size, .take = count, .ctx = m
	};
	return maker->begin ? maker->begin(&m->f) : 0;
}

int store_make_again(struct store_spans *s, const struct analysis_source *source, uint32_t host,
	const struct fact_kind *kind, const struct fact_range *range, fact_taker *take, void *taker,
	struct mer_err *err)
{
	struct mer_arena arena;
	const struct kernel_host *h = &source->world->hosts[host];
	struct making m = { .kind = kind, .h = h, .range = *range, .take = take, .taker = taker };
	const struct fact_range all = { INT64_MIN, INT64_MAX, NULL };
	mer_arena_init(&arena);
	m.f.arena = &arena;
	m.f.err = &m.err;
	m.f.e = source->world->e;
	m.f.host = host;
	int rc = begin_making(&m, &arena);
	/* Facts before the window affect those in it. */
	if (rc == 0 && kind->origin->take_fact)
		rc = source->read(
			source->ctx, host, kind->origin->kind, &all, take_facts, &m, &m.err);
	if (rc == 0)
		rc = store_on_cpu_read(
			s, h, host, range->begin, range->end, true, take_stretch, &m, &m.err);
	if (rc == 0)
		rc = fact_flush(&m.f, h, number_of(kind));
	/* Let the taker know that facts exist at all. */
	if (rc == 0 && m.n == 0) {
		m.range = all;
		m.only_one = true;
		rc = store_on_cpu_read(
			s, h, host, INT64_MIN, INT64_MAX, true, take_stretch, &m, &m.err);
		if (rc == 0 || rc == 1)
			rc = fact_flush(&m.f, h, number_of(kind));
	}
	if (rc)
		*err = m.err;
	if (m.f.state && kind->maker->free_state)
		kind->maker->free_state(m.f.state);
	mer_arena_fini(&arena);
	return rc;
}
