#include "ask/tables.h"

#include "analysis/relations/relations.h"
#include "analysis/summary/summary.h"
#include "ask/tasks.h"
#include "requests/edges.h"

static void add_summary(struct answer *a, int first, int end)
{
	for (int i = first; i < end; i++) {
		struct summary_about about = summary_about((enum summary_table)i, false);
		answer_add(a, about.id, about.title, about.columns);
	}
}

static void summary_tables(struct answer *a)
{
	add_summary(a, 0, SUMMARY_PEERS);
}

static void peers_tables(struct answer *a)
{
	add_summary(a, SUMMARY_PEERS, SUMMARY_MEASURES);
}

static void graph_tables(struct answer *a)
{
	const struct analysis_output *o = &analysis_relations.outputs[0];
	answer_add(a, o->id, o->title, o->columns);
	answer_add(a, "requests", "Requests between programs", requests_edges_columns);
}

static void tasks_tables(struct answer *a)
{
	answer_add(a, "tasks", "Tasks", ask_tasks_columns);
}

const struct ask_verb_tables ask_verb_tables[] = {
	{ "requests", "requests", NULL, NULL, "requests", NULL, ask_requests_tables },
	{ "requests", "requests --list", "requests_list", NULL, "requests", NULL,
		ask_requests_list_tables },
	{ "requests", "requests --explain", NULL, NULL, "requests", ask_requests_explain_tables,
		NULL },
	{ "requests_cost", "requests --cost", NULL, NULL, "requests", ask_requests_cost_tables,
		NULL },
	{ "requests_cost", "requests --cost --list", "requests_cost_list", NULL, "requests",
		ask_requests_cost_list_tables, NULL },
	{ "blocked", "blocked --all", NULL, "Waits by task, call, object and cause", "waits",
		ask_blocked_tables, NULL },
	{ "graph", "graph --all --requests", "graph_relations", NULL, NULL, graph_tables, NULL },
	{ "path", "path --list", NULL, NULL, NULL, tasks_tables, NULL },
	{ "summary", "summary", NULL, NULL, NULL, summary_tables, NULL },
	{ "summary", "summary --peers", NULL, NULL, NULL, peers_tables, NULL },
	{ "stats", "stats", NULL, NULL, NULL, ask_stats_tables, NULL },
	{ "sync", "sync", NULL, NULL, NULL, ask_sync_tables, NULL },
	{ "latency", "latency", NULL, NULL, NULL, ask_latency_tables, NULL },
	{ "latency", "latency --messages", NULL, NULL, NULL, ask_latency_messages_tables, NULL },
	{ "check", "check", "check_all", NULL, NULL, ask_check_tables, NULL },
	{ "info", "info --streams", "info_all", NULL, NULL, ask_info_tables, NULL },
	{ 0 },
};
