/* Memory that processes share: two of them mapped the same object with MAP_SHARED, at least one of
 * them writable. No event shows whether they exchanged data there, or in which direction: it is a
 * hint, and is marked as one.
 *
 * The same object is a file with the same path, a System V segment with the same number, or a memfd
 * whose name was used only once. Memory without a name, which is shared through a fork, is not
 * reported. */
#include <stdlib.h>
#include <string.h>

#include "analysis/relations/state.h"

/* At most so many processes with the same object are compared with each other, because there are
 * many pairs. */
enum { MAX_MAPPERS = 64 };
enum { MAP_TYPE_ = 0xf, MAP_SHARED_ = 1, MAP_SHARED_VALIDATE_ = 3, MAP_ANONYMOUS_ = 0x20 };
enum { PROT_WRITE_ = 2, SHM_RDONLY_ = 010000 };

/* Does the name stand for the same object in all processes? Relative paths do not, and most devices
 * make a new object each time they are mapped; for memfds see is_one. */
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
	/* mmap returns an address; errors are values in the last page. */
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

/* Was not more than one memfd made with this name? True also for other objects. */
static bool is_one(struct relation_state *s, uint64_t object)
{
	const uint32_t *at =
		object & RELATION_SYSV ? NULL : mer_map_get(&s->memfds, (uint32_t)object);
	return !at || *at < 2;
}

/* Could they share the memory: did the first still live when the second mapped it, and are they in
 * the same namespace? */
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
