#include "cli/requests/one_request.h"

#include "cli/session.h"
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

int cli_requests_open(struct cli *cli, struct cli_request *q)
{
	return cli_requests_open_used(cli, SESSION_USAGE_NONE, q);
}

int cli_requests_open_used(struct cli *cli, enum session_usage usage, struct cli_request *q)
{
	*q = (struct cli_request){ .number = KERNEL_NONE };
	int rc = cli_session_open(cli, &q->s);
	if (rc == 0)
		rc = cli_session_synchronize(cli, q->s, true);
	if (rc == 0)
		rc = session_requests_used(q->s, usage, &q->w, &q->r, &cli->err);
	return rc ? rc : requests_parts_finder_new(q->r, &q->parts, &cli->err);
}

int cli_request_open(struct cli *cli, const char *id, struct cli_request *q)
{
	int rc = cli_requests_open(cli, q);
	return rc ? rc : cli_request_find(cli, q, id, &q->number);
}

void cli_request_close(struct cli *cli, struct cli_request *q)
{
	requests_parts_finder_free(q->parts);
	requests_free(q->r);
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
