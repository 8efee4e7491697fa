#include "cli/tui/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- From answers ---- */

/* number: of a host, from 0. */
static bool is_of(const struct mer_table *t, size_t row, size_t number)
{
	int64_t v;
	return answer_int(t, row, "row", &v) && (size_t)v == number + 1;
}

static const char *kept(struct tui_tree *t, const char *text)
{
	return text ? mer_arena_strdup(&t->arena, text) : NULL;
}

static bool read_host(struct tui_tree *t, uint32_t number, const struct tui_answer *tasks)
{
	const struct mer_table *cpus = tui_table(tasks, "cpus"), *own = tui_table(tasks, "tasks");
	struct tui_host *h = &t->hosts[number];
	int64_t v = 0;
	h->name = kept(t, answer_text(tui_table(tasks, "hosts"), number, "host"));
	h->cpus = mer_arena_zalloc(&t->arena, answer_rows(cpus) + 1, sizeof(*h->cpus));
	if (!h->cpus || !h->name)
		return false;
	for (size_t i = 0; i < answer_rows(cpus); i++)
		if (is_of(cpus, i, number) && answer_int(cpus, i, "cpu", &v))
			h->cpus[h->n_cpus++] = (uint32_t)v;
	h->first = t->n_tasks;
	for (size_t i = 0; i < answer_rows(own); i++) {
		if (!is_of(own, i, number))
			continue;
		struct tui_task *k = &t->tasks[t->n_tasks++];
		*k = (struct tui_task){ .host = number, .tid = -1, .pid = -1 };
		k->number = answer_int(own, i, "task", &v) ? (uint32_t)v : 0;
		answer_int(own, i, "tid", &k->tid);
		answer_int(own, i, "pid", &k->pid);
		answer_int(own, i, "begin", &k->begin);
		answer_int(own, i, "end", &k->end);
		k->comm = kept(t, answer_text(own, i, "comm"));
		k->comm = k->comm ? k->comm : "?";
	}
	h->n = t->n_tasks - h->first;
	return true;
}

static void read_busy(struct tui_tree *t, const struct mer_table *busy)
{
	for (size_t i = 0; i < answer_rows(busy); i++) {
		int64_t tid, ns;
		size_t h = tui_tree_host(t, answer_text(busy, i, "host"));
		if (h == SIZE_MAX || !answer_int(busy, i, "tid", &tid) ||
			!answer_int(busy, i, "self_ns", &ns))
			continue;
		for (size_t k = 0; k < t->hosts[h].n; k++)
			if (t->tasks[t->hosts[h].first + k].tid == tid)
				t->tasks[t->hosts[h].first + k].busy_ns = ns;
	}
}

static void read_disks(struct tui_tree *t, const struct mer_table *disks)
{
	size_t n = answer_rows(disks);
	for (size_t h = 0; h < t->n_hosts; h++)
		t->hosts[h].disks = mer_arena_zalloc(&t->arena, n + 1, sizeof(*t->hosts[h].disks));
	for (size_t i = 0; i < n; i++) {
		size_t h = tui_tree_host(t, answer_text(disks, i, "host"));
		const char *disk = answer_text(disks, i, "disk");
		struct tui_host *host = h == SIZE_MAX ? NULL : &t->hosts[h];
		bool known = !disk || !host || !host->disks;
		for (size_t k = 0; !known && k < host->n_disks; k++)
			known = strcmp(host->disks[k], disk) == 0;
		if (!known && (disk = kept(t, disk)))
			host->disks[host->n_disks++] = disk;
	}
}

/* ---- Order ---- */

static int by_process(const void *a, const void *b)
{
	const struct tui_task *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static int by_activity(const void *a, const void *b)
{
	const struct tui_task *p = a, *q = b;
	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (p->group_ns != q->group_ns)
		return p->group_ns > q->group_ns ? -1 : 1;
	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	if (p->busy_ns != q->busy_ns)
		return p->busy_ns > q->busy_ns ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* Tasks from this one on that are of its process: those of which that is not known are alone. */
static size_t process_of(const struct tui_tree *t, size_t first)
{
	const struct tui_task *k = &t->tasks[first];
	size_t n = 1;
	while (k->pid >= 0 && first + n < t->n_tasks && t->tasks[first + n].host == k->host &&
		t->tasks[first + n].pid == k->pid)
		n++;
	return n;
}

static void sort_tasks(struct tui_tree *t)
{
	if (!t->n_tasks)
		return;
	qsort(t->tasks, t->n_tasks, sizeof(*t->tasks), by_process);
	for (size_t i = 0, n; i < t->n_tasks; i += n) {
		int64_t sum = 0;
		n = process_of(t, i);
		for (size_t k = i; k < i + n; k++)
			sum += t->tasks[k].busy_ns;
		for (size_t k = i; k < i + n; k++)
			t->tasks[k].group_ns = sum;
	}
	qsort(t->tasks, t->n_tasks, sizeof(*t->tasks), by_activity);
}

bool tui_tree_init(struct tui_tree *t, const struct tui_answer *tasks, const struct mer_table *busy,
	const struct mer_table *disks)
{
	*t = (struct tui_tree){ .hide_idle = true, .keep = SIZE_MAX };
	mer_arena_init(&t->arena);
	t->n_hosts = answer_rows(tui_table(tasks, "hosts"));
	t->hosts = mer_arena_zalloc(&t->arena, t->n_hosts + 1, sizeof(*t->hosts));
	t->tasks = mer_arena_zalloc(
		&t->arena, answer_rows(tui_table(tasks, "tasks")) + 1, sizeof(*t->tasks));
	bool ok = t->hosts && t->tasks;
	for (uint32_t h = 0; ok && h < t->n_hosts; h++)
		ok = read_host(t, h, tasks);
	if (!ok)
		return false;
	read_busy(t, busy);
	read_disks(t, disks);
	sort_tasks(t);
	return tui_tree_build(t) && !t->arena.failed;
}

void tui_tree_fini(struct tui_tree *t)
{
	free(t->rows);
	mer_arena_fini(&t->arena);
	*t = (struct tui_tree){ 0 };
}

/* ---- Rows ---- */

static bool add_row(struct tui_tree *t, const struct tui_row *r)
{
	if (!mer_grow(&t->rows, t->n_rows, &t->cap_rows, sizeof(*t->rows)))
		return false;
	t->rows[t->n_rows++] = *r;
	return true;
}

static bool is_wanted(const struct tui_tree *t, size_t task)
{
	const struct tui_task *k = &t->tasks[task];
	if (task == t->keep)
		return true;
	return t->only_path ? k->on_path : !t->hide_idle || k->busy_ns > 0 || k->on_path;
}

static bool add_process(struct tui_tree *t, uint32_t host, size_t first, size_t n)
{
	size_t n_wanted = 0;
	bool ok = true;
	for (size_t i = first; i < first + n; i++)
		n_wanted += is_wanted(t, i);
	if (!n_wanted)
		return true;
	bool is_group = n > 1;
	if (is_group)
		ok = add_row(t, &(struct tui_row){ TUI_ROW_PROCESS, host, first, n, 1 });
	for (size_t i = first; ok && i < first + n; i++)
		if (is_wanted(t, i) && (!is_group || t->only_path || t->tasks[first].is_unfolded))
			ok = add_row(
				t, &(struct tui_row){ TUI_ROW_TASK, host, i, 1, is_group ? 2 : 1 });
	return ok;
}

bool tui_tree_build(struct tui_tree *t)
{
	bool ok = true;
	t->n_rows = 0;
	for (uint32_t h = 0; ok && h < t->n_hosts; h++) {
		const struct tui_host *host = &t->hosts[h];
		ok = add_row(t, &(struct tui_row){ TUI_ROW_HOST, h, host->first, host->n, 0 });
		if (host->is_folded)
			continue;
		for (size_t i = 0; ok && i < host->n_cpus && !t->only_path; i++)
			ok = add_row(t, &(struct tui_row){ TUI_ROW_CPU, h, host->cpus[i], 1, 1 });
		for (size_t i = 0; ok && i < host->n_disks && !t->only_path; i++)
			ok = add_row(t, &(struct tui_row){ TUI_ROW_DISK, h, i, 1, 1 });
		for (size_t i = host->first, n; ok && i < host->first + host->n; i += n) {
			n = process_of(t, i);
			ok = add_process(t, h, i, n);
		}
	}
	return ok;
}

size_t tui_tree_host(const struct tui_tree *t, const char *name)
{
	for (size_t h = 0; name && h < t->n_hosts; h++)
		if (t->hosts[h].name && strcmp(t->hosts[h].name, name) == 0)
			return h;
	return SIZE_MAX;
}

size_t tui_tree_task(const struct tui_tree *t, const char *host, int64_t tid, int64_t at)
{
	size_t h = tui_tree_host(t, host), found = SIZE_MAX;
	for (size_t i = 0; h != SIZE_MAX && i < t->hosts[h].n; i++) {
		const struct tui_task *k = &t->tasks[t->hosts[h].first + i];
		bool lived = at >= k->begin && at <= k->end;
		if (k->tid == tid && (found == SIZE_MAX || lived))
			found = t->hosts[h].first + i;
	}
	return found;
}

size_t tui_tree_row_of(const struct tui_tree *t, size_t task)
{
	size_t process = SIZE_MAX;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct tui_row *r = &t->rows[i];
		if (r->kind == TUI_ROW_TASK && r->first == task)
			return i;
		if (r->kind == TUI_ROW_PROCESS && task >= r->first && task < r->first + r->n)
			process = i;
	}
	return process;
}

size_t tui_tree_show(struct tui_tree *t, size_t task)
{
	if (task >= t->n_tasks)
		return SIZE_MAX;
	const struct tui_task *k = &t->tasks[task];
	t->keep = task;
	t->hosts[k->host].is_folded = false;
	size_t first = task;
	while (k->pid >= 0 && first && t->tasks[first - 1].host == k->host &&
		t->tasks[first - 1].pid == k->pid)
		first--;
	t->tasks[first].is_unfolded = true;
	return tui_tree_build(t) ? tui_tree_row_of(t, task) : SIZE_MAX;
}

void tui_tree_name(const struct tui_tree *t, const struct tui_row *r, struct mer_str *out)
{
	const struct tui_host *h = &t->hosts[r->host];
	const struct tui_task *k = r->first < t->n_tasks ? &t->tasks[r->first] : NULL;
	switch (r->kind) {
	case TUI_ROW_HOST: mer_str_puts(out, h->name); break;
	case TUI_ROW_CPU: mer_str_printf(out, "CPU %zu", r->first); break;
	case TUI_ROW_DISK: mer_str_printf(out, "disk %s", h->disks[r->first]); break;
	case TUI_ROW_PROCESS:
		for (size_t i = 0; i < r->n; i++) /* called as its first thread */
			if (t->tasks[r->first + i].tid == k->pid)
				k = &t->tasks[r->first + i];
		mer_str_printf(out, "%s (%zu)", k->comm, r->n);
		break;
	case TUI_ROW_TASK: mer_str_printf(out, "%s/%" PRId64, k->comm, k->tid); break;
	}
}

bool tui_tree_is_folded(const struct tui_tree *t, const struct tui_row *r)
{
	return r->kind == TUI_ROW_HOST
		       ? t->hosts[r->host].is_folded
		       : r->kind == TUI_ROW_PROCESS && !t->tasks[r->first].is_unfolded;
}

bool tui_tree_fold(struct tui_tree *t, const struct tui_row *r)
{
	if (r->kind == TUI_ROW_HOST)
		t->hosts[r->host].is_folded = !t->hosts[r->host].is_folded;
	else if (r->kind == TUI_ROW_PROCESS)
		t->tasks[r->first].is_unfolded = !t->tasks[r->first].is_unfolded;
	else
		return false;
	return tui_tree_build(t);
}
