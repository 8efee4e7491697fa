/* Members of JSON objects: what each kind takes, what it refuses, and with which message; after the
 * first mistake nothing more is found wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/json_get.h"

struct fixture {
	struct mer_arena arena;
	struct mer_err err;
	struct mer_json_get g;
	struct mer_json_value root;
};

static void begin(struct fixture *f, const char *text, size_t len)
{
	*f = (struct fixture){ 0 };
	mer_arena_init(&f->arena);
	f->g = (struct mer_json_get){ .text = text, .path = "p", .len = len, .err = &f->err };
	mer_json_get_root(&f->g, &f->arena, &f->root);
}

/* NULL: it is fine. */
static void end(struct fixture *f, const char *error)
{
	assert_int_equal(f->g.rc, error ? MER_ERR_INPUT : 0);
	assert_string_equal(f->err.text, error ? error : "");
	mer_arena_fini(&f->arena);
}

static void root(void **state)
{
	static const char *const files[][2] = { { "{}", NULL }, { " {} \t\r\n", NULL },
		{ "[]", "p:1:1: an object is expected here, not an array" },
		{ "7", "p:1:1: an object is expected here, not an unsigned integer" },
		{ "{} x", "p:1:4: something follows the end" },
		{ "{\n}\n {}", "p:3:2: something follows the end" },
		{ "{\n  \"a\": 1\n  \"b\": 2}", "p:3:3: " } };
	struct fixture f;
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		begin(&f, files[i][0], strlen(files[i][0]));
		if (files[i][1])
			f.err.text[i == 6 ? 7 : 250] = '\0'; /* what the reader says */
		assert_int_equal(f.root.kind, MER_JSON_OBJECT);
		end(&f, files[i][1]);
	}
	begin(&f, "{}\0", 3);
	end(&f, "p:1:3: something follows the end");
}

#define ALL                                                                                        \
	"{\"o\": {\"x\": 1}, \"a\": [1, 2], \"t\": true, \"f\": false, \"i\": -5, \"u\": 5,\n"     \
	" \"max\": 9223372036854775807, \"more\": 9223372036854775808, \"r\": 1.5, \"n\": null,\n" \
	" \"s\": \"text\", \"z\": \"a\\u0000b\", \"as\": [\"x\", \"y\"], \"mixed\": [\"x\", 1]}"

static const char *word(unsigned i)
{
	static const char *const words[] = { "tex", "text", "texts" };
	return words[i];
}

static void what_is_there(void **state)
{
	struct fixture f;
	struct mer_json_get *g = &f.g;
	(void)state;
	begin(&f, ALL, strlen(ALL));
	assert_int_equal(mer_json_get_object(g, &f.root, "o")->n, 1);
	assert_int_equal(mer_json_get_array(g, &f.root, "a")->n, 2);
	assert_int_equal(mer_json_get_array_of(g, &f.root, "a", MER_JSON_UINT)->n, 2);
	assert_int_equal(mer_json_get_array_of(g, &f.root, "as", MER_JSON_STRING)->n, 2);
	assert_true(mer_json_get_bool(g, &f.root, "t"));
	assert_false(mer_json_get_bool(g, &f.root, "f"));
	assert_int_equal(mer_json_get_int(g, &f.root, "i"), -5);
	assert_int_equal(mer_json_get_int(g, &f.root, "u"), 5);
	assert_int_equal(mer_json_get_int(g, &f.root, "max"), INT64_MAX);
	assert_int_equal(mer_json_get_int_or(g, &f.root, "i", 7), -5);
	assert_int_equal(mer_json_get_int_or(g, &f.root, "n", 7), 7);
	assert_true(mer_json_get_uint(g, &f.root, "more") == UINT64_C(9223372036854775808));
	assert_true(mer_json_get_real(g, &f.root, "r") == 1.5);
	assert_true(mer_json_get_real(g, &f.root, "i") == -5);
	assert_true(mer_json_get_real(g, &f.root, "more") == 9223372036854775808.0);
	assert_true(isnan(mer_json_get_real(g, &f.root, "n")));
	assert_string_equal(mer_json_get_text(g, &f.root, "s", false, &f.arena), "text");
	assert_string_equal(mer_json_get_text(g, &f.root, "s", true, &f.arena), "text");
	assert_null(mer_json_get_text(g, &f.root, "n", true, &f.arena));
	assert_int_equal(mer_json_get_word(g, &f.root, "s", word, 3), 1);
	end(&f, NULL);
}

enum asked { OBJECT, ARRAY, ARRAY_OF, BOOL, INT, INT_OR, UINT, REAL, TEXT, TEXT_OR, WORD, N_ASKED };

/* Nothing of what is wrong is handed out. */
static void ask(struct fixture *f, enum asked what, const char *key)
{
	struct mer_json_get *g = &f->g;
	switch (what) {
	case OBJECT: {
		const struct mer_json_value *v = mer_json_get_object(g, &f->root, key);
		assert_true(v->kind == MER_JSON_OBJECT && v->n == 0);
		break;
	}
	case ARRAY:
	case ARRAY_OF: {
		const struct mer_json_value *v =
			what == ARRAY ? mer_json_get_array(g, &f->root, key)
				      : mer_json_get_array_of(g, &f->root, key, MER_JSON_STRING);
		assert_true(v->kind == MER_JSON_ARRAY && v->n == 0);
		break;
	}
	case BOOL: assert_false(mer_json_get_bool(g, &f->root, key)); break;
	case INT: assert_int_equal(mer_json_get_int(g, &f->root, key), 0); break;
	case INT_OR: assert_int_equal(mer_json_get_int_or(g, &f->root, key, 7), 0); break;
	case UINT: assert_int_equal(mer_json_get_uint(g, &f->root, key), 0); break;
	case REAL: assert_true(mer_json_get_real(g, &f->root, key) == 0); break;
	case TEXT:
	case TEXT_OR:
		assert_string_equal(
			mer_json_get_text(g, &f->root, key, what == TEXT_OR, &f->arena), "");
		break;
	case WORD: assert_int_equal(mer_json_get_word(g, &f->root, key, word, 3), 0); break;
	case N_ASKED: break;
	}
}

static void mistakes(void **state)
{
	static const struct {
		enum asked what;
		const char *key, *error;
	} rows[] = { { OBJECT, "a", "p:1:22: 'a' must be an object, not an array" },
		{ ARRAY, "o", "p:1:7: 'o' must be an array, not an object" },
		{ ARRAY_OF, "s", "p:3:7: 's' must be an array, not a string" },
		{ ARRAY_OF, "mixed",
			"p:3:65: an item of 'mixed' must be a string, not an unsigned integer" },
		{ BOOL, "u", "p:1:67: 'u' must be true or false, not an unsigned integer" },
		{ INT, "more",
			"p:2:38: 'more' must be an integer of 64 bits, not an unsigned integer" },
		{ INT, "r",
			"p:2:64: 'r' must be an integer of 64 bits, not a number that is no 64-bit integer" },
		{ INT, "n", "p:2:74: 'n' must be an integer of 64 bits, not null" },
		{ INT_OR, "s", "p:3:7: 's' must be an integer of 64 bits, not a string" },
		{ UINT, "i",
			"p:1:58: 'i' must be an integer that is not negative, not a negative integer" },
		{ UINT, "s", "p:3:7: 's' must be an integer that is not negative, not a string" },
		{ REAL, "s", "p:3:7: 's' must be a number, not a string" },
		{ REAL, "t", "p:1:35: 't' must be a number, not a boolean" },
		{ TEXT, "n", "p:2:74: 'n' must be text, not null" },
		{ TEXT, "u", "p:1:67: 'u' must be text, not an unsigned integer" },
		{ TEXT_OR, "u", "p:1:67: 'u' must be text, not an unsigned integer" },
		{ TEXT, "z", "p:3:20: 'z' has a zero byte" },
		{ WORD, "u", "p:1:67: 'u' must be text, not an unsigned integer" } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;
		begin(&f, ALL, strlen(ALL));
		ask(&f, rows[i].what, rows[i].key);
		end(&f, rows[i].error);
	}
}

/* Each of them: of a member that is missing, and after an earlier mistake, which stays. */
static void missing(void **state)
{
	(void)state;
	for (int i = 0; i < N_ASKED; i++) {
		struct fixture f;
		begin(&f, ALL, strlen(ALL));
		ask(&f, (enum asked)i, "none");
		assert_string_equal(f.err.text, "p:1:1: 'none' is missing here");
		for (int k = 0; k < N_ASKED; k++) {
			ask(&f, (enum asked)k, "other");
			ask(&f, (enum asked)k, "s");
			ask(&f, (enum asked)k, "t");
		}
		mer_json_get_fail(&f.g, &f.root, "another one");
		mer_json_get_nomem(&f.g);
		end(&f, "p:1:1: 'none' is missing here");
	}
	struct fixture f;
	begin(&f, ALL, strlen(ALL));
	mer_json_get_nomem(&f.g);
	assert_int_equal(f.g.rc, MER_ERR_NOMEM);
	mer_arena_fini(&f.arena);
	static const char other[] = "{\"s\": \"other\"}";
	begin(&f, other, strlen(other));
	ask(&f, WORD, "s");
	end(&f, "p:1:7: 's' has a value that is not known");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(root), cmocka_unit_test(what_is_there),
		cmocka_unit_test(mistakes), cmocka_unit_test(missing) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
