#include "path/blocked_tree.h"

#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "kernel/vm/guests.h"
#include "path/path.h"

enum { DEEPEST = 64 }; /* levels of a path with nodes of their own */

const char *blocked_doing_name(enum blocked_doing d)
{
	static const char *const names[BLOCKED_N_DOINGS] = {
		[BLOCKED_WAITED] = "blocked",
		[BLOCKED_RAN] = "ran",
		[BLOCKED_RUNNABLE] = "runnable",
		[BLOCKED_STOLEN] = "stolen",
		[BLOCKED_HYPERVISOR] = "hypervisor",
		[BLOCKED_STARTED] = "new",
		[BLOCKED_IN_FLIGHT] = "in-flight",
		[BLOCKED_NOT_KNOWN] = "unknown",
	};
	return names[d];
}

void blocked_tree_init(struct blocked_tree *t, const struct blocked *b)
{
	*t = (struct blocked_tree){ .b = b, .first = KERNEL_NONE };
}

void blocked_tree_fini(struct blocked_tree *t)
{
	free(t->nodes);
	mer_map_fini(&t->map);
	*t = (struct blocked_tree){ 0 };
}

/* ---- Nodes ---- */

static const struct kernel_host *host_of(const struct blocked_tree *t, uint32_t host)
{
	return &t->b->world->hosts[host];
}

static bool is_away(uint8_t doing)
{
	return doing == BLOCKED_STOLEN || doing == BLOCKED_HYPERVISOR;
}

/* The node that equals `like` in what identifies it, made when it is new. Names are interned, for
 * each host, so that their addresses tell them apart. */
static uint32_t node(struct blocked_tree *t, const struct blocked_node *like, struct mer_err *err)
{
	struct {
		uint64_t parent, host, task, what;
		const char *comm, *call, *object, *by;
	} key = { like->parent, like->host, like->parent == KERNEL_NONE ? like->task : 0,
		(uint64_t)like->doing << 32 | (uint64_t)like->kind << 24 |
			(uint64_t)like->cause << 16 | (uint64_t)like->class << 8 | like->open,
		like->parent == KERNEL_NONE ? "" : like->comm, like->call, like->object,
		is_away(like->doing) ? like->by : NULL };
	/* A row is its task's, whatever that was called. */
	if (like->parent == KERNEL_NONE)
		key.comm = NULL;
	uint32_t *v = mer_map_put(&t->map, mer_hash(&key, sizeof(key)));
	if (!v) {
		mer_fail_nomem(err);
		return KERNEL_NONE;
	}
	if (*v)
		return *v - 1;
	if (!mer_grow32(&t->nodes, t->n, &t->cap, sizeof(*t->nodes))) {
		mer_fail_nomem(err);
		return KERNEL_NONE;
	}
	struct blocked_node *n = &t->nodes[t->n];
	*n = *like;
	uint32_t *head = n->parent == KERNEL_NONE ? &t->first : &t->nodes[n->parent].child;
	n->child = KERNEL_NONE;
	n->last_span = KERNEL_NONE;
	n->next = *head;
	*head = t->n;
	*v = ++t->n;
	return t->n - 1;
}

static const char *comm_of(const struct blocked_tree *t, uint32_t host, uint32_t task)
{
	return task == KERNEL_NONE ? "" : kernel_comm(host_of(t, host), task);
}

/* What a wait is in, on, and for. */
static void describe(
	const struct blocked_tree *t, const struct blocked_wait *w, struct blocked_node *n)
{
	const struct kernel_host *h = host_of(t, n->host);
	const struct kernel_call *c = w->call == KERNEL_NONE ? NULL : &h->calls[w->call];
	n->doing = BLOCKED_WAITED;
	n->kind = w->kind;
	n->cause = w->cause;
	n->open = w->open;
	n->task = w->task;
	n->call = c ? kernel_name_text(h, c->name) : "";
	n->object = c ? kernel_name_text(h, c->object) : "";
	if (!*n->object)
		n->object = kernel_name_text(h, blocked_disk(t->b, n->host, w));
}

static void note_waker(struct blocked_tree *t, uint32_t at, const struct blocked_wait *w)
{
	struct blocked_node *n = &t->nodes[at];
	bool itself = w->by_host == n->host && w->by_task == w->task; /* by what answers it */
	const char *by =
		w->by_task == KERNEL_NONE || itself ? "" : comm_of(t, w->by_host, w->by_task);
	if (!n->count) {
		n->by = by;
		n->by_host = w->by_host;
	} else if (n->by != by || n->by_host != w->by_host) {
		n->by = NULL;
	}
}

static void count(struct blocked_node *n, uint32_t task, uint32_t span)
{
	if (n->count && n->task != task)
		n->task = KERNEL_NONE;
	n->count += n->last_span != span || span == KERNEL_NONE;
	n->last_span = span;
}

/* ---- What happened inside of waits ---- */

struct inside { /* of one wait: the path from its end backwards */
	struct blocked_tree *t;
	const struct blocked_scope *scope;
	uint32_t row;
	unsigned n; /* levels that are known, the waiter's included */
	struct {
		uint32_t host, task;
	} level[DEEPEST];
};

static uint32_t child(
	struct inside *in, uint32_t parent, struct blocked_node *like, struct mer_err *err)
{
	like->parent = parent;
	like->level = in->t->nodes[parent].level + 1;
	return node(in->t, like, err);
}

/* Sets *at to the node of the wait that the task on this level was in at that time; KERNEL_NONE:
 * it is too deep. */
static int wait_node(struct inside *in, unsigned level, int64_t time, int64_t length, uint32_t *at,
	struct mer_err *err)
{
	uint32_t parent = in->row;
	for (unsigned i = 1; i <= level; i++) {
		uint32_t host = in->level[i].host, task = in->level[i].task;
		const struct blocked_wait *w = blocked_before(in->t->b, host, task, time + 1);
		if (!w || w->end <= time)
			continue; /* it had not blocked: a child was waited for to begin, ... */
		if (in->t->nodes[parent].level >= in->scope->depth) {
			parent = KERNEL_NONE;
			break;
		}
		struct blocked_node like = { .host = host, .comm = comm_of(in->t, host, task) };
		describe(in->t, w, &like);
		parent = child(in, parent, &like, err);
		if (parent == KERNEL_NONE)
			return MER_ERR_NOMEM;
		struct blocked_node *n = &in->t->nodes[parent];
		if (n->last_span != w->whole)
			note_waker(in->t, parent, w);
		count(n, task, w->whole);
		n->total_ns += length;
	}
	*at = parent;
	return 0;
}

static enum blocked_doing doing_of(const struct path_segment *s)
{
	switch ((enum path_cause)s->cause) {
	case PATH_RUNNING:
	case PATH_INTERRUPTED: return BLOCKED_RAN;
	case PATH_RUNNABLE: return BLOCKED_RUNNABLE;
	case PATH_STOLEN: return BLOCKED_STOLEN;
	case PATH_HYPERVISOR: return BLOCKED_HYPERVISOR;
	case PATH_NEW: return BLOCKED_STARTED;
	case PATH_UNKNOWN: return BLOCKED_NOT_KNOWN;
	default: return s->in_flight ? BLOCKED_IN_FLIGHT : BLOCKED_WAITED;
	}
}

/* Who woke without doing anything before has no segment: it is known from the waits themselves. */
static void fill_levels(struct inside *in, unsigned level, int64_t time)
{
	while (in->n < level) {
		const struct blocked_wait *w = blocked_before(
			in->t->b, in->level[in->n - 1].host, in->level[in->n - 1].task, time + 1);
		if (!w || w->end <= time || w->by_task == KERNEL_NONE)
			return;
		in->level[in->n].host = w->by_host;
		in->level[in->n].task = w->by_task;
		in->n++;
	}
}

/* The level of the wait that a segment explains. */
static unsigned level_of(struct inside *in, const struct path_segment *s)
{
	unsigned level = s->depth < DEEPEST ? s->depth : DEEPEST - 1;
	fill_levels(in, s->in_flight && level ? level + 1 : level, s->begin);
	if (s->in_flight || s->task == KERNEL_NONE) { /* to the task that waited for it */
		for (unsigned i = in->n; i-- > 0;)
			if (in->level[i].host == s->host && in->level[i].task == s->task)
				return i;
		return level < in->n ? (level ? level - 1 : 0) : in->n - 1;
	}
	if (level > in->n)
		level = in->n;
	in->level[level].host = s->host;
	in->level[level].task = s->task;
	in->n = level + 1;
	return level - 1;
}

static int add_segment(struct inside *in, const struct path_segment *s, int64_t begin, int64_t end,
	struct mer_err *err)
{
	struct blocked_tree *t = in->t;
	uint32_t parent;
	if (s->depth == 0 && !s->in_flight) {
		in->n = 1;
		return 0;
	}
	unsigned level = level_of(in, s);
	int rc = wait_node(in, level, begin, end - begin, &parent, err);
	if (rc || parent == KERNEL_NONE || t->nodes[parent].level >= in->scope->depth)
		return rc;
	struct blocked_node like = { .host = s->host,
		.task = s->task,
		.comm = comm_of(t, s->host, s->task),
		.call = "",
		.object = "",
		.by = "",
		.doing = (uint8_t)doing_of(s) };
	const struct blocked_wait *w = NULL;
	if (is_away(like.doing))
		like.by = kernel_absence_words(host_of(t, s->host)->guest, s->source);
	if (like.doing == BLOCKED_IN_FLIGHT) { /* of no task */
		like.host = t->nodes[parent].host;
		like.task = KERNEL_NONE;
		like.comm = "";
	}
	if (like.doing == BLOCKED_WAITED && s->task != KERNEL_NONE) {
		w = blocked_before(t->b, s->host, s->task, begin + 1);
		if (w && w->end > begin)
			describe(t, w, &like);
		else
			w = NULL, like.kind = BLOCKED_IN_UNKNOWN;
	}
	uint32_t at = child(in, parent, &like, err);
	if (at == KERNEL_NONE)
		return MER_ERR_NOMEM;
	if (w && t->nodes[at].last_span != w->whole)
		note_waker(t, at, w);
	count(&t->nodes[at], like.task, w ? w->whole : s->span);
	t->nodes[at].total_ns += end - begin;
	return 0;
}

/* Segments from *from back to where the wait began; *from is left there. */
static int add_inside(struct blocked_tree *t, const struct blocked_scope *scope, uint32_t row,
	const struct path *path, int64_t begin, int64_t end, size_t *from, struct mer_err *err)
{
	struct inside in = { .t = t, .scope = scope, .row = row, .n = 1 };
	in.level[0].host = path->host;
	in.level[0].task = path->task;
	int rc = 0;
	while (*from && path->segments[*from - 1].begin >= end)
		--*from;
	for (size_t i = *from; i-- > 0 && path->segments[i].end > begin && !rc;) {
		const struct path_segment *s = &path->segments[i];
		int64_t b = s->begin > begin ? s->begin : begin, e = s->end < end ? s->end : end;
		rc = add_segment(&in, s, b, e, err);
		*from = i + 1; /* it may reach into the wait before */
	}
	return rc;
}

/* ---- Rows ---- */

static int64_t length_in(const struct blocked_wait *w, const struct blocked_scope *scope)
{
	int64_t begin = w->begin > scope->begin ? w->begin : scope->begin;
	int64_t end = w->end < scope->end ? w->end : scope->end;
	return end - begin;
}

/* This piece of a wait and all pieces before it, the first of which began at *begin. */
static int64_t whole_length(const struct blocked_tree *t, uint32_t host,
	const struct blocked_wait *w, const struct blocked_scope *scope, int64_t *begin)
{
	const struct blocked_host *h = &t->b->hosts[host];
	const struct blocked_wait *first = &h->waits[h->first[w->task]], *p = w;
	int64_t length = 0;
	for (; p >= first && p->whole == w->whole && p->end >= scope->begin; p--) {
		length += length_in(p, scope);
		*begin = p->begin > scope->begin ? p->begin : scope->begin;
	}
	return length;
}

static void note_length(struct blocked_node *n, int64_t begin, int64_t length)
{
	n->min_ns = !n->count || length < n->min_ns ? length : n->min_ns;
	if (!n->count || length > n->max_ns) {
		n->max_ns = length;
		n->max_at = begin;
	}
}

static int add_row(struct blocked_tree *t, uint32_t host, const struct blocked_wait *w,
	const struct blocked_scope *scope, uint32_t *row, struct mer_err *err)
{
	struct blocked_node like = { .parent = KERNEL_NONE,
		.host = host,
		.comm = comm_of(t, host, w->task),
		.class = (uint8_t)blocked_class_of(w, scope->chosen) };
	describe(t, w, &like);
	*row = node(t, &like, err);
	if (*row == KERNEL_NONE)
		return MER_ERR_NOMEM;
	struct blocked_node *n = &t->nodes[*row];
	int64_t end = w->end < scope->end ? w->end : scope->end;
	note_waker(t, *row, w);
	if (n->last_span != w->whole) {
		int64_t begin = w->begin, length = whole_length(t, host, w, scope, &begin);
		note_length(n, begin, length);
		if (!n->count)
			n->comm = like.comm;
	}
	count(n, w->task, w->whole);
	n->total_ns += length_in(w, scope);
	int64_t run = w->run < scope->end ? w->run : scope->end;
	n->runnable_ns += run > end ? run - end : 0;
	return 0;
}

/* Stolen, or the guest spun for a lock while one of its CPUs was. */
static bool is_felt(const struct kernel_guest *g, uint32_t absence)
{
	return kernel_absence_cause(g, absence) == KERNEL_STOLEN || g->absences[absence].sibling;
}

/* Stolen time is no wait, but as bad as one: a row for each task that had the CPU. */
static int add_theft(struct blocked_tree *t, uint32_t host, const struct kernel_span *s,
	uint32_t absence, int64_t begin, int64_t length, struct mer_err *err)
{
	const struct kernel_host *h = host_of(t, host);
	enum kernel_cause cause = kernel_absence_cause(h->guest, absence);
	struct blocked_node like = { .parent = KERNEL_NONE,
		.host = host,
		.task = s->task,
		.comm = comm_of(t, host, s->task),
		.call = "",
		.object = "",
		.by = kernel_absence_words(h->guest, absence),
		.doing = cause == KERNEL_STOLEN ? BLOCKED_STOLEN : BLOCKED_HYPERVISOR,
		.kind = BLOCKED_IN_UNKNOWN,
		.cause = (uint8_t)cause,
		.class = BLOCKED_REQUEST };
	uint32_t row = node(t, &like, err);
	if (row == KERNEL_NONE)
		return MER_ERR_NOMEM;
	struct blocked_node *n = &t->nodes[row];
	note_length(n, begin, length);
	n->count++;
	n->total_ns += length;
	return 0;
}

/* While the task was ready for a CPU of its guest, that was stolen from whoever had it. */
static int add_thefts_of_others(struct blocked_tree *t, uint32_t host, uint32_t span, int64_t begin,
	int64_t end, struct mer_err *err)
{
	const struct kernel_guest *g = host_of(t, host)->guest;
	const struct kernel_span *s = kernel_span(host_of(t, host), span);
	int rc = 0;
	for (struct kernel_ready r; end > begin && rc == 0; end = r.begin) {
		r = kernel_guest_ready(g, span, s->cpu, begin, end);
		if (r.absence != KERNEL_NONE && kernel_absence_cause(g, r.absence) == KERNEL_STOLEN)
			rc = add_theft(t, host, s, r.absence, r.begin, end - r.begin, err);
	}
	return rc;
}

static int add_thefts(struct blocked_tree *t, uint32_t host, uint32_t task,
	const struct blocked_scope *scope, struct mer_err *err)
{
	const struct kernel_host *h = host_of(t, host);
	int64_t end = kernel_task_end(h, task);
	int rc = 0;
	for (uint32_t i = h->guest ? h->tasks[task].last : KERNEL_NONE;
		i != KERNEL_NONE && rc == 0 && end > scope->begin;) {
		const struct kernel_span *s = kernel_span(h, i);
		int64_t from = s->begin > scope->begin ? s->begin : scope->begin;
		int64_t until = end < scope->end ? end : scope->end;
		bool is_theft = kernel_is_away(s) && is_felt(h->guest, s->source);
		if (is_theft && until > from)
			rc = add_theft(t, host, s, s->source, from, until - from, err);
		else if (s->state == KERNEL_RUNNABLE)
			rc = add_thefts_of_others(t, host, i, from, until, err);
		end = s->begin;
		i = s->before;
	}
	return rc;
}

int blocked_tree_add(struct blocked_tree *t, uint32_t host, uint32_t task,
	const struct blocked_scope *scope, struct mer_err *err)
{
	const struct blocked_host *h = &t->b->hosts[host];
	struct path path = { 0 };
	bool has_path = false;
	size_t from = 0;
	int rc = 0;
	for (size_t i = h->first[task + 1]; i-- > h->first[task] && !rc;) {
		const struct blocked_wait *w = &h->waits[i];
		uint32_t row;
		if (w->end < scope->begin || w->begin > scope->end ||
			(!scope->all && blocked_class_of(w, scope->chosen) != BLOCKED_REQUEST))
			continue;
		rc = add_row(t, host, w, scope, &row, err);
		if (rc || !scope->depth || blocked_class_of(w, scope->chosen) != BLOCKED_REQUEST)
			continue;
		if (!has_path) {
			rc = path_find(
				t->b->world, host, task, scope->begin, scope->end, &path, err);
			from = path.n_segments;
			has_path = true;
		}
		if (!rc)
			rc = add_inside(t, scope, row, &path, w->begin, w->end, &from, err);
	}
	path_fini(&path);
	return rc ? rc : add_thefts(t, host, task, scope, err);
}

/* ---- Order ---- */

int64_t blocked_rank(const struct blocked_tree *t, uint32_t i)
{
	const int64_t step = INT64_MAX / 8;
	const struct blocked_node *row = &t->nodes[i];
	int64_t total = row->total_ns < step ? row->total_ns : step;
	while (row->level)
		row = &t->nodes[row->parent];
	return total - step * (row->class + (row->class == BLOCKED_IDLE && row->open));
}

struct order {
	int64_t rank;
	uint32_t node;
};

static int highest_first(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node; /* the earlier made */
}

static uint32_t sort_list(struct blocked_tree *t, uint32_t first, struct order *o)
{
	size_t n = 0;
	for (uint32_t i = first; i != KERNEL_NONE; i = t->nodes[i].next)
		o[n++] = (struct order){ blocked_rank(t, i), i };
	qsort(o, n, sizeof(*o), highest_first);
	for (size_t i = 0; i < n; i++)
		t->nodes[o[i].node].next = i + 1 < n ? o[i + 1].node : KERNEL_NONE;
	return n ? o[0].node : KERNEL_NONE;
}

int blocked_tree_sort(struct blocked_tree *t, struct mer_err *err)
{
	struct order *o = calloc((size_t)t->n + 1, sizeof(*o));
	if (!o)
		return mer_fail_nomem(err);
	t->first = sort_list(t, t->first, o);
	for (uint32_t i = 0; i < t->n; i++)
		t->nodes[i].child = sort_list(t, t->nodes[i].child, o);
	free(o);
	return 0;
}
