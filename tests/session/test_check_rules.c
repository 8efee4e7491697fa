/* The verdict on each trace and each path, each rule by itself: which errors and losses are whose,
 * what is not selected does not count, and who can be synchronized. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "session/check.h"

static struct mer_err err;

#define PACKET                                                                                     \
	" len=114 name=\"eth0\" network_header.ipv4={ ihl=5, tot_len=100, saddr=[10, 0, 0, 1], "   \
	"daddr=[10, 0, 0, 2], transport_header.tcp={ source_port=1, dest_port=2, seq=9 } }\n"
#define CAN(host) "1us " host " 0 net_dev_queue" PACKET "2us " host " 0 net_if_receive_skb" PACKET
#define CANNOT(host) "1us " host " 0 sched_switch next_tid=1\n"
#define HOSTS "host a\nhost b\nhost c\n"

/* "sync" or "no sync", "sound" or "not sound"; for each verdict (in their order) its host or path,
 * and what is wrong; "*": a host of which something is missing. */
static void check(const char *text, const char *more, const char *only, const char *expected)
{
	struct scenario s;
	struct session_check c;
	struct mer_str out = { 0 };
	char path[80], other[100];
	const char *paths[] = { path, other };
	const char *hosts[] = { only };
	scenario_open(&s, text);
	snprintf(path, sizeof(path), "%s/traces", s.dir);
	if (more)
		snprintf(other, sizeof(other), "%s/%s", s.dir, more);
	struct session *session = session_new(&(struct session_options){
		.paths = paths, .n_paths = more ? 2 : 1, .n_threads = 1 });
	assert_non_null(session);
	assert_int_equal(session_open(session, &err), 0);
	const struct session_selection what = { .hosts = { hosts, only ? 1 : 0 } };
	if (session_check(session, &what, &c, &err))
		fail_msg("%s", err.text);
	mer_str_printf(&out, "%ssync, %ssound", c.can_sync ? "" : "no ", c.sound ? "" : "not ");
	for (uint32_t i = 0; i < c.n_verdicts; i++) {
		const struct session_verdict *v = &c.verdicts[i];
		mer_str_printf(&out, ", %s%s", v->host ? v->host : strrchr(v->path, '/') + 1,
			v->sound ? "" : " not sound");
		if (v->host)
			mer_str_printf(&out, " %" PRIu64, v->events);
		if (v->errors || v->warnings)
			mer_str_printf(&out, " %" PRIu64 "e %" PRIu64 "w", v->errors, v->warnings);
		if (v->lost_events || v->lost_packets)
			mer_str_printf(&out, " lost %" PRIu64 " %" PRIu64, v->lost_events,
				v->lost_packets);
		mer_str_printf(
			&out, "%s%s", v->wanted ? "" : " unwanted", v->unread ? " unread" : "");
	}
	for (uint32_t h = 0; h < session_experiment(session)->n_hosts; h++)
		mer_str_printf(&out, "%s", c.hosts[h].partial ? " *" : h ? " -" : " -");
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	session_check_fini(&c);
	session_free(session);
	scenario_close(&s);
}

static void who_can_be_synchronized(void **state)
{
	(void)state;
	check(HOSTS CAN("a") CAN("b") CAN("c"), NULL, NULL, "sync, sound, a 2, b 2, c 2 - - -");
	check(HOSTS CANNOT("a") CAN("b") CAN("c"), NULL, NULL,
		"no sync, sound, a 1, b 2, c 2 - - -");
	check(HOSTS CAN("a") CAN("b") CANNOT("c"), NULL, NULL,
		"no sync, sound, a 2, b 2, c 1 - - -");
	check(HOSTS CANNOT("a") CAN("b") CAN("c"), NULL, "b",
		"sync, sound, a 1 unwanted, b 2, c 2 unwanted - - -");
	check(HOSTS CANNOT("a") CAN("b") CAN("c"), NULL, "a",
		"no sync, sound, a 1, b 2 unwanted, c 2 unwanted - - -");
}

static void losses(void **state)
{
	(void)state;
	check(HOSTS CAN("a") CAN("b") "3us b 0 lost 17\n4us b 0 sched_switch next_tid=1\n" CAN("c"),
		NULL, NULL, "sync, not sound, a 2, b not sound 3 0e 1w lost 17 0, c 2 - * -");
	check(HOSTS CAN("a") CAN("b") "3us b 0 lost 17\n4us b 0 sched_switch next_tid=1\n" CAN("c"),
		NULL, "a",
		"sync, sound, a 2, b not sound 3 0e 1w lost 17 0 unwanted, c 2 unwanted - * -");
	check(HOSTS CAN("a") "3us a 0 skip 2\n4us a 0 sched_switch next_tid=1\n" CAN("b") CAN("c"),
		NULL, NULL, "sync, not sound, a not sound 3 0e 1w lost 0 2, b 2, c 2 * - -");
}

/* A path that is not there belongs to no trace. */
static void what_cannot_be_opened(void **state)
{
	(void)state;
	check(HOSTS CAN("a") CAN("b") CAN("c"), "nowhere", NULL,
		"no sync, not sound, a 2, b 2, c 2, nowhere not sound 1e 0w unread - - -");
	check(HOSTS CAN("a") CAN("b") CAN("c"), "nowhere", "b",
		"no sync, not sound, a 2 unwanted, b 2, c 2 unwanted, nowhere not sound 1e 0w "
		"unread - - -");
	/* Nor does one whose name only begins as a trace's. */
	check(HOSTS CAN("a") CAN("b") CAN("c"), "traces/a/kernels", NULL,
		"no sync, not sound, a 2, b 2, c 2, kernels not sound 1e 0w unread - - -");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_can_be_synchronized),
		cmocka_unit_test(losses),
		cmocka_unit_test(what_cannot_be_opened),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
