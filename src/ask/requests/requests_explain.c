/* Why the slow requests of a kind are slow: in a sentence, as a table, as JSON. */
#include <inttypes.h>
#include <string.h>

#include "ask/requests/requests_explain_words.h"
#include "ask/session.h"
#include "ask/print/table.h"
#include "ask/print/text.h"

static void put_culprits(
	const struct ask_requests *c, const struct requests_reason *r, struct mer_str *out)
{
	for (unsigned i = 0; i < r->n_culprits; i++) {
		mer_str_puts(out, i ? "; " : "");
		ask_explain_put_culprit(c, r, &r->culprits[i], out);
		mer_str_puts(out, ", ");
		ask_text_duration(out, r->culprits[i].ns);
	}
}

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

static void put_shape_json(const struct requests_explanation *x, struct mer_json *j)
{
	static const char *const names[REQUESTS_N_SIZES] = { "bytes_out", "bytes_in", "below" };
	const struct requests_shape *s = &x->group.shape;
	if (!s->is_found) {
		mer_json_kv_null(j, "group");
		return;
	}
	mer_json_kv_object(j, "group");
	for (int k = 0; k < REQUESTS_N_SIZES; k++) {
		if (!s->sizes[k].is_limit)
			continue;
		mer_json_kv_object(j, names[k]);
		mer_json_kv_uint(j, "min", s->sizes[k].least);
		mer_json_kv_uint(j, "max", s->sizes[k].most);
		mer_json_end_object(j);
	}
	mer_json_kv_uint(j, "slow_count", s->n_slow);
	mer_json_kv_double(j, "slow_share", s->slow_share);
	mer_json_kv_double(j, "share", s->share);
	mer_json_end_object(j);
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

static void put_culprit_json(
	const struct ask_requests *c, struct mer_json *j, const struct requests_culprit *u)
{
	const struct kernel_host *h = &c->r->w->hosts[u->host];
	mer_json_begin_object(j);
	mer_json_kv_text(j, "host", ask_explain_host(c, u->host));
	if (u->task == KERNEL_NONE)
		mer_json_kv_null(j, "tid");
	else
		mer_json_kv_int(j, "tid", h->tasks[u->task].tid);
	ask_json_known(j, "comm", ask_explain_comm(c, u));
	ask_requests_put_culprit_json(c, u, j);
	mer_json_end_object(j);
}

static void put_causes_json(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_json *j)
{
	mer_json_kv_array(j, "causes");
	for (size_t i = 0; x && i < x->n; i++) {
		const struct requests_reason *r = &x->reasons[i];
		mer_json_begin_object(j);
		mer_json_kv_text(j, "host", ask_explain_host(c, r->host));
		mer_json_kv_text(j, "comm", ask_explain_program(x, r));
		mer_json_kv_text(j, "cause", requests_part_name((enum requests_part_kind)r->part));
		mer_json_kv_text(j, "of", ask_explain_kind(c, r->in));
		ask_json_known(j, "by", ask_explain_by(x, r));
		mer_json_kv_int(j, "ns", r->ns);
		mer_json_kv_double(j, "share", ask_explain_share(x, r));
		mer_json_kv_int(j, "slow_ns", r->slow_ns);
		mer_json_kv_int(j, "typical_ns", r->typical_ns);
		mer_json_kv_array(j, "culprits");
		for (unsigned k = 0; k < r->n_culprits; k++)
			put_culprit_json(c, j, &r->culprits[k]);
		mer_json_end_array(j);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

/* "worker": who served the requests of such a group. */
static void put_worker_json(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_json *j)
{
	const struct requests_group *g = &x->group;
	if (g->kind != REQUESTS_GROUP_WORKER) {
		mer_json_kv_null(j, "worker");
		return;
	}
	const struct kernel_host *h = &c->r->w->hosts[g->host];
	mer_json_kv_object(j, "worker");
	mer_json_kv_text(j, "host", ask_explain_host(c, g->host));
	mer_json_kv_int(j, "tid", h->tasks[g->task].tid);
	ask_json_known(j, "comm", kernel_comm(h, g->task));
	mer_json_kv_double(j, "slow_share", g->slow_share);
	mer_json_kv_double(j, "share", g->share);
	mer_json_end_object(j);
}

static void put_id_json(
	const struct ask_requests *c, const char *key, uint32_t exchange, struct mer_json *j)
{
	char id[REQUESTS_ID_BYTES];
	mer_json_key(j, key);
	if (exchange == KERNEL_NONE) {
		mer_json_null(j);
		return;
	}
	requests_id_text(c->r, exchange, id);
	mer_json_text(j, id);
}

/* x NULL: no request was selected. */
static void put_group_json(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_json *j)
{
	struct mer_str text = { 0 };
	size_t named[ASK_EXPLAIN_NAMED];
	double covered = 0;
	for (int i = 0; i < 2; i++) {
		mer_json_kv_object(j, i ? "typical" : "slow");
		mer_json_kv_uint(j, "count", !x ? 0 : i ? x->n_typical : x->n_slow);
		mer_json_kv_int(j, "mean_ns", !x ? 0 : i ? x->typical_ns : x->slow_ns);
		if (i) {
			mer_json_kv_bool(j, "same_shape", x && x->is_like);
			put_id_json(c, "request", x ? x->middle : KERNEL_NONE, j);
		}
		mer_json_end_object(j);
	}
	mer_json_kv_int(j, "difference_ns", x ? x->slow_ns - x->typical_ns : 0);
	if (x) {
		put_shape_json(x, j);
		put_worker_json(c, x, j);
		ask_explain_sentence(c, x, &text);
		ask_explain_choose(x, named, &covered);
		mer_json_kv_text(
			j, "by", requests_group_name((enum requests_group_kind)x->group.kind));
		mer_json_kv_int(j, "first_begin", x->first_begin);
		mer_json_kv_int(j, "last_begin", x->last_begin);
		mer_json_kv_uint(j, "others_meanwhile", x->n_meanwhile - x->n_slow);
		mer_json_kv_double(j, "covered", covered);
	} else {
		mer_json_kv_null(j, "group");
	}
	put_causes_json(c, x, j);
	mer_json_kv_text(j, "sentence", text.data);
	j->out->failed |= text.failed;
	mer_str_fini(&text);
}

static int put_json(
	const struct ask_requests *c, const struct requests_explanations *all, struct mer_str *out)
{
	struct mer_json j;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", 2);
	mer_json_kv_text(&j, "kind", all->n ? ask_explain_kind(c, all->kind) : NULL);
	/* The first group, whose main cause cost most, has its place here. */
	put_group_json(c, all->n ? all->group[0] : NULL, &j);
	mer_json_kv_array(&j, "groups");
	for (unsigned i = 0; i < all->n; i++) {
		mer_json_begin_object(&j);
		put_group_json(c, all->group[i], &j);
		mer_json_end_object(&j);
	}
	mer_json_end_array(&j);
	ask_json_synced(&j, c->ask);
	ask_json_diagnostics(&j, c->w->e);
	mer_json_end_object(&j);
	return mer_json_finish(&j, &c->ask->err);
}

enum { MORE, SHARE, SLOW, TYPICAL, HOST, PROGRAM, CAUSE, IN, BY, CULPRITS, GROUP, N };

static void add_rows(const struct ask_requests *c, const struct requests_explanation *x,
	unsigned group, uint32_t n, struct mer_table *t)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct requests_reason *r = &x->reasons[i];
		const char *by = ask_explain_by(x, r);
		struct mer_str who = { 0 };
		put_culprits(c, r, &who);
		mer_table_add(t, (struct mer_cell[N]){
					 [MORE] = MER_INT(r->ns),
					 [SHARE] = MER_REAL_CELL(ask_explain_share(x, r)),
					 [SLOW] = MER_INT(r->slow_ns),
					 [TYPICAL] = MER_INT(r->typical_ns),
					 [HOST] = mer_text(ask_explain_host(c, r->host)),
					 [PROGRAM] = mer_text(ask_explain_program(x, r)),
					 [CAUSE] = mer_text(requests_part_name(
						 (enum requests_part_kind)r->part)),
					 [IN] = mer_text(ask_explain_kind(c, r->in)),
					 [BY] = *by ? mer_text(by) : MER_NONE,
					 [CULPRITS] = who.len ? mer_table_keep(t, &who) : MER_NONE,
					 [GROUP] = MER_INT(group + 1),
				 });
		mer_str_fini(&who);
	}
}

static const struct mer_column columns[N + 1] = {
	[MORE] = { "more_ns", "More", MER_DURATION },
	[SHARE] = { "percent", "Share", MER_RATIO },
	[SLOW] = { "slow_ns", "Slow", MER_DURATION },
	[TYPICAL] = { "typical_ns", "Typical", MER_DURATION },
	[HOST] = { "host", "Host", MER_TEXT },
	[PROGRAM] = { "program", "Program", MER_TEXT },
	[CAUSE] = { "cause", "Cause", MER_TEXT },
	[IN] = { "of", "In", MER_TEXT },
	[BY] = { "by", "By", MER_TEXT },
	[CULPRITS] = { "culprits", "Who", MER_TEXT },
	[GROUP] = { "group", "Group", MER_COUNT },
};

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
	struct mer_column shown[N + 1];
	struct mer_arena arena;
	struct mer_table t;
	mer_arena_init(&arena);
	put_heading(c, all, group, out);
	memcpy(shown, columns, sizeof(shown));
	shown[CULPRITS] = (struct mer_column){ 0 }; /* in lines below */
	mer_table_init(&t, "causes", NULL, shown, &arena);
	add_rows(c, x, group, n_shown, &t);
	ask_requests_shorten_kinds(c, &t, IN);
	/* What others say, or the lines below; no name is to be cut for it. */
	static const uint32_t spare[] = { TYPICAL, SLOW, BY };
	for (size_t i = 0; i < sizeof(spare) / sizeof(*spare) &&
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

int ask_requests_explain(
	const struct ask_requests *c, const struct requests_explanations *all, struct mer_str *out)
{
	enum { LATER_ROWS = 3 }; /* of groups after the first one, unless --limit says */
	struct ask_requests later = *c;
	struct mer_arena arena;
	struct mer_table t;
	if (c->ask->format == ASK_FORMAT_JSON)
		return put_json(c, all, out);
	if (c->ask->format == ASK_FORMAT_TABLE) {
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
	mer_arena_init(&arena);
	mer_table_init(&t, "causes", NULL, columns, &arena);
	for (unsigned i = 0; i < all->n; i++)
		add_rows(c, all->group[i], i, rows_shown(c, all->group[i]), &t);
	ask_table_rows(c->ask, &t, mer_table_whole(&t), out);
	out->failed |= t.failed || arena.failed;
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	return 0;
}
