/* Counts: how many facts of each kind began in each bin of a window, and how many bytes they moved:
 * what a picture of hosts' load over time is drawn from. Bins as those of lanes.h. From a store,
 * whatever the window, at the cost of its bins; without one everything is read. */
#ifndef MER_SESSION_COUNTS_H
#define MER_SESSION_COUNTS_H

#include "analysis/fact.h"
#include "session/session.h"

struct session_count { /* of a bin in which there are some */
	int64_t begin, end;
	uint64_t count, bytes;
	uint32_t host;
	uint32_t kind; /* of session_counts.kinds */
};

struct session_counts { /* zeroed: none */
	const struct fact_kind **kinds;
	size_t n_kinds;
	struct session_count *item; /* by host, then kind, then begin */
	size_t n, cap;
};

enum { SESSION_COUNT_BINS = 1 << 16 }; /* max_bins at most */
/* ids: of kinds, blanks between; NULL: all that are kept in stores. Synchronizes first if that was
 * not done. session_counts_fini in any case. MER_ERR_USAGE: no such kind; too many bins. */
int session_counts_find(struct session *s, const struct session_selection *what, const char *ids,
	uint32_t max_bins, struct session_counts *c, struct mer_err *err);
void session_counts_fini(struct session_counts *c);

#endif
