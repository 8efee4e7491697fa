/* kernelworld: events to the traces: names and classes, clocks, what is not recorded. */
#include "kernelworld.h"
#include "kernelworld_service.h"
#include "kernelworld_stock.h"
#include "kernelworld_vm.h"

#include <stdlib.h>
#include <string.h>

/* Names by LTTng 2.13, and before 2.6 where they differ; "": there is none. */
static const struct {
	const char *name, *old;
} names[EV_N] = {
	[EV_SWITCH] = { "sched_switch", NULL },
	[EV_WAKING] = { "sched_waking", "" },
	[EV_WAKEUP] = { "sched_wakeup", NULL },
	[EV_WAKEUP_NEW] = { "sched_wakeup_new", NULL },
	[EV_MIGRATE] = { "sched_migrate_task", NULL },
	[EV_FORK] = { "sched_process_fork", NULL },
	[EV_EXIT] = { "sched_process_exit", NULL },
	[EV_FREE] = { "sched_process_free", NULL },
	[EV_EXEC] = { "sched_process_exec", NULL },
	[EV_IRQ_ENTRY] = { "irq_handler_entry", NULL },
	[EV_IRQ_EXIT] = { "irq_handler_exit", NULL },
	[EV_RAISE] = { "irq_softirq_raise", "softirq_raise" },
	[EV_SOFTIRQ_ENTRY] = { "irq_softirq_entry", "softirq_entry" },
	[EV_SOFTIRQ_EXIT] = { "irq_softirq_exit", "softirq_exit" },
	[EV_HRTIMER_START] = { "timer_hrtimer_start", "hrtimer_start" },
	[EV_HRTIMER_ENTRY] = { "timer_hrtimer_expire_entry", "hrtimer_expire_entry" },
	[EV_HRTIMER_EXIT] = { "timer_hrtimer_expire_exit", "hrtimer_expire_exit" },
	[EV_TIMER_VEC_ENTRY] = { "x86_irq_vectors_local_timer_entry", NULL },
	[EV_TIMER_VEC_EXIT] = { "x86_irq_vectors_local_timer_exit", NULL },
	[EV_RESCHED_ENTRY] = { "x86_irq_vectors_reschedule_entry", NULL },
	[EV_RESCHED_EXIT] = { "x86_irq_vectors_reschedule_exit", NULL },
	[EV_INSERT] = { "block_rq_insert", NULL },
	[EV_ISSUE] = { "block_rq_issue", NULL },
	[EV_COMPLETE] = { "block_rq_complete", NULL },
	[EV_QUEUE] = { "net_dev_queue", "inet_sock_local_out" },
	[EV_RECEIVE] = { "net_if_receive_skb", "inet_sock_local_in" },
	[EV_VM_ENTRY] = { "kvm_x86_entry", "kvm_entry" },
	[EV_VM_EXIT] = { "kvm_x86_exit", "kvm_exit" },
	[EV_VM_INJECT] = { "kvm_x86_inj_virq", "kvm_inj_virq" },
	[EV_VM_USER] = { "kvm_userspace_exit", NULL },
	[EV_DUMP_START] = { "lttng_statedump_start", NULL },
	[EV_DUMP_END] = { "lttng_statedump_end", NULL },
	[EV_DUMP_PROCESS] = { "lttng_statedump_process_state", NULL },
	[EV_DUMP_FD] = { "lttng_statedump_file_descriptor", NULL },
	[EV_DUMP_DEVICE] = { "lttng_statedump_block_device", NULL },
	[EV_DUMP_INTERFACE] = { "lttng_statedump_network_interface", NULL },
};

static const char new_events[] =
	"event kvm_x86_entry { u32 vcpu_id; }\n"
	"event kvm_x86_exit { u32 exit_reason; u64 guest_rip; u32 isa; u64 info1; u64 info2; "
	"u32 intr_info; u32 error_code; u32 vcpu_id; }\n"
	"event kvm_x86_inj_virq { u32 irq; }\n"
	"event kvm_userspace_exit { u32 reason; s32 errno; }\n"
	"event x86_irq_vectors_local_timer_entry { s32 vector; }\n"
	"event x86_irq_vectors_local_timer_exit { s32 vector; }\n"
	"event x86_irq_vectors_reschedule_entry { s32 vector; }\n"
	"event x86_irq_vectors_reschedule_exit { s32 vector; }\n"
	"event syscall_entry_prctl { s32 option; u64 arg2; u64 arg3; u64 arg4; u64 arg5; }\n"
	"event syscall_exit_prctl { s64 ret; u64 arg2; }\n";

static const char old_events[] =
	"event kvm_entry { u32 vcpu_id; }\n"
	"event kvm_exit { u32 exit_reason; u64 guest_rip; u32 isa; u64 info1; u64 info2; }\n"
	"event kvm_inj_virq { u32 irq; }\n"
	"event sched_process_fork { string16 parent_comm; s32 parent_tid; string16 child_comm; "
	"s32 child_tid; }\n"
	"event softirq_raise { u32 vec; }\n"
	"event softirq_entry { u32 vec; }\n"
	"event softirq_exit { u32 vec; }\n"
	"event hrtimer_start { u64 hex hrtimer; u64 hex function; s64 expires; s64 softexpires; "
	"u32 mode; }\n"
	"event hrtimer_expire_entry { u64 hex hrtimer; s64 now; u64 hex function; }\n"
	"event hrtimer_expire_exit { u64 hex hrtimer; }\n"
	"event inet_sock_local_in { u64 hex sk; u32 be hex seq; u32 be hex ack_seq; u16 be hex "
	"check; u16 be hex window; u16 be hex flags; }\n"
	"event inet_sock_local_out { u64 hex sk; u32 be hex seq; u32 be hex ack_seq; u16 be hex "
	"check; u16 be hex window; u16 be hex flags; }\n"
	"event lttng_statedump_process_state { s32 tid; s32 vtid; s32 pid; s32 vpid; s32 ppid; "
	"s32 vppid; string16 name; s32 type; s32 mode; s32 submode; s32 status; s32 ns_level; }\n"
	"event lttng_statedump_file_descriptor { s32 pid; s32 fd; u32 oct flags; u32 hex fmode; "
	"string filename; }\n"
	"event exit_syscall { s64 ret; }\n";

/* ---- declarations ---- */

/* Before 2.6 a call's entry was the event sys_X, with the same fields, and all had one exit. */
static const char *old_call(struct gen *g, const char *name)
{
	char key[64];
	snprintf(key, sizeof(key), "event syscall_entry_%s {", name);
	const char *at = strstr(kernel_events, key);
	if (!at)
		at = strstr(new_events, key);
	if (!at)
		give_up("no layout of the system call %s", name);
	const char *end = strchr(at, '\n');
	return mer_arena_printf(&g->arena, "event sys_%s %.*s\n", name,
		(int)(end - at - (long)strlen(key) + 1), at + strlen(key) - 1);
}

static void declare(struct gen *g, const char *declarations)
{
	struct source *source = need(mer_arena_zalloc(&g->arena, 1, sizeof(*source)));
	*source = (struct source){ "kernelworld", declarations, strlen(declarations) };
	note_events(g, source);
}

static void declare_all(struct sim *s)
{
	struct gen *g = &s->gen;
	declare(g, new_events);
	if (!s->o.old)
		return;
	declare(g, old_events);
	for (int i = 0; i < C_N; i++)
		declare(g, need((void *)(uintptr_t)old_call(g, calls[i].name)));
}

static struct ctf_event_class **classes_of(struct machine *m, const char *const *event_names, int n)
{
	struct ctf_event_class **classes =
		need(calloc((size_t)n, sizeof(struct ctf_event_class *)));
	for (int i = 0; i < n; i++)
		if (event_names[i] && *event_names[i])
			classes[i] = event_of(&m->sim->gen, m->trace, event_names[i], NULL);
	return classes;
}

static void name_machine(struct machine *m)
{
	struct sim *s = m->sim;
	if (m->is_guest)
		snprintf(m->name, sizeof(m->name), "g%u", m->id - s->o.n_hosts);
	else
		snprintf(m->name, sizeof(m->name), "h%u", m->id);
	m->boot = 1000000000000 + (int64_t)(world_random_u64(&s->losses) >> 13);
	if (s->o.wrong_clocks && m->id) {
		m->ahead = (int64_t)(world_random_between(&s->losses, -1, 1) * 1e7);
		m->drift = world_random_between(&s->losses, -30e-6, 30e-6);
	}
	if (s->o.fast_clock.host == m->id + 1)
		m->drift = s->o.fast_clock.by / 1e6;
	if (m->is_guest && s->o.guest_clock) {
		m->ahead = s->o.guest_ahead;
		m->drift = s->o.guest_drift;
	}
}

int64_t time_of_day(const struct machine *m)
{
	return EPOCH_S * 1000000000ll - m->boot;
}

/* Does LTTng have it, as this host is recorded? */
static bool is_event(const struct machine *m, int event)
{
	return event < EV_VM_ENTRY || event > EV_VM_USER || (!m->is_guest && m->sim->o.n_vms);
}

static void open_trace(struct machine *m)
{
	struct sim *s = m->sim;
	struct gen *g = &s->gen;
	const char *event_names[EV_N], *entries[C_N], *exits[C_N];
	struct host *h = add_host(g, m->name);
	h->offset = time_of_day(m);
	h->has_offset = true;
	m->trace = add_trace(g, h, "kernel");
	m->trace->packet_bytes = s->o.packet_bytes;
	if (s->o.old)
		for (uint32_t i = 0; i < m->trace->n_env; i++)
			if (!strcmp(m->trace->env[i].name, "tracer_minor"))
				m->trace->env[i].number = 4;
	for (int i = 0; i < EV_N; i++)
		event_names[i] = !is_event(m, i)	    ? NULL
				 : s->o.old && names[i].old ? names[i].old
							    : names[i].name;
	for (int i = 0; i < C_N; i++) {
		const char *n = calls[i].name;
		entries[i] =
			mer_arena_printf(&g->arena, s->o.old ? "sys_%s" : "syscall_entry_%s", n);
		exits[i] = s->o.old ? "exit_syscall"
				    : mer_arena_printf(&g->arena, "syscall_exit_%s", n);
	}
	m->classes = classes_of(m, event_names, EV_N);
	m->entries = classes_of(m, entries, C_N);
	m->exits = classes_of(m, exits, C_N);
	for (uint32_t i = 0; i < m->n_cpus; i++)
		m->cpus[i].w = stream_of(g, m->trace, i)->w;
}

void open_traces(struct sim *s)
{
	struct gen *g = &s->gen;
	for (uint32_t i = 0; i < s->o.n_machines; i++)
		name_machine(&s->machines[i]);
	for (uint32_t i = 0; i < s->o.n_machines && s->o.container != CONTAINER_CTF; i++)
		stock_open(&s->machines[i]);
	if (s->o.container != CONTAINER_CTF)
		return;
	g->out_dir = s->o.dir;
	g->major = s->o.ctf_major;
	begin_world(g);
	declare_all(s);
	g->lex.source = &g->kernel; /* for messages */
	for (uint32_t i = 0; i < s->o.n_machines; i++)
		open_trace(&s->machines[i]);
}

/* ---- clocks and losses ---- */

uint64_t clock_of(const struct machine *m, int64_t t)
{
	return (uint64_t)(m->boot + m->ahead + t + (int64_t)((double)t * m->drift) +
			  glitch_of(m, t));
}

/* As LTTng does when it finds room again: the packet that was open all the time ends now, and
 * counts what was lost since its last event. Or it had ended before; then the next one counts
 * it. */
static void end_loss(struct cpu *c)
{
	struct sim *s = c->sim;
	struct mer_err err;
	uint64_t now = clock_of(c->m, s->now);
	if (!c->n_lost)
		return;
	fprintf(s->lost, "%s,%u,%lld,%lld,%llu\n", c->m->name, c->id,
		(long long)shown(c->lost_from), (long long)shown(s->now),
		(unsigned long long)c->n_lost);
	ctf_writer_discard(c->w, c->n_lost);
	c->n_lost = 0;
	if (ctf_writer_end(c->w, now, &err) || ctf_writer_begin(c->w, now, &err))
		give_up("%s", err.text);
}

static void begin_loss(struct cpu *c)
{
	struct sim *s = c->sim;
	struct mer_err err;
	c->room = world_random_u64(&s->losses) % 200;
	if (ctf_writer_is_open(c->w) && world_random_unit(&s->losses) < 0.3) {
		c->room = 0;
		if (ctf_writer_end(c->w, clock_of(c->m, s->now), &err))
			give_up("%s", err.text);
	}
}

static bool is_lost(struct cpu *c, uint32_t size)
{
	struct sim *s = c->sim;
	if (s->o.lost <= 0)
		return false;
	if (s->now >= c->lost_to) {
		end_loss(c);
		double len = world_random_between(&s->losses, 2e5, 4e6);
		double gap = len * (1 / s->o.lost - 1) * world_random_between(&s->losses, 0.2, 1.8);
		c->lost_from = s->now + (int64_t)gap;
		c->lost_to = c->lost_from + (int64_t)len;
	}
	if (s->now < c->lost_from)
		return false;
	if (!c->n_lost)
		begin_loss(c);
	if (size && size <= c->room) { /* a small one still has room */
		c->room -= size;
		return false;
	}
	c->n_lost++;
	return true;
}

/* ---- events ---- */

void val(struct sim *s, int64_t x)
{
	s->v[s->n_v++] = (struct ctf_value){ .kind = CTF_VALUE_INT, .v.i = x };
}

void address(struct sim *s, uint64_t x)
{
	s->v[s->n_v++] = (struct ctf_value){ .kind = CTF_VALUE_UINT, .v.u = x };
}

void text(struct sim *s, const char *t)
{
	s->v[s->n_v++] = (struct ctf_value){ .kind = CTF_VALUE_BYTES, .v.bytes = { t, strlen(t) } };
}

static void write_event(struct cpu *c, const struct ctf_event_class *class)
{
	struct sim *s = c->sim;
	struct mer_err err;
	unsigned n = s->n_v;
	s->n_v = 0;
	if (!class || s->now < s->o.begin_cut || is_lost(c, c->m->sizes[class->id]))
		return;
	if (s->o.lose > 0 && world_random_unit(&s->losses) < s->o.lose)
		return;
	uint64_t before = ctf_writer_is_open(c->w) ? ctf_writer_bytes(c->w) : 0;
	if (ctf_writer_event(c->w, class, clock_of(c->m, s->now), s->v, n, &err))
		give_up("%s", err.text);
	if (before)
		c->m->sizes[class->id] = (uint32_t)(ctf_writer_bytes(c->w) - before);
	s->n_events++;
	c->m->recorded = s->now;
}

/* Is what happens now recorded by ftrace or perf? The same as by LTTng. */
static bool is_recorded(struct cpu *c, bool has_it)
{
	struct sim *s = c->sim;
	s->n_v = 0;
	if (!has_it || s->now < s->o.begin_cut ||
		(s->o.lose > 0 && world_random_unit(&s->losses) < s->o.lose))
		return false;
	s->n_events++;
	c->m->recorded = s->now;
	return true;
}

void emit(struct cpu *c, enum event_id e)
{
	unsigned n = c->sim->n_v;
	if (!c->m->stock)
		write_event(c, c->m->classes[e]);
	else if (is_recorded(c, is_event(c->m, (int)e)))
		stock_event(c, (int)e, c->sim->v, n);
}

static void put_peer(struct sim *s, int side)
{
	const struct conn *k = s->peer;
	val(s, 16);
	val(s, 2);
	val(s, k->end[side].port);
	val(s, 4);
	put_address(s, k, k->end[side].m);
	val(s, 0);
}

static void put_polled(struct sim *s)
{
	val(s, s->polled->n);
	val(s, 0);
	for (uint32_t i = 0; i < s->polled->n; i++) {
		int fd = watched_fd(s->polled->of[(s->polled->first + i) & (s->polled->cap - 1)]);
		val(s, fd);
		val(s, fd);
		for (const char *p = "110000"; *p; p++)
			val(s, *p - '0');
	}
}

static void put_letters(struct sim *s, const char *letters, int fd)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'f': val(s, fd); break;
		case 'g': val(s, fd + 1); break;
		case 'n': val(s, 4096); break;
		case 'p': val(s, 0x7FFC12345678); break;
		case 's': text(s, "/etc/ld.so.cache"); break;
		case 'm': val(s, -1); break;
		case 'd': val(s, -100); break;
		case 'c': put_peer(s, 1); break;
		case 'a': put_peer(s, 0); break;
		case 'h': val(s, s->other); break;
		case 'o': val(s, FUTEX_PRIVATE | (fd == FUTEX_WAKES)); break;
		case 'e': put_polled(s); break;
		default: val(s, *letters - '0'); break;
		}
	}
}

void emit_call(struct cpu *c, int call, int fd)
{
	if (c->m->stock) {
		if (is_recorded(c, true))
			stock_call(c, call, fd);
		return;
	}
	bool is_bare = c->sim->o.by_number && call == C_POLL;
	put_letters(c->sim, is_bare ? "m100" : calls[call].entry, fd);
	write_event(c, c->m->entries[call]);
}

void emit_return(struct cpu *c, int call, int fd, int64_t ret)
{
	if (c->m->stock) {
		if (is_recorded(c, true))
			stock_return(c, call, ret);
		return;
	}
	val(c->sim, ret);
	bool is_bare = c->sim->o.by_number && call == C_PIPE2;
	if (!c->sim->o.old)
		put_letters(c->sim, is_bare ? "mm" : calls[call].exit, fd);
	write_event(c, c->m->exits[call]);
}

void close_traces(struct sim *s)
{
	for (uint32_t i = 0; i < s->o.n_machines; i++)
		for (uint32_t k = 0; k < s->machines[i].n_cpus; k++)
			end_loss(&s->machines[i].cpus[k]);
	for (uint32_t i = 0; i < s->o.n_machines && s->o.container != CONTAINER_CTF; i++)
		stock_close(&s->machines[i]);
	if (s->o.container != CONTAINER_CTF)
		return;
	finish_world(&s->gen);
}
