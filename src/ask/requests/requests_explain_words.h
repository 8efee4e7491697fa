/* Words about why slow requests are slow: of requests_explain.c alone. */
#ifndef MER_ASK_REQUESTS_REQUESTS_EXPLAIN_WORDS_H
#define MER_ASK_REQUESTS_REQUESTS_EXPLAIN_WORDS_H

#include <string.h>

#include "ask/requests/requests_print.h"

enum { ASK_EXPLAIN_NAMED = 3 }; /* reasons in a sentence */

static inline const char *ask_explain_host(const struct ask_requests *c, uint32_t host)
{
	return c->w->e->hosts[host].name;
}

static inline const char *ask_explain_program(
	const struct requests_explanation *x, const struct requests_reason *r)
{
	const char *name = mer_intern_text(&x->names, r->program);
	return *name ? name : "?";
}

static inline const char *ask_explain_kind(const struct ask_requests *c, uint32_t kind)
{
	return kind == KERNEL_NONE ? NULL : mer_intern_text(&c->kinds->names, kind);
}

static inline double ask_explain_share(
	const struct requests_explanation *x, const struct requests_reason *r)
{
	int64_t all = x->slow_ns - x->typical_ns;
	return all ? (double)r->ns / (double)all : 0;
}

static inline const char *ask_explain_comm(
	const struct ask_requests *c, const struct requests_culprit *u)
{
	return u->task == KERNEL_NONE ? "" : kernel_comm(&c->r->w->hosts[u->host], u->task);
}

/* Which reasons a sentence names, and how much of the difference they cover: the greatest one;
 * if that is a wait for other requests, also why these are slow; the first one with a known
 * culprit; and further ones until half of the difference is named. */
unsigned ask_explain_choose(
	const struct requests_explanation *x, size_t named[ASK_EXPLAIN_NAMED], double *covered);
void ask_explain_sentence(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_str *out);
/* "shop-w2/168 had the CPU for r17.203" */
void ask_explain_put_culprit(const struct ask_requests *c, const struct requests_reason *r,
	const struct requests_culprit *u, struct mer_str *out);
/* The program of a last culprit, or what it was; "": there is none. */
const char *ask_explain_by(const struct requests_explanation *x, const struct requests_reason *r);

#endif
