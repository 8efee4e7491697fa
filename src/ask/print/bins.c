#include "ask/print/bins.h"

#include <inttypes.h>

#include "analysis/bins.h"
#include "draw/chart_table.h"

int ask_bins_check(const struct ask_amount *bins, const struct ask_amount *interval,
	const char *plot, struct mer_err *err)
{
	if (bins->set && interval->set)
		return mer_fail(err, MER_ERR_USAGE, "--bins and --interval exclude each other");
	if (bins->set && (bins->v < 1 || bins->v > ANALYSIS_MAX_BINS))
		return mer_fail(
			err, MER_ERR_USAGE, "--bins: between 1 and %d", (int)ANALYSIS_MAX_BINS);
	if (plot && bins->set && bins->v > DRAW_CHART_BINS)
		return mer_fail(err, MER_ERR_USAGE,
			"--plot: %" PRId64 " bins are more than a chart can show (%d)", bins->v,
			(int)DRAW_CHART_BINS);
	if (interval->set && interval->v < 1)
		return mer_fail(err, MER_ERR_USAGE, "--interval: a duration above 0 is required");
	return 0;
}
