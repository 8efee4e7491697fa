#include "cli/progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/now.h"
#include "base/str.h"
#include "ask/print/text.h"
#include "meridian/session.h"

enum { FIRST_MS = 1000, EVERY_MS = 100, LINE_BYTES = 160 };

struct shown {
	struct ask_progress *of;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, and of the line on the terminal */
	pthread_cond_t wake;
	int64_t read_ns; /* since when all bytes are done; 0: not yet */
	int64_t start_ns;
	int hidden; /* how many callers of cli_progress_hide are printing */
	bool stop, drawn;
};

static void put(const char *text, size_t len)
{
	/* Not through stdio: a signal handler may end the program at any moment. */
	ssize_t written = write(STDERR_FILENO, text, len);
	(void)written;
}

static void erase(struct shown *p)
{
	if (p->drawn)
		put("\r\033[K", 4);
	p->drawn = false;
}

static void put_line(struct shown *x, struct mer_str *s)
{
	if (!s->failed)
		put(s->data, s->len < LINE_BYTES ? s->len : LINE_BYTES);
	x->drawn = true;
	mer_str_fini(s);
}

/* How long each thing takes tells nothing of the others, so no time is guessed. */
static void draw_things(struct shown *x, uint64_t done)
{
	const struct ask_progress *p = x->of;
	struct mer_str s = { 0 };
	mer_str_printf(&s, "\r\033[K%s: ", p->what);
	ask_text_count(&s, (int64_t)done);
	mer_str_puts(&s, " of ");
	ask_text_count(&s, (int64_t)p->total_bytes);
	mer_str_printf(&s, " %s", p->things);
	put_line(x, &s);
}

static void draw(struct shown *x)
{
	struct ask_progress *p = x->of;
	uint64_t done = atomic_load_explicit(&p->done_bytes, memory_order_relaxed);
	if (p->things) {
		draw_things(x, done);
		return;
	}
	if (p->of && !mer_session_progress(p->of, &done, &p->total_bytes))
		return; /* it ends just now */
	int64_t now = mer_now_ns();
	double seconds = (double)(now - x->start_ns) / 1e9;
	double rate = (double)done / seconds;
	bool is_read = p->total_bytes && done >= p->total_bytes;
	struct mer_str s = { 0 };

	if (!is_read)
		x->read_ns = 0;
	else if (!x->read_ns)
		x->read_ns = now;
	mer_str_printf(&s, "\r\033[K%s: ", p->what);
	ask_text_bytes(&s, (int64_t)done);
	if (is_read) { /* what follows takes a part of the time that nobody knows */
		mer_str_puts(&s, " read, computing for ");
		ask_text_duration(&s, (now - x->read_ns) / 1000000000 * 1000000000);
	} else if (p->total_bytes) {
		mer_str_puts(&s, " of ");
		ask_text_bytes(&s, (int64_t)p->total_bytes);
		mer_str_printf(
			&s, " (%d %%)", (int)(100.0 * (double)done / (double)p->total_bytes));
	}
	if (!is_read) {
		mer_str_puts(&s, ", ");
		ask_text_bytes(&s, (int64_t)rate);
		mer_str_puts(&s, "/s");
	}
	if (p->total_bytes > done && rate > 0) {
		double left = (double)(p->total_bytes - done) / rate;
		if (left < 1e6) {
			mer_str_puts(&s, ", ");
			ask_text_duration(&s, (int64_t)(left + 1) * INT64_C(1000000000));
			mer_str_puts(&s, " left");
		}
	}
	put_line(x, &s);
}

static void *ticker(void *arg)
{
	struct shown *p = arg;
	int64_t next = p->start_ns + FIRST_MS * INT64_C(1000000);
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct timespec until = { .tv_sec = next / 1000000000,
			.tv_nsec = next % 1000000000 };
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
		if (p->stop || mer_now_ns() < next)
			continue;
		if (!p->hidden)
			draw(p);
		next = mer_now_ns() + EVERY_MS * INT64_C(1000000);
	}
	erase(p);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool is_wanted(const struct ask *ask)
{
	/* Results that scroll by on the same terminal are progress enough. */
	if (ask->progress_when == ASK_AUTO && ask->out_is_terminal &&
		ask->format != ASK_FORMAT_TABLE)
		return false;
	return ask->progress_when == ASK_ALWAYS ||
	       (ask->progress_when == ASK_AUTO && isatty(STDERR_FILENO) && !ask->quiet);
}

void cli_progress_begin(struct ask_progress *p)
{
	struct shown *x = is_wanted(p->ask) ? calloc(1, sizeof(*x)) : NULL;
	if (!x)
		return;
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->wake, &attr);
	pthread_condattr_destroy(&attr);
	x->of = p;
	x->start_ns = mer_now_ns();
	if (pthread_create(&x->thread, NULL, ticker, x) != 0) {
		pthread_cond_destroy(&x->wake);
		pthread_mutex_destroy(&x->lock);
		free(x);
		return;
	}
	p->shown = x;
	p->ask->progress = p;
}

void cli_progress_end(struct ask_progress *p)
{
	struct shown *x = p->shown;
	pthread_mutex_lock(&x->lock);
	x->stop = true;
	pthread_cond_signal(&x->wake);
	pthread_mutex_unlock(&x->lock);
	pthread_join(x->thread, NULL);
	pthread_cond_destroy(&x->wake);
	pthread_mutex_destroy(&x->lock);
	free(x);
	p->ask->progress = NULL;
}

void cli_progress_hide(struct ask_progress *p)
{
	struct shown *x = p ? p->shown : NULL;
	if (!x)
		return;
	pthread_mutex_lock(&x->lock);
	x->hidden++;
	erase(x);
	pthread_mutex_unlock(&x->lock);
}

void cli_progress_show(struct ask_progress *p)
{
	struct shown *x = p ? p->shown : NULL;
	if (!x)
		return;
	pthread_mutex_lock(&x->lock);
	x->hidden--;
	pthread_mutex_unlock(&x->lock);
}
