/* Fixed bodies: programs that consist of one span and plain loads from it are turned into tables
 * that need no interpretation (struct ctf_fixed in program.h). This holds for nearly all events of
 * a kernel trace. */
#ifndef MER_CTF_FIXED_H
#define MER_CTF_FIXED_H

#include "ctf/program.h"

/* Sets plan->fixed_bits and plan->fixed if the operations from op on are such a program; may add
 * scratch slots to the plan's row. False: out of memory. */
bool ctf_find_fixed(const struct ctf_op *op, struct ctf_plan *plan, struct mer_arena *arena);

/* Converts an operation that loads an integer from the current span to a struct ctf_load; false: it
 * is another operation, or the integer does not fit into one word at its offset. */
bool ctf_op_to_load(const struct ctf_op *op, struct ctf_load *load);

#endif
