/* Commands: a question is a command line, and its answer what the program prints. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "server/state.h"

/* The arguments w, in order; NULL: none, or no memory. */
static const char **words_of(const struct http_request *r, size_t *n)
{
	const char **words = calloc(r->n_arguments + 1, sizeof(*words));
	*n = 0;
	for (size_t i = 0; words && i < r->n_arguments; i++)
		if (strcmp(r->arguments[i].key, "w") == 0)
			words[(*n)++] = r->arguments[i].value;
	return words;
}

/* What it finds is its own, and not of the next ones. */
void server_run_command(struct server *s, struct server_traces *t, enum server_clocks clocks,
	const char *const *words, size_t n, struct server_output *out)
{
	struct session_findings own;
	struct session *session = api_session(t->session);
	bool apart = session_findings_begin(session, &own);
	s->o.command(s->o.ctx, t->session, clocks, words, n, out);
	if (apart)
		session_findings_end(session, &own);
}

void server_run(struct server *s, const struct http_request *r, struct http_answer *a)
{
	size_t n;
	const char **words = words_of(r, &n);
	enum server_clocks clocks = server_clocks_of(r);
	struct server_traces *t = NULL;
	if (!words)
		server_refuse(a, 500, "out of memory");
	else if (!n)
		server_refuse(a, 400, "no command: its words are the arguments w: w=top&w=cpu");
	else
		t = server_traces_use(s, s->o.command_clocks(s->o.ctx, clocks, words, n), a);
	if (t) {
		struct server_output out = { 0 };
		server_run_command(s, t, clocks, words, n, &out);
		server_traces_done(t);
		if (out.status) {
			server_refuse_err(a, out.status, out.text.data);
			mer_str_fini(&out.text);
		} else {
			a->status = 200;
			a->type = out.type;
			mer_str_fini(&a->body);
			a->body = out.text;
		}
	}
	free(words);
}
