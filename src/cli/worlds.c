#include "cli/worlds.h"

#include "cli/progress.h"
#include "cli/sync_traces.h"
#include "cli/traces.h"

static int build(struct cli *cli, struct cli_world *w, struct sync_messages *messages,
	const struct sync_result *r, bool observe)
{
	struct cli_progress progress;
	cli_progress_begin(&progress, cli, "reading", w->e->bytes);
	struct kernel_world_options o = { .n_threads = cli_jobs(cli),
		.cancel = &cli->cancel,
		.done_bytes = &progress.done_bytes,
		.observers = observe ? usage_observers(w->usage) : NULL,
		.drop = messages };
	int rc = kernel_world_build(w->e, messages, r, &o, &w->world, &cli->err);
	/* Observers have no more to say than that they failed. */
	if (rc == MER_ERR_NOMEM)
		rc = mer_fail_nomem(&cli->err);
	cli_progress_end(&progress);
	return rc;
}

static int open_world(struct cli *cli, struct cli_world *w, bool with_usage, bool observe)
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
	if (rc == 0 && with_usage)
		rc = usage_new(w->e->n_hosts, w->e->spill, &w->usage, &cli->err);
	if (rc == 0)
		rc = build(cli, w, &messages, r, observe);
	if (rc == 0 && with_usage)
		rc = usage_settle(w->usage, w->world, &cli->err);
	sync_result_free(r);
	sync_messages_free(&messages);
	return rc;
}

int cli_world_open(struct cli *cli, struct cli_world *w)
{
	return open_world(cli, w, false, false);
}

int cli_world_open_used(struct cli *cli, struct cli_world *w, bool all)
{
	return open_world(cli, w, true, all);
}

void cli_world_close(struct cli *cli, struct cli_world *w)
{
	usage_free(w->usage);
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
