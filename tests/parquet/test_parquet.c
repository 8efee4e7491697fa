/* Files of rows: what is written is read again, by a reader that shares no code with the writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parquet/parquet.h"
#include "parquet_read.h"
#include "random.h"

#define KNOWN(member_, value_)                                                                     \
	((struct parquet_value){ .known = true, .v = { .member_ = (value_) } })
#define NONE ((struct parquet_value){ 0 })

/* The file of one test, without a name to clean up. */
struct made {
	char path[64];
	int fd;
	struct parquet *p;
	struct parquet_read f;
};

static void begin(struct made *m, const struct parquet_column *columns, size_t n)
{
	char name[] = "/tmp/parquet.XXXXXX";
	m->fd = mkstemp(name);
	assert_true(m->fd >= 0);
	unlink(name);
	snprintf(m->path, sizeof(m->path), "/proc/self/fd/%d", m->fd);
	assert_int_equal(parquet_new(m->fd, m->path, columns, n, &m->p, NULL), 0);
}

static void end(struct made *m)
{
	static const struct parquet_pair pairs[] = { { "a", "b" }, { "empty", "" } };
	uint64_t rows = parquet_rows(m->p);
	assert_int_equal(parquet_end(m->p, "test", pairs, 2, NULL), 0);
	assert_int_equal(parquet_bytes(m->p), lseek(m->fd, 0, SEEK_END));
	parquet_free(m->p);
	if (!parquet_read(&m->f, m->path))
		fail_msg("%s", m->f.why);
	assert_int_equal(m->f.n_rows, rows);
	assert_string_equal(m->f.made_by, "test");
	assert_string_equal(parquet_read_pair(&m->f, "a"), "b");
	assert_string_equal(parquet_read_pair(&m->f, "empty"), "");
	close(m->fd);
}

static void fini(struct made *m)
{
	parquet_read_free(&m->f);
}

static const struct parquet_column each_type[] = { { "n", PARQUET_INT64 }, { "t", PARQUET_TIME },
	{ "r", PARQUET_DOUBLE }, { "b", PARQUET_BOOL }, { "s", PARQUET_TEXT } };
enum { N = sizeof(each_type) / sizeof(*each_type) };

static void each_type_and_null(void **state)
{
	(void)state;
	struct made m;
	begin(&m, each_type, N);
	const struct parquet_value rows[][N] = {
		{ KNOWN(i, INT64_MIN), KNOWN(i, 1795359264021202899), KNOWN(f, -0.5), KNOWN(i, 1),
			KNOWN(text, "") },
		{ NONE, NONE, NONE, NONE, NONE },
		{ KNOWN(i, INT64_MAX), KNOWN(i, -1), KNOWN(f, INFINITY), KNOWN(i, 0),
			KNOWN(text, "h\xc3\xa4?\xff\xc3") },
		{ KNOWN(i, 0), KNOWN(i, 0), KNOWN(f, 0.1), NONE, KNOWN(text, "\xf0\x9f\x90\xa7") },
	};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(parquet_add(m.p, rows[i], NULL), 0);
	end(&m);
	static const enum parquet_read_type types[N] = { READ_INT64, READ_TIME, READ_DOUBLE,
		READ_BOOL, READ_TEXT };
	assert_int_equal(m.f.n_columns, N);
	assert_int_equal(m.f.n_groups, 1);
	for (size_t c = 0; c < N; c++) {
		assert_string_equal(m.f.columns[c].name, each_type[c].name);
		assert_int_equal(m.f.columns[c].type, types[c]);
		assert_int_equal(m.f.columns[c].n_bounds, 1);
		for (size_t i = 0; i < 4; i++) {
			const struct parquet_value *v = &rows[i][c];
			assert_int_equal(m.f.columns[c].known[i], v->known);
			if (v->known && c < N - 1) /* a double's bits, too */
				assert_int_equal(m.f.columns[c].values[i], v->v.i);
		}
	}
	assert_string_equal(m.f.columns[4].texts[0], "");
	assert_null(m.f.columns[4].texts[1]);
	assert_string_equal(m.f.columns[4].texts[2], "h\xc3\xa4?\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(m.f.columns[4].texts[3], "\xf0\x9f\x90\xa7");
	fini(&m);
}

static void no_rows(void **state)
{
	(void)state;
	struct made m;
	begin(&m, each_type, N);
	end(&m);
	assert_int_equal(m.f.n_groups, 0);
	assert_int_equal(m.f.n_columns, N);
	fini(&m);
}

/* Columns of nothing but NULL. */
static void nothing_known(void **state)
{
	(void)state;
	struct made m;
	begin(&m, each_type, N);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(parquet_add(m.p, (struct parquet_value[N]){ 0 }, NULL), 0);
	end(&m);
	for (size_t c = 0; c < N; c++) {
		assert_int_equal(m.f.columns[c].n_bounds, 0);
		for (size_t i = 0; i < 1000; i++)
			assert_false(m.f.columns[c].known[i]);
	}
	fini(&m);
}

/* What has no order has no bounds; a zero as a bound is both of them. */
static void bounds_of_reals(void **state)
{
	(void)state;
	static const struct parquet_column columns[] = { { "nan", PARQUET_DOUBLE },
		{ "zero", PARQUET_DOUBLE }, { "long", PARQUET_TEXT } };
	char text[200];
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	struct made m;
	begin(&m, columns, 3);
	for (int i = 0; i < 3; i++) {
		const struct parquet_value row[] = { KNOWN(f, i == 1 ? (double)NAN : i),
			KNOWN(f, 0.0), KNOWN(text, text) };
		assert_int_equal(parquet_add(m.p, row, NULL), 0);
	}
	end(&m);
	assert_int_equal(m.f.columns[0].n_bounds, 0);
	assert_int_equal(m.f.columns[1].n_bounds, 1);
	assert_true(m.f.columns[1].min == (uint64_t)1 << 63 && m.f.columns[1].max == 0);
	assert_int_equal(m.f.columns[2].n_bounds, 0);
	fini(&m);
}

/* ---- Many rows ---- */

enum { SHAPES = 12, LONG_TEXT = 40 };
static const struct parquet_column shapes[SHAPES] = { { "same", PARQUET_INT64 },
	{ "few", PARQUET_INT64 }, { "rising", PARQUET_TIME }, { "wild", PARQUET_INT64 },
	{ "runs", PARQUET_INT64 }, { "holes", PARQUET_INT64 }, { "few texts", PARQUET_TEXT },
	{ "all texts", PARQUET_TEXT }, { "few reals", PARQUET_DOUBLE },
	{ "all reals", PARQUET_DOUBLE }, { "truth", PARQUET_BOOL }, { "bits", PARQUET_INT64 } };

/* A row as it is made from a seed; texts: room for two. */
static void make_row(uint64_t *r, uint64_t i, struct parquet_value *v, char texts[2][LONG_TEXT])
{
	uint64_t x = random_next(r), y = random_next(r);
	snprintf(texts[0], LONG_TEXT, "name-%d", (int)(x % 13));
	snprintf(texts[1], LONG_TEXT, "text %016llx of row %d", (unsigned long long)y, (int)i);
	v[0] = KNOWN(i, -7);
	v[1] = KNOWN(i, ((int64_t)(x % 300) - 150) * 1000003);
	v[2] = KNOWN(i, 1795359264000000000 + (int64_t)(i * 1000 + x % 900));
	v[3] = KNOWN(i, (int64_t)(x ^ y << 1));
	v[4] = KNOWN(i, (int64_t)(i / 100 % 5));
	v[5] = x % 3 ? NONE : KNOWN(i, (int64_t)y);
	v[6] = x % 11 ? KNOWN(text, texts[0]) : NONE;
	v[7] = KNOWN(text, texts[1]);
	v[8] = KNOWN(f, (double)(x % 17) / 4);
	v[9] = KNOWN(f, (double)(int64_t)y);
	v[10] = y % 5 ? KNOWN(i, (int64_t)(x >> 40 & 1)) : NONE;
	v[11] = KNOWN(i, (int64_t)(x >> (i / 128 % 64))); /* blocks of each width */
}

static void rows_are(size_t n)
{
	struct made m;
	struct parquet_value row[SHAPES];
	char texts[2][LONG_TEXT];
	uint64_t r = n;
	begin(&m, shapes, SHAPES);
	for (size_t i = 0; i < n; i++) {
		make_row(&r, i, row, texts);
		assert_int_equal(parquet_add(m.p, row, NULL), 0);
	}
	end(&m);
	r = n;
	for (size_t i = 0; i < n; i++) {
		make_row(&r, i, row, texts);
		for (size_t c = 0; c < SHAPES; c++) {
			const struct parquet_read_column *x = &m.f.columns[c];
			if (x->known[i] != row[c].known)
				fail_msg("%zu rows: %s of row %zu: known", n, x->name, i);
			if (!row[c].known)
				continue;
			bool same = x->type == READ_TEXT ? strcmp(x->texts[i], row[c].v.text) == 0
							 : (int64_t)x->values[i] == row[c].v.i;
			if (!same)
				fail_msg("%zu rows: %s of row %zu", n, x->name, i);
		}
	}
	assert_int_equal(m.f.n_groups, (n + PARQUET_GROUP_ROWS - 1) / PARQUET_GROUP_ROWS);
	/* The shortest encoding of most groups. */
	static const unsigned encodings[SHAPES] = { 8, 8, 5, 0, 8, 0, 8, 0, 8, 0, 0, 5 };
	for (size_t c = 0; c < SHAPES && n > 5000; c++)
		if (!(m.f.columns[c].encodings >> encodings[c] & 1))
			fail_msg("%s: encodings %x", m.f.columns[c].name, m.f.columns[c].encodings);
	fini(&m);
}

static void any_number_of_rows(void **state)
{
	(void)state;
	for (size_t n = 1; n < 300; n += n < 40 ? 1 : 13)
		rows_are(n);
	rows_are(20000);
}

/* More than a group, and exactly some. */
static void row_groups(void **state)
{
	(void)state;
	rows_are(2 * PARQUET_GROUP_ROWS + 17);
	rows_are(PARQUET_GROUP_ROWS);
}

/* Rows with much text make groups of fewer rows. */
static void memory_is_bounded(void **state)
{
	(void)state;
	enum { LONG = 100000, ROWS = 2000 };
	static const struct parquet_column columns[] = { { "s", PARQUET_TEXT } };
	struct made m;
	char *text = malloc(LONG + 1);
	memset(text, 'x', LONG);
	text[LONG] = '\0';
	begin(&m, columns, 1);
	for (int i = 0; i < ROWS; i++) {
		char number[16];
		int len = snprintf(number, sizeof(number), "%d", i);
		memcpy(text, number, (size_t)len);
		assert_int_equal(parquet_add(m.p, &KNOWN(text, text), NULL), 0);
	}
	free(text);
	end(&m);
	assert_true(m.f.n_groups >= (size_t)LONG * ROWS / PARQUET_GROUP_BYTES);
	assert_true(m.f.n_groups < 20);
	fini(&m);
}

/* ---- Failures ---- */

static void a_full_disk(void **state)
{
	(void)state;
	struct mer_err err;
	struct parquet *p;
	int fd = open("/dev/full", O_WRONLY);
	assert_int_equal(parquet_new(fd, "/dev/full", each_type, N, &p, &err), MER_ERR_SYS);
	assert_non_null(strstr(err.text, "/dev/full"));
	parquet_free(p);
	close(fd);
	parquet_free(NULL);
}

/* The reader of these tests sees each changed byte that a value depends on. */
static void damage_is_seen(void **state)
{
	(void)state;
	struct made m;
	struct parquet_value row[SHAPES];
	char texts[2][LONG_TEXT], bytes[4096];
	uint64_t r = 5;
	begin(&m, shapes, 3);
	int fd = dup(m.fd);
	for (size_t i = 0; i < 50; i++) {
		make_row(&r, i, row, texts);
		assert_int_equal(parquet_add(m.p, row, NULL), 0);
	}
	end(&m);
	fini(&m);
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	snprintf(m.path, sizeof(m.path), "/proc/self/fd/%d", fd);
	size_t n_seen = 0;
	for (ssize_t i = 0; i < n; i++) {
		char changed = (char)(bytes[i] ^ 1);
		assert_int_equal(pwrite(fd, &changed, 1, i), 1);
		n_seen += !parquet_read(&m.f, m.path);
		parquet_read_free(&m.f);
		assert_int_equal(pwrite(fd, &bytes[i], 1, i), 1);
	}
	assert_true(n_seen * 10 > (size_t)n * 8); /* names and some sums are free */
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_and_null),
		cmocka_unit_test(no_rows),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(bounds_of_reals),
		cmocka_unit_test(any_number_of_rows),
		cmocka_unit_test(row_groups),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(damage_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
