/* Facts about tasks of guests whose vCPUs are known: parts of their time on a CPU (which add up
 * exactly), each time when their CPU was stolen, and what took much longer than usual.
 *
 * An outlier is a call, or a stretch in user mode without any event, of more than 20 times the
 * median of its kind (calls of that name on the host; stretches of that task) and 1 ms. The
 * median is known when everything has been read; candidates are held back until then. */
#include <stdlib.h>
#include <string.h>

#include "analysis/all.h"
#include "analysis/facts/guest.h"
#include "base/grow.h"
#include "kernel/vm/culprit.h"

/* ---- facts ---- */

static const char *const kind_words[GUEST_N_KINDS] = { "guest", "hypervisor", "user", "stolen",
	"unknown" };
static const char *const outlier_words[] = { "call", "user" };
static const struct fact_maker maker;

#define NUMBER_OF(struct_)                                                                         \
	uint32_t absence = ((const struct struct_ *)f)->absence;                                   \
	(void)h;                                                                                   \
	return absence == KERNEL_NONE ? FACT_UNKNOWN : (int64_t)absence;
static int64_t absence_of_time(const struct kernel_host *h, const struct fact *f)
{
	NUMBER_OF(guest_time)
}
/* The absence that had the CPU for most of the part that lies in a window. */
static int64_t absence_of_stolen(const struct kernel_host *h, const struct fact *f)
{
	uint32_t absence =
		h->guest ? kernel_culprit_of(h->guest, f->cpu, f->begin, f->end) : KERNEL_NONE;
	return absence == KERNEL_NONE ? FACT_UNKNOWN : (int64_t)absence;
}
static int64_t absence_of_outlier(const struct kernel_host *h, const struct fact *f)
{
	NUMBER_OF(vm_outlier)
}

static const struct kernel_absence *absence_at(const struct kernel_host *h, int64_t number)
{
	return h->guest && number >= 0 && number < h->guest->n ? &h->guest->absences[number] : NULL;
}

static const char *words_of(const struct kernel_host *h, int64_t number)
{
	const char *words = kernel_absence_words(h->guest, (uint32_t)number);
	return *words ? words : NULL;
}

#define TEXT_OF(name_, member_)                                                                    \
	static const char *name_(const struct kernel_host *h, int64_t number)                      \
	{                                                                                          \
		const struct kernel_absence *a = absence_at(h, number);                            \
		const char *text = a ? kernel_guest_text(h->guest, a->member_) : "";               \
		return *text ? text : NULL;                                                        \
	}
TEXT_OF(host_text, host)
TEXT_OF(comm_text, by_comm)
TEXT_OF(guest_text, guest)
TEXT_OF(guest_comm_text, guest_comm)
TEXT_OF(neighbour_text, neighbour)

#define TIDS_OF(of_)                                                                               \
	static int64_t by_tid_of_##of_(const struct kernel_host *h, const struct fact *f)          \
	{                                                                                          \
		const struct kernel_absence *a = absence_at(h, absence_of_##of_(h, f));            \
		return a && a->by_tid > 0 ? a->by_tid : FACT_UNKNOWN;                              \
	}                                                                                          \
	static int64_t guest_tid_of_##of_(const struct kernel_host *h, const struct fact *f)       \
	{                                                                                          \
		const struct kernel_absence *a = absence_at(h, absence_of_##of_(h, f));            \
		return a && a->guest_tid > 0 ? a->guest_tid : FACT_UNKNOWN;                        \
	}
TIDS_OF(time)
TIDS_OF(stolen)

#define ABSENCE_FIELD(struct_)                                                                     \
	{                                                                                          \
		"absence", NULL, MER_ID, FACT_NUMBER, FACT_MEMBER(struct struct_, absence),        \
			FACT_NONE_IS(KERNEL_NONE)                                                  \
	}
#define TEXT_VIEW(key_, title_, get_, text_)                                                       \
	{                                                                                          \
		key_, title_, MER_TEXT, FACT_BY_FUNCTION, .get = get_, .meaning = FACT_TEXT,       \
							  .text = text_                            \
	}
/* What stole the time. */
#define CULPRIT_VIEWS(of_)                                                                         \
	TEXT_VIEW("neighbour", "by", absence_of_##of_, neighbour_text),                            \
		TEXT_VIEW("culprit", "by", absence_of_##of_, words_of),                            \
		TEXT_VIEW("by_host", "on", absence_of_##of_, host_text),                           \
		{ "by_tid", "by tid", MER_ID, FACT_BY_FUNCTION, .get = by_tid_of_##of_ },          \
		TEXT_VIEW("by_comm", "by", absence_of_##of_, comm_text),                           \
		TEXT_VIEW("guest", "its guest", absence_of_##of_, guest_text),                     \
		{ "guest_tid", "guest tid", MER_ID, FACT_BY_FUNCTION, .get = guest_tid_of_##of_ }, \
		TEXT_VIEW("guest_comm", "guest task", absence_of_##of_, guest_comm_text)

static const struct fact_field time_fields[] = { { "kind", "kind", MER_TEXT, FACT_WORDS(kind_words),
							 FACT_MEMBER(struct fact, choice) },
	ABSENCE_FIELD(guest_time), { 0 } };
static const struct fact_view time_views[] = { CULPRIT_VIEWS(time), { 0 } };
const struct fact_kind fact_guest_time = {
	.id = "guest_time",
	.title = "Time of tasks of guests",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct guest_time),
	.fields = time_fields,
	.views = time_views,
};

static const struct fact_field stolen_fields[] = { { 0 } }; /* no fields of its own */
static const struct fact_view stolen_views[] = { CULPRIT_VIEWS(stolen), { 0 } };
const struct fact_kind fact_stolen = {
	.id = "stolen",
	.title = "Stolen time of guests",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct stolen),
	.fields = stolen_fields,
	.views = stolen_views,
	.duration = "duration_ns",
};

static int64_t rest_of(const struct kernel_host *h, const struct fact *f)
{
	const struct vm_outlier *x = (const struct vm_outlier *)f;
	(void)h;
	return f->end - f->begin - x->stolen - x->hypervisor;
}

static const struct fact_field outlier_fields[] = {
	{ "kind", "kind", MER_TEXT, FACT_WORDS(outlier_words), FACT_MEMBER(struct fact, choice) },
	{ "median_ns", "median", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct vm_outlier, median) },
	{ "stolen_ns", "stolen", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct vm_outlier, stolen) },
	{ "hypervisor_ns", "hypervisor", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct vm_outlier, hypervisor) },
	{ "the_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct vm_outlier, call),
		FACT_NONE_IS(KERNEL_NONE) },
	ABSENCE_FIELD(vm_outlier), { 0 }
};
static const struct fact_view outlier_views[] = { TEXT_VIEW(
							  "by", "by", absence_of_outlier, words_of),
	{ "call", "call", MER_TEXT, FACT_CALL_NAME, .of = "the_call" },
	{ "object", "object", MER_TEXT, FACT_CALL_OBJECT, .of = "the_call" },
	{ "rest_ns", "rest", MER_DURATION, FACT_BY_FUNCTION, .get = rest_of }, { 0 } };
const struct fact_kind fact_vm_outlier = {
	.id = "vm_outlier",
	.title = "What took much longer than usual in guests",
	.maker = &maker,
	.rule = FACT_OVERLAPS,
	.size = sizeof(struct vm_outlier),
	.fields = outlier_fields,
	.views = outlier_views,
	.duration = "duration_ns",
};

/* ---- their maker ---- */

enum { TIME, STOLEN, OUTLIER };
enum { MIN_NS = 1000000, TIMES = 20, FINE_BITS = 3, FINE = 1 << FINE_BITS, BUCKETS = 64 * FINE };

/* Counts of lengths, in 8 buckets for each power of two: gives the median to 1 in 8. */
struct lengths {
	uint32_t *n; /* BUCKETS counters; malloc'ed; NULL: none yet */
	uint64_t total;
};

struct away { /* absences during something that has not ended yet */
	int64_t stolen, hypervisor;
	struct kernel_thefts thefts;
};

struct task {
	struct stolen theft;
	bool is_open;
	struct away in_call, in_user;
	int64_t user_begin, user_end; /* stretch in user mode; begin INT64_MIN: none */
	struct lengths user;
};

struct state {
	struct task *tasks;
	size_t cap_tasks;
	struct lengths *calls; /* by index of the call's row */
	size_t cap_calls;
	struct vm_outlier *held;
	size_t n_held, cap_held;
};

static unsigned bucket_of(int64_t ns)
{
	uint64_t v = ns > 0 ? (uint64_t)ns : 0;
	if (v < FINE)
		return (unsigned)v;
	unsigned power = 63 - (unsigned)__builtin_clzll(v) - FINE_BITS;
	return (power + 1) * FINE + (unsigned)(v >> power & (FINE - 1));
}

static int64_t bucket_begin(unsigned b)
{
	unsigned power = b / FINE;
	return power == 0 ? b : (int64_t)((uint64_t)(FINE + b % FINE) << (power - 1));
}

static bool add_length(struct lengths *l, int64_t ns)
{
	if (!l->n)
		l->n = calloc(BUCKETS, sizeof(*l->n));
	if (!l->n)
		return false;
	l->n[bucket_of(ns)]++;
	l->total++;
	return true;
}

static int64_t median_of(const struct lengths *l)
{
	uint64_t sum = 0;
	for (unsigned b = 0; l->n && b < BUCKETS; b++) {
		sum += l->n[b];
		if (2 * sum >= l->total)
			return bucket_begin(b);
	}
	return 0;
}

static int close_theft(struct fact_host *f, const struct kernel_host *h, struct task *t)
{
	if (!t->is_open)
		return 0;
	t->is_open = false;
	return fact_is_used(f, STOLEN) ? fact_add(f, h, STOLEN, &t->theft) : 0;
}

static int add_theft(struct fact_host *f, const struct kernel_host *h, struct task *t,
	const struct guest_time *x)
{
	if (t->is_open && t->theft.fact.end != x->fact.begin) {
		int rc = close_theft(f, h, t);
		if (rc)
			return rc;
	}
	if (!t->is_open) {
		t->theft = (struct stolen){ .fact = x->fact };
		t->theft.fact.choice = 0;
		t->is_open = true;
	}
	t->theft.fact.end = x->fact.end;
	return 0;
}

static bool add_away(
	struct away *a, const struct kernel_guest *g, const struct kernel_span *k, int64_t end)
{
	int64_t ns = end - k->begin;
	if (k->cause == KERNEL_HYPERVISOR)
		a->hypervisor += ns;
	if (k->cause != KERNEL_STOLEN)
		return true;
	a->stolen += ns;
	return kernel_thefts_add(&a->thefts, g, k->source, ns);
}

static void clear_away(struct away *a)
{
	a->stolen = a->hypervisor = 0;
	a->thefts.n = 0;
}

static int hold(struct fact_host *f, const struct fact *fact, uint32_t call, struct away *a)
{
	struct state *s = f->state;
	if (fact->end - fact->begin <= MIN_NS || !fact_is_used(f, OUTLIER))
		return 0;
	if (!mer_grow(&s->held, s->n_held, &s->cap_held, sizeof(*s->held)))
		return mer_fail_nomem(f->err);
	s->held[s->n_held++] = (struct vm_outlier){ .fact = *fact,
		.stolen = a->stolen,
		.hypervisor = a->hypervisor,
		.call = call,
		.absence = kernel_culprit(&a->thefts).absence };
	return 0;
}

static int end_user(struct fact_host *f, struct task *t, uint32_t task, uint16_t cpu)
{
	int rc = 0;
	if (t->user_begin != INT64_MIN) {
		struct fact x = { t->user_begin, t->user_end, task, cpu, OUTLIER_USER };
		if (!add_length(&t->user, x.end - x.begin))
			return mer_fail_nomem(f->err);
		rc = hold(f, &x, KERNEL_NONE, &t->in_user);
	}
	t->user_begin = INT64_MIN;
	clear_away(&t->in_user);
	return rc;
}

/* Finds stretches of user mode, including absences, without any event in between. */
static int follow_user(struct fact_host *f, const struct kernel_guest *g, struct task *t,
	const struct kernel_span *k, int64_t end, bool is_away)
{
	bool is_user = k->state == KERNEL_USER || (is_away && k->call == KERNEL_NONE);
	int rc = 0;
	if (!is_user || (t->user_begin != INT64_MIN && t->user_end != k->begin))
		rc = end_user(f, t, k->task, k->cpu);
	if (rc || !is_user)
		return rc;
	if (t->user_begin == INT64_MIN)
		t->user_begin = k->begin;
	t->user_end = end;
	if (is_away && !add_away(&t->in_user, g, k, end))
		return mer_fail_nomem(f->err);
	return 0;
}

/* ---- parts of the time ---- */

static enum guest_time_kind kind_of(const struct kernel_host *h, const struct kernel_span *k)
{
	if (k->state != KERNEL_INTERRUPTED || k->cause < KERNEL_STOLEN)
		return GUEST_RAN;
	if (k->cause == KERNEL_STOLEN)
		return GUEST_STOLEN;
	return k->source < h->guest->n && h->guest->absences[k->source].state == KERNEL_VCPU_USER
		       ? GUEST_USER
		       : GUEST_HYPERVISOR;
}

static int add_time(struct fact_host *f, const struct kernel_host *h, struct task *t,
	const struct kernel_span *k, int64_t end)
{
	enum guest_time_kind kind = kind_of(h, k);
	struct guest_time x = { .fact = { k->begin, end, k->task, k->cpu, (uint16_t)kind },
		.absence = kind == GUEST_RAN ? KERNEL_NONE : k->source };
	int rc = 0;
	if (kind == GUEST_STOLEN)
		rc = add_theft(f, h, t, &x);
	if (rc || !fact_is_used(f, TIME))
		return rc;
	if (kind != GUEST_RAN)
		return fact_add(f, h, TIME, &x);
	for (int64_t at = k->begin; at < end && rc == 0; at = x.fact.end) {
		bool is_known;
		int64_t until = kernel_guest_known(h->guest, k->cpu, at, &is_known);
		x.fact.begin = at;
		x.fact.end = until < end ? until : end;
		x.fact.choice = is_known ? GUEST_RAN : GUEST_UNKNOWN;
		rc = fact_add(f, h, TIME, &x);
	}
	return rc;
}

static struct task *task_at(struct fact_host *f, uint32_t task)
{
	struct state *s = f->state;
	size_t before = s->cap_tasks;
	struct task *t = mer_grow_at(&s->tasks, &s->cap_tasks, task, sizeof(*s->tasks));
	for (size_t i = before; t && i < s->cap_tasks; i++)
		s->tasks[i].user_begin = INT64_MIN;
	return t;
}

static int on_span(void *ctx, const struct kernel_host *h, uint32_t span, int64_t end)
{
	struct fact_host *f = ctx;
	if (!h->guest)
		return 0;
	const struct kernel_span *k = kernel_span(h, span);
	struct task *t = task_at(f, k->task);
	if (!t)
		return mer_fail_nomem(f->err);
	bool is_away = k->state == KERNEL_INTERRUPTED && k->cause >= KERNEL_STOLEN;
	int rc = follow_user(f, h->guest, t, k, end, is_away);
	if (rc || !kernel_is_on_cpu(k->state) || end <= k->begin)
		return rc;
	if (is_away && k->call != KERNEL_NONE && !add_away(&t->in_call, h->guest, k, end))
		return mer_fail_nomem(f->err);
	if (!is_away && k->call == KERNEL_NONE)
		clear_away(&t->in_call);
	return add_time(f, h, t, k, end);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	struct fact_host *f = ctx;
	struct state *s = f->state;
	if (!h->guest || !fact_is_used(f, OUTLIER))
		return 0;
	struct task *t = task_at(f, c->task);
	struct lengths *l =
		mer_grow_at(&s->calls, &s->cap_calls, h->calls[c->call].id, sizeof(*s->calls));
	if (!t || !l || !add_length(l, c->end - c->begin))
		return mer_fail_nomem(f->err);
	struct fact x = { c->begin, c->end, c->task, c->cpu, OUTLIER_CALL };
	/* Its last span has not been reported yet: it lasts until now. */
	int rc = hold(f, &x, c->call, &t->in_call);
	clear_away(&t->in_call);
	return rc;
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct state *s = f->state;
	int rc = 0;
	(void)w;
	for (size_t i = 0; i < s->cap_tasks && rc == 0; i++) {
		rc = close_theft(f, h, &s->tasks[i]);
		if (rc == 0)
			rc = end_user(f, &s->tasks[i], (uint32_t)i, KERNEL_NO_CPU);
	}
	for (size_t i = 0; i < s->n_held && rc == 0; i++) {
		struct vm_outlier *x = &s->held[i];
		const struct lengths *l = x->call == KERNEL_NONE ? &s->tasks[x->fact.task].user
								 : &s->calls[h->calls[x->call].id];
		x->median = median_of(l);
		if ((x->fact.end - x->fact.begin) / TIMES > x->median)
			rc = fact_add(f, h, OUTLIER, x);
	}
	return rc;
}

static void free_state(void *state)
{
	struct state *s = state;
	for (size_t i = 0; i < s->cap_tasks; i++) {
		kernel_thefts_fini(&s->tasks[i].in_call.thefts);
		kernel_thefts_fini(&s->tasks[i].in_user.thefts);
		free(s->tasks[i].user.n);
	}
	for (size_t i = 0; i < s->cap_calls; i++)
		free(s->calls[i].n);
	free(s->tasks);
	free(s->calls);
	free(s->held);
}

static const struct fact_kind *const kinds[] = {
	[TIME] = &fact_guest_time, [STOLEN] = &fact_stolen, [OUTLIER] = &fact_vm_outlier, NULL
};
static const struct fact_maker maker = {
	.id = "guest",
	.kinds = kinds,
	.wants = KERNEL_WANT_VMS,
	.state_size = sizeof(struct state),
	.on = { .span = on_span, .call = on_call },
	.end = end,
	.free_state = free_state,
};
