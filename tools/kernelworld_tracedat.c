/* kernelworld: trace.dat, the file of trace-cmd: versions 6 and 7. As trace-cmd does, the pages
 * of each CPU go to a file of its own, and all become one in the end.
 *
 * Source: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#include "kernelworld_stock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef MER_HAS_ZSTD
#include <zstd.h>
#endif

enum { PAGE_HEAD = 16, CHUNK = 16 * STOCK_PAGE };
enum { MOST_IN_HEAD = 112, MOST_DELTA = 1 << 27, TIME_EXTEND = 30 }; /* of a record's head */
enum {
	OPTIONS = 0,
	BUFFER = 3,
	TRACECLOCK = 4,
	UNAME = 5,
	OFFSET = 7,
	CPUCOUNT = 8,
	VERSION = 9,
	HEADER_INFO = 16,
	FTRACE_EVENTS = 17,
	EVENT_FORMATS = 18
};

static const char magic[] = "\x17\x08\x44tracing", clock_name[] = "mono";

struct pages { /* of a CPU */
	FILE *f;
	uint8_t page[STOCK_PAGE];
	size_t used; /* 0: nothing is in it */
	uint64_t last;
};

struct dat {
	const struct machine *m;
	const char *dir;
	struct pages *cpus;
};

static const char *pages_name(uint32_t cpu)
{
	static char name[40];
	snprintf(name, sizeof(name), "trace.dat.cpu%u", cpu);
	return name;
}

struct dat *dat_open(const struct machine *m, const char *dir)
{
	struct dat *d = need(calloc(1, sizeof(*d)));
	d->m = m;
	d->dir = dir;
	d->cpus = need(calloc(m->n_cpus, sizeof(*d->cpus)));
	for (uint32_t i = 0; i < m->n_cpus; i++)
		d->cpus[i].f = open_in(dir, pages_name(i), "w+b");
	return d;
}

/* ---- pages ---- */

static void set(uint8_t *to, uint64_t x, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(x >> 8 * i);
}

static void end_page(struct pages *p)
{
	if (!p->used)
		return;
	set(p->page + 8, p->used - PAGE_HEAD, 8);
	memset(p->page + p->used, 0, STOCK_PAGE - p->used);
	write_to(p->f, p->page, STOCK_PAGE);
	p->used = 0;
}

static void put_word(struct pages *p, uint64_t x)
{
	set(p->page + p->used, x, 4);
	p->used += 4;
}

void dat_record(struct dat *d, uint32_t cpu, uint64_t time, const void *data, size_t n)
{
	struct pages *p = &d->cpus[cpu];
	size_t room = (n + 3) / 4 * 4;
	size_t most = 8 + 8 + room; /* with a time, and its length in a word of its own */
	if (p->used && p->used + most > STOCK_PAGE)
		end_page(p);
	if (!p->used) {
		set(p->page, time, 8);
		p->used = PAGE_HEAD;
		p->last = time;
	}
	uint64_t delta = time > p->last ? time - p->last : 0;
	if (delta >= MOST_DELTA) {
		put_word(p, TIME_EXTEND | (delta & (MOST_DELTA - 1)) << 5);
		put_word(p, delta >> 27);
		delta = 0;
	}
	put_word(p, (room <= MOST_IN_HEAD ? room / 4 : 0) | delta << 5);
	if (room > MOST_IN_HEAD)
		put_word(p, room + 4);
	memset(p->page + p->used, 0, room);
	memcpy(p->page + p->used, data, n);
	p->used += room;
	p->last = time > p->last ? time : p->last;
}

/* ---- the file ---- */

static void put_head(struct bytes *b, const char *version)
{
	put(b, magic, sizeof(magic) - 1);
	put_text(b, version);
	put(b, "\0\10", 2); /* the lower byte first; of a long */
	put_u32(b, STOCK_PAGE);
}

static void put_option(struct bytes *b, uint16_t id, const void *data, size_t n)
{
	put_u16(b, id);
	put_u32(b, (uint32_t)n);
	put(b, data, n);
}

static void put_text_option(struct bytes *b, uint16_t id, const char *text)
{
	put_option(b, id, text, strlen(text) + 1);
}

/* What both versions say of the host. */
static void put_host(struct bytes *b, const struct machine *m)
{
	char text[200];
	put_text_option(b, TRACECLOCK, "local global counter uptime perf [mono] mono_raw boot tai");
	snprintf(text, sizeof(text), "Linux %s %s #1 SMP PREEMPT_DYNAMIC Debian x86_64", m->name,
		STOCK_RELEASE);
	put_text_option(b, UNAME, text);
	put_text_option(b, VERSION, "3.1.6");
	snprintf(text, sizeof(text), "%lld", (long long)time_of_day(m));
	put_text_option(b, OFFSET, text);
}

static uint64_t size_of(struct pages *p)
{
	long n = ftell(p->f);
	if (n < 0 || fseek(p->f, 0, SEEK_SET))
		give_up("cannot read pages again");
	return (uint64_t)n;
}

static void copy_pages(FILE *to, struct pages *p)
{
	uint8_t page[STOCK_PAGE];
	while (fread(page, 1, sizeof(page), p->f) == sizeof(page))
		write_to(to, page, sizeof(page));
}

/* Up to a page's begin. */
static uint64_t pad(FILE *to)
{
	static const uint8_t zeros[STOCK_PAGE];
	size_t at = (size_t)ftell(to) % STOCK_PAGE;
	if (at)
		write_to(to, zeros, STOCK_PAGE - at);
	return (uint64_t)ftell(to);
}

static void write_v6(struct dat *d, FILE *to)
{
	const struct machine *m = d->m;
	struct bytes b = { 0 };
	put_head(&b, "6");
	put_header_info(&b);
	put_u32(&b, 0); /* events of ftrace's own */
	put_systems(&b, m);
	put_u32(&b, 0); /* kallsyms */
	put_u32(&b, 0); /* formats of trace_printk */
	put_u64(&b, 0); /* command lines */
	put_u32(&b, m->n_cpus);
	put(&b, "options  ", 10);
	put_host(&b, m);
	put_u16(&b, OPTIONS);
	put(&b, "flyrecord", 10);
	uint64_t at = (b.n + 16ull * m->n_cpus + STOCK_PAGE - 1) / STOCK_PAGE * STOCK_PAGE;
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		uint64_t n = size_of(&d->cpus[i]);
		put_u64(&b, at);
		put_u64(&b, n);
		at += n;
	}
	write_to(to, b.of, b.n);
	pad(to);
	for (uint32_t i = 0; i < m->n_cpus; i++)
		copy_pages(to, &d->cpus[i]);
	free(b.of);
}

/* ---- version 7 ---- */

static size_t packed(const struct dat *d, const uint8_t *data, size_t n, struct bytes *out)
{
	uLongf size = compressBound(n);
	size_t room = size + 1024; /* of either */
	out->n = 0;
	if (out->cap < room)
		out->of = need(realloc(out->of, out->cap = room));
#ifdef MER_HAS_ZSTD
	if (d->m->sim->o.packing == PACKING_ZSTD) {
		size_t k = ZSTD_compress(out->of, room, data, n, 3);
		if (ZSTD_isError(k))
			give_up("zstd: %s", ZSTD_getErrorName(k));
		return out->n = k;
	}
#else
	(void)d;
#endif
	if (compress2(out->of, &size, data, n, 6) != Z_OK)
		give_up("zlib cannot compress");
	return out->n = size;
}

static void write_u(FILE *to, uint64_t x, unsigned size)
{
	uint8_t data[8];
	set(data, x, size);
	write_to(to, data, size);
}

static void section_head(FILE *to, uint16_t id, bool is_packed, uint64_t size)
{
	write_u(to, id, 2);
	write_u(to, is_packed, 2);
	write_u(to, 0, 4); /* which text describes it */
	write_u(to, size, 8);
}

/* Where it begins. */
static uint64_t write_section(const struct dat *d, FILE *to, uint16_t id, const struct bytes *b)
{
	uint64_t at = (uint64_t)ftell(to);
	if (d->m->sim->o.packing == PACKING_NONE) {
		section_head(to, id, false, b->n);
		write_to(to, b->of, b->n);
		return at;
	}
	struct bytes p = { 0 };
	packed(d, b->of, b->n, &p);
	section_head(to, id, true, p.n + 8);
	write_u(to, p.n, 4);
	write_u(to, b->n, 4);
	write_to(to, p.of, p.n);
	free(p.of);
	return at;
}

/* Chunks, with their number before them. */
static void pack_pages(const struct dat *d, FILE *to, struct pages *p, uint64_t size)
{
	static uint8_t chunk[CHUNK];
	struct bytes b = { 0 };
	write_u(to, (size + CHUNK - 1) / CHUNK, 4);
	for (size_t n; (n = fread(chunk, 1, sizeof(chunk), p->f)) > 0;) {
		packed(d, chunk, n, &b);
		write_u(to, b.n, 4);
		write_u(to, n, 4);
		write_to(to, b.of, b.n);
	}
	free(b.of);
}

static void put_buffer(struct dat *d, FILE *to, struct bytes *option)
{
	const struct machine *m = d->m;
	uint64_t begin = (uint64_t)ftell(to);
	put_u64(option, begin);
	put_text(option, ""); /* the main buffer */
	put_text(option, clock_name);
	put_u32(option, STOCK_PAGE);
	put_u32(option, m->n_cpus);
	section_head(to, BUFFER, false, 0);
	for (uint32_t i = 0; i < m->n_cpus; i++) {
		uint64_t n = size_of(&d->cpus[i]), at = pad(to);
		if (m->sim->o.packing != PACKING_NONE)
			pack_pages(d, to, &d->cpus[i], n);
		else
			copy_pages(to, &d->cpus[i]);
		put_u32(option, i);
		put_u64(option, at);
		put_u64(option, n ? (uint64_t)ftell(to) - at : 0);
	}
	uint64_t end = (uint64_t)ftell(to);
	if (fseek(to, (long)begin + 8, SEEK_SET))
		give_up("cannot go back in a file");
	write_u(to, end - begin - 16, 8);
	(void)fseek(to, 0, SEEK_END);
}

static void put_place(struct bytes *options, uint16_t id, uint64_t at)
{
	struct bytes b = { 0 };
	put_u64(&b, at);
	put_option(options, id, b.of, b.n);
	free(b.of);
}

static void write_v7(struct dat *d, FILE *to)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	const struct machine *m = d->m;
	struct bytes head = { 0 }, info = { 0 }, own = { 0 }, systems = { 0 }, options = { 0 },
		     buffer = { 0 };
	put_head(&head, "7");
	put_text(&head, names[m->sim->o.packing]);
	put_text(&head, "1.0");
	size_t place = head.n;
	put_u64(&head, 0);
	write_to(to, head.of, head.n);
	put_header_info(&info);
	put_place(&options, HEADER_INFO, write_section(d, to, HEADER_INFO, &info));
	put_u32(&own, 0);
	put_place(&options, FTRACE_EVENTS, write_section(d, to, FTRACE_EVENTS, &own));
	put_systems(&systems, m);
	put_place(&options, EVENT_FORMATS, write_section(d, to, EVENT_FORMATS, &systems));
	put_host(&options, m);
	struct bytes n_cpus = { 0 };
	put_u32(&n_cpus, m->n_cpus);
	put_option(&options, CPUCOUNT, n_cpus.of, n_cpus.n);
	put_buffer(d, to, &buffer);
	put_option(&options, BUFFER, buffer.of, buffer.n);
	put_place(&options, OPTIONS, 0);
	uint64_t at = write_section(d, to, OPTIONS, &options);
	if (fseek(to, (long)place, SEEK_SET))
		give_up("cannot go back in a file");
	write_u(to, at, 8);
	struct bytes *all[] = { &head, &info, &own, &systems, &options, &buffer, &n_cpus };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]->of);
}

void dat_close(struct dat *d)
{
	FILE *to = open_in(d->dir, "trace.dat", "wb");
	for (uint32_t i = 0; i < d->m->n_cpus; i++)
		end_page(&d->cpus[i]);
	if (d->m->sim->o.container == CONTAINER_DAT6)
		write_v6(d, to);
	else
		write_v7(d, to);
	close_whole(to, "trace.dat");
	for (uint32_t i = 0; i < d->m->n_cpus; i++) {
		char path[4300];
		fclose(d->cpus[i].f);
		snprintf(path, sizeof(path), "%s/%s", d->dir, pages_name(i));
		unlink(path);
	}
	free(d->cpus);
	free(d);
}
