/* Fuzzer of files of marks: no bytes may crash the reader, what it refuses names a line, and what
 * it accepts are times in order with texts that may be shown. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "session/marks.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_marks m;
	struct mer_err err = { 0 };
	if (session_marks_parse(&m, "file", (const char *)data, size, &err))
		check(strncmp(err.text, "file:", 5) == 0);
	for (size_t i = 0; i < m.n; i++) {
		const struct session_mark *k = &m.all[i];
		const char *p = k->text;
		check(k->begin.kind != SESSION_MOMENT_NONE && k->end.kind != SESSION_MOMENT_NONE);
		check(k->begin.kind != SESSION_MOMENT_ABSOLUTE ||
			k->end.kind != SESSION_MOMENT_ABSOLUTE || k->begin.ns <= k->end.ns);
		for (; *p; p++)
			if (*p == '\t')
				continue;
			else if (!mer_safe_length(p, strlen(p)))
				abort();
			else
				p += mer_safe_length(p, strlen(p)) - 1;
		check((size_t)(p - k->text) <= SESSION_MAX_MARK_TEXT);
	}
	session_marks_fini(&m);
	return 0;
}
