#include "requests/parts.h"
#include <stdlib.h>
#include "base/grow.h"
struct requests_parts_finder { const struct requests *r; };
const char *requests_part_name(enum requests_part_kind k)
{
	static const char *const names[REQUESTS_N_PARTS] = { "requester", "network", "queued",
		"running", "wait-cpu", "disk", "locks", "other", "below" };
	return k < REQUESTS_N_PARTS ? names[k] : "?";
}
int requests_parts_finder_new(
	const struct requests *r, struct requests_parts_finder **f, struct mer_err *err)
{
	*f = calloc(1, sizeof(**f));
	if (!*f)
		return mer_fail_nomem(err);
	(*f)->r = r;
	return 0;
}
void requests_parts_finder_free(struct requests_parts_finder *f) { free(f); }
int requests_parts_find(struct requests_parts_finder *f, uint32_t exchange, struct requests_parts *p,
	struct mer_err *err)
{
	(void)f, (void)exchange, (void)err;
	p->n = 0;
	return 0;
}
void requests_parts_fini(struct requests_parts *p) { free(p->item); }
