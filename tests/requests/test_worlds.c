/* Worlds of a few calls (calls_world.h) and all that is found in them, in full, as it is in
 * tests/requests/worlds.txt: those of the other tests here, which state the single rules. Times are
 * us. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "calls_world.h"
#include "expected.h"
#include "requests/edges.h"
#include "requests/explain.h"

enum { TEXT = 8000 };

static void put_time(struct mer_str *out, const char *what, int64_t ns)
{
	if (ns != REQUESTS_NO_TIME)
		mer_str_printf(out, " %s %" PRId64, what, ns / 1000);
}

static void put_task(
	const struct calls_world *c, struct mer_str *out, const char *what, uint32_t task)
{
	if (task != KERNEL_NONE)
		mer_str_printf(out, ", %s %d", what, c->host.tasks[task].tid);
}

/* What the text of the whole does not say. */
static void put_exchange(const struct calls_world *c, uint32_t i, struct mer_str *out)
{
	const struct requests_exchange *x = &c->r->exchanges[i];
	char id[REQUESTS_ID_BYTES];
	requests_id_text(c->r, i, id);
	assert_int_equal(requests_by_id(c->r, id), i);
	mer_str_printf(out, "%s:", id);
	put_time(out, "sent", x->sent);
	put_time(out, "read", x->read);
	put_time(out, "read until", x->read_end);
	put_time(out, "answered", x->answered);
	put_time(out, "done", x->done);
	mer_str_printf(out, ", %" PRIu64 " out %" PRIu64 " in", x->bytes_out, x->bytes_in);
	put_task(c, out, "reader", x->reader);
	mer_str_puts(out, x->is_damaged ? ", damaged\n" : "\n");
}

static void put_connection(const struct requests_connection *x, struct mer_str *out)
{
	mer_str_printf(out, "connection from %" PRId64 "%s%s%s%s%s, %" PRIu32 " exchanges\n",
		x->begin / 1000, x->is_pipes ? ", pipes" : "", x->is_unix ? ", unix" : "",
		x->is_opened ? ", opened" : "", x->is_damaged ? ", damaged" : "",
		x->is_multiplexed ? ", multiplexed" : "", x->n);
}

static void put_sums(const struct calls_world *c, struct mer_str *out)
{
	struct requests_kinds k;
	struct requests_sums *rows;
	struct mer_err err = { 0 };
	uint32_t n, *which = calloc(c->r->n + 1, sizeof(*which));
	assert_non_null(which);
	for (uint32_t i = 0; i < c->r->n; i++)
		which[i] = i;
	assert_int_equal(requests_kinds_find(c->r, &k, &err), 0);
	assert_int_equal(requests_sum(&k, which, c->r->n, &rows, &n, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_sums *s = &rows[i];
		mer_str_printf(out,
			"kind '%s' x%" PRIu32 " from %" PRIu32 ", parallel %" PRIu32
			", windows %" PRIu32 ", damaged %" PRIu32 ", timed %" PRIu32,
			mer_intern_text(&k.names, s->kind), s->count, s->first, s->most_parallel,
			s->n_windows, s->n_damaged, s->n_timed);
		mer_str_printf(out,
			": %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " max %" PRId64
			" mean %" PRId64,
			s->p50_ns, s->p90_ns, s->p99_ns, s->p999_ns, s->max_ns, s->mean_ns);
		mer_str_printf(out, ", %" PRIu64 " out %" PRIu64 " in;", s->bytes_out, s->bytes_in);
		for (int p = 0; p < REQUESTS_N_PARTS; p++)
			if (s->parts_ns[p])
				mer_str_printf(out, " %s %" PRId64,
					requests_part_name((enum requests_part_kind)p),
					s->parts_ns[p] / 1000);
		mer_str_putc(out, '\n');
	}
	for (uint32_t i = 0; i < n; i++) {
		struct requests_explanations all;
		const struct requests_choice slowest = { .slowest = 1 };
		assert_int_equal(requests_explain(&k, c->parts, which, c->r->n, rows[i].kind,
					 &slowest, &all, &err),
			0);
		const struct requests_explanation *x = all.group[0];
		mer_str_printf(out,
			"slow: %" PRIu32 " of %" PRIu32 ", typical %" PRIu32 ", chosen %" PRIu32
			", %" PRId64 " and %" PRId64 ", example %" PRIu32 ", slowest %" PRId64
			", groups %u\n",
			x ? x->n_slow : 0, all.n_all, x ? x->n_typical : 0, all.n_chosen,
			x ? x->slow_ns : 0, x ? x->typical_ns : 0, x ? x->example : 0,
			all.slowest_ns, all.n);
		for (size_t r = 0; x && r < x->n; r++)
			mer_str_printf(out,
				"\t%s %s: %" PRId64 " %" PRId64 " %" PRId64 ", %u culprits\n",
				mer_intern_text(&x->names, x->reasons[r].program),
				requests_part_name((enum requests_part_kind)x->reasons[r].part),
				x->reasons[r].slow_ns, x->reasons[r].typical_ns, x->reasons[r].ns,
				x->reasons[r].n_culprits);
		requests_explanations_fini(&all);
	}
	free(rows);
	free(which);
	requests_kinds_fini(&k);
}

static void put_edges(struct calls_world *c, bool by_task, struct mer_str *out)
{
	struct mer_host host = { .name = "h" };
	struct mer_experiment e = { .hosts = &host, .n_hosts = 1 };
	struct mer_arena arena;
	struct mer_table t;
	struct mer_err err = { 0 };
	const struct analysis_options all = { .begin = INT64_MIN, .end = INT64_MAX };
	const struct requests_edges_options o = {
		.by_task = by_task, .begin = INT64_MIN, .end = INT64_MAX, .wanted = &all
	};
	mer_arena_init(&arena);
	c->w.e = &e;
	assert_int_equal(requests_edges_find(c->r, &o, &arena, &t, &err), 0);
	c->w.e = NULL;
	for (size_t i = 0; i < t.n_rows; i++) {
		const struct mer_cell *x = &t.cells[i * t.n_columns];
		mer_str_printf(out, "edge %s > %s %s x%" PRId64, x[REQUESTS_EDGE_FROM].v.text,
			x[REQUESTS_EDGE_TO].v.text, x[REQUESTS_EDGE_KIND].v.text,
			x[REQUESTS_EDGE_COUNT].v.i);
		if (x[REQUESTS_EDGE_P50].set)
			mer_str_printf(out, ", %" PRId64 " %" PRId64, x[REQUESTS_EDGE_P50].v.i,
				x[REQUESTS_EDGE_P99].v.i);
		mer_str_putc(out, '\n');
	}
	mer_table_fini(&t);
	mer_arena_fini(&arena);
}

/* own: the user's requests (requests/own.h), as of calls_world_own; "": none. */
static void put_world(const char *world, const char *own, struct mer_str *out)
{
	struct calls_world c;
	char text[TEXT];
	calls_world_open(&c, world);
	if (*own)
		calls_world_own(&c, own);
	calls_world_text(&c, text, sizeof(text));
	mer_str_printf(out, "%s\n", text);
	mer_str_printf(
		out, "%" PRIu32 " damaged, %" PRIu32 " one way\n", c.r->n_damaged, c.r->n_one_way);
	for (size_t i = 0; i < c.r->connections.n; i++)
		put_connection(&c.r->connections.item[i], out);
	for (uint32_t i = 0; i < c.r->n; i++) {
		char id[REQUESTS_ID_BYTES];
		put_exchange(&c, i, out);
		requests_id_text(c.r, i, id);
		calls_world_parts(&c, id, text, sizeof(text));
		mer_str_printf(out, "\tparts: %s\n", text);
		calls_world_culprits(&c, id, text, sizeof(text));
		mer_str_printf(out, "\tculprits: %s\n", text);
		calls_world_pieces(&c, id, text, sizeof(text));
		mer_str_printf(out, "\tpieces: %s\n", text);
		if (c.r->exchanges[i].server_task == KERNEL_NONE)
			continue;
		calls_world_account(&c, id, text, sizeof(text));
		mer_str_printf(out, "\taccount: %s\n", text);
	}
	calls_world_costs(&c, 1000000, text, sizeof(text));
	mer_str_printf(out, "costs: %s\n", text);
	put_sums(&c, out);
	put_edges(&c, false, out);
	put_edges(&c, true, out);
	calls_world_close(&c);
}

static void as_they_are_written(void **state)
{
	struct mer_str out = { 0 };
	char *text = expected_read("tests/requests/worlds.txt");
	(void)state;
	for (const char *p = text; (p = strstr(p, "== world\n")); p++) {
		const char *is = strstr(p, "== is\n");
		assert_non_null(is);
		char *given = strndup(p, (size_t)(is - p)), *world = expected_part(given, "world");
		char *own = expected_part(given, "own");
		mer_str_printf(&out, "== world\n%s%s%s== is\n", world, *own ? "== own\n" : "", own);
		put_world(world, own, &out);
		free(given);
		free(own);
		free(world);
	}
	expected_is("tests/requests/worlds.txt", &out);
	mer_str_fini(&out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_they_are_written) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
