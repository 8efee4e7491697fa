/*
 * locks: several workers fight for one lock: a mutex of threads, a futex of processes, or a file's
 * lock. Who gets it notes that in memory that all share, so a wait states who had the lock before.
 * Of all steps "hold" no two overlap.
 */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KIND, WORKERS, ROUNDS, HOLD, AWAY, FILENAME };

static const struct work_setting settings[] = {
	{ .name = "kind",
		.unit = "KIND",
		.text = "mutex",
		.help = "mutex (threads), futex (processes) or file" },
	{ .name = "workers",
		.unit = "N",
		.value = 3,
		.least = 1,
		.most = 64,
		.help = "that fight for the lock" },
	{ .name = "rounds",
		.unit = "N",
		.value = 20,
		.least = 1,
		.most = 1000000,
		.help = "of each worker" },
	{ .name = "hold",
		.unit = "US",
		.value = 2000,
		.least = 0,
		.most = 10000000,
		.help = "CPU time with the lock" },
	{ .name = "away",
		.unit = "US",
		.value = 1000,
		.least = 0,
		.most = 10000000,
		.help = "sleep without it" },
	{ .name = "file", .unit = "FILE", .text = "meridian-work.lock", .help = "for --kind file" },
	{ 0 },
};

/* Shared by all workers. */
struct fight {
	struct work *work;
	pthread_mutex_t mutex;
	_Atomic uint32_t futex; /* 0 free, 1 taken, 2 taken and somebody may wait */
	pid_t holder;		/* the last one; only who has the lock reads and writes it */
	int64_t rounds;
};

struct fighter {
	struct fight *fight;
	pthread_t thread;
	int number;
};

static void futex_lock(struct fight *fight)
{
	uint32_t seen = 0;
	if (atomic_compare_exchange_strong(&fight->futex, &seen, 1))
		return;
	while (atomic_exchange(&fight->futex, 2) != 0)
		syscall(SYS_futex, &fight->futex, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void futex_unlock(struct fight *fight)
{
	if (atomic_exchange(&fight->futex, 0) == 2)
		syscall(SYS_futex, &fight->futex, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take(struct fight *fight, char kind, int fd)
{
	if (kind == 'm')
		pthread_mutex_lock(&fight->mutex);
	else if (kind == 'f')
		futex_lock(fight);
	else
		while (flock(fd, LOCK_EX) != 0)
			if (errno != EINTR)
				work_fail("cannot lock the file: %s", strerror(errno));
}

static void give_back(struct fight *fight, char kind, int fd)
{
	if (kind == 'm')
		pthread_mutex_unlock(&fight->mutex);
	else if (kind == 'f')
		futex_unlock(fight);
	else
		flock(fd, LOCK_UN);
}

/* 'm' mutex, 'f' futex, 'l' locked file */
static char kind_of(const struct work *work)
{
	const char *kind = work_text(work, KIND);
	if (strcmp(kind, "mutex") == 0)
		return 'm';
	if (strcmp(kind, "futex") == 0)
		return 'f';
	if (strcmp(kind, "file") == 0)
		return 'l';
	work_fail("--kind: \"%s\" is not mutex, futex or file", kind);
}

static void *fight(void *arg)
{
	struct fighter *self = arg;
	struct fight *all = self->fight;
	struct work *work = all->work;
	struct worker worker;
	char name[16], kind = kind_of(work);
	int fd = -1;
	/* Locks of files belong to the open file: each worker opens it for itself. */
	if (kind == 'l' &&
		(fd = open(work_text(work, FILENAME), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0)
		work_fail("cannot open %s: %s", work_text(work, FILENAME), strerror(errno));
	snprintf(name, sizeof name, "fighter-%d", self->number);
	worker_start(&worker, work, name);
	for (int64_t i = 0; i < work_number(work, ROUNDS) && !work_stopped(); i++) {
		struct step step = worker_wait(&worker, "wait-lock", "lock", i);
		take(all, kind, fd);
		step.by = all->holder == worker.tid ? 0 : all->holder;
		worker_done(&worker, &step);
		all->holder = worker.tid;
		all->rounds++;
		step = worker_begin(&worker, "hold", i);
		work_hog(work, work_number(work, HOLD) * 1000);
		worker_done(&worker, &step);
		give_back(all, kind, fd);
		step = worker_wait(&worker, "away", "timer", i);
		work_sleep(work_number(work, AWAY) * 1000);
		worker_done(&worker, &step);
	}
	worker_end(&worker);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static int run(struct work *work)
{
	struct worker worker;
	struct fighter fighters[64];
	pid_t children[64];
	int n = (int)work_number(work, WORKERS);
	char kind = kind_of(work);
	bool good = true;
	struct fight *shared = work_shared(sizeof *shared);
	shared->work = work;
	pthread_mutex_init(&shared->mutex, NULL);
	worker_start(&worker, work, "locks");
	work_calibrate(&worker, 3, 20);
	for (int i = 0; i < n; i++) {
		fighters[i] = (struct fighter){ .fight = shared, .number = i };
		if (kind == 'm') {
			if (pthread_create(&fighters[i].thread, NULL, fight, &fighters[i]) != 0)
				work_fail("cannot make a thread");
		} else if ((children[i] = work_fork()) == 0) {
			fight(&fighters[i]);
			_exit(0);
		}
	}
	struct step step = worker_wait(&worker, "wait-fighters", "workers", -1);
	for (int i = 0; i < n; i++)
		if (kind == 'm')
			pthread_join(fighters[i].thread, NULL);
		else
			good &= work_reap(children[i]);
	worker_done(&worker, &step);
	worker_fact(&worker, "rounds", shared->rounds);
	worker_end(&worker);
	if (kind == 'l')
		unlink(work_text(work, FILENAME));
	munmap(shared, sizeof *shared);
	return good ? 0 : 1;
}

const struct work_mode mode_locks = { .name = "locks",
	.help = "workers fight for a mutex, a futex or a file's lock",
	.settings = settings,
	.run = run };
