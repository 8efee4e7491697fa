/* Worker: a thread that reads the traces and asks a server in this process (server_tables), so
 * that whoever is in front of the terminal sees how far it is, and can leave.
 *
 * One question at a time. Who does not want to wait for an answer gets none; it is finished all the
 * same, and kept by the server for the next time. */
#ifndef MER_CLI_TUI_WORKER_H
#define MER_CLI_TUI_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include "cli/tui/ask.h"
#include "server/server.h"

struct tui_worker {
	struct server_options options; /* borrowed */
	/* Called while one waits, ten times a second: false: no longer. since_ns: for so long.
	 * words: NULL: it is no command that is waited for. */
	bool (*wait)(void *ctx, const struct tui_words *words, int64_t since_ns);
	void *ctx;

	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	bool has_thread, ends, is_busy;
	struct mer_arena arena; /* of the question: lanes, or words, or neither: all tasks */
	struct tui_words words;
	const char *lanes;
	struct tui_answer answer;
	unsigned asked, answered;	 /* counters of questions; of the last one the answer */
	_Atomic(struct server *) server; /* once the traces are open */
	struct mer_err err;
	int rc; /* of reading */
};

/* Reads the traces. MER_ERR_*: err says why; MER_ERR_CANCELLED: it was not waited for.
 * tui_worker_stop in any case. */
int tui_worker_start(struct tui_worker *w, struct mer_err *err);
void tui_worker_stop(struct tui_worker *w);
/* How far reading is; 0 of 0: not known. */
void tui_worker_progress(struct tui_worker *w, uint64_t *done_bytes, uint64_t *total_bytes);
/* Of a tui_source; ctx: the worker. */
void tui_worker_ask(
	void *ctx, const struct tui_words *words, const char *lanes, struct tui_answer *a);

#endif
