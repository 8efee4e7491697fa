/* trace.dat: the container of trace-cmd, versions 6 and 7. Finds what is in it: formats of events,
 * host, clock, and for each buffer and CPU where its pages are. If the file is cut or damaged,
 * everything before that place is found.
 *
 * Version 6 is one sequence; version 7 has sections that options lead to. Source:
 * trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef MER_FTRACE_TRACEDAT_H
#define MER_FTRACE_TRACEDAT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "ftrace/pages/tracing.h"
#include "ftrace/unpack.h"

struct tracedat_cpu {
	uint32_t id;
	uint64_t offset, size; /* of the file */
	bool is_guessed;       /* the file does not give the CPU; CPUs are numbered in order */
};

struct tracedat_buffer {
	const char *name;  /* "": the main one */
	const char *clock; /* NULL: as the file's */
	uint32_t page_bytes;
	uint32_t n_cpus;
	struct tracedat_cpu *cpus;
};

/* Of time stamps: ns = (stamp * mult) >> shift, + offset. mult 0: stamps are ns. */
struct tracedat_tsc {
	uint32_t mult, shift;
	uint64_t offset;
};

struct tracedat {
	const struct mer_file *file;
	struct mer_arena *arena;
	unsigned version;
	bool is_cut; /* some of its data would lie beyond the end of the file */
	struct ftrace_tracing tracing;
	uint32_t n_cpus; /* of version 6 */
	enum ftrace_packing packing;
	const char *clock, *uname, *tracer; /* NULL: not said */
	uint64_t trace_id;
	int64_t offset_ns; /* to be added to each time */
	struct tracedat_tsc tsc;
	struct tracedat_buffer *buffers;
	uint32_t n_buffers;
};

/* MER_ERR_INPUT: nothing can be read, err says why. The file and the arena are borrowed. */
int tracedat_open(struct tracedat *t, const struct mer_file *file, struct mer_arena *arena,
	struct mer_err *err);

#endif
