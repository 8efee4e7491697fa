/* Feeds events in any order and with any content to the kernel model, with losses anywhere, and
 * follows the path of every task. Whatever the events say: spans tile each task's life, paths are
 * contiguous and sum to their windows.
 *
 * Input: 8 bytes for each event: kind, CPU, two threads, a number, state, and how far time goes
 * on. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path/path.h"
#include "kernel/model.h"

enum { SLOTS = 24, N_CPUS = 4, MAX_EVENTS = 4096, N_PACKETS = 64 };

static const char *const names[] = { "sched_switch", "sched_waking", "sched_wakeup", "sched_ttwu",
	"sched_wakeup_new", "sched_migrate_task", "sched_process_fork", "sched_process_exec",
	"sched_process_exit", "sched_process_free", "syscall_entry_read", "syscall_exit_read",
	"syscall_entry_futex", "syscall_exit_futex", "syscall_entry_nanosleep",
	"syscall_exit_nanosleep", "exit_syscall", "irq_handler_entry", "irq_handler_exit",
	"irq_softirq_entry", "irq_softirq_exit", "timer_hrtimer_expire_entry",
	"timer_hrtimer_expire_exit", "x86_irq_vectors_reschedule_entry",
	"x86_irq_vectors_reschedule_exit", "do_IRQ_entry", "do_IRQ_return",
	"netif_receive_skb_internal_entry", "netif_receive_skb_internal_return", "net_dev_queue",
	"net_if_receive_skb", "block_rq_insert", "block_rq_issue", "block_rq_complete",
	"lttng_statedump_process_state", "lttng_statedump_process_pid_ns", "task_rename",
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit" };
enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

static struct mer_experiment *experiment;
static struct kernel_layouts *layouts;
static const struct ctf_plan *plans[N_NAMES];

static void must(int rc, const struct mer_err *err)
{
	if (rc) {
		fprintf(stderr, "%s\n", err->text);
		abort();
	}
}

/* An experiment of one host whose trace has these classes of events, and no event. */
static void begin(void)
{
	char dir[] = "/tmp/fuzz_model.XXXXXX", path[64];
	struct mer_err err = { 0 };
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/metadata", dir);
	FILE *f = fopen(path, "w");
	if (!f)
		abort();
	fputs("/* CTF 1.8 */\ntypealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	      "trace { major = 1; minor = 8; byte_order = le;\n"
	      "packet.header := struct { u32 magic; u32 stream_id; }; };\n"
	      "env { domain = \"kernel\"; hostname = \"h\"; tracer_name = \"lttng-modules\"; };\n"
	      "stream { id = 0; packet.context := struct { u32 cpu_id; };\n"
	      "event.header := struct { u32 id; u64 timestamp; }; };\n",
		f);
	for (unsigned i = 0; i < N_NAMES; i++)
		fprintf(f, "event { name = \"%s\"; id = %u; stream_id = 0; };\n", names[i], i);
	fclose(f);
	snprintf(path, sizeof(path), "%s/s", dir);
	f = fopen(path, "w");
	if (!f)
		abort();
	static const uint8_t packet[12] = { 0xC1, 0x1F, 0xFC, 0xC1 }; /* no event */
	fwrite(packet, 1, sizeof(packet), f);
	fclose(f);
	const char *paths[] = { dir };
	must(mer_experiment_open(paths, 1, NULL, &experiment, &err), &err);
	must(kernel_layouts_new(experiment, UINT32_MAX, &layouts, &err), &err);
	if (experiment->n_streams != 1)
		abort();
	const struct ctf_program *p = kernel_layouts_reading(layouts)->programs[0];
	for (uint32_t c = 0; c < p->schema->streams[0].n_events; c++)
		plans[p->schema->streams[0].events[c].id] = &p->streams[0].events[c];
	unlink(path);
	snprintf(path, sizeof(path), "%s/metadata", dir);
	unlink(path);
	rmdir(dir);
}

static void set_text(uint64_t *slot, uint8_t n)
{
	static const char letters[] = "kworker/0:1H-and-more";
	slot[0] = (uint64_t)(uintptr_t)letters;
	slot[1] = n % sizeof(letters);
}

static const uint64_t arguments[16] = { 3, 4, 0, 1, 2, 0x81, UINT64_MAX, 0xffffff9c, 3, 5, 0x1000,
	10, INT64_MAX, 3, 4, 7 };

/* Every kind gets numbers wherever it reads numbers, and text where it reads text. */
static void fill(uint64_t *s, unsigned kind, const uint8_t *d)
{
	uint64_t a = d[2] % 12, b = d[3] % 12, number = d[4];
	memset(s, 0, SLOTS * sizeof(*s));
	s[0] = d[1] % N_CPUS;
	s[1] = a;
	s[2] = number;
	s[3] = b;
	switch (kind) {
	case 0: /* switch */
		set_text(&s[4], d[2]);
		set_text(&s[6], d[3]);
		break;
	case 1:
	case 2:
	case 3:
	case 4: /* wake-ups */
		s[2] = b;
		set_text(&s[3], d[2]);
		break;
	case 5: s[2] = b; break;
	case 6: /* fork */
		s[2] = number % 2 ? a : 0;
		s[4] = number % 2 ? a : b;
		set_text(&s[5], d[4]);
		break;
	case 7: set_text(&s[3], d[4]); break;  /* exec */
	case 17: set_text(&s[2], d[4]); break; /* irq_handler_entry */
	case 34:			       /* state dump of a task */
		s[2] = b;
		s[3] = a;
		set_text(&s[4], d[4]);
		s[6] = d[5] % 2;
		s[7] = d[5] % 8;
		break;
	case 36: set_text(&s[2], d[4]); break;
	case 37: /* a call by number: whose, its arguments, an array */
		s[1] = number * 2 + d[5] % 2;
		s[2] = d[5] % 8 < 6 ? 0 : a;
		s[3] = d[5] % 4 ? KERNEL_REGISTERS : d[3] % 8;
		s[4] = (uint64_t)(uintptr_t)&arguments[d[3] % 8];
		break;
	default: break;
	}
}

static void check_tasks(const struct kernel_host *h)
{
	for (uint32_t t = 0; t < h->n_tasks; t++) {
		int64_t end = h->tasks[t].end;
		for (uint32_t i = h->tasks[t].last; i != KERNEL_NONE;
			i = kernel_span(h, i)->before) {
			const struct kernel_span *s = kernel_span(h, i);
			if (s->task != t || s->begin > end || s->state >= KERNEL_N_STATES ||
				s->cause >= KERNEL_N_CAUSES)
				abort();
			end = s->begin;
		}
		if (end != h->tasks[t].begin)
			abort();
	}
}

static void check_paths(const struct kernel_world *w, uint32_t n)
{
	struct mer_err err = { 0 };
	for (uint32_t t = 0; t < n; t++) {
		struct path p;
		must(path_find(w, 0, t, INT64_MIN, INT64_MAX, &p, &err), &err);
		int64_t at = p.begin;
		for (size_t i = 0; i < p.n_segments; i++) {
			if (p.segments[i].begin != at || p.segments[i].end <= at)
				abort();
			at = p.segments[i].end;
		}
		if (at != p.end)
			abort();
		path_fini(&p);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t slots[MAX_EVENTS][SLOTS];
	static struct mer_event events[MAX_EVENTS];
	if (!experiment)
		begin();
	size_t n = size / 8 < MAX_EVENTS ? size / 8 : MAX_EVENTS;
	struct mer_err err = { 0 };
	struct kernel_host h;
	struct kernel_bridge packets[N_PACKETS];
	struct kernel_end ends[2 * N_PACKETS];
	struct kernel_loss by_begin[4];
	uint32_t by_end[4];
	int64_t reach[4], t = 1000;
	int32_t first[N_CPUS] = { 1, 0, KERNEL_TID_UNKNOWN, 2 };
	experiment->streams[0].cpu = -1; /* in the events, as perf has it */
	for (size_t i = 0; i < n; i++) {
		const uint8_t *d = data + i * 8;
		unsigned kind = d[0] % N_NAMES;
		t += d[6] < 250 ? d[6] % 16 : -(int64_t)d[7];
		fill(slots[i], kind, d);
		events[i] = (struct mer_event){
			.ts = t, .slots = slots[i], .plan = plans[kind], .context = UINT32_MAX
		};
	}
	/* Packets go on at every 20 ns, losses at four places. */
	for (uint32_t i = 0; i < N_PACKETS; i++) {
		packets[i] = (struct kernel_bridge){ .from.time = 1000 + i * 20,
			.to.time = 1010 + i * 20 + (size ? data[i % size] % 7 : 0),
			.from.span = KERNEL_NONE,
			.answers = KERNEL_NONE,
			.to.span = KERNEL_NONE };
		ends[2 * i] = (struct kernel_end){ i & INT32_MAX, true };
		ends[2 * i + 1] = (struct kernel_end){ i & INT32_MAX, false };
	}
	uint32_t n_losses = size ? data[0] % 5u : 0;
	for (uint32_t i = 0; i < n_losses; i++) {
		by_begin[i] = (struct kernel_loss){ .begin = 1200 + i * 500,
			.end = 1300 + i * 500,
			.cpu = (uint16_t)(i % N_CPUS),
			.next_tid = (int32_t)(data[i % size] % 12) - 1 };
		by_end[i] = i;
		reach[i] = by_begin[i].end;
	}
	struct kernel_losses losses = { by_begin, by_end, reach, n_losses, first, N_CPUS, 1000, t };
	struct kernel_model_input in = { .e = experiment,
		.layouts = layouts,
		.losses = &losses,
		.packets = packets,
		.ends = ends,
		.n_ends = 2 * N_PACKETS };
	struct kernel_model *m;
	kernel_host_init(&h);
	must(kernel_model_new(&in, &h, &m, &err), &err);
	must(kernel_model_run(m, events, n, &err), &err);
	must(kernel_model_finish(m, &err), &err);
	kernel_model_free(m);
	check_tasks(&h);
	struct kernel_world w = { .e = experiment,
		.hosts = &h,
		.n_hosts = 1,
		.bridges = packets,
		.n_bridges = N_PACKETS };
	check_paths(&w, h.n_tasks);
	kernel_host_fini(&h);
	return 0;
}
