/* Requests as trace events in JSON, which ui.perfetto.dev and Chrome's viewer open.
 *
 *   process   a process of a host
 *   thread    who sent (client) or answered (server); another one where several requests were open
 *             at once: slices of one thread lie within each other or apart
 *   slice     a request at one of its ends; in it its parts, at the end where they were
 *   flow      from the end above to the one below: client to server, server to what it sent
 *
 * Processes and threads have numbers of their own, as hosts have the same ids. Times are
 * microseconds, with the nanoseconds as decimals, from the first slice on: 64 bits of nanoseconds
 * would be rounded. It is written as it goes; kept are 80 bytes for each request besides those of
 * requests_spans.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "ask/requests/requests_spans.h"

enum role { ROLE_CLIENT, ROLE_SERVER, ROLE_OWN };

struct slice {
	int64_t begin;
	uint32_t host, process, task; /* KERNEL_NONE: not known */
	uint32_t exchange;
	uint32_t role;
	uint32_t pid, tid; /* as written */
};

struct lane { /* a thread, as written */
	int64_t end;
	uint32_t tid;
};

struct writing {
	const struct ask_requests *c;
	struct mer_json j;
	struct ask_requests_spans spans;
	struct slice *slices;
	uint32_t *at;	    /* by exchange and side: its slice, plus 1 */
	int64_t zero;	    /* what times count from */
	uint32_t numbers;   /* of processes and threads: the last one */
	struct lane *lanes; /* a heap: the one that was free first */
	size_t n_lanes, cap_lanes;
	struct requests_parts parts;
};

/* ---- slices ---- */

static enum requests_side side_of(const struct slice *s)
{
	return s->role == ROLE_CLIENT ? REQUESTS_CLIENT : REQUESTS_SERVER;
}

/* Where only the server was recorded, it is from the arrival on, as the request is: its parts begin
 * there. */
static bool is_whole(const struct writing *w, uint32_t exchange)
{
	return w->spans.has[exchange] != 3;
}

static int64_t begin_at(const struct writing *w, uint32_t exchange, enum requests_side side)
{
	const struct requests_exchange *x = &w->c->r->exchanges[exchange];
	return is_whole(w, exchange) ? x->begin : ask_requests_begin_at(x, side);
}

static int64_t end_at(const struct writing *w, uint32_t exchange, enum requests_side side)
{
	const struct requests_exchange *x = &w->c->r->exchanges[exchange];
	return is_whole(w, exchange) ? x->end : ask_requests_end_at(x, side);
}

#define BY(member)                                                                                 \
	if (p->member != q->member)                                                                \
		return p->member < q->member ? -1 : 1;

static int by_thread(const struct slice *p, const struct slice *q)
{
	BY(host)
	BY(process)
	BY(task)
	BY(role)
	return 0;
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct slice *p = a, *q = b;
	int order = by_thread(p, q);
	if (order)
		return order;
	BY(begin)
	BY(exchange)
	return 0;
}

static bool find_slices(struct writing *w)
{
	const struct requests *r = w->c->r;
	size_t n = w->spans.n;
	w->slices = mer_spill_array(r->w->spill, n + 1, sizeof(*w->slices));
	w->at = mer_spill_array(r->w->spill, REQUESTS_N_SIDES * ((size_t)r->n + 1), sizeof(*w->at));
	if (!w->slices || !w->at)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct ask_requests_span *s = &w->spans.item[i];
		w->slices[i] = (struct slice){ begin_at(w, s->exchange, s->side), s->host,
			s->process, ask_requests_task_at(&r->exchanges[s->exchange], s->side),
			s->exchange,
			requests_is_own(r, s->exchange) ? ROLE_OWN
			: s->side == REQUESTS_CLIENT	? ROLE_CLIENT
							: ROLE_SERVER,
			0, 0 };
		if (i == 0 || w->slices[i].begin < w->zero)
			w->zero = w->slices[i].begin;
	}
	if (!mer_sort(r->w->spill, w->slices, n, sizeof(*w->slices), by_thread_and_time))
		return false;
	for (size_t i = 0; i < n; i++)
		w->at[REQUESTS_N_SIDES * (size_t)w->slices[i].exchange + side_of(&w->slices[i])] =
			(uint32_t)i + 1;
	return true;
}

/* ---- threads ---- */

static bool is_before(const struct lane *a, const struct lane *b)
{
	return a->end != b->end ? a->end < b->end : a->tid < b->tid;
}

static void swap(struct lane *a, struct lane *b)
{
	struct lane t = *a;
	*a = *b;
	*b = t;
}

static void sink(struct lane *lanes, size_t n)
{
	for (size_t i = 0, k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && is_before(&lanes[k + 1], &lanes[k]))
			k++;
		if (!is_before(&lanes[k], &lanes[i]))
			return;
		swap(&lanes[i], &lanes[k]);
	}
}

static bool add_lane(struct writing *w, struct lane lane)
{
	if (w->n_lanes == w->cap_lanes) {
		size_t cap = w->cap_lanes ? 2 * w->cap_lanes : 16;
		struct lane *grown = realloc(w->lanes, cap * sizeof(*grown));
		if (!grown)
			return false;
		w->lanes = grown;
		w->cap_lanes = cap;
	}
	size_t i = w->n_lanes++;
	w->lanes[i] = lane;
	for (; i && is_before(&w->lanes[i], &w->lanes[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&w->lanes[i], &w->lanes[(i - 1) / 2]);
	return true;
}

/* ---- what is written ---- */

static void put_us(struct mer_json *j, const char *key, int64_t ns)
{
	mer_json_kv_double(j, key, (double)ns / 1000);
}

static void begin_event(
	struct writing *w, const char *phase, const char *name, const char *category)
{
	mer_json_begin_object(&w->j);
	mer_json_kv_text(&w->j, "ph", phase);
	mer_json_kv_text(&w->j, "name", name);
	if (category)
		mer_json_kv_text(&w->j, "cat", category);
}

static void put_place(struct writing *w, const struct slice *s)
{
	mer_json_kv_uint(&w->j, "pid", s->pid);
	mer_json_kv_uint(&w->j, "tid", s->tid);
}

/* Names go up in the order of numbers. */
static void put_metadata(struct writing *w, const struct slice *s, const char *what,
	const char *order, const struct mer_str *name)
{
	begin_event(w, "M", what, NULL);
	put_place(w, s);
	mer_json_kv_object(&w->j, "args");
	mer_json_kv_text(&w->j, "name", name->data ? name->data : "");
	mer_json_end_object(&w->j);
	mer_json_end_object(&w->j);
	begin_event(w, "M", order, NULL);
	put_place(w, s);
	mer_json_kv_object(&w->j, "args");
	mer_json_kv_uint(&w->j, "sort_index", s->tid);
	mer_json_end_object(&w->j);
	mer_json_end_object(&w->j);
	w->j.out->failed |= name->failed;
}

/* "web nginx/152" */
static void put_process(struct writing *w, const struct slice *s)
{
	struct mer_str name = { 0 };
	const char *program = requests_program(w->c->kinds, s->host, s->process);
	mer_str_printf(&name, "%s %s", w->c->w->e->hosts[s->host].name, *program ? program : "?");
	if (s->process != KERNEL_NONE && w->c->r->w->hosts[s->host].tasks[s->process].pid >= 0)
		mer_str_printf(
			&name, "/%" PRId32, w->c->r->w->hosts[s->host].tasks[s->process].pid);
	struct slice of = *s;
	of.tid = of.pid;
	put_metadata(w, &of, "process_name", "process_sort_index", &name);
	mer_str_fini(&name);
}

/* "nginx/153 server", "nginx/153 server (2)" */
static void put_thread(struct writing *w, const struct slice *s)
{
	static const char *const roles[] = { " client", " server", "" };
	const struct kernel_host *h = &w->c->r->w->hosts[s->host];
	struct mer_str name = { 0 };
	if (s->task == KERNEL_NONE)
		mer_str_puts(&name, "?");
	else
		mer_str_printf(
			&name, "%s/%" PRId32, kernel_comm(h, s->task), h->tasks[s->task].tid);
	mer_str_puts(&name, roles[s->role]);
	if (w->n_lanes)
		mer_str_printf(&name, " (%zu)", w->n_lanes + 1);
	put_metadata(w, s, "thread_name", "thread_sort_index", &name);
	mer_str_fini(&name);
}

/* The thread that it is on, as written: one that was free again. */
static bool put_on_thread(struct writing *w, struct slice *s)
{
	int64_t end = end_at(w, s->exchange, side_of(s));
	if (w->n_lanes && w->lanes[0].end <= s->begin) {
		s->tid = w->lanes[0].tid;
		w->lanes[0].end = end;
		sink(w->lanes, w->n_lanes);
		return true;
	}
	s->tid = ++w->numbers;
	put_thread(w, s);
	return add_lane(w, (struct lane){ end, s->tid });
}

static void put_request_id(struct writing *w, const char *key, uint32_t exchange)
{
	char text[REQUESTS_ID_BYTES];
	requests_id_text(w->c->r, exchange, text);
	mer_json_kv_text(&w->j, key, text);
}

static void put_party(struct writing *w, uint32_t exchange, enum requests_side side)
{
	struct mer_json *j = &w->j;
	struct ask_requests_party p;
	ask_requests_party(w->c, exchange, side, &p);
	mer_json_kv_object(j, side == REQUESTS_CLIENT ? "client" : "server");
	if (p.host)
		mer_json_kv_text(j, "host", p.host);
	if (p.tid >= 0)
		mer_json_kv_int(j, "tid", p.tid);
	if (p.pid >= 0)
		mer_json_kv_int(j, "pid", p.pid);
	if (p.comm)
		mer_json_kv_text(j, "comm", p.comm);
	if (*p.address)
		mer_json_kv_text(j, "address", p.address);
	if (p.port)
		mer_json_kv_uint(j, "port", p.port);
	mer_json_end_object(j);
}

/* Times since 1970 as text: viewers round numbers of 64 bits. */
static void put_args(struct writing *w, uint32_t exchange)
{
	struct mer_json *j = &w->j;
	const struct requests_exchange *x = &w->c->r->exchanges[exchange];
	char begin[24];
	snprintf(begin, sizeof(begin), "%" PRId64, x->begin);
	mer_json_kv_object(j, "args");
	put_request_id(w, "id", exchange);
	mer_json_kv_text(j, "kind", requests_kind_name(w->c->kinds, exchange));
	mer_json_kv_text(j, "begin", begin);
	mer_json_kv_int(j, "latency_ns", x->end - x->begin);
	put_party(w, exchange, REQUESTS_CLIENT);
	put_party(w, exchange, REQUESTS_SERVER);
	if (x->parent) {
		put_request_id(w, "parent", x->parent - 1);
		mer_json_kv_double(j, "confidence", (int)(1000 * x->confidence + 0.5F) / 1000.0);
	}
	mer_json_kv_uint(j, "bytes_out", x->bytes_out);
	mer_json_kv_uint(j, "bytes_in", x->bytes_in);
	if (x->n_messages > 1)
		mer_json_kv_uint(j, "messages", x->n_messages);
	if (x->is_damaged)
		mer_json_kv_bool(j, "lost_events", true);
	mer_json_end_object(j);
}

static void put_part(struct writing *w, const struct slice *s, const struct requests_part *p,
	int64_t begin, int64_t end)
{
	if (begin >= end)
		return;
	struct mer_json *j = &w->j;
	const struct kernel_host *h = &w->c->r->w->hosts[p->host];
	begin_event(w, "X", ask_requests_part_name(p), "part");
	put_place(w, s);
	put_us(j, "ts", begin - w->zero);
	put_us(j, "dur", end - begin);
	mer_json_kv_object(j, "args");
	mer_json_kv_text(j, "host", w->c->w->e->hosts[p->host].name);
	if (p->task != KERNEL_NONE) {
		mer_json_kv_int(j, "tid", h->tasks[p->task].tid);
		mer_json_kv_text(j, "comm", kernel_comm(h, p->task));
	}
	if (requests_part_state(w->c->r, p))
		mer_json_kv_text(j, "user_state", requests_part_state(w->c->r, p));
	if (p->of)
		put_request_id(w, "of", p->of - 1);
	mer_json_end_object(j);
	mer_json_end_object(j);
}

/* Those of this end: the server's are in its slice, what goes over its begin or end is cut
 * there. */
static int put_parts(struct writing *w, const struct slice *s)
{
	const struct requests_exchange *x = &w->c->r->exchanges[s->exchange];
	int rc = requests_parts_find(w->c->parts, s->exchange, &w->parts, &w->c->ask->err);
	for (size_t k = 0; rc == 0 && k < w->parts.n; k++) {
		const struct requests_part *p = &w->parts.item[k];
		int64_t begin = ask_requests_begin_at(x, REQUESTS_SERVER),
			end = ask_requests_end_at(x, REQUESTS_SERVER);
		if (p->exchange != s->exchange)
			continue;
		if (is_whole(w, s->exchange)) {
			put_part(w, s, p, p->begin, p->end);
		} else if (s->role == ROLE_SERVER) {
			put_part(w, s, p, p->begin > begin ? p->begin : begin,
				p->end < end ? p->end : end);
		} else {
			put_part(w, s, p, p->begin, p->end < begin ? p->end : begin);
			put_part(w, s, p, p->begin > end ? p->begin : end, p->end);
		}
	}
	return rc;
}

static int put_slice(struct writing *w, const struct slice *s)
{
	enum requests_side side = side_of(s);
	begin_event(w, "X", requests_kind_name(w->c->kinds, s->exchange),
		s->role == ROLE_CLIENT	 ? "client"
		: s->role == ROLE_SERVER ? "server"
					 : "request");
	put_place(w, s);
	put_us(&w->j, "ts", s->begin - w->zero);
	put_us(&w->j, "dur", end_at(w, s->exchange, side) - s->begin);
	put_args(w, s->exchange);
	mer_json_end_object(&w->j);
	return put_parts(w, s);
}

static int put_slices(struct writing *w)
{
	int rc = 0;
	for (size_t i = 0; i < w->spans.n && rc == 0; i++) {
		struct slice *s = &w->slices[i];
		bool is_process = i == 0 || s->host != s[-1].host || s->process != s[-1].process;
		s->pid = is_process ? ++w->numbers : s[-1].pid;
		if (is_process)
			put_process(w, s);
		if (i == 0 || by_thread(&s[-1], s) != 0)
			w->n_lanes = 0;
		rc = put_on_thread(w, s) ? put_slice(w, s) : mer_fail_nomem(&w->c->ask->err);
	}
	return rc;
}

/* ---- flows ---- */

static void put_end_of_flow(struct writing *w, const struct slice *s, bool is_start,
	const char *name, int64_t time, uint64_t id)
{
	begin_event(w, is_start ? "s" : "f", name, "flow");
	put_place(w, s);
	put_us(&w->j, "ts", time - w->zero);
	mer_json_kv_uint(&w->j, "id", id);
	if (!is_start)
		mer_json_kv_text(&w->j, "bp", "e"); /* the slice around it, not the next one */
	mer_json_end_object(&w->j);
}

/* It leaves before the one below begins: so from the part that ends there. A slice without length
 * cannot be met, and nothing goes back in time. */
static void put_flow(struct writing *w, const struct slice *s)
{
	enum requests_side side = side_of(s);
	struct ask_requests_span above;
	if (!ask_requests_span_above(&w->spans, s->exchange, side, &above))
		return;
	const struct slice *from =
		&w->slices[w->at[REQUESTS_N_SIDES * (size_t)above.exchange + above.side] - 1];
	int64_t leaves = s->begin > from->begin ? s->begin - 1 : from->begin;
	if (from->begin > s->begin || leaves >= end_at(w, above.exchange, side_of(from)) ||
		end_at(w, s->exchange, side) == s->begin)
		return;
	const char *name = above.exchange == s->exchange ? "request" : "child";
	uint64_t id = REQUESTS_N_SIDES * (uint64_t)s->exchange + side + 1;
	put_end_of_flow(w, from, true, name, leaves, id);
	put_end_of_flow(w, s, false, name, s->begin, id);
}

int ask_requests_perfetto(const struct ask_requests *c, FILE *file, struct mer_str *out)
{
	struct writing w = { .c = c };
	char zero[24];
	int rc = ask_requests_spans_find(c, &w.spans);
	if (rc == 0 && !find_slices(&w))
		rc = mer_fail_nomem(&c->ask->err);
	snprintf(zero, sizeof(zero), "%" PRId64, w.zero);
	mer_json_init(&w.j, out, file, 0);
	mer_json_begin_object(&w.j);
	mer_json_kv_array(&w.j, "traceEvents");
	if (rc == 0)
		rc = put_slices(&w);
	/* After all slices: viewers look for what was begun when they read it. */
	for (size_t i = 0; rc == 0 && i < w.spans.n; i++)
		put_flow(&w, &w.slices[i]);
	mer_json_end_array(&w.j);
	mer_json_kv_object(&w.j, "otherData");
	mer_json_kv_text(&w.j, "meridian", MERIDIAN_VERSION);
	mer_json_kv_text(&w.j, "begin", zero);
	mer_json_end_object(&w.j);
	mer_json_end_object(&w.j);
	requests_parts_fini(&w.parts);
	free(w.lanes);
	mer_spill_release(w.slices);
	mer_spill_release(w.at);
	ask_requests_spans_fini(&w.spans);
	return rc ? rc : mer_json_finish(&w.j, &c->ask->err);
}
