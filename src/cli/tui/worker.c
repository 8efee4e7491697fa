#include "cli/tui/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
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

static int ask_server(
	struct server *s, const struct tui_words *words, const char *lanes, struct tui_answer *a)
{
	struct http_answer http = { 0 };
	if (lanes) {
		server_ask(s, lanes, &http);
		a->bytes = http.body;
		return http.status == 200 ? 0
					  : mer_fail(&a->why, MER_ERR_INPUT,
						    "the states of these rows cannot be read");
	}
	a->tables = calloc(1, sizeof(*a->tables));
	return !a->tables ? mer_fail_nomem(&a->why)
	       : words->n ? server_tables(s, words->at, words->n, a->tables, &a->why)
			  : server_all_tasks(s, a->tables, &a->why);
}

/* With the lock. Nobody changes the question before it is answered. */
static void answer(struct tui_worker *w)
{
	struct tui_answer a = { .asked = TUI_ANSWERED };
	w->is_busy = true;
	pthread_mutex_unlock(&w->lock);
	if (ask_server(atomic_load(&w->server), &w->words, w->lanes, &a))
		a.asked = TUI_REFUSED;
	pthread_mutex_lock(&w->lock);
	w->is_busy = false;
	tui_answer_fini(&w->answer);
	w->answer = a;
	w->answered = w->asked;
	pthread_cond_broadcast(&w->changed);
}

static void *run(void *data)
{
	struct tui_worker *w = data;
	read_traces(w);
	pthread_mutex_lock(&w->lock);
	while (!w->ends) {
		if (w->answered != w->asked)
			answer(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- Who waits for it ---- */

/* Until the last question is answered; with the lock. */
static bool wait_for_answer(struct tui_worker *w, const struct tui_words *words)
{
	int64_t since = mer_now_ns();
	while (w->answered != w->asked) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TICK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&w->changed, &w->lock, &until);
		if (w->answered == w->asked)
			break;
		pthread_mutex_unlock(&w->lock);
		bool goes_on = w->wait(w->ctx, words, mer_now_ns() - since);
		pthread_mutex_lock(&w->lock);
		if (!goes_on)
			return false;
	}
	return true;
}

int tui_worker_start(struct tui_worker *w, struct mer_err *err)
{
	sigset_t ours, before;
	mer_arena_init(&w->arena);
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
	bool is_read = wait_for_answer(w, NULL);
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
	tui_answer_fini(&w->answer);
	mer_arena_fini(&w->arena);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
}

void tui_worker_progress(struct tui_worker *w, uint64_t *done_bytes, uint64_t *total_bytes)
{
	struct server *server = atomic_load(&w->server);
	*done_bytes = *total_bytes = 0;
	if (server)
		server_progress(server, done_bytes, total_bytes);
}

void tui_worker_ask(
	void *ctx, const struct tui_words *words, const char *lanes, struct tui_answer *a)
{
	struct tui_worker *w = ctx;
	a->asked = TUI_GIVEN_UP;
	pthread_mutex_lock(&w->lock);
	/* The one that was not waited for goes first. */
	bool waits = wait_for_answer(w, words);
	if (waits) {
		mer_arena_reset(&w->arena);
		w->words = (struct tui_words){ .arena = &w->arena };
		for (size_t i = 0; words && i < words->n; i++)
			tui_word(&w->words, words->at[i]);
		w->lanes = lanes ? mer_arena_printf(&w->arena, "/%s", lanes) : NULL;
		w->words.failed |= lanes && !w->lanes;
		w->asked++;
		pthread_cond_broadcast(&w->changed);
		waits = wait_for_answer(w, words);
	}
	if (waits) {
		*a = w->answer;
		w->answer = (struct tui_answer){ .tables = NULL };
	}
	pthread_mutex_unlock(&w->lock);
}
