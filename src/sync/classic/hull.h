/* Hull: the classic convex hull method, one line for a pair of hosts, fully incremental.
 *
 *   y = alpha * x + beta      x: clock of the pair's first host, y: of its second
 *
 * (Duda, Harrus, Haddad, Bernard: Estimating global time in distributed systems, 1987; in the
 * incremental form of Jabbarifar, Dagenais, Shameli-Sendi.) Messages from the first host are upper
 * limits of the line, messages to it are lower ones. The steepest and the flattest line that fit
 * between both hulls are kept, and the line is their mean. Exact integers for any 64-bit times,
 * results to 34 decimal digits (IEEE 754 decimal128, ties to even), as other tools publish them.
 *
 * Not a guarantee: the published method never tries a hull's newest point as the beginning of a
 * line, so for some time a line may pass a message on its wrong side. The guaranteed limits are
 * those of the corridor (sync/limits/corridor.h). */
#ifndef MER_SYNC_CLASSIC_HULL_H
#define MER_SYNC_CLASSIC_HULL_H

#include "sync/messages.h"
#include "trace/clock_map.h"

enum sync_quality {	  /* of a pair, or of a host's clock */
	SYNC_ABSENT,	  /* no messages */
	SYNC_INCOMPLETE,  /* messages in one direction only, or too few: limits on one side */
	SYNC_APPROXIMATE, /* usable, with the reservations that the diagnostics name */
	SYNC_ACCURATE,	  /* limits on both sides, no contradiction */
	SYNC_FAIL,	  /* the method does not fit these clocks */
	SYNC_REFERENCE	  /* the host whose clock the others are put on */
};
const char *sync_quality_name(enum sync_quality); /* "absent", ... */

struct sync_hull;

struct sync_hull *sync_hull_new(void); /* NULL: no memory */
void sync_hull_free(struct sync_hull *h);
/* Adds a message from the pair's first host to its second (forth), or back. Messages come in the
 * order of their later ends. On failure (no memory) h is as before. */
int sync_hull_add(struct sync_hull *h, bool forth, struct sync_message m, struct mer_err *err);
struct sync_line { /* decimal numbers as text, NUL-terminated */
	char alpha[80], beta[80];
	char accuracy[80];		   /* alpha_max - alpha_min, exact; "" without both */
	char alpha_min[80], alpha_max[80]; /* "": no such line */
	/* The second host's clock on the first one's: x = slope * y + offset; "": alpha is 0. */
	char slope[80], offset[80];
	enum sync_quality quality;
	size_t n_messages, n_accurate; /* n_accurate: those that changed the hulls */
	/* Points of the hulls. The published tool draws y downwards: its upper hull holds the
	 * messages that the first host received, its lower hull those that it sent. */
	size_t n_upper, n_lower;
	int64_t failed_at; /* SYNC_FAIL: first host's time of the message that made it fail,
			      ns; else MER_NO_TIME */
};

/* The current line. A side without a line counts as slope 1; before there is any, the line is y =
 * x. SYNC_FAIL: the lines of greatest and least slope crossed, or the points were made so that
 * searching them would take too long. A failure is final: the line stays the last good one. */
void sync_hull_line(const struct sync_hull *h, struct sync_line *line);

/* The line as one piece of a clock map: the second host's clock to the first one's, or the first's
 * to the second's. It begins at the first message; from there the result is off by less than 1 ns
 * plus the distance divided by 2^61 (0.014 ns in a year), compared with the line. Fails when the
 * slope is not above 0 and below 9, or the time at the begin does not fit 64 bits. */
int sync_hull_piece(const struct sync_hull *h, bool second_on_first,
	struct trace_clock_piece *piece, struct mer_err *err);

#endif
