/* ctfgen --big: traces for benchmarks, like those of a busy machine's kernel, the same in each run.
 *
 * Each CPU switches between a handful of threads; between the switches come system calls,
 * wakeups, timers, interrupts and packets, drawn by weights, with the sizes and header kinds
 * that are usual: about 34 bytes an event, 93 of 100 events of fixed size, one in twenty with an
 * extended header. */
#include "ctfgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids below 31 fit the compact header; the order of declaration gives them. */
static const char frequent[] =
	"event net_dev_queue { u64 hex skbaddr; u32 len; string name; }\n"
	"event net_if_receive_skb { u64 hex skbaddr; u32 len; string name; }\n"
	"event kmem_kmalloc { u64 hex call_site; u64 hex ptr; u64 bytes_req; u64 bytes_alloc; s32 "
	"gfp_flags; }\n"
	"event kmem_kfree { u64 hex call_site; u64 hex ptr; }\n"
	"event kmem_cache_alloc { u64 hex call_site; u64 hex ptr; u64 bytes_req; u64 bytes_alloc; "
	"s32 gfp_flags; }\n"
	"event kmem_cache_free { u64 hex call_site; u64 hex ptr; }\n"
	"event sched_stat_runtime { string16 comm; s32 tid; u64 runtime; u64 vruntime; }\n";

enum kind {
	SWITCH,
	WAKING,
	WAKEUP,
	STAT_RUNTIME,
	IRQ_ENTRY,
	IRQ_EXIT,
	SOFTIRQ_RAISE,
	SOFTIRQ_ENTRY,
	SOFTIRQ_EXIT,
	HRTIMER_START,
	HRTIMER_CANCEL,
	HRTIMER_EXPIRE_ENTRY,
	HRTIMER_EXPIRE_EXIT,
	NET_QUEUE,
	NET_RECEIVE,
	KMALLOC,
	KFREE,
	CACHE_ALLOC,
	CACHE_FREE,
	READ_ENTRY,
	READ_EXIT,
	WRITE_ENTRY,
	WRITE_EXIT,
	FUTEX_ENTRY,
	FUTEX_EXIT,
	OPENAT_ENTRY,
	OPENAT_EXIT,
	CLOSE_ENTRY,
	CLOSE_EXIT,
	IOCTL_ENTRY,
	IOCTL_EXIT,
	MMAP_ENTRY, /* from here on extended headers */
	MMAP_EXIT,
	SENDTO_ENTRY,
	SENDTO_EXIT,
	BLOCK_ISSUE,
	BLOCK_COMPLETE,
	N_KINDS
};

/* Weights; exits follow their entries and have none. */
static const struct {
	const char *name;
	unsigned weight;
} kinds[N_KINDS] = {
	[SWITCH] = { "sched_switch", 280 },
	[WAKING] = { "sched_waking", 85 },
	[WAKEUP] = { "sched_wakeup", 85 },
	[STAT_RUNTIME] = { "sched_stat_runtime", 40 },
	[IRQ_ENTRY] = { "irq_handler_entry", 22 },
	[IRQ_EXIT] = { "irq_handler_exit", 0 },
	[SOFTIRQ_RAISE] = { "irq_softirq_raise", 35 },
	[SOFTIRQ_ENTRY] = { "irq_softirq_entry", 35 },
	[SOFTIRQ_EXIT] = { "irq_softirq_exit", 0 },
	[HRTIMER_START] = { "timer_hrtimer_start", 60 },
	[HRTIMER_CANCEL] = { "timer_hrtimer_cancel", 30 },
	[HRTIMER_EXPIRE_ENTRY] = { "timer_hrtimer_expire_entry", 25 },
	[HRTIMER_EXPIRE_EXIT] = { "timer_hrtimer_expire_exit", 0 },
	[NET_QUEUE] = { "net_dev_queue", 18 },
	[NET_RECEIVE] = { "net_if_receive_skb", 18 },
	[KMALLOC] = { "kmem_kmalloc", 40 },
	[KFREE] = { "kmem_kfree", 20 },
	[CACHE_ALLOC] = { "kmem_cache_alloc", 40 },
	[CACHE_FREE] = { "kmem_cache_free", 30 },
	[READ_ENTRY] = { "syscall_entry_read", 22 },
	[READ_EXIT] = { "syscall_exit_read", 0 },
	[WRITE_ENTRY] = { "syscall_entry_write", 22 },
	[WRITE_EXIT] = { "syscall_exit_write", 0 },
	[FUTEX_ENTRY] = { "syscall_entry_futex", 15 },
	[FUTEX_EXIT] = { "syscall_exit_futex", 0 },
	[OPENAT_ENTRY] = { "syscall_entry_openat", 16 },
	[OPENAT_EXIT] = { "syscall_exit_openat", 0 },
	[CLOSE_ENTRY] = { "syscall_entry_close", 16 },
	[CLOSE_EXIT] = { "syscall_exit_close", 0 },
	[IOCTL_ENTRY] = { "syscall_entry_ioctl", 14 },
	[IOCTL_EXIT] = { "syscall_exit_ioctl", 0 },
	[MMAP_ENTRY] = { "syscall_entry_mmap", 16 },
	[MMAP_EXIT] = { "syscall_exit_mmap", 0 },
	[SENDTO_ENTRY] = { "syscall_entry_sendto", 10 },
	[SENDTO_EXIT] = { "syscall_exit_sendto", 0 },
	[BLOCK_ISSUE] = { "block_rq_issue", 18 },
	[BLOCK_COMPLETE] = { "block_rq_complete", 18 },
};

struct big {
	struct gen gen;
	struct trace *trace;
	const struct ctf_event_class *class[N_KINDS];
	enum kind deck[1200]; /* each kind as often as its weight says */
	unsigned n_deck;
	uint64_t n_streams, n_events, n_bytes, packet_bytes;
	bool index;
	uint64_t written_events, written_bytes;
};

struct cpu {
	uint64_t seed, clock;
	uint32_t number;
	int64_t tid;
	enum kind owed[4]; /* exits to come */
	unsigned n_owed;
	struct ctf_value v[40];
	unsigned n;
};

static uint64_t draw(struct cpu *c)
{
	uint64_t x = c->seed += 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

static void put_int(struct cpu *c, int64_t v)
{
	c->v[c->n++] = (struct ctf_value){ .kind = CTF_VALUE_INT, .v.i = v };
}

static void put_pointer(struct cpu *c, uint64_t v)
{
	c->v[c->n++] = (struct ctf_value){ .kind = CTF_VALUE_UINT,
		.v.u = 0xFFFF888000000000 | (v & 0x7FFFFFFFC0) };
}

static void put_text(struct cpu *c, const char *s)
{
	c->v[c->n++] = (struct ctf_value){ .kind = CTF_VALUE_BYTES, .v.bytes = { s, strlen(s) } };
}

static const char *comm_of(int64_t tid)
{
	static const char *const names[] = { "swapper", "rcu_preempt", "ksoftirqd", "kworker/u16:1",
		"nginx", "postgres", "python3", "java", "systemd-journal", "sshd", "node",
		"redis-server", "lttng-consumerd", "bash", "containerd", "chronyd" };
	return names[tid % 16];
}

static int64_t some_tid(struct cpu *c)
{
	uint64_t r = draw(c) % 24;
	return r < 6 ? 0 : (int64_t)(1000 + c->number * 64 + r);
}

static void put_switch(struct cpu *c)
{
	int64_t next = some_tid(c);
	if (next == c->tid)
		next = next ? 0 : (int64_t)(1000 + c->number * 64);
	put_text(c, comm_of(c->tid));
	put_int(c, c->tid);
	put_int(c, 20);
	put_int(c, (int64_t)(draw(c) & 1));
	put_text(c, comm_of(next));
	put_int(c, next);
	put_int(c, 20);
	c->tid = next;
}

static void put_fields(struct cpu *c, enum kind kind)
{
	static const char *const irqs[] = { "ahci[0000:00:1f.2]", "eth0-TxRx-0", "nvme0q1",
		"i8042" };
	static const char *const nets[] = { "eth0", "lo", "veth31f2c" };
	static const char *const files[] = { "/etc/ld.so.cache", "/proc/self/stat",
		"/usr/lib/x86_64-linux-gnu/libc.so.6", "/var/lib/postgresql/15/main/base/5/2619",
		"/tmp/a" };
	uint64_t r = draw(c);
	c->n = 0;
	switch (kind) {
	case SWITCH: put_switch(c); break;
	case WAKING:
	case WAKEUP:
		put_text(c, comm_of(some_tid(c)));
		put_int(c, some_tid(c));
		put_int(c, 20);
		put_int(c, c->number);
		break;
	case STAT_RUNTIME:
		put_text(c, comm_of(c->tid));
		put_int(c, c->tid);
		put_int(c, (int64_t)(r & 0xFFFFF));
		put_int(c, (int64_t)(c->clock >> 1));
		break;
	case IRQ_ENTRY:
		put_int(c, 16 + (int64_t)(r & 3));
		put_text(c, irqs[r & 3]);
		break;
	case IRQ_EXIT:
		put_int(c, 16 + (int64_t)(r & 3));
		put_int(c, 1);
		break;
	case SOFTIRQ_RAISE:
	case SOFTIRQ_ENTRY:
	case SOFTIRQ_EXIT: put_int(c, (int64_t)(r % 10)); break;
	case HRTIMER_START:
		put_pointer(c, r);
		put_pointer(c, r >> 40);
		put_int(c, (int64_t)c->clock + 4000000);
		put_int(c, (int64_t)c->clock + 4000000);
		put_int(c, 2);
		break;
	case HRTIMER_CANCEL:
	case HRTIMER_EXPIRE_EXIT: put_pointer(c, r); break;
	case HRTIMER_EXPIRE_ENTRY:
		put_pointer(c, r);
		put_int(c, (int64_t)c->clock);
		put_pointer(c, r >> 40);
		break;
	case NET_QUEUE:
	case NET_RECEIVE:
		put_pointer(c, r);
		put_int(c, 54 + (int64_t)(r % 1460));
		put_text(c, nets[r % 3]);
		break;
	case KMALLOC:
	case CACHE_ALLOC:
		put_pointer(c, r >> 40);
		put_pointer(c, r);
		put_int(c, (int64_t)(r % 512));
		put_int(c, 512);
		put_int(c, 0xCC0);
		break;
	case KFREE:
	case CACHE_FREE:
		put_pointer(c, r >> 40);
		put_pointer(c, r);
		break;
	case READ_ENTRY:
		put_int(c, (int64_t)(r % 64));
		put_int(c, 4096);
		break;
	case READ_EXIT:
		put_int(c, (int64_t)(r % 4096));
		put_pointer(c, r);
		break;
	case WRITE_ENTRY:
		put_int(c, (int64_t)(r % 64));
		put_pointer(c, r);
		put_int(c, 4096);
		break;
	case FUTEX_ENTRY:
		put_pointer(c, r);
		put_int(c, 128);
		put_int(c, 2);
		put_int(c, 0);
		put_int(c, 0);
		put_int(c, 0);
		break;
	case FUTEX_EXIT:
		put_int(c, 0);
		put_pointer(c, r);
		put_int(c, 0);
		break;
	case OPENAT_ENTRY:
		put_int(c, -100);
		put_text(c, files[r % 5]);
		put_int(c, 0x80000);
		put_int(c, 0);
		break;
	case CLOSE_ENTRY: put_int(c, (int64_t)(r % 64)); break;
	case IOCTL_ENTRY:
		put_int(c, (int64_t)(r % 64));
		put_int(c, 0x5401);
		put_pointer(c, r);
		break;
	case IOCTL_EXIT:
		put_int(c, 0);
		put_pointer(c, r);
		break;
	case MMAP_ENTRY:
		put_int(c, 0);
		put_int(c, 8192);
		put_int(c, 3);
		put_int(c, 34);
		put_int(c, -1);
		put_int(c, 0);
		break;
	case MMAP_EXIT: put_pointer(c, r); break;
	case SENDTO_ENTRY:
		put_int(c, (int64_t)(r % 64));
		put_pointer(c, r);
		put_int(c, (int64_t)(r % 1400));
		put_int(c, 0);
		put_int(c, 0);
		put_int(c, 0);
		break;
	case BLOCK_ISSUE:
		put_int(c, 8388608);
		put_int(c, (int64_t)(r % 100000000));
		put_int(c, 8);
		put_int(c, 4096);
		put_int(c, c->tid);
		put_int(c, 12);
		put_text(c, comm_of(c->tid));
		break;
	case BLOCK_COMPLETE:
		put_int(c, 8388608);
		put_int(c, (int64_t)(r % 100000000));
		put_int(c, 8);
		put_int(c, 0);
		put_int(c, 12);
		break;
	case WRITE_EXIT:
	case OPENAT_EXIT:
	case CLOSE_EXIT:
	case SENDTO_EXIT: put_int(c, (int64_t)(r % 4096)); break;
	case N_KINDS: break;
	}
}

/* Interrupts and system calls end before the next one of their sort begins. */
static enum kind next_kind(struct big *b, struct cpu *c)
{
	if (c->n_owed && draw(c) % 3 == 0)
		return c->owed[--c->n_owed];
	enum kind k = b->deck[draw(c) % b->n_deck];
	bool pairs = k + 1 < N_KINDS && !kinds[k + 1].weight;
	if (pairs && c->n_owed == 4)
		return c->owed[--c->n_owed];
	if (pairs)
		c->owed[c->n_owed++] = k + 1;
	return k;
}

static void write_cpu(struct big *b, uint32_t number)
{
	struct cpu c = { .seed = number * 0x1234567 + 1, .number = number, .tid = 1000 };
	struct stream *s = stream_of(&b->gen, b->trace, number);
	struct mer_err err;
	uint64_t events = b->n_events / b->n_streams, bytes = b->n_bytes / b->n_streams;
	if (number < b->n_events % b->n_streams)
		events++;
	c.clock = 1000000000 + draw(&c) % 1000;
	for (uint64_t i = 0; bytes ? ctf_writer_bytes(s->w) < bytes : i < events; i++) {
		uint64_t r = draw(&c);
		/* mostly a few microseconds; now and then an idle CPU, beyond 27 bits */
		c.clock += r % 4000 ? 200 + (r >> 16) % 4000 : 150000000 + (r >> 16) % 1000000;
		enum kind k = next_kind(b, &c);
		put_fields(&c, k);
		if (ctf_writer_event(s->w, b->class[k], c.clock, c.v, c.n, &err))
			fail_plain(err.text);
		b->written_events++;
	}
	b->written_bytes += ctf_writer_bytes(s->w);
	if (ctf_writer_end(s->w, c.clock, &err))
		fail_plain(err.text);
}

static void declare_all(struct big *b)
{
	struct gen *g = &b->gen;
	for (unsigned k = 0; k < N_KINDS; k++)
		b->class[k] = event_of(g, b->trace, kinds[k].name, NULL);
	for (uint32_t i = 0; i < g->n_decls; i++)
		event_of(g, b->trace, g->decls[i].name, NULL);
	for (unsigned k = 0; k < N_KINDS; k++)
		for (unsigned i = 0; i < kinds[k].weight && b->n_deck < 1200; i++)
			b->deck[b->n_deck++] = (enum kind)k;
}

static uint64_t option(int argc, char **argv, int *i)
{
	char *end = NULL;
	if (++*i < argc) {
		uint64_t v = strtoull(argv[*i], &end, 10);
		if (v && !*end)
			return v;
	}
	fprintf(stderr, "ctfgen: %s wants a number\n", argv[*i - 1]);
	exit(2);
}

int big_main(int argc, char **argv)
{
	struct big *b = calloc(1, sizeof(*b));
	check_memory(b);
	struct gen *g = &b->gen;
	b->n_streams = 8;
	b->n_events = 7700000;
	b->packet_bytes = 256 << 10;
	g->out_dir = "big";
	g->major = 1;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			g->out_dir = argv[++i];
		else if (!strcmp(argv[i], "--big") && i + 1 < argc &&
			 !strcmp(argv[i + 1], "kernel"))
			i++;
		else if (!strcmp(argv[i], "--ctf") && i + 1 < argc)
			g->major = strcmp(argv[++i], "2") ? 1 : 2;
		else if (!strcmp(argv[i], "--streams"))
			b->n_streams = option(argc, argv, &i);
		else if (!strcmp(argv[i], "--events"))
			b->n_events = option(argc, argv, &i);
		else if (!strcmp(argv[i], "--bytes"))
			b->n_bytes = option(argc, argv, &i);
		else if (!strcmp(argv[i], "--packet"))
			b->packet_bytes = option(argc, argv, &i);
		else if (!strcmp(argv[i], "--index"))
			b->index = true;
		else {
			fprintf(stderr, "ctfgen: unexpected %s\n", argv[i]);
			return 2;
		}
	}
	if (b->n_streams > 1000000)
		fail_plain("at most 1000000 streams");
	struct source own = { "frequent events", frequent, strlen(frequent) };
	begin_world(g);
	note_events(g, &own);
	g->lex.source = &g->kernel; /* for messages */
	g->epoch = 1700000000000000000;
	struct host *h = add_host(g, "big");
	h->boot = 1000000000;
	b->trace = add_trace(g, h, "kernel");
	b->trace->packet_bytes = b->packet_bytes;
	b->trace->index = b->index;
	declare_all(b);
	for (uint32_t i = 0; i < b->n_streams; i++)
		write_cpu(b, i);
	uint32_t n_classes = b->trace->n_events;
	finish_world(g);
	printf("%llu events, %llu bytes, %llu streams, %u event classes\n",
		(unsigned long long)b->written_events, (unsigned long long)b->written_bytes,
		(unsigned long long)b->n_streams, n_classes);
	free(b);
	return 0;
}
