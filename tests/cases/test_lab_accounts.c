/* A client that asks a server to compute, to sleep, to fork a child that computes, to write to a
 * disk, on one machine and on two: what it is charged is what the server computed, and not the time
 * that it slept. And what must hold of the account of any task of any recording. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path/account.h"
#include "recording.h"

#define MS 1000000.0

struct accounts {
	struct recording r;
	struct blocked b;
	struct account_index *x;
};

static void open_accounts(struct accounts *t, const char *name)
{
	struct mer_err err = { 0 };
	recording_open(&t->r, name);
	assert_int_equal(blocked_find(t->r.w, &t->b, &err), 0);
	assert_int_equal(account_index_new(&t->b, NULL, &t->x, &err), 0);
}

static void close_accounts(struct accounts *t)
{
	account_index_free(t->x);
	blocked_fini(&t->b);
	recording_close(&t->r);
}

/* Of a request, between two times of the client's log. */
static double charged_ms(
	const struct accounts *t, uint32_t host, uint32_t task, int64_t begin, int64_t end)
{
	struct account a;
	struct mer_err err = { 0 };
	assert_int_equal(account_find(t->x, host, task, begin, end, false, &a, &err), 0);
	double ms = (double)a.nodes[0].children_ns / MS;
	for (uint32_t i = 1; i < a.n; i++) /* it asked, and was kept from the CPU by who answers */
		ms += (double)a.nodes[i].ready_ns / MS;
	account_fini(&a);
	return ms;
}

/* What a request must cost: the CPU time that the server's program measured, plus what it takes to
 * receive, log and answer on these (emulated) machines. */
static void check_request(const char *log, char kind, double asked_ms, double ms)
{
	double overhead = 9;		  /* ms */
	if (kind == 'L' || kind == 'S') { /* the client's own work, its own sleep */
		assert_true(ms == 0);
	} else if (kind == 'h' || kind == 'f') {
		if (ms < 0.985 * asked_ms || ms > asked_ms + overhead)
			fail_msg("%s: %c %.0f ms: charged %.3f ms", log, kind, asked_ms, ms);
	} else if (kind == 's' || kind == 'n') {
		if (ms > overhead)
			fail_msg("%s: %c: charged %.3f ms", log, kind, ms);
	}
}

/* All requests of the log; what all of them were charged. */
static double check_log(const char *name, const char *client, int *n_requests)
{
	struct accounts t;
	char path[600], line[300], what[40] = "";
	double sum = 0;
	int64_t begin = 0;
	snprintf(what, sizeof(what), "lab/%s", name);
	open_accounts(&t, what);
	snprintf(line, sizeof(line), "lab/%s/cli.log", name);
	recording_path(path, sizeof(path), line);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	uint32_t host = recording_host(&t.r, client);
	*n_requests = 0;
	while (fgets(line, sizeof(line), f)) {
		int64_t time;
		int tid, us;
		char edge[10], kind;
		if (sscanf(line, "%" SCNd64 " %d rpc-cli cli %9s %c %d us", &time, &tid, edge,
			    &kind, &us) != 5)
			continue;
		time = recording_time(&t.r, host, time);
		if (strcmp(edge, "begin") == 0) {
			begin = time;
			continue;
		}
		double ms =
			charged_ms(&t, host, recording_task(&t.r, host, tid, NULL), begin, time);
		check_request(name, kind, us / 1e3, ms);
		sum += kind == 'h' || kind == 'f' ? ms : 0;
		*n_requests += kind == 'h' || kind == 'f';
	}
	fclose(f);
	close_accounts(&t);
	return sum;
}

static void requests_cost_what_the_server_computed(void **state)
{
	(void)state;
	int n_one, n_two;
	double one = check_log("clihog-srvhog-1vm", "server", &n_one);
	double two = check_log("clihog-srvhog-2vm", "client", &n_two);
	assert_int_equal(n_one, 4);
	assert_int_equal(n_two, 8);
	/* The same on one machine as on two. */
	assert_true(one > 0.97 * two / 2 && one < 1.03 * two / 2);
}

/* What must hold of every account: parts add up. */

/* Time on a CPU, and ready for one, in a window. */
static void sum_spans(const struct kernel_host *h, uint32_t task, int64_t begin, int64_t end,
	int64_t *on_cpu, int64_t *ready)
{
	int64_t until = h->tasks[task].end;
	*on_cpu = *ready = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE; i = kernel_span(h, i)->before) {
		const struct kernel_span *s = kernel_span(h, i);
		int64_t from = s->begin > begin ? s->begin : begin, to = until < end ? until : end;
		if (to > from && kernel_is_on_cpu(s->state))
			*on_cpu += to - from;
		if (to > from && s->state == KERNEL_RUNNABLE)
			*ready += to - from;
		until = s->begin;
	}
}

static void check_account(const struct accounts *t, const struct account *a)
{
	const struct account_node *root = &a->nodes[0];
	int64_t all = root->self_ns + root->children_ns, kept = 0, runnable = 0, on_cpu, ready;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct account_node *n = &a->nodes[i];
		assert_true(n->self_ns >= n->interrupted_ns && n->interrupted_ns >= 0);
		assert_true(n->self_ns >= n->others_ns && n->others_ns >= 0 && n->ready_ns >= 0);
		assert_true(i || (!n->others_ns && !n->ready_ns));
		kept += n->ready_ns;
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++) {
			assert_true(n->residual_ns[r] >= 0);
			all += n->residual_ns[r];
		}
		runnable += n->residual_ns[PATH_RUNNABLE];
	}
	assert_int_equal(all, a->end - a->begin);
	sum_spans(&t->r.w->hosts[a->host], a->task, a->begin, a->end, &on_cpu, &ready);
	assert_int_equal(root->self_ns, on_cpu);
	assert_true(root->children_ns <= a->waited_ns && kept <= runnable);
	assert_true(root->residual_ns[PATH_RUNNABLE] <= ready);
}

static void check_recording(const char *name)
{
	struct accounts t;
	struct mer_err err = { 0 };
	open_accounts(&t, name);
	for (uint32_t i = 0; i < t.r.w->n_hosts; i++)
		for (uint32_t k = 0; k < t.r.w->hosts[i].n_tasks; k++) {
			struct account a;
			assert_int_equal(
				account_find(t.x, i, k, INT64_MIN, INT64_MAX, false, &a, &err), 0);
			check_account(&t, &a);
			account_fini(&a);
		}
	close_accounts(&t);
}

static void one_machine(void **state)
{
	(void)state;
	check_recording("lab/clihog-srvhog-1vm");
}

static void two_machines(void **state)
{
	(void)state;
	check_recording("lab/clihog-srvhog-2vm");
}

static void ways_to_communicate(void **state)
{
	(void)state;
	check_recording("lab/ipc-zoo");
}

static void three_tiers(void **state)
{
	(void)state;
	check_recording("lab/wget-cold-hot");
}

static void containers(void **state)
{
	(void)state;
	check_recording("lab/netns-containers");
}

static void lost_events(void **state)
{
	(void)state;
	check_recording("lab/web-lossy");
}

static void django(void **state)
{
	(void)state;
	check_recording("public/django-vote");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_cost_what_the_server_computed),
		cmocka_unit_test(one_machine),
		cmocka_unit_test(two_machines),
		cmocka_unit_test(ways_to_communicate),
		cmocka_unit_test(three_tiers),
		cmocka_unit_test(containers),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(django),
	};
	return cmocka_run_group_tests_name("accounts of recordings", tests, NULL, NULL);
}
