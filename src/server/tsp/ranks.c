/* MPI: a row for each rank of each program and, below it, its other threads. States are calls; the
 * part of a call that was a wait for another rank is a state of its own. Arrows are messages. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/human.h"
#include "base/map.h"
#include "server/programs.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MOST_LINES = 4000, FEW_CALLS = 20000, MOST_ARROWS = 4000, ARROW_PARTS = 500 };
static const char WAITING[] = "waiting"; /* a style; the others are the classes of calls */

bool tsp_has_ranks(const struct mer_experiment *e)
{
	return mpi_is_recorded(e);
}

struct ranks {
	struct session_world w;
	const struct mpi_run *run; /* NULL: no rank was seen */
	uint32_t *lines;	   /* those with calls: by program, rank, its main thread first */
	uint32_t n;
};

/* ---- Which there are ---- */

static bool goes_before(const struct mpi_run *r, uint32_t a, uint32_t b)
{
	const struct mpi_process *p = mpi_process_of(r, a), *q = mpi_process_of(r, b);
	if (p->job != q->job)
		return p->job < q->job;
	if (p->rank != q->rank)
		return p->rank < q->rank;
	if (r->lines[a].process != r->lines[b].process)
		return r->lines[a].process < r->lines[b].process;
	return r->lines[a].is_main && !r->lines[b].is_main;
}

/* By insertion: the lines are nearly in order. */
static void sort(struct ranks *x)
{
	for (uint32_t i = 1; i < x->n; i++) {
		uint32_t line = x->lines[i], at = i;
		for (; at > 0 && goes_before(x->run, line, x->lines[at - 1]); at--)
			x->lines[at] = x->lines[at - 1];
		x->lines[at] = line;
	}
}

static int find(struct tsp *t, struct ranks *x, struct mer_err *err)
{
	*x = (struct ranks){ .run = NULL };
	int rc = tsp_world(t, &x->w, err);
	x->run = rc ? NULL : server_mpi_of(&x->w);
	if (!x->run)
		return rc;
	x->lines = mer_arena_zalloc(&t->arena, MOST_LINES, sizeof(*x->lines));
	if (!x->lines)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < x->run->n_lines && x->n < MOST_LINES; i++)
		if (x->run->lines[i].first != MPI_NONE)
			x->lines[x->n++] = i;
	sort(x);
	return 0;
}

static int64_t entry_of(uint32_t line)
{
	return tsp_entry(TSP_RANK, 0, line);
}

static const char *host_of(const struct ranks *x, uint32_t line)
{
	return x->w.e->hosts[mpi_process_of(x->run, line)->host].name;
}

static void put_program(struct tsp *t, const struct ranks *x, uint32_t job)
{
	char name[40];
	const char *labels[] = { name, "", "" };
	snprintf(name, sizeof(name), "program %" PRIu32, job);
	tsp_begin_entry(&t->j, tsp_entry(TSP_PROGRAM, 0, job), -1, labels, 3, x->w.e->begin,
		x->w.e->end, false);
	mer_json_end_object(&t->j);
}

/* main: the line that is the row of the rank; its other lines are below it. */
static void put_line(struct tsp *t, const struct ranks *x, uint32_t line, uint32_t main)
{
	const struct mpi_line *l = &x->run->lines[line];
	const struct mpi_process *p = mpi_process_of(x->run, line);
	char name[40] = "thread", tid[24] = "";
	const char *labels[] = { name, host_of(x, line), tid };
	if (line == main && p->rank >= 0)
		snprintf(name, sizeof(name), "rank %" PRId32, p->rank);
	else if (line == main)
		snprintf(name, sizeof(name), "rank not known");
	if (l->tid >= 0)
		snprintf(tid, sizeof(tid), "%" PRId64, l->tid);
	tsp_begin_entry(&t->j, entry_of(line),
		line == main ? tsp_entry(TSP_PROGRAM, 0, p->job) : entry_of(main), labels, 3,
		l->begin, l->end, true);
	mer_json_kv_object(&t->j, "metadata");
	mer_json_kv_array(&t->j, "hostId");
	mer_json_text(&t->j, host_of(x, line));
	mer_json_end_array(&t->j);
	mer_json_kv_array(&t->j, "rank");
	mer_json_int(&t->j, p->rank);
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	mer_json_end_object(&t->j);
}

int tsp_ranks_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Rank", "program, and its ranks", NULL },
		{ "Host", "where it ran", NULL }, { "TID", "number of the thread", "NUMBER" } };
	struct ranks x;
	int rc = find(t, &x, err);
	uint32_t job = UINT32_MAX, process = UINT32_MAX, main = 0;
	tsp_begin_tree(&t->j, headers, 3, -1);
	for (uint32_t i = 0; rc == 0 && i < x.n; i++) {
		uint32_t line = x.lines[i];
		if (mpi_process_of(x.run, line)->job != job)
			put_program(t, &x, mpi_process_of(x.run, line)->job);
		if (x.run->lines[line].process != process)
			main = line;
		job = mpi_process_of(x.run, line)->job;
		process = x.run->lines[line].process;
		put_line(t, &x, line, main);
	}
	tsp_end_tree(&t->j);
	return rc;
}

/* ---- Calls ---- */

static const char *class_of(const struct mpi_run *run, const struct mpi_call *c)
{
	return mpi_class_names[mpi_call_class(c->id, mpi_process_of(run, c->line)->is_marked)];
}

/* "MPI_Recv: late sender, rank 3" */
static void name_wait(const struct mpi_run *run, const struct mpi_call *c, char *text, size_t size)
{
	snprintf(text, size, "%s: %s, rank %" PRId32, mpi_call_names[c->id],
		mpi_wait_names[c->wait], mpi_process_of(run, c->by)->rank);
}

static void put_call(
	struct tsp *t, const struct ranks *x, struct tsp_shown *shown, const struct mpi_call *c)
{
	const struct mpi_line *l = &x->run->lines[c->line];
	struct tsp_facts facts = { { NULL, NULL, NULL, NULL, host_of(x, c->line) },
		{ l->tid, -1, -1, -1 } };
	int64_t until = !c->wait ? c->begin : c->until < c->end ? c->until : c->end;
	char wait[200];
	if (until > c->begin) {
		name_wait(x->run, c, wait, sizeof(wait));
		struct tsp_state_of s = { c->begin, until, wait, WAITING, facts };
		tsp_put_state(t, shown, &s);
	} else {
		until = c->begin;
	}
	struct tsp_state_of s = { until, c->end, mpi_call_names[c->id], class_of(x->run, c),
		facts };
	tsp_put_state(t, shown, &s);
}

static uint32_t count_calls(
	const struct tsp *t, const struct ranks *x, const struct session_window *w)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < x->n; k++) {
		if (!tsp_is_asked(&t->q, entry_of(x->lines[k])))
			continue;
		for (uint32_t i = x->run->lines[x->lines[k]].first; i != MPI_NONE && n < FEW_CALLS;
			i = x->run->calls[i].next)
			n += x->run->calls[i].begin < w->end && x->run->calls[i].end > w->begin;
	}
	return n;
}

int tsp_ranks_states(struct tsp *t, struct mer_err *err)
{
	struct session_window w = tsp_window(t);
	struct ranks x;
	int rc = find(t, &x, err);
	bool is_few = rc || count_calls(t, &x, &w) < FEW_CALLS;
	int64_t width = is_few ? 0 : (w.end - w.begin) / (int64_t)tsp_bins(t, x.n);
	mer_json_begin_object(&t->j);
	mer_json_kv_array(&t->j, "rows");
	for (uint32_t k = 0; rc == 0 && k < x.n; k++) {
		struct tsp_shown shown = tsp_shown(&w, width);
		if (!tsp_is_asked(&t->q, entry_of(x.lines[k])))
			continue;
		tsp_begin_row(&t->j, entry_of(x.lines[k]));
		for (uint32_t i = x.run->lines[x.lines[k]].first; i != MPI_NONE;
			i = x.run->calls[i].next) {
			if (x.run->calls[i].begin >= w.end)
				break;
			put_call(t, &x, &shown, &x.run->calls[i]);
		}
		tsp_end_row(&t->j);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	return rc;
}

/* ---- Messages: those between the same ranks in the same part of the window are one ---- */

static bool is_new(
	struct mer_map *seen, const struct mpi_message *m, const struct session_window *w)
{
	uint64_t part = (uint64_t)(w->end - w->begin) / ARROW_PARTS + 1;
	const uint64_t what[] = { (uint64_t)m->from << 32 | m->to,
		(uint64_t)(m->sent - w->begin) / part };
	uint32_t *at = mer_map_put(seen, mer_hash(what, sizeof(what)));
	return at && !(*at)++;
}

int tsp_ranks_arrows(struct tsp *t, struct mer_err *err)
{
	struct session_window w = tsp_window(t);
	struct mer_map seen = { 0 };
	struct ranks x;
	size_t n = 0;
	int rc = find(t, &x, err);
	mer_json_begin_array(&t->j);
	for (uint32_t i = 0; rc == 0 && x.run && i < x.run->n_messages && n < MOST_ARROWS; i++) {
		const struct mpi_message *m = &x.run->messages[i];
		if (m->sent >= w.end)
			break;
		if (m->received < w.begin || m->received < m->sent ||
			!mpi_is_comparable(x.run, m->from, m->to) || !is_new(&seen, m, &w))
			continue;
		mer_json_begin_object(&t->j);
		mer_json_kv_int(&t->j, "sourceId", entry_of(m->from));
		mer_json_kv_int(&t->j, "targetId", entry_of(m->to));
		mer_json_kv_int(&t->j, "start", m->sent);
		mer_json_kv_int(&t->j, "end", m->received);
		tsp_put_style(&t->j, "message");
		mer_json_end_object(&t->j);
		n++;
	}
	mer_json_end_array(&t->j);
	mer_map_fini(&seen);
	return rc;
}

/* ---- Tooltips ---- */

static void put_number(struct mer_json *j, const char *key, int64_t v)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, v);
	mer_json_kv_text(j, key, text);
}

static void put_tip(struct tsp *t, const struct ranks *x, const struct mpi_call *c)
{
	struct mer_json *j = &t->j;
	put_number(j, "Rank", mpi_process_of(x->run, c->line)->rank);
	mer_json_kv_text(j, "Host", host_of(x, c->line));
	mer_json_kv_text(j, "Call", mpi_call_names[c->id]);
	tsp_put_duration(j, "Duration", c->end - c->begin);
	if (c->wait) {
		mer_json_kv_text(j, "Wait", mpi_wait_names[c->wait]);
		tsp_put_duration(j, "Waited", (c->until < c->end ? c->until : c->end) - c->begin);
		put_number(j, "For rank", mpi_process_of(x->run, c->by)->rank);
	}
	if (c->peer >= 0)
		put_number(j, "Peer", c->peer);
	if (c->tag >= 0)
		put_number(j, "Tag", c->tag);
	if (c->bytes) {
		struct mer_str text = { 0 };
		mer_put_bytes(&text, (int64_t)c->bytes);
		mer_json_kv_text(j, "Size", text.data);
		mer_str_fini(&text);
	}
	if (c->polls)
		put_number(j, "Polls", c->polls);
}

int tsp_ranks_tooltip(struct tsp *t, struct mer_err *err)
{
	int64_t row = t->q.n_items ? t->q.items[0] : t->q.element_entry;
	int64_t time = t->q.n_given ? t->q.times[0] : t->q.element_time;
	struct ranks x;
	int rc = find(t, &x, err);
	mer_json_begin_object(&t->j);
	for (uint32_t k = 0; rc == 0 && k < x.n; k++) {
		uint32_t i =
			entry_of(x.lines[k]) == row ? x.run->lines[x.lines[k]].first : MPI_NONE;
		while (i != MPI_NONE && x.run->calls[i].end <= time)
			i = x.run->calls[i].next;
		if (i != MPI_NONE && x.run->calls[i].begin <= time)
			put_tip(t, &x, &x.run->calls[i]);
	}
	mer_json_end_object(&t->j);
	return rc;
}
