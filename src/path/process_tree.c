#include "path/process_tree.h"

#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "path/path.h"

struct builder {
	struct process_tree *t;
	const struct kernel_host *h;
	uint32_t *process_of; /* task -> process; KERNEL_NONE: not in the tree */
	uint32_t cap_programs;
};

/* The task whose thread this is: has the pid as its tid and began before it. Threads are forked by
 * threads of their own process. */
static bool is_thread_of(const struct kernel_host *h, uint32_t task, uint32_t parent)
{
	return h->tasks[task].pid >= 0 && h->tasks[task].pid == h->tasks[parent].pid;
}

/* A root that is a thread stands for its process, as far as the leader was recorded. */
static uint32_t leader_of(const struct kernel_host *h, uint32_t task)
{
	for (uint32_t i = task; i-- > 0;)
		if (h->tasks[i].tid == h->tasks[task].pid && is_thread_of(h, i, task) &&
			h->tasks[i].end >= h->tasks[task].begin)
			return i;
	return task;
}

/* Tasks are numbered in the order of time, so parents come before their children. */
static int find_processes(struct builder *b, uint32_t root, struct mer_err *err)
{
	const struct kernel_host *h = b->h;
	struct process_tree *t = b->t;
	uint32_t leader = leader_of(h, root);
	t->processes = calloc((size_t)h->n_tasks + 1, sizeof(*t->processes));
	b->process_of = malloc(((size_t)h->n_tasks + 1) * sizeof(*b->process_of));
	if (!t->processes || !b->process_of)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < h->n_tasks; i++) {
		const struct kernel_task *task = &h->tasks[i];
		uint32_t parent =
			i > leader && task->parent < i ? b->process_of[task->parent] : KERNEL_NONE;
		b->process_of[i] = KERNEL_NONE;
		bool is_thread = i > leader && is_thread_of(h, i, leader) &&
				 task->begin <= h->tasks[leader].end;
		if (is_thread) /* of the root, recorded from its beginning or not */
			parent = 0;
		else if (i != leader && parent == KERNEL_NONE)
			continue;
		else if (i != leader)
			is_thread = is_thread_of(h, i, t->processes[parent].task);
		if (is_thread) {
			b->process_of[i] = parent;
			t->processes[parent].n_threads++;
			continue;
		}
		t->processes[t->n] = (struct process){ .parent = parent,
			.child = KERNEL_NONE,
			.next = KERNEL_NONE,
			.task = i,
			.begin = task->begin,
			.end = task->died < task->end ? task->died : task->end,
			.is_born = task->born,
			.has_ended = task->died != INT64_MAX,
			.n_threads = 1 };
		b->process_of[i] = t->n++;
	}
	for (uint32_t i = t->n; i-- > 1;) { /* so lists are by begin */
		struct process *p = &t->processes[i];
		p->next = t->processes[p->parent].child;
		t->processes[p->parent].child = i;
	}
	return 0;
}

/* ---- Programs ---- */

static int add_program(struct builder *b, const char *name, int64_t begin, struct mer_err *err)
{
	struct process_tree *t = b->t;
	if (!mer_grow32(&t->programs, t->n_programs, &b->cap_programs, sizeof(*t->programs)))
		return mer_fail_nomem(err);
	t->programs[t->n_programs++] = (struct process_program){ .name = name, .begin = begin };
	return 0;
}

/* Its names lie from the last one back. */
static int find_programs(struct builder *b, uint32_t process, struct mer_err *err)
{
	struct process_tree *t = b->t;
	struct process *p = &t->processes[process];
	const struct kernel_host *h = b->h;
	int rc = 0;
	p->programs = t->n_programs;
	for (uint32_t i = h->tasks[p->task].name; i != KERNEL_NONE && !rc; i = h->renames[i].before)
		rc = add_program(
			b, kernel_name_text(h, h->renames[i].name), h->renames[i].begin, err);
	if (!rc && t->n_programs == p->programs)
		rc = add_program(b, "", p->begin, err);
	if (rc)
		return rc;
	uint32_t n = t->n_programs - p->programs;
	struct process_program *own = t->programs + p->programs;
	for (uint32_t i = 0; i < n / 2; i++) {
		struct process_program swap = own[i];
		own[i] = own[n - 1 - i];
		own[n - 1 - i] = swap;
	}
	if (p->is_born && n > 1) { /* the parent's name */
		memmove(own, own + 1, --n * sizeof(*own));
		t->n_programs--;
	}
	own[0].begin = p->begin;
	for (uint32_t i = 0; i < n; i++) {
		if (own[i].begin < p->begin)
			own[i].begin = p->begin;
		if (own[i].begin > p->end)
			own[i].begin = p->end;
		if (i)
			own[i - 1].end = own[i].begin;
	}
	own[n - 1].end = p->end;
	p->n_programs = n;
	return 0;
}

/* ---- Times ---- */

enum sum { CPU, ON_PATH };

/* To the programs that the process ran then; the first and the last ones are taken to go on. */
static void add_time(struct builder *b, uint32_t process, enum sum sum, int64_t begin, int64_t end)
{
	struct process *p = &b->t->processes[process];
	struct process_program *own = b->t->programs + p->programs;
	*(sum == CPU ? &p->cpu_ns : &p->on_path_ns) += end - begin;
	uint32_t low = 0, high = p->n_programs; /* the last one that began by then */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (own[middle].begin <= begin)
			low = middle;
		else
			high = middle;
	}
	for (uint32_t i = low; begin < end; i++) {
		int64_t to = i + 1 < p->n_programs && own[i].end < end ? own[i].end : end;
		if (to > begin) {
			*(sum == CPU ? &own[i].cpu_ns : &own[i].on_path_ns) += to - begin;
			begin = to;
		}
	}
}

static void add_cpu_time(struct builder *b, int64_t from, int64_t until)
{
	for (uint32_t task = 0; task < b->h->n_tasks; task++) {
		if (b->process_of[task] == KERNEL_NONE)
			continue;
		int64_t end = kernel_task_end(b->h, task);
		for (uint32_t i = b->h->tasks[task].last; i != KERNEL_NONE;) {
			const struct kernel_span *s = kernel_span(b->h, i);
			if (kernel_is_on_cpu((enum kernel_state)s->state) && !kernel_is_away(s) &&
				s->begin < until && end > from)
				add_time(b, b->process_of[task], CPU,
					s->begin > from ? s->begin : from,
					end < until ? end : until);
			end = s->begin;
			i = s->before;
		}
	}
}

static int add_path_time(
	struct builder *b, uint32_t root, int64_t begin, int64_t end, struct mer_err *err)
{
	struct process_tree *t = b->t;
	struct path path = { 0 };
	int rc = path_find(t->world, t->host, root, begin, end, &path, err);
	t->begin = path.begin;
	t->end = path.end;
	for (size_t i = 0; i < path.n_segments && !rc; i++) {
		const struct path_segment *s = &path.segments[i];
		bool known = s->task != KERNEL_NONE && !s->in_flight;
		if (known && s->host == t->host && b->process_of[s->task] != KERNEL_NONE) {
			add_time(b, b->process_of[s->task], ON_PATH, s->begin, s->end);
		} else {
			t->outside_ns += s->end - s->begin;
		}
	}
	path_fini(&path);
	return rc;
}

static void sum_up(struct process_tree *t)
{
	for (uint32_t i = t->n; i-- > 0;) {
		struct process *p = &t->processes[i];
		p->tree_cpu_ns += p->cpu_ns;
		p->tree_on_path_ns += p->on_path_ns;
		if (i) {
			struct process *parent = &t->processes[p->parent];
			parent->tree_cpu_ns += p->tree_cpu_ns;
			parent->tree_on_path_ns += p->tree_on_path_ns;
			parent->n_below += p->n_below + 1;
		}
	}
}

int process_tree_find(const struct kernel_world *w, uint32_t host, uint32_t task, int64_t begin,
	int64_t end, struct process_tree *t, struct mer_err *err)
{
	*t = (struct process_tree){ .world = w, .host = host };
	struct builder b = { .t = t, .h = &w->hosts[host] };
	int rc = find_processes(&b, task, err);
	for (uint32_t i = 0; i < t->n && !rc; i++)
		rc = find_programs(&b, i, err);
	if (!rc)
		rc = add_path_time(&b, task, begin, end, err);
	if (!rc) {
		add_cpu_time(&b, begin, end);
		sum_up(t);
	}
	free(b.process_of);
	return rc;
}

void process_tree_fini(struct process_tree *t)
{
	free(t->processes);
	free(t->programs);
	*t = (struct process_tree){ 0 };
}
