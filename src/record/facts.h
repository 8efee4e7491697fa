/* Facts: a host's answers when it is inspected (scripts/probe.sh).
 *
 * Answers are KEY=VALUE lines from another host. Unknown, too long or malformed ones are left out,
 * and texts have printable characters only. Conclusions from facts are in findings.h. */
#ifndef MER_RECORD_FACTS_H
#define MER_RECORD_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "record/preset.h"

enum { RECORD_FACT_EVENTS = 100000, RECORD_FACT_SOURCES = 32 };

/* In order of preference. */
enum record_probe_kind { RECORD_EPROBE, RECORD_TPROBE, RECORD_KPROBE, RECORD_N_PROBES };
const char *record_probe_kind_name(unsigned kind); /* "eprobe" */

struct record_facts {
	bool complete; /* the last line has arrived */
	const char *name, *kernel, *architecture, *boot_id, *user, *groups; /* never NULL: "" */
	const char *lttng, *kernel_tracer_error, *perf, *perf_error, *agent, *clock_source;
	const char *instance; /* ftrace instance of another recording, the last one found; "":
				 none */
	const char *tracefs;  /* where it is mounted with support for instances; "": nowhere */
	const char *lockdown;
	const char *clock_daemon, *card, *receive_offload;
	const char *address;	     /* address at which this host was reached; "" for the local
					host */
	const char *seen_address;    /* address from which it was reached */
	int64_t cpus, uid, free_kib; /* -1: not known */
	bool no_lttng, modules_there, modules_loaded, root_daemon, relay_daemon;
	bool kernel_tracer, perf_may, is_guest;
	bool is_container, own_pids;	       /* process ids differ from those in traces */
	bool tracefs_missing, tracefs_mounted; /* not mounted, but could be; was mounted for this
						  recording */
	bool probes[RECORD_N_PROBES];	       /* kinds of probes that the kernel accepts */
	bool btf;			       /* the kernel has BTF */
	bool has_clock_offset;
	double clock_offset_s;
	/* From chrony's configuration; and PTP devices: "/dev/ptp0 KVM virtual PTP". */
	const char *refclocks[RECORD_FACT_SOURCES], *servers[RECORD_FACT_SOURCES];
	const char *ptp[RECORD_FACT_SOURCES];
	size_t n_refclocks, n_servers, n_ptp;
	/* Sorted event names of the kernel, of LTTng, and "system:event" of tracefs; n 0:
	 * unknown. */
	struct record_names {
		const char **name;
		size_t n, cap;
	} events, trace_events;
};

int record_facts_read(struct record_facts *f, const char *text, size_t len, struct mer_arena *arena,
	struct mer_err *err);
void record_facts_free(struct record_facts *f);
bool record_facts_has_event(const struct record_facts *f, const char *name);
/* name: "sched:sched_switch", "sched" for all events of a system, or "sched_switch" in any
 * system. */
bool record_facts_has_trace_event(const struct record_facts *f, const char *name);
/* May this user record the kernel on the host, according to the groups? */
bool record_facts_may_trace(const struct record_facts *f);
/* The script that gives these answers. */
const char *record_facts_script(void);

#endif
