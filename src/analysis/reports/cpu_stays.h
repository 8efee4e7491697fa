/* Stays: from when a thread comes onto a CPU until it leaves it, interrupts included. */
#ifndef MER_ANALYSIS_REPORTS_CPU_STAYS_H
#define MER_ANALYSIS_REPORTS_CPU_STAYS_H

#include "analysis/fold.h"

extern const struct mer_column cpu_log_columns[], cpu_freq_columns[], cpu_stats_columns[];
extern const struct fold cpu_log_fold, cpu_freq_fold, cpu_stats_fold;

#endif
