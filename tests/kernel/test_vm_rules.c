/* What vCPUs did, and what that makes of the time of their guests' tasks: worlds by hand, times in
 * us. h is the hypervisor; a and b are guests. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "kernel/vm/culprit.h"
#include "kernel/vm/exits.h"
#include "kernel/vm/guests.h"
#include "lives.h"
#include "path/path.h"
#include "sync/result.h"

#define ENTRY(at, cpu) at "us " cpu " kvm_x86_entry vcpu_id=177722608\n"
#define EXIT(at, cpu, reason, vcpu)                                                                \
	at "us " cpu " kvm_x86_exit exit_reason=" reason                                           \
	   " guest_rip=1 isa=1 info1=0 info2=0 vcpu_id=" vcpu "\n"
#define TO_USER(at, cpu) at "us " cpu " kvm_userspace_exit reason=2 errno=0\n"
#define CALL(at, cpu) at "us " cpu " syscall_entry_ioctl fd=12 cmd=44672 arg=0\n"
#define RETURN(at, cpu) at "us " cpu " syscall_exit_ioctl ret=0 arg=0\n"
#define MIGRATE(at, cpu, tid, from, to)                                                            \
	at "us " cpu " sched_migrate_task comm=\"t" tid "\" tid=" tid " prio=20 orig_cpu=" from    \
	   " dest_cpu=" to "\n"
#define ANY(at, cpu) WAKING(at, cpu, "99", "0")

/* "HYPERVISOR GUEST ID:TID ..." */
struct vm_case {
	struct lives l;
	struct sync_vm vms[3];
	struct sync_vcpu vcpus[8];
};

static uint32_t host_number(const struct vm_case *c, const char *name)
{
	for (uint32_t h = 0; h < c->l.s.e->n_hosts; h++)
		if (strcmp(c->l.s.e->hosts[h].name, name) == 0)
			return h;
	fail_msg("no host %s", name);
	return 0;
}

/* vms: "h a 0:31", several with commas between; with a process: "h a/40 0:31". */
static void open_vms(struct vm_case *c, const char *scenario, const char *vms)
{
	struct mer_err err = { 0 };
	struct kernel_observer wants[4] = { { .wants = KERNEL_WANT_VMS },
		{ .wants = KERNEL_WANT_VMS }, { .wants = KERNEL_WANT_VMS },
		{ .wants = KERNEL_WANT_VMS } };
	struct kernel_world_options o = { .n_threads = 1, .observers = wants };
	char text[200], *at = text, *rest;
	uint32_t n = 0, n_vcpus = 0;
	*c = (struct vm_case){ 0 };
	scenario_open(&c->l.s, scenario);
	snprintf(text, sizeof(text), "%s", vms);
	for (char *one; (one = strtok_r(at, ",", &rest)); at = NULL) {
		struct sync_vm *vm = &c->vms[n++];
		char *words, *word = strtok_r(one, " ", &words);
		vm->hypervisor = host_number(c, word);
		word = strtok_r(NULL, " ", &words);
		char *pid = strchr(word, '/');
		vm->pid = pid ? (uint32_t)atoi(pid + 1) : SYNC_NO_PID;
		if (pid)
			*pid = '\0';
		vm->guest = host_number(c, word);
		vm->vcpus = &c->vcpus[n_vcpus];
		while ((word = strtok_r(NULL, " ", &words))) {
			struct sync_vcpu *v = &c->vcpus[n_vcpus++];
			assert_int_equal(sscanf(word, "%" SCNu32 ":%" SCNu32, &v->id, &v->tid), 2);
			vm->n_vcpus++;
		}
	}
	if (c->l.s.result) {
		c->l.s.result->vms = c->vms;
		c->l.s.result->n_vms = n;
	}
	if (kernel_world_build(c->l.s.e, &c->l.s.messages, c->l.s.result, &o, &c->l.w, &err))
		fail_msg("%s", err.text);
}

/* ---- stays ---- */

static void tile(const struct kernel_vcpu *v)
{
	assert_true(v->n_stays > 0);
	assert_int_equal(v->stays[0].begin, v->begin);
	for (uint32_t i = 0; i < v->n_stays; i++)
		assert_true(kernel_stay_end(v, i) > v->stays[i].begin ||
			    (i + 1 == v->n_stays && v->end == v->stays[i].begin));
}

/* Of the vCPUs of host h, one after the other with " | " between. */
static void stays_are(const char *scenario, const char *expected)
{
	struct vm_case c;
	struct mer_str out = { 0 };
	open_vms(&c, scenario, "");
	const struct kernel_vcpus *v = &c.l.w->vcpus[host_number(&c, "h")];
	for (uint32_t i = 0; i < v->n; i++) {
		const struct kernel_vcpu *one = &v->vcpus[i];
		tile(one);
		mer_str_printf(&out, "%s%d:", i ? " | " : "", (int)one->tid);
		for (uint32_t k = 0; k < one->n_stays; k++) {
			const struct kernel_vcpu_stay *s = &one->stays[k];
			mer_str_printf(&out, "%s %" PRId64 " %s", k ? "," : "", s->begin / 1000,
				kernel_vcpu_state_names[s->state]);
			if (s->exit != KERNEL_NONE)
				mer_str_printf(&out, " %s", kernel_exit_name(s->exit));
			if (s->cpu)
				mer_str_printf(&out, " @%u", (unsigned)s->cpu);
			if (s->by != KERNEL_NONE)
				mer_str_printf(&out, " by %s", v->runners[s->by].comm);
		}
		mer_str_printf(&out, ", %" PRId64, one->end / 1000);
	}
	assert_string_equal(out.data ? out.data : "", expected);
	mer_str_fini(&out);
	lives_close(&c.l);
}

static void in_turn(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT(
			  "30", "0", "48", "0") ENTRY("35", "0") EXIT("40", "0", "1", "0")
			  SWITCH("45", "0", "31", "0", "5") SWITCH("50", "0", "5", "0", "6")
				  SWITCH("60", "0", "6", "1", "31") ENTRY("65", "0") ANY("70", "0"),
		"31: 20 in guest, 30 hypervisor EPT_VIOLATION, 35 in guest, 40 hypervisor EXTERNAL_INTERRUPT, 45 preempted EXTERNAL_INTERRUPT by t5, 50 preempted EXTERNAL_INTERRUPT by t6, 60 hypervisor EXTERNAL_INTERRUPT, 65 in guest, 70");
}

/* A thread that sleeps because its guest has nothing to do; once woken it waits for a CPU. */
static void halted(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT("30", "0",
			  "12", "0") SWITCH("40", "0", "31", "1", "5") WAKING("50", "0", "31", "0")
			  SWITCH("60", "0", "5", "1", "31") ENTRY("65", "0") ANY("70", "0"),
		"31: 20 in guest, 30 hypervisor HLT, 40 halted HLT, 50 runnable HLT by t5, 60 hypervisor HLT, 65 in guest, 70");
}

/* Who leaves its CPU while another one is not recorded may run there: nothing is known of it until
 * it is seen again, and a wake-up does not say where it waits. */
static void lost_elsewhere(void **state)
{
	(void)state;
	stays_are("host h\n" ANY("5", "1") SWITCH("10", "0", "0", "0", "31")
			  ENTRY("20", "0") "25us 1 packet\n" EXIT("30", "0", "48", "0") SWITCH(
				  "40", "0", "31", "0", "5") WAKING("45", "0", "31",
				  "0") "50us 1 lost 3\n51us 1 packet\n" ANY("55", "1")
				  SWITCH("60", "0", "5", "1", "31") ENTRY("65", "0") ANY("70", "0"),
		"31: 20 in guest, 30 hypervisor EPT_VIOLATION, 40 unknown, 65 in guest, 70");
}

/* A switch from 31 to 32 is missing at 50 without being counted: whose the entries and exits
 * between two others are is not known, and who enters in such a stretch alone is no vCPU. */
static void lost_and_not_counted(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT(
			  "30", "0", "48", "0") SWITCH("35", "0", "31", "0", "5") SWITCH("40", "0",
			  "5", "0", "31") ENTRY("45", "0") EXIT("55", "0", "1", "1")
			  SWITCH("60", "0", "32", "0", "5") SWITCH("70", "0", "5", "0", "32")
				  ENTRY("75", "0") SWITCH("80", "0", "6", "0", "0") ANY("90", "0"),
		"31: 20 in guest, 30 hypervisor EPT_VIOLATION, 35 preempted EPT_VIOLATION by t5, 40 unknown, 90");
	/* Seen on another CPU, and a wait that a missing switch has ended. */
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT(
			  "30", "0", "48", "0") SWITCH("35", "0", "31", "0", "5") SWITCH("40", "0",
			  "5", "0", "31") ENTRY("45", "0") SWITCH("50", "1", "6", "0", "31")
			  ENTRY("60", "1") EXIT("62", "0", "1", "1") EXIT("65", "1", "12", "0")
				  SWITCH("70", "1", "31", "1", "6") WAKING("75", "1", "31", "1")
					  SWITCH("80", "1", "6", "0", "7")
						  SWITCH("90", "1", "31", "0", "6") ANY("95", "1"),
		"31: 20 in guest, 30 hypervisor EPT_VIOLATION, 35 preempted EPT_VIOLATION by t5, 40 unknown, 50 unknown @1, 60 in guest @1, 65 hypervisor HLT @1, 70 halted HLT @1, 75 runnable HLT @1 by t6, 80 unknown @1, 90 runnable @1 by t6, 95");
}

/* Switches from 31 to 7 on CPU 0 and to 31 on CPU 1 are missing, which the next one on CPU 0 shows.
 * It says nothing about 31, of which more is known by then: that it is on CPU 1, or waits for CPU
 * 0. */
static void lost_and_seen_since(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0")
			  SWITCH("50", "1", "6", "0", "31") ENTRY("60", "1")
				  SWITCH("65", "0", "7", "0", "8") ANY("70", "1"),
		"31: 20 unknown, 50 unknown @1, 60 in guest @1, 70");
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") SWITCH(
			  "50", "1", "6", "0", "31") ENTRY("55", "1") EXIT("60", "1", "12", "0")
			  SWITCH("62", "1", "31", "1", "6") WAKING("66", "0", "31", "0")
				  SWITCH("66", "0", "7", "0", "8") ANY("70", "1"),
		"31: 20 unknown, 50 unknown @1, 55 in guest @1, 60 hypervisor HLT @1, 62 halted HLT @1, 66 runnable HLT by t8, 70");
	/* Nobody waits for a thread that is elsewhere, itself the least. */
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") SWITCH(
			  "50", "1", "6", "0", "31") ENTRY("55", "1") EXIT("60", "1", "12", "0")
			  SWITCH("62", "1", "31", "1", "6") WAKING("66", "0", "31", "0")
				  SWITCH("68", "0", "7", "0", "8") ANY("70", "1"),
		"31: 20 unknown, 50 unknown @1, 55 in guest @1, 60 hypervisor HLT @1, 62 halted HLT @1, 66 runnable HLT, 68 runnable HLT by t8, 70");
}

#define WITHOUT(at, back)                                                                          \
	SWITCH(at, "0", "7", "0", "31")                                                            \
	SWITCH(back, "0", "31", "0", "7")
#define SEVEN_WITHOUT                                                                              \
	WITHOUT("41", "42")                                                                        \
	WITHOUT("43", "44")                                                                        \
	WITHOUT("45", "46")                                                                        \
	WITHOUT("47", "48") WITHOUT("49", "50") WITHOUT("51", "52") WITHOUT("53", "54")

/* Where two switches are lost a stretch is whole and has another one's entries. Who runs a guest
 * enters it more often than one time in eight. */
static void enters_seldom(void **state)
{
	(void)state;
	for (int n = 7; n <= 8; n++) {
		char text[4000];
		struct vm_case c;
		snprintf(text, sizeof(text), "host h\n%s%s%s",
			SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0")
				SWITCH("30", "0", "31", "0", "7") SEVEN_WITHOUT,
			n == 8 ? WITHOUT("55", "56") : "", ANY("60", "0"));
		open_vms(&c, text, "");
		assert_int_equal(c.l.w->vcpus[host_number(&c, "h")].n, n == 7);
		lives_close(&c.l);
	}
}

/* It sleeps where it is, if not for want of work: memory that has to be read, say. */
static void asleep(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT("30", "0",
			  "48", "0") SWITCH("40", "0", "31", "2", "0") WAKING("50", "0", "31", "0")
			  SWITCH("50", "0", "0", "0", "31") ENTRY("65", "0") ANY("70", "0"),
		"31: 20 in guest, 30 hypervisor EPT_VIOLATION, 50 hypervisor EPT_VIOLATION, 65 in guest, 70");
}

static void in_its_process(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT(
			  "30", "0", "30", "0") TO_USER("35", "0") RETURN("36", "0") CALL("40", "0")
			  ENTRY("45", "0") EXIT("50", "0", "30", "0") RETURN("55", "0")
				  CALL("60", "0") ENTRY("65", "0") ANY("70", "0"),
		"31: 20 in guest, 30 hypervisor IO_INSTRUCTION, 35 user IO_INSTRUCTION, 40 hypervisor, 45 in guest, 50 hypervisor IO_INSTRUCTION, 55 user IO_INSTRUCTION, 60 hypervisor, 65 in guest, 70");
}

/* The record begins in the guest; the other vCPU was on its CPU since the record began. */
static void from_the_middle(void **state)
{
	(void)state;
	stays_are("host h\n" ANY("5", "0") SWITCH("10", "0", "0", "0", "31")
			  EXIT("20", "0", "1", "0") EXIT("25", "1", "1", "1") ENTRY("30", "0")
				  SWITCH("40", "1", "32", "0", "5") ANY("50", "0"),
		"31: 10 in guest, 20 hypervisor EXTERNAL_INTERRUPT, 30 in guest, 50 | 32: 5 in guest @1, 25 hypervisor EXTERNAL_INTERRUPT @1, 40 preempted EXTERNAL_INTERRUPT @1 by t5, 50");
}

/* While it waits it is moved to a CPU where another task runs. */
static void moved(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("5", "1", "0", "0", "7") SWITCH("10", "0", "0", "0", "31")
			  ENTRY("20", "0") EXIT("30", "0", "1", "0") SWITCH(
				  "35", "0", "31", "0", "5") MIGRATE("40", "0", "31", "0", "1")
				  SWITCH("45", "0", "5", "0", "6") SWITCH("50", "1", "7", "1", "31")
					  ENTRY("55", "1") ANY("60", "0"),
		"31: 20 in guest, 30 hypervisor EXTERNAL_INTERRUPT, 35 preempted EXTERNAL_INTERRUPT by t5, 40 preempted EXTERNAL_INTERRUPT @1 by t7, 50 hypervisor EXTERNAL_INTERRUPT @1, 55 in guest @1, 60");
	/* One that sleeps is moved as it is woken: it does not wait for a CPU before that. */
	stays_are("host h\n" SWITCH("5", "1", "0", "0", "7") SWITCH("10", "0", "0", "0",
			  "31") ENTRY("20", "0") EXIT("30", "0", "12", "0") SWITCH("35", "0", "31",
			  "1", "0") MIGRATE("40", "0", "31", "0", "1") WAKING("45", "0", "31", "1")
			  SWITCH("50", "1", "7", "1", "31") ENTRY("55", "1") ANY("60", "0"),
		"31: 20 in guest, 30 hypervisor HLT, 35 halted HLT, 45 runnable HLT @1 by t7, 50 hypervisor HLT @1, 55 in guest @1, 60");
}

/* Woken while it was still on its way to sleep: it does not sleep. */
static void woken_early(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT("30", "0",
			  "12", "0") WAKING("39", "0", "31", "0") SWITCH("40", "0", "31", "1", "5")
			  SWITCH("60", "0", "5", "1", "31") ENTRY("65", "0") ANY("70", "0"),
		"31: 20 in guest, 30 hypervisor HLT, 40 runnable HLT by t5, 60 hypervisor HLT, 65 in guest, 70");
}

static void exits(void **state)
{
	(void)state;
	stays_are("host h\n" SWITCH("10", "0", "0", "0", "31") ENTRY("20", "0") EXIT(
			  "30", "0", "12", "0") SWITCH("40", "0", "31", "64", "5") ANY("50", "0"),
		"31: 20 in guest, 30 hypervisor HLT, 40");
}

/* ---- guests' tasks ---- */

/* Of a task: when it did what, with who had its CPU. They tile its life, whatever was stolen. */
static void task_is(const struct vm_case *c, const char *host, int32_t tid, const char *expected)
{
	const struct kernel_host *h = lives_host(&c->l, host);
	uint32_t task = kernel_find_task(h, tid, NULL, 0);
	struct mer_str out = { 0 };
	assert_int_not_equal(task, KERNEL_NONE);
	uint32_t spans[100], n = 0;
	for (uint32_t i = h->tasks[task].last; i != KERNEL_NONE && n < 100;
		i = kernel_span(h, i)->before)
		spans[n++] = i;
	while (n--) {
		const struct kernel_span *s = kernel_span(h, spans[n]);
		if (s->begin == (n ? kernel_span(h, spans[n - 1])->begin : h->tasks[task].end))
			continue;
		mer_str_printf(&out, "%s%" PRId64 " ", out.len ? ", " : "", s->begin / 1000);
		if (s->state == KERNEL_INTERRUPTED && s->cause >= KERNEL_STOLEN)
			mer_str_printf(&out, "%s: %s",
				kernel_cause_name((enum kernel_cause)s->cause),
				kernel_absence_words(h->guest, s->source));
		else
			mer_str_puts(&out, kernel_state_name((enum kernel_state)s->state));
	}
	mer_str_printf(&out, ", %" PRId64, h->tasks[task].end / 1000);
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
}

#define HOSTS_HA "host h\nhost a\n"
#define HOSTS_HAB HOSTS_HA "host b\n"

/* The first kind: a task of the hypervisor had the CPU. And what the hypervisor did is no theft. */
static void stolen_by_a_task(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") EXIT(
			"30", "h 0", "48", "0") ENTRY("35", "h 0") EXIT("40", "h 0", "1",
			"0") SWITCH("45", "h 0", "31", "0", "5") SWITCH("60", "h 0", "5", "1", "31")
			ENTRY("65", "h 0") ANY("90", "h 0") SWITCH("10", "a 0", "0", "0", "100")
				SWITCH("80", "a 0", "100", "0", "0") ANY("90", "a 0"),
		"h a 0:31");
	task_is(&c, "a", 100,
		"10 running, 30 hypervisor: EPT_VIOLATION, 35 running, 40 hypervisor: EXTERNAL_INTERRUPT, 45 stolen: t5/5 on h, 60 hypervisor: EXTERNAL_INTERRUPT, 65 running, 80 runnable, 90");
	lives_close(&c.l);
}

/* A thief that got another name is one neighbour, by the name that it had last: of the guest's CPU
 * 0 at 45, although its CPU 1 comes after that in the list. */
static void thief_is_renamed(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") SWITCH(
			"5", "h 1", "0", "0", "32") ENTRY("6", "h 1") EXIT("18", "h 1", "1",
			"1") SWITCH("20", "h 1", "32", "0", "5") SWITCH("30", "h 1", "5", "1",
			"32") ENTRY("35", "h 1") EXIT("40", "h 0", "1",
			"0") "45us h 0 sched_switch prev_comm=\"t31\" prev_tid=31 prev_prio=20 prev_state=0 next_comm=\"new\" next_tid=5 next_prio=20\n"
			     "60us h 0 sched_switch prev_comm=\"new\" prev_tid=5 prev_prio=20 prev_state=1 next_comm=\"t31\" next_tid=31 next_prio=20\n" ENTRY(
				     "65", "h 0") ANY("90", "h 0") ANY("90", "h 1") SWITCH("10",
				     "a 0", "0", "0", "100") SWITCH("10", "a 1", "0", "0", "101")
				     ANY("90", "a 0") ANY("90", "a 1"),
		"h a 0:31 1:32");
	const struct kernel_guest *g = lives_host(&c.l, "a")->guest;
	uint32_t n = 0;
	assert_non_null(g);
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->absences[i].by_tid != 5)
			continue;
		assert_string_equal(kernel_guest_text(g, g->absences[i].neighbour), "new/5 on h");
		n++;
	}
	assert_int_equal(n, 2);
	lives_close(&c.l);
}

/* The second kind: another guest's vCPU had it, and what its guest ran meanwhile changed. */
static void stolen_by_another_guest(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HAB SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") EXIT("20", "h 0",
			"1", "0") SWITCH("22", "h 0", "31", "0", "41") ENTRY("24", "h 0") EXIT("50",
			"h 0", "1", "0") SWITCH("52", "h 0", "41", "0", "31") ENTRY("55", "h 0")
			ANY("90", "h 0") SWITCH("10", "a 0", "0", "0", "100") SWITCH("80", "a 0",
				"100", "0", "0") ANY("90", "a 0") SWITCH("25", "b 1", "0", "0",
				"200") SWITCH("40", "b 1", "200", "0", "0") ANY("45", "b 1"),
		"h a 0:31,h b 1:41");
	task_is(&c, "a", 100,
		"10 running, 20 hypervisor: EXTERNAL_INTERRUPT, 22 stolen: b, idle (vCPU t41/41 on h), 25 stolen: t200/200 on b (vCPU t41/41 on h), 40 stolen: b, idle (vCPU t41/41 on h), 52 hypervisor: EXTERNAL_INTERRUPT, 55 running, 80 runnable, 90");
	task_is(&c, "b", 200, "25 running, 40 runnable, 45");
	/* Its thread had 100, of which the task in it had 60; with 40 it is not named. */
	const struct kernel_guest *g = lives_host(&c.l, "a")->guest;
	for (int64_t own = 60; own >= 40; own -= 20) {
		struct kernel_thefts t = { 0 };
		for (uint32_t i = 0; i < g->n; i++)
			if (g->absences[i].guest_tid >= 0)
				assert_true(kernel_thefts_add(&t, g, i,
					g->absences[i].guest_tid == 200 ? own : 100 - own));
		struct kernel_theft most = kernel_culprit(&t);
		assert_int_equal(most.ns, 100);
		assert_string_equal(kernel_absence_words(g, kernel_absence_thread(&most)),
			"b (vCPU t41/41 on h)");
		if (own == 60) {
			assert_int_equal(most.task_ns, 60);
			assert_string_equal(kernel_theft_task(&most), "t200/200");
		} else {
			assert_null(kernel_theft_task(&most));
		}
		kernel_thefts_fini(&t);
	}
	lives_close(&c.l);
}

/* What the path says of a task from begin to end: what it waited for. */
static void path_is(const struct vm_case *c, const char *host, int32_t tid, int64_t begin,
	int64_t end, const char *expected)
{
	const struct kernel_host *h = lives_host(&c->l, host);
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	struct path p;
	if (path_find(c->l.w, (uint32_t)(h - c->l.w->hosts), kernel_find_task(h, tid, NULL, 0),
		    begin * 1000, end * 1000, &p, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *s = &p.segments[i];
		mer_str_printf(&out, "%s%" PRId64 " %s", i ? ", " : "", s->begin / 1000,
			path_cause_name((enum path_cause)s->cause));
		if (s->by != KERNEL_NONE)
			mer_str_printf(
				&out, " of %d", (int)h->tasks[kernel_span(h, s->by)->task].tid);
		if (s->cause == PATH_STOLEN || s->cause == PATH_HYPERVISOR)
			mer_str_printf(&out, ": %s", kernel_absence_words(h->guest, s->source));
	}
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	path_fini(&p);
}

/* The third kind is in the guest itself: who waits for a task of it is runnable. While the vCPU is
 * away, the wait is for the thief; and for the hypervisor while an idle one has not begun to
 * run. */
static void waits_in_the_guest(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") EXIT("30", "h 0", "1",
			"0") SWITCH("30", "h 0", "31", "0", "5") SWITCH("40", "h 0", "5", "1", "31")
			ENTRY("40", "h 0") ANY("90", "h 0") SWITCH("10", "a 0", "0", "0", "100")
				SWITCH("20", "a 0", "100", "0", "101")
					SWITCH("50", "a 0", "101", "0", "100") ANY("90", "a 0"),
		"h a 0:31");
	task_is(&c, "a", 100, "10 running, 20 runnable, 50 running, 90");
	task_is(&c, "a", 101,
		"10 runnable, 20 running, 30 stolen: t5/5 on h, 40 running, 50 runnable, 90");
	path_is(&c, "a", 100, 10, 60,
		"10 running, 20 runnable of 101, 30 stolen of 101: t5/5 on h, 40 runnable of 101, 50 running");
	lives_close(&c.l);
}

static void waits_for_an_idle_cpu(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") SWITCH("5", "h 1",
			"0", "0", "32") ENTRY("6", "h 1") EXIT("20", "h 1", "12", "1") SWITCH("21",
			"h 1", "32", "1", "5") WAKING("40", "h 0", "32", "1") SWITCH("60", "h 1",
			"5", "0", "32") ENTRY("70", "h 1") ANY("150", "h 0") ANY("150", "h 1")
			SWITCH("10", "a 0", "0", "0", "100") SWITCH("10", "a 1", "101", "1", "0")
				WAKING("30", "a 0", "101", "1") SWITCH("80", "a 1", "0", "0", "101")
					ANY("140", "a 0") ANY("140", "a 1"),
		"h a 0:31 1:32");
	path_is(&c, "a", 101, 30, 100,
		"30 hypervisor: HLT, 40 stolen: t5/5 on h, 60 hypervisor: HLT, 70 runnable, 80 running");
	lives_close(&c.l);
}

#define ISSUE(at, cpu)                                                                             \
	at "us " cpu " block_rq_issue dev=5 sector=8 nr_sector=8 bytes=4096 tid=100 rwbs=4 "       \
	   "comm=\"t\"\n"
#define COMPLETE(at, cpu)                                                                          \
	at "us " cpu " block_rq_complete dev=5 sector=8 nr_sector=8 error=0 rwbs=4\n"

/* Of a path who did what, from when on. */
static void path_by(const struct vm_case *c, const char *host, int32_t tid, int64_t begin,
	int64_t end, const char *expected)
{
	const struct kernel_host *h = lives_host(&c->l, host);
	struct mer_str out = { 0 };
	struct mer_err err = { 0 };
	struct path p;
	if (path_find(c->l.w, (uint32_t)(h - c->l.w->hosts), kernel_find_task(h, tid, NULL, 0),
		    begin * 1000, end * 1000, &p, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < p.n_segments; i++) {
		const struct path_segment *s = &p.segments[i];
		mer_str_printf(&out, "%s%" PRId64 " %d %s", i ? ", " : "", s->begin / 1000,
			(int)c->l.w->hosts[s->host].tasks[s->task].tid,
			path_cause_name((enum path_cause)s->cause));
	}
	assert_string_equal(out.data, expected);
	mer_str_fini(&out);
	path_fini(&p);
}

/* A guest's task waits for its disk, which the VM's process serves (40; 41 reads for it, and wakes
 * it by a write, too): from the interrupt back through the vCPU, who sent the interrupt, and whom
 * that one waited for, to the exit. */
#define SERVED(waker)                                                                              \
	HOSTS_HA SWITCH("4", "h 1", "40", "1", "0") SWITCH("4", "h 2", "41", "1", "0") SWITCH("5", \
		"h 0", "0", "0",                                                                   \
		"31") ENTRY("6", "h 0") EXIT("30", "h 0", "49", "0") WAKING("31", "h 0", "40",     \
		"1") ENTRY("32", "h 0") SWITCH("33", "h 1", "0", "0", "40") WAKING("35", "h 1",    \
		"41", "2") SWITCH("36", "h 1", "40", "1", "0") SWITCH("37", "h 2", "0", "0",       \
		"41") EXIT("38", "h 0", "12", "0") SWITCH("39", "h 0", "31", "1", "0") ENTER("44", \
		"h 2", "write", "fd=9 buf=0 count=8") WAKING("45", "h 2", "40", "1") LEAVE("46",   \
		"h 2", "write", "8") SWITCH("47", "h 1", "0", "0", "40") ENTER("50", "h 1",        \
		"write", "fd=7 buf=0 count=8") waker LEAVE("52", "h 1", "write", "8") ENTER("54",  \
		"h 2", "write", "fd=9 buf=0 count=8") LEAVE("56", "h 2", "write", "8")             \
		SWITCH("57", "h 0", "0", "0", "31") ENTRY("60", "h 0") ANY("150", "h 0") ANY(      \
			"150", "h 1") ANY("150", "h 2") SWITCH("10", "a 0", "0", "0", "100")       \
			ISSUE("25", "a 0") SWITCH("28", "a 0", "100", "2", "0") EVENT(             \
				"62", "a 0", "irq_handler_entry irq=25 name=\"virtio0-req.0\"")    \
				COMPLETE("63", "a 0") WAKING("64", "a 0", "100", "0")              \
					EVENT("66", "a 0", "irq_handler_exit irq=25 ret=1")        \
						SWITCH("70", "a 0", "0", "0", "100")               \
							ANY("140", "a 0")

static void waits_through_the_hypervisor(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		SERVED(WAKING("51", "h 1", "31",
			"0")) "1us h 1 lttng_statedump_process_state tid=41 pid=40 name=\"t41\" status=5\n",
		"h a/40 0:31");
	path_by(&c, "a", 100, 10, 80,
		"10 100 running, 28 31 running, 31 40 runnable, 33 40 running, 36 41 runnable, 37 41 running, 44 41 running, 45 40 runnable, 47 40 running, 50 40 running, 52 31 runnable, 57 31 running, 60 100 disk, 64 100 runnable, 70 100 running");
	const struct kernel_guest *g = lives_host(&c.l, "a")->guest;
	assert_int_equal(g->n_relays, 1);
	assert_int_equal(g->relays[0].sent, 52000);
	lives_close(&c.l);
	/* Without the process nobody is known to serve it, but for who wakes the vCPU. */
	open_vms(&c, SERVED(WAKING("51", "h 1", "31", "0")), "h a 0:31");
	path_by(&c, "a", 100, 10, 80,
		"10 100 running, 28 31 running, 39 41 running, 44 41 running, 45 40 runnable, 47 40 running, 50 40 running, 51 31 runnable, 57 31 running, 60 100 disk, 64 100 runnable, 70 100 running");
	lives_close(&c.l);
}

/* A vCPU that is stopped as its guest spins: if another one of the guest is preempted, that one has
 * the lock, perhaps. */
static void spins(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") SWITCH("5", "h 1",
			"0", "0", "32") ENTRY("6", "h 1") EXIT("20", "h 0", "40", "0") ENTRY("22",
			"h 0") EXIT("30", "h 1", "1", "1") SWITCH("31", "h 1", "32", "0", "7")
			EXIT("40", "h 0", "40", "0") ENTRY("43", "h 0") SWITCH("60", "h 1", "7",
				"1", "32") ENTRY("62", "h 1") EXIT("70", "h 0", "40", "0")
				ENTRY("73", "h 0") ANY("90", "h 0") ANY("90", "h 1") SWITCH("10",
					"a 0", "0", "0", "100") SWITCH("10", "a 1", "0", "0", "101")
					ANY("85", "a 0") ANY("85", "a 1"),
		"h a 0:31 1:32");
	task_is(&c, "a", 100,
		"10 running, 20 hypervisor: PAUSE_INSTRUCTION, 22 running, 40 hypervisor: spins while CPU 1 is preempted by t7/7 on h (PAUSE_INSTRUCTION), 43 running, 70 hypervisor: PAUSE_INSTRUCTION, 73 running, 85");
	lives_close(&c.l);
}

/* A task that is moved while it waits does not wait for its old CPU any more, nor did it wait for
 * its new one before. */
static void waits_and_is_moved(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") SWITCH("5", "h 1",
			"0", "0", "32") ENTRY("6", "h 1") EXIT("30", "h 0", "1", "0") SWITCH("30",
			"h 0", "31", "0", "5") SWITCH("40", "h 0", "5", "1", "31") ENTRY("40",
			"h 0") EXIT("50", "h 1", "1", "1") SWITCH("50", "h 1", "32", "0",
			"6") SWITCH("60", "h 1", "6", "1", "32") ENTRY("60", "h 1") EXIT("120",
			"h 1", "1", "1") SWITCH("120", "h 1", "32", "0", "6") SWITCH("130", "h 1",
			"6", "1", "32") ENTRY("130", "h 1") EXIT("125", "h 0", "1", "0")
			SWITCH("125", "h 0", "31", "0", "5") SWITCH("135", "h 0", "5", "1", "31")
				ENTRY("135", "h 0") ANY("190", "h 0") ANY("190", "h 1") SWITCH("10",
					"a 0", "0", "0", "100") SWITCH("10", "a 1", "0", "0", "102")
					SWITCH("20", "a 0", "100", "0", "101")
						MIGRATE("100", "a 1", "100", "0", "1")
							SWITCH("150", "a 1", "102", "0", "100")
								ANY("180", "a 0") ANY("180", "a 1"),
		"h a 0:31 1:32");
	path_is(&c, "a", 100, 10, 160,
		"10 running, 20 runnable, 30 stolen: t5/5 on h, 40 runnable, 100 runnable of 102, 120 stolen of 102: t6/6 on h, 130 runnable of 102, 150 running");
	lives_close(&c.l);
}

/* An event of the guest while its CPU is away (its clock is not exact): who comes onto the CPU then
 * is away from it, too. */
static void bad_events(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0")
			EXIT("30", "h 0", "1", "0") ENTRY("40", "h 0") ANY("90", "h 0") SWITCH("10",
				"a 0", "0", "0", "100") ENTER("15", "a 0", "read", "fd=3 count=1")
				SWITCH("35", "a 0", "100", "1", "101") ANY("90", "a 0"),
		"h a 0:31");
	task_is(&c, "a", 100,
		"10 user, 15 syscall, 30 hypervisor: EXTERNAL_INTERRUPT, 35 blocked, 90");
	lives_close(&c.l);
}

/* An interrupt of the guest goes on after its CPU was away. */
static void interrupts(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") EXIT(
			"30", "h 0", "1", "0") ENTRY("40", "h 0") ANY("90", "h 0") SWITCH("10",
			"a 0", "0", "0", "100") EVENT("20", "a 0", "irq_softirq_entry vec=1")
			EVENT("50", "a 0", "irq_softirq_exit vec=1") ANY("90", "a 0"),
		"h a 0:31");
	task_is(&c, "a", 100,
		"10 running, 20 interrupted, 30 hypervisor: EXTERNAL_INTERRUPT, 40 interrupted, 50 running, 90");
	lives_close(&c.l);
}

/* A guest of a guest: h runs a, a runs b. What h takes from a is taken from b; while a's own task
 * has a's CPU, that one is to blame, but for the time in which that was stolen from, too. */
static void nested(void **state)
{
	struct vm_case c;
	(void)state;
	open_vms(&c,
		HOSTS_HAB SWITCH("5", "h 0", "0", "0", "31") ENTRY("6", "h 0") EXIT("20", "h 0",
			"1", "0") SWITCH("20", "h 0", "31", "0", "5") SWITCH("25", "h 0", "5", "1",
			"31") ENTRY("25", "h 0") EXIT("45", "h 0", "1", "0") SWITCH("45", "h 0",
			"31", "0", "5") SWITCH("48", "h 0", "5", "1", "31") ENTRY("48",
			"h 0") ANY("90", "h 0") SWITCH("10", "a 0", "0", "0", "71") ENTRY("11",
			"a 0") EXIT("40", "a 0", "1", "0") SWITCH("42", "a 0", "71", "0", "7")
			SWITCH("50", "a 0", "7", "1", "71") ENTRY("52", "a 0") ANY("90", "a 0")
				SWITCH("12", "b 0", "0", "0", "100") ANY("80", "b 0"),
		"h a 0:31,a b 0:71");
	task_is(&c, "b", 100,
		"12 running, 20 stolen: t5/5 on h, 25 running, 40 hypervisor: EXTERNAL_INTERRUPT, 42 stolen: t7/7 on a, 45 stolen: t5/5 on h, 48 stolen: t7/7 on a, 50 hypervisor: EXTERNAL_INTERRUPT, 52 running, 80");
	task_is(&c, "a", 7,
		"10 runnable, 42 running, 45 stolen: t5/5 on h, 48 running, 50 blocked, 90");
	lives_close(&c.l);
}

/* It is said where it is not known what became of a CPU. */
static void known(void **state)
{
	struct vm_case c;
	bool is_known;
	(void)state;
	open_vms(&c,
		HOSTS_HA SWITCH("5", "h 0", "0", "0", "31") ENTRY("20", "h 0") ANY("60", "h 0")
			SWITCH("10", "a 0", "0", "0", "100") ANY("90", "a 0"),
		"h a 0:31");
	const struct kernel_guest *g = lives_host(&c.l, "a")->guest;
	assert_int_equal(kernel_guest_known(g, 0, 10000, &is_known), 20000);
	assert_false(is_known);
	assert_int_equal(kernel_guest_known(g, 0, 20000, &is_known), 60000);
	assert_true(is_known);
	assert_int_equal(kernel_guest_known(g, 0, 60000, &is_known), INT64_MAX);
	assert_false(is_known);
	kernel_guest_known(g, 1, 30000, &is_known);
	assert_false(is_known);
	lives_close(&c.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_turn),
		cmocka_unit_test(halted),
		cmocka_unit_test(asleep),
		cmocka_unit_test(lost_elsewhere),
		cmocka_unit_test(lost_and_not_counted),
		cmocka_unit_test(lost_and_seen_since),
		cmocka_unit_test(enters_seldom),
		cmocka_unit_test(in_its_process),
		cmocka_unit_test(from_the_middle),
		cmocka_unit_test(moved),
		cmocka_unit_test(woken_early),
		cmocka_unit_test(exits),
		cmocka_unit_test(stolen_by_a_task),
		cmocka_unit_test(thief_is_renamed),
		cmocka_unit_test(stolen_by_another_guest),
		cmocka_unit_test(waits_in_the_guest),
		cmocka_unit_test(waits_for_an_idle_cpu),
		cmocka_unit_test(waits_and_is_moved),
		cmocka_unit_test(spins),
		cmocka_unit_test(waits_through_the_hypervisor),
		cmocka_unit_test(bad_events),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(nested),
		cmocka_unit_test(known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
