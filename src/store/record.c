/* Reads the traces without making tables, and keeps all facts. */
#include "store/record.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "kernel/observer_pair.h"
#include "store/facts.h"
#include "store/messages.h"
#include "store/save.h"

struct recorder {
	struct analysis_run run;
	struct store_writer w;
	struct usage *usage;
	struct requests_log *log;
	/* our two observers; and the caller's in addition */
	struct kernel_observer_pairs both, all;
	const struct kernel_observer *observers; /* all observers to call */
	size_t n_kinds;
	const struct fact_kind **kept; /* kinds that are not derived from others */
	struct store_facts **facts;    /* by host and kind */
	struct mer_ahead *packer;      /* that packs them; NULL: no thread is left for it */
	uint32_t n_hosts;
	bool no_file; /* only the world is wanted */
	bool of_some; /* of the hosts: facts that need all of them are not kept */
	bool no_facts;
	bool failed; /* no memory */
};

/* ---- facts, to the file as they come ---- */

static void *taker_of(void *ctx, uint32_t host, const struct fact_kind *kind)
{
	struct recorder *x = ctx;
	uint32_t k = 0;
	if (x->no_file)
		return NULL;
	while (fact_kinds[k] != kind)
		k++;
	struct store_facts **f = &x->facts[host * x->n_kinds + k];
	*f = store_facts_new(&x->w, host, k, kind, x->packer);
	x->failed |= !*f;
	return *f;
}

static int take(
	void *taker, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	return store_facts_take(taker, h, facts, n, err);
}

static void end_facts(struct recorder *x)
{
	for (size_t i = 0; i < x->n_hosts * x->n_kinds; i++) {
		if (x->facts[i])
			store_facts_end(x->facts[i]);
		x->facts[i] = NULL;
	}
}

/* ---- the whole ---- */

static int read_all(struct recorder *x, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct kernel_world_options *o, struct mer_err *err)
{
	const struct analysis_options options = {
		.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX, .keep_spans = true
	};
	const struct analysis_keeper all = {
		.kinds = x->kept, .ctx = x, .taker = taker_of, .take = take
	};
	struct kernel_world_options with = *o;
	with.observers = x->observers;
	int rc = analysis_read_facts(&x->run, e, messages, r, &with, &options, &all, err);
	if (rc == 0 && x->failed)
		rc = mer_fail_nomem(err);
	if (rc == 0)
		end_facts(x);
	return rc;
}

static int prepare(struct recorder *x, struct mer_experiment *e,
	const struct kernel_world_options *o, struct mer_err *err)
{
	x->run.e = e;
	while (fact_kinds[x->n_kinds])
		x->n_kinds++;
	x->kept = calloc(x->n_kinds + 1, sizeof(*x->kept));
	for (size_t k = 0, n = 0; x->kept && k < x->n_kinds; k++)
		if (!fact_kinds[k]->origin && !x->no_facts &&
			!(x->of_some && fact_kinds[k]->maker->of_world))
			x->kept[n++] = fact_kinds[k];
	x->n_hosts = e->n_hosts;
	x->facts = calloc((size_t)e->n_hosts * x->n_kinds + 1, sizeof(struct store_facts *));
	int rc = x->kept && x->facts ? usage_new(e->n_hosts, e->spill, &x->usage, err)
				     : mer_fail_nomem(err);
	if (rc == 0)
		x->observers = usage_observers(x->usage);
	if (rc || x->no_file)
		return rc;
	x->packer = o->n_threads > e->n_hosts ? mer_ahead_start() : NULL;
	rc = requests_log_new(e->n_hosts, e->spill, &x->log, err);
	if (rc)
		return rc;
	if (!kernel_observer_pairs_make(
		    &x->both, e->n_hosts, requests_log_observers(x->log), x->observers))
		return mer_fail_nomem(err);
	x->observers = x->both.both;
	if (!o->observers)
		return 0;
	if (!kernel_observer_pairs_make(&x->all, e->n_hosts, x->observers, o->observers))
		return mer_fail_nomem(err);
	x->observers = x->all.both;
	return 0;
}

/* The facts that were not ended, and who packs them; before their writer ends. */
static void drop_facts(struct recorder *x)
{
	for (size_t i = 0; x->facts && i < x->n_hosts * x->n_kinds; i++)
		store_facts_drop(x->facts[i]);
	free(x->facts);
	x->facts = NULL;
	mer_ahead_stop(x->packer);
	x->packer = NULL;
}

static void fini(struct recorder *x)
{
	drop_facts(x);
	analysis_run_fini(&x->run);
	kernel_observer_pairs_fini(&x->all);
	kernel_observer_pairs_fini(&x->both);
	requests_log_free(x->log);
	usage_free(x->usage);
	free(x->kept);
}

int store_record(const struct store_target *to, struct mer_experiment *e,
	const struct sync_messages *messages, const struct mer_diags *matched,
	const struct sync_result *r, const struct kernel_world_options *o, struct mer_err *err)
{
	struct recorder x = { .of_some = to->own != NULL, .no_facts = to->has_no_facts };
	/* Diagnostics are collected in an empty list, so that all of them are saved, even those
	 * that are already known. */
	struct mer_diags before = e->diags;
	mer_diags_init(&e->diags, &e->arena);
	int rc = prepare(&x, e, o, err);
	bool is_open = rc == 0;
	if (rc == 0)
		rc = store_writer_begin(&x.w, to->path, to->key, err);
	if (rc == 0 && matched) /* reading may drop them */
		rc = store_put_messages(&x.w, messages, matched, err);
	if (rc == 0)
		rc = read_all(&x, e, messages, r, o, err);
	if (rc == 0)
		rc = usage_settle(x.usage, x.run.world, err);
	if (rc == 0) {
		struct store_content c = {
			.world = x.run.world,
			.usage = x.usage,
			.diags = &e->diags,
			.about = to->about,
			.log = &x.log,
			.own = to->own,
			.has_no_facts = to->has_no_facts,
		};
		rc = store_put(&x.w, &c,
			&(struct store_options){ .n_threads = o->n_threads, .cancel = o->cancel },
			err);
	}
	drop_facts(&x);
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
	int rc = prepare(&a->x, e, o, err);
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
