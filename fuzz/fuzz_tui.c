/* Fuzzer of the terminal's model: the first line are keys, what follows is every answer,
 * whatever was asked. Whatever they are, the view stays inside of the recording, and no cell has
 * what a terminal would obey. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "ask/answer_bytes.h"
#include "base/err.h"
#include "cli/tui/model.h"
#include "check.h"

struct input {
	const char *text;
	size_t len;
};

/* What a session needs to begin is fixed, all else is the input. */
static void put_tasks(struct answer *a)
{
	static const struct mer_column hosts[] = { { "host", NULL, MER_TEXT }, { 0 } };
	static const struct mer_column cpus[] = { { "row", NULL, MER_ID }, { "cpu", NULL, MER_ID },
		{ 0 } };
	static const struct mer_column tasks[] = { { "row", NULL, MER_ID },
		{ "task", NULL, MER_ID }, { "tid", NULL, MER_ID }, { "pid", NULL, MER_ID },
		{ "comm", NULL, MER_TEXT }, { 0 } };
	answer_init(a, NULL);
	a->begin = 1000;
	a->end = 999999;
	mer_table_add(answer_add(a, "hosts", NULL, hosts), (struct mer_cell[]){ mer_text("a") });
	mer_table_add(
		answer_add(a, "cpus", NULL, cpus), (struct mer_cell[]){ MER_INT(0), MER_INT(0) });
	mer_table_add(answer_add(a, "tasks", NULL, tasks),
		(struct mer_cell[]){ MER_INT(0), MER_INT(1), MER_INT(7), MER_INT(7), MER_NONE });
}

static void answer(
	void *ctx, const struct tui_words *words, const char *lanes, struct tui_answer *a)
{
	const struct input *in = ctx;
	bool is_there = true;
	if (lanes) {
		mer_str_add(&a->bytes, in->text, in->len);
	} else if (!(a->tables = calloc(1, sizeof(*a->tables)))) {
		is_there = false;
	} else if (!words) {
		put_tasks(a->tables);
	} else {
		is_there = answer_from_bytes(a->tables, in->text, in->len);
	}
	if (is_there)
		a->asked = TUI_ANSWERED;
	else
		mer_fail(&a->why, MER_ERR_INPUT, "no answer");
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
