/* JSON metadata: which properties each type of field class has, names of members that occur twice,
 * and log levels by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "ctf/metadata.h"

/* Quotes are written as '. The first line of what is wrong, else the warnings, else "". */
static char *read_event(const char *event, char *result, size_t size, int32_t *log_level)
{
	struct mer_arena arena, diag_arena;
	struct mer_diags diags;
	struct mer_err err = { 0 };
	struct mer_str text = { 0 };
	struct ctf_schema *s;
	mer_arena_init(&arena);
	mer_arena_init(&diag_arena);
	mer_diags_init(&diags, &diag_arena);
	mer_str_printf(&text,
		"{'type':'preamble','version':2}\n{'type':'data-stream-class'}\n"
		"{'type':'event-record-class','name':'e',%s}\n",
		event);
	for (char *p = text.data; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	int rc = ctf_json_parse(text.data, text.len, "m", &arena, &diags, &s, &err);
	result[0] = '\0';
	if (rc)
		snprintf(result, size, "%.*s", (int)strcspn(err.text, "\n"), err.text);
	else if (diags.n)
		snprintf(result, size, "%s%s", diags.rows[0].message,
			diags.n > 1 ? " and more" : "");
	if (log_level && !rc)
		*log_level = s->streams[0].events[0].log_level;
	mer_diags_fini(&diags);
	mer_arena_fini(&diag_arena);
	mer_arena_fini(&arena);
	mer_str_fini(&text);
	return result;
}

#define PAYLOAD(members) "'payload-field-class':{'type':'structure','member-classes':[" members "]}"
#define SELECTOR                                                                                   \
	"{'name':'n','field-class':{'type':'fixed-length-unsigned-integer','length':8,"            \
	"'byte-order':'little-endian'}},"
#define NUL "{'type':'null-terminated-string'}"

/* Each property that reading depends on, and how it may look. */
static const char *const properties[][2] = { { "length", "8" }, { "byte-order", "'big-endian'" },
	{ "bit-order", "'last-to-first'" }, { "alignment", "8" },
	{ "preferred-display-base", "16" }, { "mappings", "{'m':[[0,1]]}" }, { "roles", "[]" },
	{ "flags", "{'f':[[0,1]]}" }, { "encoding", "'utf-8'" },
	{ "length-field-location", "{'path':['n']}" }, { "member-classes", "[]" },
	{ "minimum-alignment", "8" }, { "element-field-class", NUL }, { "field-class", NUL },
	{ "selector-field-location", "{'path':['n']}" }, { "selector-field-ranges", "[[1,1]]" },
	{ "options", "[{'selector-field-ranges':[[0,1]],'field-class':" NUL "}]" } };
enum { N_PROPERTIES = sizeof(properties) / sizeof(*properties) };

#define FIXED "length byte-order bit-order alignment "
#define INTEGER "preferred-display-base mappings "

static const char *const types[][2] = { { "fixed-length-bit-array", FIXED },
	{ "fixed-length-bit-map", FIXED "flags " }, { "fixed-length-boolean", FIXED },
	{ "fixed-length-unsigned-integer", FIXED INTEGER "roles " },
	{ "fixed-length-signed-integer", FIXED INTEGER },
	{ "fixed-length-unsigned-enumeration", FIXED INTEGER "roles " },
	{ "fixed-length-signed-enumeration", FIXED INTEGER },
	{ "variable-length-unsigned-integer", INTEGER "roles " },
	{ "variable-length-signed-integer", INTEGER },
	{ "variable-length-unsigned-enumeration", INTEGER "roles " },
	{ "variable-length-signed-enumeration", INTEGER },
	{ "null-terminated-string", "encoding " }, { "static-length-string", "length encoding " },
	{ "dynamic-length-string", "length-field-location encoding " },
	{ "static-length-blob", "length roles " },
	{ "dynamic-length-blob", "length-field-location " },
	{ "structure", "member-classes minimum-alignment " },
	{ "static-length-array", "length element-field-class minimum-alignment roles " },
	{ "dynamic-length-array", "length-field-location element-field-class minimum-alignment " },
	{ "optional", "field-class selector-field-location selector-field-ranges " },
	{ "variant", "options selector-field-location " } };

static bool has(const char *list, const char *word)
{
	char spaced[40];
	snprintf(spaced, sizeof(spaced), "%s ", word);
	const char *at = strstr(list, spaced);
	while (at && at > list && at[-1] != ' ')
		at = strstr(at + 1, spaced);
	return at != NULL;
}

/* With all of its own properties, and one more: other; N_PROPERTIES: none. */
static char *read_type(size_t type, size_t other, char *result, size_t size)
{
	struct mer_str event = { 0 };
	mer_str_printf(&event,
		"'payload-field-class':{'type':'structure','member-classes':[" SELECTOR
		"{'name':'f','field-class':{'type':'%s'",
		types[type][0]);
	for (size_t i = 0; i < N_PROPERTIES; i++)
		if (has(types[type][1], properties[i][0]) || i == other)
			mer_str_printf(&event, ",'%s':%s", properties[i][0], properties[i][1]);
	mer_str_puts(&event, "}}]}");
	read_event(event.data, result, size, NULL);
	mer_str_fini(&event);
	return result;
}

static void properties_of_types(void **state)
{
	char got[600], want[200];
	(void)state;
	for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
		if (*read_type(t, N_PROPERTIES, got, sizeof(got)))
			fail_msg("%s: %s", types[t][0], got);
		for (size_t i = 0; i < N_PROPERTIES; i++) {
			if (has(types[t][1], properties[i][0]))
				continue;
			read_type(t, i, got, sizeof(got));
			snprintf(want, sizeof(want), "%s has no property `%s`", types[t][0],
				properties[i][0]);
			if (!strstr(got, want))
				fail_msg("%s with %s: '%s'", types[t][0], properties[i][0], got);
		}
	}
	/* What reading does not depend on is told, and ignored. */
	assert_non_null(
		strstr(read_event(PAYLOAD("{'name':'f','field-class':{'type':'null-terminated-"
					  "string','colour':3}}"),
			       got, sizeof(got), NULL),
			"null-terminated-string has no property `colour`; it is ignored"));
	assert_string_equal(
		read_event(PAYLOAD("{'name':'f','field-class':{'type':'static-length-blob',"
				   "'length':1,'media-type':'a/b'}}"),
			got, sizeof(got), NULL),
		"");
}

/* In short lists and in long ones. */
static void names_that_occur_twice(void **state)
{
	static const int sizes[] = { 1, 2, 3, 12, 13, 14, 60 };
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (int same = 0; same <= 1; same++) {
			struct mer_str event = { 0 };
			char got[600];
			mer_str_puts(&event,
				"'payload-field-class':{'type':'structure','member-classes':[");
			for (int k = 0; k < sizes[i]; k++)
				mer_str_printf(&event, "%s{'name':'f%d','field-class':" NUL "}",
					k ? "," : "", same && k == sizes[i] - 1 ? 0 : k);
			mer_str_puts(&event, "]}");
			read_event(event.data, got, sizeof(got), NULL);
			assert_int_equal(*got != '\0', same && sizes[i] > 1);
			if (*got && !strstr(got, "f0"))
				fail_msg("%d: %s", sizes[i], got);
			mer_str_fini(&event);
		}
}

static void log_levels(void **state)
{
	static const struct {
		const char *name;
		int32_t level;
	} rows[] = { { "emergency", 0 }, { "emerg", 0 }, { "alert", 1 }, { "critical", 2 },
		{ "crit", 2 }, { "error", 3 }, { "warning", 4 }, { "notice", 5 }, { "info", 6 },
		{ "debug:system", 7 }, { "debug:program", 8 }, { "debug:process", 9 },
		{ "debug:module", 10 }, { "debug:unit", 11 }, { "debug:function", 12 },
		{ "debug:line", 13 }, { "debug", 14 }, { "DEBUG_LINE", 13 }, { "Debug-Unit", 11 },
		{ "debug:lines", -1 }, { "", -1 }, { "emer", -1 },
		{ "debug:functionfunctionf", -1 }, { "debug:functionfunctionfu", -1 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char event[300], got[600];
		int32_t level = -99;
		snprintf(event, sizeof(event),
			"'user-attributes':{'babeltrace.org,2020':{'log-level':'%s'}}",
			rows[i].name);
		read_event(event, got, sizeof(got), &level);
		if (level != rows[i].level)
			fail_msg("%s: %d, %s", rows[i].name, (int)level, got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(properties_of_types),
		cmocka_unit_test(names_that_occur_twice), cmocka_unit_test(log_levels) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
