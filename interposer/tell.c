/* Events: to LTTng-UST, if a session wants them when MPI begins; else each thread keeps its own,
 * and writes them as CTF when its buffer is full, and at the end (ctf.c). */
#include "interposer/interposer.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef MM_LTTNG
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "interposer/tracepoints.h"
#endif

enum { BUFFER = 1 << 15 }; /* records of a thread: 2 MB */

struct mm_buffer {
	struct mm_buffer *next;
	unsigned stream;
	size_t n;
	struct mm_record records[BUFFER];
};

static enum { TO_CTF, TO_LTTNG } where;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mm_buffer *buffers; /* of all threads */
static unsigned n_buffers;
static struct mm_ctf *ctf;
static uint64_t n_lost;
static char folder[3000], problem[300];

/* Once, to whoever reads what the program prints: of the first rank only. */
static void say(const char *text, const char *more)
{
	if (mm_rank <= 0)
		fprintf(stderr, "libmeridian-mpi: %s%s\n", text, more);
}

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- LTTng-UST ---- */

#ifdef MM_LTTNG
static bool is_wanted(void)
{
	return lttng_ust_tracepoint_enabled(meridian_mpi, enter) ||
	       lttng_ust_tracepoint_enabled(meridian_mpi, init);
}

static void to_lttng(const struct mm_record *r)
{
#define TELL(name_, ...)                                                                           \
	lttng_ust_tracepoint(meridian_mpi, name_, r->rank, mm_pid, r->tid, ##__VA_ARGS__)
	switch ((enum mm_event)r->event) {
	case MM_INIT: TELL(init, r->peer, r->bytes); return;
	case MM_COMM: TELL(comm, r->comm, r->peer); return;
	case MM_ENTER: TELL(enter, (uint16_t)r->peer); return;
	case MM_LEAVE: TELL(leave, (uint16_t)r->peer); return;
	case MM_SENT: TELL(send, r->comm, r->peer, r->tag, r->bytes, r->request); return;
	case MM_SEND_DONE: TELL(send_done, r->request); return;
	case MM_POSTED: TELL(recv_posted, r->comm, r->peer, r->tag, r->bytes, r->request); return;
	case MM_RECV_DONE: TELL(recv_done, r->comm, r->peer, r->tag, r->bytes, r->request); return;
	case MM_JOINED: TELL(collective, r->comm, r->request, r->peer, r->bytes); return;
	default: TELL(final); return;
	}
}
#else
static bool is_wanted(void)
{
	return false;
}

static void to_lttng(const struct mm_record *r)
{
	(void)r;
}
#endif

/* ---- CTF ---- */

static bool make_folders(void)
{
	for (char *p = folder + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(folder, 0777);
			*p = '/';
		}
	return mkdir(folder, 0777) == 0;
}

/* MERIDIAN_MPI_TRACE, or meridian-mpi where the program was started: below it a trace for each
 * process. Under lock. */
static void open_trace(void)
{
	const char *base = getenv("MERIDIAN_MPI_TRACE");
	char host[256] = "host";
	if (ctf || problem[0])
		return;
	bool is_given = base && *base;
	base = is_given ? base : "meridian-mpi";
	gethostname(host, sizeof(host) - 1);
	snprintf(folder, sizeof(folder), "%s/%s/rank-%d-%d", base, host, (int)mm_rank, (int)mm_pid);
	if (!make_folders()) {
		snprintf(problem, sizeof(problem), "cannot make the folder");
	} else {
		ctf = mm_ctf_open(folder, problem, sizeof(problem));
		if (ctf && !is_given)
			say("no LTTng session wants events of MPI: writing CTF below ", base);
	}
	if (!ctf)
		fprintf(stderr, "libmeridian-mpi: %s: %s; calls of MPI are not recorded\n", folder,
			problem);
}

/* Under lock. */
static void empty(struct mm_buffer *b)
{
	open_trace();
	if (!ctf || !mm_ctf_write(ctf, b->stream, b->records, b->n))
		n_lost += b->n;
	b->n = 0;
}

static struct mm_buffer *new_buffer(void)
{
	struct mm_buffer *b = malloc(sizeof(*b));
	if (!b)
		return NULL;
	pthread_mutex_lock(&lock);
	b->stream = n_buffers++;
	b->n = 0;
	b->next = buffers;
	buffers = b;
	pthread_mutex_unlock(&lock);
	return b;
}

static void keep(const struct mm_record *r)
{
	struct mm_buffer *b = mm_thread.buffer;
	if (!b)
		b = mm_thread.buffer = new_buffer();
	if (!b) {
		__atomic_add_fetch(&n_lost, 1, __ATOMIC_RELAXED);
		return;
	}
	b->records[b->n++] = *r;
	if (b->n < BUFFER)
		return;
	pthread_mutex_lock(&lock);
	empty(b);
	pthread_mutex_unlock(&lock);
}

/* ---- both ---- */

void mm_tell_begin(void)
{
	const char *folder_wanted = getenv("MERIDIAN_MPI_TRACE");
	where = is_wanted() && !(folder_wanted && *folder_wanted) ? TO_LTTNG : TO_CTF;
}

void mm_tell(struct mm_record r)
{
	r.rank = mm_rank;
	r.tid = mm_thread.tid;
	if (where == TO_LTTNG) {
		to_lttng(&r);
		return;
	}
	r.time = now();
	keep(&r);
}

/* Threads that still call MPI now break its rules; their buffers stay, so that nothing is used
 * after it was freed. */
void mm_tell_end(void)
{
	char more[64];
	if (where == TO_LTTNG)
		return;
	pthread_mutex_lock(&lock);
	for (struct mm_buffer *b = buffers; b; b = b->next)
		empty(b);
	if (ctf && !mm_ctf_close(ctf))
		say("the trace could not be written to its end", "");
	ctf = NULL;
	snprintf(more, sizeof(more), "%llu", (unsigned long long)n_lost);
	if (n_lost)
		say("events were lost: ", more);
	pthread_mutex_unlock(&lock);
}
