/* meridian requests: every request of services, and which of them served which. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "ask/print/answer_print.h"
#include "ask/print/bins.h"
#include "ask/reports/grid.h"
#include "ask/requests/one_request.h"
#include "ask/requests/requests_bins.h"
#include "ask/requests/request_names.h"
#include "ask/requests/requests_answer.h"
#include "ask/session.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "requests/cost_sums.h"
#include "requests/of_tracer.h"

enum order { ORDER_LATENCY, ORDER_BEGIN };

struct values {
	struct ask_amount limit, min, above, slowest, bins, interval;
	const char *kind, *from, *to, *plot;
	struct ask_request_values request;
	struct ask_names_values names;
	unsigned sort;	/* enum order */
	unsigned table; /* enum ask_requests_cost_table */
	bool list, tree, explain, cost, all;
};

struct asking {
	struct ask *ask;
	const struct values *v;
	struct ask_requests c;
	uint32_t only; /* the one request that --request names; KERNEL_NONE */
};

enum { SCREENFUL = 20, TREES = 3 }; /* for people, when --limit does not say */

/* ---- which ---- */

static bool fits(const char *pattern, const char *text)
{
	return text && mer_glob(pattern, text);
}

/* "web:80", "web:80 nginx": as in the names of kinds. */
static bool fits_place(const struct ask_requests_party *p, const char *program, const char *pattern)
{
	struct mer_str text = { 0 };
	mer_str_printf(&text, "%s:%u", p->host, (unsigned)p->port);
	bool is_fit = fits(pattern, text.data);
	mer_str_printf(&text, " %s", program);
	is_fit |= fits(pattern, text.data);
	mer_str_fini(&text);
	return is_fit;
}

/* A program, a thread, a host, an address, a port, or a host and port. */
static bool fits_party(
	const struct asking *x, uint32_t i, enum requests_side side, const char *pattern)
{
	const struct requests_exchange *e = &x->c.r->exchanges[i];
	const struct requests_end *end = &requests_connection_of(x->c.r, i)->ends[side];
	struct ask_requests_party p;
	char text[KERNEL_ENDPOINT_BYTES];
	uint32_t task = side == REQUESTS_CLIENT		? e->client_task
			: e->server_task == KERNEL_NONE ? e->reader
							: e->server_task;
	ask_requests_party(&x->c, i, side, &p);
	if (fits(pattern, p.host) || fits(pattern, p.comm) || fits(pattern, p.address))
		return true;
	const char *program = p.host ? requests_program(x->c.kinds, end->host, task) : NULL;
	if (fits(pattern, program))
		return true;
	if (p.host && p.port && strchr(pattern, ':') && fits_place(&p, program, pattern))
		return true;
	snprintf(text, sizeof(text), "%u", (unsigned)p.port);
	if (p.port && fits(pattern, text))
		return true;
	requests_address(x->c.r, end, text);
	return *text && fits(pattern, text);
}

/* Formats that have the time of each request with those below it. */
static bool is_of_stacks(const struct ask *ask)
{
	return ask->format == ASK_FORMAT_FOLDED || ask->format == ASK_FORMAT_SPEEDSCOPE;
}

static bool is_export(const struct ask *ask)
{
	return ask->format == ASK_FORMAT_OTLP || ask->format == ASK_FORMAT_PERFETTO ||
	       is_of_stacks(ask);
}

/* Does a program of the selected hosts send it, or answer it? */
static bool is_of_hosts(const struct asking *x, uint32_t i)
{
	struct ask_requests_party p;
	for (int side = REQUESTS_CLIENT; side <= REQUESTS_SERVER; side++) {
		ask_requests_party(&x->c, i, (enum requests_side)side, &p);
		if (p.host && session_selects_host(&x->ask->select, p.host))
			return true;
	}
	return false;
}

static bool is_chosen(const struct asking *x, uint32_t i)
{
	const struct values *v = x->v;
	const struct requests_exchange *e = &x->c.r->exchanges[i];
	const struct session_window *w = &x->ask->window;
	if (e->begin < w->begin || e->begin >= w->end)
		return false;
	if (v->min.set && e->end - e->begin < v->min.v)
		return false;
	if (v->kind && !mer_glob(v->kind, requests_kind_name(x->c.kinds, i)))
		return false;
	if (v->names.name && !fits(v->names.name, ask_names_text(x->c.names, i, ASK_GROUP_NAME)))
		return false;
	if (x->ask->select.hosts.n && !is_of_hosts(x, i))
		return false;
	bool is_any = !v->kind && !v->from && !v->to;
	if (x->c.own && is_any)
		return requests_is_own(x->c.r, i);
	if ((v->tree || is_of_stacks(x->ask)) && e->parent && !v->kind && !v->from && !v->to)
		return false;
	return (!v->from || fits_party(x, i, REQUESTS_CLIENT, v->from)) &&
	       (!v->to || fits_party(x, i, REQUESTS_SERVER, v->to));
}

struct sorted {
	int64_t key, begin;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct sorted *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* They are shown one by one. */
static bool is_of_each(const struct asking *x)
{
	const struct values *v = x->v;
	return (v->list || v->tree || v->request.which.id || is_export(x->ask)) && !v->explain;
}

/* Is it wanted if one request is? That one; to explain it, all of its kind. */
static bool is_with(const struct asking *x, uint32_t i, uint32_t only)
{
	return i == only || (x->v->explain && x->c.kinds->of[i] == x->c.kinds->of[only]);
}

/* In the order in which they are shown; of one request that one. Sums are made in the order of
 * time: then what one of them looks up is near to what the one before did. */
static int choose(struct asking *x, const struct ask_request *q)
{
	struct ask_requests *c = &x->c;
	const struct requests *r = c->r;
	const struct values *v = x->v;
	struct sorted *rows = malloc(((size_t)r->n + 1) * sizeof(*rows));
	bool by_begin = v->sort == ORDER_BEGIN || !is_of_each(x);
	uint32_t n = 0, n_tracer = 0, only = KERNEL_NONE;
	struct requests_of_tracer tracer = { 0 };
	/* What requests cost adds up to what was used only with all of them. */
	bool with_tracer = v->all || v->kind || v->from || v->to || v->cost;
	int rc = v->request.which.id ? ask_request_find(x->ask, q, v->request.which.id, &only) : 0;
	x->only = only;
	c->which = malloc(((size_t)r->n + 1) * sizeof(*c->which));
	if (rc == 0 && (!rows || !c->which))
		rc = mer_fail_nomem(&x->ask->err);
	if (rc == 0)
		rc = requests_of_tracer_find(r, &tracer, &x->ask->err);
	if (rc) {
		requests_of_tracer_fini(&tracer);
		free(rows);
		return rc;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *e = &r->exchanges[i];
		if (only == KERNEL_NONE ? !is_chosen(x, i) : !is_with(x, i, only))
			continue;
		if (only == KERNEL_NONE && !with_tracer && !requests_is_own(r, i) &&
			requests_of_tracer_has(&tracer, i)) {
			n_tracer++;
			continue;
		}
		rows[n++] = (struct sorted){ by_begin ? e->begin : e->begin - e->end, e->begin, i };
	}
	if (n)
		qsort(rows, n, sizeof(*rows), by_key);
	for (uint32_t i = 0; i < n; i++)
		c->which[i] = rows[i].number;
	c->n = n;
	free(rows);
	requests_of_tracer_fini(&tracer);
	if (n_tracer)
		ask_note(x->ask,
			"left out: %" PRIu32 " %s of the tracer's own tasks (--all shows %s)",
			n_tracer, mer_plural(n_tracer, "request", "requests"),
			mer_plural(n_tracer, "it", "them"));
	if (c->r->connections.n_datagrams)
		ask_note(x->ask,
			"%" PRIu64
			" %s read on UDP sockets with several peers and could not be assigned to one of them: their requests are missing (docs/requests.md)",
			c->r->connections.n_datagrams,
			mer_plural(
				c->r->connections.n_datagrams, "datagram was", "datagrams were"));
	return 0;
}

/* ---- names that no request has ---- */

/* How a request is called by what an option chooses: its kind, or one of its ends. */
static void add_names(const struct asking *x, uint32_t i, int side, struct mer_intern *names)
{
	const char *all[3] = { requests_kind_name(x->c.kinds, i) };
	if (side < REQUESTS_N_SIDES) {
		struct ask_requests_party p;
		ask_requests_party(&x->c, i, (enum requests_side)side, &p);
		all[0] = p.comm;
		all[1] = p.host;
	}
	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
		if (all[k])
			mer_intern_add(names, all[k], strlen(all[k]));
}

/* An option that matches no request at all, whatever the others say: side as add_names. */
static void hint_name(const struct asking *x, const char *option, const char *pattern, int side)
{
	enum { SHOWN = 6 };
	const struct requests *r = x->c.r;
	struct mer_intern names;
	struct mer_str list = { 0 };
	bool is_any = false;
	mer_intern_init(&names, &x->ask->arena);
	for (uint32_t i = 0; i < r->n && !is_any; i++) {
		is_any = side == REQUESTS_N_SIDES
				 ? mer_glob(pattern, requests_kind_name(x->c.kinds, i))
				 : fits_party(x, i, (enum requests_side)side, pattern);
		add_names(x, i, side, &names);
	}
	const char **all = is_any ? NULL : calloc((size_t)names.n + 1, sizeof(*all));
	for (uint32_t i = 0; all && i < names.n; i++) {
		all[i] = mer_intern_text(&names, i);
		if (i < SHOWN)
			mer_str_printf(&list, "%s%.80s", i ? ", " : "", all[i]);
	}
	if (all && list.data) {
		const char *best = mer_nearest(pattern, all, names.n);
		ask_warn(x->ask, "--%s: no request has '%.100s'%s%.80s%s; there are: %s%s", option,
			pattern, best ? " (did you mean " : "", best ? best : "", best ? "?)" : "",
			list.data, names.n > SHOWN ? ", ..." : "");
	}
	free(all);
	mer_str_fini(&list);
	mer_intern_fini(&names);
}

static void hint_names(const struct asking *x)
{
	const struct values *v = x->v;
	if (v->kind)
		hint_name(x, "kind", v->kind, REQUESTS_N_SIDES);
	if (v->from)
		hint_name(x, "from", v->from, REQUESTS_CLIENT);
	if (v->to)
		hint_name(x, "to", v->to, REQUESTS_SERVER);
}

/* Rows of the list, or trees. */
static void limit(struct asking *x)
{
	struct ask_requests *c = &x->c;
	const struct ask_amount *given = &x->v->limit;
	uint64_t most = given->set ? (uint64_t)given->v : 0;
	if (!given->set && (x->ask->format == ASK_FORMAT_TABLE || x->v->tree))
		most = x->v->tree ? TREES : SCREENFUL;
	if (most && most < c->n) {
		c->n_left_out = c->n - (uint32_t)most;
		c->n = (uint32_t)most;
	}
}

/* ---- what is printed ---- */

static int add_parts(struct asking *x, struct requests_sums *rows, uint32_t n)
{
	const struct requests *r = x->c.r;
	uint32_t *row_of = calloc((size_t)x->c.kinds->names.n + 1, sizeof(*row_of));
	int rc = row_of ? 0 : mer_fail_nomem(&x->ask->err);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		row_of[rows[i].kind] = i;
	for (uint32_t i = 0; rc == 0 && i < x->c.n; i++) {
		uint32_t number = x->c.which[i];
		struct requests_sums *s = &rows[row_of[x->c.kinds->of[number]]];
		if (requests_has_latency(&r->exchanges[number]))
			rc = requests_parts_sum(x->c.parts, number, s->parts_ns, &x->ask->err);
	}
	free(row_of);
	return rc;
}

/* Of --bins and --interval. */
static int show_bins(
	const struct ask_requests *c, const struct ask_requests_bins *b, struct mer_str *out)
{
	struct answer a;
	if (c->ask->format == ASK_FORMAT_TABLE)
		return b->n_kinds ? ask_requests_bins_text(c, b, out)
				  : ask_requests_put_nothing(c, out);
	ask_answer_init(c->ask, c->w->e, true, &a);
	ask_requests_answer_bins(c, b, &a);
	int rc = ask_answer_print(c->ask, &a);
	answer_fini(&a);
	return rc;
}

static int show_over_time(
	struct asking *x, const struct requests_sums *rows, uint32_t n, struct mer_str *out)
{
	enum { PLOT_BINS = 100 }; /* more would hold a few requests each */
	const struct values *v = x->v;
	struct ask_requests_bins b;
	bool is_table = v->bins.set || v->interval.set;
	n = x->c.limit && x->c.limit < n ? x->c.limit : n;
	int rc = ask_requests_bins_find(&x->c, rows, n,
		v->bins.set	  ? (uint64_t)v->bins.v
		: v->interval.set ? 0
				  : PLOT_BINS,
		v->interval.v, &b);
	if (rc == 0 && is_table)
		rc = show_bins(&x->c, &b, out);
	if (rc == 0 && v->plot)
		rc = ask_requests_bins_plot(&x->c, &b, v->plot);
	ask_requests_bins_fini(&b);
	return rc;
}

static int print_kinds(const struct asking *x, const struct requests_sums *rows, uint32_t n,
	const struct requests_state_sums *states)
{
	struct answer a;
	n = x->c.limit && x->c.limit < n ? x->c.limit : n;
	ask_answer_init(x->ask, x->c.w->e, true, &a);
	ask_requests_answer_kinds(
		&x->c, rows, n, ask_requests_window_ns(&x->c), x->ask->views.n ? states : NULL, &a);
	int rc = x->ask->format == ASK_FORMAT_OPENMETRICS
			 ? ask_requests_answer_latencies(&x->c, rows, n, &a)
			 : 0;
	if (rc == 0)
		rc = ask_answer_print(x->ask, &a);
	answer_fini(&a);
	return rc;
}

/* Kinds in all of the time. */
static int show_whole(struct asking *x, struct requests_sums *rows, uint32_t n, struct mer_str *out)
{
	struct requests_state_sums states = { 0 };
	int rc = add_parts(x, rows, n);
	if (rc == 0)
		rc = requests_state_sum(x->c.kinds, x->c.parts, x->c.which,
			x->ask->views.n ? x->c.n : 0, &states, &x->ask->err);
	if (rc == 0 && x->ask->format == ASK_FORMAT_TABLE)
		rc = ask_requests_kinds_text(&x->c, rows, n, &states, out);
	else if (rc == 0)
		rc = print_kinds(x, rows, n, &states);
	requests_state_sums_fini(&states);
	return rc;
}

static int show_kinds(struct asking *x, struct mer_str *out)
{
	const struct values *v = x->v;
	struct requests_sums *rows = NULL;
	uint32_t n = 0;
	int rc = requests_sum(x->c.kinds, x->c.which, x->c.n, &rows, &n, &x->ask->err);
	if (rc == 0 && (v->bins.set || v->interval.set || v->plot))
		rc = show_over_time(x, rows, n, out);
	bool is_whole = !v->bins.set && !v->interval.set;
	if (rc == 0 && is_whole)
		rc = show_whole(x, rows, n, out);
	free(rows);
	return rc;
}

static int print_reasons(const struct asking *x, const struct requests_explanations *why)
{
	struct answer a;
	ask_answer_init(x->ask, x->c.w->e, true, &a);
	ask_requests_answer_explain(&x->c, why, x->c.limit, &a);
	int rc = ask_answer_print(x->ask, &a);
	answer_fini(&a);
	return rc;
}

/* Of the kind that took most of the time of those that were selected. */
static int show_reasons(struct asking *x, struct mer_str *out)
{
	enum { REASONS = 12 }; /* for people */
	struct requests_sums *rows = NULL;
	struct requests_explanations why = { 0 };
	const struct values *v = x->v;
	const struct requests_choice choice = { .above_ns = v->above.set ? v->above.v : 0,
		.slowest = v->slowest.set ? (uint32_t)v->slowest.v : 0,
		.only = x->only + 1 };
	uint32_t n = 0;
	int rc = requests_sum(x->c.kinds, x->c.which, x->c.n, &rows, &n, &x->ask->err);
	x->c.is_limit_given = v->limit.set;
	x->c.limit = v->limit.set			  ? (uint32_t)v->limit.v
		     : x->ask->format == ASK_FORMAT_TABLE ? REASONS
							  : 0;
	if (rc == 0 && n)
		rc = requests_explain(x->c.kinds, x->c.parts, x->c.which, x->c.n, rows[0].kind,
			&choice, &why, &x->ask->err);
	if (rc == 0 && n && !why.n)
		rc = ask_requests_explain_fail(&x->c, &why,
			x->only == KERNEL_NONE ? NULL : v->request.which.id, v->slowest.set);
	if (rc == 0)
		rc = x->ask->format == ASK_FORMAT_TABLE
			     ? ask_requests_explain_text(&x->c, &why, out)
			     : print_reasons(x, &why);
	if (n)
		requests_explanations_fini(&why);
	free(rows);
	return rc;
}

static int print_list(const struct asking *x)
{
	struct answer a;
	struct ask_requests_listing listing;
	ask_answer_init(x->ask, x->c.w->e, true, &a);
	ask_requests_answer_list(&x->c, x->ask->views.n > 0, &listing, &a);
	int rc = ask_answer_print(x->ask, &a);
	answer_fini(&a);
	ask_requests_listing_fini(&listing);
	return rc;
}

static int export(struct asking *x, struct mer_str *out)
{
	switch ((enum ask_format)x->ask->format) {
	case ASK_FORMAT_FOLDED: return ask_requests_folded(&x->c, out);
	case ASK_FORMAT_SPEEDSCOPE: return ask_requests_speedscope(&x->c, out);
	case ASK_FORMAT_PERFETTO: return ask_requests_perfetto(&x->c, x->ask->out, out);
	default: return ask_requests_otlp(&x->c, x->ask->out, out);
	}
}

/* The most expensive one first, if another order is not given. */
static int show_costs(struct asking *x)
{
	struct ask_requests *c = &x->c;
	struct requests_cost *self = NULL, *total = NULL;
	struct sorted *rows = malloc(((size_t)c->n + 1) * sizeof(*rows));
	int rc = rows ? requests_cost_each(c->r, c->parts, c->w->usage, &self, &total, &x->ask->err)
		      : mer_fail_nomem(&x->ask->err);
	for (uint32_t i = 0; rc == 0 && i < c->n; i++)
		rows[i] = (struct sorted){ -total[c->which[i]].cpu_ns,
			c->r->exchanges[c->which[i]].begin, c->which[i] };
	if (rc == 0 && c->n && x->v->sort == ORDER_LATENCY) {
		qsort(rows, c->n, sizeof(*rows), by_key);
		for (uint32_t i = 0; i < c->n; i++)
			c->which[i] = rows[i].number;
	}
	if (rc == 0) {
		limit(x);
		rc = ask_requests_cost_list(c, self, total);
	}
	mer_spill_release(self);
	mer_spill_release(total);
	free(rows);
	return rc;
}

/* There is no request because nothing that shows one was recorded. A table of costs would say that
 * all was used for none. */
static int say_why_none(const struct asking *x, struct mer_str *out)
{
	struct mer_str fix = { 0 };
	int rc = x->c.r->n ? 0 : ask_grid_lacking(x->ask, x->c.w->e, "servers", &fix);
	bool is_lacking = rc == 0 && fix.len;
	mer_str_fini(&fix);
	if (is_lacking && x->ask->format == ASK_FORMAT_TABLE)
		return ask_requests_put_nothing(&x->c, out);
	return is_lacking ? ask_grid_warn_lacking(x->ask, x->c.w->e, "servers") : rc;
}

static int show(struct asking *x)
{
	struct mer_str out = { 0 };
	bool each = is_of_each(x);
	int rc = say_why_none(x, &out);
	if (rc || out.len)
		return ask_put(x->ask, &out, rc);
	if (each && !x->v->cost)
		limit(x);
	else
		x->c.limit = x->v->limit.set ? (uint32_t)x->v->limit.v : 0;
	if (x->v->tree && !is_of_stacks(x->ask))
		rc = ask_requests_grow_trees(&x->c);
	if (rc == 0 && x->v->cost)
		rc = each ? show_costs(x) : ask_requests_cost(&x->c);
	else if (rc == 0 && x->v->explain)
		rc = show_reasons(x, &out);
	else if (rc == 0 && is_export(x->ask))
		rc = export(x, &out);
	else if (rc == 0 && !each)
		rc = show_kinds(x, &out);
	else if (rc == 0 && x->ask->format != ASK_FORMAT_TABLE)
		rc = print_list(x);
	else if (rc == 0)
		rc = x->v->tree ? ask_requests_tree(&x->c, &out)
				: ask_requests_list_text(&x->c, &out);
	return ask_put(x->ask, &out, rc);
}

static int check_names(struct ask *ask, const struct values *v)
{
	const struct ask_names_values *n = &v->names;
	if (!n->file && (n->format || n->to || n->name || n->group))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--log-format, --names-to, --name and --group-by need --names FILE, an access log or spans");
	if (n->group && (v->cost || v->list || v->tree || v->request.which.id || is_export(ask)))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--group-by is for rows of several requests: it does not work with --list, --tree, --cost, --request and formats of other tools");
	return ask_bins_check(&v->bins, &v->interval, v->plot, &ask->err);
}

static int check_options(struct ask *ask, const struct values *v)
{
	bool is_over_time = v->bins.set || v->interval.set || v->plot;
	if (v->explain && (v->list || v->tree))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--explain compares requests: it does not work with --list and --tree");
	if (v->explain && v->request.which.id && (v->above.set || v->slowest.set))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--explain --request ID compares that request with typical ones: it does not work with --above and --slowest");
	if ((v->explain || is_over_time) && is_export(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--format otlp, perfetto, folded and speedscope are for the requests themselves: they do not work with --explain, --bins, --interval and --plot");
	if ((v->above.set || v->slowest.set) && (!v->explain || (v->above.set && v->slowest.set)))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--above and --slowest, one of them, say which are slow for --explain");
	if ((v->above.set && v->above.v <= 0) || (v->slowest.set && v->slowest.v <= 0))
		return mer_fail(&ask->err, MER_ERR_USAGE, "%s: choose %s",
			v->above.set ? "--above 0" : "--slowest 0",
			v->above.set ? "a time above 0" : "at least 1");
	if (v->list && v->tree)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--list has a row for each request, --tree draws them: use one of them");
	if (ask->format == ASK_FORMAT_OPENMETRICS &&
		(v->explain || v->list || v->tree || v->request.which.id))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--format openmetrics is for figures of kinds: it does not work with --explain, --list, --tree and --request ID");
	if (v->sort != ORDER_LATENCY && !v->list && !v->tree && !is_export(ask))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--sort is the order of requests: it needs --list or --tree");
	if (v->request.which.id && (v->kind || v->from || v->to || v->min.set))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request ID selects one request: it does not work with --kind, --from, --to and --min");
	if (v->request.which.id && ask->select.hosts.n)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--request ID selects one request: it does not work with --host");
	if (is_over_time && (v->explain || v->list || v->tree || v->request.which.id))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--bins, --interval and --plot are about kinds: they do not work with --list, --tree, --explain and --request");
	if (v->table && (!v->cost || v->list || v->request.which.id))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--table selects a table of --cost, without --list and --request");
	if (v->cost && v->request.which.rule)
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--cost does not work with --request 'BEGIN : END': such requests may overlap, so a moment would be charged more than once; for the use of CPUs on the path of one: meridian path --request 'BEGIN : END' --request-by KEY --request u1.1; within all of them: meridian top cpu --period 'BEGIN : END'");
	if (v->cost && (v->explain || v->tree || is_over_time || is_export(ask)))
		return mer_fail(&ask->err, MER_ERR_USAGE,
			"--cost does not work with --explain, --tree, --bins, --interval, --plot and formats of other tools");
	return check_names(ask, v);
}

static int run(struct ask *ask, const void *values)
{
	struct ask_request q;
	struct requests_kinds kinds = { 0 };
	const struct values *v = values;
	struct asking x = { .ask = ask, .v = v };
	struct names names = { 0 };
	int rc = check_options(ask, v);
	if (rc)
		return rc;
	rc = ask_requests_open_used(
		ask, &v->request, v->cost ? SESSION_USAGE_ALL : SESSION_USAGE_NONE, &q);
	if (rc == 0)
		rc = requests_kinds_find(q.r, &kinds, &ask->err);
	x.c = (struct ask_requests){ .ask = ask,
		.w = &q.w,
		.r = q.r,
		.kinds = &kinds,
		.own = q.has_own ? &q.own : NULL,
		.table = v->table };
	if (rc == 0 && v->names.file) {
		rc = ask_names_find(ask, &v->names, &q, &kinds, &names);
		x.c.names = &names;
	}
	if (rc == 0)
		rc = choose(&x, &q);
	if (rc == 0 && v->names.group)
		rc = ask_names_group(&x.c, &kinds, (enum ask_requests_group)v->names.group);
	if (rc == 0 && !x.c.n && x.c.r->n)
		hint_names(&x);
	/* What a request costs may be of any other one. */
	if (rc == 0)
		rc = ask_requests_find_parts(ask, &q, v->cost ? NULL : x.c.which, x.c.n);
	x.c.parts = q.parts;
	if (rc == 0)
		rc = show(&x);
	free(x.c.which);
	free(x.c.depths);
	names_fini(&names);
	if (kinds.r)
		requests_kinds_fini(&kinds);
	ask_request_close(ask, &q);
	return rc;
}

#define AT(member) offsetof(struct values, member)

static const struct ask_option options[] = {
	{ .name = "list",
		.kind = ASK_FLAG,
		.help = "one row for each request, the slowest first",
		.offset = AT(list) },
	{ .name = "tree",
		.kind = ASK_FLAG,
		.help = "requests with those below them, as waterfalls",
		.offset = AT(tree) },
	{ .name = "explain",
		.kind = ASK_FLAG,
		.help = "why slow ones (--above TIME), or --request, take longer",
		.offset = AT(explain) },
	{ .name = "cost",
		.kind = ASK_FLAG,
		.help = "CPU, disk and network use of each kind; or with --list",
		.offset = AT(cost) },
	{ .name = "table",
		.kind = ASK_CHOICE,
		.arg = "WHICH",
		.choices = "default|kinds|no_request|hosts",
		.help = "of --cost only this table: kinds, no_request or hosts",
		.in_manual_only = true,
		.offset = AT(table) },
	{ .name = "above",
		.kind = ASK_DURATION,
		.arg = "TIME",
		.help = "slow for --explain are those above TIME; or --slowest N",
		.in_manual_only = true,
		.offset = AT(above) },
	{ .name = "slowest",
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "slow for --explain are the N slowest",
		.offset = AT(slowest),
		.in_manual_only = true },
	ASK_REQUEST_OPTIONS(
		struct values, request, "only this one (r17.203), or requests 'BEGIN : END'"),
	{ .name = "kind",
		.kind = ASK_TEXT,
		.arg = "KIND",
		.help = "only this kind (* and ? match any); also --min TIME",
		.offset = AT(kind) },
	{ .name = "from",
		.kind = ASK_TEXT,
		.arg = "WHO",
		.help = "only from this program, host, address, port; or --to",
		.offset = AT(from) },
	{ .name = "to",
		.kind = ASK_TEXT,
		.arg = "WHO",
		.help = "only to this program, host, address or port (web:80)",
		.offset = AT(to),
		.in_manual_only = true },
	{ .name = "names",
		.kind = ASK_FILE,
		.arg = "FILE",
		.help = "names from an access log or spans; --group-by name",
		.offset = AT(names.file) },
	{ .name = "log-format",
		.kind = ASK_TEXT,
		.arg = "FORMAT",
		.help = "of the access log: nginx, apache, envoy, or the text of log_format or LogFormat",
		.in_manual_only = true,
		.offset = AT(names.format) },
	{ .name = "names-to",
		.kind = ASK_TEXT,
		.arg = "SERVICE",
		.help = "names are of requests to this service (web:80, nginx; of a client's spans: from it)",
		.in_manual_only = true,
		.offset = AT(names.to) },
	{ .name = "name",
		.kind = ASK_TEXT,
		.arg = "NAME",
		.help = "only requests of this name (* and ? match any)",
		.in_manual_only = true,
		.offset = AT(names.name) },
	{ .name = "group-by",
		.kind = ASK_CHOICE,
		.arg = "WHAT",
		.choices = "kind|name|status|trace_id",
		.help = "a row for each: kind (default), name, status, trace_id",
		.in_manual_only = true,
		.offset = AT(names.group) },
	{ .name = "all",
		.letter = 'a',
		.kind = ASK_FLAG,
		.help = "also requests of the tracer's own tasks",
		.offset = AT(all),
		.in_manual_only = true },
	{ .name = "min",
		.kind = ASK_DURATION,
		.arg = "TIME",
		.help = "only requests that took TIME or longer",
		.offset = AT(min),
		.in_manual_only = true },
	{ .name = "bins",
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "kinds over time, in N bins; or --interval TIME",
		.offset = AT(bins) },
	{ .name = "interval",
		.kind = ASK_DURATION,
		.arg = "TIME",
		.help = "kinds over time, in bins of TIME (100ms)",
		.offset = AT(interval),
		.in_manual_only = true },
	{ .name = "plot",
		.kind = ASK_PICTURE,
		.arg = "FILE",
		.help = "also draw a chart over time, as SVG (-: that alone)",
		.offset = AT(plot) },
	{ .name = "sort",
		.kind = ASK_CHOICE,
		.arg = "KEY",
		.choices = "latency|begin",
		.help = "order of --list and --tree: latency (default), begin",
		.in_manual_only = true,
		.offset = AT(sort) },
	{ .name = "limit",
		.letter = 'n',
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "at most N rows or trees (0: all); also --sort KEY",
		.offset = AT(limit) },
	{ 0 },
};

const struct ask_verb ask_verb_requests = {
	.name = "requests",
	.help = "every request to a service, and where its time went",
	.synopsis = "[OPTION...] TRACE...",
	.description =
		"Finds the requests that programs sent to each other, and what each was sent for. "
		"Each kind has a row: how many, how fast, and where the mean time went.",
	.more = "Requests are found on TCP connections, across hosts and on loopback, on unix sockets "
		"and pipes, and between UDP sockets of different hosts. A request begins with the first byte that the requester sends after it has read the "
		"answer before (or with connect, if it waited for the connection), and ends with the "
		"last byte of the answer that it reads. Its kind is the requester's program, the "
		"server's host, port and program. Answers that overlap with further requests on the "
		"same connection (HTTP/2, pipelining) cannot be separated: they are one exchange with "
		"a number of messages (a window). Windows, and requests of "
		"connections with lost events, are counted but left out of percentiles.\n\n"
		"A request that a server sends while it serves another one is its child. What decides "
		"is what the sending task read last, whom it answered next, and which task woke it. "
		"confidence is the probability that the parent is right (null: no parent was found); if "
		"several requests were open and no event distinguishes them, it is 1 divided by their "
		"number.\n\n"
		"Parts of a request follow its messages and add up to its latency: the requester "
		"itself, the network, the time in which the request had arrived and the server did "
		"something else (queued; 'of' is the request that was served instead), the server on a "
		"CPU, runnable, waiting for disks, for locks, and requests that the server sent in "
		"turn.\n\n"
		"With --request 'BEGIN : END', requests go from an event that matches BEGIN to the next one that "
		"matches END, as for --period (see meridian-top(1)), on any thread and host; "
		"--request-by names what both events have in common. The requester is the task of the "
		"first event, the server that of the last one. Parts are the critical path of the last "
		"task; requests on connections that it sent, or another thread of its process on that "
		"path, are below it. Events without the other one are counted. Ids are such as u1.3.\n\n"
		"With --explain, the slow requests of one kind are compared with typical ones: of the "
		"kind of --kind, or of the one that took most of the time. Slow are those above p95, at "
		"least 30 if these are no more than a tenth (or those of --above or --slowest); typical "
		"are those from p40 to p60 with the same requests below them and an answer of about the "
		"same size, where enough of these are known. Slow requests that became slow in different "
		"ways are explained in groups: a burst in time, one worker, one shape. The differences of "
		"the parts add up to the difference of the means. With --request ID, that request is "
		"compared with typical ones. Below the table are the tasks behind each, and what they did: who had the CPU, "
		"or which interrupt; whose requests the disk served first; which file was not in the "
		"page cache; who held the lock, or had the connection of a pool, and for which "
		"request; what was served instead; which segments were lost and sent again. A wait is "
		"followed through other requests, connections and locks to the last culprit, and what "
		"a program that serves no request took on a host is one row (column By). If the slow "
		"requests have sizes of their own (bytes of the request and of the answer, number of "
		"requests below), these are named.\n\n"
		"With --cost, the table has the CPU time, disk and network use of each kind: each moment "
		"of a task is charged to the request that it served at that moment, in all servers. Column "
		"With below is the CPU time of a request and all requests below it (mean). What clients "
		"and everything else did is in the row 'no request', and by program in the second table; the "
		"rows add up to what all tasks used. With --list, each request has a row, the one that "
		"used most first. CSV and JSON have self_ (the request) and total_ (with those below it), "
		"and also memory, files and packets. CSV and JSON Lines of --cost have three tables, and each "
		"row says of which one it is; --table selects one of them: kinds, no_request (by program), or "
		"hosts (what each used for requests and for none).\n\n"
		"--format otlp writes the traces of OpenTelemetry in JSON, which tools for distributed "
		"tracing read: a span for each request and side (client, server), below the span that "
		"it was sent for, with waits of more than 1 ms as events. All requests that the "
		"options select; those below them only with --tree. --format perfetto writes the same "
		"requests and sides as slices for ui.perfetto.dev, with their parts, a row for each "
		"thread, and arrows from client to server and from parent to child. --format folded is the input of "
		"flame graph tools, speedscope a file for speedscope.app: the time of all requests "
		"without a parent (or that --kind, --from or --to select), by the requests below them "
		"that had it, and by part.\n\n"
		"--format openmetrics writes the figures of kinds for Prometheus and others, and latencies as "
		"a histogram of each kind; with --bins each bin has its time.\n\n"
		"With --view, parts are also cut where their task enters or leaves a state of the view. A "
		"table below the kinds has the mean time in each state, and what the kernel did then: on a "
		"CPU, runnable, waiting; JSON, folded and speedscope have it as user_state. "
		"meridian-view(5) explains view files.\n\n"
		"With --names, requests get the name and status that an access log or spans have for them: "
		"--list has them, --group-by makes rows of them, and --name selects. --log-format says how the lines of a log are written: "
		"nginx, apache, envoy, or the text of log_format of nginx, LogFormat of Apache, or Envoy's format; "
		"without it, the file is JSON with spans (OTLP or Jaeger). Best are lines with the client's "
		"port, the time in ms and how long it took: $msec $remote_port \"$request\" $status "
		"$request_time. A line that fits several requests names none of them, which a note "
		"counts. If the clock that wrote the lines is off, they are moved, with a warning, or "
		"not used. --names-to says of which service they are, if they fit several. --format otlp uses the trace ids of spans, and puts requests "
		"below them.\n\n"
		"With --bins or --interval, there is a row for each kind and bin: the requests that began "
		"in it, their rate and percentiles. --plot draws that, in 100 bins unless one of them is "
		"given.\n\n"
		"Requests that the tracer's own tasks send or answer, such as those between traced programs "
		"and lttng-sessiond, are left out, and a note counts them; --all, --kind, --from and --to show "
		"them, and --cost has them.\n\n"
		"With --begin and --end, requests that began in that time are selected. Unless --kind, "
		"--from or --to is given, --tree draws the requests without a parent. Ids are the same "
		"each time for the same traces. docs/requests.md explains the rules and their limits.",
	.formats = "table|json|jsonl|csv|openmetrics|otlp|perfetto|folded|speedscope",
	.of_states = true,
	.uses = ASK_USES_FORMAT | ASK_USES_TIME | ASK_USES_MARKS | ASK_USES_HOST | ASK_USES_SYNC | ASK_USES_JOBS | ASK_USES_INPUT |
		ASK_USES_VIEWS | ASK_USES_STORE | ASK_USES_TABLES,
	.options = options,
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.args = "TRACE",
	.examples = {
		{ "meridian requests client/ server/", "How many of which kind, and how fast." },
		{ "meridian requests --tree -n 1 client/ server/",
			"The slowest request, with all that was done for it." },
	},
	.run = run,
};
