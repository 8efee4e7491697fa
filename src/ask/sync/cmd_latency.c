/* meridian latency: how long messages between the hosts took. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "ask/sync/sync_answer.h"
#include "ask/sync/sync_print.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "ask/tables.h"

struct values {
	struct ask_sync_values sync;
	bool messages, reverse;
	uint64_t limit;
	const char *sort, *plot;
};

#define SORTS "start|end|duration|from|to"
enum { SCREENFUL = 20, HINTS = 8 };

struct direction { /* statistics of a link */
	const struct sync_link *link;
	struct sync_latency before, after;
};

struct latencies {
	struct ask_sync *s;
	const struct values *v;
	struct direction *rows; /* those that are wanted */
	size_t n;
	bool unchanged;		   /* --sync none: as recorded is all there is */
	const struct order *order; /* of messages */
};

static bool is_loopback(const struct direction *d)
{
	return d->link->from == d->link->to;
}

static const char *name_of(const struct latencies *l, uint32_t host)
{
	return l->s->e->hosts[host].name;
}

static int measure(struct latencies *l)
{
	const struct sync_messages *m = &l->s->found.messages;
	struct ask *ask = l->s->ask;
	l->rows = mer_arena_zalloc(&ask->arena, m->n_links + 1, sizeof(*l->rows));
	if (!l->rows)
		return mer_fail_nomem(&ask->err);
	for (size_t i = 0; i < m->n_links; i++) {
		const struct sync_link *k = &m->links[i];
		struct direction *d = &l->rows[l->n];
		if (!k->n || (!session_selects_host(&ask->select, name_of(l, k->from)) &&
				     !session_selects_host(&ask->select, name_of(l, k->to))))
			continue;
		d->link = k;
		int rc = sync_link_latency(k, NULL, NULL, &d->before, &ask->err);
		if (!rc)
			rc = sync_link_latency(k, &l->s->result->hosts[k->from].map,
				&l->s->result->hosts[k->to].map, &d->after, &ask->err);
		if (rc)
			return rc;
		l->n++;
	}
	return 0;
}

/* ---- Statistics ---- */

enum { ALL_COLUMNS = 90 }; /* of a line that has room for all of them */

static void fill_brief(const struct latencies *l, struct mer_table *t, bool inversions)
{
	enum { FROM, TO, COUNT, MIN, MEAN, STDDEV, MEDIAN, P99, MAX, INVERSIONS, N };
	static const struct mer_column columns[N + 1] = {
		[FROM] = { "from", "From", MER_TEXT },
		[TO] = { "to", "To", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[MIN] = { "min_ns", "Min", MER_DURATION },
		[MEAN] = { "mean_ns", "Mean", MER_DURATION },
		[STDDEV] = { "stddev_ns", "Std dev", MER_DURATION },
		[MEDIAN] = { "p50_ns", "p50", MER_DURATION },
		[P99] = { "p99_ns", "p99", MER_DURATION },
		[MAX] = { "max_ns", "Max", MER_DURATION },
		[INVERSIONS] = { "inversions", "Inversions", MER_COUNT },
	};
	mer_table_init(t, "latencies", NULL, columns, &l->s->ask->arena);
	if (!inversions)
		mer_table_hide(t, INVERSIONS);
	else if (ask_width(l->s->ask) < ALL_COLUMNS)
		mer_table_hide(t, P99);
	for (size_t i = 0; i < l->n; i++) {
		const struct direction *d = &l->rows[i];
		const struct sync_latency *a = &d->after;
		mer_table_add(t, (struct mer_cell[N]){
					 [FROM] = mer_text(name_of(l, d->link->from)),
					 [TO] = mer_text(is_loopback(d) ? "itself"
									: name_of(l, d->link->to)),
					 [COUNT] = MER_INT(a->n),
					 [MIN] = MER_INT(a->min),
					 [MEAN] = mer_rounded(a->mean),
					 [STDDEV] = mer_rounded(a->stddev),
					 [MEDIAN] = MER_INT(a->median),
					 [P99] = MER_INT(a->p99),
					 [MAX] = MER_INT(a->max),
					 [INVERSIONS] = MER_INT(a->n_inversions),
				 });
	}
}

/* Of the messages of a link. */
enum { MIN, MAX, MEAN, STDDEV, P50, P90, P99, INVERSIONS, N_STATISTICS };
#define STATISTICS(first, prefix, title)                                                           \
	[first + MIN] = { prefix "min_ns", title "Min", MER_DURATION },                            \
		 [first + MAX] = { prefix "max_ns", title "Max", MER_DURATION },                   \
		 [first + MEAN] = { prefix "mean_ns", title "Mean", MER_MEAN },                    \
		 [first + STDDEV] = { prefix "stddev_ns", title "Std dev", MER_MEAN },             \
		 [first + P50] = { prefix "p50_ns", title "p50", MER_DURATION },                   \
		 [first + P90] = { prefix "p90_ns", title "p90", MER_DURATION },                   \
		 [first + P99] = { prefix "p99_ns", title "p99", MER_DURATION },                   \
		 [first + INVERSIONS] = { prefix "inversions", title "Inversions", MER_COUNT }

static void put_statistics(const struct sync_latency *l, struct mer_cell *cells)
{
	cells[MIN] = MER_INT(l->min);
	cells[MAX] = MER_INT(l->max);
	cells[MEAN] = MER_REAL_CELL(l->mean);
	cells[STDDEV] = MER_REAL_CELL(l->stddev);
	cells[P50] = MER_INT(l->median);
	cells[P90] = MER_INT(l->p90);
	cells[P99] = MER_INT(l->p99);
	cells[INVERSIONS] = MER_INT(l->n_inversions);
}

static void add_exact(const struct latencies *l, struct answer *answer)
{
	enum {
		FROM,
		TO,
		COUNT,
		AFTER,
		BEFORE = AFTER + N_STATISTICS,
		DUPLICATES = BEFORE + N_STATISTICS,
		REORDERED,
		UNMATCHED,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[FROM] = { "from", "From", MER_TEXT },
		[TO] = { "to", "To", MER_TEXT },
		[COUNT] = { "count", "Messages", MER_COUNT },
		STATISTICS(AFTER, "", ""),
		STATISTICS(BEFORE, "before_", "Before: "),
		[DUPLICATES] = { "duplicates", "Duplicates", MER_COUNT },
		[REORDERED] = { "reordered", "Reordered", MER_COUNT },
		[UNMATCHED] = { "unmatched", "Unmatched", MER_COUNT },
	};
	struct mer_table *t = answer_add(answer, "latencies", "Latencies between hosts", columns);
	size_t n = l->v->limit && l->v->limit < l->n ? l->v->limit : l->n;
	t->n_left_out = l->n - n;
	for (size_t i = 0; i < n; i++) {
		const struct direction *d = &l->rows[i];
		struct mer_cell row[N] = {
			[FROM] = mer_text(name_of(l, d->link->from)),
			[TO] = mer_text(name_of(l, d->link->to)),
			[COUNT] = MER_INT(d->after.n),
			[DUPLICATES] = MER_INT(d->link->n_duplicates),
			[REORDERED] = MER_INT(d->link->n_reordered),
			[UNMATCHED] = MER_INT(d->link->n_unmatched),
		};
		put_statistics(&d->after, row + AFTER);
		put_statistics(&d->before, row + BEFORE);
		mer_table_add(t, row);
	}
}

/* ---- What the numbers say ---- */

static void put_name(struct mer_str *out, const char *name)
{
	ask_text_clean(out, name, strlen(name), false);
}

static const struct direction *opposite(const struct latencies *l, const struct direction *d)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].link->from == d->link->to && l->rows[i].link->to == d->link->from)
			return &l->rows[i];
	return NULL;
}

/* With an offset x added to the clock of `to`, the least latencies are ab + x and ba - x. What was
 * given for it is in them already, and x is to stand in its place. */
static void put_offset(
	const struct latencies *l, uint32_t to, int64_t ab, int64_t ba, struct mer_str *out)
{
	int64_t x = ba / 2 - ab / 2 + l->s->choices[to].offset_ns;
	mer_str_puts(out, "--offset ");
	put_name(out, name_of(l, to));
	mer_str_printf(out, "=%lldns makes the minimum latencies equal (", (long long)x);
	ask_text_duration(out, ab / 2 + ba / 2);
	mer_str_putc(out, ')');
}

/* Without messages back, where nothing else bounds the clocks: the numbers are not what they
 * seem. */
static void put_one_way(
	const struct latencies *l, const struct direction *there, struct mer_str *out)
{
	const struct sync_host *hosts = l->s->result->hosts;
	if (l->unchanged || (hosts[there->link->from].quality != SYNC_INCOMPLETE &&
				    hosts[there->link->to].quality != SYNC_INCOMPLETE))
		return;
	put_name(out, name_of(l, there->link->from));
	mer_str_puts(out, " to ");
	put_name(out, name_of(l, there->link->to));
	mer_str_puts(out,
		": messages go one way only, so latencies cannot be separated from the difference of the clocks. The fastest messages are assumed to take no time.");
}

/* A sentence on a pair of hosts: negative both ways, negative one way, lopsided; or none. */
static void put_hint(const struct latencies *l, const struct direction *there, struct mer_str *out)
{
	const struct direction *back = opposite(l, there);
	if (!back) {
		put_one_way(l, there, out);
		return;
	}
	const struct sync_latency *ab = &there->after, *ba = &back->after;
	bool lopsided = ab->min / 3 > ba->min || ba->min / 3 > ab->min;
	if (ab->min >= 0 && ba->min >= 0 && !lopsided)
		return;
	put_name(out, name_of(l, there->link->from));
	mer_str_puts(out, " and ");
	put_name(out, name_of(l, there->link->to));
	if (ab->min < 0 && ba->min < 0) {
		mer_str_puts(out,
			": in both directions, messages are received before they were sent. The clocks moved against each other; a fixed offset cannot correct that, 'meridian sync' can.");
	} else if (ab->min / 2 + ba->min / 2 <= 0) {
		mer_str_puts(out,
			": one direction is inverted, and no fixed offset makes both positive: the clocks drift apart.");
	} else if (ab->min < 0 || ba->min < 0) {
		mer_str_puts(out, ": the clocks differ by a constant; ");
		put_offset(l, there->link->to, ab->min, ba->min, out);
		mer_str_putc(out, '.');
	} else {
		mer_str_puts(out, ": the minimum latencies differ (");
		ask_text_duration(out, ab->min);
		mer_str_puts(out, " forward, ");
		ask_text_duration(out, ba->min);
		mer_str_puts(out, " reverse). The network may be asymmetric; if it is not, ");
		put_offset(l, there->link->to, ab->min, ba->min, out);
		mer_str_putc(out, '.');
	}
}

/* Messages that took far longer than most, where no clock is to blame. */
static void put_spikes(const struct latencies *l, struct mer_str *out)
{
	const struct direction *worst = NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct direction *d = &l->rows[i];
		if (is_loopback(d) || d->after.max / 50 <= d->after.median)
			continue;
		if (!worst || d->after.max > worst->after.max)
			worst = d;
	}
	if (!worst)
		return;
	mer_str_puts(out, "Some messages took far longer than most, up to ");
	ask_text_duration(out, worst->after.max);
	mer_str_puts(out, " (");
	put_name(out, name_of(l, worst->link->from));
	mer_str_puts(out, " to ");
	put_name(out, name_of(l, worst->link->to));
	mer_str_puts(out,
		"). There are no message inversions, so this is real latency, not a clock error.");
}

static void put_hints(const struct latencies *l, struct mer_str *out, bool inversions)
{
	struct mer_str line = { 0 };
	unsigned n = 0;
	for (size_t i = 0; i <= l->n && n < HINTS; i++) {
		mer_str_clear(&line);
		if (i == l->n && !inversions)
			put_spikes(l, &line);
		else if (i < l->n &&
			 (l->rows[i].link->from < l->rows[i].link->to || !opposite(l, &l->rows[i])))
			put_hint(l, &l->rows[i], &line);
		if (!line.len)
			continue;
		mer_str_puts(out, n++ ? "" : "\n");
		ask_text_wrap(out, line.data, (size_t)ask_width(l->s->ask), 0);
	}
	out->failed |= line.failed;
	mer_str_fini(&line);
}

static void put_text(const struct latencies *l, struct mer_str *out)
{
	uint64_t n = 0, before = 0, after = 0, loops = 0;
	struct mer_table t;
	struct mer_str line = { 0 };
	for (size_t i = 0; i < l->n; i++) {
		const struct direction *d = &l->rows[i];
		if (is_loopback(d)) {
			loops += d->after.n;
			continue;
		}
		n += d->after.n;
		before += d->before.n_inversions;
		after += d->after.n_inversions;
	}
	if (n)
		ask_text_count(&line, (int64_t)n);
	mer_str_puts(&line, n ? mer_plural(n, " message between hosts", " messages between hosts")
			      : "No messages between hosts");
	if (loops) {
		mer_str_puts(&line, ", ");
		ask_text_count(&line, (int64_t)loops);
		mer_str_puts(&line, " from a host to itself");
	}
	if (n) {
		mer_str_puts(&line, "; message inversions: ");
		ask_text_count(&line, (int64_t)before);
		mer_str_puts(&line, " as recorded");
	}
	if (n && !l->unchanged) {
		mer_str_puts(&line, ", ");
		ask_text_count(&line, (int64_t)after);
		mer_str_puts(&line, " as synchronized");
	}
	if (!n && l->s->e->n_hosts < 2)
		mer_str_puts(&line, ": the traces are of one host");
	mer_str_putc(&line, '.');
	ask_text_wrap(out, line.data ? line.data : "", (size_t)ask_width(l->s->ask), 0);
	out->failed |= line.failed;
	mer_str_fini(&line);
	if (!l->n) /* no heading over nothing */
		return;
	mer_str_putc(out, '\n');
	fill_brief(l, &t, after > 0);
	size_t all = t.n_rows, limit = l->v->limit ? l->v->limit : 2 * SCREENFUL;
	t.n_rows = all < limit ? all : limit;
	ask_table_text(
		&t, out, (size_t)ask_width(l->s->ask), l->s->ask->bold_out, l->s->ask->ascii);
	if (all > limit)
		mer_str_printf(out, "... and %zu more (-n 0 shows all)\n", all - limit);
	out->failed |= t.failed;
	mer_table_fini(&t);
	put_hints(l, out, after > 0);
	if (after && !l->unchanged)
		ask_sync_advice(l->s, out);
}

/* ---- Single messages ---- */

struct message {
	int64_t start, end;
	const struct sync_link *link;
	size_t number; /* in the link */
};

static int compare_hosts(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_start(const void *a, const void *b)
{
	const struct message *p = a, *q = b;
	int c = compare_times(p->start, q->start);
	if (!c)
		c = compare_hosts(p->link->from, q->link->from);
	if (!c)
		c = compare_hosts(p->link->to, q->link->to);
	return c ? c : (p->number > q->number) - (p->number < q->number);
}

static int by_end(const void *a, const void *b)
{
	int c = compare_times(((const struct message *)a)->end, ((const struct message *)b)->end);
	return c ? c : by_start(a, b);
}

/* The longest first. */
static int by_duration(const void *a, const void *b)
{
	const struct message *p = a, *q = b;
	int c = compare_times(sync_sub(q->end, q->start), sync_sub(p->end, p->start));
	return c ? c : by_start(a, b);
}

static int by_from(const void *a, const void *b)
{
	int c = compare_hosts(
		((const struct message *)a)->link->from, ((const struct message *)b)->link->from);
	return c ? c : by_start(a, b);
}

static int by_to(const void *a, const void *b)
{
	int c = compare_hosts(
		((const struct message *)a)->link->to, ((const struct message *)b)->link->to);
	return c ? c : by_start(a, b);
}

static const struct order {
	const char *word, *key, *heading; /* of --sort; of the column */
	int (*compare)(const void *, const void *);
} orders[] = {
	{ "start", "start", "Sent", by_start },
	{ "end", "end", "Received", by_end },
	{ "duration", "duration_ns", "Took", by_duration },
	{ "from", "from", "From", by_from },
	{ "to", "to", "To", by_to },
};

/* --sort: the key of a column or its heading. */
static int understand_sort(struct ask *ask, struct latencies *l)
{
	const char *word = l->v->sort;
	l->order = orders;
	if (!word)
		return 0;
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (mer_same_word(word, orders[i].word) || mer_same_word(word, orders[i].key) ||
			mer_same_word(word, orders[i].heading)) {
			l->order = &orders[i];
			return 0;
		}
	return mer_fail(&ask->err, MER_ERR_USAGE, "--sort: '%.100s' is none of %s", word, SORTS);
}

/* malloc'ed and sorted; NULL: no memory. */
static struct message *list_messages(const struct latencies *l, size_t *n)
{
	size_t all = 0, k = 0;
	for (size_t i = 0; i < l->n; i++)
		all += l->rows[i].link->n;
	struct message *m = calloc(all + 1, sizeof(*m));
	for (size_t i = 0; m && i < l->n; i++) {
		const struct sync_link *link = l->rows[i].link;
		for (size_t e = 0; e < link->n; e++)
			m[k++] = (struct message){
				ask_sync_time(l->s, link->from, link->messages[e].sent),
				ask_sync_time(l->s, link->to, link->messages[e].received), link, e
			};
	}
	*n = all;
	if (m && all)
		qsort(m, all, sizeof(*m), l->order->compare);
	for (size_t i = 0; m && l->v->reverse && i < all / 2; i++) {
		struct message swap = m[i];
		m[i] = m[all - 1 - i];
		m[all - 1 - i] = swap;
	}
	return m;
}

enum { START, DURATION, FROM, TO, KIND, END, N_MESSAGE };
static const struct mer_column message_columns[N_MESSAGE + 1] = {
	[START] = { "start", "Sent", MER_DATE },
	[DURATION] = { "duration_ns", "Took", MER_DURATION },
	[FROM] = { "from", "From", MER_TEXT },
	[TO] = { "to", "To", MER_TEXT },
	[KIND] = { "kind", "Kind", MER_TEXT },
	[END] = { "end", NULL, MER_DATE },
};

struct messages {
	const struct latencies *l;
	struct message *all;
	size_t n, next; /* to be shown; how many were */
};

/* Adds at most so many of the next ones. */
static void add_messages(struct messages *m, struct mer_table *t, size_t most)
{
	for (size_t end = m->n - m->next < most ? m->n : m->next + most; m->next < end; m->next++) {
		const struct message *x = &m->all[m->next];
		const struct sync_link *k = x->link;
		enum sync_kind kind = k->kinds ? (enum sync_kind)k->kinds[x->number] : SYNC_TCP;
		mer_table_add(t, (struct mer_cell[N_MESSAGE]){
					 [START] = MER_INT(x->start),
					 [DURATION] = MER_INT(sync_sub(x->end, x->start)),
					 [FROM] = mer_text(name_of(m->l, k->from)),
					 [TO] = mer_text(name_of(m->l, k->to)),
					 [KIND] = mer_text(sync_kind_name(kind)),
					 [END] = MER_INT(x->end),
				 });
	}
}

static int more_messages(void *ctx, struct mer_table *t, struct mer_err *err)
{
	enum { PART = 4096 };
	(void)err;
	add_messages(ctx, t, PART);
	return 0;
}

static void put_messages_text(struct messages *m, size_t all, struct mer_str *out)
{
	const struct ask_sync *s = m->l->s;
	struct mer_table t;
	mer_table_init(&t, "messages", NULL, message_columns, NULL);
	add_messages(m, &t, m->n);
	ask_table_text(&t, out, (size_t)ask_width(s->ask), s->ask->bold_out, s->ask->ascii);
	out->failed |= t.failed;
	if (!all)
		mer_str_printf(out, "No messages between hosts%s.\n",
			s->e->n_hosts < 2 ? ": the traces are of one host" : "");
	if (all > m->n)
		mer_str_printf(out, "... and %zu more (-n 0 shows all)\n", all - m->n);
	mer_table_fini(&t);
}

static int print_messages(const struct latencies *l)
{
	struct ask *ask = l->s->ask;
	bool people = ask->format == ASK_FORMAT_TABLE;
	struct messages m = { .l = l };
	size_t all;
	m.all = list_messages(l, &all);
	if (!m.all)
		return mer_fail_nomem(&ask->err);
	m.n = l->v->limit ? l->v->limit : people ? SCREENFUL : all;
	m.n = m.n < all ? m.n : all;
	int rc = 0;
	if (people) {
		struct mer_str out = { 0 };
		put_messages_text(&m, all, &out);
		rc = ask_put(ask, &out, 0);
	} else {
		struct answer a;
		ask_sync_answer_init(l->s, &a);
		answer_stream(&a, "messages", "Messages", message_columns, more_messages, &m);
		ask_sync_add_clocks(l->s->result, &a);
		rc = ask_answer_print(ask, &a);
		answer_fini(&a);
	}
	free(m.all);
	return rc;
}

static int print_statistics(const struct latencies *l)
{
	struct ask *ask = l->s->ask;
	struct mer_str out = { 0 };
	struct answer a;
	if (ask->format == ASK_FORMAT_TABLE) {
		put_text(l, &out);
		return ask_put(ask, &out, 0);
	}
	ask_sync_answer_init(l->s, &a);
	add_exact(l, &a);
	ask_sync_add_clocks(l->s->result, &a);
	int rc = ask_answer_print(ask, &a);
	answer_fini(&a);
	return rc;
}

void ask_latency_tables(struct answer *a)
{
	const struct values all = { .limit = 0 };
	add_exact(&(struct latencies){ .v = &all }, a);
}

void ask_latency_messages_tables(struct answer *a)
{
	answer_add(a, "messages", "Messages", message_columns);
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct ask_sync s;
	struct latencies l = { .s = &s, .v = v };
	int rc = understand_sort(ask, &l);
	if (rc)
		return rc;
	rc = ask_sync_open(ask, &v->sync, &s);
	l.unchanged = s.result && s.result->method == SYNC_NONE;
	if (!rc)
		rc = measure(&l);
	if (!rc && v->plot)
		rc = ask_sync_plot_latency(&s, v->plot);
	if (!rc)
		rc = v->messages ? print_messages(&l) : print_statistics(&l);
	ask_sync_close(&s);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	{ .name = "messages",
		.letter = 'm',
		.kind = ASK_FLAG,
		.help = "list each message instead of statistics",
		.offset = AT(messages) },
	{ .name = "sort",
		.kind = ASK_TEXT,
		.arg = "BY",
		.choices = SORTS,
		.help = "by start, end, duration (longest first), from or to",
		.offset = AT(sort) },
	{ .name = "reverse",
		.letter = 'r',
		.kind = ASK_FLAG,
		.help = "in the opposite order",
		.offset = AT(reverse) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_LIMIT,
		.arg = "N",
		.help = "at most N rows",
		.offset = AT(limit) },
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "draw them, before and after, as SVG (-: that alone)",
		.offset = AT(plot) },
	{ .name = "method",
		.kind = ASK_TEXTS,
		.choices = "auto|hull|offset|realtime|none",
		.arg = "METHOD",
		.help = "synchronization method, as for 'meridian sync'",
		.offset = AT(sync.methods) },
	{ .name = "offset",
		.kind = ASK_TEXTS,
		.arg = "HOST=T",
		.help = "add time T to the offset found for HOST: vm1=-5us",
		.offset = AT(sync.offsets) },
	{ .name = "pairs",
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "message events of your own programs, declared in FILE",
		.offset = AT(sync.pairs) },
	{ 0 },
};

const struct ask_verb ask_verb_latency = {
	.name = "latency",
	.help = "one-way latency of messages between hosts",
	.synopsis = "[OPTION...] TRACE...",
	.description = "Matches the packets that each host sent with those that another host received, and "
		       "shows the one-way latency for each pair of hosts and direction, with aligned "
		       "clocks (with --sync none: clocks as recorded).",
	.more = "Inversions counts messages that were received before they were sent. When both "
		"directions have such messages, the clocks moved against each other; a positive "
		"spike in one direction is a message that really took long. Messages from a "
		"host to itself have their own rows, which show the cost of the network stack "
		"alone.\n\n"
		"--begin and --end are times of each host's own clock, or count from the start "
		"of its traces. --host chooses messages from or to these hosts.",
	.formats = "table|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_TIME | ASK_USES_MARKS | ASK_USES_HOST | ASK_USES_SYNC | ASK_USES_JOBS |
		ASK_USES_INPUT | ASK_USES_TABLES | ASK_USES_KEPT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian latency client/ server/",
			"Show minimum, mean and maximum for each direction." },
		{ "meridian latency -m --sort duration -n 5 client/ server/",
			"Show the five messages that took longest." },
	},
	.run = run,
};
