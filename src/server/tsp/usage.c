/* CPU usage over time: time on CPUs, of hosts and of threads, in percent of one CPU. Interrupts do
 * not count as time of the task, as in the program's table of CPU usage. Bins may reach beyond the
 * recording: percentages are those of the recorded part of a bin. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "server/tsp/lanes.h"
#include "trace/experiment.h"

enum { MAX_SERIES = 1000 };

static int find_tasks(
	struct tsp *t, struct session_world *w, struct session_tasks *tasks, struct mer_err *err)
{
	const struct session_window ever = { INT64_MIN, INT64_MAX };
	const struct session_selection all = { 0 };
	return session_tasks_find(w, &all, &ever, &t->arena, tasks, err);
}

static void end_series(struct tsp *t, bool is_default)
{
	mer_json_kv_bool(&t->j, "isDefault", is_default);
	mer_json_end_object(&t->j);
}

int tsp_usage_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Process", "host, and its threads", NULL },
		{ "TID", "number of the thread", "NUMBER" } };
	struct session_world w;
	struct session_tasks tasks = { .n = 0 };
	int rc = tsp_world(t, &w, err);
	if (rc == 0)
		rc = find_tasks(t, &w, &tasks, err);
	tsp_begin_tree(&t->j, headers, 2, 1);
	for (uint32_t h = 0; rc == 0 && h < w.e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		const char *of_host[] = { w.e->hosts[h].name, "" };
		tsp_begin_entry(&t->j, tsp_entry(TSP_HOST, h, 0), -1, of_host, 2, 1, 0, true);
		end_series(t, true);
		for (size_t i = 0; i < tasks.n; i++) {
			const struct session_task *s = &tasks.item[i];
			char tid[16];
			const char *labels[] = { session_task_comm(&w, s), tid };
			if (s->host != h)
				continue;
			snprintf(
				tid, sizeof(tid), "%" PRId32, w.world->hosts[h].tasks[s->task].tid);
			tsp_begin_entry(&t->j, tsp_entry(TSP_TASK, h, s->task),
				tsp_entry(TSP_HOST, h, 0), labels, 2, 1, 0, true);
			end_series(t, false);
		}
	}
	tsp_end_tree(&t->j);
	return rc;
}

/* ---- Values ---- */

struct chart {
	struct tsp *t;
	struct session_world w;
	struct store_window bins;
	int64_t *x;
	double *y;
	size_t n_series;
};

static bool is_own(uint8_t state)
{
	return kernel_is_on_cpu((enum kernel_state)state) && state != KERNEL_INTERRUPTED;
}

/* How much of the bin the host's recording covers. */
static int64_t recorded(const struct chart *c, uint32_t host, size_t bin)
{
	const struct kernel_host *h = &c->w.world->hosts[host];
	int64_t begin = c->bins.begin + (int64_t)((uint64_t)bin << c->bins.shift);
	int64_t end = begin + (int64_t)((uint64_t)1 << c->bins.shift);
	begin = begin > h->begin ? begin : h->begin;
	end = end < h->end ? end : h->end;
	return end > begin ? end - begin : 0;
}

/* The sum of these lanes, which are all of this host, as one series. */
static int put_series(struct chart *c, uint32_t host, struct session_lanes *l, int64_t id,
	const char *name, struct mer_err *err)
{
	struct session_window window = tsp_window(c->t);
	memset(c->y, 0, c->bins.n_bins * sizeof(*c->y));
	int rc = l->n ? session_lanes_read(&c->w, &window, tsp_bins(c->t, 0), l, err) : 0;
	for (size_t i = 0; rc == 0 && i < l->n_spans; i++) {
		const struct session_lane_span *s = &l->spans[i];
		size_t first = (size_t)((uint64_t)(s->begin - c->bins.begin) >> c->bins.shift);
		size_t n = (size_t)((uint64_t)(s->end - s->begin) >> c->bins.shift);
		for (size_t k = 0; is_own(s->state) && n && k < n && first + k < c->bins.n_bins;
			k++)
			c->y[first + k] += (double)s->ns / (double)n;
	}
	for (size_t i = 0; i < c->bins.n_bins; i++)
		if (c->y[i] > 0 && recorded(c, host, i))
			c->y[i] *= 100 / (double)recorded(c, host, i);
	if (rc == 0)
		tsp_put_series(&c->t->j, &(struct tsp_series){ .id = id,
						 .name = name,
						 .y_label = "CPU",
						 .y_unit = "%",
						 .x = c->x,
						 .y = c->y,
						 .n = c->bins.n_bins });
	session_lanes_fini(l);
	return rc;
}

static int put_host(struct chart *c, uint32_t host, struct mer_err *err)
{
	struct session_lanes l = { 0 };
	const char *name = session_task_host(&c->w, host);
	const struct session_selection one = { .hosts = { &name, 1 } };
	int rc = session_lanes_of_cpus(&c->w, &one, &c->t->arena, &l, err);
	return rc ? rc : put_series(c, host, &l, tsp_entry(TSP_HOST, host, 0), name, err);
}

static int put_task(struct chart *c, uint32_t host, uint32_t task, struct mer_err *err)
{
	const struct kernel_host *h = &c->w.world->hosts[host];
	struct session_lane lane = { host, false, task };
	struct session_lanes l = { .item = &lane, .n = 1 };
	char name[300];
	if (task >= h->n_tasks)
		return 0;
	snprintf(name, sizeof(name), "%.280s:%" PRId32, kernel_comm(h, task), h->tasks[task].tid);
	return put_series(c, host, &l, tsp_entry(TSP_TASK, host, task), name, err);
}

static int put_item(struct chart *c, int64_t id, struct mer_err *err)
{
	enum tsp_kind kind;
	uint32_t host, number;
	if (!tsp_entry_parts(c->t, id, &kind, &host, &number))
		return 0;
	if (kind != TSP_HOST && kind != TSP_TASK)
		return 0;
	if (++c->n_series > MAX_SERIES)
		return mer_fail(err, MER_ERR_USAGE, "at most %d series at once", (int)MAX_SERIES);
	return kind == TSP_HOST ? put_host(c, host, err) : put_task(c, host, number, err);
}

static int put_chart(struct chart *c, struct mer_err *err)
{
	struct tsp *t = c->t;
	int rc = 0;
	for (uint32_t i = 0; i < c->bins.n_bins; i++)
		c->x[i] = c->bins.begin + (int64_t)((uint64_t)i << c->bins.shift);
	if (c->bins.n_bins && c->x[0] < c->w.e->begin)
		c->x[0] = c->w.e->begin;
	for (size_t i = 0; rc == 0 && i < t->q.n_items; i++)
		rc = put_item(c, t->q.items[i], err);
	for (uint32_t h = 0; rc == 0 && !t->q.has_items && h < c->w.e->n_hosts; h++)
		rc = put_item(c, tsp_entry(TSP_HOST, h, 0), err);
	return rc;
}

int tsp_usage_xy(struct tsp *t, struct mer_err *err)
{
	struct chart c = { .t = t };
	const struct session_window window = tsp_window(t);
	int rc = tsp_world(t, &c.w, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "title", "CPU Usage");
	mer_json_kv_array(&t->j, "series");
	if (rc == 0 && session_lanes_bins(c.w.e, &window, tsp_bins(t, 0), &c.bins)) {
		c.x = mer_arena_zalloc(&t->arena, c.bins.n_bins, sizeof(*c.x));
		c.y = mer_arena_zalloc(&t->arena, c.bins.n_bins, sizeof(*c.y));
		rc = c.x && c.y ? put_chart(&c, err) : mer_fail_nomem(err);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}
