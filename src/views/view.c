/* Views by name, patterns of events, colours of states. */
#include "views/view.h"

#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/map.h"
#include "base/str.h"

/* The pattern may have any number of *. On a mismatch, the search continues one character later for
 * the last *, so it takes at most length times length steps. */
static bool fits(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;
	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			from = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool view_fits(const char *pattern, const char *name, const char **star, size_t *len)
{
	const char *at = strchr(pattern, '*');
	size_t before = at ? (size_t)(at - pattern) : 0;
	if (!at)
		return strcmp(pattern, name) == 0;
	if (strncmp(pattern, name, before) != 0 || !fits(at, name + before))
		return false;
	if (star) {
		*star = name + before;
		*len = 0;
		while (!fits(at + 1, *star + *len))
			++*len;
	}
	return true;
}

uint32_t view_colour_of(const struct view *v, const char *text)
{
	static const uint32_t palette[] = { 0x3b7dd8, 0xe28a3a, 0x35a7b5, 0x8a5cc2, 0x3f9b52,
		0xe0b93a, 0xd86fa5, 0x8d6b4f, 0x5f7a99, 0xa3b04a };
	for (uint32_t i = 0; i < v->n_colours; i++)
		if (mer_glob(v->colours[i].pattern, text))
			return v->colours[i].colour;
	return palette[mer_hash(text, strlen(text)) % (sizeof(palette) / sizeof(*palette))];
}

static void put_names(struct mer_str *out)
{
	for (size_t i = 0; view_shipped[i].name; i++)
		mer_str_printf(out, "%s%s", i ? ", " : "", view_shipped[i].name);
}

int view_load(const char *name, struct view **view, struct mer_err *err)
{
	struct mer_file f = { 0 };
	for (size_t i = 0; view_shipped[i].name; i++)
		if (strcmp(view_shipped[i].name, name) == 0) {
			const char *own = view_shipped[i].text;
			int rc = view_parse(own, strlen(own), name, view, err);
			if (rc == 0)
				(*view)->is_shipped = true;
			return rc;
		}
	int rc = mer_file_open(&f, name, err);
	if (rc && !strchr(name, '/') && !strchr(name, '.')) {
		struct mer_str names = { 0 };
		put_names(&names);
		rc = mer_fail(err, MER_ERR_USAGE,
			"no view '%.100s' and no such file; there are: %s", name,
			names.data ? names.data : "none");
		mer_str_fini(&names);
	}
	if (rc)
		return rc;
	const char *text = (const char *)f.data;
	rc = (view_is_xml(text, f.size) ? view_parse_xml : view_parse)(
		text, f.size, name, view, err);
	mer_file_close(&f);
	return rc;
}
