/* kernelworld: perf.data, as `perf record -a -k CLOCK_MONOTONIC -e ...` writes it: an attribute
 * for each event, with an id for each CPU; records; what is known of the host behind them. In the
 * form of a pipe (`-o -`) all of it is records, and what is known of the host comes first.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h
 * of the kernel. */
#include "kernelworld_stock.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 104, ATTR = 128, SAMPLE = 9, COMM = 3, FORK = 7 };
enum { OF_ATTR = 64, OF_TRACING = 66, OF_FEATURE = 80 }; /* records of pipes */
enum { TRACING_DATA = 1, HOSTNAME = 3, OSRELEASE = 4, NRCPUS = 7, CLOCKID = 23, CLOCK_DATA = 29 };
enum {
	OF_IP = 1,
	OF_TID = 2,
	OF_TIME = 4,
	OF_CPU = 128,
	OF_PERIOD = 256,
	OF_RAW = 1024,
	OF_IDENTIFIER = 1 << 16
};
enum { MONOTONIC = 1 };

struct perf {
	const struct machine *m;
	FILE *f;
	struct bytes record;
	uint32_t first_id[ST_N];
	uint64_t data_at;
	bool is_pipe;
	bool owes_tasks; /* they are told when the recording begins */
};

static void put_attr(struct bytes *b, int event)
{
	enum { TRACEPOINT = 2, SAMPLE_ID_ALL = 1 << 18, USE_CLOCKID = 1 << 25 };
	size_t begin = b->n;
	put_u32(b, TRACEPOINT);
	put_u32(b, ATTR);
	put_u64(b, stock_id(event));
	put_u64(b, 1); /* period */
	put_u64(b, OF_IP | OF_TID | OF_TIME | OF_CPU | OF_PERIOD | OF_RAW | OF_IDENTIFIER);
	put_u64(b, 4); /* what is read has an id */
	put_u64(b, SAMPLE_ID_ALL | USE_CLOCKID);
	while (b->n - begin < 92)
		put(b, "", 1);
	put_u32(b, MONOTONIC);
	while (b->n - begin < ATTR)
		put(b, "", 1);
}

/* The head has the place of what comes later, which is 0 until then. */
static void put_head(struct bytes *b, uint32_t n_attrs, uint64_t data, uint64_t size)
{
	put(b, "PERFILE2", 8);
	put_u64(b, HEAD);
	put_u64(b, ATTR + 16);
	put_u64(b, HEAD);
	put_u64(b, (ATTR + 16ull) * n_attrs);
	put_u64(b, data);
	put_u64(b, size);
	put_u64(b, 0); /* names of events, of old versions */
	put_u64(b, 0);
	put_u64(b, 1u << TRACING_DATA | 1u << HOSTNAME | 1u << OSRELEASE | 1u << NRCPUS |
			   1u << CLOCKID | 1u << CLOCK_DATA);
	for (int i = 0; i < 3; i++)
		put_u64(b, 0);
}

static uint32_t count_attrs(const struct machine *m)
{
	uint32_t n = 0;
	for (int e = 0; e < ST_N; e++)
		n += stock_has(m, e);
	return n;
}

/* ---- records ---- */

static void begin_record(struct perf *p, uint32_t type, uint16_t misc)
{
	p->record.n = 0;
	put_u32(&p->record, type);
	put_u16(&p->record, misc);
	put_u16(&p->record, 0);
}

static void end_record(struct perf *p)
{
	put_zeros(&p->record, 8);
	p->record.of[6] = (uint8_t)p->record.n;
	p->record.of[7] = (uint8_t)(p->record.n >> 8);
	write_to(p->f, p->record.of, p->record.n);
}

/* What ends each record that is no sample: of before the recording there is no time. */
static void put_end(struct perf *p, const struct task *t)
{
	put_u32(&p->record, (uint32_t)t->pid);
	put_u32(&p->record, (uint32_t)t->tid);
	put_u64(&p->record, 0);
	put_u64(&p->record, 0); /* CPU */
	put_u64(&p->record, 0); /* id */
}

/* Tasks that are there, as perf tells them: a state dump. */
static void write_tasks(struct perf *p)
{
	enum { USER = 2 };
	p->owes_tasks = false;
	for (const struct task *t = p->m->tasks; t; t = t->next) {
		if (t->is_idle || t->freed)
			continue;
		begin_record(p, FORK, USER);
		put_u32(&p->record, (uint32_t)t->pid);
		put_u32(&p->record, (uint32_t)t->ppid);
		put_u32(&p->record, (uint32_t)t->tid);
		put_u32(&p->record, (uint32_t)t->ppid);
		put_u64(&p->record, 0);
		put_end(p, t);
		end_record(p);
		begin_record(p, COMM, USER);
		put_u32(&p->record, (uint32_t)t->pid);
		put_u32(&p->record, (uint32_t)t->tid);
		put_text(&p->record, t->comm);
		put_zeros(&p->record, 8);
		put_end(p, t);
		end_record(p);
	}
}

void perf_record(
	struct perf *p, const struct cpu *c, int event, uint64_t time, const void *data, size_t n)
{
	enum { KERNEL = 1 };
	const struct task *t = c->current;
	size_t raw = (n + 4 + 7) / 8 * 8 - 4; /* with its size a multiple of 8 */
	if (p->owes_tasks)
		write_tasks(p);
	begin_record(p, SAMPLE, KERNEL);
	put_u64(&p->record, p->first_id[event] + c->id);
	put_u64(&p->record, 0xFFFFFFFF81100000);
	put_u32(&p->record, (uint32_t)t->pid);
	put_u32(&p->record, (uint32_t)t->tid);
	put_u64(&p->record, time);
	put_u32(&p->record, c->id);
	put_u32(&p->record, 0);
	put_u64(&p->record, 1);
	put_u32(&p->record, (uint32_t)raw);
	put(&p->record, data, n);
	end_record(p);
}

/* ---- the file ---- */

static void put_string(struct bytes *b, const char *text)
{
	enum { ROOM = 64 };
	put_u32(b, ROOM);
	size_t begin = b->n;
	put_text(b, text);
	while (b->n - begin < ROOM)
		put(b, "", 1);
}

static void put_tracing(struct bytes *b, const struct machine *m)
{
	put(b, "\x17\x08\x44tracing", 10);
	put_text(b, "0.6");
	put(b, "\0\10", 2);
	put_u32(b, STOCK_PAGE);
	put_header_info(b);
	put_u32(b, 0);
	put_systems(b, m);
	put_u32(b, 0);
	put_u32(b, 0);
	put_u64(b, 0);
}

static void put_feature(struct bytes *b, const struct machine *m, int feature)
{
	switch (feature) {
	case TRACING_DATA: put_tracing(b, m); break;
	case HOSTNAME: put_string(b, m->name); break;
	case OSRELEASE: put_string(b, STOCK_RELEASE); break;
	case NRCPUS:
		put_u32(b, m->n_cpus);
		put_u32(b, m->n_cpus);
		break;
	case CLOCKID: put_u64(b, 1); break; /* ns of its resolution */
	case CLOCK_DATA:
		put_u32(b, 1);
		put_u32(b, MONOTONIC);
		put_u64(b, (uint64_t)(m->boot + time_of_day(m)));
		put_u64(b, (uint64_t)m->boot);
		break;
	default: break;
	}
}

static const int features[] = { TRACING_DATA, HOSTNAME, OSRELEASE, NRCPUS, CLOCKID, CLOCK_DATA };
enum { N_FEATURES = sizeof(features) / sizeof(features[0]) };

static void write_pipe_head(struct perf *p)
{
	struct bytes b = { 0 };
	uint32_t id = 1;
	put(&b, "PERFILE2", 8);
	put_u64(&b, 16);
	write_to(p->f, b.of, b.n);
	for (int e = 0; e < ST_N; e++) {
		if (!stock_has(p->m, e))
			continue;
		p->first_id[e] = id;
		begin_record(p, OF_ATTR, 0);
		put_attr(&p->record, e);
		for (uint32_t i = 0; i < p->m->n_cpus; i++)
			put_u64(&p->record, id++);
		end_record(p);
	}
	for (int i = 0; i < N_FEATURES; i++) {
		if (features[i] == TRACING_DATA)
			continue;
		begin_record(p, OF_FEATURE, 0);
		put_u64(&p->record, (uint64_t)features[i]);
		put_feature(&p->record, p->m, features[i]);
		end_record(p);
	}
	/* Behind its record, which has its size. */
	b.n = 0;
	put_tracing(&b, p->m);
	put_zeros(&b, 8);
	begin_record(p, OF_TRACING, 0);
	put_u32(&p->record, (uint32_t)b.n);
	end_record(p);
	write_to(p->f, b.of, b.n);
	free(b.of);
}

struct perf *perf_open(const struct machine *m, const char *dir)
{
	struct perf *p = need(calloc(1, sizeof(*p)));
	struct bytes b = { 0 };
	uint32_t n = count_attrs(m), id = 1;
	uint64_t ids = HEAD + (ATTR + 16ull) * n;
	p->m = m;
	p->f = open_in(dir, "perf.data", "wb");
	p->is_pipe = m->sim->o.container == CONTAINER_PERF_PIPE;
	p->owes_tasks = m->sim->o.dump;
	if (p->is_pipe) {
		write_pipe_head(p);
		return p;
	}
	put_head(&b, n, 0, 0);
	for (int e = 0; e < ST_N; e++) {
		if (!stock_has(m, e))
			continue;
		p->first_id[e] = id;
		put_attr(&b, e);
		put_u64(&b, ids + 8ull * (id - 1));
		put_u64(&b, 8ull * m->n_cpus);
		id += m->n_cpus;
	}
	for (uint32_t i = 1; i < id; i++)
		put_u64(&b, i);
	p->data_at = b.n;
	write_to(p->f, b.of, b.n);
	free(b.of);
	return p;
}

static void write_features(struct perf *p)
{
	struct bytes all = { 0 }, table = { 0 }, head = { 0 };
	uint64_t end = (uint64_t)ftell(p->f), at = end + 16ull * N_FEATURES;
	for (int i = 0; i < N_FEATURES; i++) {
		size_t begin = all.n;
		put_feature(&all, p->m, features[i]);
		put_u64(&table, at + begin);
		put_u64(&table, all.n - begin);
	}
	write_to(p->f, table.of, table.n);
	write_to(p->f, all.of, all.n);
	put_head(&head, count_attrs(p->m), p->data_at, end - p->data_at);
	if (fseek(p->f, 0, SEEK_SET))
		give_up("cannot go back in a file");
	write_to(p->f, head.of, head.n);
	free(all.of);
	free(table.of);
	free(head.of);
}

void perf_close(struct perf *p)
{
	if (!p->is_pipe)
		write_features(p);
	close_whole(p->f, "perf.data");
	free(p->record.of);
	free(p);
}
