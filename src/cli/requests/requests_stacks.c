/* Requests as stacks, for flame graphs: a request, those below it down to the one that had the
 * time, and what that spent it on. Sums over all that were selected, which is why the order of time
 * is not kept.
 *
 *   load2 -> web:80 nginx;nginx -> web:8000 shopapp;running 46012345 */
#include <stdlib.h>
#include <string.h>

#include "cli/fold.h"
#include "cli/requests/requests_print.h"

enum { MOST_LEVELS = 64 }; /* of deeper ones, those in between are left out */

static void add_part(const struct cli_requests *c, struct cli_fold *f, uint32_t exchange,
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
	cli_fold_frame(f, requests_kind_name(c->kinds, exchange));
	while (n-- > 0)
		cli_fold_frame(f, requests_kind_name(c->kinds, below[n]));
	cli_fold_frame(f, requests_part_name((enum requests_part_kind)p->kind));
	cli_fold_add(f, p->end - p->begin);
}

static int fold(const struct cli_requests *c, struct cli_fold *f)
{
	struct requests_parts parts = { 0 };
	int rc = 0;
	cli_fold_init(f, &c->cli->arena);
	for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
		rc = requests_parts_find(c->parts, c->which[i], &parts, &c->cli->err);
		for (size_t k = 0; rc == 0 && k < parts.n; k++)
			add_part(c, f, c->which[i], &parts.item[k]);
	}
	requests_parts_fini(&parts);
	return rc == 0 && f->failed ? mer_fail_nomem(&c->cli->err) : rc;
}

int cli_requests_folded(const struct cli_requests *c, struct mer_str *out)
{
	struct cli_fold f;
	int rc = fold(c, &f);
	if (rc == 0)
		rc = cli_fold_put(&f, out, &c->cli->err);
	cli_fold_fini(&f);
	return rc;
}

/* ---- speedscope ---- */

/* The frames of each stack, as numbers; which there are is then in frames. */
static bool put_samples(
	struct mer_json *j, const char *const *stacks, uint32_t n, struct mer_intern *frames)
{
	mer_json_kv_array(j, "samples");
	for (uint32_t i = 0; i < n; i++) {
		mer_json_begin_array(j);
		for (const char *at = stacks[i]; at;) {
			size_t len = strcspn(at, ";");
			uint32_t frame = mer_intern_add(frames, at, len);
			if (frame == MER_INTERN_NONE)
				return false;
			mer_json_uint(j, frame);
			at = at[len] ? at + len + 1 : NULL;
		}
		mer_json_end_array(j);
	}
	mer_json_end_array(j);
	return true;
}

static void put_weights(
	struct mer_json *j, const struct cli_fold *f, const char *const *stacks, uint32_t n)
{
	mer_json_kv_array(j, "weights");
	for (uint32_t i = 0; i < n; i++)
		mer_json_int(j, cli_fold_ns(f, stacks[i]));
	mer_json_end_array(j);
}

static int put_speedscope(
	const struct cli_requests *c, const struct cli_fold *f, struct mer_str *out)
{
	const char **stacks = cli_fold_sorted(f);
	struct mer_intern frames;
	struct mer_json j;
	int64_t sum = 0;
	int rc;
	mer_intern_init(&frames, &c->cli->arena);
	for (uint32_t i = 0; i < f->stacks.n; i++)
		sum += f->ns[i];
	mer_json_init(&j, out, NULL, 0);
	cli_speedscope_begin(&j, "requests", "sampled", sum);
	bool ok = stacks && put_samples(&j, stacks, f->stacks.n, &frames);
	if (ok) {
		put_weights(&j, f, stacks, f->stacks.n);
		cli_speedscope_end(&j, &frames);
		rc = mer_json_finish(&j, &c->cli->err);
	} else {
		rc = mer_fail_nomem(&c->cli->err);
	}
	mer_intern_fini(&frames);
	free(stacks);
	return rc;
}

int cli_requests_speedscope(const struct cli_requests *c, struct mer_str *out)
{
	struct cli_fold f;
	int rc = fold(c, &f);
	if (rc == 0)
		rc = put_speedscope(c, &f, out);
	cli_fold_fini(&f);
	return rc;
}
