/* Asking the library, as the tests of it do. */
#ifndef MER_TESTS_API_ASK_H
#define MER_TESTS_API_ASK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "meridian/session.h"

extern char ask_path[500]; /* the recording */
extern struct mer_err ask_err;
#define err ask_err

#define OK(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s", err.text);                                                  \
	} while (0)
#define FAILS(call, wanted)                                                                        \
	do {                                                                                       \
		memset(&err, 0, sizeof(err));                                                      \
		assert_int_equal(call, wanted);                                                    \
		assert_int_equal(err.code, wanted);                                                \
		assert_true(err.text[0] && !strstr(err.text, "--"));                               \
	} while (0)

int ask_find_recording(void **state); /* of a group of tests */
/* NULL: the defaults; open: also opened, with them. */
struct mer_session *ask_new_session(const struct mer_session_options *o);
struct mer_session *ask_open_session(void);
/* A cell; the test fails where it is not known. A text that is not known is "". */
int64_t ask_int(const struct mer_result *r, size_t row, const char *key);
const char *ask_text_of(const struct mer_result *r, size_t row, const char *key);
/* Numbers and texts. */
void ask_same_rows(const struct mer_result *a, const struct mer_result *b);

#endif
