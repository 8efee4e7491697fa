/* Printing of what `check` found: for people in tables and lines to type, for programs as JSON. */
#include <string.h>

#include "ask/traces/check_result.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"

/* ---- Analyses, over all machines ---- */

struct judged_analysis { /* over all hosts that are wanted, and that it concerns */
	bool concerns_any;
	enum capability_possible possible;
	bool lacking[CAPABILITY_N_EVENTS];	      /* on some host */
	bool lacking_everywhere[CAPABILITY_N_EVENTS]; /* on all */
};

static const char *const possible_names[] = { "no", "partly", "yes" };

static struct judged_analysis judge_analysis(const struct check *c, const struct capability *a)
{
	struct judged_analysis r = { .possible = CAPABILITY_YES };
	unsigned n = 0, n_no = 0;
	memset(r.lacking_everywhere, 1, sizeof(r.lacking_everywhere));
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		bool lacking[CAPABILITY_N_EVENTS] = { 0 };
		if (!h->wanted || !capability_concerns(a, h))
			continue;
		r.concerns_any = true;
		enum capability_possible p = capability_judge(a, h, lacking);
		if (p < r.possible)
			r.possible = p;
		n++;
		n_no += p == CAPABILITY_NO;
		for (int ev = 0; ev < CAPABILITY_N_EVENTS; ev++) {
			r.lacking[ev] |= lacking[ev];
			r.lacking_everywhere[ev] &= lacking[ev];
		}
	}
	if (n_no && n_no < n)
		r.possible = CAPABILITY_PARTLY;
	return r;
}

/* Synchronization is an analysis too; what it lacks, check_sync knows. */
static struct judged_analysis judge_clocks(const struct check *c)
{
	struct judged_analysis r = { .possible =
					     c->found.can_sync ? CAPABILITY_YES : CAPABILITY_NO };
	memset(r.lacking_everywhere, 1, sizeof(r.lacking_everywhere));
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		if (!h->wanted)
			continue;
		if (h->can_sync)
			r.possible = c->found.can_sync ? CAPABILITY_YES : CAPABILITY_PARTLY;
		for (int ev = 0; ev < CAPABILITY_N_EVENTS; ev++) {
			r.lacking[ev] |= h->lacks[ev];
			r.lacking_everywhere[ev] &= h->lacks[ev];
		}
	}
	return r;
}
static const char clocks_name[] = "clock synchronization";

/* What is lacking on the hosts that were recorded so; a NULL: of all analyses and clocks. False:
 * there are none. */
static bool lacking_with(const struct check *c, const struct capability *a, enum trace_tool tool,
	bool lacking[CAPABILITY_N_EVENTS])
{
	bool any = false;
	memset(lacking, 0, CAPABILITY_N_EVENTS * sizeof(*lacking));
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		if (!h->wanted || h->tool != tool)
			continue;
		any = true;
		for (const struct capability *one = a ? a : capabilities; one->name; one++) {
			if (capability_concerns(one, h))
				capability_judge(one, h, lacking);
			if (a)
				break;
		}
		for (int ev = 0; !a && ev < CAPABILITY_N_EVENTS; ev++)
			lacking[ev] |= h->lacks[ev];
	}
	return any;
}

/* As what all wanted hosts were recorded; LTTng where they differ. */
static enum trace_tool common_tool(const struct check *c)
{
	bool ignored[CAPABILITY_N_EVENTS];
	enum trace_tool found = TRACE_BY_LTTNG;
	unsigned n = 0;
	for (int t = 0; t < TRACE_N_TOOLS; t++)
		if (lacking_with(c, NULL, (enum trace_tool)t, ignored)) {
			found = (enum trace_tool)t;
			n++;
		}
	return n == 1 ? found : TRACE_BY_LTTNG;
}

/* When not all machines are without the event: which. */
static const char *lacking_on(const struct check *c, const struct capability *a, int ev)
{
	enum { SHOWN = 2 };
	struct mer_str s = { 0 };
	enum trace_tool tool = TRACE_BY_LTTNG;
	unsigned n = 0;
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		bool lacking[CAPABILITY_N_EVENTS] = { 0 };
		if (!h->wanted || (a && !capability_concerns(a, h)))
			continue;
		if (a)
			capability_judge(a, h, lacking);
		if (!(a ? lacking[ev] : h->lacks[ev]))
			continue;
		if (n == 0)
			tool = h->tool;
		else if (h->tool != tool)
			tool = TRACE_BY_LTTNG;
		if (n++ < SHOWN)
			mer_str_printf(&s, "%s%s", s.len ? " " : "", h->name);
	}
	if (n > SHOWN)
		mer_str_printf(&s, " +%u", n - SHOWN);
	const char *text = mer_arena_printf(&c->ask->arena, "%s (%s)",
		capability_event_typed((enum capability_event)ev, tool), s.data ? s.data : "");
	mer_str_fini(&s);
	return text ? text : "";
}

/* ---- JSON ---- */

static void json_traces(const struct check *c, struct mer_json *j)
{
	mer_json_kv_array(j, "traces");
	for (uint32_t i = 0; i < c->found.n_verdicts; i++) {
		const struct session_verdict *v = &c->found.verdicts[i];
		if (!v->wanted)
			continue;
		mer_json_begin_object(j);
		mer_json_kv_text(j, "path", v->path);
		mer_json_kv_text(j, "host", v->host);
		mer_json_kv_bool(j, "sound", v->sound);
		mer_json_kv_uint(j, "events", v->events);
		mer_json_kv_uint(j, "lost_events", v->lost_events);
		mer_json_kv_uint(j, "lost_packets", v->lost_packets);
		ask_json_missing(j, &v->missing);
		mer_json_kv_uint(j, "switch_gaps", v->switch_gaps);
		mer_json_kv_uint(j, "errors", v->errors);
		mer_json_kv_uint(j, "warnings", v->warnings);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
}

static void json_sync(const struct check *c, struct mer_json *j)
{
	mer_json_kv_object(j, "sync");
	mer_json_kv_bool(j, "possible", c->found.can_sync);
	mer_json_kv_array(j, "hosts");
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		if (!h->wanted)
			continue;
		mer_json_begin_object(j);
		mer_json_kv_text(j, "host", h->name);
		mer_json_kv_bool(j, "possible", h->can_sync);
		mer_json_kv_text(j, "send_event", h->packets[CAPABILITY_SEND].event);
		mer_json_kv_text(j, "receive_event", h->packets[CAPABILITY_RECEIVE].event);
		mer_json_kv_text(j, "why", h->can_sync ? NULL : check_why(c->ask, h));
		mer_json_end_object(j);
	}
	for (uint32_t i = 0; i < c->found.n_verdicts; i++) {
		if (!c->found.verdicts[i].unread)
			continue;
		mer_json_begin_object(j);
		mer_json_kv_null(j, "host");
		mer_json_kv_bool(j, "possible", false);
		mer_json_kv_null(j, "send_event");
		mer_json_kv_null(j, "receive_event");
		mer_json_kv_text(j, "why", "the trace could not be read");
		mer_json_kv_text(j, "path", c->found.verdicts[i].path);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static void json_missing(struct mer_json *j, const bool lacking[CAPABILITY_N_EVENTS])
{
	mer_json_kv_array(j, "missing");
	for (int ev = CAPABILITY_NOTHING + 1; ev < CAPABILITY_N_EVENTS; ev++)
		if (lacking[ev])
			mer_json_text(j, capability_event_name((enum capability_event)ev));
	mer_json_end_array(j);
}

static void json_analysis(const struct check *c, struct mer_json *j, const char *name,
	const struct judged_analysis *r, const struct capability *a)
{
	mer_json_begin_object(j);
	mer_json_kv_text(j, "name", name);
	mer_json_kv_text(j, "possible", possible_names[r->possible]);
	json_missing(j, r->lacking);
	struct mer_str fix = { 0 };
	for (int t = 0; a && t < TRACE_N_TOOLS; t++) {
		bool lacking[CAPABILITY_N_EVENTS];
		if (lacking_with(c, a, (enum trace_tool)t, lacking))
			capability_fix(&fix, lacking, (enum trace_tool)t);
	}
	if (!a)
		capability_fix(&fix, r->lacking, common_tool(c));
	mer_json_kv_text(j, "fix", fix.len ? fix.data : NULL);
	mer_str_fini(&fix);
	mer_json_kv_array(j, "hosts");
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		bool lacking[CAPABILITY_N_EVENTS] = { 0 };
		enum capability_possible p = h->can_sync ? CAPABILITY_YES : CAPABILITY_NO;
		if (!h->wanted || (a && !capability_concerns(a, h)))
			continue;
		if (a)
			p = capability_judge(a, h, lacking);
		mer_json_begin_object(j);
		mer_json_kv_text(j, "host", h->name);
		mer_json_kv_text(j, "possible", possible_names[p]);
		json_missing(j, a ? lacking : h->lacks);
		mer_json_end_object(j);
	}
	mer_json_end_array(j);
	mer_json_end_object(j);
}

static int print_json(const struct check *c)
{
	struct mer_str text = { 0 };
	struct mer_json j;
	mer_json_init(&j, &text, c->ask->out, 2);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
	mer_json_kv_bool(&j, "sound", c->found.sound);
	json_traces(c, &j);
	json_sync(c, &j);
	mer_json_kv_array(&j, "analyses");
	for (const struct capability *a = capabilities; a->name; a++) {
		struct judged_analysis r = judge_analysis(c, a);
		if (r.concerns_any)
			json_analysis(c, &j, a->name, &r, a);
	}
	struct judged_analysis clocks = judge_clocks(c);
	json_analysis(c, &j, clocks_name, &clocks, NULL);
	mer_json_end_array(&j);
	ask_json_diagnostics(&j, c->e);
	mer_json_end_object(&j);
	int rc = mer_json_finish(&j, &c->ask->err);
	mer_str_fini(&text);
	return rc;
}

int check_print_unopened(struct ask *ask)
{
	struct mer_str text = { 0 };
	struct mer_json j;
	if (ask->format != ASK_FORMAT_JSON)
		return 0;
	mer_json_init(&j, &text, ask->out, 2);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", MER_JSON_SCHEMA);
	mer_json_kv_bool(&j, "sound", false);
	mer_json_kv_array(&j, "traces");
	mer_json_end_array(&j);
	mer_json_kv_object(&j, "sync");
	mer_json_kv_bool(&j, "possible", false);
	mer_json_kv_array(&j, "hosts");
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	mer_json_kv_array(&j, "analyses");
	mer_json_end_array(&j);
	mer_json_kv_array(&j, "diagnostics");
	mer_json_begin_object(&j);
	mer_json_kv_text(&j, "severity", "error");
	mer_json_kv_text(&j, "code", "nothing-opened");
	mer_json_kv_null(&j, "host");
	mer_json_kv_text(&j, "path", ask->n_args == 1 ? ask->args[0] : NULL);
	mer_json_kv_null(&j, "stream");
	mer_json_kv_null(&j, "packet");
	mer_json_kv_null(&j, "offset_bits");
	mer_json_kv_uint(&j, "count", 1);
	mer_json_kv_text(&j, "message", ask->err.text);
	mer_json_end_object(&j);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	int rc = mer_json_finish(&j, &ask->err);
	mer_str_fini(&text);
	return rc;
}

/* ---- For people, and rows for programs ---- */

static void add_part(struct mer_str *s, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	if (s->len)
		mer_str_puts(s, ", ");
	ask_text_count(s, (int64_t)n);
	mer_str_printf(s, " %s", n == 1 ? one : many);
}

static const char *verdict_text(struct ask *ask, const struct session_verdict *v)
{
	struct mer_str s = { 0 };
	add_part(&s, v->errors, "error", "errors");
	add_part(&s, v->lost_events, "event lost", "events lost");
	add_part(&s, v->lost_packets, "packet lost", "packets lost");
	add_part(&s, v->missing.n_late, "stream begins late", "streams begin late");
	add_part(&s, v->missing.n_early, "stream ends early", "streams end early");
	add_part(&s, v->missing.n_absent, "stream missing", "streams missing");
	add_part(&s, v->missing.n_unseen, "channel without a stream", "channels without a stream");
	add_part(&s, v->switch_gaps, "gap between context switches",
		"gaps between context switches");
	if (v->sound)
		add_part(&s, v->warnings, "warning", "warnings");
	const char *why = s.data ? s.data : "";
	const char *text;
	if (!v->host)
		text = v->path[0] ? "not sound: could not be read" : "not sound";
	else if (v->sound)
		text = mer_arena_printf(
			&ask->arena, "sound%s%s%s", s.len ? " (" : "", why, s.len ? ")" : "");
	else
		text = mer_arena_printf(&ask->arena, "not sound: %s", why);
	mer_str_fini(&s);
	return text;
}

static int print_traces(const struct check *c)
{
	enum { HOST, PATH, VERDICT, N };
	static const struct mer_column columns[] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[PATH] = { "path", "Trace", MER_TEXT },
		[VERDICT] = { "verdict", "Verdict", MER_TEXT },
		[N] = { 0 },
	};
	struct mer_table table;
	mer_table_init(&table, "traces", NULL, columns, NULL);
	for (uint32_t i = 0; i < c->found.n_verdicts; i++) {
		const struct session_verdict *v = &c->found.verdicts[i];
		struct mer_cell row[N] = {
			[HOST] = mer_text(v->host),
			[PATH] = mer_text(v->path),
			[VERDICT] = mer_text(verdict_text(c->ask, v)),
		};
		if (v->wanted)
			mer_table_add(&table, row);
	}
	int rc = ask_table_print(c->ask, &table);
	mer_table_fini(&table);
	return rc;
}

static int print_rows(const struct check *c)
{
	enum { HOST, PATH, SOUND, EVENTS, LOST, PACKETS, ERRORS, WARNINGS, GAPS, N };
	static const struct mer_column columns[] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[PATH] = { "path", "Trace", MER_TEXT },
		[SOUND] = { "sound", "Sound", MER_TEXT },
		[EVENTS] = { "events", "Events", MER_COUNT },
		[LOST] = { "lost_events", "Lost events", MER_COUNT },
		[PACKETS] = { "lost_packets", "Lost packets", MER_COUNT },
		[ERRORS] = { "errors", "Errors", MER_COUNT },
		[WARNINGS] = { "warnings", "Warnings", MER_COUNT },
		[GAPS] = { "switch_gaps", "Switch gaps", MER_COUNT },
		[N] = { 0 },
	};
	struct mer_table table;
	mer_table_init(&table, "traces", NULL, columns, NULL);
	for (uint32_t i = 0; i < c->found.n_verdicts; i++) {
		const struct session_verdict *v = &c->found.verdicts[i];
		struct mer_cell row[N] = {
			[HOST] = mer_text(v->host),
			[PATH] = mer_text(v->path),
			[SOUND] = mer_text(v->sound ? "yes" : "no"),
			[EVENTS] = MER_INT(v->events),
			[LOST] = MER_INT(v->lost_events),
			[PACKETS] = MER_INT(v->lost_packets),
			[ERRORS] = MER_INT(v->errors),
			[WARNINGS] = MER_INT(v->warnings),
			[GAPS] = MER_INT(v->switch_gaps),
		};
		if (v->wanted)
			mer_table_add(&table, row);
	}
	int rc = ask_table_print(c->ask, &table);
	mer_table_fini(&table);
	return rc;
}

static void print_wrapped(struct ask *ask, const char *text, size_t indent)
{
	struct mer_str clean = { 0 }, s = { 0 };
	ask_text_clean(&clean, text, strlen(text), false);
	if (clean.data)
		ask_text_wrap(&s, clean.data, (size_t)ask_width(ask), indent);
	if (s.data)
		fputs(s.data, ask->out);
	mer_str_fini(&s);
	mer_str_fini(&clean);
}

static void print_paragraph(struct ask *ask, const char *text)
{
	fputc('\n', ask->out);
	print_wrapped(ask, text, 0);
}

static int print_sync(const struct check *c)
{
	enum { HOST, POSSIBLE, SEND, RECEIVE, N };
	static const struct mer_column columns[] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[POSSIBLE] = { "possible", "Can be synchronized", MER_TEXT },
		[SEND] = { "send_event", "Sent packets", MER_TEXT },
		[RECEIVE] = { "receive_event", "Received packets", MER_TEXT },
		[N] = { 0 },
	};
	struct mer_table table;
	mer_table_init(&table, "sync", NULL, columns, NULL);
	for (uint32_t i = 0; i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		struct mer_cell row[N] = {
			[HOST] = mer_text(h->name),
			[POSSIBLE] = mer_text(h->can_sync ? "yes" : "no"),
			[SEND] = mer_text(h->packets[CAPABILITY_SEND].event),
			[RECEIVE] = mer_text(h->packets[CAPABILITY_RECEIVE].event),
		};
		if (h->wanted)
			mer_table_add(&table, row);
	}
	for (uint32_t i = 0; i < c->found.n_verdicts; i++) {
		struct mer_cell row[N] = {
			[HOST] = mer_text("unknown"),
			[POSSIBLE] = mer_text("no"),
			[SEND] = mer_text(NULL),
			[RECEIVE] = mer_text(NULL),
		};
		if (c->found.verdicts[i].unread)
			mer_table_add(&table, row);
	}
	int rc = ask_table_print(c->ask, &table);
	mer_table_fini(&table);
	for (uint32_t i = 0; rc == 0 && i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		if (!h->wanted || h->can_sync)
			continue;
		char *text =
			mer_arena_printf(&c->ask->arena, "%s: %s.", h->name, check_why(c->ask, h));
		print_wrapped(c->ask, text ? text : "", 2);
	}
	for (uint32_t i = 0; rc == 0 && i < c->found.n_verdicts; i++) {
		const struct session_verdict *v = &c->found.verdicts[i];
		char *text =
			v->unread ? mer_arena_printf(&c->ask->arena,
					    "%s: could not be read; its host is unknown.", v->path)
				  : NULL;
		if (text)
			print_wrapped(c->ask, text, 2);
	}
	return rc;
}

enum { A_NAME, A_POSSIBLE, A_MISSING, A_N };

/* The names that are missing take as many rows as they need: none may be cut off. */
static void add_analysis(const struct check *c, struct mer_table *table, const char *name,
	const struct judged_analysis *r, const struct capability *a)
{
	size_t room = (size_t)ask_width(c->ask);
	room = room > 64 ? room - 37 : 27; /* what the other two columns leave, and a comma */
	struct mer_str s = { 0 };
	bool first = true;
	enum trace_tool tool = common_tool(c);
	for (int ev = CAPABILITY_NOTHING + 1; ev <= CAPABILITY_N_EVENTS; ev++) {
		const char *item = NULL;
		if (ev < CAPABILITY_N_EVENTS) {
			if (!r->lacking[ev])
				continue;
			item = r->lacking_everywhere[ev]
				       ? capability_event_typed((enum capability_event)ev, tool)
				       : lacking_on(c, a, ev);
			if (s.len == 0 || s.len + 2 + strlen(item) <= room) {
				mer_str_printf(&s, "%s%s", s.len ? ", " : "", item);
				continue;
			}
			mer_str_putc(&s, ',');
		}
		const char *line = s.len ? mer_arena_strdup(&c->ask->arena, s.data) : "";
		struct mer_cell row[A_N] = {
			[A_NAME] = mer_text(first ? name : ""),
			[A_POSSIBLE] = mer_text(first ? possible_names[r->possible] : ""),
			[A_MISSING] = mer_text(line ? line : ""),
		};
		mer_table_add(table, row);
		first = false;
		mer_str_clear(&s);
		if (item)
			mer_str_puts(&s, item);
	}
	mer_str_fini(&s);
}

static int print_analyses(const struct check *c)
{
	static const struct mer_column columns[] = {
		[A_NAME] = { "name", "Analysis", MER_TEXT },
		[A_POSSIBLE] = { "possible", "Possible", MER_TEXT },
		[A_MISSING] = { "missing", "Missing", MER_TEXT },
		[A_N] = { 0 },
	};
	struct mer_table table;
	mer_table_init(&table, "analyses", NULL, columns, NULL);
	for (const struct capability *a = capabilities; a->name; a++) {
		struct judged_analysis r = judge_analysis(c, a);
		if (!r.concerns_any)
			continue;
		add_analysis(c, &table, a->name, &r, a);
	}
	struct judged_analysis clocks = judge_clocks(c);
	add_analysis(c, &table, clocks_name, &clocks, NULL);
	int rc = ask_table_print(c->ask, &table);
	mer_table_fini(&table);
	return rc;
}

/* " on web, db": the hosts, where others were recorded otherwise. */
static void put_hosts_with(const struct check *c, enum trace_tool tool, struct mer_str *out)
{
	bool has_others = false;
	size_t begin = out->len;
	for (uint32_t i = 0; i < c->e->n_hosts; i++)
		has_others |= c->found.hosts[i].wanted && c->found.hosts[i].tool != tool;
	for (uint32_t i = 0; has_others && i < c->e->n_hosts; i++)
		if (c->found.hosts[i].wanted && c->found.hosts[i].tool == tool)
			mer_str_printf(out, "%s%s", out->len == begin ? " on " : ", ",
				c->found.hosts[i].name);
}

static void print_fix_with(const struct check *c, enum trace_tool tool)
{
	struct mer_str fix = { 0 }, hosts = { 0 };
	bool lacking[CAPABILITY_N_EVENTS];
	if (lacking_with(c, NULL, tool, lacking))
		capability_fix(&fix, lacking, tool);
	put_hosts_with(c, tool, &hosts);
	if (fix.len) {
		fprintf(c->ask->out, "\nTo record what is missing%s, %s:\n",
			hosts.data ? hosts.data : "",
			tool == TRACE_BY_LTTNG ? "run before recording"
					       : "add these events to the command");
		for (const char *line = fix.data; line;) {
			const char *end = strchr(line, '\n');
			int n = end ? (int)(end - line) : (int)strlen(line);
			fprintf(c->ask->out, "  %.*s\n", n, line);
			line = end ? end + 1 : NULL;
		}
	}
	mer_str_fini(&hosts);
	mer_str_fini(&fix);
}

static void print_fix(const struct check *c)
{
	bool lost = false, kernel = false;
	for (uint32_t i = 0; i < c->found.n_verdicts; i++)
		lost |= c->found.verdicts[i].wanted &&
			(c->found.verdicts[i].lost_events || c->found.verdicts[i].lost_packets ||
				trace_is_missing(&c->found.verdicts[i].missing));
	for (uint32_t i = 0; i < c->e->n_hosts; i++)
		kernel |= c->found.hosts[i].wanted && c->found.hosts[i].kernel;
	if (!kernel)
		print_paragraph(c->ask,
			"There is no kernel trace: events can be shown and counted, but all of these analyses need a kernel trace of the host.");
	for (int t = 0; t < TRACE_N_TOOLS; t++)
		print_fix_with(c, (enum trace_tool)t);
	if (lost)
		print_paragraph(c->ask,
			"Results around lost events are not reliable; 'meridian stats' shows when events were lost and what to change when recording.");
}

int check_print(const struct check *c)
{
	if (c->ask->format == ASK_FORMAT_JSON)
		return print_json(c);
	if (c->ask->format != ASK_FORMAT_TABLE)
		return print_rows(c);
	int rc = print_traces(c);
	fputc('\n', c->ask->out);
	if (rc == 0)
		rc = print_sync(c);
	fputc('\n', c->ask->out);
	if (rc == 0)
		rc = print_analyses(c);
	if (rc == 0)
		print_fix(c);
	return rc;
}

int check_print_short(const struct check *c)
{
	int rc = print_traces(c);
	if (rc == 0 && c->e->n_hosts > 1) {
		fputc('\n', c->ask->out);
		rc = print_sync(c);
	}
	return rc;
}
