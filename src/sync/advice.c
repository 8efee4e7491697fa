#include "sync/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/plural.h"
#include "sync/limits/drift.h"
#include "sync/result_view.h"

enum {
	FEW = 8,	   /* messages in a direction, below which little can be said */
	WIDE_NS = 1000000, /* half width up to which clocks count as synchronized */
	VERY_WIDE_NS = 10000000,
	MANY_PERCENT = 5, /* of the messages left out: too many to be wrong matches */
	FAR_NS = 1000000  /* half a round trip from which on an asymmetry may matter */
};

/* A rate above this part of the limit counts as at the limit. */
static const double AT_LIMIT = 0.98;

struct mer_diag sync_advice_on(
	const struct sync_result *r, enum mer_severity severity, const char *code, uint32_t host)
{
	return (struct mer_diag){ .severity = severity,
		.code = code,
		.host = host < r->n_hosts ? r->hosts[host].name : NULL,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
}

struct sync_words sync_in_words(int64_t ns)
{
	struct sync_words s;
	double v = fabs((double)ns);
	static const struct {
		double unit;
		const char *name;
	} units[] = { { 86400e9, "d" }, { 3600e9, "h" }, { 60e9, "min" }, { 1e9, "s" },
		{ 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;
	/* A value that rounds up to the next unit is printed in it: not "1e+03 ms". */
	while (i + 1 < sizeof(units) / sizeof(units[0]) && v < units[i].unit * 0.9995)
		i++;
	snprintf(s.text, sizeof(s.text), "%.3g %s", (double)ns / units[i].unit, units[i].name);
	return s;
}

/* A time since the begin of the host's traces: instants close together remain distinct. */
struct since {
	char text[36];
};

static struct since since_begin(const struct sync_host *h, int64_t t, int digits)
{
	struct since s;
	int n = snprintf(
		s.text, sizeof(s.text), "%.*f", digits, (double)sync_sub(t, h->span.begin) * 1e-9);
	while (n > 0 && s.text[n - 1] == '0')
		n--;
	n -= n > 0 && s.text[n - 1] == '.';
	snprintf(s.text + n, sizeof(s.text) - (size_t)n, " s");
	return s;
}

/* Since the begin of the host's traces. */
static struct sync_words words_since_begin(const struct sync_host *h, int64_t t)
{
	struct sync_words s;
	snprintf(s.text, sizeof(s.text), "%s", since_begin(h, t, 3).text);
	return s;
}

struct sync_words sync_range_words(const struct sync_host *h, struct sync_range range)
{
	struct since from, to;
	struct sync_words s;
	for (int digits = 3; digits <= 9; digits += 3) {
		from = since_begin(h, range.begin, digits);
		to = since_begin(h, range.end, digits);
		if (strcmp(from.text, to.text) != 0)
			break;
	}
	if (strcmp(from.text, to.text) == 0)
		snprintf(s.text, sizeof(s.text), "at %s", from.text);
	else
		snprintf(s.text, sizeof(s.text), "between %s and %s", from.text, to.text);
	return s;
}

void sync_advise_drift(struct sync_result *r, double said, double rate)
{
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-drift", UINT32_MAX);
	mer_diag_add(&r->diags, &d,
		"the messages contradict a drift of at most %.0f ppm; the bounds are computed for %.0f ppm instead",
		said * 1e6, rate * 1e6);
}

void sync_advise_seen_drift(struct sync_result *r, double seen_ppm)
{
	struct mer_diag d = sync_advice_on(r, MER_NOTE, "sync-drift-seen", UINT32_MAX);
	mer_diag_add(&r->diags, &d,
		"the clocks were seen to drift apart by up to %.0f ppm; the bounds hold if it was never more than %.0f ppm",
		seen_ppm, r->max_drift_ppm);
}

void sync_advise_conflict(struct sync_result *r, uint32_t from, uint32_t to, size_t n)
{
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-conflict", from);
	d.count = n;
	mer_diag_add(&r->diags, &d,
		"messages from %s to %s contradict those of the other hosts and are ignored",
		r->hosts[from].name, r->hosts[to].name);
}

void sync_advise_inconsistent(struct sync_result *r, uint32_t group)
{
	enum { NAMES = 200 };
	char names[NAMES + 80] = "";
	size_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts && n < NAMES; h++)
		if (r->hosts[h].group == group)
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.32s",
				n ? ", " : "", r->hosts[h].name);
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-inconsistent", UINT32_MAX);
	d.remedy = MER_REMEDY_LATENCIES;
	mer_diag_add(&r->diags, &d,
		"the messages between %s%s contradict each other, whatever the clocks did: the errors of these clocks are not known",
		names, n < NAMES ? "" : ", ...");
}

void sync_advise_no_line(struct sync_result *r, uint32_t host, const char *why)
{
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-no-line", host);
	mer_diag_add(&r->diags, &d, "%s keeps its recorded clock: %s", r->hosts[host].name, why);
}

/* ---- Pairs ---- */

static void grade_pair(struct sync_result *r, struct sync_pair *p)
{
	/* Rounds go both ways. */
	uint64_t ab = p->ab.before.n + p->n_rounds / 2, ba = p->ba.before.n + p->n_rounds / 2;
	const char *a = r->hosts[p->a].name, *b = r->hosts[p->b].name;
	if (r->method == SYNC_HULL) {
		p->quality = p->line.quality;
		if (p->quality == SYNC_FAIL) {
			struct mer_diag d =
				sync_advice_on(r, MER_WARNING, "sync-no-straight-line", p->b);
			d.remedy = MER_REMEDY_METHOD_AUTO;
			mer_diag_add(&r->diags, &d,
				"no straight line fits the clocks of %s and %s after %s; the last line that fitted is used",
				a, b, words_since_begin(&r->hosts[p->a], p->line.failed_at).text);
		}
	} else if (ab + ba == 0) {
		p->quality = SYNC_ABSENT;
	} else if (ab == 0 || ba == 0) {
		p->quality = SYNC_INCOMPLETE;
	} else {
		p->quality = p->n_rejected || p->bound.median > WIDE_NS || ab < FEW || ba < FEW
				     ? SYNC_APPROXIMATE
				     : SYNC_ACCURATE;
	}
	if (p->n_rejected * 100 > (ab + ba) * MANY_PERCENT) {
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-max-drift", p->b);
		d.count = p->n_rejected;
		d.remedy = MER_REMEDY_DRIFT_LIMIT;
		mer_diag_add(&r->diags, &d,
			"%" PRIu64 " of %" PRIu64
			" messages between %s and %s %s the others: too many for wrong matches; these clocks may drift by more than the limit, %.0f ppm",
			p->n_rejected, ab + ba, a, b,
			mer_plural(p->n_rejected, "contradicts", "contradict"), r->max_drift_ppm);
	} else if (p->n_rejected) {
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-rejected", p->b);
		d.count = p->n_rejected;
		mer_diag_add(&r->diags, &d,
			"%" PRIu64 " of %" PRIu64
			" messages between %s and %s %s all others; rejected as wrong matches (if they are real, the bounds are too narrow)",
			p->n_rejected, ab + ba, a, b,
			mer_plural(p->n_rejected, "contradicts", "contradict"));
	}
	/* It does not matter if other pairs limit both sides. */
	bool matters = r->hosts[p->a].bound.median == INT64_MAX ||
		       r->hosts[p->b].bound.median == INT64_MAX;
	if ((ab == 0) != (ba == 0) && matters) {
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-one-way", p->b);
		d.count = ab + ba;
		mer_diag_add(&r->diags, &d,
			"messages go from %s to %s only: the clocks are limited on one side; record traffic in the other direction too (ping is enough)",
			ab ? a : b, ab ? b : a);
	} else if (ab && ba && (ab < FEW || ba < FEW)) {
		struct mer_diag d = sync_advice_on(r, MER_NOTE, "sync-few", p->b);
		d.count = ab + ba;
		mer_diag_add(&r->diags, &d,
			"only %" PRIu64 " and %" PRIu64
			" messages between %s and %s, one number for each direction; more traffic makes the bounds narrower",
			ab, ba, a, b);
	}
	/* The estimate makes both least latencies equal; only their sum is meaningful. */
	int64_t x = p->ab.after.min, y = p->ba.after.min, half = x / 2 + y / 2;
	if (ab >= FEW && ba >= FEW && x >= 0 && y >= 0 && half >= FAR_NS) {
		struct mer_diag d = sync_advice_on(r, MER_NOTE, "sync-asymmetry", p->b);
		mer_diag_add(&r->diags, &d,
			"the fastest messages between %s and %s took %s there and back: if one direction is slower than the other, the offset is wrong by half of the difference, up to %s; messages cannot show that",
			a, b, sync_in_words(sync_add(x, y)).text, sync_in_words(half).text);
	}
}

/* ---- Hosts ---- */

static void report_breaks(struct sync_result *r, uint32_t number)
{
	const struct sync_host *h = &r->hosts[number];
	bool up = false, down = false;
	for (size_t i = 0; i < h->n_steps; i++) {
		const struct sync_step *s = &h->steps[i];
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-step", number);
		mer_diag_add(&r->diags, &d,
			s->size_ns < 0
				? "the clock of %s stood still or was set back by about %s %s after the start of its traces; its offset in between is unknown"
				: "the clock of %s jumped ahead by about %s %s after the start of its traces; its offset in between is unknown",
			h->name,
			sync_in_words(s->size_ns < 0 ? sync_sub(0, s->size_ns) : s->size_ns).text,
			sync_range_words(h, s->range).text);
		up |= s->size_ns > 0;
		down |= s->size_ns < 0;
	}
	for (size_t i = 0; i < h->n_slews; i++) {
		const struct sync_slew *s = &h->slews[i];
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-slew", number);
		d.remedy = MER_REMEDY_DRIFT_LIMIT;
		mer_diag_add(&r->diags, &d,
			"the clock of %s ran at %+.0f ppm or more %s after the start of its traces, beyond the limit; the bounds allow up to %.0f ppm there",
			h->name, s->ppm, sync_range_words(h, s->range).text, s->allowed_ppm);
		up |= s->ppm > 0;
		down |= s->ppm < 0;
	}
	if (h->n_steps + h->n_slews >= 3 && up && down) {
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-sawtooth", number);
		mer_diag_add(&r->diags, &d,
			"the clock of %s is pulled back and forth: two time sources at once? (see 'chronyc sources'; keep NTP or PTP, not both)",
			h->name);
	}
}

/* Do all limits of this host come from clean pairs? */
static bool all_clean(const struct sync_result *r, uint32_t host)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		if ((p->a == host || p->b == host) &&
			(p->n_rejected || p->ab.after.n_inversions || p->ba.after.n_inversions))
			return false;
	}
	return true;
}

/* The classic method's quality of a host: the best of its pairs, because the worst on its way to
 * the reference is not kept. SYNC_FAIL if a pair failed and none is at least approximate. */
static enum sync_quality best_of_pairs(const struct sync_result *r, uint32_t host)
{
	enum sync_quality best = SYNC_ABSENT;
	bool fail = false;
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		if (p->a != host && p->b != host)
			continue;
		fail |= p->line.quality == SYNC_FAIL;
		if (p->line.quality != SYNC_FAIL && p->line.quality > best)
			best = p->line.quality;
	}
	return fail && best < SYNC_APPROXIMATE ? SYNC_FAIL : best;
}

/* Finds the pair with the widest bound on the way to the reference. */
static void weakest(const struct sync_result *r, uint32_t host, uint32_t ends[2])
{
	int64_t most = -1;
	ends[0] = host;
	ends[1] = r->references[r->hosts[host].group];
	for (uint32_t n = 0, h = host; n < r->n_hosts && r->hosts[h].via < r->n_hosts; n++) {
		const struct sync_host *at = &r->hosts[h];
		if (at->via_open > most) {
			most = at->via_open;
			ends[0] = h;
			ends[1] = at->via;
		}
		h = at->via;
	}
}

static void grade_host(struct sync_result *r, uint32_t number)
{
	struct sync_host *h = &r->hosts[number];
	bool alone = true;
	for (uint32_t o = 0; o < r->n_hosts && alone; o++)
		alone = o == number || r->hosts[o].group != h->group;
	if (h->quality == SYNC_REFERENCE) {
		if (alone && r->n_hosts > 1) {
			h->quality = SYNC_ABSENT;
			h->bound =
				(struct sync_bound){ INT64_MAX, INT64_MAX, INT64_MAX, MER_NO_TIME };
		}
		return;
	}
	report_breaks(r, number);
	if (h->quality == SYNC_FAIL) /* its messages contradict each other */
		return;
	if (h->method == SYNC_HULL) {
		h->quality = best_of_pairs(r, number);
		return;
	}
	if (h->bound.median == INT64_MAX) {
		h->quality = SYNC_INCOMPLETE;
		return;
	}
	bool clean = all_clean(r, number) && h->n_steps + h->n_slews == 0;
	/* The likely error if it is smaller than the proven bound. */
	const struct sync_bound *b =
		h->likely_off.median < h->bound.median ? &h->likely_off : &h->bound;
	bool exact = b->median <= WIDE_NS && b->max <= VERY_WIDE_NS;
	/* At the drift limit the clock may drift even more, and then the bounds are wrong. */
	bool at_limit = h->method == SYNC_AUTO &&
			fabs(sync_host_drift_ppm(h)) >= AT_LIMIT * r->max_drift_ppm;
	if (at_limit) {
		struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-at-limit", number);
		d.remedy = MER_REMEDY_DRIFT_LIMIT;
		mer_diag_add(&r->diags, &d,
			"the clock of %s drifts by %+.2f ppm, as much as is allowed: if it drifts more, the bounds are wrong",
			h->name, sync_host_drift_ppm(h));
	}
	h->quality = h->method == SYNC_AUTO && clean && exact && !at_limit ? SYNC_ACCURATE
									   : SYNC_APPROXIMATE;
	if (!exact && h->bound.max < INT64_MAX) {
		struct mer_diag d = sync_advice_on(r, MER_NOTE, "sync-wide", number);
		d.remedy = MER_REMEDY_DRIFT_LIMIT;
		uint32_t ends[2];
		weakest(r, number, ends);
		mer_diag_add(&r->diags, &d,
			"the bound of %s's clock is %s (median) and %s (max, %s after the start of its traces): bounds widen by %.0f us per second without traffic; record some traffic between %s and %s all the time (ping), or lower the limit if the clocks are known to keep it",
			h->name, sync_in_words(h->bound.median).text,
			sync_in_words(h->bound.max).text,
			words_since_begin(h, h->bound.max_at).text, r->max_drift_ppm,
			r->hosts[ends[0]].name, r->hosts[ends[1]].name);
	}
}

static void report_groups(struct sync_result *r)
{
	if (r->n_groups < 2)
		return;
	char names[400] = "";
	size_t n = 0;
	for (uint32_t g = 0; g < r->n_groups && n + 80 < sizeof(names); g++) {
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s{", g ? ", " : "");
		bool first = true;
		for (uint32_t h = 0; h < r->n_hosts && n + 80 < sizeof(names); h++) {
			if (r->hosts[h].group != g)
				continue;
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.32s",
				first ? "" : " ", r->hosts[h].name);
			first = false;
		}
		n += (size_t)snprintf(names + n, sizeof(names) - n, "}");
	}
	struct mer_diag d = sync_advice_on(r, MER_WARNING, "sync-groups", UINT32_MAX);
	d.count = r->n_groups;
	mer_diag_add(&r->diags, &d,
		"no messages between these groups of hosts were recorded, so their times cannot be compared: %s",
		names);
}

void sync_advise(struct sync_result *r)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		struct sync_host *a = &r->hosts[p->a], *b = &r->hosts[p->b];
		a->via_open = a->via == p->b ? p->bound.max : a->via_open;
		b->via_open = b->via == p->a ? p->bound.max : b->via_open;
		grade_pair(r, &r->pairs[i]);
	}
	for (uint32_t h = 0; h < r->n_hosts; h++)
		grade_host(r, h);
	report_groups(r);
}
