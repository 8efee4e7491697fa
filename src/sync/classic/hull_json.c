/* Hull as JSON: its history, which is added again when it is read. So what is read is a state that
 * messages can lead to, whatever the text says.
 *
 *   {"messages": 46, "accurate": 25, "first": [x, y], "history": [[1, sent, received], ...]}
 *
 * and "gave_up_at": x when it did. 1: from the pair's first host to its second, 0: back. */
#include "sync/classic/hull_state.h"

#include <stdlib.h>

void sync_hull_write(const struct sync_hull *h, const char *key, struct mer_json *j)
{
	if (key)
		mer_json_kv_object(j, key);
	else
		mer_json_begin_object(j);
	mer_json_kv_uint(j, "messages", h->n_messages);
	mer_json_kv_uint(j, "accurate", h->n_accurate);
	mer_json_kv_array(j, "first");
	mer_json_int(j, h->first.x);
	mer_json_int(j, h->first.y);
	mer_json_end_array(j);
	if (h->gave_up)
		mer_json_kv_int(j, "gave_up_at", h->failed_at);
	mer_json_kv_array(j, "history");
	for (size_t i = 0; i < h->n_history; i++) {
		const struct hull_kept *c = &h->history[i];
		mer_json_begin_array(j);
		mer_json_uint(j, c->forth);
		mer_json_int(j, c->forth ? c->p.x : c->p.y);
		mer_json_int(j, c->forth ? c->p.y : c->p.x);
		mer_json_end_array(j);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static bool read_int(const struct mer_json_value *v, int64_t *to)
{
	*to = (int64_t)v->u.number;
	return v->kind == MER_JSON_INT || (v->kind == MER_JSON_UINT && v->u.number <= INT64_MAX);
}

static bool read_count(const struct mer_json_value *v, size_t *to)
{
	*to = (size_t)v->u.number;
	return v->kind == MER_JSON_UINT && v->u.number <= INT64_MAX;
}

static bool read_kept(const struct mer_json_value *v, struct hull_kept *c)
{
	struct sync_message m;
	if (v->kind != MER_JSON_ARRAY || v->n != 3 || v->u.items[0].kind != MER_JSON_UINT ||
		v->u.items[0].u.number > 1 || !read_int(&v->u.items[1], &m.sent) ||
		!read_int(&v->u.items[2], &m.received))
		return false;
	c->forth = v->u.items[0].u.number == 1;
	c->p = c->forth ? (struct hull_point){ m.sent, m.received }
			: (struct hull_point){ m.received, m.sent };
	return true;
}

static bool read_all(const struct mer_json_value *v, struct sync_hull *h)
{
	const struct mer_json_member *messages = mer_json_member(v, "messages");
	const struct mer_json_member *accurate = mer_json_member(v, "accurate");
	const struct mer_json_member *first = mer_json_member(v, "first");
	const struct mer_json_member *gave_up = mer_json_member(v, "gave_up_at");
	const struct mer_json_member *history = mer_json_member(v, "history");
	if (!messages || !accurate || !first || !history)
		return false;
	h->gave_up = gave_up != NULL;
	const struct mer_json_value *xy = &first->value;
	if (!read_count(&messages->value, &h->n_messages) ||
		!read_count(&accurate->value, &h->n_accurate) ||
		(gave_up && !read_int(&gave_up->value, &h->failed_at)) ||
		xy->kind != MER_JSON_ARRAY || xy->n != 2 ||
		!read_int(&xy->u.items[0], &h->first.x) ||
		!read_int(&xy->u.items[1], &h->first.y) || history->value.kind != MER_JSON_ARRAY)
		return false;
	/* A hull with messages has kept at least one, and no more than there were. */
	h->n_history = history->value.n;
	if (h->n_history > h->n_messages || (h->n_messages && !h->n_history) ||
		h->n_accurate > h->n_messages)
		return false;
	for (size_t i = 0; i < h->n_history; i++)
		if (!read_kept(&history->value.u.items[i], &h->history[i]))
			return false;
	return true;
}

int sync_hull_read(const struct mer_json_value *v, struct sync_hull **result, struct mer_err *err)
{
	const struct mer_json_member *history =
		v->kind == MER_JSON_OBJECT ? mer_json_member(v, "history") : NULL;
	if (!history || history->value.kind != MER_JSON_ARRAY)
		return mer_fail(err, MER_ERR_INPUT,
			"the saved messages of a pair of hosts have no history: synchronize again");
	struct sync_hull as_written = { .failed_at = MER_NO_TIME };
	as_written.history = calloc(history->value.n + 1u, sizeof(*as_written.history));
	struct sync_hull *h = sync_hull_new();
	int rc = as_written.history && h ? 0 : mer_fail_nomem(err);
	if (rc == 0 && !read_all(v, &as_written))
		rc = mer_fail(err, MER_ERR_INPUT,
			"the saved messages of a pair of hosts are damaged: synchronize again");
	if (rc == 0)
		rc = sync_hull_merge(h, &as_written, err);
	free(as_written.history);
	if (rc == 0 && h->n_accurate > as_written.n_accurate)
		rc = mer_fail(err, MER_ERR_INPUT,
			"the saved messages of a pair of hosts do not agree with their number: synchronize again");
	if (rc) {
		sync_hull_free(h);
		return rc;
	}
	h->n_accurate = as_written.n_accurate;
	*result = h;
	return 0;
}
