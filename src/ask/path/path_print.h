/* Printing of a path: for people, and as the formats of other tools; for programs: path_answer.h.
 * All of them only read it. */
#ifndef MER_ASK_PATH_PATH_PRINT_H
#define MER_ASK_PATH_PATH_PRINT_H

#include "path/path.h"
#include "base/str.h"
#include "ask/requests/request_holders.h"
#include "ask/session.h"

enum { ASK_COLLAPSE_AUTO = -1 };

struct ask_path {
	struct ask *ask;
	const struct session_world *w;
	const struct path *p;
	int64_t collapse_ns; /* shorter pieces are folded; ASK_COLLAPSE_AUTO: as the screen wants */
	uint64_t limit;	     /* of lines of the list; 0: none */
	bool absolute;	     /* times of day in the list */
	const struct ask_request_holders *holders; /* of a request; NULL: it is of none */
};

/* Summary, then the list (path_list.c). */
int ask_path_text(const struct ask_path *c, struct mer_str *out);
int ask_path_list(const struct ask_path *c, struct mer_str *out);
/* Graphviz: which task waited for which. */
int ask_path_dot(const struct ask_path *c, struct mer_str *out);
/* Stacks of waiting tasks: a line each for flame graphs; in time order for speedscope. */
int ask_path_folded(const struct ask_path *c, struct mer_str *out);
int ask_path_speedscope(const struct ask_path *c, struct mer_str *out);

/* As SVG, to a file or to the output ("-"). */
int ask_path_plot(const struct ask_path *c, const char *file);

struct ask_path_share {
	struct path_share share;
	int64_t in_flight_ns; /* of share.total_ns: packets were on their way */
};
/* By task or by host, the greatest first; malloc'ed, freed in any case. */
int ask_path_shares(const struct ask_path *c, bool tasks, struct ask_path_share **rows, size_t *n);

/* A packet on its way between two hosts; is it shorter than their clocks' usual error? */
bool ask_path_crosses(const struct path *p, const struct path_segment *s);
bool ask_path_is_below_bound(const struct ask_path *c, const struct path_segment *s);
/* For each segment the one that waits for it: the next one that is less deep; SIZE_MAX: none.
 * malloc'ed. */
size_t *ask_path_waiters(const struct path *p);
/* More than one host has a part in it. */
bool ask_path_has_hosts(const struct path *p);
/* "wget/123 on client, from 12:00:00.123 for 230 ms". */
void ask_path_title(const struct path *p, struct mer_str *out);

#endif
