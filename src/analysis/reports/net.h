/* Declarations shared by the parts of the analysis "net": net_pairs.c joins the two ends of
 * packets that are known to be the same; net_sockets.c counts what programs send and receive. */
#ifndef MER_ANALYSIS_REPORTS_NET_H
#define MER_ANALYSIS_REPORTS_NET_H

#include "analysis/analysis.h"
#include "analysis/facts/packet.h"
#include "analysis/fold.h"

/* net_pairs.c: packets between hosts. */
extern const struct mer_column net_pairs_columns[], net_stats_columns[], net_freq_columns[];
extern const struct fold net_pairs, net_pairs_stats, net_pairs_freq;

/* net_sockets.c */
extern const struct mer_column net_sockets_columns[];
extern const struct fold net_sockets;

#endif
