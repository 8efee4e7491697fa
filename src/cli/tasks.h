/* Tasks: which ones --host, --comm and --tid select, in the order in which they began.
 *
 * A task fits when any of the names that it had does; its time is its whole life all the same. */
#ifndef MER_CLI_TASKS_H
#define MER_CLI_TASKS_H

#include "cli/worlds.h"

struct cli_task {
	uint32_t host, task;
	int64_t begin, end; /* its life, until it died, cut to the window */
};

struct cli_tasks {
	struct cli_task *item; /* in cli->arena; by begin, then host, then number */
	size_t n;
};

struct cli_selection { /* NULL: any, of comms and tids; hosts as --host */
	const struct cli_texts *comms;
	const struct cli_ranges *tids;
	int64_t begin, end; /* its life must touch this; INT64_MIN, INT64_MAX: whenever */
};

int cli_tasks_find(struct cli *cli, const struct cli_world *w, const struct cli_selection *s,
	struct cli_tasks *tasks);
/* Why none fits, and which names there are instead: MER_ERR_USAGE. */
int cli_tasks_none(struct cli *cli, const struct cli_world *w, const struct cli_selection *s);
/* The one that is meant when no number is given: the first that was born in the recording and has
 * ended, else the first born, else the first. */
size_t cli_tasks_default(const struct cli_world *w, const struct cli_tasks *tasks);
/* The nth that fits, counted from 1; 0: the one that is meant, and if there are others a note says so. Somebody
 * must have said which: MER_ERR_USAGE without --comm and --tid, and when there are not so many. */
int cli_tasks_choose(struct cli *cli, const struct cli_world *w, const struct cli_tasks *tasks,
	uint64_t nth, size_t *chosen);
/* Where in w->world tasks belong to, and what they are called in the end. */
const char *cli_task_host(const struct cli_world *w, uint32_t host);
const char *cli_task_comm(const struct cli_world *w, const struct cli_task *t);
/* Rows of tasks, as --format says. limit 0: all, for people a screenful. */
int cli_tasks_print(
	struct cli *cli, const struct cli_world *w, const struct cli_tasks *tasks, uint64_t limit);

#endif
