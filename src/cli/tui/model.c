#include "cli/tui/model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/moment.h"

/* ---- Saying things ---- */

static void say(struct tui *t, bool is_error, const char *fmt, va_list ap)
{
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	t->is_error = is_error;
}

void tui_say(struct tui *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(t, false, fmt, ap);
	va_end(ap);
}

void tui_complain(struct tui *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(t, true, fmt, ap);
	va_end(ap);
}

/* ---- Begin and end ---- */

/* How long the recording is, whose clock it has, and its rows. Without CPU times or disks there are
 * fewer, or in another order: that is no failure. */
static bool ask_tree(struct tui *t)
{
	struct tui_answer tasks, busy = { .tables = NULL }, disks = { .tables = NULL };
	struct tui_words cpu = { .arena = &t->arena }, disk = { .arena = &t->arena };
	tui_words_of(&cpu, "meridian top cpu --limit 0 --leave-out", NULL, 0);
	tui_words_of(&disk, "meridian top disk --bins 1", NULL, 0);
	bool ok = tui_ask(t->source, NULL, &tasks);
	if (ok) {
		const struct session_synced *synced = tasks.tables->synced;
		t->begin = tasks.tables->begin;
		t->end = tasks.tables->end;
		t->reference = synced ? mer_arena_strdup(&t->arena, synced->reference) : "";
		t->n_unsynchronized = synced ? synced->summary.n_unsynchronized : 0;
		ok = t->reference && t->begin <= t->end;
		t->end += t->end < INT64_MAX; /* the last event is in it */
	}
	if (!ok)
		tui_complain(t, "%s", tasks.why.text[0] ? tasks.why.text : "nothing was recorded");
	bool has_busy = ok && tui_ask(t->source, &cpu, &busy);
	if (ok) {
		tui_ask(t->source, &disk, &disks);
		ok = tui_tree_init(
			&t->tree, &tasks, tui_table(&busy, "top"), tui_table(&disks, "bins"));
		t->has_tree = true;
		if (!ok)
			tui_complain(t, "out of memory");
		if (ok && !has_busy) {
			t->tree.hide_idle = false;
			tui_tree_build(&t->tree);
		}
	}
	tui_answer_fini(&tasks);
	tui_answer_fini(&busy);
	tui_answer_fini(&disks);
	return ok;
}

/* The CPU of a stream, by its path. */
static bool cpu_of(const struct mer_table *streams, const char *path, int64_t *cpu)
{
	for (size_t i = 0; path && i < answer_rows(streams); i++) {
		const char *own = answer_text(streams, i, "path");
		if (own && strcmp(own, path) == 0)
			return answer_int(streams, i, "cpu", cpu);
	}
	return false;
}

static void add_loss(struct tui *t, size_t cap, const struct tui_loss *l)
{
	struct tui_loss own = *l;
	own.begin = tui_clamp(t, own.begin);
	own.end = tui_clamp(t, own.end);
	if (t->losses && t->n_losses < cap && own.begin < own.end)
		t->losses[t->n_losses++] = own;
}

/* Of each host what is outside of the lives of its tasks: it was not recorded then. */
static void add_before_and_after(struct tui *t, size_t cap)
{
	for (uint32_t h = 0; h < t->tree.n_hosts; h++) {
		const struct tui_host *host = &t->tree.hosts[h];
		int64_t begin = INT64_MAX, end = INT64_MIN;
		for (size_t i = host->first; i < host->first + host->n; i++) {
			const struct tui_task *k = &t->tree.tasks[i];
			begin = k->begin < begin ? k->begin : begin;
			end = k->end > end ? k->end : end;
		}
		begin = host->n ? begin : t->end;
		add_loss(t, cap, &(struct tui_loss){ h, UINT32_MAX, t->begin, begin });
		/* The last event is in it. */
		if (host->n && end < INT64_MAX)
			add_loss(t, cap, &(struct tui_loss){ h, UINT32_MAX, end + 1, t->end });
	}
}

static bool is_known(const struct mer_table *cpus, const char *host, uint32_t cpu)
{
	for (size_t i = 0; i < answer_rows(cpus); i++) {
		const char *own = answer_text(cpus, i, "host");
		int64_t number, idle = 0, task = 0;
		if (!own || strcmp(own, host) != 0 || !answer_int(cpus, i, "cpu", &number) ||
			number != cpu)
			continue;
		answer_int(cpus, i, "idle_ns", &idle);
		answer_int(cpus, i, "task_ns", &task);
		return idle > 0 || task > 0;
	}
	return false;
}

/* CPUs of which it is never known what they did, as no switches were recorded. */
static void add_unknown_cpus(struct tui *t, size_t cap)
{
	struct tui_answer a;
	struct tui_words w = { .arena = &t->arena };
	tui_words_of(&w, "meridian top cpu --table cpus --limit 0", NULL, 0);
	tui_ask(t->source, &w, &a);
	const struct mer_table *cpus = tui_table(&a, "cpus");
	for (uint32_t h = 0; h < t->tree.n_hosts && a.asked != TUI_GIVEN_UP; h++)
		for (size_t i = 0; i < t->tree.hosts[h].n_cpus; i++) {
			uint32_t cpu = t->tree.hosts[h].cpus[i];
			if (!is_known(cpus, t->tree.hosts[h].name, cpu))
				add_loss(t, cap, &(struct tui_loss){ h, cpu, t->begin, t->end });
		}
	tui_answer_fini(&a);
}

/* When nothing is known of a CPU, so that it is not idle: events were lost, or not recorded. */
static void ask_losses(struct tui *t)
{
	struct tui_answer a;
	struct tui_words w = { .arena = &t->arena };
	tui_words_of(&w, "meridian stats --limit 0", NULL, 0);
	tui_ask(t->source, &w, &a);
	const struct mer_table *losses = tui_table(&a, "losses");
	size_t n = answer_rows(losses), cap = n + 2 * t->tree.n_hosts;
	for (size_t h = 0; h < t->tree.n_hosts; h++)
		cap += t->tree.hosts[h].n_cpus;
	t->losses = mer_arena_zalloc(&t->arena, cap + 1, sizeof(*t->losses));
	for (size_t i = 0; i < n; i++) {
		struct tui_loss l;
		size_t host = tui_tree_host(&t->tree, answer_text(losses, i, "host"));
		int64_t cpu;
		if (host == SIZE_MAX || !answer_int(losses, i, "begin", &l.begin) ||
			!answer_int(losses, i, "end", &l.end))
			continue;
		bool known =
			cpu_of(tui_table(&a, "by_stream"), answer_text(losses, i, "path"), &cpu);
		l.host = (uint32_t)host;
		l.cpu = known ? (uint32_t)cpu : UINT32_MAX;
		add_loss(t, cap, &l);
	}
	tui_answer_fini(&a);
	add_before_and_after(t, cap);
	add_unknown_cpus(t, cap);
}

bool tui_is_lost(const struct tui *t, uint32_t host, uint32_t cpu, int64_t begin, int64_t end)
{
	for (size_t i = 0; i < t->n_losses; i++) {
		const struct tui_loss *l = &t->losses[i];
		bool same = l->host == host &&
			    (cpu == UINT32_MAX || l->cpu == UINT32_MAX || l->cpu == cpu);
		if (same && l->begin < end && l->end > begin)
			return true;
	}
	return false;
}

bool tui_init(struct tui *t, const struct tui_source *source, const char *const *traces,
	size_t n_traces, bool ascii, bool letters)
{
	*t = (struct tui){ .source = source,
		.traces = traces,
		.n_traces = n_traces,
		.ascii = ascii,
		.letters = letters,
		.path_task = SIZE_MAX };
	t->sheet = &t->no_sheet;
	mer_arena_init(&t->arena);
	t->entries = ask_questions(&t->arena, &t->n_entries);
	if (!t->n_entries) {
		tui_complain(t, "out of memory");
		return false;
	}
	if (!ask_tree(t))
		return false;
	ask_losses(t);
	t->view = (struct tui_range){ t->begin, t->end };
	t->at = t->begin + (t->end - t->begin) / 2;
	return true;
}

void tui_fini(struct tui *t)
{
	tui_answer_fini(&t->answer);
	tui_answer_fini(&t->summary);
	tui_answer_fini(&t->lanes);
	tui_answer_fini(&t->disks);
	if (t->has_tree)
		tui_tree_fini(&t->tree);
	mer_str_fini(&t->lanes_target);
	free(t->path);
	mer_arena_fini(&t->arena);
}

/* ---- Ranges ---- */

struct tui_range tui_selected(const struct tui *t)
{
	if (!t->has_a || !t->has_b || t->a == t->b)
		return t->view;
	return t->a < t->b ? (struct tui_range){ t->a, t->b } : (struct tui_range){ t->b, t->a };
}

bool tui_is_whole(const struct tui *t, struct tui_range r)
{
	return r.begin <= t->begin && r.end >= t->end;
}

void tui_range_words(const struct tui *t, struct tui_range r, struct tui_words *w)
{
	if (tui_is_whole(t, r))
		return;
	tui_word(w, "--begin");
	tui_wordf(w, "%" PRId64, r.begin);
	tui_word(w, "--end");
	tui_wordf(w, "%" PRId64, r.end);
}

static void put_in(struct tui *t, struct tui_range r)
{
	int64_t least = t->end - t->begin < 50 ? t->end - t->begin : 50;
	int64_t length = r.end - r.begin;
	length = length < least ? least : length > t->end - t->begin ? t->end - t->begin : length;
	r.begin = r.begin > t->end - length ? t->end - length : r.begin;
	r.begin = r.begin < t->begin ? t->begin : r.begin;
	t->view = (struct tui_range){ r.begin, r.begin + length };
	t->at = t->at < t->view.begin ? t->view.begin : t->at;
	t->at = t->at >= t->view.end ? t->view.end - 1 : t->at;
}

void tui_set_view(struct tui *t, struct tui_range r)
{
	struct tui_range before = t->view;
	put_in(t, r);
	if (before.begin == t->view.begin && before.end == t->view.end)
		return;
	if (t->n_undo == TUI_UNDO)
		memmove(t->undo, t->undo + 1, --t->n_undo * sizeof(*t->undo));
	t->undo[t->n_undo++] = before;
}

int64_t tui_clamp(const struct tui *t, int64_t at)
{
	return at < t->begin ? t->begin : at > t->end ? t->end : at;
}

int64_t tui_after(int64_t begin, int64_t length)
{
	int64_t sum;
	return __builtin_add_overflow(begin, length, &sum) ? begin : sum;
}

void tui_put_offset(struct mer_str *out, const struct tui *t, int64_t at)
{
	int64_t ns = at - t->begin;
	mer_str_printf(out, "%c%" PRId64 ".%06" PRId64 " s", ns < 0 ? '-' : '+',
		(ns < 0 ? -ns : ns) / 1000000000, (ns < 0 ? -ns : ns) % 1000000000 / 1000);
}

/* ---- From page to page ---- */

void tui_go(struct tui *t, enum tui_page page)
{
	if (page == t->page)
		return;
	if (t->n_back == TUI_BACK)
		memmove(t->back, t->back + 1, --t->n_back * sizeof(*t->back));
	t->back[t->n_back++] = t->page;
	t->page = page;
}

static void go_back(struct tui *t)
{
	if (t->page == TUI_PAGE_TABLE && t->n_before) {
		t->question = t->before[--t->n_before];
		tui_table_again(t);
	} else if (t->n_back) {
		t->page = t->back[--t->n_back];
	} else {
		t->page = TUI_PAGE_FINDINGS;
	}
}

void tui_show_place(struct tui *t, size_t task, int64_t begin, int64_t end)
{
	if (begin != INT64_MIN) {
		begin = tui_clamp(t, begin);
		end = tui_clamp(t, end);
		end = end > begin ? end : begin;
		int64_t room = (end - begin) / 2 > 500000 ? (end - begin) / 2 : 500000;
		t->at = begin + (end - begin) / 2;
		tui_set_view(t, (struct tui_range){ begin - room, end + room });
		t->at = begin + (end - begin) / 2;
		put_in(t, t->view);
	}
	size_t row = tui_tree_show(&t->tree, task);
	if (row != SIZE_MAX)
		t->row = row;
	tui_go(t, TUI_PAGE_TIMELINE);
}

/* ---- Prompts ---- */

static void open_prompt(struct tui *t, unsigned kind)
{
	t->prompt = kind;
	t->input[0] = '\0';
	if (kind == 'F')
		snprintf(t->input, sizeof(t->input), "%s", t->question.filter);
}

static void go_to_time(struct tui *t, const char *text)
{
	struct session_moment m;
	struct mer_err err = { 0 };
	if (session_moment_parse(&m, text, &err)) {
		tui_complain(t, "%s", err.text);
		return;
	}
	int64_t at = session_moment_resolve(&m, t->begin, t->end - 1, t->at);
	int64_t length = t->view.end - t->view.begin;
	if (at < t->begin || at >= t->end) {
		tui_complain(t, "%s is not in the recording", text);
		return;
	}
	t->at = at;
	if (at < t->view.begin || at >= t->view.end)
		tui_set_view(t, (struct tui_range){ at - length / 2, at - length / 2 + length });
}

static void search(struct tui *t, bool back)
{
	if (!t->search[0])
		tui_say(t, "/ searches");
	else if (t->page == TUI_PAGE_TIMELINE)
		tui_timeline_search(t, back);
	else if (t->page == TUI_PAGE_TABLE)
		tui_table_search(t, back);
	else
		tui_say(t, "search rows of the timeline (2) or of a table (3)");
}

static void finish_prompt(struct tui *t)
{
	unsigned kind = t->prompt;
	t->prompt = 0;
	if (kind == '/') {
		snprintf(t->search, sizeof(t->search), "%s", t->input);
		search(t, false);
	} else if (kind == 'g' && t->input[0]) {
		go_to_time(t, t->input);
	} else if (kind == 'F') {
		snprintf(t->question.filter, sizeof(t->question.filter), "%s", t->input);
		t->question.row = 0;
		tui_table_again(t);
	}
}

static void put_utf8(char *to, size_t size, uint32_t ch)
{
	size_t n = strlen(to);
	unsigned char bytes[4];
	size_t len = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	if (n + len >= size)
		return;
	for (size_t i = len; i-- > 1; ch >>= 6)
		bytes[i] = (unsigned char)(0x80 | (ch & 0x3f));
	bytes[0] = (unsigned char)(len == 1 ? ch : marks[len] | ch);
	memcpy(to + n, bytes, len);
	to[n + len] = '\0';
}

static void backspace(char *text)
{
	size_t n = strlen(text);
	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

static void prompt_key(struct tui *t, uint32_t key)
{
	if (key == TUI_KEY_ESC) {
		t->prompt = 0;
	} else if (key == '?' && !t->input[0]) { /* nothing has such a name: help is meant */
		t->prompt = 0;
		t->shows_help = true;
	} else if (key == TUI_KEY_ENTER)
		finish_prompt(t);
	else if (key == TUI_KEY_BACKSPACE)
		backspace(t->input);
	else if (key == 0x15) /* Ctrl+U */
		t->input[0] = '\0';
	else if (key >= 0x20 && !(key >= 0x7f && key < 0xa0) && key < 0x110000)
		put_utf8(t->input, sizeof(t->input), key);
}

/* ---- Keys ---- */

static void refresh(struct tui *t)
{
	t->home_range = (struct tui_range){ 0, 0 };
	mer_str_clear(&t->lanes_target);
	t->disks_bins = 0;
	if (t->page == TUI_PAGE_TABLE)
		tui_table_again(t);
}

static bool page_key(struct tui *t, uint32_t key)
{
	switch (t->page) {
	case TUI_PAGE_FINDINGS: return tui_findings_key(t, key);
	case TUI_PAGE_TIMELINE: return tui_timeline_key(t, key);
	case TUI_PAGE_TABLE: return tui_table_key(t, key);
	}
	return false;
}

static void global_key(struct tui *t, uint32_t key)
{
	switch (key) {
	case 'q':
	case 'Q': t->wants_quit = true; break;
	case '?': t->shows_help = true; break;
	case '1': tui_go(t, TUI_PAGE_FINDINGS); break;
	case '2': tui_go(t, TUI_PAGE_TIMELINE); break;
	case '3':
		if (t->question.entry)
			tui_go(t, TUI_PAGE_TABLE);
		else
			t->shows_menu = true;
		break;
	case 't': t->shows_menu = true; break;
	case 'y': t->shows_command = !t->shows_command; break;
	case 'L': t->letters = !t->letters; break;
	case 'R': refresh(t); break;
	case '/': open_prompt(t, '/'); break;
	case 'g': open_prompt(t, 'g'); break;
	case 'n': search(t, false); break;
	case 'N': search(t, true); break;
	case 'F':
		if (t->page == TUI_PAGE_TABLE && t->question.entry && t->question.entry->has_filter)
			open_prompt(t, 'F');
		else
			tui_say(t,
				"only tables of facts have a filter (t lists tables); / searches");
		break;
	case TUI_KEY_ESC:
	case TUI_KEY_BACKSPACE: go_back(t); break;
	default:
		if (key >= 0x20)
			tui_say(t, "that key does nothing here; ? lists the keys");
		break;
	}
}

void tui_key(struct tui *t, uint32_t key)
{
	t->message[0] = '\0';
	t->is_error = false;
	if (t->prompt)
		prompt_key(t, key);
	else if (t->shows_help)
		tui_help_key(t, key);
	else if (t->shows_menu)
		tui_menu_key(t, key);
	else if (!page_key(t, key))
		global_key(t, key);
}

void tui_command(struct tui *t, struct mer_str *out)
{
	struct mer_arena arena;
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	if (t->page == TUI_PAGE_FINDINGS)
		tui_findings_command(t, &w);
	else if (t->page == TUI_PAGE_TIMELINE)
		tui_timeline_command(t, &w);
	else
		tui_table_command(t, &w);
	bool aligns_itself =
		w.n && (strcmp(w.at[0], "sync") == 0 || strcmp(w.at[0], "latency") == 0);
	for (const char *const *p = t->clock_words; p && *p && w.n && !aligns_itself; p++)
		tui_word(&w, *p);
	if (w.n)
		tui_words_line(&w, t->traces, t->n_traces, out);
	mer_arena_fini(&arena);
}
