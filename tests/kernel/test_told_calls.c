/* Calls that are told by number (raw_syscalls): what they are about comes from the registers, and
 * paths and addresses from probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "lives.h"

#define DECLARED                                                                                   \
	"event \"raw_syscalls:sys_enter\" { s64 id; u64 args[6] }\n"                               \
	"event \"raw_syscalls:sys_exit\" { s64 id; s64 ret }\n"                                    \
	"event \"mer:open\" { u64 dfd; u64 flags; string path }\n"                                 \
	"event \"mer:connect\" { s32 fd; u16 family; u16 port; u32 v4 }\n"                         \
	"event \"mer:accept\" { u64 sk; u16 dport; u16 sport; u32 daddr; u32 saddr }\n"            \
	"event \"mer:send\" { u64 sk; u32 size; u16 dport; u16 sport; u32 daddr; u32 saddr }\n"    \
	"event \"task:task_newtask\" { s32 pid; string16 comm; u64 clone_flags }\n"                \
	"event \"sched:sched_process_fork\" { string16 parent_comm; s32 parent_pid\n"              \
	"string16 child_comm; s32 child_pid }\n"
#define ON(cpu, tid) SWITCH("5", cpu, "0", "0", tid)
#define IN(at, id, args) at "us 0 \"raw_syscalls:sys_enter\" id=" id " args=[" args "]\n"
#define OUT(at, id, ret) at "us 0 \"raw_syscalls:sys_exit\" id=" id " ret=" ret "\n"
#define OPENED(at, path) at "us 0 \"mer:open\" path=\"" path "\"\n"
/* 10.0.0.2:80, as it is in the memory of a machine with the lowest byte first. */
#define ADDRESS "0x0200000a"
#define PORT "0x5000"

/* All calls that are on something, in the order in which they were first made. */
static void calls_are(const char *scenario, const char *expected)
{
	struct mer_str out = { 0 };
	struct lives l;
	lives_open(&l, scenario);
	const struct kernel_host *h = &l.w->hosts[0];
	for (uint32_t i = 0; i < h->n_calls; i++) {
		const struct kernel_call *c = &h->calls[i];
		if (c->object == KERNEL_NONE && c->fd < 0)
			continue;
		mer_str_printf(&out, "%s%s", out.len ? ", " : "", kernel_name_text(h, c->name));
		if (c->fd >= 0)
			mer_str_printf(&out, " %d", (int)c->fd);
		if (c->object != KERNEL_NONE)
			mer_str_printf(&out, " %s", kernel_name_text(h, c->object));
	}
	assert_string_equal(out.len ? out.data : "", expected);
	mer_str_fini(&out);
	lives_close(&l);
}

/* Events of the calls' own, with a field for each register: `-e 'syscalls:*'`. */
#define TYPED                                                                                        \
	"event \"syscalls:sys_enter_openat\" { s32 __syscall_nr; u64 dfd; u64 filename; u64 flags\n" \
	"u64 mode }\n"                                                                               \
	"event \"syscalls:sys_exit_openat\" { s32 __syscall_nr; s64 ret }\n"                         \
	"event \"syscalls:sys_enter_read\" { s32 __syscall_nr; u64 fd; u64 buf; u64 count }\n"       \
	"event \"syscalls:sys_exit_read\" { s32 __syscall_nr; s64 ret }\n"                           \
	"event \"syscalls:sys_enter_dup2\" { s32 __syscall_nr; u64 oldfd; u64 newfd }\n"             \
	"event \"syscalls:sys_exit_dup2\" { s32 __syscall_nr; s64 ret }\n"                           \
	"event \"mer:open\" { u64 dfd; u64 flags; string path }\n"
static void typed(void **state)
{
	(void)state;
	calls_are(
		TYPED ON("0", "10") "10us 0 \"syscalls:sys_enter_openat\" __syscall_nr=257 "
				    "dfd=0xffffff9c filename=4096 flags=0\n" OPENED("11", "/a") /**/
		"12us 0 \"syscalls:sys_exit_openat\" __syscall_nr=257 ret=5\n"
		/* a descriptor is 32 bits of its register */
		"13us 0 \"syscalls:sys_enter_read\" __syscall_nr=0 fd=0xdead00000005\n"
		"14us 0 \"syscalls:sys_exit_read\" __syscall_nr=0 ret=1\n"
		"15us 0 \"syscalls:sys_enter_dup2\" __syscall_nr=33 oldfd=5 newfd=7\n"
		"16us 0 \"syscalls:sys_exit_dup2\" __syscall_nr=33 ret=7\n"
		"17us 0 \"syscalls:sys_enter_read\" __syscall_nr=0 fd=7\n"
		"18us 0 \"syscalls:sys_exit_read\" __syscall_nr=0 ret=1\n",
		"openat /a, read 5 /a, dup2 5 /a, read 7 /a");
}

/* A stock kernel's own event of a socket that connects, without any probe. */
#define STATES                                                                                     \
	DECLARED "event \"sock:inet_sock_set_state\" { u64 skaddr; s32 oldstate; s32 newstate\n"   \
		 "u16 sport; u16 dport; u16 family; u16 protocol; u8 saddr[4]; u8 daddr[4] }\n"
#define STATE(at, family, old, new, port)                                                          \
	at "us 0 \"sock:inet_sock_set_state\" oldstate=" old                                       \
	   " newstate=" new " sport=0 dport=" port " family=" family                               \
			    " protocol=6 saddr=[10,0,0,1] daddr=[10,0,0,2]\n"
static void states_of_sockets(void **state)
{
	(void)state;
	calls_are(STATES ON("0", "10") IN("10", "42", "4,4096,16,0,0,0") /**/
		STATE("11", "2", "7", "2", "80") OUT("12", "42", "0")
		/* what follows is on it, and what another socket does meanwhile is not */
		IN("13", "1", "4,2,1,0,0,0") STATE("14", "2", "2", "1", "99") OUT("15", "1", "1")
		/* of IPv6 the event's own four bytes are none */
		IN("16", "42", "5,4096,28,0,0,0") STATE("17", "10", "7", "2", "80")
			OUT("18", "42", "0"),
		"connect 4, connect 4 10.0.0.2:80, write 4 10.0.0.2:80, connect 5");
}

/* Both are recorded: that is one call, not two. */
static void typed_and_numbers(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, DECLARED
		"event \"syscalls:sys_enter_read\" { s32 __syscall_nr; u64 fd; u64 buf; u64 count }\n"
		"event \"syscalls:sys_exit_read\" { s32 __syscall_nr; s64 ret }\n" ON("0", "10") IN(
			"10", "0",
			"3,2,1,0,0,0") "10500ns 0 \"syscalls:sys_enter_read\" __syscall_nr=0 fd=3\n"
				       "11us 0 \"syscalls:sys_exit_read\" __syscall_nr=0 ret=5\n"
				       "12us 0 \"raw_syscalls:sys_exit\" id=0 ret=5\n");
	assert_int_equal(l.w->hosts[0].n_calls_left_out, 0);
	assert_int_equal(l.w->hosts[0].n_odd, 0);
	lives_close(&l);
}

static void registers(void **state)
{
	(void)state;
	calls_are(DECLARED ON("0", "10") IN("10", "0", "3,2,1,0,0,0") OUT("11", "0", "5")
			  IN("12", "9", "0,4096,1,2,7,0") OUT("13", "9", "0")
		/* a descriptor is 32 bits of its register */
		IN("14", "1", "0xdead00000004,2,1,0,0,0") OUT("15", "1", "1"),
		"read 3, mmap 7, write 4");
	/* Without the registers the name is all there is. */
	calls_are("event \"raw_syscalls:sys_enter\" { s64 id }\n" ON(
			  "0", "10") "10us 0 \"raw_syscalls:sys_enter\" id=0\n",
		"");
}

/* On another machine the same numbers are other calls; on one that is not known they are none. */
static void machines(void **state)
{
	(void)state;
#define TRACE(machine) "trace kernel { env architecture \"" machine "\" }\n"
	calls_are(TRACE("aarch64") DECLARED ON("0", "10") IN("10", "63", "3,2,1,0,0,0")
			  OUT("11", "63", "5"),
		"read 3");
	calls_are(TRACE("s390x") DECLARED ON("0", "10") IN("10", "0", "3,2,1,0,0,0")
			  OUT("11", "0", "5"),
		"");
}

/* The address of a futex is all of its register; its operation is not. */
static void futexes(void **state)
{
	(void)state;
	lives_told(DECLARED ON("0", "10") IN("10", "202", "0x7f0012345678,0xff00000081,1,0,0,0")
			   OUT("11", "202", "1"),
		"call", "call futex 10-11 = 1 @0 args 139638282147448,129,1 of 10");
}

static void paths(void **state)
{
	(void)state;
	calls_are(DECLARED ON("0", "10") IN("10", "257", "0xffffff9c,99,0,0,0,0")
			  OPENED("11", "/etc/passwd") OUT("12", "257", "3")
				  IN("13", "0", "3,0,0,0,0,0") OUT("14", "0", "1"),
		"openat /etc/passwd, read 3 /etc/passwd");
	/* The probe's place is that of the entry, and it may be the first of the two. */
	calls_are(DECLARED ON("0", "10") IN("8", "39", "0,0,0,0,0,0") OUT("9", "39", "1")
			  OPENED("10", "/a") IN("10", "257", "0xffffff9c,99,0,0,0,0")
				  OUT("12", "257", "3") IN("13", "0", "3,0,0,0,0,0"),
		"openat /a, read 3 /a");
	/* It is told once, to the task that is on the CPU, in a call that has a path. */
	calls_are(DECLARED ON("0", "10") IN("8", "39", "0,0,0,0,0,0") OUT("9", "39", "1")
			  OPENED("10", "/a") SWITCH("11", "0", "10", "0", "12")
				  IN("12", "257", "0xffffff9c,99,0,0,0,0") OUT("13", "257", "3")
					  IN("14", "0", "3,0,0,0,0,0"),
		"read 3");
	calls_are(DECLARED ON("0", "10") IN("10", "257", "0xffffff9c,99,0,0,0,0") OPENED("11", "/a")
			  OPENED("11", "/lib/ld.so") OUT("12", "257", "3")
				  IN("13", "0", "3,0,0,0,0,0") OPENED("13", "/b"),
		"openat /a, read 3 /a");
	/* Not read, as the page was not in memory. */
	calls_are(DECLARED ON("0", "10") IN("10", "257", "0xffffff9c,99,0,0,0,0") OPENED("11", "")
			  OPENED("11", "(fault)") OUT("12", "257", "3"),
		"");
	/* Below a folder that is known. */
	calls_are(DECLARED ON("0", "10") IN("10", "257", "0xffffff9c,99,0,0,0,0")
			  OPENED("11", "/srv") OUT("12", "257", "3") IN("13", "257", "3,99,0,0,0,0")
				  OPENED("14", "www") OUT("15", "257", "4"),
		"openat /srv, openat /srv/www");
}

/* Told at the entry's own time, it is what the call is about from its begin on. */
static void paths_at_once(void **state)
{
	struct lives l;
	(void)state;
	lives_open(&l, DECLARED ON("0", "10") IN("10", "257", "0xffffff9c,99,0,0,0,0") OPENED(
			       "10", "/a") OUT("12", "257", "3") IN("14", "0", "3,0,0,0,0,0"));
	const struct kernel_host *h = &l.w->hosts[0];
	uint32_t n = 0;
	for (uint32_t i = 0; i < h->n_spans; i++) {
		const struct kernel_span *s = kernel_span(h, i);
		if (s->begin != 10000 || s->call == KERNEL_NONE)
			continue;
		assert_string_equal(kernel_name_text(h, h->calls[s->call].object), "/a");
		n++;
	}
	assert_int_equal(n, 1);
	lives_close(&l);
}

/* The exit's number is that of a call that began before the recording; of -1, behind a signal's
 * handler, there is none. */
static void exits(void **state)
{
	(void)state;
	lives_check(DECLARED ON("0", "10") OUT("10", "45", "7") IN("20", "0", "3,0,0,0,0,0"), 10,
		"5 unknown @-, 5 syscall in recvfrom, 10 user, 20 syscall in read");
	lives_check(DECLARED ON("0", "10") OUT("10", "-1", "7") IN("20", "0", "3,0,0,0,0,0"), 10,
		"5 unknown @-, 5 syscall in , 10 user, 20 syscall in read");
	/* That of another call: between the two are events missing, and nothing was opened. */
	calls_are(DECLARED ON("0", "10") IN("10", "257", "0xffffff9c,99,0,0,0,0") OPENED("11", "/a")
			  OUT("12", "0", "3") IN("13", "0", "3,0,0,0,0,0"),
		"openat /a, read 3");
}

static void addresses(void **state)
{
	(void)state;
	calls_are(DECLARED ON("0", "10") IN("8", "41", "2,1,0,0,0,0") OUT("9", "41", "3")
			  IN("10", "42", "3,99,16,0,0,0") "11us 0 \"mer:connect\" fd=3 family=2 "
							  "port=" PORT " v4=" ADDRESS
							  "\n" OUT("12", "42", "0")
								  IN("13", "1", "3,0,0,0,0,0"),
		"socket tcp socket, connect 3 tcp socket, connect 3 10.0.0.2:80, write 3 10.0.0.2:80");
	calls_are(DECLARED ON("0", "10") IN("10", "288",
			  "4,0,0,0,0,0") "11us 0 \"mer:accept\" dport=" PORT " daddr=" ADDRESS
					 "\n" OUT("12", "288", "5") IN("13", "0", "5,0,0,0,0,0"),
		"accept4 4, read 5 10.0.0.2:80");
	/* A socket from before the recording, by what is sent on it; a known one stays. */
	calls_are(DECLARED ON("0", "10") IN("10", "1",
			  "6,0,0,0,0,0") "11us 0 \"mer:send\" dport=" PORT " daddr=" ADDRESS
					 "\n" OUT("12", "1", "7") IN("13", "0", "6,0,0,0,0,0") OUT(
						 "14", "0", "7") IN("15", "1",
						 "6,0,0,0,0,0") "16us 0 \"mer:send\" dport=" PORT
								" daddr=0x0300000a\n" OUT(
									"17", "1", "7") IN("18",
									"0", "6,0,0,0,0,0"),
		"write 6, write 6 10.0.0.2:80, read 6 10.0.0.2:80");
	/* Of IPv6 the probe has no address. */
	calls_are(DECLARED ON("0", "10") IN(
			  "10", "1", "6,0,0,0,0,0") "11us 0 \"mer:send\" dport=" PORT " daddr=0\n",
		"write 6");
}

/* The kernel's own fork has threads alone: whether the new one is a thread says task_newtask. */
static void new_tasks(void **state)
{
	struct lives l;
	(void)state;
#define NEW(at, tid, flags) at "us 0 \"task:task_newtask\" pid=" tid " clone_flags=" flags "\n"
#define FORKED(at, parent, child)                                                                  \
	at "us 0 \"sched:sched_process_fork\" parent_pid=" parent " child_pid=" child "\n"
	lives_open(&l, DECLARED ON("0", "10") NEW("9", "11", "0x11") FORKED("10", "10", "11")
			       NEW("11", "12", "0x3d0f00") FORKED("12", "10", "12")
				       FORKED("14", "10", "13"));
	const struct kernel_host *h = &l.w->hosts[0];
	const struct {
		int32_t tid, pid, ppid;
	} all[] = { { 10, 10, -1 }, { 11, 11, 10 }, { 12, 10, -1 }, { 13, -1, 10 } };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint32_t task = kernel_find_task(h, all[i].tid, NULL, 0);
		assert_int_not_equal(task, KERNEL_NONE);
		assert_int_equal(h->tasks[task].pid, all[i].pid);
		assert_int_equal(h->tasks[task].ppid, all[i].ppid);
	}
	lives_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(typed),
		cmocka_unit_test(typed_and_numbers), cmocka_unit_test(states_of_sockets),
		cmocka_unit_test(registers), cmocka_unit_test(machines), cmocka_unit_test(futexes),
		cmocka_unit_test(paths), cmocka_unit_test(paths_at_once), cmocka_unit_test(exits),
		cmocka_unit_test(addresses), cmocka_unit_test(new_tasks) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
