/* Which analysis needs which events; the one place to say so. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "analysis/all.h"
#include "base/glob.h"
#include "base/str.h"
#include "mpi/events.h"
#include "session/capabilities.h"

/* The first name is what current tracers call it and what one types to record it; a star at the end
 * stands for the rest. */
static const char *const events[CAPABILITY_N_EVENTS][4] = {
	[CAPABILITY_SWITCH] = { "sched_switch", "perf_switch" },
	[CAPABILITY_WAKE] = { "sched_waking", "sched_wakeup", "sched_ttwu" },
	[CAPABILITY_WAKING] = { "sched_waking", "sched_ttwu" },
	[CAPABILITY_WAKE_NEW] = { "sched_wakeup_new" },
	[CAPABILITY_MIGRATE] = { "sched_migrate_task", "sched_migrate" },
	[CAPABILITY_PRIORITY] = { "sched_pi_setprio" },
	[CAPABILITY_FORK] = { "sched_process_fork", "perf_fork" },
	[CAPABILITY_EXEC] = { "sched_process_exec" },
	[CAPABILITY_EXIT] = { "sched_process_exit", "sched_process_free", "perf_exit" },
	[CAPABILITY_SYSCALL_ENTRY] = { "syscall_entry_*", "compat_syscall_entry_*", "sys_*",
		"compat_sys_*" },
	[CAPABILITY_SYSCALL_EXIT] = { "syscall_exit_*", "compat_syscall_exit_*", "exit_syscall",
		"sys_exit" },
	[CAPABILITY_IRQ_ENTRY] = { "irq_handler_entry" },
	[CAPABILITY_IRQ_EXIT] = { "irq_handler_exit" },
	[CAPABILITY_SOFTIRQ_RAISE] = { "irq_softirq_raise", "softirq_raise" },
	[CAPABILITY_SOFTIRQ_ENTRY] = { "irq_softirq_entry", "softirq_entry" },
	[CAPABILITY_SOFTIRQ_EXIT] = { "irq_softirq_exit", "softirq_exit" },
	[CAPABILITY_HRTIMER_ENTRY] = { "timer_hrtimer_expire_entry", "hrtimer_expire_entry" },
	[CAPABILITY_HRTIMER_EXIT] = { "timer_hrtimer_expire_exit", "hrtimer_expire_exit" },
	[CAPABILITY_BLOCK_INSERT] = { "block_rq_insert" },
	[CAPABILITY_BLOCK_ISSUE] = { "block_rq_issue" },
	[CAPABILITY_BLOCK_COMPLETE] = { "block_rq_complete" },
	[CAPABILITY_NET_OUT] = { "net_dev_queue" },
	[CAPABILITY_NET_IN] = { "net_if_receive_skb", "netif_receive_skb" },
	[CAPABILITY_SOCK_OUT] = { "inet_sock_local_out" },
	[CAPABILITY_SOCK_IN] = { "inet_sock_local_in" },
	/* Or a probe of ours (docs/recordings.md): "mer:connect", "mer:send". */
	[CAPABILITY_PEERS] = { "inet_sock_set_state", "connect", "send" },
	[CAPABILITY_VM_ENTRY] = { "kvm_x86_entry", "kvm_entry" },
	[CAPABILITY_VM_EXIT] = { "kvm_x86_exit", "kvm_exit" },
	[CAPABILITY_VM_TO_USER] = { "kvm_userspace_exit" },
	[CAPABILITY_STATE_PROCESS] = { "lttng_statedump_process_state" },
	[CAPABILITY_STATE_FILES] = { "lttng_statedump_file_descriptor" },
	[CAPABILITY_STATE_DISKS] = { "lttng_statedump_block_device" },
	[CAPABILITY_STATE_NETWORK] = { "lttng_statedump_network_interface" },
	[CAPABILITY_MPI] = { "meridian_mpi:*" },
};

/* The kernel's own names, as perf and trace-cmd want them; what has none these cannot record. */
static const char *const tracepoints[CAPABILITY_N_EVENTS] = {
	[CAPABILITY_SWITCH] = "sched:sched_switch",
	[CAPABILITY_WAKE] = "sched:sched_waking",
	[CAPABILITY_WAKING] = "sched:sched_waking",
	[CAPABILITY_WAKE_NEW] = "sched:sched_wakeup_new",
	[CAPABILITY_MIGRATE] = "sched:sched_migrate_task",
	[CAPABILITY_PRIORITY] = "sched:sched_pi_setprio",
	[CAPABILITY_FORK] = "sched:sched_process_fork",
	[CAPABILITY_EXEC] = "sched:sched_process_exec",
	[CAPABILITY_EXIT] = "sched:sched_process_exit",
	[CAPABILITY_SYSCALL_ENTRY] = "raw_syscalls:sys_enter",
	[CAPABILITY_SYSCALL_EXIT] = "raw_syscalls:sys_exit",
	[CAPABILITY_IRQ_ENTRY] = "irq:irq_handler_entry",
	[CAPABILITY_IRQ_EXIT] = "irq:irq_handler_exit",
	[CAPABILITY_SOFTIRQ_RAISE] = "irq:softirq_raise",
	[CAPABILITY_SOFTIRQ_ENTRY] = "irq:softirq_entry",
	[CAPABILITY_SOFTIRQ_EXIT] = "irq:softirq_exit",
	[CAPABILITY_HRTIMER_ENTRY] = "timer:hrtimer_expire_entry",
	[CAPABILITY_HRTIMER_EXIT] = "timer:hrtimer_expire_exit",
	[CAPABILITY_BLOCK_INSERT] = "block:block_rq_insert",
	[CAPABILITY_BLOCK_ISSUE] = "block:block_rq_issue",
	[CAPABILITY_BLOCK_COMPLETE] = "block:block_rq_complete",
	[CAPABILITY_NET_OUT] = "net:net_dev_queue",
	[CAPABILITY_NET_IN] = "net:netif_receive_skb",
	[CAPABILITY_PEERS] = "sock:inet_sock_set_state",
	[CAPABILITY_VM_ENTRY] = "kvm:kvm_entry",
	[CAPABILITY_VM_EXIT] = "kvm:kvm_exit",
	[CAPABILITY_VM_TO_USER] = "kvm:kvm_userspace_exit",
};

/* Where the rows of analyses come that name what they need. */
#define OF_ANALYSES ""

static const struct capability by_hand[] = {
	{ .name = "critical path",
		.needs = { CAPABILITY_SWITCH, CAPABILITY_WAKE },
		.more = { CAPABILITY_WAKING, CAPABILITY_WAKE_NEW, CAPABILITY_FORK,
			CAPABILITY_IRQ_ENTRY, CAPABILITY_IRQ_EXIT, CAPABILITY_SOFTIRQ_ENTRY,
			CAPABILITY_SOFTIRQ_EXIT, CAPABILITY_HRTIMER_ENTRY } },
	{ .name = "CPU usage",
		.ids = "cpu",
		.needs = { CAPABILITY_SWITCH },
		.more = { CAPABILITY_FORK, CAPABILITY_STATE_PROCESS } },
	{ .name = OF_ANALYSES },
	{ .name = "scheduling latency",
		.ids = "sched",
		.needs = { CAPABILITY_SWITCH, CAPABILITY_WAKE },
		.more = { CAPABILITY_WAKING, CAPABILITY_WAKE_NEW, CAPABILITY_MIGRATE,
			CAPABILITY_PRIORITY } },
	{ .name = "blocking and wait causes",
		.ids = "relations waits",
		.needs = { CAPABILITY_SWITCH, CAPABILITY_WAKE, CAPABILITY_SYSCALL_ENTRY,
			CAPABILITY_SYSCALL_EXIT },
		.more = { CAPABILITY_WAKING, CAPABILITY_IRQ_ENTRY, CAPABILITY_SOFTIRQ_ENTRY,
			CAPABILITY_HRTIMER_ENTRY, CAPABILITY_BLOCK_COMPLETE, CAPABILITY_PEERS,
			CAPABILITY_STATE_PROCESS, CAPABILITY_STATE_FILES } },
	{ .name = "system calls",
		.ids = "syscall poll futex",
		.needs = { CAPABILITY_SYSCALL_ENTRY, CAPABILITY_SYSCALL_EXIT },
		.more = { CAPABILITY_SWITCH, CAPABILITY_STATE_PROCESS, CAPABILITY_STATE_FILES } },
	{ .name = "irq and softirq",
		.ids = "irq",
		.any = true,
		.needs = { CAPABILITY_IRQ_ENTRY, CAPABILITY_IRQ_EXIT, CAPABILITY_SOFTIRQ_ENTRY,
			CAPABILITY_SOFTIRQ_EXIT },
		.more = { CAPABILITY_SOFTIRQ_RAISE } },
	{ .name = "file I/O",
		.ids = "io",
		.needs = { CAPABILITY_SYSCALL_ENTRY, CAPABILITY_SYSCALL_EXIT },
		.more = { CAPABILITY_STATE_PROCESS, CAPABILITY_STATE_FILES } },
	{ .name = "disk I/O",
		.ids = "disk",
		.needs = { CAPABILITY_BLOCK_ISSUE, CAPABILITY_BLOCK_COMPLETE },
		.more = { CAPABILITY_BLOCK_INSERT, CAPABILITY_STATE_DISKS } },
	{ .name = "network",
		.ids = "net messages",
		.any = true,
		.needs = { CAPABILITY_NET_OUT, CAPABILITY_NET_IN },
		.more = { CAPABILITY_STATE_NETWORK } },
	{ .name = "servers",
		.ids = "servers requests",
		.needs = { CAPABILITY_SYSCALL_ENTRY, CAPABILITY_SYSCALL_EXIT },
		.more = { CAPABILITY_SWITCH, CAPABILITY_WAKE, CAPABILITY_NET_OUT, CAPABILITY_NET_IN,
			CAPABILITY_PEERS, CAPABILITY_STATE_PROCESS, CAPABILITY_STATE_FILES } },
	{ .name = "memory",
		.ids = "mem",
		.needs = { CAPABILITY_OF(PAGE_ALLOC), CAPABILITY_OF(PAGE_FREE) },
		.more = { CAPABILITY_STATE_PROCESS } },
	{ .name = "page faults",
		.ids = "faults",
		.needs = { CAPABILITY_OF(FAULT_USER), CAPABILITY_OF(FAULT_KERNEL) },
		.more = { CAPABILITY_SWITCH, CAPABILITY_WAKE, CAPABILITY_BLOCK_COMPLETE } },
	/* On the hypervisor; its guests need nothing but the first. */
	{ .name = "VMs",
		.ids = "vm",
		.is_rare = true,
		.is_of_others = true,
		.needs = { CAPABILITY_SWITCH, CAPABILITY_VM_ENTRY, CAPABILITY_VM_EXIT },
		.more = { CAPABILITY_WAKE, CAPABILITY_VM_TO_USER, CAPABILITY_MIGRATE,
			CAPABILITY_STATE_PROCESS } },
	{ .name = "MPI programs",
		.ids = "mpi",
		.is_rare = true,
		.needs = { CAPABILITY_MPI },
		.more = { CAPABILITY_SWITCH, CAPABILITY_SYSCALL_ENTRY, CAPABILITY_SYSCALL_EXIT } },
};

/* ---- told events, and analyses that name theirs ---- */

#define ONE(analysis) +1
enum {
	BY_HAND = sizeof(by_hand) / sizeof(*by_hand),
	TOLD_EVENTS = CAPABILITY_LAST_TOLD - CAPABILITY_TOLD + 1,
	ALL_ANALYSES = ANALYSES(ONE),
	NAME_BYTES = 64
};

static struct {
	struct capability rows[BY_HAND + ALL_ANALYSES];
	char titles[ALL_ANALYSES][NAME_BYTES];
	/* The first names of told events, as LTTng and as the kernel have them. */
	char names[2][TOLD_EVENTS][NAME_BYTES];
} made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first of names with blanks between. */
static void copy_first(char *to, const char *names)
{
	size_t len = strcspn(names, " ");
	len = len < NAME_BYTES ? len : NAME_BYTES - 1;
	memcpy(to, names, len);
	to[len] = '\0';
}

/* A host that does not record switches does not know who it was. */
static void make_row(struct capability *row, char *title, const struct analysis *a)
{
	size_t n = 0;
	snprintf(title, NAME_BYTES, "%s", a->title);
	if (islower((unsigned char)title[1]))
		title[0] = (char)tolower((unsigned char)title[0]);
	*row = (struct capability){ .name = title, .ids = a->id, .more = { CAPABILITY_SWITCH } };
	for (; n < sizeof(row->needs) && a->needs[n] != KERNEL_EV_NONE; n++)
		row->needs[n] = (uint8_t)CAPABILITY_OF_KIND(a->needs[n]);
}

static void make(void)
{
	struct capability *to = made.rows;
	for (size_t i = 0; i < BY_HAND; i++) {
		if (strcmp(by_hand[i].name, OF_ANALYSES) != 0) {
			*to++ = by_hand[i];
			continue;
		}
		for (size_t k = 0; k < ALL_ANALYSES; k++)
			if (analyses[k]->needs)
				make_row(to++, made.titles[k], analyses[k]);
	}
	for (int i = 0; i < TOLD_EVENTS; i++) {
		const struct kernel_event_row *row = &kernel_event_rows[KERNEL_EV_FIRST_TOLD + i];
		const char *lttng = row->names[KERNEL_LTTNG], *perf = row->names[KERNEL_PERF];
		copy_first(made.names[0][i], lttng ? lttng : perf);
		copy_first(made.names[1][i], perf ? perf : lttng);
	}
}

const struct capability *capabilities(void)
{
	pthread_once(&once, make);
	return made.rows;
}

static bool is_told(enum capability_event ev)
{
	return ev >= CAPABILITY_TOLD && ev <= CAPABILITY_LAST_TOLD;
}

static const char *told_name(enum capability_event ev, bool is_tracepoint)
{
	pthread_once(&once, make);
	return made.names[is_tracepoint][ev - CAPABILITY_TOLD];
}

/* Is it one of these, blanks between, with or without perf's subsystem? */
static bool is_one_of(const char *names, const char *name)
{
	size_t len = strlen(name);
	for (const char *p = names; p && *p; p += strcspn(p, " "), p += *p == ' ') {
		size_t n = strcspn(p, " "), colon = strcspn(p, ": ");
		const char *plain = p[colon] == ':' ? p + colon + 1 : p;
		if ((size_t)(p + n - plain) == len && strncmp(plain, name, len) == 0)
			return true;
	}
	return false;
}

static bool told_is(enum capability_event ev, const char *name)
{
	const struct kernel_event_row *row =
		&kernel_event_rows[KERNEL_EV_FIRST_TOLD + ev - CAPABILITY_TOLD];
	return is_one_of(row->names[KERNEL_LTTNG], name) ||
	       is_one_of(row->names[KERNEL_PERF], name);
}

/* ---- names ---- */

bool capability_event_is(enum capability_event ev, const char *name)
{
	if (is_told(ev))
		return told_is(ev, name);
	if (ev == CAPABILITY_SYSCALL_ENTRY && strcmp(name, "sys_exit") == 0)
		return false; /* perf's name for the other one */
	for (size_t i = 0; i < 4 && events[ev][i]; i++)
		if (mer_glob(events[ev][i], name))
			return true;
	return false;
}

const char *capability_plain_name(const char *name)
{
	const char *colon = strrchr(name, ':');
	return colon ? colon + 1 : name;
}

const char *capability_event_name(enum capability_event ev)
{
	return is_told(ev) ? told_name(ev, false) : events[ev][0];
}

/* NULL: perf and trace-cmd cannot record it. */
static const char *tracepoint(enum capability_event ev)
{
	return is_told(ev) ? told_name(ev, true) : tracepoints[ev];
}

const char *capability_event_typed(enum capability_event ev, enum trace_tool tool)
{
	return tool != TRACE_BY_LTTNG && tracepoint(ev) ? tracepoint(ev)
							: capability_event_name(ev);
}

static void tally_mpi(
	const struct ctf_schema *s, const struct trace_count *counts, struct capability_host *h)
{
	uint32_t number = 0;
	for (uint32_t c = 0; c < s->n_streams; c++)
		for (uint32_t i = 0; i < s->streams[c].n_events; i++, number++) {
			if (!mpi_event_of(&s->streams[c].events[i]))
				continue;
			h->declared[CAPABILITY_MPI] = true;
			h->seen[CAPABILITY_MPI] += counts ? counts[number].events : 0;
		}
}

/* Without its system, the kernel's sys_exit_read would be LTTng's old entry of a call
 * exit_read. */
static const char *tallied_name(const char *name)
{
	static const char exits[] = "syscalls:sys_exit_";
	return strncmp(name, exits, sizeof(exits) - 1) == 0 ? "exit_syscall"
							    : capability_plain_name(name);
}

static void tally(const struct mer_experiment *e, const struct trace_counts *counts,
	struct capability_host *hosts)
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct mer_trace *trace = &e->traces[e->parts[p].trace];
		struct capability_host *h = &hosts[trace->host];
		bool kernel = strcmp(trace->domain, "kernel") == 0;
		h->kernel |= kernel;
		h->tool = trace_tool_of(e, trace->host);
		const struct ctf_schema *s = e->parts[p].schema;
		if (!kernel)
			tally_mpi(s, counts ? counts->by_class[p] : NULL, h);
		/* User space may name its events freely. perf does not say what it traced. */
		if (!kernel && trace->domain[0])
			continue;
		uint32_t number = 0;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++, number++) {
				const char *name = tallied_name(s->streams[c].events[i].name);
				for (int ev = CAPABILITY_NOTHING + 1; ev < CAPABILITY_N_EVENTS;
					ev++) {
					if (!capability_event_is((enum capability_event)ev, name))
						continue;
					h->kernel = h->declared[ev] = true;
					if (counts)
						h->seen[ev] += counts->by_class[p][number].events;
				}
			}
	}
}

void capability_tally(const struct mer_experiment *e, const struct trace_counts *counts,
	struct capability_host *hosts)
{
	tally(e, counts, hosts);
}

void capability_declared(const struct mer_experiment *e, struct capability_host *hosts)
{
	tally(e, NULL, hosts);
}

bool capability_is_of(const struct capability *a, const char *id)
{
	return is_one_of(a->ids, id);
}

bool capability_concerns(const struct capability *a, const struct capability_host *h)
{
	enum { MAX = sizeof(a->needs) / sizeof(a->needs[0]) };
	bool any = !a->is_rare;
	/* Every host switches tasks. */
	for (unsigned i = 0; i < MAX && a->needs[i] && !any; i++)
		any = a->needs[i] != CAPABILITY_SWITCH && h->declared[a->needs[i]];
	return any;
}

/* LTTng's entries of calls have addresses; without entries nothing is about a socket. */
static bool lacks_peers(const struct capability_host *h)
{
	return h->tool != TRACE_BY_LTTNG && h->declared[CAPABILITY_SYSCALL_ENTRY] &&
	       !h->declared[CAPABILITY_PEERS];
}

enum capability_possible capability_judge(const struct capability *a,
	const struct capability_host *h, bool lacking[CAPABILITY_N_EVENTS])
{
	enum { MAX = sizeof(a->needs) / sizeof(a->needs[0]) };
	unsigned n = 0, have = 0, more = 0, have_more = 0;
	for (; n < MAX && a->needs[n]; n++) {
		have += h->declared[a->needs[n]];
		lacking[a->needs[n]] |= !h->declared[a->needs[n]];
	}
	for (; more < MAX && a->more[more]; more++) {
		/* A host without any wake-ups is reported once. */
		bool is_told = a->more[more] == CAPABILITY_WAKING && !h->declared[CAPABILITY_WAKE];
		is_told |= a->more[more] == CAPABILITY_PEERS && !lacks_peers(h);
		bool is_there = h->declared[a->more[more]] || is_told;
		have_more += is_there;
		lacking[a->more[more]] |= !is_there;
	}
	if (have < n)
		return a->any && have ? CAPABILITY_PARTLY : CAPABILITY_NO;
	return have_more < more ? CAPABILITY_PARTLY : CAPABILITY_YES;
}

/* What perf and trace-cmd get from copies of /proc (ftrace/proc.h), not by an event. */
static bool is_state(int ev)
{
	return ev >= CAPABILITY_STATE_PROCESS && ev <= CAPABILITY_STATE_NETWORK;
}

/* What one types for it; NULL: it is no event of that kernel, or is told apart. */
static const char *typed(int ev, enum trace_tool tool)
{
	if (tool != TRACE_BY_LTTNG)
		return tracepoint((enum capability_event)ev);
	return ev == CAPABILITY_SYSCALL_ENTRY || ev == CAPABILITY_SYSCALL_EXIT ||
			       ev == CAPABILITY_MPI
		       ? NULL
		       : capability_event_name((enum capability_event)ev);
}

/* Two capabilities may be the same event. */
static bool is_typed_before(const bool lacking[CAPABILITY_N_EVENTS], int ev, enum trace_tool tool)
{
	for (int i = CAPABILITY_NOTHING + 1; i < ev; i++) {
		const char *name = lacking[i] ? typed(i, tool) : NULL;
		if (name && tool != TRACE_BY_LTTNG && strcmp(name, typed(ev, tool)) == 0)
			return true;
	}
	return false;
}

static void put_events(
	struct mer_str *out, const bool lacking[CAPABILITY_N_EVENTS], enum trace_tool tool)
{
	const char *command = trace_tool_command(tool);
	enum { WIDTH = 78 }; /* it is printed after two blanks */
	size_t used = 0;
	for (int ev = CAPABILITY_NOTHING + 1; ev < CAPABILITY_N_EVENTS; ev++) {
		const char *name = lacking[ev] ? typed(ev, tool) : NULL;
		if (!name || is_typed_before(lacking, ev, tool))
			continue;
		size_t len = strlen(name);
		bool is_first = used == 0;
		/* trace-cmd wants each event with an option of its own, and all in one command. */
		const char *with = tool == TRACE_BY_TRACE_CMD ? " -e " : ",";
		if (is_first) {
			mer_str_printf(out, "%s%s%s", out->len ? "\n" : "", command, name);
			used = strlen(command) + len;
		} else if (used + strlen(with) + len > WIDTH - 2 * (tool != TRACE_BY_LTTNG)) {
			const char *again = tool == TRACE_BY_LTTNG ? command : "  -e ";
			mer_str_printf(
				out, "%s\n%s%s", tool == TRACE_BY_LTTNG ? "" : " \\", again, name);
			used = strlen(again) + len;
		} else {
			mer_str_printf(out, "%s%s", with, name);
			used += strlen(with) + len;
		}
	}
}

void capability_fix(
	struct mer_str *out, const bool lacking[CAPABILITY_N_EVENTS], enum trace_tool tool)
{
	bool lacks_state = false;
	put_events(out, lacking, tool);
	if (tool == TRACE_BY_LTTNG &&
		(lacking[CAPABILITY_SYSCALL_ENTRY] || lacking[CAPABILITY_SYSCALL_EXIT]))
		mer_str_printf(
			out, "%slttng enable-event --kernel --syscall --all", out->len ? "\n" : "");
	for (int ev = 0; ev < CAPABILITY_N_EVENTS; ev++)
		lacks_state |= tool != TRACE_BY_LTTNG && lacking[ev] && is_state(ev);
	if (lacks_state)
		mer_str_printf(out,
			"%s# names of files, disks and interrupts: a copy of /proc beside the\n# recording, in a folder proc-before (docs/recordings.md)",
			out->len ? "\n" : "");
	if (lacking[CAPABILITY_MPI])
		mer_str_printf(out,
			"%slttng enable-event --userspace 'meridian_mpi:*'\nLD_PRELOAD=libmeridian-mpi-openmpi.so (or -mpich.so)",
			out->len ? "\n" : "");
}
