/* The overview of a synchronization: verdict, hosts, pairs, advice. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ask/print/remedies.h"
#include "ask/sync/sync_answer.h"
#include "ask/sync/sync_print.h"
#include "ask/sync/sync_tables.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"
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
		*before += p->ab.before.n_inversions + p->ba.before.n_inversions;
		*after += p->ab.after.n_inversions + p->ba.after.n_inversions;
	}
}

/* ---- The verdict ---- */

static void put_name(struct mer_str *out, const char *name)
{
	ask_text_clean(out, name, strlen(name), false);
}

uint32_t ask_sync_group_size(const struct sync_result *r, uint32_t group)
{
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n += r->hosts[h].group == group;
	return n;
}

/* Hosts of the first group whose messages contradict each other. */
static uint32_t count_contradictory(const struct sync_result *r)
{
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		n += r->hosts[h].group == 0 && r->hosts[h].quality == SYNC_FAIL &&
		     r->hosts[h].bound.median == INT64_MAX;
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
	int64_t likely = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		if (r->hosts[h].group == 0 && r->hosts[h].quality != SYNC_INCOMPLETE &&
			r->hosts[h].likely_off.median > likely)
			likely = r->hosts[h].likely_off.median;
	if (likely != INT64_MAX) {
		mer_str_puts(out, ", accurate to ");
		ask_text_duration(out, likely);
		mer_str_puts(out, " (worst case ");
	} else {
		mer_str_puts(out, ", largest bound ");
	}
	ask_text_duration(out, worst->bound.max);
	mer_str_puts(out, likely != INT64_MAX ? ", " : " (");
	put_name(out, worst->name);
	if (worst->bound.max_at != MER_NO_TIME) {
		mer_str_puts(out, " at ");
		ask_text_clock(out, worst->bound.max_at);
	}
	mer_str_putc(out, ')');
}

/* Those that are not in the first group, by name as long as they are few. */
static void put_unsynchronized(const struct sync_result *r, struct mer_str *out)
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
	uint32_t largest = r->n_groups ? ask_sync_group_size(r, 0) : 0;
	if (r->n_hosts < 2) {
		mer_str_puts(out, "Only one host: nothing to synchronize.");
		return;
	}
	if (r->method == SYNC_NONE) {
		mer_str_puts(out, "The clocks are left as recorded");
	} else if (largest < 2) {
		mer_str_puts(out,
			"No messages between these hosts were found: their clocks are left as recorded and their times cannot be compared.");
		return;
	} else if (count_contradictory(r)) {
		mer_str_printf(out,
			"The messages between these %u hosts contradict each other, whatever the clocks did: how far the clocks are off is not known",
			largest);
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
			ask_text_count(out, (int64_t)after);
		else
			mer_str_puts(out, "no");
		mer_str_puts(out, after > 1 ? " messages are received before they were sent"
					    : " message is received before it was sent");
		if (before > after) {
			mer_str_puts(out, " (as recorded: ");
			ask_text_count(out, (int64_t)before);
			mer_str_puts(out, " of ");
			ask_text_count(out, (int64_t)n);
			mer_str_putc(out, ')');
		}
	}
	if (largest < r->n_hosts && r->method != SYNC_NONE) {
		mer_str_puts(out, "; ");
		put_unsynchronized(r, out);
	}
	mer_str_putc(out, '.');
}

/* One offset does not hold for a clock that jumped. */
static void put_jumps(const struct ask_sync *s, size_t limit, struct mer_str *out)
{
	const struct sync_result *r = s->result;
	struct mer_str names = { 0 };
	size_t n = 0;
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		if (!r->hosts[i].n_steps || n++ >= limit)
			continue;
		mer_str_puts(&names, names.len ? ", " : "");
		put_name(&names, r->hosts[i].name);
	}
	if (n > limit)
		mer_str_printf(&names, " and %zu more", n - limit);
	if (n && names.data) {
		struct mer_str text = { 0 };
		mer_str_printf(&text,
			"Not all the time: the %s of %s jumped, and this is the offset at the start of its traces. --at TIME has it at an instant.",
			mer_plural(n, "clock", "clocks"), names.data);
		if (text.data)
			ask_text_wrap(out, text.data, (size_t)ask_width(s->ask), 0);
		out->failed |= text.failed;
		mer_str_fini(&text);
	}
	out->failed |= names.failed;
	mer_str_fini(&names);
}

static bool has_guests(const struct sync_result *r)
{
	for (uint32_t i = 0; i < r->n_vms; i++)
		if (r->vms[i].guest != SYNC_NO_GUEST)
			return true;
	return false;
}

static void put_table(struct ask *ask, struct mer_table *t, struct mer_str *out)
{
	ask_table_text(t, out, (size_t)ask_width(ask), ask->bold_out, ask->ascii);
	out->failed |= t->failed;
	mer_table_fini(t);
}

/* ---- Advice ---- */

/* A finding as an item of a list, wrapped. The host goes before, unless the sentence names it. */
static void put_item(struct ask *ask, struct mer_str *out, const struct mer_diag *d)
{
	struct mer_str text = { 0 }, line = { 0 }, wrapped = { 0 };
	ask_put_remedied(&text, d->message, d->remedy);
	if (d->host && !strstr(d->message, d->host)) {
		put_name(&line, d->host);
		mer_str_puts(&line, ": ");
	}
	if (text.data)
		ask_text_clean(&line, text.data, text.len, false);
	ask_text_wrap(&wrapped, line.data ? line.data : "", (size_t)ask_width(ask), 2);
	if (wrapped.len > 1) {
		wrapped.data[0] = '-';
		mer_str_add(out, wrapped.data, wrapped.len);
	}
	out->failed |= text.failed || line.failed || wrapped.failed;
	mer_str_fini(&text);
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

void ask_sync_advice(struct ask_sync *s, struct mer_str *out)
{
	enum { OF_A_KIND = 2 };
	struct ask *ask = s->ask;
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
				(shown++ < OF_A_KIND || ask->verbose))
				put_item(ask, out, &rows[k]);
		if (same > OF_A_KIND && !ask->verbose)
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
static void put_misfit(struct ask *ask, const struct sync_result *r, struct mer_str *out)
{
	uint64_t n, before, after;
	struct mer_str line = { 0 };
	sum_messages(r, &n, &before, &after);
	if (after == 0 || r->method == SYNC_AUTO || r->method == SYNC_NONE)
		return;
	mer_str_printf(
		&line, "The method '%s' does not fit these clocks: ", sync_method_name(r->method));
	ask_text_count(&line, (int64_t)after);
	mer_str_puts(&line, mer_plural(after, " message would be received before it was sent",
				    " messages would be received before they were sent"));
	mer_str_puts(&line, after >= before ? ", no fewer than with the clocks as recorded" : "");
	mer_str_puts(&line, "; --compare shows the results of the other methods.");
	mer_str_putc(out, '\n');
	ask_text_wrap(out, line.data ? line.data : "", (size_t)ask_width(ask), 0);
	out->failed |= line.failed;
	mer_str_fini(&line);
}

static void put_text(struct ask_sync *s, struct mer_str *out)
{
	const struct sync_result *r = s->result;
	size_t limit = s->limit ? s->limit : SCREENFUL;
	struct mer_table t;
	struct mer_str verdict = { 0 };
	put_verdict(r, &verdict);
	if (verdict.data)
		ask_text_wrap(out, verdict.data, (size_t)ask_width(s->ask), 0);
	out->failed |= verdict.failed;
	mer_str_fini(&verdict);
	mer_str_putc(out, '\n');
	ask_sync_fill_hosts(r, limit, (size_t)ask_width(s->ask), &t, &s->ask->arena);
	put_table(s->ask, &t, out);
	if (r->n_hosts > limit)
		mer_str_printf(out, "... and %zu more %s with smaller bounds (-n 0 shows all)\n",
			r->n_hosts - limit, mer_plural(r->n_hosts - limit, "host", "hosts"));
	for (uint32_t g = 0; g < r->n_groups && g < 8; g++)
		if (ask_sync_group_size(r, g) > 1) {
			mer_str_puts(out, "Add Offset to a host's clock to get the clock of ");
			put_name(out, r->hosts[r->references[g]].name);
			mer_str_puts(out, g ? " (its group).\n" : ".\n");
		}
	put_jumps(s, limit, out);
	if (r->n_pairs) {
		mer_str_putc(out, '\n');
		ask_sync_fill_pairs(r, limit, &t, &s->ask->arena);
		put_table(s->ask, &t, out);
		if (r->n_pairs > limit)
			mer_str_printf(out, "... and %zu more %s (-n 0 shows all)\n",
				r->n_pairs - limit,
				mer_plural(r->n_pairs - limit, "pair", "pairs"));
	}
	if (has_guests(r)) {
		mer_str_putc(out, '\n');
		mer_table_init(&t, "vms", NULL, ask_sync_vm_columns, NULL);
		ask_sync_add_vms(r, false, &t);
		put_table(s->ask, &t, out);
	}
	if (r->method == SYNC_HULL || s->ask->verbose)
		put_lines(r, out);
	put_misfit(s->ask, r, out);
	ask_sync_advice(s, out);
}

/* "trace i drift= offset= (seconds) start time=", as the first of these tools printed it. Offsets
 * there are such that the least is 0, so that the row with 0 need not be the reference's: it is
 * said. Here as there "offset" counts the clock's units, which are nanoseconds. */
static int print_lttv(struct ask_sync *s)
{
	const struct sync_result *r = s->result;
	struct mer_str out = { 0 };
	int64_t least = INT64_MAX;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		int64_t offset = sync_host_offset(&r->hosts[h]);
		least = offset < least ? offset : least;
	}
	mer_str_puts(&out, "Resulting synchronization factors:\n");
	size_t bent = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++)
		bent += sync_host_pieces(&r->hosts[h]) > 1;
	if (bent)
		ask_warn(s->ask,
			"this format has one line for each clock; %zu of %u clocks %s more than one, so that messages are received before they were sent by these factors; use --method hull, or --format csv",
			bent, (unsigned)r->n_hosts, mer_plural(bent, "has", "have"));
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		const struct sync_host *host = &r->hosts[h];
		int64_t offset = 0;
		if (__builtin_sub_overflow(sync_host_offset(host), least, &offset))
			offset = INT64_MAX;
		mer_str_printf(&out, " trace %u drift= %.12g offset= %" PRId64 " (", h,
			1 + sync_host_drift_ppm(host) * 1e-6, offset);
		ask_text_seconds(&out, offset);
		mer_str_puts(&out, ") start time= ");
		if (host->span.begin == MER_NO_TIME)
			mer_str_putc(&out, '-');
		else
			ask_text_seconds(&out, trace_map_time(&host->map, host->span.begin));
		mer_str_puts(&out, " host= ");
		put_name(&out, host->name);
		mer_str_puts(&out, r->references[host->group] == h ? " reference\n" : "\n");
	}
	return ask_put(s->ask, &out, 0);
}

static int print_answer(struct ask_sync *s)
{
	struct answer a;
	ask_sync_answer_init(s, &a);
	ask_sync_add_result(s->result, &a);
	int rc = ask_answer_print(s->ask, &a);
	s->told = s->ask->format == ASK_FORMAT_JSON;
	answer_fini(&a);
	return rc;
}

int ask_sync_print(struct ask_sync *s)
{
	struct mer_str out = { 0 };
	if (s->ask->format == ASK_FORMAT_LTTV)
		return print_lttv(s);
	if (s->ask->format != ASK_FORMAT_TABLE)
		return print_answer(s);
	put_text(s, &out);
	return ask_put(s->ask, &out, 0);
}
