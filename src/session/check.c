#include "session/check.h"

#include <string.h>

#include "base/err.h"
#include "base/plural.h"
#include "kernel/switches.h"
#include "session/state.h"
#include "trace/wrap.h"

struct check { /* that is being made */
	struct session *s;
	struct mer_experiment *e;
	const struct session_selection *selection;
	struct session_check *out;
	struct kernel_switches *switches; /* as the hosts */
	struct mer_err *err;
};

/* ---- Soundness ---- */

/* The trace whose folder the path is in, or is; n_traces: none. */
static uint32_t trace_of(const struct mer_experiment *e, const char *path)
{
	uint32_t trace = e->n_traces;
	size_t longest = 0;
	/* What was copied is read from elsewhere, but known by its own path. */
	for (uint32_t t = 0; t < e->n_traces; t++)
		if (strcmp(e->traces[t].path, path) == 0)
			return t;
	for (uint32_t p = 0; p < e->n_parts; p++) {
		size_t n = strlen(e->parts[p].path);
		if (n < longest || strncmp(e->parts[p].path, path, n) != 0)
			continue;
		if (path[n] == '\0' || path[n] == '/' || (n && path[n - 1] == '/')) {
			longest = n;
			trace = e->parts[p].trace;
		}
	}
	return trace;
}

/* What concerns no trace that was opened, and is an error, gets a row of its own. */
static struct session_verdict *row_of(struct check *c, const struct mer_diag *d)
{
	const struct mer_experiment *e = c->e;
	uint32_t t = d->path ? trace_of(e, d->path) : e->n_traces;
	if (t < e->n_traces)
		return &c->out->verdicts[t];
	if (d->severity != MER_ERROR)
		return NULL;
	for (uint32_t i = e->n_traces; d->path && i < c->out->n_verdicts; i++)
		if (strcmp(c->out->verdicts[i].path, d->path) == 0)
			return &c->out->verdicts[i];
	struct session_verdict *v = &c->out->verdicts[c->out->n_verdicts++];
	*v = (struct session_verdict){ .path = d->path ? d->path : "",
		.wanted = true,
		.unread = strcmp(d->code, "trace-unreadable") == 0 ||
			  strcmp(d->code, "path-unreadable") == 0 };
	return v;
}

/* perf begins on one CPU after the other and so misses a switch or two: what that leaves open is
 * short, and unknown in all results. */
static bool has_many_gaps(const struct kernel_switches *s)
{
	return s->n_contradict > 2 + s->n / 1000;
}

static int judge_traces(struct check *c)
{
	const struct mer_experiment *e = c->e;
	size_t n;
	const struct mer_diag *rows = trace_findings(e, &n);
	c->out->verdicts =
		mer_arena_zalloc(&c->s->arena, n + e->n_traces + 1, sizeof(*c->out->verdicts));
	if (!c->out->verdicts)
		return mer_fail_nomem(c->err);
	c->out->n_verdicts = e->n_traces;
	for (uint32_t t = 0; t < e->n_traces; t++) {
		const struct mer_trace *trace = &e->traces[t];
		struct session_verdict *v = &c->out->verdicts[t];
		*v = (struct session_verdict){ .path = trace->path,
			.host = e->hosts[trace->host].name,
			.lost_events = trace->lost_events,
			.lost_packets = trace->lost_packets,
			.wanted = session_selects_trace(c->selection, e, t) };
		trace_count_missing(e, t, &v->missing);
		for (uint32_t s = 0; s < trace->n_streams; s++)
			v->events += c->out->counts->by_stream[trace->first_stream + s].events;
		if (c->switches[trace->host].trace == t) {
			v->switch_gaps = c->switches[trace->host].n_contradict;
			v->many_gaps = has_many_gaps(&c->switches[trace->host]);
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct session_verdict *v = row_of(c, &rows[i]);
		/* The count of an error is the number of errors that share the row; that of a
		 * warning may count events. */
		if (v && rows[i].severity == MER_ERROR)
			v->errors += rows[i].count;
		else if (v && rows[i].severity == MER_WARNING)
			v->warnings++;
	}
	c->out->sound = true;
	for (uint32_t i = 0; i < c->out->n_verdicts; i++) {
		struct session_verdict *v = &c->out->verdicts[i];
		v->sound = !v->errors && !v->lost_events && !v->lost_packets && !v->many_gaps &&
			   !trace_is_missing(&v->missing);
		c->out->sound &= v->sound || !v->wanted;
	}
	return 0;
}

/* ---- Hosts ---- */

static int make_hosts(struct check *c)
{
	const struct mer_experiment *e = c->e;
	c->out->hosts = mer_arena_zalloc(&c->s->arena, e->n_hosts + 1u, sizeof(*c->out->hosts));
	if (!c->out->hosts)
		return mer_fail_nomem(c->err);
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		c->out->hosts[h].name = e->hosts[h].name;
		c->out->hosts[h].number = h;
		c->out->hosts[h].wanted = session_selects_host(c->selection, e->hosts[h].name);
	}
	capability_tally(e, c->out->counts, c->out->hosts);
	return 0;
}

/* What is missing of a host may be what would have been needed: that must not be mistaken for an
 * event that did not happen. */
static void find_partial(struct check *c)
{
	const struct mer_experiment *e = c->e;
	size_t n;
	const struct mer_diag *rows = trace_findings(e, &n);
	for (uint32_t t = 0; t < e->n_traces; t++) {
		struct trace_missing m = { 0 };
		trace_count_missing(e, t, &m);
		c->out->hosts[e->traces[t].host].partial |=
			e->traces[t].lost_events || e->traces[t].lost_packets ||
			trace_is_missing(&m) || has_many_gaps(&c->switches[e->traces[t].host]);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t t = rows[i].path ? trace_of(e, rows[i].path) : e->n_traces;
		if (rows[i].severity == MER_ERROR && t < e->n_traces)
			c->out->hosts[e->traces[t].host].partial = true;
	}
}

static void report_regressions(struct mer_experiment *e, const struct trace_counts *counts)
{
	uint64_t n_back = counts->n_back;
	if (!n_back)
		return;
	const struct mer_trace *t = &e->traces[e->streams[counts->worst.stream].trace];
	uint64_t freq = t->has_clock ? t->clock.freq_hz : 0;
	struct trace_wrap wrap =
		trace_guess_wrap(counts->worst.from, counts->worst.from - counts->worst.by, freq);
	struct mer_str hint = { 0 };
	trace_put_wrap(&hint, &wrap, freq);
	mer_diag_add(&e->diags,
		&(struct mer_diag){ .severity = MER_WARNING,
			.code = "clock-backwards",
			.path = e->n_traces == 1 ? e->traces[0].path : NULL,
			.stream = -1,
			.packet = -1,
			.offset_bits = -1,
			.count = n_back,
			.remedy = wrap.cycles ? MER_REMEDY_CLOCK_WRAP : MER_REMEDY_NONE },
		"the clock goes backwards %llu %s inside packets; these events are kept in the "
		"order in which they were written%s",
		(unsigned long long)n_back, mer_plural(n_back, "time", "times"),
		hint.data ? hint.data : "");
	mer_str_fini(&hint);
}

/* What leaves tasks out, as each tracer calls it. */
static const char *option_of(enum trace_tool tool)
{
	static const char *const options[TRACE_N_TOOLS] = {
		[TRACE_BY_LTTNG] =
			"only some tasks were recorded: 'lttng track' or a filter leaves the others out",
		[TRACE_BY_TRACE_CMD] =
			"'trace-cmd record' with -P, -F or a filter records some tasks only; record without them",
		[TRACE_BY_PERF] =
			"'perf record' without -a records some tasks only; record with -a",
	};
	return options[tool];
}

static void report_switches(struct check *c, uint32_t host, const struct kernel_switches *s)
{
	struct mer_experiment *e = c->e;
	enum trace_tool tool = trace_tool_of(e, host);
	struct mer_diag d = { .severity = has_many_gaps(s) ? MER_WARNING : MER_NOTE,
		.code = "switches-missing",
		.path = e->traces[s->trace].path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1,
		.count = s->n_contradict };
	if (s->n_contradict > 2 && s->n_contradict > s->n / 2)
		mer_diag_add(&e->diags, &d,
			"%llu of %llu context switches of %s take another task off the CPU than "
			"the one before put there: %s. What all "
			"others did is unknown, and when these were runnable is partly wrong",
			(unsigned long long)s->n_contradict, (unsigned long long)s->n,
			e->hosts[host].name, option_of(tool));
	else
		mer_diag_add(&e->diags, &d,
			"%llu of %llu context switches of %s take another task off the CPU than "
			"the one before put there: events are missing without being counted, as "
			"those that a filter%s leaves out. What tasks and vCPUs did then is partly "
			"wrong",
			(unsigned long long)s->n_contradict, (unsigned long long)s->n,
			e->hosts[host].name, tool == TRACE_BY_LTTNG ? " or 'lttng track'" : "");
}

/* What is missing without being counted, as far as the switches show it. */
static int find_missing(struct check *c)
{
	struct mer_experiment *e = c->e;
	int rc = 0;
	c->switches = mer_arena_zalloc(&c->s->arena, e->n_hosts + 1u, sizeof(*c->switches));
	if (!c->switches)
		return mer_fail_nomem(c->err);
	for (uint32_t h = 0; h < e->n_hosts && rc == 0; h++) {
		if (!session_selects_host(c->selection, e->hosts[h].name))
			continue;
		rc = kernel_switches_count(e, h, &c->s->cancel, &c->switches[h], c->err);
		if (rc == 0 && c->switches[h].n_contradict)
			report_switches(c, h, &c->switches[h]);
	}
	return rc;
}

/* ---- All of it ---- */

/* What all fields of all events are read with. Events that cannot be read so, because they have too
 * many fields, are a finding: *reading is NULL then. */
static int read_all(struct check *c, struct trace_reading **reading)
{
	struct mer_experiment *e = c->e;
	int rc = trace_reading_new(e, NULL, true, reading, c->err);
	if (rc != MER_ERR_LIMIT)
		return rc;
	for (uint32_t i = 0; i < e->n_parts; i++) {
		struct mer_arena arena;
		struct ctf_program *program;
		struct mer_err why;
		mer_arena_init(&arena);
		rc = ctf_program_compile(e->parts[i].schema, NULL, &arena, &program, &why);
		mer_arena_fini(&arena);
		if (rc == MER_ERR_NOMEM)
			return mer_fail_nomem(c->err);
		if (rc)
			mer_diag_add(&e->diags,
				&(struct mer_diag){ .severity = MER_ERROR,
					.code = "too-many-fields",
					.path = e->parts[i].path,
					.stream = -1,
					.packet = -1,
					.offset_bits = -1 },
				"its events cannot be read: %s", why.text);
	}
	return 0;
}

static int count(struct check *c)
{
	struct session *s = c->s;
	struct trace_reading *reading = NULL;
	_Atomic uint64_t *done = session_stage_begin(s, SESSION_CHECKING, c->e->bytes);
	int rc = read_all(c, &reading);
	if (rc == 0 && reading)
		rc = trace_walk_deep(c->e, reading, session_threads(s), &s->cancel, done,
			&c->out->counts, c->err);
	else if (rc == 0)
		rc = trace_walk(
			c->e, session_threads(s), &s->cancel, done, &c->out->counts, c->err);
	session_stage_end(s);
	trace_reading_free(reading);
	return rc;
}

int session_check(struct session *s, const struct session_selection *selection,
	struct session_check *out, struct mer_err *err)
{
	struct check c = { .s = s, .e = s->e, .selection = selection, .out = out, .err = err };
	*out = (struct session_check){ .can_sync = true };
	int rc = count(&c);
	if (rc)
		return rc;
	report_regressions(s->e, out->counts);
	rc = find_missing(&c);
	if (rc == 0)
		rc = make_hosts(&c);
	if (rc == 0)
		find_partial(&c);
	if (rc == 0)
		rc = capability_find_sync(s->e, out->hosts, err);
	if (rc == 0)
		rc = judge_traces(&c);
	if (rc)
		return rc;
	for (uint32_t h = 0; h < s->e->n_hosts; h++)
		out->can_sync &= out->hosts[h].can_sync || !out->hosts[h].wanted;
	for (uint32_t i = 0; i < out->n_verdicts; i++)
		out->can_sync &= !out->verdicts[i].unread;
	return 0;
}

void session_check_fini(struct session_check *c)
{
	trace_counts_free(c->counts);
	c->counts = NULL;
}
