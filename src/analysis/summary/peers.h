/* Peers: which hosts are unlike the others that do the same.
 *
 * Some forty measures of each host are compared with the median of its group. A measure is unusual
 * if it differs by what matters of this measure, and is far by the spread of the group: by six
 * deviations of the side on which it lies (the median deviation of the values there), more in small
 * groups. What may be any number is compared by its magnitude, since a few hosts have many times
 * as much by chance; of clocks only differences count, as it is arbitrary which one is the
 * reference. What more than a tenth of a group have on one side is no exception of them, and groups
 * of few hosts are not compared.
 *
 * Source of the distance: Leys et al., "Detecting outliers: Do not use standard deviation around
 * the mean, use absolute deviation around the median", 2013; a deviation for each side: Rosenmai,
 * "Using the Median Absolute Deviation to Find Outliers", 2013. */
#ifndef MER_ANALYSIS_SUMMARY_PEERS_H
#define MER_ANALYSIS_SUMMARY_PEERS_H

#include "base/table.h"

struct summary;

enum peers_by {
	PEERS_BY_NAME,	  /* hosts of one name up to its digits: web-1, web-2 */
	PEERS_BY_ALL,	  /* all hosts */
	PEERS_BY_PROGRAM, /* the program that used most CPU time */
	PEERS_N_BY
};
/* "name", "all", "program" */
const char *peers_by_name(enum peers_by by);

/* Fewer are not compared. */
enum { PEERS_FEWEST = 5 };

extern const struct mer_column peers_columns[];
enum {
	PEERS_COL_HOST,
	PEERS_COL_GROUP,
	PEERS_COL_HOSTS, /* of the group */
	PEERS_COL_MEASURE,
	PEERS_COL_VALUE,
	PEERS_COL_TYPICAL,
	PEERS_COL_UNIT,
	PEERS_COL_TIMES,
	PEERS_COL_DISTANCE,
	PEERS_COL_SENTENCE,
	PEERS_N_COLS
};
extern const struct mer_column peers_group_columns[];
enum { PEERS_GROUP, PEERS_GROUP_HOSTS, PEERS_GROUP_UNUSUAL, PEERS_GROUP_IS_COMPARED };

enum { PEERS_MEASURES = 40 };
struct peers_host {
	const char *name;	       /* NULL: it is not compared */
	const char *program;	       /* that used most CPU time; NULL: not known */
	double values[PEERS_MEASURES]; /* NAN: not known */
};
extern const struct mer_column peers_measure_columns[];
enum { PEERS_OF_HOST, PEERS_OF_PROGRAM, PEERS_OF_MEASURE, PEERS_OF_VALUE };

/* What is known of hosts that are selected, a row for each measure. s: with everything but its
 * tables. */
void peers_measure(const struct summary *s, struct mer_table *measures);
/* Hosts from such rows, which may be those of several tables, by the names of hosts, which are n.
 * hosts: zeroed. Rows of other hosts, and unknown measures, are passed over. */
void peers_gather(const struct mer_table *measures, const char *const *names, uint32_t n,
	struct peers_host *hosts);
/* Fills both tables: what is unusual, by host and then by distance, the most unusual host first;
 * and the groups. Texts are in the arena. */
void peers_compare(const struct peers_host *hosts, uint32_t n, enum peers_by by,
	struct mer_arena *arena, struct mer_table *unusual, struct mer_table *groups);

#endif
