/* Critical paths of a few tasks on one and two machines, worked out in the published tests of the
 * execution graph that these descriptions of traces come from. Times are in ticks (us).
 *
 * Their graphs have an edge with a duration for a packet; with us that time belongs to the task
 * that waits for the packet. So "client 13 -> server 35" there, which their path cuts to 15 -> 35,
 * is "server network 15-35" here. Also, their tasks begin with their first event, ours with the
 * recording: who is switched out first was running until then; who is switched in first was waiting
 * for the CPU, if wake-ups are recorded and it had none. They have "unknown" there. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../analysis/path_text.h"
#include "kernel_case.h"

enum { TICK = KERNEL_CASE_TICK };

/* Of the task's whole life. links NULL: not compared. in_flight: ticks on the way. */
static void expect(const struct kernel_case *c, const char *host, int32_t tid, const char *segments,
	const char *links, int64_t in_flight)
{
	uint32_t h = kernel_case_host(c, host), task = kernel_case_task(c, h, tid);
	struct path p;
	struct mer_err err = { 0 };
	if (path_find(c->w, h, task, INT64_MIN, INT64_MAX, &p, &err))
		fail_msg("%s", err.text);
	int64_t sum = 0;
	for (unsigned i = 0; i < PATH_N_CAUSES; i++)
		sum += p.by_cause[i];
	assert_int_equal(sum, p.end - p.begin);
	struct mer_str text = { 0 };
	path_text_segments(&p, TICK, &text);
	assert_string_equal(text.data, segments);
	mer_str_clear(&text);
	path_text_links(&p, TICK, &text);
	if (links)
		assert_string_equal(text.data ? text.data : "", links);
	assert_int_equal(p.in_flight_ns / TICK, in_flight);
	mer_str_fini(&text);
	path_fini(&p);
}

/* What their graph says of a task itself, in our words: R on a CPU (what interrupts it there is not
 * told apart), P ready, and B with what ended the wait. */
static void states_text(const struct kernel_host *h, uint32_t task, struct mer_str *out)
{
	const char *last = "";
	int64_t begin = 0;
	for (int64_t t = h->tasks[task].begin; t < h->tasks[task].end;) {
		uint32_t i = kernel_span_at(h, task, t, KERNEL_NONE);
		const struct kernel_span *s = kernel_span(h, i);
		char word[40];
		if (kernel_is_on_cpu(s->state))
			snprintf(word, sizeof(word), "R");
		else if (s->state == KERNEL_BLOCKED)
			snprintf(word, sizeof(word), "B(%s)", kernel_cause_name(s->cause));
		else
			snprintf(word, sizeof(word), "%s",
				s->state == KERNEL_RUNNABLE ? "P" : kernel_state_name(s->state));
		size_t n = strlen(word);
		if (t == h->tasks[task].begin || strncmp(last, word, n) != 0 || last[n] != ' ') {
			begin = t;
			mer_str_printf(out, "%s", out->len ? ", " : "");
		} else {
			out->len = (size_t)(last - out->data);
		}
		size_t at = out->len;
		t = kernel_case_span_end(h, i);
		mer_str_printf(out, "%s %" PRId64 "-%" PRId64, word, begin / TICK, t / TICK);
		last = out->data + at;
	}
}

static void expect_states(
	const struct kernel_case *c, const char *host, int32_t tid, const char *wanted)
{
	uint32_t h = kernel_case_host(c, host);
	struct mer_str text = { 0 };
	states_text(&c->w->hosts[h], kernel_case_task(c, h, tid), &text);
	assert_string_equal(text.data, wanted);
	mer_str_fini(&text);
}

/* Context switches alone. That the second task was woken at 30 is not recorded: so it is not known
 * how long it waited for what, and how long for the CPU. */
static void sched_only(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open_xml(&c, "host=graph/sched_only.xml", NULL, NULL);
	expect_states(&c, "host", 1, "P 10-20, R 20-30, P 30-40");
	expect_states(&c, "host", 2, "R 10-20, B(unknown) 20-30, R 30-40");
	expect(&c, "host", 1,
		"host/1 runnable 10-20\nhost/1 running 20-30\nhost/1 runnable 30-40\n", "", 0);
	expect(&c, "host", 2, "host/2 running 10-20\nhost/2 blocked 20-30\nhost/2 running 30-40\n",
		"", 0);
	kernel_case_close(&c);
}

/* Both receive in softirqs. */
static void simple_network(const char *options)
{
	struct kernel_case c;
	kernel_case_open_xml(&c,
		"server=graph/simple_network_server.xml client=graph/simple_network_client.xml",
		options, NULL);
	assert_int_equal(c.w->n_bridges, 2);
	expect(&c, "client", 200,
		"client/200 runnable 5-10\nclient/200 running 10-15\nserver/100 network 15-35\n"
		"server/100 runnable 35-40\nserver/100 running 40-45\nclient/200 network 45-70\n"
		"client/200 runnable 70-75\nclient/200 running 75-95\n",
		"client/200@15 network server/100@33\nserver/100@45 network client/200@65\n", 38);
	expect_states(&c, "server", 100, "B(network) 5-35, P 35-40, R 40-55");
	expect_states(&c, "server", 101, "R 5-40, P 40-55");
	expect_states(&c, "client", 200, "P 5-10, R 10-15, B(network) 15-70, P 70-75, R 75-95");
	expect_states(&c, "client", 201, "P 5-7, R 7-10, P 10-15, R 15-75, P 75-95");
	expect_states(&c, "client", 202, "R 5-7, B(task) 7-90, P 90-95");
	/* Who waits for the client waits for the server. */
	expect(&c, "client", 202,
		"client/202 running 5-7\nclient/200 runnable 7-10\nclient/200 running 10-15\n"
		"server/100 network 15-35\nserver/100 runnable 35-40\nserver/100 running 40-45\n"
		"client/200 network 45-70\nclient/200 runnable 70-75\nclient/200 running 75-90\n"
		"client/202 runnable 90-95\n",
		NULL, 38);
	kernel_case_close(&c);
}

static void simple_network_exchange(void **state)
{
	(void)state;
	simple_network(NULL);
}

/* Under the names that older tracers give the same events. */
static void simple_network_old_names(void **state)
{
	(void)state;
	simple_network("--old-names");
}

/* The client's trace alone. */
static void simple_network_one_trace(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open_xml(&c, "client=graph/simple_network_client.xml", NULL, NULL);
	expect(&c, "client", 200,
		"client/200 runnable 5-10\nclient/200 running 10-15\nclient/200 network 15-70\n"
		"client/200 runnable 70-75\nclient/200 running 75-95\n",
		"", 0);
	expect(&c, "client", 202,
		"client/202 running 5-7\nclient/200 runnable 7-10\nclient/200 running 10-15\n"
		"client/200 network 15-70\nclient/200 runnable 70-75\nclient/200 running 75-90\n"
		"client/202 runnable 90-95\n",
		"client/202@7 wait client/200@7\nclient/200@90 wake client/202@90\n", 0);
	kernel_case_close(&c);
}

/* The server records complete interrupts and the taking of packets too. */
static void network_exchange_ethernet(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open_xml(&c,
		"server=graph/network_exchange_eth.xml client=graph/simple_network_client.xml",
		NULL, NULL);
	assert_int_equal(c.w->n_bridges, 2);
	expect(&c, "client", 200,
		"client/200 runnable 5-10\nclient/200 running 10-15\nserver/100 network 15-35\n"
		"server/100 runnable 35-40\nserver/100 running 40-45\nclient/200 network 45-70\n"
		"client/200 runnable 70-75\nclient/200 running 75-95\n",
		"client/200@15 network server/100@33\nserver/100@45 network client/200@65\n", 38);
	expect_states(&c, "server", 100, "B(network) 5-35, P 35-40, R 40-55");
	expect_states(&c, "server", 101, "R 5-40, P 40-55");
	/* The server waited before the client had sent anything. */
	expect(&c, "server", 100,
		"client/200 runnable 5-10\nclient/200 running 10-13\nserver/100 network 13-35\n"
		"server/100 runnable 35-40\nserver/100 running 40-55\n",
		"client/200@13 network server/100@33\n", 20);
	kernel_case_close(&c);
}

static void network_exchange_wifi(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open(&c, "tests/kernel/wifi_exchange.scn", NULL);
	assert_int_equal(c.w->n_bridges, 2);
	expect_states(&c, "client", 200, "P 5-10, R 10-15, B(network) 15-70, P 70-75, R 75-80");
	expect_states(&c, "client", 201, "R 5-10, P 10-15, R 15-60, P 60-80");
	expect_states(&c, "client", 50, "B(irq) 5-55, P 55-60, R 60-75, B(unknown) 75-80");
	/* To take packets is the irq thread's own work, no interrupt of it. */
	const struct kernel_host *client = &c.w->hosts[kernel_case_host(&c, "client")];
	uint32_t thread = kernel_case_task(&c, kernel_case_host(&c, "client"), 50);
	for (uint32_t i = client->tasks[thread].last; i != KERNEL_NONE;
		i = kernel_span(client, i)->before)
		assert_int_not_equal(kernel_span(client, i)->state, KERNEL_INTERRUPTED);
	expect(&c, "client", 200,
		"client/200 runnable 5-10\nclient/200 running 10-15\nserver/100 network 15-35\n"
		"server/100 runnable 35-40\nserver/100 running 40-45\nclient/200 network 45-70\n"
		"client/200 runnable 70-75\nclient/200 running 75-80\n",
		NULL, 38);
	kernel_case_close(&c);
}

static void network_exchange_wifi_one_trace(void **state)
{
	(void)state;
	struct kernel_case c;
	kernel_case_open(&c, "tests/kernel/wifi_exchange.scn", "client");
	expect(&c, "client", 200,
		"client/200 runnable 5-10\nclient/200 running 10-15\nclient/200 network 15-70\n"
		"client/200 runnable 70-75\nclient/200 running 75-80\n",
		"", 0);
	kernel_case_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sched_only),
		cmocka_unit_test(simple_network_exchange),
		cmocka_unit_test(simple_network_old_names),
		cmocka_unit_test(simple_network_one_trace),
		cmocka_unit_test(network_exchange_ethernet),
		cmocka_unit_test(network_exchange_wifi),
		cmocka_unit_test(network_exchange_wifi_one_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
