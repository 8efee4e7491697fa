#include "cli/reports/findings.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

void cli_shell_word(struct mer_str *out, const char *word)
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
	cli_text_duration(r->out, number(r, column));
}

static void put_percent(const struct row *r, enum finding_column column)
{
	mer_str_printf(r->out, "%.0f %%", 100 * real(r, column));
}

/* "3 events" */
static void put_count(const struct row *r, int64_t n, const char *one, const char *many)
{
	cli_text_count(r->out, n);
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
	mer_str_puts(r->out, events + packets == 1 ? " was lost" : " were lost");
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
		cli_text_count(r->out, repeated);
		mer_str_puts(r->out, " seen more than once (sent again, or forwarded)");
	}
	mer_str_puts(r->out, repeated && missing ? ", " : "");
	if (missing) {
		cli_text_count(r->out, missing);
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
	cli_text_count(r->out, number(r, FINDING_COL_COUNT));
	mer_str_printf(r->out, ", most often %s: %s)", text(r, FINDING_COL_OBJECT),
		text(r, FINDING_COL_OBJECT2));
}

static enum finding_rule rule_of(const struct row *r)
{
	int rule = 0;
	while (rule < FINDING_N_RULES - 1 &&
		strcmp(finding_rule_name((enum finding_rule)rule), text(r, FINDING_COL_RULE)) != 0)
		rule++;
	return (enum finding_rule)rule;
}

static void put_sentence(const struct row *r)
{
	switch (rule_of(r)) {
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
	case FINDING_NOTHING: mer_str_puts(r->out, "nothing was recorded in this range"); break;
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
	case FINDING_SOFTIRQ:
	case FINDING_IRQ:
		mer_str_puts(
			r->out, rule_of(r) == FINDING_IRQ ? "interrupts took " : "softirqs took ");
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
	case FINDING_OUTSIDE:
		mer_str_puts(r->out, "tasks waited ");
		put_duration(r, FINDING_COL_TIME);
		if (r->c[FINDING_COL_OBJECT].set) {
			mer_str_puts(r->out,
				" for packets; senders on other hosts are not known: the "
				"clocks of ");
			mer_str_printf(
				r->out, "%s cannot be compared", text(r, FINDING_COL_OBJECT));
		} else {
			mer_str_puts(r->out, " for packets of unknown senders");
		}
		put_most(r, "; most: ");
		break;
	case FINDING_LATENCY: put_latency(r); break;
	case FINDING_REPEATED: put_repeated(r); break;
	case FINDING_CALM: put_calm(r); break;
	case FINDING_SCHEDULING: put_scheduling(r); break;
	case FINDING_CALL_ERRORS: put_errors(r); break;
	case FINDING_N_RULES: break;
	}
}

void cli_finding_sentence(const struct mer_table *t, size_t row, struct mer_str *out)
{
	struct row r = { &t->cells[row * t->n_columns], out };
	put_sentence(&r);
}

/* ---- commands ---- */

static void put_host(struct mer_str *out, const char *host, bool many)
{
	if (!many || !host || !host[0])
		return;
	mer_str_puts(out, " --host ");
	cli_shell_word(out, host);
}

static const char *command_of(enum finding_rule rule)
{
	static const char *const commands[FINDING_N_RULES] = {
		[FINDING_LOST] = "check",
		[FINDING_UNKNOWN] = "check",
		[FINDING_GAPS] = "info",
		[FINDING_NO_SWITCH] = "check",
		[FINDING_NOTHING] = "info",
		[FINDING_DISK_ERRORS] = "top io --table disks",
		[FINDING_STUCK] = "top futex --table top_unfinished",
		[FINDING_CPU] = "stats sched",
		[FINDING_CPU_FULL] = "top cpu",
		[FINDING_PROCESSES] = "top cpu --table processes",
		[FINDING_DISK_BUSY] = "top io --table disks",
		[FINDING_DISK] = "top io --table disks",
		[FINDING_FAULTS] = "top faults",
		[FINDING_FLUSHES] = "stats io",
		[FINDING_LOCKS] = "top futex",
		[FINDING_SOFTIRQ] = "stats irq",
		[FINDING_IRQ] = "stats irq",
		[FINDING_POLLING] = "stats poll",
		[FINDING_OUTSIDE] = "top net --table sockets",
		[FINDING_LATENCY] = "latency",
		[FINDING_REPEATED] = "latency",
		[FINDING_CALM] = "graph",
		[FINDING_SCHEDULING] = "top sched",
		[FINDING_CALL_ERRORS] = "stats syscall",
	};
	return commands[rule];
}

void cli_finding_command(const struct mer_table *t, size_t row, bool many, struct mer_str *out)
{
	struct row r = { &t->cells[row * t->n_columns], out };
	bool of_clocks = rule_of(&r) == FINDING_OUTSIDE && r.c[FINDING_COL_OBJECT].set;
	enum finding_rule rule = rule_of(&r);
	/* Waits of one task in their context tell more than sums. */
	if (rule == FINDING_CALM && r.c[FINDING_COL_OBJECT2].set)
		mer_str_puts(out, "check");
	else if (of_clocks)
		mer_str_puts(out, "sync");
	else if ((rule == FINDING_DISK || rule == FINDING_FAULTS || rule == FINDING_OUTSIDE) &&
		 r.c[FINDING_COL_TID].set)
		mer_str_printf(out, "blocked --tid %" PRId64, number(&r, FINDING_COL_TID));
	else
		mer_str_puts(out, command_of(rule));
	if (rule != FINDING_LATENCY && rule != FINDING_REPEATED && !of_clocks)
		put_host(out, text(&r, FINDING_COL_HOST), many);
}

static const char *cell_text(const struct mer_table *t, size_t row, const char *key)
{
	size_t c = mer_table_column(t, key);
	const struct mer_cell *cell = c == SIZE_MAX ? NULL : &t->cells[row * t->n_columns + c];
	return cell && cell->set ? cell->v.text : "";
}

static int64_t cell_number(const struct mer_table *t, size_t row, const char *key)
{
	size_t c = mer_table_column(t, key);
	const struct mer_cell *cell = c == SIZE_MAX ? NULL : &t->cells[row * t->n_columns + c];
	return cell && cell->set ? cell->v.i : -1;
}

static const char *command_for_wait(const char *cause)
{
	static const char *const commands[][2] = { { "CPU", "top sched" },
		{ "disk", "top io --table disks" }, { "page fault", "top faults" },
		{ "futex", "top futex" } };
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(commands[i][0], cause) == 0)
			return commands[i][1];
	return NULL;
}

void cli_summary_command(const struct mer_table *t, size_t row, bool many, struct mer_str *out)
{
	int64_t tid = cell_number(t, row, "tid");
	if (strcmp(t->id, "links") == 0) {
		mer_str_puts(out, "latency");
		return;
	}
	if (strcmp(t->id, "waits") == 0) {
		const char *command = command_for_wait(cell_text(t, row, "cause"));
		int64_t most = cell_number(t, row, "most_tid");
		if (command)
			mer_str_puts(out, command);
		else
			mer_str_printf(out, "blocked --tid %" PRId64, most > 0 ? most : tid);
	} else if (tid > 0) {
		mer_str_printf(out, "task --tid %" PRId64, tid);
	} else {
		mer_str_puts(out, "top cpu");
	}
	put_host(out, cell_text(t, row, "host"), many);
}
