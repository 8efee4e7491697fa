/* Hints for mistyped names, options that do not apply, and times outside of the recording: what
 * the user probably meant. */
#ifndef MER_CLI_HINTS_H
#define MER_CLI_HINTS_H

#include "cli/context.h"
#include "cli/options.h"
#include "trace/filter/filter.h"

/* Warns of fields, events and hosts in the filter of this option that the traces do not have. */
void cli_hint_filter(struct cli *cli, const char *option, const struct trace_filter *f,
	const struct mer_experiment *e);

/* An option that cli->verb does not have, without its dashes: MER_ERR_USAGE, with what to use
 * instead, the verbs that have it, or a name like it. */
int cli_hint_option(struct cli *cli, const char *name);
/* The same for a letter. */
int cli_hint_letter(struct cli *cli, char letter);

/* MER_ERR_USAGE if --begin or --end leave nothing of the recording. */
int cli_hint_window(
	struct cli *cli, const struct mer_experiment *e, const struct session_window *w);

#endif
