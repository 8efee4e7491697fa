/* What hosts are sent for their full parts: the parts of those that they exchanged messages with,
 * and the clocks of these and their own. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask/program.h"
#include "base/file.h"
#include "cli/fleet/fleet.h"
#include "copied/copied.h"
#include "part/archive.h"
#include "sync/auto.h"
#include "sync/result_lines.h"
#include "trace/experiment.h"

enum { NAME_BYTES = 40 };

struct fleet_peers {
	struct sync_result *clocks;
	uint32_t *fleet_host; /* by host of the clocks: whose part has it; UINT32_MAX: none */
	bool *are; /* n_hosts by n_hosts: is the part of the second of use for the first? */
};

/* ---- Who exchanged messages ---- */

static int find_fleet_hosts(struct fleet *f, const struct mer_experiment *e)
{
	struct fleet_peers *p = f->peers;
	p->fleet_host = mer_arena_alloc(&f->ask->arena, (e->n_hosts + 1u) * sizeof(*p->fleet_host));
	if (!p->fleet_host)
		return mer_fail_nomem(&f->ask->err);
	memset(p->fleet_host, 0xff, (e->n_hosts + 1u) * sizeof(*p->fleet_host));
	for (uint32_t k = 0; k < f->n_hosts; k++) {
		const char *path = fleet_file(f, &f->hosts[k], FLEET_PART);
		if (!path)
			return mer_fail_nomem(&f->ask->err);
		for (uint32_t i = 0; i < e->n_parts && f->hosts[k].has_part; i++)
			if (strcmp(path, e->parts[i].given) == 0)
				p->fleet_host[e->traces[e->parts[i].trace].host] = k;
	}
	return 0;
}

static void make_peers(struct fleet *f, uint32_t a, uint32_t b)
{
	if (a != UINT32_MAX && b != UINT32_MAX && a != b)
		f->peers->are[a * f->n_hosts + b] = f->peers->are[b * f->n_hosts + a] = true;
}

/* Where the host of one is the guest of another, messages are not all that they share. */
static void find_pairs(struct fleet *f)
{
	const struct fleet_peers *p = f->peers;
	const struct sync_result *r = p->clocks;
	for (size_t i = 0; i < r->n_pairs; i++)
		make_peers(f, p->fleet_host[r->pairs[i].a], p->fleet_host[r->pairs[i].b]);
	for (uint32_t v = 0; v < r->n_vms; v++)
		if (r->vms[v].guest != SYNC_NO_GUEST)
			make_peers(f, p->fleet_host[r->vms[v].guest],
				p->fleet_host[r->vms[v].hypervisor]);
}

static int open_parts(struct fleet *f, struct mer_experiment **e)
{
	const char **paths = mer_arena_zalloc(&f->ask->arena, f->n_hosts + 1, sizeof(*paths));
	size_t n = 0;
	for (size_t i = 0; paths && i < f->n_hosts; i++)
		if (f->hosts[i].has_part && (paths[n] = fleet_file(f, &f->hosts[i], FLEET_PART)))
			n++;
	const struct mer_open_options o = { .size = sizeof(o),
		.ignore_uuid = f->ask->ignore_uuid,
		.cache_folder = ask_cache_folder(f->ask) };
	return paths ? mer_experiment_open(paths, n, &o, e, &f->ask->err)
		     : mer_fail_nomem(&f->ask->err);
}

int fleet_find_peers(struct fleet *f, const char *sync)
{
	struct mer_experiment *e;
	struct fleet_peers *p = f->peers = mer_arena_zalloc(&f->ask->arena, 1, sizeof(*p));
	int rc = p ? open_parts(f, &e) : mer_fail_nomem(&f->ask->err);
	if (rc)
		return rc;
	p->are = mer_arena_zalloc(&f->ask->arena, f->n_hosts * f->n_hosts + 1, sizeof(*p->are));
	if (!p->are)
		rc = mer_fail_nomem(&f->ask->err);
	if (rc == 0)
		rc = find_fleet_hosts(f, e);
	if (rc == 0)
		rc = sync_load(e, sync, &p->clocks, &f->ask->err);
	mer_experiment_free(e);
	if (rc == 0)
		find_pairs(f);
	return rc;
}

void fleet_forget_peers(struct fleet *f)
{
	if (f->peers)
		sync_result_free(f->peers->clocks);
	f->peers = NULL;
}

bool fleet_has_peer(const struct fleet *f, const struct fleet_host *h)
{
	const bool *are = &f->peers->are[(size_t)(h - f->hosts) * f->n_hosts];
	bool has = false;
	for (size_t i = 0; i < f->n_hosts && !has; i++)
		has = are[i] && !f->hosts[i].failed;
	return has;
}

/* ---- What is sent ---- */

static int add_part(struct fleet *f, struct part_archive *a, size_t host)
{
	char name[NAME_BYTES];
	struct mer_file file;
	const char *path = fleet_file(f, &f->hosts[host], FLEET_PART);
	int rc = path ? mer_file_open(&file, path, &f->ask->err) : mer_fail_nomem(&f->ask->err);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), "p%zu.part", host);
	rc = part_archive_add(a, name, file.data, file.size, &f->ask->err);
	mer_file_close(&file);
	return rc;
}

/* By fleet host: whose parts are sent. One at least, if there is any: of a host that is alone it is
 * not looked at what would be said of several. */
static bool *wanted_by(struct fleet *f, size_t host)
{
	bool any = false, *wanted = mer_arena_zalloc(&f->ask->arena, f->n_hosts, sizeof(*wanted));
	for (size_t i = 0; wanted && i < f->n_hosts; i++) {
		wanted[i] = f->hosts[i].has_part && f->peers->are[host * f->n_hosts + i];
		any |= wanted[i];
	}
	for (size_t i = 0; wanted && i < f->n_hosts && !any; i++)
		any = wanted[i] = f->hosts[i].has_part && i != host;
	return wanted;
}

static int add_clocks(struct fleet *f, struct part_archive *a, size_t host, const bool *wanted)
{
	const struct sync_result *r = f->peers->clocks;
	struct mer_str lines = { 0 }, json = { 0 };
	uint32_t n;
	bool *of = mer_arena_zalloc(&f->ask->arena, r->n_hosts + 1u, sizeof(*of));
	int rc = of ? 0 : mer_fail_nomem(&f->ask->err);
	for (uint32_t h = 0; rc == 0 && h < r->n_hosts; h++) {
		uint32_t whose = f->peers->fleet_host[h];
		of[h] = whose == host || (whose != UINT32_MAX && wanted[whose]);
	}
	if (rc == 0)
		rc = sync_result_write_lines(r, of, &lines, &f->ask->err);
	if (rc == 0)
		rc = sync_result_join(
			&(struct sync_lines){ lines.data, lines.len }, 1, &json, &n, &f->ask->err);
	if (rc == 0)
		rc = part_archive_add(a, "all.sync", json.data, json.len, &f->ask->err);
	mer_str_fini(&json);
	mer_str_fini(&lines);
	return rc;
}

int fleet_bundle(struct fleet *f, const struct fleet_host *h, int fd)
{
	struct part_archive *a;
	struct mer_err *err = &f->ask->err;
	size_t host = (size_t)(h - f->hosts);
	const bool *wanted = wanted_by(f, host);
	int rc = wanted ? part_archive_new(fd, &a, err) : mer_fail_nomem(err);
	if (rc)
		return rc;
	rc = add_clocks(f, a, host, wanted);
	for (size_t i = 0; rc == 0 && i < f->n_hosts; i++)
		if (wanted[i])
			rc = add_part(f, a, i);
	int ended = part_archive_end(a, rc ? NULL : err);
	return rc ? rc : ended;
}

bool fleet_key_parts(const struct fleet *f, const char *sync, struct mer_str *key)
{
	bool ok = fleet_key_file(key, sync);
	for (size_t i = 0; ok && i < f->n_hosts; i++) {
		const char *path =
			f->hosts[i].has_part ? fleet_file(f, &f->hosts[i], FLEET_PART) : NULL;
		ok = !f->hosts[i].has_part || (path && fleet_key_file(key, path));
	}
	return ok;
}
