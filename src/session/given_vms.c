#include "session/given_vms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sync/vcpu/pairing.h"

int session_find_host(const struct mer_experiment *e, const char *what, const char *name,
	size_t len, uint32_t *host, struct mer_err *err)
{
	for (uint32_t h = 0; h < e->n_hosts; h++)
		if (strlen(e->hosts[h].name) == len && memcmp(e->hosts[h].name, name, len) == 0) {
			*host = h;
			return 0;
		}
	struct mer_str names = { 0 };
	for (uint32_t h = 0; h < e->n_hosts && names.len < 300; h++)
		mer_str_printf(&names, "%s%.64s", h ? ", " : "", e->hosts[h].name);
	int rc = mer_fail(err, MER_ERR_USAGE, "%s: the traces have no host '%.*s'; they have: %s",
		what, (int)(len < 100 ? len : 100), name, names.data ? names.data : "none");
	mer_str_fini(&names);
	return rc;
}

static int read_one(const struct mer_experiment *e, const char *text, struct sync_vm_given *given,
	struct mer_err *err)
{
	const char *equals = strchr(text, '='), *colon = equals ? strrchr(equals, ':') : NULL;
	char *end = NULL;
	errno = 0;
	unsigned long pid = colon ? strtoul(colon + 1, &end, 10) : 0;
	if (!colon || end == colon + 1 || *end || errno || pid == 0 || pid >= UINT32_MAX)
		return mer_fail(err, MER_ERR_USAGE,
			"expected GUEST=HOST:PID, as in vm1=node1:4242, found '%.100s'", text);
	given->pid = (uint32_t)pid;
	int rc = session_find_host(
		e, "GUEST=HOST:PID", text, (size_t)(equals - text), &given->guest, err);
	return rc ? rc
		  : session_find_host(e, "GUEST=HOST:PID", equals + 1, (size_t)(colon - equals - 1),
			    &given->hypervisor, err);
}

int session_given_vms(const struct mer_experiment *e, const struct session_texts *texts,
	struct mer_arena *arena, struct sync_options *o, struct mer_err *err)
{
	struct sync_vm_given *given = mer_arena_zalloc(arena, texts->n + 1, sizeof(*given));
	int rc = given ? 0 : mer_fail_nomem(err);
	for (size_t i = 0; !rc && i < texts->n; i++)
		rc = read_one(e, texts->item[i], &given[i], err);
	o->vms = given;
	o->n_vms = texts->n;
	return rc;
}
