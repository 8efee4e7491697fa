/* What pairing sends with receives costs.
 *
 *   match [N]               N packets (default 4 million), made up, between 10 hosts: matching
 *                           alone
 *   match read TRACE...     reads the events that are ends of messages, host by host, and no more
 *   match whole TRACE...    the same with all of their fields, as the library's users get them
 *   match gather TRACE...   the same, and matches them; prints what was found for each link
 *     --pairs FILE          with the user's pairs of events (docs/message-pairs.md)
 *     --pending N           only so many messages may be waited for
 *   match solve TRACE...    gathers, and synchronizes with the traces closed; prints what that
 *                           takes
 *
 * Prints seconds and ends per second, after the traces were opened. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sync/auto.h"
#include "sync/match/ends.h"
#include "sync/match/gather.h"
#include "sync/match/match.h"
#include "trace/cursor.h"

static struct mer_err err;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "match: %s\n", err.text);
	exit(1);
}

static void report(const char *what, uint64_t ends, double seconds)
{
	printf("%s: %" PRIu64 " ends in %.3f s, %.1f million/s\n", what, ends, seconds,
		(double)ends / seconds / 1e6);
}

/* Packets of some flows between neighbours; 100 us on the way, every 50th is lost. */
static void bench_matching(size_t n)
{
	enum { HOSTS = 10, FLOWS = 64, DELAY = 100 };
	struct sync_end *ends = calloc(n * 2, sizeof(*ends));
	if (!ends)
		exit(1);
	size_t n_ends = 0;
	uint32_t seq[FLOWS] = { 0 };
	for (size_t i = 0; i < n + DELAY; i++) {
		for (int send = 1; send >= 0; send--) {
			size_t k = send ? i : i - DELAY;
			if ((send && i >= n) || (!send && (i < DELAY || k % 50 == 7)))
				continue;
			uint32_t flow = (uint32_t)(k * 2654435761u % FLOWS);
			struct sync_end *e = &ends[n_ends++];
			*e = (struct sync_end){ .time = (int64_t)i * 1000,
				.host = (flow + !send) % HOSTS,
				.seq = (uint32_t)(k * 1448),
				.ack = flow * 77777 + 1,
				.addresses = flow % HOSTS + 1,
				.ports = flow,
				.from = flow % HOSTS + 1,
				.to = (flow + 1) % HOSTS + 1,
				.flags = 0x10,
				.id = (uint16_t)(k | 1),
				.len = 1500,
				.head = 52,
				.kind = SYNC_TCP,
				.is_send = send == 1 };
			e->hash = sync_hash(e->kind, e->seq, e->ack);
			seq[flow] += 1448;
		}
	}
	struct sync_messages m;
	struct sync_matcher *t;
	check(sync_messages_init(&m, HOSTS, &err));
	check(sync_matcher_new(&m, 0, &t, &err));
	double begin = now();
	for (size_t i = 0; i < n_ends; i++) {
		struct sync_match found;
		if (i + 16 < n_ends) {
			sync_matcher_expect(t, &ends[i + 16]);
			sync_matcher_expect_soon(t, &ends[i + 8]);
		}
		check(sync_matcher_add(t, &ends[i], &found, &err));
	}
	check(sync_matcher_finish(t, &err));
	double seconds = now() - begin;
	uint64_t matched = 0;
	for (size_t i = 0; i < m.n_links; i++)
		matched += m.links[i].n;
	report("matching", n_ends, seconds);
	printf("%" PRIu64 " messages\n", matched);
	sync_matcher_free(t);
	sync_messages_free(&m);
	free(ends);
}

static const struct mer_need whole[] = {
	{ "net_dev_queue", NULL },
	{ "net_if_receive_skb", NULL },
	{ "inet_sock_local_*", NULL },
	{ "vmsync_*", NULL },
	{ "kvm*_entry", "" },
};

static void bench_reading(struct mer_experiment *e, bool all_fields)
{
	struct sync_ends *ends;
	struct trace_reading *reading;
	double begin = now();
	check(sync_ends_new(e, NULL, &ends, &err));
	check(trace_reading_from_needs(
		e, whole, sizeof(whole) / sizeof(*whole), false, &reading, &err));
	const struct trace_reading *used = all_fields ? reading : sync_ends_reading(ends);
	uint64_t n_events = 0, sum = 0;
	for (uint32_t host = 0; host < e->n_hosts; host++) {
		struct mer_cursor *c;
		const struct mer_event *ev;
		size_t n;
		check(trace_cursor_of_host(e, used, host, &c, &err));
		do {
			check(mer_cursor_next(c, &ev, &n, &err));
			for (size_t i = 0; i < n; i++)
				sum += (uint64_t)ev[i].ts;
			n_events += n;
		} while (n);
		mer_cursor_free(c);
	}
	report("reading", n_events, now() - begin);
	printf("sum of times %" PRIu64 "\n", sum);
	trace_reading_free(reading);
	sync_ends_free(ends);
}

static void bench_gather(struct mer_experiment *e, const struct sync_gather_options *o)
{
	struct sync_messages m;
	double begin = now();
	check(sync_gather(e, o, &m, &err));
	double seconds = now() - begin;
	uint64_t ends = 0;
	for (uint32_t i = 0; i < m.n_hosts; i++) {
		const struct sync_host_counts *h = &m.hosts[i];
		ends += h->n_sent + h->n_received;
		printf("%s: sent %" PRIu64 ", received %" PRIu64 "; unmatched %" PRIu64
		       " and %" PRIu64 ", duplicates %" PRIu64 ", too old %" PRIu64
		       ", without key %" PRIu64 "\n",
			e->hosts[i].name, h->n_sent, h->n_received, h->n_unmatched_sent,
			h->n_unmatched_received, h->n_duplicates, h->n_too_old, h->n_without_key);
	}
	for (size_t i = 0; i < m.n_links; i++) {
		const struct sync_link *l = &m.links[i];
		printf("%s -> %s: %zu messages, %" PRIu64 " duplicates, %" PRIu64
		       " reordered, %" PRIu64 " unmatched\n",
			e->hosts[l->from].name, e->hosts[l->to].name, l->n, l->n_duplicates,
			l->n_reordered, l->n_unmatched);
	}
	size_t n;
	const struct mer_diag *d = trace_findings(e, &n);
	for (size_t i = 0; i < n; i++)
		if (strncmp(d[i].code, "sync-", 5) == 0)
			printf("%s: %s: %s\n", d[i].code, d[i].host ? d[i].host : "", d[i].message);
	report("gathering", ends, seconds);
	sync_messages_free(&m);
}

/* A line of /proc/self/status; 0: not there. */
static long status_kb(const char *name)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && !kb && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0)
			kb = strtol(line + strlen(name), NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

/* From here on the peak of memory is counted anew. */
static void forget_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");
	if (f) {
		fputs("5", f);
		fclose(f);
	}
}

/* Closes e: what is measured is without mapped files. */
static void bench_solving(struct mer_experiment *e, const struct sync_gather_options *o)
{
	struct sync_messages m;
	struct mer_arena arena;
	struct sync_options options = { 0 };
	struct sync_result *r;
	uint32_t n_hosts = e->n_hosts;
	uint64_t n = 0;
	check(sync_gather(e, o, &m, &err));
	mer_arena_init(&arena);
	struct sync_host_info *hosts = sync_host_infos(e, &arena);
	if (!hosts)
		exit(1);
	for (uint32_t h = 0; h < n_hosts; h++)
		hosts[h].name = hosts[h].id = NULL; /* they are the experiment's */
	mer_experiment_free(e);
	for (size_t i = 0; i < m.n_links; i++)
		n += m.links[i].n;
	forget_peak();
	long before = status_kb("VmRSS:");
	double begin = now();
	check(sync_solve(&m, hosts, n_hosts, &options, &r, &err));
	double seconds = now() - begin;
	printf("solving: %" PRIu64 " messages in %.3f s; %.1f MB before, %.1f MB at most\n", n,
		seconds, (double)before / 1024, (double)status_kb("VmHWM:") / 1024);
	sync_result_free(r);
	sync_messages_free(&m);
	mer_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		bench_matching(argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000);
		return 0;
	}
	struct mer_experiment *e;
	struct sync_user_pairs *pairs = NULL;
	struct sync_gather_options o = { 0 };
	int first = 2;
	for (; first + 2 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
		if (strcmp(argv[first], "--pairs") == 0)
			check(sync_user_pairs_load(argv[first + 1], &pairs, &err));
		else
			o.max_pending = strtoull(argv[first + 1], NULL, 10);
	}
	o.user = pairs;
	check(mer_experiment_open(
		(const char *const *)argv + first, (size_t)(argc - first), NULL, &e, &err));
	if (strcmp(argv[1], "solve") == 0) {
		bench_solving(e, &o);
		e = NULL;
	} else if (strcmp(argv[1], "read") == 0 || strcmp(argv[1], "whole") == 0) {
		bench_reading(e, strcmp(argv[1], "whole") == 0);
	} else {
		bench_gather(e, &o);
	}
	mer_experiment_free(e);
	sync_user_pairs_free(pairs);
	return 0;
}
