#include "ask/print/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "ask/print/ascii.h"
#include "ask/print/answer_print.h"
#include "ask/print/text.h"

/* Characters between columns; to which text shrinks at most, and what is left of its title then; of
 * bars. */
enum { GAP = 2, TEXT_MIN = 6, TITLE_MIN = 8, BAR_MIN = 6, BAR_MAX = 30 };

static void add_text(struct mer_str *out, const char *text, bool ascii)
{
	struct mer_str clean = { 0 };
	ask_text_clean(ascii ? &clean : out, text, strlen(text), false);
	if (clean.data)
		ask_ascii(out, clean.data, clean.len);
	out->failed |= clean.failed;
	mer_str_fini(&clean);
}

/* ascii: as the sink will make it, so that columns stay aligned. */
void ask_table_cell(
	struct mer_str *out, enum mer_type type, const struct mer_cell *cell, bool ascii)
{
	if (!cell->set || (type == MER_MEAN && !isfinite(cell->v.f))) {
		mer_str_putc(out, '-');
		return;
	}
	switch (type) {
	case MER_TEXT: add_text(out, cell->v.text, ascii); break;
	case MER_ID: mer_str_printf(out, "%" PRId64, cell->v.i); break;
	case MER_COUNT: ask_text_count(out, cell->v.i); break;
	case MER_BYTES: ask_text_bytes(out, cell->v.i); break;
	case MER_DURATION: ask_text_duration(out, cell->v.i); break;
	case MER_MEAN: ask_text_duration(out, llround(cell->v.f)); break;
	case MER_DATE: ask_text_time(out, cell->v.i); break;
	case MER_RATIO: ask_text_ratio(out, cell->v.f); break;
	case MER_OFFSET: ask_text_seconds(out, cell->v.i); break;
	case MER_REAL: ask_text_real(out, cell->v.f); break;
	case MER_TIME: ask_text_clock_us(out, cell->v.i); break;
	case MER_RATE: ask_text_rate(out, cell->v.f); break;
	case MER_HZ:
	case MER_KHZ: ask_text_count(out, cell->v.i); break;
	case MER_PPM: ask_text_real(out, cell->v.f); break;
	case MER_BAR: break; /* its width is not known here */
	}
}

/* What the columns take when nothing is shortened; bars nothing. */
static size_t *measure(const struct mer_table *t, bool ascii)
{
	size_t *widths = calloc(t->n_columns + 1, sizeof(*widths));
	struct mer_str text = { 0 };
	for (size_t c = 0; widths && c < t->n_columns; c++) {
		if (t->columns[c].type == MER_BAR || !t->columns[c].title)
			continue;
		widths[c] = ask_text_width(t->columns[c].title, strlen(t->columns[c].title));
		for (size_t r = 0; r < t->n_rows; r++) {
			mer_str_clear(&text);
			ask_table_cell(
				&text, t->columns[c].type, &t->cells[r * t->n_columns + c], ascii);
			size_t w = ask_text_width(text.data ? text.data : "", text.len);
			if (w > widths[c])
				widths[c] = w;
		}
	}
	mer_str_fini(&text);
	return widths;
}

static bool is_there(const struct mer_table *t, const size_t *widths, size_t c)
{
	return t->columns[c].title && (t->columns[c].type != MER_BAR || widths[c]);
}

/* The width of the columns with the gaps between them. */
static size_t sum_widths(const struct mer_table *t, const size_t *widths)
{
	size_t total = 0, n = 0;
	for (size_t c = 0; c < t->n_columns; c++) {
		total += widths[c];
		n += is_there(t, widths, c);
	}
	return total + (n ? (n - 1) * GAP : 0);
}

/* To which a column shrinks: not at all unless it is text. */
static size_t least_of(const struct mer_table *t, size_t column, size_t width, size_t text_min)
{
	const struct mer_column *c = &t->columns[column];
	if (c->type != MER_TEXT || !c->title)
		return width;
	size_t title = ask_text_width(c->title, strlen(c->title));
	title = title < TITLE_MIN ? title : TITLE_MIN;
	text_min = text_min > title ? text_min : title;
	return width < text_min ? width : text_min;
}

size_t ask_table_least_width(const struct mer_table *t, size_t text_min, bool ascii)
{
	size_t *widths = measure(t, ascii), total = 0;
	for (size_t c = 0; widths && c < t->n_columns; c++)
		widths[c] = least_of(t, c, widths[c], text_min);
	if (widths)
		total = sum_widths(t, widths);
	free(widths);
	return total;
}

/* Takes columns away from the widest text column until all fits or none can shrink; what is left
 * over is for bars. */
static void fit(const struct mer_table *t, size_t *widths, size_t width)
{
	size_t total = sum_widths(t, widths);
	while (total > width) {
		size_t widest = SIZE_MAX;
		for (size_t c = 0; c < t->n_columns; c++) {
			if (widths[c] <= least_of(t, c, widths[c], TEXT_MIN))
				continue;
			if (widest == SIZE_MAX || widths[c] > widths[widest])
				widest = c;
		}
		if (widest == SIZE_MAX)
			return;
		widths[widest]--;
		total--;
	}
	for (size_t c = 0; c < t->n_columns; c++) {
		if (t->columns[c].type != MER_BAR || !t->columns[c].title ||
			total + GAP + BAR_MIN > width)
			continue;
		size_t rest = width - total - GAP;
		widths[c] = rest < BAR_MAX ? rest : BAR_MAX;
		total += GAP + widths[c];
	}
}

/* ---- Texts that would look alike ---- */

/* Bytes at the begin of all texts of a column that are left out, because what is left of different
 * ones would be the same: paths that differ in the middle, where they are cut. 0: none. */
static size_t common_front(const struct mer_table *t, size_t c, bool ascii, bool whole_words)
{
	struct mer_str first = { 0 }, text = { 0 };
	size_t front = SIZE_MAX;
	ask_table_cell(&first, MER_TEXT, &t->cells[c], ascii);
	for (size_t r = 1; r < t->n_rows; r++) {
		size_t n = 0;
		mer_str_clear(&text);
		ask_table_cell(&text, MER_TEXT, &t->cells[r * t->n_columns + c], ascii);
		while (n < front && n < first.len && n < text.len && first.data[n] == text.data[n])
			n++;
		/* Identical texts share everything: they do not count. */
		if (n < first.len || n < text.len)
			front = n;
	}
	front = front == SIZE_MAX ? 0 : front;
	while (front && first.data[front - 1] != '/' &&
		(whole_words || !strchr("-_.", first.data[front - 1])))
		front--;
	mer_str_fini(&text);
	mer_str_fini(&first);
	return front;
}

static void put_cut(struct mer_str *out, const struct mer_str *text, size_t front, size_t width)
{
	static const char dots[] = "\xe2\x80\xa6";
	const char *s = text->data ? text->data : "";
	if (!front || front >= text->len) {
		ask_text_shorten(out, s, text->len, width);
		return;
	}
	/* What makes the difference comes first now: the end is cut. */
	size_t have = ask_text_width(s + front, text->len - front), n = text->len - front;
	while (n && have + 1 + (n < text->len - front) > width) {
		do
			n--;
		while (n && ((unsigned char)s[front + n] & 0xc0) == 0x80);
		have = ask_text_width(s + front, n);
	}
	mer_str_puts(out, dots);
	mer_str_add(out, s + front, n);
	mer_str_puts(out, n < text->len - front ? dots : "");
}

static bool look_alike(const struct mer_table *t, size_t c, size_t width, size_t front, bool ascii)
{
	struct mer_map seen = { 0 };
	struct mer_str text = { 0 }, cut = { 0 }, other = { 0 };
	bool alike = false;
	for (size_t r = 0; r < t->n_rows && !alike; r++) {
		mer_str_clear(&text);
		mer_str_clear(&cut);
		mer_str_clear(&other);
		ask_table_cell(&text, MER_TEXT, &t->cells[r * t->n_columns + c], ascii);
		put_cut(&cut, &text, front, width);
		uint32_t *row = mer_map_put(&seen, mer_hash(cut.data ? cut.data : "", cut.len));
		if (row && !*row)
			*row = (uint32_t)r + 1;
		else if (row)
			ask_table_cell(
				&other, MER_TEXT, &t->cells[(*row - 1) * t->n_columns + c], ascii);
		alike = other.len &&
			(other.len != text.len || memcmp(other.data, text.data, text.len) != 0);
	}
	mer_map_fini(&seen);
	mer_str_fini(&other);
	mer_str_fini(&cut);
	mer_str_fini(&text);
	return alike;
}

static size_t front_of(const struct mer_table *t, size_t c, size_t width, bool ascii)
{
	if (t->columns[c].type != MER_TEXT || t->n_rows < 2 || !look_alike(t, c, width, 0, ascii))
		return 0;
	size_t front = common_front(t, c, ascii, true);
	return front && !look_alike(t, c, width, front, ascii) ? front
							       : common_front(t, c, ascii, false);
}

/* fronts: by column; NULL: of a heading. */
static void add_row(const struct mer_table *t, struct mer_str *out, const size_t *widths,
	const size_t *fronts, const struct mer_cell *cells, bool ascii)
{
	struct mer_str text = { 0 };
	size_t blanks = 0; /* owed before the next text, so that no line ends with blanks */
	for (size_t c = 0; c < t->n_columns; c++) {
		bool bar = t->columns[c].type == MER_BAR;
		bool left = bar || t->columns[c].type == MER_TEXT;
		if (!is_there(t, widths, c))
			continue;
		mer_str_clear(&text);
		if (!cells)
			mer_str_puts(&text, t->columns[c].title);
		else if (!bar)
			ask_table_cell(&text, t->columns[c].type, &cells[c], ascii);
		else if (cells[c].set)
			ask_text_bar(&text, cells[c].v.f, widths[c]);
		size_t w = ask_text_width(text.data ? text.data : "", text.len);
		size_t front = fronts ? fronts[c] : 0;
		size_t shown = w < widths[c] ? w : widths[c];
		if (!left)
			blanks += widths[c] - shown;
		if (shown) {
			mer_str_printf(out, "%*s", (int)blanks, "");
			size_t at = out->len;
			put_cut(out, &text, front, widths[c]);
			if (left) /* what went at a blank is less than there is room for */
				shown = ask_text_width(
					out->data ? out->data + at : "", out->len - at);
			blanks = 0;
		}
		blanks += left ? widths[c] - shown + GAP : GAP;
		out->failed |= text.failed;
	}
	mer_str_fini(&text);
}

void ask_table_text(
	const struct mer_table *t, struct mer_str *out, size_t width, bool bold, bool ascii)
{
	if (!t->n_rows)
		return;
	size_t *widths = measure(t, ascii);
	if (!widths) {
		out->failed = true;
		return;
	}
	size_t *fronts = calloc(t->n_columns + 1, sizeof(*fronts));
	out->failed |= !fronts;
	for (size_t c = 0; fronts && c < t->n_columns; c++)
		fronts[c] = widths[c];
	fit(t, widths, width);
	for (size_t c = 0; fronts && c < t->n_columns; c++) /* of what is cut */
		fronts[c] = is_there(t, widths, c) && widths[c] < fronts[c]
				    ? front_of(t, c, widths[c], ascii)
				    : 0;

	if (bold)
		mer_str_puts(out, "\033[1m");
	add_row(t, out, widths, NULL, NULL, ascii);
	mer_str_puts(out, bold ? "\033[0m\n" : "\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		add_row(t, out, widths, fronts, t->cells + r * t->n_columns, ascii);
		mer_str_putc(out, '\n');
	}
	free(fronts);
	free(widths);
}

static int print_alone(struct ask *ask, const struct mer_table *t)
{
	struct answer a;
	struct mer_table only = *t;
	answer_init(&a, NULL);
	answer_add_made(&a, &only);
	int rc = ask_answer_print(ask, &a);
	answer_fini(&a);
	return rc;
}

int ask_table_print(struct ask *ask, const struct mer_table *t)
{
	struct mer_str s = { 0 };
	if (ask->format == ASK_FORMAT_JSON || ask->format == ASK_FORMAT_JSONL ||
		ask->format == ASK_FORMAT_CSV || ask->format == ASK_FORMAT_OPENMETRICS)
		return print_alone(ask, t);
	if (t->title && t->n_rows)
		mer_str_printf(&s, "%s\n", t->title);
	ask_table_text(t, &s, (size_t)ask_width(ask), ask->bold_out, ask->ascii);
	s.failed |= t->failed;
	return ask_put(ask, &s, 0);
}
