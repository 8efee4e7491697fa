#include "part/file.h"

#include <stdio.h>

#include "base/file.h"
#include "part/archive.h"

enum { COPY_FORMAT = 1, N_NEEDED = 3 };

bool part_is_file(const char *path)
{
	return part_archive_is(path);
}

static int unpack(const char *path, const char *folder, uint64_t id, struct mer_err *err)
{
	static const char *const names[] = { PART_METADATA, PART_STREAM, PART_NOTES, PART_MANIFEST,
		NULL };
	char below[4200];
	(void)id; /* its trace has the identity of the recording */
	if ((size_t)snprintf(below, sizeof(below), "%s/" PART_FOLDER, folder) >= sizeof(below))
		return mer_fail(err, MER_ERR_LIMIT, "the path of its copy is too long");
	if (!mer_make_folder(below))
		return mer_fail_errno(err, "make the folder", below);
	return part_archive_unpack(path, folder, names, N_NEEDED, err);
}

const struct copied_kind part_file = { .name = "part",
	.format = COPY_FORMAT,
	.is_beside_traces = true, /* of other hosts: experiment.c looks whose they are */
	.is_lesser = true,
	.key = copied_add_file,
	.read = unpack };
