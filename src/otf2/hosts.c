/* Hosts: which machine of the system tree a location is on. */
#include "otf2/read.h"

#ifdef MER_HAS_OTF2

#include <string.h>

#include "otf2/reading.h"

enum {
	MOST_HOSTS = 1 << 16,
	DEEPEST = 64 /* maximum of levels of a system tree */
};

/* The node of the system tree that is the machine of a group: the nearest one above it that shares
 * memory or has the class "node"; else the group's own node. */
static uint32_t machine_of(const struct otf2ctf_reading *r, uint32_t group)
{
	uint32_t g = mer_map_number(&r->groups, group);
	uint32_t own = g < r->n_group ? mer_map_number(&r->nodes, r->group[g]) : UINT32_MAX;
	uint32_t n = own;
	for (unsigned depth = 0; n < r->n_node && depth < DEEPEST; depth++) {
		const struct otf2ctf_node *x = &r->node[n];
		if (x->shares_memory || strcmp(otf2ctf_text(r, x->class), "node") == 0)
			return n;
		n = mer_map_number(&r->nodes, x->parent);
	}
	return own;
}

/* The name for use in one line; each byte that is not printable ASCII becomes an underscore. */
static const char *clean_name(struct otf2ctf_reading *r, const char *name)
{
	char *own = mer_arena_strndup(&r->arena, name, strnlen(name, 250));
	for (char *p = own; p && *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '/')
			*p = '_';
	return own;
}

int otf2ctf_new_host(struct otf2ctf_reading *r, const char *name, uint64_t key)
{
	struct copy_clock clock = { .freq_hz = r->has_clock ? r->ticks_per_s : 1000000000 };
	if (r->has_clock && r->realtime != OTF2_UNDEFINED_TIMESTAMP && r->realtime <= INT64_MAX)
		clock.offset_ns = (int64_t)r->realtime;
	const char *own = clean_name(r, name[0] ? name : "unknown");
	if (!own)
		return mer_fail_nomem(r->err);
	if (r->n_hosts == MOST_HOSTS)
		return mer_fail(r->err, MER_ERR_LIMIT, "it has more than %d hosts", MOST_HOSTS);
	r->n_hosts++;
	return otf2ctf_copy_host(r->copy, own, key, &clock, r->creator, r->err);
}

/* The host of a location; created for its first location. */
int otf2ctf_host(struct otf2ctf_reading *r, const struct otf2ctf_location *l, uint32_t *host)
{
	uint32_t n = machine_of(r, l->group);
	uint32_t *at = n < r->n_node ? &r->node[n].host : &r->nowhere;
	if (!*at) {
		int rc = otf2ctf_new_host(
			r, n < r->n_node ? otf2ctf_text(r, r->node[n].name) : "", n);
		if (rc)
			return rc;
		*at = r->n_hosts;
	}
	*host = *at - 1;
	return 0;
}

#endif
