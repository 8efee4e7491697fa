#include "cli/worlds.h"

#include "cli/progress.h"
#include "cli/sync_traces.h"
#include "cli/traces.h"

int cli_world_open(struct cli *cli, struct cli_world *w)
{
	struct sync_messages messages = { 0 };
	struct sync_result *r = NULL;
	*w = (struct cli_world){ 0 };
	cli->synced = NULL;
	int rc = cli_traces_open(cli, &w->e);
	if (rc)
		return rc;
	rc = cli_traces_sync_keep(cli, w->e, &messages, &r);
	w->synced = cli->synced;
	if (rc == 0) {
		struct cli_progress progress;
		cli_progress_begin(&progress, cli, "reading", w->e->bytes);
		struct kernel_world_options o = { .n_threads = cli_jobs(cli),
			.cancel = &cli->cancel,
			.done_bytes = &progress.done_bytes };
		rc = kernel_world_build(w->e, &messages, r, &o, &w->world, &cli->err);
		cli_progress_end(&progress);
	}
	sync_result_free(r);
	sync_messages_free(&messages);
	return rc;
}

void cli_world_close(struct cli *cli, struct cli_world *w)
{
	kernel_world_free(w->world);
	cli_traces_close(cli, w->e);
	*w = (struct cli_world){ 0 };
}

void cli_world_window(
	const struct cli *cli, const struct cli_world *w, int64_t *begin, int64_t *end)
{
	*begin = cli_moment_resolve(&cli->begin, w->e->begin, w->e->end, INT64_MIN);
	*end = cli_moment_resolve(&cli->end, w->e->begin, w->e->end, INT64_MAX);
}
