#include "cli/worlds.h"

#include "cli/progress.h"
#include "cli/sync_traces.h"
#include "cli/traces.h"

static int build(struct cli *cli, struct cli_world *w, struct sync_messages *messages, bool observe)
{
	struct cli_progress progress;
	struct kernel_window window = { .from = w->states.from, .until = w->until };
	int64_t end;
	bool is_part = !messages;
	cli_progress_begin(&progress, cli, "reading", w->e->bytes);
	cli_world_window(cli, w, &window.begin, &end);
	struct kernel_world_options o = { .n_threads = cli_jobs(cli),
		.cancel = &cli->cancel,
		.done_bytes = &progress.done_bytes,
		.observers = observe ? usage_observers(w->usage) : NULL,
		.window = is_part ? &window : NULL,
		.drop = messages };
	if (!is_part) {
		cli_states_open(&w->states, w->e, w->r, kernel_checkpoint_kind(&o, true));
		cli_states_keep(&w->states, w->e);
		o.keeper = w->states.keeper;
	}
	int rc = kernel_world_build(w->e, messages, w->r, &o, &w->world, &cli->err);
	if (rc == MER_ERR_INPUT && is_part)
		cli_states_drop(&w->states);
	/* Observers have no more to say than that they failed. */
	if (rc == MER_ERR_NOMEM)
		rc = mer_fail_nomem(&cli->err);
	if (rc == 0 && !is_part)
		cli_states_save(&w->states, w->world);
	cli_progress_end(&progress);
	return rc;
}

static int open_traces(struct cli *cli, struct cli_world *w)
{
	*w = (struct cli_world){ .until = INT64_MAX };
	cli->synced = NULL;
	return cli_traces_open(cli, &w->e);
}

static int read_all(struct cli *cli, struct cli_world *w, bool with_usage, bool observe)
{
	struct sync_messages messages = { 0 };
	int rc = cli_traces_sync_keep(cli, w->e, &messages, &w->r);
	w->synced = cli->synced;
	if (rc == 0 && with_usage)
		rc = usage_new(w->e->n_hosts, w->e->spill, &w->usage, &cli->err);
	if (rc == 0)
		rc = build(cli, w, &messages, observe);
	if (rc == 0 && with_usage)
		rc = usage_settle(w->usage, w->world, &cli->err);
	sync_messages_free(&messages);
	return rc;
}

int cli_world_open(struct cli *cli, struct cli_world *w)
{
	int rc = open_traces(cli, w);
	return rc ? rc : read_all(cli, w, false, false);
}

int cli_world_open_used(struct cli *cli, struct cli_world *w, bool all)
{
	int rc = open_traces(cli, w);
	return rc ? rc : read_all(cli, w, true, all);
}

/* Is there anything from which only a part can be read? */
static bool find_states(struct cli *cli, struct cli_world *w)
{
	struct sync_result *r;
	if (!cli_traces_sync_known(cli, w->e, &r))
		return false;
	cli_states_open(&w->states, w->e, r, KERNEL_KEPT_PACKETS | KERNEL_KEPT_SPANS);
	sync_result_free(r);
	return w->states.from != NULL;
}

/* At least so much is read after the window: most waits end soon. */
enum { SOON_NS = 10000000 };

int cli_world_open_part(struct cli *cli, struct cli_world *w)
{
	int64_t begin, end;
	bool is_part = cli->begin.kind != CLI_MOMENT_NONE || cli->end.kind != CLI_MOMENT_NONE;
	int rc = open_traces(cli, w);
	if (rc)
		return rc;
	if (!is_part || !find_states(cli, w)) {
		cli_states_close(&w->states);
		return read_all(cli, w, false, false);
	}
	rc = cli_traces_sync_result(cli, w->e, &w->r);
	w->synced = cli->synced;
	if (rc)
		return rc;
	cli_world_window(cli, w, &begin, &end);
	w->until = end < w->e->end - SOON_NS ? end + SOON_NS : INT64_MAX;
	return build(cli, w, NULL, false);
}

int cli_world_read_on(struct cli *cli, struct cli_world *w)
{
	int64_t begin, end, more;
	cli_world_window(cli, w, &begin, &end);
	if (begin < w->e->begin)
		begin = w->e->begin;
	more = w->until - begin;
	kernel_world_free(w->world);
	w->world = NULL;
	w->until = w->until < w->e->end - more ? w->until + more : INT64_MAX;
	return build(cli, w, NULL, false);
}

void cli_world_close(struct cli *cli, struct cli_world *w)
{
	usage_free(w->usage);
	kernel_world_free(w->world);
	cli_states_close(&w->states);
	sync_result_free(w->r);
	cli_traces_close(cli, w->e);
	*w = (struct cli_world){ 0 };
}

void cli_world_window(
	const struct cli *cli, const struct cli_world *w, int64_t *begin, int64_t *end)
{
	*begin = cli_moment_resolve(&cli->begin, w->e->begin, w->e->end, INT64_MIN);
	*end = cli_moment_resolve(&cli->end, w->e->begin, w->e->end, INT64_MAX);
}
