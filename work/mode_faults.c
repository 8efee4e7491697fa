/*
 * faults: touches each page of a mapping, of memory or of a file, and gives it back. Each first
 * touch is a page fault; for a file whose pages are not in memory it waits for the disk.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB, ROUNDS, PAUSE, FILENAME };

static const struct work_setting settings[] = {
	{ .name = "mib",
		.unit = "MIB",
		.value = 8,
		.least = 1,
		.most = 65536,
		.help = "touched in each round" },
	{ .name = "rounds",
		.unit = "N",
		.value = 3,
		.least = 1,
		.most = 1000000,
		.help = "how often" },
	{ .name = "pause",
		.unit = "MS",
		.value = 10,
		.least = 0,
		.most = 60000,
		.help = "between rounds" },
	{ .name = "file",
		.unit = "FILE",
		.text = "",
		.help = "map this file, and have it read from disk each time" },
	{ 0 },
};

static int run(struct work *work)
{
	struct worker worker;
	struct rusage before, after;
	const char *file = work_text(work, FILENAME);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)work_number(work, MIB) << 20;
	int fd = -1;
	if (*file) {
		struct stat status;
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &status) != 0)
			work_fail("cannot open %s: %s", file, strerror(errno));
		if ((size_t)status.st_size < size)
			work_fail("%s has less than %lld MiB", file,
				(long long)work_number(work, MIB));
	}
	worker_start(&worker, work, "faults");
	worker_fact(&worker, "pages", (int64_t)(size / page));
	for (int64_t i = 0; i < work_number(work, ROUNDS) && !work_stopped(); i++) {
		if (fd >= 0)
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		volatile char *memory = fd >= 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)
						: mmap(NULL, size, PROT_READ | PROT_WRITE,
							  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			work_fail("cannot map %zu bytes: %s", size, strerror(errno));
		/* One fault for each page, not one for 2 MiB. */
		madvise((void *)memory, size, MADV_NOHUGEPAGE);
		getrusage(RUSAGE_THREAD, &before);
		struct step step = fd >= 0 ? worker_wait(&worker, "touch", "disk", i)
					   : worker_begin(&worker, "touch", i);
		for (size_t k = 0; k < size; k += page)
			if (fd >= 0)
				(void)memory[k];
			else
				memory[k] = 1;
		step.bytes = (int64_t)size;
		worker_done(&worker, &step);
		getrusage(RUSAGE_THREAD, &after);
		worker_fact(&worker, "minor_faults", after.ru_minflt - before.ru_minflt);
		worker_fact(&worker, "major_faults", after.ru_majflt - before.ru_majflt);
		munmap((void *)memory, size);
		step = worker_wait(&worker, "pause", "timer", i);
		work_sleep(work_number(work, PAUSE) * 1000000);
		worker_done(&worker, &step);
	}
	worker_end(&worker);
	return 0;
}

const struct work_mode mode_faults = { .name = "faults",
	.help = "touch pages: a page fault each, from memory or from a file",
	.settings = settings,
	.run = run };
