#include "session/alignment.h"

#include "session/parts.h"

#include "base/err.h"
#include "session/state.h"
#include "sync/rounds/rounds.h"
#include "sync/match/user_pairs.h"
#include "sync/vcpu/join.h"

/* ---- The part of the time ---- */

/* The host whose clock it refers to must be known. */
static int check_moment(const struct session *s, const struct session_moment *m,
	enum mer_remedy remedy, struct mer_err *err)
{
	struct session_moment time;
	uint32_t host;
	int rc = m->kind == SESSION_MOMENT_ON_HOST ? session_moment_host(m, s->e, &host, &time, err)
						   : 0;
	if (rc && err)
		err->remedy = remedy;
	return rc;
}

/* A moment on a host's own clock; fallback also when it is one of another host's. */
static int64_t on_own_clock(const struct session *s, const struct sync_range *span,
	const struct session_moment *m, uint32_t host, int64_t fallback)
{
	struct session_moment time = *m;
	if (m->kind == SESSION_MOMENT_ON_HOST &&
		!session_moment_on_host(m, s->e->hosts[host].name, &time))
		return fallback;
	return session_moment_resolve(&time, span->begin, span->end, fallback);
}

/* What begin and end mean on a host's own clock. */
static struct sync_range range_on(const struct session *s, const struct session_alignment *a,
	const struct session_alignment_query *q, uint32_t host)
{
	const struct sync_range *span = &a->hosts[host].span;
	return (struct sync_range){ on_own_clock(s, span, &q->begin, host, INT64_MIN),
		on_own_clock(s, span, &q->end, host, INT64_MAX) };
}

/* Is there time between them on one of the clocks that both are of? */
static int check_order(const struct session *s, const struct session_alignment *a,
	const struct session_alignment_query *q, struct mer_err *err)
{
	bool any = false;
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		struct sync_range r = range_on(s, a, q, h);
		if (r.begin == INT64_MIN || r.end == INT64_MAX)
			continue;
		if (r.begin < r.end)
			return 0;
		any = true;
	}
	return !any ? 0
		    : mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_WINDOW_ORDER,
			      "the window does not start before its end");
}

static void keep_between(const struct session *s, const struct session_alignment_query *q,
	struct session_alignment *a)
{
	if (q->begin.kind == SESSION_MOMENT_NONE && q->end.kind == SESSION_MOMENT_NONE)
		return;
	for (size_t i = 0; i < a->messages.n_links; i++) {
		struct sync_link *l = &a->messages.links[i];
		struct sync_range from = range_on(s, a, q, l->from), to = range_on(s, a, q, l->to);
		size_t kept = 0;
		for (size_t k = 0; k < l->n; k++) {
			struct sync_message m = l->messages[k];
			if (m.sent < from.begin || m.sent >= from.end || m.received < to.begin ||
				m.received >= to.end)
				continue;
			if (l->kinds)
				l->kinds[kept] = l->kinds[k];
			l->messages[kept++] = m;
		}
		l->n = kept;
	}
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		struct sync_range r = range_on(s, a, q, h);
		sync_rounds_keep(a->messages.rounds, h, r.begin, r.end);
	}
}

/* ---- Messages and clocks ---- */

/* Their findings are those of the messages already. */
static int read_rounds(struct session *s, struct session_alignment *a, struct mer_err *err)
{
	struct mer_diags before = s->e->diags;
	mer_diags_init(&s->e->diags, &s->arena);
	int rc = s->e->n_hosts > 1 ? sync_rounds_read(s->e, &a->messages.rounds, err) : 0;
	mer_diags_fini(&s->e->diags);
	s->e->diags = before;
	return rc;
}

static int gather(struct session *s, const struct session_alignment_query *q,
	struct session_alignment *a, struct mer_err *err)
{
	struct sync_user_pairs *user = NULL;
	int rc = q->pairs ? sync_user_pairs_load(q->pairs, &user, err) : 0;
	if (rc == 0 && !user && session_stored_messages(s, &a->messages))
		return read_rounds(s, a, err);
	if (rc)
		return rc;
	struct sync_gather_options o = { .user = user,
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_MATCHING, s->e->bytes),
		.n_threads = session_threads(s) };
	rc = sync_gather(s->e, &o, &a->messages, err);
	session_stage_end(s);
	sync_user_pairs_free(user);
	return rc;
}

int session_align_again(struct session *s, const struct session_alignment *a,
	const struct sync_options *options, struct sync_result **result, struct mer_err *err)
{
	struct sync_options o = *options;
	o.n_threads = session_threads(s);
	o.cancel = &s->cancel;
	return sync_join(s->e, &a->messages, a->hosts, &o, result, err);
}

int session_align(struct session *s, const struct session_alignment_query *q,
	struct session_alignment *a, struct mer_err *err)
{
	*a = (struct session_alignment){ 0 };
	int rc = check_moment(s, &q->begin, MER_REMEDY_BEGIN, err);
	if (rc == 0)
		rc = check_moment(s, &q->end, MER_REMEDY_END, err);
	if (rc)
		return rc;
	a->hosts = sync_host_infos(s->e, &s->arena);
	rc = a->hosts ? check_order(s, a, q, err) : mer_fail_nomem(err);
	if (rc == 0)
		rc = gather(s, q, a, err);
	if (rc)
		return rc;
	keep_between(s, q, a);
	if (q->file)
		return sync_load(s->e, q->file, &a->result, err);
	rc = s->e->has_no_events ? session_parts_clocks(s, &a->result, err) : 0;
	return rc || a->result ? rc : session_align_again(s, a, &q->options, &a->result, err);
}

void session_alignment_fini(struct session_alignment *a)
{
	sync_messages_free(&a->messages);
	sync_result_free(a->result);
	a->result = NULL;
}
