/* Session: an experiment with everything that is known about it so far, for verbs, the server and
 * the public library. Each thing is made when it is first needed, and kept.
 *
 *  session_new ─→ session_open ─→ session_synchronize ─┬→ session_request   tables (request.h)
 *                 hosts, streams   clocks, messages    └→ session_world     tasks, paths (tasks.h)
 *
 * Ownership: what a session returns belongs to it and lives until session_free, unless a comment
 * says otherwise. The options' texts are borrowed and must live as long. Errors: a function that
 * fails returns a negative MER_ERR_* and fills err; everything that existed before still exists,
 * so findings (mer_diagnostic_at) can be shown then, too. Texts name no options: what the user
 * can do is err->remedy. Threads: a session is used by one thread at a time, and reads on as
 * many threads as the options say. Only session_cancel may be called from any other thread (or a
 * signal handler). Nothing is printed, and the environment is not read: the caller passes in
 * what is needed. */
#ifndef MER_SESSION_SESSION_H
#define MER_SESSION_SESSION_H

#include "base/pool.h"
#include "kernel/world.h"
#include "path/usage.h"
#include "session/selection.h"
#include "sync/auto.h"

struct session;

enum session_clocks {		 /* how they are aligned */
	SESSION_CLOCKS_AUTO,	 /* by the messages between the hosts; one host has no need of it */
	SESSION_CLOCKS_RECORDED, /* not at all: every trace's own */
	SESSION_CLOCKS_SAVED	 /* as a file says, of what was computed before */
};

enum session_stage { /* what takes time */
	SESSION_SYNCHRONIZING,
	SESSION_MATCHING, /* of messages */
	SESSION_PERIODS,  /* finding them */
	SESSION_READING,
	SESSION_CHECKING,
	SESSION_DRAWING, /* reading for a picture besides */
	SESSION_STORING, /* reading, and making a store */
	SESSION_VIEWING, /* finding the states of views */
	SESSION_N_STAGES
};

/* Progress for a waiting user. Both on the calling thread; never two stages at a time. */
struct session_watcher {
	void *ctx;
	/* Returns where the bytes that are done are counted, by all threads; NULL: nowhere. */
	_Atomic uint64_t *(*begin)(void *ctx, enum session_stage stage, uint64_t total_bytes);
	void (*end)(void *ctx); /* of what begin began */
};

struct session_options { /* zeroed: the defaults */
	const char *const *paths;
	size_t n_paths;
	enum session_clocks clocks;
	const char *clocks_file; /* of SESSION_CLOCKS_SAVED */
	/* Of SESSION_CLOCKS_AUTO: "GUEST=HOST:PID" (given_vms.h). */
	struct session_texts vms;
	/* View files, or names of those that belong to meridian (views/view.h). */
	struct session_texts views;
	bool ignore_uuid;	  /* as mer_open_options */
	uint64_t clock_wrap_ns;	  /* the same */
	uint32_t clock_wrap_bits; /* the same */
	unsigned n_threads;	  /* 0: one per CPU */
	/* Questions are answered from a store in cache_dir if it exists, as far as possible.
	 * store: if it does not exist, everything is read and the store is made; if it cannot be
	 * made or used, the traces are read (session_store_error). no_store: the traces are
	 * always read. */
	bool store, no_store;
	const char *cache_dir; /* where computed results are kept between runs; NULL: nowhere */
	/* Where what grows with the traces goes when memory should not take it; NULL: memory takes
	 * all. */
	const struct mer_spill_options *spill;
	bool all_findings; /* also those of the synchronization are among the experiment's */
	/* There will be one request or one world: what has been used is released at once, which
	 * saves memory. Another one is then made from the traces again. */
	bool once;
	struct session_watcher watcher; /* zeroed: no progress is reported */
};

/* What is known about the times: how the clocks were aligned. */
struct session_synced {
	struct sync_summary summary;
	enum sync_method method;
	const char *reference;	   /* host */
	const char *one_sided;	   /* names of hosts, see sync_one_sided; NULL: none */
	const char *contradictory; /* likewise, see sync_contradictory */
	const char *file;	   /* they come from; NULL: computed */
};

/* NULL: no memory. */
struct session *session_new(const struct session_options *o);
void session_free(struct session *s); /* NULL is fine */
/* From any thread: what is being done ends with MER_ERR_CANCELLED, and so does all that comes. */
void session_cancel(struct session *s);
/* Once that has ended, and nobody uses the session: it answers again. */
void session_resume(struct session *s);
bool session_is_cancelled(const struct session *s);
struct mer_cancel *session_cancel_of(struct session *s); /* for calls of the layers below */
unsigned session_threads(const struct session *s);

/* Metadata and packet headers; no events. */
int session_open(struct session *s, struct mer_err *err);
/* Aligns the clocks as the options say; the second time it does nothing. messages: they will be
 * needed, and are cheaper now than later. Clocks that cannot be aligned stay as recorded, which is
 * no error (session_sync_error); that a file cannot be read is one. */
int session_synchronize(struct session *s, bool messages, struct mer_err *err);

/* Any of these may be NULL: not opened; not synchronized, or nothing was to be done. */
struct mer_experiment *session_experiment(const struct session *s);
const struct session_synced *session_synced(const struct session *s);
const struct sync_result *session_sync_result(const struct session *s);
/* Why the clocks stayed as recorded although they should have been aligned; NULL: they were. */
const struct mer_err *session_sync_error(const struct session *s);

/* What one of many questions finds is not to be a finding of the next ones: between begin and
 * end, the experiment's findings are those of opening it and the question's own: also of what was
 * read for an earlier one, if it is used. false: no memory, nothing was begun. */
struct session_findings {
	struct mer_arena arena;
	struct mer_diags before;
};
bool session_findings_begin(struct session *s, struct session_findings *f);
void session_findings_end(struct session *s, struct session_findings *f);

/* With clocks that are known, before the first question: will it be answered from a store? If so,
 * messages are not needed. */
bool session_store_is_likely(struct session *s);
/* Why questions are not answered from a store although the options say so; NULL: they are. */
const struct mer_err *session_store_error(const struct session *s);
enum session_stored {
	SESSION_STORE_NONE, /* no question was answered from a store */
	SESSION_STORE_ANSWERED,
	/* What was looked at of it was not as it was saved, so the traces were read. It is removed
	 * at the end of the session. */
	SESSION_STORE_DAMAGED,
	SESSION_STORE_LACKS /* the same, but they could not be read: answers lack something */
};
enum session_stored session_stored(const struct session *s);
/* Was the store made for this question, the second one about these traces, without having been
 * asked for? */
bool session_store_is_of_itself(const struct session *s);
/* Of a session that stays open: what comes is another question, for which there may be a store
 * now. */
void session_next_question(struct session *s);
/* Was a store looked for in vain, and another build has one of the same traces and clocks? Looks
 * through the cache. */
bool session_store_is_of_another_build(const struct session *s);

/* What it selects, by the clocks as they are now. */
int session_window(const struct session *s, const struct session_selection *what,
	struct session_window *w, struct mer_err *err);

/* The messages between all hosts, those of a host to itself too, by their own clocks. */
int session_messages(struct session *s, const struct sync_messages **messages, struct mer_err *err);

/* Observers of the models while a store is made, if one is made: by host, borrowed until the
 * session ends; they must not want anything that is not read anyway. NULL: none. */
void session_listen(struct session *s, const struct kernel_observer *by_host);

/* ---- What tasks did ---- */

enum session_usage {
	SESSION_USAGE_NONE,
	SESSION_USAGE_DISKS, /* what the model knows in any case */
	SESSION_USAGE_ALL    /* memory, disks, files, network */
};

struct session_world {
	struct mer_experiment *e;
	const struct kernel_world *world;
	const struct usage *usage; /* NULL: not wanted */
	const struct session_synced *synced;
	struct session *session;
};

/* The model of all hosts, with the log of spans for paths and waits. Synchronizes first if that
 * was not done. */
int session_world(
	struct session *s, enum session_usage usage, struct session_world *w, struct mer_err *err);

#endif
