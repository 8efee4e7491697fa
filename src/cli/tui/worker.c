#include "cli/tui/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/now.h"

enum { TICK_NS = 100000000 };

/* ---- The thread ---- */

static void read_traces(struct tui_worker *w)
{
	struct server *server = NULL;
	struct mer_err err = { 0 };
	int rc = server_prepare(&w->options, &server, &err);
	atomic_store(&w->server, server);
	if (rc == 0)
		rc = server_read(server, &err);
	pthread_mutex_lock(&w->lock);
	w->rc = rc;
	w->err = err;
	w->is_busy = false;
	w->answered++;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* With the lock. */
static void answer(struct tui_worker *w)
{
	char *target = w->target;
	unsigned number = w->asked;
	w->target = NULL;
	w->is_busy = true;
	pthread_mutex_unlock(&w->lock);
	struct http_answer a = { 0 };
	server_ask(atomic_load(&w->server), target, &a);
	free(target);
	pthread_mutex_lock(&w->lock);
	w->is_busy = false;
	mer_str_fini(&w->body);
	w->body = a.body;
	w->status = a.status;
	w->answered = number;
	pthread_cond_broadcast(&w->changed);
}

static void *run(void *data)
{
	struct tui_worker *w = data;
	read_traces(w);
	pthread_mutex_lock(&w->lock);
	while (!w->ends) {
		if (w->target)
			answer(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- Who waits for it ---- */

/* Until question `number` is answered; with the lock. */
static bool wait_for(struct tui_worker *w, unsigned number, const char *what)
{
	int64_t since = mer_now_ns();
	while (w->answered != number) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TICK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&w->changed, &w->lock, &until);
		if (w->answered == number)
			break;
		pthread_mutex_unlock(&w->lock);
		bool goes_on = w->wait(w->ctx, what, mer_now_ns() - since);
		pthread_mutex_lock(&w->lock);
		if (!goes_on)
			return false;
	}
	return true;
}

int tui_worker_start(struct tui_worker *w, struct mer_err *err)
{
	sigset_t ours, before;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->asked = 1;
	w->is_busy = true;
	/* Signals are for the thread that has the terminal. */
	sigemptyset(&ours);
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT,
		SIGWINCH };
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&ours, signals[i]);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	w->has_thread = pthread_create(&w->thread, NULL, run, w) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!w->has_thread)
		return mer_fail(err, MER_ERR_SYS, "no thread could be started");
	pthread_mutex_lock(&w->lock);
	bool is_read = wait_for(w, 1, NULL);
	int rc = is_read ? w->rc : MER_ERR_CANCELLED;
	if (is_read && rc)
		*err = w->err;
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void tui_worker_stop(struct tui_worker *w)
{
	struct server *server = atomic_load(&w->server);
	if (server)
		server_cancel(server);
	if (w->has_thread) {
		pthread_mutex_lock(&w->lock);
		w->ends = true;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
		/* What was being opened when it was to end is there by now. */
		struct timespec tick = { 0, TICK_NS };
		while (!server && (server = atomic_load(&w->server)) == NULL) {
			pthread_mutex_lock(&w->lock);
			bool is_busy = w->is_busy;
			pthread_mutex_unlock(&w->lock);
			if (!is_busy)
				break;
			nanosleep(&tick, NULL);
		}
		if (server)
			server_cancel(server);
		pthread_join(w->thread, NULL);
	}
	server_stop(atomic_load(&w->server));
	free(w->target);
	mer_str_fini(&w->body);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
}

void tui_worker_progress(struct tui_worker *w, int64_t *done_bytes, int64_t *total_bytes)
{
	struct server *server = atomic_load(&w->server);
	struct http_answer a = { 0 };
	struct mer_json_reader r;
	struct mer_json_value root;
	struct mer_arena arena;
	*done_bytes = *total_bytes = 0;
	if (!server)
		return;
	mer_arena_init(&arena);
	server_ask(server, "api/status", &a);
	mer_json_reader_init(&r, a.body.data ? a.body.data : "", a.body.len, &arena);
	if (mer_json_read(&r, &root) == 0) {
		tui_int(&root, "done_bytes", done_bytes);
		tui_int(&root, "total_bytes", total_bytes);
	}
	mer_json_reader_fini(&r);
	mer_str_fini(&a.body);
	mer_arena_fini(&arena);
}

enum tui_asked tui_worker_ask(void *ctx, const char *target, struct mer_str *body)
{
	struct tui_worker *w = ctx;
	struct mer_str rooted = { 0 };
	mer_str_printf(&rooted, "/%s", target);
	char *copy = rooted.failed ? NULL : strdup(rooted.data);
	mer_str_fini(&rooted);
	if (!copy) {
		mer_str_puts(body, "{\"error\":\"out of memory\"}");
		return TUI_REFUSED;
	}
	pthread_mutex_lock(&w->lock);
	enum tui_asked asked = TUI_GIVEN_UP;
	/* The one that was not waited for goes first. */
	if (!wait_for(w, w->asked, target)) {
		free(copy);
		pthread_mutex_unlock(&w->lock);
		return asked;
	}
	w->target = copy;
	w->asked++;
	pthread_cond_broadcast(&w->changed);
	if (wait_for(w, w->asked, target)) {
		mer_str_fini(body);
		*body = w->body;
		w->body = (struct mer_str){ 0 };
		asked = w->status == 200 ? TUI_ANSWERED : TUI_REFUSED;
	}
	pthread_mutex_unlock(&w->lock);
	return asked;
}
