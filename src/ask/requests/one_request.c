#include "ask/requests/one_request.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "ask/period.h"
#include "ask/session.h"
#include "requests/own.h"
#include "session/requests.h"

int ask_request_find(struct ask *ask, const struct ask_request *q, const char *id, uint32_t *number)
{
	*number = requests_by_id(q->r, id);
	if (*number == KERNEL_NONE)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request: there is no request '%.40s' in these traces (meridian requests --list prints their ids)",
			id);
	return 0;
}

/* ---- requests of a rule ---- */

static int understand(
	struct ask *ask, const struct ask_request_values *v, struct analysis_period_rule **rule)
{
	*rule = NULL;
	if (v && v->by.n && !v->which.rule)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request-by needs --request 'BEGIN : END', two events");
	if (!v || !v->which.rule)
		return 0;
	struct analysis_period_query query = { .expression = v->which.rule,
		.what = "request",
		.by = (const char *const *)v->by.item,
		.n_by = v->by.n,
		.max_ns = INT64_MAX,
		.tells_tasks = true };
	return analysis_period_rule_new(&query, rule, &ask->err);
}

/* Why there are none, with our words; what could be done names options of periods. */
static int explain(struct ask *ask, int rc)
{
	static const char word[] = "period";
	struct mer_str text = { 0 };
	for (const char *p = ask->err.text; *p;) {
		bool is_word = strncmp(p, word, sizeof(word) - 1) == 0;
		mer_str_add(&text, is_word ? "request" : p, is_word ? sizeof("request") - 1 : 1);
		p += is_word ? sizeof(word) - 1 : 1;
	}
	rc = text.failed ? mer_fail_nomem(&ask->err)
			 : mer_fail(&ask->err, rc, "--request: %s", text.data ? text.data : "");
	mer_str_fini(&text);
	return rc;
}

static int find_own(struct ask *ask, const struct analysis_period_rule *rule, struct ask_request *q)
{
	const char *unknown = analysis_period_rule_unknown(rule, session_experiment(q->s));
	if (unknown)
		ask_warn(ask, "--request: no event of these traces has a field `%s`", unknown);
	q->has_own = true;
	int rc = session_periods(q->s, rule, &q->own, &ask->err);
	if (rc && ask->err.remedy)
		return explain(ask, rc);
	if (rc == 0)
		ask_periods_note_as(ask, &q->own, "request", "request");
	return rc ? rc : requests_add_own(q->r, &q->own, &ask->err);
}

/* Clocks as recorded are nobody's wish to have the requests of each host apart. */
static void note_apart(struct ask *ask, const struct ask_request *q)
{
	uint32_t n_hosts = session_experiment(q->s)->n_hosts;
	if (n_hosts > 1 && ask->sync && strcmp(ask->sync, "none") == 0)
		ask_note(ask,
			"--sync none leaves the clocks as recorded, so times of different hosts are not compared: requests between the %" PRIu32
			" hosts are not joined, each host shows its own end of them",
			n_hosts);
}

int ask_requests_open_used(struct ask *ask, const struct ask_request_values *v,
	enum session_usage usage, struct ask_request *q)
{
	struct analysis_period_rule *rule;
	*q = (struct ask_request){ .number = KERNEL_NONE };
	int rc = understand(ask, v, &rule);
	if (rc == 0)
		rc = ask_session_open(ask, &q->s);
	if (rc == 0)
		rc = ask_session_synchronize(ask, q->s, true);
	if (rc == 0)
		note_apart(ask, q);
	if (rc == 0)
		rc = session_requests_used(q->s, usage, &q->w, &q->r, &ask->err);
	if (rc == 0 && rule)
		rc = find_own(ask, rule, q);
	analysis_period_rule_free(rule);
	return rc;
}

int ask_requests_find_parts(
	struct ask *ask, struct ask_request *q, const uint32_t *which, uint32_t n)
{
	requests_parts_finder_free(q->parts);
	return which ? requests_parts_finder_of(q->r, which, n, &q->parts, &ask->err)
		     : requests_parts_finder_new(q->r, &q->parts, &ask->err);
}

int ask_request_open_chosen(
	struct ask *ask, const struct ask_request_values *v, struct ask_request *q)
{
	*q = (struct ask_request){ .number = KERNEL_NONE };
	if (!v->which.id)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request: an id is required besides the rule, as in --request '%s' --request u1.1 (meridian requests --request '%s' --list prints them)",
			v->which.rule ? v->which.rule : "", v->which.rule ? v->which.rule : "");
	int rc = ask_requests_open_used(ask, v, SESSION_USAGE_NONE, q);
	if (rc == 0)
		rc = ask_request_find(ask, q, v->which.id, &q->number);
	return rc ? rc : ask_requests_find_parts(ask, q, &q->number, 1);
}

void ask_request_close(struct ask *ask, struct ask_request *q)
{
	requests_parts_finder_free(q->parts);
	if (q->has_own) {
		session_requests_forget(q->s);
		analysis_periods_fini(&q->own);
	}
	ask_session_close(ask, q->s);
}

int ask_request_alone(struct ask *ask)
{
	if (session_selects_tasks(&ask->select) || ask->select.hosts.n || ask->select.begin.kind ||
		ask->select.end.kind)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request selects the tasks and the time: it does not work with --comm, --tid, --host, --begin and --end");
	return 0;
}
