/* Traces of the command line: opened as its options say, and reported on at the end. What all verbs
 * that read traces share. */
#ifndef MER_CLI_TRACES_H
#define MER_CLI_TRACES_H

#include "base/json.h"
#include "cli/context.h"
#include "trace/experiment.h"

/* Opens cli->args, with every host's clock as recorded; --host and --cpu are looked at, and of --sync whether it is
 * none (then also every trace's). Verbs whose times are compared across hosts go on with
 * cli_traces_sync (cli/sync_traces.h). */
int cli_traces_open(struct cli *cli, struct mer_experiment **e);
/* Reports what was found (cli_report) and frees. e may be NULL. */
void cli_traces_close(struct cli *cli, struct mer_experiment *e);

/* Is this host, or the host of this trace or stream, among those that --host asks for? */
bool cli_host_wanted(const struct cli *cli, const char *host);
bool cli_trace_wanted(const struct cli *cli, const struct mer_experiment *e, uint32_t trace);
bool cli_stream_wanted(const struct cli *cli, const struct mer_experiment *e, uint32_t stream);

/* null for MER_NO_TIME. */
void cli_json_time(struct mer_json *j, const char *key, int64_t t);
/* null for "". */
void cli_json_known(struct mer_json *j, const char *key, const char *text);
/* "diagnostics": all findings so far. */
void cli_json_diagnostics(struct mer_json *j, const struct mer_experiment *e);

#endif
