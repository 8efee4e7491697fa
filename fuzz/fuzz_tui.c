/* Fuzzer of the terminal's model: the first line are keys, what follows is every answer,
 * whatever was asked. Whatever they are, the view stays inside of the recording, and no cell has
 * what a terminal would obey. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cli/tui/model.h"
#include "check.h"

struct input {
	const char *text;
	size_t len;
};

/* What a session needs to begin is fixed, all else is the input. */
static enum tui_asked answer(void *ctx, const char *target, struct mer_str *body)
{
	const struct input *in = ctx;
	if (strcmp(target, "api/status") == 0)
		mer_str_puts(body, "{\"begin\":1000,\"end\":999999,\"reference\":\"a\"}");
	else if (strncmp(target, "api/tasks", 9) == 0 && (!in->len || in->text[0] != '{'))
		mer_str_puts(body,
			"{\"hosts\":[{\"name\":\"a\",\"cpus\":[0],\"tasks\":[{\"task\":1,\"tid\":7,\"pid\":7}]}]}");
	else
		mer_str_add(body, in->text, in->len);
	return TUI_ANSWERED;
}

static void look(struct tui *t, struct tui_cells *c)
{
	tui_draw(t, c);
	for (int i = 0; i < c->w * c->h; i++)
		check(c->at[i].ch >= 0x20 && (c->at[i].ch < 0x7f || c->at[i].ch >= 0xa0));
	check(t->begin <= t->view.begin && t->view.begin < t->view.end && t->view.end <= t->end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t special[] = { TUI_KEY_UP, TUI_KEY_DOWN, TUI_KEY_LEFT, TUI_KEY_RIGHT,
		TUI_KEY_ENTER, TUI_KEY_ESC, TUI_KEY_TAB, TUI_KEY_END };
	const uint8_t *line = memchr(data, '\n', size);
	size_t n = line ? (size_t)(line - data) : 0;
	struct input in = { (const char *)data + n + (line != NULL), size - n - (line != NULL) };
	struct tui_source source = { answer, &in };
	struct tui_cells c;
	struct tui *t = calloc(1, sizeof(*t));
	if (!t)
		return 0;
	if (tui_cells_init(&c, 80, 24, false) && tui_init(t, &source, NULL, 0, false, false)) {
		look(t, &c);
		for (size_t i = 0; i < n && i < 40; i++) {
			tui_key(t, data[i] < 0x20 ? special[data[i] % 8] : data[i]);
			look(t, &c);
		}
	}
	tui_fini(t);
	tui_cells_fini(&c);
	free(t);
	return 0;
}
