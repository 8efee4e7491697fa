/* Calls: names of events to calls, numbers to names; and that the fields which the rows ask for are
 * those that tracers write. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "call_row.h"
#include "given.h"
#include "base/call_numbers.h"
#include "kernel/calls.h"
#include "kernel/files/files.h"
#include "trace/experiment.h"

static void test_names(void **state)
{
	(void)state;
	static const char *const entries[][2] = { { "sys_read", "read" },
		{ "compat_sys_openat", "openat" }, { "syscall_entry_read", "read" },
		{ "compat_syscall_entry_mmap_pgoff", "mmap_pgoff" },
		{ "sys_exit_group", "exit_group" }, { "syscalls:sys_enter_write", "write" },
		{ "syscall_entry_unknown", "unknown" } };
	static const char *const exits[][2] = { { "syscall_exit_read", "read" },
		{ "compat_syscall_exit_fcntl", "fcntl" }, { "syscalls:sys_exit_write", "write" },
		{ "exit_syscall", "" }, { "raw_syscalls:sys_exit", "" } };
	static const char *const none[] = { "sched_switch", "sys_", "syscall_entry_", "", "sys",
		"syscall_exit_", "raw_syscalls:sys_enter", "asys_read" };
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		assert_string_equal(kernel_call_of_entry(entries[i][0]), entries[i][1]);
		assert_null(kernel_call_of_exit(entries[i][0]));
	}
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
		assert_string_equal(kernel_call_of_exit(exits[i][0]), exits[i][1]);
		assert_null(kernel_call_of_entry(exits[i][0]));
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_null(kernel_call_of_entry(none[i]));
		assert_null(kernel_call_of_exit(none[i]));
	}
}

static void test_numbers(void **state)
{
	(void)state;
	/* From the kernel's table: its ends, and some in between. */
	static const struct {
		uint64_t number;
		const char *name;
	} known[] = { { 0, "read" }, { 1, "write" }, { 5, "newfstat" }, { 9, "mmap" },
		{ 40, "sendfile64" }, { 42, "connect" }, { 59, "execve" }, { 63, "newuname" },
		{ 202, "futex" }, { 231, "exit_group" }, { 257, "openat" }, { 281, "epoll_pwait" },
		{ 288, "accept4" }, { 299, "recvmmsg" }, { 334, "rseq" },
		{ 424, "pidfd_send_signal" }, { 425, "io_uring_setup" }, { 435, "clone3" },
		{ 436, "close_range" }, { 437, "openat2" }, { 450, "set_mempolicy_home_node" } };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_string_equal(
			mer_call_by_number(MER_CALLS_X86_64, known[i].number), known[i].name);
	for (uint64_t i = 335; i < 424; i++)
		assert_null(mer_call_by_number(MER_CALLS_X86_64, i));
	assert_null(mer_call_by_number(MER_CALLS_X86_64, 10000));
	assert_null(mer_call_by_number(MER_CALLS_X86_64, UINT64_MAX));
	for (uint64_t i = 0; i < 451; i++)
		for (uint64_t k = 0; k < i; k++)
			assert_true(!mer_call_by_number(MER_CALLS_X86_64, i) ||
				    !mer_call_by_number(MER_CALLS_X86_64, k) ||
				    strcmp(mer_call_by_number(MER_CALLS_X86_64, i),
					    mer_call_by_number(MER_CALLS_X86_64, k)));
}

static void test_machines(void **state)
{
	(void)state;
	static const struct {
		uint64_t number;
		const char *name;
	} known[] = { { 0, "io_setup" }, { 56, "openat" }, { 63, "read" }, { 79, "newfstatat" },
		{ 98, "futex" }, { 203, "connect" }, { 222, "mmap" }, { 242, "accept4" },
		{ 260, "wait4" }, { 291, "statx" }, { 435, "clone3" }, { 449, "futex_waitv" } };
	assert_int_equal(mer_call_numbers_of("x86_64"), MER_CALLS_X86_64);
	assert_int_equal(mer_call_numbers_of("aarch64"), MER_CALLS_GENERIC);
	assert_int_equal(mer_call_numbers_of("riscv64"), MER_CALLS_GENERIC);
	assert_int_equal(mer_call_numbers_of("armv7l"), MER_CALLS_UNKNOWN);
	assert_int_equal(mer_call_numbers_of("i686"), MER_CALLS_UNKNOWN);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_string_equal(
			mer_call_by_number(MER_CALLS_GENERIC, known[i].number), known[i].name);
	for (uint64_t i = 244; i < 260; i++)
		assert_null(mer_call_by_number(MER_CALLS_GENERIC, i));
	assert_null(mer_call_by_number(MER_CALLS_UNKNOWN, 0));
	assert_null(mer_call_by_number(MER_CALLS_UNKNOWN, 435));
}

/* Slots that each kind of call reads, besides ret. */
static const struct {
	unsigned entry, exit;
} widths[KERNEL_N_CALL_KINDS] = {
	[KERNEL_CALL_USES_FD] = { 1, 0 },
	[KERNEL_CALL_RECEIVE] = { 2, 0 },
	[KERNEL_CALL_FUTEX] = { 3, 0 },
	[KERNEL_CALL_FUTEX_WAIT] = { 3, 0 },
	[KERNEL_CALL_FUTEX_WAKE] = { 3, 0 },
	[KERNEL_CALL_PRCTL] = { 1, 0 },
	[KERNEL_CALL_POLL] = { 3, 0 },
	[KERNEL_CALL_SELECT] = { 7, 0 },
	[KERNEL_CALL_PATH] = { 2, 0 },
	[KERNEL_CALL_PATH_AT] = { 4, 0 },
	[KERNEL_CALL_OPEN] = { 3, 0 },
	[KERNEL_CALL_OPEN_AT] = { 4, 0 },
	[KERNEL_CALL_CLOSE] = { 1, 0 },
	[KERNEL_CALL_CLOSE_RANGE] = { 3, 0 },
	[KERNEL_CALL_DUP] = { 1, 0 },
	[KERNEL_CALL_DUP_TO] = { 3, 0 },
	[KERNEL_CALL_FCNTL] = { 3, 0 },
	[KERNEL_CALL_IOCTL] = { 2, 0 },
	[KERNEL_CALL_MMAP] = { 3, 0 },
	[KERNEL_CALL_SHMAT] = { 2, 0 },
	[KERNEL_CALL_UNSHARE] = { 1, 0 },
	[KERNEL_CALL_PIPE] = { 1, 2 },
	[KERNEL_CALL_SOCKET] = { 3, 0 },
	[KERNEL_CALL_SOCKETPAIR] = { 2, 2 },
	[KERNEL_CALL_CONNECT] = { 7, 0 },
	[KERNEL_CALL_ACCEPT] = { 2, 6 },
	[KERNEL_CALL_LISTEN] = { 1, 0 },
	[KERNEL_CALL_EVENTFD] = { 1, 0 },
	[KERNEL_CALL_TIMERFD] = { 1, 0 },
	[KERNEL_CALL_EPOLL] = { 1, 0 },
	[KERNEL_CALL_INOTIFY] = { 1, 0 },
	[KERNEL_CALL_SIGNALFD] = { 2, 0 },
	[KERNEL_CALL_MEMFD] = { 3, 0 },
};

/* Calls of a list of fields one after the other; false: no more. */
static bool next_field(const char **list, char *name, char *form)
{
	const char *p = *list ? *list + strspn(*list, " ") : "";
	size_t len = strcspn(p, " ");
	if (len == 0)
		return false;
	*list = p + len;
	*form = 'n';
	if (len > 2 && p[len - 2] == ':') {
		*form = p[len - 1];
		len -= 2;
	}
	assert_true(len < 32);
	memcpy(name, p, len);
	name[len] = '\0';
	return true;
}

static unsigned width_of(const char *list)
{
	char name[32], form;
	unsigned n = 0;
	while (next_field(&list, name, &form)) {
		assert_non_null(strchr("nsar", form));
		n += form == 'n' ? 1 : 2;
	}
	return n;
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < kernel_n_call_rows; i++) {
		const struct kernel_call_row *r = &kernel_call_rows[i];
		assert_true(r->kind >= KERNEL_CALL_OTHER && r->kind < KERNEL_N_CALL_KINDS);
		assert_true(r->kind != KERNEL_CALL_OTHER || r->classes); /* what else is it for? */
		assert_int_equal(width_of(r->entry_fields), widths[r->kind].entry);
		assert_int_equal(width_of(r->exit_fields), widths[r->kind].exit);
		assert_ptr_equal(call_row(r->name), r); /* each once */
		assert_true(strlen(r->registers) <= widths[r->kind].entry);
		assert_int_equal(strspn(r->registers, "012345ABCDEF-"), strlen(r->registers));
	}
	assert_null(call_row("getppid"));
	assert_null(call_row(""));
}

/* Where the arguments are: those of the manual pages, of calls whose order differs. */
static void test_registers(void **state)
{
	(void)state;
	const uint64_t args[KERNEL_REGISTERS] = { 10, 11, 12, 13, 0xff0000000e, 15 };
	static const struct {
		const char *name;
		uint64_t slots[4];
	} known[] = { { "read", { 10 } }, { "recvfrom", { 10, 13 } }, { "recvmsg", { 10, 12 } },
		{ "mmap", { 14, 13, 12 } }, { "poll", { 11 } }, { "openat", { 10, 0, 0, 12 } },
		{ "open", { 0, 0, 11 } }, { "newfstatat", { 10, 0, 0, 13 } },
		{ "execveat", { 10, 0, 0, 14 } }, { "pipe2", { 11 } }, { "accept4", { 10, 13 } },
		{ "signalfd4", { 13, 10 } }, { "timerfd_create", { 11 } }, { "connect", { 10 } },
		{ "futex", { 10, 11, 12 } }, { "stat", { 0 } } };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint64_t slots[KERNEL_ENTRY_SLOTS];
		kernel_call_slots(kernel_call_id(known[i].name), args, slots);
		assert_memory_equal(slots, known[i].slots, sizeof(known[i].slots));
	}
}

/* Calls on which the lists that this table replaced did not agree, and some for comparison. */
static void test_classes(void **state)
{
	(void)state;
	const uint32_t first = KERNEL_CALLS_MULTIPLEX, await = KERNEL_CALLS_AWAIT;
	const uint32_t reads = KERNEL_CALLS_READ | await, polls = first | KERNEL_CALLS_POLL | await;
	const struct {
		const char *name;
		uint32_t classes;
	} cases[] = {
		{ "poll", polls },
		{ "_newselect", polls },
		{ "io_getevents", polls },
		{ "io_pgetevents", polls },
		{ "io_uring_enter", first | await }, /* its result is what was submitted */
		{ "epoll_wait", polls },
		{ "epoll_ctl", 0 },
		{ "epoll_create1", 0 },
		{ "readlink", KERNEL_CALLS_LOOKUP },
		{ "readahead", 0 },
		{ "recvmmsg", reads | KERNEL_CALLS_MESSAGES },
		{ "recvmmsg_time32", reads | KERNEL_CALLS_MESSAGES },
		{ "splice", reads | KERNEL_CALLS_COPY },
		{ "tee", reads | KERNEL_CALLS_COPY | KERNEL_CALLS_PEEK },
		{ "sendfile64", KERNEL_CALLS_WRITE | KERNEL_CALLS_COPY },
		{ "open_by_handle_at", KERNEL_CALLS_OPEN },
		{ "getppid", 0 },
		{ "read", reads },
		{ "shutdown", KERNEL_CALLS_SHUTDOWN },
		{ "ptrace", KERNEL_CALLS_PTRACE },
		{ "exit", KERNEL_CALLS_EXIT },
		{ "exit_group", KERNEL_CALLS_EXIT_GROUP },
		{ "execve", KERNEL_CALLS_EXEC | KERNEL_CALLS_LOOKUP },
		{ "", 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			kernel_call_classes(kernel_call_id(cases[i].name)), cases[i].classes);
	/* What a class implies. */
	for (size_t i = 0; i < kernel_n_call_rows; i++) {
		uint32_t c = kernel_call_rows[i].classes;
		bool moves = c & (KERNEL_CALLS_READ | KERNEL_CALLS_WRITE);
		assert_true(moves || !(c & (KERNEL_CALLS_COPY | KERNEL_CALLS_MESSAGES)));
		assert_false((c & KERNEL_CALLS_READ) && (c & KERNEL_CALLS_WRITE));
		assert_true((c & KERNEL_CALLS_READ) || !(c & KERNEL_CALLS_PEEK));
		assert_true((c & first) || !(c & KERNEL_CALLS_POLL));
		/* What makes a descriptor moves no data. */
		if (kernel_call_rows[i].kind >= KERNEL_CALL_EVENTFD)
			assert_false(c & ~(uint32_t)KERNEL_CALLS_OPEN);
		assert_true(
			(c & await) || !(c & (first | KERNEL_CALLS_ACCEPT | KERNEL_CALLS_WAIT)));
	}
}

/* ---- real traces ---- */

static struct mer_experiment *open_shared(const char *name)
{
	char path[1000];
	struct mer_experiment *e;
	struct mer_err err;
	given_path(path, sizeof(path), name);
	const char *paths[] = { path };
	assert_int_equal(mer_experiment_open(paths, 1, NULL, &e, &err), 0);
	return e;
}

static bool has_field(const struct ctf_event_class *ec, const char *name, char form)
{
	const struct ctf_fc *p = ec->payload;
	for (uint32_t i = 0; p && i < p->u.record.n; i++) {
		const struct ctf_fc *fc = p->u.record.fields[i].fc;
		if (strcmp(p->u.record.fields[i].name, name) != 0)
			continue;
		return form == 's' ? fc->kind == CTF_STRING
				   : (form == 'a' || form == 'r') == (fc->kind == CTF_ARRAY);
	}
	return false;
}

/* Fields of an event that its row asks for are there; but for the first `needed` of them, old
 * tracers need not have them. */
static void check_fields(const struct ctf_event_class *ec, const char *list, int needed)
{
	char name[32], form;
	for (int i = 0; next_field(&list, name, &form); i++) {
		bool there = strcmp(name, "-") == 0 || has_field(ec, name, form);
		if (!there && i < needed)
			fail_msg("%s has no field %s of form %c", ec->name, name, form);
	}
}

/* Returns how many events were looked at. */
static size_t check_schema(const struct ctf_schema *s, bool old)
{
	size_t n = 0;
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
			const struct ctf_event_class *ec = &s->streams[k].events[c];
			const char *in = kernel_call_of_entry(ec->name);
			const char *out = kernel_call_of_exit(ec->name);
			const struct kernel_call_row *r = in	? call_row(in)
							  : out ? call_row(out)
								: NULL;
			if (!r)
				continue;
			check_fields(ec, in ? r->entry_fields : r->exit_fields,
				!old ? INT_MAX
				: in ? 1
				     : 0);
			n++;
		}
	return n;
}

static void check_trace(const char *name, bool old, size_t at_least)
{
	struct mer_experiment *e = open_shared(name);
	size_t n = 0;
	for (uint32_t i = 0; i < e->n_parts; i++)
		n += check_schema(e->parts[i].schema, old);
	mer_experiment_free(e);
	assert_true(n >= at_least);
}

static void test_fields(void **state)
{
	(void)state;
	check_trace("lab/ipc-zoo", false, 200);
}

static void test_fields_of_old_tracers(void **state)
{
	(void)state;
	check_trace("public/django-vote", true, 200);
	check_trace("public/many-threads", true, 200);
	check_trace("public/bug446190", true, 80);
}

/* The arguments of the events of one call, in the form of its row, given to the files of a host;
 * the first object that is `text` ends it. */
static bool meets_object(const char *trace, const char *call, const char *text)
{
	struct mer_experiment *e = open_shared(trace);
	const struct kernel_call_row *r = call_row(call);
	char entry[64], exit[64], exit_fields[128];
	snprintf(entry, sizeof(entry), "syscall_entry_%s", call);
	snprintf(exit, sizeof(exit), "syscall_exit_%s", call);
	snprintf(exit_fields, sizeof(exit_fields), "ret %s", r->exit_fields ? r->exit_fields : "");
	struct mer_need needs[] = { { entry, r->entry_fields }, { exit, exit_fields } };
	struct mer_read_options o = { .needs = needs, .n_needs = 2 };
	struct mer_cursor *c;
	struct mer_err err;
	struct kernel_host h;
	struct kernel_files *f;
	kernel_host_init(&h);
	assert_int_equal(kernel_files_new(&h, &f, &err), 0);
	uint32_t task = kernel_add_task(&h, 1, 0);
	assert_int_equal(mer_cursor_open(e, &o, &c, &err), 0);
	const struct mer_event *events;
	size_t n;
	bool met = false;
	enum kernel_call_kind kind = (enum kernel_call_kind)r->kind;
	do {
		assert_int_equal(mer_cursor_next(c, &events, &n, &err), 0);
		for (size_t i = 0; i < n; i++) {
			const uint64_t *s = events[i].slots;
			struct kernel_call k;
			if (mer_event_need(&events[i]) == 0)
				assert_int_equal(kernel_files_enter(f, task, kind, s, &k, &err), 0);
			else
				assert_int_equal(
					kernel_files_leave(f, task, kind, (int64_t)s[0], s, &err),
					0);
			int32_t fd = mer_event_need(&events[i]) == 0 ? k.fd : (int32_t)s[0];
			met = met || strcmp(kernel_name_text(&h, k.object), text) == 0;
			if (mer_event_need(&events[i]) == 1 && fd >= 0) {
				uint64_t slot = (uint64_t)fd;
				assert_int_equal(kernel_files_enter(f, task, KERNEL_CALL_USES_FD,
							 &slot, &k, &err),
					0);
				met = met || strcmp(kernel_name_text(&h, k.object), text) == 0;
			}
		}
	} while (n && !met);
	mer_cursor_free(c);
	kernel_files_free(f);
	kernel_host_fini(&h);
	mer_experiment_free(e);
	return met;
}

static void test_arguments(void **state)
{
	(void)state;
	assert_true(meets_object("lab/ipc-zoo", "connect", "127.0.0.1:7070"));
	assert_true(meets_object("lab/wget-cold-hot", "accept4", "10.0.0.1:37878"));
	assert_false(meets_object("lab/ipc-zoo", "connect", "127.0.0.1:7071"));
}

/* All calls of each class, in the order of the table. */
static void test_all_of_a_class(void **state)
{
	(void)state;
	static const struct {
		uint32_t class;
		const char *names;
	} all[] = {
		{ KERNEL_CALLS_READ, "read readv pread64 preadv preadv2 recvfrom recvmsg recvmmsg "
				     "recvmmsg_time32 recv splice tee copy_file_range" },
		{ KERNEL_CALLS_WRITE,
			"write writev pwrite64 pwritev pwritev2 sendto sendmsg sendmmsg send "
			"sendfile sendfile64 vmsplice" },
		{ KERNEL_CALLS_COPY, "sendfile sendfile64 splice tee copy_file_range" },
		{ KERNEL_CALLS_MESSAGES, "recvmmsg recvmmsg_time32 sendmmsg" },
		{ KERNEL_CALLS_PEEK, "tee" },
		{ KERNEL_CALLS_OPEN, "open creat openat openat2 open_by_handle_at" },
		{ KERNEL_CALLS_CLOSE, "close close_range dup2 dup3" },
		{ KERNEL_CALLS_SYNC,
			"fsync fdatasync syncfs sync_file_range sync_file_range2 sync msync" },
		{ KERNEL_CALLS_CONNECT, "connect" },
		{ KERNEL_CALLS_ACCEPT, "accept accept4" },
		{ KERNEL_CALLS_SHUTDOWN, "shutdown" },
		{ KERNEL_CALLS_MULTIPLEX,
			"epoll_wait epoll_pwait epoll_pwait2 epoll_wait_old io_uring_enter poll "
			"ppoll ppoll_time32 select _newselect newselect pselect6 "
			"pselect6_time32 io_getevents io_getevents_time32 io_pgetevents "
			"io_pgetevents_time32" },
		{ KERNEL_CALLS_POLL,
			"epoll_wait epoll_pwait epoll_pwait2 epoll_wait_old poll ppoll "
			"ppoll_time32 select _newselect newselect pselect6 pselect6_time32 "
			"io_getevents io_getevents_time32 io_pgetevents io_pgetevents_time32" },
		{ KERNEL_CALLS_FUTEX,
			"futex futex_time32 futex_waitv futex_wait futex_wake futex_requeue" },
		{ KERNEL_CALLS_LOCK, "flock fcntl fcntl64" },
		{ KERNEL_CALLS_SEMAPHORE, "semop semtimedop semtimedop_time32 semctl" },
		{ KERNEL_CALLS_QUEUE, "mq_timedsend mq_timedreceive mq_timedsend_time32 "
				      "mq_timedreceive_time32 msgsnd msgrcv" },
		{ KERNEL_CALLS_SIGNAL,
			"kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal" },
		{ KERNEL_CALLS_FORK, "fork vfork clone clone3" },
		{ KERNEL_CALLS_WAIT, "wait4 waitpid waitid vfork" },
		{ KERNEL_CALLS_EXEC, "execve execveat" },
		{ KERNEL_CALLS_EXIT, "exit" },
		{ KERNEL_CALLS_EXIT_GROUP, "exit_group" },
		{ KERNEL_CALLS_PTRACE, "ptrace" },
		{ KERNEL_CALLS_AWAIT,
			"read readv pread64 preadv preadv2 recvfrom recvmsg recvmmsg "
			"recvmmsg_time32 recv epoll_wait epoll_pwait epoll_pwait2 "
			"epoll_wait_old splice tee mq_timedreceive mq_timedreceive_time32 "
			"io_uring_enter poll ppoll ppoll_time32 select _newselect newselect "
			"pselect6 pselect6_time32 accept accept4 io_getevents "
			"io_getevents_time32 io_pgetevents io_pgetevents_time32 msgrcv wait4 "
			"waitpid waitid vfork clone clone3" },
		{ KERNEL_CALLS_TIME,
			"clock_gettime clock_gettime32 gettimeofday time time32 times getrusage "
			"getpid gettid" },
		{ KERNEL_CALLS_NO_EXIT, "rt_sigreturn sigreturn" },
		{ KERNEL_CALLS_YIELD, "sched_yield" },
		{ KERNEL_CALLS_SLEEP,
			"nanosleep nanosleep_time32 clock_nanosleep clock_nanosleep_time32" },
		{ KERNEL_CALLS_ADDRESS, "mmap mmap_pgoff shmat mmap2 mremap brk" },
		{ KERNEL_CALLS_LOOKUP,
			"stat newstat stat64 lstat newlstat lstat64 access execve unlink "
			"readlink newfstatat fstatat64 statx faccessat faccessat2 unlinkat "
			"readlinkat execveat open openat openat2 connect" },
	};
	uint32_t seen = 0;
	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
		char names[2000] = "";
		seen |= all[k].class;
		for (size_t i = 0; i < kernel_n_call_rows; i++)
			if (kernel_call_rows[i].classes & all[k].class)
				snprintf(names + strlen(names), sizeof(names) - strlen(names),
					"%s%s", *names ? " " : "", kernel_call_rows[i].name);
		assert_string_equal(names, all[k].names);
	}
	for (size_t i = 0; i < kernel_n_call_rows; i++)
		assert_int_equal(kernel_call_rows[i].classes & ~seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_all_of_a_class),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_fields_of_old_tracers),
		cmocka_unit_test(test_arguments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
