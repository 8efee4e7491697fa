/* Runs of MPI programs in full, as they are in tests/mpi/runs: files of a scenario, and all that
 * was made of it: lines with their calls, messages, collectives, what was left out. Times are us
 * from the scenario's begin; call ids are numbers of src/mpi/calls.h. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "expected.h"
#include "given.h"
#include "mpi/run.h"

static void put_time(struct mer_str *out, int64_t ns)
{
	mer_str_printf(out, " %" PRId64, ns / 1000);
	if (ns % 1000)
		mer_str_printf(out, "+%d", (int)(ns % 1000));
}

/* MPI_NONE is "-". */
static void put_number(struct mer_str *out, uint32_t n)
{
	if (n == MPI_NONE)
		mer_str_puts(out, " -");
	else
		mer_str_printf(out, " %" PRIu32, n);
}

static void put_line(const struct mpi_run *r, uint32_t i, struct mer_str *out)
{
	const struct mpi_line *l = &r->lines[i];
	mer_str_printf(out, "line %" PRIu32 " of %" PRIu32 ": tid %" PRId64 "%s", i, l->process,
		l->tid, l->is_main ? ", main," : ",");
	put_time(out, l->begin);
	put_time(out, l->end);
	mer_str_putc(out, '\n');
	uint32_t before = MPI_NONE;
	for (uint32_t k = l->first; k != MPI_NONE; before = k, k = r->calls[k].next) {
		const struct mpi_call *c = &r->calls[k];
		assert_int_equal(c->before, before);
		assert_int_equal(c->line, i);
		mer_str_printf(out, "\tcall %u:", (unsigned)c->id);
		put_time(out, c->begin);
		put_time(out, c->end);
		if (c->wait) {
			mer_str_printf(out, ", %s by", mpi_wait_names[c->wait]);
			put_number(out, c->by);
			mer_str_puts(out, " until");
			put_time(out, c->until);
		}
		if (c->seq >= 0)
			mer_str_printf(out, ", seq %" PRId64, c->seq);
		if (c->bytes || c->peer >= 0 || c->tag >= 0)
			mer_str_printf(
				out, ", peer %d tag %d bytes %" PRIu64, c->peer, c->tag, c->bytes);
		if (c->flags & ~MPI_COMPLETES)
			mer_str_printf(out, ", flags %u", (unsigned)(c->flags & ~MPI_COMPLETES));
		mer_str_putc(out, '\n');
	}
	assert_int_equal(l->last, before);
}

static void put_run(const struct mpi_run *r, struct mer_str *out)
{
	for (uint32_t i = 0; i < r->n_processes; i++) {
		const struct mpi_process *p = &r->processes[i];
		mer_str_printf(out,
			"process %" PRIu32 ": rank %d of %d, host %" PRIu32 ", job %" PRIu32 ",", i,
			p->rank, p->size, p->host, p->job);
		put_time(out, p->begin);
		mer_str_printf(out, "%s%s%s\n", p->from_start ? ", from start" : "",
			p->to_end ? ", to end" : "", p->is_marked ? ", marked" : "");
	}
	for (uint32_t i = 0; i < r->n_lines; i++)
		put_line(r, i, out);
	for (uint32_t i = 0; i < r->n_messages; i++) {
		const struct mpi_message *m = &r->messages[i];
		mer_str_printf(out, "message %" PRIu32 " > %" PRIu32 ": sent", m->from, m->to);
		put_time(out, m->sent);
		put_time(out, m->sent_end);
		mer_str_puts(out, ", posted");
		put_time(out, m->posted);
		mer_str_puts(out, ", received");
		put_time(out, m->waited_from);
		put_time(out, m->received);
		mer_str_printf(out, ", comm %" PRId64 " tag %d bytes %" PRIu64 "%s%s%s\n", m->comm,
			m->tag, m->bytes, m->wait ? ", " : "", mpi_wait_names[m->wait],
			m->is_any ? ", from anybody" : "");
	}
	for (uint32_t i = 0; i < r->n_collectives; i++) {
		const struct mpi_collective *c = &r->collectives[i];
		mer_str_printf(out, "collective %u of %" PRIu32 ": lines", (unsigned)c->id, c->n);
		put_number(out, c->first);
		put_number(out, c->last);
		mer_str_puts(out, ", from");
		put_time(out, c->begin);
		put_time(out, c->end);
		mer_str_puts(out, ", left");
		put_time(out, c->left);
		mer_str_puts(out, ", waited");
		put_time(out, c->waited);
		mer_str_printf(out,
			", job %" PRIu32 " comm %" PRId64 " seq %" PRId64 " bytes %" PRIu64 "\n",
			c->job, c->comm, c->seq, c->bytes);
	}
	const struct mpi_doubts *d = &r->doubts;
	mer_str_printf(out,
		"%" PRIu32 " jobs\nunmatched %" PRIu64 " %" PRIu64 ", after loss %" PRIu64
		", doubtful %" PRIu64 ", inversions %" PRIu64 ", incomplete %" PRIu64
		", contradictory %" PRIu64 ", early %" PRIu64 ", strays %" PRIu64 ", apart %" PRIu64
		", twice %" PRIu64 "\n",
		r->n_jobs, d->unmatched_sends, d->unmatched_receives, d->after_loss, d->doubtful,
		d->inversions, d->incomplete, d->contradictory, d->early, d->strays, d->apart,
		d->twice);
}

static void run_of(const char *file)
{
	char dir[] = "/tmp/mpi-run-XXXXXX", path[100], command[900];
	const char *at = path;
	struct mer_err err = { 0 };
	struct mer_experiment *e;
	struct mpi_run *run;
	struct mer_str out = { 0 };
	uint32_t groups[2] = { 0 };
	char *text = expected_read(file), *scenario = expected_part(text, "scenario");
	char *given = expected_part(text, "groups");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.scn", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(scenario, f);
	fclose(f);
	snprintf(command, sizeof(command), "'%s' -o %s/t %s", given_environment("CTFGEN"), dir,
		path);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/t", dir);
	if (mer_experiment_open(&at, 1, NULL, &e, &err))
		fail_msg("%s: %s", file, err.text);
	bool has_groups = sscanf(given, "%" SCNu32 " %" SCNu32, &groups[0], &groups[1]) == 2;
	if (mpi_read(e, has_groups ? groups : NULL, NULL, &run, &err))
		fail_msg("%s: %s", file, err.text);
	assert_true(run && mpi_is_recorded(e));
	const char *end = strstr(text, "== run\n");
	assert_non_null(end);
	mer_str_add(&out, text, (size_t)(end - text) + strlen("== run\n"));
	put_run(run, &out);
	size_t before = mer_n_diagnostics(e);
	mpi_report(e, run);
	for (size_t i = before; i < mer_n_diagnostics(e); i++)
		mer_str_printf(&out, "%s\n", mer_diagnostic_at(e, i)->message);
	mpi_run_free(run);
	mer_experiment_free(e);
	expected_is(file, &out);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	mer_str_fini(&out);
	free(given);
	free(scenario);
	free(text);
}

static void as_they_are_written(void **state)
{
	(void)state;
	expected_each("tests/mpi/runs", run_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_they_are_written) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
