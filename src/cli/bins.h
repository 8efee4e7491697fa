/* What --bins, --interval and --plot may say, wherever there are rows over time. */
#ifndef MER_CLI_BINS_H
#define MER_CLI_BINS_H

#include "cli/context.h"

/* MER_ERR_USAGE: both are given, or one of them is out of range. plot: NULL: no chart. */
int cli_bins_check(const struct cli_amount *bins, const struct cli_amount *interval,
	const char *plot, struct mer_err *err);

#endif
