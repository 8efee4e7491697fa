/* Calls: what a system call means for who talks to whom, by its classes. */
#ifndef MER_ANALYSIS_RELATIONS_CALLS_H
#define MER_ANALYSIS_RELATIONS_CALLS_H

#include <stdint.h>

enum relation_role {
	ROLE_OTHER,
	ROLE_READ,    /* takes bytes from its descriptor */
	ROLE_WRITE,   /* gives bytes to it */
	ROLE_WRITE_N, /* gives messages: returns how many */
	/* takes messages, or leaves what it reads (tee): the result is no sum of bytes */
	ROLE_READ_N,
	ROLE_OPEN,
	ROLE_CLOSE,
	ROLE_CONNECT,
	ROLE_ACCEPT,
	ROLE_SHUTDOWN,
	ROLE_POLL, /* waits for any of several descriptors */
	ROLE_FUTEX,
	ROLE_SIGNAL, /* sends one */
	ROLE_WAIT,   /* for children */
	ROLE_FORK,
	ROLE_EXEC,
	ROLE_EXIT,	 /* of a thread */
	ROLE_EXIT_GROUP, /* of all threads of the process */
	ROLE_LOCK,	 /* of a file */
	ROLE_SEMAPHORE,
	ROLE_QUEUE,
	ROLE_PTRACE
};

enum relation_role relation_role_of(uint32_t classes); /* enum kernel_call_class */

#endif
