/* The list of verbs. */
#include "cli/verb.h"

#include <string.h>

extern const struct cli_verb cli_verb_info, cli_verb_events, cli_verb_stats, cli_verb_check,
	cli_verb_layout, cli_verb_sync, cli_verb_latency, cli_verb_path, cli_verb_diff,
	cli_verb_blocked, cli_verb_graph, cli_verb_task, cli_verb_top, cli_verb_log, cli_verb_freq,
	cli_verb_summary, cli_verb_requests, cli_verb_serve, cli_verb_report, cli_verb_state,
	cli_verb_tui, cli_verb_cache, cli_verb_record, cli_verb_completion, cli_verb_help,
	cli_verb_version;

const struct cli_verb *const cli_verbs[] = {
	&cli_verb_record,
	&cli_verb_info,
	&cli_verb_events,
	&cli_verb_stats,
	&cli_verb_check,
	&cli_verb_sync,
	&cli_verb_latency,
	&cli_verb_summary,
	&cli_verb_requests,
	&cli_verb_path,
	&cli_verb_diff,
	&cli_verb_blocked,
	&cli_verb_graph,
	&cli_verb_task,
	&cli_verb_top,
	&cli_verb_log,
	&cli_verb_freq,
	&cli_verb_state,
	&cli_verb_tui,
	&cli_verb_serve,
	&cli_verb_report,
	&cli_verb_layout,
	&cli_verb_cache,
	&cli_verb_completion,
	&cli_verb_help,
	&cli_verb_version,
	NULL,
};

const struct cli_verb *cli_verb_find(const char *name)
{
	for (size_t i = 0; cli_verbs[i]; i++) {
		if (strcmp(cli_verbs[i]->name, name) == 0)
			return cli_verbs[i];
	}
	return NULL;
}
