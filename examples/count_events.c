/* Counts the events of each name in the traces given, with libmeridian.
 *
 *   cc count_events.c $(pkg-config --cflags --libs meridian) -o count_events
 *   ./count_events TRACE...
 */
#include <meridian/meridian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
	const char *name;
	unsigned long long n;
};

static struct count *counts;
static size_t n_counts;

static void count(const char *name)
{
	for (size_t i = 0; i < n_counts; i++) {
		if (strcmp(counts[i].name, name) == 0) {
			counts[i].n++;
			return;
		}
	}
	struct count *longer = realloc(counts, (n_counts + 1) * sizeof(*counts));
	if (!longer)
		exit(5);
	counts = longer;
	/* Names belong to the experiment and live as long as it does. */
	counts[n_counts].name = name;
	counts[n_counts++].n = 1;
}

static int fail(const struct mer_err *err)
{
	fprintf(stderr, "count_events: %s\n", err->text);
	return 3;
}

int main(int argc, char **argv)
{
	struct mer_experiment *experiment;
	struct mer_cursor *cursor;
	const struct mer_event *events;
	struct mer_err err;
	size_t n;

	if (argc < 2) {
		fprintf(stderr, "usage: count_events TRACE...\n");
		return 2;
	}
	if (mer_experiment_open(
		    (const char *const *)argv + 1, (size_t)argc - 1, NULL, &experiment, &err) != 0)
		return fail(&err);

	/* All events, but none of their fields: unwanted fields are not decoded. */
	struct mer_need need = { .event = "*", .fields = "" };
	struct mer_read_options options = MER_OPTIONS(struct mer_read_options);
	options.needs = &need;
	options.n_needs = 1;
	if (mer_cursor_open(experiment, &options, &cursor, &err) != 0)
		return fail(&err);
	do {
		if (mer_cursor_next(cursor, &events, &n, &err) != 0)
			return fail(&err);
		for (size_t i = 0; i < n; i++)
			count(mer_event_name(&events[i]));
	} while (n > 0);
	mer_cursor_free(cursor);

	for (size_t i = 0; i < n_counts; i++)
		printf("%10llu %s\n", counts[i].n, counts[i].name);

	/* Whatever was damaged or lost is known now: numbers without it would
   * mislead. */
	for (size_t i = 0; i < mer_n_diagnostics(experiment); i++) {
		const struct mer_diag *d = mer_diagnostic_at(experiment, i);
		fprintf(stderr, "count_events: %s: %s\n", d->path ? d->path : "", d->message);
	}
	mer_experiment_free(experiment);
	free(counts);
	return 0;
}
