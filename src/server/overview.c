/* The overview: how much was recorded when, of each host, by the headers of packets: known as soon
 * as the traces are open, while their events are still to be read. */
#include <string.h>
#include "server/state.h"
#include "trace/experiment.h"

enum { BINS = 600 };

struct density {
	int64_t begin, end;
	double bytes[BINS];
};

/* Spreads them evenly over the packet's time. */
static void add(struct density *d, int64_t begin, int64_t end, double bytes)
{
	double width = (double)(d->end - d->begin) / BINS;
	double from = (double)(begin - d->begin) / width, to = (double)(end - d->begin) / width;
	from = from < 0 ? 0 : from > BINS - 1 ? BINS - 1 : from;
	to = to > BINS ? BINS : to < from ? from : to;
	size_t first = (size_t)from, last = to < BINS ? (size_t)to : BINS - 1;
	if (first == last) {
		d->bytes[first] += bytes;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		double part = ((double)(i + 1) < to ? (double)(i + 1) : to) -
			      ((double)i > from ? (double)i : from);
		d->bytes[i] += bytes * part / (to - from);
	}
}

static void add_stream(const struct mer_experiment *e, uint32_t stream, struct density *d)
{
	const struct trace_stream *s = &e->data[stream];
	for (uint32_t i = 0; i < s->n_packets; i++) {
		const struct ctf_packet *p = &s->packets[i];
		int64_t begin = trace_packet_begin(e, p), end = trace_packet_end(e, p);
		if (begin == MER_NO_TIME || end == MER_NO_TIME || end < d->begin || begin > d->end)
			continue;
		/* The first packet's begins when buffers were made, the last one's ends when they
		 * were closed. */
		add(d, begin > d->begin ? begin : d->begin, end < d->end ? end : d->end,
			(double)p->content_bits / 8);
	}
}

static void put_host(const struct mer_experiment *e, uint32_t host, struct mer_json *j)
{
	struct density d = { .begin = INT64_MAX, .end = INT64_MIN };
	for (uint32_t i = 0; i < e->n_streams; i++) {
		const struct mer_stream *s = &e->streams[i];
		if (e->traces[s->trace].host != host || s->begin == MER_NO_TIME)
			continue;
		d.begin = s->begin < d.begin ? s->begin : d.begin;
		d.end = s->end > d.end ? s->end : d.end;
	}
	mer_json_begin_object(j);
	mer_json_kv_text(j, "host", e->hosts[host].name);
	if (d.begin < d.end) {
		for (uint32_t i = 0; i < e->n_streams; i++)
			if (e->traces[e->streams[i].trace].host == host)
				add_stream(e, i, &d);
		mer_json_kv_int(j, "begin", d.begin);
		mer_json_kv_int(j, "end", d.end);
		mer_json_kv_array(j, "bytes");
		for (size_t i = 0; i < BINS; i++)
			mer_json_int(j, (int64_t)(d.bytes[i] + 0.5));
		mer_json_end_array(j);
	}
	mer_json_end_object(j);
}

static void put_overview(const struct mer_experiment *e, struct mer_str *out)
{
	struct mer_json j;
	mer_json_init(&j, out, NULL, 0);
	mer_json_begin_object(&j);
	mer_json_kv_array(&j, "hosts");
	for (uint32_t h = 0; h < e->n_hosts; h++)
		put_host(e, h, &j);
	mer_json_end_array(&j);
	mer_json_end_object(&j);
	mer_json_finish(&j, &(struct mer_err){ 0 });
}

void server_overview_prepare(struct server *s)
{
	put_overview(
		mer_session_experiment(s->traces[SERVER_CLOCKS_ALIGNED].session), &s->overview);
}

void server_overview(struct server *s, const struct http_request *r, struct http_answer *a)
{
	struct server_traces *t = NULL;
	(void)r;
	/* Until clocks are aligned each host has its own. */
	if (atomic_load(&s->traces[SERVER_CLOCKS_ALIGNED].stage) == SERVER_READY)
		t = server_traces_use(s, SERVER_CLOCKS_ALIGNED, a);
	if (t)
		put_overview(mer_session_experiment(t->session), &a->body);
	else
		mer_str_add(&a->body, s->overview.data ? s->overview.data : "", s->overview.len);
	if (t)
		server_traces_done(t);
	a->status = 200;
	a->type = "application/json";
}
