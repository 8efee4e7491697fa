/* All analyses: the list that verbs, help, completions and the library use. */
#include <string.h>

#include "analysis/all.h"

const struct analysis *const analyses[] = {
	&analysis_cpu,
	&analysis_cpufreq,
	&analysis_sched,
	&analysis_poll,
	&analysis_io,
	&analysis_disk,
	&analysis_net,
	&analysis_mem,
	&analysis_faults,
	&analysis_syscall,
	&analysis_irq,
	&analysis_futex,
	&analysis_servers,
	&analysis_rates,
	&analysis_vm,
	&analysis_view,
	&analysis_mpi,
	&analysis_period,
	NULL,
};

const struct analysis *analysis_find(const char *id)
{
	for (size_t i = 0; analyses[i]; i++)
		if (strcmp(analyses[i]->id, id) == 0 ||
			(analyses[i]->was && strcmp(analyses[i]->was, id) == 0))
			return analyses[i];
	return NULL;
}

int analysis_find_output(const struct analysis *a, const char *id)
{
	for (int i = 0; a->outputs[i].id; i++)
		if (strcmp(a->outputs[i].id, id) == 0)
			return i;
	return -1;
}

const struct analysis_moved *analysis_find_moved(const struct analysis *a, const char *id)
{
	for (const struct analysis_moved *m = a->moved; m && m->output; m++)
		if (strcmp(m->output, id) == 0)
			return m;
	return NULL;
}
