/* Processes of a snapshot that has two files, tasks and fds, instead of a folder for each process:
 * lines with the name of the file that they come from, as `grep -H` and `ls` write them. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ftrace/proc/proc_snapshot.h"

struct listed {
	struct proc_reading *r;
	struct proc_task *task;
	size_t n, cap;
};

/* "12/task/13/": reads both numbers, returns what follows; NULL: something else. */
static const char *path_of(const char *line, int32_t *pid, int32_t *tid)
{
	static const char between[] = "/task/";
	const char *p = line;
	uint64_t a, b;
	if (!proc_number(&p, INT32_MAX, &a) || strncmp(p, between, sizeof(between) - 1) != 0)
		return NULL;
	p += sizeof(between) - 1;
	if (!proc_number(&p, INT32_MAX, &b) || *p != '/' || !a || !b)
		return NULL;
	*pid = (int32_t)a;
	*tid = (int32_t)b;
	return p + 1;
}

static bool take_line(struct listed *l, const char *line)
{
	static const char stat[] = "stat:", status[] = "status:";
	int32_t pid, tid;
	const char *p = path_of(line, &pid, &tid);
	if (p && strncmp(p, stat, sizeof(stat) - 1) == 0) {
		struct proc_task t = { .pid = pid };
		if (!proc_parse_stat(p + sizeof(stat) - 1, &t) || t.tid != tid) {
			l->r->s->n_damaged++;
			return true;
		}
		if (!mer_grow(&l->task, l->n, &l->cap, sizeof(*l->task)))
			return false;
		proc_time_of(l->r, pid, &t.read_ns, &t.read_by_ns);
		l->task[l->n++] = t;
	} else if (p && strncmp(p, status, sizeof(status) - 1) == 0) {
		/* Follows its stat; if a task ended in between, it has only one of them. */
		struct proc_task *t = l->n ? &l->task[l->n - 1] : NULL;
		if (t && t->tid == tid && t->pid == pid)
			proc_parse_status(p + sizeof(status) - 1, t);
	} else {
		l->r->s->n_damaged += *line != '\0';
	}
	return true;
}

/* A process's first thread comes before the others. */
static int by_process(const void *a, const void *b)
{
	const struct proc_task *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if ((x->tid == x->pid) != (y->tid == y->pid))
		return x->tid == x->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static bool add_tasks(struct listed *l)
{
	int32_t vpid = 0, pid = 0;
	if (l->n)
		qsort(l->task, l->n, sizeof(*l->task), by_process);
	for (size_t i = 0; i < l->n; i++) {
		struct proc_task *t = &l->task[i];
		if (t->pid != pid)
			vpid = t->tid == t->pid ? t->vtid : 0;
		pid = t->pid;
		t->vpid = vpid;
		if (!proc_add_task(l->r, t))
			return false;
	}
	return true;
}

/* "12/fd:" and "12/task/13/fd:" are above the links of process 12. */
static bool head_of(const char *line, int32_t *pid)
{
	int32_t tid;
	uint64_t n;
	const char *p = path_of(line, pid, &tid);
	if (p)
		return strcmp(p, "fd:") == 0;
	p = line;
	if (!proc_number(&p, INT32_MAX, &n) || strcmp(p, "/fd:") != 0)
		return false;
	*pid = (int32_t)n;
	return true;
}

static bool read_fds(struct proc_reading *r, int dir)
{
	char *at = proc_text(&r->folder, dir, "fds", PROC_MOST_BYTES), *line;
	bool ok = true;
	r->pid = 0;
	while (ok && at && proc_next_line(&at, &line))
		if (*line == 'l' && r->pid)
			ok = proc_parse_fd(r, line);
		else
			head_of(line, &r->pid);
	return ok;
}

bool proc_read_listed(struct proc_reading *r, int dir, bool *is_there)
{
	struct listed l = { .r = r };
	char *at = proc_text(&r->folder, dir, "tasks", PROC_MOST_BYTES), *line;
	bool ok = true;
	*is_there = at != NULL;
	while (ok && at && proc_next_line(&at, &line))
		ok = take_line(&l, line);
	ok = ok && add_tasks(&l) && (!*is_there || read_fds(r, dir));
	free(l.task);
	return ok;
}
