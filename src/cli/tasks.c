#include "cli/tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/plural.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/text.h"
#include "sync/drift.h"
#include "cli/traces.h"

enum { SCREENFUL = 20, NAMES = 12, MAX_NAMES = 4096 };

const char *cli_task_host(const struct cli_world *w, uint32_t host)
{
	return w->e->hosts[host].name;
}

const char *cli_task_comm(const struct cli_world *w, const struct cli_task *t)
{
	return kernel_comm(&w->world->hosts[t->host], t->task, INT64_MAX);
}

/* In the order of begin, and what cannot be compared by it in that of hosts and tasks. */
static int by_begin(const void *a, const void *b)
{
	const struct cli_task *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return p->task < q->task ? -1 : p->task > q->task;
}

/* Has the task a name that fits? As kernel_find_task, for one task. */
static bool is_called(const struct kernel_host *h, uint32_t task, const char *pattern)
{
	for (uint32_t n = h->tasks[task].name; n != KERNEL_NONE; n = h->renames[n].before)
		if (mer_glob(pattern, kernel_name_text(h, h->renames[n].name)))
			return true;
	return false;
}

/* Is the thread one of these, or its process? A thread of an unknown process may be the only one of it. */
static bool has_number(const struct cli_ranges *r, int32_t tid, int32_t pid)
{
	for (size_t i = 0; i < r->n; i++) {
		int32_t v = r->item[i].is_process && pid >= 0 ? pid : tid;
		if (v >= 0 && (uint64_t)v >= r->item[i].first && (uint64_t)v <= r->item[i].last)
			return true;
	}
	return false;
}

bool cli_task_fits(const struct kernel_host *h, uint32_t task, const struct cli_texts *comms,
	const struct cli_ranges *tids)
{
	int32_t tid = h->tasks[task].tid;
	if (tids && tids->n && !has_number(tids, tid, h->tasks[task].pid))
		return false;
	bool called = !comms || comms->n == 0;
	for (size_t i = 0; !called && i < comms->n; i++)
		called = is_called(h, task, comms->item[i]);
	return called;
}

static bool fits(const struct kernel_host *h, uint32_t task, const struct cli_selection *s)
{
	const struct kernel_task *t = &h->tasks[task];
	return t->last != KERNEL_NONE && t->begin < s->end && t->end > s->begin &&
	       cli_task_fits(h, task, s->comms, s->tids);
}

int cli_tasks_find(struct cli *cli, const struct cli_world *w, const struct cli_selection *s,
	struct cli_tasks *tasks)
{
	size_t cap = 0;
	*tasks = (struct cli_tasks){ 0 };
	for (int counting = 1; counting >= 0; counting--) {
		for (uint32_t i = 0; i < w->world->n_hosts; i++) {
			const struct kernel_host *h = &w->world->hosts[i];
			if (!cli_host_wanted(cli, cli_task_host(w, i)))
				continue;
			for (uint32_t k = 0; k < h->n_tasks; k++) {
				const struct kernel_task *t = &h->tasks[k];
				if (!fits(h, k, s))
					continue;
				int64_t end = t->died < t->end ? t->died : t->end;
				if (counting)
					cap++;
				else
					tasks->item[tasks->n++] = (struct cli_task){ i, k,
						t->begin > s->begin ? t->begin : s->begin,
						end < s->end ? end : s->end };
			}
		}
		if (counting) {
			tasks->item = mer_arena_zalloc(&cli->arena, cap + 1, sizeof(*tasks->item));
			if (!tasks->item)
				return mer_fail_nomem(&cli->err);
		}
	}
	qsort(tasks->item, tasks->n, sizeof(*tasks->item), by_begin);
	return 0;
}

size_t cli_tasks_default(const struct cli_world *w, const struct cli_tasks *tasks)
{
	size_t born = tasks->n;
	for (size_t i = 0; i < tasks->n; i++) {
		const struct cli_task *c = &tasks->item[i];
		const struct kernel_task *t = &w->world->hosts[c->host].tasks[c->task];
		if (t->born && t->died != INT64_MAX)
			return i;
		if (t->born && born == tasks->n)
			born = i;
	}
	return born < tasks->n ? born : 0;
}

/* ---- None fits ---- */

/* For people: what was started in the recording, then other programs, then their further threads, then
 * those of the kernel. */
enum { RANKS = 4 };
static int rank_of(const struct kernel_task *t)
{
	return t->is_kernel ? 3 : t->pid >= 0 && t->pid != t->tid ? 2 : !t->born;
}

/* Different names of the wanted hosts' tasks, by rank. */
static size_t list_names(
	const struct cli *cli, const struct cli_world *w, const char **names, size_t max)
{
	size_t n = 0;
	struct mer_map seen = { 0 };
	for (int rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < w->world->n_hosts; i++) {
			const struct kernel_host *h = &w->world->hosts[i];
			if (!cli_host_wanted(cli, cli_task_host(w, i)))
				continue;
			for (uint32_t k = 0; k < h->n_tasks && n < max; k++) {
				const char *comm = kernel_comm(h, k, INT64_MAX);
				uint32_t *known;
				if (!*comm || rank_of(&h->tasks[k]) != rank)
					continue;
				known = mer_map_put(&seen, mer_hash(comm, strlen(comm)));
				if (!known)
					break; /* fewer names then */
				if (!*known)
					names[n++] = comm;
				*known = 1;
			}
		}
	mer_map_fini(&seen);
	return n;
}

static void add_clean(struct mer_str *out, const char *text)
{
	cli_text_clean(out, text, strlen(text), false);
}

/* What was asked for, in a few words. */
static void put_wanted(struct cli *cli, const struct cli_selection *s, struct mer_str *out)
{
	for (size_t i = 0; s->comms && i < s->comms->n; i++) {
		mer_str_puts(out, i ? " or '" : " named '");
		add_clean(out, s->comms->item[i]);
		mer_str_putc(out, '\'');
	}
	for (size_t i = 0; s->tids && i < s->tids->n; i++) {
		bool is_pid = s->tids->item[i].is_process;
		bool goes_on = i && s->tids->item[i - 1].is_process == is_pid;
		mer_str_puts(out, goes_on ? "," : i ? " or " : " with ");
		mer_str_printf(out, "%s%" PRIu64,
			goes_on	 ? ""
			: is_pid ? "pid "
				 : "tid ",
			s->tids->item[i].first);
		if (s->tids->item[i].last > s->tids->item[i].first)
			mer_str_printf(out, "-%" PRIu64, s->tids->item[i].last);
	}
	for (size_t i = 0; i < cli->hosts.n; i++) {
		mer_str_puts(out, i ? ", " : " on ");
		add_clean(out, cli->hosts.item[i]);
	}
	if (s->begin != INT64_MIN || s->end != INT64_MAX)
		mer_str_puts(out, " between --begin and --end");
}

/* It fits but for the window: when it was there. */
static bool put_elsewhen(struct cli *cli, const struct cli_world *w, const struct cli_selection *s,
	struct mer_str *out)
{
	struct cli_selection always = { s->comms, s->tids, INT64_MIN, INT64_MAX };
	struct cli_tasks tasks;
	if ((s->begin == INT64_MIN && s->end == INT64_MAX) || w->e->begin == MER_NO_TIME ||
		cli_tasks_find(cli, w, &always, &tasks) || !tasks.n)
		return false;
	const struct cli_task *t = &tasks.item[0];
	mer_str_printf(out, "; the first matching task lived from +%.6fs to +%.6fs",
		(double)(t->begin - w->e->begin) * 1e-9, (double)(t->end - w->e->begin) * 1e-9);
	return true;
}

int cli_tasks_none(struct cli *cli, const struct cli_world *w, const struct cli_selection *s)
{
	struct mer_str out = { 0 }, wanted = { 0 };
	const char **names = malloc(MAX_NAMES * sizeof(*names));
	size_t n = names ? list_names(cli, w, names, MAX_NAMES) : 0;
	uint64_t n_tasks = 0;
	for (uint32_t i = 0; i < w->world->n_hosts; i++)
		n_tasks += w->world->hosts[i].n_tasks;
	put_wanted(cli, s, &wanted);
	const char *word = s->comms && s->comms->n ? s->comms->item[0] : NULL;
	const char *best = word ? cli_nearest(word, names, n) : NULL;
	bool elsewhen = put_elsewhen(cli, w, s, &out);
	if (!n_tasks) {
		mer_str_puts(&out, "; the traces have no scheduling events (sched_switch): "
				   "'meridian check TRACE' lists what to record");
	} else if (best && !elsewhen && strcmp(best, word) != 0) {
		mer_str_puts(&out, " (did you mean ");
		add_clean(&out, best);
		mer_str_puts(&out, "?)");
	}
	if (n && !elsewhen && (word || !(s->tids && s->tids->n))) {
		mer_str_puts(&out, "; there are: ");
		for (size_t i = 0; i < n && i < NAMES; i++) {
			mer_str_puts(&out, i ? ", " : "");
			add_clean(&out, names[i]);
		}
		if (n > NAMES)
			mer_str_printf(&out, " and %zu more", n - NAMES);
	}
	if (n_tasks)
		mer_str_puts(&out, "; 'meridian path --list TRACE' lists all tasks");
	int rc = mer_fail(&cli->err, n_tasks ? MER_ERR_USAGE : MER_ERR_INPUT, "no task%s%s",
		wanted.data ? wanted.data : "", out.data ? out.data : "");
	mer_str_fini(&out);
	mer_str_fini(&wanted);
	free(names);
	return rc;
}

int cli_tasks_check(struct cli *cli, struct mer_experiment *e, struct kernel_world *world,
	int64_t begin, int64_t end)
{
	struct cli_world w = { .e = e, .world = world, .synced = cli->synced };
	struct cli_selection s = { &cli->comms, &cli->tids, begin, end };
	struct cli_tasks tasks;
	if (!cli->comms.n && !cli->tids.n)
		return 0;
	int rc = cli_tasks_find(cli, &w, &s, &tasks);
	return rc || tasks.n ? rc : cli_tasks_none(cli, &w, &s);
}

/* ---- A list of them ---- */

enum { NTH, HOST, TID, PID, COMM, BEGIN, DURATION, BORN, N_COLUMNS };
#define TASK_COLUMNS(begin_type)                                                                   \
	[NTH] = { "nth", "Nth", MER_ID }, [HOST] = { "host", "Host", MER_TEXT },                   \
	[TID] = { "tid", "TID", MER_ID }, [PID] = { "pid", "PID", MER_ID },                        \
	[COMM] = { "comm", "Name", MER_TEXT }, [BEGIN] = { "begin", "Begin", begin_type },         \
	[DURATION] = { "duration_ns", "Duration", MER_DURATION },                                  \
	[BORN] = { "born", NULL, MER_ID }

static struct mer_cell begin_cell(const struct cli *cli, struct mer_table *t, int64_t ns)
{
	struct mer_str s = { 0 };
	if (cli->format != CLI_FORMAT_TABLE)
		return MER_INT(ns);
	cli_text_clock(&s, ns);
	return mer_table_keep(t, &s);
}

static void add_rows(struct cli *cli, const struct cli_world *w, const struct cli_tasks *tasks,
	size_t n, struct mer_table *t)
{
	bool people = cli->format == CLI_FORMAT_TABLE;
	bool chosen = cli->comms.n || cli->tids.n;
	for (int r = 0; r < RANKS; r++)
		for (size_t i = 0; i < tasks->n && t->n_rows < n; i++) {
			const struct cli_task *c = &tasks->item[i];
			const struct kernel_task *k = &w->world->hosts[c->host].tasks[c->task];
			if (chosen || !people ? r > 0 : rank_of(k) != r)
				continue;
			int64_t ns = sync_sub(c->end, c->begin);
			mer_table_add(t, (struct mer_cell[N_COLUMNS]){
						 [NTH] = MER_INT(i + 1),
						 [HOST] = mer_text(cli_task_host(w, c->host)),
						 [TID] = MER_INT(k->tid),
						 [PID] = k->pid < 0 ? MER_NONE : MER_INT(k->pid),
						 [COMM] = mer_text(cli_task_comm(w, c)),
						 [BEGIN] = begin_cell(cli, t, c->begin),
						 [DURATION] = MER_INT(ns),
						 [BORN] = MER_INT(k->born),
					 });
		}
}

/* Which of several matching tasks was chosen, and how to choose another. */
static void note_choice(
	struct cli *cli, const struct cli_world *w, const struct cli_tasks *tasks, size_t chosen)
{
	const struct cli_task *t = &tasks->item[chosen];
	struct mer_str name = { 0 };
	const char *comm = cli_task_comm(w, t), *host = cli_task_host(w, t->host);
	if (tasks->n < 2)
		return;
	cli_text_clean(&name, comm, strlen(comm), false);
	mer_str_printf(&name, "/%d on ", (int)w->world->hosts[t->host].tasks[t->task].tid);
	cli_text_clean(&name, host, strlen(host), false);
	cli_note(cli,
		"%zu tasks match; showing number %zu, %s (--nth K chooses another, --list lists "
		"them)",
		tasks->n, chosen + 1, name.data ? name.data : "?");
	mer_str_fini(&name);
}

int cli_tasks_choose(struct cli *cli, const struct cli_world *w, const struct cli_tasks *tasks,
	uint64_t nth, size_t *chosen)
{
	if (!cli->comms.n && !cli->tids.n)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"which task? choose one of %zu with --comm NAME or --tid N (--list lists "
			"them)",
			tasks->n);
	if (nth > tasks->n)
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--nth %llu: only %zu %s (--list lists them)", (unsigned long long)nth,
			tasks->n, mer_plural(tasks->n, "task matches", "tasks match"));
	*chosen = nth ? nth - 1 : cli_tasks_default(w, tasks);
	if (!nth)
		note_choice(cli, w, tasks, *chosen);
	return 0;
}

int cli_tasks_print(
	struct cli *cli, const struct cli_world *w, const struct cli_tasks *tasks, uint64_t limit)
{
	bool people = cli->format == CLI_FORMAT_TABLE;
	/* People see the time of day, to the millisecond. */
	static const struct mer_column text[] = { TASK_COLUMNS(MER_TEXT), { 0 } };
	static const struct mer_column exact[] = { TASK_COLUMNS(MER_DATE), { 0 } };
	struct mer_table t;
	size_t n = limit ? limit : people ? SCREENFUL : tasks->n;
	n = n < tasks->n ? n : tasks->n;
	mer_table_init(&t, "tasks", NULL, people ? text : exact, &cli->arena);
	add_rows(cli, w, tasks, n, &t);
	int rc = cli_table_print(cli, &t);
	mer_table_fini(&t);
	if (rc == 0 && people && n < tasks->n)
		fprintf(cli->out, "... and %zu more (-n 0 shows all)\n", tasks->n - n);
	return rc;
}
