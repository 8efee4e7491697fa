/* The stream of a thread: a CTF file whose packet is mapped and written in place, event by event. So
 * whatever ends the process, kill -9 as well, everything up to then is in the file: the packet says
 * after each event how far it goes. What is behind that in a packet is padding.
 *
 * Room is reserved before it is mapped: a full disk is a failed call, and events that are counted as
 * discarded, not a signal that ends the program. */
#include "interposer/interposer.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PACKET_BYTES = 256 << 10, MOST_BYTES = 80 /* of an event */ };

/* As ctf_new_packet_header, _context and _event_header (CTF_WRITE_PLAIN) lay them out. */
enum {
	AT_UUID = 4,
	AT_STREAM_ID = 20,
	AT_STREAM = 24,
	AT_BEGIN = 32,
	AT_END = 40,
	AT_CONTENT = 48,
	AT_SIZE = 56,
	AT_NUMBER = 64,
	AT_DISCARDED = 72,
	AT_CPU = 80,
	AT_EVENTS = 84
};

struct mm_stream {
	const struct mm_ctf *ctf;
	uint64_t number, n_packets, n_discarded;
	int fd;
	uint8_t *packet; /* NULL: there is no room */
	size_t used;
	size_t last; /* where the last event begins */
	uint64_t last_time, time_before;
	bool is_closed;
};

static void put64(uint8_t *at, uint64_t v)
{
	v = htole64(v);
	memcpy(at, &v, sizeof(v));
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
}

static void put16(uint8_t *at, uint16_t v)
{
	v = htole16(v);
	memcpy(at, &v, sizeof(v));
}

/* The packet goes up to here, and this time. If the process ends between the two, it is longer in
 * time than its events. */
static void reaches(struct mm_stream *s, size_t used, uint64_t time)
{
	put64(s->packet + AT_END, time);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	put64(s->packet + AT_CONTENT, (uint64_t)used * 8);
	s->used = used;
}

static bool next_packet(struct mm_stream *s, uint64_t time)
{
	off_t at = (off_t)s->n_packets * PACKET_BYTES;
	if (s->packet)
		munmap(s->packet, PACKET_BYTES);
	s->packet = NULL;
	uint8_t *p =
		posix_fallocate(s->fd, at, PACKET_BYTES) != 0
			? MAP_FAILED
			: mmap(NULL, PACKET_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, at);
	if (p == MAP_FAILED) {
		/* Zeros at the end would be a packet that is damaged. */
		return ftruncate(s->fd, at) == 0 && false;
	}
	s->packet = p;
	memcpy(p + AT_UUID, mm_ctf_uuid(s->ctf), 16);
	put32(p + AT_STREAM_ID, 0);
	put64(p + AT_STREAM, s->number);
	put64(p + AT_BEGIN, time);
	put64(p + AT_SIZE, (uint64_t)PACKET_BYTES * 8);
	put64(p + AT_NUMBER, s->n_packets++);
	put64(p + AT_DISCARDED, s->n_discarded);
	put32(p + AT_CPU, 0);
	reaches(s, AT_EVENTS, time);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	put32(p, 0xC1FC1FC1);
	s->last = 0;
	s->last_time = time;
	return true;
}

struct mm_stream *mm_stream_open(const struct mm_ctf *ctf, const char *path, uint64_t number)
{
	struct mm_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->ctf = ctf;
	s->number = number;
	s->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (s->fd >= 0)
		return s;
	free(s);
	return NULL;
}

/* Behind the payload. */
static uint8_t *put_payload(uint8_t *p, const struct mm_record *r)
{
	switch ((enum mm_event)r->event) {
	case MM_INIT:
		put32(p, (uint32_t)r->peer);
		put64(p + 4, r->bytes);
		return p + 12;
	case MM_COMM:
		put64(p, (uint64_t)r->comm);
		put32(p + 8, (uint32_t)r->peer);
		return p + 12;
	case MM_ENTER:
	case MM_LEAVE: put16(p, (uint16_t)r->peer); return p + 2;
	case MM_POLLED:
		put16(p, (uint16_t)r->peer);
		put64(p + 2, r->bytes);
		put64(p + 10, r->request);
		return p + 18;
	case MM_SENT:
	case MM_POSTED:
	case MM_RECV_DONE:
		put64(p, (uint64_t)r->comm);
		put32(p + 8, (uint32_t)r->peer);
		put32(p + 12, (uint32_t)r->tag);
		put64(p + 16, r->bytes);
		put64(p + 24, r->request);
		return p + 32;
	case MM_SEND_DONE: put64(p, r->request); return p + 8;
	case MM_JOINED:
		put64(p, (uint64_t)r->comm);
		put64(p + 8, r->request);
		put32(p + 16, (uint32_t)r->peer);
		put64(p + 20, r->bytes);
		return p + 28;
	default: return p;
	}
}

enum { EVENT_HEAD = 24 }; /* time, id, rank, pid, tid */

bool mm_stream_put(struct mm_stream *s, const struct mm_record *r)
{
	bool full = !s->packet || s->used + MOST_BYTES > PACKET_BYTES;
	if (s->is_closed || (full && !next_packet(s, r->time))) {
		s->n_discarded++;
		return false;
	}
	uint8_t *p = s->packet + s->used;
	put64(p, r->time);
	put32(p + 8, r->event);
	put32(p + 12, (uint32_t)r->rank);
	put32(p + 16, (uint32_t)mm_pid);
	put32(p + 20, (uint32_t)r->tid);
	uint8_t *end = put_payload(p + EVENT_HEAD, r);
	s->last = s->used;
	s->time_before = s->last_time;
	s->last_time = r->time;
	reaches(s, (size_t)(end - s->packet), r->time);
	return true;
}

void mm_stream_amend(struct mm_stream *s, uint64_t time, uint64_t count)
{
	if (!s->packet || !s->last || s->is_closed)
		return;
	time = time < s->time_before ? s->time_before : time;
	put64(s->packet + AT_END, time);
	put64(s->packet + s->last, time);
	put64(s->packet + s->last + EVENT_HEAD + 2, count);
	s->last_time = time;
}

bool mm_stream_take_back(struct mm_stream *s)
{
	if (!s->packet || !s->last || s->is_closed)
		return false;
	reaches(s, s->last, s->time_before);
	s->last_time = s->time_before;
	s->last = 0;
	return true;
}

bool mm_stream_close(struct mm_stream *s, bool is_own)
{
	bool ok = true;
	if (s->is_closed)
		return true;
	s->is_closed = true;
	/* Another thread may be about to write: its padding stays. */
	if (is_own && s->packet) {
		off_t end = (off_t)((s->n_packets - 1) * PACKET_BYTES + s->used);
		put64(s->packet + AT_SIZE, (uint64_t)s->used * 8);
		munmap(s->packet, PACKET_BYTES);
		s->packet = NULL;
		ok = ftruncate(s->fd, end) == 0;
	}
	return (close(s->fd) == 0) && ok;
}
