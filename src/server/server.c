#include "server/server.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "ask/library/api.h"
#include "ask/words.h"
#include "base/cut_files.h"
#include "base/now.h"
#include "server/state.h"

/* ---- Sessions ---- */

static void on_stage(void *data, const char *stage)
{
	struct server_traces *t = data;
	atomic_store(&t->doing, stage);
}

int server_open_session(const struct server *s, struct server_traces *t,
	struct mer_session_options *o, struct mer_err *err)
{
	o->once = false;
	int rc = mer_session_new(s->o.paths, s->o.n_paths, o, &t->session, err);
	if (rc == 0)
		atomic_store(&t->running, t->session);
	return rc ? rc : mer_session_open(t->session, err);
}

static int open_session(struct server *s, enum server_clocks clocks, struct mer_err *err)
{
	struct server_traces *t = &s->traces[clocks];
	struct mer_session_options o = *s->o.session;
	if (clocks == SERVER_CLOCKS_RECORDED) {
		o.clocks = MER_CLOCKS_RECORDED;
		o.store = false;
		o.vms = NULL;
		o.n_vms = 0;
	}
	if (clocks == SERVER_CLOCKS_UNALIGNED)
		o.store = false;
	o.progress = on_stage;
	o.progress_data = t;
	return server_open_session(s, t, &o, err);
}

/* Opens the session if it is not open yet, and aligns the clocks. For aligned clocks it then reads
 * the traces once, so that later requests find the store or the model. For clocks as recorded it
 * reads no more: few requests use them. Sets the stage. */
static void read_all(struct server *s, enum server_clocks clocks)
{
	struct server_traces *t = &s->traces[clocks];
	struct mer_result *tasks = NULL;
	int rc = t->session ? 0 : open_session(s, clocks, &t->error);
	if (rc == 0 && clocks != SERVER_CLOCKS_UNALIGNED)
		rc = mer_session_synchronize(t->session, &t->error);
	if (rc == 0 && clocks == SERVER_CLOCKS_ALIGNED) {
		server_status_prepare(s);
		server_overview_prepare(s);
		rc = mer_session_tasks(t->session, NULL, &tasks, &t->error);
	}
	mer_result_free(tasks);
	if (rc == 0 && mer_cut_files_seen())
		rc = mer_fail(&t->error, MER_ERR_INPUT,
			"a file of the traces became shorter while it was being read");
	if (rc == 0 && clocks == SERVER_CLOCKS_ALIGNED)
		server_pictures_note_store(s);
	atomic_store(&t->doing, NULL);
	atomic_store(&t->stage, rc ? SERVER_FAILED : SERVER_READY);
}

static void *reader(void *data)
{
	struct server *s = data;
	struct server_traces *t = &s->traces[SERVER_CLOCKS_ALIGNED];
	turns_take(&t->turns);
	read_all(s, SERVER_CLOCKS_ALIGNED);
	turns_done(&t->turns);
	if (!atomic_load(&s->is_ending))
		server_pictures_prepare(s);
	return NULL;
}

struct server_traces *server_traces_use(
	struct server *s, enum server_clocks clocks, struct http_answer *a)
{
	struct server_traces *t = &s->traces[clocks];
	/* A request that waited for the first reading would hold its connection all that time. */
	if (clocks == SERVER_CLOCKS_ALIGNED && atomic_load(&t->stage) == SERVER_READING) {
		server_refuse(a, 503, "the traces are still being read");
		return NULL;
	}
	turns_take(&t->turns);
	if (atomic_load(&t->stage) == SERVER_READING)
		read_all(s, clocks);
	if (atomic_load(&t->stage) == SERVER_READY)
		return t;
	server_refuse_err(a, t->error.code ? t->error.code : MER_ERR_BUG, t->error.text);
	turns_done(&t->turns);
	return NULL;
}

int server_traces_take(struct server *s,
	struct server_traces *(*use)(struct server *, enum server_clocks, struct http_answer *),
	enum server_clocks clocks, struct server_traces **t, struct mer_err *err)
{
	struct http_answer refusal = { 0 };
	*t = use(s, clocks, &refusal);
	mer_str_fini(&refusal.body);
	if (*t)
		return 0;
	*err = s->traces[clocks].error;
	return err->code ? err->code
			 : mer_fail(err, MER_ERR_CANCELLED, "the traces are still being read");
}

void server_traces_done(struct server_traces *t)
{
	turns_done(&t->turns);
}

void server_traces_cancel(struct server_traces *t)
{
	mer_session_cancel(t->session);
}

void server_traces_resume(struct server *s, struct server_traces *t)
{
	session_resume(api_session(t->session));
	if (atomic_load(&s->is_ending))
		mer_session_cancel(t->session);
}

enum server_clocks server_clocks_of(const struct http_request *r)
{
	const char *clocks = http_argument(r, "clocks");
	return clocks && strcmp(clocks, "recorded") == 0 ? SERVER_CLOCKS_RECORDED
							 : SERVER_CLOCKS_ALIGNED;
}

enum server_clocks server_clocks_for(enum server_clocks asked, const char *verb)
{
	return asked == SERVER_CLOCKS_ALIGNED && ask_wants_recorded(verb) ? SERVER_CLOCKS_UNALIGNED
									  : asked;
}

/* Makes the key of all answers: the traces and their paths, how their clocks are aligned, and the
 * surroundings. Answers that depend on more (a file of clocks, or views, which depend on the
 * symbols of programs) are not written to the cache folder. */
static void prepare_answers(struct server *s)
{
	const struct mer_session_options *o = s->o.session;
	struct store_key k = { 0 };
	const struct mer_experiment *e =
		mer_session_experiment(s->traces[SERVER_CLOCKS_ALIGNED].session);
	bool is_same = store_key_of(&k, e) && o->clocks != MER_CLOCKS_SAVED && !o->n_views;
	store_key_mix(&k, &o->clocks, sizeof(o->clocks));
	for (size_t i = 0; i < o->n_vms; i++)
		store_key_mix(&k, o->vms[i], strlen(o->vms[i]) + 1);
	if (s->o.surroundings)
		store_key_mix(&k, s->o.surroundings, strlen(s->o.surroundings) + 1);
	for (size_t i = 0; i < s->o.n_paths; i++)
		store_key_mix(&k, s->o.paths[i], strlen(s->o.paths[i]) + 1);
	answers_init(&s->answers, &k, is_same ? o->cache_folder : NULL);
	s->has_answers = true;
}

/* ---- Refusals ---- */

void server_refuse(struct http_answer *a, unsigned status, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct mer_json j;
	a->status = status;
	a->type = "application/json";
	mer_str_clear(&a->body);
	mer_json_init(&j, &a->body, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_text(&j, "error", text);
	mer_json_end_object(&j);
	mer_json_finish(&j, &(struct mer_err){ 0 });
}

void server_refuse_err(struct http_answer *a, int code, const char *text)
{
	unsigned status = code == MER_ERR_USAGE	      ? 400
			  : code == MER_ERR_INPUT     ? 422
			  : code == MER_ERR_CANCELLED ? 503
						      : 500;
	server_refuse(a, status, "%s", text && text[0] ? text : "unknown error");
}

/* ---- Start and end ---- */

static void on_request(void *ctx, const struct http_request *r, struct http_answer *a)
{
	struct server *s = ctx;
	atomic_store(&s->last_request_ns, mer_now_ns());
	server_route(s, r, a);
	atomic_store(&s->last_request_ns, mer_now_ns());
}

static int listen_and_read(struct server *s, struct mer_err *err)
{
	const char *address = s->o.address;
	bool is_v6 = strchr(address, ':') != NULL;
	s->guard.address = address;
	s->guard.name = s->o.name;
	if (!s->o.no_token && !guard_make_token(&s->guard))
		return mer_fail(err, MER_ERR_SYS, "the system has no random numbers");
	s->port = s->o.port;
	int rc = http_start(address, &s->port, on_request, s, &s->http, err);
	for (uint32_t next = s->o.port + 1u; rc == MER_ERR_SYS && next <= s->o.last_port + 1u;
		next++) {
		s->port = next <= s->o.last_port ? (uint16_t)next : 0;
		rc = http_start(address, &s->port, on_request, s, &s->http, err);
	}
	if (rc)
		return rc;
	snprintf(s->url, sizeof(s->url), "http://%s%s%s:%u/%s%s", is_v6 ? "[" : "", address,
		is_v6 ? "]" : "", (unsigned)s->port, s->guard.token, s->guard.token[0] ? "/" : "");
	s->has_reader = pthread_create(&s->reader, NULL, reader, s) == 0;
	return s->has_reader ? 0 : mer_fail(err, MER_ERR_SYS, "no thread could be started");
}

int server_prepare(const struct server_options *o, struct server **server, struct mer_err *err)
{
	struct server *s = calloc(1, sizeof(*s));
	*server = NULL;
	if (!s)
		return mer_fail_nomem(err);
	s->o = *o;
	for (int i = 0; i < SERVER_N_CLOCKS; i++)
		turns_init(&s->traces[i].turns);
	turns_init(&s->pictures.turns);
	pthread_mutex_init(&s->known_lock, NULL);
	s->last_request_ns = mer_now_ns();
	server_page_prepare(s);
	int rc = open_session(s, SERVER_CLOCKS_ALIGNED, err);
	if (rc == 0) {
		prepare_answers(s);
		server_overview_prepare(s);
		rc = s->o.protocol ? s->o.protocol->begin(s, &s->protocol, err) : 0;
	}
	if (rc)
		server_stop(s);
	else
		*server = s;
	return rc;
}

int server_start(const struct server_options *o, struct server **server, struct mer_err *err)
{
	int rc = server_prepare(o, server, err);
	if (rc == 0)
		rc = listen_and_read(*server, err);
	if (rc) {
		server_stop(*server);
		*server = NULL;
	}
	return rc;
}

void server_cancel(struct server *s)
{
	atomic_store(&s->is_ending, true);
	for (int i = 0; i < SERVER_N_CLOCKS; i++) {
		struct mer_session *session = atomic_load(&s->traces[i].running);
		if (session)
			mer_session_cancel(session);
	}
	struct mer_session *pictures = atomic_load(&s->pictures.running);
	if (pictures)
		mer_session_cancel(pictures);
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	server_cancel(s);
	if (s->has_reader)
		pthread_join(s->reader, NULL);
	http_stop(s->http);
	if (s->protocol)
		s->o.protocol->end(s->protocol);
	if (s->has_answers)
		answers_fini(&s->answers);
	for (int i = 0; i < SERVER_N_CLOCKS; i++) {
		mer_session_free(s->traces[i].session);
		turns_fini(&s->traces[i].turns);
	}
	mer_session_free(s->pictures.session);
	turns_fini(&s->pictures.turns);
	server_overview_free(s);
	pthread_mutex_destroy(&s->known_lock);
	free(s);
}

int server_read(struct server *s, struct mer_err *err)
{
	struct server_traces *t = &s->traces[SERVER_CLOCKS_ALIGNED];
	turns_take(&t->turns);
	read_all(s, SERVER_CLOCKS_ALIGNED);
	turns_done(&t->turns);
	if (atomic_load(&t->stage) == SERVER_READY)
		return 0;
	*err = t->error;
	return err->code ? err->code : MER_ERR_BUG;
}

int server_open(const struct server_options *o, struct server **server, struct mer_err *err)
{
	int rc = server_prepare(o, server, err);
	if (rc == 0)
		rc = server_read(*server, err);
	if (rc) {
		server_stop(*server);
		*server = NULL;
	}
	return rc;
}

const char *server_url(const struct server *s)
{
	return s->url;
}

uint16_t server_port(const struct server *s)
{
	return s->port;
}

int64_t server_idle_ns(const struct server *s)
{
	return mer_now_ns() - atomic_load(&s->last_request_ns);
}
