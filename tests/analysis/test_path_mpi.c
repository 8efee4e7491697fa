/* Paths through waits in MPI, by hand: ranks whose tasks run all the time, or sleep in the kernel,
 * and what they were in meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "path/path.h"
#include "tasks_world.h"

enum { LINES = 3, MOST = 16 };

struct program { /* rank i is the task i of host i % n_hosts */
	struct tasks_world t;
	struct mpi_run run;
	struct mpi_process processes[LINES];
	struct mpi_line lines[LINES];
	struct mpi_call calls[MOST];
	struct kernel_mpi mpi;
	uint32_t tasks[LINES];
	uint32_t hosts[LINES];
};

static void begin(struct program *p, uint32_t n_hosts)
{
	memset(p, 0, sizeof(*p));
	tw_init(&p->t, n_hosts, 100);
	p->run = (struct mpi_run){ .processes = p->processes,
		.lines = p->lines,
		.calls = p->calls,
		.n_processes = LINES,
		.n_lines = LINES };
	p->mpi = (struct kernel_mpi){ .run = &p->run, .tasks = p->tasks };
	for (uint32_t i = 0; i < LINES; i++) {
		char comm[16];
		snprintf(comm, sizeof(comm), "r%u", (unsigned)i);
		p->hosts[i] = i % n_hosts;
		p->tasks[i] = tw_task(&p->t, p->hosts[i], (int32_t)(100 + i), comm);
		p->processes[i] = (struct mpi_process){ .rank = (int32_t)i, .host = p->hosts[i] };
		p->lines[i] = (struct mpi_line){
			.process = i, .end = 100 * MS, .first = MPI_NONE, .last = MPI_NONE
		};
		uint32_t *at = mer_map_put(&p->mpi.of, (uint64_t)p->hosts[i] << 32 | p->tasks[i]);
		assert_non_null(at);
		*at = i + 1;
	}
	p->t.w.mpi = &p->mpi;
}

static void end(struct program *p)
{
	mer_map_fini(&p->mpi.of);
	tw_fini(&p->t);
}

/* The rank is in this from `at` on, until its next one or 100. */
static struct mpi_call *in(struct program *p, uint32_t rank, int64_t at, unsigned id)
{
	uint32_t n = p->run.n_calls++, last = p->lines[rank].last;
	assert_true(n < MOST);
	p->calls[n] = (struct mpi_call){ .begin = at * MS,
		.end = 100 * MS,
		.line = rank,
		.before = last,
		.next = MPI_NONE,
		.by = MPI_NONE,
		.id = (uint16_t)id };
	if (last != MPI_NONE)
		p->calls[last].end = at * MS;
	p->lines[rank].last = n;
	return &p->calls[n];
}

static void waits(struct mpi_call *c, uint32_t by, int64_t until)
{
	c->wait = MPI_LATE_SENDER;
	c->by = by;
	c->until = until * MS;
}

/* "r0 running 0-10, r1 running 10-30", in ms. */
static void is(struct program *p, uint32_t rank, const char *wanted)
{
	struct path path;
	struct mer_err err = { 0 };
	struct mer_str s = { 0 };
	assert_int_equal(path_find(&p->t.w, p->hosts[rank], p->tasks[rank], INT64_MIN, INT64_MAX,
				 &path, &err),
		0);
	int64_t at = path.begin;
	for (size_t i = 0; i < path.n_segments; i++) {
		const struct path_segment *g = &path.segments[i];
		assert_int_equal(g->begin, at);
		at = g->end;
		mer_str_printf(&s, "%s%s %s %d-%d", i ? ", " : "",
			kernel_comm(&p->t.hosts[g->host], g->task),
			path_cause_name((enum path_cause)g->cause), (int)(g->begin / MS),
			(int)(g->end / MS));
	}
	assert_int_equal(at, path.end);
	assert_string_equal(s.data, wanted);
	mer_str_fini(&s);
	path_fini(&path);
}

/* All three run in user mode from 0 to 100, without an event of the kernel. */
static void all_run(struct program *p)
{
	for (uint32_t i = 0; i < LINES; i++)
		tw_span(&p->t, p->hosts[i], p->tasks[i], 0, KERNEL_USER);
}

static void test_spinning(void **state)
{
	struct program p;
	(void)state;
	begin(&p, 1);
	all_run(&p);
	in(&p, 0, 0, MPI_CALL_COMPUTE);
	waits(in(&p, 0, 20, MPI_CALL_Recv), 1, 60); /* 60 to 70: the message comes */
	in(&p, 0, 70, MPI_CALL_COMPUTE);
	in(&p, 1, 0, MPI_CALL_COMPUTE);
	in(&p, 1, 60, MPI_CALL_Send);
	is(&p, 0, "r0 running 0-20, r1 running 20-60, r0 mpi 60-70, r0 running 70-100");
	end(&p);
}

/* Whom it waited for waited itself, for a third one; and not from the begin of the wait on. */
static void test_chain(void **state)
{
	struct program p;
	(void)state;
	begin(&p, 1);
	all_run(&p);
	in(&p, 0, 0, MPI_CALL_COMPUTE);
	waits(in(&p, 0, 20, MPI_CALL_Recv), 1, 60);
	in(&p, 0, 60, MPI_CALL_COMPUTE);
	in(&p, 1, 0, MPI_CALL_COMPUTE);
	waits(in(&p, 1, 10, MPI_CALL_Recv), 2, 40);
	in(&p, 1, 45, MPI_CALL_COMPUTE);
	in(&p, 1, 60, MPI_CALL_Send);
	in(&p, 2, 0, MPI_CALL_COMPUTE);
	is(&p, 0,
		"r0 running 0-20, r2 running 20-40, r1 mpi 40-45, r1 running 45-60, r0 running 60-100");
	end(&p);
}

/* On another host the same. */
static void test_hosts(void **state)
{
	struct program p;
	(void)state;
	begin(&p, 3);
	all_run(&p);
	in(&p, 0, 0, MPI_CALL_COMPUTE);
	waits(in(&p, 0, 30, MPI_CALL_Barrier), 2, 50);
	in(&p, 0, 50, MPI_CALL_COMPUTE);
	is(&p, 0, "r0 running 0-30, r2 running 30-50, r0 running 50-100");
	end(&p);
}

/* The task sleeps in the kernel while it waits: the rank is followed, not who woke it. */
static void test_sleeping(void **state)
{
	struct program p;
	(void)state;
	begin(&p, 1);
	tw_span(&p.t, 0, p.tasks[0], 0, KERNEL_USER);
	tw_span(&p.t, 0, p.tasks[1], 0, KERNEL_USER);
	tw_span(&p.t, 0, p.tasks[2], 0, KERNEL_USER);
	uint32_t wait = tw_wait(&p.t, 0, p.tasks[0], 25, "poll", "", KERNEL_TIMER);
	tw_span(&p.t, 0, p.tasks[0], 65, KERNEL_USER);
	(void)wait;
	in(&p, 0, 0, MPI_CALL_COMPUTE);
	waits(in(&p, 0, 20, MPI_CALL_Recv), 1, 60);
	in(&p, 0, 70, MPI_CALL_COMPUTE);
	is(&p, 0,
		"r0 running 0-20, r1 running 20-60, r0 timer 60-65, r0 mpi 65-70, r0 running 70-100");
	end(&p);
}

/* Nobody is known, or two wait for each other at one moment: it stays the rank's own. */
static void test_nobody(void **state)
{
	struct program p;
	(void)state;
	begin(&p, 1);
	all_run(&p);
	in(&p, 0, 0, MPI_CALL_COMPUTE);
	waits(in(&p, 0, 20, MPI_CALL_Recv), 1, 60);
	in(&p, 0, 60, MPI_CALL_COMPUTE);
	p.tasks[1] = KERNEL_NONE;
	is(&p, 0, "r0 running 0-20, r0 mpi 20-60, r0 running 60-100");
	end(&p);
	begin(&p, 1);
	all_run(&p);
	for (uint32_t i = 0; i < 2; i++) {
		in(&p, i, 0, MPI_CALL_COMPUTE);
		waits(in(&p, i, 20, MPI_CALL_Recv), !i, 60);
		in(&p, i, 60, MPI_CALL_COMPUTE);
	}
	struct path path;
	struct mer_err err = { 0 };
	assert_int_equal(path_find(&p.t.w, 0, p.tasks[0], INT64_MIN, INT64_MAX, &path, &err), 0);
	assert_int_equal(path.by_cause[PATH_MPI], 40 * MS);
	assert_int_equal(path.by_cause[PATH_RUNNING], 60 * MS);
	path_fini(&path);
	end(&p);
}

/* Calls that never wait are the program's own time. */
static void test_not_blocking(void **state)
{
	struct program p;
	(void)state;
	begin(&p, 1);
	all_run(&p);
	in(&p, 0, 0, MPI_CALL_OUTSIDE);
	in(&p, 0, 20, MPI_CALL_Test);
	in(&p, 0, 40, MPI_CALL_Send);
	in(&p, 0, 50, MPI_CALL_OUTSIDE);
	is(&p, 0, "r0 running 0-20, r0 running 20-40, r0 mpi 40-50, r0 running 50-100");
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spinning),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_sleeping),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_not_blocking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
