/* Outputs: what can be looked at. Ids are those of Trace Compass where it has such a view, as
 * viewers look for them; others begin with "meridian.". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "server/tsp/state.h"
#include "server/tsp/tsp.h"
#include "trace/experiment.h"

#define OF_LINUX "org.eclipse.tracecompass.internal.analysis.os.linux.core."
#define CRITICAL                                                                                   \
	"org.eclipse.tracecompass.analysis.graph.core.dataprovider.CriticalPathDataProvider"
#define TASK_TYPE "meridian.task"

#define DURATIONS(analysis, title, about)                                                          \
	{                                                                                          \
		.id = TSP_DURATIONS analysis, .name = title, .help = about,                        \
		.type = "TREE_GENERIC_XY", .tree = tsp_durations_tree, .xy = tsp_durations_xy,     \
		.generic_xy = tsp_durations_xy /* both ask for the series that there are */        \
	}

#define LATENCIES(analysis, title, about)                                                          \
	{                                                                                          \
		.id = TSP_LATENCIES analysis, .name = title, .help = about,                        \
		.type = "TREE_TIME_XY", .tree = tsp_latencies_tree, .xy = tsp_latencies_xy         \
	}

/* The tables of the program (tables.c) follow these. */
static const struct tsp_output fixed[] = {
	{ .id = "org.eclipse.tracecompass.internal.tmf.core.histogram.HistogramDataProvider",
		.name = "Histogram",
		.help = "Events over time, of all hosts",
		.type = "TREE_TIME_XY",
		.tree = tsp_histogram_tree,
		.xy = tsp_histogram_xy },
	{ .id = OF_LINUX "threadstatus.ThreadStatusDataProvider",
		.name = "Thread Status",
		.help = "What the threads of all hosts did, on one clock",
		.type = "TIME_GRAPH",
		.tree = tsp_threads_tree,
		.states = tsp_threads_states,
		.arrows = tsp_threads_arrows,
		.tooltip = tsp_threads_tooltip,
		.style = tsp_lane_style,
		.marks = tsp_loss_marks },
	{ .id = OF_LINUX "threadstatus.ResourcesStatusDataProvider",
		.name = "Resources Status",
		.help = "What ran on the CPUs of all hosts",
		.type = "TIME_GRAPH",
		.tree = tsp_cpus_tree,
		.states = tsp_cpus_states,
		.tooltip = tsp_cpus_tooltip,
		.style = tsp_lane_style,
		.marks = tsp_cpu_loss_marks },
	{ .id = "meridian.interrupts",
		.name = "Interrupts",
		.help = "What handlers of interrupts, softirqs and timers ran when, on all hosts",
		.type = "TIME_GRAPH",
		.tree = tsp_irqs_tree,
		.states = tsp_irqs_states,
		.style = tsp_lane_style,
		.marks = tsp_loss_marks },
	{ .id = "meridian.services",
		.name = "Requests over time",
		.help = "Requests of services, by kind: from when they were sent to when they were answered",
		.type = "TIME_GRAPH",
		.tree = tsp_requests_tree,
		.states = tsp_requests_states,
		.style = tsp_request_style,
		.marks = tsp_loss_marks },
	{ .id = "meridian.vcpus",
		.name = "Virtual CPUs",
		.help = "What the virtual CPUs of each hypervisor did: in the guest, or why not",
		.type = "TIME_GRAPH",
		.is_there = tsp_has_vcpus,
		.tree = tsp_vcpus_tree,
		.states = tsp_vcpus_states,
		.tooltip = tsp_vcpus_tooltip,
		.style = tsp_vcpu_style,
		.marks = tsp_loss_marks },
	{ .id = "meridian.ranks",
		.name = "MPI ranks",
		.help = "Calls of the ranks of MPI programs, and who they waited for; arrows: messages",
		.type = "TIME_GRAPH",
		.is_there = tsp_has_ranks,
		.tree = tsp_ranks_tree,
		.states = tsp_ranks_states,
		.arrows = tsp_ranks_arrows,
		.tooltip = tsp_ranks_tooltip,
		.style = tsp_rank_style,
		.marks = tsp_loss_marks },
	{ .id = CRITICAL,
		.name = "Critical Path",
		.help = "The critical path of a task, across hosts; others can be made from it",
		.type = "TIME_GRAPH",
		.tree = tsp_critical_tree,
		.states = tsp_critical_states,
		.arrows = tsp_critical_arrows,
		.tooltip = tsp_critical_tooltip,
		.style = tsp_critical_style,
		.marks = tsp_loss_marks },
	{ .id = "org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider",
		.name = "CPU Usage",
		.help = "Time on CPUs over time, by host and thread, in percent of one CPU",
		.type = "TREE_TIME_XY",
		.tree = tsp_usage_tree,
		.xy = tsp_usage_xy },
	{ .id = "org.eclipse.tracecompass.analysis.os.linux.core.inputoutput.DisksIODataProvider",
		.name = "Disk I/O",
		.help = "Bytes that disks read and wrote, per second, over time",
		.type = "TREE_TIME_XY",
		.tree = tsp_disks_tree,
		.xy = tsp_disks_xy },
	LATENCIES("requests", "Requests, latency over time",
		"How long requests of services took, by kind: median and longest of each moment"),
	LATENCIES("syscall", "System calls, latency over time",
		"How long system calls took, by host and name: median and longest of each moment"),
	LATENCIES("sched", "Scheduling latency over time",
		"How long threads were runnable after a wake-up, by host: median and longest"),
	DURATIONS("sched", "Scheduling latency, distribution",
		"How long threads were runnable after a wake-up"),
	DURATIONS("syscall", "System calls, distribution", "How long system calls took, by name"),
	DURATIONS("irq", "Interrupts, distribution", "How long handlers of interrupts took"),
	DURATIONS("disk", "Disk latency, distribution", "How long requests to disks took"),
	{ .id = "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider",
		.name = "Events Table",
		.help = "All events of all hosts, in the order of the common clock",
		.type = "TABLE",
		.columns = tsp_event_columns,
		.lines = tsp_event_lines },
};
enum { N_FIXED = sizeof(fixed) / sizeof(*fixed) };

/* ---- Derived ones: CRITICAL:HOST:TID ---- */

bool tsp_parse_derived(const char *id, struct tsp_derived *d)
{
	size_t n = strlen(CRITICAL);
	char rest;
	unsigned long host, tid;
	if (strncmp(id, CRITICAL ":", n + 1) != 0 ||
		sscanf(id + n + 1, "%9lu:%9lu%c", &host, &tid, &rest) != 2)
		return false;
	*d = (struct tsp_derived){ (uint32_t)host, (int32_t)tid };
	return true;
}

static bool is_same(const struct tsp_derived *a, const struct tsp_derived *b)
{
	return a->host == b->host && a->tid == b->tid;
}

/* Copies the derived outputs, as other threads may add some meanwhile. */
static size_t take_derived(const struct tsp *t, struct tsp_derived *to)
{
	pthread_mutex_lock(&t->state->lock);
	size_t n = t->state->n_derived;
	memcpy(to, t->state->derived, sizeof(t->state->derived));
	pthread_mutex_unlock(&t->state->lock);
	return n;
}

static const struct tsp_output *critical(void)
{
	for (size_t i = 0; i < N_FIXED; i++)
		if (strcmp(fixed[i].id, CRITICAL) == 0)
			return &fixed[i];
	return NULL;
}

const struct tsp_output *tsp_output_of(struct tsp *t, struct mer_err *err)
{
	const char *id = t->m.words[1];
	struct tsp_derived d, made[TSP_MAX_DERIVED];
	for (size_t i = 0; i < N_FIXED; i++)
		if (strcmp(fixed[i].id, id) == 0)
			return &fixed[i];
	for (const struct tsp_output *o = tsp_tables; o->id; o++)
		if (strcmp(o->id, id) == 0)
			return o;
	size_t n = tsp_parse_derived(id, &d) ? take_derived(t, made) : 0;
	for (size_t i = 0; i < n; i++)
		if (is_same(&made[i], &d))
			return critical();
	tsp_not_there(t, err, "there is no output '%.300s'", id);
	return NULL;
}

/* ---- Descriptions for clients ---- */

static void begin_output(struct tsp *t, const struct tsp_output *o, const char *id)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	bool is_read = atomic_load(&t->s->traces[SERVER_CLOCKS_ALIGNED].stage) == SERVER_READY;
	mer_json_begin_object(&t->j);
	mer_json_kv_text(&t->j, "id", id);
	mer_json_kv_text(&t->j, "name", o->name);
	mer_json_kv_text(&t->j, "description", o->help);
	mer_json_kv_text(&t->j, "type", o->type);
	mer_json_kv_bool(&t->j, "final", is_read);
	if (is_read && e->begin != MER_NO_TIME) {
		mer_json_kv_int(&t->j, "start", e->begin);
		mer_json_kv_int(&t->j, "end", e->end);
	}
}

static void put_capabilities(struct tsp *t, bool can_create, bool can_delete)
{
	mer_json_kv_object(&t->j, "capabilities");
	mer_json_kv_bool(&t->j, "canCreate", can_create);
	mer_json_kv_bool(&t->j, "canDelete", can_delete);
	mer_json_end_object(&t->j);
}

static void put_output(struct tsp *t, const struct tsp_output *o)
{
	begin_output(t, o, o->id);
	put_capabilities(t, o == critical(), false);
	mer_json_end_object(&t->j);
}

static void put_derived(struct tsp *t, const struct tsp_derived *d)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct tsp_output o = *critical();
	struct mer_json *j = &t->j;
	char id[200], name[300];
	const char *host = d->host < e->n_hosts ? e->hosts[d->host].name : "";
	snprintf(id, sizeof(id), CRITICAL ":%" PRIu32 ":%" PRId32, d->host, d->tid);
	snprintf(name, sizeof(name), "Critical Path of %.200s:%" PRId32, host, d->tid);
	o.name = name;
	begin_output(t, &o, id);
	mer_json_kv_text(j, "parentId", CRITICAL);
	mer_json_kv_object(j, "configuration");
	mer_json_kv_text(j, "id", id);
	mer_json_kv_text(j, "name", name);
	mer_json_kv_text(j, "description", o.help);
	mer_json_kv_text(j, "sourceTypeId", TASK_TYPE);
	mer_json_kv_object(j, "parameters");
	mer_json_kv_text(j, "host", host);
	mer_json_kv_int(j, "tid", d->tid);
	mer_json_end_object(j);
	mer_json_end_object(j);
	put_capabilities(t, false, true);
	mer_json_end_object(j);
}

int tsp_outputs(struct tsp *t, struct mer_err *err)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	struct tsp_derived made[TSP_MAX_DERIVED];
	size_t n = take_derived(t, made);
	(void)err;
	mer_json_begin_array(&t->j);
	for (size_t i = 0; i < N_FIXED; i++)
		if (!fixed[i].is_there || fixed[i].is_there(e))
			put_output(t, &fixed[i]);
	for (size_t i = 0; i < n; i++)
		put_derived(t, &made[i]);
	for (const struct tsp_output *o = tsp_tables; o->id; o++)
		put_output(t, o);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_output(struct tsp *t, struct mer_err *err)
{
	struct tsp_derived d;
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o)
		return err->code;
	if (tsp_parse_derived(t->m.words[1], &d))
		put_derived(t, &d);
	else
		put_output(t, o);
	return 0;
}

/* ---- Making others ---- */

static void put_config_type(struct tsp *t)
{
	struct mer_json *j = &t->j;
	mer_json_begin_object(j);
	mer_json_kv_text(j, "id", TASK_TYPE);
	mer_json_kv_text(j, "name", "Task");
	mer_json_kv_text(j, "description", "The task whose critical path is shown");
	mer_json_kv_array(j, "parameterDescriptors");
	mer_json_begin_object(j);
	mer_json_kv_text(j, "keyName", "tid");
	mer_json_kv_text(j, "description", "number of the thread");
	mer_json_kv_text(j, "dataType", "NUMBER");
	mer_json_kv_bool(j, "required", true);
	mer_json_end_object(j);
	mer_json_begin_object(j);
	mer_json_kv_text(j, "keyName", "host");
	mer_json_kv_text(j, "description", "name of its host; not needed if there is one only");
	mer_json_kv_text(j, "dataType", "STRING");
	mer_json_kv_bool(j, "required", false);
	mer_json_end_object(j);
	mer_json_end_array(j);
	mer_json_end_object(j);
}

int tsp_config_types(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o)
		return err->code;
	mer_json_begin_array(&t->j);
	if (o == critical() && strcmp(t->m.words[1], CRITICAL) == 0)
		put_config_type(t);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_config_type(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o)
		return err->code;
	if (strcmp(t->m.words[1], CRITICAL) != 0 || strcmp(t->m.words[2], TASK_TYPE) != 0)
		return tsp_not_there(t, err, "this output has no type '%.100s'", t->m.words[2]);
	put_config_type(t);
	return 0;
}

int tsp_derive(struct tsp *t, struct mer_err *err)
{
	const struct mer_experiment *e = tsp_experiment_of(t);
	const struct tsp_output *o = tsp_output_of(t, err);
	struct tsp_state *x = t->state;
	if (!o)
		return err->code;
	if (strcmp(t->m.words[1], CRITICAL) != 0)
		return mer_fail(err, MER_ERR_USAGE, "nothing can be made from this output");
	struct tsp_derived d = { 0, (int32_t)t->q.tid };
	if (t->q.tid < 0 || t->q.tid > 999999999 || (!t->q.host && e->n_hosts != 1))
		return mer_fail(err, MER_ERR_USAGE,
			"parameters 'tid', and 'host' if there are several, say which task");
	d.host = t->q.host ? tsp_host(e, t->q.host) : 0;
	if (d.host == KERNEL_NONE)
		return mer_fail(err, MER_ERR_USAGE, "there is no host '%.200s'", t->q.host);
	pthread_mutex_lock(&x->lock);
	size_t i = 0;
	while (i < x->n_derived && !is_same(&x->derived[i], &d))
		i++;
	bool has_room = i < TSP_MAX_DERIVED;
	if (has_room)
		x->derived[i] = d;
	if (has_room && i == x->n_derived)
		x->n_derived++;
	pthread_mutex_unlock(&x->lock);
	if (!has_room)
		return mer_fail(err, MER_ERR_USAGE, "at most %d outputs can be made: delete some",
			(int)TSP_MAX_DERIVED);
	put_derived(t, &d);
	return 0;
}

int tsp_forget(struct tsp *t, struct mer_err *err)
{
	struct tsp_state *x = t->state;
	struct tsp_derived d;
	bool is_there = false;
	if (strcmp(t->m.words[1], CRITICAL) == 0 && tsp_parse_derived(t->m.words[2], &d)) {
		pthread_mutex_lock(&x->lock);
		size_t n = 0;
		for (size_t i = 0; i < x->n_derived; i++)
			if (is_same(&x->derived[i], &d))
				is_there = true;
			else
				x->derived[n++] = x->derived[i];
		x->n_derived = n;
		pthread_mutex_unlock(&x->lock);
	}
	if (!is_there)
		return tsp_not_there(
			t, err, "there is no output '%.300s' that was made", t->m.words[2]);
	put_derived(t, &d);
	return 0;
}

/* ---- Requests about one ---- */

static int call(struct tsp *t, const struct tsp_output *o, tsp_handler *handler, const char *what,
	struct mer_err *err)
{
	if (!o)
		return err->code;
	return handler ? handler(t, err)
		       : mer_fail(err, MER_ERR_USAGE, "output '%.200s' has no %s", o->id, what);
}

#define CALL(name, member, what)                                                                   \
	int name(struct tsp *t, struct mer_err *err)                                               \
	{                                                                                          \
		const struct tsp_output *o = tsp_output_of(t, err);                                \
		return call(t, o, o ? o->member : NULL, what, err);                                \
	}
CALL(tsp_tree, tree, "tree")
CALL(ask_states, states, "states")
CALL(tsp_tooltip, tooltip, "tooltip")
CALL(tsp_xy, xy, "chart over time")
CALL(tsp_generic_xy, generic_xy, "chart over anything but the time")
CALL(tsp_columns, columns, "columns")
CALL(tsp_lines, lines, "lines")

int tsp_states(struct tsp *t, struct mer_err *err)
{
	int rc = tsp_chosen_make(&t->chosen, &t->q, &t->arena, err);
	if (rc == 0)
		rc = ask_states(t, err);
	tsp_chosen_fini(&t->chosen);
	return rc;
}

/* An output without arrows or styles has an empty answer: clients request them of all outputs. */
int tsp_arrows(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o || o->arrows)
		return o ? o->arrows(t, err) : err->code;
	mer_json_begin_array(&t->j);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_style(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o || o->style)
		return o ? o->style(t, err) : err->code;
	mer_json_begin_object(&t->j);
	mer_json_kv_object(&t->j, "styles");
	mer_json_end_object(&t->j);
	mer_json_end_object(&t->j);
	return 0;
}

int tsp_marker_sets(struct tsp *t, struct mer_err *err)
{
	(void)err;
	mer_json_begin_array(&t->j);
	mer_json_end_array(&t->j);
	return 0;
}

int tsp_xy_tooltip(struct tsp *t, struct mer_err *err)
{
	const struct tsp_output *o = tsp_output_of(t, err);
	if (!o)
		return err->code;
	mer_json_begin_object(&t->j);
	mer_json_end_object(&t->j);
	return 0;
}
