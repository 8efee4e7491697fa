#include "store/request_log.h"

#include <stddef.h>
#include <stdlib.h>

#include "kernel/files/files.h"
#include "store/request_rows.h"
#include "store/types.h"

/* In STORE_REQUEST_LOG: the number of rows of each kind. */
struct counts {
	uint32_t n[6];
};

static const struct store_column socket_columns[] = { STORE_COLUMN(requests_socket, begin, DELTA),
	STORE_COLUMN(requests_socket, end_of_use, DELTA),
	STORE_COLUMN(requests_socket, owner, DICT),
	STORE_COLUMN_OR_NONE(requests_socket, object, PLAIN),
	STORE_COLUMN(requests_socket, kind, DICT), STORE_COLUMN(requests_socket, end, DICT),
	STORE_FLAG(requests_socket, is_received_from), STORE_FLAG(requests_socket, is_made),
	STORE_FLAG(requests_socket, is_connected), STORE_FLAG(requests_socket, is_accepted),
	STORE_FLAG(requests_socket, is_connecting), STORE_FLAG(requests_socket, is_unused),
	STORE_COLUMN(requests_socket, arrived, PLAIN),
	STORE_COLUMN_OR_NONE(requests_socket, told_local, PLAIN),
	STORE_COLUMN_OR_NONE(requests_socket, told_peer, PLAIN),
	STORE_COLUMN(requests_socket, n_samples, DICT),
	STORE_COLUMN(requests_socket, n_sightings, DICT),
	STORE_COLUMN(requests_socket, n_meetings, DICT),
	STORE_COLUMN(requests_socket, n_departures, DICT),
	STORE_COLUMN(requests_socket, pipe_ways, DICT),
	STORE_COLUMN(requests_socket, samples[0], PLAIN),
	STORE_COLUMN(requests_socket, samples[1], PLAIN),
	STORE_COLUMN(requests_socket, samples[2], PLAIN),
	STORE_COLUMN(requests_socket, samples[3], PLAIN),
	STORE_COLUMN(requests_socket, opener, PLAIN), STORE_COLUMN(requests_socket, last, PLAIN),
	STORE_COLUMN(requests_socket, before, DELTA), STORE_COLUMN(requests_socket, n, PLAIN) };
_Static_assert(REQUESTS_SAMPLES == 4, "each sample is a column");
static const struct store_column sighting_columns[] = { STORE_COLUMN(
								requests_sighting, packet, PLAIN),
	STORE_COLUMN(requests_sighting, socket, PLAIN), STORE_FLAG(requests_sighting, is_send) };
static const struct store_column departure_columns[] = { STORE_COLUMN(
								 requests_departure, time, DELTA),
	STORE_COLUMN(requests_departure, socket, PLAIN) };
static const struct store_column meeting_columns[] = { STORE_COLUMN(requests_meeting, from, PLAIN),
	STORE_COLUMN(requests_meeting, to, PLAIN) };
/* Part of the format, as are their columns: FORMAT.md. */
enum { ACTIONS, SOCKETS, SIGHTINGS, DEPARTURES, MEETINGS, DIRT, N_ROWS, SINGLES = N_ROWS };
static const struct store_columns sockets = STORE_COLUMNS(requests_socket, socket_columns),
				  sightings = STORE_COLUMNS(requests_sighting, sighting_columns),
				  departures = STORE_COLUMNS(requests_departure, departure_columns),
				  meetings = STORE_COLUMNS(requests_meeting, meeting_columns);
static const struct store_columns *const kinds[] = { &store_request_actions, &sockets, &sightings,
	&departures, &meetings, &store_request_dirt, &store_request_singles };

/* Numbers of the sections STORE_REQUEST_LOG. */
enum { COUNTS, N_SINGLES };

enum { MOST_COLUMNS = 64 }; /* of a kind: its numbers are from so many times the kind on */

/* ---- writing ---- */

static void put_rows(
	struct store_writer *w, uint32_t host, uint32_t kind, const void *rows, uint32_t n)
{
	store_put_columns(w, STORE_LOG_COLUMNS, host, kind * MOST_COLUMNS, kinds[kind], rows, n);
}

static void put_host(struct store_writer *w, uint32_t host, const struct requests_host *r)
{
	const struct counts counts = { { r->n_actions, r->n_sockets, r->n_sightings,
		r->n_departures, r->n_meetings, r->n_dirt } };
	const void *rows[N_ROWS] = { r->actions, r->sockets, r->sightings, r->departures,
		r->meetings, r->dirt };
	store_put_section(w, STORE_REQUEST_LOG, host, COUNTS, &counts, 1, sizeof(counts));
	for (uint32_t k = 0; k < N_ROWS; k++)
		put_rows(w, host, k, rows[k], counts.n[k]);
}

void store_put_request_log(struct store_writer *w, const struct kernel_world *world,
	const struct requests_log *log, const bool *own)
{
	for (uint32_t h = 0; h < log->n_hosts; h++)
		if (own[h])
			put_host(w, h, &log->hosts[h]);
	store_put_section(
		w, STORE_REQUEST_LOG, 0, N_SINGLES, &world->n_singles, 1, sizeof(world->n_singles));
	put_rows(w, 0, SINGLES, world->singles, world->n_singles);
}

/* ---- reading ---- */

/* Differences of two cannot overflow. */
static bool is_time(int64_t t)
{
	return t > -(INT64_C(1) << 62) && t < INT64_C(1) << 62;
}

static bool actions_fit(const struct requests_host *r, const struct kernel_host *h)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_actions; i++) {
		const struct requests_action *a = &r->actions[i];
		bool is_wake = a->kind == REQUESTS_WAKE;
		ok = a->task < h->n_tasks && a->socket < (is_wake ? h->n_tasks : r->n_sockets) &&
		     a->exchange <= (is_wake ? r->n_sockets : 0) && !a->is_server &&
		     is_time(a->begin) && is_time(a->end);
	}
	return ok;
}

static bool sockets_fit(
	const struct requests_host *r, const struct kernel_host *h, uint32_t n_packets)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_sockets; i++) {
		const struct requests_socket *s = &r->sockets[i];
		ok = s->owner < h->n_tasks && s->opener <= r->n_actions &&
		     s->last <= r->n_actions && s->n_samples <= REQUESTS_SAMPLES &&
		     (s->object < h->names.n || s->object == KERNEL_NONE) &&
		     s->arrived <= n_packets && (!s->arrived || (s->n == 1 && s->last)) &&
		     (s->told_local < h->names.n || s->told_local == KERNEL_NONE) &&
		     (s->told_peer < h->names.n || s->told_peer == KERNEL_NONE);
		for (uint32_t k = 0; ok && k < s->n_samples; k++)
			ok = s->samples[k] < n_packets;
	}
	return ok;
}

/* Sockets know how many of their actions read or write, and the only one of an unseen read. */
static bool counts_fit(const struct requests_host *r, bool *no_memory)
{
	uint32_t *n = calloc((size_t)r->n_sockets + 1, sizeof(*n));
	bool ok = n != NULL;
	*no_memory |= !ok;
	for (uint32_t i = 0; ok && i < r->n_actions; i++) {
		const struct requests_action *a = &r->actions[i];
		if (a->kind <= REQUESTS_WRITE)
			n[a->socket]++;
		ok = a->kind != REQUESTS_CONNECT ||
		     r->sockets[a->socket].kind != KERNEL_OBJECT_PIPE;
	}
	for (uint32_t i = 0; ok && i < r->n_sockets; i++) {
		const struct requests_socket *s = &r->sockets[i];
		const struct requests_action *a = s->arrived ? &r->actions[s->last - 1] : NULL;
		ok = n[i] == s->n && (!a || (a->kind <= REQUESTS_WRITE && a->socket == i));
	}
	free(n);
	return ok;
}

static bool rest_fits(
	const struct requests_host *r, const struct kernel_host *h, uint32_t n_packets)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->n_sightings; i++)
		ok = r->sightings[i].socket < r->n_sockets && r->sightings[i].packet < n_packets;
	for (uint32_t i = 0; i < r->n_departures; i++)
		ok &= r->departures[i].socket < r->n_sockets;
	for (uint32_t i = 0; i < r->n_meetings; i++)
		ok &= r->meetings[i].from < r->n_sockets && r->meetings[i].to < r->n_sockets;
	for (uint32_t i = 0; i < r->n_dirt; i++)
		ok &= r->dirt[i].task < h->n_tasks;
	return ok;
}

/* Allocates zeroed arrays of these sizes. Large ones are blocks of the spill, as in a log that was
 * filled. */
static bool make_room(struct requests_host *r, const struct counts *c)
{
	r->actions = mer_spill_array(r->spill, (size_t)c->n[ACTIONS] + 1, sizeof(*r->actions));
	r->dirt = mer_spill_array(r->spill, (size_t)c->n[DIRT] + 1, sizeof(*r->dirt));
	r->sockets = mer_spill_array(r->spill, (size_t)c->n[SOCKETS] + 1, sizeof(*r->sockets));
	r->sightings =
		mer_spill_array(r->spill, (size_t)c->n[SIGHTINGS] + 1, sizeof(*r->sightings));
	r->departures =
		mer_spill_array(r->spill, (size_t)c->n[DEPARTURES] + 1, sizeof(*r->departures));
	r->meetings = mer_spill_array(r->spill, (size_t)c->n[MEETINGS] + 1, sizeof(*r->meetings));
	return r->actions && r->dirt && r->sockets && r->sightings && r->departures && r->meetings;
}

static bool get_rows(
	const struct store_file *f, uint32_t host, uint32_t kind, void *rows, uint32_t n)
{
	return store_get_columns(
		f, STORE_LOG_COLUMNS, host, kind * MOST_COLUMNS, kinds[kind], rows, n);
}

/* May it have so many? Room for them is made before they are read. */
static bool has_rows(const struct store_file *f, uint32_t host, uint32_t kind, uint32_t n)
{
	uint64_t blocks = 0;
	return store_find(f, STORE_LOG_COLUMNS, host, kind * MOST_COLUMNS,
		       sizeof(struct store_block), &blocks) &&
	       blocks == ((uint64_t)n + STORE_PACK_MAX - 1) / STORE_PACK_MAX;
}

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "no log of requests that fits");
}

int store_get_request_log(const struct store_file *f, const struct kernel_world *w, uint32_t host,
	uint32_t n_packets, struct requests_host *r, struct mer_err *err)
{
	uint64_t n = 0;
	const struct counts *c = store_find(f, STORE_REQUEST_LOG, host, COUNTS, sizeof(*c), &n);
	if (!c || n != 1)
		return refuse(err);
	for (uint32_t k = 0; k < N_ROWS; k++)
		if (!has_rows(f, host, k, c->n[k]))
			return refuse(err);
	if (!make_room(r, c))
		return mer_fail_nomem(err);
	void *rows[N_ROWS] = { r->actions, r->sockets, r->sightings, r->departures, r->meetings,
		r->dirt };
	uint32_t *counts[N_ROWS] = { &r->n_actions, &r->n_sockets, &r->n_sightings,
		&r->n_departures, &r->n_meetings, &r->n_dirt };
	uint32_t *caps[N_ROWS] = { &r->cap_actions, &r->cap_sockets, &r->cap_sightings,
		&r->cap_departures, &r->cap_meetings, &r->cap_dirt };
	for (uint32_t k = 0; k < N_ROWS; k++) {
		*counts[k] = *caps[k] = c->n[k];
		if (!get_rows(f, host, k, rows[k], c->n[k]))
			return refuse(err);
	}
	const struct kernel_host *h = &w->hosts[host];
	bool no_memory = false;
	bool ok = actions_fit(r, h) && sockets_fit(r, h, n_packets) && rest_fits(r, h, n_packets) &&
		  counts_fit(r, &no_memory);
	return ok ? 0 : no_memory ? mer_fail_nomem(err) : refuse(err);
}

int store_get_singles(const struct store_file *f, const struct kernel_world *w,
	struct kernel_single **singles, uint32_t *n, struct mer_err *err)
{
	uint64_t one = 0;
	const struct store_file world = store_without_numbers(f);
	const uint32_t *count =
		store_find(&world, STORE_REQUEST_LOG, 0, N_SINGLES, sizeof(*count), &one);
	*singles = NULL;
	*n = 0;
	if (!count || one != 1 || !has_rows(&world, 0, SINGLES, *count))
		return refuse(err);
	struct kernel_single *rows = mer_spill_array(w->spill, (size_t)*count + 1, sizeof(*rows));
	if (!rows)
		return mer_fail_nomem(err);
	bool ok = get_rows(&world, 0, SINGLES, rows, *count);
	for (uint32_t i = 0; ok && i < *count; i++) {
		rows[i].host = store_host_of(f, rows[i].host);
		ok = rows[i].host < w->n_hosts;
	}
	if (!ok) {
		mer_spill_release(rows);
		return refuse(err);
	}
	*singles = rows;
	*n = *count;
	return 0;
}
