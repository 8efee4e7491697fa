/* Resources: the CPUs of all hosts, and what ran on them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "server/tsp/lanes.h"
#include "session/instant.h"
#include "trace/experiment.h"

int tsp_cpus_tree(struct tsp *t, struct mer_err *err)
{
	static const struct tsp_header headers[] = { { "Resource", NULL, NULL } };
	const struct mer_experiment *e = tsp_experiment_of(t);
	const struct session_selection all = { 0 };
	struct session_lanes l = { 0 };
	struct session_world w;
	int rc = tsp_world(t, &w, err);
	if (rc == 0)
		rc = session_lanes_of_cpus(&w, &all, &t->arena, &l, err);
	tsp_begin_tree(&t->j, headers, 1, -1);
	for (uint32_t h = 0; rc == 0 && h < e->n_hosts && h < TSP_MAX_HOSTS; h++) {
		const char *host = e->hosts[h].name;
		tsp_begin_entry(
			&t->j, tsp_entry(TSP_HOST, h, 0), -1, &host, 1, e->begin, e->end, false);
		mer_json_end_object(&t->j);
		for (size_t i = 0; i < l.n; i++) {
			char name[32];
			const char *label = name;
			if (l.item[i].host != h)
				continue;
			snprintf(name, sizeof(name), "CPU %" PRIu32, l.item[i].number);
			tsp_begin_entry(&t->j, tsp_entry(TSP_CPU, h, l.item[i].number),
				tsp_entry(TSP_HOST, h, 0), &label, 1, e->begin, e->end, true);
			mer_json_kv_object(&t->j, "metadata");
			mer_json_kv_array(&t->j, "cpu");
			mer_json_uint(&t->j, l.item[i].number);
			mer_json_end_array(&t->j);
			mer_json_end_object(&t->j);
			mer_json_end_object(&t->j);
		}
	}
	tsp_end_tree(&t->j);
	session_lanes_fini(&l);
	return rc;
}

int tsp_cpus_states(struct tsp *t, struct mer_err *err)
{
	const struct session_selection all = { 0 };
	struct session_lanes l = { 0 };
	struct session_world w;
	int rc = tsp_world(t, &w, err);
	if (rc == 0 && !t->q.has_items)
		rc = session_lanes_of_cpus(&w, &all, &t->arena, &l, err);
	if (rc == 0)
		rc = tsp_lanes_asked(t, &w, TSP_CPU, &l, err);
	if (rc == 0)
		rc = tsp_put_lanes(t, &w, &l, err);
	session_lanes_fini(&l);
	return rc;
}
