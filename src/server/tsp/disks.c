/* Disk traffic over time: the program's table, as series of each disk. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

enum { MAX_BINS = 2000, MAX_DISKS = 256 };

/* The disks of the whole recording, in the order of the table, so that numbers do not depend on the
 * window. */
struct disks {
	struct {
		uint32_t host, number; /* number: from 0 on each host */
		const char *name;
	} item[MAX_DISKS];
	size_t n;
	struct mer_result *all;
};

static int read_table(struct tsp *t, const struct session_window *window, uint64_t bins,
	struct mer_result **r, struct mer_err *err)
{
	const struct tsp_table which = {
		.analysis = "disk", .table = "bins", .window = window, .n_bins = bins
	};
	return tsp_read_table(t, &which, r, err);
}

static int find_disks(struct tsp *t, struct disks *d, struct mer_err *err)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	d->n = 0;
	int rc = read_table(t, NULL, 1, &d->all, err);
	size_t n = rc ? 0 : mer_result_n_rows(d->all);
	for (size_t i = 0; i < n && d->n < MAX_DISKS; i++) {
		const char *disk = tsp_cell_text(d->all, i, "disk");
		uint32_t h = tsp_host(e, tsp_cell_text(d->all, i, "host")), number = 0;
		if (h == KERNEL_NONE || !*disk)
			continue;
		for (size_t k = 0; k < d->n; k++)
			number += d->item[k].host == h;
		d->item[d->n].host = h;
		d->item[d->n].number = number;
		d->item[d->n++].name = disk;
	}
	return rc;
}

static void put_entry(struct tsp *t, int64_t id, int64_t parent, const char *name, bool has_data)
{
	tsp_begin_entry(&t->j, id, parent, &name, 1, 1, 0, has_data);
	mer_json_kv_bool(&t->j, "isDefault", has_data);
	mer_json_end_object(&t->j);
}

int tsp_disks_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Disk", "host, and its disks", NULL } };
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct disks d = { .n = 0 };
	int rc = find_disks(t, &d, err);
	tsp_begin_tree(&t->j, headers, 1, -1);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		bool has_disk = false;
		for (size_t i = 0; i < d.n; i++) {
			if (d.item[i].host != h)
				continue;
			int64_t host = tsp_entry(TSP_HOST, h, 0);
			int64_t disk = tsp_entry(TSP_DISK, h, d.item[i].number);
			if (!has_disk)
				put_entry(t, host, -1, e->hosts[h].name, false);
			has_disk = true;
			put_entry(t, disk, host, d.item[i].name, false);
			put_entry(t, tsp_entry(TSP_READS, h, d.item[i].number), disk, "Read", true);
			put_entry(
				t, tsp_entry(TSP_WRITES, h, d.item[i].number), disk, "Write", true);
		}
	}
	tsp_end_tree(&t->j);
	mer_result_free(d.all);
	return rc;
}

/* The series of one disk: its rows of the table, which are in the order of time. */
static int put_disk(struct tsp *t, const struct mer_result *r, const char *host, const char *disk,
	const char *key, const char *word, int64_t id, struct mer_err *err)
{
	size_t n_rows = mer_result_n_rows(r), n = 0;
	int64_t *x = mer_arena_zalloc(&t->arena, n_rows + 1, sizeof(*x));
	double *y = mer_arena_zalloc(&t->arena, n_rows + 1, sizeof(*y));
	char name[600];
	if (!x || !y)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n_rows; i++) {
		if (strcmp(tsp_cell_text(r, i, "host"), host) != 0 ||
			strcmp(tsp_cell_text(r, i, "disk"), disk) != 0)
			continue;
		x[n] = tsp_cell_int(r, i, "begin", 0);
		mer_result_real(r, i, mer_result_column(r, key), &y[n]);
		n++;
	}
	snprintf(name, sizeof(name), "%.280s/%.280s/%s", host, disk, word);
	tsp_put_series(&t->j, &(struct tsp_series){ .id = id,
				      .name = name,
				      .y_label = "Traffic",
				      .y_unit = "B/s",
				      .x = x,
				      .y = y,
				      .n = n });
	return 0;
}

int tsp_disks_xy(struct tsp *t, struct mer_err *err)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct session_window w = tsp_window(t);
	struct disks d = { .n = 0 };
	struct mer_result *r = NULL;
	uint32_t bins = tsp_bins(t, 0);
	int rc = find_disks(t, &d, err);
	if (rc == 0)
		rc = read_table(t, &w, bins < MAX_BINS ? bins : MAX_BINS, &r, err);
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "title", "Disk I/O");
	mer_json_kv_array(&t->j, "series");
	for (size_t i = 0; rc == 0 && i < d.n; i++) {
		const char *host = e->hosts[d.item[i].host].name, *disk = d.item[i].name;
		int64_t reads = tsp_entry(TSP_READS, d.item[i].host, d.item[i].number);
		int64_t writes = tsp_entry(TSP_WRITES, d.item[i].host, d.item[i].number);
		if (tsp_is_asked(&t->q, reads))
			rc = put_disk(t, r, host, disk, "read_bytes_per_s", "Read", reads, err);
		if (rc == 0 && tsp_is_asked(&t->q, writes))
			rc = put_disk(t, r, host, disk, "write_bytes_per_s", "Write", writes, err);
	}
	mer_json_end_array(&t->j);
	mer_json_end_object(&t->j);
	mer_result_free(r);
	mer_result_free(d.all);
	return rc;
}
