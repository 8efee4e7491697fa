/* Compiles the filter's tree to tests for each event record class; without a reading, finds whether
 * the class alone decides the result. Both are the same walk: see emit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/nearest.h"
#include "trace/filter/code.h"

struct emitter {
	struct trace_bound_filter *b; /* NULL: nothing is made, only the answer counts */
	const struct ctf_stream_class *sc;
	const struct ctf_event_class *ec;
	const struct ctf_plan *plan; /* NULL as b */
	bool contexts;
	uint32_t n_dry; /* tests that would have been made */
	int rc;
	struct mer_err *err;
};

/* Where matching continues: numbers of tests, FILTER_YES or FILTER_NO. */
struct ways {
	uint32_t yes, no;
};

static struct ways swapped(struct ways w)
{
	return (struct ways){ w.no, w.yes };
}

static uint32_t out_of_memory(struct emitter *m)
{
	if (m->rc == 0)
		m->rc = mer_fail_nomem(m->err);
	return FILTER_NO;
}

static uint32_t add(struct emitter *m, struct filter_step step, struct ways w)
{
	struct trace_bound_filter *b = m->b;
	if (w.yes == w.no || m->rc)
		return w.yes;
	if (!b)
		return m->n_dry++;
	if (!mer_grow32(&b->steps, b->n, &b->cap, sizeof(*b->steps)))
		return out_of_memory(m);
	step.on[0] = w.no;
	step.on[1] = w.yes;
	b->steps[b->n] = step;
	return b->n++;
}

/* ---- numbers ---- */

enum extent { NEVER, ALWAYS, SOMETIMES };

/* The integers from min to max for which "v op o" holds; op is not NE. */
static enum extent extent_of(enum filter_op op, const struct filter_operand *o, __int128 min,
	__int128 max, struct filter_range *r)
{
	__int128 lo = min, hi = max, below, above; /* the constant lies in [below, above] */
	if (o->is_real && !(fabs(o->real) < 0x1p70)) {
		below = above = o->real > 0 ? max + 1 : min - 1;
	} else if (o->is_real) {
		below = (__int128)floor(o->real);
		above = (__int128)ceil(o->real);
	} else {
		below = above = o->integer;
	}
	switch (op) {
	case FILTER_OP_LT: hi = above - 1; break;
	case FILTER_OP_LE: hi = below; break;
	case FILTER_OP_GT: lo = below + 1; break;
	case FILTER_OP_GE: lo = above; break;
	default:
		lo = above; /* a fraction lies between them: above > below, nothing holds */
		hi = below;
	}
	lo = lo < min ? min : lo;
	hi = hi > max ? max : hi;
	if (lo > hi)
		return NEVER;
	if (lo == min && hi == max)
		return ALWAYS;
	*r = (struct filter_range){ (uint64_t)lo, (uint64_t)(hi - lo) };
	return SOMETIMES;
}

static uint32_t emit_extent(
	struct emitter *m, enum extent e, struct filter_step step, struct ways w)
{
	return e == NEVER ? w.no : e == ALWAYS ? w.yes : add(m, step, w);
}

/* Compares a number in the step's slot with a constant. */
static uint32_t emit_integer(struct emitter *m, struct filter_step step, bool is_signed,
	const struct filter_node *node, struct ways w)
{
	enum filter_op op = node->op;
	if (op == FILTER_OP_NE) {
		op = FILTER_OP_EQ;
		w = swapped(w);
	}
	step.test = FILTER_IN_RANGE;
	enum extent e = extent_of(op, &node->right, is_signed ? INT64_MIN : 0,
		is_signed ? INT64_MAX : UINT64_MAX, &step.u.range);
	return emit_extent(m, e, step, w);
}

static uint32_t emit_not_zero(struct emitter *m, struct filter_step step, struct ways w)
{
	step.test = FILTER_IN_RANGE;
	step.u.range = (struct filter_range){ 0, 0 };
	return add(m, step, swapped(w));
}

static uint32_t emit_bool(
	struct emitter *m, struct filter_step step, const struct filter_node *node, struct ways w)
{
	struct filter_value v = { .kind = FILTER_VALUE_INT };
	bool no = filter_compare_constant(node, &v);
	v.integer = 1;
	bool yes = filter_compare_constant(node, &v);
	if (no == yes)
		return yes ? w.yes : w.no;
	return emit_not_zero(m, step, yes ? w : swapped(w));
}

static uint32_t emit_time(struct emitter *m, const struct filter_node *node, struct ways w)
{
	struct filter_step step = { .test = FILTER_TIME_IN_RANGE };
	struct filter_operand zero = { .what = FILTER_THE_NUMBER };
	bool has = node->kind == FILTER_HAS;
	enum filter_op op = has ? FILTER_OP_NE : node->op;
	step.negate = op == FILTER_OP_NE;
	enum extent e = extent_of(step.negate ? FILTER_OP_EQ : op, has ? &zero : &node->right,
		INT64_MIN, INT64_MAX, &step.u.range);
	if (e == (step.negate ? ALWAYS : NEVER))
		return w.no;
	if (e != SOMETIMES) { /* whenever there is a time */
		step.negate = false;
		step.u.range = (struct filter_range){ 0, UINT64_MAX };
	}
	return add(m, step, w);
}

/* ---- labels ---- */

static int by_lo(const void *a, const void *b)
{
	const struct ctf_range *x = a, *y = b;
	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* The values whose labels fit, each once, in order. False: out of memory. */
static bool set_of_labels(struct emitter *m, const struct filter_pattern *p,
	const struct ctf_fc *fc, struct filter_set *set)
{
	size_t n = 0, cap = 0;
	struct ctf_range *r = NULL;
	set->flip = fc->u.bits.is_signed ? (uint64_t)1 << 63 : 0;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < fc->u.bits.n_mappings; i++) {
			const struct ctf_mapping *map = &fc->u.bits.mappings[i];
			if (!filter_pattern_fits(p, map->label, strlen(map->label)))
				continue;
			cap += map->n_ranges;
			for (uint32_t k = 0; r && k < map->n_ranges; k++, n++)
				r[n] = (struct ctf_range){ map->ranges[k].lo ^ set->flip,
					map->ranges[k].hi ^ set->flip };
		}
		if (!r && cap && !(r = mer_arena_zalloc(&m->b->arena, cap, sizeof(*r))))
			return false;
	}
	if (n)
		qsort(r, n, sizeof(*r), by_lo);
	uint32_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		bool joins =
			kept && (r[kept - 1].hi == UINT64_MAX || r[i].lo <= r[kept - 1].hi + 1);
		if (!joins)
			r[kept++] = r[i];
		else if (r[i].hi > r[kept - 1].hi)
			r[kept - 1].hi = r[i].hi;
	}
	set->ranges = r;
	set->n = kept;
	return true;
}

static uint64_t mask_of_labels(const struct filter_pattern *p, const struct ctf_fc *fc)
{
	uint64_t mask = 0;
	for (uint32_t i = 0; i < fc->u.bits.n_mappings; i++) {
		const struct ctf_mapping *map = &fc->u.bits.mappings[i];
		if (!filter_pattern_fits(p, map->label, strlen(map->label)))
			continue;
		for (uint32_t k = 0; k < map->n_ranges; k++)
			for (uint64_t bit = map->ranges[k].lo; bit <= map->ranges[k].hi && bit < 64;
				bit++)
				mask |= (uint64_t)1 << bit;
	}
	return mask;
}

static uint32_t emit_labels(struct emitter *m, struct filter_step step, const struct ctf_fc *fc,
	const struct filter_node *node, struct ways w)
{
	if (!node->pattern || !filter_has_labels(fc))
		return w.no;
	if (node->op == FILTER_OP_NE)
		w = swapped(w);
	if (fc->kind == CTF_BIT_MAP) {
		step.test = FILTER_ANY_BIT;
		step.u.mask = mask_of_labels(node->pattern, fc);
		return step.u.mask ? add(m, step, w) : w.no;
	}
	if (!m->b)
		return add(m, step, w);
	struct filter_set *set = mer_arena_zalloc(&m->b->arena, 1, sizeof(*set));
	if (!set || !set_of_labels(m, node->pattern, fc, set))
		return out_of_memory(m);
	if (set->n == 0)
		return w.no;
	step.test = FILTER_IN_SET;
	step.u.set = set;
	if (set->n == 1) {
		const struct ctf_range *r = set->ranges;
		if (r->hi - r->lo == UINT64_MAX)
			return w.yes;
		step.test = FILTER_IN_RANGE;
		step.u.range = (struct filter_range){ r->lo ^ set->flip, r->hi - r->lo };
	}
	return add(m, step, w);
}

/* ---- fields ---- */

/* False: events of this class do not have it (or m->rc says what went wrong). */
static bool find(struct emitter *m, const struct filter_operand *o, struct trace_place *place)
{
	switch (trace_path_find(
		&o->path, m->sc, m->ec, m->plan, m->contexts, m->b ? &m->b->arena : NULL, place)) {
	case TRACE_FOUND: return true;
	case TRACE_NOT_FOUND: break;
	case TRACE_NOT_READ:
		if (m->rc == 0)
			m->rc = mer_fail(m->err, MER_ERR_BUG,
				"the filter needs the field %s of %s, which is not read",
				o->path.text, m->ec->name);
		break;
	case TRACE_FIND_NOMEM: out_of_memory(m); break;
	}
	return false;
}

static bool has_path(const struct filter_operand *o)
{
	return o->what == FILTER_THE_FIELD || o->what == FILTER_THE_LENGTH;
}

static uint32_t emit_slowly(struct emitter *m, const struct filter_node *node, struct ways w)
{
	struct filter_step step = { .test = FILTER_SLOWLY };
	struct filter_slow slow = {
		.node = node, .left.operand = &node->left, .right.operand = &node->right
	};
	if (has_path(&node->left) && !find(m, &node->left, &slow.left.place))
		return w.no;
	if (has_path(&node->right) && !find(m, &node->right, &slow.right.place))
		return w.no;
	if (m->b) {
		struct filter_slow *kept = mer_arena_alloc(&m->b->arena, sizeof(*kept));
		if (!kept)
			return out_of_memory(m);
		*kept = slow;
		step.u.slow = kept;
	}
	return add(m, step, w);
}

static bool is_text(const struct ctf_fc *fc)
{
	return fc->kind == CTF_STRING || fc->kind == CTF_TEXT;
}

/* Compares a field in a fixed slot with a constant. */
static uint32_t emit_constant(struct emitter *m, struct filter_step step, const struct ctf_fc *fc,
	const struct filter_node *node, struct ways w)
{
	bool text = node->right.what == FILTER_THE_TEXT;
	switch (fc->kind) {
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP:
	case CTF_INT:
	case CTF_VARINT: {
		bool is_signed = fc->kind != CTF_BIT_ARRAY && fc->kind != CTF_BIT_MAP &&
				 fc->u.bits.is_signed;
		return text ? emit_labels(m, step, fc, node, w)
			    : emit_integer(m, step, is_signed, node, w);
	}
	case CTF_BOOL: return text ? w.no : emit_bool(m, step, node, w);
	case CTF_FLOAT: return text ? w.no : emit_slowly(m, node, w);
	case CTF_STRING:
	case CTF_TEXT:
		if (!text)
			return w.no;
		if (fc->u.text.encoding != CTF_UTF8 || !node->pattern)
			return emit_slowly(m, node, w);
		step.test = FILTER_TEXT_FITS;
		step.u.pattern = node->pattern;
		return add(m, step, node->op == FILTER_OP_NE ? swapped(w) : w);
	default: return w.no;
	}
}

static uint32_t emit_has(struct emitter *m, struct filter_step step, const struct ctf_fc *fc,
	const struct filter_node *node, struct ways w)
{
	switch (fc->kind) {
	case CTF_STRUCT: return w.yes;
	case CTF_FLOAT: return emit_slowly(m, node, w);
	case CTF_STRING:
	case CTF_TEXT:
	case CTF_BLOB: step.slot++; break;
	default: break;
	}
	return emit_not_zero(m, step, w);
}

static uint32_t emit_field(struct emitter *m, const struct filter_node *node, struct ways w)
{
	struct trace_place place;
	if (!find(m, &node->left, &place))
		return w.no;
	const struct ctf_fc *fc = place.fc;
	if (place.n_steps || fc->kind == CTF_VARIANT || fc->kind == CTF_OPTIONAL)
		return emit_slowly(m, node, w);
	struct filter_step step = { .in_context = place.in_context, .slot = place.slot };
	if (node->left.what == FILTER_THE_FIELD)
		return node->kind == FILTER_HAS ? emit_has(m, step, fc, node, w)
						: emit_constant(m, step, fc, node, w);
	if (is_text(fc) || fc->kind == CTF_BLOB)
		step.slot++;
	else if (fc->kind != CTF_ARRAY)
		return w.no;
	if (node->kind == FILTER_HAS)
		return emit_not_zero(m, step, w);
	return node->right.what == FILTER_THE_TEXT ? w.no : emit_integer(m, step, false, node, w);
}

/* ---- what the class or the stream decides ---- */

static uint32_t emit_name(struct emitter *m, const struct filter_node *node, struct ways w)
{
	struct filter_value v = { .kind = FILTER_VALUE_TEXT };
	v.text = m->ec->name;
	v.len = strlen(v.text);
	bool so = node->kind == FILTER_HAS ? filter_has(&v) : filter_compare_constant(node, &v);
	return so ? w.yes : w.no;
}

static uint32_t emit_stream(struct emitter *m, const struct filter_node *node, struct ways w)
{
	struct filter_step step = { .test = FILTER_ON_STREAM };
	struct trace_bound_filter *b = m->b;
	if (b && !b->streams[node->number]) {
		bool *holds = mer_arena_zalloc(&b->arena, b->e->n_streams, sizeof(*holds));
		if (!holds)
			return out_of_memory(m);
		for (uint32_t i = 0; i < b->e->n_streams; i++) {
			struct filter_value v;
			filter_stream_value(b->e, node->left.what, i, &v);
			holds[i] = node->kind == FILTER_HAS ? filter_has(&v)
							    : filter_compare_constant(node, &v);
		}
		b->streams[node->number] = holds;
	}
	if (b)
		step.u.streams = b->streams[node->number];
	return add(m, step, w);
}

static uint32_t emit_comparison(struct emitter *m, const struct filter_node *node, struct ways w)
{
	if (node->kind == FILTER_COMPARE && !filter_is_constant(&node->right))
		return emit_slowly(m, node, w);
	switch (node->left.what) {
	case FILTER_THE_FIELD:
	case FILTER_THE_LENGTH: return emit_field(m, node, w);
	case FILTER_THE_NAME: return emit_name(m, node, w);
	case FILTER_THE_TIME:
		return node->kind == FILTER_COMPARE && node->right.what == FILTER_THE_TEXT
			       ? w.no
			       : emit_time(m, node, w);
	default: return emit_stream(m, node, w);
	}
}

/* Makes the tests of node from last to first, so that the jump targets are known; returns the first
 * one. A test whose two targets are the same is not made, so the return value is the final result
 * if the class decides it. */
static uint32_t emit(struct emitter *m, const struct filter_node *node, struct ways w)
{
	if (m->rc)
		return FILTER_NO;
	switch (node->kind) {
	case FILTER_NOT_SO: return emit(m, node->children[0], swapped(w));
	case FILTER_ALL_OF:
		for (uint32_t i = node->n, no = w.no; i-- > 0;)
			w = (struct ways){ emit(m, node->children[i], w), no };
		return w.yes;
	case FILTER_ANY_OF:
		for (uint32_t i = node->n, yes = w.yes; i-- > 0;)
			w = (struct ways){ yes, emit(m, node->children[i], w) };
		return w.no;
	default: return emit_comparison(m, node, w);
	}
}

static const struct ways answer = { FILTER_YES, FILTER_NO };

bool trace_filter_may_match(const struct trace_filter *f, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec)
{
	struct emitter m = { .sc = sc, .ec = ec };
	return emit(&m, f->root, answer) != FILTER_NO;
}

/* ---- which fields are needed ---- */

bool trace_filter_reads(const struct trace_filter *f, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *field)
{
	for (uint32_t i = 0; i < f->n_comparisons; i++) {
		const struct filter_operand *l = &f->comparisons[i]->left;
		const struct filter_operand *r = &f->comparisons[i]->right;
		if ((has_path(l) && trace_path_reads(&l->path, sc, ec, scope, field)) ||
			(has_path(r) && trace_path_reads(&r->path, sc, ec, scope, field)))
			return true;
	}
	return false;
}

bool trace_filter_needs_contexts(const struct trace_filter *f, const struct mer_experiment *e)
{
	for (uint32_t i = 0; i < f->n_comparisons; i++) {
		const struct filter_operand *l = &f->comparisons[i]->left;
		const struct filter_operand *r = &f->comparisons[i]->right;
		if ((has_path(l) && trace_path_exists(&l->path, e, CTF_SCOPE_PACKET_CONTEXT)) ||
			(has_path(r) && trace_path_exists(&r->path, e, CTF_SCOPE_PACKET_CONTEXT)))
			return true;
	}
	return false;
}

const char *trace_filter_unknown(const struct trace_filter *f, const struct mer_experiment *e)
{
	for (uint32_t i = 0; i < f->n_comparisons; i++) {
		const struct filter_operand *sides[] = { &f->comparisons[i]->left,
			&f->comparisons[i]->right };
		for (int k = 0; k < 2; k++)
			if (has_path(sides[k]) &&
				!trace_path_exists(&sides[k]->path, e, CTF_N_SCOPES))
				return sides[k]->path.text;
	}
	return NULL;
}

/* ---- names that match nothing ---- */

static bool has_event(const struct mer_experiment *e, const struct filter_pattern *pattern)
{
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++) {
				const char *name = s->streams[c].events[i].name;
				if (filter_pattern_fits(pattern, name, strlen(name)))
					return true;
			}
	}
	return false;
}

static bool has_host(const struct mer_experiment *e, const struct filter_pattern *pattern)
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		if (filter_pattern_fits(pattern, e->hosts[h].name, strlen(e->hosts[h].name)))
			return true;
	return false;
}

const char *trace_filter_unmatched(
	const struct trace_filter *f, const struct mer_experiment *e, bool *is_host)
{
	for (uint32_t i = 0; i < f->n_comparisons; i++) {
		const struct filter_node *c = f->comparisons[i];
		*is_host = c->left.what == FILTER_THE_HOST;
		if (c->kind != FILTER_COMPARE || !c->pattern || c->pattern->kind != FILTER_IS)
			continue;
		if (*is_host ? !has_host(e, c->pattern)
			     : c->left.what == FILTER_THE_NAME && !has_event(e, c->pattern))
			return c->pattern->text;
	}
	return NULL;
}

const char *trace_nearest_event(const struct mer_experiment *e, const char *name)
{
	const char *best = NULL;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		const struct ctf_schema *s = e->parts[p].schema;
		for (uint32_t c = 0; c < s->n_streams; c++)
			for (uint32_t i = 0; i < s->streams[c].n_events; i++) {
				/* Compare with the best so far, which wins if both are equally
				 * near. */
				const char *two[] = { best ? best : s->streams[c].events[i].name,
					s->streams[c].events[i].name };
				best = mer_nearest(name, two, 2);
			}
	}
	return best;
}

const char *trace_nearest_host(const struct mer_experiment *e, const char *name)
{
	const char *best = NULL;
	/* A single letter is equally near to any other. */
	for (uint32_t h = 0; h < e->n_hosts && name[0] && name[1]; h++) {
		const char *two[] = { best ? best : e->hosts[h].name, e->hosts[h].name };
		best = mer_nearest(name, two, 2);
	}
	return best;
}

/* ---- binding ---- */

static int bind_part(struct trace_bound_filter *b, const struct trace_filter *f,
	const struct ctf_program *program, bool contexts, struct mer_err *err)
{
	struct emitter m = { .b = b, .contexts = contexts, .err = err };
	for (uint32_t k = 0; k < program->schema->n_streams; k++) {
		const struct ctf_stream_plan *sp = &program->streams[k];
		m.sc = sp->class;
		for (uint32_t c = 0; c < sp->class->n_events; c++) {
			m.plan = &sp->events[c];
			m.ec = m.plan->class;
			b->entry[m.plan->id] =
				m.plan->wanted ? emit(&m, f->root, answer) : FILTER_NO;
			if (m.rc)
				return m.rc;
		}
	}
	return 0;
}

int trace_filter_bind(const struct trace_filter *f, const struct mer_experiment *e,
	const struct trace_reading *reading, struct trace_bound_filter **bound, struct mer_err *err)
{
	struct trace_bound_filter *b = calloc(1, sizeof(*b));
	if (!b)
		return mer_fail_nomem(err);
	mer_arena_init(&b->arena);
	b->e = e;
	b->entry = mer_arena_zalloc(&b->arena, reading->n_plans, sizeof(*b->entry));
	b->streams = mer_arena_zalloc(&b->arena, f->n_comparisons, sizeof(*b->streams));
	int rc = b->entry && b->streams ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < e->n_parts && rc == 0; i++)
		rc = bind_part(b, f, reading->programs[i], reading->contexts, err);
	if (rc) {
		trace_filter_unbind(b);
		return rc;
	}
	*bound = b;
	return 0;
}

void trace_filter_unbind(struct trace_bound_filter *b)
{
	if (!b)
		return;
	free(b->steps);
	mer_arena_fini(&b->arena);
	free(b);
}
