/* What a reading collects for checkpoints, and what both sides of the file know. */
#ifndef MER_KERNEL_CHECKPOINT_KEEP_H
#define MER_KERNEL_CHECKPOINT_KEEP_H

#include "kernel/checkpoint/checkpoint.h"
#include "kernel/checkpoint/state.h"

struct kernel_keep { /* of a host */
	struct kernel_keeper *keeper;
	struct model_saver saver;
	struct kept_state {
		uint8_t *
			/* malloc'ed; NULL: the host had no event before, or it was left out */
			bytes;
		size_t n;
		uint32_t *first; /* of its streams: packets to begin with; malloc'ed */
	} * states;		 /* as keeper->times */
	uint32_t next;		 /* state */
	uint32_t every;		 /* only each of so many is kept: a power of two */
	size_t bytes;		 /* of the states */
	uint32_t first_stream, n_streams;
	uint32_t *first, *left; /* for the next state; of its streams */
	bool is_near;		/* first is for the next state already */
	int64_t begin, end;	/* recorded */
	struct archive losses;
	struct archive ends;	  /* struct checkpoint_end, in the order in which they were told */
	struct kernel_late *late; /* by time; malloc'ed */
	uint32_t n_late, cap_late;
	bool is_done, failed;
};

struct kernel_keeper {
	struct mer_experiment *e;
	const struct kernel_world *w; /* that is built */
	uint32_t kind;
	int64_t *times;
	uint32_t n_states, n_hosts;
	struct kernel_keep *hosts;
	struct kept_sender { /* of each packet */
		uint32_t task;
		int64_t asked;
	} * senders;
	size_t max_bytes; /* of the states of each host */
};

/* The streams of a host: [first, first + n). */
void checkpoint_streams(
	const struct mer_experiment *e, uint32_t host, uint32_t *first, uint32_t *n);

enum { CHECKPOINT_BLOCK = 512 }; /* packets */
struct checkpoint_packet {
	struct kernel_bridge p;	      /* without spans */
	uint32_t source, destination; /* in the table of endpoints */
	uint32_t sender_task;
	int64_t asked;
};
/* before: sent, of the packet before it. */
void checkpoint_visit_packet(struct archive *a, struct checkpoint_packet *p, uint32_t number,
	int64_t before, const struct mer_experiment *e);
void checkpoint_visit_late(struct archive *a, struct kernel_late *x, int64_t before);
void checkpoint_visit_losses(struct archive *a, struct kernel_losses *l);

enum checkpoint_end_kind {
	CHECKPOINT_NO_END,
	CHECKPOINT_SPAN,
	CHECKPOINT_CALL,
	CHECKPOINT_OPEN_CALL
};
struct checkpoint_end { /* of what was open at some state */
	uint8_t kind;
	int64_t begin, end;
	int64_t told; /* when that was known: a loss may have ended it before */
	uint32_t task, call;
	uint16_t cpu;
	uint8_t state; /* of the span; of an open call: of its task's last span */
	/* CHECKPOINT_SPAN */
	uint8_t cause;
	uint32_t by; /* task */
	/* calls */
	uint16_t call_kind;
	int64_t ret;
	uint64_t args[KERNEL_CALL_ARGS];
};
void checkpoint_visit_end(struct archive *a, struct checkpoint_end *x);

struct checkpoint_part {
	uint64_t at, bytes;
};
struct checkpoint_block {
	struct checkpoint_part part;
	int64_t sent, received; /* the first, the last */
};
struct checkpoint_toc {
	uint32_t n_hosts, n_states, n_packets, n_blocks, n_endpoints;
	int64_t *times;
	struct checkpoint_part *hosts;	/* what is known at the end */
	struct checkpoint_part *states; /* by state, then host; bytes 0: it had no event */
	uint32_t **first;		/* as states; NULL where it had no event */
	struct checkpoint_block *blocks;
	struct checkpoint_part endpoints;
	uint64_t n_unsynchronized, n_inversions;
};
/* Reads or writes it; e: for how many streams hosts have. */
void checkpoint_visit_toc(
	struct archive *a, struct checkpoint_toc *toc, const struct mer_experiment *e);
void checkpoint_toc_fini(struct checkpoint_toc *toc);

struct checkpoint_header {
	char magic[8];
	uint32_t version, kind;
	uint64_t key[2], bytes, hash, toc, toc_bytes;
};
#define CHECKPOINT_MAGIC "MERMODEL"
enum { CHECKPOINT_VERSION = 12 };

struct checkpoint_whole {   /* of a host, at the end */
	int64_t begin, end; /* recorded */
	int64_t h_begin, h_end;
	uint64_t n_events, n_odd, n_calls_left_out;
	struct kernel_losses losses;
	struct kernel_task *tasks;
	struct kernel_name *renames;
	struct kernel_call *calls;
	uint32_t n_tasks, n_renames, n_calls, n_names;
	struct kernel_late *late;
	uint32_t n_late;
	struct archive ends;	/* from its first one on */
	struct mer_map maps[4]; /* devices, irq_names, packages, cpus */
	const uint8_t *names;	/* length and text of each */
	size_t names_bytes;
};
void checkpoint_visit_task(struct archive *a, struct kernel_task *t, int64_t now);

#endif
