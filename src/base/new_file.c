#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the file that the path refers to, which may not exist yet. False: it cannot be replaced.
 * *mode: that of the existing file; 0: there is none. */
static bool find_target(const char *path, char *target, size_t size, mode_t *mode)
{
	struct stat st;
	*mode = 0;
	if (stat(path, &st) != 0) {
		/* A dangling link cannot be replaced: it is written through, as by any other
		 * program. */
		bool is_new = errno == ENOENT && lstat(path, &st) != 0 && strlen(path) < size;
		if (is_new)
			memcpy(target, path, strlen(path) + 1);
		return is_new;
	}
	char *whole = S_ISREG(st.st_mode) && access(path, W_OK) == 0 ? realpath(path, NULL) : NULL;
	bool ok = whole && strlen(whole) < size;
	if (ok)
		memcpy(target, whole, strlen(whole) + 1);
	free(whole);
	*mode = st.st_mode & 07777;
	return ok;
}

/* "FOLDER/file.XXXXXX", or the folder alone. */
static bool name_beside(struct mer_new_file *f, bool is_folder)
{
	const char *slash = strrchr(f->target, '/');
	int n = is_folder ? snprintf(f->beside, sizeof(f->beside), "%.*s/.",
				    slash ? (int)(slash - f->target) : 1, slash ? f->target : ".")
			  : snprintf(f->beside, sizeof(f->beside), "%s.XXXXXX", f->target);
	return n > 0 && (size_t)n < sizeof(f->beside);
}

static bool open_beside(struct mer_new_file *f, mode_t mode)
{
	mode_t mask = umask(0);
	umask(mask);
	mode = mode ? mode : 0666 & ~mask;
#ifdef O_TMPFILE
	/* Without a name there is nothing to clean up, however this process ends. */
	f->fd = name_beside(f, true) ? open(f->beside, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
	f->beside[0] = '\0';
	if (f->fd >= 0)
		return fchmod(f->fd, mode) == 0;
#endif
	f->fd = name_beside(f, false) ? mkostemp(f->beside, O_CLOEXEC) : -1;
	return f->fd >= 0 && fchmod(f->fd, mode) == 0;
}

bool mer_new_file_open(struct mer_new_file *f, const char *path)
{
	mode_t mode;
	*f = (struct mer_new_file){ .fd = -1 };
	if (find_target(path, f->target, sizeof(f->target), &mode)) {
		if (open_beside(f, mode))
			return true;
		mer_new_file_abandon(f);
	}
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return f->fd >= 0;
}

/* Gives a nameless file a name: linking cannot replace an existing file, renaming can. */
static bool give_name(struct mer_new_file *f)
{
	char from[64];
	if (f->beside[0])
		return true;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", f->fd);
	for (unsigned i = 0; i < 100; i++) {
		int n = snprintf(f->beside, sizeof(f->beside), "%s.%lx%02u", f->target,
			(unsigned long)getpid(), i);
		if (n <= 0 || (size_t)n >= sizeof(f->beside))
			errno = ENAMETOOLONG;
		else if (linkat(AT_FDCWD, from, AT_FDCWD, f->beside, AT_SYMLINK_FOLLOW) == 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	f->beside[0] = '\0';
	return false;
}

bool mer_new_file_commit(struct mer_new_file *f)
{
	int why = 0;
	if (f->target[0] && (!give_name(f) || rename(f->beside, f->target) != 0))
		why = errno;
	else
		f->beside[0] = '\0'; /* it has its place */
	/* Some file systems report only now that there was no space: then the file in its place is
	 * incomplete. */
	if (close(f->fd) != 0 && !why)
		why = errno;
	f->fd = -1;
	mer_new_file_abandon(f);
	errno = why;
	return !why;
}

void mer_new_file_abandon(struct mer_new_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->beside[0])
		unlink(f->beside);
	*f = (struct mer_new_file){ .fd = -1 };
}
