/* Copies of traces, by hand: the same events and fields at the times of the reference clock,
 * packets and losses, where they are written, and what cannot be copied. And what a result says in
 * a line. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "sync/write_traces.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

#define TWO_HOSTS                                                                                  \
	"epoch 1000s\nhost a { boot 5s }\nhost b { boot 7s; freq 3000000 }\n"                      \
	"trace a/kernel { header large }\ntrace b/kernel { header plain; context { u32 tid } }\n"  \
	"event all { s8 i; u64 u; f32 f; f64 d; string s; u16 be q[]; struct { u8 x; s16 y } t; "  \
	"enum u8 { no, yes } e }\n"                                                                \
	"1ms a 0 all i=-5 u=0xFFFFFFFFFFFFFFFF f=0.5 d=-2.25 s=\"text\" q=[1, 65535] t.x=7 "       \
	"t.y=-300 e=yes\n"                                                                         \
	"2ms a 0 tick n=1\n2ms a 0 lost 3\n2ms a 0 packet\n20s a 0 tick n=2\n20s a 0 skip 2\n"     \
	"21s a 0 tick n=3\n3ms a 1 tick n=4\n"                                                     \
	"1ms b 0 tick { tid=9 } n=5\n4ms b 0 tick { tid=10 } n=6\n"

/* Every field of every event, and every packet's losses. */
static char *all_of(struct mer_experiment *e)
{
	struct mer_str s = { 0 };
	struct mer_cursor *c;
	struct mer_err err;
	const struct mer_event *ev;
	size_t n;
	assert_int_equal(mer_cursor_open(e, NULL, &c, &err), 0);
	do {
		assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			static const char *const names[] = { "i", "u", "e", "n", "tid" };
			const char *text;
			int64_t value;
			size_t len;
			mer_str_printf(&s, "%u %" PRId64 " %s", ev[i].stream, ev[i].ts,
				mer_event_name(&ev[i]));
			for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
				if (mer_event_int(&ev[i], names[k], &value))
					mer_str_printf(&s, " %s=%" PRId64, names[k], value);
			if (mer_event_text(&ev[i], "s", &text, &len))
				mer_str_printf(&s, " s=%.*s", (int)len, text);
			/* All slots of the payload but addresses: floating point, members,
			 * lengths. */
			const struct ctf_fc *p = ev[i].plan->class->payload;
			const uint32_t *slots = ev[i].plan->slots[CTF_SCOPE_PAYLOAD];
			for (uint32_t f = 0; f < p->u.record.n; f++) {
				const struct ctf_fc *fc = p->u.record.fields[f].fc;
				const uint64_t *v = &ev[i].slots[slots[f]];
				if (fc->kind == CTF_ARRAY)
					for (uint64_t k = 0; k < v[0]; k++)
						mer_str_printf(&s, " %" PRIx64,
							((const uint64_t *)(uintptr_t)v[1])[k]);
				else if (fc->kind == CTF_STRUCT)
					mer_str_printf(&s, " %" PRIx64 " %" PRIx64, v[0], v[1]);
				else if (fc->kind != CTF_STRING)
					mer_str_printf(&s, " %" PRIx64, v[0]);
			}
			mer_str_printf(&s, "\n");
		}
	} while (n);
	mer_cursor_free(c);
	for (uint32_t i = 0; i < e->n_losses; i++)
		mer_str_printf(&s, "%u: %" PRIu64 " events %" PRIu64 " packets\n",
			e->losses[i].stream, e->losses[i].events, e->losses[i].packets);
	for (uint32_t i = 0; i < e->n_streams; i++)
		mer_str_printf(&s, "%u: %u packets\n", i, (unsigned)e->data[i].n_packets);
	return s.data;
}

static struct mer_experiment *open_folder(const char *path)
{
	struct mer_experiment *e;
	struct mer_err err;
	if (mer_experiment_open(&path, 1, NULL, &e, &err))
		fail_msg("%s", err.text);
	return e;
}

/* b's clock is 2 s behind. */
static void move(struct mer_experiment *e)
{
	static const struct trace_clock_piece pieces[] = { { 0, 2 * SECOND, 0 },
		{ 1000 * SECOND + 2 * MS, 1002 * SECOND + 2 * MS + 500, 0 } };
	const struct trace_clock_map maps[2] = { { NULL, 0 }, { pieces, 2 } };
	struct mer_err err;
	assert_int_equal(trace_apply_clock_maps(e, maps, &err), 0);
}

static void the_same_moved(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		struct scenario s;
		struct mer_err err;
		char original[200], copy[200], file[300];
		scenario_open(&s, TWO_HOSTS); /* in dir/traces; that one has clock maps already */
		snprintf(original, sizeof(original), "%s/traces", s.dir);
		snprintf(copy, sizeof(copy), "%s/copy", s.dir);
		struct mer_experiment *e = open_folder(original);
		move(e);
		_Atomic uint64_t bytes = 0;
		assert_int_equal(mkdir(copy, 0777), 0); /* one that is empty is as good as none */
		if (sync_write_traces(e, copy, threads, NULL, &bytes, &err))
			fail_msg("%s", err.text);
		uint64_t all = 0;
		for (uint32_t i = 0; i < e->n_streams; i++)
			for (uint32_t p = 0; p < e->data[i].n_packets; p++)
				all += e->data[i].packets[p].size_bits / 8;
		assert_true(bytes == all);
		struct mer_experiment *c = open_folder(copy);
		char *want = all_of(e), *got = all_of(c);
		assert_string_equal(got, want);
		assert_non_null(strstr(got, "all i=-5 u=-1 e=1 s=text"));
		assert_non_null(strstr(got, "1002001000000 tick n=5 tid=9"));
		assert_non_null(strstr(got, "1002004000500 tick n=6 tid=10"));
		assert_int_equal(c->n_hosts, 2);
		assert_int_equal(c->diags.n, e->diags.n);
		/* Under their paths, with clocks of 1 GHz. */
		snprintf(file, sizeof(file), "%s/b/kernel/metadata", copy);
		assert_int_equal(access(file, R_OK), 0);
		for (uint32_t t = 0; t < c->n_traces; t++) {
			assert_int_equal(c->traces[t].clock.freq_hz, SECOND);
			assert_string_equal(c->traces[t].clock.uuid, e->traces[t].clock.uuid);
			assert_string_equal(c->traces[t].clock.name, e->traces[t].clock.name);
		}
		/* Not over anything. */
		assert_int_equal(sync_write_traces(e, copy, 1, NULL, NULL, &err), MER_ERR_USAGE);
		free(want);
		free(got);
		mer_experiment_free(c);
		mer_experiment_free(e);
		scenario_close(&s);
	}
}

/* What follows damage in its packet is not copied; the next packet is. */
static void damaged(void **state)
{
	(void)state;
	struct scenario s;
	struct mer_err err;
	char copy[200];
	scenario_open(&s, "host a\ntrace a/kernel { header plain }\n1ms a 0 tick n=1\n"
			  "2ms a 0 raw \"FFFFFFFFFFFFFFFFFFFFFFFF\"\n3ms a 0 tick n=2\n"
			  "3ms a 0 packet\n4ms a 0 tick n=3\n");
	snprintf(copy, sizeof(copy), "%s/copy", s.dir);
	size_t before = s.e->diags.n;
	if (sync_write_traces(s.e, copy, 2, NULL, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(s.e->diags.n, before + 1);
	assert_string_equal(s.e->diags.rows[before].code, "unknown-event-id");
	struct mer_experiment *c = open_folder(copy);
	char *got = all_of(c);
	assert_string_equal(got, "0 1000000 tick n=1 1\n0 4000000 tick n=3 3\n0: 2 packets\n");
	assert_int_equal(c->diags.n, 0);
	free(got);
	mer_experiment_free(c);
	scenario_close(&s);
}

/* ---- a result in a line ---- */

static void summaries(void **state)
{
	(void)state;
	enum { N = 9 };
	struct sync_host hosts[N];
	uint32_t references[] = { 1, 8 };
	struct sync_result r = {
		.hosts = hosts, .n_hosts = N, .n_groups = 2, .references = references
	};
	for (int h = 0; h < N; h++)
		hosts[h] = (struct sync_host){ .name = (const char *[]){ "a", "b", "c", "d", "e",
						       "f", "g", "h", "i" }[h],
			.quality = SYNC_INCOMPLETE,
			.span = { 5, 10 } };
	hosts[1].quality = SYNC_REFERENCE;
	hosts[1].bound.max = INT64_MAX; /* of the reference: does not count */
	hosts[2].bound = (struct sync_bound){ .median = 50, .max = 60 };
	hosts[3].bound = (struct sync_bound){ .median = 40, .max = 70 };
	hosts[4].bound = (struct sync_bound){ .median = 50, .max = 70 };
	hosts[5].span.begin = MER_NO_TIME; /* recorded nothing */
	hosts[5].bound = (struct sync_bound){ .median = 99, .max = 99 };
	hosts[8].group = 1;
	hosts[8].bound = (struct sync_bound){ .median = 99, .max = 99 };
	struct sync_summary s = sync_summary_of(&r);
	assert_int_equal(s.n_hosts, 7);
	assert_int_equal(s.n_unsynchronized, 1);
	assert_int_equal(s.reference, 1);
	assert_int_equal(s.median, 2);
	assert_int_equal(s.median_ns, 50);
	assert_int_equal(s.max, 3);
	assert_int_equal(s.max_ns, 70);
	/* Those limited on one side, by name; of many the first four. */
	struct mer_str names = { 0 };
	assert_int_equal(sync_one_sided(&r, &names), 6);
	assert_string_equal(names.data, "a, c, d, e and 2 more");
	names.len = 0;
	hosts[0].quality = hosts[3].quality = SYNC_ACCURATE;
	assert_int_equal(sync_one_sided(&r, &names), 4);
	assert_string_equal(names.data, "c, e, g, h");
	mer_str_fini(&names);
	/* Alone. */
	r.n_hosts = 1;
	r.n_groups = 0;
	s = sync_summary_of(&r);
	assert_true(s.reference == 0 && s.max == 0 && s.median == 0 && s.max_ns == 0);
}

/* A clock that counts from elsewhere than the reference's cannot be moved to it. */
static void far_clocks(void **state)
{
	(void)state;
	struct scenario s;
	struct mer_err err;
	char path[200];
	scenario_open(&s, "host a\nhost b { offset 8000000000s }\n1ms a 0 tick n=1\n"
			  "1ms b 0 tick n=2\n");
	snprintf(path, sizeof(path), "%s/traces", s.dir);
	struct mer_experiment *e = open_folder(path);
	static const struct trace_clock_piece piece = { 0, 77, 0 };
	struct sync_host hosts[2] = { { .map = { &piece, 1 } }, { .map = { &piece, 1 } } };
	uint32_t references[] = { 0 };
	struct sync_result r = {
		.hosts = hosts, .n_hosts = 2, .n_groups = 1, .references = references
	};
	size_t before = e->diags.n;
	assert_int_equal(sync_apply(e, &r, &err), 0);
	assert_int_equal(e->diags.n, before + 1);
	assert_string_equal(e->diags.rows[before].code, "sync-far-clock");
	assert_string_equal(e->diags.rows[before].host, "b");
	assert_non_null(strstr(e->diags.rows[before].message, "from second 8000000000, those of a "
							      "from second 0"));
	assert_int_equal(e->traces[0].begin, MS + 77);
	r.n_hosts = 3;
	assert_int_equal(sync_apply(e, &r, &err), MER_ERR_USAGE);
	mer_experiment_free(e);
	scenario_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_moved),
		cmocka_unit_test(damaged),
		cmocka_unit_test(summaries),
		cmocka_unit_test(far_clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
