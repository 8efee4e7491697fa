/* An analysis that uses all kinds of facts, and whose result is a file. */
#include "store/record.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "store/facts.h"
#include "store/save.h"

struct recorder {
	struct analysis_run run; /* first, so that it leads to the rest */
	struct store_writer w;
	struct usage *usage;
	size_t n_kinds;
	const struct fact_kind **kept; /* those that do not follow from others */
	bool no_file;		       /* only the world is wanted */
};

struct host_state {
	struct store_facts **facts; /* by kind */
	const struct kernel_observer *usage;
};

static int begin(struct analysis_host *a)
{
	struct recorder *x = (struct recorder *)a->run;
	struct host_state *s = a->state;
	s->usage = &usage_observers(x->usage)[a->host];
	s->facts = mer_arena_zalloc(a->arena, x->n_kinds + 1, sizeof(struct store_facts *));
	for (uint32_t k = 0; s->facts && !x->no_file && k < x->n_kinds; k++) {
		if (fact_kinds[k]->origin)
			continue;
		s->facts[k] = store_facts_new(&x->w, a->host, k, fact_kinds[k]);
		if (!s->facts[k])
			return mer_fail_nomem(a->err);
	}
	return s->facts ? 0 : mer_fail_nomem(a->err);
}

static int take(struct analysis_host *a, const struct kernel_host *h, const struct fact_kind *kind,
	const void *facts, size_t n)
{
	const struct recorder *x = (struct recorder *)a->run;
	struct host_state *s = a->state;
	size_t k = 0;
	if (x->no_file)
		return 0;
	while (fact_kinds[k] != kind)
		k++;
	return store_facts_take(s->facts[k], h, facts, n, a->err);
}

static int end(struct analysis_host *a, const struct kernel_host *h)
{
	struct recorder *x = (struct recorder *)a->run;
	struct host_state *s = a->state;
	(void)h;
	for (size_t k = 0; !x->no_file && k < x->n_kinds; k++) {
		store_facts_end(s->facts[k]);
		s->facts[k] = NULL;
	}
	return 0;
}

static void free_state(void *state)
{
	struct host_state *s = state;
	for (size_t k = 0; s->facts && fact_kinds[k]; k++)
		store_facts_drop(s->facts[k]);
}

/* ---- what tasks use ---- */

static int on_memory(void *ctx, const struct kernel_host *h, const struct kernel_memory *m)
{
	const struct host_state *s = ((struct analysis_host *)ctx)->state;
	return s->usage->memory(s->usage->ctx, h, m);
}

static int on_packet(void *ctx, const struct kernel_host *h, const struct kernel_packet_seen *p)
{
	const struct host_state *s = ((struct analysis_host *)ctx)->state;
	return s->usage->packet(s->usage->ctx, h, p);
}

static int on_call(void *ctx, const struct kernel_host *h, const struct kernel_call_end *c)
{
	const struct host_state *s = ((struct analysis_host *)ctx)->state;
	return s->usage->call(s->usage->ctx, h, c);
}

/* ---- the whole ---- */

static int emit(struct analysis_run *run, unsigned output, struct mer_table *t)
{
	(void)run;
	(void)output;
	(void)t;
	return 0;
}

static int read_all(struct recorder *x, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *o, struct mer_err *err)
{
	static const struct mer_column columns[] = { { 0 } };
	static const struct analysis_output outputs[] = { { .id = "store", .columns = columns },
		{ 0 } };
	const struct analysis recording = { .id = "store",
		.wants = usage_observers(x->usage)[0].wants,
		.messages = true,
		.outputs = outputs,
		.state_size = sizeof(struct host_state),
		.on = { .memory = on_memory, .packet = on_packet, .call = on_call },
		.uses = x->kept,
		.facts = take,
		.begin = begin,
		.end = end,
		.emit = emit,
		.free_state = free_state };
	const struct analysis_options options = {
		.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX, .keep_spans = true
	};
	const struct analysis_request request = { &recording, 0 };
	struct mer_table table;
	int rc = analysis_run(&x->run, e, messages, r, o, &options, &request, 1, &table, err);
	mer_table_fini(&table);
	return rc;
}

static int prepare(struct recorder *x, struct mer_experiment *e, struct mer_err *err)
{
	x->run.e = e;
	while (fact_kinds[x->n_kinds])
		x->n_kinds++;
	x->kept = calloc(x->n_kinds + 1, sizeof(*x->kept));
	for (size_t k = 0, n = 0; x->kept && k < x->n_kinds; k++)
		if (!fact_kinds[k]->origin)
			x->kept[n++] = fact_kinds[k];
	return x->kept ? usage_new(e->n_hosts, e->spill, &x->usage, err) : mer_fail_nomem(err);
}

static void fini(struct recorder *x)
{
	analysis_run_fini(&x->run);
	usage_free(x->usage);
	free(x->kept);
}

int store_record(const char *path, const uint8_t key[STORE_KEY_BYTES], const char *about,
	struct mer_experiment *e, const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *o, struct mer_err *err)
{
	struct recorder x = { 0 };
	/* What is found is saved, also what was found before. */
	struct mer_diags before = e->diags;
	mer_diags_init(&e->diags, &e->arena);
	int rc = prepare(&x, e, err);
	bool is_open = rc == 0;
	if (rc == 0)
		rc = store_writer_begin(&x.w, path, key, err);
	if (rc == 0)
		rc = read_all(&x, e, messages, r, o, err);
	if (rc == 0)
		rc = usage_settle(x.usage, x.run.world, err);
	if (rc == 0) {
		struct store_content c = {
			.world = x.run.world, .usage = x.usage, .diags = &e->diags, .about = about
		};
		rc = store_put(&x.w, &c,
			&(struct store_options){ .n_threads = o->n_threads, .cancel = o->cancel },
			err);
	}
	if (is_open) {
		int ended = store_writer_end(&x.w, rc == 0, err);
		rc = rc ? rc : ended;
	}
	fini(&x);
	struct mer_diags found = e->diags;
	e->diags = before;
	mer_diags_merge_new(&e->diags, &found);
	mer_diags_fini(&found);
	return rc;
}

/* ---- without a file ---- */

struct store_again {
	struct recorder x;
};

int store_read_again(struct mer_experiment *e, const struct sync_messages *messages,
	const struct sync_result *r, const struct kernel_world_options *o,
	struct store_again **again, struct mer_err *err)
{
	struct store_again *a = calloc(1, sizeof(*a));
	if (!a)
		return mer_fail_nomem(err);
	struct mer_diags before = e->diags;
	mer_diags_init(&e->diags, &e->arena);
	a->x.no_file = true;
	int rc = prepare(&a->x, e, err);
	if (rc == 0)
		rc = read_all(&a->x, e, messages, r, o, err);
	mer_diags_fini(&e->diags);
	e->diags = before;
	if (rc) {
		store_again_free(a);
		return rc;
	}
	*again = a;
	return 0;
}

const struct kernel_world *store_again_world(const struct store_again *again)
{
	return again->x.run.world;
}

void store_again_free(struct store_again *again)
{
	if (again)
		fini(&again->x);
	free(again);
}
