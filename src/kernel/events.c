#include "kernel/events.h"

#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/str.h"
#include "ctf/schema.h"
#include "kernel/model_state.h"

/* Names of an event, and fields: of LTTng; those of perf where it has others; those of other
 * modules. */
#define NAMES(...) .names = { __VA_ARGS__ }
#define IS(...)                                                                                    \
	{                                                                                          \
		.names = { __VA_ARGS__ }                                                           \
	}
#define IF_WANTED(want, ...)                                                                       \
	{                                                                                          \
		.names = { __VA_ARGS__ }, .wants = KERNEL_WANT_##want                              \
	}
/* Small tracers write the names of the kernel itself, where a thread is a pid. */
#define TID [TASK_TID] = IS("tid|pid", "pid")
/* It is not for the model: observers that want it get it as it comes. */
/* clang-format off */
#define TOLD(event, ...) \
	[KERNEL_EV_##event] = { .handle = model_tell, .wants = KERNEL_WANT_EVENT(event), __VA_ARGS__ },
/* clang-format on */
#define FOR_VMS .handle = model_not_handled, .any_task = true, .wants = KERNEL_WANT_VMS
#define BEGINS(kind) .handle = model_context_entry, .context = CONTEXT_##kind
#define ENDS(kind) .handle = model_context_exit, .context = CONTEXT_##kind
#define NR(field) .fields = { [IRQ_NR] = IS(field) }
#define REQUEST                                                                                    \
	[BLOCK_DEV] = IS("dev"), [BLOCK_SECTOR] = IS("sector"), [BLOCK_SECTORS] = IS("nr_sector"), \
	[BLOCK_RWBS] = IS("rwbs", "-"), [BLOCK_RWBS_TEXT] = IS("-", "rwbs:s")
#define MERGE                                                                                      \
	{                                                                                          \
		[BLOCK_DEV] = IS("dev", NULL, "dev"),                                              \
		[BLOCK_SECTOR] = IS("sector", NULL, "nextrq_sector"),                              \
		[BLOCK_SECTORS] = IS("nr_sector"), [BLOCK_RWBS] = IS("rwbs", NULL, "rwbs"),        \
		[BLOCK_TID] = IS("tid"), [BLOCK_INTO] = IS("-", NULL, "rq_sector")                 \
	}
#define WAKE                                                                                       \
	{                                                                                          \
		TID, [WAKE_CPU] = IS("target_cpu"), [WAKE_COMM] = IS("comm:s")                     \
	}
#define LENGTH                                                                                     \
	{                                                                                          \
		[LENGTH_FAMILY] = IS("family"), [LENGTH_PROTOCOL] = IS("protocol"),                \
		[LENGTH_RET] = IS("ret|length"), [LENGTH_FLAGS] = IS("flags")                      \
	}
#define VECTORS(name, end) "x86_irq_vectors_" name end, "irq_vectors:" name end
#define IPIS(end)                                                                                  \
	"x86_irq_vectors_reschedule" end " x86_irq_vectors_call_function" end                      \
	" x86_irq_vectors_call_function_single" end " x86_irq_vectors_irq_work" end,               \
		"irq_vectors:reschedule" end " irq_vectors:call_function" end                      \
		" irq_vectors:call_function_single" end " irq_vectors:irq_work" end

const struct kernel_event_row kernel_event_rows[KERNEL_N_EVENTS] = {
	/* Said again by another event of the trace: layouts.c. */
	[KERNEL_EV_NONE] = { .handle = model_not_handled, .any_task = true },
	[KERNEL_EV_SWITCH] = { .handle = model_switch,
		.any_task = true,
		NAMES("sched_switch", "sched:sched_switch perf_switch"),
		.fields = { [SWITCH_PREV] = IS("prev_tid|prev_pid", "prev_pid|prev_tid"),
			[SWITCH_STATE] = IS("prev_state", "prev_state|prev_waits"),
			[SWITCH_NEXT] = IS("next_tid|next_pid", "next_pid|next_tid"),
			[SWITCH_PREV_COMM] = IS("prev_comm:s"),
			[SWITCH_NEXT_COMM] = IS("next_comm:s"),
			[SWITCH_PRIO] = IF_WANTED(PRIORITIES, "next_prio") } },
	[KERNEL_EV_TTWU] = { .handle = model_wake, NAMES("sched_ttwu"), .fields = WAKE },
	[KERNEL_EV_WAKING] = { .handle = model_wake,
		NAMES("sched_waking", "sched:sched_waking"),
		.fields = WAKE },
	[KERNEL_EV_WAKEUP] = { .handle = model_wake,
		NAMES("sched_wakeup", "sched:sched_wakeup"),
		.fields = WAKE },
	[KERNEL_EV_WAKEUP_NEW] = { .handle = model_wake,
		NAMES("sched_wakeup_new", "sched:sched_wakeup_new"),
		.fields = WAKE },
	[KERNEL_EV_MIGRATE] = { .handle = model_migrate,
		NAMES("sched_migrate_task sched_migrate", "sched:sched_migrate_task"),
		.fields = { TID, [WAKE_CPU] = IS("dest_cpu") } },
	[KERNEL_EV_NEW_TASK] = { .handle = model_new_kind,
		.any_task = true,
		NAMES("task_newtask", "task:task_newtask"),
		.fields = { TID, [NEW_FLAGS] = IS("clone_flags") } },
	[KERNEL_EV_FORK] = { .handle = model_fork,
		.any_task = true,
		NAMES("sched_process_fork", "sched:sched_process_fork"),
		.fields = { [FORK_PARENT] = IS("parent_tid", "parent_pid"),
			[FORK_PARENT_PID] = IS("parent_pid", "-"),
			[FORK_CHILD] = IS("child_tid", "child_pid"),
			[FORK_CHILD_PID] = IS("child_pid", "-"),
			[FORK_COMM] = IS("child_comm:s"),
			[FORK_NS] = IS("child_ns_inum", "-") } },
	[KERNEL_EV_EXEC] = { .handle = model_exec,
		.any_task = true,
		NAMES("sched_process_exec", "sched:sched_process_exec"),
		.fields = { TID, [EXEC_OLD] = IS("old_tid", "old_pid"),
			[EXEC_FILE] = IS("filename:s") } },
	[KERNEL_EV_EXIT] = { .handle = model_exit,
		.any_task = true,
		NAMES("sched_process_exit", "sched:sched_process_exit"),
		.fields = { TID } },
	[KERNEL_EV_FREE] = { .handle = model_free_task,
		.any_task = true,
		NAMES("sched_process_free", "sched:sched_process_free"),
		.fields = { TID } },
	[KERNEL_EV_RENAME] = { .handle = model_new_name,
		.any_task = true,
		NAMES("task_rename", "task:task_rename"),
		.fields = { TID, [RENAME_COMM] = IS("newcomm:s") } },
	[KERNEL_EV_PERF_FORK] = { .handle = model_perf_fork,
		.any_task = true,
		NAMES(NULL, "perf_fork"),
		.fields = { [FORK_PARENT] = IS(NULL, "ptid"),
			[FORK_PARENT_PID] = IS(NULL, "ppid"),
			[FORK_CHILD] = IS(NULL, "tid"),
			[FORK_CHILD_PID] = IS(NULL, "pid"),
			[FORK_TIME] = IS(NULL, "time") } },
	[KERNEL_EV_PERF_EXIT] = { .handle = model_exit,
		.any_task = true,
		NAMES(NULL, "perf_exit"),
		.fields = { [TASK_TID] = IS(NULL, "tid") } },
	[KERNEL_EV_PERF_COMM] = { .handle = model_perf_comm,
		.any_task = true,
		NAMES(NULL, "perf_comm"),
		.fields = { [TASK_TID] = IS(NULL, "tid"),
			[RENAME_COMM] = IS(NULL, "comm:s"),
			[RENAME_PID] = IS(NULL, "pid"),
			[RENAME_EXEC] = IS(NULL, "exec") } },
	[KERNEL_EV_BOOST] = { .handle = model_boost,
		NAMES("sched_pi_setprio", "sched:sched_pi_setprio"),
		.fields = { TID } },
	/* The entry's own vcpu_id is garbage with some versions of LTTng's modules: the exit's
	 * counts, where that has one. */
	[KERNEL_EV_VM_ENTRY] = { FOR_VMS, NAMES("kvm_x86_entry kvm_entry", "kvm:kvm_entry"),
		.fields = { [VM_EXIT_VCPU] = IS("vcpu_id") } },
	[KERNEL_EV_VM_EXIT] = { FOR_VMS, NAMES("kvm_x86_exit kvm_exit", "kvm:kvm_exit"),
		.fields = { [VM_EXIT_REASON] = IS("exit_reason"),
			[VM_EXIT_ISA] = IS("isa"),
			[VM_EXIT_VCPU] = IS("vcpu_id") } },
	[KERNEL_EV_VM_TO_USER] = { FOR_VMS, NAMES("kvm_userspace_exit", "kvm:kvm_userspace_exit") },
	[KERNEL_EV_VM_CALL] = { FOR_VMS,
		NAMES("syscall_entry_ioctl sys_ioctl", "syscalls:sys_enter_ioctl") },
	[KERNEL_EV_VM_RETURN] = { FOR_VMS, NAMES("syscall_exit_ioctl", "syscalls:sys_exit_ioctl") },
	[KERNEL_EV_SYSCALL_NUMBER] = { .handle = model_call_entry,
		NAMES("sys_unknown compat_sys_unknown syscall_entry_unknown compat_syscall_entry_unknown",
			"raw_syscalls:sys_enter"),
		.fields = { [CALL_NUMBER] = IS("id"),
			[CALL_CALLER] = IS("-", "common_pid"),
			[CALL_ARGS] = IS("args:a") } },
	[KERNEL_EV_SYSCALL_ENTRY] = { .handle = model_call_entry,
		NAMES("sys_* compat_sys_* syscall_entry_* compat_syscall_entry_*",
			"syscalls:sys_enter_*") },
	[KERNEL_EV_SYSCALL_EXIT] = { .handle = model_call_exit,
		.any_task = true,
		NAMES("exit_syscall syscall_exit_* compat_syscall_exit_*",
			"raw_syscalls:sys_exit syscalls:sys_exit_*"),
		.fields = { [CALL_RET] = IS("ret"),
			[CALL_EXIT_NUMBER] = IS("-", "id"),
			[CALL_EXIT_CALLER] = IS("-", "common_pid") } },
	[KERNEL_EV_TOLD_PATH] = { .handle = model_told_path,
		NAMES(NULL, "mer:open mer:exec"),
		.fields = { [TOLD_PATH] = IS("path:s") } },
	[KERNEL_EV_TOLD_ADDRESS] = { .handle = model_told_address,
		NAMES(NULL, "mer:connect mer:sendto"),
		.fields = { [TOLD_FAMILY] = IS("family"),
			[TOLD_PORT] = IS("port"),
			[TOLD_V4] = IS("v4") } },
	[KERNEL_EV_TOLD_SOCKET] = { .handle = model_told_address,
		NAMES(NULL, "mer:accept mer:send mer:recv"),
		.fields = { [TOLD_PORT] = IS("dport"), [TOLD_V4] = IS("daddr") } },
	[KERNEL_EV_SOCK_STATE] = { .handle = model_sock_state,
		NAMES(NULL, "sock:inet_sock_set_state"),
		.fields = { [SOCK_FAMILY] = IS("family"),
			[SOCK_NEW] = IS("newstate"),
			[SOCK_PORT] = IS("dport"),
			[SOCK_V4] = IS("daddr:a") } },
	[KERNEL_EV_SOCK_SENT] = { .handle = model_sock_length,
		NAMES("sock_send_length", "sock:sock_send_length"),
		.fields = LENGTH },
	[KERNEL_EV_SOCK_RECEIVED] = { .handle = model_sock_length,
		NAMES("sock_recv_length", "sock:sock_recv_length"),
		.fields = LENGTH },
	[KERNEL_EV_WORK_BEGIN] = { .handle = model_work_begin,
		NAMES("workqueue_execute_start", "workqueue:workqueue_execute_start"),
		.fields = { [WORK_ADDRESS] = IS("function"), [WORK_NAME] = IS("function:s") } },
	[KERNEL_EV_WORK_END] = { .handle = model_work_end,
		NAMES("workqueue_execute_end", "workqueue:workqueue_execute_end") },
	[KERNEL_EV_IRQ_ENTRY] = { .handle = model_irq_entry,
		.context = CONTEXT_IRQ,
		NAMES("irq_handler_entry", "irq:irq_handler_entry"),
		.fields = { [IRQ_NR] = IS("irq"), [IRQ_NAME] = IS("name:s") } },
	[KERNEL_EV_IRQ_EXIT] = { ENDS(IRQ), NAMES("irq_handler_exit", "irq:irq_handler_exit"),
		NR("irq") },
	[KERNEL_EV_SOFTIRQ_ENTRY] = { BEGINS(SOFTIRQ),
		NAMES("irq_softirq_entry softirq_entry", "irq:softirq_entry"), NR("vec") },
	[KERNEL_EV_SOFTIRQ_EXIT] = { ENDS(SOFTIRQ),
		NAMES("irq_softirq_exit softirq_exit", "irq:softirq_exit"), NR("vec") },
	[KERNEL_EV_HRTIMER_ENTRY] = { BEGINS(TIMER),
		NAMES("timer_hrtimer_expire_entry hrtimer_expire_entry",
			"timer:hrtimer_expire_entry") },
	[KERNEL_EV_HRTIMER_EXIT] = { ENDS(TIMER),
		NAMES("timer_hrtimer_expire_exit hrtimer_expire_exit",
			"timer:hrtimer_expire_exit") },
	[KERNEL_EV_TIMER_ENTRY] = { BEGINS(TIMER),
		NAMES("timer_expire_entry", "timer:timer_expire_entry") },
	[KERNEL_EV_TIMER_EXIT] = { ENDS(TIMER),
		NAMES("timer_expire_exit", "timer:timer_expire_exit") },
	[KERNEL_EV_LOCAL_TIMER_ENTRY] = { BEGINS(TIMER), NAMES(VECTORS("local_timer", "_entry")) },
	[KERNEL_EV_LOCAL_TIMER_EXIT] = { ENDS(TIMER), NAMES(VECTORS("local_timer", "_exit")) },
	[KERNEL_EV_IPI_ENTRY] = { BEGINS(IPI), NAMES(IPIS("_entry")), NR("vector") },
	[KERNEL_EV_IPI_EXIT] = { ENDS(IPI), NAMES(IPIS("_exit")), NR("vector") },
	[KERNEL_EV_VECTOR_ENTRY] = { BEGINS(VECTOR), NAMES(VECTORS("*", "_entry")), NR("vector") },
	[KERNEL_EV_VECTOR_EXIT] = { ENDS(VECTOR), NAMES(VECTORS("*", "_exit")), NR("vector") },
	[KERNEL_EV_ANY_IRQ_ENTRY] = { BEGINS(ANY_IRQ),
		NAMES("do_IRQ_entry common_interrupt_entry") },
	[KERNEL_EV_ANY_IRQ_EXIT] = { ENDS(ANY_IRQ),
		NAMES("do_IRQ_return do_IRQ_exit common_interrupt_return common_interrupt_exit") },
	[KERNEL_EV_PACKET_ENTRY] = { BEGINS(PACKET),
		NAMES("netif_receive_skb_internal_entry __netif_receive_skb_core_entry") },
	[KERNEL_EV_PACKET_EXIT] = { ENDS(PACKET),
		NAMES("netif_receive_skb_internal_return netif_receive_skb_internal_exit __netif_receive_skb_core_return __netif_receive_skb_core_exit") },
	/* From here to the merges: it happened, whoever did it. */
	[KERNEL_EV_SEND] = { .handle = model_packet,
		.any_task = true,
		NAMES("net_dev_queue", "net:net_dev_queue", "inet_sock_local_out"),
		.fields = { [PACKET_SKB] = IS("skbaddr"),
			[PACKET_LEN] = IF_WANTED(PACKETS, "len"),
			[PACKET_DEVICE] = IF_WANTED(PACKETS, "name:s") } },
	[KERNEL_EV_RECEIVE] = { .handle = model_packet,
		.any_task = true,
		NAMES("net_if_receive_skb netif_receive_skb", "net:netif_receive_skb",
			"inet_sock_local_in"),
		.fields = { [PACKET_SKB] = IS("skbaddr"),
			[PACKET_LEN] = IF_WANTED(PACKETS, "len"),
			[PACKET_DEVICE] = IF_WANTED(PACKETS, "name:s") } },
	[KERNEL_EV_BLOCK_INSERT] = { .handle = model_block,
		.any_task = true,
		NAMES("block_rq_insert", "block:block_rq_insert"),
		.fields = { REQUEST, [BLOCK_BYTES] = IS("bytes"), [BLOCK_TID] = IS("tid", "-") } },
	[KERNEL_EV_BLOCK_ISSUE] = { .handle = model_block,
		.any_task = true,
		NAMES("block_rq_issue", "block:block_rq_issue"),
		.fields = { REQUEST, [BLOCK_BYTES] = IS("bytes"), [BLOCK_TID] = IS("tid", "-") } },
	[KERNEL_EV_BLOCK_COMPLETE] = { .handle = model_block,
		.any_task = true,
		NAMES("block_rq_complete", "block:block_rq_complete"),
		.fields = { REQUEST, [BLOCK_ERROR] = IS("error"), [BLOCK_ERRORS] = IS("errors") } },
	[KERNEL_EV_SOFTIRQ_RAISE] = { .handle = model_raise,
		.wants = KERNEL_WANT_RAISES,
		NAMES("irq_softirq_raise softirq_raise", "irq:softirq_raise"),
		NR("vec") },
	[KERNEL_EV_BLOCK_RQ_MERGE] = { .handle = model_merge,
		.any_task = true,
		.wants = KERNEL_WANT_MERGES,
		NAMES("block_rq_merge", "block:block_rq_merge", "addons_elv_merge_requests"),
		.fields = MERGE },
	[KERNEL_EV_BLOCK_BACKMERGE] = { .handle = model_merge,
		.any_task = true,
		.wants = KERNEL_WANT_MERGES,
		NAMES("block_bio_backmerge", "block:block_bio_backmerge"),
		.fields = MERGE },
	[KERNEL_EV_BLOCK_FRONTMERGE] = { .handle = model_merge,
		.any_task = true,
		.wants = KERNEL_WANT_MERGES,
		NAMES("block_bio_frontmerge", "block:block_bio_frontmerge"),
		.fields = MERGE },
	[KERNEL_EV_DUMP_TASK] = { .handle = model_dump_task,
		.any_task = true,
		NAMES("lttng_statedump_process_state"),
		.fields = { TID, [DUMP_PID] = IS("pid"), [DUMP_PPID] = IS("ppid"),
			[DUMP_NAME] = IS("name:s"), [DUMP_TYPE] = IS("type"),
			[DUMP_STATUS] = IS("status"), [DUMP_TABLE] = IS("file_table_address"),
			[DUMP_VTID] = IS("vtid"), [DUMP_VPID] = IS("vpid") } },
	[KERNEL_EV_DUMP_FILE] = { .handle = model_dump_file,
		.any_task = true,
		NAMES("lttng_statedump_file_descriptor"),
		.fields = { [FILE_PID] = IS("pid"),
			[FILE_FD] = IS("fd"),
			[FILE_NAME] = IS("filename:s"),
			[FILE_TABLE] = IS("file_table_address") } },
	[KERNEL_EV_DUMP_SOCKET] = { .handle = model_dump_socket,
		.any_task = true,
		NAMES("meridian_statedump_socket"),
		.fields = { [SOCKET_PID] = IS("pid"),
			[SOCKET_FD] = IS("fd"),
			[SOCKET_FAMILY] = IS("family"),
			[SOCKET_NAME] = IS("name:s"),
			[SOCKET_LOCAL] = IS("local:s") } },
	[KERNEL_EV_DUMP_PID_NS] = { .handle = model_dump_pid_ns,
		.any_task = true,
		NAMES("lttng_statedump_process_pid_ns"),
		.fields = { TID, [NS_VTID] = IS("vtid"), [NS_VPID] = IS("vpid"),
			[NS_INUM] = IS("ns_inum") } },
	[KERNEL_EV_DUMP_IRQ] = { .handle = model_dump_irq,
		.any_task = true,
		NAMES("lttng_statedump_interrupt"),
		.fields = { [IRQ_NR] = IS("irq"),
			[IRQ_NAME] = IS("name:s"),
			[DUMP_IRQ_ACTION] = IS("action:s") } },
	[KERNEL_EV_DUMP_DISK] = { .handle = model_dump_disk,
		.any_task = true,
		NAMES("lttng_statedump_block_device"),
		.fields = { [DISK_DEV] = IS("dev"), [DISK_NAME] = IS("diskname:s") } },
	[KERNEL_EV_DUMP_CPU] = { .handle = model_dump_cpu,
		.any_task = true,
		NAMES("lttng_statedump_cpu_topology"),
		.fields = { [DUMP_CPU_ID] = IS("cpu_id"),
			[DUMP_CPU_PACKAGE] = IS("physical_id") } },
	KERNEL_TOLD_EVENTS(TOLD)
};

_Static_assert(KERNEL_WANT_KIND(KERNEL_EV_END_TOLD - 1) != 0, "a bit for each of them");

static const char *field_in(const struct kernel_event_field *f, enum kernel_dialect dialect)
{
	const char *name = f->names[dialect];
	if (!name && dialect == KERNEL_PERF)
		name = f->names[KERNEL_LTTNG];
	return name ? name : "-";
}

static bool is_text(const char *field)
{
	size_t len = strlen(field);
	return len > 2 && strcmp(field + len - 2, ":s") == 0;
}

/* How many slots the field has, in any dialect; 0: it is not read. */
static unsigned width_of(const struct kernel_event_field *f, uint64_t wants)
{
	unsigned width = 0;
	if (f->wants && !(f->wants & wants))
		return 0;
	for (int d = 0; d < KERNEL_N_DIALECTS; d++)
		if (f->names[d])
			width = is_text(f->names[d]) ? 2 : width ? width : 1;
	return width;
}

const char *kernel_event_fields(
	struct mer_arena *a, enum kernel_event event, enum kernel_dialect dialect, uint64_t wants)
{
	const struct kernel_event_field *fields = kernel_event_rows[event].fields;
	struct mer_str list = { 0 };
	unsigned slot = KERNEL_SLOT_CPU + 1;
	mer_str_puts(&list, "perf_cpu");
	for (unsigned i = slot; i < KERNEL_EVENT_SLOTS; i++) {
		unsigned width = width_of(&fields[i], wants);
		const char *name = field_in(&fields[i], dialect);
		if (!width)
			continue;
		for (; slot < i; slot++)
			mer_str_puts(&list, " -");
		mer_str_puts(&list, " ");
		mer_str_puts(&list, name);
		if (width == 2 && !is_text(name))
			mer_str_puts(&list, " -");
		slot += width;
	}
	const char *text = list.failed ? NULL : mer_arena_strdup(a, list.data);
	mer_str_fini(&list);
	return text;
}

bool kernel_event_is(enum kernel_event event, const char *name)
{
	for (int d = 0; d < KERNEL_N_DIALECTS; d++)
		for (const char *p = kernel_event_rows[event].names[d]; p && *p;
			p += strcspn(p, " "), p += strspn(p, " ")) {
			char pattern[128];
			snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(p, " "), p);
			if (mer_glob(pattern, name))
				return true;
		}
	return false;
}

bool kernel_event_is_in(enum kernel_event event, const struct ctf_schema *s)
{
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t i = 0; i < s->streams[k].n_events; i++)
			if (kernel_event_is(event, s->streams[k].events[i].name))
				return true;
	return false;
}
