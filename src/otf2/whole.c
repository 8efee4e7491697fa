#include "otf2/whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { ZEROS = 2 * (16 << 20) }; /* two of the largest chunks */

static bool is_cut(const char *path)
{
	struct mer_file f;
	struct mer_err ignored;
	if (mer_file_open(&f, path, &ignored))
		return false; /* missing file: libotf2 reports it itself */
	/* Every complete file ends with these marks of the end of a file and of a chunk. */
	bool is_whole = f.size > 1 && f.data[f.size - 2] == 2 && f.data[f.size - 1] == 1;
	mer_file_close(&f);
	return !is_whole;
}

static int fail(const char *path, struct mer_err *err)
{
	return mer_fail_errno(err, "copy the archive's files to", path);
}

static int pad(const char *from, const char *to, struct mer_err *err)
{
	struct mer_file f;
	int rc = mer_file_open(&f, from, err);
	if (rc)
		return rc;
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && mer_write_all(fd, f.data, f.size) &&
		  ftruncate(fd, (off_t)f.size + ZEROS) == 0;
	rc = ok ? 0 : fail(to, err);
	if (fd >= 0)
		close(fd);
	mer_file_close(&f);
	return rc;
}

/* Adds FROM/name as TO/name. */
static int add(const char *from, const char *to, const char *name, struct mer_err *err)
{
	char a[PATH_MAX], b[PATH_MAX];
	int n = snprintf(a, sizeof(a), "%s/%s", from, name);
	int m = snprintf(b, sizeof(b), "%s/%s", to, name);
	if ((size_t)n >= sizeof(a) || (size_t)m >= sizeof(b)) {
		errno = ENAMETOOLONG;
		return fail(to, err);
	}
	if (!is_cut(a) || strstr(name, ".otf2"))
		return symlink(a, b) == 0 ? 0 : fail(b, err);
	return pad(a, b, err);
}

/* Calls `add` or is_cut for each file of a folder, until a call does not return 0. */
static int each(const char *from, const char *to, struct mer_err *err)
{
	DIR *d = opendir(from);
	int found = 0;
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof(path), "%s/%s", from, e->d_name);
		if (e->d_name[0] == '.' || (size_t)n >= sizeof(path))
			continue;
		found = to ? add(from, to, e->d_name, err) : is_cut(path);
	}
	if (d)
		closedir(d);
	return found;
}

int otf2ctf_whole(const char *anchor, const char *folder, char *to, struct mer_err *err)
{
	char real[PATH_MAX], below[PATH_MAX], own[PATH_MAX], file[PATH_MAX], name[NAME_MAX + 8];
	if (!realpath(anchor, real))
		return mer_fail_errno(err, "find", anchor);
	memcpy(to, real, strlen(real) + 1);
	char *slash = strrchr(real, '/');
	snprintf(name, sizeof(name), "%.*s", NAME_MAX, slash + 1);
	*slash = '\0';
	size_t stem = strlen(name) - 5; /* without .otf2 */
	int n = snprintf(below, sizeof(below), "%s/%.*s", real, (int)stem, name);
	int m = snprintf(file, sizeof(file), "%s/%.*s.def", real, (int)stem, name);
	int k = snprintf(own, sizeof(own), "%s/whole", folder);
	if ((size_t)n >= sizeof(below) || (size_t)m >= sizeof(file) || (size_t)k >= sizeof(own))
		return 0;
	if (!is_cut(file) && !each(below, NULL, err))
		return 0;
	n = snprintf(to, PATH_MAX, "%s/%s", own, name);
	if ((size_t)n >= PATH_MAX || mkdir(own, 0700) != 0)
		return fail(own, err);
	int rc = add(real, own, name, err);
	name[stem] = '\0';
	n = snprintf(file, sizeof(file), "%s/%s", own, name);
	if (rc == 0 && ((size_t)n >= sizeof(file) || mkdir(file, 0700) != 0))
		rc = fail(own, err);
	if (rc == 0)
		rc = each(below, file, err);
	memcpy(name + stem, ".def", 5);
	return rc ? rc : add(real, own, name, err);
}

void otf2ctf_whole_hide(const char *folder, char *text)
{
	char own[PATH_MAX];
	int n = snprintf(own, sizeof(own), "%s/whole/", folder);
	char *at = (size_t)n < sizeof(own) ? strstr(text, own) : NULL;
	if (at)
		memmove(at, at + n, strlen(at + n) + 1);
}

void otf2ctf_whole_end(const char *folder)
{
	char own[PATH_MAX];
	int n = snprintf(own, sizeof(own), "%s/whole", folder);
	if (n > 0 && (size_t)n < sizeof(own))
		(void)mer_remove_folder(own);
}
