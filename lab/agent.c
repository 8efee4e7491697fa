/*
 * The lab's clock truth, over a virtio serial port: no packet of it is in a trace. In a guest,
 * `agent serve` answers each byte with the guest's clocks. Outside, `agent ask SOCKET LABEL HOST N
 * KEEP` measures N round trips and prints the KEEP shortest as lines of clock.csv: at the guest's
 * time the lab's clock was between the two times of the lab. The shorter the round trip, the
 * better that is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CLOCKS = 3 };
static const clockid_t clocks[CLOCKS] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC_RAW };

struct trip {
	int64_t sent_ns, received_ns, guest_ns[CLOCKS];
};

static int64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A port whose other side is closed reads as its end: it may be opened again. */
static void read_all(int fd, void *bytes, size_t length, int again)
{
	char *to = bytes;
	while (length > 0) {
		ssize_t n = read(fd, to, length);
		if (n > 0) {
			to += n;
			length -= (size_t)n;
		} else if (n == 0 && again) {
			usleep(20000);
		} else if (n == 0 || errno != EINTR) {
			fprintf(stderr, "agent: the other side is gone\n");
			exit(1);
		}
	}
}

static int serve(const char *port)
{
	struct sched_param realtime = { .sched_priority = 50 };
	int fd = open(port, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(port);
		return 1;
	}
	sched_setscheduler(0, SCHED_FIFO, &realtime);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	for (;;) {
		char byte;
		int64_t times[CLOCKS];
		read_all(fd, &byte, 1, 1);
		for (int i = 0; i < CLOCKS; i++)
			times[i] = now(clocks[i]);
		if (write(fd, times, sizeof times) != sizeof times)
			return 1;
	}
}

static int by_length(const void *a, const void *b)
{
	const struct trip *x = a, *y = b;
	int64_t dx = x->received_ns - x->sent_ns, dy = y->received_ns - y->sent_ns;
	return (dx > dy) - (dx < dy);
}

static int ask(const char *socket_path, const char *label, const char *host, int n, int keep)
{
	enum { MOST = 1000 };
	static struct trip trips[MOST];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (strlen(socket_path) >= sizeof address.sun_path || n < 1 || n > MOST || keep < 1 ||
		keep > n) {
		fprintf(stderr, "agent: at most %d round trips, and a short path\n", MOST);
		return 2;
	}
	strcpy(address.sun_path, socket_path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
		perror(socket_path);
		return 1;
	}
	struct timeval limit = { .tv_sec = 30 };
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	for (int i = 0; i < n; i++) {
		trips[i].sent_ns = now(CLOCK_MONOTONIC);
		if (write(fd, "t", 1) != 1)
			return 1;
		read_all(fd, trips[i].guest_ns, sizeof trips[i].guest_ns, 0);
		trips[i].received_ns = now(CLOCK_MONOTONIC);
		usleep(2000);
	}
	qsort(trips, (size_t)n, sizeof *trips, by_length);
	for (const struct trip *t = trips; t < trips + keep; t++)
		printf("%s,%s,%lld,%lld,%lld,%lld,%lld,%lld\n", label, host,
			(long long)(t->received_ns - t->sent_ns), (long long)t->sent_ns,
			(long long)t->received_ns, (long long)t->guest_ns[0],
			(long long)t->guest_ns[1], (long long)t->guest_ns[2]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "serve") == 0)
		return serve(argv[2]);
	if (argc == 7 && strcmp(argv[1], "ask") == 0)
		return ask(argv[2], argv[3], argv[4], atoi(argv[5]), atoi(argv[6]));
	fprintf(stderr, "usage: agent serve PORT | agent ask SOCKET LABEL HOST N KEEP\n");
	return 2;
}
