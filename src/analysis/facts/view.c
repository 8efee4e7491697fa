/* The maker of facts about views. The kernel model reports span by span what a thread did; the
 * pieces of the thread's states, which exist already, are cut accordingly. */
#include "analysis/facts/view.h"

#include <stdlib.h>

#include "analysis/all.h"
#include "base/grow.h"
#include "base/lower_bound.h"
#include "base/sort.h"
#include "views/states.h"

enum { STATE, TIME, VALUE, MARK, ARROW }; /* as kinds */

static const char *const how_words[] = { "whole", "no begin", "no end", "cut", "thread ended",
	"outer ended" };
enum { WHOLE, NO_BEGIN, NO_END, CUT, ENDED, LEFT };
static const char *const doing_words[] = { "running", "interrupted", "stolen", "runnable",
	"blocked", "stopped", "unknown" };

/* ---- words ---- */

static const struct view_row_of *row_at(const struct kernel_host *h, int64_t row)
{
	return h->views && row >= 0 && row < h->views->n_rows ? &h->views->rows[row] : NULL;
}

static int64_t row_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct view_fact *)f)->row;
}

static const char *row_text(const struct kernel_host *h, int64_t row)
{
	const struct view_row_of *r = row_at(h, row);
	return r ? view_word(h->views, r->label) : NULL;
}

static const char *under_text(const struct kernel_host *h, int64_t row)
{
	const struct view_row_of *r = row_at(h, row);
	return r ? view_word(h->views, r->under) : NULL;
}

static const char *view_text(const struct kernel_host *h, int64_t row)
{
	const struct view_row_of *r = row_at(h, row);
	return r ? h->views->of->views[r->view]->name : NULL;
}

static const char *unit_text(const struct kernel_host *h, int64_t row)
{
	const struct view_row_of *r = row_at(h, row);
	const char *unit = r ? h->views->of->views[r->view]->rows[r->row].unit : NULL;
	return unit ? unit : "count";
}

static const char *word_text(const struct kernel_host *h, int64_t word)
{
	return h->views ? view_word(h->views, (uint32_t)word) : NULL;
}

static const char *cause_text(const struct kernel_host *h, int64_t cause)
{
	(void)h;
	return kernel_cause_name((enum kernel_cause)cause);
}

#define WORD_OF(name_, struct_, member_)                                                           \
	static int64_t name_(const struct kernel_host *h, const struct fact *f)                    \
	{                                                                                          \
		uint32_t word = ((const struct struct_ *)f)->member_;                              \
		(void)h;                                                                           \
		return word == KERNEL_NONE ? FACT_UNKNOWN : (int64_t)word;                         \
	}
WORD_OF(state_of_state, view_state_fact, word)
WORD_OF(around_of_state, view_state_fact, within)
WORD_OF(state_of_time, view_time_fact, word)
WORD_OF(text_of_mark, view_mark_fact, word)

static int64_t cause_of(const struct kernel_host *h, const struct fact *f)
{
	uint8_t cause = ((const struct view_time_fact *)f)->cause;
	(void)h;
	return f->choice == VIEW_BLOCKED && cause ? cause : FACT_UNKNOWN;
}

static const struct view_link *link_at(const struct kernel_host *h, int64_t link)
{
	return h->views && link >= 0 && link < h->views->of->n_links ? &h->views->of->links[link]
								     : NULL;
}

static int64_t link_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct view_arrow_fact *)f)->link;
}

static const char *arrow_text(const struct kernel_host *h, int64_t link)
{
	const struct view_link *l = link_at(h, link);
	return l ? h->views->of->views[l->view]->arrows[l->arrow].name : NULL;
}

static const char *from_text(const struct kernel_host *h, int64_t link)
{
	const struct view_link *l = link_at(h, link);
	const struct view_host *from = l ? &h->views->of->hosts[l->from_host] : NULL;
	return from ? view_word(from, from->rows[l->from_row].label) : NULL;
}

static const char *from_host_text(const struct kernel_host *h, int64_t link)
{
	const struct view_link *l = link_at(h, link);
	return l ? h->views->of->hosts[l->from_host].name : NULL;
}

#define TEXT_VIEW(key_, title_, get_, text_)                                                       \
	{                                                                                          \
		key_, title_, MER_TEXT, FACT_BY_FUNCTION, .get = get_, .meaning = FACT_TEXT,       \
							  .text = text_                            \
	}
#define ROW_VIEWS                                                                                  \
	TEXT_VIEW("view", "view", row_of, view_text), TEXT_VIEW("row", "row", row_of, row_text),   \
		TEXT_VIEW("under", "group", row_of, under_text)
#define ROW_FIELDS                                                                                 \
	{ "row_number", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct view_fact, row) },           \
	{                                                                                          \
		"thread_tid", "thread", MER_ID, FACT_NUMBER, FACT_MEMBER(struct view_fact, tid),   \
			FACT_NONE_IS(-1)                                                           \
	}

/* ---- kinds ---- */

static const struct fact_maker maker;

static const struct fact_field state_fields[] = { ROW_FIELDS,
	{ "seen", "ends", MER_TEXT, FACT_WORDS(how_words), FACT_MEMBER(struct fact, choice) },
	{ "exclusive_ns", "exclusive", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct view_state_fact, own_ns) },
	{ "depth", "depth", MER_ID, FACT_NUMBER, FACT_MEMBER(struct view_state_fact, depth) },
	{ "again", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct view_state_fact, again) },
	{ "again_in_row", NULL, MER_ID, FACT_NUMBER,
		FACT_MEMBER(struct view_state_fact, again_in_row) },
	{ 0 } };
static const struct fact_view state_views[] = { ROW_VIEWS,
	TEXT_VIEW("state", "state", state_of_state, word_text),
	TEXT_VIEW("within", "within", around_of_state, word_text), { 0 } };
const struct fact_kind fact_view_state = { .id = "view_state",
	.title = "States of programs",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct view_state_fact),
	.of_tasks = true,
	.thread = "thread_tid",
	.fields = state_fields,
	.views = state_views,
	.duration = "duration_ns",
	.name = "state" };

static const struct fact_field time_fields[] = { ROW_FIELDS,
	{ "doing", "kernel", MER_TEXT, FACT_WORDS(doing_words), FACT_MEMBER(struct fact, choice) },
	{ "state_ns", "state lasted", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct view_time_fact, state_ns) },
	{ 0 } };
static const struct fact_view time_views[] = { ROW_VIEWS,
	TEXT_VIEW("state", "state", state_of_time, word_text),
	TEXT_VIEW("cause", "blocked on", cause_of, cause_text), { 0 } };
const struct fact_kind fact_view_time = { .id = "view_time",
	.title = "Time in states of programs",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct view_time_fact),
	.of_tasks = true,
	.thread = "thread_tid",
	.fields = time_fields,
	.views = time_views,
	.duration = "state_ns",
	.name = "state" };

static const struct fact_field value_fields[] = { ROW_FIELDS,
	{ "value", "value", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct view_value_fact, value) },
	{ 0 } };
static const struct fact_view value_views[] = { ROW_VIEWS,
	TEXT_VIEW("unit", "unit", row_of, unit_text), { 0 } };
const struct fact_kind fact_view_value = { .id = "view_value",
	.title = "Values of programs",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct view_value_fact),
	.of_tasks = true,
	.thread = "thread_tid",
	.fields = value_fields,
	.views = value_views,
	.name = "row" };

static const struct fact_field mark_fields[] = { ROW_FIELDS, { 0 } };
static const struct fact_view mark_views[] = { ROW_VIEWS,
	TEXT_VIEW("text", "text", text_of_mark, word_text), { 0 } };
const struct fact_kind fact_view_mark = { .id = "view_mark",
	.title = "Marks of programs",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct view_mark_fact),
	.of_tasks = true,
	.thread = "thread_tid",
	.fields = mark_fields,
	.views = mark_views,
	.name = "text" };

static const struct fact_field arrow_fields[] = { ROW_FIELDS, { 0 } };
static const struct fact_view arrow_views[] = { ROW_VIEWS,
	TEXT_VIEW("arrow", "arrow", link_of, arrow_text),
	TEXT_VIEW("from", "from", link_of, from_text),
	TEXT_VIEW("from_host", "from host", link_of, from_host_text), { 0 } };
const struct fact_kind fact_view_arrow = { .id = "view_arrow",
	.title = "Arrows between rows",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct view_arrow_fact),
	.of_tasks = true,
	.thread = "thread_tid",
	.fields = arrow_fields,
	.views = arrow_views,
	.duration = "duration_ns",
	.name = "arrow" };

/* ---- whose time it was ---- */

struct place { /* in the pieces of a lane */
	uint32_t piece;
	bool begun;
	int64_t done; /* facts are complete up to here */
};

struct life { /* of a task */
	int32_t tid;
	uint32_t task;
	int64_t begin;
};

struct state {
	struct place *places; /* by lane */
	struct life *lives;   /* by tid and begin */
	size_t n_lives;
};

static void free_state(void *state)
{
	struct state *s = state;
	free(s->places);
	free(s->lives);
}

static struct place *place_of(struct fact_host *f, const struct view_host *v, uint32_t lane)
{
	struct state *s = f->state;
	if (!s->places)
		s->places = calloc((size_t)v->n_lanes + 1, sizeof(*s->places));
	struct place *p = s->places ? &s->places[lane] : NULL;
	if (p && !p->begun)
		*p = (struct place){ v->lanes[lane].first, true, INT64_MIN };
	return p;
}

static int add_time(struct fact_host *f, const struct kernel_host *h, uint32_t state, int64_t begin,
	int64_t end, const struct view_time_fact *as)
{
	const struct view_state *s = &h->views->states[state];
	struct view_time_fact x = *as;
	x.of.fact.begin = begin;
	x.of.fact.end = end;
	x.of.row = s->row;
	x.of.tid = s->tid;
	x.state_ns = s->end - s->begin;
	x.word = s->word;
	return end > begin ? fact_add(f, h, TIME, &x) : 0;
}

/* Makes facts of the lane's pieces up to `to`: from `from` on the thread did what `as` says;
 * before that it is not known. */
static int take_lane(struct fact_host *f, const struct kernel_host *h, uint32_t lane, int64_t from,
	int64_t to, const struct view_time_fact *as)
{
	static const struct view_time_fact unknown = {
		.of = { .fact = { .task = KERNEL_NONE,
				.cpu = KERNEL_NO_CPU,
				.choice = VIEW_NOT_KNOWN } }
	};
	const struct view_host *v = h->views;
	struct place *p = place_of(f, v, lane);
	int rc = 0;
	if (!p)
		return mer_fail_nomem(f->err);
	uint32_t end = v->lanes[lane].first + v->lanes[lane].n;
	while (rc == 0 && p->piece < end && v->pieces[p->piece].begin < to) {
		const struct view_piece *piece = &v->pieces[p->piece];
		if (p->done < piece->begin)
			p->done = piece->begin;
		if (p->done < from) {
			int64_t until = from < piece->end ? from : piece->end;
			rc = add_time(f, h, piece->state, p->done, until, &unknown);
			p->done = until;
		}
		int64_t until = piece->end < to ? piece->end : to;
		if (rc == 0 && p->done < until) {
			rc = add_time(f, h, piece->state, p->done, until, as);
			p->done = until;
		}
		if (p->done < piece->end)
			break;
		p->piece++;
	}
	return rc;
}

static enum view_doing doing_of(const struct kernel_span *k)
{
	if (kernel_is_away(k))
		return VIEW_STOLEN;
	if (k->state == KERNEL_INTERRUPTED)
		return VIEW_INTERRUPTED;
	if (kernel_is_on_cpu((enum kernel_state)k->state))
		return VIEW_RUNS;
	switch ((enum kernel_state)k->state) {
	case KERNEL_RUNNABLE: return VIEW_RUNNABLE;
	case KERNEL_BLOCKED: return VIEW_BLOCKED;
	case KERNEL_STOPPED: return VIEW_STOPPED;
	default: return VIEW_NOT_KNOWN;
	}
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	const struct view_host *v = h->views;
	const struct kernel_span *k = kernel_span(h, span);
	int32_t tid = h->tasks[k->task].tid;
	int rc = 0;
	if (!v || tid <= 0 || !fact_is_used(f, TIME))
		return 0;
	struct view_time_fact as = {
		.of = { .fact = { .task = k->task, .cpu = k->cpu, .choice = doing_of(k) } },
		.cause = k->cause
	};
	for (uint32_t i = 0; i < v->of->n_views && rc == 0; i++) {
		const uint32_t *lane = mer_map_get(&v->lane_of, (uint64_t)i << 32 | (uint32_t)tid);
		if (lane && *lane)
			rc = take_lane(f, h, *lane - 1, k->begin, end, &as);
	}
	return rc;
}

/* ---- the rest, in the end ---- */

static int compare_lives(const void *a, const void *b)
{
	const struct life *p = a, *q = b;
	if (p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	return (p->begin > q->begin) - (p->begin < q->begin);
}

static int find_lives(struct fact_host *f, const struct kernel_host *h)
{
	struct state *s = f->state;
	s->lives = calloc((size_t)h->n_tasks + 1, sizeof(*s->lives));
	if (!s->lives)
		return mer_fail_nomem(f->err);
	for (uint32_t i = 0; i < h->n_tasks; i++)
		if (h->tasks[i].tid > 0)
			s->lives[s->n_lives++] =
				(struct life){ h->tasks[i].tid, i, h->tasks[i].begin };
	if (s->n_lives)
		qsort(s->lives, s->n_lives, sizeof(*s->lives), compare_lives);
	return 0;
}

/* The last task with this tid that had begun by then. */
static uint32_t task_at(const struct state *s, int32_t tid, int64_t time)
{
	if (tid <= 0)
		return KERNEL_NONE;
	MER_LOWER_BOUND(i, 0, s->n_lives, at,
		s->lives[at].tid < tid || (s->lives[at].tid == tid && s->lives[at].begin <= time));
	return i && s->lives[i - 1].tid == tid ? s->lives[i - 1].task : KERNEL_NONE;
}

static uint16_t how_of(const struct view_state *s)
{
	if (s->how & VIEW_GONE)
		return ENDED;
	if (s->how & VIEW_LOST)
		return CUT;
	if (s->how & VIEW_LEFT)
		return LEFT;
	return s->how & VIEW_NO_BEGIN ? NO_BEGIN : s->how & VIEW_NO_END ? NO_END : WHOLE;
}

static struct view_fact base_of(const struct state *s, uint32_t row, int32_t tid, int64_t begin,
	int64_t end, uint16_t choice)
{
	return (struct view_fact){ .fact = { .begin = begin,
					   .end = end,
					   .task = task_at(s, tid, begin),
					   .cpu = KERNEL_NO_CPU,
					   .choice = choice },
		.row = row,
		.tid = tid };
}

static int end_states(struct fact_host *f, const struct kernel_host *h)
{
	const struct view_host *v = h->views;
	int rc = 0;
	for (uint32_t i = 0; i < v->n_states && rc == 0; i++) {
		const struct view_state *s = &v->states[i];
		struct view_state_fact x = { .of = base_of(f->state, s->row, s->tid, s->begin,
						     s->end, how_of(s)),
			.own_ns = s->own_ns,
			.word = s->word,
			.within = s->within == VIEW_NONE ? KERNEL_NONE : v->states[s->within].word,
			.colour = s->colour,
			.depth = s->depth,
			.again = s->is_again,
			.again_in_row = s->is_again_in_row };
		rc = fact_add(f, h, STATE, &x);
	}
	return rc;
}

/* A value holds until the next one of its row. */
static int end_values(struct fact_host *f, const struct kernel_host *h)
{
	const struct view_host *v = h->views;
	/* index of a sample, plus 1 */
	uint32_t *next = calloc((size_t)v->n_rows + 1, sizeof(*next));
	int rc = next ? 0 : mer_fail_nomem(f->err);
	for (uint32_t i = 0; i <= v->n_samples && rc == 0; i++) {
		bool is_last = i == v->n_samples;
		uint32_t from = is_last ? 0 : v->samples[i].row,
			 to = is_last ? v->n_rows : from + 1;
		for (uint32_t row = from; row < to && rc == 0; row++) {
			int64_t end = is_last ? v->end : v->samples[i].time;
			const struct view_sample *s = next[row] ? &v->samples[next[row] - 1] : NULL;
			struct view_value_fact x = { .value = s ? s->value : 0 };
			if (s)
				x.of = base_of(f->state, row, v->rows[row].tid, s->time, end, 0);
			if (s && end > s->time)
				rc = fact_add(f, h, VALUE, &x);
			next[row] = i + 1;
		}
	}
	free(next);
	return rc;
}

static int end_marks(struct fact_host *f, const struct kernel_host *h)
{
	const struct view_host *v = h->views;
	int rc = 0;
	for (uint32_t i = 0; i < v->n_marks && rc == 0; i++) {
		const struct view_mark *m = &v->marks[i];
		struct view_mark_fact x = { .of = base_of(
						    f->state, m->row, m->tid, m->time, m->time, 0),
			.word = m->word };
		rc = fact_add(f, h, MARK, &x);
	}
	return rc;
}

static int end_arrows(struct fact_host *f, const struct kernel_host *h)
{
	const struct view_states *all = h->views->of;
	int rc = 0;
	for (uint32_t i = 0; i < all->n_links && rc == 0; i++) {
		const struct view_link *l = &all->links[i];
		if (l->to_host != f->host)
			continue;
		struct view_arrow_fact x = { .of = base_of(f->state, l->to_row,
						     h->views->rows[l->to_row].tid, l->begin,
						     l->end, 0),
			.from_host = l->from_host,
			.from_row = l->from_row,
			.link = i };
		rc = fact_add(f, h, ARROW, &x);
	}
	return rc;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	static const struct view_time_fact nothing;
	int rc = 0;
	(void)w;
	if (!h->views)
		return 0;
	for (uint32_t i = 0; i < h->views->n_lanes && fact_is_used(f, TIME) && rc == 0; i++)
		rc = take_lane(f, h, i, INT64_MAX, INT64_MAX, &nothing);
	if (rc == 0)
		rc = find_lives(f, h);
	if (rc == 0 && fact_is_used(f, STATE))
		rc = end_states(f, h);
	if (rc == 0 && fact_is_used(f, VALUE))
		rc = end_values(f, h);
	if (rc == 0 && fact_is_used(f, MARK))
		rc = end_marks(f, h);
	if (rc == 0 && fact_is_used(f, ARROW))
		rc = end_arrows(f, h);
	return rc;
}

static const struct fact_kind *const kinds[] = { &fact_view_state, &fact_view_time,
	&fact_view_value, &fact_view_mark, &fact_view_arrow, NULL };
static const struct fact_maker maker = { .id = "view",
	.kinds = kinds,
	.state_size = sizeof(struct state),
	.on = { .span = on_span },
	.end = end,
	.free_state = free_state };
