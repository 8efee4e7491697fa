/* Facts made by a full reading, kept for later queries of a window, for kinds that cannot be
 * computed from part of the traces (analysis_kept): disk requests, memory, packets, ... There is
 * one file for each kind. It has the facts of all hosts in the form of a store (facts.h), and each
 * host's numbers of tasks, names and calls: facts refer to these by index, so a world must have the
 * same numbers to use them.
 *
 * It only saves time: an unreadable file counts as missing. The file's size is limited; if it would
 * be larger, nothing is kept. */
#ifndef MER_STORE_KEPT_FACTS_H
#define MER_STORE_KEPT_FACTS_H

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "store/cache.h"

/* ---- writing ---- */

struct store_facts_keeper; /* of a kind */

/* The folder must exist. NULL: the file cannot be made. */
struct store_facts_keeper *store_facts_keeper_new(const char *path, const struct store_key *key,
	const struct fact_kind *kind, uint32_t n_hosts, uint64_t max_bytes);
/* The taker's ctx for the facts of a host, used on that host's thread; NULL: something failed. */
void *store_facts_keeper_of(struct store_facts_keeper *k, uint32_t host);
int store_facts_keeper_take(
	void *taker, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err);
/* Frees k. ok: all facts of this world were taken; otherwise no file is kept. False: there is no
 * file. */
bool store_facts_keeper_end(
	struct store_facts_keeper *k, const struct kernel_world *w, bool ok); /* NULL is fine */

/* ---- reading ---- */

struct store_kept_facts; /* of a kind */

/* NULL: the file is missing or damaged. */
struct store_kept_facts *store_kept_facts_open(const char *path, const struct store_key *key);
void store_kept_facts_close(struct store_kept_facts *k); /* NULL is fine */
/* As store_facts_read. h NULL: the host is not known yet; allowed for kinds whose facts hold no
 * indexes of tasks, names or calls. MER_ERR_INPUT: the facts are damaged, or of another world. */
int store_kept_facts_read(const struct store_kept_facts *k, uint32_t host,
	const struct kernel_host *h, const struct fact_kind *kind, const struct fact_range *range,
	fact_taker *take, void *taker, struct mer_err *err);

#endif
