/* Matching: the tests of a bound filter on an event. */
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/utf.h"
#include "trace/filter/code.h"

/* ---- values, for tests that are not among the usual ones ---- */

static void text_value(struct filter_value *v, const char *text)
{
	v->kind = FILTER_VALUE_TEXT;
	v->text = text ? text : "";
	v->len = strlen(v->text);
}

static void integer_value(struct filter_value *v, __int128 integer)
{
	v->kind = FILTER_VALUE_INT;
	v->integer = integer;
}

void filter_stream_value(const struct mer_experiment *e, enum filter_what what, uint32_t stream,
	struct filter_value *v)
{
	const struct mer_stream *s = &e->streams[stream];
	const struct mer_trace *t = &e->traces[s->trace];
	*v = (struct filter_value){ 0 };
	switch (what) {
	case FILTER_THE_HOST: text_value(v, e->hosts[t->host].name); break;
	case FILTER_THE_DOMAIN: text_value(v, t->domain); break;
	case FILTER_THE_CPU:
		if (s->cpu >= 0)
			integer_value(v, s->cpu);
		break;
	case FILTER_THE_STREAM:
	case FILTER_THE_TRACE:
		text_value(v, what == FILTER_THE_STREAM ? s->path : t->path);
		integer_value(v, what == FILTER_THE_STREAM ? stream : s->trace);
		v->has_text = true;
		break;
	default: break;
	}
}

static void wide_text_value(struct filter_value *v, const struct ctf_fc *fc, const uint64_t *slot)
{
	unsigned e = fc->u.text.encoding, unit = e == CTF_UTF16BE || e == CTF_UTF16LE ? 2 : 4;
	v->owned = malloc(mer_utf8_room(slot[1], unit) + 1);
	if (!v->owned)
		return;
	v->text = v->owned;
	v->len = mer_utf8_from_wide((const uint8_t *)(uintptr_t)slot[0], slot[1], unit,
		e == CTF_UTF16BE || e == CTF_UTF32BE, v->owned);
	v->kind = FILTER_VALUE_TEXT;
}

static void field_value(struct filter_value *v, const struct ctf_fc *fc, const uint64_t *slot)
{
	v->fc = fc;
	switch (fc->kind) {
	case CTF_BOOL: integer_value(v, slot[0] != 0); break;
	case CTF_INT:
	case CTF_VARINT:
		integer_value(v, fc->u.bits.is_signed ? (__int128)(int64_t)slot[0] : slot[0]);
		break;
	case CTF_BIT_ARRAY:
	case CTF_BIT_MAP: integer_value(v, slot[0]); break;
	case CTF_FLOAT:
		v->kind = FILTER_VALUE_REAL;
		v->is_single = fc->u.bits.len_bits <= 32;
		memcpy(&v->real, slot, sizeof(v->real));
		break;
	case CTF_STRING:
	case CTF_TEXT:
		if (fc->u.text.encoding != CTF_UTF8) {
			wide_text_value(v, fc, slot);
			break;
		}
		v->kind = FILTER_VALUE_TEXT;
		v->text = (const char *)(uintptr_t)slot[0];
		v->len = slot[1];
		break;
	case CTF_BLOB:
		v->kind = FILTER_VALUE_OTHER;
		v->n = slot[1];
		break;
	case CTF_ARRAY:
		v->kind = FILTER_VALUE_OTHER;
		v->n = slot[0];
		break;
	default: v->kind = FILTER_VALUE_OTHER; v->n = 1;
	}
}

static void length_value(struct filter_value *v, const struct ctf_fc *fc, const uint64_t *slot)
{
	if (fc->kind == CTF_ARRAY)
		integer_value(v, slot[0]);
	else if (fc->kind == CTF_STRING || fc->kind == CTF_TEXT || fc->kind == CTF_BLOB)
		integer_value(v, slot[1]);
}

static void source_value(const struct trace_bound_filter *b, const struct filter_source *s,
	const uint64_t *const rows[2], const struct mer_event *ev, struct filter_value *v)
{
	const struct ctf_fc *fc;
	const uint64_t *slot;
	*v = (struct filter_value){ 0 };
	switch (s->operand->what) {
	case FILTER_THE_FIELD:
	case FILTER_THE_LENGTH:
		slot = trace_place_get(&s->place, rows[s->place.in_context], &fc);
		if (!slot)
			return;
		if (s->operand->what == FILTER_THE_FIELD)
			field_value(v, fc, slot);
		else
			length_value(v, fc, slot);
		break;
	case FILTER_THE_NAME: text_value(v, ev->plan->class->name); break;
	case FILTER_THE_TIME:
		if (ev->ts != MER_NO_TIME)
			integer_value(v, ev->ts);
		break;
	default: filter_stream_value(b->e, s->operand->what, ev->stream, v);
	}
}

bool filter_has(const struct filter_value *v)
{
	switch (v->kind) {
	case FILTER_VALUE_NONE: return false;
	case FILTER_VALUE_INT: return v->has_text || v->integer != 0;
	case FILTER_VALUE_REAL: return !(v->real <= 0 && v->real >= 0);
	case FILTER_VALUE_TEXT: return v->len > 0;
	case FILTER_VALUE_OTHER: return v->n > 0;
	}
	return false;
}

/* ---- comparisons ---- */

/* order: < 0, 0, > 0 */
static bool holds(enum filter_op op, int order)
{
	switch (op) {
	case FILTER_OP_EQ: return order == 0;
	case FILTER_OP_NE: return order != 0;
	case FILTER_OP_LT: return order < 0;
	case FILTER_OP_LE: return order <= 0;
	case FILTER_OP_GT: return order > 0;
	case FILTER_OP_GE: return order >= 0;
	}
	return false;
}

static bool compare_real(enum filter_op op, long double a, long double b)
{
	if (!(a < b) && !(a > b) && !(a <= b)) /* one of them is no number */
		return op == FILTER_OP_NE;
	return holds(op, (a > b) - (a < b));
}

static bool compare_text(
	enum filter_op op, const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = a_len < b_len ? a_len : b_len;
	int order = n ? memcmp(a, b, n) : 0;
	return holds(op, order ? order : (a_len > b_len) - (a_len < b_len));
}

bool filter_has_labels(const struct ctf_fc *fc)
{
	return fc->kind == CTF_BIT_MAP || ((fc->kind == CTF_INT || fc->kind == CTF_VARINT) &&
						  (fc->u.bits.is_enum || fc->u.bits.n_mappings));
}

static bool label_fits(const struct filter_pattern *p, const struct ctf_fc *fc, uint64_t v)
{
	struct ctf_labels labels;
	ctf_labels_begin(&labels, fc, v);
	for (const struct ctf_mapping *m; (m = ctf_labels_next(&labels));)
		if (filter_pattern_fits(p, m->label, strlen(m->label)))
			return true;
	return false;
}

static bool compare_number(const struct filter_node *node, const struct filter_value *v)
{
	const struct filter_operand *o = &node->right;
	if (v->kind == FILTER_VALUE_INT && !o->is_real)
		return holds(node->op, (v->integer > o->integer) - (v->integer < o->integer));
	if (v->kind == FILTER_VALUE_INT)
		return compare_real(node->op, (long double)v->integer, o->real);
	if (v->kind != FILTER_VALUE_REAL)
		return false;
	if (v->is_single)
		return compare_real(node->op, v->real,
			(long double)(float)(o->is_real ? o->real : (double)o->integer));
	return compare_real(node->op, v->real, o->is_real ? o->real : (long double)o->integer);
}

bool filter_compare_constant(const struct filter_node *node, const struct filter_value *v)
{
	if (node->right.what == FILTER_THE_NUMBER)
		return compare_number(node, v);
	bool negative = node->op == FILTER_OP_NE;
	if (v->kind == FILTER_VALUE_TEXT || v->has_text) {
		if (node->pattern)
			return filter_pattern_fits(node->pattern, v->text, v->len) != negative;
		return compare_text(node->op, v->text, v->len, node->right.text, node->right.len);
	}
	if (v->kind == FILTER_VALUE_INT && v->fc && filter_has_labels(v->fc) && node->pattern)
		return label_fits(node->pattern, v->fc, (uint64_t)v->integer) != negative;
	return false;
}

bool filter_compare(
	const struct filter_node *node, const struct filter_value *a, const struct filter_value *b)
{
	if (a->kind == FILTER_VALUE_TEXT && b->kind == FILTER_VALUE_TEXT)
		return compare_text(node->op, a->text, a->len, b->text, b->len);
	if (a->kind == FILTER_VALUE_INT && b->kind == FILTER_VALUE_INT)
		return holds(node->op, (a->integer > b->integer) - (a->integer < b->integer));
	bool numbers = (a->kind == FILTER_VALUE_INT || a->kind == FILTER_VALUE_REAL) &&
		       (b->kind == FILTER_VALUE_INT || b->kind == FILTER_VALUE_REAL);
	return numbers && compare_real(node->op,
				  a->kind == FILTER_VALUE_INT ? (long double)a->integer : a->real,
				  b->kind == FILTER_VALUE_INT ? (long double)b->integer : b->real);
}

static __attribute__((noinline)) bool test_slowly(const struct trace_bound_filter *b,
	const struct filter_slow *s, const uint64_t *const rows[2], const struct mer_event *ev)
{
	struct filter_value left, right = { 0 };
	bool result;
	source_value(b, &s->left, rows, ev, &left);
	if (s->node->kind == FILTER_HAS) {
		result = filter_has(&left);
	} else if (filter_is_constant(&s->node->right)) {
		result = filter_compare_constant(s->node, &left);
	} else {
		source_value(b, &s->right, rows, ev, &right);
		result = filter_compare(s->node, &left, &right);
		free(right.owned);
	}
	free(left.owned);
	return result;
}

static bool in_set(const struct filter_set *s, uint64_t v)
{
	v ^= s->flip;
	/* the first range that ends at v or later */
	MER_LOWER_BOUND(lo, 0, s->n, at, s->ranges[at].hi < v);
	return lo < s->n && s->ranges[lo].lo <= v;
}

bool trace_filter_match(
	const struct trace_bound_filter *b, const uint64_t *context, const struct mer_event *ev)
{
	uint32_t at = b->entry[ev->plan->id];
	if (at >= FILTER_NO)
		return at == FILTER_YES;
	const uint64_t *const rows[2] = { ev->slots, context };
	do {
		const struct filter_step *s = &b->steps[at];
		const uint64_t *slot = rows[s->in_context] + s->slot;
		bool t = false;
		switch ((enum filter_test)s->test) {
		case FILTER_IN_RANGE: t = *slot - s->u.range.first <= s->u.range.span; break;
		case FILTER_IN_SET: t = in_set(s->u.set, *slot); break;
		case FILTER_ANY_BIT: t = (*slot & s->u.mask) != 0; break;
		case FILTER_TEXT_FITS:
			t = filter_pattern_fits(
				s->u.pattern, (const char *)(uintptr_t)slot[0], slot[1]);
			break;
		case FILTER_TIME_IN_RANGE:
			t = ev->ts != MER_NO_TIME &&
			    ((uint64_t)ev->ts - s->u.range.first <= s->u.range.span) != s->negate;
			break;
		case FILTER_ON_STREAM: t = s->u.streams[ev->stream]; break;
		case FILTER_SLOWLY: t = test_slowly(b, s->u.slow, rows, ev); break;
		}
		at = s->on[t];
	} while (at < FILTER_NO);
	return at == FILTER_YES;
}
