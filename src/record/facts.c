#include "record/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/glob.h"
#include "base/grow.h"
#include "base/safe_text.h"
#include "record/words.h"

__asm__(".section .rodata\n"
	"record_probe_script:\n"
	".incbin \"" MER_SCRIPTS "/probe.sh\"\n"
	".byte 0\n"
	".previous\n");
extern const char record_probe_script[];

const char *record_facts_script(void)
{
	return record_probe_script;
}

struct reader {
	struct record_facts *f;
	struct mer_arena *arena;
};

static const struct text_fact {
	const char *key;
	size_t offset;
} texts[] = {
	{ "name", offsetof(struct record_facts, name) },
	{ "kernel", offsetof(struct record_facts, kernel) },
	{ "architecture", offsetof(struct record_facts, architecture) },
	{ "boot_id", offsetof(struct record_facts, boot_id) },
	{ "user", offsetof(struct record_facts, user) },
	{ "groups", offsetof(struct record_facts, groups) },
	{ "lttng", offsetof(struct record_facts, lttng) },
	{ "kernel_tracer_error", offsetof(struct record_facts, kernel_tracer_error) },
	{ "perf", offsetof(struct record_facts, perf) },
	{ "perf_error", offsetof(struct record_facts, perf_error) },
	{ "instance", offsetof(struct record_facts, instance) },
	{ "tracefs", offsetof(struct record_facts, tracefs) },
	{ "lockdown", offsetof(struct record_facts, lockdown) },
	{ "agent", offsetof(struct record_facts, agent) },
	{ "clock_source", offsetof(struct record_facts, clock_source) },
	{ "clock_daemon", offsetof(struct record_facts, clock_daemon) },
	{ "card", offsetof(struct record_facts, card) },
	{ "receive_offload", offsetof(struct record_facts, receive_offload) },
};
enum { N_TEXTS = sizeof(texts) / sizeof(*texts) };

static const char **text_at(struct record_facts *f, size_t offset)
{
	return (const char **)(void *)((char *)f + offset);
}

static int64_t number(const char *text)
{
	char *end;
	errno = 0;
	long long v = strtoll(text, &end, 10);
	return *text < '0' || *text > '9' || *end || errno ? -1 : v;
}

/* A copy of the value that is safe to show; NULL: no memory. */
static const char *safe(struct reader *r, const char *value)
{
	struct mer_str s = { 0 };
	size_t len = strlen(value);
	mer_safe_add(&s, value, len > RECORD_WORD_MOST ? RECORD_WORD_MOST : len);
	char *text = s.failed ? NULL : mer_arena_strdup(r->arena, s.data ? s.data : "");
	mer_str_fini(&s);
	return text;
}

/* From sshd: the client's address and port, then the host's own address and port. */
static void read_address(struct record_facts *f, char *value)
{
	char *word[3] = { value };
	for (int i = 1; i < 3 && word[i - 1]; i++) {
		word[i] = strchr(word[i - 1], ' ');
		if (word[i])
			*word[i]++ = '\0';
	}
	if (!word[2])
		return;
	word[2][strcspn(word[2], " ")] = '\0';
	if (record_is_address(word[0]) && record_is_address(word[2])) {
		f->seen_address = word[0];
		f->address = word[2];
	}
}

static void add_source(const char **list, size_t *n, const char *text)
{
	if (*n < RECORD_FACT_SOURCES && text)
		list[(*n)++] = text;
}

const char *record_probe_kind_name(unsigned kind)
{
	static const char *const names[RECORD_N_PROBES] = {
		[RECORD_EPROBE] = "eprobe", [RECORD_TPROBE] = "tprobe", [RECORD_KPROBE] = "kprobe"
	};
	return kind < RECORD_N_PROBES ? names[kind] : NULL;
}

static bool add_name(struct record_names *l, const char *name)
{
	if (!record_is_event(name) || l->n >= RECORD_FACT_EVENTS)
		return true;
	if (!mer_grow(&l->name, l->n, &l->cap, sizeof(*l->name)))
		return false;
	l->name[l->n++] = name;
	return true;
}

static bool read_line(struct reader *r, const char *key, char *value)
{
	struct record_facts *f = r->f;
	for (size_t i = 0; i < N_TEXTS; i++) {
		if (strcmp(key, texts[i].key) == 0) {
			const char *text = safe(r, value);
			if (text)
				*text_at(f, texts[i].offset) = text;
			return text != NULL;
		}
	}
	if (strcmp(key, "event") == 0 || strcmp(key, "trace_event") == 0)
		return add_name(*key == 'e' ? &f->events : &f->trace_events, value);
	if (strcmp(key, "probes") == 0) {
		for (unsigned k = 0; k < RECORD_N_PROBES; k++)
			f->probes[k] |= strcmp(value, record_probe_kind_name(k)) == 0;
	} else if (strcmp(key, "address") == 0)
		read_address(f, value);
	else if (strcmp(key, "cpus") == 0)
		f->cpus = number(value);
	else if (strcmp(key, "uid") == 0)
		f->uid = number(value);
	else if (strcmp(key, "free_kib") == 0)
		f->free_kib = number(value);
	else if (strcmp(key, "modules") == 0)
		*(strcmp(value, "loaded") == 0 ? &f->modules_loaded : &f->modules_there) = true;
	else if (strcmp(key, "no_lttng") == 0)
		f->no_lttng = true;
	else if (strcmp(key, "root_daemon") == 0)
		f->root_daemon = true;
	else if (strcmp(key, "relay_daemon") == 0)
		f->relay_daemon = true;
	else if (strcmp(key, "kernel_tracer") == 0)
		f->kernel_tracer = true;
	else if (strcmp(key, "tracefs_missing") == 0)
		f->tracefs_missing = true;
	else if (strcmp(key, "tracefs_mounted") == 0)
		f->tracefs_mounted = true;
	else if (strcmp(key, "btf") == 0)
		f->btf = true;
	else if (strcmp(key, "perf_may") == 0)
		f->perf_may = true;
	else if (strcmp(key, "container") == 0)
		f->is_container = true;
	else if (strcmp(key, "own_pids") == 0)
		f->own_pids = true;
	else if (strcmp(key, "guest") == 0)
		f->is_guest = true;
	else if (strcmp(key, "chrony_refclock") == 0)
		add_source(f->refclocks, &f->n_refclocks, safe(r, value));
	else if (strncmp(key, "chrony_", 7) == 0)
		add_source(f->servers, &f->n_servers, safe(r, value));
	else if (strcmp(key, "ptp") == 0)
		add_source(f->ptp, &f->n_ptp, safe(r, value));
	else if (strcmp(key, "clock_offset_s") == 0) {
		char *end;
		f->clock_offset_s = strtod(value, &end);
		f->has_clock_offset = end != value && !*end && f->clock_offset_s > -1e9 &&
				      f->clock_offset_s < 1e9;
	} else if (strcmp(key, "end") == 0)
		f->complete = true;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(struct record_names *l)
{
	if (l->n)
		qsort(l->name, l->n, sizeof(*l->name), by_name);
}

/* Only the usual paths are accepted: it becomes part of shell commands. */
static bool is_tracefs(const char *path)
{
	return strcmp(path, "/sys/kernel/tracing") == 0 ||
	       strcmp(path, "/sys/kernel/debug/tracing") == 0;
}

int record_facts_read(struct record_facts *f, const char *text, size_t len, struct mer_arena *arena,
	struct mer_err *err)
{
	struct reader r = { f, arena };
	*f = (struct record_facts){ .cpus = -1, .uid = -1, .free_kib = -1 };
	for (size_t i = 0; i < N_TEXTS; i++)
		*text_at(f, texts[i].offset) = "";
	f->address = f->seen_address = "";
	char *copy = mer_arena_strndup(arena, text, len);
	bool ok = copy != NULL;
	for (char *line = copy; ok && line;) {
		char *end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		char *value = strchr(line, '=');
		if (value) {
			*value++ = '\0';
			ok = read_line(&r, line, value);
		}
		line = end;
	}
	sort(&f->events);
	sort(&f->trace_events);
	if (!is_tracefs(f->tracefs))
		f->tracefs = "";
	return ok ? 0 : mer_fail_nomem(err);
}

void record_facts_free(struct record_facts *f)
{
	free(f->events.name);
	free(f->trace_events.name);
	f->events = f->trace_events = (struct record_names){ 0 };
}

static bool has(const struct record_names *l, const char *name)
{
	if (!strchr(name, '*'))
		return bsearch(&name, l->name, l->n, sizeof(*l->name), by_name) != NULL;
	for (size_t i = 0; i < l->n; i++)
		if (mer_glob(name, l->name[i]))
			return true;
	return false;
}

bool record_facts_has_event(const struct record_facts *f, const char *name)
{
	return f->events.n == 0 || has(&f->events, name);
}

bool record_facts_has_trace_event(const struct record_facts *f, const char *name)
{
	size_t len = strlen(name);
	if (f->trace_events.n == 0 || strchr(name, ':'))
		return f->trace_events.n == 0 || has(&f->trace_events, name);
	for (size_t i = 0; i < f->trace_events.n; i++) {
		const char *full = f->trace_events.name[i], *colon = strchr(full, ':');
		if (colon && (strcmp(colon + 1, name) == 0 ||
				     ((size_t)(colon - full) == len && !memcmp(full, name, len))))
			return true;
	}
	return false;
}

bool record_facts_may_trace(const struct record_facts *f)
{
	if (f->uid == 0)
		return true;
	for (const char *g = f->groups; *g; g += strcspn(g, " "), g += strspn(g, " "))
		if (strncmp(g, "tracing", 7) == 0 && (!g[7] || g[7] == ' '))
			return true;
	return false;
}
