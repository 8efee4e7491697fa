/* Hull: adding messages one by one, and all that changes the state. The line's decimal digits are
 * in hull_line.c. */
#include "sync/classic/hull_state.h"
#include "base/grow.h"

#include <stdlib.h>

enum {
	/* Searches go on where the last one ended, so they hardly ever take a step. Only artificial
	 * clocks make them take many steps all the time, which would cost quadratic time. */
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
	return h;
}

void sync_hull_free(struct sync_hull *h)
{
	if (!h)
		return;
	free(h->sides[0].members);
	free(h->sides[1].members);
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

/* Appends p to the hull, and removes members that are no corners any more. */
static void append(struct sync_hull *h, struct hull_point p, bool forth)
{
	struct hull_side *s = &h->sides[forth];
	while (s->n >= 2) {
		int t = turn(p, s->members[s->n - 2], s->members[s->n - 1]);
		if (forth ? t >= 0 : t <= 0)
			break;
		s->n--;
	}
	struct hull_line *other = &h->lines[!forth];
	if (other->from_index >= s->n)
		other->from_index = SIZE_MAX;
	s->members[s->n++] = p;
	h->lines[forth].to = (struct hull_end){ p, true };
}

/* Moves the beginning of the line along the other side's hull as far as that brings it closer. The
 * newest member is not tried, as in the published tool: without a better one the beginning stays,
 * even at a point that has left its hull. */
static void adjust(struct sync_hull *h, bool forth)
{
	struct hull_line *l = &h->lines[forth];
	const struct hull_side *s = &h->sides[!forth];
	size_t i = l->from.is_set && l->from_index != SIZE_MAX ? l->from_index : 0;
	size_t tried = SIZE_MAX;
	while (i + 1 < s->n) {
		struct hull_point next = s->members[i + 1];
		int t = turn(s->members[i], next, l->to.p);
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
		l->from = (struct hull_end){ s->members[tried], true };
		l->from_index = tried;
	}
	if (l->from.is_set && l->from.p.x > l->to.p.x)
		l->from.is_set = false;
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

static int add_point(struct sync_hull *h, struct hull_point p, bool forth, struct mer_err *err)
{
	struct hull_side *s = &h->sides[forth];
	if (!mer_grow(&s->members, s->n, &s->cap, sizeof(*s->members)))
		return mer_fail_nomem(err);
	if (h->n_messages++ == 0)
		h->first = p;
	if (h->gave_up)
		return 0;
	bool qualifies = !inside(&h->lines[forth], p, forth);
	if (qualifies) {
		h->n_accurate++;
		append(h, p, forth);
	}
	adjust(h, forth);
	const struct hull_line *other = &h->lines[!forth];
	if (other->to.is_set && (!other->from.is_set || other->from_index == SIZE_MAX))
		adjust(h, !forth);
	if (qualifies)
		judge(h, p.x);
	if (h->n_steps / STEPS_PER_MESSAGE > h->n_messages + FREE_STEPS / STEPS_PER_MESSAGE) {
		h->gave_up = true;
		if (h->quality != SYNC_FAIL)
			fail_at(h, p.x);
	}
	return 0;
}

int sync_hull_add(struct sync_hull *h, bool forth, struct sync_message m, struct mer_err *err)
{
	struct hull_point p = forth ? (struct hull_point){ m.sent, m.received }
				    : (struct hull_point){ m.received, m.sent };
	return add_point(h, p, forth, err);
}
