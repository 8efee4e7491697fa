/* meridian record: records this host, or many by ssh, with the events that a purpose needs. */
#include <string.h>

#include "cli/record/record.h"
#include "ask/verb.h"

static const struct other {
	const char *word;
	int (*run)(struct recording *r);
} others[] = {
	{ "doctor", record_doctor },
	{ "keepalive", record_keepalive },
	{ "fetch", record_fetch_again },
	{ "clean", record_clean_leftovers },
};

static int run_other(struct recording *r, const char *word)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(word, others[i].word) == 0)
			return others[i].run(r);
	return mer_fail(&r->ask->err, MER_ERR_USAGE,
		"'%.100s' is not doctor, keepalive, fetch or clean; put -- before a command", word);
}

static int record(struct recording *r)
{
	struct ask *ask = r->ask;
	if (ask->has_dashes && ask->n_before < ask->n_args) {
		const char **words = mer_arena_zalloc(&ask->arena, ask->n_args + 1, sizeof(*words));
		if (!words)
			return mer_fail_nomem(&ask->err);
		for (size_t i = 0; i < ask->n_args; i++)
			words[i] = ask->args[i];
		r->run.command = words;
	}
	if (r->o->measure)
		return record_measure_costs(r);
	int rc = record_setup_plan(r);
	if (rc)
		return rc;
	if (r->o->dry_run)
		return record_print_lines(r);
	return record_run_all(r);
}

static int run(struct ask *ask, const void *values)
{
	struct recording r = { .ask = ask, .o = values };
	r.run.arena = &ask->arena;
	r.findings.arena = &ask->arena;
	int rc = ask->n_before ? run_other(&r, ask->args[0]) : record(&r);
	record_setup_free(&r);
	return rc;
}

#define OPTION(member) offsetof(struct record_options, member)
static const struct ask_option options[] = {
	{ .name = "hosts",
		.kind = ASK_TEXTS,
		.arg = "HOSTS",
		.help = "a,user@b or a file of them, by ssh; localhost: this one",
		.offset = OPTION(hosts) },
	{ .name = "for",
		.kind = ASK_TEXTS,
		.arg = "PURPOSE",
		.help = "path, cost, clocks, vm, mpi, all, multi or ./FILE",
		.choices = "path|cost|clocks|vm|mpi|all|multi",
		.offset = OPTION(purposes) },
	{ .name = "backend",
		.kind = ASK_CHOICE,
		.arg = "TRACER",
		.help = "auto, lttng, ftrace or perf; auto: the first there is",
		.choices = "auto|lttng|ftrace|perf",
		.offset = OPTION(backend) },
	{ .name = "add",
		.kind = ASK_TEXTS,
		.arg = "EVENT",
		.help = "record this event of the kernel, too",
		.offset = OPTION(add) },
	{ .name = "user",
		.kind = ASK_TEXTS,
		.arg = "PROVIDER",
		.help = "record events of user space; without --for these alone",
		.offset = OPTION(user) },
	{ .name = "output",
		.letter = 'o',
		.kind = ASK_TEXT,
		.arg = "DIR",
		.help = "the folder of the recording (trace_YYMMDD_HHMM)",
		.offset = OPTION(output) },
	{ .name = "buffers",
		.letter = 'b',
		.kind = ASK_TEXT,
		.arg = "SIZExN",
		.help = "sub-buffers of each CPU: 2Mx8; larger ones lose less",
		.offset = OPTION(buffers) },
	{ .name = "duration",
		.kind = ASK_DURATION,
		.arg = "T",
		.help = "end after this time; without it or COMMAND at Ctrl-C",
		.offset = OPTION(duration) },
	{ .name = "snapshot",
		.kind = ASK_FLAG,
		.help = "keep the last events in memory, write them at the end",
		.offset = OPTION(snapshot) },
	{ .name = "rotate",
		.kind = ASK_DURATION,
		.arg = "T",
		.help = "begin a new part of the trace each T",
		.offset = OPTION(rotate) },
	{ .name = "live",
		.kind = ASK_FLAG,
		.help = "record through lttng-relayd, for viewers that follow",
		.offset = OPTION(live) },
	{ .name = "dry-run",
		.kind = ASK_FLAG,
		.help = "print the lines to type on a host, do nothing",
		.offset = OPTION(dry_run) },
	{ .name = "keep-remote",
		.kind = ASK_FLAG,
		.help = "leave traces there; 'record fetch DIR' gets them",
		.offset = OPTION(keep_remote) },
	{ .name = "grow",
		.kind = ASK_FLAG,
		.help = "events lost: repeat COMMAND with larger buffers",
		.offset = OPTION(grow) },
	{ .name = "measure",
		.kind = ASK_FLAG,
		.help = "what presets cost COMMAND, without and with in turns",
		.offset = OPTION(measure) },
	{ .name = "every",
		.kind = ASK_DURATION,
		.arg = "T",
		.help = "from one exchange of packets to the next (500ms; keepalive: 200s)",
		.in_manual_only = true,
		.offset = OPTION(every) },
	{ 0 },
};

const struct ask_verb cli_verb_record = {
	.name = "record",
	.help = "record traces on this host, or on many by ssh",
	.synopsis = "[OPTION...] [-- COMMAND] | doctor|keepalive|fetch|clean",
	.description =
		"Records while COMMAND runs here, and passes its exit status on. First it looks at "
		"each host and prints what is missing with the line that repairs it; at the end "
		"it checks the traces and says what to type next. As root, nothing has to be "
		"installed: ftrace is in every kernel.\n\n"
		"doctor explains what a host lacks and its clock. keepalive keeps packets flowing "
		"between --hosts. fetch resumes a fetch that was interrupted. clean ends recordings "
		"whose program was killed.",
	.more = "The kernel is recorded by LTTng where a host has it, else by ftrace in an instance "
		"of its own, which needs root and nothing else, else by perf; --backend chooses "
		"one. ftrace gets headers of packets and names of files by probes, where the "
		"kernel accepts them. doctor says what each host offers.\n\n"
		"Hosts are reached by the user's own ssh, with its keys, agents and jump hosts; "
		"nothing of meridian is installed on them, and no port is opened. All sessions are "
		"created before the first one starts, and they start together. While recording, "
		"each host answers with what its clocks show once a second, and hosts exchange two "
		"packets twice a second, so that clocks can be aligned; --every 100ms makes bounds "
		"narrower. Whatever fails, and on "
		"Ctrl-C, sessions are removed everywhere.\n\n"
		"Without privileges only --user is possible: the kernel needs root, or for LTTng "
		"group tracing. Exit status 3: a host cannot record; nothing was recorded.\n\n"
		"docs/record.md has the format of presets and of manifest.json, and says what a "
		"trace reveals.",
	.uses = 0,
	.options = options,
	.values_size = sizeof(struct record_options),
	.min_args = 0,
	.max_args = -1,
	.args = "doctor|keepalive|fetch|clean",
	.examples = {
		{ "meridian record --dry-run --for path -- wget http://server/",
			"What would be typed; without --dry-run it is done." },
		{ "meridian record doctor", "What does this host lack, and how is its clock?" },
	},
	.run = run,
};
