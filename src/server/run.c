/* Commands: a question is a command line, and its answer what the program prints. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "base/now.h"
#include "server/state.h"

struct question {
	const char **words;
	size_t n;
	enum server_clocks clocks;
	struct store_key key;
};

void server_command_key(
	struct store_key *key, enum server_clocks clocks, const char *const *words, size_t n)
{
	*key = (struct store_key){ 0 };
	store_key_mix(key, &clocks, sizeof(clocks));
	for (size_t i = 0; i < n; i++)
		store_key_mix(key, words[i], strlen(words[i]) + 1);
}

/* The arguments w, in order. */
static bool read_question(struct server *s, const struct http_request *r, struct question *q)
{
	*q = (struct question){ .words = calloc(r->n_arguments + 1, sizeof(*q->words)) };
	if (!q->words)
		return false;
	for (size_t i = 0; i < r->n_arguments; i++)
		if (strcmp(r->arguments[i].key, "w") == 0)
			q->words[q->n++] = r->arguments[i].value;
	if (!q->n)
		return true;
	q->clocks = s->o.command_clocks(s->o.ctx, server_clocks_of(r), q->words, q->n);
	server_command_key(&q->key, q->clocks, q->words, q->n);
	return true;
}

/* What it finds is its own, and not of the next ones. */
void server_run_command(struct server *s, struct server_traces *t, enum server_clocks clocks,
	const char *const *words, size_t n, const struct store_key *key, struct server_output *out)
{
	struct session_findings own;
	struct session *session = api_session(t->session);
	int64_t since = mer_now_ns();
	bool apart = session_findings_begin(session, &own);
	s->o.command(s->o.ctx, t->session, clocks, words, n, out);
	if (apart)
		session_findings_end(session, &own);
	if (key && !out->status && !out->text.failed)
		answers_add(&s->answers, key, s->o.command_types, &out->text, out->type,
			mer_now_ns() - since);
}

static void run(
	struct server *s, const struct question *q, struct server_traces *t, struct http_answer *a)
{
	struct server_output out = { 0 };
	server_run_command(s, t, q->clocks, q->words, q->n, &q->key, &out);
	if (out.status) {
		server_refuse_err(a, out.status, out.text.data);
		mer_str_fini(&out.text);
		return;
	}
	a->status = 200;
	a->type = out.type;
	mer_str_fini(&a->body);
	a->body = out.text;
}

/* Whoever waited for the lock may find it answered meanwhile. */
static bool is_known(struct server *s, const struct question *q, struct http_answer *a)
{
	if (!answers_find(&s->answers, &q->key, s->o.command_types, &a->body, &a->type))
		return false;
	a->status = 200;
	return true;
}

void server_run(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct question q;
	if (!read_question(s, r, &q)) {
		server_refuse(a, 500, "out of memory");
	} else if (!q.n) {
		server_refuse(a, 400, "no command: its words are the arguments w: w=top&w=cpu");
	} else if (!is_known(s, &q, a)) {
		struct server_traces *t = server_traces_use(s, q.clocks, a);
		/* Who waited may have given up meanwhile. */
		if (t && http_client_is_gone(r))
			server_refuse(a, 503, "the client has gone");
		else if (t && !is_known(s, &q, a))
			run(s, &q, t, a);
		if (t)
			server_traces_done(t);
	}
	free(q.words);
}
