#include "base/call_numbers.h"
#include "kernel/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum {
	TYPED = 4, /* of before_entry: perf and ftrace, with a field for each register */
	FORMS,
	ENDS = 3,		  /* of before_exit */
	NEEDS = (int)FORMS + ENDS /* of a call */
};

struct kernel_layouts {
	struct mer_arena arena;
	struct mer_need *needs; /* calls with arguments, then those of event_of */
	uint8_t *event_of;
	uint16_t *call_of; /* ids of the calls with arguments */
	size_t n_needs, n_calls;
	struct trace_reading *reading;
	struct kernel_binding *bindings; /* by ctf_plan.id */
};

/* Every list of fields begins with that of perf; other tracers do not have it, it reads 0. */
#define CPU "perf_cpu "

static const char *const before_entry[FORMS] = { "syscall_entry_", "compat_syscall_entry_", "sys_",
	"compat_sys_", "syscalls:sys_enter_" };
static const char *const before_exit[ENDS] = { "syscall_exit_", "compat_syscall_exit_",
	"syscalls:sys_exit_" };

/* Of so many names that printf took an eighth of the time of a short answer. NULL: no memory. */
static const char *join(struct mer_arena *a, const char *first, const char *second)
{
	size_t n = strlen(first), m = strlen(second);
	char *text = mer_arena_alloc(a, n + m + 1);
	if (!text)
		return NULL;
	memcpy(text, first, n);
	memcpy(text + n, second, m + 1);
	return text;
}

static size_t count_names(const char *names)
{
	size_t n = names != NULL;
	for (; names && *names; names++)
		n += *names == ' ';
	return n;
}

/* All names of an event. false: no memory. */
static bool add_event(struct kernel_layouts *l, enum kernel_event event, uint64_t wants)
{
	const struct kernel_event_row *row = &kernel_event_rows[event];
	for (int d = 0; d < KERNEL_N_DIALECTS; d++) {
		const char *fields =
			kernel_event_fields(&l->arena, event, (enum kernel_dialect)d, wants);
		char *names = row->names[d] ? mer_arena_strdup(&l->arena, row->names[d]) : NULL;
		if (!fields || (row->names[d] && !names))
			return false;
		for (char *rest, *name = names; name; name = rest) {
			rest = strchr(name, ' ');
			if (rest)
				*rest++ = '\0';
			l->event_of[l->n_needs - l->n_calls] = (uint8_t)event;
			l->needs[l->n_needs++] = (struct mer_need){ name, fields };
		}
	}
	return true;
}

/* Of the fields of a call's entry those that are registers, which have the same names in the
 * kernel's own event; what registers point to that event does not have. NULL: no memory. */
static const char *typed_fields(struct mer_arena *a, const char *fields)
{
	struct mer_str list = { 0 };
	mer_str_puts(&list, "perf_cpu");
	for (size_t len; fields && *fields; fields += len + (fields[len] == ' ')) {
		len = strcspn(fields, " ");
		if (!memchr(fields, ':', len))
			mer_str_printf(&list, " %.*s", (int)len, fields);
		else if (fields[len - 1] == 's') /* two slots */
			mer_str_puts(&list, " - -");
		else
			mer_str_puts(&list, " -");
	}
	const char *text = list.failed ? NULL : mer_arena_strdup(a, list.data);
	mer_str_fini(&list);
	return text;
}

/* The needs of calls whose arguments count: for each row its entries, then its exits. */
static void add_calls(struct kernel_layouts *l)
{
	struct mer_arena *a = &l->arena;
	for (size_t i = 0; i < kernel_n_call_rows; i++) {
		const struct kernel_call_row *r = &kernel_call_rows[i];
		if (r->kind == KERNEL_CALL_OTHER)
			continue;
		l->call_of[l->n_needs / NEEDS] = (uint16_t)(i + 1);
		const char *in = join(a, CPU, r->entry_fields ? r->entry_fields : "");
		const char *out = join(a, CPU "ret ", r->exit_fields ? r->exit_fields : "");
		const char *typed = typed_fields(a, r->entry_fields);
		if (!typed)
			a->failed = true;
		for (int f = 0; f < FORMS; f++)
			l->needs[l->n_needs++] =
				(struct mer_need){ join(a, before_entry[f], r->name),
					f == TYPED ? typed : in };
		for (int f = 0; f < ENDS; f++)
			l->needs[l->n_needs++] =
				(struct mer_need){ join(a, before_exit[f], r->name), out };
	}
	l->n_calls = l->n_needs;
}

static int make_needs(struct kernel_layouts *l, uint64_t wants, struct mer_err *err)
{
	struct mer_arena *a = &l->arena;
	size_t n = 0;
	for (int i = 0; i < KERNEL_N_EVENTS; i++)
		for (int d = 0; d < KERNEL_N_DIALECTS; d++)
			n += count_names(kernel_event_rows[i].names[d]);
	l->needs = mer_arena_zalloc(a, kernel_n_call_rows * NEEDS + n, sizeof(*l->needs));
	l->event_of = mer_arena_zalloc(a, n + 1, sizeof(*l->event_of));
	l->call_of = mer_arena_zalloc(a, kernel_n_call_rows, sizeof(*l->call_of));
	if (!l->needs || !l->event_of || !l->call_of)
		return mer_fail_nomem(err);
	add_calls(l);
	bool ok = !a->failed;
	for (int i = KERNEL_EV_NONE + 1; i < KERNEL_N_EVENTS && ok; i++) {
		uint64_t wanted = kernel_event_rows[i].wants;
		if (!wanted || wanted & wants)
			ok = add_event(l, (enum kernel_event)i, wants);
	}
	return ok ? 0 : mer_fail_nomem(err);
}

/* Of which machine the numbers of calls are. Where the trace does not say: a result is a "long";
 * where it has 32 bits, the machine has, and other numbers than x86-64. */
static enum mer_call_numbers numbers_of(const struct ctf_schema *s)
{
	const struct ctf_env *machine = ctf_env_find(s, "architecture");
	if (machine && machine->text)
		return mer_call_numbers_of(machine->text);
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
			const struct ctf_event_class *e = &s->streams[k].events[c];
			const struct ctf_fc *fc = e->payload;
			if (!kernel_call_of_exit(e->name) || strchr(e->name, ':'))
				continue;
			for (uint32_t i = 0; fc && i < fc->u.record.n; i++)
				if (strcmp(fc->u.record.fields[i].name, "ret") == 0 &&
					fc->u.record.fields[i].fc->kind == CTF_INT)
					return fc->u.record.fields[i].fc->u.bits.len_bits != 32
						       ? MER_CALLS_X86_64
						       : MER_CALLS_UNKNOWN;
		}
	return MER_CALLS_X86_64;
}

/* Slots of an element of a field of the payload that is an array; 0: there is no such field. */
static uint16_t row_slots(const struct ctf_event_class *e, const char *field)
{
	for (uint32_t i = 0; e->payload && i < e->payload->u.record.n; i++) {
		const struct ctf_field *f = &e->payload->u.record.fields[i];
		if (strcmp(f->name, field) != 0 || f->fc->kind != CTF_ARRAY)
			continue;
		uint32_t n = ctf_slot_width(f->fc->u.array.element.fc);
		return n <= UINT16_MAX ? (uint16_t)n : 0;
	}
	return 0;
}

bool kernel_has_field(const struct ctf_event_class *e, const char *field)
{
	for (uint32_t i = 0; e->payload && i < e->payload->u.record.n; i++)
		if (strcmp(e->payload->u.record.fields[i].name, field) == 0)
			return true;
	return false;
}

/* Are calls recorded by number? Then their own events, recorded as well, say the same again. */
static bool has_numbers(const struct ctf_schema *s)
{
	unsigned found = 0;
	for (uint32_t k = 0; k < s->n_streams; k++)
		for (uint32_t c = 0; c < s->streams[k].n_events; c++) {
			const char *name = s->streams[k].events[c].name;
			found |= strcmp(name, "raw_syscalls:sys_enter") == 0;
			found |= strcmp(name, "raw_syscalls:sys_exit") == 0 ? 2u : 0;
		}
	return found == 3;
}

static void bind(const struct kernel_layouts *l, const struct ctf_plan *plan,
	enum mer_call_numbers numbers, bool is_be, bool is_by_number)
{
	struct kernel_binding *b = &l->bindings[plan->id];
	const char *name = plan->class->name;
	size_t need = (size_t)plan->tag;
	*b = (struct kernel_binding){ .is_be = is_be };
	if (is_by_number && strncmp(name, "syscalls:", 9) == 0)
		return;
	if (need < l->n_calls) {
		b->id = l->call_of[need / NEEDS];
		const struct kernel_call_row *r = &kernel_call_rows[b->id - 1];
		b->event = need % NEEDS < FORMS ? KERNEL_EV_SYSCALL_ENTRY : KERNEL_EV_SYSCALL_EXIT;
		b->is_typed = need % NEEDS == TYPED;
		b->kind = (uint16_t)r->kind;
		b->call = r->name;
		b->row_slots = r->kind == KERNEL_CALL_POLL ? row_slots(plan->class, "fds") : 0;
		return;
	}
	b->event = l->event_of[need - l->n_calls];
	bool is_switch = b->event == KERNEL_EV_SWITCH;
	b->has_waits = is_switch && kernel_has_field(plan->class, "prev_waits");
	b->has_no_state =
		is_switch && !b->has_waits && !kernel_has_field(plan->class, "prev_state");
	b->has_prio = is_switch && kernel_has_field(plan->class, "next_prio");
	/* LTTng takes off what the kernel's number has more; perf and ftrace keep it. */
	b->prio_of_0 = is_switch && strncmp(name, "sched:", 6) == 0 ? 100 : 0;
	b->kind = KERNEL_CALL_OTHER;
	if (b->event == KERNEL_EV_SYSCALL_NUMBER)
		b->by_number = strncmp(name, "compat_", 7) != 0 ? (uint8_t)numbers : 0;
	if (b->event == KERNEL_EV_SYSCALL_EXIT && strcmp(name, "raw_syscalls:sys_exit") == 0 &&
		kernel_has_field(plan->class, "id"))
		b->by_number = (uint8_t)numbers;
	if (b->event == KERNEL_EV_SYSCALL_NUMBER || b->event == KERNEL_EV_SYSCALL_ENTRY)
		b->call = kernel_call_of_entry(name);
	else if (b->event == KERNEL_EV_SYSCALL_EXIT)
		b->call = kernel_call_of_exit(name);
	if (!b->call)
		b->call = "";
	b->id = kernel_call_id(b->call);
}

int kernel_layouts_new(const struct mer_experiment *e, uint64_t wants,
	struct kernel_layouts **layouts, struct mer_err *err)
{
	struct kernel_layouts *l = calloc(1, sizeof(*l));
	if (!l)
		return mer_fail_nomem(err);
	mer_arena_init(&l->arena);
	int rc = make_needs(l, wants, err);
	if (rc == 0)
		rc = trace_reading_from_needs(e, l->needs, l->n_needs, false, &l->reading, err);
	if (rc == 0) {
		l->bindings =
			mer_arena_zalloc(&l->arena, l->reading->n_plans + 1u, sizeof(*l->bindings));
		rc = l->bindings ? 0 : mer_fail_nomem(err);
	}
	if (rc) {
		kernel_layouts_free(l);
		return rc;
	}
	for (uint32_t i = 0; i < e->n_parts; i++) {
		const struct ctf_program *p = l->reading->programs[i];
		enum mer_call_numbers numbers = numbers_of(p->schema);
		bool is_by_number = has_numbers(p->schema);
		for (uint32_t k = 0; k < p->schema->n_streams; k++)
			for (uint32_t c = 0; c < p->schema->streams[k].n_events; c++)
				if (p->streams[k].events[c].wanted)
					bind(l, &p->streams[k].events[c], numbers,
						p->schema->order == CTF_BE, is_by_number);
	}
	*layouts = l;
	return 0;
}

void kernel_layouts_free(struct kernel_layouts *l)
{
	if (!l)
		return;
	trace_reading_free(l->reading);
	mer_arena_fini(&l->arena);
	free(l);
}

const struct trace_reading *kernel_layouts_reading(const struct kernel_layouts *l)
{
	return l->reading;
}

const struct kernel_binding *kernel_bindings(const struct kernel_layouts *l)
{
	return l->bindings;
}

uint32_t kernel_n_bindings(const struct kernel_layouts *l)
{
	return l->reading->n_plans;
}

static int event_needs(
	struct kernel_layouts *l, const enum kernel_event *events, size_t n, struct mer_err *err)
{
	size_t n_names = 0;
	for (size_t i = 0; i < n; i++)
		for (int d = 0; d < KERNEL_N_DIALECTS; d++)
			n_names += count_names(kernel_event_rows[events[i]].names[d]);
	l->needs = mer_arena_zalloc(&l->arena, n_names + 1, sizeof(*l->needs));
	l->event_of = calloc(n_names + 1, sizeof(*l->event_of));
	bool ok = l->needs && l->event_of;
	for (size_t i = 0; i < n && ok; i++)
		ok = add_event(l, events[i], 0);
	return ok ? 0 : mer_fail_nomem(err);
}

int kernel_event_reading_new(const struct mer_experiment *e, const enum kernel_event *events,
	size_t n, struct kernel_event_reading **r, struct mer_err *err)
{
	struct kernel_layouts l = { 0 };
	*r = calloc(1, sizeof(**r));
	mer_arena_init(&l.arena);
	int rc = *r ? event_needs(&l, events, n, err) : mer_fail_nomem(err);
	if (rc == 0)
		rc = trace_reading_from_needs(e, l.needs, l.n_needs, false, &(*r)->reading, err);
	mer_arena_fini(&l.arena);
	if (rc) {
		free(l.event_of);
		free(*r);
		*r = NULL;
		return rc;
	}
	(*r)->event_of = l.event_of;
	return 0;
}

void kernel_event_reading_free(struct kernel_event_reading *r)
{
	if (!r)
		return;
	trace_reading_free(r->reading);
	free(r->event_of);
	free(r);
}

int kernel_switch_reading_new(
	const struct mer_experiment *e, struct trace_reading **reading, struct mer_err *err)
{
	static const enum kernel_event only = KERNEL_EV_SWITCH;
	struct kernel_event_reading *r;
	int rc = kernel_event_reading_new(e, &only, 1, &r, err);
	*reading = NULL;
	if (rc)
		return rc;
	*reading = r->reading;
	r->reading = NULL;
	kernel_event_reading_free(r);
	return 0;
}
