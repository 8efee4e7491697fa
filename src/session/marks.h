/* Marks: moments and ranges that somebody named, in a file: what `--marks` splits tables by, and
 * what the page shows as flags.
 *
 * A line is BEGIN, END and TEXT with tabs between; times are those of --begin (moment.h). Without
 * an END, or with one that equals BEGIN, it marks a moment. Empty lines, lines that begin with #,
 * and a first line "begin end text" are passed over.
 *
 * The file of traces is "marks.tsv" beside them: in the folder that has them all. Where there is no
 * such folder, or it cannot be written, it is in the cache, named after where the traces are: marks
 * are kept when a trace grows, and no trimming of the cache removes them. */
#ifndef MER_SESSION_MARKS_H
#define MER_SESSION_MARKS_H

#include "base/arena.h"
#include "session/moment.h"

enum {
	SESSION_MAX_MARKS = 1000,
	SESSION_MAX_MARK_TEXT = 1000,	  /* bytes */
	SESSION_MAX_MARKS_BYTES = 1 << 20 /* of the file */
};

struct session_mark {
	struct session_moment begin, end; /* the same of a moment */
	bool is_moment;
	const char *text;
	unsigned line;
};

struct session_marks { /* zeroed: none */
	struct mer_arena arena;
	struct session_mark *all; /* as in the file */
	size_t n;
};

/* name: of the file, for errors: MER_ERR_USAGE, "NAME:LINE: what is wrong". session_marks_fini in
 * any case. */
int session_marks_parse(struct session_marks *m, const char *name, const char *bytes, size_t n,
	struct mer_err *err);
int session_marks_read(struct session_marks *m, const char *path, struct mer_err *err);
void session_marks_fini(struct session_marks *m);

/* The file of these traces: where marks are, or, for writing, where they go. cache: its folder;
 * NULL: there is none. malloc'ed; NULL: see err. */
char *session_marks_path(
	const char *const *traces, size_t n, const char *cache, bool to_write, struct mer_err *err);

#endif
