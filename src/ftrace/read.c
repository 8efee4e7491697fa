#include "ftrace/read.h"

#include <stdio.h>
#include <string.h>

#include "copied/files.h"
#include "copied/notes.h"
#include "ftrace/file.h"
#include "ftrace/perf/perfdata.h"
#include "ftrace/proc/proc.h"
#include "ftrace/reading.h"
#include "ftrace/pages/tracing.h"

enum { PATH_BYTES = 4200 };

static void note_all(struct ftrace_reading *r)
{
	const struct ftrace_copied *done = ftrace_copied(r->copy);
	if (r->is_cut)
		copied_notef(&r->notes, MER_ERROR, "ftrace-cut", 1,
			"the file ends too early; what lies before its end is read");
	if (r->n_damaged)
		copied_notef(&r->notes, MER_ERROR, "ftrace-damaged", r->n_damaged,
			"pages or records are damaged, and were left out from there on");
	if (r->n_unknown_losses)
		copied_notef(&r->notes, MER_WARNING, "ftrace-lost", r->n_unknown_losses,
			"events were lost, and the kernel did not say how many: each place counts as one");
	if (done->n_unknown)
		copied_notef(&r->notes, MER_WARNING, "ftrace-unknown", done->n_unknown,
			"records of events whose formats are not in the file were left out");
	if (done->n_short)
		copied_notef(&r->notes, MER_ERROR, "ftrace-damaged", done->n_short,
			"records are shorter than their formats say, and were left out");
	if (done->n_back)
		copied_notef(&r->notes, MER_WARNING, "ftrace-times", done->n_back,
			"times went back within a CPU's events; the later one was taken");
}

static int read_it(struct ftrace_reading *r)
{
	if (!mer_make_folder(r->folder))
		return mer_fail_errno(r->err, "make the folder", r->folder);
	r->has_state = ftrace_proc_is_beside(r->path);
	int rc = ftrace_is_raw(r->path)				 ? ftrace_read_raw(r)
		 : perfdata_is(r->file.data, r->file.size)	 ? ftrace_read_perf(r)
		 : ftrace_tracing_is(r->file.data, r->file.size) ? ftrace_read_dat(r)
								 : ftrace_read_text(r);
	if (rc == 0)
		rc = ftrace_proc_add(r);
	if (rc)
		return rc;
	note_all(r);
	rc = ftrace_copy_end(r->copy, r->err);
	return rc ? rc : copied_write_notes(r->top, &r->notes, r->err);
}

int ftrace_read(const char *path, const char *folder, uint64_t id, struct mer_err *err)
{
	char below[PATH_BYTES];
	struct ftrace_reading r = {
		.path = path, .top = folder, .folder = below, .id = id, .err = err
	};
	int n = snprintf(below, sizeof(below), "%s/0", folder);
	int rc = mer_file_open(&r.file, path, err);
	if (rc)
		return rc;
	mer_arena_init(&r.arena);
	rc = (size_t)n < sizeof(below)
		     ? read_it(&r)
		     : mer_fail(err, MER_ERR_LIMIT, "the path of its copy is too long");
	ftrace_copy_free(r.copy);
	mer_str_fini(&r.notes);
	mer_arena_fini(&r.arena);
	mer_file_close(&r.file);
	return rc;
}

const char *ftrace_word(struct mer_arena *a, const char *text, unsigned n)
{
	for (; text && n; n--) {
		text += strcspn(text, " \n");
		text += strspn(text, " \n");
	}
	return text && *text ? mer_arena_strndup(a, text, strcspn(text, " \n")) : NULL;
}

const char *ftrace_machine(struct mer_arena *a, const char *text)
{
	static const char system[] = "GNU/Linux"; /* follows the machine in `uname -a` */
	const char *last = NULL;
	const char *word;
	for (unsigned n = 3; (word = ftrace_word(a, text, n)) && n < 64; n++)
		if (strcmp(word, system) != 0)
			last = word;
	return last;
}
