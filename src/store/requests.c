/* Requests to block devices as packed rows. */
#include "store/rows.h"

/* Times are stored relative to the first known one of the request. */
enum { HAS_INSERT = 1, HAS_ISSUE = 2, HAS_COMPLETE = 4 };

static unsigned has(const struct kernel_request *r)
{
	return (r->insert != INT64_MIN ? HAS_INSERT : 0u) |
	       (r->issue != INT64_MIN ? HAS_ISSUE : 0u) |
	       (r->complete != INT64_MIN ? HAS_COMPLETE : 0u);
}

static uint64_t begin_of(const struct kernel_request *r)
{
	int64_t begin = r->insert != INT64_MIN	? r->insert
			: r->issue != INT64_MIN ? r->issue
						: r->complete;
	return begin == INT64_MIN ? 0 : (uint64_t)begin;
}

static uint64_t since(const struct kernel_request *r, int64_t time)
{
	return time == INT64_MIN ? 0 : (uint64_t)time - begin_of(r);
}

static void put(struct mer_str *out, const void *rows, size_t n, uint32_t first)
{
	const struct kernel_request *r = rows;
	uint64_t v[STORE_ROWS] = { 0 };
	(void)first;
	STORE_PUT(STORE_DICT, has(&r[i]));
	STORE_PUT(STORE_DELTA, begin_of(&r[i]));
	STORE_PUT(STORE_PLAIN, since(&r[i], r[i].issue));
	STORE_PUT(STORE_PLAIN, since(&r[i], r[i].complete));
	STORE_PUT(STORE_DELTA, r[i].sector);
	STORE_PUT(STORE_DICT, r[i].dev);
	STORE_PUT(STORE_DICT, r[i].bytes);
	STORE_PUT(STORE_PLAIN, store_distance(i ? r[i - 1].by : 0, r[i].by));
	STORE_PUT(STORE_DICT, (uint32_t)(r[i].task + 1));
	STORE_PUT(STORE_DICT, (uint16_t)(r[i].cpu + 1));
	STORE_PUT(STORE_DICT, r[i].flags);
	STORE_PUT(STORE_DICT, (uint64_t)(int64_t)r[i].error);
}

static void set_begin(struct kernel_request *r, uint64_t mask, uint64_t v)
{
	r->insert = mask & HAS_INSERT ? (int64_t)v : INT64_MIN;
	r->issue = mask & HAS_ISSUE ? (int64_t)v : INT64_MIN;
	r->complete = mask & HAS_COMPLETE ? (int64_t)v : INT64_MIN;
}

static void add_time(int64_t *time, uint64_t v)
{
	if (*time != INT64_MIN)
		*time = (int64_t)((uint64_t)*time + v);
}

static bool get(struct store_in *in, void *rows, size_t n, uint32_t first, const void *ctx)
{
	const struct kernel_host *h = ctx;
	struct kernel_request *r = rows;
	uint64_t v[STORE_ROWS], masks[STORE_ROWS];
	bool ok = store_unpack(in, masks, n);
	(void)first;
	STORE_GET(set_begin(&r[i], masks[i], v[i]));
	STORE_GET(add_time(&r[i].issue, v[i]));
	STORE_GET(add_time(&r[i].complete, v[i]));
	STORE_GET(r[i].sector = v[i]);
	STORE_GET(r[i].dev = (uint32_t)v[i]);
	STORE_GET(r[i].bytes = (uint32_t)v[i]);
	STORE_GET(r[i].by = store_at_distance(i ? r[i - 1].by : 0, v[i]));
	STORE_GET(r[i].task = (uint32_t)v[i] - 1);
	STORE_GET(r[i].cpu = (uint16_t)(v[i] - 1));
	STORE_GET(r[i].flags = (uint8_t)v[i]);
	STORE_GET(r[i].error = (int16_t)v[i]);
	for (size_t i = 0; ok && i < n; i++) {
		ok = (r[i].by < h->n_spans || r[i].by == KERNEL_NONE) &&
		     (r[i].task < h->n_tasks || r[i].task == KERNEL_NONE);
	}
	return ok;
}

static void absent(void *rows, size_t n)
{
	struct kernel_request *r = rows;
	for (size_t i = 0; i < n; i++) {
		r[i].insert = r[i].issue = r[i].complete = INT64_MIN;
		r[i].by = r[i].task = KERNEL_NONE;
		r[i].cpu = KERNEL_NO_CPU;
	}
}

const struct store_row_kind store_request_rows = { sizeof(struct kernel_request), put, get,
	absent };
