#include "session/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fact.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/safe_text.h"
#include "copied/copied.h"
#include "mpi/run.h"
#include "meridian/session.h"
#include "session/state.h"
#include "store/cache.h"
#include "store/check.h"
#include "store/messages.h"
#include "store/parts.h"
#include "store/record.h"
#include "sync/result_lines.h"

/* Hosts of an experiment, as a file numbers them. */
struct hosts {
	uint32_t *of; /* the experiment's numbers; malloc'ed */
	uint32_t n;
};

static uint32_t place_of(const struct hosts *hosts, uint32_t host)
{
	uint32_t i = 0;
	while (i < hosts->n && hosts->of[i] != host)
		i++;
	return i;
}

/* The maps of their clocks, and which can be compared with each other: the first host of each
 * group, as numbers of groups depend on which other hosts there are. */
static void mix_clocks(struct store_key *k, const struct hosts *hosts, const struct sync_result *r)
{
	for (uint32_t i = 0; i < hosts->n; i++) {
		const struct sync_host *h = &r->hosts[hosts->of[i]];
		uint32_t first = 0;
		while (r->hosts[hosts->of[first]].group != h->group)
			first++;
		store_key_mix(k, &first, sizeof(first));
		store_key_mix(k, h->map.pieces, h->map.n * sizeof(*h->map.pieces));
	}
	for (uint32_t v = 0; v < r->n_vms; v++) {
		const struct sync_vm *vm = &r->vms[v];
		const uint32_t who[] = { place_of(hosts, vm->hypervisor),
			place_of(hosts, vm->guest), vm->pid };
		if (who[0] < hosts->n && who[1] < hosts->n)
			store_key_mix(k, who, sizeof(who));
	}
}

/* The hosts and their clocks: the same where a file is made and where it is used. */
static void find_key(
	const struct session *s, const struct hosts *hosts, uint8_t key[STORE_KEY_BYTES])
{
	/* Others may pack the same things in other ways, or have structs that lie in files as they
	 * are with other members. */
	const uint32_t form[] = { 4, MER_VERSION, sizeof(struct kernel_task),
		sizeof(struct kernel_name), sizeof(struct kernel_call), sizeof(struct mer_map_slot),
		sizeof(struct sync_place), sizeof(struct sync_host_counts), s->result != NULL };
	struct store_key k = { { 0 } };
	store_key_mix(&k, form, sizeof(form));
	for (size_t i = 0; fact_kinds[i]; i++) {
		store_key_mix(&k, fact_kinds[i]->id, strlen(fact_kinds[i]->id) + 1);
		store_key_mix(&k, &fact_kinds[i]->size, sizeof(fact_kinds[i]->size));
	}
	for (uint32_t i = 0; i < hosts->n; i++) {
		const char *name = s->e->hosts[hosts->of[i]].name;
		store_key_mix(&k, name, strlen(name) + 1);
	}
	if (s->result)
		mix_clocks(&k, hosts, s->result);
	memcpy(key, k.hash, STORE_KEY_BYTES);
}

static int all_hosts(const struct mer_experiment *e, struct hosts *hosts, struct mer_err *err)
{
	hosts->of = malloc((e->n_hosts + 1u) * sizeof(*hosts->of));
	hosts->n = e->n_hosts;
	for (uint32_t h = 0; hosts->of && h < e->n_hosts; h++)
		hosts->of[h] = h;
	return hosts->of ? 0 : mer_fail_nomem(err);
}

/* What a file says of the hosts that it was made with. */
static void put_hosts(const struct mer_experiment *e, struct mer_str *out)
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		mer_str_printf(out, "host: %s\n", e->hosts[h].name);
}

/* Of all messages those that the own hosts sent or received: what goes on between others is known
 * from their files. It borrows all but links and singles. */
static int own_messages(const struct sync_messages *all, const bool *own, struct sync_messages *m,
	struct mer_err *err)
{
	*m = *all;
	m->n_links = m->n_singles = 0;
	m->links = calloc(all->n_links + 1, sizeof(*m->links));
	m->singles = mer_spill_array(all->spill, all->n_singles + 1, sizeof(*m->singles));
	if (!m->links || !m->singles)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < all->n_links; i++)
		if (own[all->links[i].from] || own[all->links[i].to])
			m->links[m->n_links++] = all->links[i];
	for (size_t i = 0; i < all->n_singles; i++)
		if (own[all->singles[i].host])
			m->singles[m->n_singles++] = all->singles[i];
	return 0;
}

static void own_messages_fini(struct sync_messages *m)
{
	free(m->links);
	mer_spill_release(m->singles);
}

/* Of what was found when they were matched, what is not of other hosts: these know better. */
static void own_findings(struct session *s, const bool *own, struct mer_diags *found)
{
	for (size_t i = 0; i < s->matched.n; i++) {
		const struct mer_diag *d = &s->matched.rows[i];
		bool is_others = false;
		for (uint32_t h = 0; d->host && h < s->e->n_hosts; h++)
			is_others |= !own[h] && strcmp(s->e->hosts[h].name, d->host) == 0;
		if (!is_others)
			mer_diag_add(found, d, "%s", d->message);
	}
	found->n_dropped = s->matched.n_dropped;
}

int session_parts_write(
	struct session *s, const bool *own, bool has_facts, const char *path, struct mer_err *err)
{
	uint8_t key[STORE_KEY_BYTES];
	const struct sync_messages *all;
	struct sync_messages messages = { 0 };
	struct mer_str about = { 0 };
	struct hosts hosts = { 0 };
	struct mer_diags found;
	int rc = session_messages(s, &all, err);
	if (rc)
		return rc;
	mer_diags_init(&found, &s->arena);
	rc = all_hosts(s->e, &hosts, err);
	if (rc == 0)
		find_key(s, &hosts, key);
	free(hosts.of);
	put_hosts(s->e, &about);
	if (rc == 0)
		rc = about.failed || !about.data ? mer_fail_nomem(err)
						 : own_messages(all, own, &messages, err);
	if (rc == 0)
		own_findings(s, own, &found);
	const struct kernel_world_options o = { .n_threads = session_threads(s),
		.cancel = &s->cancel,
		.done_bytes = session_stage_begin(s, SESSION_READING, s->e->bytes) };
	if (rc == 0)
		rc = store_record(&(struct store_target){ .path = path,
					  .key = key,
					  .about = about.data,
					  .own = own,
					  .has_no_facts = !has_facts },
			s->e, &messages, &found, s->result, &o, err);
	session_stage_end(s);
	mer_diags_fini(&found);
	own_messages_fini(&messages);
	mer_str_fini(&about);
	return rc;
}

/* Which of these a file was made with; names of others are added to missing. */
static int find_hosts(const struct mer_experiment *e, const char *about, struct hosts *hosts,
	struct mer_str *missing, struct mer_err *err)
{
	static const char host[] = "host: ";
	size_t cap = 0;
	for (const char *line = about; line && *line; line = strchr(line, '\n') + 1) {
		size_t n = strcspn(line, "\n"), skip = sizeof(host) - 1;
		if (!line[n])
			break;
		if (n <= skip || strncmp(line, host, skip) != 0)
			continue;
		uint32_t h = 0;
		while (h < e->n_hosts &&
			(strlen(e->hosts[h].name) != n - skip ||
				strncmp(e->hosts[h].name, line + skip, n - skip) != 0))
			h++;
		if (h == e->n_hosts) {
			mer_str_puts(missing, missing->len ? ", " : "");
			mer_safe_add(missing, line + skip, n - skip);
			continue;
		}
		if (place_of(hosts, h) < hosts->n)
			return mer_fail(err, MER_ERR_INPUT, "damaged: it names a host twice");
		if (!mer_grow(&hosts->of, hosts->n, &cap, sizeof(*hosts->of)))
			return mer_fail_nomem(err);
		hosts->of[hosts->n++] = h;
	}
	return 0;
}

static int hosts_of(
	const struct mer_experiment *e, const char *path, struct hosts *hosts, struct mer_err *err)
{
	struct mer_str missing = { 0 };
	char *about = store_about(path);
	int rc = find_hosts(e, about, hosts, &missing, err);
	if (rc == 0 && missing.len)
		rc = mer_fail(err, MER_ERR_INPUT,
			"made together with %.400s, too: give the full parts of all hosts, or, in their place, the parts that it was made with",
			missing.data);
	mer_str_fini(&missing);
	free(about);
	return rc;
}

/* Is the file whole, and of these hosts and clocks? */
static int check(const struct session *s, struct store_part_file *file, struct hosts *hosts,
	struct mer_err *err)
{
	struct store_file f;
	struct mer_err why;
	int rc = store_file_open(&f, file->path, NULL, &why);
	if (rc) /* which names its copy */
		return rc == MER_ERR_INPUT
			       ? mer_fail(err, rc, "damaged: copy it again, or make it again")
			       : mer_fail(err, rc, "%s", why.text);
	store_file_close(&f);
	rc = hosts_of(s->e, file->path, hosts, err);
	if (rc)
		return rc;
	find_key(s, hosts, file->key);
	file->hosts = hosts->of;
	file->n_hosts = hosts->n;
	if (store_file_peek(&f, file->path, file->key, &why))
		return mer_fail(err, MER_ERR_INPUT,
			"made of other hosts, with other clocks, or by another version of meridian than these");
	store_file_close(&f);
	return 0;
}

static void tell_mpi(struct mer_experiment *e)
{
	mer_diag_add_once(&e->diags,
		&(struct mer_diag){ .severity = MER_WARNING,
			.code = "part-mpi",
			.stream = -1,
			.packet = -1,
			.offset_bits = -1,
			.count = 1 },
		"full parts lack messages of MPI, and what its ranks waited for: waits and messages of MPI programs are shown as any other program's");
}

int session_parts_open(struct session *s, struct store **store, struct mer_err *err)
{
	const struct mer_experiment *e = s->e;
	char(*places)[PART_PATH_BYTES] = calloc(e->n_copies + 1u, sizeof(*places));
	struct store_part_file *files = calloc(e->n_copies + 1u, sizeof(*files));
	struct hosts *hosts = calloc(e->n_copies + 1u, sizeof(*hosts));
	size_t n = 0;
	int rc = places && files && hosts ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < e->n_copies; i++) {
		struct mer_err why;
		if (!part_is_full(&e->copies[i]) ||
			!part_path(&e->copies[i], PART_WORLD, places[n]))
			continue;
		files[n].path = places[n];
		files[n].name = e->copies[i].source;
		rc = check(s, &files[n], &hosts[n], &why);
		if (rc)
			mer_fail(err, rc, "%.800s: %.400s", e->copies[i].source, why.text);
		n++;
	}
	if (rc == 0 && mpi_is_recorded(s->e))
		tell_mpi(s->e);
	if (rc == 0)
		rc = store_open_parts(files, n, s->e, s->result, store, err);
	for (size_t i = 0; i < n; i++)
		free(hosts[i].of);
	free(hosts);
	free(files);
	free(places);
	return rc;
}

/* ---- messages ---- */

/* Whatever their clocks. */
static bool add_messages(const struct mer_experiment *e, const char *path, struct sync_messages *m,
	struct mer_diags *found)
{
	struct store_file f, view;
	struct hosts hosts = { 0 };
	struct mer_err none;
	struct mer_diags its;
	uint32_t *numbers = NULL;
	bool ok = hosts_of(e, path, &hosts, &none) == 0 &&
		  store_file_open(&f, path, NULL, &none) == 0;
	if (!ok) {
		free(hosts.of);
		return false;
	}
	mer_diags_init(&its, found->arena);
	numbers = store_view_make(&view, &f, hosts.of, hosts.n, e->n_hosts);
	ok = numbers && store_get_messages(&view, m, &its, &none) == 0;
	mer_diags_merge_new(found, &its);
	mer_diags_fini(&its);
	store_file_close(&f);
	free(numbers);
	free(hosts.of);
	return ok;
}

bool session_parts_messages(
	const struct session *s, struct sync_messages *m, struct mer_diags *found)
{
	char path[PART_PATH_BYTES];
	struct mer_err none;
	bool any = false, ok = true;
	for (uint32_t i = 0; i < s->e->n_copies && ok; i++) {
		if (!part_is_full(&s->e->copies[i]))
			continue;
		ok = part_path(&s->e->copies[i], PART_WORLD, path) &&
		     add_messages(s->e, path, m, found);
		any = true;
	}
	return any && ok && sync_messages_finish(m, &none) == 0;
}

/* ---- clocks ---- */

static int join_clocks(const struct mer_experiment *e, const struct mer_file *files, size_t n,
	struct mer_str *json, struct mer_err *err)
{
	uint32_t n_hosts;
	struct sync_lines *texts = calloc(n + 1, sizeof(*texts));
	if (!texts)
		return mer_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		texts[i] = (struct sync_lines){ (const char *)files[i].data, files[i].size };
	struct mer_err why;
	int rc = sync_result_join(texts, n, json, &n_hosts, &why);
	free(texts);
	if (rc)
		return mer_fail(err, rc, "full parts: %s", why.text);
	return n_hosts >= e->n_hosts
		       ? 0
		       : mer_fail(err, MER_ERR_USAGE,
				 "the clocks of hosts without a full part are in none of these: give the file of clocks, by which the full parts were made, too");
}

int session_parts_clocks(const struct session *s, struct sync_result **r, struct mer_err *err)
{
	const struct mer_experiment *e = s->e;
	struct mer_file *files = calloc(e->n_copies + 1u, sizeof(*files));
	struct mer_str json = { 0 };
	char path[PART_PATH_BYTES];
	size_t n = 0;
	int rc = files ? 0 : mer_fail_nomem(err);
	*r = NULL;
	for (uint32_t i = 0; rc == 0 && i < e->n_copies; i++)
		if (part_is_full(&e->copies[i]) && part_path(&e->copies[i], PART_CLOCKS, path)) {
			rc = mer_file_open(&files[n], path, err);
			n += rc == 0;
		}
	if (rc == 0 && n)
		rc = join_clocks(e, files, n, &json, err);
	if (rc == 0 && n)
		rc = sync_result_read(
			json.data, json.len, "clocks of full parts", e->hosts, e->n_hosts, r, err);
	mer_str_fini(&json);
	for (size_t i = 0; i < n; i++)
		mer_file_close(&files[i]);
	free(files);
	return rc;
}
