/* meridian blocked: what tasks waited for, as far as somebody felt it. */
#include "cli/blocked_print.h"
#include "cli/sync_print.h"
#include "cli/tasks.h"
#include "cli/verb.h"
#include "cli/worlds.h"

struct values {
	bool all, flat;
	uint64_t depth, limit;
};

enum { DEPTH = 3, DEPTH_MAX = 50 };

/* Waits that the user does not see, so that they know there are some. */
static void count_left(struct cli_blocked *c, const struct blocked_host *h, uint32_t task,
	const struct blocked_scope *scope)
{
	for (size_t i = h->first[task]; i < h->first[task + 1]; i++) {
		const struct blocked_wait *w = &h->waits[i];
		if (scope->all || w->end < scope->begin || w->begin > scope->end ||
			blocked_class_of(w, scope->chosen) == BLOCKED_REQUEST)
			continue;
		c->n_left++;
		c->left_ns += (w->end < scope->end ? w->end : scope->end) -
			      (w->begin > scope->begin ? w->begin : scope->begin);
	}
}

static int fill(struct cli_blocked *c, const struct blocked *b, const struct cli_tasks *tasks,
	struct blocked_tree *t, const struct blocked_scope *scope)
{
	for (size_t i = 0; i < tasks->n; i++) {
		uint32_t host = tasks->item[i].host, task = tasks->item[i].task;
		int rc = blocked_tree_add(t, host, task, scope, &c->cli->err);
		if (rc)
			return rc;
		count_left(c, &b->hosts[host], task, scope);
		if (mer_cancelled(&c->cli->cancel))
			return mer_fail(&c->cli->err, MER_ERR_CANCELLED, "interrupted");
	}
	return blocked_tree_sort(t, &c->cli->err);
}

static int show(struct cli_blocked *c, const struct cli_tasks *tasks, const struct values *v)
{
	struct blocked b;
	struct blocked_tree t = { 0 };
	struct mer_str out = { 0 };
	struct blocked_scope scope = { .begin = c->begin,
		.end = c->end,
		.chosen = c->chosen,
		.all = v->all,
		.depth = v->flat     ? 0
			 : v->depth  ? (unsigned)v->depth
			 : c->chosen ? DEPTH
				     : 0 };
	int rc = blocked_find(c->w->world, &b, &c->cli->err);
	if (!rc) {
		blocked_tree_init(&t, &b);
		rc = fill(c, &b, tasks, &t, &scope);
	}
	c->tree = &t;
	if (!rc)
		rc = cli_blocked_print(c, &out);
	rc = cli_sync_put(c->cli, &out, rc);
	blocked_tree_fini(&t);
	blocked_fini(&b);
	return rc;
}

static int choose(struct cli *cli, const struct cli_world *w, const struct values *v)
{
	struct cli_blocked c = { .cli = cli, .w = w, .limit = v->limit };
	struct cli_selection s = { .comms = &cli->comms, .tids = &cli->tids };
	struct cli_tasks tasks;
	cli_world_window(cli, w, &c.begin, &c.end);
	s.begin = c.begin;
	s.end = c.end;
	c.chosen = cli->comms.n || cli->tids.n;
	int rc = cli_tasks_find(cli, w, &s, &tasks);
	if (rc)
		return rc;
	return tasks.n ? show(&c, &tasks, v) : cli_tasks_none(cli, w, &s);
}

static int run(struct cli *cli, const void *values)
{
	const struct values *v = values;
	struct cli_world w;
	if (v->depth > DEPTH_MAX)
		return mer_fail(&cli->err, MER_ERR_USAGE, "--depth: at most %d", (int)DEPTH_MAX);
	int rc = cli_world_open(cli, &w);
	if (!rc)
		rc = choose(cli, &w, v);
	cli_world_close(cli, &w);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct cli_option options[] = {
	{ .name = "all",
		.letter = 'a',
		.kind = CLI_FLAG,
		.help = "idle waits and those for input too",
		.offset = AT(all) },
	{ .name = "depth",
		.kind = CLI_NUMBER,
		.arg = "N",
		.help = "levels of what was done meanwhile (3 for chosen tasks)",
		.offset = AT(depth) },
	{ .name = "flat",
		.kind = CLI_FLAG,
		.help = "the waits alone, not what was done meanwhile",
		.offset = AT(flat) },
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_LIMIT,
		.arg = "N",
		.help = "at most N rows, the longest",
		.offset = AT(limit) },
	{ 0 },
};

const struct cli_verb cli_verb_blocked = {
	.name = "blocked",
	.help = "what tasks waited for, and who worked meanwhile",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Adds up the waits of each task: in which system call or page fault, on what, "
		       "and what ended them. With --tid or --comm also what was done meanwhile, on any "
		       "machine, and what that waited for. Waits that delay nobody are left out: "
		       "a server's for its next request, a person's input, daemons by themselves.",
	.more = "A task waits for work when what woke it was set off by somebody who has the "
		"initiative over it: who connects over who accepts, who forks over who is forked, else "
		"who sent it a message before it ever sent one to them, and whom it answers. accept "
		"always waits for work; a connection that the task itself opened never does; of machines "
		"that were not recorded, messages to a process that accepts are taken for requests.\n\n"
		"Without --tid or --comm, the waits are those of programs that began or ended while "
		"recorded (but for servers), the waits of others for an answer that they asked for, and "
		"what lies inside of these: whatever the one who ended such a wait waited for meanwhile. "
		"With --tid or --comm, they are all waits of these tasks but for work and for input. --all "
		"shows the others too, marked with what they are.\n\n"
		"A page fault is a wait of a program outside of any system call. What is below a wait "
		"is the part of the critical path that lies in it (see meridian-path(1)). Waits are "
		"cut to --begin and --end. Max and, on wide terminals, Mean are of single waits; "
		"--json and CSV have all of min, max, mean, and late_ns: how long the task then still "
		"had to wait for a processor. Rows are in the order of what was felt, then of their "
		"total.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian blocked client/ server/", "What kept people waiting, the longest first." },
		{ "meridian blocked --comm wget client/ server/",
			"What wget waited for, and what the server did meanwhile." },
	},
	.run = run,
};
