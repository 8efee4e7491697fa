#include "ftrace/text/text_known.h"

#define WAKES(name)                                                                                                \
	{ "sched", name, "comm=<s:comm> pid=<i:pid> prio=<i:prio> target_cpu=<i:target_cpu>" },                    \
		{ "sched", name,                                                                                   \
			"comm=<s:comm> pid=<i:pid> prio=<i:prio> success=<i:success> target_cpu=<i:target_cpu>" }, \
		{ "sched", name, "<s:comm>:<i:pid> [<i:prio>] CPU:<i:target_cpu>" },                               \
	{                                                                                                          \
		"sched", name,                                                                                     \
			"<s:comm>:<i:pid> [<i:prio>] success=<i:success> CPU:<i:target_cpu>"                       \
	}
#define TASK(name)                                                                                 \
	{                                                                                          \
		"sched", name, "comm=<s:comm> pid=<i:pid> prio=<i:prio>"                           \
	}
#define STAT(name)                                                                                 \
	{                                                                                          \
		"sched", name, "comm=<s:comm> pid=<i:pid> delay=<u:delay> [ns]"                    \
	}
/* With the priority (6.13 and later), and without. */
#define REQUEST(name)                                                                                           \
	{ "block", name,                                                                                        \
		"<D:dev> <w:rwbs> <n:bytes> (<s:cmd>) <u:sector> + <n:nr_sector> [<s:comm>]" },                 \
	{                                                                                                       \
		"block", name,                                                                                  \
			"<D:dev> <w:rwbs> <n:bytes> (<s:cmd>) <u:sector> + <n:nr_sector> <w:ioprio> [<s:comm>]" \
	}
#define DONE(name)                                                                                     \
	{ "block", name, "<D:dev> <w:rwbs> (<s:cmd>) <u:sector> + <n:nr_sector> [<i:error>]" },        \
	{                                                                                              \
		"block", name,                                                                         \
			"<D:dev> <w:rwbs> (<s:cmd>) <u:sector> + <n:nr_sector> <w:ioprio> [<i:error>]" \
	}
#define BIO(name)                                                                                  \
	{                                                                                          \
		"block", name, "<D:dev> <w:rwbs> <u:sector> + <n:nr_sector> [<s:comm>]"            \
	}
#define SOFTIRQ(name)                                                                              \
	{                                                                                          \
		"irq", name, "vec=<n:vec> [action=<s:action>]"                                     \
	}
#define PACKET(name)                                                                               \
	{                                                                                          \
		"net", name, "dev=<s:name> skbaddr=<p:skbaddr> len=<n:len>"                        \
	}
#define LENGTH(name)                                                                                                                                      \
	{                                                                                                                                                 \
		"sock", name,                                                                                                                             \
			"sk address = <p:skaddr>, family = <w:family> protocol = <s:protocol>, length = <i:length>, error = <i:error>, flags = <x:flags>" \
	}
#define WORK(name, text)                                                                           \
	{                                                                                          \
		"workqueue", name, text                                                            \
	}

const struct ftrace_known ftrace_known[] = {
	{ "sched", "sched_switch",
		"prev_comm=<s:prev_comm> prev_pid=<i:prev_pid> prev_prio=<i:prev_prio> prev_state=<S:prev_state> ==> next_comm=<s:next_comm> next_pid=<i:next_pid> next_prio=<i:next_prio>" },
	{ "sched", "sched_switch",
		"<s:prev_comm>:<i:prev_pid> [<i:prev_prio>] <K:prev_state> ==> <s:next_comm>:<i:next_pid> [<i:next_prio>]" },
	WAKES("sched_waking"),
	WAKES("sched_wakeup"),
	WAKES("sched_wakeup_new"),
	{ "sched", "sched_migrate_task",
		"comm=<s:comm> pid=<i:pid> prio=<i:prio> orig_cpu=<i:orig_cpu> dest_cpu=<i:dest_cpu>" },
	{ "sched", "sched_process_fork",
		"comm=<s:parent_comm> pid=<i:parent_pid> child_comm=<s:child_comm> child_pid=<i:child_pid>" },
	{ "sched", "sched_process_exec", "filename=<s:filename> pid=<i:pid> old_pid=<i:old_pid>" },
	TASK("sched_process_exit"),
	{ "sched", "sched_process_exit",
		"comm=<s:comm> pid=<i:pid> prio=<i:prio> group_dead=<w:group_dead>" },
	TASK("sched_process_free"),
	TASK("sched_process_wait"),
	{ "sched", "sched_pi_setprio",
		"comm=<s:comm> pid=<i:pid> oldprio=<i:oldprio> newprio=<i:newprio>" },
	{ "sched", "sched_stat_runtime",
		"comm=<s:comm> pid=<i:pid> runtime=<u:runtime> [ns] vruntime=<u:vruntime> [ns]" },
	{ "sched", "sched_stat_runtime", "comm=<s:comm> pid=<i:pid> runtime=<u:runtime> [ns]" },
	STAT("sched_stat_wait"),
	STAT("sched_stat_sleep"),
	STAT("sched_stat_iowait"),
	STAT("sched_stat_blocked"),
	{ "task", "task_newtask",
		"pid=<i:pid> comm=<s:comm> clone_flags=<x:clone_flags> oom_score_adj=<i:oom_score_adj>" },
	{ "task", "task_rename",
		"pid=<i:pid> oldcomm=<s:oldcomm> newcomm=<s:newcomm> oom_score_adj=<i:oom_score_adj>" },
	{ "irq", "irq_handler_entry", "irq=<i:irq> name=<s:name>" },
	{ "irq", "irq_handler_exit", "irq=<i:irq> ret=<H:ret>" },
	SOFTIRQ("softirq_raise"),
	SOFTIRQ("softirq_entry"),
	SOFTIRQ("softirq_exit"),
	{ "raw_syscalls", "sys_enter", "NR <l:id> <A:args>" },
	{ "raw_syscalls", "sys_exit", "NR <l:id> = <l:ret>" },
	REQUEST("block_rq_insert"),
	REQUEST("block_rq_issue"),
	REQUEST("block_rq_merge"),
	REQUEST("block_io_start"),
	REQUEST("block_io_done"),
	DONE("block_rq_complete"),
	DONE("block_rq_requeue"),
	DONE("block_rq_error"),
	BIO("block_bio_backmerge"),
	BIO("block_bio_frontmerge"),
	BIO("block_bio_queue"),
	BIO("block_getrq"),
	PACKET("net_dev_queue"),
	PACKET("netif_receive_skb"),
	PACKET("netif_rx"),
	{ "signal", "signal_generate",
		"sig=<i:sig> errno=<i:errno> code=<i:code> comm=<s:comm> pid=<i:pid> grp=<i:group> res=<i:result>" },
	{ "kvm", "kvm_entry", "vcpu <i:vcpu_id>, rip <x:rip><*>" },
	{ "kvm", "kvm_entry", "vcpu <i:vcpu_id>" },
	{ "kvm", "kvm_exit", "vcpu <i:vcpu_id> reason <s:reason> rip <x:rip><*>" },
	LENGTH("sock_send_length"),
	LENGTH("sock_recv_length"),
	WORK("workqueue_queue_work",
		"work struct=<p:work> function=<w:function> workqueue=<s:workqueue> req_cpu=<l:req_cpu> cpu=<l:cpu>"),
	WORK("workqueue_activate_work", "work struct <p:work> function=<w:function>"),
	WORK("workqueue_activate_work", "work struct <p:work>"),
	WORK("workqueue_execute_start", "work struct <p:work>: function <w:function>"),
	WORK("workqueue_execute_end", "work struct <p:work>: function <w:function>"),
	WORK("workqueue_execute_end", "work struct <p:work>"),
	{ "ftrace", "tracing_mark_write", "<s:buf>" },
	{ "ftrace", "print", "<*>: <s:buf>" },
	{ "ftrace", "function", "<w:ip> <-<w:parent_ip>" },
};
const uint32_t ftrace_n_known = sizeof(ftrace_known) / sizeof(ftrace_known[0]);

const struct ftrace_known_system ftrace_known_systems[] = {
	{ "syscalls", "sys_enter_" },
	{ "syscalls", "sys_exit_" },
	{ "sched", "sched_" },
	{ "task", "task_" },
	{ "irq", "irq_handler_" },
	{ "irq", "softirq_" },
	{ "irq", "tasklet_" },
	{ "irq_vectors", "local_timer_" },
	{ "irq_vectors", "reschedule_" },
	{ "irq_vectors", "call_function_" },
	{ "irq_vectors", "irq_work_" },
	{ "irq_vectors", "vector_" },
	{ "irq_vectors", "spurious_apic_" },
	{ "irq_vectors", "thermal_apic_" },
	{ "irq_vectors", "x86_platform_ipi_" },
	{ "timer", "hrtimer_" },
	{ "timer", "timer_" },
	{ "timer", "itimer_" },
	{ "timer", "tick_stop" },
	{ "block", "block_" },
	{ "net", "net_dev_" },
	{ "net", "netif_" },
	{ "net", "napi_gro_" },
	{ "napi", "napi_poll" },
	{ "tcp", "tcp_" },
	{ "skb", "kfree_skb" },
	{ "skb", "consume_skb" },
	{ "sock", "inet_sock_set_state" },
	{ "sock", "sock_" },
	{ "power", "cpu_frequency" },
	{ "power", "cpu_idle" },
	{ "kmem", "kmalloc" },
	{ "kmem", "kfree" },
	{ "kmem", "kmem_cache_" },
	{ "kmem", "mm_page_" },
	{ "exceptions", "page_fault_" },
	{ "signal", "signal_" },
	{ "kvm", "kvm_" },
	{ "workqueue", "workqueue_" },
	{ "ext4", "ext4_" },
	{ "jbd2", "jbd2_" },
	{ "xfs", "xfs_" },
	{ "btrfs", "btrfs_" },
	{ "filemap", "mm_filemap_" },
	{ "writeback", "writeback_" },
	{ "vmscan", "mm_vmscan_" },
	{ "compaction", "mm_compaction_" },
	{ "rcu", "rcu_" },
	{ "module", "module_" },
};
const uint32_t ftrace_n_known_systems =
	sizeof(ftrace_known_systems) / sizeof(ftrace_known_systems[0]);

const struct ftrace_known_probe ftrace_known_probes[] = {
	{ "tx", "hdr" },
	{ "rx", "hdr" },
	{ "open", "path" },
	{ "exec", "path" },
	{ "connect", "v4" },
	{ "sendto", "v4" },
	{ "accept", "daddr" },
	{ "send", "daddr" },
	{ "recv", "daddr" },
};
const uint32_t ftrace_n_known_probes = sizeof(ftrace_known_probes) / sizeof(ftrace_known_probes[0]);
