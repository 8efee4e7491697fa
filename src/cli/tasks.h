/* Tasks: which ones --host, --comm and --tid select, in the order in which they began.
 *
 * A task fits when any of the names that it had does; its time is its whole life all the same. */
#ifndef MER_CLI_TASKS_H
#define MER_CLI_TASKS_H

#include "cli/worlds.h"

/* Rows of the options of verbs that are about one task. */
#define CLI_TASKS_NTH(offset_)                                                                     \
	{                                                                                          \
		.name = "nth", .kind = CLI_NTH, .arg = "K",                                        \
		.help = "choose the K-th matching task, by start time", .offset = offset_          \
	}
#define CLI_TASKS_LIST(offset_)                                                                    \
	{                                                                                          \
		.name = "list", .letter = 'l', .kind = CLI_FLAG,                                   \
		.help = "only list the matching tasks", .offset = offset_                          \
	}

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

/* Has the task one of these numbers, and at any time one of these names? NULL or none: any. */
bool cli_task_fits(const struct kernel_host *h, uint32_t task, const struct cli_texts *comms,
	const struct cli_ranges *tids);
int cli_tasks_find(struct cli *cli, const struct cli_world *w, const struct cli_selection *s,
	struct cli_tasks *tasks);
/* Why none fits, and which names there are instead: MER_ERR_USAGE. */
int cli_tasks_none(struct cli *cli, const struct cli_world *w, const struct cli_selection *s);
/* The same, when --comm and --tid fit no task: nothing is found then, and that is a mistake in the command
 * line. */
int cli_tasks_check(struct cli *cli, struct mer_experiment *e, struct kernel_world *world,
	int64_t begin, int64_t end);
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
