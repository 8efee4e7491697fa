/* Track: splits the events into stretches without contradictions. Each stretch is followed forwards
 * and then backwards: the stay of an event that was not certain on the way forwards may be certain
 * on the way back. */
#include "sync/vcpu/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/lower_bound.h"

enum {
	/* This many contradicting events, each at most NEAR events after the previous one, are a
	 * jump of the clock. */
	JUMP = 4,
	NEAR = 32,
	PATIENCE = 4,	 /* stretches that fail before events are left out */
	MOST_SAVED = 64, /* ranges */
	/* Maximum of ranges to examine, for each event and in addition: with a schedule as regular
	 * as a comb, or without initial limits, each event may leave one range for every stay. */
	MOST_RANGES = 64,
	MOST_RANGES_BESIDES = 1 << 24,
	BITS_PROVEN = 16, /* of evidence: see add_evidence */
	BITS_LIKELY = 40
};

struct on_cpu { /* the last stay of a CPU that was counted as evidence */
	uint32_t stay;
	size_t stretch;
};

struct run {
	const struct sync_guest_events *g;
	struct sync_cpu_gaps *cpus;
	size_t n_cpus;
	const struct sync_track_options *o;
	struct sync_track *t;
	struct sync_feasible f;
	double *bits; /* by CPU: evidence of an event that fits */
	struct on_cpu *last;
	uint8_t *is_bad; /* by event: it contradicted on the way forwards; a block of spill */
	size_t limit;	 /* next limit to apply */
	size_t begin;	 /* of the stretch */
	/* Events that contradict soon after each other, and the set before the first of them. */
	size_t first_bad, last_bad, n_bad;
	struct sync_offsets saved[MOST_SAVED];
	size_t n_saved;
	int64_t saved_at;
	/* Where the last accepted stretch ended. */
	size_t certain_end;
	bool is_broken;
	bool is_doubtful; /* until the next limit */
	size_t n_stretches;
	uint64_t n_ranges; /* examined so far */
	unsigned n_failed; /* stretches that proved nothing, one after the other */
	struct mer_err *err;
};

/* sync_feasible_cut for an event on this CPU; counts the ranges. */
static enum sync_cut cut(struct run *r, struct sync_cpu_gaps *cpu)
{
	enum sync_cut result = sync_feasible_cut(&r->f, cpu);
	r->n_ranges += r->f.n;
	return result;
}

/* Is it too much to go on? Then what was followed so far counts. */
static bool is_too_much(const struct run *r)
{
	return r->n_ranges > (uint64_t)MOST_RANGES * r->t->n + MOST_RANGES_BESIDES;
}

static int add_gap(struct run *r, int64_t begin, int64_t end)
{
	struct sync_track *t = r->t;
	if (t->n_gaps && begin <= t->gaps[t->n_gaps - 1].end) {
		struct sync_range *last = &t->gaps[t->n_gaps - 1];
		*last = (struct sync_range){ begin < last->begin ? begin : last->begin,
			end > last->end ? end : last->end };
		return 0;
	}
	if (!mer_grow(&t->gaps, t->n_gaps, &t->cap_gaps, sizeof(*t->gaps)))
		return mer_fail_nomem(r->err);
	t->gaps[t->n_gaps++] = (struct sync_range){ begin, end };
	return 0;
}

static struct sync_cpu_gaps *cpu_of(const struct run *r, size_t event)
{
	uint32_t cpu = r->g->events[event].cpu;
	return cpu < r->n_cpus && r->cpus[cpu].n ? &r->cpus[cpu] : NULL;
}

/* ---- The end of a stretch ---- */

/* The evidence of the events that fit, in bits: a wrong offset would put an event into a stay with
 * the probability that the vCPU runs at all. Events of one stay count once. */
static double add_evidence(struct run *r, size_t begin, size_t end, int64_t *from)
{
	double bits = 0;
	*from = MER_NO_TIME;
	r->n_stretches++;
	for (size_t i = begin; i < end; i++) {
		uint32_t stay = r->t->stays[i], cpu = r->g->events[i].cpu;
		if (stay == SYNC_NO_STAY)
			continue;
		struct on_cpu *last = &r->last[cpu];
		if (last->stretch != r->n_stretches || last->stay != stay)
			bits += r->bits[cpu];
		*last = (struct on_cpu){ stay, r->n_stretches };
		if (*from == MER_NO_TIME)
			*from = r->g->events[i].time;
	}
	return bits;
}

static void pass_limits_back(struct run *r, size_t *limit, int64_t time)
{
	const struct sync_track_options *o = r->o;
	struct sync_feasible *f = &r->f;
	for (; *limit > 0 && o->limits[*limit - 1].at >= time; --*limit) {
		if (o->limits[*limit - 1].at > f->at)
			continue;
		sync_feasible_move(f, o->limits[*limit - 1].at);
		sync_feasible_within(f, o->limits[*limit - 1].range);
	}
}

/* Follows the stretch back from its last event, where f is, to its first.
 *
 * After a jump of the clock its exact time is unknown. The events between the jump and the first
 * contradiction were put into stays with offsets that were no longer valid. The offsets after the
 * jump fit these events, so they are followed beyond the first event of the stretch until they do
 * not fit: an event that both put into the same stay is certain. *fits: the first event that
 * fits. */
static int go_back(struct run *r, size_t begin, size_t end, size_t *fits)
{
	struct sync_feasible *f = &r->f;
	MER_LOWER_BOUND(limit, 0, r->o->n_limits, at, r->o->limits[at].at <= f->at);
	for (size_t i = end; i-- > (r->is_broken ? 0 : begin); *fits = i) {
		struct sync_cpu_gaps *cpu = cpu_of(r, i);
		int64_t time = r->g->events[i].time;
		uint32_t *stay = &r->t->stays[i];
		pass_limits_back(r, &limit, time);
		if (!cpu || r->is_bad[i])
			continue;
		sync_feasible_move(f, time);
		enum sync_cut result = cut(r, cpu);
		if (result == SYNC_CUT_NOMEM)
			return mer_fail_nomem(r->err);
		/* What is certain before this follows from earlier events. */
		if (result == SYNC_CUT_CONTRADICTS || is_too_much(r))
			return 0;
		uint32_t here = f->n == 1 ? (uint32_t)sync_stay_at(cpu, sync_add(time, f->v[0].low))
					  : SYNC_NO_STAY;
		if (i >= begin && *stay == SYNC_NO_STAY)
			*stay = here;
		else if (i >= begin && here != SYNC_NO_STAY && *stay != here)
			return 0;
		else if (i < begin && *stay != here)
			*stay = SYNC_NO_STAY;
	}
	return 0;
}

static int tell_gap(struct run *r, size_t fits, int64_t from)
{
	size_t i = fits < r->certain_end ? fits : r->certain_end;
	while (i > 0 && r->t->stays[i - 1] == SYNC_NO_STAY)
		i--;
	return add_gap(r, r->g->events[i ? i - 1 : 0].time, from);
}

static int end_stretch(struct run *r, size_t begin, size_t end, bool goes_back)
{
	int64_t from;
	size_t fits = begin;
	int rc = goes_back ? go_back(r, begin, end, &fits) : 0;
	if (rc)
		return rc;
	double bits = add_evidence(r, begin, end, &from);
	bool whole = begin == 0 && end == r->t->n;
	if (from == MER_NO_TIME || bits < (!r->o->is_proven ? BITS_LIKELY
						  : whole   ? 0
							    : BITS_PROVEN)) {
		for (size_t i = begin; i < end; i++)
			r->t->stays[i] = SYNC_NO_STAY;
		r->n_failed++;
		return 0;
	}
	r->n_failed = 0;
	if (r->is_broken)
		rc = tell_gap(r, fits, from);
	r->t->bits += bits;
	r->certain_end = end;
	r->is_broken = false;
	return rc;
}

/* ---- Forwards ---- */

static int begin_stretch(struct run *r, size_t event, size_t limit)
{
	const struct sync_track_options *o = r->o;
	r->begin = event;
	r->limit = limit + 1;
	r->n_bad = 0;
	r->is_doubtful = r->limit < o->n_limits && o->limits[r->limit].is_fresh;
	return sync_feasible_begin(&r->f, o->limits[limit].at, o->limits[limit].range)
		       ? 0
		       : mer_fail_nomem(r->err);
}

static int begin_at(struct run *r, size_t event)
{
	int64_t time = r->g->events[event < r->t->n ? event : r->t->n - 1].time;
	MER_LOWER_BOUND(after, 0, r->o->n_limits, at, r->o->limits[at].at <= time);
	return begin_stretch(r, event, after ? after - 1 : 0);
}

/* Applies the limits up to the event's time. If the clock may have jumped between two of them, a
 * stretch ends at the first, and the next one begins at the second. */
static int pass_limits(struct run *r, size_t event)
{
	const struct sync_track_options *o = r->o;
	int64_t time = r->g->events[event].time;
	int rc = 0;
	while (rc == 0 && r->limit < o->n_limits && o->limits[r->limit].at <= time) {
		const struct sync_offset_limit *l = &o->limits[r->limit];
		if (r->is_doubtful) {
			rc = begin_stretch(r, event, r->limit);
			continue;
		}
		sync_feasible_move(&r->f, l->at);
		sync_feasible_within(&r->f, l->range);
		r->limit++;
		r->is_doubtful = r->limit < o->n_limits && o->limits[r->limit].is_fresh;
		if (r->is_doubtful)
			rc = end_stretch(r, r->begin, event, true);
		if (r->is_doubtful) {
			r->begin = r->t->n;
			r->is_broken = true;
		}
	}
	return rc;
}

/* Handles an event that contradicts. *next: the event to continue with. */
static int miss(struct run *r, size_t i, size_t *next)
{
	struct sync_feasible *f = &r->f;
	if (r->n_bad && i - r->last_bad > NEAR)
		r->n_bad = 0;
	if (r->n_bad++ == 0) {
		r->first_bad = i;
		r->n_saved = f->n <= MOST_SAVED ? f->n : 0;
		memcpy(r->saved, f->v, r->n_saved * sizeof(*f->v));
		r->saved_at = f->at;
	}
	r->last_bad = i;
	r->is_bad[i] = true;
	*next = i + 1;
	if (r->n_bad < JUMP)
		return 0;
	size_t begin = r->begin, end = r->first_bad;
	for (size_t k = end; k <= i; k++) {
		r->t->stays[k] = SYNC_NO_STAY;
		r->is_bad[k] = false;
	}
	if (end > begin)
		*next = end;
	for (size_t k = 0; k < r->n_saved; k++)
		f->v[k] = r->saved[k];
	f->n = r->n_saved ? r->n_saved : f->n;
	f->at = r->saved_at;
	int rc = end_stretch(r, begin, end, r->n_saved > 0);
	r->is_broken = true;
	r->t->n_breaks++;
	/* If nothing fits for long, more and more events are skipped. They are processed on the way
	 * back from the first stretch that fits. */
	if (r->n_failed > 0 && !r->o->is_proven) {
		/* With this many offsets each attempt is expensive, and those of a real guest fit
		 * at once. */
		*next += r->t->n / 8;
	} else if (r->n_failed > PATIENCE) {
		size_t most = r->t->n / 64,
		       skip = (size_t)1 << (r->n_failed < 32 ? r->n_failed : 32);
		*next += skip < most ? skip : most;
	}
	return rc ? rc : begin_at(r, *next);
}

static int follow(struct run *r)
{
	int rc = begin_at(r, 0);
	for (size_t i = 0, next; i < r->t->n && rc == 0 && !is_too_much(r); i = next) {
		struct sync_cpu_gaps *cpu = cpu_of(r, i);
		next = i + 1;
		if (!cpu)
			continue;
		if (i % 65536 == 0 && mer_cancelled(r->o->cancel))
			return mer_fail(r->err, MER_ERR_CANCELLED, "cancelled");
		rc = pass_limits(r, i);
		if (rc)
			break;
		if (r->is_doubtful)
			continue;
		const struct sync_guest_event *ev = &r->g->events[i];
		sync_feasible_move(&r->f, ev->time);
		enum sync_cut result = cut(r, cpu);
		if (result == SYNC_CUT_NOMEM)
			rc = mer_fail_nomem(r->err);
		else if (result == SYNC_CUT_CONTRADICTS)
			rc = miss(r, i, &next);
		else if (r->f.n == 1)
			r->t->stays[i] =
				(uint32_t)sync_stay_at(cpu, sync_add(ev->time, r->f.v[0].low));
	}
	if (rc == 0 && r->begin < r->t->n)
		rc = end_stretch(r, r->begin, r->t->n, true);
	if (rc == 0 && r->is_broken)
		rc = tell_gap(r, r->t->n, r->g->events[r->t->n - 1].time);
	return rc;
}

/* ---- Begin and end ---- */

static int weigh(struct run *r)
{
	r->bits = calloc(r->n_cpus + 1, sizeof(*r->bits));
	r->last = calloc(r->n_cpus + 1, sizeof(*r->last));
	if (!r->bits || !r->last)
		return mer_fail_nomem(r->err);
	for (size_t c = 0; c < r->n_cpus; c++) {
		const struct sync_cpu_gaps *cpu = &r->cpus[c];
		double out = 0;
		for (size_t i = 0; i < cpu->n; i++)
			out += (double)(cpu->gaps[i].entry - cpu->gaps[i].exit);
		double all = cpu->n ? (double)(cpu->gaps[cpu->n - 1].entry - cpu->gaps[0].exit) : 0;
		if (all > 0)
			r->bits[c] = -log2(fmin(fmax(1 - out / all, 1e-3), 1));
	}
	return 0;
}

int sync_track_run(const struct sync_guest_events *g, struct sync_cpu_gaps *cpus, size_t n_cpus,
	const struct sync_track_options *o, struct sync_track *t, struct mer_err *err)
{
	struct run r = { .g = g, .cpus = cpus, .n_cpus = n_cpus, .o = o, .t = t, .err = err };
	*t = (struct sync_track){ .n = o->most && o->most < g->n ? o->most : g->n };
	if (!t->n || !o->n_limits)
		return 0;
	t->stays = mer_spill_array(o->spill, t->n, sizeof(*t->stays));
	r.is_bad = mer_spill_array(o->spill, t->n, sizeof(*r.is_bad));
	int rc = t->stays && r.is_bad ? weigh(&r) : mer_fail_nomem(err);
	sync_feasible_init(&r.f, o->max_drift);
	if (rc == 0) {
		memset(t->stays, 0xff, t->n * sizeof(*t->stays));
		rc = follow(&r);
	}
	for (size_t i = 0; i < t->n && rc == 0; i++) {
		const struct sync_cpu_gaps *cpu = cpu_of(&r, i);
		/* Before the first gap and after the last one the schedule says nothing. */
		if (!cpu || t->stays[i] == 0 || t->stays[i] == cpu->n)
			continue;
		t->n_looked_at++;
		t->n_certain += t->stays[i] != SYNC_NO_STAY;
		t->n_bad += r.is_bad[i];
	}
	mer_spill_release(r.is_bad);
	free(r.bits);
	free(r.last);
	sync_feasible_fini(&r.f);
	return rc;
}

bool sync_track_is_likely(const struct sync_track *t)
{
	return t->bits > 0 && t->n_bad <= t->n_looked_at / 100 &&
	       t->n_certain >= t->n_looked_at / 4;
}

void sync_track_fini(struct sync_track *t)
{
	mer_spill_release(t->stays);
	free(t->gaps);
	*t = (struct sync_track){ 0 };
}
