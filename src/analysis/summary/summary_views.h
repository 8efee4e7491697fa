/* Which of the views that belong to meridian are about events of these traces. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_VIEWS_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include "trace/experiment.h"

/* Does view_shipped[number] have a rule whose event, with its fields, is in a trace? 0 or an
 * error. */
int summary_view_fits(
	const struct mer_experiment *e, size_t number, bool *fits, struct mer_err *err);

#endif
