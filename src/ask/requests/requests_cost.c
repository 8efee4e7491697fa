/* What requests cost: by kind, with what was used for none, and each of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "path/usage_columns.h"
#include "ask/print/answer_print.h"
#include "ask/period.h"
#include "ask/requests/requests_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/tables.h"
#include "requests/cost_sums.h"

/* Kinds of usage that were recorded on any host, as bits. */
static unsigned recorded(const struct ask_requests *c)
{
	unsigned known = 0;
	for (uint32_t i = 0; c->w->usage && i < c->w->world->n_hosts; i++)
		for (unsigned k = 0; k < USAGE_N_KINDS; k++)
			if (usage_is_recorded(c->w->usage, i, (enum usage_kind)k))
				known |= 1U << k;
	return known;
}

/* ---- for programs ---- */

enum { CPU, INTERRUPTED, USED, N_COST = USED + USAGE_N_COLUMNS };
#define COST_COLUMNS(first, of)                                                                    \
	[first + CPU] = { of "_cpu_ns", NULL, MER_DURATION },                                      \
		 [first + INTERRUPTED] = { of "_interrupted_ns", NULL, MER_DURATION },             \
		 USAGE_COLUMNS(first + USED, of)

static void put_cost(struct mer_cell *cells, const struct requests_cost *x, unsigned known)
{
	cells[CPU] = MER_INT(x->cpu_ns);
	cells[INTERRUPTED] = MER_INT(x->interrupted_ns);
	usage_put_cells(cells + USED, x->used, known);
}

static void add_kinds(
	const struct ask_requests *c, const struct requests_cost_sums *s, struct answer *a)
{
	enum { KIND, COUNT, SELF, TOTAL = SELF + N_COST, N = TOTAL + N_COST };
	static const struct mer_column columns[N + 1] = {
		[KIND] = { "kind", NULL, MER_TEXT },
		[COUNT] = { "count", NULL, MER_COUNT },
		COST_COLUMNS(SELF, "self"),
		COST_COLUMNS(TOTAL, "total"),
	};
	unsigned known = recorded(c);
	struct mer_table *t = answer_add(a, "kinds", "Cost of requests by kind", columns);
	for (uint32_t i = 0; i < s->n_kinds; i++) {
		const struct requests_kind_cost *x = &s->kinds[i];
		struct mer_cell cells[N] = {
			[KIND] = mer_text(mer_intern_text(&c->kinds->names, x->kind)),
			[COUNT] = MER_INT(x->count),
		};
		put_cost(cells + SELF, &x->self, known);
		put_cost(cells + TOTAL, &x->total, known);
		mer_table_add(t, cells);
	}
	mer_table_limit(t, c->limit);
}

static void add_programs(
	const struct ask_requests *c, const struct requests_cost_sums *s, struct answer *a)
{
	enum { HOST, PROGRAM, SELF, N = SELF + N_COST };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[PROGRAM] = { "program", NULL, MER_TEXT },
		COST_COLUMNS(SELF, "self"),
	};
	unsigned known = recorded(c);
	struct mer_table *t = answer_add(a, "no_request", "What was used for no request", columns);
	for (uint32_t i = 0; i < s->n_programs; i++) {
		const struct requests_program_cost *x = &s->programs[i];
		struct mer_cell cells[N] = {
			[HOST] = mer_text(c->w->e->hosts[x->host].name),
			[PROGRAM] = mer_text(*x->program ? x->program : NULL),
		};
		put_cost(cells + SELF, &x->cost, known);
		mer_table_add(t, cells);
	}
	mer_table_limit(t, c->limit);
}

static void add_hosts(
	const struct ask_requests *c, const struct requests_cost_sums *s, struct answer *a)
{
	enum { HOST, REQUESTS, NONE = REQUESTS + N_COST, N = NONE + N_COST };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		COST_COLUMNS(REQUESTS, "requests"),
		COST_COLUMNS(NONE, "no_request"),
	};
	unsigned known = recorded(c);
	struct mer_column *shown = mer_arena_zalloc(&a->arena, N + 1, sizeof(*shown));
	if (shown) { /* people get the CPU time */
		memcpy(shown, columns, sizeof(columns));
		shown[REQUESTS + CPU].title = "CPU for requests";
		shown[NONE + CPU].title = "For none";
	}
	struct mer_table *t = answer_add(
		a, "hosts", "What hosts used for requests and for none", shown ? shown : columns);
	for (uint32_t i = 0; i < s->n_hosts; i++) {
		struct mer_cell cells[N] = { [HOST] = mer_text(c->w->e->hosts[i].name) };
		put_cost(cells + REQUESTS, &s->for_requests[i], known);
		put_cost(cells + NONE, &s->for_none[i], known);
		mer_table_add(t, cells);
	}
}

static void answer_cost(
	const struct ask_requests *c, const struct requests_cost_sums *s, struct answer *a)
{
	bool all = c->table == ASK_REQUESTS_COST_ALL;
	if (all || c->table == ASK_REQUESTS_COST_KINDS)
		add_kinds(c, s, a);
	if (all || c->table == ASK_REQUESTS_COST_NO_REQUEST)
		add_programs(c, s, a);
	if (all || c->table == ASK_REQUESTS_COST_HOSTS)
		add_hosts(c, s, a);
}

/* ---- for people ---- */

enum { BYTES = 4 };
/* By what one wants to know first; where lines would be too long, the last ones go. */
static const struct {
	const char *key, *title;
	enum usage_kind kind;
} shown[BYTES] = {
	{ "written_bytes", "Disk written", USAGE_BLOCK_WRITTEN },
	{ "read_bytes", "Disk read", USAGE_BLOCK_READ },
	{ "sent_bytes", "Sent", USAGE_SOCKETS_SENT },
	{ "received_bytes", "Received", USAGE_SOCKETS_RECEIVED },
};

static void put_bytes(struct mer_cell *cells, const struct requests_cost *x, unsigned known)
{
	for (unsigned i = 0; i < BYTES; i++)
		if (known >> shown[i].kind & 1)
			cells[i] = MER_INT(x->used[shown[i].kind]);
}

static void set_bytes(struct mer_column *columns)
{
	for (unsigned i = 0; i < BYTES; i++)
		columns[i] = (struct mer_column){ shown[i].key, shown[i].title, MER_BYTES };
}

/* As many columns as there is room for; the texts are not to be shortened. */
static void fit(const struct ask_requests *c, const struct mer_table *t, size_t text,
	struct mer_column *columns, const uint8_t *may_hide, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ask_table_least_width(t, text, c->ask->ascii) > (size_t)ask_width(c->ask))
			columns[may_hide[i]].title = NULL;
}

static size_t longest_text(const struct mer_table *t, size_t column)
{
	size_t longest = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *text = t->cells[i * t->n_columns + column].v.text;
		size_t width = text ? ask_text_width(text, strlen(text)) : 0;
		longest = width > longest ? width : longest;
	}
	return longest;
}

static int64_t per_request(int64_t sum, uint32_t n)
{
	return n ? sum / n : 0;
}

static void put_kinds(const struct ask_requests *c, const struct requests_cost_sums *s,
	struct mer_arena *arena, struct mer_str *out)
{
	enum { KIND, COUNT, SHARE, SELF, MEAN, WHOLE, BYTES_FROM, N = BYTES_FROM + BYTES };
	static const uint8_t may_hide[] = { BYTES_FROM + 3, BYTES_FROM + 2, BYTES_FROM + 1,
		BYTES_FROM, SHARE };
	struct mer_column columns[N + 1] = {
		[KIND] = { "kind", "Kind", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[SELF] = { "cpu_ns", "CPU", MER_DURATION },
		[SHARE] = { "percent", "%", MER_RATIO },
		[MEAN] = { "mean_ns", "Each", MER_DURATION },
		[WHOLE] = { "whole_ns", "With below", MER_DURATION },
	};
	unsigned known = recorded(c);
	struct mer_table t;
	double all = s->all.cpu_ns > 0 ? (double)s->all.cpu_ns : 1;
	uint32_t n = c->limit && c->limit < s->n_kinds ? c->limit : s->n_kinds;
	struct requests_cost left = s->others;
	set_bytes(&columns[BYTES_FROM]);
	mer_table_init(&t, "kinds", NULL, columns, arena);
	for (uint32_t i = 0; i < s->n_kinds; i++) {
		const struct requests_kind_cost *x = &s->kinds[i];
		struct mer_cell cells[N] = {
			[KIND] = mer_text(mer_intern_text(&c->kinds->names, x->kind)),
			[COUNT] = MER_INT(x->count),
			[SELF] = MER_INT(x->self.cpu_ns),
			[SHARE] = MER_REAL_CELL((double)x->self.cpu_ns / all),
			[MEAN] = MER_INT(per_request(x->self.cpu_ns, x->count)),
			[WHOLE] = MER_INT(per_request(x->total.cpu_ns, x->count)),
		};
		put_bytes(&cells[BYTES_FROM], &x->self, known);
		if (i < n)
			mer_table_add(&t, cells);
		else
			requests_cost_add(&left, &x->self);
	}
	const struct {
		const char *name;
		const struct requests_cost *cost;
	} rest[] = { { "other requests", &left }, { "no request", &s->none },
		{ "all tasks", &s->all } };
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		struct mer_cell cells[N] = {
			[KIND] = mer_text(rest[i].name),
			[SELF] = MER_INT(rest[i].cost->cpu_ns),
			[SHARE] = MER_REAL_CELL((double)rest[i].cost->cpu_ns / all),
		};
		static const struct requests_cost nothing;
		put_bytes(&cells[BYTES_FROM], rest[i].cost, known);
		if (rest[i].cost != &left || memcmp(&left, &nothing, sizeof(left)) != 0)
			mer_table_add(&t, cells);
	}
	fit(c, &t, longest_text(&t, KIND), columns, may_hide, sizeof(may_hide));
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t.failed;
	mer_table_fini(&t);
}

static void put_programs(const struct ask_requests *c, const struct requests_cost_sums *s,
	struct mer_arena *arena, struct mer_str *out)
{
	enum { SCREENFUL = 8 };
	enum { HOST, PROGRAM, SELF, SHARE, BYTES_FROM, N = BYTES_FROM + BYTES };
	static const uint8_t may_hide[] = { BYTES_FROM + 3, BYTES_FROM + 2, BYTES_FROM + 1,
		BYTES_FROM };
	struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[PROGRAM] = { "program", "Program", MER_TEXT },
		[SELF] = { "cpu_ns", "CPU", MER_DURATION },
		[SHARE] = { "percent", "%", MER_RATIO },
	};
	unsigned known = recorded(c);
	struct mer_table t;
	double all = s->all.cpu_ns > 0 ? (double)s->all.cpu_ns : 1;
	uint32_t n = c->limit ? c->limit : SCREENFUL;
	set_bytes(&columns[BYTES_FROM]);
	mer_table_init(&t, "no_request", NULL, columns, arena);
	for (uint32_t i = 0; i < n && i < s->n_programs; i++) {
		const struct requests_program_cost *x = &s->programs[i];
		struct mer_cell cells[N] = {
			[HOST] = mer_text(c->w->e->hosts[x->host].name),
			[PROGRAM] = mer_text(*x->program ? x->program : NULL),
			[SELF] = MER_INT(x->cost.cpu_ns),
			[SHARE] = MER_REAL_CELL((double)x->cost.cpu_ns / all),
		};
		put_bytes(&cells[BYTES_FROM], &x->cost, known);
		mer_table_add(&t, cells);
	}
	fit(c, &t, longest_text(&t, PROGRAM), columns, may_hide, sizeof(may_hide));
	mer_str_puts(out, "\nWhat was used for no request, by program\n");
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	if (s->n_programs > n)
		mer_str_printf(
			out, "... and %" PRIu32 " more (-n 0 shows all)\n", s->n_programs - n);
	out->failed |= t.failed;
	mer_table_fini(&t);
}

/* Of the time that is looked at. */
static void put_hosts(
	const struct ask_requests *c, const struct requests_cost_sums *s, struct mer_str *out)
{
	struct answer a;
	answer_init(&a, c->w->e);
	add_hosts(c, s, &a);
	mer_str_printf(out, "\n%s\n", a.tables[0].table->title);
	ask_table_text(
		a.tables[0].table, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= answer_check(&a, &c->ask->err) != 0;
	answer_fini(&a);
}

static void put_heading(const struct ask_requests *c, struct mer_str *out)
{
	const struct session_window *w = &c->ask->window;
	int64_t begin = INT64_MAX, end = INT64_MIN;
	for (uint32_t i = 0; i < c->w->world->n_hosts; i++) {
		const struct kernel_host *h = &c->w->world->hosts[i];
		begin = h->begin < begin ? h->begin : begin;
		end = h->end > end ? h->end : end;
	}
	begin = w->begin > begin ? w->begin : begin;
	end = w->end < end ? w->end : end;
	ask_heading_text(c->ask, "Cost of requests by kind", NULL, begin, end, out);
}

static int put_text(const struct ask_requests *c, const struct requests_cost_sums *s)
{
	struct mer_str out = { 0 };
	struct mer_arena arena;
	bool all = c->table == ASK_REQUESTS_COST_ALL;
	mer_arena_init(&arena);
	put_heading(c, &out);
	if (all || c->table == ASK_REQUESTS_COST_KINDS)
		put_kinds(c, s, &arena, &out);
	if (all || c->table == ASK_REQUESTS_COST_NO_REQUEST)
		put_programs(c, s, &arena, &out);
	if (c->table == ASK_REQUESTS_COST_HOSTS)
		put_hosts(c, s, &out);
	out.failed |= arena.failed;
	mer_arena_fini(&arena);
	return ask_put(c->ask, &out, 0);
}

int ask_requests_cost(const struct ask_requests *c)
{
	struct requests_cost_sums s;
	const struct session_window *w = &c->ask->window;
	int rc = requests_cost_sum(c->kinds, c->parts, c->w->usage, c->which, c->n, w->begin,
		w->end, &s, &c->ask->err);
	if (rc == 0 && c->ask->format != ASK_FORMAT_TABLE) {
		struct answer a;
		ask_answer_init(c->ask, c->w->e, true, &a);
		answer_cost(c, &s, &a);
		rc = ask_answer_print(c->ask, &a);
		answer_fini(&a);
	} else if (rc == 0) {
		rc = put_text(c, &s);
	}
	requests_cost_sums_fini(&s);
	return rc;
}

/* ---- each, for programs ---- */

struct each { /* whose rows are made as they are written */
	const struct ask_requests *c;
	const struct requests_cost *self, *total; /* by exchange */
	unsigned known;
	uint32_t at;
};

enum { EACH_ID, EACH_BEGIN, EACH_LATENCY, EACH_KIND, EACH_SERVER, N_EACH };

static void put_each(const struct ask_requests *c, uint32_t number, struct mer_arena *arena,
	struct mer_cell *row)
{
	const struct requests_exchange *x = &c->r->exchanges[number];
	struct ask_requests_party server;
	char id[REQUESTS_ID_BYTES];
	requests_id_text(c->r, number, id);
	ask_requests_party(c, number, REQUESTS_SERVER, &server);
	row[EACH_ID] = mer_text(mer_arena_strdup(arena, id));
	row[EACH_BEGIN] = MER_INT(x->begin);
	row[EACH_LATENCY] = MER_INT(x->end - x->begin);
	row[EACH_KIND] = mer_text(requests_kind_name(c->kinds, number));
	row[EACH_SERVER] = ask_requests_who(arena, &server);
}

#define EACH_COLUMNS                                                                               \
	[EACH_ID] = { "id", "Request", MER_TEXT }, [EACH_BEGIN] = { "begin", "Begin", MER_TIME },  \
	[EACH_LATENCY] = { "latency_ns", "Latency", MER_DURATION },                                \
	[EACH_KIND] = { "kind", NULL, MER_TEXT }, [EACH_SERVER] = { "server", "To", MER_TEXT }

enum { EACH_SELF = N_EACH, EACH_TOTAL = EACH_SELF + N_COST, N_EACH_COST = EACH_TOTAL + N_COST };
static const struct mer_column each_columns[N_EACH_COST + 1] = {
	EACH_COLUMNS,
	COST_COLUMNS(EACH_SELF, "self"),
	COST_COLUMNS(EACH_TOTAL, "total"),
};

static int more_each(void *ctx, struct mer_table *t, struct mer_err *err)
{
	enum { AT_ONCE = 1024 };
	struct each *x = ctx;
	(void)err;
	for (; x->at < x->c->n && t->n_rows < AT_ONCE; x->at++) {
		uint32_t number = x->c->which[x->at];
		struct mer_cell row[N_EACH_COST] = { 0 };
		put_each(x->c, number, t->arena, row);
		put_cost(&row[EACH_SELF], &x->self[number], x->known);
		put_cost(&row[EACH_TOTAL], &x->total[number], x->known);
		mer_table_add(t, row);
	}
	return 0;
}

/* ---- each, for people ---- */

static int put_each_text(const struct ask_requests *c, const struct requests_cost *self,
	const struct requests_cost *total)
{
	enum { SELF_CPU = N_EACH, TOTAL_CPU, BYTES_FROM, N = BYTES_FROM + BYTES };
	static const uint8_t may_hide[] = { BYTES_FROM + 3, BYTES_FROM + 2, BYTES_FROM + 1,
		BYTES_FROM, EACH_BEGIN };
	struct mer_column columns[N + 1] = {
		EACH_COLUMNS,
		[SELF_CPU] = { "cpu_ns", "CPU", MER_DURATION },
		[TOTAL_CPU] = { "whole_ns", "With below", MER_DURATION },
	};
	unsigned known = recorded(c);
	struct mer_str out = { 0 };
	struct mer_arena arena;
	struct mer_table t;
	mer_arena_init(&arena);
	set_bytes(&columns[BYTES_FROM]);
	ask_requests_heading(c, "Cost of requests", &out);
	mer_table_init(&t, "requests", NULL, columns, &arena);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t number = c->which[i];
		struct mer_cell row[N] = { [SELF_CPU] = MER_INT(self[number].cpu_ns),
			[TOTAL_CPU] = MER_INT(total[number].cpu_ns) };
		put_each(c, number, &arena, row);
		put_bytes(&row[BYTES_FROM], &total[number], known);
		mer_table_add(&t, row);
	}
	fit(c, &t, longest_text(&t, EACH_SERVER), columns, may_hide, sizeof(may_hide));
	ask_table_text(&t, &out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	ask_requests_rest(c, c->n_left_out, &out);
	out.failed |= t.failed || arena.failed;
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	return ask_put(c->ask, &out, 0);
}

int ask_requests_cost_list(const struct ask_requests *c, const struct requests_cost *self,
	const struct requests_cost *total)
{
	struct each x = { .c = c, .self = self, .total = total, .known = recorded(c) };
	struct answer a;
	if (c->ask->format == ASK_FORMAT_TABLE)
		return put_each_text(c, self, total);
	ask_answer_init(c->ask, c->w->e, true, &a);
	answer_stream(&a, "requests", "Cost of requests", each_columns, more_each, &x);
	int rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	return rc;
}

/* ---- before anybody asks ---- */

void ask_requests_cost_tables(struct answer *a)
{
	const struct kernel_world world = { 0 };
	const struct session_world w = { .world = &world };
	const struct requests_cost_sums none = { 0 };
	answer_cost(&(struct ask_requests){ .w = &w, .table = ASK_REQUESTS_COST_ALL }, &none, a);
}

void ask_requests_cost_list_tables(struct answer *a)
{
	answer_add(a, "requests", "Cost of requests", each_columns);
}
