/* Facts about waits (path/blocked.h): what each task waited for, and whether that delayed
 * somebody. A wait that timed out and was taken up again is several facts. */
#include "analysis/all.h"
#include "analysis/fact.h"
#include "path/blocked.h"

struct wait {
	struct fact fact; /* choice: enum blocked_class */
	int64_t runnable; /* from its end until the task had a CPU */
	uint32_t call;
	uint32_t object;      /* a name: of the call's object, or of the disk; KERNEL_NONE */
	uint32_t by_host, by; /* who ended it: a host, and a name; KERNEL_NONE */
	uint8_t kind;	      /* enum blocked_kind */
	uint8_t cause;	      /* enum kernel_cause; NOT_ENDED */
	uint8_t unused[6];
};
enum { NOT_ENDED = KERNEL_N_CAUSES }; /* when the task's record did */

static int64_t class_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return f->choice;
}

static int64_t kind_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct wait *)f)->kind;
}

static int64_t cause_of(const struct kernel_host *h, const struct fact *f)
{
	(void)h;
	return ((const struct wait *)f)->cause;
}

static const char *class_text(const struct kernel_host *h, int64_t class)
{
	(void)h;
	return blocked_class_name((enum blocked_class) class);
}

static const char *kind_text(const struct kernel_host *h, int64_t kind)
{
	(void)h;
	return blocked_kind_name((enum blocked_kind)kind);
}

static const char *cause_text(const struct kernel_host *h, int64_t cause)
{
	(void)h;
	return cause == NOT_ENDED ? "not-ended" : kernel_cause_name((enum kernel_cause)cause);
}

static const struct fact_field fields[] = {
	{ "system_call", NULL, MER_ID, FACT_CALL, FACT_MEMBER(struct wait, call),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "object", "object", MER_TEXT, FACT_NAME, FACT_MEMBER(struct wait, object),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "by_host", "ended by", MER_TEXT, FACT_HOST, FACT_MEMBER(struct wait, by_host),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "by", "task", MER_TEXT, FACT_NAME, FACT_MEMBER(struct wait, by),
		FACT_NONE_IS(KERNEL_NONE) },
	{ "runnable_ns", "runnable", MER_DURATION, FACT_NUMBER,
		FACT_MEMBER(struct wait, runnable) },
	{ 0 },
};
static const struct fact_view views[] = {
	{ "class", "class", MER_TEXT, FACT_BY_FUNCTION, .get = class_of, .meaning = FACT_TEXT,
		.text = class_text },
	{ "kind", "kind", MER_TEXT, FACT_BY_FUNCTION, .get = kind_of, .meaning = FACT_TEXT,
		.text = kind_text },
	{ "cause", "cause", MER_TEXT, FACT_BY_FUNCTION, .get = cause_of, .meaning = FACT_TEXT,
		.text = cause_text },
	{ "call", "call", MER_TEXT, FACT_CALL_NAME, .of = "system_call" },
	{ "fd", "FD", MER_ID, FACT_CALL_FD, .of = "system_call" },
	{ 0 },
};

static int add(struct fact_host *f, struct kernel_world *world, const struct blocked *b,
	const struct blocked_wait *w, bool is_chosen)
{
	const struct kernel_host *h = &world->hosts[f->host];
	bool by_itself = w->by_host == f->host && w->by_task == w->task; /* by what answers it */
	bool is_known = w->by_task != KERNEL_NONE && !by_itself;
	struct wait x = {
		.fact = { w->begin, w->end, w->task, KERNEL_NO_CPU,
			(uint16_t)blocked_class_of(w, is_chosen) },
		.runnable = w->run - w->end,
		.call = w->call,
		.object = w->call == KERNEL_NONE ? KERNEL_NONE : h->calls[w->call].object,
		.by_host = is_known ? w->by_host : KERNEL_NONE,
		.by = KERNEL_NONE,
		.kind = w->kind,
		.cause = w->open ? NOT_ENDED : w->cause,
	};
	if (!*kernel_name_text(h, x.object))
		x.object = blocked_disk(b, f->host, w);
	if (is_known &&
		!fact_comm(&world->hosts[f->host], world->hosts, w->by_host, w->by_task, &x.by))
		return mer_fail_nomem(f->err);
	return fact_add(f, h, 0, &x);
}

/* If tasks are selected, the user asks for these, so what they do is felt (blocked_class_of). */
static int of_world(struct analysis_run *run, struct fact_host *const *by_host, struct mer_err *err)
{
	struct kernel_world *world = run->world;
	struct blocked b;
	int rc = blocked_find(world, &b, err);
	for (uint32_t i = 0; i < world->n_hosts && rc == 0; i++)
		for (size_t k = 0; by_host[i] && k < b.hosts[i].n && rc == 0; k++) {
			const struct blocked_wait *w = &b.hosts[i].waits[k];
			if (fact_is_needed(by_host[i], w->begin, w->end))
				rc = add(
					by_host[i], world, &b, w, run->options->wants_task != NULL);
		}
	blocked_fini(&b);
	return rc;
}

static const struct fact_kind *const kinds[] = { &fact_wait, NULL };
static const struct fact_maker maker = {
	.id = "wait",
	.kinds = kinds,
	.messages = true,
	.of_world = of_world,
};
const struct fact_kind fact_wait = {
	.id = "wait",
	.title = "Waits",
	.maker = &maker,
	.rule = FACT_CUT,
	.size = sizeof(struct wait),
	.of_tasks = true,
	.fields = fields,
	.views = views,
	.duration = "duration_ns",
	.name = "call",
};
