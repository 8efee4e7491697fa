/* Facts in a file: of each host and kind, in blocks of some thousand, in the order in which they
 * were made.
 *
 *   store_facts_take ──→ blocks of packed columns, one for each member of the struct, and their
 *   index store_facts_read ──→ the blocks of a window, as structs again, only the members that are
 *   needed
 *
 * Nothing is known here of any kind but its description (analysis/fact.h). */
#ifndef MER_STORE_FACTS_H
#define MER_STORE_FACTS_H

#include "analysis/fact.h"
#include "store/sections.h"

enum { STORE_FACTS = 4096, STORE_FACT_COLUMNS = 64 };

/* ---- writing ---- */

struct store_facts; /* of a kind and host */

/* number: of the kind; the same when it is read. NULL: no memory. */
struct store_facts *store_facts_new(
	struct store_writer *w, uint32_t host, uint32_t number, const struct fact_kind *kind);
/* A fact_taker; ctx: the struct. */
int store_facts_take(
	void *facts, const struct kernel_host *h, const void *first, size_t n, struct mer_err *err);
/* Before the first one: they are not counted over time (counts.h). */
void store_facts_uncounted(struct store_facts *f);
/* How many were written so far: bytes of blocks. */
uint64_t store_facts_bytes(const struct store_facts *f);
/* Writes what is left, and the index; and frees. Failures are the writer's. NULL is fine. */
void store_facts_end(struct store_facts *f);
/* Frees without writing. NULL is fine. */
void store_facts_drop(struct store_facts *f);

/* ---- reading ---- */

/* Which members are needed, besides begin and end: a bit for each of kind->fields, and the
 * following. */
#define STORE_NEEDS_TASK ((uint64_t)1 << 63)
#define STORE_NEEDS_CPU ((uint64_t)1 << 62)
#define STORE_NEEDS_CHOICE ((uint64_t)1 << 61)
#define STORE_NEEDS_ALL UINT64_MAX

/* Hands the facts of all blocks that may have one in the range to take, in their order; members
 * that are not needed are 0. Where no block has one, the last block is handed to it. MER_ERR_INPUT:
 * they are damaged, or not there. */
int store_facts_read(const struct store_file *f, uint32_t host, uint32_t number,
	const struct fact_kind *kind, const struct kernel_host *h, uint64_t needs,
	const struct fact_range *range, fact_taker *take, void *ctx, struct mer_err *err);

#endif
