/* Requests for people: of kinds, and of each request. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ask/period.h"
#include "ask/reports/grid.h"
#include "ask/requests/requests_answer.h"
#include "ask/requests/service_name.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

/* From the first begin to the last end of the selected requests. */
static void find_ends(const struct ask_requests *c, int64_t *begin, int64_t *end)
{
	*begin = INT64_MAX;
	*end = INT64_MIN;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct requests_exchange *x = &c->r->exchanges[c->which[i]];
		*begin = x->begin < *begin ? x->begin : *begin;
		*end = x->end > *end ? x->end : *end;
	}
}

bool ask_requests_window(const struct ask_requests *c, int64_t *begin, int64_t *end)
{
	const struct session_window *w = &c->ask->window;
	find_ends(c, begin, end);
	*begin = c->ask->select.begin.kind ? w->begin : *begin;
	*end = c->ask->select.end.kind ? w->end : *end;
	return c->n && *begin < *end;
}

int64_t ask_requests_window_ns(const struct ask_requests *c)
{
	int64_t begin, end;
	return ask_requests_window(c, &begin, &end) ? end - begin : 0;
}

/* "load2 -> nginx" of "load2 -> web:80 nginx"; NULL: as it is. */
static const char *short_kind(struct mer_arena *a, const char *kind)
{
	const char *arrow = strstr(kind, " -> ");
	const char *place = arrow ? arrow + 4 : NULL, *end = place ? strchr(place, ' ') : NULL;
	if (!end || !memchr(place, ':', (size_t)(end - place)))
		return NULL;
	return mer_arena_printf(a, "%.*s%s", (int)(place - kind), kind, end + 1);
}

/* No other kind of the table has the same short name as that of row i. */
static bool is_only(const struct mer_table *t, size_t column, const char *const *shorter, size_t i)
{
	const struct mer_cell *cells = t->cells + column;
	for (size_t k = 0; k < t->n_rows; k++)
		if (shorter[k] && strcmp(shorter[k], shorter[i]) == 0 &&
			strcmp(cells[k * t->n_columns].v.text, cells[i * t->n_columns].v.text) != 0)
			return false;
	return true;
}

void ask_requests_shorten_kinds(const struct ask_requests *c, struct mer_table *t, size_t column)
{
	size_t longest = 0;
	struct mer_cell *cells = t->cells + column;
	const char **shorter = calloc(2 * t->n_rows + 1, sizeof(*shorter));
	const char **short_cells = shorter ? shorter + t->n_rows : NULL;
	for (size_t i = 0; i < t->n_rows; i++) {
		size_t length = strlen(cells[i * t->n_columns].v.text);
		longest = length > longest ? length : longest;
	}
	if (!shorter ||
		ask_table_least_width(t, longest, c->ask->ascii) <= (size_t)ask_width(c->ask)) {
		free(shorter);
		return;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		shorter[i] = short_kind(t->arena, cells[i * t->n_columns].v.text);
	for (size_t i = 0; i < t->n_rows; i++)
		if (shorter[i] && is_only(t, column, shorter, i))
			short_cells[i] = shorter[i];
	for (size_t i = 0; i < t->n_rows; i++)
		if (short_cells[i])
			cells[i * t->n_columns] = mer_text(short_cells[i]);
	free(shorter);
}

void ask_requests_heading(const struct ask_requests *c, const char *title, struct mer_str *out)
{
	int64_t begin, end;
	find_ends(c, &begin, &end);
	ask_heading_text(c->ask, title, NULL, c->n ? begin : MER_NO_TIME, end, out);
}

static int put_table(const struct ask_requests *c, struct mer_table *t, struct mer_str *out)
{
	ask_table_text(t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	return t->failed || t->arena->failed ? mer_fail_nomem(&c->ask->err) : 0;
}

int ask_requests_put_nothing(const struct ask_requests *c, struct mer_str *out)
{
	struct mer_str fix = { 0 }, text = { 0 };
	uint64_t unfollowed = c->r->connections.n_unfollowed;
	int rc = 0;
	if (c->r->n) {
		mer_str_puts(out, "No request matches the options.\n");
		return 0;
	}
	rc = ask_grid_lacking(c->ask, c->w->e, "servers", &fix);
	c->ask->unanswered |= fix.len > 0;
	if (fix.len)
		ask_grid_put_lacking(c->ask, "No requests",
			"show what was written to connections and read from them", "", &fix, out);
	else if (unfollowed)
		mer_str_printf(&text,
			"No requests that can be followed: %" PRIu64
			" %s on connections opened before the recording, whose other end was not recorded and of which no packets with addresses were.",
			unfollowed, mer_plural(unfollowed, "read is", "reads are"));
	else
		mer_str_puts(&text, "No requests: nothing was sent on a connection and answered.");
	if (text.data)
		ask_text_wrap(out, text.data, (size_t)ask_width(c->ask), 0);
	out->failed |= text.failed;
	mer_str_fini(&text);
	mer_str_fini(&fix);
	return rc;
}

void ask_requests_rest(const struct ask_requests *c, uint32_t n_left_out, struct mer_str *out)
{
	if (!n_left_out)
		return;
	mer_str_puts(out, "... and ");
	ask_text_count(out, n_left_out);
	mer_str_puts(out, " more (-n 0 shows all)\n");
	(void)c;
}

/* ---- kinds ---- */

static const char *const part_words[REQUESTS_N_PARTS] = { "requester", "network", "outside",
	"queued", "on CPU", "runnable", "disk", "locks", "other",
	"in requests that the server made" };

/* Where the mean time of one kind went: the greatest part first, none below 0.5 %. The greater ones
 * have a line with a bar each, the others one together. with_service: no column has it. */
static void put_shares_of(const struct ask_requests *c, const struct requests_sums *s,
	bool with_service, struct mer_str *out)
{
	enum { MARGIN = 2, BESIDE = 41, BAR_MIN = 6, BAR_MAX = 30, LEAST_PERCENT = 5 };
	struct mer_str text = { 0 };
	const char *service = ask_service_name(ask_requests_port(c, s));
	size_t width = (size_t)ask_width(c->ask);
	size_t bar = width < BESIDE + BAR_MIN ? 0 : width - BESIDE;
	bool done[REQUESTS_N_PARTS] = { 0 };
	int64_t sum = 0;
	for (unsigned k = 0; k < REQUESTS_N_PARTS; k++)
		sum += s->parts_ns[k];
	if (!sum)
		return;
	mer_str_puts(&text, mer_intern_text(&c->kinds->names, s->kind));
	if (with_service && service)
		mer_str_printf(&text, " (%s)", service);
	mer_str_puts(&text, ", ");
	ask_text_duration(&text, s->mean_ns);
	mer_str_putc(out, '\n');
	ask_text_wrap(out, text.data ? text.data : "", width, MARGIN);
	mer_str_clear(&text);
	for (;;) {
		unsigned best = REQUESTS_N_PARTS;
		for (unsigned k = 0; k < REQUESTS_N_PARTS; k++)
			if (!done[k] &&
				(best == REQUESTS_N_PARTS || s->parts_ns[k] > s->parts_ns[best]))
				best = k;
		double share =
			best < REQUESTS_N_PARTS ? (double)s->parts_ns[best] / (double)sum : 0;
		if (share < 0.005)
			break;
		done[best] = true;
		if (100 * share < LEAST_PERCENT) {
			mer_str_printf(&text, "%s%.0f%% %s", text.len ? ", " : "", 100 * share,
				part_words[best]);
			continue;
		}
		mer_str_printf(out, "%*s%3.0f%% %-*s", MARGIN, "", 100 * share,
			bar ? BESIDE - MARGIN - (int)sizeof("100% ") + 1 : 0, part_words[best]);
		if (bar)
			ask_text_bar(out, share, bar < BAR_MAX ? bar : BAR_MAX);
		mer_str_putc(out, '\n');
	}
	if (text.len)
		ask_text_wrap(out, text.data, width, MARGIN + 1);
	out->failed |= text.failed;
	mer_str_fini(&text);
}

static void put_shares(const struct ask_requests *c, const struct requests_sums *rows, uint32_t n,
	bool with_services, struct mer_str *out)
{
	mer_str_puts(out, "\nWhere the mean time went");
	for (uint32_t i = 0; i < n; i++)
		put_shares_of(c, &rows[i], with_services, out);
	mer_str_putc(out, '\n');
}

static void put_footer(const struct ask_requests *c, const struct requests_sums *rows, uint32_t n,
	struct mer_str *out)
{
	uint64_t windows = 0, damaged = 0;
	struct mer_str text = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		windows += rows[i].n_windows;
		damaged += rows[i].n_damaged;
	}
	if (windows) {
		ask_text_things(&text, windows, "exchange", "exchanges");
		mer_str_puts(&text,
			" had several overlapping messages, which cannot be separated: counted, but without a latency. ");
	}
	if (damaged) {
		ask_text_things(&text, damaged, "request", "requests");
		mer_str_puts(&text,
			" of connections with lost events: counted, but without a latency. ");
	}
	if (text.len) {
		mer_str_putc(out, '\n');
		ask_text_wrap(out, text.data, (size_t)ask_width(c->ask), 0);
		if (out->len && out->data[out->len - 1] != '\n')
			mer_str_putc(out, '\n');
	}
	out->failed |= text.failed;
	mer_str_fini(&text);
}

/* Of few requests a percentile says nothing that the slowest one does not. False: no kind has a
 * thousand. */
static bool blank_ranks(const struct requests_sums *rows, struct mer_table *t)
{
	enum { MANY = 1000 }; /* for a thousandth */
	bool has_many = false;
	for (size_t i = 0; i < t->n_rows; i++) {
		struct mer_cell *cells = t->cells + i * t->n_columns;
		bool is_many = rows[i].n_timed >= MANY;
		has_many |= is_many;
		if (!is_many)
			cells[ASK_KIND_P999] = MER_NONE;
		if (rows[i].n_timed >= ASK_REQUESTS_LEAST_RANKED)
			continue;
		cells[ASK_KIND_P90] = cells[ASK_KIND_P99] = MER_NONE;
	}
	return has_many;
}

/* The columns that there is something to see in, and room for. */
static void choose_columns(const struct ask_requests *c, const struct requests_sums *rows,
	struct mer_table *t, struct mer_column *columns)
{
	static const uint8_t may_hide[] = { ASK_KIND_P999, ASK_KIND_IN, ASK_KIND_OUT,
		ASK_KIND_PARALLEL, ASK_KIND_RATE, ASK_KIND_SERVICE, ASK_KIND_P90 };
	/* The kind has the port; what has no latency is told below the table. */
	static const uint8_t not_shown[] = { ASK_KIND_PORT, ASK_KIND_MEAN, ASK_KIND_WINDOWS,
		ASK_KIND_LOST, ASK_KIND_TIMED };
	size_t longest = 0;
	bool has_service = false;
	for (size_t i = 0; i < sizeof(not_shown) / sizeof(not_shown[0]); i++)
		columns[not_shown[i]].title = NULL;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct mer_cell *cells = t->cells + i * t->n_columns;
		size_t length = strlen(cells[ASK_KIND].v.text);
		longest = length > longest ? length : longest;
		has_service |= cells[ASK_KIND_SERVICE].set;
		if (rows[i].n_timed != rows[i].count)
			columns[ASK_KIND_TIMED].title = "Timed";
	}
	if (!has_service)
		columns[ASK_KIND_SERVICE].title = NULL;
	if (!blank_ranks(rows, t))
		columns[ASK_KIND_P999].title = NULL;
	/* The kinds are not to be shortened, if that can be. */
	for (size_t i = 0; i < sizeof(may_hide) / sizeof(may_hide[0]); i++)
		if (ask_table_least_width(t, longest, c->ask->ascii) > (size_t)ask_width(c->ask))
			columns[may_hide[i]].title = NULL;
}

int ask_requests_kinds_text(const struct ask_requests *c, const struct requests_sums *rows,
	uint32_t n, const struct requests_state_sums *states, struct mer_str *out)
{
	struct mer_column columns[ASK_N_KIND + 1];
	struct mer_arena arena;
	struct mer_table t;
	if (!n)
		return ask_requests_put_nothing(c, out);
	uint32_t n_shown = c->limit && c->limit < n ? c->limit : n;
	mer_arena_init(&arena);
	ask_requests_heading(c, "Requests by kind", out);
	memcpy(columns, ask_requests_kind_columns, sizeof(columns));
	mer_table_init(&t, "kinds", NULL, columns, &arena);
	ask_requests_add_kinds(c, rows, n_shown, ask_requests_window_ns(c), &t);
	choose_columns(c, rows, &t, columns);
	ask_requests_shorten_kinds(c, &t, ASK_KIND);
	int rc = put_table(c, &t, out);
	mer_table_fini(&t);
	ask_requests_rest(c, n - n_shown, out);
	put_shares(c, rows, n_shown, !columns[ASK_KIND_SERVICE].title, out);
	if (rc == 0 && states)
		rc = ask_requests_states_text(c, states, rows, n_shown, out);
	put_footer(c, rows, n, out);
	mer_arena_fini(&arena);
	return rc;
}

/* ---- each request ---- */

/* "web:shopapp/168" */
static const char *program_of(
	const struct ask_requests *c, struct mer_table *t, uint32_t number, enum requests_side side)
{
	const struct requests_exchange *x = &c->r->exchanges[number];
	uint32_t host = requests_connection_of(c->r, number)->ends[side].host;
	struct ask_requests_party p;
	ask_requests_party(c, number, side, &p);
	if (!p.host || p.tid < 0)
		return NULL;
	return mer_arena_printf(t->arena, "%s:%s/%" PRId32, p.host,
		requests_program(c->kinds, host, ask_requests_task_at(x, side)), p.tid);
}

/* In a narrow terminal: nothing is cut in its middle that can be shorter. Of what takes most time
 * the host goes first, then names of threads become those of their programs, then times lose
 * digits; then there are none. */
static void narrow_list(
	const struct ask_requests *c, struct mer_table *t, struct mer_column *columns)
{
	enum { STEPS = 4 };
	for (int step = 0; step < STEPS; step++) {
		if (ask_table_least_width(t, SIZE_MAX, c->ask->ascii) <= (size_t)ask_width(c->ask))
			return;
		if (step == 2)
			columns[ASK_EACH_BEGIN].type = MER_TEXT;
		if (step == 3)
			columns[ASK_EACH_BEGIN].title = NULL;
		for (size_t i = 0; i < t->n_rows; i++) {
			struct mer_cell *row = &t->cells[i * t->n_columns];
			struct mer_str time = { 0 };
			const char *comma = row[ASK_EACH_MOST].set
						    ? strrchr(row[ASK_EACH_MOST].v.text, ',')
						    : NULL;
			const char *from = program_of(c, t, c->which[i], REQUESTS_CLIENT);
			const char *to = program_of(c, t, c->which[i], REQUESTS_SERVER);
			if (step == 0 && comma)
				row[ASK_EACH_MOST] = mer_text(mer_arena_printf(t->arena, "%.*s",
					(int)(comma - row[ASK_EACH_MOST].v.text),
					row[ASK_EACH_MOST].v.text));
			if (step == 1 && from)
				row[ASK_EACH_CLIENT] = mer_text(from);
			if (step == 1 && to)
				row[ASK_EACH_SERVER] = mer_text(to);
			if (step == 2) {
				ask_text_clock(&time, row[ASK_EACH_BEGIN].v.i);
				row[ASK_EACH_BEGIN] = mer_table_keep(t, &time);
			}
		}
	}
}

int ask_requests_list_text(const struct ask_requests *c, struct mer_str *out)
{
	struct mer_column columns[ASK_N_EACH + 1];
	struct requests_parts parts = { 0 };
	struct mer_arena arena;
	struct mer_table t;
	int rc = 0;
	if (!c->n)
		return ask_requests_put_nothing(c, out);
	mer_arena_init(&arena);
	ask_requests_heading(c, "Requests", out);
	ask_requests_each_columns(c, columns);
	mer_table_init(&t, "requests", NULL, columns, &arena);
	for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
		struct ask_requests_most most;
		rc = requests_parts_find(c->parts, c->which[i], &parts, &c->ask->err);
		ask_requests_add_each(c, c->which[i], &parts, &t);
		if (!t.failed && ask_requests_most(c, c->which[i], &parts, &most))
			t.cells[i * t.n_columns + ASK_EACH_MOST] = mer_text(mer_arena_printf(
				&arena, "%.0f%% %s, %s", most.percent, most.cause, most.host));
	}
	if (rc == 0 && !t.failed)
		narrow_list(c, &t, columns);
	if (rc == 0)
		rc = put_table(c, &t, out);
	if (rc == 0)
		ask_requests_rest(c, c->n_left_out, out);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	requests_parts_fini(&parts);
	return rc;
}
