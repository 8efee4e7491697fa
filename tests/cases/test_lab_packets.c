/* Clients with many threads, each of which logged its requests with the port of its own connection:
 * every wait for the network inside of a request is ended by a packet of that connection, and the
 * longest one by a packet that has the answer in it. Their packets come in batches, with those of
 * the other threads. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recording.h"
#include "sync/match/end.h"

enum { CLIENT = 10 << 24 | 1 };

struct request {
	int32_t tid;
	uint32_t port;
	int64_t begin, end; /* on the common clock */
};

static bool read_web_load(const char *line, struct request *q)
{
	int64_t end;
	return sscanf(line,
		       "%" SCNd64 " %" SCNd32 " load-%*d req %*s %*d n %*d %*s begin %" SCNd64
		       " end %" SCNd64 " us %*d status %*d bytes %*d port %" SCNu32,
		       &end, &q->tid, &q->begin, &q->end, &q->port) == 5;
}

/* A line of requests.csv:
 * t,n,ep,ms,inject,client_tid,client_port,conn,seq_or_stream,begin,end,... */
static bool read_shop(const char *line, struct request *q)
{
	return sscanf(line,
		       "%*d,%*d,%*[^,],%*d,%*d,%" SCNd32 ",%" SCNu32 ",%*d,%*d,%" SCNd64
		       ",%" SCNd64,
		       &q->tid, &q->port, &q->begin, &q->end) == 4;
}

static const struct lab {
	const char *name, *log;
	bool (*read)(const char *line, struct request *q);
	size_t n;
} recordings[] = {
	{ "lab/web-load", "client.log", read_web_load, 723 },
	{ "lab/shop-a", "requests.csv", read_shop, 784 },
	{ "lab/shop-node", "requests.csv", read_shop, 307 },
};

/* Waits of the request that another connection's packet ended, and the longest one if it was not
 * for data. */
static size_t count_wrong(const struct recording *r, uint32_t host, const struct request *q)
{
	const struct kernel_host *h = &r->w->hosts[host];
	uint32_t task = recording_task(r, host, q->tid, NULL);
	uint32_t own = sync_endpoint(CLIENT, q->port);
	int64_t until = h->tasks[task].end, longest = 0;
	bool is_for_data = false;
	size_t wrong = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		if (s->begin < q->begin)
			break;
		if (s->state == KERNEL_BLOCKED && until <= q->end && s->cause == KERNEL_NETWORK &&
			s->source != KERNEL_NONE) {
			const struct kernel_bridge *p = &r->w->bridges[s->source];
			wrong += p->to.endpoint != own;
			if (until - s->begin > longest) {
				longest = until - s->begin;
				is_for_data = p->content == SYNC_DATA;
			}
		}
		until = s->begin;
	}
	return wrong + !is_for_data;
}

static void the_right_packet(void **state)
{
	const struct lab *lab = *state;
	struct recording r;
	char path[600], log[100], line[400];
	size_t n = 0, n_wrong = 0;
	recording_open(&r, lab->name);
	uint32_t host = recording_host(&r, "client");
	snprintf(log, sizeof(log), "%s/%s", lab->name, lab->log);
	recording_path(path, sizeof(path), log);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct request q;
		if (!lab->read(line, &q))
			continue;
		q.begin = recording_time(&r, host, q.begin);
		q.end = recording_time(&r, host, q.end);
		n++;
		n_wrong += count_wrong(&r, host, &q) > 0;
	}
	fclose(f);
	print_message("%s: %zu requests, %zu with a wrong packet\n", lab->name, n, n_wrong);
	assert_int_equal(n, lab->n);
	assert_int_equal(n_wrong, 0);
	recording_close(&r);
}

int main(void)
{
	enum { N = sizeof(recordings) / sizeof(recordings[0]) };
	struct CMUnitTest tests[N];
	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = recordings[i].name,
			.test_func = the_right_packet,
			.initial_state = (void *)(uintptr_t)&recordings[i] };
	return cmocka_run_group_tests_name("packets that ended waits", tests, NULL, NULL);
}
