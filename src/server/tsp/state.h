/* State of the protocol, kept as long as the server: UUIDs of traces, the name that a client gave
 * the experiment, derived outputs, the index of events. */
#ifndef MER_SERVER_TSP_STATE_H
#define MER_SERVER_TSP_STATE_H

#include "ask/library/api.h"
#include "server/tsp/index.h"

enum { TSP_UUID_CHARS = 36, TSP_MAX_DERIVED = 64, TSP_MAX_NAME = 256 };

struct tsp_span { /* of a trace, or of all */
	int64_t begin, end;
};

struct tsp_derived { /* a derived output: the critical path of this task */
	uint32_t host;
	int32_t tid;
};

/* The task of a derived output; false: the id is not one of a derived output. */
bool tsp_parse_derived(const char *id, struct tsp_derived *d);

enum { TSP_KEPT_PATHS = 4 };
struct tsp_kept_path { /* the path of a task; host KERNEL_NONE: of the default task */
	struct tsp_derived of;
	struct mer_result *path;      /* NULL: none */
	struct tsp_segment *segments; /* its rows */
};

/* The answer to a question, and what tells it from others (question.c). */
enum { TSP_KEPT_ANSWERS = 32, TSP_KEPT_CELLS = 4000000 };
struct tsp_kept_answer {
	struct store_key key; /* of its words */
	size_t n_cells;
	struct answer answer;
	struct mer_result results[ANSWER_TABLES]; /* as its tables */
	struct tsp_kept_answer *next;		  /* that was used before it; NULL: none */
};

struct tsp_state {
	/* Used only by the thread that has the session: the paths that were shown last, and
	 * answers. */
	struct tsp_kept_path paths[TSP_KEPT_PATHS];
	size_t next_path;
	struct tsp_kept_answer *answers; /* the one that was used last; NULL: none */
	struct tsp_index index;
	char experiment[TSP_UUID_CHARS + 1];
	char (*traces)[TSP_UUID_CHARS + 1]; /* as the experiment's */
	/* Time spans from before the alignment, which can be reported while the clocks are being
	 * aligned. */
	struct tsp_span *spans, span;
	uint32_t n_traces;
	pthread_mutex_t lock; /* protects the members below */
	char name[TSP_MAX_NAME];
	struct tsp_derived derived[TSP_MAX_DERIVED];
	size_t n_derived;
};

#endif
