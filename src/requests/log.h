/* Log: what the tasks of each host did with connections, kept while the world is built; everything
 * else in this folder is computed from it afterwards.
 *
 *   while the world is built:  requests_log_observers()  →  sockets, and actions on them in the
 *                              order of time
 *   afterwards:                connections.c, exchanges.c, nest.c
 *
 * An action is a run of calls: of one task, on one socket, in one direction, with no other action
 * of that task and no other on that socket in between. So a large answer, read in a thousand
 * calls, is one action. Calls that moved nothing leave no action. An action takes 32 bytes, in the
 * experiment's spill. */
#ifndef MER_REQUESTS_LOG_H
#define MER_REQUESTS_LOG_H

#include "base/map.h"
#include "kernel/world.h"

enum requests_action_kind {
	REQUESTS_READ,
	REQUESTS_WRITE,
	REQUESTS_CONNECT,
	/* `socket` is the task that ended a wait of `task`; or `task` itself, which handed
	 * something to whoever waits: by an eventfd, or a pipe */
	REQUESTS_WAKE
};

/* A pipe is a socket of each process that uses it; which two pipes are a connection is found
 * afterwards (pipes.c). */

struct requests_action {
	int64_t begin,
		/* ns: of the first call, and of the last one; WAKE: both when the wait ended */
		end;
	uint32_t task, socket;
	uint32_t bytes : 27, kind : 2; /* enum requests_action_kind; CONNECT: bytes is nothing */
	/* Since its action before, the task looked for the next thing to do: in a poll, or by
	 * reading what only wakes it (an eventfd, a pipe). */
	uint32_t is_fresh : 1;
	uint32_t is_server : 1;	     /* at the end that answers; set with exchange */
	uint32_t was_connecting : 1; /* the first one on a socket, for which its task had waited */
	/* that it is of, plus 1 (exchanges.c); 0: none. WAKE: the socket or pipe that was written
	 * to end the wait, plus 1 */
	uint32_t exchange;
};

enum { REQUESTS_MOST_BYTES = (1 << 27) - 1, REQUESTS_SAMPLES = 4 };

struct requests_socket {       /* one end of a connection */
	int64_t begin;	       /* when it was made, or first used */
	int64_t end_of_use;    /* when a descriptor of it was closed last; INT64_MIN: none was */
	uint32_t owner;	       /* task that made it, or first used it */
	uint32_t object;       /* name; KERNEL_NONE */
	uint8_t kind;	       /* enum kernel_object_kind */
	uint8_t end;	       /* of a socket pair */
	bool is_received_from; /* by a call for sockets only */
	bool is_made;	       /* by a call, while recorded: it was not there before */
	bool is_connected, is_accepted;
	bool is_connecting; /* connect did not wait until it was */
	/* Some of the packets that were sent by its calls: they have the addresses. */
	uint8_t n_samples, n_sightings, n_meetings, n_departures;
	uint8_t pipe_ways; /* of a pipe: 1 << REQUESTS_READ, WRITE: what its process did */
	bool is_joined;	   /* of a pipe: with the one of the other way (pipes.c) */
	uint32_t samples[REQUESTS_SAMPLES];
	/* Of a read whose begin was not seen, which is all that it has: the packet that ended the
	 * wait in it, plus 1. Whose it is shows afterwards (addresses.c). 0: it is none such. */
	uint32_t arrived;
	/* What the state dump told of it: names; KERNEL_NONE: nothing, or it has no peer. */
	uint32_t told_local, told_peer;
	bool is_unused;	 /* it was in the state dump, and nothing was done with it yet */
	uint32_t opener; /* its action CONNECT, plus 1 */
	uint32_t last;	 /* its last action, plus 1 */
	int64_t before;	 /* when the one before that ended */
	uint32_t n;	 /* its actions that read or write */
	/* See connections.c. */
	uint32_t local, remote; /* sync_endpoint; 0: not known */
	uint32_t connection;	/* plus 1; 0: none */
};

/* Where packets have no addresses: one that a call on a socket sent, or that ended a wait before
 * the socket was read. */
struct requests_sighting {
	uint32_t packet, socket;
	bool is_send;
};

/* A packet that a call on a socket sent, and that nobody is known to have received. */
struct requests_departure {
	int64_t time;
	uint32_t socket;
};

/* What was written to `from`, or its connect, ended the wait of a task that then read `to`, or
 * accepted it: they are two ends of one connection, unless the task had waited for several. */
struct requests_meeting {
	uint32_t from, to;
};

/* What a task wrote to files within REQUESTS_DIRT_NS: somebody else may have to write it to a disk
 * later. */
struct requests_dirt {
	int64_t since;
	uint64_t bytes;
	uint32_t task;
};
enum { REQUESTS_DIRT_NS = 100000000 };

struct requests_host {
	struct mer_spill *spill;	     /* of all arrays up to slots, which are its blocks */
	struct requests_sighting *sightings; /* of each socket some */
	uint32_t n_sightings, cap_sightings;
	struct requests_departure *departures; /* of each socket some */
	uint32_t n_departures, cap_departures;
	struct requests_meeting *meetings; /* of each socket some */
	uint32_t n_meetings, cap_meetings;
	struct requests_socket *sockets;
	uint32_t n_sockets, cap_sockets;
	struct requests_action *actions; /* in the order in which they ended */
	uint32_t n_actions, cap_actions;
	struct requests_dirt *dirt; /* nearly in the order of time */
	uint32_t n_dirt, cap_dirt;
	/* The rest is needed while the host is read. */
	struct requests_slot { /* what a descriptor stood for, for some time */
		int64_t begin, end;
		uint32_t socket; /* KERNEL_NONE: nothing that is looked at */
		uint32_t before; /* plus 1 */
	} * slots;
	uint32_t n_slots, cap_slots;
	struct mer_map slots_by_fd; /* process and descriptor -> newest slot, plus 1 */
	struct requests_doing {
		uint32_t last;	    /* its last action, plus 1; none on a pipe */
		uint32_t last_pipe; /* on a pipe */
		uint32_t pipes[2];  /* that it read and wrote last: sockets, plus 1 */
		uint32_t
			/* packet that ended its last wait, plus 1; 0: none, or read since */
			arrived;
		int64_t arrived_at; /* when it did */
		/* socket of the call that ended its last wait, plus 1; 0: none, or used since */
		uint32_t sender;
		uint32_t dirt; /* its newest, plus 1 */
		bool is_fresh, has_read;
		bool sender_connects; /* else it writes */
		bool is_after_pipe;   /* it has read one since `last` */
	} * tasks;		      /* by task */
	size_t cap_tasks;
	struct mer_map pipes; /* process and name -> socket, plus 1 */
	struct mer_map tids;  /* tid -> its newest task, plus 1; as far as n_indexed */
	uint32_t n_indexed;
};

struct requests_log {
	struct requests_host *hosts;
	struct kernel_observer *observers;
	uint32_t n_hosts;
};

int requests_log_new(
	uint32_t n_hosts, struct mer_spill *spill, struct requests_log **log, struct mer_err *err);
void requests_log_free(struct requests_log *); /* NULL is fine */
/* For kernel_world_options; live as long as the log. */
const struct kernel_observer *requests_log_observers(struct requests_log *);

#endif
