/* Results as Arrow: each type and what is unknown, batches, who may be freed before whom, whole
 * answers; all of it read by a reader of the test's own, and by DuckDB where its library is. */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>

#include "ask/library/api.h"
#include "given.h"

#include "arrow_check.h"
#include "ask.h" /* the last: its `err` is a macro */

enum { NAME, TID, AT, FOR, OFFSET, SHARE, MEAN, LAST_TEXT, N };
static const struct mer_column columns[N + 1] = {
	[NAME] = { "name", "Name", MER_TEXT },
	[TID] = { "tid", NULL, MER_ID },
	[AT] = { "at", "At", MER_TIME },
	[FOR] = { "for_ns", "For", MER_DURATION },
	[OFFSET] = { "offset_ns", "Offset", MER_OFFSET },
	[SHARE] = { "share_percent", "Share", MER_RATIO },
	[MEAN] = { "mean_ns", "Mean", MER_MEAN },
	[LAST_TEXT] = { "last", "Last", MER_TEXT },
};

static struct mer_result *new_result(void)
{
	struct mer_result *r;
	OK(api_new_result("made", "Made by hand", columns, &r, &err));
	return r;
}

static struct mer_result *some_rows(void)
{
	struct mer_result *r = new_result();
	struct mer_table *t = &r->own;
	mer_table_add(t, (struct mer_cell[N]){ [NAME] = mer_text("nginx"),
				 [TID] = MER_INT(7),
				 [AT] = MER_INT(1700000000123456789),
				 [FOR] = MER_INT(1500000),
				 [OFFSET] = MER_INT(-42000),
				 [SHARE] = MER_REAL_CELL(0.25),
				 [MEAN] = MER_REAL_CELL(1.5),
				 [LAST_TEXT] = mer_text("") });
	mer_table_add(t, (struct mer_cell[N]){ 0 }); /* nothing is known */
	mer_table_add(
		t, (struct mer_cell[N]){ [NAME] = mer_text("Übermaß \xf0\x9f\x90\x98"),
			   [TID] = MER_INT(0),
			   [AT] = MER_INT(INT64_MAX),
			   [FOR] = MER_INT(0),
			   [OFFSET] = MER_INT(INT64_MIN),
			   [SHARE] = MER_REAL_CELL(NAN),
			   [MEAN] = MER_REAL_CELL(INFINITY),
			   [LAST_TEXT] = mer_text("a \"text\", with\nall,\tkinds 'of' signs") });
	mer_table_add(t, (struct mer_cell[N]){ [NAME] = mer_text("nginx"), [TID] = MER_INT(-1) });
	return r;
}

static struct ArrowArrayStream stream_of(
	const struct mer_result *r, uint32_t max_rows, bool dictionaries)
{
	struct ArrowArrayStream stream;
	struct mer_arrow_options o = MER_OPTIONS(struct mer_arrow_options);
	o.max_rows = max_rows;
	o.dictionaries = dictionaries;
	OK(mer_result_arrow(r, &o, &stream, &err));
	assert_non_null(stream.release);
	return stream;
}

static void each_type(void **state)
{
	(void)state;
	struct mer_result *r = some_rows();
	for (int dictionaries = 0; dictionaries < 2; dictionaries++) {
		struct ArrowArrayStream stream = stream_of(r, 0, dictionaries);
		assert_int_equal(arrow_same_rows(&stream, r), 1);
	}
	mer_result_free(r);
}

/* Percent, as in CSV; what is no number is unknown; each byte that is no UTF-8 is U+FFFD, and texts
 * that are then the same are one in a dictionary. */
static void values(void **state)
{
	(void)state;
	struct mer_result *r = some_rows();
	mer_table_add(&r->own, (struct mer_cell[N]){ [NAME] = mer_text("a\xff\xc3(\xe2\x82"),
				       [LAST_TEXT] = mer_text("\xed\xa0\x80z") });
	mer_table_add(&r->own, (struct mer_cell[N]){ [NAME] = mer_text("a\xfe\xc3(\xe2\x82") });
	for (int dictionaries = 0; dictionaries < 2; dictionaries++) {
		struct ArrowArrayStream stream = stream_of(r, 0, dictionaries);
		struct ArrowSchema schema;
		struct ArrowArray batch;
		size_t n;
		assert_int_equal(stream.get_schema(&stream, &schema), 0);
		assert_int_equal(stream.get_next(&stream, &batch), 0);
		arrow_check_array(&batch, &schema);
		assert_int_equal(schema.flags, 0);
		assert_int_equal(schema.children[NAME]->flags, ARROW_FLAG_NULLABLE);
		assert_true(arrow_real(batch.children[SHARE], 0) == 25);
		assert_int_equal(batch.children[SHARE]->null_count, 5);
		assert_int_equal(batch.children[MEAN]->null_count, 5);
		assert_int_equal(batch.children[TID]->null_count, 3);
		static const char wanted[] = "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd";
		for (int64_t row = 4; row < 6; row++) {
			const char *text = arrow_text(batch.children[NAME], row, &n);
			assert_int_equal(n, sizeof(wanted) - 1);
			assert_memory_equal(text, wanted, n);
		}
		arrow_text(batch.children[LAST_TEXT], 4, &n);
		assert_int_equal(n, 10);
		if (dictionaries)
			assert_int_equal(batch.children[NAME]->dictionary->length, 3);
		batch.release(&batch);
		schema.release(&schema);
		stream.release(&stream);
	}
	mer_result_free(r);
}

static void batches(void **state)
{
	(void)state;
	struct mer_result *r = new_result();
	struct ArrowArrayStream stream = stream_of(r, 0, false);
	assert_int_equal(arrow_same_rows(&stream, r), 0); /* no rows, no batch */
	for (int i = 0; i < 70000; i++)
		mer_table_add(&r->own, (struct mer_cell[N]){ [NAME] = mer_text(i % 3 ? "x" : "yz"),
					       [TID] = i % 5 ? MER_INT(i) : MER_NONE,
					       [LAST_TEXT] = i % 7 ? MER_NONE : mer_text("7") });
	static const struct {
		uint32_t max_rows;
		size_t n;
	} cases[] = { { 0, 2 }, { 65536, 2 }, { 69999, 2 }, { 70000, 1 }, { UINT32_MAX, 1 },
		{ 1000, 70 }, { 9, 7778 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		stream = stream_of(r, cases[i].max_rows, i % 2);
		assert_int_equal(arrow_same_rows(&stream, r), cases[i].n);
	}
	OK(mer_result_arrow(r, NULL, &stream, &err));
	assert_int_equal(arrow_same_rows(&stream, r), 2);
	mer_result_free(r);
}

/* Of much text a batch has few rows; of more than it can have, none. */
static void long_texts(void **state)
{
	(void)state;
	enum { LENGTH = 1 << 20, WIDE = 800 };
	char *text = malloc(LENGTH + 1);
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	struct mer_result *r = new_result();
	for (int i = 0; i < 40; i++)
		mer_table_add(&r->own, (struct mer_cell[N]){ [LAST_TEXT] = mer_text(text) });
	struct ArrowArrayStream stream = stream_of(r, 0, false);
	assert_int_equal(arrow_same_rows(&stream, r), 3);
	mer_result_free(r);

	struct mer_column *wide = calloc(WIDE + 1, sizeof(*wide));
	struct mer_cell *row = calloc(WIDE, sizeof(*row));
	for (int i = 0; i < WIDE; i++) {
		wide[i] = columns[NAME];
		row[i] = mer_text(text);
	}
	OK(api_new_result("wide", NULL, wide, &r, &err));
	mer_table_add(&r->own, row);
	stream = stream_of(r, 0, false);
	struct ArrowArray batch;
	assert_int_equal(stream.get_next(&stream, &batch), EOVERFLOW);
	assert_null(batch.release);
	assert_string_equal(stream.get_last_error(&stream), "a row has more text than a batch may");
	stream.release(&stream);
	mer_result_free(r);
	free(row);
	free(wide);
	free(text);
}

static void options(void **state)
{
	(void)state;
	struct mer_result *r = some_rows();
	struct ArrowArrayStream stream;
	struct mer_arrow_options o = { 0 };
	FAILS(mer_result_arrow(r, &o, &stream, &err), MER_ERR_USAGE);
	assert_null(stream.release);
	mer_result_free(r);
}

/* A stream outlives its result, batches and schemas the stream. */
static void who_lives_longer(void **state)
{
	(void)state;
	struct mer_result *r = some_rows();
	struct ArrowArrayStream stream = stream_of(r, 2, true), other = stream_of(r, 0, false);
	struct ArrowSchema schema;
	struct ArrowArray batch, rest;
	mer_result_free(r);
	other.release(&other);
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_int_equal(stream.get_next(&stream, &batch), 0);
	assert_int_equal(stream.get_next(&stream, &rest), 0);
	stream.release(&stream);
	arrow_check_array(&batch, &schema);
	batch.release(&batch);
	arrow_check_array(&rest, &schema);
	rest.release(&rest);
	schema.release(&schema);
}

/* A reader moves what it keeps: the struct is copied, and the old one marked as released. */
static void moved(void **state)
{
	(void)state;
	struct mer_result *r = some_rows();
	struct ArrowArrayStream from = stream_of(r, 0, true), stream = from;
	struct ArrowSchema schema, name_schema;
	struct ArrowArray batch, name, tid, dictionary;
	size_t n;
	from.release = NULL;
	mer_result_free(r);
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_int_equal(stream.get_next(&stream, &batch), 0);
	name = *batch.children[NAME];
	batch.children[NAME]->release = NULL;
	tid = *batch.children[TID];
	batch.children[TID]->release = NULL;
	name_schema = *schema.children[NAME];
	schema.children[NAME]->release = NULL;
	batch.release(&batch);
	stream.release(&stream);
	schema.release(&schema);
	arrow_check_array(&name, &name_schema);
	assert_string_equal(arrow_metadata(&name_schema, "title"), "Name");
	assert_int_equal(arrow_int(&tid, 0), 7);
	tid.release(&tid);
	dictionary = *name.dictionary;
	name.dictionary->release = NULL;
	name.release(&name);
	name_schema.release(&name_schema);
	assert_memory_equal(arrow_text(&dictionary, 0, &n), "nginx", 5);
	dictionary.release(&dictionary);
}

static const char *const questions[][4] = { { "info" }, { "top", "cpu" },
	{ "top", "cpu", "--bins", "9" }, { "log", "syscall" }, { "requests", "--list" },
	{ "blocked", "--depth", "3" }, { "path", "--comm", "wget" }, { "summary" }, { "stats" },
	{ "events", "--limit", "3000" } };

static struct mer_answer *ask(struct mer_session *s, const char *const *words)
{
	struct mer_answer *answer;
	size_t n = 0;
	while (n < 4 && words[n])
		n++;
	OK(mer_ask(s, words, n, &answer, &err));
	return answer;
}

static void answers(void **state)
{
	(void)state;
	struct mer_session *s = ask_open_session();
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		struct mer_answer *answer = ask(s, questions[i]);
		assert_true(mer_answer_n_tables(answer) > 0);
		for (size_t k = 0; k < mer_answer_n_tables(answer); k++) {
			const struct mer_result *t = mer_answer_table(answer, k);
			struct ArrowArrayStream a = stream_of(t, 0, false),
						b = stream_of(t, 100, true);
			arrow_same_rows(&a, t);
			arrow_same_rows(&b, t);
		}
		mer_answer_free(answer);
	}
	/* The answer and the session go first. */
	struct mer_answer *first = ask(s, questions[1]), *again = ask(s, questions[1]);
	struct ArrowArrayStream a = stream_of(mer_answer_table(first, 0), 0, true),
				b = stream_of(mer_answer_table(first, 0), 0, false);
	mer_answer_free(first);
	mer_session_free(s);
	arrow_same_rows(&a, mer_answer_table(again, 0));
	arrow_same_rows(&b, mer_answer_table(again, 0));
	mer_answer_free(again);
}

/* A table of a session, whose results share one answer. */
static void tables(void **state)
{
	(void)state;
	static const char *const names[] = { "top", "processes" };
	struct mer_session *s = ask_open_session();
	struct mer_result *r[2], *again[2];
	OK(mer_session_tables(s, "cpu", names, 2, NULL, r, &err));
	OK(mer_session_tables(s, "cpu", names, 2, NULL, again, &err));
	for (int i = 0; i < 2; i++) {
		struct ArrowArrayStream stream = stream_of(r[i], 0, i);
		mer_result_free(r[i]);
		arrow_same_rows(&stream, again[i]);
		mer_result_free(again[i]);
	}
	mer_session_free(s);
}

/* ---- DuckDB, by the functions of its C interface ---- */

struct duckdb_result {
	uint64_t unused[3];
	void *columns;
	char *error;
	void *data;
};

static struct {
	int (*open)(const char *path, void **database);
	int (*connect)(void *database, void **connection);
	int (*arrow_scan)(void *connection, const char *name, struct ArrowArrayStream *stream);
	int (*query)(void *connection, const char *sql, struct duckdb_result *result);
	char *(*value_varchar)(struct duckdb_result *result, uint64_t column, uint64_t row);
	void (*destroy_result)(struct duckdb_result *result);
	void (*disconnect)(void **connection);
	void (*close)(void **database);
	void (*free)(void *);
} duck;
static void *connection;

/* It releases no schema that a stream gives to arrow_scan. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:duckdb_arrow_scan\nleak:FactoryGetSchema\n";
}

static void find_duckdb(void)
{
	static const char *const names[] = { "open", "connect", "arrow_scan", "query",
		"value_varchar", "destroy_result", "disconnect", "close", "free" };
	char pattern[500], name[60];
	glob_t found;
	snprintf(pattern, sizeof(pattern),
		"%s/lake/node_modules/@duckdb/node-bindings-linux-*/libduckdb.so",
		given_environment("BUILD"));
	if (glob(pattern, 0, NULL, &found)) {
		print_message("skipped: no libduckdb.so (cases.lake.sh gets it)\n");
		skip();
	}
	void *library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
	globfree(&found);
	if (!library)
		fail_msg("%s", dlerror());
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), "duckdb_%s", names[i]);
		void *function = dlsym(library, name);
		assert_non_null(function);
		memcpy((char *)&duck + i * sizeof(function), &function, sizeof(function));
	}
}

static void says(const char *sql, const char *wanted)
{
	struct duckdb_result result;
	if (duck.query(connection, sql, &result))
		fail_msg("%s: %s", sql, result.error);
	char *value = wanted ? duck.value_varchar(&result, 0, 0) : NULL;
	if (wanted)
		assert_string_equal(value, wanted);
	duck.free(value);
	duck.destroy_result(&result);
}

/* Its copy of the result is table t. */
static void scan(const struct mer_result *r, uint32_t max_rows, bool dictionaries)
{
	struct ArrowArrayStream stream = stream_of(r, max_rows, dictionaries);
	assert_int_equal(duck.arrow_scan(connection, "scanned", &stream), 0);
	says("create or replace table t as select * from scanned", NULL);
	if (stream.release)
		stream.release(&stream);
	says("drop view scanned", NULL);
}

static void scan_answers(void)
{
	struct mer_session *s = ask_open_session();
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		struct mer_answer *answer = ask(s, questions[i]);
		for (size_t k = 0; k < mer_answer_n_tables(answer); k++) {
			const struct mer_result *r = mer_answer_table(answer, k);
			scan(r, 1000, k % 2);
			for (size_t c = 0; c < mer_result_n_columns(r); c++) {
				char sql[300], wanted[100];
				uint64_t n_known = 0, bytes = 0;
				const char *text;
				int64_t number;
				double real;
				for (size_t row = 0; row < mer_result_n_rows(r); row++)
					if (mer_result_text(r, row, c, &text)) {
						n_known++;
						bytes += strlen(text);
					} else
						n_known += mer_result_int(r, row, c, &number) ||
							   (mer_result_real(r, row, c, &real) &&
								   isfinite(real));
				snprintf(sql, sizeof(sql),
					"select count(\"%s\") || ' ' || coalesce(sum(strlen(\"%s\"::varchar)) "
					"filter (typeof(\"%s\") = 'VARCHAR'), 0) from t",
					mer_result_key(r, c), mer_result_key(r, c),
					mer_result_key(r, c));
				snprintf(wanted, sizeof(wanted), "%ju %ju", (uintmax_t)n_known,
					(uintmax_t)bytes);
				says(sql, wanted);
			}
		}
		mer_answer_free(answer);
	}
	mer_session_free(s);
}

static void by_duckdb(void **state)
{
	(void)state;
	void *database;
	find_duckdb();
	assert_int_equal(duck.open(NULL, &database), 0);
	assert_int_equal(duck.connect(database, &connection), 0);
	says("set TimeZone = 'UTC'", NULL);
	struct mer_result *r = some_rows();
	r->own.cells[2 * N + AT] = MER_INT(0); /* it has microseconds, and fewer years */
	r->own.cells[2 * N + OFFSET] = MER_INT(-1000);
	for (int dictionaries = 0; dictionaries < 2; dictionaries++)
		for (uint32_t max_rows = 1; max_rows < 5; max_rows++) {
			scan(r, max_rows, dictionaries);
			says("select string_agg(column_name || ' ' || data_type, ', ' order by column_index) "
			     "from duckdb_columns where table_name = 't'",
				"name VARCHAR, tid BIGINT, at TIMESTAMP WITH TIME ZONE, for_ns INTERVAL, offset_ns "
				"INTERVAL, share_percent DOUBLE, mean_ns DOUBLE, last VARCHAR");
			says("select count(*) || '|' || count(name) || '|' || string_agg(coalesce(name, '-'), ',' "
			     "order by rowid) from t",
				"4|3|nginx,-,Übermaß \xf0\x9f\x90\x98,nginx");
			says("select string_agg(coalesce(tid::varchar, '-'), ',' order by rowid) from t",
				"7,-,0,-1");
			says("select string_agg(coalesce(\"at\"::varchar, '-'), ',' order by rowid) from t",
				"2023-11-14 22:13:20.123456+00,-,1970-01-01 00:00:00+00,-");
			says("select string_agg(coalesce(for_ns::varchar, '-'), ',' order by rowid) from t",
				"00:00:00.0015,-,00:00:00,-");
			says("select string_agg(coalesce(offset_ns::varchar, '-'), ',' order by rowid) from t",
				"-00:00:00.000042,-,-00:00:00.000001,-");
			says("select string_agg(coalesce(share_percent::varchar, '-'), ',' order by rowid) from t",
				"25.0,-,-,-");
			says("select string_agg(coalesce(last, '-'), ';' order by rowid) from t",
				";-;a \"text\", with\nall,\tkinds 'of' signs;-");
		}
	mer_result_free(r);
	scan_answers();
	duck.disconnect(&connection);
	duck.close(&database);
}

/* For test_alloc.sh: a table of a trace as its batches; an error is 3. */
static int print_stream(const char *trace)
{
	struct mer_session *s = NULL;
	struct mer_answer *answer = NULL;
	struct ArrowArrayStream stream = { 0 };
	struct ArrowSchema schema = { 0 };
	struct ArrowArray batch = { 0 };
	int rc = mer_session_new(&trace, 1, NULL, &s, &err);
	rc = rc ? rc : mer_session_open(s, &err);
	rc = rc ? rc : mer_ask(s, (const char *[]){ "stats", "syscall" }, 2, &answer, &err);
	rc = rc ? rc
		: mer_result_arrow(mer_answer_table(answer, 0),
			  &(struct mer_arrow_options){ sizeof(struct mer_arrow_options), 4, true },
			  &stream, &err);
	mer_answer_free(answer);
	rc = rc ? rc : stream.get_schema(&stream, &schema);
	for (int i = 0; rc == 0 && i < schema.n_children; i++)
		printf("%s %s\n", schema.children[i]->name,
			arrow_metadata(schema.children[i], "type"));
	for (bool more = true; rc == 0 && more;) {
		rc = stream.get_next(&stream, &batch);
		more = rc == 0 && batch.release;
		for (int64_t row = 0; more && row < batch.length; row++) {
			size_t n;
			const char *text = arrow_text(batch.children[0], row, &n);
			printf("%.*s %jd\n", (int)n, text, (intmax_t)batch.children[1]->null_count);
		}
		if (more)
			batch.release(&batch);
	}
	if (rc)
		fprintf(stderr, "%s\n", rc == ENOMEM ? stream.get_last_error(&stream) : err.text);
	if (schema.release)
		schema.release(&schema);
	if (stream.release)
		stream.release(&stream);
	mer_session_free(s);
	return rc ? 3 : 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return print_stream(argv[1]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type),
		cmocka_unit_test(values),
		cmocka_unit_test(batches),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(options),
		cmocka_unit_test(who_lives_longer),
		cmocka_unit_test(moved),
		cmocka_unit_test_setup(answers, ask_find_recording),
		cmocka_unit_test_setup(tables, ask_find_recording),
		cmocka_unit_test_setup(by_duckdb, ask_find_recording),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
