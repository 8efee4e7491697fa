/* The table of events: any part of it by number or by time, searched by regular expressions. The
 * index says where they are read from. */
#include <inttypes.h>
#include <string.h>
#include "ask/library/api.h"
#include "ask/events/event_value.h"
#include "base/now.h"
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"
#include "trace/cursor.h"
#include "trace/experiment.h"
#include "trace/filter/pattern.h"

enum { TIME, HOST, CPU, NAME, FIELDS, TIME_NS, N_COLUMNS };
static const struct {
	const char *name, *help, *type;
} columns[N_COLUMNS] = {
	[TIME] = { "Timestamp", "time of day, UTC", "STRING" },
	[HOST] = { "Host", "host that recorded it", "STRING" },
	[CPU] = { "CPU", "number of the CPU", "NUMBER" },
	[NAME] = { "Event type", "name of the event", "STRING" },
	[FIELDS] = { "Contents", "its fields", "STRING" },
	/* Viewers look for this one to move their selection. */
	[TIME_NS] = { "Timestamp ns", "ns since 1970", "TIMESTAMP" },
};

enum {
	FIRST_CHUNK = 256, /* events that a search reads at first; each next chunk is larger */
	MAX_CHUNK = 16384,
	SEARCH_MS = 5000, /* a search stops after this time */
	HIGHLIGHT = 8	  /* tag of a line that matches the search */
};

int tsp_event_columns(struct tsp *t, struct mer_err *err)
{
	struct mer_json *j = &t->j;
	(void)err;
	mer_json_begin_array(j);
	for (int i = 0; i < N_COLUMNS; i++) {
		mer_json_begin_object(j);
		mer_json_kv_int(j, "id", i);
		mer_json_kv_text(j, "name", columns[i].name);
		mer_json_kv_text(j, "description", columns[i].help);
		mer_json_kv_text(j, "type", columns[i].type);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	return 0;
}

/* ---- Lines ---- */

struct line {
	const char *cell[N_COLUMNS];
};

struct lines {
	struct line *item;
	size_t n;
	struct mer_arena arena;
};

/* Text as it is, pointers and the like in hexadecimal, all else as JSON. */
static void put_value(struct mer_str *out, const struct ctf_fc *fc, const uint64_t *slot)
{
	bool is_text = fc->kind == CTF_STRING || fc->kind == CTF_TEXT,
	     is_number = fc->kind == CTF_INT || fc->kind == CTF_VARINT;
	if (is_text && fc->u.text.encoding == CTF_UTF8)
		mer_str_add(out, (const char *)(uintptr_t)slot[0], slot[1]);
	else if (is_number && fc->u.bits.base == 16 && !fc->u.bits.is_signed && !fc->u.bits.is_enum)
		mer_str_printf(out, "0x%" PRIX64, slot[0]);
	else
		event_json_value(out, fc, slot);
}

/* a=1, b=x, p=0x1000 */
static const char *contents(struct mer_arena *arena, const struct mer_event *ev)
{
	const struct ctf_fc *payload = ev->plan->class->payload;
	const uint32_t *slots = ev->plan->slots[CTF_SCOPE_PAYLOAD];
	struct mer_str out = { 0 };
	for (uint32_t i = 0; payload && slots && i < payload->u.record.n; i++) {
		const struct ctf_field *f = &payload->u.record.fields[i];
		mer_str_printf(&out, "%s%s=", i ? ", " : "", f->name);
		put_value(&out, f->fc, ev->slots + slots[i]);
	}
	const char *text =
		out.failed ? NULL : mer_arena_strndup(arena, out.data ? out.data : "", out.len);
	mer_str_fini(&out);
	return text;
}

static bool add_line(struct lines *l, const struct mer_experiment *e, const struct mer_event *ev)
{
	struct line *to = &l->item[l->n++];
	const struct mer_stream *s = &e->streams[ev->stream];
	struct mer_str clock = { 0 };
	tsp_put_clock(&clock, ev->ts);
	to->cell[TIME] = clock.failed ? NULL : mer_arena_strdup(&l->arena, clock.data);
	mer_str_fini(&clock);
	to->cell[HOST] = e->hosts[e->traces[s->trace].host].name;
	to->cell[CPU] = s->cpu < 0 ? "" : mer_arena_printf(&l->arena, "%" PRId32, s->cpu);
	to->cell[NAME] = ev->plan->class->name;
	to->cell[FIELDS] = contents(&l->arena, ev);
	to->cell[TIME_NS] = mer_arena_printf(&l->arena, "%" PRId64, ev->ts);
	return to->cell[TIME] && to->cell[CPU] && to->cell[FIELDS] && to->cell[TIME_NS];
}

/* Reads lines [first, first + n), as far as they exist. */
static int read_lines(struct tsp *t, uint64_t first, size_t n, struct lines *l, struct mer_err *err)
{
	const struct tsp_index *x = &t->state->index;
	struct mer_experiment *e = tsp_experiment_of(t);
	uint64_t total = tsp_index_total(x);
	mer_arena_reset(&l->arena);
	l->n = 0;
	n = first >= total ? 0 : n < total - first ? n : (size_t)(total - first);
	if (!n)
		return 0;
	l->item = mer_arena_zalloc(&l->arena, n, sizeof(*l->item));
	if (!l->item)
		return mer_fail_nomem(err);
	uint32_t bin = tsp_index_bin_of(x, first);
	uint64_t skip = first - x->before[bin];
	struct tsp_reading r;
	int rc = tsp_reading_open(
		&r, e, NULL, (struct trace_range){ tsp_index_bin_begin(x, bin), e->end + 1 }, err);
	size_t n_events = 1;
	while (rc == 0 && n_events && l->n < n) {
		const struct mer_event *events;
		rc = session_is_cancelled(api_session(t->traces->session))
			     ? mer_fail(err, MER_ERR_CANCELLED, "cancelled")
			     : mer_cursor_next(r.cursor, &events, &n_events, err);
		size_t i = rc ? 0 : skip < n_events ? (size_t)skip : n_events;
		skip -= i;
		for (; rc == 0 && i < n_events && l->n < n; i++)
			rc = add_line(l, e, &events[i]) ? 0 : mer_fail_nomem(err);
	}
	tsp_reading_close(&r);
	return rc;
}

/* ---- Searching ---- */

struct search {
	struct filter_pattern patterns[TSP_MAX_SEARCHES];
	const struct tsp_search *of;
	size_t n;
};

static int make_search(struct tsp *t, struct search *s, struct mer_err *err)
{
	s->of = t->q.searches;
	for (size_t i = 0; i < t->q.n_searches; i++) {
		const char *pattern = s->of[i].pattern;
		struct filter_lexer l = { .what = "pattern",
			.text = pattern,
			.len = strlen(pattern),
			.arena = &t->arena,
			.err = err };
		l.now.text = pattern;
		l.now.text_len = l.len;
		if (s->of[i].column >= N_COLUMNS)
			return mer_fail(
				err, MER_ERR_USAGE, "there is no column %" PRIu32, s->of[i].column);
		int rc = filter_pattern_regex(&s->patterns[i], &l);
		if (rc)
			return rc;
		s->n++;
	}
	return 0;
}

static bool fits(const struct search *s, const struct line *l)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *cell = l->cell[s->of[i].column];
		if (!filter_pattern_fits(&s->patterns[i], cell, strlen(cell)))
			return false;
	}
	return s->n > 0;
}

static void search_fini(struct search *s)
{
	for (size_t i = 0; i < s->n; i++)
		filter_pattern_fini(&s->patterns[i]);
}

/* Finds the first match from *i on, forward or backward. false: there is none, or the search took
 * too long (t->message). */
static bool find(struct tsp *t, const struct search *s, struct lines *l, uint64_t *i, int *rc,
	struct mer_err *err)
{
	uint64_t total = tsp_index_total(&t->state->index), n_done = 0;
	int64_t until = mer_now_ns() + SEARCH_MS * INT64_C(1000000);
	bool back = t->q.is_backward;
	size_t chunk = FIRST_CHUNK;
	uint64_t at = back && *i >= total ? total : *i + back; /* [.., at) or [at, ..) */
	while (*rc == 0 && (back ? at > 0 : at < total)) {
		uint64_t first = !back ? at : at > chunk ? at - chunk : 0;
		size_t n = back ? (size_t)(at - first) : chunk;
		*rc = read_lines(t, first, n, l, err);
		for (size_t k = 0; *rc == 0 && k < l->n; k++) {
			size_t line = back ? l->n - 1 - k : k;
			if (!fits(s, &l->item[line]))
				continue;
			*i = first + line;
			return true;
		}
		if (*rc == 0)
			*rc = tsp_let_others(t, err);
		at = back ? first : first + n;
		n_done += l->n;
		chunk = chunk < MAX_CHUNK ? chunk * 4 : chunk;
		if (mer_now_ns() > until && (back ? at > 0 : at < total)) {
			t->message = mer_arena_printf(&t->arena,
				"searched for %d s: none of %" PRIu64 " events",
				(int)(SEARCH_MS / 1000), n_done);
			return false;
		}
	}
	return false;
}

/* ---- Answers ---- */

static bool is_column(const struct tsp *t, int64_t id)
{
	bool found = !t->q.n_columns;
	for (size_t i = 0; i < t->q.n_columns; i++)
		found |= t->q.columns[i] == id;
	return found;
}

static void put_line(struct tsp *t, const struct search *s, uint64_t index, const struct line *l)
{
	struct mer_json *j = &t->j;
	mer_json_begin_object(j);
	mer_json_kv_uint(j, "index", index);
	mer_json_kv_array(j, "cells");
	for (int i = 0; i < N_COLUMNS; i++)
		if (is_column(t, i)) {
			mer_json_begin_object(j);
			mer_json_kv_text(j, "content", l->cell[i]);
			mer_json_end_object(j);
		}
	mer_json_end_array(j);
	if (fits(s, l))
		mer_json_kv_int(j, "tags", HIGHLIGHT);
	mer_json_end_object(j);
}

static void put_lines(struct tsp *t, const struct search *s, uint64_t first, const struct lines *l)
{
	struct mer_json *j = &t->j;
	mer_json_begin_object(j);
	mer_json_kv_array(j, "columnIds");
	for (int i = 0; i < N_COLUMNS; i++)
		if (is_column(t, i))
			mer_json_int(j, i);
	mer_json_end_array(j);
	mer_json_kv_uint(j, "lowIndex", first);
	mer_json_kv_uint(j, "size", tsp_index_total(&t->state->index));
	mer_json_kv_array(j, "lines");
	for (size_t i = 0; i < l->n; i++)
		put_line(t, s, first + i, &l->item[i]);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static int answer(struct tsp *t, struct search *s, struct lines *l, struct mer_err *err)
{
	uint64_t first = t->q.index;
	int rc = make_search(t, s, err);
	if (rc == 0 && !t->q.has_index && t->q.n_given)
		rc = tsp_index_at(
			&t->state->index, tsp_experiment_of(t), t->q.times[0], &first, err);
	bool is_there = true;
	if (rc == 0 && t->q.is_search && t->q.has_direction)
		is_there = find(t, s, l, &first, &rc, err);
	if (rc == 0 && is_there)
		rc = read_lines(t, first, (size_t)t->q.count, l, err);
	else
		l->n = 0;
	if (rc == 0)
		put_lines(t, s, first, l);
	return rc;
}

int tsp_event_lines(struct tsp *t, struct mer_err *err)
{
	struct search s = { .n = 0 };
	struct lines l = { .n = 0 };
	if (!t->q.has_count || !(t->q.has_index || t->q.n_given))
		return mer_fail(err, MER_ERR_USAGE,
			"'requested_table_count', and an index or a time, are needed");
	unsigned stage = atomic_load(&t->state->index.stage);
	if (stage == TSP_INDEX_FAILED)
		return mer_fail(err, MER_ERR_INPUT, "%.900s", t->state->index.error.text);
	if (stage != TSP_INDEX_READY) {
		t->running = "the events are being counted";
		mer_json_null(&t->j);
		return 0;
	}
	mer_arena_init(&l.arena);
	int rc = answer(t, &s, &l, err);
	search_fini(&s);
	mer_arena_fini(&l.arena);
	return rc;
}
