/* Styles: colours of states and arrows, under the names and in the colours that users of Trace
 * Compass know. */
#include "server/tsp/tsp.h"

struct style {
	const char *key, *group, *color;
	double height;
};

#define MARK_STYLES                                                                                \
	{ "lost", "Marks", "#ff0000", 1 }, { "mark", "Marks", "#8f5600", 1 },                      \
	{                                                                                          \
		"finding", "Marks", "#d55e00", 1                                                   \
	}

static const struct style of_lanes[] = {
	{ "Unknown", "Unknown", "#646464", 0.33 },
	{ "Wait unknown", "Unknown", "#c8c8c8", 0.33 },
	{ "Wait blocked", "Wait", "#c8c800", 0.5 },
	{ "Wait for CPU", "Wait", "#c86400", 0.5 },
	{ "Usermode", "Running", "#00c800", 1 },
	{ "System call", "Running", "#0000c8", 1 },
	{ "Interrupted", "Running", "#c80064", 0.75 },
	{ "Idle", "Idle", "#c8c8c8", 0.66 },
	{ "IRQ", "Interrupts", "#c80064", 0.75 },
	{ "Soft Irq", "Interrupts", "#c89664", 0.75 },
	{ "Stolen", "Hypervisor", "#dc143c", 0.75 },
	{ "Hypervisor", "Hypervisor", "#6f4fa8", 0.75 },
	{ "wake-up", "Arrows", "#3b0b9b", 0.1 },
	{ "message", "Arrows", "#9b0b3b", 0.1 },
	MARK_STYLES,
	{ 0 },
};

static const struct style of_paths[] = {
	{ "Running", "Running", "#339714", 1 },
	{ "Interrupted", "Running", "#fef200", 1 },
	{ "Stolen", "Wait", "#8b0000", 1 },
	{ "Hypervisor", "Wait", "#6f4fa8", 1 },
	{ "Preempted", "Wait", "#dc5f08", 1 },
	{ "Timer", "Wait", "#fe5c00", 1 },
	{ "Block device", "Wait", "#660036", 1 },
	{ "Network", "Wait", "#ff9baa", 1 },
	{ "User input", "Wait", "#5a0b25", 1 },
	{ "IPI", "Wait", "#665bf2", 1 },
	{ "Blocked", "Wait", "#dc143c", 1 },
	{ "Unknown", "Unknown", "#404040", 1 },
	{ "arrow", "Arrows", "#3b0b9b", 0.1 },
	{ "message", "Arrows", "#9b0b3b", 0.1 },
	MARK_STYLES,
	{ 0 },
};

static int put_styles(struct tsp *t, const struct style *s)
{
	struct mer_json *j = &t->j;
	mer_json_begin_object(j);
	mer_json_kv_object(j, "styles");
	for (; s->key; s++) {
		mer_json_kv_object(j, s->key);
		mer_json_kv_object(j, "values");
		mer_json_kv_text(j, "style-name", s->key);
		mer_json_kv_text(j, "style-group", s->group);
		mer_json_kv_text(j, "background-color", s->color);
		mer_json_kv_text(j, "color", s->color);
		mer_json_key(j, "height");
		tsp_put_real(j, s->height);
		mer_json_key(j, "opacity");
		mer_json_int(j, 1);
		mer_json_end_object(j);
		mer_json_end_object(j);
	}
	mer_json_end_object(j);
	mer_json_end_object(j);
	return 0;
}

static const struct style of_requests[] = {
	{ "Request", "Requests", "#7d8aa0", 1 },
	MARK_STYLES,
	{ 0 },
};

int tsp_request_style(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_styles(t, of_requests);
}

static const struct style of_vcpus[] = {
	{ "In guest", "Running", "#00c800", 1 },
	{ "Hypervisor", "Outside", "#0000c8", 1 },
	{ "VM process", "Outside", "#c80064", 1 },
	{ "Preempted", "Wait", "#dc143c", 0.75 },
	{ "Runnable", "Wait", "#c86400", 0.5 },
	{ "Halted", "Idle", "#c8c8c8", 0.33 },
	{ "Unknown", "Unknown", "#646464", 0.33 },
	MARK_STYLES,
	{ 0 },
};

/* Classes of calls (mpi/calls.h), and waiting in any of them. */
static const struct style of_ranks[] = {
	{ "compute", "Running", "#00c800", 1 },
	{ "outside", "Running", "#a0d8a0", 1 },
	{ "setup", "MPI", "#8c7f66", 0.75 },
	{ "point-to-point", "MPI", "#0000c8", 0.75 },
	{ "collective", "MPI", "#7a3db8", 0.75 },
	{ "other", "MPI", "#6488b0", 0.75 },
	{ "waiting", "Wait", "#c8c800", 0.5 },
	{ "unknown", "Unknown", "#646464", 0.33 },
	{ "message", "Arrows", "#9b0b3b", 0.1 },
	MARK_STYLES,
	{ 0 },
};

int tsp_vcpu_style(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_styles(t, of_vcpus);
}

int tsp_rank_style(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_styles(t, of_ranks);
}

int tsp_lane_style(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_styles(t, of_lanes);
}

int tsp_critical_style(struct tsp *t, struct mer_err *err)
{
	(void)err;
	return put_styles(t, of_paths);
}
