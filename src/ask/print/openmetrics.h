/* Tables as OpenMetrics text (version 1.0.0), which Prometheus and its like read.
 *
 *   measured column    a family of gauges, PREFIX_KEY, with a sample for each row
 *   text, id           labels: what a row is about
 *   from, to, count    a table of a histogram: one family, PREFIX_UNIT, with all its bounds in
 *                      each metric, so that le can be added up; _sum and _count where column sum is
 *   begin, end         in front: rows over time; a sample has the end of its bin as timestamp
 *
 * Units are the format's: seconds, bytes, ratio, hertz. What is not known has no sample. Rows with
 * the same labels get one more, row, as a sample may be there only once. */
#ifndef MER_ASK_PRINT_OPENMETRICS_H
#define MER_ASK_PRINT_OPENMETRICS_H

#include "base/table.h"

struct mer_str;

#define ASK_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Adds the families of a table. prefix: "meridian_cpu_top", of this table alone. */
void ask_openmetrics_add(const struct mer_table *t, const char *prefix, struct mer_str *out);
/* The prefix of a table in an answer about something ("cpu"). */
void ask_openmetrics_prefix(const char *about, const char *table, struct mer_str *prefix);
/* All families have been added. */
void ask_openmetrics_end(struct mer_str *out);

#endif
