/* Requests of a host to its block devices.
 *
 * The model keeps all requests, so facts are made after the last event, in the order in which
 * the requests began. A request is one fact; the stretches of time that it consists of are
 * further facts, so that parts of them can count in a window. Each moment when a disk is busy is
 * assigned to the request in flight that was issued first, so the busy time of a disk is the sum
 * over its requests, whichever task made them. */
#include <stdlib.h>

#include "analysis/all.h"
#include "analysis/facts/disk.h"
#include "base/grow.h"
#include "kernel/disk.h"

/* ---- kinds ---- */

static int64_t done_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->end == FACT_UNKNOWN ? FACT_UNKNOWN : f->choice;
}

static int64_t sector_end_of(const struct kernel_host *h, const struct fact *f)
{
	const struct disk_request *r = (const struct disk_request *)f;
	uint64_t end = (uint64_t)r->sector + (uint64_t)r->bytes / KERNEL_SECTOR_BYTES;
	(void)h;
	return end < (uint64_t)r->sector ? r->sector : (int64_t)end;
}

static bool request_has_name(const struct kernel_host *h, const struct fact *f,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	return kernel_disk_has_name(h, ((const struct disk_request *)f)->device, wants, ctx);
}

static bool merge_has_name(const struct kernel_host *h, const struct fact *f,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	return kernel_disk_has_name(h, ((const struct disk_merge *)f)->device, wants, ctx);
}

static bool time_has_name(const struct kernel_host *h, const struct fact *f,
	bool (*wants)(void *ctx, const char *name), void *ctx)
{
	return kernel_disk_has_name(h, ((const struct disk_time *)f)->device, wants, ctx);
}

#define DEVICE(struct_)                                                                            \
	{                                                                                          \
		"disk", "disk", MER_TEXT, FACT_DEVICE, FACT_MEMBER(struct_, device)                \
	}
#define KNOWN_OR_NOT(struct_, member_) FACT_MEMBER(struct_, member_), FACT_NONE_IS(FACT_UNKNOWN)

static const struct fact_field request_fields[] = {
	{ "name", "operation", MER_TEXT, FACT_WORDS(io_op_names),
		FACT_MEMBER(struct disk_request, fact.choice) },
	DEVICE(struct disk_request),
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct disk_request, bytes) },
	{ "sector", "sector", MER_COUNT, FACT_NUMBER, FACT_MEMBER(struct disk_request, sector) },
	{ "ret", "result", MER_TEXT, FACT_RESULT, FACT_MEMBER(struct disk_request, error) },
	{ "queue_ns", "queued", MER_DURATION, FACT_NUMBER,
		KNOWN_OR_NOT(struct disk_request, queue_ns) },
	{ "service_ns", NULL, MER_DURATION, FACT_NUMBER,
		KNOWN_OR_NOT(struct disk_request, service_ns) },
	{ "seek_bytes", "seek", MER_BYTES, FACT_NUMBER,
		KNOWN_OR_NOT(struct disk_request, seek_bytes) },
	{ "own_seek_bytes", NULL, MER_BYTES, FACT_NUMBER,
		KNOWN_OR_NOT(struct disk_request, own_seek_bytes) },
	{ 0 },
};
static const struct fact_view request_views[] = {
	{ "done", NULL, MER_ID, FACT_BY_FUNCTION, .get = done_of },
	{ "sector_end", NULL, MER_COUNT, FACT_BY_FUNCTION, .get = sector_end_of },
	{ 0 },
};
static const struct fact_field merge_fields[] = {
	DEVICE(struct disk_merge),
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct disk_merge, bytes) },
	{ 0 },
};
static const char *const phase_names[] = { [DISK_QUEUED] = "queued",
	[DISK_IN_FLIGHT] = "in flight",
	[DISK_BUSY] = "busy",
	[DISK_COMPLETED] = "completed" };
static const char *const way_names[] = {
	[IO_MOVES_NONE] = NULL, [IO_MOVES_IN] = "in", [IO_MOVES_OUT] = "out"
};
static const struct fact_field time_fields[] = {
	{ "phase", NULL, MER_TEXT, FACT_WORDS(phase_names),
		FACT_MEMBER(struct disk_time, fact.choice) },
	DEVICE(struct disk_time),
	{ "name", "operation", MER_TEXT, FACT_WORDS(io_op_names),
		FACT_MEMBER(struct disk_time, op) },
	{ "bytes", "bytes", MER_BYTES, FACT_NUMBER, FACT_MEMBER(struct disk_time, bytes) },
	{ "request_ns", NULL, MER_DURATION, FACT_NUMBER,
		KNOWN_OR_NOT(struct disk_time, request_ns) },
	{ "way", NULL, MER_TEXT, FACT_WORDS(way_names), FACT_MEMBER(struct disk_time, way) },
	{ 0 },
};

static const struct fact_maker maker;
const struct fact_kind fact_disk_request = {
	.id = "disk_request",
	.title = "Requests to disks",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct disk_request),
	.fields = request_fields,
	.views = request_views,
	.duration = "duration_ns",
	.bytes = "bytes",
	.name = "disk",
	.has_name = request_has_name,
};
/* A merge takes no time, so --min and --max do not exclude it. */
const struct fact_kind fact_disk_merge = {
	.id = "disk_merge",
	.title = "Requests that became part of another one",
	.maker = &maker,
	.rule = FACT_BEGINS,
	.size = sizeof(struct disk_merge),
	.fields = merge_fields,
	.duration = "duration_ns",
	.bytes = "bytes",
	.name = "disk",
	.has_name = merge_has_name,
};
const struct fact_kind fact_disk_time = {
	.id = "disk_time",
	.title = "Time of requests in queues and in flight",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct disk_time),
	.fields = time_fields,
	.duration = "request_ns",
	.bytes = "bytes",
	.name = "disk",
	.has_name = time_has_name,
};

/* ---- their maker ---- */

enum { REQUEST, MERGE, TIME };

struct place { /* for a disk, or a task on a disk: state after its last request */
	bool has_sector;
	uint64_t sector;    /* where that request ended */
	int64_t busy_until; /* only for disks */
};

struct places {
	struct place *list;
	size_t n, cap;
	struct mer_map map; /* device, or device and task -> number, plus 1 */
};

/* NULL: no memory. */
static struct place *place_of(struct places *p, uint64_t key)
{
	uint32_t *at = mer_map_put(&p->map, key);
	if (at && *at)
		return &p->list[*at - 1];
	struct place *x = at ? mer_grow_at(&p->list, &p->cap, p->n, sizeof(*x)) : NULL;
	if (x) {
		x->busy_until = INT64_MIN;
		*at = (uint32_t)++p->n;
	}
	return x;
}

static void free_places(struct places *p)
{
	free(p->list);
	mer_map_fini(&p->map);
}

static int on_merge(void *ctx, const struct kernel_host *h, const struct kernel_merge *m)
{
	struct fact_host *f = ctx;
	const struct disk_merge x = { .fact = { m->time, FACT_UNKNOWN, m->task, m->cpu, 0 },
		.bytes = (int64_t)m->bytes,
		.device = m->dev };
	return fact_is_used(f, MERGE) ? fact_add(f, h, MERGE, &x) : 0;
}

/* Distance from the end of the last request to the begin of r; r is the last request from then
 * on. */
static int64_t seek_to(struct place *p, const struct kernel_request *r)
{
	uint64_t from = p->sector, to = r->sector;
	bool is_first = !p->has_sector;
	if (r->bytes == 0)
		return FACT_UNKNOWN;
	p->has_sector = true;
	p->sector = r->sector + r->bytes / KERNEL_SECTOR_BYTES;
	uint64_t sectors = from < to ? to - from : from - to;
	return is_first					   ? FACT_UNKNOWN
	       : sectors < INT64_MAX / KERNEL_SECTOR_BYTES ? (int64_t)sectors * KERNEL_SECTOR_BYTES
							   : INT64_MAX;
}

static int add_request(struct fact_host *f, const struct kernel_host *h,
	const struct kernel_request *r, struct place *disk, struct place *of_task)
{
	int64_t queued = kernel_request_queued(r), end = kernel_request_end(r);
	const struct disk_request x = {
		.fact = { kernel_request_begin(r), end != INT64_MIN ? end : FACT_UNKNOWN, r->task,
			r->cpu, (uint16_t)kernel_request_op(r) },
		.bytes = r->bytes,
		.sector = (int64_t)r->sector,
		.queue_ns = queued >= 0 ? queued : FACT_UNKNOWN,
		.service_ns =
			kernel_request_was_in_flight(r) ? r->complete - r->issue : FACT_UNKNOWN,
		.seek_bytes = seek_to(disk, r),
		.own_seek_bytes = seek_to(of_task, r),
		.device = r->dev,
		.error = r->error,
	};
	return fact_is_used(f, REQUEST) ? fact_add(f, h, REQUEST, &x) : 0;
}

static int add_time(struct fact_host *f, const struct kernel_host *h,
	const struct kernel_request *r, enum disk_phase phase, int64_t begin, int64_t end)
{
	enum io_op op = kernel_request_op(r);
	int64_t request_end = kernel_request_end(r);
	bool moves = phase == DISK_IN_FLIGHT || phase == DISK_COMPLETED;
	const struct disk_time x = {
		.fact = { begin, end, r->task, r->cpu, (uint16_t)phase },
		.bytes = r->bytes,
		.request_ns = request_end != INT64_MIN ? request_end - kernel_request_begin(r)
						       : FACT_UNKNOWN,
		.device = r->dev,
		.op = (uint8_t)op,
		.way = moves && op == IO_DISK_READ    ? IO_MOVES_IN
		       : moves && op == IO_DISK_WRITE ? IO_MOVES_OUT
						      : IO_MOVES_NONE,
	};
	return begin < end ? fact_add(f, h, TIME, &x) : 0;
}

static int add_times(struct fact_host *f, const struct kernel_host *h,
	const struct kernel_request *r, struct place *disk)
{
	bool was_in_flight = kernel_request_was_in_flight(r);
	int64_t busy_from = r->issue > disk->busy_until ? r->issue : disk->busy_until;
	int rc = 0;
	if (kernel_request_queued(r) > 0)
		rc = add_time(f, h, r, DISK_QUEUED, r->insert, r->issue);
	if (was_in_flight && rc == 0)
		rc = add_time(f, h, r, DISK_IN_FLIGHT, r->issue, r->complete);
	if (was_in_flight && rc == 0)
		rc = add_time(f, h, r, DISK_BUSY, busy_from, r->complete);
	if (was_in_flight && r->complete > disk->busy_until)
		disk->busy_until = r->complete;
	bool is_instant = !was_in_flight || r->complete == r->issue;
	if (rc == 0 && is_instant && r->complete != INT64_MIN && r->complete < INT64_MAX)
		rc = add_time(f, h, r, DISK_COMPLETED, r->complete, r->complete + 1);
	return rc;
}

struct order {
	int64_t begin;
	uint32_t request;
};

static int compare(const void *a, const void *b)
{
	const struct order *p = a, *q = b;
	if (p->begin != q->begin)
		return p->begin < q->begin ? -1 : 1;
	return (p->request > q->request) - (p->request < q->request);
}

static int end(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h)
{
	struct places disks = { 0 }, of_tasks = { 0 };
	struct order *order = malloc(((size_t)h->n_requests + 1) * sizeof(*order));
	int rc = order ? 0 : mer_fail_nomem(f->err);
	uint32_t n = 0;
	(void)w;
	for (uint32_t i = 0; i < h->n_requests && rc == 0; i++)
		if (kernel_request_op(kernel_request_at(h, i)) != IO_NONE)
			order[n++] =
				(struct order){ kernel_request_begin(kernel_request_at(h, i)), i };
	if (n)
		qsort(order, n, sizeof(*order), compare);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		const struct kernel_request *r = kernel_request_at(h, order[i].request);
		struct place *disk = place_of(&disks, r->dev);
		struct place *of_task = place_of(&of_tasks, (uint64_t)r->dev << 32 | r->task);
		rc = disk && of_task ? add_request(f, h, r, disk, of_task) : mer_fail_nomem(f->err);
		if (rc == 0 && fact_is_used(f, TIME))
			rc = add_times(f, h, r, disk);
	}
	free(order);
	free_places(&disks);
	free_places(&of_tasks);
	return rc;
}

static const struct fact_kind *const kinds[] = {
	[REQUEST] = &fact_disk_request, [MERGE] = &fact_disk_merge, [TIME] = &fact_disk_time, NULL
};
static const struct fact_maker maker = {
	.id = "disk",
	.kinds = kinds,
	.wants = KERNEL_WANT_MERGES,
	.on = { .merge = on_merge },
	.end = end,
};
