/* What requests cost: by kind, with what was used for none, and each of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "path/usage_columns.h"
#include "ask/period.h"
#include "ask/requests/requests_print.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
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

static void make_kinds(const struct ask_requests *c, const struct requests_cost_sums *s,
	struct mer_table *t, struct mer_arena *arena)
{
	enum { KIND, COUNT, SELF, TOTAL = SELF + N_COST, N = TOTAL + N_COST };
	static const struct mer_column columns[N + 1] = {
		[KIND] = { "kind", NULL, MER_TEXT },
		[COUNT] = { "count", NULL, MER_COUNT },
		COST_COLUMNS(SELF, "self"),
		COST_COLUMNS(TOTAL, "total"),
	};
	unsigned known = recorded(c);
	mer_table_init(t, "kinds", "Cost of requests by kind", columns, arena);
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
}

static void make_programs(const struct ask_requests *c, const struct requests_cost_sums *s,
	struct mer_table *t, struct mer_arena *arena)
{
	enum { HOST, PROGRAM, SELF, N = SELF + N_COST };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", NULL, MER_TEXT },
		[PROGRAM] = { "program", NULL, MER_TEXT },
		COST_COLUMNS(SELF, "self"),
	};
	unsigned known = recorded(c);
	mer_table_init(t, "no_request", "What was used for no request", columns, arena);
	for (uint32_t i = 0; i < s->n_programs; i++) {
		const struct requests_program_cost *x = &s->programs[i];
		struct mer_cell cells[N] = {
			[HOST] = mer_text(c->w->e->hosts[x->host].name),
			[PROGRAM] = mer_text(*x->program ? x->program : NULL),
		};
		put_cost(cells + SELF, &x->cost, known);
		mer_table_add(t, cells);
	}
}

static void make_hosts(const struct ask_requests *c, const struct requests_cost_sums *s,
	struct mer_table *t, struct mer_arena *arena)
{
	enum { HOST, REQUESTS, NONE = REQUESTS + N_COST, N = NONE + N_COST };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		COST_COLUMNS(REQUESTS, "requests"),
		COST_COLUMNS(NONE, "no_request"),
	};
	unsigned known = recorded(c);
	struct mer_column *shown = mer_arena_zalloc(arena, N + 1, sizeof(*shown));
	if (shown) { /* people get the CPU time */
		memcpy(shown, columns, sizeof(columns));
		shown[REQUESTS + CPU].title = "CPU for requests";
		shown[NONE + CPU].title = "For none";
	}
	mer_table_init(t, "hosts", "What hosts used for requests and for none",
		shown ? shown : columns, arena);
	for (uint32_t i = 0; i < s->n_hosts; i++) {
		struct mer_cell cells[N] = { [HOST] = mer_text(c->w->e->hosts[i].name) };
		put_cost(cells + REQUESTS, &s->for_requests[i], known);
		put_cost(cells + NONE, &s->for_none[i], known);
		mer_table_add(t, cells);
	}
}

static int put_for_programs(
	const struct ask_requests *c, const struct requests_cost_sums *s, struct mer_str *out)
{
	enum { TABLES = 3 };
	struct mer_arena arena;
	struct mer_table tables[TABLES];
	struct mer_json j;
	int rc = 0;
	bool failed = false;
	size_t first = c->table ? c->table - ASK_REQUESTS_COST_KINDS : 0, n = c->table ? 1 : TABLES;
	mer_arena_init(&arena);
	make_kinds(c, s, &tables[0], &arena);
	make_programs(c, s, &tables[1], &arena);
	make_hosts(c, s, &tables[2], &arena);
	for (size_t i = 0; i < TABLES; i++) {
		mer_table_limit(&tables[i], i == 2 ? 0 : c->limit);
		failed |= tables[i].failed;
	}
	if (failed) {
		rc = mer_fail_nomem(&c->ask->err);
	} else if (c->ask->format != ASK_FORMAT_JSON) {
		rc = ask_tables_print(c->ask, &tables[first], n);
	} else {
		mer_json_init(&j, out, NULL, 0);
		mer_json_begin_object(&j);
		mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
		for (size_t i = first; i < first + n; i++) {
			mer_json_key(&j, tables[i].id);
			mer_table_json_rows(&tables[i], tables[i].n_rows, &j);
		}
		ask_json_synced(&j, c->ask);
		ask_json_diagnostics(&j, c->w->e);
		mer_json_end_object(&j);
		rc = mer_json_finish(&j, &c->ask->err);
	}
	for (size_t i = 0; i < TABLES; i++)
		mer_table_fini(&tables[i]);
	mer_arena_fini(&arena);
	return rc;
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
static void put_hosts(const struct ask_requests *c, const struct requests_cost_sums *s,
	struct mer_arena *arena, struct mer_str *out)
{
	struct mer_table t;
	make_hosts(c, s, &t, arena);
	mer_str_printf(out, "\n%s\n", t.title);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t.failed;
	mer_table_fini(&t);
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

int ask_requests_cost(const struct ask_requests *c, struct mer_str *out)
{
	struct requests_cost_sums s;
	const struct session_window *w = &c->ask->window;
	int rc = requests_cost_sum(c->kinds, c->parts, c->w->usage, c->which, c->n, w->begin,
		w->end, &s, &c->ask->err);
	if (rc == 0 && c->ask->format != ASK_FORMAT_TABLE) {
		rc = put_for_programs(c, &s, out);
	} else if (rc == 0) {
		struct mer_arena arena;
		mer_arena_init(&arena);
		put_heading(c, out);
		if (c->table == ASK_REQUESTS_COST_ALL || c->table == ASK_REQUESTS_COST_KINDS)
			put_kinds(c, &s, &arena, out);
		if (c->table == ASK_REQUESTS_COST_ALL || c->table == ASK_REQUESTS_COST_NO_REQUEST)
			put_programs(c, &s, &arena, out);
		if (c->table == ASK_REQUESTS_COST_HOSTS)
			put_hosts(c, &s, &arena, out);
		if (arena.failed)
			rc = mer_fail_nomem(&c->ask->err);
		mer_arena_fini(&arena);
	}
	requests_cost_sums_fini(&s);
	return rc;
}

/* ---- each ---- */

static struct mer_cell who(struct mer_arena *arena, const struct ask_requests_party *p)
{
	if (!p->host || p->tid < 0)
		return mer_text(p->host ? p->host : "outside");
	return mer_text(mer_arena_printf(
		arena, "%s:%s/%" PRId32, p->host, p->comm ? p->comm : "?", p->tid));
}

static int put_each(const struct ask_requests *c, const struct requests_cost *self,
	const struct requests_cost *total, struct mer_arena *arena, struct mer_str *out)
{
	enum {
		ID,
		BEGIN,
		LATENCY,
		KIND,
		SERVER,
		SELF_CPU,
		TOTAL_CPU,
		BYTES_FROM,
		SELF = BYTES_FROM + BYTES,
		TOTAL = SELF + N_COST,
		N = TOTAL + N_COST
	};
	static const uint8_t may_hide[] = { BYTES_FROM + 3, BYTES_FROM + 2, BYTES_FROM + 1,
		BYTES_FROM, BEGIN };
	struct mer_column columns[N + 1] = {
		[ID] = { "id", "Request", MER_TEXT },
		[BEGIN] = { "begin", "Begin", MER_TIME },
		[LATENCY] = { "latency_ns", "Latency", MER_DURATION },
		[KIND] = { "kind", NULL, MER_TEXT },
		[SERVER] = { "server", "To", MER_TEXT },
		COST_COLUMNS(SELF, "self"),
		COST_COLUMNS(TOTAL, "total"),
	};
	bool is_for_people = c->ask->format == ASK_FORMAT_TABLE;
	unsigned known = recorded(c);
	struct mer_table t;
	int rc = 0;
	/* People see some of them. */
	set_bytes(&columns[BYTES_FROM]);
	columns[SELF_CPU] = (struct mer_column){ "cpu_ns", "CPU", MER_DURATION };
	columns[TOTAL_CPU] = (struct mer_column){ "whole_ns", "With below", MER_DURATION };
	if (!is_for_people)
		for (unsigned i = SELF_CPU; i < N; i++)
			columns[i] = columns[i < N - (SELF - SELF_CPU) ? i + SELF - SELF_CPU : N];
	mer_table_init(&t, "requests", NULL, columns, arena);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t number = c->which[i];
		const struct requests_exchange *x = &c->r->exchanges[number];
		struct ask_requests_party server;
		char id[REQUESTS_ID_BYTES];
		requests_id_text(c->r, number, id);
		ask_requests_party(c, number, REQUESTS_SERVER, &server);
		struct mer_cell cells[N] = {
			[ID] = mer_text(mer_arena_strdup(arena, id)),
			[BEGIN] = MER_INT(x->begin),
			[LATENCY] = MER_INT(x->end - x->begin),
			[KIND] = mer_text(requests_kind_name(c->kinds, number)),
			[SERVER] = who(arena, &server),
		};
		if (is_for_people) {
			cells[SELF_CPU] = MER_INT(self[number].cpu_ns);
			cells[TOTAL_CPU] = MER_INT(total[number].cpu_ns);
			put_bytes(&cells[BYTES_FROM], &total[number], known);
		} else {
			put_cost(&cells[SELF_CPU], &self[number], known);
			put_cost(&cells[SELF_CPU + N_COST], &total[number], known);
		}
		mer_table_add(&t, cells);
	}
	if (is_for_people) {
		fit(c, &t, longest_text(&t, SERVER), columns, may_hide, sizeof(may_hide));
		ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
		ask_requests_rest(c, c->n_left_out, out);
	} else if (c->ask->format == ASK_FORMAT_JSON) {
		struct mer_json j;
		mer_json_init(&j, out, NULL, 0);
		mer_json_begin_object(&j);
		mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
		mer_json_key(&j, t.id);
		mer_table_json_rows(&t, t.n_rows, &j);
		ask_json_synced(&j, c->ask);
		ask_json_diagnostics(&j, c->w->e);
		mer_json_end_object(&j);
		rc = mer_json_finish(&j, &c->ask->err);
	} else {
		ask_table_rows(c->ask, &t, mer_table_whole(&t), out);
	}
	if (t.failed)
		rc = mer_fail_nomem(&c->ask->err);
	mer_table_fini(&t);
	return rc;
}

int ask_requests_cost_list(const struct ask_requests *c, const struct requests_cost *self,
	const struct requests_cost *total, struct mer_str *out)
{
	struct mer_arena arena;
	mer_arena_init(&arena);
	if (c->ask->format == ASK_FORMAT_TABLE)
		ask_requests_heading(c, "Cost of requests", out);
	int rc = put_each(c, self, total, &arena, out);
	if (rc == 0 && arena.failed)
		rc = mer_fail_nomem(&c->ask->err);
	mer_arena_fini(&arena);
	return rc;
}
