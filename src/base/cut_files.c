#include "base/cut_files.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* State of the signal handler, which cannot be passed an argument. */
static struct {
	atomic_bool seen;
	void (*otherwise)(int);
	uintptr_t page;
} it;

/* On Linux, mmap is a plain system call and safe in a signal handler. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	int kept = errno;
	char *at = info->si_addr;
	char *page = at - ((uintptr_t)at & (it.page - 1));
	if (info->si_code != BUS_ADRERR ||
		mmap(page, it.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			-1, 0) == MAP_FAILED)
		it.otherwise(number);
	atomic_store(&it.seen, true);
	errno = kept;
}

void mer_cut_files_survive(void (*otherwise)(int))
{
	struct sigaction act;
	memset(&act, 0, sizeof(act));
	sigemptyset(&act.sa_mask);
	act.sa_sigaction = on_bus_error;
	act.sa_flags = SA_SIGINFO;
	it.otherwise = otherwise;
	it.page = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &act, NULL);
}

bool mer_cut_files_seen(void)
{
	return atomic_load(&it.seen);
}
