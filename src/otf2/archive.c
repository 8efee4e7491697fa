#include "otf2/archive.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "otf2/read.h"

enum {
	COPY_FORMAT = 3, /* copies with another number are made again */
	ATTEMPTS = 16	 /* each attempt shortens one more location */
};

bool otf2ctf_is_anchor(const char *path)
{
	size_t len = strlen(path);
	return len > 5 && strcmp(path + len - 5, ".otf2") == 0 && path[len - 6] != '/';
}

/* Adds NAME.otf2, NAME.def and the files in NAME/ to the key. */
static void add_key(const char *anchor, uint64_t key[2])
{
	char stem[4096], file[4104];
	int n = snprintf(stem, sizeof(stem), "%s", anchor);
	stem[n > 5 && (size_t)n < sizeof(stem) ? n - 5 : 0] = '\0';
	snprintf(file, sizeof(file), "%s.def", stem);
	for (uint64_t i = 0; i < 2; i++)
		key[i] += copied_hash(AT_FDCWD, anchor, i) + copied_hash(AT_FDCWD, file, i);
	DIR *d = opendir(stem);
	for (struct dirent *e; d && (e = readdir(d));)
		for (uint64_t i = 0; e->d_name[0] != '.' && i < 2; i++)
			key[i] += copied_hash(dirfd(d), e->d_name, i);
	if (d)
		closedir(d);
}

#ifndef MER_HAS_OTF2

static int copy(const char *anchor, const char *folder, struct mer_err *err)
{
	(void)folder;
	return mer_fail(err, MER_ERR_INPUT,
		"%s: this is an OTF2 archive, and this meridian was built without libotf2, which reads them; install it (Debian: libotf2-trace-dev) and build meridian again",
		anchor);
}

#else

struct attempt {
	const char *anchor, *folder;
	struct otf2ctf_progress *progress;
	const struct otf2ctf_limit *limits;
	size_t n_limits;
};

static void work(void *of)
{
	const struct attempt *a = of;
	struct otf2ctf_progress *p = a->progress;
	p->code = otf2ctf_read(a->anchor, a->folder, p, a->limits, a->n_limits, &p->err);
	p->is_done = true;
}

/* Reads in a child process. False: it failed, at *p. */
static bool run(const char *anchor, const char *folder, struct otf2ctf_progress *p,
	const struct otf2ctf_limit *limits, size_t n_limits, int *status)
{
	struct attempt a = { anchor, folder, p, limits, n_limits };
	struct mer_err err;
	*p = (struct otf2ctf_progress){ 0 };
	int rc = copied_run(work, &a, status, &err);
	if (rc) {
		p->code = rc;
		p->err = err;
	}
	return rc || p->is_done;
}

/* Limits the location at which the attempt failed to what was read of it. False: it failed
 * elsewhere. */
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
		events = 0; /* the damage is not after these events */
	limits[i] = (struct otf2ctf_limit){ p->place - 1, events, p->location, hung };
	*n += !again;
	return true;
}

/* Copies into folder, which exists and is empty. */
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
		if (copied_ended_from_outside(status))
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

#endif

const struct copied_kind otf2ctf_archive = { .name = "otf2",
	.format = COPY_FORMAT,
	.is_beside_traces = true,
	.key = add_key,
	.copy = copy };
