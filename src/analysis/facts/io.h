/* Facts of system calls that open, read, write, sync or copy. */
#ifndef MER_ANALYSIS_FACTS_IO_H
#define MER_ANALYSIS_FACTS_IO_H

#include "analysis/fact.h"
#include "kernel/io_op.h"

enum io_place { IO_NOWHERE, IO_ON_DISK, IO_ON_NET, IO_ON_OTHER };
struct io_fact {	  /* a system call */
	struct fact fact; /* choice: enum io_op */
	int64_t ret, bytes;
	uint32_t call;
	uint8_t way;		       /* enum io_way: reads from the descriptor, or writes to it */
	uint8_t read_from, written_to; /* enum io_place */
	uint8_t unused;
};

#endif
