#include "kernel/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "trace/cursor.h"

int kernel_recorded_reading_new(
	const struct mer_experiment *e, struct trace_reading **reading, struct mer_err *err)
{
	static const struct mer_need all = { "*", "" };
	return trace_reading_from_needs(e, &all, 1, false, reading, err);
}

static bool is_of_host(const struct mer_experiment *e, uint32_t host, uint32_t stream)
{
	const struct mer_trace *t = &e->traces[e->streams[stream].trace];
	return t->host == host && strcmp(t->domain, "ust") != 0;
}

static int find_begin(struct mer_experiment *e, uint32_t host, const struct trace_reading *reading,
	int64_t *begin, struct mer_err *err)
{
	struct mer_cursor *c;
	int rc = trace_cursor_of_host(e, reading, host, &c, err);
	if (rc)
		return rc;
	while (rc == 0 && *begin == MER_NO_TIME) {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n && *begin == MER_NO_TIME; i++)
			if (is_of_host(e, host, ev[i].stream))
				*begin = ev[i].ts;
	}
	trace_cursor_drop(c);
	return rc;
}

/* From these packets on; seen: which streams have events there. */
static int read_last(struct mer_experiment *e, uint32_t host, const struct trace_reading *reading,
	const uint32_t *first, bool *seen, int64_t *end, struct mer_err *err)
{
	struct mer_cursor *c;
	struct trace_range range = { INT64_MIN, INT64_MAX };
	int rc = trace_cursor_new(e, reading, range, first, &c, err);
	if (rc)
		return rc;
	while (rc == 0) {
		const struct mer_event *ev;
		size_t n;
		rc = mer_cursor_next(c, &ev, &n, err);
		if (rc || n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			if (!is_of_host(e, host, ev[i].stream) || ev[i].ts == MER_NO_TIME)
				continue;
			seen[ev[i].stream] = true;
			if (*end == MER_NO_TIME || ev[i].ts > *end)
				*end = ev[i].ts;
		}
	}
	trace_cursor_drop(c);
	return rc;
}

int kernel_recorded_find(struct mer_experiment *e, uint32_t host,
	const struct trace_reading *reading, int64_t *begin, int64_t *end, struct mer_err *err)
{
	*begin = *end = MER_NO_TIME;
	uint32_t *first = calloc((size_t)e->n_streams + 1, sizeof(*first));
	bool *seen = calloc((size_t)e->n_streams + 1, sizeof(*seen)), more = true;
	int rc = first && seen ? find_begin(e, host, reading, begin, err) : mer_fail_nomem(err);
	/* A stream's last packets may be empty: then more of them are read. */
	for (uint32_t back = 1; rc == 0 && more && *begin != MER_NO_TIME;
		back = back > UINT32_MAX / 4 ? back : 4 * back) {
		more = false;
		for (uint32_t i = 0; i < e->n_streams; i++) {
			uint32_t n = e->data[i].n_packets;
			bool reads = is_of_host(e, host, i) && !seen[i] && n > 0;
			first[i] = !reads ? n : n > back ? n - back : 0;
			more = more || (reads && first[i] > 0);
		}
		rc = read_last(e, host, reading, first, seen, end, err);
	}
	free(first);
	free(seen);
	return rc;
}
