#include "ftrace/reading.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftrace/file.h"

enum { PATH_BYTES = 4200, MAX_FORMATS = 1 << 16, MAX_CPUS = 1 << 14, MOST_TEXT = 1 << 20 };

struct raw {
	struct ftrace_reading *r;
	char folder[PATH_BYTES];
	struct ftrace_formats formats;
	struct ftrace_pages_of pages;
	uint32_t n_formats, n_cpus;
};

/* The text of a file of the folder; NULL: it is not there, or too long for what it should be. */
static const char *text_of(struct raw *w, const char *name)
{
	char path[PATH_BYTES];
	struct mer_file f;
	struct mer_err ignored;
	int n = snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	if ((size_t)n >= sizeof(path) || mer_file_open(&f, path, &ignored))
		return NULL;
	const char *text = f.size <= MOST_TEXT
				   ? mer_arena_strndup(&w->r->arena, (const char *)f.data, f.size)
				   : NULL;
	mer_file_close(&f);
	return text;
}

/* Calls for each entry of a folder below, in the order of their names. */
static int each_entry(struct raw *w, const char *below, int (*act)(struct raw *, const char *below))
{
	char path[PATH_BYTES], entry[PATH_BYTES];
	struct dirent **list;
	int rc = 0, len = snprintf(path, sizeof(path), "%s/%s", w->folder, below);
	int n = (size_t)len < sizeof(path) ? scandir(path, &list, NULL, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		len = snprintf(
			entry, sizeof(entry), "%s%s%s", below, *below ? "/" : "", list[i]->d_name);
		if (rc == 0 && list[i]->d_name[0] != '.' && (size_t)len < sizeof(entry))
			rc = act(w, entry);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return rc;
}

/* events/SYSTEM/EVENT */
static int add_format(struct raw *w, const char *below)
{
	char name[PATH_BYTES], system[256];
	int n = snprintf(name, sizeof(name), "%s/format", below);
	const char *text = (size_t)n < sizeof(name) ? text_of(w, name) : NULL;
	if (!text || w->n_formats++ == MAX_FORMATS)
		return w->r->arena.failed ? mer_fail_nomem(w->r->err) : 0;
	const char *begin = below + strlen("events/");
	snprintf(system, sizeof(system), "%.*s", (int)strcspn(begin, "/"), begin);
	return ftrace_formats_add(&w->formats, &w->r->arena, system, text, strlen(text),
		       w->pages.layout.commit_bytes)
		       ? 0
		       : mer_fail_nomem(w->r->err);
}

static int add_system(struct raw *w, const char *below)
{
	return each_entry(w, below, add_format);
}

/* cpu0.stats, or per_cpu/cpu0/stats: how many events of the CPU were overwritten unread. */
static uint64_t read_overrun(struct raw *w, const char *below, bool is_folder)
{
	char name[PATH_BYTES];
	uint64_t n;
	int len = is_folder ? snprintf(name, sizeof(name), "%s/stats", below)
			    : snprintf(name, sizeof(name), "%.*s.stats", (int)strcspn(below, "."),
				      below);
	const char *text = (size_t)len < sizeof(name) ? text_of(w, name) : NULL;
	const char *line =
		text && strncmp(text, "overrun:", 8) != 0 ? strstr(text, "\noverrun:") : text;
	line = line && *line == '\n' ? line + 1 : line;
	return line && sscanf(line, "overrun: %" SCNu64, &n) == 1 ? n : 0;
}

/* cpu0.raw, or per_cpu/cpu0/trace_pipe_raw: the pages of a CPU. */
static int read_cpu(struct raw *w, const char *below)
{
	char path[PATH_BYTES];
	unsigned cpu;
	int end = 0;
	struct mer_file f;
	struct mer_err why;
	if ((sscanf(below, "cpu%u.raw%n", &cpu, &end) != 1 || !end || below[end]) &&
		(sscanf(below, "per_cpu/cpu%u%n", &cpu, &end) != 1 || !end || below[end]))
		return 0;
	bool is_folder = strchr(below, '/');
	int n = snprintf(path, sizeof(path), "%s/%s%s", w->folder, below,
		is_folder ? "/trace_pipe_raw" : "");
	if (cpu >= MAX_CPUS || (size_t)n >= sizeof(path) || mer_file_open(&f, path, &why))
		return 0;
	struct ftrace_stream *s;
	w->pages.n_lost = read_overrun(w, below, is_folder);
	int rc = ftrace_stream_open(w->r->copy, "", cpu, &s, w->r->err);
	if (rc == 0)
		rc = ftrace_read_pages(w->r, s, &w->pages, f.data, f.size);
	int closed = ftrace_stream_close(s, rc ? NULL : w->r->err);
	mer_file_close(&f);
	w->n_cpus++;
	return rc ? rc : closed;
}

/* r->path is FOLDER/header_page, or FOLDER/events/header_page. */
static int open_raw(struct raw *w)
{
	struct ftrace_reading *r = w->r;
	size_t len = ftrace_raw_folder(r->path);
	int n = snprintf(
		w->folder, sizeof(w->folder), "%.*s", len ? (int)len : 1, len ? r->path : ".");
	if ((size_t)n >= sizeof(w->folder))
		return mer_fail(r->err, MER_ERR_LIMIT, "its path is too long");
	const char *header = text_of(w, "header_page");
	if (!header)
		header = text_of(w, "events/header_page");
	w->pages.layout = ftrace_page_layout(header ? header : "", header ? strlen(header) : 0);
	w->pages.page_bytes = ftrace_page_bytes(header ? header : "", header ? strlen(header) : 0);
	const char *mode = text_of(w, "mode");
	w->pages.is_snapshot = mode && strncmp(mode, "snapshot", 8) == 0;
	int rc = each_entry(w, "events", add_system);
	if (rc == 0 && !w->formats.n)
		rc = mer_fail(r->err, MER_ERR_INPUT,
			"there are pages of ftrace, but no formats of events (events/SYSTEM/EVENT/format beside header_page)");
	return rc;
}

/* The boot id "c0ffee00-..." as bytes; false: it is none. */
static bool read_boot(const char *text, uint8_t boot[16])
{
	size_t n = 0;
	for (const char *p = text ? text : ""; *p && *p != '\n'; p++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = strchr(digits, *p);
		if (*p == '-')
			continue;
		if (!digit || n == 32)
			return false;
		uint8_t v = (uint8_t)(digit - digits);
		boot[n / 2] = (uint8_t)(n % 2 ? boot[n / 2] | v : v << 4);
		n++;
	}
	return n == 32;
}

/* CLOCK_REALTIME minus CLOCK_MONOTONIC, from "before MONOTONIC REALTIME" (ns), which `meridian
 * record` writes. 0: unknown. */
static int64_t read_offset(const char *text)
{
	int64_t mono, real, offset;
	bool is = text && sscanf(text, "before %" SCNd64 " %" SCNd64, &mono, &real) == 2 &&
		  mono > 0 && !__builtin_sub_overflow(real, mono, &offset) && offset > 0;
	return is ? offset : 0;
}

static int read_it(struct raw *w)
{
	struct ftrace_reading *r = w->r;
	int rc = open_raw(w);
	if (rc)
		return rc;
	const char *uname = text_of(w, "uname"), *clock = text_of(w, "trace_clock");
	uint8_t boot[16];
	const char *clock_name = ftrace_chosen_clock(&r->arena, clock ? clock : "local");
	bool is_mono = clock_name && strcmp(clock_name, "mono") == 0;
	const struct ftrace_copy_host host = { .name = ftrace_word(&r->arena, uname, 1),
		.release = ftrace_word(&r->arena, uname, 2),
		.machine = ftrace_machine(&r->arena, uname),
		.tracer = "ftrace",
		.form = "raw pages",
		.clock = clock_name,
		.boot = read_boot(text_of(w, "boot_id"), boot) ? boot : NULL,
		.offset_ns = is_mono ? read_offset(text_of(w, "clock")) : 0,
		.id = r->id,
		.wants_closes = r->has_state };
	if (!host.clock)
		return mer_fail_nomem(r->err);
	rc = ftrace_copy_new(r->folder, &host, &w->formats, &r->copy, r->err);
	if (rc == 0)
		rc = each_entry(w, "", read_cpu);
	if (rc == 0)
		rc = each_entry(w, "per_cpu", read_cpu);
	if (rc == 0)
		rc = ftrace_copy_declare(r->copy, r->err);
	if (rc == 0 && !w->n_cpus)
		rc = mer_fail(r->err, MER_ERR_INPUT,
			"there are formats of ftrace, but no pages (cpu0.raw, or per_cpu/cpu0/trace_pipe_raw)");
	ftrace_note_clock(r, host.clock, false, "echo mono >trace_clock");
	return rc;
}

int ftrace_read_raw(struct ftrace_reading *r)
{
	struct raw *w = calloc(1, sizeof(*w));
	if (!w)
		return mer_fail_nomem(r->err);
	w->r = r;
	int rc = read_it(w);
	free(w);
	return rc;
}
