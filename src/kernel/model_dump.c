#include <string.h>

#include "kernel/files/object_name.h"
#include "kernel/model_state.h"
#include "kernel/world.h"

/* Threads of the kernel have no memory of their own; nor has a process that exits, and stays as a
 * zombie while its other threads run. The parent of the former is the thread that creates them. */
static bool is_thread_of_kernel(const uint64_t *slots)
{
	enum { NO_MEMORY = 1, CREATES_THREADS_OF_KERNEL = 2 };
	return slots[DUMP_TYPE] == NO_MEMORY &&
	       (slots[DUMP_PPID] == 0 || slots[DUMP_PPID] == CREATES_THREADS_OF_KERNEL);
}

int model_dump_task(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	const uint64_t *slots = ev->slots;
	int64_t ts = ev->ts;
	enum { WAIT_CPU = 2, ZOMBIE = 4, WAIT = 5 };
	uint32_t task;
	if ((int32_t)slots[TASK_TID] <= 0)
		return 0;
	int rc = model_task_of(m, (int32_t)slots[TASK_TID], &task);
	if (rc)
		return rc;
	struct kernel_task *t = &m->h->tasks[task];
	m->live[task].was_dumped = true;
	t->pid = (int32_t)slots[DUMP_PID];
	if ((int32_t)slots[DUMP_PPID] >= 0 || !t->born)
		t->ppid = (int32_t)slots[DUMP_PPID];
	if (slots[DUMP_VTID]) {
		t->vtid = (int32_t)slots[DUMP_VTID];
		t->vpid = (int32_t)slots[DUMP_VPID];
	}
	if (is_thread_of_kernel(slots) && !t->is_kernel) {
		t->is_kernel = true;
		model_learn_mode(m, task, KERNEL_NONE);
	}
	if (t->name == KERNEL_NONE)
		rc = model_rename(m, task, ts, &slots[DUMP_NAME]);
	if (rc == 0)
		rc = kernel_files_dump_task(m->files, task, slots[DUMP_TABLE], m->err);
	/* It does now what it did since its last event, and there was none. */
	enum kernel_state is = slots[DUMP_STATUS] == WAIT	? KERNEL_BLOCKED
			       : slots[DUMP_STATUS] == WAIT_CPU ? KERNEL_RUNNABLE
			       : slots[DUMP_STATUS] == ZOMBIE	? KERNEL_DEAD
								: KERNEL_UNKNOWN;
	if (rc || is == KERNEL_UNKNOWN || model_open(m, task)->state != KERNEL_UNKNOWN)
		return rc;
	if (is == KERNEL_DEAD)
		m->h->tasks[task].died = model_open(m, task)->begin;
	return model_settle(m, task, ts, is);
}

int model_name_irq(struct kernel_model *m, uint64_t irq, const uint64_t *text)
{
	size_t len;
	const char *name = model_text(text, &len);
	if (len == 0 || irq > UINT32_MAX)
		return 0;
	uint32_t *at = mer_map_put(&m->h->irq_names, irq);
	if (!at || (!*at && (*at = mer_intern_add(&m->h->names, name, len) + 1) == 0))
		return mer_fail_nomem(m->err);
	return 0;
}

int model_dump_irq(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	return model_name_irq(m, ev->slots[IRQ_NR], &ev->slots[DUMP_IRQ_ACTION]);
}

int model_dump_file(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	size_t len;
	const char *text = model_text(&ev->slots[FILE_NAME], &len);
	return kernel_files_dump(m->files, ev->slots[FILE_TABLE], (int32_t)ev->slots[FILE_PID],
		(int32_t)ev->slots[FILE_FD], text, len, m->err);
}

/* The name of an IPv4 address; KERNEL_NONE: it is none. False: no memory. */
static bool name_address(struct kernel_model *m, const uint64_t *text, uint32_t *name)
{
	char address[KERNEL_ENDPOINT_BYTES];
	size_t len;
	const char *at = model_text(text, &len);
	*name = KERNEL_NONE;
	if (len >= sizeof(address))
		return true;
	memcpy(address, at, len);
	address[len] = '\0';
	if (!kernel_name_endpoint(address))
		return true;
	*name = mer_intern_add(&m->h->names, address, len);
	return *name != KERNEL_NONE;
}

static int tell_socket(struct kernel_model *m, const uint64_t *slots)
{
	const struct kernel_observer *o = m->in.observer;
	struct kernel_told_socket x = { .pid = (int32_t)slots[SOCKET_PID],
		.fd = (int32_t)slots[SOCKET_FD] };
	if (!name_address(m, &slots[SOCKET_LOCAL], &x.local) ||
		!name_address(m, &slots[SOCKET_NAME], &x.peer))
		return mer_fail_nomem(m->err);
	return x.local != KERNEL_NONE && o && o->told_socket ? o->told_socket(o->ctx, m->h, &x) : 0;
}

int model_dump_socket(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	size_t len;
	const char *text = model_text(&ev->slots[SOCKET_NAME], &len);
	int rc = kernel_files_dump_socket(m->files, (int32_t)ev->slots[SOCKET_PID],
		(int32_t)ev->slots[SOCKET_FD], (uint16_t)ev->slots[SOCKET_FAMILY], text, len,
		m->err);
	return rc ? rc : tell_socket(m, ev->slots);
}

int model_dump_pid_ns(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	const uint32_t *at = mer_map_get(&m->tids, (uint32_t)ev->slots[TASK_TID]);
	if (!at || !*at)
		return 0;
	/* Told from the outermost namespace in: the last one is its own. */
	struct kernel_task *t = &m->h->tasks[*at - 1];
	t->vtid = (int32_t)ev->slots[NS_VTID];
	t->vpid = (int32_t)ev->slots[NS_VPID];
	t->pid_ns = (uint32_t)ev->slots[NS_INUM];
	return 0;
}

int model_dump_cpu(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	const uint64_t *slots = ev->slots;
	if (slots[DUMP_CPU_ID] >= KERNEL_MAX_CPUS || slots[DUMP_CPU_PACKAGE] > UINT16_MAX)
		return 0;
	uint32_t *at = mer_map_put(&m->h->packages, slots[DUMP_CPU_ID]);
	if (!at)
		return mer_fail_nomem(m->err);
	*at = (uint32_t)slots[DUMP_CPU_PACKAGE] + 1;
	return 0;
}

int model_dump_disk(struct kernel_model *m, struct cpu *c, const struct mer_event *ev,
	const struct kernel_binding *b)
{
	(void)b, (void)c;
	size_t len;
	const char *text = model_text(&ev->slots[DISK_NAME], &len);
	uint32_t *at = mer_map_put(&m->h->devices, ev->slots[DISK_DEV]);
	if (!at || (*at = mer_intern_add(&m->h->names, text, len) + 1) == 0)
		return mer_fail_nomem(m->err);
	return 0;
}
