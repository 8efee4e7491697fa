#include "ask/path/path_children.h"

#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "ask/print/answer_print.h"
#include "path/process_tree.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

enum { ROWS = 16, TOTALS = 6 }; /* that fit a screen, together */

struct children {
	struct ask *ask;
	const struct session_world *w;
	struct process_tree tree;
	struct process_group *groups;
	uint32_t n_groups;
	struct process_total *totals;
	uint32_t n_totals;
	uint64_t limit; /* rows of the tree, and of the totals; 0: not given */
};

static const struct kernel_task *task_of(const struct children *c, uint32_t process)
{
	return &c->w->world->hosts[c->tree.host].tasks[c->tree.processes[process].task];
}

static const char *host_name(const struct children *c)
{
	return c->w->e->hosts[c->tree.host].name;
}

/* Runs per second, one after the other. */
static double rate(const struct process_tree *t)
{
	return t->end > t->begin ? 1e9 / (double)(t->end - t->begin) : 0;
}

/* ---- Text ---- */

/* "sh > python3" */
static void put_programs(const struct children *c, uint32_t process, struct mer_str *out)
{
	const struct process *p = &c->tree.processes[process];
	for (uint32_t i = 0; i < p->n_programs; i++) {
		const char *name = c->tree.programs[p->programs + i].name;
		mer_str_puts(out, i ? " > " : "");
		mer_str_puts(out, *name ? name : "?");
	}
}

static void put_verdict(const struct children *c, struct mer_str *out)
{
	const struct process_tree *t = &c->tree;
	const struct process *root = &t->processes[0];
	struct mer_str s = { 0 };
	put_programs(c, 0, &s);
	mer_str_printf(&s, "/%d on %s: ", (int)task_of(c, 0)->tid, host_name(c));
	ask_text_duration(&s, t->end - t->begin);
	mer_str_puts(&s, root->is_born && root->has_ended ? " from its start to its exit"
			 : root->has_ended		  ? " until its exit"
							  : " recorded, without its exit");
	mer_str_puts(&s, ", with ");
	ask_text_count(&s, root->n_below);
	mer_str_printf(&s, " %s.",
		mer_plural(root->n_below, "descendant process", "descendant processes"));
	if (root->has_ended && root->is_born && t->end > t->begin)
		mer_str_printf(
			&s, " Run one after the other, that is at most %.1f per second.", rate(t));
	struct mer_str clean = { 0 };
	ask_text_clean(&clean, s.data ? s.data : "", s.len, false);
	ask_text_wrap(out, clean.data ? clean.data : "", (size_t)ask_width(c->ask), 0);
	out->failed |= s.failed || clean.failed;
	mer_str_fini(&s);
	mer_str_fini(&clean);
}

/* Of so many: as --limit says, else as many as fit a screen. */
static size_t rows_wanted(const struct children *c, size_t screenful, size_t all)
{
	uint64_t limit = c->limit ? c->limit : c->ask->verbose ? UINT64_MAX : screenful;
	return limit < all ? (size_t)limit : all;
}

/* The least time with all below that a group needs in order to be shown: so that about as many as
 * --limit says are. */
static int64_t least_shown(const struct children *c)
{
	size_t n = 0, most = rows_wanted(c, ROWS, c->n_groups);
	int64_t *best = NULL; /* the greatest so far, in order */
	if (most < c->n_groups)
		best = mer_arena_zalloc(&c->ask->arena, most + 1, sizeof(*best));
	if (!best)
		return 0;
	for (uint32_t i = 0; i < c->n_groups; i++) {
		int64_t v = c->groups[i].tree_on_path_ns;
		size_t at = n;
		while (at && best[at - 1] < v)
			at--;
		if (at == most)
			continue;
		n += n < most;
		memmove(best + at + 1, best + at, (n - at - 1) * sizeof(*best));
		best[at] = v;
	}
	return best[n - 1] + (best[n - 1] == 0);
}

enum { T_PROGRAM, T_RUNS, T_START, T_DURATION, T_CPU, T_ON_PATH, T_SHARE, T_N };
static const struct mer_column tree_columns[T_N + 1] = {
	[T_PROGRAM] = { "program", "Program", MER_TEXT },
	[T_RUNS] = { "count", "Runs", MER_COUNT },
	[T_START] = { "start_ns", "Start", MER_DURATION },
	[T_DURATION] = { "duration_ns", "Duration", MER_DURATION },
	[T_CPU] = { "cpu_ns", "CPU", MER_DURATION },
	[T_ON_PATH] = { "on_path_ns", "On path", MER_DURATION },
	[T_SHARE] = { "percent", "Share", MER_RATIO },
};

static struct mer_cell share_cell(const struct children *c, int64_t on_path_ns)
{
	int64_t all = c->tree.end - c->tree.begin;
	return all > 0 ? MER_REAL_CELL((double)on_path_ns / (double)all) : MER_NONE;
}

static void add_group(const struct children *c, struct mer_table *t, uint32_t group, unsigned level)
{
	const struct process_group *g = &c->groups[group];
	struct mer_str name = { 0 };
	mer_str_printf(&name, "%*s", (int)(2 * level), "");
	put_programs(c, g->example, &name);
	if (g->n == 1)
		mer_str_printf(&name, "/%d", (int)task_of(c, g->example)->tid);
	mer_table_add(
		t, (struct mer_cell[T_N]){
			   [T_PROGRAM] = mer_table_keep(t, &name),
			   [T_RUNS] = MER_INT(g->n),
			   [T_START] = MER_INT(c->tree.processes[g->example].begin - c->tree.begin),
			   [T_DURATION] = MER_INT(g->duration_ns),
			   [T_CPU] = MER_INT(g->cpu_ns),
			   [T_ON_PATH] = MER_INT(g->on_path_ns),
			   [T_SHARE] = share_cell(c, g->on_path_ns),
		   });
}

/* n 0, cpu_ns negative: unknown. */
static void add_sum(const struct children *c, struct mer_table *t, const char *name, uint32_t n,
	int64_t cpu_ns, int64_t on_path_ns)
{
	mer_table_add(t, (struct mer_cell[T_N]){
				 [T_PROGRAM] = mer_text(name),
				 [T_RUNS] = n ? MER_INT(n) : MER_NONE,
				 [T_CPU] = mer_natural(cpu_ns),
				 [T_ON_PATH] = MER_INT(on_path_ns),
				 [T_SHARE] = share_cell(c, on_path_ns),
			 });
}

static void put_tree(const struct children *c, struct mer_str *out)
{
	struct mer_table t;
	mer_table_init(&t, "tree", NULL, tree_columns, &c->ask->arena);
	int64_t least = least_shown(c);
	uint32_t n_left = 0;
	int64_t cpu_left = 0, path_left = 0;
	unsigned level = 0;
	for (uint32_t i = 0; i != KERNEL_NONE;) { /* depth first */
		const struct process_group *g = &c->groups[i];
		bool shown = i == 0 || g->tree_on_path_ns >= least;
		if (shown) {
			add_group(c, &t, i, level);
		} else { /* nothing below it is more */
			n_left += g->n + g->n_below;
			cpu_left += g->tree_cpu_ns;
			path_left += g->tree_on_path_ns;
		}
		if (shown && g->child != KERNEL_NONE) {
			i = g->child;
			level++;
			continue;
		}
		while (i != KERNEL_NONE && c->groups[i].next == KERNEL_NONE) {
			i = c->groups[i].parent;
			level--;
		}
		i = i == KERNEL_NONE ? KERNEL_NONE : c->groups[i].next;
	}
	if (n_left)
		add_sum(c, &t, "all others", n_left, cpu_left, path_left);
	if (c->tree.outside_ns)
		add_sum(c, &t, "outside of the tree", 0, -1, c->tree.outside_ns);
	add_sum(c, &t, "total", c->tree.n, c->tree.processes[0].tree_cpu_ns,
		c->tree.end - c->tree.begin);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t.failed;
	mer_table_fini(&t);
}

enum { P_PROGRAM, P_COUNT, P_DURATION, P_MIN, P_MAX, P_CPU, P_ON_PATH, P_N };
static const struct mer_column program_columns[P_N + 1] = {
	[P_PROGRAM] = { "program", "Program", MER_TEXT },
	[P_COUNT] = { "count", "Runs", MER_COUNT },
	[P_DURATION] = { "duration_ns", "Duration", MER_DURATION },
	[P_MIN] = { "min_ns", "Min", MER_DURATION },
	[P_MAX] = { "max_ns", "Max", MER_DURATION },
	[P_CPU] = { "cpu_ns", "CPU", MER_DURATION },
	[P_ON_PATH] = { "on_path_ns", "On path", MER_DURATION },
};
static const char programs_title[] = "Programs, wherever they ran";

static void fill_totals(const struct children *c, struct mer_table *t, uint32_t limit)
{
	for (uint32_t i = 0; i < c->n_totals && i < limit; i++) {
		const struct process_total *r = &c->totals[i];
		mer_table_add(t, (struct mer_cell[P_N]){
					 [P_PROGRAM] = mer_text(r->name),
					 [P_COUNT] = MER_INT(r->n),
					 [P_DURATION] = MER_INT(r->duration_ns),
					 [P_MIN] = MER_INT(r->min_ns),
					 [P_MAX] = MER_INT(r->max_ns),
					 [P_CPU] = MER_INT(r->cpu_ns),
					 [P_ON_PATH] = MER_INT(r->on_path_ns),
				 });
	}
}

static void put_text(const struct children *c, struct mer_str *out)
{
	put_verdict(c, out);
	mer_str_putc(out, '\n');
	put_tree(c, out);
	uint32_t limit = (uint32_t)rows_wanted(c, TOTALS, c->n_totals);
	bool repeated = false; /* otherwise the tree has said it all */
	for (uint32_t i = 0; i < c->n_totals; i++)
		repeated |= c->totals[i].n > 1;
	if (!repeated || c->tree.n == 1)
		return;
	struct mer_table t;
	mer_table_init(&t, "programs", programs_title, program_columns, NULL);
	fill_totals(c, &t, limit);
	mer_str_printf(out, "\n%s\n", t.title);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t.failed;
	if (c->n_totals > limit)
		mer_str_printf(out, "... and %u more (-n 0 shows all)\n", c->n_totals - limit);
	mer_table_fini(&t);
}

/* ---- For programs ---- */

static void add_processes(const struct children *c, struct answer *a)
{
	enum {
		TID,
		PARENT,
		BEGIN,
		END,
		DURATION,
		HAS_ENDED,
		THREADS,
		CPU,
		ON_PATH,
		TREE_CPU,
		TREE_ON_PATH,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[TID] = { "tid", NULL, MER_ID },
		[PARENT] = { "parent_tid", NULL, MER_ID },
		[BEGIN] = { "begin", NULL, MER_DATE },
		[END] = { "end", NULL, MER_DATE },
		[DURATION] = { "duration_ns", NULL, MER_DURATION },
		[HAS_ENDED] = { "has_ended", NULL, MER_ID },
		[THREADS] = { "threads", NULL, MER_COUNT },
		[CPU] = { "cpu_ns", NULL, MER_DURATION },
		[ON_PATH] = { "on_path_ns", NULL, MER_DURATION },
		[TREE_CPU] = { "tree_cpu_ns", NULL, MER_DURATION },
		[TREE_ON_PATH] = { "tree_on_path_ns", NULL, MER_DURATION },
	};
	struct mer_table *t = answer_add(a, "processes", NULL, columns);
	for (uint32_t i = 0; i < c->tree.n; i++) {
		const struct process *p = &c->tree.processes[i];
		bool is_root = p->parent == KERNEL_NONE;
		mer_table_add(t,
			(struct mer_cell[N]){
				[TID] = MER_INT(task_of(c, i)->tid),
				[PARENT] = is_root ? MER_NONE : MER_INT(task_of(c, p->parent)->tid),
				[BEGIN] = MER_INT(p->begin),
				[END] = MER_INT(p->end),
				[DURATION] = MER_INT(p->end - p->begin),
				[HAS_ENDED] = MER_INT(p->has_ended),
				[THREADS] = MER_INT(p->n_threads),
				[CPU] = MER_INT(p->cpu_ns),
				[ON_PATH] = MER_INT(p->on_path_ns),
				[TREE_CPU] = MER_INT(p->tree_cpu_ns),
				[TREE_ON_PATH] = MER_INT(p->tree_on_path_ns),
			});
	}
}

/* What each process ran, one after the other. */
static void add_runs(const struct children *c, struct answer *a)
{
	enum { ROW, PROGRAM, BEGIN, END, CPU, ON_PATH, N };
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[PROGRAM] = { "program", NULL, MER_TEXT },
		[BEGIN] = { "begin", NULL, MER_DATE },
		[END] = { "end", NULL, MER_DATE },
		[CPU] = { "cpu_ns", NULL, MER_DURATION },
		[ON_PATH] = { "on_path_ns", NULL, MER_DURATION },
	};
	struct mer_table *t = answer_add_beside(a, "process_programs", NULL, columns);
	for (uint32_t i = 0; i < c->tree.n; i++)
		for (uint32_t k = 0; k < c->tree.processes[i].n_programs; k++) {
			const struct process_program *r =
				&c->tree.programs[c->tree.processes[i].programs + k];
			mer_table_add(t, (struct mer_cell[N]){
						 [ROW] = MER_INT(i + 1),
						 [PROGRAM] = mer_text(*r->name ? r->name : NULL),
						 [BEGIN] = MER_INT(r->begin),
						 [END] = MER_INT(r->end),
						 [CPU] = MER_INT(r->cpu_ns),
						 [ON_PATH] = MER_INT(r->on_path_ns),
					 });
		}
}

static void add_task(const struct children *c, struct answer *a)
{
	enum { HOST, TID, COMM, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[COMM] = { "comm", NULL, MER_TEXT },
	};
	const struct process *root = &c->tree.processes[0];
	const char *comm = c->tree.programs[root->programs + root->n_programs - 1].name;
	mer_table_add(answer_add_beside(a, "task", NULL, columns),
		(struct mer_cell[N]){
			[HOST] = mer_text(host_name(c)),
			[TID] = MER_INT(task_of(c, 0)->tid),
			[COMM] = mer_text(*comm ? comm : NULL),
		});
}

static void add_whole(const struct children *c, struct answer *a)
{
	enum { TOTAL, MAX_RATE, CPU, IN_TREE, OUTSIDE, N };
	static const struct mer_column columns[N + 1] = {
		[TOTAL] = { "total_ns", NULL, MER_DURATION },
		[MAX_RATE] = { "max_rate_per_s", NULL, MER_REAL },
		[CPU] = { "cpu_ns", NULL, MER_DURATION },
		[IN_TREE] = { "in_tree_ns", NULL, MER_DURATION },
		[OUTSIDE] = { "outside_ns", NULL, MER_DURATION },
	};
	const struct process_tree *t = &c->tree;
	const struct process *root = &t->processes[0];
	bool is_whole = root->is_born && root->has_ended && t->end > t->begin;
	mer_table_add(answer_add_beside(a, "path", NULL, columns),
		(struct mer_cell[N]){
			[TOTAL] = MER_INT(t->end - t->begin),
			[MAX_RATE] = is_whole ? MER_REAL_CELL(rate(t)) : MER_NONE,
			[CPU] = MER_INT(root->tree_cpu_ns),
			[IN_TREE] = MER_INT(root->tree_on_path_ns),
			[OUTSIDE] = MER_INT(t->outside_ns),
		});
}

static void add_tables(const struct children *c, struct answer *a)
{
	a->begin = c->tree.begin;
	a->end = c->tree.end;
	add_processes(c, a);
	add_task(c, a);
	add_whole(c, a);
	add_runs(c, a);
	fill_totals(
		c, answer_add_beside(a, "programs", programs_title, program_columns), c->n_totals);
}

static int print_tables(const struct children *c)
{
	struct answer a;
	ask_answer_init(c->ask, c->w->e, false, &a);
	add_tables(c, &a);
	int rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	return rc;
}

int ask_path_children(struct ask *ask, const struct session_world *w, uint32_t host, uint32_t task,
	uint64_t limit)
{
	struct children c = { .ask = ask, .w = w, .limit = limit };
	struct mer_str out = { 0 };
	int rc = process_tree_find(
		w->world, host, task, ask->window.begin, ask->window.end, &c.tree, &ask->err);
	if (!rc)
		rc = process_tree_group(&c.tree, &c.groups, &c.n_groups, &ask->err);
	if (!rc)
		rc = process_tree_totals(&c.tree, &c.totals, &c.n_totals, &ask->err);
	if (!rc && ask->format == ASK_FORMAT_TABLE)
		put_text(&c, &out);
	else if (!rc)
		rc = print_tables(&c);
	rc = ask_put(ask, &out, rc);
	free(c.totals);
	free(c.groups);
	process_tree_fini(&c.tree);
	return rc;
}
