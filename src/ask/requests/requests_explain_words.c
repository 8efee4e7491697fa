#include "ask/requests/requests_explain_words.h"

#include <inttypes.h>

#include "ask/print/text.h"

static void put_name(
	const struct ask_requests *c, const struct requests_culprit *u, struct mer_str *out)
{
	const char *comm = ask_explain_comm(c, u);
	if (u->task != KERNEL_NONE)
		mer_str_printf(out, "%s/%" PRId32, *comm ? comm : "?",
			c->r->w->hosts[u->host].tasks[u->task].tid);
}

/* The program of a culprit; "": no task. */
static const char *culprit_program(const struct ask_requests *c, const struct requests_culprit *u)
{
	return u->task == KERNEL_NONE ? "" : requests_program(c->kinds, u->host, u->task);
}

/* The culprit that stands for most of the reason: those of one program that did the same are one.
 * NULL: none for a third of it. */
static const struct requests_culprit *main_culprit(
	const struct ask_requests *c, const struct requests_reason *r)
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
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	const struct requests_exchange *e = &c->r->exchanges[x->example];
	const struct requests_end *server =
		&requests_connection_of(c->r, x->example)->ends[REQUESTS_SERVER];
	uint32_t task = e->server_task == KERNEL_NONE ? e->reader : e->server_task;
	const char *arrow = strstr(ask_explain_kind(c, x->kind), " -> ");
	if (server->socket != KERNEL_NONE && *requests_program(c->kinds, server->host, task))
		mer_str_printf(out, "%s on %s", requests_program(c->kinds, server->host, task),
			ask_explain_host(c, server->host));
	else
		mer_str_puts(out, arrow ? arrow + 4 : "?");
}

/* "nginx on web" */
static void put_party(const struct ask_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, struct mer_str *out)
{
	mer_str_printf(out, "%s on %s", r->is_in_many ? "tasks" : ask_explain_program(x, r),
		ask_explain_host(c, r->is_in_many ? r->by_host : r->host));
}

/* It is the requester itself. */
static bool is_own(const struct requests_explanation *x, const struct requests_reason *r)
{
	return r->part == REQUESTS_REQUESTER && r->in == x->kind;
}

/* It is who the requests are to, which does not wait for itself. */
static bool is_server(const struct ask_requests *c, const struct requests_explanation *x,
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
static void put_user_of_cpu(const struct ask_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, const struct requests_culprit *u, struct mer_str *out)
{
	const char *by = culprit_program(c, u);
	if (u->deed != REQUESTS_DEED_CPU)
		ask_requests_put_deed(c, u, out);
	else if (u->host == r->host && strcmp(by, ask_explain_program(x, r)) == 0)
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
static void put_mixed(const struct ask_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, struct mer_str *out)
{
	mer_str_printf(out, "%s on %s, which %s and %s", mer_intern_text(&x->names, r->by),
		ask_explain_host(c, r->by_host), mixed_words(r->deed), mixed_words(r->and));
}

/* Segments were lost on several ways. */
static bool is_lost_in_many(const struct requests_reason *r)
{
	return r->is_last && r->deed == REQUESTS_DEED_LOST && r->is_in_many;
}

/* What the task does itself, or waits for where nobody else has it: "shopapp on web computes 37.1
 * ms longer". False: it is no such thing. */
static bool put_deed_of_its_own(const struct ask_requests *c, const struct requests_explanation *x,
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
	ask_text_duration(out, r->ns);
	mer_str_puts(out, " longer");
	if (is_computing)
		return true;
	mer_str_putc(out, ' ');
	if (deed == REQUESTS_DEED_WAITED) {
		ask_requests_put_awaited(c, u, out);
	} else if (is_waiting) {
		mer_str_puts(out, u ? "for a CPU, used by " : "for a CPU");
		if (u)
			put_user_of_cpu(c, x, r, u, out);
	} else if (deed == REQUESTS_DEED_INTERRUPT) {
		mer_str_puts(out, "interrupted by ");
		ask_requests_put_deed(c, u, out);
	} else if (u) {
		ask_requests_put_deed(c, u, out);
	} else {
		mer_str_puts(out, part_words((enum requests_part_kind)r->part));
	}
	return true;
}

/* ": fdatasync behind dd's writes to vda" */
static void put_why(
	const struct ask_requests *c, const struct requests_reason *r, struct mer_str *out)
{
	const struct requests_culprit *u = main_culprit(c, r);
	const char *words = part_words((enum requests_part_kind)r->part);
	mer_str_puts(out, u || words ? ": " : "");
	if (u)
		ask_requests_put_why(c, u, culprit_program(c, u), out);
	else if (words)
		mer_str_puts(out, words);
}

/* "In slow requests ", "In r17.203 " */
static void put_in_which(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	char id[REQUESTS_ID_BYTES];
	requests_id_text(c->r, x->example, id);
	mer_str_printf(out, "In %s ", x->is_one ? id : "slow requests");
}

/* "Slow requests to nginx on web wait ", "r17.203 waits " */
static void put_who_waits(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	char id[REQUESTS_ID_BYTES];
	requests_id_text(c->r, x->example, id);
	if (x->is_one) {
		mer_str_printf(out, "%s waits ", id);
		return;
	}
	mer_str_puts(out, "Slow requests to ");
	put_server(c, x, out);
	mer_str_puts(out, " wait ");
}

/* "Slow requests to nginx on web wait 41 ms more for postgres on db: fdatasync behind dd's writes
 * to vda"; further ones are ", and 12 ms more for ...". */
static void put_reason(const struct ask_requests *c, const struct requests_explanation *x,
	const struct requests_reason *r, bool is_first, struct mer_str *out)
{
	struct mer_str own = { 0 };
	bool is_deed = put_deed_of_its_own(c, x, r, &own);
	bool is_party = !is_deed && !is_mixed(r) && !is_lost_in_many(r) &&
			(is_own(x, r) || (is_server(c, x, r) && r->part != REQUESTS_QUEUED));
	if (!is_first)
		mer_str_puts(out, ", and ");
	else if (is_deed || is_party)
		put_in_which(c, x, out);
	else
		put_who_waits(c, x, out);
	if (is_deed) {
		mer_str_puts(out, own.data ? own.data : "");
	} else if (is_party) {
		put_party(c, x, r, out);
		mer_str_puts(out, " waits ");
		ask_text_duration(out, r->ns);
		mer_str_puts(out, " longer");
		put_why(c, r, out);
	} else {
		mer_str_puts(out, is_first ? "" : x->is_one ? "it waits " : "they wait ");
		ask_text_duration(out, r->ns);
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
	mer_str_printf(out, " (%.0f %%", 100 * ask_explain_share(x, r));
}

unsigned ask_explain_choose(
	const struct requests_explanation *x, size_t named[ASK_EXPLAIN_NAMED], double *covered)
{
	static const double enough = 0.5, least = 0.1;
	unsigned n = 0;
	bool is_own_named = false, is_cause_named = false;
	*covered = 0;
	for (size_t i = 0; i < x->n && n < ASK_EXPLAIN_NAMED && x->reasons[i].ns > 0; i++) {
		const struct requests_reason *r = &x->reasons[i];
		bool is_wanted = !n || (*covered < enough && ask_explain_share(x, r) >= least);
		/* Others may be slow for a reason of their own. */
		is_wanted |= !is_own_named && !requests_is_for_others(r);
		/* That it was the network, or a lock of nobody, explains little. */
		is_wanted |=
			!is_cause_named && requests_is_cause(r) && ask_explain_share(x, r) >= least;
		if (!is_wanted)
			continue;
		is_own_named |= !requests_is_for_others(r);
		is_cause_named |= requests_is_cause(r);
		named[n++] = i;
		*covered += ask_explain_share(x, r);
	}
	return n;
}

void ask_explain_sentence(
	const struct ask_requests *c, const struct requests_explanation *x, struct mer_str *out)
{
	size_t named[ASK_EXPLAIN_NAMED];
	double covered;
	unsigned n = ask_explain_choose(x, named, &covered);
	int64_t more = x->slow_ns - x->typical_ns;
	if (!n || more <= 0) {
		char id[REQUESTS_ID_BYTES];
		requests_id_text(c->r, x->example, id);
		mer_str_printf(out, "%s ", x->is_one ? id : "Slow requests");
		mer_str_puts(out, x->is_one ? "takes " : "take ");
		ask_text_duration(out, more < 0 ? -more : more);
		mer_str_printf(out, " %s than typical ones", more < 0 ? "less" : "more");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		put_reason(c, x, &x->reasons[named[i]], i == 0, out);
		mer_str_puts(out, i == 0 ? " of the difference)" : ")");
	}
	if (n > 1)
		mer_str_printf(out, "; together %.0f %%", 100 * covered);
	for (unsigned i = 0; i < n; i++) {
		const struct requests_reason *r = &x->reasons[named[i]];
		if (r->part != REQUESTS_QUEUED || !requests_change_threads(c->kinds, r->in))
			continue;
		mer_str_printf(out,
			"; requests change threads in %s, so that it served others is inferred, not recorded",
			ask_explain_program(x, r));
		break;
	}
}

void ask_explain_put_culprit(const struct ask_requests *c, const struct requests_reason *r,
	const struct requests_culprit *u, struct mer_str *out)
{
	put_name(c, u, out);
	mer_str_puts(out, u->task == KERNEL_NONE ? "" : " ");
	ask_requests_put_deed(c, u, out);
	ask_requests_put_whose(c, u, r->in, out);
	ask_requests_put_via(u, out);
}

const char *ask_explain_by(const struct requests_explanation *x, const struct requests_reason *r)
{
	if (!r->is_last)
		return "";
	return r->deed == REQUESTS_DEED_LOST	    ? "lost segments"
	       : r->deed == REQUESTS_DEED_INTERRUPT ? "interrupts"
						    : mer_intern_text(&x->names, r->by);
}
