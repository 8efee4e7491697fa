/* Commands for the server: command lines that only ask, run in this process over an open session.
 *
 * What they may not do: read or write files that the command line of `meridian serve` did not name
 * (no option whose value is a file), use other traces, or be a verb that has no traces to ask. */
#ifndef MER_CLI_SERVE_COMMANDS_H
#define MER_CLI_SERVE_COMMANDS_H

#include "ask/context.h"
#include "server/server.h"

/* Content types of what commands print; NULL at their end. */
extern const char *const cli_serve_types[];
/* Verbs that align clocks themselves, or look at hosts one by one, get them as recorded. */
enum server_clocks cli_serve_command_clocks(
	void *ctx, enum server_clocks clocks, const char *const *words, size_t n);
/* server_options.surroundings: the time zone and the width; from the arena. NULL: no memory. */
const char *cli_serve_surroundings(struct ask *ask);
/* A server_command; ctx: the struct ask of `meridian serve`. */
void cli_serve_command(void *ctx, struct mer_session *session, enum server_clocks clocks,
	const char *const *words, size_t n, struct server_output *out);

#endif
