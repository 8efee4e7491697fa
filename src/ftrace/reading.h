/* State while a file is read, shared by the files that do it:
 *
 *   read.c   finds the kind of file; writes the notes at the end
 *   pages/   pages of the ring buffer, in trace.dat, or in a folder as the kernel gives them
 *   perf/    perf.data: records of all CPUs
 *   text/    text that these tracers, and the kernel, write
 *   proc/    copies of /proc beside it */
#ifndef MER_FTRACE_READING_H
#define MER_FTRACE_READING_H

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"
#include "base/diag.h"
#include "copied/notes.h"
#include "ftrace/copy.h"
#include "ftrace/formats.h"

struct ftrace_reading {
	const char *path;   /* of the file */
	const char *top;    /* folder of the copy, in which the notes are */
	const char *folder; /* of the trace that is written, below it */
	uint64_t id;	    /* of the recording */
	struct mer_arena arena;
	struct mer_file file;
	struct mer_str notes;
	bool has_state;		  /* copies of /proc are beside it: proc.h */
	struct ftrace_copy *copy; /* NULL at first */
	bool is_cut;
	uint64_t n_damaged; /* pages, blocks or records */
	/* Places where events were lost, of which it is not known how many. */
	uint64_t n_unknown_losses;
	struct mer_err *err;
};

/* How the pages of a buffer are to be read. */
struct ftrace_pages_of {
	struct ftrace_page_layout layout;
	bool is_be;
	uint32_t page_bytes;
	/* ns = (stamp * mult) >> shift, + offset; mult 0: stamps are ns. */
	uint32_t mult, shift;
	uint64_t offset;
	/* Events that were overwritten before the first one are not losses. */
	bool is_snapshot;
	uint64_t n_lost; /* total, by the buffer's own count; 0: none, or unknown */
};
/* Pages one after the other, the last of which may be shorter. */
int ftrace_read_pages(struct ftrace_reading *r, struct ftrace_stream *s,
	const struct ftrace_pages_of *of, const uint8_t *data, uint64_t size);

/* The clock in brackets in "local global [mono] boot"; without brackets, the whole text. NULL: no
 * memory. */
const char *ftrace_chosen_clock(struct mer_arena *a, const char *text);
/* Notes what users should know about the kernel clock with this name. has_ns: its stamps were
 * converted to ns. better: the command that records with a clock that can be aligned with
 * others. */
void ftrace_note_clock(
	struct ftrace_reading *r, const char *clock, bool has_ns, const char *better);
/* "Linux client 6.1.0-56-amd64 #1 SMP ...": the word with this number, from 0; NULL: there is
 * none. */
const char *ftrace_word(struct mer_arena *a, const char *text, unsigned n);
/* The machine in such a text, "x86_64"; NULL: none. */
const char *ftrace_machine(struct mer_arena *a, const char *text);

/* Each reads all events into r->copy, which it creates, and adds notes that are specific to this
 * kind of file. */
int ftrace_read_dat(struct ftrace_reading *r);
int ftrace_read_raw(struct ftrace_reading *r);
int ftrace_read_perf(struct ftrace_reading *r);
int ftrace_read_text(struct ftrace_reading *r);

#endif
