/* Prints a table of traces, with aligned clocks, as lines of text between tabs.
 *
 *   cc table.c $(pkg-config --cflags --libs meridian) -o table
 *   ./table ANALYSIS TABLE TRACE...
 *   ./table cpu top client/ server/
 */
#include <meridian/session.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What one has of a cell that is not known is nothing: it is not 0. */
static void print_cell(const struct mer_result *table, size_t row, size_t column)
{
	const char *text;
	int64_t number;
	double real;
	switch (mer_result_value(table, column)) {
	case MER_VALUE_INT:
		if (mer_result_int(table, row, column, &number))
			printf("%" PRId64, number);
		break;
	case MER_VALUE_REAL:
		if (mer_result_real(table, row, column, &real))
			printf("%.12g", real);
		break;
	case MER_VALUE_TEXT:
		if (mer_result_text(table, row, column, &text))
			printf("%s", text);
		break;
	}
}

static void print_table(const struct mer_result *table)
{
	size_t n_columns = mer_result_n_columns(table), n_rows = mer_result_n_rows(table);
	for (size_t column = 0; column < n_columns; column++)
		printf("%s%s", column ? "\t" : "", mer_result_key(table, column));
	printf("\n");
	for (size_t row = 0; row < n_rows; row++) {
		for (size_t column = 0; column < n_columns; column++) {
			printf("%s", column ? "\t" : "");
			print_cell(table, row, column);
		}
		printf("\n");
	}
}

/* Whatever was damaged or lost: numbers without it would mislead. */
static void print_findings(struct mer_session *session)
{
	struct mer_result *findings;
	const char *message, *severity;
	if (mer_session_diagnostics(session, &findings, NULL) != 0)
		return;
	size_t m = mer_result_column(findings, "message");
	size_t s = mer_result_column(findings, "severity");
	for (size_t row = 0; row < mer_result_n_rows(findings); row++)
		if (mer_result_text(findings, row, m, &message) &&
			mer_result_text(findings, row, s, &severity) &&
			strcmp(severity, "note") != 0)
			fprintf(stderr, "table: %s: %s\n", severity, message);
	mer_result_free(findings);
}

int main(int argc, char **argv)
{
	struct mer_session *session;
	struct mer_result *table = NULL;
	struct mer_err err;

	if (argc < 4) {
		fprintf(stderr, "usage: table ANALYSIS TABLE TRACE...\n");
		return 2;
	}
	int rc = mer_session_new(
		(const char *const *)argv + 3, (size_t)argc - 3, NULL, &session, &err);
	if (rc == 0)
		rc = mer_session_open(session, &err);
	if (rc == 0)
		rc = mer_session_table(session, argv[1], argv[2], NULL, &table, &err);
	if (rc == 0) {
		print_table(table);
		print_findings(session);
	} else {
		fprintf(stderr, "table: %s\n", err.text);
	}
	mer_result_free(table); /* before the session that it is of */
	mer_session_free(session);
	return rc == 0 ? 0 : 3;
}
