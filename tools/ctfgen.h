/* ctfgen: scenarios (docs/dev/scenario.md) to CTF traces.
 *
 *   ctfgen.c         command line
 *   ctfgen_lex.c     tokens, expressions, errors with their place
 *   ctfgen_type.c    field types and event declarations to field classes
 *   ctfgen_value.c   values of a line to the writer's values, lengths and selectors filled in
 *   ctfgen_world.c   hosts, clocks, traces, streams; writing them out
 *   ctfgen_run.c     statements, executed as they are read
 *   ctfgen_kernel.c  the events of a Linux kernel that need no declaration
 *   ctfgen_big.c     big traces for benchmarks
 *
 * A scenario is executed while it is read: a loop goes back in the text. Nothing of an event is
 * kept, so its size is not limited by memory. Errors end the program. */
#ifndef CTFGEN_H
#define CTFGEN_H

#include "base/map.h"
#include "ctf/writer.h"

struct source {
	const char *path, *text;
	size_t len;
};

enum token_kind { T_END, T_LINE, T_WORD, T_TEXT, T_NUMBER, T_REAL, T_VAR, T_PUNCT };

struct token {
	enum token_kind kind;
	int punct; /* a character, or two as 'a' << 8 | 'b' */
	uint64_t number;
	double real;
	bool has_unit;
	size_t at, len; /* in the text; of texts without the quotes */
};

struct lexer {
	const struct source *source;
	size_t at;
	struct token t; /* the one to look at */
};

enum value_kind { V_NONE, V_INT, V_REAL, V_TEXT, V_WORD, V_LIST, V_RECORD };

struct value {
	enum value_kind kind;
	uint64_t i; /* V_INT: two's complement, unless big */
	bool big;   /* above INT64_MAX */
	double f;
	const char *s;
	size_t len;
	const char *name;		   /* in a record */
	struct value *first, *last, *next; /* of lists and records */
	size_t at;			   /* in the text, for messages */
};

struct variable {
	const char *name;
	struct value value;
};

struct clock_piece { /* from true time `from` on: clock = start + (t - from) * (1 + drift) */
	int64_t from, start;
	int64_t drift_e12;
};

struct host {
	const char *name, *hostname, *clock_name, *description;
	uint8_t uuid[16];
	bool has_uuid, is_absolute, has_offset;
	uint64_t freq_hz, precision;
	int64_t boot, offset;
	struct clock_piece *pieces;
	uint32_t n_pieces;
};

struct declaration {
	const char *name;
	const struct source *source;
	size_t at; /* behind the name */
	bool used;
};

struct event {
	struct ctf_event_class *class;
	const char *name;
};

struct stream {
	uint32_t cpu;
	struct ctf_writer *w;
	char *path;
	bool touched;
};

struct trace {
	struct host *host;
	const char *name, *path, *channel;
	struct ctf_schema *schema;
	struct ctf_stream_class *class;
	struct ctf_env *env;
	uint32_t n_env;
	enum ctf_header_shape shape;
	enum ctf_framing framing;
	unsigned major;
	size_t packet_bytes;
	bool pad, index, is_started;
	int64_t extra_offset;
	struct event *events;
	uint32_t n_events;
	struct mer_intern event_names;
	uint64_t next_id;
	struct stream *streams;
	uint32_t n_streams;
	struct mer_map by_cpu; /* cpu -> stream's index plus 1 */
};

struct damage { /* done to a file when all is written */
	const char *path, *what, *hex;
	int64_t offset;
	uint64_t number;
	size_t at;
};

struct gen {
	struct mer_arena arena, line; /* for good; for one line */
	struct lexer lex;
	struct source scenario, kernel; /* kernel: the events that need no declaration */
	const char *out_dir;
	unsigned major; /* of traces that do not say: 1 or 2 */
	int64_t epoch, base_time, last_time;
	uint64_t random;
	struct variable *vars;
	uint32_t n_vars;
	struct host **hosts;
	uint32_t n_hosts;
	struct trace **traces;
	uint32_t n_traces;
	struct declaration *decls;
	uint32_t n_decls;
	struct mer_intern decl_names;
	struct damage *damages;
	uint32_t n_damages;
	uint64_t *regs; /* of the event being flattened */
	struct ctf_value *out;
	uint32_t n_out, cap_out;
	uint64_t n_events;
	unsigned depth;
};

/* Errors: prints place and line, exits. */
_Noreturn void fail_at(const struct lexer *l, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void fail_plain(const char *text);
void check_memory(const void *p);
/* The array (in the permanent arena) of n elements with room for one more. */
void *more(struct gen *g, const void *array, uint32_t n, size_t bytes_each);

/* Tokens. */
void lex_next(struct lexer *l);
void lex_go(struct lexer *l, size_t at);
bool is_punct(const struct lexer *l, int punct);
bool accept(struct lexer *l, int punct);
void expect(struct lexer *l, int punct);
bool is_word(const struct lexer *l, const char *word);
bool accept_word(struct lexer *l, const char *word);
void skip_lines(struct lexer *l);
void end_line(struct lexer *l);
/* Skips to behind the closing brace of the block whose opening one was taken. */
void skip_block(struct lexer *l);

/* Values: names and texts are interpolated. */
const char *take_name(struct gen *g, struct lexer *l, const char *what, struct mer_arena *a);
struct value *take_value(struct gen *g, struct lexer *l);
struct value take_term(struct gen *g, struct lexer *l);
int64_t take_int(struct gen *g, struct lexer *l, const char *what);
uint64_t take_uint(struct gen *g, struct lexer *l, const char *what);
void set_var(struct gen *g, const char *name, struct value v);
struct value *new_value(struct gen *g, enum value_kind kind, size_t at);
struct value *record_get(const struct value *record, const char *name);
/* name = value into the record; dots in the name lead into members. */
void take_member(struct gen *g, struct lexer *l, struct value *record);
void record_put(struct value *record, struct value *member, const char *name);
size_t hex_bytes(const struct lexer *l, size_t at, const char *text, uint8_t *out);
bool parse_uuid(const char *s, uint8_t uuid[16]);
void make_uuid(uint8_t uuid[16], const char *a, const char *b);

/* Types. */
struct ctf_fc *take_fields(struct gen *g, struct lexer *l, struct trace *t);
/* Remembers where a declaration is: it is read when a trace uses the event. */
void note_event(struct gen *g, struct lexer *l);
void note_events(struct gen *g, const struct source *s);
struct ctf_event_class *declare_event(struct gen *g, struct trace *t, const struct declaration *d);
struct ctf_event_class *infer_event(
	struct gen *g, struct trace *t, const char *name, const struct value *fields);

/* Values of a whole event into g->out. */
void flatten_event(struct gen *g, const struct trace *t, const struct ctf_event_class *e,
	const struct value *context, const struct value *fields);

/* The world. */
struct host *find_host(struct gen *g, const char *name);
struct host *add_host(struct gen *g, const char *name);
struct trace *find_trace(struct gen *g, const struct host *h, const char *name);
struct trace *add_trace(struct gen *g, struct host *h, const char *name);
/* Where a line happens: HOST, HOST/TRACE, or "" when there is no doubt. */
struct trace *trace_at(struct gen *g, const char *where, size_t at);
void start_trace(struct gen *g, struct trace *t);
struct stream *stream_of(struct gen *g, struct trace *t, uint32_t cpu);
struct ctf_event_class *event_of(
	struct gen *g, struct trace *t, const char *name, const struct value *fields);
uint64_t clock_at(struct gen *g, const struct host *h, int64_t true_time);
void add_piece(struct gen *g, struct host *h, int64_t from, int64_t step, const int64_t *drift);
/* g is zeroed but for the options: begins with the events of a kernel known; finish writes all
 * traces out and frees what g owns. */
void begin_world(struct gen *g);
void finish_world(struct gen *g);
void make_dirs(const char *path);

void run_scenario(struct gen *g);
extern const char kernel_events[];

int big_main(int argc, char **argv);

#endif
