/* The file of a store as bytes: what was put is found, complete or not at all; what is damaged is
 * refused, with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "store/check.h"
#include "store/sections.h"
#include "store/types.h"

enum {
	BIG = (1 << 20) + 1, /* more than what is gathered before it is written */
	VERSION_AT = 8,
	ORDER_AT = 12,
	KEY_AT = 16,
	TABLE_AT = 32,
	N_AT = 40,
	BYTES_AT = 48,
	HASH_AT = 56,
	HEADER = 64
};

static const uint8_t key[STORE_KEY_BYTES] = "0123456789abcdef";
static const uint8_t other_key[STORE_KEY_BYTES] = "0123456789abcdeg";

struct folder {
	char dir[64], path[96];
};

static int make_folder(void **state)
{
	struct folder *f = *state = calloc(1, sizeof(*f));
	if (!f)
		return -1;
	snprintf(f->dir, sizeof(f->dir), "/tmp/meridian-sections-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/a.store", f->dir);
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *f = *state;
	unlink(f->path);
	int rc = rmdir(f->dir); /* nothing was left behind */
	free(f);
	return rc;
}

static unsigned n_files(const struct folder *f)
{
	DIR *d = opendir(f->dir);
	unsigned n = 0;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Sections in another order than they are found by; one larger, one smaller, one empty. */
static void save(const struct folder *f, struct store_block *blocks, const char *big, size_t n_big)
{
	static const uint64_t numbers[] = { 7, 8, 9 };
	struct store_writer w;
	struct mer_err err = { 0 };
	assert_int_equal(store_writer_begin(&w, f->path, key, &err), 0);
	store_put_block(&w, "one block", 9, &blocks[0]);
	store_put_section(&w, 5, 1, 2, numbers, 3, sizeof(*numbers));
	store_put_block(&w, big, n_big, &blocks[1]);
	store_put_section(&w, 5, 1, 0, numbers, 1, sizeof(*numbers));
	store_put_section(&w, 5, 0, 9, "", 0, sizeof(*numbers));
	store_put_section(&w, 2, 7, 7, "text", 4, 1);
	store_put_section(&w, 5, 1, 1, big, n_big, 1);
	store_put_block(&w, "last", 4, &blocks[2]);
	assert_int_equal(n_files(f), 1); /* under another name */
	assert_int_not_equal(access(f->path, F_OK), 0);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(n_files(f), 1);
	assert_int_equal(access(f->path, F_OK), 0);
}

static char *make_big(void)
{
	char *big = malloc(BIG);
	assert_non_null(big);
	for (size_t i = 0; i < BIG; i++)
		big[i] = (char)(i * 31 >> 3);
	return big;
}

static void comes_back(void **state)
{
	const struct folder *at = *state;
	struct store_file f;
	struct store_block blocks[3];
	struct mer_err err = { 0 };
	uint64_t n = 99;
	char *big = make_big();
	save(at, blocks, big, BIG);
	assert_int_equal(store_file_open(&f, at->path, key, &err), 0);
	assert_int_equal(f.n, 5);
	for (size_t i = 0; i < f.n; i++)
		assert_int_equal(f.sections[i].at % STORE_ALIGN, 0);
	const uint64_t *v = store_find(&f, 5, 1, 2, 8, &n);
	assert_non_null(v);
	assert_int_equal(n, 3);
	assert_true(v[0] == 7 && v[1] == 8 && v[2] == 9);
	v = store_find(&f, 5, 1, 0, 8, &n);
	assert_true(v && n == 1 && *v == 7);
	assert_non_null(store_find(&f, 5, 0, 9, 8, &n));
	assert_int_equal(n, 0);
	const char *text = store_find(&f, 2, 7, 7, 1, &n);
	assert_true(text && n == 4 && memcmp(text, "text", 4) == 0);
	text = store_find(&f, 5, 1, 1, 1, &n);
	assert_true(text && n == BIG && memcmp(text, big, BIG) == 0);
	/* Of another type, host or number, or with elements of another size: there is none. */
	assert_null(store_find(&f, 4, 1, 2, 8, &n));
	assert_null(store_find(&f, 5, 2, 2, 8, &n));
	assert_null(store_find(&f, 5, 1, 3, 8, &n));
	assert_null(store_find(&f, 5, 1, 2, 4, &n));
	assert_null(store_find(&f, 5, 1, 2, 16, &n));
	assert_int_equal(memcmp(store_block_bytes(&f, &blocks[0]), "one block", 9), 0);
	assert_int_equal(memcmp(store_block_bytes(&f, &blocks[1]), big, BIG), 0);
	assert_int_equal(memcmp(store_block_bytes(&f, &blocks[2]), "last", 4), 0);
	/* A block that lies elsewhere. */
	struct store_block b = blocks[0];
	b.at++;
	assert_null(store_block_bytes(&f, &b));
	b = blocks[0];
	b.hash++;
	assert_null(store_block_bytes(&f, &b));
	b = blocks[0];
	b.bytes--;
	assert_null(store_block_bytes(&f, &b));
	b.at = f.file.size;
	assert_null(store_block_bytes(&f, &b));
	b.at = UINT64_MAX;
	assert_null(store_block_bytes(&f, &b));
	store_file_close(&f);
	assert_true(f.n == 0 && !f.sections);
	free(big);
}

/* The last bytes of a file could be a block's, but there must be some behind it. */
static void slack(void **state)
{
	const struct folder *at = *state;
	struct store_writer w;
	struct store_block block;
	struct store_file f;
	struct mer_err err = { 0 };
	assert_int_equal(store_writer_begin(&w, at->path, key, &err), 0);
	store_put_block(&w, "x", 1, &block);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_file_open(&f, at->path, NULL, &err), 0);
	assert_int_equal(f.n, 0);
	assert_non_null(store_block_bytes(&f, &block));
	assert_true(f.file.size >= block.at + 1 + 64);
	for (size_t behind = 0; behind < 70; behind++) {
		struct store_block b = { f.file.size - behind, 0, (uint32_t)mer_hash("", 0) };
		assert_int_equal(store_block_bytes(&f, &b) != NULL, behind >= 64);
	}
	uint64_t n;
	assert_null(store_find(&f, 1, 0, 0, 1, &n));
	store_file_close(&f);
}

/* After a failure, or when it is given up, the file that was there stays as it was. */
static void given_up(void **state)
{
	const struct folder *at = *state;
	struct store_writer w;
	struct store_block blocks[3];
	struct store_file f;
	struct mer_err err = { 0 };
	save(at, blocks, "big", 3);
	assert_int_equal(store_writer_begin(&w, at->path, other_key, &err), 0);
	store_put_section(&w, 1, 0, 0, "abc", 3, 1);
	assert_int_equal(store_writer_end(&w, false, &err), 0);
	assert_int_equal(n_files(at), 1);
	assert_int_equal(store_writer_begin(&w, at->path, other_key, &err), 0);
	store_put_section(&w, 1, 0, 0, "abc", 3, 1);
	store_writer_fail(&w);
	store_put_section(&w, 1, 0, 1, "abc", 3, 1);
	assert_int_equal(w.n, 1);
	assert_int_equal(store_writer_end(&w, true, &err), MER_ERR_NOMEM);
	assert_int_equal(err.code, MER_ERR_NOMEM); /* and says so */
	assert_int_equal(n_files(at), 1);
	/* A failure of what is given up is none. */
	assert_int_equal(store_writer_begin(&w, at->path, other_key, &err), 0);
	store_writer_fail(&w);
	assert_int_equal(store_writer_end(&w, false, &err), 0);
	assert_int_equal(n_files(at), 1);
	assert_int_equal(store_file_open(&f, at->path, key, &err), 0);
	assert_int_equal(f.n, 5);
	store_file_close(&f);
}

/* Where there is no folder, or a folder is where the file would be. */
static void cannot_be_written(void **state)
{
	const struct folder *at = *state;
	struct store_writer w;
	struct mer_err err = { 0 };
	char path[128];
	snprintf(path, sizeof(path), "%s/none/a.store", at->dir);
	assert_int_not_equal(store_writer_begin(&w, path, key, &err), 0);
	assert_non_null(strstr(err.text, "create"));
	assert_non_null(strstr(err.text, path));
	(void)store_writer_end(&w, false, &err);
	err = (struct mer_err){ 0 };
	assert_int_equal(mkdir(at->path, 0700), 0);
	assert_int_equal(store_writer_begin(&w, at->path, key, &err), 0);
	assert_int_not_equal(store_writer_end(&w, true, &err), 0);
	assert_non_null(strstr(err.text, "rename"));
	assert_int_equal(n_files(at), 1);
	assert_int_equal(rmdir(at->path), 0);
}

/* ---- damage ---- */

static size_t read_all(const char *path, uint8_t **bytes)
{
	FILE *in = fopen(path, "rb");
	struct stat st;
	assert_non_null(in);
	assert_int_equal(fstat(fileno(in), &st), 0);
	*bytes = malloc((size_t)st.st_size + 1);
	assert_non_null(*bytes);
	assert_int_equal(fread(*bytes, 1, (size_t)st.st_size, in), (size_t)st.st_size);
	fclose(in);
	return (size_t)st.st_size;
}

static void write_all(const char *path, const uint8_t *bytes, size_t n)
{
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

static void refused(const char *path, const uint8_t *with_key, const char *why)
{
	struct store_file f;
	struct mer_err err = { 0 };
	char expected[200];
	snprintf(expected, sizeof(expected), "%s: %s", path, why);
	assert_int_equal(store_file_open(&f, path, with_key, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, expected);
	assert_null(f.sections);
}

/* The hash of a header that was changed on purpose. */
static void set_hash(uint8_t *bytes, size_t n)
{
	uint64_t table, n_sections;
	memcpy(&table, bytes + TABLE_AT, 8);
	memcpy(&n_sections, bytes + N_AT, 8);
	assert_true(table + n_sections * sizeof(struct store_section) <= n);
	uint64_t parts[2] = { mer_hash(bytes, HASH_AT),
		mer_hash(bytes + table, n_sections * sizeof(struct store_section)) };
	uint64_t hash = mer_hash(parts, sizeof(parts));
	memcpy(bytes + HASH_AT, &hash, 8);
}

struct damage {
	const char *path;
	uint8_t *bytes;
	size_t n;
	uint64_t table;
};

/* Another number there, and the hashes as they would be. */
static void number_is(const struct damage *d, size_t at, uint64_t v, const char *why)
{
	uint8_t *copy = malloc(d->n);
	assert_non_null(copy);
	memcpy(copy, d->bytes, d->n);
	memcpy(copy + at, &v, 8);
	if (at >= HEADER)
		set_hash(copy, d->n);
	write_all(d->path, copy, d->n);
	refused(d->path, key, why);
	free(copy);
}

static void damaged(void **state)
{
	const struct folder *at = *state;
	struct store_block blocks[3];
	struct damage d = { .path = at->path };
	struct store_file f;
	struct mer_err err = { 0 };
	save(at, blocks, "big", 3);
	refused(at->path, other_key, "of other traces");
	d.n = read_all(at->path, &d.bytes);
	memcpy(&d.table, d.bytes + TABLE_AT, 8);
	assert_int_equal(memcmp(d.bytes, "MERSTORE\15\0\0\0\4\3\2\1", 16), 0);
	assert_int_equal(memcmp(d.bytes + KEY_AT, key, STORE_KEY_BYTES), 0);
	assert_int_equal(d.bytes[N_AT], 5);
	for (size_t n = 0; n < HEADER; n++) {
		write_all(at->path, d.bytes, n);
		if (n)
			refused(at->path, key, "no saved analysis: too short");
	}
	write_all(at->path, d.bytes, HEADER);
	refused(at->path, key, "incomplete");
	write_all(at->path, d.bytes, d.n - 1);
	refused(at->path, key, "incomplete");
	for (size_t i = 0; i < HEADER; i++) { /* any byte of the header */
		d.bytes[i] ^= 1;
		write_all(at->path, d.bytes, d.n);
		if (i < TABLE_AT || i >= BYTES_AT)
			refused(at->path, key,
				i < VERSION_AT ? "no saved analysis"
				: i < KEY_AT   ? "saved by another version of meridian"
				: i >= BYTES_AT && i < HASH_AT ? "incomplete"
							       : "damaged");
		else
			assert_int_equal(store_file_open(&f, at->path, key, &err), MER_ERR_INPUT);
		d.bytes[i] ^= 1;
	}
	number_is(&d, TABLE_AT, d.table + STORE_ALIGN, "incomplete");
	number_is(&d, TABLE_AT, d.table - STORE_ALIGN, "damaged");
	number_is(&d, TABLE_AT, d.table + 8, "incomplete");
	number_is(&d, N_AT, 6, "incomplete");
	number_is(&d, N_AT, 4, "damaged");
	number_is(&d, N_AT, UINT64_MAX / sizeof(struct store_section) + 2, "incomplete");
	/* Of the first section: where it lies, how long it is, its hash. */
	number_is(&d, d.table + offsetof(struct store_section, at), 1, "damaged");
	number_is(&d, d.table + offsetof(struct store_section, at), STORE_ALIGN * 9, "damaged");
	number_is(&d, d.table + offsetof(struct store_section, at), (uint64_t)1 << 40, "damaged");
	number_is(&d, d.table + offsetof(struct store_section, bytes), d.n, "damaged");
	number_is(&d, d.table + offsetof(struct store_section, bytes), UINT64_MAX, "damaged");
	number_is(&d, d.table + offsetof(struct store_section, hash), 1, "damaged");
	free(d.bytes);
}

/* Without a look at sections only header and table count; blocks are looked at by store_check. */
static void how_far_it_is_checked(void **state)
{
	const struct folder *at = *state;
	struct store_block blocks[3];
	struct store_file f;
	struct mer_err err = { 0 };
	uint8_t *bytes;
	struct store_writer w;
	save(at, blocks, "big", 3);
	size_t n = read_all(at->path, &bytes);
	bytes[blocks[0].at] ^= 1; /* nothing says that there is a block */
	write_all(at->path, bytes, n);
	assert_int_equal(store_check(at->path, &err), 0);
	assert_int_equal(store_file_open(&f, at->path, key, &err), 0);
	uint64_t in_section = f.sections[0].at;
	store_file_close(&f);
	bytes[in_section] ^= 1;
	write_all(at->path, bytes, n);
	assert_int_equal(store_file_peek(&f, at->path, key, &err), 0);
	assert_int_equal(store_file_check(&f, at->path, &err), MER_ERR_INPUT);
	store_file_close(&f);
	refused(at->path, key, "damaged");
	assert_int_equal(store_check(at->path, &err), MER_ERR_INPUT);
	free(bytes);

	static const uint32_t types[] = { STORE_SPAN_BLOCKS, STORE_USAGE, STORE_FACT_BLOCKS,
		STORE_LEVEL_BLOCKS, STORE_WAITS, STORE_COUNTS, STORE_BRIDGES, STORE_REQUESTS,
		STORE_REQUEST_COLUMNS };
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (int wrong = 0; wrong < 3; wrong++) {
			struct {
				struct store_block block;
				uint64_t more;
			} list[2] = { 0 };
			assert_int_equal(store_writer_begin(&w, at->path, key, &err), 0);
			store_put_block(&w, "first", 5, &list[0].block);
			store_put_block(&w, "second", 6, &list[1].block);
			list[1].block.hash += wrong == 1;
			list[0].block.hash += wrong == 2;
			store_put_section(&w, types[i], 0, 0, list, 2, sizeof(list[0]));
			store_put_section(&w, types[i], 1, 0, "", 0, sizeof(list[0]));
			assert_int_equal(store_writer_end(&w, true, &err), 0);
			assert_int_equal(store_check(at->path, &err), wrong ? MER_ERR_INPUT : 0);
			if (wrong)
				assert_non_null(strstr(err.text, ": damaged"));
		}
	/* Elements that are too short to begin with a block. */
	assert_int_equal(store_writer_begin(&w, at->path, key, &err), 0);
	store_put_section(&w, STORE_USAGE, 0, 0, "12345678", 1, 8);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_int_equal(store_check(at->path, &err), MER_ERR_INPUT);
}

static void about(void **state)
{
	const struct folder *at = *state;
	struct store_writer w;
	struct mer_err err = { 0 };
	assert_null(store_about(at->path));
	assert_int_equal(store_writer_begin(&w, at->path, key, &err), 0);
	store_put_section(&w, STORE_ABOUT, 0, 0, "two traces", 10, 1);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	char *text = store_about(at->path);
	assert_string_equal(text, "two traces");
	free(text);
	assert_int_equal(store_writer_begin(&w, at->path, key, &err), 0);
	store_put_section(&w, STORE_ABOUT, 0, 0, "", 0, 1);
	assert_int_equal(store_writer_end(&w, true, &err), 0);
	assert_null(store_about(at->path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(comes_back, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(slack, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(given_up, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(cannot_be_written, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(damaged, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(how_far_it_is_checked, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(about, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
