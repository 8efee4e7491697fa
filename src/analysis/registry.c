/* All analyses and kinds of facts as arrays: what verbs, help, completions and the library use. */
#include <string.h>

#include "analysis/all.h"
#include "analysis/fact.h"

#define LISTED(name) &name,
const struct analysis *const analyses[] = { ANALYSES(LISTED) NULL };
const struct fact_kind *const fact_kinds[] = { FACT_KINDS(LISTED) NULL };

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
