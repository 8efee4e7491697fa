/* Fuzzer of the rounds in manifests, one a line: whatever they are, rounds are of hosts that are
 * there, one after the other, and can have been; what is kept of them is in the range; and the
 * messages that they become are finished. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/schema.h"
#include "sync/limits/drift.h"
#include "sync/rounds/rounds.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	HOSTS = 4,
	MANIFESTS = 4,
	NO_CLOCK = 3, /* of this host the traces have another clock */
	MOST_SLACK = 4097
};
#define BOOT INT64_C(1790000000000000000)

/* Four hosts with a trace each, of the boots a, b, c, and d. */
struct made {
	struct mer_experiment e;
	struct mer_host hosts[HOSTS];
	struct mer_trace traces[HOSTS];
	struct trace_part parts[HOSTS];
	struct mer_clock clocks[HOSTS];
	struct ctf_schema schema;
};

static void make(struct made *m)
{
	static const char *const boots[HOSTS] = { "a", "b", "c", "d" };
	memset(m, 0, sizeof(*m));
	m->schema.n_clocks = 1;
	m->e.hosts = m->hosts;
	m->e.traces = m->traces;
	m->e.parts = m->parts;
	m->e.n_hosts = m->e.n_traces = m->e.n_parts = HOSTS;
	for (uint32_t i = 0; i < HOSTS; i++) {
		m->hosts[i] = (struct mer_host){ .name = boots[i], .id = boots[i], .n_traces = 1 };
		m->traces[i] = (struct mer_trace){ .host = i,
			.has_clock = true,
			.clock = { .name = i == NO_CLOCK ? "local" : "monotonic",
				.freq_hz = NS_PER_S } };
		/* One that booted at second 0, and one whose times are near the last one. */
		m->clocks[i].base_ns = i == 1 ? 0 : i == 2 ? INT64_MAX - BOOT : BOOT;
		m->parts[i] = (struct trace_part){
			.schema = &m->schema, .trace = i, .clocks = &m->clocks[i]
		};
	}
	mer_arena_init(&m->e.arena);
	mer_diags_init(&m->e.diags, &m->e.arena);
}

static void check_rounds(const struct sync_recorder *r)
{
	check(r->n_hosts > 0 && (r->host < NO_CLOCK || r->host == SYNC_NOT_RECORDED));
	for (size_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host_rounds *h = &r->hosts[i];
		check(h->host < NO_CLOCK && h->host != r->host && h->n > 0);
		for (size_t k = 0; k < i; k++)
			check(r->hosts[k].host != h->host);
		for (size_t k = 0; k < h->n; k++) {
			const struct sync_round *x = &h->rounds[k];
			check(x->asked <= x->answered);
			check(sync_sub(x->arrived, x->left) <= MOST_SLACK);
			check(k == 0 || sync_sub(x[-1].answered, x->asked) <= MOST_SLACK);
		}
	}
}

static void check_messages(struct sync_rounds *r)
{
	struct sync_messages none = { .n_hosts = HOSTS, .rounds = r }, with;
	struct mer_err err = { 0 };
	check(sync_with_rounds(&none, 1e-4, &with, &err) == 0);
	for (size_t i = 0; i < with.n_links; i++) {
		const struct sync_link *l = &with.links[i];
		check(l->from < NO_CLOCK && l->to < NO_CLOCK && l->from != l->to);
		check(sync_rounds_has(r, l->from) && sync_rounds_has(r, l->to));
		for (size_t k = 0; k < l->n; k++) {
			check(l->kinds[k] == SYNC_ROUND);
			check(k == 0 || l->messages[k - 1].sent <= l->messages[k].sent);
		}
	}
	sync_with_rounds_free(&none, &with);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made m;
	struct sync_rounds *r = calloc(1, sizeof(*r));
	struct mer_err err = { 0 };
	const char *line = (const char *)data, *end = line + size;
	if (!r)
		return 0;
	make(&m);
	mer_arena_init(&r->arena);
	r->recorders = mer_arena_zalloc(&r->arena, MANIFESTS, sizeof(*r->recorders));
	check(r->recorders);
	for (size_t i = 0; i < MANIFESTS && line < end; i++) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((next ? next : end) - line);
		check(sync_rounds_parse(&m.e, line, len, "file", r, &err) == 0);
		check(r->n <= i + 1);
		line = next ? next + 1 : end;
	}
	for (size_t i = 0; i < m.e.diags.n; i++)
		check(m.e.diags.rows[i].message[0]);
	for (size_t i = 0; i < r->n; i++)
		check_rounds(&r->recorders[i]);
	check_messages(r);
	if (r->n) {
		const struct sync_host_rounds *h = &r->recorders[0].hosts[0];
		int64_t first = h->rounds[h->n / 2].arrived, last = h->rounds[h->n - 1].left;
		sync_rounds_keep(r, h->host, first, last);
		for (size_t i = 0; i < h->n; i++)
			check(h->rounds[i].arrived >= first && h->rounds[i].left < last);
		check_messages(r);
	}
	sync_rounds_free(r);
	mer_diags_fini(&m.e.diags);
	mer_arena_fini(&m.e.arena);
	return 0;
}
