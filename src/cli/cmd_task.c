/* meridian task: what one task waited for, and what it cost, with all who worked for it. */
#include <string.h>

#include "cli/sync_print.h"
#include "cli/task_print.h"
#include "cli/tasks.h"
#include "cli/text.h"
#include "cli/verb.h"

struct values {
	uint64_t nth, limit, bins;
	unsigned table, compat; /* enum cli_cost_table, compat */
	bool list, all;
};

enum compat { COMPAT_NONE, COMPAT_FLIGHTBOX };
enum { BINS = 200, BINS_MAX = 1000000 };

static int print(struct cli_cost *c, const struct values *v)
{
	struct mer_str out = { 0 };
	int rc = v->compat == COMPAT_FLIGHTBOX && c->cli->format == CLI_FORMAT_TABLE
			 ? cli_cost_print_flightbox(c, &out)
			 : cli_cost_print(c, &out);
	return cli_sync_put(c->cli, &out, rc);
}

static int show(struct cli *cli, const struct cli_world *w, const struct cli_task *t,
	const struct values *v)
{
	struct cli_cost c = { .cli = cli,
		.w = w,
		.only = v->table,
		.limit = v->limit,
		.averaged = v->compat == COMPAT_FLIGHTBOX };
	struct blocked b;
	struct account a = { 0 };
	struct account_index *x = NULL;
	int64_t begin, end;
	cli_world_window(cli, w, &begin, &end);
	int rc = blocked_find(w->world, &b, &cli->err);
	if (!rc && c.averaged)
		rc = account_find_averaged(&b, t->host, t->task, begin, end,
			v->bins ? (uint32_t)v->bins : BINS, &a, &cli->err);
	if (!rc && !c.averaged)
		rc = account_index_new(&b, w->usage, &x, &cli->err);
	if (!rc && !c.averaged)
		rc = account_find(x, t->host, t->task, begin, end, v->all, &a, &cli->err);
	c.a = &a;
	if (!rc)
		rc = print(&c, v);
	account_fini(&a);
	account_index_free(x);
	blocked_fini(&b);
	return rc;
}

static int choose(struct cli *cli, struct cli_world *w, const struct values *v)
{
	struct cli_selection s = { .comms = &cli->comms, .tids = &cli->tids };
	struct cli_tasks tasks;
	cli_world_window(cli, w, &s.begin, &s.end);
	int rc = cli_tasks_find(cli, w, &s, &tasks);
	if (rc)
		return rc;
	if (!tasks.n)
		return cli_tasks_none(cli, w, &s);
	if (v->list)
		return cli_tasks_print(cli, w, &tasks, v->limit);
	size_t chosen;
	rc = cli_tasks_choose(cli, w, &tasks, v->nth, &chosen);
	if (rc)
		return rc;
	return show(cli, w, &tasks.item[chosen], v);
}

static int run(struct cli *cli, const void *values)
{
	const struct values *v = values;
	struct cli_world w;
	if (v->bins && v->compat != COMPAT_FLIGHTBOX)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--bins is for --compat flightbox; otherwise all is exact");
	if (v->all && v->compat == COMPAT_FLIGHTBOX)
		return mer_fail(&cli->err, MER_ERR_USAGE, "--all is not for --compat flightbox");
	if (v->bins > BINS_MAX)
		return mer_fail(&cli->err, MER_ERR_USAGE, "--bins: at most %d", (int)BINS_MAX);
	if (v->compat == COMPAT_FLIGHTBOX &&
		(v->table == CLI_COST_REST || v->table == CLI_COST_RESOURCES))
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--compat flightbox knows CPU time only, and neither rest nor resources");
	bool all = !v->list && v->compat != COMPAT_FLIGHTBOX &&
		   (v->table == CLI_COST_ALL || v->table == CLI_COST_RESOURCES);
	/* Of several tables csv and jsonl print one: that of CPU time. */
	if (v->table == CLI_COST_ALL &&
		(cli->format == CLI_FORMAT_CSV || cli->format == CLI_FORMAT_JSONL))
		all = false;
	int rc = cli_world_open_used(cli, &w, all);
	if (!rc)
		rc = choose(cli, &w, v);
	cli_world_close(cli, &w);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct cli_option options[] = {
	CLI_TASKS_NTH(AT(nth)),
	CLI_TASKS_LIST(AT(list)),
	{ .name = "all",
		.letter = 'a',
		.kind = CLI_FLAG,
		.help = "charge waits for work, too",
		.offset = AT(all) },
	{ .name = "table",
		.kind = CLI_CHOICE,
		.arg = "WHICH",
		.choices = "all|blocking|accounting|resources|rest",
		.help = "one of the tables alone (csv: accounting)",
		.offset = AT(table) },
	{ .name = "compat",
		.kind = CLI_CHOICE,
		.arg = "TOOL",
		.choices = "none|flightbox",
		.help = "flightbox: its layout, and its averages",
		.offset = AT(compat) },
	{ .name = "bins",
		.kind = CLI_NUMBER,
		.arg = "N",
		.help = "with --compat: parts that are averaged over (200)",
		.offset = AT(bins) },
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_NUMBER,
		.arg = "N",
		.help = "at most N rows of each table",
		.offset = AT(limit) },
	{ 0 },
};

const struct cli_verb cli_verb_task = {
	.name = "task",
	.help = "what a task waited for, and what it cost, on any machine",
	.synopsis = "[OPTION...] --comm NAME | --tid N TRACE...",
	.description = "What one task was blocked on, by file descriptor; its CPU time, and that of those "
		       "who worked for it while it waited, on any machine, nested; their memory, disks "
		       "and network; and what the rest of its time was.",
	.more = "The task is chosen as for meridian-path(1); its window is its whole life, as far as "
		"recorded, cut to --begin and --end.\n\n"
		"Who ended a wait worked for the one who waited. Self is a task's time on a CPU "
		"(interrupts that it served meanwhile included); of the task itself all of it, of "
		"the others what lies inside of the waits (Waits: how many) that they ended. Sub is "
		"the sum of Self of all below, Total the sum of both. It does not matter in which "
		"call was waited: read, recvfrom, poll, epoll_wait, futex, wait4, or a page fault. A wait "
		"that had not ended when the recording did has no one who ended it: it is told below what "
		"the task was blocked on.\n\n"
		"This is the work that was waited for, the critical path of each wait. What went on "
		"beside it is not charged, so Sub never exceeds the time that the task waited. "
		"Nothing is charged twice: of several waits that one task ended, a moment of it "
		"belongs to the one that it ended first of those that had begun. A server that "
		"answers one client while another one waits works for the first one; for the second "
		"one, this is time in which who was waited for worked for others. Waits for work "
		"(see meridian-blocked(1)) are charged with nothing, as "
		"whoever asks does not work for who is asked; with --all they are, so that everything on "
		"the critical path is, where it is wrong that they are for work.\n\n"
		"On one processor a server often runs before its client comes to wait. While the "
		"client is ready for that reason, it is charged, too.\n\n"
		"The last table is what no CPU time explains, by cause and by whom it happened to. Its "
		"sum and Total of the task are the elapsed time.\n\n"
		"Pages of memory allocated and freed, page faults, bytes of disk requests, of calls on "
		"files and on sockets, and packets are charged by the same rule. The table has of each "
		"row what it used by itself, and the sum at the end; columns without anything are left "
		"out, and what is not recorded is told below. json and csv (--table resources) have self_, "
		"sub_ and total_ of all, empty where nothing was recorded. Of the task itself the numbers "
		"are those of meridian-top(1).\n\n"
		"--compat flightbox prints the report as the first tool that had one did, and computes "
		"it like that: the CPU usage of each task is averaged over --bins equal parts of the "
		"recording, of which a wait counts all from the one in which it begins to the one "
		"before that in which it ends. The exact values are better.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian task --comm wget client/ server/",
			"What wget cost, on both machines." },
		{ "meridian task --comm wget --table blocking --format csv client/ server/",
			"What it was blocked on, for a spreadsheet." },
	},
	.run = run,
};
