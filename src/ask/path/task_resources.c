/* What a task cost besides CPU time, for people: memory, disks and network, of the same tree. */
#include <stdlib.h>
#include <string.h>

#include "ask/print/table.h"
#include "ask/path/task_print.h"
#include "ask/print/text.h"

enum { NAME_MIN = 24, TEXT_COLUMNS = 11 };

/* By what one wants to know first; where lines would be too long, the last ones go. */
static const struct shown {
	struct mer_column column;
	uint8_t kind;
	const char *alone; /* its title where the column before it is not there; NULL: the same */
	const char *words; /* in sentences */
} shown[TEXT_COLUMNS] = {
	{ { "allocated_bytes", "Allocated", MER_BYTES }, USAGE_PAGES_ALLOCATED, NULL,
		"memory allocated" },
	{ { "freed_bytes", "freed", MER_BYTES }, USAGE_PAGES_FREED, "Memory freed",
		"memory freed" },
	{ { "block_read_bytes", "Disk read", MER_BYTES }, USAGE_BLOCK_READ, NULL, "disk read" },
	{ { "block_written_bytes", "written", MER_BYTES }, USAGE_BLOCK_WRITTEN, "Disk written",
		"disk written" },
	{ { "socket_received_bytes", "Received", MER_BYTES }, USAGE_SOCKETS_RECEIVED, NULL,
		"received" },
	{ { "socket_sent_bytes", "Sent", MER_BYTES }, USAGE_SOCKETS_SENT, NULL, "sent" },
	{ { "sent_packets", "Packets sent", MER_COUNT }, USAGE_PACKETS_SENT, NULL, "packets sent" },
	{ { "received_packets", "received", MER_COUNT }, USAGE_PACKETS_RECEIVED, "Packets received",
		"packets received" },
	{ { "faults", "Faults", MER_COUNT }, USAGE_FAULTS, NULL, "page faults" },
	{ { "file_read_bytes", "Files read", MER_BYTES }, USAGE_FILES_READ, NULL, "files read" },
	{ { "file_written_bytes", "written", MER_BYTES }, USAGE_FILES_WRITTEN, "Files written",
		"files written" },
};

/* Is it known of any task of the account? */
static bool is_recorded(const struct ask_cost *c, enum usage_kind kind)
{
	for (uint32_t i = 0; i < c->a->n; i++)
		if (usage_is_recorded(c->w->usage, c->a->nodes[i].host, kind))
			return true;
	return false;
}

static struct mer_cell amount(
	const struct ask_cost *c, const struct account_node *n, const struct shown *s, bool all)
{
	int64_t used = n->used[s->kind] + (all ? n->children_used[s->kind] : 0);
	bool known = all || usage_is_recorded(c->w->usage, n->host, (enum usage_kind)s->kind);
	return known ? MER_INT(used) : MER_NONE;
}

/* Was any of it used, by whomever in the tree? Packets only where bytes are not known. */
static bool is_worth(const struct ask_cost *c, const struct shown *s)
{
	const struct account_node *root = &c->a->nodes[0];
	bool any = root->used[s->kind] || root->children_used[s->kind];
	if (s->kind == USAGE_PACKETS_RECEIVED || s->kind == USAGE_PACKETS_SENT)
		any &= !is_recorded(c, USAGE_SOCKETS_SENT);
	return any;
}

static void add_text_row(const struct ask_cost *c, struct mer_table *t, struct mer_cell name,
	const struct account_node *n, bool all)
{
	struct mer_cell cells[1 + TEXT_COLUMNS] = { name };
	for (size_t i = 0; i < TEXT_COLUMNS; i++)
		cells[1 + i] = amount(c, n, &shown[i], all);
	mer_table_add(t, cells);
}

/* Did it, or who worked for it, use any of this? */
static bool has_any(const struct account_node *n, const bool *wanted)
{
	for (size_t i = 0; i < TEXT_COLUMNS; i++)
		if (wanted[i] && (n->used[shown[i].kind] || n->children_used[shown[i].kind]))
			return true;
	return false;
}

/* The rows of the tree that rows says, without those of nothing, and the sum of all. */
static void fill(const struct ask_cost *c, struct mer_table *t, struct mer_column *columns,
	const bool *wanted, const bool *rows)
{
	columns[0] = (struct mer_column){ "task", "Task", MER_TEXT };
	for (size_t i = 0; i < TEXT_COLUMNS; i++) {
		bool is_alone = shown[i].alone && !wanted[i - 1];
		columns[1 + i] = shown[i].column;
		if (!wanted[i])
			columns[1 + i].title = NULL;
		else if (is_alone)
			columns[1 + i].title = shown[i].alone;
	}
	columns[1 + TEXT_COLUMNS] = (struct mer_column){ 0 };
	mer_table_init(t, "resources", "Memory, disk and network used by each task itself", columns,
		&c->ask->arena);
	for (uint32_t i = 0; i != KERNEL_NONE; i = session_account_next(c->a, i)) {
		struct mer_str name = { 0 };
		if (!rows[i] || (i && !has_any(&c->a->nodes[i], wanted)))
			continue;
		ask_cost_put_node(c, &c->a->nodes[i], &name);
		add_text_row(c, t, mer_table_keep(t, &name), &c->a->nodes[i], false);
	}
	if (c->a->n > 1)
		add_text_row(c, t, mer_text("total"), &c->a->nodes[0], true);
}

static void put_list(struct mer_str *out, const struct ask_cost *c, const char *before,
	const struct mer_str *list, const char *behind)
{
	struct mer_str text = { 0 };
	if (list->len) {
		mer_str_puts(&text, before);
		ask_text_clean(&text, list->data, list->len, false);
		mer_str_puts(&text, behind);
		ask_text_wrap(out, text.data ? text.data : "", (size_t)ask_width(c->ask), 0);
	}
	out->failed |= list->failed || text.failed;
	mer_str_fini(&text);
}

/* What of it was not recorded, on which of the hosts that the tree is on. */
static void put_unknown(const struct ask_cost *c, struct mer_str *out)
{
	static const struct {
		enum usage_kind kind;
		const char *words;
	} parts[] = { { USAGE_PAGES_ALLOCATED, "memory pages" }, { USAGE_FAULTS, "page faults" },
		{ USAGE_REQUESTS, "disk requests" }, { USAGE_SOCKETS_SENT, "system calls" },
		{ USAGE_PACKETS_SENT, "packets" } };
	struct mer_str list = { 0 };
	uint32_t n_hosts = c->w->world->n_hosts;
	bool *has = calloc((size_t)n_hosts + 1, sizeof(*has));
	out->failed |= !has;
	for (uint32_t i = 0; has && i < c->a->n; i++)
		has[c->a->nodes[i].host] = true;
	for (size_t p = 0; has && p < sizeof(parts) / sizeof(parts[0]); p++) {
		size_t n = 0, unknown = 0;
		for (uint32_t i = 0; i < n_hosts; i++) {
			n += has[i];
			unknown += has[i] && !usage_is_recorded(c->w->usage, i, parts[p].kind);
		}
		if (!unknown)
			continue;
		mer_str_printf(&list, "%s%s", list.len ? ", " : "", parts[p].words);
		for (uint32_t i = 0, k = 0; i < n_hosts && unknown < n; i++)
			if (has[i] && !usage_is_recorded(c->w->usage, i, parts[p].kind))
				mer_str_printf(&list, "%s%s", k++ ? " and " : " on ",
					c->w->e->hosts[i].name);
	}
	put_list(out, c, "Not recorded: ", &list, ".");
	mer_str_fini(&list);
	free(has);
}

void ask_cost_put_resources(const struct ask_cost *c, const bool *rows, struct mer_str *out)
{
	bool wanted[TEXT_COLUMNS];
	struct mer_column columns[TEXT_COLUMNS + 2];
	struct mer_str left_out = { 0 };
	struct mer_table t;
	size_t n = 0;
	for (size_t i = 0; i < TEXT_COLUMNS; i++)
		n += wanted[i] = is_worth(c, &shown[i]);
	fill(c, &t, columns, wanted, rows);
	for (size_t i = TEXT_COLUMNS; i-- > 1 && n > 1;) {
		if (!wanted[i])
			continue;
		if (ask_table_least_width(&t, NAME_MIN, c->ask->ascii) <= (size_t)ask_width(c->ask))
			break;
		wanted[i] = false;
		n--;
		mer_table_fini(&t);
		fill(c, &t, columns, wanted, rows);
	}
	mer_str_printf(out, "\n%s\n", t.title);
	if (n)
		ask_table_text(&t, out, (size_t)ask_width(c->ask), c->ask->bold_out, c->ask->ascii);
	else
		mer_str_puts(out, "None.\n");
	for (size_t i = 0; i < TEXT_COLUMNS; i++)
		if (!wanted[i] && is_worth(c, &shown[i]))
			mer_str_printf(&left_out, "%s%s", left_out.len ? ", " : "", shown[i].words);
	put_list(out, c, "(no room for ", &left_out,
		": use a wider terminal, or --table resources --format csv for all columns)");
	put_unknown(c, out);
	out->failed |= t.failed;
	mer_str_fini(&left_out);
	mer_table_fini(&t);
}
