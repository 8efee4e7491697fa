/* Rounds as messages between the hosts.
 *
 * If the recorder was recorded too, a request is a message to the host, and the reply one back. If
 * not, two hosts are compared through the recorder's clock: the reply of host a was received at R1,
 * a request to host b was sent at R2. If R1 is before R2, the two together are a message from a to
 * b that spent R2 - R1 at the recorder. By a's clock that time is at least R2 - R1 minus the
 * possible drift, and the send time is moved later by it. If R1 is after R2, the receive time is
 * moved later, by R1 - R2 plus the drift. So only differences of the recorder's clock count, and
 * the closer R1 and R2 are, the less is lost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/limits/drift.h"
#include "sync/rounds/rounds.h"

enum {
	ALL_PAIRS = 16, /* with more hosts, each is compared with one host only */
	NEAR = 8	/* rounds before and after: a fast round may be better than the
			   nearest one */
};
/* Rounds farther apart are not joined: if a host stood still between them, this would show at the
 * wrong time. */
#define GAP_MOST INT64_C(2000000000)

/* Messages of one direction. */
struct way {
	struct sync_link *link;
	double drift;
	struct mer_err *err;
};

static int put(struct way *w, struct sync_message m)
{
	return sync_link_add(w->link, m, SYNC_ROUND, w->err);
}

static int add_questions(const struct sync_host_rounds *h, struct way *there, struct way *back)
{
	int rc = 0;
	for (size_t i = 0; i < h->n && rc == 0; i++) {
		const struct sync_round *r = &h->rounds[i];
		rc = put(there, (struct sync_message){ r->asked, r->arrived });
		if (rc == 0)
			rc = put(back, (struct sync_message){ r->left, r->answered });
	}
	return rc;
}

/* The message from a's reply to b's request. False: too far apart. */
static bool join(const struct way *w, const struct sync_round *a, const struct sync_round *b,
	struct sync_message *m)
{
	int64_t gap = sync_sub(b->asked, a->answered);
	if (gap > GAP_MOST || gap < -GAP_MOST)
		return false;
	int64_t drift = (int64_t)ceil(fabs((double)gap) * w->drift) + 1;
	*m = (struct sync_message){ a->left, b->arrived };
	if (gap >= 0)
		m->sent = sync_add(m->sent, gap > drift ? gap - drift : 0);
	else
		m->received = sync_add(m->received, drift - gap);
	return true;
}

/* For each request to b: messages from the replies of a next to it, and from the best of the near
 * ones. */
static int add_joined(
	const struct sync_host_rounds *a, const struct sync_host_rounds *b, struct way *w)
{
	size_t next = 0; /* the first of a's that was answered after b's question */
	for (size_t i = 0; i < b->n; i++) {
		while (next < a->n && a->rounds[next].answered <= b->rounds[i].asked)
			next++;
		size_t begin = next > NEAR ? next - NEAR : 0;
		size_t end = a->n - next > NEAR ? next + NEAR : a->n, best = SIZE_MAX;
		int64_t least = INT64_MAX;
		struct sync_message m;
		for (size_t k = begin; k < end; k++)
			if (join(w, &a->rounds[k], &b->rounds[i], &m) &&
				sync_sub(m.received, m.sent) < least) {
				least = sync_sub(m.received, m.sent);
				best = k;
			}
		for (size_t k = begin; k < end; k++) {
			int rc = k == best || k + 1 == next || k == next
					 ? join(w, &a->rounds[k], &b->rounds[i], &m) ? put(w, m) : 0
					 : 0;
			if (rc)
				return rc;
		}
	}
	return 0;
}

static struct way way_of(
	struct sync_messages *with, uint32_t from, uint32_t to, double drift, struct mer_err *err)
{
	return (struct way){ sync_messages_link(with, from, to), drift, err };
}

/* Pointers to links are valid until the next one is created: so one direction after the other. */
static int add_pair(struct sync_messages *with, const struct sync_host_rounds *a,
	const struct sync_host_rounds *b, double drift, struct mer_err *err)
{
	struct way w = way_of(with, a->host, b->host, drift, err);
	int rc = w.link ? add_joined(a, b, &w) : mer_fail_nomem(err);
	if (rc)
		return rc;
	w = way_of(with, b->host, a->host, drift, err);
	return w.link ? add_joined(b, a, &w) : mer_fail_nomem(err);
}

static int64_t least_length(const struct sync_host_rounds *h)
{
	int64_t least = INT64_MAX;
	for (size_t i = 0; i < h->n; i++) {
		const struct sync_round *r = &h->rounds[i];
		int64_t on_way =
			sync_sub(sync_sub(r->answered, r->asked), sync_sub(r->left, r->arrived));
		least = on_way < least ? on_way : least;
	}
	return least;
}

/* The host that the recorder reaches fastest: it adds the least uncertainty to a comparison. */
static size_t nearest(const struct sync_recorder *r)
{
	size_t best = 0;
	for (size_t i = 1; i < r->n_hosts; i++)
		if (least_length(&r->hosts[i]) < least_length(&r->hosts[best]))
			best = i;
	return best;
}

static int add_recorder(struct sync_messages *with, const struct sync_recorder *r, double drift,
	struct mer_err *err)
{
	int rc = 0;
	if (r->host != SYNC_NOT_RECORDED) {
		for (size_t i = 0; i < r->n_hosts && rc == 0; i++) {
			uint32_t host = r->hosts[i].host;
			bool ok = sync_messages_link(with, r->host, host) &&
				  sync_messages_link(with, host, r->host);
			struct way there = way_of(with, r->host, host, drift, err);
			struct way back = way_of(with, host, r->host, drift, err);
			rc = ok ? add_questions(&r->hosts[i], &there, &back) : mer_fail_nomem(err);
		}
		return rc;
	}
	size_t hub = nearest(r);
	for (size_t a = 0; a < r->n_hosts; a++)
		for (size_t b = a + 1; b < r->n_hosts && rc == 0; b++)
			if (r->n_hosts <= ALL_PAIRS || a == hub || b == hub)
				rc = add_pair(with, &r->hosts[a], &r->hosts[b], drift, err);
	return rc;
}

/* May the link get messages from rounds? Then it needs lists of its own. */
static bool gets_more(const struct sync_messages *m, const struct sync_link *l)
{
	return l->from != l->to && sync_rounds_has(m->rounds, l->from) &&
	       sync_rounds_has(m->rounds, l->to);
}

static int copy_links(
	const struct sync_messages *m, struct sync_messages *with, struct mer_err *err)
{
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *from = &m->links[i];
		struct sync_link *l = sync_messages_link(with, from->from, from->to);
		if (!l)
			return mer_fail_nomem(err);
		if (!gets_more(m, from)) {
			*l = *from;
			continue;
		}
		for (size_t k = 0; k < from->n; k++) {
			int rc = sync_link_add(l, from->messages[k],
				from->kinds ? (enum sync_kind)from->kinds[k] : SYNC_TCP, err);
			if (rc)
				return rc;
		}
		l->n_duplicates = from->n_duplicates;
		l->n_unmatched = from->n_unmatched;
	}
	return 0;
}

int sync_with_rounds(const struct sync_messages *m, double max_drift, struct sync_messages *with,
	struct mer_err *err)
{
	int rc = sync_messages_init(with, m->n_hosts, err);
	with->spill = m->spill;
	if (rc == 0 && m->hosts)
		memcpy(with->hosts, m->hosts, m->n_hosts * sizeof(*m->hosts));
	if (rc == 0)
		rc = copy_links(m, with, err);
	for (size_t i = 0; m->rounds && i < m->rounds->n && rc == 0; i++)
		rc = add_recorder(with, &m->rounds->recorders[i], max_drift, err);
	return rc ? rc : sync_messages_finish(with, err);
}

void sync_with_rounds_free(const struct sync_messages *m, struct sync_messages *with)
{
	for (size_t i = 0; i < with->n_links; i++) {
		struct sync_link *l = &with->links[i];
		if (gets_more(m, l))
			continue;
		l->messages = NULL;
		l->kinds = NULL;
		l->streams = NULL;
	}
	sync_messages_free(with);
}
