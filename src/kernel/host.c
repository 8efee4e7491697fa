#include "kernel/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lower_bound.h"
#include "kernel/vm/guests.h"

void kernel_host_init(struct kernel_host *h)
{
	*h = (struct kernel_host){ 0 };
	mer_arena_init(&h->arena);
	mer_intern_init(&h->names, &h->arena);
}

void kernel_host_init_in(struct kernel_host *h, struct mer_spill *spill, bool forgets)
{
	kernel_host_init(h);
	h->log.spill = spill;
	h->log.drops = h->forgets = forgets;
}

void kernel_host_fini(struct kernel_host *h)
{
	for (uint32_t i = 0; i < h->log.n_chunks && h->rests; i++)
		free(h->rests[i]);
	free(h->rests);
	kernel_span_log_fini(&h->log);
	free(h->n_open);
	mer_spill_release(h->tasks);
	mer_spill_release(h->renames);
	free(h->calls);
	mer_spill_release(h->requests);
	mer_map_fini(&h->call_map);
	mer_map_fini(&h->devices);
	mer_map_fini(&h->irq_names);
	mer_map_fini(&h->packages);
	mer_map_fini(&h->cpus);
	kernel_guest_free(h->guest);
	mer_map_fini(&h->first_pieces);
	mer_intern_fini(&h->names);
	mer_arena_fini(&h->arena);
	*h = (struct kernel_host){ 0 };
}

uint32_t kernel_add_task(struct kernel_host *h, int32_t tid, int64_t begin)
{
	if (!mer_spill_grow32(
		    h->log.spill, &h->tasks, h->n_tasks, &h->cap_tasks, sizeof(*h->tasks)))
		return KERNEL_NONE;
	h->tasks[h->n_tasks] = (struct kernel_task){ .begin = begin,
		.end = INT64_MAX,
		.died = INT64_MAX,
		.tid = tid,
		.pid = -1,
		.ppid = -1,
		.vtid = -1,
		.vpid = -1,
		.parent = KERNEL_NONE,
		.last = KERNEL_NONE,
		.name = KERNEL_NONE,
		.prio = KERNEL_NO_PRIO };
	return h->n_tasks++;
}

/* Makes room for what is known of one chunk more. */
static bool grow_rests(struct kernel_host *h)
{
	if (h->log.n_chunks < h->cap_rests)
		return true;
	uint32_t cap = h->cap_rests ? 2 * h->cap_rests : 64;
	uint16_t *n_open = realloc(h->n_open, cap * sizeof(*n_open));
	if (n_open)
		h->n_open = n_open;
	struct kernel_rest **rests = realloc(h->rests, cap * sizeof(*rests));
	if (rests)
		h->rests = rests;
	if (!n_open || !rests)
		return false;
	h->cap_rests = cap;
	return true;
}

static bool add_chunk(struct kernel_host *h)
{
	if ((h->forgets && !grow_rests(h)) || !kernel_span_log_add_chunk(&h->log))
		return false;
	if (h->forgets) {
		h->n_open[h->log.n_chunks - 1] = 0;
		h->rests[h->log.n_chunks - 1] = NULL;
	}
	return true;
}

/* Newest chunks that are whole: what is learned backwards goes back that far. */
enum { KEPT = 64 };

/* Of an older one only those spans are kept that are some task's last: of tasks that ended, or
 * sleep. */
static void forget(struct kernel_host *h, uint32_t chunk)
{
	const struct kernel_span *spans = h->log.chunks[chunk];
	uint32_t n = h->n_open[chunk], first = chunk << KERNEL_CHUNK_BITS;
	struct kernel_rest *rest = NULL;
	if (n) {
		rest = malloc(sizeof(*rest) + n * sizeof(*rest->spans));
		if (!rest)
			return; /* then all of it is kept */
		rest->n = 0;
	}
	for (uint32_t i = 0; i < KERNEL_CHUNK && rest && rest->n < n; i++)
		if (h->tasks[spans[i].task].last == first + i)
			rest->spans[rest->n++] = (struct kernel_rest_span){ first + i, spans[i] };
	h->rests[chunk] = rest;
	kernel_span_log_drop(&h->log, chunk);
}

struct kernel_span *kernel_span_of_rest(const struct kernel_host *h, uint32_t i)
{
	if (h->source)
		return h->source->load(h, i >> KERNEL_CHUNK_BITS) + (i & (KERNEL_CHUNK - 1));
	struct kernel_rest *rest = h->rests[i >> KERNEL_CHUNK_BITS];
	MER_LOWER_BOUND(low, 0, rest ? rest->n : 0, at, rest->spans[at].number < i);
	return rest && low < rest->n && rest->spans[low].number == i ? &rest->spans[low].span
								     : NULL;
}

static void follow_forgetting(struct kernel_host *h, uint32_t last, uint32_t now)
{
	h->n_open[now >> KERNEL_CHUNK_BITS]++;
	if (last != KERNEL_NONE && --h->n_open[last >> KERNEL_CHUNK_BITS] == 0) {
		free(h->rests[last >> KERNEL_CHUNK_BITS]);
		h->rests[last >> KERNEL_CHUNK_BITS] = NULL;
	}
	if ((now & (KERNEL_CHUNK - 1)) == 0 && h->log.n_chunks > KEPT)
		forget(h, h->log.n_chunks - KEPT - 1);
}

uint32_t kernel_add_span(struct kernel_host *h, const struct kernel_span *s)
{
	if (h->n_spans == h->log.n_chunks << KERNEL_CHUNK_BITS && !add_chunk(h))
		return KERNEL_NONE;
	uint32_t i = h->n_spans++;
	struct kernel_span *to = kernel_span(h, i);
	*to = *s;
	to->before = h->tasks[s->task].last;
	h->tasks[s->task].last = i;
	if (h->forgets)
		follow_forgetting(h, to->before, i);
	return i;
}

int kernel_rename(struct kernel_host *h, uint32_t task, int64_t begin, const char *name, size_t len,
	struct mer_err *err)
{
	struct kernel_task *t = &h->tasks[task];
	if (t->name != KERNEL_NONE) {
		const struct mer_intern_text *now = &h->names.texts[h->renames[t->name].name];
		if (now->len == len && memcmp(now->text, name, len) == 0)
			return 0;
	}
	uint32_t id = mer_intern_add(&h->names, name, len);
	if (id == MER_INTERN_NONE || !mer_spill_grow32(h->log.spill, &h->renames, h->n_renames,
					     &h->cap_renames, sizeof(*h->renames)))
		return mer_fail_nomem(err);
	h->renames[h->n_renames] = (struct kernel_name){ begin, id, t->name };
	t->name = h->n_renames++;
	return 0;
}

uint32_t kernel_add_call(struct kernel_host *h, const struct kernel_call *call)
{
	uint32_t key[4] = { call->name, call->object, (uint32_t)call->fd,
		call->kind | (uint32_t)call->end << 8 };
	uint64_t hash = mer_hash(key, sizeof(key));
	uint32_t *slot = mer_map_get(&h->call_map, hash);
	if (slot && *slot) {
		const struct kernel_call *c = &h->calls[*slot - 1];
		if (c->name == call->name && c->object == call->object && c->fd == call->fd &&
			c->kind == call->kind && c->end == call->end)
			return *slot - 1;
	}
	slot = mer_map_put(&h->call_map, hash);
	if (!slot || !mer_grow32(&h->calls, h->n_calls, &h->cap_calls, sizeof(*h->calls)))
		return KERNEL_NONE;
	h->calls[h->n_calls] = *call;
	if (!call->id)
		h->calls[h->n_calls].id = kernel_call_id(kernel_name_text(h, call->name));
	*slot = ++h->n_calls;
	return h->n_calls - 1;
}

uint32_t kernel_add_request(struct kernel_host *h, const struct kernel_request *r)
{
	if (!mer_spill_grow32(h->log.spill, &h->requests, h->n_requests, &h->cap_requests,
		    sizeof(*h->requests)))
		return KERNEL_NONE;
	h->requests[h->n_requests] = *r;
	return h->n_requests++;
}

uint32_t kernel_span_at(const struct kernel_host *h, uint32_t task, int64_t time, uint32_t from)
{
	uint32_t i = from != KERNEL_NONE ? from : h->tasks[task].last;
	if (h->source && i != KERNEL_NONE) {
		uint32_t near = h->source->near(h, task, time);
		i = near < i ? near : i; /* KERNEL_NONE is greater */
	}
	while (i != KERNEL_NONE && kernel_span(h, i)->begin > time)
		i = kernel_span(h, i)->before;
	return i;
}

void kernel_spans_between(
	const struct kernel_host *h, int64_t begin, int64_t end, uint32_t *from, uint32_t *to)
{
	*from = 0;
	*to = h->n_spans;
	if (h->source)
		h->source->between(h, begin, end, from, to);
}

const char *kernel_name_text(const struct kernel_host *h, uint32_t name)
{
	return name == KERNEL_NONE ? "" : mer_intern_text(&h->names, name);
}

const char *kernel_comm(const struct kernel_host *h, uint32_t task)
{
	uint32_t last = h->tasks[task].name;
	return last == KERNEL_NONE ? "" : kernel_name_text(h, h->renames[last].name);
}
