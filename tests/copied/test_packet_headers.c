/* Packet headers: the bytes of the fields, of packets worked out by hand; nothing beyond what is
 * known of a packet is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "copied/packet_headers.h"

enum { UNKNOWN, IPV4, IPV6 };
enum { TCP = 1, UDP, ICMP };

/* version and length, ..., total length, id, fragment, ttl, protocol, sum, 10.0.0.1, 10.0.0.2 */
#define IP(head, total, fragment, protocol)                                                        \
	head, 0, 0, total, 0x12, 0x34, (fragment) >> 8, (fragment)&255, 64, protocol, 0, 0, 10, 0, \
		0, 1, 10, 0, 0, 2
#define TRANSPORT                                                                                  \
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x80, 0x18, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24

/* Of a copy that ends where the known bytes do: a read beyond is found by ASan. */
static size_t put(const uint8_t *bytes, size_t n, uint8_t *out)
{
	uint8_t *copy = malloc(n + !n);
	assert_non_null(copy);
	if (n)
		memcpy(copy, bytes, n);
	size_t len = copied_put_headers(copy, n, out);
	free(copy);
	assert_true(len >= 1 && len <= COPIED_HEADERS_MOST);
	return len;
}

static void of_ipv4(void **state)
{
	(void)state;
	uint8_t out[COPIED_HEADERS_MOST];
	const struct {
		uint8_t protocol, type;
		size_t bytes;
	} all[] = { { 6, TCP, 20 }, { 17, UDP, 8 }, { 1, ICMP, 8 }, { 47, UNKNOWN, 0 } };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const uint8_t ip[] = { IP(0x45, 44, 0x4000, all[i].protocol), TRANSPORT };
		assert_int_equal(put(ip, sizeof(ip), out), 1 + 20 + 1 + all[i].bytes);
		assert_int_equal(out[0], IPV4);
		assert_memory_equal(out + 1, ip, 20);
		assert_int_equal(out[21], all[i].type);
		assert_memory_equal(out + 22, ip + 20, all[i].bytes);
	}
	/* With options the transport's header is behind them. */
	const uint8_t with[] = { IP(0x46, 48, 0, 6), 7, 7, 7, 7, TRANSPORT };
	assert_int_equal(put(with, sizeof(with), out), 42);
	assert_memory_equal(out + 22, with + 24, 20);
}

static void of_ipv6(void **state)
{
	(void)state;
	uint8_t out[COPIED_HEADERS_MOST], ip[64] = { 0x60, 0, 0, 0, 0, 24, 6, 64, 0xfe, 0x80 };
	const uint8_t transport[] = { TRANSPORT };
	memcpy(ip + 40, transport, sizeof(transport));
	assert_int_equal(put(ip, sizeof(ip), out), COPIED_HEADERS_MOST);
	assert_int_equal(out[0], IPV6);
	assert_memory_equal(out + 1, ip, 40);
	assert_int_equal(out[41], TCP);
	assert_memory_equal(out + 42, transport, 20);
	ip[6] = 0; /* extension headers are not gone through */
	assert_int_equal(put(ip, sizeof(ip), out), 42);
	assert_int_equal(out[41], UNKNOWN);
	ip[6] = 1; /* ICMP of the other version */
	put(ip, sizeof(ip), out);
	assert_int_equal(out[41], UNKNOWN);
}

static void what_is_not_known(void **state)
{
	(void)state;
	uint8_t out[COPIED_HEADERS_MOST];
	const uint8_t arp[40] = { 0, 1, 8, 0 };
	assert_int_equal(put(arp, sizeof(arp), out), 1);
	assert_int_equal(out[0], UNKNOWN);
	assert_int_equal(put(NULL, 0, out), 1);
	assert_int_equal(out[0], UNKNOWN);
	/* Cut at each byte: never more than there is. */
	const uint8_t ip[] = { IP(0x45, 44, 0, 6), TRANSPORT };
	for (size_t n = 0; n < sizeof(ip); n++) {
		size_t len = put(ip, n, out);
		assert_int_equal(len, n < 20 ? 1 : n < 40 ? 22 : 42);
	}
	/* What lies behind the packet's end is whatever was in memory. */
	const uint8_t small[] = { IP(0x45, 30, 0, 6), TRANSPORT };
	assert_int_equal(put(small, sizeof(small), out), 22);
	assert_int_equal(out[21], UNKNOWN);
	/* A length of 0 says nothing: larger than it can tell. */
	const uint8_t large[] = { IP(0x45, 0, 0, 6), TRANSPORT };
	assert_int_equal(put(large, sizeof(large), out), 42);
	/* A later fragment begins with data. */
	const uint8_t later[] = { IP(0x45, 44, 0x2001, 6), TRANSPORT };
	assert_int_equal(put(later, sizeof(later), out), 22);
	/* Headers that lie. */
	const uint8_t no_head[] = { IP(0x44, 44, 0, 6), TRANSPORT };
	assert_int_equal(put(no_head, sizeof(no_head), out), 1);
	const uint8_t less[] = { IP(0x4f, 44, 0, 6), TRANSPORT };
	assert_int_equal(put(less, sizeof(less), out), 1);
	assert_int_equal(out[0], UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(of_ipv4), cmocka_unit_test(of_ipv6),
		cmocka_unit_test(what_is_not_known) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
