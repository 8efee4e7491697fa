/* Sources: the values of fields and views of facts. */
#include <string.h>

#include "analysis/fold/plan.h"

static void from_field(struct fold_source *s, const struct fact_field *f)
{
	*s = (struct fold_source){ .what = FOLD_FROM_FIELD,
		.key = f->key,
		.title = f->title,
		.type = f->type,
		.meaning = f->meaning,
		.field = *f,
		.words = f->words,
		.n_words = f->n_words };
}

static bool from_view(const struct fact_kind *k, const struct fact_view *v, struct fold_source *s)
{
	const struct fact_field *of = v->of ? fact_field_find(k, v->of) : NULL;
	const struct fact_field *and = v->and ? fact_field_find(k, v->and) : NULL;
	*s = (struct fold_source){ .key = v->key,
		.title = v->title,
		.type = v->type,
		.meaning = v->meaning ? v->meaning : FACT_NUMBER,
		.view = v,
		.words = v->words,
		.n_words = v->n_words };
	if (of)
		s->field = *of;
	if (and)
		s->less = *and;
	switch (v->view) {
	case FACT_MINUS: s->what = of && and? FOLD_FROM_MINUS : FOLD_FROM_NOWHERE; break;
	case FACT_CALL_NAME:
	case FACT_CALL_OBJECT: s->meaning = FACT_NAME; /* fall through */
	case FACT_CALL_FD:
	case FACT_CALL_KIND: s->what = of ? FOLD_FROM_CALL : FOLD_FROM_NOWHERE; break;
	case FACT_ERROR: s->what = of ? FOLD_FROM_ERROR : FOLD_FROM_NOWHERE; break;
	case FACT_BY_FUNCTION: s->what = FOLD_FROM_FUNCTION; break;
	}
	return s->what != FOLD_FROM_NOWHERE;
}

bool fold_source_find(const struct fact_kind *k, const char *key, struct fold_source *s)
{
	const struct fact_view *v = fact_view_find(k, key);
	const struct fact_field *f = v ? NULL : fact_field_find(k, key);
	if (v)
		return from_view(k, v, s);
	if (f) {
		from_field(s, f);
		return true;
	}
	if (strcmp(key, "duration_ns") != 0)
		return false;
	*s = (struct fold_source){ .what = FOLD_FROM_MINUS,
		.key = "duration_ns",
		.title = "duration",
		.type = MER_DURATION,
		.meaning = FACT_NUMBER,
		.field = *fact_field_find(k, "end"),
		.less = *fact_field_find(k, "begin") };
	return true;
}

bool fold_source_is_same(const struct fold_source *a, const struct fold_source *b)
{
	return a->what == b->what && a->view == b->view && a->of_piece == b->of_piece &&
	       a->field.offset == b->field.offset && a->field.width == b->field.width &&
	       a->less.offset == b->less.offset;
}

static inline int64_t load(const struct fact_field *f, const void *fact)
{
	int64_t v = fact_load(f, fact);
	return f->has_none && v == f->none ? FACT_UNKNOWN : v;
}

static int64_t of_call(const struct fold_source *s, const struct kernel_host *h, int64_t call)
{
	if (call == FACT_UNKNOWN || call >= h->n_calls)
		return FACT_UNKNOWN;
	const struct kernel_call *c = &h->calls[call];
	switch (s->view->view) {
	case FACT_CALL_NAME: return c->name == KERNEL_NONE ? FACT_UNKNOWN : c->name;
	case FACT_CALL_OBJECT: return c->object == KERNEL_NONE ? FACT_UNKNOWN : c->object;
	case FACT_CALL_FD: return c->fd < 0 ? FACT_UNKNOWN : c->fd;
	default: return c->kind;
	}
}

static int64_t minus(int64_t a, int64_t b)
{
	return a == FACT_UNKNOWN || b == FACT_UNKNOWN ? FACT_UNKNOWN
						      : (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Which results are errors; as analysis_error_name. */
static int64_t error_of(int64_t result)
{
	enum { MOST = 4095 };
	return result < 0 && result >= -MOST ? result : FACT_UNKNOWN;
}

int64_t fold_source_of(
	const struct fold_source *s, const struct kernel_host *h, const struct fact *f)
{
	switch (s->what) {
	case FOLD_FROM_FIELD:
	case FOLD_FROM_SHARE: return load(&s->field, f);
	case FOLD_FROM_LENGTH: return minus(f->end, f->begin);
	case FOLD_FROM_MINUS: return minus(load(&s->field, f), load(&s->less, f));
	case FOLD_FROM_CALL: return of_call(s, h, load(&s->field, f));
	case FOLD_FROM_ERROR: return error_of(load(&s->field, f));
	case FOLD_FROM_FUNCTION: return s->view->get(h, f);
	default: return FACT_UNKNOWN;
	}
}

/* How much of a number that accrues evenly has accrued by then. */
static int64_t come_by(int64_t all, int64_t begin, int64_t end, int64_t t)
{
	return t <= begin ? 0
	       : t >= end ? all
			  : (int64_t)((__int128)all * (t - begin) / (end - begin));
}

static int64_t share_of(const struct fold_batch *b, uint32_t i, int64_t all)
{
	if (all == FACT_UNKNOWN || b->end[i] <= b->begin[i])
		return all;
	return come_by(all, b->begin[i], b->end[i], b->to[i]) -
	       come_by(all, b->begin[i], b->end[i], b->from[i]);
}

/* One loop for each width, so that the width is known outside the loop. */
#define GATHER(type_)                                                                              \
	for (uint32_t i = 0; i < b->n; i++) {                                                      \
		type_ v;                                                                           \
		memcpy(&v, at + (size_t)b->of[i] * b->stride, sizeof(v));                          \
		values[i] = (int64_t)v;                                                            \
	}

static void gather_field(const struct fact_field *f, const struct fold_batch *b, int64_t *values)
{
	const char *at = b->facts + f->offset;
	switch (f->width) {
	case 1:
		if (f->is_signed)
			GATHER(int8_t)
		else
			GATHER(uint8_t)
		break;
	case 2:
		if (f->is_signed)
			GATHER(int16_t)
		else
			GATHER(uint16_t)
		break;
	case 4:
		if (f->is_signed)
			GATHER(int32_t)
		else
			GATHER(uint32_t)
		break;
	default: GATHER(int64_t) break;
	}
	if (f->has_none && f->none != FACT_UNKNOWN)
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = values[i] == f->none ? FACT_UNKNOWN : values[i];
}

void fold_gather(const struct fold_source *s, const struct fold_batch *b, int64_t *values)
{
	int64_t less[FOLD_PIECES];
	switch (s->what) {
	case FOLD_FROM_FIELD: gather_field(&s->field, b, values); return;
	case FOLD_FROM_LENGTH:
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = minus(b->to[i], b->from[i]);
		return;
	case FOLD_FROM_PIECE:
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = s->of_piece(b->from[i], b->to[i]);
		return;
	case FOLD_FROM_BIN:
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = b->bin[i];
		return;
	case FOLD_FROM_ONCE:
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = fold_counts_once(b->plan, s,
				(const void *)(b->facts + (size_t)b->of[i] * b->stride));
		return;
	case FOLD_FROM_SHARE:
		gather_field(&s->field, b, values);
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = share_of(b, i, values[i]);
		return;
	case FOLD_FROM_MINUS:
		gather_field(&s->field, b, values);
		gather_field(&s->less, b, less);
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = minus(values[i], less[i]);
		return;
	case FOLD_FROM_CALL:
		gather_field(&s->field, b, values);
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = of_call(s, b->h, values[i]);
		return;
	case FOLD_FROM_ERROR:
		gather_field(&s->field, b, values);
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = error_of(values[i]);
		return;
	default:
		for (uint32_t i = 0; i < b->n; i++)
			values[i] = fold_source_of(
				s, b->h, (const void *)(b->facts + (size_t)b->of[i] * b->stride));
	}
}

/* One loop for each test. */
#define TEST(holds_)                                                                               \
	for (uint32_t i = 0; i < n; i++)                                                           \
	holds[i] = values[i] != FACT_UNKNOWN && (holds_)
void fold_conditions_hold(
	const struct fold_condition *c, const int64_t *values, uint32_t n, uint8_t *holds)
{
	switch (c->test) {
	case FOLD_IS: TEST(values[i] == c->a); break;
	case FOLD_IS_NOT: TEST(values[i] != c->a); break;
	case FOLD_FROM_TO: TEST(values[i] >= c->a && values[i] <= c->b); break;
	case FOLD_KNOWN: TEST(true); break;
	default:
		for (uint32_t i = 0; i < n; i++)
			holds[i] = fold_condition_holds(c, values[i]);
	}
}

bool fold_condition_holds(const struct fold_condition *c, int64_t value)
{
	if (value == FACT_UNKNOWN)
		return c->test == FOLD_UNKNOWN;
	switch (c->test) {
	case FOLD_IS: return value == c->a;
	case FOLD_IS_NOT: return value != c->a;
	case FOLD_ONE_OF: return value >= 0 && value < 64 && (uint64_t)c->a >> value & 1;
	case FOLD_FROM_TO: return value >= c->a && value <= c->b;
	case FOLD_KNOWN: return true;
	default: return false;
	}
}
