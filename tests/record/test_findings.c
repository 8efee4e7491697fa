/* Findings: each fact that stands in the way of a recording, by itself: the sentence, how bad it is
 * and whether something repairs it; and facts on both sides of each limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/findings.h"

#define PRESET "channel kernel k 2 4K\nkernel a b?\n"
#define GOOD "uid=0\nkernel_tracer=1\nagent=perl\nkernel=6.1\nuser=ann\n"
#define NO_KERNEL "uid=1000\nagent=perl\nkernel=6.1\nuser=ann\n"

static const char slow_clock[] =
	"is slow to read: recording costs more, and times are coarse (repair); ";
static const char twice[] = "are names of the same host: leave one of them out of --hosts; ";

struct asked {
	const char *preset;
	enum record_mode mode;
	int64_t rotate_ns;
	const char *facts[2]; /* of one host or of two */
	bool of_clock;
	unsigned backend;	      /* asked for */
	enum record_backend expected; /* where nothing is fatal */
};

/* "fatal h1: TEXT (repair); " of each; returns whether the recording ends. */
static bool find(const struct asked *a, struct mer_str *out, enum record_backend *backend)
{
	static const char *const words[] = { "note", "warning", "fatal" };
	static const char *const targets[] = { "h1", "h2" };
	struct mer_arena arena;
	struct mer_err err = { 0 };
	mer_arena_init(&arena);
	struct record_run r = { .arena = &arena, .plan = { .mode = a->mode } };
	struct record_findings f = { .arena = &arena };
	const char *preset = a->preset ? a->preset : PRESET;
	r.plan.rotate_ns = a->rotate_ns;
	r.plan.backend = a->backend;
	assert_int_equal(
		record_preset_parse(&r.plan.preset, preset, strlen(preset), "p", &arena, &err), 0);
	assert_int_equal(record_run_hosts(&r, targets, a->facts[1] ? 2 : 1, &err), 0);
	for (size_t i = 0; i < r.n_hosts; i++)
		assert_int_equal(record_facts_read(&r.hosts[i].facts, a->facts[i],
					 strlen(a->facts[i]), &arena, &err),
			0);
	if (a->of_clock)
		record_findings_of_clock(&r.hosts[0], &f);
	else
		record_findings_of_run(&r, &f);
	mer_str_puts(out, "");
	for (size_t i = 0; i < f.n; i++)
		mer_str_printf(out, "%s %s: %s%s; ", words[f.item[i].severity], f.item[i].host,
			f.item[i].text, f.item[i].repair ? " (repair)" : "");
	*backend = r.hosts[0].backend;
	bool fatal = record_findings_fatal(&f);
	record_findings_free(&f);
	assert_true(f.n == 0 && !f.item);
	record_run_free(&r);
	mer_arena_fini(&arena);
	return fatal;
}

/* The findings are these two texts together; LTTng records. */
static void finds(const struct asked *a, const char *first, const char *second)
{
	struct mer_str expected = { 0 }, out = { 0 };
	enum record_backend backend;
	mer_str_printf(&expected, "%s%s", first, second);
	bool fatal = find(a, &out, &backend);
	assert_string_equal(out.data, expected.data);
	assert_int_equal(fatal, strstr(expected.data, "fatal ") != NULL);
	assert_int_equal(backend, fatal ? RECORD_LTTNG : a->expected);
	mer_str_fini(&expected);
	mer_str_fini(&out);
}

#define FINDS(facts_, first, second) finds(&(struct asked){ .facts = { facts_ } }, first, second)

static void tracers(void **state)
{
	(void)state;
	FINDS(GOOD, "", "");
	FINDS(NO_KERNEL "no_lttng=1\n", "fatal h1: LTTng is not installed (repair); ", "");
	FINDS(NO_KERNEL "groups=adm tracing2\n",
		"fatal h1: user ann may not record the kernel: neither root nor in group tracing (repair); ",
		"");
	static const char no_daemon[] =
		"fatal h1: root's session daemon of LTTng does not run, which records "
		"the kernel for group tracing (repair); ";
	FINDS(NO_KERNEL "groups=adm tracing\n", no_daemon, "");
	FINDS(NO_KERNEL "groups=tracing adm\n", no_daemon, "");
	static const char no_modules[] =
		"fatal h1: the modules of LTTng are missing for kernel 6.1 (repair); ";
	FINDS("uid=0\nagent=perl\nkernel=6.1\n", no_modules, "");
	FINDS(NO_KERNEL "groups=tracing\nroot_daemon=1\n", no_modules, "");
	FINDS("uid=0\nagent=perl\nmodules=loaded\n",
		"fatal h1: LTTng cannot record the kernel: no reason is given (repair); ", "");
	FINDS("uid=0\nagent=perl\nmodules=there\nkernel_tracer_error=odd\n",
		"fatal h1: LTTng cannot record the kernel: odd (repair); ", "");
	/* Events of user space need no kernel tracer. */
	struct asked user = { .preset = "channel user u 2 4K\nuser x\n",
		.facts = { "agent=perl\n" } };
	finds(&user, "", "");
	user.facts[0] = "agent=perl\nno_lttng=1\n";
	finds(&user,
		"fatal h1: LTTng is not installed, which records events of user space (repair); ",
		"");
}

/* A preset that can do without the kernel does, if user space is to be recorded as well. */
static void optional_kernel(void **state)
{
	(void)state;
	struct asked a = {
		.preset =
			"optional kernel\nchannel kernel k 2 4K\nchannel user u 2 4K\nkernel a\nuser x\n",
		.facts = { NO_KERNEL "groups=adm\n" }
	};
	finds(&a,
		"warning h1: user ann may not record the kernel: neither root nor in group tracing (repair); ",
		"warning h1: only events of user space are recorded: what the kernel did meanwhile will not be known; ");
	a.facts[0] = GOOD;
	finds(&a, "", "");
	a.facts[0] = NO_KERNEL "no_lttng=1\n";
	finds(&a, "fatal h1: LTTng is not installed, which records events of user space (repair); ",
		"fatal h1: LTTng is not installed (repair); ");
	a.preset = "optional kernel\nchannel kernel k 2 4K\nkernel a\n";
	a.facts[0] = NO_KERNEL "groups=adm\n";
	finds(&a,
		"fatal h1: user ann may not record the kernel: neither root nor in group tracing (repair); ",
		"");
}

/* ftrace or perf take LTTng's place for a recording of a preset that has events of them. */
static void the_other_tracer(void **state)
{
	(void)state;
	static const char with[] = "channel kernel k 2 4K\nkernel a\nftrace a\n";
	static const char probes[] = "channel kernel k 2 4K\nkernel a\nftrace a mer:tx mer:open\n";
#define NO_LTTNG "uid=0\nagent=perl\nno_lttng=1\n"
#define TRACEFS NO_LTTNG "tracefs=/sys/kernel/tracing\n"
	struct asked a = { .preset = with,
		.facts = { TRACEFS },
		.backend = RECORD_N_BACKENDS,
		.expected = RECORD_TRACEFS };
	/* Who never had LTTng misses nothing; who has it is told why it does not record. */
	finds(&a, "", "");
	a.facts[0] = "uid=0\nagent=perl\nkernel=6.1\nlttng=2.13\ntracefs=/sys/kernel/tracing\n";
	finds(&a, "note h1: the modules of LTTng are missing for kernel 6.1 (repair); ", "");
	a.facts[0] = TRACEFS;
	static const char none[] = "fatal h1: LTTng is not installed (repair); ";
	a.mode = RECORD_SNAPSHOT;
	finds(&a, "", "");
	a.mode = RECORD_LIVE;
	finds(&a, none, "fatal h1: no relay daemon runs, which a live recording needs (repair); ");
	a.mode = RECORD_NORMAL;
	a.rotate_ns = 1;
	finds(&a, none, "");
	a.rotate_ns = 0;
	a.preset = "channel kernel k 2 4K\nkernel a\n";
	finds(&a, none, "");
	a.preset = "channel kernel k 2 4K\nchannel user u 2 4K\nuser u\nkernel a\nftrace a\n";
	finds(&a, "fatal h1: LTTng is not installed, which records events of user space (repair); ",
		none);
	a.preset = with;
	/* What packets and names will have depends on what the kernel accepts. */
	a.preset = probes;
	a.facts[0] = TRACEFS;
	finds(&a,
		"note h1: ftrace records packets without headers and files without names, because "
		"this kernel accepts no probes: requests between programs are not found (repair); ",
		"");
	a.facts[0] = TRACEFS "probes=tprobe\nprobes=eprobe\n";
	finds(&a,
		"note h1: ftrace records, with headers of packets and names of files by tprobes; ",
		"");
	a.facts[0] = TRACEFS "probes=eprobe\n";
	finds(&a,
		"note h1: ftrace records packets without headers, because the kernel does not say where "
		"headers are (no BTF): requests between programs are not found (repair); ",
		"");
	a.facts[0] = TRACEFS "container=yes\nown_pids=yes\nprobes=tprobe\nprobes=eprobe\n";
	finds(&a,
		"note h1: this container has process numbers of its own, so /proc is not read: tasks "
		"have the host's numbers, and files that were open before have no names; ",
		"note h1: ftrace records, with headers of packets and names of files by tprobes; ");
	/* Of several hosts it is a warning. */
	a.facts[0] = TRACEFS "name=a\n";
	a.facts[1] = TRACEFS "name=b\nprobes=tprobe\nprobes=eprobe\n";
	finds(&a,
		"warning h1: ftrace records packets without headers and files without names, because "
		"this kernel accepts no probes: clocks are aligned by rounds alone, and what passes "
		"between hosts is not found (repair); ",
		"note h2: ftrace records, with headers of packets and names of files by tprobes; ");
	a.facts[1] = NULL;
	/* perf is the last choice of our own, and one's first that asks for it. */
	a.preset = with;
	a.expected = RECORD_PERF;
	a.facts[0] = NO_LTTNG "perf=6.1\nperf_may=yes\n";
	finds(&a,
		"note h1: perf records packets without headers and files without names: requests "
		"between programs are not found; ",
		"");
	a.backend = RECORD_PERF;
	a.facts[0] = TRACEFS;
	finds(&a, "fatal h1: perf cannot record the kernel: it is not installed (repair); ", "");
	a.facts[0] = "uid=1000\nuser=ann\nagent=perl\nno_lttng=1\nperf=6.1\n";
	finds(&a,
		"fatal h1: perf cannot record the kernel: this user may not record the kernel (repair); ",
		"");
	a.facts[0] = "uid=1000\nuser=ann\nagent=perl\nno_lttng=1\nperf=6.1\nperf_error=No rights\n";
	finds(&a, "fatal h1: perf cannot record the kernel: No rights (repair); ", "");
	a.backend = RECORD_TRACEFS;
	a.expected = RECORD_TRACEFS;
	finds(&a, "fatal h1: ftrace cannot record the kernel: only root may use it (repair); ", "");
	a.facts[0] = NO_LTTNG "tracefs_missing=yes\n";
	finds(&a,
		"note h1: tracefs is not mounted: a recording with ftrace mounts it; what the kernel "
		"accepts there is known then (repair); ",
		"");
	a.facts[0] = NO_LTTNG "lockdown=confidentiality\n";
	finds(&a,
		"fatal h1: ftrace cannot record the kernel: the kernel is locked down (confidentiality); ",
		"");
	/* Asked for, it is taken although LTTng could record. */
	a.facts[0] = GOOD "tracefs=/sys/kernel/tracing\ntracefs_mounted=yes\n";
	finds(&a, "note h1: tracefs was not mounted and is now (repair); ", "");
	a.backend = RECORD_LTTNG;
	a.facts[0] = TRACEFS;
	finds(&a, none, "");
}

/* Whatever records: what another recording left is mentioned. */
static void other_recordings(void **state)
{
	(void)state;
	FINDS(GOOD "instance=/sys/kernel/tracing/instances/meridian-x\n",
		"note h1: another recording is under way, or was killed (repair); ", "");
}

/* Where nothing records, each tracer's reason is said, and what leads on. */
static void no_tracer(void **state)
{
	(void)state;
	struct asked a = { .preset = "channel kernel k 2 4K\nkernel a\nftrace a\n",
		.facts = { NO_LTTNG },
		.backend = RECORD_N_BACKENDS };
	finds(&a,
		"fatal h1: no tracer can record the kernel: ftrace: there is no tracefs to make an "
		"instance in; perf: it is not installed; LTTng: it is not installed (repair); ",
		"");
	a.facts[0] = NO_LTTNG "container=yes\nperf=6.1\nperf_error=No rights\n";
	finds(&a,
		"fatal h1: no tracer can record the kernel from this container: ftrace: there is no "
		"tracefs to make an instance in; perf: No rights; LTTng: it is not installed (repair); ",
		"");
	a.facts[0] = "uid=1000\nuser=ann\nagent=perl\nlttng=2.13\nperf=6.1\n";
	finds(&a,
		"fatal h1: no tracer can record the kernel: ftrace: only root may use it; perf: this user "
		"may not record the kernel; LTTng: it cannot record the kernel (repair); ",
		"");
}

static void events(void **state)
{
	(void)state;
	FINDS(GOOD "event=a\n", "", "");
	FINDS(GOOD "event=c\n", "warning h1: this kernel, or its tracer, has no a (repair); ", "");
}

static void space(void **state)
{
	(void)state;
	FINDS(GOOD "free_kib=2097152\n", "", "");
	FINDS(GOOD "free_kib=-5\n", "", "");
	FINDS(GOOD "free_kib=2097151\n",
		"warning h1: no more than 2047 MiB are free for traces (repair); ", "");
	FINDS(GOOD "free_kib=262144\n",
		"warning h1: no more than 256 MiB are free for traces (repair); ", "");
	FINDS(GOOD "free_kib=262143\n", "fatal h1: only 255 MiB are free for traces (repair); ",
		"");
	FINDS(GOOD "free_kib=0\n", "fatal h1: only 0 MiB are free for traces (repair); ", "");
}

static void clock_sources(void **state)
{
	(void)state;
	FINDS(GOOD "clock_source=tsc\n", "", "");
	FINDS(GOOD "clock_source=hpet\n", "warning h1: clock source hpet ", slow_clock);
	FINDS(GOOD "clock_source=acpi_pm\n", "warning h1: clock source acpi_pm ", slow_clock);
	FINDS(GOOD "clock_source=jiffies\n", "warning h1: clock source jiffies ", slow_clock);
	FINDS(GOOD "clock_source=pit\n", "warning h1: clock source pit ", slow_clock);
	FINDS(GOOD "chrony_refclock=PHC /dev/ptp0\n", "", "");
	FINDS(GOOD "chrony_server=ntp\n", "", "");
	FINDS(GOOD "chrony_refclock=PPS\nchrony_server=ntp\n", "", "");
	FINDS(GOOD
		"chrony_refclock=PPS\nchrony_refclock=PHC /dev/ptp0\nchrony_server=one\nchrony_pool=two\n",
		"warning h1: chrony has a PHC and servers of NTP (one): when they disagree the clock runs away and "
		"is pulled back, a sawtooth; keep one of the two (repair); ",
		"");
}

static void what_else_it_needs(void **state)
{
	(void)state;
	struct asked live = { .mode = RECORD_LIVE, .facts = { GOOD } };
	finds(&live, "fatal h1: no relay daemon runs, which a live recording needs (repair); ", "");
	live.facts[0] = GOOD "relay_daemon=1\n";
	finds(&live, "", "");
	FINDS("uid=0\nkernel_tracer=1\n",
		"note h1: neither perl nor python3 is there: no beacons and no clock measurements of this host "
		"(repair); ",
		"");
}

/* A shell in an agent's place matters where there are others to exchange packets with. */
static void shell_agents(void **state)
{
	(void)state;
	FINDS("uid=0\nkernel_tracer=1\nagent=sh\n", "", "");
	struct asked two = { .facts = { "uid=0\nkernel_tracer=1\nagent=sh\nboot_id=a\n",
				     GOOD "boot_id=b\n" } };
	finds(&two,
		"note h1: neither perl (with Time::HiRes) nor python3 is there: no beacons of this host, "
		"and its clock is measured by a shell, to some ms (repair); ",
		"");
}

static void several_hosts(void **state)
{
	(void)state;
	/* Offload is of no interest where there is one host. */
	FINDS(GOOD "card=eth0\nreceive_offload=on\n", "", "");
	struct asked a = { .facts = { GOOD "card=eth0\nreceive_offload=off\n", GOOD } };
	finds(&a, "", "");
	a.facts[0] = GOOD "card=eth0\nreceive_offload=on\n";
	finds(&a,
		"note h1: receive offload of eth0 joins packets before they are recorded: fewer match (repair); ",
		"");
	static const char one[] = GOOD "name=n\nboot_id=b\n";
	a.facts[0] = a.facts[1] = one;
	finds(&a, "fatal h2: h2 and h1 ", twice);
	static const char *const others[] = { GOOD "name=n\nboot_id=c\n",
		GOOD "name=m\nboot_id=b\n",
		"uid=1\nkernel_tracer=1\nagent=perl\nname=n\nboot_id=b\n", GOOD "name=n\n" };
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		a.facts[1] = others[i];
		finds(&a, "", "");
	}
	a.facts[0] = a.facts[1] = GOOD "name=n\n"; /* of neither it is known */
	finds(&a, "", "");
}

static void of_clock(const char *facts, const char *first, const char *second)
{
	finds(&(struct asked){ .facts = { facts }, .of_clock = true }, first, second);
}

static void clocks(void **state)
{
	(void)state;
	static const char ptp[] = "which chrony does not use (repair); ";
	of_clock("clock_daemon=chronyd\n", "", "");
	of_clock("clock_daemon=chronyd\nclock_source=pit\n", "warning h1: clock source pit ",
		slow_clock);
	of_clock("",
		"note h1: nothing disciplines this clock, so it drifts, at a steady rate; meridian aligns such "
		"clocks well (repair); ",
		"");
	of_clock("clock_daemon=x\nclock_offset_s=0.001\n", "", "");
	of_clock("clock_daemon=x\nclock_offset_s=-0.001\n", "", "");
	static const char wait[] = " ms and is being corrected: wait before recording (repair); ";
	of_clock("clock_daemon=x\nclock_offset_s=0.0015\n", "note h1: the clock is off by 1.500",
		wait);
	of_clock("clock_daemon=x\nclock_offset_s=-0.25\n", "note h1: the clock is off by -250.000",
		wait);
	of_clock("clock_daemon=x\nguest=1\n",
		"note h1: this host is a guest without the clock of its hypervisor (kernel 4.11 and later on KVM "
		"have it: ptp_kvm) (repair); ",
		"");
	of_clock("clock_daemon=x\nguest=1\nptp=/dev/ptp0 KVM\n",
		"note h1: this host is a guest and has the clock /dev/ptp0 KVM, ", ptp);
	of_clock("clock_daemon=x\nguest=1\nptp=/dev/ptp0 KVM\nchrony_refclock=PPS\n",
		"note h1: this host is a guest and has the clock /dev/ptp0 KVM, ", ptp);
	of_clock("clock_daemon=x\nguest=1\nptp=/dev/ptp0 KVM\nchrony_refclock=PHC /dev/ptp0\n", "",
		"");
	of_clock("clock_daemon=x\nptp=/dev/ptp0 KVM\n", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracers),
		cmocka_unit_test(optional_kernel),
		cmocka_unit_test(the_other_tracer),
		cmocka_unit_test(no_tracer),
		cmocka_unit_test(other_recordings),
		cmocka_unit_test(events),
		cmocka_unit_test(space),
		cmocka_unit_test(clock_sources),
		cmocka_unit_test(what_else_it_needs),
		cmocka_unit_test(shell_agents),
		cmocka_unit_test(several_hosts),
		cmocka_unit_test(clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
