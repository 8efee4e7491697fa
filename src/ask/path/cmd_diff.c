/* meridian diff: why one request took longer than another. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plural.h"
#include "ask/path/diff.h"
#include "ask/requests/one_request.h"
#include "ask/tasks.h"
#include "ask/verb.h"
#include "requests/kinds.h"

struct values {
	struct session_texts against, comms_b, requests, request_by;
	struct session_ranges tids_b;
	struct session_moment begin_b, end_b;
	const char *nth, *fail_above;
	uint64_t limit;
};

struct sides { /* what the options say */
	struct ask_diff d;
	const struct values *v;
	uint64_t nth_a, nth_b; /* 0: not given */
	bool has_percent;
	double percent; /* --fail-above */
	int64_t above_ns;
	const char *requests[2]; /* --request; NULL: of tasks */
	const char *rule;	 /* 'BEGIN : END' of these; NULL: none */
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
		return mer_fail(&s->d.ask->err, MER_ERR_USAGE,
			"--nth: '%.60s' is not a number or two, as in 1,2", text);
	return 0;
}

/* "10%", "5ms" */
static int read_fail_above(struct sides *s)
{
	const char *text = s->v->fail_above;
	char *end, after[64];
	struct session_moment m = { 0 };
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
			session_moment_parse(&m, after, NULL) == 0) {
			s->above_ns = m.ns;
			return 0;
		}
	}
	return mer_fail(&s->d.ask->err, MER_ERR_USAGE,
		"--fail-above: '%.60s' is neither a share nor a time, as 10%% or 5ms", text);
}

/* As meridian requests prints them. */
static bool is_request_id(const char *text)
{
	size_t n = *text == 'r' || *text == 'u' ? 1 + strspn(text + 1, "0123456789") : 0;
	size_t k = n > 1 && text[n] == '.' ? strspn(text + n + 1, "0123456789") : 0;
	return k && !text[n + 1 + k];
}

/* "--request A,B", "--request A --request B", and "--request A B TRACE...", with a rule or without.
 */
static int read_requests(struct sides *s)
{
	const struct values *v = s->v;
	struct ask *ask = s->d.ask;
	struct stat st;
	size_t n = 0;
	if (!v->requests.n && !v->request_by.n)
		return 0;
	for (size_t i = 0; i < v->requests.n; i++)
		if (strchr(v->requests.item[i], ':'))
			s->rule = v->requests.item[i];
		else if (n++ < 2)
			s->requests[n - 1] = v->requests.item[i];
	if (n == 1 && is_request_id(ask->args[0]) && stat(ask->args[0], &st) != 0) {
		s->requests[1] = ask->args[0];
		ask->args++;
		ask->n_args--;
	}
	if (!s->requests[1] || n > 2)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request: two ids are required, as in --request %s,%s (meridian requests --list prints them)",
			s->rule ? "u1.2" : "r1.2", s->rule ? "u1.3" : "r1.3");
	if (!ask->n_args)
		return mer_fail(&ask->err, MER_ERR_USAGE, "which traces are the requests in?");
	if (v->nth || v->comms_b.n || v->tids_b.n || v->begin_b.kind != SESSION_MOMENT_NONE ||
		v->end_b.kind != SESSION_MOMENT_NONE)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request selects the tasks and the time: it does not work with --nth, --comm-b, --tid-b, --begin-b and --end-b");
	return ask_request_alone(ask);
}

/* ---- A side ---- */

struct choice { /* from which tasks a side is chosen, and what is looked at of its life */
	struct session_selection selection;
	struct session_window window;
};

static int choose(const struct sides *s, const struct session *session, bool is_b, struct choice *c)
{
	struct ask *ask = s->d.ask;
	const struct values *v = s->v;
	*c = (struct choice){ ask->select, ask->window };
	if (!is_b)
		return 0;
	if (v->comms_b.n || v->tids_b.n) {
		c->selection.comms = v->comms_b;
		c->selection.tids = v->tids_b;
	}
	if (v->begin_b.kind != SESSION_MOMENT_NONE)
		c->selection.begin = v->begin_b;
	if (v->end_b.kind != SESSION_MOMENT_NONE)
		c->selection.end = v->end_b;
	int rc = session_window(session, &c->selection, &c->window, &ask->err);
	if (rc && ask->err.remedy == MER_REMEDY_WINDOW_ORDER)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--begin-b is not before --end-b (where one is not given: --begin, --end)");
	return rc;
}

/* By the names of processes: which thread of a pool has a request is chance. */
static int profile_of_request(struct path_profile *profile, const struct path *p,
	const struct requests_kinds *kinds, struct mer_err *err)
{
	int rc = 0;
	path_profile_init(profile);
	for (size_t i = 0; rc == 0 && i < p->n_segments; i++) {
		const struct path_segment *g = &p->segments[i];
		const char *name = g->task == KERNEL_NONE
					   ? PATH_NOBODY
					   : requests_program(kinds, g->host, g->task);
		rc = path_profile_add_segment(profile, p, g, *name ? name : "?", err);
	}
	return rc;
}

/* What p and the task say; p is freed. rc: of finding it. kinds: p is of a request. */
static int take_found(struct sides *s, const struct session_world *w, const struct session_task *t,
	const struct requests_kinds *kinds, struct path *p, int rc, struct ask_side *side)
{
	struct ask *ask = s->d.ask;
	const char *comm = rc ? "" : session_task_comm(w, t);
	if (rc == 0) {
		rc = kinds ? profile_of_request(&side->profile, p, kinds, &ask->err)
			   : path_profile_of(&side->profile, p, &ask->err);
		side->begin = p->begin;
		side->end = p->end;
		side->tid = w->world->hosts[t->host].tasks[t->task].tid;
	}
	path_fini(p);
	if (rc)
		return rc;
	side->host = mer_arena_strdup(&ask->arena, session_task_host(w, t->host));
	side->comm = mer_arena_strdup(&ask->arena, *comm ? comm : "?");
	if (w->synced) {
		side->has_sync = true;
		side->synced = *w->synced;
		side->synced.reference = mer_arena_strdup(&ask->arena, w->synced->reference);
	}
	if (!side->host || !side->comm || (side->has_sync && !side->synced.reference))
		rc = mer_fail_nomem(&ask->err);
	return rc;
}

static int take_path(struct sides *s, struct session_world *w, const struct session_task *t,
	const struct session_window *window, struct ask_side *side)
{
	struct ask *ask = s->d.ask;
	struct path p = { 0 };
	*side = (struct ask_side){ .tid = -1 };
	int rc = path_find(w->world, t->host, t->task, window->begin, window->end, &p, &ask->err);
	return take_found(s, w, t, NULL, &p, rc, side);
}

/* ---- Sides that are requests ---- */

static int take_request(struct sides *s, struct ask_request *q, const struct requests_kinds *kinds,
	const char *id, bool is_b)
{
	struct ask *ask = s->d.ask;
	struct ask_side *side = is_b ? &s->d.b : &s->d.a;
	struct path p = { 0 };
	uint32_t number;
	*side = (struct ask_side){ .tid = -1, .request = id };
	int rc = ask_request_find(ask, q, id, &number);
	if (rc == 0)
		rc = ask_requests_find_parts(ask, q, &number, 1);
	if (rc == 0)
		rc = requests_path(q->parts, number, &p, &ask->err);
	return take_found(s, &q->w, &(struct session_task){ .host = p.host, .task = p.task }, kinds,
		&p, rc, side);
}

/* Of some traces: A, B, or both. */
static int open_requests(struct sides *s, const char **args, size_t n_args, bool is_a, bool is_b)
{
	struct ask *ask = s->d.ask;
	const char **own = ask->args;
	size_t n_own = ask->n_args;
	struct ask_request q;
	struct requests_kinds kinds = { 0 };
	ask->args = args;
	ask->n_args = n_args;
	const struct ask_request_values chosen = { .which = { s->requests[!is_a], s->rule },
		.by = s->v->request_by };
	int rc = ask_request_open_chosen(ask, &chosen, &q);
	if (rc == 0)
		rc = requests_kinds_find(q.r, &kinds, &ask->err);
	if (rc == 0 && is_a)
		rc = take_request(s, &q, &kinds, s->requests[0], false);
	if (rc == 0 && is_b)
		rc = take_request(s, &q, &kinds, s->requests[1], true);
	if (kinds.r)
		requests_kinds_fini(&kinds);
	if (q.s)
		mer_diags_merge(&s->d.diags, &session_experiment(q.s)->diags);
	ask_request_close(ask, &q);
	ask->args = own;
	ask->n_args = n_own;
	return rc;
}

static int open_both_requests(struct sides *s)
{
	struct ask *ask = s->d.ask;
	const struct session_texts *against = &s->v->against;
	int rc = open_requests(s, ask->args, ask->n_args, true, !against->n);
	return rc || !against->n ? rc : open_requests(s, against->item, against->n, false, true);
}

/* ---- Sides that are tasks ---- */

/* Those that the sides are chosen from: all that match, if there are enough. */
static int find_tasks(struct sides *s, const struct session_world *w, const struct choice *c,
	uint64_t nth, struct session_tasks *tasks)
{
	struct ask *ask = s->d.ask;
	if (!session_selects_tasks(&c->selection))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"which tasks? Choose with --comm NAME or --tid N ('meridian path --list' lists them)");
	int rc = ask_tasks_find_in(ask, w, &c->selection, &c->window, tasks);
	if (rc == 0 && nth > tasks->n)
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"--nth %" PRIu64 ": only %zu %s ('meridian path --list' shows them)", nth,
			tasks->n, mer_plural(tasks->n, "task matches", "tasks match"));
	return rc;
}

static int take_one(
	struct sides *s, const struct session *session, struct session_world *w, bool is_b)
{
	struct choice c;
	struct session_tasks tasks;
	uint64_t nth = is_b ? s->nth_b : s->nth_a;
	int rc = choose(s, session, is_b, &c);
	if (rc == 0)
		rc = find_tasks(s, w, &c, nth, &tasks);
	if (rc)
		return rc;
	size_t i = nth ? nth - 1 : session_tasks_default(w, &tasks);
	return take_path(s, w, &tasks.item[i], &c.window, is_b ? &s->d.b : &s->d.a);
}

/* Both sides from one experiment with one selection: the first two that match. */
static int take_two(struct sides *s, struct session_world *w)
{
	struct ask *ask = s->d.ask;
	const struct choice c = { ask->select, ask->window };
	struct session_tasks tasks;
	int rc = find_tasks(s, w, &c, s->nth_a > s->nth_b ? s->nth_a : s->nth_b, &tasks);
	if (rc)
		return rc;
	size_t a = s->nth_a ? s->nth_a - 1 : session_tasks_default(w, &tasks);
	size_t b = s->nth_b ? s->nth_b - 1 : session_tasks_second(w, &tasks, a);
	if (b >= tasks.n || a == b)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"%s: --nth K,L, --comm-b or --tid-b chooses another, --begin-b and --end-b another time range, --against other traces",
			tasks.n == 1 ? "only one task matches, there is nothing to compare it with"
				     : "both are the same task");
	if (!s->v->nth && tasks.n > 2)
		ask_note(ask,
			"%zu tasks match; comparing number %zu and %zu (--nth K,L chooses others, 'meridian path --list' lists them)",
			tasks.n, a + 1, b + 1);
	rc = take_path(s, w, &tasks.item[a], &c.window, &s->d.a);
	return rc ? rc : take_path(s, w, &tasks.item[b], &c.window, &s->d.b);
}

/* ---- Where the sides are ---- */

/* Two recordings side by side look like one of more hosts: say what to write. */
static void tell_two_runs(struct ask *ask, const struct session_world *w)
{
	for (uint32_t h = 0; h < w->e->n_hosts; h++)
		if (ask->n_args > 1 && strstr(w->e->hosts[h].name, "#2"))
			ask_note(ask,
				"there are several boots of one host: two runs are compared with 'meridian diff A --against B'");
}

static int take(struct sides *s, const struct session *session, struct session_world *w, bool is_a,
	bool is_b)
{
	const struct values *v = s->v;
	bool other = v->comms_b.n || v->tids_b.n || v->begin_b.kind != SESSION_MOMENT_NONE ||
		     v->end_b.kind != SESSION_MOMENT_NONE;
	if (is_a && is_b)
		tell_two_runs(s->d.ask, w);
	if (is_a && is_b && !other)
		return take_two(s, w);
	int rc = is_a ? take_one(s, session, w, false) : 0;
	return rc == 0 && is_b ? take_one(s, session, w, true) : rc;
}

static int open_world(struct sides *s, const char **args, size_t n_args, bool is_a, bool is_b)
{
	struct ask *ask = s->d.ask;
	const char **own = ask->args;
	size_t n_own = ask->n_args;
	struct session *session;
	struct session_world w = { 0 };
	ask->args = args;
	ask->n_args = n_args;
	int rc = ask_session_open_world(ask, SESSION_USAGE_NONE, &session, &w);
	if (rc == 0)
		rc = take(s, session, &w, is_a, is_b);
	if (session)
		mer_diags_merge(&s->d.diags, &session_experiment(session)->diags);
	ask_session_close(ask, session);
	ask->args = own;
	ask->n_args = n_own;
	return rc;
}

static int open_side(struct sides *s, const char **args, size_t n_args, bool is_b)
{
	if (n_args == 1 && is_file(args[0]))
		return ask_diff_read(s->d.ask, args[0], is_b ? &s->d.b : &s->d.a);
	return open_world(s, args, n_args, !is_b, is_b);
}

static int open_sides(struct sides *s)
{
	struct ask *ask = s->d.ask;
	size_t n_files = 0;
	for (size_t i = 0; i < ask->n_args; i++)
		n_files += is_file(ask->args[i]);
	if (s->v->against.n) {
		int rc = open_side(s, ask->args, ask->n_args, false);
		return rc ? rc : open_side(s, s->v->against.item, s->v->against.n, true);
	}
	if (n_files == 0)
		return open_world(s, ask->args, ask->n_args, true, true);
	if (ask->n_args != 2)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"a saved path is compared with one other: 'meridian diff A.json B.json', or 'meridian diff A.json --against TRACE'");
	int rc = open_side(s, ask->args, 1, false);
	return rc ? rc : open_side(s, ask->args + 1, 1, true);
}

static bool is_above(const struct sides *s)
{
	int64_t a = s->d.a.profile.total_ns, b = s->d.b.profile.total_ns;
	if (!s->v->fail_above)
		return false;
	return s->has_percent ? (double)(b - a) > (double)a * s->percent / 100
			      : b - a > s->above_ns;
}

static int run(struct ask *ask, const void *values)
{
	struct sides s = { .d = { .ask = ask }, .v = values };
	s.d.limit = s.v->limit;
	mer_diags_init(&s.d.diags, &ask->arena);
	path_profile_init(&s.d.a.profile);
	path_profile_init(&s.d.b.profile);
	int rc = read_nth(&s);
	if (rc == 0)
		rc = read_fail_above(&s);
	if (rc == 0)
		rc = read_requests(&s);
	if (rc == 0)
		rc = s.requests[0] ? open_both_requests(&s) : open_sides(&s);
	if (rc == 0)
		rc = ask_diff_print(&s.d);
	if (rc == 0 && is_above(&s))
		rc = ASK_CONDITION;
	path_profile_fini(&s.d.a.profile);
	path_profile_fini(&s.d.b.profile);
	mer_diags_fini(&s.d.diags);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	{ .name = "nth",
		.kind = ASK_TEXT,
		.arg = "K,L",
		.help = "which of the matching tasks (default: the first two)",
		.offset = AT(nth) },
	{ .name = "request",
		.kind = ASK_TEXTS,
		.arg = "A,B",
		.help = "compare two requests (ids: meridian requests --list)",
		.offset = AT(requests) },
	{ .name = "request-by",
		.kind = ASK_TEXTS,
		.choices = "host|cpu|tid|comm",
		.arg = "KEY",
		.help = "match events of a rule by host, cpu, tid, comm or FIELD",
		.in_manual_only = true,
		.offset = AT(request_by) },
	{ .name = "against",
		.kind = ASK_TEXTS,
		.arg = "TRACE",
		.help = "B is in these traces, or in this saved path",
		.offset = AT(against) },
	{ .name = "comm-b",
		.kind = ASK_TEXTS,
		.arg = "NAME",
		.help = "B is a task with this name",
		.offset = AT(comms_b) },
	{ .name = "tid-b",
		.kind = ASK_RANGES,
		.arg = "N",
		.help = "B is this thread",
		.offset = AT(tids_b) },
	{ .name = "begin-b",
		.kind = ASK_MOMENT,
		.arg = "TIME",
		.help = "B starts at TIME (--begin then applies to A only)",
		.offset = AT(begin_b) },
	{ .name = "end-b",
		.kind = ASK_MOMENT,
		.arg = "TIME",
		.help = "B ends at TIME",
		.offset = AT(end_b) },
	{ .name = "fail-above",
		.kind = ASK_TEXT,
		.arg = "BY",
		.help = "exit 1 if B is slower by more than this: 10%, 5ms",
		.offset = AT(fail_above) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "at most N rows of each table",
		.offset = AT(limit) },
	{ 0 },
};

const struct ask_verb ask_verb_diff = {
	.name = "diff",
	.help = "why one task took longer than another",
	.synopsis = "[OPTION...] TRACE... | A.json B.json",
	.description = "Compares the critical paths ('meridian path') of two tasks, from one recording, two "
		       "recordings or saved paths, and shows which parts differ, and by how much.",
	.more = "Without --against both tasks are in the given traces: the first two that match --comm, "
		"--tid and --host, or those selected by --nth; --comm-b, --tid-b, --begin-b and "
		"--end-b select B separately. With --against, A is in the given traces and B in the "
		"others. Either side may be a saved path, a file written by 'meridian path --json -o "
		"FILE'.\n\n"
		"--request compares the paths of two requests that meridian-requests(1) found; with "
		"--against, B is in the other traces. " ASK_REQUEST_MANUAL "\n\n"
		"Programs are matched by host and name, because thread numbers differ from run to run. "
		"The share of a row is relative to the difference of the totals: rows of the opposite "
		"sign are negative, and others may then exceed 100 %.",
	.formats = "table|json|jsonl|csv",
	/* two sides */
	.of_states = true,
	.uses = (ASK_USES_TASKS & ~(unsigned)ASK_USES_MARKS) | ASK_USES_VIEWS | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian diff --comm wget client/ server/",
			"The first wget and the second: what made the difference?" },
		{ "meridian diff --comm wget --json client/ server/",
			"The same as input for a script." },
	},
	.run = run,
};
