/*
 * disk: writes a file in blocks, so that they wait for the disk in one of four ways, then reads it
 * again after the kernel was told to forget it.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIB, BLOCK, SYNC, FILENAME };

static const struct work_setting settings[] = {
	{ .name = "kib",
		.unit = "KIB",
		.value = 4096,
		.least = 4,
		.most = 1 << 30,
		.help = "written, then read" },
	{ .name = "block",
		.unit = "KIB",
		.value = 64,
		.least = 4,
		.most = 16384,
		.help = "of one write or read" },
	{ .name = "sync",
		.unit = "HOW",
		.text = "fsync",
		.help = "none, fsync, each (O_DSYNC) or direct" },
	{ .name = "file",
		.unit = "FILE",
		.text = "meridian-work.data",
		.help = "what is written, read, removed" },
	{ 0 },
};

static int flags_of(const struct work *work)
{
	static const struct {
		const char *name;
		int flags;
	} ways[] = { { "none", 0 }, { "fsync", 0 }, { "each", O_DSYNC }, { "direct", O_DIRECT } };
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, work_text(work, SYNC)) == 0)
			return ways[i].flags;
	work_fail("--sync: \"%s\" is not none, fsync, each or direct", work_text(work, SYNC));
}

static int64_t blocks(struct worker *worker, int fd, bool writes, const char *wait, char *block)
{
	struct work *work = worker->work;
	int64_t left = work_number(work, KIB) * 1024, size = work_number(work, BLOCK) * 1024,
		done = 0;
	for (int64_t id = 0; left > 0 && !work_stopped(); id++) {
		int64_t now = left < size ? left : size;
		struct step step = worker_wait(worker, writes ? "write" : "read", wait, id);
		if (writes ? !work_write(fd, block, (size_t)now)
			   : !work_read(fd, block, (size_t)now))
			work_fail("cannot %s %s: %s", writes ? "write" : "read",
				work_text(work, FILENAME), strerror(errno));
		step.bytes = now;
		worker_done(worker, &step);
		left -= now;
		done += now;
	}
	return done;
}

static int run(struct work *work)
{
	struct worker worker;
	const char *file = work_text(work, FILENAME);
	int flags = flags_of(work);
	void *block;
	if (work_number(work, KIB) % 4 || work_number(work, BLOCK) % 4)
		work_fail("--kib and --block: multiples of 4");
	if (posix_memalign(&block, 4096, (size_t)work_number(work, BLOCK) * 1024) != 0)
		work_fail("out of memory");
	memset(block, 0x5a, (size_t)work_number(work, BLOCK) * 1024);
	worker_start(&worker, work, "disk-writer");
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0600);
	if (fd < 0)
		work_fail("cannot make %s: %s", file, strerror(errno));
	worker_fact(
		&worker, "bytes_written", blocks(&worker, fd, true, flags ? "disk" : NULL, block));
	if (strcmp(work_text(work, SYNC), "fsync") == 0) {
		struct step step = worker_wait(&worker, "fsync", "disk", -1);
		if (fsync(fd) != 0)
			work_fail("cannot write %s: %s", file, strerror(errno));
		worker_done(&worker, &step);
	}
	close(fd);
	/* What is not on the disk yet cannot be forgotten, and is read from memory. */
	fd = open(file, O_RDONLY | O_CLOEXEC | (flags & O_DIRECT));
	if (fd < 0)
		work_fail("cannot read %s: %s", file, strerror(errno));
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	worker_fact(&worker, "bytes_read",
		blocks(&worker, fd, false, strcmp(work_text(work, SYNC), "none") ? "disk" : NULL,
			block));
	close(fd);
	unlink(file);
	worker_end(&worker);
	free(block);
	return 0;
}

const struct work_mode mode_disk = { .name = "disk",
	.help = "write a file, synchronously or not, and read it again",
	.settings = settings,
	.run = run };
