#include "ftrace/proc/closes.h"

#include <stdlib.h>
#include <string.h>

#include "base/call_numbers.h"
#include "base/grow.h"
#include "ftrace/bytes.h"

enum { MOST = 1 << 20, MOST_RANGES = 1 << 12, MAX_FD = 1 << 20 };

/* What a system call, known by its number, does to descriptors. */
enum { NOTHING, CLOSES, DUPS_TO, CLOSES_RANGE, BEGINS_PROGRAM };

static uint8_t what_of(const char *name)
{
	static const struct {
		const char *name;
		uint8_t what;
	} calls[] = { { "close", CLOSES }, { "dup2", DUPS_TO }, { "dup3", DUPS_TO },
		{ "close_range", CLOSES_RANGE }, { "execve", BEGINS_PROGRAM },
		{ "execveat", BEGINS_PROGRAM } };
	for (size_t i = 0; name && i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(name, calls[i].name) == 0)
			return calls[i].what;
	return NOTHING;
}

void ftrace_closes_want(struct ftrace_closes *c, const char *machine)
{
	/* Calls of 32-bit programs (i386 and arm have the same numbers). If the number means
	 * another call, an argument taken for a descriptor only makes a name more doubtful. */
	static const struct {
		uint16_t number;
		uint8_t what;
	} of_32_bits[] = { { 6, CLOSES }, { 63, DUPS_TO }, { 330, DUPS_TO }, { 358, DUPS_TO } };
	enum mer_call_numbers numbers = machine ? mer_call_numbers_of(machine) : MER_CALLS_UNKNOWN;
	if (machine && numbers == MER_CALLS_UNKNOWN)
		return;
	c->is_wanted = true;
	for (uint32_t i = 0; i < FTRACE_CLOSES_NUMBERS; i++)
		for (enum mer_call_numbers n = MER_CALLS_X86_64; n <= MER_CALLS_GENERIC; n++) {
			uint8_t what = what_of(mer_call_by_number(n, i));
			/* If the machine is unknown, it may be any. */
			if (what != NOTHING && (n == numbers || numbers == MER_CALLS_UNKNOWN))
				c->by_number[i] = what;
		}
	for (size_t i = 0; i < sizeof(of_32_bits) / sizeof(*of_32_bits); i++)
		if (c->by_number[of_32_bits[i].number] == NOTHING)
			c->by_number[of_32_bits[i].number] = of_32_bits[i].what;
}

static const struct ftrace_field *field(const struct ftrace_format *f, const char *name)
{
	for (uint32_t i = 0; i < f->n_fields; i++)
		if (strcmp(f->fields[i].name, name) == 0)
			return &f->fields[i];
	return NULL;
}

static bool is_int(const struct ftrace_field *f)
{
	return f && f->kind == FTRACE_INT && (f->size == 4 || f->size == 8);
}

static struct ftrace_close_plan by_number(const struct ftrace_format *f)
{
	const struct ftrace_field *id = field(f, "id"), *args = field(f, "args");
	struct ftrace_close_plan p = { .way = FTRACE_CLOSES_NOTHING };
	if (!is_int(id) || !args || args->kind != FTRACE_INTS || args->element != id->size ||
		args->size < 2u * args->element)
		return p;
	return (struct ftrace_close_plan){ .way = FTRACE_CLOSES_BY_NUMBER,
		.number = id->offset,
		.first = args->offset,
		.second = args->offset + args->element,
		.bytes = args->element };
}

struct ftrace_close_plan ftrace_close_plan(const struct ftrace_format *f)
{
	static const struct {
		const char *system, *name, *first, *second;
		enum ftrace_close_way way;
	} calls[] = {
		{ "syscalls", "sys_enter_close", "fd", "fd", FTRACE_CLOSES_FD },
		{ "syscalls", "sys_enter_dup2", "newfd", "newfd", FTRACE_CLOSES_FD },
		{ "syscalls", "sys_enter_dup3", "newfd", "newfd", FTRACE_CLOSES_FD },
		{ "syscalls", "sys_enter_close_range", "fd", "max_fd", FTRACE_CLOSES_RANGE },
	};
	struct ftrace_close_plan none = { .way = FTRACE_CLOSES_NOTHING };
	if (strcmp(f->system, "raw_syscalls") == 0 && strcmp(f->name, "sys_enter") == 0)
		return by_number(f);
	if (strcmp(f->system, "sched") == 0 && strcmp(f->name, "sched_process_exec") == 0)
		return (struct ftrace_close_plan){ .way = FTRACE_CLOSES_PROGRAM };
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const struct ftrace_field *a, *b;
		if (strcmp(f->system, calls[i].system) != 0 || strcmp(f->name, calls[i].name) != 0)
			continue;
		a = field(f, calls[i].first);
		b = field(f, calls[i].second);
		if (is_int(a) && is_int(b) && a->size == b->size)
			return (struct ftrace_close_plan){ .way = calls[i].way,
				.first = a->offset,
				.second = b->offset,
				.bytes = a->element };
	}
	return none;
}

static uint64_t key_of(int32_t tid, uint64_t fd)
{
	return ((uint64_t)(uint32_t)tid << 32 | fd) + 1;
}

static bool add(struct ftrace_closes *c, int32_t tid, uint64_t fd)
{
	if (fd >= MAX_FD || c->is_full)
		return true;
	uint32_t *at = mer_map_put(&c->at, key_of(tid, fd));
	c->is_full |= c->at.n >= MOST;
	return at != NULL;
}

static bool add_range(struct ftrace_closes *c, int32_t tid, uint64_t first, uint64_t last)
{
	if (c->is_full || first >= MAX_FD || first > last)
		return true;
	if (c->n_ranges == MOST_RANGES) {
		c->is_full = true;
		return true;
	}
	if (!mer_grow(&c->ranges, c->n_ranges, &c->cap_ranges, sizeof(*c->ranges)))
		return false;
	c->ranges[c->n_ranges++] = (struct ftrace_close_range){ .tid = tid,
		.first = (uint32_t)first,
		.last = last > UINT32_MAX ? UINT32_MAX : (uint32_t)last };
	return true;
}

static bool add_program(struct ftrace_closes *c, int32_t tid)
{
	if (c->programs.n >= MOST)
		c->is_full = true;
	return c->is_full || mer_map_put(&c->programs, (uint64_t)(uint32_t)tid + 1);
}

static uint64_t load(const uint8_t *p, uint8_t bytes, bool is_be)
{
	return bytes == 8 ? ftrace_load64(p, is_be) : ftrace_load32(p, is_be);
}

bool ftrace_closes_take(struct ftrace_closes *c, const struct ftrace_close_plan *p,
	const struct ftrace_format *f, const uint8_t *record, bool is_be)
{
	int32_t tid = f->pid_offset ? (int32_t)ftrace_load32(record + f->pid_offset, is_be) : 0;
	uint64_t number, first, last;
	if (p->way == FTRACE_CLOSES_PROGRAM)
		return add_program(c, tid);
	c->is_recorded = true;
	first = load(record + p->first, p->bytes, is_be);
	if (p->way == FTRACE_CLOSES_FD)
		return add(c, tid, first);
	last = load(record + p->second, p->bytes, is_be);
	if (p->way == FTRACE_CLOSES_RANGE)
		return add_range(c, tid, first, last);
	number = load(record + p->number, p->bytes, is_be);
	switch (number < FTRACE_CLOSES_NUMBERS ? c->by_number[number] : NOTHING) {
	case CLOSES: return add(c, tid, first);
	case DUPS_TO: return add(c, tid, last);
	case CLOSES_RANGE: return add_range(c, tid, first, last);
	case BEGINS_PROGRAM: return add_program(c, tid);
	default: return true;
	}
}

void ftrace_closes_fini(struct ftrace_closes *c)
{
	mer_map_fini(&c->at);
	mer_map_fini(&c->programs);
	free(c->ranges);
}
