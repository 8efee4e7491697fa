#include "cli/tui/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/utf.h"

enum { MOST = 2000, ELLIPSIS = 0x2026 }; /* columns or rows */

bool tui_cells_init(struct tui_cells *c, int w, int h, bool ascii)
{
	*c = (struct tui_cells){ .ascii = ascii };
	if (w < 1 || h < 1 || w > MOST || h > MOST)
		return false;
	c->at = calloc((size_t)w * (size_t)h, sizeof(*c->at));
	if (!c->at)
		return false;
	c->w = w;
	c->h = h;
	tui_cells_clear(c);
	return true;
}

void tui_cells_fini(struct tui_cells *c)
{
	free(c->at);
	*c = (struct tui_cells){ 0 };
}

void tui_cells_clear(struct tui_cells *c)
{
	for (size_t i = 0; i < (size_t)c->w * (size_t)c->h; i++)
		c->at[i] = (struct tui_cell){ ' ', TUI_PLAIN };
}

/* ---- Characters ---- */

/* Is it surely one column wide, on all terminals? */
static bool is_one_wide(uint32_t ch)
{
	return (ch >= 0x20 && ch < 0x7f) || (ch >= 0xa0 && ch < 0x300 && ch != 0xad) ||
	       (ch >= 0x370 && ch < 0x483) || (ch >= 0x48a && ch < 0x530) ||
	       (ch >= 0x2010 && ch < 0x2028) || (ch >= 0x2030 && ch < 0x2060) ||
	       (ch >= 0x2190 && ch < 0x21ff) || (ch >= 0x2500 && ch < 0x25fd);
}

static uint32_t in_ascii(uint32_t ch)
{
	static const struct {
		uint32_t ch;
		char as;
	} same[] = { { ELLIPSIS, '~' }, { 0x2502, '|' }, { 0x25b8, '+' }, { 0x25be, '-' },
		{ 0x2192, '>' }, { 0x2190, '<' }, { 0x2191, '^' }, { 0x2193, 'v' }, { 0x394, 'd' },
		{ 0x2013, '-' }, { 0xb7, '.' }, { 0x25b2, '^' }, { 0x25bc, 'v' }, { 0xb5, 'u' } };
	if (ch < 0x7f)
		return ch;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (same[i].ch == ch)
			return (unsigned char)same[i].as;
	return ch >= 0x2500 && ch < 0x2580 ? '-' : ch >= 0x2580 && ch < 0x25a0 ? '#' : '?';
}

void tui_cell(struct tui_cells *c, int x, int y, unsigned style, uint32_t ch)
{
	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return;
	ch = is_one_wide(ch) ? ch : '?';
	c->at[(size_t)y * (size_t)c->w + (size_t)x] =
		(struct tui_cell){ c->ascii ? in_ascii(ch) : ch, (uint8_t)style };
}

/* ---- Texts ---- */

/* As code points that may be shown: no control characters, no bytes that are not UTF-8. Returns
 * how many; those beyond max are not written. */
static int to_cells(const char *text, uint32_t *to, int max)
{
	struct mer_str safe = { 0 };
	int n = 0;
	mer_safe_add(&safe, text, strlen(text));
	for (size_t i = 0, len; i < safe.len; i += len, n++) {
		len = mer_safe_length(safe.data + i, safe.len - i);
		if (!len)
			break; /* cannot be: it was made safe */
		if (n < max)
			to[n] = mer_code_point(safe.data + i, len);
	}
	mer_str_fini(&safe);
	return n;
}

int tui_width(const char *text, bool ascii)
{
	(void)ascii; /* replacements are as wide */
	return to_cells(text, NULL, 0);
}

int tui_put(struct tui_cells *c, int x, int y, int width, unsigned style, const char *text)
{
	uint32_t chars[MOST];
	width = width < c->w - x ? width : c->w - x;
	if (width <= 0)
		return 0;
	int n = to_cells(text, chars, width);
	if (n > width)
		chars[width - 1] = ELLIPSIS;
	n = n < width ? n : width;
	for (int i = 0; i < n; i++)
		tui_cell(c, x + i, y, style, chars[i]);
	return n;
}

int tui_putf(struct tui_cells *c, int x, int y, int width, unsigned style, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tui_put(c, x, y, width, style, text);
}

void tui_put_right(struct tui_cells *c, int x, int y, int width, unsigned style, const char *text)
{
	int n = tui_width(text, c->ascii);
	int room = n < width ? width - n : 0;
	tui_put(c, x + room, y, width - room, style, text);
}

void tui_fill(struct tui_cells *c, int x, int y, int width, unsigned style, uint32_t ch)
{
	for (int i = 0; i < width && x + i < c->w; i++)
		tui_cell(c, x + i, y, style, ch);
}

void tui_restyle(struct tui_cells *c, int x, int y, int width, unsigned style)
{
	if (y < 0 || y >= c->h)
		return;
	for (int i = x < 0 ? 0 : x; i < x + width && i < c->w; i++) {
		uint8_t *at = &c->at[(size_t)y * (size_t)c->w + (size_t)i].style;
		*at = (uint8_t)(style == TUI_REVERSE ? *at | TUI_REVERSE : style);
	}
}
