/* Fact: one thing that happened on a host, complete when it is reported.
 *
 * A fact is a struct of numbers that begins with struct fact. It has no pointers and needs no
 * history: who held the lock, which file, how many bytes, who woke the task are in it. So facts can
 * be summed up as they come (fold.h), or be stored and summed up later, in any window and by any
 * key.
 *
 * Makers make facts: callbacks of the model with a state for each host. A maker knows no options:
 * it makes all facts of a kind, once, whoever uses them; a kind that nobody uses is not made. Facts
 * of a kind come in the order in which the maker knows all about them, always the same one. */
#ifndef MER_ANALYSIS_FACT_H
#define MER_ANALYSIS_FACT_H

#include "base/table.h"
#include "base/arena.h"
#include "base/err.h"
#include "kernel/world.h"

#define FACT_UNKNOWN INT64_MIN /* no number at all */

struct fact {
	/* ns, common time line; an instant: both the same. end FACT_UNKNOWN: it has not ended. */
	int64_t begin, end;
	uint32_t task;	 /* that it is about; KERNEL_NONE: none, or not known */
	uint16_t cpu;	 /* KERNEL_NO_CPU: none, or not known */
	uint16_t choice; /* as the kind says; 0 where it does not */
};

enum fact_rule {
	FACT_BEGINS =
		/* counts as a whole where it begins: of windows that follow each other one has
		 * it */
	1,
	FACT_CUT,     /* a stretch of time: what lies in a window counts there */
	FACT_OVERLAPS /* counts as a whole in each window in which a part of it lies */
};

/* What a number means: how it is printed and grouped, and what a store has to keep beside it. */
enum fact_meaning {
	FACT_NUMBER = 1,
	FACT_CHOICE,  /* a number of words[] */
	FACT_NAME,    /* in kernel_host.names */
	FACT_TASK,    /* in kernel_host.tasks; its columns: KEY_tid, KEY_pid, KEY_comm */
	FACT_CALL,    /* in kernel_host.calls; columns: see enum fact_view_kind */
	FACT_DEVICE,  /* a block device's number; its column is its name */
	FACT_ADDRESS, /* a text for people: 0x7f12 */
	/* of a system call; a text: "ENOENT", "12" (with `call`: as that call's results are) */
	FACT_RESULT,
	FACT_HOST, /* of the experiment; a text */
	FACT_TEXT  /* of views: a function says it, when all is read */
};

/* A member of the struct. */
struct fact_field {
	const char *key;   /* as a column's */
	const char *title; /* for people; NULL: not shown to them */
	enum mer_type type;
	enum fact_meaning meaning;
	uint16_t offset;
	uint8_t width; /* bytes: 1, 2, 4, 8 */
	bool is_signed;
	bool has_none; /* this value stands for "not known", or "none": */
	int64_t none;
	const char *const *words; /* of FACT_CHOICE; NULL in it: not known */
	uint32_t n_words;
};
#define FACT_MEMBER(struct_, member_)                                                              \
	.offset = offsetof(struct_, member_), .width = sizeof(((struct_ *)0)->member_),            \
	.is_signed = (__typeof__(((struct_ *)0)->member_))-1 < 1
#define FACT_NONE_IS(none_) .has_none = true, .none = (none_)
#define FACT_WORDS(words_)                                                                         \
	.meaning = FACT_CHOICE, .words = (words_), .n_words = sizeof(words_) / sizeof((words_)[0])

/* What follows from fields: a column that is not stored. All kinds have these: begin, end,
 * duration_ns (as far as end is known), host, tid, pid, comm, cpu, and for --group-by thread,
 * process, program. */
enum fact_view_kind {
	FACT_MINUS = 1,	  /* of - and */
	FACT_CALL_NAME,	  /* of a FACT_CALL: "read"; a name */
	FACT_CALL_OBJECT, /* what its descriptor stands for; a name */
	FACT_CALL_FD,
	FACT_CALL_KIND, /* of the descriptor, enum kernel_object_kind */
	FACT_ERROR,	/* of a result: itself where it is an error, otherwise not known */
	FACT_BY_FUNCTION
};
struct fact_view {
	const char *key, *title;
	enum mer_type type;
	enum fact_view_kind view;
	const char *of, *and; /* keys of fields */
	/* FACT_BY_FUNCTION: a number, FACT_UNKNOWN: it has none. It must never change for this
	 * fact. meaning: of that number. */
	int64_t (*get)(const struct kernel_host *h, const struct fact *f);
	enum fact_meaning meaning;
	const char *const *words;
	uint32_t n_words;
	/* FACT_TEXT; NULL: it has none. */
	const char *(*text)(const struct kernel_host *h, int64_t number);
};

struct fact_maker;
struct fact_host;

/* A stretch of time that a task was on a CPU in one state: kernel_is_on_cpu. */
struct fact_stretch {
	int64_t begin, end;
	uint32_t task;
	uint16_t cpu;
	uint8_t state; /* enum kernel_state */
	uint8_t cause; /* enum kernel_cause: of an interrupt */
};

/* Facts that follow from what a store has anyway, which then keeps none of them: of the same maker,
 * made again by these. First it gets all facts of another kind (NULL: none), then all stretches of
 * a window, in the order of their ends. */
struct fact_origin {
	const struct fact_kind *kind;
	int (*take_fact)(struct fact_host *f, const struct kernel_host *h, const struct fact *x);
	int (*take_stretch)(
		struct fact_host *f, const struct kernel_host *h, const struct fact_stretch *s);
};

struct fact_end { /* one of two that something has */
	uint32_t host, task;
	uint16_t cpu;
};

struct fact_kind {
	const char *id, *title; /* "fault", "Page faults" */
	const struct fact_maker *maker;
	enum fact_rule rule;
	uint16_t size; /* of the struct: a multiple of 8 */
	/* about CPUs, whoever had them: options that choose tasks choose nothing of it */
	bool of_cpus;
	/* about tasks, wherever they were: options that choose CPUs choose nothing of it */
	bool of_tasks;
	/* about the host as a whole: no time, task or CPU chooses anything of it */
	bool of_host;
	const struct fact_origin *origin; /* NULL: a store keeps these facts */
	/* Besides begin, end, task and cpu, which all have; choice, if it means anything. */
	const struct fact_field *fields;
	const struct fact_view *views; /* NULL: none. Both end with {0}. */
	/* What options are about: keys of fields or views; NULL: this kind has none. */
	const char *duration; /* --min, --max; "duration_ns" is usual */
	const char *bytes;    /* --min-size, --max-size */
	const char *name;     /* --name, a text */
	/* The number of its thread as the program's own events say, where the kernel's know no task
	 * of it: --tid. NULL: it has none. */
	const char *thread;
	/* Instead of name, where a fact has several: does any of them match? It is called once for
	 * each different value of `name`, whatever that is, and must try all of them. */
	bool (*has_name)(const struct kernel_host *h, const struct fact *f,
		bool (*wants)(void *ctx, const char *name), void *ctx);
	/* Facts of the two ends of something, made when all hosts are read: of one of its second
	 * end, who was at the first one. False: this is the first, or that was not seen. */
	bool (*first_end)(const struct fact *f, struct fact_end *first);
};

/* ---- making them ---- */

enum { FACT_BATCH = 128 };
/* Takes facts of a kind, of one host, in their order: n structs of kind->size bytes. */
typedef int fact_taker(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err);

struct fact_sink {   /* of a kind and host */
	char *batch; /* room for FACT_BATCH of them; NULL: nobody uses this kind */
	uint32_t n;
	uint16_t size;
	fact_taker *take;
	void *ctx;
};

struct fact_host {		 /* what a maker's callbacks get as ctx */
	void *state;		 /* of this maker and host, zeroed at first */
	void *const *states;	 /* the same of all hosts, by number: for end alone */
	struct fact_sink *sinks; /* as fact_maker.kinds */
	struct mer_arena *arena; /* of the host, for the run's life; not shared between threads */
	struct mer_err *err;	 /* to fill when a callback returns an error */
	const struct mer_experiment *e;
	uint32_t host; /* of the experiment */
};

struct fact_maker {
	const char *id;
	const struct fact_kind *const *kinds; /* ends with NULL */
	uint32_t wants;			      /* enum kernel_wants */
	/* looks at kernel_world.bridges: they must be gathered, in a reading of its own */
	bool messages;
	/* What happened before the time that is asked about changes none of its facts, but for what
	 * the model knows: then only that part of the traces is read, if that can be
	 * (kernel_world_options.window). Not of what adds up from the begin of the recording:
	 * memory in use, who holds a lock, a CPU's frequency. */
	bool needs_no_past;
	/* But for what it knows when all is read, which facts of this kind of its own say: where a
	 * part is read, learn gets them before any host's end. NULL: there is none. */
	const struct fact_kind *learned;
	int (*learn)(struct fact_host *f, const struct kernel_host *h, const struct fact *x);
	size_t state_size;
	/* ctx: struct fact_host. Any may be NULL. Meanings as in kernel/observer.h. */
	struct kernel_observer on;
	int (*begin)(struct fact_host *f);
	/* After the last event of the host: h->begin and h->end are known; w: and those of all
	 * hosts. */
	int (*end)(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h);
	void (*free_state)(void *state);
};

/* Does anybody use facts of kinds[kind]? */
static inline bool fact_is_used(const struct fact_host *f, unsigned kind)
{
	return f->sinks[kind].batch != NULL;
}
int fact_flush(struct fact_host *f, const struct kernel_host *h, unsigned kind);
/* Room for the next fact of kinds[kind], which must be used; then fact_placed. */
static inline void *fact_place(struct fact_host *f, unsigned kind)
{
	struct fact_sink *s = &f->sinks[kind];
	return s->batch + (size_t)s->n * s->size;
}
static inline int fact_placed(
	struct fact_host *f, const struct kernel_host *h, unsigned kind, size_t bytes)
{
	struct fact_sink *s = &f->sinks[kind];
	if (bytes != s->size)
		return mer_fail(f->err, MER_ERR_BUG, "a fact of another size than its kind");
	return ++s->n == FACT_BATCH ? fact_flush(f, h, kind) : 0;
}
/* (f, h, kind, fact): a fact of kinds[kind], which must be used. It is assigned member by member:
 * reading a struct again that was just written in smaller parts would take more time than all the
 * rest. (The comma: a type without const.) */
#define fact_add(f_, h_, kind_, ...)                                                               \
	(*(__typeof__(((void)0, *(__VA_ARGS__))) *)fact_place(f_, kind_) = *(__VA_ARGS__),         \
		fact_placed(f_, h_, kind_, sizeof(*(__VA_ARGS__))))

/* Which facts of a kind and host are needed. Whoever has them may give others, too. */
struct fact_range {
	int64_t begin, end; /* that may lie in [begin, end] */
	const bool *tasks;  /* by number: that are about these; NULL: all */
};

/* All kinds, for stores: the list ends with NULL. */
extern const struct fact_kind *const fact_kinds[];
/* begin, end, task and cpu; ends with {0}. */
extern const struct fact_field fact_common_fields[];
/* Of a kind by key, the common ones too. NULL: it is none, or a view. */
const struct fact_field *fact_field_find(const struct fact_kind *k, const char *key);
const struct fact_view *fact_view_find(const struct fact_kind *k, const char *key);
/* The number in a member. */
static inline int64_t fact_load(const struct fact_field *f, const void *fact)
{
	const char *at = (const char *)fact + f->offset;
	int8_t b;
	int16_t w;
	int32_t l;
	int64_t q;
	switch (f->width) {
	case 1: __builtin_memcpy(&b, at, 1); return f->is_signed ? b : (uint8_t)b;
	case 2: __builtin_memcpy(&w, at, 2); return f->is_signed ? w : (uint16_t)w;
	case 4: __builtin_memcpy(&l, at, 4); return f->is_signed ? (int64_t)l : (uint32_t)l;
	default: __builtin_memcpy(&q, at, 8); return q;
	}
}

#endif
