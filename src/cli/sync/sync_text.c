/* The overview of a synchronization: verdict, hosts, pairs, advice. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "cli/sync/sync_print.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/session.h"
#include "sync/result_view.h"

enum { SCREENFUL = 20 }; /* hosts and pairs that people are shown */

/* All messages between hosts: how many, how many of them received before they were sent. */
static void sum_messages(
	const struct sync_result *r, uint64_t *n, uint64_t *before, uint64_t *after)
{
	*n = *before = *after = 0;
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		*n += p->ab.before.n + p->ba.before.n;
		*before += p->ab.before.n_violations + p->ba.before.n_violations;
		*after += p->ab.after.n_violations + p->ba.after.n_violations;
	}
}

int cli_sync_put(struct cli *cli, struct mer_str *text, int rc)
{
	if (rc == 0 && text->failed)
		rc = mer_fail_nomem(&cli->err);
	if (rc == 0 && text->len)
		fwrite(text->data, 1, text->len, cli->out);
	mer_str_fini(text);
	return rc;
}

int cli_sync_write_file(struct cli *cli, const char *path, const struct mer_str *text)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return mer_fail_errno(&cli->err, "create", path);
	int e = fwrite(text->data, 1, text->len, f) != text->len ? errno : 0;
	if (fclose(f) != 0 && !e)
		e = errno;
	if (!e)
		return 0;
	errno = e;
	mer_fail_errno(&cli->err, "write", path);
	return MER_ERR_BUG; /* as standard output that is full: exit status 5 */
}

/* ---- The verdict ---- */

static void put_name(struct mer_str *out, const char *name)
{
	cli_text_clean(out, name, strlen(name), false);
}

uint32_t cli_sync_group_size(const struct sync_result *r, uint32_t group)
{
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n += r->hosts[h].group == group;
	return n;
}

/* Hosts of the first group whose clock is limited on one side only, or not at all. */
static uint32_t count_open(const struct sync_result *r)
{
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n += r->hosts[h].group == 0 &&
		     (r->hosts[h].quality == SYNC_INCOMPLETE || r->hosts[h].quality == SYNC_ABSENT);
	return n;
}

static void put_worst(const struct sync_result *r, struct mer_str *out)
{
	const struct sync_host *worst = NULL;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *s = &r->hosts[h];
		if (s->group == 0 && r->references[0] != h && s->quality != SYNC_INCOMPLETE &&
			(!worst || s->bound.max > worst->bound.max))
			worst = s;
	}
	if (!worst)
		return;
	if (worst->bound.max == INT64_MAX) {
		mer_str_puts(out, "; no bound for ");
		put_name(out, worst->name);
		mer_str_puts(out, worst->n_steps ? " at some times" : "");
		return;
	}
	mer_str_puts(out, ", worst bound ");
	cli_text_duration(out, worst->bound.max);
	mer_str_puts(out, " (");
	put_name(out, worst->name);
	if (worst->bound.worst_at != MER_NO_TIME) {
		mer_str_puts(out, " at ");
		cli_text_clock(out, worst->bound.worst_at);
	}
	mer_str_putc(out, ')');
}

/* Those that are not in the first group, by name as long as they are few. */
static void put_apart(const struct sync_result *r, struct mer_str *out)
{
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		if (r->hosts[h].group == 0)
			continue;
		if (n < 4)
			mer_str_puts(out, n ? ", " : "");
		if (n++ < 4)
			put_name(out, r->hosts[h].name);
	}
	if (n > 4)
		mer_str_printf(out, " and %u more", n - 4);
	mer_str_puts(out, " cannot be compared with them: no messages connect them");
}

static void put_verdict(const struct sync_result *r, struct mer_str *out)
{
	uint64_t n, before, after;
	sum_messages(r, &n, &before, &after);
	uint32_t largest = r->n_groups ? cli_sync_group_size(r, 0) : 0;
	if (r->n_hosts < 2) {
		mer_str_puts(out, "Only one host: nothing to synchronize.");
		return;
	}
	if (r->method == SYNC_NONE) {
		mer_str_puts(out, "The clocks are left as recorded");
	} else if (largest < 2) {
		mer_str_puts(out,
			"No messages between these hosts were found: their clocks are left as "
			"recorded and their times cannot be compared.");
		return;
	} else {
		uint32_t open = count_open(r);
		const char *limited = mer_plural(open, "clock is", "clocks are");
		if (largest - open > 1 || !open) {
			mer_str_printf(out, "%u of %u clocks aligned", largest - open, r->n_hosts);
			put_worst(r, out);
			if (open)
				mer_str_printf(
					out, "; %u %s limited on one side only", open, limited);
		} else {
			mer_str_printf(out, "%u of %u clocks %s limited on one side only", open,
				r->n_hosts, mer_plural(open, "is", "are"));
		}
	}
	if (n) {
		mer_str_puts(out, "; ");
		if (after)
			cli_text_count(out, (int64_t)after);
		else
			mer_str_puts(out, "no");
		mer_str_puts(out, after > 1 ? " messages are received before they were sent"
					    : " message is received before it was sent");
		if (before > after) {
			mer_str_puts(out, " (as recorded: ");
			cli_text_count(out, (int64_t)before);
			mer_str_puts(out, " of ");
			cli_text_count(out, (int64_t)n);
			mer_str_putc(out, ')');
		}
	}
	if (largest < r->n_hosts && r->method != SYNC_NONE) {
		mer_str_puts(out, "; ");
		put_apart(r, out);
	}
	mer_str_putc(out, '.');
}

/* ---- Tables ---- */

static struct cli_cell bound_cell(int64_t v)
{
	return v == INT64_MAX ? CLI_CELL_NONE : CLI_CELL(v);
}

static struct cli_cell time_cell(int64_t t)
{
	return t == MER_NO_TIME ? CLI_CELL_NONE : CLI_CELL(t);
}

static struct cli_cell least_cell(const struct sync_latency *l)
{
	return l->n ? CLI_CELL(l->min) : CLI_CELL_NONE;
}

/* So that a row fits. */
static const char *brief_quality(enum sync_quality q)
{
	return q == SYNC_APPROXIMATE ? "approx." : sync_quality_name(q);
}

/* The largest bound first; what cannot be compared, or is not limited, is worse than any. */
static int by_worst(const void *a, const void *b)
{
	const struct sync_host *p = *(const struct sync_host *const *)a,
			       *q = *(const struct sync_host *const *)b;
	bool p_absent = p->quality == SYNC_ABSENT, q_absent = q->quality == SYNC_ABSENT;
	if (p_absent != q_absent)
		return p_absent ? -1 : 1;
	if (p->bound.max != q->bound.max)
		return p->bound.max > q->bound.max ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* The hosts to show, malloc'ed: all in their order, or if there are too many, the worst ones. */
static const struct sync_host **choose_hosts(const struct sync_result *r, size_t limit, size_t *n)
{
	const struct sync_host **hosts = calloc(r->n_hosts + 1u, sizeof(*hosts));
	for (uint32_t i = 0; hosts && i < r->n_hosts; i++)
		hosts[i] = &r->hosts[i];
	*n = r->n_hosts < limit ? r->n_hosts : limit;
	if (hosts && *n < r->n_hosts)
		qsort(hosts, r->n_hosts, sizeof(*hosts), by_worst);
	return hosts;
}

static void fill_hosts(const struct sync_result *r, size_t limit, struct cli_table *t)
{
	static const struct cli_column brief[] = { { "host", "Host", CLI_TYPE_TEXT },
		{ "offset", "Offset, s", CLI_TYPE_SECONDS }, { "drift", "ppm", CLI_TYPE_REAL },
		{ "median", "Bound", CLI_TYPE_DURATION }, { "max", "Worst", CLI_TYPE_DURATION },
		{ "pieces", "Pieces", CLI_TYPE_COUNT }, { "matched", "Msgs", CLI_TYPE_COUNT },
		{ "used", "Used", CLI_TYPE_COUNT }, { "quality", "Quality", CLI_TYPE_TEXT },
		{ 0 } };
	cli_table_init(t, brief);
	size_t n;
	const struct sync_host **hosts = choose_hosts(r, limit, &n);
	t->failed |= !hosts;
	for (size_t i = 0; hosts && i < n; i++) {
		const struct sync_host *h = hosts[i];
		/* With nobody to compare it with, 0 would say that nothing is uncertain. */
		bool alone = h->quality == SYNC_ABSENT && h->n_matched == 0;
		const struct cli_cell none = CLI_CELL_NONE;
		cli_table_add(
			t, (struct cli_cell[]){ CLI_CELL_TEXT(h->name),
				   alone ? none : CLI_CELL(sync_host_offset(h)),
				   alone ? none : CLI_CELL_RATIO(sync_host_drift_ppm(h)),
				   alone ? none : bound_cell(h->bound.median),
				   alone ? none : bound_cell(h->bound.max),
				   CLI_CELL(h->map.n ? h->map.n : 1), CLI_CELL(h->n_matched),
				   CLI_CELL(h->n_used), CLI_CELL_TEXT(brief_quality(h->quality)) });
	}
	free(hosts);
}

static void fill_pairs(
	const struct sync_result *r, size_t limit, struct cli_table *t, struct mer_arena *arena)
{
	static const struct cli_column brief[] = { { "a", "From", CLI_TYPE_TEXT },
		{ "b", "To", CLI_TYPE_TEXT }, { "ab", "There", CLI_TYPE_COUNT },
		{ "ba", "Back", CLI_TYPE_COUNT }, { "min_ab", "Min there", CLI_TYPE_DURATION },
		{ "min_ba", "Min back", CLI_TYPE_DURATION },
		{ "bound", "Bound", CLI_TYPE_DURATION }, { "hull", "Hull", CLI_TYPE_TEXT },
		{ "out", "Left out", CLI_TYPE_COUNT }, { "early", "Early", CLI_TYPE_COUNT },
		{ 0 } };
	cli_table_init(t, brief);
	for (size_t i = 0; i < r->n_pairs && i < limit; i++) {
		const struct sync_pair *p = &r->pairs[i];
		const char *hull =
			mer_arena_printf(arena, "%zu/%zu", p->line.n_upper, p->line.n_lower);
		t->failed |= !hull;
		cli_table_add(t,
			(struct cli_cell[]){ CLI_CELL_TEXT(r->hosts[p->a].name),
				CLI_CELL_TEXT(r->hosts[p->b].name), CLI_CELL(p->ab.after.n),
				CLI_CELL(p->ba.after.n), least_cell(&p->ab.after),
				least_cell(&p->ba.after), bound_cell(p->bound.median),
				CLI_CELL_TEXT(hull), CLI_CELL(p->n_left_out),
				CLI_CELL(p->ab.before.n_violations + p->ba.before.n_violations) });
	}
}

/* For programs: exact numbers, names that say what they are. */
static void fill_exact_hosts(const struct sync_result *r, struct cli_table *t)
{
	static const struct cli_column columns[] = { { "host", "", CLI_TYPE_TEXT },
		{ "id", "", CLI_TYPE_TEXT }, { "group", "", CLI_TYPE_ID },
		{ "reference", "", CLI_TYPE_TEXT }, { "method", "", CLI_TYPE_TEXT },
		{ "quality", "", CLI_TYPE_TEXT }, { "offset_ns", "", CLI_TYPE_DURATION },
		{ "drift_ppm", "", CLI_TYPE_REAL }, { "bound_min_ns", "", CLI_TYPE_DURATION },
		{ "bound_median_ns", "", CLI_TYPE_DURATION },
		{ "bound_max_ns", "", CLI_TYPE_DURATION }, { "worst_at", "", CLI_TYPE_TIME },
		{ "pieces", "", CLI_TYPE_COUNT }, { "steps", "", CLI_TYPE_COUNT },
		{ "slews", "", CLI_TYPE_COUNT }, { "matched", "", CLI_TYPE_COUNT },
		{ "used", "", CLI_TYPE_COUNT }, { 0 } };
	cli_table_init(t, columns);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const struct sync_host *h = &r->hosts[i];
		cli_table_add(
			t, (struct cli_cell[]){ CLI_CELL_TEXT(h->name), CLI_CELL_TEXT(h->id),
				   CLI_CELL(h->group),
				   CLI_CELL_TEXT(r->hosts[r->references[h->group]].name),
				   CLI_CELL_TEXT(sync_method_name(h->method)),
				   CLI_CELL_TEXT(sync_quality_name(h->quality)),
				   CLI_CELL(sync_host_offset(h)),
				   CLI_CELL_RATIO(sync_host_drift_ppm(h)), bound_cell(h->bound.min),
				   bound_cell(h->bound.median), bound_cell(h->bound.max),
				   time_cell(h->bound.worst_at), CLI_CELL(h->map.n ? h->map.n : 1),
				   CLI_CELL(h->n_steps), CLI_CELL(h->n_slews),
				   CLI_CELL(h->n_matched), CLI_CELL(h->n_used) });
	}
}

static void fill_exact_pairs(const struct sync_result *r, struct cli_table *t)
{
	static const struct cli_column columns[] = { { "a", "", CLI_TYPE_TEXT },
		{ "b", "", CLI_TYPE_TEXT }, { "quality", "", CLI_TYPE_TEXT },
		{ "matched_ab", "", CLI_TYPE_COUNT }, { "matched_ba", "", CLI_TYPE_COUNT },
		{ "used", "", CLI_TYPE_COUNT }, { "left_out", "", CLI_TYPE_COUNT },
		{ "min_latency_ab_ns", "", CLI_TYPE_DURATION },
		{ "min_latency_ba_ns", "", CLI_TYPE_DURATION },
		{ "bound_ns", "", CLI_TYPE_DURATION }, { "violations_before", "", CLI_TYPE_COUNT },
		{ "violations_after", "", CLI_TYPE_COUNT }, { "alpha", "", CLI_TYPE_TEXT },
		{ "beta", "", CLI_TYPE_TEXT }, { "hull_upper", "", CLI_TYPE_COUNT },
		{ "hull_lower", "", CLI_TYPE_COUNT }, { 0 } };
	cli_table_init(t, columns);
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		cli_table_add(
			t, (struct cli_cell[]){ CLI_CELL_TEXT(r->hosts[p->a].name),
				   CLI_CELL_TEXT(r->hosts[p->b].name),
				   CLI_CELL_TEXT(sync_quality_name(p->quality)),
				   CLI_CELL(p->ab.after.n), CLI_CELL(p->ba.after.n),
				   CLI_CELL(p->n_used), CLI_CELL(p->n_left_out),
				   least_cell(&p->ab.after), least_cell(&p->ba.after),
				   bound_cell(p->bound.max),
				   CLI_CELL(p->ab.before.n_violations + p->ba.before.n_violations),
				   CLI_CELL(p->ab.after.n_violations + p->ba.after.n_violations),
				   CLI_CELL_TEXT(p->line.alpha[0] ? p->line.alpha : NULL),
				   CLI_CELL_TEXT(p->line.beta[0] ? p->line.beta : NULL),
				   CLI_CELL(p->line.n_upper), CLI_CELL(p->line.n_lower) });
	}
}

static void put_table(struct cli *cli, struct cli_table *t, struct mer_str *out)
{
	cli_table_text(t, out, (size_t)cli_width(cli), cli->bold_out);
	out->failed |= t->failed;
	cli_table_fini(t);
}

/* ---- Advice ---- */

/* A finding as an item of a list, wrapped. The host goes before, unless the sentence names it. */
static void put_item(struct cli *cli, struct mer_str *out, const struct mer_diag *d)
{
	struct mer_str line = { 0 }, wrapped = { 0 };
	if (d->host && !strstr(d->message, d->host)) {
		put_name(&line, d->host);
		mer_str_puts(&line, ": ");
	}
	cli_text_clean(&line, d->message, strlen(d->message), false);
	cli_text_wrap(&wrapped, line.data ? line.data : "", (size_t)cli_width(cli), 2);
	if (wrapped.len > 1) {
		wrapped.data[0] = '-';
		mer_str_add(out, wrapped.data, wrapped.len);
	}
	out->failed |= line.failed || wrapped.failed;
	mer_str_fini(&line);
	mer_str_fini(&wrapped);
}

/* "  The same of a, b and 3 more": those of the first one's kind, but for so many. */
static void put_same(struct mer_str *out, const struct sync_result *r, size_t first, size_t skip)
{
	size_t n = 0, others = 0, seen = 0;
	for (size_t i = first; i < r->diags.n; i++) {
		const struct mer_diag *d = &r->diags.rows[i];
		if (strcmp(d->code, r->diags.rows[first].code) != 0 || seen++ < skip)
			continue;
		bool again = false; /* several of one host */
		for (size_t k = first; k < i && d->host; k++)
			again |= r->diags.rows[k].host &&
				 strcmp(r->diags.rows[k].code, d->code) == 0 &&
				 strcmp(r->diags.rows[k].host, d->host) == 0;
		if (n == 5 || !d->host || again) {
			others++;
			continue;
		}
		mer_str_puts(out, n++ ? ", " : "  The same for ");
		put_name(out, d->host);
	}
	if (others)
		mer_str_printf(out, n ? " and %zu more" : "  %zu more like that", others);
	mer_str_puts(out, " (-v shows all).\n");
}

void cli_sync_advice(struct cli_sync *s, struct mer_str *out)
{
	enum { OF_A_KIND = 2 };
	struct cli *cli = s->cli;
	const struct sync_result *r = s->result;
	const struct mer_diag *rows = r->diags.rows;
	s->told = true;
	for (size_t i = 0; i < r->diags.n; i++) {
		size_t before = 0, same = 0;
		for (size_t k = 0; k < r->diags.n; k++)
			if (strcmp(rows[k].code, rows[i].code) == 0) {
				before += k < i;
				same++;
			}
		/* All of a kind together, in the place of the first. */
		if (before > 0)
			continue;
		mer_str_puts(out, i ? "" : "\n");
		size_t shown = 0;
		for (size_t k = i; k < r->diags.n; k++)
			if (strcmp(rows[k].code, rows[i].code) == 0 &&
				(shown++ < OF_A_KIND || cli->verbose))
				put_item(cli, out, &rows[k]);
		if (same > OF_A_KIND && !cli->verbose)
			put_same(out, r, i, OF_A_KIND);
	}
}

/* ---- All of it ---- */

/* The classic lines, one for each pair. */
static void put_lines(const struct sync_result *r, struct mer_str *out)
{
	for (size_t i = 0; i < r->n_pairs && i < SCREENFUL; i++) {
		const struct sync_pair *p = &r->pairs[i];
		if (!p->line.alpha[0])
			continue;
		mer_str_puts(out, i ? "" : "\n");
		put_name(out, r->hosts[p->b].name);
		mer_str_printf(out, " = %s * ", p->line.alpha);
		put_name(out, r->hosts[p->a].name);
		bool minus = p->line.beta[0] == '-';
		mer_str_printf(out, " %c %s\n  %s, %zu %s, %zu of them accurate\n",
			minus ? '-' : '+', p->line.beta + minus, sync_quality_name(p->line.quality),
			p->line.n_messages, mer_plural(p->line.n_messages, "message", "messages"),
			p->line.n_accurate);
	}
}

/* A method that was chosen and does not fit. */
static void put_misfit(struct cli *cli, const struct sync_result *r, struct mer_str *out)
{
	uint64_t n, before, after;
	struct mer_str line = { 0 };
	sum_messages(r, &n, &before, &after);
	if (after == 0 || r->method == SYNC_AUTO || r->method == SYNC_NONE)
		return;
	mer_str_printf(
		&line, "The method '%s' does not fit these clocks: ", sync_method_name(r->method));
	cli_text_count(&line, (int64_t)after);
	mer_str_puts(&line, mer_plural(after, " message would be received before it was sent",
				    " messages would be received before they were sent"));
	mer_str_puts(&line, after >= before ? ", no fewer than with the clocks as recorded" : "");
	mer_str_puts(&line, "; --compare shows the results of the other methods.");
	mer_str_putc(out, '\n');
	cli_text_wrap(out, line.data ? line.data : "", (size_t)cli_width(cli), 0);
	out->failed |= line.failed;
	mer_str_fini(&line);
}

static void put_text(struct cli_sync *s, struct mer_str *out)
{
	const struct sync_result *r = s->result;
	size_t limit = s->limit ? s->limit : SCREENFUL;
	struct cli_table t;
	struct mer_str verdict = { 0 };
	put_verdict(r, &verdict);
	if (verdict.data)
		cli_text_wrap(out, verdict.data, (size_t)cli_width(s->cli), 0);
	out->failed |= verdict.failed;
	mer_str_fini(&verdict);
	mer_str_putc(out, '\n');
	fill_hosts(r, limit, &t);
	put_table(s->cli, &t, out);
	if (r->n_hosts > limit)
		mer_str_printf(out, "... and %zu more %s with smaller bounds (-n 0 shows all)\n",
			r->n_hosts - limit, mer_plural(r->n_hosts - limit, "host", "hosts"));
	for (uint32_t g = 0; g < r->n_groups && g < 8; g++)
		if (cli_sync_group_size(r, g) > 1) {
			mer_str_puts(out, "Add Offset to a host's clock to get the clock of ");
			put_name(out, r->hosts[r->references[g]].name);
			mer_str_puts(out, g ? " (its group).\n" : ".\n");
		}
	if (r->n_pairs) {
		mer_str_putc(out, '\n');
		fill_pairs(r, limit, &t, &s->cli->arena);
		put_table(s->cli, &t, out);
		if (r->n_pairs > limit)
			mer_str_printf(out, "... and %zu more %s (-n 0 shows all)\n",
				r->n_pairs - limit,
				mer_plural(r->n_pairs - limit, "pair", "pairs"));
	}
	if (r->method == SYNC_HULL || s->cli->verbose)
		put_lines(r, out);
	put_misfit(s->cli, r, out);
	cli_sync_advice(s, out);
}

static int put_json(struct cli_sync *s, struct mer_str *out)
{
	/* What is wrong with the traces matters here too. */
	mer_diags_merge(&s->result->diags, &s->e->diags);
	s->told = true;
	return sync_result_write(s->result, false, out, &s->cli->err);
}

int cli_sync_print(struct cli_sync *s)
{
	struct mer_str out = { 0 };
	struct cli_table hosts, pairs;
	int rc = 0;
	switch (s->cli->format) {
	case CLI_FORMAT_TABLE: put_text(s, &out); break;
	case CLI_FORMAT_JSON: rc = put_json(s, &out); break;
	case CLI_FORMAT_LTTV: return cli_sync_print_lttv(s);
	default:
		fill_exact_hosts(s->result, &hosts);
		fill_exact_pairs(s->result, &pairs);
		hosts.name = "hosts";
		pairs.name = "pairs";
		if (s->cli->format == CLI_FORMAT_CSV) {
			cli_table_csv(&hosts, &out);
			mer_str_putc(&out, '\n');
			cli_table_csv(&pairs, &out);
		} else {
			cli_table_jsonl(&hosts, &out);
			cli_table_jsonl(&pairs, &out);
		}
		out.failed |= hosts.failed || pairs.failed;
		cli_table_fini(&hosts);
		cli_table_fini(&pairs);
	}
	return cli_sync_put(s->cli, &out, rc);
}

/* Offsets there are such that the least is 0, so that the row with 0 need not be the reference's:
 * it is said. Here as there "offset" counts the clock's units, which are nanoseconds. */
int cli_sync_print_lttv(struct cli_sync *s)
{
	const struct sync_result *r = s->result;
	struct mer_str out = { 0 };
	int64_t least = INT64_MAX;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		int64_t offset = sync_host_offset(&r->hosts[h]);
		least = offset < least ? offset : least;
	}
	mer_str_puts(&out, "Resulting synchronization factors:\n");
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		int64_t offset = 0;
		if (__builtin_sub_overflow(sync_host_offset(host), least, &offset))
			offset = INT64_MAX;
		mer_str_printf(&out, " trace %u drift= %.12g offset= %" PRId64 " (", h,
			1 + sync_host_drift_ppm(host) * 1e-6, offset);
		cli_text_seconds(&out, offset);
		mer_str_puts(&out, ") start time= ");
		if (host->span.begin == MER_NO_TIME)
			mer_str_putc(&out, '-');
		else
			cli_text_seconds(&out, trace_map_time(&host->map, host->span.begin));
		mer_str_puts(&out, " host= ");
		put_name(&out, host->name);
		mer_str_puts(&out, r->references[host->group] == h ? " reference\n" : "\n");
	}
	return cli_sync_put(s->cli, &out, 0);
}
