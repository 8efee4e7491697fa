/* Which analysis needs which events; the one place to say so. */
#include <string.h>

#include "base/glob.h"
#include "base/str.h"
#include "cli/check.h"

/* The first name is what current tracers call it and what one types to record it; a star at the end
 * stands for the rest. */
static const char *const events[CHECK_N_EVENTS][4] = {
	[CHECK_SWITCH] = { "sched_switch" },
	[CHECK_WAKE] = { "sched_waking", "sched_wakeup", "sched_ttwu" },
	[CHECK_WAKE_NEW] = { "sched_wakeup_new" },
	[CHECK_MIGRATE] = { "sched_migrate_task", "sched_migrate" },
	[CHECK_PRIORITY] = { "sched_pi_setprio" },
	[CHECK_FORK] = { "sched_process_fork" },
	[CHECK_EXEC] = { "sched_process_exec" },
	[CHECK_EXIT] = { "sched_process_exit", "sched_process_free" },
	[CHECK_SYSCALL_ENTRY] = { "syscall_entry_*", "compat_syscall_entry_*", "sys_*",
		"compat_sys_*" },
	[CHECK_SYSCALL_EXIT] = { "syscall_exit_*", "compat_syscall_exit_*", "exit_syscall",
		"sys_exit" },
	[CHECK_IRQ_ENTRY] = { "irq_handler_entry" },
	[CHECK_IRQ_EXIT] = { "irq_handler_exit" },
	[CHECK_SOFTIRQ_RAISE] = { "irq_softirq_raise", "softirq_raise" },
	[CHECK_SOFTIRQ_ENTRY] = { "irq_softirq_entry", "softirq_entry" },
	[CHECK_SOFTIRQ_EXIT] = { "irq_softirq_exit", "softirq_exit" },
	[CHECK_HRTIMER_ENTRY] = { "timer_hrtimer_expire_entry", "hrtimer_expire_entry" },
	[CHECK_HRTIMER_EXIT] = { "timer_hrtimer_expire_exit", "hrtimer_expire_exit" },
	[CHECK_BLOCK_INSERT] = { "block_rq_insert" },
	[CHECK_BLOCK_ISSUE] = { "block_rq_issue" },
	[CHECK_BLOCK_COMPLETE] = { "block_rq_complete" },
	[CHECK_PAGE_ALLOC] = { "kmem_mm_page_alloc", "mm_page_alloc" },
	[CHECK_PAGE_FREE] = { "kmem_mm_page_free", "mm_page_free" },
	[CHECK_FAULT_USER] = { "x86_exceptions_page_fault_user", "page_fault_user",
		"page_fault_user_entry" },
	[CHECK_FAULT_KERNEL] = { "x86_exceptions_page_fault_kernel", "page_fault_kernel",
		"page_fault_kernel_entry" },
	[CHECK_FREQUENCY] = { "power_cpu_frequency", "cpu_frequency" },
	[CHECK_NET_OUT] = { "net_dev_queue" },
	[CHECK_NET_IN] = { "net_if_receive_skb", "netif_receive_skb" },
	[CHECK_SOCK_OUT] = { "inet_sock_local_out" },
	[CHECK_SOCK_IN] = { "inet_sock_local_in" },
	[CHECK_STATE_PROCESS] = { "lttng_statedump_process_state" },
	[CHECK_STATE_FILES] = { "lttng_statedump_file_descriptor" },
	[CHECK_STATE_DISKS] = { "lttng_statedump_block_device" },
	[CHECK_STATE_NETWORK] = { "lttng_statedump_network_interface" },
};

const struct check_analysis check_analyses[] = {
	{ .name = "critical path",
		.needs = { CHECK_SWITCH, CHECK_WAKE },
		.more = { CHECK_WAKE_NEW, CHECK_FORK, CHECK_IRQ_ENTRY, CHECK_IRQ_EXIT,
			CHECK_SOFTIRQ_ENTRY, CHECK_SOFTIRQ_EXIT, CHECK_HRTIMER_ENTRY } },
	{ .name = "CPU usage",
		.ids = "cpu",
		.needs = { CHECK_SWITCH },
		.more = { CHECK_FORK, CHECK_STATE_PROCESS } },
	{ .name = "CPU frequency",
		.ids = "frequency",
		.needs = { CHECK_FREQUENCY },
		.more = { CHECK_SWITCH } },
	{ .name = "scheduling latency",
		.ids = "sched",
		.needs = { CHECK_SWITCH, CHECK_WAKE },
		.more = { CHECK_WAKE_NEW, CHECK_MIGRATE, CHECK_PRIORITY } },
	{ .name = "blocking and wait causes",
		.ids = "relations",
		.needs = { CHECK_SWITCH, CHECK_WAKE, CHECK_SYSCALL_ENTRY, CHECK_SYSCALL_EXIT },
		.more = { CHECK_IRQ_ENTRY, CHECK_SOFTIRQ_ENTRY, CHECK_HRTIMER_ENTRY,
			CHECK_BLOCK_COMPLETE, CHECK_STATE_PROCESS, CHECK_STATE_FILES } },
	{ .name = "system calls",
		.ids = "syscall poll futex",
		.needs = { CHECK_SYSCALL_ENTRY, CHECK_SYSCALL_EXIT },
		.more = { CHECK_SWITCH, CHECK_STATE_PROCESS, CHECK_STATE_FILES } },
	{ .name = "irq and softirq",
		.ids = "irq",
		.any = true,
		.needs = { CHECK_IRQ_ENTRY, CHECK_IRQ_EXIT, CHECK_SOFTIRQ_ENTRY,
			CHECK_SOFTIRQ_EXIT },
		.more = { CHECK_SOFTIRQ_RAISE } },
	{ .name = "file I/O",
		.ids = "io",
		.needs = { CHECK_SYSCALL_ENTRY, CHECK_SYSCALL_EXIT },
		.more = { CHECK_STATE_PROCESS, CHECK_STATE_FILES } },
	{ .name = "disk I/O",
		.ids = "io",
		.needs = { CHECK_BLOCK_ISSUE, CHECK_BLOCK_COMPLETE },
		.more = { CHECK_BLOCK_INSERT, CHECK_STATE_DISKS } },
	{ .name = "network",
		.ids = "net",
		.any = true,
		.needs = { CHECK_NET_OUT, CHECK_NET_IN },
		.more = { CHECK_STATE_NETWORK } },
	{ .name = "servers",
		.ids = "servers",
		.needs = { CHECK_SYSCALL_ENTRY, CHECK_SYSCALL_EXIT },
		.more = { CHECK_SWITCH, CHECK_WAKE, CHECK_NET_OUT, CHECK_NET_IN,
			CHECK_STATE_PROCESS, CHECK_STATE_FILES } },
	{ .name = "memory",
		.ids = "mem",
		.needs = { CHECK_PAGE_ALLOC, CHECK_PAGE_FREE },
		.more = { CHECK_STATE_PROCESS } },
	{ .name = "page faults",
		.ids = "faults",
		.needs = { CHECK_FAULT_USER, CHECK_FAULT_KERNEL },
		.more = { CHECK_SWITCH, CHECK_WAKE, CHECK_BLOCK_COMPLETE } },
	{ 0 },
};

bool check_event_is(enum check_event ev, const char *name)
{
	if (ev == CHECK_SYSCALL_ENTRY && strcmp(name, "sys_exit") == 0)
		return false; /* perf's name for the other one */
	for (size_t i = 0; i < 4 && events[ev][i]; i++)
		if (mer_glob(events[ev][i], name))
			return true;
	return false;
}

const char *check_plain_name(const char *name)
{
	const char *colon = strrchr(name, ':');
	return colon ? colon + 1 : name;
}

const char *check_event_name(enum check_event ev)
{
	return events[ev][0];
}

static void tally(
	const struct mer_experiment *e, const struct trace_counts *counts, struct check_host *hosts)
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct mer_trace *trace = &e->traces[e->parts[p].trace];
		struct check_host *h = &hosts[trace->host];
		bool kernel = strcmp(trace->domain, "kernel") == 0;
		h->kernel |= kernel;
		/* User space may call its events what it likes. perf does not say what it traced. */
		if (!kernel && trace->domain[0])
			continue;
		const struct ctf_schema *s = e->parts[p].schema;
		uint32_t number = 0;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++, number++) {
				const char *name = check_plain_name(s->streams[c].events[i].name);
				for (int ev = CHECK_NOTHING + 1; ev < CHECK_N_EVENTS; ev++) {
					if (!check_event_is((enum check_event)ev, name))
						continue;
					h->kernel = h->declared[ev] = true;
					if (counts)
						h->seen[ev] += counts->by_class[p][number].events;
				}
			}
	}
}

void check_tally(
	const struct mer_experiment *e, const struct trace_counts *counts, struct check_host *hosts)
{
	tally(e, counts, hosts);
}

void check_declared(const struct mer_experiment *e, struct check_host *hosts)
{
	tally(e, NULL, hosts);
}

bool check_is_of(const struct check_analysis *a, const char *id)
{
	size_t n = strlen(id);
	for (const char *p = a->ids; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (strncmp(p, id, n) == 0 && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

enum check_possible check_judge(
	const struct check_analysis *a, const struct check_host *h, bool lacking[CHECK_N_EVENTS])
{
	enum { MAX = sizeof(a->needs) / sizeof(a->needs[0]) };
	unsigned n = 0, have = 0, more = 0, have_more = 0;
	for (; n < MAX && a->needs[n]; n++) {
		have += h->declared[a->needs[n]];
		lacking[a->needs[n]] |= !h->declared[a->needs[n]];
	}
	for (; more < MAX && a->more[more]; more++) {
		have_more += h->declared[a->more[more]];
		lacking[a->more[more]] |= !h->declared[a->more[more]];
	}
	if (have < n)
		return a->any && have ? CHECK_PARTLY : CHECK_NO;
	return have_more < more ? CHECK_PARTLY : CHECK_YES;
}

void check_fix(struct mer_str *out, const bool lacking[CHECK_N_EVENTS])
{
	static const char enable[] = "lttng enable-event --kernel ";
	enum { WIDTH = 78 }; /* it is printed after two blanks */
	size_t used = 0;
	for (int ev = CHECK_NOTHING + 1; ev < CHECK_N_EVENTS; ev++) {
		if (!lacking[ev] || ev == CHECK_SYSCALL_ENTRY || ev == CHECK_SYSCALL_EXIT)
			continue;
		const char *name = events[ev][0];
		size_t len = strlen(name);
		if (used == 0 || used + 1 + len > WIDTH) {
			mer_str_printf(out, "%s%s%s", used ? "\n" : "", enable, name);
			used = sizeof(enable) - 1 + len;
		} else {
			mer_str_printf(out, ",%s", name);
			used += 1 + len;
		}
	}
	if (lacking[CHECK_SYSCALL_ENTRY] || lacking[CHECK_SYSCALL_EXIT])
		mer_str_printf(
			out, "%slttng enable-event --kernel --syscall --all", used ? "\n" : "");
}
