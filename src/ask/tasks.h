/* Tasks that --host, --comm and --tid select (session/tasks.h): which one is meant, why there is
 * none, and lists of them, in words. */
#ifndef MER_ASK_TASKS_H
#define MER_ASK_TASKS_H

#include "ask/words/options.h"
#include "base/table.h"
#include "session/request.h"
#include "session/tasks.h"

/* Rows of the options of verbs that are about one task. */
#define ASK_TASKS_NTH(offset_)                                                                     \
	{                                                                                          \
		.name = "nth", .kind = ASK_NTH, .arg = "K",                                        \
		.help = "choose the K-th matching task, by start time", .offset = offset_          \
	}
#define ASK_TASKS_LIST(offset_)                                                                    \
	{                                                                                          \
		.name = "list", .letter = 'l', .kind = ASK_FLAG,                                   \
		.help = "only list the matching tasks", .offset = offset_                          \
	}

/* Those that the command line selects, in its window. Where none matches, the error says why, and
 * which names there are instead: MER_ERR_USAGE. */
int ask_tasks_find(struct ask *ask, const struct session_world *w, struct session_tasks *tasks);
/* The same of another selection and window. */
int ask_tasks_find_in(struct ask *ask, const struct session_world *w,
	const struct session_selection *s, const struct session_window *window,
	struct session_tasks *tasks);
/* When --comm and --tid match no task nothing is found, and that is a mistake in the command
 * line. */
int ask_tasks_check(
	struct ask *ask, const struct session_world *w, const struct session_window *window);
/* The same of the world that an answer is about, at any time. */
int ask_tasks_check_answer(struct ask *ask, const struct session_answer *a);
/* The nth match, counted from 1; 0: the first one, and if there are others, a note says so.
 * MER_ERR_USAGE: neither --comm nor --tid was given, or there are fewer matches. */
int ask_tasks_choose(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, uint64_t nth, size_t *chosen);
/* The columns of lists of tasks, and the row of one of them. */
extern const struct mer_column ask_tasks_columns[];
void ask_tasks_add(const struct session_world *w, const struct session_tasks *tasks, size_t i,
	struct mer_table *t);
/* Rows of tasks, as --format says. limit 0: all, for people a screenful. */
int ask_tasks_print(struct ask *ask, const struct session_world *w,
	const struct session_tasks *tasks, uint64_t limit);

#endif
