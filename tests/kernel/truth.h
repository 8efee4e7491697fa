/* Truth: what a simulated world says of itself (docs/dev/kernelworld.md), and the kernel model of
 * its traces beside it. */
#ifndef TESTS_KERNEL_TRUTH_H
#define TESTS_KERNEL_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/world.h"
#include "sync/result.h"

struct truth_span {
	int64_t begin, end;
	uint8_t state, cause;
	int32_t by;	/* tid; -1 */
	int64_t packet; /* -1 */
};

struct truth_task {
	uint32_t host, first, n; /* spans */
	int32_t tid, pid;
	int64_t begin, end;
	bool is_kernel;
};

struct truth_packet {
	uint32_t from, to;
	int32_t sender;	     /* tid; -1 */
	int64_t id, answers; /* -1 */
	int64_t sent, received;
};

struct truth_window {
	uint32_t host;
	int32_t tid;
	int64_t begin, end;
	size_t first, n; /* pieces */
};

struct truth_piece {
	uint32_t host;
	int32_t tid;
	int64_t begin, end, in_flight; /* packet; -1 */
	char cause[16];
};

struct truth {
	struct truth_span *spans;
	struct truth_task *tasks;
	struct truth_packet *packets; /* by id */
	struct truth_window *windows;
	struct truth_piece *pieces;
	size_t n_spans, n_tasks, n_packets, n_windows, n_pieces;
	double ahead[64], drift[64]; /* of the hosts' clocks */
};

struct subject { /* of a test */
	char options[400], dir[400];
	struct truth truth;
	struct mer_experiment *e;
	struct sync_result *r;
	struct kernel_world *w;
	uint32_t host_of[64]; /* h0, h1, ... in the experiment */
	bool lossy;	      /* events are missing */
	bool cut;	      /* what was before the begin is not known */
	bool old;	      /* layout */
	int64_t begin;	      /* of the recording, true time */
};

/* Runs kernelworld with these options, builds the model. sync: clocks are synchronized; otherwise
 * believed. Failures fail the test. */
void subject_open(struct subject *s, const char *options, bool sync, unsigned n_threads);
void subject_close(struct subject *s);
/* A true time on the model's time line. */
int64_t subject_time(const struct subject *s, uint32_t host, int64_t t);
/* The model's task that is the truth's; KERNEL_NONE: it has none. */
uint32_t subject_task(const struct subject *s, const struct truth_task *t);
/* -1: none. */
int64_t subject_packet(const struct subject *s, const struct truth_packet *p);
/* ... and back; NULL: none. */
const struct truth_packet *truth_packet_of(const struct subject *s, uint32_t packet);

#endif
