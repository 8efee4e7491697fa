/* Facts in a file: for each host and kind, blocks of a few thousand facts in the order in which
 * they were made.
 *
 *   store_facts_take ──→ blocks of packed columns, one for each member of the struct, and their
 *   index store_facts_read ──→ the blocks of a window, as structs again, only the members that are
 *   needed
 *
 * This file knows a kind only by its description (analysis/fact.h). */
#ifndef MER_STORE_FACTS_H
#define MER_STORE_FACTS_H

#include "analysis/fact.h"
#include "base/ahead.h"
#include "store/sections.h"

enum { STORE_FACTS = 4096, STORE_FACT_COLUMNS = 64 };

/* ---- writing ---- */

struct store_facts; /* the facts of one kind and host */

/* number: identifies the kind; readers must pass the same one. packer: a thread that packs blocks,
 * shared with others, borrowed; NULL: the one that takes facts does. NULL: no memory. */
struct store_facts *store_facts_new(struct store_writer *w, uint32_t host, uint32_t number,
	const struct fact_kind *kind, struct mer_ahead *packer);
/* A fact_taker; ctx: the struct store_facts. */
int store_facts_take(
	void *facts, const struct kernel_host *h, const void *first, size_t n, struct mer_err *err);
/* Writes the remaining facts and the index, and frees f. Failures are recorded in the writer. NULL
 * is allowed. */
void store_facts_end(struct store_facts *f);
/* Frees f without writing. NULL is allowed. */
void store_facts_drop(struct store_facts *f);

/* ---- reading ---- */

/* Members to read besides begin and end: one bit for each of kind->fields, and the following. */
#define STORE_NEEDS_TASK ((uint64_t)1 << 63)
#define STORE_NEEDS_CPU ((uint64_t)1 << 62)
#define STORE_NEEDS_CHOICE ((uint64_t)1 << 61)
#define STORE_NEEDS_ALL UINT64_MAX

/* Passes to `take`, in order, the facts of all blocks that may have one in the range; members that
 * are not needed are 0. If no block has one, the last block is passed. MER_ERR_INPUT: the facts are
 * damaged or missing. */
int store_facts_read(const struct store_file *f, uint32_t host, uint32_t number,
	const struct fact_kind *kind, const struct kernel_host *h, uint64_t needs,
	const struct fact_range *range, fact_taker *take, void *ctx, struct mer_err *err);

#endif
