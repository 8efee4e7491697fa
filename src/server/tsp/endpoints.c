#include "server/tsp/endpoints.h"

#include <stdio.h>
#include <string.h>
#include "server/tsp/tsp.h"

#define EXP "/experiments/{experiment}"
#define OUT EXP "/outputs"

const struct tsp_endpoint tsp_endpoints[] = {
	{ "GET", "/health", "is the server up?", tsp_health, TSP_PLAIN },
	{ "GET", "/identifier", "which server this is, and on what", tsp_identifier, TSP_PLAIN },
	{ "GET", "/traces", "the traces that the server was started with", tsp_traces, TSP_PLAIN },
	{ "POST", "/traces", "the one of them at the path `uri`", tsp_open_trace, TSP_PLAIN },
	{ "GET", "/traces/{trace}", "one trace", tsp_trace, TSP_PLAIN },
	{ "DELETE", "/traces/{trace}", "the same: nothing is removed", tsp_trace, TSP_PLAIN },
	{ "GET", "/experiments", "all traces together, on one clock", tsp_experiments, TSP_PLAIN },
	{ "POST", "/experiments", "the same, under a name; `traces` must be all of them",
		tsp_make_experiment, TSP_PLAIN },
	{ "GET", EXP, "the experiment, and how far it is read", tsp_experiment, TSP_PLAIN },
	{ "DELETE", EXP, "the same: nothing is removed", tsp_experiment, TSP_PLAIN },
	{ "GET", EXP "/bookmarks", "the marks of the traces", tsp_bookmarks, TSP_PLAIN },
	{ "POST", EXP "/bookmarks", "adds a mark: `name`, `start`, `end`", tsp_make_bookmark,
		TSP_PLAIN },
	{ "GET", EXP "/bookmarks/{bookmark}", "one of them", tsp_bookmark, TSP_PLAIN },
	{ "PUT", EXP "/bookmarks/{bookmark}", "puts another one in its place", tsp_change_bookmark,
		TSP_PLAIN },
	{ "DELETE", EXP "/bookmarks/{bookmark}", "removes it", tsp_drop_bookmark, TSP_PLAIN },
	{ "GET", "/config/types", "none: nothing is configured", tsp_nothing, TSP_PLAIN },
	{ "GET", OUT, "what can be looked at: the outputs", tsp_outputs, TSP_PLAIN },
	{ "GET", OUT "/markerSets", "sets of markers: none", tsp_marker_sets, TSP_MODEL },
	{ "POST", OUT "/timeGraph/{output}/tree", "rows of a timeline", tsp_tree, TSP_MODEL },
	{ "POST", OUT "/timeGraph/{output}/states",
		"states of rows; filtered by expressions: see below", tsp_states, TSP_MODEL },
	{ "POST", OUT "/timeGraph/{output}/arrows", "wake-ups, messages between hosts", tsp_arrows,
		TSP_MODEL },
	{ "POST", OUT "/timeGraph/{output}/tooltip", "what is known of a row at a time",
		tsp_tooltip, TSP_MODEL },
	{ "POST", OUT "/XY/{output}/tree", "series of a chart", tsp_tree, TSP_MODEL },
	{ "POST", OUT "/XY/{output}/xy", "values of series", tsp_xy, TSP_MODEL },
	{ "GET", OUT "/XY/{output}/tooltip", "nothing but the point itself", tsp_xy_tooltip,
		TSP_MODEL },
	{ "POST", OUT "/genericXY/{output}/tree", "series of a chart that is not over time",
		tsp_tree, TSP_MODEL },
	{ "POST", OUT "/genericXY/{output}/xy",
		"its values: how many in each range; at most `nbSamples` ranges", tsp_generic_xy,
		TSP_MODEL },
	{ "POST", OUT "/data/{output}/tree", "a table of the program", tsp_tree, TSP_MODEL },
	{ "POST", OUT "/table/{output}/columns", "columns of the events", tsp_columns, TSP_MODEL },
	{ "POST", OUT "/table/{output}/lines",
		"events, by their index or time; searched by regular expressions", tsp_lines,
		TSP_MODEL },
	{ "GET", OUT "/{output}", "one output", tsp_output, TSP_PLAIN },
	{ "POST", OUT "/{output}", "the critical path of another task", tsp_derive, TSP_PLAIN },
	{ "GET", OUT "/{output}/configTypes", "what another output can be made with",
		tsp_config_types, TSP_PLAIN },
	{ "GET", OUT "/{output}/configTypes/{type}", "one of these", tsp_config_type, TSP_PLAIN },
	{ "POST", OUT "/{output}/style", "colours of states and arrows", tsp_style, TSP_MODEL },
	{ "GET", OUT "/{output}/annotations", "kinds of annotations", tsp_annotation_categories,
		TSP_MODEL },
	{ "POST", OUT "/{output}/annotations",
		"where events were lost; findings; the marks of the traces", tsp_annotations,
		TSP_MODEL },
	{ "DELETE", OUT "/{output}/{derived}", "forgets an output that was made", tsp_forget,
		TSP_PLAIN },
	{ 0 },
};

/* The word at *p, up to the next "/" or the end. */
static size_t word_at(const char *p)
{
	return strcspn(p, "/");
}

static bool matches(const char *pattern, const char *path, struct tsp_match *m)
{
	size_t n_words = 0;
	for (size_t i = 0; i < TSP_MAX_WORDS; i++)
		m->words[i][0] = '\0';
	while (*pattern == '/' && *path == '/') {
		size_t p = word_at(++pattern), q = word_at(++path);
		bool is_any = *pattern == '{';
		if (is_any ? q == 0 || q >= TSP_MAX_WORD || n_words == TSP_MAX_WORDS
			   : p != q || memcmp(pattern, path, p) != 0)
			return false;
		if (is_any) {
			memcpy(m->words[n_words], path, q);
			m->words[n_words++][q] = '\0';
		}
		pattern += p;
		path += q;
	}
	return !*pattern && !*path;
}

/* found: the pattern that matched first; NULL: none yet. It alone counts: a path that matches a
 * pattern of fixed words must not also match a later one with "{...}" in their place. */
static bool is_same_path(const char *a, const char *b)
{
	return !a || strcmp(a, b) == 0;
}

void tsp_find(const char *method, const char *path, struct tsp_match *m)
{
	const char *found = NULL;
	struct tsp_match other;
	m->endpoint = NULL;
	m->is_there = false;
	for (const struct tsp_endpoint *e = tsp_endpoints; e->path; e++) {
		if (m->endpoint || !is_same_path(found, e->path) || !matches(e->path, path, &other))
			continue;
		found = e->path;
		memcpy(m->words, other.words, sizeof(m->words));
		m->is_there = true;
		if (strcmp(e->method, method) == 0)
			m->endpoint = e;
	}
}

void tsp_methods(const char *path, char *text, size_t bytes)
{
	struct tsp_match m;
	const char *found = NULL;
	size_t n = 0;
	text[0] = '\0';
	for (const struct tsp_endpoint *e = tsp_endpoints; e->path; e++)
		if (is_same_path(found, e->path) && matches(e->path, path, &m) && n < bytes) {
			found = e->path;
			n += (size_t)snprintf(text + n, bytes - n, "%s, ", e->method);
		}
	if (n < bytes)
		snprintf(text + n, bytes - n, "OPTIONS");
}
