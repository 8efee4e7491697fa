/* Why the slow requests of a kind are slow: in a sentence, as a table, as JSON. */
#include <inttypes.h>
#include <string.h>

#include "cli/requests/requests_print.h"
#include "cli/session.h"
#include "cli/table.h"
#include "cli/text.h"

static const char *host_name(const struct cli_requests *c, uint32_t host)
{
	return c->w->e->hosts[host].name;
}

static const char *program_of(const struct requests_explanation *x, const struct requests_reason *r)
{
	const char *name = mer_intern_text(&x->names, r->program);
	return *name ? name : "?";
}

static const char *kind_text(const struct cli_requests *c, uint32_t kind)
{
	return kind == KERNEL_NONE ? NULL : mer_intern_text(&c->kinds->names, kind);
}

static double share_of(const struct requests_explanation *x, const struct requests_reason *r)
{
	int64_t all = x->slow_ns - x->typical_ns;
	return all ? (double)r->ns / (double)all : 0;
}

static const char *comm_of(const struct cli_requests *c, const struct requests_culprit *u)
{
	return u->task == KERNEL_NONE ? ""
				      : kernel_comm(&c->r->w->hosts[u->host], u->task, INT64_MAX);
}

static void put_name(
	const struct cli_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	const char *comm = comm_of(c, u);
	if (u->task != KERNEL_NONE)
		mer_str_printf(out, "%s/%" PRId32, *comm ? comm : "?",
			c->r->w->hosts[u->host].tasks[u->task].tid);
}

/* The program of a culprit; "": no task. */
static const char *culprit_program(const struct cli_requests *c, const struct requests_culprit *u)
{
	return u->task == KERNEL_NONE ? "" : requests_program(c->kinds, u->host, u->task);
}

/* The culprit that stands for most of the reason: those of one program that did the same are one.
 * NULL: none for a third of it. */
static const struct requests_culprit *main_culprit(
	const struct cli_requests *c, const struct requests_reason *r)
{
	const struct requests_culprit *best = NULL;
	int64_t most = r->ns / 3;
	for (unsigned i = 0; r->is_last && i < r->n_culprits; i++)
		if (r->culprits[i].deed == r->deed)
			return &r->culprits[i];
	for (unsigned i = 0; i < r->n_culprits; i++) {
		const struct requests_culprit *u = &r->culprits[i];
		int64_t sum = 0;
		for (unsigned k = 0; k < r->n_culprits; k++)
			if (r->culprits[k].deed == u->deed && r->culprits[k].call == u->call &&
				strcmp(culprit_program(c, &r->culprits[k]),
					culprit_program(c, u)) == 0)
				sum += r->culprits[k].ns;
		if (sum > most) {
			most = sum;
			best = u;
		}
	}
	return best;
}

/* "nginx on web": who the requests of the kind are to. */
static void put_server(
	const struct cli_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	const struct requests_exchange *e = &c->r->exchanges[x->example];
	const struct requests_end *server =
		&requests_connection_of(c->r, x->example)->ends[REQUESTS_SERVER];
	uint32_t task = e->server_task == KERNEL_NONE ? e->reader : e->server_task;
	const char *arrow = strstr(kind_text(c, x->kind), " -> ");
	if (server->socket != KERNEL_NONE && *requests_program(c->kinds, server->host, task))
		mer_str_printf(out, "%s on %s", requests_program(c->kinds, server->host, task),
			host_name(c, server->host));
	else
		mer_str_puts(out, arrow ? arrow + 4 : "?");
}

/* "nginx on web" */
static void put_party(const struct cli_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, struct mer_str *out)
{
	mer_str_printf(out, "%s on %s", r->is_in_many ? "tasks" : program_of(x, r),
		host_name(c, r->is_in_many ? r->by_host : r->host));
}

/* It is the requester itself. */
static bool is_own(const struct requests_explanation *x, const struct requests_reason *r)
{
	return r->part == REQUESTS_REQUESTER && r->in == x->kind;
}

/* It is who the requests are to, which does not wait for itself. */
static bool is_server(const struct cli_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r)
{
	struct mer_str server = { 0 }, party = { 0 };
	put_server(c, x, &server);
	put_party(c, x, r, &party);
	bool is_same = r->part != REQUESTS_NETWORK && server.len && server.len == party.len &&
		       memcmp(server.data, party.data, party.len) == 0;
	mer_str_fini(&server);
	mer_str_fini(&party);
	return is_same;
}

/* What it is where no culprit is known. */
static const char *part_words(enum requests_part_kind part)
{
	static const char *const words[REQUESTS_N_PARTS] = {
		[REQUESTS_REQUESTER] = "sending and reading",
		[REQUESTS_QUEUED] = "it served other requests",
		[REQUESTS_CPU] = "on the CPU",
		[REQUESTS_RUNNABLE] = "runnable",
		[REQUESTS_DISK] = "waiting for the disk",
		[REQUESTS_LOCKS] = "waiting for a lock",
		[REQUESTS_OTHER] = "waiting",
	};
	return words[part];
}

/* "other postgres tasks", "hog", "softirq net_rx" */
static void put_user_of_cpu(const struct cli_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, const struct requests_culprit *u, struct mer_str *out)
{
	const char *by = culprit_program(c, u);
	if (u->deed != REQUESTS_DEED_CPU)
		cli_requests_put_deed(c, u, out);
	else if (u->host == r->host && strcmp(by, program_of(x, r)) == 0)
		mer_str_printf(out, "other %s tasks", by);
	else
		mer_str_puts(out, by);
}

/* One that serves no request took the time in several ways. */
static bool is_mixed(const struct requests_reason *r)
{
	return r->is_last && r->and != r->deed;
}

static const char *mixed_words(uint8_t deed)
{
	switch (deed) {
	case REQUESTS_DEED_CPU: return "had the CPU";
	case REQUESTS_DEED_HELD: return "held the lock";
	default: return "kept the disk busy";
	}
}

/* "vacuum on h2, which held the lock and had the CPU" */
static void put_mixed(const struct cli_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, struct mer_str *out)
{
	mer_str_printf(out, "%s on %s, which %s and %s", mer_intern_text(&x->names, r->by),
		host_name(c, r->by_host), mixed_words(r->deed), mixed_words(r->and));
}

/* Segments were lost on several ways. */
static bool is_lost_in_many(const struct requests_reason *r)
{
	return r->is_last && r->deed == REQUESTS_DEED_LOST && r->is_in_many;
}

/* What the task does itself, or waits for where nobody else has it: "shopapp on web computes 37.1
 * ms longer". False: it is no such thing. */
static bool put_deed_of_its_own(const struct cli_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, struct mer_str *out)
{
	const struct requests_culprit *u = main_culprit(c, r);
	int deed = u ? u->deed : -1;
	if (is_mixed(r))
		return false;
	bool is_computing = deed == REQUESTS_DEED_COMPUTE && u->call == KERNEL_NONE;
	bool is_waiting = deed == REQUESTS_DEED_CPU || deed == REQUESTS_DEED_WAITED ||
			  (deed == REQUESTS_DEED_INTERRUPT && r->part == REQUESTS_RUNNABLE) ||
			  (!u && r->part == REQUESTS_RUNNABLE);
	bool is_known = is_waiting || deed == REQUESTS_DEED_COMPUTE ||
			deed == REQUESTS_DEED_INTERRUPT || deed == REQUESTS_DEED_SLEPT;
	if (!is_known && (u || (r->part != REQUESTS_CPU && !is_own(x, r))))
		return false;
	put_party(c, x, r, out);
	mer_str_puts(out, is_computing	  ? " computes "
			  : !is_waiting	  ? " is "
			  : r->is_in_many ? " wait "
					  : " waits ");
	cli_text_duration(out, r->ns);
	mer_str_puts(out, " longer");
	if (is_computing)
		return true;
	mer_str_putc(out, ' ');
	if (deed == REQUESTS_DEED_WAITED) {
		cli_requests_put_awaited(c, u, out);
	} else if (is_waiting) {
		mer_str_puts(out, u ? "for a CPU, used by " : "for a CPU");
		if (u)
			put_user_of_cpu(c, x, r, u, out);
	} else if (deed == REQUESTS_DEED_INTERRUPT) {
		mer_str_puts(out, "interrupted by ");
		cli_requests_put_deed(c, u, out);
	} else if (u) {
		cli_requests_put_deed(c, u, out);
	} else {
		mer_str_puts(out, part_words((enum requests_part_kind)r->part));
	}
	return true;
}

/* ": fdatasync behind dd's writes to vda" */
static void put_why(
	const struct cli_requests *c, const struct requests_reason *r, struct mer_str *out)
{
	const struct requests_culprit *u = main_culprit(c, r);
	const char *words = part_words((enum requests_part_kind)r->part);
	mer_str_puts(out, u || words ? ": " : "");
	if (u)
		cli_requests_put_why(c, u, culprit_program(c, u), out);
	else if (words)
		mer_str_puts(out, words);
}

/* "Slow requests to nginx on web wait 41 ms more for postgres on db: fdatasync behind dd's writes
 * to vda"; further ones are ", and 12 ms more for ...". */
static void put_reason(const struct cli_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, bool is_first, struct mer_str *out)
{
	struct mer_str own = { 0 };
	if (put_deed_of_its_own(c, x, r, &own)) {
		mer_str_printf(out, "%s%s", is_first ? "In slow requests " : ", and ",
			own.data ? own.data : "");
	} else if (!is_mixed(r) && !is_lost_in_many(r) &&
		   (is_own(x, r) || (is_server(c, x, r) && r->part != REQUESTS_QUEUED))) {
		mer_str_puts(out, is_first ? "In slow requests " : ", and ");
		put_party(c, x, r, out);
		mer_str_puts(out, " waits ");
		cli_text_duration(out, r->ns);
		mer_str_puts(out, " longer");
		put_why(c, r, out);
	} else {
		mer_str_puts(out, is_first ? "Slow requests to " : ", and wait ");
		if (is_first) {
			put_server(c, x, out);
			mer_str_puts(out, " wait ");
		}
		cli_text_duration(out, r->ns);
		if (is_mixed(r)) {
			mer_str_puts(out, " more for ");
			put_mixed(c, x, r, out);
		} else if (is_lost_in_many(r)) {
			mer_str_puts(
				out, " more for the network: segments were lost and sent again");
		} else if (is_server(c, x, r)) {
			mer_str_puts(out, " longer while it serves other requests");
		} else {
			mer_str_puts(out, r->part == REQUESTS_NETWORK ? " more for the network to "
								      : " more for ");
			put_party(c, x, r, out);
			put_why(c, r, out);
		}
	}
	out->failed |= own.failed;
	mer_str_fini(&own);
	mer_str_printf(out, " (%.0f %%", 100 * share_of(x, r));
}

/* It waited for other requests, which may be slow for a reason of their own. */
static bool is_for_others(const struct cli_requests *c, const struct requests_reason *r)
{
	const struct requests_culprit *u = main_culprit(c, r);
	return r->part == REQUESTS_QUEUED || (u && u->deed == REQUESTS_DEED_CONNECTION);
}

static void put_sentence(
	const struct cli_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	const struct requests_reason *r = x->n ? &x->reasons[0] : NULL;
	if (!r || r->ns <= 0) {
		mer_str_puts(out, "Slow requests take ");
		cli_text_duration(out, x->slow_ns - x->typical_ns);
		mer_str_puts(out, " more than typical ones");
		return;
	}
	put_reason(c, x, r, true, out);
	mer_str_puts(out, " of the difference)");
	size_t next = 1;
	if (!is_for_others(c, r))
		return;
	while (next < x->n && is_for_others(c, &x->reasons[next]))
		next++;
	if (next == x->n || x->reasons[next].ns <= 0)
		return;
	put_reason(c, x, &x->reasons[next], false, out);
	mer_str_putc(out, ')');
}

/* "shop-w2/168 had the CPU for r17.203" */
static void put_culprit(const struct cli_requests *c, const struct requests_reason *r,
	const struct requests_culprit *u, struct mer_str *out)
{
	put_name(c, u, out);
	mer_str_puts(out, u->task == KERNEL_NONE ? "" : " ");
	cli_requests_put_deed(c, u, out);
	cli_requests_put_whose(c, u, r->in, out);
	cli_requests_put_via(u, out);
}

/* The program of a last culprit; "": none. */
static const char *by_of(const struct requests_explanation *x, const struct requests_reason *r)
{
	if (!r->is_last)
		return "";
	return r->deed == REQUESTS_DEED_LOST	    ? "lost segments"
	       : r->deed == REQUESTS_DEED_INTERRUPT ? "interrupts"
						    : mer_intern_text(&x->names, r->by);
}

static void put_culprits(
	const struct cli_requests *c, const struct requests_reason *r, struct mer_str *out)
{
	for (unsigned i = 0; i < r->n_culprits; i++) {
		mer_str_puts(out, i ? "; " : "");
		put_culprit(c, r, &r->culprits[i], out);
		mer_str_puts(out, ", ");
		cli_text_duration(out, r->culprits[i].ns);
	}
}

/* "  12.9 ms  shop-w1/167 had the CPU for r9.1", further lines below its text. */
static void put_culprit_line(const struct cli_requests *c, const struct requests_reason *r,
	const struct requests_culprit *u, struct mer_str *out)
{
	enum { INDENT = 12 };
	struct mer_str line = { 0 }, clean = { 0 }, text = { 0 };
	mer_put_duration(&line, u->ns);
	mer_str_printf(out, "%*s  ", INDENT - 2, line.data ? line.data : "");
	mer_str_clear(&line);
	put_culprit(c, r, u, &line);
	cli_text_clean(&clean, line.data ? line.data : "", line.len, false);
	cli_text_wrap(&text, clean.data ? clean.data : "", (size_t)cli_width(c->cli), INDENT);
	if (text.len > INDENT)
		mer_str_add(out, text.data + INDENT, text.len - INDENT);
	else
		mer_str_putc(out, '\n');
	out->failed |= line.failed || clean.failed || text.failed;
	mer_str_fini(&text);
	mer_str_fini(&clean);
	mer_str_fini(&line);
}

/* For people, a line for each that counts, below the table. */
static void put_culprit_lines(const struct cli_requests *c, const struct requests_explanation *x,
	uint32_t n_reasons, struct mer_str *out)
{
	enum { LEAST_PERCENT = 5 }; /* of the difference; of a contribution */
	bool any = false;
	for (uint32_t i = 0; i < n_reasons; i++) {
		const struct requests_reason *r = &x->reasons[i];
		if (r->ns <= 0 || !r->n_culprits || 100 * share_of(x, r) < LEAST_PERCENT)
			continue;
		mer_str_printf(out, "%s%s on %s, %s, in %s%s%s:\n", any ? "" : "\nWho, and what\n",
			program_of(x, r), host_name(c, r->host),
			requests_part_name((enum requests_part_kind)r->part), kind_text(c, r->in),
			*by_of(x, r) ? ", by " : "", by_of(x, r));
		any = true;
		for (unsigned k = 0; k < r->n_culprits; k++) {
			if (k && r->culprits[k].ns < r->ns / 100 * LEAST_PERCENT)
				break;
			put_culprit_line(c, r, &r->culprits[k], out);
		}
	}
}

static void put_range(const char *name, const char *one, const char *many, uint64_t least,
	uint64_t most, struct mer_str *out)
{
	mer_str_puts(out, name);
	if (least != most) {
		cli_text_count(out, (int64_t)least);
		mer_str_puts(out, " to ");
	}
	cli_text_things(out, most, one, many);
}

/* "78 % of the slow, but 12 % of all requests have 3 requests below them." */
static void put_shape(const struct requests_explanation *x, struct mer_str *out)
{
	static const struct {
		const char *name, *one, *many;
	} words[REQUESTS_N_SIZES] = {
		[REQUESTS_SIZE_OUT] = { "a request of ", "byte", "bytes" },
		[REQUESTS_SIZE_IN] = { "an answer of ", "byte", "bytes" },
		[REQUESTS_SIZE_BELOW] = { "", "request below it", "requests below it" },
	};
	const struct requests_shape *s = &x->shape;
	const char *between = "";
	if (!s->is_found)
		return;
	mer_str_printf(out, " %.0f %% of the slow, but %.0f %% of all requests have ",
		100 * s->slow_share, 100 * s->share);
	for (int k = 0; k < REQUESTS_N_SIZES; k++) {
		if (!s->sizes[k].is_limit)
			continue;
		mer_str_puts(out, between);
		put_range(words[k].name, words[k].one, words[k].many, s->sizes[k].least,
			s->sizes[k].most, out);
		between = ", ";
	}
	mer_str_putc(out, '.');
}

static void put_shape_json(const struct requests_explanation *x, struct mer_json *j)
{
	static const char *const names[REQUESTS_N_SIZES] = { "bytes_out", "bytes_in", "below" };
	const struct requests_shape *s = &x->shape;
	if (!s->is_found) {
		mer_json_kv_null(j, "group");
		return;
	}
	mer_json_kv_object(j, "group");
	for (int k = 0; k < REQUESTS_N_SIZES; k++) {
		if (!s->sizes[k].is_limit)
			continue;
		mer_json_kv_object(j, names[k]);
		mer_json_kv_uint(j, "min", s->sizes[k].least);
		mer_json_kv_uint(j, "max", s->sizes[k].most);
		mer_json_end_object(j);
	}
	mer_json_kv_uint(j, "slow_count", s->n_slow);
	mer_json_kv_double(j, "slow_share", s->slow_share);
	mer_json_kv_double(j, "share", s->share);
	mer_json_end_object(j);
}

/* " (543 ms)", " (p40 to p60, mean 34.0 ms)" */
static void put_mean(uint32_t n, int64_t ns, const char *which, struct mer_str *out)
{
	mer_str_printf(out, " (%s%s", which, *which ? ", " : "");
	mer_str_puts(out, n > 1 ? "mean " : "");
	cli_text_duration(out, ns);
	mer_str_putc(out, ')');
}

static void put_heading(
	const struct cli_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	struct mer_str line = { 0 };
	mer_str_puts(out, kind_text(c, x->kind));
	mer_str_putc(out, '\n');
	cli_text_things(&line, x->n_slow, "slow request", "slow requests");
	put_mean(x->n_slow, x->slow_ns, "", &line);
	mer_str_puts(&line, ", ");
	cli_text_things(&line, x->n_typical, "typical one", "typical ones");
	put_mean(x->n_typical, x->typical_ns, "p40 to p60", &line);
	mer_str_puts(&line, ". ");
	put_sentence(c, x, &line);
	mer_str_puts(&line, ".");
	put_shape(x, &line);
	cli_text_wrap(out, line.data ? line.data : "", (size_t)cli_width(c->cli), 0);
	mer_str_puts(out, out->len && out->data[out->len - 1] == '\n' ? "\n" : "\n\n");
	out->failed |= line.failed;
	mer_str_fini(&line);
}

static void put_culprit_json(
	const struct cli_requests *c, struct mer_json *j, const struct requests_culprit *u)
{
	const struct kernel_host *h = &c->r->w->hosts[u->host];
	struct mer_str what = { 0 };
	char id[REQUESTS_ID_BYTES];
	cli_requests_put_deed(c, u, &what);
	mer_json_begin_object(j);
	mer_json_kv_text(j, "host", host_name(c, u->host));
	if (u->task == KERNEL_NONE)
		mer_json_kv_null(j, "tid");
	else
		mer_json_kv_int(j, "tid", h->tasks[u->task].tid);
	cli_json_known(j, "comm", comm_of(c, u));
	mer_json_kv_text(j, "what", what.data);
	mer_json_kv_text(j, "for", kind_text(c, u->kind));
	if (u->example != KERNEL_NONE)
		requests_id_text(c->r, u->example, id);
	mer_json_kv_text(j, "request", u->example == KERNEL_NONE ? NULL : id);
	mer_json_kv_int(j, "ns", u->ns);
	mer_json_kv_text(j, "via", requests_via_name((enum requests_via)u->via));
	mer_json_end_object(j);
	mer_str_fini(&what);
}

static int put_json(
	const struct cli_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	struct mer_json j;
	struct mer_str text = { 0 };
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", 2);
	mer_json_kv_text(&j, "kind", x->n_slow ? kind_text(c, x->kind) : NULL);
	for (int i = 0; i < 2; i++) {
		mer_json_kv_object(&j, i ? "typical" : "slow");
		mer_json_kv_uint(&j, "count", i ? x->n_typical : x->n_slow);
		mer_json_kv_int(&j, "mean_ns", i ? x->typical_ns : x->slow_ns);
		mer_json_end_object(&j);
	}
	mer_json_kv_int(&j, "difference_ns", x->slow_ns - x->typical_ns);
	put_shape_json(x, &j);
	mer_json_kv_array(&j, "causes");
	for (size_t i = 0; i < x->n; i++) {
		const struct requests_reason *r = &x->reasons[i];
		mer_json_begin_object(&j);
		mer_json_kv_text(&j, "host", host_name(c, r->host));
		mer_json_kv_text(&j, "comm", program_of(x, r));
		mer_json_kv_text(&j, "cause", requests_part_name((enum requests_part_kind)r->part));
		mer_json_kv_text(&j, "of", kind_text(c, r->in));
		cli_json_known(&j, "by", by_of(x, r));
		mer_json_kv_int(&j, "ns", r->ns);
		mer_json_kv_double(&j, "share", share_of(x, r));
		mer_json_kv_int(&j, "slow_ns", r->slow_ns);
		mer_json_kv_int(&j, "typical_ns", r->typical_ns);
		mer_json_kv_array(&j, "culprits");
		for (unsigned k = 0; k < r->n_culprits; k++)
			put_culprit_json(c, &j, &r->culprits[k]);
		mer_json_end_array(&j);
		mer_json_end_object(&j);
	}
	mer_json_end_array(&j);
	if (x->n_slow)
		put_sentence(c, x, &text);
	mer_json_kv_text(&j, "sentence", text.data); /* null: no request was selected */
	cli_json_synced(&j, c->cli);
	cli_json_diagnostics(&j, c->w->e);
	mer_json_end_object(&j);
	out->failed |= text.failed;
	mer_str_fini(&text);
	return mer_json_finish(&j, &c->cli->err);
}

int cli_requests_explain(
	const struct cli_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	enum { MORE, SHARE, SLOW, TYPICAL, HOST, PROGRAM, CAUSE, IN, BY, CULPRITS, N };
	static const struct mer_column columns[N + 1] = {
		[MORE] = { "more_ns", "More", MER_DURATION },
		[SHARE] = { "percent", "Share", MER_RATIO },
		[SLOW] = { "slow_ns", "Slow", MER_DURATION },
		[TYPICAL] = { "typical_ns", "Typical", MER_DURATION },
		[HOST] = { "host", "Host", MER_TEXT },
		[PROGRAM] = { "program", "Program", MER_TEXT },
		[CAUSE] = { "cause", "Cause", MER_TEXT },
		[IN] = { "of", "In", MER_TEXT },
		[BY] = { "by", "By", MER_TEXT },
		[CULPRITS] = { "culprits", "Who", MER_TEXT },
	};
	struct mer_column shown[N + 1];
	struct mer_arena arena;
	struct mer_table t;
	bool for_people = c->cli->format == CLI_FORMAT_TABLE;
	uint32_t n_shown = (uint32_t)x->n, n_left_out = 0;
	if (c->cli->format == CLI_FORMAT_JSON)
		return put_json(c, x, out);
	if (for_people && !x->n_slow)
		return cli_requests_put_nothing(c, out);
	if (c->limit && c->limit < n_shown) {
		n_left_out = n_shown - c->limit;
		n_shown = c->limit;
	}
	mer_arena_init(&arena);
	if (for_people)
		put_heading(c, x, out);
	memcpy(shown, columns, sizeof(shown));
	if (for_people) /* in lines below */
		shown[CULPRITS] = (struct mer_column){ 0 };
	mer_table_init(&t, "causes", NULL, shown, &arena);
	for (uint32_t i = 0; i < n_shown; i++) {
		const struct requests_reason *r = &x->reasons[i];
		struct mer_str who = { 0 };
		put_culprits(c, r, &who);
		mer_table_add(
			&t, (struct mer_cell[N]){
				    [MORE] = MER_INT(r->ns),
				    [SHARE] = MER_REAL_CELL(share_of(x, r)),
				    [SLOW] = MER_INT(r->slow_ns),
				    [TYPICAL] = MER_INT(r->typical_ns),
				    [HOST] = mer_text(host_name(c, r->host)),
				    [PROGRAM] = mer_text(program_of(x, r)),
				    [CAUSE] = mer_text(
					    requests_part_name((enum requests_part_kind)r->part)),
				    [IN] = mer_text(kind_text(c, r->in)),
				    [BY] = *by_of(x, r) ? mer_text(by_of(x, r)) : MER_NONE,
				    [CULPRITS] = who.len ? mer_table_keep(&t, &who) : MER_NONE,
			    });
		mer_str_fini(&who);
	}
	if (for_people) {
		cli_requests_shorten_kinds(c, &t, IN);
		/* What others say, or the lines below; no name is to be cut for it. */
		static const uint32_t spare[] = { TYPICAL, SLOW, BY };
		for (size_t i = 0; i < sizeof(spare) / sizeof(*spare) &&
				   cli_table_least_width(&t, SIZE_MAX) > (size_t)cli_width(c->cli);
			i++)
			mer_table_hide(&t, spare[i]);
		cli_table_text(&t, out, (size_t)cli_width(c->cli), c->cli->bold_out);
	} else {
		cli_table_rows(c->cli, &t, mer_table_whole(&t), out);
	}
	out->failed |= t.failed || arena.failed;
	mer_table_fini(&t);
	mer_arena_fini(&arena);
	if (for_people && n_left_out) {
		mer_str_puts(out, "... and ");
		cli_text_count(out, n_left_out);
		mer_str_puts(out, " smaller ones (-n 0 shows all)\n");
	}
	if (for_people)
		put_culprit_lines(c, x, n_shown, out);
	return 0;
}
