/* Calls world: connections of one host, as socket pairs, from a text: for the rules of
 * src/requests. A line each; times are microseconds and rise.
 *
 *   pair TID:FD TID:FD                  a connection; the first end asks
 *   thread TID PID                      of a process; other tasks are processes of their own
 *   BEGIN-END TID CALL FD [RET]         a call that ended: read, write (RET bytes), epoll_wait,
 *                                       ...; FD -1: none
 *   born TID TIME [by TID]              a task that is not there from the start; before it is
 *                                       named; by: that one forked it
 *   TIME TID STATE [CAUSE] [by TID] [cpu N] [call NAME [fd FD]] [source N]
 *                                       from then on it is that: user, runnable, blocked futex by
 *                                       10, ...; call: on the file "/f", or on FD
 *   pipe TID:FD TID:FD                  a pipe: descriptors of two processes
 *   unix TID:FD                         a descriptor of a unix socket that is no pair
 *   kernel TID NAME                     a thread of the kernel
 *   file TID:FD                         a descriptor of a file
 *   datagram TIME TID FROM TO           what a call of that time sent over UDP, before the
 *                                       call; FROM, TO: numbers of endpoints
 *   contradictions N EVENTS             of so many events, N contradict earlier ones
 *   disk TID BEGIN END read|write [BYTES]  a request to disk 8,0 of 4096 bytes, inserted and
 *                                       completed; the first one is source 0
 *
 * Others are known from the start; their names are "tTID". */
#ifndef TESTS_CALLS_WORLD_H
#define TESTS_CALLS_WORLD_H

#include "requests/culprits.h"
#include "requests/kinds.h"

struct calls_world {
	struct kernel_world w;
	struct kernel_host host;
	struct requests *r;
	struct requests_parts_finder *parts;
};

void calls_world_open(struct calls_world *c, const char *text);
void calls_world_close(struct calls_world *c);
/* "cpu", "disk", "held", ... */
const char *calls_world_deed(enum requests_deed d);
/* Own requests (requests/own.h): "1-16 20>20\n5-9 20>21\n", in order of begin: us, and the tasks of
 * both events; ?: not known. Once. */
void calls_world_own(struct calls_world *c, const char *text);

/* "r1.1 10>20 1-8, r2.1 20>30 3-6 of r1.1 0.95": in the order of ids; who sent and who answered (?
 * : nobody known), begin and end in us, the parent and its confidence if that is not 1, and "xN"
 * for a window of N messages. */
void calls_world_text(const struct calls_world *c, char *text, size_t size);
/* Its parts: "10 requester 1, 20 running 5, 20 queued 3 for r2.1". */
void calls_world_parts(const struct calls_world *c, const char *id, char *text, size_t size);
/* Who took the time of its parts: "30 cpu 5 for r2.1, - interrupt 2, 10 own-read 3 /f". */
void calls_world_culprits(const struct calls_world *c, const char *id, char *text, size_t size);
/* Its pieces: "10 1-2 cpu 0, 20 3-7, ...": when each task worked for it, and where. */
void calls_world_pieces(const struct calls_world *c, const char *id, char *text, size_t size);
/* CPU time of [0, until_us): "r1.1 20 5, - 10 3": of each request and task in us; -: for none. */
void calls_world_costs(const struct calls_world *c, int64_t until_us, char *text, size_t size);
/* What it cost, as a tree: "20 self 5 below 3, 30 self 3 below 0 of 20 x1": xN: it answered
 * N requests for the one above. */
void calls_world_account(const struct calls_world *c, const char *id, char *text, size_t size);

#endif
