/* What a drawing of relations shows, by hand: boxes for programs or tasks, one line for all of one
 * family between two boxes, the weightiest first, and no more than can be looked at. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/relations/relations.h"
#include "draw/graph.h"
#include "draw/graph_groups.h"

struct row {
	const char *from, *to; /* "HOST:PROGRAM:TID:COMM" */
	const char *kind, *object;
	int64_t count, wait;
	bool is_started;
};

static void put_end(struct mer_arena *arena, struct mer_cell *cells, unsigned program, unsigned end,
	const char *text)
{
	char *parts[4], *copy = mer_arena_strdup(arena, text);
	assert_non_null(copy);
	for (int i = 0; i < 4; i++) {
		parts[i] = copy;
		copy += strcspn(copy, ":");
		if (*copy)
			*copy++ = '\0';
	}
	cells[end] = mer_text(parts[0]);
	cells[end + 1] = MER_INT(atoi(parts[2]));
	cells[end + 2] = mer_text(parts[3]);
	cells[program] = *parts[1] ? mer_text(parts[1]) : MER_NONE;
}

struct drawn {
	struct mer_arena arena;
	struct mer_table t;
	struct draw_graph_drawing d;
};

static void draw(struct drawn *x, const struct row *rows, size_t n, bool by_task, bool limited)
{
	struct mer_err err;
	mer_arena_init(&x->arena);
	mer_table_init(&x->t, "graph", NULL, analysis_relations.outputs[0].columns, &x->arena);
	for (size_t i = 0; i < n; i++) {
		struct mer_cell c[RELATION_N_COLUMNS] = { 0 };
		put_end(&x->arena, c, RELATION_FROM_PROGRAM, RELATION_FROM_HOST, rows[i].from);
		put_end(&x->arena, c, RELATION_TO_PROGRAM, RELATION_TO_HOST, rows[i].to);
		c[RELATION_KIND] = mer_text(rows[i].kind);
		c[RELATION_OBJECT] = mer_text(rows[i].object);
		c[RELATION_COUNT] = MER_INT(rows[i].count);
		c[RELATION_WAIT_NS] = MER_INT(rows[i].wait);
		c[RELATION_IS_STARTED] = MER_INT(rows[i].is_started);
		mer_table_add(&x->t, c);
	}
	assert_false(x->t.failed);
	const struct draw_graph g = { .table = &x->t, .by_task = by_task, .limited = limited };
	assert_int_equal(draw_graph_drawing_make(&g, &x->d, &err), 0);
}

static void end(struct drawn *x)
{
	draw_graph_drawing_fini(&x->d);
	mer_table_fini(&x->t);
	mer_arena_fini(&x->arena);
}

/* "TAIL>HEAD family/kinds object+N: given to tail/waited, to head/waited", "*" for what one
 * started. */
static void drawn_is(
	const struct row *rows, size_t n, bool by_task, const char *boxes, const char *lines)
{
	struct drawn x;
	struct mer_str b = { 0 }, l = { 0 };
	draw(&x, rows, n, by_task, true);
	for (size_t i = 0; i < x.d.n_nodes; i++)
		mer_str_printf(&b, "%s%s:%s:%" PRId64 "x%zu", i ? " " : "", x.d.nodes[i].host,
			x.d.nodes[i].name, x.d.nodes[i].tid, x.d.nodes[i].n_tasks);
	for (size_t i = 0; i < x.d.n_edges; i++) {
		const struct draw_graph_edge *e = &x.d.edges[i];
		mer_str_printf(&l,
			"%s%zu>%zu %zu/%u %s+%" PRIu64 ": %" PRIu64 "/%" PRId64 " %" PRIu64
			"/%" PRId64 "%s",
			i ? ", " : "", e->tail, e->head, e->family, e->kinds,
			e->object ? e->object : "-", e->n_objects, e->to_tail.count,
			e->to_tail.wait_ns, e->to_head.count, e->to_head.wait_ns,
			e->is_started ? " *" : "");
	}
	assert_string_equal(b.data ? b.data : "", boxes);
	assert_string_equal(l.data ? l.data : "", lines);
	assert_int_equal(x.d.n_left_out, 0);
	mer_str_fini(&b);
	mer_str_fini(&l);
	end(&x);
}

#define DRAWN(rows, ...) drawn_is(rows, sizeof(rows) / sizeof(*(rows)), __VA_ARGS__)

/* Programs by host, then name; of unknown ones the task's name. */
static void boxes(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "t:web:20:web", "s:shell:10:sh", "tcp", "p", 1, 5, false },
		{ "t:web:21:worker", "s:shell:10:sh", "tcp", "p", 2, 7, false },
		{ "t:web:20:web", "s::11:other", "udp", NULL, 4, 0, false },
	};
	DRAWN(rows, false, "s:other:11x1 s:shell:10x1 t:web:20x2",
		"1>2 0/1 p+1: 3/12 0/0, 0>2 0/2 -+0: 4/0 0/0");
	DRAWN(rows, true, "s:other:11x1 s:sh:10x1 t:web:20x1 t:worker:21x1",
		"1>3 0/1 p+1: 2/7 0/0, 1>2 0/1 p+1: 1/5 0/0, 0>2 0/2 -+0: 4/0 0/0");
}

/* Both ways and all kinds of a family are one line, from the one that waited more; families are
 * lines of their own, that go the same way. */
static void lines(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "s:a:1:a", "s:b:2:b", "pipe", "pipe#1", 10, 100, false },
		{ "s:b:2:b", "s:a:1:a", "unix", "x", 20, 300, false },
		{ "s:b:2:b", "s:a:1:a", "pipe", "pipe#1", 1, 1, false },
		{ "s:b:2:b", "s:a:1:a", "pipe", "pipe#2", 1, 1, false },
		{ "s:a:1:a", "s:b:2:b", "futex", "0x1", 5, 150, false },
	};
	DRAWN(rows, false, "s:a:1x1 s:b:2x1",
		"0>1 1/3 pipe#1+3: 22/302 10/100, 0>1 2/1 0x1+1: 0/0 5/150");
	/* b waits more in all: it is at the left, also of the line where a does. */
	static const struct row turned[] = {
		{ "s:a:1:a", "s:b:2:b", "pipe", "p", 10, 100, false },
		{ "s:b:2:b", "s:a:1:a", "futex", NULL, 5, 99, false },
	};
	DRAWN(turned, false, "s:a:1x1 s:b:2x1", "1>0 1/2 p+1: 10/100 0/0, 1>0 2/1 -+0: 0/0 5/99");
	static const struct row even[] = {
		{ "s:a:1:a", "s:b:2:b", "pipe", NULL, 10, 99, false },
		{ "s:b:2:b", "s:a:1:a", "futex", NULL, 5, 99, false },
	};
	DRAWN(even, false, "s:a:1x1 s:b:2x1", "0>1 1/2 -+0: 0/0 10/99, 0>1 2/1 -+0: 5/99 0/0");
	/* A kind that is not known is the kernel's. */
	static const struct row odd[] = { { "s:a:1:a", "s:b:2:b", "magic", NULL, 1, 2, false } };
	DRAWN(odd, false, "s:a:1x1 s:b:2x1", "1>0 5/1 -+0: 1/2 0/0");
}

/* Between hosts first, what one started last; then by the wait, then by the count. */
static void order(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "s:b:2:b", "s:a:1:a", "fork", NULL, 9, 900, true },
		{ "s:c:3:c", "s:a:1:a", "pipe", NULL, 2, 50, false },
		{ "s:d:4:d", "s:a:1:a", "pipe", NULL, 3, 50, false },
		{ "s:e:5:e", "s:a:1:a", "pipe", NULL, 1, 60, false },
		{ "t:f:6:f", "s:a:1:a", "tcp", NULL, 1, 1, false },
	};
	struct drawn x;
	DRAWN(rows, false, "s:a:1x1 s:b:2x1 s:c:3x1 s:d:4x1 s:e:5x1 t:f:6x1",
		"0>5 0/1 -+0: 1/1 0/0, 0>4 1/2 -+0: 1/60 0/0, 0>3 1/2 -+0: 3/50 0/0, 0>2 1/2 "
		"-+0: 2/50 0/0, 0>1 3/2 -+0: 9/900 0/0 *");
	/* The longest wait that counts is not one for what was started. */
	draw(&x, rows, sizeof(rows) / sizeof(*rows), false, true);
	assert_int_equal(x.d.most_ns, 60);
	end(&x);
	/* All of a line must be of what one started. */
	static const struct row mixed[] = {
		{ "s:b:2:b", "s:a:1:a", "wait", NULL, 1, 5, true },
		{ "s:b:2:b", "s:a:1:a", "signal", NULL, 1, 0, false },
	};
	DRAWN(mixed, false, "s:a:1x1 s:b:2x1", "0>1 3/5 -+0: 2/5 0/0");
}

/* A program's own threads: forks say nothing; of others one line. By tasks they are ordinary
 * ones. */
static void loops(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "s:a:1:a", "s:a:2:b", "fork", NULL, 1, 0, true },
		{ "s:a:1:a", "s:a:2:b", "futex", "0x1", 1, 5, false },
		{ "s:a:2:b", "s:a:1:a", "pipe", "p", 1, 9, false },
	};
	struct drawn x;
	draw(&x, rows, 3, false, true);
	assert_int_equal(x.d.n_nodes, 1);
	assert_int_equal(x.d.nodes[0].n_tasks, 2);
	assert_int_equal(x.d.n_edges, 1);
	assert_int_equal(x.d.edges[0].family, DRAW_PIPES);
	assert_int_equal(x.d.n_left_out, 1);
	end(&x);
	draw(&x, rows, 3, true, true);
	assert_int_equal(x.d.n_nodes, 2);
	assert_int_equal(x.d.n_edges, 3);
	end(&x);
}

/* 40 lines and 30 boxes, the weightiest; and what they join. */
static void limits(void **state)
{
	(void)state;
	enum { N = 60 };
	struct row rows[N];
	char names[N][32];
	struct drawn x;
	/* A star: 29 lines need 30 boxes. */
	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "s:p%02d:%d:p", i, i + 2);
		rows[i] = (struct row){ names[i], "s:a:1:a", "pipe", NULL, 1, 1000 + i, false };
	}
	draw(&x, rows, N, false, true);
	assert_int_equal(x.d.n_nodes, 30);
	assert_int_equal(x.d.n_edges, 29);
	assert_int_equal(x.d.n_left_out, N - 29);
	assert_int_equal(draw_graph_edge_wait(&x.d.edges[0]), 1000 + N - 1);
	assert_int_equal(draw_graph_edge_wait(&x.d.edges[28]), 1000 + N - 29);
	assert_string_equal(x.d.nodes[x.d.edges[28].head].name, "p31");
	end(&x);
	draw(&x, rows, N, false, false);
	assert_int_equal(x.d.n_nodes, N + 1);
	assert_int_equal(x.d.n_edges, N);
	assert_int_equal(x.d.n_left_out, 0);
	end(&x);
	/* Few boxes, many lines: of 12 boxes each with each. */
	struct row all[66];
	size_t n = 0;
	for (int i = 0; i < 12; i++)
		for (int k = 0; k < i; k++, n++)
			all[n] = (struct row){ names[i], names[k], "pipe", NULL, 1, (int64_t)n,
				false };
	draw(&x, all, n, false, true);
	assert_int_equal(x.d.n_edges, 40);
	assert_int_equal(x.d.n_nodes, 12);
	assert_int_equal(x.d.n_left_out, 26);
	end(&x);
	/* A pair of boxes that does not fit any more is left out, one behind it that does is
	 * not. */
	for (int i = 0; i < 29; i++)
		rows[i] = (struct row){ names[i], i < 28 ? "s:a:1:a" : names[29], "pipe", NULL, 1,
			1000 - i, false };
	rows[29] = (struct row){ names[30], "s:a:1:a", "pipe", NULL, 1, 1, false };
	draw(&x, rows, 30, false, true);
	assert_int_equal(x.d.n_edges, 29);
	assert_int_equal(x.d.n_nodes, 30);
	assert_int_equal(x.d.n_left_out, 1);
	assert_int_equal(draw_graph_edge_wait(&x.d.edges[28]), 1);
	end(&x);
}

/* ---- as text for Graphviz ---- */

/* From the first box on, without what is the same in all of them. */
static void text_is(const struct row *rows, size_t n, bool by_task, bool limited, const char *how,
	const char *expected)
{
	struct drawn x;
	struct mer_err err;
	struct mer_str out = { 0 }, shown = { 0 };
	draw(&x, rows, n, by_task, limited);
	const struct draw_graph g = { .table = &x.t,
		.by_task = by_task,
		.limited = limited,
		.why_empty = "first \"line\"\nsecond",
		.how_to_see_all = how };
	assert_int_equal(draw_graph_dot(&g, &out, &err), 0);
	for (const char *line = out.data; *line;) {
		size_t len = strcspn(line, "\n");
		if (strncmp(line, "\t\tt", 3) == 0 || strncmp(line, "\tt", 2) == 0 ||
			strncmp(line, "\t\tlabel", 7) == 0 || strncmp(line, "\tlabel=", 7) == 0)
			mer_str_printf(&shown, "%.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
	assert_string_equal(shown.data ? shown.data : "", expected);
	mer_str_fini(&shown);
	mer_str_fini(&out);
	end(&x);
}

static void text(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "t:web:20:web", "s:sh\"ell:10:sh", "tcp", "10.0.0.2:80", 1200, 4000000, false },
		{ "s:sh\"ell:10:sh", "t:web:20:web", "tcp", "10.0.0.2:80", 3, 0, false },
		{ "t:web:21:web", "t:web:20:web", "fork", "", 1, 0, false },
		{ "t:db:30:db", "t:web:20:web", "pipe", "/a/very/long/path/of/some/pipe", 2,
			1000000, true },
		{ "t:db:30:db", "t:web:20:web", "pipe", "/b", 2, 0, true },
	};
	text_is(rows, 5, false, true, NULL,
		"\t\tlabel=\"s\";\n"
		"\t\tt0 [label=\"sh\\\"ell/10\"];\n"
		"\t\tlabel=\"t\";\n"
		"\t\tt1 [label=\"db/30\"];\n"
		"\t\tt2 [label=\"web\\n2 tasks\"];\n"
		"\tt0 -> t2 [label=\"tcp 10.0.0.2:80\\n1,203x, wait 4.00 ms\", "
		"tooltip=\"tcp 10.0.0.2:80\\nweb to sh\\\"ell/10: 1,200x, waited for 4.00 "
		"ms\\nsh\\\"ell/10 to web: 3x\\n\", penwidth=6.00, color=\"#0072b2\", "
		"fontcolor=\"#0072b2\", dir=both];\n"
		"\tt2 -> t1 [label=\"pipe (2)\\n4x, wait 1.00 ms\", tooltip=\"pipe "
		"(2)\\ndb/30 to web: 4x, waited for 1.00 ms\\n\", penwidth=1.00, "
		"color=\"#007d5c\", fontcolor=\"#007d5c\", dir=back];\n"
		"\tlabel=<<table border=\"0\" cellspacing=\"4\"><tr><td width=\"56\" "
		"fixedsize=\"false\"><font color=\"#0072b2\"><b>network</b></font></td><td "
		"width=\"184\" fixedsize=\"false\"><font color=\"#007d5c\"><b>pipes and "
		"local sockets</b></font></td></tr><tr><td colspan=\"2\">Left end: waited "
		"longer. Arrow: received something. Width: wait time (not of exits and "
		"children).</td></tr></table>>;\n");
	/* By task; a long path by its end; memory has no direction; a kind that the object says
	 * already. */
	static const struct row more[] = {
		{ "s:a:1:a", "s:b:2:b", "pipe", "/a/very/long/path/of/some/pipe", 2, 5, false },
		{ "s:a:1:a", "s:c:3:", "shared-memory?", "/dev/shm/x", 0, 0, false },
		{ "s:b:2:b", "s:c:3:", "pipe", "pipe#1", 7, 0, false },
		{ "s:b:2:b", "s:c:3:", "futex", "0123456789abcdefghijklmnop", 1, 0, false },
		{ "s:a:1:a", "s:c:3:", "signal", NULL, 1, 0, false },
		{ "s:a:1:a", "s:c:3:", "fork", NULL, 1, 0, false },
	};
	text_is(more, 6, true, true, NULL,
		"\t\tlabel=\"s\";\n"
		"\t\tt0 [label=\"?/3\"];\n"
		"\t\tt1 [label=\"a/1\"];\n"
		"\t\tt2 [label=\"b/2\"];\n"
		"\tt2 -> t1 [label=\"pipe .../long/path/of/some/pipe\\n2x, wait 5 ns\", "
		"tooltip=\"pipe .../long/path/of/some/pipe\\na/1 to b/2: 2x, waited for 5 "
		"ns\\n\", penwidth=6.00, color=\"#007d5c\", fontcolor=\"#007d5c\", "
		"dir=back];\n"
		"\tt0 -> t2 [label=\"pipe#1\\n7x\", tooltip=\"pipe#1\\nb/2 to ?/3: "
		"7x\\n\", penwidth=1.00, color=\"#007d5c\", fontcolor=\"#007d5c\", "
		"dir=back];\n"
		"\tt0 -> t1 [label=\"signal, fork\\n2x\", tooltip=\"signal, fork\\na/1 to "
		"?/3: 2x\\n\", penwidth=1.00, color=\"#666666\", fontcolor=\"#666666\", "
		"dir=back];\n"
		"\tt0 -> t2 [label=\"futex ...23456789abcdefghijklmnop\\n1x\", "
		"tooltip=\"futex ...23456789abcdefghijklmnop\\nb/2 to ?/3: 1x\\n\", "
		"penwidth=1.00, color=\"#c44e00\", fontcolor=\"#c44e00\", dir=back];\n"
		"\tt0 -> t1 [label=\"shared-memory? /dev/shm/x\\n0x\", "
		"tooltip=\"shared-memory? /dev/shm/x\\n\", penwidth=1.00, "
		"color=\"#aa4499\", fontcolor=\"#aa4499\", dir=none, style=dashed];\n"
		"\tlabel=<<table border=\"0\" cellspacing=\"4\"><tr><td width=\"184\" "
		"fixedsize=\"false\"><font color=\"#007d5c\"><b>pipes and local "
		"sockets</b></font></td><td width=\"144\" fixedsize=\"false\"><font "
		"color=\"#c44e00\"><b>locks and wake-ups</b></font></td><td width=\"168\" "
		"fixedsize=\"false\"><font color=\"#666666\"><b>processes and "
		"signals</b></font></td><td width=\"184\" fixedsize=\"false\"><font "
		"color=\"#aa4499\"><b>shared memory (perhaps)</b></font></td></tr><tr><td "
		"colspan=\"4\">Left end: waited longer. Arrow: received something. Width: "
		"wait time (not of exits and children).</td></tr></table>>;\n");
	text_is(rows, 0, false, true, NULL, "\tlabel=\"first \\\"line\\\"\\lsecond\\l\";\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes),
		cmocka_unit_test(lines),
		cmocka_unit_test(order),
		cmocka_unit_test(loops),
		cmocka_unit_test(limits),
		cmocka_unit_test(text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
