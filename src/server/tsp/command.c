#include "server/tsp/command.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_WORDS = 20 };

int tsp_command(struct tsp *t, const char *const *words, const struct session_window *window,
	uint64_t limit, struct mer_str *text, struct mer_err *err)
{
	const struct server_words *known = &t->s->o.words;
	const char *all[MAX_WORDS];
	char begin[24], end[24], rows[24];
	struct server_output out = { 0 };
	size_t n = 0;
	for (; words[n] && n < MAX_WORDS - 6; n++)
		all[n] = words[n];
	snprintf(begin, sizeof(begin), "%" PRId64, window ? window->begin : 0);
	snprintf(end, sizeof(end), "%" PRId64, window ? window->end : 0);
	snprintf(rows, sizeof(rows), "%" PRIu64, limit);
	if (window) {
		all[n++] = known->begin;
		all[n++] = begin;
		all[n++] = known->end;
		all[n++] = end;
	}
	if (limit) {
		all[n++] = known->limit;
		all[n++] = rows;
	}
	enum server_clocks clocks =
		t->s->o.command_clocks(t->s->o.ctx, SERVER_CLOCKS_ALIGNED, all, n);
	struct server_traces *own = t->traces;
	if (clocks != SERVER_CLOCKS_ALIGNED) {
		struct http_answer why = { 0 };
		own = server_traces_use(t->s, clocks, &why);
		mer_str_fini(&why.body);
		if (!own)
			return mer_fail(err, MER_ERR_INPUT,
				"the traces cannot be read with the clocks as recorded");
	}
	server_run_command(t->s, own, SERVER_CLOCKS_ALIGNED, all, n, &out);
	if (own != t->traces)
		server_traces_done(own);
	if (out.status)
		mer_fail(err, out.status, "%s", out.text.data ? out.text.data : "unknown error");
	*text = out.text;
	return out.status;
}

int tsp_command_json(
	struct tsp *t, const struct mer_str *text, struct mer_json_value *v, struct mer_err *err)
{
	struct mer_json_reader r;
	mer_json_reader_init(&r, text->data ? text->data : "", text->len, &t->arena);
	int rc = mer_json_read(&r, v);
	mer_json_reader_fini(&r);
	if (rc == MER_ERR_NOMEM)
		return mer_fail_nomem(err);
	return rc ? mer_fail(err, MER_ERR_BUG, "what the program prints is not JSON: %s", r.err)
		  : 0;
}
