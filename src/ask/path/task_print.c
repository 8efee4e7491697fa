/* The cost of a task, printed. */
#include "ask/path/task_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/print/answer_print.h"
#include "ask/path/path_words.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

enum { OBJECTS = 8, TASKS = 14, RELATED = 3, INDENT_MAX = 8 }; /* rows of a screenful; levels */

static const struct kernel_host *host_of(const struct ask_cost *c, uint32_t host)
{
	return &c->w->world->hosts[host];
}

static void add_clean(struct mer_str *out, const char *text)
{
	ask_text_clean(out, text, strlen(text), false);
}

/* "wget/123", "nginx/45 on server" */
static void put_task(
	const struct ask_cost *c, uint32_t host, uint32_t task, bool place, struct mer_str *out)
{
	const struct kernel_host *h = host_of(c, host);
	const char *comm = kernel_comm(h, task);
	mer_str_puts(out, *comm ? comm : "?");
	mer_str_printf(out, "/%" PRId32, h->tasks[task].tid);
	if (place)
		mer_str_printf(out, " on %s", c->w->e->hosts[host].name);
}

/* ---- For people ---- */

static void put_request_title(const struct ask_cost *c, struct mer_str *out)
{
	const struct account_node *n = &c->a->nodes[0];
	struct mer_str text = { 0 };
	mer_str_printf(&text, "Request %s, %s", c->request, c->kind);
	add_clean(out, text.data ? text.data : "");
	mer_str_puts(out, ", from ");
	ask_text_time(out, c->a->begin);
	mer_str_puts(out, " for ");
	ask_text_duration(out, c->a->end - c->a->begin);
	mer_str_putc(out, '\n');
	mer_str_clear(&text);
	ask_text_duration(&text, n->self_ns + n->children_ns);
	mer_str_puts(&text, " of CPU time with interrupts in all servers: ");
	ask_text_duration(&text, n->self_ns);
	mer_str_puts(&text, " of the task that answered it and ");
	ask_text_duration(&text, n->children_ns);
	mer_str_puts(&text, " of others that worked for it.");
	ask_text_wrap(out, text.data ? text.data : "", (size_t)ask_width(c->ask), 0);
	out->failed |= text.failed;
	mer_str_fini(&text);
}

static void put_title(const struct ask_cost *c, struct mer_str *out)
{
	const struct account *a = c->a;
	const struct kernel_task *t = &host_of(c, a->host)->tasks[a->task];
	const struct account_node *n = &a->nodes[0];
	struct mer_str name = { 0 };
	put_task(c, a->host, a->task, true, &name);
	add_clean(out, name.data ? name.data : "?");
	mer_str_puts(out, ", from ");
	ask_text_time(out, a->begin);
	mer_str_puts(out, " for ");
	ask_text_duration(out, a->end - a->begin);
	bool all = a->begin <= t->begin && a->end >= (t->died < t->end ? t->died : t->end);
	mer_str_putc(out, '\n');
	mer_str_clear(&name);
	mer_str_puts(&name, !all			      ? "Part of its lifetime: "
			    : t->born && t->died != INT64_MAX ? "Its whole lifetime: "
							      : "Its recorded lifetime: ");
	ask_text_duration(&name, n->self_ns + n->children_ns);
	mer_str_puts(&name, " of CPU time with interrupts, ");
	if (n->children_ns) {
		ask_text_duration(&name, n->self_ns);
		mer_str_puts(&name, " of its own and ");
		ask_text_duration(&name, n->children_ns);
		mer_str_puts(&name, " of tasks that worked for it.");
	} else {
		mer_str_puts(&name, "all of its own.");
	}
	ask_text_wrap(out, name.data ? name.data : "", (size_t)ask_width(c->ask), 0);
	out->failed |= name.failed;
	mer_str_fini(&name);
}

static void put_table(const struct ask_cost *c, const struct mer_table *t, struct mer_str *out)
{
	mer_str_printf(out, "\n%s\n", t->title);
	ask_table_text(t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t->failed;
}

static size_t shown_rows(const struct ask_cost *c, size_t n, size_t screenful)
{
	uint64_t limit = c->limit ? c->limit : c->ask->verbose ? UINT64_MAX : screenful;
	return n < limit ? n : (size_t)limit;
}

static void put_more(struct mer_str *out, size_t n, int64_t ns)
{
	if (!n)
		return;
	mer_str_printf(out, "... and %zu more, ", n);
	ask_text_duration(out, ns);
	mer_str_printf(out, " in total (-n 0 shows all)\n");
}

static const struct mer_cell *cell(
	const struct mer_table *t, size_t row, enum session_blocking_column column)
{
	return &t->cells[row * t->n_columns + column];
}

/* The wait that had not ended when the recording did: in a deadlock, nothing else is there to
 * see. */
static void put_unfinished(const struct ask_cost *c, struct mer_str *out)
{
	const struct account *a = c->a;
	const struct kernel_host *h = host_of(c, a->host);
	const struct blocked_wait *w = blocked_before(a->b, a->host, a->task, INT64_MAX);
	struct mer_str text = { 0 };
	/* whole: of a piece it is a later one that did not end. */
	if (!w || !w->open || w->whole != w->span || w->end > a->end)
		return;
	mer_str_printf(&text, "Still waiting when the recording ended: ");
	const struct kernel_call *call = w->call == KERNEL_NONE ? NULL : &h->calls[w->call];
	mer_str_puts(&text, call			    ? kernel_name_text(h, call->name)
			    : w->kind == BLOCKED_PAGE_FAULT ? "a page fault"
							    : "unknown call");
	if (call && call->object != KERNEL_NONE)
		mer_str_printf(&text, " of %s", kernel_name_text(h, call->object));
	else if (call && call->fd >= 0)
		mer_str_printf(&text, " of fd %" PRId32, call->fd);
	mer_str_puts(&text, ", for ");
	ask_text_duration(&text, w->end - w->begin);
	mer_str_puts(&text, w->is_for_work ? " so far (probably idle)." : " so far.");
	struct mer_str clean = { 0 };
	add_clean(&clean, text.data ? text.data : "");
	ask_text_wrap(out, clean.data ? clean.data : "", (size_t)ask_width(c->ask), 0);
	out->failed |= text.failed || clean.failed;
	mer_str_fini(&clean);
	mer_str_fini(&text);
}

static int put_blocking(const struct ask_cost *c, struct mer_str *out)
{
	struct mer_table t;
	int64_t left = 0;
	const struct session_account account = ask_cost_account(c);
	int rc = session_account_table(&account, SESSION_BLOCKING, &t, &c->ask->err);
	size_t all = t.n_rows, n = shown_rows(c, all, OBJECTS);
	for (size_t i = n; i < all && !rc; i++)
		left += cell(&t, i, BLOCKING_TOTAL)->v.i;
	mer_table_limit(&t, n);
	if (all)
		put_table(c, &t, out);
	else
		mer_str_puts(out, "\nThe task was never blocked.\n");
	put_more(out, all - n, left);
	put_unfinished(c, out);
	mer_table_fini(&t);
	return rc;
}

void ask_cost_put_node(const struct ask_cost *c, const struct account_node *n, struct mer_str *out)
{
	unsigned indent = n->depth < INDENT_MAX ? n->depth : INDENT_MAX;
	bool moves = n->depth && n->host != c->a->nodes[n->parent].host;
	if (indent)
		mer_str_printf(out, "%*s \\_ ", (int)(4 * (indent - 1)), "");
	put_task(c, n->host, n->task, moves || (!n->depth && c->w->world->n_hosts > 1), out);
}

enum { TASK, WAITS, SELF, CHILDREN, TOTAL, N_NODE };

static void add_node(const struct ask_cost *c, struct mer_table *t, const struct account_node *n)
{
	struct mer_str name = { 0 };
	ask_cost_put_node(c, n, &name);
	mer_table_add(
		t, (struct mer_cell[N_NODE]){
			   [TASK] = mer_table_keep(t, &name),
			   [WAITS] = n->depth && (n->n_served || !c->request) ? MER_INT(n->n_served)
									      : MER_NONE,
			   [SELF] = MER_INT(n->self_ns),
			   [CHILDREN] = MER_INT(n->children_ns),
			   [TOTAL] = MER_INT(n->self_ns + n->children_ns),
		   });
}

static int greatest_first(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x > y ? -1 : x < y;
}

/* The n-th greatest total. What is below a task is never more than it, so all above that are a
 * tree. */
static int64_t find_least(const struct ask_cost *c, size_t n, struct mer_str *out)
{
	const struct account *a = c->a;
	int64_t least = INT64_MIN, *v = n < a->n ? calloc(a->n, sizeof(*v)) : NULL;
	out->failed |= n < a->n && !v;
	for (uint32_t i = 0; v && i < a->n; i++)
		v[i] = a->nodes[i].self_ns + a->nodes[i].children_ns;
	if (v) {
		qsort(v, a->n, sizeof(*v), greatest_first);
		least = v[n - 1];
	}
	free(v);
	return least;
}

/* Which nodes are shown: those with most CPU time. NULL: no memory. */
static bool *choose_nodes(const struct ask_cost *c, struct mer_str *out)
{
	const struct account *a = c->a;
	bool *chosen = calloc((size_t)a->n + 1, sizeof(*chosen));
	size_t n = shown_rows(c, a->n, TASKS), taken = 0;
	int64_t least = find_least(c, n, out);
	out->failed |= !chosen;
	for (uint32_t i = 0; chosen && i != KERNEL_NONE; i = session_account_next(a, i)) {
		chosen[i] = taken < n && a->nodes[i].self_ns + a->nodes[i].children_ns >= least;
		taken += chosen[i];
	}
	return chosen;
}

/* What of the CPU time was not for the task, and what for it is in no row, from 1 % on. */
static void put_whose(const struct ask_cost *c, struct mer_str *out)
{
	const struct account *a = c->a;
	struct mer_str text = { 0 };
	int64_t others = 0, ready = 0, least = a->nodes[0].children_ns / 100;
	for (uint32_t i = 1; i < a->n; i++) {
		others += a->nodes[i].others_ns;
		ready += a->nodes[i].ready_ns;
	}
	if (others > least) {
		mer_str_puts(&text, "In ");
		ask_text_duration(&text, others);
		mer_str_puts(
			&text, " of that they served other tasks, which they answered first. ");
	}
	if (ready > least) {
		mer_str_puts(&text, "For another ");
		ask_text_duration(&text, ready);
		mer_str_puts(&text,
			" they worked while the task that waited for them was still runnable: that is counted as runnable. ");
	}
	if (text.len)
		ask_text_wrap(out, text.data, (size_t)ask_width(c->ask), 0);
	out->failed |= text.failed;
	mer_str_fini(&text);
}

static void put_accounting(const struct ask_cost *c, const bool *chosen, struct mer_str *out)
{
	const struct mer_column columns[N_NODE + 1] = {
		[TASK] = { "task", "Task", MER_TEXT },
		[WAITS] = { "count", c->request ? "Requests" : "Waits", MER_COUNT },
		[SELF] = { "self_ns", "Self", MER_DURATION },
		[CHILDREN] = { "children_ns", "Children", MER_DURATION },
		[TOTAL] = { "total_ns", "Total", MER_DURATION },
	};
	const struct account *a = c->a;
	struct mer_table t;
	size_t left = 0;
	int64_t left_ns = 0;
	mer_table_init(&t, "accounting",
		c->request
			? "CPU time with interrupts of who answered, and of who worked for the request"
			: "CPU time with interrupts of the task, and of tasks that worked for it meanwhile",
		columns, &c->ask->arena);
	for (uint32_t i = 0; i != KERNEL_NONE; i = session_account_next(a, i)) {
		left += !chosen[i];
		left_ns += chosen[i] ? 0 : a->nodes[i].self_ns;
		if (chosen[i])
			add_node(c, &t, &a->nodes[i]);
	}
	put_table(c, &t, out);
	put_more(out, left, left_ns);
	if (!c->request && !c->averaged)
		put_whose(c, out);
	mer_table_fini(&t);
}

static void put_tree(const struct ask_cost *c, struct mer_str *out)
{
	bool *chosen = choose_nodes(c, out);
	if (chosen && (c->only == ASK_COST_ALL || c->only == ASK_COST_ACCOUNTING))
		put_accounting(c, chosen, out);
	if (chosen && !c->averaged && (c->only == ASK_COST_ALL || c->only == ASK_COST_RESOURCES))
		ask_cost_put_resources(c, chosen, out);
	free(chosen);
}

static const char *rest_words(unsigned r)
{
	return r == ACCOUNT_IDLE ? "idle wait" : path_cause_words((enum path_cause)r);
}

struct rest { /* of one cause */
	unsigned cause;
	int64_t ns, most; /* of the node of which it is most */
	uint32_t node;
};

static int greatest_rest_first(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->cause < y->cause ? -1 : x->cause > y->cause;
}

/* By cause; programs get it by task, too. */
static void put_rest(const struct ask_cost *c, struct mer_str *out)
{
	enum { CAUSE, TIME, SHARE, MOST, N };
	static const struct mer_column columns[N + 1] = {
		[CAUSE] = { "cause", "Cause", MER_TEXT },
		[TIME] = { "total_ns", "Time", MER_DURATION },
		[SHARE] = { "percent", "Share", MER_RATIO },
		[MOST] = { "task", "Mostly in", MER_TEXT },
	};
	const struct account *a = c->a;
	struct rest rests[ACCOUNT_N_RESIDUALS] = { 0 };
	struct mer_str title = { 0 };
	struct mer_table t;
	int64_t all = 0, elapsed = a->end - a->begin;
	for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++) {
		rests[r].cause = r;
		for (uint32_t i = 0; i < a->n; i++) {
			int64_t ns = a->nodes[i].residual_ns[r];
			rests[r].ns += ns;
			if (ns > rests[r].most) {
				rests[r].most = ns;
				rests[r].node = i;
			}
		}
		all += rests[r].ns;
	}
	if (!all)
		return;
	qsort(rests, ACCOUNT_N_RESIDUALS, sizeof(*rests), greatest_rest_first);
	mer_str_puts(&title, "The remaining ");
	ask_text_duration(&title, all);
	mer_str_puts(&title, " of the ");
	ask_text_duration(&title, elapsed);
	mer_str_puts(&title, ", by cause");
	mer_table_init(&t, "residual", title.data ? title.data : "", columns, &c->ask->arena);
	for (unsigned i = 0; i < ACCOUNT_N_RESIDUALS && rests[i].ns; i++) {
		const struct account_node *n = &a->nodes[rests[i].node];
		double share = (double)rests[i].ns / (double)elapsed;
		struct mer_str name = { 0 };
		put_task(c, n->host, n->task, c->w->world->n_hosts > 1, &name);
		mer_table_add(&t, (struct mer_cell[N]){
					  [CAUSE] = mer_text(rest_words(rests[i].cause)),
					  [TIME] = MER_INT(rests[i].ns),
					  [SHARE] = MER_REAL_CELL(share),
					  [MOST] = mer_table_keep(&t, &name),
				  });
	}
	put_table(c, &t, out);
	for (unsigned i = 0; i < ACCOUNT_N_RESIDUALS; i++)
		if (rests[i].cause == ACCOUNT_IDLE && rests[i].ns)
			mer_str_puts(
				out, "Work during idle waits is not charged (--all charges it).\n");
	out->failed |= title.failed;
	mer_str_fini(&title);
	mer_table_fini(&t);
}

static int put_text(const struct ask_cost *c, struct mer_str *out)
{
	int rc = 0;
	if (c->request)
		put_request_title(c, out);
	else
		put_title(c, out);
	if (!c->request && (c->only == ASK_COST_ALL || c->only == ASK_COST_BLOCKING))
		rc = put_blocking(c, out);
	put_tree(c, out);
	if (!rc && !c->averaged && !c->request &&
		(c->only == ASK_COST_ALL || c->only == ASK_COST_RESIDUAL))
		put_rest(c, out);
	if (!rc && !c->averaged && !c->request &&
		(c->only == ASK_COST_ALL || c->only == ASK_COST_RELATIONS))
		rc = ask_cost_put_relations(c, shown_rows(c, SIZE_MAX, RELATED), out);
	return rc;
}

/* ---- As the first tool had it ---- */

static void put_ms(struct mer_str *out, double ns)
{
	char text[40];
	snprintf(text, sizeof(text), "%10.3f", ns / 1e6);
	mer_str_printf(out, "%12s", text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Clean text in at least 30 columns. */
static void put_name(struct mer_str *out, struct mer_str *name)
{
	struct mer_str clean = { 0 };
	add_clean(&clean, name->data ? name->data : "");
	size_t width = ask_text_width(clean.data ? clean.data : "", clean.len);
	mer_str_printf(
		out, "%s%*s", clean.data ? clean.data : "", width < 30 ? (int)(30 - width) : 0, "");
	out->failed |= clean.failed || name->failed;
	mer_str_fini(&clean);
	mer_str_fini(name);
}

static void put_program(
	const struct ask_cost *c, uint32_t host, uint32_t task, bool base, struct mer_str *out)
{
	const struct kernel_host *h = host_of(c, host);
	const char *program = account_program(h, task);
	if (!*program)
		program = kernel_comm(h, task);
	mer_str_puts(out, base ? base_name(program) : program);
}

static int put_descriptors(const struct ask_cost *c, struct mer_str *out)
{
	struct mer_table rows;
	const struct session_account account = ask_cost_account(c);
	int rc = session_account_table(&account, SESSION_BLOCKING, &rows, &c->ask->err);
	mer_str_printf(
		out, "File descriptor blocking summary\n%-30s%12s%12s\n", "FD", "N", "Sum (ms)");
	mer_str_printf(
		out, "%.54s\n", "----------------------------------------------------------");
	for (size_t i = 0; i < rows.n_rows && !rc; i++) {
		struct mer_str name = { 0 };
		const char *object = cell(&rows, i, BLOCKING_OBJECT)->v.text;
		const char *kind = cell(&rows, i, BLOCKING_KIND)->v.text;
		const struct mer_cell *fd = cell(&rows, i, BLOCKING_FD);
		if (!fd->set)
			continue;
		if (object)
			mer_str_puts(&name,
				kind && strcmp(kind, "file") == 0 ? base_name(object) : object);
		else
			mer_str_printf(&name, "fd %" PRId64, fd->v.i);
		put_name(out, &name);
		mer_str_printf(out, "%12" PRId64, cell(&rows, i, BLOCKING_COUNT)->v.i);
		put_ms(out, (double)cell(&rows, i, BLOCKING_TOTAL)->v.i);
		mer_str_putc(out, '\n');
	}
	mer_table_fini(&rows);
	return rc;
}

int ask_cost_print_flightbox(const struct ask_cost *c, struct mer_str *out)
{
	const struct account *a = c->a;
	struct mer_str name = { 0 };
	put_program(c, a->host, a->task, false, &name);
	mer_str_printf(out,
		"Report for task pid=%" PRId32 " cmd=", host_of(c, a->host)->tasks[a->task].tid);
	add_clean(out, name.data ? name.data : "");
	mer_str_puts(out, "\n\n");
	mer_str_fini(&name);
	int rc = put_descriptors(c, out);
	mer_str_printf(out, "\nCPU accounting\n%-30s%12s%12s%12s\n", "PID", "Self (ms)", "Sub (ms)",
		"Total (ms)");
	for (uint32_t i = 0; i != KERNEL_NONE; i = session_account_next(a, i)) {
		const struct account_node *n = &a->nodes[i];
		struct mer_str row = { 0 };
		if (n->depth)
			mer_str_printf(&row, "%*s \\_ ", 4 * ((int)n->depth - 1), "");
		mer_str_printf(&row, "%" PRId32 " ", host_of(c, n->host)->tasks[n->task].tid);
		put_program(c, n->host, n->task, true, &row);
		put_name(out, &row);
		put_ms(out, (double)n->self_ns);
		put_ms(out, (double)n->children_ns);
		put_ms(out, (double)(n->self_ns + n->children_ns));
		mer_str_putc(out, '\n');
	}
	return rc;
}

/* ---- For programs ---- */

static int print_tables(const struct ask_cost *c)
{
	struct ask_cost_tables tables = { .n = 0 };
	struct answer a;
	ask_answer_init(c->ask, c->w->e, false, &a);
	int rc = ask_cost_answer(c, &tables, &a);
	if (!rc)
		rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	for (size_t i = 0; i < tables.n; i++)
		mer_table_fini(&tables.item[i]);
	return rc;
}

int ask_cost_print(const struct ask_cost *c)
{
	struct mer_str out = { 0 };
	if (c->ask->format == ASK_FORMAT_TABLE)
		return ask_put(c->ask, &out, put_text(c, &out));
	return print_tables(c);
}
