/* MPI ranks on three machines, of which one computes longest in each iteration: at the end of that,
 * the paths of the others are with it, wherever they are. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path_check.h"
#include "recording.h"

enum { RANKS = 6, ITERATIONS = 12, MS = 1000000 };

struct computing {
	int64_t begin[ITERATIONS], end[ITERATIONS]; /* on the common clock */
	int32_t tid;
	uint32_t host;
};

static void read_log(const struct recording *r, struct computing *ranks)
{
	char path[600], line[200], what[30];
	recording_path(path, sizeof(path), "lab/mpi-3vm/mpi.log");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int64_t t;
		int rank, tid, iteration;
		if (sscanf(line, "%" SCNd64 " rank %d tid %d %29s %d", &t, &rank, &tid, what,
			    &iteration) != 5 ||
			strncmp(what, "compute_", 8) != 0 || iteration >= ITERATIONS)
			continue;
		char host[] = "n1";
		assert_in_range(rank, 0, RANKS - 1);
		host[1] = (char)('1' + rank / 2);
		struct computing *c = &ranks[rank];
		c->tid = tid;
		c->host = recording_host(r, host);
		*(strcmp(what, "compute_begin") == 0 ? &c->begin[iteration] : &c->end[iteration]) =
			recording_time(r, c->host, t);
	}
	fclose(f);
}

/* How much of the path of a rank in a window is with a task. */
static double share_of(const struct recording *r, const struct computing *of,
	const struct computing *with, int64_t begin, int64_t end)
{
	struct path p;
	int64_t ns = 0;
	recording_find_path(
		r, of->host, recording_task(r, of->host, of->tid, NULL), begin, end, &p);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *s = &p.segments[i];
		if (s->host == with->host && s->task != KERNEL_NONE &&
			r->w->hosts[s->host].tasks[s->task].tid == with->tid)
			ns += s->end - s->begin;
	}
	path_fini(&p);
	return (double)ns / (double)(end - begin);
}

static void the_slowest_rank_is_waited_for(void **state)
{
	(void)state;
	struct recording r;
	struct computing ranks[RANKS] = { 0 };
	int n = 0, n_with = 0;
	recording_open(&r, "lab/mpi-3vm");
	read_log(&r, ranks);
	for (int i = 0; i < ITERATIONS; i++) {
		const struct computing *slow = &ranks[i % RANKS];
		int64_t end = slow->end[i], begin = end - 2 * MS;
		assert_true(slow->begin[i] < begin);
		for (int k = 0; k < RANKS; k++) {
			/* Only those that were done long before. */
			if (k == i % RANKS || ranks[k].end[i] > begin - 5 * MS)
				continue;
			double share = share_of(&r, &ranks[k], slow, begin, end);
			n++;
			n_with += share > 0.5;
		}
	}
	assert_true(n > 40);
	/* A rank that waits does so in poll(), for 20 ms at a time, as the program was told: if
	 * that ran out once more before the message came, its path is with the timer. */
	if (n_with * 10 < n * 6)
		fail_msg("%d of %d paths are with the slowest rank", n_with, n);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_slowest_rank_is_waited_for) };
	return cmocka_run_group_tests_name("ranks of three machines", tests, NULL, NULL);
}
