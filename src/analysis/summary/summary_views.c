#include "analysis/summary/summary_views.h"

#include "views/bind.h"

int summary_view_fits(
	const struct mer_experiment *e, size_t number, bool *fits, struct mer_err *err)
{
	struct view *v = NULL;
	struct view_reading r = { 0 };
	*fits = false;
	int rc = view_load(view_shipped[number].name, &v, err);
	if (rc == 0)
		rc = view_reading_init(&r, e, (const struct view *const *)&v, 1, err);
	for (uint32_t i = 0; rc == 0 && i < r.n_rules; i++)
		*fits |= r.n_classes[i] > 0;
	if (v)
		view_reading_fini(&r);
	view_free(v);
	return rc;
}
