#include "requests/names/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/sort.h"
#include "requests/names/fit.h"

/* ---- services ---- */

struct services {
	struct mer_arena arena;
	struct mer_intern names;
	uint32_t *of[REQUESTS_N_SIDES]; /* by exchange: service, plus 1; 0: none */
};

/* Who answers is in the name of the kind, "load2 -> web:80 nginx"; of who sends the host is to be
 * known as well. 0: that end was not recorded. */
static uint32_t service_of(struct services *s, const struct requests_kinds *k, uint32_t exchange,
	enum requests_side side, struct mer_map *known)
{
	const struct requests_exchange *x = &k->r->exchanges[exchange];
	const struct requests_end *end = &requests_connection_of(k->r, exchange)->ends[side];
	if (end->socket == KERNEL_NONE || requests_is_own(k->r, exchange))
		return 0;
	uint32_t *number =
		mer_map_put(known, ((uint64_t)k->of[exchange] << 32) | ((uint64_t)end->host << 1) |
					   (side == REQUESTS_CLIENT));
	if (!number)
		return MER_INTERN_NONE;
	if (*number)
		return *number;
	const char *kind = requests_kind_name(k, exchange), *arrow = strstr(kind, " -> ");
	const char *host = k->r->w->e ? k->r->w->e->hosts[end->host].name : "";
	const char *text = side == REQUESTS_SERVER
				   ? (arrow ? arrow + 4 : kind)
				   : mer_arena_printf(&s->arena, "%s %s", host,
					     requests_program(k, end->host, x->client_task));
	uint32_t kept = text ? mer_intern_add(&s->names, text, strlen(text)) : MER_INTERN_NONE;
	*number = kept == MER_INTERN_NONE ? kept : kept + 1;
	return *number;
}

static int find_services(struct services *s, const struct requests_kinds *k, struct mer_err *err)
{
	struct mer_map known = { 0 };
	bool ok = true;
	mer_arena_init(&s->arena);
	mer_intern_init(&s->names, &s->arena);
	for (int side = 0; ok && side < REQUESTS_N_SIDES; side++) {
		s->of[side] =
			mer_spill_array(k->r->w->spill, (size_t)k->r->n + 1, sizeof(uint32_t));
		ok = s->of[side];
		for (uint32_t i = 0; ok && i < k->r->n; i++) {
			s->of[side][i] = service_of(s, k, i, (enum requests_side)side, &known);
			ok = s->of[side][i] != MER_INTERN_NONE;
		}
	}
	mer_map_fini(&known);
	return ok ? 0 : mer_fail_nomem(err);
}

static void services_fini(struct services *s)
{
	for (int side = 0; side < REQUESTS_N_SIDES; side++)
		mer_spill_release(s->of[side]);
	mer_intern_fini(&s->names);
	mer_arena_fini(&s->arena);
}

/* ---- the requests of a service, by the clock of its host ---- */

static int by_place(const void *a, const void *b)
{
	const struct names_request *p = a, *q = b;
	if (p->port != q->port)
		return p->port < q->port ? -1 : 1;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->exchange > q->exchange) - (p->exchange < q->exchange);
}

static int64_t at_host(const struct names_query *q, uint32_t host, int64_t time)
{
	return q->maps && time != REQUESTS_NO_TIME ? trace_unmap_time(&q->maps[host], time) : time;
}

static int list_requests(struct names_requests *to, const struct requests_kinds *k,
	const struct services *s, const struct names_query *q, enum requests_side side,
	uint32_t service, bool by_port, struct mer_err *err)
{
	const struct requests *r = k->r;
	*to = (struct names_requests){ .by_port = by_port };
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		n += s->of[side][i] == service;
	to->item = malloc(((size_t)n + 1) * sizeof(*to->item));
	if (!to->item)
		return mer_fail_nomem(err);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		if (s->of[side][i] != service)
			continue;
		const struct requests_connection *c = requests_connection_of(r, i);
		uint32_t host = to->host = c->ends[side].host;
		bool seen = side == REQUESTS_SERVER && x->read != REQUESTS_NO_TIME &&
			    x->done != REQUESTS_NO_TIME;
		int64_t begin = x->begin, read = seen ? x->read : x->begin;
		int64_t read_end = side == REQUESTS_CLIENT		     ? x->sent
				   : seen && x->read_end != REQUESTS_NO_TIME ? x->read_end
									     : read;
		int64_t done = seen ? x->done : x->end;
		uint16_t port = requests_port(r, &c->ends[REQUESTS_CLIENT]);
		to->has_ports |= port != 0;
		to->item[to->n++] = (struct names_request){ .begin = at_host(q, host, begin),
			.read = at_host(q, host, read),
			.read_end = at_host(q, host, read_end < done ? read_end : done),
			.done = at_host(q, host, done),
			.exchange = i,
			.port = by_port ? port : 0,
			.is_one = x->n_messages == 1 };
	}
	if (to->n)
		qsort(to->item, to->n, sizeof(*to->item), by_place);
	to->last = malloc(((size_t)to->n + 1) * sizeof(*to->last));
	if (!to->last)
		return mer_fail_nomem(err);
	to->first = INT64_MAX;
	to->end = INT64_MIN;
	for (uint32_t i = 0; i < to->n; i++) {
		const struct names_request *x = &to->item[i];
		bool is_on = i && x->port == x[-1].port && to->last[i - 1] > x->done;
		to->last[i] = is_on ? to->last[i - 1] : x->done;
		to->first = x->read < to->first ? x->read : to->first;
		to->end = x->done > to->end ? x->done : to->end;
	}
	return 0;
}

/* ---- a source ---- */

struct place { /* of a line, in the order of its source */
	int64_t time;
	uint32_t source, line;
	bool is_client;
};

static int by_source(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	if (p->is_client != q->is_client)
		return p->is_client ? 1 : -1;
	if (p->source != q->source)
		return p->source < q->source ? -1 : 1;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->line > q->line) - (p->line < q->line);
}

/* "web:80 nginx", or one of its words, or its port. */
static bool is_meant(const char *pattern, const char *service)
{
	if (!pattern || mer_glob(pattern, service))
		return true;
	const char *space = strrchr(service, ' '), *colon = strchr(service, ':');
	size_t place = space ? (size_t)(space - service) : strlen(service);
	char text[256];
	if (space && mer_glob(pattern, space + 1))
		return true;
	if (place >= sizeof(text))
		return false;
	memcpy(text, service, place);
	text[place] = '\0';
	if (mer_glob(pattern, text))
		return true;
	if (!colon || (size_t)(colon - service) >= place)
		return false;
	if (mer_glob(pattern, text + (colon - service) + 1))
		return true;
	text[colon - service] = '\0';
	return mer_glob(pattern, text);
}

struct joining {
	struct names *x;
	const struct requests_kinds *k;
	const struct names_query *q;
	const struct services *s;
	struct mer_err *err;
};

static enum requests_side side_of(const struct names_source *s)
{
	return s->is_client ? REQUESTS_CLIENT : REQUESTS_SERVER;
}

/* Does the host that spans name have that service? A name that no host has says nothing: it may be
 * that of a container. */
static bool is_on_host(const struct joining *j, const struct names_line *l, uint32_t host)
{
	const struct mer_experiment *e = j->k->r->w->e;
	const char *name = names_text(&j->x->lines, l->host);
	bool is_known = false;
	for (uint32_t h = 0; e && name && h < e->n_hosts; h++)
		is_known |= strcmp(e->hosts[h].name, name) == 0;
	return !is_known || strcmp(e->hosts[host].name, name) == 0;
}

static bool has_port(const struct joining *j, const uint32_t *which, size_t n)
{
	size_t with = 0;
	for (size_t i = 0; i < n; i++)
		with += j->x->lines.item[which[i]].client_port != 0;
	return with == n;
}

static void requests_fini(struct names_requests *r)
{
	free(r->item);
	free(r->last);
	*r = (struct names_requests){ 0 };
}

/* Tries one service: better than what *best has? */
static int try_service(const struct joining *j, struct names_source *s, uint32_t service,
	const uint32_t *which, size_t n, struct names_fit *best, struct names_requests *requests)
{
	struct names_requests r;
	struct names_fit f;
	const char *name = mer_intern_text(&j->s->names, service - 1);
	int rc = list_requests(
		&r, j->k, j->s, j->q, side_of(s), service, has_port(j, which, n), j->err);
	if (rc == 0 && (!r.n || !is_on_host(j, &j->x->lines.item[which[0]], r.host))) {
		requests_fini(&r);
		return 0;
	}
	if (rc == 0 && !names_fit_find(&r, &j->x->lines, which, n, &f))
		rc = mer_fail_nomem(j->err);
	bool is_joined = rc == 0 && f.verdict == NAMES_JOINED;
	bool is_better = rc == 0 && (!s->service || (is_joined && best->verdict != NAMES_JOINED) ||
					    ((is_joined || best->verdict != NAMES_JOINED) &&
						    f.n_fit_moved > best->n_fit_moved));
	const char *other = is_better ? s->service : name;
	const struct names_fit *less = is_better ? best : &f;
	const struct names_fit *more = is_better ? &f : best;
	/* A server of which the other one is asked in turn has about the same times. */
	if (rc == 0 && s->service && is_joined && best->verdict == NAMES_JOINED &&
		less->n_fit_moved * 2 >= more->n_fit_moved)
		s->other = other;
	if (!is_better) {
		requests_fini(&r);
		return rc;
	}
	requests_fini(requests);
	*requests = r;
	*best = f;
	s->service = name;
	s->host = r.host;
	return rc;
}

static int join_source(
	const struct joining *j, struct names_source *s, const uint32_t *which, size_t n)
{
	struct names_requests requests = { 0 };
	struct names_fit best = { .verdict = NAMES_NO_SERVICE };
	uint32_t **of = (uint32_t **)j->s->of;
	uint8_t *seen = calloc((size_t)j->s->names.n + 2, 1);
	int rc = seen ? 0 : mer_fail_nomem(j->err);
	for (uint32_t i = 0; rc == 0 && i < j->k->r->n; i++) {
		uint32_t service = of[side_of(s)][i];
		if (!service || seen[service])
			continue;
		seen[service] = 1;
		if (is_meant(j->q->to, mer_intern_text(&j->s->names, service - 1)))
			rc = try_service(j, s, service, which, n, &best, &requests);
	}
	s->n = n;
	s->verdict = best.verdict == NAMES_JOINED && s->other ? NAMES_TWO_SERVICES : best.verdict;
	s->n_tried = best.n_tried;
	s->n_fit = best.n_fit;
	s->n_tried_moved = best.n_tried_moved;
	s->n_fit_moved = best.n_fit_moved;
	s->moved_ns = best.moved_ns;
	if (rc == 0 && s->verdict == NAMES_JOINED &&
		!names_fit_assign(&requests, &j->x->lines, which, n, s))
		rc = mer_fail_nomem(j->err);
	if (rc == 0 && s->service)
		s->service = mer_arena_strdup(&j->x->lines.arena, s->service);
	if (rc == 0 && s->other)
		s->other = mer_arena_strdup(&j->x->lines.arena, s->other);
	requests_fini(&requests);
	free(seen);
	return rc;
}

static int join_all(const struct joining *j, const struct place *places, uint32_t *which)
{
	struct names *x = j->x;
	size_t n = x->lines.n;
	int rc = 0;
	for (size_t i = 0; i < n; i++)
		which[i] = places[i].line;
	for (size_t begin = 0, end; rc == 0 && begin < n; begin = end) {
		struct names_source *s = &x->sources[x->n_sources++];
		for (end = begin; end < n && places[end].source == places[begin].source &&
				  places[end].is_client == places[begin].is_client;
			end++)
			;
		*s = (struct names_source){ .source = places[begin].source,
			.is_client = places[begin].is_client };
		rc = join_source(j, s, which + begin, end - begin);
	}
	/* Spans of two sources may be of one request. */
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct names_line *l = &x->lines.item[i];
		uint32_t *of = l->exchange ? l->is_client ? &x->by_client[l->exchange - 1]
							  : &x->by_server[l->exchange - 1]
					   : NULL;
		if (of)
			*of = *of ? UINT32_MAX : (uint32_t)i + 1;
	}
	for (uint32_t i = 0; rc == 0 && i < x->r->n; i++) {
		x->by_server[i] = x->by_server[i] == UINT32_MAX ? 0 : x->by_server[i];
		x->by_client[i] = x->by_client[i] == UINT32_MAX ? 0 : x->by_client[i];
	}
	return rc;
}

int names_find(struct names *x, struct names_lines *lines, const struct requests_kinds *k,
	const struct names_query *q, struct mer_err *err)
{
	struct services s = { 0 };
	*x = (struct names){ .lines = *lines, .r = k->r };
	*lines = (struct names_lines){ 0 };
	x->lines.texts.arena = &x->lines.arena;
	size_t n = x->lines.n, n_sources = 0;
	struct place *places = malloc((n + 1) * sizeof(*places));
	uint32_t *which = malloc((n + 1) * sizeof(*which));
	x->by_server = mer_spill_array(k->r->w->spill, (size_t)k->r->n + 1, sizeof(uint32_t));
	x->by_client = mer_spill_array(k->r->w->spill, (size_t)k->r->n + 1, sizeof(uint32_t));
	int rc = places && which && x->by_server && x->by_client ? find_services(&s, k, err)
								 : mer_fail_nomem(err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct names_line *l = &x->lines.item[i];
		places[i] = (struct place){ l->has_end ? l->end : l->begin, l->source, (uint32_t)i,
			l->is_client };
	}
	if (rc == 0 && n)
		qsort(places, n, sizeof(*places), by_source);
	for (size_t i = 0; rc == 0 && i < n; i++)
		n_sources += i == 0 || places[i].source != places[i - 1].source ||
			     places[i].is_client != places[i - 1].is_client;
	x->sources = rc == 0 ? calloc(n_sources + 1, sizeof(*x->sources)) : NULL;
	if (rc == 0 && !x->sources)
		rc = mer_fail_nomem(err);
	const struct joining j = { x, k, q, &s, err };
	if (rc == 0)
		rc = join_all(&j, places, which);
	if (s.of[0] || s.arena.chunk || s.names.n)
		services_fini(&s);
	free(places);
	free(which);
	return rc;
}

void names_fini(struct names *x)
{
	if (x->r)
		names_lines_fini(&x->lines);
	mer_spill_release(x->by_server);
	mer_spill_release(x->by_client);
	free(x->sources);
	*x = (struct names){ 0 };
}

const struct names_line *names_of(const struct names *x, uint32_t exchange)
{
	uint32_t line = x->by_server[exchange] ? x->by_server[exchange] : x->by_client[exchange];
	return line ? &x->lines.item[line - 1] : NULL;
}

uint32_t names_trace_of(const struct names *x, uint32_t exchange)
{
	for (unsigned depth = 0; depth < REQUESTS_MOST_DEPTH; depth++) {
		const struct names_line *l = names_of(x, exchange);
		if (l && l->trace_id)
			return l->trace_id;
		if (!x->r->exchanges[exchange].parent)
			return 0;
		exchange = x->r->exchanges[exchange].parent - 1;
	}
	return 0;
}
