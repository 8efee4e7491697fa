/* Store: what was read from the traces of an experiment, saved, and used again without reading
 * them.
 *
 *   kernel_world, usage ──store_record──→ file ──store_open──→ the same, read as it is looked at
 *
 * A world from a store is used like any other (kernel/world.h), by one thread at a time. Tables lie
 * in it as in memory; spans are decoded when they are first looked at. Opening takes milliseconds,
 * whatever the size. The file belongs to one program and to traces that have not changed: cache.h
 * says where it is. */
#ifndef MER_STORE_STORE_H
#define MER_STORE_STORE_H

#include "analysis/analysis.h"
#include "kernel/world.h"
#include "path/usage.h"
#include "requests/log.h"
#include "store/counts.h"
#include "store/lanes.h"
#include "store/sections.h"

struct store;

/* e: the experiment that it was made of, with its clock maps applied. MER_ERR_INPUT: it is damaged,
 * of other traces, or by another program. */
int store_open(const char *path, const uint8_t key[STORE_KEY_BYTES], struct mer_experiment *e,
	struct store **s, struct mer_err *err);
/* NULL is fine. Its world goes away with it. */
void store_close(struct store *s);
struct kernel_world *store_world(struct store *s);
/* What was found while it was made is added to diags, as far as it is not there yet. */
void store_report(const struct store *s, struct mer_diags *diags);
/* usage_free. MER_ERR_INPUT: it is damaged. */
int store_usage(struct store *s, struct usage **u, struct mer_err *err);
/* What requests are found of, in a world that is the store's, and has what only they need:
 * requests_log_free, store_requests_world_free. MER_ERR_INPUT: it is damaged. */
int store_request_log(
	struct store *s, struct kernel_world **w, struct requests_log **log, struct mer_err *err);
void store_requests_world_free(struct kernel_world *w); /* NULL is fine */
/* Of lanes of a host: see lanes.h. */
int store_lanes(struct store *s, uint32_t host, const struct store_lane *lanes, size_t n_lanes,
	const struct store_window *window, int64_t *times, struct mer_err *err);
/* Of facts of a host: see counts.h. A kind with an origin has none. */
int store_counts(struct store *s, uint32_t host, const struct fact_kind *kind,
	const struct store_window *window, uint64_t *counts, uint64_t *bytes, struct mer_err *err);
/* Its facts, for analysis_run_from; as long as the store is open. */
struct analysis_source store_source(struct store *s);

/* Some of what was looked at until now was not as it was saved. */
bool store_is_damaged(const struct store *s);
/* Spans and rows that are damaged are taken from the same world of another source, which read
 * returns: of the traces (record.h). It is called once, on a thread that looks at something; NULL:
 * there is none. Without it they are unknown. how NULL: not any more. */
struct store_mending {
	const struct kernel_world *(*read)(void *ctx);
	void *ctx;
};
void store_mend_with(struct store *s, const struct store_mending *how);
/* Something was damaged and is unknown: what was made of it may be wrong. */
bool store_lacks(const struct store *s);

#endif
