/* What `check` found, for programs. */
#include "ask/print/answer_print.h"
#include "ask/traces/check_judge.h"
#include "ask/tables.h"
#include "trace/missing.h"

/* ---- Tables ---- */

static void add_traces(const struct check *c, struct answer *a)
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
	struct mer_table *t = answer_add(a, "traces", "Traces", columns);
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
			mer_table_add(t, row);
	}
}

static void add_missing(const struct check *c, struct answer *a)
{
	struct mer_table *t = ask_missing_table(a);
	uint32_t row = 0;
	for (uint32_t i = 0; i < c->found.n_verdicts; i++) {
		const struct session_verdict *v = &c->found.verdicts[i];
		if (v->wanted)
			ask_missing_add(t, ++row, v->path, &v->missing);
	}
}

static void add_all(const struct check *c, struct answer *a)
{
	enum { SOUND, SYNC_POSSIBLE, N };
	static const struct mer_column columns[N + 1] = {
		[SOUND] = { "sound", "Sound", MER_ID },
		[SYNC_POSSIBLE] = { "sync_possible", "Clocks can be synchronized", MER_ID },
	};
	struct mer_table *t = answer_add_beside(a, "check", "All traces", columns);
	mer_table_add(t, (struct mer_cell[N]){
				 [SOUND] = MER_INT(c->found.sound),
				 [SYNC_POSSIBLE] = MER_INT(c->found.can_sync),
			 });
}

static void add_sync(const struct check *c, struct answer *a)
{
	enum { HOST, POSSIBLE, SEND, RECEIVE, WHY, PATH, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[POSSIBLE] = { "possible", "Can be synchronized", MER_ID },
		[SEND] = { "send_event", "Sent packets", MER_TEXT },
		[RECEIVE] = { "receive_event", "Received packets", MER_TEXT },
		[WHY] = { "why", "Why not", MER_TEXT },
		[PATH] = { "path", "Trace", MER_TEXT },
	};
	struct mer_table *t =
		answer_add_beside(a, "sync_hosts", "Synchronization of clocks", columns);
	for (uint32_t i = 0; c->e && i < c->e->n_hosts; i++) {
		const struct capability_host *h = &c->found.hosts[i];
		struct mer_cell row[N] = {
			[HOST] = mer_text(h->name),
			[POSSIBLE] = MER_INT(h->can_sync),
			[SEND] = mer_text(h->packets[CAPABILITY_SEND].event),
			[RECEIVE] = mer_text(h->packets[CAPABILITY_RECEIVE].event),
		};
		if (!h->wanted)
			continue;
		if (!h->can_sync)
			row[WHY] = mer_text(check_why(c->ask, h));
		mer_table_add(t, row);
	}
	for (uint32_t i = 0; i < c->found.n_verdicts; i++)
		if (c->found.verdicts[i].unread)
			mer_table_add(t, (struct mer_cell[N]){
						 [POSSIBLE] = MER_INT(0),
						 [WHY] = mer_text("the trace could not be read"),
						 [PATH] = mer_text(c->found.verdicts[i].path),
					 });
}

/* ---- Analyses ---- */

/* Tables of analyses, of hosts by analysis, and of the events that each of them lacks. */
struct analyses {
	const struct check *c;
	struct mer_table *all, *missing, *hosts, *hosts_missing;
};

static void add_events(struct mer_table *t, uint32_t row, const char *analysis, const char *host,
	const bool lacking[CAPABILITY_N_EVENTS])
{
	for (int ev = CAPABILITY_NOTHING + 1; ev < CAPABILITY_N_EVENTS; ev++) {
		struct mer_cell name = mer_text(capability_event_name((enum capability_event)ev));
		if (!lacking[ev])
			continue;
		if (host)
			mer_table_add(t, (struct mer_cell[]){ MER_INT(row), mer_text(analysis),
						 mer_text(host), name });
		else
			mer_table_add(
				t, (struct mer_cell[]){ MER_INT(row), mer_text(analysis), name });
	}
}

/* a NULL: the clocks. */
static struct mer_cell fix_of(
	struct analyses *x, const struct check_judged *r, const struct capability *a)
{
	struct mer_str fix = { 0 };
	for (int t = 0; a && t < TRACE_N_TOOLS; t++) {
		bool lacking[CAPABILITY_N_EVENTS];
		if (check_lacking_with(x->c, a, (enum trace_tool)t, lacking))
			capability_fix(&fix, lacking, (enum trace_tool)t);
	}
	if (!a)
		capability_fix(&fix, r->lacking, check_common_tool(x->c));
	return fix.len || fix.failed ? mer_table_keep(x->all, &fix) : MER_NONE;
}

static void add_analysis(struct analyses *x, const char *name, const struct check_judged *r,
	const struct capability *a)
{
	mer_table_add(
		x->all, (struct mer_cell[]){ mer_text(name),
				mer_text(check_possible_names[r->possible]), fix_of(x, r, a) });
	uint32_t number = (uint32_t)x->all->n_rows;
	add_events(x->missing, number, name, NULL, r->lacking);
	for (uint32_t i = 0; x->c->e && i < x->c->e->n_hosts; i++) {
		const struct capability_host *h = &x->c->found.hosts[i];
		bool lacking[CAPABILITY_N_EVENTS] = { 0 };
		enum capability_possible p = h->can_sync ? CAPABILITY_YES : CAPABILITY_NO;
		if (!h->wanted || (a && !capability_concerns(a, h)))
			continue;
		if (a)
			p = capability_judge(a, h, lacking);
		mer_table_add(
			x->hosts, (struct mer_cell[]){ MER_INT(number), mer_text(name),
					  mer_text(h->name), mer_text(check_possible_names[p]) });
		add_events(x->hosts_missing, (uint32_t)x->hosts->n_rows, name, h->name,
			a ? lacking : h->lacks);
	}
}

static void add_analyses(const struct check *c, bool any, struct answer *a)
{
	static const struct mer_column of_all[] = { { "name", "Analysis", MER_TEXT },
		{ "possible", "Possible", MER_TEXT }, { "fix", "What to record", MER_TEXT },
		{ 0 } };
	static const struct mer_column of_missing[] = { { "row", NULL, MER_ID },
		{ "name", "Analysis", MER_TEXT }, { "event", "Missing", MER_TEXT }, { 0 } };
	static const struct mer_column of_hosts[] = { { "row", NULL, MER_ID },
		{ "name", "Analysis", MER_TEXT }, { "host", "Host", MER_TEXT },
		{ "possible", "Possible", MER_TEXT }, { 0 } };
	static const struct mer_column of_hosts_missing[] = { { "row", NULL, MER_ID },
		{ "name", "Analysis", MER_TEXT }, { "host", "Host", MER_TEXT },
		{ "event", "Missing", MER_TEXT }, { 0 } };
	struct analyses x = { .c = c };
	x.all = answer_add_beside(a, "analyses", "Analyses", of_all);
	x.missing =
		answer_add_beside(a, "analyses_missing", "Events that analyses lack", of_missing);
	x.hosts = answer_add_beside(a, "analyses_hosts", "Analyses by host", of_hosts);
	x.hosts_missing = answer_add_beside(a, "analyses_hosts_missing",
		"Events that analyses lack, by host", of_hosts_missing);
	for (const struct capability *one = capabilities(); any && one->name; one++) {
		struct check_judged r = check_judge_analysis(c, one);
		if (r.concerns_any)
			add_analysis(&x, one->name, &r, one);
	}
	if (any) {
		struct check_judged clocks = check_judge_clocks(c);
		add_analysis(&x, check_clocks_name, &clocks, NULL);
	}
}

/* ---- The whole ---- */

static void fill(const struct check *c, bool any, struct answer *a)
{
	add_traces(c, a);
	add_all(c, a);
	add_missing(c, a);
	add_sync(c, a);
	add_analyses(c, any, a);
}

int check_print_answer(const struct check *c)
{
	struct answer a;
	answer_init(&a, c->e);
	fill(c, true, &a);
	int rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	return rc;
}

int check_print_unopened(struct ask *ask)
{
	struct check c = { .ask = ask };
	struct mer_diags found;
	struct answer a;
	if (ask->format != ASK_FORMAT_JSON)
		return 0;
	answer_init(&a, NULL);
	mer_diags_init(&found, &a.arena);
	const struct mer_diag where = { .severity = MER_ERROR,
		.code = "nothing-opened",
		.path = ask->n_args == 1 ? ask->args[0] : NULL,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	mer_diag_add(&found, &where, "%s", ask->err.text);
	a.found = &found;
	fill(&c, false, &a);
	int rc = ask_answer_print(ask, &a);
	answer_fini(&a);
	mer_diags_fini(&found);
	return rc;
}

void ask_check_tables(struct answer *a)
{
	const struct check none = { 0 };
	fill(&none, false, a);
}
