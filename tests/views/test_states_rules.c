/* States of views, each rule by itself: which ends of arrows belong together, and how far a reading
 * is. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "scenario.h"
#include "views/states.h"

static struct view_states *find(struct scenario *s, const char *view, _Atomic uint64_t *done)
{
	struct mer_err err = { 0 };
	struct view *v;
	struct view_states *states;
	const struct view_options o = { .n_threads = 1, .done_bytes = done };
	static const struct view *views[1];
	if (view_parse(view, strlen(view), "f", &v, &err))
		fail_msg("%s", err.text);
	views[0] = v;
	if (view_states_find(s->e, views, 1, &o, &states, &err))
		fail_msg("%s", err.text);
	return states;
}

static void free_states(struct view_states *states)
{
	struct view *v = (struct view *)(uintptr_t)states->views[0];
	view_states_free(states);
	view_free(v);
}

/* Arrows, "BEGIN-END " in ms, and how many ends of both kinds have no other one. */
static void arrows_are(const char *events, const char *expected)
{
	struct scenario s;
	struct mer_str text = { 0 }, out = { 0 };
	mer_str_printf(&text, "host h\ntrace h/ust\n%s", events);
	scenario_open(&s, text.data);
	struct view_states *states = find(&s,
		"view a\nrow rank \"Rank {rank}\" key rank\n"
		"\tarrow message m:send -> m:recv key rank=peer ordered\n",
		NULL);
	int64_t t0 = s.e->traces[0].begin;
	for (uint32_t i = 0; i < states->n_links; i++)
		mer_str_printf(&out, "%" PRId64 "-%" PRId64 " ",
			(states->links[i].begin - t0) / 1000000 + 1,
			(states->links[i].end - t0) / 1000000 + 1);
	mer_str_printf(&out, "unreceived %" PRIu64 " unsent %" PRIu64, states->doubts.n_unreceived,
		states->doubts.n_unsent);
	assert_string_equal(out.data, expected);
	mer_str_fini(&text);
	mer_str_fini(&out);
	free_states(states);
	scenario_close(&s);
}

#define SEND(at) at "ms h/ust 0 m:send rank=0\n"
#define RECV(at) at "ms h/ust 0 m:recv rank=1 peer=0\n"

/* The first that was sent is the first that arrived; what is left on either side has none. */
static void arrows_in_order(void **state)
{
	(void)state;
	arrows_are(SEND("1") SEND("2") RECV("3") RECV("4"), "1-3 2-4 unreceived 0 unsent 0");
	arrows_are(SEND("1") SEND("2") SEND("3") RECV("4"), "1-4 unreceived 2 unsent 0");
	arrows_are(SEND("1") RECV("2") RECV("3") RECV("4"), "1-2 unreceived 0 unsent 2");
	arrows_are(SEND("1") SEND("2"), "unreceived 2 unsent 0");
	arrows_are(RECV("1") RECV("2"), "unreceived 0 unsent 2");
}

/* Bytes that are done are counted once: at the end those of the traces, not more. */
static void progress(void **state)
{
	struct scenario s;
	struct mer_str text = { 0 };
	_Atomic uint64_t done = 0;
	(void)state;
	mer_str_puts(&text, "host h\ntrace h/ust { packet 4096; pad }\n");
	for (int i = 1; i <= 20000; i++)
		mer_str_printf(&text, "%dms h/ust 0 m:go on=%d\n", i, i % 2);
	scenario_open(&s, text.data);
	free_states(find(&s, "view a\nrow r \"R\"\n\tset m:go as \"{on}\"\n", &done));
	print_message("%" PRIu64 " of %" PRIu64 "\n", done, s.e->bytes);
	assert_true(done > s.e->bytes / 2 && done <= s.e->bytes);
	mer_str_fini(&text);
	scenario_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(arrows_in_order),
		cmocka_unit_test(progress) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
