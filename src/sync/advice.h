/* Advice: how good a synchronization is, in one word per host and pair, and in sentences where it
 * is not good: why, and what to do about it. */
#ifndef MER_SYNC_ADVICE_H
#define MER_SYNC_ADVICE_H

#include "sync/result.h"

/* Fills the qualities of hosts and pairs and adds diagnostics, once all else of the result is
 * there. */
void sync_advise(struct sync_result *r);

/* Diagnostics that are found while solving. */
void sync_advise_drift(struct sync_result *r, double said, double rate);
void sync_advise_seen_drift(struct sync_result *r, double seen_ppm);
void sync_advise_conflict(struct sync_result *r, uint32_t from, uint32_t to, size_t n);
void sync_advise_inconsistent(struct sync_result *r, uint32_t group);
void sync_advise_no_line(struct sync_result *r, uint32_t host, const char *why);

/* A diagnostic, to be completed and added by the caller; host UINT32_MAX: about no host. */
struct mer_diag sync_advice_on(
	const struct sync_result *r, enum mer_severity severity, const char *code, uint32_t host);
/* 1234567 ns as "1.23 ms". */
struct sync_words {
	char text[96];
};
struct sync_words sync_in_words(int64_t ns);
/* "between 1.5 s and 1.75 s", with enough digits to distinguish the two. */
struct sync_words sync_range_words(const struct sync_host *h, struct sync_range range);

#endif
