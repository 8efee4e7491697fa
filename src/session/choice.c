#include "session/choice.h"

#include <string.h>

#include "analysis/fold.h"

bool session_is_table_of(const struct analysis_output *o, const char *kind)
{
	size_t n = strlen(kind);
	return (strncmp(o->id, kind, n) == 0 && (!o->id[n] || o->id[n] == '_')) ||
	       (o->is_top && strcmp(kind, "top") == 0);
}

/* Periods select tasks by their own expressions. */
static bool has_tasks(const struct analysis *a)
{
	for (const struct analysis_output *o = a->outputs; o->id && !a->of_periods; o++)
		if (o->fold && fold_has_tasks(o->fold))
			return true;
	return false;
}

uint32_t session_choice_tables(const struct analysis *a, enum session_choice choice)
{
	static const enum fold_choice by[] = { [SESSION_CHOICE_DURATIONS] = FOLD_BY_DURATION,
		[SESSION_CHOICE_SIZES] = FOLD_BY_SIZE,
		[SESSION_CHOICE_NAMES] = FOLD_BY_NAME,
		[SESSION_CHOICE_BINS] = 0 };
	uint32_t bits = 0, all = 0;
	for (unsigned i = 0; a->outputs[i].id; i++) {
		const struct analysis_output *o = &a->outputs[i];
		bool applies = (choice == SESSION_CHOICE_FILTER && o->fold && !o->fold->is_fixed) ||
			       (choice == SESSION_CHOICE_GROUPS && o->fold &&
				       fold_plan_groups_by(o->fold)) ||
			       (o->fold && by[choice] && fold_selects_by(o->fold, by[choice])) ||
			       (choice == SESSION_CHOICE_DURATIONS && a->of_periods) ||
			       (choice == SESSION_CHOICE_BINS && session_is_table_of(o, "bins"));
		bits |= (uint32_t)applies << i;
		all |= (uint32_t)1 << i;
	}
	return choice == SESSION_CHOICE_TASKS && has_tasks(a) ? all : bits;
}

static bool names_tasks(const struct analysis_output *o)
{
	for (const struct mer_column *c = o->columns; c->key; c++)
		if (strcmp(c->key, "comm") == 0)
			return true;
	return false;
}

bool session_tells_tasks(const struct analysis_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (requests[i].analysis->of_periods &&
			names_tasks(&requests[i].analysis->outputs[requests[i].output]))
			return true;
	return false;
}
