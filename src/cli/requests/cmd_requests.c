/* meridian requests: every request of services, and which of them served which. */
#include <stdlib.h>
#include <string.h>

#include "cli/requests/requests_print.h"
#include "cli/session.h"
#include "cli/sync/sync_print.h"
#include "cli/verb.h"
#include "session/requests.h"

enum order { ORDER_LATENCY, ORDER_BEGIN };

struct values {
	struct cli_amount limit, min;
	const char *kind, *from, *to;
	unsigned sort; /* enum order */
	bool list, tree;
};

struct asking {
	struct cli *cli;
	const struct values *v;
	struct cli_requests c;
};

static int show(struct asking *x)
{
	struct mer_str out = { 0 };
	const struct cli_requests *c = &x->c;
	int rc = 0;
	rc = cli_requests_json_list(c, &out);
	return cli_sync_put(x->cli, &out, rc);
}

static int choose(struct asking *x)
{
	struct cli_requests *c = &x->c;
	c->which = malloc(((size_t)c->r->n + 1) * sizeof(*c->which));
	if (!c->which)
		return mer_fail_nomem(&x->cli->err);
	for (uint32_t i = 0; i < c->r->n; i++)
		c->which[c->n++] = i;
	return 0;
}

static int run(struct cli *cli, const void *values)
{
	struct session *s;
	struct session_world w;
	struct requests *r = NULL;
	struct requests_kinds kinds = { 0 };
	struct asking x = { .cli = cli, .v = values };
	int rc = cli_session_open_synced(cli, CLI_SYNC_AUTO, &s);
	if (rc)
		return rc;
	rc = session_requests(s, &w, &r, &cli->err);
	x.c = (struct cli_requests){ .cli = cli, .w = &w, .r = r, .kinds = &kinds };
	if (rc == 0)
		rc = requests_kinds_find(r, &kinds, &cli->err);
	if (rc == 0)
		rc = requests_parts_finder_new(r, &x.c.parts, &cli->err);
	if (rc == 0)
		rc = choose(&x);
	if (rc == 0)
		rc = show(&x);
	free(x.c.which);
	requests_parts_finder_free(x.c.parts);
	if (kinds.r)
		requests_kinds_fini(&kinds);
	requests_free(r);
	cli_session_close(cli, s);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct cli_option options[] = {
	{ .name = "list", .kind = CLI_FLAG, .help = "one row for each request, slowest first", .offset = AT(list) },
	{ .name = "limit", .letter = 'n', .kind = CLI_AMOUNT, .arg = "N", .help = "at most N rows (0: all)", .offset = AT(limit) },
	{ 0 },
};

const struct cli_verb cli_verb_requests = {
	.name = "requests",
	.help = "every request to a service, and which of them served which",
	.synopsis = "[OPTION...] TRACE...",
	.description = "x",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_FORMAT | CLI_USES_TIME | CLI_USES_SYNC | CLI_USES_JOBS | CLI_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian requests client/ server/", "x" },
		{ "meridian requests --list client/ server/", "y" },
	},
	.run = run,
};
