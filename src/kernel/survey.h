/* Survey: what must be known of the traces of each host before anybody reads them, and packet
 * headers do not tell: CPUs that were at work and have no stream, and events that two sessions
 * recorded at the same time. Reads some thousand events of each host at most. */
#ifndef MER_KERNEL_SURVEY_H
#define MER_KERNEL_SURVEY_H

#include "trace/experiment.h"

/* Adds to e->absent and e->twins, with findings. Once, after opening and before clock maps. */
int kernel_survey(struct mer_experiment *e, struct mer_err *err);

/* Its second half. */

int kernel_twins_find(struct mer_experiment *e, struct mer_err *err);

#endif
