/* The terminal's pages without a terminal: keys in, cells out, on a made recording; golden screens
 * in tests/cli/tui (UPDATE=1 writes them); and any keys on a real recording. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/program.h"
#include "cli/serve/asker.h"
#include "cli/tui/model.h"
#include "expected.h"
#include "given.h"
#include "server/server.h"
#include "tui_made.h"

static const char *const traces[] = { "my trace" };

struct shown {
	struct made made;
	struct tui_source source;
	struct tui t;
	struct tui_cells c;
	struct mer_str text;
};

static struct shown *show(int w, int h, bool ascii)
{
	struct shown *s = calloc(1, sizeof(*s));
	assert_non_null(s);
	s->source = made_source(&s->made);
	assert_true(tui_init(&s->t, &s->source, traces, 1, ascii, ascii));
	assert_true(tui_cells_init(&s->c, w, h, ascii));
	tui_draw(&s->t, &s->c);
	return s;
}

static void end(struct shown *s)
{
	tui_fini(&s->t);
	tui_cells_fini(&s->c);
	mer_str_fini(&s->text);
	free(s);
}

static void type(struct shown *s, const char *keys)
{
	for (; *keys; keys++) {
		tui_key(&s->t, *keys == '\n' ? TUI_KEY_ENTER : (uint32_t)(unsigned char)*keys);
		tui_draw(&s->t, &s->c);
	}
}

static void press(struct shown *s, uint32_t key)
{
	tui_key(&s->t, key);
	tui_draw(&s->t, &s->c);
}

static void add_utf8(struct mer_str *out, uint32_t ch)
{
	if (ch < 0x80) {
		mer_str_putc(out, (char)ch);
	} else if (ch < 0x800) {
		mer_str_putc(out, (char)(0xc0 | ch >> 6));
		mer_str_putc(out, (char)(0x80 | (ch & 0x3f)));
	} else {
		mer_str_putc(out, (char)(0xe0 | ch >> 12));
		mer_str_putc(out, (char)(0x80 | (ch >> 6 & 0x3f)));
		mer_str_putc(out, (char)(0x80 | (ch & 0x3f)));
	}
}

/* The characters, line by line, without blanks at their ends. */
static void put_cells(const struct tui_cells *c, struct mer_str *out)
{
	for (int y = 0; y < c->h; y++) {
		const struct tui_cell *row = c->at + (size_t)y * (size_t)c->w;
		int n = c->w;
		while (n && row[n - 1].ch == ' ')
			n--;
		for (int x = 0; x < n; x++)
			add_utf8(out, row[x].ch);
		mer_str_putc(out, '\n');
	}
}

static const char *text(struct shown *s)
{
	mer_str_clear(&s->text);
	put_cells(&s->c, &s->text);
	assert_false(s->text.failed);
	return s->text.data;
}

static void has(struct shown *s, const char *what)
{
	if (!strstr(text(s), what))
		fail_msg("'%s' is not in\n%s", what, s->text.data);
}
static void lacks(struct shown *s, const char *what)
{
	if (strstr(text(s), what))
		fail_msg("'%s' is in\n%s", what, s->text.data);
}

static void golden(struct shown *s, const char *name)
{
	char file[300];
	snprintf(file, sizeof(file), "tests/cli/tui/%s.screen", name);
	text(s);
	expected_is(file, &s->text);
}

/* ---- Cells ---- */

static void only_what_a_terminal_may_get(const struct tui_cells *c)
{
	for (int i = 0; i < c->w * c->h; i++) {
		uint32_t ch = c->at[i].ch;
		if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || (ch >= 0x200b && ch < 0x2010) ||
			(ch >= 0x202a && ch < 0x202f) || (c->ascii && ch >= 0x7f))
			fail_msg("U+%04X at %d,%d", (unsigned)ch, i % c->w, i / c->w);
	}
}

static void hostile_texts(void **state)
{
	(void)state;
	static const char *const texts[] = { "\x1b[2J",
		"\x9b"
		"1m",
		"a\nb\tc\r", "\xc2\x9b",
		"\xe2\x80\xae"
		"abc",
		"\xff\xfe", "\xe4\xb8\xad", "e\xcc\x81", "\xf0\x9f\x98\x80", "\x7f",
		"\xe2\x80\x8b" };
	for (int ascii = 0; ascii < 2; ascii++) {
		struct tui_cells c;
		assert_true(tui_cells_init(&c, 60, 11, ascii));
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			int n = tui_put(&c, 0, (int)i, 60, TUI_PLAIN, texts[i]);
			assert_int_equal(n, tui_width(texts[i], ascii));
			only_what_a_terminal_may_get(&c);
		}
		tui_cells_fini(&c);
	}
}

static void texts_that_are_too_long(void **state)
{
	(void)state;
	struct tui_cells c;
	struct mer_str s = { 0 };
	assert_true(tui_cells_init(&c, 10, 3, false));
	assert_int_equal(tui_put(&c, 0, 0, 5, TUI_PLAIN, "abcdefgh"), 5);
	assert_int_equal(tui_put(&c, 8, 1, 5, TUI_PLAIN, "abc"), 2);
	tui_put_right(&c, 0, 2, 8, TUI_PLAIN, "abc");
	tui_put(&c, -3, 7, 5, TUI_PLAIN, "abc"); /* outside: nothing */
	put_cells(&c, &s);
	assert_string_equal(s.data, "abcd\xe2\x80\xa6\n        a\xe2\x80\xa6\n     abc\n");
	mer_str_fini(&s);
	tui_cells_fini(&c);
	assert_false(tui_cells_init(&c, 0, 5, false));
	assert_false(tui_cells_init(&c, 100000, 100000, false));
}

/* ---- Pictures ---- */

static void a_cut_picture(void **state)
{
	(void)state;
	struct made m = { 0 };
	struct tui_source source = made_source(&m);
	struct tui_answer a;
	char target[300];
	snprintf(target, sizeof(target),
		"api/lanes?begin=%" PRId64 "&end=%" PRId64
		"&bins=1&lanes=t%%3A0%%3A1%%2Cc%%3A1%%3A0",
		MADE_BEGIN, MADE_BEGIN + MADE_NS);
	assert_true(tui_ask_lanes(&source, target, &a));
	struct tui_picture p;
	struct tui_span s;
	assert_true(tui_picture_read(&p, a.bytes.data, a.bytes.len));
	assert_int_equal(p.n_lanes, 2);
	assert_true(tui_picture_at(&p, 0, MADE_BEGIN + 2000000, &s));
	assert_int_equal(s.state, KERNEL_BLOCKED);
	assert_int_equal(s.end - s.begin, 4000000);
	assert_false(tui_picture_at(&p, 1, MADE_BEGIN + 2999999, &s));
	assert_true(tui_picture_at(&p, 1, MADE_BEGIN + 3000000, &s));
	assert_false(tui_picture_at(&p, 1, MADE_BEGIN + 5000000, &s));
	assert_false(tui_picture_at(&p, 2, MADE_BEGIN, &s));
	for (size_t n = 0; n < a.bytes.len; n++) {
		void *part = malloc(n + 1);
		memcpy(part, a.bytes.data, n);
		assert_false(tui_picture_read(&p, part, n));
		free(part);
	}
	tui_answer_fini(&a);
}

static void what_stands_for_a_column(void **state)
{
	(void)state;
	struct made m = { 0 };
	struct tui_source source = made_source(&m);
	struct tui_answer a;
	char target[300];
	struct tui_picture p;
	struct tui_column k[4];
	snprintf(target, sizeof(target),
		"api/lanes?begin=%" PRId64 "&end=%" PRId64
		"&bins=1&lanes=t%%3A0%%3A1%%2Cc%%3A1%%3A0",
		MADE_BEGIN, MADE_BEGIN + MADE_NS);
	assert_true(tui_ask_lanes(&source, target, &a));
	assert_true(tui_picture_read(&p, a.bytes.data, a.bytes.len));
	/* 0..2.5 ms: 2 user, 0.5 blocked; 2.5..5 blocked; 5..7.5: 1 blocked, 1.5 in a call;
	 * 7.5..10: 0.5 in a call, 2 blocked. What runs goes before what sleeps. */
	tui_picture_columns(&p, 0, 1, MADE_BEGIN, MADE_BEGIN + MADE_NS, k, 4);
	assert_int_equal(k[0].state, KERNEL_USER);
	assert_true(k[0].share > 0.799 && k[0].share < 0.801);
	assert_int_equal(k[1].state, KERNEL_BLOCKED);
	assert_int_equal(k[1].cause, KERNEL_NETWORK);
	assert_true(k[1].share > 0.999);
	assert_int_equal(k[2].state, KERNEL_SYSCALL);
	assert_true(k[2].share > 0.599 && k[2].share < 0.601);
	assert_int_equal(k[3].state, KERNEL_SYSCALL);
	assert_true(k[3].share > 0.199 && k[3].share < 0.201);
	/* Of both lanes together it is the mean; before 3 ms nothing was on the CPU of b. */
	tui_picture_columns(&p, 0, 2, MADE_BEGIN, MADE_BEGIN + MADE_NS, k, 4);
	assert_true(k[0].share > 0.399 && k[0].share < 0.401);
	assert_true(k[1].share > 0.399 && k[1].share < 0.401); /* 2 of 5 ms */
	assert_int_equal(k[1].state, KERNEL_USER);
	tui_answer_fini(&a);
}

/* ---- Pages ---- */

static void the_answer_comes_first(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	has(s, "a: tasks waited 4.00 ms for packets in flight");
	has(s, "70.2 %");
	has(s, "b: the tracer discarded 7 events");
	lacks(s, "not of interest");
	golden(s, "findings");
	/* Enter on the first finding goes to its longest wait, of the task. */
	type(s, "\n");
	assert_int_equal(s->t.page, TUI_PAGE_TIMELINE);
	has(s, "srv/10  +0.004000 s  blocked: network for 4.00 ms");
	assert_true(s->t.view.end < s->t.end); /* the wait, with some time around it */
	golden(s, "finding-place");
	/* Back. */
	press(s, TUI_KEY_ESC);
	assert_int_equal(s->t.page, TUI_PAGE_FINDINGS);
	/* The second one is no place: the table that its command prints, which is not there. */
	press(s, TUI_KEY_DOWN);
	type(s, "\n");
	assert_int_equal(s->t.page, TUI_PAGE_TABLE);
	has(s, "no such table in this made recording");
	end(s);
}

static void rows_of_the_timeline(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	type(s, "2");
	golden(s, "timeline");
	lacks(s, "idler"); /* it never ran */
	type(s, "i");
	has(s, "idler/21");
	type(s, "i");
	/* The busiest process first; its threads below it. */
	has(s, "srv (2)");
	lacks(s, "srv-io/11");
	type(s, "/srv (\n");
	type(s, " ");
	has(s, "srv-io/11");
	type(s, " ");
	lacks(s, "srv-io/11");
	/* What is folded or hidden is found. */
	type(s, "/idl\n");
	has(s, "idler/21  ");
	type(s, "/no such\n");
	has(s, "no row is called 'no such'");
	/* Nothing has such a name: whoever types it into an empty field wants the keys. */
	type(s, "/?");
	assert_true(s->t.shows_help && !s->t.prompt);
	press(s, TUI_KEY_ESC);
	type(s, "/a?");
	assert_true(!s->t.shows_help && s->t.prompt);
	press(s, TUI_KEY_ESC);
	only_what_a_terminal_may_get(&s->c);
	end(s);
}

static void lost_is_not_idle(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	type(s, "2/CPU 0\n");
	type(s, "n"); /* that of b */
	type(s, "g+0.0065s\n");
	has(s, "CPU 0  +0.006500 s  unknown: lost, or not recorded");
	type(s, "g+0.0085s\n");
	has(s, "CPU 0  +0.008500 s  idle");
	/* No switch of CPU 1 was recorded. */
	type(s, "/CPU 1\n");
	type(s, "g+0.0005s\n");
	has(s, "CPU 1  +0.000500 s  unknown: lost, or not recorded");
	/* So of two CPUs one was busy, and the other is not idle. Between the two it was known. */
	press(s, TUI_KEY_UP);
	press(s, TUI_KEY_UP);
	has(s, "a  +0.000500 s  busy, mostly user mode, 50 % of 172 us, part unknown");
	type(s, "g+0.005s\n");
	has(s, "a  +0.005000 s  busy, mostly user mode, 50 % of 172 us");
	lacks(s, "part unknown");
	/* The last event is in the recording: nothing is unknown behind it. */
	type(s, "/CPU 0\n");
	press(s, TUI_KEY_END);
	lacks(s, "unknown: lost");
	end(s);
}

static void hands(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	struct tui_range whole = s->t.view;
	assert_true(whole.begin == MADE_BEGIN && whole.end == MADE_BEGIN + MADE_NS);
	type(s, "2w");
	assert_int_equal(s->t.view.end - s->t.view.begin, MADE_NS / 2);
	type(s, "w");
	struct tui_range before = s->t.view;
	type(s, "d");
	assert_true(s->t.view.begin > before.begin);
	assert_int_equal(s->t.view.end - s->t.view.begin, before.end - before.begin);
	type(s, "u");
	assert_memory_equal(&s->t.view, &before, sizeof(before));
	type(s, "f");
	assert_memory_equal(&s->t.view, &whole, sizeof(whole));
	type(s, "uuu");
	assert_memory_equal(&s->t.view, &whole, sizeof(whole));
	type(s, "u");
	has(s, "nothing to undo");
	/* However far one zooms, the view stays inside, and the cursor in it. */
	for (int i = 0; i < 60; i++)
		type(s, "w");
	assert_true(s->t.view.end > s->t.view.begin && s->t.at >= s->t.view.begin &&
		    s->t.at < s->t.view.end);
	type(s, "ssssssssssssssss");
	for (int i = 0; i < 60; i++)
		type(s, "aaa");
	assert_true(s->t.view.begin == whole.begin);
	for (int i = 0; i < 60; i++)
		type(s, "s");
	assert_memory_equal(&s->t.view, &whole, sizeof(whole));
	/* Times that are typed. */
	type(s, "g+0.003s\n");
	assert_int_equal(s->t.at - MADE_BEGIN, 3000000);
	type(s, "g+7s\n");
	has(s, "+7s is not in the recording");
	end(s);
}

static void along_spans(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	type(s, "2/srv (\n");
	type(s, " ");
	type(s, "/srv/10\n");
	type(s, "g+0.001s\n");
	type(s, ".");
	assert_int_equal(s->t.at - MADE_BEGIN, 2000000);
	type(s, ".");
	assert_int_equal(s->t.at - MADE_BEGIN, 6000000);
	type(s, ",");
	assert_int_equal(s->t.at - MADE_BEGIN, 2000000);
	type(s, "M"); /* the span, exactly, however wide the columns are */
	assert_true(s->t.has_a && s->t.has_b);
	assert_int_equal(s->t.a - MADE_BEGIN, 2000000);
	assert_int_equal(s->t.b - MADE_BEGIN, 6000000);
	has(s, "A..B 4.00 ms");
	type(s, "z");
	assert_int_equal(s->t.view.end - s->t.view.begin, 4000000);
	type(s, "C");
	lacks(s, "A..B");
	end(s);
}

static void a_wait_leads_to_its_cause(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	type(s, "2/srv (\n");
	type(s, " /srv/10\n");
	type(s, "g+0.003s\n");
	type(s, "\n");
	assert_true(made_was_asked(&s->made,
		"path --tid 10 --host a --begin 1000000000002000000 --end 1000000000006000000 "));
	has(s, "ended by a packet of evil");
	assert_int_equal(s->t.at - MADE_BEGIN, 4999999);
	assert_int_equal(s->t.tree.rows[s->t.row].host, 1);
	only_what_a_terminal_may_get(&s->c);
	/* What runs waits for nobody. */
	type(s, "\n");
	has(s, "user mode: this is no wait");
	end(s);
}

/* To who has the CPU; when that cannot be asked, why, and the cursor stays. */
static void what_is_runnable_leads_to_who_runs(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	type(s, "2/job\n");
	type(s, "g+0.004s\n");
	s->made.refuses = "path ";
	type(s, "\n");
	has(s, "job/20  +0.004000 s  runnable for 8.00 ms");
	has(s, "no such table in this made recording");
	s->made.refuses = NULL;
	type(s, "\n");
	assert_true(made_was_asked(&s->made,
		"path --tid 20 --host a --begin 1000000000000000000 --end 1000000000008000000 "));
	has(s, "runnable behind srv-io/11 on a; u goes back");
	has(s, "srv-io/11  +0.004000 s  user mode for 8.00 ms");
	end(s);
}

static void the_path_is_drawn(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, true);
	type(s, "2/srv (\n");
	type(s, " /srv/10\n");
	type(s, "p");
	has(s, "critical path: 4.00 ms, 3 segments");
	assert_int_equal(s->t.n_path, 2); /* the third is of no task */
	golden(s, "path-ascii");
	type(s, "o");
	has(s, "rows of the path");
	lacks(s, "job/20");
	lacks(s, "srv-io/11");
	type(s, "p");
	assert_int_equal(s->t.n_path, 0);
	has(s, "job/20");
	/* As a list. */
	type(s, "P");
	has(s, "Critical path of a task --tid 10 --host a");
	press(s, TUI_KEY_TAB);
	has(s, "segments");
	has(s, "1.00 ms");
	end(s);
}

static void open_top_cpu(struct shown *s)
{
	type(s, "t");
	type(s, "top cpu");
	type(s, "\n");
}

static void tables_are_of_the_range(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	open_top_cpu(s);
	golden(s, "table");
	assert_true(made_was_asked(&s->made, "top cpu --limit 1000 --leave-out"));
	type(s, "y");
	has(s, "meridian top cpu --limit 1000 'my trace'");
	s->t.clock_words = (const char *const[]){ "--sync", "none", NULL };
	tui_draw(&s->t, &s->c);
	has(s, "meridian top cpu --limit 1000 --sync none 'my trace'");
	s->t.clock_words = NULL;
	/* Of what the timeline shows, or of A..B. */
	type(s, "2g+0.002s\n");
	type(s, "Ag+0.006s\n");
	type(s, "B3");
	assert_true(made_was_asked(&s->made,
		"top cpu --limit 1000 --begin 1000000000002000000 --end 1000000000006000000"));
	has(s, "--begin 1000000000002000000 --end");
	/* In another order: the program's. */
	type(s, ">");
	assert_true(made_was_asked(&s->made, "top cpu --limit 1000 --sort host --begin"));
	type(s, "<r");
	assert_true(made_was_asked(&s->made,
		"top cpu --limit 1000 --sort percent --begin 1000000000002000000 --end 1000000000006000000 --reverse"));
	/* The filter goes to the program as it is. */
	type(s, "Fself_ns > 1ms && comm == \"s*\"\n");
	assert_true(made_was_asked(
		&s->made, "top cpu --limit 1000 --filter self_ns > 1ms && comm == \"s*\""));
	end(s);
}

static void below_a_row(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	open_top_cpu(s);
	press(s, TUI_KEY_DOWN);
	type(s, "\n");
	has(s, "Time slices on a CPU --host a --tid 10");
	type(s, "\n"); /* one of them: its place */
	assert_int_equal(s->t.page, TUI_PAGE_TIMELINE);
	has(s, "srv/10  +0.007000 s  system call for 2.00 ms");
	press(s, TUI_KEY_ESC);
	has(s, "Time slices on a CPU --host a --tid 10");
	press(s, TUI_KEY_ESC); /* the row that it was */
	has(s, "CPU usage by thread");
	assert_int_equal(s->t.question.row, 1);
	type(s, "v");
	has(s, "srv/10");
	/* Names are shown as they may be. */
	type(s, "3/evil\n");
	has(s, "evil\\x1b[2J");
	only_what_a_terminal_may_get(&s->c);
	end(s);
}

static void answers_that_are_not_waited_for(void **state)
{
	(void)state;
	struct shown *s = show(80, 24, false);
	s->made.gives_up = true;
	open_top_cpu(s);
	has(s, "not waited for; R asks again");
	type(s, "2w");
	has(s, "not waited for");
	s->made.gives_up = false;
	type(s, "R");
	lacks(s, "not waited for");
	type(s, "3R");
	has(s, "8.00 ms");
	end(s);
}

static void sizes(void **state)
{
	(void)state;
	for (int w = 1; w < 130; w += 7)
		for (int h = 1; h < 40; h += 3) {
			struct shown *s = show(w, h, w % 2);
			type(s, "2w?");
			type(s, "q");
			type(s, "t");
			type(s, "top cpu\ny");
			only_what_a_terminal_may_get(&s->c);
			char size[40];
			snprintf(size, sizeof(size), "%dx%d is too small:", w, h);
			if (w >= 24 && (w < 50 || h < 12))
				has(s, size);
			end(s);
		}
}

static void help_screen(void **state)
{
	(void)state;
	struct shown *s = show(80, 40, true);
	type(s, "?");
	golden(s, "help-ascii");
	end(s);
}

/* ---- A real recording ---- */

struct real {
	struct ask ask;
	struct ask_asker asker;
	struct server *server;
	struct mer_session_options session; /* the server borrows it */
	const char *paths[1];
};

static void ask_real(
	void *ctx, const struct tui_words *words, const char *lanes, struct tui_answer *a)
{
	struct real *r = ctx;
	struct http_answer http = { 0 };
	struct mer_str rooted = { 0 };
	if (!lanes) {
		a->tables = calloc(1, sizeof(*a->tables));
		int rc = words ? server_tables(r->server, words->at, words->n, a->tables, &a->why)
			       : server_all_tasks(r->server, a->tables, &a->why);
		a->asked = rc ? TUI_REFUSED : TUI_ANSWERED;
		return;
	}
	mer_str_printf(&rooted, "/%s", lanes);
	server_ask(r->server, rooted.data, &http);
	mer_str_fini(&rooted);
	a->bytes = http.body;
	a->asked = http.status == 200 ? TUI_ANSWERED : TUI_REFUSED;
}

static void open_real(struct real *r, const char *name)
{
	static char path[4096], cache[4096];
	struct mer_err err = { 0 };
	given_path(path, sizeof(path), name);
	memset(r, 0, sizeof(*r));
	mer_arena_init(&r->ask.arena);
	r->session.size = sizeof(r->session);
	snprintf(cache, sizeof(cache), "%s/test-cache/meridian", given_environment("BUILD"));
	r->session.cache_folder = cache;
	r->session.store = true;
	r->paths[0] = path;
	r->ask.args = r->paths;
	r->ask.n_args = 1;
	r->ask.program = &cli_program;
	r->asker = cli_asker(&r->ask);
	struct server_options o = {
		.paths = r->paths, .n_paths = 1, .session = &r->session, .asker = &r->asker
	};
	if (server_open(&o, &r->server, &err))
		fail_msg("%s", err.text);
}

static void close_real(struct real *r)
{
	server_stop(r->server);
	mer_arena_fini(&r->ask.arena);
}

/* Each is a command that the program takes. */
static void all_tables(void **state)
{
	(void)state;
	struct real r;
	struct tui t;
	open_real(&r, "lab/wget-cold-hot");
	struct tui_source source = { ask_real, &r };
	size_t n_rows = 0;
	assert_true(tui_init(&t, &source, r.paths, 1, false, false));
	t.w = 80;
	t.h = 24;
	for (size_t i = 0; i < t.n_entries; i++) {
		if (!t.entries[i].in_menu)
			continue;
		tui_table_open(&t, &t.entries[i], NULL, false);
		if (t.answer.why.text[0] && !strstr(t.answer.why.text, "recorded"))
			fail_msg("%s %s %s: %s", t.entries[i].verb,
				t.entries[i].analysis ? t.entries[i].analysis->id : "",
				t.entries[i].table ? t.entries[i].table : "", t.answer.why.text);
		n_rows += t.sheet->n_rows;
		/* And of a part of the time, sorted by each end. */
		t.view.begin = t.begin + (t.end - t.begin) / 3;
		tui_key(&t, '>');
		tui_key(&t, '<');
		tui_key(&t, '<');
		if (t.answer.why.text[0] && !strstr(t.answer.why.text, "recorded"))
			fail_msg("%s %s by %s: %s", t.entries[i].verb,
				t.entries[i].analysis ? t.entries[i].analysis->id : "",
				t.question.sort, t.answer.why.text);
		t.view.begin = t.begin;
	}
	assert_true(n_rows > 1000);
	tui_fini(&t);
	close_real(&r);
}

/* Where events are missing a CPU is not idle; and events have what they say. */
static void losses_and_events(void **state)
{
	(void)state;
	struct real r;
	struct tui t;
	open_real(&r, "lab/lost-events");
	struct tui_source source = { ask_real, &r };
	assert_true(tui_init(&t, &source, r.paths, 1, false, false));
	/* The first two losses of CPU 0, and between them. */
	const int64_t one = INT64_C(1795227652123426669), two = INT64_C(1795227652145594297);
	assert_true(tui_is_lost(&t, 0, 0, one - 10, one - 5));
	assert_false(tui_is_lost(&t, 0, 0, one + 5, two - 5));
	assert_true(tui_is_lost(&t, 0, 0, two + 5, two + 10));
	tui_table_open(&t, tui_entry_find(&t, "events", NULL, NULL), NULL, false);
	assert_int_equal(t.sheet->n_rows, 1000);
	assert_string_equal(answer_text(t.sheet, 0, "host"), "lossy");
	assert_non_null(strstr(answer_text(t.sheet, 0, "payload"), "="));
	tui_fini(&t);
	close_real(&r);
}

/* The second time they come from the cache: the same ones, and none for what is refused. */
static void answers_are_kept(void **state)
{
	(void)state;
	static const char *const words[] = { "summary", "--limit", "3" }, *const wrong[] = { "top",
		"nonsense" };
	struct real r;
	struct mer_str json[2] = { { 0 } };
	struct mer_err err = { 0 };
	struct answer a;
	open_real(&r, "lab/wget-cold-hot");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(server_tables(r.server, words, 3, &a, &err), 0);
		assert_int_equal(answer_json(&a, 0, a.n, &json[i], NULL, &err), 0);
		answer_fini(&a);
		assert_int_equal(server_tables(r.server, wrong, 2, &a, &err), MER_ERR_USAGE);
		assert_non_null(strstr(err.text, "nonsense"));
		answer_fini(&a);
	}
	assert_string_equal(json[0].data, json[1].data);
	server_cancel(r.server); /* what is not kept is not made any more */
	assert_int_equal(server_tables(r.server, words, 3, &a, &err), 0);
	answer_fini(&a);
	assert_int_equal(server_tables(r.server, words, 1, &a, &err), MER_ERR_CANCELLED);
	answer_fini(&a);
	mer_str_fini(&json[0]);
	mer_str_fini(&json[1]);
	close_real(&r);
}

/* A prompt takes every character but controls, and gives the last one back. */
static void what_is_typed(void **state)
{
	(void)state;
	static const struct {
		uint32_t key;
		const char *bytes; /* that it adds */
	} keys[] = { { ' ', " " }, { '~', "~" }, { 0x1f, "" }, { 0x7f, "" }, { 0x9f, "" },
		{ 0xa1, "\xc2\xa1" }, { 0x7ff, "\xdf\xbf" }, { 0x800, "\xe0\xa0\x80" },
		{ 0xffff, "\xef\xbf\xbf" }, { 0x10000, "\xf0\x90\x80\x80" },
		{ 0x10ffff, "\xf4\x8f\xbf\xbf" }, { 0x110000, "" } };
	struct shown *s = show(80, 24, false);
	press(s, '/');
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		tui_key(&s->t, 'a');
		tui_key(&s->t, keys[i].key);
		assert_string_equal(s->t.input + 1, keys[i].bytes);
		if (keys[i].bytes[0])
			tui_key(&s->t, TUI_KEY_BACKSPACE);
		assert_string_equal(s->t.input, "a");
		tui_key(&s->t, TUI_KEY_BACKSPACE);
		tui_key(&s->t, TUI_KEY_BACKSPACE); /* of nothing */
		assert_string_equal(s->t.input, "");
	}
	/* What does not fit as a whole is not taken. */
	for (int i = 0; i < TUI_INPUT - 2; i++)
		tui_key(&s->t, 'b');
	assert_int_equal(strlen(s->t.input), TUI_INPUT - 2);
	tui_key(&s->t, 0xe9);
	assert_int_equal(strlen(s->t.input), TUI_INPUT - 2);
	tui_key(&s->t, 'c');
	tui_key(&s->t, 'd');
	assert_int_equal(strlen(s->t.input), TUI_INPUT - 1);
	assert_int_equal(s->t.input[TUI_INPUT - 2], 'c');
	tui_key(&s->t, 0x15);
	assert_string_equal(s->t.input, "");
	end(s);
}

static void any_keys(void **state)
{
	(void)state;
	static const uint32_t special[] = { TUI_KEY_UP, TUI_KEY_DOWN, TUI_KEY_LEFT, TUI_KEY_RIGHT,
		TUI_KEY_PAGE_UP, TUI_KEY_PAGE_DOWN, TUI_KEY_HOME, TUI_KEY_END, TUI_KEY_ENTER,
		TUI_KEY_ESC, TUI_KEY_TAB, TUI_KEY_BACKSPACE };
	static const char plain[] = "1223wwssadfu,.[]ABMCz pPoxi/gntvrR<>yLF?0";
	struct real r;
	struct tui t;
	struct tui_cells c;
	open_real(&r, "lab/wget-cold-hot");
	struct tui_source source = { ask_real, &r };
	assert_true(tui_init(&t, &source, r.paths, 1, false, false));
	uint64_t x = 88172645463325252u;
	for (int i = 0; i < 1500; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		int w = 20 + (int)(x >> 20) % 140, h = 5 + (int)(x >> 30) % 50;
		if (i % 40 == 0) {
			if (i)
				tui_cells_fini(&c);
			assert_true(
				tui_cells_init(&c, w < 20 ? 80 : w, h < 5 ? 24 : h, x % 3 == 0));
		}
		tui_draw(&t, &c);
		only_what_a_terminal_may_get(&c);
		assert_true(t.begin <= t.view.begin && t.view.begin < t.view.end &&
			    t.view.end <= t.end);
		assert_true(t.at >= t.begin && t.at < t.end);
		tui_key(&t, x % 3 ? (uint32_t)(unsigned char)plain[(x >> 8) % (sizeof(plain) - 1)]
				  : special[(x >> 8) % 12]);
	}
	tui_cells_fini(&c);
	tui_fini(&t);
	close_real(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_texts),
		cmocka_unit_test(texts_that_are_too_long),
		cmocka_unit_test(a_cut_picture),
		cmocka_unit_test(what_stands_for_a_column),
		cmocka_unit_test(the_answer_comes_first),
		cmocka_unit_test(rows_of_the_timeline),
		cmocka_unit_test(lost_is_not_idle),
		cmocka_unit_test(hands),
		cmocka_unit_test(along_spans),
		cmocka_unit_test(a_wait_leads_to_its_cause),
		cmocka_unit_test(what_is_runnable_leads_to_who_runs),
		cmocka_unit_test(the_path_is_drawn),
		cmocka_unit_test(tables_are_of_the_range),
		cmocka_unit_test(below_a_row),
		cmocka_unit_test(answers_that_are_not_waited_for),
		cmocka_unit_test(sizes),
		cmocka_unit_test(help_screen),
		cmocka_unit_test(all_tables),
		cmocka_unit_test(losses_and_events),
		cmocka_unit_test(answers_are_kept),
		cmocka_unit_test(what_is_typed),
		cmocka_unit_test(any_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
