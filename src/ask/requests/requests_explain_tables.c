/* Why the slow requests of a kind are slow, as tables. */
#include "ask/requests/requests_answer.h"
#include "ask/requests/requests_explain_words.h"
#include "ask/print/text.h"
#include "ask/tables.h"

/* ---- causes ---- */

const struct mer_column ask_requests_cause_columns[ASK_N_CAUSE + 1] = {
	[ASK_CAUSE_MORE] = { "more_ns", "More", MER_DURATION },
	[ASK_CAUSE_SHARE] = { "percent", "Share", MER_RATIO },
	[ASK_CAUSE_SLOW] = { "slow_ns", "Slow", MER_DURATION },
	[ASK_CAUSE_TYPICAL] = { "typical_ns", "Typical", MER_DURATION },
	[ASK_CAUSE_HOST] = { "host", "Host", MER_TEXT },
	[ASK_CAUSE_PROGRAM] = { "program", "Program", MER_TEXT },
	[ASK_CAUSE_CAUSE] = { "cause", "Cause", MER_TEXT },
	[ASK_CAUSE_IN] = { "of", "In", MER_TEXT },
	[ASK_CAUSE_BY] = { "by", "By", MER_TEXT },
	[ASK_CAUSE_CULPRITS] = { "culprits", "Who", MER_TEXT },
	[ASK_CAUSE_GROUP] = { "group", "Group", MER_COUNT },
};

static void put_culprits(
	const struct ask_requests *c, const struct requests_reason *r, struct mer_str *out)
{
	for (unsigned i = 0; i < r->n_culprits; i++) {
		mer_str_puts(out, i ? "; " : "");
		ask_explain_put_culprit(c, r, &r->culprits[i], out);
		mer_str_puts(out, ", ");
		ask_text_duration(out, r->culprits[i].ns);
	}
}

void ask_requests_add_causes(const struct ask_requests *c, const struct requests_explanation *x,
	unsigned group, uint32_t n, struct mer_table *t)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_reason *r = &x->reasons[i];
		const char *by = ask_explain_by(x, r);
		struct mer_str who = { 0 };
		put_culprits(c, r, &who);
		mer_table_add(t,
			(struct mer_cell[ASK_N_CAUSE]){
				[ASK_CAUSE_MORE] = MER_INT(r->ns),
				[ASK_CAUSE_SHARE] = MER_REAL_CELL(ask_explain_share(x, r)),
				[ASK_CAUSE_SLOW] = MER_INT(r->slow_ns),
				[ASK_CAUSE_TYPICAL] = MER_INT(r->typical_ns),
				[ASK_CAUSE_HOST] = mer_text(ask_explain_host(c, r->host)),
				[ASK_CAUSE_PROGRAM] = mer_text(ask_explain_program(x, r)),
				[ASK_CAUSE_CAUSE] = mer_text(
					requests_part_name((enum requests_part_kind)r->part)),
				[ASK_CAUSE_IN] = mer_text(ask_explain_kind(c, r->in)),
				[ASK_CAUSE_BY] = *by ? mer_text(by) : MER_NONE,
				[ASK_CAUSE_CULPRITS] = who.len ? mer_table_keep(t, &who) : MER_NONE,
				[ASK_CAUSE_GROUP] = MER_INT(group + 1),
			});
		mer_str_fini(&who);
	}
}

/* ---- culprits ---- */

enum { ROW, CULPRIT, N_CULPRIT = CULPRIT + ASK_N_CULPRIT };

static const struct mer_column culprit_columns[N_CULPRIT + 1] = {
	[ROW] = { "row", NULL, MER_ID }, /* of the causes */
	ASK_CULPRIT_COLUMNS(CULPRIT),
};

/* row: of the first one of these causes. */
static void add_culprits(const struct ask_requests *c, const struct requests_explanation *x,
	size_t row, uint32_t n, struct mer_table *t)
{
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < x->reasons[i].n_culprits; k++) {
			struct mer_cell cells[N_CULPRIT] = { [ROW] = MER_INT(row + i) };
			ask_requests_culprit_cells(
				c, &x->reasons[i].culprits[k], t, cells + CULPRIT);
			mer_table_add(t, cells);
		}
}

/* ---- groups ---- */

enum {
	GROUP,
	KIND,
	BY,
	SLOW_COUNT,
	SLOW_MEAN,
	TYPICAL_COUNT,
	TYPICAL_MEAN,
	TYPICAL_IS_LIKE,
	TYPICAL_REQUEST,
	DIFFERENCE,
	FIRST,
	LAST,
	OTHERS,
	COVERED,
	SHAPE_COUNT,
	SHAPE_SLOW,
	SHAPE_ALL,
	SHAPE_SIZES,
	WORKER_HOST = SHAPE_SIZES + 2 * REQUESTS_N_SIZES,
	WORKER_TID,
	WORKER_COMM,
	WORKER_SLOW,
	WORKER_ALL,
	SENTENCE,
	N_GROUP
};

static const struct mer_column group_columns[N_GROUP + 1] = {
	[GROUP] = { "group", "group", MER_ID },
	[KIND] = { "kind", "kind", MER_TEXT },
	[BY] = { "by", "what they share", MER_TEXT },
	[SLOW_COUNT] = { "slow_count", "slow", MER_COUNT },
	[SLOW_MEAN] = { "slow_mean_ns", "mean", MER_DURATION },
	[TYPICAL_COUNT] = { "typical_count", "typical", MER_COUNT },
	[TYPICAL_MEAN] = { "typical_mean_ns", "mean of typical", MER_DURATION },
	[TYPICAL_IS_LIKE] = { "typical_same_shape", NULL, MER_ID },
	[TYPICAL_REQUEST] = { "typical_request", NULL, MER_TEXT },
	[DIFFERENCE] = { "difference_ns", "difference", MER_DURATION },
	[FIRST] = { "first_begin", "first begin", MER_TIME },
	[LAST] = { "last_begin", "last begin", MER_TIME },
	[OTHERS] = { "others_meanwhile", "others meanwhile", MER_COUNT },
	[COVERED] = { "covered_percent", NULL, MER_RATIO },
	[SHAPE_COUNT] = { "shape_slow_count", NULL, MER_COUNT },
	[SHAPE_SLOW] = { "shape_slow_percent", NULL, MER_RATIO },
	[SHAPE_ALL] = { "shape_percent", NULL, MER_RATIO },
	[SHAPE_SIZES + 2 * REQUESTS_SIZE_OUT] = { "shape_min_out_bytes", NULL, MER_BYTES },
	[SHAPE_SIZES + 2 * REQUESTS_SIZE_OUT + 1] = { "shape_max_out_bytes", NULL, MER_BYTES },
	[SHAPE_SIZES + 2 * REQUESTS_SIZE_IN] = { "shape_min_in_bytes", NULL, MER_BYTES },
	[SHAPE_SIZES + 2 * REQUESTS_SIZE_IN + 1] = { "shape_max_in_bytes", NULL, MER_BYTES },
	[SHAPE_SIZES + 2 * REQUESTS_SIZE_BELOW] = { "shape_min_below", NULL, MER_COUNT },
	[SHAPE_SIZES + 2 * REQUESTS_SIZE_BELOW + 1] = { "shape_max_below", NULL, MER_COUNT },
	[WORKER_HOST] = { "worker_host", NULL, MER_TEXT },
	[WORKER_TID] = { "worker_tid", NULL, MER_ID },
	[WORKER_COMM] = { "worker_comm", NULL, MER_TEXT },
	[WORKER_SLOW] = { "worker_slow_percent", NULL, MER_RATIO },
	[WORKER_ALL] = { "worker_percent", NULL, MER_RATIO },
	[SENTENCE] = { "sentence", "why", MER_TEXT },
};

static void put_shape(const struct requests_shape *s, struct mer_cell row[N_GROUP])
{
	if (!s->is_found)
		return;
	row[SHAPE_COUNT] = MER_INT(s->n_slow);
	row[SHAPE_SLOW] = MER_REAL_CELL(s->slow_share);
	row[SHAPE_ALL] = MER_REAL_CELL(s->share);
	for (int k = 0; k < REQUESTS_N_SIZES; k++) {
		if (!s->sizes[k].is_limit)
			continue;
		row[SHAPE_SIZES + 2 * k] = MER_INT(s->sizes[k].least);
		row[SHAPE_SIZES + 2 * k + 1] = MER_INT(s->sizes[k].most);
	}
}

/* Who served the requests of such a group. */
static void put_worker(
	const struct ask_requests *c, const struct requests_group *g, struct mer_cell row[N_GROUP])
{
	if (g->kind != REQUESTS_GROUP_WORKER)
		return;
	const struct kernel_host *h = &c->r->w->hosts[g->host];
	const char *comm = kernel_comm(h, g->task);
	row[WORKER_HOST] = mer_text(ask_explain_host(c, g->host));
	row[WORKER_TID] = MER_INT(h->tasks[g->task].tid);
	row[WORKER_COMM] = mer_text(*comm ? comm : NULL);
	row[WORKER_SLOW] = MER_REAL_CELL(g->slow_share);
	row[WORKER_ALL] = MER_REAL_CELL(g->share);
}

static void add_group(const struct ask_requests *c, const struct requests_explanation *x,
	uint32_t kind, unsigned group, struct mer_table *t)
{
	size_t named[ASK_EXPLAIN_NAMED];
	double covered = 0;
	struct mer_str sentence = { 0 };
	ask_explain_choose(x, named, &covered);
	ask_explain_sentence(c, x, &sentence);
	struct mer_cell row[N_GROUP] = {
		[GROUP] = MER_INT(group + 1),
		[KIND] = mer_text(ask_explain_kind(c, kind)),
		[BY] = mer_text(requests_group_name((enum requests_group_kind)x->group.kind)),
		[SLOW_COUNT] = MER_INT(x->n_slow),
		[SLOW_MEAN] = MER_INT(x->slow_ns),
		[TYPICAL_COUNT] = MER_INT(x->n_typical),
		[TYPICAL_MEAN] = MER_INT(x->typical_ns),
		[TYPICAL_IS_LIKE] = MER_INT(x->is_like),
		[DIFFERENCE] = MER_INT(x->slow_ns - x->typical_ns),
		[FIRST] = MER_INT(x->first_begin),
		[LAST] = MER_INT(x->last_begin),
		[OTHERS] = MER_INT(x->n_meanwhile - x->n_slow),
		[COVERED] = MER_REAL_CELL(covered),
		[SENTENCE] = mer_table_keep(t, &sentence),
	};
	if (x->middle != KERNEL_NONE) {
		char id[REQUESTS_ID_BYTES];
		requests_id_text(c->r, x->middle, id);
		row[TYPICAL_REQUEST] = mer_text(mer_arena_strdup(t->arena, id));
	}
	put_shape(&x->group.shape, row);
	put_worker(c, &x->group, row);
	mer_table_add(t, row);
}

void ask_requests_answer_explain(const struct ask_requests *c,
	const struct requests_explanations *all, uint32_t most, struct answer *a)
{
	struct mer_table *causes = answer_add(a, "causes", "Causes", ask_requests_cause_columns);
	struct mer_table *culprits =
		answer_add_beside(a, "culprits", "Who, and what", culprit_columns);
	struct mer_table *groups =
		answer_add_beside(a, "groups", "Groups of slow requests", group_columns);
	for (unsigned i = 0; i < all->n; i++) {
		const struct requests_explanation *x = all->group[i];
		uint32_t n = most && most < x->n ? most : (uint32_t)x->n;
		add_culprits(c, x, causes->n_rows + 1, n, culprits);
		ask_requests_add_causes(c, x, i, n, causes);
		causes->n_left_out += x->n - n;
		add_group(c, x, all->kind, i, groups);
	}
}

void ask_requests_explain_tables(struct answer *a)
{
	const struct requests_explanations none = { 0 };
	ask_requests_answer_explain(&(struct ask_requests){ 0 }, &none, 0, a);
}
