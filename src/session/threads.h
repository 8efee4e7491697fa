/* Threads: those that the events of programs name, ranks of MPI and threads in states of views. The
 * kernel's events may know nothing of them: then --tid selects them by the numbers that the
 * programs' events have, and no name of theirs is known. */
#ifndef MER_SESSION_THREADS_H
#define MER_SESSION_THREADS_H

#include "session/request.h"

/* Does the selection of the answer mean one that its tables are about, if it has any rows? *is_one:
 * yes. */
int session_answer_has_thread(const struct session_answer *a, bool *is_one, struct mer_err *err);

#endif
