#include "cli/traces.h"

#include <inttypes.h>
#include <string.h>
#include "base/diag_json.h"
#include "base/glob.h"
#include "cli/places.h"

/* A host that no trace has is a mistake in the command line, not an empty result. */
static int check_hosts(struct cli *cli, const struct mer_experiment *e)
{
	for (size_t i = 0; i < cli->hosts.n; i++) {
		bool found = false;
		for (uint32_t h = 0; h < e->n_hosts && !found; h++)
			found = mer_glob(cli->hosts.item[i], e->hosts[h].name);
		if (found)
			continue;
		char names[512] = "";
		size_t n = 0;
		for (uint32_t h = 0; h < e->n_hosts && n < sizeof(names) - 80; h++)
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.64s",
				h ? ", " : "", e->hosts[h].name);
		return mer_fail(&cli->err, MER_ERR_USAGE,
			"--host: the traces have no host '%.100s'; they have: %s",
			cli->hosts.item[i], names);
	}
	return 0;
}

/* The least CPU from first on that a stream is of; -1: there is none. */
static int64_t next_cpu(const struct mer_experiment *e, uint64_t first)
{
	int64_t least = -1;
	for (uint32_t i = 0; i < e->n_streams; i++) {
		int64_t cpu = e->streams[i].cpu;
		if (cpu >= 0 && (uint64_t)cpu >= first && (least < 0 || cpu < least))
			least = cpu;
	}
	return least;
}

/* "0-3, 8" */
static void put_cpus(struct mer_str *out, const struct mer_experiment *e)
{
	enum { RUNS = 20 };
	int64_t cpu = next_cpu(e, 0);
	for (int i = 0; cpu >= 0 && i < RUNS; i++) {
		int64_t last = cpu, next;
		while ((next = next_cpu(e, (uint64_t)last + 1)) == last + 1)
			last = next;
		mer_str_printf(out, "%s%" PRId64, i ? ", " : "", cpu);
		if (last > cpu)
			mer_str_printf(out, "-%" PRId64, last);
		cpu = next;
	}
	mer_str_puts(out, cpu >= 0 ? ", ..." : "");
}

/* The same of a CPU that no host has; of a range one that is there is enough. Where no stream says of which
 * CPU it is, nobody knows. */
static int check_cpus(struct cli *cli, const struct mer_experiment *e)
{
	bool known = next_cpu(e, 0) >= 0;
	for (size_t i = 0; i < cli->cpus.n && known; i++) {
		const struct cli_range *r = &cli->cpus.item[i];
		int64_t there = next_cpu(e, r->first);
		struct mer_str cpus = { 0 };
		if (there >= 0 && (uint64_t)there <= r->last)
			continue;
		put_cpus(&cpus, e);
		int rc = mer_fail(&cli->err, MER_ERR_USAGE,
			"--cpu: the traces have no CPU %" PRIu64 "; they have: %s", r->first,
			cpus.data ? cpus.data : "none");
		mer_str_fini(&cpus);
		return rc;
	}
	return 0;
}

int cli_traces_open(struct cli *cli, struct mer_experiment **e)
{
	struct mer_open_options o = {
		.keep_offsets = cli->sync && strcmp(cli->sync, "none") == 0,
		.ignore_uuid = cli->ignore_uuid,
	};
	int rc = mer_experiment_open(cli->args, cli->n_args, &o, e, &cli->err);
	if (rc)
		return rc;
	rc = cli_spill_begin(cli, *e);
	if (rc == 0)
		rc = check_hosts(cli, *e);
	if (rc == 0)
		rc = check_cpus(cli, *e);
	if (rc) {
		mer_experiment_free(*e);
		*e = NULL;
	}
	return rc;
}

void cli_traces_close(struct cli *cli, struct mer_experiment *e)
{
	if (!e)
		return;
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(e, &n);
	/* What was asked for comes before what is to be said about it, also on a terminal. */
	fflush(cli->out);
	cli_report(cli, rows, n);
	cli_spill_report(cli, e);
	mer_experiment_free(e);
}

bool cli_host_wanted(const struct cli *cli, const char *host)
{
	for (size_t i = 0; i < cli->hosts.n; i++)
		if (mer_glob(cli->hosts.item[i], host))
			return true;
	return cli->hosts.n == 0;
}

bool cli_trace_wanted(const struct cli *cli, const struct mer_experiment *e, uint32_t trace)
{
	return cli_host_wanted(cli, e->hosts[e->traces[trace].host].name);
}

bool cli_stream_wanted(const struct cli *cli, const struct mer_experiment *e, uint32_t stream)
{
	return cli_trace_wanted(cli, e, e->streams[stream].trace);
}

void cli_json_time(struct mer_json *j, const char *key, int64_t t)
{
	if (t == MER_NO_TIME)
		mer_json_kv_null(j, key);
	else
		mer_json_kv_int(j, key, t);
}

void cli_json_known(struct mer_json *j, const char *key, const char *text)
{
	mer_json_kv_text(j, key, text && text[0] ? text : NULL);
}

void cli_json_diagnostics(struct mer_json *j, const struct mer_experiment *e)
{
	size_t n;
	const struct mer_diag *rows = mer_diagnostics(e, &n);
	mer_json_kv_array(j, "diagnostics");
	for (size_t i = 0; i < n; i++)
		mer_diag_json(&rows[i], j);
	mer_json_end_array(j);
}
