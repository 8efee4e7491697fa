/* Derived facts (fact.h, struct fact_origin), which a store does not keep: computed from other
 * facts when they are read, by the same maker as in a reading of the traces. */
#ifndef MER_STORE_MADE_AGAIN_H
#define MER_STORE_MADE_AGAIN_H

#include "analysis/analysis.h"
#include "analysis/fact.h"
#include "store/spans.h"

/* As analysis_source.read, for a kind with an origin. source: supplies the facts from which these
 * are derived. */
int store_make_again(struct store_spans *s, const struct analysis_source *source, uint32_t host,
	const struct fact_kind *kind, const struct fact_range *range, fact_taker *take, void *taker,
	struct mer_err *err);

#endif
