/* Header kind: recognizes the event record headers with special code (decode.h). */
#ifndef MER_CTF_HEADER_KIND_H
#define MER_CTF_HEADER_KIND_H

#include "ctf/program.h"

/* Is the header LTTng's, with an id of id_bits and a time of time_bits? */
bool ctf_is_lttng_header(const struct ctf_fc *h, unsigned id_bits, unsigned time_bits);
/* An id and a 64-bit time at fixed offsets in a header of whole bytes? Fills s->plain. */
bool ctf_is_plain_header(struct ctf_stream_plan *s, const struct ctf_fc *h);

#endif
