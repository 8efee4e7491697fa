/* The path as a list in the order of time, folded so that it fits a screen.
 *
 * Its pieces are a tree: what a task did, and in place of each of its waits what was waited for,
 * one level deeper. Pieces (whole waits too) below the threshold that follow one another on a level
 * become one line. Lines are contiguous ranges of segments: every segment is in exactly one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf.h"
#include "ask/path/path_print.h"
#include "ask/path/path_words.h"
#include "ask/print/text.h"

enum {
	LINES = 36,	 /* that the list has at most when nobody asked for a threshold */
	MAX_DEPTH = 100, /* of the tree; deeper pieces are one line */
	MAX_INDENT = 6,
	NAMED = 3 /* causes that a folded line names */
};

struct line {
	size_t first, end; /* segments */
	size_t main;	   /* the one that the line is about; with others only folded into it */
	uint32_t depth;
	bool folded;
};

struct list {
	const struct ask_path *c;
	const struct path *p;
	int64_t threshold;
	int64_t longest; /* that a folded line may be */
	struct line *lines;
	size_t n, cap;
	bool failed, hosts;
};

static int64_t length(const struct path *p, size_t first, size_t end)
{
	return p->segments[end - 1].end - p->segments[first].begin;
}

static void add_line(struct list *l, size_t first, size_t end, uint32_t depth)
{
	if (first == end)
		return;
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct line *more = reallocarray(l->lines, cap, sizeof(*more));
		if (!more) {
			l->failed = true;
			return;
		}
		l->lines = more;
		l->cap = cap;
	}
	l->lines[l->n++] = (struct line){ first, end, first, depth, end - first > 1 };
}

/* Where the piece of a level that begins here ends: a segment, or a whole wait. */
static size_t piece_end(const struct path *p, size_t i, size_t end, uint32_t depth)
{
	size_t k = i + 1;
	if (p->segments[i].depth > depth)
		while (k < end && p->segments[k].depth > depth)
			k++;
	return k;
}

static void add_lines(struct list *l, size_t begin, size_t end, uint32_t depth)
{
	size_t pending = begin;
	for (size_t i = begin; i < end;) {
		size_t next = piece_end(l->p, i, end, depth);
		if (length(l->p, i, next) >= l->threshold) {
			add_line(l, pending, i, depth);
			if (next - i == 1 || depth >= MAX_DEPTH)
				add_line(l, i, next, l->p->segments[i].depth);
			else
				add_lines(l, i, next, depth + 1);
			pending = next;
		} else if (pending < i && length(l->p, pending, next) > l->longest) {
			add_line(l, pending, i, depth);
			pending = i;
		}
		i = next;
	}
	add_line(l, pending, end, depth);
}

static bool same_task(const struct path_segment *a, const struct path_segment *b)
{
	return a->host == b->host && a->task == b->task && a->depth == b->depth;
}

/* The same again, as far as a reader cares. */
static bool same_doing(
	const struct path *p, const struct path_segment *a, const struct path_segment *b)
{
	return same_task(a, b) && path_same_user_state(p, a, b) && a->cause == b->cause &&
	       a->state == b->state && a->call == b->call && a->in_flight == b->in_flight &&
	       (a->cause != PATH_RUNNABLE || a->by == b->by) &&
	       (a->cause != PATH_STOLEN || a->source == b->source);
}

/* A task that does the same before and after something short: one line, with what was between. */
static void join_lines(struct list *l)
{
	size_t kept = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct line *next = &l->lines[i];
		struct line *a = kept ? &l->lines[kept - 1] : NULL;
		struct line *b = kept > 1 ? &l->lines[kept - 2] : NULL;
		const struct path_segment *s = l->p->segments;
		if (a && !next->folded && !a->folded &&
			same_doing(l->p, &s[a->main], &s[next->main])) {
			a->end = next->end;
			continue;
		}
		/* b, then a, which is short, then the same as b. */
		if (b && !next->folded && same_doing(l->p, &s[b->main], &s[next->main]) &&
			!b->folded && length(l->p, a->first, a->end) < l->threshold) {
			b->end = next->end;
			kept--;
			continue;
		}
		l->lines[kept++] = *next;
	}
	l->n = kept;
}

static void make_lines(struct list *l)
{
	l->n = 0;
	add_lines(l, 0, l->p->n_segments, 0);
	if (l->threshold > 0)
		join_lines(l);
}

/* From a thousandth of the whole upwards, until it fits. */
static void find_threshold(struct list *l)
{
	int64_t total = l->p->end - l->p->begin;
	l->threshold = total / 1000;
	l->longest = total / 8; /* what happened when is to be seen */
	if (l->p->n_segments <= LINES)
		l->threshold = 0;
	make_lines(l);
	for (int i = 0; i < 64 && l->n > LINES && !l->failed; i++) {
		l->threshold += l->threshold * 2 / 5 + 1;
		make_lines(l);
	}
}

/* ---- What is in a line ---- */

struct share { /* of a folded line */
	uint64_t key;
	size_t example; /* segment */
	int64_t ns;
};

enum { SHARES = 64 }; /* told apart in a line; the rest is not named */

static void add_share(struct share *shares, size_t *n, uint64_t key, size_t example, int64_t ns)
{
	size_t i = 0;
	while (i < *n && shares[i].key != key)
		i++;
	if (i == SHARES)
		return;
	if (i == *n)
		shares[(*n)++] = (struct share){ key, example, 0 };
	shares[i].ns += ns;
}

static int by_time(const void *a, const void *b)
{
	const struct share *p = a, *q = b;
	if (p->ns != q->ns)
		return p->ns > q->ns ? -1 : 1;
	return p->example < q->example ? -1 : p->example > q->example;
}

static uint64_t task_key(const struct path_segment *s)
{
	return (uint64_t)s->host << 32 | s->task;
}

/* Shares of a range by task, and by cause, the greatest first. */
static size_t share_range(
	const struct list *l, const struct line *line, bool tasks, struct share *shares)
{
	size_t n = 0;
	for (size_t i = line->first; i < line->end; i++) {
		const struct path_segment *s = &l->p->segments[i];
		if (tasks && s->in_flight && n)
			continue; /* nobody's time */
		add_share(shares, &n, tasks ? task_key(s) : s->cause, i, s->end - s->begin);
	}
	qsort(shares, n, sizeof(*shares), by_time);
	return n;
}

static void put_who(
	const struct list *l, const struct line *line, struct mer_str *host, struct mer_str *out)
{
	struct share shares[SHARES];
	const struct path_segment *s = &l->p->segments[line->main];
	size_t n = 1;
	if (line->folded) {
		n = share_range(l, line, true, shares);
		s = &l->p->segments[shares[0].example];
	}
	mer_str_puts(host, path_host_name(l->p, s->host));
	if (line->folded)
		path_put_task(l->p, s->host, s->task, out);
	else
		path_put_task_state(l->p, s, out);
	if (n > 1)
		mer_str_printf(out, " +%zu%s", n - 1, n == SHARES ? " or more" : "");
}

/* As short as they can be. */
static const char *short_words(enum path_cause cause)
{
	return cause == PATH_RUNNING	   ? "runs"
	       : cause == PATH_INTERRUPTED ? "interrupts"
	       : cause == PATH_RUNNABLE	   ? "runnable"
	       : cause == PATH_STOLEN	   ? "stolen"
	       : cause == PATH_TASK	   ? "a task"
	       : cause == PATH_NEW	   ? "fork"
	       : cause == PATH_BLOCKED	   ? "wait"
	       : cause == PATH_UNKNOWN	   ? "unknown"
					   : path_cause_words(cause);
}

/* "runs 80%, disk 12%, 526 pieces" */
static void put_folded(const struct list *l, const struct line *line, struct mer_str *out)
{
	struct share shares[SHARES];
	size_t n = share_range(l, line, false, shares);
	double whole = (double)length(l->p, line->first, line->end);
	for (size_t i = 0; i < n && i < NAMED; i++) {
		double percent = 100 * (double)shares[i].ns / whole;
		if (i && percent < 5)
			break;
		mer_str_puts(out, i ? ", " : "");
		mer_str_puts(out, short_words((enum path_cause)shares[i].key));
		if (n > 1)
			mer_str_printf(out, " %.0f%%", percent);
	}
	mer_str_printf(out, ", %zu pieces", line->end - line->first);
}

/* Number of the link that leaves each line's last segment; links are in the order of the
 * changes. */
static void put_what(const struct list *l, const struct line *line, const struct path_link *link,
	struct mer_str *out)
{
	if (line->folded) {
		put_folded(l, line, out);
		return;
	}
	path_put_sentence(l->p, &l->p->segments[line->main], out);
	if (line->end - line->first > 1)
		mer_str_printf(out, " (%zu pieces)", line->end - line->first);
	if (link && link->kind != PATH_LINK_NETWORK) {
		struct mer_str text = { 0 };
		path_put_link(l->p, link, l->hosts, &text);
		if (text.len)
			mer_str_printf(out, ", %s", text.data);
		out->failed |= text.failed;
		mer_str_fini(&text);
	}
}

/* ---- Laid out ---- */

struct row {
	struct mer_str host, who, what;
	size_t indent;
};

static void clean(struct mer_str *s)
{
	struct mer_str out = { .failed = s->failed };
	ask_text_clean(&out, s->data ? s->data : "", s->len, false);
	mer_str_fini(s);
	*s = out;
}

static void fill_rows(struct list *l, struct row *rows, size_t n)
{
	const struct path_segment *s = l->p->segments;
	size_t link = 0, i = 0;
	for (size_t k = 0; k < n; k++) {
		const struct path_link *leaves = NULL;
		for (; i < l->lines[k].end; i++) {
			bool change = i + 1 < l->p->n_segments &&
				      (s[i].host != s[i + 1].host || s[i].task != s[i + 1].task);
			leaves = change && link < l->p->n_links ? &l->p->links[link] : NULL;
			link += change;
		}
		put_who(l, &l->lines[k], &rows[k].host, &rows[k].who);
		put_what(l, &l->lines[k], leaves, &rows[k].what);
		clean(&rows[k].host);
		clean(&rows[k].who);
		clean(&rows[k].what);
		rows[k].indent = l->lines[k].depth < MAX_INDENT ? l->lines[k].depth : MAX_INDENT;
	}
}

static void put_padded(struct mer_str *out, const char *text, size_t len, size_t width, bool right)
{
	size_t have = ask_text_width(text, len);
	int gap = have < width ? (int)(width - have) : 0;
	mer_str_printf(out, "%*s", right ? gap : 0, "");
	size_t at = out->len;
	ask_text_shorten(out, text, len, width);
	/* What went at a blank is less than there is room for. */
	have = ask_text_width(out->data ? out->data + at : "", out->len - at);
	gap = have < width ? (int)(width - have) : 0;
	mer_str_printf(out, "%*s", right ? 0 : gap, "");
}

static void put_duration(struct mer_str *out, int64_t ns, size_t width)
{
	struct mer_str text = { 0 };
	ask_text_duration(&text, ns);
	put_padded(out, text.data ? text.data : "", text.len, width, true);
	out->failed |= text.failed;
	mer_str_fini(&text);
}

/* At most width columns; what is too long is cut at its end, where it matters least. */
static void put_cut(struct mer_str *out, const struct mer_str *text, size_t width)
{
	const char *s = text->data ? text->data : "";
	if (ask_text_width(s, text->len) <= width) {
		mer_str_add(out, s, text->len);
		return;
	}
	size_t bytes = 0, columns = 0;
	while (bytes < text->len) {
		size_t n = mer_utf8_length(s + bytes, text->len - bytes);
		if (++columns >= width)
			break;
		bytes += n ? n : 1;
	}
	mer_str_add(out, s, bytes);
	mer_str_puts(out, "\xe2\x80\xa6");
}

static int digits_of(int64_t v)
{
	int n = 1;
	for (; v >= 10; v /= 10)
		n++;
	return n;
}

static size_t width_of(const struct mer_str *s)
{
	return ask_text_width(s->data ? s->data : "", s->len);
}

struct layout { /* widths of columns */
	size_t at, host, who, what;
};

enum { TOOK = 7, GAP = 2 };

static struct layout lay_out(const struct list *l, const struct row *rows, size_t n)
{
	enum { WHO = 30, HOST_LEAST = 8, TASK_LEAST = 12, WHAT_LEAST = 24 };
	size_t width = (size_t)ask_width(l->c->ask), most = WHO;
	enum { TIME_OF_DAY = 15 }; /* 12:34:56.123456 */
	struct layout w = {
		.at = l->c->absolute
			      ? (size_t)TIME_OF_DAY
			      : (size_t)digits_of((l->p->end - l->p->begin) / 1000000000) + 7,
		.host = 0,
		.who = 4
	};
	if (width > 80) /* half of what there is more */
		most += (width - 80) / 2;
	for (size_t k = 0; k < n; k++) {
		size_t host = l->hosts ? width_of(&rows[k].host) : 0;
		size_t who = width_of(&rows[k].who) + rows[k].indent;
		w.host = host > w.host ? host : w.host;
		w.who = who > w.who ? who : w.who;
	}
	if (w.host && w.host < 4)
		w.host = 4;
	/* What is too wide: first the hosts' names, then the tasks'. */
	if (w.host + w.who > most && w.host > HOST_LEAST)
		w.host = most > w.who + HOST_LEAST ? most - w.who : HOST_LEAST;
	if (w.host + w.who > most && w.who > TASK_LEAST)
		w.who = most > w.host + TASK_LEAST ? most - w.host : TASK_LEAST;
	size_t left = w.at + GAP + TOOK + GAP + w.host + (w.host ? GAP : 0) + w.who + GAP;
	w.what = width > left + WHAT_LEAST ? width - left : WHAT_LEAST;
	return w;
}

static void put_begin(
	const struct list *l, const struct line *line, const struct layout *w, struct mer_str *out)
{
	int64_t begin = l->p->segments[line->first].begin, at = begin - l->p->begin;
	struct mer_str text = { 0 };
	if (!l->c->absolute) {
		mer_str_printf(out, "%*" PRId64 ".%06d", (int)w->at - 7, at / 1000000000,
			(int)(at % 1000000000 / 1000));
		return;
	}
	ask_text_clock(&text, begin); /* ends with milliseconds */
	int64_t ns = begin % 1000000;
	mer_str_printf(&text, "%03d", (int)((ns < 0 ? ns + 1000000 : ns) / 1000));
	put_padded(
		out, text.data ? text.data : "", text.len < w->at ? text.len : w->at, w->at, true);
	out->failed |= text.failed;
	mer_str_fini(&text);
}

static void put_rows(const struct list *l, const struct row *rows, size_t n, struct mer_str *out)
{
	struct layout w = lay_out(l, rows, n);
	mer_str_printf(
		out, "%*s  %*s  ", (int)w.at, l->c->absolute ? "Time" : "At (s)", TOOK, "Took");
	if (w.host)
		mer_str_printf(out, "%-*s  ", (int)w.host, "Host");
	mer_str_printf(out, "%-*s  What\n", (int)w.who, "Task");
	for (size_t k = 0; k < n; k++) {
		const struct line *line = &l->lines[k];
		const struct row *r = &rows[k];
		size_t indent = r->indent + 4 < w.who ? r->indent : 0;
		put_begin(l, line, &w, out);
		mer_str_puts(out, "  ");
		put_duration(out, length(l->p, line->first, line->end), TOOK);
		mer_str_puts(out, "  ");
		if (w.host) {
			put_padded(
				out, r->host.data ? r->host.data : "", r->host.len, w.host, false);
			mer_str_puts(out, "  ");
		}
		mer_str_printf(out, "%*s", (int)indent, "");
		put_padded(out, r->who.data ? r->who.data : "", r->who.len, w.who - indent, false);
		mer_str_puts(out, "  ");
		put_cut(out, &r->what, w.what);
		mer_str_putc(out, '\n');
		out->failed |= r->host.failed || r->who.failed || r->what.failed;
	}
}

static void put_hint(const struct list *l, size_t shown, struct mer_str *out)
{
	struct mer_str text = { 0 };
	bool folded = false;
	for (size_t i = 0; i < l->n; i++)
		folded |= l->lines[i].end - l->lines[i].first > 1;
	if (shown < l->n)
		mer_str_printf(out, "... and %zu more (-n 0 shows all)\n", l->n - shown);
	if (!folded)
		return;
	mer_str_puts(&text, "Adjacent pieces shorter than ");
	ask_text_duration(&text, l->threshold);
	mer_str_printf(&text,
		" are folded (+1: including one of another task); --collapse 0 shows all %zu.",
		l->p->n_segments);
	if (!text.failed)
		ask_text_wrap(out, text.data, (size_t)ask_width(l->c->ask), 0);
	out->failed |= text.failed;
	mer_str_fini(&text);
}

int ask_path_list(const struct ask_path *c, struct mer_str *out)
{
	struct list l = { .c = c, .p = c->p, .hosts = ask_path_has_hosts(c->p) };
	struct row *rows = NULL;
	if (c->p->n_segments == 0)
		return 0;
	l.threshold = c->collapse_ns;
	l.longest = INT64_MAX;
	if (c->collapse_ns == ASK_COLLAPSE_AUTO)
		find_threshold(&l);
	else
		make_lines(&l);
	size_t n = c->limit && c->limit < l.n ? c->limit : l.n;
	if (!l.failed)
		rows = calloc(n + 1, sizeof(*rows));
	if (rows) {
		fill_rows(&l, rows, n);
		mer_str_putc(out, '\n');
		put_rows(&l, rows, n, out);
		put_hint(&l, n, out);
	}
	int rc = rows ? 0 : mer_fail_nomem(&c->ask->err);
	for (size_t i = 0; rows && i < n; i++) {
		mer_str_fini(&rows[i].host);
		mer_str_fini(&rows[i].who);
		mer_str_fini(&rows[i].what);
	}
	free(rows);
	free(l.lines);
	return rc;
}
