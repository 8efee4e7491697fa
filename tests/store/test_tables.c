/* The tables of a saved world: one number in them is changed, with all checksums as they would be.
 * What can be opens; what cannot be is refused, with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "kernel/files/files.h"
#include "scenario.h"
#include "store/heads.h"
#include "store/record.h"
#include "store/types.h"

enum { TABLE_AT = 32, N_AT = 40, HASH_AT = 56 };

static const uint8_t key[STORE_KEY_BYTES] = "tables of worlds";

#define SWITCH(at, from, to)                                                                       \
	at "us 0 sched_switch prev_comm=\"t" from "\" prev_tid=" from                              \
	   " prev_state=1 next_comm=\"t" to "\" next_tid=" to "\n"

struct stored {
	struct scenario s;
	char path[40];
	uint8_t *bytes;
	size_t n;
};

static int make(void **state)
{
	static struct stored x;
	struct mer_err err = { 0 };
	scenario_open(&x.s, "host h\n" SWITCH("10", "0", "1") SWITCH("20", "1",
				    "2") "22us 0 "
					 "syscall_entry_read fd=3 "
					 "count=9\n24us 0 "
					 "syscall_exit_read ret=9 "
					 "buf=0\n" SWITCH("30", "2", "3") SWITCH("40", "3", "1")
						 SWITCH("50", "1", "0"));
	snprintf(x.path, sizeof(x.path), "/tmp/test_tables.XXXXXX");
	int fd = mkstemp(x.path);
	assert_true(fd >= 0 && close(fd) == 0);
	if (store_record(&(struct store_target){ .path = x.path, .key = key, .about = "scenario" },
		    x.s.e, &x.s.messages, NULL, NULL,
		    &(struct kernel_world_options){ .n_threads = 1 }, &err))
		fail_msg("%s", err.text);
	struct store_file f;
	assert_int_equal(store_file_open(&f, x.path, key, &err), 0);
	x.n = f.file.size;
	x.bytes = malloc(x.n);
	assert_non_null(x.bytes);
	memcpy(x.bytes, f.file.data, x.n);
	store_file_close(&f);
	*state = &x;
	return 0;
}

static int clear(void **state)
{
	struct stored *x = *state;
	scenario_close(&x->s);
	free(x->bytes);
	return unlink(x->path);
}

static struct store_section *section(const struct stored *x, uint32_t type, uint32_t number)
{
	uint64_t table, n;
	memcpy(&table, x->bytes + TABLE_AT, 8);
	memcpy(&n, x->bytes + N_AT, 8);
	struct store_section *s = (struct store_section *)(void *)(x->bytes + table);
	for (uint64_t i = 0; i < n; i++)
		if (s[i].type == type && s[i].host == 0 && s[i].number == number)
			return &s[i];
	fail_msg("no section %u", (unsigned)type);
	return NULL;
}

static void set_hashes(struct stored *x, struct store_section *s)
{
	uint64_t table, n;
	memcpy(&table, x->bytes + TABLE_AT, 8);
	memcpy(&n, x->bytes + N_AT, 8);
	s->hash = mer_hash(x->bytes + s->at, s->bytes);
	uint64_t parts[2] = { mer_hash(x->bytes, HASH_AT),
		mer_hash(x->bytes + table, n * sizeof(struct store_section)) };
	uint64_t hash = mer_hash(parts, sizeof(parts));
	memcpy(x->bytes + HASH_AT, &hash, 8);
}

/* NULL: it opens. */
static void opens(struct stored *x, const char *why)
{
	struct store *s;
	struct mer_err err = { 0 };
	char expected[200] = "";
	FILE *f = fopen(x->path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(x->bytes, 1, x->n, f), x->n);
	assert_int_equal(fclose(f), 0);
	int rc = store_open(x->path, key, x->s.e, &s, &err);
	if (why)
		snprintf(expected, sizeof(expected), "%s: damaged: it has %s", x->path, why);
	assert_string_equal(err.text, expected);
	assert_int_equal(rc, why ? MER_ERR_INPUT : 0);
	if (rc == 0)
		store_close(s);
}

static void with(struct stored *x, uint32_t type, uint32_t number, size_t at, uint64_t v,
	size_t bytes, const char *why)
{
	struct store_section *s = section(x, type, number);
	uint8_t *to = x->bytes + s->at + at, before[8];
	assert_true(bytes <= 8 && at + bytes <= s->bytes);
	memcpy(before, to, bytes);
	memcpy(to, &v, bytes);
	set_hashes(x, s);
	opens(x, why);
	memcpy(to, before, bytes);
	set_hashes(x, s);
}

/* The section has one element less, as far as it says; or elements of another size. */
static void shorter(
	struct stored *x, uint32_t type, size_t bytes_each, const char *less, const char *other)
{
	struct store_section *s = section(x, type, 0), before = *s;
	assert_true(s->n > 0);
	s->n--;
	s->bytes -= bytes_each;
	set_hashes(x, s);
	opens(x, less);
	*s = before;
	s->n += 1;
	set_hashes(x, s);
	opens(x, other);
	*s = before;
	set_hashes(x, s);
}

#define IN(type_, row_, member_)                                                                   \
	(row_) * sizeof(struct type_) + offsetof(struct type_, member_),                           \
		sizeof(((struct type_ *)0)->member_)

static void put(
	struct stored *x, uint32_t type, size_t at, size_t bytes, uint64_t v, const char *why)
{
	with(x, type, 0, at, v, bytes, why);
}

static const char tables[] = "tables that cannot be", names[] = "names that cannot be",
		  a_host[] = "a host that cannot be", a_table[] = "a table of names that cannot be",
		  hosts[] = "hosts that cannot be";

/* A number of something that is there, of the last one, of none: these can be. */
static void number(struct stored *x, uint32_t type, size_t at, size_t bytes, uint64_t n)
{
	put(x, type, at, bytes, 0, NULL);
	put(x, type, at, bytes, n - 1, NULL);
	put(x, type, at, bytes, n, tables);
	put(x, type, at, bytes, KERNEL_NONE - 1, tables);
	put(x, type, at, bytes, KERNEL_NONE, NULL);
}

static void tasks(void **state)
{
	struct stored *x = *state;
	const struct store_host_head *head = (void *)(x->bytes + section(x, STORE_HOST, 0)->at);
	uint64_t n_tasks = section(x, STORE_TASKS, 0)->n, n_spans = head->n_spans,
		 n_names = section(x, STORE_TEXT_ENDS, 0)->n,
		 n_renames = section(x, STORE_RENAMES, 0)->n;
	assert_true(n_tasks >= 3 && n_spans > 3 && n_names >= 3 && n_renames >= 3);
	opens(x, NULL);
	for (size_t row = 0; row < n_tasks; row += n_tasks - 1) {
		number(x, STORE_TASKS, IN(kernel_task, row, parent), n_tasks);
		number(x, STORE_TASKS, IN(kernel_task, row, last), n_spans);
		number(x, STORE_TASKS, IN(kernel_task, row, name), n_renames);
	}
	for (size_t row = 0; row < n_renames; row += n_renames - 1) {
		put(x, STORE_RENAMES, IN(kernel_name, row, name), n_names - 1, NULL);
		put(x, STORE_RENAMES, IN(kernel_name, row, name), n_names, tables);
		put(x, STORE_RENAMES, IN(kernel_name, row, name), KERNEL_NONE, tables);
		/* Others before it have lower numbers. */
		if (row)
			put(x, STORE_RENAMES, IN(kernel_name, row, before), row - 1, NULL);
		put(x, STORE_RENAMES, IN(kernel_name, row, before), row, tables);
		put(x, STORE_RENAMES, IN(kernel_name, row, before), KERNEL_NONE, NULL);
	}
	shorter(x, STORE_TASKS, sizeof(struct kernel_task), "spans that do not belong together",
		tables);
}

static void calls(void **state)
{
	struct stored *x = *state;
	uint64_t n_names = section(x, STORE_TEXT_ENDS, 0)->n;
	assert_true(section(x, STORE_CALLS, 0)->n >= 1);
	number(x, STORE_CALLS, IN(kernel_call, 0, name), n_names);
	number(x, STORE_CALLS, IN(kernel_call, 0, object), n_names);
	put(x, STORE_CALLS, IN(kernel_call, 0, kind), KERNEL_N_OBJECT_KINDS - 1, NULL);
	put(x, STORE_CALLS, IN(kernel_call, 0, kind), KERNEL_N_OBJECT_KINDS, tables);
	put(x, STORE_CALLS, IN(kernel_call, 0, id), kernel_n_call_rows, NULL);
	put(x, STORE_CALLS, IN(kernel_call, 0, id), kernel_n_call_rows + 1, tables);
}

/* Texts end where it is said, with a NUL, one behind the other. */
static void texts(void **state)
{
	struct stored *x = *state;
	const struct store_section *ends = section(x, STORE_TEXT_ENDS, 0);
	const uint64_t *end = (const void *)(x->bytes + ends->at);
	uint64_t n = ends->n, bytes = section(x, STORE_TEXTS, 0)->n;
	put(x, STORE_TEXT_ENDS, 0, 8, end[0] + 1, names);
	put(x, STORE_TEXT_ENDS, 8, 8, end[0], names); /* before it began */
	put(x, STORE_TEXT_ENDS, (n - 1) * 8, 8, bytes, names);
	put(x, STORE_TEXT_ENDS, (n - 1) * 8, 8, UINT64_MAX, names);
	put(x, STORE_TEXTS, end[0], 1, 'x', names);
	put(x, STORE_TEXTS, bytes - 1, 1, 'x', names);
	put(x, STORE_TEXTS, end[1] - 1, 1, 'x', NULL);
	shorter(x, STORE_TEXTS, 1, names, names);
}

static void heads(void **state)
{
	struct stored *x = *state;
	uint64_t at = section(x, STORE_HOST, 0)->at;
	struct store_host_head head;
	memcpy(&head, x->bytes + at, sizeof(head));
	put(x, STORE_HOST, IN(store_host_head, 0, n_spans), KERNEL_NONE, a_host);
	put(x, STORE_HOST, IN(store_host_head, 0, n_requests), KERNEL_NONE, a_host);
	put(x, STORE_HOST, IN(store_host_head, 0, n_requests), 1, tables);
	/* Of so many spans there are other blocks. */
	put(x, STORE_HOST, IN(store_host_head, 0, n_spans), head.n_spans + KERNEL_CHUNK,
		"spans that do not belong together");
	put(x, STORE_WORLD, IN(store_world_head, 0, n_hosts), 2, hosts);
	put(x, STORE_WORLD, IN(store_world_head, 0, n_hosts), 0, hosts);
	put(x, STORE_WORLD, IN(store_world_head, 0, n_bridges), 1, tables);
	shorter(x, STORE_HOST, sizeof(head), a_host, a_host);
	shorter(x, STORE_WORLD, sizeof(struct store_world_head), hosts, hosts);
}

/* Maps have 2^k slots, of which one is free; their values are names. */
static void maps(void **state)
{
	struct stored *x = *state;
	struct store_section *s = section(x, STORE_MAP, STORE_MAP_DEVICES), before = *s;
	uint64_t n_names = section(x, STORE_TEXT_ENDS, 0)->n;
	struct mer_map_slot slots[4] = { { .used = 1, .value = (uint32_t)n_names },
		{ .used = 1, .value = 0 }, { .used = 1, .value = 1 } };
	/* Sections have places of 64 bytes, and nobody looks at these when a store is opened. */
	size_t place = section(x, STORE_LEVELS, 0)->at;
	uint8_t saved[sizeof(slots)];
	assert_int_equal(s->n, 0);
	memcpy(saved, x->bytes + place, sizeof(saved));
	for (int i = 0; i < 6; i++) {
		static const struct {
			uint64_t n;
			uint32_t value, last;
			bool ok;
		} cases[] = { { 4, 0, 0, true }, { 4, 1, 0, false }, { 4, 0, 1, false },
			{ 2, 0, 0, false }, { 3, 0, 0, false }, { 1, 0, 0, false } };
		slots[0].value = (uint32_t)n_names + cases[i].value;
		slots[3].used = cases[i].last != 0;
		memcpy(x->bytes + place, slots, sizeof(slots));
		s->at = place;
		s->n = cases[i].n;
		s->bytes = s->n * sizeof(slots[0]);
		set_hashes(x, section(x, STORE_LEVELS, 0));
		set_hashes(x, s);
		opens(x, cases[i].ok ? NULL : a_table);
	}
	memcpy(x->bytes + place, saved, sizeof(saved));
	*s = before;
	set_hashes(x, section(x, STORE_LEVELS, 0));
	set_hashes(x, s);
	opens(x, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks),
		cmocka_unit_test(calls),
		cmocka_unit_test(texts),
		cmocka_unit_test(heads),
		cmocka_unit_test(maps),
	};
	return cmocka_run_group_tests(tests, make, clear);
}
