/* What handlers need from the session: windows, worlds, tables, entries by number. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "ask/library/api.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

bool tsp_entry_parts(
	const struct tsp *t, int64_t id, enum tsp_kind *kind, uint32_t *host, uint32_t *number)
{
	if (id < 1 || id > tsp_entry(TSP_N_KINDS - 1, TSP_MAX_HOSTS - 1, UINT32_MAX))
		return false;
	uint64_t v = (uint64_t)id - 1;
	*number = (uint32_t)v;
	*kind = (enum tsp_kind)(v >> 32 & ((1 << TSP_KIND_BITS) - 1));
	*host = (uint32_t)(v >> (32 + TSP_KIND_BITS));
	return *kind < TSP_N_KINDS && *host < tsp_experiment_of(t)->n_hosts;
}

struct mer_experiment *tsp_experiment_of(const struct tsp *t)
{
	return mer_session_experiment(t->s->traces[SERVER_CLOCKS_ALIGNED].session);
}

struct session_window tsp_window(const struct tsp *t)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	if (t->q.has_range)
		return (struct session_window){ t->q.begin, t->q.end + 1 };
	return (struct session_window){ e->begin, e->end + 1 };
}

int tsp_world(struct tsp *t, struct session_world *w, struct mer_err *err)
{
	return session_world(api_session(t->traces->session), SESSION_USAGE_NONE, w, err);
}

int tsp_let_others(struct tsp *t, struct mer_err *err)
{
	struct http_answer why = { 0 };
	server_traces_done(t->traces);
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL); /* a waiting thread is next */
	t->traces = server_traces_use(t->s, SERVER_CLOCKS_ALIGNED, &why);
	mer_str_fini(&why.body);
	return t->traces ? 0 : mer_fail(err, MER_ERR_BUG, "the traces cannot be used");
}

uint32_t tsp_bins(const struct tsp *t, size_t n_rows)
{
	enum { USUAL = 1000, MOST_CELLS = 4000000 };
	size_t n = t->q.n_times ? t->q.n_times : USUAL;
	if (n_rows && n > MOST_CELLS / n_rows)
		n = MOST_CELLS / n_rows;
	return n ? (uint32_t)n : 1;
}

uint32_t tsp_host(const struct mer_experiment *e, const char *name)
{
	for (uint32_t h = 0; name && h < e->n_hosts && h < TSP_MAX_HOSTS; h++)
		if (strcmp(e->hosts[h].name, name) == 0)
			return h;
	return KERNEL_NONE;
}

int tsp_read_table(
	struct tsp *t, const struct tsp_table *which, struct mer_result **r, struct mer_err *err)
{
	struct mer_selection s = MER_OPTIONS(struct mer_selection);
	struct mer_table_options o = MER_OPTIONS(struct mer_table_options);
	char begin[24], end[24];
	if (which->window) {
		snprintf(begin, sizeof(begin), "%" PRId64, which->window->begin);
		snprintf(end, sizeof(end), "%" PRId64, which->window->end);
		s.begin = begin;
		s.end = end;
		o.selection = &s;
	}
	o.limit = which->limit;
	o.n_bins = which->n_bins;
	o.group_by = which->group_by;
	return mer_session_table(t->traces->session, which->analysis, which->table, &o, r, err);
}

const char *tsp_cell_text(const struct mer_result *r, size_t row, const char *key)
{
	const char *text = NULL;
	mer_result_text(r, row, mer_result_column(r, key), &text);
	return text ? text : "";
}

int64_t tsp_cell_int(const struct mer_result *r, size_t row, const char *key, int64_t none)
{
	int64_t v = none;
	return mer_result_int(r, row, mer_result_column(r, key), &v) ? v : none;
}
