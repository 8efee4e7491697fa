#include "ask/reports/findings.h"

#include <inttypes.h>
#include <string.h>

#include "ask/print/text.h"

void ask_shell_word(struct mer_str *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-:@+/,=%";
	if (word[0] && strspn(word, plain) == strlen(word)) {
		mer_str_puts(out, word);
		return;
	}
	mer_str_putc(out, '\'');
	for (const char *p = word; *p; p++)
		if (*p == '\'')
			mer_str_puts(out, "'\\''");
		else
			mer_str_putc(out, *p);
	mer_str_putc(out, '\'');
}

/* ---- cells ---- */

struct row {
	const struct mer_cell *c;
	struct mer_str *out;
};

static int64_t number(const struct row *r, enum finding_column column)
{
	return r->c[column].set ? r->c[column].v.i : 0;
}

static double real(const struct row *r, enum finding_column column)
{
	return r->c[column].set ? r->c[column].v.f : 0;
}

static const char *text(const struct row *r, enum finding_column column)
{
	return r->c[column].set ? r->c[column].v.text : "";
}

static void put_duration(const struct row *r, enum finding_column column)
{
	ask_text_duration(r->out, number(r, column));
}

static void put_percent(const struct row *r, enum finding_column column)
{
	mer_str_printf(r->out, "%.0f %%", 100 * real(r, column));
}

/* "3 events" */
static void put_count(const struct row *r, int64_t n, const char *one, const char *many)
{
	ask_text_count(r->out, n);
	mer_str_printf(r->out, " %s", n == 1 ? one : many);
}

/* "python3/159" */
static void put_task(const struct row *r, enum finding_column tid)
{
	mer_str_puts(r->out, text(r, tid + 1));
	if (r->c[tid].set)
		mer_str_printf(r->out, "/%" PRId64, number(r, tid));
}

/* ", most of them python3/159 (3.2 s)" */
static void put_most(const struct row *r, const char *before)
{
	if (!r->c[FINDING_COL_COMM].set)
		return;
	mer_str_puts(r->out, before);
	put_task(r, FINDING_COL_TID);
	if (r->c[FINDING_COL_TIME2].set) {
		mer_str_puts(r->out, " (");
		put_duration(r, FINDING_COL_TIME2);
		mer_str_putc(r->out, ')');
	}
}

/* ---- sentences ---- */

static void put_lost(const struct row *r)
{
	int64_t events = number(r, FINDING_COL_COUNT), packets = number(r, FINDING_COL_COUNT2);
	if (events)
		put_count(r, events, "event", "events");
	mer_str_puts(r->out, events && packets ? " and " : "");
	if (packets)
		put_count(r, packets, "packet", "packets");
	bool is_one = (events == 1 && !packets) || (packets == 1 && !events);
	if (events || packets)
		mer_str_puts(r->out, is_one ? " was lost" : " were lost");
	if (r->c[FINDING_COL_OBJECT].set)
		mer_str_printf(r->out, "%s%s %s missing", events || packets ? ", " : "",
			text(r, FINDING_COL_OBJECT),
			strncmp(text(r, FINDING_COL_OBJECT), "the whole stream of 1 ", 22) == 0
				? "is"
				: "are");
	if (real(r, FINDING_COL_PERCENT) >= 0.005) {
		mer_str_puts(r->out, ", ");
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_puts(r->out, " of the CPU time is unknown");
	}
	mer_str_puts(r->out, ": figures are incomplete");
}

static void put_cpu_users(const struct row *r)
{
	put_most(r, "; most CPU time: ");
}

static void put_queue(const struct row *r)
{
	mer_str_printf(r->out, "%.1f tasks waited for ", real(r, FINDING_COL_VALUE));
	put_count(r, number(r, FINDING_COL_COUNT), "CPU", "CPUs");
	mer_str_puts(r->out, " on average (");
	put_duration(r, FINDING_COL_TIME);
	mer_str_putc(r->out, ')');
	if (r->c[FINDING_COL_OBJECT].set) {
		mer_str_printf(r->out, "; CPU %s was ", text(r, FINDING_COL_OBJECT));
		put_percent(r, FINDING_COL_PERCENT2);
		mer_str_puts(r->out,
			" idle, but those that waited most stayed on another CPU (pinned?)");
	}
}

static void put_processes(const struct row *r)
{
	bool threads = strcmp(text(r, FINDING_COL_OBJECT), "threads") == 0;
	put_count(r, number(r, FINDING_COL_COUNT2),
		threads ? "short-lived thread" : "short-lived process",
		threads ? "short-lived threads" : "short-lived processes");
	mer_str_puts(r->out, " took ");
	put_duration(r, FINDING_COL_TIME2);
	mer_str_puts(r->out, " of CPU time; CPUs busy ");
	put_percent(r, FINDING_COL_PERCENT);
}

static void put_disk(const struct row *r, const char *what)
{
	mer_str_puts(r->out, what);
	put_duration(r, FINDING_COL_TIME);
	mer_str_puts(r->out, " for disks");
	if (r->c[FINDING_COL_PERCENT].set && r->c[FINDING_COL_OBJECT].set) {
		mer_str_printf(r->out, "; %s busy ", text(r, FINDING_COL_OBJECT));
		put_percent(r, FINDING_COL_PERCENT);
	}
	put_most(r, "; most: ");
}

static void put_faults(const struct row *r)
{
	put_count(r, number(r, FINDING_COL_COUNT), "major page fault", "major page faults");
	put_disk(r, " waited ");
}

static void put_flushes(const struct row *r)
{
	put_count(r, number(r, FINDING_COL_COUNT), "disk flush", "disk flushes");
	mer_str_puts(r->out, " took ");
	put_duration(r, FINDING_COL_TIME2);
	mer_str_puts(r->out, " on average");
}

static void put_locks(const struct row *r)
{
	mer_str_puts(r->out, "threads waited ");
	put_duration(r, FINDING_COL_TIME);
	mer_str_puts(r->out, " for locks");
	if (r->c[FINDING_COL_COMM].set)
		mer_str_printf(r->out, ", mostly in %s", text(r, FINDING_COL_COMM));
	if (r->c[FINDING_COL_COMM2].set) {
		mer_str_puts(r->out, " for ");
		put_task(r, FINDING_COL_TID2);
	}
}

static void put_stolen(const struct row *r)
{
	enum { LITTLE = 1 }; /* percent */
	put_percent(r, FINDING_COL_PERCENT);
	mer_str_puts(r->out, " of the time that tasks of this guest seemed to run was stolen (");
	put_duration(r, FINDING_COL_TIME);
	mer_str_putc(r->out, ')');
	if (r->c[FINDING_COL_OBJECT].set) {
		mer_str_printf(r->out, ", most by %s (", text(r, FINDING_COL_OBJECT));
		put_duration(r, FINDING_COL_TIME2);
		mer_str_putc(r->out, ')');
		if (r->c[FINDING_COL_OBJECT2].set) {
			mer_str_printf(r->out, ", of which %s ", text(r, FINDING_COL_OBJECT2));
			put_duration(r, FINDING_COL_TIME3);
		}
	}
	if (100 * real(r, FINDING_COL_VALUE) >= LITTLE) {
		mer_str_puts(r->out, "; ");
		put_percent(r, FINDING_COL_VALUE);
		mer_str_puts(r->out, " of that time is unknown and not counted");
	}
}

static void put_stuck(const struct row *r)
{
	put_count(r, number(r, FINDING_COL_COUNT), "thread", "threads");
	mer_str_puts(r->out, " still waited for a lock at the end, ");
	put_task(r, FINDING_COL_TID);
	mer_str_puts(r->out, " for ");
	put_duration(r, FINDING_COL_TIME);
	if (r->c[FINDING_COL_COMM2].set) {
		mer_str_puts(r->out, "; held by ");
		put_task(r, FINDING_COL_TID2);
	}
}

static void put_latency(const struct row *r)
{
	mer_str_puts(r->out, "tasks waited ");
	put_duration(r, FINDING_COL_TIME);
	mer_str_puts(r->out, " for packets in flight; mean latency ");
	put_duration(r, FINDING_COL_TIME2);
	mer_str_printf(r->out, " from %s", text(r, FINDING_COL_OBJECT));
}

static void put_repeated(const struct row *r)
{
	int64_t repeated = number(r, FINDING_COL_COUNT), missing = number(r, FINDING_COL_COUNT2);
	mer_str_printf(r->out, "packets to %s: ", text(r, FINDING_COL_OBJECT));
	if (repeated) {
		ask_text_count(r->out, repeated);
		mer_str_puts(r->out, " seen more than once (sent again, or forwarded)");
	}
	mer_str_puts(r->out, repeated && missing ? ", " : "");
	if (missing) {
		ask_text_count(r->out, missing);
		mer_str_puts(r->out, " not seen there");
	}
}

static const char *const cause_words[][2] = { { "disk", "disks" }, { "page fault", "page faults" },
	{ "futex", "other threads (futex)" }, { "network", "other tasks, over the network" },
	{ "packet", "packets of unknown senders" }, { "task", "other tasks (pipes, sockets)" },
	{ "child", "children" }, { "timer", "timers (sleeps)" }, { "other", "other interrupts" },
	{ "unknown", "an unknown cause" } };

static void put_calm(const struct row *r)
{
	mer_str_puts(r->out, "nothing is saturated: CPUs at most ");
	put_percent(r, FINDING_COL_PERCENT);
	if (r->c[FINDING_COL_VALUE].set) {
		mer_str_puts(r->out, " busy, disks ");
		put_percent(r, FINDING_COL_VALUE);
	} else {
		mer_str_puts(r->out, " busy");
	}
	if (r->c[FINDING_COL_OBJECT2].set)
		mer_str_printf(r->out, "; why tasks waited is unknown: %s was not recorded",
			text(r, FINDING_COL_OBJECT2));
	for (size_t i = 0; i < sizeof(cause_words) / sizeof(*cause_words); i++)
		if (strcmp(cause_words[i][0], text(r, FINDING_COL_OBJECT)) == 0) {
			mer_str_printf(r->out, "; most waits are for %s", cause_words[i][1]);
			mer_str_puts(r->out, " (");
			put_duration(r, FINDING_COL_TIME2);
			mer_str_putc(r->out, ')');
		}
}

static void put_scheduling(const struct row *r)
{
	put_task(r, FINDING_COL_TID);
	mer_str_puts(r->out, ": scheduling latency up to ");
	put_duration(r, FINDING_COL_TIME);
}

static void put_errors(const struct row *r)
{
	put_percent(r, FINDING_COL_PERCENT);
	mer_str_puts(r->out, " of system calls failed (");
	ask_text_count(r->out, number(r, FINDING_COL_COUNT));
	mer_str_printf(r->out, ", most often %s: %s)", text(r, FINDING_COL_OBJECT),
		text(r, FINDING_COL_OBJECT2));
}

/* "the slower of 2 requests wget -> server:80 nginx took 1.18 s (r1.1), the other one 104 ms" */
static void put_request(const struct row *r)
{
	int64_t n = number(r, FINDING_COL_COUNT);
	if (n < 2) {
		mer_str_printf(r->out, "the only request %s took ", text(r, FINDING_COL_OBJECT2));
	} else {
		mer_str_printf(r->out, "the %s of %" PRId64 " requests %s took ",
			n == 2 ? "slower" : "slowest", n, text(r, FINDING_COL_OBJECT2));
	}
	put_duration(r, FINDING_COL_TIME);
	mer_str_printf(r->out, " (%s)", text(r, FINDING_COL_OBJECT));
	if (n < 2)
		return;
	mer_str_puts(r->out, n == 2 ? ", the other one " : ", half of them at most ");
	put_duration(r, FINDING_COL_TIME2);
}

static void put_sentence(const struct row *r, enum finding_rule rule)
{
	switch (rule) {
	case FINDING_LOST: put_lost(r); break;
	case FINDING_UNKNOWN:
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_puts(r->out, " of the CPU time is unknown: ");
		if (r->c[FINDING_COL_OBJECT].set)
			mer_str_printf(
				r->out, "%s was not recorded then", text(r, FINDING_COL_OBJECT));
		else
			mer_str_puts(r->out, "figures are incomplete");
		break;
	case FINDING_GAPS:
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_puts(r->out, " of the time was not recorded: ");
		put_count(r, number(r, FINDING_COL_COUNT), "gap", "gaps");
		mer_str_puts(r->out, " between recordings");
		break;
	case FINDING_NO_SWITCH:
		mer_str_puts(
			r->out, "CPU and task activity unknown: sched_switch was not recorded");
		break;
	case FINDING_PACKETS:
		mer_str_puts(r->out,
			"known by its packets alone: nothing is known of its CPUs, tasks and disks");
		break;
	case FINDING_NOTHING: mer_str_puts(r->out, "nothing was recorded in this range"); break;
	case FINDING_EMPTY: mer_str_puts(r->out, "no events were recorded"); break;
	case FINDING_DISK_ERRORS:
		put_count(r, number(r, FINDING_COL_COUNT), "disk request", "disk requests");
		mer_str_puts(r->out, " failed");
		break;
	case FINDING_STUCK: put_stuck(r); break;
	case FINDING_CPU:
		put_queue(r);
		put_cpu_users(r);
		break;
	case FINDING_CPU_FULL:
		if (number(r, FINDING_COL_COUNT2) > 1)
			mer_str_printf(r->out, "%" PRId64 " CPUs had no idle time for ",
				number(r, FINDING_COL_COUNT2));
		else
			mer_str_printf(r->out, "CPU %s had no idle time for ",
				text(r, FINDING_COL_OBJECT));
		put_duration(r, FINDING_COL_TIME);
		mer_str_puts(r->out, number(r, FINDING_COL_COUNT2) > 1 ? " in total" : "");
		put_cpu_users(r);
		break;
	case FINDING_PROCESSES: put_processes(r); break;
	case FINDING_DISK_BUSY:
		mer_str_printf(r->out, "disk %s busy ", text(r, FINDING_COL_OBJECT));
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_printf(
			r->out, ", %.1f requests queued on average", real(r, FINDING_COL_VALUE));
		break;
	case FINDING_DISK: put_disk(r, "tasks waited "); break;
	case FINDING_FAULTS: put_faults(r); break;
	case FINDING_FLUSHES: put_flushes(r); break;
	case FINDING_LOCKS: put_locks(r); break;
	case FINDING_STOLEN: put_stolen(r); break;
	case FINDING_SOFTIRQ:
	case FINDING_IRQ:
		mer_str_puts(r->out, rule == FINDING_IRQ ? "interrupts took " : "softirqs took ");
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_puts(r->out, " of the CPU time (");
		put_duration(r, FINDING_COL_TIME);
		mer_str_putc(r->out, ')');
		break;
	case FINDING_POLLING:
		mer_str_puts(r->out, "busy polling took ");
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_puts(r->out, " of a CPU, mostly ");
		put_task(r, FINDING_COL_TID);
		break;
	case FINDING_RANKS:
		put_count(r, number(r, FINDING_COL_COUNT), "rank of an MPI program",
			"ranks of MPI programs");
		mer_str_puts(r->out, " waited for others ");
		put_percent(r, FINDING_COL_PERCENT);
		mer_str_puts(r->out, " of the time (");
		put_duration(r, FINDING_COL_TIME);
		mer_str_putc(r->out, ')');
		break;
	case FINDING_OUTSIDE:
		mer_str_puts(r->out, "tasks waited ");
		put_duration(r, FINDING_COL_TIME);
		if (r->c[FINDING_COL_OBJECT].set) {
			mer_str_puts(r->out,
				" for packets; senders on other hosts are not known: the clocks of ");
			mer_str_printf(
				r->out, "%s cannot be compared", text(r, FINDING_COL_OBJECT));
		} else {
			mer_str_puts(r->out, " for packets of unknown senders");
		}
		put_most(r, "; most: ");
		break;
	case FINDING_LATENCY: put_latency(r); break;
	case FINDING_REQUEST: put_request(r); break;
	case FINDING_REPEATED: put_repeated(r); break;
	case FINDING_CALM: put_calm(r); break;
	case FINDING_SCHEDULING: put_scheduling(r); break;
	case FINDING_CALL_ERRORS: put_errors(r); break;
	case FINDING_VIEW:
		mer_str_printf(r->out, "the view %s fits the recorded events of programs",
			text(r, FINDING_COL_OBJECT));
		break;
	case FINDING_N_RULES: break;
	}
}

void ask_finding_sentence(const struct mer_table *t, size_t row, struct mer_str *out)
{
	struct row r = { &t->cells[row * t->n_columns], out };
	enum finding_rule rule = finding_rule_of(t, row);
	int64_t alike = number(&r, FINDING_COL_ALIKE);
	put_sentence(&r, rule);
	if (alike) {
		mer_str_puts(out, "; ");
		if (rule == FINDING_REPEATED)
			put_count(&r, alike, "other pair of hosts is", "other pairs of hosts are");
		else
			put_count(&r, alike, "other host is", "other hosts are");
		mer_str_puts(out, " alike");
	}
}

/* ---- commands ---- */

void ask_next_command(const struct summary_next *next, bool many, struct mer_str *out)
{
	static const char *const verbs[] = { [SUMMARY_VIEW_CHECK] = "check",
		[SUMMARY_VIEW_INFO] = "info",
		[SUMMARY_VIEW_SYNC] = "sync",
		[SUMMARY_VIEW_LATENCY] = "latency",
		[SUMMARY_VIEW_RELATIONS] = "graph",
		[SUMMARY_VIEW_WAITS] = "blocked",
		[SUMMARY_VIEW_TASK] = "task",
		[SUMMARY_VIEW_REQUEST] = "requests --explain",
		[SUMMARY_VIEW_PATH] = "path" };
	if (next->view == SUMMARY_VIEW_TABLE) {
		bool is_stats = strcmp(next->output, "stats") == 0;
		mer_str_printf(out, "%s %s", is_stats ? "stats" : "top", next->analysis);
		if (!is_stats && strcmp(next->output, "top") != 0)
			mer_str_printf(out, " --table %s", next->output);
	} else {
		mer_str_puts(out, verbs[next->view]);
	}
	if (next->name) {
		mer_str_puts(out, " --view ");
		ask_shell_word(out, next->name);
	}
	if (next->view == SUMMARY_VIEW_WAITS || next->view == SUMMARY_VIEW_TASK)
		mer_str_printf(out, " --tid %" PRId64, next->tid);
	if (next->request)
		mer_str_printf(out, " --request %s", next->request);
	if (many && next->host) {
		mer_str_puts(out, " --host ");
		ask_shell_word(out, next->host);
	}
}
