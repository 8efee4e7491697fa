/* Copies of /proc: what is read of them, and what is told of it, when, and what not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/str.h"
#include "ftrace/proc/proc.h"
#include "proc_folder_made.h"

#define BEFORE "proc-before/"
#define AFTER "proc-after/"
enum { S = 1000000000 };

static struct mer_arena arena;
static struct proc_snapshot both[2];
static struct ftrace_closes closes;

static int setup(void **state)
{
	(void)state;
	mer_arena_init(&arena);
	memset(both, 0, sizeof(both));
	closes = (struct ftrace_closes){ .is_wanted = true };
	made_begin();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	made_end();
	ftrace_closes_fini(&closes);
	proc_snapshot_fini(&both[0]);
	proc_snapshot_fini(&both[1]);
	mer_arena_fini(&arena);
	return 0;
}

static void read_both(const char *folder, bool is_be)
{
	int dir = open(folder, O_RDONLY | O_DIRECTORY);
	assert_true(dir >= 0);
	assert_true(proc_snapshot_read(&both[0], dir, "proc-before", is_be, &arena));
	assert_true(proc_snapshot_read(&both[1], dir, "proc-after", is_be, &arena));
	close(dir);
}

/* ---- what is read ---- */

static void tasks_are_read(void **state)
{
	(void)state;
	made_task(BEFORE "7", 7, "a) (b) S 1 2", 'S', 1, 100, 0);
	made_put(BEFORE "7/status", "Name:\tx\nNSpid:\t7\t3\nvoluntary_ctxt_switches:\t4\n"
				    "nonvoluntary_ctxt_switches:\t5\n");
	made_task(BEFORE "7/task/7", 7, "a", 'S', 1, 100, 0);
	made_task(BEFORE "7/task/9", 9, "tab\\nback\\\\", 'R', 1, 101, 0);
	made_task(BEFORE "12", 12, "kworker/u4:1-events_unbound", 'I', 2, 1, 1);
	made_task(BEFORE "13", 13, "kworker/3:0H+blk", 'I', 2, 1, 1);
	made_task(BEFORE "14", 14, "kworker/R-rcu_gp", 'I', 2, 1, 1);
	made_task(BEFORE "15", 15, "rcu_tasks_kthread", 'I', 2, 1, 1);
	made_task(BEFORE "16", 17, "not_its_own", 'S', 1, 1, 0); /* another's number */
	made_put(BEFORE "18/stat", "18 (cut) S");
	read_both(made_folder(), false);
	const struct proc_task *t = proc_task_at(&both[0], 7);
	assert_non_null(t);
	assert_string_equal(t->comm, "a) (b) S 1 2");
	assert_true(t->vtid == 3 && t->ppid == 1 && t->start_ticks == 100);
	assert_true(t->has_switches && t->switches == 9 && !t->is_kernel && t->state == 'S');
	t = proc_task_at(&both[0], 9);
	assert_non_null(t);
	assert_string_equal(t->comm, "tab\nback\\");
	assert_true(t->pid == 7 && t->state == 'R' && t->vpid == 3 && !t->has_switches);
	assert_string_equal(proc_task_at(&both[0], 12)->comm, "kworker/u4:1");
	assert_string_equal(proc_task_at(&both[0], 13)->comm, "kworker/3:0H");
	assert_string_equal(proc_task_at(&both[0], 14)->comm, "kworker/R-rcu_g");
	assert_string_equal(proc_task_at(&both[0], 15)->comm, "rcu_tasks_kthre");
	assert_true(proc_task_at(&both[0], 15)->is_kernel);
	assert_null(proc_task_at(&both[0], 16));
	assert_null(proc_task_at(&both[0], 17));
	assert_null(proc_task_at(&both[0], 18));
	assert_int_equal(both[0].n_damaged, 2);
	assert_false(both[1].is_there);
}

static const char *name_of(int32_t pid, int32_t fd)
{
	const struct proc_fd *f = proc_fd_at(&both[0], pid, fd);
	return f ? f->text : NULL;
}

static void descriptors_are_read(void **state)
{
	(void)state;
	made_task(BEFORE "7", 7, "a", 'S', 1, 100, 0);
	made_put(BEFORE "7/fd", "total 0\n"
				"lrwx------ 1 0 0 64 Nov 29 06:07 0 -> /dev/null\n"
				"l-wx------ 1 0 0 64 2026-11-29 06:07 12 -> /a -> b (deleted)\n"
				"lrwx------ 1 0 0 64 Nov 29 06:07 x -> /no\n"
				"lrwx------ 1 0 0 64 Nov 29 06:07 12 -> /twice\n"
				"lrwx------ 1 0 0 64 Nov 29 06:07 99999999 -> /too/large\n"
				"lrwx------ 1 0 0 64 Nov 29 06:07 4 ->");
	/* Its first thread has ended: another one has them. */
	made_task(BEFORE "20", 20, "b", 'Z', 1, 100, 0);
	made_task(BEFORE "20/task/21", 21, "b-io", 'S', 1, 100, 0);
	made_put(BEFORE "20/task/21/fd", "lrwx------ 1 0 0 64 Nov 29 06:07 3 -> socket:[5]\n");
	/* As /proc itself has them. */
	made_task(BEFORE "30", 30, "c", 'S', 1, 100, 0);
	made_put(BEFORE "30/fd/here", "%s", "");
	char link[128];
	snprintf(link, sizeof(link), "%s/" BEFORE "30/fd/0", made_folder());
	assert_int_equal(symlink("/etc/passwd", link), 0);
	snprintf(link, sizeof(link), "%s/" BEFORE "30/fd/11", made_folder());
	assert_int_equal(symlink("pipe:[77]", link), 0);
	read_both(made_folder(), false);
	assert_string_equal(name_of(7, 0), "/dev/null");
	assert_string_equal(name_of(7, 12), "/a -> b (deleted)");
	assert_string_equal(name_of(20, 3), "socket:[5]");
	assert_string_equal(name_of(30, 0), "/etc/passwd");
	assert_string_equal(name_of(30, 11), "pipe:[77]");
	assert_int_equal(both[0].n_fds, 5);
	assert_int_equal(both[0].n_damaged, 3);
}

/* The same in two files: as grep and ls write them. */
static void processes_are_listed(void **state)
{
	(void)state;
#define STAT(tid, comm, state)                                                                     \
#tid " (" comm ") " state " 1 " #tid " " #tid                                              \
	     " 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 100 0\n"
	made_put(BEFORE "tasks", "%s",
		"7/task/100/stat:" STAT(100, "a: b/stat:", "R") /* before its first thread */
		"7/task/100/status:NSpid:\t100\t2\n"
		"7/task/100/status:voluntary_ctxt_switches:\t4\n"
		"7/task/100/status:nonvoluntary_ctxt_switches:\t5\n"
		"7/task/7/stat:" STAT(7, "a",
			"S") "7/task/7/status:NSpid:\t7\t1\n"
			     "7/task/7/status:nonvoluntary_ctxt_switches:\t5\n"
			     "8/task/8/status:NSpid:\t8\n" /* its stat was gone */
			     "9/task/9/stat:" STAT(10, "not_its_own",
				     "S") "9/task/9/st\n"
					  "/etc/passwd:x\n"
					  "20/task/20/stat:" STAT(20, "b",
						  "Z") "20/task/21/stat:" STAT(21, "b-io", "S"));
	made_put(BEFORE "times", "7 5 6\n");
	made_put(BEFORE "fds", "lrwx------ 1 0 0 64 Nov 29 06:07 0 -> /nobody's\n"
			       "crw-rw-rw- 1 0 0 1, 3 Nov 20 07:44 /dev/null\n\n"
			       "7/fd:\ntotal 0\n"
			       "lrwx------ 1 0 0 64 Nov 29 06:07 3 -> socket:[5]\n"
			       "lrwx------ 1 0 0 64 Nov 29 06:07 4\n\n"
			       "20/task/21/fd:\n"
			       "lrwx------ 1 0 0 64 Nov 29 06:07 3 -> /a\n");
	made_task(BEFORE "30", 30, "not listed", 'S', 1, 100, 0);
	read_both(made_folder(), false);
	assert_int_equal(both[0].n_tasks, 4);
	assert_int_equal(both[0].tasks[0].tid, 7);
	const struct proc_task *t = proc_task_at(&both[0], 100);
	assert_non_null(t);
	assert_string_equal(t->comm, "a: b/stat:");
	assert_true(t->pid == 7 && t->vtid == 2 && t->vpid == 1 && t->state == 'R');
	assert_true(t->has_switches && t->switches == 9 && t->start_ticks == 100);
	assert_true(t->read_ns == 5 && t->read_by_ns == 6);
	assert_false(proc_task_at(&both[0], 7)->has_switches);
	assert_int_equal(proc_task_at(&both[0], 21)->pid, 20);
	assert_string_equal(name_of(7, 3), "socket:[5]");
	assert_string_equal(name_of(20, 3), "/a");
	assert_int_equal(both[0].n_fds, 2);
	assert_int_equal(both[0].n_damaged, 3);
}

static const struct proc_socket *socket_of(const char *text)
{
	const struct proc_socket *s = proc_socket_of(&both[0], text);
	assert_non_null(s);
	return s;
}

#define TCP_HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n"
#define REST " 00000000:00000000 00:00000000 00000000     0        0 "

static void sockets_are_read(void **state)
{
	(void)state;
	made_put(BEFORE "net/tcp",
		TCP_HEAD "   0: 00000000:0050 00000000:0000 0A" REST "10 1 0 100 0\n"
			 "   1: 0200000A:0050 0100000A:D5A2 01" REST "11 1 0 20 4\n"
			 "   2: 0200000A:0050 0100000A:D5A4 06" REST "0 3 0\n"
			 "   3: 0200000A:0050 0100000A:D5" /* cut */);
	made_put(BEFORE "net/tcp6", TCP_HEAD
		"   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A" REST
		"20 1\n"
		"   1: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:C000 01" REST
		"21 1\n"
		"   2: 0000000000000000FFFF00000200000A:1F90 0000000000000000FFFF00000100000A:C001 01" REST
		"22 1\n");
	made_put(BEFORE "net/udp", TCP_HEAD "  77: 00000000:0035 00000000:0000 07" REST "30 2\n"
					    "  78: 0200000A:8001 08080808:0035 01" REST "31 2\n");
	made_put(BEFORE "net/unix",
		"Num       RefCount Protocol Flags    Type St Inode Path\n"
		"000000000cd6c346: 00000003 00000000 00000000 0001 03 40\n"
		"00000000b31f7245: 00000002 00000000 00010000 0001 01 41 /run/a b\n"
		"nonsense\n");
	read_both(made_folder(), false);
	assert_true(socket_of("socket:[10]")->is_listening);
	assert_string_equal(socket_of("socket:[10]")->local, "0.0.0.0:80");
	assert_null(socket_of("socket:[10]")->remote);
	assert_string_equal(socket_of("socket:[11]")->local, "10.0.0.2:80");
	assert_string_equal(socket_of("socket:[11]")->remote, "10.0.0.1:54690");
	assert_string_equal(socket_of("socket:[20]")->local, "[::]:8080");
	assert_string_equal(socket_of("socket:[21]")->remote, "[::1]:49152");
	assert_string_equal(socket_of("socket:[22]")->remote, "10.0.0.1:49153");
	assert_false(socket_of("socket:[30]")->is_listening);
	assert_null(socket_of("socket:[30]")->remote);
	assert_string_equal(socket_of("socket:[31]")->remote, "8.8.8.8:53");
	assert_int_equal(socket_of("socket:[40]")->family, PROC_UNIX);
	assert_true(socket_of("socket:[41]")->is_listening);
	assert_string_equal(socket_of("socket:[41]")->local, "/run/a b");
	assert_null(proc_socket_of(&both[0], "socket:[0]"));
	assert_null(proc_socket_of(&both[0], "socket:[10"));
	assert_null(proc_socket_of(&both[0], "pipe:[10]"));
	assert_int_equal(both[0].n_damaged, 2);
}

/* The kernel writes addresses as numbers of the machine. */
static void sockets_of_the_other_order(void **state)
{
	(void)state;
	made_put(BEFORE "net/tcp", TCP_HEAD "   1: 0A000002:0050 0A000001:D5A2 01" REST "11 1\n");
	read_both(made_folder(), true);
	assert_string_equal(socket_of("socket:[11]")->remote, "10.0.0.1:54690");
}

static void put_list(struct mer_str *out, const struct proc_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		mer_str_printf(
			out, "%u %u %s\n", l->item[i].number, l->item[i].other, l->item[i].name);
}

static void the_host_is_read(void **state)
{
	(void)state;
	struct mer_str s = { 0 };
	made_put(BEFORE "partitions", "major minor  #blocks  name\n\n"
				      " 254        0    1433600 vda\n"
				      " 259        1    1048576 nvme0n1p1\n"
				      " 9999999    1    1 wrong\n 8 0 1");
	made_put(BEFORE "interrupts",
		"           CPU0       CPU1       \n"
		"  0:         91          0   IO-APIC   2-edge      timer\n"
		" 16:          0         12   IO-APIC  16-fasteoi   uhci_hcd:usb1, ehci hcd\n"
		" 24:          0          0   PCI-MSI 81920-edge      \n"
		" 25:        457          0  PCI-MSIX-0000:00:03.0   1-edge      virtio3-req.0\n"
		" 33:        120          4     GICv3  30 Level     arch_timer\n"
		"NMI:          0          0   Non-maskable interrupts\n"
		" 40:          1");
	made_put(BEFORE "cpuinfo", "processor\t: 0\nphysical id\t: 1\n\nprocessor\t: 1\n"
				   "physical id\t: 70000\n\nprocessor\t: 2\n");
	made_put(BEFORE "net/dev", "Inter-|   Receive\n face |bytes\n    lo: 71958 731\n"
				   "eth0:1: 5 6\n  :\n");
	made_put(BEFORE "sys/kernel/hostname", "web\n");
	made_put(BEFORE "uptime", "48.14 62.86\n");
	read_both(made_folder(), false);
	put_list(&s, &both[0].disks);
	mer_str_puts(&s, "-\n");
	put_list(&s, &both[0].irqs);
	mer_str_puts(&s, "-\n");
	put_list(&s, &both[0].cpus);
	mer_str_puts(&s, "-\n");
	put_list(&s, &both[0].interfaces);
	assert_string_equal(s.data, "266338304 0 vda\n271581185 0 nvme0n1p1\n-\n"
				    "0 0 timer\n16 0 uhci_hcd:usb1\n16 0 ehci hcd\n"
				    "25 0 virtio3-req.0\n33 0 arch_timer\n-\n"
				    "0 1 \n-\n0 0 lo\n0 0 eth0:1\n");
	assert_string_equal(both[0].hostname, "web");
	assert_int_equal(both[0].uptime_ns, 48140000000);
	mer_str_fini(&s);
}

/* ---- what is told ---- */

/* Times in s. */
static const char *told(const char *clock, int first, int last, bool is_whole)
{
	static struct mer_str out;
	struct proc_rows rows = { .before = &both[0],
		.after = &both[1],
		.clock = clock,
		.first = (uint64_t)first * S,
		.last = (uint64_t)last * S,
		.is_whole = is_whole,
		.closes = &closes,
		.arena = &arena };
	mer_str_fini(&out);
	out = (struct mer_str){ 0 };
	assert_true(proc_rows_find(&rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct ftrace_dump *d = &rows.row[i].dump;
		const int32_t *n = d->numbers;
		const char *name = d->texts[0] ? d->texts[0] : "";
		double s = (double)rows.row[i].time / S;
		switch (d->kind) {
		case FTRACE_DUMP_TASK:
			mer_str_printf(&out,
				"%g task %d of %d, parent %d, kernel %d, status %d: %s\n", s, n[0],
				n[1], n[2], n[3], n[4], name);
			break;
		case FTRACE_DUMP_SOCKET:
			mer_str_printf(&out, "%g socket %d %d family %d: %s, local %s\n", s, n[0],
				n[1], n[2], name, d->texts[1] ? d->texts[1] : "");
			break;
		default:
			mer_str_printf(
				&out, "%g %d: %d %d %s\n", s, (int)d->kind, n[0], n[1], name);
		}
	}
	if (rows.n_unconfirmed || rows.n_doubtful)
		mer_str_printf(&out, "unconfirmed %d, doubtful %d, gap %g\n",
			(int)rows.n_unconfirmed, (int)rows.n_doubtful, (double)rows.gap_ns / S);
	proc_rows_fini(&rows);
	return out.data ? out.data : "";
}

static void put_clocks(const char *times)
{
	made_put(BEFORE "clock",
		"before 5000000000 1005000000000\nafter 6000000000 1006000000000\n");
	made_put(AFTER "clock",
		"before 30000000000 1030000000000\nafter 31000000000 1031000000000\n");
	made_put(BEFORE "times", "%s", times);
}

static void close_of(int32_t tid, int32_t fd)
{
	*mer_map_put(&closes.at, ((uint64_t)(uint32_t)tid << 32 | (uint32_t)fd) + 1) = 1;
}

#define FD(n, text) "lrwx------ 1 0 0 64 Nov 29 06:07 " #n " -> " text "\n"

/* A gap of 4 s between the copy and the first record. 3 stands for the same; 4 for something else,
 * which nobody says since when; 5, too, but it was closed meanwhile; 6 is closed afterwards. 7 to 9
 * are there only afterwards: all the time, since a close, since somebody's close. */
static void descriptors_over_a_gap(void **state)
{
	(void)state;
	made_task(BEFORE "2", 2, "srv", 'R', 1, 100, 0);
	made_put(BEFORE "2/fd", FD(3, "/same") FD(4, "/a") FD(5, "/b") FD(6, "/c"));
	made_task(AFTER "2", 2, "srv", 'R', 1, 100, 0);
	made_put(AFTER "2/fd",
		FD(3, "/same") FD(4, "/x") FD(5, "/y") FD(7, "/all") FD(8, "/z") FD(9, "/w"));
	put_clocks("2 5500000000 5600000000\n");
	closes.is_recorded = true;
	close_of(2, 3);
	close_of(2, 5);
	close_of(2, 8);
	close_of(99, 9); /* of a task that nobody knows */
	read_both(made_folder(), false);
	assert_string_equal(told("mono", 10, 20, true),
		"10 task 2 of 2, parent 1, kernel 0, status 0: srv\n"
		"10 2: 2 3 /same\n10 2: 2 5 /b\n10 2: 2 6 /c\n10 2: 2 7 /all\n"
		"unconfirmed 2, doubtful 1, gap 4.5\n");
	/* Records were lost: a close may be among them. */
	assert_null(strstr(told("mono", 10, 20, false), "/all"));
	/* Calls were not recorded. */
	closes.is_recorded = false;
	assert_null(strstr(told("mono", 10, 20, true), "/all"));
	/* The program was left for another one. */
	closes.is_recorded = true;
	*mer_map_put(&closes.programs, 3) = 1;
	assert_null(strstr(told("mono", 10, 20, true), "/all"));
}

/* The copy was made while it was recorded: all of it is true when it was read. */
static void descriptors_without_a_gap(void **state)
{
	(void)state;
	made_task(BEFORE "2", 2, "srv", 'R', 1, 100, 0);
	made_put(BEFORE "2/fd", FD(3, "/a") FD(4, "/b"));
	made_task(AFTER "2", 2, "srv", 'R', 1, 100, 0);
	made_put(AFTER "2/fd", FD(3, "/x") FD(7, "/later"));
	put_clocks("2 5500000000 5600000000\n");
	closes.is_recorded = true;
	read_both(made_folder(), false);
	assert_string_equal(told("mono", 3, 20, true),
		"5.5 task 2 of 2, parent 1, kernel 0, status 0: srv\n5.5 2: 2 3 /a\n5.5 2: 2 4 /b\n");
}

/* Numbers are given again: 2 in the gap, 3 meanwhile, 4 afterwards; 5 and 6 began meanwhile and
 * afterwards; 7 is a thread of before that only the later copy has. */
static void tasks_over_a_gap(void **state)
{
	(void)state;
	for (int i = 2; i <= 4; i++) {
		char path[64];
		snprintf(path, sizeof(path), BEFORE "%d", i);
		made_task(path, i, "old", 'R', 1, 100, 0);
	}
	made_put(BEFORE "2/fd", FD(3, "/old"));
	made_task(AFTER "2", 2, "new2", 'R', 1, 800, 0);
	made_put(AFTER "2/fd", FD(3, "/new"));
	made_task(AFTER "3", 3, "new3", 'R', 1, 1500, 0);
	made_put(AFTER "3/fd", FD(3, "/new3"));
	made_task(AFTER "4", 4, "new4", 'R', 1, 2500, 0);
	made_task(AFTER "5", 5, "new5", 'R', 9, 1500, 0);
	made_task(AFTER "6", 6, "new6", 'R', 9, 2500, 0);
	made_task(AFTER "5/task/7", 7, "early", 'R', 9, 90, 0);
	put_clocks("");
	made_put(BEFORE "uptime", "5.50 1.00\n");
	closes.is_recorded = true;
	read_both(made_folder(), false);
	assert_string_equal(told("mono", 10, 20, true),
		"10 task 3 of 3, parent 1, kernel 0, status 0: old\n"
		"10 task 4 of 4, parent 1, kernel 0, status 0: old\n"
		"10 task 2 of 2, parent 1, kernel 0, status 0: \n"
		"10 task 7 of 5, parent 9, kernel 0, status 0: \n"
		"10 2: 2 3 /new\n"
		"20 task 2 of 2, parent 1, kernel 0, status 0: new2\n"
		"20 task 3 of 3, parent -1, kernel 0, status 0: new3\n"
		"20 task 5 of 5, parent -1, kernel 0, status 0: new5\n"
		"20 task 7 of 5, parent 9, kernel 0, status 0: early\n");
}

static void put_switches(const char *folder, int pid, char state, int n)
{
	char path[64];
	snprintf(path, sizeof(path), "%s%d", folder, pid);
	made_task(path, pid, "t", state, 1, 100, 0);
	snprintf(path, sizeof(path), "%s%d/status", folder, pid);
	made_put(path, "voluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t0\n", n);
}

/* It slept all the time only if it had no turn. */
static void who_slept(void **state)
{
	(void)state;
	put_switches(BEFORE, 2, 'S', 5), put_switches(AFTER, 2, 'S', 5);
	put_switches(BEFORE, 3, 'S', 5), put_switches(AFTER, 3, 'S', 6);
	put_switches(BEFORE, 4, 'S', 5);
	put_switches(BEFORE, 5, 'R', 5), put_switches(AFTER, 5, 'R', 5);
	put_switches(BEFORE, 6, 'Z', 5);
	put_clocks("");
	read_both(made_folder(), false);
	assert_string_equal(told("mono", 10, 20, true),
		"10 task 2 of 2, parent 1, kernel 0, status 5: t\n"
		"10 task 3 of 3, parent 1, kernel 0, status 0: t\n"
		"10 task 4 of 4, parent 1, kernel 0, status 0: t\n"
		"10 task 5 of 5, parent 1, kernel 0, status 0: t\n"
		"10 task 6 of 6, parent 1, kernel 0, status 4: t\n");
}

/* The host slept for 100 s: times since boot are later. The time of day has a pair. A clock that is
 * none of the kernel's common ones cannot be compared: it is as if there were a gap. */
static void other_clocks(void **state)
{
	(void)state;
	made_task(BEFORE "2", 2, "srv", 'R', 1, 10100, 0);
	made_task(AFTER "3", 3, "new", 'R', 1, 11000, 0);
	put_clocks("2 5500000000 5600000000\n");
	made_put(BEFORE "uptime", "105.50 1.00\n");
	read_both(made_folder(), false);
	assert_string_equal(told("mono", 3, 20, true),
		"5.5 task 2 of 2, parent 1, kernel 0, status 0: srv\n"
		"20 task 3 of 3, parent -1, kernel 0, status 0: new\n");
	const char *boot = told("boot", 103, 120, true);
	assert_non_null(strstr(boot, "task 2 of 2"));
	assert_true(strtod(boot, NULL) > 104.9 && strtod(boot, NULL) < 106.1);
	assert_string_equal(told("realtime", 1003, 1020, true),
		"1005.5 task 2 of 2, parent 1, kernel 0, status 0: srv\n"
		"1020 task 3 of 3, parent -1, kernel 0, status 0: new\n");
	assert_string_equal(
		told("perf", 3, 20, true), "3 task 2 of 2, parent 1, kernel 0, status 0: srv\n");
}

static void sockets_are_told(void **state)
{
	(void)state;
	made_task(BEFORE "2", 2, "srv", 'R', 1, 100, 0);
	made_put(BEFORE "2/fd",
		FD(3, "socket:[10]") FD(4, "socket:[11]") FD(5, "socket:[40]") FD(6, "socket:[99]")
			FD(7, "pipe:[11]") FD(8, "socket:[41]") FD(9, "socket:[12]"));
	made_put(BEFORE "net/tcp", TCP_HEAD "   0: 00000000:0050 00000000:0000 0A" REST "10 1\n"
					    "   1: 0200000A:0050 0100000A:D5A2 01" REST "11 1\n");
	made_put(BEFORE "net/unix", "Num\n0: 3 00000000 00000000 0001 03 40\n"
				    "0: 3 00000000 00010000 0001 03 41 /run/x\n");
	/* It was too young for the first tables. */
	made_put(AFTER "net/tcp", TCP_HEAD "   1: 0200000A:0051 0100000A:D5A3 01" REST "12 1\n");
	put_clocks("");
	read_both(made_folder(), false);
	assert_string_equal(told("mono", 10, 20, true),
		"10 task 2 of 2, parent 1, kernel 0, status 0: srv\n"
		"10 socket 2 3 family 2: socket:[10] listens on 0.0.0.0:80, local 0.0.0.0:80\n"
		"10 socket 2 4 family 2: 10.0.0.1:54690, local 10.0.0.2:80\n"
		"10 socket 2 5 family 1: socket:[40], local \n"
		"10 2: 2 6 socket:[99]\n10 2: 2 7 pipe:[11]\n"
		"10 socket 2 8 family 1: socket:[41] listens on /run/x, local /run/x\n"
		"10 socket 2 9 family 2: 10.0.0.1:54691, local 10.0.0.2:81\n"
		"unconfirmed 7, doubtful 0, gap 5\n");
}

/* ---- what is hostile ---- */

static void links_lead_nowhere(void **state)
{
	(void)state;
	char link[128];
	made_task("elsewhere/2", 2, "outside", 'R', 1, 100, 0);
	made_task(BEFORE "3", 3, "inside", 'R', 1, 100, 0);
	made_put("elsewhere/hostname", "outside\n");
	made_put(BEFORE "sys/here", "%s", "");
	snprintf(link, sizeof(link), "%s/" BEFORE "2", made_folder());
	assert_int_equal(symlink("../elsewhere/2", link), 0);
	snprintf(link, sizeof(link), "%s/" BEFORE "partitions", made_folder());
	assert_int_equal(symlink("/proc/partitions", link), 0);
	snprintf(link, sizeof(link), "%s/" BEFORE "sys/kernel", made_folder());
	assert_int_equal(symlink("../../elsewhere", link), 0);
	snprintf(link, sizeof(link), "%s/" BEFORE "interrupts", made_folder());
	assert_int_equal(mkfifo(link, 0600), 0);
	snprintf(link, sizeof(link), "%s/proc-after", made_folder());
	assert_int_equal(symlink("elsewhere", link), 0);
	read_both(made_folder(), false);
	assert_null(proc_task_at(&both[0], 2));
	assert_non_null(proc_task_at(&both[0], 3));
	assert_null(both[0].hostname);
	assert_int_equal(both[0].disks.n, 0);
	assert_false(both[1].is_there);
}

/* A file beyond the limit is read up to a whole line before it, and that is counted. */
static void large_files_are_cut(void **state)
{
	(void)state;
	static const char line[] = " 254 0 1 vda\n";
	enum { N = (5 << 20) / (sizeof(line) - 1) };
	char *text = malloc(N * (sizeof(line) - 1));
	assert_non_null(text);
	for (size_t i = 0; i < N; i++)
		memcpy(text + i * (sizeof(line) - 1), line, sizeof(line) - 1);
	made_bytes(BEFORE "partitions", text, N * (sizeof(line) - 1));
	free(text);
	read_both(made_folder(), false);
	assert_int_equal(both[0].n_cut > 0, 1);
	assert_true(both[0].disks.n > 0 && both[0].disks.n <= 1 << 16);
}

/* Each file cut at each byte, and each byte with another bit: nothing but what is there is told. */
static void damage(void **state)
{
	(void)state;
	static const struct {
		const char *path, *text;
	} files[] = {
		{ BEFORE "2/stat",
			"2 (srv) S 1 1 1 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 100 1 2\n" },
		{ BEFORE "2/status", "NSpid:\t2\t1\nvoluntary_ctxt_switches:\t4\n"
				     "nonvoluntary_ctxt_switches:\t5\n" },
		{ BEFORE "2/fd", FD(3, "socket:[10]") FD(4, "/a") },
		{ BEFORE "2/task/3/stat",
			"3 (io) R 1 1 1 0 -1 64 1 0 0 0 1 1 0 0 20 0 1 0 100 1\n" },
		{ BEFORE "net/tcp",
			TCP_HEAD "   0: 00000000:0050 00000000:0000 0A" REST "10 1 0 100 0\n" },
		{ BEFORE "net/tcp6",
			TCP_HEAD "   1: 00000000000000000000000001000000:1F90 "
				 "00000000000000000000000001000000:C000 01" REST "21 1\n" },
		{ BEFORE "net/unix", "Num\n0: 3 00000000 00010000 0001 03 41 /run/x\n" },
		{ BEFORE "net/dev", "a\nb\n lo: 1\n" },
		{ BEFORE "partitions", "major\n\n 254 0 1433600 vda\n" },
		{ BEFORE "interrupts", " CPU0\n  0: 91 IO-APIC 2-edge timer, x\n" },
		{ BEFORE "cpuinfo", "processor\t: 0\nphysical id\t: 1\n" },
		{ BEFORE "clock",
			"before 5000000000 1005000000000\nafter 6000000000 1006000000000\n" },
		{ BEFORE "times", "2 5500000000 5600000000\n" },
		{ BEFORE "uptime", "5.50 1.00\n" },
	};
	enum { N = sizeof(files) / sizeof(*files) };
	for (size_t i = 0; i < N; i++)
		made_bytes(files[i].path, files[i].text, strlen(files[i].text));
	for (size_t i = 0; i < N; i++) {
		size_t len = strlen(files[i].text);
		for (size_t at = 0; at < 2 * len; at++) {
			char text[1024];
			memcpy(text, files[i].text, len);
			if (at >= len)
				text[at - len] = (char)(text[at - len] ^ 1 << at % 8);
			made_bytes(files[i].path, text, at < len ? at : len);
			read_both(made_folder(), false);
			told("mono", 10, 20, true);
			told("boot", 4, 20, true);
			proc_snapshot_fini(&both[0]);
			memset(both, 0, sizeof(both));
			mer_arena_reset(&arena);
		}
		made_bytes(files[i].path, files[i].text, len);
	}
	read_both(made_folder(), false);
	assert_int_equal(both[0].n_damaged, 0);
	assert_int_equal(both[0].n_tasks, 2);
}

/* ---- closes ---- */

static const char format[] = "name: sys_enter\nID: 1\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
			     "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";

static void call(const struct ftrace_format *f, int32_t tid, uint64_t id, uint64_t a, uint64_t b)
{
	uint8_t record[64] = { 0 };
	struct ftrace_close_plan p = ftrace_close_plan(f);
	assert_int_equal(p.way, FTRACE_CLOSES_BY_NUMBER);
	memcpy(record + 4, &tid, sizeof(tid));
	memcpy(record + 8, &id, sizeof(id));
	memcpy(record + 16, &a, sizeof(a));
	memcpy(record + 24, &b, sizeof(b));
	assert_true(ftrace_closes_take(&closes, &p, f, record, false));
}

/* May the task have closed it? */
static bool has_closed(int32_t tid, int32_t fd)
{
	if (closes.is_full || mer_map_get(&closes.programs, (uint64_t)(uint32_t)tid + 1) ||
		mer_map_get(&closes.at, proc_fd_key(tid, fd)))
		return true;
	for (size_t i = 0; i < closes.n_ranges; i++)
		if (closes.ranges[i].tid == tid && closes.ranges[i].first <= (uint32_t)fd &&
			(uint32_t)fd <= closes.ranges[i].last)
			return true;
	return false;
}

static void what_was_closed(void **state)
{
	(void)state;
	enum { READ = 0, CLOSE = 3, DUP2 = 33, CLOSE_RANGE = 436, EXECVE = 59 };
	struct ftrace_formats formats = { 0 };
	assert_true(ftrace_formats_add(
		&formats, &arena, "raw_syscalls", format, sizeof(format) - 1, 8));
	const struct ftrace_format *f = formats.by_id[1];
	assert_non_null(f);
	ftrace_closes_want(&closes, "x86_64");
	call(f, 7, READ, 5, 0);
	assert_true(closes.is_recorded);
	assert_false(has_closed(7, 5));
	call(f, 7, CLOSE, 5, 0);
	call(f, 7, DUP2, 8, 9);
	call(f, 7, CLOSE_RANGE, 20, UINT32_MAX);
	call(f, 7, CLOSE, UINT64_MAX, 0);
	assert_true(has_closed(7, 5));
	assert_false(has_closed(6, 5));
	assert_false(has_closed(7, 8));
	assert_true(has_closed(7, 9));
	assert_false(has_closed(7, 19));
	assert_true(has_closed(7, 20) && has_closed(7, 1000));
	call(f, 6, EXECVE, 0, 0);
	assert_true(has_closed(6, 1));
}

/* The same numbers are other calls elsewhere: 57 is fork, or close; 3 is close, or io_cancel. */
static void what_was_closed_elsewhere(void **state)
{
	(void)state;
	static const struct {
		const char *machine;
		bool is_wanted, at_3, at_57, at_24, at_436, at_221;
	} all[] = { { "x86_64", true, true, false, false, true, false },
		{ "aarch64", true, false, true, true, true, true },
		{ "riscv64", true, false, true, true, true, true },
		{ NULL, true, true, true, true, true, true },
		{ "s390x", false, false, false, false, false, false } };
	struct ftrace_formats formats = { 0 };
	assert_true(ftrace_formats_add(
		&formats, &arena, "raw_syscalls", format, sizeof(format) - 1, 8));
	const struct ftrace_format *f = formats.by_id[1];
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		ftrace_closes_fini(&closes);
		closes = (struct ftrace_closes){ 0 };
		ftrace_closes_want(&closes, all[i].machine);
		assert_int_equal(closes.is_wanted, all[i].is_wanted);
		call(f, 7, 3, 5, 0);
		call(f, 7, 57, 6, 0);
		call(f, 7, 24, 1, 7);
		call(f, 7, 436, 20, 30);
		call(f, 8, 221, 0, 0);
		assert_int_equal(has_closed(7, 5), all[i].at_3);
		assert_int_equal(has_closed(7, 6), all[i].at_57);
		assert_int_equal(has_closed(7, 7), all[i].at_24);
		assert_int_equal(has_closed(7, 25), all[i].at_436);
		assert_int_equal(has_closed(8, 1), all[i].at_221);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(tasks_are_read),
		TEST(processes_are_listed),
		TEST(descriptors_are_read),
		TEST(sockets_are_read),
		TEST(sockets_of_the_other_order),
		TEST(the_host_is_read),
		TEST(descriptors_over_a_gap),
		TEST(descriptors_without_a_gap),
		TEST(tasks_over_a_gap),
		TEST(who_slept),
		TEST(other_clocks),
		TEST(sockets_are_told),
		TEST(links_lead_nowhere),
		TEST(large_files_are_cut),
		TEST(damage),
		TEST(what_was_closed),
		TEST(what_was_closed_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
