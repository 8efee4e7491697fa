#include "trace/hosts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "copied/copied.h"

static const struct ctf_schema *schema_of(const struct mer_experiment *e, uint32_t trace)
{
	for (uint32_t i = 0; i < e->n_parts; i++)
		if (e->parts[i].trace == trace)
			return e->parts[i].schema;
	return NULL;
}

static const char *env_text(const struct ctf_schema *s, const char *name)
{
	const struct ctf_env *v = ctf_env_find(s, name);
	return v && v->text && v->text[0] ? v->text : NULL;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* A trace without a host name takes the name of its folder, or of the one above it when the folder
 * has one of the names that tracers give to every trace. */
static const char *folder_name(struct mer_experiment *e, const char *path)
{
	const char *name = last_component(path);
	if (strcmp(name, "kernel") != 0 && strcmp(name, "64-bit") != 0 &&
		strcmp(name, "32-bit") != 0)
		return name;
	char *above = mer_arena_strndup(&e->arena, path, (size_t)(name - path));
	size_t len = above ? strlen(above) : 0;
	while (len > 0 && above[len - 1] == '/')
		above[--len] = '\0';
	return len ? last_component(above) : name;
}

struct identity { /* of a trace's machine */
	const char *name, *clock, *domain;
};

static struct identity identity_of(struct mer_experiment *e, uint32_t trace)
{
	const struct ctf_schema *s = schema_of(e, trace);
	const char *name = env_text(s, "hostname");
	return (struct identity){
		.name = name ? name : folder_name(e, e->traces[trace].path),
		.clock = e->traces[trace].has_clock ? e->traces[trace].clock.uuid : NULL,
		.domain = name ? e->traces[trace].domain : NULL, /* NULL: nothing to go by */
	};
}

/* The clock's UUID is LTTng's boot id: it decides where both have one. Without it, a kernel and a
 * user-space trace of the same name belong together; two of the same kind do not, because two
 * machines of one name must not become one. */
static bool same_host(const struct identity *a, const struct identity *b)
{
	if (!a->domain || !b->domain || strcmp(a->name, b->name) != 0)
		return false;
	if (a->clock && b->clock)
		return strcmp(a->clock, b->clock) == 0;
	return !a->clock == !b->clock && (strcmp(a->domain, b->domain) != 0 || a->domain[0] == 'u');
}

struct host_sort {
	struct identity id;
	const char *path;
	uint32_t first; /* trace */
	uint32_t host;
	bool has_kernel;       /* a trace of a kernel; else all are of user space */
	const char *joined_to; /* the name of the host that it is a part of; NULL: of none */
};

static int by_identity(const void *a, const void *b)
{
	const struct host_sort *p = a, *q = b;
	int c = strcmp(p->id.name, q->id.name);
	if (c == 0)
		c = strcmp(p->id.clock ? p->id.clock : "", q->id.clock ? q->id.clock : "");
	return c ? c : strcmp(p->path, q->path);
}

/* ---- one clock under several names ---- */

/* The offsets of traces of one clock, measured at different moments, differ by less than this
 * unless the time of day was set. */
enum { SAME_OFFSET_NS = 10000000 };

static bool agree(
	const struct mer_experiment *e, const struct host_sort *a, const struct host_sort *b)
{
	const struct mer_clock_info *x = &e->traces[a->first].clock,
				    *y = &e->traces[b->first].clock;
	int64_t d = (int64_t)((uint64_t)x->offset_ns - (uint64_t)y->offset_ns);
	return d > -SAME_OFFSET_NS && d < SAME_OFFSET_NS;
}

static bool may_join(
	const struct mer_experiment *e, const struct host_sort *part, const struct host_sort *host)
{
	const struct mer_trace *a = &e->traces[part->first], *b = &e->traces[host->first];
	return part->id.domain && host->id.domain && part->id.clock && host->id.clock &&
	       strcmp(part->id.clock, host->id.clock) == 0 &&
	       a->clock.freq_hz == b->clock.freq_hz && !a->base_s && !b->base_s;
}

/* The host that a group of user-space traces is a part of: the one with a kernel trace of the same
 * clock. If there are several, as after cloning a virtual machine, the only one whose clock offset
 * agrees; if there is none, the first group before it whose offset agrees. n: none. Groups with a
 * kernel trace are never joined: a virtual machine that was cloned while it ran has another clock
 * of the same UUID. */
static uint32_t whose_part(
	const struct mer_experiment *e, const struct host_sort *found, uint32_t n, uint32_t part)
{
	uint32_t kernel = n, near = n, first = n, n_kernels = 0, n_near = 0;
	for (uint32_t h = 0; h < n; h++) {
		if (h == part || found[h].joined_to || !may_join(e, &found[part], &found[h]))
			continue;
		bool is_near = agree(e, &found[part], &found[h]);
		if (found[h].has_kernel) {
			kernel = h;
			n_kernels++;
			near = is_near ? h : near;
			n_near += is_near;
		} else if (is_near && first == n) {
			first = h;
		}
	}
	if (n_kernels)
		return n_kernels == 1 ? kernel : n_near == 1 ? near : n;
	return first < part ? first : n;
}

static void tell_joined(
	struct mer_experiment *e, const struct host_sort *part, const struct host_sort *host)
{
	const struct mer_trace *trace = &e->traces[part->first];
	struct mer_diag d = { .severity = MER_NOTE,
		.code = "hosts-joined",
		.host = host->id.name,
		.path = trace->path,
		.stream = -1,
		.packet = -1,
		.offset_bits = -1 };
	mer_diag_add(&e->diags, &d,
		"this trace is of host '%s', but was recorded with the clock of '%s' (%s), as in a container: both are one host here",
		part->id.name, host->id.name, host->id.clock);
}

/* Joins the traces of containers, which have their own host name but the clock of their machine, to
 * that machine. Returns how many groups are left. */
static uint32_t join_hosts(struct mer_experiment *e, struct host_sort *found, uint32_t n)
{
	for (uint32_t t = 0; t < e->n_traces; t++)
		found[e->traces[t].host].has_kernel |= strcmp(e->traces[t].domain, "ust") != 0;
	uint32_t left = 0;
	for (uint32_t h = 0; h < n; h++) {
		uint32_t to = found[h].has_kernel ? n : whose_part(e, found, n, h);
		if (to == n)
			continue;
		found[h].joined_to = found[to].id.name;
		tell_joined(e, &found[h], &found[to]);
		for (uint32_t t = 0; t < e->n_traces; t++)
			if (e->traces[t].host == h)
				e->traces[t].host = to;
	}
	for (uint32_t h = 0; h < n; h++)
		if (!found[h].joined_to)
			found[left++] = found[h];
	return left;
}

/* A part of a recording has the id of its host there. */
static const char *id_of(const struct mer_experiment *e, const struct host_sort *host)
{
	const char *recorded = NULL;
	for (uint32_t i = 0; i < e->n_parts && !recorded; i++)
		if (e->parts[i].trace == host->first)
			recorded = trace_of_copy(&e->parts[i], COPIED_ENV_HOST);
	return host->id.clock ? host->id.clock : recorded ? recorded : host->path;
}

int trace_group_hosts(struct mer_experiment *e, struct mer_err *err)
{
	struct host_sort *found = calloc(e->n_traces + 1u, sizeof(*found));
	uint32_t *renumber = calloc(e->n_traces + 1u, sizeof(*renumber));
	e->hosts = mer_arena_zalloc(&e->arena, e->n_traces + 1u, sizeof(*e->hosts));
	int rc = found && renumber && e->hosts ? 0 : mer_fail_nomem(err);
	uint32_t n = 0;
	for (uint32_t t = 0; rc == 0 && t < e->n_traces; t++) {
		struct identity id = identity_of(e, t);
		uint32_t h = 0;
		while (h < n && !same_host(&found[h].id, &id))
			h++;
		if (h == n)
			found[n++] = (struct host_sort){
				.id = id, .path = e->traces[t].path, .first = t, .host = h
			};
		e->traces[t].host = h;
	}
	if (rc == 0)
		n = join_hosts(e, found, n);
	if (rc == 0 && n) {
		qsort(found, n, sizeof(*found), by_identity);
		for (uint32_t h = 0; h < n; h++) {
			renumber[found[h].host] = h;
			uint32_t twins = 0;
			for (uint32_t k = h;
				k-- > 0 && strcmp(found[k].id.name, found[h].id.name) == 0;)
				twins++;
			e->hosts[h].id = id_of(e, &found[h]);
			e->hosts[h].name = !twins ? found[h].id.name
						  : mer_arena_printf(&e->arena, "%s#%u",
							    found[h].id.name, twins + 1);
			if (!e->hosts[h].name)
				rc = mer_fail_nomem(err);
		}
		for (uint32_t t = 0; t < e->n_traces; t++) {
			e->traces[t].host = renumber[e->traces[t].host];
			e->hosts[e->traces[t].host].n_traces++;
		}
		e->n_hosts = n;
	}
	free(found);
	free(renumber);
	return rc;
}

/* The trace whose offset all others of the same clock take. */
static uint32_t offset_owner(const struct mer_experiment *e, uint32_t trace)
{
	uint32_t owner = trace;
	const struct mer_trace *t = &e->traces[trace];
	for (uint32_t i = e->n_traces; i-- > 0;) {
		const struct mer_trace *o = &e->traces[i];
		if (o->host != t->host || !o->has_clock || !o->clock.uuid ||
			strcmp(o->clock.uuid, t->clock.uuid) != 0 ||
			o->clock.freq_hz != t->clock.freq_hz)
			continue;
		bool kernel = strcmp(o->domain, "kernel") == 0,
		     owner_kernel = strcmp(e->traces[owner].domain, "kernel") == 0;
		if (kernel > owner_kernel || (kernel == owner_kernel && i < owner))
			owner = i;
	}
	return owner;
}

void trace_reconcile_clocks(struct mer_experiment *e)
{
	for (uint32_t t = 0; t < e->n_traces; t++) {
		struct mer_trace *trace = &e->traces[t];
		if (!trace->has_clock || !trace->clock.uuid || trace->base_s)
			continue;
		const struct mer_trace *owner = &e->traces[offset_owner(e, t)];
		int64_t change = (int64_t)((uint64_t)owner->clock.offset_ns -
					   (uint64_t)trace->clock.offset_ns);
		if (change == 0)
			continue;
		struct mer_diag d = { .severity = MER_NOTE,
			.code = "clock-offset-reconciled",
			.host = e->hosts[trace->host].name,
			.path = trace->path,
			.stream = -1,
			.packet = -1,
			.offset_bits = -1,
			.remedy = MER_REMEDY_KEEP_OFFSETS };
		mer_diag_add(&e->diags, &d,
			"this trace and %s were recorded with the same clock, but their recorded offsets differ by %+.3f us; that of the latter is used for both",
			owner->path, (double)change / 1e3);
		for (uint32_t p = 0; p < e->n_parts; p++) {
			if (e->parts[p].trace != t)
				continue;
			for (uint32_t c = 0; c < e->parts[p].schema->n_clocks; c++) {
				struct mer_clock *clock = &e->parts[p].clocks[c];
				if (clock->freq_hz == trace->clock.freq_hz && !clock->base_s)
					clock->base_ns = (int64_t)((uint64_t)clock->base_ns +
								   (uint64_t)change);
			}
		}
	}
}
