/* What --bins, --interval and --plot may say, wherever there are rows over time. */
#ifndef MER_ASK_PRINT_BINS_H
#define MER_ASK_PRINT_BINS_H

#include "ask/context.h"

/* MER_ERR_USAGE: both are given, or one of them is out of range. plot: NULL: no chart. */
int ask_bins_check(const struct ask_amount *bins, const struct ask_amount *interval,
	const char *plot, struct mer_err *err);

#endif
