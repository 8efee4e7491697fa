#include "ask.h"

#include "given.h"

char ask_path[500];
struct mer_err ask_err;

int ask_find_recording(void **state)
{
	(void)state;
	return given_find(ask_path, sizeof(ask_path), "lab/wget-cold-hot") ? 0 : -1;
}

struct mer_session *ask_new_session(const struct mer_session_options *o)
{
	const char *paths[] = { ask_path };
	struct mer_session *s;
	OK(mer_session_new(paths, 1, o, &s, &err));
	return s;
}

struct mer_session *ask_open_session(void)
{
	struct mer_session *s = ask_new_session(NULL);
	OK(mer_session_open(s, &err));
	return s;
}

int64_t ask_int(const struct mer_result *r, size_t row, const char *key)
{
	int64_t v = 0;
	if (!mer_result_int(r, row, mer_result_column(r, key), &v))
		fail_msg("row %zu has no %s", row, key);
	return v;
}

const char *ask_text_of(const struct mer_result *r, size_t row, const char *key)
{
	const char *v = "";
	mer_result_text(r, row, mer_result_column(r, key), &v);
	return v;
}

void ask_same_rows(const struct mer_result *a, const struct mer_result *b)
{
	assert_int_equal(mer_result_n_rows(a), mer_result_n_rows(b));
	for (size_t i = 0; i < mer_result_n_rows(a); i++)
		for (size_t c = 0; c < mer_result_n_columns(a); c++) {
			int64_t p = 0, q = 0;
			const char *x = "", *y = "";
			assert_int_equal(mer_result_int(a, i, c, &p), mer_result_int(b, i, c, &q));
			assert_int_equal(p, q);
			assert_int_equal(
				mer_result_text(a, i, c, &x), mer_result_text(b, i, c, &y));
			assert_string_equal(x, y);
		}
}
