/* Requests as tables: of kinds, and of each request. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ask/period.h"
#include "ask/reports/grid.h"
#include "ask/requests/requests_print.h"
#include "ask/requests/service_name.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

static bool is_for_people(const struct ask_requests *c)
{
	return c->ask->format == ASK_FORMAT_TABLE;
}

/* "web:shop-w2/168"; arena of t. */
static struct mer_cell who(struct mer_table *t, const struct ask_requests_party *p)
{
	if (!p->host)
		return mer_text("outside");
	if (p->tid < 0)
		return mer_text(p->host);
	return mer_text(mer_arena_printf(
		t->arena, "%s:%s/%" PRId32, p->host, p->comm ? p->comm : "?", p->tid));
}

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
	if (!shorter || ask_table_least_width(t, longest, c->ask->ascii) <= (size_t)ask_width(c->ask)) {
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
	if (is_for_people(c))
		ask_table_text(t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	else
		ask_table_rows(c->ask, t, mer_table_whole(t), out);
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

enum {
	KIND,
	PORT,
	SERVICE,
	COUNT,
	RATE,
	P50,
	P90,
	P99,
	P999,
	MAX,
	MEAN,
	OUT,
	IN,
	PARALLEL,
	WINDOWS,
	LOST,
	SHARES
};
enum { TIMED = SHARES + REQUESTS_N_PARTS, N_KIND_COLUMNS };

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

int ask_requests_kinds(const struct ask_requests *c, const struct requests_sums *rows, uint32_t n,
	const struct requests_state_sums *states, struct mer_str *out)
{
	struct mer_column columns[N_KIND_COLUMNS + 1] = {
		[KIND] = { "kind", "Kind", MER_TEXT },
		[PORT] = { "port", NULL, MER_ID }, /* people see it in the kind */
		[SERVICE] = { "service", "Service", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[RATE] = { "rate", "Per second", MER_REAL },
		[P50] = { "p50_ns", "p50", MER_DURATION },
		[P90] = { "p90_ns", "p90", MER_DURATION },
		[P99] = { "p99_ns", "p99", MER_DURATION },
		[P999] = { "p999_ns", "p99.9", MER_DURATION },
		[MAX] = { "max_ns", "Max", MER_DURATION },
		[MEAN] = { "mean_ns", NULL, MER_DURATION },
		[OUT] = { "out_bytes", "Bytes out", MER_BYTES },
		[IN] = { "in_bytes", "Bytes in", MER_BYTES },
		[PARALLEL] = { "most_parallel", "Parallel", MER_COUNT },
		[WINDOWS] = { "windows", NULL, MER_COUNT },
		[LOST] = { "lost_events", NULL, MER_COUNT },
		[SHARES] = { "requester_ns", NULL, MER_DURATION },
		{ "network_ns", NULL, MER_DURATION },
		{ "outside_ns", NULL, MER_DURATION },
		{ "queued_ns", NULL, MER_DURATION },
		{ "running_ns", NULL, MER_DURATION },
		{ "runnable_ns", NULL, MER_DURATION },
		{ "disk_ns", NULL, MER_DURATION },
		{ "locks_ns", NULL, MER_DURATION },
		{ "other_ns", NULL, MER_DURATION },
		{ "below_ns", NULL, MER_DURATION },
		[TIMED] = { "timed", NULL, MER_COUNT },
	};
	static const uint8_t may_hide[] = { P999, IN, OUT, PARALLEL, RATE, SERVICE, P90 };
	struct mer_arena arena;
	struct mer_table t;
	if (!n && is_for_people(c))
		return ask_requests_put_nothing(c, out);
	mer_arena_init(&arena);
	if (is_for_people(c))
		ask_requests_heading(c, "Requests by kind", out);
	mer_table_init(&t, "kinds", NULL, columns, &arena);
	uint32_t n_shown = c->limit && c->limit < n ? c->limit : n;
	size_t longest = 0;
	bool has_service = !is_for_people(c), has_many = !is_for_people(c);
	int64_t window_ns = ask_requests_window_ns(c);
	for (uint32_t i = 0; i < n_shown; i++) {
		const struct requests_sums *s = &rows[i];
		size_t length = strlen(mer_intern_text(&c->kinds->names, s->kind));
		longest = length > longest ? length : longest;
		uint16_t port = ask_requests_port(c, s);
		const char *service = ask_service_name(port);
		has_service |= service != NULL;
		bool timed = s->max_ns >= 0;
		bool is_many = s->n_timed >= 1000 || !is_for_people(c); /* for a thousandth */
		has_many |= is_many;
		bool is_enough = s->n_timed >= ASK_REQUESTS_LEAST_RANKED || !is_for_people(c);
		struct mer_cell cells[N_KIND_COLUMNS] = {
			[KIND] = mer_text(mer_intern_text(&c->kinds->names, s->kind)),
			[PORT] = port ? MER_INT(port) : MER_NONE,
			[SERVICE] = mer_text(service ? mer_arena_strdup(&arena, service) : NULL),
			[COUNT] = MER_INT(s->count),
			[TIMED] = MER_INT(s->n_timed),
			[RATE] = requests_rate(s, window_ns),
			[OUT] = MER_INT(s->bytes_out),
			[IN] = MER_INT(s->bytes_in),
			[PARALLEL] = MER_INT(s->most_parallel),
			[WINDOWS] = MER_INT(s->n_windows),
			[LOST] = MER_INT(s->n_damaged),
		};
		if (timed) {
			cells[P50] = MER_INT(s->p50_ns);
			cells[P90] = is_enough ? MER_INT(s->p90_ns) : MER_NONE;
			cells[P99] = is_enough ? MER_INT(s->p99_ns) : MER_NONE;
			cells[P999] = is_many ? MER_INT(s->p999_ns) : MER_NONE;
			cells[MAX] = MER_INT(s->max_ns);
			cells[MEAN] = MER_INT(s->mean_ns);
			for (unsigned k = 0; k < REQUESTS_N_PARTS; k++)
				cells[SHARES + k] = MER_INT(s->parts_ns[k]);
		}
		if (s->n_timed != s->count)
			columns[TIMED].title = "Timed";
		mer_table_add(&t, cells);
	}
	if (!has_service)
		columns[SERVICE].title = NULL;
	if (!has_many)
		columns[P999].title = NULL;
	/* The kinds are not to be shortened, if that can be. */
	for (size_t i = 0; i < sizeof(may_hide) / sizeof(may_hide[0]) && is_for_people(c); i++)
		if (ask_table_least_width(&t, longest, c->ask->ascii) > (size_t)ask_width(c->ask))
			columns[may_hide[i]].title = NULL;
	if (is_for_people(c))
		ask_requests_shorten_kinds(c, &t, KIND);
	int rc = put_table(c, &t, out);
	mer_table_fini(&t);
	if (is_for_people(c)) {
		ask_requests_rest(c, n - n_shown, out);
		put_shares(c, rows, n_shown, !columns[SERVICE].title, out);
		if (rc == 0 && states)
			rc = ask_requests_states_text(c, states, rows, n_shown, out);
		put_footer(c, rows, n, out);
	}
	mer_arena_fini(&arena);
	return rc;
}

/* ---- each request ---- */

/* "running 34 % (web)": the cause and host that took most, with the share that the path of the
 * request has (causes as parts in JSON). People get "34% running, web". */
static const char *most_of(const struct ask_requests *c, struct mer_table *t,
	const struct requests_parts *p, int64_t latency)
{
	/* What other servers did meanwhile is no cause of a path. */
	enum { QUEUED = PATH_N_CAUSES, OUTSIDE, N };
	int64_t sums[N] = { 0 }, greatest[N] = { 0 };
	const struct requests_part *example[N] = { 0 };
	unsigned best = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct requests_part *x = &p->item[i];
		unsigned cause = x->kind == REQUESTS_QUEUED    ? QUEUED
				 : x->kind == REQUESTS_OUTSIDE ? OUTSIDE
							       : x->cause;
		int64_t ns = x->end - x->begin;
		sums[cause] += ns;
		if (ns > greatest[cause]) {
			greatest[cause] = ns;
			example[cause] = x;
		}
	}
	for (unsigned k = 1; k < N; k++)
		best = sums[k] > sums[best] ? k : best;
	if (latency <= 0 || !sums[best])
		return NULL;
	const char *cause = ask_requests_part_name(example[best]);
	const char *host = c->w->e->hosts[example[best]->host].name;
	double percent = 100.0 * (double)sums[best] / (double)latency;
	if (!is_for_people(c))
		return mer_arena_printf(t->arena, "%s %.0f %% (%s)", cause, percent, host);
	return mer_arena_printf(t->arena, "%.0f%% %s, %s", percent, cause, host);
}

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
static void narrow_list(const struct ask_requests *c, struct mer_table *t,
	struct mer_column *columns, size_t begin, size_t client, size_t server, size_t most)
{
	enum { STEPS = 4 };
	for (int step = 0; step < STEPS; step++) {
		if (ask_table_least_width(t, SIZE_MAX, c->ask->ascii) <= (size_t)ask_width(c->ask))
			return;
		if (step == 2)
			columns[begin].type = MER_TEXT;
		if (step == 3)
			columns[begin].title = NULL;
		for (size_t i = 0; i < t->n_rows; i++) {
			struct mer_cell *row = &t->cells[i * t->n_columns];
			struct mer_str time = { 0 };
			const char *comma = row[most].set ? strrchr(row[most].v.text, ',') : NULL;
			const char *from = program_of(c, t, c->which[i], REQUESTS_CLIENT);
			const char *to = program_of(c, t, c->which[i], REQUESTS_SERVER);
			if (step == 0 && comma)
				row[most] = mer_text(mer_arena_printf(t->arena, "%.*s",
					(int)(comma - row[most].v.text), row[most].v.text));
			if (step == 1 && from)
				row[client] = mer_text(from);
			if (step == 1 && to)
				row[server] = mer_text(to);
			if (step == 2) {
				ask_text_clock(&time, row[begin].v.i);
				row[begin] = mer_table_keep(t, &time);
			}
		}
	}
}

int ask_requests_list(const struct ask_requests *c, struct mer_str *out)
{
	enum {
		ID,
		BEGIN,
		END,
		LATENCY,
		KIND_,
		CLIENT_HOST,
		CLIENT_TID,
		CLIENT_COMM,
		CLIENT_PORT,
		SERVER_HOST,
		SERVER_TID,
		SERVER_COMM,
		SERVER_PORT,
		CLIENT,
		SERVER,
		PARENT,
		CONFIDENCE,
		BYTES_OUT,
		BYTES_IN,
		MESSAGES,
		MOST,
		N
	};
	struct mer_column columns[N + 1] = {
		[ID] = { "id", "Request", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_TIME },
		[END] = { "end", NULL, MER_TIME },
		[LATENCY] = { "latency_ns", "Latency", MER_DURATION },
		[KIND_] = { "kind", NULL, MER_TEXT },
		[CLIENT_HOST] = { "client_host", NULL, MER_TEXT },
		[CLIENT_TID] = { "client_tid", NULL, MER_ID },
		[CLIENT_COMM] = { "client_comm", NULL, MER_TEXT },
		[CLIENT_PORT] = { "client_port", NULL, MER_ID },
		[SERVER_HOST] = { "server_host", NULL, MER_TEXT },
		[SERVER_TID] = { "server_tid", NULL, MER_ID },
		[SERVER_COMM] = { "server_comm", NULL, MER_TEXT },
		[SERVER_PORT] = { "server_port", NULL, MER_ID },
		[CLIENT] = { "client", "From", MER_TEXT },
		[SERVER] = { "server", "To", MER_TEXT },
		[PARENT] = { "parent", NULL, MER_TEXT },
		[CONFIDENCE] = { "confidence", NULL, MER_REAL },
		[BYTES_OUT] = { "out_bytes", NULL, MER_BYTES },
		[BYTES_IN] = { "in_bytes", NULL, MER_BYTES },
		[MESSAGES] = { "messages", NULL, MER_COUNT },
		[MOST] = { "most", "Mostly", MER_TEXT },
	};
	struct requests_parts parts = { 0 };
	struct mer_arena arena;
	struct mer_table t;
	int rc = 0;
	if (!c->n && is_for_people(c))
		return ask_requests_put_nothing(c, out);
	mer_arena_init(&arena);
	if (is_for_people(c))
		ask_requests_heading(c, "Requests", out);
	mer_table_init(&t, "requests", NULL, columns, &arena);
	for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
		uint32_t number = c->which[i];
		const struct requests_exchange *x = &c->r->exchanges[number];
		struct ask_requests_party client, server;
		char id[REQUESTS_ID_BYTES], parent[REQUESTS_ID_BYTES];
		ask_requests_party(c, number, REQUESTS_CLIENT, &client);
		ask_requests_party(c, number, REQUESTS_SERVER, &server);
		requests_id_text(c->r, number, id);
		if (x->parent)
			requests_id_text(c->r, x->parent - 1, parent);
		rc = requests_parts_find(c->parts, number, &parts, &c->ask->err);
		mer_table_add(&t,
			(struct mer_cell[N]){
				[ID] = mer_text(mer_arena_strdup(&arena, id)),
				[BEGIN] = MER_INT(x->begin),
				[END] = MER_INT(x->end),
				[LATENCY] = MER_INT(x->end - x->begin),
				[KIND_] = mer_text(requests_kind_name(c->kinds, number)),
				[CLIENT_HOST] = mer_text(client.host),
				[CLIENT_TID] = client.tid < 0 ? MER_NONE : MER_INT(client.tid),
				[CLIENT_COMM] = mer_text(client.comm),
				[CLIENT_PORT] = client.port ? MER_INT(client.port) : MER_NONE,
				[SERVER_HOST] = mer_text(server.host),
				[SERVER_TID] = server.tid < 0 ? MER_NONE : MER_INT(server.tid),
				[SERVER_COMM] = mer_text(server.comm),
				[SERVER_PORT] = server.port ? MER_INT(server.port) : MER_NONE,
				[CLIENT] = who(&t, &client),
				[SERVER] = who(&t, &server),
				[PARENT] = x->parent ? mer_text(mer_arena_strdup(&arena, parent))
						     : MER_NONE,
				[CONFIDENCE] = x->parent ? MER_REAL_CELL(ask_requests_confidence(x))
							 : MER_NONE,
				[BYTES_OUT] = MER_INT(x->bytes_out),
				[BYTES_IN] = MER_INT(x->bytes_in),
				[MESSAGES] = MER_INT(x->n_messages),
				[MOST] = mer_text(most_of(c, &t, &parts, x->end - x->begin)),
			});
	}
	if (rc == 0 && is_for_people(c) && !t.failed)
		narrow_list(c, &t, columns, BEGIN, CLIENT, SERVER, MOST);
	if (rc == 0)
		rc = put_table(c, &t, out);
	if (rc == 0 && is_for_people(c))
		ask_requests_rest(c, c->n_left_out, out);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	requests_parts_fini(&parts);
	return rc;
}
