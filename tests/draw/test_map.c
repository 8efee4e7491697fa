/* Maps of disks: a panel for each disk, a point for each row in the middle of its time and place,
 * and what is said of those that are many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "draw/chart_table.h"

enum { BEGIN, END, HOST, DISK, NAME, SECTOR, SECTOR_END, REQUESTS, N };
static const struct mer_column columns[N + 1] = {
	[BEGIN] = { "begin", "Begin", MER_TIME },
	[END] = { "end", "End", MER_TIME },
	[HOST] = { "host", "Host", MER_TEXT },
	[DISK] = { "disk", "Disk", MER_TEXT },
	[NAME] = { "name", "Name", MER_TEXT },
	[SECTOR] = { "sector", "Sector", MER_ID },
	[SECTOR_END] = { "sector_end", "Sector end", MER_ID },
	[REQUESTS] = { "requests", "Requests", MER_COUNT },
};

static struct mer_table table;
static struct mer_str svg;
static struct mer_err err;

static void add(const char *host, const char *disk, const char *name, int64_t requests)
{
	mer_table_add(&table,
		(struct mer_cell[N]){ MER_INT(1000), MER_INT(3000), mer_text(host), mer_text(disk),
			mer_text(name), MER_INT(10), MER_INT(30), MER_INT(requests) });
}

static int begin(void **state)
{
	(void)state;
	mer_table_init(&table, "map", "Where requests went", columns, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	mer_table_fini(&table);
	mer_str_fini(&svg);
	return 0;
}

static void draw(bool many_hosts)
{
	mer_str_clear(&svg);
	assert_int_equal(draw_map(&table, many_hosts, &svg, &err), 0);
}

static size_t times(const char *text)
{
	size_t n = 0;
	for (const char *p = svg.data; (p = strstr(p, text)); p++)
		n++;
	return n;
}

static void panels(void **state)
{
	(void)state;
	add("h", "sda", "disk read", 1);
	add("h", "sda", "disk write", 1);
	add("h", "sdb", "disk read", 1);
	add("i", "sdb", "disk read", 1);
	add("i", "sdb", "disk read", 1);
	draw(false);
	assert_int_equal(times(">sda<"), 1);
	assert_int_equal(times(">sdb<"), 2);
	assert_int_equal(times(">disk read (1)</text>"), 2);
	assert_int_equal(times(">disk read (2)</text>"), 1);
	assert_int_equal(times(">disk write (1)</text>"), 1);
	assert_int_equal(times("disk discard"), 0);
	assert_int_equal(times("requests as"), 0);
	draw(true);
	assert_int_equal(times(">h: sda<"), 1);
	assert_int_equal(times(">h: sdb<"), 1);
	assert_int_equal(times(">i: sdb<"), 1);
}

static void several_as_one(void **state)
{
	(void)state;
	add("h", "sda", "disk read", 2);
	draw(false);
	assert_int_equal(times("2 requests as 1 point: those near each other"), 1);
	assert_int_equal(times(">disk read (2)</text>"), 1);
	add("h", "sda", "disk discard", 7);
	draw(false);
	assert_int_equal(times("9 requests as 2 points: those near each other"), 1);
	assert_int_equal(times(">disk discard (7)</text>"), 1);
}

static void not_too_many(void **state)
{
	char disk[13][16];
	(void)state;
	for (int i = 0; i < 13; i++) {
		snprintf(disk[i], sizeof(disk[i]), "sd%d", i);
		if (i < 12)
			add("h", disk[i], "disk read", 1);
	}
	draw(false);
	assert_int_equal(times(">sd11<"), 1);
	assert_int_equal(times("more disks are not drawn"), 0);
	add("h", disk[12], "disk read", 1);
	draw(false);
	assert_int_equal(times(">sd11<"), 1);
	assert_int_equal(times(">sd12<"), 0);
	assert_int_equal(times("more disks are not drawn"), 1);
}

static void other_tables(void **state)
{
	(void)state;
	draw(false); /* no rows */
	assert_int_equal(times("disk read"), 0);
	for (int i = 0; i < N; i++) {
		struct mer_column some[N + 1];
		struct mer_table t;
		memcpy(some, columns, sizeof(some));
		some[i].key = some[i].type == MER_TEXT || some[i].type == MER_ID ? "other" : "at";
		mer_table_init(&t, "other", NULL, some, NULL);
		assert_int_equal(draw_map(&t, false, &svg, &err), MER_ERR_USAGE);
		assert_string_equal(err.text, "the table 'other' is no map");
		mer_table_fini(&t);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(panels),
		TEST(several_as_one),
		TEST(not_too_many),
		TEST(other_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
