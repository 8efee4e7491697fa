#include "record/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "record/fetch.h"

enum {
	BLOCK = 512,
	NAME = 100,
	SIZE_AT = 124,
	SIZE = 12,
	TYPE_AT = 156,
	PREFIX_AT = 345,
	PREFIX = 155
};

/* Octal digits, with blanks or a NUL behind them; UINT64_MAX: none. */
static uint64_t octal(const uint8_t *text, size_t n)
{
	uint64_t v = 0;
	bool any = false;
	for (size_t i = 0; i < n && text[i] >= '0' && text[i] <= '7'; i++) {
		v = v << 3 | (uint64_t)(text[i] - '0');
		any = true;
	}
	return any ? v : UINT64_MAX;
}

/* "PREFIX/NAME" without "./" before it and "/" behind it. */
static bool name_of(const uint8_t *head, char name[NAME + PREFIX + 2])
{
	size_t n = strnlen((const char *)head, NAME);
	size_t before = memcmp(head + 257, "ustar", 6) == 0
				? strnlen((const char *)head + PREFIX_AT, PREFIX)
				: 0;
	int len = snprintf(name, NAME + PREFIX + 2, "%.*s%s%.*s", (int)before,
		(const char *)head + PREFIX_AT, before ? "/" : "", (int)n, (const char *)head);
	size_t skip = strncmp(name, "./", 2) == 0 ? 2 : 0;
	memmove(name, name + skip, (size_t)len - skip + 1);
	for (len -= (int)skip; len > 0 && name[len - 1] == '/'; len--)
		name[len - 1] = '\0';
	return record_is_path(name);
}

/* Folders above a file. */
static bool make_folders(int dir, char *name)
{
	for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		bool made = mkdirat(dir, name, 0777) == 0 || errno == EEXIST;
		*slash = '/';
		if (!made)
			return false;
	}
	return true;
}

static bool write_file(int dir, char *name, const uint8_t *data, uint64_t n)
{
	/* One that an interrupted fetch left is made again. */
	if (!make_folders(dir, name) || (unlinkat(dir, name, 0) != 0 && errno != ENOENT))
		return false;
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return false;
	bool ok = true;
	for (uint64_t done = 0; ok && done < n;) {
		ssize_t k = write(fd, data + done, n - done);
		ok = k > 0 || (k < 0 && errno == EINTR);
		done += k > 0 ? (uint64_t)k : 0;
	}
	return close(fd) == 0 && ok;
}

int record_unpack(const char *archive, const char *folder, struct mer_err *err)
{
	struct mer_file f;
	int rc = mer_file_open(&f, archive, err);
	if (rc)
		return rc;
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		rc = mer_fail_errno(err, "make", folder);
	int dir = rc ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (rc == 0 && dir < 0)
		rc = mer_fail_errno(err, "open", folder);
	uint64_t at = 0, n_files = 0;
	while (rc == 0 && f.size - at >= BLOCK) {
		const uint8_t *head = f.data + at;
		char name[NAME + PREFIX + 2];
		uint64_t size = octal(head + SIZE_AT, SIZE), left = f.size - at - BLOCK;
		if (!head[0] || size > left)
			break; /* the end, or cut */
		bool is_plain = head[TYPE_AT] == '0' || !head[TYPE_AT];
		if (is_plain && name_of(head, name)) {
			if (n_files++ == RECORD_MOST_FILES)
				rc = mer_fail(err, MER_ERR_LIMIT, "%s: more than %d files", archive,
					RECORD_MOST_FILES);
			else if (!write_file(dir, name, head + BLOCK, size))
				rc = mer_fail_errno(err, "unpack", archive);
		}
		uint64_t whole = (size + BLOCK - 1) / BLOCK * BLOCK;
		at += BLOCK + (whole > left ? left : whole);
	}
	if (dir >= 0)
		close(dir);
	mer_file_close(&f);
	return rc;
}
