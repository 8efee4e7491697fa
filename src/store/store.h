/* Store: the model of an experiment, saved so that it can be used again without reading the traces.
 *
 *   kernel_world, usage ──store_record──→ file ──store_open──→ the same, read as it is looked at
 *
 * A world from a store is used like any other (kernel/world.h), by one thread at a time. Tables are
 * used directly from the mapped file; spans are decoded when first accessed. Opening takes
 * milliseconds, whatever the size. The file is valid for one build of the program and for unchanged
 * traces; cache.h says where it is kept. */
#ifndef MER_STORE_STORE_H
#define MER_STORE_STORE_H

#include "analysis/analysis.h"
#include "kernel/world.h"
#include "path/usage.h"
#include "requests/requests.h"
#include "store/counts.h"
#include "store/lanes.h"
#include "store/sections.h"

struct store;
struct sync_result;

/* e: the experiment that it was made from, with its clock maps applied. MER_ERR_INPUT: the file is
 * damaged, of other traces, or from another build of the program. */
int store_open(const char *path, const uint8_t key[STORE_KEY_BYTES], struct mer_experiment *e,
	struct store **s, struct mer_err *err);
/* The same of n files, each made of some of e's hosts where their recordings lie (parts.h), with
 * the same clocks: r, applied to e. Adds to e what the files know of it. MER_ERR_INPUT as above, or
 * they do not fit each other. */
struct store_part_file;
int store_open_parts(const struct store_part_file *files, size_t n, struct mer_experiment *e,
	const struct sync_result *r, struct store **s, struct mer_err *err);
/* Does it have facts? Parts may be without, and then without lanes, too. */
bool store_has_facts(const struct store *s);
/* Frees its world, too. NULL is allowed. */
void store_close(struct store *s);
struct kernel_world *store_world(struct store *s);
/* Adds the saved diagnostics to diags, except those that it already has. */
void store_report(const struct store *s, struct mer_diags *diags);
/* Free *u with usage_free. MER_ERR_INPUT: the data is damaged. */
int store_usage(struct store *s, struct usage **u, struct mer_err *err);
/* The requests that were found, and the store's world with the additional data that they need.
 * Free them with requests_free and, after that, store_requests_world_free. MER_ERR_INPUT: the data
 * is damaged. */
int store_requests(
	struct store *s, struct kernel_world **w, struct requests **r, struct mer_err *err);
void store_requests_world_free(struct kernel_world *w); /* NULL is fine */
/* Times of lanes of a host: see lanes.h. */
int store_lanes(struct store *s, uint32_t host, const struct store_lane *lanes, size_t n_lanes,
	const struct store_window *window, int64_t *times, struct mer_err *err);
/* Counts of a host's facts: see counts.h. Kinds with an origin have none. */
int store_counts(struct store *s, uint32_t host, const struct fact_kind *kind,
	const struct store_window *window, uint64_t *counts, uint64_t *bytes, struct mer_err *err);
/* The store's facts, for analysis_run_from; valid while the store is open. */
struct analysis_source store_source(struct store *s);

/* Was any of the data accessed so far damaged? */
bool store_is_damaged(const struct store *s);
/* Replaces damaged spans and rows with those of the same world built anew from the traces
 * (record.h), which `read` returns (NULL: there is none). It is called once, on whichever thread
 * first accesses damaged data. Without it such spans and rows are unknown. how NULL: stop doing
 * so. */
struct store_mending {
	const struct kernel_world *(*read)(void *ctx);
	void *ctx;
};
void store_mend_with(struct store *s, const struct store_mending *how);
/* Was something damaged and not replaced? Then results may be wrong. */
bool store_lacks(const struct store *s);

#endif
