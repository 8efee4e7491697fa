#include "copied/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

void copied_note(struct mer_str *notes, enum mer_severity severity, const char *code,
	uint64_t count, const char *text)
{
	mer_str_printf(notes, "%d %s %" PRIu64 " ", (int)severity, code, count);
	for (; *text; text++)
		mer_str_putc(notes, (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
	mer_str_putc(notes, '\n');
}

void copied_notef(struct mer_str *notes, enum mer_severity severity, const char *code,
	uint64_t count, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	copied_note(notes, severity, code, count, text);
}

static void tell(char *line, const char *anchor, struct mer_diags *diags)
{
	char *code, *text, *end;
	long severity = strtol(line, &code, 10);
	if (*code != ' ' || !(end = strchr(++code, ' ')))
		return;
	*end = '\0';
	uint64_t count = strtoull(end + 1, &text, 10);
	if (*text == ' ')
		mer_diag_add(diags,
			&(struct mer_diag){ .severity = (enum mer_severity)severity,
				.code = code,
				.path = anchor,
				.stream = -1,
				.packet = -1,
				.offset_bits = -1,
				.count = count },
			"%s", text + 1);
}

bool copied_notes_tell(const char *folder, const char *anchor, struct mer_diags *diags)
{
	struct mer_file f;
	struct mer_err ignored;
	char path[4200];
	int n = snprintf(path, sizeof(path), "%s/notes", folder);
	if ((size_t)n >= sizeof(path) || mer_file_open(&f, path, &ignored))
		return false;
	struct mer_str all = { 0 };
	mer_str_add(&all, (const char *)f.data, f.size);
	mer_file_close(&f);
	for (char *line = all.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		tell(line, anchor, diags);
	}
	bool ok = !all.failed;
	mer_str_fini(&all);
	return ok;
}
