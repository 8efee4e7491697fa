#include "kernel/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	uint8_t event;
	const char *name, *fields;
};

/* Every list of fields begins with that of perf; other tracers do not have it, it reads 0. */
#define CPU "perf_cpu "
#define WAKE CPU "tid target_cpu comm:s"
#define PERF_WAKE CPU "pid target_cpu comm:s"
#define REQUEST CPU "dev sector nr_sector bytes rwbs tid - - -"
#define PERF_REQUEST CPU "dev sector nr_sector bytes - - - rwbs:s"
#define VECTOR CPU "vector"

static const struct row rows[] = {
	{ KERNEL_EV_SWITCH, "sched_switch",
		CPU "prev_tid prev_state next_tid prev_comm:s next_comm:s" },
	{ KERNEL_EV_SWITCH, "sched:sched_switch",
		CPU "prev_pid prev_state next_pid prev_comm:s next_comm:s" },
	{ KERNEL_EV_TTWU, "sched_ttwu", WAKE },
	{ KERNEL_EV_WAKING, "sched_waking", WAKE },
	{ KERNEL_EV_WAKING, "sched:sched_waking", PERF_WAKE },
	{ KERNEL_EV_WAKEUP, "sched_wakeup", WAKE },
	{ KERNEL_EV_WAKEUP, "sched:sched_wakeup", PERF_WAKE },
	{ KERNEL_EV_WAKEUP_NEW, "sched_wakeup_new", WAKE },
	{ KERNEL_EV_WAKEUP_NEW, "sched:sched_wakeup_new", PERF_WAKE },
	{ KERNEL_EV_MIGRATE, "sched_migrate_task", CPU "tid dest_cpu" },
	{ KERNEL_EV_MIGRATE, "sched_migrate", CPU "tid dest_cpu" },
	{ KERNEL_EV_MIGRATE, "sched:sched_migrate_task", CPU "pid dest_cpu" },
	{ KERNEL_EV_FORK, "sched_process_fork",
		CPU "parent_tid parent_pid child_tid child_pid child_comm:s child_ns_inum" },
	{ KERNEL_EV_FORK, "sched:sched_process_fork",
		CPU "parent_pid - child_pid - child_comm:s -" },
	{ KERNEL_EV_EXEC, "sched_process_exec", CPU "tid old_tid filename:s" },
	{ KERNEL_EV_EXEC, "sched:sched_process_exec", CPU "pid old_pid filename:s" },
	{ KERNEL_EV_EXIT, "sched_process_exit", CPU "tid" },
	{ KERNEL_EV_EXIT, "sched:sched_process_exit", CPU "pid" },
	{ KERNEL_EV_FREE, "sched_process_free", CPU "tid" },
	{ KERNEL_EV_FREE, "sched:sched_process_free", CPU "pid" },
	{ KERNEL_EV_RENAME, "task_rename", CPU "tid newcomm:s" },
	{ KERNEL_EV_RENAME, "task:task_rename", CPU "pid newcomm:s" },
	{ KERNEL_EV_BOOST, "sched_pi_setprio", CPU "tid" },
	{ KERNEL_EV_BOOST, "sched:sched_pi_setprio", CPU "pid" },
	{ KERNEL_EV_IRQ_ENTRY, "irq_handler_entry", CPU "irq name:s" },
	{ KERNEL_EV_IRQ_ENTRY, "irq:irq_handler_entry", CPU "irq name:s" },
	{ KERNEL_EV_IRQ_EXIT, "irq_handler_exit", CPU "irq" },
	{ KERNEL_EV_IRQ_EXIT, "irq:irq_handler_exit", CPU "irq" },
	{ KERNEL_EV_SOFTIRQ_ENTRY, "irq_softirq_entry", CPU "vec" },
	{ KERNEL_EV_SOFTIRQ_ENTRY, "softirq_entry", CPU "vec" },
	{ KERNEL_EV_SOFTIRQ_ENTRY, "irq:softirq_entry", CPU "vec" },
	{ KERNEL_EV_SOFTIRQ_EXIT, "irq_softirq_exit", CPU "vec" },
	{ KERNEL_EV_SOFTIRQ_EXIT, "softirq_exit", CPU "vec" },
	{ KERNEL_EV_SOFTIRQ_EXIT, "irq:softirq_exit", CPU "vec" },
	{ KERNEL_EV_HRTIMER_ENTRY, "timer_hrtimer_expire_entry", CPU },
	{ KERNEL_EV_HRTIMER_ENTRY, "hrtimer_expire_entry", CPU },
	{ KERNEL_EV_HRTIMER_ENTRY, "timer:hrtimer_expire_entry", CPU },
	{ KERNEL_EV_HRTIMER_EXIT, "timer_hrtimer_expire_exit", CPU },
	{ KERNEL_EV_HRTIMER_EXIT, "hrtimer_expire_exit", CPU },
	{ KERNEL_EV_HRTIMER_EXIT, "timer:hrtimer_expire_exit", CPU },
	{ KERNEL_EV_TIMER_ENTRY, "timer_expire_entry", CPU },
	{ KERNEL_EV_TIMER_ENTRY, "timer:timer_expire_entry", CPU },
	{ KERNEL_EV_TIMER_EXIT, "timer_expire_exit", CPU },
	{ KERNEL_EV_TIMER_EXIT, "timer:timer_expire_exit", CPU },
	/* Vectors: those of the local timer and of IPIs before all others. */
	{ KERNEL_EV_LOCAL_TIMER_ENTRY, "x86_irq_vectors_local_timer_entry", VECTOR },
	{ KERNEL_EV_LOCAL_TIMER_ENTRY, "irq_vectors:local_timer_entry", VECTOR },
	{ KERNEL_EV_LOCAL_TIMER_EXIT, "x86_irq_vectors_local_timer_exit", VECTOR },
	{ KERNEL_EV_LOCAL_TIMER_EXIT, "irq_vectors:local_timer_exit", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "x86_irq_vectors_reschedule_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "x86_irq_vectors_call_function_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "x86_irq_vectors_call_function_single_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "x86_irq_vectors_irq_work_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "irq_vectors:reschedule_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "irq_vectors:call_function_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "irq_vectors:call_function_single_entry", VECTOR },
	{ KERNEL_EV_IPI_ENTRY, "irq_vectors:irq_work_entry", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "x86_irq_vectors_reschedule_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "x86_irq_vectors_call_function_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "x86_irq_vectors_call_function_single_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "x86_irq_vectors_irq_work_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "irq_vectors:reschedule_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "irq_vectors:call_function_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "irq_vectors:call_function_single_exit", VECTOR },
	{ KERNEL_EV_IPI_EXIT, "irq_vectors:irq_work_exit", VECTOR },
	{ KERNEL_EV_VECTOR_ENTRY, "x86_irq_vectors_*_entry", VECTOR },
	{ KERNEL_EV_VECTOR_ENTRY, "irq_vectors:*_entry", VECTOR },
	{ KERNEL_EV_VECTOR_EXIT, "x86_irq_vectors_*_exit", VECTOR },
	{ KERNEL_EV_VECTOR_EXIT, "irq_vectors:*_exit", VECTOR },
	{ KERNEL_EV_ANY_IRQ_ENTRY, "do_IRQ_entry", CPU },
	{ KERNEL_EV_ANY_IRQ_ENTRY, "common_interrupt_entry", CPU },
	{ KERNEL_EV_ANY_IRQ_EXIT, "do_IRQ_return", CPU },
	{ KERNEL_EV_ANY_IRQ_EXIT, "do_IRQ_exit", CPU },
	{ KERNEL_EV_ANY_IRQ_EXIT, "common_interrupt_return", CPU },
	{ KERNEL_EV_ANY_IRQ_EXIT, "common_interrupt_exit", CPU },
	{ KERNEL_EV_PACKET_ENTRY, "netif_receive_skb_internal_entry", CPU },
	{ KERNEL_EV_PACKET_ENTRY, "__netif_receive_skb_core_entry", CPU },
	{ KERNEL_EV_PACKET_EXIT, "netif_receive_skb_internal_return", CPU },
	{ KERNEL_EV_PACKET_EXIT, "netif_receive_skb_internal_exit", CPU },
	{ KERNEL_EV_PACKET_EXIT, "__netif_receive_skb_core_return", CPU },
	{ KERNEL_EV_PACKET_EXIT, "__netif_receive_skb_core_exit", CPU },
	{ KERNEL_EV_SEND, "net_dev_queue", CPU "skbaddr" },
	{ KERNEL_EV_SEND, "net:net_dev_queue", CPU "skbaddr" },
	{ KERNEL_EV_SEND, "inet_sock_local_out", CPU "- - -:s" },
	{ KERNEL_EV_RECEIVE, "net_if_receive_skb", CPU "skbaddr" },
	{ KERNEL_EV_RECEIVE, "netif_receive_skb", CPU "skbaddr" },
	{ KERNEL_EV_RECEIVE, "net:netif_receive_skb", CPU "skbaddr" },
	{ KERNEL_EV_RECEIVE, "inet_sock_local_in", CPU "- - -:s" },
	{ KERNEL_EV_BLOCK_INSERT, "block_rq_insert", REQUEST },
	{ KERNEL_EV_BLOCK_INSERT, "block:block_rq_insert", PERF_REQUEST },
	{ KERNEL_EV_BLOCK_ISSUE, "block_rq_issue", REQUEST },
	{ KERNEL_EV_BLOCK_ISSUE, "block:block_rq_issue", PERF_REQUEST },
	{ KERNEL_EV_BLOCK_COMPLETE, "block_rq_complete",
		CPU "dev sector nr_sector - rwbs error errors - -" },
	{ KERNEL_EV_BLOCK_COMPLETE, "block:block_rq_complete",
		CPU "dev sector nr_sector - - error errors rwbs:s" },
	{ KERNEL_EV_DUMP_TASK, "lttng_statedump_process_state",
		CPU "tid pid ppid name:s type status file_table_address vtid vpid" },
	{ KERNEL_EV_DUMP_FILE, "lttng_statedump_file_descriptor",
		CPU "pid fd filename:s file_table_address" },
	{ KERNEL_EV_DUMP_PID_NS, "lttng_statedump_process_pid_ns", CPU "tid vtid vpid ns_inum" },
	{ KERNEL_EV_DUMP_IRQ, "lttng_statedump_interrupt", CPU "irq name:s action:s tid" },
	{ KERNEL_EV_DUMP_DISK, "lttng_statedump_block_device", CPU "dev diskname:s" },
	{ KERNEL_EV_DUMP_CPU, "lttng_statedump_cpu_topology", CPU "cpu_id physical_id" },
	/* Calls of which only the name counts come last. */
	{ KERNEL_EV_SYSCALL_ENTRY, "sys_unknown", CPU "id" },
	{ KERNEL_EV_SYSCALL_ENTRY, "compat_sys_unknown", CPU "id" },
	{ KERNEL_EV_SYSCALL_ENTRY, "syscall_entry_unknown", CPU "id" },
	{ KERNEL_EV_SYSCALL_ENTRY, "compat_syscall_entry_unknown", CPU "id" },
	{ KERNEL_EV_SYSCALL_ENTRY, "raw_syscalls:sys_enter", CPU "id" },
	{ KERNEL_EV_SYSCALL_ENTRY, "sys_*", CPU },
	{ KERNEL_EV_SYSCALL_ENTRY, "compat_sys_*", CPU },
	{ KERNEL_EV_SYSCALL_ENTRY, "syscall_entry_*", CPU },
	{ KERNEL_EV_SYSCALL_ENTRY, "compat_syscall_entry_*", CPU },
	{ KERNEL_EV_SYSCALL_ENTRY, "syscalls:sys_enter_*", CPU },
	{ KERNEL_EV_SYSCALL_EXIT, "exit_syscall", CPU "ret" },
	{ KERNEL_EV_SYSCALL_EXIT, "syscall_exit_*", CPU "ret" },
	{ KERNEL_EV_SYSCALL_EXIT, "compat_syscall_exit_*", CPU "ret" },
	{ KERNEL_EV_SYSCALL_EXIT, "raw_syscalls:sys_exit", CPU "ret" },
	{ KERNEL_EV_SYSCALL_EXIT, "syscalls:sys_exit_*", CPU "ret" },
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]), FORMS = 4 };

/* Read only when wanted: they take the place of rows of the same name. */
#define PACKET CPU "skbaddr len name:s"
#define SLAB CPU "ptr bytes_alloc"
#define PAGES (KERNEL_WANT_MEMORY | KERNEL_WANT_PAGES)
#define MERGE CPU "dev sector nr_sector - rwbs tid -"
static const struct wanted_row {
	uint32_t wants; /* enum kernel_wants */
	struct row row;
} wanted_rows[] = {
	{ KERNEL_WANT_RAISES, { KERNEL_EV_SOFTIRQ_RAISE, "irq_softirq_raise", CPU "vec" } },
	{ KERNEL_WANT_RAISES, { KERNEL_EV_SOFTIRQ_RAISE, "softirq_raise", CPU "vec" } },
	{ KERNEL_WANT_RAISES, { KERNEL_EV_SOFTIRQ_RAISE, "irq:softirq_raise", CPU "vec" } },
	{ PAGES, { KERNEL_EV_PAGE_ALLOC, "kmem_mm_page_alloc", CPU "order" } },
	{ PAGES, { KERNEL_EV_PAGE_ALLOC, "mm_page_alloc", CPU "order" } },
	{ PAGES, { KERNEL_EV_PAGE_ALLOC, "kmem:mm_page_alloc", CPU "order" } },
	{ PAGES, { KERNEL_EV_PAGE_FREE, "kmem_mm_page_free", CPU "order" } },
	{ PAGES, { KERNEL_EV_PAGE_FREE, "mm_page_free", CPU "order" } },
	{ PAGES, { KERNEL_EV_PAGE_FREE, "kmem:mm_page_free", CPU "order" } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_ALLOC, "kmem_kmalloc", SLAB } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_ALLOC, "kmem_kmalloc_node", SLAB } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_ALLOC, "kmem:kmalloc", SLAB } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_ALLOC, "kmem_cache_alloc", SLAB } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_ALLOC, "kmem_cache_alloc_node", SLAB } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_ALLOC, "kmem:kmem_cache_alloc", SLAB } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_FREE, "kmem_kfree", CPU "ptr" } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_FREE, "kmem:kfree", CPU "ptr" } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_FREE, "kmem_cache_free", CPU "ptr" } },
	{ KERNEL_WANT_MEMORY, { KERNEL_EV_SLAB_FREE, "kmem:kmem_cache_free", CPU "ptr" } },
	{ PAGES, { KERNEL_EV_FAULT_USER, "x86_exceptions_page_fault_user", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_USER, "page_fault_user", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_USER, "page_fault_user_entry", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_USER, "exceptions:page_fault_user", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_KERNEL, "x86_exceptions_page_fault_kernel", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_KERNEL, "page_fault_kernel", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_KERNEL, "page_fault_kernel_entry", CPU "address" } },
	{ PAGES, { KERNEL_EV_FAULT_KERNEL, "exceptions:page_fault_kernel", CPU "address" } },
	{ KERNEL_WANT_PACKETS, { KERNEL_EV_SEND, "net_dev_queue", PACKET } },
	{ KERNEL_WANT_PACKETS, { KERNEL_EV_SEND, "net:net_dev_queue", PACKET } },
	{ KERNEL_WANT_PACKETS, { KERNEL_EV_RECEIVE, "net_if_receive_skb", PACKET } },
	{ KERNEL_WANT_PACKETS, { KERNEL_EV_RECEIVE, "netif_receive_skb", PACKET } },
	{ KERNEL_WANT_PACKETS, { KERNEL_EV_RECEIVE, "net:netif_receive_skb", PACKET } },
	{ KERNEL_WANT_FREQUENCY,
		{ KERNEL_EV_FREQUENCY, "power_cpu_frequency", CPU "state cpu_id" } },
	{ KERNEL_WANT_FREQUENCY,
		{ KERNEL_EV_FREQUENCY, "power:cpu_frequency", CPU "state cpu_id" } },
	{ KERNEL_WANT_PRIORITIES,
		{ KERNEL_EV_SWITCH, "sched_switch",
			CPU "prev_tid prev_state next_tid prev_comm:s next_comm:s next_prio" } },
	{ KERNEL_WANT_PRIORITIES,
		{ KERNEL_EV_SWITCH, "sched:sched_switch",
			CPU "prev_pid prev_state next_pid prev_comm:s next_comm:s next_prio" } },
	{ KERNEL_WANT_SIGNALS, { KERNEL_EV_SIGNAL, "signal_generate", CPU "sig pid group" } },
	{ KERNEL_WANT_SIGNALS,
		{ KERNEL_EV_SIGNAL, "signal:signal_generate", CPU "sig pid group" } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_RQ_MERGE, "block_rq_merge", MERGE } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_RQ_MERGE, "block:block_rq_merge", MERGE } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_RQ_MERGE, "addons_elv_merge_requests",
				      CPU "dev nextrq_sector - - rwbs - rq_sector" } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_BACKMERGE, "block_bio_backmerge", MERGE } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_BACKMERGE, "block:block_bio_backmerge", MERGE } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_FRONTMERGE, "block_bio_frontmerge", MERGE } },
	{ KERNEL_WANT_MERGES, { KERNEL_EV_BLOCK_FRONTMERGE, "block:block_bio_frontmerge", MERGE } },
};
enum { N_WANTED = sizeof(wanted_rows) / sizeof(wanted_rows[0]) };

struct kernel_layouts {
	struct mer_arena arena;
	struct mer_need *needs; /* calls with arguments, then those of row_of */
	const struct row **row_of;
	uint16_t *call_of; /* ids of the calls with arguments */
	size_t n_needs, n_calls;
	struct trace_reading *reading;
	struct kernel_binding *bindings; /* by ctf_plan.id */
};

static const char *const entry_forms[FORMS] = { "syscall_entry_%s", "compat_syscall_entry_%s",
	"sys_%s", "compat_sys_%s" };
static const char *const exit_forms[2] = { "syscall_exit_%s", "compat_syscall_exit_%s" };

static void add_row(struct kernel_layouts *l, const struct row *row)
{
	l->row_of[l->n_needs - l->n_calls] = row;
	l->needs[l->n_needs++] = (struct mer_need){ row->name, row->fields };
}

/* The needs of calls whose arguments count: for each row its entries, then its exits. */
static int make_needs(struct kernel_layouts *l, uint32_t wants, struct mer_err *err)
{
	struct mer_arena *a = &l->arena;
	l->needs = mer_arena_zalloc(
		a, kernel_n_call_rows * (FORMS + 2) + N_ROWS + N_WANTED, sizeof(*l->needs));
	l->row_of = mer_arena_zalloc(a, N_ROWS + N_WANTED, sizeof(*l->row_of));
	l->call_of = mer_arena_zalloc(a, kernel_n_call_rows, sizeof(*l->call_of));
	if (!l->needs || !l->row_of || !l->call_of)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < kernel_n_call_rows; i++) {
		const struct kernel_call_row *r = &kernel_call_rows[i];
		if (r->kind == KERNEL_CALL_OTHER)
			continue;
		l->call_of[l->n_needs / (FORMS + 2)] = (uint16_t)(i + 1);
		const char *in = r->entry_fields ? r->entry_fields : "";
		const char *out = r->exit_fields ? r->exit_fields : "";
		for (int f = 0; f < FORMS; f++)
			l->needs[l->n_needs++] =
				(struct mer_need){ mer_arena_printf(a, entry_forms[f], r->name),
					mer_arena_printf(a, CPU "%s", in) };
		for (int f = 0; f < 2; f++)
			l->needs[l->n_needs++] =
				(struct mer_need){ mer_arena_printf(a, exit_forms[f], r->name),
					mer_arena_printf(a, CPU "ret %s", out) };
	}
	l->n_calls = l->n_needs;
	for (size_t i = 0; i < N_WANTED; i++)
		if (wanted_rows[i].wants & wants)
			add_row(l, &wanted_rows[i].row);
	for (size_t i = 0; i < N_ROWS; i++)
		add_row(l, &rows[i]);
	return a->failed ? mer_fail_nomem(err) : 0;
}

/* Are the numbers of calls those of x86-64, as far as can be told? A result is a "long": where it has
 * 32 bits, the machine has, and other numbers. */
static bool has_our_numbers(const struct ctf_schema *s)
{
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
			const struct ctf_event_class *e = &s->streams[k].events[c];
			const struct ctf_fc *fc = e->payload;
			if (!kernel_call_of_exit(e->name) || strchr(e->name, ':'))
				continue;
			for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
				if (strcmp(fc->u.record.fields[i].name, "ret") == 0 &&
					fc->u.record.fields[i].fc->kind == CTF_INT)
					return fc->u.record.fields[i].fc->u.bits.len_bits != 32;
		}
	return true;
}

/* Slots of an element of a field of the payload that is an array; 0: there is no such field. */
static uint16_t row_slots(const struct ctf_event_class *e, const char *field)
{
	for (uint32_t i = 0; e->payload && i < e->payload->u.record.n; i++) {
		const struct ctf_field *f = &e->payload->u.record.fields[i];
		if (strcmp(f->name, field) != 0 || f->fc->kind != CTF_ARRAY)
			continue;
		uint32_t n = ctf_slot_width(f->fc->u.array.element.fc);
		return n <= UINT16_MAX ? (uint16_t)n : 0;
	}
	return 0;
}

static void bind(const struct kernel_layouts *l, const struct ctf_plan *plan, bool our_numbers)
{
	struct kernel_binding *b = &l->bindings[plan->id];
	const char *name = plan->class->name;
	size_t need = (size_t)plan->tag;
	*b = (struct kernel_binding){ .is_perf = strchr(name, ':') != NULL };
	if (need < l->n_calls) {
		b->id = l->call_of[need / (FORMS + 2)];
		const struct kernel_call_row *r = &kernel_call_rows[b->id - 1];
		b->event = need % (FORMS + 2) < FORMS ? KERNEL_EV_SYSCALL_ENTRY
						      : KERNEL_EV_SYSCALL_EXIT;
		b->kind = (uint16_t)r->kind;
		b->call = r->name;
		b->row_slots = r->kind == KERNEL_CALL_POLL ? row_slots(plan->class, "fds") : 0;
		return;
	}
	const struct row *r = l->row_of[need - l->n_calls];
	b->event = r->event;
	b->kind = KERNEL_CALL_OTHER;
	if (r->event == KERNEL_EV_SYSCALL_ENTRY) {
		b->by_number = our_numbers && strncmp(name, "compat_", 7) != 0 &&
			       strstr(r->fields, "id") != NULL;
		b->call = kernel_call_of_entry(name);
	} else if (r->event == KERNEL_EV_SYSCALL_EXIT) {
		b->call = kernel_call_of_exit(name);
	}
	if (!b->call)
		b->call = "";
	b->id = kernel_call_id(b->call);
}

int kernel_layouts_new(const struct mer_experiment *e, uint32_t wants,
	struct kernel_layouts **layouts, struct mer_err *err)
{
	struct kernel_layouts *l = calloc(1, sizeof(*l));
	if (!l)
		return mer_fail_nomem(err);
	mer_arena_init(&l->arena);
	int rc = make_needs(l, wants, err);
	if (rc == 0)
		rc = trace_reading_from_needs(e, l->needs, l->n_needs, false, &l->reading, err);
	if (rc == 0) {
		l->bindings =
			mer_arena_zalloc(&l->arena, l->reading->n_plans + 1u, sizeof(*l->bindings));
		rc = l->bindings ? 0 : mer_fail_nomem(err);
	}
	if (rc) {
		kernel_layouts_free(l);
		return rc;
	}
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct ctf_program *p = l->reading->programs[i];
		bool our_numbers = has_our_numbers(p->schema);
		for (uint32_t k = 0; k < p->schema->n_streams; k++)
			for (uint32_t c = 0; c < p->schema->streams[k].n_events; c++)
				if (p->streams[k].events[c].wanted)
					bind(l, &p->streams[k].events[c], our_numbers);
	}
	*layouts = l;
	return 0;
}

void kernel_layouts_free(struct kernel_layouts *l)
{
	if (!l)
		return;
	trace_reading_free(l->reading);
	mer_arena_fini(&l->arena);
	free(l);
}

const struct trace_reading *kernel_layouts_reading(const struct kernel_layouts *l)
{
	return l->reading;
}

const struct kernel_binding *kernel_bindings(const struct kernel_layouts *l)
{
	return l->bindings;
}

uint32_t kernel_n_bindings(const struct kernel_layouts *l)
{
	return l->reading->n_plans;
}

int kernel_switch_reading_new(
	const struct mer_experiment *e, struct trace_reading **reading, struct mer_err *err)
{
	struct mer_need needs[2] = { { rows[0].name, rows[0].fields },
		{ rows[1].name, rows[1].fields } };
	return trace_reading_from_needs(e, needs, 2, false, reading, err);
}
