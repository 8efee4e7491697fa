#include "part/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum {
	BLOCK = 512,
	NAME_BYTES = 100,
	MOST_NAMES = 16,
	PATH_BYTES = 4300,
	BUFFER = 1 << 16,
	MOST_BLOCKS_BEHIND = 64 /* tar fills its last record */
};
/* Of what is unpacked: no part of a recording of months is as large. */
#define MOST_BYTES (UINT64_C(16) << 30)

/* POSIX.1-1988 (ustar) header. */
struct header {
	char name[NAME_BYTES], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

/* The checksum is the sum of all bytes, with blanks in its own place. */
static unsigned checksum_of(const struct header *h)
{
	struct header x = *h;
	unsigned sum = 0;
	memset(x.checksum, ' ', sizeof(x.checksum));
	for (size_t i = 0; i < sizeof(x); i++)
		sum += ((const uint8_t *)&x)[i];
	return sum;
}

/* ---- writing ---- */

struct part_archive {
	gzFile file;
};

static int fail(gzFile f, const char *what, struct mer_err *err)
{
	int code = Z_OK;
	const char *text = gzerror(f, &code);
	return code == Z_MEM_ERROR ? mer_fail_nomem(err)
	       : code == Z_ERRNO
		       ? mer_fail(err, MER_ERR_SYS, "cannot %s: %s", what, strerror(errno))
		       : mer_fail(err, MER_ERR_SYS, "cannot %s: %s", what, text);
}

static int put(struct part_archive *a, const void *bytes, size_t n, struct mer_err *err)
{
	const char *at = bytes;
	while (n > 0) {
		unsigned some = n < BUFFER ? (unsigned)n : BUFFER;
		if (gzwrite(a->file, at, some) != (int)some)
			return fail(a->file, "write the part", err);
		at += some;
		n -= some;
	}
	return 0;
}

int part_archive_new(int fd, struct part_archive **archive, struct mer_err *err)
{
	char form[16];
	struct part_archive *a = calloc(1, sizeof(*a));
	int own = dup(fd); /* gzclose closes it */
	*archive = NULL;
	if (a)
		a->file = own < 0 ? NULL : gzdopen(own, "wb1");
	if (!a || !a->file) {
		if (own >= 0)
			close(own);
		free(a);
		return mer_fail_nomem(err);
	}
	int n = snprintf(form, sizeof(form), "%d\n", PART_ARCHIVE_FORM);
	int rc = part_archive_add(a, PART_ARCHIVE_NAME, form, (size_t)n, err);
	if (rc)
		part_archive_end(a, NULL);
	else
		*archive = a;
	return rc;
}

int part_archive_add(
	struct part_archive *a, const char *name, const void *bytes, size_t n, struct mer_err *err)
{
	static const char zeroes[BLOCK];
	struct header h = { .mode = "0000644",
		.uid = "0000000",
		.gid = "0000000",
		.mtime = "00000000000",
		.type = '0',
		.magic = "ustar",
		.version = { '0', '0' } };
	snprintf(h.name, sizeof(h.name), "%s", name);
	if (n >> 33) /* eleven octal digits */
		return mer_fail(err, MER_ERR_LIMIT, "the part is too large; keep fewer messages");
	snprintf(h.size, sizeof(h.size), "%011zo", n);
	snprintf(h.checksum, sizeof(h.checksum), "%06o", checksum_of(&h) & 0777777);
	int rc = put(a, &h, sizeof(h), err);
	if (rc == 0)
		rc = put(a, bytes, n, err);
	return rc ? rc : put(a, zeroes, (BLOCK - n % BLOCK) % BLOCK, err);
}

int part_archive_end(struct part_archive *a, struct mer_err *err)
{
	static const char zeroes[2 * BLOCK];
	if (!a)
		return 0;
	int rc = err ? put(a, zeroes, sizeof(zeroes), err) : 0;
	int closed = gzclose(a->file);
	free(a);
	if (rc == 0 && err && closed != Z_OK)
		rc = mer_fail(err, MER_ERR_SYS, "cannot write the part: %s",
			closed == Z_ERRNO ? strerror(errno) : "it could not be compressed");
	return rc;
}

/* ---- reading ---- */

static bool octal(const char *text, size_t n, uint64_t *v)
{
	size_t i = 0;
	*v = 0;
	for (; i < n && text[i] >= '0' && text[i] <= '7'; i++)
		*v = *v << 3 | (uint64_t)(text[i] - '0');
	return i > 0 && (i == n || text[i] == '\0' || text[i] == ' ');
}

static bool is_header(const struct header *h)
{
	uint64_t sum;
	return octal(h->checksum, sizeof(h->checksum), &sum) && sum == checksum_of(h) &&
	       memcmp(h->magic, "ustar", sizeof("ustar") - 1) == 0;
}

bool part_archive_is(const char *path)
{
	uint8_t head[2];
	struct header h;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	/* Before zlib looks at it: it reads anything. */
	bool is = pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) && head[0] == 0x1f &&
		  head[1] == 0x8b;
	gzFile f = is ? gzdopen(fd, "rb") : NULL;
	is = f && gzread(f, &h, sizeof(h)) == (int)sizeof(h) && is_header(&h) &&
	     strcmp(h.name, PART_ARCHIVE_NAME) == 0;
	if (f)
		gzclose(f);
	else
		close(fd);
	return is;
}

int part_archive_damaged(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT,
		"the part is damaged, or was not copied completely; copy it again, or make it again with 'meridian part'");
}

/* Passes n bytes on to the descriptor, -1: to nobody. */
static int pass(gzFile f, uint64_t n, int fd, const char *path, struct mer_err *err)
{
	static _Thread_local char buffer[BUFFER];
	while (n > 0) {
		unsigned some = n < BUFFER ? (unsigned)n : BUFFER;
		if (gzread(f, buffer, some) != (int)some)
			return part_archive_damaged(err);
		if (fd >= 0 && !mer_write_all(fd, buffer, some))
			return mer_fail_errno(err, "write", path);
		n -= some;
	}
	return 0;
}

static int unpack_one(
	gzFile f, const char *folder, const char *name, uint64_t n, struct mer_err *err)
{
	char path[PATH_BYTES];
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return mer_fail(err, MER_ERR_LIMIT, "the path of its copy is too long");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == EEXIST ? part_archive_damaged(err)
				       : mer_fail_errno(err, "make", path);
	int rc = pass(f, n, fd, path, err);
	if (close(fd) && rc == 0)
		rc = mer_fail_errno(err, "write", path);
	return rc;
}

static int check_form(gzFile f, uint64_t n, struct mer_err *err)
{
	char text[16] = "";
	if (n >= sizeof(text) || gzread(f, text, (unsigned)n) != (int)n)
		return part_archive_damaged(err);
	if (atoi(text) != PART_ARCHIVE_FORM)
		return mer_fail(err, MER_ERR_INPUT,
			"the part is of another version of meridian (form %d; this one reads form %d): use the same version on all hosts",
			atoi(text), PART_ARCHIVE_FORM);
	return 0;
}

/* The next entry; *is_end: there is none. */
static int next(gzFile f, struct header *h, uint64_t *n, bool *is_end, struct mer_err *err)
{
	static const struct header none;
	*is_end = false;
	if (gzread(f, h, sizeof(*h)) != (int)sizeof(*h))
		return part_archive_damaged(err);
	*is_end = memcmp(h, &none, sizeof(none)) == 0;
	if (*is_end)
		return 0;
	if (!is_header(h) || !octal(h->size, sizeof(h->size), n) ||
		!memchr(h->name, '\0', sizeof(h->name)))
		return part_archive_damaged(err);
	return 0;
}

static bool is_number(const char *text, size_t n)
{
	enum { MOST_DIGITS = 4 };
	return n > 0 && n <= MOST_DIGITS && strspn(text, "0123456789") >= n;
}

/* "3/metadata", "3/17"; its folder is made. */
static bool is_of_trace(const char *folder, const char *name)
{
	char path[PATH_BYTES];
	const char *slash = strchr(name, '/');
	if (!slash || !is_number(name, (size_t)(slash - name)) ||
		(strcmp(slash + 1, "metadata") != 0 && !is_number(slash + 1, strlen(slash + 1))))
		return false;
	int n = snprintf(path, sizeof(path), "%s/%.*s", folder, (int)(slash - name), name);
	return n > 0 && (size_t)n < sizeof(path) && mer_make_folder(path);
}

static int unpack_all(
	gzFile f, const char *folder, const char *const *names, bool *found, struct mer_err *err)
{
	uint64_t bytes = 0;
	for (bool is_first = true;; is_first = false) {
		struct header h;
		uint64_t n = 0;
		bool is_end;
		size_t i = 0;
		int rc = next(f, &h, &n, &is_end, err);
		if (rc || is_end)
			return rc;
		bytes += n + sizeof(h);
		if (bytes > MOST_BYTES)
			return mer_fail(
				err, MER_ERR_LIMIT, "the part is larger than any part can be");
		if (is_first) {
			rc = strcmp(h.name, PART_ARCHIVE_NAME) == 0 ? check_form(f, n, err)
								    : part_archive_damaged(err);
		} else {
			while (names[i] && strcmp(names[i], h.name) != 0)
				i++;
			rc = names[i] || is_of_trace(folder, h.name)
				     ? unpack_one(f, folder, h.name, n, err)
				     : pass(f, n, -1, "", err);
			found[i] = true;
		}
		if (rc == 0)
			rc = pass(f, (BLOCK - n % BLOCK) % BLOCK, -1, "", err);
		if (rc)
			return rc;
	}
}

int part_archive_unpack(const char *path, const char *folder, const char *const *names,
	size_t n_needed, struct mer_err *err)
{
	bool found[MOST_NAMES + 1] = { false };
	gzFile f = gzopen(path, "rbe");
	if (!f)
		return mer_fail_errno(err, "open", path);
	int rc = unpack_all(f, folder, names, found, err);
	/* The checksum of all of it lies at its end. */
	char more[BLOCK];
	int n = 1;
	for (unsigned i = 0; rc == 0 && n > 0 && i < MOST_BLOCKS_BEHIND; i++)
		n = gzread(f, more, sizeof(more));
	if (rc == 0 && n != 0)
		rc = part_archive_damaged(err);
	if (gzclose(f) != Z_OK && rc == 0)
		rc = part_archive_damaged(err);
	for (size_t i = 0; rc == 0 && i < n_needed; i++)
		if (!found[i])
			rc = part_archive_damaged(err);
	return rc;
}
