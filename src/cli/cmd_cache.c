/* meridian cache: what is kept between runs. */
#include <stdlib.h>
#include <string.h>

#include "ask/program.h"
#include "base/plural.h"
#include "cli/places.h"
#include "ask/print/table.h"
#include "ask/print/text.h"
#include "ask/verb.h"
#include "store/cache.h"
#include "store/check.h"

enum { KIND, USED, BYTES, HOSTS, TRACES, STATE, FILE_NAME, N_COLUMNS };

static const struct mer_column columns[N_COLUMNS + 1] = {
	[KIND] = { "kind", "kind", MER_TEXT },
	[USED] = { "last_used", "last used", MER_TIME },
	[BYTES] = { "bytes", "size", MER_BYTES },
	[HOSTS] = { "hosts", "hosts", MER_COUNT },
	[TRACES] = { "traces", "traces", MER_TEXT },
	[STATE] = { "state", "state", MER_TEXT },
	[FILE_NAME] = { "file", NULL, MER_TEXT },
};

struct listing {
	struct ask *ask;
	const char *dir;
	struct store_entry *entries;
	size_t n, n_damaged;
	bool check;
};

/* ---- list and check ---- */

static char *path_of(struct ask *ask, const char *dir, const char *name)
{
	return mer_arena_printf(&ask->arena, "%s/%s", dir, name);
}

/* "key: value" lines of what a store was made of: how many of this key, and the first value. */
static size_t count_lines(const char *about, const char *key, const char **value, size_t *len)
{
	size_t n = 0, n_key = strlen(key);
	for (const char *line = about; line && *line;) {
		size_t length = strcspn(line, "\n");
		if (length > n_key + 1 && strncmp(line, key, n_key) == 0 && n++ == 0) {
			*value = line + n_key;
			*len = length - n_key;
		}
		line += length + (line[length] == '\n');
	}
	return n;
}

static void add_about(struct listing *l, const char *path, struct mer_cell *cells)
{
	const char *first = NULL;
	size_t len = 0;
	char *about = store_about(path);
	size_t n = count_lines(about, "trace: ", &first, &len);
	if (n > 1)
		cells[TRACES] = mer_text(mer_arena_printf(
			&l->ask->arena, "%.*s and %zu more", (int)len, first, n - 1));
	else if (n)
		cells[TRACES] = mer_text(mer_arena_strndup(&l->ask->arena, first, len));
	if (about)
		cells[HOSTS] = MER_INT(count_lines(about, "host: ", &first, &len));
	free(about);
}

static const char *state_of(struct listing *l, const struct store_entry *e, const char *path)
{
	struct mer_err err;
	if (e->is_unfinished)
		return "unfinished";
	if (!l->check || e->what != STORE_CACHED_WORLD)
		return NULL;
	if (store_check(path, &err) == 0)
		return "good";
	l->n_damaged++;
	return "damaged";
}

static void add_entry(struct listing *l, struct mer_table *t, const struct store_entry *e)
{
	static const char *const kinds[STORE_N_CACHED] = {
		[STORE_CACHED_SYNC] = "clocks",
		[STORE_CACHED_WORLD] = "store",
		[STORE_CACHED_READ] = "read",
		[STORE_CACHED_ANSWER] = "answer",
		[STORE_CACHED_COPY] = "copy",
		[STORE_CACHED_FORMER] = "former",
	};
	struct mer_cell cells[N_COLUMNS] = { 0 };
	const char *path = path_of(l->ask, l->dir, e->name);
	if (!path) {
		t->failed = true;
		return;
	}
	cells[KIND] = mer_text(kinds[e->what]);
	cells[USED] = MER_INT(e->used * 1000000000);
	cells[BYTES] = MER_INT(e->bytes);
	cells[STATE] = mer_text(state_of(l, e, path));
	cells[FILE_NAME] = mer_text(path);
	if (e->what == STORE_CACHED_WORLD && !e->is_unfinished)
		add_about(l, path, cells);
	mer_table_add(t, cells);
}

static int list(struct listing *l)
{
	struct mer_table t;
	mer_table_init(&t, "cache", NULL, columns, &l->ask->arena);
	bool any_state = l->check;
	for (size_t i = 0; i < l->n; i++) {
		any_state |= l->entries[i].is_unfinished;
		add_entry(l, &t, &l->entries[i]);
	}
	if (!any_state)
		mer_table_hide(&t, STATE);
	int rc = ask_table_print(l->ask, &t);
	mer_table_fini(&t);
	if (rc == 0 && l->n == 0)
		ask_note(l->ask, "the cache is empty: %s", l->dir);
	if (rc == 0 && l->n_damaged) {
		ask_warn(l->ask,
			"%zu %s damaged: each is made again when it is next used; remove all with 'meridian cache clear'",
			l->n_damaged, mer_plural(l->n_damaged, "store is", "stores are"));
		return ASK_CONDITION;
	}
	return rc;
}

/* ---- clear ---- */

static int clear(struct listing *l)
{
	enum { REMOVED_FILES, REMOVED_BYTES, N_REMOVED };
	static const struct mer_column removed_columns[N_REMOVED + 1] = {
		[REMOVED_FILES] = { "files", "files", MER_COUNT },
		[REMOVED_BYTES] = { "bytes", "size", MER_BYTES },
	};
	struct mer_table t;
	uint64_t bytes = 0;
	int rc = 0;
	for (size_t i = 0; i < l->n && rc == 0; i++) {
		rc = store_cache_remove(l->dir, &l->entries[i], &l->ask->err);
		bytes += l->entries[i].bytes;
	}
	if (rc)
		return rc;
	mer_table_init(&t, "removed", "Removed", removed_columns, NULL);
	mer_table_add(&t, (struct mer_cell[N_REMOVED]){
				  [REMOVED_FILES] = MER_INT(l->n),
				  [REMOVED_BYTES] = MER_INT(bytes),
			  });
	rc = ask_table_print(l->ask, &t);
	mer_table_fini(&t);
	return rc;
}

static int run(struct ask *ask, const void *values)
{
	const char *what = ask->args[0];
	struct listing l = { .ask = ask, .dir = ask_cache_folder(ask) };
	(void)values;
	if (ask_choice_index(ask->verb->args, what, strlen(what)) < 0)
		return mer_fail(&ask->err, MER_ERR_USAGE, "'%.100s' is not one of %s", what,
			ask->verb->args);
	if (!l.dir)
		return mer_fail(&ask->err, MER_ERR_SYS,
			"there is no cache folder: neither HOME nor XDG_CACHE_HOME is set");
	l.check = strcmp(what, "check") == 0;
	int rc = store_cache_list(l.dir, &l.entries, &l.n, &ask->err);
	if (rc == 0)
		rc = strcmp(what, "clear") == 0 ? clear(&l) : list(&l);
	free(l.entries);
	return rc;
}

const struct ask_verb cli_verb_cache = {
	.name = "cache",
	.help = "list, check or remove what is kept between runs",
	.is_aside = true,
	.synopsis = "list|check|clear",
	.description =
		"Results that take long are kept in $XDG_CACHE_HOME/meridian (~/.cache/meridian): "
		"how the clocks of hosts are aligned, copies as CTF of what is not "
		"(perf.data, trace.dat, pages and text of ftrace, captures of packets, OTF2 "
		"archives), and stores: what is known of traces, made for the second question "
		"about them (of 4 MB or more; of any with --store), for which the first one leaves "
		"a mark. Later questions are answered from it, unless --no-store is given.\n\n"
		"list prints what there is, the latest used first. check compares the checksums "
		"of all stores; exit status 1 says that one is damaged. clear removes everything: "
		"it is made again when it is needed.",
	.more = "A store has what tasks did, what they used, and the facts that tables are made "
		"of. It is used as long as no file of the traces changes, by the build of meridian that "
		"made it; traces that changed, and another build, get a new one. Where a store is damaged, the traces are read "
		"instead, and it is removed.\n\n"
		"What was not used for 30 days is removed, and the longest unused stores when "
		"there are more than 32, or more than 32 GiB. Several processes may use the cache "
		"at a time.",
	.formats = "table|json|jsonl|csv",
	.uses = ASK_USES_FORMAT | ASK_USES_TABLES,
	.min_args = 1,
	.max_args = 1,
	.args = "list|check|clear",
	.examples = {
		{ "meridian cache list", "What is there, and how large it is." },
		{ "meridian cache check", "Is any store damaged?" },
	},
	.run = run,
};
