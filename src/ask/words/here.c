#include "ask/words/here.h"

#include <glob.h>

/* A trace, the session of a host (kernel/, ust/uid/1000/64-bit/), a folder of hosts. Deeper ones
 * are not looked for: this may be somebody's home, and all of it would be read. */
static const char *const patterns[] = { "metadata", "*.otf2", "*/metadata", "ust/uid/*/*/metadata",
	"*/kernel/metadata", "*/ust/uid/*/*/metadata" };

bool ask_here_has_traces(void)
{
	bool is_there = false;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns) && !is_there; i++) {
		glob_t found;
		is_there = glob(patterns[i], GLOB_NOSORT, NULL, &found) == 0;
		globfree(&found);
	}
	return is_there;
}

bool ask_here_add(struct ask *ask)
{
	if (!ask_here_has_traces())
		return false;
	const char **args = mer_arena_zalloc(&ask->arena, ask->n_args + 1, sizeof(*args));
	if (!args)
		return false;
	for (size_t i = 0; i < ask->n_args; i++)
		args[i] = ask->args[i];
	args[ask->n_args++] = ".";
	ask->args = args;
	ask_note(ask, "no traces were named: these are the ones in the current folder");
	return true;
}
