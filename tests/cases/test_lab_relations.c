/* A program whose processes deal with each other in some thirty ways, one after another: in each
 * phase exactly those relations are found that its schedule says, in that direction, and with the
 * waits that the program has measured. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/relations/relations.h"
#include "kernel/files/files.h"
#include "recording.h"

enum { MS = 1000000, TOLERANCE = 3 * MS, MOST = 8 };

struct expected {
	const char *from, *to, *kind;
	const char *object; /* as it begins; NULL: any */
	int64_t bytes;	    /* -1: none are counted */
	/* The "blocked X ms" lines of the phase that it waited so, of task `to`: bits, by their
	 * order. */
	unsigned waits;
};

/* Besides these: every process is forked by one and waited for by one, see is_family. */
static const struct phase {
	const char *name;
	struct expected edges[MOST];
} phases[] = {
	{ "pipe-sleep", { { "zoo-pipew", "zoo-main", "pipe", "pipe#", 1, 1 } } },
	{ "pipe-hog", { { "zoo-pipehog", "zoo-main", "pipe", "pipe#", 1, 1 } } },
	{ "pipe-full", { { "zoo-piperd", "zoo-main", "pipe", "pipe#", -1, 3 },
			       { "zoo-main", "zoo-piperd", "pipe", "pipe#", 131072, 0 } } },
	{ "fifo", { { "zoo-fifow", "zoo-main", "fifo", "/data/fifo", 1, 3 } } },
	{ "unix-socket", { { "zoo-ussrv", "zoo-main", "unix", "socketpair#", 2, 3 },
				 { "zoo-main", "zoo-ussrv", "unix", "socketpair#", 3, 0 } } },
	{ "signal", { { "zoo-killer", "zoo-main", "signal", "SIGUSR1", -1, 1 } } },
	{ "shm-futex", { { "zoo-futexw", "zoo-main", "futex", "0x", -1, 1 } } },
	{ "mutex", { { "zoo-holder", "zoo-main", "futex", "0x", -1, 1 } } },
	{ "condvar", { { "zoo-signal", "zoo-main", "futex", "0x", -1, 1 } } },
	{ "barrier", { { "zoo-bar4", "zoo-bar1", "futex", "0x", -1, 1 },
			     { "zoo-bar4", "zoo-bar2", "futex", "0x", -1, 1 },
			     { "zoo-bar4", "zoo-bar3", "futex", "0x", -1, 1 } } },
	{ "pi-mutex", { { "zoo-piholder", "zoo-rtwait", "futex", "0x", -1, 1 } } },
	{ "flock", { { "zoo-flock", "zoo-main", "lock", "/data/lock", -1, 1 } } },
	{ "fcntl-lock", { { "zoo-fcntl", "zoo-main", "lock", "/data/lock", -1, 1 } } },
	{ "eventfd-read", { { "zoo-evw", "zoo-main", "eventfd", "eventfd", 8, 1 } } },
	{ "eventfd-epoll", { { "zoo-evw", "zoo-main", "eventfd", "eventfd", 8, 1 } } },
	{ "epoll-timeout", { { 0 } } },
	{ "poll", { { "zoo-evw", "zoo-main", "eventfd", "eventfd", 8, 1 } } },
	{ "poll-timeout", { { 0 } } },
	{ "select", { { "zoo-evw", "zoo-main", "eventfd", "eventfd", 8, 1 } } },
	{ "nanosleep", { { 0 } } },
	{ "itimer", { { 0 } } },
	{ "timerfd", { { 0 } } },
	{ "waitpid-hog", { { "zoo-hogexit", "zoo-main", "wait", "exit", -1, 1 } } },
	{ "waitpid-sleep", { { "zoo-slpexit", "zoo-main", "wait", "exit", -1, 1 } } },
	{ "waitpid-tree", { { "zoo-parent", "zoo-main", "wait", "exit", -1, 1 },
				  { "grandchild", "zoo-parent", "wait", "exit", -1, 0 } } },
	{ "exec", { { "sleep", "zoo-main", "wait", "exit", -1, 1 } } },
	{ "preempt", { { "zoo-hogA", "zoo-main", "wait", "exit", -1, 1 },
			     { "zoo-hogB", "zoo-main", "wait", "exit", -1, 0 } } },
	{ "disk-fsync", { { 0 } } },
	{ "disk-read", { { 0 } } },
	{ "sock-local", { { "zoo-lsrv", "zoo-main", "tcp", "127.0.0.1:7070", 1, 1 },
				{ "zoo-main", "zoo-lsrv", "tcp", "127.0.0.1:7070", 1, 0 } } },
};
enum { N_PHASES = sizeof(phases) / sizeof(*phases) };

struct measured { /* a phase, in ns of the guest's clock, and its "blocked" lines */
	int64_t begin, end;
	struct {
		int tid;
		char comm[20];
		int64_t ns;
	} waits[MOST];
	size_t n;
};

static void read_log(struct measured *m)
{
	char path[600], line[400], name[100], comm[20];
	size_t at = 0;
	recording_path(path, sizeof(path), "lab/ipc-zoo/zoo.log");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int64_t t;
		int tid;
		double ms;
		if (sscanf(line, "%" SCNd64 " %*d %*s PHASE %99[^:]", &t, name) == 2) {
			assert_true(at < N_PHASES);
			assert_string_equal(name, phases[at].name);
			m[at].begin = t;
		} else if (sscanf(line, "%" SCNd64 " %*d %*s ENDPHASE %99s", &t, name) == 2) {
			m[at++].end = t;
		} else if (sscanf(line, "%" SCNd64 " %d %19s blocked %lf ms in", &t, &tid, comm,
				   &ms) == 4) {
			assert_true(at < N_PHASES && m[at].n < MOST);
			m[at].waits[m[at].n].tid = tid;
			snprintf(m[at].waits[m[at].n].comm, sizeof(comm), "%s", comm);
			m[at].waits[m[at].n++].ns = (int64_t)(ms * MS);
		}
	}
	fclose(f);
	assert_int_equal(at, N_PHASES);
}

static const char *text(const struct mer_table *t, size_t row, enum relation_column c)
{
	const struct mer_cell *cell = &t->cells[row * t->n_columns + c];
	return cell->set ? cell->v.text : "";
}

static int64_t number(const struct mer_table *t, size_t row, enum relation_column c)
{
	const struct mer_cell *cell = &t->cells[row * t->n_columns + c];
	return cell->set ? cell->v.i : -1;
}

static bool is_of_zoo(const char *comm)
{
	return strncmp(comm, "zoo-", 4) == 0 || strcmp(comm, "grandchild") == 0 ||
	       strcmp(comm, "sleep") == 0;
}

/* What is there in every phase: a fork, the exit that the parent waits for, and, before it begins,
 * that the parent waits until the other one is ready. */
static bool is_family(const struct mer_table *t, size_t row)
{
	const char *kind = text(t, row, RELATION_KIND), *to = text(t, row, RELATION_TO_COMM);
	if (strcmp(kind, "fork") == 0)
		return strcmp(text(t, row, RELATION_FROM_COMM), "zoo-main") == 0 ||
		       strcmp(text(t, row, RELATION_FROM_COMM), "zoo-parent") == 0;
	if (strcmp(kind, "futex") == 0 && number(t, row, RELATION_WAIT_NS) > TOLERANCE)
		return false;
	return (strcmp(kind, "wait") == 0 || strcmp(kind, "futex") == 0) &&
	       strcmp(to, "zoo-main") == 0;
}

static bool fits(const struct mer_table *t, size_t row, const struct expected *e)
{
	return e->from && strcmp(text(t, row, RELATION_FROM_COMM), e->from) == 0 &&
	       strcmp(text(t, row, RELATION_TO_COMM), e->to) == 0 &&
	       strcmp(text(t, row, RELATION_KIND), e->kind) == 0;
}

/* All of this phase's edges between these, with one object (or any: the same kind of thing). */
static void check_edge(
	const struct mer_table *t, const struct phase *p, const struct measured *m, size_t k)
{
	const struct expected *e = &p->edges[k];
	int64_t wait = 0, want = 0, bytes = -1;
	size_t n = 0, nth = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!fits(t, r, e))
			continue;
		n++;
		wait += number(t, r, RELATION_WAIT_NS);
		bytes = number(t, r, RELATION_BYTES);
		if (e->object &&
			strncmp(text(t, r, RELATION_OBJECT), e->object, strlen(e->object)) != 0)
			fail_msg("%s: %s -> %s through %s", p->name, e->from, e->to,
				text(t, r, RELATION_OBJECT));
	}
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->waits[i].comm, e->to) == 0 && e->waits >> nth++ & 1)
			want += m->waits[i].ns;
	if (n == 0)
		fail_msg("%s: no %s from %s to %s", p->name, e->kind, e->from, e->to);
	if (e->waits && (wait < want - TOLERANCE || wait > want + TOLERANCE))
		fail_msg("%s: %s -> %s waited %.3f ms, not %.3f", p->name, e->from, e->to,
			(double)wait / MS, (double)want / MS);
	if (bytes != e->bytes)
		fail_msg("%s: %s -> %s has %" PRId64 " bytes, not %" PRId64, p->name, e->from,
			e->to, bytes, e->bytes);
}

/* Nothing else in which the program's processes take part. */
static void check_no_other(const struct mer_table *t, const struct phase *p)
{
	for (size_t r = 0; r < t->n_rows; r++) {
		bool known = is_family(t, r) ||
			     (!is_of_zoo(text(t, r, RELATION_FROM_COMM)) &&
				     !is_of_zoo(text(t, r, RELATION_TO_COMM))) ||
			     strcmp(text(t, r, RELATION_KIND), "kernel") == 0;
		for (size_t k = 0; k < MOST && !known; k++)
			known = fits(t, r, &p->edges[k]);
		if (!known)
			fail_msg("%s: %s -> %s: %s %s, %.3f ms", p->name,
				text(t, r, RELATION_FROM_COMM), text(t, r, RELATION_TO_COMM),
				text(t, r, RELATION_KIND), text(t, r, RELATION_OBJECT),
				(double)number(t, r, RELATION_WAIT_NS) / MS);
	}
}

static void run(struct recording *r, int64_t begin, int64_t end, struct analysis_run *run,
	struct mer_table *t)
{
	static struct analysis_options o;
	struct mer_err err = { 0 };
	const struct analysis_request request = { &analysis_relations, 0 };
	o = (struct analysis_options){ .begin = begin, .end = end, .max_ns = INT64_MAX };
	int rc = analysis_run(run, r->e, &r->messages, r->result, NULL, &o, &request, 1, t, &err);
	if (rc)
		fail_msg("%s", err.text);
}

static void every_phase_has_its_relations(void **state)
{
	(void)state;
	static struct measured m[N_PHASES];
	struct recording r;
	recording_open(&r, "lab/ipc-zoo");
	read_log(m);
	for (size_t i = 0; i < N_PHASES; i++) {
		struct analysis_run a;
		struct mer_table t;
		run(&r, recording_time(&r, 0, m[i].begin), recording_time(&r, 0, m[i].end), &a, &t);
		for (size_t k = 0; k < MOST && phases[i].edges[k].from; k++)
			check_edge(&t, &phases[i], &m[i], k);
		check_no_other(&t, &phases[i]);
		mer_table_fini(&t);
		analysis_run_fini(&a);
	}
	recording_close(&r);
}

/* A client and a server, on one machine or two: what is written at one end is read at the other.
 * The client writes requests of a known size, the server answers with one byte. */
static void requests_and_answers(void **state)
{
	(void)state;
	static const char *const names[] = { "lab/clihog-srvhog-1vm", "lab/clihog-srvhog-2vm" };
	int64_t asked[2] = { 0 }, answered[2] = { 0 };
	for (int i = 0; i < 2; i++) {
		struct recording r;
		struct analysis_run a;
		struct mer_table t;
		recording_open(&r, names[i]);
		run(&r, INT64_MIN, INT64_MAX, &a, &t);
		for (size_t k = 0; k < t.n_rows; k++) {
			const char *from = text(&t, k, RELATION_FROM_COMM),
				   *to = text(&t, k, RELATION_TO_COMM);
			if (strcmp(text(&t, k, RELATION_KIND), "tcp") != 0)
				continue;
			/* Nobody else talks over the network. */
			bool asks = strcmp(from, "rpc-cli") == 0 && strcmp(to, "rpc-srv") == 0,
			     answers = strcmp(from, "rpc-srv") == 0 && strcmp(to, "rpc-cli") == 0;
			if (!asks && !answers)
				fail_msg("%s: tcp from %s to %s", names[i], from, to);
			*(asks ? &asked[i] : &answered[i]) += number(&t, k, RELATION_BYTES);
		}
		mer_table_fini(&t);
		analysis_run_fini(&a);
		recording_close(&r);
		assert_true(asked[i] > 0);
		assert_int_equal(asked[i], 40 * answered[i]); /* requests of 40 bytes */
	}
}

enum { RANKS = 6 };

/* Ranks of a parallel program on three machines, each connected to all others: what each has sent
 * to each, as it logged, is what is found, and a little more for headers, barriers and sums. */
static void ranks_send_what_they_logged(void **state)
{
	(void)state;
	static const struct {
		const char *host;
		int tid;
	} ranks[RANKS] = { { "n1", 284 }, { "n1", 285 }, { "n2", 279 }, { "n2", 280 },
		{ "n3", 278 }, { "n3", 279 } };
	int64_t sent[RANKS][RANKS] = { 0 }, found[RANKS][RANKS] = { 0 };
	struct recording r;
	struct analysis_run a;
	struct mer_table t;
	char path[600], line[300];
	recording_open(&r, "lab/mpi-3vm");
	recording_path(path, sizeof(path), "lab/mpi-3vm/mpi.log");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int rank, peer;
		long bytes;
		if (sscanf(line, "%*d rank %d tid %*d send_begin %d %*d %ld", &rank, &peer,
			    &bytes) == 3 &&
			rank >= 0 && rank < RANKS && peer >= 0 && peer < RANKS)
			sent[rank][peer] += bytes;
	}
	fclose(f);
	run(&r, INT64_MIN, INT64_MAX, &a, &t);
	for (size_t k = 0; k < t.n_rows; k++) {
		int from = RANKS, to = RANKS;
		for (int i = 0; i < RANKS; i++) {
			if (strcmp(text(&t, k, RELATION_FROM_HOST), ranks[i].host) == 0 &&
				number(&t, k, RELATION_FROM_TID) == ranks[i].tid)
				from = i;
			if (strcmp(text(&t, k, RELATION_TO_HOST), ranks[i].host) == 0 &&
				number(&t, k, RELATION_TO_TID) == ranks[i].tid)
				to = i;
		}
		if (from < RANKS && to < RANKS && number(&t, k, RELATION_BYTES) > 0)
			found[from][to] += number(&t, k, RELATION_BYTES);
	}
	int64_t sum = 0;
	for (int i = 0; i < RANKS; i++)
		for (int k = 0; k < RANKS; k++) {
			sum += sent[i][k];
			if (found[i][k] < sent[i][k] || found[i][k] > sent[i][k] + 1200)
				fail_msg("rank %d to %d: %" PRId64 " bytes, not %" PRId64, i, k,
					found[i][k], sent[i][k]);
		}
	assert_true(sum > 3000000);
	mer_table_fini(&t);
	analysis_run_fini(&a);
	recording_close(&r);
}

/* ---- every byte, at both ends ---- */

enum { HOSTS = 4, TASKS = 4096 };
static int64_t moved[2][HOSTS][TASKS]; /* what calls on sockets returned, by [reads], host, task */

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	static const char *const calls[2][6] = { { "write", "writev", "sendto", "sendmsg",
							 "sendfile", "sendfile64" },
		{ "read", "readv", "recvfrom", "recvmsg" } };
	const struct analysis_host *a = ctx;
	const struct kernel_call *call = &h->calls[c->call];
	bool peek = c->kind == KERNEL_CALL_RECEIVE && c->args[1] & 2;
	if (call->kind != KERNEL_OBJECT_SOCKET || c->ret <= 0 || peek)
		return 0;
	assert_true(a->host < HOSTS && c->task < TASKS);
	for (int reads = 0; reads < 2; reads++)
		for (int i = 0; i < 6 && calls[reads][i]; i++)
			if (strcmp(kernel_name_text(h, call->name), calls[reads][i]) == 0)
				moved[reads][a->host][c->task] += c->ret;
	return 0;
}

static int emit_nothing(struct analysis_run *r, unsigned output, struct mer_table *t)
{
	(void)r;
	(void)output;
	(void)t;
	return 0;
}

/* What tasks wrote to connections and read from them is what edges from them and to them have:
 * whoever waited or did not, whichever machine it is on, in whatever network namespace. */
static void no_byte_is_lost(void **state)
{
	(void)state;
	static const char *const names[] = { "lab/clihog-srvhog-1vm", "lab/clihog-srvhog-2vm",
		"lab/cpu-mem-io", "lab/ipc-zoo", "lab/mpi-3vm", "lab/netns-containers",
		"lab/threadirqs", "lab/wget-cold-hot" };
	static const struct mer_column none[] = { { 0 } };
	static const struct analysis_output outputs[] = {
		{ .id = "top", .title = "", .columns = none }, { 0 }
	};
	static const struct analysis sums = { .id = "sums",
		.outputs = outputs,
		.state_size = 1,
		.on = { .call = on_call },
		.emit = emit_nothing };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct recording r;
		struct analysis_run a;
		struct mer_table t[2];
		struct mer_err err = { 0 };
		static int64_t found[2][HOSTS][TASKS];
		const struct analysis_request requests[] = { { &analysis_relations, 0 },
			{ &sums, 0 } };
		const struct analysis_options o = {
			.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
		};
		memset(moved, 0, sizeof(moved));
		memset(found, 0, sizeof(found));
		recording_open(&r, names[i]);
		assert_int_equal(analysis_run(&a, r.e, &r.messages, r.result, NULL, &o, requests, 2,
					 t, &err),
			0);
		int64_t sum = 0;
		for (size_t k = 0; k < t->n_rows; k++) {
			if (strcmp(text(t, k, RELATION_KIND), "tcp") != 0)
				continue;
			for (int reads = 0; reads < 2; reads++) {
				enum relation_column host =
					reads ? RELATION_TO_HOST : RELATION_FROM_HOST;
				uint32_t h = 0;
				while (strcmp(r.e->hosts[h].name, text(t, k, host)) != 0)
					h++;
				uint32_t task = kernel_find_task(&a.world->hosts[h],
					(int32_t)number(t, k, host + 1), NULL, 0);
				assert_true(h < HOSTS && task < TASKS);
				int64_t bytes = number(t, k, RELATION_BYTES);
				found[reads][h][task] += bytes > 0 ? bytes : 0;
				sum += bytes;
			}
			if (strchr(text(t, k, RELATION_OBJECT), ':') == NULL)
				fail_msg("%s: a connection without name", names[i]);
		}
		for (int reads = 0; reads < 2; reads++)
			for (uint32_t h = 0; h < HOSTS; h++)
				for (uint32_t k = 0; k < TASKS; k++) {
					/* Without any edge: what is no TCP, or has no other end. */
					if (!found[0][h][k] && !found[1][h][k])
						continue;
					if (found[reads][h][k] != moved[reads][h][k])
						fail_msg("%s: task %d of host %u: %" PRId64
							 " bytes, not %" PRId64,
							names[i], a.world->hosts[h].tasks[k].tid, h,
							found[reads][h][k], moved[reads][h][k]);
				}
		assert_true(sum > 0);
		mer_table_fini(&t[0]);
		mer_table_fini(&t[1]);
		analysis_run_fini(&a);
		recording_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_phase_has_its_relations),
		cmocka_unit_test(requests_and_answers),
		cmocka_unit_test(ranks_send_what_they_logged), cmocka_unit_test(no_byte_is_lost) };
	return cmocka_run_group_tests_name("relations of processes", tests, NULL, NULL);
}
