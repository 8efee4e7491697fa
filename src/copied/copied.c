#include "copied/copied.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "copied/notes.h"

void copied_close(const struct copied *copied)
{
	if (copied->is_temporary)
		(void)mer_remove_folder(copied->folder);
}

uint64_t copied_hash(int dir, const char *name, uint64_t seed)
{
	struct stat st;
	/* Only the last part of the path counts: it is one recording, however it is reached. */
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	if (fstatat(dir, name, &st, 0) != 0)
		return 0;
	uint64_t what[] = { seed, mer_hash(last, strlen(last)), (uint64_t)st.st_dev,
		(uint64_t)st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
		(uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_ctim.tv_sec,
		(uint64_t)st.st_ctim.tv_nsec };
	return mer_hash(what, sizeof(what));
}

void copied_add_file(const char *path, uint64_t key[2])
{
	for (uint64_t i = 0; i < 2; i++)
		key[i] += copied_hash(AT_FDCWD, path, i);
}

/* ---- the process that reads ---- */

static void become_worker(void)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGINT,
		SIGTERM, SIGHUP, SIGPIPE };
	sigset_t none;
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		signal(own[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Output of libraries is discarded. */
	for (int fd = 0; nowhere >= 0 && fd < 3; fd++)
		dup2(nowhere, fd);
}

int copied_run(void (*work)(void *), void *of, int *status, struct mer_err *err)
{
	*status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		become_worker();
		work(of);
		_exit(0);
	}
	if (pid < 0)
		return mer_fail(err, MER_ERR_SYS, "no process can be started: %s", strerror(errno));
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

bool copied_ended_from_outside(int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGKILL;
}

/* In memory shared by both processes. */
struct job {
	const char *path, *folder;
	uint64_t id;
	copied_read_fn *read;
	bool is_done;
	int code;
	struct mer_err err;
};

static void do_job(void *of)
{
	struct job *j = of;
	j->code = j->read(j->path, j->folder, j->id, &j->err);
	j->is_done = true;
}

/* The error names the file. */
static int read_apart(const char *path, const char *folder, uint64_t id, copied_read_fn *read,
	struct mer_err *err)
{
	int status;
	struct job *j =
		mmap(NULL, sizeof(*j), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (j == MAP_FAILED)
		return mer_fail_nomem(err);
	*j = (struct job){ .path = path, .folder = folder, .id = id, .read = read };
	int rc = copied_run(do_job, j, &status, err);
	if (rc == 0 && !j->is_done)
		rc = copied_ended_from_outside(status)
			     ? mer_fail(err, MER_ERR_CANCELLED, "cancelled")
			     : mer_fail(err, MER_ERR_INPUT,
				       "%s: it cannot be read: the process that read it ended (signal %d)",
				       path, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	else if (rc == 0 && j->code)
		rc = mer_fail(err, j->code, "%s: %s", path, j->err.text);
	munmap(j, sizeof(*j));
	return rc;
}

/* ---- the cache ---- */

/* A new folder beside its place in the cache; NULL: there is no cache, or it cannot be written. */
static char *folder_in_cache(const char *place, const char *cache, struct mer_arena *arena)
{
	char *folder = cache ? mer_arena_printf(arena, "%s.XXXXXX", place) : NULL;
	return folder && mer_make_folder(cache) && mkdtemp(folder) ? folder : NULL;
}

static char *temporary_folder(const char *kind, struct mer_arena *arena)
{
	static const char *const places[] = { "/var/tmp", "/tmp" };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *folder = mer_arena_printf(arena, "%s/meridian-%s-XXXXXX", places[i], kind);
		if (folder && mkdtemp(folder))
			return folder;
	}
	return NULL;
}

/* Makes the copy: in the cache if possible, otherwise in a temporary folder. */
static int make(const struct copied_kind *kind, uint64_t id, struct copied *c, const char *place,
	const char *cache, struct mer_arena *arena, struct mer_err *err)
{
	char *folder = folder_in_cache(place, cache, arena);
	c->is_temporary = !folder;
	if (!folder)
		folder = temporary_folder(kind->name, arena);
	if (!folder)
		return mer_fail(err, MER_ERR_SYS, "%s: no folder for a copy can be made: %s",
			c->source, strerror(errno));
	c->folder = folder;
	int rc = kind->copy ? kind->copy(c->source, folder, err)
			    : read_apart(c->source, folder, id, kind->read, err);
	if (rc) {
		(void)mer_remove_folder(folder);
		return rc;
	}
	if (c->is_temporary)
		return 0;
	/* If another process was faster, its copy is as good. */
	if (rename(folder, place) != 0 && (errno == EEXIST || errno == ENOTEMPTY))
		(void)mer_remove_folder(folder);
	else if (access(place, F_OK) != 0)
		return mer_fail_errno(err, "make the folder", place);
	c->folder = place;
	return 0;
}

int copied_open(const struct copied_kind *kind, const char *source, const char *cache,
	struct mer_arena *arena, struct mer_diags *diags, struct copied *copied,
	struct mer_err *err)
{
	uint64_t key[2] = { 0 };
	struct mer_file f;
	int rc = mer_file_open(&f, source, err); /* a better message than that of a reader */
	if (rc)
		return rc;
	mer_file_close(&f);
	kind->key(source, key);
	uint64_t id = key[0];
	key[0] += kind->format;
	key[1] += kind->format + 1u;
	*copied = (struct copied){ .source = mer_arena_strdup(arena, source) };
	const char *place = mer_arena_printf(arena, "%s/%s-%016" PRIx64 "%016" PRIx64 ".ctf",
		cache ? cache : "", kind->name, key[0], key[1]);
	if (!copied->source || !place)
		return mer_fail_nomem(err);
	copied->folder = place;
	if (cache && copied_notes_tell(place, source, diags)) {
		/* Marks it as used just now. */
		utimensat(AT_FDCWD, place, NULL, 0);
		return 0;
	}
	rc = make(kind, id, copied, place, cache, arena, err);
	if (rc == 0)
		(void)copied_notes_tell(copied->folder, source, diags);
	return rc;
}
