/*
 * meridian-work: a program of known behaviour, to try recordings and analyses with. Each mode does
 * one thing that systems wait for, and states what it did: who, when, for how long, and what it
 * waited for.
 *
 * It needs nothing but libc and threads, and shares no code with meridian: what it states is a
 * second opinion on what meridian finds in a trace of it.
 *
 * A mode is one file, `mode_NAME.c`, with one `const struct work_mode`; `main.c` lists them.
 */
#ifndef WORK_H
#define WORK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Something that can be chosen: a number within limits, or, where `text` is set, text. */
struct work_setting {
	const char *name; /* as an option: --NAME */
	const char *unit; /* what the help calls its value */
	const char *help;
	const char *text; /* the text's default, "" for none; NULL: it is a number */
	int64_t value, least, most;
};

enum { WORK_SETTINGS = 10 };

struct work_value {
	int64_t number;
	const char *text;
};

/* What all modes get. */
struct work {
	const struct work_mode *mode;
	struct work_value values[WORK_SETTINGS]; /* in the order of the mode's settings */
	int fd;					 /* the truth goes here, whole lines at once */
	double turns_per_ns;			 /* of the loop that hogs, after work_calibrate */
	/* User-space events, when they are wanted and there. */
	void (*event)(const char *step, int64_t id, int end, int32_t by);
};

struct work_mode {
	const char *name, *help;
	const struct work_setting *settings; /* ends with one that has no name */
	int (*run)(struct work *);	     /* an exit status */
};

static inline int64_t work_number(const struct work *work, unsigned setting)
{
	return work->values[setting].number;
}
static inline const char *work_text(const struct work *work, unsigned setting)
{
	return work->values[setting].text;
}

/* --- Workers: threads or processes that do steps (truth.c) --- */

enum { WORKER_SUMS = 8, WORKER_BUFFER = 4000 };

struct worker_sum {
	const char *step;
	int64_t count, elapsed_ns, cpu_ns, longest_ns, bytes;
};

/* One thread. Only it uses this, so nothing is locked; in a process of its own it is a copy. */
struct worker {
	struct work *work;
	pid_t pid, tid;
	char name[16];
	size_t used;
	struct worker_sum sums[WORKER_SUMS];
	char buffer[WORKER_BUFFER];
};

/* What a worker does from begin to end. The names are literals: a trace's events have them too. */
struct step {
	const char *name; /* such as "hog" */
	const char *wait; /* what it waits for, such as "reply"; NULL: it does not */
	int64_t id;	  /* which request, item, round; -1: none */
	int64_t begin_ns, cpu_ns;
	int64_t bytes, late_ns; /* 0: nothing to say of these */
	pid_t by; /* who ended the wait, or handed the item over; 0: nobody, or not known */
};

/* Names the calling thread and begins its part of the truth. */
void worker_start(struct worker *, struct work *, const char *name);
/* Writes what it has not written, and its sums. */
void worker_end(struct worker *);
struct step worker_begin(struct worker *, const char *name, int64_t id);
struct step worker_wait(struct worker *, const char *name, const char *what, int64_t id);
/* The step is over; returns how long it took. */
int64_t worker_done(struct worker *, struct step *);
/* A step whose beginning somebody else saw, such as how long an item was in a queue. */
void worker_passed(struct worker *, const char *name, const char *wait, int64_t id,
	int64_t begin_ns, pid_t by);
/* A line of its own with one number: {"type":"fact","fact":"...","value":N}. */
void worker_fact(struct worker *, const char *name, int64_t value);
/* The first line: which mode, with which settings, on which host. */
void work_begin_truth(struct work *);

/* --- Time and CPU (burn.c) --- */

int64_t work_now(void); /* CLOCK_MONOTONIC, as in LTTng's traces */
int64_t work_cpu(void); /* CPU time of this thread */
/* Measures how fast the loop runs, `times` times for `ms` each, at full load. */
void work_calibrate(struct worker *, int times, int ms);
/* Computes for about this much CPU time: a number of turns of a loop, without system calls. */
void work_hog(const struct work *, int64_t ns);
void work_sleep(int64_t ns);

/* --- Processes and connections (process.c, net.c) --- */

/* fork. The child ends with its parent. Never returns -1. */
pid_t work_fork(void);
/* Waits for it; false: it failed. */
bool work_reap(pid_t);
/* Memory that children share. */
void *work_shared(size_t bytes);
/* SIGINT and SIGTERM end waits, and set this. */
bool work_stopped(void);
void work_stop_on_signals(void);
/* A message to stderr, then exit 1. */
_Noreturn void work_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

int work_listen(const char *port); /* "0": any; see work_port */
int work_port(int socket);
int work_connect(const char *host_and_port); /* tries for 10 s: the server may just be starting */
int work_connect_here(int port);
int work_accept(int socket); /* -1: stopped */
/* All of it, or false: the other side closed, or failed. */
bool work_read(int fd, void *bytes, size_t);
bool work_write(int fd, const void *bytes, size_t);

extern const struct work_mode mode_rpc, mode_pingpong, mode_pipeline, mode_forks, mode_locks,
	mode_faults, mode_disk, mode_bursts, mode_pulse, mode_pool;

#endif
