/* Facts about servers: calls of accept, and activity of threads of processes that accept
 * connections. */
#ifndef MER_ANALYSIS_FACTS_ACCEPT_H
#define MER_ANALYSIS_FACTS_ACCEPT_H

#include "analysis/fact.h"

enum accept_result { ACCEPT_CONNECTION, ACCEPT_SPURIOUS, ACCEPT_ERROR };
/* A call of accept; choice: enum accept_result. */
struct accept_call {
	struct fact fact;
	int64_t delay_ns; /* since the connection was ready; FACT_UNKNOWN: not known */
	uint32_t server;  /* task: the first worker of its server */
	uint32_t object;  /* name of the socket that its thread listens on; KERNEL_NONE */
	uint32_t client;  /* name of the connection's socket; KERNEL_NONE: not known */
	/* open connections of the process at that time, including this one; 0: the call returned
	 * none */
	uint32_t connections;
};

enum server_event {
	SERVER_WAKEUP, /* a wait of a worker ended */
	SERVER_SWITCH, /* a worker came onto a CPU */
	/* another thread of its process came onto a CPU; it is counted for this server */
	SERVER_OTHER_SWITCH,
	SERVER_DESCRIPTORS /* the highest file descriptor of its process so far */
};
/* An instant; choice: enum server_event. */
struct server_turn {
	struct fact fact;
	uint32_t server, object; /* as above */
	uint32_t descriptors;	 /* the highest one plus 1; 0: another event */
	uint32_t unused;
};

#endif
