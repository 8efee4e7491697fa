/* Messages: one list for each link. Messages are added in any order and sorted once, at the end. */
#include "sync/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sort.h"
#include "sync/rounds/rounds.h"

const char *sync_kind_name(enum sync_kind kind)
{
	static const char *const names[SYNC_N_KINDS] = {
		[SYNC_TCP] = "tcp",
		[SYNC_UDP] = "udp",
		[SYNC_ICMP] = "icmp",
		[SYNC_VMSYNC] = "vmsync",
		[SYNC_USER] = "user",
		[SYNC_STAY] = "stay",
		[SYNC_MPI] = "mpi",
		[SYNC_ROUND] = "round",
	};
	return names[kind];
}

int sync_messages_init(struct sync_messages *m, uint32_t n_hosts, struct mer_err *err)
{
	*m = (struct sync_messages){ .n_hosts = n_hosts };
	m->hosts = calloc((size_t)n_hosts + 1, sizeof(*m->hosts));
	return m->hosts ? 0 : mer_fail_nomem(err);
}

void sync_messages_free(struct sync_messages *m)
{
	for (size_t i = 0; i < m->n_links; i++) {
		mer_spill_release(m->links[i].messages);
		mer_spill_release(m->links[i].kinds);
		mer_spill_release(m->links[i].streams);
	}
	free(m->links);
	free(m->hosts);
	mer_map_fini(&m->link_map);
	mer_map_fini(&m->endpoints);
	free(m->places);
	mer_spill_release(m->singles);
	sync_rounds_free(m->rounds);
	*m = (struct sync_messages){ 0 };
}

bool sync_messages_place(
	struct sync_messages *m, uint32_t endpoint, uint32_t address, uint16_t port)
{
	uint32_t *recent = &m->recent[endpoint % SYNC_RECENT];
	if (*recent == endpoint)
		return true;
	uint32_t *at = mer_map_put(&m->endpoints, endpoint);
	if (!at ||
		(!*at && !mer_grow32(&m->places, m->n_places, &m->cap_places, sizeof(*m->places))))
		return false;
	if (!*at) {
		m->places[m->n_places] = (struct sync_place){ address, port };
		*at = ++m->n_places;
	}
	*recent = endpoint;
	return true;
}

int sync_messages_add_single(
	struct sync_messages *m, const struct sync_single *s, struct mer_err *err)
{
	if (!mer_spill_grow(m->spill, &m->singles, m->n_singles, &m->cap_singles, sizeof(*s)))
		return mer_fail_nomem(err);
	m->singles[m->n_singles++] = *s;
	return 0;
}

static uint64_t link_key(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

struct sync_link *sync_messages_link(struct sync_messages *m, uint32_t from, uint32_t to)
{
	uint32_t *recent = &m->recent_links[(from * 31 + to) % SYNC_RECENT_LINKS];
	if (*recent && m->links[*recent - 1].from == from && m->links[*recent - 1].to == to)
		return &m->links[*recent - 1];
	uint32_t *place = mer_map_put(&m->link_map, link_key(from, to));
	if (!place)
		return NULL;
	*recent = *place ? *place : (uint32_t)m->n_links + 1;
	if (*place)
		return &m->links[*place - 1];
	if (!mer_grow(&m->links, m->n_links, &m->cap_links, sizeof(*m->links))) {
		*recent = 0;
		return NULL;
	}
	m->links[m->n_links] = (struct sync_link){ .from = from, .to = to, .spill = m->spill };
	*place = (uint32_t)m->n_links + 1;
	return &m->links[m->n_links++];
}

static bool grow(struct sync_link *l)
{
	/* All three arrays get the same capacity. */
	size_t cap = l->cap, kinds = l->cap, streams = l->cap;
	bool ok = mer_spill_grow(l->spill, &l->messages, l->n, &cap, sizeof(*l->messages));
	if (ok && l->kinds)
		ok = mer_spill_grow(l->spill, &l->kinds, l->n, &kinds, sizeof(*l->kinds));
	if (ok && l->streams)
		ok = mer_spill_grow(l->spill, &l->streams, l->n, &streams, sizeof(*l->streams));
	if (ok)
		l->cap = cap;
	return ok;
}

static const struct sync_streams no_streams = { .sent = SYNC_NO_STREAM,
	.received = SYNC_NO_STREAM };

static bool is_known(struct sync_streams s)
{
	return s.sent != SYNC_NO_STREAM || s.received != SYNC_NO_STREAM;
}

/* Stores a message at index l->n; the caller increments l->n. */
static int put(struct sync_link *l, int64_t sent, int64_t received, enum sync_kind kind,
	struct mer_err *err)
{
	if (l->n == l->cap && !grow(l))
		return mer_fail_nomem(err);
	if (kind != SYNC_TCP && !l->kinds) {
		l->kinds = mer_spill_array(l->spill, l->cap, sizeof(*l->kinds));
		if (!l->kinds)
			return mer_fail_nomem(err);
		memset(l->kinds, SYNC_TCP, l->n);
	}
	if (l->kinds)
		l->kinds[l->n] = (uint8_t)kind;
	l->messages[l->n] = (struct sync_message){ sent, received };
	return 0;
}

int sync_link_put(struct sync_link *l, int64_t sent, int64_t received, enum sync_kind kind,
	struct mer_err *err)
{
	int rc = put(l, sent, received, kind, err);
	if (rc)
		return rc;
	if (l->streams)
		l->streams[l->n] = no_streams;
	l->n++;
	return 0;
}

int sync_link_add_in(struct sync_link *l, struct sync_message msg, enum sync_kind kind,
	struct sync_streams streams, struct mer_err *err)
{
	if (!is_known(streams))
		return sync_link_add(l, msg, kind, err);
	int rc = put(l, msg.sent, msg.received, kind, err);
	if (rc)
		return rc;
	if (!l->streams) {
		l->streams = mer_spill_array(l->spill, l->cap, sizeof(*l->streams));
		if (!l->streams)
			return mer_fail_nomem(err);
		for (size_t i = 0; i < l->n; i++)
			l->streams[i] = no_streams;
	}
	l->streams[l->n++] = streams;
	return 0;
}

struct sorted { /* a message with its kind and streams */
	struct sync_message m;
	struct sync_streams streams;
	uint8_t kind;
};

static int by_sent(const void *a, const void *b)
{
	const struct sync_message *x = a, *y = b;
	if (x->sent != y->sent)
		return x->sent < y->sent ? -1 : 1;
	return (x->received > y->received) - (x->received < y->received);
}

/* Equal times, of several CPUs, are ordered by their streams. */
static int by_sent_in(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int c = by_sent(&x->m, &y->m);
	if (c)
		return c;
	if (x->streams.sent != y->streams.sent)
		return x->streams.sent < y->streams.sent ? -1 : 1;
	return (x->streams.received > y->streams.received) -
	       (x->streams.received < y->streams.received);
}

static bool is_sorted(const struct sync_link *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (by_sent(&l->messages[i - 1], &l->messages[i]) > 0)
			return false;
	return true;
}

static int sort_link(struct sync_link *l, struct mer_err *err)
{
	if (is_sorted(l))
		return 0;
	if (!l->kinds && !l->streams)
		return mer_sort(l->spill, l->messages, l->n, sizeof(*l->messages), by_sent)
			       ? 0
			       : mer_fail_nomem(err);
	struct sorted *s = mer_spill_array(l->spill, l->n, sizeof(*s));
	if (!s)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < l->n; i++)
		s[i] = (struct sorted){ l->messages[i], l->streams ? l->streams[i] : no_streams,
			l->kinds ? l->kinds[i] : (uint8_t)SYNC_TCP };
	bool ok = mer_sort(l->spill, s, l->n, sizeof(*s), by_sent_in);
	for (size_t i = 0; i < l->n; i++) {
		l->messages[i] = s[i].m;
		if (l->kinds)
			l->kinds[i] = s[i].kind;
		if (l->streams)
			l->streams[i] = s[i].streams;
	}
	mer_spill_release(s);
	return ok ? 0 : mer_fail_nomem(err);
}

static void count_reordered(struct sync_link *l)
{
	l->n_reordered = 0;
	int64_t last = INT64_MIN;
	for (size_t i = 0; i < l->n; i++) {
		if (l->messages[i].received < last)
			l->n_reordered++;
		else
			last = l->messages[i].received;
	}
}

static int by_ends(const void *a, const void *b)
{
	const struct sync_link *x = a, *y = b;
	uint64_t kx = link_key(x->from, x->to), ky = link_key(y->from, y->to);
	return (kx > ky) - (kx < ky);
}

int sync_messages_finish(struct sync_messages *m, struct mer_err *err)
{
	memset(m->recent_links, 0, sizeof(m->recent_links));
	if (m->n_links)
		qsort(m->links, m->n_links, sizeof(*m->links), by_ends);
	for (size_t i = 0; i < m->n_links; i++) {
		struct sync_link *l = &m->links[i];
		uint32_t *place = mer_map_put(&m->link_map, link_key(l->from, l->to));
		if (!place)
			return mer_fail_nomem(err);
		*place = (uint32_t)i + 1;
		int rc = sort_link(l, err);
		if (rc)
			return rc;
		count_reordered(l);
	}
	return 0;
}
