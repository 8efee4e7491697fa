/* The folder of a fleet: parts/HOST.part, all.sync, answers/HOST.part, full/HOST.part.
 *
 * Beside each of these files FILE.of says what it was made from. A file whose .of says the same as
 * before need not be made again; it is written when the file is complete, and removed before the
 * file changes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "cli/fleet/fleet.h"

static const char *const folders[] = {
	[FLEET_PART] = "parts", [FLEET_ANSWER] = "answers", [FLEET_FULL] = "full"
};
enum { N_FOLDERS = sizeof(folders) / sizeof(*folders) };

static int use_folder(struct fleet *f)
{
	struct mer_err *err = &f->ask->err;
	if (!mer_make_folder(f->o->keep))
		return mer_fail_errno(err, "make the folder", f->o->keep);
	f->dir = realpath(f->o->keep, NULL);
	f->lock = f->dir ? open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (f->lock < 0)
		return mer_fail_errno(err, "open the folder", f->o->keep);
	if (flock(f->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return mer_fail(err, MER_ERR_INPUT, "%s: another 'meridian fleet' is at work there",
			f->o->keep);
	return 0;
}

static int make_temporary(struct fleet *f)
{
	const char *base = getenv("TMPDIR");
	char *path = mer_arena_printf(
		&f->ask->arena, "%s/meridian-fleet-XXXXXX", base && base[0] == '/' ? base : "/tmp");
	if (!path)
		return mer_fail_nomem(&f->ask->err);
	if (!mkdtemp(path))
		return mer_fail_errno(&f->ask->err, "make the folder", path);
	f->is_temporary = true;
	f->dir = strdup(path);
	return f->dir ? 0 : mer_fail_nomem(&f->ask->err);
}

/* The clocks of a recording follow from its rounds, too, which are found above the parts. */
static int copy_manifest(struct fleet *f)
{
	struct mer_file file;
	struct mer_err *err = &f->ask->err;
	const char *from = mer_arena_printf(&f->ask->arena, "%s/manifest.json", f->recording);
	const char *to = fleet_path(f, "manifest.json");
	int rc = from && to ? mer_file_open(&file, from, err) : mer_fail_nomem(err);
	if (rc)
		return rc;
	if (!mer_file_replace(to, &(struct mer_bytes){ file.data, file.size }, 1))
		rc = mer_fail_errno(err, "write", to);
	mer_file_close(&file);
	return rc;
}

int fleet_open_folder(struct fleet *f)
{
	int rc = f->o->keep ? use_folder(f) : make_temporary(f);
	for (size_t i = 0; i < N_FOLDERS && rc == 0; i++) {
		const char *path = fleet_path(f, folders[i]);
		if (!path)
			rc = mer_fail_nomem(&f->ask->err);
		else if (!mer_make_folder(path))
			rc = mer_fail_errno(&f->ask->err, "make the folder", path);
	}
	return rc == 0 && f->recording ? copy_manifest(f) : rc;
}

void fleet_close_folder(struct fleet *f)
{
	if (f->is_temporary && f->dir && !mer_remove_folder(f->dir))
		ask_warn(f->ask, "%s cannot be removed: %s", f->dir, strerror(errno));
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
	free(f->dir);
	f->dir = NULL;
}

const char *fleet_path(const struct fleet *f, const char *name)
{
	return mer_arena_printf(&f->ask->arena, "%s/%s", f->dir, name);
}

const char *fleet_file(const struct fleet *f, const struct fleet_host *h, enum fleet_step step)
{
	return mer_arena_printf(&f->ask->arena, "%s/%s/%s.part", f->dir, folders[step], h->name);
}

static const char *path_of_key(const struct fleet *f, const char *path)
{
	return mer_arena_printf(&f->ask->arena, "%s.of", path);
}

bool fleet_is_kept(const struct fleet *f, const char *path, const struct mer_str *key)
{
	const char *key_path = path_of_key(f, path);
	struct mer_file file;
	struct mer_err ignored;
	if (!key_path || access(path, R_OK) != 0 || mer_file_open(&file, key_path, &ignored))
		return false;
	bool is_same = !key->failed && file.size == key->len &&
		       memcmp(file.data, key->data, key->len) == 0;
	mer_file_close(&file);
	return is_same;
}

void fleet_forget(const struct fleet *f, const char *path)
{
	const char *key_path = path_of_key(f, path);
	if (key_path)
		unlink(key_path);
}

int fleet_keep(const struct fleet *f, const char *path, const struct mer_str *key)
{
	const char *key_path = path_of_key(f, path);
	if (!key_path || key->failed)
		return mer_fail_nomem(&f->ask->err);
	if (!mer_file_replace(key_path, &(struct mer_bytes){ key->data, key->len }, 1))
		return mer_fail_errno(&f->ask->err, "write", key_path);
	return 0;
}

void fleet_key(const struct fleet *f, const struct fleet_host *h, enum fleet_step step,
	bool has_facts, const struct mer_str *sent, struct mer_str *key)
{
	mer_str_printf(key, "meridian " MERIDIAN_VERSION "\n%s\n%s\n", h->target ? h->target : "",
		h->folder);
	if (step == FLEET_PART && f->is_full)
		mer_str_puts(key, "all ends\n");
	if (step == FLEET_FULL && !has_facts)
		mer_str_puts(key, "no facts\n");
	key->failed |= sent->failed;
	mer_str_puts(key, sent->data ? sent->data : "");
	if (step != FLEET_ANSWER)
		return;
	mer_str_printf(key, "%s\n", f->verb);
	/* With its end, so that no two lists of words are one. */
	for (size_t i = 0; i < f->n_asked; i++)
		mer_str_add(key, f->asked[i], strlen(f->asked[i]) + 1);
}

bool fleet_key_file(struct mer_str *key, const char *path)
{
	struct mer_file file;
	struct mer_err ignored;
	if (mer_file_open(&file, path, &ignored))
		return false;
	const char *slash = strrchr(path, '/');
	mer_str_printf(key, "%s %zu %016" PRIx64 "\n", slash ? slash + 1 : path, file.size,
		mer_hash(file.data, file.size));
	mer_file_close(&file);
	return true;
}
