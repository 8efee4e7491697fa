/* Tables of analyses, as --format says. People get the columns that have a title, as many as fit,
 * with a bar beside the main one; programs get all, under the same keys in JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/capabilities.h"
#include "ask/parts.h"
#include "ask/print/answer_print.h"
#include "ask/reports/grid.h"
#include "ask/reports/grid_vms.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/verb.h"

/* For people, when --limit does not say; what names keep, rather than that all columns are
 * shown, and rather than that keys are; what is a few words. */
enum { HISTOGRAMS = 6, TEXT_MIN = 12, KEY_MIN = 6, TEXT_WORDS = 16 };

/* ---- Histograms ---- */

static bool is_histogram(const struct mer_table *t)
{
	return strncmp(t->id, "freq", 4) == 0;
}

static bool is_same_cell(enum mer_type type, const struct mer_cell *a, const struct mer_cell *b)
{
	if (!a->set || !b->set)
		return a->set == b->set;
	return type == MER_TEXT ? strcmp(a->v.text, b->v.text) == 0 : a->v.i == b->v.i;
}

static bool same_names(const struct mer_table *t, size_t a, size_t b)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_cell *p = &t->cells[a * t->n_columns + c],
				      *q = &t->cells[b * t->n_columns + c];
		if (!ask_grid_names(&t->columns[c]))
			continue;
		if (!is_same_cell(t->columns[c].type, p, q))
			return false;
	}
	return true;
}

/* Where the histogram that begins with this row ends: rows that are called the same. */
static size_t histogram_end(const struct mer_table *t, size_t row)
{
	size_t end = row + 1;
	while (end < t->n_rows && same_names(t, row, end))
		end++;
	return end;
}

/* Rows of the first histograms: of as many as --limit says. */
static size_t histogram_rows(const struct ask_grid *g, const struct mer_table *t, size_t *n_left)
{
	const struct ask_amount *limit = &g->values->limit;
	int64_t most = limit->set ? limit->v : g->ask->format == ASK_FORMAT_TABLE ? HISTOGRAMS : 0;
	size_t rows = 0, n = 0;
	for (; rows < t->n_rows && (!most || (int64_t)n < most); n++)
		rows = histogram_end(t, rows);
	*n_left = 0;
	for (size_t r = rows; r < t->n_rows; ++*n_left)
		r = histogram_end(t, r);
	return rows;
}

static size_t rows_of(const struct ask_grid *g, const struct mer_table *t)
{
	size_t n_left;
	return is_histogram(t) ? histogram_rows(g, t, &n_left) : t->n_rows;
}

/* ---- For people ---- */

static double number(enum mer_type type, const struct mer_cell *c)
{
	return !c->set ? NAN : mer_type_is_real(type) ? c->v.f : (double)c->v.i;
}

static double greatest(const struct mer_table *t, size_t column, size_t begin, size_t end)
{
	double most = 0;
	for (size_t r = begin; r < end; r++)
		most = fmax(most,
			number(t->columns[column].type, &t->cells[r * t->n_columns + column]));
	return most;
}

/* The column that bars show: of top its share, else what it is sorted by; of histograms the
 * count. */
static size_t bar_column(const struct ask_grid *g, size_t table)
{
	const struct mer_table *t = &g->tables[table];
	const char *sort = g->sorted[table];
	bool top = strcmp(t->id, "top") == 0 || strncmp(t->id, "top_", 4) == 0;
	if (!top && !is_histogram(t))
		return SIZE_MAX;
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_column *k = &t->columns[c];
		if (k->title && (top ? k->type == MER_RATIO : k->type == MER_COUNT))
			return c;
	}
	for (size_t c = 0; top && sort && c < t->n_columns; c++) {
		const struct mer_column *k = &t->columns[c];
		if (k->title && !ask_grid_names(k) && strcmp(k->key, sort) == 0)
			return c;
	}
	return SIZE_MAX;
}

struct picked { /* columns to show, of a table's; SIZE_MAX: the bar */
	size_t *at, n;
	size_t bar;	    /* the column that the bar shows */
	size_t headline;    /* the figure that rows are looked at for; SIZE_MAX: there is none */
	const char *sorted; /* key of the order */
	const char *worth;  /* analysis.worth */
	double full;
};

/* Rows begin..end-1 with these columns. */
static bool fill(const struct mer_table *t, const struct picked *p, size_t begin, size_t end,
	struct mer_column *columns, struct mer_table *rows)
{
	struct mer_cell *cells = calloc(p->n + 1, sizeof(*cells));
	for (size_t i = 0; i < p->n; i++)
		columns[i] = p->at[i] == SIZE_MAX ? (struct mer_column){ "bar", "", MER_BAR }
						  : t->columns[p->at[i]];
	columns[p->n] = (struct mer_column){ 0 };
	mer_table_init(rows, t->id, t->title, columns, NULL);
	for (size_t r = begin; cells && r < end; r++) {
		const struct mer_cell *row = &t->cells[r * t->n_columns];
		for (size_t i = 0; i < p->n; i++)
			cells[i] = p->at[i] != SIZE_MAX
					   ? row[p->at[i]]
					   : MER_REAL_CELL(
						     number(t->columns[p->bar].type, &row[p->bar]) /
						     p->full);
		mer_table_add(rows, cells);
	}
	bool ok = cells && !rows->failed;
	free(cells);
	return ok;
}

/* Where the key is in a list of words, from 0 on; SIZE_MAX: nowhere. */
static size_t place_in(const char *words, const char *key)
{
	size_t len = strlen(key), i = 0;
	for (const char *w = words; w && *w; i++) {
		size_t n = strcspn(w, " ");
		if (n == len && memcmp(w, key, n) == 0)
			return i;
		w += n + (w[n] == ' ');
	}
	return SIZE_MAX;
}

/* Have all rows the same there? */
static bool is_constant(const struct mer_table *t, size_t column)
{
	size_t r = 1;
	while (r < t->n_rows && is_same_cell(t->columns[column].type, &t->cells[column],
					&t->cells[r * t->n_columns + column]))
		r++;
	return r >= t->n_rows;
}

/* Does it say who or what the row is about? Names before the first figure do, the task anywhere,
 * and what analysis.worth has right after its first figure; of a thread's process the thread says
 * enough. Over time, the time does. Which view a state is of, and what its row is below, tells it
 * from others only where there are several. */
static bool is_key(const struct mer_table *t, const struct picked *p, size_t column)
{
	const char *key = t->columns[column].key;
	bool names = ask_grid_names(&t->columns[column]);
	bool has_tid = mer_table_column(t, "tid") != SIZE_MAX;
	if (strcmp(key, "pid") == 0 && has_tid)
		return false;
	if ((strcmp(key, "view") == 0 || strcmp(key, "under") == 0) && is_constant(t, column))
		return false;
	if (strcmp(key, "host") == 0 || strcmp(key, "tid") == 0 || strcmp(key, "comm") == 0)
		return true;
	if (t->columns[column].type == MER_TIME)
		return strncmp(t->id, "bins", 4) == 0;
	if (names && place_in(p->worth, key) == 1)
		return true;
	for (size_t c = 0; c < column; c++)
		if (t->columns[c].title && !ask_grid_names(&t->columns[c]) &&
			t->columns[c].type != MER_TIME)
			return false;
	return names;
}

/* How much it is missed, of those that analysis.worth or statistics have; SIZE_MAX: it is not
 * there. */
static size_t worth_of(const struct picked *p, const char *key)
{
	static const char statistics[] = "total_ns count max_ns mean_ns min_ns stddev_ns";
	enum { AFTER = 500 };
	size_t worth = place_in(p->worth, key), more = place_in(statistics, key);
	return worth != SIZE_MAX ? worth : more != SIZE_MAX ? AFTER + more : SIZE_MAX;
}

/* The figure by which the table is sorted, else that of the bar, else the one that matters most. */
static size_t headline_of(const struct mer_table *t, const struct picked *p)
{
	size_t best = p->bar, least = SIZE_MAX;
	for (size_t i = 0; i < p->n; i++) {
		size_t c = p->at[i] == SIZE_MAX ? p->bar : p->at[i];
		const struct mer_column *k = &t->columns[c];
		if (ask_grid_names(k) || k->type == MER_TIME)
			continue;
		if (p->sorted && strcmp(k->key, p->sorted) == 0)
			return c;
		if (p->bar == SIZE_MAX && (best == SIZE_MAX || worth_of(p, k->key) < least)) {
			best = c;
			least = worth_of(p, k->key);
		}
	}
	return best;
}

/* Has no row a value in this column? Time that is not known is nothing where all is 0, unless it
 * matters. */
static bool is_empty(const struct mer_table *t, size_t column, bool zero_matters)
{
	bool is_unknown = !zero_matters && strcmp(t->columns[column].key, "unknown_ns") == 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct mer_cell *cell = &t->cells[r * t->n_columns + column];
		if (cell->set && !(is_unknown && cell->v.i == 0))
			return false;
	}
	return true;
}

enum { MANY_UNKNOWN = 100 }; /* one of so many: more than a little */

static bool is_much_unknown(const struct mer_table *t)
{
	return t->unknown_ns > 0 && t->unknown_ns >= t->time_ns / MANY_UNKNOWN;
}

/* How little a column is missed: the same for all data, so that tables of one kind look the same,
 * but for columns that say nothing in any row. First the figure that all is about, the keys, when
 * it was, what rows are sorted by and the bar shows, then as analysis.worth says, then from the
 * left. */
enum {
	STEP = 1000,
	RANK_KEY = STEP,
	RANK_WHEN = 2 * STEP,
	RANK_LEADS = 3 * STEP,
	RANK_WORTH = 4 * STEP,
	RANK_OTHERS = 5 * STEP,
	RANK_PROCESS = 6 * STEP,
	RANK_EMPTY = 7 * STEP
};

static size_t rank_of(const struct mer_table *t, const struct picked *p, size_t column)
{
	const struct mer_column *k = &t->columns[column];
	size_t worth = worth_of(p, k->key);
	if (column == p->headline)
		return 0;
	if (is_key(t, p, column)) /* when a bin ended follows from when the next began, mostly */
		return RANK_KEY + column + (strcmp(k->key, "end") == 0 ? STEP / 2 : 0);
	if (k->type == MER_TIME && column == 0)
		return RANK_WHEN;
	if (column == p->bar || (p->sorted && strcmp(k->key, p->sorted) == 0))
		return RANK_LEADS + (column == p->bar);
	if (is_empty(t, column, true))
		return RANK_EMPTY + column;
	if (strcmp(k->key, "unknown_ns") == 0 && is_much_unknown(t))
		return RANK_LEADS + 2; /* what the other figures leave open */
	if (worth != SIZE_MAX)
		return RANK_WORTH + worth;
	return (strcmp(k->key, "pid") == 0 ? RANK_PROCESS : RANK_OTHERS) + column;
}

static bool is_bar(const struct picked *p, size_t i)
{
	return p->at[i] == SIZE_MAX;
}

/* Which column gives way when a line does not fit: its place. */
static size_t column_to_drop(const struct mer_table *t, const struct picked *p, size_t *rank)
{
	size_t least = 0;
	*rank = 0;
	for (size_t i = 0; i < p->n; i++) {
		size_t r = is_bar(p, i) ? 0 : rank_of(t, p, p->at[i]);
		if (r > *rank) {
			*rank = r;
			least = i;
		}
	}
	return least;
}

static void take_away(struct picked *p, size_t i)
{
	memmove(&p->at[i], &p->at[i + 1], (p->n - i - 1) * sizeof(*p->at));
	p->n--;
}

/* No bar where what matters has no room. */
static void drop_bar(struct picked *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (is_bar(p, i))
			take_away(p, i--);
}

/* To which names get shorter before a column goes: that of analysis.worth right after its first
 * figure, where it is a few words, does not for one that nobody named there. */
static size_t text_min_of(const struct mer_table *t, const struct picked *p, size_t rank)
{
	size_t most = TEXT_MIN;
	if (rank < RANK_OTHERS)
		return rank < RANK_LEADS ? KEY_MIN : TEXT_MIN;
	for (size_t c = 0; c < t->n_columns; c++)
		for (size_t r = 0; place_in(p->worth, t->columns[c].key) == 1 && r < t->n_rows;
			r++) {
			const struct mer_cell *cell = &t->cells[r * t->n_columns + c];
			bool is_text = cell->set && t->columns[c].type == MER_TEXT;
			size_t n = is_text ? ask_text_width(cell->v.text, strlen(cell->v.text)) : 0;
			most = n > most ? n : most;
		}
	return most > TEXT_WORDS ? TEXT_MIN : most;
}

/* What matters least goes until the rest fits; before a key does, names get shorter. */
static bool drop_column(const struct ask_grid *g, const struct mer_table *t, struct picked *p,
	const struct mer_table *rows, struct mer_str *dropped)
{
	size_t rank, i = column_to_drop(t, p, &rank), width = (size_t)ask_width(g->ask);
	if (!rank || ask_table_least_width(rows, text_min_of(t, p, rank), g->ask->ascii) <= width)
		return false;
	const char *title = t->columns[p->at[i]].title;
	if (title[0] && rank < RANK_EMPTY)
		mer_str_printf(dropped, "%s%s", dropped->len ? ", " : "", title);
	take_away(p, i);
	if (rank < RANK_OTHERS && !is_histogram(t))
		drop_bar(p);
	return true;
}

static bool put_block(const struct ask_grid *g, const struct mer_table *t, struct picked *p,
	size_t begin, size_t end, struct mer_str *dropped, struct mer_str *out)
{
	size_t width = (size_t)ask_width(g->ask);
	struct mer_column *columns = calloc(p->n + 1, sizeof(*columns));
	struct mer_table rows = { 0 };
	bool ok = columns && fill(t, p, begin, end, columns, &rows);
	while (ok && drop_column(g, t, p, &rows, dropped)) {
		mer_table_fini(&rows);
		ok = fill(t, p, begin, end, columns, &rows);
	}
	if (ok)
		ask_table_text(&rows, out, width, g->ask->bold_out, g->ask->ascii);
	mer_table_fini(&rows);
	free(columns);
	return ok;
}

/* Columns for people. The host's only where there are several; names of histograms are their
 * titles. Of columns that do not matter much (analysis.worth) only those that have something in
 * some row. */
static void pick(const struct ask_grid *g, const struct mer_table *t, struct picked *p)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_column *k = &t->columns[c];
		if (!k->title || (is_histogram(t) && ask_grid_names(k)) ||
			(g->e->n_hosts == 1 &&
				(strcmp(k->key, "host") == 0 || strcmp(k->key, "end_host") == 0)))
			continue;
		if (c != p->bar && place_in(p->worth, k->key) == SIZE_MAX && is_empty(t, c, false))
			continue;
		if (c == p->bar && is_histogram(t))
			p->at[p->n++] = SIZE_MAX; /* begin, end, bar, count */
		p->at[p->n++] = c;
		if (c == p->bar && !is_histogram(t))
			p->at[p->n++] = SIZE_MAX;
	}
}

/* "IRQ 24, eth0, server" */
static void put_names(
	const struct ask_grid *g, const struct mer_table *t, size_t row, struct mer_str *out)
{
	size_t n = 0;
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct mer_column *k = &t->columns[c];
		const struct mer_cell *cell = &t->cells[row * t->n_columns + c];
		if (!ask_grid_names(k) || !k->title || !cell->set ||
			(g->e->n_hosts == 1 && strcmp(k->key, "host") == 0))
			continue;
		mer_str_puts(out, n++ ? ", " : "\n");
		if (k->type == MER_ID)
			mer_str_printf(out, "%s %" PRId64, k->title, cell->v.i);
		else
			ask_text_clean(out, cell->v.text, strlen(cell->v.text), false);
	}
	mer_str_puts(out, n ? "\n" : "");
}

static bool put_histograms(const struct ask_grid *g, const struct mer_table *t, struct picked *p,
	struct mer_str *dropped, struct mer_str *out)
{
	size_t n_left, rows = histogram_rows(g, t, &n_left);
	for (size_t r = 0, end; r < rows; r = end) {
		end = histogram_end(t, r);
		put_names(g, t, r, out);
		p->full = p->bar == SIZE_MAX ? 1 : greatest(t, p->bar, r, end);
		if (!put_block(g, t, p, r, end, dropped, out))
			return false;
	}
	if (n_left)
		mer_str_printf(out, "... and %zu more histogram%s (-n 0 shows all)\n", n_left,
			n_left > 1 ? "s" : "");
	return true;
}

static void put_unknown(const struct ask_grid *g, const struct mer_table *t, struct mer_str *out)
{
	struct mer_str note = { 0 };
	mer_str_puts(&note, "Unknown: ");
	ask_text_duration(&note, t->unknown_ns);
	mer_str_puts(&note, " of ");
	ask_text_duration(&note, t->time_ns);
	mer_str_puts(&note, " (");
	ask_text_ratio(&note, (double)t->unknown_ns / (double)t->time_ns);
	mer_str_puts(&note, "), as events of it are missing. Percentages are of the rest.");
	if (note.data)
		ask_text_wrap(out, note.data, (size_t)ask_width(g->ask), 0);
	out->failed |= note.failed;
	mer_str_fini(&note);
}

static bool put_table(const struct ask_grid *g, size_t table, struct mer_str *out)
{
	const struct mer_table *t = &g->tables[table];
	struct mer_str dropped = { 0 };
	struct picked p = { .at = calloc(t->n_columns * 2 + 1, sizeof(*p.at)),
		.bar = bar_column(g, table),
		.sorted = g->sorted[table],
		.worth = g->requests[table].analysis ? g->requests[table].analysis->worth : NULL };
	bool ok = p.at != NULL;
	if (ok) {
		pick(g, t, &p);
		p.headline = headline_of(t, &p);
	}
	if (ok && is_histogram(t)) {
		ok = put_histograms(g, t, &p, &dropped, out);
	} else if (ok) {
		p.full = p.bar == SIZE_MAX ? 1 : greatest(t, p.bar, 0, t->n_rows);
		ok = put_block(g, t, &p, 0, t->n_rows, &dropped, out);
		if (t->n_left_out) {
			mer_str_puts(out, "... and ");
			ask_text_count(out, (int64_t)t->n_left_out);
			mer_str_puts(out, " more (-n 0 shows all)\n");
		}
	}
	if (is_much_unknown(t))
		put_unknown(g, t, out);
	if (dropped.len && !dropped.failed) {
		struct mer_str note = { 0 };
		mer_str_printf(&note, "(no room for %s: a wider terminal or --format csv shows %s)",
			dropped.data, strstr(dropped.data, ", ") ? "them" : "it");
		if (note.data)
			ask_text_wrap(out, note.data, (size_t)ask_width(g->ask), 0);
		out->failed |= note.failed;
		mer_str_fini(&note);
	}
	out->failed |= dropped.failed;
	mer_str_fini(&dropped);
	free(p.at);
	return ok;
}

/* What, and when. */
static void put_heading(
	const struct ask_grid *g, const struct mer_table *t, bool first, struct mer_str *out)
{
	mer_str_puts(out, first ? "" : "\n");
	ask_heading_text(g->ask, t->title, g->options, first ? g->begin : MER_NO_TIME, g->end, out);
}

/* The first host, of all or of the chosen ones, that has what the analysis needs; NULL: none, and
 * lacking[] says what it is. Nothing is needed: also NULL. */
static int find_capable(struct ask *ask, const struct mer_experiment *e, const char *id, bool all,
	bool lacking[CAPABILITY_N_EVENTS], const char **host)
{
	struct capability_host *hosts = calloc((size_t)e->n_hosts + 1, sizeof(*hosts));
	*host = NULL;
	if (!hosts)
		return mer_fail_nomem(&ask->err);
	capability_declared(e, hosts);
	for (const struct capability *a = capabilities(); a->name; a++)
		for (uint32_t h = 0; capability_is_of(a, id) && h < e->n_hosts; h++) {
			const char *name = e->hosts[h].name;
			if ((all || session_selects_host(&ask->select, name)) &&
				capability_judge(a, &hosts[h], lacking) != CAPABILITY_NO && !*host)
				*host = name;
		}
	free(hosts);
	return 0;
}

/* What the hosts were recorded with; LTTng where they differ. */
static enum trace_tool tool_of(struct ask *ask, const struct mer_experiment *e, bool all)
{
	enum trace_tool found = TRACE_BY_LTTNG;
	unsigned n = 0;
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		enum trace_tool t = trace_tool_of(e, h);
		if (!all && !session_selects_host(&ask->select, e->hosts[h].name))
			continue;
		if (n++ && t != found)
			return TRACE_BY_LTTNG;
		found = t;
	}
	return found;
}

static int put_fix(struct ask *ask, const struct mer_experiment *e, const char *id, bool all,
	struct mer_str *out)
{
	bool lacking[CAPABILITY_N_EVENTS] = { 0 };
	const char *capable;
	int rc = find_capable(ask, e, id, all, lacking, &capable);
	if (rc == 0 && !capable)
		capability_fix(out, lacking, tool_of(ask, e, all));
	return rc == 0 && out->failed ? mer_fail_nomem(&ask->err) : rc;
}

int ask_grid_lacking(
	struct ask *ask, const struct mer_experiment *e, const char *id, struct mer_str *out)
{
	if (!ask->parts)
		return put_fix(ask, e, id, false, out);
	for (size_t i = 0; i < ask->parts->n; i++)
		if (!ask->parts->of[i].lacking)
			return 0;
	mer_str_puts(out, ask->parts->of[0].lacking);
	return out->failed ? mer_fail_nomem(&ask->err) : 0;
}

/* " (202 packets were lost)"; nothing: none were, of the hosts that were looked at. */
static void put_lost(const struct ask_grid *g, struct mer_str *out)
{
	uint64_t events = 0, packets = 0;
	const struct ask_parts *parts = g->ask->parts;
	for (uint32_t h = 0; parts && h < parts->n_hosts; h++) {
		events += parts->about[h]->lost_events;
		packets += parts->about[h]->lost_packets;
	}
	for (uint32_t t = 0; t < g->e->n_traces; t++)
		if (session_selects_trace(&g->ask->select, g->e, t)) {
			events += g->e->traces[t].lost_events;
			packets += g->e->traces[t].lost_packets;
		}
	if (!events && !packets)
		return;
	mer_str_puts(out, " But ");
	if (events) {
		ask_text_count(out, (int64_t)events);
		mer_str_puts(out, events == 1 ? " event" : " events");
	}
	mer_str_puts(out, events && packets ? " and " : "");
	if (packets) {
		ask_text_count(out, (int64_t)packets);
		mer_str_puts(out, packets == 1 ? " packet" : " packets");
	}
	mer_str_puts(out, events + packets == 1 ? " was" : " were");
	mer_str_puts(out, " lost: what happened meanwhile is unknown.");
}

/* Times of vCPUs without some of their events are guesses. */
static int put_incomplete(const struct ask_grid *g, struct mer_str *out)
{
	struct mer_str fix = { 0 };
	int rc = ask_grid_is_of_vms(g) ? put_fix(g->ask, g->e, g->analysis->id, true, &fix) : 0;
	if (rc == 0 && fix.len) {
		mer_str_putc(out, '\n');
		ask_text_wrap(out,
			"These times cannot be trusted: the traces lack events that this analysis needs. To record them, on the hypervisor:",
			(size_t)ask_width(g->ask), 0);
		mer_str_printf(out, "%s\n", fix.data);
	}
	mer_str_fini(&fix);
	return rc;
}

void ask_grid_say_lacking(struct mer_str *text, const char *that, const char *where)
{
	mer_str_printf(
		text, ": the traces lack the events that %s. To record them%s:", that, where);
}

void ask_grid_put_lacking(const struct ask *ask, const char *none, const char *that,
	const char *where, const struct mer_str *fix, struct mer_str *out)
{
	struct mer_str text = { 0 };
	mer_str_puts(&text, none);
	ask_grid_say_lacking(&text, that, where);
	if (text.data)
		ask_text_wrap(out, text.data, (size_t)ask_width(ask), 0);
	if (fix->data)
		mer_str_printf(out, "%s\n", fix->data);
	out->failed |= text.failed || fix->failed;
	mer_str_fini(&text);
}

int ask_grid_warn_lacking(struct ask *ask, const struct mer_experiment *e, const char *id)
{
	struct mer_str fix = { 0 };
	int rc = ask_grid_lacking(ask, e, id, &fix);
	if (rc == 0 && fix.len) {
		ask_warn(ask,
			"no data: the traces lack the events that '%s' needs ('meridian check' lists what to record)",
			ask->verb->name);
		ask->unanswered = true;
	}
	mer_str_fini(&fix);
	return rc;
}

static bool has_no_rows(const struct ask_grid *g)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n_printed; i++)
		n += g->tables[i].n_rows;
	return n == 0;
}

/* Why there is nothing, and what to do about it. */
static int put_nothing(const struct ask_grid *g, struct mer_str *out)
{
	const struct ask *ask = g->ask;
	const struct ask_grid_values *v = g->values;
	struct mer_str fix = { 0 };
	int rc = ask_grid_lacking(g->ask, g->e, g->analysis->id, &fix);
	g->ask->unanswered |= fix.len > 0;
	bool narrowed = ask->select.hosts.n || ask->select.cpus.n || ask->select.tids.n ||
			ask->select.comms.n || v->names.n || v->min.set || v->max.set ||
			ask->select.begin.kind || ask->select.end.kind;
	bool lacking[CAPABILITY_N_EVENTS] = { 0 };
	const char *elsewhere = NULL;
	if (rc == 0 && fix.len)
		rc = find_capable(g->ask, g->e, g->analysis->id, true, lacking, &elsewhere);
	if (rc == 0 && elsewhere) {
		struct mer_str text = { 0 };
		mer_str_puts(&text, "No data: events that show this were recorded on ");
		ask_text_clean(&text, elsewhere, strlen(elsewhere), false);
		mer_str_puts(&text, ", which --host leaves out.");
		if (text.data)
			ask_text_wrap(out, text.data, (size_t)ask_width(ask), 0);
		out->failed |= text.failed;
		mer_str_fini(&text);
	} else if (rc == 0 && fix.len) {
		ask_grid_put_lacking(ask, "No data", "this analysis needs",
			ask_grid_is_of_vms(g) ? ", on the hypervisor" : "", &fix, out);
	} else if (rc == 0) {
		struct mer_str text = { 0 };
		if (g->analysis->of_views && !narrowed)
			ask_grid_put_no_states(g, &text);
		else
			mer_str_puts(&text,
				g->begin == MER_NO_TIME &&
						(ask->select.begin.kind || ask->select.end.kind)
					? "No data: no event was recorded in this time range ('meridian info' shows when the traces begin and end)."
				: g->e->begin == MER_NO_TIME ? "No data: the traces have no events."
				: narrowed		     ? "No matching data."
					   : "The events were recorded, but none occurred.");
		put_lost(g, &text);
		if (text.data)
			ask_text_wrap(out, text.data, (size_t)ask_width(ask), 0);
		out->failed |= text.failed;
		mer_str_fini(&text);
	}
	mer_str_fini(&fix);
	return rc;
}

/* What rows were left out, so that the whole is known. */
static void put_rows_left_out(
	struct mer_str *out, uint64_t n, const char *one, const char *many, int64_t ns)
{
	if (!n)
		return;
	mer_str_puts(out, out->len ? "; " : "Left out (--all shows them): ");
	ask_text_count(out, (int64_t)n);
	mer_str_printf(out, " %s", n == 1 ? one : many);
	if (ns) {
		mer_str_puts(out, ", ");
		ask_text_duration(out, ns);
	}
}

static void put_left_out(const struct ask_grid *g, struct mer_str *out)
{
	const struct analysis_left_out *x = g->left_out;
	struct mer_str line = { 0 };
	if (!x)
		return;
	put_rows_left_out(&line, x->n_tracer, "row of the tracer's own tasks",
		"rows of the tracer's own tasks", x->tracer_ns);
	put_rows_left_out(&line, x->n_idle, "idle wait", "idle waits", x->idle_ns);
	put_rows_left_out(&line, x->n_started, "wait for a child or own thread",
		"waits for children or own threads", x->started_ns);
	if (!line.len)
		return;
	mer_str_puts(&line, ".");
	if (line.data)
		ask_text_wrap(out, line.data, (size_t)ask_width(g->ask), 0);
	out->failed |= line.failed;
	mer_str_fini(&line);
}

static int put_text(const struct ask_grid *g, struct mer_str *out)
{
	size_t n_rows = 0;
	for (size_t i = 0; i < g->n_printed; i++) {
		const struct mer_table *t = &g->tables[i];
		if (!t->n_rows && (i || i + 1 < g->n_printed))
			continue; /* of several tables those with something in them */
		put_heading(g, t, n_rows == 0, out);
		n_rows += t->n_rows;
		if (t->n_rows && !put_table(g, i, out))
			return mer_fail_nomem(&g->ask->err);
	}
	const struct analysis_left_out *x = g->left_out;
	if (!n_rows && !(x && (x->n_tracer || x->n_idle || x->n_started)))
		return put_nothing(g, out);
	put_left_out(g, out);
	return put_incomplete(g, out);
}

static int print_rows(struct ask_grid *g)
{
	struct answer a;
	ask_answer_init(g->ask, g->e, false, &a);
	a.begin = g->begin;
	a.end = g->end;
	a.about = g->analysis ? g->analysis->id : NULL; /* none: several analyses */
	for (size_t i = 0; i < g->n_printed; i++) {
		mer_table_limit(&g->tables[i], rows_of(g, &g->tables[i]));
		answer_add_made(&a, &g->tables[i]);
	}
	ask_periods_table(g->options, g->begin, g->end, &a);
	int rc = ask_answer_print(g->ask, &a);
	answer_fini(&a);
	return rc;
}

int ask_grid_print(struct ask_grid *g)
{
	if (g->ask->format == ASK_FORMAT_TABLE) {
		struct mer_str out = { 0 };
		int rc = put_text(g, &out);
		return ask_put(g->ask, &out, rc);
	}
	int rc = has_no_rows(g) ? ask_grid_warn_lacking(g->ask, g->e, g->analysis->id) : 0;
	return rc ? rc : print_rows(g);
}
