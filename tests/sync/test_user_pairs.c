/* The user's file of message pairs: what it says, and where a mistake is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sync/match/user_pairs.h"

static void test_pairs(void **state)
{
	(void)state;
	static const char text[] =
		"# two\n\n"
		"pair mpi  mpi:send -> mpi:recv  key rank=peer peer=rank tag ordered\r\n"
		"\tpair  rpc call -> served key a.b[2]=context.id# not a comment\n"
		"pair last x -> y key k # a comment";
	struct sync_user_pairs *u;
	struct mer_err err;
	/* '#' begins a comment only where a word could begin. */
	assert_int_equal(
		sync_user_pairs_parse(text, sizeof(text) - 1, "f", &u, &err), MER_ERR_INPUT);
	assert_non_null(strstr(err.text, "f:4:"));
	char good[sizeof(text)];
	memcpy(good, text, sizeof(text));
	*strstr(good, "# not") = ' ';
	memset(strstr(good, "not a comment"), ' ', strlen("not a comment"));
	assert_int_equal(sync_user_pairs_parse(good, sizeof(good) - 1, "f", &u, &err), 0);
	assert_int_equal(u->n, 3);
	const struct sync_user_pair *p = &u->pairs[0];
	assert_string_equal(p->name, "mpi");
	assert_string_equal(p->event[true], "mpi:send");
	assert_string_equal(p->event[false], "mpi:recv");
	assert_int_equal(p->n_fields, 3);
	assert_string_equal(p->fields[true][0].text, "rank");
	assert_string_equal(p->fields[false][0].text, "peer");
	assert_string_equal(p->fields[true][2].text, "tag");
	assert_string_equal(p->fields[false][2].text, "tag");
	assert_true(p->is_ordered);
	assert_false(u->pairs[1].is_ordered);
	assert_int_equal(u->pairs[1].fields[false][0].scope, TRACE_PATH_CONTEXT);
	assert_int_equal(u->pairs[2].line, 5);
	sync_user_pairs_free(u);
}

static void test_mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *err;
	} cases[] = {
		{ "", "f: no pairs are declared here" },
		{ "# nothing\n", "f: no pairs are declared here" },
		{ "\npears", "f:2:1: expected pair, or # and a comment" },
		{ "pair", "f:1:5: expected a name for the pair" },
		{ "pair a", "f:1:7: expected the name of the send event" },
		{ "pair a -> c", "f:1:8: expected the name of the send event" },
		{ "pair a b c", "f:1:10: expected -> and the name of the receive event" },
		{ "pair a b ->", "f:1:12: expected the name of the receive event" },
		{ "pair a b -> c", "f:1:14: expected key and the fields that identify a message" },
		{ "pair a b -> c key", "f:1:18: expected a field, or SEND-FIELD=RECEIVE-FIELD" },
		{ "pair a b -> c key =x", "f:1:19: expected the name of a field" },
		{ "pair a b -> c key x=", "f:1:21: expected the name of a field" },
		{ "pair a b -> c key k ordered now", "f:1:29: expected the end of the line" },
		{ "pair a b -> c key k\npair a b -> c key k",
			"f:2: the pair a was declared before" },
		{ "pair a b -> c key 1 2 3 4 5 6 7 8 9 a b c d e f g h", "f:1:" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sync_user_pairs *u = NULL;
		struct mer_err err = { 0 };
		int rc = sync_user_pairs_parse(cases[i].text, strlen(cases[i].text), "f", &u, &err);
		if (rc != MER_ERR_INPUT ||
			strncmp(err.text, cases[i].err, strlen(cases[i].err)) != 0)
			fail_msg("\"%s\": %d: %s", cases[i].text, rc, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
