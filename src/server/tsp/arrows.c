/* Arrows between threads: from the task that ended a wait to the task that waited, also across
 * hosts. In a window with too many spans, only messages between hosts are shown. Arrows that would
 * lie on top of each other become one. */
#include <string.h>
#include "base/map.h"
#include "path/account_index.h"
#include "server/tsp/lanes.h"
#include "trace/experiment.h"

enum { MOST = 4000, BINS = 500 };

struct arrows {
	struct tsp *t;
	struct session_world *w;
	struct session_window window;
	struct mer_map seen; /* hash of both ends and the bin -> 1 */
	size_t n;
};

/* Is this the first arrow between these ends in this bin? */
static bool is_new(struct arrows *x, int64_t source, int64_t target, int64_t time)
{
	uint64_t width = (uint64_t)(x->window.end - x->window.begin) / BINS + 1;
	const uint64_t what[] = { (uint64_t)source, (uint64_t)target,
		(uint64_t)(time - x->window.begin) / width };
	uint32_t *seen = mer_map_put(&x->seen, mer_hash(what, sizeof(what)));
	return seen && !(*seen)++;
}

static void put(struct arrows *x, int64_t source, int64_t target, int64_t begin, int64_t end,
	const char *style)
{
	struct mer_json *j = &x->t->j;
	if (x->n >= MOST || source == target || !is_new(x, source, target, end))
		return;
	x->n++;
	mer_json_begin_object(j);
	mer_json_kv_int(j, "sourceId", source);
	mer_json_kv_int(j, "targetId", target);
	mer_json_kv_int(j, "start", begin);
	mer_json_kv_int(j, "end", end);
	tsp_put_style(j, style);
	mer_json_end_object(j);
}

/* ---- Wake-ups ---- */

static void put_wake_up(
	struct arrows *x, const struct session_lane *lane, const struct session_lane_span *s)
{
	const struct kernel_world *world = x->w->world;
	struct kernel_waker by;
	if (s->state != KERNEL_BLOCKED || s->end >= x->window.end || s->end < x->window.begin ||
		!account_find_waker(world, lane->host, s->span, INT64_MAX, &by))
		return;
	int64_t asked = by.asked < s->end ? by.asked : s->end;
	put(x, tsp_entry(TSP_TASK, by.host, by.task), tsp_entry(TSP_TASK, lane->host, lane->number),
		asked, s->end, by.host == lane->host ? "wake-up" : "message");
}

static int put_wake_ups(struct arrows *x, struct session_lanes *l, struct mer_err *err)
{
	int rc = session_lanes_read(x->w, &x->window, 0, l, err);
	for (size_t i = 0; rc == 0 && i < l->n_spans; i++)
		put_wake_up(x, &l->item[l->spans[i].lane], &l->spans[i]);
	return rc;
}

/* ---- Messages between hosts ---- */

static uint32_t task_of(const struct kernel_host *h, uint32_t span)
{
	return span == KERNEL_NONE || span >= h->n_spans ? KERNEL_NONE : kernel_span(h, span)->task;
}

static int put_messages(struct arrows *x, struct mer_err *err)
{
	const struct kernel_world *world = x->w->world;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < world->n_bridges; i++) {
		const struct kernel_bridge *b = kernel_bridge_at(world, i);
		struct kernel_bridge_end from = b->from, to = b->to;
		if (i % 4096 == 0)
			rc = kernel_world_go_on(world, err);
		if (from.time >= x->window.end)
			break; /* they are ordered by the time of sending */
		if (to.time < x->window.begin || from.host == to.host ||
			!is_new(x, -1 - (int64_t)from.host, -1 - (int64_t)to.host, from.time))
			continue;
		uint32_t source = task_of(&world->hosts[from.host], from.span);
		uint32_t target = task_of(&world->hosts[to.host], to.span);
		if (source != KERNEL_NONE && target != KERNEL_NONE)
			put(x, tsp_entry(TSP_TASK, from.host, source),
				tsp_entry(TSP_TASK, to.host, target), from.time, to.time,
				"message");
	}
	return rc;
}

int tsp_threads_arrows(struct tsp *t, struct mer_err *err)
{
	const struct session_selection all = { 0 };
	struct session_world w;
	struct session_tasks tasks;
	struct session_lanes l = { 0 };
	struct arrows x = { .t = t, .w = &w, .window = tsp_window(t) };
	int rc = tsp_world(t, &w, err);
	if (rc == 0)
		rc = session_tasks_find(&w, &all, &x.window, &t->arena, &tasks, err);
	if (rc == 0)
		rc = session_lanes_of_tasks(&tasks, &t->arena, &l, err);
	mer_json_begin_array(&t->j);
	if (rc == 0)
		rc = server_lanes_are_few(&w, &l, &x.window) ? put_wake_ups(&x, &l, err)
							     : put_messages(&x, err);
	mer_json_end_array(&t->j);
	session_lanes_fini(&l);
	mer_map_fini(&x.seen);
	return rc;
}
