/* Printing of a synchronization: the overview, the forms of other tools, its course over time,
 * single instants, and the methods side by side. All of them only read the result. */
#ifndef MER_ASK_SYNC_SYNC_PRINT_H
#define MER_ASK_SYNC_SYNC_PRINT_H

#include "ask/sync/sync_run.h"

/* The verdict in plain words, a table of hosts, one of pairs, advice; or the same for programs. */
int ask_sync_print(struct ask_sync *s);
/* What the clocks did, in words and on a line of characters each. */
int ask_sync_print_report(struct ask_sync *s);
/* Solves with every method. */
int ask_sync_print_methods(struct ask_sync *s);

/* --at HOST:TIME[,TIME...], the text split at commas: what an instant of one clock is on all
 * others. */
int ask_sync_print_at(struct ask_sync *s, const struct session_texts *at);

/* Charts: every host's offset with its limits and messages, and the latencies. */
int ask_sync_plot(struct ask_sync *s, const char *path);
/* The latencies alone, larger. */
int ask_sync_plot_latency(struct ask_sync *s, const char *path);

/* So that a row fits: "approx." */
const char *ask_sync_brief_quality(enum sync_quality q);
uint32_t ask_sync_group_size(const struct sync_result *r, uint32_t group);
/* Adds the findings as advice, wrapped. */
void ask_sync_advice(struct ask_sync *s, struct mer_str *out);

#endif
