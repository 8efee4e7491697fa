/* The rows of programs (those of views, and MPI ranks), for the tree of the timeline. */
#include "server/programs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ask/library/api.h"
#include "kernel/mpi.h"
#include "kernel/world.h"

/* MOST_ROWS: for each host and view; a picture of more rows could not be read. */
enum { MOST_ROWS = 2000, MOST_THREADS = 8 };

const struct mpi_run *server_mpi_of(const struct session_world *w)
{
	return w->world->mpi ? w->world->mpi->run : NULL;
}

const struct view_host *server_view_host(const struct session_world *w, uint32_t host)
{
	return w->world->hosts[host].views;
}

const struct view_states *server_view_states(const struct session_world *w)
{
	for (uint32_t h = 0; h < w->world->n_hosts; h++)
		if (server_view_host(w, h))
			return server_view_host(w, h)->of;
	return NULL;
}

/* ---- Views ---- */

struct row { /* summary of its states, marks and values */
	uint32_t n_states, n_marks, n_threads;
	uint16_t depth;
	bool has_values;
	int64_t low, high; /* range of its values */
	int32_t threads[MOST_THREADS];
};

static void add_thread(struct row *r, int32_t tid)
{
	if (tid < 0 || r->n_threads == MOST_THREADS)
		return;
	for (uint32_t i = 0; i < r->n_threads; i++)
		if (r->threads[i] == tid)
			return;
	r->threads[r->n_threads++] = tid;
}

static void look_at(const struct view_host *v, struct row *rows)
{
	for (uint32_t i = 0; i < v->n_states; i++) {
		const struct view_state *s = &v->states[i];
		struct row *r = &rows[s->row];
		r->n_states++;
		r->depth = s->depth > r->depth ? s->depth : r->depth;
		add_thread(r, s->tid);
	}
	for (uint32_t i = 0; i < v->n_marks; i++) {
		rows[v->marks[i].row].n_marks++;
		add_thread(&rows[v->marks[i].row], v->marks[i].tid);
	}
	for (uint32_t i = 0; i < v->n_samples; i++) {
		struct row *r = &rows[v->samples[i].row];
		int64_t value = v->samples[i].value;
		r->low = !r->has_values || value < r->low ? value : r->low;
		r->high = !r->has_values || value > r->high ? value : r->high;
		r->has_values = true;
	}
}

static void put_row(const struct view_host *v, uint32_t host, uint32_t number, const struct row *r,
	struct mer_json *j)
{
	const struct view_row_of *of = &v->rows[number];
	const struct view_row *declared = &v->of->views[of->view]->rows[of->row];
	mer_json_begin_object(j);
	mer_json_kv_uint(j, "host", host);
	mer_json_kv_uint(j, "row", number);
	mer_json_kv_uint(j, "view", of->view);
	mer_json_kv_uint(j, "declared", of->row);
	mer_json_kv_text(j, "label", view_word(v, of->label));
	mer_json_kv_text(j, "under", view_word(v, of->under));
	mer_json_kv_uint(j, "states", r->n_states);
	mer_json_kv_uint(j, "marks", r->n_marks);
	mer_json_kv_uint(j, "depth", r->depth);
	if (r->has_values) {
		mer_json_kv_text(j, "unit", declared->unit ? declared->unit : "count");
		mer_json_kv_int(j, "low", r->low);
		mer_json_kv_int(j, "high", r->high);
	}
	mer_json_kv_array(j, "threads");
	for (uint32_t i = 0; i < r->n_threads; i++)
		mer_json_int(j, r->threads[i]);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static int put_rows_of(
	const struct view_host *v, uint32_t host, uint64_t *n_all, struct mer_json *j)
{
	struct row *rows = calloc((size_t)v->n_rows + 1, sizeof(*rows));
	uint32_t n_of[VIEW_MAX_FILES] = { 0 };
	if (!rows)
		return MER_ERR_NOMEM;
	look_at(v, rows);
	for (uint32_t i = 0; i < v->n_rows; i++)
		if (n_of[v->rows[i].view]++ < MOST_ROWS)
			put_row(v, host, i, &rows[i], j);
	*n_all += v->n_rows;
	free(rows);
	return 0;
}

static int put_views(const struct session_world *w, struct mer_json *j)
{
	const struct view_states *all = server_view_states(w);
	uint64_t n = 0;
	int rc = 0;
	mer_json_kv_array(j, "views");
	for (uint32_t i = 0; all && i < all->n_views; i++) {
		mer_json_begin_object(j);
		mer_json_kv_text(j, "name", all->views[i]->name);
		mer_json_kv_text(j, "title", all->views[i]->title);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_kv_array(j, "rows");
	for (uint32_t h = 0; rc == 0 && h < w->world->n_hosts; h++)
		if (server_view_host(w, h))
			rc = put_rows_of(server_view_host(w, h), h, &n, j);
	mer_json_end_array(j);
	mer_json_kv_uint(j, "all_rows", n);
	return rc;
}

/* ---- Ranks ---- */

static void put_ranks(const struct session_world *w, struct mer_json *j)
{
	const struct mpi_run *run = server_mpi_of(w);
	mer_json_kv_array(j, "ranks");
	for (uint32_t i = 0; run && i < run->n_lines; i++) {
		const struct mpi_line *l = &run->lines[i];
		const struct mpi_process *p = mpi_process_of(run, i);
		if (l->first == MPI_NONE)
			continue;
		mer_json_begin_object(j);
		mer_json_kv_uint(j, "host", p->host);
		mer_json_kv_uint(j, "line", i);
		mer_json_kv_uint(j, "program", p->job);
		mer_json_kv_int(j, "rank", p->rank);
		mer_json_kv_bool(j, "main", l->is_main);
		if (l->tid >= 0)
			mer_json_kv_int(j, "tid", l->tid);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

/* Adds "s:HOST:ROW" or "m:HOST:LINE". */
static void add_row(struct mer_str *list, char kind, uint32_t host, uint32_t number)
{
	mer_str_printf(list, "%s%c:%" PRIu32 ":%" PRIu32, list->len ? "," : "", kind, host, number);
}

static void add_rows(const struct session_world *w, unsigned most, struct mer_str *list,
	unsigned *n_views, unsigned *n_ranks)
{
	const struct mpi_run *run = server_mpi_of(w);
	for (uint32_t h = 0; h < w->world->n_hosts; h++) {
		const struct view_host *v = server_view_host(w, h);
		for (uint32_t i = 0; v && i < v->n_rows && *n_views < most; i++, ++*n_views)
			add_row(list, 's', h, i);
	}
	for (uint32_t i = 0; run && i < run->n_lines && *n_views + *n_ranks < most; i++)
		if (run->lines[i].first != MPI_NONE) {
			add_row(list, 'm', 0, i);
			++*n_ranks;
		}
}

int server_program_rows(struct server *s, unsigned most, struct mer_str *list, unsigned *n_views,
	unsigned *n_ranks, struct mer_err *err)
{
	struct server_traces *t;
	struct session_world w;
	*n_views = *n_ranks = 0;
	int rc = server_traces_take(s, server_traces_use, SERVER_CLOCKS_ALIGNED, &t, err);
	if (rc)
		return rc;
	rc = session_world(api_session(t->session), SESSION_USAGE_NONE, &w, err);
	if (rc == 0)
		add_rows(&w, most, list, n_views, n_ranks);
	server_traces_done(t);
	return rc == 0 && list->failed ? mer_fail_nomem(err) : rc;
}

void server_programs(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct server_traces *t = server_traces_use(s, server_clocks_of(r), a);
	if (!t)
		return;
	struct session_world w;
	struct mer_err err = { 0 };
	struct mer_json j;
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	int rc = session_world(api_session(t->session), SESSION_USAGE_NONE, &w, &err);
	if (rc == 0 && put_views(&w, &j))
		rc = mer_fail_nomem(&err);
	if (rc == 0)
		put_ranks(&w, &j);
	server_traces_done(t);
	mer_json_end_object(&j);
	if (rc == 0)
		rc = mer_json_finish(&j, &err);
	a->status = 200;
	a->type = "application/json";
	if (rc)
		server_refuse_err(a, rc, err.text);
}
