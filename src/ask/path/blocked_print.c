#include "ask/path/blocked_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/all.h"
#include "analysis/relations/relations.h"
#include "ask/print/answer_print.h"
#include "ask/path/blocked_answer.h"
#include "ask/reports/grid.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

enum { SCREENFUL = 15, INDENT_MAX = 6, WIDE = 100, NUMBERS = 36 /* columns */ };

struct task_rows {	      /* a task's rows, for people */
	uint32_t first, last; /* the longest row, the shortest; between them: see by_task */
	uint64_t count;
	int64_t total_ns, rank;
};

static const struct blocked_node *node_at(const struct ask_blocked *c, uint32_t i)
{
	return &c->tree->nodes[i];
}

static const char *host_name(const struct ask_blocked *c, uint32_t host)
{
	return c->w->e->hosts[host].name;
}

static int32_t tid_of(const struct ask_blocked *c, const struct blocked_node *n)
{
	return n->task == KERNEL_NONE ? -1 : c->w->world->hosts[n->host].tasks[n->task].tid;
}

static void put_task(const struct ask_blocked *c, const struct blocked_node *n, struct mer_str *out)
{
	mer_str_puts(out, *n->comm ? n->comm : n->task == KERNEL_NONE ? "kernel" : "?");
	if (n->task != KERNEL_NONE)
		mer_str_printf(out, "/%" PRId32, tid_of(c, n));
}

static void put_task_place(
	const struct ask_blocked *c, const struct blocked_node *n, struct mer_str *out)
{
	put_task(c, n, out);
	if (c->w->world->n_hosts > 1)
		mer_str_printf(out, " on %s", host_name(c, n->host));
}

static const char *cause_words(const struct blocked_node *n)
{
	return n->open ? "not ended" : kernel_cause_name((enum kernel_cause)n->cause);
}

/* What a task waited in, on what, and by whom it ended: the last one where the object says less. */
static void put_wait(const struct ask_blocked *c, const struct blocked_node *n, struct mer_str *out)
{
	switch ((enum blocked_kind)n->kind) {
	case BLOCKED_IN_CALL: mer_str_puts(out, *n->call ? n->call : "in an unknown call"); break;
	case BLOCKED_PAGE_FAULT: mer_str_puts(out, "page fault"); break;
	case BLOCKED_IN_KERNEL: mer_str_puts(out, "in the kernel"); break;
	default: mer_str_puts(out, "in an unknown call"); break;
	}
	if (*n->object)
		mer_str_printf(out, " %s", n->object);
	/* Who it was is below, if anything is. */
	if (n->by && *n->by && n->child == KERNEL_NONE && (!*n->object || n->by_host != n->host)) {
		mer_str_printf(out, ", by %s", n->by);
		if (n->by_host != n->host)
			mer_str_printf(out, " on %s", host_name(c, n->by_host));
	}
}

static void put_what(const struct ask_blocked *c, const struct blocked_node *n, struct mer_str *out)
{
	if (n->level && n->doing != BLOCKED_IN_FLIGHT) {
		const struct blocked_node *up = node_at(c, n->parent);
		put_task(c, n, out);
		if (n->host != up->host)
			mer_str_printf(out, " on %s", host_name(c, n->host));
		mer_str_puts(out, ": ");
	}
	switch ((enum blocked_doing)n->doing) {
	case BLOCKED_WAITED: put_wait(c, n, out); break;
	case BLOCKED_RAN: mer_str_puts(out, "ran"); break;
	case BLOCKED_RUNNABLE: mer_str_puts(out, "was runnable"); break;
	case BLOCKED_STOLEN: mer_str_printf(out, "CPU stolen by %s", n->by); break;
	case BLOCKED_HYPERVISOR:
		mer_str_printf(out, "%s%s", n->level ? "was in the hypervisor, " : "", n->by);
		break;
	case BLOCKED_STARTED: mer_str_puts(out, "started"); break;
	case BLOCKED_IN_FLIGHT: mer_str_puts(out, "packets in flight"); break;
	default: mer_str_puts(out, "unknown"); break;
	}
}

/* ---- For people ---- */

enum { T_WHAT, T_CAUSE, T_COUNT, T_TOTAL, T_MAX, T_MEAN, T_N };
static const struct mer_column text_columns[T_N + 1] = {
	[T_WHAT] = { "what", "Blocked in", MER_TEXT },
	[T_CAUSE] = { "cause", "Cause", MER_TEXT },
	[T_COUNT] = { "count", "Count", MER_COUNT },
	[T_TOTAL] = { "total_ns", "Total", MER_DURATION },
	[T_MAX] = { "max_ns", "Max", MER_DURATION },
	[T_MEAN] = { "mean_ns", "Mean", MER_DURATION },
};

static void add_node(
	const struct ask_blocked *c, struct mer_table *t, const struct blocked_node *n, bool alone)
{
	struct mer_str what = { 0 };
	unsigned level = n->level + !alone < INDENT_MAX ? n->level + !alone : INDENT_MAX;
	mer_str_printf(&what, "%*s", (int)(2 * level), "");
	if (alone && n->level == 0) {
		put_task_place(c, n, &what);
		mer_str_puts(&what, ": ");
	}
	put_what(c, n, &what);
	bool is_row = n->level == 0;
	if (is_row && n->class != BLOCKED_REQUEST)
		mer_str_printf(&what, " (%s)", blocked_class_name((enum blocked_class)n->class));
	struct mer_cell row[T_N] = {
		[T_WHAT] = mer_table_keep(t, &what),
		[T_CAUSE] = mer_text(""),
		[T_TOTAL] = MER_INT(n->total_ns),
	};
	if (is_row)
		row[T_MAX] = MER_INT(n->max_ns);
	if (n->doing == BLOCKED_WAITED || is_row) {
		row[T_CAUSE] = mer_text(cause_words(n));
		row[T_COUNT] = MER_INT(n->count);
		row[T_MEAN] = MER_INT(n->total_ns / (int64_t)(n->count ? n->count : 1));
	}
	mer_table_add(t, row);
}

static void add_task(const struct ask_blocked *c, struct mer_table *t, const struct task_rows *r)
{
	struct mer_str what = { 0 };
	put_task_place(c, node_at(c, r->first), &what);
	mer_table_add(t, (struct mer_cell[T_N]){
				 [T_WHAT] = mer_table_keep(t, &what),
				 [T_CAUSE] = mer_text(""),
				 [T_COUNT] = MER_INT(r->count),
				 [T_TOTAL] = MER_INT(r->total_ns),
			 });
}

/* Can the task's name be on the same line as what it waited in? */
static bool fits_line(const struct ask_blocked *c, uint32_t row)
{
	struct mer_str what = { 0 };
	put_task_place(c, node_at(c, row), &what);
	put_what(c, node_at(c, row), &what);
	bool fits = what.len + 2 + NUMBERS <= (size_t)ask_width(c->ask);
	mer_str_fini(&what);
	return fits;
}

static int longest_task(const void *a, const void *b)
{
	const struct task_rows *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Rows of each task, the task with most first; next: of each row the next one of its task. NULL: no
 * memory. */
static struct task_rows *by_task(const struct ask_blocked *c, uint32_t *next, size_t *n)
{
	struct task_rows *r = calloc((size_t)c->tree->n + 1, sizeof(*r));
	struct mer_map map = { 0 };
	*n = 0;
	for (uint32_t i = c->tree->first; r && i != KERNEL_NONE; i = node_at(c, i)->next) {
		const struct blocked_node *k = node_at(c, i);
		uint32_t *v = mer_map_put(&map, (uint64_t)k->host << 32 | k->task);
		if (!v) {
			free(r);
			r = NULL;
			break;
		}
		if (!*v) {
			r[*n].first = i;
			*v = (uint32_t)++ * n;
		} else {
			next[r[*v - 1].last] = i;
		}
		next[i] = KERNEL_NONE;
		r[*v - 1].last = i;
		r[*v - 1].count += k->count;
		r[*v - 1].total_ns += k->total_ns;
		/* Requests add up; the others of a task come with its first one. */
		if (r[*v - 1].first == i)
			r[*v - 1].rank = blocked_rank(c->tree, i);
		else if (k->class == BLOCKED_REQUEST)
			r[*v - 1].rank += k->total_ns;
	}
	mer_map_fini(&map);
	if (r)
		qsort(r, *n, sizeof(*r), longest_task);
	return r;
}

static int greatest_first(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x > y ? -1 : x < y;
}

/* Which nodes are shown, so that there are at most `limit`: the longest. What is below a node is
 * never more than the node. */
struct threshold {
	int64_t least;	    /* those of a higher rank are shown */
	uint64_t n_as_long; /* and this many of this one */
};

static bool find_threshold(const struct ask_blocked *c, uint64_t limit, struct threshold *least)
{
	size_t n = c->tree->n;
	*least = (struct threshold){ .least = INT64_MIN, .n_as_long = UINT64_MAX };
	if (n <= limit)
		return true;
	int64_t *v = calloc(n, sizeof(*v));
	if (!v)
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] = blocked_rank(c->tree, (uint32_t)i);
	qsort(v, n, sizeof(*v), greatest_first);
	*least = (struct threshold){ .least = v[limit - 1] };
	for (size_t i = 0; i < limit; i++)
		least->n_as_long += v[i] == least->least;
	free(v);
	return true;
}

static bool is_shown(const struct ask_blocked *c, uint32_t i, struct threshold *least)
{
	int64_t r = blocked_rank(c->tree, i);
	if (r != least->least)
		return r > least->least;
	if (!least->n_as_long)
		return false;
	least->n_as_long--;
	return true;
}

/* A row that is shown, and of what is below it that which is. */
static void add_row(const struct ask_blocked *c, struct mer_table *t, uint32_t row, bool alone,
	struct threshold *least)
{
	add_node(c, t, node_at(c, row), alone);
	for (uint32_t i = node_at(c, row)->child; i != KERNEL_NONE;) { /* depth first */
		const struct blocked_node *n = node_at(c, i);
		if (is_shown(c, i, least)) {
			add_node(c, t, n, alone);
			if (n->child != KERNEL_NONE) {
				i = n->child;
				continue;
			}
		}
		while (i != row && node_at(c, i)->next == KERNEL_NONE)
			i = node_at(c, i)->parent;
		if (i == row)
			break;
		i = node_at(c, i)->next;
	}
}

/* The task, and below it its rows; one row alone shares the task's line. */
static void add_task_lines(const struct ask_blocked *c, struct mer_table *t,
	const struct task_rows *r, const uint32_t *next, struct threshold *least)
{
	if (!is_shown(c, r->first, least))
		return;
	uint32_t second = next[r->first];
	int64_t r2 = second == KERNEL_NONE ? INT64_MIN : blocked_rank(c->tree, second);
	bool alone = second == KERNEL_NONE || r2 < least->least ||
		     (r2 == least->least && !least->n_as_long);
	alone = alone && fits_line(c, r->first);
	if (!alone)
		add_task(c, t, r);
	add_row(c, t, r->first, alone, least);
	for (uint32_t row = second; row != KERNEL_NONE; row = next[row])
		if (is_shown(c, row, least))
			add_row(c, t, row, alone, least);
}

static void put_rest(const struct ask_blocked *c, size_t n_rows, struct mer_str *out)
{
	struct mer_str s = { 0 };
	if (n_rows) {
		mer_str_printf(out, "... and %zu smaller row%s (-n 0 shows all)\n", n_rows,
			n_rows == 1 ? "" : "s");
	}
	if (c->n_left) {
		mer_str_puts(out, "\n");
		ask_text_count(&s, (int64_t)c->n_left);
		mer_str_puts(&s, c->n_left == 1 ? " wait" : " waits");
		mer_str_puts(&s, c->chosen ? " for work or input, "
					   : " for work or input, or by idle tasks, ");
		ask_text_duration(&s, c->left_ns);
		mer_str_puts(&s, " in total, not shown (--all shows them).");
		ask_text_wrap(out, s.data ? s.data : "", (size_t)ask_width(c->ask), 0);
	}
	out->failed |= s.failed;
	mer_str_fini(&s);
}

/* Nobody's waits are known where no context switch was recorded, which is not the same as none. */
static int put_none(const struct ask_blocked *c, struct mer_str *out)
{
	const struct mer_experiment *e = c->w->e;
	struct mer_str fix = { 0 };
	int rc = c->n_left ? 0 : ask_grid_lacking(c->ask, e, analysis_cpu.id, &fix);
	if (rc == 0 && fix.len) {
		mer_str_clear(&fix);
		rc = ask_grid_lacking(c->ask, e, analysis_relations.id, &fix);
		c->ask->unanswered = true;
	}
	if (rc == 0 && fix.len) {
		ask_grid_put_lacking(c->ask, "No data", "show what tasks wait for", "", &fix, out);
	} else if (rc == 0) {
		mer_str_puts(out, "No wait delayed anybody (--all shows idle waits).\n");
	}
	mer_str_fini(&fix);
	return rc;
}

static int put_text(const struct ask_blocked *c, struct mer_str *out)
{
	uint64_t limit = c->limit ? c->limit : c->ask->verbose ? UINT64_MAX : SCREENFUL;
	struct threshold least;
	size_t n = 0, n_shown;
	struct mer_table t;
	uint32_t *next = calloc((size_t)c->tree->n + 1, sizeof(*next));
	struct task_rows *tasks = next ? by_task(c, next, &n) : NULL;
	if (!tasks || !find_threshold(c, limit, &least)) {
		free(tasks);
		free(next);
		out->failed = true;
		return 0;
	}
	mer_table_init(&t, "waits", NULL, text_columns, &c->ask->arena);
	if (ask_width(c->ask) < WIDE)
		mer_table_hide(&t, T_MEAN); /* Total and Count tell it */
	for (size_t i = 0; i < n; i++)
		add_task_lines(c, &t, &tasks[i], next, &least);
	n_shown = c->tree->n < limit ? c->tree->n : (size_t)limit;
	int rc = n ? 0 : put_none(c, out);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	put_rest(c, c->tree->n - n_shown, out);
	if (c->holders)
		ask_request_holders_text(c->ask, c->holders, out);
	out->failed |= t.failed;
	mer_table_fini(&t);
	free(tasks);
	free(next);
	return rc;
}

/* ---- For programs ---- */

static int print_rows(const struct ask_blocked *c)
{
	struct ask_waits x = { .w = c->w,
		.tree = c->tree,
		.limit = c->limit,
		.n_left = c->n_left,
		.left_ns = c->left_ns };
	struct mer_table waits;
	struct answer a;
	ask_answer_init(c->ask, c->w->e, true, &a);
	if (c->of_request) {
		a.begin = c->begin;
		a.end = c->end;
	}
	ask_waits_answer(&x, &waits, &a);
	if (c->holders)
		ask_request_holders_table(c->holders, &a);
	int rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	mer_table_fini(&waits);
	return rc;
}

int ask_blocked_print(const struct ask_blocked *c)
{
	const char *id = c->tree->n || c->n_left ? NULL : analysis_cpu.id;
	struct mer_str out = { 0 };
	if (c->ask->format == ASK_FORMAT_TABLE)
		return ask_put(c->ask, &out, put_text(c, &out));
	int rc = print_rows(c);
	return rc || !id ? rc : ask_grid_warn_lacking(c->ask, c->w->e, id);
}
