#include "kernel/files/file_processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct kernel_file_task *kernel_file_task(struct kernel_files *f, uint32_t task)
{
	if (__builtin_expect(task < f->n_tasks, 1))
		return &f->tasks[task];
	uint32_t n = f->n_tasks ? f->n_tasks : 64;
	while (n <= task)
		n = n > UINT32_MAX / 2 ? UINT32_MAX : n * 2;
	struct kernel_file_task *p = realloc(f->tasks, n * sizeof(*p));
	if (!p)
		return NULL;
	memset(p + f->n_tasks, 0, (n - f->n_tasks) * sizeof(*p));
	f->tasks = p;
	f->n_tasks = n;
	return &f->tasks[task];
}

/* A process that nobody has yet; *number 0: over budget. */
static int new_process(struct kernel_files *f, uint32_t *number, struct mer_err *err)
{
	*number = 0;
	if (f->budget.bytes < sizeof(struct kernel_file_process)) {
		f->budget.forgotten++;
		return 0;
	}
	uint32_t i = f->free;
	if (i) {
		f->free = f->processes[i].next_free;
	} else {
		if (!mer_grow32(&f->processes, f->n_processes, &f->cap_processes,
			    sizeof(*f->processes)))
			return mer_fail_nomem(err);
		i = f->n_processes++;
	}
	f->budget.bytes -= sizeof(struct kernel_file_process);
	f->processes[i] = (struct kernel_file_process){ .pid = -1 };
	*number = i;
	return 0;
}

static void unlead(struct mer_map *map, uint64_t key, uint32_t process)
{
	uint32_t *i = mer_map_get(map, key);
	if (i && *i == process)
		*i = 0;
}

static void end_process(struct kernel_files *f, uint32_t number)
{
	struct kernel_file_process *p = &f->processes[number];
	if (p->pid >= 0)
		unlead(&f->by_pid, (uint32_t)p->pid, number);
	if (p->address)
		unlead(&f->by_address, p->address, number);
	kernel_fd_clear(&f->budget, &p->fds);
	f->budget.bytes += sizeof(*p);
	*p = (struct kernel_file_process){ .pid = -1, .next_free = f->free };
	f->free = number;
}

static void leave_process(struct kernel_files *f, struct kernel_file_task *t)
{
	if (t->process && --f->processes[t->process].n_tasks == 0)
		end_process(f, t->process);
	t->process = 0;
}

static void enter_process(struct kernel_files *f, struct kernel_file_task *t, uint32_t process)
{
	if (process)
		f->processes[process].n_tasks++;
	leave_process(f, t);
	t->process = process;
}

static int lead_pid(struct kernel_files *f, int32_t pid, uint32_t process, struct mer_err *err)
{
	if (pid < 0 || !process)
		return 0;
	struct kernel_file_process *p = &f->processes[process];
	uint32_t *i = mer_map_put(&f->by_pid, (uint32_t)pid);
	if (!i)
		return mer_fail_nomem(err);
	if (*i && *i != process)
		f->processes[*i].pid = -1;
	*i = process;
	if (p->pid >= 0 && p->pid != pid)
		unlead(&f->by_pid, (uint32_t)p->pid, process);
	p->pid = pid;
	return 0;
}

static int lead_address(
	struct kernel_files *f, uint64_t address, uint32_t process, struct mer_err *err)
{
	enum { KEY_BYTES = 32 }; /* keys are never removed from a map */
	if (!process)
		return 0;
	struct kernel_file_process *p = &f->processes[process];
	if (!mer_map_get(&f->by_address, address)) {
		if (f->budget.bytes < KEY_BYTES) {
			f->budget.forgotten++;
			return 0;
		}
		f->budget.bytes -= KEY_BYTES;
	}
	if (p->address && p->address != address)
		unlead(&f->by_address, p->address, process);
	uint32_t *i = mer_map_put(&f->by_address, address);
	if (!i)
		return mer_fail_nomem(err);
	if (*i && *i != process)
		f->processes[*i].address = 0;
	*i = process;
	p->address = address;
	p->dump = f->dump;
	return 0;
}

static uint32_t process_of_pid(const struct kernel_files *f, int32_t pid)
{
	const uint32_t *i = pid >= 0 ? mer_map_get(&f->by_pid, (uint32_t)pid) : NULL;
	return i ? *i : 0;
}

int kernel_file_find_process(
	struct kernel_files *f, uint32_t task, struct kernel_file_task *t, struct mer_err *err)
{
	int32_t pid = f->h->tasks[task].pid;
	uint32_t number = process_of_pid(f, pid);
	int rc = 0;
	if (!number) {
		rc = new_process(f, &number, err);
		if (rc == 0)
			rc = lead_pid(f, pid, number, err);
	}
	enter_process(f, t, number);
	return rc;
}

int kernel_file_unshare(
	struct kernel_files *f, struct kernel_file_task *t, bool is_process, struct mer_err *err)
{
	uint32_t old = t->process, number;
	if (!old || f->processes[old].n_tasks == 1)
		return 0;
	int rc = new_process(f, &number, err);
	if (rc == 0 && number) {
		struct kernel_file_process *p = &f->processes[old];
		rc = kernel_fd_copy(&f->budget, &f->processes[number].fds, &p->fds, err);
		if (rc == 0 && is_process)
			rc = lead_pid(f, p->pid, number, err);
	}
	enter_process(f, t, number);
	return rc;
}

int kernel_files_fork(
	struct kernel_files *f, uint32_t parent, uint32_t child, bool shares, struct mer_err *err)
{
	struct kernel_file_task *c = kernel_file_task(f, child > parent ? child : parent);
	if (!c)
		return mer_fail_nomem(err);
	struct kernel_file_task *p = &f->tasks[parent];
	c = &f->tasks[child];
	f->budget.steps += KERNEL_FD_STEPS_AN_EVENT;
	c->op.kind = KERNEL_CALL_OTHER;
	int rc = p->process ? 0 : kernel_file_find_process(f, parent, p, err);
	if (rc)
		return rc;
	if (shares) {
		enter_process(f, c, p->process);
		return 0;
	}
	uint32_t number;
	rc = new_process(f, &number, err);
	enter_process(f, c, number);
	if (rc == 0)
		rc = lead_pid(f, f->h->tasks[child].pid, number, err);
	if (rc == 0 && number && p->process)
		rc = kernel_fd_copy(
			&f->budget, &f->processes[number].fds, &f->processes[p->process].fds, err);
	return rc;
}

int kernel_files_exec(struct kernel_files *f, uint32_t task, struct mer_err *err)
{
	struct kernel_file_task *t = kernel_file_task(f, task);
	if (!t)
		return mer_fail_nomem(err);
	f->budget.steps += KERNEL_FD_STEPS_AN_EVENT;
	int rc = kernel_file_unshare(f, t, true, err);
	if (rc || !t->process)
		return rc;
	return kernel_fd_range(
		&f->budget, &f->processes[t->process].fds, 0, UINT32_MAX, KERNEL_FD_EXEC, err);
}

void kernel_files_exit(struct kernel_files *f, uint32_t task)
{
	if (task >= f->n_tasks)
		return;
	leave_process(f, &f->tasks[task]);
	f->tasks[task].op.kind = KERNEL_CALL_OTHER;
}

/* ---- state dump ---- */

/* The process that the address was told of, 0: none. Addresses are used again: only this dump's. */
static uint32_t told_in_this_dump(const struct kernel_files *f, uint64_t address)
{
	const uint32_t *i = mer_map_get(&f->by_address, address);
	return i && *i && f->processes[*i].dump == f->dump ? *i : 0;
}

/* Two turned out to be one: the task's own, and the one that the dump means. The result is the one
 * that goes on, which has what was known of both; what system calls told counts more. */
static int join(struct kernel_files *f, struct kernel_file_task *t, uint32_t own, uint32_t meant,
	uint32_t *result, struct mer_err *err)
{
	struct kernel_fd_table *a = &f->processes[own].fds, *b = &f->processes[meant].fds;
	int rc;
	if (f->processes[meant].n_tasks == 0) { /* rows came first */
		rc = kernel_fd_merge(&f->budget, a, b, err);
		end_process(f, meant);
		*result = own;
	} else {
		rc = kernel_fd_merge(&f->budget, b, a, err);
		*result = meant;
	}
	enter_process(f, t, *result);
	return rc;
}

static int dump_task_of_pid(
	struct kernel_files *f, struct kernel_file_task *t, int32_t pid, struct mer_err *err)
{
	uint32_t own = t->process, meant = process_of_pid(f, pid);
	if (!own && meant)
		enter_process(f, t, meant);
	if (!own || own == meant)
		return 0;
	int rc = meant ? join(f, t, own, meant, &own, err) : 0;
	return rc ? rc : lead_pid(f, pid, own, err);
}

int kernel_files_dump_task(
	struct kernel_files *f, uint32_t task, uint64_t table, struct mer_err *err)
{
	struct kernel_file_task *t = kernel_file_task(f, task);
	int32_t pid = f->h->tasks[task].pid;
	if (!t)
		return mer_fail_nomem(err);
	f->budget.steps += KERNEL_FD_STEPS_AN_EVENT;
	if (t->dump == f->dump)
		f->dump++;
	t->dump = f->dump;
	if (table == 0)
		return dump_task_of_pid(f, t, pid, err);
	uint32_t own = t->process ? t->process : process_of_pid(f, pid);
	uint32_t meant = told_in_this_dump(f, table);
	const struct kernel_file_process *p = &f->processes[own];
	if (own && p->dump == f->dump && p->address != table)
		own = 0; /* the others of its process have another */
	int rc = 0;
	if (!own && !meant)
		rc = new_process(f, &own, err);
	if (rc == 0 && own && meant && own != meant) {
		rc = join(f, t, own, meant, &own, err);
	} else if (rc == 0) {
		own = meant ? meant : own;
		enter_process(f, t, own);
	}
	if (rc == 0)
		rc = lead_address(f, table, own, err);
	if (rc == 0 && !process_of_pid(f, pid))
		rc = lead_pid(f, pid, own, err);
	return rc;
}

int kernel_file_process_of_row(
	struct kernel_files *f, uint64_t table, int32_t pid, uint32_t *number, struct mer_err *err)
{
	const uint32_t *i = table ? mer_map_get(&f->by_address, table) : NULL;
	*number = i ? *i : table ? 0 : process_of_pid(f, pid);
	if (*number || (table == 0 && pid < 0))
		return 0;
	int rc = new_process(f, number, err);
	if (rc == 0)
		rc = table ? lead_address(f, table, *number, err) : lead_pid(f, pid, *number, err);
	struct kernel_file_process *p = &f->processes[*number];
	if (*number && p->address == 0 && p->pid < 0) { /* nobody would ever find it */
		end_process(f, *number);
		*number = 0;
	}
	return rc;
}
