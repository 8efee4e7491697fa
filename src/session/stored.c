/* The store of a session: found in the cache, or made there: if the options say so, or for the
 * second question about the same traces and clocks. Of one question nobody knows whether others
 * will come, and a store costs more than a reading. If it is damaged, its content is found by
 * reading the traces: spans and tables one by one when they are looked at (read_again), everything
 * else by the caller (session_store_drop). */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "session/parts.h"
#include "session/requests.h"
#include "session/state.h"
#include "session/sync_cache.h"
#include "store/cache.h"
#include "store/messages.h"
#include "store/record.h"

/* What it was made of, for people who look at the cache. */
static int describe(const struct session *s, struct mer_str *about, struct mer_err *err)
{
	for (size_t i = 0; i < s->o.n_paths; i++) {
		char *path = realpath(s->o.paths[i], NULL);
		mer_str_printf(about, "trace: %s\n", path ? path : s->o.paths[i]);
		free(path);
	}
	for (uint32_t i = 0; i < s->e->n_hosts; i++)
		mer_str_printf(about, "host: %s\n", s->e->hosts[i].name);
	mer_str_printf(about, "bytes: %" PRIu64 "\n", s->e->bytes);
	return about->failed ? mer_fail_nomem(err) : 0;
}

static int make(struct session *s, const uint8_t key[STORE_KEY_BYTES], struct mer_err *err)
{
	const struct sync_messages *messages;
	struct mer_str about = { 0 };
	int rc = session_messages(s, &messages, err);
	if (rc == 0 && !mer_make_folder(s->o.cache_dir))
		rc = mer_fail_errno(err, "create", s->o.cache_dir);
	if (rc == 0)
		rc = describe(s, &about, err);
	if (rc == 0) {
		struct kernel_world_options o = { .n_threads = session_threads(s),
			.cancel = &s->cancel,
			.done_bytes = session_stage_begin(s, SESSION_STORING, s->e->bytes),
			.observers = s->listeners,
			.drop = s->o.once ? &s->messages : NULL };
		rc = store_record(
			&(struct store_target){
				.path = s->store_path, .key = key, .about = about.data },
			s->e, messages, &s->matched, s->result, &o, err);
		session_stage_end(s);
	}
	mer_str_fini(&about);
	if (rc == 0)
		store_cache_trim(s->o.cache_dir, s->store_path);
	if (s->o.once) {
		sync_messages_free(&s->messages);
		s->has_messages = false;
	}
	return rc;
}

static int make_and_open(struct session *s, const uint8_t key[STORE_KEY_BYTES], struct mer_err *err)
{
	int rc = make(s, key, err);
	return rc ? rc : store_open(s->store_path, key, s->e, &s->store, err);
}

void session_listen(struct session *s, const struct kernel_observer *by_host)
{
	s->listeners = by_host;
}

/* Of the traces and the clocks as they are known now. Paths of the store and of the mark that a
 * question was asked: malloc'ed, to be freed also after a failure. */
static int find_key(struct session *s, uint8_t key[STORE_KEY_BYTES], char **path, char **mark,
	struct mer_err *err)
{
	struct store_key k;
	if (!s->o.cache_dir)
		return mer_fail(err, MER_ERR_SYS, "there is no folder for it");
	if (!store_key_of(&k, s->e))
		return mer_fail(err, MER_ERR_SYS, "the files of the traces cannot be examined");
	store_key_mix_clocks(&k, s->result);
	memcpy(key, k.hash, STORE_KEY_BYTES);
	*path = store_cache_path(s->o.cache_dir, STORE_CACHED_WORLD, &k);
	*mark = store_cache_path(s->o.cache_dir, STORE_CACHED_READ, &k);
	return *path && *mark ? 0 : mer_fail_nomem(err);
}

/* Traces of a few megabytes are read as fast as a store is opened. */
static bool is_large(const struct session *s)
{
	enum { LEAST_BYTES = 4 << 20 };
	return s->e->bytes >= LEAST_BYTES;
}

/* Is it worth a store? One that nobody asked for must not fill the disk: about half the size of the
 * traces, besides what is computed meanwhile, may take a quarter of what is free. */
static bool is_worth_it(const struct session *s)
{
	enum { SPARE = 2 };
	struct statvfs at;
	return is_large(s) && statvfs(s->o.cache_dir, &at) == 0 &&
	       (uint64_t)at.f_bavail * at.f_frsize / SPARE >= s->e->bytes;
}

/* A question leaves a mark. */
static void leave_mark(const struct session *s, const char *mark)
{
	int fd = is_large(s) && mer_make_folder(s->o.cache_dir)
			 ? open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)
			 : -1;
	if (fd >= 0)
		close(fd);
}

bool session_store_is_likely(struct session *s)
{
	uint8_t key[STORE_KEY_BYTES];
	struct mer_err none;
	char *path = NULL, *mark = NULL;
	if (s->e->has_no_events)
		return true;
	if (s->o.no_store)
		return false;
	bool is = s->o.store ||
		  (find_key(s, key, &path, &mark, &none) == 0 &&
			  (access(path, R_OK) == 0 || (access(mark, F_OK) == 0 && is_worth_it(s))));
	free(path);
	free(mark);
	return is;
}

static const struct kernel_world *read_again(void *ctx)
{
	struct session *s = ctx;
	const struct sync_messages *messages;
	struct mer_err none;
	const struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel };
	if (session_messages(s, &messages, &none) == 0 &&
		store_read_again(s->e, messages, s->result, &o, &s->again, &none) == 0)
		return store_again_world(s->again);
	return NULL;
}

void session_store_mend(struct session *s, bool on)
{
	store_mend_with(s->store, on ? &(struct store_mending){ read_again, s } : NULL);
}

/* For the second question. Who takes the mark away makes the store: one of several at once. After
 * one that failed or was killed, perhaps for want of memory, the next question reads the traces. */
static int make_of_itself(struct session *s, const uint8_t key[STORE_KEY_BYTES], const char *mark,
	struct mer_err *err)
{
	if (!is_worth_it(s) || unlink(mark) != 0) {
		leave_mark(s, mark);
		return MER_ERR_SYS;
	}
	int rc = make_and_open(s, key, err);
	if (rc == 0 || rc == MER_ERR_CANCELLED)
		leave_mark(s, mark);
	s->store_is_of_itself = rc == 0;
	/* Reading may do with less. */
	return rc == MER_ERR_NOMEM ? MER_ERR_SYS : rc;
}

/* The report on a store that is used, whose world is now there. */
static void begin_use(struct session *s)
{
	store_world(s->store)->cancel = &s->cancel;
	session_found_begin(s, SESSION_KEPT_STORE);
	store_report(s->store, &s->e->diags);
	session_found_end(s, SESSION_KEPT_STORE);
}

static int find(struct session *s, struct mer_err *err)
{
	struct mer_err why;
	uint8_t key[STORE_KEY_BYTES];
	char *mark = NULL;
	free(s->store_path); /* of a question that was cancelled while it was made */
	s->store_path = NULL;
	int rc = find_key(s, key, &s->store_path, &mark, err);
	bool is_there = rc == 0 && access(s->store_path, R_OK) == 0;
	int opened = is_there ? store_open(s->store_path, key, s->e, &s->store, &why) : MER_ERR_SYS;
	if (rc == 0 && opened == 0) {
		store_cache_touch(s->store_path);
	} else if (rc == 0) {
		if (is_there && opened == MER_ERR_INPUT)
			unlink(s->store_path);
		rc = s->o.store ? make_and_open(s, key, err) : make_of_itself(s, key, mark, err);
		if (rc && is_there && !s->o.store) {
			s->store_was_damaged = opened == MER_ERR_INPUT;
			*err = why;
		}
	}
	free(mark);
	if (rc == 0) {
		begin_use(s);
		session_store_mend(s, true);
	}
	return rc;
}

static int find_parts(struct session *s, struct mer_err *err)
{
	int rc = session_parts_open(s, &s->store, err);
	if (rc == 0)
		begin_use(s);
	s->has_store = rc == 0;
	return rc;
}

int session_store(struct session *s, struct store **store, struct mer_err *err)
{
	int rc = 0;
	if (s->e->has_no_events && !s->has_store && (rc = find_parts(s, err)))
		return rc;
	if (!s->o.no_store && !s->has_store) {
		struct mer_err why;
		rc = find(s, &why);
		s->has_store = rc != MER_ERR_CANCELLED;
		if (rc == MER_ERR_CANCELLED || rc == MER_ERR_NOMEM) {
			*err = why;
		} else if (rc) {
			if (s->o.store)
				s->store_error = why;
			rc = 0;
		}
	}
	if (s->store)
		session_found_tell(s, SESSION_KEPT_STORE);
	*store = s->store;
	return rc;
}

/* The clocks of the store that other questions use: those that were found before. False: they were
 * not. */
static bool find_clocks(struct session *s, struct sync_result **r)
{
	struct sync_cache cache;
	*r = NULL;
	if (!session_aligns(s))
		return true;
	sync_cache_find(&cache, s->e, &s->o.vms, s->o.cache_dir);
	*r = sync_cache_load(&cache, s->e);
	return *r != NULL;
}

/* The file that has them; path: to be freed. False: there is none. */
static bool find_messages(struct session *s, struct store_file *f, char **path)
{
	struct store_key k;
	struct mer_err none;
	struct sync_result *clocks;
	*path = NULL;
	bool ok = s->o.cache_dir && !s->o.no_store && store_key_of(&k, s->e) &&
		  find_clocks(s, &clocks);
	if (!ok)
		return false;
	store_key_mix_clocks(&k, clocks);
	sync_result_free(clocks);
	*path = store_cache_path(s->o.cache_dir, STORE_CACHED_WORLD, &k);
	return *path && store_file_open(f, *path, (const uint8_t *)k.hash, &none) == 0;
}

static bool get_messages(struct session *s, struct sync_messages *m, struct mer_diags *found)
{
	struct store_file f;
	struct mer_err none;
	char *path;
	bool ok = find_messages(s, &f, &path);
	if (ok) {
		ok = store_get_messages(&f, m, found, &none) == 0;
		store_file_close(&f);
	}
	if (ok)
		store_cache_touch(path);
	free(path);
	return ok;
}

bool session_stored_messages(struct session *s, struct sync_messages *m)
{
	struct mer_err none;
	struct mer_diags found;
	mer_diags_init(&found, &s->arena);
	bool ok = sync_messages_init(m, s->e->n_hosts, &none) == 0;
	m->spill = s->e->spill;
	ok = ok && (s->e->has_no_events ? session_parts_messages(s, m, &found)
					: get_messages(s, m, &found));
	if (ok)
		mer_diags_merge(&s->e->diags, &found);
	else
		sync_messages_free(m);
	mer_diags_fini(&found);
	return ok;
}

const struct mer_err *session_store_error(const struct session *s)
{
	return s->store_error.code ? &s->store_error : NULL;
}

bool session_store_is_of_itself(const struct session *s)
{
	return s->store && s->store_is_of_itself;
}

void session_next_question(struct session *s)
{
	s->store_is_of_itself = false;
	if (s->store)
		return;
	free(s->store_path);
	s->store_path = NULL;
	s->has_store = false;
	s->store_was_damaged = false;
}

enum session_stored session_stored(const struct session *s)
{
	bool is_damaged = s->store && store_is_damaged(s->store);
	if (s->store && store_lacks(s->store))
		return SESSION_STORE_LACKS;
	if (is_damaged || s->store_was_damaged)
		return SESSION_STORE_DAMAGED;
	return s->store ? SESSION_STORE_ANSWERED : SESSION_STORE_NONE;
}

bool session_store_is_of_another_build(const struct session *s)
{
	return !s->store && s->store_path && store_cache_has_other(s->o.cache_dir, s->store_path);
}

int session_store_drop(struct session *s, struct mer_err *err)
{
	session_requests_forget(s);
	session_drop_world(s);
	s->store_was_damaged = true;
	session_store_close(s);
	if (!s->e->has_no_events)
		return 0;
	s->has_store = false;
	return mer_fail(
		err, MER_ERR_INPUT, "a full part is damaged: copy it again, or make it again");
}

void session_store_close(struct session *s)
{
	if (s->store && s->store_path && (store_is_damaged(s->store) || s->store_was_damaged))
		unlink(s->store_path);
	store_close(s->store);
	store_again_free(s->again);
	free(s->store_path);
	s->store = NULL;
	s->again = NULL;
	s->store_path = NULL;
}
