/* The compiler of XML analyses; only for its own files.
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
	const struct xml_node *node; /* element of the analysis */
	struct xml_mapping *mappings;
	struct xml_named_test *tests;
	struct xml_action *actions;
	unsigned nested;
	struct mer_str notes;
	struct mer_err *err;
};

/* Fails with "PATH:LINE:COLUMN: ELEMENT: what about", the line, and a caret. */
int xml_fail(struct compiler *c, const struct xml_node *n, const char *what, const char *about);
/* Notes that the element is not supported and is ignored. */
void xml_note(struct compiler *c, const struct xml_node *n);
/* Allocates zeroed memory in the arena; NULL: no memory, and err is set. */
void *xml_make(struct compiler *c, size_t n, size_t bytes);

int xml_parse_fsm(struct compiler *c, const struct xml_node *n, struct xml_fsm **fsm);
/* The entries of views that show c->program; views of other analyses are checked, too. */
int xml_parse_views(struct compiler *c, const struct xml_node *root);
/* Fails for a file that has only views and so cannot show anything: why, and what to do. */
int xml_fail_without_states(struct compiler *c, const struct xml_node *root);
/* Adds rows for the groups of a callstack element whose pattern is c->program. */
int xml_parse_callstack(struct compiler *c, const struct xml_node *callstack);

#endif
