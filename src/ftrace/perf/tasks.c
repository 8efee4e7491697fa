#include "ftrace/perf/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ctf/writer.h"

enum { CONTEXT = 6, MOST_TEXT = 16, MOST_NUMBERS = 5 * 8 };

static struct perf_task *find(const struct perf_tasks *t, int32_t tid)
{
	const uint32_t *at = mer_map_get(&t->by_tid, (uint64_t)(uint32_t)tid + 1);
	return at && *at ? &t->list[*at - 1] : NULL;
}

/* The task with this tid, to be changed. If it was dumped already, a copy is added, which will be
 * dumped, too. NULL: no memory. */
static struct perf_task *task_of(struct perf_tasks *t, int32_t tid, int32_t pid)
{
	uint32_t *at = mer_map_put(&t->by_tid, (uint64_t)(uint32_t)tid + 1);
	if (!at || t->n == UINT32_MAX || !mer_grow(&t->list, t->n, &t->cap, sizeof(*t->list)))
		return NULL;
	if (*at > t->n_dumped)
		return &t->list[*at - 1];
	struct perf_task *new = &t->list[t->n++];
	*new = *at ? t->list[*at - 1] : (struct perf_task){ .tid = tid, .pid = pid, .ppid = -1 };
	*at = (uint32_t)t->n;
	return new;
}

bool perf_tasks_take(struct perf_tasks *t, const struct perf_record *r, bool is_be)
{
	struct ftrace_bytes b = ftrace_bytes(r->data, r->size, is_be);
	int32_t pid = (int32_t)ftrace_u32(&b), ppid = 0, tid, parent;
	if (r->type != PERF_COMM)
		ppid = (int32_t)ftrace_u32(&b);
	tid = (int32_t)ftrace_u32(&b);
	if (b.ended)
		return true;
	struct perf_task *task = r->type == PERF_EXIT ? find(t, tid) : task_of(t, tid, pid);
	if (r->type == PERF_EXIT) {
		if (task)
			task->tid = 0;
		return true;
	}
	if (!task)
		return false;
	task->tid = tid;
	if (r->type == PERF_COMM) {
		snprintf(task->comm, sizeof(task->comm), "%.*s",
			(int)strnlen((const char *)b.at, ftrace_left(&b)), (const char *)b.at);
		return true;
	}
	/* It has its parent's name until it gets its own. */
	parent = (int32_t)ftrace_u32(&b);
	const struct perf_task *p = parent != tid ? find(t, parent) : NULL;
	if (p && !*task->comm)
		memcpy(task->comm, p->comm, sizeof(task->comm));
	task->ppid = pid == tid ? ppid : task->ppid;
	return true;
}

int perf_tasks_dump(
	struct perf_tasks *t, struct ftrace_stream *s, uint64_t time, struct mer_err *err)
{
	int rc = 0;
	for (; t->n_dumped < t->n && rc == 0; t->n_dumped++) {
		const struct perf_task *task = &t->list[t->n_dumped];
		if (task->tid || task->pid == 0)
			rc = ftrace_stream_dump(s, time,
				&(struct ftrace_dump){ .kind = FTRACE_DUMP_TASK,
					.numbers = { task->tid, task->pid, task->ppid },
					.texts = { task->comm } },
				err);
	}
	return rc;
}

static void add_number(
	struct ftrace_copy_of *of, struct ctf_fc *to, const char *name, unsigned bits)
{
	ctf_struct_add(of->arena, to, name, ctf_new_int(of->arena, bits, bits == 32, 8, of->order));
}

static const struct ctf_event_class *class_of(
	struct perf_tasks *t, struct ftrace_stream *s, uint32_t type, struct mer_err *err)
{
	const struct ctf_event_class **class =
		type == PERF_COMM ? &t->comm : &t->life[type == PERF_EXIT];
	if (*class)
		return *class;
	struct ftrace_copy_of of = ftrace_copy_of(s);
	struct ctf_fc *payload = ctf_new_struct(of.arena, 8);
	add_number(&of, payload, "pid", 32);
	if (type == PERF_COMM) {
		add_number(&of, payload, "tid", 32);
		ctf_struct_add(of.arena, payload, "comm", ctf_new_string(of.arena));
		add_number(&of, payload, "exec", 8);
	} else {
		add_number(&of, payload, "ppid", 32);
		add_number(&of, payload, "tid", 32);
		add_number(&of, payload, "ptid", 32);
		add_number(&of, payload, "time", 64);
	}
	*class = ftrace_copy_class(of.copy,
		type == PERF_COMM   ? "perf_comm"
		: type == PERF_FORK ? "perf_fork"
				    : "perf_exit",
		payload, err);
	return *class;
}

int perf_tasks_event(struct perf_tasks *t, struct ftrace_stream *s, uint64_t time,
	const struct perf_record *r, struct mer_err *err)
{
	enum { IS_EXEC = 1 << 13, COMM_NUMBERS = 8, LIFE_NUMBERS = 24 };
	uint8_t bytes[CONTEXT + MOST_NUMBERS + MOST_TEXT] = { 0 }, *p = bytes + CONTEXT;
	uint32_t least = r->type == PERF_COMM ? COMM_NUMBERS : LIFE_NUMBERS;
	if (r->size < least)
		return 0;
	const struct ctf_event_class *class = class_of(t, s, r->type, err);
	if (!class)
		return MER_ERR_NOMEM;
	/* The task that did it: that of a COMM and an EXIT, the parent of a FORK. Numbers are in
	 * the record's byte order, which is that of the copy. */
	memcpy(bytes + 2, r->data + (r->type == PERF_FORK ? 12 : r->type == PERF_EXIT ? 8 : 4), 4);
	memcpy(p, r->data, least);
	p += least;
	if (r->type == PERF_COMM) {
		size_t len = strnlen((const char *)r->data + least, r->size - least);
		len = len < MOST_TEXT ? len : MOST_TEXT - 1;
		memcpy(p, r->data + least, len);
		p += len + 1;
		*p++ = r->misc & IS_EXEC ? 1 : 0;
	}
	return ftrace_stream_own(s, class, time, bytes, (size_t)(p - bytes), err);
}

void perf_tasks_fini(struct perf_tasks *t)
{
	free(t->list);
	mer_map_fini(&t->by_tid);
	*t = (struct perf_tasks){ 0 };
}
