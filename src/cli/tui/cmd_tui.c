/* meridian tui: the traces in a terminal: findings, timeline, tables. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "cli/serve/asker.h"
#include "ask/session.h"
#include "cli/tui/model.h"
#include "cli/tui/screen.h"
#include "cli/tui/worker.h"
#include "ask/verb.h"

enum { KEYS = 64, QUIET_NS = 300000000 }; /* so long a question may take without a word */

struct terminal {
	struct tui_worker worker;
	struct tui_cells cells;
	struct tui tui;
	uint32_t keys[KEYS]; /* that came while somebody waited */
	size_t n_keys;
	bool is_ready, ascii;
};

/* ---- While one waits ---- */

static bool fit(struct terminal *x)
{
	int w, h;
	tui_screen_size(&w, &h);
	if (x->cells.at && x->cells.w == w && x->cells.h == h)
		return true;
	tui_cells_fini(&x->cells);
	return tui_cells_init(&x->cells, w, h, x->ascii);
}

static void show_reading(struct terminal *x)
{
	struct tui_cells *c = &x->cells;
	uint64_t done, total;
	struct mer_str bytes = { 0 };
	if (!fit(x))
		return;
	tui_cells_clear(c);
	tui_worker_progress(&x->worker, &done, &total);
	int y = c->h / 2 - 1, width = c->w < 60 ? c->w - 4 : 56, left = (c->w - width) / 2;
	tui_put(c, left, y, width, TUI_BOLD, "meridian: reading traces");
	if (total > 0) {
		int filled = (int)((double)width * (double)done / (double)total);
		mer_put_bytes(&bytes, (int64_t)done);
		mer_str_puts(&bytes, " of ");
		mer_put_bytes(&bytes, (int64_t)total);
		tui_fill(c, left, y + 1, width, TUI_DIM, 0xb7);
		tui_fill(c, left, y + 1, filled < width ? filled : width, TUI_USER, 0x2588);
		tui_put(c, left, y + 2, width, TUI_PLAIN, bytes.data ? bytes.data : "");
	}
	tui_put(c, left, y + 3, width, TUI_DIM, "q quits");
	tui_screen_show(c);
	mer_str_fini(&bytes);
}

/* words NULL: for what is drawn. */
static void show_asking(struct terminal *x, const struct tui_words *words)
{
	struct mer_str text = { 0 };
	if (!fit(x))
		return;
	mer_str_puts(&text, "asking");
	for (size_t i = 0; words && i < words->n; i++)
		mer_str_printf(&text, " %s", words->at[i]);
	mer_str_puts(&text, " ... Esc: do not wait");
	tui_fill(&x->cells, 0, x->cells.h - 1, x->cells.w, TUI_BAR, ' ');
	tui_put(&x->cells, 0, x->cells.h - 1, x->cells.w, TUI_BAR, text.data ? text.data : "");
	tui_screen_show(&x->cells);
	mer_str_fini(&text);
}

static bool on_wait(void *ctx, const struct tui_words *words, int64_t since_ns)
{
	struct terminal *x = ctx;
	for (;;) {
		uint32_t key = tui_screen_key(0);
		if (key == SCREEN_ENDED || key == TUI_KEY_ESC || (key == 'q' && !x->is_ready)) {
			if (key == 'q' || key == TUI_KEY_ESC)
				x->tui.wants_quit = !x->is_ready;
			return false;
		}
		if (key == SCREEN_NO_KEY)
			break;
		if (key == SCREEN_RESIZED) {
			fit(x);
			break;
		}
		if (x->n_keys < KEYS)
			x->keys[x->n_keys++] = key;
	}
	if (!x->is_ready)
		show_reading(x);
	else if (since_ns > QUIET_NS)
		show_asking(x, words);
	return true;
}

/* ---- From key to key ---- */

static uint32_t next_key(struct terminal *x)
{
	if (!x->n_keys)
		return tui_screen_key(-1);
	uint32_t key = x->keys[0];
	memmove(x->keys, x->keys + 1, --x->n_keys * sizeof(*x->keys));
	return key;
}

static void go_on(struct terminal *x)
{
	while (!x->tui.wants_quit && fit(x)) {
		tui_draw(&x->tui, &x->cells);
		tui_screen_show(&x->cells);
		uint32_t key = next_key(x);
		if (key == SCREEN_ENDED)
			break;
		if (key != SCREEN_RESIZED && key != SCREEN_NO_KEY)
			tui_key(&x->tui, key);
	}
}

/* "--sync none --vm G=H:PID": of the commands that are shown. */
static const char *const *clock_words(struct ask *ask)
{
	const char **words = mer_arena_zalloc(&ask->arena, 2 * ask->vms.n + 3, sizeof(*words));
	size_t n = 0;
	if (words && ask->sync) {
		words[n++] = "--sync";
		words[n++] = ask->sync;
	}
	for (size_t i = 0; words && i < ask->vms.n; i++) {
		words[n++] = "--vm";
		words[n++] = ask->vms.item[i];
	}
	return words;
}

static int show(struct ask *ask, struct terminal *x)
{
	bool color = ask->bold_out;
	int rc = tui_screen_open(ask->ascii, &color, &ask->err);
	if (rc)
		return rc;
	show_reading(x);
	rc = tui_worker_start(&x->worker, &ask->err);
	struct tui_source source = { tui_worker_ask, &x->worker };
	bool quits = x->tui.wants_quit;
	if (rc == 0) {
		bool ok = tui_init(
			&x->tui, &source, ask->args, ask->n_args, ask->ascii, !color || ask->ascii);
		quits = x->tui.wants_quit;
		x->tui.clock_words = clock_words(ask);
		x->is_ready = ok;
		if (ok)
			go_on(x);
		else if (!tui_screen_signal() && !quits)
			rc = mer_fail(&ask->err, MER_ERR_INPUT, "%s", x->tui.message);
	}
	tui_screen_close();
	int ended = tui_screen_signal();
	if (ended && ended != SIGINT) {
		signal(ended, SIG_DFL);
		raise(ended);
	}
	if (ended)
		return MER_ERR_CANCELLED;
	return rc == MER_ERR_CANCELLED && quits ? 0 : rc;
}

static int run(struct ask *ask, const void *values)
{
	struct mer_session_options session;
	(void)values;
	if (!tui_screen_is_built())
		return mer_fail(&ask->err, MER_ERR_SYS,
			"this meridian was built without ncurses: install libncurses-dev and build it again; or use 'meridian serve' or 'meridian summary'");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"tui needs a terminal; 'meridian summary' prints the findings, 'meridian report -o FILE.html' writes a page");
	int rc = ask_session_options(ask, &session);
	if (rc)
		return rc;
	/* Many questions: what answers all of them is made once. */
	session.store = session.cache_folder != NULL;
	struct terminal *x = calloc(1, sizeof(*x));
	if (!x)
		return mer_fail_nomem(&ask->err);
	x->ascii = ask->ascii;
	x->worker.wait = on_wait;
	x->worker.ctx = x;
	const struct ask_asker asker = cli_asker(ask);
	x->worker.options = (struct server_options){ .paths = ask->args,
		.n_paths = ask->n_args,
		.session = &session,
		.asker = &asker,
		.surroundings = cli_surroundings(ask) };
	rc = show(ask, x);
	tui_worker_stop(&x->worker);
	tui_fini(&x->tui);
	tui_cells_fini(&x->cells);
	free(x);
	return rc;
}

const struct ask_verb cli_verb_tui = {
	.name = "tui",
	.help = "look at the traces in a terminal",
	.synopsis = "[OPTION...] TRACE...",
	.description =
		"Shows the traces in the terminal, also over ssh: first what stands out, from there the timeline of all hosts, CPUs, disks and tasks, critical paths, and tables to sort, filter and follow. 80x24 is enough; ? lists the keys.\n"
		"\n"
		"1 findings, 2 timeline, 3 table; t lists all tables; Enter goes to the place or to the cause of a wait; q quits. y shows the command that prints what you see.",
	.more =
		"Tables are of the time from A to B if both are marked, else of what the timeline shows. Every number is that of the command that y shows. The first time the traces are read once and a store of them is put into the cache; later it opens at once.\n"
		"\n"
		"With colours, a column's height is how much of its time the row was busy. Without (NO_COLOR, TERM=vt100, --color never) and without UTF-8, states are letters: U user mode, S system call, K kernel thread, I interrupted, R runnable, small where less than half of the column is; waits: d disk, n network, t timer, l lock, p pipe, - others; ? unknown; # on the critical path. L changes between both.",
	.uses = ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT,
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian tui client/ server/", "Two hosts on one clock." },
		{ "meridian tui --color never server/", "States as letters." },
	},
	.run = run,
};
