/* What sessions keep between runs: stores, made if they are wanted, or for the second question
 * about the same traces and clocks. Answers are the same with them, without them, and when they are
 * damaged. */
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
#include "requests/parts.h"
#include "session/alignment.h"
#include "session/request.h"
#include "session/requests.h"
#include "session/rows.h"
#include "session/state.h"
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
	return given_find(path, sizeof(path), "lab/web-load") ? 0
							      : -1; /* of 13 MB: worth a store */
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
	snprintf(dir, sizeof(dir), "/tmp/test_stores.XXXXXX");
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

/* ---- tables ---- */

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
	session_answer_fini(&a);
	return hash;
}

static const struct part whole = { NULL, NULL };
static const struct part parts[] = { { "+2s", "+2.2s" }, { "+9s", NULL }, { NULL, "+2s" } };
enum { N_PARTS = sizeof(parts) / sizeof(*parts) };

static const struct session_options nowhere, here = { .cache_dir = dir };

static uint64_t ask_once(
	struct session_options o, const char *analysis, const char *output, const struct part *part)
{
	struct session *s = open_with(o);
	uint64_t hash = ask(s, analysis, output, part);
	session_free(s);
	return hash;
}

static bool began(enum session_stage stage)
{
	return stages >> stage & 1;
}

/* ---- stores that are wanted ---- */

static void stores(void **state)
{
	(void)state;
	const struct session_options stored = { .cache_dir = dir, .store = true };
	uint64_t expected = ask_once(nowhere, "sched", "top", &whole);
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
	OK(session_world(s, SESSION_USAGE_NONE, &w, &err));
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
	assert_non_null(memmem(f.data, f.size, "bytes: ", 7));
	assert_non_null(memmem(f.data, f.size, real, strlen(real)));
	free(real);
	mer_file_close(&f);
}

/* ---- stores that come of themselves ---- */

/* The first question reads, the second one makes a store, whatever either asks; later ones are
 * answered from it. */
static void the_second_question_makes_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PARTS; i++) {
		uint64_t expected = ask_once(nowhere, "sched", "top", &parts[i]);
		ask_once(here, "irq", "top", &whole);
		assert_true(began(SESSION_READING) && !began(SESSION_STORING));
		assert_int_equal(files("read-", false), 1);
		assert_int_equal(files("world-", false), 0);
		struct session *s = open_with(here);
		assert_true(ask(s, "sched", "top", &parts[i]) == expected);
		assert_true(session_store_is_of_itself(s));
		session_free(s);
		assert_true(began(SESSION_STORING) && !began(SESSION_READING));
		assert_int_equal(files("world-", false), 1);
		s = open_with(here);
		assert_true(ask(s, "sched", "top", &parts[i]) == expected);
		assert_int_equal(session_stored(s), SESSION_STORE_ANSWERED);
		assert_false(session_store_is_of_itself(s));
		session_free(s);
		assert_true(!began(SESSION_STORING) && !began(SESSION_READING));
		assert_true(files("", true) >= 2);
	}
}

/* Of a session that stays open, too: only when it says that it is another question. */
static void of_a_session_that_stays_open(void **state)
{
	(void)state;
	struct session *s = open_with(here);
	uint64_t expected = ask(s, "sched", "top", &whole);
	assert_true(ask(s, "sched", "top", &whole) == expected);
	assert_false(began(SESSION_STORING));
	session_next_question(s);
	assert_true(ask(s, "sched", "top", &whole) == expected);
	assert_true(began(SESSION_STORING) && session_store_is_of_itself(s));
	session_next_question(s);
	assert_int_equal(session_stored(s), SESSION_STORE_ANSWERED);
	session_free(s);
}

static void not_of_who_wants_none(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		ask_once((struct session_options){ .cache_dir = dir, .no_store = true }, "irq",
			"top", &whole);
		assert_false(began(SESSION_STORING));
	}
	assert_int_equal(files("read-", false), 0);
}

/* Small traces are read as fast as a store is opened. */
static void not_of_small_traces(void **state)
{
	char large[sizeof(path)];
	(void)state;
	memcpy(large, path, sizeof(large));
	assert_true(given_find(path, sizeof(path), "lab/wget-cold-hot"));
	for (int i = 0; i < 3; i++) {
		ask_once(here, "irq", "top", &whole);
		assert_false(began(SESSION_STORING));
	}
	assert_int_equal(files("world-", false), 0);
	assert_int_equal(files("read-", false), 0);
	memcpy(path, large, sizeof(large));
}

/* Overwrites the middle of the file of this kind. */
static void damage(const char *kind)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	assert_non_null(d);
	while ((entry = readdir(d)) && strncmp(entry->d_name, kind, strlen(kind)) != 0)
		;
	assert_non_null(entry);
	char name[400];
	snprintf(name, sizeof(name), "%s/%s", dir, entry->d_name);
	closedir(d);
	FILE *f = fopen(name, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, -40, SEEK_END), 0); /* the table of sections */
	assert_int_equal(fwrite("damaged damaged ", 1, 16, f), 16);
	assert_int_equal(fclose(f), 0);
}

/* It is made anew, at once. */
static void what_is_damaged_is_made_again(void **state)
{
	(void)state;
	uint64_t expected = ask_once(nowhere, "disk", "log", &parts[0]);
	for (int i = 0; i < 2; i++)
		ask_once(here, "disk", "log", &whole);
	damage("world-");
	assert_true(ask_once(here, "disk", "log", &parts[0]) == expected);
	assert_true(began(SESSION_STORING));
	assert_int_equal(files("world-", false), 1);
	assert_true(ask_once(here, "disk", "log", &parts[0]) == expected);
	assert_true(!began(SESSION_STORING) && !began(SESSION_READING));
}

/* Also for the next question of a session that stays open. The new one is not damaged: it stays. */
static void what_is_damaged_is_made_again_in_a_session(void **state)
{
	(void)state;
	uint64_t expected = ask_once(nowhere, "disk", "log", &whole);
	for (int i = 0; i < 2; i++)
		ask_once(here, "disk", "log", &whole);
	struct session *s = open_with(here);
	assert_true(ask(s, "disk", "log", &whole) == expected);
	assert_int_equal(session_store_drop(s, &err), 0); /* as who finds it damaged does */
	assert_true(ask(s, "disk", "log", &whole) == expected);
	assert_int_equal(session_stored(s), SESSION_STORE_DAMAGED);
	assert_int_equal(files("world-", false), 0);
	session_next_question(s);
	assert_true(ask(s, "disk", "log", &whole) == expected);
	assert_int_equal(session_stored(s), SESSION_STORE_ANSWERED);
	assert_true(session_store_is_of_itself(s));
	session_next_question(s);
	assert_false(session_store_is_of_itself(s));
	session_free(s);
	assert_int_equal(files("world-", false), 1);
}

/* ---- stores that cannot be made ---- */

enum { MOST_HOSTS = 8, ENOUGH = 20000 }; /* spans: blocks of facts are full, and not packed yet */
static _Atomic unsigned n_spans;
static _Atomic size_t n_marks;	/* while a store is being made */
static struct session *cancels; /* NULL: the listener fails */

static int fails(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	(void)ctx;
	(void)h;
	(void)span;
	(void)end;
	unsigned n = atomic_fetch_add(&n_spans, 1);
	if (n == 0)
		atomic_store(&n_marks, files("read-", false));
	if (n < ENOUGH)
		return 0;
	if (!cancels)
		return MER_ERR_NOMEM;
	session_cancel(cancels);
	return 0;
}

static struct session *open_failing(bool by_cancelling)
{
	static struct kernel_observer listeners[MOST_HOSTS];
	struct session *s = open_with(here);
	assert_true(session_experiment(s)->n_hosts <= MOST_HOSTS);
	for (int i = 0; i < MOST_HOSTS; i++)
		listeners[i] = (struct kernel_observer){ .span = fails };
	session_listen(s, listeners);
	atomic_store(&n_spans, 0);
	atomic_store(&n_marks, 99);
	cancels = by_cancelling ? s : NULL;
	return s;
}

/* The answer comes from the traces all the same, and so does the next one, which marks them again.
 * While a store is being made there is no mark, so others do not make it, too, and nobody does
 * after one that was killed. */
static void what_cannot_be_made(void **state)
{
	(void)state;
	uint64_t expected = ask_once(here, "sched", "top", &whole);
	assert_int_equal(files("read-", false), 1);
	struct session *s = open_failing(false);
	assert_true(ask(s, "sched", "top", &whole) == expected);
	assert_true(began(SESSION_STORING) && began(SESSION_READING));
	assert_int_equal(session_stored(s), SESSION_STORE_NONE);
	assert_null(session_store_error(s)); /* nobody asked for it */
	session_free(s);
	assert_int_equal(n_marks, 0);
	assert_int_equal(files("read-", false), 0);
	assert_int_equal(files("world-", false), 0);
	assert_true(ask_once(here, "sched", "top", &whole) == expected);
	assert_false(began(SESSION_STORING));
	assert_true(ask_once(here, "sched", "top", &whole) == expected);
	assert_true(began(SESSION_STORING) && !began(SESSION_READING));
	assert_int_equal(files("read-", false), 1);
}

/* Nothing is wrong with the traces: the next question makes it. */
static void what_is_cancelled(void **state)
{
	(void)state;
	struct session_world w;
	uint64_t expected = ask_once(here, "sched", "top", &whole);
	struct session *s = open_failing(true);
	assert_int_equal(session_world(s, SESSION_USAGE_NONE, &w, &err), MER_ERR_CANCELLED);
	assert_int_equal(files("read-", false), 1);
	assert_int_equal(files("world-", false), 0);
	session_resume(s);
	session_listen(s, NULL);
	stages = 0;
	assert_true(ask(s, "sched", "top", &whole) == expected);
	assert_true(began(SESSION_STORING));
	session_free(s);
	assert_int_equal(files("world-", false), 1);
}

/* Of all requests. */
static uint64_t parts_of_requests(struct session *s)
{
	struct session_world w;
	struct requests *r;
	struct requests_parts_finder *f;
	struct requests_parts p = { 0 };
	uint64_t hash = 0;
	OK(session_requests(s, &w, &r, &err));
	assert_true(r->n > 0);
	OK(requests_parts_finder_new(r, &f, &err));
	for (uint32_t i = 0; i < r->n; i++) {
		OK(requests_parts_find(f, i, &p, &err));
		for (size_t k = 0; k < p.n; k++) {
			uint64_t part[] = { hash, (uint64_t)p.item[k].begin,
				(uint64_t)p.item[k].end, p.item[k].kind };
			hash = mer_hash(part, sizeof(part));
		}
	}
	requests_parts_fini(&p);
	requests_parts_finder_free(f);
	return hash;
}

/* Which ranks there are, paths ask of the world that requests are found in, too: these go on as
 * they would without, and when that world is made anew. */
static void requests_beside_paths_of_ranks(void **state)
{
	char mpi[sizeof(path)], other[sizeof(path)];
	struct session_world w;
	(void)state;
	given_path(mpi, sizeof(mpi), "lab/mpi-3vm");
	memcpy(other, path, sizeof(path));
	memcpy(path, mpi, sizeof(path));
	struct session *s = open_with((struct session_options){ 0 });
	uint64_t expected = parts_of_requests(s);
	session_free(s);
	s = open_with((struct session_options){ .cache_dir = dir, .store = true });
	OK(session_world(s, SESSION_USAGE_NONE, &w, &err));
	assert_non_null(w.world->mpi);
	assert_true(parts_of_requests(s) == expected);
	OK(session_world(s, SESSION_USAGE_ALL, &w, &err));
	assert_true(parts_of_requests(s) == expected);
	session_free(s);
	memcpy(path, other, sizeof(path));
}

static uint64_t hash_of_alignment(const struct session_options *o, const struct part *part)
{
	struct session_selection what = selection_of(part);
	struct session_alignment a;
	struct session *s = open_with(*o);
	uint64_t hash = 0;
	OK(session_align(s,
		&(struct session_alignment_query){ .begin = what.begin, .end = what.end }, &a,
		&err));
	for (size_t i = 0; i < a.messages.n_links; i++) {
		const struct sync_link *l = &a.messages.links[i];
		uint64_t link[] = { hash, l->from, l->to, l->n, l->n_duplicates, l->n_unmatched,
			mer_hash(l->messages, l->n * sizeof(*l->messages)) };
		hash = mer_hash(link, sizeof(link));
	}
	for (uint32_t h = 0; h < a.result->n_hosts; h++)
		hash ^= mer_hash(a.result->hosts[h].map.pieces,
			a.result->hosts[h].map.n * sizeof(*a.result->hosts[h].map.pieces));
	assert_true(a.messages.n_links > 0);
	session_alignment_fini(&a);
	session_free(s);
	return hash;
}

/* Clocks are aligned in any way from the messages of a store that another question has made; it
 * makes none for itself. */
static void messages_of_a_store(void **state)
{
	static const struct part some = { "+1s", "+3s" };
	const struct session_options plain = { 0 }, kept = { .cache_dir = dir },
				     not = { .cache_dir = dir, .no_store = true };
	(void)state;
	uint64_t expected = hash_of_alignment(&plain, &whole);
	uint64_t of_some = hash_of_alignment(&plain, &some);
	assert_true(expected != of_some);
	assert_true(hash_of_alignment(&kept, &whole) == expected);
	assert_int_equal(files("world-", false), 0);
	assert_true(began(SESSION_MATCHING));
	struct session *s = open_with((struct session_options){ .cache_dir = dir, .store = true });
	ask(s, "sched", "top", &whole);
	session_free(s);
	assert_int_equal(files("world-", false), 1);
	assert_true(hash_of_alignment(&kept, &whole) == expected);
	assert_false(began(SESSION_MATCHING));
	assert_true(hash_of_alignment(&kept, &some) == of_some);
	assert_false(began(SESSION_MATCHING));
	assert_true(hash_of_alignment(&not, &some) == of_some);
	assert_true(began(SESSION_MATCHING));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		TEST(stores),
		TEST(stores_say_of_what),
		TEST(the_second_question_makes_it),
		TEST(of_a_session_that_stays_open),
		TEST(not_of_who_wants_none),
		TEST(not_of_small_traces),
		TEST(what_is_damaged_is_made_again),
		TEST(what_is_damaged_is_made_again_in_a_session),
		TEST(what_cannot_be_made),
		TEST(what_is_cancelled),
		TEST(messages_of_a_store),
		TEST(requests_beside_paths_of_ranks),
	};
	return cmocka_run_group_tests(tests, find_recording, NULL);
}
