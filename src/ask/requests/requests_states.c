/* The states of views in which the time of requests went, by kind, for people. */
#include "ask/requests/requests_print.h"
#include "ask/print/table.h"

size_t ask_requests_states_of(const struct requests_state_sums *s, uint32_t kind, size_t *n)
{
	size_t first = 0;
	while (first < s->n && s->rows[first].kind != kind)
		first++;
	for (*n = 0; first + *n < s->n && s->rows[first + *n].kind == kind;)
		++*n;
	return first;
}

enum { KIND, PROGRAM, STATE, MEAN, SHARE, CPU, RUNNABLE, DISK, LOCKS, NETWORK, OTHER, N };

/* What of a column is there at all, ns. */
static int64_t sum_of(const struct mer_table *t, size_t column)
{
	int64_t sum = 0;
	for (size_t r = 0; r < t->n_rows; r++)
		sum += t->cells[r * t->n_columns + column].v.i;
	return sum;
}

/* What there is no room for is in Other, so that a row still sums to its mean; its name is added to
 * hidden. */
static void hide(
	struct mer_table *t, struct mer_column *columns, size_t column, struct mer_str *hidden)
{
	if (sum_of(t, column))
		mer_str_printf(hidden, "%s%s", hidden->len ? ", " : "", columns[column].title);
	for (size_t r = 0; r < t->n_rows; r++) {
		struct mer_cell *c = &t->cells[r * t->n_columns];
		c[OTHER].v.i += c[column].v.i;
	}
	columns[column].title = NULL;
}

/* Columns that say nothing go first, then those that matter least. */
static void fit(const struct ask_requests *c, struct mer_table *t, struct mer_column *columns,
	struct mer_str *hidden)
{
	size_t width = (size_t)ask_width(c->ask);
	static const uint8_t may_hide[] = { DISK, NETWORK, LOCKS, RUNNABLE };
	for (int empty = 1; empty >= 0; empty--)
		for (size_t i = 0;
			i < sizeof(may_hide) && ask_table_least_width(t, 0, c->ask->ascii) > width;
			i++)
			if (columns[may_hide[i]].title && (!empty || !sum_of(t, may_hide[i])))
				hide(t, columns, may_hide[i], hidden);
}

int ask_requests_states_text(const struct ask_requests *c, const struct requests_state_sums *s,
	const struct requests_sums *rows, uint32_t n, struct mer_str *out)
{
	struct mer_column columns[N + 1] = {
		[KIND] = { "kind", "Kind", MER_TEXT },
		[PROGRAM] = { "comm", "Program", MER_TEXT },
		[STATE] = { "user_state", "State", MER_TEXT },
		[MEAN] = { "mean_ns", "Mean", MER_DURATION },
		[SHARE] = { "percent", "%", MER_RATIO },
		[CPU] = { "running_ns", "On CPU", MER_DURATION },
		[RUNNABLE] = { "runnable_ns", "Runnable", MER_DURATION },
		[DISK] = { "disk_ns", "Disk", MER_DURATION },
		[LOCKS] = { "locks_ns", "Locks", MER_DURATION },
		[NETWORK] = { "network_ns", "Network", MER_DURATION },
		[OTHER] = { "other_ns", "Other", MER_DURATION },
	};
	struct mer_arena arena;
	struct mer_str hidden = { 0 };
	struct mer_table t;
	int rc = 0;
	if (!s->n)
		return 0;
	mer_arena_init(&arena);
	mer_table_init(&t, "states", NULL, columns, &arena);
	for (uint32_t i = 0; i < n; i++) {
		size_t n_states, first = ask_requests_states_of(s, rows[i].kind, &n_states);
		int64_t count = rows[i].n_timed, all = count * rows[i].mean_ns;
		for (size_t k = first; k < first + n_states && count; k++) {
			const struct requests_state_row *r = &s->rows[k];
			const int64_t *ns = r->parts_ns;
			int64_t other = r->ns - ns[REQUESTS_CPU] - ns[REQUESTS_RUNNABLE] -
					ns[REQUESTS_DISK] - ns[REQUESTS_LOCKS] -
					ns[REQUESTS_NETWORK];
			mer_table_add(&t,
				(struct mer_cell[N]){
					[KIND] = mer_text(
						mer_intern_text(&c->kinds->names, r->kind)),
					[PROGRAM] =
						mer_text(mer_intern_text(&s->names, r->program)),
					[STATE] = mer_text(mer_intern_text(&s->names, r->state)),
					[MEAN] = MER_INT(r->ns / count),
					[SHARE] = MER_REAL_CELL(
						all > 0 ? (double)r->ns / (double)all : 0),
					[CPU] = MER_INT(ns[REQUESTS_CPU] / count),
					[RUNNABLE] = MER_INT(ns[REQUESTS_RUNNABLE] / count),
					[DISK] = MER_INT(ns[REQUESTS_DISK] / count),
					[LOCKS] = MER_INT(ns[REQUESTS_LOCKS] / count),
					[NETWORK] = MER_INT(ns[REQUESTS_NETWORK] / count),
					[OTHER] = MER_INT(other / count),
				});
		}
	}
	ask_requests_shorten_kinds(c, &t, KIND);
	fit(c, &t, columns, &hidden);
	mer_str_puts(out, "States of programs, mean of a request\n");
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	if (hidden.len)
		mer_str_printf(out, "(in Other: %s: a wider terminal or --json shows them)\n",
			hidden.data);
	if (t.failed || arena.failed || hidden.failed)
		rc = mer_fail_nomem(&c->ask->err);
	mer_str_fini(&hidden);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	return rc;
}
