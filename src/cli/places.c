#include "cli/places.h"

#include <stdlib.h>

#include "ask/words/options.h"

/* Enough for ten million events of a kernel, which then are as fast as memory. */
enum { MEMORY_MIB = 512 };

const char *cli_cache_folder(struct ask *ask)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base && base[0] == '/') /* the specification wants relative ones ignored */
		return mer_arena_printf(&ask->arena, "%s/meridian", base);
	if (home && home[0] == '/')
		return mer_arena_printf(&ask->arena, "%s/.cache/meridian", home);
	return NULL;
}

const char *cli_state_folder(struct ask *ask)
{
	const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (base && base[0] == '/')
		return mer_arena_printf(&ask->arena, "%s/meridian", base);
	if (home && home[0] == '/')
		return mer_arena_printf(&ask->arena, "%s/.local/state/meridian", home);
	return NULL;
}

int cli_spill_options(struct ask *ask, const struct mer_spill_options **options)
{
	const char *memory = getenv("MERIDIAN_MEMORY"), *temporary = getenv("TMPDIR");
	const char *cache = cli_cache_folder(ask);
	uint64_t bytes = (uint64_t)MEMORY_MIB << 20;
	struct mer_spill_options *o = mer_arena_zalloc(&ask->arena, 1, sizeof(*o));
	const char **folders = mer_arena_zalloc(&ask->arena, 3, sizeof(*folders));
	if (!o || !folders)
		return mer_fail_nomem(&ask->err);
	if (memory && *memory) {
		int rc = ask_parse_size(ask, "MERIDIAN_MEMORY", memory, &bytes);
		if (rc)
			return rc;
	}
	o->in_memory = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	o->folders = folders;
	if (temporary && temporary[0] == '/')
		folders[o->n_folders++] = temporary;
	if (cache)
		folders[o->n_folders++] = cache;
	folders[o->n_folders++] = "/var/tmp";
	*options = o;
	return 0;
}
