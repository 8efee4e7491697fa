/* What the parts of the analysis "net" share: net_pairs.c joins both ends of packets that are known
 * to be the same, net_sockets.c counts what programs send and receive. */
#ifndef MER_ANALYSIS_REPORTS_NET_H
#define MER_ANALYSIS_REPORTS_NET_H

#include "analysis/analysis.h"
#include "analysis/facts/packet.h"
#include "analysis/fold.h"

/* net_pairs.c: packets between hosts. */
struct net_ends {	      /* state of a host */
	struct net_end *ends; /* a block of the experiment's spill */
	size_t n, cap;
};
int net_take_packets(struct analysis_host *a, const struct kernel_host *h,
	const struct fact_kind *kind, const void *facts, size_t n);
void net_free_ends(void *state);
enum net_pairs_output { NET_PAIRS, NET_PAIRS_STATS, NET_PAIRS_FREQ };
int net_emit_pairs(struct analysis_run *run, struct mer_table *t, enum net_pairs_output output);
extern const struct mer_column net_pairs_columns[], net_stats_columns[], net_freq_columns[];

/* net_sockets.c */
extern const struct mer_column net_sockets_columns[];
extern const struct fold net_sockets;

#endif
