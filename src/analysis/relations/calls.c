#include "analysis/relations/calls.h"

#include "kernel/calls.h"

#define ROLE(class, role) [__builtin_ctz(KERNEL_CALLS_##class)] = ROLE_##role

/* By number of the bit of a class. If a call has several classes, the lowest bit with a role
 * counts: vfork is a fork. */
static const uint8_t roles[32] = {
	ROLE(READ, READ),
	ROLE(WRITE, WRITE),
	ROLE(OPEN, OPEN),
	ROLE(CLOSE, CLOSE),
	ROLE(CONNECT, CONNECT),
	ROLE(ACCEPT, ACCEPT),
	ROLE(SHUTDOWN, SHUTDOWN),
	ROLE(MULTIPLEX, POLL),
	ROLE(FUTEX, FUTEX),
	ROLE(LOCK, LOCK),
	ROLE(SEMAPHORE, SEMAPHORE),
	ROLE(QUEUE, QUEUE),
	ROLE(SIGNAL, SIGNAL),
	ROLE(FORK, FORK),
	ROLE(WAIT, WAIT),
	ROLE(EXEC, EXEC),
	ROLE(EXIT, EXIT),
	ROLE(EXIT_GROUP, EXIT_GROUP),
	ROLE(PTRACE, PTRACE),
};

enum relation_role relation_role_of(uint32_t classes)
{
	const uint32_t uncounted = KERNEL_CALLS_MESSAGES | KERNEL_CALLS_PEEK;
	for (uint32_t left = classes; left; left &= left - 1) {
		enum relation_role role = (enum relation_role)roles[__builtin_ctz(left)];
		if (role == ROLE_READ && classes & uncounted)
			return ROLE_READ_N;
		if (role == ROLE_WRITE && classes & uncounted)
			return ROLE_WRITE_N;
		if (role != ROLE_OTHER)
			return role;
	}
	return ROLE_OTHER;
}
