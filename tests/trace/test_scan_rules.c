/* Finding packets, each rule by itself: where reading goes on behind damage, what an index is
 * worth, what is counted. */
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
#include "trace/walk.h"

#define MS INT64_C(1000000)

/* Three packets of 4096 bytes with an event each, then what damages them. The numbers of the events
 * that are read, and what is said. */
static void read_is(const char *settings, const char *damage, const char *expected)
{
	struct scenario s;
	struct mer_str out = { 0 };
	struct mer_cursor *c;
	struct mer_err err;
	const struct mer_event *ev;
	size_t n;
	char text[1000];
	snprintf(text, sizeof(text),
		"host a\ntrace a/kernel { header plain; packet 4096; pad; %s }\n1ms a 0 tick n=1\n"
		"1ms a 0 packet\n2ms a 0 tick n=2\n2ms a 0 packet\n3ms a 0 tick n=3\n%s",
		settings, damage);
	scenario_open(&s, text);
	assert_int_equal(mer_cursor_open(s.e, NULL, &c, &err), 0);
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			int64_t value = -1;
			assert_true(mer_event_int(&ev[i], "n", &value));
			mer_str_printf(&out, "%" PRId64 " ", value);
		}
	} while (n);
	mer_cursor_free(c);
	for (size_t i = 0; i < s.e->diags.n; i++) {
		const struct mer_diag *d = &s.e->diags.rows[i];
		mer_str_printf(&out, "%s(%" PRId64 " %" PRId64 ") ", d->code, d->packet,
			d->offset_bits < 0 ? -1 : d->offset_bits / 8);
	}
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	scenario_close(&s);
}

#define FILE_0 "damage a/kernel/channel0_0 "
#define INDEX_0 "damage a/kernel/index/channel0_0.idx "

/* By the magic number of the next packet, or by the index; without both there is no telling. */
static void behind_damage(void **state)
{
	(void)state;
	read_is("", "", "1 2 3 ");
	read_is("", FILE_0 "flip 4096\n", "1 3 bad-packet(1 4096) lost-packets(-1 -1) ");
	read_is("", FILE_0 "flip 4100\n", "1 3 bad-packet(1 4096) lost-packets(-1 -1) ");
	read_is("", FILE_0 "flip 0\n" FILE_0 "flip 8192\n",
		"2 bad-packet(0 0) bad-packet(2 8192) stream-begins-late(-1 -1) ");
	read_is("without magic", FILE_0 "flip 4096\n", "1 bad-packet(1 4096) ");
	read_is("without magic; index", FILE_0 "flip 4096\n",
		"1 3 bad-packet(1 4096) lost-packets(-1 -1) ");
	/* The index cannot be read: as if there were none. */
	read_is("index", INDEX_0 "flip 0\n", "1 2 3 index-unknown(-1 -1) ");
	read_is("without magic; index", INDEX_0 "flip 0\n" FILE_0 "flip 4096\n",
		"1 index-unknown(-1 -1) bad-packet(1 4096) ");
	/* A file that ends early. */
	read_is("", FILE_0 "truncate 4096\n", "1 2 ");
	read_is("", FILE_0 "truncate 3900\n", "1 2 3 truncated-packet(2 8388) ");
	read_is("index", FILE_0 "truncate 4096\n", "1 2 index-mismatch(2 -1) ");
}

/* Which trace a packet is of, and which it should be of. */
static void other_trace(void **state)
{
	(void)state;
	struct scenario s;
	scenario_open(&s, "host a\ntrace a/kernel { header plain; packet 4096; pad; uuid "
			  "\"00112233-4455-6677-8899-aabbccddeeff\" }\n1ms a 0 tick n=1\n"
			  "1ms a 0 packet\n2ms a 0 tick n=2\n" FILE_0 "flip 4100\n");
	bool found = false;
	for (size_t i = 0; i < s.e->diags.n; i++)
		found |= strstr(s.e->diags.rows[i].message,
				 "its UUID is ff112233-4455-6677-8899-aabbccddeeff, that of the "
				 "metadata 00112233-4455-6677-8899-aabbccddeeff;") != NULL;
	assert_true(found);
	scenario_close(&s);
}

/* Events and their bits: by class and stream, in a range, on any number of threads. */
static void counts(void **state)
{
	(void)state;
	static const struct {
		int64_t begin, end;
		uint64_t ticks, others, first, last; /* of the first stream, in ms; 0: none */
	} cases[] = { { INT64_MIN, INT64_MAX, 3, 2, 1, 4 }, { 2 * MS, 4 * MS, 2, 0, 2, 3 },
		{ 1 * MS, 2 * MS, 1, 1, 1, 1 }, { 4 * MS, INT64_MAX, 0, 1, 4, 4 },
		{ 2 * MS + 1, 3 * MS, 0, 0, 0, 0 } };
	static const char *const headers[] = { "compact", "large", "plain" };
	/* Header, and a number of 64 bits; other: two of them. */
	for (int h = 0; h < 3; h++) {
		struct scenario s;
		char text[1000];
		snprintf(text, sizeof(text),
			"host a\ntrace a/kernel { header %s }\n1ms a 0 tick n=1\n2ms a 0 tick n=2\n"
			"2ms a 0 packet\n3ms a 0 tick n=3\n4ms a 0 other n=1 m=2\n"
			"1ms a 1 other n=1 m=2\n",
			headers[h]);
		scenario_open(&s, text);
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			for (unsigned threads = 1; threads <= 3; threads += 2) {
				struct trace_counts *c;
				struct mer_err err;
				struct trace_range range = { cases[i].begin, cases[i].end };
				assert_int_equal(
					trace_walk_range(s.e, range, threads, NULL, NULL, &c, &err),
					0);
				assert_int_equal(c->all.events, cases[i].ticks + cases[i].others);
				assert_int_equal(c->by_class[0][0].events, cases[i].ticks);
				assert_int_equal(c->by_class[0][1].events, cases[i].others);
				uint64_t bits = c->by_class[0][0].bits + c->by_class[0][1].bits;
				assert_int_equal(c->all.bits, bits);
				assert_int_equal(c->by_stream[0].bits + c->by_stream[1].bits, bits);
				assert_int_equal(c->by_stream[0].events + c->by_stream[1].events,
					c->all.events);
				if (h == 2) {
					assert_int_equal(
						c->by_class[0][0].bits, cases[i].ticks * (96 + 64));
					assert_int_equal(c->by_class[0][1].bits,
						cases[i].others * (96 + 128));
				}
				assert_true(c->first[0] ==
					    (cases[i].first ? (int64_t)cases[i].first * MS
							    : MER_NO_TIME));
				assert_true(
					c->last[0] == (cases[i].last ? (int64_t)cases[i].last * MS
								     : MER_NO_TIME));
				trace_counts_free(c);
			}
		scenario_close(&s);
	}
}

/* Records of no size would never end: the packet ends there, and it is said. */
static void records_of_nothing(void **state)
{
	(void)state;
	char dir[] = "/tmp/scan.XXXXXX", path[100];
	static const char metadata[] =
		"/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n"
		"stream { packet.context := struct { integer { size = 32; } content_size; }; };\n"
		"event { name = nothing; fields := struct { }; };\n";
	static const uint8_t data[] = { 128, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	struct mer_experiment *e;
	struct mer_err err;
	const char *paths[] = { dir };
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, i ? "metadata" : "stream");
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		const void *what = i ? (const void *)metadata : (const void *)data;
		size_t n = i ? sizeof(metadata) - 1 : sizeof(data);
		assert_int_equal(fwrite(what, 1, n, f), n);
		assert_int_equal(fclose(f), 0);
	}
	if (mer_experiment_open(paths, 1, NULL, &e, &err))
		fail_msg("%s", err.text);
	struct mer_cursor *c;
	const struct mer_event *ev;
	size_t n;
	assert_int_equal(mer_cursor_open(e, NULL, &c, &err), 0);
	assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
	assert_int_equal(n, 0);
	mer_cursor_free(c);
	assert_int_equal(e->diags.n_errors, 1);
	assert_string_equal(e->diags.rows[e->diags.n - 1].code, "bad-event");
	mer_experiment_free(e);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, i ? "metadata" : "stream");
		unlink(path);
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_damage),
		cmocka_unit_test(other_trace),
		cmocka_unit_test(records_of_nothing),
		cmocka_unit_test(counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
