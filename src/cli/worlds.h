/* Worlds: the traces of a verb, put on one clock, and what their tasks did.
 *
 * What path, diff and blocked begin with. Clocks are synchronized as for any other verb that compares
 * times (cli/sync_traces.h); the messages are needed besides, as they connect the hosts. */
#ifndef MER_CLI_WORLDS_H
#define MER_CLI_WORLDS_H

#include "path/usage.h"
#include "cli/context.h"
#include "cli/states.h"
#include "kernel/world.h"

struct cli_world {
	struct mer_experiment *e;
	struct kernel_world *world;
	struct usage *usage; /* NULL: not asked for */
	const struct cli_synced
		*synced; /* as cli->synced, which is that of the latest one opened */
	struct cli_states states;
	struct sync_result *r; /* that was applied; NULL: none was */
	int64_t until;	       /* so far it was read; INT64_MAX: to the end */
};

/* Opens cli->args, synchronizes, and builds the model of all hosts, whatever --host, --begin and --end
 * say: they choose what is asked about it. cli_world_close in any case. */
int cli_world_open(struct cli *cli, struct cli_world *w);
/* The same, with what its tasks used; all: not of disks only. */
int cli_world_open_used(struct cli *cli, struct cli_world *w, bool all);
/* The same as cli_world_open, but with --begin or --end only that part is read, if what comes before is known
 * (cli/states.h), and a bit more. What ended later than that is not known: kernel_host.known_until. */
int cli_world_open_part(struct cli *cli, struct cli_world *w);
/* Where that is asked about: the world again, read further. */
int cli_world_read_on(struct cli *cli, struct cli_world *w);
/* Reports what was found (cli_report) and frees. */
void cli_world_close(struct cli *cli, struct cli_world *w);

/* --begin and --end on the common time line; INT64_MIN, INT64_MAX: not given. */
void cli_world_window(
	const struct cli *cli, const struct cli_world *w, int64_t *begin, int64_t *end);

#endif
