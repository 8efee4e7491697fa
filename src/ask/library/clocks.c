/* Clocks and messages. */
#include "ask/library/api.h"
#include "base/err.h"
#include "sync/result_view.h"

int mer_session_synchronize(struct mer_session *s, struct mer_err *err)
{
	API_ERR(err);
	struct mer_result *none;
	int rc = api_begin(s, &none, err);
	return rc ? rc : session_synchronize(s->session, false, err);
}

const char *mer_session_clocks_error(struct mer_session *s)
{
	const struct mer_err *e = session_sync_error(s->session);
	return e ? e->text : NULL;
}

int mer_session_clocks(struct mer_session *s, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	enum { HOST, REFERENCE, METHOD, OFFSET, DRIFT, BOUND, MESSAGES, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[REFERENCE] = { "reference", "Reference", MER_TEXT },
		[METHOD] = { "method", "Method", MER_TEXT },
		[OFFSET] = { "offset_ns", "Offset", MER_OFFSET },
		[DRIFT] = { "drift_ppm", "Drift", MER_PPM },
		[BOUND] = { "bound_ns", "Bound", MER_DURATION },
		[MESSAGES] = { "messages", "Messages", MER_COUNT },
	};
	int rc = api_begin_table(s, "clocks", "Clocks", columns, result, err);
	if (rc)
		return rc;
	rc = session_synchronize(s->session, false, err);
	const struct sync_result *r = rc ? NULL : session_sync_result(s->session);
	for (uint32_t i = 0; r && i < r->n_hosts; i++) {
		const struct sync_host *h = &r->hosts[i];
		bool is_bound = h->bound.max != INT64_MAX;
		mer_table_add(&(*result)->own,
			(struct mer_cell[N]){
				[HOST] = mer_text(h->name),
				[REFERENCE] = mer_text(r->hosts[r->references[h->group]].name),
				[METHOD] = mer_text(sync_method_name(h->method)),
				[OFFSET] = MER_INT(sync_host_offset(h)),
				[DRIFT] = MER_REAL_CELL(sync_host_drift_ppm(h)),
				[BOUND] = is_bound ? MER_INT(h->bound.max) : MER_NONE,
				[MESSAGES] = MER_INT(h->n_matched),
			});
	}
	return api_end(result, rc, err);
}

/* The largest error of a host's clock when it reads `at`; time: its aligned time. INT64_MAX: not
 * bounded. */
static int64_t bound_at(const struct sync_result *r, uint32_t host, int64_t at, int64_t time)
{
	int64_t low, high;
	if (r->references[r->hosts[host].group] == host)
		return 0;
	if (!sync_host_limits(r, host, at, &low, &high) || low == INT64_MIN || high == INT64_MAX)
		return INT64_MAX;
	int64_t below = time - low, above = high - time;
	return below > above ? below : above;
}

int mer_session_offset(struct mer_session *s, const char *host, int64_t at, int64_t *offset_ns,
	int64_t *bound_ns, struct mer_err *err)
{
	API_ERR(err);
	struct mer_result *none;
	uint32_t h;
	int rc = api_begin(s, &none, err);
	if (rc == 0)
		rc = api_host(s, host, &h, err);
	if (rc == 0)
		rc = session_synchronize(s->session, false, err);
	if (rc)
		return rc;
	const struct sync_result *r = session_sync_result(s->session);
	int64_t time = r ? trace_map_time(&r->hosts[h].map, at) : at;
	bool alone = session_experiment(s->session)->n_hosts == 1;
	*offset_ns = time - at;
	if (bound_ns)
		*bound_ns = r ? bound_at(r, h, at, time) : alone ? 0 : INT64_MAX;
	return 0;
}

/* ---- Messages ---- */

static const struct sync_link *find_link(const struct sync_messages *m, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < m->n_links; i++)
		if (m->links[i].from == from && m->links[i].to == to)
			return &m->links[i];
	return NULL;
}

int mer_session_messages(struct mer_session *s, const char *from, const char *to, uint64_t first,
	uint64_t limit, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	enum { SENT, RECEIVED, KIND, N };
	static const struct mer_column columns[N + 1] = {
		[SENT] = { "sent", "Sent", MER_DATE },
		[RECEIVED] = { "received", "Received", MER_DATE },
		[KIND] = { "kind", "Kind", MER_TEXT },
	};
	const struct sync_messages *m = NULL;
	uint32_t a, b;
	int rc = api_begin_table(s, "messages", "Messages", columns, result, err);
	if (rc)
		return rc;
	rc = api_host(s, from, &a, err);
	if (rc == 0)
		rc = api_host(s, to, &b, err);
	if (rc == 0)
		rc = session_messages(s->session, &m, err);
	const struct sync_link *l = rc ? NULL : find_link(m, a, b);
	size_t begin = l ? l->n : 0, end = begin;
	if (first < begin)
		begin = first;
	if (limit && limit < end - begin)
		end = begin + limit;
	struct mer_table *t = &(*result)->own;
	for (size_t i = begin; i < end && !t->failed; i++) {
		enum sync_kind kind = l->kinds ? (enum sync_kind)l->kinds[i] : SYNC_TCP;
		mer_table_add(t, (struct mer_cell[N]){
					 [SENT] = MER_INT(l->messages[i].sent),
					 [RECEIVED] = MER_INT(l->messages[i].received),
					 [KIND] = mer_text(sync_kind_name(kind)),
				 });
	}
	t->n_left_out = l ? l->n - end : 0;
	return api_end(result, rc, err);
}
