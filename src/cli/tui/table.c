/* The page of a table: any command of the catalog, of the selected range; what is below a row. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/tui/model.h"

/* ---- Asking ---- */

static bool sorts_itself(const struct ask_question *e)
{
	return e->analysis != NULL;
}

/* A request says itself when it was. */
static bool has_window(const struct tui_question *q)
{
	bool is_request = q->n_extra && strcmp(q->extra[0], "--request") == 0;
	return !is_request &&
	       (q->entry->about == ASK_ABOUT_WINDOW || q->entry->about == ASK_ABOUT_TASK);
}

static void add_command(const struct tui *t, struct tui_words *w)
{
	const struct tui_question *q = &t->question;
	const struct ask_question *e = q->entry;
	tui_word(w, e->verb);
	if (e->analysis)
		tui_word(w, e->analysis->id);
	if (e->table) {
		tui_word(w, "--table");
		tui_word(w, e->table);
	}
	if (e->option)
		tui_word(w, e->option);
	for (size_t i = 0; i < q->n_extra; i++)
		tui_word(w, q->extra[i]);
	if (e->about == ASK_ABOUT_INSTANT) {
		tui_word(w, "--at");
		tui_wordf(w, "%" PRId64, t->at);
	}
	if (e->limit) {
		tui_word(w, "--limit");
		tui_wordf(w, "%" PRIu32, e->limit);
	}
	if (q->filter[0]) {
		tui_word(w, "--filter");
		tui_word(w, q->filter);
	}
	if (sorts_itself(e) && q->sort[0]) {
		tui_word(w, "--sort");
		tui_word(w, q->sort);
	}
	if (has_window(q))
		tui_range_words(t, t->sheet_range, w);
}

/* "--reverse" is the order that a column does not have by itself. */
static void add_order(const struct tui *t, struct tui_words *w)
{
	const struct tui_question *q = &t->question;
	size_t c = q->sort[0] ? mer_table_column(t->sheet, q->sort) : SIZE_MAX;
	if (!sorts_itself(q->entry) || c == SIZE_MAX)
		return;
	enum mer_type type = t->sheet->columns[c].type;
	bool ascends = type == MER_TEXT || type == MER_ID || type == MER_TIME;
	if (q->ascending != ascends)
		tui_word(w, "--reverse");
}

void tui_table_command(struct tui *t, struct tui_words *w)
{
	if (!t->question.entry)
		return;
	add_command(t, w);
	add_order(t, w);
}

/* The table that is shown; false: no memory. */
static bool choose_sheet(struct tui *t)
{
	const struct ask_question *e = t->question.entry;
	const struct answer *a = t->answer.tables;
	t->n_lists = 0;
	while (t->n_lists < ASK_QUESTION_LISTS && e->lists[t->n_lists])
		t->n_lists++;
	t->n_lists = t->n_lists ? t->n_lists : a->n;
	t->question.list = t->question.list < t->n_lists ? t->question.list : 0;
	unsigned list = t->question.list;
	struct mer_table *table = e->lists[0]	      ? answer_find(a, e->lists[list])
				  : list < t->n_lists ? a->tables[list].table
						      : NULL;
	if (table)
		t->sheet = table;
	return !table || tui_sheet_prepare(table, e->analysis ? e->analysis->worth : NULL);
}

static void clamp(struct tui *t)
{
	size_t n = t->sheet->n_rows;
	t->question.row = t->question.row < n ? t->question.row : n ? n - 1 : 0;
}

void tui_table_again(struct tui *t)
{
	struct mer_arena arena;
	if (!t->question.entry)
		return;
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	t->sheet_range = tui_selected(t);
	add_command(t, &w);
	add_order(t, &w); /* by the columns of before: they are the same */
	if (t->question.entry->analysis)
		tui_word(&w, "--leave-out");
	tui_answer_fini(&t->answer);
	t->sheet = &t->no_sheet;
	bool ok = tui_ask(t->source, &w, &t->answer);
	if (ok && !choose_sheet(t))
		mer_fail_nomem(&t->answer.why);
	bool is_path = ok && strcmp(t->question.entry->verb, "path") == 0;
	t->sheet_about.begin = is_path ? t->answer.tables->begin : INT64_MIN;
	t->sheet_about.end = is_path ? t->answer.tables->end : 0;
	if (t->question.sort[0] && !sorts_itself(t->question.entry))
		mer_table_sort(t->sheet, t->question.sort, t->question.ascending);
	mer_arena_fini(&arena);
	t->is_asked = true;
	clamp(t);
}

const struct ask_question *tui_entry_find(
	const struct tui *t, const char *verb, const char *analysis, const char *option)
{
	for (size_t i = 0; i < t->n_entries; i++) {
		const struct ask_question *e = &t->entries[i];
		const char *of = e->analysis ? e->analysis->id : "";
		if (e->verb && !e->table && strcmp(e->verb, verb) == 0 &&
			strcmp(of, analysis ? analysis : "") == 0 &&
			(!option || (e->option && strcmp(e->option, option) == 0)))
			return e;
	}
	return NULL;
}

void tui_table_open(
	struct tui *t, const struct ask_question *e, const char *const *extra, bool before)
{
	if (!before)
		t->n_before = 0;
	else if (t->question.entry) {
		if (t->n_before == TUI_BACK)
			memmove(t->before, t->before + 1, --t->n_before * sizeof(*t->before));
		t->before[t->n_before++] = t->question;
	}
	t->question = (struct tui_question){ .entry = e };
	for (; extra && *extra && t->question.n_extra < TUI_EXTRA; extra++)
		snprintf(t->question.extra[t->question.n_extra++], TUI_EXTRA_LEN, "%s", *extra);
	t->sheet_first = t->sheet_top = 0;
	tui_go(t, TUI_PAGE_TABLE);
	tui_table_again(t);
}

/* ---- Order and search ---- */

/* The next or the previous column that is shown. */
static void sort_by_next(struct tui *t, int step)
{
	const struct mer_table *table = t->sheet;
	size_t n = table->n_columns;
	size_t c = t->question.sort[0] ? mer_table_column(table, t->question.sort) : SIZE_MAX;
	if (!n)
		return;
	c = c == SIZE_MAX ? (step > 0 ? n - 1 : 0) : c;
	for (size_t i = 0; i < n; i++) {
		c = step > 0 ? (c + 1) % n : (c + n - 1) % n;
		if (table->columns[c].title)
			break;
	}
	snprintf(t->question.sort, sizeof(t->question.sort), "%s", table->columns[c].key);
	enum mer_type type = table->columns[c].type;
	t->question.ascending = type == MER_TEXT || type == MER_ID || type == MER_TIME;
	t->question.row = 0;
	tui_table_again(t);
	/* Into sight. */
	size_t shown = 0;
	for (size_t i = 0; i < c && i < t->sheet->n_columns; i++)
		shown += t->sheet->columns[i].title != NULL;
	struct tui_layout l;
	tui_layout(t->sheet, t->sheet_first, t->w, t->ascii, &l);
	if (shown < t->sheet_first || shown >= t->sheet_first + l.n)
		t->sheet_first = shown;
}

void tui_table_search(struct tui *t, bool back)
{
	size_t n = t->sheet->n_rows;
	size_t from = n ? (t->question.row + (back ? n - 1 : 1)) % n : 0;
	size_t row = tui_sheet_search(t->sheet, from, t->search, back, t->ascii);
	if (row == SIZE_MAX)
		tui_complain(t, "'%s' is not in this table", t->search);
	else
		t->question.row = row;
}

/* ---- What a row leads to ---- */

static const char *text_at(const struct tui *t, const char *key)
{
	return answer_text(t->sheet, t->question.row, key);
}
static bool int_at(const struct tui *t, const char *key, int64_t *v)
{
	return answer_int(t->sheet, t->question.row, key, v);
}

/* The first of these keys that is known. */
static bool first_int(const struct tui *t, const char *const *keys, int64_t *v)
{
	for (; *keys; keys++)
		if (int_at(t, *keys, v))
			return true;
	return false;
}

static const char *host_of_row(const struct tui *t)
{
	static const char *const keys[] = { "host", "client_host", "from_host", "name" };
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *host = text_at(t, keys[i]);
		if (host && tui_tree_host(&t->tree, host) != SIZE_MAX)
			return host;
	}
	return NULL;
}

static bool tid_of_row(const struct tui *t, int64_t *tid)
{
	static const char *const keys[] = { "tid", "client_tid", "from_tid", NULL };
	return first_int(t, keys, tid);
}

/* The time of a row: an occurrence, or the longest one of a row of sums. */
static bool time_of_row(const struct tui *t, int64_t *begin, int64_t *end)
{
	static const char *const begins[] = { "begin", "time", "since", "max_at", "first", NULL };
	static const char *const lengths[] = { "duration_ns", "latency_ns", "for_ns", "max_ns",
		NULL };
	int64_t length = 0;
	if (!first_int(t, begins, begin))
		return false;
	if (!int_at(t, "end", end))
		*end = tui_after(*begin, first_int(t, lengths, &length) ? length : 0);
	return true;
}

static bool show_in_timeline(struct tui *t)
{
	int64_t tid = -1, begin = INT64_MIN, end = 0;
	const char *host = host_of_row(t);
	bool has_time = time_of_row(t, &begin, &end);
	bool has_tid = host && tid_of_row(t, &tid);
	size_t task =
		has_tid ? tui_tree_task(&t->tree, host, tid, has_time ? begin : t->at) : SIZE_MAX;
	if (task == SIZE_MAX && !has_time && !host)
		return false;
	if (!has_time) {
		begin = t->sheet_about.begin;
		end = t->sheet_about.end;
	}
	tui_show_place(t, task, begin, end);
	if (task == SIZE_MAX && host) {
		for (size_t i = 0; i < t->tree.n_rows; i++)
			if (t->tree.rows[i].kind == TUI_ROW_HOST &&
				t->tree.rows[i].host == tui_tree_host(&t->tree, host))
				t->row = i;
	}
	return true;
}

/* Sums of an analysis lead to what they are sums of. */
static bool open_log(struct tui *t)
{
	const struct ask_question *e = t->question.entry;
	const struct ask_question *log =
		e->analysis ? tui_entry_find(t, "log", e->analysis->id, NULL) : NULL;
	const char *host = host_of_row(t), *name = text_at(t, "name");
	int64_t tid, cpu;
	char words[3][32];
	const char *extra[TUI_EXTRA + 1] = { NULL };
	size_t n = 0;
	if (!log || log == e || !host)
		return false;
	extra[n++] = "--host";
	extra[n++] = host;
	if (tid_of_row(t, &tid)) {
		snprintf(words[0], sizeof(words[0]), "%" PRId64, tid);
		extra[n++] = "--tid";
		extra[n++] = words[0];
	} else if (int_at(t, "cpu", &cpu)) {
		snprintf(words[1], sizeof(words[1]), "%" PRId64, cpu);
		extra[n++] = "--cpu";
		extra[n++] = words[1];
	}
	if (name) {
		extra[n++] = "--name";
		extra[n++] = name;
	}
	tui_table_open(t, log, extra, true);
	return true;
}

static bool open_below(struct tui *t)
{
	const struct ask_question *e = t->question.entry;
	const char *kind = text_at(t, "kind"), *id = text_at(t, "id"), *name = text_at(t, "name");
	const char *host = host_of_row(t);
	char filter[256];
	if (strcmp(e->verb, "requests") == 0 && kind && !id) {
		tui_table_open(t, tui_entry_find(t, "requests", NULL, "--list"),
			(const char *const[]){ "--kind", kind, NULL }, true);
		return true;
	}
	if (strcmp(e->verb, "requests") == 0 && id) {
		tui_table_open(t, tui_entry_find(t, "path", NULL, NULL),
			(const char *const[]){ "--request", id, NULL }, true);
		return true;
	}
	if (strcmp(e->verb, "stats") == 0 && !e->analysis && name && host && !strchr(name, '"')) {
		snprintf(filter, sizeof(filter), "name == \"%s\"", name);
		tui_table_open(t, tui_entry_find(t, "events", NULL, NULL),
			(const char *const[]){ "--host", host, NULL }, true);
		snprintf(t->question.filter, sizeof(t->question.filter), "%s", filter);
		tui_table_again(t);
		return true;
	}
	return open_log(t);
}

static void open_row(struct tui *t)
{
	int64_t begin, end;
	const struct ask_question *e = t->question.entry;
	if (!t->sheet->n_rows)
		return;
	bool is_one =
		time_of_row(t, &begin, &end) && !(e->analysis && strcmp(e->verb, "stats") == 0);
	bool is_request = strcmp(e->verb, "requests") == 0;
	if (is_one && !is_request && show_in_timeline(t))
		return;
	if (!open_below(t) && !show_in_timeline(t))
		tui_say(t, "nothing is below this row");
}

/* ---- Keys ---- */

static void move(struct tui *t, int64_t by)
{
	int64_t row = (int64_t)t->question.row + by, n = (int64_t)t->sheet->n_rows;
	row = row >= n ? n - 1 : row;
	t->question.row = row > 0 ? (size_t)row : 0;
}

static size_t shown_columns(const struct tui *t)
{
	size_t n = 0;
	for (size_t c = 0; c < t->sheet->n_columns; c++)
		n += t->sheet->columns[c].title != NULL;
	return n;
}

bool tui_table_key(struct tui *t, uint32_t key)
{
	int page = t->h > 8 ? t->h - 6 : 1;
	switch (key) {
	case TUI_KEY_UP: move(t, -1); break;
	case TUI_KEY_DOWN: move(t, 1); break;
	case TUI_KEY_PAGE_UP: move(t, -page); break;
	case TUI_KEY_PAGE_DOWN: move(t, page); break;
	case TUI_KEY_HOME: t->question.row = 0; break;
	case TUI_KEY_END: move(t, INT32_MAX); break;
	case TUI_KEY_LEFT: t->sheet_first -= t->sheet_first > 0; break;
	case TUI_KEY_RIGHT: t->sheet_first += t->sheet_first + 1 < shown_columns(t); break;
	case '<': sort_by_next(t, -1); break;
	case '>': sort_by_next(t, 1); break;
	case 'r':
		t->question.ascending = !t->question.ascending;
		if (t->question.sort[0])
			tui_table_again(t);
		else
			tui_say(t, "> sorts by a column first");
		break;
	case TUI_KEY_TAB:
		if (t->n_lists > 1) {
			t->question.list = (t->question.list + 1) % (unsigned)t->n_lists;
			t->question.row = 0;
			t->question.sort[0] = '\0';
			t->sheet_first = 0;
			tui_table_again(t);
		} else {
			tui_say(t, "this answer has one list only; t lists all tables");
		}
		break;
	case TUI_KEY_ENTER: open_row(t); break;
	case 'v':
		if (!show_in_timeline(t))
			tui_say(t, "this row names no host and no time");
		break;
	default: return false;
	}
	return true;
}

/* ---- Drawing ---- */

static void draw_title(const struct tui *t, struct tui_cells *c, const struct tui_layout *l)
{
	const struct tui_question *q = &t->question;
	char title[600];
	const char *own = t->sheet->title ? t->sheet->title : q->entry->title;
	int n = snprintf(title, sizeof(title), "%s", own);
	if (q->entry->lists[1] && q->list)
		n += snprintf(
			title + n, sizeof(title) - (size_t)n, ": %s", q->entry->lists[q->list]);
	for (size_t i = 0; i < q->n_extra && n < 400; i++)
		n += snprintf(title + n, sizeof(title) - (size_t)n, " %s", q->extra[i]);
	if (q->filter[0] && n < 400)
		snprintf(title + n, sizeof(title) - (size_t)n, "  filter: %s", q->filter);
	size_t rows = t->sheet->n_rows;
	char count[80];
	snprintf(count, sizeof(count), "%zu/%zu%s%s", rows ? q->row + 1 : 0, rows,
		rows == q->entry->limit ? "+" : "",
		l->is_cut	 ? "  \xe2\x86\x92 more columns"
		: t->sheet_first ? "  \xe2\x86\x90"
				 : "");
	int width = tui_width(count, t->ascii);
	tui_put(c, 0, TUI_TOP, c->w - width - 2, TUI_BOLD, title);
	tui_put_right(c, c->w - width - 1, TUI_TOP, width + 1, TUI_DIM, count);
}

void tui_table_draw(struct tui *t, struct tui_cells *c)
{
	struct tui_range r = tui_selected(t);
	const struct ask_question *e = t->question.entry;
	if (!e)
		return;
	if (has_window(&t->question) &&
		(r.begin != t->sheet_range.begin || r.end != t->sheet_range.end))
		tui_table_again(t);
	struct tui_layout l;
	tui_layout(t->sheet, t->sheet_first, c->w, t->ascii, &l);
	draw_title(t, c, &l);
	const char *why = t->answer.why.text;
	if (why[0] || !t->sheet->n_rows) {
		tui_put(c, 0, TUI_TOP + 2, c->w, why[0] ? TUI_ERROR : TUI_PLAIN,
			why[0] ? why : "No rows: none of this happened in the selected range.");
		return;
	}
	tui_draw_heads(t->sheet, &l, c, TUI_TOP + 1, t->question.sort, t->question.ascending);
	size_t room = (size_t)(tui_body(c) > 3 ? tui_body(c) - 1 : 1), row = t->question.row;
	t->sheet_top = row < t->sheet_top	    ? row
		       : row >= t->sheet_top + room ? row - room + 1
						    : t->sheet_top;
	for (size_t i = 0; i < room && t->sheet_top + i < t->sheet->n_rows; i++) {
		int y = TUI_TOP + 2 + (int)i;
		tui_draw_row(t->sheet, &l, c, y, t->sheet_top + i, TUI_PLAIN);
		if (t->sheet_top + i == row)
			tui_restyle(c, 0, y, c->w, TUI_REVERSE);
	}
}
