/* mer_synchronize: from the traces' own messages and from a saved text the same times; at most
 * once. On a demo recording of two machines whose clocks are 0.1 s apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "given.h"
#include "sync/auto.h"

static struct mer_experiment *open_demo(void)
{
	char path[1000];
	const char *p = path;
	struct mer_err err;
	struct mer_experiment *e;
	snprintf(path, sizeof(path), "%.900s/demo/wget-cold-hot", given_environment("SRC"));
	if (mer_experiment_open(&p, 1, NULL, &e, &err))
		fail_msg("%s", err.text);
	return e;
}

struct digest {
	uint64_t hash, n, n_early; /* n_early: receipts of the request before it was sent */
};

static struct digest read_all(struct mer_experiment *e)
{
	struct mer_err err;
	struct mer_cursor *c;
	const struct mer_event *ev;
	size_t n = 1;
	struct digest d = { 0 };
	bool sent = false;
	assert_int_equal(mer_cursor_open(e, NULL, &c, &err), 0);
	while (n) {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			int64_t len = 0, key[2] = { ev[i].ts, (int64_t)ev[i].stream };
			uint64_t chain[2] = { d.hash, mer_hash(key, sizeof(key)) };
			d.hash = mer_hash(chain, sizeof(chain));
			d.n++;
			mer_event_int(&ev[i], "len", &len);
			sent |= len == 193 && strcmp(mer_event_name(&ev[i]), "net_dev_queue") == 0;
			d.n_early += !sent && len == 179;
		}
	}
	mer_cursor_free(c);
	return d;
}

static void once_and_again(void **unused)
{
	struct mer_err err;
	struct mer_experiment *plain = open_demo(), *found = open_demo(), *saved = open_demo();
	struct sync_result *r;
	struct mer_str text = { 0 };
	(void)unused;
	struct digest recorded = read_all(plain);
	if (mer_synchronize(found, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(mer_synchronize(found, NULL, &err), MER_ERR_USAGE);
	/* Saved by one, used by the other. */
	assert_int_equal(sync_auto(plain, NULL, NULL, &r, &err), 0);
	assert_int_equal(sync_result_write(r, true, &text, &err), 0);
	struct mer_sync_options o = { .saved = text.data, .saved_len = text.len };
	if (mer_synchronize(saved, &o, &err))
		fail_msg("%s", err.text);
	struct digest a = read_all(found), b = read_all(saved);
	assert_true(a.n == recorded.n && b.n == recorded.n && a.n > 10000);
	assert_true(a.hash == b.hash && a.hash != recorded.hash);
	assert_true(recorded.n_early > 0);
	assert_int_equal(a.n_early, 0);
	o = (struct mer_sync_options){ .saved = "{", .saved_len = 1 };
	assert_int_equal(mer_synchronize(plain, &o, &err), MER_ERR_INPUT);
	assert_true(read_all(plain).hash == recorded.hash);
	mer_str_fini(&text);
	sync_result_free(r);
	mer_experiment_free(plain);
	mer_experiment_free(found);
	mer_experiment_free(saved);
}

/* A summary names what there is. */
static void summary(void **unused)
{
	struct mer_err err;
	struct mer_experiment *e = open_demo();
	struct sync_result *r;
	(void)unused;
	assert_int_equal(sync_auto(e, NULL, NULL, &r, &err), 0);
	struct sync_summary s = sync_summary_of(r);
	assert_int_equal(s.n_hosts, 2);
	assert_int_equal(s.n_unsynchronized, 0);
	assert_true(s.max != s.reference && s.median != s.reference);
	assert_true(s.median_ns > 0 && s.median_ns <= s.max_ns && s.max_ns < INT64_MAX);
	assert_true(s.max_ns == r->hosts[s.max].bound.max);
	sync_result_free(r);
	mer_experiment_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_and_again),
		cmocka_unit_test(summary),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
