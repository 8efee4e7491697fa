/* Sessions: what is made when it is needed is the same whenever that is, and however often. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "given.h"
#include "meridian/meridian.h"
#include "session/check.h"
#include "session/request.h"
#include "session/tasks.h"
#include "sync/result_view.h"
#include "table_hash.h"

static char path[500];
static struct mer_err err;

static int find_recording(void **state)
{
	(void)state;
	return given_find(path, sizeof(path), "lab/wget-cold-hot") ? 0 : -1;
}

static struct session *open_with(struct session_options o)
{
	static const char *paths[] = { path };
	o.paths = paths;
	o.n_paths = 1;
	struct session *s = session_new(&o);
	assert_non_null(s);
	if (session_open(s, &err))
		fail_msg("%s", err.text);
	return s;
}

static struct session *open_recording(void)
{
	return open_with((struct session_options){ .n_threads = 2 });
}

#define OK(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s", err.text);                                                  \
	} while (0)

/* ---- Messages ---- */

static uint64_t hash_messages(const struct sync_messages *m)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *l = &m->links[i];
		uint64_t parts[] = { hash, l->from, l->to, l->n,
			l->n ? mer_hash(l->messages, l->n * sizeof(*l->messages)) : 0,
			l->streams ? mer_hash(l->streams, l->n * sizeof(*l->streams)) : 0 };
		hash = mer_hash(parts, sizeof(parts));
	}
	return hash;
}

/* Found before or after the clocks were aligned, messages have the times of their hosts' clocks. */
static void messages_later_are_the_same(void **state)
{
	const struct sync_messages *now, *later;
	(void)state;
	struct session *a = open_recording(), *b = open_recording();
	OK(session_synchronize(a, true, &err));
	OK(session_messages(a, &now, &err));
	OK(session_synchronize(b, false, &err));
	assert_non_null(session_synced(b));
	OK(session_messages(b, &later, &err));
	assert_true(now->n_links >= 2 && now->links[0].n);
	assert_true(hash_messages(now) == hash_messages(later));
	session_free(a);
	session_free(b);
}

/* ---- Requests ---- */

static const char *const asked[] = { "cpu", "net", "io", "sched" };
enum { N_ASKED = sizeof(asked) / sizeof(*asked) };

static void ask(struct session *s, const struct session_selection *what, uint64_t hash[N_ASKED])
{
	struct analysis_request tables[N_ASKED];
	struct session_answer a;
	for (size_t i = 0; i < N_ASKED; i++) {
		tables[i].analysis = analysis_find(asked[i]);
		assert_non_null(tables[i].analysis);
		tables[i].output = (unsigned)analysis_find_output(tables[i].analysis, "top");
	}
	struct session_request q = { .tables = tables,
		.n = N_ASKED,
		.selection = what,
		.options = { .max_ns = INT64_MAX },
		.stage = SESSION_READING };
	OK(session_request(s, &q, &a, &err));
	for (size_t i = 0; i < N_ASKED; i++) {
		hash[i] = table_hash(&a.tables[i]);
		assert_true(a.tables[i].n_rows > 0);
	}
	session_answer_fini(&a);
}

/* One after the other, with a world between them, and where nothing is kept: the same tables. */
static void answers_are_the_same_again(void **state)
{
	uint64_t first[N_ASKED], again[N_ASKED], once[N_ASKED], other[N_ASKED];
	const char *host[] = { "client" };
	struct session_world w;
	(void)state;
	struct session *s = open_recording();
	ask(s, NULL, first);
	OK(session_world(s, SESSION_USAGE_ALL, &w, &err));
	assert_non_null(w.usage);
	const struct kernel_world *kept = w.world;
	ask(s, &(struct session_selection){ .hosts = { host, 1 } }, other);
	ask(s, NULL, again);
	OK(session_world(s, SESSION_USAGE_NONE, &w, &err));
	assert_ptr_equal(w.world, kept); /* is made once */
	session_free(s);
	s = open_with((struct session_options){ .n_threads = 1, .once = true });
	ask(s, NULL, once);
	assert_memory_equal(first, once, sizeof(first));
	ask(s, NULL, once);
	session_free(s);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_equal(first, once, sizeof(first));
	assert_true(first[0] != other[0]);
}

/* ---- Time ---- */

static struct session_moment moment(const char *text)
{
	struct session_moment m = { 0 };
	OK(session_moment_parse(&m, text, &err));
	return m;
}

static int64_t first_event(struct mer_experiment *e)
{
	const struct mer_event *events;
	struct mer_cursor *c;
	size_t n;
	OK(mer_cursor_open(e, &(struct mer_read_options){ 0 }, &c, &err));
	OK(mer_cursor_next(c, &events, &n, &err));
	assert_true(n > 0);
	int64_t t = events[0].ts;
	mer_cursor_free(c);
	return t;
}

/* Packets begin long before their first events. */
static void plus_counts_from_the_first_event(void **state)
{
	(void)state;
	for (int aligned = 0; aligned < 2; aligned++) {
		struct session_window w;
		struct session *s = open_recording();
		if (aligned)
			OK(session_synchronize(s, false, &err));
		struct session_selection what = { .begin = moment("+1s"), .end = moment("+1.5s") };
		OK(session_window(s, &what, &w, &err));
		assert_int_equal(w.begin, first_event(session_experiment(s)) + 1000000000);
		assert_int_equal(w.end, w.begin + 500000000);
		session_free(s);
	}
}

static void moments_of_a_host(void **state)
{
	(void)state;
	struct session_window w;
	struct session *s = open_recording();
	struct mer_experiment *e = session_experiment(s);
	uint32_t h = strcmp(e->hosts[0].name, "server") ? 1 : 0;
	OK(session_synchronize(s, false, &err));
	const struct sync_host *server = &session_sync_result(s)->hosts[h];
	struct session_selection what = { .begin = moment("server:+1s") };
	OK(session_window(s, &what, &w, &err));
	assert_int_equal(w.begin, trace_map_time(&server->map, server->span.begin + 1000000000));
	assert_true(w.end == INT64_MAX);
	what.begin = moment("nobody:+1s");
	assert_int_equal(session_window(s, &what, &w, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_BEGIN);
	session_free(s);
}

/* ---- Mistakes ---- */

static void what_is_not_there(void **state)
{
	const char *host[] = { "nobody" };
	struct session_range cpu = { 7, 9, false };
	struct session_window w;
	(void)state;
	struct session *s = open_recording();
	struct mer_experiment *e = session_experiment(s);
	struct session_selection what = { .hosts = { host, 1 } };
	assert_int_equal(session_selection_check(&what, e, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_HOSTS);
	assert_non_null(strstr(err.text, "client"));
	what = (struct session_selection){ .cpus = { &cpu, 1 } };
	assert_int_equal(session_selection_check(&what, e, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_CPUS);
	what = (struct session_selection){ .begin = moment("+2s"), .end = moment("+1s") };
	assert_int_equal(session_window(s, &what, &w, &err), MER_ERR_USAGE);
	assert_int_equal(err.remedy, MER_REMEDY_WINDOW_ORDER);
	assert_null(strstr(err.text, "--"));
	session_free(s);
}

/* An error that is no mistake has no remedy of the one before. */
static void remedies_do_not_stay(void **state)
{
	(void)state;
	mer_fail_remedy(&err, MER_ERR_USAGE, MER_REMEDY_HOSTS, "x");
	mer_fail(&err, MER_ERR_INPUT, "y");
	assert_int_equal(err.remedy, MER_REMEDY_NONE);
	assert_null(mer_remedy_name(MER_REMEDY_NONE));
	for (int i = MER_REMEDY_NONE + 1; i < MER_N_REMEDIES; i++)
		for (int k = MER_REMEDY_NONE + 1; k <= i; k++) {
			assert_non_null(mer_remedy_name((enum mer_remedy)i));
			assert_int_equal(strcmp(mer_remedy_name((enum mer_remedy)i),
						 mer_remedy_name((enum mer_remedy)k)) == 0,
				i == k);
		}
}

/* ---- Who waits ---- */

struct waiting {
	int n_begun, n_open;
	unsigned stages; /* bits */
	_Atomic uint64_t done;
	struct session *to_cancel;
};

static _Atomic uint64_t *begin(void *ctx, enum session_stage stage, uint64_t total_bytes)
{
	struct waiting *w = ctx;
	assert_int_equal(w->n_open++, 0);
	assert_true(total_bytes > 0);
	w->n_begun++;
	w->stages |= 1u << stage;
	if (w->to_cancel)
		session_cancel(w->to_cancel);
	return &w->done;
}

static void end(void *ctx)
{
	struct waiting *w = ctx;
	assert_int_equal(w->n_open--, 1);
}

static void stages_end_also_when_cancelled(void **state)
{
	struct session_world world;
	(void)state;
	for (int cancels = 0; cancels < 2; cancels++) {
		struct waiting w = { 0 };
		struct session *s = open_with(
			(struct session_options){ .n_threads = 2, .watcher = { &w, begin, end } });
		w.to_cancel = cancels ? s : NULL;
		int rc = session_world(s, SESSION_USAGE_NONE, &world, &err);
		assert_int_equal(rc, cancels ? MER_ERR_CANCELLED : 0);
		assert_int_equal(w.n_open, 0);
		assert_int_equal(w.n_begun, cancels ? 1 : 2);
		assert_true(cancels || w.done > 0);
		session_free(s);
	}
}

/* ---- Kept between runs ---- */

static size_t count_files(const char *dir, bool removes)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	size_t n = 0;
	assert_non_null(d);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.') {
			n++;
			if (removes)
				unlinkat(dirfd(d), entry->d_name, 0);
		}
	closedir(d);
	return n;
}

static void clocks_are_kept_where_the_caller_says(void **state)
{
	char dir[] = "/tmp/test_session.XXXXXX";
	int64_t offset[2];
	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int run = 0; run < 2; run++) {
		struct waiting w = { 0 };
		struct session *s = open_with((struct session_options){
			.n_threads = 2, .cache_dir = dir, .watcher = { &w, begin, end } });
		OK(session_synchronize(s, false, &err));
		offset[run] = sync_host_offset(&session_sync_result(s)->hosts[1]);
		assert_int_equal(w.n_begun, run ? 0 : 1);
		assert_int_equal(count_files(dir, false), 1);
		session_free(s);
	}
	assert_int_equal(offset[0], offset[1]);
	count_files(dir, true);
	rmdir(dir);
}

/* ---- Tasks, and what could be analysed ---- */

static void tasks_in_order(void **state)
{
	const char *comm[] = { "wget" };
	struct session_window always = { INT64_MIN, INT64_MAX };
	struct session_selection what = { .comms = { comm, 1 } };
	struct session_world w;
	struct session_tasks tasks;
	struct mer_arena arena;
	const char *names[64];
	(void)state;
	struct session *s = open_recording();
	mer_arena_init(&arena);
	OK(session_world(s, SESSION_USAGE_NONE, &w, &err));
	OK(session_tasks_find(&w, &what, &always, &arena, &tasks, &err));
	assert_true(tasks.n >= 2);
	for (size_t i = 0; i < tasks.n; i++) {
		assert_string_equal(session_task_comm(&w, &tasks.item[i]), "wget");
		assert_true(i == 0 || tasks.item[i - 1].begin <= tasks.item[i].begin);
	}
	size_t first = session_tasks_default(&w, &tasks);
	assert_true(session_tasks_second(&w, &tasks, first) != first);
	struct session_window before = { INT64_MIN, tasks.item[0].begin };
	OK(session_tasks_find(&w, &what, &before, &arena, &tasks, &err));
	assert_int_equal(tasks.n, 0);
	size_t n = session_task_names(&w, &what, names, 64);
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= strcmp(names[i], "wget") == 0;
	assert_true(any);
	mer_arena_fini(&arena);
	session_free(s);
}

static void a_sound_recording(void **state)
{
	struct session_check c;
	(void)state;
	struct session *s = open_recording();
	OK(session_check(s, &(struct session_selection){ 0 }, &c, &err));
	assert_true(c.sound && c.can_sync);
	assert_int_equal(c.n_verdicts, session_experiment(s)->n_traces);
	for (uint32_t i = 0; i < c.n_verdicts; i++)
		assert_true(c.verdicts[i].events > 1000 && !c.verdicts[i].errors);
	for (const struct capability *a = capabilities(); a->name; a++) {
		bool lacking[CAPABILITY_N_EVENTS] = { 0 };
		if (strcmp(a->name, "CPU usage") == 0)
			assert_int_equal(capability_judge(a, &c.hosts[0], lacking), CAPABILITY_YES);
	}
	session_check_fini(&c);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_later_are_the_same),
		cmocka_unit_test(answers_are_the_same_again),
		cmocka_unit_test(plus_counts_from_the_first_event),
		cmocka_unit_test(moments_of_a_host),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(remedies_do_not_stay),
		cmocka_unit_test(stages_end_also_when_cancelled),
		cmocka_unit_test(clocks_are_kept_where_the_caller_says),
		cmocka_unit_test(tasks_in_order),
		cmocka_unit_test(a_sound_recording),
	};
	return cmocka_run_group_tests(tests, find_recording, NULL);
}
