#include "cli/path/blocked_answer.h"

#include "session/blocked.h"

enum { LEVELS = 64 }; /* more than --depth allows */

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

static struct mer_cell known(const char *text)
{
	return mer_text(text && *text ? text : NULL);
}

struct place { /* of a node in the table */
	int64_t row, id, parent;
};

static void add_node(const struct session_world *w, const struct blocked_node *n,
	const struct place *at, struct mer_table *t)
{
	bool is_named = n->by && *n->by && n->by_host < w->world->n_hosts;
	struct mer_cell c[N] = {
		[ROW] = MER_INT(at->row),
		[ID] = MER_INT(at->id),
		[PARENT] = at->parent ? MER_INT(at->parent) : MER_NONE,
		[LEVEL] = MER_INT(n->level),
		[DOING] = mer_text(blocked_doing_name((enum blocked_doing)n->doing)),
		[HOST] = mer_text(w->e->hosts[n->host].name),
		/* several of this name: no number */
		[TID] = n->task == KERNEL_NONE
				? MER_NONE
				: MER_INT(w->world->hosts[n->host].tasks[n->task].tid),
		[COMM] = known(n->comm),
		[BY_HOST] = is_named ? mer_text(w->e->hosts[n->by_host].name) : MER_NONE,
		[BY] = known(n->by),
		[TOTAL] = MER_INT(n->total_ns),
	};
	if (n->doing == BLOCKED_WAITED) {
		c[KIND] = mer_text(blocked_kind_name((enum blocked_kind)n->kind));
		c[CALL] = known(n->call);
		c[OBJECT] = known(n->object);
		c[CAUSE] = mer_text(session_blocked_cause(n));
		c[COUNT] = MER_INT(n->count);
	}
	mer_table_add(t, c);
}

/* All below a wait, depth first. */
static void add_below(const struct cli_waits *x, uint32_t wait, int64_t row, struct mer_table *t)
{
	const struct blocked_node *nodes = x->tree->nodes;
	int64_t above[LEVELS] = { 0 }; /* the id of the node above, by level */
	for (uint32_t i = nodes[wait].child; i != KERNEL_NONE;) {
		uint32_t level = nodes[i].level < LEVELS ? nodes[i].level : LEVELS - 1;
		const struct place at = { row, (int64_t)t->n_rows + 1, above[level - 1] };
		add_node(x->w, &nodes[i], &at, t);
		above[level] = at.id;
		if (nodes[i].child != KERNEL_NONE) {
			i = nodes[i].child;
			continue;
		}
		while (i != wait && nodes[i].next == KERNEL_NONE)
			i = nodes[i].parent;
		i = i == wait ? KERNEL_NONE : nodes[i].next;
	}
}

static void add_meanwhile(const struct cli_waits *x, struct answer *a)
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
	struct mer_table *t = answer_add_beside(a, "meanwhile", NULL, columns);
	int64_t row = 0;
	for (uint32_t i = x->tree->first; i != KERNEL_NONE; i = x->tree->nodes[i].next) {
		if (x->limit && (uint64_t)row == x->limit)
			break;
		add_below(x, i, ++row, t);
	}
}

static void add_left_out(const struct cli_waits *x, struct answer *a)
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

void cli_waits_answer(const struct cli_waits *x, struct mer_table *waits, struct answer *a)
{
	session_blocked_table(x->w, x->tree, false, x->limit, NULL, waits);
	waits->n_left_out = 0; /* as in other tables for programs */
	answer_add_made(a, waits);
	add_meanwhile(x, a);
	add_left_out(x, a);
}
