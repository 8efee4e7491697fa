/* kernelworld: machines whose kernels are traced, simulated, with the truth beside the traces.
 *
 *   kernelworld.c           command line
 *   kernelworld_run.c       the simulation: processors, interrupts, scheduler
 *   kernelworld_wake.c      blocking and waking up
 *   kernelworld_life.c      tasks: fork, exec, exit
 *   kernelworld_programs.c  what tasks do, at random
 *   kernelworld_disk.c      block requests, kernel threads that serve them
 *   kernelworld_net.c       connections, packets
 *   kernelworld_socket.c    services: sockets, epoll, queues and locks
 *   kernelworld_service.c   services: what their programs do
 *   kernelworld_shapes.c    services: who is there, what disturbs them
 *   kernelworld_vm.c        guests and their vCPUs
 *   kernelworld_virtio.c    guests whose disks are files of their hosts
 *   kernelworld_calls.c     layouts of system calls
 *   kernelworld_emit.c      events to the traces: clocks, losses
 *   kernelworld_stock.c     ... to recordings of ftrace and perf instead (kernelworld_stock.h)
 *   kernelworld_dump.c      state dump
 *   kernelworld_truth.c     states.csv, packets.csv, tasks.csv
 *   kernelworld_path.c      paths.csv: the critical path by what the simulation knows
 *
 * A discrete-event simulation. What a processor executes is a stack of contexts: the task, a
 * softirq, an interrupt. A context is a list of steps; a step takes time or does one thing, which
 * is at most one event. On one machine no two steps happen within 2 ns, so that the order of events
 * is that of their times, also on clocks that run slow. Errors end the program. */
#ifndef KERNELWORLD_H
#define KERNELWORLD_H

#include <stdio.h>

#include "ctfgen.h"
#include "kernel/span.h"
#include "world_random.h"

enum event_id {
	EV_SWITCH,
	EV_WAKING,
	EV_WAKEUP,
	EV_WAKEUP_NEW,
	EV_MIGRATE,
	EV_FORK,
	EV_EXIT,
	EV_FREE,
	EV_EXEC,
	EV_IRQ_ENTRY,
	EV_IRQ_EXIT,
	EV_RAISE,
	EV_SOFTIRQ_ENTRY,
	EV_SOFTIRQ_EXIT,
	EV_HRTIMER_START,
	EV_HRTIMER_ENTRY,
	EV_HRTIMER_EXIT,
	EV_TIMER_VEC_ENTRY,
	EV_TIMER_VEC_EXIT,
	EV_RESCHED_ENTRY,
	EV_RESCHED_EXIT,
	EV_INSERT,
	EV_ISSUE,
	EV_COMPLETE,
	EV_QUEUE,
	EV_RECEIVE,
	EV_VM_ENTRY,
	EV_VM_EXIT,
	EV_VM_INJECT,
	EV_VM_USER,
	EV_DUMP_START,
	EV_DUMP_END,
	EV_DUMP_PROCESS,
	EV_DUMP_FD,
	EV_DUMP_DEVICE,
	EV_DUMP_INTERFACE,
	EV_N
};
enum call {
	C_READ,
	C_WRITE,
	C_OPENAT,
	C_CLOSE,
	C_PREAD,
	C_PWRITE,
	C_FSYNC,
	C_RECVFROM,
	C_SENDTO,
	C_POLL,
	C_EPOLL_WAIT,
	C_FUTEX,
	C_NANOSLEEP,
	C_WAIT4,
	C_EXECVE,
	C_CLONE,
	C_EXIT,
	C_EXIT_GROUP,
	C_PIPE2,
	C_PRCTL,
	C_GETPID,
	C_CLOCK_GETTIME,
	C_MMAP,
	C_MUNMAP,
	C_BRK,
	C_IOCTL,
	C_NEWFSTATAT,
	C_NEWFSTAT,
	C_LSEEK,
	C_RT_SIGPROCMASK,
	C_SCHED_YIELD,
	C_SOCKET,
	C_CONNECT,
	C_ACCEPT4,
	C_EPOLL,
	C_EPOLL_CTL,
	C_EVENTFD2,
	C_N
};
enum { FUTEX_WAKES = 1, FUTEX_PRIVATE = 128 }; /* the first one instead of a descriptor */

struct sim;
struct machine;
struct cpu;
struct task;
struct step;

typedef void (*step_fn)(struct cpu *c, const struct step *s);

struct step {
	step_fn run; /* NULL: takes n ns */
	void *p, *q;
	int64_t n;
	int32_t a;
	bool no_irq; /* interrupts are off between the step before and this one */
};

struct steps { /* the next one is the last of the array */
	struct step *of;
	uint32_t n, cap;
	int64_t left; /* ns of the step under way that an interrupt interrupted */
};

struct list { /* a queue of pointers */
	void **of;
	uint32_t first, n, cap;
};

enum program {
	PROGRAM_IDLE,
	PROGRAM_KTHREAD, /* serves its list of works */
	PROGRAM_TICKER,	 /* a kernel thread that sleeps by the timer wheel */
	PROGRAM_WORKER,	 /* a bit of everything */
	PROGRAM_SHORT,	 /* a child: some work, then exit */
	PROGRAM_THREAD,	 /* the same as a thread */
	PROGRAM_FORKER,
	PROGRAM_PIPE_FIRST,
	PROGRAM_PIPE_SECOND,
	PROGRAM_FUTEX_FIRST,
	PROGRAM_FUTEX_SECOND,
	PROGRAM_CLIENT,
	PROGRAM_SERVER,
	PROGRAM_HANDLER, /* a server's second thread: gets requests through a pipe or futex */
	PROGRAM_DUMPER,	 /* the tracer's state dump */
	PROGRAM_VCPU,	 /* see kernelworld_vm.h */
	PROGRAM_QEMU,
	PROGRAM_VIRTIO_MAIN, /* see kernelworld_virtio.h */
	PROGRAM_VIRTIO_WORKER,
	PROGRAM_HOG,	/* only computes */
	PROGRAM_SERVICE /* see kernelworld_service.h */
};

struct span { /* of the truth; ends where the next begins */
	int64_t begin;
	struct task *by;       /* who ended the wait */
	struct packet *packet; /* that ended it */
	const struct served *served;
	int16_t call; /* number in calls[]; -1: none */
	uint16_t cpu;
	uint8_t state, cause; /* enum kernel_state, kernel_cause */
};

/* What one task gives and another waits for: bytes of a pipe, a futex. */
struct channel {
	uint32_t n;
	struct task *waiter;
	int cause; /* enum kernel_cause */
	int fd;
};

struct task {
	struct machine *m;
	struct cpu *cpu; /* where it is, was or is queued */
	struct steps steps;
	char comm[16];
	int32_t tid, pid, ppid;
	bool is_kernel, is_idle, on_cpu, queued, blocked, waking, timer_over, dead, freed;
	int16_t call; /* system call that it is in; -1 */
	int fd;	      /* of that */
	/* It is about to leave its processor (see block), cannot be stopped, must wait for its
	 * waker. */
	bool settling, leaving, held;
	enum program program;
	uint32_t phase;
	struct task *parent;
	struct task *reaper; /* waits for this child */
	uint32_t n_zombies;
	bool wants_child;
	struct channel *in, *out;
	struct list works;	      /* of a kernel thread */
	struct conn *server, *client; /* connections on which it serves, or asks */
	bool done;		      /* what it waits for in fsync */
	uint64_t files;		      /* address of the file table */
	int64_t window;		      /* a request began */
	int64_t born, died, freed_at;
	int64_t since; /* on the processor */
	struct span *spans;
	uint32_t n_spans, cap_spans;
	uint32_t number;
	struct vcpu *vcpu; /* that it is; NULL: none */
	bool pinned;	   /* stays on its processor */
	struct service *service;
	int64_t call_begin, call_end; /* of its latest one */
	struct task *next;	      /* in the machine's list of all */
};

enum irq_kind {
	IRQ_TICK,
	IRQ_TIMER,
	IRQ_WHEEL,
	IRQ_DISK,
	IRQ_NET,
	IRQ_SENT,
	IRQ_WAKE,
	IRQ_RESCHEDULE,
	IRQ_RESEND
};

struct irq {
	enum irq_kind kind;
	void *p;
};

enum { MAX_FRAMES = 8 };

struct frame {
	struct steps steps;
	bool is_softirq;
};

struct vcpu;

struct cpu {
	struct sim *sim;
	struct machine *m;
	struct vcpu *vcpu; /* of a guest; NULL: a real one */
	uint32_t id;
	struct task *current, *idle;
	struct list queue; /* of tasks */
	struct frame frames[MAX_FRAMES];
	unsigned n_frames, n_inside; /* inside: between entry and exit events */
	struct irq *irqs;
	uint32_t n_irqs, cap_irqs;
	uint32_t softirqs;			    /* raised, by vec */
	struct list input, finished, wheel, resend; /* packets, block requests, tasks, packets */
	bool napi;				    /* input is being polled: no interrupts */
	bool need_resched, sleeping, tick;
	int64_t next;
	uint64_t generation;
	struct ctf_writer *w;
	/* Losses: */
	int64_t lost_from, lost_to;
	uint64_t n_lost, room; /* bytes that are left in the packet */
};

/* What a poller waits for. */
struct watched {
	struct poller *poller; /* NULL: none */
	enum watched_kind { SOURCE_CONN, SOURCE_LISTENER, SOURCE_EVENT } kind;
	void *of;
	int side;
	bool is_ready; /* in its list */
	bool is_busy;  /* somebody reads what is there */
};

struct conn_end {
	struct watched watched;
	bool is_ended; /* the other end has been closed, and all was read */
	struct machine *m;
	struct task *owner, *waiter;
	uint32_t seq; /* next to send */
	uint32_t got; /* all of the other's sequence numbers below arrived */
	uint32_t unread;
	uint32_t backlog; /* bytes that are sent when earlier ones were acknowledged */
	int64_t latest;	  /* arrival at the other end */
	uint16_t port;
	int fd;
};

struct conn {
	struct conn_end end[2]; /* 0: client */
	uint32_t bytes[2];	/* of a request and of its answer */
	bool loopback;
	/* Of services: opened while everything runs. */
	struct listener *listener; /* NULL: open from the begin */
	bool is_connected, is_pending;
	struct list asked, unanswered; /* of struct ask: sent, not read; not answered */
	struct ask *opened_for;
};

enum packet_flags { FLAG_FIN = 1, FLAG_SYN = 2, FLAG_ALONE = 0x100 /* nothing else is sent */ };

struct packet {
	uint64_t id;
	struct conn *conn;
	int side;	     /* that sent it */
	struct task *sender; /* NULL: an interrupt */
	struct packet *answers;
	struct task *receiver;	/* whom it was for */
	int64_t sent, received; /* -1: not */
	uint32_t seq, ack, bytes;
	uint16_t ip_id;
	bool is_last;  /* of what was sent at once */
	uint8_t flags; /* enum packet_flags */
};

struct served { /* with --virtio: the way of a guest's request, when and by whom */
	int64_t issued, begun, ended, sent, entered;
	struct task *sender, *vcpu;
	struct served *before; /* of sim.last_served: spans refer to all of them, to the end */
};

struct request {
	struct task *waiter, *worker;
	uint64_t sector;
	uint32_t bytes, rwbs;
	bool is_done;
	struct cpu *cpu;
	struct served *served; /* of a guest; NULL: by a disk */
};

struct machine {
	struct sim *sim;
	uint32_t id, n_cpus;
	bool is_guest;
	char name[16];
	struct cpu *cpus;
	struct task *tasks, **last_task; /* all that ever were */
	struct task **by_tid;
	int32_t next_tid;
	uint32_t n_kernel;
	struct task *kthreadd, *kworker, *jbd2, *rcu;
	struct list dead;      /* tasks to be freed */
	struct virtio *virtio; /* of a guest, with --virtio */
	int64_t last;	       /* time of the last step */
	int64_t recorded;      /* ... of the last event that is in the trace */
	int64_t disk_free;
	uint16_t next_port, ip_id;
	/* The trace. */
	struct trace *trace;
	struct ctf_event_class **classes, **entries, **exits;
	uint32_t sizes[2 * C_N + EV_N]; /* bytes of the latest event, by id of its class */
	struct stock *stock;		/* NULL: it is recorded by LTTng */
	int64_t boot, ahead;
	double drift;
};

struct window {
	struct task *task;
	int64_t begin, end;
};

struct happening {
	int64_t time;
	uint64_t order, generation;
	struct cpu *cpu;
	struct irq irq;
	bool is_step;
};

enum container {
	CONTAINER_CTF,
	CONTAINER_DAT7,
	CONTAINER_DAT6,
	CONTAINER_PERF,
	CONTAINER_PERF_PIPE
};
enum packing { PACKING_NONE, PACKING_ZLIB, PACKING_ZSTD };
enum tail { TAIL_NONE, TAIL_BURN, TAIL_LOCK, TAIL_HOG, TAIL_DISK, TAIL_LOSS, TAIL_MIXED };

struct odd {	       /* one host is unlike the others */
	uint32_t host; /* plus 1; 0: none */
	double by;
};

struct slower { /* tasks of this name take longer there */
	char comm[16];
	const char *place; /* "user", or the name of a system call */
	double by;	   /* by this part; 0: nothing does */
};

struct options {
	const char *dir;
	uint32_t n_machines, n_cpus, n_tasks;
	uint32_t n_hosts, n_vms, n_vcpus, n_hogs; /* n_machines: n_hosts and n_vms */
	int64_t slice, vm_latency, guest_ahead, glitch, glitch_until;
	double guest_drift;
	struct odd slow_disk, slow_net, fast_clock; /* times as slow; ppm */
	struct slower slower;
	uint32_t hogs_on; /* host, plus 1; 0: all */
	bool pin, svm, apart, guest_clock, virtio, spins;
	int64_t duration, begin_cut;
	uint64_t seed, n_events;
	bool old, dump, wrong_clocks, vectors, no_truth, reuse, races;
	double lose, lost;	   /* part of the events; part of the time */
	const struct shape *shape; /* of services; NULL: none */
	enum tail tail;
	unsigned windows; /* of TAIL_MIXED: those that have one each, as bits; 0: in turn */
	uint32_t n_clients;
	int64_t think;
	enum container container;
	enum packing packing;
	double missed; /* part of the probes */
	bool by_number;
	unsigned ctf_major;
	size_t packet_bytes;
};

struct sim {
	struct options o;
	struct gen gen;
	struct world_random random, losses, probes;
	struct machine *machines;
	struct happening *heap;
	size_t n_heap, cap_heap;
	uint64_t order;
	int64_t now, end; /* of the recording */
	uint64_t n_events;
	FILE *lost, *services, *vcpus_csv, *stolen_csv, *disks_csv, *spins_csv;
	struct ask *asks; /* open ones */
	uint64_t n_asks;
	const struct conn *peer; /* of the call that is emitted */
	int other;		 /* descriptor of it */
	const struct list *polled;
	const struct served *served; /* of the request that is finished now */
	struct served *last_served;
	struct packet **packets;
	size_t n_packets, cap_packets;
	struct window *windows;
	size_t n_windows, cap_windows;
	uint32_t n_tasks;
	struct ctf_value v[64];
	unsigned n_v;
	struct step sequence[256];
	unsigned n_sequence;
};

enum { EPOCH_S = 1700000000, MSS = 1448 };

_Noreturn void give_up(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void *need(void *p);
/* Room for one more of `size` bytes. */
void *grown(void *array, size_t n, size_t *cap, size_t size);
void list_add(struct list *l, void *p);
void *list_take(struct list *l); /* NULL: empty */
bool list_remove(struct list *l, const void *p);
int64_t pick(struct sim *s, int64_t lo, int64_t hi); /* both included */
bool chance(struct sim *s, double p);

/* Sequences: built with add..., then put before all that the context has still to do. */
struct step *add(struct sim *s, step_fn run);
struct step *add_p(struct sim *s, step_fn run, void *p);
void add_time(struct sim *s, int64_t ns);
void add_call(struct sim *s, int call, int fd);
void add_return(struct sim *s, int call, int64_t ret);
void put_first(struct sim *s, struct steps *steps);
struct steps *context(struct cpu *c);

/* run */
void make_machines(struct sim *s);
void simulate(struct sim *s);
void interrupt_at(struct cpu *c, int64_t time, enum irq_kind kind, void *p);
void enqueue(struct cpu *c, struct task *t);
void switch_task(struct cpu *c, int prev_state);
bool in_interrupt(const struct cpu *c);
void raise_softirq(struct cpu *c, unsigned vec); /* adds the step */
void do_enter(struct cpu *c, const struct step *s);
void do_leave(struct cpu *c, const struct step *s);
void vm_host_step(struct cpu *c, int64_t time); /* the next step, if it is not earlier anyway */
int64_t vm_pause(struct cpu *g);		/* what is left of the step under way */
void vm_resume(struct cpu *g, int64_t left, int64_t at);

/* wake */
void block(struct cpu *c, int state);
/* Adds the steps that wake the task, when the step is executed and it still is blocked. */
void add_wake(struct sim *s, struct task *t, int cause, struct packet *p);
void wake_now(struct cpu *c, struct task *t, int cause, struct packet *p);
void do_wakeup(struct cpu *c, const struct step *s);
void wake_frame(struct cpu *c, struct task *t); /* of an interrupt that completes a wake-up */
void do_give(struct cpu *c, const struct step *s);
void do_take(struct cpu *c, const struct step *s);
void add_sleep(struct sim *s, int64_t ns);
void do_start_timer(struct cpu *c, const struct step *s);
void add_timer_frame(struct cpu *c, struct task *t);

/* life */
struct task *new_task(struct machine *m, const char *comm, enum program program,
	struct task *parent, bool is_thread);
struct task *first_task(struct cpu *c, const char *comm, enum program program, int32_t tid);
void add_fork(struct sim *s, struct task *parent, enum program program, bool is_thread);
void add_fork_service(struct sim *s, struct service *of, bool is_thread);
void add_exit(struct sim *s, struct task *t);
void do_wait_child(struct cpu *c, const struct step *s);
void do_exec(struct cpu *c, const struct step *s);
void do_rename(struct cpu *c, const struct step *s);
void do_free_dead(struct cpu *c, const struct step *s);
void add_wheel_sleep(struct sim *s, int64_t ns);

/* programs */
void add_user(struct sim *s, int64_t lo, int64_t hi);
struct task *start(struct machine *m, const char *comm, enum program program);
void make_tasks(struct sim *s);
void next_activity(struct cpu *c, struct task *t);

/* disk */
void add_disk(struct sim *s, struct task *t, bool is_write);
void add_disk_bytes(struct sim *s, struct task *t, bool is_write, uint32_t bytes);
void add_fsync(struct sim *s, struct task *t);
void disk_frame(struct cpu *c, struct request *r);
void do_block_softirq(struct cpu *c, const struct step *s);
void next_work(struct cpu *c, struct task *t);

/* net */
struct conn *new_conn(struct machine *client, struct machine *server);
void add_send(struct sim *s, struct conn *conn, int side, uint32_t bytes);
void do_receive(struct cpu *c, const struct step *s);
void add_receive(struct sim *s, struct conn *conn, int side, uint32_t bytes);
void do_poll_input(struct cpu *c, const struct step *s);
void do_queue(struct cpu *c, const struct step *s);
void do_resend(struct cpu *c, const struct step *s);

/* services */
const struct shape *find_shape(const char *name);
void make_services(struct sim *s);
void end_services(struct sim *s);

/* emit */
void open_traces(struct sim *s);
void close_traces(struct sim *s);
void val(struct sim *s, int64_t x);
void address(struct sim *s, uint64_t x);
void text(struct sim *s, const char *t);
void emit(struct cpu *c, enum event_id e);
void emit_call(struct cpu *c, int call, int fd);
void emit_return(struct cpu *c, int call, int fd, int64_t ret);

/* calls */
struct call_layout {
	const char *name;
	/* A letter for each value: f fd, g fd + 1, n size, p address, s file name, 0 and 1
	 * themselves, m -1, d -100, c and a address of the peer that is connected to or accepted,
	 * h another descriptor, e those that are ready. Exits have ret before these. */
	const char *entry, *exit;
	uint16_t number;       /* on x86-64 */
	const char *registers; /* arguments, in these letters; i: bytes of an address */
};
extern const struct call_layout calls[C_N];

/* dump */
void add_dump(struct sim *s, struct machine *m);

/* truth */
void note_state(struct task *t, enum kernel_state state, int cause);
void note_on_cpu(struct task *t);
void note_place(struct task *t); /* it waits for another CPU */
void note_end_of_wait(struct task *t, int cause, struct task *by, struct packet *p);
void write_truth(struct sim *s);
int64_t shown(int64_t t); /* true time as it is written */
FILE *open_csv(struct sim *s, const char *name);
void close_csv(FILE *f, const char *name);

/* path */
void write_paths(struct sim *s);

#endif
