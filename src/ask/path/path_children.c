#include "ask/path/path_children.h"

#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "path/process_tree.h"
#include "ask/session.h"
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
				 [T_CPU] = cpu_ns < 0 ? MER_NONE : MER_INT(cpu_ns),
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

static void fill_totals(const struct children *c, struct mer_table *t, uint32_t limit)
{
	enum { PROGRAM, COUNT, DURATION, MIN, MAX, CPU, ON_PATH, N };
	static const struct mer_column columns[N + 1] = {
		[PROGRAM] = { "program", "Program", MER_TEXT },
		[COUNT] = { "count", "Runs", MER_COUNT },
		[DURATION] = { "duration_ns", "Duration", MER_DURATION },
		[MIN] = { "min_ns", "Min", MER_DURATION },
		[MAX] = { "max_ns", "Max", MER_DURATION },
		[CPU] = { "cpu_ns", "CPU", MER_DURATION },
		[ON_PATH] = { "on_path_ns", "On path", MER_DURATION },
	};
	mer_table_init(t, "programs", "Programs, wherever they ran", columns, NULL);
	for (uint32_t i = 0; i < c->n_totals && i < limit; i++) {
		const struct process_total *r = &c->totals[i];
		mer_table_add(t, (struct mer_cell[N]){
					 [PROGRAM] = mer_text(r->name),
					 [COUNT] = MER_INT(r->n),
					 [DURATION] = MER_INT(r->duration_ns),
					 [MIN] = MER_INT(r->min_ns),
					 [MAX] = MER_INT(r->max_ns),
					 [CPU] = MER_INT(r->cpu_ns),
					 [ON_PATH] = MER_INT(r->on_path_ns),
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
	fill_totals(c, &t, limit);
	mer_str_printf(out, "\n%s\n", t.title);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t.failed;
	if (c->n_totals > limit)
		mer_str_printf(out, "... and %u more (-n 0 shows all)\n", c->n_totals - limit);
	mer_table_fini(&t);
}

/* ---- JSON ---- */

static void put_process(const struct children *c, struct mer_json *j, uint32_t process)
{
	const struct process *p = &c->tree.processes[process];
	mer_json_begin_object(j);
	mer_json_kv_int(j, "tid", task_of(c, process)->tid);
	if (p->parent == KERNEL_NONE)
		mer_json_kv_null(j, "parent_tid");
	else
		mer_json_kv_int(j, "parent_tid", task_of(c, p->parent)->tid);
	mer_json_kv_int(j, "begin", p->begin);
	mer_json_kv_int(j, "end", p->end);
	mer_json_kv_int(j, "duration_ns", p->end - p->begin);
	mer_json_kv_bool(j, "has_ended", p->has_ended);
	mer_json_kv_uint(j, "threads", p->n_threads);
	mer_json_kv_int(j, "cpu_ns", p->cpu_ns);
	mer_json_kv_int(j, "on_path_ns", p->on_path_ns);
	mer_json_kv_int(j, "tree_cpu_ns", p->tree_cpu_ns);
	mer_json_kv_int(j, "tree_on_path_ns", p->tree_on_path_ns);
	mer_json_kv_array(j, "programs");
	for (uint32_t i = 0; i < p->n_programs; i++) {
		const struct process_program *r = &c->tree.programs[p->programs + i];
		mer_json_begin_object(j);
		ask_json_known(j, "name", r->name);
		mer_json_kv_int(j, "begin", r->begin);
		mer_json_kv_int(j, "end", r->end);
		mer_json_kv_int(j, "cpu_ns", r->cpu_ns);
		mer_json_kv_int(j, "on_path_ns", r->on_path_ns);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static int put_json(const struct children *c, struct mer_str *out)
{
	const struct process_tree *t = &c->tree;
	const struct process *root = &t->processes[0];
	struct mer_table totals;
	struct mer_json j;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
	mer_json_kv_object(&j, "task");
	mer_json_kv_text(&j, "host", host_name(c));
	mer_json_kv_int(&j, "tid", task_of(c, 0)->tid);
	ask_json_known(&j, "comm", t->programs[root->programs + root->n_programs - 1].name);
	mer_json_end_object(&j);
	mer_json_kv_int(&j, "begin", t->begin);
	mer_json_kv_int(&j, "end", t->end);
	mer_json_kv_int(&j, "total_ns", t->end - t->begin);
	mer_json_key(&j, "max_rate_per_s");
	if (root->is_born && root->has_ended && t->end > t->begin)
		mer_json_double(&j, rate(t));
	else
		mer_json_null(&j);
	mer_json_kv_int(&j, "cpu_ns", root->tree_cpu_ns);
	mer_json_kv_int(&j, "in_tree_ns", root->tree_on_path_ns);
	mer_json_kv_int(&j, "outside_ns", t->outside_ns);
	mer_json_kv_array(&j, "processes");
	for (uint32_t i = 0; i < t->n; i++)
		put_process(c, &j, i);
	mer_json_end_array(&j);
	fill_totals(c, &totals, c->n_totals);
	mer_json_key(&j, totals.id);
	mer_table_json_rows(&totals, totals.n_rows, &j);
	out->failed |= totals.failed;
	mer_table_fini(&totals);
	ask_json_synced(&j, c->ask);
	ask_json_diagnostics(&j, c->w->e);
	mer_json_end_object(&j);
	int rc = mer_json_finish(&j, &c->ask->err);
	mer_str_putc(out, '\n');
	return rc;
}

int ask_path_children(struct ask *ask, const struct session_world *w, uint32_t host, uint32_t task,
	uint64_t limit)
{
	struct session_world here = *w;
	struct children c = { .ask = ask, .w = &here, .limit = limit };
	struct mer_str out = { 0 };
	int rc = session_process_tree_find(&here, host, task, &ask->window, &c.tree, &ask->err);
	if (!rc)
		rc = process_tree_group(&c.tree, &c.groups, &c.n_groups, &ask->err);
	if (!rc)
		rc = process_tree_totals(&c.tree, &c.totals, &c.n_totals, &ask->err);
	if (!rc && ask->format == ASK_FORMAT_JSON)
		rc = put_json(&c, &out);
	else if (!rc)
		put_text(&c, &out);
	rc = ask_put(ask, &out, rc);
	free(c.totals);
	free(c.groups);
	process_tree_fini(&c.tree);
	return rc;
}
