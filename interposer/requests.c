/* Requests: what was begun and has not completed, by handle. Each beginning has a number of its
 * own, which the events have: handles are used again. */
#include "interposer/interposer.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mm_request *table;
static size_t cap, used;
static uint64_t last_number;
bool mm_cancels;

uint64_t mm_next_request(void)
{
	return __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
}

static uint64_t key_of(const void *handle, size_t size, enum mm_kind kind)
{
	uint64_t key = 0;
	memcpy(&key, handle, size < sizeof(key) ? size : sizeof(key));
	return (key << 1 | (kind == MM_MESSAGE)) + 2;
}

static size_t place_of(uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (cap - 1);
}

static struct mm_request *find(uint64_t key)
{
	for (size_t i = cap ? place_of(key) : 0; cap && table[i].key; i = (i + 1) & (cap - 1))
		if (table[i].key == key)
			return &table[i];
	return NULL;
}

static bool grow(void)
{
	struct mm_request *old = table;
	size_t n = cap;
	struct mm_request *more = calloc(cap ? cap * 2 : 256, sizeof(*more));
	if (!more)
		return false;
	table = more;
	cap = cap ? cap * 2 : 256;
	for (size_t i = 0; i < n; i++) {
		if (!old[i].key)
			continue;
		size_t k = place_of(old[i].key);
		while (table[k].key)
			k = (k + 1) & (cap - 1);
		table[k] = old[i];
	}
	free(old);
	return true;
}

static void put(struct mm_request e)
{
	struct mm_request *x = find(e.key);
	if (x) {
		*x = e;
		return;
	}
	if ((used + 1) * 2 > cap && !grow())
		return;
	size_t i = place_of(e.key);
	while (table[i].key)
		i = (i + 1) & (cap - 1);
	table[i] = e;
	used++;
}

/* Those behind it move up, so that no place is left behind. */
static void take_out(struct mm_request *x)
{
	size_t hole = (size_t)(x - table), i = hole;
	used--;
	for (;;) {
		table[hole].key = 0;
		for (;;) {
			i = (i + 1) & (cap - 1);
			if (!table[i].key)
				return;
			size_t home = place_of(table[i].key);
			bool stays =
				hole <= i ? hole < home && home <= i : hole < home || home <= i;
			if (!stays)
				break;
		}
		table[hole] = table[i];
		hole = i;
	}
}

void mm_begun(MPI_Request request, enum mm_kind kind, MPI_Comm comm, uint64_t number)
{
	if (request == MPI_REQUEST_NULL)
		return;
	struct mm_comm *c = mm_comm_of(comm);
	pthread_mutex_lock(&lock);
	put((struct mm_request){ .key = key_of(&request, sizeof(request), kind),
		.number = number,
		.comm = c,
		.kind = (uint8_t)kind });
	pthread_mutex_unlock(&lock);
}

void mm_persistent(
	MPI_Request request, enum mm_kind kind, MPI_Comm comm, int peer, int tag, int64_t bytes)
{
	struct mm_comm *c = mm_comm_of(comm);
	pthread_mutex_lock(&lock);
	put((struct mm_request){ .key = key_of(&request, sizeof(request), kind),
		.comm = c,
		.handle = comm,
		.bytes = bytes,
		.peer = peer,
		.tag = tag,
		.kind = (uint8_t)kind,
		.is_persistent = true });
	pthread_mutex_unlock(&lock);
}

void mm_started(MPI_Request request)
{
	struct mm_request e = { 0 };
	pthread_mutex_lock(&lock);
	struct mm_request *x = find(key_of(&request, sizeof(request), MM_SEND));
	if (x && x->is_persistent && x->peer != MPI_PROC_NULL) {
		x->number = mm_next_request();
		e = *x;
	}
	pthread_mutex_unlock(&lock);
	if (e.number && e.kind == MM_SEND)
		mm_send(e.handle, e.peer, e.tag, e.bytes, e.number);
	else if (e.number)
		mm_posted(e.handle, e.peer, e.tag, e.bytes, e.number);
}

/* What the request was, which is then forgotten, or not started any more. */
static struct mm_request end(uint64_t key, bool is_freed)
{
	struct mm_request e = { 0 };
	pthread_mutex_lock(&lock);
	struct mm_request *x = find(key);
	if (x) {
		e = *x;
		x->number = 0;
		if (!x->is_persistent || is_freed)
			take_out(x);
	}
	pthread_mutex_unlock(&lock);
	return e;
}

void mm_take(const MPI_Request *requests, int n, struct mm_request *taken)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) {
		taken[i].key = 0;
		struct mm_request *x =
			requests[i] == MPI_REQUEST_NULL
				? NULL
				: find(key_of(&requests[i], sizeof(*requests), MM_SEND));
		if (!x)
			continue;
		taken[i] = *x;
		take_out(x);
	}
	pthread_mutex_unlock(&lock);
}

struct mm_request *mm_take_all(const MPI_Request *requests, int n)
{
	struct mm_request *taken =
		requests ? calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*taken)) : NULL;
	if (taken)
		mm_take(requests, n, taken);
	return taken;
}

const MPI_Request *mm_copy(const MPI_Request *requests, int n)
{
	static __thread struct {
		MPI_Request *handles;
		int cap;
	} kept;
	if (!requests || n <= 0)
		return NULL;
	if (n > kept.cap) {
		MPI_Request *more = realloc(kept.handles, (size_t)n * sizeof(*more));
		if (!more)
			return NULL;
		kept.handles = more;
		kept.cap = n;
	}
	memcpy(kept.handles, requests, (size_t)n * sizeof(*requests));
	return kept.handles;
}

void mm_completed(struct mm_request *taken, const MPI_Status *status)
{
	if (taken->key && taken->number && taken->kind == MM_SEND)
		mm_tell((struct mm_record){ .event = MM_SEND_DONE, .request = taken->number });
	else if (taken->key && taken->number)
		mm_received(taken->comm, status, taken->number);
	taken->number = 0;
	if (!taken->is_persistent)
		taken->key = 0;
}

void mm_put_back(struct mm_request *taken, int n)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++)
		if (taken[i].key)
			put(taken[i]);
	pthread_mutex_unlock(&lock);
}

void mm_freed(MPI_Request request)
{
	if (request != MPI_REQUEST_NULL)
		end(key_of(&request, sizeof(request), MM_SEND), true);
}

/* ---- messages that were found: their receive is posted when they are ---- */

void mm_found(MPI_Message message, MPI_Comm comm, const MPI_Status *status)
{
	uint64_t number = mm_next_request();
	struct mm_comm *c = mm_comm_of(comm);
	if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC || !c)
		return;
	mm_posted(comm, status->MPI_SOURCE, status->MPI_TAG, 0, number);
	pthread_mutex_lock(&lock);
	put((struct mm_request){ .key = key_of(&message, sizeof(message), MM_MESSAGE),
		.number = number,
		.comm = c,
		.kind = MM_MESSAGE });
	pthread_mutex_unlock(&lock);
}

void mm_taken(MPI_Message message, const MPI_Status *status)
{
	struct mm_request e = end(key_of(&message, sizeof(message), MM_MESSAGE), true);
	if (e.number)
		mm_received(e.comm, status, e.number);
}

void mm_taking(MPI_Message message, MPI_Request request)
{
	struct mm_request e = end(key_of(&message, sizeof(message), MM_MESSAGE), true);
	if (!e.number || request == MPI_REQUEST_NULL)
		return;
	e.key = key_of(&request, sizeof(request), MM_RECV);
	e.kind = MM_RECV;
	pthread_mutex_lock(&lock);
	put(e);
	pthread_mutex_unlock(&lock);
}
