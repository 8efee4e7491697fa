/* The tables that can be opened: commands, and which tables of their answers. */
#include <string.h>

#include "analysis/analysis.h"
#include "cli/tui/model.h"
#include "session/choice.h"

static const struct tui_entry fixed[] = {
	{ .title = "Waits: what tasks waited for",
		.verb = "blocked",
		.options = { "--flat" },
		.lists = { "waits" },
		.in_menu = true },
	{ .title = "Requests of services, by kind", .verb = "requests", .in_menu = true },
	{ .title = "Requests, the slowest first",
		.verb = "requests",
		.options = { "--list", "--limit", "500" },
		.in_menu = true },
	{ .title = "Critical path of a task",
		.verb = "path",
		.lists = { "by_task", "segments", "by_cause" },
		.is_of_task = true },
	{ .title = "Relations: who gave what to whom", .verb = "graph", .in_menu = true },
	{ .title = "State of everything at the cursor",
		.verb = "state",
		.no_window = true,
		.is_at = true,
		.in_menu = true },
	{ .title = "Clocks: how they were aligned",
		.verb = "sync",
		.lists = { "hosts" },
		.no_window = true,
		.in_menu = true },
	{ .title = "Latencies of messages of hosts",
		.verb = "latency",
		.lists = { "latencies" },
		.no_window = true,
		.in_menu = true },
	{ .title = "Events counted: names, hosts, streams",
		.verb = "stats",
		.lists = { "by_name", "by_host", "by_stream" },
		.in_menu = true },
	{ .title = "Events, the first 1000",
		.verb = "events",
		.options = { "--limit", "1000" },
		.lists = { "events" },
		.has_filter = true,
		.in_menu = true },
};
enum { N_FIXED = sizeof(fixed) / sizeof(*fixed) };

static bool has_filter(const struct analysis *a, size_t output)
{
	return session_choice_tables(a, SESSION_CHOICE_FILTER) >> output & 1;
}

/* The verb that prints an output; NULL: it is a histogram, or for pictures. */
static const char *verb_of(const struct analysis_output *o)
{
	if (session_is_table_of(o, "freq") || session_is_table_of(o, "bins") ||
		strcmp(o->id, "map") == 0)
		return NULL;
	return strcmp(o->id, "log") == 0	 ? "log"
	       : session_is_table_of(o, "stats") ? "stats"
						 : "top";
}

static size_t add_outputs(const struct analysis *a, struct tui_entry *to)
{
	size_t n = 0;
	for (size_t i = 0; a->outputs[i].id; i++) {
		const struct analysis_output *o = &a->outputs[i];
		const char *verb = verb_of(o);
		if (!verb || !o->title)
			continue;
		to[n++] = (struct tui_entry){ .title = o->title,
			.verb = verb,
			.analysis = a->id,
			.worth = a->worth,
			.table = strcmp(o->id, verb) != 0 ? o->id : NULL,
			.has_filter = has_filter(a, i),
			.in_menu = true };
	}
	return n;
}

size_t tui_catalog(struct mer_arena *arena, struct tui_entry **entries)
{
	size_t n = N_FIXED, at = 0;
	for (size_t i = 0; analyses[i]; i++)
		for (size_t k = 0; analyses[i]->outputs[k].id; k++)
			n++;
	*entries = mer_arena_zalloc(arena, n + 1, sizeof(**entries));
	if (!*entries)
		return 0;
	for (; at < N_FIXED; at++)
		(*entries)[at] = fixed[at];
	for (size_t i = 0; analyses[i]; i++)
		/* These need more words: two events, or a view. */
		if (!analyses[i]->of_periods && !analyses[i]->of_views)
			at += add_outputs(analyses[i], *entries + at);
	return at;
}

const struct tui_entry *tui_entry_find(
	const struct tui *t, const char *verb, const char *analysis, const char *option)
{
	for (size_t i = 0; i < t->n_entries; i++) {
		const struct tui_entry *e = &t->entries[i];
		bool same = strcmp(e->verb, verb) == 0 && !e->table &&
			    (!analysis || (e->analysis && strcmp(e->analysis, analysis) == 0)) &&
			    (analysis || !e->analysis);
		if (same && (!option || (e->options[0] && strcmp(e->options[0], option) == 0)))
			return e;
	}
	return NULL;
}
