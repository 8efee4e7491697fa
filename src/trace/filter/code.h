/* The filter compiled for the event record classes of a reading: each class has a chain of tests,
 * and each test names the next test for true and for false. && and || become these jumps only;
 * parts that the class alone decides need no test. */
#ifndef MER_TRACE_FILTER_CODE_H
#define MER_TRACE_FILTER_CODE_H

#include "trace/filter/tree.h"

enum { FILTER_NO = UINT32_MAX - 1, FILTER_YES = UINT32_MAX }; /* results, in place of a next test */

enum filter_test {
	FILTER_IN_RANGE, /* slot, one range */
	FILTER_IN_SET,	 /* slot, several ranges */
	FILTER_ANY_BIT,	 /* slot, mask */
	FILTER_TEXT_FITS,
	FILTER_TIME_IN_RANGE,
	FILTER_ON_STREAM,
	FILTER_SLOWLY /* everything else */
};

struct filter_range { /* first <= v <= first + span, modulo 2^64: for signed numbers, too */
	uint64_t first, span;
};

struct filter_set { /* ranges of v ^ flip: ascending, not adjacent */
	uint64_t flip;
	uint32_t n;
	struct ctf_range *ranges;
};

struct filter_source {
	const struct filter_operand *operand;
	struct trace_place place; /* field, length */
};

struct filter_slow {
	const struct filter_node *node;
	struct filter_source left, right;
};

struct filter_step {
	uint8_t test; /* enum filter_test */
	/* negate: FILTER_TIME_IN_RANGE only, others swap on[0] and on[1] */
	bool in_context, negate;
	uint32_t slot;
	uint32_t on[2]; /* next test if false, if true */
	union {
		struct filter_range range;
		const struct filter_set *set;
		uint64_t mask;
		const struct filter_pattern *pattern;
		const bool *streams;
		const struct filter_slow *slow;
	} u;
};

struct trace_bound_filter {
	struct mer_arena arena;
	const struct mer_experiment *e;
	struct filter_step *steps; /* malloc'ed */
	uint32_t n, cap;
	uint32_t *entry;      /* by ctf_plan.id */
	const bool **streams; /* by number of the comparison: is it true for the stream? */
};

/* A value of any kind. */
enum filter_value_kind {
	FILTER_VALUE_NONE,
	FILTER_VALUE_INT,
	FILTER_VALUE_REAL,
	FILTER_VALUE_TEXT,
	FILTER_VALUE_OTHER
};

struct filter_value {
	enum filter_value_kind kind;
	bool is_single; /* a real of 32 bits or less: compares as such */
	bool has_text;	/* an integer that may also be compared as text */
	__int128 integer;
	double real;
	uint64_t n;		 /* OTHER: elements or bytes */
	const struct ctf_fc *fc; /* of a field, else NULL */
	const char *text;
	size_t len;
	char *owned; /* to be freed */
};

/* A value that the event's stream determines: host, cpu, ... */
void filter_stream_value(const struct mer_experiment *e, enum filter_what what, uint32_t stream,
	struct filter_value *v);
bool filter_has(const struct filter_value *v);
bool filter_compare(const struct filter_node *node, const struct filter_value *left,
	const struct filter_value *right);
/* Compares with the constant on the node's right side. */
bool filter_compare_constant(const struct filter_node *node, const struct filter_value *left);
bool filter_has_labels(const struct ctf_fc *fc);
static inline bool filter_is_constant(const struct filter_operand *o)
{
	return o->what == FILTER_THE_NUMBER || o->what == FILTER_THE_TEXT;
}

#endif
