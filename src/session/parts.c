#include "session/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "copied/copied.h"
#include "meridian/session.h"
#include "session/state.h"
#include "store/cache.h"
#include "store/record.h"

/* The hosts and their clocks: the same for all that can be used together. */
static void find_key(const struct session *s, uint8_t key[STORE_KEY_BYTES])
{
	/* Other versions may pack the same things in other ways. */
	static const uint32_t form[] = { 1, MER_VERSION };
	struct store_key k = { { 0 } };
	store_key_mix(&k, form, sizeof(form));
	for (uint32_t h = 0; h < s->e->n_hosts; h++) {
		const char *name = s->e->hosts[h].name;
		store_key_mix(&k, name, strlen(name) + 1);
	}
	store_key_mix_clocks(&k, s->result);
	memcpy(key, k.hash, STORE_KEY_BYTES);
}

int session_parts_write(struct session *s, const bool *own, const char *path, struct mer_err *err)
{
	uint8_t key[STORE_KEY_BYTES];
	const struct sync_messages *messages;
	int rc = session_messages(s, &messages, err);
	if (rc)
		return rc;
	find_key(s, key);
	const struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes) };
	rc = store_record(
		&(struct store_target){ .path = path, .key = key, .about = "", .own = own }, s->e,
		messages, &s->matched, s->result, &o, err);
	session_stage_end(s);
	return rc;
}

/* A key that does not fit says so of traces, which there are none of. */
static int explain(const char *path, const uint8_t key[STORE_KEY_BYTES], struct mer_err *err)
{
	struct store_file f;
	struct mer_err why;
	int rc = store_file_peek(&f, path, key, &why);
	bool is_other = rc == MER_ERR_INPUT && store_file_peek(&f, path, NULL, err) == 0;
	if (rc && !is_other)
		*err = why;
	if (rc == 0 || is_other)
		store_file_close(&f);
	return is_other
		       ? mer_fail(err, rc,
				 "made of other hosts, with other clocks, or by another version of meridian")
		       : rc;
}

int session_parts_open(struct session *s, struct store **store, struct mer_err *err)
{
	const struct mer_experiment *e = s->e;
	char(*places)[PART_PATH_BYTES] = calloc(e->n_copies + 1u, sizeof(*places));
	const char **paths = calloc(e->n_copies + 1u, sizeof(*paths));
	uint8_t key[STORE_KEY_BYTES];
	size_t n = 0;
	int rc = places && paths ? 0 : mer_fail_nomem(err);
	find_key(s, key);
	for (uint32_t i = 0; rc == 0 && i < e->n_copies; i++) {
		struct mer_err why;
		if (!part_is_full(&e->copies[i]) ||
			!part_path(&e->copies[i], PART_WORLD, places[n]))
			continue;
		rc = explain(places[n], key, &why);
		if (rc)
			mer_fail(err, rc, "%.800s: %.400s", e->copies[i].source, why.text);
		paths[n] = places[n];
		n++;
	}
	if (rc == 0)
		rc = store_open_parts(paths, n, key, s->e, s->result, store, err);
	free(places);
	free(paths);
	return rc;
}

bool session_parts_first(const struct session *s, char path[PART_PATH_BYTES])
{
	for (uint32_t i = 0; i < s->e->n_copies; i++)
		if (part_is_full(&s->e->copies[i]))
			return part_path(&s->e->copies[i], PART_WORLD, path);
	return false;
}

bool session_parts_clocks(const struct session *s, char path[PART_PATH_BYTES])
{
	for (uint32_t i = 0; i < s->e->n_copies; i++)
		if (part_is_full(&s->e->copies[i]))
			return part_path(&s->e->copies[i], PART_CLOCKS, path);
	return false;
}
