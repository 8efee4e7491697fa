/* A view of an XML file: its analyses, and the kinds of rows that they have. */
#include <stdlib.h>
#include <string.h>

#include "views/view.h"
#include "views/xml/program.h"

bool view_is_xml(const char *text, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t i = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
	while (i < len && strchr(" \t\r\n", text[i]))
		i++;
	return i < len && text[i] == '<';
}

/* The name of the view in tables: that of the file, without its extension. */
static const char *name_of(struct mer_arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	const char *dot = strrchr(from, '.');
	return mer_arena_strndup(
		arena, from, dot && dot != from ? (size_t)(dot - from) : strlen(from));
}

int view_parse_xml(
	const char *text, size_t len, const char *path, struct view **view, struct mer_err *err)
{
	static const char *const names[VIEW_XML_ROWS] = { "attribute", "call", "value", "segment" };
	struct view *out = calloc(1, sizeof(*out));
	struct xml_file file;
	*view = NULL;
	if (!out)
		return mer_fail_nomem(err);
	mer_arena_init(&out->arena);
	out->path = mer_arena_strdup(&out->arena, path);
	out->name = name_of(&out->arena, path);
	out->rows = calloc(VIEW_XML_ROWS, sizeof(*out->rows));
	int rc = out->path && out->name && out->rows ? 0 : mer_fail_nomem(err);
	if (rc == 0 && len > VIEW_MAX_BYTES)
		rc = mer_fail(
			err, MER_ERR_INPUT, "%s: more than 1 MiB: this is no view file", path);
	if (rc == 0)
		rc = xml_compile(text, len, path, &out->arena, &file, err);
	if (rc) {
		view_free(out);
		return rc;
	}
	for (out->n_rows = 0; out->n_rows < VIEW_XML_ROWS; out->n_rows++)
		out->rows[out->n_rows] = (struct view_row){ .name = names[out->n_rows],
			.is_async = out->n_rows != VIEW_XML_CALLS };
	out->programs = file.programs;
	out->title = file.programs->title;
	out->notes = *file.notes ? file.notes : NULL;
	*view = out;
	return 0;
}
