#include "views/xml/dom.h"

#include <string.h>

const char *xml_get(const struct xml_node *n, const char *attribute)
{
	for (const struct xml_attribute *a = n->attributes; a && a->name; a++)
		if (strcmp(a->name, attribute) == 0)
			return a->value;
	return NULL;
}

bool xml_is(const struct xml_node *n, const char *name)
{
	return strcmp(n->name, name) == 0;
}

const struct xml_node *xml_child(const struct xml_node *n, const char *name)
{
	const struct xml_node *c = n->first;
	while (c && !xml_is(c, name))
		c = c->next;
	return c;
}

#ifdef MER_HAS_EXPAT
#include <expat.h>

#include "ctf/text_place.h"

struct reader {
	XML_Parser parser;
	struct mer_arena *arena;
	struct xml_node *root, *at, *last[XML_MAX_DEPTH + 1]; /* last: child by depth */
	unsigned depth;
	const char *wrong; /* NULL: nothing is */
	size_t wrong_at;
	bool no_memory;
};

/* Newer versions of expat have these for files of any size, and warn of the others. */
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 209
#define PLACE(what, parser) XML_GetCurrent##what##64(parser)
#else
#define PLACE(what, parser) XML_GetCurrent##what(parser)
#endif

/* Where the parser is in the file. */
static size_t at_now(const struct reader *r)
{
	int64_t at = PLACE(ByteIndex, r->parser);
	return at < 0 ? 0 : (size_t)at;
}

static void stop(struct reader *r, const char *why)
{
	if (!r->wrong) {
		r->wrong = why;
		r->wrong_at = at_now(r);
	}
	XML_StopParser(r->parser, XML_FALSE);
}

static void on_start(void *ctx, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *r = ctx;
	size_t n = 0;
	while (attributes[2 * n])
		n++;
	if (r->wrong || r->no_memory)
		return;
	if (r->depth == XML_MAX_DEPTH) {
		stop(r, "elements are nested more than 60 deep");
		return;
	}
	struct xml_node *node = mer_arena_zalloc(r->arena, 1, sizeof(*node));
	struct xml_attribute *a = mer_arena_zalloc(r->arena, n + 1, sizeof(*a));
	if (node && a) {
		node->name = mer_arena_strdup(r->arena, name);
		for (size_t i = 0; i < n; i++)
			a[i] = (struct xml_attribute){ mer_arena_strdup(
							       r->arena, attributes[2 * i]),
				mer_arena_strdup(r->arena, attributes[2 * i + 1]) };
	}
	if (!node || !a || r->arena->failed) {
		r->no_memory = true;
		XML_StopParser(r->parser, XML_FALSE);
		return;
	}
	node->attributes = a;
	node->parent = r->at;
	node->line = (unsigned)PLACE(LineNumber, r->parser);
	node->column = (unsigned)PLACE(ColumnNumber, r->parser) + 1;
	node->at = at_now(r);
	if (!r->at)
		r->root = node;
	else
		*(r->last[r->depth] ? &r->last[r->depth]->next : &r->at->first) = node;
	r->last[r->depth++] = node;
	r->last[r->depth] = NULL;
	r->at = node;
}

static void on_end(void *ctx, const XML_Char *name)
{
	struct reader *r = ctx;
	(void)name;
	if (r->at && !r->wrong && !r->no_memory) {
		r->at = r->at->parent;
		r->depth--;
	}
}

static void on_doctype(void *ctx, const XML_Char *name, const XML_Char *system_id,
	const XML_Char *public_id, int has_subset)
{
	(void)name;
	(void)system_id;
	(void)public_id;
	(void)has_subset;
	stop(ctx, "a document type: files with one are not read");
}

int xml_read(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct xml_node **root, struct mer_err *err)
{
	struct reader r = { .parser = XML_ParserCreate(NULL), .arena = arena };
	if (!r.parser)
		return mer_fail_nomem(err);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_start, on_end);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	enum XML_Status status = XML_Parse(r.parser, text, (int)len, XML_TRUE);
	int rc = 0;
	if (r.no_memory || XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY)
		rc = mer_fail_nomem(err);
	else if (r.wrong)
		rc = ctf_place_fail(err, MER_ERR_INPUT, path, text, len, r.wrong_at, "%s", r.wrong);
	else if (status != XML_STATUS_OK)
		rc = ctf_place_fail(err, MER_ERR_INPUT, path, text, len, at_now(&r),
			"this is no well-formed XML: %s",
			XML_ErrorString(XML_GetErrorCode(r.parser)));
	XML_ParserFree(r.parser);
	*root = r.root;
	return rc;
}
#else
int xml_read(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct xml_node **root, struct mer_err *err)
{
	(void)text;
	(void)len;
	(void)arena;
	*root = NULL;
	return mer_fail(err, MER_ERR_USAGE,
		"%s: this build of meridian reads no XML: expat was not there (Debian: libexpat1-dev)",
		path);
}
#endif
