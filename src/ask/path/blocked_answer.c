#include "ask/path/blocked_answer.h"
#include "ask/tables.h"

#include "session/blocked.h"

enum { BATCH = 1024 }; /* rows at a time */

enum {
	ROW,
	ID,
	PARENT,
	LEVEL,
	DOING,
	HOST,
	TID,
	COMM,
	KIND,
	CALL,
	OBJECT,
	CAUSE,
	BY_HOST,
	BY,
	COUNT,
	TOTAL,
	N
};

static void add_node(const struct ask_waits *x, const struct ask_waits_at *at, int64_t parent,
	struct mer_table *t)
{
	const struct session_world *w = x->w;
	const struct blocked_node *n = &x->tree->nodes[at->node];
	bool is_named = n->by && *n->by && n->by_host < w->world->n_hosts;
	struct mer_cell c[N] = {
		[ROW] = MER_INT(at->row),
		[ID] = MER_INT(at->id),
		[PARENT] = parent ? MER_INT(parent) : MER_NONE,
		[LEVEL] = MER_INT(n->level),
		[DOING] = mer_text(blocked_doing_name((enum blocked_doing)n->doing)),
		[HOST] = mer_text(w->e->hosts[n->host].name),
		/* several of this name: no number */
		[TID] = n->task == KERNEL_NONE
				? MER_NONE
				: MER_INT(w->world->hosts[n->host].tasks[n->task].tid),
		[COMM] = mer_text_if_any(n->comm),
		[BY_HOST] = is_named ? mer_text(w->e->hosts[n->by_host].name) : MER_NONE,
		[BY] = mer_text_if_any(n->by),
		[TOTAL] = MER_INT(n->total_ns),
	};
	if (n->doing == BLOCKED_WAITED) {
		c[KIND] = mer_text(blocked_kind_name((enum blocked_kind)n->kind));
		c[CALL] = mer_text_if_any(n->call);
		c[OBJECT] = mer_text_if_any(n->object);
		c[CAUSE] = mer_text(session_blocked_cause(n));
		c[COUNT] = MER_INT(n->count);
	}
	mer_table_add(t, c);
}

/* To the first node below the next wait that has any. False: there is none. */
static bool to_next_wait(struct ask_waits *x)
{
	const struct blocked_node *nodes = x->tree->nodes;
	struct ask_waits_at *at = &x->at;
	while (at->node == KERNEL_NONE) {
		at->wait = at->row ? nodes[at->wait].next : x->tree->first;
		if (at->wait == KERNEL_NONE || (x->limit && (uint64_t)at->row == x->limit))
			return false;
		at->row++;
		at->node = nodes[at->wait].child;
	}
	return true;
}

static int more_meanwhile(void *ctx, struct mer_table *t, struct mer_err *err)
{
	struct ask_waits *x = ctx;
	struct ask_waits_at *at = &x->at;
	(void)err; /* memory: t says so */
	while (t->n_rows < BATCH && !t->failed && !at->is_done) {
		at->is_done = !to_next_wait(x);
		if (at->is_done)
			break;
		uint32_t level = x->tree->nodes[at->node].level;
		level = level < ASK_WAITS_LEVELS ? level : ASK_WAITS_LEVELS - 1;
		at->id++;
		add_node(x, at, level > 1 ? at->above[level - 1] : 0, t);
		at->above[level] = at->id;
		at->node = session_blocked_next(x->tree, at->wait, at->node);
	}
	return 0;
}

static void add_meanwhile(struct ask_waits *x, struct answer *a)
{
	static const struct mer_column columns[N + 1] = {
		[ROW] = { "row", NULL, MER_ID },
		[ID] = { "id", NULL, MER_ID },
		[PARENT] = { "parent", NULL, MER_ID },
		[LEVEL] = { "level", NULL, MER_ID },
		[DOING] = { "doing", "does", MER_TEXT },
		[HOST] = { "host", "host", MER_TEXT },
		[TID] = { "tid", "tid", MER_ID },
		[COMM] = { "comm", "comm", MER_TEXT },
		[KIND] = { "kind", "kind", MER_TEXT },
		[CALL] = { "call", "call", MER_TEXT },
		[OBJECT] = { "object", "object", MER_TEXT },
		[CAUSE] = { "cause", "cause", MER_TEXT },
		[BY_HOST] = { "by_host", NULL, MER_TEXT },
		[BY] = { "by", "by", MER_TEXT },
		[COUNT] = { "count", "count", MER_COUNT },
		[TOTAL] = { "total_ns", "total", MER_DURATION },
	};
	x->at = (struct ask_waits_at){ .node = KERNEL_NONE };
	answer_stream_beside(a, "meanwhile", NULL, columns, more_meanwhile, x);
}

static void add_left_out(const struct ask_waits *x, struct answer *a)
{
	enum { LEFT_COUNT, LEFT_TOTAL, LEFT_N };
	static const struct mer_column columns[LEFT_N + 1] = {
		[LEFT_COUNT] = { "count", NULL, MER_COUNT },
		[LEFT_TOTAL] = { "total_ns", NULL, MER_DURATION },
	};
	mer_table_add(answer_add_beside(a, "left_out", NULL, columns),
		(struct mer_cell[LEFT_N]){
			[LEFT_COUNT] = MER_INT(x->n_left),
			[LEFT_TOTAL] = MER_INT(x->left_ns),
		});
}

void ask_waits_answer(struct ask_waits *x, struct mer_table *waits, struct answer *a)
{
	session_blocked_table(x->w, x->tree, false, x->limit, NULL, waits);
	waits->n_left_out = 0; /* as in other tables for programs */
	answer_add_made(a, waits);
	add_meanwhile(x, a);
	add_left_out(x, a);
}

void ask_blocked_tables(struct answer *a)
{
	struct ask_waits *x = mer_arena_zalloc(&a->arena, 1, sizeof(*x));
	struct mer_table *waits = mer_arena_zalloc(&a->arena, 1, sizeof(*waits));
	static const struct blocked_tree none = { .first = KERNEL_NONE };
	if (!x || !waits)
		return;
	x->tree = &none;
	ask_waits_answer(x, waits, a);
}
