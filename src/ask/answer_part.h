/* Part of an answer: what the hosts of some traces have for a question, as a file that 'meridian
 * merge' takes with those of other hosts (docs/fleet.md).
 *
 * A file is gzipped: a line that says what it is, the version of the program, which all parts of
 * an answer share, and the bytes of a walk. */
#ifndef MER_ASK_ANSWER_PART_H
#define MER_ASK_ANSWER_PART_H

#include "analysis/partial.h"
#include "ask/answer.h"
#include "trace/experiment.h"

struct answer_part {
	struct mer_arena arena;
	const char *path; /* of the file */
	/* The question: a verb, an analysis ("": none), and its options as they are typed. */
	const char *verb, *analysis;
	struct session_texts options;
	int64_t begin, end; /* what --begin and --end mean; INT64_MIN, INT64_MAX: not given */
	bool knows_events;  /* see analysis_options */
	int64_t first_event, last_event;
	struct answer_part_host {
		const char *name, *id; /* mer_host */
		int64_t begin, end;    /* of what was looked at; MER_NO_TIME: nothing */
		uint64_t lost_events, lost_packets;
		/* Numbers of its streams in findings; streams of hosts are in order of the least
		 * identity of their traces (trace/experiment.h). */
		uint32_t first_stream, n_streams;
		const char *streams_by;
		struct analysis_partial_bytes *of; /* by table */
	} * hosts;
	size_t n_hosts, n_tables;
	/* What would have to be recorded, if none of these hosts has what the question needs; NULL:
	 * one has. */
	const char *lacking;
	/* Hosts that the clocks' file aligns, all of them; none: clocks are as recorded. */
	struct session_texts aligned;
	/* Of that file, or of the hosts that were aligned without one; 0: clocks are as
	 * recorded. */
	uint64_t clocks;
	size_t n_opening[TRACE_OPENINGS]; /* of the findings, as those of the traces have it */
	/* Findings of the traces, how the clocks of all hosts are, and, instead of what hosts have
	 * for tables, one of their rows. */
	struct answer about;
};

/* `clocks` of that file. */
int answer_part_clocks(const char *path, uint64_t *clocks, struct mer_err *err);
/* Empty, to be filled or read. */
void answer_part_init(struct answer_part *p);
void answer_part_fini(struct answer_part *p);
/* Writes it. MER_ERR_SYS: errno. */
int answer_part_write(struct answer_part *p, FILE *out, struct mer_err *err);
/* MER_ERR_INPUT: it is none, damaged, or of another version. answer_part_fini in any case. */
int answer_part_read(struct answer_part *p, const char *path, struct mer_err *err);
/* The bytes alone, for tests and fuzzers. */
int answer_part_from_bytes(struct answer_part *p, const char *bytes, size_t n, struct mer_err *err);
void answer_part_to_bytes(struct answer_part *p, struct mer_str *out);

#endif
