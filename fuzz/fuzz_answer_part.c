/* Fuzzer of parts of answers: no file may crash the reader or the merge of what it has, and tables
 * that come of it are whole. The question is the part's own: its analysis, and the table of its
 * verb. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/partial.h"
#include "ask/answer_part.h"
#include "check.h"
#include "trace/experiment.h"

static void merge(const struct answer_part *p)
{
	enum { MOST = 64 };
	const struct analysis *a = analysis_find(p->analysis);
	struct analysis_request requests[MOST];
	struct mer_table tables[MOST];
	struct analysis_partial_host hosts[MOST];
	struct analysis_left_out sum = { 0 };
	struct analysis_run run;
	struct mer_experiment none = { .n_hosts = 0 };
	struct analysis_options options = {
		.begin = INT64_MIN, .end = INT64_MAX, .max_ns = INT64_MAX
	};
	struct mer_err err = { 0 };
	size_t n = 0;
	int output = a ? analysis_find_output(a, p->verb) : -1;
	if (output < 0 || p->n_hosts > MOST || !p->n_tables)
		return;
	requests[n++] = (struct analysis_request){ a, (unsigned)output };
	if (analysis_cannot_merge(requests, n))
		return;
	for (size_t i = 0; i < p->options.n; i++)
		if (strncmp(p->options.item[i], "--group-by=", 11) == 0)
			options.group_by = p->options.item[i] + 11;
	for (size_t i = 0; i < p->n_hosts; i++)
		hosts[i] = (struct analysis_partial_host){ p->hosts[i].name, p->hosts[i].of };
	int rc = analysis_merge(&run, &none, &options, requests, n, hosts, (uint32_t)p->n_hosts,
		true, &sum, tables, &err);
	check(rc != MER_ERR_BUG);
	for (size_t r = 0; rc == 0 && r < tables[0].n_rows; r++)
		for (size_t c = 0; c < tables[0].n_columns; c++) {
			const struct mer_cell *cell = &tables[0].cells[r * tables[0].n_columns + c];
			if (cell->set && tables[0].columns[c].type == MER_TEXT)
				check(strlen(cell->v.text) < SIZE_MAX);
		}
	mer_table_fini(&tables[0]);
	analysis_run_fini(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer_part p;
	struct mer_err err = { 0 };
	struct mer_str again = { 0 };
	/* Texts must end with the bytes: what is read behind them is found. */
	char *bytes = malloc(size + 1);
	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	answer_part_init(&p);
	if (answer_part_from_bytes(&p, bytes, size, &err) == 0) {
		answer_part_to_bytes(&p, &again);
		struct answer_part copy;
		answer_part_init(&copy);
		check(answer_part_from_bytes(&copy, again.data, again.len, &err) == 0);
		answer_part_fini(&copy);
		merge(&p);
	}
	answer_part_fini(&p);
	mer_str_fini(&again);
	free(bytes);
	return 0;
}
