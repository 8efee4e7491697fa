/* Synchronized traces: the experiment of a verb, put on one clock as --sync says.
 *
 * For verbs that compare times of several hosts: events are merged by them, rates and ranges go by
 * them. It costs a reading of all network events, once (cli/sync_cache.h), so verbs that can do
 * without leave it: info shows spans and must be instant, check judges one host after the other,
 * layout shows one record. */
#ifndef MER_CLI_SYNC_TRACES_H
#define MER_CLI_SYNC_TRACES_H

#include "analysis/analysis.h"
#include "base/json.h"
#include "cli/context.h"
#include "sync/auto.h"

struct cli_synced { /* what is known about the times that a verb shows */
	struct sync_summary summary;
	enum sync_method method;
	const char *reference; /* host */
	const char *one_sided; /* names of hosts, see sync_one_sided; NULL: none */
	const char *file;      /* of --sync FILE; NULL: computed */
};

enum cli_sync_when {
	CLI_SYNC_AUTO, /* unless --sync none */
	CLI_SYNC_ASKED /* only when --sync auto or a file is given */
};

/* Applies the clock maps and says in a line how exact the times are. With one host, or --sync none,
 * does nothing. A synchronization that fails is a warning; a file that cannot be read is an error. */
int cli_traces_sync(struct cli *cli, struct mer_experiment *e, enum cli_sync_when when);
/* The same (when: CLI_SYNC_AUTO) for those who need the messages too, also those of a host to itself:
 * m, freed with sync_messages_free in any case. *r: what was applied, freed with sync_result_free;
 * NULL: nothing was. */
int cli_traces_sync_keep(
	struct cli *cli, struct mer_experiment *e, struct sync_messages *m, struct sync_result **r);
/* What cli_traces_sync_keep would apply, if it needs not be computed: *r NULL: nothing would be. False: it has to
 * be. Nothing is applied. */
bool cli_traces_sync_known(struct cli *cli, const struct mer_experiment *e, struct sync_result **r);
/* The same without the messages. */
int cli_traces_sync_result(struct cli *cli, struct mer_experiment *e, struct sync_result **r);
/* The same for analyses: the messages are gathered only if one of the requests looks at them. Otherwise m
 * stays empty. */
int cli_traces_sync_for(struct cli *cli, struct mer_experiment *e,
	const struct analysis_request *requests, size_t n, struct sync_messages *m,
	struct sync_result **r);
/* Opens (cli_traces_open) and synchronizes. *e is NULL after a failure. */
int cli_traces_open_synced(struct cli *cli, enum cli_sync_when when, struct mer_experiment **e);

/* --begin and --end that are of a host's own clock become times of the common time line. A begin that is not
 * before the end is an error. All of the above do that; for those who synchronize by themselves. r NULL:
 * clocks are as recorded. */
int cli_moments_place(struct cli *cli, const struct mer_experiment *e, const struct sync_result *r);
/* Is there time between the two? Otherwise MER_ERR_USAGE. */
int cli_moments_check(struct cli *cli, int64_t begin, int64_t end);
/* Of which host's clock is it? option: as what it was given. */
int cli_moment_find_host(struct cli *cli, const char *option, const struct cli_moment *m,
	const struct mer_experiment *e, uint32_t *host, struct cli_moment *time);

/* "sync": null (times are as recorded), or method, reference, number of hosts and worst bound. */
void cli_json_synced(struct mer_json *j, const struct cli *cli);

#endif
