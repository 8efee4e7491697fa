/* Selection: which facts count, and how facts that are cut are divided into parts and bins. */
#include <string.h>

#include "analysis/fold/plan.h"

struct choice { /* context of a test of one fact */
	struct fold_state *s;
	const struct kernel_host *h;
	const struct fold_input *in;
	const struct analysis_options *o;
	struct mer_err *err;
};

static int wants_cpu(const struct choice *c, const struct fact *f)
{
	uint8_t *known = mer_grow_at(&c->s->cpus, &c->s->cap_cpus, f->cpu, sizeof(*known));
	if (!known)
		return mer_fail_nomem(c->err);
	if (!*known)
		*known = c->o->wants_cpu(c->o->ctx, f->cpu) ? 2 : 1;
	return *known == 2;
}

static bool is_between(int64_t value, int64_t min, int64_t max)
{
	return value != FACT_UNKNOWN && value >= min && value <= max;
}

/* Tests a fact with several names; with too many distinct values each fact is tested again. */
static int has_name(const struct choice *c, const struct fact *f, int64_t value)
{
	enum { MOST = 1 << 16 };
	struct mer_map *named = &c->s->named[c->in - c->s->plan->inputs];
	uint32_t *at = mer_map_get(named, (uint64_t)value);
	if (at && *at)
		return *at == 2;
	bool has = c->in->kind->has_name(c->h, f, c->o->wants_name, c->o->ctx);
	if (named->n >= MOST)
		return has;
	at = mer_map_put(named, (uint64_t)value);
	if (!at)
		return mer_fail_nomem(c->err);
	*at = has ? 2 : 1;
	return has;
}

/* NULL: the number has no name. */
static const char *name_of(const struct fold_source *s, const struct kernel_host *h, int64_t value)
{
	if (s->meaning == FACT_NAME)
		return kernel_name_text(h, (uint32_t)value);
	if (s->meaning == FACT_TEXT)
		return s->view->text(h, value);
	return value < s->n_words ? s->words[value] : NULL;
}

static int wants_name(const struct choice *c, const struct fact *f)
{
	const struct fold_source *s = &c->in->name;
	int64_t value = fold_source_of(s, c->h, f);
	if (c->in->kind->has_name)
		return has_name(c, f, value);
	if (value == FACT_UNKNOWN)
		return 0;
	struct analysis_wanted *w = &c->s->wanted[c->in - c->s->plan->inputs];
	uint8_t *known = mer_grow_at(&w->known, &w->cap, (size_t)value, sizeof(*known));
	if (!known)
		return mer_fail_nomem(c->err);
	if (!*known) {
		const char *text = name_of(s, c->h, value);
		*known = text && c->o->wants_name(c->o->ctx, text) ? 2 : 1;
	}
	return *known == 2;
}

static bool wants_task(const struct choice *c, const struct fact *f)
{
	if (f->task != KERNEL_NONE)
		return c->o->wants_task(c->o->ctx, c->h, f->task);
	if (!c->in->thread.what || !c->o->wants_thread)
		return false;
	int64_t tid = fold_source_of(&c->in->thread, c->h, f);
	return tid != FACT_UNKNOWN && c->o->wants_thread(c->o->ctx, c->h, tid);
}

static bool has_values(const struct choice *c, const struct fact *f)
{
	const struct fold_input *in = c->in;
	const struct analysis_options *o = c->o;
	if (in->duration.what &&
		!is_between(fold_source_of(&in->duration, c->h, f), o->min_ns, o->max_ns))
		return false;
	if (in->bytes.what) {
		uint64_t bytes = (uint64_t)fold_source_of(&in->bytes, c->h, f);
		if (bytes < o->sizes.min || bytes > o->sizes.max)
			return false;
	}
	return true;
}

static bool chooses_cpus(const struct fold_state *s, const struct fold_input *in)
{
	return s->plan->options->wants_cpu && !in->kind->of_tasks && !in->kind->of_host;
}

/* Can tasks be tested now? If they are selected by name, that is done when everything has been
 * read. */
static bool chooses_tasks(const struct fold_state *s, const struct fold_input *in)
{
	const struct analysis_options *o = s->plan->options;
	return o->wants_task && !o->wants_names && !in->kind->of_cpus && !in->kind->of_host &&
	       !s->plan->fold->every_task;
}

bool fold_counts_once(const struct fold_plan *p, const struct fold_source *s, const struct fact *f)
{
	const struct analysis_options *o = p->options;
	struct fact_end first;
	if (!s->first_end(f, &first))
		return true;
	if ((o->wants_host && !o->wants_host(o->ctx, first.host)) ||
		(o->wants_cpu && !s->of_tasks && !o->wants_cpu(o->ctx, first.cpu)))
		return true;
	return o->wants_task &&
	       (first.task == KERNEL_NONE ||
		       !o->wants_task(o->ctx, &p->run->world->hosts[first.host], first.task));
}

static bool holds_where(const struct choice *c, const struct fact *f)
{
	const struct fold_input *in = c->in;
	for (uint32_t i = 0; i < in->n_where; i++) {
		const struct fold_source *s = &in->where[i].source;
		int64_t value = s->what == FOLD_FROM_ONCE ? fold_counts_once(c->s->plan, s, f)
							  : fold_source_of(s, c->h, f);
		if (!fold_condition_holds(&in->where[i], value))
			return false;
	}
	return true;
}

/* Tests everything except time. 1: yes, 0: no, negative: an error. All names are tried, so that
 * patterns that match nothing can be told from patterns that only match facts that do not count. */
static int is_chosen(const struct choice *c, const struct fact *f)
{
	const struct fold_plan *p = c->s->plan;
	bool by_name = c->in->name.what;
	int rc = by_name ? wants_name(c, f) : 1;
	if (rc <= 0 || (by_name && !holds_where(c, f)) || !has_values(c, f))
		return rc < 0 ? rc : 0;
	if (p->filter.n_of_facts && !fold_filter_fact(p, c->in, c->s->host, c->h, f))
		return 0;
	if (chooses_cpus(c->s, c->in))
		rc = wants_cpu(c, f);
	if (rc > 0 && chooses_tasks(c->s, c->in))
		rc = wants_task(c, f);
	return rc;
}

/* Is there any condition besides fold.where and time? */
static bool chooses(const struct fold_state *s, const struct fold_input *in)
{
	return in->duration.what || in->bytes.what || chooses_cpus(s, in) || chooses_tasks(s, in) ||
	       s->plan->filter.n_of_facts || in->name.what;
}

static const struct fact *fact_at(
	const struct fold_selection *x, const struct fold_input *in, uint32_t i)
{
	return (const void *)(x->facts + (size_t)i * in->kind->size);
}

/* Puts the next facts that meet fold.where into x->chosen, one condition at a time for all of
 * them. Returns their number. */
static uint32_t list_facts(struct fold_state *s, const struct kernel_host *h,
	const struct fold_input *in, struct fold_selection *x)
{
	struct fold_batch *b = &s->listed;
	b->plan = s->plan;
	int64_t values[FOLD_PIECES];
	uint8_t holds[FOLD_PIECES];
	uint32_t n = x->n - x->at < FOLD_PIECES ? x->n - x->at : FOLD_PIECES;
	b->h = h;
	b->facts = x->facts;
	b->stride = in->kind->size;
	for (uint32_t i = 0; i < n; i++)
		b->of[i] = x->at + i;
	x->at += n;
	for (uint32_t w = 0; w < in->n_where && !in->name.what; w++) {
		b->n = n;
		fold_gather(&in->where[w].source, b, values);
		fold_conditions_hold(&in->where[w], values, b->n, holds);
		n = 0;
		for (uint32_t i = 0; i < b->n; i++) {
			b->of[n] = b->of[i];
			n += holds[i];
		}
	}
	memcpy(x->chosen, b->of, n * sizeof(b->of[0]));
	return n;
}

static int add_to_levels(struct fold_state *s, const struct kernel_host *h,
	const struct fold_input *in, const struct fold_selection *x, struct mer_err *err)
{
	const struct fold_plan *p = s->plan;
	bool has_level = p->level_column >= 0 && in == &p->inputs[p->level_input];
	return has_level ? fold_levels_add(s, h, in, x, err) : 0;
}

/* The next facts that meet all conditions except time. */
static int choose(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	struct fold_selection *x, struct mer_err *err)
{
	const struct choice c = { s, h, in, s->plan->options, err };
	uint32_t n = list_facts(s, h, in, x);
	x->n_chosen = x->next = 0;
	if (!chooses(s, in)) {
		x->n_chosen = n;
		return add_to_levels(s, h, in, x, err);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t of = x->chosen[i];
		int rc = is_chosen(&c, fact_at(x, in, of));
		if (rc < 0)
			return rc;
		x->chosen[x->n_chosen] = of;
		x->n_chosen += rc > 0;
	}
	return add_to_levels(s, h, in, x, err);
}

/* -1: outside all bins. */
static int64_t bin_of(struct fold_state *s, int64_t t)
{
	const struct analysis_bins *b = &s->plan->bins;
	if (t >= s->last_begin && t < s->last_end)
		return s->last_bin;
	int64_t bin = analysis_bin_of(b, t);
	if (bin >= 0) {
		s->last_bin = (uint32_t)bin;
		s->last_begin = analysis_bin_edge(b, s->last_bin);
		s->last_end = analysis_bin_edge(b, s->last_bin + 1);
	}
	return bin;
}

static void put(struct fold_batch *b, uint32_t of, int64_t begin, int64_t end, int64_t from,
	int64_t to, uint32_t bin)
{
	uint32_t i = b->n++;
	b->of[i] = of;
	b->from[i] = from;
	b->to[i] = to;
	b->begin[i] = begin;
	b->end[i] = end;
	b->bin[i] = bin;
}

/* Does a fact that counts as a whole count in the selected time? */
static bool is_asked(
	const struct fold_plan *p, const struct fold_input *in, int64_t begin, int64_t end)
{
	int64_t to;
	if (p->all_of_time || in->kind->of_host || analysis_is_asked(p->options, begin))
		return true;
	return in->rule == FACT_OVERLAPS &&
	       analysis_part(p->options, &begin, end == FACT_UNKNOWN ? INT64_MAX : end, &to);
}

/* For a fact that counts as a whole. */
static void put_whole(
	struct fold_state *s, const struct fold_input *in, uint32_t of, int64_t begin, int64_t end)
{
	const struct fold_plan *p = s->plan;
	int64_t bin = 0;
	if (begin == FACT_UNKNOWN || !is_asked(p, in, begin, end))
		return;
	if (p->fold->shape == FOLD_BINS)
		bin = bin_of(s, begin);
	if (bin >= 0)
		put(&s->batch, of, begin, end, begin, end, (uint32_t)bin);
}

/* The next part of a fact that is cut; false: there is none. */
static bool put_part(
	struct fold_state *s, struct fold_selection *x, uint32_t of, int64_t begin, int64_t end)
{
	const struct fold_plan *p = s->plan;
	int64_t from = x->is_cut ? x->cut_from : begin, to = end, bin = 0;
	if (begin == FACT_UNKNOWN || end == FACT_UNKNOWN)
		return false;
	if (p->all_of_time && begin >= s->last_begin && end <= s->last_end && begin < end) {
		put(&s->batch, of, begin, end, from, end, s->last_bin);
		return false; /* within one bin, which is the usual case */
	}
	if (!analysis_part(p->options, &from, end, &to))
		return false;
	if (p->fold->shape == FOLD_BINS) {
		const struct analysis_bins *b = &p->bins;
		if (from < b->begin)
			from = b->begin;
		bin = from < to ? bin_of(s, from) : -1;
		if (bin <
			0) { /* this part of the time ends before the bins, or they end before it */
			x->cut_from = to;
			x->is_cut = true;
			return from < b->begin + b->length && to < end;
		}
		if (s->last_end < to && s->n_cuts < FOLD_MAX_CUTS) {
			to = s->last_end;
			s->n_cuts++;
		}
	}
	put(&s->batch, of, begin, end, from, to, (uint32_t)bin);
	x->cut_from = to;
	x->is_cut = true;
	return to < end;
}

/* Are all facts used whole: the whole recording, without any selection? */
static bool is_all(const struct fold_state *s, const struct fold_input *in)
{
	return s->plan->all_of_time && s->plan->fold->shape != FOLD_BINS && !s->plan->fold->from &&
	       !s->plan->fold->to && !in->n_where && !chooses(s, in);
}

static void put_all(struct fold_state *s, const struct fold_input *in, struct fold_selection *x)
{
	struct fold_batch *b = &s->batch;
	uint32_t n = x->n - x->at < FOLD_PIECES ? x->n - x->at : FOLD_PIECES;
	for (uint32_t i = 0; i < n; i++) { /* a fact without length has no parts */
		const struct fact *f = fact_at(x, in, x->at + i);
		b->of[b->n] = x->at + i;
		b->n += in->rule != FACT_CUT || f->end > f->begin;
	}
	x->at += n;
	for (uint32_t i = 0; i < b->n && s->plan->needs_pieces; i++) {
		const struct fact *f = fact_at(x, in, b->of[i]);
		b->from[i] = b->begin[i] = f->begin;
		b->to[i] = b->end[i] = f->end;
	}
}

int fold_select(struct fold_state *s, const struct kernel_host *h, const struct fold_input *in,
	struct fold_selection *x, struct mer_err *err)
{
	s->batch.n = 0;
	s->batch.plan = s->plan;
	s->batch.h = h;
	s->batch.facts = x->facts;
	s->batch.stride = in->kind->size;
	if (is_all(s, in)) {
		put_all(s, in, x);
		return 0;
	}
	bool own_begin = !s->plan->fold->from, own_end = !s->plan->fold->to;
	while (s->batch.n < FOLD_PIECES) {
		if (x->next == x->n_chosen) {
			int rc = x->at < x->n ? choose(s, h, in, x, err) : 0;
			if (rc || (x->n_chosen == 0 && x->at == x->n))
				return rc;
			if (x->next == x->n_chosen) {
				if (x->at == x->n)
					return 0;
				continue;
			}
		}
		uint32_t of = x->chosen[x->next];
		const struct fact *f = fact_at(x, in, of);
		int64_t begin = own_begin ? f->begin : fold_source_of(&in->begin, h, f);
		int64_t end = own_end ? f->end : fold_source_of(&in->end, h, f);
		if (in->rule == FACT_CUT) {
			if (put_part(s, x, of, begin, end))
				continue;
			x->is_cut = false;
		} else {
			put_whole(s, in, of, begin, end);
		}
		x->next++;
	}
	return 0;
}
