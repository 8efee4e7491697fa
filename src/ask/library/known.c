/* What is known of the traces without reading their events. */
#include <stdlib.h>

#include "ask/library/api.h"
#include "base/err.h"
#include "session/capabilities.h"
#include "trace/extent.h"

int mer_session_hosts(struct mer_session *s, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	enum { HOST, ID, TRACES, BEGIN, END, N };
	static const struct mer_column columns[N + 1] = {
		[HOST] = { "host", "Host", MER_TEXT },
		[ID] = { "id", NULL, MER_TEXT },
		[TRACES] = { "traces", "Traces", MER_COUNT },
		[BEGIN] = { "begin", "Begin", MER_DATE },
		[END] = { "end", "End", MER_DATE },
	};
	int rc = api_begin_table(s, "hosts", "Hosts", columns, result, err);
	if (rc)
		return rc;
	const struct mer_experiment *e = session_experiment(s->session);
	for (uint32_t h = 0; h < e->n_hosts; h++) {
		struct trace_extent x = trace_extent_of_host(e, h);
		mer_table_add(
			&(*result)->own, (struct mer_cell[N]){
						 [HOST] = mer_text(e->hosts[h].name),
						 [ID] = mer_text(e->hosts[h].id),
						 [TRACES] = MER_INT(e->hosts[h].n_traces),
						 [BEGIN] = mer_int_unless(x.begin, MER_NO_TIME),
						 [END] = mer_int_unless(x.end, MER_NO_TIME),
					 });
	}
	return api_end(result, 0, err);
}

/* ---- Capabilities ---- */

enum { C_HOST, C_ANALYSIS, C_IDS, C_POSSIBLE, C_MISSING, N_CAPABILITY };

static void add_capability(
	struct mer_table *t, const struct capability *a, const struct capability_host *h)
{
	static const char *const words[] = {
		[CAPABILITY_NO] = "no", [CAPABILITY_PARTLY] = "partly", [CAPABILITY_YES] = "yes"
	};
	bool lacking[CAPABILITY_N_EVENTS] = { 0 };
	struct mer_str missing = { 0 };
	enum capability_possible possible = capability_judge(a, h, lacking);
	for (int i = CAPABILITY_NOTHING + 1; i < CAPABILITY_N_EVENTS; i++)
		if (lacking[i])
			mer_str_printf(&missing, "%s%s", missing.len ? " " : "",
				capability_event_name((enum capability_event)i));
	mer_table_add(t, (struct mer_cell[N_CAPABILITY]){
				 [C_HOST] = mer_text(h->name),
				 [C_ANALYSIS] = mer_text(a->name),
				 [C_IDS] = mer_text(a->ids),
				 [C_POSSIBLE] = mer_text(words[possible]),
				 [C_MISSING] = missing.len ? mer_table_keep(t, &missing) : MER_NONE,
			 });
	mer_str_fini(&missing);
}

int mer_session_capabilities(struct mer_session *s, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	static const struct mer_column columns[N_CAPABILITY + 1] = {
		[C_HOST] = { "host", "Host", MER_TEXT },
		[C_ANALYSIS] = { "analysis", "Analysis", MER_TEXT },
		[C_IDS] = { "ids", NULL, MER_TEXT },
		[C_POSSIBLE] = { "possible", "Possible", MER_TEXT },
		[C_MISSING] = { "missing", "Missing", MER_TEXT },
	};
	int rc = api_begin_table(s, "capabilities", "Capabilities", columns, result, err);
	if (rc)
		return rc;
	const struct mer_experiment *e = session_experiment(s->session);
	struct capability_host *hosts = calloc(e->n_hosts + 1, sizeof(*hosts));
	if (!hosts)
		return api_end(result, mer_fail_nomem(err), err);
	capability_declared(e, hosts);
	for (uint32_t h = 0; h < e->n_hosts; h++)
		for (const struct capability *a = capabilities(); a->name; a++)
			if (capability_concerns(a, &hosts[h]))
				add_capability(&(*result)->own, a, &hosts[h]);
	free(hosts);
	return api_end(result, 0, err);
}

/* ---- Diagnostics ---- */

static struct mer_cell copy(struct mer_table *t, const char *text)
{
	const char *s = text ? mer_arena_strdup(t->arena, text) : NULL;
	t->failed |= text && !s;
	return mer_text(s);
}

int api_diagnostics(
	const struct mer_diag *d, size_t n, struct mer_result **result, struct mer_err *err)
{
	enum { SEVERITY, CODE, HOST, PATH, COUNT, REMEDY, MESSAGE, N };
	static const struct mer_column columns[N + 1] = {
		[SEVERITY] = { "severity", "Severity", MER_TEXT },
		[CODE] = { "code", "Code", MER_TEXT },
		[HOST] = { "host", "Host", MER_TEXT },
		[PATH] = { "path", "Path", MER_TEXT },
		[COUNT] = { "count", "Count", MER_COUNT },
		[REMEDY] = { "remedy", NULL, MER_TEXT },
		[MESSAGE] = { "message", "Message", MER_TEXT },
	};
	static const char *const severities[] = {
		[MER_NOTE] = "note", [MER_WARNING] = "warning", [MER_ERROR] = "error"
	};
	int rc = api_new_result("diagnostics", "Diagnostics", columns, result, err);
	if (rc)
		return rc;
	struct mer_table *t = &(*result)->own;
	for (size_t i = 0; i < n; i++)
		mer_table_add(t, (struct mer_cell[N]){
					 [SEVERITY] = mer_text(severities[d[i].severity]),
					 [CODE] = copy(t, d[i].code),
					 [HOST] = copy(t, d[i].host),
					 [PATH] = copy(t, d[i].path),
					 [COUNT] = MER_INT(d[i].count),
					 [REMEDY] = mer_text(mer_remedy_name(d[i].remedy)),
					 [MESSAGE] = copy(t, d[i].message),
				 });
	return api_end(result, 0, err);
}

int mer_session_diagnostics(struct mer_session *s, struct mer_result **result, struct mer_err *err)
{
	API_ERR(err);
	int rc = api_begin(s, result, err);
	if (rc)
		return rc;
	size_t n;
	const struct mer_diag *d = trace_findings(session_experiment(s->session), &n);
	return api_diagnostics(d, n, result, err);
}
