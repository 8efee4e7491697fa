#include "store/messages.h"

#include <stdlib.h>

#include "base/err.h"
#include "store/columns.h"
#include "store/findings.h"
#include "store/parts.h"
#include "store/types.h"

struct saved_link {
	uint64_t n, n_duplicates, n_reordered, n_unmatched;
	uint32_t from, to;
	uint32_t has_kinds, unused;
};

/* Numbers of the sections STORE_MESSAGES. */
enum { LINKS, HOSTS };

static const struct store_column message_columns[] = { STORE_COLUMN(sync_message, sent, DELTA),
	STORE_COLUMN_SINCE(sync_message, received, sent) };
static const struct store_columns messages_of = STORE_COLUMNS(sync_message, message_columns);
static const struct store_column kind = { .bytes = sizeof(uint8_t), .packing = STORE_DICT };
static const struct store_columns kinds_of = { sizeof(uint8_t), &kind, 1 };
enum { KINDS = sizeof(message_columns) / sizeof(*message_columns) };

/* Of two with the same times, their order may depend on streams, which are not written. */
static bool is_ordered(const struct sync_link *l)
{
	bool ok = true;
	for (size_t i = 1; ok && l->kinds && i < l->n; i++)
		ok = l->kinds[i - 1] == l->kinds[i] ||
		     l->messages[i - 1].sent != l->messages[i].sent ||
		     l->messages[i - 1].received != l->messages[i].received;
	return ok;
}

int store_put_messages(struct store_writer *w, const struct sync_messages *m,
	const struct mer_diags *found, struct mer_err *err)
{
	bool ok = found->n_dropped == 0;
	for (size_t i = 0; ok && i < m->n_links; i++)
		ok = is_ordered(&m->links[i]);
	struct saved_link *links = ok ? calloc(m->n_links + 1, sizeof(*links)) : NULL;
	if (!links)
		return ok ? mer_fail_nomem(err) : 0;
	for (uint32_t i = 0; i < m->n_links; i++) {
		const struct sync_link *l = &m->links[i];
		links[i] = (struct saved_link){ .n = l->n,
			.n_duplicates = l->n_duplicates,
			.n_reordered = l->n_reordered,
			.n_unmatched = l->n_unmatched,
			.from = l->from,
			.to = l->to,
			.has_kinds = l->kinds != NULL };
		store_put_columns(w, STORE_MESSAGE_COLUMNS, i, 0, &messages_of, l->messages, l->n);
		if (l->kinds)
			store_put_columns(
				w, STORE_MESSAGE_COLUMNS, i, KINDS, &kinds_of, l->kinds, l->n);
	}
	store_put_section(w, STORE_MESSAGES, 0, LINKS, links, m->n_links, sizeof(*links));
	store_put_section(w, STORE_MESSAGES, 0, HOSTS, m->hosts, m->n_hosts, sizeof(*m->hosts));
	free(links);
	return store_put_findings(w, STORE_FINDINGS_OF_MESSAGES, found, err);
}

static bool get_link(const struct store_file *f, uint32_t number, const struct saved_link *s,
	struct sync_link *l, bool *no_memory)
{
	l->n_duplicates = s->n_duplicates;
	l->n_reordered = s->n_reordered;
	l->n_unmatched = s->n_unmatched;
	l->messages = mer_spill_array(l->spill, s->n + 1, sizeof(*l->messages));
	l->kinds = s->has_kinds ? mer_spill_array(l->spill, s->n + 1, sizeof(*l->kinds)) : NULL;
	*no_memory |= !l->messages || (s->has_kinds && !l->kinds);
	bool ok = !*no_memory &&
		  store_get_columns(
			  f, STORE_MESSAGE_COLUMNS, number, 0, &messages_of, l->messages, s->n) &&
		  (!l->kinds || store_get_columns(f, STORE_MESSAGE_COLUMNS, number, KINDS,
					&kinds_of, l->kinds, s->n));
	for (size_t i = 0; ok && l->kinds && i < s->n; i++)
		ok = l->kinds[i] < SYNC_N_KINDS;
	l->n = l->cap = ok ? s->n : 0;
	return ok;
}

/* Links that are not there yet. */
static bool get_links(const struct store_file *f, const struct store_file *world,
	const struct saved_link *links, uint64_t n, struct sync_messages *m, bool *no_memory)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++) {
		const struct saved_link *s = &links[i];
		uint32_t from = store_host_of(f, s->from), to = store_host_of(f, s->to);
		ok = from < m->n_hosts && to < m->n_hosts && s->n / STORE_PACK_MAX <= f->file.size;
		size_t before = m->n_links;
		struct sync_link *l = ok ? sync_messages_link(m, from, to) : NULL;
		*no_memory |= ok && !l;
		ok = l && (m->n_links == before || get_link(world, i, s, l, no_memory));
	}
	return ok;
}

int store_get_messages(const struct store_file *f, struct sync_messages *m, struct mer_diags *found,
	struct mer_err *err)
{
	uint64_t n = 0, n_hosts = 0;
	bool no_memory = false;
	const struct store_file world = store_without_numbers(f);
	const struct saved_link *links =
		store_find(&world, STORE_MESSAGES, 0, LINKS, sizeof(*links), &n);
	const struct sync_host_counts *hosts =
		store_find(&world, STORE_MESSAGES, 0, HOSTS, sizeof(*hosts), &n_hosts);
	bool ok = links && hosts && n_hosts == (f->hosts ? f->n_hosts : m->n_hosts) &&
		  n <= n_hosts * n_hosts &&
		  store_get_findings(&world, STORE_FINDINGS_OF_MESSAGES, found) &&
		  get_links(f, &world, links, n, m, &no_memory);
	for (uint32_t i = 0; ok && i < n_hosts; i++) {
		uint32_t h = store_host_of(f, i);
		if (store_part_of(f, h) || !(m->hosts[h].n_sent || m->hosts[h].n_received))
			m->hosts[h] = hosts[i];
	}
	return ok	   ? 0
	       : no_memory ? mer_fail_nomem(err)
			   : mer_fail(err, MER_ERR_INPUT, "no messages that fit");
}
