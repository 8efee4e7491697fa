/* Tables of the MPI analysis that are more than sums: properties of whole programs. */
#ifndef MER_ANALYSIS_REPORTS_MPI_H
#define MER_ANALYSIS_REPORTS_MPI_H

#include "analysis/fold.h"

extern const struct mer_column mpi_pattern_columns[], mpi_efficiency_columns[];
extern const struct fold mpi_pattern_fold, mpi_efficiency_fold;

#endif
