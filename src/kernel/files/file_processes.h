/* The inside of struct kernel_files, for files.c and file_processes.c: which task has which table.
 *
 * A process here is a table and the tasks that share it. Which one a task has is told by its fork,
 * by the state dump (an address, by older tracers a pid), or follows from its pid. Number 0 is
 * none: also when no more memory may be used; then nothing is known of the task's descriptors. */
#ifndef MER_KERNEL_FILES_FILE_PROCESSES_H
#define MER_KERNEL_FILES_FILE_PROCESSES_H

#include "kernel/files/files.h"
#include "kernel/files/object_name.h"

/* What a task's call will have done when it ends well. */
struct kernel_file_op {
	uint8_t kind; /* enum kernel_call_kind; OTHER: nothing */
	int32_t fd;   /* that it is about; -1: none */
	uint32_t cmd, arg;
	struct kernel_fd what; /* that the new descriptor stands for */
};

struct kernel_file_task {
	uint32_t process; /* number; 0: not known yet */
	uint32_t dump;	  /* the state dump that told it, see kernel_files.dump */
	struct kernel_file_op op;
};

/* A table and who has it. Number 0 is none. */
struct kernel_file_process {
	struct kernel_fd_table fds;
	uint32_t n_tasks;
	int32_t pid;	  /* by_pid leads here; -1: not */
	uint64_t address; /* by_address leads here; 0: not */
	uint32_t dump;	  /* in which the address was told; 0: none */
	uint32_t next_free;
};

struct kernel_files {
	struct kernel_host *h;
	struct kernel_namer namer;
	struct kernel_fd_budget budget;
	struct kernel_file_task *tasks; /* as h->tasks, as far as seen */
	uint32_t n_tasks;
	struct kernel_file_process *processes;
	uint32_t n_processes, cap_processes, free;
	struct mer_map by_pid, by_address; /* -> number of the process; 0: none */
	/* State dumps are counted, because addresses are used again: a dump begins where a task is
	 * told that was told before. */
	uint32_t dump;
};

/* NULL: no memory. */
struct kernel_file_task *kernel_file_task(struct kernel_files *f, uint32_t task);
/* The task's process, that of its pid if nobody told which. */
int kernel_file_find_process(
	struct kernel_files *f, uint32_t task, struct kernel_file_task *t, struct mer_err *err);
/* Gives the task a table of its own, with what it knew, when others have the same. is_process: it
 * is the process from now on, the others are something else. */
int kernel_file_unshare(
	struct kernel_files *f, struct kernel_file_task *t, bool is_process, struct mer_err *err);
/* The process that a row of the state dump is about. */
int kernel_file_process_of_row(
	struct kernel_files *f, uint64_t table, int32_t pid, uint32_t *number, struct mer_err *err);

#endif
