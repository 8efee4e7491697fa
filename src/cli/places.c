#include "cli/places.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/options.h"

/* Enough for ten million events of a kernel, which then are as fast as memory. */
enum { MEMORY_MIB = 512 };

bool cli_cache_folder(char path[CLI_PLACE_BYTES])
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = 0;
	if (base && base[0] == '/') /* the specification wants relative ones ignored */
		n = snprintf(path, CLI_PLACE_BYTES, "%s/meridian", base);
	else if (home && home[0] == '/')
		n = snprintf(path, CLI_PLACE_BYTES, "%s/.cache/meridian", home);
	return n > 0 && n < CLI_PLACE_BYTES;
}

int cli_spill_begin(struct cli *cli, struct mer_experiment *e)
{
	const char *memory = getenv("MERIDIAN_MEMORY"), *temporary = getenv("TMPDIR");
	const char *folders[3];
	char cache[CLI_PLACE_BYTES];
	uint64_t bytes = (uint64_t)MEMORY_MIB << 20;
	struct mer_spill_options o = { .folders = folders };
	if (memory && *memory) {
		int rc = cli_parse_size(cli, "MERIDIAN_MEMORY", memory, &bytes);
		if (rc)
			return rc;
	}
	o.in_memory = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	if (temporary && temporary[0] == '/')
		folders[o.n_folders++] = temporary;
	if (cli_cache_folder(cache))
		folders[o.n_folders++] = cache;
	folders[o.n_folders++] = "/var/tmp";
	e->spill = mer_spill_new(&o);
	return e->spill ? 0 : mer_fail_nomem(&cli->err);
}

void cli_spill_report(struct cli *cli, const struct mer_experiment *e)
{
	const char *problem = mer_spill_problem(e->spill);
	struct mer_spill_use use = mer_spill_use(e->spill);
	if (problem)
		cli_warn(cli,
			"%s; %" PRIu64 " MiB more than MERIDIAN_MEMORY allows were kept in memory; "
			"set TMPDIR to a folder on a disk with enough space",
			problem, use.most_beyond >> 20);
	else if (use.folder && cli->verbose)
		cli_note(cli, "%" PRIu64 " MiB of data were in a temporary file in %s",
			use.most_in_file >> 20, use.folder);
}
