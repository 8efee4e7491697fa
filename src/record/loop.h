/* Loop: runs child processes in parallel, from one thread.
 *
 * The standard output and error of each child are read into bounded texts. Each has a deadline,
 * and a process group of its own, so that Ctrl-C at the terminal reaches only this program (and a
 * command that shares the terminal). While a loop exists, SIGINT, SIGTERM and SIGHUP are only
 * counted: its owner decides what to do. A child has ended when its process has, even if another
 * process still holds its output open. When a loop ends, its children are killed and reaped. */
#ifndef MER_RECORD_LOOP_H
#define MER_RECORD_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/err.h"
#include "base/str.h"

enum { RECORD_OUT_BYTES = 4 << 20, RECORD_ERR_BYTES = 64 << 10 };

struct record_child {
	pid_t pid;
	int in, out, err; /* -1: none, or closed */
	bool ended, timed_out, started;
	int status; /* from waitpid */
	int64_t started_ns, ended_ns;
	int64_t cpu_ns; /* once it has ended: its CPU time, including children that it waited for */
	int64_t deadline_ns; /* INT64_MAX: none */
	int64_t read_ns;     /* when output last arrived */
	bool killed;
	struct mer_str output, errors;
	int output_fd;	    /* file for the output; -1: output goes into the text */
	int input_fd;	    /* file that is being sent to it; -1: none, or all was sent */
	int64_t sent_bytes; /* of input_fd */
	void *owner;
	/* Called when new output has arrived; NULL: not called. */
	void (*on_output)(struct record_child *c);
	struct record_loop *loop;
	struct record_child *next;
};

struct record_loop {
	struct record_child *children; /* all children of this loop */
	int signal_fd;
	unsigned n_interrupts;
	int last_signal;
	sigset_t old_mask;
	struct sigaction old_child, old_pipe;
	bool is_open;
};

struct record_spawn {
	const char *const *argv; /* ends with NULL; argv[0] is looked up on the PATH */
	int output_fd;		 /* a file for its output; 0: into the text */
	bool keeps_input;	 /* for record_child_write; otherwise it has no standard input */
	int input_fd;		 /* with keeps_input: a file that is sent to it first; 0: none */
	bool shares_terminal;	 /* uses our standard input, output, error and process group */
	int64_t timeout_ns;	 /* 0: none */
	void *owner;
	void (*on_output)(struct record_child *c);
};

int record_loop_open(struct record_loop *l, struct mer_err *err);
void record_loop_close(struct record_loop *l);

/* The caller owns c, which must exist until record_child_free. A missing program is an error here,
 * or exit status 127. */
int record_loop_spawn(struct record_loop *l, struct record_child *c, const struct record_spawn *s,
	struct mer_err *err);
/* Waits for an event, at most until until_ns. */
void record_loop_turn(struct record_loop *l, int64_t until_ns);
/* Writes all n bytes; false: the child no longer reads. For short texts only. */
bool record_child_write(struct record_child *c, const char *text, size_t n);
void record_child_close_input(struct record_child *c);
void record_child_kill(struct record_child *c, int signal_number);
/* Kills and reaps it if it still runs; frees its texts. A zeroed child may be freed. */
void record_child_free(struct record_child *c);
/* Exit status as in a shell: 0 to 255, or 128 plus the signal; -1: it has not ended. */
int record_child_code(const struct record_child *c);

#endif
