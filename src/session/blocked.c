#include "session/blocked.h"

/* ---- finding them ---- */

/* Hidden waits, so that it can be said how many there are. */
static void count_left(
	struct session_blocked *x, uint32_t host, uint32_t task, const struct blocked_scope *scope)
{
	const struct blocked_host *h = &x->blocked.hosts[host];
	for (size_t i = h->first[task]; i < h->first[task + 1]; i++) {
		const struct blocked_wait *w = &h->waits[i];
		if (scope->all || w->end < scope->begin || w->begin > scope->end ||
			blocked_class_of(w, scope->chosen) == BLOCKED_REQUEST)
			continue;
		x->n_left++;
		x->left_ns += (w->end < scope->end ? w->end : scope->end) -
			      (w->begin > scope->begin ? w->begin : scope->begin);
	}
}

static int fill(struct session_blocked *x, const struct session_tasks *tasks,
	const struct blocked_scope *scope, struct mer_err *err)
{
	for (size_t i = 0; i < tasks->n; i++) {
		uint32_t host = tasks->item[i].host, task = tasks->item[i].task;
		int rc = blocked_tree_add(&x->tree, host, task, scope, err);
		if (rc)
			return rc;
		count_left(x, host, task, scope);
	}
	return blocked_tree_sort(&x->tree, err);
}

int session_blocked_find(const struct session_world *here, const struct session_tasks *tasks,
	const struct session_window *window, const struct session_blocked_options *o,
	struct session_blocked *x, struct mer_err *err)
{
	const struct blocked_scope scope = { .begin = window->begin,
		.end = window->end,
		.chosen = o->chosen,
		.all = o->all,
		.depth = o->depth };
	*x = (struct session_blocked){ 0 };
	int rc = blocked_find(here->world, &x->blocked, err);
	blocked_tree_init(&x->tree, &x->blocked);
	return rc ? rc : fill(x, tasks, &scope, err);
}

void session_blocked_fini(struct session_blocked *x)
{
	blocked_tree_fini(&x->tree);
	blocked_fini(&x->blocked);
	*x = (struct session_blocked){ 0 };
}

/* ---- as a table ---- */

const char *session_blocked_cause(const struct blocked_node *n)
{
	return n->open ? "not-ended" : kernel_cause_name((enum kernel_cause)n->cause);
}

enum {
	DEPTH,
	DOING,
	BY_HOST,
	OF_BELOW, /* columns before are told of trees only */
	HOST = OF_BELOW,
	TID,
	COMM,
	KIND,
	CALL,
	OBJECT,
	CAUSE,
	CLASS,
	BY,
	COUNT,
	TOTAL,
	MIN,
	MAX,
	MEAN,
	RUNNABLE,
	MAX_AT,
	N
};

static void add_node(const struct session_world *w, const struct blocked_node *n, bool below,
	struct mer_table *t)
{
	bool waits = n->doing == BLOCKED_WAITED, is_row = n->level == 0;
	bool is_named = n->by && *n->by && n->by_host < w->world->n_hosts;
	struct mer_cell c[N] = {
		[DEPTH] = MER_INT(n->level),
		[DOING] = mer_text(blocked_doing_name((enum blocked_doing)n->doing)),
		[BY_HOST] = is_named ? mer_text(w->e->hosts[n->by_host].name) : MER_NONE,
		[HOST] = mer_text(w->e->hosts[n->host].name),
		/* several of this name: no number */
		[TID] = n->task == KERNEL_NONE
				? MER_NONE
				: MER_INT(w->world->hosts[n->host].tasks[n->task].tid),
		[COMM] = mer_text_if_any(n->comm),
		[BY] = mer_text_if_any(n->by),
		[TOTAL] = MER_INT(n->total_ns),
	};
	if (waits || is_row) {
		c[KIND] = mer_text(blocked_kind_name((enum blocked_kind)n->kind));
		c[CALL] = mer_text_if_any(n->call);
		c[OBJECT] = mer_text_if_any(n->object);
		c[CAUSE] = mer_text(session_blocked_cause(n));
		c[COUNT] = MER_INT(n->count);
	}
	if (is_row) {
		c[CLASS] = mer_text(blocked_class_name((enum blocked_class)n->class));
		c[MIN] = MER_INT(n->min_ns);
		c[MAX] = MER_INT(n->max_ns);
		c[MEAN] = MER_INT(n->total_ns / (int64_t)n->count);
		c[RUNNABLE] = MER_INT(n->runnable_ns);
		c[MAX_AT] = MER_INT(n->max_at);
	}
	mer_table_add(t, below ? c : c + OF_BELOW);
}

uint32_t session_blocked_next(const struct blocked_tree *tree, uint32_t row, uint32_t at)
{
	if (tree->nodes[at].child != KERNEL_NONE)
		return tree->nodes[at].child;
	while (at != row && tree->nodes[at].next == KERNEL_NONE)
		at = tree->nodes[at].parent;
	return at == row ? KERNEL_NONE : tree->nodes[at].next;
}

void session_blocked_table(const struct session_world *w, const struct blocked_tree *tree,
	bool below, uint64_t limit, struct mer_arena *arena, struct mer_table *t)
{
	static const struct mer_column columns[N + 1] = {
		[DEPTH] = { "depth", NULL, MER_ID },
		[DOING] = { "doing", "does", MER_TEXT },
		[BY_HOST] = { "by_host", NULL, MER_TEXT },
		[HOST] = { "host", "host", MER_TEXT },
		[TID] = { "tid", "tid", MER_ID },
		[COMM] = { "comm", "comm", MER_TEXT },
		[KIND] = { "kind", "kind", MER_TEXT },
		[CALL] = { "call", "call", MER_TEXT },
		[OBJECT] = { "object", "object", MER_TEXT },
		[CAUSE] = { "cause", "cause", MER_TEXT },
		[CLASS] = { "class", "class", MER_TEXT },
		[BY] = { "by", "by", MER_TEXT },
		[COUNT] = { "count", "count", MER_COUNT },
		[TOTAL] = { "total_ns", "total", MER_DURATION },
		[MIN] = { "min_ns", "min", MER_DURATION },
		[MAX] = { "max_ns", "max", MER_DURATION },
		[MEAN] = { "mean_ns", "mean", MER_DURATION },
		[RUNNABLE] = { "runnable_ns", "runnable", MER_DURATION },
		[MAX_AT] = { "max_at", "max at", MER_TIME },
	};
	uint64_t n_rows = 0;
	mer_table_init(t, "waits", NULL, below ? columns : columns + OF_BELOW, arena);
	for (uint32_t i = tree->first; i != KERNEL_NONE; i = tree->nodes[i].next) {
		if (limit && n_rows == limit) {
			t->n_left_out++;
			continue;
		}
		n_rows++;
		add_node(w, &tree->nodes[i], below, t);
		for (uint32_t k = session_blocked_next(tree, i, i); below && k != KERNEL_NONE;
			k = session_blocked_next(tree, i, k))
			add_node(w, &tree->nodes[k], below, t);
	}
}
