/* Periods: by hand; and on recordings and simulated machines: what is summed over periods and over
 * what lies between them is the sum over all, and nothing depends on the number of threads. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/period.h"
#include "run_more.h"

#define ALL .begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX

/* Requests 1 and 2 overlap, 2 ends on another host; 3 never ends; 4 ends without a begin; 1 is
 * begun twice meanwhile; one has no id. On CPU 0 of a, 10 runs until 300 us, then 11. */
static const char *const requests =
	"epoch 1000s\n"
	"host a\n"
	"host b\n"
	"0us a 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 next_comm=\"ten\" next_tid=10\n"
	"0us b 0 sched_switch prev_comm=\"swapper/0\" prev_tid=0 next_comm=\"peer\" next_tid=10\n"
	"50us a 0 finish id=4\n"
	"100us a 0 start id=1\n"
	"150us a 0 start id=1\n"
	"200us a 0 start id=2\n"
	"250us a 0 finish id=1\n"
	"300us a 0 sched_switch prev_comm=\"ten\" prev_tid=10 prev_state=0 next_comm=\"eleven\" "
	"next_tid=11\n"
	"350us a 0 start id=3\n"
	"400us b 0 finish id=2\n"
	"500us a 0 start id=1\n"
	"510us a 0 finish id=1\n"
	"600us a 0 start_other x=1\n"
	"700us b 0 tick n=0\n"
	"720us b 0 tick n=1\n"
	"750us b 0 tick n=2\n";

static int64_t us(int64_t n)
{
	return 1000000000000 + n * 1000;
}

static void find(struct run_case *c, struct analysis_periods *p, const char *expression,
	const char *by, int64_t min_ns, unsigned n_threads)
{
	struct mer_err err = { 0 };
	struct analysis_period_rule *rule;
	struct analysis_period_query q = { .expression = expression,
		.by = &by,
		.n_by = by != NULL,
		.min_ns = min_ns,
		.max_ns = INT64_MAX,
		.tells_tasks = true };
	if (analysis_period_rule_new(&q, &rule, &err) ||
		analysis_periods_find(c->e, rule, n_threads, NULL, NULL, p, &err))
		fail_msg("%s", err.text);
	analysis_period_rule_free(rule);
}

static void is_period(const struct analysis_periods *p, size_t i, int64_t begin, int64_t end)
{
	assert_true(i < p->n);
	assert_int_equal(p->all[i].begin, us(begin));
	assert_int_equal(p->all[i].end, us(end));
}

static void is_part(const struct analysis_periods *p, size_t i, int64_t begin, int64_t end)
{
	assert_true(i < p->n_parts);
	assert_int_equal(p->parts[i].begin, us(begin));
	assert_int_equal(p->parts[i].end, us(end) + 1);
}

static void test_keyed(void **state)
{
	struct run_case c;
	struct analysis_periods p;
	(void)state;
	run_case_open_scenario(&c, requests);
	find(&c, &p, "start : finish", "id", 0, 1);
	assert_int_equal(p.n, 3);
	is_period(&p, 0, 100, 250);
	is_period(&p, 1, 200, 400);
	is_period(&p, 2, 500, 510);
	assert_int_equal(p.n_parts, 2);
	is_part(&p, 0, 100, 400);
	is_part(&p, 1, 500, 510);
	assert_int_equal(p.n_fit[0], 5);
	assert_int_equal(p.n_fit[1], 4);
	assert_int_equal(p.n_unended, 1);
	assert_int_equal(p.n_unbegun, 1);
	assert_int_equal(p.n_again, 1);
	assert_int_equal(p.n_keyless, 0);
	assert_int_equal(p.all[0].from.tid, 10);
	assert_int_equal(p.all[2].to.tid, 11);
	assert_string_equal(mer_intern_text(&p.texts, p.all[1].to.comm), "peer");
	assert_int_equal(p.all[1].to.host, 1);
	/* The tables. */
	struct analysis_options o = { ALL, .periods = p.parts, .n_periods = p.n_parts,
		.found = &p };
	run_case_run(&c, "period", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 3);
	assert_true(run_more_is(run_case_table(&c, "log"), 1,
		"key=2 host=a tid=10 comm=ten end_host=b end_tid=10 end_comm=peer cpu=0"));
	assert_true(run_more_is(run_case_table(&c, "stats"), 0,
		"count=3 min_ns=10000 max_ns=200000 mean_ns=120000 total_ns=360000 "
		"covered_ns=310002"));
	assert_true(
		run_more_is(run_case_table(&c, "stats_key"), 1, "key=1 count=2 total_ns=160000"));
	run_case_check_top(run_case_table(&c, "log"), run_case_table(&c, "top"));
	run_case_check_sums(run_case_table(&c, "log"), run_case_table(&c, "stats"), "");
	run_case_check_sums(run_case_table(&c, "log"), run_case_table(&c, "stats_key"), "key");
	run_case_check_freq(run_case_table(&c, "log"), run_case_table(&c, "freq"), "");
	run_case_check_freq(run_case_table(&c, "log"), run_case_table(&c, "freq_key"), "key");
	o.min_ns = 20000;
	o.begin = us(150);
	run_case_run(&c, "period", &o);
	assert_int_equal(run_case_table(&c, "log")->n_rows, 1);
	analysis_periods_fini(&p);
	/* Only long ones. */
	find(&c, &p, "start : finish", "id", 20000, 2);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.n_left_out, 1);
	analysis_periods_fini(&p);
	run_case_close(&c);
}

static void test_others(void **state)
{
	struct run_case c;
	struct analysis_periods p;
	(void)state;
	run_case_open_scenario(&c, requests);
	/* One time line for all: from the first begin to the next end. */
	find(&c, &p, "start : finish", NULL, 0, 1);
	assert_int_equal(p.n, 3);
	is_period(&p, 0, 100, 250);
	is_period(&p, 1, 350, 400);
	is_period(&p, 2, 500, 510);
	assert_int_equal(p.n_again, 2);
	assert_int_equal(p.n_unbegun, 1);
	assert_int_equal(p.n_unended, 0);
	analysis_periods_fini(&p);
	/* By host, then what ended on the other one never ends. */
	find(&c, &p, "start : finish", "host", 0, 1);
	assert_int_equal(p.n, 2);
	is_period(&p, 0, 100, 250);
	is_period(&p, 1, 350, 510);
	analysis_periods_fini(&p);
	/* Threads of the same number on two hosts are two. */
	find(&c, &p, "start : finish", "tid", 0, 1);
	assert_int_equal(p.n, 2);
	is_period(&p, 0, 100, 250);
	is_period(&p, 1, 350, 510);
	assert_int_equal(p.n_unbegun, 2);
	analysis_periods_fini(&p);
	/* What fits both ends one and begins the next. */
	find(&c, &p, "tick : tick", NULL, 0, 1);
	assert_int_equal(p.n, 2);
	is_period(&p, 0, 700, 720);
	is_period(&p, 1, 720, 750);
	assert_int_equal(p.n_parts, 1);
	assert_int_equal(p.n_unended, 1);
	analysis_periods_fini(&p);
	/* A field of the one is who is on the CPU of the other. */
	find(&c, &p, "sched_switch && next_tid == 10 && $host == 'a' : finish && id == 1",
		"next_tid:tid", 0, 1);
	assert_int_equal(p.n, 1);
	is_period(&p, 0, 0, 250);
	assert_int_equal(p.n_keyless, 0);
	analysis_periods_fini(&p);
	find(&c, &p, "tick && n == 0 : tick && n == 2", "n", 0, 1);
	assert_int_equal(p.n, 0);
	analysis_periods_fini(&p);
	find(&c, &p, "'start*' : start_other", "id", 0, 1);
	assert_int_equal(p.n, 0);
	assert_int_equal(p.n_keyless, 2);
	analysis_periods_fini(&p);
	run_case_close(&c);
}

/* Programs tell what they do while the kernel's record has a hole, from 200 us to 300 us: who does
 * is not known, as in all other tables. Behind the hole the next switch tells. */
static void test_hole(void **state)
{
	struct run_case c;
	struct analysis_periods p;
	(void)state;
	run_case_open_scenario(&c,
		"epoch 1000s\nhost a\ntrace a/kernel\ntrace a/ust\n"
		"0us a/kernel 0 sched_switch prev_tid=0 next_comm=\"ten\" next_tid=10\n"
		"50us a/ust 0 start id=1\n"
		"100us a/ust 0 finish id=1\n"
		"200us a/kernel 0 irq_softirq_raise vec=9\n"
		"201us a/kernel 0 skip 1\n"
		"220us a/ust 0 start id=2\n"
		"280us a/ust 0 finish id=2\n"
		"300us a/kernel 0 irq_softirq_raise vec=9\n"
		"320us a/ust 0 start id=3\n"
		"380us a/ust 0 finish id=3\n"
		"400us a/kernel 0 sched_switch prev_tid=11 next_comm=\"ten\" next_tid=10\n"
		"420us a/ust 0 start id=4\n"
		"480us a/ust 0 finish id=4\n"
		"500us a/kernel 0 irq_softirq_raise vec=9\n");
	find(&c, &p, "start : finish", "id", 0, 1);
	static const int tids[] = { 10, -1, 11, 10 };
	assert_int_equal(p.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(p.all[i].from.tid, tids[i]);
		assert_int_equal(p.all[i].to.tid, tids[i]);
		assert_int_equal(p.all[i].to.comm != MER_INTERN_NONE, tids[i] == 10);
	}
	analysis_periods_fini(&p);
	find(&c, &p, "start : finish", "tid", 0, 1);
	assert_int_equal(p.n, 3);
	assert_int_equal(p.n_keyless, 2);
	analysis_periods_fini(&p);
	run_case_close(&c);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *expression, *by, *text;
	} bad[] = {
		{ "a", NULL,
			"period:2: expected &&, || or ':' before the other event, found the end" },
		{ "a : b : c", NULL, "period:7: expected &&, || or the end, found ':'" },
		{ "a : b c", NULL, "period:7: expected &&, || or the end, found 'c'" },
		{ ": b", NULL, "period:1: expected a field, a number or a text, found ':'" },
		{ "a ? b : c", NULL, "period:3: " },
		{ "x == \"a:b : c", NULL, "period:6: this text has no \" at its end" },
		{ "a : b", "tid x", "period-by:5: expected '.', '[' or the end, found 'x'" },
		{ "a : b", "x:", "period-by:1: expected the name of a field, found the end" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct mer_err err = { 0 };
		struct analysis_period_rule *rule;
		struct analysis_period_query q = {
			.expression = bad[i].expression, .by = &bad[i].by, .n_by = bad[i].by != NULL
		};
		assert_int_equal(analysis_period_rule_new(&q, &rule, &err), MER_ERR_USAGE);
		assert_null(rule);
		if (strncmp(err.text, bad[i].text, strlen(bad[i].text)) != 0)
			fail_msg("'%s', not '%s'", err.text, bad[i].text);
	}
}

/* ---- properties ---- */

struct sums {
	const char *analysis, *table, *keys; /* blanks between */
};

static const struct sums checked[] = {
	{ "cpu", "cpus", "user_ns syscall_ns kernel_ns irq_ns softirq_ns idle_ns unknown_ns" },
	{ "syscall", "stats", "count errors total_ns" },
	{ "io", "top", "read_bytes written_bytes calls total_ns" },
	{ "disk", "top", "requests read_bytes written_bytes busy_ns merged errors" },
	{ "net", "top", "sent_packets received_packets sent_bytes received_bytes" },
	{ "mem", "top", "allocated_bytes freed_bytes" },
	{ "faults", "top", "minor major kernel" },
	{ "irq", "stats", "count total_ns" },
	{ "sched", "stats", "count total_ns" },
};

static bool has_key(const struct mer_table *t, const char *key)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->columns[i].key, key) == 0)
			return true;
	return false;
}

/* Of each key: the sum of the table; and, where there are bins, the same of them. */
static size_t add_up(
	struct run_case *c, const struct sums *s, const struct analysis_options *o, int64_t *sums)
{
	char keys[200], *rest = NULL;
	size_t n = 0;
	run_case_run(c, s->analysis, o);
	snprintf(keys, sizeof(keys), "%s", s->keys);
	const struct mer_table *t = run_case_table(c, s->table);
	for (char *key = strtok_r(keys, " ", &rest); key; key = strtok_r(NULL, " ", &rest))
		sums[n++] = run_more_sum(t, key, "");
	int bins = analysis_find_output(c->requests[0].analysis, "bins");
	snprintf(keys, sizeof(keys), "%s", s->keys);
	for (char *key = strtok_r(keys, " ", &rest); bins >= 0 && key;
		key = strtok_r(NULL, " ", &rest))
		if (has_key(&c->tables[bins], key))
			sums[n++] = run_more_sum(&c->tables[bins], key, "");
	return n;
}

/* What lies between the periods. */
static struct analysis_period *complement(const struct analysis_periods *p)
{
	struct analysis_period *x = calloc(p->n_parts + 1, sizeof(*x));
	assert_non_null(x);
	int64_t from = INT64_MIN;
	for (size_t i = 0; i < p->n_parts; i++) {
		x[i] = (struct analysis_period){ from, p->parts[i].begin };
		from = p->parts[i].end;
	}
	x[p->n_parts] = (struct analysis_period){ from, INT64_MAX };
	return x;
}

static void check_sums(struct run_case *c, const char *expression, const char *by)
{
	struct analysis_periods p, again;
	find(c, &p, expression, by, 0, 1);
	find(c, &again, expression, by, 0, 4);
	assert_true(p.n > 2);
	assert_int_equal(p.n, again.n);
	assert_memory_equal(p.parts, again.parts, p.n_parts * sizeof(*p.parts));
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(p.all[i].begin, again.all[i].begin);
		assert_int_equal(p.all[i].end, again.all[i].end);
		assert_int_equal(p.all[i].key, again.all[i].key);
		assert_int_equal(p.all[i].from.tid, again.all[i].from.tid);
		assert_int_equal(p.all[i].from.comm, again.all[i].from.comm);
		assert_int_equal(p.all[i].to.tid, again.all[i].to.tid);
	}
	/* Each event that fits is accounted for. */
	assert_int_equal(p.n_fit[0] + p.n_fit[1],
		2 * p.n + p.n_again + p.n_unended + p.n_unbegun + p.n_keyless);
	for (size_t i = 1; i < p.n_parts; i++)
		assert_true(p.parts[i - 1].end < p.parts[i].begin);
	struct analysis_period *rest = complement(&p);
	for (size_t i = 0; i < sizeof(checked) / sizeof(*checked); i++) {
		int64_t all[32], in[32], out[32];
		struct analysis_options o = { ALL, .n_bins = 7 };
		size_t n = add_up(c, &checked[i], &o, all);
		o.periods = p.parts;
		o.n_periods = p.n_parts;
		add_up(c, &checked[i], &o, in);
		o.periods = rest;
		o.n_periods = p.n_parts + 1;
		add_up(c, &checked[i], &o, out);
		for (size_t k = 0; k < n; k++)
			if (in[k] + out[k] != all[k])
				fail_msg("%s, key %zu: %" PRId64 " in periods + %" PRId64
					 " between != %" PRId64,
					checked[i].analysis, k, in[k], out[k], all[k]);
	}
	free(rest);
	analysis_periods_fini(&p);
	analysis_periods_fini(&again);
}

static void test_world(void **state)
{
	struct run_case c;
	(void)state;
	run_more_open_world(&c, "--hosts 2 --seed 7");
	check_sums(&c, "'syscall_entry_*' : 'syscall_exit_*'", "tid");
	check_sums(&c, "sched_switch : 'syscall_exit_*'", "cpu");
	check_sums(&c, "'syscall_entry_*' : sched_switch", NULL);
	run_case_close(&c);
}

static void test_recording(void **state)
{
	struct run_case c;
	(void)state;
	run_case_open_recording(&c, "lab/cpu-mem-io");
	check_sums(&c, "syscall_entry_write : syscall_exit_write", "tid");
	check_sums(&c, "net_dev_queue : net_if_receive_skb", "host");
	run_case_close(&c);
}

/* A period for each call of a thread is a call: the same numbers, found by other means. */
static void test_calls(void **state)
{
	struct run_case c;
	struct analysis_periods p;
	(void)state;
	run_case_open_recording(&c, "lab/ipc-zoo");
	find(&c, &p, "syscall_entry_write : syscall_exit_write", "tid", 0, 3);
	assert_true(p.n > 100);
	run_case_run(&c, "syscall", NULL);
	const struct mer_table *t = run_case_table(&c, "stats");
	int64_t total = 0;
	for (size_t i = 0; i < p.n; i++)
		total += p.all[i].end - p.all[i].begin;
	assert_int_equal(p.n, run_case_sum(t, "count", "name", "write"));
	assert_int_equal(total, run_case_sum(t, "total_ns", "name", "write"));
	analysis_periods_fini(&p);
	run_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keyed),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_world),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
