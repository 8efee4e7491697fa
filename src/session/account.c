#include "session/account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path/usage_columns.h"
#include "session/state.h"
#include "kernel/files/files.h"

static const struct kernel_host *host_of(const struct session_account *c, uint32_t host)
{
	return &c->w->world->hosts[host];
}

static int done(const struct mer_table *t, struct mer_err *err)
{
	return t->failed ? mer_fail_nomem(err) : 0;
}

/* ---- Blocked, by file descriptor ---- */

enum { CALLS = 3 }; /* that a row names */

struct object {	    /* waits on one descriptor that meant one thing; or in one call without any */
	int32_t fd; /* -1: none */
	uint32_t object; /* name; KERNEL_NONE: not known */
	uint8_t kind;	 /* enum kernel_object_kind */
	const char *calls[CALLS];
	size_t n_calls;
	uint64_t n, n_open; /* open: had not ended when the task's record did */
	int64_t total, min, max;
	double mean, squares; /* Welford's */
};

struct objects {
	struct object *item;
	size_t n, cap;
	struct mer_map map;
};

static const char *call_of(const struct kernel_host *h, const struct blocked_wait *w)
{
	if (w->call != KERNEL_NONE)
		return kernel_name_text(h, h->calls[w->call].name);
	return w->kind == BLOCKED_PAGE_FAULT  ? "page fault"
	       : w->kind == BLOCKED_IN_KERNEL ? "kernel"
					      : "unknown call";
}

static struct object *find_object(
	struct objects *o, const struct kernel_host *h, const struct blocked_wait *w)
{
	const struct kernel_call *call = w->call == KERNEL_NONE ? NULL : &h->calls[w->call];
	const char *name = call_of(h, w);
	struct object new = { .fd = call ? call->fd : -1,
		.object = call ? call->object : KERNEL_NONE,
		.kind = call ? call->kind : KERNEL_OBJECT_UNKNOWN };
	struct {
		const char *call;
		uint32_t fd, object;
	} key = { new.fd < 0 ? name : NULL, (uint32_t) new.fd, new.object };
	uint32_t *v = mer_map_put(&o->map, mer_hash(&key, sizeof(key)));
	if (!v)
		return NULL;
	if (!*v) {
		if (o->n == o->cap) {
			size_t cap = o->cap ? 2 * o->cap : 32;
			struct object *p = reallocarray(o->item, cap, sizeof(*p));
			if (!p)
				return NULL;
			o->item = p;
			o->cap = cap;
		}
		o->item[o->n++] = new;
		*v = (uint32_t)o->n;
	}
	struct object *at = &o->item[*v - 1];
	for (size_t i = 0; i < at->n_calls; i++)
		if (at->calls[i] == name || strcmp(at->calls[i], name) == 0)
			return at;
	if (at->n_calls < CALLS)
		at->calls[at->n_calls++] = name;
	return at;
}

static void add_wait(struct object *o, int64_t ns)
{
	double off = (double)ns - o->mean;
	if (!o->n || ns < o->min)
		o->min = ns;
	if (!o->n || ns > o->max)
		o->max = ns;
	o->n++;
	o->total += ns;
	o->mean += off / (double)o->n;
	o->squares += off * ((double)ns - o->mean);
}

static int longest_first(const void *a, const void *b)
{
	const struct object *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->fd < y->fd ? -1 : x->fd > y->fd;
}

static const char *known_text(const struct kernel_host *h, uint32_t name)
{
	const char *text = kernel_name_text(h, name);
	return *text ? text : NULL;
}

static void add_object(const struct session_account *c, struct mer_table *t, const struct object *o)
{
	const struct kernel_host *h = host_of(c, c->a->host);
	struct mer_str calls = { 0 };
	for (size_t i = 0; i < o->n_calls; i++)
		mer_str_printf(&calls, "%s%s", i ? ", " : "", o->calls[i]);
	double deviation = o->n > 1 ? sqrt(o->squares / (double)(o->n - 1)) : 0;
	enum kernel_object_kind kind = (enum kernel_object_kind)o->kind;
	mer_table_add(
		t, (struct mer_cell[BLOCKING_N_COLUMNS]){
			   [BLOCKING_FD] = mer_natural(o->fd),
			   [BLOCKING_OBJECT] = mer_text(known_text(h, o->object)),
			   [BLOCKING_KIND] = mer_text(kind == KERNEL_OBJECT_UNKNOWN
							      ? NULL
							      : kernel_object_kind_name(kind)),
			   [BLOCKING_CALL] = mer_table_keep(t, &calls),
			   [BLOCKING_COUNT] = MER_INT(o->n),
			   [BLOCKING_TOTAL] = MER_INT(o->total),
			   [BLOCKING_MIN] = MER_INT(o->min),
			   [BLOCKING_MAX] = MER_INT(o->max),
			   [BLOCKING_MEAN] = MER_INT(o->total / (int64_t)o->n),
			   [BLOCKING_STDDEV] = o->n > 1 ? MER_INT(llround(deviation)) : MER_NONE,
			   [BLOCKING_UNFINISHED] = MER_INT(o->n_open),
		   });
}

static int blocking_table(const struct session_account *c, struct mer_table *t, struct mer_err *err)
{
	static const struct mer_column columns[BLOCKING_N_COLUMNS + 1] = {
		[BLOCKING_FD] = { "fd", "FD", MER_ID },
		[BLOCKING_OBJECT] = { "object", "Object", MER_TEXT },
		[BLOCKING_KIND] = { "kind", NULL, MER_TEXT },
		[BLOCKING_CALL] = { "call", "Call", MER_TEXT },
		[BLOCKING_COUNT] = { "count", "Count", MER_COUNT },
		[BLOCKING_TOTAL] = { "total_ns", "Total", MER_DURATION },
		[BLOCKING_MIN] = { "min_ns", "Min", MER_DURATION },
		[BLOCKING_MAX] = { "max_ns", "Max", MER_DURATION },
		[BLOCKING_MEAN] = { "mean_ns", "Mean", MER_DURATION },
		[BLOCKING_STDDEV] = { "stddev_ns", NULL, MER_DURATION },
		[BLOCKING_UNFINISHED] = { "unfinished", NULL, MER_COUNT },
	};
	const struct account *a = c->a;
	const struct blocked_host *h = &a->b->hosts[a->host];
	struct objects o = { 0 };
	bool failed = false;
	mer_table_init(
		t, "blocking", "Blocked, by file descriptor and system call", columns, c->arena);
	for (size_t i = h->first[a->task]; i < h->first[a->task + 1] && !failed; i++) {
		const struct blocked_wait *w = &h->waits[i];
		int64_t begin = w->begin > a->begin ? w->begin : a->begin;
		int64_t end = w->end < a->end ? w->end : a->end;
		if (end < begin || (end == begin && w->end > w->begin))
			continue;
		struct object *at = find_object(&o, host_of(c, a->host), w);
		failed = !at;
		if (at) {
			add_wait(at, end - begin);
			at->n_open += w->open && end == w->end;
		}
	}
	if (o.n)
		qsort(o.item, o.n, sizeof(*o.item), longest_first);
	for (size_t i = 0; i < o.n && !failed; i++)
		add_object(c, t, &o.item[i]);
	free(o.item);
	mer_map_fini(&o.map);
	t->failed |= failed;
	return done(t, err);
}

/* ---- CPU time ---- */

uint32_t session_account_next(const struct account *a, uint32_t node)
{
	if (a->nodes[node].child != KERNEL_NONE)
		return a->nodes[node].child;
	while (node != KERNEL_NONE && a->nodes[node].next == KERNEL_NONE)
		node = a->nodes[node].parent;
	return node == KERNEL_NONE ? KERNEL_NONE : a->nodes[node].next;
}

static struct mer_cell comm_cell(const struct session_account *c, const struct account_node *n)
{
	const char *comm = kernel_comm(host_of(c, n->host), n->task);
	return mer_text(*comm ? comm : NULL);
}

static int accounting_table(
	const struct session_account *c, struct mer_table *t, struct mer_err *err)
{
	enum {
		DEPTH,
		HOST,
		TID,
		PID,
		COMM,
		COUNT,
		SELF,
		CHILDREN,
		TOTAL,
		INTERRUPTED,
		RESIDUAL,
		REQUESTS,
		DISK,
		OTHERS,
		READY,
		N
	};
	static const struct mer_column columns[N + 1] = {
		[DEPTH] = { "depth", NULL, MER_ID },
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[PID] = { "pid", NULL, MER_ID },
		[COMM] = { "comm", "Task", MER_TEXT },
		[COUNT] = { "count", "Waits", MER_COUNT },
		[SELF] = { "self_ns", "Self", MER_DURATION },
		[CHILDREN] = { "children_ns", "Children", MER_DURATION },
		[TOTAL] = { "total_ns", "Total", MER_DURATION },
		[INTERRUPTED] = { "interrupted_ns", NULL, MER_DURATION },
		[RESIDUAL] = { "residual_ns", NULL, MER_DURATION },
		[REQUESTS] = { "requests", NULL, MER_COUNT },
		[DISK] = { "disk_bytes", "Disk", MER_BYTES },
		[OTHERS] = { "for_others_ns", NULL, MER_DURATION },
		[READY] = { "while_runnable_ns", NULL, MER_DURATION },
	};
	const struct account *a = c->a;
	mer_table_init(t, "accounting", "CPU time", columns, c->arena);
	for (uint32_t i = 0; i != KERNEL_NONE; i = session_account_next(a, i)) {
		const struct account_node *n = &a->nodes[i];
		const struct kernel_task *k = &host_of(c, n->host)->tasks[n->task];
		int64_t rest = 0;
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS; r++)
			rest += n->residual_ns[r];
		struct mer_cell row[N] = {
			[DEPTH] = MER_INT(n->depth),
			[HOST] = mer_text(c->w->e->hosts[n->host].name),
			[TID] = MER_INT(k->tid),
			[PID] = mer_natural(k->pid),
			[COMM] = comm_cell(c, n),
			[COUNT] = n->depth && (n->n_served || !c->of_request) ? MER_INT(n->n_served)
									      : MER_NONE,
			[SELF] = MER_INT(n->self_ns),
			[CHILDREN] = MER_INT(n->children_ns),
			[TOTAL] = MER_INT(n->self_ns + n->children_ns),
		};
		if (!c->averaged) {
			row[INTERRUPTED] = host_of(c, n->host)->has_interrupts
						   ? MER_INT(n->interrupted_ns)
						   : MER_NONE;
			row[OTHERS] = c->of_request ? MER_NONE : MER_INT(n->others_ns);
			row[READY] = c->of_request ? MER_NONE : MER_INT(n->ready_ns);
			row[RESIDUAL] = c->of_request ? MER_NONE : MER_INT(rest);
			row[REQUESTS] = MER_INT(n->used[USAGE_REQUESTS]);
			row[DISK] =
				MER_INT(n->used[USAGE_BLOCK_READ] + n->used[USAGE_BLOCK_WRITTEN]);
		}
		mer_table_add(t, row);
	}
	return done(t, err);
}

/* ---- Memory, disks and network ---- */

enum {
	R_DEPTH,
	R_HOST,
	R_TID,
	R_PID,
	R_COMM,
	R_SELF,
	R_CHILDREN = R_SELF + USAGE_N_COLUMNS,
	R_TOTAL = R_CHILDREN + USAGE_N_COLUMNS,
	N_RESOURCES = R_TOTAL + USAGE_N_COLUMNS
};

/* What is known of a node, as bits by kind. */
static unsigned known_of(const struct session_account *c, const struct account_node *n)
{
	unsigned known = 0;
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		if (usage_is_recorded(c->w->usage, n->host, (enum usage_kind)k))
			known |= 1U << k;
	return known;
}

static void add_resources(const struct session_account *c, struct mer_table *t,
	const struct account_node *n, unsigned below)
{
	const struct kernel_host *h = &c->w->world->hosts[n->host];
	const char *comm = kernel_comm(h, n->task);
	unsigned known = known_of(c, n);
	int64_t total[USAGE_N_KINDS];
	int32_t pid = h->tasks[n->task].pid;
	struct mer_cell cells[N_RESOURCES] = {
		[R_DEPTH] = MER_INT(n->depth),
		[R_HOST] = mer_text(c->w->e->hosts[n->host].name),
		[R_TID] = MER_INT(h->tasks[n->task].tid),
		[R_PID] = mer_natural(pid),
		[R_COMM] = mer_text(*comm ? comm : NULL),
	};
	for (unsigned k = 0; k < USAGE_N_KINDS; k++)
		total[k] = n->used[k] + n->children_used[k];
	usage_put_cells(cells + R_SELF, n->used, known);
	usage_put_cells(
		cells + R_CHILDREN, n->children_used, n->child == KERNEL_NONE ? known : below);
	usage_put_cells(cells + R_TOTAL, total, known | below);
	mer_table_add(t, cells);
}

static int resources_table(
	const struct session_account *c, struct mer_table *t, struct mer_err *err)
{
	static const struct mer_column columns[N_RESOURCES + 1] = {
		[R_DEPTH] = { "depth", NULL, MER_ID },
		[R_HOST] = { "host", NULL, MER_TEXT },
		[R_TID] = { "tid", NULL, MER_ID },
		[R_PID] = { "pid", NULL, MER_ID },
		[R_COMM] = { "comm", NULL, MER_TEXT },
		USAGE_COLUMNS(R_SELF, "self"),
		USAGE_COLUMNS(R_CHILDREN, "children"),
		USAGE_COLUMNS(R_TOTAL, "total"),
	};
	const struct account *a = c->a;
	mer_table_init(t, "resources", "Memory, disk and network", columns, c->arena);
	unsigned *below = calloc((size_t)a->n + 1, sizeof(*below)); /* what is known */
	if (!below)
		return mer_fail_nomem(err);
	for (uint32_t i = a->n; i-- > 1;)
		below[a->nodes[i].parent] |= below[i] | known_of(c, &a->nodes[i]);
	for (uint32_t i = 0; i != KERNEL_NONE; i = session_account_next(a, i))
		add_resources(c, t, &a->nodes[i], below[i]);
	free(below);
	return done(t, err);
}

/* ---- The rest ---- */

static int residual_table(const struct session_account *c, struct mer_table *t, struct mer_err *err)
{
	enum { CAUSE, HOST, TID, COMM, TOTAL, N };
	static const struct mer_column columns[N + 1] = {
		[CAUSE] = { "cause", "Cause", MER_TEXT },
		[HOST] = { "host", NULL, MER_TEXT },
		[TID] = { "tid", NULL, MER_ID },
		[COMM] = { "comm", "Task", MER_TEXT },
		[TOTAL] = { "total_ns", "Time", MER_DURATION },
	};
	const struct account *a = c->a;
	mer_table_init(t, "residual", "Time without CPU, by cause", columns, c->arena);
	struct mer_map rows = { 0 }; /* of a task, whoever it worked for: row, plus 1 */
	for (uint32_t i = 0; i != KERNEL_NONE && !c->averaged && !t->failed;
		i = session_account_next(a, i)) {
		const struct account_node *n = &a->nodes[i];
		for (unsigned r = 0; r < ACCOUNT_N_RESIDUALS && !t->failed; r++) {
			uint32_t key[3] = { n->host, n->task, r };
			uint32_t *v = n->residual_ns[r]
					      ? mer_map_put(&rows, mer_hash(key, sizeof(key)))
					      : NULL;
			t->failed |= n->residual_ns[r] && !v;
			if (v && *v)
				t->cells[(*v - 1) * t->n_columns + TOTAL].v.i += n->residual_ns[r];
			if (!v || *v)
				continue;
			*v = (uint32_t)t->n_rows + 1;
			const struct kernel_task *k = &host_of(c, n->host)->tasks[n->task];
			const char *cause = account_rest_name((enum account_rest)r);
			mer_table_add(t, (struct mer_cell[N]){
						 [CAUSE] = mer_text(cause),
						 [HOST] = mer_text(c->w->e->hosts[n->host].name),
						 [TID] = MER_INT(k->tid),
						 [COMM] = comm_cell(c, n),
						 [TOTAL] = MER_INT(n->residual_ns[r]),
					 });
		}
	}
	mer_map_fini(&rows);
	if (!t->failed)
		mer_table_sort(t, "total_ns", false);
	return done(t, err);
}

/* ---- by name ---- */

static const struct {
	const char *id;
	int (*make)(const struct session_account *c, struct mer_table *t, struct mer_err *err);
} tables[SESSION_ACCOUNT_TABLES] = {
	[SESSION_BLOCKING] = { "blocking", blocking_table },
	[SESSION_ACCOUNTING] = { "accounting", accounting_table },
	[SESSION_RESOURCES] = { "resources", resources_table },
	[SESSION_RESIDUAL] = { "residual", residual_table },
};

const char *session_account_id(enum session_account_table which)
{
	return tables[which].id;
}

int session_account_table(const struct session_account *c, enum session_account_table which,
	struct mer_table *t, struct mer_err *err)
{
	return tables[which].make(c, t, err);
}

/* ---- finding it ---- */

int session_account_find(struct session_account_found *x, const struct session_world *w,
	uint32_t host, uint32_t task, const struct session_window *window, bool all,
	struct mer_err *err)
{
	*x = (struct session_account_found){ 0 };
	int rc = blocked_find(w->world, &x->blocked, err);
	if (rc == 0)
		rc = account_index_new(&x->blocked, w->usage, &x->index, err);
	return rc ? rc
		  : account_find(x->index, host, task, window->begin, window->end, all, &x->account,
			    err);
}

void session_account_fini(struct session_account_found *x)
{
	account_fini(&x->account);
	account_index_free(x->index);
	blocked_fini(&x->blocked);
}
