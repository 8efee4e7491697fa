#include "kernel/checkpoint/files_state.h"

#include <stdlib.h>

#include "base/grow.h"

#include "kernel/files/file_processes.h"

struct pages { /* in the order in which they are met first */
	struct kernel_fd_page **item;
	uint32_t n, cap;
	struct mer_map numbers; /* address -> number, plus 1 */
};

static void visit_fd(struct archive *a, struct kernel_fd *fd)
{
	archive_ref(a, ARCHIVE_NAME, &fd->name);
	archive_u8(a, &fd->kind, KERNEL_N_OBJECT_KINDS);
	archive_u8(a, &fd->flags, 0);
	archive_u16(a, &fd->family);
}

static void visit_page(struct archive *a, struct kernel_fd_page *page)
{
	archive_u64(a, &page->known);
	archive_u64(a, &page->cloexec);
	for (uint64_t bits = page->known; bits && !a->failed; bits &= bits - 1)
		visit_fd(a, &page->fds[__builtin_ctzll(bits)]);
}

static void find_pages(struct archive *a, const struct kernel_files *f, struct pages *pages)
{
	for (uint32_t i = 1; i < f->n_processes && !a->failed; i++)
		for (uint32_t k = 0; k < f->processes[i].fds.n_pages && !a->failed; k++) {
			struct kernel_fd_page *page = f->processes[i].fds.pages[k];
			uint32_t *at = page ? mer_map_put(&pages->numbers, (uintptr_t)page) : NULL;
			if (!page || (at && *at))
				continue;
			if (!at || !mer_grow32(&pages->item, pages->n, &pages->cap,
					   sizeof(struct kernel_fd_page *))) {
				a->failed = true;
				return;
			}
			pages->item[pages->n++] = page;
			*at = pages->n;
		}
}

static void read_pages(struct archive *a, struct kernel_files *f, struct pages *pages)
{
	uint32_t n;
	archive_count(a, &n, 2);
	pages->item = calloc((size_t)n + 1, sizeof(struct kernel_fd_page *));
	a->failed |= !pages->item;
	for (; pages->n < n && !a->failed; pages->n++) {
		struct kernel_fd_page *page = NULL;
		if (f->budget.bytes >= sizeof(*page))
			page = calloc(1, sizeof(*page));
		if (!page) {
			a->failed = true;
			return;
		}
		f->budget.bytes -= sizeof(*page);
		pages->item[pages->n] = page;
		visit_page(a, page);
		a->failed |= !page->known || page->cloexec & ~page->known;
	}
}

/* Those that no table has. */
static void drop_unused(struct kernel_files *f, struct pages *pages)
{
	for (uint32_t i = 0; i < pages->n; i++)
		if (pages->item[i] && pages->item[i]->refs == 0) {
			free(pages->item[i]);
			f->budget.bytes += sizeof(struct kernel_fd_page);
		}
}

static bool read_table(
	struct archive *a, struct kernel_files *f, struct kernel_fd_table *t, uint32_t n)
{
	uint64_t bytes = n * (uint64_t)sizeof(struct kernel_fd_page *);
	if (n == 0)
		return true;
	if (n > KERNEL_FD_LIMIT / KERNEL_FD_PAGE || f->budget.bytes < bytes)
		return false;
	t->pages = calloc(n, sizeof(struct kernel_fd_page *));
	if (!t->pages)
		return false;
	f->budget.bytes -= bytes;
	t->n_pages = n;
	return !a->failed;
}

static void visit_table(struct archive *a, struct kernel_files *f, struct kernel_fd_table *t,
	const struct pages *pages)
{
	uint32_t n = t->n_pages;
	archive_count(a, &n, 1);
	if (a->mode == ARCHIVE_READ && !read_table(a, f, t, n))
		a->failed = true;
	for (uint32_t i = 0; i < n && !a->failed; i++) {
		uint32_t number = 0, *at;
		if (a->mode != ARCHIVE_READ && t->pages[i]) {
			at = mer_map_get(&pages->numbers, (uintptr_t)t->pages[i]);
			number = at ? *at : 0;
		}
		archive_u32(a, &number);
		if (a->mode != ARCHIVE_READ || !number)
			continue;
		if (number > pages->n) {
			a->failed = true;
			return;
		}
		t->pages[i] = pages->item[number - 1];
		t->pages[i]->refs++;
	}
}

static void put_lead(struct archive *a, struct mer_map *map, uint64_t key, uint32_t process)
{
	uint32_t *at = mer_map_put(map, key);
	if (at)
		*at = process;
	a->failed |= !at;
}

static void visit_process(
	struct archive *a, struct kernel_files *f, uint32_t i, const struct pages *pages)
{
	struct kernel_file_process *p = &f->processes[i];
	archive_i32(a, &p->pid);
	archive_u64(a, &p->address);
	archive_u32(a, &p->dump);
	visit_table(a, f, &p->fds, pages);
	if (a->mode != ARCHIVE_READ)
		return;
	if (p->pid >= 0)
		put_lead(a, &f->by_pid, (uint32_t)p->pid, i);
	if (p->address)
		put_lead(a, &f->by_address, p->address, i);
}

static void visit_processes(struct archive *a, struct kernel_files *f, const struct pages *pages)
{
	uint32_t n = f->n_processes - 1;
	archive_count(a, &n, 4);
	if (a->mode == ARCHIVE_READ) {
		struct kernel_file_process *p =
			realloc(f->processes, ((size_t)n + 64) * sizeof(*p));
		if (!p || a->failed) {
			f->processes = p ? p : f->processes;
			a->failed = true;
			return;
		}
		f->processes = p;
		f->cap_processes = n + 64;
		f->n_processes = n + 1;
		for (uint32_t i = 0; i <= n; i++)
			p[i] = (struct kernel_file_process){ .pid = i ? -1 : 0 };
	}
	for (uint32_t i = 1; i <= n && !a->failed; i++)
		visit_process(a, f, i, pages);
}

/* Those that nobody has and nothing leads to. */
static void find_free(struct kernel_files *f)
{
	for (uint32_t i = f->n_processes; i-- > 1;) {
		struct kernel_file_process *p = &f->processes[i];
		if (p->n_tasks || p->pid >= 0 || p->address)
			continue;
		kernel_fd_clear(&f->budget, &p->fds);
		p->next_free = f->free;
		f->free = i;
	}
}

/* What a call that is under way will have done. */
static void visit_op(struct archive *a, struct kernel_file_op *op)
{
	archive_u8(a, &op->kind, KERNEL_N_CALL_KINDS);
	if (op->kind == KERNEL_CALL_OTHER)
		return;
	archive_i32(a, &op->fd);
	archive_u32(a, &op->cmd);
	archive_u32(a, &op->arg);
	visit_fd(a, &op->what);
}

static void visit_task(struct archive *a, struct kernel_files *f, struct kernel_file_task *t)
{
	archive_u32(a, &t->process);
	archive_u32(a, &t->dump);
	visit_op(a, &t->op);
	if (a->mode != ARCHIVE_READ)
		return;
	a->failed |= t->process >= f->n_processes;
	if (a->failed)
		*t = (struct kernel_file_task){ 0 };
	else if (t->process)
		f->processes[t->process].n_tasks++;
}

static void read_tasks(struct archive *a, struct kernel_files *f)
{
	for (uint32_t at = 0, more = 0; !a->failed; at += more) {
		archive_u32(a, &more);
		if (more == 0)
			return;
		bool fits = more <= f->h->n_tasks - at;
		struct kernel_file_task *t = fits ? kernel_file_task(f, at + more - 1) : NULL;
		a->failed |= !t;
		if (t)
			visit_task(a, f, t);
	}
}

/* Those of which anything is known: how much farther each is than the one before; 0 at the end. */
static void visit_tasks(struct archive *a, struct kernel_files *f)
{
	uint32_t after = 0, none = 0;
	if (a->mode == ARCHIVE_READ) {
		read_tasks(a, f);
		return;
	}
	for (uint32_t i = 0; i < f->n_tasks; i++) {
		struct kernel_file_task *t = &f->tasks[i];
		if (!t->process && !t->dump && !t->op.kind)
			continue;
		uint32_t more = i + 1 - after;
		archive_u32(a, &more);
		visit_task(a, f, t);
		after = i + 1;
	}
	archive_u32(a, &none);
}

static void visit_namer(struct archive *a, struct kernel_namer *namer)
{
	archive_u32(a, &namer->n);
	archive_u64(a, &namer->bytes);
	archive_u32(a, &namer->n_pipes);
	archive_u32(a, &namer->n_pairs);
}

void kernel_files_visit(struct archive *a, struct kernel_files *f)
{
	struct pages pages = { 0 };
	struct kernel_fd_budget budget = f->budget;
	archive_u64(a, &budget.bytes);
	archive_u64(a, &budget.steps);
	archive_u64(a, &budget.forgotten);
	if (a->mode == ARCHIVE_READ)
		read_pages(a, f, &pages);
	else
		find_pages(a, f, &pages);
	if (a->mode != ARCHIVE_READ) {
		archive_count(a, &pages.n, 2);
		for (uint32_t i = 0; i < pages.n; i++)
			visit_page(a, pages.item[i]);
	}
	visit_processes(a, f, &pages);
	visit_tasks(a, f);
	visit_namer(a, &f->namer);
	archive_u32(a, &f->dump);
	if (a->mode == ARCHIVE_READ) {
		drop_unused(f, &pages);
		find_free(f);
		/* What was taken from the budget since it began, as it was counted then. */
		if (!a->failed && budget.bytes <= (uint64_t)128 << 20)
			f->budget = budget;
		else
			a->failed = true;
	}
	free(pages.item);
	mer_map_fini(&pages.numbers);
}
