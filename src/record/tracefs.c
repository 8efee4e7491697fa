#include "record/tracefs.h"

#include <inttypes.h>
#include <string.h>
#include "record/words.h"

__asm__(".section .rodata\n"
	"record_proc_script_text:\n"
	".incbin \"" MER_SCRIPTS "/proc.sh\"\n"
	".byte 0\n"
	".previous\n");
/* Lines that define a function `proc`. */
extern const char record_proc_script_text[];

/* T: tracefs; I: the instance; F: the folder. */
static void put_places(const struct record_tracefs *t, struct mer_str *out)
{
	const struct record_plan *p = t->plan;
	/* When a recording is cleaned up, the manifest gives its name, but not these facts. */
	const char *at = t->facts ? t->facts->tracefs : NULL;
	if (at && *at)
		mer_str_printf(out, "T=%s\n", at);
	else
		mer_str_puts(out,
			"T=/sys/kernel/tracing\n[ -d $T/events ] || T=/sys/kernel/debug/tracing\n");
	mer_str_printf(out, "I=$T/instances/meridian-%s\nF=%s\n",
		p->session ? p->session : p->label, t->folder);
}

void record_tracefs_create(const struct record_tracefs *t, struct mer_str *out)
{
	put_places(t, out);
	mer_str_puts(out, "mkdir -p \"$F/raw\"\nmkdir \"$I\"\n");
}

static void put_buffers(const struct record_tracefs *t, struct mer_str *out)
{
	mer_str_printf(out,
		"echo 0 >\"$I/tracing_on\"\necho mono >\"$I/trace_clock\"\n"
		"echo %" PRIu64 " >\"$I/buffer_size_kb\"\n",
		record_plan_buffer_kib(t->plan));
}

void record_tracefs_buffers(const struct record_tracefs *t, struct mer_str *out)
{
	put_places(t, out);
	put_buffers(t, out);
}

/* ---- Events ---- */

struct names {
	const struct record_tracefs *t;
	struct mer_str *out;
};

/* Tries the kinds of a probe one after the other, until the kernel accepts one. */
static void put_probe(void *ctx, const char *name)
{
	struct names *n = ctx;
	const struct record_tracefs *t = n->t;
	const struct record_facts *f = t->facts;
	int at = record_probe_find(name);
	bool any = false;
	for (unsigned k = 0; at >= 0 && k < RECORD_N_PROBES; k++) {
		struct mer_str line = { 0 };
		if ((!f || f->probes[k]) &&
			record_probe_define((size_t)at, (enum record_probe_kind)k, t->skb,
				f ? f->architecture : "x86_64", &line)) {
			mer_str_printf(n->out, "%s{ echo '%s' >>$T/dynamic_events; } 2>/dev/null",
				any ? " ||\n" : "", line.data);
			any = true;
		}
		n->out->failed |= line.failed;
		mer_str_fini(&line);
	}
	if (any)
		mer_str_puts(n->out, " || :\n");
}

/* " events/sched/sched_switch": the folder of an event, or of all events of a system. */
static void put_folder(void *ctx, const char *name)
{
	struct names *n = ctx;
	const char *colon = strchr(name, ':'), *quote = strchr(name, '*') ? "'" : "";
	if (colon)
		mer_str_printf(
			n->out, " %s%.*s/%s%s", quote, (int)(colon - name), name, colon + 1, quote);
	else
		mer_str_printf(n->out, " %s%s%s", quote, name, quote);
}

/* A name without a system may be a system, or an event of any system: both are tried. */
static void put_events(const struct record_tracefs *t, struct mer_str *out)
{
	struct names n = { t, out };
	mer_str_puts(out, "for e in");
	record_plan_each_event(t->plan, t->facts, put_folder, &n);
	mer_str_puts(out, "; do\n"
			  "\tfor f in \"$I\"/events/$e/enable \"$I\"/events/*/$e/enable; do\n"
			  "\t\t[ ! -e \"$f\" ] || echo 1 >\"$f\"\n"
			  "\tdone\ndone\n");
}

/* Writes what is needed to read the pages, before there are any, so that they stay readable if the
 * disk is full at the end. */
static void put_formats(struct mer_str *out)
{
	mer_str_puts(out,
		"for f in header_page header_event; do cat \"$T/events/$f\" >\"$F/raw/$f\"; done\n"
		"for e in $(sed 's,:,/,' \"$I/set_event\"); do\n"
		"\tmkdir -p \"$F/raw/events/$e\"\n"
		"\tcat \"$I/events/$e/format\" >\"$F/raw/events/$e/format\"\ndone\n"
		"cat \"$I/trace_clock\" >\"$F/raw/trace_clock\"\n"
		"cat /proc/sys/kernel/random/boot_id >\"$F/raw/boot_id\" 2>/dev/null || :\n"
		"uname -a >\"$F/raw/uname\"\n");
}

void record_tracefs_events(const struct record_tracefs *t, struct mer_str *out)
{
	struct names n = { t, out };
	put_places(t, out);
	record_plan_each_event(t->plan, t->facts, put_probe, &n);
	put_events(t, out);
	mer_str_puts(out,
		"[ -n \"$(sed 1q \"$I/set_event\")\" ] || { echo 'none of the events is there' >&2; false; }\n");
	put_formats(out);
}

/* ---- From start to end ---- */

void record_tracefs_state(const struct record_tracefs *t, const char *when, struct mer_str *out)
{
	put_places(t, out);
	mer_str_puts(out, record_proc_script_text);
	mer_str_printf(out, "proc \"$F/proc-%s\"\n", when);
}

/* The page of a buffer: what one read of trace_pipe_raw gives. */
#define PAGE                                                                                       \
	"page=$(sed -n 's/.*char data;.*offset:\\([0-9]*\\);.*size:\\([0-9]*\\);.*/\\1 \\2/p' "    \
	"$T/events/header_page | awk '{ print $1 + $2 }')\n"                                       \
	"[ \"${page:-0}\" -ge 4096 ] || page=4096\n"                                               \
	"flag=iflag=nonblock\n"                                                                    \
	"dd if=/dev/null of=/dev/null $flag 2>/dev/null || flag=\n"

void record_tracefs_ready(const struct record_tracefs *t, struct mer_str *out)
{
	put_places(t, out);
	mer_str_puts(out, PAGE);
}

/* Starts a reader of whole pages, which reads only as many as there are when it looks: reading
 * causes events, too, and would never end. It does not pause while there is much to read. If the
 * disk is full it stops the recording: nothing would show that a page is missing before the next
 * one. */
void record_tracefs_start(const struct record_tracefs *t, struct mer_str *out)
{
	enum { LEAST_KIB = 256 };
	const uint64_t kib = record_plan_buffer_kib(t->plan),
		       least = kib / 8 < LEAST_KIB ? kib / 8 : LEAST_KIB;
	mer_str_puts(out, "echo 1 >\"$I/tracing_on\"\n");
	if (t->plan->mode == RECORD_SNAPSHOT)
		return;
	mer_str_printf(out,
		"(\n\ttrap '' HUP INT\n"
		"\tprintf meridian-reader >/proc/self/comm\n"
		"\twhile [ -d \"$I\" ] && [ ! -e \"$F/stop\" ]; do\n"
		"\t\tpause=0.2\n"
		"\t\tfor w in $(awk -v p=\"$page\" '/^bytes:/ && $2 >= %" PRIu64
		" { n = split(FILENAME, at, \"/\"); print at[n - 1] \":\" int($2 / p) }' "
		"\"$I\"/per_cpu/cpu*/stats); do\n"
		"\t\t\tdd if=\"$I/per_cpu/${w%%:*}/trace_pipe_raw\" bs=\"$page\" count=\"${w#*:}\" "
		"$flag >>\"$F/raw/${w%%:*}.raw\" || [ \"$(df -Pk \"$F\" | awk 'NR == 2 { print $4 }')\" "
		"-ge 1024 ] || {\n"
		"\t\t\t\techo 0 >\"$I/tracing_on\"\n\t\t\t\t: >\"$F/raw/full\"\n\t\t\t\tbreak 2\n\t\t\t}\n"
		"\t\t\t[ $((${w#*:} * page)) -lt %" PRIu64 " ] || pause=\n"
		"\t\tdone\n\t\t[ -z \"$pause\" ] || sleep $pause\n\tdone\n"
		") </dev/null >/dev/null 2>&1 &\necho $! >\"$F/pid\"\n",
		least << 10, kib << 8);
}

static void put_reader_end(struct mer_str *out)
{
	mer_str_puts(out,
		"if [ -s \"$F/pid\" ]; then\n"
		"\tpid=$(cat \"$F/pid\") n=0\n"
		"\t: >\"$F/stop\"\n"
		"\twhile kill -0 \"$pid\" 2>/dev/null && [ $n -lt 300 ]; do n=$((n + 1)); "
		"sleep 0.1; done\n"
		"\trm -f \"$F/pid\" \"$F/stop\"\nfi\n");
}

/* Collects what is left in the buffers. dd gets a count, as not every dd can read without
 * blocking. */
static void put_collection(const struct record_tracefs *t, struct mer_str *out)
{
	if (t->plan->mode == RECORD_SNAPSHOT)
		mer_str_puts(out, "echo snapshot >\"$F/raw/mode\"\n");
	mer_str_puts(out,
		"for c in \"$I\"/per_cpu/cpu*; do\n"
		"\tcat \"$c/stats\" >\"$F/raw/${c##*/}.stats\"\n"
		"\twhile [ ! -e \"$F/raw/full\" ]; do\n"
		"\t\tn=$(awk -v p=\"$page\" '/^entries:/ { e = $2 } /^bytes:/ { b = int($2 / p) } "
		"END { if (e > 0) print (b > 0 ? b : 1) }' \"$c/stats\")\n"
		"\t\t[ -n \"$n\" ] || break\n"
		"\t\tdd if=\"$c/trace_pipe_raw\" bs=\"$page\" count=\"$n\" $flag 2>/dev/null "
		">>\"$F/raw/${c##*/}.raw\" || break\n\tdone\ndone\n"
		"for f in saved_cmdlines printk_formats dynamic_events kprobe_profile; do\n"
		"\t[ ! -r \"$T/$f\" ] || cat \"$T/$f\" >\"$F/raw/$f\"\ndone\n");
}

void record_tracefs_stop(const struct record_tracefs *t, struct mer_str *out)
{
	put_places(t, out);
	mer_str_puts(out, "echo 0 >\"$I/tracing_on\"\n");
	put_reader_end(out);
	/* On a full disk, failures do not matter: what is there is kept. */
	mer_str_puts(out, "[ ! -e \"$F/raw/full\" ] || { set +e; trap 'exit 0' EXIT; }\n");
	record_tracefs_state(t, "after", out);
	mer_str_puts(out,
		"[ ! -e \"$F/proc-after/clock\" ] || cat \"$F/proc-after/clock\" >\"$F/raw/clock\"\n");
	mer_str_puts(out, PAGE);
	put_collection(t, out);
}

/* Removes probes. They belong to the whole kernel, which keeps those that another recording
 * uses. */
static void put_probes_end(struct mer_str *out)
{
	mer_str_puts(out, "for e in $(sed -n 's,^[a-z0-9]*:\\(" RECORD_PROBE_GROUP
			  "/[a-z]*\\) .*,\\1,p' $T/dynamic_events 2>/dev/null); do\n"
			  "\t{ echo \"-:$e\" >>$T/dynamic_events; } 2>/dev/null\ndone\n");
}

void record_tracefs_destroy(const struct record_tracefs *t, struct mer_str *out)
{
	mer_str_puts(out, "set +e\n");
	put_places(t, out);
	mer_str_puts(out, "[ ! -d \"$I\" ] || echo 0 >\"$I/tracing_on\"\n");
	put_reader_end(out);
	/* It was not stopped, as the recorder is gone: its data is collected all the same. */
	mer_str_puts(out,
		"if [ -d \"$I\" ] && [ -d \"$F/raw\" ] && [ ! -e \"$F/raw/cpu0.stats\" ]; then\n");
	mer_str_puts(out, PAGE);
	put_collection(t, out);
	mer_str_puts(out, "fi\n");
	mer_str_puts(out, "n=0\nwhile [ -d \"$I\" ] && ! rmdir \"$I\" 2>/dev/null; do\n"
			  "\tn=$((n + 1))\n\t[ $n -lt 50 ] || { rmdir \"$I\"; exit 1; }\n"
			  "\tsleep 0.1\ndone\n");
	put_probes_end(out);
	mer_str_puts(out, "true\n");
}

/* In a snapshot, overwritten events are not losses. */
void record_tracefs_losses(const struct record_tracefs *t, struct mer_str *out)
{
	put_places(t, out);
	mer_str_printf(out,
		"awk '/^(%scommit overrun|dropped events):/ { n += $NF } END { print \"discarded\", n + 0 }' "
		"\"$I\"/per_cpu/cpu*/stats 2>/dev/null\n"
		"[ ! -e \"$F/raw/full\" ] || echo full\n",
		t->plan->mode == RECORD_SNAPSHOT ? "" : "overrun|");
}

void record_tracefs_print(const struct record_tracefs *t, const char *command, struct mer_str *out)
{
	struct names n = { t, out };
	mer_str_puts(out,
		"# as root; where it is not there: mount -t tracefs tracefs /sys/kernel/tracing\n");
	put_places(t, out);
	mer_str_puts(out, "mkdir -p \"$F/raw\"\nmkdir \"$I\"\n");
	put_buffers(t, out);
	mer_str_puts(out,
		"# headers of packets, names of files, addresses: what the kernel accepts of it\n");
	if (t->skb && t->skb->data >= 0)
		mer_str_printf(out,
			"# %" PRId64 ": the offset of sk_buff.data in this host's kernel alone\n",
			t->skb->data);
	record_plan_each_event(t->plan, t->facts, put_probe, &n);
	put_events(t, out);
	mer_str_puts(out, "\necho 1 >\"$I/tracing_on\"\n");
	mer_str_puts(out, command);
	mer_str_puts(out, "echo 0 >\"$I/tracing_on\"\n\n");
	mer_str_puts(out, PAGE);
	put_formats(out);
	put_collection(t, out);
	mer_str_puts(out, "rmdir \"$I\"\n");
	put_probes_end(out);
}
