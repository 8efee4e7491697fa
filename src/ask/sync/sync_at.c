/* --at: what an instant of one machine's clock is on every other machine's.
 *
 * By way of the reference: the instant's limits there, each taken to the other machine and widened
 * by the limits that it has. Both hold whatever the clocks did in between, so the result does. */
#include <string.h>

#include "ask/sync/sync_answer.h"
#include "ask/sync/sync_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"

struct question {
	uint32_t host;
	int64_t time;
};

struct converted {
	int64_t time, low, high; /* MER_NO_TIME, INT64_MIN, INT64_MAX: nothing can be said */
	int64_t likely;		 /* off by; INT64_MAX: not known */
};

/* The length of a host's name that text begins with, before a colon; names may have colons too. */
static size_t host_prefix(const struct ask_sync *s, const char *text)
{
	size_t best = 0;
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		size_t len = strlen(s->e->hosts[h].name);
		if (strncmp(text, s->e->hosts[h].name, len) == 0 && text[len] == ':' && len > best)
			best = len;
	}
	return best;
}

/* "HOST:TIME", or a further TIME of the host before. */
static int read_question(struct ask_sync *s, const char *text, bool first, struct question *q)
{
	struct session_moment m;
	struct mer_err why = { 0 };
	size_t len = host_prefix(s, text);
	if (!len && (first || session_moment_parse(&m, text, &why))) {
		const char *colon = strchr(text, ':');
		if (!colon)
			return mer_fail(&s->ask->err, MER_ERR_USAGE,
				"--at: expected HOST:TIME, found '%.100s'", text);
		return ask_sync_find_host(s, "--at", text, (size_t)(colon - text), &q->host);
	}
	if (len) {
		int rc = ask_sync_find_host(s, "--at", text, len, &q->host);
		if (!rc && session_moment_parse(&m, text + len + 1, &why))
			rc = mer_fail(&s->ask->err, MER_ERR_USAGE, "--at: %s", why.text);
		if (rc)
			return rc;
	}
	const struct sync_range *span = &s->found.hosts[q->host].span;
	q->time = session_moment_resolve(&m, span->begin == MER_NO_TIME ? 0 : span->begin,
		span->end == MER_NO_TIME ? 0 : span->end, 0);
	return 0;
}

/* Did the host's clock jump then, or run beyond the allowed drift? What is likely follows from how
 * it runs otherwise. */
static bool is_odd(const struct sync_host *h, int64_t t)
{
	for (size_t i = 0; i < h->n_steps; i++)
		if (h->steps[i].range.begin <= t && t <= h->steps[i].range.end)
			return true;
	for (size_t i = 0; i < h->n_slews; i++)
		if (h->slews[i].range.begin <= t && t <= h->slews[i].range.end)
			return true;
	return false;
}

static struct converted ask_for(const struct sync_result *r, struct question q, uint32_t host)
{
	struct converted a = { MER_NO_TIME, INT64_MIN, INT64_MAX, INT64_MAX };
	int64_t low, high, unused;
	if (r->hosts[host].group != r->hosts[q.host].group)
		return a;
	a.time = trace_unmap_time(
		&r->hosts[host].map, trace_map_time(&r->hosts[q.host].map, q.time));
	int64_t from = sync_host_likely(r, q.host, q.time), to = sync_host_likely(r, host, a.time);
	if (from != INT64_MAX && to != INT64_MAX)
		a.likely = sync_add(from, to);
	sync_host_limits(r, q.host, q.time, &low, &high);
	if (low != INT64_MIN)
		sync_host_limits_back(r, host, low, &a.low, &unused);
	if (high != INT64_MAX)
		sync_host_limits_back(r, host, high, &unused, &a.high);
	/* Where a limit is withheld the clock may have jumped, too. */
	if (a.low == INT64_MIN || a.high == INT64_MAX || is_odd(&r->hosts[q.host], q.time) ||
		is_odd(&r->hosts[host], a.time))
		a.likely = INT64_MAX;
	return a;
}

/* People see how much earlier and later it may be. */
static struct mer_cell distance(int64_t from, int64_t to)
{
	return from == INT64_MIN || to == INT64_MAX ? MER_NONE
						    : MER_INT(mer_time_between(from, to));
}

static void put_text(struct ask_sync *s, struct question q, struct mer_str *out)
{
	enum { HOST, TIME, LIKELY, EARLIER, LATER, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[TIME] = { "time", "Its clock", MER_DATE },
		[LIKELY] = { "likely_ns", "Likely", MER_DURATION },
		[EARLIER] = { "earlier_ns", "Earlier by", MER_DURATION },
		[LATER] = { "later_ns", "Later by", MER_DURATION },
	};
	struct mer_table t;
	bool all = true;
	const char *name = s->e->hosts[q.host].name;
	mer_str_puts(out, "When the clock of ");
	ask_text_clean(out, name, strlen(name), false);
	mer_str_puts(out, " shows ");
	ask_text_time(out, q.time);
	mer_str_puts(out, ":\n");
	mer_table_init(&t, "at", NULL, columns, NULL);
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		struct converted a = ask_for(s->result, q, h);
		if (h == q.host)
			continue;
		bool comparable = a.time != MER_NO_TIME;
		all &= comparable && a.low != INT64_MIN && a.high != INT64_MAX;
		struct mer_cell row[N] = {
			[HOST] = mer_text(s->e->hosts[h].name),
			[TIME] = mer_int_unless(a.time, MER_NO_TIME),
		};
		if (comparable) {
			row[LIKELY] = mer_int_unless(a.likely, INT64_MAX);
			row[EARLIER] = distance(a.low, a.time);
			row[LATER] = distance(a.time, a.high);
		}
		mer_table_add(&t, row);
	}
	ask_table_text(&t, out, (size_t)ask_width(s->ask), s->ask->bold_out, s->ask->ascii);
	if (!all)
		mer_str_puts(out,
			"-: unknown: the clock jumped there, or no messages limit the error.\n");
	out->failed |= t.failed;
	mer_table_fini(&t);
}

static void add_at(struct ask_sync *s, const struct question *q, size_t n, struct answer *to)
{
	enum { FROM_HOST, FROM_TIME, HOST, TIME, LOW, HIGH, LIKELY, N };
	static const struct mer_column columns[N + 1] = {
		[FROM_HOST] = { "from_host", "From", MER_TEXT },
		[FROM_TIME] = { "from_time", "Time", MER_DATE },
		[HOST] = { "host", "Host", MER_TEXT },
		[TIME] = { "time", "Its clock", MER_DATE },
		[LOW] = { "low", "At least", MER_DATE },
		[HIGH] = { "high", "At most", MER_DATE },
		[LIKELY] = { "likely_ns", "Likely", MER_DURATION },
	};
	struct mer_table *t = answer_add(to, "at", "Times on other clocks", columns);
	for (size_t i = 0; i < n; i++)
		for (uint32_t h = 0; h < s->e->n_hosts; h++) {
			struct converted a = ask_for(s->result, q[i], h);
			if (h == q[i].host)
				continue;
			mer_table_add(
				t, (struct mer_cell[N]){
					   [FROM_HOST] = mer_text(s->e->hosts[q[i].host].name),
					   [FROM_TIME] = MER_INT(q[i].time),
					   [HOST] = mer_text(s->e->hosts[h].name),
					   [TIME] = mer_int_unless(a.time, MER_NO_TIME),
					   [LOW] = mer_int_unless(a.low, INT64_MIN),
					   [HIGH] = mer_int_unless(a.high, INT64_MAX),
					   [LIKELY] = mer_int_unless(a.likely, INT64_MAX),
				   });
		}
}

/* The times, also where no other host is. */
static void add_given(
	const struct ask_sync *s, const struct question *q, size_t n, struct answer *to)
{
	enum { HOST, TIME, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[TIME] = { "time", "Time", MER_DATE },
	};
	struct mer_table *t = answer_add_beside(to, "given", "Times that were given", columns);
	for (size_t i = 0; i < n; i++)
		mer_table_add(t, (struct mer_cell[N]){
					 [HOST] = mer_text(s->e->hosts[q[i].host].name),
					 [TIME] = MER_INT(q[i].time),
				 });
}

static int print_answer(struct ask_sync *s, const struct question *q, size_t n)
{
	struct answer a;
	ask_sync_answer_init(s, &a);
	add_at(s, q, n, &a);
	add_given(s, q, n, &a);
	ask_sync_add_clocks(s->result, &a);
	int rc = ask_answer_print(s->ask, &a);
	answer_fini(&a);
	return rc;
}

int ask_sync_print_at(struct ask_sync *s, const struct session_texts *at)
{
	struct mer_str out = { 0 };
	struct question *q = mer_arena_zalloc(&s->ask->arena, at->n, sizeof(*q));
	int rc = q ? 0 : mer_fail_nomem(&s->ask->err);
	for (size_t i = 0; !rc && i < at->n; i++) {
		if (i)
			q[i].host = q[i - 1].host;
		rc = read_question(s, at->item[i], i == 0, &q[i]);
	}
	if (!rc && s->ask->format != ASK_FORMAT_TABLE)
		return print_answer(s, q, at->n);
	for (size_t i = 0; !rc && i < at->n; i++) {
		mer_str_puts(&out, i ? "\n" : "");
		put_text(s, q[i], &out);
	}
	return ask_put(s->ask, &out, rc);
}
