/* States: what lanes did, as rows for a timeline: exact spans if they are few, otherwise one state
 * for each bin. */
#include <string.h>
#include "kernel/losses.h"
#include "server/tsp/lanes.h"
#include "trace/experiment.h"

enum { MAX_LANES = 20000 };

/* ---- Names ---- */

/* The style of a state, by its name in Trace Compass: "Usermode". on_cpu: in the row of a CPU. */
static const char *style_of(uint8_t state, uint8_t cause, bool on_cpu)
{
	switch ((enum kernel_state)state) {
	case KERNEL_RUNNING:
	case KERNEL_USER: return "Usermode";
	case KERNEL_THREAD: return on_cpu ? "System call" : "Usermode";
	case KERNEL_SYSCALL: return "System call";
	case KERNEL_INTERRUPTED:
		if (cause == KERNEL_STOLEN || cause == KERNEL_HYPERVISOR)
			return cause == KERNEL_STOLEN ? "Stolen" : "Hypervisor";
		return !on_cpu ? "Interrupted" : cause == KERNEL_SOFTIRQ ? "Soft Irq" : "IRQ";
	case KERNEL_RUNNABLE: return "Wait for CPU";
	case KERNEL_BLOCKED: return "Wait blocked";
	case KERNEL_NEW:
	case KERNEL_STOPPED: return "Wait unknown";
	case KERNEL_DEAD:
	case KERNEL_UNKNOWN:
	default: return "Unknown";
	}
}

const char *tsp_call_name(const struct kernel_host *h, const struct kernel_span *k)
{
	return k && k->call != KERNEL_NONE && k->call < h->n_calls
		       ? kernel_name_text(h, h->calls[k->call].name)
		       : NULL;
}

/* ---- Which lanes ---- */

static bool is_there(const struct session_world *w, enum tsp_kind kind, uint32_t host, uint32_t n)
{
	return kind == TSP_CPU ? n < KERNEL_NO_CPU : n < w->world->hosts[host].n_tasks;
}

int tsp_lanes_asked(struct tsp *t, const struct session_world *w, enum tsp_kind kind,
	struct session_lanes *l, struct mer_err *err)
{
	if (t->q.has_items) {
		l->n = 0;
		l->item = mer_arena_zalloc(&t->arena, t->q.n_items + 1, sizeof(*l->item));
		if (!l->item)
			return mer_fail_nomem(err);
	}
	for (size_t i = 0; i < t->q.n_items; i++) {
		enum tsp_kind own;
		uint32_t host, number;
		/* Rows of hosts and processes have no states. */
		if (tsp_entry_parts(t, t->q.items[i], &own, &host, &number) && own == kind &&
			is_there(w, kind, host, number))
			l->item[l->n++] = (struct session_lane){ host, kind == TSP_CPU, number };
	}
	return l->n <= MAX_LANES ? 0
				 : mer_fail(err, MER_ERR_USAGE,
					   "at most %d rows at once: ask for those that are seen",
					   (int)MAX_LANES);
}

/* ---- Rows ---- */

struct row { /* that is being written */
	struct tsp *t;
	const struct session_world *w;
	const struct session_lane *lane;
	const struct kernel_losses *losses; /* of the lane's host; used if it is a CPU */
	/* States narrower than width are written once per width and tag; 0: all of them. shown: by
	 * tag: narrow states that end before this time are left out. */
	int64_t width, shown[TSP_DIMMED + 1];
	struct tsp_facts facts; /* of the row */
	/* The pending state, which the next one may extend. */
	int64_t begin, end;
	const char *style, *label;
	unsigned tag;
};

static bool is_hidden(struct row *r)
{
	if (r->tag == TSP_EXCLUDED || r->end - r->begin >= r->width)
		return r->tag == TSP_EXCLUDED;
	if (r->end < r->shown[r->tag])
		return true;
	r->shown[r->tag] = r->begin + r->width;
	return false;
}

static void put_pending(struct row *r)
{
	struct mer_json *j = &r->t->j;
	if (r->style && r->begin < r->end && !is_hidden(r)) {
		mer_json_begin_object(j);
		mer_json_kv_int(j, "start", r->begin);
		mer_json_kv_int(j, "end", r->end);
		if (r->label && *r->label)
			mer_json_kv_text(j, "label", r->label);
		tsp_put_tag(j, r->tag);
		tsp_put_style(j, r->style);
		mer_json_end_object(j);
	}
	r->style = NULL;
}

/* Applies the filters to the pending state. */
static void choose(struct row *r, int64_t since)
{
	struct tsp_facts *f = &r->facts;
	if (!tsp_chosen_is_any(&r->t->chosen))
		return;
	f->texts[TSP_OF_LABEL] = r->label;
	f->texts[TSP_OF_STATE] = r->style;
	f->numbers[TSP_OF_DURATION] = r->end - (since < r->begin ? since : r->begin);
	r->tag = tsp_chosen_tag(&r->t->chosen, f);
}

/* since: when the state began, before it was cut to the window. */
static void add(struct row *r, int64_t begin, int64_t end, const char *style, const char *label,
	int64_t since)
{
	bool goes_on =
		r->style && r->end == begin && strcmp(r->style, style) == 0 && !r->label && !label;
	if (!goes_on) {
		put_pending(r);
		r->begin = begin;
	}
	r->end = end;
	r->style = style;
	r->label = label;
	choose(r, goes_on ? r->begin : since);
}

/* Sets the task for filters; in the row of a CPU, the task on it. */
static void set_task(struct row *r, uint32_t task)
{
	const struct kernel_host *h = &r->w->world->hosts[r->lane->host];
	struct tsp_facts *f = &r->facts;
	bool is_known = task < h->n_tasks;
	if (!tsp_chosen_is_any(&r->t->chosen))
		return;
	f->texts[TSP_OF_THREAD] = is_known ? kernel_comm(h, task) : NULL;
	f->numbers[TSP_OF_TID] = is_known ? h->tasks[task].tid : -1;
	f->numbers[TSP_OF_PID] = is_known ? h->tasks[task].pid : -1;
	/* A process has the name of its first thread. */
	f->texts[TSP_OF_PROCESS] = is_known && h->tasks[task].pid == h->tasks[task].tid
					   ? f->texts[TSP_OF_THREAD]
					   : NULL;
	for (uint32_t i = 0; is_known && !f->texts[TSP_OF_PROCESS] && i < h->n_tasks; i++)
		if (h->tasks[i].tid == h->tasks[task].pid)
			f->texts[TSP_OF_PROCESS] = kernel_comm(h, i);
}

/* No task was seen on the CPU: it was idle, or it is unknown because events were lost. */
static void add_gap(struct row *r, int64_t begin, int64_t end)
{
	if (begin < end)
		set_task(r, KERNEL_NONE);
	while (begin < end) {
		int64_t until;
		bool is_lost = kernel_lost_at(r->losses, r->lane->number, begin, &until);
		until = until < end ? until : end;
		add(r, begin, until, is_lost ? "Unknown" : "Idle", NULL, begin);
		begin = until;
	}
}

struct host_losses {   /* of the host of the last CPU lane; zeroed: none */
	uint32_t host; /* plus 1 */
	struct kernel_losses all;
};

static int find_losses(struct host_losses *l, const struct session_world *w,
	const struct session_lane *lane, struct mer_err *err)
{
	if (!lane->is_cpu || l->host == lane->host + 1)
		return 0;
	kernel_losses_fini(&l->all);
	l->host = lane->host + 1;
	return kernel_losses_of_headers(w->e, lane->host, &l->all, err);
}

/* losses: those of the lane's host; used if the lane is a CPU. */
static void put_row(struct tsp *t, const struct session_world *w, const struct session_window *cut,
	const struct host_losses *losses, const struct session_lane *lane,
	const struct session_lane_span *s, size_t n, int64_t width)
{
	const struct kernel_host *h = &w->world->hosts[lane->host];
	struct row r = { .t = t, .w = w, .lane = lane, .losses = &losses->all, .width = width };
	uint32_t task = KERNEL_NONE;
	r.shown[TSP_SHOWN] = r.shown[TSP_DIMMED] = INT64_MIN;
	r.facts.texts[TSP_OF_HOST] = w->e->hosts[lane->host].name;
	r.facts.numbers[TSP_OF_CPU] = lane->is_cpu ? (int64_t)lane->number : -1;
	if (!lane->is_cpu)
		set_task(&r, lane->number);
	/* Bins reach beyond the recording. */
	int64_t first = cut->begin > h->begin ? cut->begin : h->begin, at = first;
	int64_t last = cut->end < h->end ? cut->end : h->end;
	tsp_begin_row(
		&t->j, tsp_entry(lane->is_cpu ? TSP_CPU : TSP_TASK, lane->host, lane->number));
	for (size_t i = 0; i < n; i++) {
		const struct kernel_span *k = kernel_span_kept(h, s[i].span);
		const char *label = !k || s[i].state == KERNEL_DEAD ? NULL
				    : lane->is_cpu		    ? kernel_comm(h, k->task)
				    : s[i].state == KERNEL_SYSCALL  ? tsp_call_name(h, k)
								    : NULL;
		int64_t begin = s[i].begin > first ? s[i].begin : first;
		int64_t end = s[i].end < last ? s[i].end : last;
		if (lane->is_cpu && at < begin) {
			add_gap(&r, at, begin);
			task = KERNEL_NONE;
		}
		if (lane->is_cpu && k && k->task != task) {
			task = k->task;
			set_task(&r, task);
		}
		if (!lane->is_cpu)
			r.facts.numbers[TSP_OF_CPU] =
				k && k->cpu != KERNEL_NO_CPU ? (int64_t)k->cpu : -1;
		if (s[i].state != KERNEL_DEAD)
			add(&r, begin, end, style_of(s[i].state, s[i].cause, lane->is_cpu), label,
				k ? k->begin : begin);
		at = end > at ? end : at;
	}
	if (lane->is_cpu && at < last)
		add_gap(&r, at, last);
	put_pending(&r);
	tsp_end_row(&t->j);
}

/* Strategy DEEP: filters look at all states, also those too short to be seen. Lanes are read one by
 * one, as the spans may be many. */
static int put_deep(
	struct tsp *t, struct session_world *w, const struct session_lanes *l, struct mer_err *err)
{
	struct host_losses losses = { 0 };
	struct session_window window = tsp_window(t);
	int64_t width = (window.end - window.begin) / (int64_t)tsp_bins(t, l->n);
	int rc = 0;
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	for (size_t i = 0; i < l->n && rc == 0; i++) {
		struct session_lane *lane = &l->item[i];
		struct session_lanes one = { .item = lane, .n = 1 };
		rc = session_lanes_read(w, &window, 0, &one, err);
		if (rc == 0)
			rc = find_losses(&losses, w, lane, err);
		if (rc == 0)
			put_row(t, w, &window, &losses, lane, one.spans, one.n_spans, width);
		session_lanes_fini(&one);
	}
	kernel_losses_fini(&losses.all);
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}

int tsp_put_lanes(
	struct tsp *t, struct session_world *w, struct session_lanes *l, struct mer_err *err)
{
	if (t->q.is_deep && tsp_chosen_is_any(&t->chosen))
		return put_deep(t, w, l, err);
	struct host_losses losses = { 0 };
	struct session_window window = tsp_window(t);
	bool in_bins = !server_lanes_are_few(w, l, &window);
	uint32_t bins = in_bins ? tsp_bins(t, l->n) : 0;
	int rc = session_lanes_read(w, &window, bins, l, err);
	/* More spans than can be seen: bins, as clients read JSON slowly. */
	if (rc == 0 && !in_bins && l->n_spans / tsp_bins(t, l->n) >= (l->n ? l->n : 1)) {
		in_bins = true;
		rc = session_lanes_read(w, &window, tsp_bins(t, l->n), l, err);
	}
	if (rc)
		return rc;
	if (in_bins)
		server_lanes_thin_out(l);
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	size_t at = 0;
	for (size_t i = 0; i < l->n && rc == 0; i++) {
		const struct session_lane *lane = &l->item[i];
		size_t first = at;
		while (at < l->n_spans && l->spans[at].lane == i)
			at++;
		rc = find_losses(&losses, w, lane, err);
		if (rc == 0)
			put_row(t, w, &window, &losses, lane, l->spans + first, at - first, 0);
	}
	kernel_losses_fini(&losses.all);
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}
