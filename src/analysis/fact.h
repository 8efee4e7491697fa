/* Fact: one thing that happened on a host, complete when it is reported.
 *
 * A fact is a struct of numbers that begins with struct fact. It has no pointers and needs no
 * history: who held the lock, which file, how many bytes, who woke the task are in it. So facts
 * can be summed up as they are reported (fold.h), or stored and summed up later, for any window
 * and by any key.
 *
 * Makers compute facts: they are callbacks of the model with a state for each host. A maker
 * knows no options: it computes all facts of a kind once, for all users; kinds without a user
 * are not computed. Facts of a kind are reported in the order in which they become complete,
 * which is always the same. */
#ifndef MER_ANALYSIS_FACT_H
#define MER_ANALYSIS_FACT_H

#include "base/table.h"
#include "base/arena.h"
#include "base/err.h"
#include "kernel/world.h"

#define FACT_UNKNOWN INT64_MIN /* no value */

struct fact {
	/* ns, common time line; equal for an instant. end FACT_UNKNOWN: it has not ended. */
	int64_t begin, end;
	uint32_t task;	 /* the task it is about; KERNEL_NONE: none, or not known */
	uint16_t cpu;	 /* KERNEL_NO_CPU: none, or not known */
	uint16_t choice; /* meaning defined by the kind; 0 if it has none */
};

enum fact_rule {
	FACT_BEGINS =
		/* counts as a whole where it begins: exactly one of several adjacent windows has
		 * it */
	1,
	FACT_CUT,     /* a stretch of time: the part inside a window counts there */
	FACT_OVERLAPS /* counts as a whole in each window that it overlaps */
};

/* What a number means: how it is printed and grouped, and what a store must keep with it. */
enum fact_meaning {
	FACT_NUMBER = 1,
	FACT_CHOICE,  /* an index into words[] */
	FACT_NAME,    /* in kernel_host.names */
	FACT_TASK,    /* in kernel_host.tasks; its columns: KEY_tid, KEY_pid, KEY_comm */
	FACT_CALL,    /* in kernel_host.calls; columns: see enum fact_view_kind */
	FACT_DEVICE,  /* number of a block device; its column shows the name */
	FACT_ADDRESS, /* an address, shown as 0x7f12 */
	/* of a system call; a text: "ENOENT", "12" (with `call`: formatted as results of that
	 * call) */
	FACT_RESULT,
	FACT_HOST, /* number of a host of the experiment, shown as its name */
	/* only for views: a function computes the text when all events are read */
	FACT_TEXT
};

/* A member of the struct. */
struct fact_field {
	const char *key;   /* as key of a column */
	const char *title; /* shown to users; NULL: the column is not shown to them */
	enum mer_type type;
	enum fact_meaning meaning;
	uint16_t offset;
	uint8_t width; /* bytes: 1, 2, 4, 8 */
	bool is_signed;
	bool has_none; /* the value `none` means "not known" or "none" */
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

/* A view: a column computed from fields and not stored. All kinds have these: begin, end,
 * duration_ns (where end is known), host, tid, pid, comm, cpu, and for --group-by thread,
 * process, program. */
enum fact_view_kind {
	FACT_MINUS = 1,	  /* field `of` minus field `and` */
	FACT_CALL_NAME,	  /* name of a FACT_CALL: "read" */
	FACT_CALL_OBJECT, /* name of the object that its descriptor refers to */
	FACT_CALL_FD,
	FACT_CALL_KIND, /* kind of that object: enum kernel_object_kind */
	FACT_ERROR,	/* a result if it is an error, otherwise not known */
	FACT_BY_FUNCTION
};
struct fact_view {
	const char *key, *title;
	enum mer_type type;
	enum fact_view_kind view;
	const char *of, *and; /* keys of fields */
	/* FACT_BY_FUNCTION: returns a number, or FACT_UNKNOWN. The number must never change for
	 * the same fact; meaning says what it means. */
	int64_t (*get)(const struct kernel_host *h, const struct fact *f);
	enum fact_meaning meaning;
	const char *const *words;
	uint32_t n_words;
	/* FACT_TEXT; NULL: it has none. */
	const char *(*text)(const struct kernel_host *h, int64_t number);
};

struct analysis_run;
struct fact_maker;
struct fact_host;

/* A stretch of time during which a task was on a CPU in one state (kernel_is_on_cpu). */
struct fact_stretch {
	int64_t begin, end;
	uint32_t task;
	uint16_t cpu;
	uint8_t state; /* enum kernel_state */
	uint8_t cause; /* for an interrupt: enum kernel_cause */
};

/* For facts derived from data that a store has anyway, so the store does not keep them; the same
 * maker computes them again with these functions. It first gets all facts of another kind (NULL:
 * none), then all stretches of a window, in the order of their ends. */
struct fact_origin {
	const struct fact_kind *kind;
	int (*take_fact)(struct fact_host *f, const struct kernel_host *h, const struct fact *x);
	int (*take_stretch)(
		struct fact_host *f, const struct kernel_host *h, const struct fact_stretch *s);
};

struct fact_end { /* one end of something that has two */
	uint32_t host, task;
	uint16_t cpu;
};

struct fact_kind {
	const char *id, *title; /* "fault", "Page faults" */
	const struct fact_maker *maker;
	enum fact_rule rule;
	uint16_t size; /* sizeof the struct: a multiple of 8 */
	/* about CPUs, whatever task ran on them: options that select tasks do not apply */
	bool of_cpus;
	/* about tasks, whatever CPU they ran on: options that select CPUs do not apply */
	bool of_tasks;
	/* about the host as a whole: no selection of time, tasks or CPUs applies */
	bool of_host;
	const struct fact_origin *origin; /* NULL: a store keeps these facts */
	/* Fields besides begin, end, task and cpu, which all kinds have; choice only if it has a
	 * meaning. */
	const struct fact_field *fields;
	const struct fact_view *views; /* NULL: none. Both end with {0}. */
	/* Keys of the fields or views that options select by; NULL: this kind has none. */
	const char *duration; /* --min, --max; "duration_ns" is usual */
	const char *bytes;    /* --min-size, --max-size */
	const char *name;     /* --name, a text */
	/* The thread number in the program's own events, for threads that the kernel trace does
	 * not know: --tid. NULL: none. */
	const char *thread;
	/* Used instead of name if a fact has several names: does any of them match? It is called
	 * once for each distinct value of `name`, and must try all names whatever wants returns. */
	bool (*has_name)(const struct kernel_host *h, const struct fact *f,
		bool (*wants)(void *ctx, const char *name), void *ctx);
	/* For facts about the two ends of something, made when all hosts are read: for a fact of
	 * the second end, returns the task, CPU and host of the first one. False: this is the
	 * first end, or the first end was not seen. */
	bool (*first_end)(const struct fact *f, struct fact_end *first);
};

/* ---- making them ---- */

enum { FACT_BATCH = 128 };
/* Takes n facts of a kind and host, in order: n structs of kind->size bytes. */
typedef int fact_taker(
	void *ctx, const struct kernel_host *h, const void *facts, size_t n, struct mer_err *err);

struct fact_sink {   /* collects facts of one kind and host */
	char *batch; /* room for FACT_BATCH facts; NULL: this kind has no user */
	uint32_t n;
	uint16_t size;
	fact_taker *take;
	void *ctx;
};

/* Which facts of a kind and host are needed. A source may pass others, too. */
struct fact_range {
	int64_t begin, end; /* facts that may overlap [begin, end] */
	const bool *tasks;  /* by number: facts about these tasks; NULL: about all */
};

struct fact_host {		 /* what a maker's callbacks get as ctx */
	void *state;		 /* of this maker and host, zeroed initially */
	void *const *states;	 /* states of all hosts, by number: only for end */
	struct fact_sink *sinks; /* in the order of fact_maker.kinds */
	/* of this host, freed with the run; not shared between threads */
	struct mer_arena *arena;
	struct mer_err *err; /* to fill when a callback returns an error */
	const struct mer_experiment *e;
	uint32_t host; /* number in the experiment */
	/* For of_world: facts outside of it need not be made; of all tasks. */
	struct fact_range range;
};

/* For of_world: may a fact of this time be needed? */
static inline bool fact_is_needed(const struct fact_host *f, int64_t begin, int64_t end)
{
	int64_t first = begin < end ? begin : end, last = begin < end ? end : begin;
	return last >= f->range.begin && first <= f->range.end;
}

struct fact_maker {
	const char *id;
	const struct fact_kind *const *kinds; /* ends with NULL */
	uint64_t wants;			      /* as in struct kernel_observer */
	/* reads kernel_world.bridges, which must be collected in a separate reading */
	bool messages;
	bool requests; /* calls options.requests, for which they are found */
	size_t state_size;
	/* ctx: struct fact_host. Any may be NULL. Meanings as in kernel/observer.h. */
	struct kernel_observer on;
	int (*begin)(struct fact_host *f);
	/* After the last event of the host: h->begin and h->end are known, and with w those of
	 * all hosts. */
	int (*end)(struct fact_host *f, const struct kernel_world *w, const struct kernel_host *h);
	void (*free_state)(void *state);
	/* Facts that are known only in the world of all hosts, with the log of their spans: makes
	 * those of all hosts at once, also in a world from a store, which does not keep them.
	 * by_host: NULL where facts are not wanted; their kinds are all in use. Such a maker has no
	 * other callbacks, and may look at the run's options. */
	int (*of_world)(
		struct analysis_run *run, struct fact_host *const *by_host, struct mer_err *err);
};

/* Does anything use facts of kinds[kind]? */
static inline bool fact_is_used(const struct fact_host *f, unsigned kind)
{
	return f->sinks[kind].batch != NULL;
}
int fact_flush(struct fact_host *f, const struct kernel_host *h, unsigned kind);
/* Room for the next fact of kinds[kind], which must be in use; then call fact_placed. */
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
/* (f, h, kind, fact): adds a fact of kinds[kind], which must be in use. A macro, so that the
 * compiler can store the members directly into place: a function would copy the struct in wide
 * loads, which stall on store forwarding because its members were just written in smaller stores.
 * That would cost more than everything else here. (The comma operator drops const from the
 * type.) */
#define fact_add(f_, h_, kind_, ...)                                                               \
	(*(__typeof__(((void)0, *(__VA_ARGS__))) *)fact_place(f_, kind_) = *(__VA_ARGS__),         \
		fact_placed(f_, h_, kind_, sizeof(*(__VA_ARGS__))))

/* All kinds that stores keep; ends with NULL. */
extern const struct fact_kind *const fact_kinds[];
/* begin, end, task and cpu; ends with {0}. */
extern const struct fact_field fact_common_fields[];
/* The field with this key, including the common ones. NULL: there is none, or it is a view. */
const struct fact_field *fact_field_find(const struct fact_kind *k, const char *key);
const struct fact_view *fact_view_find(const struct fact_kind *k, const char *key);
/* The number of a name in the host's names, for facts of the world of all hosts. "": KERNEL_NONE.
 * False: no memory. */
bool fact_name(struct kernel_host *h, const char *text, uint32_t *name);
/* The same for the last name of a task of any of these hosts. KERNEL_NONE: no task, no name. */
bool fact_comm(struct kernel_host *h, const struct kernel_host *hosts, uint32_t host, uint32_t task,
	uint32_t *name);
/* The value of a field. */
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
