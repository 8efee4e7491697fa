/* The verbs beside a recording: doctor (what hosts lack), keepalive (packets that keep clocks
 * bounded), fetch and clean (what an interrupted recording left). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/messages.h"
#include "base/file.h"
#include "base/now.h"
#include "base/plural.h"
#include "cli/places.h"
#include "cli/record/record.h"
#include "record/agents.h"
#include "record/fetch.h"
#include "record/leftovers.h"

#define SECOND INT64_C(1000000000)

static int begin(struct recording *r, const char *const *hosts, size_t n)
{
	int rc = record_loop_open(&r->run.loop, &r->ask->err);
	record_talk_to_people(r);
	if (rc == 0)
		rc = record_setup_hosts(r, hosts, n);
	if (rc == 0)
		rc = record_connect(&r->run, &r->ask->err);
	return rc ? rc : record_inspect(&r->run, false, &r->ask->err);
}

/* Where the clock of a host gets its time from. */
static void print_clock(const struct record_host *h, FILE *out)
{
	const struct record_facts *f = &h->facts;
	fprintf(out, "%s: clock source %s, %s%s\n", h->name,
		*f->clock_source ? f->clock_source : "unknown",
		*f->clock_daemon ? "kept by " : "not kept by any daemon", f->clock_daemon);
	for (size_t i = 0; i < f->n_refclocks; i++)
		fprintf(out, "    refclock %s\n", f->refclocks[i]);
	for (size_t i = 0; i < f->n_servers; i++)
		fprintf(out, "    server %s\n", f->servers[i]);
	for (size_t i = 0; i < f->n_ptp; i++)
		fprintf(out, "    %s\n", f->ptp[i]);
}

static bool any_probe(const struct record_facts *f)
{
	bool any = false;
	for (unsigned k = 0; k < RECORD_N_PROBES; k++)
		any |= f->probes[k];
	return any;
}

/* What each tracer could record here, and how packets would be known. */
static void print_rungs(const struct record_host *h, FILE *out)
{
	const struct record_facts *f = &h->facts;
	const struct record_rung rung = record_rung_of(f, &h->skb);
	fprintf(out, "%s: lttng: %s\n", h->name,
		f->kernel_tracer ? "yes"
		: f->no_lttng	 ? "no, it is not installed"
				 : "no, it cannot record the kernel");
	const char *not_ftrace = record_not_ftrace(f), *not_perf = record_not_perf(f);
	fprintf(out, "    ftrace: %s%s\n",
		not_ftrace	     ? "no, "
		: f->tracefs_missing ? "yes, once tracefs is mounted"
				     : "yes, in an instance of ",
		not_ftrace ? not_ftrace : f->tracefs);
	if (*f->tracefs && any_probe(f)) {
		fputs("        the kernel accepts", out);
		for (unsigned k = 0, n = 0; k < RECORD_N_PROBES; k++)
			if (f->probes[k])
				fprintf(out, "%s %ss", n++ ? "," : "", record_probe_kind_name(k));
		fputc('\n', out);
	} else if (*f->tracefs) {
		fprintf(out, "        the kernel accepts no probes%s%s%s\n",
			*f->lockdown ? " (lockdown: " : "", f->lockdown, *f->lockdown ? ")" : "");
	}
	if (h->skb.data >= 0)
		fprintf(out, "        sk_buff.data at %lld, from BTF\n", (long long)h->skb.data);
	fprintf(out, "    perf: %s%s\n", not_perf ? "no, " : "yes, ",
		not_perf ? not_perf : f->perf);
	fputs("    packets: ", out);
	if (f->kernel_tracer)
		fputs("with headers, by lttng\n", out);
	else if (rung.headers)
		fprintf(out, "with headers, by ftrace's %ss\n",
			record_probe_kind_name(rung.headers_by));
	else if (not_ftrace && not_perf)
		fputs("none: no tracer can record the kernel\n", out);
	else if (f->tracefs_missing)
		fputs("known once tracefs is mounted\n", out);
	else
		fputs("without headers: clocks are aligned by rounds only\n", out);
	if (f->is_container && !f->kernel_tracer)
		fputs("    this is a container: what it may record, its host decides\n", out);
}

int record_doctor(struct recording *r)
{
	struct ask *ask = r->ask;
	int rc = record_setup_plan(r);
	if (rc == 0)
		rc = begin(r, ask->args + 1, ask->n_args - 1);
	if (rc)
		return rc;
	record_findings_of_run(&r->run, &r->findings);
	for (size_t i = 0; i < r->run.n_hosts; i++)
		record_findings_of_clock(&r->run.hosts[i], &r->findings);
	/* Both know of the clock; each finding is said once. */
	size_t n = 0;
	for (size_t i = 0; i < r->findings.n; i++) {
		bool is_said = false;
		for (size_t k = 0; k < n; k++)
			is_said |=
				strcmp(r->findings.item[k].text, r->findings.item[i].text) == 0 &&
				r->findings.item[k].host == r->findings.item[i].host;
		if (!is_said)
			r->findings.item[n++] = r->findings.item[i];
	}
	r->findings.n = n;
	record_print_hosts(r, ask->out);
	fputc('\n', ask->out);
	for (size_t i = 0; i < r->run.n_hosts; i++)
		print_rungs(&r->run.hosts[i], ask->out);
	fputc('\n', ask->out);
	for (size_t i = 0; i < r->run.n_hosts; i++)
		print_clock(&r->run.hosts[i], ask->out);
	if (n)
		fputc('\n', ask->out);
	record_print_findings(r, ask->out);
	if (!n)
		fprintf(ask->out, "\nnothing is missing\n");
	return ASK_OK;
}

int record_keepalive(struct recording *r)
{
	struct ask *ask = r->ask;
	double every = r->o->every.set ? (double)r->o->every.v / 1e9 : 200;
	if (ask->n_args > 1)
		return mer_fail(&ask->err, MER_ERR_USAGE, "keepalive: name the hosts with --hosts");
	if (every < 0.1)
		return mer_fail(&ask->err, MER_ERR_USAGE, "--every: at least 100ms");
	int rc = begin(r, NULL, 0);
	if (rc)
		return rc;
	if (r->run.n_hosts < 2)
		return mer_fail(&ask->err, MER_ERR_USAGE, "keepalive needs two hosts or more");
	rc = record_agents_begin(&r->run, &ask->err);
	if (rc == 0) {
		record_agents_beacons(&r->run, every);
		record_say(&r->run, RECORD_SAY_STEP,
			"hosts exchange two packets every %g s; Ctrl-C ends it", every);
		int64_t end = r->o->duration.set ? mer_now_ns() + r->o->duration.v : INT64_MAX;
		bool alive = true;
		while (alive && !r->run.loop.n_interrupts && mer_now_ns() < end) {
			record_loop_turn(&r->run.loop, end);
			for (size_t i = 0; i < r->run.n_hosts; i++)
				alive &= !r->run.hosts[i].agent.ended;
		}
		record_agents_count(&r->run);
		for (size_t i = 0; i < r->run.n_hosts; i++) {
			const struct record_host *h = &r->run.hosts[i];
			if (h->agent.ended && rc == 0 && alive == false)
				rc = mer_fail(&ask->err, MER_ERR_INPUT, "%s: the connection ended",
					h->name);
			if (h->counted && h->n_silent + h->n_answered)
				record_say(&r->run, RECORD_SAY_NOTE,
					"%s: %llu of %llu were answered", h->name,
					(unsigned long long)h->n_answered,
					(unsigned long long)(h->n_answered + h->n_silent));
		}
	}
	record_agents_end(&r->run);
	return rc;
}

/* The recording that a manifest describes. */
static int read_manifest(struct recording *r, const char *path, bool *complete)
{
	struct mer_file f;
	int rc = mer_file_open(&f, path, &r->ask->err);
	if (rc)
		return rc;
	rc = record_manifest_read(
		&r->run, complete, (const char *)f.data, f.size, path, &r->ask->err);
	mer_file_close(&f);
	return rc;
}

int record_fetch_again(struct recording *r)
{
	struct ask *ask = r->ask;
	bool complete = false;
	if (ask->n_args != 2)
		return mer_fail(&ask->err, MER_ERR_USAGE, "usage: meridian record fetch DIR");
	const char *path = mer_arena_printf(&ask->arena, "%s/manifest.json", ask->args[1]);
	int rc = path ? read_manifest(r, path, &complete) : mer_fail_nomem(&ask->err);
	if (rc)
		return rc;
	if (complete) {
		fprintf(ask->out, "the traces of %s are here already\n", ask->args[1]);
		return ASK_OK;
	}
	char *real = realpath(ask->args[1], NULL);
	r->run.folder = real ? mer_arena_strdup(&ask->arena, real) : NULL;
	free(real);
	if (!r->run.folder)
		return mer_fail_errno(&ask->err, "find", ask->args[1]);
	record_talk_to_people(r);
	rc = record_loop_open(&r->run.loop, &ask->err);
	if (rc == 0)
		rc = record_connect(&r->run, &ask->err);
	if (rc == 0)
		rc = record_fetch(&r->run, &ask->err);
	struct mer_err left = { 0 };
	if (rc == 0 && !r->o->keep_remote && record_fetched_remove(&r->run, &left))
		ask_warn(ask, "%s", left.text);
	if (rc == 0)
		rc = record_mark_complete(path, &ask->err);
	if (rc == 0)
		record_say(
			&r->run, RECORD_SAY_NOTE, "fetched; next: meridian check %s", ask->args[1]);
	return rc;
}

/* Ends one recording. */
static int clean(struct recording *r, const struct record_leftover *l)
{
	struct recording old = { .ask = r->ask, .o = r->o };
	const char *tracer = "lttng";
	bool complete, any_other = false;
	old.run.arena = &r->ask->arena;
	record_talk_to_people(&old);
	int rc = read_manifest(&old, l->path, &complete);
	if (rc == 0)
		rc = record_loop_open(&old.run.loop, &r->ask->err);
	for (size_t i = 0; i < old.run.n_hosts; i++) {
		old.run.hosts[i].made = true;
		if (old.run.hosts[i].target && old.run.hosts[i].backend != RECORD_LTTNG)
			tracer = "meridian";
		any_other |= old.run.hosts[i].target != NULL;
	}
	if (rc == 0)
		rc = record_connect(&old.run, &r->ask->err);
	/* The traces stay: somebody may want them. */
	for (size_t i = 0; i < old.run.n_hosts; i++)
		old.run.hosts[i].has_data = true;
	if (rc == 0)
		rc = record_clean_up(&old.run, &r->ask->err);
	if (rc == 0 && unlink(l->path) != 0)
		rc = mer_fail_errno(&r->ask->err, "remove", l->path);
	const char *there =
		any_other ? mer_arena_printf(&r->ask->arena,
				    ", and in ~/%s-traces/%s of other hosts", tracer, l->session)
			  : "";
	if (rc == 0)
		record_say(&old.run, RECORD_SAY_NOTE,
			"%s: the session is removed from %zu %s; what it recorded is in %s%s",
			l->session, old.run.n_hosts, mer_plural(old.run.n_hosts, "host", "hosts"),
			old.run.folder, there ? there : "");
	record_setup_free(&old);
	return rc;
}

enum { MOST_LEFTOVERS = 100 };

static size_t leftovers(struct recording *r, struct record_leftover *found)
{
	const char *state = cli_state_folder(r->ask);
	const char *dir = state ? mer_arena_printf(&r->ask->arena, "%s/recordings", state) : NULL;
	return dir ? record_leftovers_find(&r->ask->arena, dir, found, MOST_LEFTOVERS) : 0;
}

int record_clean_leftovers(struct recording *r)
{
	struct record_leftover found[MOST_LEFTOVERS];
	size_t n = leftovers(r, found);
	int rc = 0;
	if (r->ask->n_args > 1)
		return mer_fail(&r->ask->err, MER_ERR_USAGE, "usage: meridian record clean");
	for (size_t i = 0; i < n; i++) {
		int failed = clean(r, &found[i]);
		if (failed) {
			ask_error(r->ask, "%s: %s", found[i].session, r->ask->err.text);
			rc = failed;
		}
	}
	/* Now that nobody needs their connections any more. */
	record_leftover_folders_remove();
	if (!n)
		fprintf(r->ask->out, "no recording was left over\n");
	return rc ? cli_exit_of(rc) : ASK_OK;
}

void record_offer_cleaning(struct recording *r)
{
	struct record_leftover found[MOST_LEFTOVERS];
	size_t n = leftovers(r, found);
	char answer[16] = "";
	if (!n)
		return;
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
		fprintf(stderr,
			"meridian: recording %s was killed and may still be running. End %s now? [Y/n] ",
			found[0].session, n == 1 ? "it" : "all of these");
		if (fgets(answer, sizeof(answer), stdin) && answer[0] != 'n' && answer[0] != 'N') {
			for (size_t i = 0; i < n; i++)
				if (clean(r, &found[i]))
					ask_error(r->ask, "%s", r->ask->err.text);
			r->ask->err = (struct mer_err){ 0 };
			return;
		}
	}
	ask_warn(r->ask,
		"recording %s was killed and may still be running: 'meridian record clean' ends it",
		found[0].session);
	cli_say_notes(r->ask);
}
