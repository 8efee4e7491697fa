#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t nothing[1];

int mer_file_open(struct mer_file *f, const char *path, struct mer_err *err)
{
	return mer_file_open_at(f, AT_FDCWD, path, err);
}

int mer_file_open_at(struct mer_file *f, int dir_fd, const char *path, struct mer_err *err)
{
	struct stat st;
	int rc = 0;

	*f = (struct mer_file){ 0 };
	/* Without O_NONBLOCK, opening a FIFO waits for its writer. */
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
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

static void advise(const struct mer_file *f, size_t offset, size_t bytes, int advice, bool outward)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (offset >= f->size)
		return;
	if (bytes > f->size - offset)
		bytes = f->size - offset;
	size_t first = offset, end = offset + bytes;
	if (outward) {
		first -= first % page;
	} else {
		/* Pages that are shared with bytes outside of the range stay. */
		first = (first + page - 1) / page * page;
		end = end == f->size ? end : end - end % page;
	}
	if (first >= end)
		return;
	int saved = errno;
	madvise((void *)(uintptr_t)(f->data + first), end - first, advice);
	errno = saved; /* a hint that fails is no failure */
}

void mer_file_sequential(const struct mer_file *f)
{
	advise(f, 0, f->size, MADV_SEQUENTIAL, true);
}

void mer_file_prefetch(const struct mer_file *f, size_t offset, size_t bytes)
{
	advise(f, offset, bytes, MADV_WILLNEED, true);
}

void mer_file_release(const struct mer_file *f, size_t offset, size_t bytes)
{
	advise(f, offset, bytes, MADV_DONTNEED, false);
}
