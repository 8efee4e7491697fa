/* Fuzzer of descriptor tables: no sequence of calls, forks, execs, exits and rows of state dumps,
 * with any numbers, may crash them or make them grow without bound; what was told last is what is
 * said.
 *
 * Each step is 8 bytes: what, task, kind of call, text, and two numbers of 16 bits; numbers above
 * 0xfff0 stand for extreme ones. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/files/fd_table.h"
#include "kernel/files/files.h"
#include "check.h"

enum { N_TASKS = 64, STEP = 8, MAX_STEPS = 4096 };

struct world {
	struct kernel_host h;
	struct kernel_files *f;
	uint32_t n_tasks;
	struct mer_err err;
};

static uint64_t number(const uint8_t *p)
{
	static const int64_t extreme[16] = { -1, -100, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
		1 << 20, (1 << 20) - 1, 02000000, 0xffffffff, 1 << 16, 63, 64, 4, 1030, 0x1000 };
	uint16_t n = (uint16_t)(p[0] | p[1] << 8);
	return n >= 0xfff0 ? (uint64_t)extreme[n & 15] : n;
}

static const char *text(uint8_t i, size_t *len)
{
	static const char *const texts[] = { "", "/a", "b", "/dev/tty1", "socket:[1]", "pipe:[2]",
		"anon_inode:[eventfd]", "anon_inode:", "/a/very/long/path", "/" };
	const char *s = texts[i % (sizeof(texts) / sizeof(texts[0]))];
	*len = strlen(s);
	return s;
}

static uint32_t new_task(struct world *w, uint64_t pid)
{
	if (w->n_tasks == N_TASKS)
		return (uint32_t)(pid % N_TASKS);
	uint32_t i = kernel_add_task(&w->h, (int32_t)w->n_tasks, 0);
	check(i == w->n_tasks++);
	w->h.tasks[i].pid = pid % 5 ? (int32_t)pid : -1;
	return i;
}

static struct kernel_call use(struct world *w, uint32_t task, uint64_t fd)
{
	struct kernel_call c;
	check(kernel_files_enter(w->f, task, KERNEL_CALL_USES_FD, &fd, &c, &w->err) == 0);
	check(c.kind < KERNEL_N_OBJECT_KINDS && c.fd >= -1);
	check(c.object == KERNEL_NONE || c.object < w->h.names.n);
	return c;
}

/* Slots of an entry or exit: numbers, but addresses where the kind of call has them. */
static void fill(uint64_t *s, enum kernel_call_kind kind, const uint8_t *p, bool is_exit)
{
	static uint64_t array[16];
	uint64_t a = number(p + 4), b = number(p + 6);
	size_t len;
	uint64_t address = (uint64_t)(uintptr_t)text(p[3], &len);
	for (int i = 0; i < 8; i++) {
		s[i] = i % 2 ? b : a;
		array[i] = a + (uint64_t)i;
		array[8 + i] = b;
	}
	uint64_t at = (uint64_t)(uintptr_t)array;
	uint64_t family = p[3] % 3 == 0 ? 2 : p[3] % 3 == 1 ? 10 : 1;
	unsigned text_at = kind == KERNEL_CALL_PATH || kind == KERNEL_CALL_OPEN ? 0 : 1;
	if (is_exit && kind == KERNEL_CALL_ACCEPT)
		memcpy(s + 1, (uint64_t[]){ family, b, 4, at, p[3] & 8 ? 16 : 8, at },
			6 * sizeof(*s));
	else if (is_exit)
		memcpy(s + 1, (uint64_t[]){ p[3] % 4, at }, 2 * sizeof(*s));
	else if (kind == KERNEL_CALL_CONNECT)
		memcpy(s + 1, (uint64_t[]){ family, b, 4, at, p[3] & 8 ? 16 : 8, at },
			6 * sizeof(*s));
	else if (kind == KERNEL_CALL_PATH || kind == KERNEL_CALL_OPEN ||
		 kind == KERNEL_CALL_PATH_AT || kind == KERNEL_CALL_OPEN_AT ||
		 kind == KERNEL_CALL_MEMFD)
		memcpy(s + text_at, (uint64_t[]){ address, len }, 2 * sizeof(*s));
}

static void call(struct world *w, uint32_t task, const uint8_t *p)
{
	enum kernel_call_kind kind = (enum kernel_call_kind)(p[2] % KERNEL_N_CALL_KINDS);
	uint64_t in[8], out[8];
	struct kernel_call c;
	size_t len;
	int64_t ret = (int64_t)number(p + 6);
	fill(in, kind, p, false);
	fill(out, kind, p, true);
	out[0] = (uint64_t)ret;
	check(kernel_files_enter(w->f, task, kind, p[0] & 64 ? NULL : in, &c, &w->err) == 0);
	check(c.object == KERNEL_NONE || c.object < w->h.names.n);
	check(kernel_files_leave(w->f, task, kind, ret, p[0] & 128 ? NULL : out, &w->err) == 0);
	if (p[0] & 64)
		return;
	if (kind == KERNEL_CALL_CLOSE)
		check(use(w, task, in[0]).object == KERNEL_NONE);
	if (kind == KERNEL_CALL_OPEN && ret >= 0 && ret < KERNEL_FD_LIMIT)
		check(strcmp(kernel_name_text(&w->h, use(w, task, (uint64_t)ret).object),
			      text(p[3], &len)) == 0);
}

static void step(struct world *w, const uint8_t *p)
{
	uint32_t task = p[1] % w->n_tasks, child;
	uint64_t a = number(p + 4), b = number(p + 6);
	size_t len;
	const char *s = text(p[3], &len);
	switch (p[0] % 8) {
	case 0:
		child = new_task(w, a);
		check(kernel_files_fork(w->f, task, child, p[2] & 1, &w->err) == 0);
		check(use(w, task, b).object == use(w, child, b).object);
		break;
	case 1: check(kernel_files_exec(w->f, task, &w->err) == 0); break;
	case 2: kernel_files_exit(w->f, task); break;
	case 3: check(kernel_files_dump_task(w->f, task, a % 8, &w->err) == 0); break;
	case 4:
		check(kernel_files_dump(w->f, a % 8, (int32_t)a, (int32_t)b, s, len, &w->err) == 0);
		break;
	default: call(w, task, p); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world w = { 0 };
	kernel_host_init(&w.h);
	check(kernel_files_new(&w.h, &w.f, &w.err) == 0);
	new_task(&w, 1);
	for (size_t i = 0; i + STEP <= size && i < (size_t)MAX_STEPS * STEP; i += STEP)
		step(&w, data + i);
	kernel_files_free(w.f);
	kernel_host_fini(&w.h);
	return 0;
}
