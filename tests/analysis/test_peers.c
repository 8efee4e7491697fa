/* Hosts unlike their peers, each rule by hand: what is far by the spread, by what matters and by a
 * factor; few hosts are not compared; what many have is no exception; groups by name; order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/summary/peers.h"
#include "analysis/summary/summary_data.h"

enum { MOST = 100, CPUS = 4 };
#define RANGE INT64_C(10000000000)

struct made {
	struct analysis_run run;
	struct mer_experiment e;
	struct summary_host hosts[MOST];
	struct summary_wait waits[MOST][SUMMARY_N_CAUSES];
	struct mer_table in[SUMMARY_REQUESTS], peers, groups, measures;
	struct summary s;
	char names[MOST][16];
};

/* n hosts, alike but for what hosts of one kind differ in. */
static void make(struct made *m, const char *stem, uint32_t n)
{
	memset(m, 0, sizeof(*m));
	mer_arena_init(&m->run.arena);
	m->run.e = &m->e;
	m->s = (struct summary){
		.run = &m->run, .in = m->in, .hosts = m->hosts, .n = n, .waits.hosts = m->waits
	};
	for (uint32_t i = 0; i < n; i++) {
		snprintf(m->names[i], sizeof(m->names[i]), "%s%u", stem, i + 1);
		m->hosts[i] = (struct summary_host){ .name = m->names[i],
			.range = RANGE,
			.cpus = CPUS,
			.knows_cpu = true,
			.cpu = 0.5 + 0.001 * (i % 40),
			.switches = 20000 + 100 * (i % 10) };
	}
	mer_table_init(&m->peers, "peers", NULL, peers_columns, &m->run.arena);
	mer_table_init(&m->groups, "groups", NULL, peers_group_columns, &m->run.arena);
	mer_table_init(&m->measures, "measures", NULL, peers_measure_columns, &m->run.arena);
}

static void forget(struct made *m)
{
	mer_table_fini(&m->peers);
	mer_table_fini(&m->groups);
	mer_table_fini(&m->measures);
	mer_arena_fini(&m->run.arena);
}

static const struct mer_cell *cell(const struct mer_table *t, size_t row, size_t column)
{
	assert_true(row < t->n_rows);
	return &t->cells[row * t->n_columns + column];
}

/* "web3 cpu_busy, web7 cpu_stolen" */
static void expect(struct made *m, enum peers_by by, const char *wanted)
{
	char text[1000] = "";
	m->peers.n_rows = m->groups.n_rows = 0;
	struct peers_host hosts[MOST] = { 0 };
	const char *names[MOST];
	for (uint32_t h = 0; h < m->s.n; h++)
		names[h] = m->s.hosts[h].name;
	m->measures.n_rows = 0;
	peers_measure(&m->s, &m->measures);
	peers_gather(&m->measures, names, m->s.n, hosts);
	peers_compare(hosts, m->s.n, by, &m->run.arena, &m->peers, &m->groups);
	assert_false(m->peers.failed);
	for (size_t r = 0; r < m->peers.n_rows; r++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s", r ? ", " : "",
			cell(&m->peers, r, PEERS_COL_HOST)->v.text,
			cell(&m->peers, r, PEERS_COL_MEASURE)->v.text);
	assert_string_equal(text, wanted);
}

static void far(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 50);
	expect(&m, PEERS_BY_NAME, "");
	m.hosts[6].cpu = 0.95;
	expect(&m, PEERS_BY_NAME, "web7 cpu_busy");
	assert_string_equal(
		cell(&m.peers, 0, PEERS_COL_SENTENCE)->v.text, "CPUs busy: 95 %, typically 51.6 %");
	m.hosts[6].cpu = 0.05; /* loads count both ways */
	expect(&m, PEERS_BY_NAME, "web7 cpu_busy");
	m.hosts[6].cpu = 0.66; /* far by the spread, but less than half as much again */
	expect(&m, PEERS_BY_NAME, "");
	m.hosts[6].cpu = 0.5;
	/* Where all others have none, what matters decides. */
	m.hosts[6].stolen_ns = CPUS * RANGE / 100;
	expect(&m, PEERS_BY_NAME, "");
	m.hosts[6].stolen_ns = CPUS * RANGE * 31 / 100;
	expect(&m, PEERS_BY_NAME, "web7 cpu_stolen");
	assert_string_equal(cell(&m.peers, 0, PEERS_COL_SENTENCE)->v.text,
		"CPU time stolen: 31 %, typically 0 %");
	assert_false(cell(&m.peers, 0, PEERS_COL_TIMES)->set);
	forget(&m);
}

/* A group that varies by itself has far hosts only farther away. */
static void spread(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 50);
	for (uint32_t i = 0; i < 50; i++)
		m.hosts[i].switches = 100000 * (1 + i % 10);
	m.hosts[3].switches = 2000000;
	expect(&m, PEERS_BY_NAME, "");
	m.hosts[3].switches = 30000000;
	expect(&m, PEERS_BY_NAME, "web4 switches");
	forget(&m);
}

/* To have less of what is bad is no finding. */
static void one_way(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 50);
	for (uint32_t i = 0; i < 50; i++)
		m.hosts[i].runnable_ns = CPUS * RANGE * 2;
	m.hosts[9].runnable_ns = 0;
	expect(&m, PEERS_BY_NAME, "");
	m.hosts[9].runnable_ns = CPUS * RANGE * 9;
	expect(&m, PEERS_BY_NAME, "web10 cpu_runnable");
	forget(&m);
}

static void few(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 4);
	m.hosts[0].cpu = 0.05;
	expect(&m, PEERS_BY_NAME, "");
	assert_int_equal(cell(&m.groups, 0, PEERS_GROUP_IS_COMPARED)->v.i, 0);
	forget(&m);
	/* Eight deviations are enough of many hosts, not of seven. */
	make(&m, "web", 7);
	for (uint32_t i = 0; i < 7; i++)
		m.hosts[i].cpu = 0.2;
	m.hosts[0].cpu = 0.5;
	expect(&m, PEERS_BY_NAME, "");
	m.hosts[0].cpu = 0.65;
	expect(&m, PEERS_BY_NAME, "web1 cpu_busy");
	forget(&m);
	make(&m, "web", 70);
	for (uint32_t i = 0; i < 70; i++)
		m.hosts[i].cpu = 0.2;
	m.hosts[0].cpu = 0.5;
	expect(&m, PEERS_BY_NAME, "web1 cpu_busy");
	forget(&m);
}

static void many(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 50);
	for (uint32_t i = 0; i < 5; i++)
		m.hosts[i].cpu = 0.99;
	m.hosts[2].cpu = 0.98;
	expect(&m, PEERS_BY_NAME,
		"web1 cpu_busy, web2 cpu_busy, web4 cpu_busy, web5 cpu_busy, web3 cpu_busy");
	m.hosts[5].cpu = 0.99;
	expect(&m, PEERS_BY_NAME, "");
	forget(&m);
}

/* Two do not hide each other, and neither does one that has less. */
static void two(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 15);
	m.hosts[3].runnable_ns = CPUS * RANGE * 9;
	m.hosts[14].runnable_ns = CPUS * RANGE * 8;
	expect(&m, PEERS_BY_NAME, "web4 cpu_runnable, web15 cpu_runnable");
	forget(&m);
	make(&m, "web", 15);
	for (uint32_t i = 0; i < 15; i++)
		m.hosts[i].cpu = 0.5;
	m.hosts[3].cpu = 0.05;
	m.hosts[4].cpu = 0.95;
	m.hosts[5].cpu = 0.97;
	expect(&m, PEERS_BY_NAME, "web6 cpu_busy, web4 cpu_busy, web5 cpu_busy");
	forget(&m);
	make(&m, "web", 10);
	for (uint32_t i = 0; i < 10; i++)
		m.hosts[i].cpu = 0.87;
	m.hosts[3].cpu = 0.107;
	expect(&m, PEERS_BY_NAME, "web4 cpu_busy");
	forget(&m);
}

/* Many times as much happens by chance: magnitudes are compared. */
static void magnitudes(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 40);
	int64_t n = 1000000;
	for (uint32_t i = 0; i < 40; i++, n = n * 23 / 20)
		m.hosts[i].switches = n; /* up to 230 times as many */
	expect(&m, PEERS_BY_NAME, "");
	forget(&m);
}

/* Any clock may be the reference: the one that differs is found, also if it is that. */
static void clocks(void **state)
{
	static struct sync_host clocks[20];
	struct sync_result r = { .hosts = clocks, .n_hosts = 20 };
	struct made m;
	(void)state;
	for (int reference = 0; reference < 2; reference++) {
		make(&m, "web", 20);
		m.s.r = &r;
		for (uint32_t i = 0; i < 20; i++) {
			bool is_reference = i == (reference ? 7 : 2);
			clocks[i] = (struct sync_host){ .name = m.names[i],
				.quality = is_reference ? SYNC_REFERENCE : SYNC_ACCURATE,
				.span = { 1000, RANGE },
				.bound = { 1000, 1000, 1000, 0 },
				.drift_off_ppm = INFINITY,
				.n_matched = 100 };
			int64_t offset = reference ? (i == 7 ? 0 : -RANGE) : i == 7 ? RANGE : 0;
			struct trace_clock_piece *piece =
				mer_arena_zalloc(&m.run.arena, 1, sizeof(*piece));
			piece->time = offset;
			clocks[i].map = (struct trace_clock_map){ piece, !is_reference };
		}
		expect(&m, PEERS_BY_NAME, "web8 clock_offset");
		assert_string_equal(cell(&m.peers, 0, PEERS_COL_SENTENCE)->v.text,
			"clock offset: 10.0 s, typically 0 ns");
		forget(&m);
	}
}

static void groups(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web-", 50);
	for (uint32_t i = 40; i < 50; i++) {
		snprintf(m.names[i], sizeof(m.names[i]), "db%u.eu", i);
		m.hosts[i].cpu = 0.05;
	}
	m.hosts[44].cpu = 0.52;
	expect(&m, PEERS_BY_NAME, "db44.eu cpu_busy");
	assert_int_equal(m.groups.n_rows, 2);
	assert_string_equal(cell(&m.groups, 0, PEERS_GROUP)->v.text, "web-#");
	assert_int_equal(cell(&m.groups, 0, PEERS_GROUP_HOSTS)->v.i, 40);
	assert_string_equal(cell(&m.groups, 1, PEERS_GROUP)->v.text, "db#.eu");
	assert_int_equal(cell(&m.groups, 1, PEERS_GROUP_UNUSUAL)->v.i, 1);
	expect(&m, PEERS_BY_ALL, "");
	assert_int_equal(m.groups.n_rows, 1);
	for (uint32_t i = 0; i < 50; i++)
		m.hosts[i].cpu_user.comm = i < 40 ? "nginx" : "postgres";
	expect(&m, PEERS_BY_PROGRAM, "db44.eu cpu_busy");
	assert_string_equal(cell(&m.groups, 1, PEERS_GROUP)->v.text, "postgres");
	forget(&m);
}

/* The most unusual host first, and of each host what is farthest. That nothing is known of a host
 * is unusual, too. */
static void order(void **state)
{
	struct made m;
	(void)state;
	make(&m, "web", 60);
	m.hosts[5].cpu = 0.99;
	m.hosts[8].switches = 90000000;
	m.hosts[8].stolen_ns = CPUS * RANGE / 5;
	m.hosts[30].knows_cpu = false;
	expect(&m, PEERS_BY_NAME, "web9 switches, web9 cpu_stolen, web6 cpu_busy, web31 measures");
	assert_int_equal(cell(&m.peers, 0, PEERS_COL_HOSTS)->v.i, 59);
	assert_true(cell(&m.peers, 0, PEERS_COL_DISTANCE)->v.f >
		    cell(&m.peers, 1, PEERS_COL_DISTANCE)->v.f);
	forget(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far),
		cmocka_unit_test(spread),
		cmocka_unit_test(one_way),
		cmocka_unit_test(few),
		cmocka_unit_test(many),
		cmocka_unit_test(two),
		cmocka_unit_test(magnitudes),
		cmocka_unit_test(clocks),
		cmocka_unit_test(groups),
		cmocka_unit_test(order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
