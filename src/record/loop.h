/* Loop: child processes, run side by side by one thread.
 *
 * Each child has its standard output and error read into bounded texts, a deadline, and a process
 * group of its own, so that Ctrl-C at the terminal reaches this program alone (and a command that
 * is to share the terminal). SIGINT, SIGTERM and SIGHUP are counted while a loop is there, and do
 * nothing else: whoever runs the loop decides. A child has ended when its process has, whoever else
 * may still hold its output. Whatever ends a loop, its children are killed and reaped. */
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
	int status; /* of waitpid */
	int64_t started_ns, ended_ns;
	int64_t cpu_ns; /* once it has ended: its time on CPUs, and of those that it waited for */
	int64_t deadline_ns; /* INT64_MAX: none */
	int64_t read_ns;     /* when output last arrived */
	bool killed;
	struct mer_str output, errors;
	int output_fd; /* where output goes instead; -1: into the text */
	void *owner;
	/* New output has arrived; NULL: nobody waits for it. */
	void (*on_output)(struct record_child *c);
	struct record_loop *loop;
	struct record_child *next;
};

struct record_loop {
	struct record_child *children; /* all that are known to it */
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
	bool keeps_input;	 /* record_child_write; otherwise it has none */
	bool shares_terminal;	 /* input, output, errors and process group are our own */
	int64_t timeout_ns;	 /* 0: none */
	void *owner;
	void (*on_output)(struct record_child *c);
};

int record_loop_open(struct record_loop *l, struct mer_err *err);
void record_loop_close(struct record_loop *l);

/* c is the caller's, and stays until record_child_free. A program that is not there is an error
 * here or a status of 127. */
int record_loop_spawn(struct record_loop *l, struct record_child *c, const struct record_spawn *s,
	struct mer_err *err);
/* Waits until something happened, at most until the moment. */
void record_loop_turn(struct record_loop *l, int64_t until_ns);
/* All n bytes, or false: the child reads no more. Small texts only. */
bool record_child_write(struct record_child *c, const char *text, size_t n);
void record_child_close_input(struct record_child *c);
void record_child_kill(struct record_child *c, int signal_number);
/* Kills and reaps it if it still runs; frees its texts. A zeroed child may be freed. */
void record_child_free(struct record_child *c);
/* As a shell counts: 0 to 255, 128 and the signal; -1: it did not end. */
int record_child_code(const struct record_child *c);

#endif
