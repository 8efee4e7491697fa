/* Lakes: names of folders, days, lists of what is there; and what files have as columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "ask/lake/facts.h"
#include "ask/lake/lake.h"
#include "base/file.h"
#include "base/map.h"
#include "parquet_read.h"

/* ---- Columns ---- */

/* Readers of lakes go by the columns of each kind. Where one is added, removed or changed, raise
 * LAKE_SCHEMA (ask/lake/lake.h), and put the new one and its hash here. */
static void columns_belong_to_the_schema(void **state)
{
	(void)state;
	struct mer_str all = { 0 };
	for (size_t i = 0; analyses[i]; i++) {
		int log = analysis_find_output(analyses[i], "log");
		if (log < 0 || analyses[i]->of_views || analyses[i]->of_periods)
			continue;
		const struct mer_column *c = analyses[i]->outputs[log].columns;
		assert_int_equal(c->type, MER_TIME); /* when it begins */
		for (; c->key; c++) {
			if (strcmp(c->key, "date") == 0)
				fail_msg("%s: a column of the name of a folder", analyses[i]->id);
			mer_str_printf(&all, "%s %s %s\n", analyses[i]->id, c->key,
				mer_type_name(c->type));
		}
	}
	char is[64];
	snprintf(is, sizeof(is), "%s %016llx", LAKE_SCHEMA,
		(unsigned long long)mer_hash(all.data, all.len));
	mer_str_fini(&all);
	assert_string_equal(is, "1 334c4afc47b5fd3e");
}

/* ---- Places ---- */

static void host_is(const char *host, const char *expected)
{
	struct lake_place p;
	assert_true(lake_place_set(&p, "lake", "sched", host, 0xbeef));
	assert_string_equal(p.host, expected);
	assert_string_equal(p.recording, "000000000000beef");
}

static void names_of_hosts(void **state)
{
	(void)state;
	char name[600], other[600];
	struct lake_place a, b;
	host_is("web-1.example_net", "web-1.example_net");
	host_is("..", ".."); /* behind "host=" */
	host_is("../x", "..%2Fx");
	host_is("a=b/c", "a%3Db%2Fc");
	host_is("100%", "100%25");
	host_is("~", "%7E");
	host_is("\xc3\xa4\n", "%C3%A4%0A");
	host_is("", "__HIVE_DEFAULT_PARTITION__");
	/* File names have 255 bytes. */
	for (size_t n = 1; n < sizeof(name); n++) {
		memset(name, n % 2 ? '/' : 'x', n);
		name[n] = '\0';
		memcpy(other, name, sizeof(name));
		other[n - 1] = 'y';
		assert_true(lake_place_set(&a, "lake", "sched", name, 1));
		assert_true(lake_place_set(&b, "lake", "sched", other, 1));
		assert_true(strlen(a.host) <= 255 - strlen("host="));
		assert_string_not_equal(a.host, b.host);
	}
	memset(name, 'x', sizeof(name));
	char *folder = malloc(LAKE_PATH);
	memset(folder, 'x', LAKE_PATH);
	folder[LAKE_PATH - 1] = '\0';
	assert_false(lake_place_set(&a, folder, "sched", "host", 1));
	free(folder);
}

static void date_is(int64_t ns, const char *expected)
{
	char date[LAKE_DATE];
	lake_date(date, ns);
	assert_string_equal(date, expected);
}

static void days(void **state)
{
	(void)state;
	date_is(0, "1970-01-01");
	date_is(-1, "1969-12-31");
	date_is(INT64_C(1700006399999999999), "2023-11-14");
	date_is(INT64_C(1700006400000000000), "2023-11-15");
	date_is(INT64_MAX, "2262-04-11");
	date_is(INT64_MIN, "1677-09-21");
}

/* ---- Lists ---- */

struct lake_folder {
	char path[64];
	struct lake_place place;
};

static void make_folder(struct lake_folder *f)
{
	snprintf(f->path, sizeof(f->path), "/tmp/lake.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	assert_true(lake_place_set(&f->place, f->path, "sched", "web", 7));
}

static void make_file(const struct lake_place *p, const struct lake_file *file)
{
	static const char bytes[4096];
	char path[LAKE_PATH];
	const struct mer_bytes part = { bytes, file->bytes };
	lake_file_path(path, p, file);
	assert_int_equal(lake_make_folders(path, NULL), 0);
	assert_true(mer_file_replace(path, &part, 1));
}

static bool is_there(const struct lake_place *p, const struct lake_file *file)
{
	char path[LAKE_PATH];
	lake_file_path(path, p, file);
	return access(path, F_OK) == 0;
}

static void what_is_current(void **state)
{
	(void)state;
	struct lake_folder f;
	struct lake_list l, none;
	struct lake_file files[] = { { "2026-11-22", 0, 100, 5 }, { "2026-11-23", 2, 200, 6 } };
	make_folder(&f);
	lake_list_read(&none, &f.place);
	assert_int_equal(none.n, 0);
	assert_false(lake_list_is_current(&none, &f.place, "0123456789abcdef"));
	l = (struct lake_list){ .key = "0123456789abcdef", .files = files, .n = 2 };
	assert_int_equal(lake_list_write(&l, &f.place, NULL), 0);
	lake_list_read(&l, &f.place);
	assert_int_equal(l.n, 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(l.files[i].date, files[i].date);
		assert_int_equal(l.files[i].part, files[i].part);
		assert_int_equal(l.files[i].bytes, files[i].bytes);
		assert_int_equal(l.files[i].rows, files[i].rows);
	}
	assert_false(lake_list_is_current(&l, &f.place, "0123456789abcdef"));
	make_file(&f.place, &files[0]);
	assert_false(lake_list_is_current(&l, &f.place, "0123456789abcdef"));
	make_file(&f.place, &files[1]);
	assert_true(lake_list_is_current(&l, &f.place, "0123456789abcdef"));
	assert_false(lake_list_is_current(&l, &f.place, "0123456789abcdee"));
	/* Its own numbers, and others where somebody has a file. */
	assert_int_equal(lake_part(&l, &f.place, "2026-11-23"), 2);
	assert_int_equal(lake_part(&none, &f.place, "2026-11-23"), 0);
	assert_int_equal(lake_part(&none, &f.place, "2026-11-22"), 1);
	/* What is no longer named goes, with folders that are empty then. */
	struct lake_list less = { .files = files, .n = 1 };
	lake_list_remove_others(&l, &less, &f.place);
	assert_true(is_there(&f.place, &files[0]));
	assert_false(is_there(&f.place, &files[1]));
	char path[LAKE_PATH];
	snprintf(path, sizeof(path), "%s/kind=sched/date=2026-11-23", f.path);
	assert_int_not_equal(access(path, F_OK), 0);
	lake_list_fini(&l);
	assert_true(mer_remove_folder(f.path));
}

/* A list that cannot be understood is no reason to keep files; those that it names are still its
 * own. */
static void damaged_lists(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t n;
	} lists[] = { { "", 0 }, { "something else\nkey 0123456789abcdef\n", 0 },
		{ "meridian lake 0\nkey 0123456789abcdef\nfile 2026-11-22 0 10 1\n?\n", 1 },
		{ "meridian lake 1\nkey 0123456789abcdef\nfile ../../../x 0 10 1\n", 0 },
		{ "meridian lake 1\nkey 0123456789abcdef\nfile 2026-11-2 0 10 1\n", 0 },
		{ "meridian lake 1\nkey 0123456789abcdef\nfile 2026-11-22 0 10\n", 0 } };
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct lake_folder f;
		struct lake_list l = { .key = "0123456789abcdef" };
		char path[LAKE_PATH];
		const struct mer_bytes part = { lists[i].text, strlen(lists[i].text) };
		make_folder(&f);
		assert_int_equal(lake_list_write(&l, &f.place, NULL), 0);
		snprintf(path, sizeof(path), "%s/_meridian/kind=sched/host=web/%s", f.path,
			f.place.recording);
		assert_true(mer_file_replace(path, &part, 1));
		lake_list_read(&l, &f.place);
		assert_int_equal(l.n, lists[i].n);
		assert_false(lake_list_is_current(&l, &f.place, "0123456789abcdef"));
		lake_list_fini(&l);
		assert_true(mer_remove_folder(f.path));
	}
}

/* ---- Values ---- */

static const int64_t day = INT64_C(86400) * 1000000000;
static const struct mer_column columns[] = { { "begin", NULL, MER_TIME },
	{ "kind", NULL, MER_TEXT }, { "busy_percent", NULL, MER_RATIO }, { 0 } };

/* In the units of tables for programs; what is no number is unknown, as in JSON. A column that is
 * called like a folder has another name. */
static void values_are_those_of_programs(void **state)
{
	(void)state;
	struct lake_folder f;
	struct lake_facts *facts;
	struct lake_list old = { 0 }, l;
	struct parquet_read r;
	char path[LAKE_PATH];
	double v;
	make_folder(&f);
	assert_int_equal(lake_facts_new(&f.place, &old, columns, NULL, 0, &facts, NULL), 0);
	const struct mer_cell rows[][3] = { { MER_INT(day + 5), mer_text("a"),
						    MER_REAL_CELL(0.25) },
		{ MER_INT(day + 4), MER_NONE, MER_REAL_CELL(NAN) },
		{ MER_INT(2 * day), mer_text(""), MER_NONE } };
	for (int i = 0; i < 3; i++)
		assert_int_equal(lake_facts_add(facts, rows[i], NULL), 0);
	assert_int_equal(lake_facts_commit(facts, "0123456789abcdef", &l, NULL), 0);
	lake_facts_free(facts);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.files[0].date, "1970-01-02");
	assert_string_equal(l.files[1].date, "1970-01-03");
	assert_int_equal(l.files[0].rows, 2);
	assert_true(lake_list_is_current(&l, &f.place, "0123456789abcdef"));
	lake_file_path(path, &f.place, &l.files[0]);
	assert_true(parquet_read(&r, path));
	assert_int_equal(r.n_columns, 3);
	assert_string_equal(r.columns[0].name, "begin");
	assert_int_equal(r.columns[0].type, READ_TIME);
	assert_string_equal(r.columns[1].name, "sched_kind");
	assert_string_equal(r.columns[1].texts[0], "a");
	assert_false(r.columns[1].known[1]);
	memcpy(&v, &r.columns[2].values[0], sizeof(v));
	assert_true(v == 25);
	assert_false(r.columns[2].known[1]);
	parquet_read_free(&r);
	lake_list_fini(&l);
	assert_true(mer_remove_folder(f.path));
}

/* A fact before midnight after one behind it would have to be in a file that is complete. */
static void order_of_time(void **state)
{
	(void)state;
	static const struct mer_column no_time[] = { { "name", NULL, MER_TEXT }, { 0 } };
	struct lake_folder f;
	struct lake_facts *facts;
	struct lake_list old = { 0 };
	make_folder(&f);
	assert_int_equal(
		lake_facts_new(&f.place, &old, no_time, NULL, 0, &facts, NULL), MER_ERR_BUG);
	lake_facts_free(facts);
	assert_int_equal(lake_facts_new(&f.place, &old, columns, NULL, 0, &facts, NULL), 0);
	struct mer_cell row[3] = { MER_INT(day + 5) };
	assert_int_equal(lake_facts_add(facts, row, NULL), 0);
	row[0] = MER_INT(day - 1);
	assert_int_equal(lake_facts_add(facts, row, NULL), MER_ERR_BUG);
	lake_facts_free(facts);
	/* Before 1970, too. */
	struct lake_list l;
	assert_int_equal(lake_facts_new(&f.place, &old, columns, NULL, 0, &facts, NULL), 0);
	for (int64_t t = -2; t < 2; t++) {
		row[0] = MER_INT(t);
		assert_int_equal(lake_facts_add(facts, row, NULL), 0);
	}
	assert_int_equal(lake_facts_commit(facts, "0123456789abcdef", &l, NULL), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.files[0].rows, 2);
	lake_list_fini(&l);
	lake_facts_free(facts);
	assert_false(is_there(&f.place, &(struct lake_file){ .date = "1970-01-02" }));
	assert_true(mer_remove_folder(f.path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_belong_to_the_schema),
		cmocka_unit_test(names_of_hosts),
		cmocka_unit_test(days),
		cmocka_unit_test(what_is_current),
		cmocka_unit_test(damaged_lists),
		cmocka_unit_test(values_are_those_of_programs),
		cmocka_unit_test(order_of_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
