/* Worlds by hand: tasks and their spans, a line each. Times are ms; everything must succeed. */
#ifndef MER_TESTS_TASKS_WORLD_H
#define MER_TESTS_TASKS_WORLD_H

#include "kernel/vm/guests.h"
#include "kernel/vm/vcpus.h"
#include "kernel/world.h"

#define MS INT64_C(1000000)

struct tasks_world {
	struct kernel_world w;
	struct kernel_host hosts[3];
	struct kernel_bridge packets[32];
};

void tw_init(struct tasks_world *t, uint32_t n_hosts, int64_t end);
void tw_fini(struct tasks_world *t);
/* A task (its pid is its tid) that was there when the recording began, or forked by another one. */
uint32_t tw_task(struct tasks_world *t, uint32_t host, int32_t tid, const char *comm);
uint32_t tw_fork(struct tasks_world *t, uint32_t host, uint32_t parent, int32_t tid,
	const char *comm, int64_t at);
void tw_exit(struct tasks_world *t, uint32_t host, uint32_t task, int64_t at);
/* The next span of the task; they are given in the order of time, over all tasks. */
uint32_t tw_span(
	struct tasks_world *t, uint32_t host, uint32_t task, int64_t at, enum kernel_state state);
/* A wait in a call ("": in none), on an object ("": none). */
uint32_t tw_wait(struct tasks_world *t, uint32_t host, uint32_t task, int64_t at, const char *call,
	const char *object, enum kernel_cause cause);
/* What ended a wait: a span of the same host; a packet that a span of another one sent. */
void tw_by(struct tasks_world *t, uint32_t host, uint32_t wait, uint32_t span);
void tw_by_packet(struct tasks_world *t, uint32_t host, uint32_t wait, uint32_t from,
	uint32_t sender, int64_t sent, int64_t received);
/* The host is a guest of that one, with room for 8 of each; words are a text of it. */
struct kernel_guest *tw_guest(struct tasks_world *t, uint32_t host, uint32_t hypervisor);
uint32_t tw_absence(struct kernel_guest *g, enum kernel_vcpu_state state, const char *words);

#endif
