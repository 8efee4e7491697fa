#include "record/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "record/tracefs.h"

enum { SPACE_KIB_LEAST = 256 << 10, SPACE_KIB_LITTLE = 2 << 20 };

static void add(struct record_findings *f, enum record_severity severity, const char *host,
	const char *repair, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* root needs no sudo, which minimal systems do not have. */
static const char *for_user(const struct record_findings *f, const char *repair)
{
	static const char sudo[] = "sudo ";
	struct mer_str s = { 0 };
	if (!repair || !f->is_root)
		return repair;
	for (const char *p = repair; *p;) {
		const char *at = strstr(p, sudo);
		mer_str_add(&s, p, at ? (size_t)(at - p) : strlen(p));
		p = at ? at + sizeof(sudo) - 1 : p + strlen(p);
	}
	const char *copy = s.failed ? NULL : mer_arena_strdup(f->arena, s.data ? s.data : "");
	mer_str_fini(&s);
	return copy ? copy : repair;
}

static void add(struct record_findings *f, enum record_severity severity, const char *host,
	const char *repair, const char *fmt, ...)
{
	struct mer_str s = { 0 };
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mer_str_puts(&s, text);
	char *copy = s.failed ? NULL : mer_arena_strdup(f->arena, s.data);
	mer_str_fini(&s);
	repair = for_user(f, repair);
	if (!copy || !mer_grow(&f->item, f->n, &f->cap, sizeof(*f->item))) {
		f->failed = true;
		return;
	}
	f->item[f->n++] = (struct record_finding){ severity, host, copy, repair };
}

void record_findings_free(struct record_findings *f)
{
	free(f->item);
	f->item = NULL;
	f->n = f->cap = 0;
}

bool record_findings_fatal(const struct record_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->item[i].severity == RECORD_FATAL)
			return true;
	return f->failed;
}

/* Reports the most likely reason why LTTng cannot record the kernel. */
static void no_kernel_tracer(
	const struct record_host *h, enum record_severity severity, struct record_findings *f)
{
	const struct record_facts *x = &h->facts;
	if (x->no_lttng) {
		add(f, severity, h->name, "sudo apt install lttng-tools lttng-modules-dkms",
			"LTTng is not installed");
	} else if (!record_facts_may_trace(x)) {
		add(f, severity, h->name,
			mer_arena_printf(f->arena,
				"sudo usermod -aG tracing %s   # then log in again", x->user),
			"user %s may not record the kernel: neither root nor in group tracing",
			x->user);
	} else if (x->uid != 0 && !x->root_daemon) {
		add(f, severity, h->name, "sudo systemctl start lttng-sessiond",
			"root's session daemon of LTTng does not run, which records the kernel for "
			"group tracing");
	} else if (!x->modules_loaded && !x->modules_there) {
		add(f, severity, h->name,
			"sudo apt install lttng-modules-dkms linux-headers-$(uname -r)",
			"the modules of LTTng are missing for kernel %s", x->kernel);
	} else {
		add(f, severity, h->name, "sudo modprobe lttng-tracer && sudo dmesg | tail",
			"LTTng cannot record the kernel: %s",
			*x->kernel_tracer_error ? x->kernel_tracer_error : "no reason is given");
	}
}

const char *record_not_ftrace(const struct record_facts *x)
{
	return *x->tracefs || x->tracefs_missing ? NULL
	       : x->uid != 0			 ? "only root may use it"
	       : strcmp(x->lockdown, "confidentiality") == 0
		       ? "the kernel is locked down (confidentiality)"
		       : "there is no tracefs to make an instance in";
}

const char *record_not_perf(const struct record_facts *x)
{
	return !*x->perf	? "it is not installed"
	       : x->perf_may	? NULL
	       : *x->perf_error ? x->perf_error
				: "this user may not record the kernel";
}

static const char perf_rights[] = "sudo sysctl kernel.perf_event_paranoid=-1\n"
				  "sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing";

/* What to do so that ftrace can record the host; NULL: nothing is known. */
static const char *for_ftrace(const struct record_host *h, struct mer_arena *arena)
{
	return h->facts.uid == 0 ? NULL
	       : h->target ? mer_arena_printf(arena, "meridian record --hosts root@%s ...", h->name)
			   : "sudo meridian record ...";
}

static const char *for_perf(const struct record_facts *x)
{
	return !*x->perf ? "sudo apt install linux-perf" : x->uid != 0 ? perf_rights : NULL;
}

/* No tracer can record: reports the reason of each, and what to do, the simplest first. */
static void tell_nothing(const struct record_host *h, struct record_findings *f)
{
	const struct record_facts *x = &h->facts;
	const char *ways[] = { for_ftrace(h, f->arena),
		x->uid == 0 && x->is_container ? "# on the host of this container, or in one that "
						 "was started with --privileged"
					       : NULL,
		*x->perf || x->uid == 0 ? for_perf(x) : NULL };
	struct mer_str repair = { 0 };
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (ways[i])
			mer_str_printf(&repair, "%s%s", repair.len ? "\n" : "", ways[i]);
	const char *lines = repair.len ? mer_arena_strdup(f->arena, repair.data) : NULL;
	f->failed |= repair.failed;
	mer_str_fini(&repair);
	add(f, RECORD_FATAL, h->name, lines,
		"no tracer can record the kernel%s: ftrace: %s; perf: %s; LTTng: %s",
		x->is_container ? " from this container" : "", record_not_ftrace(x),
		record_not_perf(x),
		x->no_lttng ? "it is not installed" : "it cannot record the kernel");
}

static const char *no_headers(const struct record_run *r)
{
	return r->n_hosts > 1 ? "clocks are aligned by rounds alone, and what passes between hosts "
				"is not found"
			      : "requests between programs are not found";
}

/* Reports whether ftrace will record headers of packets and names of files. */
static void tell_rung(
	const struct record_run *r, const struct record_host *h, struct record_findings *f)
{
	static const char lttng[] = "sudo apt install lttng-tools lttng-modules-dkms   # has both";
	const struct record_rung rung = record_rung_of(&h->facts, &h->skb);
	if (!record_plan_has_probes(&r->plan) || h->facts.tracefs_missing)
		return;
	if (rung.headers && rung.names) {
		add(f, RECORD_NOTE, h->name, NULL,
			"ftrace records, with headers of packets and names of files by %ss",
			record_probe_kind_name(rung.headers_by));
		return;
	}
	bool any = false;
	for (unsigned k = 0; k < RECORD_N_PROBES; k++)
		any |= h->facts.probes[k];
	add(f, r->n_hosts > 1 ? RECORD_WARNING : RECORD_NOTE, h->name,
		h->facts.no_lttng && !h->facts.is_container ? lttng : NULL,
		"ftrace records packets without headers%s, because %s: %s",
		rung.names ? "" : " and files without names",
		any ? "the kernel does not say where headers are (no BTF)"
		    : "this kernel accepts no probes",
		no_headers(r));
}

/* Reports an instance of another recording, which goes on in memory until it is removed. */
static void tell_instance(const struct record_host *h, struct record_findings *f)
{
	const char *at = h->facts.instance;
	if (*at)
		add(f, RECORD_NOTE, h->name,
			mer_arena_printf(f->arena,
				"meridian record clean   # where it was started; or here: rmdir %s",
				at),
			"another recording is under way, or was killed");
}

static void tell_mounted(const struct record_host *h, struct record_findings *f)
{
	if (h->facts.tracefs_mounted)
		add(f, RECORD_NOTE, h->name, "umount /sys/kernel/tracing",
			"tracefs was not mounted and is now");
	if (h->facts.tracefs_missing)
		add(f, RECORD_NOTE, h->name, "mount -t tracefs tracefs /sys/kernel/tracing",
			"tracefs is not mounted: a recording with ftrace mounts it; what the kernel "
			"accepts there is known then");
}

/* In such a container, processes have other pids than in the recording. */
static void tell_numbers(const struct record_host *h, struct record_findings *f)
{
	if (h->facts.own_pids)
		add(f, RECORD_NOTE, h->name, NULL,
			"this container has process numbers of its own, so /proc is not read: tasks "
			"have the host's numbers, and files that were open before have no names");
}

/* Chooses ftrace or perf instead of LTTng; false: neither can record. */
static bool take_other(
	const struct record_run *r, struct record_host *h, bool by_wish, struct record_findings *f)
{
	const struct record_facts *x = &h->facts;
	const unsigned wanted = r->plan.backend;
	bool is_perf =
		wanted == RECORD_PERF || (wanted == RECORD_N_BACKENDS && record_not_ftrace(x));
	const char *why = is_perf ? record_not_perf(x) : record_not_ftrace(x);
	if (why && by_wish)
		add(f, RECORD_FATAL, h->name, is_perf ? for_perf(x) : for_ftrace(h, f->arena),
			"%s cannot record the kernel: %s", is_perf ? "perf" : "ftrace", why);
	if (why)
		return false;
	h->backend = is_perf ? RECORD_PERF : RECORD_TRACEFS;
	/* If LTTng is installed, it is expected to record. */
	if (!by_wish && !x->no_lttng)
		no_kernel_tracer(h, RECORD_NOTE, f);
	tell_mounted(h, f);
	tell_numbers(h, f);
	if (is_perf)
		add(f, r->n_hosts > 1 ? RECORD_WARNING : RECORD_NOTE, h->name, NULL,
			"perf records packets without headers and files without names: %s",
			no_headers(r));
	else
		tell_rung(r, h, f);
	return true;
}

static void check_tracer(struct record_run *r, struct record_host *h, struct record_findings *f)
{
	const struct record_facts *x = &h->facts;
	const unsigned wanted = r->plan.backend;
	bool kernel = record_preset_has(&r->plan.preset, RECORD_KERNEL);
	bool user = record_preset_has(&r->plan.preset, RECORD_USER);
	bool by_wish = wanted == RECORD_TRACEFS || wanted == RECORD_PERF;
	bool other = !user && (r->plan.mode == RECORD_NORMAL || r->plan.mode == RECORD_SNAPSHOT) &&
		     !r->plan.rotate_ns && record_preset_has(&r->plan.preset, RECORD_FTRACE);
	h->backend = RECORD_LTTNG;
	if (by_wish && !other) {
		add(f, RECORD_FATAL, h->name, NULL,
			"%s records the kernel's events that a preset has for it; not those of programs, "
			"and not with --rotate or --live",
			record_backend_name(wanted));
		return;
	}
	if (user && x->no_lttng)
		add(f, RECORD_FATAL, h->name, "sudo apt install lttng-tools liblttng-ust-dev",
			"LTTng is not installed, which records events of user space");
	if (by_wish) {
		take_other(r, h, true, f);
		return;
	}
	if (!kernel || x->kernel_tracer)
		return;
	if (user && r->plan.preset.kernel_is_optional && !x->no_lttng) {
		h->user_only = true;
		no_kernel_tracer(h, RECORD_WARNING, f);
		add(f, RECORD_WARNING, h->name, NULL,
			"only events of user space are recorded: what the kernel did meanwhile will "
			"not be known");
		return;
	}
	if (wanted == RECORD_LTTNG || !other)
		no_kernel_tracer(h, RECORD_FATAL, f);
	else if (!take_other(r, h, false, f))
		tell_nothing(h, f);
}

static void check_events(struct record_run *r, struct record_host *h, struct record_findings *f)
{
	struct mer_str missing = { 0 };
	const struct record_names *known =
		h->backend == RECORD_LTTNG ? &h->facts.events : &h->facts.trace_events;
	if (h->user_only || !known->n)
		return;
	record_plan_missing(&r->plan, &h->facts, h->backend, &missing);
	if (missing.len)
		add(f, RECORD_WARNING, h->name, "meridian check shows what cannot be analysed",
			"this kernel, or its tracer, has no %.900s", missing.data);
	f->failed |= missing.failed;
	mer_str_fini(&missing);
}

static void check_space(struct record_host *h, struct record_findings *f)
{
	if (h->facts.free_kib < 0 || h->facts.free_kib >= SPACE_KIB_LITTLE)
		return;
	bool none = h->facts.free_kib < SPACE_KIB_LEAST;
	add(f, none ? RECORD_FATAL : RECORD_WARNING, h->name, "du -xh ~ | sort -h | tail",
		"%s %" PRId64 " MiB are free for traces", none ? "only" : "no more than",
		h->facts.free_kib >> 10);
}

static void check_clock_source(const struct record_host *h, struct record_findings *f)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "pit" };
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		if (strcmp(h->facts.clock_source, slow[i]) == 0)
			add(f, RECORD_WARNING, h->name,
				"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
				"clock source %s is slow to read: recording costs more, and times are "
				"coarse",
				slow[i]);
}

/* A refclock disciplines the clock from the hypervisor; a server from the network pulls it away
 * again. */
static void check_sources(const struct record_host *h, struct record_findings *f)
{
	const struct record_facts *x = &h->facts;
	bool phc = false;
	for (size_t i = 0; i < x->n_refclocks; i++)
		phc |= strncmp(x->refclocks[i], "PHC", 3) == 0;
	if (phc && x->n_servers)
		add(f, RECORD_WARNING, h->name,
			"sudo sed -i -E 's/^(server|pool|peer) /#&/' /etc/chrony/chrony.conf && "
			"sudo systemctl restart chrony",
			"chrony has a PHC and servers of NTP (%.60s): when they disagree the clock "
			"runs away and is pulled back, a sawtooth; keep one of the two",
			x->servers[0]);
}

static void check_offload(
	const struct record_run *r, const struct record_host *h, struct record_findings *f)
{
	if (r->n_hosts > 1 && strcmp(h->facts.receive_offload, "on") == 0)
		add(f, RECORD_NOTE, h->name,
			mer_arena_printf(f->arena, "sudo ethtool -K %s gro off", h->facts.card),
			"receive offload of %s joins packets before they are recorded: fewer match",
			h->facts.card);
}

static void check_twins(const struct record_run *r, struct record_findings *f)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct record_facts *a = &r->hosts[i].facts, *b = &r->hosts[k].facts;
			/* Containers on one kernel have the same boot id: compare more. */
			if (*a->boot_id && strcmp(a->boot_id, b->boot_id) == 0 &&
				strcmp(a->name, b->name) == 0 && a->uid == b->uid)
				add(f, RECORD_FATAL, r->hosts[i].name, NULL,
					"%s and %s are names of the same host: leave one of them out of --hosts",
					r->hosts[i].name, r->hosts[k].name);
		}
	}
}

void record_findings_of_run(struct record_run *r, struct record_findings *f)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		struct record_host *h = &r->hosts[i];
		f->is_root = h->facts.uid == 0;
		check_tracer(r, h, f);
		tell_instance(h, f);
		check_events(r, h, f);
		check_space(h, f);
		check_clock_source(h, f);
		check_sources(h, f);
		check_offload(r, h, f);
		if (r->plan.mode == RECORD_LIVE && !h->facts.relay_daemon)
			add(f, RECORD_FATAL, h->name, "lttng-relayd --daemonize",
				"no relay daemon runs, which a live recording needs");
		if (!*h->facts.agent)
			add(f, RECORD_NOTE, h->name, "sudo apt install perl",
				"neither perl nor python3 is there: no beacons and no clock "
				"measurements of this host");
		else if (strcmp(h->facts.agent, "sh") == 0 && r->n_hosts > 1)
			add(f, RECORD_NOTE, h->name, "sudo apt install perl",
				"neither perl (with Time::HiRes) nor python3 is there: no beacons "
				"of this host, and its clock is measured by a shell, to some ms");
	}
	check_twins(r, f);
}

void record_findings_of_clock(const struct record_host *h, struct record_findings *f)
{
	const struct record_facts *x = &h->facts;
	f->is_root = x->uid == 0;
	check_clock_source(h, f);
	check_sources(h, f);
	if (!*x->clock_daemon)
		add(f, RECORD_NOTE, h->name, "sudo apt install chrony",
			"nothing disciplines this clock, so it drifts, at a steady rate; meridian "
			"aligns such clocks well");
	if (x->has_clock_offset && (x->clock_offset_s > 0.001 || x->clock_offset_s < -0.001))
		add(f, RECORD_NOTE, h->name, "chronyc waitsync 60 0.001",
			"the clock is off by %.3f ms and is being corrected: wait before recording",
			1e3 * x->clock_offset_s);
	bool phc = false;
	for (size_t i = 0; i < x->n_refclocks; i++)
		phc |= strncmp(x->refclocks[i], "PHC", 3) == 0;
	if (!x->is_guest || phc)
		return;
	if (x->n_ptp)
		add(f, RECORD_NOTE, h->name,
			"echo \"refclock PHC /dev/ptp0 poll 3 dpoll -2 offset 0\" >> /etc/chrony/chrony.conf",
			"this host is a guest and has the clock %s, which chrony does not "
			"use",
			x->ptp[0]);
	else
		add(f, RECORD_NOTE, h->name,
			"echo ptp_kvm > /etc/modules-load.d/ptp_kvm.conf && modprobe ptp_kvm\n"
			"echo \"refclock PHC /dev/ptp0 poll 3 dpoll -2 offset 0\" >> /etc/chrony/chrony.conf",
			"this host is a guest without the clock of its hypervisor (kernel "
			"4.11 and later on KVM have it: ptp_kvm)");
}
