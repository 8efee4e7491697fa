/* Addresses in texts: which events say where a binary is, and the names of its functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "make_elf.h"
#include "states_text.h"
#include "views/symbols.h"

static char path[] = "/tmp/elf.XXXXXX";

/* ---- events ---- */

#define VIEW "row r \"R\"\nmark m:a as \"{a:symbol}\"\n"
#define AT(at) at "ms h/ust 0 m:a { vtid=7 } a=66000\n" /* 0x101d0 */

/* Each event that loads a binary, and its field with the path; those that unload one. */
static void events_of_binaries(void **state)
{
	static const char *const loads[][3] = { { "lttng_ust_statedump:bin_info", "path",
							"sopath" },
		{ "lttng_ust_statedump:soinfo", "sopath", "path" },
		{ "lttng_ust_dl:dlopen", "path", "sopath" },
		{ "lttng_ust_dl:dlmopen", "path", "sopath" },
		{ "lttng_ust_lib:load", "path", "sopath" } };
	static const char *const unloads[] = { "lttng_ust_dl:dlclose", "lttng_ust_lib:unload" };
	char trace[600];
	(void)state;
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		for (int field = 1; field <= 2; field++) {
			snprintf(trace, sizeof(trace),
				AT("1") "2ms h/ust 0 %s { vtid=7 } baddr=65536 memsz=1000 %s=\"/none/a.so\"\n" AT(
					"3") "4ms h/ust 0 %s { vtid=7 } baddr=65536\n" AT("5"),
				loads[i][0], loads[i][field], unloads[i % 2]);
			/* What was there before is named by what came, as a state dump is late. */
			states_are(STATES, trace, VIEW,
				"1 R mark a.so+0x1d0\n3 R mark a.so+0x1d0\n5 R mark 0x101d0\n");
		}
	/* Without a size, or with a number as its path, it is none; nor is another event. */
	static const char *const none[] = {
		"lttng_ust_lib:load { vtid=7 } baddr=65536 path=\"/a.so\"",
		"lttng_ust_lib:load { vtid=7 } baddr=65536 memsz=1000 path=5",
		"lttng_ust_lib:load { vtid=7 } memsz=1000 path=\"/a.so\"",
		"lttng_ust_lib:other { vtid=7 } baddr=65536 memsz=1000 path=\"/a.so\""
	};
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		snprintf(trace, sizeof(trace), "1ms h/ust 0 %s\n" AT("3"), none[i]);
		states_are(STATES, trace, VIEW, "3 R mark 0x101d0\n");
	}
}

/* Where contexts name processes, each has its own binaries. */
static void processes(void **state)
{
	(void)state;
	states_are(STATES,
		"trace h/v { context { s32 vpid } }\n"
		"1ms h/v 0 lttng_ust_lib:load { vpid=1 } baddr=65536 memsz=1000 path=\"/one.so\"\n"
		"2ms h/v 0 lttng_ust_lib:load { vpid=2 } baddr=65536 memsz=1000 path=\"/two.so\"\n"
		"3ms h/v 0 m:a { vpid=1 } a=66000\n4ms h/v 0 m:a { vpid=2 } a=66000\n"
		"5ms h/v 0 m:a { vpid=3 } a=66000\n"
		"6ms h/v 0 lttng_ust_lib:load { vpid=1 } baddr=131072 memsz=1000 path=\"/more.so\"\n"
		"7ms h/v 0 m:a { vpid=1 } a=66000\n8ms h/v 0 m:a { vpid=1 } a=131073\n" AT("9"),
		VIEW,
		"3 R mark one.so+0x1d0\n4 R mark two.so+0x1d0\n5 R mark 0x101d0\n7 R mark one.so+0x1d0\n"
		"8 R mark more.so+0x1\n9 R mark 0x101d0\n");
}

#ifdef MER_HAS_ELF

/* Names of states, labels and marks; the colour is that of the name. */
static void everywhere(void **state)
{
	(void)state;
	states_are(ROWS | STATES | COLOURS | NOTES,
		"1ms h/ust 0 lttng_ust_lib:load { vtid=7 } baddr=65536 memsz=1000 path=\"/none/a.so\"\n"
		"2ms h/ust 0 m:s { vtid=7 } a=66000\n" AT("3"),
		"row r \"at {a:symbol}\" under \"{a:symbol}\" key a\nset m:s as \"in {a:symbol}\"\n"
		"mark m:a as \"{a:symbol}\"\ncolour \"in a.so*\" #123456\n",
		"row at a.so+0x1d0 under a.so+0x1d0 1\n"
		"2-3 at a.so+0x1d0: in a.so+0x1d0 own 1 tid 7 no end #123456\n3 at a.so+0x1d0 mark a.so+0x1d0\n"
		"note: no names for addresses of /none/a.so: its build id was not recorded\n");
}

/* ---- files ---- */

static void named(struct view_symbols *s, uint64_t address, const char *expected)
{
	struct mer_str token = { 0 }, out = { 0 };
	view_symbols_put(s, 7, address, &token);
	assert_true(view_symbols_name(s, token.data, &out));
	assert_string_equal(out.data, expected);
	mer_str_fini(&token);
	mer_str_fini(&out);
}

static void files(void **state)
{
	struct made_elf w = MADE_ELF;
	char unnamed[100];
	(void)state;
	for (int is_fixed = 0; is_fixed <= 1; is_fixed++) {
		/* Of one that may be anywhere the first segment, 0x1000, is at its base. */
		uint64_t base = is_fixed ? 0 : 0x700000, zero = is_fixed ? 0 : base - 0x1000;
		w.type = is_fixed ? ET_EXEC : ET_DYN;
		make_elf(path, &w);
		struct view_symbols *s = view_symbols_new();
		assert_true(view_symbols_load(s, 7, base, 0x10000, path, strlen(path)));
		view_symbols_build_id(
			s, 7, base + 1, made_id, MADE_ID_BYTES); /* nothing is there */
		view_symbols_build_id(s, 7, base, made_id, MADE_ID_BYTES);
		view_symbols_build_id(s, 7, base, made_id, 0); /* no build id */
		uint8_t large[VIEW_MAX_BUILD_ID + 1] = { 0 };
		view_symbols_build_id(s, 7, base, large, sizeof(large));
		named(s, zero + 0x1003, "small");
		named(s, zero + 0x200f, "alias");
		snprintf(unnamed, sizeof(unnamed), "%s+0x%x", strrchr(path, '/') + 1,
			is_fixed ? 0x3000 : 0x2000);
		named(s, zero + 0x3000, unnamed);
		view_symbols_free(s);
	}
}

static void told(struct view_symbols *s, const char *expected)
{
	struct mer_arena arena;
	struct mer_diags diags;
	struct mer_str out = { 0 };
	mer_arena_init(&arena);
	mer_diags_init(&diags, &arena);
	view_symbols_tell(s, &diags);
	mer_str_puts(&out, "");
	for (size_t i = 0; i < diags.n; i++)
		mer_str_printf(&out, "%s\n", diags.rows[i].message);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	mer_diags_fini(&diags);
	mer_arena_fini(&arena);
}

static void what_is_told(void **state)
{
	struct view_symbols *s = view_symbols_new();
	char name[20], want[400];
	(void)state;
	told(s, "");
	named(s, 5, "0x5");
	told(s, "1 address lies in no binary that was recorded: record lttng_ust_statedump:*, "
		"lttng_ust_lib:* and the context vpid for names\n");
	named(s, 6, "0x6");
	/* Of files without names five; one whose addresses are not asked for is none of them. */
	for (uint64_t i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), "/none/%c.so", (char)('a' + i));
		assert_true(view_symbols_load(s, 7, 0x10000 * (i + 1), 0x100, name, strlen(name)));
		view_symbols_build_id(s, 7, 0x10000 * (i + 1), made_id, MADE_ID_BYTES);
		snprintf(want, sizeof(want), "%c.so+0x1", (char)('a' + i));
		if (i)
			named(s, 0x10000 * (i + 1) + 1, want);
	}
	told(s, "no names for addresses of /none/b.so: there is no such file here\n"
		"no names for addresses of /none/c.so: there is no such file here\n"
		"no names for addresses of /none/d.so: there is no such file here\n"
		"no names for addresses of /none/e.so: there is no such file here\n"
		"no names for addresses of /none/f.so: there is no such file here\n"
		"2 addresses lie in no binary that was recorded: they may be of code made at run time\n");
	view_symbols_free(s);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_binaries), cmocka_unit_test(processes),
#ifdef MER_HAS_ELF
		cmocka_unit_test(everywhere), cmocka_unit_test(files),
		cmocka_unit_test(what_is_told)
#endif
	};
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
