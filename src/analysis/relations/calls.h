/* Calls: the role of a system call in communication between tasks, by its classes. */
#ifndef MER_ANALYSIS_RELATIONS_CALLS_H
#define MER_ANALYSIS_RELATIONS_CALLS_H

#include <stdint.h>

enum relation_role {
	ROLE_OTHER,
	ROLE_READ,    /* reads bytes from its descriptor */
	ROLE_WRITE,   /* writes bytes to it */
	ROLE_WRITE_N, /* sends messages; returns their number */
	/* receives messages, or leaves the data there (tee): the result is not a number of bytes */
	ROLE_READ_N,
	ROLE_OPEN,
	ROLE_CLOSE,
	ROLE_CONNECT,
	ROLE_ACCEPT,
	ROLE_SHUTDOWN,
	ROLE_POLL, /* waits for any of several descriptors */
	ROLE_FUTEX,
	ROLE_SIGNAL, /* sends a signal */
	ROLE_WAIT,   /* waits for children */
	ROLE_FORK,
	ROLE_EXEC,
	ROLE_EXIT,	 /* ends a thread */
	ROLE_EXIT_GROUP, /* ends all threads of the process */
	ROLE_LOCK,	 /* locks a file */
	ROLE_SEMAPHORE,
	ROLE_QUEUE,
	ROLE_PTRACE
};

/* classes: bits of enum kernel_call_class */
enum relation_role relation_role_of(uint32_t classes);

#endif
