/* Rounds: the measurements of the hosts' clocks that `meridian record` made while it recorded.
 *
 * A round is a request of the recorder to a host and its reply. The send and receive times of both
 * are known, so each of the two is a message, although no trace has an event of it. Rounds are in
 * the file manifest.json of a recording (docs/record.md), in a folder above its traces. Other files
 * of that name are ignored; so are hosts of the manifest whose boot is not one of the
 * experiment's. */
#ifndef MER_SYNC_ROUNDS_H
#define MER_SYNC_ROUNDS_H

#include "sync/messages.h"
#include "trace/experiment.h"

struct sync_round {
	int64_t asked, answered; /* recorder's clock */
	int64_t arrived, left;	 /* the host's, as its traces count */
};

struct sync_host_rounds { /* of one host, by time: each began after the one before had ended */
	uint32_t host;
	uint32_t place; /* among the hosts of the manifest */
	struct sync_round *rounds;
	size_t n;
};

enum { SYNC_NOT_RECORDED = UINT32_MAX };

/* Keys of an excerpt (excerpt.h) besides those of a manifest. */
#define SYNC_ROUNDS_RECORDING "excerpt_of"
#define SYNC_ROUNDS_PLACE "place"

struct sync_recorder { /* of one recording */
	/* The recorder's host, if it was recorded too (times are then by the clock of its traces);
	 * else SYNC_NOT_RECORDED. */
	uint32_t host;
	const char *recording; /* of excerpts: which manifest they are of; NULL: it is a manifest */
	struct sync_host_rounds *hosts; /* in the order of the manifest */
	size_t n_hosts;
};

struct sync_rounds {
	struct mer_arena arena;
	struct sync_recorder *recorders;
	size_t n;
};

/* The paths of the manifests of the traces' recordings, in the arena; returns how many. */
size_t sync_rounds_files(
	const struct mer_experiment *e, struct mer_arena *arena, const char *const **paths);
/* *rounds: NULL where there are none. Unreadable manifests, and clocks that were set during the
 * recording, become diagnostics of e. */
int sync_rounds_read(struct mer_experiment *e, struct sync_rounds **rounds, struct mer_err *err);
/* Adds the rounds of one manifest as another recorder; `into` has room for it. path is for
 * messages. A manifest that cannot be read becomes a diagnostic and adds no rounds. */
int sync_rounds_parse(struct mer_experiment *e, const char *text, size_t len, const char *path,
	struct sync_rounds *into, struct mer_err *err);
void sync_rounds_free(struct sync_rounds *rounds); /* NULL is fine */
/* Has the host any? rounds may be NULL. */
bool sync_rounds_has(const struct sync_rounds *rounds, uint32_t host);
/* Drops the host's rounds that are not within this range of its clock. */
void sync_rounds_keep(struct sync_rounds *rounds, uint32_t host, int64_t begin, int64_t end);

/* with: m, finished, plus messages of the kind SYNC_ROUND for m's rounds. Messages between two
 * hosts, neither of them the recorder, span the time that passed at the recorder by its clock,
 * which drifts by at most max_drift. Links without rounds are shared with m; call
 * sync_with_rounds_free in any case, before m is freed. */
int sync_with_rounds(const struct sync_messages *m, double max_drift, struct sync_messages *with,
	struct mer_err *err);
void sync_with_rounds_free(const struct sync_messages *m, struct sync_messages *with);

/* The host of the experiment that a manifest calls so; SYNC_NOT_RECORDED: it is none. */
uint32_t sync_rounds_host(
	const struct mer_experiment *e, const char *boot, const char *tracer, const char *name);
/* The host's times minus clock_gettime(CLOCK_MONOTONIC); false: its traces use another clock, or
 * the difference is not known. */
bool sync_monotonic_base(const struct mer_experiment *e, uint32_t host, int64_t *base);

#endif
