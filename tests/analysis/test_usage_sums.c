/* What a task used, from hand-made happenings: what counts as which kind, when, for whom, and which
 * sums a part of the time has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel/events.h"
#include "kernel/files/files.h"
#include "path/usage.h"
#include "tasks_world.h"

struct used {
	struct tasks_world t;
	struct usage *u;
	struct kernel_host *h; /* the second one */
	const struct kernel_observer *o;
	uint32_t task, other;
};

static void begin(struct used *s)
{
	struct mer_err err = { 0 };
	tw_init(&s->t, 2, 100);
	s->h = &s->t.hosts[1];
	s->other = tw_task(&s->t, 1, 1, "other");
	s->task = tw_task(&s->t, 1, 2, "task");
	assert_int_equal(usage_new(2, NULL, &s->u, &err), 0);
	s->o = &usage_observers(s->u)[1];
}

static void settle(struct used *s)
{
	struct mer_err err = { 0 };
	assert_int_equal(usage_settle(s->u, &s->t.w, &err), 0);
}

static void end(struct used *s)
{
	usage_free(s->u);
	tw_fini(&s->t);
}

static int64_t used_in(
	const struct used *s, uint32_t task, enum usage_kind kind, int64_t after, int64_t until)
{
	return usage_of(s->u, 1, task, kind, after, until);
}

/* The task has this much of one kind, and nothing of any other; nor has anybody else. */
static void only(struct used *s, enum usage_kind kind, int64_t amount)
{
	settle(s);
	for (unsigned k = 0; k < USAGE_N_KINDS; k++) {
		enum usage_kind other = (enum usage_kind)k;
		assert_int_equal(
			used_in(s, s->task, other, INT64_MIN, INT64_MAX), k == kind ? amount : 0);
		assert_int_equal(used_in(s, s->other, other, INT64_MIN, INT64_MAX), 0);
	}
	end(s);
}

/* order: of pages. */
static void happens(struct used *s, enum kernel_event kind, int64_t at, uint64_t order)
{
	uint64_t slots[KERNEL_EVENT_SLOTS] = { [PAGE_ORDER] = order };
	struct kernel_told_event e = {
		.time = at, .slots = slots, .task = s->task, .kind = (uint8_t)kind
	};
	assert_int_equal(s->o->event(s->o->ctx, s->h, &e), 0);
}

static void memory(void **state)
{
	static const struct {
		enum kernel_event kind;
		uint64_t order;
		enum usage_kind used;
		int64_t amount;
	} cases[] = {
		{ KERNEL_EV_PAGE_ALLOC, 0, USAGE_PAGES_ALLOCATED, 4096 },
		{ KERNEL_EV_PAGE_ALLOC, 30, USAGE_PAGES_ALLOCATED, INT64_C(4096) << 30 },
		{ KERNEL_EV_PAGE_ALLOC, 31, USAGE_PAGES_ALLOCATED, 0 },
		{ KERNEL_EV_PAGE_FREE, 0, USAGE_PAGES_FREED, 4096 },
		{ KERNEL_EV_PAGE_FREE, 1, USAGE_PAGES_FREED, 8192 },
		{ KERNEL_EV_FAULT_USER, 0, USAGE_FAULTS, 1 },
		{ KERNEL_EV_FAULT_KERNEL, 0, USAGE_FAULTS, 1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct used s;
		begin(&s);
		happens(&s, cases[i].kind, 7, cases[i].order);
		only(&s, cases[i].used, cases[i].amount);
	}
}

static void packets(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		bool is_send = i & 1, in_interrupt = i & 2;
		struct kernel_packet_seen p = {
			.time = 7, .bytes = 100, .is_send = is_send, .in_interrupt = in_interrupt
		};
		struct used s;
		begin(&s);
		p.task = s.task;
		assert_int_equal(s.o->packet(s.o->ctx, s.h, &p), 0);
		only(&s, is_send ? USAGE_PACKETS_SENT : USAGE_PACKETS_RECEIVED, !in_interrupt);
	}
}

/* From 20 to 30. */
static void calls(struct used *s, const char *name, enum kernel_object_kind kind, int64_t ret)
{
	struct kernel_call call = {
		.id = kernel_call_id(name), .kind = (uint8_t)kind, .fd = 3, .object = KERNEL_NONE
	};
	struct kernel_call_end c = { .task = s->task, .begin = 20, .end = 30, .ret = ret };
	assert_true(call.id != 0);
	c.call = kernel_add_call(s->h, &call);
	assert_int_equal(s->o->call(s->o->ctx, s->h, &c), 0);
}

/* One that reads counts when it returns, one that writes when it begins. */
static void system_calls(void **state)
{
	static const struct {
		const char *name;
		enum kernel_object_kind kind;
		int64_t ret;
		enum usage_kind used;
		int64_t amount, at;
	} cases[] = {
		{ "read", KERNEL_OBJECT_FILE, 5, USAGE_FILES_READ, 5, 30 },
		{ "read", KERNEL_OBJECT_FILE, 1, USAGE_FILES_READ, 1, 30 },
		{ "read", KERNEL_OBJECT_FILE, 0, USAGE_FILES_READ, 0, 30 },
		{ "read", KERNEL_OBJECT_FILE, -11, USAGE_FILES_READ, 0, 30 },
		{ "write", KERNEL_OBJECT_FILE, 5, USAGE_FILES_WRITTEN, 5, 20 },
		{ "recvfrom", KERNEL_OBJECT_SOCKET, 6, USAGE_SOCKETS_RECEIVED, 6, 30 },
		{ "read", KERNEL_OBJECT_SOCKET, 6, USAGE_SOCKETS_RECEIVED, 6, 30 },
		{ "sendto", KERNEL_OBJECT_SOCKET, 6, USAGE_SOCKETS_SENT, 6, 20 },
		{ "write", KERNEL_OBJECT_SOCKET, 6, USAGE_SOCKETS_SENT, 6, 20 },
		/* What they return is no number of bytes. */
		{ "recvmmsg", KERNEL_OBJECT_SOCKET, 6, USAGE_SOCKETS_RECEIVED, 0, 30 },
		{ "fsync", KERNEL_OBJECT_FILE, 1, USAGE_FILES_WRITTEN, 0, 20 },
		/* Neither a file nor a socket. */
		{ "read", KERNEL_OBJECT_PIPE, 5, USAGE_FILES_READ, 0, 30 },
		{ "read", KERNEL_OBJECT_UNKNOWN, 5, USAGE_FILES_READ, 0, 30 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct used s;
		begin(&s);
		calls(&s, cases[i].name, cases[i].kind, cases[i].ret);
		settle(&s);
		assert_int_equal(used_in(&s, s.task, cases[i].used, cases[i].at - 1, cases[i].at),
			cases[i].amount);
		assert_true(usage_is_recorded(s.u, 1, cases[i].used));
		end(&s);
		begin(&s);
		calls(&s, cases[i].name, cases[i].kind, cases[i].ret);
		only(&s, cases[i].used, cases[i].amount);
	}
}

static void request(struct used *s, unsigned flags, int64_t insert, int64_t issue)
{
	struct kernel_request r = { .insert = insert,
		.issue = issue,
		.complete = 90,
		.bytes = 512,
		.by = KERNEL_NONE,
		.task = s->task,
		.flags = (uint8_t)flags };
	assert_int_not_equal(kernel_add_request(s->h, &r), KERNEL_NONE);
}

/* A request is one when it is made; its bytes are read or written, unless it moves none. */
static void requests(void **state)
{
	static const struct {
		unsigned flags;
		int64_t n, read, written;
	} cases[] = {
		{ KERNEL_READ, 1, 512, 0 },
		{ KERNEL_WRITE, 1, 0, 512 },
		{ KERNEL_WRITE | KERNEL_FLUSH, 1, 0, 512 },
		{ KERNEL_WRITE | KERNEL_DISCARD, 1, 0, 0 },
		{ KERNEL_DISCARD, 1, 0, 0 },
		{ KERNEL_READ | KERNEL_MERGED, 0, 0, 0 },
		{ KERNEL_WRITE | KERNEL_MERGED, 0, 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int inserted = 0; inserted < 2; inserted++) {
			struct used s;
			int64_t made = inserted ? 40 : 50;
			begin(&s);
			request(&s, cases[i].flags, inserted ? 40 : INT64_MIN, 50);
			settle(&s);
			assert_int_equal(
				used_in(&s, s.task, USAGE_REQUESTS, made - 1, made), cases[i].n);
			assert_int_equal(used_in(&s, s.task, USAGE_BLOCK_READ, made - 1, made),
				cases[i].read);
			assert_int_equal(used_in(&s, s.task, USAGE_BLOCK_WRITTEN, made - 1, made),
				cases[i].written);
			assert_int_equal(usage_is_recorded(s.u, 1, USAGE_REQUESTS), cases[i].n > 0);
			assert_int_equal(
				used_in(&s, s.task, USAGE_REQUESTS, INT64_MIN, made - 1), 0);
			assert_int_equal(used_in(&s, s.task, USAGE_REQUESTS, made, INT64_MAX), 0);
			end(&s);
		}
}

/* Of (after, until] whatever it is; amounts that came in any order. */
static void parts_of_the_time(void **state)
{
	static const struct {
		int64_t after, until, sum; /* pages */
	} cases[] = {
		{ INT64_MIN, INT64_MAX, 15 },
		{ 9, 10, 1 },
		{ 10, 10, 0 },
		{ 10, 20, 6 },
		{ 9, 20, 7 },
		{ 10, 19, 0 },
		{ 20, 29, 0 },
		{ 20, 30, 8 },
		{ 30, 40, 0 },
		{ INT64_MIN, 9, 0 },
		{ 19, 20, 6 },
		{ 20, 10, 0 },
		{ 29, 30, 8 },
	};
	(void)state;
	struct used s;
	begin(&s);
	happens(&s, KERNEL_EV_PAGE_ALLOC, 20, 1);
	happens(&s, KERNEL_EV_PAGE_ALLOC, 30, 3);
	happens(&s, KERNEL_EV_PAGE_ALLOC, 10, 0);
	happens(&s, KERNEL_EV_PAGE_ALLOC, 20, 2);
	happens(&s, KERNEL_EV_FAULT_USER, 15, 0);
	uint32_t task = s.task;
	s.task = s.other;
	happens(&s, KERNEL_EV_PAGE_ALLOC, 25, 4);
	s.task = task;
	settle(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			used_in(&s, s.task, USAGE_PAGES_ALLOCATED, cases[i].after, cases[i].until),
			cases[i].sum * 4096);
	assert_int_equal(used_in(&s, s.task, USAGE_FAULTS, 14, 15), 1);
	assert_int_equal(used_in(&s, s.other, USAGE_PAGES_ALLOCATED, 24, 25), 16 * 4096);
	/* A task that is none. */
	assert_int_equal(used_in(&s, s.h->n_tasks, USAGE_PAGES_ALLOCATED, INT64_MIN, INT64_MAX), 0);
	/* The other host has nothing. */
	assert_int_equal(usage_of(s.u, 0, s.task, USAGE_FAULTS, INT64_MIN, INT64_MAX), 0);
	end(&s);
}

/* Also of what nobody is charged for it is known that it was recorded; each source by itself. */
static void recorded(void **state)
{
	static const enum usage_kind sources[5][6] = {
		{ USAGE_PAGES_ALLOCATED, USAGE_PAGES_FREED, USAGE_N_KINDS },
		{ USAGE_FAULTS, USAGE_N_KINDS },
		{ USAGE_FILES_READ, USAGE_FILES_WRITTEN, USAGE_SOCKETS_RECEIVED, USAGE_SOCKETS_SENT,
			USAGE_N_KINDS },
		{ USAGE_BLOCK_READ, USAGE_BLOCK_WRITTEN, USAGE_REQUESTS, USAGE_N_KINDS },
		{ USAGE_PACKETS_RECEIVED, USAGE_PACKETS_SENT, USAGE_N_KINDS },
	};
	(void)state;
	for (unsigned source = 0; source < 5; source++) {
		struct used s;
		begin(&s);
		s.task = KERNEL_NONE;
		struct kernel_packet_seen p = { .time = 7, .task = KERNEL_NONE };
		if (source == 0)
			happens(&s, KERNEL_EV_PAGE_ALLOC, 7, 0);
		else if (source == 1)
			happens(&s, KERNEL_EV_FAULT_USER, 7, 0);
		else if (source == 2)
			calls(&s, "fsync", KERNEL_OBJECT_UNKNOWN, -1);
		else if (source == 3)
			request(&s, KERNEL_READ, 5, 6);
		else
			assert_int_equal(s.o->packet(s.o->ctx, s.h, &p), 0);
		settle(&s);
		assert_int_equal(usage_sums(s.u, 1).seen, 1u << source);
		for (unsigned k = 0; k < USAGE_N_KINDS; k++) {
			bool is_its = false;
			for (const enum usage_kind *own = sources[source]; *own != USAGE_N_KINDS;
				own++)
				is_its |= *own == k;
			assert_int_equal(usage_is_recorded(s.u, 1, (enum usage_kind)k), is_its);
			assert_false(usage_is_recorded(s.u, 0, (enum usage_kind)k));
		}
		end(&s);
	}
}

/* What is read for it: pages, and what becomes part of other requests; no slab. */
static void wanted(void **state)
{
	(void)state;
	struct used s;
	begin(&s);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(usage_observers(s.u)[i].wants,
			KERNEL_WANT_EVENT(PAGE_ALLOC) | KERNEL_WANT_EVENT(PAGE_FREE) |
				KERNEL_WANT_EVENT(FAULT_USER) | KERNEL_WANT_EVENT(FAULT_KERNEL) |
				KERNEL_WANT_MERGES);
	end(&s);
	usage_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory),
		cmocka_unit_test(packets),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(requests),
		cmocka_unit_test(parts_of_the_time),
		cmocka_unit_test(recorded),
		cmocka_unit_test(wanted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
