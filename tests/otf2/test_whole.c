/* Archives whose files are cut: which ones are, and through which folder they are read; and notes,
 * which are kept as lines. No libotf2 is needed. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "otf2/archive.h"
#include "copied/notes.h"
#include "otf2/whole.h"

static char folder[64];

static int set_up(void **state)
{
	char path[200];
	(void)state;
	strcpy(folder, "/tmp/meridian-whole-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/a/x", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_true(mer_remove_folder(folder));
	return 0;
}

static void put(const char *name, const char *bytes, size_t n)
{
	char path[200];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_true(mer_file_replace(path, &(struct mer_bytes){ bytes, n }, 1));
}

#define WHOLE(name) put(name, "bytes\x02\x01", 7)

static void archive(void)
{
	put("a/x.otf2", "anchor", 6);
	WHOLE("a/x.def");
	WHOLE("a/x/0.def");
	WHOLE("a/x/0.evt");
	WHOLE("a/x/1.evt");
}

/* Where it is read: "" as it is, else below the folder of links. */
static bool is_read_elsewhere(char *to)
{
	char anchor[200], real[PATH_MAX];
	struct mer_err err = { 0 };
	snprintf(anchor, sizeof(anchor), "%s/a/x.otf2", folder);
	if (otf2ctf_whole(anchor, folder, to, &err))
		fail_msg("%s", err.text);
	assert_non_null(realpath(anchor, real));
	return strcmp(to, real) != 0;
}

/* Of a file of the folder of links: its size; -1: it is a link. */
static long padded(const char *name)
{
	char path[200];
	struct stat st;
	snprintf(path, sizeof(path), "%s/whole/%s", folder, name);
	assert_int_equal(lstat(path, &st), 0);
	return S_ISLNK(st.st_mode) ? -1 : (long)st.st_size;
}

static void whole_ones(void **state)
{
	char to[PATH_MAX];
	(void)state;
	archive();
	assert_false(is_read_elsewhere(to));
	/* The shortest that has an end; files that begin with a point are nobody's. */
	put("a/x/0.evt", "\x02\x01", 2);
	put("a/x/.hidden", "cut", 3);
	assert_false(is_read_elsewhere(to));
}

static void cut_ones(void **state)
{
	static const struct {
		const char *name, *bytes;
		size_t n;
	} cut[] = { { "a/x/1.evt", "", 0 }, { "a/x/1.evt", "\x01", 1 },
		{ "a/x/1.evt", "\x02\x02", 2 }, { "a/x/1.evt", "\x01\x01", 2 },
		{ "a/x/1.evt", "\x02\x01z", 3 }, { "a/x/0.def", "cut", 3 },
		{ "a/x.def", "cut", 3 } };
	(void)state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		char to[PATH_MAX], want[200], path[200], real[PATH_MAX];
		archive();
		put(cut[i].name, cut[i].bytes, cut[i].n);
		assert_true(is_read_elsewhere(to));
		snprintf(want, sizeof(want), "%s/whole/x.otf2", folder);
		assert_string_equal(to, want);
		assert_int_equal(access(to, R_OK), 0);
		static const char *const names[] = { "x.otf2", "x.def", "x/0.def", "x/0.evt",
			"x/1.evt" };
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			bool is_cut = strcmp(cut[i].name + 2, names[k]) == 0;
			long expected = is_cut ? (long)cut[i].n + (32 << 20) : -1;
			assert_int_equal(padded(names[k]), expected);
			/* A link is to the file itself, a copy begins as the file does. */
			snprintf(path, sizeof(path), "%s/whole/%s", folder, names[k]);
			if (is_cut) {
				char begin[8] = "";
				FILE *f = fopen(path, "rb");
				assert_non_null(f);
				assert_int_equal(fread(begin, 1, cut[i].n + 1, f), cut[i].n + 1);
				fclose(f);
				assert_memory_equal(begin, cut[i].bytes, cut[i].n);
				assert_int_equal(begin[cut[i].n], 0);
			} else {
				snprintf(want, sizeof(want), "%s/a/%s", folder, names[k]);
				assert_non_null(realpath(path, real));
				assert_string_equal(real, want);
			}
		}
		otf2ctf_whole_end(folder);
		snprintf(path, sizeof(path), "%s/whole", folder);
		assert_int_equal(access(path, F_OK), -1);
		put(cut[i].name, "\x02\x01", 2);
	}
}

static void cannot_be_made(void **state)
{
	char to[PATH_MAX], anchor[200], path[200];
	struct mer_err err = { 0 };
	(void)state;
	archive();
	put("a/x/1.evt", "cut", 3);
	snprintf(path, sizeof(path), "%s/whole", folder);
	assert_int_equal(mkdir(path, 0700), 0); /* somebody else's */
	snprintf(anchor, sizeof(anchor), "%s/a/x.otf2", folder);
	assert_int_equal(otf2ctf_whole(anchor, folder, to, &err), MER_ERR_SYS);
	assert_non_null(strstr(err.text, "copy the archive's files to"));
	assert_non_null(strstr(err.text, "/whole"));
	snprintf(anchor, sizeof(anchor), "%s/none.otf2", folder);
	assert_int_not_equal(otf2ctf_whole(anchor, folder, to, &err), 0);
	assert_non_null(strstr(err.text, "none.otf2"));
}

/* ---- notes ---- */

static void tells(const char *lines, const char *expected)
{
	struct mer_arena arena;
	struct mer_diags diags;
	struct mer_str out = { 0 };
	mer_arena_init(&arena);
	mer_diags_init(&diags, &arena);
	put("notes", lines, strlen(lines));
	assert_true(copied_notes_tell(folder, "anchor", &diags));
	mer_str_puts(&out, "");
	for (size_t i = 0; i < diags.n; i++) {
		const struct mer_diag *d = &diags.rows[i];
		mer_str_printf(&out, "%d|%s|%u|%s|%s\n", (int)d->severity, d->code,
			(unsigned)d->count, d->message, d->path);
		assert_int_equal(d->stream, -1);
		assert_int_equal(d->packet, -1);
		assert_int_equal(d->offset_bits, -1);
	}
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	mer_diags_fini(&diags);
	mer_arena_fini(&arena);
}

static void notes(void **state)
{
	struct mer_str text = { 0 };
	(void)state;
	copied_note(&text, MER_WARNING, "a-code", 3, "line\none\x1f\x7f two~");
	copied_note(&text, MER_ERROR, "b", 1, "");
	assert_string_equal(text.data, "1 a-code 3 line one   two~\n2 b 1 \n");
	tells(text.data, "1|a-code|3|line one   two~|anchor\n2|b|1||anchor\n");
	mer_str_fini(&text);
	/* What is no note, as after damage, is none. */
	tells("x\n1\n1 code\n1 code 3\n1-code 3 text\n1 code 3text\n1 code 12 a b\nno end",
		"1|code|12|a b|anchor\n");
	tells("", "");
	struct mer_arena arena;
	struct mer_diags diags;
	mer_arena_init(&arena);
	mer_diags_init(&diags, &arena);
	assert_false(copied_notes_tell("/nonexistent", "anchor", &diags));
	char *path = malloc(5000);
	assert_non_null(path);
	memset(path, 'x', 4999);
	path[4999] = '\0';
	assert_false(copied_notes_tell(path, "anchor", &diags));
	assert_int_equal(diags.n, 0);
	free(path);
	mer_diags_fini(&diags);
	mer_arena_fini(&arena);
}

/* ---- names of anchors ---- */

static void anchors(void **state)
{
	(void)state;
	assert_true(otf2ctf_is_anchor("x.otf2"));
	assert_true(otf2ctf_is_anchor("a/traces.otf2"));
	assert_false(otf2ctf_is_anchor(".otf2"));
	assert_false(otf2ctf_is_anchor("a/.otf2"));
	assert_false(otf2ctf_is_anchor("otf2"));
	assert_false(otf2ctf_is_anchor("x.otf2x"));
	assert_false(otf2ctf_is_anchor("xotf2"));
	assert_false(otf2ctf_is_anchor(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole_ones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut_ones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cannot_be_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(notes, set_up, tear_down),
		cmocka_unit_test(anchors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
