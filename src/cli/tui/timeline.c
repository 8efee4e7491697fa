/* The page of the timeline: rows over one time axis. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cli/tui/model.h"

enum { LEAST_LABEL = 16, MOST_LABEL = 34, MOST_COLUMNS = 2000 };

static int label_width(const struct tui_cells *c)
{
	int w = c->w * 28 / 100;
	return w < LEAST_LABEL ? LEAST_LABEL : w > MOST_LABEL ? MOST_LABEL : w;
}

static const struct tui_row *selected_row(const struct tui *t)
{
	return t->row < t->tree.n_rows ? &t->tree.rows[t->row] : NULL;
}

void tui_timeline_command(struct tui *t, struct tui_words *w)
{
	const struct tui_row *r = selected_row(t);
	if (t->path_task != SIZE_MAX) {
		const struct tui_task *k = &t->tree.tasks[t->path_task];
		tui_word(w, "path");
		tui_word(w, "--tid");
		tui_wordf(w, "%" PRId64, k->tid);
		tui_word(w, "--host");
		tui_word(w, t->tree.hosts[k->host].name);
		tui_range_words(t, t->path_range, w);
		return;
	}
	tui_word(w, "state");
	tui_word(w, "--at");
	tui_wordf(w, "%" PRId64, t->at);
	if (!r)
		return;
	tui_word(w, "--host");
	tui_word(w, t->tree.hosts[r->host].name);
	if (r->kind == TUI_ROW_TASK) {
		tui_word(w, "--tid");
		tui_wordf(w, "%" PRId64, t->tree.tasks[r->first].tid);
	} else if (r->kind == TUI_ROW_CPU) {
		tui_word(w, "--cpu");
		tui_wordf(w, "%zu", r->first);
	}
}

/* ---- Hands ---- */

static void zoom(struct tui *t, int64_t numerator, int64_t denominator)
{
	int64_t length = t->view.end - t->view.begin, at = t->at;
	int64_t next = (int64_t)((double)length * (double)numerator / (double)denominator);
	double part = (double)(t->at - t->view.begin) / (double)length;
	int64_t begin = t->at - (int64_t)((double)next * part);
	tui_set_view(t, (struct tui_range){ begin, begin + next });
	t->at = at < t->view.begin ? t->view.begin : at >= t->view.end ? t->view.end - 1 : at;
}

static void pan(struct tui *t, int direction)
{
	int64_t by = (t->view.end - t->view.begin) / 4 * direction;
	struct tui_range before = t->view;
	tui_set_view(t, (struct tui_range){ t->view.begin + by, t->view.end + by });
	t->at += t->view.begin - before.begin;
}

static void step(struct tui *t, int columns)
{
	int width = t->w - t->w * 28 / 100;
	int64_t by = (t->view.end - t->view.begin) / (width > 0 ? width : 1);
	tui_move_to(t, t->at + (by ? by : 1) * columns);
}

static void undo(struct tui *t)
{
	if (!t->n_undo) {
		tui_say(t, "nothing to undo");
		return;
	}
	t->view = t->undo[--t->n_undo];
	if (t->at < t->view.begin || t->at >= t->view.end)
		t->at = t->view.begin + (t->view.end - t->view.begin) / 2;
}

static void next_span(struct tui *t, bool back)
{
	const struct tui_row row = t->tree.rows[t->row];
	struct tui_span s;
	if (row.kind != TUI_ROW_CPU && row.kind != TUI_ROW_TASK) {
		tui_say(t, "select a CPU or a thread: , and . go along its spans");
		return;
	}
	if (!tui_exact_span(t, &row, t->at, &s))
		return;
	if (!back && s.end < t->end) {
		tui_move_to(t, s.end);
	} else if (back && t->at > s.begin) {
		tui_move_to(t, s.begin);
	} else if (back && s.begin > t->begin && tui_exact_span(t, &row, s.begin - 1, &s)) {
		tui_move_to(t, s.begin);
	}
}

static void mark_span(struct tui *t)
{
	const struct tui_row row = t->tree.rows[t->row];
	struct tui_span s;
	if (!tui_exact_span(t, &row, t->at, &s))
		return;
	t->has_a = t->has_b = true;
	t->a = s.begin;
	t->b = s.end;
}

static void fold(struct tui *t)
{
	const struct tui_row row = t->tree.rows[t->row];
	if (row.kind == TUI_ROW_TASK && row.depth > 1) { /* its process */
		while (t->row && t->tree.rows[t->row].kind != TUI_ROW_PROCESS)
			t->row--;
	} else if (row.kind != TUI_ROW_HOST && row.kind != TUI_ROW_PROCESS) {
		while (t->row && t->tree.rows[t->row].kind != TUI_ROW_HOST)
			t->row--;
	}
	const struct tui_row at = t->tree.rows[t->row];
	tui_tree_fold(&t->tree, &at);
}

static void toggle_rows(struct tui *t, bool *what)
{
	size_t task =
		t->tree.rows[t->row].kind == TUI_ROW_TASK ? t->tree.rows[t->row].first : SIZE_MAX;
	*what = !*what;
	t->tree.keep = task;
	tui_tree_build(&t->tree);
	size_t row = task == SIZE_MAX ? SIZE_MAX : tui_tree_row_of(&t->tree, task);
	t->row = row != SIZE_MAX ? row : t->row < t->tree.n_rows ? t->row : 0;
}

static void open_row(struct tui *t)
{
	const struct tui_row row = t->tree.rows[t->row];
	if (row.kind == TUI_ROW_HOST || row.kind == TUI_ROW_PROCESS)
		fold(t);
	else if (row.kind == TUI_ROW_DISK)
		tui_table_open(t, tui_entry_find(t, "log", "disk", NULL),
			(const char *const[]){ "--host", t->tree.hosts[row.host].name, NULL },
			false);
	else
		tui_to_cause(t);
}

static void list_path(struct tui *t)
{
	const struct tui_row row = t->tree.rows[t->row];
	size_t task = t->path_task != SIZE_MAX	 ? t->path_task
		      : row.kind == TUI_ROW_TASK ? row.first
						 : SIZE_MAX;
	char tid[32];
	if (task == SIZE_MAX) {
		tui_say(t, "select a thread: P lists its critical path");
		return;
	}
	const struct tui_task *k = &t->tree.tasks[task];
	snprintf(tid, sizeof(tid), "%" PRId64, k->tid);
	tui_table_open(t, tui_entry_find(t, "path", NULL, NULL),
		(const char *const[]){ "--tid", tid, "--host", t->tree.hosts[k->host].name, NULL },
		false);
}

static void move(struct tui *t, int64_t by)
{
	int64_t row = (int64_t)t->row + by, n = (int64_t)t->tree.n_rows;
	row = row >= n ? n - 1 : row;
	t->row = row > 0 ? (size_t)row : 0;
}

static void mark(struct tui *t, bool is_b)
{
	*(is_b ? &t->b : &t->a) = t->at;
	*(is_b ? &t->has_b : &t->has_a) = true;
	if (t->has_a && t->has_b) {
		struct mer_str s = { 0 };
		mer_put_duration(&s, t->a < t->b ? t->b - t->a : t->a - t->b);
		tui_say(t, "A to B: %s; tables are of that now, z zooms to it, C clears it",
			s.data ? s.data : "");
		mer_str_fini(&s);
	}
}

static bool row_has(const struct tui *t, const struct tui_row *r, const char *text)
{
	struct mer_str name = { 0 };
	tui_tree_name(&t->tree, r, &name);
	bool has = name.data && strcasestr(name.data, text);
	mer_str_fini(&name);
	return has;
}

/* Rows that are there first, then tasks that are folded or hidden. */
void tui_timeline_search(struct tui *t, bool back)
{
	size_t n = t->tree.n_rows;
	for (size_t i = 1; i < n; i++) {
		size_t row = back ? (t->row + n - i) % n : (t->row + i) % n;
		if (row_has(t, &t->tree.rows[row], t->search)) {
			t->row = row;
			return;
		}
	}
	for (size_t i = 0; i < t->tree.n_tasks; i++) {
		struct tui_row r = { TUI_ROW_TASK, t->tree.tasks[i].host, i, 1, 1 };
		size_t row = row_has(t, &r, t->search) ? tui_tree_show(&t->tree, i) : SIZE_MAX;
		if (row != SIZE_MAX) {
			t->row = row;
			return;
		}
	}
	if (!n || !row_has(t, &t->tree.rows[t->row], t->search))
		tui_complain(t, "no row is called '%s'", t->search);
}

static bool time_key(struct tui *t, uint32_t key)
{
	switch (key) {
	case TUI_KEY_LEFT: step(t, -1); break;
	case TUI_KEY_RIGHT: step(t, 1); break;
	case TUI_KEY_HOME: tui_move_to(t, t->begin); break;
	case TUI_KEY_END: tui_move_to(t, t->end - 1); break;
	case 'w':
	case '+':
	case '=': zoom(t, 1, 2); break;
	case 's':
	case '-': zoom(t, 2, 1); break;
	case 'a': pan(t, -1); break;
	case 'd': pan(t, 1); break;
	case 'f': tui_set_view(t, (struct tui_range){ t->begin, t->end }); break;
	case 'u': undo(t); break;
	case ',':
	case '[': next_span(t, true); break;
	case '.':
	case ']': next_span(t, false); break;
	case 'A': mark(t, false); break;
	case 'B': mark(t, true); break;
	case 'M': mark_span(t); break;
	case 'C': t->has_a = t->has_b = false; break;
	case 'z':
		if (t->has_a && t->has_b)
			tui_set_view(t, tui_selected(t));
		else
			tui_say(t, "A and B mark a range first");
		break;
	default: return false;
	}
	return true;
}

bool tui_timeline_key(struct tui *t, uint32_t key)
{
	int page = t->h > 8 ? t->h - 6 : 1;
	if (!t->tree.n_rows)
		return false;
	switch (key) {
	case TUI_KEY_UP: move(t, -1); break;
	case TUI_KEY_DOWN: move(t, 1); break;
	case TUI_KEY_PAGE_UP: move(t, -page); break;
	case TUI_KEY_PAGE_DOWN: move(t, page); break;
	case TUI_KEY_ENTER: open_row(t); break;
	case ' ':
	case 'x': fold(t); break;
	case 'p': tui_toggle_path(t); break;
	case 'P': list_path(t); break;
	case 'i': toggle_rows(t, &t->tree.hide_idle); break;
	case 'o':
		if (t->path_task == SIZE_MAX)
			tui_say(t, "p draws the path of a thread first");
		else
			toggle_rows(t, &t->tree.only_path);
		break;
	default: return time_key(t, key);
	}
	return true;
}

/* ---- Drawing ---- */

struct board { /* where lanes are drawn */
	struct tui *t;
	struct tui_cells *c;
	int x, n; /* its first column, and how many */
};

/* The column of a moment; -1: it is not seen. */
static int column_of(const struct board *b, int64_t at)
{
	const struct tui_range *v = &b->t->view;
	if (at < v->begin || at >= v->end)
		return -1;
	int column = (int)((double)(at - v->begin) / (double)(v->end - v->begin) * b->n);
	return column < b->n ? column : b->n - 1;
}

static void put_tick(const struct board *b, int64_t at, int decimals)
{
	char text[40];
	int x = column_of(b, at);
	snprintf(text, sizeof(text), "+%.*f s", decimals, (double)(at - b->t->begin) / 1e9);
	if (x < 0)
		return;
	tui_cell(b->c, b->x + x, TUI_TOP, TUI_DIM, 0x2502);
	tui_put(b->c, b->x + x + 1, TUI_TOP, b->n - x - 1, TUI_DIM, text);
}

static void draw_ruler(const struct board *b)
{
	const struct tui *t = b->t;
	int64_t length = t->view.end - t->view.begin, unit = 1;
	static const int64_t steps[] = { 1, 2, 5 };
	int decimals = 9;
	size_t i = 0;
	while ((double)(steps[i] * unit) < (double)length * 16 / b->n) {
		i = (i + 1) % 3;
		unit *= i ? 1 : 10;
		decimals -= !i && decimals > 0;
	}
	int64_t by = steps[i] * unit, from = (t->view.begin - t->begin) / by * by + t->begin;
	for (int64_t at = from; at < t->view.end; at += by)
		put_tick(b, at, decimals);
	if (t->has_a && column_of(b, t->a) >= 0)
		tui_cell(b->c, b->x + column_of(b, t->a), TUI_TOP, TUI_MARK | TUI_REVERSE, 'A');
	if (t->has_b && column_of(b, t->b) >= 0)
		tui_cell(b->c, b->x + column_of(b, t->b), TUI_TOP, TUI_MARK | TUI_REVERSE, 'B');
	if (column_of(b, t->at) >= 0)
		tui_restyle(b->c, b->x + column_of(b, t->at), TUI_TOP, 1, TUI_REVERSE);
}

static uint32_t glyph(const struct tui *t, const struct tui_column *k)
{
	if (t->letters)
		return (unsigned char)tui_state_letter(k->state, k->cause, k->share);
	if (k->share <= 0 || k->state == KERNEL_DEAD)
		return ' ';
	if (k->state == KERNEL_UNKNOWN)
		return 0xb7;
	if (tui_is_asleep(k->state))
		return 0x2500;
	int eighths = (int)(k->share * 7.999);
	return 0x2581u + (uint32_t)eighths;
}

/* Where no task was on a CPU of which events are missing, it was not idle, but unknown. */
static void draw_losses(
	const struct board *b, const struct tui_row *r, const struct tui_column *columns, int y)
{
	const struct tui *t = b->t;
	uint32_t cpu = r->kind == TUI_ROW_CPU ? (uint32_t)r->first : UINT32_MAX;
	if ((r->kind != TUI_ROW_CPU && r->kind != TUI_ROW_HOST) || !t->n_losses)
		return;
	for (size_t i = 0; i < t->n_losses; i++) {
		const struct tui_loss *l = &t->losses[i];
		bool is_mine = l->host == r->host &&
			       (cpu == UINT32_MAX || l->cpu == UINT32_MAX || l->cpu == cpu);
		if (!is_mine || l->end <= t->view.begin || l->begin >= t->view.end)
			continue;
		int from = column_of(b, l->begin < t->view.begin ? t->view.begin : l->begin);
		int to = column_of(b, l->end > t->view.end ? t->view.end - 1 : l->end - 1);
		for (int x = from; x <= to; x++)
			if (columns[x].share <= 0)
				tui_cell(b->c, b->x + x, y, TUI_UNKNOWN, t->letters ? '?' : 0xb7);
	}
}

/* Which columns of a row are on the path. */
static void draw_path(const struct board *b, const struct tui_row *r, int y)
{
	const struct tui *t = b->t;
	for (size_t i = 0; i < t->n_path; i++) {
		const struct tui_segment *s = &t->path[i];
		if ((r->kind != TUI_ROW_TASK && r->kind != TUI_ROW_PROCESS) || s->task < r->first ||
			s->task >= r->first + r->n || s->end <= t->view.begin ||
			s->begin >= t->view.end)
			continue;
		int from = column_of(b, s->begin < t->view.begin ? t->view.begin : s->begin);
		int to = column_of(b, s->end > t->view.end ? t->view.end - 1 : s->end - 1);
		for (int x = from; x <= to; x++)
			tui_cell(b->c, b->x + x, y, TUI_PATH, t->letters ? '#' : 0x2588);
	}
}

static void draw_disk(const struct board *b, const struct tui_row *r, int y)
{
	struct tui *t = b->t;
	tui_want_disks(t, b->n);
	const struct mer_table *bins = tui_table(&t->disks, "bins");
	for (size_t i = 0; i < answer_rows(bins); i++) {
		const char *host = answer_text(bins, i, "host");
		const char *disk = answer_text(bins, i, "disk");
		int64_t begin;
		double busy, queued = 0;
		if (!host || !disk || strcmp(host, t->tree.hosts[r->host].name) != 0 ||
			strcmp(disk, t->tree.hosts[r->host].disks[r->first]) != 0 ||
			!answer_int(bins, i, "begin", &begin) ||
			!answer_real(bins, i, "in_flight", &busy))
			continue;
		answer_real(bins, i, "queued", &queued);
		busy = busy + queued;
		int x = column_of(b, begin < t->view.begin ? t->view.begin : begin);
		if (busy <= 0 || x < 0)
			continue;
		busy = busy < 1 ? busy : 1;
		tui_cell(b->c, b->x + x, y, TUI_DISK,
			!t->letters   ? 0x2581u + (uint32_t)(busy * 7.999)
			: busy >= 0.5 ? 'D'
				      : 'd');
	}
}

static void draw_label(const struct board *b, const struct tui_row *r, int y, bool is_selected)
{
	const struct tui *t = b->t;
	struct mer_str name = { 0 };
	int x = r->depth * 2;
	bool has_more = r->kind == TUI_ROW_HOST || r->kind == TUI_ROW_PROCESS;
	unsigned style = r->kind == TUI_ROW_HOST ? TUI_BOLD : TUI_PLAIN;
	if (has_more)
		tui_cell(b->c, r->depth, y, TUI_DIM,
			tui_tree_is_folded(&t->tree, r) ? 0x25b8 : 0x25be);
	x = has_more ? r->depth + 2 : x + (r->depth == 1 ? 1 : 0);
	tui_tree_name(&t->tree, r, &name);
	tui_put(b->c, x, y, b->x - x - 1, style, name.data ? name.data : "");
	if (is_selected)
		tui_restyle(b->c, 0, y, b->x - 1, TUI_REVERSE);
	mer_str_fini(&name);
}

static void draw_row(const struct board *b, size_t row, size_t lane, int y)
{
	struct tui *t = b->t;
	struct tui_column columns[MOST_COLUMNS];
	const struct tui_row *r = &t->tree.rows[row];
	size_t n = tui_n_lanes(&t->tree, r);
	draw_label(b, r, y, row == t->row);
	if (r->kind == TUI_ROW_DISK) {
		draw_disk(b, r, y);
	} else if (n && lane + n <= t->picture.n_lanes) {
		tui_picture_columns(&t->picture, lane, lane + n, t->view.begin, t->view.end,
			columns, (size_t)b->n);
		for (int x = 0; x < b->n; x++)
			tui_cell(b->c, b->x + x, y,
				tui_state_style(columns[x].state, columns[x].cause),
				glyph(t, &columns[x]));
		draw_losses(b, r, columns, y);
	}
	draw_path(b, r, y);
	int at = column_of(b, t->at);
	if (row == t->row && at >= 0)
		tui_restyle(b->c, b->x + at, y, 1, TUI_REVERSE);
}

/* ---- The line that says what is under the cursor ---- */

static void put_task_of(const struct tui *t, uint32_t host, uint32_t number, struct mer_str *out)
{
	for (size_t i = 0; i < t->tree.n_tasks; i++)
		if (t->tree.tasks[i].host == host && t->tree.tasks[i].number == number) {
			mer_str_printf(
				out, " %s/%" PRId64, t->tree.tasks[i].comm, t->tree.tasks[i].tid);
			return;
		}
}

/* Is a CPU of the host, the first of which has that lane, unknown somewhere in this time? */
static bool is_any_lost(const struct tui *t, uint32_t host, size_t lane, int64_t begin, int64_t end)
{
	const struct tui_host *h = &t->tree.hosts[host];
	bool lost = false;
	for (size_t i = 0; i < h->n_cpus && !lost; i++) {
		struct tui_column k;
		tui_picture_columns(&t->picture, lane + i, lane + i + 1, begin, end, &k, 1);
		lost = k.share <= 0 && tui_is_lost(t, host, h->cpus[i], begin, end);
	}
	return lost;
}

static void put_state(
	const struct board *b, const struct tui_row *r, size_t lane, struct mer_str *out)
{
	const struct tui *t = b->t;
	struct tui_span s;
	char words[80];
	if (r->kind == TUI_ROW_DISK || !tui_n_lanes(&t->tree, r))
		return;
	bool is_one = r->kind == TUI_ROW_CPU || r->kind == TUI_ROW_TASK;
	if (is_one && !t->picture.in_bins) {
		if (!tui_picture_at(&t->picture, lane, t->at, &s)) {
			bool is_cpu = r->kind == TUI_ROW_CPU;
			bool lost = is_cpu &&
				    tui_is_lost(t, r->host, (uint32_t)r->first, t->at, t->at + 1);
			mer_str_puts(out, lost	   ? "unknown: lost, or not recorded"
					  : is_cpu ? "idle"
						   : "not there");
			return;
		}
		mer_str_puts(out, tui_state_words(s.state, s.cause, words, sizeof(words)));
		if (r->kind == TUI_ROW_CPU)
			put_task_of(t, r->host, s.task, out);
		mer_str_puts(out, " for ");
		mer_put_duration(out, s.end - s.begin);
		if (s.begin <= t->view.begin || s.end >= t->view.end)
			mer_str_puts(out, " or more");
		return;
	}
	int x = column_of(b, t->at);
	struct tui_column k;
	double width = (double)(t->view.end - t->view.begin) / b->n;
	int64_t begin = t->view.begin + (int64_t)(width * x);
	if (x < 0)
		return;
	int64_t end = begin + (int64_t)width + 1;
	tui_picture_columns(&t->picture, lane, lane + tui_n_lanes(&t->tree, r), begin, end, &k, 1);
	if (k.share <= 0) {
		bool lost = r->kind == TUI_ROW_CPU
				    ? tui_is_lost(t, r->host, (uint32_t)r->first, begin, end)
				    : r->kind == TUI_ROW_HOST &&
					      is_any_lost(t, r->host, lane, begin, end);
		bool has_cpus = r->kind == TUI_ROW_CPU || r->kind == TUI_ROW_HOST;
		mer_str_puts(out, lost	     ? "unknown: lost, or not recorded"
				  : has_cpus ? "idle"
					     : "not there");
	} else {
		mer_str_printf(out, "%s%s, %.0f %% of ",
			tui_is_asleep(k.state) ? ""
			: is_one	       ? "mostly "
					       : "busy, mostly ",
			tui_state_words(k.state, k.cause, words, sizeof(words)), 100 * k.share);
		mer_put_duration(out, (int64_t)width);
		if (r->kind == TUI_ROW_HOST && is_any_lost(t, r->host, lane, begin, end))
			mer_str_puts(out, ", part unknown");
	}
}

static void draw_details(const struct board *b, size_t lane)
{
	struct tui *t = b->t;
	const struct tui_row *r = selected_row(t);
	struct mer_str left = { 0 }, right = { 0 };
	int y = b->c->h - 2;
	if (t->lanes.why.text[0]) {
		tui_put(b->c, 0, y, b->c->w, TUI_ERROR, t->lanes.why.text);
		return;
	}
	if (r) {
		tui_tree_name(&t->tree, r, &left);
		mer_str_puts(&left, "  ");
		tui_put_offset(&left, t, t->at);
		mer_str_puts(&left, "  ");
		put_state(b, r, lane, &left);
	}
	if (t->has_a && t->has_b) {
		mer_str_puts(&right, "A..B ");
		mer_put_duration(&right, t->a < t->b ? t->b - t->a : t->a - t->b);
	} else if (t->has_a || t->has_b) {
		int64_t from = t->has_a ? t->a : t->b;
		mer_str_puts(&right, t->has_a ? "since A " : "since B ");
		mer_str_puts(&right, t->at < from ? "-" : "");
		mer_put_duration(&right, t->at < from ? from - t->at : t->at - from);
	}
	int n = right.data ? tui_width(right.data, t->ascii) : 0;
	tui_put(b->c, 0, y, b->c->w - n - 1, TUI_PLAIN, left.data ? left.data : "");
	tui_put_right(b->c, b->c->w - n, y, n, TUI_MARK, right.data ? right.data : "");
	mer_str_fini(&left);
	mer_str_fini(&right);
}

void tui_timeline_draw(struct tui *t, struct tui_cells *c)
{
	int label = label_width(c), n = c->w - label;
	struct board b = { t, c, label, n < MOST_COLUMNS ? n : MOST_COLUMNS };
	size_t room = (size_t)(tui_body(c) - 2); /* ruler, legend */
	room = room < TUI_MOST_ROWS ? room : TUI_MOST_ROWS;
	t->row = t->row < t->tree.n_rows ? t->row : 0;
	if (t->row + 1 < t->top || t->row > t->top + room) /* from far away: into the middle */
		t->top = t->row > room / 2 ? t->row - room / 2 : 0;
	t->top = t->row < t->top ? t->row : t->row >= t->top + room ? t->row - room + 1 : t->top;
	t->top = t->tree.n_rows > room && t->top + room > t->tree.n_rows ? t->tree.n_rows - room
									 : t->top;
	size_t end = t->top + room < t->tree.n_rows ? t->top + room : t->tree.n_rows;
	tui_want_lanes(t, t->top, end, b.n);
	tui_put(c, 0, TUI_TOP, label, TUI_DIM,
		t->tree.only_path   ? "rows of the path"
		: t->tree.hide_idle ? "idle rows hidden: i"
				    : "all rows");
	draw_ruler(&b);
	for (size_t row = t->top; row < end; row++)
		draw_row(&b, row, t->lane_of[row - t->top], TUI_TOP + 1 + (int)(row - t->top));
	tui_timeline_legend(t, c, c->h - 3);
	draw_details(&b, t->lane_of[t->row - t->top]);
}
