/* Requests as stacks, for flame graphs: a request, those below it down to the one that had the
 * time, the state that its task was in by a view, and what that spent it on. Sums over all that
 * were selected, which is why the order of time is not kept.
 *
 *   load2 -> web:80 nginx;nginx -> web:8000 shopapp;running 46012345 */
#include <stdlib.h>
#include <string.h>

#include "ask/print/fold.h"
#include "ask/requests/requests_print.h"

enum { MOST_LEVELS = 64 }; /* of deeper ones, those in between are left out */

static void add_part(const struct ask_requests *c, struct ask_fold *f, uint32_t exchange,
	const struct requests_part *p)
{
	const struct requests *r = c->r;
	uint32_t below[MOST_LEVELS], n = 0;
	for (uint32_t at = p->exchange; at != exchange && n < MOST_LEVELS;) {
		below[n++] = at;
		if (!r->exchanges[at].parent)
			break;
		at = r->exchanges[at].parent - 1;
	}
	ask_fold_frame(f, requests_kind_name(c->kinds, exchange));
	while (n-- > 0)
		ask_fold_frame(f, requests_kind_name(c->kinds, below[n]));
	if (requests_part_state(r, p))
		ask_fold_frame(f, requests_part_state(r, p));
	ask_fold_frame(f, requests_part_name((enum requests_part_kind)p->kind));
	ask_fold_add(f, p->end - p->begin);
}

static int fold(const struct ask_requests *c, struct ask_fold *f)
{
	struct requests_parts parts = { 0 };
	int rc = 0;
	ask_fold_init(f, &c->ask->arena);
	for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
		rc = requests_parts_find(c->parts, c->which[i], &parts, &c->ask->err);
		for (size_t k = 0; rc == 0 && k < parts.n; k++)
			add_part(c, f, c->which[i], &parts.item[k]);
	}
	requests_parts_fini(&parts);
	return rc == 0 && f->failed ? mer_fail_nomem(&c->ask->err) : rc;
}

int ask_requests_folded(const struct ask_requests *c, struct mer_str *out)
{
	struct ask_fold f;
	int rc = fold(c, &f);
	if (rc == 0)
		rc = ask_fold_put(&f, out, &c->ask->err);
	ask_fold_fini(&f);
	return rc;
}

int ask_requests_speedscope(const struct ask_requests *c, struct mer_str *out)
{
	struct ask_fold f;
	int rc = fold(c, &f);
	if (rc == 0)
		rc = ask_fold_put_speedscope(&f, "requests", &c->ask->arena, out, &c->ask->err);
	ask_fold_fini(&f);
	return rc;
}
