/* Memory that processes share: two have mapped the same thing with MAP_SHARED, at least one so that
 * it may write. No event tells whether they exchanged anything there, or which way: a hint, and
 * marked as one.
 *
 * The same thing is a file of one path, a segment of System V of one number, or a memfd that was
 * made once. Memory without a name, which children share since they were forked, is not told. */
#include <stdlib.h>
#include <string.h>

#include "analysis/relations/state.h"

/* Of one object so many processes are compared with each other: pairs are many. */
enum { MAX_MAPPERS = 64 };
enum { MAP_TYPE_ = 0xf, MAP_SHARED_ = 1, MAP_SHARED_VALIDATE_ = 3, MAP_ANONYMOUS_ = 0x20 };
enum { PROT_WRITE_ = 2, SHM_RDONLY_ = 010000 };

/* Do all who use this name use one thing? Relative paths do not, and most devices are another one
 * each time; of memfds see is_one. */
static bool names_one(const char *name)
{
	static const char shm[] = "/dev/shm/", dev[] = "/dev/";
	if (strncmp(name, dev, sizeof(dev) - 1) == 0)
		return strncmp(name, shm, sizeof(shm) - 1) == 0;
	return name[0] == '/' || strncmp(name, "memfd:", 6) == 0;
}

static int add_mapping(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, uint64_t object, bool writes)
{
	struct relation_state *s = relation_state(a);
	int32_t pid = h->tasks[c->task].pid;
	uint64_t key[2] = { object, pid >= 0 ? (uint32_t)pid : (uint64_t)c->task << 32 };
	uint32_t *at = mer_map_put(&s->mapping_map, mer_hash(key, sizeof(key)));
	struct relation_mapping *m = NULL;
	if (at && *at) {
		m = &s->mappings[*at - 1];
		if (m->object == object && relation_same_process(h, m->task, c->task)) {
			m->n++;
			m->last = c->end;
			m->writes |= writes;
			return 0;
		}
	}
	m = at ? mer_grow_at(&s->mappings, &s->cap_mappings, s->n_mappings, sizeof(*m)) : NULL;
	if (!m)
		return mer_fail_nomem(a->err);
	*m = (struct relation_mapping){ .object = object,
		.task = c->task,
		.n = 1,
		.first = c->end,
		.last = c->end,
		.writes = writes };
	*at = (uint32_t)++s->n_mappings;
	return 0;
}

int relation_on_memory(struct analysis_host *a, const struct kernel_host *h,
	const struct kernel_call_end *c, const struct relation_use *u)
{
	/* What mmap returns is an address, errors are the last page. */
	bool failed = (uint64_t)c->ret > UINT64_MAX - 4096;
	if (failed || (c->kind != KERNEL_CALL_MMAP && c->kind != KERNEL_CALL_SHMAT &&
			      c->kind != KERNEL_CALL_MEMFD))
		return 0;
	if (c->kind == KERNEL_CALL_MEMFD) {
		uint32_t *at = u->object == KERNEL_NONE
				       ? NULL
				       : mer_map_put(&relation_state(a)->memfds, u->object);
		if (at)
			++*at;
		return at || u->object == KERNEL_NONE ? 0 : mer_fail_nomem(a->err);
	}
	if (!relation_is_asked(a, c->end))
		return 0;
	if (c->kind == KERNEL_CALL_SHMAT)
		return add_mapping(a, h, c, RELATION_SYSV | (uint32_t)c->args[KERNEL_ARG_SHMAT_ID],
			!(c->args[KERNEL_ARG_SHMAT_FLAGS] & SHM_RDONLY_));
	uint64_t flags = c->args[KERNEL_ARG_MMAP_FLAGS], type = flags & MAP_TYPE_;
	if ((type != MAP_SHARED_ && type != MAP_SHARED_VALIDATE_) || flags & MAP_ANONYMOUS_ ||
		u->kind != KERNEL_OBJECT_FILE || u->object == KERNEL_NONE ||
		!names_one(kernel_name_text(h, u->object)))
		return 0;
	return add_mapping(a, h, c, u->object, c->args[KERNEL_ARG_MMAP_PROT] & PROT_WRITE_);
}

static int by_object(const void *a, const void *b)
{
	const struct relation_mapping *p = a, *q = b;
	if (p->object != q->object)
		return p->object < q->object ? -1 : 1;
	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	return (p->task > q->task) - (p->task < q->task);
}

/* Was the memfd of this name made no more than once? */
static bool is_one(struct relation_state *s, uint64_t object)
{
	const uint32_t *at =
		object & RELATION_SYSV ? NULL : mer_map_get(&s->memfds, (uint32_t)object);
	return !at || *at < 2;
}

/* Had they the chance: did both live when the later one mapped it, and do they see the same
 * names? */
static bool may_share(const struct kernel_host *h, const struct relation_mapping *p,
	const struct relation_mapping *q)
{
	const struct kernel_task *t = &h->tasks[p->task], *u = &h->tasks[q->task];
	if (relation_same_process(h, p->task, q->task) || (!p->writes && !q->writes))
		return false;
	if (t->pid_ns && u->pid_ns && t->pid_ns != u->pid_ns)
		return false;
	return t->died > q->first;
}

int relation_memory_end(struct analysis_host *a, const struct kernel_host *h)
{
	struct relation_state *s = relation_state(a);
	int rc = 0;
	if (s->n_mappings)
		qsort(s->mappings, s->n_mappings, sizeof(*s->mappings), by_object);
	for (size_t i = 0, k; i < s->n_mappings && rc == 0; i = k) {
		for (k = i + 1; k < s->n_mappings && s->mappings[k].object == s->mappings[i].object;
			k++)
			;
		if (!is_one(s, s->mappings[i].object))
			continue;
		size_t n = k - i < MAX_MAPPERS ? k - i : MAX_MAPPERS;
		s->set.n_rest += k - i - n;
		for (size_t x = i; x < i + n && rc == 0; x++)
			for (size_t y = x + 1; y < i + n && rc == 0; y++) {
				const struct relation_mapping *p = &s->mappings[x],
							      *q = &s->mappings[y];
				struct relation one = { .n_given = p->n + q->n,
					.first = q->first,
					.last = p->last > q->last ? p->last : q->last };
				if (may_share(h, p, q))
					rc = relation_note(a, p->task, q->task, RELATION_MEMORY,
						p->object, &one);
			}
	}
	return rc;
}
