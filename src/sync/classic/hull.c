/* Hull: adding messages one by one, and all that changes the state. The line's decimal digits are
 * in hull_line.c, its JSON in hull_json.c.
 *
 * A message that lies inside both lines changes nothing. The others, and the first few whatever
 * they do, are the history: adding them again in their order gives the same state, which is how a
 * hull is merged and read back. Once both directions were seen it hardly grows any more. When it
 * does all the same (one direction only, hostile clocks), messages that the hulls have dropped
 * since are forgotten. */
#include "sync/classic/hull_state.h"
#include "base/grow.h"

#include <stdlib.h>

enum {
	KEEP_ALL = 1024, /* messages */
	FIRST_MAX_HISTORY = 1 << 16,
	/* Searches go on where the last one ended, so they hardly ever take a step. Clocks that
	 * make them do it all the time are made up, and would cost quadratic time. */
	STEPS_PER_MESSAGE = 256,
	FREE_STEPS = 1 << 26 /* a quarter of a second */
};

const char *sync_quality_name(enum sync_quality q)
{
	static const char *const names[] = {
		[SYNC_ABSENT] = "absent",
		[SYNC_INCOMPLETE] = "incomplete",
		[SYNC_APPROXIMATE] = "approximate",
		[SYNC_ACCURATE] = "accurate",
		[SYNC_FAIL] = "fail",
		[SYNC_REFERENCE] = "reference",
	};
	return names[q];
}

struct sync_hull *sync_hull_new(void)
{
	struct sync_hull *h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->failed_at = MER_NO_TIME;
	h->max_history = FIRST_MAX_HISTORY;
	return h;
}

void sync_hull_free(struct sync_hull *h)
{
	if (!h)
		return;
	free(h->sides[0].members);
	free(h->sides[1].members);
	free(h->history);
	free(h);
}

/* --- Geometry, exact for all 64-bit times ----------------------------------------------------- */

struct product {
	unsigned __int128 magnitude;
	bool negative;
};

static struct product product(struct hull_difference a, struct hull_difference b)
{
	unsigned __int128 m = (unsigned __int128)a.magnitude * b.magnitude;
	return (struct product){ m, m && a.negative != b.negative };
}

static int compare(struct product a, struct product b)
{
	if (a.negative != b.negative)
		return a.negative ? -1 : 1;
	if (a.magnitude == b.magnitude)
		return 0;
	return (a.magnitude < b.magnitude) != a.negative ? -1 : 1;
}

/* Sign of the cross product (a - o) x (b - o): above 0 when b lies to the left of the way from o
 * to a. */
static int turn(struct hull_point o, struct hull_point a, struct hull_point b)
{
	return compare(product(hull_difference(a.x, o.x), hull_difference(b.y, o.y)),
		product(hull_difference(a.y, o.y), hull_difference(b.x, o.x)));
}

/* Is the line of greatest slope steeper than the one of least? A vertical one counts as slope 1. */
static bool lines_leave_room(const struct hull_line lines[2])
{
	struct hull_difference dx[2], dy[2];
	for (int i = 0; i < 2; i++) {
		dx[i] = hull_difference(lines[i].to.p.x, lines[i].from.p.x);
		dy[i] = hull_difference(lines[i].to.p.y, lines[i].from.p.y);
		if (dx[i].magnitude == 0)
			dx[i] = dy[i] = (struct hull_difference){ 1, false };
	}
	return compare(product(dy[true], dx[false]), product(dy[false], dx[true])) > 0;
}

/* --- The method ------------------------------------------------------------------------------- */

static bool inside(const struct hull_line *l, struct hull_point p, bool forth)
{
	int t = turn(p, l->from.p, l->to.p);
	return l->from.is_set && l->to.is_set && (forth ? t >= 0 : t <= 0);
}

/* Puts p behind the hull; members that are no corners any more go. */
static void append(struct sync_hull *h, struct hull_point p, bool forth)
{
	struct hull_side *s = &h->sides[forth];
	while (s->n >= 2) {
		int t = turn(p, s->members[s->n - 2].p, s->members[s->n - 1].p);
		if (forth ? t >= 0 : t <= 0)
			break;
		s->n--;
	}
	struct hull_line *other = &h->lines[!forth];
	if (other->from_index >= s->n)
		other->from_index = SIZE_MAX;
	s->members[s->n++] = (struct hull_member){ p, h->n_history };
	h->lines[forth].to = (struct hull_end){ p, true };
}

/* Moves the beginning of the line along the other side's hull as far as that brings it closer. The
 * newest member is not tried, as in the published tool: without a better one the beginning stays,
 * even at a point that has left its hull. Returns whether it moved. */
static bool adjust(struct sync_hull *h, bool forth)
{
	struct hull_line *l = &h->lines[forth];
	const struct hull_side *s = &h->sides[!forth];
	const struct hull_line before = *l;
	size_t i = l->from.is_set && l->from_index != SIZE_MAX ? l->from_index : 0;
	size_t tried = SIZE_MAX;
	while (i + 1 < s->n) {
		struct hull_point next = s->members[i + 1].p;
		int t = turn(s->members[i].p, next, l->to.p);
		tried = i;
		h->n_steps++;
		if (forth ? t >= 0 : t <= 0) {
			l->from.is_set = false;
			break;
		}
		if (next.x >= l->to.p.x) {
			l->from.is_set = false;
			break;
		}
		i++;
	}
	if (!l->from.is_set && tried != SIZE_MAX) {
		l->from = (struct hull_end){ s->members[tried].p, true };
		l->from_index = tried;
	}
	if (l->from.is_set && l->from.p.x > l->to.p.x)
		l->from.is_set = false;
	return l->from.is_set != before.from.is_set || l->from_index != before.from_index;
}

static void fail_at(struct sync_hull *h, int64_t x)
{
	h->quality = SYNC_FAIL;
	h->failed_at = x;
}

static void judge(struct sync_hull *h, int64_t x)
{
	if (h->quality == SYNC_FAIL)
		return;
	bool max = h->lines[true].from.is_set, min = h->lines[false].from.is_set;
	if (!max && !min) {
		/* Both sides have points but no line yet: whatever was known before stays. */
		if (!h->lines[true].to.is_set || !h->lines[false].to.is_set)
			h->quality = SYNC_INCOMPLETE;
		return;
	}
	if (max && min && !lines_leave_room(h->lines)) {
		fail_at(h, x);
		return;
	}
	h->quality = max && min ? SYNC_ACCURATE : SYNC_APPROXIMATE;
	h->good[false] = h->lines[false];
	h->good[true] = h->lines[true];
}

/* --- The history ------------------------------------------------------------------------------ */

/* Keeps what led to a failure, and the members of the hulls. */
static void forget(struct sync_hull *h)
{
	size_t next[2] = { 0, 0 }, kept = 0;
	for (size_t i = 0; i < h->n_history; i++) {
		struct hull_side *s = &h->sides[h->history[i].forth];
		size_t *m = &next[h->history[i].forth];
		bool member = *m < s->n && s->members[*m].kept == i;
		if (member)
			s->members[(*m)++].kept = kept;
		if (member || i < h->n_before_failure)
			h->history[kept++] = h->history[i];
	}
	h->n_history = kept;
	if (kept > h->max_history / 2)
		h->max_history *= 2;
}

static int make_room(struct sync_hull *h, bool forth, struct mer_err *err)
{
	if (h->n_history >= h->max_history)
		forget(h);
	struct hull_side *s = &h->sides[forth];
	if (!mer_grow(&s->members, s->n, &s->cap, sizeof(*s->members)) ||
		!mer_grow(&h->history, h->n_history, &h->cap_history, sizeof(*h->history)))
		return mer_fail_nomem(err);
	return 0;
}

static int add_point(struct sync_hull *h, struct hull_point p, bool forth, struct mer_err *err)
{
	int rc = make_room(h, forth, err);
	if (rc)
		return rc;
	if (h->n_messages++ == 0)
		h->first = p;
	if (h->gave_up)
		return 0;
	bool failed = h->quality == SYNC_FAIL;
	bool qualifies = !inside(&h->lines[forth], p, forth);
	if (qualifies) {
		h->n_accurate++;
		append(h, p, forth);
	}
	bool changed = adjust(h, forth) || qualifies;
	const struct hull_line *other = &h->lines[!forth];
	if (other->to.is_set && (!other->from.is_set || other->from_index == SIZE_MAX))
		changed |= adjust(h, !forth);
	if (qualifies)
		judge(h, p.x);
	if (changed || h->n_messages <= KEEP_ALL)
		h->history[h->n_history++] = (struct hull_kept){ p, forth };
	if (h->n_steps / STEPS_PER_MESSAGE > h->n_messages + FREE_STEPS / STEPS_PER_MESSAGE) {
		h->gave_up = true;
		if (!failed)
			fail_at(h, p.x);
	}
	if (h->quality == SYNC_FAIL && !failed)
		h->n_before_failure = h->n_history;
	return 0;
}

int sync_hull_add(struct sync_hull *h, bool forth, struct sync_message m, struct mer_err *err)
{
	struct hull_point p = forth ? (struct hull_point){ m.sent, m.received }
				    : (struct hull_point){ m.received, m.sent };
	return add_point(h, p, forth, err);
}

int sync_hull_merge(struct sync_hull *h, const struct sync_hull *other, struct mer_err *err)
{
	/* Not read later: other may be h itself. */
	const size_t n = other->n_messages, before = h->n_messages, n_history = other->n_history;
	const struct hull_point first = other->first;
	const bool gave_up = other->gave_up;
	const int64_t failed_at = other->failed_at;
	for (size_t i = 0; i < n_history; i++) {
		struct hull_kept c = other->history[i];
		int rc = add_point(h, c.p, c.forth, err);
		if (rc)
			return rc;
	}
	if (before == 0)
		h->first = first;
	h->n_messages = before + n;
	if (gave_up && h->quality != SYNC_FAIL)
		fail_at(h, failed_at);
	h->gave_up |= gave_up;
	return 0;
}

size_t sync_hull_n_points(const struct sync_hull *h, bool forth)
{
	return h->sides[forth].n;
}

struct sync_message sync_hull_point(const struct sync_hull *h, bool forth, size_t i)
{
	struct hull_point p = h->sides[forth].members[i].p;
	return forth ? (struct sync_message){ p.x, p.y } : (struct sync_message){ p.y, p.x };
}
