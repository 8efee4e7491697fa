/* The picture of meridian summary: CPUs, disks, network and page faults over one axis of time. */
#ifndef MER_ASK_REPORTS_SUMMARY_PLOT_H
#define MER_ASK_REPORTS_SUMMARY_PLOT_H

#include "ask/context.h"
#include "session/request.h"

/* Reads the experiment again for what all analyses have over time (struct analysis_chart.summary),
 * of the same time as a, and writes it to the file. */
int ask_summary_plot(struct ask *ask, const struct session_answer *a, const char *path);

#endif
