#include "cli/places.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/options.h"

/* Enough for ten million events of a kernel, which then are as fast as memory. */
enum { MEMORY_MIB = 512 };

const char *cli_cache_folder(struct cli *cli)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base && base[0] == '/') /* the specification wants relative ones ignored */
		return mer_arena_printf(&cli->arena, "%s/meridian", base);
	if (home && home[0] == '/')
		return mer_arena_printf(&cli->arena, "%s/.cache/meridian", home);
	return NULL;
}

const char *cli_state_folder(struct cli *cli)
{
	const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (base && base[0] == '/')
		return mer_arena_printf(&cli->arena, "%s/meridian", base);
	if (home && home[0] == '/')
		return mer_arena_printf(&cli->arena, "%s/.local/state/meridian", home);
	return NULL;
}

int cli_spill_options(struct cli *cli, const struct mer_spill_options **options)
{
	const char *memory = getenv("MERIDIAN_MEMORY"), *temporary = getenv("TMPDIR");
	const char *cache = cli_cache_folder(cli);
	uint64_t bytes = (uint64_t)MEMORY_MIB << 20;
	struct mer_spill_options *o = mer_arena_zalloc(&cli->arena, 1, sizeof(*o));
	const char **folders = mer_arena_zalloc(&cli->arena, 3, sizeof(*folders));
	if (!o || !folders)
		return mer_fail_nomem(&cli->err);
	if (memory && *memory) {
		int rc = cli_parse_size(cli, "MERIDIAN_MEMORY", memory, &bytes);
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

void cli_spill_report(struct cli *cli, const struct mer_experiment *e)
{
	const char *problem = mer_spill_problem(e->spill);
	struct mer_spill_use use = mer_spill_use(e->spill);
	if (problem)
		cli_warn(cli,
			"%s; %" PRIu64
			" MiB more than MERIDIAN_MEMORY allows were kept in memory; set TMPDIR to a folder on a disk with enough space",
			problem, use.most_beyond >> 20);
	else if (use.folder && cli->verbose)
		cli_note(cli, "%" PRIu64 " MiB of data were in a temporary file in %s",
			use.most_in_file >> 20, use.folder);
}
