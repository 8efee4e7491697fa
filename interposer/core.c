/* Where this process is in MPI: its rank, the communicators it has met, begin and end.
 *
 * A communicator's number is the same in all its ranks without a message: it is a hash of its
 * ranks in the world, and of how many communicators of the same ranks came before it, which all of
 * them make in one order. The world is 0. */
#include "interposer/interposer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread struct mm_thread mm_thread;
int32_t mm_rank = -1, mm_size, mm_pid;
bool mm_is_on, mm_is_multiple;

static int keyval = MPI_KEYVAL_INVALID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned generation = 1; /* of communicators: one was freed */
static MPI_Group world;

struct seen { /* communicators of the same ranks */
	uint64_t ranks;
	unsigned n;
};
static struct seen *seen;
static size_t n_seen;

/* ---- calls ---- */

void mm_first_call(void)
{
	mm_thread.tid = (int32_t)syscall(SYS_gettid);
}

void mm_enter(unsigned call)
{
	if (mm_is_left_out(call)) {
		mm_thread.untold = call;
		return;
	}
	mm_tell((struct mm_record){ .event = MM_ENTER, .peer = (int32_t)call });
}

void mm_leave(unsigned call)
{
	if (mm_thread.untold)
		mm_thread.untold = 0;
	else
		mm_tell((struct mm_record){ .event = MM_LEAVE, .peer = (int32_t)call });
	mm_thread.depth = 0;
}

int64_t mm_bytes(int count, MPI_Datatype type)
{
	int size = 0;
	if (type == MPI_DATATYPE_NULL || count <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
		size < 0)
		return 0;
	return (int64_t)count * size;
}

/* ---- communicators ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 29;
}

/* How many communicators of these ranks there were before. */
static unsigned ordinal(uint64_t ranks)
{
	for (size_t i = 0; i < n_seen; i++)
		if (seen[i].ranks == ranks)
			return seen[i].n++;
	struct seen *more = realloc(seen, (n_seen + 1) * sizeof(*seen));
	if (!more)
		return 0;
	seen = more;
	seen[n_seen++] = (struct seen){ ranks, 1 };
	return 0;
}

static struct mm_comm *make(MPI_Comm comm)
{
	MPI_Group group;
	int n = 0, between = 0;
	if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between ||
		PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
		return NULL;
	PMPI_Group_size(group, &n);
	struct mm_comm *c = calloc(1, sizeof(*c));
	int *ranks = calloc((size_t)n + 1, sizeof(*ranks));
	if (!c || !ranks) {
		free(c);
		free(ranks);
		PMPI_Group_free(&group);
		return NULL;
	}
	c->world = calloc((size_t)n + 1, sizeof(*c->world));
	for (int i = 0; i < n; i++)
		ranks[i] = i;
	bool known = c->world &&
		     PMPI_Group_translate_ranks(group, n, ranks, world, c->world) == MPI_SUCCESS;
	PMPI_Group_free(&group);
	free(ranks);
	if (!known) {
		free(c->world);
		free(c);
		return NULL;
	}
	uint64_t hash = (uint64_t)n;
	for (int i = 0; i < n; i++)
		hash = mix(hash, (uint64_t)c->world[i]);
	c->size = n;
	c->id = (int64_t)(mix(hash, ordinal(hash)) & INT64_MAX);
	if (comm == MPI_COMM_WORLD)
		c->id = 0;
	else if (c->id == 0)
		c->id = 1;
	return c;
}

static int forget(MPI_Comm comm, int key, void *value, void *state)
{
	struct mm_comm *c = value;
	(void)comm;
	(void)key;
	(void)state;
	__atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
	free(c->world);
	free(c);
	return MPI_SUCCESS;
}

static struct mm_comm *look_up(MPI_Comm comm)
{
	struct mm_comm *c = NULL;
	int found = 0;
	if (PMPI_Comm_get_attr(comm, keyval, &c, &found) != MPI_SUCCESS)
		return NULL;
	if (found)
		return c;
	c = make(comm);
	if (!c)
		return NULL;
	if (PMPI_Comm_set_attr(comm, keyval, c) != MPI_SUCCESS) {
		free(c->world);
		free(c);
		return NULL;
	}
	mm_tell((struct mm_record){ .event = MM_COMM, .comm = c->id, .peer = c->size });
	return c;
}

struct mm_comm *mm_comm_of(MPI_Comm comm)
{
	struct mm_thread *t = &mm_thread;
	unsigned now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
	if (t->info && t->comm == comm && t->generation == now)
		return t->info;
	if (comm == MPI_COMM_NULL || keyval == MPI_KEYVAL_INVALID)
		return NULL;
	pthread_mutex_lock(&lock);
	struct mm_comm *c = look_up(comm);
	pthread_mutex_unlock(&lock);
	t->comm = comm;
	t->info = c;
	t->generation = now;
	return c;
}

void mm_new_comm(MPI_Comm comm)
{
	mm_comm_of(comm);
}

static int32_t world_rank(const struct mm_comm *c, int rank)
{
	int32_t w = rank >= 0 && rank < c->size ? c->world[rank] : -1;
	return w == MPI_UNDEFINED ? -1 : w;
}

/* ---- messages ---- */

void mm_send(MPI_Comm comm, int dest, int tag, int64_t bytes, uint64_t request)
{
	const struct mm_comm *c = dest == MPI_PROC_NULL ? NULL : mm_comm_of(comm);
	if (c)
		mm_tell((struct mm_record){ .event = MM_SENT,
			.comm = c->id,
			.bytes = (uint64_t)bytes,
			.request = request,
			.peer = world_rank(c, dest),
			.tag = tag });
}

void mm_posted(MPI_Comm comm, int source, int tag, int64_t bytes, uint64_t request)
{
	const struct mm_comm *c = source == MPI_PROC_NULL ? NULL : mm_comm_of(comm);
	if (c)
		mm_tell((struct mm_record){ .event = MM_POSTED,
			.comm = c->id,
			.bytes = (uint64_t)bytes,
			.request = request,
			.peer = source == MPI_ANY_SOURCE ? -1 : world_rank(c, source),
			.tag = tag == MPI_ANY_TAG ? -1 : tag });
}

void mm_received(const struct mm_comm *c, const MPI_Status *status, uint64_t request)
{
	int bytes = 0, cancelled = 0;
	if (!c || status->MPI_SOURCE == MPI_PROC_NULL)
		return;
	if (mm_cancels)
		PMPI_Test_cancelled(status, &cancelled);
	if (!cancelled && (PMPI_Get_count(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0))
		bytes = 0;
	mm_tell((struct mm_record){ .event = MM_RECV_DONE,
		.comm = c->id,
		.bytes = (uint64_t)bytes,
		.request = request,
		.peer = cancelled ? -1 : world_rank(c, status->MPI_SOURCE),
		.tag = cancelled ? -1 : status->MPI_TAG });
}

void mm_collective(MPI_Comm comm, int root, int64_t bytes)
{
	struct mm_comm *c = mm_comm_of(comm);
	if (c)
		mm_tell((struct mm_record){ .event = MM_JOINED,
			.comm = c->id,
			.bytes = (uint64_t)bytes,
			.request = (uint64_t)__atomic_fetch_add(&c->seq, 1, __ATOMIC_RELAXED),
			.peer = root < 0 ? -1 : world_rank(c, root) });
}

/* ---- begin and end ---- */

static uint64_t program_number(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	uint64_t n = mix(mix((uint64_t)t.tv_sec, (uint64_t)t.tv_nsec), (uint64_t)getpid());
	n = n ? n : 1;
	PMPI_Bcast(&n, (int)sizeof(n), MPI_BYTE, 0, MPI_COMM_WORLD);
	return n;
}

/* Before the library begins. False: a library's function for Fortran calls the one for C. */
static bool before_init(unsigned call)
{
	if (mm_thread.depth)
		return false;
	mm_pid = (int32_t)getpid();
	mm_tell_begin();
	mm_is_on = true;
	mm_begin();
	mm_enter(call);
	return true;
}

static void after_init(unsigned call, int rc)
{
	int rank = -1, size = 0;
	mm_thread.depth = 1;
	if (rc == MPI_SUCCESS) {
		PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
		PMPI_Comm_size(MPI_COMM_WORLD, &size);
		mm_rank = rank;
		mm_size = size;
		int level = MPI_THREAD_SINGLE;
		PMPI_Query_thread(&level);
		mm_is_multiple = level == MPI_THREAD_MULTIPLE;
		mm_tell_rank();
		PMPI_Comm_group(MPI_COMM_WORLD, &world);
		if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) !=
			MPI_SUCCESS)
			keyval = MPI_KEYVAL_INVALID;
		mm_tell((struct mm_record){
			.event = MM_INIT, .peer = size, .bytes = program_number() });
		mm_comm_of(MPI_COMM_WORLD);
	}
	mm_leave(call);
}

static bool before_finalize(void)
{
	if (!mm_begin())
		return false;
	mm_enter(MPI_CALL_Finalize);
	mm_thread.info = NULL;
	return true;
}

static void after_finalize(void)
{
	keyval = MPI_KEYVAL_INVALID;
	mm_leave(MPI_CALL_Finalize);
	mm_tell((struct mm_record){ .event = MM_FINAL });
	mm_is_on = false;
	mm_tell_end();
}

MM_EXPORT int MPI_Init(int *argc, char ***argv)
{
	bool is_told = before_init(MPI_CALL_Init);
	int rc = PMPI_Init(argc, argv);
	if (is_told)
		after_init(MPI_CALL_Init, rc);
	return rc;
}

MM_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	bool is_told = before_init(MPI_CALL_Init_thread);
	int rc = PMPI_Init_thread(argc, argv, required, provided);
	if (is_told)
		after_init(MPI_CALL_Init_thread, rc);
	return rc;
}

MM_EXPORT int MPI_Finalize(void)
{
	bool is_told = before_finalize();
	int rc = PMPI_Finalize();
	if (is_told)
		after_finalize();
	return rc;
}

/* Fortran: there are no such symbols where no program of Fortran is. */
#pragma weak pmpi_init_
#pragma weak pmpi_init_thread_
#pragma weak pmpi_finalize_
void pmpi_init_(MPI_Fint *ierr);
void pmpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr);
void pmpi_finalize_(MPI_Fint *ierr);

MM_EXPORT void mpi_init_(MPI_Fint *ierr)
{
	bool is_told = before_init(MPI_CALL_Init);
	pmpi_init_(ierr);
	if (is_told)
		after_init(MPI_CALL_Init, (int)*ierr);
}

MM_EXPORT void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
	bool is_told = before_init(MPI_CALL_Init_thread);
	pmpi_init_thread_(required, provided, ierr);
	if (is_told)
		after_init(MPI_CALL_Init_thread, (int)*ierr);
}

MM_EXPORT void mpi_finalize_(MPI_Fint *ierr)
{
	bool is_told = before_finalize();
	pmpi_finalize_(ierr);
	if (is_told)
		after_finalize();
}

/* The module mpi_f08 has functions of its own for each call, with optional arguments and, in MPICH,
 * descriptors of arrays: these are not wrapped, and whoever records such a program is told. */
static void tell_f08(void)
{
	int rank = 1;
	if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0)
		fputs("libmeridian-mpi: calls of the Fortran module mpi_f08 are not recorded\n",
			stderr);
}

/* The library's own; MPICH has none with a p before its name. */
static void *next_of(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	if (!found) {
		fprintf(stderr, "libmeridian-mpi: the MPI library has no %s\n", name);
		abort(); /* there is nothing that the program could go on with */
	}
	return found;
}

MM_EXPORT void mpi_init_f08_(MPI_Fint *ierr)
{
	void (*next)(MPI_Fint *);
	void *found = next_of("mpi_init_f08_");
	memcpy(&next, &found, sizeof(next));
	next(ierr);
	tell_f08();
}

MM_EXPORT void mpi_init_thread_f08_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
	void (*next)(MPI_Fint *, MPI_Fint *, MPI_Fint *);
	void *found = next_of("mpi_init_thread_f08_");
	memcpy(&next, &found, sizeof(next));
	next(required, provided, ierr);
	tell_f08();
}

MM_ALIAS(mpi_init_, mpi_init, (MPI_Fint * ierr))
MM_ALIAS(mpi_init_, mpi_init__, (MPI_Fint * ierr))
MM_ALIAS(mpi_init_, MPI_INIT, (MPI_Fint * ierr))
MM_ALIAS(mpi_init_thread_, mpi_init_thread,
	(MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
MM_ALIAS(mpi_init_thread_, mpi_init_thread__,
	(MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
MM_ALIAS(mpi_init_thread_, MPI_INIT_THREAD,
	(MPI_Fint * required, MPI_Fint *provided, MPI_Fint *ierr))
MM_ALIAS(mpi_finalize_, mpi_finalize, (MPI_Fint * ierr))
MM_ALIAS(mpi_finalize_, mpi_finalize__, (MPI_Fint * ierr))
MM_ALIAS(mpi_finalize_, MPI_FINALIZE, (MPI_Fint * ierr))

/* ---- arguments of Fortran ---- */

MPI_Request *mm_f_requests(const MPI_Fint *f, int n)
{
	MPI_Request *c = malloc(((size_t)(n > 0 ? n : 0) + 1) * sizeof(*c));
	for (int i = 0; c && i < n; i++)
		c[i] = PMPI_Request_f2c(f[i]);
	return c;
}

static size_t f_status_size(void)
{
	return sizeof(MPI_Status) / sizeof(MPI_Fint); /* of both libraries */
}

struct mm_f_statuses mm_f_statuses(MPI_Fint *f, int n)
{
	struct mm_f_statuses s = { .f = f, .n = n > 0 ? n : 0 };
	s.c = calloc((size_t)s.n + 1, sizeof(*s.c));
	if (f == MPI_F_STATUSES_IGNORE && s.c)
		s.own = calloc(((size_t)s.n + 1) * f_status_size(), sizeof(*s.own));
	if (s.own)
		s.f = s.own;
	return s;
}

void mm_f_statuses_back(struct mm_f_statuses *s, int n)
{
	for (int i = 0; s->c && s->f != MPI_F_STATUSES_IGNORE && i < n && i < s->n; i++)
		PMPI_Status_f2c(s->f + (size_t)i * f_status_size(), &s->c[i]);
}

void mm_f_statuses_fini(struct mm_f_statuses *s)
{
	free(s->own);
	free(s->c);
}
