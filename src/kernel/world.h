/* World: the hosts of an experiment, each with what its tasks did, and the packets between them.
 *
 *   sync_messages ──→ packets ──┐
 *   events of each host ──→ model ──→ hosts[]; packets know the spans that sent and received them
 *
 * Hosts are independent of each other and are read on several threads; the result is the same for
 * any number of them. */
#ifndef MER_KERNEL_WORLD_H
#define MER_KERNEL_WORLD_H

#include "base/err.h"
#include "base/pool.h"
#include "kernel/bridge.h"
#include "kernel/host.h"
#include "kernel/mpi.h"
#include "kernel/observer.h"
#include "kernel/vm/vcpus.h"
#include "sync/messages.h"
#include "trace/experiment.h"

struct sync_result;

struct kernel_world;

/* A packet of which one end only was seen (struct sync_single), on the common time line; or one
 * end of a message between hosts whose times cannot be compared. */
struct kernel_single {
	int64_t time;
	uint32_t source, destination; /* sync_endpoint */
	uint32_t host;
	bool is_send, opens;
	bool leaves; /* is_send, to where nothing is known to be recorded: not lost */
};

/* What a saved world can do. Functions that find something return MER_ERR_INPUT if what was saved
 * is damaged; the spans tell it as well. */
struct kernel_saved {
	void *ctx;
	/* Sees to it that a bridge is there; NULL: all are. */
	void (*load_bridge)(void *ctx, uint32_t bridge);
	/* What path/blocked.h finds, a struct blocked; NULL: it is not saved. */
	int (*get_waits)(
		void *ctx, const struct kernel_world *w, void *blocked, struct mer_err *err);
	/* What receivers.h finds; NULL: it is not saved. */
	int (*get_receivers)(
		void *ctx, const struct kernel_world *w, uint32_t *tasks, struct mer_err *err);
};

struct kernel_world {
	struct mer_experiment *e;  /* borrowed */
	struct mer_cancel *cancel; /* borrowed: ends what is found in the world, too; NULL: none */
	struct mer_spill *spill;   /* that of e, for what grows with the traces; NULL: memory */
	struct kernel_host *hosts;
	uint32_t n_hosts;
	/* By time of their begin; a block of spill. Of a world that may be a saved one:
	 * kernel_bridge_at. */
	struct kernel_bridge *bridges;
	uint32_t n_bridges;
	/* By source, destination, time; a block of spill. Not of a saved world. */
	struct kernel_single *singles;
	uint32_t n_singles;
	/* By host: times of those with the same number can be compared. Not of a saved world; NULL:
	 * nothing is known of that. */
	uint32_t *clock_groups;
	/* What their endpoints stand for, as far as they are IPv4: numbers of places, plus 1. */
	struct mer_map endpoints;
	struct sync_place *places;
	uint64_t
		/* messages between hosts whose times cannot be compared: not used */
		n_unsynchronized;
	uint64_t
		/* messages received before they were sent, on the clocks as they are */
		n_inversions;
	/* By host: what its vCPUs did (vm/vcpus.h); those of hosts without any are empty. NULL:
	 * nobody wanted it. Not of a saved world. */
	struct kernel_vcpus *vcpus;
	/* What the ranks of MPI programs did; NULL: nobody wanted it, or there are none. */
	const struct kernel_mpi *mpi;
	struct kernel_mpi *own_mpi; /* the same, if it is the world's */
	struct kernel_saved saved;  /* zeroed: it is none */
};

static inline const struct kernel_bridge *kernel_bridge_at(
	const struct kernel_world *w, uint32_t bridge)
{
	if (w->saved.load_bridge)
		w->saved.load_bridge(w->saved.ctx, bridge);
	return &w->bridges[bridge];
}

struct kernel_world_options {
	unsigned n_threads;
	struct mer_cancel *cancel;    /* as long as the world; NULL: none */
	_Atomic uint64_t *done_bytes; /* raised as events are read, for progress; NULL: not */
	/* As the experiment's hosts, all with the same wants; NULL: nobody listens. */
	const struct kernel_observer *observers;
	/* By host: its events are not read, it stays without tasks; NULL: all are read. Packets at
	 * its side then know no spans. */
	const bool *unread;
	/* Spans are forgotten some time after they were told: memory does not grow with the trace,
	 * and paths cannot be found. */
	bool forget;
	/* Who hypervisors took CPUs away from is not looked at: names and numbers are the same. */
	bool no_guests;
	/* Emptied as soon as packets were made of them; NULL: `messages` stay. */
	struct sync_messages *drop;
	/* By host: kernel_host.views; longer there than the world. NULL: none. */
	const struct view_host *const *views;
};

/* messages: as gathered, on the hosts' own clocks; NULL: none are known. r: the synchronization
 * that was applied to e; NULL: none was, then messages between different hosts are not used. */
int kernel_world_build(struct mer_experiment *e, const struct sync_messages *messages,
	const struct sync_result *r, const struct kernel_world_options *o,
	struct kernel_world **world, struct mer_err *err);
void kernel_world_free(struct kernel_world *); /* NULL is fine */
/* For what goes through a world: MER_ERR_CANCELLED when nobody waits for it any more. */
static inline int kernel_world_go_on(const struct kernel_world *w, struct mer_err *err)
{
	return mer_cancelled(w->cancel) ? mer_fail(err, MER_ERR_CANCELLED, "cancelled") : 0;
}
/* Those from source to destination that were seen in [begin, until): the first one, and how many
 * there are. */
const struct kernel_single *kernel_singles(const struct kernel_world *w, uint32_t source,
	uint32_t destination, int64_t begin, int64_t until, uint32_t *n);
/* For who fills singles: brings them into their order. */
int kernel_singles_sort(struct kernel_world *w, struct mer_err *err);
/* "10.0.0.2:80", and its port. False: not known. */
enum { KERNEL_ENDPOINT_BYTES = sizeof("255.255.255.255:65535") };
bool kernel_endpoint_text(const struct kernel_world *w, uint32_t endpoint,
	char text[KERNEL_ENDPOINT_BYTES], uint16_t *port);

/* Tasks of a host that fit: tid -1: any; comm a pattern of * and ? that any of its names must fit,
 * NULL: any. From task number `from` on; KERNEL_NONE: no more. */
uint32_t kernel_find_task(
	const struct kernel_host *h, int32_t tid, const char *comm, uint32_t from);

#endif
