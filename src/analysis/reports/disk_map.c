/* Where requests went on their disks over time: sequential ones make lines, random ones clouds.
 *
 * A disk with few requests has one row for each. Otherwise a grid of time and sectors is laid over
 * its requests: the finest one in which few enough cells are used. The requests of one operation in
 * one cell make one row, with the range of their sectors and of their times. */
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/disk_map.h"
#include "kernel/io_op.h"
#include "base/map.h"
#include "base/str.h"

/* Rows of all disks together (but each disk gets at least MIN_ROWS); the finest and the coarsest
 * grid. */
enum { MAX_ROWS = 6000, MIN_ROWS = 250, FINEST = 1024, COARSEST = 8 };

enum { BEGIN, END, HOST, DISK, NAME, SECTOR, SECTOR_END, REQUESTS, BYTES, N };

struct mark {
	int64_t begin, end;
	uint64_t sector, sector_end, n, bytes;
	const char *name; /* from io_op_names: equal pointers mean the same operation */
};

struct disk_map {
	const char *host, *disk;
	struct mark *requests; /* each request */
	size_t n, cap;
	struct mark extent; /* of all requests */
	struct mark *cells;
	size_t n_cells;
};

struct maps {
	struct disk_map *list;
	size_t n, cap;
	struct mer_intern names; /* host and disk -> number */
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

static struct disk_map *map_of(struct maps *maps, const char *host, const char *disk)
{
	struct mer_str key = { 0 };
	mer_str_printf(&key, "%s\n%s", host, disk);
	uint32_t i = key.failed ? MER_INTERN_NONE : mer_intern_add(&maps->names, key.data, key.len);
	mer_str_fini(&key);
	struct disk_map *map =
		i == MER_INTERN_NONE ? NULL : mer_grow_at(&maps->list, &maps->cap, i, sizeof(*map));
	if (map && i == maps->n) {
		maps->n++;
		map->host = host;
		map->disk = disk;
	}
	return map;
}

/* A request that has not ended is shown at its begin. */
static bool add_request(struct maps *maps, const struct mer_cell *c)
{
	struct disk_map *map = map_of(maps, c[HOST].v.text, c[DISK].v.text);
	struct mark *m = map ? mer_grow_at(&map->requests, &map->cap, map->n, sizeof(*m)) : NULL;
	if (!m)
		return false;
	*m = (struct mark){ .begin = c[BEGIN].v.i,
		.end = c[END].set ? c[END].v.i : c[BEGIN].v.i,
		.sector = (uint64_t)c[SECTOR].v.i,
		.sector_end = (uint64_t)c[SECTOR_END].v.i,
		.n = (uint64_t)c[REQUESTS].v.i,
		.bytes = (uint64_t)c[BYTES].v.i,
		.name = c[NAME].v.text };
	join(&map->extent, m);
	map->n++;
	return true;
}

/* Divides [from, to] into n equal parts, and returns the number of the one that x is in. */
static uint64_t part(uint64_t x, uint64_t from, uint64_t to, uint64_t n)
{
	return (uint64_t)((unsigned __int128)(x - from) * n / ((unsigned __int128)(to - from) + 1));
}

static uint64_t op_of(const char *name)
{
	uint64_t op = 0;
	while (op + 1 < IO_N_OPS && io_op_names[op] != name)
		op++;
	return op;
}

/* Puts the requests into a grid; false: no memory. If they need more than `most` cells, n_cells is
 * greater than `most`. */
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
		uint32_t *at =
			mer_map_put(&cells, (column * grid + row) * IO_N_OPS + op_of(m->name));
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

static void put_rows(struct mer_table *t, const struct disk_map *map)
{
	const struct mark *m = map->cells ? map->cells : map->requests;
	for (size_t n = map->cells ? map->n_cells : map->n; n > 0; n--, m++)
		mer_table_add(t, (struct mer_cell[N]){
					 [BEGIN] = MER_INT(m->begin),
					 [END] = MER_INT(m->end),
					 [HOST] = mer_text(map->host),
					 [DISK] = mer_text(map->disk),
					 [NAME] = mer_text(m->name),
					 [SECTOR] = MER_INT(m->sector),
					 [SECTOR_END] = MER_INT(m->sector_end),
					 [REQUESTS] = MER_INT(m->n),
					 [BYTES] = MER_INT(m->bytes),
				 });
}

/* The rows of a disk follow each other. */
int disk_map_finish(struct analysis_run *run, struct mer_table *t, uint64_t n_seen)
{
	struct maps maps = { 0 };
	struct mer_arena arena;
	bool ok = true;
	(void)n_seen;
	mer_arena_init(&arena);
	mer_intern_init(&maps.names, &arena);
	for (size_t r = 0; r < t->n_rows && ok; r++)
		ok = add_request(&maps, t->cells + r * t->n_columns);
	size_t most = maps.n && MAX_ROWS / maps.n > MIN_ROWS ? MAX_ROWS / maps.n : MIN_ROWS;
	t->n_rows = ok ? 0 : t->n_rows;
	for (size_t i = 0; i < maps.n; i++) {
		if (ok && maps.list[i].n > most)
			ok = find_cells(&maps.list[i], most);
		if (ok)
			put_rows(t, &maps.list[i]);
		free(maps.list[i].requests);
		free(maps.list[i].cells);
	}
	free(maps.list);
	mer_intern_fini(&maps.names);
	mer_arena_fini(&arena);
	return ok ? 0 : mer_fail_nomem(run->err);
}
