/* Questions of the timeline: pictures of lanes, exact spans, what ended a wait, the path. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/human.h"
#include "cli/tui/model.h"

/* ---- Pictures ---- */

size_t tui_n_lanes(const struct tui_tree *tree, const struct tui_row *r)
{
	size_t n = r->kind == TUI_ROW_HOST	? tree->hosts[r->host].n_cpus
		   : r->kind == TUI_ROW_PROCESS ? r->n
		   : r->kind == TUI_ROW_DISK	? 0
						: 1;
	return n < TUI_STRIPS ? n : TUI_STRIPS;
}

static void add_lane(
	const struct tui_tree *tree, const struct tui_row *r, size_t i, struct mer_str *target)
{
	const struct tui_host *h = &tree->hosts[r->host];
	bool is_cpu = r->kind == TUI_ROW_HOST || r->kind == TUI_ROW_CPU;
	uint32_t number = r->kind == TUI_ROW_HOST  ? h->cpus[i]
			  : r->kind == TUI_ROW_CPU ? (uint32_t)r->first
						   : tree->tasks[r->first + i].number;
	bool is_first = target->data[target->len - 1] == '=';
	mer_str_printf(target, "%s%c%%3A%" PRIu32 "%%3A%" PRIu32, is_first ? "" : "%2C",
		is_cpu ? 'c' : 't', r->host, number);
}

static void begin_target(struct mer_str *target, int64_t begin, int64_t end, int bins)
{
	mer_str_printf(target, "api/lanes?begin=%" PRId64 "&end=%" PRId64 "&bins=%d&lanes=", begin,
		end, bins);
}

/* A CPU below its host, or a thread below its process, whose lanes are there already: a lane is
 * asked for once. */
static bool is_inside(const struct tui_tree *tree, const struct tui_row *outer,
	const struct tui_row *r, size_t *i)
{
	const struct tui_host *h = &tree->hosts[r->host];
	bool found = false;
	if (!outer || outer->host != r->host)
		return false;
	if (outer->kind == TUI_ROW_PROCESS && r->kind == TUI_ROW_TASK) {
		*i = r->first - outer->first;
		found = r->first >= outer->first;
	} else if (outer->kind == TUI_ROW_HOST && r->kind == TUI_ROW_CPU) {
		for (*i = 0; *i < h->n_cpus && h->cpus[*i] != r->first;)
			++*i;
		found = true;
	}
	return found && *i < tui_n_lanes(tree, outer);
}

static void add_lanes(struct tui *t, size_t from, size_t to, struct mer_str *target)
{
	const struct tui_row *host = NULL, *process = NULL;
	size_t n = 0, host_lane = 0, process_lane = 0, i;
	for (size_t row = from; row < to && !target->failed; row++) {
		const struct tui_row *r = &t->tree.rows[row];
		size_t *lane = &t->lane_of[row - from];
		if (is_inside(&t->tree, host, r, &i)) {
			*lane = host_lane + i;
			continue;
		}
		if (is_inside(&t->tree, process, r, &i)) {
			*lane = process_lane + i;
			continue;
		}
		*lane = n;
		if (r->kind == TUI_ROW_HOST) {
			host = r;
			host_lane = n;
		} else if (r->kind == TUI_ROW_PROCESS) {
			process = r;
			process_lane = n;
		}
		for (i = 0; i < tui_n_lanes(&t->tree, r); i++, n++)
			add_lane(&t->tree, r, i, target);
	}
}

void tui_want_lanes(struct tui *t, size_t from, size_t to, int columns)
{
	struct mer_str target = { 0 };
	int bins = columns * 4 < 4096 ? columns * 4 : 4096;
	begin_target(&target, t->view.begin, t->view.end, bins);
	to = to < t->tree.n_rows ? to : t->tree.n_rows;
	if (!target.failed)
		add_lanes(t, from, to - from < TUI_MOST_ROWS ? to : from + TUI_MOST_ROWS, &target);
	if (target.failed || (t->lanes_target.len == target.len &&
				     memcmp(t->lanes_target.data, target.data, target.len) == 0)) {
		mer_str_fini(&target);
		return;
	}
	tui_answer_fini(&t->lanes);
	t->picture = (struct tui_picture){ 0 };
	if (tui_ask_lanes(t->source, target.data, &t->lanes) &&
		!tui_picture_read(&t->picture, t->lanes.bytes.data, t->lanes.bytes.len))
		mer_fail(&t->lanes.why, MER_ERR_INPUT, "the states of these rows cannot be read");
	mer_str_fini(&t->lanes_target);
	t->lanes_target = target;
}

void tui_want_disks(struct tui *t, int columns)
{
	struct mer_arena arena;
	bool have = t->disks_bins == columns && t->disks_range.begin == t->view.begin &&
		    t->disks_range.end == t->view.end;
	if (have)
		return;
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	tui_word(&w, "top");
	tui_word(&w, "disk");
	tui_word(&w, "--bins");
	tui_wordf(&w, "%d", columns);
	tui_range_words(t, t->view, &w);
	tui_answer_fini(&t->disks);
	tui_ask(t->source, &w, &t->disks);
	t->disks_range = t->view;
	t->disks_bins = columns;
	mer_arena_fini(&arena);
}

/* ---- Exact spans ---- */

/* Of a lane in begin..end, cut to that; its times are rounded down to units. */
static bool span_in(struct tui *t, const struct tui_row *r, int64_t begin, int64_t end, int64_t at,
	struct tui_span *s, int64_t *unit)
{
	struct mer_str target = { 0 };
	struct tui_answer a = { .tables = NULL };
	struct tui_picture p = { 0 };
	begin_target(&target, begin, end, 1);
	if (!target.failed)
		add_lane(&t->tree, r, 0, &target);
	mer_str_puts(&target, "&exact=1");
	bool ok = !target.failed && tui_ask_lanes(t->source, target.data, &a) &&
		  tui_picture_read(&p, a.bytes.data, a.bytes.len) && tui_picture_at(&p, 0, at, s);
	if (!ok && a.why.text[0])
		tui_complain(t, "%s", a.why.text);
	*unit = p.unit;
	tui_answer_fini(&a);
	mer_str_fini(&target);
	return ok;
}

/* Of parts of seconds, units are more than a nanosecond: its ends again, from close by. */
static void refine(struct tui *t, const struct tui_row *r, struct tui_span *s, int64_t begin_unit,
	int64_t end_unit)
{
	struct tui_span one;
	int64_t unit, begin = s->begin, end = s->end;
	if (begin_unit > 1 && end - begin > 2 * begin_unit &&
		span_in(t, r, begin, begin + 2 * begin_unit, begin + begin_unit, &one, &unit))
		s->begin = one.begin;
	if (end_unit > 1 && end - begin > 2 * end_unit && end < t->end &&
		span_in(t, r, end - end_unit, end + 2 * end_unit, end - 1, &one, &unit))
		s->end = one.end;
}

bool tui_exact_span(struct tui *t, const struct tui_row *r, int64_t at, struct tui_span *s)
{
	struct tui_span one;
	int64_t begin_unit = 1, end_unit = 1;
	if (r->kind != TUI_ROW_CPU && r->kind != TUI_ROW_TASK)
		return false;
	/* A span that fills a part to its edge goes on: twice as much then. So no more is read than
	 * twice the span. */
	int64_t width = (t->view.end - t->view.begin) / 64 + 1000, begin = at, end = at + 1;
	bool found = false;
	for (int64_t w = width;; w *= 2) {
		begin = at - t->begin > w ? at - w : t->begin;
		if (!span_in(t, r, begin, at + 1, at, &one, &begin_unit))
			break;
		*s = one;
		found = true;
		if (one.begin > begin || begin == t->begin)
			break;
	}
	for (int64_t w = width; found; w *= 2) {
		end = t->end - at > w ? at + w : t->end;
		if (!span_in(t, r, at, end, at, &one, &end_unit) || one.state != s->state)
			break;
		s->end = one.end;
		if (one.end < end || end == t->end)
			break;
	}
	if (found)
		refine(t, r, s, begin_unit, end_unit);
	bool is_cpu = r->kind == TUI_ROW_CPU;
	if (!found && !t->message[0])
		tui_say(t, !is_cpu ? "nothing is known of this row at that moment"
			   : tui_is_lost(t, r->host, (uint32_t)r->first, at, at + 1)
				   ? "what this CPU did then was lost, or not recorded"
				   : "this CPU was idle at that moment");
	return found;
}

void tui_move_to(struct tui *t, int64_t at)
{
	int64_t length = t->view.end - t->view.begin;
	at = at < t->begin ? t->begin : at >= t->end ? t->end - 1 : at;
	t->at = at;
	if (at < t->view.begin || at >= t->view.end)
		tui_set_view(t, (struct tui_range){ at - length / 2, at - length / 2 + length });
	t->at = at;
}

/* ---- What ended a wait ---- */

static void of_task(const struct tui *t, const struct tui_task *k, struct tui_words *w)
{
	tui_word(w, "--tid");
	tui_wordf(w, "%" PRId64, k->tid);
	tui_word(w, "--host");
	tui_word(w, t->tree.hosts[k->host].name);
}

static void of_span(const struct tui_span *s, struct tui_words *w)
{
	tui_word(w, "--begin");
	tui_wordf(w, "%" PRId64, s->begin);
	tui_word(w, "--end");
	tui_wordf(w, "%" PRId64, s->end);
}

/* Goes to a task there; what: what it did. */
static bool jump(struct tui *t, const char *host, int64_t tid, int64_t at, const char *what)
{
	size_t task = tui_tree_task(&t->tree, host, tid, at);
	size_t row = task == SIZE_MAX ? SIZE_MAX : tui_tree_show(&t->tree, task);
	if (row == SIZE_MAX)
		return false;
	t->row = row;
	tui_move_to(t, at);
	tui_say(t, "%s %s/%" PRId64 " on %s; u goes back", what, t->tree.tasks[task].comm, tid,
		host);
	return true;
}

/* The last link of the wait's path that leads to the task. */
static bool to_waker(
	struct tui *t, const struct tui_task *k, const struct tui_span *s, struct mer_arena *arena)
{
	struct tui_words w = { .arena = arena };
	struct tui_answer a;
	tui_word(&w, "path");
	of_task(t, k, &w);
	of_span(s, &w);
	tui_ask(t->source, &w, &a);
	const struct mer_table *links = tui_table(&a, "links"); /* NULL, if it failed */
	size_t last = answer_rows(links);
	for (size_t i = 0; i < answer_rows(links); i++) {
		const char *host = answer_text(links, i, "to_host");
		int64_t tid;
		if (host && answer_int(links, i, "to_tid", &tid) && tid == k->tid &&
			strcmp(host, t->tree.hosts[k->host].name) == 0)
			last = i;
	}
	int64_t tid = -1, at = 0;
	const char *host = answer_text(links, last, "from_host"),
		   *kind = answer_text(links, last, "kind");
	bool is_packet = kind && strcmp(kind, "network") == 0;
	bool has_tid = answer_int(links, last, "from_tid", &tid);
	bool found = host && answer_int(links, last, "from_time", &at);
	if (found && has_tid)
		found = jump(t, host, tid, at > t->begin ? at - 1 : t->begin,
			is_packet ? "ended by a packet of" : "ended by");
	else if (found) {
		tui_move_to(t, at);
		tui_say(t, "ended by the kernel of %s%s", host, is_packet ? ", with a packet" : "");
	}
	tui_answer_fini(&a);
	return found;
}

/* Nobody is known: what the wait was for. */
static void say_wait(
	struct tui *t, const struct tui_task *k, const struct tui_span *s, struct mer_arena *arena)
{
	struct tui_words w = { .arena = arena };
	struct tui_answer a;
	tui_word(&w, "blocked");
	tui_word(&w, "--all");
	tui_word(&w, "--flat");
	of_task(t, k, &w);
	of_span(s, &w);
	bool ok = tui_ask(t->source, &w, &a);
	const struct mer_table *waits = tui_table(&a, "waits");
	if (!ok) {
		tui_complain(t, "%s", a.why.text);
	} else if (answer_rows(waits)) {
		const char *call = answer_text(waits, 0, "call");
		const char *object = answer_text(waits, 0, "object");
		const char *cause = answer_text(waits, 0, "cause");
		tui_say(t, "%s%s%s: %s; no other task ended it", call ? call : "a wait",
			object ? " " : "", object ? object : "", cause ? cause : "cause unknown");
	} else {
		tui_say(t, "what ended this wait is not known");
	}
	tui_answer_fini(&a);
}

/* Who has the CPU that the task waits for: the path of that time names it, "nginx/158". */
static void to_runner(
	struct tui *t, const struct tui_task *k, const struct tui_span *s, struct mer_arena *arena)
{
	struct tui_words w = { .arena = arena };
	struct tui_answer a;
	const char *host = t->tree.hosts[k->host].name, *detail = NULL;
	tui_word(&w, "path");
	of_task(t, k, &w);
	of_span(s, &w);
	tui_ask(t->source, &w, &a);
	const struct mer_table *segments = tui_table(&a, "segments"); /* NULL, if it failed */
	for (size_t i = 0; i < answer_rows(segments) && !detail; i++) {
		const char *state = answer_text(segments, i, "state");
		if (state && strcmp(state, "runnable") == 0)
			detail = answer_text(segments, i, "detail");
	}
	const char *tid = detail ? strrchr(detail, '/') : NULL;
	if (a.why.text[0])
		tui_complain(t, "%s", a.why.text);
	else if (!tid || !jump(t, host, strtoll(tid + 1, NULL, 10), t->at, "runnable behind"))
		tui_say(t, "runnable: who had the CPU is not known");
	tui_answer_fini(&a);
}

void tui_to_cause(struct tui *t)
{
	const struct tui_row row = t->tree.rows[t->row];
	struct mer_arena arena;
	struct tui_span s;
	char words[80];
	if (!tui_exact_span(t, &row, t->at, &s))
		return;
	if (row.kind == TUI_ROW_CPU) {
		for (size_t i = 0; i < t->tree.n_tasks; i++) {
			const struct tui_task *k = &t->tree.tasks[i];
			if (k->host == row.host && k->number == s.task) {
				jump(t, t->tree.hosts[k->host].name, k->tid, t->at, "on this CPU:");
				return;
			}
		}
		return;
	}
	const struct tui_task *k = &t->tree.tasks[row.first];
	mer_arena_init(&arena);
	if (s.state == KERNEL_RUNNABLE)
		to_runner(t, k, &s, &arena);
	else if (s.state != KERNEL_BLOCKED && s.state != KERNEL_STOPPED && s.state != KERNEL_NEW)
		tui_say(t, "%s: this is no wait; , and . go to other spans",
			tui_state_words(s.state, s.cause, words, sizeof(words)));
	else if (!to_waker(t, k, &s, &arena))
		say_wait(t, k, &s, &arena);
	mer_arena_fini(&arena);
}

/* ---- The path ---- */

static void forget_path(struct tui *t)
{
	for (size_t i = 0; i < t->tree.n_tasks; i++)
		t->tree.tasks[i].on_path = false;
	t->n_path = 0;
	t->path_task = SIZE_MAX;
	t->tree.only_path = false;
}

static bool add_segment(struct tui *t, const struct mer_table *segments, size_t row)
{
	struct tui_segment s;
	int64_t tid;
	const char *host = answer_text(segments, row, "host");
	if (!host || !answer_int(segments, row, "tid", &tid) ||
		!answer_int(segments, row, "begin", &s.begin) ||
		!answer_int(segments, row, "end", &s.end))
		return true; /* of no task */
	s.begin = tui_clamp(t, s.begin);
	s.end = tui_clamp(t, s.end);
	s.task = s.begin < s.end ? tui_tree_task(&t->tree, host, tid, s.begin) : SIZE_MAX;
	if (s.task == SIZE_MAX)
		return true;
	if (!mer_grow(&t->path, t->n_path, &t->cap_path, sizeof(*t->path)))
		return false;
	t->path[t->n_path++] = s;
	t->tree.tasks[s.task].on_path = true;
	return true;
}

/* The selected row again, after rows have changed. */
static void build_around(struct tui *t, size_t task)
{
	t->tree.keep = task;
	tui_tree_build(&t->tree);
	size_t row = tui_tree_row_of(&t->tree, task);
	t->row = row != SIZE_MAX ? row : t->row < t->tree.n_rows ? t->row : 0;
}

void tui_toggle_path(struct tui *t)
{
	const struct tui_row row = t->tree.rows[t->row];
	struct mer_arena arena;
	struct tui_answer a;
	if (row.kind != TUI_ROW_TASK) {
		if (t->path_task == SIZE_MAX)
			tui_say(t, "select a thread: p draws its critical path");
		forget_path(t);
		tui_tree_build(&t->tree);
		t->row = t->row < t->tree.n_rows ? t->row : 0;
		return;
	}
	bool is_same = t->path_task == row.first;
	forget_path(t);
	if (is_same) {
		build_around(t, row.first);
		return;
	}
	mer_arena_init(&arena);
	struct tui_words w = { .arena = &arena };
	t->path_range = tui_selected(t);
	tui_word(&w, "path");
	of_task(t, &t->tree.tasks[row.first], &w);
	tui_range_words(t, t->path_range, &w);
	bool ok = tui_ask(t->source, &w, &a);
	const struct mer_table *segments = tui_table(&a, "segments");
	size_t n = answer_rows(segments);
	for (size_t i = 0; ok && i < n; i++)
		ok = add_segment(t, segments, i);
	if (ok) {
		struct mer_str length = { 0 };
		t->path_task = row.first;
		t->path_ns = 0;
		answer_int(tui_table(&a, "path"), 0, "total_ns", &t->path_ns);
		mer_put_duration(&length, t->path_ns);
		tui_say(t, "critical path: %s, %zu segments; o: only its rows, P: as a list",
			length.data ? length.data : "", n);
		mer_str_fini(&length);
	} else {
		tui_complain(t, "%s", a.why.text[0] ? a.why.text : "out of memory");
	}
	tui_answer_fini(&a);
	mer_arena_fini(&arena);
	build_around(t, row.first);
}
