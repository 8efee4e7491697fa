/* Tree: the rows of the timeline: hosts, their CPUs and disks, processes, threads.
 *
 * Processes and threads that used most CPU time come first, by the whole recording, so that rows
 * stay where they are while one moves. */
#ifndef MER_CLI_TUI_TREE_H
#define MER_CLI_TUI_TREE_H

#include "cli/tui/ask.h"

enum tui_row_kind { TUI_ROW_HOST, TUI_ROW_CPU, TUI_ROW_DISK, TUI_ROW_PROCESS, TUI_ROW_TASK };

struct tui_task {
	uint32_t host, number; /* number: of lanes */
	int64_t tid, pid;      /* -1: not known */
	const char *comm;
	int64_t begin, end;
	int64_t busy_ns, group_ns; /* CPU time of it; of all of its process */
	bool is_unfolded;	   /* of the first of a process: its threads are rows */
	bool on_path;
};

struct tui_host {
	const char *name;
	uint32_t *cpus;
	const char **disks;
	size_t n_cpus, n_disks, first, n; /* of tasks */
	bool is_folded;
};

struct tui_row {
	enum tui_row_kind kind;
	uint32_t host;
	size_t first, n; /* of tasks; TUI_ROW_CPU: first is the CPU; TUI_ROW_DISK: the disk */
	int depth;
};

struct tui_tree {
	struct mer_arena arena;
	struct tui_host *hosts;
	struct tui_task *tasks;
	size_t n_hosts, n_tasks;
	struct tui_row *rows; /* malloc'ed */
	size_t n_rows, cap_rows;
	bool hide_idle, only_path;
	size_t keep; /* a task that has a row whatever is hidden; SIZE_MAX: none */
};

/* tasks: of all; busy: a table with host, tid, self_ns; disks: one with host, disk. NULL: unknown.
 * tui_tree_fini in any case. */
bool tui_tree_init(struct tui_tree *t, const struct tui_answer *tasks, const struct mer_table *busy,
	const struct mer_table *disks);
void tui_tree_fini(struct tui_tree *t);
/* What is folded or hidden has changed. */
bool tui_tree_build(struct tui_tree *t);

/* SIZE_MAX: there is no such host or task. at: of several with this number the one that lived
 * then. */
size_t tui_tree_host(const struct tui_tree *t, const char *name);
size_t tui_tree_task(const struct tui_tree *t, const char *host, int64_t tid, int64_t at);
/* The row of a task, or of the process that it is folded into; SIZE_MAX: hidden. */
size_t tui_tree_row_of(const struct tui_tree *t, size_t task);
/* The same, after what hides it was unfolded. */
size_t tui_tree_show(struct tui_tree *t, size_t task);

/* "web", "CPU 1", "nginx/158". */
void tui_tree_name(const struct tui_tree *t, const struct tui_row *r, struct mer_str *out);
bool tui_tree_is_folded(const struct tui_tree *t, const struct tui_row *r);
/* Of a host or process: true: rows have changed. */
bool tui_tree_fold(struct tui_tree *t, const struct tui_row *r);

#endif
