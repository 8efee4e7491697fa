/* Rows of programs: the rows that views declare for each host, and the ranks of MPI programs. In
 * addresses and answers a row is written "s:HOST:ROW", as numbers, or "m:HOST:LINE"
 * (mpi/run.h). */
#ifndef MER_SERVER_PROGRAMS_H
#define MER_SERVER_PROGRAMS_H

#include "mpi/run.h"
#include "server/state.h"
#include "views/states.h"

/* NULL: no MPI was recorded. */
const struct mpi_run *server_mpi_of(const struct session_world *w);
/* The host's view states; NULL: it has none. */
const struct view_host *server_view_host(const struct session_world *w, uint32_t host);
/* The view states of all hosts; NULL: no views are loaded. */
const struct view_states *server_view_states(const struct session_world *w);

#endif
