#include "session/counts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "base/err.h"
#include "base/grow.h"
#include "session/lanes.h"
#include "session/state.h"
#include "store/store.h"

struct reader {
	struct session *s;
	const struct session_selection *what;
	struct session_counts *c;
	struct store_window bins;
	uint64_t *numbers;	  /* by host, kind: counts of the bins, then bytes */
	struct counter *counters; /* by host, kind */
};

/* ---- Which ---- */

/* Is the id one of these words? */
static bool is_named(const char *ids, const char *id)
{
	size_t len = strlen(id);
	for (const char *at = ids; at && (at = strstr(at, id)); at += len)
		if ((at == ids || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return !ids;
}

static size_t count_words(const char *text)
{
	size_t n = 0;
	for (; text && *text; text++)
		n += *text != ' ' && (text[1] == ' ' || !text[1]);
	return n;
}

static int choose_kinds(struct session_counts *c, const char *ids, struct mer_err *err)
{
	size_t n = 0;
	while (fact_kinds[n])
		n++;
	c->kinds = calloc(n + 1, sizeof(*c->kinds));
	if (!c->kinds)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		if (!fact_kinds[i]->origin && is_named(ids, fact_kinds[i]->id))
			c->kinds[c->n_kinds++] = fact_kinds[i];
	return !ids || c->n_kinds == count_words(ids)
		       ? 0
		       : mer_fail(err, MER_ERR_USAGE, "'%.200s' are not kinds of facts, each once",
				 ids);
}

static bool wants(const struct reader *r, uint32_t host)
{
	return session_selects_host(r->what, r->s->e->hosts[host].name);
}

static uint64_t *numbers_of(const struct reader *r, uint32_t host, size_t kind)
{
	return r->numbers + (host * r->c->n_kinds + kind) * 2 * r->bins.n_bins;
}

/* ---- From a store ---- */

static int read_store(struct reader *r, struct store *store, struct mer_err *err)
{
	int rc = 0;
	for (uint32_t h = 0; rc == 0 && h < r->s->e->n_hosts; h++)
		for (size_t k = 0; rc == 0 && wants(r, h) && k < r->c->n_kinds; k++) {
			uint64_t *to = numbers_of(r, h, k);
			rc = store_counts(
				store, h, r->c->kinds[k], &r->bins, to, to + r->bins.n_bins, err);
		}
	return rc;
}

/* ---- From the traces ---- */

struct counter { /* of a host and kind */
	const struct reader *r;
	const struct fact_kind *kind;
	const struct fact_field *bytes; /* NULL: it has none */
	uint64_t *to;
};

static void *counter_of(void *ctx, uint32_t host, const struct fact_kind *kind)
{
	struct reader *r = ctx;
	size_t k = 0;
	while (r->c->kinds[k] != kind)
		k++;
	struct counter *c = &r->counters[host * r->c->n_kinds + k];
	*c = (struct counter){ r, kind, store_counts_field(kind), numbers_of(r, host, k) };
	return wants(r, host) ? c : NULL;
}

static int take(
	void *taker, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err)
{
	const struct counter *c = taker;
	const struct store_window *bins = &c->r->bins;
	const char *at = facts;
	(void)h;
	(void)err;
	for (size_t i = 0; i < n; i++, at += c->kind->size) {
		int64_t begin = ((const struct fact *)at)->begin;
		uint64_t bin = ((uint64_t)begin - (uint64_t)bins->begin) >> bins->shift;
		if (begin < bins->begin || bin >= bins->n_bins)
			continue;
		c->to[bin]++;
		c->to[bins->n_bins + bin] += store_counts_bytes(c->bytes, at);
	}
	return 0;
}

static int read_traces(struct reader *r, struct mer_err *err)
{
	bool messages = false;
	for (size_t k = 0; k < r->c->n_kinds; k++)
		messages |= r->c->kinds[k]->maker->messages;
	const struct analysis_options options = {
		.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
	};
	const struct analysis_keeper counting = {
		.kinds = r->c->kinds, .ctx = r, .taker = counter_of, .take = take
	};
	const struct sync_messages *m = NULL;
	struct session *s = r->s;
	struct analysis_run run = { 0 };
	r->counters = calloc(s->e->n_hosts * r->c->n_kinds + 1, sizeof(*r->counters));
	if (!r->counters)
		return mer_fail_nomem(err);
	int rc = messages ? session_messages(s, &m, err) : 0;
	if (rc)
		return rc;
	const struct kernel_world_options world = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes) };
	rc = analysis_read_facts(&run, s->e, m, s->result, &world, &options, &counting, err);
	session_stage_end(s);
	analysis_run_fini(&run);
	return rc;
}

/* ---- The whole ---- */

static bool add_bins(struct reader *r, uint32_t host, size_t kind)
{
	struct session_counts *c = r->c;
	const uint64_t *from = numbers_of(r, host, kind);
	for (uint64_t bin = 0; bin < r->bins.n_bins; bin++) {
		int64_t begin = r->bins.begin + (int64_t)(bin << r->bins.shift);
		if (!from[bin])
			continue;
		if (!mer_grow(&c->item, c->n, &c->cap, sizeof(*c->item)))
			return false;
		c->item[c->n++] = (struct session_count){ begin,
			store_bin_end(begin >> r->bins.shift, r->bins.shift), from[bin],
			from[r->bins.n_bins + bin], host, (uint32_t)kind };
	}
	return true;
}

static int read(struct reader *r, struct mer_err *err)
{
	const uint64_t most = (uint64_t)1 << 30;
	const struct mer_experiment *e = r->s->e;
	size_t bytes = sizeof(*r->numbers) * 2 * r->bins.n_bins * r->c->n_kinds;
	struct store *store;
	if (bytes * (e->n_hosts + 1u) > most)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_FEWER_BINS,
			"%u bins of %u hosts take more than 1 GiB", (unsigned)r->bins.n_bins,
			(unsigned)e->n_hosts);
	r->numbers = calloc(e->n_hosts + 1u, bytes);
	if (!r->numbers)
		return mer_fail_nomem(err);
	int rc = session_store(r->s, &store, err);
	if (rc == 0 && store)
		rc = read_store(r, store, err);
	if (rc == MER_ERR_INPUT) { /* damaged: the traces are read after all */
		rc = store ? session_store_drop(r->s, err) : rc;
		memset(r->numbers, 0, e->n_hosts * bytes);
		store = NULL;
	}
	if (rc == 0 && !store)
		rc = read_traces(r, err);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts; h++)
		for (size_t k = 0; rc == 0 && k < r->c->n_kinds; k++)
			rc = add_bins(r, h, k) ? 0 : mer_fail_nomem(err);
	return rc;
}

int session_counts_find(struct session *s, const struct session_selection *what, const char *ids,
	uint32_t max_bins, struct session_counts *c, struct mer_err *err)
{
	struct reader r = { .s = s, .what = what, .c = c };
	struct session_window w;
	int rc = session_synchronize(s, false, err);
	if (rc == 0)
		rc = session_window(s, what, &w, err);
	if (rc == 0)
		rc = choose_kinds(c, ids, err);
	if (rc == 0 && (!max_bins || max_bins > SESSION_COUNT_BINS))
		rc = mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_FEWER_BINS, "from 1 to %d bins",
			(int)SESSION_COUNT_BINS);
	if (rc || !session_lanes_bins(s->e, &w, max_bins, &r.bins))
		return rc;
	rc = read(&r, err);
	free(r.numbers);
	free(r.counters);
	return rc;
}

void session_counts_fini(struct session_counts *c)
{
	free(c->kinds);
	free(c->item);
	*c = (struct session_counts){ 0 };
}
