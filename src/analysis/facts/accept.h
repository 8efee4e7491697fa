/* Facts about servers: calls of accept, and what the threads of processes that accept did. */
#ifndef MER_ANALYSIS_FACTS_ACCEPT_H
#define MER_ANALYSIS_FACTS_ACCEPT_H

#include "analysis/fact.h"

enum accept_result { ACCEPT_CONNECTION, ACCEPT_SPURIOUS, ACCEPT_ERROR };
/* A call of accept; choice: enum accept_result. */
struct accept_call {
	struct fact fact;
	int64_t delay_ns;     /* since the connection was ready; FACT_UNKNOWN */
	uint32_t server;      /* task: the first worker of its server */
	uint32_t object;      /* name of what its thread listens on; KERNEL_NONE */
	uint32_t client;      /* name of the connection; KERNEL_NONE: not known */
	uint32_t connections; /* that the process had then, with this one; 0: none came */
};

enum server_event {
	SERVER_WAKEUP,	     /* a wait of a worker ended */
	SERVER_SWITCH,	     /* a worker came onto a CPU */
	SERVER_OTHER_SWITCH, /* another thread of its process did, for which it stands */
	SERVER_DESCRIPTORS   /* the greatest descriptor of its process so far */
};
/* An instant; choice: enum server_event. */
struct server_turn {
	struct fact fact;
	uint32_t server, object; /* as above */
	uint32_t descriptors;	 /* the greatest one plus 1; 0: another event */
	uint32_t unused;
};

#endif
