/* kernelworld: services: clients, and programs that serve them over connections that are opened
 * and closed while everything runs. A program is a chain of functions: each adds steps, and names
 * the function that goes on when these have been executed.
 *
 * An *ask* is a request with its answer: what is compared with what meridian finds. */
#ifndef KERNELWORLD_SERVICE_H
#define KERNELWORLD_SERVICE_H

#include "kernelworld.h"

struct ask {
	uint64_t id; /* from 1 on */
	struct ask *parent;
	struct conn *conn;
	struct task *client, *server; /* server: who writes the answer */
	int64_t begin, end;	      /* of calls; -1: not yet */
	uint32_t bytes[2], got[2];    /* request, answer */
	uint32_t left, open;	      /* asks of its own: still to send, not answered */
	int64_t due;		      /* waits until then */
	const char *cause;	      /* of its delay */
	uint8_t tier;
	struct ask *before, *after; /* open ones */
};

struct poller {
	struct list ready, waiters; /* sources, tasks */
	int fd;
};

struct listener {
	struct machine *m;
	uint16_t port;
	uint8_t tier;
	struct watched watched;
	struct list pending, waiters; /* connections, tasks */
	struct task *owner;
	int fd;
};

struct queue { /* in memory, with a futex for those who wait */
	struct list items, waiters;
};

struct lock {
	struct task *holder;
	struct list waiters;
};

struct fds { /* of a process: what each of its descriptors is; NULL: closed */
	const char *name[256];
};

struct role;

struct service { /* a task's */
	void (*go)(struct cpu *c, struct task *t);
	struct role *program;
	struct fds *fds;
	struct conn *conn, *own; /* it is busy with; its own to what it asks */
	struct ask *ask, *child;
	struct list batch, collected; /* sources, asks */
	void *item;
	int64_t ret, waited_since;
	uint32_t phase;
	bool is_waiting;
};

enum program_kind { SERVE_LOOP, SERVE_POOL, SERVE_FORK, SERVE_THREAD, SERVE_SHARED };

struct role { /* shared by its tasks */
	const char *comm;
	enum program_kind kind;
	uint8_t tier;
	bool is_db, is_front;
	struct listener *listener; /* on which it serves */
	struct listener *asks;	   /* which it asks; NULL: none */
	uint32_t n_workers, n_conns, queries[2];
	int64_t work[2]; /* ns */
	bool asks_new;	 /* a connection for each ask */
	bool is_parallel, has_timers, collects, hops, hands_back;
	bool schedules, is_polled; /* as Go does; one of its threads waits for what is ready */
	/* While it runs. */
	struct poller poller;
	struct watched event; /* by which workers wake the loop */
	int event_fd;
	uint32_t n_opened;
	struct list idle, waiting, run, done; /* connections; asks: children, own, own, own */
	struct ask *timers[1024];
	uint32_t n_timers;
	struct queue jobs, conns;
	struct lock *lock;   /* NULL: none */
	enum tail tail;	     /* of a disturber: what it does, */
	int64_t from, until; /* and when; both 0: now and then */
	struct fds fds;
};

/* socket */
void make_ready(struct sim *s, struct watched *of, struct packet *p);
void control(struct cpu *c, struct packet *p); /* a packet that opens or closes */
void blame(struct conn *k, const char *cause);
int watched_fd(const struct watched *of);
extern const char name_of_socket[], name_of_poller[], name_of_event[];
int new_fd(struct service *v, const char *name);
void free_fd(struct service *v, int fd);
struct conn *add_connect(struct sim *s, struct task *t, struct listener *to, bool waits);
void add_accept(struct sim *s, struct listener *l, bool waits); /* service.conn; NULL: none */
void add_close(struct sim *s, struct task *t, struct conn *k, int side, bool is_last);
void add_read(struct sim *s, struct conn *k, int side, bool waits); /* service.ret */
void add_poll_one(struct sim *s, struct conn *k, int side);
void add_question(struct sim *s, struct ask *a); /* sends it */
void add_answer(struct sim *s, struct ask *a);
void add_watch(struct sim *s, struct poller *p, struct watched *of);
void add_wait_ready(struct sim *s, struct task *t); /* service.batch */
void add_take_item(struct sim *s, struct queue *q); /* service.item */
void add_give_item(struct sim *s, struct queue *q, void *item);
void add_lock(struct sim *s, struct lock *l);
void add_unlock(struct sim *s, struct lock *l);
void add_step(struct sim *s, void (*run)(struct cpu *c, const struct step *step), void *p);

/* Of what was read: the whole ask, or NULL. */
struct ask *received(struct conn *k, int side, int64_t bytes);
struct ask *new_ask(struct sim *s, struct ask *parent, struct conn *k, uint8_t tier);
void end_ask(struct cpu *c, struct ask *a);

/* service */
void service_goes_on(struct cpu *c, struct task *t);
struct service *new_service(struct role *p, void (*go)(struct cpu *c, struct task *t));
void client_begins(struct cpu *c, struct task *t);
void loop_begins(struct cpu *c, struct task *t);
void accept_begins(struct cpu *c, struct task *t);
void worker_begins(struct cpu *c, struct task *t);
void disturber_begins(struct cpu *c, struct task *t);

/* net */
void put_address(struct sim *s, const struct conn *k, const struct machine *m);

#endif
