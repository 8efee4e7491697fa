/*
 * The truth: what workers did, as JSON lines. A worker collects lines and writes whole ones, less
 * than a pipe takes at once (PIPE_BUF), so that lines of threads and processes never mix and
 * nobody waits for somebody else to write. At the end come its sums: they are the sums of its
 * steps, whatever happened.
 */
#include "work.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void write_lines(const struct work *work, const char *lines, size_t length)
{
	while (length > 0) {
		ssize_t n = write(work->fd, lines, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			work_fail("cannot write the truth: %s", strerror(errno));
		lines += n;
		length -= (size_t)n;
	}
}

static void flush(struct worker *worker)
{
	write_lines(worker->work, worker->buffer, worker->used);
	worker->used = 0;
}

/* One line; it is short, as all names are ours. */
static __attribute__((format(printf, 2, 3))) void line(
	struct worker *worker, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text - 1, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof text - 1)
		work_fail("a line of the truth is too long");
	text[n++] = '\n';
	if (worker->used + (size_t)n > sizeof worker->buffer)
		flush(worker);
	memcpy(worker->buffer + worker->used, text, (size_t)n);
	worker->used += (size_t)n;
}

void worker_start(struct worker *worker, struct work *work, const char *name)
{
	memset(worker, 0, sizeof *worker);
	worker->work = work;
	worker->pid = getpid();
	worker->tid = (pid_t)syscall(SYS_gettid);
	snprintf(worker->name, sizeof worker->name, "%s", name);
	prctl(PR_SET_NAME, worker->name);
	line(worker,
		"{\"type\":\"worker\",\"tid\":%d,\"pid\":%d,\"comm\":\"%s\",\"begin_ns\":%lld}",
		worker->tid, worker->pid, worker->name, (long long)work_now());
}

struct step worker_wait(struct worker *worker, const char *name, const char *what, int64_t id)
{
	if (worker->work->event)
		worker->work->event(name, id, 0, 0);
	return (struct step){
		.name = name, .wait = what, .id = id, .cpu_ns = work_cpu(), .begin_ns = work_now()
	};
}

struct step worker_begin(struct worker *worker, const char *name, int64_t id)
{
	return worker_wait(worker, name, NULL, id);
}

static void add(struct worker *worker, const struct step *step, int64_t elapsed_ns, int64_t cpu_ns)
{
	struct worker_sum *sum = worker->sums;
	while (sum->step && strcmp(sum->step, step->name) != 0)
		if (++sum == worker->sums + WORKER_SUMS)
			work_fail("a worker with too many kinds of steps");
	sum->step = step->name;
	sum->count++;
	sum->elapsed_ns += elapsed_ns;
	sum->cpu_ns += cpu_ns;
	sum->bytes += step->bytes;
	if (elapsed_ns > sum->longest_ns)
		sum->longest_ns = elapsed_ns;
}

static void state(struct worker *worker, const struct step *step, int64_t end_ns, int64_t cpu_ns)
{
	char more[256] = "";
	size_t n = 0;
	if (step->id >= 0)
		n += (size_t)snprintf(
			more + n, sizeof more - n, ",\"id\":%lld", (long long)step->id);
	if (step->wait)
		n += (size_t)snprintf(
			more + n, sizeof more - n, ",\"waited_for\":\"%s\"", step->wait);
	if (step->by)
		n += (size_t)snprintf(more + n, sizeof more - n, ",\"by_tid\":%d", step->by);
	if (step->bytes)
		n += (size_t)snprintf(
			more + n, sizeof more - n, ",\"bytes\":%lld", (long long)step->bytes);
	if (step->late_ns)
		snprintf(more + n, sizeof more - n, ",\"late_ns\":%lld", (long long)step->late_ns);
	line(worker,
		"{\"type\":\"step\",\"tid\":%d,\"comm\":\"%s\",\"step\":\"%s\"%s,\"begin_ns\":%lld,\"end_ns\":%lld,"
		"\"cpu_ns\":%lld}",
		worker->tid, worker->name, step->name, more, (long long)step->begin_ns,
		(long long)end_ns, (long long)cpu_ns);
	add(worker, step, end_ns - step->begin_ns, cpu_ns);
}

int64_t worker_done(struct worker *worker, struct step *step)
{
	int64_t end_ns = work_now(), cpu_ns = work_cpu() - step->cpu_ns;
	if (worker->work->event)
		worker->work->event(step->name, step->id, 1, step->by);
	state(worker, step, end_ns, cpu_ns);
	return end_ns - step->begin_ns;
}

void worker_passed(struct worker *worker, const char *name, const char *wait, int64_t id,
	int64_t begin_ns, pid_t by)
{
	struct step step = { .name = name, .wait = wait, .id = id, .begin_ns = begin_ns, .by = by };
	state(worker, &step, work_now(), 0);
}

void worker_fact(struct worker *worker, const char *name, int64_t value)
{
	line(worker, "{\"type\":\"fact\",\"tid\":%d,\"fact\":\"%s\",\"value\":%lld}", worker->tid,
		name, (long long)value);
}

void worker_end(struct worker *worker)
{
	for (const struct worker_sum *sum = worker->sums;
		sum < worker->sums + WORKER_SUMS && sum->step; sum++)
		line(worker,
			"{\"type\":\"sum\",\"tid\":%d,\"comm\":\"%s\",\"step\":\"%s\",\"count\":%lld,\"elapsed_ns\":%lld,"
			"\"longest_ns\":%lld,\"cpu_ns\":%lld,\"bytes\":%lld}",
			worker->tid, worker->name, sum->step, (long long)sum->count,
			(long long)sum->elapsed_ns, (long long)sum->longest_ns,
			(long long)sum->cpu_ns, (long long)sum->bytes);
	flush(worker);
}

/* A host's name and a text of the command line may be anything: what is not plain is left out. */
static void plain(char *to, size_t size, const char *from)
{
	size_t n = 0;
	for (; *from && n + 1 < size; from++)
		if (*from >= ' ' && *from < 127 && *from != '"' && *from != '\\')
			to[n++] = *from;
	to[n] = 0;
}

void work_begin_truth(struct work *work)
{
	struct utsname host;
	struct timespec real;
	char text[2048], name[65], value[257];
	uname(&host);
	plain(name, sizeof name, host.nodename);
	int64_t now = work_now();
	clock_gettime(CLOCK_REALTIME, &real);
	int n = snprintf(text, sizeof text,
		"{\"type\":\"run\",\"mode\":\"%s\",\"host\":\"%s\",\"pid\":%d,\"monotonic_ns\":%lld,"
		"\"realtime_ns\":%lld,\"settings\":{",
		work->mode->name, name, getpid(), (long long)now,
		(long long)real.tv_sec * 1000000000 + real.tv_nsec);
	const struct work_setting *setting = work->mode->settings;
	for (unsigned i = 0; setting[i].name && n < (int)sizeof text - 400; i++) {
		n += snprintf(text + n, sizeof text - (size_t)n, "%s\"%s\":", i ? "," : "",
			setting[i].name);
		plain(value, sizeof value, work->values[i].text ? work->values[i].text : "");
		if (setting[i].text)
			n += snprintf(text + n, sizeof text - (size_t)n, "\"%s\"", value);
		else
			n += snprintf(text + n, sizeof text - (size_t)n, "%lld",
				(long long)work->values[i].number);
	}
	n += snprintf(text + n, sizeof text - (size_t)n, "}}\n");
	write_lines(work, text, (size_t)n);
}
