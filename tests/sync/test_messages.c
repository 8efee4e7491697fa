/* Lists of messages: in the order in which they were sent, each with its kind and streams, however
 * they were added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sync/messages.h"

static struct sync_messages m;
static struct mer_err err;

static int begin(void **state)
{
	(void)state;
	return sync_messages_init(&m, 3, &err);
}

static int end(void **state)
{
	(void)state;
	sync_messages_free(&m);
	return 0;
}

static const struct sync_streams unknown = { .sent = SYNC_NO_STREAM, .received = SYNC_NO_STREAM };

static void add(int64_t sent, int64_t received, enum sync_kind kind, struct sync_streams streams)
{
	struct sync_link *l = sync_messages_link(&m, 0, 1);
	assert_non_null(l);
	assert_int_equal(
		sync_link_add_in(l, (struct sync_message){ sent, received }, kind, streams, &err),
		0);
}

/* "SENT-RECEIVED", "u" for UDP, " STREAM>STREAM" where one is known. */
static void are(const char *expected)
{
	char text[500] = "";
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	const struct sync_link *l = sync_messages_link(&m, 0, 1);
	for (size_t i = 0; i < l->n; i++) {
		size_t n = strlen(text);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d-%d%s", i ? ", " : "",
			(int)l->messages[i].sent, (int)l->messages[i].received,
			l->kinds && l->kinds[i] == SYNC_UDP ? "u" : "");
		if (l->streams && l->streams[i].sent != SYNC_NO_STREAM)
			snprintf(text + n, sizeof(text) - n, " %u>%u", (unsigned)l->streams[i].sent,
				(unsigned)l->streams[i].received);
	}
	assert_string_equal(text, expected);
}

static void in_order(void **state)
{
	(void)state;
	add(10, 12, SYNC_TCP, unknown);
	add(20, 22, SYNC_TCP, unknown);
	add(20, 21, SYNC_TCP, unknown);
	add(5, 30, SYNC_TCP, unknown);
	are("5-30, 10-12, 20-21, 20-22");
	assert_null(m.links[0].kinds);
	assert_null(m.links[0].streams);
}

/* The first ones were all TCP, of unknown streams. */
static void kinds_and_streams_come_later(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		add(1000 - i, 2000, SYNC_TCP, unknown);
	add(30, 31, SYNC_UDP, unknown);
	add(20, 21, SYNC_TCP, (struct sync_streams){ .sent = 3, .received = 4 });
	add(10, 11, SYNC_UDP, (struct sync_streams){ .sent = SYNC_NO_STREAM, .received = 7 });
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	const struct sync_link *l = &m.links[0];
	assert_int_equal(l->n, 103);
	for (size_t i = 0; i < l->n; i++) {
		assert_true(i == 0 || l->messages[i - 1].sent < l->messages[i].sent);
		assert_int_equal(l->kinds[i], i == 0 || i == 2 ? SYNC_UDP : SYNC_TCP);
		assert_int_equal(l->streams[i].sent, i == 1 ? 3 : SYNC_NO_STREAM);
		assert_int_equal(l->streams[i].received, i == 0 ? 7 : i == 1 ? 4 : SYNC_NO_STREAM);
	}
}

static void streams_of_the_same_time(void **state)
{
	(void)state;
	static const struct sync_streams s[] = { { .sent = 2, .received = 5 },
		{ .sent = 1, .received = 6 }, { .sent = 1, .received = 4 },
		{ .sent = 3, .received = 1 } };
	for (int i = 0; i < 4; i++)
		add(10, 12, i == 1 ? SYNC_UDP : SYNC_TCP, s[i]);
	add(9, 12, SYNC_TCP, s[0]);
	are("9-12 2>5, 10-12 1>4, 10-12u 1>6, 10-12 2>5, 10-12 3>1");
}

/* Received before one that was sent earlier. */
static void reordered(void **state)
{
	(void)state;
	static const int64_t received[] = { 12, 11, 12, 20, 13, 14, 21 };
	for (int i = 0; i < 7; i++)
		add(i, received[i], SYNC_TCP, unknown);
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	assert_int_equal(m.links[0].n_reordered, 3);
	assert_int_equal(sync_messages_finish(&m, &err), 0); /* again: not twice */
	assert_int_equal(m.links[0].n_reordered, 3);
}

static void links(void **state)
{
	(void)state;
	static const uint32_t ends[][2] = { { 2, 0 }, { 0, 1 }, { 1, 1 }, { 0, 2 }, { 1, 0 } };
	for (size_t i = 0; i < 5; i++) {
		struct sync_link *l = sync_messages_link(&m, ends[i][0], ends[i][1]);
		assert_non_null(l);
		assert_int_equal(
			sync_link_add(l, (struct sync_message){ (int64_t)i, 10 }, SYNC_TCP, &err),
			0);
		assert_int_equal(m.n_links, i + 1);
	}
	assert_int_equal(sync_messages_finish(&m, &err), 0);
	for (size_t i = 1; i < 5; i++)
		assert_true(m.links[i - 1].from < m.links[i].from ||
			    (m.links[i - 1].from == m.links[i].from &&
				    m.links[i - 1].to < m.links[i].to));
	for (size_t i = 0; i < 5; i++) { /* found also when they were put in order */
		const struct sync_link *l = sync_messages_link(&m, ends[i][0], ends[i][1]);
		assert_true(l->from == ends[i][0] && l->to == ends[i][1] && l->n == 1);
		assert_int_equal(l->messages[0].sent, i);
	}
	assert_int_equal(m.n_links, 5);
}

static void places(void **state)
{
	(void)state;
	/* The second two share a place among the recent ones. */
	static const uint32_t endpoints[] = { 7, 8, 8 + SYNC_RECENT, 8, 7, 8 + SYNC_RECENT };
	for (size_t i = 0; i < 6; i++)
		assert_true(sync_messages_place(
			&m, endpoints[i], endpoints[i] + 1, (uint16_t)(endpoints[i] + 2)));
	assert_int_equal(m.n_places, 3);
	for (size_t i = 0; i < 3; i++) {
		const uint32_t *at = mer_map_get(&m.endpoints, endpoints[i]);
		assert_non_null(at);
		assert_int_equal(*at, i + 1);
		assert_int_equal(m.places[i].address, endpoints[i] + 1);
		assert_int_equal(m.places[i].port, endpoints[i] + 2);
	}
}

static void names(void **state)
{
	(void)state;
	static const char *const expected[SYNC_N_KINDS] = { "tcp", "udp", "icmp", "vmsync", "user",
		"stay", "mpi", "round" };
	for (int i = 0; i < SYNC_N_KINDS; i++)
		assert_string_equal(sync_kind_name((enum sync_kind)i), expected[i]);
}

/* Each pair of hosts has one link in each direction, in whatever order they are asked for. */
static void many_links(void **state)
{
	enum { HOSTS = 40, N = 20000 };
	static uint32_t number[HOSTS][HOSTS]; /* plus 1 */
	uint64_t seed = 1;
	(void)state;
	for (int i = 0; i < N; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint32_t from = (uint32_t)(seed >> 33) % HOSTS, to = (uint32_t)(seed >> 48) % HOSTS;
		const struct sync_link *l = sync_messages_link(&m, from, to);
		assert_non_null(l);
		assert_int_equal(l->from, from);
		assert_int_equal(l->to, to);
		if (!number[from][to])
			number[from][to] = (uint32_t)m.n_links;
		assert_int_equal(l - m.links + 1, number[from][to]);
	}
	assert_int_equal(m.n_links, HOSTS * HOSTS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(in_order),
		TEST(kinds_and_streams_come_later),
		TEST(streams_of_the_same_time),
		TEST(reordered),
		TEST(links),
		TEST(many_links),
		TEST(places),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
