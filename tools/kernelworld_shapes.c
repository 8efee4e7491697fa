/* kernelworld: the shapes that services have: which programs there are, on which hosts, and what
 * disturbs them. */
#include "kernelworld_service.h"

#include <stdlib.h>
#include <string.h>

struct shape {
	const char *name;
	bool has_front, front_is_new, clients_are_new;
	enum program_kind app;
	uint32_t n_workers, n_conns, queries[2];
	bool is_parallel, has_timers, collects, hops, hands_back, schedules;
};

static const struct shape shapes[] = {
	{ .name = "pool",
		.has_front = true,
		.app = SERVE_POOL,
		.n_workers = 4,
		.n_conns = 2,
		.queries = { 1, 3 } },
	{ .name = "prefork",
		.has_front = true,
		.front_is_new = true,
		.clients_are_new = true,
		.app = SERVE_SHARED,
		.n_workers = 4,
		.queries = { 0, 3 } },
	{ .name = "fork", .clients_are_new = true, .app = SERVE_FORK, .queries = { 0, 2 } },
	{ .name = "thread", .app = SERVE_THREAD, .queries = { 0, 3 } },
	{ .name = "loop", .has_front = true, .app = SERVE_LOOP, .n_conns = 8, .queries = { 0, 3 } },
	{ .name = "loop-few",
		.has_front = true,
		.app = SERVE_LOOP,
		.n_conns = 2,
		.queries = { 1, 1 } },
	{ .name = "parallel",
		.app = SERVE_LOOP,
		.n_conns = 24,
		.queries = { 1, 3 },
		.is_parallel = true },
	{ .name = "loop-queue", .app = SERVE_LOOP, .n_conns = 2, .queries = { 1, 3 } },
	{ .name = "timers",
		.app = SERVE_LOOP,
		.n_conns = 8,
		.queries = { 1, 2 },
		.has_timers = true },
	{ .name = "collect",
		.app = SERVE_LOOP,
		.n_conns = 8,
		.queries = { 1, 2 },
		.collects = true },
	{ .name = "hand-back",
		.app = SERVE_POOL,
		.n_workers = 3,
		.n_conns = 2,
		.queries = { 1, 2 },
		.hands_back = true },
	{ .name = "threads-loop",
		.app = SERVE_LOOP,
		.n_workers = 3,
		.n_conns = 4,
		.queries = { 1, 2 },
		.hops = true },
	{ .name = "go",
		.app = SERVE_LOOP,
		.n_workers = 4,
		.n_conns = 4,
		.queries = { 1, 2 },
		.hops = true,
		.schedules = true },
};

const struct shape *find_shape(const char *name)
{
	enum { N = sizeof(shapes) / sizeof(shapes[0]) };
	for (size_t i = 0; i < N; i++)
		if (!strcmp(name, shapes[i].name))
			return &shapes[i];
	printf("shapes:");
	for (size_t i = 0; i < N; i++)
		printf(" %s", shapes[i].name);
	printf("\n");
	exit(strcmp(name, "?") ? 2 : 0);
}

static struct machine *machine_of(struct sim *s, uint32_t tier)
{
	return &s->machines[tier % s->o.n_machines];
}

static struct role *new_program(struct machine *m, const char *comm, enum program_kind kind,
	uint16_t port, uint8_t tier, struct role *asks)
{
	struct role *p = need(calloc(1, sizeof(*p)));
	struct listener *l = need(calloc(1, sizeof(*l)));
	*p = (struct role){
		.comm = comm, .kind = kind, .tier = tier, .listener = l, .n_workers = 1
	};
	p->asks = asks ? asks->listener : NULL;
	p->fds.name[3] = name_of_socket;
	*l = (struct listener){ .m = m, .port = port, .tier = tier, .fd = 3 };
	l->watched = (struct watched){ .kind = SOURCE_LISTENER, .of = l };
	p->work[0] = 5000;
	p->work[1] = 150000;
	return p;
}

static struct task *start_service(
	struct machine *m, struct role *p, void (*go)(struct cpu *c, struct task *t))
{
	struct task *t = start(m, p->comm, PROGRAM_SERVICE);
	t->service = new_service(p, go);
	if (p->listener && !p->listener->owner)
		p->listener->owner = t;
	return t;
}

static void start_program(struct role *p)
{
	uint32_t n = p->kind == SERVE_SHARED ? p->n_workers : 1;
	bool polls = p->kind == SERVE_LOOP || p->kind == SERVE_POOL;
	for (uint32_t i = 0; i < n; i++)
		start_service(p->listener->m, p, polls ? loop_begins : accept_begins);
}

static void start_disturbers(
	struct sim *s, struct role *db, enum tail tail, int64_t from, int64_t until)
{
	static const char *const comms[] = { "", "", "vacuum", "hog", "dd", "" };
	uint32_t n = tail == TAIL_HOG	 ? 3 * s->o.n_cpus
		     : tail == TAIL_LOCK ? 1
		     : tail == TAIL_DISK ? 3
					 : 0;
	for (uint32_t i = 0; i < n; i++) {
		struct role *p = need(calloc(1, sizeof(*p)));
		*p = (struct role){ .comm = comms[tail],
			.lock = db->lock,
			.tail = tail,
			.from = from,
			.until = until };
		start_service(db->listener->m, p, disturber_begins);
	}
}

/* The recording in as many parts as there are causes, in any order; a third of each part is the
 * window. */
static void start_in_windows(struct sim *s, struct role *db)
{
	enum tail left[] = { TAIL_LOCK, TAIL_HOG, TAIL_DISK };
	uint32_t n = 0;
	for (uint32_t i = 0; i < 3; i++)
		if (s->o.windows & 1U << left[i])
			left[n++] = left[i];
	int64_t part = s->o.duration / n, begin = s->o.begin_cut;
	for (; n; begin += part) {
		uint32_t i = (uint32_t)pick(s, 0, n - 1);
		int64_t from = begin + pick(s, part / 6, part / 2);
		start_disturbers(s, db, left[i], from, from + part / 3);
		left[i] = left[--n];
	}
}

static void start_all_disturbers(struct sim *s, struct role *db)
{
	if (s->o.tail != TAIL_MIXED) {
		start_disturbers(s, db, s->o.tail, 0, 0);
	} else if (s->o.windows) {
		start_in_windows(s, db);
	} else {
		start_disturbers(s, db, TAIL_LOCK, 0, 0);
		start_disturbers(s, db, TAIL_HOG, 0, 0);
		start_disturbers(s, db, TAIL_DISK, 0, 0);
	}
}

void make_services(struct sim *s)
{
	const struct shape *of = s->o.shape;
	struct role *db = new_program(machine_of(s, 2), "postgres", SERVE_FORK, 5432, 3, NULL);
	db->is_db = true;
	if (s->o.tail == TAIL_LOCK || s->o.tail == TAIL_MIXED)
		db->lock = need(calloc(1, sizeof(*db->lock)));
	struct role *app = new_program(machine_of(s, 1), "app", of->app, 8000, 2, db);
	app->n_workers = of->n_workers;
	app->n_conns = of->n_conns;
	memcpy(app->queries, of->queries, sizeof(app->queries));
	app->is_parallel = of->is_parallel;
	app->has_timers = of->has_timers;
	app->collects = of->collects;
	app->hops = of->hops;
	app->schedules = of->schedules;
	app->hands_back = of->hands_back;
	struct role *first = app;
	if (of->has_front) {
		first = new_program(machine_of(s, 1), "nginx", SERVE_LOOP, 80, 1, app);
		first->is_front = true;
		first->queries[0] = first->queries[1] = 1;
		first->n_conns = s->o.n_clients;
		first->asks_new = of->front_is_new;
		first->work[1] = 30000;
	}
	if (!s->o.no_truth) {
		s->services = open_csv(s, "services.csv");
		fprintf(s->services,
			"request,parent,host,tid,port,server_host,server_tid,server_port,"
			"begin,end,bytes_out,bytes_in,cause\n");
	}
	start_program(db);
	start_program(app);
	if (first != app)
		start_program(first);
	for (uint32_t i = 0; i < s->o.n_clients; i++) {
		struct role *client = need(calloc(1, sizeof(*client)));
		*client = (struct role){ .comm = "load", .asks = first->listener };
		client->asks_new = of->clients_are_new;
		start_service(machine_of(s, 0), client, client_begins);
	}
	start_all_disturbers(s, db);
}
