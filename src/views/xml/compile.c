/* Compiles elements to a program: names of fields, locations, tests, actions and states are
 * resolved here. An unsupported element is noted with its line and left out; what would give a
 * wrong result (such as a missing location or state) is an error with its line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/text_place.h"
#include "views/xml/compile.h"

int xml_fail(struct compiler *c, const struct xml_node *n, const char *what, const char *about)
{
	return ctf_place_fail(c->err, MER_ERR_INPUT, c->path, c->text, c->len, n->at, "%s: %s%s%s",
		n->name, what, about ? " " : "", about ? about : "");
}

void xml_note(struct compiler *c, const struct xml_node *n)
{
	enum { MOST = 2000 };
	if (c->notes.len < MOST)
		mer_str_printf(&c->notes, "%s%s:%u:%u: <%s> is not understood and left out",
			c->notes.len ? "\n" : "", c->path, n->line, n->column, n->name);
}

void *xml_make(struct compiler *c, size_t n, size_t bytes)
{
	void *p = mer_arena_zalloc(c->arena, n, bytes);
	if (!p)
		mer_fail_nomem(c->err);
	return p;
}

/* ---- values ---- */

static bool parse_number(const char *text, int64_t *v)
{
	char *end;
	errno = 0;
	*v = strtoll(text, &end, 10);
	return *text && !*end && !errno;
}

static enum xml_type type_of(const char *word)
{
	static const char *const words[] = { [XML_NULL] = "null",
		[XML_INT] = "int",
		[XML_LONG] = "long",
		[XML_DOUBLE] = "double",
		[XML_STRING] = "string" };
	for (unsigned i = XML_NULL; word && i <= XML_STRING; i++)
		if (strcmp(word, words[i]) == 0)
			return (enum xml_type)i;
	return XML_NONE;
}

/* $NAME is the definedValue of that name. */
static const char *defined(struct compiler *c, const char *value)
{
	if (!value || *value != '$')
		return value;
	for (const struct xml_node *n = c->node->first; n; n = n->next) {
		const char *name = xml_is(n, "definedValue") ? xml_get(n, "name") : NULL;
		if (name && strcmp(name, value + 1) == 0)
			return xml_get(n, "value");
	}
	return NULL;
}

static int field_of(struct compiler *c, const struct xml_node *n, const char *name, uint32_t *field)
{
	struct xml_program *p = c->program;
	for (*field = 0; *field < p->n_fields; ++*field)
		if (strcmp(p->fields[*field], name) == 0)
			return 0;
	if (p->n_fields == XML_MAX_FIELDS)
		return xml_fail(c, n, "more than 256 different fields", NULL);
	p->fields[p->n_fields++] = name;
	return 0;
}

static int parse_path(struct compiler *c, const struct xml_node *first, struct xml_path *path);

static int parse_constant(
	struct compiler *c, const struct xml_node *n, enum xml_type type, struct xml_operand *o)
{
	const char *text = defined(c, xml_get(n, "value"));
	char *end;
	o->source = XML_CONSTANT;
	o->constant.type = type;
	if (type == XML_NULL)
		return 0;
	if (!text && xml_get(n, "value"))
		return xml_fail(c, n, "no definedValue has the name", xml_get(n, "value"));
	if (type == XML_STRING) {
		o->constant.s = text ? text : "";
		return 0;
	}
	if (!text)
		return xml_fail(c, n, "a number needs an attribute value", NULL);
	if (type == XML_DOUBLE) {
		o->constant.f = strtod(text, &end);
		return end > text && !*end ? 0 : xml_fail(c, n, "this is no number:", text);
	}
	if (!parse_number(text, &o->constant.i) ||
		(type == XML_INT && (o->constant.i < INT32_MIN || o->constant.i > INT32_MAX)))
		return xml_fail(c, n, "this is no number of its type:", text);
	return 0;
}

static int parse_operand(struct compiler *c, const struct xml_node *n, struct xml_operand *o);

static int parse_script(struct compiler *c, const struct xml_node *n, struct xml_operand *o)
{
	const char *text = xml_get(n, "value");
	uint32_t count = 0;
	o->source = XML_SCRIPT;
	o->script = text ? xml_script_parse(text, c->arena) : NULL;
	if (!o->script)
		return xml_fail(c, n, "only expressions are understood in scripts, not", text);
	for (const struct xml_node *v = n->first; v; v = v->next)
		count++;
	o->variables = xml_make(c, count + 1u, sizeof(*o->variables));
	count = 0;
	for (const struct xml_node *v = n->first; o->variables && v; v = v->next) {
		if (!xml_is(v, "stateValue") || !xml_get(v, "id")) {
			xml_note(c, v);
			continue;
		}
		int rc = parse_operand(c, v, &o->variables[count]);
		if (rc)
			return rc;
		o->variables[count++].id = xml_get(v, "id");
	}
	return o->variables ? 0 : MER_ERR_NOMEM;
}

static int parse_modifiers(struct compiler *c, const struct xml_node *n, struct xml_operand *o)
{
	static const char *const stacks[] = {
		[XML_PUSH] = "push", [XML_POP] = "pop", [XML_PEEK] = "peek"
	};
	const char *stack = xml_get(n, "stack"), *group = xml_get(n, "mappingGroup");
	const char *increment = xml_get(n, "increment"), *update = xml_get(n, "update");
	o->forced = type_of(xml_get(n, "forcedType"));
	o->increment = increment && strcmp(increment, "true") == 0;
	o->update = update && strcmp(update, "true") == 0;
	for (unsigned i = XML_PUSH; stack && i <= XML_PEEK; i++)
		if (strcmp(stack, stacks[i]) == 0)
			o->stack = (enum xml_stack)i;
	if (stack && !o->stack)
		xml_note(c, n);
	for (struct xml_mapping *m = c->mappings; group && m; m = m->next)
		if (strcmp(m->id, group) == 0)
			o->mapping = m;
	return group && !o->mapping ? xml_fail(c, n, "no mappingGroup has the id", group) : 0;
}

/* A stateValue, or anything with the same attributes. */
static int parse_operand(struct compiler *c, const struct xml_node *n, struct xml_operand *o)
{
	const char *word = xml_get(n, "type"), *value = xml_get(n, "value");
	enum xml_type type = type_of(word);
	if (++c->nested > XML_MAX_DEPTH)
		return xml_fail(c, n, "nested too deep", NULL);
	*o = (struct xml_operand){ 0 };
	int rc = parse_modifiers(c, n, o);
	if (rc == 0 && !word)
		rc = xml_fail(c, n, "the attribute type is missing", NULL);
	else if (rc == 0 && (type != XML_NONE || strcmp(word, "delete") == 0))
		rc = o->stack == XML_PEEK && n->first
			     ? 0
			     : parse_constant(c, n, type ? type : XML_NULL, o);
	else if (rc == 0 && strcmp(word, "eventName") == 0)
		o->source = XML_EVENT_NAME;
	else if (rc == 0 && strcmp(word, "eventField") == 0 && value) {
		o->source = XML_FIELD;
		rc = field_of(c, n, value, &o->field);
	} else if (rc == 0 && strcmp(word, "script") == 0)
		rc = parse_script(c, n, o);
	else if (rc == 0 && strcmp(word, "query") != 0)
		rc = xml_fail(c, n, "a value of a type that is not known:", word);
	if (rc == 0 && (!o->source || o->stack == XML_PEEK) && n->first && !o->script) {
		o->source = XML_QUERY;
		o->path = xml_make(c, 1, sizeof(*o->path));
		rc = o->path ? parse_path(c, n->first, o->path) : MER_ERR_NOMEM;
	}
	if (rc == 0 && (!o->source || (o->source == XML_QUERY && !o->path->n)))
		rc = xml_fail(c, n, "a query needs a stateAttribute", NULL);
	c->nested--;
	return rc;
}

/* ---- attributes ---- */

static int add_part(
	struct compiler *c, const struct xml_node *n, struct xml_path *path, struct xml_operand o)
{
	if (path->n == XML_MAX_PARTS)
		return xml_fail(c, n, "more than 16 attributes", NULL);
	path->parts[path->n++] = o;
	return 0;
}

static const struct xml_node *find_location(const struct compiler *c, const char *id)
{
	for (const struct xml_node *n = c->node->first; id && n; n = n->next) {
		const char *own = xml_is(n, "location") ? xml_get(n, "id") : NULL;
		if (own && strcmp(own, id) == 0)
			return n;
	}
	return NULL;
}

static int parse_attribute(struct compiler *c, const struct xml_node *n, struct xml_path *path)
{
	const char *type = xml_get(n, "type"), *value = xml_get(n, "value");
	struct xml_operand o = { 0 };
	int rc = 0;
	if (!type)
		return xml_fail(c, n, "the attribute type is missing", NULL);
	if (strcmp(type, "location") == 0) {
		const struct xml_node *l = find_location(c, value);
		if (!l)
			return xml_fail(c, n, "no location has the id", value ? value : "");
		if (++c->nested > XML_MAX_DEPTH)
			return xml_fail(c, n, "locations that name themselves", NULL);
		for (l = l->first; l && rc == 0; l = l->next)
			rc = xml_is(l, "stateAttribute") ? parse_attribute(c, l, path) : 0;
		c->nested--;
		return rc;
	}
	if (strcmp(type, "null") == 0)
		return 0;
	if (strcmp(type, "constant") == 0) {
		bool own = value && strcmp(value, "#CurrentScenario") == 0;
		const char *text = own ? value : defined(c, value);
		if (!text)
			return xml_fail(c, n, "a constant needs an attribute value", value);
		o.source = own ? XML_SCENARIO : XML_CONSTANT;
		o.constant = (struct xml_value){ .type = XML_STRING, .s = text };
	} else if (strcmp(type, "eventField") == 0 && value) {
		o.source = XML_FIELD;
		rc = field_of(c, n, value, &o.field);
	} else if (strcmp(type, "eventName") == 0) {
		o.source = XML_EVENT_NAME;
	} else if (strcmp(type, "self") == 0) {
		o.source = XML_SELF;
	} else if (strcmp(type, "pool") == 0) {
		o.source = XML_POOL;
	} else if (strcmp(type, "query") == 0) {
		o.source = XML_QUERY;
		o.path = xml_make(c, 1, sizeof(*o.path));
		rc = o.path ? parse_path(c, n->first, o.path) : MER_ERR_NOMEM;
		if (rc == 0 && !o.path->n)
			rc = xml_fail(c, n, "a query needs a stateAttribute", NULL);
	} else {
		rc = xml_fail(c, n, "an attribute of a type that is not known:", type);
	}
	return rc ? rc : add_part(c, n, path, o);
}

/* The stateAttributes among these. */
static int parse_path(struct compiler *c, const struct xml_node *first, struct xml_path *path)
{
	int rc = 0;
	if (++c->nested > XML_MAX_DEPTH)
		return first ? xml_fail(c, first, "nested too deep", NULL)
			     : mer_fail(c->err, MER_ERR_INPUT, "%s: nested too deep", c->path);
	path->parts = xml_make(c, XML_MAX_PARTS, sizeof(*path->parts));
	if (!path->parts)
		return MER_ERR_NOMEM;
	for (; first && rc == 0; first = first->next)
		if (xml_is(first, "stateAttribute"))
			rc = parse_attribute(c, first, path);
	c->nested--;
	return rc;
}

/* ---- tests ---- */

static int parse_test(struct compiler *c, const struct xml_node *n, struct xml_test **test);

static int parse_unit(struct compiler *c, const struct xml_node *n, int64_t *scale)
{
	static const struct {
		const char *word;
		int64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *unit = xml_get(n, "unit");
	*scale = unit ? 0 : 1;
	for (size_t i = 0; unit && i < 4; i++)
		if (strcmp(unit, units[i].word) == 0)
			*scale = units[i].ns;
	return *scale ? 0 : xml_fail(c, n, "the unit is ns, us, ms or s, not", unit);
}

static int parse_time(struct compiler *c, const struct xml_node *n, const char *attribute,
	int64_t scale, int64_t *v)
{
	const char *text = defined(c, xml_get(n, attribute));
	return text && parse_number(text, v) && !__builtin_mul_overflow(*v, scale, v)
		       ? 0
		       : xml_fail(c, n, "a time is missing or no number:", attribute);
}

static int parse_range(struct compiler *c, const struct xml_node *n, struct xml_test *t)
{
	const struct xml_node *in = xml_child(n, "in");
	int64_t scale;
	int rc = parse_unit(c, n, &scale);
	t->kind = XML_TIME_RANGE;
	if (rc == 0 && !in)
		rc = xml_fail(c, n, "only <in> is understood here", NULL);
	if (rc == 0)
		rc = parse_time(c, in, "begin", scale, &t->begin);
	return rc ? rc : parse_time(c, in, "end", scale, &t->end);
}

static int parse_elapsed(struct compiler *c, const struct xml_node *n, struct xml_test *t)
{
	const struct xml_node *less = xml_child(n, "less");
	int64_t scale;
	int rc = parse_unit(c, n, &scale);
	t->kind = XML_ELAPSED;
	if (rc == 0 && (!less || !xml_get(less, "since")))
		rc = xml_fail(c, n, "only <less since value> is understood here", NULL);
	if (rc)
		return rc;
	t->since = xml_get(less, "since");
	return parse_time(c, less, "value", scale, &t->end);
}

/* A field, attributes, or a first stateValue; then the stateValue that it is compared with. */
static int parse_compare(struct compiler *c, const struct xml_node *n, struct xml_test *t)
{
	static const char *const words[] = { "eq", "ne", "ge", "gt", "le", "lt" };
	const char *op = xml_get(n, "operator");
	const struct xml_node *field = xml_child(n, "field"), *values[2] = { NULL, NULL };
	int rc = 0;
	size_t count = 0;
	t->kind = XML_COMPARE;
	for (size_t i = 0; op && i <= 6; i++) {
		if (i == 6)
			return xml_fail(c, n, "the operator is eq, ne, ge, gt, le or lt, not", op);
		if (strcmp(op, words[i]) == 0) {
			t->op = (enum xml_operator)i;
			break;
		}
	}
	for (const struct xml_node *v = n->first; v; v = v->next)
		if (xml_is(v, "stateValue") && count < 2)
			values[count++] = v;
	if (!count)
		return xml_fail(c, n, "a condition needs a stateValue", NULL);
	if (count == 2) {
		rc = parse_operand(c, values[0], &t->left);
	} else if (field) {
		if (!xml_get(field, "name"))
			return xml_fail(c, field, "the attribute name is missing", NULL);
		t->left.source = XML_FIELD;
		rc = field_of(c, field, xml_get(field, "name"), &t->left.field);
	} else {
		t->left.source = XML_QUERY;
		t->left.path = xml_make(c, 1, sizeof(*t->left.path));
		rc = t->left.path ? parse_path(c, n->first, t->left.path) : MER_ERR_NOMEM;
		if (rc == 0 && !t->left.path->n)
			rc = xml_fail(c, n, "a condition needs a field or stateAttributes", NULL);
	}
	return rc ? rc : parse_operand(c, values[count - 1], &t->right);
}

static int parse_operands(
	struct compiler *c, const struct xml_node *n, enum xml_test_kind kind, struct xml_test *t)
{
	struct xml_test **last = &t->first;
	t->kind = kind;
	for (const struct xml_node *o = n->first; o; o = o->next) {
		int rc = parse_test(c, o, last);
		if (rc)
			return rc;
		if (*last)
			last = &(*last)->next;
	}
	return t->first ? 0 : xml_fail(c, n, "it has nothing to look at", NULL);
}

/* *test NULL: it is no test. */
static int parse_test(struct compiler *c, const struct xml_node *n, struct xml_test **test)
{
	const struct xml_node *range = xml_child(n, "timerange");
	const struct xml_node *elapsed = xml_child(n, "elapsedTime");
	struct xml_test *t = xml_make(c, 1, sizeof(*t));
	int rc = t ? 0 : MER_ERR_NOMEM;
	*test = t;
	if (rc || ++c->nested > XML_MAX_DEPTH)
		return rc ? rc : xml_fail(c, n, "nested too deep", NULL);
	if (xml_is(n, "and") || xml_is(n, "if"))
		rc = parse_operands(c, n, XML_AND, t);
	else if (xml_is(n, "or"))
		rc = parse_operands(c, n, XML_OR, t);
	else if (xml_is(n, "not"))
		rc = parse_operands(c, n, XML_NOT, t);
	else if (xml_is(n, "condition"))
		rc = range     ? parse_range(c, range, t)
		     : elapsed ? parse_elapsed(c, elapsed, t)
			       : parse_compare(c, n, t);
	else {
		xml_note(c, n);
		*test = NULL;
	}
	c->nested--;
	return rc;
}

/* ---- changes ---- */

static int parse_change(struct compiler *c, const struct xml_node *n, struct xml_change **change);

/* The contents of <then> or <else>: another condition, or the change itself. */
static int parse_branch(struct compiler *c, const struct xml_node *n, struct xml_change **change)
{
	return n ? parse_change(c, n, change) : 0;
}

static int parse_change(struct compiler *c, const struct xml_node *n, struct xml_change **change)
{
	const struct xml_node *test = xml_child(n, "if"), *value = xml_child(n, "stateValue");
	const struct xml_node *future = xml_child(n, "futureTime");
	struct xml_change *x = xml_make(c, 1, sizeof(*x));
	if (!x || ++c->nested > XML_MAX_DEPTH)
		return x ? xml_fail(c, n, "nested too deep", NULL) : MER_ERR_NOMEM;
	int rc;
	*change = x;
	if (test) {
		if (!xml_child(n, "then"))
			return xml_fail(c, n, "an <if> needs a <then>", NULL);
		rc = parse_test(c, test, &x->test);
		if (rc == 0)
			rc = parse_branch(c, xml_child(n, "then"), &x->then);
		if (rc == 0)
			rc = parse_branch(c, xml_child(n, "else"), &x->otherwise);
		c->nested--;
		return rc;
	}
	if (!value)
		return xml_fail(c, n, "a change needs a stateValue", NULL);
	rc = parse_path(c, n->first, &x->path);
	if (rc == 0 && !x->path.n)
		rc = xml_fail(c, n, "a change needs a stateAttribute", NULL);
	if (rc == 0)
		rc = parse_operand(c, value, &x->value);
	if (rc == 0 && future) {
		x->future = xml_make(c, 1, sizeof(*x->future));
		rc = x->future ? parse_operand(c, future, x->future) : MER_ERR_NOMEM;
	}
	c->nested--;
	return rc;
}

static int parse_segment(struct compiler *c, const struct xml_node *n, struct xml_segment **segment)
{
	const struct xml_node *type = xml_child(n, "segType"), *time = xml_child(n, "segTime");
	const struct xml_node *content = xml_child(n, "segContent");
	const struct xml_node *name = type ? xml_child(type, "segName") : NULL;
	struct xml_segment *s = xml_make(c, 1, sizeof(*s));
	struct xml_segment_field **last;
	int rc = s ? 0 : MER_ERR_NOMEM;
	*segment = s;
	if (rc)
		return rc;
	if (type && xml_get(type, "segName")) {
		s->name.source = XML_CONSTANT;
		s->name.constant =
			(struct xml_value){ .type = XML_STRING, .s = xml_get(type, "segName") };
	} else if (name && xml_child(name, "stateValue")) {
		rc = parse_operand(c, xml_child(name, "stateValue"), &s->name);
	} else {
		rc = xml_fail(c, n, "a segment needs a name", NULL);
	}
	if (rc == 0 && time) {
		const struct {
			const char *word;
			struct xml_operand **to;
		} parts[] = { { "begin", &s->begin }, { "end", &s->end },
			{ "duration", &s->duration } };
		for (size_t i = 0; i < 3 && rc == 0; i++) {
			const struct xml_node *part = xml_child(time, parts[i].word);
			*parts[i].to = part ? xml_make(c, 1, sizeof(struct xml_operand)) : NULL;
			if (part)
				rc = *parts[i].to ? parse_operand(c, part, *parts[i].to)
						  : MER_ERR_NOMEM;
		}
		if (rc == 0 && (!s->begin || !s->end == !s->duration))
			rc = xml_fail(c, time, "it needs begin, and one of end and duration", NULL);
	}
	last = &s->fields;
	for (const struct xml_node *f = content ? content->first : NULL; f && rc == 0;
		f = f->next) {
		struct xml_segment_field *field = xml_make(c, 1, sizeof(*field));
		if (!field)
			return MER_ERR_NOMEM;
		if (!xml_is(f, "segField") || !xml_get(f, "name")) {
			xml_note(c, f);
			continue;
		}
		field->name = xml_get(f, "name");
		field->type = type_of(xml_get(f, "type"));
		const struct xml_node *value = xml_child(f, "stateValue");
		rc = value ? parse_operand(c, value, &field->value)
			   : parse_operand(c, f, &field->value);
		*last = field;
		last = &field->next;
	}
	return rc;
}

static int parse_action(struct compiler *c, const struct xml_node *n)
{
	struct xml_action *a = xml_make(c, 1, sizeof(*a));
	int rc = a ? 0 : MER_ERR_NOMEM;
	if (rc)
		return rc;
	struct xml_step **last = &a->steps;
	a->id = xml_get(n, "id");
	if (!a->id)
		return xml_fail(c, n, "the attribute id is missing", NULL);
	for (const struct xml_node *s = n->first; s && rc == 0; s = s->next) {
		struct xml_step *step = xml_make(c, 1, sizeof(*step));
		if (!step)
			return MER_ERR_NOMEM;
		if (xml_is(s, "stateChange"))
			rc = parse_change(c, s, &step->change);
		else if (xml_is(s, "segment"))
			rc = parse_segment(c, s, &step->segment);
		else {
			xml_note(c, s);
			continue;
		}
		*last = step;
		last = &step->next;
	}
	a->next = c->actions;
	c->actions = a;
	return rc;
}

/* ---- analyses ---- */

static int parse_mappings(struct compiler *c)
{
	for (const struct xml_node *n = c->node->first; n; n = n->next) {
		if (!xml_is(n, "mappingGroup"))
			continue;
		struct xml_mapping *m = xml_make(c, 1, sizeof(*m));
		uint32_t count = 0;
		for (const struct xml_node *e = n->first; e; e = e->next)
			count++;
		if (!m || !(m->pairs = xml_make(c, 2 * (count + 1u), sizeof(*m->pairs))))
			return MER_ERR_NOMEM;
		m->id = xml_get(n, "id");
		if (!m->id)
			return xml_fail(c, n, "the attribute id is missing", NULL);
		for (const struct xml_node *e = n->first; e; e = e->next) {
			const struct xml_node *v = xml_child(e, "stateValue");
			const struct xml_node *to = v ? v->next : NULL;
			while (to && !xml_is(to, "stateValue"))
				to = to->next;
			if (!to)
				return xml_fail(c, e, "an entry needs two stateValues", NULL);
			int rc = parse_operand(c, v, &m->pairs[2 * m->n]);
			if (rc == 0)
				rc = parse_operand(c, to, &m->pairs[2 * m->n + 1]);
			if (rc)
				return rc;
			m->n++;
		}
		m->next = c->mappings;
		c->mappings = m;
	}
	return 0;
}

static int parse_provider(struct compiler *c)
{
	struct xml_handler **last = &c->program->handlers;
	bool after = false;
	for (const struct xml_node *n = c->node->first; n; n = n->next) {
		bool is_handler = xml_is(n, "eventHandler");
		bool more = false;
		for (const struct xml_node *o = n->next; o; o = o->next)
			more |= xml_is(o, "eventHandler");
		if (after && !is_handler && !more)
			return xml_fail(c, n, "nothing may follow the last eventHandler", NULL);
		after |= is_handler;
		if (!is_handler) {
			if (!xml_is(n, "head") && !xml_is(n, "definedValue") &&
				!xml_is(n, "location") && !xml_is(n, "mappingGroup"))
				xml_note(c, n);
			continue;
		}
		struct xml_handler *h = xml_make(c, 1, sizeof(*h));
		if (!h)
			return MER_ERR_NOMEM;
		struct xml_change **change = &h->changes;
		h->event = xml_get(n, "eventName");
		if (!h->event)
			return xml_fail(c, n, "the attribute eventName is missing", NULL);
		for (const struct xml_node *s = n->first; s; s = s->next) {
			if (!xml_is(s, "stateChange")) {
				xml_note(c, s);
				continue;
			}
			int rc = parse_change(c, s, change);
			if (rc)
				return rc;
			change = &(*change)->next;
		}
		*last = h;
		last = &h->next;
	}
	return 0;
}

static bool is_wanted(const char *list, const char *id)
{
	size_t len = strlen(id);
	for (const char *p = list; p && *p; p += strcspn(p, ":") + (p[strcspn(p, ":")] == ':'))
		if (strcspn(p, ":") == len && memcmp(p, id, len) == 0)
			return true;
	return !list;
}

static int parse_pattern(struct compiler *c)
{
	const struct xml_node *handler = xml_child(c->node, "patternHandler");
	struct xml_fsm **last = &c->program->fsms;
	int rc = 0;
	if (!handler)
		return xml_fail(c, c->node, "a pattern needs a patternHandler", NULL);
	for (const struct xml_node *n = c->node->first; n; n = n->next)
		if (!xml_is(n, "head") && !xml_is(n, "definedValue") && !xml_is(n, "location") &&
			!xml_is(n, "mappingGroup") && !xml_is(n, "storedField") &&
			!xml_is(n, "patternHandler"))
			xml_note(c, n);
	for (const struct xml_node *n = handler->first; n && rc == 0; n = n->next)
		if (xml_is(n, "test")) {
			struct xml_named_test *t = xml_make(c, 1, sizeof(*t));
			const struct xml_node *test = xml_child(n, "if");
			if (!t)
				return MER_ERR_NOMEM;
			t->id = xml_get(n, "id");
			if (!t->id || !test)
				return xml_fail(c, n, "a test needs an id and an <if>", NULL);
			rc = parse_test(c, test, &t->test);
			t->next = c->tests;
			c->tests = t;
		} else if (xml_is(n, "action")) {
			rc = parse_action(c, n);
		} else if (!xml_is(n, "fsm")) {
			xml_note(c, n);
		}
	for (const struct xml_node *n = handler->first; n && rc == 0; n = n->next) {
		if (!xml_is(n, "fsm"))
			continue;
		rc = xml_parse_fsm(c, n, last);
		if (rc == 0 && is_wanted(xml_get(handler, "initial"), (*last)->id))
			last = &(*last)->next;
		else
			*last = NULL;
	}
	return rc;
}

static int collect_events(struct compiler *c)
{
	struct xml_program *p = c->program;
	uint32_t n = 0;
	for (int counting = 1; counting >= 0; counting--) {
		if (!counting && !(p->events = xml_make(c, n + 1u, sizeof(*p->events))))
			return MER_ERR_NOMEM;
		for (const struct xml_handler *h = p->handlers; h; h = h->next) {
			if (counting)
				n++;
			else
				p->events[p->n_events++] = h->event;
		}
		for (const struct xml_fsm *f = p->fsms; f; f = f->next)
			for (uint32_t i = 0; i < f->n_states; i++)
				for (const struct xml_transition *t = f->states[i].transitions; t;
					t = t->next) {
					if (counting)
						n++;
					else
						p->events[p->n_events++] =
							t->event ? t->event : "*";
				}
	}
	return 0;
}

static const char *label_of(const struct xml_node *n)
{
	const struct xml_node *head = xml_child(n, "head");
	const struct xml_node *label = head ? xml_child(head, "label") : NULL;
	return label ? xml_get(label, "value") : NULL;
}

static int compile_one(struct compiler *c, const struct xml_node *root, const struct xml_node *n)
{
	struct xml_program *p = xml_make(c, 1, sizeof(*p));
	if (!p)
		return MER_ERR_NOMEM;
	p->fields = xml_make(c, XML_MAX_FIELDS, sizeof(*p->fields));
	if (!p->fields)
		return MER_ERR_NOMEM;
	p->id = xml_get(n, "id");
	p->title = label_of(n);
	p->is_pattern = xml_is(n, "pattern");
	p->node = n;
	if (!p->id)
		return xml_fail(c, n, "the attribute id is missing", NULL);
	c->program = p;
	c->node = n;
	c->mappings = NULL;
	c->tests = NULL;
	c->actions = NULL;
	c->nested = 0;
	int rc = parse_mappings(c);
	if (rc == 0)
		rc = p->is_pattern ? parse_pattern(c) : parse_provider(c);
	if (rc == 0)
		rc = xml_parse_views(c, root);
	return rc ? rc : collect_events(c);
}

int xml_compile(const char *text, size_t len, const char *path, struct mer_arena *arena,
	struct xml_file *file, struct mer_err *err)
{
	struct compiler c = { .arena = arena, .path = path, .text = text, .len = len, .err = err };
	struct xml_program **last = &file->programs;
	struct xml_node *root;
	*file = (struct xml_file){ .notes = "" };
	int rc = xml_read(text, len, path, arena, &root, err);
	if (rc)
		return rc;
	if (!xml_is(root, "tmfxml"))
		return xml_fail(&c, root, "the outermost element must be tmfxml", NULL);
	for (const struct xml_node *n = root->first; n && rc == 0; n = n->next) {
		const struct xml_node *one = n;
		if (xml_is(n, "callstack")) /* a pattern in another element */
			one = xml_child(n, "pattern");
		if (one && (xml_is(one, "stateProvider") || xml_is(one, "pattern"))) {
			rc = compile_one(&c, root, one);
			if (rc == 0 && one != n)
				rc = xml_parse_callstack(&c, n);
			if (rc == 0) {
				*last = c.program;
				last = &c.program->next;
			}
		} else if (!xml_is(n, "timeGraphView") && !xml_is(n, "xyView")) {
			xml_note(&c, n);
		}
	}
	if (rc == 0 && !file->programs) { /* only views: errors in them are reported first */
		c.program = xml_make(&c, 1, sizeof(*c.program));
		if (c.program)
			c.program->id = "";
		c.node = root;
		rc = c.program ? xml_parse_views(&c, root) : MER_ERR_NOMEM;
	}
	if (rc == 0 && !file->programs)
		rc = xml_fail_without_states(&c, root);
	if (rc == 0 && c.notes.len)
		file->notes = mer_arena_strdup(arena, c.notes.data);
	if (rc == 0 && (c.notes.failed || !file->notes))
		rc = mer_fail_nomem(err);
	mer_str_fini(&c.notes);
	return rc;
}
