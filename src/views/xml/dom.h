/* The elements of an XML file with their positions, read by expat, which is optional in a build.
 * Document types and entities are rejected, so a small file cannot expand to a large one. */
#ifndef MER_VIEWS_XML_DOM_H
#define MER_VIEWS_XML_DOM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

enum { XML_MAX_DEPTH = 60 };

struct xml_attribute {
	const char *name, *value;
};

struct xml_node {
	const char *name;
	struct xml_attribute *attributes; /* ends with {0} */
	struct xml_node *first, *next, *parent;
	unsigned line, column; /* counted from 1 */
	size_t at;	       /* offset of its < in the file */
};

/* path: used in error messages: "PATH:LINE:COLUMN: ...", the line, and a caret. Nodes are
 * allocated in the arena. */
int xml_read(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct xml_node **root, struct mer_err *err);
/* NULL: the element does not have the attribute. */
const char *xml_get(const struct xml_node *n, const char *attribute);
bool xml_is(const struct xml_node *n, const char *name);
/* The first child with that name; NULL: none. */
const struct xml_node *xml_child(const struct xml_node *n, const char *name);

#endif
