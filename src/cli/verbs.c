/* All verbs of the program. */
#include "cli/verbs.h"

#include <string.h>

extern const struct ask_verb cli_verb_serve, cli_verb_report, cli_verb_tui, cli_verb_cache,
	cli_verb_record, cli_verb_query, cli_verb_part, cli_verb_merge, cli_verb_fleet,
	cli_verb_compare, cli_verb_baseline, cli_verb_completion, cli_verb_help, cli_verb_version;

const struct ask_verb *const cli_verbs[] = {
	&cli_verb_record,
	&ask_verb_info,
	&ask_verb_events,
	&ask_verb_stats,
	&ask_verb_check,
	&ask_verb_sync,
	&ask_verb_latency,
	&ask_verb_summary,
	&ask_verb_requests,
	&ask_verb_path,
	&ask_verb_diff,
	&cli_verb_compare,
	&cli_verb_baseline,
	&ask_verb_blocked,
	&ask_verb_graph,
	&ask_verb_task,
	&ask_verb_top,
	&ask_verb_log,
	&ask_verb_freq,
	&ask_verb_state,
	&cli_verb_query,
	&ask_verb_export,
	&cli_verb_tui,
	&cli_verb_serve,
	&cli_verb_report,
	&cli_verb_part,
	&cli_verb_merge,
	&cli_verb_fleet,
	&ask_verb_layout,
	&cli_verb_cache,
	&cli_verb_completion,
	&cli_verb_help,
	&cli_verb_version,
	NULL,
};

const struct ask_verb *cli_verb_find(const char *name)
{
	for (size_t i = 0; cli_verbs[i]; i++)
		if (strcmp(cli_verbs[i]->name, name) == 0)
			return cli_verbs[i];
	return NULL;
}
