/* Traces and the experiment: what the server was started with. Others cannot be opened, and these
 * cannot be closed. */
#include <limits.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

/* ---- Health ---- */

int tsp_health(struct tsp *t, struct mer_err *err)
{
	(void)err;
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "status", "UP");
	mer_json_end_object(&t->j);
	return 0;
}

int tsp_nothing(struct tsp *t, struct mer_err *err)
{
	(void)err;
	mer_json_begin_array(&t->j);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_identifier(struct tsp *t, struct mer_err *err)
{
	struct utsname u;
	(void)err;
	if (uname(&u) != 0)
		memset(&u, 0, sizeof(u));
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "version", mer_version_text());
	mer_json_kv_text(&t->j, "tspVersion", "0.6.0");
	mer_json_kv_text(&t->j, "productId", "meridian");
	mer_json_kv_text(&t->j, "launcherName", "meridian serve");
	mer_json_kv_text(&t->j, "os", u.sysname);
	mer_json_kv_text(&t->j, "osArch", u.machine);
	mer_json_kv_text(&t->j, "osVersion", u.release);
	mer_json_kv_int(&t->j, "cpuCount", sysconf(_SC_NPROCESSORS_ONLN));
	mer_json_kv_int(
		&t->j, "maxMemory", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	mer_json_end_object(&t->j);
	return 0;
}

/* ---- Descriptions ---- */

struct progress {
	const char *status; /* "RUNNING", ... */
	bool is_read;	    /* the clocks are aligned: times will not change */
	bool is_counted;
};

static struct progress progress_of(const struct tsp *t)
{
	unsigned stage = atomic_load(&t->s->traces[SERVER_CLOCKS_ALIGNED].stage);
	unsigned index = atomic_load(&t->state->index.stage);
	struct progress p = { .is_read = stage == SERVER_READY,
		.is_counted = index == TSP_INDEX_READY };
	p.status = stage == SERVER_FAILED || index == TSP_INDEX_FAILED ? "CLOSED"
		   : p.is_read && p.is_counted			       ? "COMPLETED"
								       : "RUNNING";
	return p;
}

static uint64_t count_of(const struct tsp *t, const struct mer_experiment *e, uint32_t trace)
{
	const struct mer_trace *one = &e->traces[trace];
	uint64_t n = 0;
	for (uint32_t i = 0; i < one->n_streams; i++)
		n += t->state->index.by_stream[one->first_stream + i];
	return n;
}

static void put_times(struct tsp *t, struct tsp_span span)
{
	bool is_known = span.begin != MER_NO_TIME && span.end != MER_NO_TIME;
	mer_json_kv_int(&t->j, "start", is_known ? span.begin : 0);
	mer_json_kv_int(&t->j, "end", is_known ? span.end : 0);
}

static bool resolve(const char *path, char *to)
{
	return realpath(path, to) != NULL;
}

static void put_trace(struct tsp *t, uint32_t i)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	const struct mer_trace *one = &e->traces[i];
	struct progress p = progress_of(t);
	struct mer_json *j = &t->j;
	char name[600], path[PATH_MAX];
	snprintf(name, sizeof(name), "%s%s%s", e->hosts[one->host].name, one->domain[0] ? " " : "",
		one->domain);
	mer_json_begin_object(j);
	mer_json_kv_text(j, "name", name);
	mer_json_kv_text(j, "UUID", t->state->traces[i]);
	mer_json_kv_text(j, "path", resolve(one->path, path) ? path : one->path);
	mer_json_kv_uint(j, "nbEvents", p.is_counted ? count_of(t, e, i) : 0);
	put_times(t, p.is_read ? (struct tsp_span){ one->begin, one->end } : t->state->spans[i]);
	mer_json_kv_text(j, "indexingStatus", p.status);
	mer_json_kv_object(j, "properties");
	mer_json_kv_text(j, "host", e->hosts[one->host].name);
	mer_json_kv_text(j, "domain", one->domain);
	mer_json_kv_text(j, "tracer", one->tracer);
	mer_json_kv_text(j, "format", one->format);
	mer_json_end_object(j);
	mer_json_end_object(j);
}

static void put_experiment(struct tsp *t)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct progress p = progress_of(t);
	struct mer_json *j = &t->j;
	char name[TSP_MAX_NAME];
	uint64_t n = 0;
	for (uint32_t i = 0; p.is_counted && i < e->n_traces; i++)
		n += count_of(t, e, i);
	pthread_mutex_lock(&t->state->lock);
	memcpy(name, t->state->name, sizeof(name));
	pthread_mutex_unlock(&t->state->lock);
	mer_json_begin_object(j);
	mer_json_kv_text(j, "name", name);
	mer_json_kv_text(j, "UUID", t->state->experiment);
	mer_json_kv_uint(j, "nbEvents", n);
	put_times(t, p.is_read ? (struct tsp_span){ e->begin, e->end } : t->state->span);
	mer_json_kv_text(j, "indexingStatus", p.status);
	mer_json_kv_array(j, "traces");
	for (uint32_t i = 0; i < e->n_traces; i++)
		put_trace(t, i);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

/* ---- Finding ---- */

static uint32_t trace_of(const struct tsp *t, const char *uuid)
{
	for (uint32_t i = 0; i < t->state->n_traces; i++)
		if (strcmp(t->state->traces[i], uuid) == 0)
			return i;
	return UINT32_MAX;
}

/* Is `inner` this folder, or below it? Neither path contains symbolic links. */
static bool is_below(const char *inner, const char *folder)
{
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	return strncmp(inner, folder, n) == 0 && (!inner[n] || inner[n] == '/' || n == 1);
}

/* The trace at a path; UINT32_MAX: none. Only folders that the server was started with, and those
 * below them, are looked at. */
static uint32_t find_trace(const struct tsp *t, const char *uri)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	char wanted[PATH_MAX], other[PATH_MAX];
	const char *path = strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri;
	bool is_ours = false;
	if (!resolve(path, wanted))
		return UINT32_MAX;
	for (size_t i = 0; !is_ours && i < t->s->o.n_paths; i++)
		is_ours = resolve(t->s->o.paths[i], other) && is_below(wanted, other);
	for (uint32_t i = 0; is_ours && i < e->n_parts; i++)
		if (resolve(e->parts[i].given, other) && is_below(other, wanted))
			return e->parts[i].trace;
	return UINT32_MAX;
}

int tsp_traces(struct tsp *t, struct mer_err *err)
{
	(void)err;
	mer_json_begin_array(&t->j);
	for (uint32_t i = 0; i < t->state->n_traces; i++)
		put_trace(t, i);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_open_trace(struct tsp *t, struct mer_err *err)
{
	if (!t->q.uri)
		return mer_fail(err, MER_ERR_USAGE, "'uri' is missing: the path of a trace");
	uint32_t i = find_trace(t, t->q.uri);
	if (i == UINT32_MAX)
		return tsp_not_there(t, err,
			"'%.300s' is none of the traces of this server: start 'meridian serve' with it",
			t->q.uri);
	put_trace(t, i);
	return 0;
}

int tsp_trace(struct tsp *t, struct mer_err *err)
{
	uint32_t i = trace_of(t, t->m.words[0]);
	if (i == UINT32_MAX)
		return tsp_not_there(t, err, "there is no trace '%.100s'", t->m.words[0]);
	put_trace(t, i);
	return 0;
}

int tsp_check_experiment(struct tsp *t, struct mer_err *err)
{
	return strcmp(t->m.words[0], t->state->experiment) == 0
		       ? 0
		       : tsp_not_there(t, err, "there is no experiment '%.100s'", t->m.words[0]);
}

int tsp_experiments(struct tsp *t, struct mer_err *err)
{
	(void)err;
	mer_json_begin_array(&t->j);
	put_experiment(t);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_experiment(struct tsp *t, struct mer_err *err)
{
	(void)err;
	put_experiment(t);
	return 0;
}

/* How many of the server's traces the query lists, each counted once; UINT32_MAX and err: one of
 * them does not exist. */
static uint32_t count_listed(struct tsp *t, struct mer_err *err)
{
	uint32_t n = 0;
	for (size_t i = 0; i < t->q.n_traces; i++)
		if (trace_of(t, t->q.traces[i]) == UINT32_MAX) {
			tsp_not_there(t, err, "there is no trace '%.100s'", t->q.traces[i]);
			return UINT32_MAX;
		}
	for (uint32_t k = 0; k < t->state->n_traces; k++)
		for (size_t i = 0; i < t->q.n_traces; i++)
			if (strcmp(t->q.traces[i], t->state->traces[k]) == 0) {
				n++;
				break;
			}
	return n;
}

/* There is one experiment, with all traces. Asking for one with only some of them is an error, so
 * that a client does not take all of them for these. */
int tsp_make_experiment(struct tsp *t, struct mer_err *err)
{
	if (!t->q.name || !t->q.has_traces)
		return mer_fail(err, MER_ERR_USAGE, "'name' and 'traces' are needed");
	uint32_t n = count_listed(t, err);
	if (n == UINT32_MAX)
		return err->code;
	if (n < t->state->n_traces)
		return mer_fail(err, MER_ERR_USAGE,
			"an experiment of this server has all its %" PRIu32 " traces, not %" PRIu32
			" of them: open them all, or start 'meridian serve' with these alone",
			t->state->n_traces, n);
	pthread_mutex_lock(&t->state->lock);
	snprintf(t->state->name, sizeof(t->state->name), "%.*s", TSP_MAX_NAME - 1, t->q.name);
	pthread_mutex_unlock(&t->state->lock);
	put_experiment(t);
	return 0;
}
