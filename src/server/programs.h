/* Rows of programs: of each host those that views declare, and the ranks of MPI programs. In
 * addresses and answers a row is "s:HOST:ROW", by numbers, or "m:HOST:LINE" (mpi/run.h). */
#ifndef MER_SERVER_PROGRAMS_H
#define MER_SERVER_PROGRAMS_H

#include "mpi/run.h"
#include "server/state.h"
#include "views/states.h"

/* NULL: no MPI was recorded. */
const struct mpi_run *server_mpi_of(const struct session_world *w);
/* NULL: the host has none. */
const struct view_host *server_view_host(const struct session_world *w, uint32_t host);
/* Of all hosts; NULL: there are no views. */
const struct view_states *server_view_states(const struct session_world *w);

#endif
