/* meridian check: are traces sound, and what could be analysed? */
#include "cli/check_result.h"
#include "cli/session.h"
#include "cli/verb.h"

/* Nothing could be opened: for this verb that is a finding, not a failure. */
static int report_unopened(struct cli *cli)
{
	cli_error(cli, "%s", cli_err_text(cli, &cli->err));
	int rc = check_print_unopened(cli);
	return rc ? rc : CLI_CONDITION;
}

static int run(struct cli *cli, const void *values)
{
	struct session *s;
	struct check c = { .cli = cli };
	(void)values;
	int rc = cli_session_open(cli, &s);
	if (rc == MER_ERR_INPUT || rc == MER_ERR_SYS || rc == MER_ERR_LIMIT)
		return report_unopened(cli);
	if (rc)
		return rc;
	c.e = session_experiment(s);
	rc = session_check(s, &cli->select, &c.found, &cli->err);
	if (rc == 0)
		rc = check_print(&c);
	if (rc == 0 && !c.found.sound)
		rc = CLI_CONDITION;
	session_check_fini(&c.found);
	cli_session_close(cli, s);
	/* With --host, damage on other machines does not count. */
	if (rc == CLI_OK)
		cli->unreadable = false;
	return rc;
}

const struct cli_verb cli_verb_check = {
	.name = "check",
	.help = "check whether traces are sound, and what can be analysed",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Reads all events and reports whether each trace is sound, whether each "
		       "host's clock can be synchronized with others, and whether the events "
		       "that each analysis needs were recorded. For missing events it prints the "
		       "commands that enable them. Exit status 1: a trace is not sound, because "
		       "something was lost or could not be read.",
	.more = "An event counts as recorded when the metadata declares it, even if it never "
		"occurred. Packet headers may be declared and still be missing, so some thousand "
		"packets of each host are examined. With --format csv or jsonl there is one row "
		"for each trace.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_HOST | CLI_USES_JOBS | CLI_USES_INPUT |
		CLI_USES_TABLES,
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian check client/ server/", "Can these two be analysed together?" },
		{ "meridian check --json client/ | jq '.tables[] | select(.id == \"analyses\").rows'", "For a script." },
	},
	.run = run,
};
