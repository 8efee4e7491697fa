#include "cli/here.h"

#include <glob.h>

/* A trace, the session of a host (kernel/, ust/uid/1000/64-bit/), a folder of hosts. Deeper ones
 * are not looked for: this may be somebody's home, and all of it would be read. */
static const char *const patterns[] = { "metadata", "*.otf2", "*/metadata", "ust/uid/*/*/metadata",
	"*/kernel/metadata", "*/ust/uid/*/*/metadata" };

bool cli_here_has_traces(void)
{
	bool is_there = false;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns) && !is_there; i++) {
		glob_t found;
		is_there = glob(patterns[i], GLOB_NOSORT, NULL, &found) == 0;
		globfree(&found);
	}
	return is_there;
}

bool cli_here_add(struct cli *cli)
{
	if (!cli_here_has_traces())
		return false;
	const char **args = mer_arena_zalloc(&cli->arena, cli->n_args + 1, sizeof(*args));
	if (!args)
		return false;
	for (size_t i = 0; i < cli->n_args; i++)
		args[i] = cli->args[i];
	args[cli->n_args++] = ".";
	cli->args = args;
	cli_note(cli, "no traces were named: these are the ones in the current folder");
	return true;
}
