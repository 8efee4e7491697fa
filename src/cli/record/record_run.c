/* A recording from beginning to end. Each part cleans up after itself whatever came of it; the
 * first thing that failed is what is reported, and the last is what the exit status says. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/messages.h"
#include "base/file.h"
#include "ask/traces/check_result.h"
#include "cli/places.h"
#include "cli/record/record.h"
#include "ask/session.h"
#include "record/fetch.h"
#include "record/leftovers.h"
#include "record/words.h"
#include "sync/rounds/rounds.h"

static const char *manifest_path(const struct recording *r)
{
	return mer_arena_printf(&r->ask->arena, "%s/manifest.json", r->run.folder);
}

static void set_own(struct recording *r)
{
	static char name[256], boot[64];
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (gethostname(name, sizeof(name) - 1) == 0)
		r->about.own_name = name;
	if (file && fgets(boot, sizeof(boot), file)) {
		boot[strcspn(boot, "\n")] = '\0';
		r->about.own_boot_id = boot;
	}
	if (file)
		fclose(file);
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;
	for (struct dirent *e; d && n <= 2 && (e = readdir(d));)
		n++;
	if (d)
		closedir(d);
	return d && n <= 2;
}

/* The recording's folder: new, or empty; of the usual name another one when that is taken. */
static int make_folder(struct recording *r)
{
	struct ask *ask = r->ask;
	const char *label = r->run.plan.label, *path = r->o->output ? r->o->output : label;
	for (unsigned n = 2;; n++) {
		if (mkdir(path, 0777) == 0) {
			r->run.made_folder = true;
			break;
		}
		if (errno != EEXIST)
			return mer_fail_errno(&ask->err, "make", path);
		if (is_empty(path))
			break;
		if (r->o->output || n > 99)
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"--output: %s is there already, and not empty", path);
		path = mer_arena_printf(&ask->arena, "%s_%u", label, n);
		r->run.plan.label = path;
		if (!path)
			return mer_fail_nomem(&ask->err);
	}
	char *real = realpath(path, NULL);
	r->run.folder = real ? mer_arena_strdup(&ask->arena, real) : NULL;
	free(real);
	return r->run.folder ? 0 : mer_fail_errno(&ask->err, "find", path);
}

/* A note for a later run, should this program be killed; where there is no place for it, go on. */
static int write_leftover(struct recording *r)
{
	const char *state = cli_state_folder(r->ask);
	const char *dir = state ? mer_arena_printf(&r->ask->arena, "%s/recordings", state) : NULL;
	struct mer_err ignored = { 0 };
	const char *path =
		dir ? record_leftover_path(&r->ask->arena, dir, r->run.plan.session) : NULL;
	for (char *at = (char *)(uintptr_t)dir; at && (at = strchr(at + 1, '/'));) {
		*at = '\0';
		mkdir(dir, 0700);
		*at = '/';
	}
	if (path && (mkdir(dir, 0700) == 0 || errno == EEXIST) &&
		record_manifest_write(&r->run, &r->about, path, &ignored) == 0)
		r->leftover = path;
	else
		ask_warn(r->ask,
			"no note could be made of this recording: if meridian is killed, it cannot "
			"be cleaned up later");
	return record_manifest_write(&r->run, &r->about, manifest_path(r), &r->ask->err);
}

/* Removes sessions everywhere; what could not be removed is said, and left for `record clean`. */
static int clean_up(struct recording *r, int rc)
{
	struct mer_err err = { 0 };
	int failed = record_clean_up(&r->run, &err);
	if (failed) {
		const char *next = "; 'meridian record clean' tries again";
		if (rc == 0)
			return mer_fail(&r->ask->err, failed, "%s%s", err.text, next);
		ask_error(r->ask, "%s%s", err.text, next);
		return rc;
	}
	if (r->leftover)
		unlink(r->leftover);
	r->leftover = NULL;
	return rc;
}

/* What was not recorded leaves nothing here. */
static void remove_folder(struct recording *r)
{
	const char *path = manifest_path(r);
	for (size_t i = 0; i < r->run.n_hosts; i++) {
		if (r->run.hosts[i].target)
			continue;
		const char *words[] = { "rm", "-rf", "--",
			mer_arena_printf(
				&r->ask->arena, "%s/%s", r->run.folder, r->run.hosts[i].name),
			NULL };
		struct record_child c = { 0 };
		struct mer_err ignored = { 0 };
		if (words[3] && record_loop_spawn(&r->run.loop, &c,
					&(struct record_spawn){ .argv = words }, &ignored) == 0)
			while (!c.ended)
				record_loop_turn(&r->run.loop, INT64_MAX);
		record_child_free(&c);
	}
	if (path)
		unlink(path);
	if (r->run.made_folder)
		rmdir(r->run.folder);
}

static int64_t n_lost(const struct record_run *run)
{
	int64_t n = 0;
	for (size_t i = 0; i < run->n_hosts; i++)
		n += run->hosts[i].n_discarded > 0 ? run->hosts[i].n_discarded : 0;
	return n;
}

/* From the sessions to their end; *interrupted: by Ctrl-C while it recorded. */
static int record_once(struct recording *r, bool *interrupted)
{
	struct record_run *run = &r->run;
	struct ask *ask = r->ask;
	int rc = record_begin(run, &ask->err);
	if (rc)
		return clean_up(r, rc);
	if (!run->command)
		record_say(run, RECORD_SAY_STEP, "recording; Ctrl-C ends it");
	rc = record_wait(run, &ask->err);
	*interrupted = run->loop.n_interrupts > 0;
	/* What was recorded is kept; from here on another one ends what is under way. */
	run->loop.n_interrupts = 0;
	struct mer_err err = { 0 };
	int stopped = record_end(run, &err);
	if (stopped && rc == 0)
		rc = mer_fail(&ask->err, stopped, "%s", err.text);
	return clean_up(r, rc);
}

/* Larger buffers for another try, or 0. */
static bool grow(struct recording *r)
{
	enum { SUBBUF_KIB_MOST = 64 << 10 };
	struct record_run *run = &r->run;
	bool any = false;
	for (int d = 0; d < RECORD_FTRACE; d++) {
		struct record_channel *c = &run->plan.preset.channels[d];
		if (!c->name || c->subbuf_kib * 4 > SUBBUF_KIB_MOST)
			continue;
		c->subbuf_kib *= 4;
		any = true;
	}
	return any;
}

static int record_and_grow(struct recording *r, bool *interrupted)
{
	enum { TRIES = 5 };
	struct record_run *run = &r->run;
	const char *session = run->plan.session;
	for (int i = 1;; i++) {
		int rc = write_leftover(r);
		if (rc == 0)
			rc = record_once(r, interrupted);
		int64_t lost = n_lost(run);
		if (rc || !r->o->grow || !lost || *interrupted || i == TRIES || !grow(r))
			return rc;
		record_say(run, RECORD_SAY_NOTE,
			"%" PRId64
			" events were lost: once more with buffers of four times the size",
			lost);
		/* The first try is not wanted any more, here and there. */
		struct mer_err ignored = { 0 };
		for (size_t h = 0; h < run->n_hosts; h++) {
			struct record_host *host = &run->hosts[h];
			host->n_rounds = 0;
			host->counted = false;
			host->n_discarded = -1;
		}
		record_step_do(run, RECORD_STEP_REMOVE, NULL, true, &ignored);
		run->plan.session = mer_arena_printf(&r->ask->arena, "%s-%d", session, i + 1);
		if (!run->plan.session)
			return mer_fail_nomem(&r->ask->err);
	}
}

static void look_at_traces(struct recording *r);

static int fetch(struct recording *r, int rc)
{
	struct ask *ask = r->ask;
	struct record_run *run = &r->run;
	struct mer_err err = { 0 };
	bool any = false;
	for (size_t i = 0; i < run->n_hosts; i++)
		any |= run->hosts[i].has_data &&
		       (run->hosts[i].target || run->hosts[i].is_elsewhere);
	r->about.complete = !any;
	if (any && !r->o->keep_remote) {
		record_say(run, RECORD_SAY_STEP, "fetching traces");
		int failed = record_fetch(run, &err);
		if (failed == 0) {
			r->about.complete = true;
			struct mer_err left = { 0 };
			if (record_fetched_remove(run, &left))
				ask_warn(ask, "%s", left.text);
		} else {
			ask_warn(ask, "'meridian record fetch %s' goes on where this ended",
				run->folder);
			if (rc == 0)
				rc = mer_fail(&ask->err, failed, "%s", err.text);
		}
	}
	record_measure(run);
	if (r->about.complete)
		look_at_traces(r);
	int failed = record_manifest_write(run, &r->about, manifest_path(r), &err);
	if (failed && rc == 0)
		rc = mer_fail(&ask->err, failed, "%s", err.text);
	return rc;
}

/* When each host recorded its first event, and whether any did, from the traces that are here. */
static void look_at_traces(struct recording *r)
{
	struct record_run *run = &r->run;
	struct mer_experiment *e = NULL;
	struct mer_err ignored = { 0 };
	const char *path = run->folder;
	int64_t *first = mer_arena_zalloc(&r->ask->arena, run->n_hosts + 1, sizeof(*first));
	if (!first)
		return;
	/* Of programs that never ran, there is not even a trace. */
	r->is_looked_at = true;
	if (mer_experiment_open(&path, 1, NULL, &e, &ignored))
		return;
	for (size_t i = 0; i < run->n_hosts; i++) {
		int64_t base;
		first[i] = INT64_MIN;
		for (uint32_t t = 0; t < e->n_traces; t++) {
			const char *boot = run->hosts[i].facts.boot_id;
			const struct mer_trace *trace = &e->traces[t];
			if (trace->begin == MER_NO_TIME)
				continue;
			r->has_events = true;
			if (strcmp(e->hosts[trace->host].id, boot) != 0 ||
				!sync_monotonic_base(e, trace->host, &base))
				continue;
			int64_t at = trace->begin - base;
			first[i] = first[i] == INT64_MIN || at < first[i] ? at : first[i];
		}
	}
	record_take_first_events(run, first);
	mer_experiment_free(e);
}

/* The traces, as `meridian check` judges them: what was not recorded on purpose is left out. */
static int judge(struct ask *ask)
{
	struct session *s;
	struct check c = { .ask = ask };
	int rc = ask_session_open(ask, &s);
	if (rc)
		return rc;
	c.e = session_experiment(s);
	rc = session_check(s, &ask->select, &c.found, &ask->err);
	if (rc == 0)
		rc = check_print_short(&c);
	if (rc == 0 && !c.found.sound)
		ask_warn(ask, "not all traces are sound: 'meridian check %s' has the details",
			ask->args[0]);
	session_check_fini(&c.found);
	ask_session_close(ask, s);
	return rc;
}

static void check(struct recording *r)
{
	struct ask *ask = r->ask;
	const char **args = ask->args, *folder = r->o->output ? r->o->output : r->run.plan.label;
	size_t n_args = ask->n_args;
	FILE *out = ask->out;
	ask->args = &folder;
	ask->n_args = 1;
	ask->format = ASK_FORMAT_TABLE;
	ask->out = stderr;
	fputc('\n', stderr);
	int rc = judge(ask);
	if (rc < 0)
		ask_warn(ask, "the traces could not be checked: %s", ask->err.text);
	fflush(stderr);
	ask->args = args;
	ask->n_args = n_args;
	ask->out = out;
	ask->unreadable = false;
	ask->err = (struct mer_err){ 0 };
	cli_say_notes(ask);
}

/* Hosts, and whether they can do it. */
static int prepare(struct recording *r)
{
	struct record_run *run = &r->run;
	struct ask *ask = r->ask;
	int rc = record_loop_open(&run->loop, &ask->err);
	if (rc)
		return rc;
	record_talk_to_people(r);
	record_offer_cleaning(r);
	rc = record_setup_hosts(r, NULL, 0);
	if (rc == 0)
		rc = record_connect(run, &ask->err);
	if (rc == 0)
		rc = record_inspect(run, true, &ask->err);
	if (rc)
		return rc;
	record_findings_of_run(run, &r->findings);
	bool fatal = record_findings_fatal(&r->findings);
	if (!ask->quiet && (fatal || r->findings.n || run->n_hosts > 1))
		record_print_hosts(r, stderr);
	if (fatal || !ask->quiet)
		record_print_findings(r, stderr);
	if (!fatal)
		return 0;
	for (size_t i = 0; i < r->findings.n; i++)
		if (r->findings.item[i].severity == RECORD_FATAL)
			return mer_fail(&ask->err, MER_ERR_INPUT,
				"%s cannot record, so nothing was recorded",
				r->findings.item[i].host);
	return mer_fail_nomem(&ask->err);
}

int record_run_all(struct recording *r)
{
	struct record_run *run = &r->run;
	struct ask *ask = r->ask;
	bool interrupted = false;
	int rc = prepare(r);
	if (rc)
		return rc;
	set_own(r);
	rc = make_folder(r);
	if (rc)
		return rc;
	rc = record_and_grow(r, &interrupted);
	bool any = false, own = false;
	for (size_t i = 0; i < run->n_hosts; i++) {
		any |= run->hosts[i].has_data;
		own |= !run->hosts[i].target;
	}
	if (!any) {
		remove_folder(r);
		if (rc == MER_ERR_CANCELLED)
			ask_warn(ask, "interrupted: nothing was recorded");
		return rc;
	}
	rc = fetch(r, rc);
	record_print_result(r);
	record_run_free(run);
	record_loop_close(&run->loop);
	if (rc)
		return rc;
	if (!r->o->keep_remote) {
		if (!ask->quiet && !record_is_empty(r))
			check(r);
		if (record_is_empty(r))
			ask_warn(ask, "no event was recorded: %s",
				run->plan.preset.channels[RECORD_USER].name
					? "did the program run with the provider's library, and as the user whose session this is? ('lttng list --userspace' while it runs)"
					: "was the recording too short, or do the events not happen here?");
		else
			record_print_next(r);
	} else {
		record_say(run, RECORD_SAY_NOTE,
			"the traces are still there: 'meridian record fetch %s' gets them, 'meridian fleet %s -- top cpu' uses them there",
			run->folder, run->folder);
	}
	if (run->command && !own)
		ask_note(ask,
			"the command ran on this host, which was not recorded: --hosts localhost,... "
			"records it, too");
	return run->command			 ? run->command_code
	       : interrupted && run->duration_ns ? ASK_INTERRUPTED
						 : ASK_OK;
}
