/* Facts that a reading of everything made, kept for questions about a window, of kinds that cannot
 * be made of a part of the traces (analysis_kept): requests to disks, memory, packets, ... One file
 * for each kind, with the facts of all hosts as a store has them (facts.h), and of each host how
 * many tasks, names and calls it has: numbers in facts are of these, so the world that they are
 * used with must have as many.
 *
 * It is a help: what does not read is not there. The file is bounded; where it would be larger,
 * nothing is kept. */
#ifndef MER_STORE_KEPT_FACTS_H
#define MER_STORE_KEPT_FACTS_H

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "store/cache.h"

/* ---- writing ---- */

struct store_facts_keeper; /* of a kind */

/* NULL: it cannot be. The folder is there. */
struct store_facts_keeper *store_facts_keeper_new(const char *path, const struct store_key *key,
	const struct fact_kind *kind, uint32_t n_hosts, uint64_t max_bytes);
/* Who takes those of a host, on its thread; NULL: nobody, something failed. */
void *store_facts_keeper_of(struct store_facts_keeper *k, uint32_t host);
int store_facts_keeper_take(
	void *taker, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err);
/* Frees it. ok: all were taken, of this world; else there is no file. False: there is none. */
bool store_facts_keeper_end(
	struct store_facts_keeper *k, const struct kernel_world *w, bool ok); /* NULL is fine */

/* ---- reading ---- */

struct store_kept_facts; /* of a kind */

/* NULL: there are none, or they are damaged. */
struct store_kept_facts *store_kept_facts_open(const char *path, const struct store_key *key);
void store_kept_facts_close(struct store_kept_facts *k); /* NULL is fine */
/* As store_facts_read. h NULL: nothing is known of it yet, and they are of a kind whose facts have
 * no numbers of anything. MER_ERR_INPUT: they are damaged, or of another world. */
int store_kept_facts_read(const struct store_kept_facts *k, uint32_t host,
	const struct kernel_host *h, const struct fact_kind *kind, const struct fact_range *range,
	fact_taker *take, void *taker, struct mer_err *err);

#endif
