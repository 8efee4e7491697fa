/* What requests need: messages, facts. */
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/fold.h"

bool analysis_needs_messages(const struct analysis_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fold *f = requests[i].analysis->outputs[requests[i].output].fold;
		bool needs = !f && requests[i].analysis->messages;
		for (size_t k = 0; f && k < FOLD_KINDS && f->kinds[k]; k++)
			needs |= f->kinds[k]->maker->messages;
		if (needs)
			return true;
	}
	return false;
}

bool analysis_needs_requests(const struct analysis_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fold *f = requests[i].analysis->outputs[requests[i].output].fold;
		for (size_t k = 0; f && k < FOLD_KINDS && f->kinds[k]; k++)
			if (f->kinds[k]->maker->requests)
				return true;
	}
	return false;
}

/* An analysis without callbacks while events are read computes its tables from facts, or from
 * the finished world. */
static bool is_of_facts(const struct analysis *a)
{
	static const struct kernel_observer nobody;
	return !a->of_periods && memcmp(&a->on, &nobody, sizeof(nobody)) == 0;
}

bool analysis_is_of_facts(const struct analysis_request *requests, size_t n)
{
	bool all = true;
	for (size_t k = 0; k < n; k++) {
		const struct analysis_output *o =
			&requests[k].analysis->outputs[requests[k].output];
		all &= !requests[k].analysis->of_views && !o->reads &&
		       (o->fold || is_of_facts(requests[k].analysis));
	}
	return all;
}
