/* What tasks used of memory, disks and network: the same as the tables of those analyses, and no
 * account of any task has more of it than there was, or has anything twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "path/account.h"
#include "run_more.h"

struct subject {
	struct run_case c;
	struct kernel_world *w;
	struct usage *u;
	struct blocked b;
	struct account_index *x;
};

static void build(struct subject *s)
{
	struct mer_err err = { 0 };
	assert_int_equal(usage_new(s->c.e->n_hosts, NULL, &s->u, &err), 0);
	struct kernel_world_options o = { .n_threads = 2, .observers = usage_observers(s->u) };
	if (kernel_world_build(s->c.e, &s->c.messages, s->c.result, &o, &s->w, &err) ||
		usage_settle(s->u, s->w, &err) || blocked_find(s->w, &s->b, &err) ||
		account_index_new(&s->b, s->u, &s->x, &err))
		fail_msg("%s", err.text);
}

static void close_subject(struct subject *s)
{
	account_index_free(s->x);
	blocked_fini(&s->b);
	usage_free(s->u);
	kernel_world_free(s->w);
	run_case_close(&s->c);
}

static int64_t all_of(const struct subject *s, uint32_t host, uint32_t task, enum usage_kind kind)
{
	return usage_of(s->u, host, task, kind, INT64_MIN, INT64_MAX);
}

/* ---- the same as the tables ---- */

static const struct same {
	const char *analysis, *key;
	enum usage_kind kind;
} sames[] = {
	{ "mem", "allocated_bytes", USAGE_PAGES_ALLOCATED },
	{ "mem", "freed_bytes", USAGE_PAGES_FREED },
	{ "faults", "faults", USAGE_FAULTS },
	{ "io", "disk_read_bytes", USAGE_FILES_READ },
	{ "io", "disk_written_bytes", USAGE_FILES_WRITTEN },
	{ "io", "block_read_bytes", USAGE_BLOCK_READ },
	{ "io", "block_written_bytes", USAGE_BLOCK_WRITTEN },
	{ "net", "socket_received_bytes", USAGE_SOCKETS_RECEIVED },
	{ "net", "socket_sent_bytes", USAGE_SOCKETS_SENT },
	{ "net", "received_packets", USAGE_PACKETS_RECEIVED },
	{ "net", "sent_packets", USAGE_PACKETS_SENT },
};
enum { N_SAMES = sizeof(sames) / sizeof(sames[0]) };

static uint32_t host_number(const struct subject *s, const char *name)
{
	for (uint32_t i = 0; i < s->c.e->n_hosts; i++)
		if (strcmp(s->c.e->hosts[i].name, name) == 0)
			return i;
	fail_msg("no host %s", name);
	return 0;
}

static int64_t of_tid(const struct subject *s, uint32_t host, int64_t tid, enum usage_kind kind)
{
	int64_t sum = 0;
	for (uint32_t t = 0; t < s->w->hosts[host].n_tasks; t++)
		if (s->w->hosts[host].tasks[t].tid == tid)
			sum += all_of(s, host, t, kind);
	return sum;
}

/* An empty cell: none that is known. */
static int64_t known(const struct mer_table *t, size_t row, const char *key)
{
	return run_case_cell(t, row, key)->set ? run_case_int(t, row, key) : 0;
}

/* Rows of one number (used again for another task) are summed; all that is used is in some row. */
static uint64_t check_same(const struct subject *s, const struct same *x)
{
	const struct mer_table *t = run_case_table(&s->c, "top");
	int64_t in_rows = 0, used = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!run_case_cell(t, i, "tid")->set)
			continue; /* nobody's */
		uint32_t host = host_number(s, run_case_text(t, i, "host"));
		int64_t tid = run_case_int(t, i, "tid"), sum = 0;
		for (size_t k = 0; k < t->n_rows; k++)
			if (run_case_cell(t, k, "tid")->set && run_case_int(t, k, "tid") == tid &&
				host_number(s, run_case_text(t, k, "host")) == host)
				sum += known(t, k, x->key);
		if (sum != of_tid(s, host, tid, x->kind))
			fail_msg("%s of %s/%d: %lld, not %lld", x->key, run_case_text(t, i, "comm"),
				(int)tid, (long long)of_tid(s, host, tid, x->kind), (long long)sum);
		in_rows += known(t, i, x->key);
	}
	for (uint32_t h = 0; h < s->w->n_hosts; h++)
		for (uint32_t k = 0; k < s->w->hosts[h].n_tasks; k++)
			used += all_of(s, h, k, x->kind);
	assert_int_equal(used, in_rows);
	return (uint64_t)used;
}

static void check_tables(struct subject *s, const bool *wanted)
{
	for (size_t i = 0; i < N_SAMES; i++) {
		if (!i || strcmp(sames[i].analysis, sames[i - 1].analysis) != 0)
			run_case_run(&s->c, sames[i].analysis, NULL);
		uint64_t sum = check_same(s, &sames[i]);
		if (wanted[sames[i].kind] && !sum)
			fail_msg("there is no %s", sames[i].key);
	}
}

/* ---- accounts ---- */

/* What all tasks of all hosts used in [begin, end). */
static int64_t of_all(const struct subject *s, unsigned kind, int64_t begin, int64_t end)
{
	int64_t sum = 0;
	for (uint32_t h = 0; h < s->w->n_hosts; h++)
		for (uint32_t t = 0; t < s->w->hosts[h].n_tasks; t++)
			sum += usage_of(s->u, h, t, (enum usage_kind)kind, begin - 1, end - 1);
	return sum;
}

static void check_account(const struct subject *s, uint32_t host, uint32_t task, int64_t *below)
{
	struct account a;
	struct mer_err err = { 0 };
	assert_int_equal(account_find(s->x, host, task, INT64_MIN, INT64_MAX, false, &a, &err), 0);
	for (unsigned k = 0; k < USAGE_N_KINDS; k++) {
		assert_int_equal(a.nodes[0].used[k], all_of(s, host, task, (enum usage_kind)k));
		int64_t sum = 0;
		for (uint32_t i = 1; i < a.n; i++) {
			const struct account_node *n = &a.nodes[i];
			assert_true(n->used[k] >= 0);
			assert_true(n->used[k] <= all_of(s, n->host, n->task, (enum usage_kind)k));
			sum += n->used[k];
		}
		assert_int_equal(sum, a.nodes[0].children_used[k]);
		below[k] += sum;
	}
	/* In three parts: each no more than there was, all together as much as at once. */
	int64_t parts[USAGE_N_KINDS] = { 0 }, third = (a.end - a.begin) / 3;
	int64_t from[4] = { INT64_MIN, a.begin + third, a.begin + 2 * third, INT64_MAX };
	for (int p = 0; p < 3 && third > 0; p++) {
		struct account part;
		assert_int_equal(
			account_find(s->x, host, task, from[p], from[p + 1], false, &part, &err),
			0);
		for (unsigned k = 0; k < USAGE_N_KINDS; k++) {
			parts[k] += part.nodes[0].used[k];
			if (p == 1)
				assert_true(
					part.nodes[0].used[k] + part.nodes[0].children_used[k] <=
					of_all(s, k, from[1], from[2]));
		}
		account_fini(&part);
	}
	for (unsigned k = 0; k < USAGE_N_KINDS && third > 0; k++)
		assert_int_equal(parts[k], a.nodes[0].used[k]);
	account_fini(&a);
}

static void check_accounts(const struct subject *s, const bool *wanted)
{
	int64_t below[USAGE_N_KINDS] = { 0 };
	for (uint32_t h = 0; h < s->w->n_hosts; h++)
		for (uint32_t t = 0; t < s->w->hosts[h].n_tasks; t++)
			check_account(s, h, t, below);
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		if (wanted[k] && !below[k])
			fail_msg("nobody was charged for others' use of kind %u", k);
}

static void check_recording(const char *name, const bool *wanted)
{
	struct subject s = { 0 };
	run_case_open_recording(&s.c, name);
	build(&s);
	check_accounts(&s, wanted);
	check_tables(&s, wanted);
	close_subject(&s);
}

static void two_machines(void **state)
{
	static const bool wanted[USAGE_N_KINDS] = { [USAGE_BLOCK_WRITTEN] = true,
		[USAGE_FILES_WRITTEN] = true,
		[USAGE_SOCKETS_SENT] = true,
		[USAGE_SOCKETS_RECEIVED] = true,
		[USAGE_PACKETS_SENT] = true };
	(void)state;
	check_recording("lab/clihog-srvhog-2vm", wanted);
}

static void web(void **state)
{
	static const bool wanted[USAGE_N_KINDS] = {
		[USAGE_BLOCK_READ] = true, [USAGE_FILES_READ] = true, [USAGE_SOCKETS_SENT] = true
	};
	(void)state;
	check_recording("lab/wget-cold-hot", wanted);
}

static void one_machine(void **state)
{
	static const bool wanted[USAGE_N_KINDS] = {
		[USAGE_PAGES_ALLOCATED] = true, [USAGE_PAGES_FREED] = true, [USAGE_FAULTS] = true
	};
	struct subject s = { 0 };
	static const bool none[USAGE_N_KINDS] = { 0 };
	(void)state;
	run_case_open_recording(&s.c, "lab/cpu-mem-io");
	build(&s);
	check_accounts(&s, none);
	check_tables(&s, wanted);
	close_subject(&s);
}

static void events_lost(void **state)
{
	static const bool none[USAGE_N_KINDS] = { 0 };
	(void)state;
	check_recording("lab/web-lossy", none);
}

static void simulated(void **state)
{
	static const bool none[USAGE_N_KINDS] = { 0 };
	struct subject s = { 0 };
	(void)state;
	run_more_open_world(&s.c, "--hosts 3 --statedump --seed 3");
	build(&s);
	check_accounts(&s, none);
	check_tables(&s, none);
	close_subject(&s);
}

/* What was kept is had again: what was recorded at all, source by source, and the sums. */
static void kept(void **state)
{
	(void)state;
	for (uint32_t seen = 0; seen < 32; seen++) {
		struct usage *u;
		struct mer_err err = { 0 };
		assert_int_equal(usage_new(2, NULL, &u, &err), 0);
		struct usage_sums sums = { .seen = seen };
		usage_restore(u, 1, &sums);
		assert_int_equal(usage_sums(u, 1).seen, seen);
		assert_int_equal(usage_sums(u, 0).seen, 0);
		usage_free(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_machines),
		cmocka_unit_test(web),
		cmocka_unit_test(one_machine),
		cmocka_unit_test(events_lost),
		cmocka_unit_test(simulated),
		cmocka_unit_test(kept),
	};
	return cmocka_run_group_tests_name("usage", tests, NULL, NULL);
}
