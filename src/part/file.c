#include "part/file.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "part/archive.h"

enum { COPY_FORMAT = 2, N_NEEDED = 2 };

bool part_is_file(const char *path)
{
	return part_archive_is(path);
}

static bool find(const char *folder, const char *name, char path[PART_PATH_BYTES])
{
	int n = snprintf(path, PART_PATH_BYTES, "%s/%s", folder, name);
	return n > 0 && n < PART_PATH_BYTES && access(path, R_OK) == 0;
}

bool part_path(const struct copied *copy, const char *name, char path[PART_PATH_BYTES])
{
	return find(copy->folder, name, path);
}

bool part_is_full(const struct copied *copy)
{
	char path[PART_PATH_BYTES];
	return part_path(copy, PART_WORLD, path) && part_path(copy, PART_METADATA, path);
}

static int unpack(const char *path, const char *folder, uint64_t id, struct mer_err *err)
{
	static const char *const names[] = { PART_METADATA, PART_NOTES, PART_STREAM, PART_MANIFEST,
		PART_WORLD, PART_CLOCKS, NULL };
	char below[PART_PATH_BYTES];
	(void)id; /* its trace has the identity of the recording */
	if ((size_t)snprintf(below, sizeof(below), "%s/" PART_FOLDER, folder) >= sizeof(below))
		return mer_fail(err, MER_ERR_LIMIT, "the path of its copy is too long");
	if (!mer_make_folder(below))
		return mer_fail_errno(err, "make the folder", below);
	int rc = part_archive_unpack(path, folder, names, N_NEEDED, err);
	if (rc == 0 && !find(folder, PART_STREAM, below) && !find(folder, PART_WORLD, below))
		rc = part_archive_damaged(err);
	return rc;
}

const struct copied_kind part_file = { .name = "part",
	.format = COPY_FORMAT,
	.is_beside_traces = true, /* of other hosts: experiment.c looks whose they are */
	.is_lesser = true,
	.key = copied_add_file,
	.read = unpack };
