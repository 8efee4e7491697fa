/* Where requests went on their disks over time: sequential ones make lines, random ones clouds.
 *
 * Of a disk with few requests each is a row. Else a grid is laid over its requests, as fine as gives few
 * enough cells that have any; what is of one operation and in one cell is one row, which tells from where
 * to where and from when to when its requests are. */
#include <stdlib.h>

#include "analysis/reports/io.h"

const struct mer_column io_map_columns[] = { { "begin", "begin", MER_TIME },
	{ "end", NULL, MER_TIME }, { "host", "host", MER_TEXT }, { "disk", "disk", MER_TEXT },
	{ "name", "operation", MER_TEXT }, { "sector", "sector", MER_COUNT },
	{ "sector_end", "to sector", MER_COUNT }, { "requests", "requests", MER_COUNT },
	{ "bytes", "bytes", MER_BYTES }, { 0 } };

/* Rows of all disks together, and at least of one; the finest and coarsest grids. */
enum { MAX_ROWS = 6000, MIN_ROWS = 250, FINEST = 1024, COARSEST = 8 };

struct mark {
	int64_t begin, end;
	uint64_t sector, sector_end, n, bytes;
	enum io_op op;
};

struct disk_map {
	struct mark *requests; /* each by itself */
	size_t n, cap;
	struct mark extent; /* of all */
	struct mark *cells;
	size_t n_cells;
};

static void join(struct mark *into, const struct mark *m)
{
	if (into->n == 0)
		*into = *m;
	else {
		into->begin = m->begin < into->begin ? m->begin : into->begin;
		into->end = m->end > into->end ? m->end : into->end;
		into->sector = m->sector < into->sector ? m->sector : into->sector;
		into->sector_end =
			m->sector_end > into->sector_end ? m->sector_end : into->sector_end;
		into->n += m->n;
		into->bytes += m->bytes;
	}
}

static bool add_request(struct disk_map *map, const struct kernel_request *r, enum io_op op)
{
	struct mark *m = mer_grow_at(&map->requests, &map->cap, map->n, sizeof(*m));
	int64_t begin = io_request_begin(r);
	if (!m)
		return false;
	*m = (struct mark){ begin, r->complete > begin ? r->complete : begin, r->sector,
		r->sector + r->bytes / KERNEL_SECTOR_BYTES, 1, r->bytes, op };
	if (m->sector_end < m->sector)
		m->sector_end = m->sector;
	join(&map->extent, m);
	map->n++;
	return true;
}

/* Of [from, to] in n parts the one that x is in. */
static uint64_t part(uint64_t x, uint64_t from, uint64_t to, uint64_t n)
{
	return (uint64_t)((unsigned __int128)(x - from) * n / ((unsigned __int128)(to - from) + 1));
}

/* The requests in a grid; false: no memory. n_cells is more than most when they do not fit. */
static bool fill(struct disk_map *map, uint64_t grid, size_t most)
{
	struct mer_map cells = { 0 };
	const struct mark *x = &map->extent;
	bool ok = true;
	map->n_cells = 0;
	for (size_t i = 0; i < map->n && ok && map->n_cells <= most; i++) {
		const struct mark *m = &map->requests[i];
		uint64_t column = part((uint64_t)m->begin - (uint64_t)x->begin, 0,
			(uint64_t)x->end - (uint64_t)x->begin, grid);
		uint64_t row = part(m->sector, x->sector, x->sector_end, grid);
		uint32_t *at = mer_map_put(&cells, (column * grid + row) * IO_N_OPS + m->op);
		ok = at != NULL;
		if (!ok || (!*at && map->n_cells == most)) {
			map->n_cells += ok;
			continue;
		}
		if (!*at) {
			map->cells[map->n_cells] = (struct mark){ 0 };
			*at = (uint32_t)++map->n_cells;
		}
		join(&map->cells[*at - 1], m);
	}
	mer_map_fini(&cells);
	return ok;
}

static bool find_cells(struct disk_map *map, size_t most)
{
	map->cells = calloc(most, sizeof(*map->cells));
	if (!map->cells)
		return false;
	for (uint64_t grid = FINEST; grid >= COARSEST; grid /= 2)
		if (!fill(map, grid, most))
			return false;
		else if (map->n_cells <= most)
			return true;
	map->n_cells = most;
	return true;
}

static void emit_disk(const struct analysis_run *run, struct mer_table *t, uint32_t host,
	uint32_t dev, const struct disk_map *map)
{
	const char *disk = io_disk_name(&run->world->hosts[host], dev, t->arena);
	const struct mark *m = map->cells ? map->cells : map->requests;
	for (size_t n = map->cells ? map->n_cells : map->n; n > 0; n--, m++)
		mer_table_add(
			t, (struct mer_cell[]){ MER_INT(m->begin), MER_INT(m->end),
				   mer_text(analysis_host_name(run, host)), mer_text(disk),
				   mer_text(io_op_name(m->op)), MER_INT(m->sector),
				   MER_INT(m->sector_end), MER_INT(m->n), MER_INT(m->bytes) });
}

/* Those that move data or discard it: others are nowhere. */
static bool add_requests(const struct analysis_run *run, uint32_t host, struct disk_map *maps)
{
	const struct kernel_host *h = &run->world->hosts[host];
	const struct io_state *s = run->states[host];
	for (uint32_t i = 0; i < h->n_requests; i++) {
		const struct kernel_request *r = kernel_request_at(h, i);
		const uint32_t *disk = mer_map_get(&s->disk_map, r->dev);
		enum io_op op = io_request_op(run, h, r);
		if (disk && op != IO_NONE && op != IO_DISK_FLUSH &&
			analysis_is_asked(run->options, io_request_begin(r)) &&
			!add_request(&maps[*disk - 1], r, op))
			return false;
	}
	return true;
}

int io_emit_map(struct analysis_run *run, struct mer_table *t)
{
	size_t n_disks = 0;
	bool ok = true;
	for (uint32_t host = 0; host < run->e->n_hosts; host++)
		n_disks += ((const struct io_state *)run->states[host])->n_disks;
	size_t most = n_disks && MAX_ROWS / n_disks > MIN_ROWS ? MAX_ROWS / n_disks : MIN_ROWS;
	for (uint32_t host = 0; host < run->e->n_hosts && ok; host++) {
		const struct io_state *s = run->states[host];
		struct disk_map *maps = calloc(s->n_disks + 1, sizeof(*maps));
		ok = maps && add_requests(run, host, maps);
		for (size_t i = 0; i < s->n_disks && maps; i++) {
			if (ok && maps[i].n > most)
				ok = find_cells(&maps[i], most);
			if (ok)
				emit_disk(run, t, host, s->disks[i].dev, &maps[i]);
			free(maps[i].requests);
			free(maps[i].cells);
		}
		free(maps);
	}
	return ok ? 0 : mer_fail_nomem(run->err);
}
