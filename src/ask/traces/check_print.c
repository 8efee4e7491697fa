/* Printing of what `check` found: for people in tables and lines to type. */
#include <string.h>

#include "ask/traces/check_judge.h"
#include "ask/traces/check_result.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/session.h"

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

/* ---- For people ---- */

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
	const struct check_judged *r, const struct capability *a)
{
	size_t room = (size_t)ask_width(c->ask);
	room = room > 64 ? room - 37 : 27; /* what the other two columns leave, and a comma */
	struct mer_str s = { 0 };
	bool first = true;
	enum trace_tool tool = check_common_tool(c);
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
			[A_POSSIBLE] = mer_text(first ? check_possible_names[r->possible] : ""),
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
	for (const struct capability *a = capabilities(); a->name; a++) {
		struct check_judged r = check_judge_analysis(c, a);
		if (!r.concerns_any)
			continue;
		add_analysis(c, &table, a->name, &r, a);
	}
	struct check_judged clocks = check_judge_clocks(c);
	add_analysis(c, &table, check_clocks_name, &clocks, NULL);
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
	if (check_lacking_with(c, NULL, tool, lacking))
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
	if (c->ask->format != ASK_FORMAT_TABLE)
		return check_print_answer(c);
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
