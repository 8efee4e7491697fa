/* The kernel model and the critical path against simulated machines, of which everything is known:
 *
 * - what is claimed is true, always; with all events recorded everything is claimed;
 * - the spans of a task tile its life;
 * - packets have the senders that they have, paths the segments that they have;
 * - nothing depends on the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "path/path.h"
#include "truth.h"

struct flat { /* a span of the model; those without length left out, equal neighbours merged */
	int64_t begin, end;
	uint32_t span;
	uint8_t state;
};

static void complain(const struct subject *s, size_t *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The first ones in detail. */
static void complain(const struct subject *s, size_t *n, const char *fmt, ...)
{
	va_list ap;
	if (++*n > 5)
		return;
	fprintf(stderr, "kernelworld %s: ", s->options);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
}

static long long since(int64_t t)
{
	return (long long)(t - 1700000000000000000);
}

/* ---- states ---- */

static struct flat *flatten(const struct kernel_host *h, uint32_t task, size_t *n)
{
	size_t count = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before)
		count++;
	struct flat *all = calloc(count + 1, sizeof(*all));
	assert_non_null(all);
	size_t at = count;
	int64_t end = kernel_task_end(h, task);
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *p = kernel_span(h, i);
		assert_true(p->begin <= end);
		assert_int_equal(p->task, task);
		all[--at] = (struct flat){ p->begin, end, i, p->state };
		end = p->begin;
	}
	*n = 0;
	for (size_t i = 0; i < count; i++) {
		if (all[i].begin == all[i].end)
			continue;
		if (*n && all[*n - 1].state == all[i].state) {
			all[*n - 1].end = all[i].end;
			all[*n - 1].span = all[i].span;
		} else {
			all[(*n)++] = all[i];
		}
	}
	return all;
}

static bool is_true(uint8_t claimed, uint8_t state)
{
	if (claimed == KERNEL_RUNNING)
		return state == KERNEL_USER || state == KERNEL_SYSCALL || state == KERNEL_THREAD;
	return claimed == KERNEL_UNKNOWN || claimed == state;
}

/* Events may be missing that would tell about this time. */
static bool is_vague(const struct subject *s, int64_t t)
{
	return s->lossy || (s->cut && t < s->begin + 5000000);
}

static bool is_cause(const struct subject *s, uint8_t claimed, const struct truth_span *p)
{
	if (claimed == p->cause)
		return true;
	/* Known only to who saw the system call's begin, and for pipes where the descriptor is
	 * from, which old tracers did not tell. */
	if ((s->cut || s->lossy || s->old) && (p->cause == KERNEL_PIPE || p->cause == KERNEL_FUTEX))
		return claimed == KERNEL_TASK || (s->lossy && claimed == KERNEL_NO_CAUSE);
	return is_vague(s, p->end) && claimed == KERNEL_NO_CAUSE;
}

static void check_wait(const struct subject *s, const struct truth_task *t,
	const struct truth_span *p, const struct flat *f, size_t *n_bad)
{
	const struct kernel_host *h = &s->w->hosts[s->host_of[t->host]];
	const struct kernel_span *k = kernel_span(h, f->span);
	if (!is_cause(s, k->cause, p)) {
		complain(s, n_bad, "h%u tid %d wait %lld..%lld: cause %s, but it was %s", t->host,
			t->tid, since(p->begin), since(p->end),
			kernel_cause_name((enum kernel_cause)k->cause),
			kernel_cause_name((enum kernel_cause)p->cause));
		return;
	}
	bool by_task =
		k->cause == KERNEL_TASK || k->cause == KERNEL_FUTEX || k->cause == KERNEL_PIPE;
	if (!by_task && k->cause != KERNEL_NETWORK)
		return;
	if (k->cause == KERNEL_NETWORK && k->source != KERNEL_NONE) {
		const struct truth_packet *packet = truth_packet_of(s, k->source);
		if (!packet || packet->id != p->packet)
			complain(s, n_bad, "h%u tid %d wait %lld..%lld: packet %lld, not %lld",
				t->host, t->tid, since(p->begin), since(p->end),
				(long long)p->packet, packet ? (long long)packet->id : -1);
	} else if (k->cause == KERNEL_NETWORK && !is_vague(s, p->end)) {
		complain(s, n_bad, "h%u tid %d wait %lld..%lld: ended by no packet", t->host,
			t->tid, since(p->begin), since(p->end));
	}
	if (by_task && k->by != KERNEL_NONE) {
		int32_t by = h->tasks[kernel_span(h, k->by)->task].tid;
		if (by != p->by)
			complain(s, n_bad, "h%u tid %d wait %lld..%lld: ended by %d, not by %d",
				t->host, t->tid, since(p->begin), since(p->end), p->by, by);
	} else if (by_task && !is_vague(s, p->end)) {
		complain(s, n_bad, "h%u tid %d wait %lld..%lld: ended by nobody, not by %d",
			t->host, t->tid, since(p->begin), since(p->end), p->by);
	}
}

/* How much of the time is claimed, of how much. */
struct coverage {
	int64_t claimed, total;
};

static void check_task(
	const struct subject *s, const struct truth_task *t, struct coverage *c, size_t *n_bad)
{
	const struct kernel_host *h = &s->w->hosts[s->host_of[t->host]];
	uint32_t task = subject_task(s, t);
	c->total += t->end - t->begin;
	if (task == KERNEL_NONE)
		return; /* nothing was recorded of it */
	size_t n, k = 0;
	struct flat *flat = flatten(h, task, &n);
	bool known = false;
	const struct truth_span *spans = s->truth.spans + t->first;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct truth_span *p = &spans[i];
		int64_t begin = subject_time(s, t->host, p->begin);
		int64_t end = subject_time(s, t->host, p->end);
		while (k < n && flat[k].end <= begin)
			k++;
		for (; k < n && flat[k].begin < end; k++) {
			const struct flat *f = &flat[k];
			int64_t from = f->begin > begin ? f->begin : begin;
			int64_t to = f->end < end ? f->end : end;
			if (f->state != KERNEL_UNKNOWN)
				c->claimed += to - from;
			if (!is_true(f->state, p->state))
				complain(s, n_bad, "h%u tid %d %lld..%lld: %s, but it was %s",
					t->host, t->tid, since(from), since(to),
					kernel_state_name((enum kernel_state)f->state),
					kernel_state_name((enum kernel_state)p->state));
			else if (f->state == KERNEL_UNKNOWN && known && !s->lossy)
				complain(s, n_bad, "h%u tid %d %lld..%lld: unknown, but it was %s",
					t->host, t->tid, since(from), since(to),
					kernel_state_name((enum kernel_state)p->state));
			else if (f->state == KERNEL_BLOCKED && f->end == end && i + 1 < t->n)
				check_wait(s, t, p, f, n_bad);
			known |= f->state != KERNEL_UNKNOWN;
			if (f->end > end)
				break;
		}
	}
	free(flat);
}

static void check_states(const struct subject *s, double least)
{
	struct coverage c = { 0 };
	size_t n_bad = 0;
	for (size_t i = 0; i < s->truth.n_tasks; i++)
		check_task(s, &s->truth.tasks[i], &c, &n_bad);
	if (n_bad)
		fail_msg("kernelworld %s: %zu states are wrong", s->options, n_bad);
	if ((double)c.claimed < least * (double)c.total)
		fail_msg("kernelworld %s: only %.3f of the time is known", s->options,
			(double)c.claimed / (double)c.total);
}

/* Spans of each task follow one another; by and source lead somewhere. */
static void check_order(const struct subject *s)
{
	for (uint32_t i = 0; i < s->w->n_hosts; i++) {
		const struct kernel_host *h = &s->w->hosts[i];
		for (uint32_t k = 0; k < h->n_tasks; k++) {
			int64_t end = kernel_task_end(h, k), first = end;
			for (uint32_t j = h->tasks[k].last; j != KERNEL_NONE;
				j = kernel_span(h, j)->before) {
				const struct kernel_span *p = kernel_span(h, j);
				assert_int_equal(p->task, k);
				assert_true(p->begin <= end);
				assert_true(p->state < KERNEL_N_STATES);
				assert_true(p->cause < KERNEL_N_CAUSES);
				assert_true(p->by == KERNEL_NONE || p->by < h->n_spans);
				end = first = p->begin;
			}
			assert_int_equal(first, h->tasks[k].begin);
		}
	}
}

/* ---- packets ---- */

static void check_packets(const struct subject *s)
{
	size_t n_bad = 0, n_missing = 0;
	for (size_t i = 0; i < s->truth.n_packets; i++) {
		const struct truth_packet *p = &s->truth.packets[i];
		int64_t number = subject_packet(s, p);
		if (number < 0) {
			n_missing++;
			if (!s->lossy)
				complain(s, &n_bad, "packet %lld h%u -> h%u sent %lld is not there",
					(long long)p->id, p->from, p->to, since(p->sent));
			continue;
		}
		const struct kernel_bridge *k = &s->w->bridges[number];
		const struct kernel_host *h = &s->w->hosts[k->from.host];
		int32_t sender = -1;
		int64_t answers = -1;
		if (k->from.span != KERNEL_NONE)
			sender = h->tasks[kernel_span(h, k->from.span)->task].tid;
		if (k->answers != KERNEL_NONE) {
			const struct truth_packet *a = truth_packet_of(s, k->answers);
			answers = a ? a->id : -2;
		}
		if (sender != p->sender && !(is_vague(s, p->sent) && sender == -1))
			complain(s, &n_bad, "packet %lld sent %lld by %d, not by %d",
				(long long)p->id, since(p->sent), p->sender, sender);
		if (answers != p->answers && !(is_vague(s, p->sent) && answers == -1))
			complain(s, &n_bad, "packet %lld sent %lld answers %lld, not %lld",
				(long long)p->id, since(p->sent), (long long)p->answers,
				(long long)answers);
	}
	if (n_bad)
		fail_msg("kernelworld %s: %zu packets are wrong, %zu are not there", s->options,
			n_bad, n_missing);
	if (!s->lossy)
		assert_int_equal(s->w->n_bridges, s->truth.n_packets);
}

/* ---- paths ---- */

struct merged {
	uint32_t host;
	int32_t tid;
	int64_t begin, end, in_flight;
	const char *cause;
};

static void merge(struct merged *all, size_t *n, struct merged m)
{
	struct merged *last = *n ? &all[*n - 1] : NULL;
	if (m.begin == m.end)
		return;
	if (last && last->end == m.begin && last->host == m.host && last->tid == m.tid &&
		last->in_flight == m.in_flight && !strcmp(last->cause, m.cause))
		last->end = m.end;
	else
		all[(*n)++] = m;
}

static struct merged *merge_truth(const struct subject *s, const struct truth_window *w, size_t *n)
{
	struct merged *all = calloc(w->n + 1, sizeof(*all));
	assert_non_null(all);
	*n = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct truth_piece *p = &s->truth.pieces[w->first + i];
		merge(all, n,
			(struct merged){
				p->host, p->tid, p->begin, p->end, p->in_flight, p->cause });
	}
	return all;
}

static struct merged *merge_path(const struct subject *s, const struct path *p, size_t *n)
{
	struct merged *all = calloc(p->n_segments + 1, sizeof(*all));
	assert_non_null(all);
	*n = 0;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *g = &p->segments[i];
		struct merged m = { .begin = g->begin,
			.end = g->end,
			.in_flight = -1,
			.cause = path_cause_name((enum path_cause)g->cause) };
		while (s->host_of[m.host] != g->host)
			m.host++;
		m.tid = g->task == KERNEL_NONE ? -1 : s->w->hosts[g->host].tasks[g->task].tid;
		if (g->in_flight) {
			const struct truth_packet *packet = truth_packet_of(s, g->source);
			m.in_flight = packet ? packet->id : -2;
		}
		merge(all, n, m);
	}
	return all;
}

static void check_sums(const struct subject *s, const struct path *p)
{
	int64_t at = p->begin, sums[PATH_N_CAUSES] = { 0 }, in_flight = 0;
	for (size_t i = 0; i < p->n_segments; i++) {
		const struct path_segment *g = &p->segments[i];
		assert_int_equal(g->begin, at);
		assert_true(g->end > g->begin);
		assert_true(g->host < s->w->n_hosts);
		assert_true(g->task == KERNEL_NONE || g->task < s->w->hosts[g->host].n_tasks);
		sums[g->cause] += g->end - g->begin;
		in_flight += g->in_flight ? g->end - g->begin : 0;
		at = g->end;
	}
	assert_int_equal(at, p->end);
	assert_memory_equal(sums, p->by_cause, sizeof(sums));
	assert_int_equal(in_flight, p->in_flight_ns);
}

static bool is_path_of(uint8_t cause, uint8_t state)
{
	switch ((enum path_cause)cause) {
	case PATH_RUNNING:
		return state == KERNEL_USER || state == KERNEL_SYSCALL || state == KERNEL_THREAD;
	case PATH_INTERRUPTED: return state == KERNEL_INTERRUPTED;
	case PATH_RUNNABLE: return state == KERNEL_RUNNABLE;
	case PATH_NEW: return state == KERNEL_NEW;
	case PATH_UNKNOWN: return true;
	default: return state == KERNEL_BLOCKED;
	}
}

/* What a segment says of its task is true, even where events are missing. */
static void check_segment(const struct subject *s, const struct path_segment *g, size_t *n_bad)
{
	const struct truth *t = &s->truth;
	if (g->in_flight || g->task == KERNEL_NONE)
		return;
	int32_t tid = s->w->hosts[g->host].tasks[g->task].tid;
	for (size_t i = 0; i < t->n_tasks; i++) {
		const struct truth_task *task = &t->tasks[i];
		if (task->tid != tid || s->host_of[task->host] != g->host)
			continue;
		for (uint32_t k = task->first; k < task->first + task->n; k++) {
			const struct truth_span *p = &t->spans[k];
			if (subject_time(s, task->host, p->begin) < g->end &&
				subject_time(s, task->host, p->end) > g->begin &&
				!is_path_of(g->cause, p->state))
				complain(s, n_bad, "path: h%u tid %d %lld..%lld: %s, but it was %s",
					task->host, tid, since(g->begin), since(g->end),
					path_cause_name((enum path_cause)g->cause),
					kernel_state_name((enum kernel_state)p->state));
		}
	}
}

static void compare_paths(
	const struct subject *s, const struct truth_window *w, const struct path *p, size_t *n_bad)
{
	size_t n = 0, m = 0, i = 0;
	struct merged *want = merge_truth(s, w, &n), *got = merge_path(s, p, &m);
	while (i < n && i < m && want[i].host == got[i].host && want[i].tid == got[i].tid &&
		want[i].begin == got[i].begin && want[i].end == got[i].end &&
		want[i].in_flight == got[i].in_flight && !strcmp(want[i].cause, got[i].cause))
		i++;
	if (i < n && i < m)
		complain(s, n_bad,
			"path of h%u tid %d %lld..%lld: h%u tid %d %lld..%lld %s %lld, but it was "
			"h%u tid %d %lld..%lld %s %lld",
			w->host, w->tid, since(w->begin), since(w->end), got[i].host, got[i].tid,
			since(got[i].begin), since(got[i].end), got[i].cause,
			(long long)got[i].in_flight, want[i].host, want[i].tid,
			since(want[i].begin), since(want[i].end), want[i].cause,
			(long long)want[i].in_flight);
	else if (n != m)
		complain(s, n_bad, "path of h%u tid %d %lld..%lld: %zu segments, not %zu", w->host,
			w->tid, since(w->begin), since(w->end), m, n);
	free(want);
	free(got);
}

/* claims: that segments are true; exactly: that they are those of the truth. */
static void check_paths(const struct subject *s, bool claims, bool exactly)
{
	size_t n_bad = 0;
	for (size_t i = 0; i < s->truth.n_windows; i++) {
		const struct truth_window *w = &s->truth.windows[i];
		struct truth_task t = {
			.host = w->host, .tid = w->tid, .begin = w->begin, .end = w->end
		};
		uint32_t task = subject_task(s, &t);
		struct path p;
		struct mer_err err;
		if (task == KERNEL_NONE && s->lossy)
			continue;
		assert_int_not_equal(task, KERNEL_NONE);
		if (path_find(s->w, s->host_of[w->host], task, subject_time(s, w->host, w->begin),
			    subject_time(s, w->host, w->end), &p, &err))
			fail_msg("kernelworld %s: %s", s->options, err.text);
		check_sums(s, &p);
		for (size_t k = 0; claims && k < p.n_segments; k++)
			check_segment(s, &p.segments[k], &n_bad);
		if (exactly)
			compare_paths(s, w, &p, &n_bad);
		path_fini(&p);
	}
	if (n_bad)
		fail_msg("kernelworld %s: %zu of %zu paths are wrong", s->options, n_bad,
			s->truth.n_windows);
}

/* ---- tests ---- */

static unsigned n_seeds(unsigned few)
{
	const char *more = getenv("SEEDS");
	enum { PART = GIVEN_EVERY(6) };
	return more ? (unsigned)strtoul(more, NULL, 10) : (few + PART - 1) / PART;
}

static void check_all(const char *options, unsigned seeds, double least, bool exactly)
{
	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct subject s;
		char with_seed[300];
		snprintf(with_seed, sizeof(with_seed), "%s --seed %u", options, seed);
		subject_open(&s, with_seed, false, 1 + seed % 2);
		check_order(&s);
		check_states(&s, least);
		check_packets(&s);
		check_paths(&s, !exactly, exactly);
		subject_close(&s);
	}
}

static void one_host(void **unused)
{
	(void)unused;
	check_all("--statedump", n_seeds(6), 0.95, true);
	check_all("--cpus 1 --tasks 1", n_seeds(3), 0.9, true);
	check_all("--cpus 4 --vectors", n_seeds(3), 0.9, true);
}

static void several_hosts(void **unused)
{
	(void)unused;
	check_all("--hosts 2 --statedump", n_seeds(4), 0.95, true);
	check_all("--hosts 4 --cpus 3 --tasks 2 --duration 100ms", n_seeds(3), 0.9, true);
}

static void old_layout(void **unused)
{
	(void)unused;
	check_all("--layout old --statedump --hosts 2", n_seeds(3), 0.9, true);
}

static void numbers_of_tasks_used_again(void **unused)
{
	(void)unused;
	check_all("--reuse --duration 1s --cpus 3", n_seeds(2), 0.95, true);
}

/* Woken just when they are about to wait: a wake-up that comes before the switch counts, one that
 * keeps a task from waiting changes nothing. */
static void woken_while_leaving(void **unused)
{
	(void)unused;
	check_all("--races --statedump", n_seeds(3), 0.95, true);
	check_all("--races --hosts 2 --cpus 4 --tasks 2", n_seeds(4), 0.9, true);
}

/* What went on before is not known: nothing wrong is said about it. */
static void begun_in_the_middle(void **unused)
{
	(void)unused;
	check_all("--begin-cut 70ms --duration 100ms --hosts 2", n_seeds(6), 0.5, false);
	check_all("--begin-cut 70ms --duration 100ms --statedump", n_seeds(3), 0.5, false);
}

static void told_losses(void **unused)
{
	(void)unused;
	check_all("--lost 10% --hosts 2", n_seeds(4), 0.2, false);
	check_all("--lost 40% --cpus 4", n_seeds(4), 0.02, false);
	check_all("--lost 3% --cpus 2 --statedump", n_seeds(4), 0.3, false);
	check_all("--lost 20% --hosts 2 --vectors", n_seeds(3), 0.1, false);
	check_all("--lost 10% --reuse --duration 1s", n_seeds(2), 0.1, false);
}

/* Nothing tells that events are missing: what is said may be wrong, but it adds up. */
static void silent_losses(void **unused)
{
	static const char *const parts[] = { "0.1%", "1%", "10%", "50%", "95%" };
	(void)unused;
	for (unsigned i = 0; i < 5 * n_seeds(2); i++) {
		struct subject s;
		char options[100];
		snprintf(options, sizeof(options), "--hosts 2 --lose %s --seed %u%s", parts[i % 5],
			i, i % 2 ? " --layout old" : "");
		subject_open(&s, options, false, 2);
		check_order(&s);
		check_paths(&s, false, false);
		subject_close(&s);
	}
}

/* Connections that are opened and closed, processes and threads for each of them, a lock, a packet
 * that is lost and sent again. */
static void services(void **unused)
{
	static const char *const shapes[] = { "pool", "prefork", "fork", "thread", "loop",
		"loop-few", "parallel", "loop-queue", "timers", "collect", "hand-back" };
	(void)unused;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char options[80];
		snprintf(options, sizeof(options), "--services %s --duration 300ms%s", shapes[i],
			i % 2 ? " --statedump" : "");
		check_all(options, n_seeds(1), 0.9, true);
	}
	check_all("--services fork --tail hog --duration 400ms", n_seeds(2), 0.9, true);
	check_all(
		"--services thread --tail loss --hosts 3 --duration 400ms", n_seeds(2), 0.9, true);
	check_all(
		"--services thread --tail lock --hosts 2 --duration 400ms", n_seeds(1), 0.9, true);
}

/* Clocks that were wrong and are synchronized: the states are still exactly those. */
static void wrong_clocks(void **unused)
{
	(void)unused;
	for (unsigned seed = 1; seed <= n_seeds(2); seed++) {
		struct subject s;
		char options[100];
		snprintf(options, sizeof(options), "--hosts 3 --clock --seed %u", seed);
		subject_open(&s, options, true, 2);
		check_order(&s);
		check_states(&s, 0.9);
		check_packets(&s);
		check_paths(&s, true, false);
		subject_close(&s);
	}
}

static void any_number_of_threads(void **unused)
{
	struct subject one, two;
	(void)unused;
	subject_open(&one, "--hosts 3 --lost 5% --seed 5", false, 1);
	subject_open(&two, "--hosts 3 --lost 5% --seed 5", false, 3);
	assert_int_equal(one.w->n_bridges, two.w->n_bridges);
	for (uint32_t i = 0; i < one.w->n_bridges; i++) {
		const struct kernel_bridge *a = &one.w->bridges[i], *b = &two.w->bridges[i];
		assert_true(a->from.time == b->from.time && a->to.time == b->to.time &&
			    a->from.host == b->from.host);
		assert_true(a->to.host == b->to.host && a->from.span == b->from.span &&
			    a->answers == b->answers);
		assert_true(a->to.span == b->to.span && a->kind == b->kind);
	}
	for (uint32_t i = 0; i < one.w->n_hosts; i++) {
		const struct kernel_host *a = &one.w->hosts[i], *b = &two.w->hosts[i];
		assert_int_equal(a->n_tasks, b->n_tasks);
		assert_int_equal(a->n_spans, b->n_spans);
		assert_int_equal(a->n_requests, b->n_requests);
		for (uint32_t k = 0; k < a->n_spans; k++)
			assert_memory_equal(
				kernel_span(a, k), kernel_span(b, k), sizeof(struct kernel_span));
	}
	subject_close(&two);
	subject_close(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_host),
		cmocka_unit_test(several_hosts),
		cmocka_unit_test(old_layout),
		cmocka_unit_test(numbers_of_tasks_used_again),
		cmocka_unit_test(woken_while_leaving),
		cmocka_unit_test(begun_in_the_middle),
		cmocka_unit_test(told_losses),
		cmocka_unit_test(silent_losses),
		cmocka_unit_test(services),
		cmocka_unit_test(wrong_clocks),
		cmocka_unit_test(any_number_of_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
