/* The parser of view files; only for its own files.
 *
 *   parse_text.c  words, names of fields, texts, colours
 *   parse.c       clauses, declarations, the file */
#ifndef MER_VIEWS_PARSE_H
#define MER_VIEWS_PARSE_H

#include "views/view.h"

struct word {
	const char *text;
	size_t len;
	bool is_text; /* was in quotes, which are not part of it */
};

struct parser {
	struct view *out;
	const char *text; /* the whole file */
	size_t len;
	const char *line, *end, *at;
	uint32_t number;
	uint32_t cap_rows, cap_rules, cap_tables, cap_arrows, cap_colours;
	struct mer_err *err;
};

/* Fails with "PATH:LINE:COLUMN: what", the line, and a caret. */
int parse_fail(struct parser *p, const char *at, const char *what);

static inline bool parse_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* At the end of the line the word has length 0 and no text. */
int parse_next_word(struct parser *p, struct word *w);
bool parse_is(struct word w, const char *text);
bool parse_is_end(struct word w);
/* Is it the begin of a clause, or the end of the line? */
bool parse_is_clause(struct word w);
const char *parse_copy(struct parser *p, struct word w);
/* Takes a word that does not begin a clause. */
int parse_need_word(struct parser *p, const char *missing, const char **text);
int parse_path(struct parser *p, const char *at, size_t len, struct trace_path *path);
/* The number of the table with this name, created if needed; UINT32_MAX: too many tables. */
uint32_t parse_table_of(struct parser *p, const char *name, size_t len);
int parse_need_text(struct parser *p, struct view_text *text);
/* Parses a name or #rrggbb; *colour: 0xrrggbb plus 1. */
int parse_colour(struct parser *p, uint32_t *colour);

#endif
