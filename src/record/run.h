/* A recording: its hosts, and the steps that are done on them.
 *
 *   record_connect   ssh to all hosts, and what each of them has (facts.h)
 *   record_begin     agents, sessions, channels, events, the start
 *   record_wait      while it records: rounds, beacons, losses, space
 *   record_end       stop
 *   record_fetch     traces come here (fetch.h)
 *   record_clean_up  whatever happened before: no session, no process and no connection is left
 *
 * A step is a line of a shell for each host (steps.c). All hosts do one step before any does the
 * next; the first failure ends the sequence, and names host and step. What a step makes is noted
 * before it begins, so record_clean_up, which never gives up early, undoes it also where nobody
 * knows how far the step came. Nothing is printed here: see record_talk. */
#ifndef MER_RECORD_RUN_H
#define MER_RECORD_RUN_H

#include "record/loop.h"
#include "record/plan.h"
#include "record/probes.h"

enum { RECORD_MOST_HOSTS = 256, RECORD_MOST_ROUNDS = 500000 /* of all hosts */ };

/* One question to an agent and its answer: ns of CLOCK_MONOTONIC of the two hosts, and REALTIME
 * there at `arrived`. */
struct record_round {
	int64_t asked, arrived, left, answered;
	int64_t arrived_realtime;
};

struct record_host {
	const char *target; /* of ssh; NULL: the own host */
	const char *name;   /* of its folder, and in messages; no other has it */
	const char *folder; /* a word of a shell: where its traces go there */
	struct record_facts facts;
	enum record_backend backend;
	struct record_skb skb; /* of its kernel */
	bool user_only;	       /* its kernel cannot be recorded, and the preset can do without */

	struct record_child step;  /* the last or current step */
	struct record_child agent; /* lives from before the session to its end */
	struct record_child watch; /* looks for losses and space now and then */
	bool connected;
	bool made;	   /* a session may be there */
	bool has_data;	   /* something was recorded */
	bool is_elsewhere; /* not in the recording's folder, although it is the own host */
	bool agent_failed; /* has been reported */
	bool is_full;	   /* its disk: also */

	struct record_round *rounds; /* malloc'ed */
	size_t n_rounds, cap_rounds, most_rounds;
	size_t parsed;		       /* bytes of the agent's output that were read */
	int64_t asked_ns;	       /* the round that is open; 0: none */
	uint64_t n_answered, n_silent; /* beacons */
	bool counted;		       /* both are final */
	bool sends_beacons;
	const char *const *watch_argv;	      /* of the session; NULL: not made yet */
	int64_t started_ns;		      /* when its start was known to be done, here */
	int64_t n_discarded, free_kib, bytes; /* -1: not known */
	uint32_t watched;
};

enum record_say { RECORD_SAY_STEP, RECORD_SAY_NOTE, RECORD_SAY_WARNING };
struct record_talk {
	void (*say)(void *ctx, enum record_say kind, const char *text);
	void *ctx;
};

/* Begins the name of the folder of ssh's connections; the process that made it is next. */
#define RECORD_CONTROL "/tmp/meridian-ssh-"

struct record_run {
	struct mer_arena *arena;
	struct record_loop loop;
	struct record_plan plan;
	struct record_host *hosts; /* in the arena */
	size_t n_hosts;
	const char *folder; /* the recording's, here; absolute */
	bool made_folder;
	char control[64]; /* folder of ssh's connections; "": none yet */
	struct record_talk talk;
	const char *const *command; /* ends with NULL; NULL: none */
	int command_code;	    /* as a shell counts */
	int64_t command_ns;	    /* how long it took */
	int64_t command_cpu_ns;	    /* on CPUs */
	int64_t duration_ns;	    /* 0: until the command ends, or Ctrl-C */
	int64_t began_ns, ended_ns; /* of the recording, here, monotonic */
	int64_t began_realtime_ns;
	int64_t spread_ns;  /* all hosts started within this time */
	bool spread_seen;   /* by the first events, not by when the start was known to be done */
	bool beacons, full; /* full: a host ran out of space */
	double beacon_s;    /* from one exchange to the next */
};

/* Host names, "localhost" for the own host; the same one twice is an error. */
int record_run_hosts(
	struct record_run *r, const char *const *targets, size_t n, struct mer_err *err);
/* The word of a shell for where a host's traces go: what record_begin sets, and what is accepted
 * of a manifest. */
void record_put_folder(
	const struct record_run *r, const struct record_host *h, struct mer_str *out);
int record_connect(struct record_run *r, struct mer_err *err);
int record_inspect(struct record_run *r, bool start_daemon, struct mer_err *err);
/* Of hosts whose packets ftrace may have to find in memory; record_inspect does it. */
int record_learn_offsets(struct record_run *r, struct mer_err *err);
int record_begin(struct record_run *r, struct mer_err *err);
int record_wait(struct record_run *r, struct mer_err *err);
int record_end(struct record_run *r, struct mer_err *err);
/* When each host recorded its first event, by its CLOCK_MONOTONIC (INT64_MIN: not known): by the
 * rounds these are times here, and what they are apart is how far apart the hosts started. */
void record_take_first_events(struct record_run *r, const int64_t *first);
/* 0, or the first thing that could not be undone, which names the host and what is left. */
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
	const char *name;  /* the word for it in scripts and tests */
	const char *doing; /* in messages: "create the session" */
	void (*line)(const struct record_run *r, const struct record_host *h, struct mer_str *out);
	int64_t timeout_s;
	bool finishes; /* Ctrl-C waits for its end: killed half-way it might still happen there */
};
extern const struct record_step record_steps[RECORD_N_STEPS];

/* Which hosts take part in a step. */
typedef bool record_takes_part(const struct record_host *h);
/* Does the step on all those hosts (NULL: on all). With best_effort failures and interrupts do not
 * end it, and the first failure is returned. Output is in h->step. */
int record_step_do(struct record_run *r, enum record_step_id id, record_takes_part *part,
	bool best_effort, struct mer_err *err);
/* The words that run a line on the host: of ssh, or of a shell here. In the arena; NULL: no
 * memory. */
const char *const *record_host_argv(
	const struct record_run *r, const struct record_host *h, const char *line);
/* Why the host's step failed, from what it printed. */
int record_step_failed(struct record_run *r, const struct record_host *h,
	const struct record_step *s, const struct record_child *c, struct mer_err *err);

void record_say(struct record_run *r, enum record_say kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
