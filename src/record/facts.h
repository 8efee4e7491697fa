/* Facts: what a host answered when it was inspected (scripts/probe.sh).
 *
 * Answers are KEY=VALUE lines from another host: what is not known, too long or malformed is left
 * out, and texts are what may be shown. What follows from facts is in findings.h. */
#ifndef MER_RECORD_FACTS_H
#define MER_RECORD_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "record/preset.h"

enum { RECORD_FACT_EVENTS = 100000, RECORD_FACT_SOURCES = 32 };

/* In the order in which they are preferred. */
enum record_probe_kind { RECORD_EPROBE, RECORD_TPROBE, RECORD_KPROBE, RECORD_N_PROBES };
const char *record_probe_kind_name(unsigned kind); /* "eprobe" */

struct record_facts {
	bool complete; /* the last line was seen */
	const char *name, *kernel, *architecture, *boot_id, *user, *groups; /* never NULL: "" */
	const char *lttng, *kernel_tracer_error, *perf, *perf_error, *agent, *clock_source;
	const char *instance; /* of another recording, the last of them; "": none */
	const char *tracefs;  /* where it is, and instances can be made; "": nowhere */
	const char *lockdown;
	const char *clock_daemon, *card, *receive_offload;
	const char *address;	     /* of this host, as it was reached; "" on the own host */
	const char *seen_address;    /* of whom it was reached from */
	int64_t cpus, uid, free_kib; /* -1: not known */
	bool no_lttng, modules_there, modules_loaded, root_daemon, relay_daemon;
	bool kernel_tracer, perf_may, is_guest;
	bool is_container, own_pids;	       /* its processes have other numbers than in traces */
	bool tracefs_missing, tracefs_mounted; /* it could be mounted; it was, for this recording */
	bool probes[RECORD_N_PROBES];	       /* which kinds the kernel accepts */
	bool btf;			       /* it says where fields of its structures are */
	bool has_clock_offset;
	double clock_offset_s;
	/* Of chrony's configuration, and devices: "/dev/ptp0 KVM virtual PTP". */
	const char *refclocks[RECORD_FACT_SOURCES], *servers[RECORD_FACT_SOURCES];
	const char *ptp[RECORD_FACT_SOURCES];
	size_t n_refclocks, n_servers, n_ptp;
	/* Of the kernel, sorted; n 0: not known. Of LTTng, and "system:event" of tracefs. */
	struct record_names {
		const char **name;
		size_t n, cap;
	} events, trace_events;
};

int record_facts_read(struct record_facts *f, const char *text, size_t len, struct mer_arena *arena,
	struct mer_err *err);
void record_facts_free(struct record_facts *f);
bool record_facts_has_event(const struct record_facts *f, const char *name);
/* "sched:sched_switch", "sched" for all events of a system, or "sched_switch" of any. */
bool record_facts_has_trace_event(const struct record_facts *f, const char *name);
/* May the user who asked record kernels here, by the groups? */
bool record_facts_may_trace(const struct record_facts *f);
/* The script whose answers these are. */
const char *record_facts_script(void);

#endif
