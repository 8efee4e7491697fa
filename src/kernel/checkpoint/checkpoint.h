/* Checkpoints: what a reading of everything leaves, so that a later one can begin in the middle and
 * go on as if it had read what came before: the states of the models of all hosts at some hundred
 * moments, the packets between the hosts, and what is known of each host at the end of its
 * recording.
 *
 * One file, of little-endian words and, where nothing else is said, numbers of variable length
 * (archive.h):
 *
 *   header    "MERMODEL", version, kind, key (2 words), bytes of the file, hash (XXH3) of all
 *             behind the header
 *   body      times of the states; hosts; packets in blocks; places of endpoints; at its end the
 *             places of all parts
 *   host      recorded begin and end, losses, names, calls, tasks and their names as known at the
 *             end, numbers; for each state: first packets of its streams, the state (state.h)
 *
 * The key is of the traces, the clocks, and this program: nobody else reads the file, and structs
 * may change. It is a help: what does not read is not there. It is bounded:
 * KERNEL_MAX_CHECKPOINT_BYTES; states are left out (every other one) where they would be more. */
#ifndef MER_KERNEL_CHECKPOINT_CHECKPOINT_H
#define MER_KERNEL_CHECKPOINT_CHECKPOINT_H

#include "kernel/losses.h"
#include "kernel/model.h"
#include "kernel/world.h"

enum { KERNEL_MAX_CHECKPOINT_BYTES = 64 << 20, KERNEL_CHECKPOINTS = 64 };

/* What a reading knew; one that needs to know less can go on from its states, but merges change
 * requests, and names of network devices the numbers of other names. */
enum kernel_checkpoint_kind {
	KERNEL_KEPT_PACKETS = 1,  /* messages were matched */
	KERNEL_KEPT_SPANS = 2,	  /* none was forgotten */
	KERNEL_KEPT_RAISES = 4,	  /* KERNEL_WANT_RAISES */
	KERNEL_KEPT_MERGES = 8,	  /* KERNEL_WANT_MERGES */
	KERNEL_KEPT_DEVICES = 16, /* KERNEL_WANT_PACKETS */
	KERNEL_N_KEPT = 32
};
uint32_t kernel_checkpoint_kind(const struct kernel_world_options *o, bool has_messages);
/* Can a reading of kind `now` go on from those of kind `then`? */
bool kernel_checkpoint_serves(uint32_t then, uint32_t now);

struct kernel_checkpoint_key {
	uint64_t of[2];
};

/* ---- writing ---- */

/* Collects while a world is built with kernel_world_options.keeper. times: of the states,
 * rising. */
int kernel_keeper_new(struct mer_experiment *e, uint32_t n_states, struct kernel_keeper **keeper,
	struct mer_err *err);
void kernel_keeper_free(struct kernel_keeper *); /* NULL is fine */
uint32_t kernel_keeper_kind(const struct kernel_keeper *k);
/* After the world was built with it: false: it cannot be kept, or written. */
bool kernel_keeper_save(const struct kernel_keeper *k, const struct kernel_world *w,
	const struct kernel_checkpoint_key *key, const char *path);

/* For world.c and the model: one for each host, on the host's thread. */
struct kernel_keep *kernel_keeper_host(struct kernel_keeper *k, uint32_t host);
int kernel_keeper_begin(
	struct kernel_keeper *k, const struct kernel_world *w, uint32_t kind, struct mer_err *err);
void kernel_keeper_recorded(
	struct kernel_keep *k, int64_t begin, int64_t end, const struct kernel_losses *losses);
/* Between two batches of events of the cursor: from which packets the next state goes on. */
void kernel_keep_packets(struct kernel_keep *k, const uint32_t *packets, int64_t ts);
void kernel_keeper_end(struct kernel_keep *k, bool is_sound);
int64_t kernel_keep_next(const struct kernel_keep *k);
void kernel_keep_state(struct kernel_keep *k, struct kernel_model *m, int64_t ts);
/* What an event said about a time before it. */
enum kernel_late_kind {
	KERNEL_LATE_MODE,    /* in which call (KERNEL_NONE: none) the task was since then */
	KERNEL_LATE_NO_MODE, /* that will never be known */
	KERNEL_LATE_DOUBT    /* what it did since then was something else */
};
struct kernel_late {
	int64_t time, since;
	uint32_t task, call;
	uint8_t kind;
};
/* What ends after states that it began before. */
int64_t kernel_keep_last(const struct kernel_keep *k); /* the last state; INT64_MIN: none */
void kernel_keep_span(struct kernel_keep *k, const struct kernel_host *h, uint32_t span,
	int64_t end, int64_t now);
void kernel_keep_call(struct kernel_keep *k, const struct kernel_call_end *c);
void kernel_keep_open_call(
	struct kernel_keep *k, const struct kernel_host *h, const struct kernel_open_call *c);
void kernel_keep_late(struct kernel_keep *k, const struct kernel_late *late);
void kernel_keep_sender(struct kernel_keep *k, const struct kernel_host *h, uint32_t packet);

/* ---- reading ---- */

struct kernel_checkpoints;
/* NULL: there is none, or not of this key. */
struct kernel_checkpoints *kernel_checkpoints_open(
	const char *path, const struct kernel_checkpoint_key *key, const struct mer_experiment *e);
void kernel_checkpoints_free(struct kernel_checkpoints *); /* NULL is fine */
uint32_t kernel_checkpoints_kind(const struct kernel_checkpoints *c);

/* The last state of all hosts at this time or before; KERNEL_NONE: none, all is read. */
uint32_t kernel_checkpoints_before(const struct kernel_checkpoints *c, int64_t time);

/* How a world begins at a state. */
struct kernel_resume;
int kernel_resume_new(const struct kernel_checkpoints *c, uint32_t state, int64_t until,
	struct kernel_world *w, struct kernel_resume **resume, struct mer_err *err);
void kernel_resume_free(struct kernel_resume *); /* NULL is fine */
/* Of a host: its recording; losses are the caller's. */
int kernel_resume_recorded(const struct kernel_resume *r, uint32_t host, int64_t *begin,
	int64_t *end, struct kernel_losses *losses, struct mer_err *err);
/* Where its streams go on; NULL: it had no event before the state, so all of it is read. */
const uint32_t *kernel_resume_first(const struct kernel_resume *r, uint32_t host);
int64_t kernel_resume_time(const struct kernel_resume *r);
/* Where the reading of a host for observers ends. */
struct kernel_stop {
	const struct kernel_resume *resume;
	uint32_t host;
	int64_t before; /* what began before that is settled */
	bool slices;
	int64_t at; /* the state where it ended */
};
/* The first state at stop->before that is later than this; INT64_MAX: none. */
int64_t kernel_stop_next(const struct kernel_stop *stop, int64_t after);
/* What was open there: as it ended. */
int kernel_stop_tell(const struct kernel_stop *stop, struct kernel_model *m, struct mer_err *err);
/* Into a new model, before its first event. */
int kernel_resume_host(
	const struct kernel_resume *r, uint32_t host, struct kernel_model *m, struct mer_err *err);
/* After its last event: tasks and names as they were known at the end of the recording. */
void kernel_resume_learn(
	const struct kernel_resume *r, uint32_t host, struct kernel_model *m, int64_t until);
int kernel_resume_finish(
	const struct kernel_resume *r, uint32_t host, struct kernel_host *h, struct mer_err *err);

#endif
