#include "cli/requests/one_request.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/period.h"
#include "cli/session.h"
#include "requests/own.h"
#include "session/requests.h"

int cli_request_find(struct cli *cli, const struct cli_request *q, const char *id, uint32_t *number)
{
	*number = requests_by_id(q->r, id);
	if (*number == KERNEL_NONE)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--request: there is no request '%.40s' in these traces (meridian requests --list prints their ids)",
			id);
	return 0;
}

/* ---- requests of a rule ---- */

static int understand(
	struct cli *cli, const struct cli_request_values *v, struct analysis_period_rule **rule)
{
	*rule = NULL;
	if (v && v->by.n && !v->which.rule)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--request-by needs --request 'BEGIN : END', two events");
	if (!v || !v->which.rule)
		return 0;
	struct analysis_period_query query = { .expression = v->which.rule,
		.what = "request",
		.by = (const char *const *)v->by.item,
		.n_by = v->by.n,
		.max_ns = INT64_MAX,
		.tells_tasks = true };
	return analysis_period_rule_new(&query, rule, &cli->err);
}

/* Why there are none, with our words; what could be done names options of periods. */
static int explain(struct cli *cli, int rc)
{
	static const char word[] = "period";
	struct mer_str text = { 0 };
	for (const char *p = cli->err.text; *p;) {
		bool is_word = strncmp(p, word, sizeof(word) - 1) == 0;
		mer_str_add(&text, is_word ? "request" : p, is_word ? sizeof("request") - 1 : 1);
		p += is_word ? sizeof(word) - 1 : 1;
	}
	rc = text.failed ? mer_fail_nomem(&cli->err)
			 : mer_fail(&cli->err, rc, "--request: %s", text.data ? text.data : "");
	mer_str_fini(&text);
	return rc;
}

static int find_own(struct cli *cli, const struct analysis_period_rule *rule, struct cli_request *q)
{
	const char *unknown = analysis_period_rule_unknown(rule, session_experiment(q->s));
	if (unknown)
		cli_warn(cli, "--request: no event of these traces has a field `%s`", unknown);
	q->has_own = true;
	int rc = session_periods(q->s, rule, &q->own, &cli->err);
	if (rc && cli->err.remedy)
		return explain(cli, rc);
	if (rc == 0)
		cli_periods_note_as(cli, &q->own, "request", "request");
	return rc ? rc : requests_add_own(q->r, &q->own, &cli->err);
}

/* Clocks as recorded are nobody's wish to have the requests of each host apart. */
static void note_apart(struct cli *cli, const struct cli_request *q)
{
	uint32_t n_hosts = session_experiment(q->s)->n_hosts;
	if (n_hosts > 1 && cli->sync && strcmp(cli->sync, "none") == 0)
		cli_note(cli,
			"--sync none leaves the clocks as recorded, so times of different hosts are not compared: requests between the %" PRIu32
			" hosts are not joined, each host shows its own end of them",
			n_hosts);
}

int cli_requests_open_used(struct cli *cli, const struct cli_request_values *v,
	enum session_usage usage, struct cli_request *q)
{
	struct analysis_period_rule *rule;
	*q = (struct cli_request){ .number = KERNEL_NONE };
	int rc = understand(cli, v, &rule);
	if (rc == 0)
		rc = cli_session_open(cli, &q->s);
	if (rc == 0)
		rc = cli_session_synchronize(cli, q->s, true);
	if (rc == 0)
		note_apart(cli, q);
	if (rc == 0)
		rc = session_requests_used(q->s, usage, &q->w, &q->r, &cli->err);
	if (rc == 0 && rule)
		rc = find_own(cli, rule, q);
	analysis_period_rule_free(rule);
	return rc;
}

int cli_requests_find_parts(
	struct cli *cli, struct cli_request *q, const uint32_t *which, uint32_t n)
{
	requests_parts_finder_free(q->parts);
	return which ? requests_parts_finder_of(q->r, which, n, &q->parts, &cli->err)
		     : requests_parts_finder_new(q->r, &q->parts, &cli->err);
}

int cli_request_open_chosen(
	struct cli *cli, const struct cli_request_values *v, struct cli_request *q)
{
	*q = (struct cli_request){ .number = KERNEL_NONE };
	if (!v->which.id)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--request: an id is required besides the rule, as in --request '%s' --request u1.1 (meridian requests --request '%s' --list prints them)",
			v->which.rule ? v->which.rule : "", v->which.rule ? v->which.rule : "");
	int rc = cli_requests_open_used(cli, v, SESSION_USAGE_NONE, q);
	if (rc == 0)
		rc = cli_request_find(cli, q, v->which.id, &q->number);
	return rc ? rc : cli_requests_find_parts(cli, q, &q->number, 1);
}

void cli_request_close(struct cli *cli, struct cli_request *q)
{
	requests_parts_finder_free(q->parts);
	if (q->has_own) {
		session_requests_forget(q->s);
		analysis_periods_fini(&q->own);
	}
	cli_session_close(cli, q->s);
}

int cli_request_alone(struct cli *cli)
{
	if (session_selects_tasks(&cli->select) || cli->select.hosts.n || cli->select.begin.kind ||
		cli->select.end.kind)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--request selects the tasks and the time: it does not work with --comm, --tid, --host, --begin and --end");
	return 0;
}
