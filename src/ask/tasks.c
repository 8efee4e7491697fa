#include "ask/tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/plural.h"
#include "ask/print/answer_print.h"
#include "ask/words/options.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "session/threads.h"
#include "sync/limits/drift.h"

enum { SCREENFUL = 20, NAMES = 12, MAX_NAMES = 4096 };

static void add_clean(struct mer_str *out, const char *text)
{
	ask_text_clean(out, text, strlen(text), false);
}

/* What was asked for, in a few words. */
static void put_wanted(
	const struct session_selection *s, const struct session_window *window, struct mer_str *out)
{
	for (size_t i = 0; i < s->comms.n; i++) {
		mer_str_puts(out, i ? " or '" : " named '");
		add_clean(out, s->comms.item[i]);
		mer_str_putc(out, '\'');
	}
	for (size_t i = 0; i < s->tids.n; i++) {
		bool is_pid = s->tids.item[i].is_process;
		bool goes_on = i && s->tids.item[i - 1].is_process == is_pid;
		mer_str_puts(out, goes_on ? "," : i ? " or " : " with ");
		mer_str_printf(out, "%s%" PRIu64,
			goes_on	 ? ""
			: is_pid ? "pid "
				 : "tid ",
			s->tids.item[i].first);
		if (s->tids.item[i].last > s->tids.item[i].first)
			mer_str_printf(out, "-%" PRIu64, s->tids.item[i].last);
	}
	for (size_t i = 0; i < s->hosts.n; i++) {
		mer_str_puts(out, i ? ", " : " on ");
		add_clean(out, s->hosts.item[i]);
	}
	if (window->begin != INT64_MIN || window->end != INT64_MAX)
		mer_str_puts(out, " between --begin and --end");
}

/* It matches but for the window: when it was there. */
static bool put_elsewhen(struct ask *ask, const struct session_world *w,
	const struct session_selection *s, const struct session_window *window, struct mer_str *out)
{
	static const struct session_window always = { INT64_MIN, INT64_MAX };
	struct session_tasks tasks;
	if ((window->begin == INT64_MIN && window->end == INT64_MAX) ||
		w->e->begin == MER_NO_TIME ||
		session_tasks_find(w, s, &always, &ask->arena, &tasks, &ask->err) || !tasks.n)
		return false;
	const struct session_task *t = &tasks.item[0];
	mer_str_printf(out, "; the first matching task lived from +%.6fs to +%.6fs",
		(double)(t->begin - w->e->begin) * 1e-9, (double)(t->end - w->e->begin) * 1e-9);
	return true;
}

/* Why none matches, and which names there are instead. */
static int none(struct ask *ask, const struct session_world *w, const struct session_selection *s,
	const struct session_window *window)
{
	struct mer_str out = { 0 }, wanted = { 0 };
	const char **names = malloc(MAX_NAMES * sizeof(*names));
	size_t n = names ? session_task_names(w, s, names, MAX_NAMES) : 0;
	uint64_t n_tasks = session_task_count(w);
	put_wanted(s, window, &wanted);
	const char *word = s->comms.n ? s->comms.item[0] : NULL;
	const char *best = word ? mer_nearest(word, names, n) : NULL;
	bool elsewhen = put_elsewhen(ask, w, s, window, &out);
	if (!n_tasks) {
		mer_str_puts(&out,
			w->e->begin == MER_NO_TIME
				? "; the traces have no events"
				: "; the traces have no scheduling events (sched_switch): 'meridian check TRACE' lists what to record");
	} else if (best && !elsewhen && strcmp(best, word) != 0) {
		mer_str_puts(&out, " (did you mean ");
		add_clean(&out, best);
		mer_str_puts(&out, "?)");
	}
	if (n && !elsewhen && (word || !s->tids.n)) {
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
	int rc = mer_fail(&ask->err, n_tasks ? MER_ERR_USAGE : MER_ERR_INPUT, "no task%s%s",
		wanted.data ? wanted.data : "", out.data ? out.data : "");
	mer_str_fini(&out);
	mer_str_fini(&wanted);
	free(names);
	return rc;
}

int ask_tasks_find_in(struct ask *ask, const struct session_world *w,
	const struct session_selection *s, const struct session_window *window,
	struct session_tasks *tasks)
{
	int rc = session_tasks_find(w, s, window, &ask->arena, tasks, &ask->err);
	return rc || tasks->n ? rc : none(ask, w, s, window);
}

int ask_tasks_find(struct ask *ask, const struct session_world *w, struct session_tasks *tasks)
{
	return ask_tasks_find_in(ask, w, &ask->select, &ask->window, tasks);
}

int ask_tasks_check(
	struct ask *ask, const struct session_world *w, const struct session_window *window)
{
	struct session_tasks tasks;
	if (!session_selects_tasks(&ask->select))
		return 0;
	return ask_tasks_find_in(ask, w, &ask->select, window, &tasks);
}

/* ---- A list of them ---- */

enum { NTH, HOST, TID, PID, COMM, BEGIN, END, DURATION, BORN, KERNEL, N_COLUMNS };
/* People see when one began, as a text, and how long it lived. */
#define TASK_COLUMNS(begin_type, end_title)                                                        \
	[NTH] = { "nth", "Nth", MER_ID }, [HOST] = { "host", "Host", MER_TEXT },                   \
	[TID] = { "tid", "TID", MER_ID }, [PID] = { "pid", "PID", MER_ID },                        \
	[COMM] = { "comm", "Name", MER_TEXT }, [BEGIN] = { "begin", "Begin", begin_type },         \
	[END] = { "end", end_title, MER_DATE },                                                    \
	[DURATION] = { "duration_ns", "Duration", MER_DURATION },                                  \
	[BORN] = { "born", NULL, MER_ID }, [KERNEL] = { "kernel", NULL, MER_ID }
const struct mer_column ask_tasks_columns[N_COLUMNS + 1] = { TASK_COLUMNS(MER_DATE, "End") };

void ask_tasks_add(const struct session_world *w, const struct session_tasks *tasks, size_t i,
	struct mer_table *t)
{
	const struct session_task *c = &tasks->item[i];
	const struct kernel_task *k = &w->world->hosts[c->host].tasks[c->task];
	mer_table_add(t, (struct mer_cell[N_COLUMNS]){
				 [NTH] = MER_INT(i + 1),
				 [HOST] = mer_text(session_task_host(w, c->host)),
				 [TID] = mer_natural(k->tid),
				 [PID] = mer_natural(k->pid),
				 [COMM] = mer_text(session_task_comm(w, c)),
				 [BEGIN] = MER_INT(c->begin),
				 [END] = MER_INT(c->end),
				 [DURATION] = MER_INT(sync_sub(c->end, c->begin)),
				 [BORN] = MER_INT(k->born),
				 [KERNEL] = MER_INT(k->is_kernel),
			 });
}

/* Which of several matching tasks was chosen, and how to choose another. */
static void note_choice(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, size_t chosen)
{
	const struct session_task *t = &tasks->item[chosen];
	struct mer_str name = { 0 };
	const char *comm = session_task_comm(w, t), *host = session_task_host(w, t->host);
	if (tasks->n < 2)
		return;
	ask_text_clean(&name, comm, strlen(comm), false);
	mer_str_printf(&name, "/%d on ", (int)w->world->hosts[t->host].tasks[t->task].tid);
	ask_text_clean(&name, host, strlen(host), false);
	ask_note(ask,
		"%zu tasks match; showing number %zu, %s (--nth K chooses another, --list lists them)",
		tasks->n, chosen + 1, name.data ? name.data : "?");
	mer_str_fini(&name);
}

/* A rank, or a thread in a state, is one that somebody may mean, although the kernel knows no
 * such task. */
int ask_tasks_check_answer(struct ask *ask, const struct session_answer *a)
{
	static const struct session_window always = { INT64_MIN, INT64_MAX };
	struct session_world w = session_answer_world(a);
	struct session_tasks tasks;
	bool is_thread;
	if (!session_selects_tasks(&ask->select))
		return 0;
	int rc = session_tasks_find(&w, &ask->select, &always, &ask->arena, &tasks, &ask->err);
	if (rc || tasks.n)
		return rc;
	rc = session_answer_has_thread(a, &is_thread, &ask->err);
	return rc || is_thread ? rc : ask_tasks_check(ask, &w, &always);
}

int ask_tasks_choose(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, uint64_t nth, size_t *chosen)
{
	if (nth > tasks->n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--nth %llu: only %zu %s (--list lists them)", (unsigned long long)nth,
			tasks->n, mer_plural(tasks->n, "task matches", "tasks match"));
	*chosen = nth ? nth - 1 : session_tasks_default(w, tasks);
	if (!nth)
		note_choice(ask, w, tasks, *chosen);
	return 0;
}

/* The time of day, to the millisecond. Users' programs come first, unless tasks were chosen. */
static void add_for_people(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, size_t n, struct mer_table *t)
{
	bool chosen = ask->select.comms.n || ask->select.tids.n;
	for (int r = 0; r < SESSION_TASK_RANKS; r++)
		for (size_t i = 0; i < tasks->n && t->n_rows < n; i++) {
			const struct session_task *c = &tasks->item[i];
			const struct kernel_task *k = &w->world->hosts[c->host].tasks[c->task];
			struct mer_str begin = { 0 };
			if (chosen ? r > 0 : session_task_rank(k) != r)
				continue;
			ask_tasks_add(w, tasks, i, t);
			ask_text_clock(&begin, c->begin);
			struct mer_cell cell = mer_table_keep(t, &begin);
			if (!t->failed)
				t->cells[(t->n_rows - 1) * N_COLUMNS + BEGIN] = cell;
		}
}

static int print_people(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, uint64_t limit)
{
	static const struct mer_column columns[N_COLUMNS + 1] = { TASK_COLUMNS(MER_TEXT, NULL) };
	struct mer_table t;
	size_t n = limit ? limit : SCREENFUL;
	mer_table_init(&t, "tasks", NULL, columns, &ask->arena);
	add_for_people(ask, w, tasks, n, &t);
	int rc = ask_table_print(ask, &t);
	mer_table_fini(&t);
	if (rc == 0 && n < tasks->n)
		fprintf(ask->out, "... and %zu more (-n 0 shows all)\n", tasks->n - n);
	return rc;
}

int ask_tasks_print(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, uint64_t limit)
{
	struct answer a;
	if (ask->format == ASK_FORMAT_TABLE)
		return print_people(ask, w, tasks, limit);
	ask_answer_init(ask, w->e, true, &a);
	struct mer_table *t = answer_add(&a, "tasks", "Tasks", ask_tasks_columns);
	for (size_t i = 0; i < tasks->n && (!limit || i < limit); i++)
		ask_tasks_add(w, tasks, i, t);
	int rc = ask_answer_print(ask, &a);
	answer_fini(&a);
	return rc;
}
