/* Path as text, for tests that compare it with what was worked out by hand. Neighbours that differ
 * only in the system call, the CPU or the state are one line: what counts is whose time it is, and
 * why.
 *
 *   client/200 running 10-15            HOST/TID CAUSE FROM-TO
 *   client/200@15 wait server/100@15    links: from where at what time, kind, to where
 *
 * Times are in ticks of the test's choice. */
#ifndef TESTS_PATH_TEXT_H
#define TESTS_PATH_TEXT_H

#include <inttypes.h>
#include "path/path.h"
#include "base/str.h"

static inline void path_text_who(
	const struct kernel_world *w, uint32_t host, uint32_t task, struct mer_str *out)
{
	if (w->e)
		mer_str_printf(out, "%s/", w->e->hosts[host].name);
	if (task == KERNEL_NONE)
		mer_str_puts(out, "kernel"); /* an interrupt that answered a packet */
	else
		mer_str_printf(out, "%" PRId32, w->hosts[host].tasks[task].tid);
}

static inline void path_text_segments(const struct path *p, int64_t tick, struct mer_str *out)
{
	for (size_t i = 0, next; i < p->n_segments; i = next) {
		const struct path_segment *s = &p->segments[i], *last = s;
		for (next = i + 1; next < p->n_segments; next++) {
			const struct path_segment *q = &p->segments[next];
			if (q->host != s->host || q->task != s->task || q->cause != s->cause)
				break;
			last = q;
		}
		path_text_who(p->world, s->host, s->task, out);
		mer_str_printf(out, " %s %" PRId64 "-%" PRId64 "\n",
			path_cause_name((enum path_cause)s->cause), s->begin / tick,
			last->end / tick);
	}
}

static inline void path_text_links(const struct path *p, int64_t tick, struct mer_str *out)
{
	for (size_t i = 0; i < p->n_links; i++) {
		const struct path_link *l = &p->links[i];
		path_text_who(p->world, l->from_host, l->from_task, out);
		mer_str_printf(out, "@%" PRId64 " %s ", l->from_time / tick,
			path_link_name((enum path_link_kind)l->kind));
		path_text_who(p->world, l->to_host, l->to_task, out);
		mer_str_printf(out, "@%" PRId64 "\n", l->to_time / tick);
	}
}

#endif
