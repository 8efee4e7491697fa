/* Facts that a store does not keep, as they follow from others (fact.h, struct fact_origin): made
 * again when they are read, by the maker that would have made them. */
#ifndef MER_STORE_MADE_AGAIN_H
#define MER_STORE_MADE_AGAIN_H

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "store/spans.h"

/* As analysis_source.read, of a kind with an origin. source: for the facts that they are made
 * of. */
int store_make_again(struct store_spans *s, const struct analysis_source *source, uint32_t host,
	const struct fact_kind *kind, const struct fact_range *range, fact_taker *take, void *taker,
	struct mer_err *err);

#endif
