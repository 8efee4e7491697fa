/* The store of a session: found in the cache, or made there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "session/state.h"
#include "store/cache.h"
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
			.drop = s->o.once ? &s->messages : NULL };
		rc = store_record(
			s->store_path, key, about.data, s->e, messages, s->result, &o, err);
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

static int find(struct session *s, struct mer_err *err)
{
	struct store_key k;
	struct mer_err none;
	uint8_t key[STORE_KEY_BYTES];
	if (!s->o.cache_dir)
		return mer_fail(err, MER_ERR_SYS, "there is no folder for it");
	if (!store_key_of(&k, s->e))
		return mer_fail(err, MER_ERR_SYS, "the files of the traces cannot be examined");
	store_key_mix_clocks(&k, s->result);
	memcpy(key, k.hash, sizeof(key));
	s->store_path = store_cache_path(s->o.cache_dir, STORE_CACHED_WORLD, &k);
	if (!s->store_path)
		return mer_fail_nomem(err);
	int rc = store_open(s->store_path, key, s->e, &s->store, &none);
	if (rc == 0) {
		store_cache_touch(s->store_path);
	} else {
		rc = make(s, key, err);
		if (rc == 0)
			rc = store_open(s->store_path, key, s->e, &s->store, err);
	}
	if (rc == 0) {
		store_world(s->store)->cancel = &s->cancel;
		store_report(s->store, &s->e->diags);
	}
	return rc;
}

int session_store(struct session *s, struct store **store, struct mer_err *err)
{
	int rc = 0;
	if (s->o.store && !s->has_store) {
		rc = find(s, err);
		s->has_store = true;
		if (rc && rc != MER_ERR_CANCELLED && rc != MER_ERR_NOMEM) {
			s->store_error = *err;
			rc = 0;
		}
	}
	*store = s->store;
	return rc;
}

const struct mer_err *session_store_error(const struct session *s)
{
	return s->store_error.code ? &s->store_error : NULL;
}

bool session_store_is_damaged(const struct session *s)
{
	return s->store && store_is_damaged(s->store);
}

void session_store_close(struct session *s)
{
	if (session_store_is_damaged(s))
		unlink(s->store_path);
	store_close(s->store);
	free(s->store_path);
	s->store = NULL;
	s->store_path = NULL;
}
