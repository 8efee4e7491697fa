#include "ask/reports/summary_peers.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/summary/peers.h"
#include "ask/print/text.h"
#include "ask/reports/findings.h"
#include "base/plural.h"

enum { MORE = 2 }; /* measures of a host after the first one */

static const struct mer_cell *cell(const struct mer_table *t, size_t row, size_t column)
{
	return &t->cells[row * t->n_columns + column];
}

static bool same_host(const struct mer_table *t, size_t a, size_t b)
{
	return strcmp(cell(t, a, PEERS_COL_HOST)->v.text, cell(t, b, PEERS_COL_HOST)->v.text) == 0;
}

/* Why hosts were not compared, and what to do. */
static void put_alone(const struct ask_peers *p, int64_t alone, struct mer_str *out)
{
	mer_str_printf(out, "%" PRId64 " %s not compared, as fewer than %d ", alone,
		mer_plural((uint64_t)alone, "host is", "hosts are"), PEERS_FEWEST);
	if (strcmp(p->by, "all") == 0)
		mer_str_puts(out, "were recorded.");
	else if (strcmp(p->by, "program") == 0)
		mer_str_puts(out, "have the same program: --group-by all compares all hosts.");
	else
		mer_str_puts(out,
			"have such a name: --group-by all compares all hosts, --group-by program those that do the same.");
}

/* "97 of 100 hosts are alike." */
static void put_verdict(const struct ask_peers *p, struct mer_str *out)
{
	const struct mer_table *groups = p->groups;
	int64_t n = 0, unusual = 0, alone = 0;
	struct mer_str names = { 0 };
	for (size_t g = 0; g < groups->n_rows; g++) {
		int64_t hosts = cell(groups, g, PEERS_GROUP_HOSTS)->v.i;
		if (cell(groups, g, PEERS_GROUP_IS_COMPARED)->v.i) {
			n += hosts;
			unusual += cell(groups, g, PEERS_GROUP_UNUSUAL)->v.i;
			mer_str_printf(&names, "%s%s (%" PRId64 ")", names.len ? ", " : "",
				cell(groups, g, PEERS_GROUP)->v.text, hosts);
		} else {
			alone += hosts;
		}
	}
	if (n && unusual)
		mer_str_printf(out, "%" PRId64 " of %" PRId64 " hosts are alike", n - unusual, n);
	else if (n)
		mer_str_printf(out, "All %" PRId64 " hosts are alike", n);
	if (n)
		mer_str_printf(out, ", compared within: %s. ", names.data);
	if (alone)
		put_alone(p, alone, out);
	out->failed |= names.failed;
	mer_str_fini(&names);
}

static void put_line(const struct ask *ask, const char *text, size_t indent, struct mer_str *out)
{
	struct mer_str clean = { 0 };
	ask_text_clean(&clean, text, strlen(text), false);
	if (clean.data)
		ask_text_wrap(out, clean.data, (size_t)ask_width(ask), indent);
	out->failed |= clean.failed;
	mer_str_fini(&clean);
}

/* The host of the rows [from, until). */
static void put_host(const struct ask_peers *p, size_t from, size_t until, struct mer_str *out)
{
	const struct ask *ask = p->ask;
	const struct mer_table *t = p->peers;
	struct mer_str line = { 0 };
	const char *host = cell(t, from, PEERS_COL_HOST)->v.text;
	mer_str_printf(&line, "%s: %s", host, cell(t, from, PEERS_COL_SENTENCE)->v.text);
	size_t shown = from + 1;
	for (; shown < until && shown <= from + MORE; shown++)
		mer_str_printf(&line, "; %s", cell(t, shown, PEERS_COL_SENTENCE)->v.text);
	if (shown < until)
		mer_str_printf(&line, "; and %zu more", until - shown);
	if (line.data)
		put_line(ask, line.data, 0, out);
	mer_str_clear(&line);
	mer_str_puts(&line, "summary --host ");
	ask_shell_word(&line, host);
	const char *command = line.data ? p->command(p->ctx, line.data) : NULL;
	out->failed |= line.failed || !command;
	mer_str_fini(&line);
	mer_str_puts(out, ask->bold_out ? "  \033[1m" : "  ");
	if (command)
		ask_text_clean(out, command, strlen(command), false);
	mer_str_puts(out, ask->bold_out ? "\033[0m\n" : "\n");
}

void ask_peers_put(const struct ask_peers *p, struct mer_str *out)
{
	const struct mer_table *peers = p->peers;
	struct mer_str verdict = { 0 };
	put_verdict(p, &verdict);
	put_line(p->ask, verdict.data ? verdict.data : "No host can be compared.", 0, out);
	out->failed |= verdict.failed;
	mer_str_fini(&verdict);
	size_t n = 0, left = 0;
	for (size_t i = 0, until; i < peers->n_rows; i = until) {
		for (until = i + 1; until < peers->n_rows && same_host(peers, i, until); until++)
			;
		if (p->most && n == p->most) {
			left++;
			continue;
		}
		put_host(p, i, until, out);
		n++;
	}
	if (left)
		mer_str_printf(out, "... and %zu more hosts (-n 0 shows all)\n", left);
}
