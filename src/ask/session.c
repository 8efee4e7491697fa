#include "ask/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/library/api.h"
#include "base/diag_json.h"
#include "base/plural.h"
#include "ask/words/hints.h"
#include "ask/period.h"
#include "ask/program.h"
#include "ask/tasks.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "trace/extent.h"
#include "trace/hole.h"
#include "trace/missing.h"

/* A bound that is wider is worth a warning: most requests between machines are shorter. */
#define WIDE_NS 10000000

/* ---- Opening ---- */

struct waiting { /* for a session, on a terminal */
	struct ask *ask;
	struct ask_progress progress;
	int n_stages;  /* so far: each reads the traces, and looks like the one before */
	char what[64]; /* the one that runs */
};

/* A stage of the library, in the words of the program. */
static const char *word_of(const char *stage)
{
	static const char *const words[][2] = { { "periods", "looking for periods" },
		{ "storing", "building the store" } };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(stage, words[i][0]) == 0)
			return words[i][1];
	return stage;
}

static void show_progress(void *ctx, const char *stage)
{
	struct waiting *w = ctx;
	if (stage) {
		const char *word = word_of(stage);
		if (++w->n_stages > 1)
			snprintf(w->what, sizeof(w->what), "step %d, %s", w->n_stages, word);
		ask_progress_follow(
			&w->progress, w->ask, w->n_stages > 1 ? w->what : word, w->ask->library);
	} else
		ask_progress_end(&w->progress);
}

static void free_session(struct ask *ask)
{
	if (ask->library != ask->shared)
		mer_session_free(ask->library);
	ask->library = NULL;
}

/* Where the events of all hosts begin that are not long before all others; false: none are. */
static bool find_begin(struct mer_experiment *e, int64_t *begin)
{
	bool any = false;
	*begin = INT64_MAX;
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		struct trace_hole hole;
		bool has_hole = trace_find_hole(e, h, &hole);
		int64_t first = has_hole ? hole.end : trace_extent_of_host(e, h).begin;
		any |= has_hole;
		if (first != MER_NO_TIME && first < *begin)
			*begin = first;
	}
	return any && *begin > e->begin;
}

/* A summary is of the time that has events, not of an event long before the others and of nothing
 * between: its commands say the begin, and a warning why. Of several hosts that is known when their
 * clocks are aligned. */
static int skip_hole(struct ask *ask, struct session *s)
{
	struct mer_experiment *e = mer_session_experiment(ask->library);
	int64_t begin;
	if (!ask->verb->skips_holes || ask->part || ask->select.begin.kind ||
		!find_begin(e, &begin))
		return 0;
	if (e->n_hosts > 1) {
		int rc = session_synchronize(s, true, &ask->err);
		if (rc || !find_begin(e, &begin))
			return rc;
	}
	const char *text = mer_arena_printf(&ask->arena, "%" PRId64, begin);
	if (!text)
		return mer_fail_nomem(&ask->err);
	ask->select.begin = (struct session_moment){
		.kind = SESSION_MOMENT_ABSOLUTE, .ns = begin, .text = text
	};
	return 0;
}

static int use_shared(struct ask *ask, struct session **s)
{
	ask->library = ask->shared;
	*s = api_session(ask->library);
	int rc = session_selection_check(
		&ask->select, mer_session_experiment(ask->library), &ask->err);
	return rc ? rc : skip_hole(ask, *s);
}

/* "32": bits; "42.9s": a time. */
static int read_clock_wrap(struct ask *ask, struct mer_session_options *o)
{
	int64_t ns = 0;
	const char *text = ask->clock_wrap;
	if (!text)
		return 0;
	size_t n = strspn(text, "0123456789");
	unsigned long bits = n && n <= 2 && !text[n] ? strtoul(text, NULL, 10) : 0;
	bool is_time = session_duration_parse(&ns, text) && ns > 0;
	if ((!is_time && !bits) || bits > 63)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--clock-wrap: '%.200s' is neither a number of bits such as 32 nor a time such as 42.9s",
			text);
	o->clock_wrap_bits = (uint32_t)bits;
	o->clock_wrap_ns = bits ? 0 : (uint64_t)ns;
	return 0;
}

/* Of 'meridian sync --method', where --sync wants the file that came of it. */
static bool is_method(const char *word)
{
	return ask_choice_index("hull|offset|realtime|vcpu", word, strlen(word)) >= 0;
}

int ask_session_options(struct ask *ask, struct mer_session_options *o)
{
	bool is_auto = !ask->sync || strcmp(ask->sync, "auto") == 0;
	bool is_saved = ask_clocks_file(ask) != NULL;
	const char *cache = ask_cache_folder(ask);
	const struct mer_spill_options *spill;
	if (ask->store && ask->no_store)
		return mer_fail(
			&ask->err, MER_ERR_USAGE, "--store and --no-store exclude each other");
	if (ask->vms.n && !is_auto)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--vm is of no use with --sync %.200s, which says whose guests hosts are, or that no clock is aligned",
			ask->sync);
	if (is_saved && is_method(ask->sync) && access(ask->sync, F_OK) != 0)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--sync: '%s' is a method: 'meridian sync --method %s --save FILE TRACE...', then --sync FILE",
			ask->sync, ask->sync);
	int rc = ask_spill_options(ask, &spill);
	if (rc)
		return rc;
	*o = (struct mer_session_options){ .size = sizeof(*o) };
	o->clocks = is_auto ? MER_CLOCKS_AUTO : is_saved ? MER_CLOCKS_SAVED : MER_CLOCKS_RECORDED;
	o->clocks_file = is_saved ? ask->sync : NULL;
	o->vms = ask->vms.item;
	o->n_vms = ask->vms.n;
	o->views = ask->views.item;
	o->n_views = ask->views.n;
	o->n_threads = ask_jobs(ask);
	o->cache_folder = cache;
	o->store = ask->store && cache;
	o->ignore_uuid = ask->ignore_uuid;
	rc = read_clock_wrap(ask, o);
	if (rc)
		return rc;
	o->memory_bytes = spill->in_memory;
	o->temporary_folders = spill->folders;
	o->n_temporary_folders = spill->n_folders;
	o->no_clock_findings = !ask->verbose;
	return 0;
}

static int open_session(struct ask *ask, bool once, struct session **s)
{
	struct mer_session_options o;
	struct waiting *waiting;
	*s = NULL;
	ask->synced = NULL;
	ask->window = (struct session_window){ INT64_MIN, INT64_MAX };
	if (ask->shared)
		return use_shared(ask, s);
	waiting = mer_arena_zalloc(&ask->arena, 1, sizeof(*waiting));
	if (!waiting)
		return mer_fail_nomem(&ask->err);
	waiting->ask = ask;
	int rc = ask_session_options(ask, &o);
	if (rc)
		return rc;
	o.no_store = ask->no_store || !(ask->verb->uses & (ASK_USES_STORE | ASK_USES_KEPT));
	o.progress = show_progress;
	o.progress_data = waiting;
	o.once = once;
	rc = mer_session_new(ask->args, ask->n_args, &o, &ask->library, &ask->err);
	if (rc == 0)
		rc = mer_session_open(ask->library, &ask->err);
	if (rc == 0 && !ask->of_many)
		rc = session_selection_check(
			&ask->select, mer_session_experiment(ask->library), &ask->err);
	if (rc == 0)
		rc = skip_hole(ask, api_session(ask->library));
	if (rc) /* of such traces nothing else is to be said */
		free_session(ask);
	else
		*s = api_session(ask->library);
	return rc;
}

int ask_session_open(struct ask *ask, struct session **s)
{
	return open_session(ask, false, s);
}

/* A warning if what was too large for memory could not go to a file; with -v a note if it did. */
static void report_spill(struct ask *ask, const struct mer_experiment *e)
{
	const char *problem = mer_spill_problem(e->spill);
	struct mer_spill_use use = mer_spill_use(e->spill);
	if (problem)
		ask_warn(ask,
			"%s; %" PRIu64
			" MiB more than MERIDIAN_MEMORY allows were kept in memory; set TMPDIR to a folder on a disk with enough space",
			problem, use.most_beyond >> 20);
	else if (use.folder && ask->verbose)
		ask_note(ask, "%" PRIu64 " MiB of data were in a temporary file in %s",
			use.most_in_file >> 20, use.folder);
}

static void report_store(struct ask *ask, const struct session *s)
{
	const struct mer_err *why = session_store_error(s);
	if (ask->store && !ask_cache_folder(ask))
		ask_warn(ask,
			"--store: the traces were read instead: there is no folder for it: neither HOME nor XDG_CACHE_HOME is set");
	if (why)
		ask_warn(ask, "--store: the traces were read instead: %s", ask_err_text(ask, why));
	switch (session_stored(s)) {
	case SESSION_STORE_NONE:
		if (ask->verbose && session_store_is_of_another_build(s))
			ask_note(ask,
				"the store of these traces in the cache is of another build of meridian and is not used (--store makes one of this build)");
		break;
	case SESSION_STORE_ANSWERED:
		if (session_store_is_of_itself(s))
			ask_note(ask,
				"this is the second question about these traces, so a store of them was made in the cache: later ones are answered from it, without reading the traces ('meridian cache list' shows it, 'meridian cache clear' removes it; --no-store reads the traces)");
		else if (ask->verbose && !session_experiment(s)->has_no_events)
			ask_note(ask,
				"answered from the store of these traces in the cache (--no-store reads the traces)");
		break;
	case SESSION_STORE_DAMAGED:
		if (session_experiment(s)->has_no_events)
			return; /* an error said so */
		ask_warn(ask,
			"the store of these traces was damaged and is removed; the traces were read instead");
		break;
	case SESSION_STORE_LACKS:
		ask_warn(ask,
			session_experiment(s)->has_no_events
				? "a full part is damaged, and times in it are missing above: copy it again, or make it again"
				: "the store of these traces was damaged, and times in it are missing above; it was removed: run the command again");
		ask->degraded = true;
	}
}

void ask_session_close(struct ask *ask, struct session *s)
{
	if (!s)
		return;
	if (ask->marks && ask->shared) { /* reported on when all marks are done */
		free_session(ask);
		ask->synced = NULL;
		return;
	}
	size_t n;
	const struct mer_diag *rows = trace_findings(session_experiment(s), &n);
	/* The answer comes before notes on it, also on a terminal. */
	fflush(ask->out);
	ask_report(ask, rows, n);
	report_spill(ask, session_experiment(s));
	report_store(ask, s);
	free_session(ask);
	ask->synced = NULL;
}

/* ---- Clocks ---- */

/* Names of hosts apart from the largest group, as many as fit a line. */
static void add_unsynchronized(struct mer_str *out, const struct sync_result *r, uint32_t n)
{
	enum { NAMES = 4 };
	uint32_t shown = 0;
	for (uint32_t h = 0; h < r->n_hosts && shown < NAMES; h++)
		if (r->hosts[h].group != 0 && r->hosts[h].span.begin != MER_NO_TIME)
			mer_str_printf(out, "%s%.64s", shown++ ? ", " : "", r->hosts[h].name);
	if (n > shown)
		mer_str_printf(out, " and %u more", (unsigned)(n - shown));
}

/* One line for each problem that matters when times of hosts are compared; without a problem, one
 * line with the error. */
static void note_clocks(struct ask *ask, const struct sync_result *r, const struct sync_summary *s)
{
	const char *reference = r->hosts[s->reference].name;
	struct mer_str text = { 0 };
	if (s->n_hosts < 2 && s->n_unsynchronized) {
		ask_warn(ask,
			"no messages between the %u hosts were found: their clocks stay as recorded and times of different hosts cannot be compared ('meridian check' lists what to record)",
			(unsigned)(s->n_hosts + s->n_unsynchronized));
		return;
	}
	if (s->n_unsynchronized) {
		add_unsynchronized(&text, r, s->n_unsynchronized);
		ask_warn(ask,
			"times of %s cannot be compared with those of the other %u %s: no messages between them were found (see 'meridian sync')",
			text.data ? text.data : "?", (unsigned)s->n_hosts,
			mer_plural(s->n_hosts, "host", "hosts"));
		mer_str_clear(&text);
	}
	if (s->n_hosts < 2) {
		mer_str_fini(&text);
		return;
	}
	if (sync_contradictory(r, &text)) {
		ask_warn(ask,
			"the messages between %s and %s contradict each other, whatever the clocks did: how far these clocks are off is not known, and their times cannot be compared (see 'meridian sync')",
			reference, text.data ? text.data : "?");
		mer_str_fini(&text);
		return;
	}
	uint32_t one_sided = sync_one_sided(r, &text);
	if (one_sided) {
		ask_warn(ask,
			"the %s of %s cannot be compared with that of %s: messages between them limit %s on one side only (see 'meridian sync')",
			mer_plural(one_sided, "clock", "clocks"), text.data ? text.data : "?",
			reference, mer_plural(one_sided, "it", "them"));
		mer_str_fini(&text);
		return;
	}
	if (s->likely_ns != INT64_MAX) {
		ask_text_duration(&text, s->likely_ns);
		mer_str_puts(&text, " (worst case ");
	}
	ask_text_duration(&text, s->median_ns);
	mer_str_puts(&text, s->likely_ns != INT64_MAX ? "" : " (median)");
	if (s->max_ns != INT64_MAX) {
		mer_str_puts(&text, s->likely_ns != INT64_MAX ? ", at one time " : ", ");
		ask_text_duration(&text, s->max_ns);
		mer_str_puts(&text, s->likely_ns != INT64_MAX ? "" : " (max)");
	}
	mer_str_puts(&text, s->likely_ns != INT64_MAX ? ")" : "");
	if (text.failed)
		mer_str_clear(&text);
	const char *bounds = text.data ? text.data : "?";
	if (s->median_ns == INT64_MAX)
		ask_warn(ask,
			"clocks of %u hosts aligned to that of %s; the error of %s's clock is unknown (see 'meridian sync')",
			(unsigned)s->n_hosts, reference, r->hosts[s->median].name);
	else if (s->likely_ns <= WIDE_NS)
		ask_note(ask,
			"clocks of %u hosts aligned to that of %s: accurate to %s; see 'meridian sync'",
			(unsigned)s->n_hosts, reference, bounds);
	else if (s->median_ns > WIDE_NS)
		ask_warn(ask,
			"clocks of %u hosts aligned to that of %s; the clock of %s may be off by %s (see 'meridian sync')",
			(unsigned)s->n_hosts, reference, r->hosts[s->median].name, bounds);
	else
		ask_note(ask,
			"clocks of %u hosts aligned to that of %s: off by less than %s; see 'meridian sync'",
			(unsigned)s->n_hosts, reference, bounds);
	mer_str_fini(&text);
}

/* Saved clocks are meant for these hosts: one that the file does not have, or did not align, would
 * be answered with its own times. */
static void warn_of_absent(struct ask *ask, const struct sync_result *r, const char *file)
{
	struct mer_str names = { 0 };
	uint32_t n = 0;
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		if (r->hosts[h].quality != SYNC_ABSENT)
			continue;
		mer_str_puts(&names, n++ ? ", " : "");
		ask_text_clean(&names, r->hosts[h].name, strlen(r->hosts[h].name), false);
	}
	if (n)
		ask_warn(ask,
			"%s does not align the %s of %s: times are as recorded, and cannot be compared with those of other hosts (make it again from all hosts: 'meridian sync --save')",
			file, mer_plural(n, "clock", "clocks"), names.data ? names.data : "?");
	mer_str_fini(&names);
}

int ask_session_synchronize(struct ask *ask, struct session *s, bool messages)
{
	int rc = session_synchronize(s, messages, &ask->err);
	if (rc)
		return rc;
	const struct sync_result *r = session_sync_result(s);
	const struct mer_err *why = session_sync_error(s);
	ask->synced = session_synced(s);
	if (r)
		note_clocks(ask, r, &ask->synced->summary);
	if (r && ask->synced->file)
		warn_of_absent(ask, r, ask->synced->file);
	for (size_t i = 0; r && i < r->diags.n; i++)
		ask->degraded |= r->diags.rows[i].severity != MER_NOTE;
	if (why) {
		ask_warn(ask, "the clocks could not be aligned and stay as recorded: %s",
			ask_err_text(ask, why));
		ask->degraded = true;
	}
	rc = session_window(s, &ask->select, &ask->window, &ask->err);
	/* One of many hosts may have nothing of that time. */
	return rc || ask->part ? rc : ask_hint_window(ask, session_experiment(s), &ask->window);
}

int ask_session_open_synced(struct ask *ask, enum ask_sync_when when, struct session **s)
{
	int rc = ask_session_open(ask, s);
	if (rc || when == ASK_SYNC_NEVER || (when == ASK_SYNC_GIVEN && !ask->sync))
		return rc;
	rc = ask_session_synchronize(ask, *s, false);
	if (rc) {
		free_session(ask);
		*s = NULL;
	}
	return rc;
}

int ask_session_open_world(
	struct ask *ask, enum session_usage usage, struct session **s, struct session_world *w)
{
	int rc = open_session(ask, true, s);
	if (rc == 0)
		rc = ask_session_synchronize(ask, *s, true);
	return rc ? rc : session_world(*s, usage, w, &ask->err);
}

/* ---- A question ---- */

int ask_tables(struct ask *ask, const struct ask_tables_question *q)
{
	struct session *s = NULL;
	struct mer_result **results =
		mer_arena_zalloc(&ask->arena, q->n + 1, sizeof(struct mer_result *));
	int rc = results ? open_session(ask, !q->goes_on, &s) : mer_fail_nomem(&ask->err);
	if (rc)
		return rc;
	rc = ask_session_synchronize(ask, s, q->messages);
	if (rc == 0 && q->periods)
		ask_periods_warn(ask, q->periods, session_experiment(s));
	if (rc == 0)
		rc = api_tables(ask->library, q->analysis, q->tables, q->n, q->options,
			&ask->select, q->partials, results, &ask->err);
	if (rc == 0 && q->periods)
		ask_periods_note(ask, &api_answer(results[0])->answer.found);
	if (rc == 0)
		rc = q->print(q->ctx, results);
	for (size_t i = 0; i < q->n; i++)
		mer_result_free(results[i]);
	ask_session_close(ask, s);
	return rc;
}

static int answer_tasks(
	struct ask *ask, const struct ask_task_question *q, const struct session_world *w)
{
	struct session_tasks tasks;
	size_t chosen;
	int rc = ask_tasks_find(ask, w, &tasks);
	if (rc || q->all)
		return rc ? rc : q->print(q->ctx, w, &tasks);
	if (q->list)
		return ask_tasks_print(ask, w, &tasks, q->limit);
	rc = ask_tasks_choose(ask, w, &tasks, q->nth, &chosen);
	if (rc)
		return rc;
	return q->print(q->ctx, w, &(struct session_tasks){ &tasks.item[chosen], 1 });
}

int ask_tasks(struct ask *ask, const struct ask_task_question *q)
{
	struct session *s;
	struct session_world w;
	/* Before anything is read: that may take minutes. */
	if (!q->all && !q->list && !ask->select.comms.n && !ask->select.tids.n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"which task? choose one with --comm NAME or --tid N (--list lists them)");
	int rc = ask_session_open_world(ask, q->usage, &s, &w);
	if (rc == 0)
		rc = answer_tasks(ask, q, &w);
	ask_session_close(ask, s);
	return rc;
}
