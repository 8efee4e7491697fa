/* Join: which event gets the bytes of which probe. A record is its id, the address of the packet
 * and a byte; what came out is text: "e1" an event without bytes, "e1=7" with those that begin
 * with 7, "p7" a probe, "x" another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/str.h"
#include "ftrace/join.h"

enum { US = 1000, RECORD = 12 + 20 };

struct test {
	struct ftrace_join *join;
	struct mer_str out;
	uint64_t last;
	struct mer_err err;
};

static const struct ftrace_part sends = { FTRACE_PART_PACKET, true, false, 4, 0, 0 };
static const struct ftrace_part receives = { FTRACE_PART_PACKET, false, true, 4, 0, 0 };
static const struct ftrace_part tx = { FTRACE_PART_BYTES, true, false, 4, 12, 20 };
static const struct ftrace_part rx = { FTRACE_PART_BYTES, false, true, 4, 12, 20 };
static const struct ftrace_part other = { 0 };

static int write(void *arg, const struct ftrace_joined *r, struct mer_err *err)
{
	struct test *t = arg;
	(void)err;
	assert_true(r->time >= t->last); /* in their order */
	t->last = r->time;
	mer_str_printf(&t->out, "%s%c", t->out.len ? " " : "", r->data[0]);
	if (r->data[0] == 'p')
		mer_str_printf(&t->out, "%u", (unsigned)r->data[12]);
	if (r->data[0] == 'e')
		mer_str_printf(&t->out, "%u", (unsigned)r->data[4]);
	if (r->bytes)
		mer_str_printf(&t->out, "=%u", (unsigned)r->bytes[0]);
	return 0;
}

static void open_it(struct test *t)
{
	*t = (struct test){ 0 };
	t->join = ftrace_join_new(false, write, t);
	assert_non_null(t->join);
}

static void record(
	struct test *t, const struct ftrace_part *part, uint64_t us, unsigned skb, unsigned byte)
{
	uint8_t data[RECORD] = { 0 };
	data[0] = part->kind == FTRACE_PART_PACKET ? 'e' : part->kind ? 'p' : 'x';
	data[4] = (uint8_t)skb;
	data[12] = (uint8_t)byte;
	assert_int_equal(
		ftrace_join_record(t->join, part, us * US, data, sizeof(data), &t->err), 0);
	memset(data, 0xee, sizeof(data)); /* it is not borrowed */
}

static void came_out(struct test *t, const char *expected)
{
	assert_int_equal(ftrace_join_flush(t->join, &t->err), 0);
	assert_string_equal(t->out.len ? t->out.data : "", expected);
	mer_str_fini(&t->out);
	ftrace_join_free(t->join);
}

static void the_probe_is_later(void **state)
{
	(void)state;
	struct test t;
	open_it(&t);
	record(&t, &sends, 10, 1, 0);
	assert_int_equal(t.out.len, 0); /* it waits, and what follows does */
	record(&t, &other, 11, 0, 0);
	assert_int_equal(t.out.len, 0);
	record(&t, &tx, 12, 1, 7);
	assert_string_equal(t.out.data, "e1=7 x p7");
	/* Once the order is known an interrupt may come between. */
	record(&t, &sends, 20, 2, 0);
	record(&t, &other, 4000, 0, 0);
	record(&t, &tx, 4020, 2, 8);
	/* Receiving has an order of its own, which is not known yet. */
	record(&t, &receives, 5000, 2, 0);
	record(&t, &rx, 9000, 2, 9);
	came_out(&t, "e1=7 x p7 e2=8 x p8 e2 p9");
}

static void the_probe_is_earlier(void **state)
{
	(void)state;
	struct test t;
	open_it(&t);
	record(&t, &tx, 10, 1, 7);
	record(&t, &other, 11, 0, 0);
	record(&t, &sends, 12, 1, 0);
	/* Nothing waits, and a later probe is that of a later event. */
	record(&t, &sends, 20, 1, 0);
	assert_string_equal(t.out.data, "p7 x e1=7 e1");
	record(&t, &tx, 21, 1, 8);
	record(&t, &other, 4000, 0, 0);
	record(&t, &sends, 4010, 1, 0);
	came_out(&t, "p7 x e1=7 e1 p8 x e1=8");
}

/* A packet that is sent to oneself is received with the same address. */
static void both_ways(void **state)
{
	(void)state;
	struct test t;
	open_it(&t);
	record(&t, &sends, 10, 1, 0);
	record(&t, &receives, 11, 1, 0);
	record(&t, &rx, 12, 1, 8);
	record(&t, &tx, 13, 1, 7);
	came_out(&t, "e1=7 e1=8 p8 p7");
}

static void a_probe_is_missing(void **state)
{
	(void)state;
	struct test t;
	open_it(&t);
	record(&t, &sends, 10, 1, 0);
	record(&t, &tx, 11, 1, 7);
	record(&t, &sends, 12, 1, 0); /* its address is used again */
	record(&t, &sends, 13, 1, 0);
	record(&t, &tx, 14, 1, 8);
	record(&t, &sends, 15, 2, 0); /* too long ago */
	record(&t, &tx, 25015, 2, 9);
	came_out(&t, "e1=7 p7 e1 e1=8 p8 e2 p9");
}

static void many_wait(void **state)
{
	(void)state;
	struct test t;
	open_it(&t);
	record(&t, &sends, 10, 1, 0);
	for (unsigned i = 0; i < 200; i++)
		record(&t, &other, 11, 0, 0);
	assert_true(t.out.len > 0); /* it is given up, not kept */
	record(&t, &tx, 12, 1, 7);
	assert_int_equal(ftrace_join_flush(t.join, &t.err), 0);
	assert_int_equal(strncmp(t.out.data, "e1 x x", 6), 0);
	mer_str_fini(&t.out);
	ftrace_join_free(t.join);
}

#define COMMON                                                                                     \
	"field:unsigned short common_type; offset:0; size:2; signed:0;\n"                          \
	"field:unsigned char common_flags; offset:2; size:1; signed:0;\n"                          \
	"field:int common_pid; offset:4; size:4; signed:1;\n\n"
static void formats(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"name: net_dev_queue\nID: 1\nformat:\n" COMMON
		"field:void * skbaddr; offset:8; size:8; signed:0;\n"
		"field:unsigned int len; offset:16; size:4; signed:0;\n",
		"name: rx\nID: 2\nformat:\n" COMMON "field:u64 skb; offset:8; size:8; signed:0;\n"
		"field:u8 hdr[60]; offset:16; size:60; signed:0;\n",
		/* too little for a header */
		"name: tx\nID: 3\nformat:\n" COMMON "field:u64 skb; offset:8; size:8; signed:0;\n"
		"field:u8 hdr[8]; offset:16; size:8; signed:0;\n",
		"name: netif_rx\nID: 4\nformat:\n" COMMON
		"field:void * skbaddr; offset:8; size:8; signed:0;\n",
	};
	static const char *const systems[] = { "net", "mer", "mer", "net" };
	struct ftrace_formats f = { 0 };
	struct mer_arena a;
	mer_arena_init(&a);
	assert_true(ftrace_formats_add(&f, &a, systems[0], texts[0], strlen(texts[0]), 8));
	assert_false(ftrace_has_bytes(&f));
	for (int i = 1; i < 4; i++)
		assert_true(ftrace_formats_add(&f, &a, systems[i], texts[i], strlen(texts[i]), 8));
	assert_true(ftrace_has_bytes(&f));
	struct ftrace_part p = ftrace_part_of(f.by_id[1]);
	assert_true(p.kind == FTRACE_PART_PACKET && p.can_send && !p.can_receive && p.skb == 8);
	p = ftrace_part_of(f.by_id[2]);
	assert_true(p.kind == FTRACE_PART_BYTES && !p.can_send && p.can_receive);
	assert_true(p.skb == 8 && p.bytes == 16 && p.n_bytes == 60);
	assert_int_equal(ftrace_part_of(f.by_id[3]).kind, FTRACE_PART_NONE);
	assert_int_equal(ftrace_part_of(f.by_id[4]).kind, FTRACE_PART_NONE);
	mer_arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_probe_is_later),
		cmocka_unit_test(the_probe_is_earlier), cmocka_unit_test(both_ways),
		cmocka_unit_test(a_probe_is_missing), cmocka_unit_test(many_wait),
		cmocka_unit_test(formats) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
