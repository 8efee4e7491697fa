/* Rounds: what `meridian record` measured of the hosts' clocks while it recorded.
 *
 * A round is a question of the recorder to a host, and its answer: both have the time at which they
 * were sent and received, so each is a message, although no trace has an event of it. They are in
 * the file manifest.json of a recording (docs/record.md), in a folder above its traces. A file of
 * that name that is of something else is none of our business and passed over; so are hosts of the
 * manifest that are not of the experiment, which the boot decides. */
#ifndef MER_SYNC_ROUNDS_H
#define MER_SYNC_ROUNDS_H

#include "sync/messages.h"
#include "trace/experiment.h"

struct sync_round {
	int64_t asked, answered; /* recorder's clock */
	int64_t arrived, left;	 /* the host's, as its traces count */
};

struct sync_host_rounds { /* of one host, by time: each was asked when the one before had ended */
	uint32_t host;
	struct sync_round *rounds;
	size_t n;
};

enum { SYNC_NOT_RECORDED = UINT32_MAX };

struct sync_recorder { /* of one recording */
	/* The host that asked, when it was recorded too; its clock is then that of its traces. */
	uint32_t host;
	struct sync_host_rounds *hosts;
	size_t n_hosts;
};

struct sync_rounds {
	struct mer_arena arena;
	struct sync_recorder *recorders;
	size_t n;
};

/* The manifests of the recordings that the traces are of, in the arena; how many. */
size_t sync_rounds_files(
	const struct mer_experiment *e, struct mer_arena *arena, const char *const **paths);
/* *rounds: NULL where there are none. What cannot be read, and clocks that were set meanwhile,
 * become diagnostics of e. */
int sync_rounds_read(struct mer_experiment *e, struct sync_rounds **rounds, struct mer_err *err);
/* What one manifest says, as one recorder more: into has room for it. path is for messages. A
 * manifest that cannot be read is told, and then there are no rounds of it. */
int sync_rounds_parse(struct mer_experiment *e, const char *text, size_t len, const char *path,
	struct sync_rounds *into, struct mer_err *err);
void sync_rounds_free(struct sync_rounds *rounds); /* NULL is fine */
/* Has the host any? rounds may be NULL. */
bool sync_rounds_has(const struct sync_rounds *rounds, uint32_t host);
/* Only those within the range of a host's clock stay. */
void sync_rounds_keep(struct sync_rounds *rounds, uint32_t host, int64_t begin, int64_t end);

/* m with messages of the kind SYNC_ROUND for m's rounds, finished. Between two hosts of which none
 * asked, what passed at the recorder is known by its clock, which drifts by at most max_drift.
 * Links without rounds are m's own; sync_with_rounds_free in any case, before m's end. */
int sync_with_rounds(const struct sync_messages *m, double max_drift, struct sync_messages *with,
	struct mer_err *err);
void sync_with_rounds_free(const struct sync_messages *m, struct sync_messages *with);

/* What clock_gettime(CLOCK_MONOTONIC) lacks to the host's own times; false: they are not by that
 * clock, or it is not known. */
bool sync_monotonic_base(const struct mer_experiment *e, uint32_t host, int64_t *base);

#endif
