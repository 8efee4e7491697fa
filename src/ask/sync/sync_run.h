/* A synchronization as the verbs `sync` and `latency` ask for it (session/alignment.h): what both
 * understand of the command line. Printing is theirs. */
#ifndef MER_ASK_SYNC_SYNC_RUN_H
#define MER_ASK_SYNC_SYNC_RUN_H

#include "ask/session.h"
#include "session/alignment.h"

struct ask_sync_values {	      /* options that both verbs have, as typed */
	struct session_texts methods; /* "hull", "HOST=hull" */
	struct session_texts offsets; /* "HOST=-5us" */
	const char *reference;	      /* host */
	const char *max_drift_ppm;    /* "1000", "auto" */
	const char *pairs;	      /* file of user's pairs of events */
};

struct ask_sync {
	struct ask *ask;
	struct session *session;
	struct mer_experiment *e;
	struct session_alignment found;
	struct sync_options options;
	struct sync_host_choice *choices; /* as e->hosts */
	struct sync_result *result;	  /* found.result */
	uint64_t limit;			  /* rows that people see of a table; 0: a screenful */
	struct session_synced synced;	  /* of the answer */
	bool told; /* the result's findings were printed, so they need not go to stderr */
};

/* Opens, finds the messages (within --begin and --end, on each host's own clock) and solves; with
 * --sync FILE the result is read instead, with --sync none nothing is changed. Either way
 * ask_sync_close frees and reports. */
int ask_sync_open(struct ask *ask, const struct ask_sync_values *v, struct ask_sync *s);
void ask_sync_close(struct ask_sync *s);

/* A host by its name; fails with the names that there are. what: the option. */
int ask_sync_find_host(
	const struct ask_sync *s, const char *what, const char *name, size_t len, uint32_t *host);

/* A time of a host's own clock on the common time line. */
static inline int64_t ask_sync_time(const struct ask_sync *s, uint32_t host, int64_t t)
{
	return trace_map_time(&s->result->hosts[host].map, t);
}

#endif
