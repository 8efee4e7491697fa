/* meridian check: are traces sound, and what could be analysed? */
#include "ask/traces/check_result.h"
#include "ask/session.h"
#include "ask/verb.h"

/* Nothing could be opened: for this verb that is a finding, not a failure. */
static int report_unopened(struct ask *ask)
{
	ask_error(ask, "%s", ask_err_text(ask, &ask->err));
	int rc = check_print_unopened(ask);
	return rc ? rc : ASK_CONDITION;
}

static int run(struct ask *ask, const void *values)
{
	struct session *s;
	struct check c = { .ask = ask };
	(void)values;
	int rc = ask_session_open(ask, &s);
	if (rc == MER_ERR_INPUT || rc == MER_ERR_SYS || rc == MER_ERR_LIMIT)
		return report_unopened(ask);
	if (rc)
		return rc;
	c.e = session_experiment(s);
	rc = session_check(s, &ask->select, &c.found, &ask->err);
	if (rc == 0)
		rc = check_print(&c);
	if (rc == 0 && !c.found.sound)
		rc = ASK_CONDITION;
	session_check_fini(&c.found);
	ask_session_close(ask, s);
	/* With --host, damage on other machines does not count. */
	if (rc == ASK_OK)
		ask->unreadable = false;
	return rc;
}

const struct ask_verb ask_verb_check = {
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
	.uses = ASK_USES_FORMAT | ASK_USES_HOST | ASK_USES_JOBS | ASK_USES_INPUT |
		ASK_USES_TABLES,
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian check client/ server/", "Can these two be analysed together?" },
		{ "meridian check --json client/ | jq '.tables[0].rows'", "For a script: which traces are sound." },
	},
	.run = run,
};
