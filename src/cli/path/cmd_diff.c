/* meridian diff: why one request took longer than another. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plural.h"
#include "cli/path/diff.h"
#include "cli/tasks.h"
#include "cli/verb.h"

struct values {
	struct cli_texts against, comms_b;
	struct cli_ranges tids_b;
	struct cli_moment begin_b, end_b;
	const char *nth, *fail_above;
	uint64_t limit;
};

struct sides { /* what the options say */
	struct cli_diff d;
	const struct values *v;
	uint64_t nth_a, nth_b; /* 0: not given */
	bool has_percent;
	double percent; /* --fail-above */
	int64_t above_ns;
};

static bool is_file(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* ---- Options ---- */

/* "K", "K,L" */
static int read_nth(struct sides *s)
{
	const char *text = s->v->nth;
	char *end;
	if (!text)
		return 0;
	s->nth_a = s->nth_b = strtoull(text, &end, 10);
	if (*end == ',')
		s->nth_b = strtoull(end + 1, &end, 10);
	if (*end || !s->nth_a || !s->nth_b || strchr(text, '-'))
		return mer_fail(&s->d.cli->err, MER_ERR_USAGE,
			"--nth: '%.60s' is not a number or two, as in 1,2", text);
	return 0;
}

/* "10%", "5ms" */
static int read_fail_above(struct sides *s)
{
	const char *text = s->v->fail_above;
	char *end, after[64];
	struct cli_moment m = { 0 };
	if (!text)
		return 0;
	if (text[0] >= '0' && text[0] <= '9' && strlen(text) < 32) {
		s->percent = strtod(text, &end);
		s->has_percent = strcmp(end, "%") == 0;
		snprintf(after, sizeof(after), "+%s", text);
		size_t len = strlen(after);
		if (s->has_percent)
			return 0;
		if ((after[len - 1] < '0' || after[len - 1] > '9') &&
			cli_moment_parse(&m, after, NULL) == 0) {
			s->above_ns = m.ns;
			return 0;
		}
	}
	return mer_fail(&s->d.cli->err, MER_ERR_USAGE,
		"--fail-above: '%.60s' is neither a share nor a time, as 10%% or 5ms", text);
}

/* ---- A side ---- */

static struct cli_selection selection(const struct sides *s, const struct cli_world *w, bool is_b)
{
	const struct cli *cli = s->d.cli;
	struct cli_selection sel = { .comms = &cli->comms, .tids = &cli->tids };
	cli_world_window(cli, w, &sel.begin, &sel.end);
	if (!is_b)
		return sel;
	if (s->v->comms_b.n || s->v->tids_b.n) {
		sel.comms = &s->v->comms_b;
		sel.tids = &s->v->tids_b;
	}
	sel.begin = cli_moment_resolve(&s->v->begin_b, w->e->begin, w->e->end, sel.begin);
	sel.end = cli_moment_resolve(&s->v->end_b, w->e->begin, w->e->end, sel.end);
	return sel;
}

static int take_path(struct sides *s, const struct cli_world *w, const struct cli_task *t,
	const struct cli_selection *sel, struct cli_side *side)
{
	struct cli *cli = s->d.cli;
	struct path p = { 0 };
	const char *comm = cli_task_comm(w, t);
	*side = (struct cli_side){ .tid = w->world->hosts[t->host].tasks[t->task].tid };
	int rc = path_find(w->world, t->host, t->task, sel->begin, sel->end, &p, &cli->err);
	if (rc == 0) {
		rc = path_profile_of(&side->profile, &p, &cli->err);
		side->begin = p.begin;
		side->end = p.end;
	}
	path_fini(&p);
	side->host = mer_arena_strdup(&cli->arena, cli_task_host(w, t->host));
	side->comm = mer_arena_strdup(&cli->arena, *comm ? comm : "?");
	if (w->synced) {
		side->has_sync = true;
		side->synced = *w->synced;
		side->synced.reference = mer_arena_strdup(&cli->arena, w->synced->reference);
	}
	if (rc == 0 && (!side->host || !side->comm || (side->has_sync && !side->synced.reference)))
		rc = mer_fail_nomem(&cli->err);
	return rc;
}

/* Those that the sides are chosen from: all that fit, if there are enough. */
static int find_tasks(struct sides *s, const struct cli_world *w, const struct cli_selection *sel,
	uint64_t nth, struct cli_tasks *tasks)
{
	struct cli *cli = s->d.cli;
	if (!sel->comms->n && !sel->tids->n)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"which tasks? Choose with --comm NAME or --tid N ('meridian path --list' "
			"lists them)");
	int rc = cli_tasks_find(cli, w, sel, tasks);
	if (rc == 0 && tasks->n == 0)
		rc = cli_tasks_none(cli, w, sel);
	if (rc == 0 && nth > tasks->n)
		rc = mer_fail(&cli->err, MER_ERR_USAGE,
			"--nth %" PRIu64 ": only %zu %s ('meridian path --list' shows them)", nth,
			tasks->n, mer_plural(tasks->n, "task matches", "tasks match"));
	return rc;
}

static int take_one(struct sides *s, const struct cli_world *w, bool is_b)
{
	struct cli_selection sel = selection(s, w, is_b);
	struct cli_tasks tasks;
	uint64_t nth = is_b ? s->nth_b : s->nth_a;
	if (is_b && sel.begin >= sel.end)
		return mer_fail(&s->d.cli->err, MER_ERR_USAGE,
			"--begin-b is not before --end-b (where one is not given: --begin, --end)");
	int rc = find_tasks(s, w, &sel, nth, &tasks);
	if (rc)
		return rc;
	size_t i = nth ? nth - 1 : cli_tasks_default(w, &tasks);
	return take_path(s, w, &tasks.item[i], &sel, is_b ? &s->d.b : &s->d.a);
}

/* The second of the tasks that fit: the next that began in the recording, else the next; n: none. */
static size_t second(const struct cli_world *w, const struct cli_tasks *tasks, size_t first)
{
	for (size_t i = first + 1; i < tasks->n; i++)
		if (w->world->hosts[tasks->item[i].host].tasks[tasks->item[i].task].born)
			return i;
	for (size_t i = 0; i < tasks->n; i++)
		if (i != first)
			return i;
	return tasks->n;
}

/* Both sides from one experiment with one selection: the first two that fit. */
static int take_two(struct sides *s, const struct cli_world *w)
{
	struct cli *cli = s->d.cli;
	struct cli_selection sel = selection(s, w, false);
	struct cli_tasks tasks;
	int rc = find_tasks(s, w, &sel, s->nth_a > s->nth_b ? s->nth_a : s->nth_b, &tasks);
	if (rc)
		return rc;
	size_t a = s->nth_a ? s->nth_a - 1 : cli_tasks_default(w, &tasks);
	size_t b = s->nth_b ? s->nth_b - 1 : second(w, &tasks, a);
	if (b >= tasks.n || a == b)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"%s: --nth K,L, --comm-b or --tid-b chooses another, --begin-b and --end-b "
			"another time range, --against other traces",
			tasks.n == 1 ? "only one task matches, there is nothing to compare it with"
				     : "both are the same task");
	if (!s->v->nth && tasks.n > 2)
		cli_note(cli,
			"%zu tasks match; comparing number %zu and %zu (--nth K,L chooses others, "
			"'meridian path --list' lists them)",
			tasks.n, a + 1, b + 1);
	rc = take_path(s, w, &tasks.item[a], &sel, &s->d.a);
	return rc ? rc : take_path(s, w, &tasks.item[b], &sel, &s->d.b);
}

/* ---- Where the sides are ---- */

/* Two recordings side by side look like one of more hosts: say what to write. */
static void tell_two_runs(struct cli *cli, const struct cli_world *w)
{
	for (uint32_t h = 0; h < w->e->n_hosts; h++)
		if (cli->n_args > 1 && strstr(w->e->hosts[h].name, "#2"))
			cli_note(cli, "there are several boots of one host: two runs are compared "
				      "with 'meridian diff A --against B'");
}

static int open_world(struct sides *s, const char **args, size_t n_args, bool is_a, bool is_b)
{
	struct cli *cli = s->d.cli;
	const char **own = cli->args;
	size_t n_own = cli->n_args;
	struct cli_world w;
	cli->args = args;
	cli->n_args = n_args;
	int rc = cli_world_open(cli, &w);
	bool other = s->v->comms_b.n || s->v->tids_b.n || s->v->begin_b.kind != CLI_MOMENT_NONE ||
		     s->v->end_b.kind != CLI_MOMENT_NONE;
	if (rc == 0 && is_a && is_b)
		tell_two_runs(cli, &w);
	if (rc == 0 && is_a && is_b && !other) {
		rc = take_two(s, &w);
	} else {
		if (rc == 0 && is_a)
			rc = take_one(s, &w, false);
		if (rc == 0 && is_b)
			rc = take_one(s, &w, true);
	}
	if (w.e)
		mer_diags_merge(&s->d.diags, &w.e->diags);
	cli_world_close(cli, &w);
	cli->synced = NULL; /* its names are gone with the traces */
	cli->args = own;
	cli->n_args = n_own;
	return rc;
}

static int open_side(struct sides *s, const char **args, size_t n_args, bool is_b)
{
	if (n_args == 1 && is_file(args[0]))
		return cli_diff_read(s->d.cli, args[0], is_b ? &s->d.b : &s->d.a);
	return open_world(s, args, n_args, !is_b, is_b);
}

static int open_sides(struct sides *s)
{
	struct cli *cli = s->d.cli;
	size_t n_files = 0;
	for (size_t i = 0; i < cli->n_args; i++)
		n_files += is_file(cli->args[i]);
	if (s->v->against.n) {
		int rc = open_side(s, cli->args, cli->n_args, false);
		return rc ? rc : open_side(s, s->v->against.item, s->v->against.n, true);
	}
	if (n_files == 0)
		return open_world(s, cli->args, cli->n_args, true, true);
	if (cli->n_args != 2)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"a saved path is compared with one other: 'meridian diff A.json B.json', "
			"or "
			"'meridian diff A.json --against TRACE'");
	int rc = open_side(s, cli->args, 1, false);
	return rc ? rc : open_side(s, cli->args + 1, 1, true);
}

static bool is_above(const struct sides *s)
{
	int64_t a = s->d.a.profile.total_ns, b = s->d.b.profile.total_ns;
	if (!s->v->fail_above)
		return false;
	return s->has_percent ? (double)(b - a) > (double)a * s->percent / 100
			      : b - a > s->above_ns;
}

static int run(struct cli *cli, const void *values)
{
	struct sides s = { .d = { .cli = cli }, .v = values };
	s.d.limit = s.v->limit;
	mer_diags_init(&s.d.diags, &cli->arena);
	path_profile_init(&s.d.a.profile);
	path_profile_init(&s.d.b.profile);
	int rc = read_nth(&s);
	if (rc == 0)
		rc = read_fail_above(&s);
	if (rc == 0)
		rc = open_sides(&s);
	if (rc == 0)
		rc = cli_diff_print(&s.d);
	if (rc == 0 && is_above(&s))
		rc = CLI_CONDITION;
	path_profile_fini(&s.d.a.profile);
	path_profile_fini(&s.d.b.profile);
	mer_diags_fini(&s.d.diags);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct cli_option options[] = {
	{ .name = "nth",
		.kind = CLI_TEXT,
		.arg = "K,L",
		.help = "which of the matching tasks (default: the first two)",
		.offset = AT(nth) },
	{ .name = "against",
		.kind = CLI_TEXTS,
		.arg = "TRACE",
		.help = "B is in these traces, or in this saved path",
		.offset = AT(against) },
	{ .name = "comm-b",
		.kind = CLI_TEXTS,
		.arg = "NAME",
		.help = "B is a task with this name",
		.offset = AT(comms_b) },
	{ .name = "tid-b",
		.kind = CLI_RANGES,
		.arg = "N",
		.help = "B is this thread",
		.offset = AT(tids_b) },
	{ .name = "begin-b",
		.kind = CLI_MOMENT,
		.arg = "TIME",
		.help = "B starts at TIME (--begin then applies to A only)",
		.offset = AT(begin_b) },
	{ .name = "end-b",
		.kind = CLI_MOMENT,
		.arg = "TIME",
		.help = "B ends at TIME",
		.offset = AT(end_b) },
	{ .name = "fail-above",
		.kind = CLI_TEXT,
		.arg = "BY",
		.help = "exit 1 if B is slower by more than this: 10%, 5ms",
		.offset = AT(fail_above) },
	{ .name = "limit",
		.letter = 'n',
		.kind = CLI_LIMIT,
		.arg = "N",
		.help = "at most N rows of each table",
		.offset = AT(limit) },
	{ 0 },
};

const struct cli_verb cli_verb_diff = {
	.name = "diff",
	.help = "why one task took longer than another",
	.synopsis = "[OPTION...] --comm NAME TRACE... | A.json B.json",
	.description = "Compares the critical paths ('meridian path') of two tasks, from one recording, two "
		       "recordings or saved paths, and shows which parts differ, and by how much.",
	.more = "Without --against both tasks are in the given traces: the first two that match --comm, "
		"--tid and --host, or those selected by --nth; --comm-b, --tid-b, --begin-b and "
		"--end-b select B separately. With --against, A is in the given traces and B in the "
		"others. Either side may be a saved path, a file written by 'meridian path --json -o "
		"FILE'.\n\n"
		"Programs are matched by host and name, because thread numbers differ from run to run. "
		"The share of a row is relative to the difference of the totals: rows of the opposite "
		"sign are negative, and others may then exceed 100 %.",
	.formats = "table|json|jsonl|csv",
	.uses = CLI_USES_TASKS,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian diff --comm wget client/ server/",
			"The first wget and the second: what made the difference?" },
		{ "meridian diff --comm wget --json client/ server/ | jq .by_cause",
			"The same as input for a script." },
	},
	.run = run,
};
