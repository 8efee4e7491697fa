/* The formats of 'meridian events' behind one face: pages of lines, made on any thread, written in
 * order. */
#ifndef MER_ASK_EVENTS_EVENT_FORMAT_H
#define MER_ASK_EVENTS_EVENT_FORMAT_H

#include "ask/events/event_csv.h"
#include "ask/events/event_json.h"
#include "ask/events/event_select.h"
#include "ask/events/event_table.h"
#include "ask/events/event_text.h"

struct event_format {
	unsigned kind; /* enum ask_format */
	struct event_text *text;
	struct event_json *json;
	struct event_csv *csv;
	struct event_table *table; /* not from several threads */
	int64_t last;		   /* text: time of the last line written */
	bool any;		   /* json: something was written */
};

struct event_page {
	struct mer_str lines;
	struct event_text_state state;
	struct event_longs longs; /* lines lack these texts */
	uint64_t n_lines;
};

int event_format_init(struct event_format *f, struct ask *ask, const struct event_select *s);
void event_format_fini(struct event_format *f);

void event_page_fini(struct event_page *p);
void event_page_clear(struct event_page *p);
void event_page_add(const struct event_format *f, struct event_page *p, const uint64_t *context,
	const struct mer_event *ev);
/* Writes the page after those before; begin and end are what comes before and after all of them. */
void event_format_begin(struct event_format *f, struct ask *ask);
int event_page_write(
	struct event_format *f, struct ask *ask, const struct event_page *p, struct mer_err *err);
int event_format_end(struct event_format *f, struct ask *ask, const struct mer_experiment *e);

#endif
