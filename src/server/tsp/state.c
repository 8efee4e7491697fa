#include "server/tsp/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

/* Depends on the hashed text only, so UUIDs that a client kept are valid with the next server. */
static void put_uuid(char *uuid, XXH3_state_t *hash)
{
	XXH128_hash_t h = XXH3_128bits_digest(hash);
	snprintf(uuid, TSP_UUID_CHARS + 1, "%08" PRIx32 "-%04x-8%03x-%04x-%012" PRIx64,
		(uint32_t)(h.high64 >> 32), (unsigned)(h.high64 >> 16 & 0xffff),
		(unsigned)(h.high64 & 0xfff), (unsigned)(0x8000 | (h.low64 >> 48 & 0x3fff)),
		h.low64 & 0xffffffffffff);
}

static void take(struct tsp_state *x, const struct mer_experiment *e)
{
	XXH3_state_t all, one;
	XXH3_128bits_reset(&all);
	for (uint32_t i = 0; i < e->n_traces; i++) {
		const struct mer_trace *t = &e->traces[i];
		XXH3_128bits_reset(&one);
		XXH3_128bits_update(&one, t->path, strlen(t->path) + 1);
		if (t->uuid)
			XXH3_128bits_update(&one, t->uuid, strlen(t->uuid));
		put_uuid(x->traces[i], &one);
		XXH3_128bits_update(&all, x->traces[i], TSP_UUID_CHARS);
		x->spans[i] = (struct tsp_span){ t->begin, t->end };
	}
	put_uuid(x->experiment, &all);
	x->span = (struct tsp_span){ e->begin, e->end };
	x->n_traces = e->n_traces;
}

/* "client", "client and 2 more": the last part of the first path. */
static void put_name(struct tsp_state *x, const struct server_options *o)
{
	const char *path = o->n_paths ? o->paths[0] : "";
	size_t len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	size_t from = len;
	while (from && path[from - 1] != '/')
		from--;
	int n = (int)(len - from < 200 ? len - from : 200);
	snprintf(x->name, sizeof(x->name), o->n_paths > 1 ? "%.*s and %zu more" : "%.*s", n,
		path + from, o->n_paths - 1);
}

int tsp_state_new(struct server *s, void **state, struct mer_err *err)
{
	const struct mer_experiment *e =
		mer_session_experiment(s->traces[SERVER_CLOCKS_ALIGNED].session);
	struct tsp_state *x = calloc(1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(err);
	*state = x;
	pthread_mutex_init(&x->lock, NULL);
	x->traces = calloc(e->n_traces + 1u, sizeof(*x->traces));
	x->spans = calloc(e->n_traces + 1u, sizeof(*x->spans));
	if (!x->traces || !x->spans)
		return mer_fail_nomem(err);
	take(x, e);
	put_name(x, &s->o);
	return 0;
}

void tsp_state_free(void *state)
{
	struct tsp_state *x = state;
	tsp_index_fini(&x->index);
	tsp_answers_free(x->answers);
	for (size_t i = 0; i < TSP_KEPT_PATHS; i++) {
		free(x->paths[i].segments);
		mer_result_free(x->paths[i].path);
	}
	pthread_mutex_destroy(&x->lock);
	free(x->traces);
	free(x->spans);
	free(x);
}

void tsp_state_start(const struct tsp *t)
{
	if (atomic_load(&t->s->traces[SERVER_CLOCKS_ALIGNED].stage) == SERVER_READY)
		tsp_index_start(&t->state->index, t->s);
}
