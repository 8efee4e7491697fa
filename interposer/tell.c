/* Events: to LTTng-UST, if a session wants them when MPI begins; else as CTF, each thread into a file
 * of its own (stream.c), from MPI_Init on. */
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

enum { EARLY = 16 };

static enum { TO_CTF, TO_LTTNG } where;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mm_stream *streams[4096]; /* of all threads */
static unsigned n_streams;
static struct mm_ctf *ctf;
static uint64_t n_lost;
static char folder[3000], problem[300];
static int shown_rank = -1; /* as the launcher says it, before MPI does */
/* Events from before the rank was known. */
static struct mm_record early[EARLY];
static unsigned n_early;
static bool left_out[MPI_CALL_N];

/* Once, to whoever reads what the program prints: of the first rank only. */
static void say(const char *text, const char *more)
{
	if (shown_rank <= 0)
		fprintf(stderr, "libmeridian-mpi: %s%s\n", text, more);
}

uint64_t mm_now(void)
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
	case MM_POLLED: TELL(polled, (uint16_t)r->peer, r->bytes, r->request); return;
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
	snprintf(folder, sizeof(folder), "%s/%s/rank-%d-%d", base, host, shown_rank, (int)mm_pid);
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

/* The thread's, made when it is new; NULL: it cannot be. */
static struct mm_stream *stream_of_thread(void)
{
	struct mm_thread *t = &mm_thread;
	char path[3100];
	if (t->stream || t->has_no_stream)
		return t->stream;
	pthread_mutex_lock(&lock);
	open_trace();
	if (ctf && n_streams < sizeof(streams) / sizeof(*streams)) {
		snprintf(path, sizeof(path), "%s/thread_%u", folder, n_streams);
		t->stream = mm_stream_open(ctf, path, n_streams);
		if (t->stream)
			streams[n_streams++] = t->stream;
	}
	pthread_mutex_unlock(&lock);
	t->has_no_stream = !t->stream;
	return t->stream;
}

static void to_ctf(struct mm_record *r)
{
	if (shown_rank < 0 && n_early < EARLY) {
		early[n_early++] = *r;
		return;
	}
	struct mm_stream *s = stream_of_thread();
	if (!s || !mm_stream_put(s, r))
		__atomic_add_fetch(&n_lost, 1, __ATOMIC_RELAXED);
}

void mm_amend(uint64_t time, uint64_t count)
{
	if (mm_thread.stream)
		mm_stream_amend(mm_thread.stream, time, count);
}

bool mm_take_back(void)
{
	return mm_thread.stream && mm_stream_take_back(mm_thread.stream);
}

/* ---- both ---- */

/* MERIDIAN_MPI_LEAVE_OUT: names of calls, with commas or blanks between, as in "Test*,Iprobe". */
static void read_left_out(void)
{
	const char *p = getenv("MERIDIAN_MPI_LEAVE_OUT");
	while (p && *p) {
		size_t n = strcspn(p, ", "), skip = n > 4 && strncmp(p, "MPI_", 4) == 0 ? 4 : 0;
		const char *name = p + skip;
		size_t len = n - skip;
		bool is_begin = len && name[len - 1] == '*';
		len -= is_begin;
		for (unsigned i = MPI_CALL_OTHER + 1; len + is_begin && i < MPI_CALL_N; i++) {
			const char *call = mpi_call_names[i] + 4;
			if (strncmp(call, name, len) == 0 && (is_begin || !call[len]))
				left_out[i] = true;
		}
		p += n;
		p += strspn(p, ", ");
	}
}

bool mm_is_left_out(unsigned call)
{
	return left_out[call];
}

/* The rank as launchers say it, for the folder's name; -1: not known. */
static int rank_of_launcher(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"SLURM_PROCID" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *v = getenv(names[i]);
		if (v && *v >= '0' && *v <= '9')
			return atoi(v);
	}
	return -1;
}

bool mm_is_lttng(void)
{
	return where == TO_LTTNG;
}

void mm_tell_begin(void)
{
	const char *folder_wanted = getenv("MERIDIAN_MPI_TRACE");
	where = is_wanted() && !(folder_wanted && *folder_wanted) ? TO_LTTNG : TO_CTF;
	shown_rank = rank_of_launcher();
	read_left_out();
	mm_polls_begin();
}

void mm_tell_rank(void)
{
	bool is_new = shown_rank < 0;
	shown_rank = mm_rank;
	for (unsigned i = 0; is_new && mm_rank >= 0 && i < n_early; i++)
		to_ctf(&early[i]);
}

void mm_write(struct mm_record *r)
{
	r->rank = mm_rank;
	r->tid = mm_thread.tid;
	if (where == TO_LTTNG) {
		to_lttng(r);
		return;
	}
	r->time = r->time ? r->time : mm_now();
	to_ctf(r);
}

void mm_tell(struct mm_record r)
{
	unsigned call = mm_thread.untold;
	if (call) { /* it does something, so it is not left out */
		mm_thread.untold = 0;
		mm_tell((struct mm_record){ .event = MM_ENTER, .peer = (int32_t)call });
	}
	mm_polls_settle();
	mm_write(&r);
}

/* Threads that still call MPI now break its rules; what they have is not taken away from them. */
void mm_tell_end(void)
{
	char more[64];
	bool ok = true;
	if (where == TO_LTTNG)
		return;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n_streams; i++)
		ok &= mm_stream_close(streams[i], streams[i] == mm_thread.stream);
	if (!ok)
		say("the trace could not be written to its end", "");
	snprintf(more, sizeof(more), "%llu", (unsigned long long)n_lost);
	if (n_lost)
		say("events were lost: ", more);
	pthread_mutex_unlock(&lock);
}
