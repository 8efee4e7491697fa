/* What reading a file knows, shared by the files that do it:
 *
 *   read.c      which kind of file it is; what is told of it in the end
 *   read_dat.c  trace.dat: buffers, CPUs, pages
 *   read_perf.c perf.data: records of all CPUs */
#ifndef MER_FTRACE_READING_H
#define MER_FTRACE_READING_H

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"
#include "base/diag.h"
#include "ftrace/copy.h"

struct ftrace_reading {
	const char *path;   /* of the file */
	const char *top;    /* folder of the copy, in which the notes are */
	const char *folder; /* of the trace that is written, below it */
	uint64_t id;	    /* of the recording */
	struct mer_arena arena;
	struct mer_file file;
	struct mer_str notes;
	struct ftrace_copy *copy; /* NULL at first */
	bool is_cut;
	uint64_t n_damaged; /* pages, blocks or records */
	uint64_t
		n_unknown_losses; /* places where events were lost, of which it is not known how many */
	struct mer_err *err;
};

/* All events into r->copy, which it makes, and notes of what only this kind of file has. */
int ftrace_read_dat(struct ftrace_reading *r);
int ftrace_read_perf(struct ftrace_reading *r);

void ftrace_note(struct ftrace_reading *r, enum mer_severity severity, const char *code, uint64_t n,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
