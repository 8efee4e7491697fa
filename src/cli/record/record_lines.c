/* The lines of a recording for people who run them with tools of their own: --dry-run. */
#include <string.h>

#include "cli/record/record.h"
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

int record_print_lines(struct recording *r)
{
	struct record_plan *plan = &r->run.plan;
	struct mer_str s = { 0 };
	int rc = record_setup_hosts(r, NULL, 0);
	if (rc)
		return rc;
	char *folder = mer_arena_printf(&r->cli->arena, "~/lttng-traces/%s", plan->label);
	if (!folder)
		return mer_fail_nomem(&r->cli->err);
	bool remote = r->run.n_hosts > 1 || r->run.hosts[0].target;
	plan->session = NULL;
	if (remote) {
		mer_str_puts(&s, "# on each of");
		for (size_t i = 0; i < r->run.n_hosts; i++)
			mer_str_printf(&s, " %s",
				r->run.hosts[i].target ? r->run.hosts[i].target : "localhost");
		mer_str_putc(&s, '\n');
	}
	record_plan_create(plan, folder, &s);
	record_plan_channels(plan, &s);
	record_plan_events(plan, NULL, true, &s);
	record_plan_rotation(plan, &s);
	mer_str_puts(&s, remote ? "# on all of them together\n" : "\n");
	record_plan_start(plan, &s);
	if (remote)
		mer_str_puts(&s, "# here\n");
	put_command(r, &s);
	if (remote)
		mer_str_puts(&s, "# on each of them\n");
	record_plan_stop(plan, &s);
	record_plan_destroy(plan, &s);
	for (size_t i = 0; i < r->run.n_hosts; i++) {
		const struct record_host *h = &r->run.hosts[i];
		if (h->target)
			mer_str_printf(&s, "%srsync -avz %s:%s/ %s/%s/\n", i == 0 ? "# here\n" : "",
				h->target, folder, plan->label, h->name);
	}
	return cli_put(r->cli, &s, 0);
}
