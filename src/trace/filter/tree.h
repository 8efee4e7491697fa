/* The filter's expression as a tree, as the parser leaves it. Immutable. */
#ifndef MER_TRACE_FILTER_TREE_H
#define MER_TRACE_FILTER_TREE_H

#include "trace/filter/filter.h"
#include "trace/filter/pattern.h"
#include "trace/path.h"

enum filter_node_kind { FILTER_ALL_OF, FILTER_ANY_OF, FILTER_NOT_SO, FILTER_COMPARE, FILTER_HAS };

enum filter_what {
	FILTER_THE_NUMBER,
	FILTER_THE_TEXT,
	FILTER_THE_FIELD,
	FILTER_THE_LENGTH,
	FILTER_THE_NAME,
	FILTER_THE_TIME,
	FILTER_THE_HOST, /* from here on: values that the stream determines */
	FILTER_THE_DOMAIN,
	FILTER_THE_CPU,
	FILTER_THE_STREAM,
	FILTER_THE_TRACE
};

/* Comparisons; values other than numbers are compared byte by byte. */
enum filter_op {
	FILTER_OP_EQ,
	FILTER_OP_NE,
	FILTER_OP_LT,
	FILTER_OP_LE,
	FILTER_OP_GT,
	FILTER_OP_GE
};

struct filter_operand {
	enum filter_what what;
	struct trace_path path; /* field, length */
	/* A constant number; a whole number is stored as integer, even if written 1.0. */
	bool is_real;
	__int128 integer;
	double real;
	const char *text; /* a constant text */
	size_t len;
};

struct filter_node {
	enum filter_node_kind kind;
	uint32_t n; /* children; 1 for FILTER_NOT_SO */
	struct filter_node **children;
	/* FILTER_COMPARE, FILTER_HAS (left only). A constant is always on the right. */
	enum filter_op op;
	struct filter_operand left, right;
	struct filter_pattern *pattern; /* right is text and op is EQ or NE: what left must fit */
	uint32_t number;		/* 0 .. n_comparisons - 1 */
};

struct trace_filter {
	struct mer_arena arena;
	struct filter_node *root;
	struct filter_node **comparisons; /* and FILTER_HAS */
	uint32_t n_comparisons;
};

#endif
