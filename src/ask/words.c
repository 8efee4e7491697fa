#include "ask/words.h"

#include <stdlib.h>
#include <string.h>

#include "ask/library/api.h"
#include "ask/words/command.h"
#include "ask/verb.h"

bool ask_wants_recorded(const char *verb)
{
	static const char *const verbs[] = { "sync", "latency", "info", "check" };
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strncmp(verb, verbs[i], strlen(verbs[i])) == 0 &&
			(!verb[strlen(verbs[i])] || verb[strlen(verbs[i])] == ' '))
			return true;
	return false;
}

/* Its clocks are its own affair: what the session has does not matter. */
static bool aligns_itself(const char *verb)
{
	return strcmp(verb, "sync") == 0 || strcmp(verb, "latency") == 0;
}

/* Those that ask about traces. */
static const struct ask_verb *verb_of(const char *name)
{
	const struct ask_verb *verb = NULL;
	for (size_t i = 0; ask_verbs[i] && !verb; i++)
		if (strcmp(ask_verbs[i]->name, name) == 0)
			verb = ask_verbs[i];
	/* A layout is of one packet of a file. */
	return verb == &ask_verb_layout ? NULL : verb;
}

/* ---- What may be asked ---- */

/* Options that only look: no files (a view may be one), and nothing that belongs to the session. A
 * picture is an answer where it needs no other program. value: NULL: none. */
static bool may_have(
	const struct ask_verb *verb, const struct ask_option *o, bool common, const char *value)
{
	static const char *const of_session[] = { "store", "no-store", "vm", "jobs", "progress",
		"ignore-uuid", "color", "help", "version", "view" };
	for (size_t i = 0; common && i < sizeof(of_session) / sizeof(*of_session); i++)
		if (strcmp(o->name, of_session[i]) == 0)
			return false;
	if (o->kind == ASK_PICTURE)
		return value && strcmp(value, "-") == 0 && verb != &ask_verb_graph;
	return o->kind != ASK_FILE;
}

static const struct ask_option *option_of(
	const struct ask_verb *verb, const char *word, bool *common)
{
	const struct ask_option *o;
	size_t len = strcspn(word + 2, "=");
	for (size_t i = 0; (o = ask_option_at(verb, i, common)); i++)
		if (strlen(o->name) == len && strncmp(o->name, word + 2, len) == 0)
			return o;
	return NULL;
}

/* words: behind the verb. */
static int check_words(
	struct ask *ask, const struct ask_verb *verb, const char *const *words, size_t n)
{
	size_t n_plain = 0;
	for (size_t i = 0; i < n; i++) {
		bool common = false;
		const char *word = words[i];
		if (word[0] != '-') {
			n_plain++;
			continue;
		}
		const struct ask_option *o = word[1] == '-' ? option_of(verb, word, &common) : NULL;
		const char *value = strchr(word, '=');
		value = value ? value + 1 : i + 1 < n ? words[i + 1] : NULL;
		if (!o || !may_have(verb, o, common, value))
			return mer_fail(&ask->err, MER_ERR_USAGE,
				"option %.100s cannot be used here: only long options that name no file",
				word);
		if (ask_option_has_arg(o) && !strchr(word, '='))
			i++; /* its value */
	}
	bool has_analysis = strcmp(verb->args, "ANALYSIS") == 0;
	if (n_plain > has_analysis)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"the traces are those that are open: no others can be named");
	return 0;
}

/* ---- The question ---- */

/* The command line of the program that this is: program, words, traces. */
static char **whole_line(struct ask *ask, const struct ask_asker *asker, const char *const *words,
	size_t n, int *argc)
{
	char **argv = mer_arena_zalloc(&ask->arena, n + asker->n_traces + 3, sizeof(*argv));
	size_t at = 0;
	bool ok = argv != NULL;
	if (!ok)
		return NULL;
	argv[at++] = mer_arena_strdup(&ask->arena, "meridian");
	for (size_t i = 0; i < n; i++)
		argv[at++] = mer_arena_strdup(&ask->arena, words[i]);
	argv[at++] = mer_arena_strdup(&ask->arena, "--");
	for (size_t i = 0; i < asker->n_traces; i++)
		argv[at++] = mer_arena_strdup(&ask->arena, asker->traces[i]);
	for (size_t i = 0; i < at; i++)
		ok &= argv[i] != NULL;
	*argc = (int)at;
	return ok ? argv : NULL;
}

const char *ask_cannot_select(const char *verb, const struct session_selection *s)
{
	const struct ask_verb *v = verb_of(verb);
	unsigned uses = v ? v->uses : 0;
	bool of_process = false;
	for (size_t i = 0; i < s->tids.n; i++)
		of_process |= s->tids.item[i].is_process;
	return s->begin.kind && !(uses & ASK_USES_TIME) ? "--begin"
	       : s->end.kind && !(uses & ASK_USES_TIME) ? "--end"
	       : s->hosts.n && !(uses & ASK_USES_HOST)	? "--host"
	       : s->cpus.n && !(uses & ASK_USES_CPU)	? "--cpu"
	       : of_process && !(uses & ASK_USES_PID)	? "--pid"
	       : s->tids.n && !(uses & ASK_USES_TID)	? "--tid"
	       : s->comms.n && !(uses & ASK_USES_COMM)	? "--comm"
							: NULL;
}

static void select_as(struct ask *ask, const struct session_selection *s)
{
	unsigned uses = ask->verb->uses;
	if (uses & ASK_USES_TIME) {
		ask->select.begin = s->begin;
		ask->select.end = s->end;
	}
	if (uses & ASK_USES_HOST)
		ask->select.hosts = s->hosts;
	if (uses & ASK_USES_CPU)
		ask->select.cpus = s->cpus;
	if (uses & ASK_USES_TID)
		ask->select.tids = s->tids;
	if (uses & ASK_USES_COMM)
		ask->select.comms = s->comms;
}

static int read_words(struct ask *ask, const struct ask_asker *asker, const char *const *words,
	size_t n, void **values)
{
	const struct ask_verb *verb = n ? verb_of(words[0]) : NULL;
	int argc;
	if (!verb)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"'%.100s' is no verb that asks about traces", n ? words[0] : "");
	ask->verb = verb;
	int rc = check_words(ask, verb, words + 1, n - 1);
	if (rc)
		return rc;
	char **argv = whole_line(ask, asker, words, n, &argc);
	if (!argv)
		return mer_fail_nomem(&ask->err);
	rc = ask_command_read(ask, argc, argv, 1, values);
	if (rc == 0 && asker->select)
		select_as(ask, asker->select);
	return rc ? rc : ask_command_check_words(ask);
}

/* A word that no command has: without the rows that tables for people leave out. */
static bool take_leave_out(const char *const *words, size_t *n)
{
	bool is_last = *n > 1 && strcmp(words[*n - 1], "--leave-out") == 0;
	*n -= is_last;
	return is_last;
}

static void begin(struct ask *ask, const struct ask_asker *asker, struct mer_session *session,
	bool as_recorded, const char *verb)
{
	bool is_recorded = as_recorded && !aligns_itself(verb);
	*ask = (struct ask){ .format = UINT32_MAX,
		.color = ASK_NEVER,
		.progress_when = ASK_NEVER,
		.quiet = 1,
		.program = asker->program,
		.width = asker->width,
		.ascii = asker->ascii,
		.shared = session,
		.sync = is_recorded ? "none" : asker->sync,
		.jobs = asker->jobs,
		.views = asker->views };
	if (!is_recorded)
		ask->vms = asker->vms;
	mer_arena_init(&ask->arena);
}

static int end(struct ask *ask, int rc, struct mer_err *err)
{
	if (rc < 0)
		mer_fail(err, rc, "%s",
			ask->err.text[0] ? ask_err_text(ask, &ask->err) : "unknown error");
	mer_str_fini(&ask->notes);
	mer_str_fini(&ask->warnings);
	mer_arena_fini(&ask->arena);
	return rc < 0 ? rc : 0;
}

/* What it writes is added to out. */
static int run(struct ask *ask, const void *values, struct mer_str *out)
{
	struct session *session = api_session(ask->shared);
	struct session_findings own;
	char *text = NULL;
	size_t len = 0;
	ask->out = open_memstream(&text, &len);
	if (!ask->out)
		return mer_fail_nomem(&ask->err);
	bool apart = session_findings_begin(session, &own);
	int rc = ask_run_verb(ask, values);
	if (apart)
		session_findings_end(session, &own);
	if (fclose(ask->out) != 0 && rc >= 0)
		rc = mer_fail_nomem(&ask->err);
	if (rc >= 0)
		mer_str_add(out, text, len);
	free(text);
	return rc;
}

int ask_text(const struct ask_asker *asker, struct mer_session *session, bool as_recorded,
	const char *const *words, size_t n, struct mer_str *out, enum ask_format *format,
	struct mer_err *err)
{
	struct ask ask;
	void *values;
	begin(&ask, asker, session, as_recorded, n ? words[0] : "");
	ask.leaves_out = take_leave_out(words, &n);
	int rc = read_words(&ask, asker, words, n, &values);
	if (rc == 0)
		rc = run(&ask, values, out);
	*format = ask.picture_only ? ASK_FORMAT_SVG : ask.format;
	return end(&ask, rc, err);
}

int ask_answer(const struct ask_asker *asker, struct mer_session *session, bool as_recorded,
	const char *const *words, size_t n, struct answer *answer, struct mer_err *err)
{
	struct ask ask;
	struct mer_str rest = { 0 };
	void *values;
	answer_init(answer, NULL);
	begin(&ask, asker, session, as_recorded, n ? words[0] : "");
	ask.leaves_out = take_leave_out(words, &n);
	ask.taken = answer;
	int rc = read_words(&ask, asker, words, n, &values);
	/* Some tables are of that format alone. */
	if (ask.format != ASK_FORMAT_OPENMETRICS)
		ask.format = ASK_FORMAT_JSON;
	if (rc == 0 && (ask.marks || ask.picture_only))
		rc = mer_fail(&ask.err, MER_ERR_USAGE, "an answer has neither marks nor a picture");
	if (rc == 0)
		rc = run(&ask, values, &rest);
	if (rc >= 0 && !answer->is_whole)
		rc = mer_fail(&ask.err, MER_ERR_BUG, "'%s' has no answer", ask.verb->name);
	if (rc >= 0 && session_is_cancelled(api_session(session)))
		rc = mer_fail(&ask.err, MER_ERR_CANCELLED, "cancelled");
	mer_str_fini(&rest);
	return end(&ask, rc, err);
}
