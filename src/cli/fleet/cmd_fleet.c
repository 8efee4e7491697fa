/* meridian fleet: a question to hosts where their traces lie. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/print/table.h"
#include "ask/verb.h"
#include "cli/fleet/fleet.h"

static int check_options(const struct fleet *f)
{
	const struct fleet_options *o = f->o;
	struct mer_err *err = &f->ask->err;
	if (o->nice.set && o->nice.v > 19)
		return mer_fail(err, MER_ERR_USAGE, "--nice: from 0 (no limit) to 19");
	if (o->cpu_quota) {
		size_t digits = strspn(o->cpu_quota, "0123456789");
		if (!digits || digits > 6 || strcmp(o->cpu_quota + digits, "%") != 0 ||
			atoi(o->cpu_quota) == 0)
			return mer_fail(err, MER_ERR_USAGE,
				"--cpu-quota: '%.60s' is not a part of a CPU such as 50%%",
				o->cpu_quota);
	}
	/* Each has four open files. */
	if (o->fanout > FLEET_MOST_AT_ONCE)
		return mer_fail(err, MER_ERR_USAGE, "--fanout: at most %d hosts at a time",
			FLEET_MOST_AT_ONCE);
	if (o->timeout.set && o->timeout.v <= 0)
		return mer_fail(err, MER_ERR_USAGE, "--timeout: it must not be 0");
	if (o->ssh && !o->ssh[strspn(o->ssh, " \t")])
		return mer_fail(err, MER_ERR_USAGE, "--ssh: no command");
	if (o->program && !*o->program)
		return mer_fail(err, MER_ERR_USAGE, "--remote-program: no program");
	return 0;
}

/* Words for this program about the files of all hosts that have not failed; ends with NULL. n_more:
 * room for words of the caller in front. NULL: no memory. */
static const char **words_here(
	struct fleet *f, enum fleet_step step, size_t n_more, size_t *n_files)
{
	const char **words =
		mer_arena_zalloc(&f->ask->arena, f->n_hosts + n_more + 2, sizeof(*words));
	size_t n = 1 + n_more;
	if (!words)
		return NULL;
	words[0] = "/proc/self/exe";
	for (size_t i = 0; i < f->n_hosts; i++) {
		if (f->hosts[i].failed)
			continue;
		words[n] = fleet_file(f, &f->hosts[i], step);
		if (!words[n++])
			return NULL;
	}
	*n_files = n - 1 - n_more;
	return words;
}

/* How much is said, as the user of this verb wants it. */
static const char *manner(const struct fleet *f)
{
	return f->ask->quiet ? "-q" : f->ask->verbose ? "-v" : "--color=auto";
}

/* The clocks of all parts, unless they are there. */
static int align(struct fleet *f, const char *sync)
{
	struct mer_err *err = &f->ask->err;
	struct mer_str key = { 0 };
	enum { OWN = 4 };
	size_t n;
	const char **words = words_here(f, FLEET_PART, OWN, &n);
	const char *new = mer_arena_printf(&f->ask->arena, "%s.new", sync);
	if (!words || !new)
		return mer_fail_nomem(err);
	if (!n)
		return mer_fail(err, MER_ERR_INPUT, "no host is left");
	mer_str_printf(&key, "meridian %s\n", MERIDIAN_VERSION);
	for (size_t i = 0; i < n; i++)
		key.failed |= !fleet_key_file(&key, words[1 + OWN + i]);
	if (f->recording)
		fleet_key_file(&key, fleet_path(f, "manifest.json"));
	int rc = 0;
	if (!fleet_is_kept(f, sync, &key)) {
		words[1] = "sync";
		words[2] = manner(f);
		words[3] = "--save";
		words[4] = new;
		fleet_forget(f, sync);
		unlink(new);
		rc = fleet_run_here(f, words, false, NULL);
		f->any_lost |= rc == ASK_INPUT;
		if (rc >= 0 && access(new, F_OK) != 0)
			rc = mer_fail(
				err, MER_ERR_INPUT, "the clocks of these hosts cannot be aligned");
		else if (rc >= 0 && rename(new, sync) != 0)
			rc = mer_fail_errno(err, "write", sync);
		else if (rc >= 0) /* what could not be read is said again in the next run */
			rc = rc == ASK_OK ? fleet_keep(f, sync, &key) : 0;
	}
	mer_str_fini(&key);
	return rc;
}

static int ask_parts(struct fleet *f, const char *sync)
{
	int rc = fleet_step(f, FLEET_ANSWER, sync);
	if (rc)
		return rc;
	size_t n, n_own = 4 + f->n_shown;
	const char **words = words_here(f, FLEET_ANSWER, n_own, &n);
	if (!words)
		return mer_fail_nomem(&f->ask->err);
	if (!n)
		return mer_fail(&f->ask->err, MER_ERR_INPUT, "no host has answered");
	words[1] = "merge";
	words[2] = manner(f);
	words[3] = "--sync";
	words[4] = sync;
	for (size_t i = 0; i < f->n_shown; i++)
		words[5 + i] = f->shown[i];
	return fleet_run_here(f, words, true, NULL);
}

/* Hosts that have no full part are known by the ends of their messages where the parts of others
 * were made with these. */
static const char **full_words(struct fleet *f, const char *sync)
{
	size_t n = 0, n_full = 0;
	const char **words = mer_arena_zalloc(
		&f->ask->arena, f->n_hosts + f->n_shown + f->n_asked + 6, sizeof(*words));
	if (!words)
		return NULL;
	words[n++] = "/proc/self/exe";
	words[n++] = f->verb;
	words[n++] = manner(f);
	words[n++] = "--sync";
	words[n++] = sync;
	for (size_t i = 0; i < f->n_shown; i++)
		words[n++] = f->shown[i];
	for (size_t i = 0; i < f->n_asked; i++)
		words[n++] = f->asked[i];
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct fleet_host *h = &f->hosts[i];
		if (!h->has_part || (h->failed && !fleet_has_peer(f, h)))
			continue;
		words[n] = fleet_file(f, h, h->failed ? FLEET_PART : FLEET_FULL);
		if (!words[n++])
			return NULL;
		n_full += !h->failed;
	}
	if (!n_full)
		words[0] = NULL;
	return words;
}

static int ask_full(struct fleet *f, const char *sync)
{
	struct mer_err *err = &f->ask->err;
	ask_note(f->ask,
		"each host sends what its tasks did, up to %s the size of its traces, as '%s' needs that of all hosts%s",
		f->has_facts ? "half" : "a quarter of", f->verb,
		f->o->keep ? "" : "; with --keep DIR it is sent once for many questions");
	int rc = fleet_find_peers(f, sync);
	if (rc == 0)
		rc = fleet_step(f, FLEET_FULL, sync);
	if (rc)
		return rc;
	const char **words = full_words(f, sync);
	if (!words)
		return mer_fail_nomem(err);
	return words[0] ? fleet_run_here(f, words, true, NULL)
			: mer_fail(err, MER_ERR_INPUT, "no host has answered");
}

static int ask_fleet(struct fleet *f)
{
	int rc = record_loop_open(&f->loop, &f->ask->err);
	if (rc == 0)
		rc = fleet_open_folder(f);
	const char *sync = rc == 0 ? fleet_path(f, "all.sync") : NULL;
	if (rc == 0 && !sync)
		rc = mer_fail_nomem(&f->ask->err);
	if (rc == 0)
		rc = fleet_try_question(f, sync);
	if (rc == 0)
		rc = fleet_step(f, FLEET_PART, NULL);
	for (size_t i = 0; i < f->n_hosts; i++)
		f->hosts[i].has_part = !f->hosts[i].failed;
	if (rc == 0)
		rc = align(f, sync);
	if (rc == 0 && f->is_full)
		rc = ask_full(f, sync);
	else if (rc == 0)
		rc = ask_parts(f, sync);
	for (size_t i = 0; i < f->n_hosts; i++)
		f->any_lost |= f->hosts[i].failed != NULL;
	if (rc == ASK_OK && f->any_lost)
		rc = ASK_INPUT;
	fleet_forget_peers(f);
	fleet_close_folder(f);
	record_loop_close(&f->loop);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	struct fleet f = { .ask = ask, .o = values, .lock = -1 };
	/* What is shown is the answer of `merge`, which knows its format. */
	ask->format = ASK_FORMAT_TABLE;
	int rc = check_options(&f);
	if (rc == 0)
		rc = fleet_read_hosts(&f);
	if (rc == 0)
		rc = fleet_read_question(&f);
	if (rc)
		return rc;
	return f.o->dry_run ? fleet_print_lines(&f) : ask_fleet(&f);
}

#define OPTION(member) offsetof(struct fleet_options, member)
static const struct ask_option options[] = {
	{ .name = "hosts",
		.kind = ASK_TEXTS,
		.arg = "HOSTS",
		.help = "more hosts: a,user@b:DIR or a file of them",
		.offset = OPTION(hosts) },
	{ .name = "folder",
		.kind = ASK_TEXT,
		.arg = "DIR",
		.help = "where traces are on hosts that name no folder",
		.offset = OPTION(folder) },
	{ .name = "keep",
		.kind = ASK_FILE,
		.arg = "DIR",
		.help = "keep parts and answers; a later run gets what is missing",
		.offset = OPTION(keep) },
	{ .name = "fanout",
		.kind = ASK_NUMBER,
		.arg = "N",
		.help = "at most N hosts at a time (32)",
		.offset = OPTION(fanout) },
	{ .name = "timeout",
		.kind = ASK_DURATION,
		.arg = "T",
		.help = "leave out hosts that take longer in a step (3600s)",
		.offset = OPTION(timeout) },
	{ .name = "jobs-per-host",
		.kind = ASK_NUMBER,
		.arg = "N",
		.help = "threads of the question on each host (1)",
		.in_manual_only = true,
		.offset = OPTION(jobs) },
	{ .name = "nice",
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "by nice there (19), disks when idle; 0: neither",
		.offset = OPTION(nice) },
	{ .name = "cpu-quota",
		.kind = ASK_TEXT,
		.arg = "P%",
		.help = "at most this part of a CPU there, by systemd-run",
		.offset = OPTION(cpu_quota) },
	{ .name = "ssh",
		.kind = ASK_TEXT,
		.arg = "COMMAND",
		.help = "in place of ssh; it is given a host and a line",
		.offset = OPTION(ssh) },
	{ .name = "remote-program",
		.kind = ASK_TEXT,
		.arg = "PATH",
		.help = "where meridian is on the hosts (on their PATH)",
		.in_manual_only = true,
		.offset = OPTION(program) },
	{ .name = "dry-run",
		.kind = ASK_FLAG,
		.help = "print the lines to type, do nothing",
		.offset = OPTION(dry_run) },
	{ 0 },
};

const struct ask_verb cli_verb_fleet = {
	.name = "fleet",
	.help = "a question to many hosts by ssh, where their traces lie",
	.synopsis = "HOST[:FOLDER]... | RECORDING [OPTION...] -- QUESTION...",
	.description =
		"Sends a question to many hosts, and prints what it would "
		"print of all their traces here. No trace is copied: each host sends what clocks "
		"need, a few KiB, and then its part of the answer; for questions that need what all "
		"hosts did (requests, path, blocked, ...) what its tasks did, up to half the size of its traces. "
		"meridian has to be on the hosts (--remote-program PATH).\n\n"
		"RECORDING is the folder of 'meridian record --keep-remote'. A host that fails is "
		"left out and named; exit status 3.",
	.more = "Hosts are reached by the user's own ssh, with its keys, agents and jump hosts; "
		"localhost is this host, without ssh. Folders are below the home there unless they "
		"begin with a slash. A file of hosts has HOST or HOST:FOLDER in a line; # begins a "
		"comment.\n\n"
		"On each host, meridian runs by nice and, where the host has it, ionice, with one "
		"thread. It ends when the connection does, and leaves no file there. --cpu-quota is "
		"refused by hosts whose systemd cannot limit CPU time.\n\n"
		"With --keep the clocks are made once for all questions, and a run that was "
		"interrupted goes on. That traces have not changed since is taken for granted. When a "
		"host is added, clocks become others, and all hosts answer again.\n\n"
		"On a cluster, meridian-mpi(1) does the same by the ranks of an MPI job.\n\n"
		"--ssh COMMAND is cut at blanks. Where its program is not called ssh, no options of "
		"ssh are added.",
	.options = options,
	.is_aside = true,
	.values_size = sizeof(struct fleet_options),
	.min_args = 0,
	.max_args = -1,
	.examples = {
		{ "meridian fleet web:traces db:traces --dry-run -- top cpu",
			"What would be run where; without --dry-run it is done." },
		{ "meridian fleet localhost:client localhost:server -- top cpu",
			"Of two folders of this host, without ssh." },
	},
	.run = run,
};
