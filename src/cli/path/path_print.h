/* Printing of a path: for people, and as the formats of other tools; for programs: path_answer.h.
 * All of them only read it. */
#ifndef MER_CLI_PATH_PATH_PRINT_H
#define MER_CLI_PATH_PATH_PRINT_H

#include "path/path.h"
#include "base/str.h"
#include "cli/requests/request_holders.h"
#include "cli/session.h"

enum { CLI_COLLAPSE_AUTO = -1 };

struct cli_path {
	struct cli *cli;
	const struct session_world *w;
	const struct path *p;
	int64_t collapse_ns; /* shorter pieces are folded; CLI_COLLAPSE_AUTO: as the screen wants */
	uint64_t limit;	     /* of lines of the list; 0: none */
	bool absolute;	     /* times of day in the list */
	const struct cli_request_holders *holders; /* of a request; NULL: it is of none */
};

/* Summary, then the list (path_list.c). */
int cli_path_text(const struct cli_path *c, struct mer_str *out);
int cli_path_list(const struct cli_path *c, struct mer_str *out);
/* Graphviz: which task waited for which. */
int cli_path_dot(const struct cli_path *c, struct mer_str *out);
/* Stacks of waiting tasks: a line each for flame graphs; in time order for speedscope. */
int cli_path_folded(const struct cli_path *c, struct mer_str *out);
int cli_path_speedscope(const struct cli_path *c, struct mer_str *out);

/* As SVG, to a file or to the output ("-"). */
int cli_path_plot(const struct cli_path *c, const char *file);

struct cli_path_share {
	struct path_share share;
	int64_t in_flight_ns; /* of share.total_ns: packets were on their way */
};
/* By task or by host, the greatest first; malloc'ed, freed in any case. */
int cli_path_shares(const struct cli_path *c, bool tasks, struct cli_path_share **rows, size_t *n);

/* A packet on its way between two hosts; is it shorter than their clocks' usual error? */
bool cli_path_crosses(const struct path *p, const struct path_segment *s);
bool cli_path_is_below_bound(const struct cli_path *c, const struct path_segment *s);
/* For each segment the one that waits for it: the next one that is less deep; SIZE_MAX: none.
 * malloc'ed. */
size_t *cli_path_waiters(const struct path *p);
/* More than one host has a part in it. */
bool cli_path_has_hosts(const struct path *p);
/* "wget/123 on client, from 12:00:00.123 for 230 ms". */
void cli_path_title(const struct path *p, struct mer_str *out);

#endif
