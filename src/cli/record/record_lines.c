/* The lines of a recording for people who run them with tools of their own: --dry-run. */
#include <stdlib.h>
#include <string.h>

#include "cli/record/record.h"
#include "record/btf.h"
#include "record/tracefs.h"
#include "record/words.h"

static void put_command(const struct recording *r, struct mer_str *out)
{
	for (size_t i = 0; r->run.command && r->run.command[i]; i++) {
		if (i)
			mer_str_putc(out, ' ');
		record_put_word(out, r->run.command[i]);
	}
	if (!r->run.command)
		mer_str_printf(out, "sleep %g",
			r->run.duration_ns ? (double)r->run.duration_ns / 1e9 : 10.0);
	mer_str_putc(out, '\n');
}

/* Of LTTng: a few lines. */
static void put_lttng(const struct recording *r, const char *folder, bool remote, struct mer_str *s)
{
	const struct record_plan *plan = &r->run.plan;
	record_plan_create(plan, folder, s);
	record_plan_channels(plan, s);
	record_plan_events(plan, NULL, true, s);
	record_plan_rotation(plan, s);
	mer_str_puts(s, remote ? "# on all of them together\n" : "\n");
	record_plan_start(plan, s);
	if (remote)
		mer_str_puts(s, "# here\n");
	put_command(r, s);
	if (remote)
		mer_str_puts(s, "# on each of them\n");
	record_plan_stop(plan, s);
	record_plan_destroy(plan, s);
}

/* Where packets have their headers in this host's kernel. Older kernels cannot map the file. */
static struct record_skb own_offsets(void)
{
	enum { MOST = 64 << 20 };
	struct record_skb skb = { -1, -1 };
	FILE *file = fopen("/sys/kernel/btf/vmlinux", "rbe");
	uint8_t *data = file ? malloc(MOST) : NULL;
	size_t n = data ? fread(data, 1, MOST, file) : 0;
	skb.data = record_btf_offset(data, n, "sk_buff", "data");
	skb.len = record_btf_offset(data, n, "sk_buff", "len");
	free(data);
	if (file)
		fclose(file);
	return skb;
}

static void put_tracefs(
	const struct recording *r, const char *folder, bool remote, struct mer_str *s)
{
	const struct record_skb skb = remote ? (struct record_skb){ -1, -1 } : own_offsets();
	const struct record_tracefs t = { &r->run.plan, NULL, &skb, folder };
	struct mer_str command = { 0 };
	if (remote)
		mer_str_puts(&command, "# here\n");
	put_command(r, &command);
	if (remote)
		mer_str_puts(&command, "# on each of them\n");
	record_tracefs_print(&t, command.data ? command.data : "", s);
	s->failed |= command.failed;
	mer_str_fini(&command);
}

static void put_perf(const struct recording *r, const char *folder, struct mer_str *s)
{
	mer_str_printf(s, "mkdir -p %s\n", folder);
	record_plan_perf(&r->run.plan, NULL, folder, s);
	/* perf runs a command itself, and ends with it. */
	if (s->len && !s->failed)
		s->data[s->len - 1] = ' ';
	put_command(r, s);
}

int record_print_lines(struct recording *r)
{
	struct record_plan *plan = &r->run.plan;
	struct mer_str s = { 0 };
	int rc = record_setup_hosts(r, NULL, 0);
	if (rc)
		return rc;
	bool is_lttng = plan->backend == RECORD_LTTNG || plan->backend == RECORD_N_BACKENDS;
	char *folder = mer_arena_printf(
		&r->ask->arena, "~/%s-traces/%s", is_lttng ? "lttng" : "meridian", plan->label);
	if (!folder)
		return mer_fail_nomem(&r->ask->err);
	bool remote = r->run.n_hosts > 1 || r->run.hosts[0].target;
	plan->session = NULL;
	if (remote) {
		mer_str_puts(&s, "# on each of");
		for (size_t i = 0; i < r->run.n_hosts; i++)
			mer_str_printf(&s, " %s",
				r->run.hosts[i].target ? r->run.hosts[i].target : "localhost");
		mer_str_putc(&s, '\n');
	}
	if (plan->backend == RECORD_TRACEFS)
		put_tracefs(r, folder, remote, &s);
	else if (plan->backend == RECORD_PERF)
		put_perf(r, folder, &s);
	else
		put_lttng(r, folder, remote, &s);
	for (size_t i = 0; i < r->run.n_hosts; i++) {
		const struct record_host *h = &r->run.hosts[i];
		if (h->target)
			mer_str_printf(&s, "%srsync -avz %s:%s/ %s/%s/\n", i == 0 ? "# here\n" : "",
				h->target, folder, plan->label, h->name);
	}
	return ask_put(r->ask, &s, 0);
}
