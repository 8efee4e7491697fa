/* meridian merge: one answer of the parts that hosts have for it. */
#include <string.h>

#include "ask/parts.h"
#include "ask/program.h"
#include "ask/verb.h"
#include "ask/words/command.h"
#include "cli/output.h"

struct values {
	const char *to, *format, *sync;
};

/* Parts come from elsewhere: a question that --part would not have written may name files. */
static bool may_be_asked(const struct ask *ask, const struct answer_part *p)
{
	enum { ELSEWHERE = ASK_USES_SYNC | ASK_USES_INPUT | ASK_USES_MARKS | ASK_USES_ALWAYS };
	const struct ask_verb *verb = ask_verb_find(ask, p->verb);
	bool ok = verb && verb->uses & ASK_USES_PARTS && p->analysis[0] != '-';
	for (size_t i = 0; ok && i < p->options.n; i++) {
		const char *word = p->options.item[i];
		bool common, is_long = strncmp(word, "--", 2) == 0;
		const struct ask_option *o = is_long ? ask_option_find(verb, word + 2,
							       strcspn(word + 2, "="), 0, &common)
						     : NULL;
		ok = o && !ask_option_is_file(o) && !(common && o->uses & ELSEWHERE);
	}
	return ok;
}

/* The file that all hosts had, which has another name here. */
static int name_clocks(struct ask *ask, const char *path, const struct ask_parts *parts)
{
	uint64_t clocks;
	int rc = answer_part_clocks(path, &clocks, &ask->err);
	if (rc)
		return rc;
	struct session_synced *own = mer_arena_zalloc(&ask->arena, 1, sizeof(*own));
	if (!own)
		return mer_fail_nomem(&ask->err);
	if (clocks != parts->of[0].clocks || !parts->of[0].about.synced)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"these parts have other clocks than %.500s", path);
	*own = *parts->of[0].about.synced;
	own->file = path;
	parts->of[0].about.synced = own;
	return 0;
}

/* The question's words, as if they had been typed; then the rest is as for any question. */
static int answer(struct ask *ask, const struct values *v, struct ask_parts *parts)
{
	const struct answer_part *first = &parts->of[0];
	size_t n = 0, most = first->options.n + 5;
	const char **words = mer_arena_zalloc(&ask->arena, most, sizeof(*words));
	void *values;
	if (!words)
		return mer_fail_nomem(&ask->err);
	words[n++] = "meridian";
	words[n++] = first->verb;
	for (size_t i = 0; i < first->options.n; i++)
		words[n++] = first->options.item[i];
	if (v->format) {
		words[n] = mer_arena_printf(&ask->arena, "--format=%s", v->format);
		if (!words[n++])
			return mer_fail_nomem(&ask->err);
	}
	if (*first->analysis)
		words[n++] = first->analysis;
	if (!may_be_asked(ask, first))
		return mer_fail(&ask->err, MER_ERR_INPUT,
			"%.500s: this part of an answer is damaged: its question is none",
			first->path);
	ask->n_args = ask->n_before = 0;
	ask->asked = (struct session_texts){ 0 };
	ask->format = UINT32_MAX;
	ask->parts = parts;
	int rc = ask_command_read(ask, (int)n, (char **)(uintptr_t)words, 1, &values);
	ask->output = v->to;
	/* Where it goes depends on the question. */
	if (rc == 0)
		rc = cli_close_output(ask);
	if (rc == 0)
		rc = cli_open_output(ask);
	return rc ? rc : ask_run_verb(ask, values);
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct ask_parts parts;
	int rc = ask_parts_read(ask, ask->args, ask->n_args, &parts);
	/* Of single ones a host has only as many as were asked for in its format. */
	if (rc == 0 && v->format && strcmp(parts.of[0].verb, "log") == 0)
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"--format: a log has other rows in other formats: give it to the question of each host");
	if (rc == 0 && v->sync)
		rc = name_clocks(ask, v->sync, &parts);
	if (rc == 0)
		rc = answer(ask, v, &parts);
	ask_parts_fini(&parts);
	ask->parts = NULL;
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "output",
		.letter = 'o',
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "write the results to FILE, or each table into DIR/",
		.offset = offsetof(struct values, to) },
	{ .name = "format",
		.kind = ASK_TEXT,
		.arg = "FORMAT",
		.help = "table, json, jsonl or csv, instead of the question's",
		.offset = offsetof(struct values, format) },
	{ .name = "sync",
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "the hosts' file of clocks: checks that it is this one",
		.offset = offsetof(struct values, sync) },
	{ 0 },
};

const struct ask_verb cli_verb_merge = {
	.name = "merge",
	.help = "one answer of the parts that hosts have for it",
	.synopsis = "[OPTION...] PART...",
	.description =
		"Prints the answer that a question about the traces of all these hosts would have. Each host answers with --part, which writes what it has for the answer, and --sync with the same file of clocks: 'meridian top cpu --sync all.sync --part -o web1.part TRACE...'.",
	.more =
		"The question is in the parts, with its options. Those of different questions or clocks cannot be merged, nor can those of another version of meridian. A part that is damaged is left out, and hosts that the file of clocks has, but no part, are named: the answer is without them.\n\n"
		"Questions that can be merged are top, log, stats and freq of analyses that need no other host: not of requests, messages, waits, net, servers, mpi and vm; and summary --peers, without what messages between hosts show. --begin and --end need a date or nanoseconds since 1970, as traces of each host begin at another time.",
	.uses = ASK_USES_INPUT,
	.is_aside = true,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "PART",
	.examples = {
		{ "meridian top cpu --part -o a.part server/ && meridian merge a.part", "A host writes what it has; where all parts meet they are merged." },
		{ "meridian merge a.part --format csv", "The same in another format." },
	},
	.run = run,
};
