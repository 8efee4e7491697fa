/* Where binaries are in a process: an address is of what was loaded there at that time, and a
 * process that loads without end is not followed without end. Without files nothing has a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "views/symbols.h"

enum { PROCESS = 7, PLACE = 0x10000, SIZE = 0x1000 };

static void load(struct view_symbols *s, int64_t process, uint64_t base, const char *path)
{
	assert_true(view_symbols_load(s, process, base, SIZE, path, strlen(path)));
}

static void put(struct view_symbols *s, int64_t process, uint64_t address, struct mer_str *out)
{
	view_symbols_put(s, process, address, out);
	mer_str_putc(out, ' ');
}

static void names(struct view_symbols *s, struct mer_str *tokens, const char *expected)
{
	struct mer_str out = { 0 };
	assert_true(view_symbols_has(tokens->data));
	assert_true(view_symbols_name(s, tokens->data, &out));
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	mer_str_fini(tokens);
}

static void one_after_the_other(void **state)
{
	struct view_symbols *s = view_symbols_new();
	struct mer_str tokens = { 0 };
	(void)state;
	put(s, PROCESS, PLACE + 1, &tokens); /* before the state dump says what is there */
	load(s, PROCESS, PLACE, "/lib/first.so");
	load(s, PROCESS, PLACE, "/lib/first.so"); /* said again */
	put(s, PROCESS, PLACE + 2, &tokens);
	view_symbols_unload(s, PROCESS, PLACE);
	load(s, PROCESS, PLACE, "/lib/second.so");
	put(s, PROCESS, PLACE + 3, &tokens);
	load(s, PROCESS, PLACE, "/lib/third.so"); /* whose unloading was not recorded */
	put(s, PROCESS, PLACE + 4, &tokens);
	put(s, PROCESS + 1, PLACE + 5, &tokens); /* another process has nothing there */
	put(s, PROCESS, PLACE + SIZE, &tokens);
	names(s, &tokens, "first.so+0x1 first.so+0x2 second.so+0x3 third.so+0x4 0x10005 0x11000 ");
	view_symbols_free(s);
}

static void without_end(void **state)
{
	struct view_symbols *s = view_symbols_new();
	struct mer_str tokens = { 0 };
	struct mer_arena arena;
	struct mer_diags diags;
	(void)state;
	mer_arena_init(&arena);
	mer_diags_init(&diags, &arena);
	for (uint64_t i = 0; i < VIEW_MAX_OF_PROCESS + 2; i++)
		load(s, PROCESS, (i + 1) * SIZE, "/lib/many.so");
	load(s, PROCESS + 1, SIZE, "/lib/other.so");
	put(s, PROCESS, SIZE, &tokens);
	put(s, PROCESS, VIEW_MAX_OF_PROCESS * (uint64_t)SIZE, &tokens);
	put(s, PROCESS, (VIEW_MAX_OF_PROCESS + 1) * (uint64_t)SIZE, &tokens);
	put(s, PROCESS + 1, SIZE, &tokens);
	names(s, &tokens, "many.so+0x0 many.so+0x0 0x4001000 other.so+0x0 ");
	view_symbols_tell(s, &diags);
	bool is_told = false;
	for (size_t i = 0; i < diags.n; i++)
		is_told |= strstr(diags.rows[i].message, "2 binaries were not looked at") != NULL;
	assert_true(is_told);
	mer_diags_fini(&diags);
	mer_arena_fini(&arena);
	view_symbols_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(without_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
