/* What happens when libotf2 crashes or hangs: otf2ctf_read is replaced by one that does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "otf2/archive.h"
#include "copied/notes.h"
#include "otf2/read.h"

struct seen { /* by all processes */
	unsigned attempts;
	size_t n_limits;
	struct otf2ctf_limit last[16];
};

struct fixture {
	struct mer_arena arena;
	struct mer_diags diags;
	char folder[64], anchor[128], cache[128];
};

static struct seen *seen;
static char made_in[256]; /* the folder of this attempt */
static int (*act)(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n);

int otf2ctf_read(const char *anchor, const char *folder, struct otf2ctf_progress *progress,
	const struct otf2ctf_limit *limits, size_t n_limits, struct mer_err *err)
{
	char path[256];
	struct mer_str notes = { 0 };
	(void)anchor;
	(void)err;
	snprintf(path, sizeof(path), "%s/begun", folder);
	if (access(path, F_OK) == 0) /* an earlier attempt's, which is to be gone */
		return MER_ERR_INPUT;
	close(open(path, O_WRONLY | O_CREAT, 0600));
	snprintf(made_in, sizeof(made_in), "%s", folder);
	seen->attempts++;
	seen->n_limits = n_limits;
	if (n_limits)
		memcpy(seen->last, limits, n_limits * sizeof(*limits));
	int rc = act(progress, limits, n_limits);
	if (rc)
		return rc;
	copied_note(&notes, MER_NOTE, "otf2-left-out", 3, "three\nlines");
	snprintf(path, sizeof(path), "%s/notes", folder);
	mer_file_replace(path, &(struct mer_bytes){ notes.data, notes.len }, 1);
	mer_str_fini(&notes);
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	mer_arena_init(&f->arena);
	mer_diags_init(&f->diags, &f->arena);
	strcpy(f->folder, "/tmp/meridian-attempts-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->anchor, sizeof(f->anchor), "%s/x.otf2", f->folder);
	snprintf(f->cache, sizeof(f->cache), "%s/cache", f->folder);
	close(open(f->anchor, O_WRONLY | O_CREAT, 0600));
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	assert_true(mer_remove_folder(f->folder));
	munmap(seen, sizeof(*seen));
	mer_diags_fini(&f->diags);
	mer_arena_fini(&f->arena);
	free(f);
	return 0;
}

static int open_archive(struct fixture *f, struct copied *a, struct mer_err *err)
{
#ifndef MER_HAS_OTF2
	skip();
#endif
	return copied_open(&otf2ctf_archive, f->anchor, f->cache, &f->arena, &f->diags, a, err);
}

static int no_harm(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	(void)p;
	(void)limits;
	(void)n;
	return 0;
}

static void is_made_once(void **state)
{
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	act = no_harm;
	for (unsigned i = 1; i <= 2; i++) {
		assert_int_equal(open_archive(f, &a, &err), 0);
		assert_int_equal(seen->attempts, 1);
		assert_false(a.is_temporary);
		assert_int_equal(f->diags.n, i); /* told each time */
		assert_string_equal(f->diags.rows[0].message, "three lines");
		assert_int_equal(f->diags.rows[0].count, 3);
		assert_string_equal(f->diags.rows[0].path, f->anchor);
	}
}

static void is_temporary_without_a_cache(void **state)
{
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	act = no_harm;
	strcpy(f->cache, "/proc/nowhere/cache"); /* one that cannot be made */
	assert_int_equal(open_archive(f, &a, &err), 0);
	assert_true(a.is_temporary);
	assert_int_equal(access(a.folder, F_OK), 0);
	copied_close(&a);
	assert_int_equal(access(a.folder, F_OK), -1);
}

static uint64_t limit_of(const struct otf2ctf_limit *limits, size_t n, uint64_t place)
{
	for (size_t i = 0; i < n; i++)
		if (limits[i].place == place)
			return limits[i].events;
	return UINT64_MAX;
}

/* The location with place 1 crashes after 10 events, the one with place 2 hangs at its begin. */
static int crash_and_hang(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	p->place = 2;
	p->location = 77;
	p->events = 10;
	if (limit_of(limits, n, 1) > 10)
		raise(SIGSEGV);
	p->place = 3;
	p->location = 78;
	p->events = 0;
	if (limit_of(limits, n, 2) > 0)
		raise(SIGPROF);
	return 0;
}

static void goes_on_after_a_crash(void **state)
{
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	act = crash_and_hang;
	assert_int_equal(open_archive(f, &a, &err), 0);
	assert_int_equal(seen->attempts, 3);
	assert_int_equal(seen->n_limits, 2);
	assert_int_equal(seen->last[0].place, 1);
	assert_int_equal(seen->last[0].location, 77);
	assert_int_equal(seen->last[0].events, 10);
	assert_false(seen->last[0].has_hung);
	assert_int_equal(seen->last[1].location, 78);
	assert_true(seen->last[1].has_hung);
}

/* Whatever is left out of it. */
static int crash_anyway(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	p->place = 1;
	p->events = 10;
	if (limit_of(limits, n, 0) > 0)
		raise(SIGABRT);
	return 0;
}

static void leaves_out_a_location_that_crashes_again(void **state)
{
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	act = crash_anyway;
	assert_int_equal(open_archive(f, &a, &err), 0);
	assert_int_equal(seen->attempts, 3); /* all of it, 10 events, none */
	assert_int_equal(seen->last[0].events, 0);
}

static int crash_everywhere(
	struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	(void)limits;
	p->place = n + 1;
	raise(SIGFPE);
	return 0;
}

static int crash_in_definitions(
	struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	(void)p;
	(void)limits;
	(void)n;
	raise(SIGSEGV);
	return 0;
}

static int hang_in_definitions(
	struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	(void)p;
	(void)limits;
	(void)n;
	raise(SIGPROF);
	return 0;
}

static int be_ended(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	(void)p;
	(void)limits;
	(void)n;
	raise(SIGINT);
	return 0;
}

static void gives_up(void **state)
{
	static const struct {
		int (*act)(struct otf2ctf_progress *, const struct otf2ctf_limit *, size_t);
		int rc;
		unsigned attempts;
		const char *text;
	} cases[] = { { crash_everywhere, MER_ERR_INPUT, 17, "crashed when it read one location" },
		{ crash_in_definitions, MER_ERR_INPUT, 1, "crashed when it read its definitions" },
		{ hang_in_definitions, MER_ERR_INPUT, 1, "hung when it read its definitions" },
		{ be_ended, MER_ERR_CANCELLED, 1, "cancelled" } };
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct copied a;
		struct mer_err err = { 0 };
		act = cases[i].act;
		seen->attempts = 0;
		assert_int_equal(open_archive(f, &a, &err), cases[i].rc);
		assert_int_equal(seen->attempts, cases[i].attempts);
		assert_non_null(strstr(err.text, cases[i].text));
	}
}

/* Another process has made the same copy meanwhile: it counts, and nothing else stays behind. */
static int be_late(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	char path[300];
	(void)p;
	(void)limits;
	(void)n;
	snprintf(
		path, sizeof(path), "%.*s", (int)strlen(made_in) - (int)strlen(".XXXXXX"), made_in);
	if (mkdir(path, 0700) != 0)
		return MER_ERR_SYS;
	strcat(path, "/notes");
	static const char note[] = "1 otf2-damaged 1 theirs\n";
	return mer_file_replace(path, &(struct mer_bytes){ note, sizeof(note) - 1 }, 1)
		       ? 0
		       : MER_ERR_SYS;
}

static void another_one_is_faster(void **state)
{
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	struct dirent **names;
	act = be_late;
	assert_int_equal(open_archive(f, &a, &err), 0);
	assert_int_equal(f->diags.n, 1);
	assert_string_equal(f->diags.rows[0].message, "theirs");
	assert_false(a.is_temporary);
	int n = scandir(f->cache, &names, NULL, alphasort);
	assert_int_equal(n, 3); /* with . and .. */
	assert_string_equal(strrchr(a.folder, '/') + 1, names[2]->d_name);
	assert_string_equal(a.source, f->anchor);
	while (n > 0)
		free(names[--n]);
	free(names);
}

/* Whatever the program does with signals, and blocks, in the process that reads they end it; and
 * what is printed there is nothing for people. */
static int raised;

static int raise_it(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	struct stat out, nowhere;
	(void)limits;
	(void)n;
	for (int fd = 0; fd < 3; fd++)
		if (fstat(fd, &out) || stat("/dev/null", &nowhere) ||
			out.st_rdev != nowhere.st_rdev)
			return MER_ERR_BUG;
	p->place = 0;
	raise(raised);
	return 0;
}

static void signals_are_its_own(void **state)
{
	static const int each[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGINT,
		SIGTERM, SIGHUP, SIGPIPE };
	struct fixture *f = *state;
	sigset_t all, before;
	act = raise_it;
	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
		struct copied a;
		struct mer_err err = { 0 };
		raised = each[i];
		void (*handler)(int) = signal(raised, SIG_IGN);
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &before);
		int rc = open_archive(f, &a, &err);
		sigprocmask(SIG_SETMASK, &before, NULL);
		signal(raised, handler);
		bool is_end = raised == SIGINT || raised == SIGTERM || raised == SIGHUP;
		assert_int_equal(rc, is_end ? MER_ERR_CANCELLED : MER_ERR_INPUT);
		assert_non_null(strstr(err.text, is_end ? "cancelled"
						 : raised == SIGPROF
							 ? "hung when it read its definitions"
							 : "crashed when it read its definitions"));
	}
}

/* An error of the reading is told with the archive's name, and leaves nothing behind. */
static int refuse(struct otf2ctf_progress *p, const struct otf2ctf_limit *limits, size_t n)
{
	(void)limits;
	(void)n;
	mer_fail(&p->err, MER_ERR_LIMIT, "it is too odd");
	return MER_ERR_LIMIT;
}

static void errors_are_told(void **state)
{
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	char want[300];
	act = refuse;
	assert_int_equal(open_archive(f, &a, &err), MER_ERR_LIMIT);
	snprintf(want, sizeof(want), "%s: the OTF2 archive cannot be read: it is too odd",
		f->anchor);
	assert_string_equal(err.text, want);
	assert_int_equal(rmdir(f->cache), 0); /* it is empty */
	unlink(f->anchor);
	assert_int_equal(open_archive(f, &a, &err), MER_ERR_SYS);
	assert_non_null(strstr(err.text, "x.otf2: cannot open"));
}

/* The copy is another one when the archive's files are: any of them. */
static void is_made_again_when_files_change(void **state)
{
	static const char *const files[] = { "x.otf2", "x.def", "x/0.evt", "x/1.evt" };
	struct fixture *f = *state;
	struct copied a;
	struct mer_err err;
	char path[256];
	unsigned attempts = 0;
	act = no_harm;
	snprintf(path, sizeof(path), "%s/x", f->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
			snprintf(path, sizeof(path), "%s/%s", f->folder, files[i]);
			FILE *out = fopen(path, "a"); /* made, then one byte longer */
			assert_non_null(out);
			fputc('x', out);
			assert_int_equal(fclose(out), 0);
			assert_int_equal(open_archive(f, &a, &err), 0);
			assert_int_equal(seen->attempts, ++attempts);
			assert_int_equal(open_archive(f, &a, &err), 0);
			assert_int_equal(seen->attempts, attempts);
		}
	snprintf(path, sizeof(path), "%s/x/.hidden", f->folder); /* is none of its files */
	close(open(path, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(open_archive(f, &a, &err), 0);
	assert_int_equal(seen->attempts, attempts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_made_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_temporary_without_a_cache, set_up, tear_down),
		cmocka_unit_test_setup_teardown(goes_on_after_a_crash, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			leaves_out_a_location_that_crashes_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(gives_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_one_is_faster, set_up, tear_down),
		cmocka_unit_test_setup_teardown(signals_are_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_are_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_made_again_when_files_change, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
