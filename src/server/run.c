/* Commands: a request is a command line, and its answer the program's output.
 *
 * A command runs on a thread of its own; the connection's thread cancels it when the client
 * leaves. The command's thread has a lower scheduling priority, so that requests for pictures, on
 * other threads, come first. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include "ask/library/api.h"
#include "ask/answer_bytes.h"
#include "ask/print/openmetrics.h"
#include "base/now.h"
#include "server/sql.h"
#include "server/state.h"

struct question {
	const char **words;
	size_t n;
	const char *sql; /* instead of words; NULL: words */
	struct server_sql_limits limits;
	enum server_clocks clocks;
	struct store_key key;
};

static void make_key(
	struct store_key *key, enum server_clocks clocks, const char *const *words, size_t n)
{
	*key = (struct store_key){ 0 };
	store_key_mix(key, &clocks, sizeof(clocks));
	for (size_t i = 0; i < n; i++)
		store_key_mix(key, words[i], strlen(words[i]) + 1);
}

/* The words of the command: the arguments w, in order. false: no memory. */
static bool read_question(const struct http_request *r, struct question *q)
{
	*q = (struct question){ .words = calloc(r->n_arguments + 1, sizeof(*q->words)) };
	if (!q->words)
		return false;
	for (size_t i = 0; i < r->n_arguments; i++)
		if (strcmp(r->arguments[i].key, "w") == 0)
			q->words[q->n++] = r->arguments[i].value;
	if (!q->n)
		return true;
	q->clocks = server_clocks_for(server_clocks_of(r), q->words[0]);
	make_key(&q->key, q->clocks, q->words, q->n);
	return true;
}

/* By format; NULL at their end. */
static const char *const types[] = { "text/plain; charset=utf-8", "application/json",
	"application/x-ndjson", "text/csv; charset=utf-8", "image/svg+xml", ASK_OPENMETRICS_TYPE,
	NULL };

static const char *type_of(enum ask_format format)
{
	enum { TEXT, JSON, JSON_LINES, CSV, SVG, OPENMETRICS };
	switch (format) {
	case ASK_FORMAT_JSON: return types[JSON];
	case ASK_FORMAT_JSONL: return types[JSON_LINES];
	case ASK_FORMAT_CSV: return types[CSV];
	case ASK_FORMAT_SVG: return types[SVG];
	case ASK_FORMAT_OPENMETRICS: return types[OPENMETRICS];
	default: return types[TEXT];
	}
}

static int answer(struct server *s, const struct question *q, struct server_traces *t,
	struct http_answer *a, struct mer_err *err)
{
	bool as_recorded = q->clocks == SERVER_CLOCKS_RECORDED;
	enum ask_format format = ASK_FORMAT_TEXT;
	struct mer_str text = { 0 };
	int64_t since = mer_now_ns();
	int rc = q->sql		? server_sql(t->session, q->sql, q->limits.rows, &text, err)
		 : s->o.command ? s->o.command(s->o.ctx, t->session, as_recorded, q->words, q->n,
					  &text, &format, err)
				: ask_text(s->o.asker, t->session, as_recorded, q->words, q->n,
					  &text, &format, err);
	/* The output of a cancelled command is incomplete. */
	if (rc == 0 && session_is_cancelled(api_session(t->session)))
		rc = mer_fail(err, MER_ERR_CANCELLED, "cancelled");
	if (rc) {
		mer_str_fini(&text);
		return rc;
	}
	a->status = 200;
	a->type = type_of(q->sql ? ASK_FORMAT_JSON : format);
	mer_str_fini(&a->body);
	a->body = text;
	if (!text.failed)
		answers_add(&s->answers, &q->key, types, &text, a->type, mer_now_ns() - since);
	return 0;
}

static void run(
	struct server *s, const struct question *q, struct server_traces *t, struct http_answer *a)
{
	struct mer_err err = { 0 };
	int rc = answer(s, q, t, a, &err);
	if (rc)
		server_refuse_err(a, rc, err.text);
}

/* Takes the answer from the cache, if it is there. Tried again once the traces are in use: another
 * thread may have answered the same question meanwhile. */
static bool is_known(struct server *s, const struct question *q, struct http_answer *a)
{
	if (!answers_find(&s->answers, &q->key, types, &a->body, &a->type))
		return false;
	a->status = 200;
	return true;
}

/* ---- Tables, for callers in this process ---- */

static const char *const tables_type[] = { "tables", NULL };

static bool known_tables(struct server *s, const struct store_key *key, struct answer *answer)
{
	struct mer_str bytes = { 0 };
	const char *type;
	bool found = answers_find(&s->answers, key, tables_type, &bytes, &type);
	found = answer_from_bytes(answer, found ? bytes.data : "", found ? bytes.len : 0);
	mer_str_fini(&bytes);
	return found;
}

static void keep_tables(
	struct server *s, const struct store_key *key, struct answer *answer, int64_t took_ns)
{
	struct mer_str bytes = { 0 };
	answer_to_bytes(answer, &bytes);
	if (!bytes.failed)
		answers_add(&s->answers, key, tables_type, &bytes, tables_type[0], took_ns);
	mer_str_fini(&bytes);
}

int server_tables(struct server *s, const char *const *words, size_t n, struct answer *answer,
	struct mer_err *err)
{
	enum server_clocks clocks = server_clocks_for(SERVER_CLOCKS_ALIGNED, words[0]);
	struct server_traces *t;
	struct store_key key;
	int64_t since = mer_now_ns();
	make_key(&key, clocks, words, n);
	store_key_mix(&key, tables_type[0], strlen(tables_type[0]));
	if (known_tables(s, &key, answer))
		return 0;
	answer_fini(answer);
	answer_init(answer, NULL);
	int rc = server_traces_take(s, server_traces_use, clocks, &t, err);
	if (rc)
		return rc;
	rc = ask_answer(s->o.asker, t->session, false, words, n, answer, err);
	server_traces_done(t);
	if (rc == 0)
		rc = server_check_cut(err);
	if (rc == 0)
		keep_tables(s, &key, answer, mer_now_ns() - since);
	return rc;
}

/* ---- Jobs, cancelled when the client leaves ---- */

struct job {
	struct server *s;
	const struct question *q;
	struct http_answer *a;
	int done; /* an eventfd: it has ended */
	pthread_mutex_t lock;
	struct server_traces *running; /* traces in use by the job; NULL: none */
	bool is_given_up;
};

static bool begin(struct job *j, struct server_traces *t)
{
	pthread_mutex_lock(&j->lock);
	j->running = j->is_given_up ? NULL : t;
	pthread_mutex_unlock(&j->lock);
	return j->running;
}

/* Nobody cancels the traces for this job from here on. */
static void end(struct job *j, struct server_traces *t)
{
	pthread_mutex_lock(&j->lock);
	j->running = NULL;
	if (j->is_given_up)
		server_traces_resume(j->s, t);
	pthread_mutex_unlock(&j->lock);
}

static void give_up(struct job *j)
{
	pthread_mutex_lock(&j->lock);
	j->is_given_up = true;
	if (j->running)
		server_traces_cancel(j->running);
	pthread_mutex_unlock(&j->lock);
}

static void do_job(struct job *j)
{
	struct server_traces *t = server_traces_use(j->s, j->q->clocks, j->a);
	if (!t)
		return;
	if (!begin(j, t))
		server_refuse(j->a, 503, "the client has gone");
	else if (!is_known(j->s, j->q, j->a))
		run(j->s, j->q, t, j->a);
	end(j, t);
	server_traces_done(t);
}

enum { LESS_IMPORTANT = 5 };

static void *on_thread(void *data)
{
	struct job *j = data;
	const uint64_t one = 1;
	id_t self = (id_t)gettid();
	setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + LESS_IMPORTANT);
	do_job(j);
	/* Cannot fail: nothing else is written to this eventfd. */
	(void)!write(j->done, &one, sizeof(one));
	return NULL;
}

static void run_while_wanted(struct server *s, const struct question *q,
	const struct http_request *r, struct http_answer *a)
{
	struct job j = { .s = s, .q = q, .a = a, .done = eventfd(0, EFD_CLOEXEC) };
	pthread_t thread;
	pthread_mutex_init(&j.lock, NULL);
	if (r->socket >= 0 && j.done >= 0 && pthread_create(&thread, NULL, on_thread, &j) == 0) {
		int64_t ms = q->sql ? (int64_t)q->limits.seconds * 1000 : -1;
		enum http_waited waited = http_wait(r, j.done, (int)ms);
		if (waited != HTTP_DONE)
			give_up(&j);
		if (waited == HTTP_LEFT)
			atomic_fetch_add(&s->n_given_up, 1);
		pthread_join(thread, NULL);
		if (waited == HTTP_LATE && a->status != 200)
			server_refuse(a, 503,
				"the query took more than %" PRIu64
				" s: ask about a part of the time, or allow more (seconds=N)",
				q->limits.seconds);
	} else {
		do_job(&j);
	}
	if (j.done >= 0)
		close(j.done);
	pthread_mutex_destroy(&j.lock);
}

void server_run(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct question q;
	if (!read_question(r, &q))
		server_refuse(a, 500, "out of memory");
	else if (!q.n)
		server_refuse(a, 400, "no command: its words are the arguments w: w=top&w=cpu");
	else if (!is_known(s, &q, a))
		run_while_wanted(s, &q, r, a);
	free(q.words);
}

void server_query(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct question q = { .sql = r->body, .clocks = server_clocks_of(r) };
	if (!server_sql_limits(r, &q.limits)) {
		server_refuse(a, 400, "rows is a number from 1 to 1000000, seconds from 1 to 3600");
		return;
	}
	if (strlen(r->body) != r->body_len || !r->body[strspn(r->body, " \t\r\n;")]) {
		server_refuse(a, 400, "no query: the body of the request is a statement in SQL");
		return;
	}
	const char *words[] = { "sql", q.sql };
	make_key(&q.key, q.clocks, words, 2);
	store_key_mix(&q.key, &q.limits.rows, sizeof(q.limits.rows));
	if (!is_known(s, &q, a))
		run_while_wanted(s, &q, r, a);
}

void server_query_tables(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct mer_err err = { 0 };
	(void)r;
	int rc = server_sql_tables(s->o.asker && s->o.asker->views.n, &a->body, &err);
	if (rc) {
		server_refuse_err(a, rc, err.text);
		return;
	}
	a->status = 200;
	a->type = type_of(ASK_FORMAT_JSON);
}
