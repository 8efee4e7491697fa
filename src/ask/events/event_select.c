#include "ask/events/event_select.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ask/words/hints.h"
#include "ask/session.h"

void event_select_tids(struct mer_str *x, const struct session_ranges *tids)
{
	/* LTTng's, then those of perf and ftrace: which task was on the CPU, and the kernel's own
	 * names, where a thread is a pid. */
	static const struct {
		const char *field, *of;
	} names[] = { { "tid", NULL }, { "vtid", NULL }, { "prev_tid", NULL }, { "next_tid", NULL },
		{ "child_tid", NULL }, { "common_pid", NULL }, { "perf_tid", NULL },
		{ "prev_pid", NULL }, { "next_pid", NULL }, { "pid", "sched:*" },
		{ "pid", "task:*" }, { "pid", "signal:*" },
		{ "child_pid", "sched:sched_process_fork" } };
	const char * or = "(";
	for (size_t i = 0; i < tids->n; i++) {
		const struct session_range *r = &tids->item[i];
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			const char *field = names[k].field;
			mer_str_printf(x, "%s(", or);
			if (names[k].of)
				mer_str_printf(x, "name == \"%s\" && ", names[k].of);
			mer_str_printf(x, "%s >= %" PRIu64 " && %s <= %" PRIu64 ")", field,
				r->first, field, r->last);
			or = " || ";
		}
	}
	mer_str_puts(x, ")");
}

static void put_equals(struct mer_str *x, const char *field, const char *text)
{
	mer_str_printf(x, "%s == \"", field);
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			mer_str_putc(x, '\\');
		mer_str_putc(x, *p);
	}
	mer_str_putc(x, '"');
}

/* --comm looks at the same with names. */
static void add_comms(struct mer_str *x, const struct session_texts *comms)
{
	static const char *const names[] = { "comm", "procname", "prev_comm", "next_comm",
		"child_comm" };
	const char * or = "(";
	for (size_t i = 0; i < comms->n; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			mer_str_puts(x, or);
			put_equals(x, names[k], comms->item[i]);
			or = " || ";
		}
	mer_str_puts(x, ")");
}

/* An event that is not there would be no event, without a word. */
static int check_events(
	const struct event_select *s, struct ask *ask, const struct session_texts *names)
{
	for (size_t i = 0; i < names->n; i++) {
		struct trace_filter *one = NULL;
		struct mer_str x = { 0 };
		bool is_host;
		put_equals(&x, "name", names->item[i]);
		int rc = x.failed ? mer_fail_nomem(&ask->err)
				  : trace_filter_parse(x.data, &one, &ask->err);
		bool is_there = rc || !trace_filter_unmatched(one, s->e, &is_host);
		trace_filter_free(one);
		mer_str_fini(&x);
		if (rc)
			return rc;
		if (is_there)
			continue;
		const char *best = trace_nearest_event(s->e, names->item[i]);
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--name: no event of these traces is named '%.100s'%s%.100s%s",
			names->item[i],
			best ? " (did you mean " : "; 'meridian stats --by name' lists them",
			best ? best : "", best ? "?)" : "");
	}
	return 0;
}

static int make_filter(struct event_select *s, struct ask *ask, const char *text,
	const struct session_texts *names)
{
	if (text) { /* alone first, so that mistakes are told in the user's own words */
		int rc = trace_filter_parse(text, &s->filter, &ask->err);
		if (rc)
			return rc;
		ask_hint_filter(ask, "filter", s->filter, s->e);
	}
	if (ask->select.tids.n == 0 && ask->select.comms.n == 0 && names->n == 0)
		return 0;
	struct mer_str x = { 0 };
	if (text)
		mer_str_printf(&x, "(%s)", text);
	if (ask->select.tids.n) {
		mer_str_puts(&x, x.len ? " && " : "");
		event_select_tids(&x, &ask->select.tids);
	}
	if (ask->select.comms.n) {
		mer_str_puts(&x, x.len ? " && " : "");
		add_comms(&x, &ask->select.comms);
	}
	for (size_t i = 0; i < names->n; i++) {
		mer_str_puts(&x, i ? " || " : x.len ? " && (" : "(");
		put_equals(&x, "name", names->item[i]);
		mer_str_puts(&x, i + 1 == names->n ? ")" : "");
	}
	trace_filter_free(s->filter);
	s->filter = NULL;
	int rc = x.failed ? mer_fail_nomem(&ask->err)
			  : trace_filter_parse(x.data, &s->filter, &ask->err);
	mer_str_fini(&x);
	return rc;
}

static int choose_streams(struct event_select *s, struct ask *ask)
{
	if (ask->select.hosts.n == 0 && ask->select.cpus.n == 0)
		return 0;
	s->streams = calloc(s->e->n_streams + 1u, sizeof(*s->streams));
	if (!s->streams)
		return mer_fail_nomem(&ask->err);
	for (uint32_t i = 0; i < s->e->n_streams; i++) {
		int32_t cpu = s->e->streams[i].cpu;
		s->streams[i] = session_selects_stream(&ask->select, s->e, i) &&
				(ask->select.cpus.n == 0 ||
					(cpu >= 0 && session_ranges_contain(
							     &ask->select.cpus, (uint64_t)cpu)));
	}
	return 0;
}

static int32_t want_event(
	void *arg, const struct ctf_stream_class *sc, const struct ctf_event_class *ec)
{
	const struct event_select *s = arg;
	return s->filter && !trace_filter_may_match(s->filter, sc, ec) ? CTF_UNWANTED : 0;
}

static int32_t want_field(void *arg, const struct ctf_stream_class *sc,
	const struct ctf_event_class *ec, enum ctf_scope scope, const struct ctf_field *f)
{
	const struct event_select *s = arg;
	bool shown = s->has_fields ? event_fields_read(&s->fields, sc, ec, scope, f)
				   : scope != CTF_SCOPE_EVENT_HEADER || s->headers;
	bool tested = s->filter && trace_filter_reads(s->filter, sc, ec, scope, f);
	tested |= s->pieces && event_pieces_read(s->pieces, sc, ec, scope, f);
	return shown || tested ? CTF_ANYWHERE : CTF_UNWANTED;
}

/* A field to show that no event has is a mistake; in a filter it may be one that only other traces
 * have. */
static int check_names(const struct event_select *s, struct ask *ask)
{
	const char *name = s->has_fields ? event_fields_unknown(&s->fields, s->e) : NULL;
	if (name) {
		const char *best = event_fields_nearest(s->e, name, &ask->arena);
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--fields: no event of these traces has a field `%.100s`%s%.100s%s", name,
			best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
	}
	return 0;
}

int event_select_init(struct event_select *s, struct ask *ask, const struct mer_experiment *e,
	const struct event_select_options *o)
{
	*s = (struct event_select){
		.e = e, .pieces = o->pieces, .headers = o->headers, .has_fields = o->fields->n > 0
	};
	static const struct session_texts none;
	const struct session_texts *names = o->names ? o->names : &none;
	int rc = check_events(s, ask, names);
	if (rc == 0)
		rc = make_filter(s, ask, o->filter, names);
	if (rc == 0)
		rc = choose_streams(s, ask);
	if (rc == 0 && s->has_fields)
		rc = event_fields_parse(
			o->fields->item, o->fields->n, &ask->arena, &s->fields, &ask->err);
	if (rc == 0)
		rc = check_names(s, ask);
	if (rc)
		return rc;
	bool contexts = o->headers || (o->contexts && !s->has_fields) ||
			(s->has_fields && event_fields_need_contexts(&s->fields, e)) ||
			(s->filter && trace_filter_needs_contexts(s->filter, e));
	struct ctf_wants wants = { .arg = s, .event = want_event, .field = want_field };
	rc = trace_reading_new(e, &wants, contexts, &s->reading, &ask->err);
	if (rc == 0 && s->filter)
		rc = trace_filter_bind(s->filter, e, s->reading, &s->bound, &ask->err);
	if (rc == 0 && s->pieces)
		rc = event_pieces_bind(s->pieces, s->reading, &ask->err);
	return rc;
}

void event_select_fini(struct event_select *s)
{
	trace_filter_unbind(s->bound);
	trace_filter_free(s->filter);
	trace_reading_free(s->reading);
	free(s->streams);
}
