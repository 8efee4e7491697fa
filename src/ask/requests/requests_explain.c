/* Why the slow requests of a kind are slow, for people: in a sentence, and in a table. */
#include <inttypes.h>
#include <string.h>

#include "ask/requests/requests_answer.h"
#include "ask/requests/requests_explain_words.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

/* For people, a line for each that counts, below the table. */
static void put_culprit_lines(const struct ask_requests *c, const struct requests_explanation *x,
	uint32_t n_reasons, struct mer_str *out)
{
	enum { LEAST_PERCENT = 5 }; /* of the difference; of a contribution */
	bool any = false;
	struct mer_str line = { 0 };
	for (uint32_t i = 0; i < n_reasons; i++) {
		const struct requests_reason *r = &x->reasons[i];
		if (r->ns <= 0 || !r->n_culprits || 100 * ask_explain_share(x, r) < LEAST_PERCENT)
			continue;
		mer_str_printf(out, "%s%s on %s, %s, in %s%s%s:\n", any ? "" : "\nWho, and what\n",
			ask_explain_program(x, r), ask_explain_host(c, r->host),
			requests_part_name((enum requests_part_kind)r->part),
			ask_explain_kind(c, r->in), *ask_explain_by(x, r) ? ", by " : "",
			ask_explain_by(x, r));
		any = true;
		for (unsigned k = 0; k < r->n_culprits; k++) {
			if (k && r->culprits[k].ns < r->ns / 100 * LEAST_PERCENT)
				break;
			mer_str_clear(&line);
			ask_explain_put_culprit(c, r, &r->culprits[k], &line);
			ask_requests_put_culprit_line(c, r->culprits[k].ns, &line, out);
		}
	}
	mer_str_fini(&line);
}

static void put_range(const char *name, const char *one, const char *many, uint64_t least,
	uint64_t most, struct mer_str *out)
{
	mer_str_puts(out, name);
	if (least != most) {
		ask_text_count(out, (int64_t)least);
		mer_str_puts(out, " to ");
	}
	ask_text_things(out, most, one, many);
}

/* "an answer of 158 bytes, 3 requests below it" */
static void put_sizes(const struct requests_explanation *x, struct mer_str *out)
{
	static const struct {
		const char *name, *one, *many;
	} words[REQUESTS_N_SIZES] = {
		[REQUESTS_SIZE_OUT] = { "a request of ", "byte", "bytes" },
		[REQUESTS_SIZE_IN] = { "an answer of ", "byte", "bytes" },
		[REQUESTS_SIZE_BELOW] = { "", "request below it", "requests below it" },
	};
	const struct requests_shape *s = &x->group.shape;
	const char *between = "";
	for (int k = 0; k < REQUESTS_N_SIZES; k++) {
		if (!s->sizes[k].is_limit)
			continue;
		mer_str_puts(out, between);
		put_range(words[k].name, words[k].one, words[k].many, s->sizes[k].least,
			s->sizes[k].most, out);
		between = ", ";
	}
}

/* "78 % of the slow, but 12 % of all requests have 3 requests below them." */
static void put_shape(const struct requests_explanation *x, struct mer_str *out)
{
	const struct requests_shape *s = &x->group.shape;
	if (!s->is_found)
		return;
	/* Of a group of several that has all of them, how many others have it, too. */
	if (x->group.kind == REQUESTS_GROUP_SHAPE && s->slow_share >= 0.995)
		mer_str_printf(
			out, " All of these, but %.0f %% of all requests have ", 100 * s->share);
	else
		mer_str_printf(out, " %.0f %% of %s, but %.0f %% of all requests have ",
			100 * s->slow_share,
			x->group.kind == REQUESTS_GROUP_SHAPE ? "these" : "the slow",
			100 * s->share);
	put_sizes(x, out);
	mer_str_putc(out, '.');
}

/* " (543 ms)", " (p40 to p60, mean 34.0 ms)" */
static void put_mean(uint32_t n, int64_t ns, const char *which, struct mer_str *out)
{
	mer_str_printf(out, " (%s%s", which, *which ? ", " : "");
	mer_str_puts(out, n > 1 ? "mean " : "");
	ask_text_duration(out, ns);
	mer_str_putc(out, ')');
}

/* "load2 -> web:80 nginx" and what its slow requests are, if they are of several groups. */
static void put_title(
	const struct ask_requests *c, const struct requests_explanations *all, struct mer_str *out)
{
	struct mer_str line = { 0 };
	mer_str_puts(out, ask_explain_kind(c, all->kind));
	mer_str_putc(out, '\n');
	if (all->n < 2)
		return;
	ask_text_count(&line, all->n_chosen);
	mer_str_puts(&line, " of ");
	ask_text_things(&line, all->n_all, "request", "requests");
	mer_str_printf(&line, " %s slow (", all->n_chosen == 1 ? "is" : "are");
	ask_text_duration(&line, all->slow_from_ns);
	mer_str_printf(&line,
		" or more), in %u groups that became slow in different ways, by what their main causes cost.",
		all->n);
	ask_text_wrap(out, line.data ? line.data : "", (size_t)ask_width(c->ask), 0);
	mer_str_puts(out, out->len && out->data[out->len - 1] == '\n' ? "\n" : "\n\n");
	out->failed |= line.failed;
	mer_str_fini(&line);
}

/* "31 slow requests with an answer of 158 bytes (10 % of all have it)" */
static void put_which(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	const struct requests_group *g = &x->group;
	char id[REQUESTS_ID_BYTES];
	requests_id_text(c->r, x->example, id);
	if (x->is_one) {
		mer_str_printf(out, "Request %s", id);
		return;
	}
	if (g->kind == REQUESTS_GROUP_REST)
		ask_text_things(out, x->n_slow, "other slow request", "other slow requests");
	else
		ask_text_things(out, x->n_slow, "slow request", "slow requests");
	if (g->kind == REQUESTS_GROUP_SHAPE) {
		mer_str_puts(out, " of one shape");
	} else if (g->kind == REQUESTS_GROUP_WORKER) {
		const struct kernel_host *h = &c->r->w->hosts[g->host];
		const char *comm = kernel_comm(h, g->task);
		mer_str_printf(out, " served by %s/%" PRId32 " on %s", *comm ? comm : "?",
			h->tasks[g->task].tid, ask_explain_host(c, g->host));
	} else if (g->kind == REQUESTS_GROUP_BURST) {
		if (g->n_bursts > 1)
			mer_str_printf(out, " of %" PRIu32 " bursts", g->n_bursts);
		else
			mer_str_puts(out, " of a burst");
	} else if (g->kind == REQUESTS_GROUP_CAUSE) {
		mer_str_puts(out, " with one main cause");
	} else if (g->kind == REQUESTS_GROUP_MIXED) {
		mer_str_puts(out, " of several shapes");
	}
}

/* Where in time they lie. */
static void put_when(const struct requests_explanations *all, const struct requests_explanation *x,
	struct mer_str *out)
{
	uint32_t others = x->n_meanwhile - x->n_slow;
	int64_t span = x->last_begin - x->first_begin;
	if (x->n_slow < 2) {
		mer_str_puts(out, " It began at ");
		ask_text_clock(out, x->first_begin);
		mer_str_putc(out, '.');
		return;
	}
	mer_str_puts(out, " They began ");
	if (span < (all->last_begin - all->first_begin) / 2) {
		mer_str_puts(out, "within ");
		ask_text_duration(out, span);
		mer_str_puts(out, " of ");
		ask_text_clock(out, x->first_begin);
		mer_str_puts(out, "; ");
		if (others)
			ask_text_count(out, others);
		mer_str_puts(out, others ? others > 1 ? " others" : " other" : "no other");
		mer_str_puts(out, " began in that time.");
	} else {
		mer_str_puts(out, "from ");
		ask_text_clock(out, x->first_begin);
		mer_str_puts(out, " to ");
		ask_text_clock(out, x->last_begin);
		mer_str_putc(out, '.');
	}
}

static void put_heading(const struct ask_requests *c, const struct requests_explanations *all,
	unsigned group, struct mer_str *out)
{
	const struct requests_explanation *x = all->group[group];
	struct mer_str line = { 0 };
	if (all->n > 1)
		mer_str_printf(&line, "%u. ", group + 1);
	put_which(c, x, &line);
	put_mean(x->n_slow, x->slow_ns, "", &line);
	mer_str_puts(&line, ", ");
	ask_text_things(&line, x->n_typical, "typical one", "typical ones");
	mer_str_puts(&line, x->is_like ? " of the same shape" : "");
	put_mean(x->n_typical, x->typical_ns, "p40 to p60", &line);
	mer_str_puts(&line, ". ");
	ask_explain_sentence(c, x, &line);
	mer_str_puts(&line, ".");
	put_shape(x, &line);
	put_when(all, x, &line);
	ask_text_wrap(out, line.data ? line.data : "", (size_t)ask_width(c->ask), 0);
	mer_str_puts(out, out->len && out->data[out->len - 1] == '\n' ? "\n" : "\n\n");
	out->failed |= line.failed;
	mer_str_fini(&line);
}

static uint32_t rows_shown(const struct ask_requests *c, const struct requests_explanation *x)
{
	return c->limit && c->limit < x->n ? c->limit : (uint32_t)x->n;
}

/* For people: the heading, the table, and who was behind its rows. */
static void put_group(const struct ask_requests *c, const struct requests_explanations *all,
	unsigned group, struct mer_str *out)
{
	const struct requests_explanation *x = all->group[group];
	uint32_t n_shown = rows_shown(c, x);
	struct mer_column shown[ASK_N_CAUSE + 1];
	struct mer_arena arena;
	struct mer_table t;
	mer_arena_init(&arena);
	put_heading(c, all, group, out);
	memcpy(shown, ask_requests_cause_columns, sizeof(shown));
	shown[ASK_CAUSE_CULPRITS] = (struct mer_column){ 0 }; /* in lines below */
	mer_table_init(&t, "causes", NULL, shown, &arena);
	ask_requests_add_causes(c, x, group, n_shown, &t);
	ask_requests_shorten_kinds(c, &t, ASK_CAUSE_IN);
	/* What others say, or the lines below; no name is to be cut for it. */
	static const uint32_t spare[] = { ASK_CAUSE_TYPICAL, ASK_CAUSE_SLOW, ASK_CAUSE_BY };
	for (size_t i = 0;
		i < sizeof(spare) / sizeof(*spare) &&
		ask_table_least_width(&t, SIZE_MAX, c->ask->ascii) > (size_t)ask_width(c->ask);
		i++)
		mer_table_hide(&t, spare[i]);
	ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	out->failed |= t.failed || arena.failed;
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	if (n_shown < x->n) {
		mer_str_puts(out, "... and ");
		ask_text_count(out, (int64_t)(x->n - n_shown));
		mer_str_puts(out, " smaller ones (-n 0 shows all)\n");
	}
	put_culprit_lines(c, x, n_shown, out);
}

int ask_requests_explain_text(
	const struct ask_requests *c, const struct requests_explanations *all, struct mer_str *out)
{
	enum { LATER_ROWS = 3 }; /* of groups after the first one, unless --limit says */
	struct ask_requests later = *c;
	if (!all->n)
		return ask_requests_put_nothing(c, out);
	if (!c->is_limit_given)
		later.limit = LATER_ROWS;
	put_title(c, all, out);
	for (unsigned i = 0; i < all->n; i++) {
		mer_str_puts(out, i ? "\n" : "");
		put_group(i ? &later : c, all, i, out);
	}
	return 0;
}

int ask_requests_explain_fail(const struct ask_requests *c, const struct requests_explanations *why,
	const char *only, bool is_slowest)
{
	struct mer_str text = { 0 };
	const char *kind = mer_intern_text(&c->kinds->names, why->kind);
	const char *option = is_slowest ? "--slowest" : "--above";
	if (only && why->n_all && !why->n_chosen) {
		mer_str_printf(&text,
			"--explain: how long request %s took is not known (several messages at once, or lost events), so it cannot be compared with others of %s",
			only, kind);
	} else if (why->n_all < 2) {
		mer_str_puts(&text, "--explain compares at least 2 requests: ");
		ask_text_things(&text, why->n_all, "request", "requests");
		mer_str_printf(&text, " of %s with a known latency", kind);
	} else if (!why->n_chosen) {
		mer_str_printf(&text,
			"--above: no request of %s took longer than that; the slowest took ", kind);
		ask_text_duration(&text, why->slowest_ns);
	} else {
		mer_str_printf(&text, "%s: ", option);
		ask_text_count(&text, why->n_chosen);
		mer_str_puts(&text, " of ");
		ask_text_things(&text, why->n_all, "request", "requests");
		mer_str_printf(&text,
			" of %s would be slow, and no typical ones (p40 to p60) left; choose %s",
			kind, is_slowest ? "a lower number" : "a longer time");
	}
	int rc = mer_fail(&c->ask->err, MER_ERR_USAGE, "%s", text.data ? text.data : "--explain");
	mer_str_fini(&text);
	return rc;
}
