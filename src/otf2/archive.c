#include "otf2/archive.h"

#include <dirent.h>
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
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "otf2/notes.h"
#include "otf2/read.h"

enum {
	COPY_FORMAT = 2, /* copies of another one are made again */
	ATTEMPTS = 16	 /* each ends one location earlier than it goes on */
};

bool otf2ctf_is_anchor(const char *path)
{
	size_t len = strlen(path);
	return len > 5 && strcmp(path + len - 5, ".otf2") == 0 && path[len - 6] != '/';
}

void otf2ctf_archive_close(const struct otf2ctf_archive *archive)
{
	if (archive->is_temporary)
		(void)mer_remove_folder(archive->folder);
}

#ifndef MER_HAS_OTF2

int otf2ctf_archive_open(const char *anchor, const char *cache, struct mer_arena *arena,
	struct mer_diags *diags, struct otf2ctf_archive *archive, struct mer_err *err)
{
	(void)cache;
	(void)arena;
	(void)diags;
	(void)archive;
	return mer_fail(err, MER_ERR_INPUT,
		"%s: this is an OTF2 archive, and this meridian was built without libotf2, which reads them; install it (Debian: libotf2-trace-dev) and build meridian again",
		anchor);
}

#else

/* ---- what it is ---- */

/* Of a file; the sum of these does not depend on the order in which a folder lists them. */
static uint64_t hash_of(int dir, const char *name, uint64_t seed)
{
	struct stat st;
	if (fstatat(dir, name, &st, 0) != 0)
		return 0;
	uint64_t what[] = { seed, mer_hash(name, strlen(name)), (uint64_t)st.st_dev,
		(uint64_t)st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
		(uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_ctim.tv_sec,
		(uint64_t)st.st_ctim.tv_nsec };
	return mer_hash(what, sizeof(what));
}

/* NAME.otf2, NAME.def and what is in NAME/. */
static void key_of(const char *anchor, uint64_t key[2])
{
	char stem[4096], file[4104];
	int n = snprintf(stem, sizeof(stem), "%s", anchor);
	stem[n > 5 && (size_t)n < sizeof(stem) ? n - 5 : 0] = '\0';
	snprintf(file, sizeof(file), "%s.def", stem);
	for (uint64_t i = 0; i < 2; i++)
		key[i] =
			i + COPY_FORMAT + hash_of(AT_FDCWD, anchor, i) + hash_of(AT_FDCWD, file, i);
	DIR *d = opendir(stem);
	for (struct dirent *e; d && (e = readdir(d));)
		for (uint64_t i = 0; e->d_name[0] != '.' && i < 2; i++)
			key[i] += hash_of(dirfd(d), e->d_name, i);
	if (d)
		closedir(d);
}

/* ---- the process that reads ---- */

static void work(const char *anchor, const char *folder, struct otf2ctf_progress *p,
	const struct otf2ctf_limit *limits, size_t n_limits)
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
	/* What libotf2 prints is nothing for people. */
	for (int fd = 0; nowhere >= 0 && fd < 3; fd++)
		dup2(nowhere, fd);
	p->code = otf2ctf_read(anchor, folder, p, limits, n_limits, &p->err);
	p->is_done = true;
	_exit(0);
}

/* False: it ended too early, at *p. */
static bool run(const char *anchor, const char *folder, struct otf2ctf_progress *p,
	const struct otf2ctf_limit *limits, size_t n_limits, int *status)
{
	*p = (struct otf2ctf_progress){ 0 };
	*status = 0;
	pid_t pid = fork();
	if (pid == 0)
		work(anchor, folder, p, limits, n_limits);
	if (pid < 0) {
		p->code = mer_fail_errno(&p->err, "start a process to read", anchor);
		return true;
	}
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return p->is_done;
}

/* Somebody wants all of us to end. */
static bool is_ended_from_outside(int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGKILL;
}

/* The location at which it ended is read up to there. False: it was none. */
static bool add_limit(
	struct otf2ctf_limit *limits, size_t *n, const struct otf2ctf_progress *p, bool hung)
{
	if (p->place == 0)
		return false;
	size_t i = 0;
	while (i < *n && limits[i].place != p->place - 1)
		i++;
	if (i == *n && i == ATTEMPTS)
		return false;
	bool again = i < *n;
	uint64_t events = p->events;
	if (again && events >= limits[i].events)
		events = 0; /* it is not what comes after them */
	limits[i] = (struct otf2ctf_limit){ p->place - 1, events, p->location, hung };
	*n += !again;
	return true;
}

/* Into folder, which is there and empty. */
static int copy(const char *anchor, const char *folder, struct mer_err *err)
{
	struct otf2ctf_limit limits[ATTEMPTS];
	size_t n = 0;
	struct otf2ctf_progress *p =
		mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return mer_fail_nomem(err);
	int rc = 0, status;
	for (unsigned i = 0; !run(anchor, folder, p, limits, n, &status); i++) {
		bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
		if (is_ended_from_outside(status))
			rc = mer_fail(err, MER_ERR_CANCELLED, "cancelled");
		else if (i == 2 * ATTEMPTS || !add_limit(limits, &n, p, hung))
			rc = mer_fail(err, MER_ERR_INPUT,
				"%s: the archive is damaged: libotf2 %s when it read %s", anchor,
				hung ? "hung" : "crashed",
				p->place ? "one location after the other" : "its definitions");
		else if (!mer_remove_folder(folder) || mkdir(folder, 0700) != 0)
			rc = mer_fail_errno(err, "make the folder", folder);
		if (rc)
			break;
	}
	if (rc == 0 && p->code)
		rc = mer_fail(err, p->code, "%s: the OTF2 archive cannot be read: %s", anchor,
			p->err.text);
	munmap(p, sizeof(*p));
	return rc;
}

/* ---- the cache ---- */

/* A new folder beside its place in the cache; NULL: there is no cache, or it cannot be written. */
static char *folder_in_cache(const char *place, const char *cache, struct mer_arena *arena)
{
	char *folder = cache ? mer_arena_printf(arena, "%s.XXXXXX", place) : NULL;
	return folder && mer_make_folder(cache) && mkdtemp(folder) ? folder : NULL;
}

static char *temporary_folder(struct mer_arena *arena)
{
	static const char *const places[] = { "/var/tmp", "/tmp" };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *folder = mer_arena_printf(arena, "%s/meridian-otf2-XXXXXX", places[i]);
		if (folder && mkdtemp(folder))
			return folder;
	}
	return NULL;
}

/* Makes it; in the cache if that can be. */
static int make(struct otf2ctf_archive *a, const char *place, const char *cache,
	struct mer_arena *arena, struct mer_err *err)
{
	char *folder = folder_in_cache(place, cache, arena);
	a->is_temporary = !folder;
	if (!folder)
		folder = temporary_folder(arena);
	if (!folder)
		return mer_fail(err, MER_ERR_SYS,
			"%s: no folder for a copy of the archive can be made: %s", a->anchor,
			strerror(errno));
	a->folder = folder;
	int rc = copy(a->anchor, folder, err);
	if (rc) {
		(void)mer_remove_folder(folder);
		return rc;
	}
	if (a->is_temporary)
		return 0;
	/* Where another process was faster its copy is as good. */
	if (rename(folder, place) != 0 && (errno == EEXIST || errno == ENOTEMPTY))
		(void)mer_remove_folder(folder);
	else if (access(place, F_OK) != 0)
		return mer_fail_errno(err, "make the folder", place);
	a->folder = place;
	return 0;
}

int otf2ctf_archive_open(const char *anchor, const char *cache, struct mer_arena *arena,
	struct mer_diags *diags, struct otf2ctf_archive *archive, struct mer_err *err)
{
	uint64_t key[2];
	struct mer_file f;
	int rc = mer_file_open(&f, anchor, err); /* a better message than that of libotf2 */
	if (rc)
		return rc;
	mer_file_close(&f);
	key_of(anchor, key);
	*archive = (struct otf2ctf_archive){ .anchor = mer_arena_strdup(arena, anchor) };
	const char *place = mer_arena_printf(arena, "%s/otf2-%016" PRIx64 "%016" PRIx64 ".ctf",
		cache ? cache : "", key[0], key[1]);
	if (!archive->anchor || !place)
		return mer_fail_nomem(err);
	archive->folder = place;
	if (cache && otf2ctf_notes_tell(place, anchor, diags)) {
		/* It is not the one that was unused for long. */
		utimensat(AT_FDCWD, place, NULL, 0);
		return 0;
	}
	rc = make(archive, place, cache, arena, err);
	if (rc == 0)
		(void)otf2ctf_notes_tell(archive->folder, anchor, diags);
	return rc;
}

#endif
