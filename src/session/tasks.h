/* Tasks: which ones a selection means, in the order in which they began.
 *
 * A task matches when any of the names that it had does; its time is its whole life all the
 * same. */
#ifndef MER_SESSION_TASKS_H
#define MER_SESSION_TASKS_H

#include "path/path.h"
#include "path/process_tree.h"
#include "session/session.h"

struct session_task {
	uint32_t host, task;
	int64_t begin, end; /* its life, until it died, cut to the window */
};

struct session_tasks {
	struct session_task *item; /* by begin, then host, then number */
	size_t n;
};

/* Those whose life touches the window. The list is in the arena. */
int session_tasks_find(const struct session_world *w, const struct session_selection *s,
	const struct session_window *window, struct mer_arena *arena, struct session_tasks *tasks,
	struct mer_err *err);
/* The one that is meant when no number is given: the first that was born in the recording and has
 * ended, else the first born, else the first. */
size_t session_tasks_default(const struct session_world *w, const struct session_tasks *tasks);
/* The one to compare it with: the next that was born in the recording, else any other; n: none. */
size_t session_tasks_second(
	const struct session_world *w, const struct session_tasks *tasks, size_t first);
/* The task's host, and its name in the end. */
const char *session_task_host(const struct session_world *w, uint32_t host);
const char *session_task_comm(const struct session_world *w, const struct session_task *t);

/* What people look for first: 0: started in the recording; then other programs, their further
 * threads, and those of the kernel. */
enum { SESSION_TASK_RANKS = 4 };
int session_task_rank(const struct kernel_task *t);
/* Different names of tasks on the selected hosts, by rank; texts belong to the world. */
size_t session_task_names(const struct session_world *w, const struct session_selection *s,
	const char **names, size_t max);
uint64_t session_task_count(const struct session_world *w);

#endif
