/* Events of guests with times when their CPU was not in the guest: tables of the analysis vm. */
#ifndef MER_ANALYSIS_REPORTS_VM_BAD_H
#define MER_ANALYSIS_REPORTS_VM_BAD_H

#include "analysis/analysis.h"

extern const struct mer_column vm_bad_columns[], vm_bad_bins_columns[];
/* Fills the table: a row for each guest, or for each guest and bin. */
int vm_bad_emit(struct analysis_run *run, bool over_time, struct mer_table *t);

#endif
