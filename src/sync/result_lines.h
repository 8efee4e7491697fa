/* A result in pieces: of some hosts alone, so that files of a thousand hosts do not have a thousand
 * clocks each, and put together again where they meet.
 *
 *   result ──sync_result_write_lines──→ text of some hosts ┐
 *                                       text of others     ┴─sync_result_join─→ JSON of all
 *
 * A text has a line for what holds for all, for each of its hosts, and for each pair and VM that
 * one of its hosts is of: a word, its number and its hosts' (those of the result), and a JSON
 * object. */
#ifndef MER_SYNC_RESULT_LINES_H
#define MER_SYNC_RESULT_LINES_H

#include "base/str.h"
#include "sync/result.h"

/* own: by host of the result. Appends to out. */
int sync_result_write_lines(
	const struct sync_result *r, const bool *own, struct mer_str *out, struct mer_err *err);
struct sync_lines {
	const char *text;
	size_t len;
};
/* What sync_result_write would write of the hosts of these texts, appended to out for
 * sync_result_read, and how many hosts these are; pairs and VMs of other hosts are left out.
 * MER_ERR_INPUT: they are not of one result, or damaged. The JSON in them is not looked at. */
int sync_result_join(const struct sync_lines *texts, size_t n, struct mer_str *out,
	uint32_t *n_hosts, struct mer_err *err);

#endif
