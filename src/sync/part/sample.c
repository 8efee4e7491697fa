#include "sync/part/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sync/match/datagrams.h"

enum { LEVELS = 32 };
#define SECOND_NS INT64_C(1000000000)

struct sync_sample_group {
	uint64_t n[LEVELS + 1]; /* ends by zero bits of their hash; LEVELS: all of them are zero */
	unsigned level;		/* zero bits that a kept one has at least */
};

static bool is_always_kept(const struct sync_end *e)
{
	return (e->kind == SYNC_TCP && e->flags & SYNC_SYN) || e->kind == SYNC_VMSYNC ||
	       sync_is_datagram(e);
}

/* The same on both hosts. Another hash than that of the matcher's tables, whose low bits choose its
 * slots: kept ends would fill a few of them. */
static unsigned level_of(const struct sync_end *e)
{
	uint32_t hash = sync_hash(e->kind + SYNC_N_KINDS, e->seq, e->ack);
	return hash ? (unsigned)__builtin_ctz(hash) : LEVELS;
}

static uint64_t group_key(const struct sync_end *e)
{
	return (uint64_t)(e->is_send ? e->to : e->from) << 1 | e->is_send;
}

/* NULL: no memory. */
static struct sync_sample_group *group_of(struct sync_sample *s, const struct sync_end *e)
{
	uint32_t *at = mer_map_put(&s->group_of, group_key(e));
	if (!at)
		return NULL;
	if (!*at) {
		if (!mer_grow(&s->groups, s->n_groups, &s->cap_groups, sizeof(*s->groups)))
			return NULL;
		memset(&s->groups[s->n_groups], 0, sizeof(*s->groups));
		*at = (uint32_t)++s->n_groups;
	}
	return &s->groups[*at - 1];
}

static uint64_t all_of(const struct sync_sample_group *g)
{
	uint64_t n = 0;
	for (unsigned i = 0; i <= LEVELS; i++)
		n += g->n[i];
	return n;
}

/* The highest level that leaves so many of these counts. */
static unsigned level_that_leaves(const uint64_t n[LEVELS + 1], double wanted)
{
	double sum = 0;
	unsigned level = LEVELS + 1;
	while (level > 0 && sum < wanted)
		sum += (double)n[--level];
	return level;
}

static void choose_levels(struct sync_sample *s)
{
	uint64_t few[LEVELS + 1] = { 0 };
	for (size_t i = 0; i < s->n_groups; i++)
		for (unsigned k = 0; (double)all_of(&s->groups[i]) < s->per_second && k <= LEVELS;
			k++)
			few[k] += s->groups[i].n[k];
	unsigned of_few = level_that_leaves(few, s->per_second * SYNC_SAMPLE_FEW);
	for (size_t i = 0; i < s->n_groups; i++) {
		struct sync_sample_group *g = &s->groups[i];
		bool has_few = (double)all_of(g) < s->per_second;
		g->level = has_few ? of_few : level_that_leaves(g->n, s->per_second);
	}
}

/* Of the next second. */
static void forget_groups(struct sync_sample *s)
{
	enum { MANY = 4096 };
	for (size_t i = 0; i < s->n_groups; i++)
		memset(&s->groups[i], 0, sizeof(s->groups[i]));
	if (s->n_groups <= MANY)
		return;
	mer_map_fini(&s->group_of);
	s->group_of = (struct mer_map){ 0 };
	s->n_groups = 0;
}

/* Ends the second. */
static int flush(struct sync_sample *s, sync_sample_keep *keep, void *ctx, struct mer_err *err)
{
	int rc = 0;
	choose_levels(s);
	for (size_t i = 0; i < s->n && rc == 0; i++) {
		const struct sync_end *e = &s->ends[i];
		const struct sync_sample_group *g = group_of(s, e);
		if (!g)
			return mer_fail_nomem(err);
		if (is_always_kept(e) || level_of(e) >= g->level)
			rc = keep(ctx, e, err);
	}
	forget_groups(s);
	s->n = 0;
	return rc;
}

int sync_sample_add(struct sync_sample *s, const struct sync_end *e, sync_sample_keep *keep,
	void *ctx, struct mer_err *err)
{
	if (s->per_second <= 0)
		return keep(ctx, e, err);
	if (e->is_local)
		return 0;
	int64_t second = e->time / SECOND_NS - (e->time % SECOND_NS < 0);
	int rc = s->n && second != s->second ? flush(s, keep, ctx, err) : 0;
	if (rc)
		return rc;
	struct sync_sample_group *g = group_of(s, e);
	if (!g || !mer_grow(&s->ends, s->n, &s->cap, sizeof(*s->ends)))
		return mer_fail_nomem(err);
	g->n[level_of(e)]++;
	s->second = second;
	s->ends[s->n++] = *e;
	return 0;
}

int sync_sample_end(struct sync_sample *s, sync_sample_keep *keep, void *ctx, struct mer_err *err)
{
	return s->n ? flush(s, keep, ctx, err) : 0;
}

void sync_sample_fini(struct sync_sample *s)
{
	free(s->ends);
	free(s->groups);
	mer_map_fini(&s->group_of);
	*s = (struct sync_sample){ 0 };
}
