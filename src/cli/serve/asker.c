#include "cli/serve/asker.h"

#include <stdlib.h>
#include <time.h>

struct ask_asker cli_asker(const struct ask *ask)
{
	return (struct ask_asker){ .program = ask->program,
		.traces = ask->args,
		.n_traces = ask->n_args,
		.sync = ask->sync,
		.vms = ask->vms,
		.views = ask->views,
		.jobs = ask->jobs,
		/* What is asked for here is seen elsewhere. */
		.width = ask->out_is_terminal ? 0 : ask->width,
		.ascii = ask->ascii };
}

const char *cli_surroundings(struct ask *ask)
{
	const char *zone = getenv("TZ");
	tzset();
	return mer_arena_printf(&ask->arena, "%s %s %s %ld %d %d", zone ? zone : "", tzname[0],
		tzname[1], timezone, ask_width(ask), ask->ascii);
}
