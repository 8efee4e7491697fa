/* What sessions keep between runs: states and waits, from which only a part of the traces is read,
 * and stores. Answers are the same with them, without them, and when they are damaged. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/map.h"
#include "given.h"
#include "path/blocked.h"
#include "session/account.h"
#include "session/request.h"
#include "session/rows.h"
#include "session/tasks.h"
#include "table_hash.h"

static char path[500], dir[40];
static struct mer_err err;

#define OK(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s", err.text);                                                  \
	} while (0)

static int find_recording(void **state)
{
	(void)state;
	return given_find(path, sizeof(path), "lab/login-tree") ? 0 : -1;
}

/* How many files of this kind are kept ("": all). removes: they go. */
static size_t files(const char *kind, bool removes)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	size_t n = 0;
	assert_non_null(d);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.' && strncmp(entry->d_name, kind, strlen(kind)) == 0) {
			n++;
			if (removes)
				unlinkat(dirfd(d), entry->d_name, 0);
		}
	closedir(d);
	return n;
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_kept.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	files("", true);
	return rmdir(dir);
}

/* ---- sessions ---- */

static unsigned stages; /* bits: those that began */

static _Atomic uint64_t *begin(void *ctx, enum session_stage stage, uint64_t total_bytes)
{
	(void)ctx;
	assert_true(total_bytes > 0);
	stages |= 1u << stage;
	return NULL;
}

static struct session *open_with(struct session_options o)
{
	static const char *paths[] = { path };
	o.paths = paths;
	o.n_paths = 1;
	o.n_threads = 2;
	o.watcher = (struct session_watcher){ NULL, begin, NULL };
	stages = 0;
	struct session *s = session_new(&o);
	assert_non_null(s);
	OK(session_open(s, &err));
	return s;
}

static struct session *open_kept(bool keeps)
{
	return open_with((struct session_options){ .cache_dir = keeps ? dir : NULL });
}

/* ---- tables ---- */

static uint32_t n_spans; /* of the world of the last answer: how much was read */

struct part { /* times as people type them; NULL: not said */
	const char *begin, *end;
};

static struct session_selection selection_of(const struct part *p)
{
	struct session_selection s = { 0 };
	if (p->begin)
		OK(session_moment_parse(&s.begin, p->begin, &err));
	if (p->end)
		OK(session_moment_parse(&s.end, p->end, &err));
	return s;
}

static uint64_t ask(
	struct session *s, const char *analysis, const char *output, const struct part *part)
{
	struct session_selection what = selection_of(part);
	struct analysis_request table = { .analysis = analysis_find(analysis) };
	struct session_rows rows = { .leaves_out = true };
	struct session_answer a;
	struct analysis_left_out sum = { 0 };
	const char *sorted;
	assert_non_null(table.analysis);
	table.output = (unsigned)analysis_find_output(table.analysis, output);
	struct session_request q = { .tables = &table,
		.n = 1,
		.selection = &what,
		.options = { .max_ns = INT64_MAX },
		.stage = SESSION_READING };
	session_rows_prepare(&rows, &table, 1, &q.options);
	OK(session_request(s, &q, &a, &err));
	OK(session_rows_arrange(&a, 0, &rows, &sorted, &sum, &err));
	uint64_t hash = table_hash(&a.tables[0]);
	n_spans = a.run.world->hosts[0].n_spans;
	session_answer_fini(&a);
	return hash;
}

static uint64_t ask_once(
	bool keeps, const char *analysis, const char *output, const struct part *part)
{
	struct session *s = open_kept(keeps);
	uint64_t hash = ask(s, analysis, output, part);
	session_free(s);
	return hash;
}

static const struct part whole = { NULL, NULL };
static const struct part parts[] = { { "+2s", "+2.2s" }, { "+9s", NULL }, { NULL, "+2s" } };
enum { N_PARTS = sizeof(parts) / sizeof(*parts) };

/* Only what is asked about is read, whatever is said of it: begin, end, or both. */
static void parts_are_read_alone(void **state)
{
	uint64_t expected[N_PARTS];
	(void)state;
	for (size_t i = 0; i < N_PARTS; i++)
		expected[i] = ask_once(false, "sched", "top", &parts[i]);
	assert_true(expected[0] != expected[1] && expected[1] != expected[2]);
	assert_int_equal(files("", false), 0);
	uint64_t all = ask_once(true, "sched", "top", &whole);
	assert_int_equal(files("states-", false), 1);
	assert_int_equal(files("waits-", false), 0); /* nobody asked about them */
	assert_true(ask_once(true, "sched", "top", &whole) == all);
	const uint32_t n_all = n_spans;
	for (size_t i = 0; i < N_PARTS; i++) {
		assert_true(ask_once(true, "sched", "top", &parts[i]) == expected[i]);
		assert_true(n_spans > 0 && n_spans < n_all / 4 * 3);
	}
	assert_int_equal(files("states-", false), 1);
}

/* Rows that may be idle waits need to know of waits, which only a reading of everything finds. */
static void waits_are_kept(void **state)
{
	(void)state;
	uint64_t expected = ask_once(false, "syscall", "log", &parts[0]);
	const uint32_t n_all = n_spans;
	ask_once(true, "sched", "top", &whole);
	assert_int_equal(files("states-", false), 1);
	assert_int_equal(files("waits-", false), 0);
	/* Without them, everything is read, and they are found: */
	assert_true(ask_once(true, "syscall", "log", &parts[0]) == expected);
	assert_int_equal(n_spans, n_all);
	ask_once(true, "syscall", "log", &whole);
	assert_int_equal(files("waits-", false), 1);
	assert_true(ask_once(true, "syscall", "log", &parts[0]) == expected);
	assert_true(n_spans < n_all / 2);
}

/* Facts that a window alone does not say are kept, too, by kind; what needs no events reads
 * none. */
static void facts_are_kept(void **state)
{
	static const char *const analyses_of[] = { "disk", "mem", "faults", "futex", "net",
		"servers", "cpufreq" };
	enum { N = sizeof(analyses_of) / sizeof(*analyses_of) };
	(void)state;
	for (size_t i = 0; i < N; i++) {
		const char *a = analyses_of[i];
		uint64_t expected[N_PARTS];
		for (size_t k = 0; k < N_PARTS; k++)
			expected[k] = ask_once(false, a, "top", &parts[k]);
		const uint32_t n_all = n_spans;
		size_t n_kept = files("facts-", false);
		uint64_t all = ask_once(true, a, "top", &whole);
		assert_true(files("facts-", false) > n_kept);
		n_kept = files("facts-", false);
		for (size_t k = 0; k < N_PARTS; k++) {
			assert_true(ask_once(true, a, "top", &parts[k]) == expected[k]);
			assert_true(n_spans < n_all / 4 * 3);
		}
		assert_true(ask_once(true, a, "top", &whole) == all);
		assert_int_equal(files("facts-", false), n_kept);
	}
	/* Without them all is read, and they are kept again. */
	uint64_t expected = ask_once(false, "disk", "top", &parts[0]);
	const uint32_t n_all = n_spans;
	files("facts-", true);
	assert_true(ask_once(true, "disk", "top", &parts[0]) == expected);
	assert_int_equal(n_spans, n_all);
	assert_true(ask_once(true, "disk", "top", &parts[0]) == expected);
	assert_true(n_spans < n_all / 2);
	assert_int_equal(files("facts-", false), 3); /* requests, merges, times */
	/* Other tables need fewer of them. */
	expected = ask_once(false, "disk", "log", &parts[0]);
	assert_true(ask_once(true, "disk", "log", &parts[0]) == expected);
	assert_true(n_spans < n_all / 2);
}

/* Of some hosts alone nothing is kept that would be taken for that of all. */
static void of_one_host_nothing_is_kept(void **state)
{
	(void)state;
	char before[sizeof(path)];
	memcpy(before, path, sizeof(path));
	if (!given_find(path, sizeof(path), "lab/mpi-3vm"))
		skip();
	struct session *s = open_kept(true);
	struct session_selection one = { .hosts = { (const char *[]){ NULL }, 1 } };
	OK(session_synchronize(s, false, &err));
	one.hosts.item[0] = session_experiment(s)->hosts[0].name;
	assert_true(session_experiment(s)->n_hosts > 1);
	struct analysis_request table = { analysis_find("disk"), 0 };
	struct session_request q = { .tables = &table,
		.n = 1,
		.selection = &one,
		.options = { .max_ns = INT64_MAX },
		.stage = SESSION_READING };
	struct session_answer a;
	OK(session_request(s, &q, &a, &err));
	session_answer_fini(&a);
	session_free(s);
	assert_int_equal(files("facts-", false) + files("states-", false), 0);
	memcpy(path, before, sizeof(path));
}

/* The kept file with other bytes in its middle, and the hash of these. */
static void damage(const char *kind)
{
	enum { HASH_AT = 40, BODY_AT = 64 }; /* kernel/checkpoint/keep.h */
	DIR *d = opendir(dir);
	const struct dirent *entry;
	assert_non_null(d);
	while ((entry = readdir(d)) && strncmp(entry->d_name, kind, strlen(kind)) != 0)
		;
	assert_non_null(entry);
	char name[400];
	snprintf(name, sizeof(name), "%s/%s", dir, entry->d_name);
	closedir(d);
	FILE *f = fopen(name, "rb+");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size_t n = (size_t)ftell(f);
	uint8_t *bytes = malloc(n);
	assert_non_null(bytes);
	rewind(f);
	assert_int_equal(fread(bytes, 1, n, f), n);
	memset(bytes + n / 4, 0xff, n / 2);
	uint64_t hash = mer_hash(bytes + BODY_AT, n - BODY_AT);
	memcpy(bytes + HASH_AT, &hash, sizeof(hash));
	rewind(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	free(bytes);
}

static void what_is_damaged_is_read_again(void **state)
{
	(void)state;
	uint64_t expected = ask_once(false, "sched", "top", &parts[0]);
	ask_once(true, "sched", "top", &whole);
	damage("states-");
	assert_true(ask_once(true, "sched", "top", &parts[0]) == expected);
	assert_int_equal(files("states-", false), 0);
	ask_once(true, "sched", "top", &whole);
	assert_int_equal(files("states-", false), 1);
	expected = ask_once(false, "disk", "log", &parts[0]);
	files("", true);
	ask_once(true, "disk", "log", &whole);
	assert_int_equal(files("facts-", false), 1);
	damage("facts-");
	assert_true(ask_once(true, "disk", "log", &parts[0]) == expected);
	ask_once(true, "disk", "log", &whole);
	assert_true(ask_once(true, "disk", "log", &parts[0]) == expected);
	assert_int_equal(files("facts-", false), 1);
}

/* ---- worlds ---- */

static struct session_window window_of(struct session *s, const struct part *p)
{
	struct session_selection what = selection_of(p);
	struct session_window w;
	OK(session_window(s, &what, &w, &err));
	return w;
}

static bool is_part(const struct session_world *w)
{
	static uint32_t n_all; /* at first all is read */
	n_all = n_all ? n_all : w->world->hosts[0].n_spans;
	return w->world->hosts[0].n_spans < n_all;
}

/* A world of a part where that is enough; and of everything where it is not. */
static void worlds_of_parts(void **state)
{
	(void)state;
	struct session_world w;
	struct session *s = open_kept(true);
	OK(session_world(s, NULL, SESSION_USAGE_NONE, &w, &err));
	assert_false(is_part(&w));
	session_free(s);
	assert_int_equal(files("states-", false), 1);
	for (size_t i = 0; i < N_PARTS; i++) {
		s = open_kept(true);
		session_expect_part(s);
		OK(session_synchronize(s, false, &err));
		struct session_window within = window_of(s, &parts[i]);
		OK(session_world(s, &within, SESSION_USAGE_NONE, &w, &err));
		assert_true(is_part(&w));
		struct session_window all = { INT64_MIN, INT64_MAX };
		OK(session_world(s, i == 0 ? &all : NULL,
			i == 1 ? SESSION_USAGE_DISKS : SESSION_USAGE_NONE, &w, &err));
		assert_int_equal(w.world->hosts[0].known_until, INT64_MAX);
		assert_false(is_part(&w));
		assert_true((w.usage != NULL) == (i == 1));
		session_free(s);
	}
	/* Waits will be looked at, and nobody kept them. */
	s = open_kept(true);
	session_expect_part(s);
	session_expect_waits(s);
	OK(session_synchronize(s, false, &err));
	struct session_window within = window_of(s, &parts[0]);
	OK(session_world(s, &within, SESSION_USAGE_NONE, &w, &err));
	assert_false(is_part(&w));
	struct blocked blocked;
	OK(blocked_find_in(w.world, INT64_MIN, INT64_MAX, &blocked, &err));
	blocked_fini(&blocked);
	session_free(s);
	assert_int_equal(files("waits-", false), 1);
	s = open_kept(true);
	session_expect_part(s);
	session_expect_waits(s);
	OK(session_synchronize(s, false, &err));
	OK(session_world(s, &within, SESSION_USAGE_NONE, &w, &err));
	assert_true(is_part(&w));
	session_free(s);
	/* With a store nothing is read. */
	s = open_with((struct session_options){ .cache_dir = dir, .store = true });
	OK(session_world(s, NULL, SESSION_USAGE_NONE, &w, &err));
	session_free(s);
	s = open_with((struct session_options){ .cache_dir = dir, .store = true });
	OK(session_world(s, &within, SESSION_USAGE_NONE, &w, &err));
	assert_int_equal(stages, 0);
	session_free(s);
}

struct cost {
	int64_t waited_ns, self_ns, children_ns, rest_ns, used, n;
};

/* Of the first task of the last host that lives long. */
static struct cost cost_of(bool keeps, const struct part *p, enum session_usage usage)
{
	struct session_world w;
	struct session_account_found found;
	struct session *s = open_kept(keeps);
	session_expect_part(s);
	session_expect_accounts(s);
	OK(session_synchronize(s, false, &err));
	struct session_window within = window_of(s, p);
	OK(session_world(s, &within, usage, &w, &err));
	const uint32_t host = w.world->n_hosts - 1;
	uint32_t task = 0;
	while (w.world->hosts[host].tasks[task].pid <= 0 || !w.world->hosts[host].tasks[task].born)
		task++;
	OK(session_account_find(&found, &w, host, task, &within, true, &err));
	n_spans = w.world->hosts[0].n_spans;
	const struct account_node *root = &found.account.nodes[0];
	struct cost c = { .waited_ns = found.account.waited_ns,
		.self_ns = root->self_ns,
		.children_ns = root->children_ns,
		.n = found.account.n };
	for (uint32_t i = 0; i < found.account.n; i++) {
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++)
			c.rest_ns += found.account.nodes[i].residual_ns[r];
		for (unsigned k = 0; k < USAGE_N_KINDS; k++)
			c.used += found.account.nodes[i].used[k];
	}
	assert_int_equal(
		c.self_ns + c.children_ns + c.rest_ns, found.account.end - found.account.begin);
	session_account_fini(&found);
	session_free(s);
	return c;
}

/* What a task cost in a window needs waits, claims and usage of the whole, which the first reading
 * of it keeps; of disks alone others, as then merges of requests are not looked at. */
static void costs_of_parts(void **state)
{
	static const enum session_usage usages[] = { SESSION_USAGE_ALL, SESSION_USAGE_DISKS };
	const struct part *p = &parts[2];
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cost expected = cost_of(false, p, usages[i]);
		const uint32_t n_all = n_spans;
		assert_int_equal(files("accounts-", false), i);
		struct cost first = cost_of(true, p, usages[i]); /* keeps what it found */
		assert_int_equal(n_spans, n_all);
		assert_int_equal(files("accounts-", false), i + 1);
		struct cost again = cost_of(true, p, usages[i]);
		assert_true(n_spans < n_all);
		assert_memory_equal(&first, &expected, sizeof(first));
		assert_memory_equal(&again, &expected, sizeof(again));
		assert_true(expected.used > 0 || i);
	}
	files("accounts-", true);
	cost_of(true, p, SESSION_USAGE_ALL);
	assert_int_equal(files("accounts-", false), 1);
}

/* It is read further, twice as far each time, until the end is known. */
static void further(void **state)
{
	(void)state;
	struct session_world w;
	struct session *s = open_kept(true);
	OK(session_world(s, NULL, SESSION_USAGE_NONE, &w, &err));
	session_free(s);
	s = open_kept(true);
	session_expect_part(s);
	OK(session_synchronize(s, false, &err));
	struct session_window within = window_of(s, &parts[0]);
	OK(session_world(s, &within, SESSION_USAGE_NONE, &w, &err));
	int64_t length = within.end - within.begin + 10000000;
	assert_int_equal(w.world->hosts[0].known_until, within.begin + length);
	OK(session_world_further(&w, &within, &err));
	assert_int_equal(w.world->hosts[0].known_until, within.begin + 2 * length);
	OK(session_world_further(&w, &within, &err));
	assert_int_equal(w.world->hosts[0].known_until, within.begin + 4 * length);
	for (int i = 0; i < 10; i++)
		OK(session_world_further(&w, &within, &err));
	assert_int_equal(w.world->hosts[0].known_until, INT64_MAX);
	session_free(s);
	/* A window near the end needs nothing behind it. */
	s = open_kept(true);
	session_expect_part(s);
	OK(session_synchronize(s, false, &err));
	within.begin = session_experiment(s)->end - 20000000;
	within.end = session_experiment(s)->end - 10000000;
	OK(session_world(s, &within, SESSION_USAGE_NONE, &w, &err));
	assert_int_equal(w.world->hosts[0].known_until, INT64_MAX);
	session_free(s);
}

/* ---- stores ---- */

static void stores(void **state)
{
	(void)state;
	const struct session_options stored = { .cache_dir = dir, .store = true };
	uint64_t expected = ask_once(false, "sched", "top", &whole);
	for (int run = 0; run < 2; run++) {
		struct session *s = open_with(stored);
		assert_true(ask(s, "sched", "top", &whole) == expected);
		assert_true(((stages >> SESSION_STORING & 1) != 0) == (run == 0));
		assert_true(!(stages >> SESSION_READING & 1));
		assert_null(session_store_error(s));
		assert_int_equal(session_stored(s), SESSION_STORE_ANSWERED);
		session_free(s);
		assert_int_equal(files("world-", false), 1);
	}
	/* Nowhere to keep it: why, and the answer all the same. */
	struct session *s = open_with((struct session_options){ .store = true });
	assert_true(ask(s, "sched", "top", &whole) == expected);
	assert_non_null(session_store_error(s));
	session_free(s);
	char file[80];
	snprintf(file, sizeof(file), "%s/file", dir);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	snprintf(file, sizeof(file), "%s/file/below", dir);
	s = open_with((struct session_options){ .cache_dir = file, .store = true });
	assert_true(ask(s, "sched", "top", &whole) == expected);
	assert_non_null(session_store_error(s));
	assert_non_null(strstr(session_store_error(s)->text, file));
	session_free(s);
}

/* People who look at the cache see what it was made of. */
static void stores_say_of_what(void **state)
{
	(void)state;
	struct session *s = open_with((struct session_options){ .cache_dir = dir, .store = true });
	struct session_world w;
	OK(session_world(s, NULL, SESSION_USAGE_NONE, &w, &err));
	session_free(s);
	DIR *d = opendir(dir);
	const struct dirent *entry;
	assert_non_null(d);
	while ((entry = readdir(d)) && strncmp(entry->d_name, "world-", 6) != 0)
		;
	assert_non_null(entry);
	char name[400];
	snprintf(name, sizeof(name), "%s/%s", dir, entry->d_name);
	closedir(d);
	struct mer_file f;
	OK(mer_file_open(&f, name, &err));
	char *real = realpath(path, NULL);
	assert_non_null(real);
	assert_non_null(memmem(f.data, f.size, "host: vm\nbytes: ", 16));
	assert_non_null(memmem(f.data, f.size, real, strlen(real)));
	free(real);
	mer_file_close(&f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		TEST(parts_are_read_alone),
		TEST(waits_are_kept),
		TEST(facts_are_kept),
		TEST(of_one_host_nothing_is_kept),
		TEST(what_is_damaged_is_read_again),
		TEST(worlds_of_parts),
		TEST(costs_of_parts),
		TEST(further),
		TEST(stores),
		TEST(stores_say_of_what),
	};
	return cmocka_run_group_tests(tests, find_recording, NULL);
}
