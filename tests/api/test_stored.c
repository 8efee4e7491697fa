/* A store that is there answers, and nobody sees a difference: also where it is damaged, at any
 * place, and unless the traces are to be read. */
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/library/api.h"
#include "base/str.h"
#include "path/blocked.h"

#include "ask.h" /* last: it has a name of its own for err */

static char folder[] = "/tmp/meridian-stored-XXXXXX";
static char store_path[300];
static struct mer_str good; /* the file */

static struct mer_session *open_session(bool store, bool no_store)
{
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	o.cache_folder = folder;
	o.store = store;
	o.no_store = no_store;
	struct mer_session *s = ask_new_session(&o);
	OK(mer_session_open(s, &err));
	return s;
}

static enum session_stored stored(const struct mer_session *s)
{
	return session_stored(api_session(s));
}

static void write_store(const char *bytes, size_t n)
{
	FILE *f = fopen(store_path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void write_byte(size_t at, char byte)
{
	FILE *f = fopen(store_path, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
	assert_int_equal(fwrite(&byte, 1, 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

static int make_store(void **state)
{
	glob_t found;
	char pattern[64];
	if (ask_find_recording(state) || !mkdtemp(folder))
		return -1;
	struct mer_session *s = open_session(true, false);
	struct mer_result *r;
	OK(mer_session_path(s, NULL, &r, &err));
	mer_result_free(r);
	mer_session_free(s);
	snprintf(pattern, sizeof(pattern), "%s/world-*.store", folder);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	snprintf(store_path, sizeof(store_path), "%s", found.gl_pathv[0]);
	globfree(&found);
	FILE *f = fopen(store_path, "rb");
	char part[4096];
	for (size_t n; f && (n = fread(part, 1, sizeof(part), f)) > 0;)
		mer_str_add(&good, part, n);
	return f && fclose(f) == 0 && !good.failed ? 0 : -1;
}

static int remove_folder(void **state)
{
	glob_t found;
	char pattern[64];
	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/*", folder);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	mer_str_fini(&good);
	return rmdir(folder);
}

/* ---- questions: what the answer is, as text ---- */

static void put_result(struct mer_str *out, struct mer_result *r)
{
	for (size_t i = 0; i < mer_result_n_rows(r); i++)
		for (size_t c = 0; c < mer_result_n_columns(r); c++) {
			int64_t n = 0;
			const char *text = "";
			mer_result_int(r, i, c, &n);
			mer_result_text(r, i, c, &text);
			mer_str_printf(out, "%lld %s%c", (long long)n, text,
				c + 1 < mer_result_n_columns(r) ? ',' : '\n');
		}
	mer_result_free(r);
}

enum { N_QUESTIONS = 10 };

static void ask_path_of(
	struct mer_session *s, struct mer_str *out, const char *begin, const char *end)
{
	const char *wget[] = { "wget" };
	const struct mer_selection sel = {
		.size = sizeof(sel), .comms = wget, .n_comms = 1, .begin = begin, .end = end
	};
	struct mer_result *r;
	OK(mer_session_path(s,
		&(struct mer_path_options){ .size = sizeof(struct mer_path_options), &sel, 1 }, &r,
		&err));
	put_result(out, r);
}

static void ask_lanes_of(
	struct mer_session *s, struct mer_str *out, enum mer_lanes of, uint32_t max_bins)
{
	struct mer_lane_options o = {
		.size = sizeof(o), .lanes = (uint32_t)of, .max_bins = max_bins
	};
	struct mer_result *r;
	OK(mer_session_lanes(s, &o, &r, &err));
	put_result(out, r);
}

static void ask_table(
	struct mer_session *s, struct mer_str *out, const char *analysis, const char *table)
{
	struct mer_result *r;
	OK(mer_session_table(s, analysis, table, NULL, &r, &err));
	put_result(out, r);
}

static void ask_counts(struct mer_session *s, struct mer_str *out)
{
	static const uint32_t bins[] = { 3, 100, 20000 };
	for (size_t i = 0; i < sizeof(bins) / sizeof(*bins); i++) {
		struct mer_count_options o = { .size = sizeof(o), .max_bins = bins[i] };
		struct mer_result *r;
		OK(mer_session_counts(s, &o, &r, &err));
		put_result(out, r);
	}
}

/* The waits, and what tasks used: what the verbs `blocked` and `task` ask. */
static void ask_world(struct mer_session *s, struct mer_str *out)
{
	struct session_world w;
	struct blocked b = { 0 };
	OK(session_world(api_session(s), SESSION_USAGE_ALL, &w, &err));
	OK(blocked_find(w.world, &b, &err));
	for (uint32_t h = 0; h < w.world->n_hosts; h++) {
		const struct kernel_host *host = &w.world->hosts[h];
		for (size_t i = 0; i < b.hosts[h].n; i++) {
			const struct blocked_wait *x = &b.hosts[h].waits[i];
			mer_str_printf(out, "%lld-%lld %u %d %u\n", (long long)x->begin,
				(long long)x->end, (unsigned)x->by_task, (int)x->is_felt,
				(unsigned)blocked_disk(&b, h, x));
		}
		for (uint32_t t = 0; t < host->n_tasks; t++)
			for (int k = 0; k < USAGE_N_KINDS; k++)
				mer_str_printf(out, "%lld ",
					(long long)usage_of(w.usage, h, t, (enum usage_kind)k,
						host->begin, host->end));
	}
	blocked_fini(&b);
}

static void ask(struct mer_session *s, unsigned question, struct mer_str *out)
{
	mer_str_clear(out);
	switch (question % N_QUESTIONS) {
	case 0: ask_path_of(s, out, NULL, NULL); break;
	case 1: ask_world(s, out); break;
	case 2: ask_lanes_of(s, out, MER_LANES_CPUS, 200); break;
	case 3: ask_lanes_of(s, out, MER_LANES_TASKS, 1 << 12); break;
	case 4: ask_lanes_of(s, out, MER_LANES_CPUS, 0); break;
	case 5: ask_table(s, out, "syscall", "top"); break;
	case 6: ask_table(s, out, "frequency", "threads"); break;
	case 7: ask_table(s, out, "disk", "log"); break;
	case 8: ask_counts(s, out); break;
	default: ask_table(s, out, "sched", "log");
	}
	assert_false(out->failed);
}

static struct mer_str from_traces[N_QUESTIONS];

static void ask_traces(void)
{
	if (from_traces[0].len)
		return;
	for (unsigned q = 0; q < N_QUESTIONS; q++) {
		struct mer_session *s = open_session(false, true);
		ask(s, q, &from_traces[q]);
		assert_int_equal(stored(s), SESSION_STORE_NONE);
		mer_session_free(s);
	}
}

static void is_same(const struct mer_str *a, const struct mer_str *b, unsigned q, size_t at)
{
	if (a->len != b->len || (a->len && memcmp(a->data, b->data, a->len) != 0))
		fail_msg("question %u, damage at byte %zu: not what the traces say", q, at);
}

static void one_that_is_there_answers(void **state)
{
	struct mer_str out = { 0 };
	(void)state;
	ask_traces();
	write_store(good.data, good.len);
	for (unsigned q = 0; q < N_QUESTIONS; q++) {
		struct mer_session *s = open_session(false, false);
		ask(s, q, &out);
		assert_int_equal(stored(s), SESSION_STORE_ANSWERED);
		is_same(&out, &from_traces[q], q, 0);
		mer_session_free(s);
	}
	mer_str_fini(&out);
}

static void none_is_made_unless_wanted(void **state)
{
	struct mer_str out = { 0 };
	(void)state;
	ask_traces();
	unlink(store_path);
	struct mer_session *s = open_session(false, false);
	ask(s, 0, &out);
	is_same(&out, &from_traces[0], 0, 0);
	assert_int_equal(stored(s), SESSION_STORE_NONE);
	assert_int_equal(access(store_path, F_OK), -1);
	mer_session_free(s);
	mer_str_fini(&out);
}

static void both_at_once(void **state)
{
	struct mer_session_options o = MER_OPTIONS(struct mer_session_options);
	const char *paths[] = { ask_path };
	struct mer_session *s;
	(void)state;
	o.cache_folder = folder;
	o.store = o.no_store = true;
	FAILS(mer_session_new(paths, 1, &o, &s, &err), MER_ERR_USAGE);
}

/* One question and then another one, in one session: what the first one found may be what the
 * second one needs. The file goes if it was seen to be damaged, and only then. */
static bool ask_damaged(size_t at, unsigned q)
{
	struct mer_str out = { 0 };
	struct mer_session *s = open_session(false, false);
	for (unsigned i = 0; i < 2; i++) {
		ask(s, q + i, &out);
		is_same(&out, &from_traces[(q + i) % N_QUESTIONS], (q + i) % N_QUESTIONS, at);
	}
	enum session_stored is = stored(s);
	assert_true(is == SESSION_STORE_DAMAGED || is == SESSION_STORE_ANSWERED);
	mer_session_free(s);
	assert_int_equal(access(store_path, F_OK) == 0, is == SESSION_STORE_ANSWERED);
	mer_str_fini(&out);
	return is == SESSION_STORE_DAMAGED;
}

static void damage_anywhere(void **state)
{
	enum { ROUNDS = 120 };
	unsigned n_seen = 0;
	bool is_there = false;
	(void)state;
	ask_traces();
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t at = good.len * i / ROUNDS + i % 61;
		if (!is_there)
			write_store(good.data, good.len);
		write_byte(at, (char)(good.data[at] ^ (1 << i % 8)));
		is_there = !ask_damaged(at, i);
		n_seen += !is_there;
		if (is_there)
			write_byte(at, good.data[at]);
	}
	/* A question looks at some of the file only. */
	print_message("damage was seen by %u of %u questions\n", n_seen, (unsigned)ROUNDS);
	assert_true(n_seen > ROUNDS / 8);
}

/* Everything that may be damaged without being seen when it is opened. */
static void all_blocks_are_damaged(void **state)
{
	char *bytes = malloc(good.len);
	(void)state;
	assert_non_null(bytes);
	ask_traces();
	for (unsigned q = 0; q < N_QUESTIONS; q++) {
		memcpy(bytes, good.data, good.len);
		for (size_t at = 64; at < good.len / 2; at += 97)
			bytes[at] = (char)~bytes[at];
		write_store(bytes, good.len);
		(void)ask_damaged(64, q);
	}
	free(bytes);
}

/* Cut off, empty, or something else. */
static void no_store_at_all(void **state)
{
	static const size_t lengths[] = { 0, 1, 63, 64, 4096 };
	(void)state;
	ask_traces();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		write_store(good.data, lengths[i]);
		assert_true(ask_damaged(lengths[i], (unsigned)i));
	}
	write_store(good.data, good.len - 1);
	assert_true(ask_damaged(good.len - 1, 0));
}

static int end(void **state)
{
	for (unsigned q = 0; q < N_QUESTIONS; q++)
		mer_str_fini(&from_traces[q]);
	return remove_folder(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_there_answers),
		cmocka_unit_test(none_is_made_unless_wanted),
		cmocka_unit_test(both_at_once),
		cmocka_unit_test(damage_anywhere),
		cmocka_unit_test(all_blocks_are_damaged),
		cmocka_unit_test(no_store_at_all),
	};
	return cmocka_run_group_tests_name("a store that is there", tests, make_store, end);
}
