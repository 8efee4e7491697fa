/* Gather: a cursor for each host, merged by common time, into the matcher.
 *
 * The hosts are a heap by the common time of their next end. The first one is read as long as it
 * stays the first. Each message that is found may correct the shifts of the clocks, and then hosts
 * move in the heap. */
#include "sync/match/gather.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/ahead.h"
#include "base/grow.h"
#include "mpi/run.h"
#include "sync/match/align.h"
#include "sync/match/ends.h"
#include "sync/match/match.h"
#include "sync/rounds/rounds.h"
#include "trace/cursor.h"
#include "trace/tool.h"

enum {
	AHEAD = 16,
	SOON = 8,
	/* Ends in a batch that another thread reads: enough that handing it over costs little, of
	 * all hosts together, and of each. */
	ALL_ENDS = 1 << 17,
	MOST_ENDS = 4096,
	LEAST_ENDS = 128
};

struct batch { /* the ends in one batch of events */
	struct sync_end *ends;
	size_t n, cap;
};

struct reader {			   /* of a host */
	struct mer_cursor *cursor; /* NULL: at its end, or nothing to read */
	struct batch now;
	size_t next; /* end of `now` */
	/* The batch after it, which another thread may be reading: from the start of the job until
	 * it was waited for, that thread owns this batch, the cursor and the numbers below. */
	struct batch then;
	bool at_end;
	struct gather *gather;
	struct mer_ahead_job job;
	uint64_t bytes;		      /* bytes that were read and reported */
	int64_t first_loss;	      /* time from which on events may be missing */
	uint64_t with[2], without[2]; /* ends with, without a key; by is_send */
	uint64_t entries;	      /* of vCPUs into guests */
	bool talks[2];		      /* messages with other hosts were found, by is_send */
	bool has_mpi;		      /* messages of MPI with other hosts */
	struct sync_ends_classes has;
};

struct gather {
	struct mer_experiment *e;
	const struct sync_gather_options *o;
	struct sync_messages *m;
	struct sync_ends *ends;
	struct sync_matcher *matcher;
	struct mer_ahead *ahead; /* NULL: nothing is read ahead */
	struct sync_align align;
	struct reader *readers;
	size_t enough; /* ends in a batch */
	struct next {  /* the common time of a host's next end */
		int64_t time;
		uint32_t host;
	} * heap;
	uint32_t *place; /* where a host is in the heap */
	uint32_t n_heap;
	struct mer_map counters; /* of ordered pairs: key -> messages so far */
	uint64_t n_after_loss;	 /* ends of ordered pairs left out */
	struct mer_err *err;
};

/* ---- the heap ---- */

static int64_t time_of(const struct gather *g, uint32_t host)
{
	const struct reader *r = &g->readers[host];
	return sync_common_time(&g->align, host, r->now.ends[r->next].time);
}

static bool is_before(struct next a, struct next b)
{
	return a.time != b.time ? a.time < b.time : a.host < b.host;
}

static void put(struct gather *g, uint32_t at, struct next next)
{
	g->heap[at] = next;
	g->place[next.host] = at;
}

static void sift_down(struct gather *g, uint32_t at)
{
	struct next next = g->heap[at];
	for (;;) {
		uint32_t child = at * 2 + 1;
		if (child >= g->n_heap)
			break;
		if (child + 1 < g->n_heap && is_before(g->heap[child + 1], g->heap[child]))
			child++;
		if (!is_before(g->heap[child], next))
			break;
		put(g, at, g->heap[child]);
		at = child;
	}
	put(g, at, next);
}

static void sift_up(struct gather *g, uint32_t at)
{
	struct next next = g->heap[at];
	while (at > 0 && is_before(next, g->heap[(at - 1) / 2])) {
		put(g, at, g->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(g, at, next);
}

/* Takes the time of a host in the heap anew. */
static void set_time(struct gather *g, uint32_t at)
{
	g->heap[at].time = time_of(g, g->heap[at].host);
}

static void make_heap(struct gather *g)
{
	for (uint32_t i = 0; i < g->n_heap; i++)
		set_time(g, i);
	for (uint32_t i = g->n_heap / 2; i-- > 0;)
		sift_down(g, i);
}

static void remove_first(struct gather *g)
{
	g->n_heap--;
	if (g->n_heap == 0)
		return;
	put(g, 0, g->heap[g->n_heap]);
	sift_down(g, 0);
}

/* ---- reading ---- */

/* For ordered pairs: adds the number of the message among those with the same key to the key.
 * *known false: it cannot be counted, because events were lost before it. */
static int number_ordered(struct gather *g, uint32_t host, struct sync_end *e, bool *known)
{
	*known = true;
	if (e->kind != SYNC_USER || !g->o->user->pairs[e->flags].is_ordered)
		return 0;
	if (e->time >= g->readers[host].first_loss) {
		g->n_after_loss++;
		*known = false;
		return 0;
	}
	uint64_t key[3] = { e->seq, e->ack, e->is_send };
	uint32_t *count = mer_map_put(&g->counters, mer_hash(key, sizeof(key)));
	if (!count)
		return mer_fail_nomem(g->err);
	key[2] = (*count)++;
	uint64_t hash = mer_hash(key, sizeof(key));
	e->seq = (uint32_t)(hash >> 32);
	e->ack = (uint32_t)hash;
	e->hash = sync_hash(e->kind, e->seq, e->ack);
	return 0;
}

static int take_events(const struct gather *g, struct reader *r, const struct mer_event *ev,
	size_t n, struct mer_err *err)
{
	struct batch *b = &r->then;
	size_t room = b->n + n * sync_ends_max(g->ends);
	if (!mer_grow(&b->ends, room, &b->cap, sizeof(*b->ends)))
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		uint32_t without[2];
		b->n += sync_ends_get(g->ends, &ev[i], &b->ends[b->n], without);
		r->entries += r->has.entries && sync_ends_is_entry(g->ends, &ev[i]);
		r->without[0] += without[0];
		r->without[1] += without[1];
	}
	return 0;
}

/* Reads the next batch of enough ends, or reaches the cursor's end. Runs on any thread. */
static int read_batch(void *ctx, struct mer_err *err)
{
	struct reader *r = ctx;
	const struct gather *g = r->gather;
	r->then.n = 0;
	while (!r->at_end && r->then.n < g->enough) {
		const struct mer_event *ev;
		size_t n;
		if (mer_cancelled(g->o->cancel))
			return mer_fail(err, MER_ERR_CANCELLED, "cancelled");
		int rc = mer_cursor_next(r->cursor, &ev, &n, err);
		if (rc == 0)
			rc = take_events(g, r, ev, n, err);
		if (rc)
			return rc;
		uint64_t bytes = trace_cursor_bytes(r->cursor);
		if (g->o->done_bytes)
			atomic_fetch_add_explicit(
				g->o->done_bytes, bytes - r->bytes, memory_order_relaxed);
		r->bytes = bytes;
		r->at_end = n == 0;
	}
	return 0;
}

/* Processing that needs the ends in their order. */
static int settle(struct gather *g, uint32_t host)
{
	struct reader *r = &g->readers[host];
	struct sync_end *to = r->now.ends;
	for (size_t i = 0; i < r->now.n; i++) {
		struct sync_end *e = &r->now.ends[i];
		bool known;
		int rc = number_ordered(g, host, e, &known);
		if (rc)
			return rc;
		if (!known) {
			r->without[e->is_send]++;
			continue;
		}
		e->host = host;
		r->with[e->is_send]++;
		if (to != e)
			*to = *e;
		to++;
	}
	r->now.n = (size_t)(to - r->now.ends);
	return 0;
}

/* Reads on until the host has an end; without one, its cursor is closed. */
static int load(struct gather *g, uint32_t host)
{
	struct reader *r = &g->readers[host];
	r->now.n = r->next = 0;
	while (r->cursor && r->now.n == 0) {
		int rc = mer_ahead_wait(g->ahead, &r->job, g->err);
		if (rc)
			return rc;
		struct batch spare = r->now;
		r->now = r->then;
		r->then = spare;
		bool at_end = r->at_end;
		rc = settle(g, host);
		if (rc)
			return rc;
		if (!at_end) {
			mer_ahead_begin(g->ahead, &r->job);
			continue;
		}
		mer_cursor_free(r->cursor);
		r->cursor = NULL;
		free(r->then.ends);
		r->then = (struct batch){ 0 };
	}
	return 0;
}

static void reorder(struct gather *g, const struct sync_match *m, enum sync_shifted shifted)
{
	if (shifted == SYNC_MANY_SHIFTED) {
		make_heap(g);
		return;
	}
	uint32_t hosts[2] = { m->from, m->to };
	bool in_heap[2]; /* has not been read to its end */
	for (int i = 0; i < 2; i++) {
		uint32_t at = g->place[hosts[i]];
		in_heap[i] = at < g->n_heap && g->heap[at].host == hosts[i];
		if (in_heap[i])
			set_time(g, at);
	}
	for (int i = 0; i < 2; i++)
		if (in_heap[i]) {
			sift_up(g, g->place[hosts[i]]);
			sift_down(g, g->place[hosts[i]]);
		}
}

/* Processes ends of the first host as long as it stays the first. */
static int run_first(struct gather *g)
{
	uint32_t host = g->heap[0].host;
	struct reader *r = &g->readers[host];
	int64_t limit = INT64_MAX;
	for (uint32_t i = 1; i < 3 && i < g->n_heap; i++)
		if (g->heap[i].time < limit)
			limit = g->heap[i].time;
	int64_t shift = g->align.shifts[host];
	for (bool first = true; r->next < r->now.n; first = false) {
		const struct sync_end *e = &r->now.ends[r->next];
		int64_t t;
		if (__builtin_add_overflow(e->time, shift, &t))
			t = e->time < 0 ? INT64_MIN : INT64_MAX;
		if (t > limit && !first)
			break;
		if (r->next + AHEAD < r->now.n)
			sync_matcher_expect(g->matcher, e + AHEAD);
		if (r->next + SOON < r->now.n)
			sync_matcher_expect_soon(g->matcher, e + SOON);
		struct sync_match match;
		int rc = sync_matcher_add(g->matcher, e, &match, g->err);
		if (rc)
			return rc;
		r->next++;
		if (!match.found)
			continue;
		enum sync_shifted shifted = sync_align_by(&g->align, &match);
		if (shifted == SYNC_NOT_SHIFTED)
			continue;
		/* The heap needs a next end of each host in it. */
		if (r->next == r->now.n) {
			rc = load(g, host);
			if (rc)
				return rc;
			if (r->now.n == 0)
				remove_first(g);
		}
		reorder(g, &match, shifted);
		return 0;
	}
	if (r->next == r->now.n) {
		int rc = load(g, host);
		if (rc)
			return rc;
		if (r->now.n == 0) {
			remove_first(g);
			return 0;
		}
	}
	set_time(g, 0);
	sift_down(g, 0);
	return 0;
}

/* ---- begin and end ---- */

static int open_readers(struct gather *g)
{
	const struct mer_experiment *e = g->e;
	size_t n = (size_t)e->n_hosts + 1;
	g->readers = calloc(n, sizeof(*g->readers));
	g->heap = calloc(n, sizeof(*g->heap));
	g->place = calloc(n, sizeof(*g->place));
	if (!g->readers || !g->heap || !g->place)
		return mer_fail_nomem(g->err);
	size_t share = ALL_ENDS / n;
	g->enough = !g->ahead		 ? 1
		    : share > MOST_ENDS	 ? MOST_ENDS
		    : share < LEAST_ENDS ? LEAST_ENDS
					 : share;
	for (uint32_t i = 0; i < e->n_hosts; i++)
		g->readers[i].first_loss = INT64_MAX;
	for (uint32_t i = 0; i < e->n_parts; i++)
		sync_ends_of_part(g->ends, i, &g->readers[e->traces[e->parts[i].trace].host].has);
	for (uint32_t i = 0; i < e->n_losses; i++) {
		struct reader *r =
			&g->readers[e->traces[e->streams[e->losses[i].stream].trace].host];
		if (e->losses[i].begin < r->first_loss)
			r->first_loss = e->losses[i].begin;
	}
	for (uint32_t i = 0; i < e->n_hosts; i++) {
		if (!g->readers[i].has.any)
			continue;
		int rc = trace_cursor_of_host(
			g->e, sync_ends_reading(g->ends), i, &g->readers[i].cursor, g->err);
		if (rc)
			return rc;
		g->readers[i].gather = g;
		g->readers[i].job =
			(struct mer_ahead_job){ .fn = read_batch, .ctx = &g->readers[i] };
		mer_ahead_begin(g->ahead, &g->readers[i].job);
	}
	for (uint32_t i = 0; i < e->n_hosts; i++) {
		int rc = load(g, i);
		if (rc)
			return rc;
		if (g->readers[i].now.n)
			put(g, g->n_heap++, (struct next){ 0, i });
	}
	make_heap(g);
	return 0;
}

static void close_readers(struct gather *g)
{
	mer_ahead_stop(g->ahead);
	g->ahead = NULL;
	for (uint32_t i = 0; g->readers && i < g->e->n_hosts; i++) {
		mer_cursor_free(g->readers[i].cursor);
		free(g->readers[i].now.ends);
		free(g->readers[i].then.ends);
	}
	free(g->readers);
	free(g->heap);
	free(g->place);
	g->readers = NULL;
	g->heap = NULL;
	g->place = NULL;
	g->n_heap = 0;
	mer_map_fini(&g->counters);
	sync_matcher_free(g->matcher);
	g->matcher = NULL;
}

static void close_all(struct gather *g)
{
	close_readers(g);
	sync_align_fini(&g->align);
	sync_ends_free(g->ends);
}

static int read_all(struct gather *g)
{
	g->n_after_loss = 0;
	int rc = sync_messages_init(g->m, g->e->n_hosts, g->err);
	g->m->spill = g->e->spill;
	g->m->keeps_streams = g->o->keep_streams;
	if (rc == 0)
		rc = sync_matcher_new(g->m, g->o->max_pending, &g->matcher, g->err);
	if (g->o->n_threads > 1)
		g->ahead = mer_ahead_start();
	if (rc == 0)
		rc = open_readers(g);
	while (rc == 0 && g->n_heap)
		rc = run_first(g);
	if (rc == 0)
		rc = sync_matcher_finish(g->matcher, g->err);
	for (size_t i = 0; rc == 0 && i < g->m->n_links; i++) {
		const struct sync_link *l = &g->m->links[i];
		if (l->n == 0 || l->from == l->to)
			continue;
		g->readers[l->from].talks[true] = true;
		g->readers[l->to].talks[false] = true;
	}
	return rc;
}

/* Clocks may differ by hours although the recorded times overlap. Then more ends may have been read
 * between the two ends of a message than can be kept pending. */
static bool has_lost_hosts(const struct gather *g, bool *lost)
{
	bool any = false;
	for (uint32_t i = 0; i < g->e->n_hosts; i++) {
		const struct reader *r = &g->readers[i];
		lost[i] = g->m->hosts[i].n_too_old && !r->talks[false] && !r->talks[true];
		any |= lost[i];
	}
	return any;
}

/* MPI messages are matched by counting, not by a key: times do not matter, and nothing is pending.
 * So they are read separately. */
static int add_mpi(struct gather *g)
{
	struct mpi_run *run = NULL;
	int rc = g->e->n_hosts > 1 ? mpi_read(g->e, NULL, g->o->cancel, &run, g->err) : 0;
	for (uint32_t i = 0; run && i < run->n_messages && rc == 0; i++) {
		const struct mpi_message *m = &run->messages[i];
		uint32_t from = mpi_process_of(run, m->from)->host;
		uint32_t to = mpi_process_of(run, m->to)->host;
		if (from == to)
			continue;
		struct sync_link *l = sync_messages_link(g->m, from, to);
		rc = l ? sync_link_add_in(l, (struct sync_message){ m->sent, m->received },
				 SYNC_MPI,
				 (struct sync_streams){ SYNC_NO_STREAM, SYNC_NO_STREAM, 0, 0,
					 SYNC_CONTENT_UNKNOWN },
				 g->err)
		       : mer_fail_nomem(g->err);
		g->m->hosts[from].n_sent++;
		g->m->hosts[to].n_received++;
		g->readers[from].has_mpi = g->readers[to].has_mpi = true;
	}
	mpi_run_free(run);
	return rc;
}

static int run(struct gather *g)
{
	int rc = sync_ends_new(g->e, g->o->user, &g->ends, g->err);
	if (rc == 0)
		rc = sync_align_init(&g->align, g->e, g->err);
	if (rc == 0)
		rc = read_all(g);
	bool *lost = calloc((size_t)g->e->n_hosts + 1, sizeof(*lost));
	if (!lost)
		return rc ? rc : mer_fail_nomem(g->err);
	if (rc == 0 && g->e->n_hosts > 1 && has_lost_hosts(g, lost)) {
		close_readers(g);
		sync_messages_free(g->m);
		sync_align_again(&g->align, lost);
		rc = read_all(g);
	}
	free(lost);
	for (uint32_t i = 0; rc == 0 && i < g->e->n_hosts; i++) {
		g->m->hosts[i].n_without_key = g->readers[i].without[0] + g->readers[i].without[1];
		g->m->hosts[i].n_entries = g->readers[i].entries;
	}
	if (rc == 0)
		rc = add_mpi(g);
	return rc ? rc : sync_messages_finish(g->m, g->err);
}

/* ---- what is missing ---- */

/* The command that records packets with the host's tracer. */
static const char *record_of(const struct gather *g, uint32_t host)
{
	static const char *const commands[TRACE_N_TOOLS] = {
		[TRACE_BY_LTTNG] = "lttng enable-event --kernel net_dev_queue,net_if_receive_skb",
		[TRACE_BY_TRACE_CMD] =
			"trace-cmd record -C mono -e net:net_dev_queue -e net:netif_receive_skb",
		[TRACE_BY_PERF] =
			"perf record -a -k CLOCK_MONOTONIC -e net:net_dev_queue,net:netif_receive_skb",
	};
	return commands[trace_tool_of(g->e, host)];
}

static void add(struct gather *g, uint32_t host, const char *code, enum mer_severity severity,
	uint64_t count, const char *text, const char *with)
{
	struct mer_diag d = { .severity = severity,
		.code = code,
		.host = g->e->hosts[host].name,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = count };
	mer_diag_add(&g->e->diags, &d, "%s%s", text, with);
}

static void report_host(struct gather *g, uint32_t host)
{
	static const char *const no_headers[2] = {
		"received packets were recorded without headers and cannot be matched "
		"(net_if_receive_skb has no headers while the interface's generic receive offload "
		"is "
		"off); record with 'ethtool -K INTERFACE gro on', or record inet_sock_local_in and "
		"inet_sock_local_out of the LTTng addons",
		"sent packets were recorded without headers and cannot be matched; record "
		"net_dev_queue with lttng-modules 2.9 or later, or inet_sock_local_in and "
		"inet_sock_local_out of the LTTng addons",
	};
	static const char *const no_probes[2] = {
		"received packets were recorded without headers and cannot be matched; this "
		"tracer takes probes for headers: see docs/recordings.md",
		"sent packets were recorded without headers and cannot be matched; this tracer "
		"takes probes for headers: see docs/recordings.md",
	};
	static const char *const no_events[2] = {
		"no received packets were recorded, so the clock is limited on one side only; "
		"record while packets go both ways (ping is enough), with: ",
		"no sent packets were recorded, so the clock is limited on one side only; "
		"record while packets go both ways (ping is enough), with: ",
	};
	const struct reader *r = &g->readers[host];
	uint64_t with = r->with[0] + r->with[1], without = r->without[0] + r->without[1];
	bool has_rounds = sync_rounds_has(g->m->rounds, host);
	bool is_lttng = trace_tool_of(g->e, host) == TRACE_BY_LTTNG;
	const char *record = record_of(g, host);
	if (with + without == 0 && (r->has_mpi || has_rounds))
		return;
	if (with + without == 0) {
		add(g, host, "sync-no-events", MER_WARNING, 1,
			"no packets were recorded, so times cannot be compared with those of other hosts; record on every host: ",
			record);
		return;
	}
	for (int send = 0; send < 2; send++) {
		/* Packets on the loopback interface always have headers. A few other packets
		 * without headers (of ARP, for example) are normal. */
		if (!r->talks[send] && r->without[send] > r->with[send] / 4)
			add(g, host, "sync-no-headers", MER_WARNING, r->without[send],
				is_lttng ? no_headers[send] : no_probes[send], "");
		else if (!r->with[send] && with && !has_rounds)
			add(g, host, "sync-one-way", MER_WARNING, 1, no_events[send], record);
	}
	uint64_t too_old = g->m->hosts[host].n_too_old;
	if (too_old)
		add(g, host, "sync-too-old", MER_NOTE, too_old,
			"too many unmatched messages at a time; the oldest were dropped before their other end was read",
			"");
}

static void report_pairs(struct gather *g)
{
	struct mer_diag d = { .severity = MER_WARNING,
		.code = "sync-user-pair",
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	const struct sync_user_pairs *user = g->o->user;
	for (uint32_t i = 0; user && i < user->n; i++)
		for (int send = 1; send >= 0; send--)
			if (!sync_ends_has_pair(g->ends, i, send))
				mer_diag_add(&g->e->diags, &d,
					"pair %s: no trace has an event %s with all fields of the pair's key",
					user->pairs[i].name, user->pairs[i].event[send]);
	d.count = sync_matcher_doubtful(g->matcher, SYNC_USER);
	if (d.count)
		mer_diag_add(&g->e->diags, &d,
			"declared messages with the same key at the same time were left out; add key fields to the pair, or the word 'ordered' if messages arrive in the order in which they were sent");
	d.count = g->n_after_loss;
	if (d.count)
		mer_diag_add(&g->e->diags, &d,
			"events of ordered pairs after lost events were left out, because they can no longer be counted");
}

int sync_gather(struct mer_experiment *e, const struct sync_gather_options *o,
	struct sync_messages *m, struct mer_err *err)
{
	static const struct sync_gather_options defaults;
	struct gather g = { .e = e, .o = o ? o : &defaults, .m = m, .err = err };
	*m = (struct sync_messages){ 0 };
	int rc = run(&g);
	if (rc == 0 && e->n_hosts > 1)
		rc = sync_rounds_read(e, &m->rounds, err);
	if (rc == 0) {
		for (uint32_t i = 0; e->n_hosts > 1 && i < e->n_hosts; i++)
			report_host(&g, i);
		report_pairs(&g);
	}
	close_all(&g);
	return rc;
}
