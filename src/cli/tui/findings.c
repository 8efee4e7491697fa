/* The first page: why slow requests are slow, then the summary as the program prints it: requests,
 * findings, each with a way to the place that shows it, load of hosts, users, waits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "ask/print/text.h"
#include "cli/tui/model.h"

enum { REQUESTS, FINDINGS, HOSTS, IO, TOP, WAITS, N };
static const char *const ids[N] = { "requests", "findings", "hosts", "io", "top", "waits" };
enum { MOST_KINDS = 8 }; /* of requests: findings are on the first screen, too */

void tui_findings_command(struct tui *t, struct tui_words *w)
{
	tui_word(w, "summary");
	tui_word(w, "--limit");
	tui_word(w, "0");
	tui_range_words(t, tui_selected(t), w);
}

/* "24 slow requests (mean 101 ms)" */
static void put_compared(struct mer_str *out, const struct mer_table *groups, const char *which,
	const char *one, const char *many)
{
	char key[64];
	int64_t n = 0, ns = 0;
	snprintf(key, sizeof(key), "%s_count", which);
	answer_int(groups, 0, key, &n);
	snprintf(key, sizeof(key), "%s_mean_ns", which);
	answer_int(groups, 0, key, &ns);
	mer_str_printf(
		out, "%" PRId64 " %s %s (mean ", n, which, mer_plural((uint64_t)n, one, many));
	ask_text_duration(out, ns);
	mer_str_putc(out, ')');
}

/* "load -> web:80 nginx: 24 slow requests (mean 101 ms), 26 typical ones (mean 32.3 ms)" */
static void note_compared(struct tui *t, const struct mer_table *groups)
{
	const char *kind = answer_text(groups, 0, "kind");
	struct mer_str text = { 0 };
	if (!kind)
		return;
	mer_str_printf(&text, "%s: ", kind);
	put_compared(&text, groups, "slow", "request", "requests");
	mer_str_puts(&text, ", ");
	put_compared(&text, groups, "typical", "one", "ones");
	if (text.data && !text.failed)
		snprintf(t->compared, sizeof(t->compared), "%s", text.data);
	mer_str_fini(&text);
}

/* Why slow requests are slow, where that says more than the findings do: as the browser's page
 * begins (views/answer.tsx). The first group and the first cause cost most. */
static void ask_why(struct tui *t, struct mer_arena *arena)
{
	enum { LEAST_SLOW = 5 };
	const double least_share = 0.2;
	struct tui_answer a;
	struct tui_words w = { .arena = arena };
	int64_t n = 0;
	double share = 0;
	tui_word(&w, "requests");
	tui_word(&w, "--explain");
	tui_range_words(t, tui_selected(t), &w);
	tui_ask(t->source, &w, &a);
	const struct mer_table *groups = tui_table(&a, "groups");
	if (answer_int(groups, 0, "slow_count", &n) && n >= LEAST_SLOW &&
		answer_real(tui_table(&a, "causes"), 0, "percent", &share) &&
		share >= least_share && share <= 1) {
		const char *sentence = answer_text(groups, 0, "sentence");
		snprintf(t->headline, sizeof(t->headline), "%s", sentence ? sentence : "");
		note_compared(t, groups);
	}
	tui_answer_fini(&a);
}

static void ask_for(struct tui *t)
{
	struct mer_arena arena;
	struct tui_range r = tui_selected(t);
	if (t->home_range.begin == r.begin && t->home_range.end == r.end)
		return;
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	tui_findings_command(t, &w);
	tui_answer_fini(&t->summary);
	tui_ask(t->source, &w, &t->summary);
	for (size_t i = 0; i < N; i++) {
		t->home[i] = tui_table(&t->summary, ids[i]);
		if (t->home[i] && !tui_sheet_prepare(t->home[i], NULL))
			t->home[i] = NULL;
	}
	t->headline[0] = t->compared[0] = '\0';
	if (answer_rows(t->home[REQUESTS]))
		ask_why(t, &arena);
	mer_arena_fini(&arena);
	t->home_range = r;
	t->home_row = 0;
}

/* ---- Rows, one after the other ---- */

static size_t n_rows_of(const struct tui *t, size_t section)
{
	size_t n = answer_rows(t->home[section]);
	return section == REQUESTS && n > MOST_KINDS ? MOST_KINDS : n;
}

static size_t n_rows(const struct tui *t)
{
	size_t n = 0;
	for (size_t i = 0; i < N; i++)
		n += n_rows_of(t, i);
	return n;
}

static bool row_at(const struct tui *t, size_t at, size_t *section, size_t *row)
{
	for (size_t i = 0; i < N; i++) {
		if (at < n_rows_of(t, i)) {
			*section = i;
			*row = at;
			return true;
		}
		at -= n_rows_of(t, i);
	}
	return false;
}

/* ---- Places ---- */

/* The longest wait of the kind that a finding is about, as the browser's page has it. */
static bool show_wait(struct tui *t, const char *rule, const char *host)
{
	static const struct {
		const char *rule, *cause;
	} causes[] = { { "cpu-queue", "runnable" }, { "network-latency", "network" },
		{ "disk-waits", "disk" }, { "scheduling-latency", "runnable" },
		{ "lock-waits", "futex" }, { "futex-waits", "futex" } };
	const char *cause = NULL;
	const struct mer_table *waits = t->home[WAITS];
	for (size_t i = 0; rule && i < sizeof(causes) / sizeof(*causes); i++)
		if (strcmp(rule, causes[i].rule) == 0)
			cause = causes[i].cause;
	for (size_t r = 0; cause && host && r < answer_rows(waits); r++) {
		const char *own = answer_text(waits, r, "cause"),
			   *of = answer_text(waits, r, "host");
		int64_t at, ns, tid;
		if (!own || !of || strcmp(own, cause) != 0 || strcmp(of, host) != 0 ||
			!answer_int(waits, r, "max_at", &at) ||
			!answer_int(waits, r, "max_ns", &ns) || !answer_int(waits, r, "tid", &tid))
			continue;
		tui_show_place(t, tui_tree_task(&t->tree, host, tid, at), at, tui_after(at, ns));
		return true;
	}
	return false;
}

static void show_host(struct tui *t, const char *host)
{
	for (size_t i = 0; i < t->tree.n_rows; i++)
		if (t->tree.rows[i].kind == TUI_ROW_HOST &&
			t->tree.rows[i].host == tui_tree_host(&t->tree, host))
			t->row = i;
	tui_go(t, TUI_PAGE_TIMELINE);
}

/* The first row of the longest ones, where the command of a finding is of an analysis. */
static bool show_longest(struct tui *t, const struct tui_words *next, const char *host)
{
	struct mer_arena arena;
	struct tui_answer a;
	int64_t begin = 0, length = 0, tid = -1;
	bool is_of_analysis =
		next->n > 1 &&
		(strcmp(next->at[0], "stats") == 0 || strcmp(next->at[0], "top") == 0) &&
		next->at[1][0] != '-';
	if (!is_of_analysis || !host)
		return false;
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	tui_word(&w, "top");
	tui_word(&w, next->at[1]);
	tui_word(&w, "--host");
	tui_word(&w, host);
	tui_word(&w, "--limit");
	tui_word(&w, "1");
	tui_range_words(t, tui_selected(t), &w);
	const struct mer_table *longest =
		tui_ask(t->source, &w, &a) && a.tables->n ? a.tables->tables[0].table : NULL;
	bool found = answer_int(longest, 0, "begin", &begin);
	if (found) {
		if (!answer_int(longest, 0, "duration_ns", &length))
			answer_int(longest, 0, "latency_ns", &length);
		answer_int(longest, 0, "tid", &tid);
		size_t task = tid > 0 ? tui_tree_task(&t->tree, host, tid, begin) : SIZE_MAX;
		if (task == SIZE_MAX)
			show_host(t, host);
		tui_show_place(t, task, begin, tui_after(begin, length));
	}
	tui_answer_fini(&a);
	mer_arena_fini(&arena);
	return found;
}

/* Opens the table that the command of a row prints; false: it is none of the list. */
static bool open_command(struct tui *t, const struct tui_words *w)
{
	const char *analysis = w->n > 1 && w->at[1][0] != '-' ? w->at[1] : NULL;
	const struct ask_question *e = w->n ? tui_entry_find(t, w->at[0], analysis, NULL) : NULL;
	if (!e)
		return false;
	size_t first = analysis ? 2 : 1;
	const char *extra[TUI_EXTRA + 1] = { NULL };
	for (size_t i = first; i < w->n && i - first < TUI_EXTRA; i++) {
		if (w->at[i][0] == '-' && w->at[i][1] != '-')
			return false; /* such as -n 0 */
		extra[i - first] = w->at[i];
	}
	tui_table_open(t, e, extra, false);
	return true;
}

static void open_row(struct tui *t)
{
	size_t section, row;
	struct mer_arena arena;
	if (!row_at(t, t->home_row, &section, &row))
		return;
	const struct mer_table *s = t->home[section];
	const char *host = answer_text(s, row, "host"), *rule = answer_text(s, row, "rule");
	const char *next = answer_text(s, row, "next");
	int64_t tid, at, ns;
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	tui_words_of(&w, next ? next : "", t->traces, t->n_traces);
	bool has_tid = host && answer_int(s, row, "tid", &tid);
	if (section == WAITS && has_tid && answer_int(s, row, "max_at", &at) &&
		answer_int(s, row, "max_ns", &ns))
		tui_show_place(t, tui_tree_task(&t->tree, host, tid, at), at, tui_after(at, ns));
	else if (section == REQUESTS && answer_text(s, row, "kind"))
		tui_table_open(t, tui_entry_find(t, "requests", NULL, "--list"),
			(const char *const[]){ "--kind", answer_text(s, row, "kind"), NULL },
			false);
	else if (section == TOP && has_tid)
		tui_show_place(t, tui_tree_task(&t->tree, host, tid, t->at), INT64_MIN, 0);
	else if (show_wait(t, rule, host) || show_longest(t, &w, host) || open_command(t, &w))
		;
	else if (host && tui_tree_host(&t->tree, host) != SIZE_MAX)
		show_host(t, host);
	else if (next)
		tui_say(t, "%s", next);
	else
		tui_say(t, "this row has no place in the timeline");
	mer_arena_fini(&arena);
}

bool tui_findings_key(struct tui *t, uint32_t key)
{
	size_t n = n_rows(t), step = key == TUI_KEY_PAGE_DOWN || key == TUI_KEY_PAGE_UP ? 8 : 1;
	switch (key) {
	case TUI_KEY_DOWN:
	case TUI_KEY_PAGE_DOWN:
		t->home_row = t->home_row + step < n ? t->home_row + step : n ? n - 1 : 0;
		break;
	case TUI_KEY_UP:
	case TUI_KEY_PAGE_UP: t->home_row -= t->home_row < step ? t->home_row : step; break;
	case TUI_KEY_HOME: t->home_row = 0; break;
	case TUI_KEY_END: t->home_row = n ? n - 1 : 0; break;
	case TUI_KEY_ENTER: open_row(t); break;
	default: return false;
	}
	return true;
}

/* ---- Drawing: lines are numbered, those from home_top on are seen ---- */

struct pen {
	struct tui *t;
	struct tui_cells *c;
	int line;     /* of all */
	bool dry;     /* only counts: where is the selected row? */
	int from, to; /* lines of the selected row */
};

static int y_of(const struct pen *p)
{
	int y = p->line - (int)p->t->home_top;
	bool seen = !p->dry && y >= 0 && y < tui_body(p->c) + 1;
	return seen ? TUI_TOP + y : -1;
}

static void put_line(struct pen *p, unsigned style, int x, const char *text)
{
	if (y_of(p) >= 0)
		tui_put(p->c, x, y_of(p), p->c->w - x, style, text);
	p->line++;
}

static void draw_clocks(struct pen *p)
{
	struct tui *t = p->t;
	char text[400];
	size_t n = t->tree.n_hosts;
	int len = snprintf(text, sizeof(text), "%zu host%s", n, n == 1 ? "" : "s");
	if (t->n_unsynchronized > 0)
		snprintf(text + len, sizeof(text) - (size_t)len,
			": clocks not aligned; times of hosts cannot be compared");
	else if (n > 1 && t->reference[0])
		snprintf(text + len, sizeof(text) - (size_t)len, " on the clock of %s",
			t->reference);
	put_line(p, t->n_unsynchronized > 0 ? TUI_ERROR : TUI_DIM, 0, text);
}

/* A paragraph, wrapped; further lines are indented. */
static void put_paragraph(struct pen *p, unsigned style, const char *what, size_t len)
{
	struct mer_str clean = { 0 }, wrapped = { 0 };
	ask_text_clean(&clean, what, len, false);
	ask_text_wrap(&wrapped, clean.data ? clean.data : "", (size_t)p->c->w - 4, 0);
	for (char *line = wrapped.data, *end; line && *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		else
			end = line + strlen(line);
		if ((style & TUI_REVERSE) && y_of(p) >= 0)
			tui_fill(p->c, 0, y_of(p), p->c->w, TUI_REVERSE, ' ');
		put_line(p, style, line == wrapped.data ? 1 : 3, line);
	}
	mer_str_fini(&clean);
	mer_str_fini(&wrapped);
}

static void draw_finding(struct pen *p, size_t row, bool is_selected)
{
	const struct mer_table *s = p->t->home[FINDINGS];
	const char *host = answer_text(s, row, "host"), *what = answer_text(s, row, "finding");
	struct mer_str text = { 0 };
	mer_str_printf(&text, "%s%s%s", host ? host : "", host ? ": " : "", what ? what : "");
	if (text.data)
		put_paragraph(p, is_selected ? TUI_REVERSE : TUI_PLAIN, text.data, text.len);
	mer_str_fini(&text);
}

/* Losses, damage, doubts: what makes the figures less than whole. */
static void draw_diagnostics(struct pen *p)
{
	const struct answer *a = p->t->summary.tables;
	size_t n = a && a->found ? a->found->n : 0, shown = 0;
	for (size_t i = 0; i < n; i++) {
		const struct mer_diag *d = &a->found->rows[i];
		if (d->severity == MER_NOTE)
			continue;
		if (!shown++) {
			put_line(p, TUI_PLAIN, 0, "");
			put_line(p, TUI_BOLD, 0, "Losses and damage");
		}
		struct mer_str text = { 0 };
		mer_str_printf(
			&text, "%s%s%s", d->host ? d->host : "", d->host ? ": " : "", d->message);
		if (text.data)
			put_paragraph(p, TUI_ERROR, text.data, text.len);
		mer_str_fini(&text);
	}
}

static void draw_section(struct pen *p, size_t section, size_t *number)
{
	struct tui *t = p->t;
	const struct mer_table *s = t->home[section];
	struct tui_layout l;
	size_t n = n_rows_of(t, section), all = answer_rows(s);
	if (!n && section != FINDINGS)
		return;
	put_line(p, TUI_PLAIN, 0, "");
	put_line(p, TUI_BOLD, 0,
		section == FINDINGS ? "Findings"
		: s->title	    ? s->title
				    : ids[section]);
	if (!n)
		put_line(p, TUI_PLAIN, 1,
			t->summary.why.text[0] ? t->summary.why.text : "Nothing stands out.");
	if (section != FINDINGS) {
		tui_layout(s, 0, p->c->w - 1, t->ascii, &l);
		if (y_of(p) >= 0)
			tui_draw_heads(s, &l, p->c, y_of(p), NULL, false);
		p->line++;
	}
	for (size_t row = 0; row < n; row++, ++*number) {
		bool is_selected = *number == t->home_row;
		p->from = is_selected ? p->line : p->from;
		if (section == FINDINGS) {
			draw_finding(p, row, is_selected);
		} else {
			if (y_of(p) >= 0) {
				tui_draw_row(s, &l, p->c, y_of(p), row, TUI_PLAIN);
				if (is_selected)
					tui_restyle(p->c, 0, y_of(p), p->c->w, TUI_REVERSE);
			}
			p->line++;
		}
		p->to = is_selected ? p->line : p->to;
	}
	if (n < all) {
		char more[80];
		snprintf(more, sizeof(more), "... and %zu more: t lists tables", all - n);
		put_line(p, TUI_DIM, 0, more);
	}
}

static void draw_all(struct pen *p)
{
	size_t number = 0;
	draw_clocks(p);
	if (p->t->headline[0]) {
		put_line(p, TUI_PLAIN, 0, "");
		put_paragraph(p, TUI_BOLD, p->t->headline, strlen(p->t->headline));
		put_paragraph(p, TUI_DIM, p->t->compared, strlen(p->t->compared));
	}
	for (size_t i = 0; i < N; i++)
		draw_section(p, i, &number);
	draw_diagnostics(p);
}

void tui_findings_draw(struct tui *t, struct tui_cells *c)
{
	ask_for(t);
	struct pen p = { .t = t, .c = c, .dry = true };
	int room = tui_body(c) + 1;
	draw_all(&p);
	int top = (int)t->home_top;
	top = p.from < top ? p.from : top;
	top = p.to > top + room ? p.to - room : top;
	t->home_top = t->home_row == 0 ? 0 : (size_t)(top > 0 ? top : 0);
	p = (struct pen){ .t = t, .c = c };
	draw_all(&p);
}
