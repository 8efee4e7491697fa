/* Fixed bodies: programs that are nothing but one span and plain loads from it are turned into
 * tables that need no interpretation (struct ctf_fixed in program.h). Nearly all events of a kernel
 * trace. */
#ifndef MER_CTF_FIXED_H
#define MER_CTF_FIXED_H

#include "ctf/program.h"

/* Sets plan->fixed_bits and plan->fixed if the operations from op on are of that kind; may add
 * scratch slots to the plan's row. False: out of memory. */
bool ctf_find_fixed(const struct ctf_op *op, struct ctf_plan *plan, struct mer_arena *arena);

/* An operation that loads an integer from the current span as a struct ctf_load; false: it is
 * another one, or lies so that one word does not hold it. */
bool ctf_op_to_load(const struct ctf_op *op, struct ctf_load *load);

#endif
