/* ctfgen: hosts with their clocks, traces with their streams, and writing them out. */
#include "ctfgen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void make_dirs(const char *path)
{
	char *p = strdup(path);
	check_memory(p);
	for (char *s = p + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		mkdir(p, 0777);
		*s = '/';
	}
	if (mkdir(p, 0777) && errno != EEXIST) {
		fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path,
			strerror(errno));
		exit(1);
	}
	free(p);
}

struct host *find_host(struct gen *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_hosts; i++)
		if (!strcmp(g->hosts[i]->name, name))
			return g->hosts[i];
	return NULL;
}

struct host *add_host(struct gen *g, const char *name)
{
	struct host *h = mer_arena_zalloc(&g->arena, 1, sizeof(*h));
	check_memory(h);
	h->name = mer_arena_strdup(&g->arena, name);
	check_memory(h->name);
	h->hostname = h->name;
	h->clock_name = "monotonic";
	h->freq_hz = 1000000000;
	h->has_uuid = true;
	make_uuid(h->uuid, name, "clock");
	h->pieces = more(g, NULL, 0, sizeof(*h->pieces));
	h->pieces[0] = (struct clock_piece){ .from = INT64_MIN };
	h->n_pieces = 1;
	g->hosts = more(g, g->hosts, g->n_hosts, sizeof(*g->hosts));
	g->hosts[g->n_hosts++] = h;
	return h;
}

/* The host's time in nanoseconds since the scenario began, at a true time. The first piece has no
 * beginning; its line goes through (0, start). */
static int64_t reading(const struct host *h, int64_t t)
{
	uint32_t i = h->n_pieces - 1;
	while (i && h->pieces[i].from > t)
		i--;
	const struct clock_piece *p = &h->pieces[i];
	int64_t d = t - (i ? p->from : 0);
	__int128 drift = (__int128)d * p->drift_e12, e12 = 1000000000000;
	drift = drift >= 0 ? (drift + e12 / 2) / e12 : -((-drift + e12 / 2) / e12);
	return p->start + d + (int64_t)drift;
}

void add_piece(struct gen *g, struct host *h, int64_t from, int64_t step, const int64_t *drift)
{
	struct clock_piece p = { .from = from, .start = reading(h, from) + step };
	p.drift_e12 = drift ? *drift : h->pieces[h->n_pieces - 1].drift_e12;
	if (h->n_pieces > 1 && from < h->pieces[h->n_pieces - 1].from)
		fail_at(&g->lex, g->lex.t.at, "the clock of %s was changed later than this already",
			h->name);
	h->pieces = more(g, h->pieces, h->n_pieces, sizeof(*h->pieces));
	h->pieces[h->n_pieces++] = p;
}

uint64_t clock_at(struct gen *g, const struct host *h, int64_t true_time)
{
	__int128 ns = (__int128)reading(h, true_time) + h->boot;
	if (ns < 0)
		fail_at(&g->lex, g->lex.t.at,
			"the clock of %s would be negative here: give the host a boot time",
			h->name);
	if (h->freq_hz == 1000000000)
		return (uint64_t)ns;
	return (uint64_t)(((unsigned __int128)ns * h->freq_hz + 500000000) / 1000000000);
}

struct trace *find_trace(struct gen *g, const struct host *h, const char *name)
{
	for (uint32_t i = 0; i < g->n_traces; i++)
		if (g->traces[i]->host == h && (!name || !strcmp(g->traces[i]->name, name)))
			return g->traces[i];
	return NULL;
}

static void set_env(struct gen *g, struct trace *t, const char *name, const char *text, int64_t n)
{
	for (uint32_t i = 0; i < t->n_env; i++)
		if (!strcmp(t->env[i].name, name)) {
			t->env[i].text = text;
			t->env[i].number = n;
			return;
		}
	t->env = more(g, t->env, t->n_env, sizeof(*t->env));
	t->env[t->n_env++] = (struct ctf_env){ .name = name, .text = text, .number = n };
}

struct trace *add_trace(struct gen *g, struct host *h, const char *name)
{
	struct trace *t = mer_arena_zalloc(&g->arena, 1, sizeof(*t));
	check_memory(t);
	t->host = h;
	t->name = mer_arena_strdup(&g->arena, name);
	t->path = mer_arena_printf(&g->arena, "%s/%s", h->name, name);
	t->schema = mer_arena_zalloc(&g->arena, 1, sizeof(*t->schema));
	t->class = mer_arena_zalloc(&g->arena, 1, sizeof(*t->class));
	check_memory(t->name);
	check_memory(t->path);
	check_memory(t->schema);
	check_memory(t->class);
	t->channel = "channel0";
	t->major = g->major;
	t->framing = CTF_PLAIN;
	t->schema->has_uuid = true;
	make_uuid(t->schema->uuid, h->name, name);
	bool kernel = strncmp(name, "ust", 3) != 0;
	t->shape = kernel ? CTF_WRITE_COMPACT : CTF_WRITE_LARGE;
	set_env(g, t, "hostname", h->hostname, 0);
	set_env(g, t, "domain", kernel ? "kernel" : "ust", 0);
	set_env(g, t, "tracer_name", kernel ? "lttng-modules" : "lttng-ust", 0);
	set_env(g, t, "tracer_major", NULL, 2);
	set_env(g, t, "tracer_minor", NULL, 13);
	mer_intern_init(&t->event_names, &g->arena);
	g->traces = more(g, g->traces, g->n_traces, sizeof(*g->traces));
	g->traces[g->n_traces++] = t;
	return t;
}

struct trace *trace_at(struct gen *g, const char *where, size_t at)
{
	const char *slash = strchr(where, '/');
	struct host *h;
	if (!*where) {
		if (g->n_hosts > 1 || g->n_traces > 1)
			fail_at(&g->lex, at, "which host and trace? There are several");
		h = g->n_hosts ? g->hosts[0] : add_host(g, "host");
	} else {
		char *name = mer_arena_strndup(
			&g->line, where, slash ? (size_t)(slash - where) : strlen(where));
		check_memory(name);
		h = find_host(g, name);
		if (!h)
			fail_at(&g->lex, at, "there is no host %s", name);
	}
	struct trace *t = find_trace(g, h, slash ? slash + 1 : NULL);
	if (!t && slash)
		fail_at(&g->lex, at, "host %s has no trace %s", h->name, slash + 1);
	return t ? t : add_trace(g, h, "kernel");
}

static void finish_clock(struct gen *g, struct trace *t)
{
	const struct host *h = t->host;
	struct ctf_clock *c = mer_arena_zalloc(&g->arena, 1, sizeof(*c));
	check_memory(c);
	c->name = h->clock_name;
	c->description = h->description;
	memcpy(c->uuid, h->uuid, 16);
	c->has_uuid = h->has_uuid;
	c->freq_hz = h->freq_hz;
	c->precision_cycles = h->precision;
	c->is_absolute = h->is_absolute;
	__int128 ns = h->has_offset ? h->offset : (__int128)g->epoch - h->boot;
	ns += t->extra_offset;
	__int128 s = ns / 1000000000, rest = ns % 1000000000;
	if (rest < 0) {
		rest += 1000000000;
		s--;
	}
	__int128 cycles = (rest * (__int128)h->freq_hz + 500000000) / 1000000000;
	if (h->freq_hz == 1000000000 && ns >= INT64_MIN && ns <= INT64_MAX) {
		c->offset_cycles = (int64_t)ns; /* as LTTng has it */
	} else {
		c->offset_s = (int64_t)s;
		c->offset_cycles = (int64_t)cycles;
	}
	t->schema->clocks = c;
	t->schema->n_clocks = 1;
}

/* Settings are complete: builds what all streams share. */
void start_trace(struct gen *g, struct trace *t)
{
	if (t->is_started)
		return;
	t->is_started = true;
	struct ctf_schema *s = t->schema;
	enum ctf_byte_order order = s->order ? CTF_BE : CTF_LE;
	s->major = (uint8_t)t->major;
	s->minor = t->major == 1 ? 8 : 0;
	s->streams = t->class;
	s->n_streams = 1;
	t->class->clock = 0;
	if (!s->packet_header)
		s->packet_header = ctf_new_packet_header(&g->arena, order);
	if (!t->class->packet_context)
		t->class->packet_context = ctf_new_packet_context(&g->arena, order, 0);
	t->class->event_header = ctf_new_event_header(&g->arena, s, t->shape, order, 0);
	check_memory(g->arena.failed ? NULL : s);
	char *dir = mer_arena_printf(&g->arena, "%s/%s", g->out_dir, t->path);
	check_memory(dir);
	t->path = dir;
	make_dirs(dir);
	if (t->index) {
		char *index = mer_arena_printf(&g->arena, "%s/index", dir);
		check_memory(index);
		make_dirs(index);
	}
}

struct stream *stream_of(struct gen *g, struct trace *t, uint32_t cpu)
{
	start_trace(g, t);
	uint32_t *slot = mer_map_put(&t->by_cpu, cpu);
	check_memory(slot);
	if (*slot)
		return &t->streams[*slot - 1];
	t->streams = more(g, t->streams, t->n_streams, sizeof(*t->streams));
	struct stream *s = &t->streams[t->n_streams++];
	*slot = t->n_streams;
	s->cpu = cpu;
	s->path = mer_arena_printf(&g->arena, "%s/%s_%u", t->path, t->channel, cpu);
	check_memory(s->path);
	struct ctf_writer_options o = { .path = s->path,
		.stream_id = cpu,
		.cpu_id = cpu,
		.packet_bytes = t->packet_bytes ? t->packet_bytes : 32768,
		.pad = t->pad };
	if (t->index) {
		o.index_path =
			mer_arena_printf(&g->arena, "%s/index/%s_%u.idx", t->path, t->channel, cpu);
		check_memory(o.index_path);
	}
	struct mer_err err;
	if (ctf_writer_open(t->schema, t->class, &o, &s->w, &err))
		fail_plain(err.text);
	return s;
}

struct ctf_event_class *event_of(
	struct gen *g, struct trace *t, const char *name, const struct value *fields)
{
	start_trace(g, t);
	size_t len = strlen(name);
	uint32_t known = t->event_names.n, id = mer_intern_add(&t->event_names, name, len);
	check_memory(id == MER_INTERN_NONE ? NULL : name);
	if (id < known)
		return t->events[id].class;
	uint32_t d = mer_intern_find(&g->decl_names, name, len);
	struct ctf_event_class *e;
	if (d != MER_INTERN_NONE)
		e = declare_event(g, t, &g->decls[d]);
	else if (fields)
		e = infer_event(g, t, name, fields);
	else
		fail_at(&g->lex, g->lex.t.at, "event %s is not declared", name);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].class->id == e->id)
			fail_at(&g->lex, g->lex.t.at, "events %s and %s have the same id",
				t->events[i].name, name);
	t->events = more(g, t->events, t->n_events, sizeof(*t->events));
	t->events[t->n_events++] = (struct event){ .class = e, .name = e->name };
	return e;
}

static int by_id(const void *a, const void *b)
{
	const struct ctf_event_class *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static void finish_trace(struct gen *g, struct trace *t)
{
	struct mer_err err;
	start_trace(g, t);
	for (uint32_t i = 0; i < t->n_streams; i++)
		if (ctf_writer_close(t->streams[i].w, &err))
			fail_plain(err.text);
	t->class->n_events = t->n_events;
	t->class->events = mer_arena_zalloc(&g->arena, t->n_events + 1, sizeof(*t->class->events));
	check_memory(t->class->events);
	for (uint32_t i = 0; i < t->n_events; i++)
		t->class->events[i] = *t->events[i].class;
	qsort(t->class->events, t->n_events, sizeof(*t->class->events), by_id);
	finish_clock(g, t);
	t->schema->env = t->env;
	t->schema->n_env = t->n_env;
	struct mer_str out = { 0 };
	struct ctf_metadata_options o = { .framing = t->framing };
	if (ctf_write_metadata(t->schema, &o, &out, &err))
		fail_plain(err.text);
	char *path = mer_arena_printf(&g->arena, "%s/metadata", t->path);
	check_memory(path);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(out.data, 1, out.len, f) != out.len || fclose(f)) {
		fprintf(stderr, "%s: cannot write %s: %s\n", program_invocation_short_name, path,
			strerror(errno));
		exit(1);
	}
	mer_str_fini(&out);
	mer_map_fini(&t->by_cpu);
	mer_intern_fini(&t->event_names);
}

static void apply_damage(struct gen *g, const struct damage *d)
{
	char *path = mer_arena_printf(&g->arena, "%s/%s", g->out_dir, d->path);
	check_memory(path);
	struct lexer at = { .source = &g->scenario };
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		fail_at(&at, d->at, "%s: %s", path, strerror(errno));
	int64_t size = st.st_size, off = d->offset < 0 ? size + d->offset : d->offset;
	uint8_t *bytes = calloc(1, (d->hex ? strlen(d->hex) : 0) + 1);
	check_memory(bytes);
	size_t n = d->hex ? hex_bytes(&at, d->at, d->hex, bytes) : 0;
	bool ok = true;
	if (!strcmp(d->what, "truncate")) {
		off = size - d->offset;
		ok = off >= 0 && !ftruncate(fd, off);
	} else if (!strcmp(d->what, "cut")) {
		ok = off >= 0 && off <= size && !ftruncate(fd, off);
	} else if (!strcmp(d->what, "append")) {
		ok = pwrite(fd, bytes, n, size) == (ssize_t)n;
	} else if (!strcmp(d->what, "flip")) {
		uint8_t b = 0;
		ok = off >= 0 && off < size && pread(fd, &b, 1, off) == 1;
		b ^= (uint8_t)d->number;
		ok = ok && pwrite(fd, &b, 1, off) == 1;
	} else {
		ok = off >= 0 && off + (int64_t)n <= size &&
		     pwrite(fd, bytes, n, off) == (ssize_t)n;
	}
	free(bytes);
	if (close(fd) || !ok)
		fail_at(&at, d->at, "the file %s has %lld bytes: this place is not in it", d->path,
			(long long)size);
}

void begin_world(struct gen *g)
{
	mer_arena_init(&g->arena);
	mer_arena_init(&g->line);
	mer_intern_init(&g->decl_names, &g->arena);
	g->regs = calloc(CTF_MAX_REGS + 1, sizeof(*g->regs));
	check_memory(g->regs);
	g->kernel = (struct source){ "kernel events", kernel_events, strlen(kernel_events) };
	note_events(g, &g->kernel);
}

void finish_world(struct gen *g)
{
	if (!g->n_hosts)
		add_host(g, "host");
	for (uint32_t i = 0; i < g->n_hosts; i++)
		if (!find_trace(g, g->hosts[i], NULL))
			add_trace(g, g->hosts[i], "kernel");
	for (uint32_t i = 0; i < g->n_traces; i++)
		finish_trace(g, g->traces[i]);
	for (uint32_t i = 0; i < g->n_damages; i++)
		apply_damage(g, &g->damages[i]);
	mer_intern_fini(&g->decl_names);
	mer_arena_fini(&g->line);
	mer_arena_fini(&g->arena);
	free(g->regs);
	free(g->out);
}
