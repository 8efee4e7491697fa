/* Events as rows of a table, for who asks for tables (ask->taken). Fields are texts: one of all,
 * such as "prev_tid=0 next_tid=17", or one for each that was asked for. */
#ifndef MER_ASK_EVENTS_EVENT_TABLE_H
#define MER_ASK_EVENTS_EVENT_TABLE_H

#include "ask/answer.h"
#include "ask/context.h"
#include "ask/events/event_select.h"

struct event_table;

int event_table_new(struct ask *ask, const struct event_select *s, struct event_table **table,
	struct mer_err *err);
void event_table_free(struct event_table *t);
/* Not from several threads. */
void event_table_add(struct event_table *t, const uint64_t *context, const struct mer_event *ev);
int event_table_end(struct event_table *t, struct ask *ask);

#endif
