/* Which of the views shipped with meridian apply to the events of these traces. */
#ifndef MER_ANALYSIS_SUMMARY_SUMMARY_VIEWS_H
#define MER_ANALYSIS_SUMMARY_SUMMARY_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include "trace/experiment.h"

/* Does view_shipped[number] have a rule whose event, with its fields, is in a trace? Returns 0
 * or an error. */
int summary_view_fits(
	const struct mer_experiment *e, size_t number, bool *fits, struct mer_err *err);

#endif
