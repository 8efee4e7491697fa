/* Advice: how good a synchronization is, in one word per host and pair, and in sentences where it
 * is not good: why, and what to do about it. */
#ifndef MER_SYNC_ADVICE_H
#define MER_SYNC_ADVICE_H

#include "sync/result.h"

/* Fills the qualities of hosts and pairs and adds diagnostics, once all else of the result is
 * there. */
void sync_advise(struct sync_result *r);

/* Found on the way. */
void sync_advise_drift(struct sync_result *r, double rate);
void sync_advise_conflict(struct sync_result *r, uint32_t from, uint32_t to, size_t n);
void sync_advise_inconsistent(struct sync_result *r, uint32_t group);
void sync_advise_no_line(struct sync_result *r, uint32_t host, const char *why);

#endif
