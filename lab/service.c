/* service: a service of three hosts whose every program logs each request, to judge `meridian
 * requests` by.
 *
 *   service db PORT FOLDER LOG
 *       a thread for each connection; one row that can be locked, a file that is synced
 *   service app PORT WORKERS CONNECTIONS ADDRESS PORT LOG
 *       HTTP; a thread that accepts and reads, a queue, workers, few connections to db
 *   service load ADDRESS PORT THREADS REQUESTS SEED LOG
 *       threads with kept connections, one request after the other
 *
 * Times are CLOCK_MONOTONIC in ns, of the host that logs. What takes a request long is decided by
 * load, and logged there (inject): 1: its worker computes for 60 ms; 2: it waits for a lock that
 * another thread holds for 60 ms, computing; 3: db reads 16 blocks of a disk. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { INJECT_EVERY = 20, BLOCK = 4096, BLOCKS = 2048, LINE = 512 };

static FILE *logged;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void fail(const char *what)
{
	fprintf(stderr, "service: %s: %s\n", what, strerror(errno));
	exit(1);
}
static int tid(void)
{
	return (int)syscall(SYS_gettid);
}
/* CPU time, which it takes a system call to know: that is not asked all the time. */
static void burn(double ms)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	double end = t.tv_sec * 1e3 + t.tv_nsec / 1e6 + ms;
	do {
		for (volatile int i = 0; i < 50000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1e3 + t.tv_nsec / 1e6 < end);
}
static void log_line(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pthread_mutex_lock(&log_lock);
	vfprintf(logged, format, args);
	pthread_mutex_unlock(&log_lock);
	va_end(args);
}
static void open_log(const char *path)
{
	logged = fopen(path, "w");
	if (!logged)
		fail(path);
}
static void thread(void *(*run)(void *), void *of)
{
	pthread_t t;
	if (pthread_create(&t, NULL, run, of))
		fail("a thread");
}
static void named(const char *format, int n)
{
	char name[16];
	snprintf(name, sizeof(name), format, n);
	prctl(PR_SET_NAME, name);
}
static int at_once(int fd)
{
	int one = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}
static int listening(const char *port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 64))
		fail("cannot listen");
	return fd;
}
static int connected(const char *address, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	if (inet_pton(AF_INET, address, &a.sin_addr) != 1)
		fail(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)))
		fail("cannot connect");
	return at_once(fd);
}
/* Until the text is there; 0: the other one has closed. */
static size_t read_until(int fd, char *text, size_t size, const char *end)
{
	size_t n = 0;
	while (n + 1 < size) {
		ssize_t got = read(fd, text + n, size - 1 - n);
		if (got <= 0)
			return 0;
		n += (size_t)got;
		text[n] = '\0';
		if (strstr(text, end))
			return n;
	}
	return 0;
}
static void write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t did = write(fd, text, n);
		if (did <= 0)
			return;
		text += did;
		n -= (size_t)did;
	}
}

/* --- db: lines "OP T N"; answers with its thread's number --- */
static pthread_mutex_t row = PTHREAD_MUTEX_INITIALIZER;
static int journal, table;

static void read_blocks(unsigned seed)
{
	void *block;
	if (posix_memalign(&block, BLOCK, BLOCK))
		fail("memory");
	for (int i = 0; i < 16; i++)
		if (pread(table, block, BLOCK, (off_t)(rand_r(&seed) % BLOCKS) * BLOCK) < 0)
			fail("a block");
	free(block);
}
static void *serve_db(void *of)
{
	int fd = (int)(intptr_t)of;
	static int number;
	named("db-%d", __sync_fetch_and_add(&number, 1));
	char line[LINE], op[16], record[BLOCK];
	memset(record, 'r', sizeof(record));
	while (read_until(fd, line, sizeof(line), "\n")) {
		int64_t begin = now(), have = 0;
		int t, n;
		if (sscanf(line, "%15s %d %d", op, &t, &n) != 3)
			break;
		if (!strcmp(op, "get"))
			burn(0.2);
		if (!strcmp(op, "row")) {
			pthread_mutex_lock(&row);
			have = now();
		}
		if (!strcmp(op, "scan"))
			read_blocks((unsigned)(t * 1000 + n));
		if (!strcmp(op, "put") || !strcmp(op, "commit")) {
			if (pwrite(journal, record, sizeof(record), (off_t)(n % 64) * BLOCK) < 0 ||
				fdatasync(journal))
				fail("the journal");
		}
		if (!strcmp(op, "commit"))
			pthread_mutex_unlock(&row);
		int64_t done = now();
		int m = snprintf(line, sizeof(line), "ok %d\n", tid());
		write_all(fd, line, (size_t)m);
		log_line("query t %d n %d op %s tid %d begin %lld row %lld done %lld end %lld\n", t,
			n, op, tid(), (long long)begin, (long long)have, (long long)done,
			(long long)now());
	}
	close(fd);
	return NULL;
}
static _Noreturn void db(char **arg)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/journal", arg[1]);
	journal = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	snprintf(path, sizeof(path), "%s/table", arg[1]);
	int fill = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char block[BLOCK] = "";
	for (int i = 0; i < BLOCKS; i++)
		if (write(fill, block, BLOCK) != BLOCK)
			fail("the table");
	for (int i = 0; i < 64; i++)
		if (pwrite(journal, block, BLOCK, (off_t)i * BLOCK) != BLOCK)
			fail("the journal");
	fsync(fill);
	fsync(journal);
	close(fill);
	table = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	open_log(arg[2]);
	setvbuf(logged, NULL, _IOFBF, 1 << 20);
	int fd = listening(arg[0]);
	for (;;) {
		int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (c < 0)
			fail("accept");
		at_once(c);
		fflush(logged);
		thread(serve_db, (void *)(intptr_t)c);
	}
}

/* --- app --- */
struct job {
	struct job *next;
	int fd, port, t, n, ms, inject;
	char endpoint[16];
	int64_t received, queued;
};
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER,
		       pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t keeper_lock = PTHREAD_MUTEX_INITIALIZER,
		       ask_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_some = PTHREAD_COND_INITIALIZER, pool_some = PTHREAD_COND_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static struct job *first_job, **last_job = &first_job;
static int pool[16], n_pool, epoll_fd, n_asked, n_held;

static int take(void)
{
	pthread_mutex_lock(&pool_lock);
	while (!n_pool)
		pthread_cond_wait(&pool_some, &pool_lock);
	int fd = pool[--n_pool];
	pthread_mutex_unlock(&pool_lock);
	return fd;
}
static void put_back(int fd)
{
	pthread_mutex_lock(&pool_lock);
	pool[n_pool++] = fd;
	pthread_cond_signal(&pool_some);
	pthread_mutex_unlock(&pool_lock);
}
static int query(int fd, const char *op, const struct job *j)
{
	char line[LINE];
	int n = snprintf(line, sizeof(line), "%s %d %d\n", op, j->t, j->n), backend = 0;
	write_all(fd, line, (size_t)n);
	if (!read_until(fd, line, sizeof(line), "\n") || sscanf(line, "ok %d", &backend) != 1)
		fail("no answer of db");
	return backend;
}
/* Holds the lock for 60 ms whenever it is asked to. */
static void *keep(void *of)
{
	(void)of;
	named("shop-keeper", 0);
	for (;;) {
		pthread_mutex_lock(&ask_lock);
		while (!n_asked)
			pthread_cond_wait(&asked, &ask_lock);
		n_asked--;
		pthread_mutex_lock(&keeper_lock);
		n_held++;
		pthread_mutex_unlock(&ask_lock);
		burn(60);
		pthread_mutex_unlock(&keeper_lock);
	}
	return NULL;
}
static void wait_for_keeper(void)
{
	pthread_mutex_lock(&ask_lock);
	int held = n_held;
	n_asked++;
	pthread_cond_signal(&asked);
	pthread_mutex_unlock(&ask_lock);
	for (bool has = false; !has; usleep(200)) {
		pthread_mutex_lock(&ask_lock);
		has = n_held != held;
		pthread_mutex_unlock(&ask_lock);
	}
	pthread_mutex_lock(&keeper_lock);
	pthread_mutex_unlock(&keeper_lock);
}
static void answer(struct job *j)
{
	int64_t start = now(), pooled = 0, first = 0, computed, end = 0;
	const char *e = j->endpoint;
	int backend = 0;
	bool item = !strcmp(e, "item"), order = !strcmp(e, "order"), lock = !strcmp(e, "lock"),
	     scan = j->inject == 3;
	if (j->inject == 1)
		burn(60);
	else if (!strcmp(e, "cpu"))
		burn(j->ms);
	if (j->inject == 2)
		wait_for_keeper();
	computed = now();
	if (item || order || lock || scan) {
		int fd = take();
		pooled = now();
		backend = query(fd, scan ? "scan" : lock ? "row" : "get", j);
		first = now();
		if (lock)
			burn(2);
		if (order || lock)
			query(fd, order ? "put" : "commit", j);
		end = now();
		put_back(fd);
	}
	char text[LINE], body[64];
	int m = snprintf(body, sizeof(body), "%s %d %d\n", e, j->t, j->n);
	int n = snprintf(text, sizeof(text),
		"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: keep-alive\r\n\r\n%s", m,
		body);
	int64_t answered = now();
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = j->fd };
	write_all(j->fd, text, (size_t)n);
	epoll_ctl(epoll_fd, EPOLL_CTL_MOD, j->fd, &event);
	log_line(
		"req t %d n %d ep %s inject %d worker %d peer %d backend %d received %lld queued %lld start %lld computed %lld pooled %lld first %lld end %lld answered %lld done %lld\n",
		j->t, j->n, e, j->inject, tid(), j->port, backend, (long long)j->received,
		(long long)j->queued, (long long)start, (long long)computed, (long long)pooled,
		(long long)first, (long long)end, (long long)answered, (long long)now());
	free(j);
}
static void *work(void *of)
{
	named("shop-w%d", (int)(intptr_t)of);
	for (;;) {
		pthread_mutex_lock(&queue_lock);
		while (!first_job)
			pthread_cond_wait(&queue_some, &queue_lock);
		struct job *j = first_job;
		first_job = j->next;
		if (!first_job)
			last_job = &first_job;
		pthread_mutex_unlock(&queue_lock);
		answer(j);
	}
	return NULL;
}
static void receive(int fd)
{
	char text[2 * LINE];
	struct job *j = calloc(1, sizeof(*j));
	if (!j || !read_until(fd, text, sizeof(text), "\r\n\r\n") ||
		sscanf(text, "GET /%15[a-z]?t=%d&n=%d&ms=%d&inject=%d", j->endpoint, &j->t, &j->n,
			&j->ms, &j->inject) != 5) {
		free(j);
		close(fd);
		return;
	}
	j->received = now();
	struct sockaddr_in a = { 0 };
	socklen_t size = sizeof(a);
	getpeername(fd, (struct sockaddr *)&a, &size);
	j->port = ntohs(a.sin_port);
	j->fd = fd;
	pthread_mutex_lock(&queue_lock);
	j->queued = now();
	*last_job = j;
	last_job = &j->next;
	pthread_cond_signal(&queue_some);
	pthread_mutex_unlock(&queue_lock);
}
static _Noreturn void app(char **arg)
{
	open_log(arg[5]);
	setvbuf(logged, NULL, _IOFBF, 1 << 20);
	for (int i = 0; i < atoi(arg[2]); i++)
		pool[n_pool++] = connected(arg[3], arg[4]);
	for (int i = 0; i < atoi(arg[1]); i++)
		thread(work, (void *)(intptr_t)i);
	thread(keep, NULL);
	named("shop-io", 0);
	int fd = listening(arg[0]);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
	for (;;) {
		if (epoll_wait(epoll_fd, &event, 1, -1) != 1)
			continue;
		if (event.data.fd != fd) {
			receive(event.data.fd);
			continue;
		}
		int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		struct epoll_event of = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = c };
		epoll_ctl(epoll_fd, EPOLL_CTL_ADD, at_once(c), &of);
	}
}

/* --- load --- */
static char **load_arg;
static int n_requests, n_connections;
static void *ask(void *of)
{
	static const char *const endpoints[] = { "fast", "item", "order", "lock", "cpu" };
	static const int weights[] = { 30, 28, 14, 18, 10 };
	int t = (int)(intptr_t)of, total = atoi(load_arg[3]), n = 0;
	unsigned seed = (unsigned)(atoi(load_arg[4]) * 100 + t);
	named("load-%d", t);
	for (;;) {
		int fd = connected(load_arg[0], load_arg[1]),
		    c = __sync_add_and_fetch(&n_connections, 1), k = 4 + rand_r(&seed) % 20;
		struct sockaddr_in a = { 0 };
		socklen_t size = sizeof(a);
		getsockname(fd, (struct sockaddr *)&a, &size);
		for (int s = 0; s < k; s++, n++) {
			int serial = __sync_fetch_and_add(&n_requests, 1), inject = 0,
			    drawn = rand_r(&seed) % 100, e = 0;
			if (serial >= total)
				return NULL;
			while (drawn >= weights[e])
				drawn -= weights[e++];
			if (serial % INJECT_EVERY == INJECT_EVERY - 1) {
				inject = 1 + serial / INJECT_EVERY % 3;
				e = 0;
			}
			char text[2 * LINE];
			int ms = 5 + rand_r(&seed) % 11;
			int m = snprintf(text, sizeof(text),
				"GET /%s?t=%d&n=%d&ms=%d&inject=%d HTTP/1.1\r\nHost: web\r\n\r\n",
				endpoints[e], t, n, ms, inject);
			int64_t begin = now();
			write_all(fd, text, (size_t)m);
			if (!read_until(fd, text, sizeof(text), "\n") || !strstr(text, " 200 "))
				fail("no answer of web");
			while (!strstr(text,
				"\r\n\r\n")) { // the head, in one piece with the short body or before it
				size_t have = strlen(text);
				if (!read_until(fd, text + have, sizeof(text) - have, "\n"))
					fail("no answer of web");
			}
			if (!strstr(text, "\r\n\r\n") ||
				!strstr(strstr(text, "\r\n\r\n"), endpoints[e])) {
				size_t have = strlen(text);
				read_until(fd, text + have, sizeof(text) - have, "\n");
			}
			int64_t end = now();
			log_line(
				"req t %d n %d ep %s inject %d tid %d port %d conn %d seq %d begin %lld end %lld\n",
				t, n, endpoints[e], inject, tid(), ntohs(a.sin_port), c, s,
				(long long)begin, (long long)end);
			usleep(3000 + (unsigned)rand_r(&seed) % 17000);
		}
		close(fd);
	}
	return NULL;
}
static int load(char **arg)
{
	open_log(arg[5]);
	setvbuf(logged, NULL, _IOFBF, 1 << 20);
	load_arg = arg;
	pthread_t threads[16];
	int n = atoi(arg[2]);
	for (int i = 0; i < n && i < 16; i++)
		if (pthread_create(&threads[i], NULL, ask, (void *)(intptr_t)i))
			fail("a thread");
	for (int i = 0; i < n && i < 16; i++)
		pthread_join(threads[i], NULL);
	fclose(logged);
	return 0;
}

static void *flushing(void *of) // a log is complete a second after the last request
{
	(void)of;
	for (;; sleep(1)) {
		pthread_mutex_lock(&log_lock);
		if (logged)
			fflush(logged);
		pthread_mutex_unlock(&log_lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "db")) {
		thread(flushing, NULL);
		db(argv + 2);
	}
	if (argc == 8 && !strcmp(argv[1], "app")) {
		thread(flushing, NULL);
		app(argv + 2);
	}
	if (argc == 8 && !strcmp(argv[1], "load"))
		return load(argv + 2);
	fprintf(stderr,
		"usage: service db PORT FOLDER LOG | app PORT WORKERS CONNECTIONS ADDRESS PORT LOG | load ADDRESS PORT THREADS REQUESTS SEED LOG\n");
	return 2;
}
