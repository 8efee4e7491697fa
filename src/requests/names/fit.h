/* Fit: which requests of a service lines may be of, and by how much the lines' clock is off. */
#ifndef MER_REQUESTS_NAMES_FIT_H
#define MER_REQUESTS_NAMES_FIT_H

#include "requests/names/names.h"

struct names_request { /* times by the clock of the service's host, ns */
	int64_t begin, read, read_end, done;
	uint32_t exchange;
	uint16_t port;		   /* the client's, if that counts; else 0 */
	bool is_one;		   /* no window */
	uint32_t n_loose, n_close; /* lines that fit it */
};

struct names_requests { /* of a service, by port and begin */
	struct names_request *item;
	int64_t *last; /* of each: the latest end of it and those before it of its port */
	uint32_t n, host;
	int64_t first, end; /* of all */
	bool by_port, has_ports;
};

struct names_fit {
	enum names_verdict verdict;
	size_t n_tried, n_fit, n_tried_moved, n_fit_moved;
	int64_t moved_ns;
};

/* lines: of one source, by time; which: their numbers. False: no memory. */
bool names_fit_find(const struct names_requests *r, const struct names_lines *l,
	const uint32_t *which, size_t n, struct names_fit *f);
/* Sets names_line.exchange of those lines, and the counts of *s; its verdict, if too many fit.
 * False: no memory. */
bool names_fit_assign(struct names_requests *r, struct names_lines *l, const uint32_t *which,
	size_t n, struct names_source *s);

#endif
