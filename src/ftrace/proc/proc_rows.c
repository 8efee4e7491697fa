/* Which rows are written from the copies of /proc, and with which times. Times here are
 * CLOCK_MONOTONIC in ns; they are converted from and to the trace's clock if that is possible. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ftrace/proc/proc.h"

enum { TICK_NS = 10000000 }; /* of start times */

struct finder {
	struct proc_rows *rows;
	bool has_clock; /* the two below can be compared with the snapshot's times */
	int64_t first, last;
	int64_t boot;		  /* time since boot minus CLOCK_MONOTONIC: suspended time */
	int64_t slack;		  /* by which boot may be wrong */
	int64_t to_trace;	  /* trace's clock minus CLOCK_MONOTONIC */
	struct mer_map closed;	  /* process and descriptor */
	struct mer_map by_others; /* descriptors that tasks of unknown processes have closed */
	struct mer_map programs;  /* processes that began another program */
};

/* ---- clocks ---- */

static const struct proc_snapshot *any_clock(const struct proc_rows *r)
{
	return r->before->has_clock ? r->before : r->after->has_clock ? r->after : NULL;
}

static void find_boot(struct finder *f, const struct proc_snapshot *s)
{
	if (!s->uptime_ns)
		return;
	int64_t least = s->uptime_ns - s->mono_after;
	int64_t most = s->uptime_ns + TICK_NS - s->mono_before;
	if (least <= 0 && most >= 0)
		return;
	f->boot = least + (most - least) / 2;
	f->slack = (most - least) / 2 + 1;
}

static void find_clock(struct finder *f)
{
	const struct proc_rows *r = f->rows;
	const struct proc_snapshot *s = any_clock(r);
	bool is_mono = strcmp(r->clock, "mono") == 0, is_boot = strcmp(r->clock, "boot") == 0,
	     is_real = strcmp(r->clock, "realtime") == 0;
	if (s)
		find_boot(f, s);
	if (r->first > INT64_MAX / 2 || r->last > INT64_MAX / 2 ||
		!(is_mono || (s && (is_boot || is_real))))
		return;
	f->has_clock = true;
	f->to_trace = is_boot ? f->boot : is_real ? s->real_before - s->mono_before : 0;
	f->first = (int64_t)r->first - f->to_trace;
	f->last = (int64_t)r->last - f->to_trace;
}

/* When the task began, at the latest. */
static int64_t begun(const struct finder *f, const struct proc_task *t)
{
	return (int64_t)t->start_ticks * TICK_NS + TICK_NS - f->boot + f->slack;
}

/* Was it there before the first record? If unknown: no. */
static bool is_old(const struct finder *f, const struct proc_task *t)
{
	const struct proc_snapshot *before = f->rows->before;
	if (f->has_clock)
		return begun(f, t) <= f->first;
	return before->has_clock && begun(f, t) <= before->mono_before;
}

/* Did it begin before the last record? */
static bool is_of_trace(const struct finder *f, const struct proc_task *t)
{
	return f->has_clock ? begun(f, t) <= f->last : is_old(f, t);
}

/* Was its process read after the first record? */
static bool is_inside(const struct finder *f, const struct proc_task *t)
{
	return f->has_clock && t->read_ns > f->first;
}

/* A time within the recording, by its clock. */
static uint64_t trace_time(const struct finder *f, int64_t ns)
{
	return ns >= f->last ? f->rows->last : (uint64_t)(ns + f->to_trace);
}

/* The time of the rows of a task of the snapshot before: when it was read, but not before the first
 * record. */
static uint64_t time_of(const struct finder *f, const struct proc_task *t)
{
	return is_inside(f, t) ? trace_time(f, t->read_ns) : f->rows->first;
}

static bool is_same(const struct proc_task *a, const struct proc_task *b)
{
	return a && b && a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* ---- what was closed ---- */

static int32_t process_of(const struct proc_rows *r, int32_t tid)
{
	const struct proc_task *t = proc_task_at(r->before, tid);
	t = t ? t : proc_task_at(r->after, tid);
	return t ? t->pid : 0;
}

static bool find_closed(struct finder *f)
{
	const struct ftrace_closes *c = f->rows->closes;
	bool ok = true;
	for (size_t i = 0; ok && i < c->at.cap; i++) {
		const struct mer_map_slot *s = &c->at.slots[i];
		if (!s->used)
			continue;
		int32_t fd = (int32_t)((s->key - 1) & UINT32_MAX);
		int32_t pid = process_of(f->rows, (int32_t)((s->key - 1) >> 32));
		ok = pid ? mer_map_put(&f->closed, proc_fd_key(pid, fd)) != NULL
			 : mer_map_put(&f->by_others, (uint64_t)(uint32_t)fd + 1) != NULL;
	}
	for (size_t i = 0; ok && i < c->programs.cap; i++) {
		const struct mer_map_slot *s = &c->programs.slots[i];
		int32_t pid = s->used ? process_of(f->rows, (int32_t)(s->key - 1)) : 0;
		ok = !pid || mer_map_put(&f->programs, (uint64_t)(uint32_t)pid + 1);
	}
	return ok;
}

static bool in_range(const struct finder *f, int32_t pid, int32_t fd)
{
	const struct ftrace_closes *c = f->rows->closes;
	for (size_t i = 0; i < c->n_ranges; i++) {
		int32_t of = process_of(f->rows, c->ranges[i].tid);
		if ((of == pid || !of) && c->ranges[i].first <= (uint32_t)fd &&
			(uint32_t)fd <= c->ranges[i].last)
			return true;
	}
	return false;
}

static bool was_closed(const struct finder *f, int32_t pid, int32_t fd)
{
	return f->rows->closes->is_full || mer_map_get(&f->closed, proc_fd_key(pid, fd)) ||
	       mer_map_get(&f->programs, (uint64_t)(uint32_t)pid + 1) || in_range(f, pid, fd);
}

/* Is it certain that no task closed it while the recording ran? */
static bool stayed_open(const struct finder *f, int32_t pid, int32_t fd)
{
	return f->rows->closes->is_recorded && f->rows->is_whole && !was_closed(f, pid, fd) &&
	       !mer_map_get(&f->by_others, (uint64_t)(uint32_t)fd + 1);
}

/* ---- rows ---- */

static bool add(struct proc_rows *r, uint64_t time, struct ftrace_dump dump)
{
	if (!mer_grow(&r->row, r->n, &r->cap, sizeof(*r->row)))
		return false;
	r->row[r->n] = (struct proc_row){ .time = time, .n = (uint32_t)r->n, .dump = dump };
	r->n++;
	return true;
}

/* Its status throughout the recording, if that is certain: it never got a CPU, or had ended. */
static int32_t status_of(const struct proc_task *t, const struct proc_task *later)
{
	if (t->state == 'Z')
		return FTRACE_STATUS_ZOMBIE;
	bool sleeps = strchr("SDI", t->state) && is_same(t, later) && strchr("SDI", later->state);
	return sleeps && t->has_switches && later->has_switches && t->switches == later->switches
		       ? FTRACE_STATUS_WAIT
		       : FTRACE_STATUS_UNKNOWN;
}

static bool add_task(struct proc_rows *r, uint64_t time, const struct proc_task *t, int32_t ppid,
	int32_t status, bool has_name)
{
	bool ok = add(r, time,
		(struct ftrace_dump){ .kind = FTRACE_DUMP_TASK,
			.numbers = { t->tid, t->pid, ppid,
				t->is_kernel ? FTRACE_TASK_OF_KERNEL : FTRACE_TASK_OF_USER,
				status },
			.texts = { has_name ? t->comm : NULL } });
	if (!ok || !t->vtid)
		return ok;
	return add(r, time,
		(struct ftrace_dump){
			.kind = FTRACE_DUMP_PID_NS, .numbers = { t->tid, t->vtid, t->vpid, 0 } });
}

/* Tasks of the snapshot before. If a tid was reused in the gap before the first record, it belongs
 * to the later task. */
static bool tasks_before(struct finder *f)
{
	struct proc_rows *r = f->rows;
	for (size_t i = 0; i < r->before->n_tasks; i++) {
		const struct proc_task *t = &r->before->tasks[i],
				       *later = proc_task_at(r->after, t->tid);
		if (later && !is_same(t, later) && !is_inside(f, t) && is_old(f, later))
			continue;
		if (!add_task(r, time_of(f, t), t, t->ppid, status_of(t, later), true))
			return false;
		/* Read while the recording ran: if it had no event until all of its process was
		 * read, it has waited since before. */
		if (is_inside(f, t) && t->read_by_ns && t->read_by_ns <= f->last &&
			strchr("SDI", t->state) &&
			!add_task(r, trace_time(f, t->read_by_ns), t, t->ppid, FTRACE_STATUS_WAIT,
				true))
			return false;
	}
	return true;
}

/* Tasks that only the snapshot after has. The process of those that began before the first record
 * is known from the first record on. Names, which may be new, are written at the end, for tasks
 * that have none by then; so are the processes of tasks that began meanwhile. */
static bool tasks_after(struct finder *f)
{
	struct proc_rows *r = f->rows;
	bool ok = true;
	for (size_t i = 0; ok && i < r->after->n_tasks; i++) {
		const struct proc_task *t = &r->after->tasks[i];
		bool old = is_old(f, t);
		if (is_same(t, proc_task_at(r->before, t->tid)) || !is_of_trace(f, t))
			continue;
		if (old)
			ok = add_task(r, r->first, t, t->ppid, FTRACE_STATUS_UNKNOWN, false);
		ok = ok && add_task(r, r->last, t, old ? t->ppid : -1, FTRACE_STATUS_UNKNOWN, true);
	}
	return ok;
}

static bool add_fd(struct proc_rows *r, uint64_t time, const struct proc_snapshot *s,
	const struct proc_snapshot *other, const struct proc_fd *fd)
{
	const struct proc_socket *socket = proc_socket_of(s, fd->text);
	socket = socket ? socket : proc_socket_of(other, fd->text);
	if (!socket)
		return add(r, time,
			(struct ftrace_dump){ .kind = FTRACE_DUMP_FILE,
				.numbers = { fd->pid, fd->fd },
				.texts = { fd->text } });
	const char *name = fd->text;
	if (socket->is_listening && socket->local)
		name = mer_arena_printf(r->arena, "%s listens on %s", fd->text, socket->local);
	else if (socket->remote)
		name = socket->remote;
	return name && add(r, time,
			       (struct ftrace_dump){ .kind = FTRACE_DUMP_SOCKET,
				       .numbers = { fd->pid, fd->fd, socket->family },
				       .texts = { name, socket->local } });
}

static void note_gap(struct finder *f, const struct proc_task *process)
{
	struct proc_rows *r = f->rows;
	int64_t gap = f->has_clock && process->read_ns ? f->first - process->read_ns : 0;
	r->gap_ns = gap > r->gap_ns ? gap : r->gap_ns;
}

/* A descriptor of the snapshot before. It may have been closed and reused in the gap before the
 * first record. That is so if it is something else in the snapshot after, and no event closed it
 * in between. */
static bool fd_before(struct finder *f, const struct proc_fd *fd)
{
	struct proc_rows *r = f->rows;
	const struct proc_task *process = proc_task_at(r->before, fd->pid),
			       *later = proc_task_at(r->after, fd->pid);
	if (!process)
		return true;
	if (is_inside(f, process))
		return add_fd(r, time_of(f, process), r->before, r->after, fd);
	if (later && !is_same(process, later) && is_old(f, later))
		return true;
	const struct proc_fd *then =
		is_same(process, later) ? proc_fd_at(r->after, fd->pid, fd->fd) : NULL;
	bool is_confirmed = then && strcmp(then->text, fd->text) == 0;
	if (then && !is_confirmed && !was_closed(f, fd->pid, fd->fd)) {
		r->n_doubtful++;
		return true;
	}
	if (!is_confirmed) {
		r->n_unconfirmed++;
		note_gap(f, process);
	}
	return add_fd(r, r->first, r->before, r->after, fd);
}

/* A descriptor of the snapshot after. If its process was there before the first record, and nobody
 * closed it, it was open all the time; it is written unless the snapshot before had it. */
static bool fd_after(struct finder *f, const struct proc_fd *fd)
{
	struct proc_rows *r = f->rows;
	const struct proc_task *process = proc_task_at(r->after, fd->pid),
			       *earlier = proc_task_at(r->before, fd->pid);
	if (!process || !is_old(f, process) || !stayed_open(f, fd->pid, fd->fd))
		return true;
	if (is_same(process, earlier) &&
		(is_inside(f, earlier) || proc_fd_at(r->before, fd->pid, fd->fd)))
		return true;
	return add_fd(r, r->first, r->after, r->before, fd);
}

static bool fds(struct finder *f)
{
	const struct proc_rows *r = f->rows;
	bool ok = true;
	for (size_t i = 0; ok && i < r->before->n_fds; i++)
		ok = fd_before(f, &r->before->fds[i]);
	for (size_t i = 0; ok && i < r->after->n_fds; i++)
		ok = fd_after(f, &r->after->fds[i]);
	return ok;
}

static bool names(struct proc_rows *r, const struct proc_list *l, enum ftrace_dump_kind kind)
{
	bool ok = true;
	for (size_t i = 0; ok && i < l->n; i++)
		ok = add(r, r->first,
			(struct ftrace_dump){ .kind = kind,
				.numbers = { (int32_t)l->item[i].number,
					(int32_t)l->item[i].other },
				.texts = { l->item[i].name } });
	return ok;
}

static bool keep_number(struct mer_map *map, const struct proc_list *l)
{
	bool ok = true;
	for (size_t i = 0; ok && i < l->n; i++)
		ok = mer_map_put(map, (uint64_t)l->item[i].number + 1) != NULL;
	return ok;
}

/* The names of the snapshot before, and those of the one after whose numbers are new. */
static bool names_of_both(struct proc_rows *r, const struct proc_list *before,
	const struct proc_list *after, enum ftrace_dump_kind kind)
{
	struct mer_map known = { 0 };
	bool ok = keep_number(&known, before) && names(r, before, kind);
	for (size_t i = 0; ok && i < after->n; i++) {
		const struct proc_list one = { .item = &after->item[i], .n = 1 };
		if (!mer_map_get(&known, (uint64_t)after->item[i].number + 1))
			ok = names(r, &one, kind);
	}
	mer_map_fini(&known);
	return ok;
}

static bool host(struct proc_rows *r)
{
	const struct proc_snapshot *newest = r->after->is_there ? r->after : r->before;
	return names_of_both(r, &r->before->disks, &r->after->disks, FTRACE_DUMP_DISK) &&
	       names_of_both(r, &r->before->irqs, &r->after->irqs, FTRACE_DUMP_IRQ) &&
	       names(r, &newest->cpus, FTRACE_DUMP_CPU) &&
	       names(r, &newest->interfaces, FTRACE_DUMP_INTERFACE);
}

static int by_time(const void *a, const void *b)
{
	const struct proc_row *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

bool proc_rows_find(struct proc_rows *rows)
{
	struct finder f = { .rows = rows };
	find_clock(&f);
	bool ok = find_closed(&f) && host(rows) && tasks_before(&f) && tasks_after(&f) && fds(&f);
	if (ok && rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_time);
	mer_map_fini(&f.closed);
	mer_map_fini(&f.by_others);
	mer_map_fini(&f.programs);
	return ok;
}

void proc_rows_fini(struct proc_rows *rows)
{
	free(rows->row);
}
