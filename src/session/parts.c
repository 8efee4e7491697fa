#include "session/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "copied/copied.h"
#include "mpi/run.h"
#include "meridian/session.h"
#include "session/state.h"
#include "store/cache.h"
#include "store/check.h"
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

int session_parts_write(
	struct session *s, const bool *own, bool has_facts, const char *path, struct mer_err *err)
{
	uint8_t key[STORE_KEY_BYTES];
	const struct sync_messages *messages;
	int rc = session_messages(s, &messages, err);
	if (rc)
		return rc;
	find_key(s, key);
	struct mer_str about = { 0 };
	for (uint32_t h = 0; h < s->e->n_hosts; h++)
		mer_str_printf(&about, "host: %s\n", s->e->hosts[h].name);
	if (about.failed || !about.data) {
		mer_str_fini(&about);
		return mer_fail_nomem(err);
	}
	const struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes) };
	rc = store_record(&(struct store_target){ .path = path,
				  .key = key,
				  .about = about.data,
				  .own = own,
				  .has_no_facts = !has_facts },
		s->e, messages, &s->matched, s->result, &o, err);
	session_stage_end(s);
	mer_str_fini(&about);
	return rc;
}

/* Names of the hosts that the file was made with, and that are not among these. */
static void add_missing(const struct mer_experiment *e, const char *about, struct mer_str *out)
{
	static const char host[] = "host: ";
	for (const char *line = about; line && *line; line = strchr(line, '\n') + 1) {
		size_t n = strcspn(line, "\n"), skip = sizeof(host) - 1;
		if (!line[n])
			return;
		if (n <= skip || strncmp(line, host, skip) != 0)
			continue;
		bool is_there = false;
		for (uint32_t h = 0; h < e->n_hosts && !is_there; h++)
			is_there = strlen(e->hosts[h].name) == n - skip &&
				   strncmp(e->hosts[h].name, line + skip, n - skip) == 0;
		if (is_there)
			continue;
		mer_str_puts(out, out->len ? ", " : "");
		mer_safe_add(out, line + skip, n - skip);
	}
}

/* Why a file is not one of these hosts and clocks. */
static int refuse(const struct mer_experiment *e, const char *path, struct mer_err *err)
{
	struct mer_str missing = { 0 };
	char *about = store_about(path);
	add_missing(e, about, &missing);
	int rc =
		missing.len
			? mer_fail(err, MER_ERR_INPUT,
				  "made together with %.400s, too: give the full parts of all hosts, or, in their place, the parts that it was made with",
				  missing.data)
			: mer_fail(err, MER_ERR_INPUT,
				  "made of other hosts, with other clocks, or by another version of meridian than these");
	mer_str_fini(&missing);
	free(about);
	return rc;
}

/* Is the file whole, and of these hosts and clocks? */
static int check(const struct mer_experiment *e, const char *path,
	const uint8_t key[STORE_KEY_BYTES], struct mer_err *err)
{
	struct store_file f;
	int rc = store_file_peek(&f, path, NULL, err);
	if (rc)
		return rc;
	store_file_close(&f);
	rc = store_file_peek(&f, path, key, err);
	if (rc)
		return refuse(e, path, err);
	store_file_close(&f);
	return 0;
}

static void tell_mpi(struct mer_experiment *e)
{
	mer_diag_add_once(&e->diags,
		&(struct mer_diag){ .severity = MER_WARNING,
			.code = "part-mpi",
			.stream = -1,
			.packet = -1,
			.offset_bits = -1,
			.count = 1 },
		"full parts lack messages of MPI, and what its ranks waited for: waits and messages of MPI programs are shown as any other program's");
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
		rc = check(e, places[n], key, &why);
		if (rc)
			mer_fail(err, rc, "%.800s: %.400s", e->copies[i].source, why.text);
		paths[n] = places[n];
		n++;
	}
	if (rc == 0 && mpi_is_recorded(s->e))
		tell_mpi(s->e);
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
