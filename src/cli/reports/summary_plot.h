/* The picture of meridian summary: CPUs, disks, network and page faults over one axis of time. */
#ifndef MER_CLI_REPORTS_SUMMARY_PLOT_H
#define MER_CLI_REPORTS_SUMMARY_PLOT_H

#include "analysis/analysis.h"
#include "cli/context.h"

/* Reads the experiment for what all analyses have over time (struct analysis_chart.summary), and writes it
 * to the file. options: what was asked for; bins are chosen here. */
int cli_summary_plot(struct cli *cli, struct mer_experiment *e,
	const struct sync_messages *messages, const struct sync_result *r,
	const struct analysis_options *options, const char *path);

#endif
