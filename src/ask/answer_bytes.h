/* A whole answer (answer_take) as bytes, to be kept and read by the same build of the program. */
#ifndef MER_ASK_ANSWER_BYTES_H
#define MER_ASK_ANSWER_BYTES_H

#include "ask/answer.h"
#include "base/str.h"
#include "base/walk.h"

/* Adds the bytes to out. */
void answer_to_bytes(struct answer *a, struct mer_str *out);
/* answer_fini in any case. false: these are no such bytes, or memory is out. */
bool answer_from_bytes(struct answer *a, const char *bytes, size_t len);
/* The walk of both, for answers that are members of more; one that is read is empty before, by
 * answer_init_read, and lives no longer than the bytes. */
void answer_walk(struct mer_walk *w, struct answer *a);
void answer_init_read(struct answer *a);

#endif
