/* ctfgen: statements, executed as they are read. */
#include "ctfgen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_block(struct gen *g, size_t open_at);

static int64_t take_drift(struct gen *g, struct lexer *l)
{
	struct value v = take_term(g, l);
	double ppm = v.kind == V_REAL ? v.f : (double)(int64_t)v.i;
	if ((v.kind != V_REAL && v.kind != V_INT) || ppm > 1e5 || ppm < -1e5)
		fail_at(l, v.at, "expected a drift in parts per million, at most 100000");
	return (int64_t)(ppm * 1e6 + (ppm < 0 ? -0.5 : 0.5));
}

/* The braces of a list of settings. True as long as there is another one. */
static bool next_setting(struct lexer *l, bool *first)
{
	if (*first && !accept(l, '{'))
		return false;
	if (!*first)
		end_line(l);
	*first = false;
	skip_lines(l);
	return !accept(l, '}');
}

static void run_host(struct gen *g)
{
	struct lexer *l = &g->lex;
	size_t at = l->t.at;
	const char *name = take_name(g, l, "the name of a host", &g->line);
	if (strchr(name, '/'))
		fail_at(l, at, "the name of a host has no '/'");
	if (find_host(g, name))
		fail_at(l, at, "there is a host %s already", name);
	struct host *h = add_host(g, name);
	for (bool first = true; next_setting(l, &first);) {
		if (accept_word(l, "hostname"))
			h->hostname = take_name(g, l, "a name", &g->arena);
		else if (accept_word(l, "clock"))
			h->clock_name = take_name(g, l, "a name", &g->arena);
		else if (accept_word(l, "description"))
			h->description = take_name(g, l, "a text", &g->arena);
		else if (accept_word(l, "uuid")) {
			at = l->t.at;
			const char *s = take_name(g, l, "a UUID in quotes, or none", &g->line);
			h->has_uuid = strcmp(s, "none") != 0;
			if (h->has_uuid && !parse_uuid(s, h->uuid))
				fail_at(l, at, "not a UUID");
		} else if (accept_word(l, "freq")) {
			at = l->t.at;
			h->freq_hz = take_uint(g, l, "a frequency in Hz");
			if (!h->freq_hz)
				fail_at(l, at, "a frequency is at least 1 Hz");
		} else if (accept_word(l, "precision"))
			h->precision = take_uint(g, l, "cycles");
		else if (accept_word(l, "absolute"))
			h->is_absolute = true;
		else if (accept_word(l, "boot"))
			h->boot = take_int(g, l, "a time");
		else if (accept_word(l, "offset")) {
			h->offset = take_int(g, l, "a time");
			h->has_offset = true;
		} else if (accept_word(l, "ahead"))
			h->pieces[0].start = take_int(g, l, "a time");
		else if (accept_word(l, "drift"))
			h->pieces[0].drift_e12 = take_drift(g, l);
		else
			fail_at(l, l->t.at, "unknown setting of a host");
	}
}

static void put_env(struct gen *g, struct trace *t, const char *name, struct value v)
{
	struct ctf_env e = { .name = mer_arena_strdup(&g->arena, name) };
	if (v.kind == V_INT)
		e.number = (int64_t)v.i;
	else if (v.kind == V_TEXT || v.kind == V_WORD)
		e.text = mer_arena_strdup(&g->arena, v.s);
	else
		fail_at(&g->lex, v.at, "expected a number or a text");
	check_memory(g->arena.failed ? NULL : t);
	for (uint32_t i = 0; i < t->n_env; i++)
		if (!strcmp(t->env[i].name, name)) {
			t->env[i] = e;
			return;
		}
	t->env = more(g, t->env, t->n_env, sizeof(*t->env));
	t->env[t->n_env++] = e;
}

static void take_tracer(struct gen *g, struct lexer *l, struct trace *t)
{
	static const char *const names[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	put_env(g, t, "tracer_name", take_term(g, l));
	size_t at = l->t.at;
	const char *version = take_name(g, l, "a version in quotes", &g->line);
	unsigned v[3];
	int n = sscanf(version, "%u.%u.%u", &v[0], &v[1], &v[2]);
	if (n < 1)
		fail_at(l, at, "expected a version, as in \"2.13.9\"");
	for (int i = 0; i < n; i++)
		put_env(g, t, names[i], (struct value){ .kind = V_INT, .i = v[i] });
}

static void drop_members(struct ctf_fc *fc, const char *name, bool *found)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < fc->u.record.n; i++) {
		if (!strcmp(fc->u.record.fields[i].name, name))
			*found = true;
		else
			fc->u.record.fields[n++] = fc->u.record.fields[i];
	}
	fc->u.record.n = n;
}

/* without NAME...: members of the packet header and context that are left out. */
static void take_without(struct gen *g, struct lexer *l, struct trace *t)
{
	enum ctf_byte_order order = t->schema->order ? CTF_BE : CTF_LE;
	if (!t->schema->packet_header)
		t->schema->packet_header = ctf_new_packet_header(&g->arena, order);
	if (!t->class->packet_context)
		t->class->packet_context = ctf_new_packet_context(&g->arena, order, 0);
	check_memory(t->class->packet_context);
	while (l->t.kind == T_WORD) {
		bool found = false;
		size_t at = l->t.at;
		const char *name = take_name(g, l, "a field", &g->line);
		drop_members(t->schema->packet_header, name, &found);
		drop_members(t->class->packet_context, name, &found);
		if (!found)
			fail_at(l, at, "neither packet header nor packet context has %s", name);
	}
}

static void take_cpus(struct gen *g, struct lexer *l, struct trace *t)
{
	do {
		size_t at = l->t.at;
		uint64_t lo = take_uint(g, l, "a CPU"), hi = lo;
		if (accept(l, '-'))
			hi = take_uint(g, l, "a CPU");
		if (hi < lo || hi - lo > 100000 || hi > UINT32_MAX)
			fail_at(l, at, "expected CPUs, as in 0-3,8");
		for (uint64_t i = lo; i <= hi; i++)
			stream_of(g, t, (uint32_t)i);
	} while (accept(l, ','));
}

static void take_trace_setting(struct gen *g, struct trace *t)
{
	struct lexer *l = &g->lex;
	size_t at = l->t.at;
	if (accept_word(l, "cpus")) {
		take_cpus(g, l, t);
		return;
	}
	if (accept_word(l, "declare")) {
		while (l->t.kind == T_WORD || l->t.kind == T_TEXT)
			event_of(g, t, take_name(g, l, "an event", &g->line), NULL);
		return;
	}
	if (accept_word(l, "env")) {
		const char *name = take_name(g, l, "a name", &g->line);
		put_env(g, t, name, take_term(g, l));
		return;
	}
	if (accept_word(l, "domain")) {
		put_env(g, t, "domain", take_term(g, l));
		return;
	}
	if (accept_word(l, "tracer")) {
		take_tracer(g, l, t);
		return;
	}
	if (accept_word(l, "offset")) {
		t->extra_offset = take_int(g, l, "a time");
		return;
	}
	if (accept_word(l, "metadata")) {
		if (accept_word(l, "plain"))
			t->framing = CTF_PLAIN;
		else if (accept_word(l, "le"))
			t->framing = CTF_PACKETS_LE;
		else if (accept_word(l, "be"))
			t->framing = CTF_PACKETS_BE;
		else
			fail_at(l, l->t.at, "expected plain, le or be");
		return;
	}
	if (t->is_started)
		fail_at(l, at, "too late: write this before cpus, declare and the first event");
	if (accept_word(l, "path")) {
		t->path = take_name(g, l, "a path", &g->arena);
	} else if (accept_word(l, "channel")) {
		t->channel = take_name(g, l, "a name", &g->arena);
	} else if (accept_word(l, "packet")) {
		t->packet_bytes = take_uint(g, l, "bytes");
	} else if (accept_word(l, "pad")) {
		t->pad = true;
	} else if (accept_word(l, "index")) {
		t->index = true;
	} else if (accept_word(l, "without")) {
		take_without(g, l, t);
	} else if (accept_word(l, "context")) {
		t->class->event_context = take_fields(g, l, t);
	} else if (accept_word(l, "stream")) {
		t->class->id = take_uint(g, l, "an id");
	} else if (accept_word(l, "format")) {
		struct value v = take_term(g, l);
		if (v.kind == V_REAL && v.f > 1.79 && v.f < 1.81)
			t->major = 1;
		else if (v.kind == V_INT && v.i == 2)
			t->major = 2;
		else
			fail_at(l, v.at, "expected 1.8 or 2");
	} else if (accept_word(l, "order")) {
		if (t->class->packet_context || t->class->event_context)
			fail_at(l, at, "write the order before contexts");
		t->schema->order = is_word(l, "be") ? CTF_BE : CTF_LE;
		if (!accept_word(l, "be") && !accept_word(l, "le"))
			fail_at(l, l->t.at, "expected le or be");
	} else if (accept_word(l, "header")) {
		if (accept_word(l, "compact"))
			t->shape = CTF_WRITE_COMPACT;
		else if (accept_word(l, "large"))
			t->shape = CTF_WRITE_LARGE;
		else if (accept_word(l, "plain"))
			t->shape = CTF_WRITE_PLAIN;
		else
			fail_at(l, l->t.at, "expected compact, large or plain");
	} else if (accept_word(l, "uuid")) {
		at = l->t.at;
		const char *s = take_name(g, l, "a UUID in quotes, or none", &g->line);
		t->schema->has_uuid = strcmp(s, "none") != 0;
		if (t->schema->has_uuid && !parse_uuid(s, t->schema->uuid))
			fail_at(l, at, "not a UUID");
		memset(t->schema->uuid, 0, t->schema->has_uuid ? 0 : 16);
	} else {
		fail_at(l, at, "unknown setting of a trace");
	}
}

static void run_trace(struct gen *g)
{
	struct lexer *l = &g->lex;
	size_t at = l->t.at;
	const char *name = take_name(g, l, "the name of a trace", &g->line);
	const char *slash = strchr(name, '/'), *own = slash ? slash + 1 : name;
	struct host *h = NULL;
	if (slash) {
		char *host = mer_arena_strndup(&g->line, name, (size_t)(slash - name));
		check_memory(host);
		h = find_host(g, host);
		if (!h)
			fail_at(l, at, "there is no host %s", host);
	} else if (g->n_hosts > 1) {
		fail_at(l, at, "of which host? Write HOST/%s", name);
	} else {
		h = g->n_hosts ? g->hosts[0] : add_host(g, "host");
	}
	if (find_trace(g, h, own))
		fail_at(l, at, "host %s has a trace %s already", h->name, own);
	struct trace *t = add_trace(g, h, own);
	for (bool first = true; next_setting(l, &first);)
		take_trace_setting(g, t);
}

static void run_let(struct gen *g)
{
	struct lexer *l = &g->lex;
	const char *name = take_name(g, l, "the name of a variable", &g->line);
	expect(l, '=');
	struct value v = take_term(g, l);
	if (v.kind == V_TEXT || v.kind == V_WORD) {
		v.s = mer_arena_strndup(&g->arena, v.s, v.len);
		check_memory(v.s);
	}
	set_var(g, name, v);
}

static void run_repeat(struct gen *g)
{
	struct lexer *l = &g->lex;
	uint64_t n = take_uint(g, l, "how many times");
	int64_t every = 0, from = 0;
	const char *name = "i";
	for (;;) {
		if (accept_word(l, "every")) {
			every = take_int(g, l, "a time");
		} else if (accept_word(l, "from")) {
			from = take_int(g, l, "a time");
		} else if (accept_word(l, "as")) {
			name = take_name(g, l, "the name of a variable", &g->arena);
		} else
			break;
	}
	char own[64];
	snprintf(own, sizeof(own), "%s", name); /* the line's memory does not last */
	if (!is_punct(l, '{'))
		fail_at(l, l->t.at, "expected '{'");
	size_t body = l->t.at + 1;
	int64_t base = g->base_time;
	if (++g->depth > 100)
		fail_at(l, l->t.at, "nested too deeply");
	for (uint64_t i = 0; i < n; i++) {
		g->base_time = base + from + (int64_t)i * every;
		set_var(g, own, (struct value){ .kind = V_INT, .i = i });
		lex_go(l, body);
		run_block(g, body - 1);
	}
	g->depth--;
	g->base_time = base;
	if (!n) {
		lex_go(l, body);
		skip_block(l);
	}
}

static void run_if(struct gen *g)
{
	struct lexer *l = &g->lex;
	bool yes = take_int(g, l, "a condition in parentheses") != 0;
	if (++g->depth > 100)
		fail_at(l, l->t.at, "nested too deeply");
	for (unsigned part = 0; part < 2; part++, yes = !yes) {
		if (part && !accept_word(l, "else"))
			break;
		if (!is_punct(l, '{'))
			fail_at(l, l->t.at, "expected '{'");
		size_t open_at = l->t.at;
		lex_next(l);
		if (yes)
			run_block(g, open_at);
		else
			skip_block(l);
	}
	g->depth--;
}

static void run_damage(struct gen *g)
{
	struct lexer *l = &g->lex;
	struct damage d = { .at = l->t.at, .number = 0xFF };
	d.path = take_name(g, l, "a file, relative to the output directory", &g->arena);
	if (is_word(l, "truncate") || is_word(l, "cut") || is_word(l, "flip") ||
		is_word(l, "poke") || is_word(l, "append"))
		d.what = take_name(g, l, "", &g->arena);
	else
		fail_at(l, l->t.at, "expected truncate, cut, flip, poke or append");
	if (strcmp(d.what, "append") != 0)
		d.offset = take_int(g, l, "bytes");
	if (!strcmp(d.what, "flip") && l->t.kind == T_NUMBER)
		d.number = take_uint(g, l, "a mask");
	if (!strcmp(d.what, "poke") || !strcmp(d.what, "append"))
		d.hex = take_name(g, l, "bytes in hexadecimal, in quotes", &g->arena);
	g->damages = more(g, g->damages, g->n_damages, sizeof(*g->damages));
	g->damages[g->n_damages++] = d;
}

/* A line that happens at a time. */

static void run_clock(struct gen *g, struct host *h, int64_t time)
{
	struct lexer *l = &g->lex;
	int64_t step = 0, drift = 0;
	bool has_drift = false;
	while (l->t.kind == T_WORD) {
		if (accept_word(l, "step"))
			step = take_int(g, l, "a time");
		else if (accept_word(l, "drift")) {
			drift = take_drift(g, l);
			has_drift = true;
		} else
			fail_at(l, l->t.at, "expected step or drift");
	}
	add_piece(g, h, time, step, has_drift ? &drift : NULL);
}

static void run_set(struct gen *g, struct ctf_writer *w)
{
	static const struct {
		const char *name;
		enum ctf_role role;
	} roles[] = { { "magic", CTF_ROLE_MAGIC }, { "stream_id", CTF_ROLE_STREAM_CLASS_ID },
		{ "stream_instance_id", CTF_ROLE_STREAM_ID },
		{ "timestamp_begin", CTF_ROLE_TIMESTAMP },
		{ "timestamp_end", CTF_ROLE_TIMESTAMP_END },
		{ "content_size", CTF_ROLE_CONTENT_SIZE }, { "packet_size", CTF_ROLE_PACKET_SIZE },
		{ "packet_seq_num", CTF_ROLE_SEQ_NUM }, { "events_discarded", CTF_ROLE_DISCARDED },
		{ "cpu_id", CTF_ROLE_CPU_ID } };
	struct lexer *l = &g->lex;
	size_t at = l->t.at;
	const char *name = take_name(g, l, "a field of the packet header or context", &g->line);
	accept(l, '=');
	uint64_t v = take_uint(g, l, "a number");
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(name, roles[i].name)) {
			ctf_writer_override(w, roles[i].role, v);
			return;
		}
	fail_at(l, at, "no field %s in packet header and context", name);
}

static void run_record(struct gen *g, struct trace *t, struct stream *s, const char *name,
	uint64_t clock, size_t at)
{
	struct lexer *l = &g->lex;
	const struct value *context = is_punct(l, '{') ? take_value(g, l) : NULL;
	struct value *fields = new_value(g, V_RECORD, at);
	while (l->t.kind == T_WORD || l->t.kind == T_TEXT) {
		take_member(g, l, fields);
		accept(l, ',');
	}
	struct ctf_event_class *e = event_of(g, t, name, fields);
	flatten_event(g, t, e, context, fields);
	struct mer_err err;
	if (ctf_writer_event(s->w, e, clock, g->out, g->n_out, &err))
		fail_at(l, at, "%s", err.text);
	g->n_events++;
}

static void run_line(struct gen *g)
{
	struct lexer *l = &g->lex;
	struct mer_err err;
	size_t at = l->t.at;
	bool relative = accept(l, '+');
	int64_t time = take_int(g, l, "a time");
	time += relative ? g->last_time : g->base_time;
	g->last_time = time;
	const char *where = "";
	size_t where_at = l->t.at;
	if (l->t.kind == T_WORD || l->t.kind == T_TEXT)
		where = take_name(g, l, "a host", &g->line);
	struct trace *t = trace_at(g, where, where_at);
	if (accept_word(l, "clock")) {
		run_clock(g, t->host, time);
		return;
	}
	uint64_t cpu = take_uint(g, l, "a CPU");
	if (cpu > UINT32_MAX)
		fail_at(l, at, "expected a CPU");
	struct stream *s = stream_of(g, t, (uint32_t)cpu);
	uint64_t clock = clock_at(g, t->host, time);
	size_t what_at = l->t.at;
	const char *what = take_name(g, l, "an event or a command", &g->line);
	int rc = 0;
	if (!strcmp(what, "lost")) {
		ctf_writer_discard(s->w, take_uint(g, l, "how many"));
	} else if (!strcmp(what, "skip")) {
		rc = ctf_writer_end(s->w, clock, &err);
		ctf_writer_skip_packets(s->w, take_uint(g, l, "how many"));
	} else if (!strcmp(what, "begin")) {
		rc = ctf_writer_begin(s->w, clock, &err);
	} else if (!strcmp(what, "packet")) {
		if (!ctf_writer_is_open(s->w))
			rc = ctf_writer_begin(s->w, clock, &err);
		if (!rc)
			rc = ctf_writer_end(s->w, clock, &err);
	} else if (!strcmp(what, "set")) {
		run_set(g, s->w);
	} else if (!strcmp(what, "raw")) {
		size_t hex_at = l->t.at;
		const char *hex = take_name(g, l, "bytes in hexadecimal, in quotes", &g->line);
		uint8_t *bytes = mer_arena_zalloc(&g->line, 1, strlen(hex) + 1);
		check_memory(bytes);
		size_t n = hex_bytes(l, hex_at, hex, bytes);
		if (!ctf_writer_is_open(s->w))
			rc = ctf_writer_begin(s->w, clock, &err);
		if (!rc)
			rc = ctf_writer_raw(s->w, bytes, n, &err);
	} else {
		run_record(g, t, s, what, clock, what_at);
	}
	if (rc)
		fail_at(l, what_at, "%s", err.text);
}

static void run_statement(struct gen *g)
{
	struct lexer *l = &g->lex;
	mer_arena_reset(&g->line);
	if (l->t.kind == T_NUMBER || l->t.kind == T_VAR || is_punct(l, '(') || is_punct(l, '+') ||
		is_punct(l, '-'))
		run_line(g);
	else if (accept_word(l, "repeat"))
		run_repeat(g);
	else if (accept_word(l, "if"))
		run_if(g);
	else if (accept_word(l, "let"))
		run_let(g);
	else if (accept_word(l, "host"))
		run_host(g);
	else if (accept_word(l, "trace"))
		run_trace(g);
	else if (accept_word(l, "event"))
		note_event(g, l);
	else if (accept_word(l, "damage"))
		run_damage(g);
	else if (accept_word(l, "seed"))
		g->random = take_uint(g, l, "a number");
	else if (accept_word(l, "epoch"))
		g->epoch = take_int(g, l, "a time");
	else
		fail_at(l, l->t.at, "expected a time or a statement");
	end_line(l);
}

/* Behind the opening brace, to behind the closing one. */
static void run_block(struct gen *g, size_t open_at)
{
	struct lexer *l = &g->lex;
	for (skip_lines(l); !is_punct(l, '}'); skip_lines(l)) {
		if (l->t.kind == T_END)
			fail_at(l, open_at, "this block does not end");
		run_statement(g);
	}
	lex_next(l);
}

void run_scenario(struct gen *g)
{
	struct lexer *l = &g->lex;
	l->source = &g->scenario;
	lex_next(l);
	for (skip_lines(l); l->t.kind != T_END; skip_lines(l)) {
		if (is_punct(l, '}'))
			fail_at(l, l->t.at, "nothing is open here");
		run_statement(g);
	}
}
