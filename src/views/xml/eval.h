/* The evaluator of a program: attributes with their current values, scenarios of FSMs, pending
 * changes. It keeps no history; a caller that needs one records each change.
 *
 * Order: changes are made in the order of the file, and each sees the results of earlier ones.
 * In a consuming FSM the first scenario that takes a transition ends the event. docs/views.md
 * has the rules. */
#ifndef MER_VIEWS_XML_EVAL_H
#define MER_VIEWS_XML_EVAL_H

#include "base/map.h"
#include "views/xml/program.h"

enum { XML_MAX_ATTRIBUTES = 1000000, XML_MAX_SCENARIOS = 100000, XML_MAX_FUTURE = 1000000 };

struct xml_event {
	int64_t ts;
	const char *name; /* interned for the whole reading: same class, same pointer */
	const char *host;
	void *ctx;
	/* Returns the value of a field of the program; XML_NULL: the event does not have it.
	 * Texts are valid as long as the event. */
	struct xml_value (*field)(void *ctx, uint32_t field);
};

struct xml_attribute_of {
	uint32_t parent, name; /* name: index in texts; the root is 0 */
	uint32_t first, next;  /* first child, and next sibling */
	struct xml_value value;
};

struct xml_sink {
	void *ctx;
	/* Called when the attribute gets this value from t on; is_update: it replaces the last
	 * change. */
	int (*change)(void *ctx, uint32_t attribute, int64_t t, const struct xml_value *value,
		bool is_update);
	int (*segment)(void *ctx, int64_t begin, int64_t end, const char *name,
		const struct xml_segment *segment);
};

struct xml_scenario;
struct xml_future {
	int64_t t;
	uint64_t number; /* order of changes with equal times */
	uint32_t attribute;
	struct xml_value value;
	enum xml_stack stack;
	bool increment;
};

struct xml_eval {
	const struct xml_program *program;
	struct mer_arena arena;
	struct mer_intern texts;
	struct xml_attribute_of *attributes; /* malloc'ed */
	size_t n, cap;
	struct mer_map child_of; /* parent << 32 | name -> attribute, plus 1 */
	struct xml_scenario *scenarios, **last;
	uint32_t n_scenarios, n_made;
	/* by FSM with multiple="false": its only scenario has been created */
	bool *is_done;
	struct xml_future *future; /* a heap, earliest time on top */
	size_t n_future, cap_future;
	uint64_t n_futures;
	int64_t last_time;
	struct xml_sink sink;
	struct mer_err *err;
};

int xml_eval_init(struct xml_eval *x, const struct xml_program *p, const struct xml_sink *sink,
	struct mer_err *err);
int xml_eval_event(struct xml_eval *x, const struct xml_event *ev);
/* Makes the pending changes up to t. */
int xml_eval_until(struct xml_eval *x, int64_t t);
void xml_eval_fini(struct xml_eval *x);

static inline const char *xml_attribute_name(const struct xml_eval *x, uint32_t attribute)
{
	return mer_intern_text(&x->texts, x->attributes[attribute].name);
}
/* The index of the attribute with this path; UINT32_MAX: there is none. */
uint32_t xml_attribute_at(const struct xml_eval *x, const char *const *path, size_t n);
/* Appends the value as text for display. */
struct mer_str;
void xml_put_value(struct mer_str *out, const struct xml_value *v);

#endif
