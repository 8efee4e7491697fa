/* A recording: its hosts, and the steps that run on them.
 *
 *   record_connect   connects to all hosts by ssh, and inspects them (facts.h)
 *   record_begin     starts agents, creates sessions, channels and events, starts to record
 *   record_wait      while recording: rounds, beacons, losses, disk space
 *   record_end       stop
 *   record_fetch     copies the traces here (fetch.h)
 *   record_clean_up  in any case: leaves no session, process or connection behind
 *
 * A step is a shell command line for each host (steps.c). All hosts finish a step before any
 * begins the next; the first failure ends the sequence, and names host and step. What a step
 * creates is noted before it begins, so that record_clean_up, which never gives up early, also
 * undoes steps that were interrupted. Nothing is printed here: see record_talk. */
#ifndef MER_RECORD_RUN_H
#define MER_RECORD_RUN_H

#include "record/loop.h"
#include "record/plan.h"
#include "record/probes.h"

enum { RECORD_MOST_HOSTS = 256, RECORD_MOST_ROUNDS = 500000 /* of all hosts */ };

/* A request to an agent and its answer: CLOCK_MONOTONIC of the two hosts in ns, and CLOCK_REALTIME
 * of the remote host at `arrived`. */
struct record_round {
	int64_t asked, arrived, left, answered;
	int64_t arrived_realtime;
};

struct record_host {
	const char *target; /* for ssh; NULL: the local host */
	const char *name;   /* unique; names its folder, and the host in messages */
	const char *folder; /* quoted for a shell: the folder of its traces on that host */
	struct record_facts facts;
	enum record_backend backend;
	struct record_skb skb; /* offsets in its kernel */
	bool user_only;	       /* its kernel cannot be recorded, which the preset allows */

	struct record_child step;  /* the last or current step */
	struct record_child agent; /* lives from before the session to its end */
	struct record_child watch; /* checks for losses and disk space now and then */
	bool connected;
	bool made;	   /* a session may exist on the host */
	bool has_data;	   /* something was recorded */
	bool is_elsewhere; /* its traces are not in the recording's folder, although it is the local
			      host */
	bool agent_failed; /* has been reported */
	bool is_full;	   /* the disk is full: has been reported, too */

	struct record_round *rounds; /* malloc'ed */
	size_t n_rounds, cap_rounds, most_rounds;
	size_t parsed;		       /* bytes of the agent's output that were parsed */
	int64_t asked_ns;	       /* when the pending request was sent; 0: none is pending */
	uint64_t n_answered, n_silent; /* beacons */
	bool counted;		       /* n_answered and n_silent are final */
	bool sends_beacons;
	const char *const *watch_argv;	      /* command of `watch`, the same each time; NULL:
						 not made yet in this recording */
	int64_t started_ns;		      /* when we learned that it had started, on the local
						 clock */
	int64_t n_discarded, free_kib, bytes; /* -1: unknown */
	uint32_t watched;		      /* requests sent in a burst (agents.c); 0 otherwise */
};

enum record_say { RECORD_SAY_STEP, RECORD_SAY_NOTE, RECORD_SAY_WARNING };
struct record_talk {
	void (*say)(void *ctx, enum record_say kind, const char *text);
	void *ctx;
};

/* Prefix of the name of the folder of ssh connections; the process id follows. */
#define RECORD_CONTROL "/tmp/meridian-ssh-"

struct record_run {
	struct mer_arena *arena;
	struct record_loop loop;
	struct record_plan plan;
	struct record_host *hosts; /* in the arena */
	size_t n_hosts;
	const char *folder; /* the recording's local folder; absolute */
	bool made_folder;
	char control[64]; /* folder of ssh connections; "": none yet */
	struct record_talk talk;
	const char *const *command; /* ends with NULL; NULL: none */
	int command_code;	    /* as a shell's exit status */
	int64_t command_ns;	    /* its elapsed time */
	int64_t command_cpu_ns;	    /* its CPU time */
	int64_t duration_ns;	    /* 0: until the command ends or Ctrl-C is pressed */
	int64_t began_ns, ended_ns; /* of the recording, on the local monotonic clock */
	int64_t began_realtime_ns;
	int64_t spread_ns;  /* all hosts started within this time */
	bool spread_seen;   /* measured by the first events, not by when the start was reported */
	bool beacons, full; /* full: a host ran out of space */
	double beacon_s;    /* interval between exchanges */
};

/* Sets the hosts; "localhost" is the local host. Naming a host twice is an error. */
int record_run_hosts(
	struct record_run *r, const char *const *targets, size_t n, struct mer_err *err);
/* Appends the shell-quoted folder for a host's traces: what record_begin sets, and the only value
 * that is accepted from a manifest. */
void record_put_folder(
	const struct record_run *r, const struct record_host *h, struct mer_str *out);
int record_connect(struct record_run *r, struct mer_err *err);
int record_inspect(struct record_run *r, bool start_daemon, struct mer_err *err);
/* Learns the sk_buff offsets of hosts where ftrace may need them to read packet headers;
 * record_inspect calls it. */
int record_learn_offsets(struct record_run *r, struct mer_err *err);
int record_begin(struct record_run *r, struct mer_err *err);
int record_wait(struct record_run *r, struct mer_err *err);
int record_end(struct record_run *r, struct mer_err *err);
/* Takes the time of each host's first event, by its CLOCK_MONOTONIC (INT64_MIN: unknown). The
 * rounds convert these to local time; their range is how far apart the hosts started. */
void record_take_first_events(struct record_run *r, const int64_t *first);
/* Returns 0, or the error of the first thing that could not be undone; it names the host and what
 * is left. */
int record_clean_up(struct record_run *r, struct mer_err *err);
void record_run_free(struct record_run *r);

/* ---- Steps ---- */

enum record_step_id {
	RECORD_STEP_CONNECT,
	RECORD_STEP_INSPECT,
	RECORD_STEP_CREATE,
	RECORD_STEP_CHANNELS,
	RECORD_STEP_EVENTS,
	RECORD_STEP_START,
	RECORD_STEP_STATE,
	RECORD_STEP_STOP,
	RECORD_STEP_DESTROY,
	RECORD_STEP_MEASURE,
	RECORD_STEP_LIST,
	RECORD_STEP_REMOVE,
	RECORD_STEP_WATCH,
	RECORD_STEP_DISCONNECT,
	RECORD_N_STEPS
};

struct record_step {
	const char *name;  /* its name in scripts and tests */
	const char *doing; /* in messages: "create the session" */
	void (*line)(const struct record_run *r, const struct record_host *h, struct mer_str *out);
	int64_t timeout_s;
	bool finishes; /* Ctrl-C waits for its end: if it were killed half-way, the host might still
			  complete it */
};
extern const struct record_step record_steps[RECORD_N_STEPS];

/* Which hosts take part in a step. */
typedef bool record_takes_part(const struct record_host *h);
/* Runs the step on all hosts that take part (NULL: on all). With best_effort, failures and
 * interrupts do not end it, and the first failure is returned. Output is in h->step. */
int record_step_do(struct record_run *r, enum record_step_id id, record_takes_part *part,
	bool best_effort, struct mer_err *err);
/* Every connection of ssh: the user's own configuration decides about all else. */
enum { RECORD_N_SSH_WORDS = 9 };
extern const char *const record_ssh_words[RECORD_N_SSH_WORDS];
/* The arguments that run a command line on the host: by ssh, or by a local shell. In the arena;
 * NULL: no memory. */
const char *const *record_host_argv(
	const struct record_run *r, const struct record_host *h, const char *line);
/* Fills err with why the host's step failed, from its output. */
int record_step_failed(struct record_run *r, const struct record_host *h,
	const struct record_step *s, const struct record_child *c, struct mer_err *err);

void record_say(struct record_run *r, enum record_say kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
