/* Fuzzer of presets: no text may crash the parser or take forever, an error says where, and what is
 * accepted makes lines in which no name can be anything but one word of a shell. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/plan.h"
#include "record/words.h"
#include "check.h"

static void check_lines(const struct record_preset *p)
{
	struct record_plan plan = { .label = "label", .session = "session", .preset = *p };
	struct mer_str s = { 0 };
	record_plan_channels(&plan, &s);
	record_plan_events(&plan, NULL, true, &s);
	record_plan_perf(&plan, NULL, "folder", &s);
	/* Outside of comments and quotes nothing that a shell would act on. */
	for (const char *line = s.data; line && *line;) {
		size_t n = strcspn(line, "\n");
		bool is_quoted = false;
		for (size_t i = 0; line[0] != '#' && i < n; i++) {
			is_quoted ^= line[i] == '\'';
			check(is_quoted || !strchr(";&|<>$`\\\"(){}!", line[i]));
		}
		check(!is_quoted);
		line += n + (line[n] == '\n');
	}
	mer_str_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mer_arena arena;
	struct record_preset p, twice;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	if (record_preset_parse(&p, (const char *)data, size, "file", &arena, &err)) {
		check(strncmp(err.text, "file:", 5) == 0);
	} else {
		check(p.n_rules <= RECORD_PRESET_RULES && p.n_next <= RECORD_PRESET_NEXT);
		check_lines(&p);
		twice = p;
		if (record_preset_join(&twice, &p, &arena, &err) == 0)
			check_lines(&twice);
	}
	mer_arena_fini(&arena);
	return 0;
}
