#include "ask/words/hints.h"

#include <string.h>

#include "base/nearest.h"
#include "ask/events/event_fields.h"
#include "ask/print/text.h"
#include "ask/program.h"
#include "ask/verb.h"

/* ---- Filters ---- */

/* Words of other tools for what a filter calls name and $host. */
static const char *other_word(const char *field)
{
	static const char *const words[][2] = { { "event", "name" }, { "event_name", "name" },
		{ "evt", "name" }, { "host", "$host" }, { "hostname", "$host" }, { "cpu", "$cpu" },
		{ "time", "$time" }, { "timestamp", "$time" } };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(field, words[i][0]) == 0)
			return words[i][1];
	return NULL;
}

static void put_hosts(struct mer_str *out, const struct mer_experiment *e)
{
	enum { NAMES = 12 };
	for (uint32_t h = 0; h < e->n_hosts && h < NAMES; h++)
		mer_str_printf(out, "%s%.64s", h ? ", " : "", e->hosts[h].name);
	if (e->n_hosts > NAMES)
		mer_str_printf(out, " and %u more", (unsigned)(e->n_hosts - NAMES));
}

void ask_hint_filter(struct ask *ask, const char *option, const struct trace_filter *f,
	const struct mer_experiment *e)
{
	bool is_host;
	const char *name = trace_filter_unknown(f, e);
	if (name) {
		const char *best = other_word(name);
		best = best ? best : event_fields_nearest(e, name, &ask->arena);
		ask_warn(ask, "--%s: no event of these traces has a field `%.100s`%s%.100s%s",
			option, name, best ? " (did you mean " : "", best ? best : "",
			best ? "?)" : "");
	}
	name = trace_filter_unmatched(f, e, &is_host);
	if (name && is_host) {
		struct mer_str hosts = { 0 };
		put_hosts(&hosts, e);
		const char *best = trace_nearest_host(e, name);
		ask_warn(ask, "--%s: the traces have no host '%.100s'%s%.64s%s; they have: %s",
			option, name, best ? " (did you mean " : "", best ? best : "",
			best ? "?)" : "", hosts.data ? hosts.data : "none");
		mer_str_fini(&hosts);
	} else if (name) {
		const char *best = trace_nearest_event(e, name);
		ask_warn(ask, "--%s: no event of these traces is named '%.100s'%s%.100s%s", option,
			name, best ? " (did you mean " : "; 'meridian stats --by name' lists them",
			best ? best : "", best ? "?)" : "");
	}
}

/* ---- Options ---- */

/* What to use instead of an option that a verb does not have. */
static const struct instead {
	const char *verb, *option; /* verb NULL: any */
	const char *text;
} insteads[] = {
	{ "state", "begin", "--at TIME is the moment" },
	{ "state", "end", "--at TIME is the moment" },
	{ "info", "begin", "it describes whole traces" },
	{ "info", "end", "it describes whole traces" },
	{ "check", "begin", "it judges whole traces" },
	{ "check", "end", "it judges whole traces" },
	{ "layout", "begin", "--nth K chooses the event" },
	{ "report", "begin", "the page has the whole recording, and shows any part of it" },
	{ "report", "end", "the page has the whole recording, and shows any part of it" },
	{ "serve", "begin", "the page has the whole recording, and shows any part of it" },
	{ "serve", "end", "the page has the whole recording, and shows any part of it" },
	{ "tui", "begin", "it has the whole recording, and shows any part of it" },
	{ "tui", "end", "it has the whole recording, and shows any part of it" },
	{ "report", "host", "name only the traces of these hosts" },
	{ "serve", "host", "name only the traces of these hosts" },
	{ "tui", "host", "name only the traces of these hosts" },
	{ "sync", "host", "clocks are aligned for all hosts at once" },
	{ "requests", "comm", "--from WHO and --to WHO choose by program, host and port" },
	{ "requests", "tid", "--from WHO and --to WHO choose by program, host and port" },
	{ "requests", "pid", "--from WHO and --to WHO choose by program, host and port" },
	{ "requests", "period", "--request 'BEGIN : END' makes requests of two events" },
	{ "requests", "filter", "--kind, --from, --to and --min choose requests" },
	{ "path", "cpu", "tasks move between CPUs: see 'meridian log cpu --cpu N'" },
	{ "blocked", "cpu", "tasks move between CPUs: see 'meridian log sched --cpu N'" },
	{ "graph", "cpu", "tasks move between CPUs: see 'meridian log sched --cpu N'" },
	{ "task", "cpu", "tasks move between CPUs: see 'meridian log cpu --cpu N'" },
	{ "diff", "cpu", "tasks move between CPUs: see 'meridian log cpu --cpu N'" },
	{ "events", "min", "an event has no duration: see 'meridian log syscall --min TIME'" },
	{ "events", "max", "an event has no duration: see 'meridian log syscall --max TIME'" },
	{ "events", "period", "see 'meridian log period --period 'BEGIN : END''" },
	{ NULL, "from", "times are --begin TIME and --end TIME" },
	{ NULL, "to", "times are --begin TIME and --end TIME" },
	{ NULL, "start", "use --begin TIME" },
	{ NULL, "since", "use --begin TIME" },
	{ NULL, "after", "use --begin TIME" },
	{ NULL, "until", "use --end TIME" },
	{ NULL, "before", "use --end TIME" },
	{ NULL, "stop", "use --end TIME" },
	{ NULL, "thread", "use --tid N" },
	{ NULL, "process", "use --pid N or --comm NAME" },
	{ NULL, "threads", "use --jobs N" },
	{ NULL, "top", "use --limit N" },
	{ NULL, "head", "use --limit N" },
	{ NULL, "csv", "use --format csv" },
	{ NULL, "method", "'meridian sync --method METHOD --save FILE', then --sync FILE" },
};

/* The verbs that have it. */
static unsigned put_verbs(const struct ask *ask, struct mer_str *out, const char *name, char letter)
{
	const struct ask_verb *const *all = ask_verbs_of(ask);
	unsigned n = 0;
	size_t len = name ? strlen(name) : 0;
	for (size_t v = 0; all[v]; v++)
		if (ask_option_find(all[v], name, len, letter, NULL))
			mer_str_printf(out, "%s%s", n++ ? ", " : "", all[v]->name);
	return n;
}

static const char *instead_of(const char *verb, const char *option)
{
	for (size_t i = 0; i < sizeof(insteads) / sizeof(*insteads); i++)
		if ((!insteads[i].verb || strcmp(insteads[i].verb, verb) == 0) &&
			strcmp(insteads[i].option, option) == 0)
			return insteads[i].text;
	return NULL;
}

static const char *nearest_option(const struct ask *ask, const char *word)
{
	const char *names[128];
	const struct ask_option *o;
	size_t n = 0;
	for (size_t i = 0; n < 128 && (o = ask_option_at(ask->verb, i, NULL)); i++)
		names[n++] = o->name;
	return mer_nearest(word, names, n);
}

int ask_hint_option(struct ask *ask, const char *name)
{
	const struct ask_verb *v = ask->verb;
	const char *instead = v ? instead_of(v->name, name) : NULL;
	struct mer_str verbs = { 0 };
	unsigned n = v ? put_verbs(ask, &verbs, name, 0) : 0;
	int rc;
	if (n && instead) {
		rc = mer_fail(&ask->err, MER_ERR_USAGE, "option --%s does not apply to '%s': %s",
			name, v->name, instead);
	} else if (n) {
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"option --%s does not apply to '%s', but to: %s", name, v->name,
			verbs.data ? verbs.data : "");
	} else {
		const char *best = instead ? NULL : nearest_option(ask, name);
		rc = mer_fail(&ask->err, MER_ERR_USAGE, "unknown option --%s%s%s%s", name,
			instead ? ": "
			: best	? " (did you mean --"
				: "",
			instead ? instead
			: best	? best
				: "",
			best ? "?)" : "");
	}
	mer_str_fini(&verbs);
	return rc;
}

/* The option that has this letter in some verb. */
static const char *name_of_letter(const struct ask *ask, char letter)
{
	const struct ask_verb *const *all = ask_verbs_of(ask);
	const struct ask_option *o = NULL;
	for (size_t v = 0; all[v] && !o; v++)
		o = ask_option_find(all[v], NULL, 0, letter, NULL);
	return o ? o->name : NULL;
}

int ask_hint_letter(struct ask *ask, char letter)
{
	const char *name = ask->verb ? name_of_letter(ask, letter) : NULL;
	struct mer_str verbs = { 0 };
	int rc;
	if (name && ask_option_find(ask->verb, name, strlen(name), 0, NULL)) {
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"option -%c does not apply to '%s': write --%s", letter, ask->verb->name,
			name);
	} else if (name) {
		put_verbs(ask, &verbs, NULL, letter);
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"option -%c does not apply to '%s', but to: %s", letter, ask->verb->name,
			verbs.data ? verbs.data : "");
	} else {
		rc = mer_fail(&ask->err, MER_ERR_USAGE, "unknown option -%c", letter);
	}
	mer_str_fini(&verbs);
	return rc;
}

/* ---- Times ---- */

int ask_hint_window(struct ask *ask, const struct mer_experiment *e, const struct session_window *w)
{
	const struct session_selection *s = &ask->select;
	bool is_late = s->begin.kind && w->begin > e->end;
	bool is_early = s->end.kind && w->end <= e->begin;
	/* Those who run several commands on the same traces know how long they are. */
	if (ask->shared || e->begin == MER_NO_TIME || (!is_late && !is_early))
		return 0;
	struct mer_str span = { 0 };
	ask_text_time(&span, e->begin);
	mer_str_puts(&span, " to ");
	ask_text_time(&span, e->end);
	int rc = mer_fail(&ask->err, MER_ERR_USAGE,
		"%s: %.100s is %s of the recording, which is from %s",
		!(ask->verb->uses & ASK_USES_TIME) ? "--at"
		: is_late			   ? "--begin"
						   : "--end",
		is_late ? s->begin.text : s->end.text,
		is_late ? "after the end" : "before the start", span.data ? span.data : "?");
	mer_str_fini(&span);
	return rc;
}
