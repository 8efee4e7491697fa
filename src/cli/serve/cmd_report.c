/* meridian report: what the page shows, as one file that needs neither server nor network. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "cli/serve/asker.h"
#include "cli/serve/report_questions.h"
#include "ask/session.h"
#include "ask/verb.h"
#include "server/gzip.h"

struct values {
	struct ask_amount limit;
};

enum { REQUESTS = 5 };

struct report {
	struct ask *ask;
	struct mer_str out; /* "target": "answer", ... */
	struct mer_map there;
};

/* ---- Answers, as an object in JSON ---- */

static int take(void *ctx, const char *target, const struct http_answer *a, struct mer_err *err)
{
	struct report *r = ctx;
	const char *body = a->body.data ? a->body.data : "";
	uint32_t *there = mer_map_put(&r->there, mer_hash(target, strlen(target)));
	if (!there)
		return mer_fail_nomem(err);
	if (*there)
		return 0;
	*there = 1;
	mer_str_puts(&r->out, r->out.len ? ",\n" : "{\n");
	mer_json_quote(&r->out, target, strlen(target));
	mer_str_putc(&r->out, ':');
	if (strcmp(a->type, "application/octet-stream") == 0) {
		mer_str_puts(&r->out, "\"base64,");
		mer_base64_put(&r->out, (const unsigned char *)body, a->body.len);
		mer_str_putc(&r->out, '"');
	} else {
		mer_json_quote(&r->out, body, a->body.len);
	}
	return r->out.failed ? mer_fail_nomem(err) : 0;
}

/* ---- The file ---- */

static int pack(struct mer_str *text, struct mer_str *to, struct mer_err *err)
{
	struct mer_str packed = { 0 };
	int rc = server_gzip(text, SERVER_GZIP_SMALL, &packed, err);
	if (rc == 0)
		mer_base64_put(to, (const unsigned char *)packed.data, packed.len);
	mer_str_fini(&packed);
	return rc || !to->failed ? rc : mer_fail_nomem(err);
}

static int write_page(struct report *r)
{
	static const char place[] = "<div id=\"app\"></div>";
	FILE *out = r->ask->out;
	size_t len;
	const char *page = server_page_text(&len);
	const char *at = memmem(page, len, place, sizeof(place) - 1);
	if (!at)
		return mer_fail(&r->ask->err, MER_ERR_BUG, "the page has no place for answers");
	at += sizeof(place) - 1;
	struct mer_str packed = { 0 };
	mer_str_puts(&r->out, "\n}\n");
	int rc =
		r->out.failed ? mer_fail_nomem(&r->ask->err) : pack(&r->out, &packed, &r->ask->err);
	if (rc == 0) {
		fwrite(page, 1, (size_t)(at - page), out);
		fputs("<script type=\"application/gzip\" id=\"answers\">", out);
		fwrite(packed.data, 1, packed.len, out);
		fputs("</script>", out);
		fwrite(at, 1, len - (size_t)(at - page), out);
	}
	mer_str_fini(&packed);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const struct values *v = values;
	struct report r = { .ask = ask };
	struct server *server;
	struct mer_session_options session;
	if (ask->out_is_terminal)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"-o is missing: the report is a page for a browser, as in -o report.html");
	int rc = ask_session_options(ask, &session);
	if (rc)
		return rc;
	/* Many questions: what answers all of them is made once. */
	session.store = session.cache_folder != NULL;
	const struct ask_asker asker = cli_asker(ask);
	struct server_options o = { .paths = ask->args,
		.n_paths = ask->n_args,
		.session = &session,
		.asker = &asker,
		.surroundings = cli_surroundings(ask) };
	rc = server_open(&o, &server, &ask->err);
	if (rc)
		return rc;
	unsigned n = v->limit.set ? (unsigned)v->limit.v : REQUESTS;
	rc = cli_report_ask(server, n, take, &r, &ask->err);
	if (rc == 0)
		rc = write_page(&r);
	server_stop(server);
	mer_str_fini(&r.out);
	mer_map_fini(&r.there);
	return rc;
}

static const struct ask_option options[] = {
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "the N slowest requests, each with its path (5)",
		.offset = offsetof(struct values, limit) },
	{ 0 },
};

const struct ask_verb cli_verb_report = {
	.name = "report",
	.help = "one file to send: what stands out, with time lines",
	.synopsis = "[OPTION...] TRACE... -o FILE.html",
	.description =
		"Writes the page of 'meridian serve' with its answers into one HTML file, which needs neither the traces nor a network: what stands out, requests and why slow ones are slow, time lines, tables, clocks, losses, and the critical paths of the slowest requests and of the ones that the explanation names. It can be sent, printed, and opened on a phone.",
	.more =
		"The time lines have the CPUs and the 150 tasks that used most CPU time; those of the requests have what is on their paths, in full detail. With --view they have the rows that views declare, and where MPI was recorded the ranks, 200 rows at most. Marks (docs/marks.md) are in it. What the file does not have names the command that prints it. The file has names of hosts, programs, files and addresses as they were recorded: look before you send it.",
	.formats = "text",
	.uses = ASK_USES_FORMAT | ASK_USES_SYNC | ASK_USES_VIEWS | ASK_USES_JOBS | ASK_USES_INPUT,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian report client/ server/ -o report.html", "Of two hosts." },
		{ "meridian report -n 20 server/ -o report.html", "With more paths." },
	},
	.run = run,
};
