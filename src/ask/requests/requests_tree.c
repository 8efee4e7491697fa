/* A request and those below it as a waterfall: who did what for it, when, on which host. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "ask/requests/requests_print.h"
#include "ask/print/text.h"

enum { NAME_MOST = 44, BAR_LEAST = 16, BAR_MOST = 60, NUMBERS = 2 + 10 + 2 };

static void put_name(const struct ask_requests *c, uint32_t i, struct mer_str *name)
{
	struct ask_requests_party p;
	char id[REQUESTS_ID_BYTES];
	const struct requests_exchange *x = &c->r->exchanges[c->which[i]];
	ask_requests_party(c, c->which[i], REQUESTS_SERVER, &p);
	mer_str_clear(name);
	requests_id_text(c->r, c->which[i], id);
	mer_str_printf(name, "%*s%s ", (int)(2 * c->depths[i]), "", id);
	if (p.host)
		mer_str_printf(name, "%s:%s", p.host, p.comm ? p.comm : "?");
	else
		mer_str_puts(name, *p.address ? p.address : "outside");
	if (p.tid >= 0)
		mer_str_printf(name, "/%" PRId32, p.tid);
	if (x->n_messages > 1)
		mer_str_printf(name, " (%" PRIu32 " messages)", x->n_messages);
	if (x->parent && x->confidence < 0.9F)
		mer_str_printf(name, " (%.0f %% sure)", 100.0 * (double)x->confidence);
}

/* Where in the root's time it lies. */
static void put_bar(const struct requests_exchange *root, const struct requests_exchange *x,
	size_t width, struct mer_str *out)
{
	double all = (double)(root->end - root->begin);
	double from = all > 0 ? (double)(x->begin - root->begin) / all : 0;
	double to = all > 0 ? (double)(x->end - root->begin) / all : 0;
	from = from < 0 ? 0 : from > 1 ? 1 : from;
	to = to < from ? from : to > 1 ? 1 : to;
	size_t first = (size_t)(from * (double)width), last = (size_t)(to * (double)width + 0.5);
	first = first < width ? first : width - 1;
	last = last > first ? last : first + 1;
	for (size_t i = 0; i < last && i < width; i++)
		mer_str_puts(out, i < first ? " " : "█");
}

static void put_line(const struct ask_requests *c, uint32_t i, uint32_t root, size_t name_width,
	size_t bar_width, struct mer_str *name, struct mer_str *out)
{
	const struct requests_exchange *x = &c->r->exchanges[c->which[i]];
	struct mer_str cell = { 0 };
	put_name(c, i, name);
	ask_text_shorten(&cell, name->data ? name->data : "", name->len, name_width);
	size_t used = ask_text_width(cell.data ? cell.data : "", cell.len);
	mer_str_printf(out, "%s%*s", cell.data ? cell.data : "",
		(int)(name_width > used ? name_width - used : 0), "");
	mer_str_clear(&cell);
	ask_text_duration(&cell, x->end - x->begin);
	used = ask_text_width(cell.data ? cell.data : "", cell.len);
	mer_str_printf(
		out, "  %*s%s  ", (int)(used < 10 ? 10 - used : 0), "", cell.data ? cell.data : "");
	put_bar(&c->r->exchanges[c->which[root]], x, bar_width, out);
	mer_str_putc(out, '\n');
	out->failed |= cell.failed;
	mer_str_fini(&cell);
}

/* The time since the root's begin, above its bar: its begin, half of it, and its end. */
static void put_scale(const struct requests_exchange *root, size_t name_width, size_t bar_width,
	struct mer_str *out)
{
	struct mer_str half = { 0 }, whole = { 0 };
	mer_put_duration(&half, (root->end - root->begin) / 2);
	mer_put_duration(&whole, root->end - root->begin);
	size_t middle = bar_width / 2, at = 1;
	mer_str_printf(out, "%*s0", (int)(name_width + NUMBERS + 2), "");
	/* Not where they would run into each other. */
	if (middle > at && middle + half.len + 1 + whole.len <= bar_width) {
		mer_str_printf(out, "%*s%s", (int)(middle - at), "", half.data ? half.data : "");
		at = middle + half.len;
	}
	mer_str_printf(out, "%*s%s\n",
		(int)(bar_width > at + whole.len ? bar_width - at - whole.len : 1), "",
		whole.data ? whole.data : "");
	out->failed |= half.failed || whole.failed;
	mer_str_fini(&half);
	mer_str_fini(&whole);
}

int ask_requests_tree(const struct ask_requests *c, struct mer_str *out)
{
	struct mer_str name = { 0 };
	size_t width = (size_t)ask_width(c->ask), widest = 0;
	if (!c->n)
		return ask_requests_put_nothing(c, out);
	uint32_t root = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		put_name(c, i, &name);
		size_t w = ask_text_width(name.data ? name.data : "", name.len);
		widest = w > widest ? w : widest;
	}
	widest = widest > NAME_MOST ? NAME_MOST : widest;
	size_t bar = width > widest + NUMBERS + BAR_LEAST ? width - widest - NUMBERS : BAR_LEAST;
	bar = bar > BAR_MOST ? BAR_MOST : bar;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->depths[i] == 0) {
			const struct requests_exchange *x = &c->r->exchanges[c->which[i]];
			struct ask_requests_party p;
			root = i;
			ask_requests_party(c, c->which[i], REQUESTS_CLIENT, &p);
			mer_str_puts(out, i ? "\n" : "");
			mer_str_puts(out, requests_kind_name(c->kinds, c->which[i]));
			if (p.host && p.tid >= 0)
				mer_str_printf(out, ", sent by %s/%" PRId32 " on %s",
					p.comm ? p.comm : "?", p.tid, p.host);
			mer_str_puts(out, " at ");
			ask_text_clock_us(out, x->begin);
			mer_str_putc(out, '\n');
			put_scale(x, widest, bar, out);
		}
		put_line(c, i, root, widest, bar, &name, out);
	}
	out->failed |= name.failed;
	mer_str_fini(&name);
	return 0;
}

/* ---- which are drawn ---- */

struct child {
	uint32_t parent, number; /* parent: plus 1 */
	int64_t begin;
};

static int by_parent(const void *a, const void *b)
{
	const struct child *p = a, *q = b;
	if (p->parent != q->parent)
		return p->parent < q->parent ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

int ask_requests_grow_trees(struct ask_requests *c)
{
	const struct requests *r = c->r;
	uint32_t *which = malloc(((size_t)r->n + c->n + 1) * sizeof(*which));
	uint32_t *depths = malloc(((size_t)r->n + c->n + 1) * sizeof(*depths));
	struct child *children = malloc(((size_t)r->n + 1) * sizeof(*children));
	bool *has = calloc((size_t)r->n + 1, sizeof(*has));
	uint32_t n = 0, n_children = 0;
	bool ok = which && depths && children && has;
	for (uint32_t i = 0; ok && i < r->n; i++)
		if (r->exchanges[i].parent)
			children[n_children++] =
				(struct child){ r->exchanges[i].parent, i, r->exchanges[i].begin };
	if (ok && n_children)
		qsort(children, n_children, sizeof(*children), by_parent);
	for (uint32_t i = 0; ok && i < c->n; i++) {
		uint32_t root = n;
		if (has[c->which[i]])
			continue; /* below another one */
		has[c->which[i]] = true;
		which[n] = c->which[i];
		depths[n++] = 0;
		/* In order of depth; then put into that of the tree. */
		for (uint32_t at = root; at < n; at++) {
			MER_LOWER_BOUND(
				first, 0, n_children, k, children[k].parent < which[at] + 1);
			uint32_t found = 0;
			for (size_t k = first;
				k < n_children && children[k].parent == which[at] + 1; k++)
				found += !has[children[k].number];
			memmove(&which[at + 1 + found], &which[at + 1],
				(n - at - 1) * sizeof(*which));
			memmove(&depths[at + 1 + found], &depths[at + 1],
				(n - at - 1) * sizeof(*depths));
			uint32_t to = at + 1;
			for (size_t k = first; to < at + 1 + found; k++)
				if (!has[children[k].number]) {
					has[children[k].number] = true;
					which[to] = children[k].number;
					depths[to++] = depths[at] + 1;
				}
			n += found;
		}
	}
	free(children);
	free(has);
	if (!ok) {
		free(which);
		free(depths);
		return mer_fail_nomem(&c->ask->err);
	}
	free(c->which);
	c->which = which;
	c->depths = depths;
	c->n = n;
	return 0;
}
