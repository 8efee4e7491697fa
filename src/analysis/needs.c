/* What requests need: messages, facts, and how much of the traces. */
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/fold.h"
#include "kernel/checkpoint/checkpoint.h"

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

bool analysis_listens(const struct analysis *a)
{
	static const struct kernel_observer nobody;
	return memcmp(&a->on, &nobody, sizeof(nobody)) != 0;
}

/* An analysis without callbacks while events are read computes its tables from facts, or from
 * the finished world. */
static bool is_of_facts(const struct analysis *a)
{
	return !a->of_periods && !analysis_listens(a);
}

/* Adds it once. */
static void keep_kind(struct analysis_part *part, const struct fact_kind *kind)
{
	size_t i = 0;
	while (part->kept[i] && part->kept[i] != kind)
		i++;
	if (i < ANALYSIS_MAX_KINDS)
		part->kept[i] = kind;
}

/* Adds the facts that have to be kept for this kind. */
static void keep_of(struct analysis_part *part, const struct fact_kind *kind)
{
	if (kind->maker->learned)
		keep_kind(part, kind->maker->learned);
	if (kind->maker->needs_no_past)
		part->bridges |= kind->maker->messages;
	else if (!kind->origin)
		keep_kind(part, kind);
	else if (kind->origin->kind)
		keep_kind(part, kind->origin->kind);
}

bool analysis_reads_part(
	const struct analysis_request *requests, size_t n, struct analysis_part *part)
{
	struct kernel_observer all = { 0 };
	struct kernel_world_options o = { .observers = &all, .forget = true };
	*part = (struct analysis_part){ 0 };
	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct analysis *a = requests[i].analysis;
		const struct fold *fold = a->outputs[requests[i].output].fold;
		if (!fold || a->of_views)
			return false;
		all.wants |= a->wants;
		for (size_t k = 0; k < FOLD_KINDS && fold->kinds[k]; k++) {
			all.wants |= fold->kinds[k]->maker->wants;
			keep_of(part, fold->kinds[k]);
		}
		part->slices |= a->slices >> requests[i].output & 1;
	}
	part->kind = kernel_checkpoint_kind(&o, analysis_needs_messages(requests, n));
	return true;
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
