/* State: all that the model of a host knows at a moment, written and read back, so that it goes on
 * from there as if it had read everything before. Numbers of tasks, names and calls are those of
 * the whole recording; spans, requests and packets are only those that something refers to. */
#ifndef MER_KERNEL_CHECKPOINT_STATE_H
#define MER_KERNEL_CHECKPOINT_STATE_H

#include "kernel/checkpoint/archive.h"
#include "kernel/model_state.h"

struct model_counts { /* what a state has */
	uint32_t tasks, living, renames, spans, requests, packets;
	uint32_t all_spans, all_requests; /* of the host until then */
	int64_t packets_since;		  /* packets that were received later are needed */
};

struct model_next {
	uint32_t packet;
	bool is_send;
};

/* Keeps from one state to the next which requests are open. Zeroed at first. */
struct model_saver {
	uint32_t *open; /* malloc'ed */
	uint32_t n_open, cap_open, n_requests;
};

/* Before the first event at `now` or later. False: no memory, or it cannot be told. */
bool model_save(struct model_saver *s, struct kernel_model *m, int64_t now, struct archive *a);
void model_saver_fini(struct model_saver *s);

struct model_whole { /* what is known of the host when everything is read */
	const struct kernel_task *tasks;
	const struct kernel_name *renames;
	uint32_t n_tasks, n_renames, n_names, n_calls, n_packets;
};

struct model_sender {	 /* of a packet that was sent before */
	uint32_t packet; /* of model.in.packets */
	uint32_t task;
	int64_t asked; /* kernel_packet_asked */
};

struct model_restore {
	const struct model_whole *whole;
	const struct model_counts *counts;
	int64_t now;
	const uint32_t *packets; /* of the state's packets: numbers in model.in.packets */
	const struct model_sender *senders;
	uint32_t n_senders;
};

/* First: which packets of the whole recording it refers to, rising; malloc'ed. */
bool model_read_packets(struct archive *a, const struct model_whole *whole, int64_t now,
	struct model_counts *c, uint32_t **packets);
/* Then: into a new model, whose host has all names and calls of the whole recording. */
bool model_restore(struct archive *a, struct kernel_model *m, const struct model_restore *in);

/* The names of tasks that come after those that the host has, up to n of them. False: no memory. */
bool model_add_renames(struct kernel_host *h, const struct model_whole *whole, uint32_t n);

#endif
