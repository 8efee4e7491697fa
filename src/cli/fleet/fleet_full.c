/* Full parts of a fleet: a host has to know of all messages, so the parts of all hosts are sent to
 * each of them, in one file. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/fleet/fleet.h"
#include "part/archive.h"

enum { NAME_BYTES = 40 };

static int add(struct part_archive *a, const char *name, const char *path, struct mer_err *err)
{
	struct mer_file file;
	int rc = path ? mer_file_open(&file, path, err) : mer_fail_nomem(err);
	if (rc)
		return rc;
	rc = part_archive_add(a, name, file.data, file.size, err);
	mer_file_close(&file);
	return rc;
}

int fleet_bundle(struct fleet *f, const char *sync, const char *path)
{
	struct part_archive *a;
	struct mer_err *err = &f->ask->err;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return mer_fail_errno(err, "write", path);
	int rc = part_archive_new(fd, &a, err);
	close(fd);
	if (rc)
		return rc;
	rc = add(a, "all.sync", sync, err);
	for (size_t i = 0; rc == 0 && i < f->n_hosts; i++) {
		char name[NAME_BYTES];
		snprintf(name, sizeof(name), "p%zu.part", i);
		if (f->hosts[i].has_part)
			rc = add(a, name, fleet_file(f, &f->hosts[i], FLEET_PART), err);
	}
	int ended = part_archive_end(a, rc ? NULL : err);
	return rc ? rc : ended;
}
