/* Lines of values, laid out once for each event record class: some text that is always the same,
 * then a value, and so on. What the formats for programs (event_json.h, event_csv.h) and tables
 * (event_table.h) are made of. */
#ifndef MER_ASK_EVENTS_EVENT_LINE_H
#define MER_ASK_EVENTS_EVENT_LINE_H

#include "base/arena.h"
#include "base/str.h"
#include "ask/events/event_fields.h"
#include "trace/cursor.h"

struct event_piece {
	const char *before;
	uint32_t before_len;
	uint32_t slot;
	uint8_t kind; /* private */
	bool in_context;
	const struct ctf_fc *fc;
	const struct trace_place *place;
};

struct event_line {
	struct event_piece *pieces; /* in the builder's arena */
	uint32_t n;
};

enum event_line_values {
	EVENT_LINE_JSON,
	EVENT_LINE_CSV,
	EVENT_LINE_TEXT /* as CSV, but texts are as they are, and structures and arrays JSON */
};

struct event_line_builder { /* zeroed but for arena and values */
	struct mer_arena *arena;
	enum event_line_values values;
	struct mer_str text; /* that gathers before the next value: to be added to */
	struct event_piece *pieces;
	uint32_t n, cap;
	bool failed;
};

/* A field that was asked for: its value, or null (but for JSON: nothing) when this class or this
 * event has none. */
int event_line_add_path(struct event_line_builder *b, const struct trace_path *path,
	const struct ctf_plan *plan, bool contexts, struct mer_err *err);
/* The scope's members as JSON, "a":1,"b":{...}, or as text, a=1 b={...}; false: it has none that
 * was read. */
bool event_line_add_scope(
	struct event_line_builder *b, const struct ctf_plan *plan, enum ctf_scope scope);
/* Done: moves all to line, clears b for the next one. False: out of memory. */
bool event_line_finish(struct event_line_builder *b, struct event_line *line);
void event_line_builder_fini(struct event_line_builder *b);

void event_line_put(const struct event_line *line, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev);

#endif
