/* Errors and their remedies, options of other versions of a header, diagnostics as JSON. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag_json.h"
#include "base/err.h"
#include "base/options.h"

static void texts(void **state)
{
	struct mer_err err = { .remedy = MER_REMEDY_CPUS };
	(void)state;
	assert_int_equal(mer_fail(&err, MER_ERR_INPUT, "%d of %s", 3, "x"), MER_ERR_INPUT);
	assert_int_equal(err.code, MER_ERR_INPUT);
	assert_int_equal(err.remedy, MER_REMEDY_NONE);
	assert_string_equal(err.text, "3 of x");
	assert_int_equal(
		mer_fail_remedy(&err, MER_ERR_LIMIT, MER_REMEDY_HOSTS, "y"), MER_ERR_LIMIT);
	assert_int_equal(err.remedy, MER_REMEDY_HOSTS);
	assert_string_equal(err.text, "y");
	assert_int_equal(mer_fail_nomem(&err), MER_ERR_NOMEM);
	assert_string_equal(err.text, "out of memory");
	errno = ENOENT;
	assert_int_equal(mer_fail_errno(&err, "open", "a/b"), MER_ERR_SYS);
	assert_string_equal(err.text, "a/b: cannot open: No such file or directory");
	errno = ENOMEM;
	assert_int_equal(mer_fail_errno(&err, "open", "a/b"), MER_ERR_NOMEM);
	/* Nobody who wants to know. */
	assert_int_equal(mer_fail(NULL, MER_ERR_INPUT, "x"), MER_ERR_INPUT);
	assert_int_equal(
		mer_fail_remedy(NULL, MER_ERR_INPUT, MER_REMEDY_HOSTS, "x"), MER_ERR_INPUT);
}

static void remedies(void **state)
{
	(void)state;
	assert_null(mer_remedy_name(MER_REMEDY_NONE));
	assert_null(mer_remedy_name(MER_N_REMEDIES));
	assert_string_equal(mer_remedy_name(MER_REMEDY_HOSTS), "hosts");
	assert_string_equal(mer_remedy_name(MER_REMEDY_GUEST), "guest");
	/* Each has a name of its own. */
	for (unsigned i = 1; i < MER_N_REMEDIES; i++)
		for (unsigned k = 1; k < i; k++)
			assert_string_not_equal(mer_remedy_name((enum mer_remedy)i),
				mer_remedy_name((enum mer_remedy)k));
}

/* ---- options ---- */

struct now {
	size_t size;
	int a, b;
};
struct later {
	size_t size;
	int a, b;
	char c[8];
};

static void options(void **state)
{
	struct now o;
	struct mer_err err = { 0 };
	(void)state;
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, NULL, &err), 0);
	assert_int_equal(o.size + (size_t)o.a + (size_t)o.b, 0);
	const struct now same = { sizeof(same), 3, 4 };
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, &same, &err), 0);
	assert_memory_equal(&o, &same, sizeof(o));
	/* An older header's: what it lacks is 0. */
	const struct now older = { offsetof(struct now, b), 3, 4 };
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, &older, &err), 0);
	assert_int_equal(o.a, 3);
	assert_int_equal(o.b, 0);
	const struct now least = { sizeof(size_t), 3, 4 };
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, &least, &err), 0);
	assert_int_equal(o.a, 0);
	/* A later one's: what this one lacks has to be 0. */
	struct later later = { .size = sizeof(later), .a = 3, .b = 4 };
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, &later, &err), 0);
	assert_int_equal(o.b, 4);
	for (size_t i = 0; i < sizeof(later.c); i += 7) {
		later.c[i] = 1;
		assert_int_equal(mer_options_read(&o, sizeof(o), 0, &later, &err), MER_ERR_USAGE);
		assert_string_equal(
			err.text, "the options are of a later version than this library");
		later.c[i] = 0;
	}
	/* No size: of the first version, where that is so. */
	const struct now forgotten = { 0, 3, 4 };
	assert_int_equal(
		mer_options_read(&o, sizeof(o), offsetof(struct now, b), &forgotten, &err), 0);
	assert_int_equal(o.a, 3);
	assert_int_equal(o.b, 0);
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, &forgotten, &err), MER_ERR_USAGE);
	assert_string_equal(
		err.text, "the size of options is 0: it must be sizeof of their struct");
	const struct now small = { sizeof(size_t) - 1, 3, 4 };
	assert_int_equal(mer_options_read(&o, sizeof(o), 0, &small, &err), MER_ERR_USAGE);
}

/* ---- diagnostics ---- */

static void diag(const struct mer_diag *d, const char *expected)
{
	struct mer_str out = { 0 };
	struct mer_json j;
	mer_json_init(&j, &out, NULL, 0);
	mer_diag_json(d, &j);
	mer_json_finish(&j, NULL);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
}

static void diagnostics(void **state)
{
	(void)state;
	assert_string_equal(mer_severity_name(MER_NOTE), "note");
	assert_string_equal(mer_severity_name(MER_WARNING), "warning");
	assert_string_equal(mer_severity_name(MER_ERROR), "error");
	diag(&(struct mer_diag){ .severity = MER_WARNING,
		     .code = "c",
		     .host = "h",
		     .path = "p",
		     .stream = 0,
		     .packet = 2,
		     .offset_bits = 3,
		     .count = 4,
		     .message = "m",
		     .remedy = MER_REMEDY_HOSTS },
		"{\"severity\":\"warning\",\"code\":\"c\",\"host\":\"h\",\"path\":\"p\",\"stream\":0,\"packet\":2,"
		"\"offset_bits\":3,\"count\":4,\"message\":\"m\",\"remedy\":\"hosts\"}\n");
	diag(&(struct mer_diag){ .severity = MER_NOTE,
		     .code = "c",
		     .stream = -1,
		     .packet = -1,
		     .offset_bits = -1,
		     .count = 1,
		     .message = "m" },
		"{\"severity\":\"note\",\"code\":\"c\",\"host\":null,\"path\":null,\"stream\":null,\"packet\":null,"
		"\"offset_bits\":null,\"count\":1,\"message\":\"m\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts), cmocka_unit_test(remedies),
		cmocka_unit_test(options), cmocka_unit_test(diagnostics) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
