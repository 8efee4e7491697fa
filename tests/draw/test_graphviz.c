/* Graphs laid out by Graphviz, with scripts in its place: what is added to its drawing, and what is
 * said where it fails, draws nothing, or is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "analysis/relations/relations.h"
#include "draw/graph.h"

static char dir[64], old_path[4096];

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/graphviz-XXXXXX");
	snprintf(old_path, sizeof(old_path), "%s", getenv("PATH"));
	return mkdtemp(dir) ? 0 : 1;
}

static int end(void **state)
{
	char path[100];
	(void)state;
	setenv("PATH", old_path, 1);
	snprintf(path, sizeof(path), "%s/dot", dir);
	unlink(path);
	return rmdir(dir);
}

/* Draws a graph of nothing with this as the program dot; NULL: there is none. */
static int draw(
	const char *script, struct mer_cancel *cancel, struct mer_str *svg, struct mer_err *err)
{
	struct mer_arena arena;
	struct mer_table t;
	char path[5000];
	if (script) {
		snprintf(path, sizeof(path), "%s/dot", dir);
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f, "#!/bin/sh\n%s\n", script);
		fclose(f);
		chmod(path, 0755);
	}
	snprintf(path, sizeof(path), "%s%s%s", dir, script ? ":" : "", script ? old_path : "");
	setenv("PATH", path, 1);
	mer_arena_init(&arena);
	mer_table_init(&t, "graph", NULL, analysis_relations.outputs[0].columns, &arena);
	const struct draw_graph g = { .table = &t, .why_empty = "why", .cancel = cancel };
	mer_str_clear(svg);
	mer_str_puts(svg, "before ");
	int rc = draw_graph_svg(&g, svg, err);
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	return rc;
}

static void drawings(void **state)
{
	struct mer_str svg = { 0 };
	struct mer_err err = { 0 };
	(void)state;
	/* It gets the graph, and the style is before its first group. */
	assert_int_equal(
		draw("[ \"$*\" = -Tsvg ] && read -r line && printf '<svg>%s<g id=\"graph0\">rest' \"$line\"",
			NULL, &svg, &err),
		0);
	static const char first[] =
		"before <svg>digraph relations {<style>\n@media (prefers-color-scheme:dark){\n";
	static const char last[] = "}\n</style>\n<g id=\"graph0\">rest";
	assert_int_equal(strncmp(svg.data, first, sizeof(first) - 1), 0);
	assert_string_equal(svg.data + svg.len - (sizeof(last) - 1), last);
	assert_non_null(strstr(
		svg.data, "[fill=\"white\"]{fill:#16181c}[stroke=\"white\"]{stroke:#16181c}\n"));
	assert_non_null(strstr(svg.data,
		"[fill=\"#c8ccd2\"]{fill:#3a4048}[stroke=\"#c8ccd2\"]{stroke:#3a4048}\n"));
	/* One without a group is left as it is. */
	assert_int_equal(draw("printf '<svg/>'", NULL, &svg, &err), 0);
	assert_string_equal(svg.data, "before <svg/>");
	mer_str_fini(&svg);
}

static void failures(void **state)
{
	struct mer_str svg = { 0 };
	struct mer_err err = { 0 };
	static const char none[] =
		"Graphviz is needed to draw, and its program 'dot' cannot be run; "
		"install it (package graphviz)";
	(void)state;
	assert_int_equal(draw("printf '<svg/>'; exit 3", NULL, &svg, &err), MER_ERR_SYS);
	assert_string_equal(err.text, "Graphviz' program 'dot' failed (exit status 3)");
	assert_int_equal(draw("kill -9 $$", NULL, &svg, &err), MER_ERR_SYS);
	assert_string_equal(err.text, "Graphviz' program 'dot' failed (exit status 1)");
	assert_int_equal(draw("exit 0", NULL, &svg, &err), MER_ERR_SYS);
	assert_string_equal(err.text, "Graphviz' program 'dot' failed (exit status 0)");
	assert_int_equal(draw("exit 127", NULL, &svg, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, none);
	char path[100];
	snprintf(path, sizeof(path), "%s/dot", dir);
	unlink(path);
	assert_int_equal(draw(NULL, NULL, &svg, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, none);
	assert_string_equal(svg.data, "before ");
	mer_str_fini(&svg);
}

/* One that would draw for long ends when it is no longer wanted. */
static void cancelled(void **state)
{
	struct mer_str svg = { 0 };
	struct mer_err err = { 0 };
	struct mer_cancel cancel = { 0 };
	(void)state;
	atomic_store(&cancel.set, true);
	assert_int_equal(draw("exec sleep 100", &cancel, &svg, &err), MER_ERR_CANCELLED);
	assert_string_equal(err.text, "interrupted");
	mer_str_fini(&svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(drawings, begin, end),
		cmocka_unit_test_setup_teardown(failures, begin, end),
		cmocka_unit_test_setup_teardown(cancelled, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
