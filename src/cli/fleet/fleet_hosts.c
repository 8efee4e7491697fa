/* Hosts of a fleet: HOST[:FOLDER], as files and --hosts name them, or as a manifest does. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/fleet/fleet.h"
#include "record/hosts.h"
#include "record/manifest.h"
#include "record/words.h"

/* Splits HOST:FOLDER; a colon in brackets is one of an address, [::1]:traces. NULL: no folder. */
static const char *split_off_folder(char *word)
{
	char *bracket = strchr(word, '['), *colon = strchr(word, ':');
	if (bracket && colon && bracket < colon) {
		char *end = strchr(bracket, ']');
		colon = end ? strchr(end, ':') : NULL;
	}
	if (!colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

/* ssh knows addresses without brackets. */
static void strip_brackets(char *target)
{
	char *at = strrchr(target, '@'), *host = at ? at + 1 : target;
	size_t len = strlen(host);
	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		memmove(host, host + 1, len - 2);
		host[len - 2] = '\0';
	}
}

static bool is_same_host(const struct fleet_host *a, const struct fleet_host *b)
{
	return a->target && b->target ? strcmp(a->target, b->target) == 0 : a->target == b->target;
}

static int add_word(struct fleet *f, const char *word)
{
	struct mer_arena *arena = &f->ask->arena;
	struct fleet_host *h = &f->hosts[f->n_hosts];
	char *target = mer_arena_strdup(arena, word);
	if (!target)
		return mer_fail_nomem(&f->ask->err);
	const char *folder = split_off_folder(target);
	if (!folder || !*folder)
		folder = f->o->folder;
	bool is_target = record_is_target(target);
	strip_brackets(target);
	/* Without brackets it may have become what ssh takes for an option. */
	if (!is_target || !record_is_target(target))
		return mer_fail(&f->ask->err, MER_ERR_USAGE,
			"'%.100s' is not a host such as server or user@server:traces", word);
	if (!folder || !*folder)
		return mer_fail(&f->ask->err, MER_ERR_USAGE,
			"where are the traces of %s? Name the folder, as in %s:traces, or --folder traces for all hosts",
			word, word);
	h->target = strcmp(target, "localhost") == 0 ? NULL : target;
	h->folder = fleet_path_word(arena, folder);
	h->name = record_name_of_target(arena, target);
	h->label = target;
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct fleet_host *other = &f->hosts[i];
		if (is_same_host(other, h) && h->folder && strcmp(h->folder, other->folder) == 0)
			return mer_fail(&f->ask->err, MER_ERR_USAGE, "%s is given twice", word);
	}
	return h->folder && h->name ? 0 : mer_fail_nomem(&f->ask->err);
}

/* The label of one of several folders of a host. */
static const char *with_folder(struct fleet *f, const struct fleet_host *h)
{
	return mer_arena_printf(
		&f->ask->arena, "%s:%s", h->target ? h->target : "localhost", h->folder);
}

/* Adds the host that is behind the others, with a name of its files that none of them has. */
static int add(struct fleet *f)
{
	struct fleet_host *h = &f->hosts[f->n_hosts];
	const char *name = h->name;
	bool is_taken = true;
	for (unsigned n = 2; is_taken && h->name && h->label; n++) {
		is_taken = false;
		for (size_t i = 0; i < f->n_hosts; i++) {
			struct fleet_host *other = &f->hosts[i];
			is_taken |= strcmp(other->name, h->name) == 0;
			if (!is_same_host(other, h))
				continue;
			other->label = with_folder(f, other);
			h->label = with_folder(f, h);
			if (!other->label || !h->label)
				return mer_fail_nomem(&f->ask->err);
		}
		if (is_taken)
			h->name = mer_arena_printf(&f->ask->arena, "%s-%u", name, n);
	}
	f->n_hosts++;
	return h->name && h->label ? 0 : mer_fail_nomem(&f->ask->err);
}

static int add_words(struct fleet *f, const char *const *words, size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (f->n_hosts >= FLEET_MOST_HOSTS)
			return mer_fail(&f->ask->err, MER_ERR_LIMIT, "more than %d hosts",
				FLEET_MOST_HOSTS);
		rc = add_word(f, words[i]);
		if (rc == 0)
			rc = add(f);
	}
	return rc;
}

/* The hosts of a recording whose traces were left where they are. */
static int add_recording(struct fleet *f, const char *folder, const char *path)
{
	struct mer_err *err = &f->ask->err;
	struct record_run run = { .arena = &f->ask->arena };
	struct mer_file file;
	bool complete = false;
	int rc = mer_file_open(&file, path, err);
	if (rc)
		return rc;
	rc = record_manifest_read(&run, &complete, (const char *)file.data, file.size, path, err);
	mer_file_close(&file);
	if (rc)
		return rc;
	if (complete)
		return mer_fail(err, MER_ERR_USAGE,
			"the traces of %s are here: no 'fleet' is needed, as in meridian top cpu %s",
			folder, folder);
	char *real = realpath(folder, NULL);
	f->recording = real ? mer_arena_strdup(&f->ask->arena, real) : NULL;
	free(real);
	if (!f->recording)
		return mer_fail_errno(err, "find", folder);
	for (size_t i = 0; i < run.n_hosts && rc == 0; i++) {
		const struct record_host *from = &run.hosts[i];
		struct fleet_host *h = &f->hosts[f->n_hosts];
		if (!from->has_data)
			continue;
		h->target = from->target;
		h->name = from->name;
		h->label = from->target ? from->target : from->name;
		/* Of another host only what is there, in a form that the manifest's reader has
		 * checked; those of this one lie where the recording now is. */
		h->folder = from->folder;
		if (!from->target && run.plan.mode != RECORD_LIVE) {
			const char *own =
				mer_arena_printf(&f->ask->arena, "%s/%s", f->recording, from->name);
			h->folder = own ? fleet_path_word(&f->ask->arena, own) : NULL;
		}
		rc = h->folder ? add(f)
			       : mer_fail(err, MER_ERR_INPUT,
					 "%s does not say where the traces of %s are", path,
					 h->label);
	}
	if (rc == 0 && !f->n_hosts)
		rc = mer_fail(err, MER_ERR_INPUT, "%s: no host has recorded anything", path);
	return rc;
}

int fleet_read_hosts(struct fleet *f)
{
	struct ask *ask = f->ask;
	enum { MOST = FLEET_MOST_HOSTS + 1 };
	const char **listed = mer_arena_zalloc(&ask->arena, MOST, sizeof(*listed));
	size_t n = 0;
	f->hosts = mer_arena_zalloc(&ask->arena, MOST, sizeof(*f->hosts));
	if (!listed || !f->hosts)
		return mer_fail_nomem(&ask->err);
	if (ask->n_before == 1 && !f->o->hosts.n) {
		const char *path = mer_arena_printf(&ask->arena, "%s/manifest.json", ask->args[0]);
		if (path && access(path, F_OK) == 0)
			return add_recording(f, ask->args[0], path);
	}
	int rc = record_hosts_add(&ask->arena, &f->o->hosts, listed, &n, MOST, &ask->err);
	if (rc == 0)
		rc = add_words(f, ask->args, ask->n_before);
	if (rc == 0)
		rc = add_words(f, listed, n);
	if (rc == 0 && !f->n_hosts)
		rc = mer_fail(&ask->err, MER_ERR_USAGE,
			"which hosts? Name them with the folders of their traces, as in web:traces db:traces");
	return rc;
}
