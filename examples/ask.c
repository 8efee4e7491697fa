/* Asks a question about traces in the words of the program, and prints the answer as JSON: what
 * `meridian WORD... --json TRACE...` prints.
 *
 *   cc ask.c $(pkg-config --cflags --libs meridian) -o ask
 *   ./ask TRACE... -- WORD...
 *   ./ask client/ server/ -- top cpu --limit 5
 */
#include <meridian/session.h>
#include <stdio.h>
#include <string.h>

/* 0, or a code with err filled. */
static int ask(struct mer_session *session, const char *const *words, size_t n, struct mer_err *err)
{
	struct mer_answer *answer;
	const char *text;
	size_t length;
	int rc = mer_ask(session, words, n, &answer, err);
	if (rc == 0)
		rc = mer_answer_json(answer, &text, &length, err);
	if (rc == 0)
		fwrite(text, 1, length, stdout);
	mer_answer_free(answer);
	return rc;
}

int main(int argc, char **argv)
{
	const char *const *words = (const char *const *)argv + 1;
	size_t n_traces = 0;
	struct mer_session_options options = MER_OPTIONS(struct mer_session_options);
	struct mer_session *session;
	struct mer_err err;
	while (n_traces + 1 < (size_t)argc && strcmp(words[n_traces], "--") != 0)
		n_traces++;
	if (n_traces + 2 >= (size_t)argc) {
		fprintf(stderr, "usage: ask TRACE... -- WORD...\n");
		return 2;
	}
	options.no_clock_findings = true; /* as the program without -v */
	int rc = mer_session_new(words, n_traces, &options, &session, &err);
	if (rc == 0)
		rc = mer_session_open(session, &err);
	if (rc == 0)
		rc = ask(session, words + n_traces + 1, (size_t)argc - n_traces - 2, &err);
	if (rc)
		fprintf(stderr, "ask: %s\n", err.text);
	mer_session_free(session);
	return rc ? 1 : 0;
}
