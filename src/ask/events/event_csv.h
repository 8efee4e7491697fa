/* Events as CSV (RFC 4180, but lines end with LF):
 *
 *   time,host,cpu,name,fields                   fields: the payload, as JSON
 *   time,host,cpu,name,next_tid,regs.ax         with --fields next_tid,regs.ax
 *
 * What an event does not have is empty. time is ns since 1970; for the rare traces whose clock is
 * beyond 64-bit nanoseconds it is relative (see base_s in meridian.h). Values: see event_value.h.
 * Immutable once made: any number of threads may format with it. */
#ifndef MER_ASK_EVENTS_EVENT_CSV_H
#define MER_ASK_EVENTS_EVENT_CSV_H

#include "base/str.h"
#include "ask/events/event_fields.h"
#include "trace/cursor.h"

struct event_csv;

/* fields NULL: the whole payload. MER_ERR_BUG: the reading lacks a field that was asked for. */
int event_csv_new(const struct mer_experiment *e, const struct trace_reading *r,
	const struct event_fields *fields, struct event_csv **csv, struct mer_err *err);
void event_csv_free(struct event_csv *);

void event_csv_heading(const struct event_csv *v, struct mer_str *out);
void event_csv_line(const struct event_csv *v, struct mer_str *out, const uint64_t *context,
	const struct mer_event *ev);

#endif
