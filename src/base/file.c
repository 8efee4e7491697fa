#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t nothing[1];

int mer_file_open(struct mer_file *f, const char *path, struct mer_err *err)
{
	struct stat st;
	int rc = 0;

	*f = (struct mer_file){ 0 };
	/* Without O_NONBLOCK, opening a FIFO waits for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return mer_fail_errno(err, "open", path);
	if (fstat(fd, &st) != 0) {
		rc = mer_fail_errno(err, "examine", path);
	} else if (!S_ISREG(st.st_mode)) {
		rc = mer_fail(err, MER_ERR_INPUT, "%s: not a regular file", path);
	} else if ((uint64_t)st.st_size > SIZE_MAX / 2) {
		rc = mer_fail(err, MER_ERR_LIMIT, "%s: too large to map", path);
	} else if (st.st_size == 0) {
		f->data = nothing;
	} else {
		size_t size = (size_t)st.st_size;
		void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED) {
			rc = mer_fail_errno(err, "map", path);
		} else {
			f->data = p;
			f->size = size;
		}
	}
	close(fd);
	return rc;
}

void mer_file_close(struct mer_file *f)
{
	if (f->size)
		munmap((void *)(uintptr_t)f->data, f->size);
	*f = (struct mer_file){ 0 };
}

void mer_file_release(const void *bytes, size_t n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)bytes;
	uintptr_t end = (first + n) / page * page; /* pages with other bytes stay */
	first = (first + page - 1) / page * page;
	int saved = errno;
	if (first < end)
		madvise((void *)first, end - first, MADV_DONTNEED);
	errno = saved; /* a hint that fails is no failure */
}

static bool make_one(const char *path, unsigned mode)
{
	struct stat st;
	if (mkdir(path, mode) == 0)
		return true;
	/* For an existing folder, mkdir may fail otherwise than with EEXIST if we may not write to
	 * the folder that contains it. */
	int why = errno;
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode))
		return true;
	errno = exists ? ENOTDIR : why;
	return false;
}

bool mer_make_folders_of(char *path, unsigned mode)
{
	for (char *slash = strchr(path + (path[0] == '/'), '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!make_one(path, mode))
			return false;
		*slash = '/';
	}
	return true;
}

bool mer_make_folder(const char *path)
{
	char above[4096];
	int n = snprintf(above, sizeof(above), "%s", path);
	if ((size_t)n >= sizeof(above)) {
		errno = ENAMETOOLONG;
		return false;
	}
	return mer_make_folders_of(above, 0700) && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

bool mer_remove_folder(const char *path)
{
	enum { OPEN_FOLDERS = 8 };
	return nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0;
}

bool mer_write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			errno = done == 0 ? ENOSPC : errno;
			return false;
		}
		p += done;
		n -= (size_t)done;
	}
	return true;
}

bool mer_file_replace(const char *path, const struct mer_bytes *parts, size_t n_parts)
{
	char name[4096];
	int n = snprintf(name, sizeof(name), "%s.XXXXXX", path);
	if ((size_t)n >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return false;
	}
	int fd = mkstemp(name);
	if (fd < 0)
		return false;
	bool ok = true;
	for (size_t i = 0; i < n_parts && ok; i++)
		ok = mer_write_all(fd, parts[i].bytes, parts[i].n);
	ok = close(fd) == 0 && ok;
	ok = ok && rename(name, path) == 0;
	if (!ok) {
		int why = errno;
		unlink(name);
		errno = why;
	}
	return ok;
}
