#include "requests/path_waits.h"

#include <stdlib.h>

#include "kernel/files/files.h"

enum { WORD = 64 };

static bool is_multiplexed(const struct kernel_host *h, const struct kernel_span *s)
{
	return s->call != KERNEL_NONE &&
	       (kernel_call_classes(h->calls[s->call].id) & KERNEL_CALLS_MULTIPLEX);
}

static void mark(struct requests_path_waits *w, const struct requests_part *p)
{
	const struct kernel_host *h = &w->world->hosts[p->host];
	/* What a helper did meanwhile stands for the wait that this ended. */
	uint32_t span = p->wait != KERNEL_NONE ? p->wait : p->span;
	if (span == KERNEL_NONE || p->kind == REQUESTS_QUEUED || p->kind == REQUESTS_REQUESTER)
		return;
	const struct kernel_span *s = kernel_span(h, span);
	enum path_cause cause = path_cause_of(kernel_span(h, kernel_wait_end(h, span)));
	if (s->state == KERNEL_BLOCKED && !is_multiplexed(h, s) &&
		(cause == PATH_FUTEX || cause == PATH_TIMER || cause == PATH_PIPE ||
			cause == PATH_DISK))
		w->spans[p->host][span / WORD] |= UINT64_C(1) << span % WORD;
}

int requests_path_waits_find(const struct requests *r, struct requests_parts_finder *f,
	struct requests_path_waits *w, struct mer_err *err)
{
	struct requests_parts parts = { 0 };
	int rc = 0;
	*w = (struct requests_path_waits){ .world = r->w,
		.spans = calloc((size_t)r->w->n_hosts + 1, sizeof(*w->spans)) };
	bool ok = w->spans != NULL;
	for (uint32_t h = 0; ok && h < r->w->n_hosts; h++)
		ok = (w->spans[h] = calloc((size_t)r->w->hosts[h].n_spans / WORD + 1,
			      sizeof(**w->spans))) != NULL;
	if (!ok)
		return mer_fail_nomem(err);
	/* Those below are in it. */
	for (uint32_t i = 0; rc == 0 && i < r->n_found; i++) {
		if (requests_found_parent(r, i))
			continue;
		rc = requests_parts_find_each(f, i, &parts, err);
		for (size_t k = 0; rc == 0 && k < parts.n; k++)
			mark(w, &parts.item[k]);
	}
	requests_parts_fini(&parts);
	return rc;
}

void requests_path_waits_fini(struct requests_path_waits *w)
{
	for (uint32_t h = 0; w->spans && h < w->world->n_hosts; h++)
		free(w->spans[h]);
	free(w->spans);
	w->spans = NULL;
}

bool requests_path_waits_has(
	const struct requests_path_waits *w, uint32_t host, uint32_t span, int64_t begin)
{
	const struct kernel_host *h = &w->world->hosts[host];
	for (uint32_t i = span; i != KERNEL_NONE && kernel_span(h, i)->begin >= begin;
		i = kernel_span(h, i)->before)
		if (w->spans[host][i / WORD] >> i % WORD & 1)
			return true;
	return false;
}
