/* The question of a fleet: its words are read here as the hosts will read them, so that what is
 * wrong with them is said before any host is asked. */
#include <inttypes.h>
#include <string.h>

#include "ask/program.h"
#include "ask/verb.h"
#include "ask/words/command.h"
#include "cli/fleet/fleet.h"
#include "session/moment.h"

/* Is it about how the answer is shown? Whatever `merge` has is, but a log has other rows in other
 * formats. */
static bool is_shown(const struct fleet *f, const struct ask_verb *verb, const struct ask_option *o)
{
	const struct ask_verb *merge = ask_verb_find(f->ask, "merge");
	return ask_option_find(merge, o->name, strlen(o->name), 0, NULL) &&
	       !(o->kind == ASK_FORMAT && strcmp(verb->name, "log") == 0);
}

/* Adds an option as one word: to those of the hosts, or of what is shown. A date is a moment here,
 * as hosts may be in other time zones. */
static int add_option(
	struct fleet *f, const struct ask_verb *verb, const struct ask_option *o, const char *value)
{
	struct mer_arena *arena = &f->ask->arena;
	struct session_moment moment;
	struct mer_err ignored;
	const char *word;
	if (!value)
		word = mer_arena_printf(arena, "--%s", o->name);
	else if (o->kind == ASK_MOMENT && session_moment_parse(&moment, value, &ignored) == 0 &&
		 moment.kind == SESSION_MOMENT_ABSOLUTE)
		word = mer_arena_printf(arena, "--%s=%" PRId64, o->name, moment.ns);
	else
		word = mer_arena_printf(arena, "--%s=%s", o->name, value);
	bool shown = is_shown(f, verb, o);
	if (shown)
		f->shown[f->n_shown++] = word;
	/* How traces are read concerns both. */
	if (!shown || o->uses & ASK_USES_INPUT)
		f->asked[f->n_asked++] = word;
	return word ? 0 : mer_fail_nomem(&f->ask->err);
}

/* Whose the words are; they have been read without a mistake (ask_parse). */
static int divide(struct fleet *f, const struct ask_verb *verb, const char *const *words, size_t n)
{
	int rc = 0;
	for (size_t i = 1; i < n && rc == 0; i++) {
		const char *word = words[i];
		size_t len = strcspn(word, "=");
		if (strcmp(word, "--") == 0) {
			while (i < n)
				f->asked[f->n_asked++] = words[i++];
		} else if (word[0] != '-' || !word[1]) {
			f->asked[f->n_asked++] = word;
		} else if (word[1] == '-') {
			const struct ask_option *o =
				ask_option_find(verb, word + 2, len - 2, 0, NULL);
			rc = add_option(f, verb, o,
				!ask_option_has_arg(o) ? NULL
				: word[len]	       ? word + len + 1
						       : words[++i]);
		} else {
			for (const char *p = word + 1; *p && rc == 0; p++) {
				const struct ask_option *o =
					ask_option_find(verb, NULL, 0, *p, NULL);
				bool has_value = ask_option_has_arg(o);
				rc = add_option(f, verb, o,
					!has_value ? NULL
					: p[1]	   ? p + 1
						   : words[++i]);
				if (has_value)
					break;
			}
		}
	}
	return rc;
}

int fleet_check_verb(const struct ask *q, struct mer_err *err)
{
	if (!ask_option_find(q->verb, "part", strlen("part"), 0, NULL))
		return mer_fail(err, MER_ERR_USAGE,
			"answers to '%s' cannot be merged: those to top, log, stats, freq and summary --peers can",
			q->verb->name);
	return q->want_help ? mer_fail(err, MER_ERR_USAGE,
				      "for its options, see 'meridian %s --help'", q->verb->name)
			    : 0;
}

static int check(struct fleet *f, const struct ask *q)
{
	struct mer_err *err = &f->ask->err;
	const struct ask_verb *verb = q->verb;
	if (!(verb->uses & ASK_USES_STORE) || verb->reads_events)
		return mer_fail(err, MER_ERR_USAGE,
			"'%s' is no question for a fleet: top, log, stats, freq, summary, requests, path, blocked, task and diff are",
			verb->name);
	f->is_full = !ask_option_find(verb, "part", strlen("part"), 0, NULL);
	f->has_facts = !verb->of_states;
	if (q->want_help)
		return mer_fail(err, MER_ERR_USAGE, "for its options, see 'meridian %s --help'",
			verb->name);
	if (q->sync)
		return mer_fail(
			err, MER_ERR_USAGE, "--sync: the clocks of a fleet are aligned by itself");
	/* The first word may be an analysis; others would be traces. */
	size_t n_own = verb->args && strcmp(verb->args, "ANALYSIS") == 0;
	if (q->n_args > n_own)
		return mer_fail(err, MER_ERR_USAGE,
			"'%.100s': traces are named before --, with their hosts", q->args[n_own]);
	return 0;
}

int fleet_read_question(struct fleet *f)
{
	struct ask *ask = f->ask;
	const char **words = ask->args + ask->n_before;
	size_t n = ask->n_args - ask->n_before, most = 1;
	struct ask question = { .format = UINT32_MAX, .out = ask->out, .program = ask->program };
	/* Each letter may be an option. */
	for (size_t i = 0; i < n; i++)
		most += 1 + strlen(words[i]);
	char **argv = mer_arena_zalloc(&ask->arena, n + 2, sizeof(*argv));
	f->asked = mer_arena_zalloc(&ask->arena, most, sizeof(*f->asked));
	f->shown = mer_arena_zalloc(&ask->arena, most, sizeof(*f->shown));
	void *values;
	if (!argv || !f->asked || !f->shown)
		return mer_fail_nomem(&ask->err);
	if (!n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"where is the question? Put it behind --, as in -- top cpu");
	argv[0] = (char[]){ "meridian" };
	for (size_t i = 0; i < n; i++) {
		argv[i + 1] = mer_arena_strdup(&ask->arena, words[i]);
		if (!argv[i + 1])
			return mer_fail_nomem(&ask->err);
	}
	mer_arena_init(&question.arena);
	int rc = ask_command_read(&question, (int)n + 1, argv, 1, &values);
	if (rc)
		ask->err = question.err;
	else
		rc = check(f, &question);
	if (rc == 0) {
		f->verb = question.verb->name;
		rc = divide(f, question.verb, words, n);
	}
	mer_arena_fini(&question.arena);
	return rc;
}

/* What is wrong with a question is said before its traces are looked for. Its exit status. */
static int try(struct fleet *f, const char *sync, struct mer_str *said)
{
	const char *const first[] = { "/proc/self/exe", f->verb, "--sync", sync, "--part", "-o",
		"/dev/null" };
	enum { N_FIRST = sizeof(first) / sizeof(*first), N_WHOLE = 2 };
	size_t n = f->is_full ? N_WHOLE : N_FIRST;
	const char **words =
		mer_arena_zalloc(&f->ask->arena, N_FIRST + f->n_asked + 2, sizeof(*words));
	if (!words)
		return mer_fail_nomem(&f->ask->err);
	memcpy(words, first, n * sizeof(*first));
	for (size_t i = 0; i < f->n_asked; i++)
		words[n++] = f->asked[i];
	words[n] = "/dev/null/traces";
	return fleet_run_here(f, words, false, said);
}

/* Can full parts answer what cannot be merged? Not what is of events. */
static bool may_be_full(const struct fleet *f)
{
	static const char *const of_events[] = { "mpi", "vm", "view", "period" };
	const struct ask_verb *verb = ask_verb_find(f->ask, f->verb);
	if (!verb->args || strcmp(verb->args, "ANALYSIS") != 0)
		return true;
	for (size_t i = 0; i < f->n_asked; i++) {
		const char *word = f->asked[i];
		if (word[0] == '-')
			continue;
		bool is = false;
		for (size_t k = 0; k < sizeof(of_events) / sizeof(*of_events); k++)
			is |= strcmp(word, of_events[k]) == 0;
		return !is;
	}
	return false; /* stats without an analysis counts events */
}

int fleet_try_question(struct fleet *f, const char *sync)
{
	struct mer_str said = { 0 };
	int rc = try(f, sync, &said);
	if (rc == ASK_USAGE && !f->is_full && may_be_full(f)) {
		f->is_full = true;
		mer_str_clear(&said);
		rc = try(f, sync, &said);
	}
	if (rc == ASK_USAGE)
		rc = mer_fail(&f->ask->err, MER_ERR_USAGE, "%s", said.data ? said.data : "");
	mer_str_fini(&said);
	return rc < 0 ? rc : 0;
}
