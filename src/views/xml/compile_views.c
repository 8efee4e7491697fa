/* Entries of timeGraphView and xyView: paths of attributes that are rows. */
#include <string.h>

#include "base/plural.h"
#include "views/xml/compile.h"

static int add_parts(struct compiler *c, const struct xml_node *at, const char **parts, uint32_t *n,
	const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		if (*n == XML_MAX_PARTS)
			return xml_fail(c, at, "a path has at most 16 parts", NULL);
		parts[*n] = mer_arena_strndup(c->arena, path, len);
		if (!parts[(*n)++])
			return mer_fail_nomem(c->err);
		path += len + (path[len] == '/');
	}
	return 0;
}

static int parse_entry(struct compiler *c, const struct xml_node *n, const struct xml_node *view,
	const char *const *before, uint32_t n_before, struct xml_entry ***last)
{
	const char *path = xml_get(n, "path");
	const struct xml_node *display = NULL;
	const char **parts = xml_make(c, XML_MAX_PARTS + 2, sizeof(*parts));
	uint32_t count = n_before;
	if (!parts || ++c->nested > XML_MAX_DEPTH)
		return parts ? xml_fail(c, n, "nested too deep", NULL) : MER_ERR_NOMEM;
	if (!path)
		return xml_fail(c, n, "the attribute path is missing", NULL);
	for (const struct xml_node *d = n->first; d; d = d->next)
		if (xml_is(d, "display")) {
			if (display)
				return xml_fail(c, d, "an entry has at most one display", NULL);
			display = d;
		}
	if (n_before)
		memcpy(parts, before, n_before * sizeof(*parts));
	int rc = add_parts(c, n, parts, &count, path);
	if (rc)
		return rc;
	if (display && count) {
		struct xml_entry *e = xml_make(c, 1, sizeof(*e));
		const char *type = xml_get(display, "type"), *value = xml_get(display, "value");
		if (!e)
			return MER_ERR_NOMEM;
		*e = (struct xml_entry){ .parts = parts,
			.n = count,
			.n_label = count,
			.is_xy = xml_is(view, "xyView"),
			.view = view };
		if (type && strcmp(type, "constant") == 0 && value) {
			const char **more = xml_make(c, count + 1u, sizeof(*more));
			if (!more)
				return MER_ERR_NOMEM;
			memcpy(more, parts, count * sizeof(*more));
			more[e->n++] = value;
			e->parts = more;
		} else if (!type || strcmp(type, "self") != 0) {
			xml_note(c, display);
		}
		**last = e;
		*last = &e->next;
	}
	for (const struct xml_node *s = n->first; s && rc == 0; s = s->next) {
		if (xml_is(s, "entry"))
			rc = parse_entry(c, s, view, parts, count, last);
		else if (!xml_is(s, "display") && !xml_is(s, "name") && !xml_is(s, "parent") &&
			 !xml_is(s, "id"))
			xml_note(c, s);
	}
	c->nested--;
	return rc;
}

static bool shows(const struct xml_node *view, const char *id)
{
	const struct xml_node *head = xml_child(view, "head");
	for (const struct xml_node *a = head ? head->first : NULL; a; a = a->next)
		if (xml_is(a, "analysis") && xml_get(a, "id") && strcmp(xml_get(a, "id"), id) == 0)
			return true;
	return false;
}

int xml_parse_views(struct compiler *c, const struct xml_node *root)
{
	struct xml_entry **last = &c->program->entries;
	int rc = 0;
	for (const struct xml_node *v = root->first; v && rc == 0; v = v->next) {
		bool is_xy = xml_is(v, "xyView");
		unsigned entries = 0;
		if (!is_xy && !xml_is(v, "timeGraphView"))
			continue;
		for (const struct xml_node *e = v->first; e && rc == 0; e = e->next) {
			if (!xml_is(e, "entry")) {
				if (!xml_is(e, "head") && !xml_is(e, "definedValue"))
					xml_note(c, e);
				continue;
			}
			if (is_xy && entries++)
				rc = xml_fail(c, e, "an xyView has at most one entry", NULL);
			else if (shows(v, c->program->id))
				rc = parse_entry(c, e, v, NULL, 0, &last);
			else { /* of another analysis: checked all the same */
				struct xml_entry *none = NULL, **end = &none;
				rc = parse_entry(c, e, v, NULL, 0, &end);
			}
		}
	}
	return rc;
}

/* The levels of a group lead to the attributes that have a call stack, in their child CallStack:
 * each depth of it is a row. */
static int parse_group(struct compiler *c, const struct xml_node *group)
{
	struct xml_entry *e = xml_make(c, 1, sizeof(*e)), **last = &c->program->entries;
	const char **parts = xml_make(c, XML_MAX_PARTS + 2, sizeof(*parts));
	uint32_t n = 0;
	int rc = e && parts ? 0 : MER_ERR_NOMEM;
	for (const struct xml_node *l = group->first; l && rc == 0; l = l->next) {
		const char *path = xml_is(l, "level") ? xml_get(l, "path") : NULL;
		if (!xml_is(l, "level"))
			xml_note(c, l);
		else
			rc = path ? add_parts(c, l, parts, &n, path)
				  : xml_fail(c, l, "the attribute path is missing", NULL);
	}
	if (rc == 0)
		rc = add_parts(c, group, parts, &n, "CallStack/*");
	if (rc)
		return rc;
	*e = (struct xml_entry){ .parts = parts, .n = n, .n_label = n, .view = group };
	while (*last)
		last = &(*last)->next;
	*last = e;
	return 0;
}

int xml_parse_callstack(struct compiler *c, const struct xml_node *callstack)
{
	int rc = 0;
	for (const struct xml_node *n = callstack->first; n && rc == 0; n = n->next) {
		if (xml_is(n, "callstackGroup"))
			rc = parse_group(c, n);
		else if (!xml_is(n, "pattern"))
			xml_note(c, n);
	}
	return rc;
}

/* ---- Nothing to show ---- */

/* The analyses that a view's head names, as far as they are not listed yet. */
static void list_analyses(const struct xml_node *view, struct mer_str *all, bool *is_own)
{
	const struct xml_node *head = xml_child(view, "head");
	for (const struct xml_node *n = head ? head->first : NULL; n; n = n->next) {
		const char *id = xml_is(n, "analysis") ? xml_get(n, "id") : NULL;
		if (!id || (all->len && strstr(all->data, id)))
			continue;
		mer_str_printf(all, "%s%.100s", all->len ? ", " : "", id);
		*is_own &= strncmp(id, "org.eclipse.", 12) == 0;
	}
}

int xml_fail_without_states(struct compiler *c, const struct xml_node *root)
{
	struct mer_str views = { 0 }, analyses = { 0 };
	bool is_own = true; /* all analyses are parts of Trace Compass */
	unsigned n = 0;
	for (const struct xml_node *v = root->first; v; v = v->next)
		if (xml_is(v, "timeGraphView") || xml_is(v, "xyView")) {
			const char *id = xml_get(v, "id");
			mer_str_printf(&views, "%s%.60s", n++ ? ", " : "", id ? id : "?");
			list_analyses(v, &analyses, &is_own);
		}
	is_own &= analyses.len > 0;
	int rc =
		n ? mer_fail(c->err, MER_ERR_INPUT,
			    "%.300s%s%.100s: %u %s (%.300s) and no states to show%s%.200s%s",
			    c->notes.len ? c->notes.data : "", c->notes.len ? "; " : "", c->path, n,
			    mer_plural(n, "view", "views"), views.data ? views.data : "",
			    analyses.len ? ": they are made by " : "",
			    analyses.len ? analyses.data : "",
			    is_own ? ", which is a part of Trace Compass. What threads, CPUs and disks did is shown without a view: 'meridian serve' or 'meridian tui'"
				   : ". Copy the stateProvider or pattern that makes them of events from the file that has it into this one")
		  : mer_fail(c->err, MER_ERR_INPUT,
			    c->notes.len ? "%.500s; no stateProvider and no pattern is declared"
					 : "%s: no stateProvider and no pattern is declared",
			    c->notes.len ? c->notes.data : c->path);
	mer_str_fini(&views);
	mer_str_fini(&analyses);
	return rc;
}
