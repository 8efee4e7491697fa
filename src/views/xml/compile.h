/* The compiler of XML analyses, for its files alone.
 *
 *   compile.c        values, attributes, tests, changes, segments, actions; the file as a whole
 *   compile_fsm.c    FSMs: states and transitions
 *   compile_views.c  entries of views: which attributes are rows */
#ifndef MER_VIEWS_XML_COMPILE_H
#define MER_VIEWS_XML_COMPILE_H

#include "base/str.h"
#include "views/xml/program.h"

struct compiler {
	struct mer_arena *arena;
	const char *path, *text; /* of the file */
	size_t len;
	struct xml_program *program;
	const struct xml_node *node; /* of the analysis */
	struct xml_mapping *mappings;
	struct xml_named_test *tests;
	struct xml_action *actions;
	unsigned nested;
	struct mer_str notes;
	struct mer_err *err;
};

/* "PATH:LINE:COLUMN: ELEMENT: what about", the line, and a caret. */
int xml_fail(struct compiler *c, const struct xml_node *n, const char *what, const char *about);
/* The element is not understood, and left out. */
void xml_note(struct compiler *c, const struct xml_node *n);
/* Zeroed, in the arena; NULL: no memory, and err says so. */
void *xml_make(struct compiler *c, size_t n, size_t bytes);

int xml_parse_fsm(struct compiler *c, const struct xml_node *n, struct xml_fsm **fsm);
/* The entries of the views that show c->program; those of others are looked at all the same. */
int xml_parse_views(struct compiler *c, const struct xml_node *root);
/* A file with views alone cannot show anything: why, and what to do. */
int xml_fail_without_states(struct compiler *c, const struct xml_node *root);
/* Rows of the groups of a callstack element, whose pattern is c->program. */
int xml_parse_callstack(struct compiler *c, const struct xml_node *callstack);

#endif
